/* The plain tensor quantiser: gathers, scales and rounds each output block separately. */
#include "quantize.h"

#include <stdlib.h>
#include <string.h>

enum direction { ROWWISE, COLWISE };

/* The band of an output row. */
static const struct mx_band *band_of(const struct mx_plan *p, size_t out_row) {
	const struct mx_band *b = p->band;
	while (out_row - b->out_row >= b->padded)
		b++;
	return b;
}

/* Whether (row, col) of the padded matrix is an element of the input, and its row there. */
static bool in_input(const struct mx_plan *p, size_t row, size_t col, size_t *in_row) {
	if (row >= p->out_rows || col >= p->x->cols)
		return false;
	const struct mx_band *b = band_of(p, row);
	*in_row = b->in_row + (row - b->out_row);
	return row - b->out_row < b->rows;
}

static uint32_t input(const struct mx_plan *p, size_t row, size_t col) {
	size_t r;
	return in_input(p, row, col, &r) ? mx_tensor_get(p->x, r, col) : 0;
}

static uint32_t random_at(const struct mx_plan *p, size_t row, size_t col) {
	size_t r;
	if (p->rounding != MX_SR || !in_input(p, row, col, &r))
		return 0;
	return p->q->random[r * p->x->cols + col];
}

/* The 32 items from k of an output line (a row or column of the input) after the transform. */
static void gather(const struct mx_plan *p, enum direction d, size_t line, size_t k,
                   uint32_t v[MX_BLOCK]) {
	for (size_t i = 0; i < MX_BLOCK; i++)
		v[i] = d == ROWWISE ? input(p, line, k + i) : input(p, k + i, line);
	for (size_t i = 0; p->q->hadamard && i < MX_BLOCK; i += 16)
		mx_hadamard16(v + i);
}

/* amax over block k of `lines` lines. */
static mx_f32 amax_of(const struct mx_plan *p, enum direction d, size_t line, size_t lines,
                      size_t k) {
	uint32_t amax = 0, v[MX_BLOCK];
	bool number = false;
	for (size_t l = line; l < line + lines; l++) {
		gather(p, d, l, k, v);
		for (size_t i = 0; i < MX_BLOCK; i++) {
			uint32_t m = v[i] & ~MX_F32_SIGN;
			number |= m <= MX_F32_INF;
			if (m > amax && (m <= MX_F32_INF || p->keeps_nan))
				amax = m;
		}
	}
	return (mx_f32){ number || p->keeps_nan ? amax : MX_F32_NAN };
}

/* The amax of block k of a line: its own, or that of its tile. */
static mx_f32 block_amax(const struct mx_plan *p, enum direction d, size_t line, size_t k) {
	if (p->q->block == MX_BLOCK_1X32)
		return amax_of(p, d, line, 1, k);
	size_t first = d == COLWISE ? line / MX_BLOCK * MX_BLOCK : band_of(p, line)->out_row;
	return amax_of(p, d, first, MX_BLOCK, k);
}

/* Whether a block consists of padding. */
static bool is_padding(const struct mx_plan *p, enum direction d, size_t line, size_t k) {
	size_t r;
	return d == ROWWISE ? !in_input(p, line, 0, &r) : !in_input(p, k, 0, &r);
}

/* The code of item k of a line; x is its value. */
static mx_elem code_of(const struct mx_plan *p, enum direction d, size_t line, size_t k, uint32_t x,
                       mx_e8m0 s) {
	const struct mx_quantizer *q = p->q;
	size_t row = d == ROWWISE ? line : k, col = d == ROWWISE ? k : line, r;
	if (!q->hadamard && !in_input(p, row, col, &r))
		return (mx_elem){ 0 };
	return mx_scaled_encode(q->recipe, q->format, (mx_f32){ x }, s, p->rounding,
	                        random_at(p, row, col));
}

static void quantize_block(const struct mx_plan *p, enum direction d, size_t line, size_t k,
                           const struct mx_quantised *out, size_t items) {
	const struct mx_quantizer *q = p->q;
	uint32_t v[MX_BLOCK];
	mx_e8m0 s = { q->pad_scale };
	bool padding = is_padding(p, d, line, k);
	if (!padding)
		s = mx_scale(q->recipe, q->format, block_amax(p, d, line, k));
	out->scales[line * out->scale_row_bytes + k / MX_BLOCK] = s.v;
	gather(p, d, line, k, v);
	for (size_t i = 0; !padding && i < MX_BLOCK && k + i < items; i++)
		mx_elem_set(q->format, out->codes + line * out->row_bytes, k + i,
		            code_of(p, d, line, k + i, v[i], s));
}

static void quantize(const struct mx_plan *p, enum direction d, const struct mx_quantised *out) {
	size_t lines = d == ROWWISE ? p->out_rows : p->x->cols;
	size_t items = d == ROWWISE ? p->x->cols : p->out_rows;
	for (size_t line = 0; line < lines; line++) {
		if (items)
			memset(out->codes + line * out->row_bytes, 0,
			       mx_packed_bytes(p->q->format, items));
		for (size_t k = 0; k < items; k += MX_BLOCK)
			quantize_block(p, d, line, k, out, items);
	}
}

mx_status mx_quantize_plain(const struct mx_quantizer *q, const struct mx_tensor *x,
                            const struct mx_quantised *rowwise,
                            const struct mx_quantised *colwise) {
	struct mx_plan p;
	mx_status s = mx_quantize_plan(&p, q, x, rowwise, colwise);
	if (s)
		return s;
	if (rowwise)
		quantize(&p, ROWWISE, rowwise);
	if (colwise)
		quantize(&p, COLWISE, colwise);
	free(p.band);
	return MX_OK;
}
