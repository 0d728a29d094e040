/* Products with scales in E8M0, E5M3 and E4M3 for blocks of 16 and 32: oracle/exact by hand and
 * against libmxref, which shares no table with it, and the exact regime. */
#include "../../oracle/exact/exact.h"
#include "../../ref/mxref.h"
#include "../float_bits.h"
#include "../random.h"
#include "../tap.h"

#include <stdlib.h>

enum { M = 3, N = 4, K = 128, ROWS = M + N, PROFILES = 4 };

static uint64_t rng_state = 53;

static uint64_t rng(void) {
	return next_random(&rng_state);
}

static const char *const formats[] = { "E4M3", "E5M2", "E2M3", "E3M2", "E2M1" };
static const char *const scales[] = { "E8M0", "E5M3", "E4M3" };
static const char *const profiles[PROFILES] = { "block32", "fused", "fma32", "cdna3" };

/* M rows of A, then N of B. */
struct problem {
	struct mx_dot_operand of[2];
	mx_elem code[ROWS][K];
	uint8_t packed[ROWS][K], scale[ROWS][K / 16];
	struct exact_gemm g;
};

/* narrow: few bits, for the exact regime to hold now and then. */
static void draw(struct problem *p, bool narrow) {
	*p = (struct problem){ .g = { M, N, K } };
	for (unsigned side = 0; side < 2; side++) {
		mx_format f = narrow ? MX_E2M1 : rng() % MX_FORMATS;
		mx_scale_format s = rng() % MX_SCALE_FORMATS;
		unsigned block = rng() % 2 ? 16 : 32, bits = mx_format_info(f)->bits;
		unsigned first = side * M;
		p->of[side] = (struct mx_dot_operand){ f, NULL, s, block, NULL };
		*(side ? &p->g.b : &p->g.a) = (struct exact_operand){
			formats[f], p->packed[first], p->scale[first], K, K / 16, scales[s], block
		};
		for (unsigned row = first; row < (side ? ROWS : M); row++) {
			for (unsigned k = 0; k < K; k++) {
				p->code[row][k].v = rng() % (1u << bits);
				if (bits == 8 && rng() % 512)
					p->code[row][k].v &= 0xBF;
				mx_elem_set(f, p->packed[row], k, p->code[row][k]);
			}
			/* Near 1, which is 0x7F, 0x78 or 0x38. */
			for (unsigned i = 0; i < K / block; i++)
				p->scale[row][i] = !narrow && rng() % 64 == 0 ? rng()
				                   : s == MX_S_E8M0           ? 124 + rng() % 6
				                   : s == MX_S_E5M3           ? 0x60 + rng() % 48
				                                              : 0x20 + rng() % 48;
		}
	}
}

static uint32_t dot(struct problem *p, const mx_profile *profile, unsigned i, unsigned j) {
	struct mx_dot_operand a = p->of[0], b = p->of[1];
	mx_f32 d = { 0xBAD };
	a.codes = p->code[i], a.scales = p->scale[i];
	b.codes = p->code[M + j], b.scales = p->scale[M + j];
	mx_mma_block_dot(profile, K, &a, &b, (mx_f32){ 0 }, &d);
	return d.v;
}

static bool same(struct problem *p, const mx_profile *profile, const uint32_t *want) {
	for (unsigned i = 0; i < M * N; i++) {
		uint32_t got = dot(p, profile, i / N, i % N);
		if (got == want[i])
			continue;
		diag("%s, %s by %s/%u, %s by %s/%u: libmxref 0x%08X, oracle 0x%08X", profile->name,
		     p->g.a.format, p->g.a.scale, p->g.a.block, p->g.b.format, p->g.b.scale,
		     p->g.b.block, got, want[i]);
		return false;
	}
	return true;
}

static struct exact_member member_of(const mx_profile *p) {
	return (struct exact_member){
#define MX_FAMILY(field, ...) .field = p->field,
#include "../../ref/mma/family.def"
#undef MX_FAMILY
	};
}

static void test_products(void) {
	struct problem p;
	unsigned wrong = 0;
	uint32_t want[M * N], other[M * N];
	for (unsigned n = getenv("MXCHECK_LONG") ? 4000 : 150; n && !wrong; n--) {
		draw(&p, false);
		wrong += exact_product_plain(&p.g, EXACT_F32, want) || exact_product(&p.g, other) ||
		         memcmp(want, other, sizeof want) ||
		         !same(&p, mx_profile_by_name("fused"), want);
		for (unsigned i = 0; i < PROFILES && !wrong; i++) {
			const mx_profile *profile = mx_profile_by_name(profiles[i]);
			struct exact_member m = member_of(profile);
			wrong += exact_member_product(&p.g, &m, K, want) ||
			         exact_profile(&p.g, profiles[i], K, other) ||
			         memcmp(want, other, sizeof want) || !same(&p, profile, want);
		}
	}
	ok(!wrong, "random products, of one rounding and of four profiles, are those of libmxref");
}

/* Where the regime holds, every profile gives the exact product. */
static void test_regime(void) {
	struct problem p;
	unsigned tries = getenv("MXCHECK_LONG") ? 4000 : 200, held = 0, wrong = 0;
	uint32_t want[M * N];
	for (unsigned n = 0; n < tries && !wrong; n++) {
		bool holds = false;
		draw(&p, true);
		wrong += exact_regime(&p.g, &holds, NULL, 0) != EXACT_OK;
		held += holds;
		wrong += exact_product(&p.g, want) != EXACT_OK;
		for (unsigned i = 0; i < PROFILES && holds && !wrong; i++)
			wrong += !same(&p, mx_profile_by_name(profiles[i]), want);
	}
	ok(!wrong, "if the regime holds, four profiles give the exact product");
	if (!ok(held > tries / 10 && held < tries * 9 / 10, "the regime holds for some data"))
		diag("%u of %u", held, tries);
}

/* One row of A, 1 at k = 0 and at k = 16, and one of B of ones; scales of A. */
static bool holds_by_hand(const char *scale, uint8_t low, uint8_t high, uint32_t *product,
                          char why[100]) {
	static const uint8_t a[16] = { [0] = 2, [8] = 2 }, b[16] = { [0] = 2, [8] = 2 }, one = 127;
	const uint8_t s[2] = { low, high };
	const struct exact_gemm g = {
		1, 1, 32, { "E2M1", a, s, 16, 2, scale, 16 }, { "E2M1", b, &one, 16, 1 }
	};
	bool holds = false;
	need(!exact_regime(&g, &holds, why, 100) && !exact_product(&g, product), "by hand");
	return holds;
}

static void test_by_hand(void) {
	uint32_t d;
	char why[100];
	ok(holds_by_hand("E5M3", 0x7C, 0x81, &d, why) && d == bits_of(1.5f + 2.25f),
	   "E5M3: 1.5 + 2.25, each block by its own scale");
	ok(holds_by_hand("E4M3", 0x3A, 0xBC, &d, why) && d == bits_of(1.25f - 1.5f),
	   "E4M3: 1.25 - 1.5, a scale with its sign");
	ok(holds_by_hand("E5M3", 0x01, 0x47, &d, why) && d == bits_of(0x1p-17f + 1.875f * 0x1p-7f),
	   "the unit is that of the smallest scale");
	ok(holds_by_hand("E5M3", 0x40, 0xF8, &d, why) && d == bits_of(0x1p-7f + 0x1p16f),
	   "2^-7 + 2^16, 2^23 + 1 units, is exact: scales of 1.0 add no bits");
	ok(!holds_by_hand("E5M3", 0x01, 0xB8, &d, why) &&
	           strstr(why, "33554433 units, 2^24 or more"),
	   "2^-17 + 2^8, 2^25 + 1 units, is not exact: %s", why);
	ok(!holds_by_hand("E5M3", 0xFF, 0x78, &d, why) && d == 0x7FC00000 && strstr(why, "NaN"),
	   "a scale that is NaN is not exact: %s", why);
}

/* The sum of four products +-2^exp, one in each block of 16. */
static uint32_t sum_of_powers(const char *profile, const int exp[4], unsigned minus) {
	enum { BLOCK_BYTES = 8, ONE = 2, MINUS_ONE = 10 };
	uint8_t a[4 * BLOCK_BYTES] = { 0 }, b[4 * BLOCK_BYTES] = { 0 }, of_a[4], of_b[4];
	uint32_t d = 0;
	for (int i = 0; i < 4; i++) {
		int half = exp[i] >> 1;
		a[i * BLOCK_BYTES] = minus >> i & 1 ? MINUS_ONE : ONE;
		b[i * BLOCK_BYTES] = ONE;
		of_a[i] = (uint8_t)((half + 15) << 3);
		of_b[i] = (uint8_t)((exp[i] - half + 15) << 3);
	}
	const struct exact_gemm g = { 1,
		                      1,
		                      64,
		                      { "E2M1", a, of_a, sizeof a, 4, "E5M3", 16 },
		                      { "E2M1", b, of_b, sizeof b, 4, "E5M3", 16 } };
	need(!exact_profile(&g, profile, 64, &d), "powers of two");
	return d;
}

/* A result of 24 bits rounds the exact sum, which an f64 does not hold. */
static void test_wide_sums(void) {
	ok(sum_of_powers("block32", (int[]){ 30, 8, 6, -28 }, 0) == bits_of(0x1p30f + 0x1.8p8f),
	   "2^30 + 2^8 + (2^6 + 2^-28) rounds up");
	ok(sum_of_powers("block32", (int[]){ 30, 7, 6, -28 }, 8) == bits_of(0x1p30f + 0x1p7f),
	   "2^30 + 2^7 + (2^6 - 2^-28) rounds down");
	ok(sum_of_powers("fused", (int[]){ 32, -28, 32, -28 }, 4) == bits_of(0x1p-27f),
	   "2^32 + 2^-28 - 2^32 + 2^-28 is 2^-27");
}

static void test_refusals(void) {
	struct problem p;
	struct exact_check check;
	uint32_t d[M * N];
	double x[M * K];
	draw(&p, true);
	p.g.a.scale = "E5M3";
	p.g.b.scale = NULL, p.g.b.block = 32;
	ok(exact_freivalds(&p.g, d, N, 1, 1, &check) == EXACT_BAD_FORMAT &&
	           exact_dequantise(&p.g.a, M, K, x) == EXACT_BAD_FORMAT,
	   "functions of E8M0 alone refuse other scales");
	p.g.a.scale = "E6M2";
	ok(exact_product(&p.g, d) == EXACT_BAD_FORMAT, "no function takes an unknown scale");
	p.g.a.scale = "E5M3", p.g.a.block = 8;
	ok(exact_product(&p.g, d) == EXACT_BAD_FORMAT, "nor a block of 8");
}

int main(void) {
	test_by_hand();
	test_wide_sums();
	test_products();
	test_regime();
	test_refusals();
	return done_testing();
}
