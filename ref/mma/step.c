/* The plain step: exact sums in the wide accumulator, or aligned ones in 64 bits. */
#include "step.h"
#include "../num/f32.h"

struct mx_term mx_term_of_element(mx_format f, mx_elem code) {
	struct mx_unpacked u = mx_elem_unpack(f, code);
	return (struct mx_term){
		.kind = u.kind == MX_NAN   ? MX_TERM_NAN
		        : u.kind == MX_INF ? MX_TERM_INF
		                           : MX_TERM_NUMBER,
		.negative = u.negative,
		.sig = u.sig,
		.exp = u.exp,
		.top = u.exp + mx_format_info(f)->man_bits,
	};
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

static bool is_zero(struct mx_term t) {
	return t.kind == MX_TERM_NUMBER && !t.sig;
}

struct mx_term mx_term_product(struct mx_term a, struct mx_term b) {
	bool nan = a.kind == MX_TERM_NAN || b.kind == MX_TERM_NAN;
	bool inf = a.kind == MX_TERM_INF || b.kind == MX_TERM_INF;
	return (struct mx_term){
		.kind = nan || (inf && (is_zero(a) || is_zero(b))) ? MX_TERM_NAN
		        : inf                                      ? MX_TERM_INF
		                                                   : MX_TERM_NUMBER,
		.negative = a.negative != b.negative,
		.sig = a.sig * b.sig,
		.exp = a.exp + b.exp,
		.top = a.top + b.top,
	};
}

void mx_step_begin(struct mx_step *s, const mx_profile *p) {
	s->profile = p;
	s->k = s->terms = 0;
	s->nan = s->inf[0] = s->inf[1] = s->over[0] = s->over[1] = s->not_neg_zero = false;
	s->finite = (struct mx_wide){ 0 };
}

/* Records a special addend, and one that is not -0; true if the addend is a nonzero number. */
static bool record_special(struct mx_step *s, struct mx_term t) {
	s->not_neg_zero |= !is_zero(t) || !t.negative;
	if (t.kind == MX_TERM_NAN)
		s->nan = true;
	else if (t.kind == MX_TERM_INF)
		s->inf[t.negative] = true;
	return t.kind == MX_TERM_NUMBER && t.sig;
}

static bool reaches(struct mx_term t, unsigned limit) {
	return limit && t.exp + 31 - __builtin_clz(t.sig) >= (int)limit;
}

void mx_step_add(struct mx_step *s, struct mx_term t) {
	unsigned part = s->k++ % s->profile->parts;
	if (!record_special(s, t))
		return;
	if (reaches(t, s->profile->limit)) {
		s->over[t.negative] = true;
	} else if (!s->profile->align) {
		mx_wide_add(&s->finite, t.negative ? -(int64_t)t.sig : t.sig, t.exp);
	} else {
		s->part[s->terms] = part;
		s->term[s->terms++] = t;
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

enum { NO_EXPONENT = -100000 }; /* below all others by more than any width */

static int top_of_part(const struct mx_step *s, unsigned part) {
	int top = NO_EXPONENT;
	for (unsigned i = 0; i < s->terms; i++)
		if (s->part[i] == part && s->term[i].top > top)
			top = s->term[i].top;
	return top;
}

static int64_t sum_of_part(const struct mx_step *s, unsigned part, int unit) {
	int64_t sum = 0;
	for (unsigned i = 0; i < s->terms; i++) {
		const struct mx_term *t = &s->term[i];
		int64_t truncated = s->part[i] == part ? floor_to(t->sig, t->exp, unit) : 0;
		sum += t->negative ? -truncated : truncated;
	}
	return sum;
}

/* The sum of all products in units of 2^*unit; *top is their largest exponent. */
static int64_t sum_products(const struct mx_step *s, int *top, int *unit) {
	const mx_profile *p = s->profile;
	int first = top_of_part(s, 0), align = p->align;
	*top = first;
	*unit = first - align;
	if (p->parts == 1)
		return sum_of_part(s, 0, *unit);
	int second = top_of_part(s, 1);
	*top = first > second ? first : second;
	*unit = *top - (int)p->join;
	return floor_to(sum_of_part(s, 0, first - align), first - align, *unit) +
	       floor_to(sum_of_part(s, 1, second - align), second - align, *unit);
}

static int64_t floor_to_bits(int64_t v, int bits) {
	uint64_t magnitude = v < 0 ? -(uint64_t)v : (uint64_t)v;
	int lead = v ? 63 - __builtin_clzll(magnitude) : 0;
	return lead > bits ? v & -(INT64_C(1) << (lead - bits)) : v;
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
	int64_t acc = floor_to(c.negative ? -(int64_t)c.sig : c.sig, c.exp, top - (int)p->acc);
	int64_t sum = floor_to(dot, width, p->dot) + floor_to(acc, width, p->acc);
	if (p->norm)
		sum = floor_to_bits(sum, p->norm);
	return mx_f32_round(sum < 0, sum < 0 ? -sum : sum, top - width);
}

static mx_f32 finite_sum(struct mx_step *s, struct mx_term c) {
	if (!s->not_neg_zero)
		return (mx_f32){ MX_F32_SIGN };
	if (s->profile->align)
		return aligned_sum(s, c);
	mx_wide_add(&s->finite, c.negative ? -(int64_t)c.sig : c.sig, c.exp);
	return mx_wide_round(&s->finite);
}

static mx_f32 infinity(bool negative, bool clamp) {
	return (mx_f32){ (clamp ? MX_F32_INF - 1 : MX_F32_INF) | (negative ? MX_F32_SIGN : 0) };
}

mx_f32 mx_step_end(struct mx_step *s, mx_f32 c, bool clamp) {
	struct mx_term t = mx_term_of_f32(c);
	unsigned k = s->k;
	mx_f32 sum;
	record_special(s, t);
	bool plus = s->inf[0] || s->over[0], minus = s->inf[1] || s->over[1];
	if (s->nan || (plus && minus))
		sum.v = MX_F32_NAN;
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
