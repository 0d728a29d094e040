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

/* Limb i of the magnitude; `low` is the lowest that is not 0. */
INLINE uint64_t limb_of(const uint64_t *limb, unsigned i, unsigned low, uint64_t sign) {
	return (limb[i] ^ sign) + (i == low && sign);
}

/* mx_wide_number of limbs; *at is the exponent of bit 0 before. */
INLINE uint64_t number(const uint64_t *limb, unsigned limbs, bool *negative, int *at) {
	uint64_t sign = limb[limbs - 1] >> 63 ? UINT64_MAX : 0;
	unsigned low = 0, i = limbs - 1;
	*negative = sign;
	while (low < i && !limb[low])
		low++;
	while (i > low && limb[i] == sign)
		i--;
	uint64_t sig = limb_of(limb, i, low, sign);
	if (!sig || !i)
		return sig;
	int room = __builtin_clzll(sig);
	uint64_t below = i > low ? limb_of(limb, i - 1, low, sign) : 0;
	if (room)
		sig = sig << room | below >> (64 - room);
	*at += 64 * (int)i - room;
	return sig | (below << room || low + 1 < i);
}

uint64_t mx_wide_number(const struct mx_wide *w, bool *negative, int *exp) {
	*exp = MX_WIDE_EXP;
	return number(w->limb, MX_WIDE_LIMBS, negative, exp);
}

uint64_t mx_wide_f64_number(const struct mx_wide_f64 *w, bool *negative, int *exp) {
	*exp = MX_WIDE_F64_EXP;
	return number(w->limb, MX_WIDE_F64_LIMBS, negative, exp);
}

mx_f32 mx_wide_round(const struct mx_wide *w) {
	bool negative;
	int exp;
	uint64_t sig = mx_wide_number(w, &negative, &exp);
	return mx_f32_round(negative, sig, exp);
}
