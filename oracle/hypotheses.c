/* Which explanations of wrong elements hold, and how much of them: a diagnosis in one line. */
#include "hypotheses.h"

#include <stdio.h>
#include <string.h>

enum { NAMED = 3, LEAST_PERCENT = 20 };

size_t mx_hypothess_step(size_t wrong) {
	return wrong > MX_IDEA_ELEMENTS ? wrong / MX_IDEA_ELEMENTS : 1;
}

static uint64_t everything(const struct mx_hypotheses *i) {
	return (UINT64_C(1) << i->elements) - 1;
}

bool mx_hypothesis_is_whole(const struct mx_hypotheses *i, const struct mx_hypothesis *x) {
	return x->hit == everything(i);
}

static struct mx_hypothesis *weakest(struct mx_hypotheses *i) {
	struct mx_hypothesis *least = i->hypothesis;
	for (size_t k = 1; k < i->n; k++)
		if (__builtin_popcountll(i->hypothesis[k].hit) < __builtin_popcountll(least->hit))
			least = &i->hypothesis[k];
	return least;
}

struct mx_hypothesis *mx_hypothesis_add(struct mx_hypotheses *i, const struct mx_hypothesis *x) {
	struct mx_hypothesis *at = i->n < MX_HYPOTHESES ? &i->hypothesis[i->n] : weakest(i);
	if (i->n < MX_HYPOTHESES)
		i->n++;
	else if (__builtin_popcountll(x->hit) <= __builtin_popcountll(at->hit))
		return i->more += mx_hypothesis_is_whole(i, x), NULL;
	*at = *x;
	return at;
}

static void keep(struct mx_hypotheses *i,
                 bool (*good)(const struct mx_hypotheses *, const struct mx_hypothesis *)) {
	size_t n = 0;
	for (size_t k = 0; k < i->n; k++)
		if (good(i, &i->hypothesis[k]))
			i->hypothesis[n++] = i->hypothesis[k];
	if (n)
		i->n = n;
}

static bool is_free(const struct mx_hypotheses *i, const struct mx_hypothesis *x) {
	(void)i;
	return !x->contradicted;
}

/* The hypothesis that explains most of `left`; moved to place k. */
static void bring(struct mx_hypotheses *i, size_t k, uint64_t left) {
	for (size_t j = k + 1; j < i->n; j++)
		if (__builtin_popcountll(i->hypothesis[j].hit & left) >
		    __builtin_popcountll(i->hypothesis[k].hit & left)) {
			struct mx_hypothesis t = i->hypothesis[k];
			i->hypothesis[k] = i->hypothesis[j];
			i->hypothesis[j] = t;
		}
}

static void choose_parts(struct mx_hypotheses *i) {
	uint64_t left = everything(i);
	size_t k = 0;
	for (; k < i->n && k < NAMED; k++) {
		bring(i, k, left);
		if ((size_t)__builtin_popcountll(i->hypothesis[k].hit & left) * 100 <
		    i->elements * LEAST_PERCENT)
			break;
		left &= ~i->hypothesis[k].hit;
	}
	i->n = k;
}

void mx_hypothess_choose(struct mx_hypotheses *i) {
	keep(i, mx_hypothesis_is_whole);
	if (i->n && mx_hypothesis_is_whole(i, &i->hypothesis[0]))
		keep(i, is_free);
	else
		choose_parts(i);
}

void mx_hypothess_text(const struct mx_hypotheses *i, char *text, size_t room) {
	bool whole = i->n && mx_hypothesis_is_whole(i, &i->hypothesis[0]);
	size_t n = 0, more = i->more + (i->n > NAMED ? i->n - NAMED : 0);
	text[0] = 0;
	for (size_t k = 0; k < i->n && k < NAMED && n < room; k++) {
		n += (size_t)snprintf(text + n, room - n, "%s%s",
		                      !k      ? ""
		                      : whole ? "; or "
		                              : "; and ",
		                      i->hypothesis[k].text);
		if (i->hypothesis[k].share < 1 && n < room)
			n += (size_t)snprintf(text + n, room - n, " (%d %% of the wrong elements)",
			                      (int)(i->hypothesis[k].share * 100));
	}
	if (more && i->n && n < room)
		snprintf(text + n, room - n, "; or %zu more", more);
}
