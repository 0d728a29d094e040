/* Rounding: an exact number as a code of a binary format with gradual underflow. */
#ifndef MX_ROUND_H
#define MX_ROUND_H

#include "../mxref.h"

/* sig / 2^n as an integer. MX_SR: sig < 2^32. */
static inline uint64_t mx_shift_round(uint64_t sig, unsigned n, mx_rounding r, uint32_t random) {
	if (n == 0)
		return sig;
	if (n > 64) /* less than a half; for MX_SR less than 2^-32 */
		return 0;
	uint64_t quotient = n < 64 ? sig >> n : 0;
	uint64_t rest = sig << (64 - n), half = UINT64_C(1) << 63; /* of 2^64 */
	switch (r) {
	case MX_RNE: return quotient + (rest > half || (rest == half && (quotient & 1)));
	case MX_RNA: return quotient + (rest >= half);
	case MX_RTZ: break;
	case MX_SR: return quotient + (((rest >> 32) + random) >> 32);
	}
	return quotient;
}

/* sig * 2^exp rounded to exponent field and man_bits of mantissa; the smallest
 * subnormal is 2^exp_min. There is no largest code: the caller compares with its own,
 * because codes are in the order of their values. For MX_RNE, bit 0 of a sig of at
 * least man_bits + 3 bits may be a sticky bit. */
static inline uint64_t mx_round_code_as(uint64_t sig, int exp, unsigned man_bits, int exp_min,
                                        mx_rounding r, uint32_t random) {
	if (!sig)
		return 0;
	int lead = 63 - __builtin_clzll(sig);
	int ulp = exp + lead - (int)man_bits;
	if (ulp < exp_min)
		ulp = exp_min;
	/* A left shift does not overflow: lead + shift <= man_bits. */
	uint64_t man = exp < ulp ? mx_shift_round(sig, ulp - exp, r, random) : sig << (exp - ulp);
	/* The hidden bit, present in all but subnormals, adds 1 to the exponent field. */
	return ((uint64_t)(ulp - exp_min) << man_bits) + man;
}

/* The same, to nearest even. */
static inline uint64_t mx_round_code(uint64_t sig, int exp, unsigned man_bits, int exp_min) {
	return mx_round_code_as(sig, exp, man_bits, exp_min, MX_RNE, 0);
}

#endif
