/* Which runs of a hunt are still to be done: what a resumed one lacks, then all from `next`. */
#ifndef MX_RANGES_H
#define MX_RANGES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct mx_range {
	uint64_t first, end;
};

struct mx_ranges {
	struct mx_range *todo; /* before `next` */
	size_t n, room;
	uint64_t next;
	bool out_of_memory;
};

/* Runs [first, end) are done: in any order, none twice. */
void mx_ranges_done(struct mx_ranges *r, uint64_t first, uint64_t end);

/* Runs [first, end) were taken and are to be done again. */
void mx_ranges_put_back(struct mx_ranges *r, uint64_t first, uint64_t end);

/* Takes up to `most` runs in a row below `end`. False: none is left. */
bool mx_ranges_take(struct mx_ranges *r, uint64_t most, uint64_t end, struct mx_range *taken);

#endif
