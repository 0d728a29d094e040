/* What a buffer's element type takes up, and its MX format. */
#ifndef MX_CASES_DTYPE_H
#define MX_CASES_DTYPE_H

#include "case.h"

/* Bytes that n elements in a line take. */
size_t dtype_bytes(mx_buffer_type type, size_t n);

/* Whether it is an MX element format; then which. */
bool dtype_is_format(mx_buffer_type type);
mx_format dtype_format(mx_buffer_type type);

/* 'f', 'u' or 'i': the kind of its numbers in a .npy file. */
char dtype_kind(mx_buffer_type type);

/* Of f32, bf16 and f16: digits, the exponents of the smallest number and above the largest one. */
struct dtype_width {
	int digits, low, high;
	uint32_t one, infinity; /* code of the smallest normal, of infinity */
};
struct dtype_width dtype_width(mx_buffer_type type);

#endif
