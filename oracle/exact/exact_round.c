/* Single values: the code of a number in a format, from the values of the format's codes, and the
 * boundaries of codes on the axis of f32.
 *
 * Doubles are exact here. Values of codes and of f32 have at most 24 bits. The middle of two
 * neighbours and the difference of a number and a neighbouring value have at most 25, and a
 * threshold of stochastic rounding has 11 + 32. Exponents lie within -850 and 830, and
 * multiplication by a power of two is exact in that range. */
#include "exact.h"

#include <math.h>
#include <string.h>

/* Magnitudes: largest finite code, result of overflow, NaN. [OCP MX v1.0, 5.3; OFP8, table 1; IEEE
 * 754-2019, 3.4] E5M3 is a scale without a sign (PTX: ue5m3); the sign here is a ninth bit. */
static const struct format {
	const char *name;
	int bits, man, bias;
	uint32_t max, over, nan;
} formats[] = {
	{ "E2M1", 4, 1, 1, 7, 7, 7 },
	{ "E2M3", 6, 3, 1, 31, 31, 31 },
	{ "E3M2", 6, 2, 3, 31, 31, 31 },
	{ "E4M3", 8, 3, 7, 0x7e, 0x7f, 0x7f },
	{ "E5M2", 8, 2, 15, 0x7b, 0x7c, 0x7e },
	{ "E5M3", 9, 3, 15, 0xfe, 0xff, 0xff },
	{ "FP16", 16, 10, 15, 0x7bff, 0x7c00, 0x7e00 },
	{ "BF16", 16, 7, 127, 0x7f7f, 0x7f80, 0x7fc0 },
	{ "FP32", 32, 23, 127, 0x7f7fffff, 0x7f800000, 0x7fc00000 },
};
enum { FORMATS = sizeof formats / sizeof *formats };

#define F32_INF 0x7f800000u

/* Most calls are for the format of the call before. */
static const struct format *find(const char *name) {
	static _Thread_local const struct format *last = &formats[0];
	if (!name || !strcmp(name, last->name))
		return name ? last : NULL;
	for (int i = 0; i < FORMATS; i++)
		if (!strcmp(name, formats[i].name))
			return last = &formats[i];
	return NULL;
}

/* 2^exp as a normal double. */
static double power_of_two(int exp) {
	uint64_t bits = (uint64_t)(exp + 1023) << 52;
	double power;
	memcpy(&power, &bits, sizeof power);
	return power;
}

/* The value of a magnitude; exponents continue above the largest code. */
static double value(const struct format *f, uint32_t magnitude) {
	int exp = magnitude >> f->man, man = magnitude & ((1u << f->man) - 1);
	return exp ? (man + (1 << f->man)) * power_of_two(exp - f->bias - f->man)
	           : man * power_of_two(1 - f->bias - f->man);
}

static double f32_value(uint32_t magnitude) {
	return value(&formats[FORMATS - 1], magnitude);
}

/* The exponent of a normal double; of smaller ones less than that of any. */
static int exponent(double v) {
	uint64_t bits;
	memcpy(&bits, &v, sizeof bits);
	return (int)(bits >> 52) - 1023;
}

/* The largest code with a value of at most v >= 0, among the codes up to the first that overflows.
 * Codes of v's exponent are a unit apart, and so are those without exponent; v minus the value of
 * their first is exact. */
static uint32_t floor_code(const struct format *f, double v) {
	int field = exponent(v) + f->bias, over = (int)f->max + 1;
	if (field > over >> f->man)
		return over;
	int first = field < 1 ? 0 : field << f->man,
	    unit = (field < 1 ? 1 : field) - f->bias - f->man;
	int code = first + (int)((v - value(f, first)) * power_of_two(-unit));
	return code < over ? code : over;
}

/* The smallest number that rounds to code c or more, c > 0; `open`: only numbers above it do. */
static double boundary(const struct format *f, uint32_t c, enum exact_rounding r, uint32_t random,
                       bool *open) {
	double below = value(f, c - 1), above = value(f, c);
	*open = r == EXACT_RNE && c % 2;
	switch (r) {
	case EXACT_RNE:
	case EXACT_RNA: return (below + above) / 2;
	case EXACT_SR: return below + (above - below) * (1 - ldexp(random, -32));
	case EXACT_RTZ: break;
	}
	return above;
}

static uint32_t encode_finite(const struct format *f, double v, enum exact_rounding r,
                              uint32_t random) {
	uint32_t code = floor_code(f, v);
	if (code <= f->max) {
		bool open;
		double b = boundary(f, code + 1, r, random, &open);
		code += open ? v > b : v >= b;
	}
	return r == EXACT_RTZ && code > f->max ? f->max : code;
}

/* The part of an f32 NaN's payload that fits; codes of 8 bits and fewer have no payload. */
static uint32_t payload(const struct format *f, uint32_t f32) {
	return f->bits > 8 ? (f32 & 0x7fffff) >> (23 - f->man) : 0;
}

enum exact_status exact_encode(const char *format, uint32_t f32, int scale, enum exact_rounding r,
                               enum exact_overflow o, uint32_t random, uint32_t *code) {
	const struct format *f = find(format);
	uint32_t magnitude = f32 & 0x7fffffff, c;
	if (!f || (f->bits > 16 && r == EXACT_SR)) /* 24 + 32 bits do not fit a double */
		return EXACT_BAD_FORMAT;
	if (scale < -EXACT_SCALE_MAX || scale > EXACT_SCALE_MAX)
		return EXACT_BAD_SHAPE;
	if (magnitude > F32_INF) {
		c = f->nan | payload(f, f32);
	} else {
		c = f->max + 1;
		if (magnitude < F32_INF)
			c = encode_finite(f, ldexp(f32_value(magnitude), scale), r, random);
		if (c > f->max)
			c = o == EXACT_SATURATE ? f->max : f->over;
	}
	*code = c | f32 >> 31 << (f->bits - 1);
	return EXACT_OK;
}

enum exact_status exact_decode(const char *format, uint32_t code, uint32_t *f32) {
	const struct format *f = find(format);
	if (!f)
		return EXACT_BAD_FORMAT;
	uint32_t sign = code >> (f->bits - 1) & 1, magnitude = code & ~(sign << (f->bits - 1));
	if (magnitude <= f->max)
		*f32 = floor_code(&formats[FORMATS - 1], value(f, magnitude));
	else if (f->over != f->nan && magnitude == f->over)
		*f32 = F32_INF;
	else
		*f32 = 0x7fc00000 | (f->bits >= 16 ? magnitude << (23 - f->man) : 0);
	*f32 |= sign << 31;
	return EXACT_OK;
}

/* The least f32 that is at least b, or, if open, above it; b >= 0. */
static uint32_t f32_from(double b, bool open) {
	uint32_t c = floor_code(&formats[FORMATS - 1], b);
	return c + (open || f32_value(c) < b);
}

enum exact_status exact_boundaries(const char *format, enum exact_rounding r, uint32_t random,
                                   uint32_t *first, size_t size, size_t *n) {
	const struct format *f = find(format);
	if (!f || f->bits > 16)
		return EXACT_BAD_FORMAT;
	*n = f->max + 2;
	if (size < *n)
		return EXACT_BAD_SHAPE;
	first[0] = 0;
	for (uint32_t c = 1; c <= f->max + 1; c++) {
		bool open;
		double b = boundary(f, c, r, random, &open);
		first[c] = f32_from(b, open);
	}
	if (r == EXACT_RTZ)
		first[f->max + 1] = F32_INF;
	return EXACT_OK;
}

/* Whether v rounds to a scale above 2^(c-127). */
static bool above_scale(double v, int c, enum exact_scale_rounding r) {
	double power = ldexp(1, c - 127);
	switch (r) {
	case EXACT_DOWN: return v >= 2 * power;
	case EXACT_UP: return v > power;
	case EXACT_NEAREST: break;
	}
	return v >= 1.5 * power;
}

uint8_t exact_scale(uint32_t f32, enum exact_scale_rounding r, enum exact_overflow o) {
	uint32_t magnitude = f32 & 0x7fffffff;
	if (magnitude > F32_INF)
		return 0xff;
	double v = magnitude == F32_INF ? INFINITY : f32_value(magnitude);
	int low = 0, high = 255; /* the code is one of these */
	while (low < high) {
		int middle = (low + high) / 2;
		if (above_scale(v, middle, r))
			low = middle + 1;
		else
			high = middle;
	}
	return low == 255 && o == EXACT_SATURATE ? 254 : low;
}
