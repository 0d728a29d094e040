/* Exact numbers between formats: a code of any format to a number, and back, rounded once. */
#ifndef MX_NUMBER_H
#define MX_NUMBER_H

#include "f32.h"

/* Element formats and wider ones as rows of one table. */
enum mx_type {
#define MX_FORMAT(id, bits, exp, man, bias, specials, cbsz) MX_TYPE_##id = cbsz,
#include "formats.def"
#undef MX_FORMAT
#define MX_ELEMENT(id, bits, exp, man, bias, specials) MX_TYPE_##id = MX_##id,
#include "elements.def"
#undef MX_ELEMENT
	MX_TYPE_ELEMENTS = MX_ELEMENTS - 1,
#define MX_FLOAT(id, bits, exp, man, bias, specials) MX_TYPE_##id,
#include "floats.def"
#undef MX_FLOAT
	MX_TYPES
};
extern const struct mx_format_info mx_types[MX_TYPES];

static inline uint32_t mx_ones(unsigned bits) {
	return (UINT32_C(1) << bits) - 1;
}

/* +-sig * 2^exp, sig < 2^24. In a NaN, sig is the fraction at its place in f32. */
struct mx_number {
	int kind; /* of mx_unpacked */
	bool negative;
	uint32_t sig;
	int exp;
};

/* Codes without sign are in order: numbers, infinity, NaN. (In FNUZ the sign bit alone is NaN.) */
static inline uint32_t mx_max_finite(const struct mx_format_info *t) {
	switch (t->specials) {
	case MX_NAN_ONLY: return mx_ones(t->bits - 1) - 1;
	case MX_IEEE: return (mx_ones(t->exp_bits) << t->man_bits) - 1;
	case MX_FINITE:
	case MX_FNUZ:
	case MX_TWOS: break;
	}
	return mx_ones(t->bits - 1);
}

static inline bool mx_is_special(const struct mx_format_info *t, uint32_t code) {
	uint32_t sign = UINT32_C(1) << (t->bits - 1);
	return t->specials == MX_FNUZ ? code == sign : (code & (sign - 1)) > mx_max_finite(t);
}

/* Subnormals and zero have the exponent of the smallest subnormal. */
static inline struct mx_number mx_decode(const struct mx_format_info *t, uint32_t code) {
	uint32_t sign = code & UINT32_C(1) << (t->bits - 1),
		 magnitude = code & mx_ones(t->bits - 1);
	if (t->specials == MX_TWOS && sign)
		magnitude = sign - magnitude;
	uint32_t field = magnitude >> t->man_bits, man = magnitude & mx_ones(t->man_bits);
	struct mx_number x = { .negative = sign };
	if (mx_is_special(t, code)) {
		x.kind = t->specials == MX_IEEE && man == 0 ? MX_INF : MX_NAN;
		bool payload = t->specials == MX_IEEE && t->bits > 8;
		x.sig = payload ? man << (MX_F32_MAN - t->man_bits) : 0;
		x.negative = sign && t->specials != MX_FNUZ;
	} else {
		x.sig = field ? man | UINT32_C(1) << t->man_bits : man;
		x.exp = (int)(field ? field : 1) - t->bias - t->man_bits;
	}
	return x;
}

/* A quiet NaN. The wider formats keep the payload; an 8-bit format gets one NaN code. */
static inline uint32_t mx_nan_code(const struct mx_format_info *t, struct mx_number x) {
	uint32_t quiet = MX_F32_NAN & mx_ones(MX_F32_MAN);
	switch (t->specials) {
	case MX_NAN_ONLY: return mx_ones(t->bits - 1);
	case MX_IEEE:
		quiet |= t->bits > 8 ? x.sig : 0;
		return (mx_ones(t->exp_bits) << t->man_bits) | quiet >> (MX_F32_MAN - t->man_bits);
	case MX_FNUZ: return mx_ones(t->bits - 1) + 1;
	case MX_FINITE:
	case MX_TWOS: break;
	}
	return mx_max_finite(t);
}

/* A magnitude with its sign. In FNUZ, NaN and zero have one code each. */
static inline uint32_t mx_signed_code(const struct mx_format_info *t, uint32_t magnitude,
                                      bool negative) {
	uint32_t sign = mx_ones(t->bits - 1) + 1;
	if (t->specials == MX_FNUZ && (magnitude & (sign - 1)) == 0)
		return magnitude;
	if (t->specials == MX_TWOS && negative)
		return -magnitude & mx_ones(t->bits);
	return magnitude | (negative ? sign : 0);
}

/* x as a code; see mx_elem_encode for the arguments. */
static inline uint32_t mx_encode(const struct mx_format_info *t, struct mx_number x, mx_rounding r,
                                 mx_overflow o, uint32_t random) {
	uint32_t max = mx_max_finite(t);
	/* After the largest finite code comes infinity or, in E4M3 and FNUZ, NaN. */
	bool finite = t->specials == MX_FINITE || t->specials == MX_TWOS;
	uint64_t code = o == MX_SATURATE || finite ? max : max + 1;
	if (x.kind == MX_NAN) {
		code = mx_nan_code(t, x);
	} else if (x.kind == MX_NUMBER) {
		int exp_min = 1 - t->bias - t->man_bits;
		uint64_t rounded = mx_round_code_as(x.sig, x.exp, t->man_bits, exp_min, r, random);
		if (rounded <= max)
			code = rounded;
		else if (r == MX_RTZ)
			code = max;
	}
	return mx_signed_code(t, (uint32_t)code, x.negative);
}

/* A scale; its sig is below 16. The bits of its mantissa. */
struct mx_number mx_scale_number(mx_scale_format f, uint8_t code);
unsigned mx_scale_man_bits(mx_scale_format f);

static inline struct mx_number mx_number_of_f32(mx_f32 x) {
	return mx_decode(&mx_types[MX_TYPE_FP32], x.v);
}

#endif
