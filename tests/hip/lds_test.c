/* Kernels that use LDS for more than loads and stores, compiled and run as any HIP program. */
#include "runtime_test.h"

enum { LANES = 64, GROUP = 256, SEEDS = 8 };

static hipModule_t module;
static size_t findings;

static void run(const char *name, unsigned threads, void **params) {
	hipFunction_t f;
	must(hipModuleGetFunction(&f, module, name));
	must(hipModuleLaunchKernel(f, 1, 1, 1, threads, 1, 1, 0, NULL, params, NULL));
	must(hipDeviceSynchronize());
	for (size_t i = 0; i < mxhipReport()->n_findings; i++)
		diag("%s", in_words(&mxhipReport()->findings[i]));
	findings += mxhipReport()->n_findings;
}

/* Launches with `bytes` of output, poisoned before, and `in`. */
static void launch(const char *name, unsigned threads, void *out, size_t bytes, void *in) {
	void *to = device_bytes(bytes);
	must(hipMemset(to, 0xee, bytes));
	run(name, threads, (void *[]){ &to, &in });
	must(hipMemcpy(out, to, bytes, hipMemcpyDeviceToHost));
	must(hipFree(to));
}

static void test_permute(void) {
	uint32_t in[LANES], out[3][LANES];
	unsigned wrong = 0;
	for (uint32_t l = 0; l < LANES; l++)
		in[l] = 1000 + 7 * l;
	void *from = device_copy(in, sizeof in);
	launch("permute", LANES, out, sizeof out, from);
	for (unsigned l = 0; l < LANES; l++)
		wrong += out[0][l] != in[l ^ 16] || out[1][l] != in[63 - l] ||
		         out[2][l] != in[(l + 63) % 64];
	ok(!wrong, "swizzle, backward and forward permute");
	must(hipFree(from));
}

/* ---- atomics ---- */

struct histogram {
	uint32_t bins[16], most, least, odd, sum, wide[2], unused[10], list[GROUP];
};

static int by_value(const void *a, const void *b) {
	uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
	return (x > y) - (x < y);
}

static void count(struct histogram *h, const uint32_t in[GROUP]) {
	float sum = 0;
	uint64_t wide = 0;
	memset(h, 0, sizeof *h);
	h->least = ~0u;
	for (unsigned i = 0; i < GROUP; i++) {
		h->bins[in[i] % 16]++;
		h->most = in[i] > h->most ? in[i] : h->most;
		h->least = in[i] < h->least ? in[i] : h->least;
		wide += (uint64_t)in[i] << 20;
		sum += (float)(in[i] % 4096);
		if (in[i] % 2)
			h->list[h->odd++] = in[i];
	}
	memcpy(&h->sum, &sum, sizeof sum);
	memcpy(h->wide, &wide, sizeof wide);
	qsort(h->list, h->odd, 4, by_value);
}

static void test_histogram(void) {
	uint32_t in[GROUP];
	struct histogram want, got;
	unsigned right = 0;
	for (uint32_t i = 0; i < GROUP; i++)
		in[i] = i * 2654435761u >> 8;
	count(&want, in);
	void *from = device_copy(in, sizeof in);
	for (unsigned i = 1; i <= SEEDS; i++) {
		with_options(.seed = i);
		launch("histogram", GROUP, &got, sizeof got, from);
		if (got.odd <= GROUP)
			qsort(got.list, got.odd, 4, by_value);
		right += !memcmp(&got, &want, offsetof(struct histogram, unused)) &&
		         !memcmp(got.list, want.list, 4 * want.odd);
	}
	if (!ok(right == SEEDS, "four waves' atomics on integers, floats and 64 bits"))
		diag("%u of %u seeds; odd %u, want %u", right, SEEDS, got.odd, want.odd);
	must(hipFree(from));
}

static void test_lock(void) {
	unsigned right = 0;
	for (unsigned i = 1; i <= SEEDS; i++) {
		uint32_t out;
		with_options(.seed = i);
		launch("locked", GROUP, &out, sizeof out, NULL);
		right += out == 1 + 2 + 3 + 4;
	}
	ok(right == SEEDS, "a lock by compare-and-swap lets one wave in at a time");
}

/* ---- transposing reads ---- */

/* Integers up to 7 as f16 [IEEE 754]: products and sums are exact. */
static uint16_t half(unsigned v) {
	static const uint16_t halves[] = {
		0, 0x3c00, 0x4000, 0x4200, 0x4400, 0x4500, 0x4600, 0x4700
	};
	return halves[v];
}

static void test_product(void) {
	enum { M = 16, N = 16, K = 32 };
	uint16_t a[M][K], b[K][N];
	unsigned x[M][K], y[K][N], wrong = 0;
	float d[M][N];
	for (unsigned k = 0; k < K; k++)
		for (unsigned i = 0; i < M; i++) {
			a[i][k] = half(x[i][k] = (i * 5 + k * 3 + i * k) % 8);
			b[k][i] = half(y[k][i] = (i * 3 + k * 7 + i * k / 5) % 8);
		}
	void *from_a = device_copy(a, sizeof a), *from_b = device_copy(b, sizeof b);
	void *to = device_bytes(sizeof d);
	run("product", LANES, (void *[]){ &to, &from_a, &from_b });
	must(hipMemcpy(d, to, sizeof d, hipMemcpyDeviceToHost));
	for (unsigned i = 0; i < M; i++)
		for (unsigned j = 0; j < N; j++) {
			unsigned sum = 0;
			for (unsigned k = 0; k < K; k++)
				sum += x[i][k] * y[k][j];
			wrong += d[i][j] != (float)sum;
		}
	ok(!wrong, "B row-major in LDS, read transposed, is the operand of an MFMA");
	must(hipFree(to));
	must(hipFree(from_a));
	must(hipFree(from_b));
}

int main(void) {
	must(hipModuleLoad(&module, built("tests/hip/lds.gpu.co")));
	test_permute();
	test_histogram();
	test_lock();
	test_product();
	ok(!findings, "nothing to report of any of them");
	must(hipModuleUnload(module));
	return done_testing();
}
