/* Memory operations between issue and landing. */
#ifndef MX_INFLIGHT_H
#define MX_INFLIGHT_H

#include "../machine/wave.h"

/* A memory operation in flight. Addresses and store data are taken at issue; memory is read, and
 * registers, LDS or memory written, when it lands. */
struct mx_memop {
	const struct mx_inst *in;
	struct mx_memop *next_free;
	void (*land)(struct mx_wave *w, struct mx_memop *m);
	uint64_t issue;             /* number of its instruction in the wave */
	uint64_t due;               /* workgroup clock at which it may land by itself */
	uint64_t born;              /* workgroup clock at its issue */
	uint32_t barriers;          /* that the workgroup had come through by then */
	uint32_t rank;              /* among those due at the same clock: explicit schedules */
	uint64_t exec;              /* lanes that take part */
	uint64_t address[MX_LANES]; /* device address, or offset in LDS */
	uint8_t inside[MX_LANES]; /* which dwords of the lane's data are in range: the others load 0
	                             and do not store */
	uint64_t scratch;         /* lanes whose address is an offset in scratch */
	bool in_lds;              /* addresses are offsets in LDS: FLAT */
	uint32_t lds;             /* LDS-DMA: offset in LDS of lane 0's data */
	uint32_t mode;            /* MODE at issue: atomics in LDS */
	uint32_t format;          /* typed buffers, see typed.c */
	uint8_t weight;           /* what it adds to its counter */
	struct mx_l1_reach {
		bool known;
		uint64_t from, to, lines;
	} reach;    /* of l1.c */
	void *note; /* what a watcher keeps of it until it has landed, or NULL */
	mx_vreg data[4], unwritten[4];
};

/* ---- inflight.c ---- */

/* A new operation of this instruction; it is in flight once mx_memop_issue has it. */
struct mx_memop *mx_memop_new(struct mx_wave *w, const struct mx_inst *in);
void mx_memop_drop(struct mx_wave *w, struct mx_memop *m); /* instead of issuing it */
void mx_memop_issue(struct mx_wave *w, struct mx_queue *q, struct mx_memop *m, unsigned weight);
unsigned mx_vmcnt(const struct mx_wave *w);
unsigned mx_lgkmcnt(const struct mx_wave *w);
bool mx_in_flight(const struct mx_wave *w); /* anything */

/* Lands what is due; lands the next operation that may; whether a wait is over. */
void mx_land_due(struct mx_wave *w);
void mx_land_due_by_rank(struct mx_group *g); /* of all waves, as an explicit schedule has them */
bool mx_land_one(struct mx_wave *w);
bool mx_wait_over(const struct mx_wave *w);

/* ---- l1.c: vector memory of a workgroup's waves in the order of issue ---- */

/* Whether an operation may have to wait for those of other waves; how many of the first of a
 * wave's vm queue land before it. */
bool mx_l1_may_wait(const struct mx_group *g, const struct mx_memop *m);
unsigned mx_l1_before(const struct mx_wave *other, struct mx_memop *m);
void mx_l1_count(struct mx_group *g, const struct mx_memop *m, int change); /* of those in flight */

#endif
