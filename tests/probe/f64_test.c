/* Members of the family for f64: the bits of libmxref against MPFR. */
#include "member.h"

#include <float.h>
#include <math.h>
#include <mpfr.h>
#include <string.h>

enum { PRECISION = 4400, K = 4 }; /* bits -2148 to 2051 */

static mpfr_t term;

struct sum {
	mpfr_t exact;
	bool nan, infinite[2], not_neg_zero;
};

static double f64(uint64_t bits) {
	double x;
	memcpy(&x, &bits, sizeof x);
	return x;
}

static void clear(struct sum *s) {
	mpfr_set_zero(s->exact, 1);
	s->nan = s->infinite[0] = s->infinite[1] = s->not_neg_zero = false;
}

static void add(struct sum *s, double x, double y) {
	bool negative = signbit(x) != signbit(y), infinite = isinf(x) || isinf(y);
	s->not_neg_zero |= !negative || (x != 0 && y != 0);
	s->nan |= isnan(x) || isnan(y) || (infinite && (x == 0 || y == 0));
	s->infinite[negative] |= infinite;
	if (!isfinite(x) || !isfinite(y))
		return;
	mpfr_set_d(term, x, MPFR_RNDN);
	mpfr_mul_d(term, term, y, MPFR_RNDN);
	mpfr_add(s->exact, s->exact, term, MPFR_RNDN);
}

static double flushed(double x, bool flush) {
	return flush && fabs(x) < DBL_MIN ? copysign(0, x) : x;
}

static double rounded(const mx_profile *p, mpfr_t x) {
	double d = mpfr_get_d(x, p->round ? MPFR_RNDZ : MPFR_RNDN);
	bool over = isinf(d) || (mpfr_regular_p(x) && mpfr_get_exp(x) > DBL_MAX_EXP);
	if (over)
		return copysign(p->over ? DBL_MAX : INFINITY, d);
	d = flushed(d, p->flush & MX_FLUSH_RESULTS);
	return d == 0 && p->zero == 2 ? 0 : d;
}

/* The sum and c, rounded once. */
static double end(const mx_profile *p, struct sum *s, double c) {
	add(s, flushed(c, p->flush & MX_FLUSH_C), 1);
	if (s->nan || (s->infinite[0] && s->infinite[1]))
		return NAN;
	if (s->infinite[0] || s->infinite[1])
		return s->infinite[1] ? -INFINITY : INFINITY;
	if (!s->not_neg_zero)
		return p->zero ? 0 : -0.0;
	return mpfr_zero_p(s->exact) ? 0 : rounded(p, s->exact);
}

static double plus(const mx_profile *p, struct sum *s, double x, double c) {
	clear(s);
	add(s, x, 1);
	return end(p, s, c);
}

/* Product i of a step: members for K of 4 have no other orders. */
static unsigned place(const mx_profile *p, unsigned step, unsigned i) {
	unsigned steps = K / p->group;
	return p->order == MX_ORDER_STRIDED      ? i * steps + step
	       : p->order == MX_ORDER_DESCENDING ? (steps - 1 - step) * p->group + i
	                                         : step * p->group + i;
}

static void add_product(const mx_profile *p, struct sum *s, double x, double y) {
	x = flushed(x, p->flush & MX_FLUSH_ELEMENTS);
	y = flushed(y, p->flush & MX_FLUSH_ELEMENTS);
	if (p->inner & MX_INNER_PRODUCTS && isfinite(x) && isfinite(y) && x != 0 && y != 0) {
		mpfr_set_d(term, x, MPFR_RNDN);
		mpfr_mul_d(term, term, y, MPFR_RNDN);
		x = rounded(p, term);
		y = 1;
	}
	add(s, x, y);
}

static uint64_t expected(const mx_profile *p, const struct mx_probe_dot *d, struct sum *s) {
	mx_profile last = *p;
	double c = f64(d->c), acc = p->late ? -0.0 : c;
	for (unsigned step = 0; step < K / p->group; step++) {
		clear(s);
		for (unsigned i = 0; i < p->group; i++) {
			unsigned k = place(p, step, i);
			add_product(p, s, f64(d->a[k]), f64(d->b[k]));
		}
		acc = p->inner & MX_INNER_SUM ? plus(p, s, end(p, s, -0.0), acc) : end(p, s, acc);
	}
	last.round = p->late == MX_LATE_NEAREST ? 0 : p->round;
	acc = p->late ? plus(&last, s, acc, c) : acc;
	uint64_t bits;
	memcpy(&bits, &acc, sizeof bits);
	return !isnan(acc) ? bits : p->nan ? 0x7FFFFFFFE0000000 : 0x7FF8000000000000;
}

static unsigned wrong_dots(const struct mx_probe_insn *insn, const mx_profile *p,
                           const struct mx_probe_dot *dot, size_t n, struct sum *s) {
	struct mx_probe_terms t;
	unsigned wrong = 0;
	for (size_t i = 0; i < n; i++) {
		mx_probe_terms(insn, &dot[i], &t);
		uint64_t got = mx_probe_result(insn, p, NULL, &t), want = expected(p, &dot[i], s);
		if (got != want && !wrong++)
			diag("%s dot %zu: 0x%016llX, want 0x%016llX",
			     mx_question_name(dot[i].question), i, (unsigned long long)got,
			     (unsigned long long)want);
	}
	if (wrong)
		print_member("the member", p);
	return wrong;
}

/* A tie that a term 2000 places below breaks, and sums that pass the largest number. */
static const double hard[][2][K] = {
	{ { 1, 0x1p-53, 0x1p-1074 }, { 1, 1, 0x1p-1000 } },
	{ { 1, 0x1p-53, -0x1p-1074 }, { 1, 1, 0x1p-1000 } },
	{ { 0x1p1023, -0x1p1023, 1, 0x1p-1074 }, { 0x1p1023, 0x1p1023, 0x1p-1074, 0x1p-1074 } },
	{ { 0x1p1023, 0x1p1000, -0x1p1023 }, { 1, 0x1p23, 1 } },
};
enum { HARD = sizeof hard / sizeof *hard };

static struct mx_probe_dot hard_dot(unsigned i) {
	struct mx_probe_dot d = { .question = MX_QUESTION_MIXED };
	memcpy(d.a, hard[i][0], sizeof hard[i][0]);
	memcpy(d.b, hard[i][1], sizeof hard[i][1]);
	return d;
}

/* Of each question as many. */
static const struct mx_probe_dot *draw_dot(const struct mx_probe_dot *dot, size_t n,
                                           uint64_t *random) {
	unsigned question = next_random(random) % MX_QUESTIONS;
	for (;;) {
		const struct mx_probe_dot *d = &dot[next_random(random) % n];
		if (d->question == question)
			return d;
	}
}

int main(void) {
	enum { SAMPLE = 600 };
	struct mx_probe_insn insn;
	unsigned members = is_long() ? 2000 : 60, wrong = 0;
	uint64_t random = 5;
	struct sum s;
	size_t n;
	for (size_t i = 0; mx_probe_insn_at(i, &insn) && !mx_probe_is_f64(&insn);)
		i++;
	struct mx_probe_dot *dot = mx_probe_questions(&insn, &n);
	mpfr_inits2(PRECISION, term, s.exact, (mpfr_ptr)0);
	for (unsigned i = 0; i < members; i++) {
		mx_profile p = draw_member_of(&insn, &random);
		struct mx_probe_dot some[SAMPLE];
		for (unsigned k = 0; k < SAMPLE; k++)
			some[k] = k < HARD ? hard_dot(k) : *draw_dot(dot, n, &random);
		wrong += wrong_dots(&insn, &p, some, SAMPLE, &s);
	}
	ok(n > SAMPLE && !wrong, "%s: %u dots under each of %u members", insn.name, SAMPLE,
	   members);
	mpfr_clears(term, s.exact, (mpfr_ptr)0);
	free(dot);
	mpfr_free_cache();
	return done_testing();
}
