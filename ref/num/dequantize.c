/* Dequantisation of a tensor: element times scale. */
#include "quantize.h"

#include <string.h>

/* Elements do not overlap if one stride covers all elements of the other direction. */
static bool disjoint(size_t n, size_t stride, size_t m, size_t step) {
	size_t extent;
	return n == 1 || m == 1 || (!__builtin_mul_overflow(m, step, &extent) && extent <= stride);
}

mx_status mx_check_strides(size_t rows, size_t cols, size_t row_bytes, size_t col_bytes) {
	size_t down, across, last;
	if ((rows > 1 && row_bytes < sizeof(mx_f32)) || (cols > 1 && col_bytes < sizeof(mx_f32)) ||
	    !(disjoint(rows, row_bytes, cols, col_bytes) ||
	      disjoint(cols, col_bytes, rows, row_bytes)))
		return MX_BAD_STRIDE;
	if (__builtin_mul_overflow(rows - 1, row_bytes, &down) ||
	    __builtin_mul_overflow(cols - 1, col_bytes, &across) ||
	    __builtin_add_overflow(down, across, &last) || last > PTRDIFF_MAX - sizeof(mx_f32))
		return MX_BAD_SHAPE;
	return MX_OK;
}

static mx_f32 value(mx_format f, mx_elem code, mx_e8m0 s) {
	mx_f32 x = mx_elem_to_f32(f, code);
	return s.v == 0xFF ? mx_e8m0_to_f32(s) : mx_f32_scale(x, s.v - 127);
}

/* The f32 of every code, and the scale bytes for which all products are normal or zero. Such a
 * scale is added to the exponent field. */
struct values {
	uint32_t f32[256];
	int least, most; /* scale bytes; value() handles infinity and NaN */
};

static void make_values(struct values *t, mx_format f) {
	int low = 255, high = 0;
	for (unsigned code = 0; code < 1u << mx_format_info(f)->bits; code++) {
		uint32_t u = t->f32[code] = mx_elem_to_f32(f, (mx_elem){ code }).v;
		int field = u >> MX_F32_MAN & 0xFF;
		if (field && field < 255) {
			low = field < low ? field : low;
			high = field > high ? field : high;
		}
	}
	t->least = 127 - low + 1;
	t->most = 127 + 254 - high;
}

static void unpack(unsigned bits, const uint8_t *packed, size_t n, uint8_t *codes) {
	if (bits == 8)
		memcpy(codes, packed, n);
	for (size_t i = 0; bits == 4 && i < n; i++)
		codes[i] = packed[i / 2] >> 4 * (i % 2) & 15;
	for (size_t i = 0; bits == 6 && i < n; i += 4, packed += 3) {
		uint32_t w = packed[0] | packed[1] << 8 | packed[2] << 16;
		for (size_t k = 0; k < 4; k++)
			codes[i + k] = w >> 6 * k & 63;
	}
}

/* Dequantises a whole block by exponent addition. False if the scale is not in the range of t, or
 * the block has infinity or NaN. */
static bool plain_block(const struct values *t, unsigned bits, const uint8_t *packed, uint8_t scale,
                        uint32_t *out) {
	uint8_t codes[MX_BLOCK];
	uint32_t move = ((uint32_t)scale - 127) << MX_F32_MAN, special = 0;
	if (scale < t->least || scale > t->most)
		return false;
	unpack(bits, packed, MX_BLOCK, codes);
	for (int i = 0; i < MX_BLOCK; i++) {
		uint32_t u = t->f32[codes[i]], magnitude = u & ~MX_F32_SIGN;
		special |= magnitude >= MX_F32_INF;
		out[i] = u + (magnitude ? move : 0);
	}
	return !special;
}

/* Dequantises a block of min(n, 32) elements; out need not be aligned. */
static void dequantize_block(const struct values *t, mx_format f, const uint8_t *packed,
                             mx_e8m0 scale, size_t n, uint8_t *out, size_t step) {
	unsigned bits = mx_format_info(f)->bits;
	uint32_t x[MX_BLOCK];
	n = n < MX_BLOCK ? n : MX_BLOCK;
	if (n < MX_BLOCK || !plain_block(t, bits, packed, scale.v, x))
		for (size_t i = 0; i < n; i++)
			x[i] = value(f, mx_elem_get(f, packed, i), scale).v;
	if (step == sizeof *x)
		memcpy(out, x, n * sizeof *x);
	else
		for (size_t i = 0; i < n; i++)
			memcpy(out + i * step, &x[i], sizeof *x);
}

mx_status mx_dequantize(mx_format f, const struct mx_quantised *q, size_t rows, size_t cols,
                        mx_f32 *out, size_t row_bytes, size_t col_bytes) {
	if ((unsigned)f >= MX_FORMATS)
		return MX_BAD_FORMAT;
	if (!q)
		return MX_BAD_POINTER;
	if (!rows || !cols)
		return MX_OK;
	if (!q->codes || !q->scales || !out)
		return MX_BAD_POINTER;
	mx_status s = mx_check_strides(rows, cols, row_bytes, col_bytes);
	if (s)
		return s;
	struct values t;
	make_values(&t, f);
	for (size_t r = 0; r < rows; r++)
		for (size_t c = 0; c < cols; c += MX_BLOCK)
			dequantize_block(
				&t, f, q->codes + r * q->row_bytes + mx_packed_bytes(f, c),
				(mx_e8m0){ q->scales[r * q->scale_row_bytes + c / MX_BLOCK] },
				cols - c, (uint8_t *)out + r * row_bytes + c * col_bytes,
				col_bytes);
	return MX_OK;
}
