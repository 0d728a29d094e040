/* hiprtc: kernels that are compiled from strings, and run. */
#include "runtime_test.h"

#include <hip/hiprtc.h>

static hiprtcProgram created(const char *source) {
	hiprtcProgram p = NULL;
	const char *header = "#define TWICE(x) (2 * (x))\n", *name = "our/twice.h";
	if (hiprtcCreateProgram(&p, source, "saxpy.hip", 1, &header, &name) != HIPRTC_SUCCESS)
		printf("Bail out! hiprtcCreateProgram\n");
	return p;
}

/* static */
static const char *log_of(hiprtcProgram p) {
	static char text[1 << 16];
	size_t n = 0;
	text[0] = 0;
	if (hiprtcGetProgramLogSize(p, &n) == HIPRTC_SUCCESS && n < sizeof text)
		hiprtcGetProgramLog(p, text);
	return text;
}

static const char saxpy[] =
	"#include \"our/twice.h\"\n"
	"extern \"C\" __global__ void saxpy(float a, float *x, float *y, size_t n) {\n"
	"	size_t i = blockIdx.x * blockDim.x + threadIdx.x;\n"
	"	if (i < n)\n"
	"		y[i] = TWICE(a) * x[i] + y[i] + ADDED;\n"
	"}\n"
	"__constant__ int offset = 5;\n"
	"namespace ours {\n"
	"template <typename T> __global__ void sum(T *out, const T *in) {\n"
	"	__shared__ T all[64];\n"
	"	all[threadIdx.x] = in[threadIdx.x];\n"
	"	__syncthreads();\n"
	"	for (unsigned n = 32; n; n /= 2, __syncthreads())\n"
	"		if (threadIdx.x < n)\n"
	"			all[threadIdx.x] += all[threadIdx.x + n];\n"
	"	if (threadIdx.x == 0)\n"
	"		out[0] = all[0] + offset;\n"
	"}\n"
	"}\n";

static const char *const options[] = { "-DADDED=1", "--gpu-architecture=gfx950" };

hipError_t hipExtModuleLaunchKernel(hipFunction_t f, uint32_t nx, uint32_t ny, uint32_t nz,
                                    uint32_t bx, uint32_t by, uint32_t bz, size_t lds,
                                    hipStream_t stream, void **params, void **extra,
                                    hipEvent_t start, hipEvent_t stop, uint32_t flags);

static hipModule_t loaded(hiprtcProgram p) {
	hipModule_t m;
	size_t n = 0;
	hiprtcGetCodeSize(p, &n);
	char *code = malloc(n + 1);
	hiprtcGetCode(p, code);
	must(hipModuleLoadData(&m, code));
	free(code);
	return m;
}

static void run_saxpy(hipModule_t m) {
	enum { N = 100 };
	float host[N], a = 3, *x, *y;
	size_t n = N;
	hipFunction_t f;
	for (unsigned i = 0; i < N; i++)
		host[i] = (float)i;
	x = device_copy(host, sizeof host);
	y = device_copy(host, sizeof host);
	must(hipModuleGetFunction(&f, m, "saxpy"));
	must(hipModuleLaunchKernel(f, 2, 1, 1, 64, 1, 1, 0, NULL, (void *[]){ &a, &x, &y, &n },
	                           NULL));
	must(hipMemcpy(host, y, sizeof host, hipMemcpyDeviceToHost));
	unsigned good = 0;
	for (unsigned i = 0; i < N; i++)
		good += host[i] == 7 * (float)i + 1;
	ok(good == N, "a kernel is compiled from a string, with a header and an option, and runs");
	ok(hipExtModuleLaunchKernel(f, N, 1, 1, 64, 1, 1, 0, NULL, (void *[]){ &a, &x, &y, &n },
	                            NULL, NULL, NULL, 0) == hipErrorInvalidValue,
	   "it is built for whole workgroups");
	must(hipFree(x));
	must(hipFree(y));
}

static void run_sum(hipModule_t m, const char *name, const char *variable) {
	int32_t host[64], *in, *out = device_bytes(4), sum = 0, nine = 9;
	hipFunction_t f;
	hipDeviceptr_t offset;
	size_t bytes;
	for (int32_t i = 0; i < 64; i++)
		host[i] = i;
	in = device_copy(host, sizeof host);
	must(hipModuleGetGlobal(&offset, &bytes, m, variable));
	must(hipMemcpyHtoD(offset, &nine, 4));
	must(hipModuleGetFunction(&f, m, name));
	must(hipModuleLaunchKernel(f, 1, 1, 1, 64, 1, 1, 0, NULL, (void *[]){ &out, &in }, NULL));
	must(hipMemcpy(&sum, out, 4, hipMemcpyDeviceToHost));
	ok(sum == 63 * 32 + 9, "a template and a constant, by their lowered names");
	must(hipFree(in));
	must(hipFree(out));
}

static void test_program(void) {
	hiprtcProgram p = created(saxpy);
	const char *sum = NULL, *offset = NULL, *none = NULL;
	ok(hiprtcAddNameExpression(p, "ours::sum<int>") == HIPRTC_SUCCESS &&
	           hiprtcAddNameExpression(p, "&offset") == HIPRTC_SUCCESS &&
	           hiprtcGetLoweredName(p, "&offset", &offset) ==
	                   HIPRTC_ERROR_NO_LOWERED_NAMES_BEFORE_COMPILATION,
	   "name expressions come before the compilation, and lowered names after it");
	if (!ok(hiprtcCompileProgram(p, COUNT(options), (const char **)options) == HIPRTC_SUCCESS,
	        "a program is compiled")) {
		diag("%s", log_of(p));
		return;
	}
	ok(!*log_of(p), "without a message");
	hipModule_t m = loaded(p);
	run_saxpy(m);
	ok(hiprtcGetLoweredName(p, "ours::sum<int>", &sum) == HIPRTC_SUCCESS &&
	           !strcmp(sum, "_ZN4ours3sumIiEEvPT_PKS1_") &&
	           hiprtcGetLoweredName(p, "&offset", &offset) == HIPRTC_SUCCESS &&
	           hiprtcGetLoweredName(p, "none", &none) == HIPRTC_ERROR_NAME_EXPRESSION_NOT_VALID,
	   "name expressions have lowered names");
	if (sum && offset)
		run_sum(m, sum, offset);
	ok(hiprtcAddNameExpression(p, "saxpy") ==
	           HIPRTC_ERROR_NO_NAME_EXPRESSIONS_AFTER_COMPILATION,
	   "there are none after the compilation");
	must(hipModuleUnload(m));
	hiprtcDestroyProgram(&p);
}

static void test_errors(void) {
	hiprtcProgram p = created("__global__ void k(int *p) {\n\t*p = unknown;\n}\n"), stale = p;
	const char *bad = "../outside.h", *text = "", *no_option = "-no-such-option";
	size_t n = 9;
	ok(hiprtcCompileProgram(p, 0, NULL) == HIPRTC_ERROR_COMPILATION &&
	           strstr(log_of(p),
	                  "saxpy.hip:2:7: error: use of undeclared identifier 'unknown'"),
	   "an error is in the log, with its line");
	ok(hiprtcGetCodeSize(p, &n) == HIPRTC_SUCCESS && !n, "there is no code then");
	ok(hiprtcDestroyProgram(&p) == HIPRTC_SUCCESS && !p &&
	           hiprtcDestroyProgram(&stale) == HIPRTC_ERROR_INVALID_PROGRAM &&
	           hiprtcCompileProgram(stale, 0, NULL) == HIPRTC_ERROR_INVALID_PROGRAM &&
	           hiprtcGetCodeSize(NULL, &n) == HIPRTC_ERROR_INVALID_PROGRAM,
	   "a program is destroyed once");
	hiprtcCreateProgram(&p, "int f() { return unknown; }", "/no/such/f.cu", 0, NULL, NULL);
	ok(hiprtcCompileProgram(p, 0, NULL) == HIPRTC_ERROR_COMPILATION &&
	           strstr(log_of(p), "/no/such/f.cu:1:18: error:"),
	   "a program may have any name");
	hiprtcDestroyProgram(&p);
	p = created("");
	ok(hiprtcCompileProgram(p, 1, &no_option) == HIPRTC_ERROR_COMPILATION &&
	           strstr(log_of(p), "-no-such-option"),
	   "so is an option that there is not");
	hiprtcDestroyProgram(&p);
	ok(hiprtcCreateProgram(&p, "", NULL, 1, &text, &bad) == HIPRTC_ERROR_INVALID_INPUT &&
	           hiprtcCreateProgram(&p, NULL, NULL, 0, NULL, NULL) ==
	                   HIPRTC_ERROR_INVALID_INPUT &&
	           hiprtcCreateProgram(NULL, "", NULL, 0, NULL, NULL) ==
	                   HIPRTC_ERROR_INVALID_PROGRAM,
	   "a header stays in its folder, and a program needs a source");
	int major = 0, minor = 9;
	ok(hiprtcVersion(&major, &minor) == HIPRTC_SUCCESS && major == 9 && !minor &&
	           !strcmp(hiprtcGetErrorString(HIPRTC_ERROR_COMPILATION),
	                   "HIPRTC_ERROR_COMPILATION") &&
	           !hiprtcGetErrorString((hiprtcResult)99),
	   "it has a version, and errors their names");
}

/* ---- linking ---- */

typedef struct mx_link *link_t;
enum { PTX = 1, BITCODE = 100, SPIRV = 103, ERROR_LINKING = 100 };
hiprtcResult hiprtcGetBitcodeSize(hiprtcProgram p, size_t *bytes);
hiprtcResult hiprtcGetBitcode(hiprtcProgram p, char *code);
hiprtcResult hiprtcLinkCreate(unsigned n, int *options, void **values, link_t *link);
hiprtcResult hiprtcLinkAddData(link_t link, int type, void *data, size_t bytes, const char *name,
                               unsigned n, int *options, void **values);
hiprtcResult hiprtcLinkComplete(link_t link, void **code, size_t *bytes);
hiprtcResult hiprtcLinkDestroy(link_t link);
hipError_t hipLinkCreate(unsigned n, int *options, void **values, link_t *link);
hipError_t hipLinkAddFile(link_t link, int type, const char *path, unsigned n, int *options,
                          void **values);
hipError_t hipLinkComplete(link_t link, void **code, size_t *bytes);
hipError_t hipLinkDestroy(link_t link);

/* free() it. */
static char *bitcode_of(const char *source, size_t *bytes) {
	const char *rdc = "-fgpu-rdc";
	size_t none;
	char *code = NULL;
	hiprtcProgram p = created(source);
	*bytes = 0;
	if (hiprtcCompileProgram(p, 1, &rdc) == HIPRTC_SUCCESS &&
	    hiprtcGetBitcodeSize(p, bytes) == HIPRTC_SUCCESS && (code = malloc(*bytes)))
		hiprtcGetBitcode(p, code);
	else
		diag("%s", log_of(p));
	if (hiprtcGetCodeSize(p, &none) != HIPRTC_ERROR_INVALID_PROGRAM)
		diag("a program of bitcode has code");
	hiprtcDestroyProgram(&p);
	return code;
}

static void run_linked(void *code) {
	hipModule_t m;
	hipFunction_t f;
	int32_t *out = device_bytes(4), result = 0;
	must(hipModuleLoadData(&m, code));
	must(hipModuleGetFunction(&f, m, "caller"));
	must(hipModuleLaunchKernel(f, 1, 1, 1, 1, 1, 1, 0, NULL, (void *[]){ &out }, NULL));
	must(hipMemcpy(&result, out, 4, hipMemcpyDeviceToHost));
	ok(result == 42, "a kernel calls a function of another program that it was linked with");
	must(hipModuleUnload(m));
	must(hipFree(out));
}

static void test_link(void) {
	size_t bytes[2] = { 0 }, n;
	link_t link, alone, stale;
	void *code;
	char *a = bitcode_of("extern __device__ int twice(int);\n"
	                     "extern \"C\" __global__ void caller(int *p) { *p = twice(21); }\n",
	                     &bytes[0]);
	char *b = bitcode_of("__device__ int twice(int x) { return 2 * x; }\n", &bytes[1]);
	hiprtcLinkCreate(0, NULL, NULL, &link);
	hiprtcLinkAddData(link, BITCODE, a, bytes[0], "a", 0, NULL, NULL);
	hiprtcLinkAddData(link, BITCODE, b, bytes[1], "b", 0, NULL, NULL);
	if (ok(hiprtcLinkComplete(link, &code, &n) == HIPRTC_SUCCESS, "bitcode is linked"))
		run_linked(code);
	else
		diag("%s", mxhipErrorDetail());
	stale = link;
	ok(hiprtcLinkDestroy(link) == HIPRTC_SUCCESS &&
	           hiprtcLinkDestroy(stale) == HIPRTC_ERROR_INVALID_PROGRAM &&
	           hipLinkComplete(stale, &code, &n) == hipErrorInvalidHandle,
	   "a link is destroyed once");
	hiprtcLinkCreate(0, NULL, NULL, &alone);
	hiprtcLinkAddData(alone, BITCODE, a, bytes[0], "a", 0, NULL, NULL);
	ok((int)hiprtcLinkComplete(alone, &code, &n) == ERROR_LINKING &&
	           strstr(mxhipErrorDetail(), "twice"),
	   "a function that is nowhere is an error, which names it");
	hiprtcLinkDestroy(alone);
	free(a);
	free(b);
}

/* ROCm/hip-tests, catch/unit/module/hipLinkCreate.cc */
static void test_link_errors(void) {
	link_t link;
	int cuda_only = 3;
	void *value = NULL, *code;
	size_t n;
	ok(hipLinkCreate(0, NULL, NULL, NULL) == hipErrorInvalidValue &&
	           hipLinkCreate(1, &cuda_only, NULL, &link) == hipErrorInvalidValue &&
	           hipLinkCreate(1, &cuda_only, &value, &link) == hipErrorInvalidValue,
	   "a link takes no options of CUDA");
	must(hipLinkCreate(0, NULL, NULL, &link));
	ok(hipLinkAddFile(NULL, BITCODE, "x", 0, NULL, NULL) == hipErrorInvalidHandle &&
	           hipLinkAddFile(link, PTX, "x", 0, NULL, NULL) == hipErrorInvalidValue &&
	           hipLinkAddFile(link, BITCODE, "/no/such", 0, NULL, NULL) ==
	                   hipErrorInvalidConfiguration &&
	           hipLinkAddFile(link, SPIRV, "/no/such", 0, NULL, NULL) ==
	                   hipErrorInvalidConfiguration &&
	           hipLinkAddFile(link, SPIRV, "/proc/self/exe", 0, NULL, NULL) ==
	                   hipErrorInvalidValue &&
	           hipLinkComplete(link, &code, &n) == hipErrorInvalidValue,
	   "nor PTX, nor SPIR-V, nor a file that is not there, nor nothing");
	must(hipLinkDestroy(link));
}

int main(void) {
	if (system("sh ci/package/llvm.sh >/dev/null 2>&1")) {
		printf("1..0 # SKIP no clang 20 or newer\n");
		return 0;
	}
	test_program();
	test_errors();
	test_link();
	test_link_errors();
	return done_testing();
}
