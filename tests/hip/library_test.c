/* Libraries of HIP 7.2 and their kernels; and what AMD's library has for compilers and tools. */
#include "runtime_test.h"

typedef hipModule_t hipLibrary_t;
typedef hipFunction_t hipKernel_t;
hipError_t hipLibraryLoadFromFile(hipLibrary_t *library, const char *path, void **options,
                                  void **values, unsigned n, void **more, void **more_values,
                                  unsigned n_more);
hipError_t hipLibraryUnload(hipLibrary_t library);
hipError_t hipLibraryGetKernel(hipKernel_t *kernel, hipLibrary_t library, const char *name);
hipError_t hipLibraryGetKernelCount(unsigned *n, hipLibrary_t library);
hipError_t hipLibraryEnumerateKernels(hipKernel_t *kernels, unsigned n, hipLibrary_t library);
hipError_t hipKernelGetLibrary(hipLibrary_t *library, hipKernel_t kernel);
hipError_t hipKernelGetName(const char **name, hipKernel_t kernel);
hipError_t hipKernelGetFunction(hipFunction_t *function, hipKernel_t kernel);
hipError_t hipKernelGetParamInfo(hipKernel_t kernel, size_t index, size_t *offset, size_t *bytes);
hipError_t hipKernelGetAttribute(int *value, hipFunction_attribute what, hipKernel_t kernel,
                                 hipDevice_t device);
hipError_t hipKernelSetAttribute(hipFunction_attribute what, int value, hipKernel_t kernel,
                                 hipDevice_t device);
hipError_t hipExtSetLoggingParams(size_t level, size_t bytes, size_t mask);
hipError_t hipExtEnableLogging(void);
hipError_t hipExtDisableLogging(void);
uint16_t __gnu_f2h_ieee(float x);
float __gnu_h2f_ieee(uint16_t half);

static void test_kernels(hipLibrary_t library) {
	hipKernel_t some[64] = { 0 };
	unsigned n = 0, good = 0, others = 0;
	must(hipLibraryGetKernelCount(&n, library));
	must(hipLibraryEnumerateKernels(some, n - 1, library));
	for (unsigned i = 0; i + 1 < n; i++) {
		const char *name = NULL;
		hipLibrary_t of = NULL;
		hipKernel_t found = NULL;
		must(hipKernelGetName(&name, some[i]));
		must(hipKernelGetLibrary(&of, some[i]));
		must(hipLibraryGetKernel(&found, library, name));
		good += of == library && found == some[i];
	}
	for (unsigned i = n - 1; i < COUNT(some); i++)
		others += some[i] != NULL;
	ok(n > 8 && n < COUNT(some) && good == n - 1 && !others,
	   "a library lists as many kernels as there is room for, each with its name and library");
}

/* `arguments` has an address, u8, u16, u32 and u64. */
static void test_parameters(hipKernel_t k) {
	static const size_t want[][2] = { { 0, 8 }, { 8, 1 }, { 10, 2 }, { 12, 4 }, { 16, 8 } };
	unsigned good = 0;
	for (size_t i = 0; i < COUNT(want); i++) {
		size_t offset = 99, bytes = 99, again = 99;
		must(hipKernelGetParamInfo(k, i, &offset, &bytes));
		must(hipKernelGetParamInfo(k, i, &again, NULL));
		good += offset == want[i][0] && bytes == want[i][1] && again == offset;
	}
	size_t offset;
	ok(good == COUNT(want) &&
	           hipKernelGetParamInfo(k, 5, &offset, NULL) == hipErrorInvalidValue,
	   "a kernel's parameters have places and sizes, and hidden ones are none");
}

static void test_attributes(hipKernel_t k) {
	const hipFunction_attribute lds = HIP_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES;
	int value = 0, of_function = 0;
	hipFunction_t f = NULL;
	must(hipKernelGetFunction(&f, k));
	must(hipKernelSetAttribute(lds, 4096, k, 0));
	must(hipKernelGetAttribute(&value, lds, k, 0));
	must(hipFuncGetAttribute(&of_function, lds, f));
	ok(value == 4096 && of_function == 4096,
	   "an attribute is set, of the kernel's function too");
	ok(hipKernelSetAttribute(HIP_FUNC_ATTRIBUTE_NUM_REGS, 8, k, 0) == hipErrorInvalidValue &&
	           hipKernelGetAttribute(&value, lds, k, 1) == hipErrorInvalidDevice,
	   "others cannot be, and a kernel is on one device");
}

static void test_errors(hipKernel_t k) {
	const char *name;
	hipLibrary_t library;
	int value;
	ok(hipKernelGetName(NULL, k) == hipErrorInvalidValue &&
	           hipKernelGetLibrary(&library, NULL) == hipErrorInvalidValue &&
	           hipKernelGetName(&name, (hipKernel_t)&value) == hipErrorInvalidHandle &&
	           hipLibraryEnumerateKernels(NULL, 1, NULL) == hipErrorInvalidValue,
	   "nothing is an invalid value, another address an invalid handle");
}

static void test_support(void) {
	ok(hipExtSetLoggingParams(4, 0, ~0ul) == hipErrorNotSupported &&
	           hipExtEnableLogging() == hipErrorNotSupported &&
	           hipExtDisableLogging() == hipSuccess,
	   "there is no log of calls to enable");
	ok(__gnu_f2h_ieee(1.0f + 0x1p-11f) == 0x3C00 && __gnu_f2h_ieee(65520.0f) == 0x7C00 &&
	           __gnu_h2f_ieee(0x8001) == -0x1p-24f && __gnu_h2f_ieee(0x3555) == 0x1.554p-2f,
	   "half precision is converted for old compilers, to the nearest even");
}

int main(void) {
	hipLibrary_t library;
	hipKernel_t k;
	must(hipLibraryLoadFromFile(&library, built("tests/hip/probe.gpu.co"), NULL, NULL, 0, NULL,
	                            NULL, 0));
	must(hipLibraryGetKernel(&k, library, "arguments"));
	test_kernels(library);
	test_parameters(k);
	test_attributes(k);
	test_errors(k);
	must(hipLibraryUnload(library));
	const char *name;
	ok(hipKernelGetName(&name, k) == hipErrorInvalidHandle, "a library's kernels end with it");
	test_support();
	return done_testing();
}
