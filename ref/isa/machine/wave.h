/* The state of the machine while a launch runs: waves, workgroups, the run; and its limits. */
#ifndef MX_WAVE_H
#define MX_WAVE_H

#include "../encoding/inst.h"
#include "../isa.h"
#include "watch.h"

enum {
	MX_VGPR_FILE = 512,
	MX_VMCNT_MAX = 63,
	MX_LGKMCNT_MAX = 15,     /* widths of the counters [ISA 4.4] */
	MX_LDS_MAX = 160 * 1024, /* of a workgroup [ISA 2.2.1] */

	/* Upper halves of flat addresses in LDS and scratch [Linux kfd_flat_memory.c]. */
	MX_SHARED_APERTURE = MX_LDS_FLAT_BASE >> 32,
	MX_PRIVATE_APERTURE = MX_SCRATCH_FLAT_BASE >> 32,
};

/* Further bits of MODE, and all that it has apart from DEBUG and EXCP_EN. lanes.h has the fields
 * that vector arithmetic reads. */
#define MX_MODE_GPR_IDX_EN (1u << 27)
#define MX_MODE_VSKIP      (1u << 28)
#define MX_MODE_CSP_SHIFT  29
#define MX_MODE_BITS       0xfc8003ffu

/* One dword for each lane: the values of a vector register, or its unwritten bits. */
typedef uint32_t mx_vreg[MX_LANES];

/* Executes its statement for each lane of a mask, lowest first. */
#define MX_FOR_LANES(lane, mask)                                                                   \
	for (uint64_t m_ = (mask); m_ && ((lane) = __builtin_ctzll(m_), true); m_ &= m_ - 1)

struct mx_group;
struct mx_memop; /* schedule/inflight.h */

/* The operations in flight of one counter, oldest first. */
struct mx_queue {
	struct mx_memop *op[64]; /* more than any counter admits */
	unsigned n;
	unsigned count; /* what the counter reads: the sum of weights */
};

typedef enum { MX_READY, MX_WAITING, MX_AT_BARRIER, MX_ENDED } mx_wave_status;

/* A state of a wave that it may come back to; see stall.c. */
struct mx_round {
	bool taken, cycling;
	uint64_t pc, hash, visits;
};

struct mx_wave {
	struct mx_group *group;
	unsigned index;
	mx_wave_status status;
	uint64_t pc; /* byte offset in the program */
	uint64_t issued;
	bool scc, scc_unwritten;
	uint32_t mode;       /* the MODE register [ISA 3.5] */
	unsigned priority;   /* s_setprio */
	bool yields;         /* has gone to sleep: others first */
	bool unwritten_back; /* scalar stores that no s_dcache_wb followed */
	unsigned vgprs, agprs;
	uint32_t s[MX_SGPR_FILE], s_unwritten[MX_SGPR_FILE];
	mx_vreg *v, *v_unwritten;
	/* Lanes of each vector register that have unwritten bits; v_unwritten of other lanes is
	 * not kept up to date. */
	uint64_t unwritten_lanes[MX_VGPR_FILE];
	unsigned wanted;                 /* by watchers: kinds of events, see watch.h */
	unsigned vm_target, lgkm_target; /* what a waiting wave waits for */
	uint64_t next_due;
	struct mx_queue vm, fl, ds, sm; /* vmcnt is vm + sc + fl; lgkmcnt is ds + sm */
	struct mx_queue sc;             /* scratch, where it returns apart; else it is in vm */
	uint8_t *scratch,
		*scratch_unwritten; /* a linear private segment of each lane; taint as LDS */
	struct mx_round round;
	uint64_t ended_at;   /* the instruction at which its last turn ended */
	uint32_t again;      /* turns that ended there before */
	uint32_t waited_for; /* operations that landed at waits, and not before */
	uint64_t had_turn;   /* clock at which its last turn ended, or it was idle */
	unsigned rank;       /* schedules by priority: the highest runs */
	const struct mx_deviation *delays, *turns; /* explicit schedules: the next of the wave */
};

/* The state of the random numbers of a schedule; see random.h. */
struct mx_random {
	uint64_t s[2];
};

/* Operations that share one fate: none, those of an instruction, or those of a wave. */
typedef enum { MX_BY_OPERATION, MX_BY_PLACE, MX_BY_WAVE } mx_fate;

enum { MX_CHANGES = 2 /* of priorities, in a schedule by priority */ };

/* How a schedule behaves: chances in 256. */
struct mx_policy {
	unsigned at_once, at_wait, latency_bits, quantum_bits;
	mx_fate fate;
	uint64_t salt;               /* of fates */
	bool ranked;                 /* waves run by priority, else in random turns */
	bool patient;                /* ranked: a wave that waits for memory lets others go first */
	uint64_t change[MX_CHANGES]; /* clocks at which the running wave loses its priority,
	                                ascending */
	unsigned lot[MX_CHANGES];    /* for one below all waves': the smaller is the higher */
};

struct mx_group {
	struct mx_run *run;
	uint64_t index;          /* in the launch */
	uint32_t id[3], size[3]; /* size: in work-items, less at the end of a grid */
	unsigned room;           /* waves that there is memory for */
	uint64_t clock;          /* instructions issued by all waves */
	uint64_t turn_end;       /* clock at which it is another workgroup's turn */
	unsigned n_waves, at_barrier, ended;
	uint32_t barriers;         /* that have opened */
	unsigned in_flight;        /* operations of all waves */
	unsigned stores_in_flight; /* of these, stores and atomics of vector memory */
	struct mx_wave *waves;
	uint8_t *lds, *lds_unwritten; /* one bit of taint for each bit */
	uint32_t lds_bytes;
	struct mx_random random;
	struct mx_policy policy;
	struct mx_wave *last; /* the wave that had the last turn, or NULL */
	bool demoted;         /* that turn has made it the lowest of all */
	unsigned next_rank;   /* lower than any */
	unsigned first_rank;  /* higher than any */
	uint64_t alone;       /* clock since when no other had one */
	uint64_t looked;      /* clock at which starved waves were last looked for */
	int next_wave;        /* whose turn it is, before all priorities; -1: not said */
	unsigned slow_wave;   /* is picked rarely, so that others run ahead */
	uint64_t stores;      /* that have landed */
	uint64_t landed_at;   /* clock of the last landing, and how many there were at it */
	uint32_t landed;
	bool outlived; /* its slice: the rounds of its waves are noted */
	struct mx_memop *free_list;
	void *kept[MX_WATCHERS]; /* what each watcher keeps of the workgroup, or NULL */
};

/* A launch under way, or a thread's part of it. */
struct mx_run {
	const struct mx_launch *launch;
	struct mx_report *report;
	mx_handler *const *handlers; /* of each opcode, what executes it */
	uint64_t max_instructions;
	size_t last_region;
	uint32_t group_order; /* and `slice`: as mx_schedule has them */
	uint64_t slice;
	uint8_t pattern; /* unwritten registers of a wave, and LDS of the first group, hold it */
	bool out_of_memory;
	bool synchronises;        /* waves do so through memory: wave_sync.c */
	struct mx_worker *worker; /* where workgroups run on several threads, else NULL */
	bool aborted;             /* that has failed: the launch goes on with one */
	struct mx_watcher watchers[MX_WATCHERS]; /* those that there are */
};

/* Nothing more is to run. */
static inline bool mx_run_over(const struct mx_run *run) {
	return run->report->stopped || run->out_of_memory || run->aborted;
}

#endif
