/* The search for a member: descent over single fields, then over pairs, from several starts. */
#include "infer.h"

#include <stdlib.h>
#include <string.h>

/* ---- answers ---- */

bool mx_answers_make(struct mx_answers *a, const struct mx_probe_insn *insn,
                     const struct mx_probe_dot *dot, const uint32_t *d, size_t n) {
	struct mx_term *term = malloc((n + 1) * 2 * insn->k * sizeof *term);
	*a = (struct mx_answers){ .insn = *insn, .dot = dot, .d = d, .n = n };
	a->terms = malloc((n + 1) * sizeof *a->terms);
	if (!term || !a->terms) {
		free(term), free(a->terms);
		return false;
	}
	for (size_t i = 0; i <= n; i++)
		a->terms[i] = (struct mx_probe_terms){ term + 2 * i * insn->k,
			                               term + (2 * i + 1) * insn->k, 0 };
	for (size_t i = 0; i < n; i++) {
		mx_probe_terms(insn, &dot[i], &a->terms[i]);
		a->of_question[dot[i].question]++;
	}
	return true;
}

void mx_answers_free(struct mx_answers *a) {
	free(a->terms ? a->terms[0].a : NULL);
	free(a->terms);
}

/* ---- the search ---- */

struct search {
	const struct mx_answers *a;
	size_t *order;   /* dots; those that ruled members out come first */
	size_t n;        /* of them are counted */
	mx_profile best; /* so far */
	double score;    /* the sum of its shares of wrong dots, over questions */
	size_t tried;
};

static bool is_right(const struct mx_answers *a, const mx_profile *p, size_t dot) {
	return mx_probe_result(&a->insn, p, &a->terms[dot]) == a->d[dot];
}

/* Stops where the score reaches `most`. Dots that are wrong move toward the front, so that other
 * members stop sooner. */
static double score_of(struct search *s, const mx_profile *p, double most) {
	const struct mx_answers *a = s->a;
	double score = 0;
	s->tried++;
	for (size_t i = 0; i < s->n && score < most; i++) {
		size_t dot = s->order[i];
		if (is_right(a, p, dot))
			continue;
		score += 1.0 / (double)a->of_question[a->dot[dot].question];
		s->order[i] = s->order[i / 2];
		s->order[i / 2] = dot;
	}
	return score;
}

/* The first dot that rules a member out, which then moves to the front; SIZE_MAX: none. */
static size_t ruled_out(struct search *s, const mx_profile *p) {
	s->tried++;
	for (size_t i = 0; i < s->n; i++) {
		size_t dot = s->order[i];
		if (is_right(s->a, p, dot))
			continue;
		memmove(s->order + 1, s->order, i * sizeof *s->order);
		s->order[0] = dot;
		return dot;
	}
	return SIZE_MAX;
}

/* p with a value of a field; false if it is p itself or no member. */
static bool change(const struct search *s, const mx_profile *p, const struct mx_family_field *f,
                   unsigned value, mx_profile *q) {
	if (!s->a->insn.a->exp_bits && f->offset != offsetof(mx_profile, over))
		return false;
	*q = *p;
	*mx_family_value(q, f) = value;
	*q = mx_family_canonical(q, s->a->insn.k);
	return memcmp(q, p, sizeof *q) != 0 && *mx_family_value(q, f) == value &&
	       mx_profile_check(q) == MX_OK;
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

/* Pairs of fields only if that may be worth the time: a member that is wrong for whole questions is
 * far from any that fits. */
static void descend(struct search *s, double most) {
	do
		while (improve(s))
			;
	while (s->score > 0 && s->score < most && improve_pair(s));
}

/* ---- starts ---- */

static uint32_t nan_of(const struct mx_answers *a) {
	for (size_t i = 0; i < a->n; i++)
		if ((a->d[i] & ~MX_F32_SIGN) > MX_F32_INF)
			return a->d[i];
	return 0;
}

static const mx_profile kinds[] = {
	{ .parts = 1 },
	{ .parts = 1, .align = 24, .fused = 1, .round = 1 },
	{ .parts = 1, .align = 24, .dot = 31, .acc = 24 },
	{ .parts = 2, .align = 24, .join = 24, .dot = 31, .acc = 24 },
};
enum { KINDS = sizeof kinds / sizeof *kinds };

/* One kind of arithmetic, from every length of a step. */
static void search_kind(struct search *s, unsigned kind) {
	s->score = 2 * MX_QUESTIONS;
	for (unsigned group = 1; group <= s->a->insn.k; group *= 2) {
		mx_profile p = kinds[kind];
		p.group = group;
		p.nan = nan_of(s->a);
		p = mx_family_canonical(&p, s->a->insn.k);
		consider(s, &p);
	}
	descend(s, 0);
}

/* ---- which values fit ---- */

/* Whether a member with this value, and another value of one other field, fits too. */
static bool fits_with_another(struct search *s, const mx_profile *q, size_t field, mx_profile *r) {
	const struct mx_family_field *f, *own = mx_family_at(field);
	for (size_t i = 0; (f = mx_family_at(i)); i++)
		for (size_t v = 0; i != field && v < f->n; v++)
			if (change(s, q, f, f->values[v], r) &&
			    *mx_family_value(r, own) ==
			            *mx_family_value((mx_profile *)(uintptr_t)q, own) &&
			    ruled_out(s, r) == SIZE_MAX)
				return true;
	return false;
}

static void rule(struct search *s, struct mx_inference *x, size_t field) {
	const struct mx_family_field *f = mx_family_at(field);
	mx_profile q, r;
	x->field[field].decided = true;
	x->field[field].matters = mx_family_matters(f, &x->profile, &s->a->insn);
	for (size_t v = 0; x->field[field].matters && v < f->n; v++) {
		if (!change(s, &x->profile, f, f->values[v], &q))
			continue;
		struct mx_ruling *ruling = &x->field[field].ruling[x->field[field].n++];
		*ruling = (struct mx_ruling){ f->values[v], ruled_out(s, &q), 0 };
		if (ruling->dot != SIZE_MAX)
			ruling->would_be =
				mx_probe_result(&s->a->insn, &q, &s->a->terms[ruling->dot]);
		bool other = ruling->dot == SIZE_MAX;
		if (!x->field[field].decided || !(other || fits_with_another(s, &q, field, &r)))
			continue;
		x->field[field].decided = false;
		x->field[field].other = other ? q : r;
	}
}

/* Every step-th dot. */
static void count_dots(struct search *s, size_t step) {
	s->n = 0;
	for (size_t i = 0; i < s->a->n; i += step)
		s->order[s->n++] = i;
}

/* The first value of each field that fits. */
static void simplify(struct search *s) {
	const struct mx_family_field *f;
	mx_profile q;
	for (size_t i = 0; (f = mx_family_at(i)); i++)
		for (size_t v = 0; v < f->n && f->values[v] != *mx_family_value(&s->best, f); v++)
			if (change(s, &s->best, f, f->values[v], &q) &&
			    ruled_out(s, &q) == SIZE_MAX) {
				s->best = q;
				break;
			}
}

static void report_first_wrong(struct search *s, struct mx_inference *x) {
	count_dots(s, 1);
	x->dot = ruled_out(s, &x->profile);
	x->fits = x->dot == SIZE_MAX;
	if (!x->fits)
		x->would_be = mx_probe_result(&s->a->insn, &x->profile, &s->a->terms[x->dot]);
}

/* All members agree on small sums. */
static bool is_dot_product(const struct mx_answers *a, mx_profile *p) {
	*p = (mx_profile){ .parts = 1 };
	*p = mx_family_canonical(p, a->insn.k);
	for (size_t i = 0; i < a->n; i++)
		if (a->dot[i].question == MX_QUESTION_SUM && !is_right(a, p, i))
			return false;
	return true;
}

enum { SAMPLE = 2048, HOPELESS = 3 };

/* From the member that was found for some dots. */
static void count_all(struct search *s, double most) {
	count_dots(s, 1);
	s->score = score_of(s, &s->best, 2 * MX_QUESTIONS);
	descend(s, most);
}

/* First with some dots, then with all. */
static void search_thoroughly(struct search *s, unsigned kind) {
	count_dots(s, s->a->n / SAMPLE + 1);
	search_kind(s, kind);
	descend(s, HOPELESS);
	count_all(s, HOPELESS);
}

static void search(struct search *s) {
	mx_profile best = s->best;
	double score = 2 * MX_QUESTIONS;
	for (unsigned kind = 0; kind < KINDS && score > 0; kind++) {
		search_thoroughly(s, kind);
		if (s->score < score) {
			score = s->score;
			best = s->best;
		}
	}
	s->score = score;
	s->best = best;
	if (score == 0)
		simplify(s);
}

/* Fields in which a member that was found from another kind of arithmetic differs are not decided.
 */
static void ask_other_kinds(struct search *s, struct mx_inference *x) {
	const struct mx_family_field *f;
	for (unsigned kind = 0; kind < KINDS; kind++) {
		search_thoroughly(s, kind);
		if (s->score > 0)
			continue;
		simplify(s);
		for (size_t i = 0; (f = mx_family_at(i)); i++)
			if (x->field[i].matters && x->field[i].decided &&
			    *mx_family_value(&s->best, f) != *mx_family_value(&x->profile, f)) {
				x->field[i].decided = false;
				x->field[i].other = s->best;
			}
	}
}

void mx_infer(const struct mx_answers *a, struct mx_inference *x) {
	struct search s = { .a = a, .tried = 1 };
	*x = (struct mx_inference){ .fits = false };
	if (!(s.order = malloc((a->n + 1) * sizeof *s.order)))
		return;
	if (is_dot_product(a, &s.best))
		search(&s);
	x->profile = s.best;
	report_first_wrong(&s, x);
	for (size_t i = 0; x->fits && mx_family_at(i); i++)
		rule(&s, x, i);
	if (x->fits)
		ask_other_kinds(&s, x);
	x->tried = s.tried;
	free(s.order);
}
