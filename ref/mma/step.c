/* The plain step: exact sums in the wide accumulator, or aligned ones in 64 bits. */
#include "step.h"
#include "../num/number.h"

static struct mx_term term_of(struct mx_number x, unsigned man_bits) {
	return (struct mx_term){
		.kind = x.kind == MX_NAN   ? MX_TERM_NAN
		        : x.kind == MX_INF ? MX_TERM_INF
		                           : MX_TERM_NUMBER,
		.negative = x.negative,
		.sig = x.sig,
		.exp = x.exp,
		.top = x.exp + (int)man_bits,
	};
}

struct mx_term mx_term_of_code(const struct mx_format_info *t, uint32_t code) {
	return term_of(mx_decode(t, code), t->man_bits);
}

struct mx_term mx_term_of_scale(mx_scale_format f, uint8_t code) {
	return term_of(mx_scale_number(f, code), mx_scale_man_bits(f));
}

struct mx_term mx_term_of_f32(mx_f32 c) {
	uint32_t magnitude = mx_f32_magnitude(c);
	return (struct mx_term){
		.kind = magnitude > MX_F32_INF    ? MX_TERM_NAN
		        : magnitude == MX_F32_INF ? MX_TERM_INF
		                                  : MX_TERM_NUMBER,
		.negative = c.v & MX_F32_SIGN,
		.sig = mx_f32_sig(c),
		.exp = mx_f32_exp(c),
		.top = mx_f32_exp(c) + MX_F32_MAN,
	};
}

static int64_t signed_sig(struct mx_term t) {
	return t.negative ? -(int64_t)t.sig : (int64_t)t.sig;
}

/* The exponent of the leading bit; sig is not 0. */
static int leading(struct mx_term t) {
	return t.exp + 63 - __builtin_clzll(t.sig);
}

static bool is_subnormal(struct mx_term t) {
	return t.kind == MX_TERM_NUMBER && t.sig && leading(t) < t.top;
}

struct mx_term mx_term_element(const mx_profile *p, struct mx_term t) {
	if (is_subnormal(t)) {
		t.sig = p->flush & MX_FLUSH_ELEMENTS ? 0 : t.sig;
		t.top = p->lead && t.sig ? leading(t) : t.top;
	}
	return t;
}

struct mx_term mx_term_product(const mx_profile *p, struct mx_term a, struct mx_term b) {
	return mx_term_times(mx_term_element(p, a), mx_term_element(p, b));
}

void mx_step_begin(struct mx_step *s, const mx_profile *p) {
	s->profile = p;
	s->k = s->terms = 0;
	s->nan = s->inf[0] = s->inf[1] = s->over[0] = s->over[1] = s->not_neg_zero = false;
	s->finite = (struct mx_wide){ 0 };
}

/* Records a special addend, and one that is not -0; true if the addend is a nonzero number. */
static bool record_special(struct mx_step *s, struct mx_term t) {
	s->not_neg_zero |= !mx_term_is_zero(t) || !t.negative;
	if (t.kind == MX_TERM_NAN)
		s->nan = true;
	else if (t.kind == MX_TERM_INF)
		s->inf[t.negative] = true;
	return t.kind == MX_TERM_NUMBER && t.sig;
}

static bool reaches(struct mx_term t, unsigned limit) {
	return limit && leading(t) >= (int)limit;
}

static unsigned part_of(const mx_profile *p, unsigned k) {
	if (p->parts == 1)
		return 0;
	unsigned of_part = p->group / p->parts;
	return !p->split ? k % p->parts : of_part ? k % p->group / of_part % p->parts : 0;
}

static mx_f32 rounded(const mx_profile *p, bool negative, uint64_t sig, int exp);

void mx_step_add(struct mx_step *s, const struct mx_term *t) {
	unsigned part = part_of(s->profile, s->k++);
	struct mx_term single;
	if (s->profile->inner & MX_INNER_PRODUCTS && t->kind == MX_TERM_NUMBER && t->sig) {
		single = mx_term_of_f32(rounded(s->profile, t->negative, t->sig, t->exp));
		t = &single;
	}
	if (!record_special(s, *t))
		return;
	if (reaches(*t, s->profile->limit)) {
		s->over[t->negative] = true;
	} else if (!s->profile->align) {
		mx_wide_add(&s->finite, signed_sig(*t), t->exp);
	} else {
		s->part[s->terms] = part;
		s->term[s->terms++] = *t;
	}
}

/* v * 2^from floored, in units of 2^to. A left shift does not overflow: step.h bounds its
 * result. */
static int64_t floor_to(int64_t v, int from, int to) {
	if (!v)
		return 0;
	if (from >= to)
		return v * (INT64_C(1) << (from - to));
	return v >> (to - from < 63 ? to - from : 63);
}

/* t as an integer, in units of 2^unit, rounded as the profile says. */
static int64_t cut_to(const mx_profile *p, struct mx_term t, int unit) {
	int64_t v = signed_sig(t), below = floor_to(v, t.exp, unit);
	unsigned lost = t.sig && t.exp < unit ? unit - t.exp : 0;
	if (!lost || p->cut == MX_CUT_FLOOR)
		return below;
	uint64_t magnitude =
		mx_shift_round(t.sig, lost, p->cut == MX_CUT_NEAREST ? MX_RNE : MX_RTZ, 0);
	bool exact = lost < 32 && t.sig == magnitude << lost;
	if (p->cut == MX_CUT_ODD && !exact)
		magnitude |= 1;
	return t.negative ? -(int64_t)magnitude : (int64_t)magnitude;
}

enum { NO_EXPONENT = -100000 }; /* below all others by more than any width */

/* The profile's smallest exponent of alignment. */
static int lowest(const mx_profile *p) {
	return p->low ? -(int)p->low : NO_EXPONENT;
}

static int top_of_part(const struct mx_step *s, unsigned part) {
	int top = lowest(s->profile);
	for (unsigned i = 0; i < s->terms; i++)
		if (s->part[i] == part && s->term[i].top > top)
			top = s->term[i].top;
	return top;
}

static int64_t sum_of_part(const struct mx_step *s, unsigned part, int unit) {
	int64_t sum = 0;
	for (unsigned i = 0; i < s->terms; i++)
		sum += s->part[i] == part ? cut_to(s->profile, s->term[i], unit) : 0;
	return sum;
}

/* The sum of all products in units of 2^*unit; *top is their largest exponent. */
static int64_t sum_products(const struct mx_step *s, int *top, int *unit) {
	const mx_profile *p = s->profile;
	int tops[MX_PARTS], align = p->align;
	int64_t sum = 0;
	*top = NO_EXPONENT;
	for (unsigned part = 0; part < p->parts; part++) {
		tops[part] = top_of_part(s, part);
		*top = tops[part] > *top ? tops[part] : *top;
	}
	*unit = *top - (int)(p->parts > 1 ? p->join : p->align);
	for (unsigned part = 0; part < p->parts; part++)
		sum += floor_to(sum_of_part(s, part, tops[part] - align), tops[part] - align,
		                *unit);
	return sum;
}

static int64_t floor_to_bits(int64_t v, int bits) {
	uint64_t magnitude = v < 0 ? -(uint64_t)v : (uint64_t)v;
	int lead = v ? 63 - __builtin_clzll(magnitude) : 0;
	return lead > bits ? v & -(INT64_C(1) << (lead - bits)) : v;
}

/* +-sig * 2^exp as the profile rounds results; bit 0 of sig may be a sticky bit. */
static mx_f32 rounded(const mx_profile *p, bool negative, uint64_t sig, int exp) {
	unsigned man = p->bits ? p->bits : MX_F32_MAN, rest = MX_F32_MAN - man;
	int exp_min = MX_F32_EXP_MIN + (int)rest;
	uint64_t code = mx_round_code_as(sig, exp, man, exp_min, p->round ? MX_RTZ : MX_RNE, 0);
	uint32_t infinite = MX_F32_INF >> rest, sign = negative ? MX_F32_SIGN : 0;
	if (code >= infinite)
		code = p->over ? infinite - 1 : infinite;
	if (code < UINT64_C(1) << man && p->flush & MX_FLUSH_RESULTS)
		code = 0;
	return (mx_f32){ (uint32_t)code << rest | (code || p->zero < 2 ? sign : 0) };
}

/* C as one of the terms. */
static mx_f32 fused_sum(const struct mx_step *s, struct mx_term c) {
	const mx_profile *p = s->profile;
	int top = top_of_part(s, 0);
	if (c.sig && c.top > top)
		top = c.top;
	int unit = top - (int)p->align;
	int64_t sum = sum_of_part(s, 0, unit) + cut_to(p, c, unit);
	return rounded(p, sum < 0, sum < 0 ? -sum : sum, unit);
}

static mx_f32 aligned_sum(const struct mx_step *s, struct mx_term c) {
	const mx_profile *p = s->profile;
	int top, unit, width = p->dot > p->acc ? p->dot : p->acc;
	int64_t dot = sum_products(s, &top, &unit);
	if (c.sig && c.top > top)
		top = c.top;
	dot = floor_to(dot, unit, top - (int)p->dot);
	if (p->drop && c.top < top - (int)p->drop)
		c.sig = 0;
	int64_t acc = floor_to(signed_sig(c), c.exp, top - (int)p->acc);
	int64_t sum = floor_to(dot, width, p->dot) + floor_to(acc, width, p->acc);
	if (p->norm)
		sum = floor_to_bits(sum, p->norm);
	return rounded(p, sum < 0, sum < 0 ? -sum : sum, top - width);
}

static mx_f32 finite_sum(struct mx_step *s, struct mx_term c) {
	const mx_profile *p = s->profile;
	bool negative;
	int exp;
	if (!s->not_neg_zero)
		return (mx_f32){ p->zero ? 0 : MX_F32_SIGN };
	if (p->align)
		return p->fused ? fused_sum(s, c) : aligned_sum(s, c);
	mx_wide_add(&s->finite, signed_sig(c), c.exp);
	uint64_t sig = mx_wide_number(&s->finite, &negative, &exp);
	return rounded(p, negative, sig, exp);
}

static mx_f32 infinity(bool negative, bool clamp) {
	return (mx_f32){ (clamp ? MX_F32_INF - 1 : MX_F32_INF) | (negative ? MX_F32_SIGN : 0) };
}

static mx_f32 end_step(struct mx_step *s, mx_f32 c, bool clamp) {
	struct mx_term t = mx_term_of_f32(c);
	if (is_subnormal(t) && s->profile->flush & MX_FLUSH_C)
		t.sig = 0;
	unsigned k = s->k;
	mx_f32 sum;
	record_special(s, t);
	bool plus = s->inf[0] || s->over[0], minus = s->inf[1] || s->over[1];
	if (s->nan || (plus && minus))
		sum.v = s->profile->nan ? s->profile->nan : MX_F32_NAN;
	else if (plus || minus)
		sum = infinity(minus, clamp && !s->inf[0] && !s->inf[1]);
	else
		sum = finite_sum(s, t);
	if (clamp && mx_f32_magnitude(sum) == MX_F32_INF && !s->inf[0] && !s->inf[1])
		sum = infinity(sum.v & MX_F32_SIGN, true);
	mx_step_begin(s, s->profile);
	s->k = k;
	return sum;
}

mx_f32 mx_step_end(struct mx_step *s, mx_f32 c, bool clamp) {
	if (!(s->profile->inner & MX_INNER_SUM))
		return end_step(s, c, clamp);
	mx_f32 sum = end_step(s, (mx_f32){ MX_F32_SIGN }, clamp);
	return mx_step_sum(s->profile, sum, c, false, clamp);
}

mx_f32 mx_step_sum(const mx_profile *p, mx_f32 x, mx_f32 c, bool nearest, bool clamp) {
	mx_profile exact = { .round = nearest ? 0 : p->round,
		             .bits = p->bits,
		             .flush = p->flush,
		             .nan = p->nan,
		             .zero = p->zero,
		             .over = p->over,
		             .parts = 1 };
	struct mx_term t = mx_term_of_f32(x);
	struct mx_step s;
	mx_step_begin(&s, &exact);
	mx_step_add(&s, &t);
	return end_step(&s, c, clamp);
}
