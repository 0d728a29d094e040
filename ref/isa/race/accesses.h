/* The bytes that a lane of an operation accesses, and their shadow cells. */
#ifndef MX_ACCESSES_H
#define MX_ACCESSES_H

#include "race.h"

/* Bytes that one lane of an operation accesses. */
struct mx_order_range {
	struct mx_wave *w;
	const struct mx_inst *in;
	const struct mx_order_group *order;
	uint32_t group; /* as in a cell */
	mx_access me;
	mx_access last_over; /* the last access found to be over: neighbouring cells often have it,
	                        too */
	bool rewrites;       /* what an unordered reader of the cell reads */
	uint64_t pairs;      /* of this access and an earlier one that were compared */
	mx_order_kind kind;
	bool lds;
	int lane;
	uint64_t at;
	unsigned bytes;
	/* What a write stores from `base` on: the lane's part of these rows, or what LDS-DMA
	 * loads. */
	uint64_t base;
	const mx_vreg *data;
	struct mx_written loaded;
	mx_order_visit *visit; /* call this for these kinds, instead of a check */
	void *context;
	unsigned kinds;
};

/* ---- conflicts.c ---- */

/* Checks an access against one cell of `unit` bytes at `at`, and then records it there. */
void mx_order_touch(struct mx_order_range *r, struct mx_order_map *m, struct mx_order_cell *c,
                    uint64_t at, unsigned unit);
/* The same for the cells in which atomics are kept. */
void mx_order_touch_atomics(struct mx_order_range *r, struct mx_order_map *m,
                            struct mx_order_cell *c, uint64_t at);

#endif
