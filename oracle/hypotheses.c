/* Hypotheses about wrong elements: selection, and the diagnosis in one line. */
#include "hypotheses.h"

#include <stdio.h>
#include <string.h>

enum { NAMED = 3, LEAST_PERCENT = 20 };

size_t mx_hypotheses_step(size_t wrong) {
	return wrong > MX_HYPOTHESIS_ELEMENTS ? wrong / MX_HYPOTHESIS_ELEMENTS : 1;
}

static uint64_t all_elements(const struct mx_hypotheses *h) {
	return (UINT64_C(1) << h->elements) - 1;
}

bool mx_hypothesis_is_whole(const struct mx_hypotheses *h, const struct mx_hypothesis *x) {
	return x->hit == all_elements(h);
}

static struct mx_hypothesis *weakest(struct mx_hypotheses *h) {
	struct mx_hypothesis *least = h->hypothesis;
	for (size_t k = 1; k < h->n; k++)
		if (__builtin_popcountll(h->hypothesis[k].hit) < __builtin_popcountll(least->hit))
			least = &h->hypothesis[k];
	return least;
}

struct mx_hypothesis *mx_hypothesis_add(struct mx_hypotheses *h, const struct mx_hypothesis *x) {
	struct mx_hypothesis *at = h->n < MX_HYPOTHESES ? &h->hypothesis[h->n] : weakest(h);
	if (h->n < MX_HYPOTHESES)
		h->n++;
	else if (__builtin_popcountll(x->hit) <= __builtin_popcountll(at->hit))
		return h->more += mx_hypothesis_is_whole(h, x), NULL;
	*at = *x;
	return at;
}

static void keep(struct mx_hypotheses *h,
                 bool (*good)(const struct mx_hypotheses *, const struct mx_hypothesis *)) {
	size_t n = 0;
	for (size_t k = 0; k < h->n; k++)
		if (good(h, &h->hypothesis[k]))
			h->hypothesis[n++] = h->hypothesis[k];
	if (n)
		h->n = n;
}

static bool is_not_contradicted(const struct mx_hypotheses *h, const struct mx_hypothesis *x) {
	(void)h;
	return !x->contradicted;
}

/* Moves the hypothesis that explains most of `left` to index k. */
static void move_best(struct mx_hypotheses *h, size_t k, uint64_t left) {
	for (size_t j = k + 1; j < h->n; j++)
		if (__builtin_popcountll(h->hypothesis[j].hit & left) >
		    __builtin_popcountll(h->hypothesis[k].hit & left)) {
			struct mx_hypothesis t = h->hypothesis[k];
			h->hypothesis[k] = h->hypothesis[j];
			h->hypothesis[j] = t;
		}
}

static void choose_parts(struct mx_hypotheses *h) {
	uint64_t left = all_elements(h);
	size_t k = 0;
	for (; k < h->n && k < NAMED; k++) {
		move_best(h, k, left);
		if ((size_t)__builtin_popcountll(h->hypothesis[k].hit & left) * 100 <
		    h->elements * LEAST_PERCENT)
			break;
		left &= ~h->hypothesis[k].hit;
	}
	h->n = k;
}

void mx_hypotheses_choose(struct mx_hypotheses *h) {
	keep(h, mx_hypothesis_is_whole);
	if (h->n && mx_hypothesis_is_whole(h, &h->hypothesis[0]))
		keep(h, is_not_contradicted);
	else
		choose_parts(h);
}

void mx_hypotheses_text(const struct mx_hypotheses *h, char *text, size_t room) {
	bool whole = h->n && mx_hypothesis_is_whole(h, &h->hypothesis[0]);
	size_t n = 0, more = h->more + (h->n > NAMED ? h->n - NAMED : 0);
	text[0] = 0;
	for (size_t k = 0; k < h->n && k < NAMED && n < room; k++) {
		n += (size_t)snprintf(text + n, room - n, "%s%s",
		                      !k      ? ""
		                      : whole ? "; or "
		                              : "; and ",
		                      h->hypothesis[k].text);
		if (h->hypothesis[k].share < 1 && n < room)
			n += (size_t)snprintf(text + n, room - n, " (%d %% of the wrong elements)",
			                      (int)(h->hypothesis[k].share * 100));
	}
	if (more && h->n && n < room)
		snprintf(text + n, room - n, "; or %zu more", more);
}
