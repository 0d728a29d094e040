/* Counts of the results of a hunt. */
#ifndef MX_TALLY_H
#define MX_TALLY_H

#include "hunt.h"

struct mx_tally {
	struct mx_output *outputs; /* open addressing by outcome and hash; runs 0: free */
	size_t n, room;
	bool out_of_memory;
};

void mx_tally_add(struct mx_tally *t, const struct mx_output *x);

/* The most frequent results, most frequent first; unused entries have 0 runs. */
void mx_tally_top(const struct mx_tally *t, struct mx_output top[MX_TOP_OUTPUTS]);
void mx_tally_free(struct mx_tally *t);

#endif
