/* What a lane of an operation touches, and what that does to the cells of memory's shadow. */
#ifndef MX_ORDER_RANGE_H
#define MX_ORDER_RANGE_H

#include "race.h"

/* Bytes that one lane of an operation touches. */
struct mx_order_range {
	struct mx_wave *w;
	const struct mx_inst *in;
	const struct mx_order_group *order;
	uint32_t group; /* as in a cell */
	mx_access me;
	mx_access over; /* one of the workgroup that is over, as neighbours often have it */
	uint64_t pairs; /* with earlier accesses, whose order was asked for */
	mx_order_kind kind;
	bool lds;
	int lane;
	uint64_t at;
	unsigned bytes;
	/* What a write leaves from `base` on: the lane's part of these rows, or what LDS-DMA
	 * loads. */
	uint64_t base;
	const mx_vreg *data;
	struct mx_written loaded;
	mx_order_visit *visit; /* instead of all that, for these kinds */
	void *context;
	unsigned kinds;
};

/* ---- conflicts.c ---- */

/* One cell, `unit` bytes from `at` on: conflicts with who was there before, and who is now. */
void mx_order_touch(struct mx_order_range *r, struct mx_order_map *m, struct mx_order_cell *c,
                    uint64_t at, unsigned unit);
/* The same of the cells that atomics have for themselves. */
void mx_order_touch_atomics(struct mx_order_range *r, struct mx_order_map *m,
                            struct mx_order_cell *c, uint64_t at);

#endif
