/* The plain dot product: the steps of a profile, one product at a time. */
#include "step.h"

/* ---- steps ---- */

/* The product that is added as number i of K. */
static unsigned product_at(const mx_profile *p, unsigned K, unsigned i) {
	unsigned group = p->group && p->group < K ? p->group : K, half = group / 2;
	unsigned step = i / group, in_step = i % group, steps = K / group;
	switch (p->order) {
	case MX_ORDER_DESCENDING: return K - group * (step + 1) + in_step;
	case MX_ORDER_STRIDED: return in_step * steps + step;
	case MX_ORDER_PAIRS: return (in_step / 2 * steps + step) * 2 + in_step % 2;
	case MX_ORDER_HALVES: return (in_step < half ? 0 : K / 2 - half) + half * step + in_step;
	}
	return i;
}

/* C after the last step: one addition. */
static mx_f32 add_late(const mx_profile *p, mx_f32 sum, mx_f32 c, bool clamp) {
	mx_profile exact = { .round = p->late == MX_LATE_NEAREST ? 0 : p->round,
		             .bits = p->bits,
		             .flush = p->flush,
		             .nan = p->nan,
		             .zero = p->zero,
		             .over = p->over,
		             .parts = 1 };
	struct mx_step s;
	mx_step_begin(&s, &exact);
	mx_step_add(&s, mx_term_of_f32(sum));
	return mx_step_end(&s, c, clamp);
}

mx_f32 mx_dot_steps(const mx_profile *p, unsigned K,
                    struct mx_term (*product)(const mx_profile *, const void *of, unsigned k),
                    const void *of, mx_f32 c, bool clamp) {
	struct mx_step s;
	bool ordered = p->order && p->group && K % p->group == 0;
	mx_f32 acc = p->late ? (mx_f32){ 0x80000000 } : c;
	mx_step_begin(&s, p);
	for (unsigned i = 0; i < K; i++) {
		mx_step_add(&s, product(p, of, ordered ? product_at(p, K, i) : i));
		if (i + 1 == K || (p->group && (i + 1) % p->group == 0))
			acc = mx_step_end(&s, acc, clamp);
	}
	return p->late ? add_late(p, acc, c, clamp) : acc;
}

/* ---- scaled elements ---- */

struct scaled {
	const struct mx_format_info *fa, *fb;
	const mx_elem *a, *b;
	const mx_e8m0 *sa, *sb;
};

static struct mx_term factor(const struct mx_format_info *f, mx_elem code, mx_e8m0 scale) {
	struct mx_term t = mx_term_of_code(f, code.v);
	if (scale.v == 0xFF)
		t.kind = MX_TERM_NAN;
	t.exp += scale.v - 127;
	t.top += scale.v - 127;
	return t;
}

static struct mx_term product_of(const mx_profile *p, const void *of, unsigned k) {
	const struct scaled *x = of;
	return mx_term_product(p, factor(x->fa, x->a[k], x->sa[k / MX_BLOCK]),
	                       factor(x->fb, x->b[k], x->sb[k / MX_BLOCK]));
}

mx_f32 mx_dot(const mx_profile *p, mx_format fa, mx_format fb, unsigned K, const mx_elem *a,
              const mx_e8m0 *sa, const mx_elem *b, const mx_e8m0 *sb, mx_f32 c, bool clamp) {
	struct scaled x = { mx_format_info(fa), mx_format_info(fb), a, b, sa, sb };
	return mx_dot_steps(p, K, product_of, &x, c, clamp);
}

mx_status mx_mma_dot(const mx_profile *p, mx_format fa, mx_format fb, unsigned K, const mx_elem *a,
                     const mx_e8m0 *sa, const mx_elem *b, const mx_e8m0 *sb, mx_f32 c, mx_f32 *d) {
	if (!p || !a || !sa || !b || !sb || !d)
		return MX_BAD_POINTER;
	if ((unsigned)fa >= MX_FORMATS || (unsigned)fb >= MX_FORMATS)
		return MX_BAD_FORMAT;
	if (K % MX_BLOCK)
		return MX_BAD_SHAPE;
	mx_status s = mx_profile_check(p);
	if (!s)
		*d = mx_dot(p, fa, fb, K, a, sa, b, sb, c, false);
	return s;
}
