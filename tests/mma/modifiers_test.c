/* ABS and NEG on C, and clamp. */
#include "judge.h"

static const char *const names[] = { "block32", "fused", "fma32", "cdna3" };
enum { PROFILES = 4 };

/* D[0][0] of zeros in A and B, with or without one product 1 * 1. */
static uint32_t from_c(uint32_t c, bool one, bool abs_c, bool neg_c) {
	struct wave w = { .c = { { c } } };
	memset(w.sa, 127, sizeof w.sa);
	memset(w.sb, 127, sizeof w.sb);
	put(w.a, 0, MX_E2M1, 0, 7, one ? 2 : 0);
	put(w.b, 0, MX_E2M1, 0, 7, one ? 2 : 0);
	struct mx_mma_args args = wave_args("block32", 0, MX_E2M1, MX_E2M1, &w);
	args.abs_c = abs_c;
	args.neg_c = neg_c;
	mx_mma_scaled(&args);
	return w.d[0][0];
}

static void check(uint32_t got, uint32_t want, const char *sentence) {
	if (!ok(got == want, "%s", sentence))
		diag("got %08x, want %08x", got, want);
}

static void test_c(void) {
	check(from_c(0xC0000000, true, false, false), 0xBF800000, "-2 + 1 is -1");
	check(from_c(0xC0000000, true, true, false), 0x40400000, "|-2| + 1 is 3");
	check(from_c(0xC0000000, true, false, true), 0x40400000, "-(-2) + 1 is 3");
	check(from_c(0xC0000000, true, true, true), 0xBF800000, "-|-2| + 1 is -1");
	check(from_c(0xFF800000, true, true, false), 0x7F800000, "|-infinity| + 1 is infinity");
	check(from_c(0xFFFFFFFF, true, true, true), NAN32, "the NaN 7fc00000 has no sign");
	check(from_c(0, false, false, true), 0, "-(0) plus products of +0 is +0");
}

/* Each product is factor * 2^scale, in a separate block. */
static uint32_t clamped(const char *profile, uint32_t c, int scale, double first, double second) {
	struct term t[] = { { 0, first, 1 }, { 32, second, 1 } };
	struct dot x = dot_of(MX_E5M2, MX_E5M2, 128, c, t, second ? 2 : 1);
	struct wave w;
	load_dot(&w, 0, &x);
	memset(w.sa, 127 + scale, sizeof w.sa);
	struct mx_mma_args args = wave_args(profile, 0, MX_E5M2, MX_E5M2, &w);
	args.clamp = true;
	mx_mma_scaled(&args);
	return w.d[0][0];
}

static void test_clamp(void) {
	for (int p = 0; p < PROFILES; p++) {
		const char *n = names[p];
		ok(clamped(n, 0, 120, 256, 0) == 0x7F7FFFFF,
		   "%s: clamp makes 2^128 the largest f32", n);
		ok(clamped(n, 0, 120, -256, 0) == 0xFF7FFFFF, "%s: and -2^128 its negative", n);
		ok(clamped(n, 0x7F7FFFFF, 120, 0x1p-7, 0) == 0x7F7FFFFF,
		   "%s: a sum that rounds past the largest f32 is clamped", n);
		ok(clamped(n, 0x7F800000, 120, 1, 0) == 0x7F800000,
		   "%s: an infinite accumulator stays with and without clamp", n);
		ok(clamped(n, 0, 0, INFINITY, 0) == 0x7F800000,
		   "%s: an infinite element stays with and without clamp", n);
		ok(clamped(n, 0xFF800000, 0, INFINITY, 0) == NAN32,
		   "%s: infinity - infinity stays NaN", n);
		ok(clamped(n, 0x3F800000, 0, 2, 0) == 0x40400000, "%s: 1 + 2 is not clamped", n);
	}
	check(clamped("block32", 0, 120, 256, -128), 0x7EFFFFFE,
	      "block32: clamped in one block, minus 2^127 in the next, is 2^127 - 2^104");
	check(clamped("fused", 0, 120, 256, -128), 0x7F000000, "fused: 2^128 - 2^127 is 2^127");
	check(clamped("cdna3", 0, 120, 256, -128), 0x7EFFFFFE,
	      "cdna3: a product of 2^128 is clamped in its step");
}

static void test_random(const char *profile) {
	int wrong = 0, off = 0, n = 0;
	for (int pair = 0; pair < FORMATS * FORMATS; pair++)
		for (int i = 1; i < 8; i++, n++) {
			struct wave w, plain;
			int shape = rng() % 8 == 0, fa = pair / FORMATS, fb = pair % FORMATS;
			random_wave(&w, fa, fb, any_regime());
			struct mx_mma_args args = wave_args(profile, shape, fa, fb, &w);
			args.abs_c = i & 1;
			args.neg_c = i & 2;
			args.clamp = i & 4;
			if (rng() % 12 == 0)
				wrong += first_difference(args) >= 0;
			mx_mma_scaled(&args);
			plain = w;
			for (unsigned r = 0; r < 16; r++)
				for (unsigned lane = 0; lane < 64; lane++) {
					uint32_t c =
						i & 1 ? w.c[r][lane] & 0x7FFFFFFF : w.c[r][lane];
					plain.c[r][lane] = i & 2 ? c ^ 0x80000000 : c;
				}
			args = wave_args(profile, shape, fa, fb, &plain);
			args.clamp = i & 4;
			mx_mma_scaled(&args);
			off += memcmp(w.d, plain.d, sizeof w.d) != 0;
		}
	ok(!wrong, "%s: with ABS, NEG and clamp, fast equals plain", profile);
	ok(!off, "%s: ABS and NEG equal the same change of C beforehand, %d times", profile, n);
}

int main(void) {
	test_c();
	test_clamp();
	for (int p = 0; p < PROFILES; p++)
		test_random(names[p]);
	return done_testing();
}
