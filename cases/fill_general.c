/* Data of the general regime: quantised normal deviates, like those of a model.
 *
 * By the floor recipe the largest element of each block is at least the largest power of two of its
 * format, so every block contributes. An operand has numbers of both signs: 32 deviates of one sign
 * occur once in 2^31 seeds, and are then an error. Nothing else is guaranteed: no zeros, no ties,
 * no ends of a range. */
#include "fill.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_BLOCK_EXP = 6, AT_ONCE = 1 << 16 /* values, which stay in a cache */ };

static void draw_block(const struct operand *o, size_t row, size_t block, float x[MX_BLOCK]) {
	struct draw d = draw_at(o->stream, DRAW_BLOCK, row, block);
	int exp = (int)draw_below(d.w[0], 2 * MAX_BLOCK_EXP + 1) - MAX_BLOCK_EXP;
	float unit = ldexpf(1, exp - 10);
	int32_t normal[DRAW_LINE];
	draw_normals(o->stream, DRAW_ELEMENT, row, block * MX_BLOCK, normal);
	for (size_t i = 0; i < MX_BLOCK; i++) /* exact: 13 bits and a power of two */
		x[i] = (float)normal[i] * unit;
}

void draw_general_row(const struct operand *o, size_t row, float *values) {
	for (size_t block = 0; block < o->scales->cols; block++)
		draw_block(o, row, block, values + block * MX_BLOCK);
}

/* Rows [from, to), with these values. */
static mx_status quantise(const struct operand *o, size_t from, size_t to, const float *values) {
	struct mx_quantizer q = {
		.recipe = MX_RECIPE_FLOOR, .format = o->format, .rounding = MX_RNE, .override = true
	};
	struct mx_tensor x = { values,
		               MX_DTYPE_F32,
		               to - from,
		               o->scales->cols * MX_BLOCK,
		               (ptrdiff_t)(o->codes->cols * sizeof *values),
		               sizeof *values };
	struct mx_quantised codes = { operand_row(o, from), o->codes->ld, operand_scale(o, from, 0),
		                      o->scales->ld };
	q.threads = 1;
	return mx_quantize(&q, &x, &codes, NULL);
}

/* Whether the operand has numbers of both signs, beside zeros. */
static bool has_both_signs(const struct operand *o) {
	unsigned sign = 1u << (mx_format_info(o->format)->bits - 1), signs = 0;
	for (size_t row = o->from; row < o->to; row++)
		for (size_t col = 0; col < o->scales->cols * MX_BLOCK && signs != 3; col++) {
			unsigned code = mx_elem_get(o->format, operand_row(o, row), col).v;
			if (code & (sign - 1))
				signs |= code & sign ? 2 : 1;
		}
	return signs == 3;
}

/* Some rows at a time, in memory for `rows` of them or, if all values are kept, in their place. */
static mx_status fill_some(const struct operand *o, size_t rows, float *some) {
	mx_status status = MX_OK;
	for (size_t from = o->from, to; !status && from < o->to; from = to) {
		size_t cols = o->codes->cols;
		float *values = o->values ? o->values + (from - o->from) * cols : some;
		to = o->to - from < rows ? o->to : from + rows;
		for (size_t row = from; row < to; row++)
			draw_general_row(o, row, values + (row - from) * cols);
		status = quantise(o, from, to, values);
	}
	return status;
}

static mx_status fill(const struct operand *o, const void *how) {
	size_t cols = o->codes->cols, rows = cols < AT_ONCE ? AT_ONCE / (cols + 1) : 1;
	float *some = o->values ? NULL : malloc((rows * cols + 1) * sizeof *some);
	(void)how;
	mx_status status = o->values || some ? fill_some(o, rows, some) : MX_NO_MEMORY;
	free(some);
	return status;
}

const char *fill_general(const struct operand *o) {
	mx_status status = fill_rows(o, fill, NULL);
	if (status)
		return mx_strerror(status);
	bool empty = o->from == o->to || !o->scales->cols;
	return empty || has_both_signs(o) ? NULL : "has numbers of one sign only";
}
