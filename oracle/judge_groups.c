/* Judgement of a case with groups: each group's product separately. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../cases/dtype.h"
#include "bench_inside.h"
#include "grouped.h"
#include "map.h"
#include "product.h"
#include "values.h"

static struct exact_operand operand(const struct mx_bench *b, const struct mx_buffer *x,
                                    const struct mx_buffer *scales) {
	return (struct exact_operand){ mx_format_info(dtype_format(x->type))->name,
		                       b->data.bytes[x - b->plan.buffers],
		                       b->data.bytes[scales - b->plan.buffers], x->ld, scales->ld };
}

static int grouped_of(const struct mx_bench *b, struct mx_grouped *g, struct mx_error *err) {
	const struct mx_plan *p = &b->plan;
	const struct mx_buffer *a = mx_plan_role(p, MX_ROLE_A), *x = mx_plan_role(p, MX_ROLE_B);
	const struct mx_buffer *c = mx_plan_role(p, MX_ROLE_C);
	if (!a || !x || !c || p->c->verdict.judge != MX_JUDGE_BITS)
		return mx_fail(err, "%s: groups are judged by bits, with roles a, b and c",
		               p->c->path);
	const struct mx_arithmetic *by = &b->arithmetic;
	bool exact = p->regime == MX_REGIME_EXACT && mx_arithmetic_keeps_regime(by);
	*g = (struct mx_grouped){
		.kind = p->c->groups->of == MX_GROUPS_COLS ? MX_WGRAD : MX_FORWARD,
		.groups = p->groups.n,
		.begin = p->groups.begin,
		.rows = p->groups.rows,
		.n = (size_t)p->N,
		.k = (size_t)p->K,
		.left = operand(b, a, mx_plan_role(p, MX_ROLE_A_SCALE)),
		.right = operand(b, x, mx_plan_role(p, MX_ROLE_B_SCALE)),
		.padding = p->c->groups->padding,
		.f16 = c->type == MX_DT_F16,
		.profile = exact || by->row ? NULL : by->name,
		.member = exact || !by->row ? NULL : &by->member,
		.mma_k = p->c->verdict.mma_k,
		.k_tile = p->c->verdict.k_tile,
		.threads = mx_judge_n_threads(),
	};
	g->right_stride = g->n * g->right.ld;
	g->right_scale_stride = g->n * g->right.ld_scales;
	return 0;
}

/* Once for a bench: the expected output, and the basis of the verdict. */
static int prepare(struct mx_bench *b, const struct mx_grouped *g, struct mx_error *err) {
	bool holds = true, exact = !g->profile && !g->member;
	char why[256] = "";
	size_t rows, cols;
	if (b->expected)
		return 0;
	if (mx_grouped_size(g, &rows, &cols, err))
		return -1;
	if (exact && mx_grouped_regime(g, &holds, why, sizeof why, err))
		return -1;
	if (!holds)
		return mx_fail(err, "%s: data are not in the exact regime: %s", b->plan.name, why);
	b->expected = malloc((rows * cols + 1) * sizeof *b->expected);
	if (!b->expected)
		return mx_fail(err, "%s: out of memory", b->plan.name);
	if (!exact)
		snprintf(b->basis, sizeof b->basis,
		         "each group: profile %s, K in order by %u; NaN payload free",
		         b->arithmetic.text, g->mma_k);
	else
		snprintf(
			b->basis, sizeof b->basis,
			"each group: exact regime, any order of K, any profile of 24 bits or more");
	return mx_grouped_expect(g, b->expected, err);
}

/* The output without gaps, and the unwritten bytes of each element. */
struct output {
	uint8_t *codes, *unwritten;
};

static int gather(const struct mx_bench *b, const struct mx_buffer *c, unsigned bytes,
                  struct output *out) {
	const uint8_t *from = b->buffer[c - b->plan.buffers].after + c->guard;
	out->codes = malloc(c->rows * c->cols * bytes + 1);
	out->unwritten = malloc(c->rows * c->cols + 1);
	if (!out->codes || !out->unwritten)
		return -1;
	for (size_t i = 0; i < c->rows * c->cols; i++) {
		size_t row = i / c->cols, col = i % c->cols;
		memcpy(out->codes + i * bytes, from + mx_buffer_at(c, row, col), bytes);
		out->unwritten[i] = (uint8_t)mx_unwritten_bytes(b, c, row, col);
	}
	return 0;
}

/* ---- metrics ---- */

/* The products in f64. Large ones have none, and no metrics. */
static int make_reference(struct mx_bench *b, const struct mx_grouped *g, struct mx_error *err) {
	size_t rows, cols;
	if (b->dequantised || (double)b->plan.M * (double)g->n * (double)g->k > b->snr_work)
		return 0;
	if (mx_grouped_size(g, &rows, &cols, err))
		return -1;
	b->dequantised = malloc((rows * cols + 1) * sizeof *b->dequantised);
	return b->dequantised ? mx_grouped_f64(g, b->dequantised, err)
	                      : mx_fail(err, "%s: out of memory", b->plan.name);
}

/* The results, one group after the other, without padding. */
struct results {
	size_t n;
	double *value, *exact;
	uint32_t *got, *want;
};

/* `rows` rows of the output from `at` on, which are those of what is expected from `from` on. */
static void add_rows(const struct mx_bench *b, const struct mx_buffer *c, const struct output *o,
                     size_t at, size_t from, size_t rows, struct results *r) {
	size_t bytes = dtype_bytes(c->type, 1);
	for (size_t i = 0; i < rows * c->cols; i++, r->n++) {
		const uint8_t *code = o->codes + (at * c->cols + i) * bytes;
		r->value[r->n] = mx_value(c->type, code, 0);
		memcpy(&r->got[r->n], code, bytes);
		r->want[r->n] = b->expected[from * c->cols + i];
		r->exact[r->n] = b->dequantised[from * c->cols + i];
	}
}

static void measure(const struct mx_bench *b, const struct mx_buffer *c, const struct mx_grouped *g,
                    const struct output *o, struct mx_verdict *v) {
	size_t n = c->rows * c->cols + 1;
	struct results r = { 0, malloc(n * sizeof(double)), malloc(n * sizeof(double)),
		             calloc(n, sizeof(uint32_t)), malloc(n * sizeof(uint32_t)) };
	for (size_t i = 0; r.value && r.exact && r.got && r.want && i < g->groups; i++) {
		bool by_group = g->kind == MX_WGRAD;
		size_t from = by_group ? i * g->n : g->begin[i];
		add_rows(b, c, o, by_group ? from : mx_grouped_first(g, i), from,
		         by_group ? g->n : g->rows[i], &r);
	}
	if (r.n) {
		v->snr_dequantised = mx_snr(r.n, r.exact, r.value);
		mx_row_error(r.n / c->cols, c->cols, r.exact, r.value, &v->metrics);
		mx_round_to(mx_type_format(c->type), r.n, r.want);
		mx_ulps(r.n, mx_type_format(c->type), r.want, r.got, &v->metrics);
	}
	free(r.value);
	free(r.exact);
	free(r.got);
	free(r.want);
}

static void report(const struct mx_bench *b, const struct mx_buffer *c, const struct mx_grouped *of,
                   const struct mx_grouped_verdict *g, struct mx_verdict *v) {
	v->checked = g->checked;
	v->wrong = g->wrong;
	if (!g->wrong)
		return;
	mx_verdict_add(v, MX_WRONG_NUMBERS, g->unwritten ? "not-written" : "wrong-bits", "%s: %s",
	               c->name, g->text);
	if (v->has_location)
		return;
	v->has_location = true;
	v->buffer = (unsigned)(c - b->plan.buffers);
	size_t first = b->plan.c->groups->of == MX_GROUPS_COLS ? g->group * (size_t)b->plan.N
	                                                       : mx_grouped_first(of, g->group);
	v->offset = (long long)mx_buffer_at(c, first + g->row, g->col);
}

/* ---- the map ---- */

struct drawn {
	const struct mx_buffer *c;
	const struct output *o;
	const struct mx_grouped_verdict *v;
};

static void element(void *context, size_t row, size_t col, struct mx_map_value *value) {
	const struct drawn *d = context;
	unsigned bytes = (unsigned)dtype_bytes(d->c->type, 1);
	size_t i = row * d->c->cols + col;
	memcpy(&value->got, d->o->codes + i * bytes, bytes);
	value->want = d->v->wants[i];
	value->got_value = mx_value(d->c->type, d->o->codes + i * bytes, 0);
	value->want_value = mx_value(d->c->type, (const uint8_t *)&d->v->wants[i], 0);
	value->wrong = d->v->differs[i];
	value->unwritten = d->o->unwritten[i];
}

/* Judges again, with the places of what is wrong. Short of memory there is no map. */
static void draw(struct mx_bench *b, const struct mx_buffer *c, const struct mx_grouped *g,
                 const struct output *o) {
	size_t n = c->rows * c->cols;
	struct mx_error none;
	struct mx_grouped_verdict v = { .differs = calloc(n, 1), .wants = calloc(n, 4) };
	struct drawn d = { c, o, &v };
	if (v.differs && v.wants &&
	    !mx_grouped_judge(g, b->expected, o->codes, o->unwritten,
	                      (unsigned)dtype_bytes(c->type, 1), &v, &none))
		mx_map_add(b, c, c->rows, c->cols, element, &d);
	free(v.differs);
	free(v.wants);
}

int mx_judge_groups(struct mx_bench *b, struct mx_verdict *v, struct mx_error *err) {
	const struct mx_buffer *c = mx_plan_role(&b->plan, MX_ROLE_C);
	struct mx_grouped_verdict found = { .differs = NULL };
	struct mx_grouped g;
	if (grouped_of(b, &g, err) || prepare(b, &g, err) || make_reference(b, &g, err))
		return -1;
	unsigned bytes = (unsigned)dtype_bytes(c->type, 1);
	struct output output;
	int status = gather(b, c, bytes, &output)
	                     ? mx_fail(err, "%s: out of memory", b->plan.name)
	                     : mx_grouped_judge(&g, b->expected, output.codes, output.unwritten,
	                                        bytes, &found, err);
	if (!status && b->dequantised)
		measure(b, c, &g, &output, v);
	if (!status && found.wrong)
		draw(b, c, &g, &output);
	free(output.codes);
	free(output.unwritten);
	if (!status)
		report(b, c, &g, &found, v);
	snprintf(v->basis, sizeof v->basis, "%s", b->basis);
	return status;
}
