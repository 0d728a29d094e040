/* The family of profiles, and the results of its members. */
#include "family.h"

#include <string.h>

#define MX_FAMILY(field, text, ...) static const unsigned field##_values[] = { __VA_ARGS__ };
#include "family.def"
#undef MX_FAMILY

static const struct mx_family_field fields[] = {
#define MX_FAMILY(field, text, ...)                                                                \
	{ #field, text, offsetof(mx_profile, field), field##_values,                               \
	  sizeof field##_values / sizeof *field##_values },
#include "family.def"
#undef MX_FAMILY
};

const struct mx_family_field *mx_family_at(size_t i) {
	return i < sizeof fields / sizeof *fields ? &fields[i] : NULL;
}

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

bool mx_family_matters(const struct mx_family_field *f, const mx_profile *p,
                       const struct mx_probe_insn *insn) {
	if (!insn->a->exp_bits)
		return f->offset == offsetof(mx_profile, over);
	for (size_t i = 0; i < f->n; i++) {
		mx_profile q = mx_family_canonical(p, insn->k), r;
		*mx_family_value(&q, f) = f->values[i];
		r = mx_family_canonical(&q, insn->k);
		if (*mx_family_value(&r, f) != *mx_family_value((mx_profile *)(uintptr_t)p, f))
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

void mx_probe_terms(const struct mx_probe_insn *insn, const struct mx_probe_dot *d,
                    struct mx_probe_terms *t) {
	for (unsigned k = 0; k < insn->k; k++) {
		t->a[k] = factor(insn->a, d->a[k], d->sa[k / MX_BLOCK]);
		t->b[k] = factor(insn->b, d->b[k], d->sb[k / MX_BLOCK]);
	}
	t->c = d->c;
}

static struct mx_term product_of(const mx_profile *p, const void *of, unsigned k) {
	const struct mx_probe_terms *t = of;
	return mx_term_product(p, t->a[k], t->b[k]);
}

static uint32_t integer_result(const struct mx_probe_insn *insn, const mx_profile *p,
                               const struct mx_probe_terms *t) {
	int64_t sum = (int32_t)t->c;
	for (unsigned k = 0; k < insn->k; k++) {
		int64_t product = (int64_t)t->a[k].sig * t->b[k].sig;
		sum += t->a[k].negative == t->b[k].negative ? product : -product;
	}
	if (p->over)
		sum = sum > INT32_MAX ? INT32_MAX : sum < INT32_MIN ? INT32_MIN : sum;
	return (uint32_t)sum;
}

uint32_t mx_probe_result(const struct mx_probe_insn *insn, const mx_profile *p,
                         const struct mx_probe_terms *t) {
	if (!insn->a->exp_bits)
		return integer_result(insn, p, t);
	return mx_dot_steps(p, insn->k, product_of, t, (mx_f32){ t->c }, false).v;
}
