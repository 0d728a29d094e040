/* Judge bound: within the error bound of the accumulations that exact_bound.c defines. */
#include "product.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

bool mx_bound_explains(const struct mx_bench *b, const struct mx_output *o, size_t at,
                       const struct exact_gemm *one, uint32_t got) {
	struct exact_range r;
	(void)b;
	if (exact_bound(one, &r) != EXACT_OK)
		return false;
	if (o->has_epilogue) {
		struct exact_epilogue e = mx_output_epilogue(o, at);
		exact_bound_epilogue(&e, 1, 1, &r);
	}
	return exact_range_has(&r, o->format, got);
}

static int derive(struct mx_bench *b, const struct mx_output *o, struct mx_error *err) {
	if (b->range)
		return 0;
	if (!(b->range = malloc((o->g.m * o->g.n + 1) * sizeof *b->range)))
		return mx_fail(err, "%s: out of memory", b->plan.name);
	enum exact_status s = exact_bound(&o->g, b->range);
	if (s != EXACT_OK)
		return mx_fail(err, "%s: %s", b->plan.c->path, exact_strerror(s));
	if (o->has_epilogue)
		exact_bound_epilogue(&o->epilogue, o->g.m, o->g.n, b->range);
	return 0;
}

/* The sum in the output's format; printed as the approximate value. */
static uint32_t nearest(const struct exact_range *r, const char *format) {
	float f = (float)r->sum;
	if (!(r->may & EXACT_MAY_FINITE))
		f = r->may & EXACT_MAY_NAN        ? NAN
		    : r->may & EXACT_MAY_PLUS_INF ? INFINITY
		                                  : -INFINITY;
	uint32_t code = exact_bits(f);
	mx_round_to(format, 1, &code);
	return code;
}

int mx_judge_bound(struct mx_bench *b, struct mx_output *o, struct mx_verdict *v,
                   struct mx_error *err) {
	double worst = 0;
	if (derive(b, o, err))
		return -1;
	for (size_t i = 0; i < o->g.m * o->g.n; i++) {
		const struct exact_range *r = &b->range[i];
		o->want[i] = nearest(r, o->format);
		o->differs[i] = !exact_range_has(r, o->format, o->got[i]);
		worst = fmax(worst, exact_range_used(r, o->format, o->got[i]));
	}
	mx_output_count(o);
	v->bound_used = worst;
	snprintf(v->basis, sizeof v->basis,
	         "bound of %.2g of the magnitudes' sum, any order%s, 24 bits of alignment; "
	         "%.2g of it used at most",
	         exact_bound_factor(o->g.k), o->has_epilogue ? " and epilogue" : "", worst);
	if (o->wrong)
		mx_output_note(o, b, "out-of-bound", v);
	return 0;
}
