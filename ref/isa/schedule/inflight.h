/* Memory operations between issue and landing. */
#ifndef MX_INFLIGHT_H
#define MX_INFLIGHT_H

#include "../machine/lane_bytes.h"

/* How many of the lanes that take part have all of their data in range. */
typedef enum { MX_RANGE_SOME, MX_RANGE_NONE, MX_RANGE_ALL } mx_range;

/* Bytes in LDS or device memory that an operation accesses. */
struct mx_extent {
	bool lds, write;
	int lane; /* -1: none */
	uint64_t at;
	unsigned bytes;
	mx_rmw_kind rmw; /* of an atomic access, otherwise 0 */
};
typedef void mx_visit_extent(void *context, const struct mx_extent *e);

/* A memory operation in flight. Issue takes addresses and store data. Landing reads memory and
 * writes registers, LDS or memory. */
struct mx_memop {
	/* What issue and landing need in every case is in two cache lines. */
	const struct mx_inst *in;
	void (*land)(struct mx_wave *w, struct mx_memop *m);
	mx_counts held;            /* counts of later ones that have landed before it */
	uint64_t issue;            /* number of its instruction in the wave */
	uint64_t due;              /* workgroup clock at which it may land without a wait */
	uint64_t issued_at;        /* workgroup clock at issue */
	struct mx_course_op *kept; /* of a course, which has this operation; or NULL */
	uint32_t barriers;         /* barriers of the workgroup before issue */
	uint8_t stream;            /* of the instruction set */
	bool writes;               /* device memory, or LDS that FLAT addresses */
	bool bulk;                 /* it copies a tile, of which no dword is a flag */
	bool arrives; /* at a barrier in LDS, when it and those before it in its stream have landed
	               */
	struct mx_l1_reach {
		bool computed;
		uint64_t from, to, lines;
	} reach;       /* for l1.c: the addresses that it accesses */
	void *note;    /* data that a watcher attached until it lands, or NULL */
	uint64_t exec; /* lanes that take part */
	/* Of a block that is stored: operations that hold its data and are never in flight. */
	struct mx_memop *more;
	struct mx_memop *next_free;

	/* Visits all bytes that it accesses: of an operation that `address` and the opcode do not
	 * describe, such as a copy between device memory and LDS; otherwise NULL. */
	void (*extents)(const struct mx_memop *m, mx_visit_extent *visit, void *context);
	uint32_t rank;     /* order of landings at one clock, in explicit schedules */
	mx_range range;    /* SOME: look at `inside`, for it may be any */
	bool split;        /* range SOME: each lane has all of its data in range, or none */
	uint64_t in_range; /* not SOME, or split: the lanes that have their data in range */
	uint64_t from, to; /* the bytes of these lanes are in [from, to) */
	bool together;     /* the lanes are accessed together: memory/together.h */
	bool clean;        /* store data: without unwritten bits */
	uint64_t scratch;  /* lanes whose address is an offset in scratch */
	bool in_lds;       /* addresses are offsets in LDS: FLAT */
	uint32_t lds;      /* LDS-DMA: offset in LDS of lane 0's data */
	uint32_t mode;     /* MODE at issue: atomics in LDS */
	uint32_t format;   /* typed buffers, see typed.c */
	uint32_t block;    /* MX_IS_BLOCK: M0 at issue */
	_Alignas(64) uint64_t address[MX_LANES]; /* device address, or offset in LDS */
	uint8_t inside[MX_LANES]; /* the dwords of the lane's data that are in range; others load
	                             0 and are not stored */
	union {
		_Alignas(64) mx_vreg data[4];
		struct mx_tdm tdm; /* of the tensor data mover */
	};
	mx_vreg unwritten[4];
};

/* The bytes of the lanes that have their data in range. */
static inline struct mx_lane_bytes mx_lane_bytes_of(const struct mx_memop *m) {
	return (struct mx_lane_bytes){ m->in_range, m->address, m->in->op->d, m->from, m->to };
}

/* ---- inflight.c ---- */

struct mx_memop *mx_memop_allocate(void); /* memory for an operation, or NULL */
/* A new operation of this instruction; mx_memop_issue puts it in flight. */
struct mx_memop *mx_memop_new(struct mx_wave *w, const struct mx_inst *in);
void mx_memop_drop(struct mx_wave *w, struct mx_memop *m); /* instead of issuing it */
void mx_memop_issue(struct mx_wave *w, unsigned stream, struct mx_memop *m);

/* Lands what is due; lands one operation that a wait needs; whether a wait is over. */
void mx_land_due(struct mx_wave *w);
void mx_land_due_of_all(struct mx_group *g);
void mx_land_due_by_rank(struct mx_group *g); /* of all waves, in the order of a schedule */
bool mx_land_one(struct mx_wave *w);
static inline bool mx_wait_over(const struct mx_wave *w) {
	return mx_counts_within(w->counts, w->target);
}

/* ---- l1.c: vector memory of a workgroup's waves in the order of issue ---- */

/* Whether the operations of a stream go through the L1. */
static inline bool mx_in_l1(const struct mx_group *g, unsigned stream) {
	return g->run->isa->stream[stream].path == MX_PATH_MEMORY;
}
/* Whether one L1 takes the vector memory operations of a workgroup in the order of issue. */
static inline bool mx_has_one_l1(const struct mx_run *run) {
	return run->isa->one_l1 && !run->launch->threadgroup_split;
}
/* Whether an operation may have to wait for those of other waves; and how many operations at the
 * head of such a queue of another wave must land before it. */
bool mx_l1_may_wait(const struct mx_group *g, struct mx_memop *m);
unsigned mx_l1_before(const struct mx_wave *other, unsigned stream, struct mx_memop *m);
/* The same of operations of the same wave in another stream: they access the same bytes in the
 * order of issue. */
unsigned mx_l1_own_before(const struct mx_wave *w, unsigned stream, struct mx_memop *m);
/* An operation is issued (1), or lands (-1); a barrier has opened. */
void mx_l1_count(struct mx_group *g, const struct mx_memop *m, int change);
void mx_l1_barrier(struct mx_group *g);

#endif
