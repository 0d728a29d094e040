/* The plain dot product: the steps of a profile, one product at a time. */
#include "step.h"
#include "tile.h"

#include <string.h>

/* ---- steps ---- */

unsigned mx_dot_product_at(const mx_profile *p, unsigned K, unsigned i) {
	unsigned group = p->group && p->group < K ? p->group : K, half = group / 2;
	unsigned step = i / group, in_step = i % group, steps = K / group;
	if (K % group)
		return i;
	switch (p->order) {
	case MX_ORDER_DESCENDING: return K - group * (step + 1) + in_step;
	case MX_ORDER_STRIDED: return in_step * steps + step;
	case MX_ORDER_PAIRS: return (in_step / 2 * steps + step) * 2 + in_step % 2;
	case MX_ORDER_HALVES: return (in_step < half ? 0 : K / 2 - half) + half * step + in_step;
	}
	return i;
}

mx_f32 mx_dot_add_late(const mx_profile *p, mx_f32 sum, mx_f32 c, bool clamp) {
	return mx_step_sum(p, sum, c, p->late == MX_LATE_NEAREST, clamp);
}

mx_f32 mx_dot_steps(const mx_profile *p, unsigned K,
                    struct mx_term (*product)(const mx_profile *, const void *of, unsigned k),
                    const void *of, mx_f32 c, bool clamp) {
	struct mx_step s;
	mx_f32 acc = p->late ? (mx_f32){ 0x80000000 } : c;
	mx_step_begin(&s, p);
	for (unsigned i = 0; i < K; i++) {
		struct mx_term t = product(p, of, p->order ? mx_dot_product_at(p, K, i) : i);
		mx_step_add(&s, &t);
		if (i + 1 == K || (p->group && (i + 1) % p->group == 0))
			acc = mx_step_end(&s, acc, clamp);
	}
	return p->late ? mx_dot_add_late(p, acc, c, clamp) : acc;
}

/* ---- scaled elements ---- */

struct pair {
	const struct mx_dot_operand *a, *b;
};

static struct mx_term factor(const mx_profile *p, const struct mx_dot_operand *o, unsigned k) {
	struct mx_term t = mx_term_of_code(mx_format_info(o->format), o->codes[k].v);
	return mx_term_times(mx_term_element(p, t),
	                     mx_term_of_scale(o->scale_format, o->scales[k / o->block]));
}

static struct mx_term product_of(const mx_profile *p, const void *of, unsigned k) {
	const struct pair *x = of;
	return mx_term_times(factor(p, x->a, k), factor(p, x->b, k));
}

mx_f32 mx_block_dot(const mx_profile *p, unsigned K, const struct mx_dot_operand *a,
                    const struct mx_dot_operand *b, mx_f32 c, bool clamp) {
	struct pair x = { a, b };
	return mx_dot_steps(p, K, product_of, &x, c, clamp);
}

void mx_list_terms(const mx_profile *p, mx_format f, struct mx_code_terms *t) {
	const struct mx_format_info *info = mx_format_info(f);
	for (unsigned code = 0; code < 1u << info->bits; code++)
		t->of[code] = mx_term_element(p, mx_term_of_code(info, code));
}

void mx_dot_factors(const struct mx_code_terms *t, unsigned K, const struct mx_dot_operand *o,
                    struct mx_term *factors) {
	struct mx_term scale = { 0 };
	for (unsigned k = 0; k < K; k++) {
		if (k % o->block == 0)
			scale = mx_term_of_scale(o->scale_format, o->scales[k / o->block]);
		factors[k] = mx_term_times(t->of[o->codes[k].v], scale);
	}
}

struct factors {
	const struct mx_term *a, *b;
};

static struct mx_term product_of_factors(const mx_profile *p, const void *of, unsigned k) {
	const struct factors *x = of;
	(void)p;
	return mx_term_times(x->a[k], x->b[k]);
}

mx_f32 mx_factors_dot(const mx_profile *p, unsigned K, const struct mx_term *a,
                      const struct mx_term *b, mx_f32 c, bool clamp) {
	struct factors x = { a, b };
	return mx_dot_steps(p, K, product_of_factors, &x, c, clamp);
}

void mx_factors_products(const struct mx_factors *g, const mx_tile_results c, mx_tile_results d) {
	uint32_t again[MX_TILE_MN];
	bool with_c = mx_factors_by_aligned_doubles(g, c, d, again);
	if (!with_c && !mx_factors_by_alignment(g, c, d, again))
		memset(again, 0xff, sizeof again);
	for (unsigned i = 0; i < g->MN; i++)
		for (unsigned j = 0; j < g->MN; j++) {
			mx_f32 old = { c[i][j] };
			if (again[i] >> j & 1)
				d[i][j] = mx_factors_dot(g->profile, g->K, g->a + i * g->K,
				                         g->b + j * g->K, old, g->clamp)
				                  .v;
			else if (g->profile->late && !with_c)
				d[i][j] = mx_dot_add_late(g->profile, (mx_f32){ d[i][j] }, old,
				                          g->clamp)
				                  .v;
		}
}

static struct mx_dot_operand by_e8m0(mx_format f, const mx_elem *codes, const mx_e8m0 *scales) {
	return (struct mx_dot_operand){ f, codes, MX_S_E8M0, MX_BLOCK, &scales->v };
}

mx_f32 mx_dot(const mx_profile *p, mx_format fa, mx_format fb, unsigned K, const mx_elem *a,
              const mx_e8m0 *sa, const mx_elem *b, const mx_e8m0 *sb, mx_f32 c, bool clamp) {
	struct mx_dot_operand x = by_e8m0(fa, a, sa), y = by_e8m0(fb, b, sb);
	return mx_block_dot(p, K, &x, &y, c, clamp);
}

static mx_status check(const struct mx_dot_operand *o, unsigned K) {
	if (!o->codes || !o->scales)
		return MX_BAD_POINTER;
	if ((unsigned)o->format >= MX_FORMATS)
		return MX_BAD_FORMAT;
	if ((unsigned)o->scale_format >= MX_SCALE_FORMATS || (o->block != 16 && o->block != 32))
		return MX_BAD_OPTION;
	return K % o->block ? MX_BAD_SHAPE : MX_OK;
}

mx_status mx_mma_block_dot(const mx_profile *p, unsigned K, const struct mx_dot_operand *a,
                           const struct mx_dot_operand *b, mx_f32 c, mx_f32 *d) {
	if (!p || !a || !b || !d)
		return MX_BAD_POINTER;
	mx_status s = check(a, K);
	s = s ? s : check(b, K);
	s = s ? s : mx_profile_check(p);
	if (!s)
		*d = mx_block_dot(p, K, a, b, c, false);
	return s;
}

mx_status mx_mma_dot(const mx_profile *p, mx_format fa, mx_format fb, unsigned K, const mx_elem *a,
                     const mx_e8m0 *sa, const mx_elem *b, const mx_e8m0 *sb, mx_f32 c, mx_f32 *d) {
	if (!sa || !sb)
		return MX_BAD_POINTER;
	struct mx_dot_operand x = by_e8m0(fa, a, sa), y = by_e8m0(fb, b, sb);
	return mx_mma_block_dot(p, K, &x, &y, c, d);
}
