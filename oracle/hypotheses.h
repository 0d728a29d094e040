/* Which explanations of wrong elements hold, and how much of them: a diagnosis in one line. */
#ifndef MX_IDEAS_H
#define MX_IDEAS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { MX_IDEA_ELEMENTS = 32, MX_HYPOTHESES = 64, MX_IDEA_TEXT = 120 };

/* One that was tried. */
struct mx_hypothesis {
	char text[MX_IDEA_TEXT];
	uint64_t hit;               /* which of the elements looked at it explains, a bit each */
	bool contradicted;          /* it would make elements wrong that are right */
	double share;               /* of all wrong elements */
	unsigned kind, index, side; /* for the caller, as is the next: what it is */
	long parameter;
};

struct mx_hypotheses {
	size_t elements; /* that are looked at, MX_IDEA_ELEMENTS at most */
	size_t n, more;  /* kept; that would have been kept, had there been room */
	struct mx_hypothesis hypothesis[MX_HYPOTHESES];
};

/* Every `step`-th wrong element is looked at, from the first on. */
size_t mx_hypothess_step(size_t wrong);

bool mx_hypothesis_is_whole(const struct mx_hypotheses *i, const struct mx_hypothesis *x);

/* Keeps an hypothesis. One that explains all elements displaces those that do not. */
struct mx_hypothesis *mx_hypothesis_add(struct mx_hypotheses *i, const struct mx_hypothesis *x);

/* Leaves what is to be said, the shares to be filled in by the caller: all hypotheses that explain
 * every element looked at, without those contradicted if another is not; or, where none does, up to
 * three that explain the largest shares, each of elements that those before it do not. */
void mx_hypothess_choose(struct mx_hypotheses *i);

/* "as if A; or as if B": what is left, three at most, each with its share unless that is 1. */
void mx_hypothess_text(const struct mx_hypotheses *i, char *text, size_t room);

#endif
