/* The wide accumulator: addition and the one rounding. */
#include "wide.h"
#include "../num/f32.h"

void mx_wide_add(struct mx_wide *w, __int128 v, int exp) {
	unsigned at = (exp - MX_WIDE_EXP) / 64, shift = (exp - MX_WIDE_EXP) % 64;
	uint64_t sign = v < 0 ? UINT64_MAX : 0;
	unsigned __int128 low = (unsigned __int128)v << shift;
	/* Bits 128 to 191 of v << shift. */
	uint64_t top = shift ? (uint64_t)(v >> 64 >> (64 - shift)) : sign;
	uint64_t part[3] = { low, low >> 64, top };
	unsigned carry = 0;
	for (unsigned i = at; i < MX_WIDE_LIMBS; i++) {
		unsigned __int128 sum = (unsigned __int128)w->limb[i] + carry;
		sum += i - at < 3 ? part[i - at] : sign;
		w->limb[i] = sum;
		carry = sum >> 64;
		/* Sign and carry cancel in all higher limbs. */
		if (i - at >= 2 && carry == (sign & 1))
			break;
	}
}

bool mx_wide_is_zero(const struct mx_wide *w) {
	uint64_t any = 0;
	for (unsigned i = 0; i < MX_WIDE_LIMBS; i++)
		any |= w->limb[i];
	return !any;
}

static struct mx_wide negated(const struct mx_wide *w) {
	struct mx_wide n;
	unsigned carry = 1;
	for (unsigned i = 0; i < MX_WIDE_LIMBS; i++) {
		n.limb[i] = ~w->limb[i] + carry;
		carry = carry && n.limb[i] == 0;
	}
	return n;
}

uint64_t mx_wide_number(const struct mx_wide *w, bool *negative, int *at) {
	*negative = w->limb[MX_WIDE_LIMBS - 1] >> 63;
	struct mx_wide m = *negative ? negated(w) : *w;
	int i = MX_WIDE_LIMBS - 1;
	while (i > 0 && !m.limb[i])
		i--;
	int exp = MX_WIDE_EXP + 64 * i;
	uint64_t sig = m.limb[i];
	if (i > 0) {
		int room = __builtin_clzll(sig);
		uint64_t below = m.limb[--i];
		if (room)
			sig = sig << room | below >> (64 - room);
		sig |= (below << room) != 0;
		while (i-- > 0)
			sig |= m.limb[i] != 0;
		exp -= room;
	}
	*at = exp;
	return sig;
}

mx_f32 mx_wide_round(const struct mx_wide *w) {
	bool negative;
	int exp;
	uint64_t sig = mx_wide_number(w, &negative, &exp);
	return mx_f32_round(negative, sig, exp);
}
