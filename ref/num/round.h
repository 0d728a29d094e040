/* Rounding: an exact number as a code of a binary format with gradual underflow. */
#ifndef MX_ROUND_H
#define MX_ROUND_H

#include <stdint.h>

/* sig / 2^n, ties to even. */
static inline uint64_t mx_shift_rne(uint64_t sig, unsigned n) {
	if (n == 0)
		return sig;
	if (n > 64)
		return 0;
	uint64_t quotient = n < 64 ? sig >> n : 0;
	uint64_t rest = sig << (64 - n), half = UINT64_C(1) << 63;
	return quotient + (rest > half || (rest == half && (quotient & 1)));
}

/* sig * 2^exp, nearest even, as exponent field and man_bits of mantissa, where
 * the smallest subnormal is 2^exp_min. There is no largest code: the caller
 * compares with its own, since codes are in the order of their values. A bit
 * that stands for "something below" may be or-ed into bit 0 of a sig >= 2^63. */
static inline uint64_t mx_round_code(uint64_t sig, int exp, unsigned man_bits, int exp_min) {
	if (!sig)
		return 0;
	int lead = 63 - __builtin_clzll(sig);
	int ulp = exp + lead - (int)man_bits;
	if (ulp < exp_min)
		ulp = exp_min;
	/* Where sig is shifted left, it is short: lead + shift <= man_bits. */
	uint64_t man = exp < ulp ? mx_shift_rne(sig, ulp - exp) : sig << (exp - ulp);
	/* The hidden bit, present in all but subnormals, adds 1 to the exponent field. */
	return ((uint64_t)(ulp - exp_min) << man_bits) + man;
}

#endif
