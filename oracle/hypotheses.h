/* Hypotheses about wrong elements: selection, and the diagnosis in one line. */
#ifndef MX_HYPOTHESES_H
#define MX_HYPOTHESES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { MX_HYPOTHESIS_ELEMENTS = 32, MX_HYPOTHESES = 64, MX_HYPOTHESIS_TEXT = 120 };

/* A hypothesis that was tested. */
struct mx_hypothesis {
	char text[MX_HYPOTHESIS_TEXT];
	uint64_t hit;               /* a bit for each element of the sample that it explains */
	bool contradicted;          /* it would make right elements wrong */
	double share;               /* of the wrong elements */
	unsigned kind, index, side; /* identify the fault, with parameter, for the caller */
	long parameter;
};

struct mx_hypotheses {
	size_t elements; /* in the sample, at most MX_HYPOTHESIS_ELEMENTS */
	size_t n, more;  /* kept; dropped for lack of room */
	struct mx_hypothesis hypothesis[MX_HYPOTHESES];
};

/* The step between wrong elements of the sample, from the first on. */
size_t mx_hypotheses_step(size_t wrong);

bool mx_hypothesis_is_whole(const struct mx_hypotheses *h, const struct mx_hypothesis *x);

/* Adds a hypothesis. If the list is full, it replaces the one that explains the fewest elements,
 * unless it explains no more. */
struct mx_hypothesis *mx_hypothesis_add(struct mx_hypotheses *h, const struct mx_hypothesis *x);

/* Keeps the hypotheses for the diagnosis; the caller fills in their shares. These are all
 * hypotheses that explain every element of the sample, without the contradicted ones if another is
 * not contradicted. If there is none, they are up to three that explain the largest shares, each of
 * elements that the earlier ones do not explain. */
void mx_hypotheses_choose(struct mx_hypotheses *h);

/* "as if A; or as if B": the kept hypotheses, at most three, each with its share unless that is
 * 1. */
void mx_hypotheses_text(const struct mx_hypotheses *h, char *text, size_t room);

#endif
