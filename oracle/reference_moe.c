/* The reference of a mixture of experts: tokens sorted by expert, in tiles that have one expert.
 *
 * With W2, O of a token is the sum over its experts of the weight times W2 h. Each product is
 * converted to the type of O and added there, in any order and in parts of h; so its error has one
 * rounding for each part and one for each addition but the first, to 0, and the last, which is the
 * output's rounding. Without W2, O has a row for each token and expert of it: h. */
#include "reference_inside.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* The sorted rows of one expert: tokens, and which of their experts this is. */
struct rows {
	size_t n, *at, *token, *slot;
};

/* ---- tables ---- */

static size_t sorted_rows(const struct mx_bench *b) {
	size_t most = buffer_of(b, MX_SLOT_TOKENS)->cols;
	size_t n = buffer_of(b, MX_SLOT_COUNT) ? table(b, MX_SLOT_COUNT, 0, 0) : most;
	return n < most ? n : most;
}

/* Collects the rows of an expert, padding left out. */
static void find_rows(const struct mx_bench *b, size_t expert, struct rows *x) {
	const struct mx_reference *r = &b->plan.reference;
	bool flat = b->plan.c->reference->ids == MX_IDS_FLAT;
	size_t n = sorted_rows(b), tokens = buffer_of(b, MX_SLOT_X)->rows;
	x->n = 0;
	for (size_t at = 0; at < n; at++) {
		size_t id = table(b, MX_SLOT_TOKENS, 0, at);
		size_t token = flat ? id / r->topk : id & 0xffffff;
		if (token >= tokens || table(b, MX_SLOT_EXPERTS, 0, at / r->tile) != expert)
			continue;
		x->at[x->n] = at;
		x->token[x->n] = token;
		x->slot[x->n++] = flat ? id % r->topk : id >> 24;
	}
}

/* ---- factors ---- */

struct factor {
	double *value, *nominal;
};

static void release(struct factor *f) {
	free(f->value);
	free(f->nominal);
}

/* Some rows of a buffer, and the rows of `of` that their scales belong to. */
static int read_factor(const struct mx_bench *b, mx_slot k, mx_slot scale, size_t n,
                       const size_t *row, const size_t *of, size_t scaled, struct factor *f) {
	const struct mx_buffer *s = buffer_of(b, k), *by = buffer_of(b, scale);
	double least = mx_least_normal(s->type);
	f->value = malloc((n * s->cols + 1) * sizeof *f->value);
	f->nominal = malloc((n * s->cols + 1) * sizeof *f->nominal);
	for (size_t i = 0; f->value && f->nominal && i < n * s->cols; i++) {
		size_t at = i / s->cols, col = i % s->cols;
		double x = input(b, k, row[at], col), unit = 1;
		if (by)
			unit = input(b, scale, of[at] / (scaled / by->rows),
			             col / (s->cols / by->cols));
		f->value[i] = x * unit;
		f->nominal[i] = x == 0 ? 0 : fmax(fabs(x), least) * fabs(unit);
	}
	return f->value && f->nominal ? 0 : -1;
}

/* The rows of an expert in W1 or W2. */
static int read_weights(const struct mx_bench *b, mx_slot k, mx_slot scale, size_t expert,
                        struct factor *f) {
	size_t all = buffer_of(b, k)->rows, n = all / b->plan.reference.n_experts;
	size_t *row = malloc(n * sizeof *row);
	for (size_t i = 0; row && i < n; i++)
		row[i] = expert * n + i;
	int rc = row ? read_factor(b, k, scale, n, row, row, all, f) : -1;
	free(row);
	return rc;
}

static struct exact_factor exact(const struct factor *f) {
	return (struct exact_factor){ f->value, f->nominal };
}

/* ---- one expert ---- */

static struct exact_inner inner_of(mx_inner h) {
	static const struct {
		mx_buffer_type type;
		double limit;
	} t[] = {
		[MX_INNER_F32] = { MX_DT_F32, 0 },        [MX_INNER_BF16] = { MX_DT_BF16, 0 },
		[MX_INNER_F16] = { MX_DT_F16, 0 },        [MX_INNER_E2M1_FLOOR] = { MX_DT_E2M1, 8 },
		[MX_INNER_E2M1_EVEN] = { MX_DT_E2M1, 7 }, [MX_INNER_E2M1_UP] = { MX_DT_E2M1, 6 },
	};
	if (t[h].limit > 0)
		return (struct exact_inner){ EXACT_BLOCKS_E2M1, .limit = t[h].limit };
	return (struct exact_inner){ .digits = mx_digits(t[h].type),
		                     .least = mx_unit_in_last_place(t[h].type, 0) };
}

/* Whether a product of i8 is summed exactly, and scaled after that. */
static bool is_integer(const struct mx_bench *b) {
	const struct mx_buffer *x = buffer_of(b, MX_SLOT_X), *w = buffer_of(b, MX_SLOT_W1);
	const struct mx_buffer *xs = buffer_of(b, MX_SLOT_X_SCALE),
			       *ws = buffer_of(b, MX_SLOT_W1_SCALE);
	return x->type == MX_DT_I8 && w->type == MX_DT_I8 && (!xs || xs->cols == 1) &&
	       (!ws || ws->cols == 1);
}

static enum exact_status gated(const struct mx_bench *b, size_t expert, const struct rows *x,
                               struct expected *h) {
	const struct mx_buffer *s = buffer_of(b, MX_SLOT_X);
	bool sorted = b->plan.c->reference->sorted_scale;
	struct factor fx = { 0 }, fw = { 0 };
	enum exact_status status = EXACT_NO_MEMORY;
	size_t scaled = sorted ? buffer_of(b, MX_SLOT_TOKENS)->cols : s->rows;
	if (!read_factor(b, MX_SLOT_X, MX_SLOT_X_SCALE, x->n, x->token, sorted ? x->at : x->token,
	                 scaled, &fx) &&
	    !read_weights(b, MX_SLOT_W1, MX_SLOT_W1_SCALE, expert, &fw)) {
		struct exact_expert p = {
			x->n,
			s->cols,
			b->plan.reference.inner,
			exact(&fx),
			exact(&fw),
			is_integer(b) ? EXACT_IN_I32 : EXACT_IN_F32,
			!!buffer_of(b, MX_SLOT_X_SCALE) + !!buffer_of(b, MX_SLOT_W1_SCALE),
		};
		status = exact_gated(&p, h->value, h->bound);
	}
	release(&fx);
	release(&fw);
	return status;
}

static void put_rows(const struct mx_bench *b, const struct rows *x, const struct expected *h,
                     struct expected *o) {
	size_t n = b->plan.reference.inner;
	for (size_t i = 0; i < x->n; i++) {
		size_t to = x->token[i] * b->plan.reference.topk + x->slot[i];
		memcpy(o->value + to * n, h->value + i * n, n * sizeof *h->value);
		memcpy(o->bound + to * n, h->bound + i * n, n * sizeof *h->bound);
	}
}

/* ---- the second product, and the sum over experts ---- */

/* The rounding of a conversion to O, or of an addition there. */
static double rounding_of(const struct mx_bench *b) {
	int digits = mx_digits(buffer_of(b, MX_SLOT_O)->type);
	return ldexp(1, b->plan.c->reference->rounding == MX_ROUND_RTZ ? 1 - digits : -digits);
}

/* Columns [from, from + n) of rows of `all`. */
static void cut_columns(const double *x, size_t rows, size_t all, size_t from, size_t n,
                        double *to) {
	for (size_t i = 0; i < rows; i++)
		memcpy(to + i * n, x + i * all + from, n * sizeof *to);
}

/* Adds y, the product of a part of h, to O. size: the sum of magnitudes of what is added to an
 * element of O. */
static void add_product(const struct mx_bench *b, const struct rows *x, const struct expected *y,
                        struct expected *o, double *size) {
	size_t width = buffer_of(b, MX_SLOT_O)->cols;
	bool weighted = buffer_of(b, MX_SLOT_ROUTING) != NULL;
	for (size_t i = 0; i < x->n * width; i++) {
		double by = weighted ? input(b, MX_SLOT_ROUTING, 0, x->at[i / width]) : 1;
		double value = by * y->value[i]; /* one multiplication in f32 */
		double own = fabs(by) * y->bound[i] * (1 + 0x1p-22) + fabs(value) * 0x1p-23;
		size_t to = x->token[i / width] * width + i % width;
		o->value[to] += value;
		o->bound[to] += own + rounding_of(b) * (fabs(value) + own) + 0x1p-126;
		size[to] += fabs(value) + own;
	}
}

/* Adds columns [from, from + n) of h times W2. */
static enum exact_status add_part(const struct mx_bench *b, const struct rows *x,
                                  const struct expected *h, const struct factor *w2, size_t from,
                                  size_t n, struct expected *o, double *size) {
	size_t inner = b->plan.reference.inner, width = buffer_of(b, MX_SLOT_O)->cols;
	size_t words = 2 * x->n * n + 2 * width * n + 2 * x->n * width;
	double *all = malloc((words + 1) * sizeof *all), *bound = all + x->n * n,
	       *w = bound + x->n * n, *nominal = w + width * n, *y = nominal + width * n;
	struct expected product = { y, y + x->n * width };
	if (!all)
		return EXACT_NO_MEMORY;
	cut_columns(h->value, x->n, inner, from, n, all);
	cut_columns(h->bound, x->n, inner, from, n, bound);
	cut_columns(w2->value, width, inner, from, n, w);
	cut_columns(w2->nominal, width, inner, from, n, nominal);
	enum exact_status status =
		exact_down(x->n, width, n, all, bound, (struct exact_factor){ w, nominal },
	                   !!buffer_of(b, MX_SLOT_W2_SCALE), y, product.bound);
	if (status == EXACT_OK)
		add_product(b, x, &product, o, size);
	free(all);
	return status;
}

static enum exact_status add_expert(const struct mx_bench *b, size_t expert, const struct rows *x,
                                    struct expected *h, struct expected *o, double *size) {
	const struct mx_reference *r = &b->plan.reference;
	struct exact_inner inner = inner_of(b->plan.c->reference->h);
	struct factor w2 = { 0 };
	enum exact_status status = EXACT_NO_MEMORY;
	exact_narrowed(&inner, x->n, r->inner, h->value, h->bound);
	if (!read_weights(b, MX_SLOT_W2, MX_SLOT_W2_SCALE, expert, &w2))
		status = EXACT_OK;
	for (size_t from = 0; status == EXACT_OK && from < r->inner; from += r->part) {
		size_t left = r->inner - from;
		status = add_part(b, x, h, &w2, from, left < r->part ? left : r->part, o, size);
	}
	release(&w2);
	return status;
}

/* Every addition to O but the first and the last of an element. */
static void bound_additions(const struct mx_bench *b, const double *size, struct expected *o) {
	const struct mx_reference *r = &b->plan.reference;
	const struct mx_buffer *s = buffer_of(b, MX_SLOT_O);
	size_t added = r->topk * ((r->inner + r->part - 1) / r->part);
	for (size_t i = 0; added > 2 && i < s->rows * s->cols; i++)
		o->bound[i] += (double)(added - 2) * rounding_of(b) * size[i] * (1 + 0x1p-7);
}

static enum exact_status one_expert(const struct mx_bench *b, size_t expert, const struct rows *x,
                                    struct expected *o, double *size) {
	size_t n = x->n * b->plan.reference.inner;
	struct expected h = { malloc((n + 1) * sizeof *h.value),
		              malloc((n + 1) * sizeof *h.bound) };
	enum exact_status status = EXACT_NO_MEMORY;
	if (h.value && h.bound)
		status = gated(b, expert, x, &h);
	if (status == EXACT_OK && buffer_of(b, MX_SLOT_W2))
		status = add_expert(b, expert, x, &h, o, size);
	else if (status == EXACT_OK)
		put_rows(b, x, &h, o);
	free(h.value);
	free(h.bound);
	return status;
}

/* How often each token is among the rows; `seen` has a place for each of its experts. */
static int check_rows(const struct mx_bench *b, const struct rows *x, uint8_t *seen,
                      struct mx_error *err) {
	size_t topk = b->plan.reference.topk;
	for (size_t i = 0; i < x->n; i++) {
		if (x->slot[i] >= topk || seen[x->token[i] * topk + x->slot[i]]++)
			return mx_fail(err, "%s: token %zu has expert %zu twice, or only %zu",
			               b->plan.name, x->token[i], x->slot[i], topk);
	}
	return 0;
}

static int all_experts(const struct mx_bench *b, struct rows *x, uint8_t *seen, double *size,
                       struct expected *o, struct mx_error *err) {
	const struct mx_reference *r = &b->plan.reference;
	enum exact_status status = EXACT_OK;
	for (size_t e = 0; status == EXACT_OK && e < r->n_experts; e++) {
		find_rows(b, e, x);
		if (check_rows(b, x, seen, err))
			return -1;
		status = x->n ? one_expert(b, e, x, o, size) : EXACT_OK;
	}
	size_t places = buffer_of(b, MX_SLOT_X)->rows * r->topk;
	const uint8_t *lost = memchr(seen, 0, places);
	if (lost && !buffer_of(b, MX_SLOT_W2))
		return mx_fail(err, "%s: token %zu has no expert %zu, so row %zu of O is undefined",
		               b->plan.name, (size_t)(lost - seen) / r->topk,
		               (size_t)(lost - seen) % r->topk, (size_t)(lost - seen));
	if (buffer_of(b, MX_SLOT_W2))
		bound_additions(b, size, o);
	return status == EXACT_OK ? 0
	                          : mx_fail(err, "%s: %s", b->plan.name, exact_strerror(status));
}

int mx_expect_moe(const struct mx_bench *b, struct expected *o, struct mx_error *err) {
	const struct mx_buffer *s = buffer_of(b, MX_SLOT_O);
	size_t n = buffer_of(b, MX_SLOT_TOKENS)->cols;
	size_t *rows = malloc((3 * n + 1) * sizeof *rows);
	uint8_t *seen = calloc(buffer_of(b, MX_SLOT_X)->rows * b->plan.reference.topk + 1, 1);
	double *size = calloc(s->rows * s->cols + 1, sizeof *size);
	struct rows x = { 0, rows, rows + n, rows + 2 * n };
	int rc = rows && seen && size ? all_experts(b, &x, seen, size, o, err)
	                              : mx_fail(err, "%s: out of memory", b->plan.name);
	free(rows);
	free(seen);
	free(size);
	return rc;
}
