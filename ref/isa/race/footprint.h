/* The cells that the lanes of an operation access, as a mask for each shadow page. */
#ifndef MX_FOOTPRINT_H
#define MX_FOOTPRINT_H

#include "../../num/cpu.h"
#include "race.h"

struct mx_footprint {
	uint64_t lanes, at[MX_LANES]; /* what it was made of; lanes is 0 if it is none */
	uint64_t moved;               /* since then */
	unsigned bytes, n;
	struct mx_footprint_page {
		uint64_t page, lanes; /* address / MX_RACE_PAGE; the lanes that access it */
		mx_cells cells;       /* of the size of a lane's data, or of 4 bytes */
	} page[MX_LANES];
};

/* The footprint of lanes that access 1, 2, 4, 8 or 16 bytes each, at their addresses plus `offset`.
 * False if an address is not a multiple of these bytes, or if part of a dword is not accessed. If
 * *f is that of the same lanes a distance away, as that of the instruction in an earlier iteration
 * of its loop, it is moved instead of made. */
typedef bool mx_footprint_maker(struct mx_footprint *f, const uint64_t address[MX_LANES],
                                uint64_t offset, uint64_t lanes, unsigned bytes);
extern mx_footprint_maker MX_STEPS_OF(mx_footprint_make);

/* Whether no two lanes, of so many bytes, access the same bytes of the page. */
static inline bool mx_footprint_is_apart(const struct mx_footprint_page *p, unsigned bytes) {
	unsigned lanes_of_cell = bytes < 4 ? 4 / bytes : 1;
	return lanes_of_cell * mx_cells_count(p->cells) == (unsigned)__builtin_popcountll(p->lanes);
}

#endif
