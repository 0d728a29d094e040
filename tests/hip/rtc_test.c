/* hiprtc: kernels that are compiled from strings, and run. */
#include "runtime_test.h"

#include <sys/stat.h>
#include <unistd.h>

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
	const char *bad = "../outside.h", *text = "", *no_option = "-no-such-option",
		   *null = NULL;
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
	ok(hiprtcCompileProgram(p, 1, &null) == HIPRTC_ERROR_INVALID_INPUT,
	   "an option may not be NULL");
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
hipError_t hipLinkAddData(link_t link, int type, void *data, size_t bytes, const char *name,
                          unsigned n, int *options, void **values);
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
	ok(hipLinkAddData(NULL, BITCODE, NULL, 0, "x", 0, NULL, NULL) == hipErrorInvalidValue &&
	           hipLinkComplete(NULL, NULL, NULL) == hipErrorInvalidValue &&
	           hipLinkComplete(NULL, &code, &n) == hipErrorInvalidHandle,
	   "wrong data are an invalid value, a wrong link an invalid handle");
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

/* ---- the prelude ---- */

static const char prelude[] =
	"extern \"C\" __global__ __launch_bounds__(64, 2) void parts(int *out) {\n"
	"	int i = threadIdx.x, n = 0;\n"
	"	auto put = [&](int value) { out[64 * n++ + i] = value; };\n"
	"	put(__shfl(i, 5, 8));\n"
	"	put(__shfl_up(i, 3, 16));\n"
	"	put(__shfl_down((double)i, 3, 16));\n"
	"	put(__shfl_xor((short)i, 33));\n"
	"	put(__popcll(__ballot(i % 3 == 0)));\n"
	"	put(__any(i == 63) + 2 * __all(i < 63));\n"
	"	put(__syncthreads_count(i > 9) + 100 * __syncthreads_or(i == 1)\n"
	"	    + 200 * __syncthreads_and(i != 1));\n"
	"	put(__clz(i) + 100 * __ffs(i));\n"
	"	put(atomicInc((unsigned *)out + 4096, 9) < 10);\n"
	"	put(atomicOr(out + 4097, 1u << i % 32) >> 30 & 0);\n"
	"	int4 v = make_int4(i, 2, 3, 4) * 2 + int4(1, 0, 0, 1);\n"
	"	v.y <<= 2;\n"
	"	put(v == int4(2 * i + 1, 16, 6, 9) && sizeof(float3) == 12 && alignof(double2) == 16);\n"
	"}\n";

static int parts_wanted(int row, int i) {
	int in_16 = i % 16, wanted[] = {
		i / 8 * 8 + 5,
		in_16 < 3 ? i : i - 3,
		in_16 > 12 ? i : i + 3,
		i ^ 33,
		22,
		1,
		154,
		(i ? __builtin_clz((unsigned)i) : 32) + 100 * __builtin_ffs(i),
		1,
		0,
		1,
	};
	return wanted[row];
}

static void test_prelude(void) {
	enum { ROWS = 11 };
	int host[4098] = { 0 }, *out = device_copy(host, sizeof host);
	hiprtcProgram p = created(prelude);
	hipFunction_t f;
	if (!ok(hiprtcCompileProgram(p, 0, NULL) == HIPRTC_SUCCESS, "shuffles, votes, vectors"))
		diag("%s", log_of(p));
	hipModule_t m = loaded(p);
	must(hipModuleGetFunction(&f, m, "parts"));
	must(hipModuleLaunchKernel(f, 1, 1, 1, 64, 1, 1, 0, NULL, (void *[]){ &out }, NULL));
	ok(!mxhipReport()->n_findings, "run without a finding");
	must(hipMemcpy(host, out, sizeof host, hipMemcpyDeviceToHost));
	for (int row = 0; row < ROWS; row++)
		for (int i = 0; i < 64; i++)
			if (host[64 * row + i] != parts_wanted(row, i)) {
				ok(false, "row %d of lane %d: %d, not %d", row, i,
				   host[64 * row + i], parts_wanted(row, i));
				i = 64;
			}
	ok(host[4096] == 4 && host[4097] == -1, "and atomics have HIP's results");
	ok(hipModuleLaunchKernel(f, 1, 1, 1, 65, 1, 1, 0, NULL, (void *[]){ &out }, NULL) ==
	           hipErrorLaunchFailure,
	   "a workgroup beyond __launch_bounds__ is a launch failure");
	must(hipModuleUnload(m));
	hiprtcDestroyProgram(&p);
	must(hipFree(out));
}

static void test_managed(void) {
	hiprtcProgram p = created("__managed__ int x = 10;\n"
	                          "extern \"C\" __global__ void up() { x++; }\n");
	hipFunction_t f;
	hipDeviceptr_t x;
	size_t bytes;
	int value = 0;
	if (!ok(hiprtcCompileProgram(p, 0, NULL) == HIPRTC_SUCCESS, "a managed variable"))
		diag("%s", log_of(p));
	hipModule_t m = loaded(p);
	must(hipModuleGetFunction(&f, m, "up"));
	must(hipModuleLaunchKernel(f, 1, 1, 1, 1, 1, 1, 0, NULL, NULL, NULL));
	must(hipModuleGetGlobal(&x, &bytes, m, "x"));
	must(hipMemcpyDtoH(&value, x, 4));
	ok(value == 11 && bytes == 4, "is counted up by a kernel of its module, and read by name");
	must(hipModuleUnload(m));
	hiprtcDestroyProgram(&p);
}

/* A header in a folder beside the program, and each way to name it. */
static void test_include(void) {
	static const char *const ways[][2] = { { "-Iinc", "" }, { "-I ./inc", "" }, { "-I", "inc" } };
	char folder[] = "/tmp/mx-rtc-XXXXXX", here[4096];
	must(getcwd(here, sizeof here) && mkdtemp(folder) && !chdir(folder) && !mkdir("inc", 0700)
	             ? hipSuccess
	             : hipErrorUnknown);
	FILE *f = fopen("inc/ours.h", "w");
	fputs("#define OURS 1\n", f);
	fclose(f);
	unsigned good = 0;
	for (unsigned i = 0; i < COUNT(ways); i++) {
		hiprtcProgram p = created("#include \"ours.h\"\nstatic_assert(OURS == 1, \"\");\n");
		const char *options[] = { ways[i][0], ways[i][1] };
		good += hiprtcCompileProgram(p, options[1][0] ? 2 : 1, options) == HIPRTC_SUCCESS;
		hiprtcDestroyProgram(&p);
	}
	ok(good == COUNT(ways), "-I is relative to the program's folder");
	ok(!remove("inc/ours.h") && !rmdir("inc") && !chdir(here) && !rmdir(folder),
	   "and nothing else is left there");
}

/* A compiler that compiles nothing, where MXCHECK_LLVM names it after another one was found. */
static void test_other_compiler(void) {
	char folder[] = "/tmp/mx-rtc-XXXXXX", command[512];
	must(mkdtemp(folder) ? hipSuccess : hipErrorUnknown);
	snprintf(command, sizeof command,
	         "cd %s && printf '#!/bin/sh\ncase $1 in -dump*|--print-targets) echo 99.1 amdgcn;; "
	         "*) exit 1;; esac\n' >clang && touch ld.lld llvm-readelf && chmod +x *",
	         folder);
	must(system(command) ? hipErrorUnknown : hipSuccess);
	const char *was = getenv("MXCHECK_LLVM");
	hiprtcProgram p = created(""), q = created("");
	setenv("MXCHECK_LLVM", folder, 1);
	hiprtcResult with = hiprtcCompileProgram(p, 0, NULL);
	was ? setenv("MXCHECK_LLVM", was, 1) : unsetenv("MXCHECK_LLVM");
	hiprtcResult without = hiprtcCompileProgram(q, 0, NULL);
	ok(with == HIPRTC_ERROR_COMPILATION && without == HIPRTC_SUCCESS,
	   "MXCHECK_LLVM counts at each compilation");
	hiprtcDestroyProgram(&p);
	hiprtcDestroyProgram(&q);
	snprintf(command, sizeof command, "rm -r %s", folder);
	must(system(command) ? hipErrorUnknown : hipSuccess);
}

int main(void) {
	if (system("sh ci/package/llvm.sh >/dev/null 2>&1")) {
		printf("1..0 # SKIP no clang 20 or newer\n");
		return 0;
	}
	setenv("MXHIP_RTC_PREFIX", "", 1); /* not AMD's prelude, where it is installed */
	test_program();
	test_errors();
	test_link();
	test_link_errors();
	test_prelude();
	test_managed();
	test_include();
	test_other_compiler();
	return done_testing();
}
