/* Judge set: the values that atomic additions of the splits leave in some order.
 *
 * The product of each split of K is computed by the profile, flushed if the case says so, and
 * rounded to the output's format. An element is right if some order of adding these products to the
 * start gives it. Packed atomics add two elements at once. Elements are judged one by one, which
 * allows different orders within a pair. The start is the case's data for C, or zero without data:
 * then the launch clears C. */
#include "hypotheses.h"
#include "product.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct orders {
	const char *format;
	enum exact_rounding rounding;
	unsigned splits;
	size_t elements;
	const uint32_t *parts; /* [splits][elements] */
};

static struct orders orders_of(const struct mx_bench *b, const struct mx_output *o) {
	return (struct orders){
		o->format,      b->plan.c->verdict.atomic == MX_ATOMIC_RTZ ? EXACT_RTZ : EXACT_RNE,
		b->plan.splits, o->g.m * o->g.n,
		b->expected,
	};
}

static int compute_parts(struct mx_bench *b, const struct mx_output *o, struct mx_error *err) {
	unsigned mma_k = b->plan.c->verdict.mma_k;
	size_t n = o->g.m * o->g.n, step = (size_t)b->plan.k_split;
	if (b->expected)
		return 0;
	if (!(b->expected = malloc((b->plan.splits * n + 1) * sizeof *b->expected)))
		return mx_fail(err, "%s: out of memory", b->plan.name);
	for (unsigned s = 0; s < b->plan.splits; s++) {
		uint32_t *part = b->expected + s * n;
		size_t from = s * step, left = o->g.k - from;
		struct exact_gemm g = mx_product_slice(&o->g, from, left < step ? left : step);
		enum exact_status status = mx_arithmetic_product(&b->arithmetic, &g, mma_k, part);
		if (status != EXACT_OK)
			return mx_fail(err, "%s: %s", b->plan.c->path, exact_strerror(status));
		mx_output_finish(o, part);
	}
	return 0;
}

/* ---- one element: its splits, one left out or added again ---- */

enum { NONE = MX_MAX_SPLITS };

static struct exact_set orders_without(const struct orders *s, size_t i, unsigned lost,
                                       unsigned doubled, uint32_t start, uint32_t got,
                                       enum exact_status *status) {
	uint32_t part[EXACT_MAX_PARTS];
	struct exact_set set;
	unsigned n = 0;
	for (unsigned k = 0; k < s->splits; k++)
		if (k != lost)
			part[n++] = s->parts[k * s->elements + i];
	if (doubled != NONE)
		part[n++] = s->parts[doubled * s->elements + i];
	*status = exact_orders(s->format, s->rounding, start, part, n, got, &set);
	return set;
}

/* The code of element i before the launch. */
static uint32_t before(const struct mx_bench *b, const struct mx_output *o, size_t i) {
	const struct mx_buffer *c = mx_plan_role(&b->plan, MX_ROLE_C);
	const uint8_t *data = b->buffer[c - b->plan.buffers].before + c->guard;
	size_t at = mx_buffer_at(c, o->row + i / o->g.n, o->col + i % o->g.n);
	uint32_t v = 0;
	memcpy(&v, data + at, c->type == MX_DT_F32 ? 4 : 2);
	return v;
}

static uint32_t start_of(const struct mx_bench *b, const struct mx_output *o, size_t i) {
	const struct mx_buffer *c = mx_plan_role(&b->plan, MX_ROLE_C);
	return mx_buffer_is_filled(&b->plan, c) ? before(b, o, i) : 0;
}

/* ---- diagnosis ---- */

enum update { LOST, DOUBLED, NOT_CLEARED };
static const char *const updates[] = {
	[LOST] = "as if the update of split %u were lost",
	[DOUBLED] = "as if the update of split %u were done twice",
	[NOT_CLEARED] = "as if the output had not been cleared: the sum includes its old value",
};

static bool is_explained(const struct mx_bench *b, const struct mx_output *o,
                         const struct orders *s, const struct mx_hypothesis *x, size_t i) {
	enum exact_status status;
	bool kept = x->kind == NOT_CLEARED;
	uint32_t start = kept ? before(b, o, i) : start_of(b, o, i);
	return orders_without(s, i, x->kind == LOST ? x->index : NONE,
	                      x->kind == DOUBLED ? x->index : NONE, start, o->got[i], &status)
	               .has &&
	       !status;
}

/* Tests every step-th wrong element, up to `most`. Sets x->share and bits of *hit; returns the
 * number of tested elements. */
static size_t test_elements(const struct mx_bench *b, const struct mx_output *o,
                            const struct orders *s, struct mx_hypothesis *x, size_t step,
                            size_t most, uint64_t *hit) {
	size_t seen = 0, n = 0, hits = 0;
	for (size_t i = o->first; i < o->g.m * o->g.n && n < most; i++) {
		if (!o->differs[i] || seen++ % step)
			continue;
		bool good = is_explained(b, o, s, x, i);
		if (hit)
			*hit |= (uint64_t)good << n;
		hits += good;
		n++;
	}
	x->share = n ? (double)hits / (double)n : 0;
	return n;
}

static void try(const struct mx_bench *b, const struct mx_output *o, const struct orders *s,
                enum update kind, unsigned split, struct mx_hypotheses *hypotheses) {
	struct mx_hypothesis x = { .kind = kind, .index = split };
	hypotheses->elements = test_elements(b, o, s, &x, mx_hypotheses_step(o->wrong),
	                                     MX_HYPOTHESIS_ELEMENTS, &x.hit);
	snprintf(x.text, sizeof x.text, updates[kind], split);
	if (x.hit)
		mx_hypothesis_add(hypotheses, &x);
}

enum { COUNTED = 512 }; /* wrong elements over which a share is counted; at most twice as many */

static void explain(const struct mx_bench *b, struct mx_output *o, const struct orders *s,
                    char *text, size_t room) {
	struct mx_hypotheses hypotheses = { 0 };
	for (unsigned k = 0; k < s->splits; k++) {
		try(b, o, s, LOST, k, &hypotheses);
		try(b, o, s, DOUBLED, k, &hypotheses);
	}
	try(b, o, s, NOT_CLEARED, 0, &hypotheses);
	mx_hypotheses_choose(&hypotheses);
	for (size_t i = 0; i < hypotheses.n; i++)
		test_elements(b, o, s, &hypotheses.hypothesis[i], o->wrong / COUNTED + 1, SIZE_MAX,
		              NULL);
	mx_hypotheses_text(&hypotheses, text, room);
}

/* ---- all elements ---- */

/* One order, split 0 first; printed as the approximate value. */
static uint32_t in_order(const struct mx_bench *b, const struct mx_output *o, size_t i) {
	double sum = mx_code_value(o->format, start_of(b, o, i));
	size_t n = o->g.m * o->g.n;
	for (unsigned k = 0; k < b->plan.splits; k++)
		sum += mx_code_value(o->format, b->expected[k * n + i]);
	uint32_t code = exact_bits((float)sum);
	mx_round_to(o->format, 1, &code);
	return code;
}

int mx_judge_set(struct mx_bench *b, struct mx_output *o, struct mx_verdict *v,
                 struct mx_error *err) {
	if (compute_parts(b, o, err))
		return -1;
	struct orders s = orders_of(b, o);
	for (size_t i = 0; i < s.elements; i++) {
		enum exact_status status;
		struct exact_set set =
			orders_without(&s, i, NONE, NONE, start_of(b, o, i), o->got[i], &status);
		if (status != EXACT_OK)
			return mx_fail(err, "%s: %s", b->plan.c->path, exact_strerror(status));
		o->want[i] = in_order(b, o, i);
		o->differs[i] = !set.has;
	}
	mx_output_count(o);
	snprintf(v->basis, sizeof v->basis,
	         "some order of %u split%s of K by profile %s%s, %s %s atomics", b->plan.splits,
	         b->plan.splits == 1 ? "" : "s", b->arithmetic.text,
	         o->flushes ? ", subnormal parts flushed" : "",
	         s.rounding == EXACT_RTZ ? "cutting" : "rounding", s.format);
	if (o->wrong) {
		mx_output_note(o, b, "outside-set", v);
		explain(b, o, &s, v->diagnosis, sizeof v->diagnosis);
	}
	return 0;
}
