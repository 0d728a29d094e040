/* Element codes: their fields, their values, and packed arrays of them. */
#include "f32.h"

#include <strings.h>

static const struct mx_format_info formats[MX_FORMATS] = {
#define MX_FORMAT(id, bits, exp, man, bias, specials, cbsz)                                        \
	[cbsz] = { #id, bits, exp, man, bias, MX_##specials },
#include "formats.def"
#undef MX_FORMAT
};

#define MX_FORMAT(id, bits, exp, man, bias, specials, cbsz)                                        \
	_Static_assert((int)MX_##id == (cbsz), "mxref.h and formats.def agree");
#include "formats.def"
#undef MX_FORMAT

const struct mx_format_info *mx_format_info(mx_format f) {
	return (unsigned)f < MX_FORMATS ? &formats[f] : NULL;
}

bool mx_format_by_name(const char *name, mx_format *f) {
	for (int i = 0; i < MX_FORMATS; i++)
		if (!strcasecmp(name, formats[i].name)) {
			*f = i;
			return true;
		}
	return false;
}

static unsigned ones(unsigned bits) {
	return (1u << bits) - 1;
}

/* Codes without sign are in the order of their values, then infinity, then NaN. */
static unsigned max_finite(const struct mx_format_info *t) {
	switch (t->specials) {
	case MX_NAN_ONLY: return ones(t->bits - 1) - 1;
	case MX_IEEE: return (ones(t->exp_bits) << t->man_bits) - 1;
	case MX_FINITE: break;
	}
	return ones(t->bits - 1);
}

struct mx_unpacked mx_elem_unpack(mx_format f, mx_elem code) {
	const struct mx_format_info *t = &formats[f];
	unsigned magnitude = code.v & ones(t->bits - 1);
	unsigned field = magnitude >> t->man_bits, man = magnitude & ones(t->man_bits);
	struct mx_unpacked u = { .negative = code.v >> (t->bits - 1) & 1 };
	if (magnitude > max_finite(t)) {
		u.kind = t->specials == MX_IEEE && man == 0 ? MX_INF : MX_NAN;
	} else {
		u.sig = field ? man | 1u << t->man_bits : man;
		u.exp = (int)(field ? field : 1) - t->bias - t->man_bits;
	}
	return u;
}

mx_f32 mx_elem_to_f32(mx_format f, mx_elem code) {
	struct mx_unpacked u = mx_elem_unpack(f, code);
	uint32_t sign = u.negative ? MX_F32_SIGN : 0;
	switch (u.kind) {
	case MX_INF: return (mx_f32){ MX_F32_INF | sign };
	case MX_NAN: return (mx_f32){ MX_F32_NAN | sign };
	case MX_NUMBER: break;
	}
	return mx_f32_round(u.negative, u.sig, u.exp);
}

/* The magnitude that stands for NaN; E5M2's is the quiet one. */
static unsigned nan_code(const struct mx_format_info *t) {
	switch (t->specials) {
	case MX_NAN_ONLY: return ones(t->bits - 1);
	case MX_IEEE: return ones(t->exp_bits + 1) << (t->man_bits - 1);
	case MX_FINITE: break;
	}
	return max_finite(t);
}

mx_elem mx_elem_from_f32(mx_format f, mx_f32 x) {
	const struct mx_format_info *t = &formats[f];
	uint64_t code = max_finite(t);
	if (mx_f32_magnitude(x) > MX_F32_INF) {
		code = nan_code(t);
	} else if (mx_f32_magnitude(x) < MX_F32_INF) {
		int exp_min = 1 - t->bias - t->man_bits;
		uint64_t nearest =
			mx_round_code(mx_f32_sig(x), mx_f32_exp(x), t->man_bits, exp_min);
		code = nearest < code ? nearest : code;
	}
	return (mx_elem){ code | (x.v >> 31) << (t->bits - 1) };
}

/* An element lies in at most two bytes; the second is touched only if it does. */
mx_elem mx_elem_get(mx_format f, const uint8_t *packed, size_t i) {
	unsigned bits = formats[f].bits, shift = i * bits % 8;
	const uint8_t *at = packed + i * bits / 8;
	unsigned window = shift + bits > 8 ? at[0] | at[1] << 8 : at[0];
	return (mx_elem){ window >> shift & ones(bits) };
}

void mx_elem_set(mx_format f, uint8_t *packed, size_t i, mx_elem code) {
	unsigned bits = formats[f].bits, shift = i * bits % 8;
	uint8_t *at = packed + i * bits / 8;
	unsigned mask = ones(bits) << shift, value = (unsigned)code.v << shift & mask;
	at[0] = (at[0] & ~mask) | value;
	if (shift + bits > 8)
		at[1] = (at[1] & ~(mask >> 8)) | value >> 8;
}

size_t mx_packed_bytes(mx_format f, size_t n) {
	unsigned bits = formats[f].bits;
	return n / 8 * bits + (n % 8 * bits + 7) / 8;
}
