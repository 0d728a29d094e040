/* Operands in the order in which the fast kernels read them. */
#include "fast.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static size_t padded(size_t rows) {
	return (rows + FAST_TILE - 1) / FAST_TILE * FAST_TILE;
}

static bool allocate(struct fast_operand *x, size_t rows, size_t k, bool wide) {
	x->rows = rows;
	x->padded = padded(rows);
	x->blocks = (k + EXACT_BLOCK - 1) / EXACT_BLOCK;
	size_t elements = (x->padded * x->blocks + 1) * EXACT_BLOCK;
	size_t bytes = (elements * (wide ? sizeof(double) : 1) + 63) / 64 * 64;
	void *data = aligned_alloc(64, bytes);
	x->bytes = wide ? NULL : data;
	x->wide = wide ? data : NULL;
	x->factor = aligned_alloc(64, (x->padded * x->blocks + 16) / 16 * 64);
	x->lowest = calloc(x->padded + 1, sizeof *x->lowest);
	x->highest = calloc(x->padded + 1, sizeof *x->highest);
	if (data)
		memset(data, 0, bytes);
	return data && x->factor && x->lowest && x->highest;
}

static void drop(struct fast_operand *x) {
	free(x->bytes);
	free(x->wide);
	free(x->factor);
	free(x->lowest);
	free(x->highest);
}

void fast_free(struct fast_product *p) {
	drop(&p->a);
	drop(&p->b);
}

/* Where element k of a row is, and the factor of a block. */
static size_t element_at(const struct fast_operand *x, bool columns, size_t row, size_t k) {
	size_t length = x->blocks * EXACT_BLOCK, strip = row / FAST_TILE, lane = row % FAST_TILE;
	if (!columns && x->wide)
		return (row / FAST_GROUP * length + k) * FAST_GROUP + row % FAST_GROUP;
	if (!columns)
		return row * length + k;
	if (x->wide)
		return (strip * length + k) * FAST_TILE + lane;
	return strip * length * FAST_TILE + (k / 4 * FAST_TILE + lane) * 4 + k % 4;
}

static size_t factor_at(const struct fast_operand *x, bool columns, size_t row, size_t block) {
	if (!columns)
		return block * x->padded + row;
	return (row / FAST_TILE * x->blocks + block) * FAST_TILE + row % FAST_TILE;
}

enum {
	BIAS = 127,
	NAN_SCALE = 0xff,
	OUT_OF_RANGE = -1000 /* leaves a row with specials to the walk */
};

static void pack_row(struct fast_operand *x, bool columns, size_t row, const struct exact_row *r,
                     const uint8_t *scales, int unit) {
	int lowest = NAN_SCALE, highest = 0;
	for (size_t k = 0; k < x->blocks * EXACT_BLOCK; k++)
		if (x->wide)
			x->wide[element_at(x, columns, row, k)] = (double)r->sig[k];
		else
			x->bytes[element_at(x, columns, row, k)] = (int8_t)r->sig[k];
	for (size_t b = 0; b < x->blocks; b++) {
		int s = scales[b];
		x->factor[factor_at(x, columns, row, b)] =
			s == NAN_SCALE ? NAN : (float)ldexp(1, s - BIAS + unit);
		if (s != NAN_SCALE) {
			lowest = s < lowest ? s : lowest;
			highest = s > highest ? s : highest;
		}
	}
	for (size_t b = 0; b < x->blocks; b++)
		if (r->block[b].flags & EXACT_INF || (scales[b] != NAN_SCALE && r->block[b].flags))
			lowest = OUT_OF_RANGE;
	x->lowest[row] = (int16_t)lowest;
	x->highest[row] = (int16_t)highest;
}

/* Zeros, with factors that never matter. */
static void pack_nothing(struct fast_operand *x, bool columns, size_t row) {
	for (size_t b = 0; b < x->blocks; b++)
		x->factor[factor_at(x, columns, row, b)] = 1;
	x->lowest[row] = x->highest[row] = BIAS;
}

static enum exact_status pack(const struct exact_operand *o, size_t rows, size_t k, bool columns,
                              int unit, struct fast_operand *x) {
	for (size_t i = 0; i < rows; i++) {
		struct exact_operand one = *o;
		struct exact_rows r;
		one.codes += i * o->ld;
		one.scales += i * o->ld_scales;
		enum exact_status status = exact_rows_decode(&r, &one, 1, k, 1);
		struct exact_row row = status ? (struct exact_row){ 0 } : exact_row_at(&r, 0);
		if (!status)
			pack_row(x, columns, i, &row, one.scales, unit);
		exact_rows_free(&r);
		if (status)
			return status;
	}
	for (size_t i = rows; i < x->padded; i++)
		pack_nothing(x, columns, i);
	return EXACT_OK;
}

enum exact_status fast_pack(const struct exact_gemm *g, bool wide, struct fast_product *p) {
	int unit_a = exact_format_lsb(exact_format(g->a.format));
	int unit_b = exact_format_lsb(exact_format(g->b.format));
	*p = (struct fast_product){ .a.unit = unit_a, .b.unit = unit_b };
	if (!allocate(&p->a, g->m, g->k, wide) || !allocate(&p->b, g->n, g->k, wide))
		return EXACT_NO_MEMORY;
	enum exact_status status = pack(&g->a, g->m, g->k, false, 0, &p->a);
	return status ? status : pack(&g->b, g->n, g->k, true, unit_a + unit_b, &p->b);
}

void fast_store(const struct fast_product *p, size_t row, size_t col, const float *acc) {
	size_t n = p->b.rows;
	for (size_t i = 0; i < FAST_TILE && row + i < p->a.rows; i++)
		for (size_t j = 0; j < FAST_TILE && col + j < n; j++) {
			float v = acc[i * FAST_TILE + j];
			uint32_t bits;
			memcpy(&bits, &v, sizeof bits);
			p->out[(row + i) * n + col + j] = v != v ? 0x7fc00000 : bits;
		}
}
