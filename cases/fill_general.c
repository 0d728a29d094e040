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

/* The sum of twelve uniforms of 10 bits, less their mean: an integer with deviation 2^10. */
static int deviate(struct draw d) {
	int sum = -12 * 1023 / 2;
	for (int i = 0; i < 4; i++)
		sum += (d.w[i] & 1023) + (d.w[i] >> 10 & 1023) + (d.w[i] >> 20 & 1023);
	return sum;
}

/* Bit 0: a positive number; bit 1: a negative one. */
static unsigned fill_block(const struct operand *o, size_t row, size_t block) {
	unsigned sign = 1u << (mx_format_info(o->format)->bits - 1), signs = 0;
	struct draw d = draw_at(o->stream, DRAW_BLOCK, row, block);
	int exp = (int)draw_below(d.w[0], 2 * MAX_BLOCK_EXP + 1) - MAX_BLOCK_EXP;
	float *x = o->values + row * o->codes->cols + block * MX_BLOCK;
	mx_f32 bits[MX_BLOCK];
	mx_elem codes[MX_BLOCK];
	for (size_t i = 0; i < MX_BLOCK; i++) /* exact: 13 bits and a power of two */
		x[i] = ldexpf(deviate(draw_at(o->stream, DRAW_ELEMENT, row, block * MX_BLOCK + i)),
		              exp - 10);
	memcpy(bits, x, sizeof bits);
	mx_e8m0 scale;
	mx_quantize_block(o->format, bits, MX_BLOCK, codes, &scale);
	*operand_scale(o, row, block) = scale.v;
	for (size_t i = 0; i < MX_BLOCK; i++) {
		mx_elem_set(o->format, operand_row(o, row), block * MX_BLOCK + i, codes[i]);
		if (codes[i].v & (sign - 1))
			signs |= codes[i].v & sign ? 2 : 1;
	}
	return signs;
}

bool fill_general(const struct operand *o) {
	unsigned signs = 0;
	for (size_t row = 0; row < o->codes->rows; row++)
		for (size_t block = 0; block < o->scales->cols; block++)
			signs |= fill_block(o, row, block);
	return signs == 3 || !o->codes->rows || !o->scales->cols;
}
