/* The plain dot product: the steps of a profile, one product at a time. */
#include "step.h"

static struct mx_term scaled(struct mx_term t, mx_e8m0 scale) {
	if (scale.v == 0xFF)
		t.kind = MX_TERM_NAN;
	t.exp += scale.v - 127;
	t.top += scale.v - 127;
	return t;
}

mx_f32 mx_dot(const mx_profile *p, mx_format fa, mx_format fb, unsigned K, const mx_elem *a,
              const mx_e8m0 *sa, const mx_elem *b, const mx_e8m0 *sb, mx_f32 c, bool clamp) {
	struct mx_step s;
	mx_step_begin(&s, p);
	for (unsigned k = 0; k < K; k++) {
		struct mx_term x = scaled(mx_term_of_element(fa, a[k]), sa[k / MX_BLOCK]);
		struct mx_term y = scaled(mx_term_of_element(fb, b[k]), sb[k / MX_BLOCK]);
		mx_step_add(&s, mx_term_product(x, y));
		if (mx_step_is_full(p, k + 1, K))
			c = mx_step_end(&s, c, clamp);
	}
	return c;
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
