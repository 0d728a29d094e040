/* The epilogue of a case, with C and the bias from before the launch. */
#include "epilogue.h"

#include <stdlib.h>
#include <string.h>

/* ---- from the case ---- */

static enum exact_order order_of(mx_epilogue_order order) {
	switch (order) {
	case MX_MUL_ADD: return EXACT_MUL_ADD;
	case MX_FMA_BETA: return EXACT_FMA_BETA;
	case MX_FMA_ALPHA: return EXACT_FMA_ALPHA;
	case MX_ONCE: break;
	}
	return EXACT_ONCE;
}

static enum exact_output output_of(const struct mx_plan *p) {
	const struct mx_buffer *c = mx_plan_role(p, MX_ROLE_C);
	mx_buffer_type type = c ? c->type : MX_DT_F32;
	return type == MX_DT_BF16 ? EXACT_BF16 : type == MX_DT_F16 ? EXACT_F16 : EXACT_F32;
}

/* An element of a buffer in f32. */
static uint32_t element(const struct mx_buffer *b, const uint8_t *bytes, size_t row, size_t col) {
	uint32_t x = 0;
	memcpy(&x, bytes + mx_buffer_at(b, row, col), b->type == MX_DT_F32 ? 4 : 2);
	if (b->type == MX_DT_BF16)
		x <<= 16;
	else if (b->type == MX_DT_F16)
		exact_decode("FP16", x, &x);
	return x;
}

/* The elements of a part of a buffer in f32, row by row. NULL: out of memory. */
static uint32_t *widened(const struct mx_buffer *b, const uint8_t *bytes, const struct mx_tile *t) {
	uint32_t *x = malloc((t->rows * t->cols + 1) * sizeof *x);
	for (size_t i = 0; x && i < t->rows * t->cols; i++)
		x[i] = element(b, bytes, t->row + i / t->cols, t->col + i % t->cols);
	return x;
}

static int add_terms(const struct mx_plan *p, const struct mx_data *d, struct exact_epilogue *e,
                     struct mx_error *err) {
	int c = p->epilogue.c, bias = p->epilogue.bias;
	const struct mx_tile all = { .rows = (size_t)p->M, .cols = (size_t)p->N };
	const struct mx_tile line = { .rows = 1, .cols = bias < 0 ? 0 : p->buffers[bias].cols };
	if (c >= 0 && !p->n_tiles && !(e->c = widened(&p->buffers[c], d->bytes[c], &all)))
		return mx_fail(err, "%s: out of memory", p->name);
	if (bias >= 0 && !(e->bias = widened(&p->buffers[bias], d->bytes[bias], &line)))
		return mx_fail(err, "%s: out of memory", p->name);
	return 0;
}

int mx_epilogue_make_tile(const struct mx_plan *p, const struct mx_data *d,
                          const struct exact_epilogue *e, const struct mx_tile *t,
                          struct exact_epilogue *tile, struct mx_error *err) {
	int c = p->epilogue.c;
	*tile = mx_epilogue_from(e, t->row, t->col);
	tile->ld_c = t->cols;
	if (c >= 0 && !(tile->c = widened(&p->buffers[c], d->bytes[c], t)))
		return mx_fail(err, "%s: out of memory", p->name);
	return 0;
}

int mx_epilogue_make(const struct mx_plan *p, const struct mx_data *d, struct exact_epilogue **e,
                     struct mx_error *err) {
	const struct mx_epilogue_spec *spec = p->c->epilogue;
	*e = NULL;
	if (!spec)
		return 0;
	if (!(*e = malloc(sizeof **e)))
		return mx_fail(err, "%s: out of memory", p->name);
	**e = (struct exact_epilogue){
		.order = order_of(spec->order),
		.output = output_of(p),
		.alpha = exact_bits(p->epilogue.alpha),
		.beta = exact_bits(p->epilogue.beta),
		.ld_c = (size_t)p->N,
		.c_of_zero = spec->c_of_zero,
		.bias_of_rows = mx_plan_role(p, MX_ROLE_BIAS_ROWS) != NULL,
	};
	return add_terms(p, d, *e, err);
}

void mx_epilogue_free(struct exact_epilogue *e) {
	if (!e)
		return;
	free((void *)e->c);
	free((void *)e->bias);
	free(e);
}

/* ---- parts, and f64 ---- */

struct exact_epilogue mx_epilogue_from(const struct exact_epilogue *e, size_t row, size_t col) {
	struct exact_epilogue part = *e;
	if (part.c)
		part.c += row * part.ld_c + col;
	if (part.bias)
		part.bias += part.bias_of_rows ? row : col;
	return part;
}

void mx_epilogue_f64(const struct exact_epilogue *e, size_t m, size_t n, double *acc) {
	double alpha = (double)exact_float(e->alpha), beta = (double)exact_float(e->beta);
	bool reads_c = e->c && (beta != 0 || e->c_of_zero);
	for (size_t i = 0; i < m * n; i++) {
		size_t row = i / n, col = i % n;
		acc[i] *= alpha;
		if (reads_c)
			acc[i] += beta * (double)exact_float(e->c[row * e->ld_c + col]);
		if (e->bias)
			acc[i] += (double)exact_float(e->bias[e->bias_of_rows ? row : col]);
	}
}
