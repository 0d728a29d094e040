/* Members of the family of profiles, and their results. */
#include "family.h"

#include <string.h>

static unsigned width(unsigned bits, unsigned other) {
	return bits ? bits : other;
}

mx_profile mx_family_canonical(const mx_profile *p, unsigned K) {
	mx_profile q = *p;
	if (!q.group || q.group >= K)
		q.group = K;
	if (q.group == K || (q.group == 1 && q.order != MX_ORDER_DESCENDING))
		q.order = MX_ORDER_ASCENDING;
	if (q.group == 2 && q.order == MX_ORDER_HALVES)
		q.order = MX_ORDER_STRIDED;
	if (q.group == 2 && q.order == MX_ORDER_PAIRS)
		q.order = MX_ORDER_ASCENDING;
	bool apart = q.align && !q.fused;
	if (!apart) {
		q.parts = 1;
		q.dot = q.acc = q.drop = q.norm = 0;
	}
	if (q.align)
		q.inner = 0;
	if (q.group == 1 && q.inner)
		q.inner = MX_INNER_SUM;
	if (!q.align)
		q.fused = q.cut = q.low = q.limit = q.lead = 0;
	if (q.parts > q.group)
		q.parts = q.group;
	if (q.parts == 1 || q.parts == q.group)
		q.split = 0;
	if (q.late == MX_LATE_NEAREST && !q.round)
		q.late = 1;
	q.join = q.parts > 1 ? width(q.join, q.align) : 0;
	q.dot = apart ? width(q.dot, q.align) : 0;
	q.acc = apart ? width(q.acc, q.align) : 0;
	q.bits = q.bits == MX_F32_MAN ? 0 : q.bits;
	q.nan = q.nan == MX_F32_NAN ? 0 : q.nan;
	return q;
}

bool mx_family_has(const struct mx_probe_insn *insn, const mx_profile *p) {
	return insn->a->bits < 32 ? !p->inner : !p->align && (!p->bits || !mx_probe_is_f64(insn));
}

bool mx_family_matters(const struct mx_family_field *f, const mx_profile *p,
                       const struct mx_probe_insn *insn) {
	if (!insn->a->exp_bits)
		return f->offset == offsetof(mx_profile, over);
	if (f->offset == (insn->a->bits < 32 ? offsetof(mx_profile, inner)
	                                     : offsetof(mx_profile, align)) ||
	    (mx_probe_is_f64(insn) && f->offset == offsetof(mx_profile, bits)))
		return false;
	for (size_t i = 0; i < f->n; i++) {
		mx_profile q = mx_family_canonical(p, insn->k), r;
		*mx_family_value(&q, f) = f->values[i];
		r = mx_family_canonical(&q, insn->k);
		if (mx_family_value_of(&r, f) != mx_family_value_of(p, f))
			return true;
	}
	return false;
}

/* ---- results ---- */

static struct mx_term factor(const struct mx_format_info *t, uint32_t code, uint8_t scale) {
	struct mx_term x = mx_term_of_code(t, code);
	if (scale == 0xFF)
		x.kind = MX_TERM_NAN;
	x.exp += scale - 127;
	x.top += scale - 127;
	return x;
}

/* The product of two factors, as three members have it; false if it is +0. */
static bool make_product(struct mx_term a, struct mx_term b, struct mx_probe_product *x) {
	static const mx_profile keep, lead = { .lead = 1 }, flush = { .flush = MX_FLUSH_ELEMENTS };
	struct mx_term flushed = mx_term_product(&flush, a, b);
	x->term = mx_term_product(&keep, a, b);
	x->lead_top = mx_term_product(&lead, a, b).top;
	x->flushed_kind = (uint8_t)flushed.kind;
	x->subnormal = flushed.sig != x->term.sig || flushed.kind != x->term.kind ||
	               x->lead_top != x->term.top;
	return x->term.kind != MX_TERM_NUMBER || x->term.sig || x->term.negative;
}

void mx_probe_terms(const struct mx_probe_insn *insn, const struct mx_probe_dot *d,
                    struct mx_probe_terms *t) {
	t->n = 0;
	t->dot = d;
	for (unsigned k = 0; k < insn->k && !mx_probe_is_f64(insn); k++) {
		struct mx_probe_product *x = &t->product[t->n];
		x->k = (uint8_t)k;
		t->n += make_product(factor(insn->a, (uint32_t)d->a[k], d->sa[k / MX_BLOCK]),
		                     factor(insn->b, (uint32_t)d->b[k], d->sb[k / MX_BLOCK]), x);
	}
}

void mx_probe_steps(const mx_profile *p, unsigned K, struct mx_probe_steps *s) {
	s->k = K;
	s->size = p->group && p->group < K ? p->group : K;
	s->n = (K + s->size - 1) / s->size;
	for (unsigned i = 0; i < K; i++) {
		unsigned k = mx_dot_product_at(p, K, i);
		s->place[k] = (uint8_t)i;
		s->step[k] = (uint8_t)(i / s->size);
	}
}

static void add_subnormal(struct mx_step *s, const struct mx_probe_product *x) {
	struct mx_term t = x->term;
	if (s->profile->flush & MX_FLUSH_ELEMENTS) {
		t.sig = 0;
		t.kind = x->flushed_kind;
	} else if (s->profile->lead) {
		t.top = x->lead_top;
	}
	mx_step_add(s, &t);
}

static void add_product(struct mx_step *s, const struct mx_probe_product *x, unsigned place) {
	s->k = place;
	if (x->subnormal)
		add_subnormal(s, x);
	else
		mx_step_add(s, &x->term);
}

/* The products of each step, as lists, and the steps that have some. */
struct lists {
	uint64_t busy[MX_PROBE_K / 64];
	uint8_t first[MX_PROBE_K], next[MX_PROBE_K];
};
enum { END = 0xFF };

static void sort(const struct mx_probe_steps *s, const struct mx_probe_terms *t, struct lists *l) {
	memset(l->busy, 0, sizeof l->busy);
	memset(l->first, END, s->n);
	for (unsigned i = t->n; i-- > 0;) {
		unsigned step = s->step[t->product[i].k];
		l->next[i] = l->first[step];
		l->first[step] = (uint8_t)i;
		l->busy[step / 64] |= UINT64_C(1) << step % 64;
	}
}

/* The first step that has products from this one on. */
static unsigned next_busy(const struct lists *l, unsigned step) {
	for (; step < MX_PROBE_K; step = (step / 64 + 1) * 64)
		if (l->busy[step / 64] >> step % 64)
			return step + __builtin_ctzll(l->busy[step / 64] >> step % 64);
	return step;
}

/* Steps without a product all do the same: C is idle if the last one kept it. */
static mx_f32 run_steps(const mx_profile *p, const struct mx_probe_steps *order,
                        const struct mx_probe_terms *t, mx_f32 acc) {
	struct lists l;
	struct mx_step s;
	bool idle = false;
	sort(order, t, &l);
	mx_step_begin(&s, p);
	for (unsigned step = 0; step < order->n; step = idle ? next_busy(&l, step) : step + 1) {
		bool empty = l.first[step] == END;
		unsigned n = 0;
		for (unsigned i = l.first[step]; i != END; i = l.next[i], n++)
			add_product(&s, &t->product[i], order->place[t->product[i].k]);
		s.not_neg_zero |= n < order->size && step * order->size + n < order->k;
		mx_f32 sum = mx_step_end(&s, acc, false);
		idle = empty && sum.v == acc.v;
		acc = sum;
	}
	return acc;
}

static uint32_t integer_result(const mx_profile *p, const struct mx_probe_terms *t) {
	int64_t sum = (int32_t)t->dot->c;
	for (unsigned i = 0; i < t->n; i++) {
		const struct mx_term *x = &t->product[i].term;
		sum += x->negative ? -(int64_t)x->sig : (int64_t)x->sig;
	}
	if (p->over)
		sum = sum > INT32_MAX ? INT32_MAX : sum < INT32_MIN ? INT32_MIN : sum;
	return (uint32_t)sum;
}

uint64_t mx_probe_result(const struct mx_probe_insn *insn, const mx_profile *p,
                         const struct mx_probe_steps *s, const struct mx_probe_terms *t) {
	if (!insn->a->exp_bits)
		return integer_result(p, t);
	if (mx_probe_is_f64(insn))
		return mx_dot_f64(p, insn->k, t->dot->a, t->dot->b, t->dot->c);
	mx_f32 c = { (uint32_t)t->dot->c },
	       sum = run_steps(p, s, t, p->late ? (mx_f32){ MX_F32_SIGN } : c);
	return p->late ? mx_dot_add_late(p, sum, c, false).v : sum.v;
}
