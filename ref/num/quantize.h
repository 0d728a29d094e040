/* Internal to the tensor quantisers: types and functions of both the plain and the fast one. */
#ifndef MX_QUANTIZE_H
#define MX_QUANTIZE_H

#include "f32.h"

#include <string.h>

/* Up to 32 output rows of one group: `padded` rows from out_row. The first `rows` of
 * them are the input rows from in_row. */
struct mx_band {
	size_t in_row, out_row;
	unsigned rows, padded;
};

/* A valid call. band: the bands of all groups, in order; the caller frees them. */
struct mx_plan {
	const struct mx_quantizer *q;
	const struct mx_tensor *x;
	const struct mx_quantised *rowwise, *colwise;
	mx_rounding rounding;
	bool keeps_nan;
	size_t out_rows, bands;
	struct mx_band *band;
};
mx_status mx_quantize_plan(struct mx_plan *p, const struct mx_quantizer *q,
                           const struct mx_tensor *x, const struct mx_quantised *rowwise,
                           const struct mx_quantised *colwise);

/* Output that is kept until whole cache lines of it can be written: the rows of one band, and the
 * columns of several. codes and scales are those of the first row or column. */
struct mx_stage {
	struct mx_quantised rows, columns;
	bool streams; /* the whole output is larger than the caches, so it goes past them */
};

/* The bands of which a column's codes are whole cache lines. */
size_t mx_stage_bands(mx_format f);

/* Memory of n stages of `cols` columns and `bands` bands, to be freed; NULL if there is none. */
uint8_t *mx_stages_new(const struct mx_plan *p, size_t cols, size_t bands, size_t n);
struct mx_stage mx_stage_of(const struct mx_plan *p, size_t cols, size_t bands, uint8_t *stages,
                            size_t i);

/* Writes `lines` rows or columns, of `bytes` bytes of codes and `scales` scales. */
void mx_stage_put(const struct mx_stage *s, const struct mx_quantised *from,
                  const struct mx_quantised *to, size_t lines, size_t bytes, size_t scales);

/* Orders the writes of this thread before its next ones. */
void mx_stage_end(const struct mx_stage *s);

static inline size_t mx_dtype_bytes(mx_dtype t) {
	return t == MX_DTYPE_F32 ? 4 : 2;
}

/* Where element (r,c) of x lies, aligned or not. */
static inline const uint8_t *mx_tensor_at(const struct mx_tensor *x, size_t r, size_t c) {
	return (const uint8_t *)x->data + (ptrdiff_t)r * x->row_bytes + (ptrdiff_t)c * x->col_bytes;
}

/* Element (r,c) of x as f32 bits: exact. */
static inline uint32_t mx_tensor_get(const struct mx_tensor *x, size_t r, size_t c) {
	uint32_t word = 0; /* a half in its low bits, little-endian */
	memcpy(&word, mx_tensor_at(x, r, c), mx_dtype_bytes(x->dtype));
	switch (x->dtype) {
	case MX_DTYPE_BF16: return mx_bf16_to_f32((mx_bf16){ word }).v;
	case MX_DTYPE_F16: return mx_f16_to_f32((mx_f16){ word }).v;
	default: return word;
	}
}

/* n elements of row r from column c, as f32 bits. */
static inline void mx_tensor_widen(const struct mx_tensor *x, size_t r, size_t c, size_t n,
                                   uint32_t *to) {
	const uint8_t *at = mx_tensor_at(x, r, c);
	uint16_t half[MX_BLOCK];
	if (x->dtype != MX_DTYPE_BF16 || x->col_bytes != 2) {
		for (size_t i = 0; i < n; i++)
			to[i] = mx_tensor_get(x, r, c + i);
		return;
	}
	for (size_t i = 0; i < n; i += MX_BLOCK, at += sizeof half) {
		size_t some = n - i < MX_BLOCK ? n - i : MX_BLOCK;
		memcpy(half, at, 2 * some);
		for (size_t j = 0; j < some; j++)
			to[i + j] = (uint32_t)half[j] << 16;
	}
}

/* Whether rows x cols f32 can be written with these strides: MX_BAD_STRIDE if two might overlap.
 * Neither count is 0. */
mx_status mx_check_strides(size_t rows, size_t cols, size_t row_bytes, size_t col_bytes);

/* Whether a tensor that is not empty can be read: MX_BAD_POINTER, MX_BAD_STRIDE, MX_BAD_SHAPE. */
mx_status mx_check_tensor(const struct mx_tensor *x);

/* The code of a NaN by integer rounding without a check for NaN. */
mx_elem mx_software_nan(const struct mx_format_info *t, mx_f32 nan);

/* In place: butterflies of distance 1, 2, 4, 8, then times 0.25, each f32 rounded once. */
void mx_hadamard16(uint32_t v[16]);

/* mx_scale of n magnitudes; the recipe must be defined for f. */
void mx_scales(mx_recipe r, mx_format f, const uint32_t *amax, size_t n, uint8_t *scales);

/* Functions on blocks of 32 f32, aligned or not, nearest even. They stop at a block that needs the
 * rules for special values, and write nothing for it.
 *
 * row     codes and scales of `blocks` blocks in a row; returns the number done before it stopped.
 *         Fetches as many bytes at `next` into the cache
 * block   codes of one block with a given scale; false if it stops
 * columns a 32x32 tile: codes and scales of each column; false if it stops. Fetches the tile at
 *         `next` into the cache, unless it is NULL
 * square  the same with one scale for the tile, and of each row; either output may have NULL for
 *         codes */
struct mx_fast {
	size_t (*row)(mx_recipe r, const uint8_t *x, const uint8_t *next, size_t blocks,
	              uint8_t *codes, uint8_t *scales);
	bool (*block)(const uint8_t x[4 * MX_BLOCK], uint8_t scale, uint8_t *codes);
	bool (*columns)(mx_recipe r, const uint8_t *x, ptrdiff_t row_bytes, const uint8_t *next,
	                const struct mx_quantised *out);
	bool (*square)(mx_recipe r, const uint8_t *x, ptrdiff_t row_bytes, const uint8_t *next,
	               const struct mx_quantised *rows, const struct mx_quantised *columns);
};
const struct mx_fast *mx_fast_portable(mx_format f);
const struct mx_fast *mx_fast_for(mx_format f); /* the best that this processor runs */

#endif
