/* Tensor quantisers: the checks of a call, and the division of rows into groups and bands. */
#include "quantize.h"

#include <stdlib.h>

/* n rounded up to a multiple of align; false if that overflows. */
static bool round_up(size_t n, size_t align, size_t *up) {
	size_t rest = n % align;
	return !__builtin_add_overflow(n, rest ? align - rest : 0, up);
}

static size_t align_of(const struct mx_quantizer *q) {
	return q->row_align ? q->row_align : 1;
}

static size_t groups_of(const struct mx_quantizer *q) {
	return q->group_rows ? q->groups : 1;
}

static size_t group_rows(const struct mx_quantizer *q, const struct mx_tensor *x, size_t g) {
	return q->group_rows ? q->group_rows[g] : x->rows;
}

/* Rows and bands of the output. */
static bool count(const struct mx_quantizer *q, const struct mx_tensor *x, size_t *rows,
                  size_t *bands) {
	size_t in = 0, padded;
	*rows = *bands = 0;
	for (size_t g = 0; g < groups_of(q); g++) {
		if (__builtin_add_overflow(in, group_rows(q, x, g), &in) ||
		    !round_up(group_rows(q, x, g), align_of(q), &padded) ||
		    __builtin_add_overflow(*rows, padded, rows))
			return false;
		*bands += padded / MX_BLOCK + (padded % MX_BLOCK != 0);
	}
	return in == x->rows;
}

size_t mx_quantised_rows(const struct mx_quantizer *q, const struct mx_tensor *x) {
	size_t rows, bands;
	return q && x && count(q, x, &rows, &bands) ? rows : 0;
}

static mx_status check_options(const struct mx_quantizer *q, const struct mx_tensor *x) {
	const struct mx_recipe_info *recipe = mx_recipe_info(q->recipe);
	if (!recipe)
		return MX_BAD_RECIPE;
	if ((unsigned)q->format >= MX_FORMATS || !(recipe->formats >> q->format & 1))
		return MX_BAD_FORMAT;
	if ((unsigned)x->dtype >= MX_DTYPES || (unsigned)q->block > MX_BLOCK_32X32 ||
	    (q->override && (unsigned)q->rounding > MX_SR))
		return MX_BAD_OPTION;
	return MX_OK;
}

static size_t distance(ptrdiff_t stride) {
	return stride < 0 ? -(size_t)stride : (size_t)stride;
}

/* Whether a nonzero stride is smaller than an element. */
static bool splits(size_t n, ptrdiff_t stride, size_t size) {
	return n > 1 && stride && distance(stride) < size;
}

/* The distance from the first to the last of n elements. */
static bool span(size_t n, ptrdiff_t stride, size_t *bytes) {
	return !__builtin_mul_overflow(n - 1, distance(stride), bytes) && *bytes <= PTRDIFF_MAX;
}

mx_status mx_check_tensor(const struct mx_tensor *x) {
	size_t size = mx_dtype_bytes(x->dtype), down, across;
	if (!x->data)
		return MX_BAD_POINTER;
	if (splits(x->rows, x->row_bytes, size) || splits(x->cols, x->col_bytes, size))
		return MX_BAD_STRIDE;
	if (!span(x->rows, x->row_bytes, &down) || !span(x->cols, x->col_bytes, &across) ||
	    down > PTRDIFF_MAX - across)
		return MX_BAD_SHAPE;
	return MX_OK;
}

static mx_status check_input(const struct mx_plan *p) {
	const struct mx_tensor *x = p->x;
	size_t elements;
	if (!x->rows || !x->cols)
		return MX_OK;
	if (x->data && p->rounding == MX_SR && !p->q->random)
		return MX_BAD_POINTER;
	mx_status s = mx_check_tensor(x);
	if (!s && __builtin_mul_overflow(p->out_rows, x->cols, &elements))
		s = MX_BAD_SHAPE;
	return s;
}

static bool reaches_next(size_t rows, size_t bytes, size_t stride) {
	return rows > 1 && stride < bytes;
}

static mx_status check_output(const struct mx_quantised *o, mx_format f, size_t rows, size_t cols) {
	size_t bytes = mx_packed_bytes(f, cols), blocks = cols / MX_BLOCK + (cols % MX_BLOCK != 0);
	size_t end;
	if (!o || !rows || !cols)
		return MX_OK;
	if (!o->codes || !o->scales)
		return MX_BAD_POINTER;
	if (reaches_next(rows, bytes, o->row_bytes) ||
	    reaches_next(rows, blocks, o->scale_row_bytes))
		return MX_BAD_STRIDE;
	if (__builtin_mul_overflow(rows - 1, o->row_bytes, &end) || end > PTRDIFF_MAX - bytes ||
	    __builtin_mul_overflow(rows - 1, o->scale_row_bytes, &end) ||
	    end > PTRDIFF_MAX - blocks)
		return MX_BAD_SHAPE;
	return MX_OK;
}

static mx_status check_groups(const struct mx_plan *p) {
	const struct mx_quantizer *q = p->q;
	if (q->group_rows && q->groups > 1 && align_of(q) % MX_BLOCK &&
	    (p->colwise || q->block == MX_BLOCK_32X32))
		return MX_BAD_OPTION;
	if (q->hadamard && ((p->rowwise && p->x->cols % 16) || (p->colwise && p->out_rows % 16)))
		return MX_BAD_SHAPE; /* with several groups, each is a multiple of 32 */
	return MX_OK;
}

static mx_status check_outputs(const struct mx_plan *p) {
	mx_status s = check_output(p->rowwise, p->q->format, p->out_rows, p->x->cols);
	return s ? s : check_output(p->colwise, p->q->format, p->x->cols, p->out_rows);
}

static void fill_bands(struct mx_plan *p) {
	struct mx_band *b = p->band;
	size_t in = 0, out = 0;
	for (size_t g = 0; g < groups_of(p->q); g++) {
		size_t rows = group_rows(p->q, p->x, g), padded;
		round_up(rows, align_of(p->q), &padded);
		for (size_t at = 0; at < padded; at += MX_BLOCK) {
			size_t left = at < rows ? rows - at : 0, all = padded - at;
			*b++ = (struct mx_band){
				.in_row = in + at,
				.out_row = out + at,
				.rows = left < MX_BLOCK ? left : MX_BLOCK,
				.padded = all < MX_BLOCK ? all : MX_BLOCK,
			};
		}
		in += rows;
		out += padded;
	}
}

mx_status mx_quantize_plan(struct mx_plan *p, const struct mx_quantizer *q,
                           const struct mx_tensor *x, const struct mx_quantised *rowwise,
                           const struct mx_quantised *colwise) {
	if (!q || !x || (!rowwise && !colwise))
		return MX_BAD_POINTER;
	mx_status s = check_options(q, x);
	if (s)
		return s;
	const struct mx_recipe_info *recipe = mx_recipe_info(q->recipe);
	*p = (struct mx_plan){ q,
		               x,
		               rowwise,
		               colwise,
		               q->override ? q->rounding : recipe->rounding,
		               recipe->keeps_nan };
	if (!count(q, x, &p->out_rows, &p->bands))
		return MX_BAD_SHAPE;
	if ((s = check_groups(p)) || (s = check_input(p)) || (s = check_outputs(p)))
		return s;
	if (!x->cols)
		p->bands = 0;
	if (!(p->band = calloc(p->bands + 1, sizeof *p->band)))
		return MX_NO_MEMORY;
	if (p->bands)
		fill_bands(p);
	return MX_OK;
}
