/* The wide accumulator: addition and the one rounding. */
#include "wide.h"
#include "../num/f32.h"

#define INLINE static inline __attribute__((always_inline))

/* limb += v * 2^bit. */
INLINE void add(uint64_t *limb, unsigned limbs, __int128 v, unsigned bit) {
	unsigned at = bit / 64, shift = bit % 64;
	uint64_t sign = v < 0 ? UINT64_MAX : 0;
	unsigned __int128 low = (unsigned __int128)v << shift;
	/* Bits 128 to 191 of v << shift. */
	uint64_t top = shift ? (uint64_t)(v >> 64 >> (64 - shift)) : sign;
	uint64_t part[3] = { low, low >> 64, top };
	unsigned carry = 0;
	for (unsigned i = at; i < limbs; i++) {
		unsigned __int128 sum = (unsigned __int128)limb[i] + carry;
		sum += i - at < 3 ? part[i - at] : sign;
		limb[i] = sum;
		carry = sum >> 64;
		/* Sign and carry cancel in all higher limbs. */
		if (i - at >= 2 && carry == (sign & 1))
			break;
	}
}

void mx_wide_add(struct mx_wide *w, __int128 v, int exp) {
	add(w->limb, MX_WIDE_LIMBS, v, exp - MX_WIDE_EXP);
}

void mx_wide_f64_add(struct mx_wide_f64 *w, __int128 v, int exp) {
	add(w->limb, MX_WIDE_F64_LIMBS, v, exp - MX_WIDE_F64_EXP);
}

bool mx_wide_is_zero(const struct mx_wide *w) {
	uint64_t any = 0;
	for (unsigned i = 0; i < MX_WIDE_LIMBS; i++)
		any |= w->limb[i];
	return !any;
}

INLINE void negate(uint64_t *limb, unsigned limbs) {
	unsigned carry = 1;
	for (unsigned i = 0; i < limbs; i++) {
		limb[i] = ~limb[i] + carry;
		carry = carry && limb[i] == 0;
	}
}

/* mx_wide_number of limbs, which become the magnitude; *at is the exponent of bit 0 before. */
INLINE uint64_t number(uint64_t *limb, unsigned limbs, bool *negative, int *at) {
	*negative = limb[limbs - 1] >> 63;
	if (*negative)
		negate(limb, limbs);
	int i = (int)limbs - 1;
	while (i > 0 && !limb[i])
		i--;
	*at += 64 * i;
	uint64_t sig = limb[i];
	if (i > 0) {
		int room = __builtin_clzll(sig);
		uint64_t below = limb[--i];
		if (room)
			sig = sig << room | below >> (64 - room);
		sig |= (below << room) != 0;
		while (i-- > 0)
			sig |= limb[i] != 0;
		*at -= room;
	}
	return sig;
}

uint64_t mx_wide_number(const struct mx_wide *w, bool *negative, int *exp) {
	struct mx_wide m = *w;
	*exp = MX_WIDE_EXP;
	return number(m.limb, MX_WIDE_LIMBS, negative, exp);
}

uint64_t mx_wide_f64_number(const struct mx_wide_f64 *w, bool *negative, int *exp) {
	struct mx_wide_f64 m = *w;
	*exp = MX_WIDE_F64_EXP;
	return number(m.limb, MX_WIDE_F64_LIMBS, negative, exp);
}

mx_f32 mx_wide_round(const struct mx_wide *w) {
	bool negative;
	int exp;
	uint64_t sig = mx_wide_number(w, &negative, &exp);
	return mx_f32_round(negative, sig, exp);
}
