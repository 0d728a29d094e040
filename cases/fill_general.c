/* Data of the general regime: quantised normal deviates, like those of a model.
 *
 * By the floor recipe the largest element of each block is at least the largest power of two of its
 * format, so every block contributes. An operand has numbers of both signs: 32 deviates of one sign
 * occur once in 2^31 seeds, and are then an error. Nothing else is guaranteed: no zeros, no ties,
 * no ends of a range. */
#include "fill.h"

#include <math.h>
#include <string.h>

enum { MAX_BLOCK_EXP = 6 };

/* Draws the values of a block. */
static void draw_block(const struct operand *o, size_t row, size_t block) {
	struct draw d = draw_at(o->stream, DRAW_BLOCK, row, block);
	int exp = (int)draw_below(d.w[0], 2 * MAX_BLOCK_EXP + 1) - MAX_BLOCK_EXP;
	float *x = o->values + (row - o->from) * o->codes->cols + block * MX_BLOCK;
	float unit = ldexpf(1, exp - 10);
	int32_t normal[DRAW_LINE];
	draw_normals(o->stream, DRAW_ELEMENT, row, block * MX_BLOCK, normal);
	for (size_t i = 0; i < MX_BLOCK; i++) /* exact: 13 bits and a power of two */
		x[i] = (float)normal[i] * unit;
}

static mx_status quantise(const struct operand *o) {
	struct mx_quantizer q = {
		.recipe = MX_RECIPE_FLOOR, .format = o->format, .rounding = MX_RNE, .override = true
	};
	struct mx_tensor x = { o->values,
		               MX_DTYPE_F32,
		               o->to - o->from,
		               o->scales->cols * MX_BLOCK,
		               (ptrdiff_t)(o->codes->cols * sizeof *o->values),
		               sizeof *o->values };
	struct mx_quantised to = { operand_row(o, o->from), o->codes->ld,
		                   operand_scale(o, o->from, 0), o->scales->ld };
	q.threads = 1;
	return mx_quantize(&q, &x, &to, NULL);
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

static mx_status fill(const struct operand *o, const void *how) {
	(void)how;
	for (size_t row = o->from; row < o->to; row++)
		for (size_t block = 0; block < o->scales->cols; block++)
			draw_block(o, row, block);
	return quantise(o);
}

const char *fill_general(const struct operand *o) {
	mx_status status = fill_rows(o, fill, NULL);
	if (status)
		return mx_strerror(status);
	bool empty = o->from == o->to || !o->scales->cols;
	return empty || has_both_signs(o) ? NULL : "has numbers of one sign only";
}
