/* Exact sums of scaled integers and their one rounding to f32.
 *
 * A sum that provably fits 127 bits is computed in __int128 and rounded here. Any other sum is a
 * GMP integer in the smallest unit, and MPFR rounds it. */
#include "inside.h"

#include <gmp.h>
#include <mpfr.h>

typedef unsigned __int128 u128;

enum { F32_DIGITS = 24, F32_MIN_EXP = -149, F32_MAX_LSB = 104, F32_INF = 0x7f800000 };

static u128 magnitude(__int128 x) {
	return x < 0 ? -(u128)x : (u128)x;
}

/* 0 < x < 2^width(x) */
static int width(u128 x) {
	uint64_t high = x >> 64, low = x;
	if (high)
		return 128 - __builtin_clzll(high);
	return low ? 64 - __builtin_clzll(low) : 0;
}

/* Unit in the last place of an f32 with 2^(top-1) <= |x| < 2^top, as an exponent. */
static int f32_lsb(int top) {
	int lsb = top - F32_DIGITS;
	return lsb < F32_MIN_EXP ? F32_MIN_EXP : lsb;
}

/* q * 2^lsb, q <= 2^24. The leading bit of q adds one to the exponent field. This makes subnormals
 * and a carry into the next binade correct. */
static uint32_t f32_bits(bool negative, int lsb, uint32_t q) {
	uint32_t sign = negative ? 0x80000000 : 0;
	if (lsb > F32_MAX_LSB)
		return sign | F32_INF;
	return sign | (((uint32_t)(lsb - F32_MIN_EXP) << (F32_DIGITS - 1)) + q);
}

/* x / 2^shift to the nearest integer, ties to even; x <= 2^127. */
static uint32_t divide_rne(u128 x, int shift) {
	if (shift <= 0)
		return (uint32_t)x << -shift;
	if (shift > 127)
		return 0; /* at most one half */
	u128 half = (u128)1 << (shift - 1);
	u128 rest = x & (2 * half - 1);
	uint32_t q = x >> shift;
	return q + (rest > half || (rest == half && q & 1));
}

uint32_t exact_round(struct exact_term t) {
	if (!t.sig)
		return 0;
	u128 x = magnitude(t.sig);
	int lsb = f32_lsb(width(x) + t.exp);
	return f32_bits(t.sig < 0, lsb, divide_rne(x, lsb - t.exp));
}

/* The smallest unit of the nonzero terms, and the exponent that bounds them all. */
static bool range(const struct exact_term *t, size_t n, int *low, int *high) {
	bool any = false;
	for (size_t i = 0; i < n; i++) {
		if (!t[i].sig)
			continue;
		int top = t[i].exp + width(magnitude(t[i].sig));
		*low = !any || t[i].exp < *low ? t[i].exp : *low;
		*high = !any || top > *high ? top : *high;
		any = true;
	}
	return any;
}

static void add_shifted(mpz_t sum, mpz_t scratch, __int128 sig, unsigned shift) {
	u128 x = magnitude(sig);
	uint64_t words[2] = { x, x >> 64 };
	mpz_import(scratch, 2, -1, sizeof *words, 0, 0, words);
	mpz_mul_2exp(scratch, scratch, shift);
	(sig < 0 ? mpz_sub : mpz_add)(sum, sum, scratch);
}

/* Rounds to an integer in units of the last place of f32. This leaves MPFR's exponent range, which
 * is global state, unchanged. */
static uint32_t round_wide(const mpz_t z, int exp) {
	if (!mpz_sgn(z))
		return 0;
	int bits = mpz_sizeinbase(z, 2), lsb = f32_lsb(bits + exp);
	mpfr_t x;
	mpfr_init2(x, bits < MPFR_PREC_MIN ? MPFR_PREC_MIN : bits);
	mpfr_set_z_2exp(x, z, exp - lsb, MPFR_RNDN); /* exact */
	mpfr_abs(x, x, MPFR_RNDN);
	uint32_t q = mpfr_get_ui(x, MPFR_RNDN);
	mpfr_clear(x);
	return f32_bits(mpz_sgn(z) < 0, lsb, q);
}

uint32_t exact_sum_wide(const struct exact_term *t, size_t n) {
	int low, high;
	if (!range(t, n, &low, &high))
		return 0;
	mpz_t sum, scratch;
	mpz_inits(sum, scratch, NULL);
	for (size_t i = 0; i < n; i++)
		if (t[i].sig)
			add_shifted(sum, scratch, t[i].sig, t[i].exp - low);
	uint32_t result = round_wide(sum, low);
	mpz_clears(sum, scratch, NULL);
	return result;
}

uint32_t exact_sum(const struct exact_term *t, size_t n) {
	int low, high;
	if (!range(t, n, &low, &high))
		return 0;
	/* n < 2^width(n) terms, each below 2^(high-low) units */
	if (high - low + width(n) > 127)
		return exact_sum_wide(t, n);
	__int128 sum = 0;
	for (size_t i = 0; i < n; i++)
		if (t[i].sig)
			sum += t[i].sig * ((__int128)1 << (t[i].exp - low));
	return exact_round((struct exact_term){ sum, low });
}

/* The sum rounded to nearest; if it is even and not exact, it is moved to the odd neighbour. The
 * rest is scaled up, so that it does not round to zero. */
uint32_t exact_sum_odd(struct exact_term *t, size_t n) {
	enum { UP = 400 };
	uint32_t sum = exact_sum(t, n), magnitude = sum & 0x7fffffff;
	uint32_t exp = magnitude >> 23, sig = (magnitude & 0x7fffff) | (exp ? 0x800000 : 0);
	if (magnitude == F32_INF)
		return sum - 1;
	for (size_t i = 0; i < n; i++)
		t[i].exp += UP;
	t[n] = (struct exact_term){ sum >> 31 ? (int32_t)sig : -(int32_t)sig,
		                    (exp ? (int)exp : 1) - 150 + UP };
	uint32_t rest = exact_sum(t, n + 1);
	if (!rest || sum & 1)
		return sum;
	if (!magnitude)
		return (rest & 0x80000000) | 1;
	return (sum ^ rest) >> 31 ? sum - 1 : sum + 1;
}
