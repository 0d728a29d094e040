/* The runs of a hunt that are not done yet: the gaps of a resumed hunt, then all from `next`. */
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

/* Marks runs [first, end) as done, in any order, none twice. */
void mx_ranges_done(struct mx_ranges *r, uint64_t first, uint64_t end);

/* Returns runs [first, end), which were taken and not done. */
void mx_ranges_put_back(struct mx_ranges *r, uint64_t first, uint64_t end);

/* Takes up to `most` consecutive runs below `end`. False: none is left. */
bool mx_ranges_take(struct mx_ranges *r, uint64_t most, uint64_t end, struct mx_range *taken);

#endif
