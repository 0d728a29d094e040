/* The search for a member: descent over single fields, then over pairs, from several starts. */
#include "infer.h"

#include <stdlib.h>
#include <string.h>

/* ---- answers ---- */

bool mx_answers_make(struct mx_answers *a, const struct mx_probe_insn *insn,
                     const struct mx_probe_dot *dot, const uint64_t *d, size_t n) {
	struct mx_probe_product *next = malloc((n * insn->k + 1) * sizeof *next);
	*a = (struct mx_answers){ .insn = *insn, .dot = dot, .product = next, .d = d, .n = n };
	a->terms = malloc((n + 1) * sizeof *a->terms);
	if (!next || !a->terms) {
		mx_answers_free(a);
		return false;
	}
	for (size_t i = 0; i < n; i++) {
		a->terms[i].product = next;
		mx_probe_terms(insn, &dot[i], &a->terms[i]);
		next += a->terms[i].n;
		a->of_question[dot[i].question]++;
	}
	return true;
}

void mx_answers_free(struct mx_answers *a) {
	free(a->product);
	free(a->terms);
}

/* ---- the search ---- */

enum { ORDERS = MX_ORDER_PAIRS + 1, GROUPS = 8 };

struct search {
	const struct mx_answers *a;
	struct mx_probe_steps steps[ORDERS][GROUPS]; /* by order and log2 of group; n 0: not made */
	size_t *order;                       /* dots; those that ruled members out come first */
	size_t n;                            /* of them are counted */
	double weight[MX_QUESTIONS];         /* of a wrong dot: its share of the question */
	const struct mx_family_field *fixed; /* not changed; NULL: none */
	mx_profile best;                     /* so far */
	double score;                        /* the weights of its wrong dots */
	size_t tried;
};

static const struct mx_probe_steps *steps_of(struct search *s, const mx_profile *p) {
	struct mx_probe_steps *steps = &s->steps[p->order][__builtin_ctz(p->group)];
	if (!steps->n)
		mx_probe_steps(p, s->a->insn.k, steps);
	return steps;
}

static uint64_t result(struct search *s, const mx_profile *p, size_t dot) {
	return mx_probe_result(&s->a->insn, p, steps_of(s, p), &s->a->terms[dot]);
}

static bool is_right(struct search *s, const mx_profile *p, size_t dot) {
	return result(s, p, dot) == s->a->d[dot];
}

/* Stops where the score reaches `most`. Dots that are wrong move toward the front, so that other
 * members stop sooner. */
static double score_of(struct search *s, const mx_profile *p, double most) {
	double score = 0;
	s->tried++;
	for (size_t i = 0; i < s->n && score < most; i++) {
		size_t dot = s->order[i];
		if (is_right(s, p, dot))
			continue;
		score += s->weight[s->a->dot[dot].question];
		s->order[i] = s->order[i / 2];
		s->order[i / 2] = dot;
	}
	return score;
}

/* The first dot of all that rules a member out, which then moves to the front; SIZE_MAX: none. */
static size_t ruled_out(struct search *s, const mx_profile *p) {
	s->tried++;
	for (size_t i = 0; i < s->a->n; i++) {
		size_t dot = s->order[i];
		if (is_right(s, p, dot))
			continue;
		memmove(s->order + 1, s->order, i * sizeof *s->order);
		s->order[0] = dot;
		return dot;
	}
	return SIZE_MAX;
}

/* Count the first n dots. */
static void count_dots(struct search *s, size_t n) {
	size_t of_question[MX_QUESTIONS] = { 0 };
	s->n = n < s->a->n ? n : s->a->n;
	for (size_t i = 0; i < s->n; i++)
		of_question[s->a->dot[s->order[i]].question]++;
	for (size_t i = 0; i < MX_QUESTIONS; i++)
		s->weight[i] = of_question[i] ? 1.0 / (double)of_question[i] : 0;
}

static void start(struct search *s, const mx_profile *p) {
	s->best = *p;
	s->score = score_of(s, p, MX_QUESTIONS + 1);
}

/* p with a value of a field; false if it is p itself or no member. */
static bool change(const struct search *s, const mx_profile *p, const struct mx_family_field *f,
                   unsigned value, mx_profile *q) {
	if (!s->a->insn.a->exp_bits && f->offset != offsetof(mx_profile, over))
		return false;
	*q = *p;
	*mx_family_value(q, f) = value;
	*q = mx_family_canonical(q, s->a->insn.k);
	return memcmp(q, p, sizeof *q) != 0 && mx_family_value_of(q, f) == value &&
	       mx_profile_check(q) == MX_OK && mx_family_has(&s->a->insn, q) &&
	       (!s->fixed || mx_family_value_of(q, s->fixed) == mx_family_value_of(p, s->fixed));
}

static bool consider(struct search *s, const mx_profile *q) {
	double score = score_of(s, q, s->score);
	if (score >= s->score)
		return false;
	s->score = score;
	s->best = *q;
	return true;
}

/* The best change of one field; whether it gives a better member. */
static bool improve(struct search *s) {
	const struct mx_family_field *f;
	mx_profile from = s->best, q;
	bool better = false;
	for (size_t i = 0; s->score > 0 && (f = mx_family_at(i)); i++)
		for (size_t v = 0; v < f->n; v++)
			if (change(s, &from, f, f->values[v], &q))
				better |= consider(s, &q);
	return better;
}

/* The same over pairs of fields; it stops at the first better member. */
static bool improve_pair(struct search *s) {
	const struct mx_family_field *f, *g;
	mx_profile from = s->best, q, r;
	for (size_t i = 0; (f = mx_family_at(i)); i++)
		for (size_t v = 0; v < f->n; v++) {
			if (!change(s, &from, f, f->values[v], &q))
				continue;
			for (size_t j = 0; (g = mx_family_at(j)); j++)
				for (size_t w = 0; j != i && w < g->n; w++)
					if (change(s, &q, g, g->values[w], &r) && consider(s, &r))
						return true;
		}
	return false;
}

/* Pairs of fields only below a score of `pairs`: they take time, and a member that is wrong for
 * whole questions is far from any that fits. */
static void descend(struct search *s, double pairs) {
	do
		while (improve(s))
			;
	while (s->score > 0 && s->score < pairs && improve_pair(s));
}

/* Descends with some dots; a dot that rules out the member that was found counts from then on.
 * Whether a member is right for all. */
static bool fit(struct search *s, double pairs) {
	for (;;) {
		descend(s, pairs);
		if (s->score > 0)
			return false;
		if (ruled_out(s, &s->best) == SIZE_MAX)
			return true;
		count_dots(s, s->n + 1);
		start(s, &s->best);
	}
}

/* ---- starts ---- */

/* A NaN of f64 as the f32 that widens to it. Any other number becomes an f32 that is no NaN,
 * because its exponent field is 0. */
static uint32_t narrowed(uint64_t d) {
	uint32_t special = (d >> 52 & 0x7FF) == 0x7FF ? MX_F32_INF : 0;
	return (uint32_t)(d >> 63) << 31 | special | (d >> 29 & 0x7FFFFF);
}

static uint32_t nan_of(const struct mx_answers *a) {
	for (size_t i = 0; i < a->n; i++) {
		uint32_t d = mx_probe_is_f64(&a->insn) ? narrowed(a->d[i]) : (uint32_t)a->d[i];
		if ((d & ~MX_F32_SIGN) > MX_F32_INF)
			return d;
	}
	return 0;
}

static const mx_profile kinds[] = {
	{ .parts = 1 },
	{ .parts = 1, .align = 24, .fused = 1, .round = 1 },
	{ .parts = 1, .align = 24, .dot = 31, .acc = 24 },
	{ .parts = 2, .align = 24, .join = 24, .dot = 31, .acc = 24 },
	{ .parts = 2, .split = 1, .align = 24, .join = 24, .dot = 31, .acc = 24 },
	{ .parts = 4, .align = 24, .join = 24, .dot = 31, .acc = 24 },
	{ .parts = 4, .split = 1, .align = 24, .join = 24, .dot = 31, .acc = 24 },
};
enum { KINDS = sizeof kinds / sizeof *kinds };

/* One kind of arithmetic, in steps of a length and an order; false if there are no such steps. */
static bool start_kind(struct search *s, unsigned kind, unsigned group, unsigned order) {
	mx_profile p = kinds[kind];
	p.group = group;
	p.order = order;
	p.nan = nan_of(s->a);
	p = mx_family_canonical(&p, s->a->insn.k);
	if (p.order != order || !mx_family_has(&s->a->insn, &p))
		return false;
	start(s, &p);
	return true;
}

enum { SAMPLE = 512, HOPELESS = 3, FEW = 8 };

/* Each SAMPLE dots are a sample of all questions. */
static void mix_dots(struct search *s) {
	size_t step = s->a->n / SAMPLE + 1, n = 0;
	for (size_t first = 0; first < step; first++)
		for (size_t i = first; i < s->a->n; i += step)
			s->order[n++] = i;
}

/* From each kind and length, with an order. s->best becomes the best member so far, with *score. */
static bool search_kinds(struct search *s, unsigned order, double *score) {
	mx_profile best = s->best;
	for (unsigned kind = 0; kind < KINDS; kind++)
		for (unsigned group = 1; group <= s->a->insn.k; group *= 2) {
			count_dots(s, SAMPLE);
			if (!start_kind(s, kind, group, order))
				continue;
			if (fit(s, 0))
				return true;
			if (s->score < *score) {
				*score = s->score;
				best = s->best;
			}
		}
	s->best = best;
	return false;
}

/* From the member that was found, with the first n dots. */
static bool search_pairs(struct search *s, size_t n) {
	count_dots(s, n);
	start(s, &s->best);
	return fit(s, HOPELESS);
}

static bool search(struct search *s) {
	double score = MX_QUESTIONS + 1;
	for (unsigned order = 0; order <= MX_ORDER_PAIRS; order++)
		if (search_kinds(s, order, &score))
			return true;
	return search_pairs(s, SAMPLE) || search_pairs(s, s->a->n);
}

/* ---- which values fit ---- */

struct others {
	mx_profile member[MX_FIELDS + 1];
	size_t n;
};

/* Whether p would show that the field is not decided. */
static bool shows(const struct mx_inference *x, const mx_profile *p, size_t field) {
	const struct mx_family_field *f = mx_family_at(field);
	return x->field[field].matters && x->field[field].decided &&
	       mx_family_value_of(p, f) != mx_family_value_of(&x->profile, f);
}

static bool shows_any(const struct mx_inference *x, const mx_profile *p) {
	bool any = false;
	for (size_t i = 0; mx_family_at(i); i++)
		any |= shows(x, p, i);
	return any;
}

/* Fields in which another member that fits differs are not decided. It is a new start if that is
 * new. */
static void add_other(struct mx_inference *x, struct others *o, const mx_profile *p) {
	if (shows_any(x, p))
		o->member[o->n++] = *p;
	for (size_t i = 0; mx_family_at(i); i++)
		if (shows(x, p, i)) {
			x->field[i].decided = false;
			x->field[i].other = *p;
		}
}

/* Whether a member with this value, and another value of one other field, fits too. */
static bool fits_with_another(struct search *s, const mx_profile *q, size_t field, mx_profile *r) {
	const struct mx_family_field *f, *own = mx_family_at(field);
	for (size_t i = 0; (f = mx_family_at(i)); i++)
		for (size_t v = 0; i != field && v < f->n; v++)
			if (change(s, q, f, f->values[v], r) &&
			    mx_family_value_of(r, own) == mx_family_value_of(q, own) &&
			    ruled_out(s, r) == SIZE_MAX)
				return true;
	return false;
}

static void rule(struct search *s, struct mx_inference *x, struct others *o, size_t field) {
	const struct mx_family_field *f = mx_family_at(field);
	mx_profile q, r;
	for (size_t v = 0; x->field[field].matters && v < f->n; v++) {
		if (!change(s, &x->profile, f, f->values[v], &q))
			continue;
		struct mx_ruling *ruling = &x->field[field].ruling[x->field[field].n++];
		*ruling = (struct mx_ruling){ f->values[v], ruled_out(s, &q), 0 };
		if (ruling->dot == SIZE_MAX)
			add_other(x, o, &q);
		else
			ruling->would_be = result(s, &q, ruling->dot);
		if (x->field[field].decided && fits_with_another(s, &q, field, &r))
			add_other(x, o, &r);
	}
}

/* The first value of each field that fits. */
static void simplify(struct search *s) {
	const struct mx_family_field *f;
	mx_profile q;
	for (size_t i = 0; (f = mx_family_at(i)); i++)
		for (size_t v = 0; v < f->n && f->values[v] != mx_family_value_of(&s->best, f); v++)
			if (change(s, &s->best, f, f->values[v], &q) &&
			    ruled_out(s, &q) == SIZE_MAX) {
				s->best = q;
				break;
			}
}

static void report_first_wrong(struct search *s, struct mx_inference *x) {
	x->dot = ruled_out(s, &x->profile);
	x->fits = x->dot == SIZE_MAX;
	if (!x->fits)
		x->would_be = result(s, &x->profile, x->dot);
}

/* All members agree on small sums. */
static bool is_dot_product(struct search *s) {
	s->best = (mx_profile){ .parts = 1 };
	s->best = mx_family_canonical(&s->best, s->a->insn.k);
	for (size_t i = 0; i < s->a->n; i++)
		if (s->a->dot[i].question == MX_QUESTION_SUM && !is_right(s, &s->best, i))
			return false;
	return true;
}

/* ---- other members that fit ---- */

/* The members that fit, near p with one value changed. */
static bool is_known(const struct others *o, const mx_profile *p) {
	for (size_t i = 0; i < o->n; i++)
		if (!memcmp(&o->member[i], p, sizeof *p))
			return true;
	return false;
}

static void explore_value(struct search *s, struct mx_inference *x, struct others *o,
                          const mx_profile *p, const struct mx_family_field *f, unsigned value) {
	mx_profile q;
	if (!change(s, p, f, value, &q) || is_known(o, &q) || (f->n > FEW && !shows_any(x, &q)))
		return;
	if (ruled_out(s, &q) == SIZE_MAX) {
		add_other(x, o, &q);
		return;
	}
	count_dots(s, SAMPLE);
	start(s, &q);
	s->fixed = f;
	if (f->n <= FEW && fit(s, 0))
		add_other(x, o, &s->best);
	s->fixed = NULL;
}

static void explore(struct search *s, struct mx_inference *x, struct others *o) {
	const struct mx_family_field *f;
	for (size_t i = 0; i < o->n; i++)
		for (size_t k = 0; (f = mx_family_at(k)); k++)
			for (size_t v = 0; v < f->n; v++)
				explore_value(s, x, o, &o->member[i], f, f->values[v]);
}

/* A step of one product can be the same if it is exact and if it aligns by many bits and makes what
 * it cuts odd. Changes of one value do not lead from one to the other. */
static void consider_aligned(struct search *s, struct mx_inference *x, struct others *o) {
	enum { MOST_BITS = 40 };
	const struct mx_probe_insn *insn = &s->a->insn;
	mx_profile q = x->profile;
	if (q.align || !insn->a->exp_bits || insn->a->bits >= 32)
		return;
	q.fused = 1, q.align = MOST_BITS, q.cut = MX_CUT_ODD;
	q = mx_family_canonical(&q, insn->k);
	if (!mx_profile_check(&q) && ruled_out(s, &q) == SIZE_MAX)
		add_other(x, o, &q);
}

/* Which fields of the member that fits are decided. */
static void decide(struct search *s, struct mx_inference *x) {
	const struct mx_family_field *f;
	struct others o = { { x->profile }, 1 };
	for (size_t i = 0; (f = mx_family_at(i)); i++) {
		x->field[i].matters = mx_family_matters(f, &x->profile, &s->a->insn);
		x->field[i].decided = true;
	}
	for (size_t i = 0; mx_family_at(i); i++)
		rule(s, x, &o, i);
	consider_aligned(s, x, &o);
	explore(s, x, &o);
}

void mx_infer(const struct mx_answers *a, struct mx_inference *x) {
	struct search s = { .a = a, .tried = 1 };
	*x = (struct mx_inference){ .fits = false };
	if (!(s.order = malloc((a->n + 1) * sizeof *s.order)))
		return;
	mix_dots(&s);
	if (is_dot_product(&s) && search(&s))
		simplify(&s);
	x->profile = s.best;
	report_first_wrong(&s, x);
	if (x->fits)
		decide(&s, x);
	x->tried = s.tried;
	free(s.order);
}
