/* Dequantising a tensor: element times scale. */
#include "quantize.h"

#include <string.h>

/* Where one stride steps over all elements of the other direction, none meet. */
static bool apart(size_t n, size_t stride, size_t m, size_t step) {
	size_t extent;
	return n == 1 || m == 1 || (!__builtin_mul_overflow(m, step, &extent) && extent <= stride);
}

mx_status mx_check_strides(size_t rows, size_t cols, size_t row_bytes, size_t col_bytes) {
	size_t down, across, last;
	if ((rows > 1 && row_bytes < sizeof(mx_f32)) || (cols > 1 && col_bytes < sizeof(mx_f32)) ||
	    !(apart(rows, row_bytes, cols, col_bytes) || apart(cols, col_bytes, rows, row_bytes)))
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

/* Aligned or not. */
static void put(mx_f32 *out, size_t at, mx_f32 x) {
	memcpy((uint8_t *)out + at, &x, sizeof x);
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
	for (size_t r = 0; r < rows; r++) {
		const uint8_t *codes = q->codes + r * q->row_bytes;
		const uint8_t *scales = q->scales + r * q->scale_row_bytes;
		for (size_t c = 0; c < cols; c++)
			put(out, r * row_bytes + c * col_bytes,
			    value(f, mx_elem_get(f, codes, c),
			          (mx_e8m0){ scales[c / MX_BLOCK] }));
	}
	return MX_OK;
}
