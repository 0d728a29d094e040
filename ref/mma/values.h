/* Codes of consecutive lanes as vectors of floats, in vectors of the compiler. */
#ifndef MX_VALUES_H
#define MX_VALUES_H

#include "../mxref.h"
#include "../num/f32.h"

#include <string.h>

/* STRIP lanes, which are STRIP rows or columns. Only inlined functions pass vectors, so the ABI of
 * vectors does not matter. */
enum { STRIP = 8 };
#define VECTOR(T) T __attribute__((vector_size(STRIP * sizeof(T))))
typedef VECTOR(uint32_t) words;
typedef VECTOR(float) floats;
typedef VECTOR(int64_t) longs;
typedef VECTOR(double) doubles;

#define INLINE static inline __attribute__((always_inline))

/* Element j of STRIP lanes: from bit `shift` of one register, or of two. */
INLINE words strip_codes(unsigned bits, const uint32_t (*regs)[MX_LANES], unsigned lane,
                         unsigned j) {
	unsigned at = bits * j / 32, shift = bits * j % 32;
	words low, high = { 0 };
	memcpy(&low, &regs[at][lane], sizeof low);
	if (shift + bits > 32)
		memcpy(&high, &regs[at + 1][lane], sizeof high);
	return (low >> shift | high << 1 << (31 - shift)) & (UINT32_MAX >> (32 - bits));
}

/* Moves the fields to their places in a float. Exponent field 0 is then 2^-bias * 1.m
 * instead of 2^(1-bias) * 0.m; subtracting 2^-bias and doubling, both exact, corrects it. */
INLINE floats strip_values(const struct mx_format_info *t, words code) {
	uint32_t sign = 1u << (t->bits - 1), normal = 1u << t->man_bits;
	uint32_t special = t->specials == MX_FINITE     ? sign
	                   : t->specials == MX_NAN_ONLY ? sign - 1
	                                                : sign - normal;
	words magnitude = code & (sign - 1);
	words negative = code << (32 - t->bits) & MX_F32_SIGN;
	words subnormal = (words)(magnitude < normal);
	words field0 = ((words){ 0 } + (127 - t->bias)) << MX_F32_MAN;
	words x = field0 + (magnitude << (MX_F32_MAN - t->man_bits));
	floats twice = ((floats)x - (floats)field0) * 2;
	x = (x & ~subnormal) | ((words)twice & subnormal);
	return (floats)(x | ((words)(magnitude >= special) & MX_F32_INF) | negative);
}

/* ---- bits of doubles ----
 *
 * Masks by arithmetic, of numbers from 0 to INT64_MAX: GCC makes a comparison of such wide vectors
 * element by element. */

#define F64_INF INT64_C(0x7FF0000000000000)

INLINE longs magnitude(doubles x) {
	return (longs)x & INT64_MAX;
}

INLINE longs nonzero(longs x) {
	return -x >> 63;
}

INLINE longs below(longs x, longs bound) {
	return (x - bound) >> 63;
}

/* x, or its neighbour on the side of the error if x is even and not exact. NaN is no error. */
INLINE doubles to_odd(doubles x, doubles error) {
	longs inexact =
		nonzero(magnitude(error)) & below(magnitude(error), (longs){ 0 } + F64_INF + 1);
	longs even = ((longs)x & 1) - 1, away = ~(((longs)error ^ (longs)x) >> 63) & 2;
	return (doubles)((longs)x + ((away - 1) & inexact & even));
}

#endif
