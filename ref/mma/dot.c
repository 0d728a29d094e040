/* The plain dot product: one addend at a time into the wide accumulator. */
#include "../mxref.h"
#include "wide.h"
#include "../num/f32.h"

/* A product of two scaled elements, or an accumulator: +-sig * 2^exp or special. */
struct addend {
	enum { NUMBER, INF, NAN } kind;
	bool negative;
	uint32_t sig;
	int exp;
};

static struct addend product(struct mx_unpacked a, mx_e8m0 sa, struct mx_unpacked b, mx_e8m0 sb) {
	bool nan = a.kind == MX_NAN || b.kind == MX_NAN || sa.v == 0xFF || sb.v == 0xFF;
	bool inf = a.kind == MX_INF || b.kind == MX_INF;
	bool zero = (a.kind == MX_NUMBER && !a.sig) || (b.kind == MX_NUMBER && !b.sig);
	return (struct addend){
		.kind = nan || (inf && zero) ? NAN
		        : inf                ? INF
		                             : NUMBER,
		.negative = a.negative != b.negative,
		.sig = a.sig * b.sig,
		.exp = a.exp + b.exp + (sa.v - 127) + (sb.v - 127),
	};
}

static struct addend accumulator(mx_f32 c) {
	uint32_t magnitude = mx_f32_magnitude(c);
	return (struct addend){
		.kind = magnitude > MX_F32_INF    ? NAN
		        : magnitude == MX_F32_INF ? INF
		                                  : NUMBER,
		.negative = c.v & MX_F32_SIGN,
		.sig = mx_f32_sig(c),
		.exp = mx_f32_exp(c),
	};
}

struct sum {
	struct mx_wide finite;
	bool nan, inf[2];  /* inf[1]: the negative one */
	bool not_neg_zero; /* an addend was something else than -0 */
};

static void add(struct sum *s, struct addend x) {
	s->not_neg_zero |= x.kind != NUMBER || x.sig || !x.negative;
	switch (x.kind) {
	case NAN: s->nan = true; break;
	case INF: s->inf[x.negative] = true; break;
	case NUMBER: mx_wide_add(&s->finite, x.negative ? -(int64_t)x.sig : x.sig, x.exp); break;
	}
}

static mx_f32 result(const struct sum *s) {
	if (s->nan || (s->inf[0] && s->inf[1]))
		return (mx_f32){ MX_F32_NAN };
	if (s->inf[0] || s->inf[1])
		return (mx_f32){ MX_F32_INF | (s->inf[1] ? MX_F32_SIGN : 0) };
	if (!s->not_neg_zero)
		return (mx_f32){ MX_F32_SIGN };
	return mx_wide_round(&s->finite);
}

mx_f32 mx_mma_dot(const mx_profile *p, mx_format fa, mx_format fb, unsigned K, const mx_elem *a,
                  const mx_e8m0 *sa, const mx_elem *b, const mx_e8m0 *sb, mx_f32 c) {
	unsigned group = p->group ? p->group : K;
	for (unsigned first = 0; first < K; first += group) {
		unsigned end = K - first < group ? K : first + group;
		struct sum s = { 0 };
		for (unsigned k = first; k < end; k++) {
			unsigned block = k / MX_BLOCK;
			add(&s, product(mx_elem_unpack(fa, a[k]), sa[block],
			                mx_elem_unpack(fb, b[k]), sb[block]));
		}
		add(&s, accumulator(c));
		c = result(&s);
	}
	return c;
}
