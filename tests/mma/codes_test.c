/* Every pair of codes and every pair of scales through the instruction: one product and
 * zeros, which all profiles give the same f32. */
#include "judge.h"

static const char *const profiles[] = { "block32", "fused", "fma32", "cdna3" };
enum { PROFILES = 4 };

static int codes(int f) {
	return 1 << specs[f].bits;
}

static uint32_t sum_with_zero(double product) {
	return isnan(product) ? NAN32 : product == 0 ? 0 : bits_of((float)product);
}

/* Codes from first_a in the rows times codes from first_b in the columns, at element k of K. */
static int wrong_codes(int fa, int fb, int first_a, int first_b, unsigned k, const char *profile) {
	struct wave w = { 0 };
	int wrong = 0;
	for (unsigned i = 0; i < 16; i++) {
		put(w.a, MX_16X16X128, fa, i, k, (first_a + i) % codes(fa));
		put(w.b, MX_16X16X128, fb, i, k, (first_b + i) % codes(fb));
	}
	memset(w.sa, 127, sizeof w.sa);
	memset(w.sb, 127, sizeof w.sb);
	struct mx_mma_args args = wave_args(profile, MX_16X16X128, fa, fb, &w);
	mx_mma_scaled(&args);
	for (unsigned lane = 0; lane < 64; lane++)
		for (unsigned r = 0; r < 4; r++) {
			int a = first_a + row_of(MX_16X16X128, lane, r), b = first_b + lane % 16;
			uint32_t want = sum_with_zero(decode(fa, a % codes(fa)) *
			                              decode(fb, b % codes(fb)));
			if (w.d[r][lane] != want && !wrong++)
				diag("%s x %s, codes %02x and %02x at k %u: got %08x, exact %08x",
				     specs[fa].name, specs[fb].name, a, b, k, w.d[r][lane], want);
		}
	return wrong;
}

static void test_codes(const char *profile) {
	int wrong = 0, n = 0;
	for (int pair = 0; pair < FORMATS * FORMATS; pair++) {
		int fa = pair / FORMATS, fb = pair % FORMATS;
		for (int a = 0; a < codes(fa); a += 16)
			for (int b = 0; b < codes(fb); b += 16, n += 256)
				if (!wrong)
					wrong = wrong_codes(fa, fb, a, b, (n / 256 * 37) % 128,
					                    profile);
	}
	ok(!wrong, "%s: all %d pairs of codes of all format pairs give the exact product", profile,
	   n);
}

/* 3 times 1/2 in E2M1, in block 1, at all scales. */
static int wrong_scales(int first_a, int first_b, const char *profile) {
	struct wave w = { 0 };
	int wrong = 0;
	for (unsigned i = 0; i < 16; i++) {
		put(w.a, MX_16X16X128, MX_E2M1, i, 45, 5);
		put(w.b, MX_16X16X128, MX_E2M1, i, 45, 1);
	}
	memset(w.sa, 127, sizeof w.sa);
	memset(w.sb, 127, sizeof w.sb);
	for (unsigned i = 0; i < 16; i++) {
		w.sa[16 + i] = first_a + i;
		w.sb[16 + i] = first_b + i;
	}
	struct mx_mma_args args = wave_args(profile, MX_16X16X128, MX_E2M1, MX_E2M1, &w);
	mx_mma_scaled(&args);
	for (unsigned lane = 0; lane < 64; lane++)
		for (unsigned r = 0; r < 4; r++) {
			int a = first_a + row_of(MX_16X16X128, lane, r), b = first_b + lane % 16;
			uint32_t want =
				a == 255 || b == 255 ? NAN32 : bits_of(ldexp(1.5, a + b - 254));
			if (w.d[r][lane] != want && !wrong++)
				diag("%s, scales %02x and %02x: got %08x, exact %08x", profile, a,
				     b, w.d[r][lane], want);
		}
	return wrong;
}

static void test_scales(const char *profile) {
	int wrong = 0;
	for (int a = 0; a < 256; a += 16)
		for (int b = 0; b < 256; b += 16)
			if (!wrong)
				wrong = wrong_scales(a, b, profile);
	ok(!wrong, "%s: all 65536 pairs of scales multiply 1.5, into subnormals, zero and infinity",
	   profile);
}

int main(void) {
	for (int i = 0; i < PROFILES; i++) {
		test_codes(profiles[i]);
		test_scales(profiles[i]);
	}
	return done_testing();
}
