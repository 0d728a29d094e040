/* The state of a running launch: waves, workgroups, the run; and limits of the machine. */
#ifndef MX_WAVE_H
#define MX_WAVE_H

#include "../encoding/instruction_set.h"
#include "../encoding/operands.h"
#include "../isa.h"
#include "watch.h"

enum {
	MX_GROUP_WAVES = MX_STALLED_WAVES, /* most waves of a workgroup */

	/* Upper halves of flat addresses in LDS and scratch [Linux kfd_flat_memory.c]. */
	MX_SHARED_APERTURE = MX_LDS_FLAT_BASE >> 32,
	MX_PRIVATE_APERTURE = MX_SCRATCH_FLAT_BASE >> 32,
};

/* One dword for each lane: the values of a vector register, or its unwritten bits. A wave of 32 has
 * the first half. */
typedef uint32_t mx_vreg[MX_LANES];

/* Executes a statement for each lane of a mask, lowest first. */
#define MX_FOR_LANES(lane, mask)                                                                   \
	for (uint64_t m_ = (mask); m_ && ((lane) = __builtin_ctzll(m_), true); m_ &= m_ - 1)

struct mx_clock; /* race/vector_clock.h */
struct mx_course; /* schedule/course.h */
struct mx_course_launch;
struct mx_group;
struct mx_memop; /* schedule/inflight.h */

enum { MX_CLUSTER_GROUPS = 16 }; /* most workgroups of a cluster */

/* A cluster with a workgroup that has started; schedule/clusters.h. */
struct mx_cluster {
	struct mx_cluster *next;
	uint64_t index;                             /* in the launch */
	struct mx_group *member[MX_CLUSTER_GROUPS]; /* that have started and not ended, by rank */
	uint32_t ended;                             /* by rank, a bit each */
	uint32_t signalled;                         /* the barrier, since it completed */
	uint32_t completions;                       /* of the barrier */
	/* For the analysis of order: what the signals have brought since, and before. */
	struct mx_clock *brought, *obtained;
};

/* The operations in flight of one stream, oldest first. */
struct mx_queue {
	struct mx_memop *op[64]; /* larger than any counter */
	unsigned n;
};

typedef enum { MX_READY, MX_WAITING, MX_AT_BARRIER, MX_ENDED } mx_wave_status;

/* A sample of a wave's state, to detect that the wave returns to it; see stall.c. */
struct mx_round {
	bool sampled, cycling;
	uint64_t pc, hash, visits;
};

/* A barrier of a workgroup; schedule/barriers.h. */
struct mx_barrier {
	uint32_t signals;   /* since it completed */
	uint32_t signalled; /* the waves that they came from, a bit each */
	uint32_t expected;  /* signals that complete it; 0: one of each wave that has not ended */
};

struct mx_wave {
	/* What a turn of another wave looks at is in one cache line. */
	struct mx_group *group;
	unsigned index;
	mx_wave_status status;
	unsigned streams;   /* that have operations in flight, a bit each */
	unsigned rank;      /* schedules by priority: the highest runs */
	mx_counts counts;   /* the counters: the sums of the operations' mx_inst.counts */
	mx_counts target;   /* what a waiting wave waits for: the most of each counter */
	uint64_t next_due;  /* clock at which one of them lands by itself */
	uint64_t last_turn; /* clock at the end of its last turn, or while it was idle;
	                       schedule `typical`: number of its last turn */

	unsigned barrier;  /* MX_AT_BARRIER: for which it waits */
	uint32_t complete; /* barriers that have completed and for which it has not waited */
	uint8_t joined;    /* the named barrier that it has joined last; 0: none */
	uint64_t lanes;    /* all of the wave; EXEC has those that are active */
	uint64_t pc;       /* byte offset in the program */
	uint64_t issued;
	uint64_t limited_at;                /* instructions issued after which limits are checked */
	unsigned wanted;                    /* kinds of events that watchers want; watch.h */
	unsigned issue_watchers;            /* those with the callback `issue`, a bit each */
	unsigned operation_watchers;        /* those with `operation` or `wait` */
	struct mx_quiet quiet;              /* code of which they need no instruction */
	const struct mx_isa_stream *stream; /* of the instruction set */
	bool scc, scc_unwritten;
	uint32_t mode;             /* the MODE register [ISA 3.5] */
	uint8_t banks;             /* of VGPRs, as s_set_vgpr_msb has them */
	uint32_t sched_mode;       /* SCHED_MODE of gfx1250 */
	const struct mx_tdm *tile; /* of the tensor copy that it issues or that lands; else NULL */
	uint64_t matrix[2];        /* hashes of A and B of its last WMMA */
	unsigned matrices;         /* matrix instructions that it has issued */
	struct mx_products_of_wave *products; /* alu/products.h; NULL: not looked for */
	struct mx_course *course;             /* schedule/course.h; NULL: none */
	bool follows;                         /* the course; otherwise it records it */
	size_t course_event;                  /* of the course: the next one */
	unsigned priority;                    /* s_setprio */
	bool yields;                          /* sleeps: other waves go first */
	bool unwritten_back;                  /* scalar stores without a later s_dcache_wb */
	unsigned vgprs, agprs;
	unsigned first_agpr; /* row of v: mx_isa.vgprs */
	uint32_t s[MX_SGPR_FILE], s_unwritten[MX_SGPR_FILE];
	mx_vreg *v, *v_unwritten;
	/* Lanes of each vector register that have unwritten bits. For these lanes v_unwritten has
	 * them, if its row is mixed; the other rows are empty, and all bits are unwritten. */
	uint64_t unwritten_lanes[MX_VGPR_FILE];
	uint64_t mixed[MX_VGPR_FILE / 64];
	struct mx_queue queue[MX_STREAMS];
	uint8_t *scratch,
		*scratch_unwritten; /* a linear private segment for each lane; taint as in LDS */
	struct mx_round round;
	uint64_t turn_ended_at;   /* instructions issued when its last turn ended */
	uint32_t turns_here;      /* earlier turns that ended at the same instruction */
	uint32_t landed_at_waits; /* operations that landed at a wait, before they were due */
	uint64_t ready_at;        /* schedule `typical`: the next cycle at which it may issue */
	const struct mx_deviation *delays, *turns; /* explicit schedules: the wave's next ones */
};

/* The state of the random numbers of a schedule; see random.h. */
struct mx_random {
	uint64_t s[2];
};

/* Which operations share one random choice of their delay. */
typedef enum { MX_BY_OPERATION, MX_BY_PLACE, MX_BY_WAVE } mx_fate;

enum { MX_CHANGES = 2 /* of priorities, in a schedule by priority */ };

/* The parameters of a schedule; chances in 256. */
struct mx_policy {
	unsigned at_once, at_wait, latency_bits, quantum_bits;
	mx_fate fate;
	uint64_t salt;               /* of random choices that operations share */
	bool ranked;                 /* waves run by priority, otherwise in random turns */
	bool patient;                /* ranked: a wave that waits for memory lets others go first */
	uint64_t change[MX_CHANGES]; /* clocks of the priority change points, ascending */
	unsigned new_rank[MX_CHANGES]; /* at each, below the ranks of all waves: 0 is highest */
};

/* Addresses in device memory that several operations access: in [from, to), and in pages; l1.c. */
struct mx_l1_hull {
	uint64_t from, to, pages;
};

struct mx_group {
	struct mx_run *run;
	uint64_t index;             /* in the launch */
	uint64_t nth;               /* workgroups of the launch that have started before it */
	uint32_t id[3], size[3];    /* size: in work-items, less at the end of a grid */
	struct mx_cluster *cluster; /* or NULL */
	unsigned rank;              /* in the cluster */
	const struct mx_isa *isa;   /* for which waves are allocated */
	unsigned room;              /* waves that are allocated */
	uint64_t clock;    /* instructions issued by all waves; schedule `typical`: cycles */
	uint64_t slept;    /* units of s_sleep, of all waves, that the clock does not count */
	uint64_t turn_end; /* clock at which the workgroup's turn ends */
	unsigned n_waves;
	uint32_t ended; /* waves, a bit each */
	uint32_t gone;  /* of these, some that have nothing in flight */
	struct mx_barrier barrier[MX_BARRIERS];
	uint32_t signalled;        /* barriers with signals, a bit each */
	uint32_t barriers;         /* that have completed, of all */
	unsigned in_flight;        /* operations of all waves */
	uint64_t next_due;         /* none of its waves has an earlier one */
	bool prioritised;          /* a wave has had a priority above 0 */
	unsigned stores_in_flight; /* of these, stores and atomics of vector memory */
	unsigned before_barrier; /* of these, of vm queues: issued before the last barrier completed
	                          */
	struct mx_l1_hull loads_before, stores_before; /* of which these have the addresses */
	struct mx_wave *waves;
	uint8_t pattern;                   /* initial bytes of registers and LDS */
	uint8_t *lds, *lds_unwritten;      /* one bit of taint for each bit */
	struct mx_pages *lds_pages;        /* of lds_unwritten */
	uint32_t lds_bytes, scratch_bytes; /* scratch: of a work-item */
	struct mx_random random;
	struct mx_policy policy;
	struct mx_wave *last;           /* the wave that had the last turn, or NULL */
	bool demoted;                   /* after it, that wave has the lowest rank */
	unsigned next_rank;             /* the lowest rank so far */
	unsigned first_rank;            /* a rank above all */
	uint64_t alone_since;           /* clock since which one wave had all turns */
	uint64_t last_starvation_check; /* clock of the last check for starving waves */
	int next_wave;          /* the wave of the next turn, whatever the priorities; -1: none */
	unsigned slow_wave;     /* picked rarely, so that others run ahead */
	uint64_t stores;        /* that have landed */
	uint64_t landed_at;     /* clock of the last landing that was due */
	uint32_t landed;        /* earlier landings at that clock */
	bool outlived_slice;    /* it did not end within a slice: stall.c samples its waves */
	struct mx_units *units; /* of the schedule `typical`, otherwise NULL */
	struct mx_memop *free_list;
	void *watcher_data[MX_WATCHERS]; /* the workgroup's data of each watcher, or NULL */
};

/* A note, as mx_assume gets it. */
struct mx_noted {
	uint64_t lanes;
	mx_assumption rule;
};
enum { MX_NOTES = 4 };

/* A launch that runs, or a thread's part of it. */
struct mx_run {
	const struct mx_launch *launch;
	struct mx_report *report;
	const struct mx_isa *isa;    /* of the program */
	mx_counts most;              /* of its counters: mx_counts_most */
	unsigned memory_streams;     /* those of MX_PATH_MEMORY, a bit each */
	mx_handler *const *handlers; /* the function that executes each opcode */
	unsigned sgprs;              /* mx_kernel.sgprs */
	uint64_t max_instructions;
	uint64_t deadline; /* ns of CLOCK_MONOTONIC; 0: none */
	size_t last_region;
	struct mx_pages *pages; /* what is known of each region, or NULL */
	uint32_t group_order;   /* this and `slice` are as in mx_schedule */
	uint64_t slice;
	uint8_t pattern; /* initial bytes of registers, and of LDS in workgroup 0 */
	bool stopped;           /* mx_report.stopped */
	bool out_of_memory;     /* of the host */
	bool aborted;           /* the run on several threads failed: one thread repeats it */
	bool waves_synchronise; /* waves synchronise through memory: wave_sync.c */
	uint64_t found;         /* findings and notes, each as often as it was met */
	struct mx_noted note[MX_NOTES];   /* of the instruction that a course records */
	unsigned n_notes;                 /* at most so many */
	bool silent;                      /* no notes: instructions are executed again */
	struct mx_course_launch *courses; /* of the launch, or NULL */
	bool looked_for_courses;
	struct mx_cluster *clusters;
	struct mx_worker *worker; /* NULL if workgroups run on one thread */
	bool threads;             /* a part ran on several threads */
	struct mx_watcher watchers[MX_WATCHERS]; /* those without callbacks do nothing */
};

/* The waves of a workgroup of so many work-items. */
static inline unsigned mx_waves_of(const struct mx_isa *isa, const uint32_t size[3]) {
	return (size[0] * size[1] * size[2] + isa->wave_size - 1) / isa->wave_size;
}

/* Whether the run has stopped. */
static inline bool mx_run_over(const struct mx_run *run) {
	return run->stopped | run->out_of_memory | run->aborted;
}
static inline bool mx_stopped(const struct mx_wave *w) {
	return mx_run_over(w->group->run);
}

#endif
