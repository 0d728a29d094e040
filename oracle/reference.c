/* Judges of a case with a reference: its outputs against values in f64, within derived bounds
 * (judge bound) or within a tolerance of the case (judge close); or against the bits of a profile
 * (judge bits of a product). */
#include "reference_inside.h"
#include "../cases/dtype.h"
#include "map.h"
#include "product.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- values of inputs ---- */

/* The scale of an element, of scales that divide rows and columns evenly; without them 1. */
static double scale_at(const struct mx_bench *b, mx_slot scale, const struct mx_buffer *of,
                       size_t row, size_t col) {
	const struct mx_buffer *s = buffer_of(b, scale);
	return s ? input(b, scale, row * s->rows / of->rows, col * s->cols / of->cols) : 1;
}

/* The values of a buffer, and those times their scales. */
static double *scaled_values(const struct mx_bench *b, mx_slot k, mx_slot scale) {
	const struct mx_buffer *s = buffer_of(b, k);
	double *x = malloc((s->rows * s->cols + 1) * sizeof *x);
	for (size_t i = 0; x && i < s->rows * s->cols; i++)
		x[i] = input(b, k, i / s->cols, i % s->cols) *
		       (scale == k ? 1 : scale_at(b, scale, s, i / s->cols, i % s->cols));
	return x;
}

static double *values(const struct mx_bench *b, mx_slot k) {
	return scaled_values(b, k, k);
}

/* ---- expected outputs ---- */

static int allocate(const struct mx_bench *b, mx_slot k, struct expected *x) {
	const struct mx_buffer *s = buffer_of(b, k);
	size_t n = s ? s->rows * s->cols : 0;
	x->value = calloc(n + 1, sizeof *x->value);
	x->bound = calloc(n + 1, sizeof *x->bound);
	return x->value && x->bound ? 0 : -1;
}

static void release(struct expected *x) {
	free(x->value);
	free(x->bound);
}

/* ---- products ---- */

static int factor_of(const struct mx_bench *b, mx_slot k, mx_slot scale, const size_t block[2],
                     struct exact_factor *f) {
	const struct mx_buffer *s = buffer_of(b, k);
	double least = mx_least_normal(s->type);
	double *value = values(b, k), *nominal = malloc((s->rows * s->cols + 1) * sizeof *nominal);
	*f = (struct exact_factor){ value, nominal };
	for (size_t i = 0; value && nominal && i < s->rows * s->cols; i++) {
		size_t row = i / s->cols / (buffer_of(b, scale) ? block[0] : 1);
		double by = buffer_of(b, scale) ? input(b, scale, row, i % s->cols / block[1]) : 1;
		nominal[i] = value[i] == 0 ? 0 : fmax(fabs(value[i]), least) * fabs(by);
		value[i] *= by;
	}
	return value && nominal ? 0 : -1;
}

static enum exact_accumulator accumulator_of(const struct mx_bench *b) {
	const struct mx_buffer *a = buffer_of(b, MX_SLOT_A), *c = buffer_of(b, MX_SLOT_B);
	if (a->type == MX_DT_F64 && c->type == MX_DT_F64)
		return EXACT_IN_F64;
	const size_t *x = b->plan.reference.a_block, *y = b->plan.reference.b_block;
	bool whole = (!buffer_of(b, MX_SLOT_A_SCALE) || x[1] >= a->cols) &&
	             (!buffer_of(b, MX_SLOT_B_SCALE) || y[1] >= a->cols);
	return a->type == MX_DT_I8 && c->type == MX_DT_I8 && whole ? EXACT_IN_I32 : EXACT_IN_F32;
}

static int product(const struct mx_bench *b, struct expected *c, struct mx_error *err) {
	const struct mx_reference *r = &b->plan.reference;
	struct exact_factor a = { 0 }, x = { 0 };
	double *bias = buffer_of(b, MX_SLOT_BIAS) ? values(b, MX_SLOT_BIAS) : NULL;
	enum exact_status status = EXACT_NO_MEMORY;
	if (!factor_of(b, MX_SLOT_A, MX_SLOT_A_SCALE, r->a_block, &a) &&
	    !factor_of(b, MX_SLOT_B, MX_SLOT_B_SCALE, r->b_block, &x)) {
		struct exact_scaled p = {
			.m = buffer_of(b, MX_SLOT_A)->rows,
			.n = buffer_of(b, MX_SLOT_B)->rows,
			.k = buffer_of(b, MX_SLOT_A)->cols,
			.a = a,
			.b = x,
			.in = accumulator_of(b),
			.scalings =
				!!buffer_of(b, MX_SLOT_A_SCALE) + !!buffer_of(b, MX_SLOT_B_SCALE),
			.bias = bias,
		};
		status = exact_scaled(&p, c->value, c->bound);
	}
	free((double *)a.value);
	free((double *)a.nominal);
	free((double *)x.value);
	free((double *)x.nominal);
	free(bias);
	return status == EXACT_OK ? 0
	                          : mx_fail(err, "%s: %s", b->plan.name, exact_strerror(status));
}

/* The bits of a product of f32, by its instruction. */
static int f32_product(const struct mx_bench *b, struct expected *c, struct mx_error *err) {
	const struct mx_arithmetic *how = &b->arithmetic;
	const struct mx_dense *op = mx_dense_by_name(b->plan.c->verdict.instruction);
	const struct mx_buffer *s = buffer_of(b, MX_SLOT_A);
	size_t rows = s->rows, cols = buffer_of(b, MX_SLOT_B)->rows, k = s->cols;
	double *a = values(b, MX_SLOT_A), *x = values(b, MX_SLOT_B);
	for (size_t i = 0; a && x && i < rows * cols; i++)
		c->value[i] = (double)exact_float(exact_member_f32(how->row ? &how->member : NULL,
		                                                   op->k, k, a + i / cols * k,
		                                                   x + i % cols * k, 0));
	free(a);
	free(x);
	return a && x ? 0 : mx_fail(err, "%s: out of memory", b->plan.name);
}

/* The codes of a matrix with their scales, as they are before the launch. */
static struct exact_operand operand_of(const struct mx_bench *b, mx_slot k, mx_slot scale) {
	const struct mx_buffer *x = buffer_of(b, k), *s = buffer_of(b, scale);
	const int *slot = b->plan.reference.slot;
	return (struct exact_operand){
		.format = mx_format_info(dtype_format(x->type))->name,
		.codes = b->data.bytes[slot[k]],
		.scales = b->data.bytes[slot[scale]],
		.ld = mx_buffer_data(x, 1),
		.ld_scales = mx_buffer_data(s, 1),
		.scale = s->type == MX_DT_E8M0   ? "E8M0"
		         : s->type == MX_DT_E5M3 ? "E5M3"
		                                 : "E4M3",
		.block = mx_wmma_by_name(b->plan.c->verdict.instruction)->block,
	};
}

/* The bits of a product with scales, by its instruction. */
static int scaled_product(const struct mx_bench *b, struct expected *c, struct mx_error *err) {
	const struct exact_gemm g = {
		.m = buffer_of(b, MX_SLOT_A)->rows,
		.n = buffer_of(b, MX_SLOT_B)->rows,
		.k = buffer_of(b, MX_SLOT_A)->cols,
		.a = operand_of(b, MX_SLOT_A, MX_SLOT_A_SCALE),
		.b = operand_of(b, MX_SLOT_B, MX_SLOT_B_SCALE),
		.threads = mx_judge_n_threads(),
	};
	const struct mx_wmma *op = mx_wmma_by_name(b->plan.c->verdict.instruction);
	uint32_t *bits = malloc((g.m * g.n + 1) * sizeof *bits);
	enum exact_status s =
		bits ? mx_arithmetic_product(&b->arithmetic, &g, op->k, bits) : EXACT_NO_MEMORY;
	for (size_t i = 0; !s && i < g.m * g.n; i++)
		c->value[i] = (double)exact_float(bits[i]);
	free(bits);
	return s ? mx_fail(err, "%s: %s", b->plan.name, exact_strerror(s)) : 0;
}

static int product_bits(const struct mx_bench *b, struct expected *c, struct mx_error *err) {
	return (buffer_of(b, MX_SLOT_A_SCALE) ? scaled_product : f32_product)(b, c, err);
}

/* ---- attention ---- */

/* Rows and columns of one batch and head; the rows follow each other if `row` is NULL. */
struct part {
	size_t first, rows, col, cols;
	const size_t *row;
};

static double *cut(const struct mx_buffer *s, const double *from, struct part x) {
	double *to = malloc((x.rows * x.cols + 1) * sizeof *to);
	for (size_t i = 0; to && i < x.rows; i++)
		memcpy(to + i * x.cols, from + (x.row ? x.row[i] : x.first + i) * s->cols + x.col,
		       x.cols * sizeof *to);
	return to;
}

static struct part part_of(const struct mx_buffer *s, size_t batches, size_t heads, size_t batch,
                           size_t head) {
	size_t rows = s->rows / batches, cols = s->cols / heads;
	return (struct part){ batch * rows, rows, head * cols, cols, NULL };
}

/* The part of K or V that belongs to these keys. */
static struct part keys_of(const struct mx_buffer *s, size_t heads, size_t head, size_t n,
                           const size_t *row) {
	size_t cols = s->cols / heads;
	return (struct part){ 0, n, head * cols, cols, row };
}

/* Where the pages of a batch are, and its keys; false: not a number that can be right. */
struct keys {
	size_t row, col, n; /* of the table of pages */
};

static bool place_keys(const struct mx_bench *b, size_t batch, struct keys *x) {
	const struct mx_reference *r = &b->plan.reference;
	*x = (struct keys){ batch, 0, r->keys };
	if (buffer_of(b, MX_SLOT_LENGTHS))
		x->n = table(b, MX_SLOT_LENGTHS, 0, batch);
	if (!buffer_of(b, MX_SLOT_PAGE_BEGIN))
		return x->n <= r->keys;
	size_t from = table(b, MX_SLOT_PAGE_BEGIN, 0, batch),
	       to = table(b, MX_SLOT_PAGE_BEGIN, 0, batch + 1),
	       last = buffer_of(b, MX_SLOT_LAST_PAGE) ? table(b, MX_SLOT_LAST_PAGE, 0, batch)
	                                              : r->page;
	if (from > to || to > buffer_of(b, MX_SLOT_PAGES)->cols || last > r->page)
		return false;
	size_t most = (to - from) * r->page;
	x->row = 0;
	x->col = from;
	if (!buffer_of(b, MX_SLOT_LENGTHS))
		x->n = most ? most - r->page + last : 0;
	return x->n <= most;
}

/* The rows of K and V that are the keys of a batch, in order. */
static int find_keys(const struct mx_bench *b, size_t batch, size_t *n, size_t *row,
                     struct mx_error *err) {
	const struct mx_reference *r = &b->plan.reference;
	size_t rows = buffer_of(b, MX_SLOT_K)->rows;
	struct keys x;
	if (!place_keys(b, batch, &x))
		return mx_fail(err, "%s: batch %zu has more keys or pages than there are",
		               b->plan.name, batch);
	*n = x.n;
	for (size_t j = 0; j < x.n; j++) {
		size_t page = r->page ? table(b, MX_SLOT_PAGES, x.row, x.col + j / r->page) : 0;
		row[j] = r->page ? page * r->page + j % r->page : batch * r->keys + j;
		if (page > rows || row[j] >= rows)
			return mx_fail(err, "%s: batch %zu: page %zu is not in K", b->plan.name,
			               batch, page);
	}
	return 0;
}

static struct exact_inner weights_of(mx_weights p) {
	static const struct exact_inner blocks[] = {
		[MX_WEIGHTS_E4M3_UP] = { EXACT_BLOCKS_E4M3, .limit = 448 },
		[MX_WEIGHTS_E2M1_UP] = { EXACT_BLOCKS_E2M1, .limit = 6 },
	};
	static const mx_buffer_type types[] = {
		[MX_WEIGHTS_F32] = MX_DT_F32,   [MX_WEIGHTS_BF16] = MX_DT_BF16,
		[MX_WEIGHTS_F16] = MX_DT_F16,   [MX_WEIGHTS_E4M3] = MX_DT_E4M3,
		[MX_WEIGHTS_E5M2] = MX_DT_E5M2,
	};
	if (p >= MX_WEIGHTS_BLOCKS)
		return blocks[p];
	return (struct exact_inner){ .digits = mx_digits(types[p]),
		                     .least = mx_unit_in_last_place(types[p], 0) };
}

/* The inputs of all heads. */
struct inputs {
	double *q, *k, *v;
};

static enum exact_status one_head(const struct mx_bench *b, const struct inputs *in, size_t batch,
                                  size_t head, const struct part *keys, struct expected *o,
                                  struct expected *lse) {
	const struct mx_reference *r = &b->plan.reference;
	const struct mx_buffer *sq = buffer_of(b, MX_SLOT_Q), *sk = buffer_of(b, MX_SLOT_K),
			       *sv = buffer_of(b, MX_SLOT_V), *so = buffer_of(b, MX_SLOT_O);
	size_t kv = head / (r->heads / r->kv_heads);
	struct part q = part_of(sq, r->batch, r->heads, batch, head),
		    k = keys_of(sk, r->kv_heads, kv, keys->rows, keys->row),
		    v = keys_of(sv, r->kv_heads, kv, keys->rows, keys->row),
		    out = part_of(so, r->batch, r->heads, batch, head);
	v.cols = r->width;
	double *xq = cut(sq, in->q, q), *xk = cut(sk, in->k, k), *xv = cut(sv, in->v, v);
	double *all = malloc((2 * q.rows * (v.cols + 1) + 1) * sizeof *all);
	double *bound = all + q.rows * v.cols, *l = all + 2 * q.rows * v.cols;
	enum exact_status status = EXACT_NO_MEMORY;
	struct exact_attention p = {
		.queries = q.rows,
		.keys = k.rows,
		.depth = q.cols,
		.width = v.cols,
		.q = xq,
		.k = xk,
		.v = xv,
		.scale = r->scale,
		.mask = (enum exact_mask)b->plan.c->reference->mask,
		.p = weights_of(b->plan.c->reference->p),
		.tile = r->tile,
		.lazy = (double)r->lazy,
		.scalings = !!buffer_of(b, MX_SLOT_Q_SCALE) + !!buffer_of(b, MX_SLOT_K_SCALE) +
		            !!buffer_of(b, MX_SLOT_V_SCALE),
	};
	if (xq && xk && xv && all)
		status = exact_attention(&p, all, bound, l, l + q.rows);
	for (size_t i = 0; status == EXACT_OK && i < q.rows; i++) {
		size_t to = (out.first + i) * so->cols + out.col;
		memcpy(o->value + to, all + i * v.cols, v.cols * sizeof *all);
		memcpy(o->bound + to, bound + i * v.cols, v.cols * sizeof *all);
		if (buffer_of(b, MX_SLOT_LSE)) {
			lse->value[(batch * r->heads + head) * q.rows + i] = l[i];
			lse->bound[(batch * r->heads + head) * q.rows + i] = l[q.rows + i];
		}
	}
	free(xq);
	free(xk);
	free(xv);
	free(all);
	return status;
}

static int one_batch(const struct mx_bench *b, const struct inputs *in, size_t batch,
                     struct expected *o, struct expected *lse, struct mx_error *err) {
	const struct mx_reference *r = &b->plan.reference;
	size_t *row = malloc((r->keys + 1) * sizeof *row);
	struct part keys = { .row = row };
	enum exact_status status = row ? EXACT_OK : EXACT_NO_MEMORY;
	int rc = row ? find_keys(b, batch, &keys.rows, row, err) : 0;
	for (size_t head = 0; !rc && status == EXACT_OK && head < r->heads; head++)
		status = one_head(b, in, batch, head, &keys, o, lse);
	free(row);
	return status == EXACT_OK ? rc
	                          : mx_fail(err, "%s: %s", b->plan.name, exact_strerror(status));
}

static int attention(const struct mx_bench *b, struct expected *o, struct expected *lse,
                     struct mx_error *err) {
	struct inputs in = { scaled_values(b, MX_SLOT_Q, MX_SLOT_Q_SCALE),
		             scaled_values(b, MX_SLOT_K, MX_SLOT_K_SCALE),
		             scaled_values(b, MX_SLOT_V, MX_SLOT_V_SCALE) };
	int rc = in.q && in.k && in.v ? 0 : mx_fail(err, "%s: out of memory", b->plan.name);
	for (size_t i = 0; !rc && i < b->plan.reference.batch; i++)
		rc = one_batch(b, &in, i, o, lse, err);
	free(in.q);
	free(in.k);
	free(in.v);
	return rc;
}

/* ---- comparison ---- */

static float next_down(float x) {
	return nextafterf(x, -INFINITY);
}

/* The code of an output of at most 32 bits. */
static uint32_t rounded_code(mx_buffer_type type, mx_output_rounding r, float x) {
	static const enum exact_rounding rounding[] = { [MX_ROUND_RNE] = EXACT_RNE,
		                                        [MX_ROUND_RTZ] = EXACT_RTZ,
		                                        [MX_ROUND_HALF_UP] = EXACT_RNA };
	uint32_t bits = exact_bits(x), code = bits;
	if (type != MX_DT_F32)
		exact_encode(mx_type_format(type), bits, 0, rounding[r], EXACT_OVERFLOW, 0, &code);
	return code;
}

/* The output for an accumulator x, or for the f32 below (above) it. */
static double rounded(mx_buffer_type type, mx_output_rounding r, double x, bool up) {
	if (type == MX_DT_F64)
		return x;
	float f = (float)x;
	if (up && (double)f < x)
		f = -next_down(-f);
	if (!up && (double)f > x)
		f = next_down(f);
	uint32_t code = rounded_code(type, r, f);
	return mx_value(type, (const uint8_t *)&code, 0);
}

/* The distance of an output from the value, as a share of what the bound allows on that side; above
 * 1 it is outside. */
static double share_of_bound(const struct mx_bench *b, mx_buffer_type type, double got,
                             double value, double bound) {
	mx_output_rounding r = b->plan.c->reference->rounding;
	if (isnan(value) || isinf(bound))
		return isnan(value) && !isnan(got) ? INFINITY : 0;
	if (isinf(value))
		return got == value ? 0 : INFINITY;
	double low = rounded(type, r, value - bound, false),
	       high = rounded(type, r, value + bound, true);
	if (!(got >= low && got <= high))
		return INFINITY;
	double room = got < value ? value - low : high - value;
	return room > 0 ? fabs(got - value) / room : 0;
}

struct judged {
	struct mx_bench *b;
	struct mx_verdict *v;
	double used;
	size_t exact;  /* outputs with one right value */
	bool measured; /* an output has the metrics */
};

static double share_of(const struct judged *j, mx_buffer_type type, double got, double value,
                       double bound) {
	if (j->b->plan.c->verdict.judge == MX_JUDGE_CLOSE)
		return mx_tolerance_used(j->b, type, got, value);
	return share_of_bound(j->b, type, got, value, bound);
}

struct output {
	const struct mx_buffer *s;
	const uint8_t *got, *unwritten;
};

static struct output output_of(const struct mx_bench *b, mx_slot k) {
	const struct mx_buffer *s = buffer_of(b, k);
	const struct bench_buffer *x = &b->buffer[b->plan.reference.slot[k]];
	return (struct output){ s, x->after + s->guard, x->unwritten + s->guard };
}

static double output_value(const struct output *o, size_t row, size_t col) {
	return mx_value(o->s->type, o->got + mx_buffer_at(o->s, row, col), 0);
}

static bool is_unwritten(const struct output *o, size_t row, size_t col) {
	size_t at = mx_buffer_at(o->s, row, col);
	for (size_t i = 0; i < dtype_bytes(o->s->type, 1); i++)
		if (o->unwritten[at + i])
			return true;
	return false;
}

/* An output, and the values that it must have. */
struct drawn {
	struct judged *j;
	const struct output *o;
	const struct expected *x;
};

static void element_of(void *context, size_t row, size_t col, struct mx_map_value *v) {
	const struct drawn *d = context;
	const struct mx_buffer *s = d->o->s;
	size_t i = row * s->cols + col;
	v->got = mx_code_in(s, d->o->got, row, col);
	v->got_value = output_value(d->o, row, col);
	v->want_value = d->x->value[i];
	v->no_code = true;
	v->unwritten = is_unwritten(d->o, row, col);
	v->wrong = v->unwritten ||
	           share_of(d->j, s->type, v->got_value, d->x->value[i], d->x->bound[i]) > 1;
}

/* The metrics of a run are those of its first output with codes of a format. */
static void measure(struct judged *j, const struct output *o, const struct expected *x) {
	const char *format = mx_type_format(o->s->type);
	size_t n = o->s->rows * o->s->cols;
	double *value = malloc((n + 1) * sizeof *value);
	uint32_t *want = malloc((n + 1) * sizeof *want), *got = malloc((n + 1) * sizeof *got);
	bool measures = !j->measured && format[0] && value && want && got;
	for (size_t i = 0; measures && i < n; i++) {
		size_t row = i / o->s->cols, col = i % o->s->cols;
		value[i] = output_value(o, row, col);
		got[i] = (uint32_t)mx_code_in(o->s, o->got, row, col);
		want[i] = rounded_code(o->s->type, j->b->plan.c->reference->rounding,
		                       (float)x->value[i]);
	}
	if (measures) {
		j->v->snr_dequantised = mx_snr(n, x->value, value);
		mx_row_error(o->s->rows, o->s->cols, x->value, value, &j->v->metrics);
		mx_ulps(n, format, want, got, &j->v->metrics);
		j->measured = true;
	}
	free(value);
	free(want);
	free(got);
}

static void judge_values(struct judged *j, mx_slot k, const struct expected *x) {
	struct output o = output_of(j->b, k);
	size_t wrong = 0, first = 0, n = o.s->rows * o.s->cols;
	bool close = j->b->plan.c->verdict.judge == MX_JUDGE_CLOSE,
	     bits = j->b->plan.c->verdict.judge == MX_JUDGE_BITS;
	for (size_t i = 0; i < n; i++) {
		size_t row = i / o.s->cols, col = i % o.s->cols;
		double share = share_of(j, o.s->type, output_value(&o, row, col), x->value[i],
		                        x->bound[i]);
		j->exact += x->bound[i] == 0;
		if ((share > 1 || is_unwritten(&o, row, col)) && wrong++ == 0)
			first = i;
		if (share <= 1)
			j->used = fmax(j->used, share);
	}
	j->v->checked += n;
	j->v->wrong += wrong;
	measure(j, &o, x);
	if (!wrong)
		return;
	mx_map_add(j->b, o.s, o.s->rows, o.s->cols, element_of, &(struct drawn){ j, &o, x });
	size_t row = first / o.s->cols, col = first % o.s->cols;
	mx_verdict_locate(j->v, j->b, o.s, (long long)mx_buffer_at(o.s, row, col));
	mx_verdict_add(
		j->v, MX_WRONG_NUMBERS,
		is_unwritten(&o, row, col) ? "not-written"
		: close                    ? "out-of-tolerance"
		: bits                     ? "wrong-bits"
					   : "out-of-bound",
		"%s[%zu][%zu] is %.9g, must be %.9g within %.3g before it is rounded; %zu of %zu "
		"elements are wrong",
		o.s->name, row, col, output_value(&o, row, col), x->value[first], x->bound[first],
		wrong, n);
}

/* ---- softmax and top-k ---- */

static int softmax(const struct mx_bench *b, struct expected *y, struct mx_error *err) {
	const struct mx_buffer *s = buffer_of(b, MX_SLOT_X);
	double *x = values(b, MX_SLOT_X);
	enum exact_status status =
		x ? exact_softmax(s->rows, s->cols, x, y->value, y->bound) : EXACT_NO_MEMORY;
	free(x);
	return status == EXACT_OK ? 0
	                          : mx_fail(err, "%s: %s", b->plan.name, exact_strerror(status));
}

static int norm(const struct mx_bench *b, struct expected *y, struct mx_error *err) {
	const struct mx_buffer *s = buffer_of(b, MX_SLOT_X);
	double *x = values(b, MX_SLOT_X), *bias = NULL, *weight = NULL;
	struct exact_norm p = { .rows = s->rows,
		                .n = s->cols,
		                .x = x,
		                .eps = b->plan.reference.eps,
		                .centred = b->plan.c->reference->op == MX_REFERENCE_LAYER_NORM };
	if (buffer_of(b, MX_SLOT_WEIGHT))
		p.weight = weight = values(b, MX_SLOT_WEIGHT);
	if (buffer_of(b, MX_SLOT_BIAS))
		p.bias = bias = values(b, MX_SLOT_BIAS);
	bool all = x && !weight == !buffer_of(b, MX_SLOT_WEIGHT) &&
	           !bias == !buffer_of(b, MX_SLOT_BIAS);
	enum exact_status status = all ? exact_norm(&p, y->value, y->bound) : EXACT_NO_MEMORY;
	free(x);
	free(weight);
	free(bias);
	return status == EXACT_OK ? 0
	                          : mx_fail(err, "%s: %s", b->plan.name, exact_strerror(status));
}

/* The value that the k-th largest weight may fall short of. */
static double threshold(const double *y, const double *bound, size_t n, size_t k) {
	double least = INFINITY;
	bool *used = calloc(n + 1, sizeof *used);
	for (size_t i = 0; used && i < k; i++) {
		size_t best = n;
		for (size_t j = 0; j < n; j++)
			if (!used[j] && (best == n || y[j] > y[best]))
				best = j;
		used[best] = true;
		least = y[best] - bound[best];
	}
	free(used);
	return least;
}

static size_t index_at(const struct output *o, size_t row, size_t col) {
	uint32_t i;
	memcpy(&i, o->got + mx_buffer_at(o->s, row, col), sizeof i);
	return i;
}

/* Why a column may not be among the largest; NULL: it may. Columns whose weights differ by less
 * than the bounds may be taken for each other. */
static const char *bad_index(const struct output *o, size_t row, size_t col, const double *y,
                             const double *bound, size_t n, double least) {
	size_t i = index_at(o, row, col);
	if (is_unwritten(o, row, col))
		return "was not written";
	if (i >= n)
		return "is no column";
	for (size_t k = 0; k < col; k++)
		if (index_at(o, row, k) == i)
			return "is there twice";
	return y[i] + bound[i] < least ? "is not among the largest" : NULL;
}

static void note_index(struct judged *j, const struct output *o, size_t row, size_t col,
                       const char *why) {
	mx_verdict_locate(j->v, j->b, o->s, (long long)mx_buffer_at(o->s, row, col));
	mx_verdict_add(j->v, MX_WRONG_NUMBERS, "out-of-bound", "%s[%zu][%zu] is %zu, which %s",
	               o->s->name, row, col, index_at(o, row, col), why);
}

/* Expected weights of the columns that the launch chose. With renormalise they are divided by their
 * sum, of k terms: each error adds to it, and 2^-23 for each addition and 2^-21 for the division.
 */
static void expect_row(const struct mx_bench *b, const struct output *o, size_t row, size_t n,
                       const double *y, const double *bound, struct expected *w) {
	size_t k = o->s->cols;
	double sum = 0, wrong = 0;
	for (size_t c = 0; c < k; c++) {
		size_t i = index_at(o, row, c);
		w->value[row * k + c] = i < n ? y[i] : NAN;
		w->bound[row * k + c] = i < n ? bound[i] : 0;
		sum += i < n ? y[i] : 0;
		wrong += i < n ? bound[i] : 0;
	}
	if (!b->plan.c->reference->renormalise)
		return;
	wrong += sum * ((double)k * 0x1p-22);
	for (size_t c = 0; c < k; c++) {
		double value = w->value[row * k + c], e = w->bound[row * k + c];
		w->value[row * k + c] = value / sum;
		w->bound[row * k + c] =
			(e + value / sum * wrong) / (sum - wrong) + 0x1p-21 * value / sum;
	}
}

static int judge_topk(struct judged *j, struct mx_error *err) {
	const struct mx_buffer *s = buffer_of(j->b, MX_SLOT_X);
	struct output o = output_of(j->b, MX_SLOT_INDICES);
	struct expected y = { calloc(s->rows * s->cols + 1, sizeof(double)),
		              calloc(s->rows * s->cols + 1, sizeof(double)) },
			w = { 0 };
	int status = y.value && y.bound && !allocate(j->b, MX_SLOT_WEIGHTS, &w)
	                     ? softmax(j->b, &y, err)
	                     : mx_fail(err, "%s: out of memory", j->b->plan.name);
	for (size_t row = 0; !status && row < s->rows; row++) {
		const double *value = y.value + row * s->cols, *bound = y.bound + row * s->cols;
		double least = threshold(value, bound, s->cols, o.s->cols);
		for (size_t c = 0; c < o.s->cols; c++) {
			const char *why = bad_index(&o, row, c, value, bound, s->cols, least);
			j->v->checked++;
			j->v->wrong += why != NULL;
			if (why)
				note_index(j, &o, row, c, why);
		}
		expect_row(j->b, &o, row, s->cols, value, bound, &w);
	}
	if (!status)
		judge_values(j, MX_SLOT_WEIGHTS, &w);
	release(&y);
	release(&w);
	return status;
}

/* ---- all ---- */

/* The outputs of a reference but top-k; lse: of attention. */
static int expect(const struct mx_bench *b, struct expected *x, struct expected *lse,
                  struct mx_error *err) {
	switch (b->plan.c->reference->op) {
	case MX_REFERENCE_PRODUCT:
		return (b->plan.c->verdict.instruction ? product_bits : product)(b, x, err);
	case MX_REFERENCE_ATTENTION: return attention(b, x, lse, err);
	case MX_REFERENCE_SOFTMAX: return softmax(b, x, err);
	case MX_REFERENCE_MOE: return mx_expect_moe(b, x, err);
	case MX_REFERENCE_LAYER_NORM:
	case MX_REFERENCE_RMS_NORM: return norm(b, x, err);
	case MX_REFERENCE_TOPK: break;
	}
	return 0;
}

static int judge_one(struct judged *j, mx_slot k, struct mx_error *err) {
	struct expected x = { 0 }, lse = { 0 };
	int status = allocate(j->b, k, &x) || allocate(j->b, MX_SLOT_LSE, &lse)
	                     ? mx_fail(err, "%s: out of memory", j->b->plan.name)
	                     : expect(j->b, &x, &lse, err);
	if (!status)
		judge_values(j, k, &x);
	if (!status && buffer_of(j->b, MX_SLOT_LSE))
		judge_values(j, MX_SLOT_LSE, &lse);
	release(&x);
	release(&lse);
	return status;
}

/* A member that f32 cannot have stands for the chain, as a named profile does. */
static void describe_bits(const struct mx_bench *b, const char *rounding, struct mx_verdict *v) {
	const struct mx_arithmetic *a = &b->arithmetic;
	const char *name = b->plan.c->verdict.instruction;
	const struct mx_wmma *wmma = mx_wmma_by_name(name);
	bool chain = !wmma && (!a->row || a->member.align);
	snprintf(v->basis, sizeof v->basis, "%s%s, K in order by %u of %s, one accumulator (%s)",
	         chain ? "" : "profile ", chain ? "chain of FMAs (assumed)" : a->text,
	         wmma ? wmma->k : mx_dense_by_name(name)->k, name, rounding);
}

static void describe(const struct judged *j) {
	struct mx_verdict *v = j->v;
	if (j->b->plan.c->verdict.judge == MX_JUDGE_CLOSE) {
		mx_tolerance_describe(j->b, "the f64 reference", j->used, v);
		return;
	}
	const char *r = mx_output_rounding_name(j->b->plan.c->reference->rounding);
	if (j->b->plan.c->verdict.judge == MX_JUDGE_BITS) {
		describe_bits(j->b, r, v);
		return;
	}
	if (j->exact == v->checked)
		snprintf(v->basis, sizeof v->basis,
		         "f64 reference; exact: nothing rounds, in any order, before the output "
		         "(%s)",
		         r);
	else
		snprintf(v->basis, sizeof v->basis,
		         "f64 reference, derived bound of any order, then the output's rounding "
		         "(%s); "
		         "%.2g of it used at most",
		         r, j->used);
}

int mx_judge_reference(struct mx_bench *b, struct mx_verdict *v, struct mx_error *err) {
	struct judged j = { .b = b, .v = v };
	int status = 0;
	switch (b->plan.c->reference->op) {
	case MX_REFERENCE_PRODUCT: status = judge_one(&j, MX_SLOT_C, err); break;
	case MX_REFERENCE_MOE:
	case MX_REFERENCE_ATTENTION: status = judge_one(&j, MX_SLOT_O, err); break;
	case MX_REFERENCE_LAYER_NORM:
	case MX_REFERENCE_RMS_NORM:
	case MX_REFERENCE_SOFTMAX: status = judge_one(&j, MX_SLOT_Y, err); break;
	case MX_REFERENCE_TOPK: status = judge_topk(&j, err); break;
	}
	if (!status)
		describe(&j);
	return status;
}
