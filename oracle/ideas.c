/* Which explanations of wrong elements hold, and how much of them: a diagnosis in one line. */
#include "ideas.h"

#include <stdio.h>
#include <string.h>

enum { NAMED = 3, LEAST_PERCENT = 20 };

size_t mx_ideas_step(size_t wrong) {
	return wrong > MX_IDEA_ELEMENTS ? wrong / MX_IDEA_ELEMENTS : 1;
}

static uint64_t everything(const struct mx_ideas *i) {
	return (UINT64_C(1) << i->elements) - 1;
}

bool mx_idea_is_whole(const struct mx_ideas *i, const struct mx_idea *x) {
	return x->hit == everything(i);
}

static struct mx_idea *weakest(struct mx_ideas *i) {
	struct mx_idea *least = i->idea;
	for (size_t k = 1; k < i->n; k++)
		if (__builtin_popcountll(i->idea[k].hit) < __builtin_popcountll(least->hit))
			least = &i->idea[k];
	return least;
}

struct mx_idea *mx_idea_add(struct mx_ideas *i, const struct mx_idea *x) {
	struct mx_idea *at = i->n < MX_IDEAS ? &i->idea[i->n] : weakest(i);
	if (i->n < MX_IDEAS)
		i->n++;
	else if (__builtin_popcountll(x->hit) <= __builtin_popcountll(at->hit))
		return i->more += mx_idea_is_whole(i, x), NULL;
	*at = *x;
	return at;
}

static void keep(struct mx_ideas *i,
                 bool (*good)(const struct mx_ideas *, const struct mx_idea *)) {
	size_t n = 0;
	for (size_t k = 0; k < i->n; k++)
		if (good(i, &i->idea[k]))
			i->idea[n++] = i->idea[k];
	if (n)
		i->n = n;
}

static bool is_free(const struct mx_ideas *i, const struct mx_idea *x) {
	(void)i;
	return !x->contradicted;
}

/* The idea that explains most of `left`; moved to place k. */
static void bring(struct mx_ideas *i, size_t k, uint64_t left) {
	for (size_t j = k + 1; j < i->n; j++)
		if (__builtin_popcountll(i->idea[j].hit & left) >
		    __builtin_popcountll(i->idea[k].hit & left)) {
			struct mx_idea t = i->idea[k];
			i->idea[k] = i->idea[j];
			i->idea[j] = t;
		}
}

static void choose_parts(struct mx_ideas *i) {
	uint64_t left = everything(i);
	size_t k = 0;
	for (; k < i->n && k < NAMED; k++) {
		bring(i, k, left);
		if ((size_t)__builtin_popcountll(i->idea[k].hit & left) * 100 <
		    i->elements * LEAST_PERCENT)
			break;
		left &= ~i->idea[k].hit;
	}
	i->n = k;
}

void mx_ideas_choose(struct mx_ideas *i) {
	keep(i, mx_idea_is_whole);
	if (i->n && mx_idea_is_whole(i, &i->idea[0]))
		keep(i, is_free);
	else
		choose_parts(i);
}

void mx_ideas_text(const struct mx_ideas *i, char *text, size_t room) {
	bool whole = i->n && mx_idea_is_whole(i, &i->idea[0]);
	size_t n = 0, more = i->more + (i->n > NAMED ? i->n - NAMED : 0);
	text[0] = 0;
	for (size_t k = 0; k < i->n && k < NAMED && n < room; k++) {
		n += (size_t)snprintf(text + n, room - n, "%s%s",
		                      !k      ? ""
		                      : whole ? "; or "
		                              : "; and ",
		                      i->idea[k].text);
		if (i->idea[k].share < 1 && n < room)
			n += (size_t)snprintf(text + n, room - n, " (%d %% of the wrong elements)",
			                      (int)(i->idea[k].share * 100));
	}
	if (more && i->n && n < room)
		snprintf(text + n, room - n, "; or %zu more", more);
}
