/* Dots of f64 under a profile: steps of exact sums, as those of step.c, of products of 106 bits. */
#include "step.h"
#include "../num/round.h"

enum { F64_MAN = 52, F64_BIAS = 1023, F64_EXP_MIN = 1 - F64_BIAS - F64_MAN };
#define F64_SIGN   (UINT64_C(1) << 63)
#define F64_INF    UINT64_C(0x7FF0000000000000)
#define F64_NAN    UINT64_C(0x7FF8000000000000)
#define F64_HIDDEN (UINT64_C(1) << F64_MAN)

static struct mx_term term_of(uint64_t x) {
	uint64_t magnitude = x & ~F64_SIGN, man = x & (F64_HIDDEN - 1);
	int field = (int)(magnitude >> F64_MAN), top = (field ? field : 1) - F64_BIAS;
	return (struct mx_term){
		.kind = magnitude > F64_INF    ? MX_TERM_NAN
		        : magnitude == F64_INF ? MX_TERM_INF
		                               : MX_TERM_NUMBER,
		.negative = x & F64_SIGN,
		.sig = field ? man | F64_HIDDEN : man,
		.exp = top - F64_MAN,
		.top = top,
	};
}

struct step {
	const mx_profile *profile;
	struct mx_wide_f64 finite;
	bool nan, inf[2]; /* [1]: negative */
	bool not_neg_zero;
};

/* Adds t with a significand of its own: that of a product is wider than t.sig. */
static void add(struct step *s, struct mx_term t, unsigned __int128 sig) {
	s->not_neg_zero |= t.kind != MX_TERM_NUMBER || sig || !t.negative;
	if (t.kind == MX_TERM_NAN)
		s->nan = true;
	else if (t.kind == MX_TERM_INF)
		s->inf[t.negative] = true;
	else if (sig)
		mx_wide_f64_add(&s->finite, t.negative ? -(__int128)sig : (__int128)sig, t.exp);
}

/* The number in s, as the profile rounds results. */
static uint64_t rounded(const struct step *s) {
	const mx_profile *p = s->profile;
	bool negative;
	int exp;
	uint64_t sig = mx_wide_f64_number(&s->finite, &negative, &exp);
	uint64_t code =
		mx_round_code_as(sig, exp, F64_MAN, F64_EXP_MIN, p->round ? MX_RTZ : MX_RNE, 0);
	if (code >= F64_INF)
		code = p->over ? F64_INF - 1 : F64_INF;
	if (code < F64_HIDDEN && p->flush & MX_FLUSH_RESULTS)
		code = 0;
	return code | (negative && (code || p->zero < 2) ? F64_SIGN : 0);
}

/* The profile has the bits of a NaN of f32, which is widened. */
static uint64_t nan_of(const mx_profile *p) {
	uint64_t nan = p->nan;
	return nan ? nan >> 31 << 63 | F64_INF | (nan & 0x7FFFFF) << (F64_MAN - 23) : F64_NAN;
}

static uint64_t end(struct step *s, uint64_t c) {
	const mx_profile *p = s->profile;
	struct mx_term t = term_of(c);
	if (t.sig < F64_HIDDEN && p->flush & MX_FLUSH_C && t.kind == MX_TERM_NUMBER)
		t.sig = 0;
	add(s, t, t.sig);
	if (s->nan || (s->inf[0] && s->inf[1]))
		return nan_of(p);
	if (s->inf[0] || s->inf[1])
		return F64_INF | (s->inf[1] ? F64_SIGN : 0);
	if (!s->not_neg_zero)
		return p->zero ? 0 : F64_SIGN;
	return rounded(s);
}

/* x + c in one addition. */
static uint64_t sum(const mx_profile *p, uint64_t x, uint64_t c, bool nearest) {
	mx_profile q = *p;
	q.round = nearest ? 0 : p->round;
	struct step s = { .profile = &q };
	struct mx_term t = term_of(x);
	add(&s, t, t.sig);
	return end(&s, c);
}

static void add_product(struct step *s, uint64_t a, uint64_t b) {
	const mx_profile *p = s->profile;
	struct mx_term x = mx_term_element(p, term_of(a)), y = mx_term_element(p, term_of(b)),
		       t = mx_term_times(x, y);
	unsigned __int128 sig = (unsigned __int128)x.sig * y.sig;
	if (p->inner & MX_INNER_PRODUCTS && t.kind == MX_TERM_NUMBER && sig) {
		struct step one = { .profile = p };
		add(&one, t, sig);
		t = term_of(rounded(&one));
		sig = t.sig;
	}
	add(s, t, sig);
}

static uint64_t end_step(struct step *s, uint64_t c) {
	const mx_profile *p = s->profile;
	uint64_t d = p->inner & MX_INNER_SUM ? sum(p, end(s, F64_SIGN), c, false) : end(s, c);
	*s = (struct step){ .profile = p };
	return d;
}

uint64_t mx_dot_f64(const mx_profile *p, unsigned K, const uint64_t *a, const uint64_t *b,
                    uint64_t c) {
	struct step s = { .profile = p };
	uint64_t acc = p->late ? F64_SIGN : c;
	for (unsigned i = 0; i < K; i++) {
		unsigned k = mx_dot_product_at(p, K, i);
		add_product(&s, a[k], b[k]);
		if (i + 1 == K || (p->group && (i + 1) % p->group == 0))
			acc = end_step(&s, acc);
	}
	return p->late ? sum(p, acc, c, p->late == MX_LATE_NEAREST) : acc;
}
