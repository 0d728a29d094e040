/* The bytes that a lane of an operation accesses, and their shadow cells. */
#ifndef MX_ACCESSES_H
#define MX_ACCESSES_H

#include "race.h"

/* Bytes that one lane of an operation accesses. */
struct mx_race_range {
	struct mx_wave *w;
	const struct mx_inst *in;
	const struct mx_race_group *order;
	const struct mx_race_past *past; /* of the wave */
	uint32_t group;                  /* as in a cell */
	mx_access me;
	mx_access last_over; /* the last access found to be over: neighbouring cells often have it,
	                        too */
	bool rewrites;       /* what an unordered reader of the cell reads */
	bool reported;       /* a conflict */
	mx_race_kind kind;
	mx_rmw_kind rmw; /* MX_RACE_ATOMIC: its function */
	bool lds;
	bool together; /* pages without cells have recorded the access */
	int lane;
	uint64_t at;
	unsigned bytes;
	/* What a write stores from `base` on: the lane's part of these rows, or what LDS-DMA
	 * loads. */
	uint64_t base;
	const mx_vreg *data;
	struct mx_written loaded;
	mx_race_visit *visit; /* call this for these kinds, instead of a check */
	void *context;
	unsigned kinds;
};

/* ---- conflicts.c ---- */

/* Whether an earlier access of the same workgroup is over when this one begins. */
bool mx_race_is_over_for(struct mx_race_range *r, mx_access earlier);
/* Whether an access ordered after this read is also ordered after an earlier one. */
bool mx_race_replaces(struct mx_race_range *r, mx_access earlier);

/* Whether waves that synchronise through memory order an earlier access to LDS that is not over
 * before this one, in whatever cells. False if this is the first that a proof would rest on. */
bool mx_race_is_ordered(struct mx_race_range *r, mx_access earlier);

/* Whether a wave may access memory after its signal of a barrier and before its wait for it. */
static inline bool mx_race_splits_barriers(const struct mx_race_range *r) {
	return r->w->group->run->isa->split_barriers;
}
/* Whether there may be another cache between a write and this access: that of another wave, or the
 * scalar cache instead of the vector cache or the reverse. Assumes that copies between LDS and
 * device memory have the vector cache. */
bool mx_race_passes_caches(const struct mx_race_range *r, mx_access write);

/* Checks an access against one cell of `unit` bytes at `at`, and then records it there. */
void mx_race_touch(struct mx_race_range *r, struct mx_race_map *m, struct mx_race_cell *c,
                   uint64_t at, unsigned unit);
/* The same for the cells in which atomics are kept. */
void mx_race_touch_atomics(struct mx_race_range *r, struct mx_race_map *m, struct mx_race_cell *c,
                           uint64_t at);
/* Adds a reader of another workgroup than the first reader of a cell, in a map with lists. False if
 * memory is short. */
bool mx_race_list_reader(struct mx_race_map *m, struct mx_race_cell *c, uint32_t group,
                         mx_access reader);
/* Records reads of cells of `bytes` bytes in a page with cells, if there is nothing to check: if
 * none was written. If it returns false, all or some remain to be recorded. */
bool mx_race_read_unwritten(struct mx_race_range *r, struct mx_race_map *m, struct mx_race_page *p,
                            const mx_cells *cells, unsigned bytes);

#endif
