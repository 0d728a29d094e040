/* Judge close: within a tolerance that the case gives, of a file or of the f64 product. The
 * tolerance is typed in, not derived, and the verdict says so. */
#include "product.h"
#include "reference.h"
#include "values.h"
#include "../cases/dtype.h"
#include "../cases/npy.h"
#include "map.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* What is compared, and what was found. */
struct closeness {
	struct mx_tolerance tolerance;
	double used; /* the largest |error| / tolerance of a right element */
};

/* The error divided by the tolerance at x; above 1: not close. Any NaN is close to any NaN, and an
 * infinity to itself alone. */
static double used(const struct closeness *c, mx_buffer_type type, double got, double x) {
	const struct mx_tolerance *t = &c->tolerance;
	if (isnan(x) || isinf(x))
		return got == x || (isnan(x) && isnan(got)) ? 0 : INFINITY;
	double error = fabs(got - x);
	double most = t->atol + t->rtol * fabs(x);
	if (t->ulp > 0)
		most += t->ulp * mx_unit_in_last_place(type, x);
	return error <= most ? (error > 0 ? error / most : 0) : INFINITY;
}

static bool is_close(struct closeness *c, mx_buffer_type type, double got, double x) {
	double share = used(c, type, got, x);
	if (share <= 1)
		c->used = fmax(c->used, share);
	return share <= 1;
}

static struct closeness begin(const struct mx_bench *b) {
	struct closeness c = { 0 };
	const char *key;
	mx_tolerance_parse(&b->plan.c->verdict, &c.tolerance, &key);
	return c;
}

static void describe(const struct closeness *c, const char *of, struct mx_verdict *v) {
	const struct mx_tolerance *t = &c->tolerance;
	snprintf(v->basis, sizeof v->basis,
	         "close to %s: atol %g, rtol %g, ulp %g were typed into the case, not derived; "
	         "%.2g of it used",
	         of, t->atol, t->rtol, t->ulp, c->used);
}

double mx_tolerance_used(const struct mx_bench *b, mx_buffer_type type, double got, double x) {
	struct closeness c = begin(b);
	return used(&c, type, got, x);
}

void mx_tolerance_describe(const struct mx_bench *b, const char *of, double used,
                           struct mx_verdict *v) {
	struct closeness c = begin(b);
	c.used = used;
	describe(&c, of, v);
}

/* ---- the f64 product ---- */

int mx_judge_close(struct mx_bench *b, struct mx_output *o, struct mx_verdict *v,
                   struct mx_error *err) {
	const struct mx_buffer *s = mx_plan_role(&b->plan, MX_ROLE_C);
	struct closeness c = begin(b);
	if (!b->dequantised)
		return mx_fail(err, "%s: the product is too large for its f64 reference",
		               b->plan.name);
	for (size_t i = 0; i < o->g.m * o->g.n; i++) {
		float near = (float)b->dequantised[i];
		memcpy(&o->want[i], &near, sizeof near);
		o->differs[i] = !is_close(&c, s->type, mx_code_value(o->format, o->got[i]),
		                          b->dequantised[i]);
	}
	mx_round_to(o->format, o->g.m * o->g.n, o->want);
	mx_output_count(o);
	describe(&c, "the f64 product", v);
	if (o->wrong)
		mx_output_note(o, b, "out-of-tolerance", v);
	return 0;
}

/* ---- files ---- */

/* The elements of a buffer after the launch, in lines. */
struct lines {
	const struct mx_buffer *s;
	size_t elements; /* of a line */
	uint8_t *bytes, *unwritten;
};

static int take_lines(const struct mx_bench *b, unsigned i, struct lines *l, struct mx_error *err) {
	const struct mx_buffer *s = &b->plan.buffers[i];
	const struct bench_buffer *x = &b->buffer[i];
	size_t n = s->lines * s->line_bytes + 1;
	*l = (struct lines){ s, s->order == MX_ORDER_COL ? s->rows : s->cols, malloc(n),
		             malloc(n) };
	if (!l->bytes || !l->unwritten)
		return mx_fail(err, "%s: out of memory", b->plan.name);
	for (size_t line = 0; line < s->lines; line++)
		for (size_t at = 0; at < s->line_bytes; at++) {
			size_t from = s->guard + mx_buffer_byte(s, line, at);
			l->bytes[line * s->line_bytes + at] = x->after[from];
			l->unwritten[line * s->line_bytes + at] = x->unwritten[from];
		}
	return 0;
}

static void free_lines(struct lines *l) {
	free(l->bytes);
	free(l->unwritten);
}

static bool is_unwritten(const struct lines *l, size_t line, size_t i) {
	size_t from = dtype_bytes(l->s->type, i), to = dtype_bytes(l->s->type, i + 1);
	for (from -= from == to; from < to; from++)
		if (l->unwritten[line * l->s->line_bytes + from])
			return true;
	return false;
}

/* The type of plain numbers: those from f16 on in dtypes.def. */
static mx_buffer_type type_of(const struct mx_npy *a) {
	mx_buffer_type t = MX_DT_F16;
	while (t < MX_DT_U64 && (dtype_kind(t) != a->kind || dtype_bytes(t, 1) != a->bytes))
		t++;
	return t;
}

/* A number of the file: a code of the buffer's type, or a value. */
static double expected(const struct lines *l, const struct mx_npy *a, bool own, size_t line,
                       size_t i) {
	if (own)
		return mx_value(l->s->type, (uint8_t *)a->data + line * l->s->line_bytes, i);
	return mx_value(type_of(a), a->data, line * l->elements + i);
}

struct first_wrong {
	size_t wrong, unwritten, line, i;
	double got, want;
	bool is_unwritten;
};

static struct first_wrong compare(struct closeness *c, const struct lines *l,
                                  const struct mx_npy *a, bool own) {
	struct first_wrong w = { 0 };
	for (size_t line = 0; line < l->s->lines; line++)
		for (size_t i = 0; i < l->elements; i++) {
			const uint8_t *at = l->bytes + line * l->s->line_bytes;
			double got = mx_value(l->s->type, at, i);
			double want = expected(l, a, own, line, i);
			bool unwritten = is_unwritten(l, line, i);
			w.unwritten += unwritten;
			if ((is_close(c, l->s->type, got, want) && !unwritten) || w.wrong++)
				continue;
			w.line = line, w.i = i, w.got = got, w.want = want;
			w.is_unwritten = unwritten;
		}
	return w;
}

/* An output, and the file that it must be close to. */
struct drawn {
	const struct mx_bench *b;
	struct closeness *c;
	const struct lines *l;
	const struct mx_npy *a;
	bool own;
};

static void element(void *context, size_t row, size_t col, struct mx_map_value *v) {
	const struct drawn *d = context;
	const struct mx_buffer *s = d->l->s;
	bool by_col = s->order == MX_ORDER_COL;
	size_t line = by_col ? col : row, i = by_col ? row : col;
	const uint8_t *at = d->l->bytes + line * s->line_bytes;
	v->got = mx_code_in(s, d->b->buffer[s - d->b->plan.buffers].after + s->guard, row, col);
	v->got_value = mx_value(s->type, at, i);
	v->want_value = expected(d->l, d->a, d->own, line, i);
	v->no_code = true;
	v->unwritten = is_unwritten(d->l, line, i);
	v->wrong = v->unwritten || !is_close(d->c, s->type, v->got_value, v->want_value);
}

static void note(const struct mx_bench *b, const struct lines *l, const struct first_wrong *w,
                 struct mx_verdict *v) {
	bool by_col = l->s->order == MX_ORDER_COL;
	char unwritten[48] = "";
	if (w->unwritten)
		snprintf(unwritten, sizeof unwritten, ", %zu of them not written", w->unwritten);
	mx_verdict_locate(v, b, l->s,
	                  (long long)mx_buffer_byte(l->s, w->line, dtype_bytes(l->s->type, w->i)));
	mx_verdict_add(v, MX_WRONG_NUMBERS, w->is_unwritten ? "not-written" : "out-of-tolerance",
	               "%s[%zu][%zu] is %.9g, must be about %.9g; error %.3g; %zu of %zu elements "
	               "are wrong%s",
	               l->s->name, by_col ? w->i : w->line, by_col ? w->line : w->i, w->got,
	               w->want, fabs(w->got - w->want), w->wrong, l->s->lines * l->elements,
	               unwritten);
}

static int judge_file(struct mx_bench *b, unsigned i, struct closeness *c, struct mx_verdict *v,
                      struct mx_error *err) {
	struct lines l;
	struct mx_npy a;
	bool own;
	int status = take_lines(b, i, &l, err);
	if (!status)
		status = mx_data_open(&b->plan, i, b->plan.c->buffers[i].expect, &a, &own, err);
	if (!status) {
		struct first_wrong w = compare(c, &l, &a, own);
		if (w.wrong) {
			note(b, &l, &w, v);
			mx_map_add(b, l.s, l.s->rows, l.s->cols, element,
			           &(struct drawn){ b, c, &l, &a, own });
		}
		v->checked += l.s->lines * l.elements;
		v->wrong += w.wrong;
		mx_npy_free(&a);
	}
	free_lines(&l);
	return status;
}

int mx_judge_close_files(struct mx_bench *b, struct mx_verdict *v, struct mx_error *err) {
	struct closeness c = begin(b);
	for (unsigned i = 0; i < b->plan.n_buffers; i++)
		if (b->plan.c->buffers[i].expect && judge_file(b, i, &c, v, err))
			return -1;
	describe(&c, "the files that the case expects", v);
	return 0;
}
