/* The types of 16 and 8 bits in kernels of hiprtc; and AMD's prelude and headers in place of ours.
 */
#include "runtime_test.h"

#include <math.h>
#include <sys/stat.h>

#include <hip/hiprtc.h>

/* Expressions, in which v() is a float that the compiler does not know, and what they are by the
 * definitions of the formats: rounding to the nearest even, E4M3 to 448, E5M2 to 57344 [OCP MX]. */
static const struct {
	const char *text;
	double want;
} cases[] = {
	{ "__half(v(1)) + __half(v(0x1p-11))", 1 },
	{ "__half(v(1)) + __half(v(0x1.8p-10))", 0x1.008p0 },
	{ "__hdiv(__half(v(1)), __half(v(3)))", 0x1.554p-2 },
	{ "__hfma(__half(v(0x1.004p0)), __half(v(0x1.004p0)), __half(v(-0x1.008p0)))", 0x1p-20 },
	{ "__half2float(__float2half(v(65520)))", INFINITY },
	{ "__float2half(v(0x1.8p-25))", 0x1p-24 },
	{ "__half_as_ushort(__double2half(v(-2)))", 0xC000 },
	{ "__ushort_as_half(0x3555)", 0x1.554p-2 },
	{ "__hisnan(__hmul(__half(v(0)), __half(v(INFINITY))))", 1 },
	{ "__hmax(__half(v(NAN)), __half(v(-2)))", -2 },
	{ "__half(v(1)) < __half(v(NAN))", 0 },
	{ "__half(v(1)) <= __half(v(NAN))", 1 },
	{ "__hle(__half(v(1)), __half(v(NAN)))", 0 },
	{ "hsqrt(__half(v(2)))", 0x1.6ap0 },
	{ "hrint(__half(v(2.5f)))", 2 },
	{ "__half2int_rz(__half(v(-2.75f)))", -2 },
	{ "__low2float(__hfma2(p, p, __half2half2(__half(v(1)))))", 10 },
	{ "__high2float(p * p - p)", 20 },
	{ "__hbeq2(p, p) + 2 * __hblt2(p, __hneg2(p))", 1 },
	{ "__high2half(__lowhigh2highlow(p))", 3 },
	{ "__shfl(__half(v(7)), 0)", 7 },
	{ "__float2bfloat16(v(0x1.01p0))", 1 },
	{ "__float2bfloat16(v(0x1.03p0))", 0x1.04p0 },
	{ "__hip_bfloat16(v(256)) + __hip_bfloat16(v(1))", 256 },
	{ "__bfloat162float(__hip_bfloat16(v(3)) / __hip_bfloat16(v(7)))", 0x1.b6p-2 },
	{ "__hip_bfloat16(v(1)) <= __hip_bfloat16(v(NAN))", 0 },
	{ "__bfloat16_as_ushort(__hip_bfloat16(v(-1)))", 0xBF80 },
	{ "__low2float(__floats2bfloat162_rn(v(5), v(6)))", 5 },
	{ "__hip_fp8_e4m3(v(1.0625f))", 1 },
	{ "__hip_fp8_e4m3(v(1.0625f) + 1e-12)", 1.125 },
	{ "__hip_fp8_e4m3(v(1000)).__x", 0x7E },
	{ "__hip_fp8_e4m3(v(-INFINITY)).__x", 0xFF },
	{ "__hip_fp8_e5m2(__half(v(60000))).__x", 0x7B },
	{ "__hip_fp8_e5m2(__hip_bfloat16(v(0x1.8p-17)))", 0x1p-16 },
	{ "__hip_cvt_float_to_fp8(v(1e6f), __HIP_NOSAT, __HIP_E5M2)", 0x7C },
	{ "__hip_cvt_double_to_fp8(v(1) * 1e-40, __HIP_SATFINITE, __HIP_E4M3)", 0 },
	{ "float2(__hip_fp8x2_e5m2(float2(v(1.25f), v(-3)))).y", -3 },
	{ "float4(__hip_fp8x4_e4m3(float4(v(1), v(2), v(500), v(4)))).z", 448 },
	{ "__high2float(__half2(__hip_fp8x2_e4m3(p)))", 5 },
};

static const char head[] =
	"#include <hip/hip_runtime.h>\n#include <hip/hip_fp16.h>\n#include <hip/hip_bf16.h>\n"
	"#include <hip/hip_fp8.h>\n#define NAN __builtin_nanf(\"\")\n"
	"#define INFINITY __builtin_inff()\n"
	"extern \"C\" __global__ void types(double *out, const float *one) {\n"
	"	auto v = [=](float x) { return x * *one; };\n"
	"	__half2 p(v(3), v(5));\n";

static hiprtcResult compile(const char *source, hiprtcProgram *p) {
	hiprtcCreateProgram(p, source, "types.hip", 0, NULL, NULL);
	return hiprtcCompileProgram(*p, 0, NULL);
}

static void say_log(hiprtcProgram p) {
	static char text[1 << 16];
	size_t n = 0;
	if (hiprtcGetProgramLogSize(p, &n) == HIPRTC_SUCCESS && n && n < sizeof text &&
	    hiprtcGetProgramLog(p, text) == HIPRTC_SUCCESS)
		diag("%s", text);
}

static void run(hiprtcProgram p, double results[COUNT(cases)]) {
	static char code[1 << 20];
	float one = 1, *in = device_copy(&one, 4);
	double *out = device_bytes(sizeof cases);
	hipModule_t m;
	hipFunction_t f;
	must(hiprtcGetCode(p, code) == HIPRTC_SUCCESS ? hipSuccess : hipErrorUnknown);
	must(hipModuleLoadData(&m, code));
	must(hipModuleGetFunction(&f, m, "types"));
	must(hipModuleLaunchKernel(f, 1, 1, 1, 1, 1, 1, 0, NULL, (void *[]){ &out, &in }, NULL));
	must(hipMemcpy(results, out, sizeof *results * COUNT(cases), hipMemcpyDeviceToHost));
	must(hipModuleUnload(m));
}

static void test_types(void) {
	static char source[1 << 14];
	double results[COUNT(cases)] = { 0 };
	hiprtcProgram p;
	size_t n = (size_t)snprintf(source, sizeof source, "%s", head);
	for (size_t i = 0; i < COUNT(cases); i++)
		n += (size_t)snprintf(source + n, sizeof source - n, "	out[%zu] = (double)(%s);\n",
		                      i, cases[i].text);
	snprintf(source + n, sizeof source - n, "}\n");
	if (!ok(compile(source, &p) == HIPRTC_SUCCESS, "HIP's types of 16 and 8 bits are there")) {
		say_log(p);
		return;
	}
	run(p, results);
	for (size_t i = 0; i < COUNT(cases); i++)
		ok(results[i] == cases[i].want, "%s is %a: %a", cases[i].text, cases[i].want,
		   results[i]);
	hiprtcDestroyProgram(&p);
}

/* PyTorch defines operators of its own. */
static void test_own_operators(void) {
	const char *off[] = { "-D__HIP_NO_HALF_OPERATORS__=1", "-D__HIP_NO_HALF_CONVERSIONS__=1" };
	hiprtcProgram p;
	hiprtcCreateProgram(&p,
	                    "__device__ __half operator+(const __half &a, const __half &b) { "
	                    "return __hadd(a, b); }\n"
	                    "static_assert(!__is_convertible(__half, float));\n",
	                    "own.hip", 0, NULL, NULL);
	if (!ok(hiprtcCompileProgram(p, 2, off) == HIPRTC_SUCCESS,
	        "a program may have its own operators of __half"))
		say_log(p);
	hiprtcDestroyProgram(&p);
}

/* ---- AMD's prelude ---- */

/* A folder with a prelude, a header and empty device libraries, laid out as AMD's. */
static const char make_prefix[] =
	"cd '%s' && mkdir -p include/hip lib amdgcn/bitcode && echo '#define HEADER 1' "
	">include/hip/hip_fp8.h && printf '.section .rodata\\n.globl __hipRTC_header\\n"
	"__hipRTC_header: .ascii \"#define PRELUDE 1\\\\n\"\\n.globl __hipRTC_header_size\\n"
	"__hipRTC_header_size: .long 18\\n.section .note.GNU-stack\\n' >text.s && "
	"cc -shared -nostdlib text.s -o lib/libhiprtc-builtins.so.7 && "
	"\"$LLVM\"/clang --target=amdgcn-amd-amdhsa -x c -emit-llvm -c /dev/null -o none.bc && "
	"for o in daz_opt unsafe_math finite_only correctly_rounded_sqrt wavefrontsize64; do "
	"cp none.bc amdgcn/bitcode/oclc_${o}_on.bc; cp none.bc amdgcn/bitcode/oclc_${o}_off.bc; "
	"done && for l in ocml ockl hip opencl oclc_isa_version_950 oclc_abi_version_400 "
	"oclc_abi_version_500 oclc_abi_version_600; do cp none.bc amdgcn/bitcode/$l.bc; done";

static void test_prefix(void) {
	static const char with[] = "#include <hip/hip_fp8.h>\n"
				   "static_assert(PRELUDE == 1 && HEADER == 1, \"\");\n";
	char folder[] = "/tmp/mx-rtc-XXXXXX", command[2048];
	hiprtcProgram p, q;
	must(mkdtemp(folder) ? hipSuccess : hipErrorUnknown);
	snprintf(command, sizeof command, make_prefix, folder);
	must(system(command) ? hipErrorUnknown : hipSuccess);
	setenv("MXHIP_RTC_PREFIX", folder, 1);
	if (!ok(compile(with, &p) == HIPRTC_SUCCESS,
	        "MXHIP_RTC_PREFIX names AMD's prelude, headers and device libraries"))
		say_log(p);
	snprintf(command, sizeof command, "rm -r '%s/amdgcn'", folder);
	must(system(command) ? hipErrorUnknown : hipSuccess);
	ok(compile("static_assert(sizeof(__half) == 2, \"\");\n", &q) == HIPRTC_SUCCESS,
	   "of which all must be there");
	setenv("MXHIP_RTC_PREFIX", "", 1);
	hiprtcDestroyProgram(&p);
	hiprtcDestroyProgram(&q);
	snprintf(command, sizeof command, "rm -r '%s'", folder);
	must(system(command) ? hipErrorUnknown : hipSuccess);
}

int main(void) {
	char llvm[4096] = "";
	FILE *f = popen("sh ci/package/llvm.sh 2>/dev/null", "r");
	if (!f || !fgets(llvm, sizeof llvm, f) || pclose(f)) {
		printf("1..0 # SKIP no clang 20 or newer\n");
		return 0;
	}
	llvm[strcspn(llvm, "\n")] = 0;
	setenv("LLVM", llvm, 1);
	setenv("MXHIP_RTC_PREFIX", "", 1);
	test_types();
	test_own_operators();
	test_prefix();
	return done_testing();
}
