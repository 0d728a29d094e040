/* The size of a buffer's element type, and its MX format. */
#ifndef MX_CASES_DTYPE_H
#define MX_CASES_DTYPE_H

#include "case.h"

/* Bytes of n elements in a line. */
size_t dtype_bytes(mx_buffer_type type, size_t n);

/* Whether the type is for scales alone: powers of two, or E5M3. */
bool dtype_is_scale(mx_buffer_type type);

/* Whether the type is an MX element format; its format. */
bool dtype_is_format(mx_buffer_type type);
mx_format dtype_format(mx_buffer_type type);

/* The kind of numbers in a .npy file: 'f', 'u' or 'i'. */
char dtype_kind(mx_buffer_type type);

/* Properties of f32, bf16 and f16: digits, the exponent of the smallest number, and the exponent
 * above the largest. */
struct dtype_width {
	int digits, low, high;
	uint32_t one, infinity; /* codes of the smallest normal number and of infinity */
};
struct dtype_width dtype_width(mx_buffer_type type);

#endif
