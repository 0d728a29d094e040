/* Values of a buffer's elements, as doubles. */
#include "values.h"
#include "../cases/dtype.h"
#include "exact/exact.h"

#include <math.h>
#include <pthread.h>
#include <string.h>

/* Floating-point types: the name of the format, bits of a code, digits with the hidden one, and the
 * exponent of the smallest subnormal. [OCP MX v1.0: 5.3; IEEE 754] */
static const struct {
	const char *name;
	unsigned bits;
	int digits, low;
} formats[] = {
	[MX_DT_E4M3] = { "E4M3", 8, 4, -9 },
	[MX_DT_E5M2] = { "E5M2", 8, 3, -16 },
	[MX_DT_E2M3] = { "E2M3", 6, 4, -3 },
	[MX_DT_E3M2] = { "E3M2", 6, 3, -4 },
	[MX_DT_E2M1] = { "E2M1", 4, 2, -1 },
	[MX_DT_BF16] = { "BF16", 16, 8, -133 },
	[MX_DT_F16] = { "FP16", 16, 11, -24 },
	[MX_DT_F32] = { "FP32", 32, 24, -149 },
	[MX_DT_F64] = { NULL, 64, 53, -1074 },
	[MX_DT_E4M3FNUZ] = { NULL, 8, 4, -10 },
	[MX_DT_E5M2FNUZ] = { NULL, 8, 3, -17 },
	[MX_DT_E8M0] = { NULL, 8, 0, 0 },
	[MX_DT_E5M3] = { NULL, 8, 4, -17 },
	[MX_DT_U64] = { 0 },
};

const char *mx_type_format(mx_buffer_type type) {
	return formats[type].name ? formats[type].name : "";
}

/* Codes are little-endian bit fields. */
static uint32_t code_at(const uint8_t *line, size_t i, unsigned bits) {
	size_t bit = i * bits, byte = bit / 8, last = (bit + bits - 1) / 8;
	uint64_t v = 0;
	memcpy(&v, line + byte, last - byte + 1);
	return (uint32_t)(v >> bit % 8 & ((UINT64_C(1) << bits) - 1));
}

/* The formats of gfx942: 0x80 is NaN, and there is no infinity. [CDNA3 ISA, FP8 and BF8 formats] */
static double of_fnuz(uint8_t code, int mantissa, int bias) {
	int field = (code & 0x7f) >> mantissa, low = code & ((1 << mantissa) - 1);
	double x = field ? ldexp(low + (1 << mantissa), field - bias - mantissa)
	                 : ldexp(low, 1 - bias - mantissa);
	return code == 0x80 ? NAN : code & 0x80 ? -x : x;
}

/* A scale of gfx1250: bias 15, neither sign nor infinity. [AMD's rocjitsu] */
static double of_e5m3(uint32_t code) {
	int field = (int)(code >> 3), low = (int)(code & 7);
	double x = field ? ldexp(low + 8, field - 15 - 3) : ldexp(low, -17);
	return code == 0xff ? NAN : x;
}

static double of_f32(uint32_t code) {
	float f;
	memcpy(&f, &code, sizeof f);
	return (double)f;
}

static double of_format(mx_buffer_type type, uint32_t code) {
	uint32_t f32 = 0;
	exact_decode(formats[type].name, code, &f32);
	return of_f32(f32);
}

static double of_code(mx_buffer_type type, uint32_t code) {
	switch (type) {
	case MX_DT_E4M3FNUZ: return of_fnuz((uint8_t)code, 3, 8);
	case MX_DT_E5M2FNUZ: return of_fnuz((uint8_t)code, 2, 16);
	case MX_DT_E5M3: return of_e5m3(code);
	case MX_DT_E8M0: return code == 0xFF ? NAN : ldexp(1, (int)code - 127);
	case MX_DT_F32: return of_f32(code);
	case MX_DT_BF16: return of_f32(code << 16); /* the upper half of an f32 */
	default: return of_format(type, code);
	}
}

/* Tensors of model size have 10^8 codes of up to 8 bits. */
static double of_byte[MX_DT_U64 + 1][256];

static bool is_short(mx_buffer_type type) {
	return formats[type].bits && formats[type].bits <= 8;
}

static void decode_all(void) {
	for (unsigned type = 0; type <= MX_DT_U64; type++)
		for (uint32_t code = 0; is_short(type) && code < 1u << formats[type].bits; code++)
			of_byte[type][code] = of_code(type, code);
}

#define PLAIN(id, type)                                                                            \
	case MX_DT_##id: {                                                                         \
		type v;                                                                            \
		memcpy(&v, line + i * sizeof v, sizeof v);                                         \
		return (double)v;                                                                  \
	}

double mx_value(mx_buffer_type type, const uint8_t *line, size_t i) {
	static pthread_once_t once = PTHREAD_ONCE_INIT;
	switch (type) {
		PLAIN(F64, double)
		PLAIN(I8, int8_t)
		PLAIN(U8, uint8_t)
		PLAIN(I16, int16_t)
		PLAIN(U16, uint16_t)
		PLAIN(I32, int32_t)
		PLAIN(U32, uint32_t)
		PLAIN(I64, int64_t)
		PLAIN(U64, uint64_t)
	default: break;
	}
	uint32_t code = code_at(line, i, formats[type].bits);
	if (!is_short(type))
		return of_code(type, code);
	pthread_once(&once, decode_all);
	return of_byte[type][code];
}

/* ---- codes of a buffer ---- */

unsigned mx_code_bits(mx_buffer_type type) {
	return formats[type].bits ? formats[type].bits : 8 * (unsigned)dtype_bytes(type, 1);
}

/* The bytes that an element has a part of, as a little-endian number. It begins at bit *shift. */
static uint64_t gather(const struct mx_buffer *s, const uint8_t *bytes, size_t row, size_t col,
                       unsigned *shift) {
	bool by_col = s->order == MX_ORDER_COL;
	size_t line = by_col ? col : row, bits = mx_code_bits(s->type);
	size_t bit = (by_col ? row : col) * bits, last = (bit + bits - 1) / 8;
	uint64_t v = 0;
	for (size_t i = bit / 8; i <= last; i++)
		v |= (uint64_t)bytes[mx_buffer_byte(s, line, i)] << (i - bit / 8) * 8;
	*shift = (unsigned)(bit % 8);
	return v;
}

uint64_t mx_code_in(const struct mx_buffer *s, const uint8_t *bytes, size_t row, size_t col) {
	unsigned shift;
	uint64_t v = gather(s, bytes, row, col, &shift);
	return v >> shift & UINT64_MAX >> (64 - mx_code_bits(s->type));
}

bool mx_is_marked(const struct mx_buffer *s, const uint8_t *marks, size_t row, size_t col) {
	unsigned shift;
	return gather(s, marks, row, col, &shift) != 0;
}

double mx_least_normal(mx_buffer_type type) {
	return formats[type].digits ? ldexp(1, formats[type].low + formats[type].digits - 1) : 0;
}

double mx_unit_in_last_place(mx_buffer_type type, double x) {
	int exponent;
	if (!formats[type].digits)
		return type == MX_DT_E8M0 ? fabs(x) : 1;
	frexp(x, &exponent);
	exponent -= formats[type].digits;
	return ldexp(1, x == 0 || exponent < formats[type].low ? formats[type].low : exponent);
}

int mx_digits(mx_buffer_type type) {
	return formats[type].digits;
}
