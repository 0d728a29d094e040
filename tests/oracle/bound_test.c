/* The derived bound: results of every profile are inside it, those with a faulty block outside. */
#include "../../oracle/exact/exact.h"
#include "../tap.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_K = 8192, SIDE = 32 };

static uint64_t state = 11;
static uint32_t next(void) {
	state = state * 6364136223846793005u + 1442695040888963407u;
	return (uint32_t)(state >> 33);
}

static void must(enum exact_status status) {
	need(status == EXACT_OK, exact_strerror(status));
}

struct problem {
	uint8_t a[SIDE * MAX_K], b[SIDE * MAX_K], sa[SIDE * MAX_K / 32], sb[SIDE * MAX_K / 32];
	struct exact_gemm g;
};

static struct problem *p;

/* Without NaN and infinities of the FP8 formats. */
static uint8_t finite_code(const char *format) {
	uint8_t code = (uint8_t)next();
	if (!strcmp(format, "E4M3") && (code & 0x7f) == 0x7f)
		return code & 0x8a;
	if (!strcmp(format, "E5M2") && (code & 0x7f) >= 0x7c)
		return code & 0x83;
	return code;
}

static uint8_t general_scale(void) {
	return (uint8_t)(127 - 6 + next() % 13);
}

static uint8_t special_scale(void) {
	static const uint8_t extremes[] = { 0x00, 0x01, 0xfe, 0xfd };
	if (next() % 2000 == 0)
		return 0xff;
	return next() % 4 ? general_scale() : extremes[next() % 4];
}

static void make(const char *a, const char *b, size_t side, size_t k, bool special) {
	for (size_t i = 0; i < side * k; i++) {
		bool any = special && next() % 4096 == 0;
		p->a[i] = any ? (uint8_t)next() : finite_code(a);
		p->b[i] = any ? (uint8_t)next() : finite_code(b);
	}
	for (size_t i = 0; i < side * k / 32; i++) {
		p->sa[i] = special ? special_scale() : general_scale();
		p->sb[i] = special ? special_scale() : general_scale();
	}
	p->g = (struct exact_gemm){
		side, side, k, { a, p->a, p->sa, k, k / 32 }, { b, p->b, p->sb, k, k / 32 }
	};
}

static size_t outside(const struct exact_range *r, const char *format, const uint32_t *got,
                      size_t n, double *used) {
	size_t wrong = 0;
	for (size_t i = 0; i < n; i++) {
		uint32_t code;
		must(exact_encode(format, got[i], 0, EXACT_RNE, EXACT_OVERFLOW, 0, &code));
		wrong += !exact_range_has(&r[i], format, code);
		*used = fmax(*used, exact_range_used(&r[i], format, code));
	}
	return wrong;
}

/* ---- right results ---- */

static const char *const pairs[][2] = {
	{ "E2M1", "E2M1" }, { "E4M3", "E4M3" }, { "E5M2", "E4M3" },
	{ "E2M3", "E3M2" }, { "E5M2", "E5M2" }, { "E4M3", "E2M1" }
};

static void profiles_are_inside(size_t k, bool special) {
	static const char *const profiles[] = { "block32", "fused", "fma32", "cdna3" };
	static const char *const formats[] = { "FP32", "BF16", "FP16" };
	enum { N = 8 };
	for (unsigned i = 0; i < 4; i++) {
		size_t wrong = 0;
		double used[3] = { 0 };
		for (unsigned f = 0; f < sizeof pairs / sizeof *pairs; f++) {
			uint32_t out[N * N];
			struct exact_range r[N * N];
			make(pairs[f][0], pairs[f][1], N, k, special);
			must(exact_bound(&p->g, r));
			must(exact_profile(&p->g, profiles[i], 128, out));
			for (unsigned c = 0; c < 3; c++)
				wrong += outside(r, formats[c], out, N * N, &used[c]);
		}
		ok(!wrong, "%s is inside, K = %zu, %s data", profiles[i], k,
		   special ? "special" : "general");
		diag("of the bound %.2g in f32, %.2g in bf16, %.2g in f16", used[0], used[1],
		     used[2]);
	}
}

/* Chains of truncating f32 additions, in a bad order, and over many splits. */
static float cut(double x) {
	float f = (float)x;
	return fabs((double)f) > fabs(x) ? nextafterf(f, 0) : f;
}

static int by_magnitude(const void *a, const void *b) {
	double x = fabs(*(const double *)a), y = fabs(*(const double *)b);
	return (x < y) - (x > y);
}

static void bad_chains_are_inside(void) {
	enum { K = 4096 };
	static double a[K], b[K], product[K];
	double used = 0;
	size_t wrong = 0;
	for (int round = 0; round < 200; round++) {
		struct exact_range r;
		make("E4M3", "E4M3", 1, K, false);
		for (size_t i = 0; i < K; i++) { /* one sign: losses do not cancel */
			p->a[i] &= 0x7f;
			p->b[i] &= 0x7f;
		}
		must(exact_bound(&p->g, &r));
		must(exact_dequantise(&p->g.a, 1, K, a));
		must(exact_dequantise(&p->g.b, 1, K, b));
		for (size_t i = 0; i < K; i++)
			product[i] = a[i] * b[i];
		qsort(product, K, sizeof *product, by_magnitude);
		float sum[4] = { 0 };
		for (size_t i = 0; i < K; i++)
			sum[i % 4] = cut((double)sum[i % 4] + product[i]);
		float all = cut((double)cut((double)sum[0] + (double)sum[1]) +
		                (double)cut((double)sum[2] + (double)sum[3]));
		uint32_t bits;
		memcpy(&bits, &all, sizeof bits);
		wrong += outside(&r, "FP32", &bits, 1, &used);
	}
	ok(!wrong && used > 0.01,
	   "four truncating chains, largest product first, are inside; they use %.2g of the bound",
	   used);
}

/* A datapath may align a subnormal factor like the smallest normal. A product of two subnormals is
 * small, but other products lose large bits to its alignment. The first product is of this kind;
 * the 32 others are below the last aligned place and are cut off. */
static void put(uint8_t *codes, unsigned bits, size_t i, unsigned code) {
	for (unsigned b = 0; b < bits; b++)
		codes[(i * bits + b) / 8] |= (code >> b & 1) << (i * bits + b) % 8;
}

static void subnormals_are_inside(void) {
	static const struct {
		const char *format;
		unsigned bits, other; /* other: the code of 1.25 */
		int smallest, normal; /* exponents: of code 1, and of the smallest normal */
	} t[] = {
		{ "E4M3", 8, 0x3a, -9, -6 },
		{ "E5M2", 8, 0x3d, -16, -14 },
		{ "E2M3", 6, 0x0a, -3, 0 },
		{ "E3M2", 6, 0x0d, -4, -2 },
	};
	for (size_t f = 0; f < sizeof t / sizeof *t; f++) {
		uint8_t codes[64] = { 0 }, one[2] = { 127, 127 };
		uint8_t scales[2] = { 127, (uint8_t)(127 + 2 * t[f].normal - 25) };
		struct exact_range r;
		put(codes, t[f].bits, 0, 1);
		for (size_t i = 32; i < 64; i++)
			put(codes, t[f].bits, i, t[f].other);
		must(exact_bound(&(struct exact_gemm){ 1,
		                                       1,
		                                       64,
		                                       { t[f].format, codes, scales, 64, 2 },
		                                       { t[f].format, codes, one, 64, 2 } },
		                 &r));
		float left = ldexpf(1, 2 * t[f].smallest);
		uint32_t bits;
		memcpy(&bits, &left, sizeof bits);
		ok(r.sum > (double)left && exact_range_has(&r, "FP32", bits),
		   "%s: sums that lose products to the alignment of a subnormal one are inside",
		   t[f].format);
	}
}

/* ---- wrong results ---- */

static size_t broken(const struct exact_gemm *right, const struct exact_gemm *wrong, double *used) {
	static uint32_t out[SIDE * SIDE];
	static struct exact_range r[SIDE * SIDE];
	must(exact_bound(right, r));
	must(exact_product(wrong, out));
	return outside(r, "FP32", out, SIDE * SIDE, used);
}

/* Clears blocks of a row of A: they are missing from the product. */
static void drop(const char *format, uint8_t *a, size_t k, size_t row, size_t block, size_t n) {
	size_t bytes = strcmp(format, "E2M1") ? 32 : 16;
	memset(a + row * k + block * bytes, 0, n * bytes);
}

static void faults_are_outside(const char *format, size_t k) {
	static uint8_t a[SIDE * MAX_K], sa[SIDE * MAX_K / 32];
	double used = 0;
	make(format, format, SIDE, k, false);
	struct exact_gemm g = p->g;
	g.a.codes = a;
	g.a.scales = sa;
	memcpy(sa, p->sa, sizeof sa);
	memcpy(a, p->a, sizeof a);
	for (size_t row = 0; row < SIDE; row++)
		drop(format, a, k, row, k / 64, 1);
	size_t n = broken(&p->g, &g, &used);
	ok(n > 0,
	   "%s, K = %zu: a dropped block breaks %zu elements of %d, up to %.2g times the bound",
	   format, k, n, SIDE * SIDE, used);
	memcpy(a, p->a, sizeof a);
	for (size_t row = 0; row < SIDE; row++)
		drop(format, a, k, row, k / 32 - 8, 8);
	n = broken(&p->g, &g, &used);
	ok(n > SIDE * SIDE / 10, "%s, K = %zu: a dropped step of 256 breaks %zu", format, k, n);
	memcpy(a, p->a, sizeof a);
	for (size_t row = 0; row < SIDE; row++)
		memmove(sa + row * k / 32 + 3, sa + row * k / 32 + 4, 1);
	n = broken(&p->g, &g, &used);
	ok(n > 0, "%s, K = %zu: the scale of the next block breaks %zu", format, k, n);
}

/* ---- special results ---- */

static bool one(const char *format, uint8_t a, uint8_t sa, uint8_t b, uint8_t sb, const char *out,
                uint32_t code) {
	uint8_t x[64] = { a, a }, y[64] = { b, b | 0x80 }, s[2] = { sa, sa }, t[2] = { sb, sb };
	struct exact_gemm g = { 1, 1, 32, { format, x, s, 32, 1 }, { format, y, t, 32, 1 } };
	struct exact_range r;
	if (code & 1u << 31) /* one product alone */
		x[1] = 0;
	must(exact_bound(&g, &r));
	return exact_range_has(&r, out, code & 0x7fffffff);
}

#define ALONE (1u << 31)

static void specials(void) {
	ok(one("E4M3", 0x7f, 127, 0x38, 127, "FP32", 0x7fc00000) &&
	           !one("E4M3", 0x7f, 127, 0x38, 127, "FP32", 0),
	   "a NaN element makes only NaN");
	ok(one("E4M3", 0x38, 0xff, 0, 127, "FP32", 0x7fc00000 | ALONE),
	   "so does a NaN scale, also for a zero");
	ok(one("E5M2", 0x7c, 127, 0x3c, 127, "FP32", 0x7f800000 | ALONE) &&
	           !one("E5M2", 0x7c, 127, 0x3c, 127, "FP32", 0x7f7fffff | ALONE),
	   "an infinite product is infinite");
	ok(one("E5M2", 0x7c, 127, 0x3c, 127, "FP32", 0x7fc00000) &&
	           !one("E5M2", 0x7c, 127, 0x3c, 127, "FP32", 0x7f800000),
	   "infinities of both signs are NaN");
	ok(one("E4M3", 0x38, 200, 0x38, 200, "FP32", 0x7f800000 | ALONE) &&
	           !one("E4M3", 0x38, 200, 0x38, 200, "FP32", 0x7f7fffff | ALONE),
	   "a product of 2^146 overflows");
	ok(one("E4M3", 0x38, 200, 0x38, 200, "FP32", 0x7fc00000) &&
	           one("E4M3", 0x38, 200, 0x38, 200, "FP32", 0),
	   "2^146 - 2^146 may be zero, an infinity or NaN");
	ok(one("E4M3", 0x38, 127, 0, 127, "FP32", 0 | ALONE) &&
	           !one("E4M3", 0x38, 127, 0, 127, "FP32", 1 | ALONE),
	   "a sum of zeros is +0");
	ok(one("E4M3", 0x78, 127, 0x78, 127, "FP16", 0x7c00 | ALONE) &&
	           !one("E4M3", 0x78, 127, 0x78, 127, "FP16", 0x7bff | ALONE),
	   "65536 is infinite in f16");
}

/* One product of 2.25 * 2^-8 in bf16: the rounding of the store is part of the rules. */
static void stores(void) {
	uint8_t x[32] = { 0x39, 0x39 }, y[32] = { 0x38, 0x01 }, s = 127;
	struct exact_gemm g = { 1, 1, 32, { "E4M3", x, &s, 32, 1 }, { "E4M3", y, &s, 32, 1 } };
	struct exact_range r;
	must(exact_bound(&g, &r)); /* 1.125 * (1 + 2^-9) = 1.127197... */
	ok(exact_range_has(&r, "BF16", 0x3f90) && !exact_range_has(&r, "BF16", 0x3f91) &&
	           !exact_range_has(&r, "BF16", 0x3f8f),
	   "a bf16 store rounds to nearest even: its neighbours are outside");
}

int main(void) {
	p = calloc(1, sizeof *p);
	for (size_t k = 256; k <= MAX_K; k *= k < 2048 ? 2 : 4) {
		if (k <= 2048)
			profiles_are_inside(k, false);
		faults_are_outside("E2M1", k);
		faults_are_outside("E4M3", k);
	}
	profiles_are_inside(256, true);
	profiles_are_inside(1024, true);
	bad_chains_are_inside();
	subnormals_are_inside();
	specials();
	stores();
	free(p);
	return done_testing();
}
