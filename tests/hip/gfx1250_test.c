/* Kernels of clang for gfx1250 on an emulated gfx1250, and what the runtime refuses there. */
#include "runtime_test.h"

enum { GROUP = 256, N = 64 };

static hipModule_t module;

static void run(const char *name, unsigned x, unsigned y, void **params) {
	hipFunction_t f;
	must(hipModuleGetFunction(&f, module, name));
	must(hipModuleLaunchKernel(f, x, y, 1, GROUP, 1, 1, 0, NULL, params, NULL));
	must(hipDeviceSynchronize());
}

static size_t n_findings(void) {
	return mxhipReport()->n_findings;
}

static void show_findings(void) {
	for (size_t i = 0; i < n_findings(); i++)
		diag("%s", in_words(&mxhipReport()->findings[i]));
}

static void test_saxpy(void) {
	enum { ITEMS = 3 * GROUP - 5 };
	static float x[ITEMS], y[ITEMS], got[ITEMS];
	float a = 0.5f;
	unsigned n = ITEMS, wrong = 0;
	for (unsigned i = 0; i < ITEMS; i++) {
		x[i] = (float)i;
		y[i] = 3.0f - (float)i;
	}
	void *dx = device_copy(x, sizeof x), *dy = device_copy(y, sizeof y);
	run("saxpy", 3, 1, (void *[]){ &dy, &dx, &a, &n });
	must(hipMemcpy(got, dy, sizeof got, hipMemcpyDeviceToHost));
	for (unsigned i = 0; i < ITEMS; i++)
		wrong += got[i] != y[i] + a * x[i];
	ok(!wrong && !n_findings(), "saxpy of %u, in waves of 32", ITEMS);
	show_findings();
}

static void test_reverse(void) {
	static float x[2 * GROUP], got[2 * GROUP];
	unsigned wrong = 0;
	for (unsigned i = 0; i < 2 * GROUP; i++)
		x[i] = (float)(7 * i);
	void *from = device_copy(x, sizeof x), *to = device_bytes(sizeof x);
	run("reverse", 2, 1, (void *[]){ &to, &from });
	must(hipMemcpy(got, to, sizeof got, hipMemcpyDeviceToHost));
	for (unsigned i = 0; i < 2 * GROUP; i++)
		wrong += got[i] != x[i / GROUP * GROUP + GROUP - 1 - i % GROUP];
	ok(!wrong && !n_findings(), "LDS and a barrier that is signalled and waited for");
	show_findings();
}

static void test_exchange(void) {
	static uint32_t two[2 * GROUP];
	unsigned wrong = 0;
	void *to = device_bytes(sizeof two);
	run("exchange", 1, 1, (void *[]){ &to });
	must(hipMemcpy(two, to, sizeof two, hipMemcpyDeviceToHost));
	for (unsigned i = 0; i < GROUP; i++)
		wrong += two[2 * i] != 1000 + i || two[2 * i + 1] != i;
	ok(!wrong, "two operations in one instruction exchange registers");
	show_findings();
}

static void test_gemm(void) {
	static float a[N][N], b[N][N], c[N][N];
	unsigned wrong = 0, n = N;
	for (unsigned i = 0; i < N; i++)
		for (unsigned j = 0; j < N; j++) {
			a[i][j] = (float)(int)(i * 5 + j * 3) - 100.0f;
			b[i][j] = (float)(int)(j * 7 % 11 + i % 5) - 4.0f;
		}
	void *da = device_copy(a, sizeof a), *db = device_copy(b, sizeof b);
	void *dc = device_bytes(sizeof c);
	run("gemm", N / 16, N / 16, (void *[]){ &dc, &da, &db, &n });
	must(hipMemcpy(c, dc, sizeof c, hipMemcpyDeviceToHost));
	for (unsigned i = 0; i < N; i++)
		for (unsigned j = 0; j < N; j++) {
			float sum = 0; /* of integers: no order rounds */
			for (unsigned k = 0; k < N; k++)
				sum += a[i][k] * b[k][j];
			wrong += c[i][j] != sum;
		}
	ok(!wrong && !n_findings(), "a GEMM of tiles in LDS");
	show_findings();
}

static bool finds(const char *text) {
	for (size_t i = 0; i < n_findings(); i++)
		if (strstr(in_words(&mxhipReport()->findings[i]), text))
			return true;
	return false;
}

static void test_order(void) {
	static float x[GROUP];
	void *from = device_copy(x, sizeof x), *to = device_bytes(sizeof x);
	run("no_barrier", 1, 1, (void *[]){ &to, &from });
	if (!ok(finds("no s_barrier_signal, s_barrier_wait after that wave's wait"),
	        "a missing barrier is a race in LDS"))
		show_findings();
	run("no_wait", 1, 1, (void *[]){ &to, &from });
	if (!ok(finds("no s_wait_dscnt 0 before its s_barrier_signal"),
	        "a barrier that is signalled before the store is over is one, too"))
		show_findings();
}

static void test_device(void) {
	hipDeviceProp_t p;
	hipModule_t other;
	must(hipGetDeviceProperties(&p, 0));
	ok(p.warpSize == 32 && !strcmp(p.gcnArchName, "gfx1250") &&
	           p.sharedMemPerBlock == 320 * 1024,
	   "the device is a gfx1250");
	ok(hipModuleLoad(&other, built("tests/hip/lds.gpu.co")) == hipErrorNoBinaryForGpu,
	   "code for gfx950 is refused");
}

int main(void) {
	setenv("MXHIP_ARCH", "gfx1250", 1);
	must(hipModuleLoad(&module, built("tests/hip/gfx1250.gpu.co")));
	with_options(.analysis = MX_ANALYSE_ORDER);
	test_saxpy();
	test_reverse();
	test_exchange();
	test_gemm();
	test_device();
	test_order();
	done_testing();
	return 0;
}
