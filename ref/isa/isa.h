/* The gfx950 emulator: runs compiled kernels on the CPU, bit for bit.
 *
 *   code --mx_program_new--> decoded program
 *   program + grid + kernarg + memory + seed --mx_launch_run--> memory, findings, counts
 *
 * Memory operations take time. The schedule picks the moment at which a load's data lands or a
 * store's bytes appear, between issue and the wait that covers the operation. Until then the old
 * bytes are visible. One seed is one schedule: the order in which waves run and in which operations
 * in flight complete.
 *
 * A launch stops with a finding at whatever is not implemented exactly. Where no source defines a
 * result, assumptions.def does. Opcodes that always rest on an assumption are marked (mx_how_runs);
 * if only some operands do, a launch that executes them has a finding MX_ASSUMED_NOTE, which is a
 * note and no fault. Unwritten and undefined bits are tracked through registers and LDS, and
 * reported if they reach memory, a branch, EXEC or an address.
 *
 * Thread-safe: launches share only the memory that they are given. Workgroups of one launch may run
 * on several threads: bits, findings, counts and proofs are those of one thread.
 *
 * Sources: [ISA] AMD CDNA4 instruction set manual; [LLVM] User Guide for AMDGPU
 * Backend; see each file.
 */
#ifndef MX_ISA_H
#define MX_ISA_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "../mxref.h"

/* ---- device memory ---- */

/* State of a byte of device memory. */
enum {
	MX_WRITTEN = 1, /* it has been written */
	MX_GUARD = 2,   /* inside an allocation, but no access is allowed */
};

/* Where flat addresses of LDS and scratch begin [Linux kfd_flat_memory.c, GFX9]. */
#define MX_LDS_FLAT_BASE     0x0001000000000000ull
#define MX_SCRATCH_FLAT_BASE 0x0002000000000000ull

/* Addresses of the buffers of absent.def, 4 GiB for each, above the apertures. */
#define MX_ABSENT_BASE 0x0003000000000000ull
typedef enum {
#define MX_ABSENT(kind, use) MX_ABSENT_##kind,
#include "absent.def"
#undef MX_ABSENT
	MX_ABSENT_BUFFERS
} mx_absent;

/* A live allocation. Device addresses are host addresses. state: the flags above for each byte of
 * memory. */
struct mx_region {
	uint64_t base, size;
	uint8_t *state;
	bool internal;  /* libraries of kernels synchronise through it, by relaxed atomics that look
	                   like plain accesses: a race in it is no finding, but prevents a proof */
	bool read_only; /* a write is a fault */
};

/* The memory of a launch: regions sorted by base, not overlapping. */
struct mx_memory {
	const struct mx_region *regions;
	size_t n;
	/* Of each region's bytes and states before the launch: if it is that of an earlier launch,
	 * they are the same. 0: not known. NULL: of none. */
	const uint64_t *version;
};

/* ---- findings ---- */

typedef enum {
#define MX_FINDING(id, class, name) MX_##id,
#include "findings.def"
#undef MX_FINDING
	MX_FINDINGS
} mx_finding_kind;

const char *mx_finding_name(mx_finding_kind k);

/* The subject of a kind of finding; it decides mxcheck's exit status. */
typedef enum {
	MX_FINDING_NUMBERS, /* memory does not have the right values */
	MX_FINDING_ORDER,   /* the result depends on something that the kernel leaves open */
	MX_FINDING_LATENCY, /* the result is right only because of latencies */
	MX_FINDING_DEVICE,  /* the launch stopped, because its state is no longer exact */
	MX_FINDING_NOTE,    /* no fault */
} mx_finding_class;

mx_finding_class mx_finding_class_of(mx_finding_kind k);

/* Two accesses without order. Later findings may be a consequence of a race. */
static inline bool mx_finding_is_race(mx_finding_kind k) {
	return k == MX_RACE_LDS || k == MX_RACE_REGISTER || k == MX_RACE_GLOBAL ||
	       k == MX_RACE_LDS_LATENCY || k == MX_RACE_REGISTER_LATENCY;
}

/* An access: kind, space, and bytes for each lane. bytes 0: the format of a buffer decides. */
typedef enum { MX_ACCESS_NONE, MX_ACCESS_READ, MX_ACCESS_WRITE, MX_ACCESS_ATOMIC } mx_access_kind;
typedef enum {
	MX_SPACE_NONE,
	MX_SPACE_MEMORY, /* device memory; addresses are device addresses */
	MX_SPACE_LDS,    /* addresses are offsets, in LDS and in scratch */
	MX_SPACE_SCRATCH,
	MX_SPACE_REGISTER
} mx_space;
struct mx_finding_access {
	mx_access_kind kind;
	mx_space space;
	uint32_t bytes;
};

/* What is missing between two accesses to order them, or between two instructions. */
typedef enum {
	MX_MISSING_NONE,
	MX_MISSING_WAIT,             /* for `count` of `counter`, between the two */
	MX_MISSING_WAIT_AT_BARRIER,  /* the same before the barrier at pc `barrier` */
	MX_MISSING_BARRIER,          /* a barrier after the earlier wave's wait */
	MX_MISSING_WAIT_AND_BARRIER, /* a wait in the earlier wave, then a barrier */
	MX_MISSING_FLAG,        /* between workgroups: an atomic, or a flag and a wait for it */
	MX_MISSING_WAIT_STATES, /* `count` wait states */
#define MX_ALU_COUNTER(id, name, low, width) MX_MISSING_##id, /* s_wait_alu for `count` of it */
#include "wait_alu.def"
#undef MX_ALU_COUNTER
} mx_missing_kind;
struct mx_missing {
	mx_missing_kind kind;
	uint32_t counter; /* of the instruction set: mx_counter_name */
	uint32_t count;
	uint64_t barrier;
};

/* How long before the later instruction the earlier one of a race issued, if waits and barriers fix
 * that order: instructions of its wave up to the last barrier between them, and of this wave since;
 * and memory operations of its counter. */
struct mx_lead {
	uint64_t instructions;
	uint32_t operations;
};

/* Too few wait states between two instructions; waitstates/hazards.def has the rules. */
typedef enum { MX_HAZARD_NOTE, MX_HAZARD_FINDING } mx_hazard_severity;
struct mx_hazard {
	mx_hazard_severity severity;
	unsigned needed, states; /* wait states required, and present */
	bool in_clause;          /* required is one instruction that ends the clause */
	bool pipe_helps;         /* enough by the count `busy` of struct mx_distance: a note */
	const char *does, *how;  /* the action of the second: "reads the result of", " as C" */
	const char *source;      /* "ISA 7.6" */
};

/* The reason for a finding that involves one instruction: a row of reasons.def, and the values in
 * its sentence. */
typedef enum {
	MX_BECAUSE_NOTHING,
#define MX_REASON(id, sentence) MX_BECAUSE_##id,
#include "reasons.def"
#undef MX_REASON
	MX_REASONS
} mx_reason;
struct mx_because {
	mx_reason reason;
	uint64_t number[4];
	const char *subject; /* static, or NULL */
};

/* Where the waves of a stalled workgroup are. */
typedef enum { MX_STALLED_IN_LOOP, MX_STALLED_AT_BARRIER, MX_STALLED_ENDED } mx_stalled;
enum { MX_STALLED_WAVES = 32 /* of a workgroup: 1,024 work-items in waves of 32 */ };

/* The dwords of an instruction; n 0: there is none. */
struct mx_inst_dwords {
	uint8_t n, banks; /* of VGPRs, under which it is printed */
	uint32_t dword[4];
};

#define MX_NO_PC UINT64_MAX

/* One finding. Findings of the same kind at the same pc with the same earlier instruction are one,
 * with a count. A pc keeps a few earlier instructions; the last kept counts for the rest. A finding
 * is data: mx_finding_text makes a line of it. Fields that its kind does not use are 0. */
struct mx_finding {
	mx_finding_kind kind;
	uint64_t count;
	bool conditional; /* a race came earlier: this may be its consequence */

	/* The instruction, where it ran, and what it did. */
	uint64_t pc; /* offset from the start of the kernel's code */
	struct mx_inst_dwords code;
	uint32_t workgroup[3];
	uint32_t wave;    /* in its workgroup */
	int32_t lane;     /* -1: the whole wave */
	uint64_t address; /* 0: none; in LDS and scratch the offset of the first byte */
	uint16_t reg;     /* of MX_SPACE_REGISTER: VGPRs, then AGPRs; 1024 + a scalar code */
	struct mx_finding_access access;

	/* The earlier instruction, which this one follows too soon or without order; MX_NO_PC:
	 * none. */
	uint64_t earlier;
	struct mx_inst_dwords earlier_code;
	uint32_t earlier_workgroup[3], earlier_wave;
	bool earlier_elsewhere; /* in another, unknown workgroup */
	struct mx_finding_access earlier_access;

	struct mx_missing missing; /* races, wait states */
	struct mx_lead lead;       /* races of class MX_FINDING_LATENCY */
	struct mx_hazard hazard;   /* wait states */
	uint32_t assumption;       /* MX_ASSUMED_NOTE: row of encoding/assumptions.def, from 1 */
	struct mx_because because; /* all other kinds */
	struct mx_tdm tile; /* what the instruction copies, if it is a tensor copy; else bytes 0 */

	/* MX_BECAUSE_STALL: an mx_stalled and a pc of each wave of the workgroup. */
	unsigned n_stalled;
	uint8_t stalled[MX_STALLED_WAVES];
	uint64_t stalled_pc[MX_STALLED_WAVES];
};

/* ---- proofs ---- */

/* The assumptions of a proof, and the reasons why there is none: rows of proofs.def. */
typedef enum {
#define MX_PROOF_ASSUMPTION(id, text) MX_PROOF_##id,
#include "proofs.def"
	MX_PROOF_ASSUMPTIONS,
	MX_PROOF_ALWAYS = MX_PROOF_FLAT_IN_ORDER /* every proof rests on those before it */
} mx_proof_assumption;
typedef enum {
	MX_DOUBT_NONE,
#define MX_DOUBT(id, text) MX_DOUBT_##id,
#include "proofs.def"
	MX_DOUBTS
} mx_doubt;

typedef enum {
	MX_NOT_ANALYSED, /* not requested, or the launch did not reach its end */
	MX_NOT_PROVED,
	MX_PROVED /* every schedule of this launch gives the same bytes */
} mx_proof_outcome;

/* The result of the analysis of order. mx_proof_text makes a line of it. */
struct mx_proof {
	mx_proof_outcome outcome;
	uint32_t assumptions;  /* MX_PROVED: bits 1 << mx_proof_assumption */
	mx_doubt doubt;        /* MX_NOT_PROVED: the first reason */
	uint64_t pc, other_pc; /* its instruction, and the earlier of two; MX_NO_PC: none */
	uint64_t findings;     /* of the launch, without notes */
	uint64_t accesses;     /* memory operations that were analysed */
};

/* ---- programs ---- */

struct mx_program;
struct mx_isa; /* an instruction set: encoding/instruction_set.h */

/* The instruction set of the name, "gfx950", or NULL: the emulator does not have it. */
const struct mx_isa *mx_isa_by_name(const char *name);
unsigned mx_isa_wave_size(const struct mx_isa *isa); /* lanes */
/* Whether the emulator executes its instructions. */
bool mx_isa_executes(const struct mx_isa *isa);

/* A program of `bytes` bytes of code that the device has at `base`, and whose code must stay there
 * unchanged. It is decoded when it is needed. NULL if memory is short. */
struct mx_program *mx_program_new(const struct mx_isa *isa, const void *code, size_t bytes,
                                  uint64_t base);
void mx_program_free(struct mx_program *p);

/* ---- launches ---- */

/* The fields of the kernel descriptor [LLVM "Kernel Descriptor"], and of the metadata. */
struct mx_kernel {
	const char *name;
	uint64_t entry;         /* device address of the first instruction */
	uint32_t lds_bytes;     /* static */
	uint32_t scratch_bytes; /* of a work-item */
	uint32_t vgprs, agprs;  /* allocated, of each kind */
	uint32_t sgprs;         /* allocated; 0: all */
	uint32_t user_sgprs;
	uint16_t preload_dwords, preload_offset; /* kernarg preload, in dwords */
	uint16_t properties; /* KERNEL_CODE_PROPERTIES: the user SGPRs that are set up */
	bool workgroup_id[3], workgroup_info;
	bool tg_split;          /* a workgroup's waves on several compute units: no shared LDS */
	uint8_t work_item_ids;  /* 0: x, 1: x and y, 2: x, y and z */
	uint8_t named_barriers; /* of gfx1250 */
	uint32_t mode;          /* MODE register: rounding 3:0, denormals 7:4, DX10_CLAMP 8, IEEE 9,
	                                FP16_OVFL 23 */
	const char *unsupported; /* a field with a value that is not implemented, or NULL */
};

/* Operations whose lanes are accessed together, not one by one. */
typedef enum {
	MX_TOGETHER_LDS_READ,
	MX_TOGETHER_LDS_WRITE,
	MX_TOGETHER_LDS_DMA,
	MX_TOGETHER_LOAD,
	MX_TOGETHER_STORE,
	MX_TOGETHER_SCRATCH_LOAD,
	MX_TOGETHER_SCRATCH_STORE,
	MX_TOGETHER_KINDS
} mx_together;

/* Counters of an instruction set at most. */
enum { MX_COUNTERS = 8 };

/* The accesses of one instruction to LDS, and the cycles that bank conflicts add to them
 * (memory/banks.c). */
struct mx_bank_use {
	uint64_t pc; /* offset in the kernel */
	uint64_t accesses, cycles;
	uint32_t op; /* its opcode, as in by_op */
};

struct mx_stats {
	uint64_t instructions; /* wave instructions issued */
	uint64_t mfma;
	uint32_t most[MX_COUNTERS];           /* the highest value of each counter in any wave */
	uint64_t together[MX_TOGETHER_KINDS]; /* operations whose lanes landed together */
	uint64_t *by_op;                      /* count of each opcode of the instruction set */
	struct mx_bank_use *banks;            /* of each dword of the code, or NULL */
	size_t n_banks;
	uint64_t known; /* matrix instructions with a result that an earlier launch kept */
	uint64_t followed, left; /* waves that followed their course to the end; or left it */
};

/* The number of opcodes of an instruction set, and the name of opcode i. */
size_t mx_op_count(const struct mx_isa *isa);
const char *mx_op_name(const struct mx_isa *isa, size_t i);

/* The number of counters of operations in flight, and the name of counter i: "vmcnt". */
size_t mx_counter_count(const struct mx_isa *isa);
const char *mx_counter_name(const struct mx_isa *isa, size_t i);

/* What an instruction set calls its matrix instructions: "MFMA". */
const char *mx_matrix_name(const struct mx_isa *isa);

/* ---- observing ---- */

/* Kinds of events of a wave. */
typedef enum {
	MX_EVENT_ISSUE = 1 << 0,   /* an instruction is about to be executed */
	MX_EVENT_LAND = 1 << 1,    /* an operation in flight is about to land */
	MX_EVENT_SGPR = 1 << 2,    /* a scalar register was written */
	MX_EVENT_VGPR = 1 << 3,    /* lanes of a vector register were written */
	MX_EVENT_MEMORY = 1 << 4,  /* up to 4 bytes of device memory were read or written */
	MX_EVENT_LDS = 1 << 5,     /* the same of LDS */
	MX_EVENT_SCRATCH = 1 << 6, /* and of scratch */
} mx_event_kind;

/* A wave's registers at an event. v: VGPRs, then AGPRs, of gfx950 256 each; only allocated ones may
 * be read.
 */
struct mx_registers {
	const uint32_t *s;
	const uint32_t (*v)[MX_LANES];
	unsigned vgprs, agprs;
	bool scc;
};

struct mx_event {
	mx_event_kind kind;
	uint32_t workgroup[3], wave;
	uint64_t time;    /* instructions that the workgroup has issued; under the schedule
	                     `typical`, cycles */
	uint64_t issue;   /* number of its instruction in the wave, from 1; 0: set-up */
	uint64_t kernarg; /* address of the launch's arguments */
	bool landing;     /* caused by a landing, which is later than the issue */
	uint32_t block;   /* of a block that lands: the registers that M0 selects; else all bits */
	uint64_t pc;      /* of the instruction, as in findings */
	const struct mx_isa *isa;
	const uint32_t *code; /* its dwords; NULL during set-up */
	size_t dwords;
	unsigned banks; /* of VGPRs (mx_isa.banks_after) */
	struct mx_registers registers;
	unsigned reg;   /* registers: SGPR or special code 0..127; row of v */
	uint64_t lanes; /* VGPR: lanes written; memory: lanes of which the data has these bytes */
	const uint32_t *value; /* SGPR: one value; VGPR: one for each lane */
	bool write;            /* memory, LDS, scratch: written, otherwise read */
	int lane;              /* -1: none, or unknown */
	uint64_t address;      /* device address, or offset in LDS or in the lane's scratch */
	unsigned bytes;
	uint32_t data;
};

/* Observing does not change a launch: the same seed gives the same launch, so one run can answer
 * the question that another raised. An observed launch runs on one thread; events come in the order
 * in which things happen. */
struct mx_observer {
	void *context;
	/* The kinds of events to report of a wave, or'ed; called once for each wave. */
	unsigned (*wants)(void *context, const uint32_t workgroup[3], uint32_t wave);
	void (*event)(void *context, const struct mx_event *e);

	/* Bytes of device memory: accesses by loads, stores, atomics and copies of lanes that touch
	 * none of them may be left out, also those of LDS. 0 bytes: none is left out. */
	uint64_t address;
	unsigned bytes;
};

/* ---- coverage ---- */

/* What launches of a kernel have executed, by dword of the code: bits below, or'ed. The first
 * launch makes `at` as long as the code and marks what the kernel can reach; mx_coverage_free frees
 * it. Launches of the same code object may share one, one after the other. */
enum {
	MX_COVERED = 1,
	MX_COVERED_TAKEN = 2,
	MX_COVERED_NOT_TAKEN = 4, /* of a conditional branch */
	MX_COVERABLE_BLOCK = 8,   /* a basic block begins here */
	MX_COVERABLE_BRANCH = 16, /* a conditional branch */
};
struct mx_coverage {
	_Atomic uint8_t *at;
	size_t n;
};
void mx_coverage_free(struct mx_coverage *c);

/* Ranges [from, to) of device memory, and how their bytes are accessed: MX_TOUCH_..., or'ed. Atomic
 * are atomics, and loads and stores of agent or system scope. Bytes that are written count as not
 * read. */
enum {
	MX_TOUCH_READ = 1,
	MX_TOUCH_WRITE = 2,
	MX_TOUCH_ATOMIC_READ = 4,
	MX_TOUCH_ATOMIC_WRITE = 8,
	MX_TOUCH_AGENT = 16, /* an atomic access is not of system scope */
};
struct mx_touched_range {
	uint64_t from, to;
	uint8_t how;
};
struct mx_touched {
	struct mx_touched_range *range;
	size_t n, room;
	bool acquires; /* what an atomic reads may have an effect */
};

/* Adds a range; makes the ranges ascend and not overlap, and joins them. Both false if memory is
 * short. */
bool mx_touched_add(struct mx_touched *t, struct mx_touched_range r);
bool mx_touched_sort(struct mx_touched *t);
void mx_touched_free(struct mx_touched *t);

/* Optional analyses. ORDER: whether waits and barriers order the accesses to LDS, device memory and
 * registers; accesses that only this schedule orders are findings. The result is the same for every
 * seed. BANKS: counts bank conflicts in LDS; there are no findings. */
enum {
	MX_ANALYSE_ORDER = 1,
	MX_ANALYSE_WAIT_STATES = 2, /* too few wait states between two instructions; hazard.h */
	MX_ANALYSE_BANKS = 4,
	MX_ANALYSES = 7, /* all of them */
};

/* ---- explicit schedules ---- */

/* A deviation from the sequential schedule. */
typedef enum {
	MX_DELAY, /* operations of this instruction land `value` clocks after their issue, or
	             at a wait for them */
	MX_TURN,  /* after this instruction wave `value` has the next turn */
} mx_deviation_kind;

enum { MX_TO_WAIT = INT32_MAX };

struct mx_deviation {
	uint32_t launch; /* number of the launch, as in struct mx_launch */
	uint64_t group;  /* index of the workgroup in the launch */
	uint32_t wave;
	mx_deviation_kind kind;
	uint64_t issue; /* number of the instruction in the wave, from 1 */
	uint64_t value; /* DELAY: clocks, or MX_TO_WAIT */
	uint32_t turn;  /* TURN: how many earlier turns of the wave ended at this instruction;
	                   DELAY: rank among landings at one clock, or at waits: lowest first */
};

/* Cycles of the schedule `typical`; schedule/latencies.def has the usual ones. */
struct mx_latencies {
#define MX_LATENCY(name, cycles, what) uint32_t name;
#include "schedule/latencies.def"
#undef MX_LATENCY
};

/* A sequential schedule and its deviations. In the sequential schedule workgroups run one after the
 * other; the first wave runs until it must wait, then the next; operations land at issue, or, with
 * `late`, all at the wait for them. */
struct mx_schedule {
	uint8_t pattern;     /* initial bytes of LDS and registers of workgroup 0 */
	bool late;           /* operations land at their waits */
	bool patient;        /* a wave that waits for memory lets others go first */
	uint64_t odd;        /* pc of the instruction for which `late` is inverted; -1: none */
	uint32_t first_wave; /* the wave of the first turn */
	uint32_t order;      /* of workgroups: 0 ascending, 1 descending, n: from the n-th on */
	uint64_t slice;      /* instructions of a workgroup before another's turn; 0: no limit */
	struct mx_deviation *deviations; /* sorted by mx_schedule_sort */
	size_t n, room;

	/* Instead, the schedule of schedule/typical.c: waves in turn, operations with these
	 * latencies. Only `pattern`, `order` and `slice` (in cycles) count beside it. */
	bool typical;
	struct mx_latencies latency;
};

/* A lower bound for the probability that a seed meets a bug that depends on `*depth` orderings
 * among the first *instructions of a workgroup of `waves` waves, if each instruction acts at issue.
 * It does not hold for bugs that depend on when memory operations land, or for waves that sleep.
 * *instructions is rounded up. 0: no bound, for too many instructions or for one wave. */
double mx_schedule_chance(unsigned waves, uint64_t *instructions, unsigned *depth);

void mx_schedule_sort(struct mx_schedule *s);
void mx_schedule_free(struct mx_schedule *s);

/* A word of device memory by which waves call the host: after an atomic operation on it has landed,
 * `ring` is called before anything else happens. It may change memory whose bytes are all written.
 * A launch that rings runs on one thread. */
struct mx_doorbell {
	uint64_t address;
	void (*ring)(void *context);
	void *context;
};

struct mx_launch {
	const struct mx_doorbell *doorbell; /* or NULL */
	const struct mx_observer *observer; /* or NULL */
	unsigned analysis;                  /* MX_ANALYSE_..., or'ed; ORDER: on one thread */
	struct mx_touched *touched;         /* gets what the launch accesses, with ORDER; or NULL */
	bool *stored; /* gets for each region of memory whether it may have changed; or NULL */
	struct mx_coverage *coverage;       /* gets what the launch executes; or NULL */
	const struct mx_schedule *schedule; /* replaces the seed's; or NULL */
	struct mx_schedule *record;         /* gets the schedule that was run; or NULL */
	const struct mx_program *program;
	const struct mx_kernel *kernel;
	struct mx_memory memory;
	uint32_t grid[3];    /* workgroups */
	uint32_t block[3];   /* work-items of a workgroup, 1..1024 in all */
	uint32_t partial[3]; /* work-items of the last workgroup of an axis, if fewer; or 0 */

	/* The workgroups of a cluster, at most 16, of which the grid has a whole number in each
	 * dimension; 0: no clusters. */
	uint32_t cluster[3];
	bool cooperative; /* workgroups wait for each other, and so take shorter turns */

	/* Only these workgroups run: their indices x + grid[0] (y + grid[1] z), ascending. Their
	 * number 0: all. Their ids and sizes are those of the whole grid. One thread runs them. */
	const uint64_t *workgroups;
	size_t n_workgroups;

	uint32_t dynamic_lds;
	uint64_t kernarg;              /* device address of the kernarg segment */
	uint32_t given, kernarg_bytes; /* bytes of arguments that were given, if fewer than the
	                                  kernel declares; or 0 */
	uint64_t dispatch;             /* address of the dispatch packet; 0: none */
	uint64_t queue;
	uint64_t dispatch_id;
	uint32_t number; /* in a sequence of launches, from 0: explicit schedules name it */
	uint64_t seed;   /* of the schedule */
	const mx_profile *profile;                 /* how matrix instructions accumulate */
	const struct mx_matrix_profiles *profiles; /* but those that have one there; or NULL */
	uint64_t max_instructions; /* of a wave, before it counts as stuck; 0: 2^33 */
	double time_limit;         /* seconds of host time, before the launch is late; 0: none */
	unsigned threads;          /* host threads that may run workgroups; 0 and 1: one */

	/* Keeps results of matrix instructions for other launches that compute the same, which are
	 * faster with them; the bits are the same. Of one thread; or NULL. */
	struct mx_products *products;

	/* Keeps what waves do for other launches of the same kernel on the same memory, which are
	 * faster with it; the results are the same (schedule/course.h). Of one thread; or NULL. */
	struct mx_courses *courses;

	/* Lanes access memory one by one, never together, and the vector ALU takes no operand by a
	 * shorter way, and the unwritten bits of each lane for themselves. Watchers get each
	 * instruction. Slower; the result is the same. */
	bool lane_by_lane;

	/* Rules of buffers on which the sources disagree; see memory/buffer.c. */
	bool soffset_unchecked;        /* range checks leave SOFFSET out: in the manual alone */
	unsigned swizzle_element_size; /* bytes; the descriptor has no place for the manual's 2
	                                  bits. 0 is 4, as LLVM assumes for GFX9 */

	/* Scratch operations return in order among themselves, but not with the others of vmcnt.
	 * The manual promises one order [ISA 4.4]. For schedules and for the analysis of order. */
	bool scratch_apart;

	/* The waves of a workgroup may run on several compute units, with an L1 each: other waves
	 * depend on a wait for an access to device memory [LLVM "Memory Model gfx942": tgsplit].
	 * Otherwise they share one L1, which takes vector memory in the order of issue. For
	 * schedules and for the analysis of order. */
	bool threadgroup_split;
};

/* The results of a launch apart from memory. */
struct mx_report {
	char *kernel;             /* its name */
	const struct mx_isa *isa; /* of its code */
	struct mx_finding *findings;
	size_t n_findings, room;
	struct mx_proof proof;
	bool stopped; /* a finding ended the launch before its end */
	struct mx_stats stats;
};

/* Kept results of matrix instructions; NULL if memory is short. */
struct mx_products *mx_products_new(void);
void mx_products_free(struct mx_products *p);

/* Kept courses of waves; NULL if memory is short. */
struct mx_courses *mx_courses_new(void);
void mx_courses_free(struct mx_courses *c);

/* Runs a launch to its end or to the first finding that stops it. *report begins as { 0 }, or has
 * the results of launches of the same instruction set, to which these are added. False only if host
 * memory is short. */
bool mx_launch_run(const struct mx_launch *launch, struct mx_report *report);
void mx_report_free(struct mx_report *report);

/* Each writes one line, cut to `room` bytes, and returns `text`. MX_LINE_ROOM is enough except for
 * kernels with long names. */
enum { MX_LINE_ROOM = 640 };
/* "gemm+0x1f4 ds_read_b32 v3, v6 (d86c0000 03000006): reads a byte at LDS 0x0 that ..." */
char *mx_finding_text(const struct mx_report *report, const struct mx_finding *f, char *text,
                      size_t room);
/* The same without kernel, pc and instruction. isa: of the finding's code. */
char *mx_finding_sentence(const struct mx_isa *isa, const struct mx_finding *f, char *text,
                          size_t room);
/* Findings that one wait, barrier or s_nop resolves: the first of them, and what resolves all. */
struct mx_finding_group {
	size_t first, others;
	struct mx_missing missing; /* the least count of waits, the most wait states */
	uint64_t after, before;    /* the place: after one instruction, before another */
	bool same_place;           /* all are at the pc of the first */
};
/* Groups n findings in order; `groups` has room for n. Returns the number of groups. Findings of a
 * launch are in the order in which it met them. */
size_t mx_group_findings(const struct mx_finding *f, size_t n, struct mx_finding_group *groups);
/* "; and 17 more: one s_barrier before +0x1f4 orders all"; "" for a single finding. */
char *mx_group_text(const struct mx_isa *isa, const struct mx_finding_group *g, char *text,
                    size_t room);

/* The name of a kernel for people: demangled, without namespaces, template arguments and
 * parameters. Other names stay as they are. Returns `text`. */
char *mx_kernel_short_name(const char *symbol, char *text, size_t room);

/* A place of the code, in bytes from the kernel's start: "+0x3c". A function that the kernel calls
 * may lie before it: "-0x40". Returns `text`. */
enum { MX_PC_TEXT = 20 };
char *mx_pc_text(uint64_t pc, char text[MX_PC_TEXT]);

/* "proved for this launch, assuming: ...", "not proved: ..."; "" if nothing was analysed. */
char *mx_proof_text(const struct mx_proof *p, char *text, size_t room);
/* What a proof assumes: "this code object, input and grid; ...", of a set of bits as
 * mx_proof.assumptions. */
char *mx_assumptions_text(uint32_t assumptions, char *text, size_t room);
/* Why a launch is not proved: "reads a clock at +0x3c". */
char *mx_doubt_text(const struct mx_proof *p, char *text, size_t room);

#endif
