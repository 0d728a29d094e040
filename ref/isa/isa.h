/* The gfx950 machine: runs compiled kernels on the CPU, bit for bit.
 *
 *   code --mx_program_new--> decoded program
 *   program + grid + kernarg + memory + seed --mx_launch_run--> memory, findings, counts
 *
 * Memory operations take time: a load's data lands, and a store's bytes appear,
 * at a moment that the schedule picks between issue and the wait that covers it.
 * Until then the old bytes are visible. One seed is one schedule: the order in
 * which waves run and in which outstanding operations complete.
 *
 * What is not implemented exactly stops the launch with a finding. What no source
 * defines is done as assumptions.def says: opcodes that rest on an assumption whatever
 * their operands are marked so (mx_how_runs); where only some operands do, a launch that
 * meets them has a finding of MX_ASSUMED_NOTE, which is a note and no fault. Values that
 * nobody wrote, or that an instruction leaves undefined, are tracked bit by bit through
 * registers and LDS, and reported where they reach memory, a branch, EXEC or an address.
 *
 * Thread-safe: launches share nothing but the memory that they are given. Workgroups
 * of one launch may run on several threads: bits, findings and counts are those of one.
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
	MX_WRITTEN = 1, /* somebody wrote it */
	MX_GUARD = 2,   /* inside an allocation, but nobody may touch it */
};

/* Where flat addresses of LDS and scratch begin [Linux kfd_flat_memory.c, GFX9]. */
#define MX_LDS_FLAT_BASE     0x0001000000000000ull
#define MX_SCRATCH_FLAT_BASE 0x0002000000000000ull

/* A live allocation. Device addresses are host addresses. state: one byte for
 * each byte of memory, of the flags above. */
struct mx_region {
	uint64_t base, size;
	uint8_t *state;
};

/* The memory of a launch: regions sorted by base, not overlapping. */
struct mx_memory {
	const struct mx_region *regions;
	size_t n;
};

/* ---- findings ---- */

typedef enum {
#define MX_FINDING(id, class, name) MX_##id,
#include "findings.def"
#undef MX_FINDING
	MX_FINDINGS
} mx_finding_kind;

const char *mx_finding_name(mx_finding_kind k);

/* What a finding of some kind is about, which decides mxcheck's exit status. */
typedef enum {
	MX_FINDING_NUMBERS, /* memory is not what it should be */
	MX_FINDING_ORDER,   /* the result depends on what nothing fixes */
	MX_FINDING_DEVICE,  /* the launch stopped: there was nothing exact to go on with */
	MX_FINDING_NOTE,    /* no fault */
} mx_finding_class;

mx_finding_class mx_finding_class_of(mx_finding_kind k);

/* Two accesses without order. What is found after a race may be its consequence. */
static inline bool mx_finding_is_race(mx_finding_kind k) {
	return k == MX_RACE_LDS || k == MX_RACE_REGISTER || k == MX_RACE_GLOBAL;
}

/* An access: what it does, where, and to how many bytes for each lane; 0: a buffer's format
 * decides. */
typedef enum { MX_ACCESS_NONE, MX_ACCESS_READ, MX_ACCESS_WRITE, MX_ACCESS_ATOMIC } mx_access_kind;
typedef enum {
	MX_SPACE_NONE,
	MX_SPACE_MEMORY, /* of the device; addresses are device addresses */
	MX_SPACE_LDS,    /* addresses are offsets, here and in scratch */
	MX_SPACE_SCRATCH,
	MX_SPACE_REGISTER
} mx_space;
struct mx_finding_access {
	mx_access_kind kind;
	mx_space space;
	uint32_t bytes;
};

/* What would order two accesses, or separate two instructions. */
typedef enum {
	MX_MISSING_NONE,
	MX_MISSING_WAIT,             /* s_waitcnt counter(count) between the two */
	MX_MISSING_WAIT_AT_BARRIER,  /* the same before the s_barrier at pc `barrier` */
	MX_MISSING_BARRIER,          /* s_barrier, after the earlier wave's wait */
	MX_MISSING_WAIT_AND_BARRIER, /* s_waitcnt counter in the earlier wave, and then s_barrier */
	MX_MISSING_FLAG,             /* between workgroups: an atomic or a flag to wait for */
	MX_MISSING_WAIT_STATES       /* `count` of them */
} mx_missing_kind;
typedef enum { MX_COUNTER_VM, MX_COUNTER_LGKM } mx_counter;
struct mx_missing {
	mx_missing_kind kind;
	mx_counter counter;
	uint32_t count;
	uint64_t barrier;
};

/* Wait states that are too few between two instructions; waitstates/hazards.def has the rules. */
typedef enum { MX_HAZARD_NOTE, MX_HAZARD_FINDING } mx_hazard_severity;
struct mx_hazard {
	mx_hazard_severity severity;
	unsigned needed, states; /* those that it takes, and those that there are */
	bool in_clause;          /* what is needed is one instruction of another kind */
	bool pipe_helps;         /* a note because of it: see struct mx_distance */
	const char *does, *how;  /* what the second does: "reads the result of", " as C" */
	const char *source;      /* "ISA 7.6" */
};

/* Why an instruction has a finding that no other instruction is part of: a row of reasons.def, and
 * what its sentence is made of. */
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

/* Where the waves of a workgroup are that makes no progress. */
typedef enum { MX_STALLED_IN_LOOP, MX_STALLED_AT_BARRIER, MX_STALLED_ENDED } mx_stalled;
enum { MX_STALLED_WAVES = 16 };

/* The dwords of an instruction; n 0: there is none. */
struct mx_inst_dwords {
	uint8_t n;
	uint32_t dword[4];
};

#define MX_NO_PC UINT64_MAX

/* One thing wrong. Findings of the same kind at the same pc, with the same earlier instruction, are
 * counted in one; of a place that has many causes the last one kept counts for the rest. It is
 * data: mx_finding_text makes a line of it. What a kind of finding has no use for is 0. */
struct mx_finding {
	mx_finding_kind kind;
	uint64_t count;
	bool conditional; /* a race came before: it may be the consequence */

	/* The instruction, where it ran, and what it did. */
	uint64_t pc; /* offset from the start of the kernel's code */
	struct mx_inst_dwords code;
	uint32_t workgroup[3];
	uint32_t wave;    /* in its workgroup */
	int32_t lane;     /* -1: the whole wave */
	uint64_t address; /* 0: none, or of LDS and scratch the first byte */
	uint16_t reg; /* of a space of registers: 0..511 VGPRs, then AGPRs; 512 and a scalar code */
	struct mx_finding_access access;

	/* The same of the earlier instruction, which this one follows too soon, or is in no order
	 * with; MX_NO_PC: there is none. */
	uint64_t earlier;
	struct mx_inst_dwords earlier_code;
	uint32_t earlier_workgroup[3], earlier_wave;
	bool earlier_elsewhere; /* in another workgroup, and which is not known */
	struct mx_finding_access earlier_access;

	struct mx_missing missing; /* races, wait states */
	struct mx_hazard hazard;   /* wait states */
	uint32_t assumption;       /* a note of one: row of encoding/assumptions.def, from 1 */
	struct mx_because because; /* all others */

	/* MX_BECAUSE_STALL: where the waves of the workgroup are, and an mx_stalled of each. */
	unsigned n_stalled;
	uint8_t stalled[MX_STALLED_WAVES];
	uint64_t stalled_pc[MX_STALLED_WAVES];
};

/* ---- proofs ---- */

/* What the analysis of order assumes, and why it proves nothing: rows of proofs.def. */
typedef enum {
#define MX_PROOF_ASSUMPTION(id, text) MX_PROOF_##id,
#include "proofs.def"
	MX_PROOF_ASSUMPTIONS,
	MX_PROOF_ALWAYS = MX_PROOF_FLAT_IN_ORDER /* those before it every proof has */
} mx_proof_assumption;
typedef enum {
	MX_DOUBT_NONE,
#define MX_DOUBT(id, text) MX_DOUBT_##id,
#include "proofs.def"
	MX_DOUBTS
} mx_doubt;

typedef enum {
	MX_NOT_ANALYSED, /* not asked for, or not followed to the launch's end */
	MX_NOT_PROVED,
	MX_PROVED /* every schedule of this launch leaves the same bytes */
} mx_proof_outcome;

/* What the analysis of order says of a launch. mx_proof_text makes a line of it. */
struct mx_proof {
	mx_proof_outcome outcome;
	uint32_t assumptions;  /* MX_PROVED: what it rests on, bits 1 << mx_proof_assumption */
	mx_doubt doubt;        /* MX_NOT_PROVED: why, first */
	uint64_t pc, other_pc; /* where, and the earlier of two instructions; MX_NO_PC: nowhere */
	uint64_t findings;     /* of the launch, notes apart */
	uint64_t accesses;     /* memory operations that were followed */
	uint64_t pairs;        /* of accesses to the same bytes, whose order was asked for */
};

/* ---- programs ---- */

struct mx_program;

/* Decodes `bytes` bytes of code that the device will see at `base` (and that must
 * stay there and unchanged). NULL if memory is short. */
struct mx_program *mx_program_new(const void *code, size_t bytes, uint64_t base);
void mx_program_free(struct mx_program *p);

/* ---- launches ---- */

/* What the kernel descriptor says [LLVM "Kernel Descriptor"], and its metadata. */
struct mx_kernel {
	const char *name;
	uint64_t entry;         /* device address of the first instruction */
	uint32_t lds_bytes;     /* static */
	uint32_t scratch_bytes; /* of a work-item */
	uint32_t vgprs, agprs;  /* allocated, of each kind */
	uint32_t sgprs;         /* allocated; 0: as many as there are */
	uint32_t user_sgprs;
	uint16_t preload_dwords, preload_offset; /* kernarg preload, in dwords */
	uint16_t properties; /* KERNEL_CODE_PROPERTIES: which user SGPRs are set up */
	bool workgroup_id[3], workgroup_info;
	bool tg_split;         /* a workgroup's waves on several compute units: no shared LDS */
	uint8_t work_item_ids; /* 0: x, 1: x and y, 2: x, y and z */
	uint32_t mode;         /* MODE register: rounding 3:0, denormals 7:4, DX10_CLAMP 8, IEEE 9,
	                               FP16_OVFL 23 */
	const char *unsupported; /* a field with a value that has no exact meaning here, or NULL */
};

struct mx_stats {
	uint64_t instructions; /* wave instructions issued */
	uint64_t mfma;
	uint32_t max_vmcnt, max_lgkmcnt; /* most operations ever in flight in one wave */
	uint64_t *by_op; /* count of each row of opcodes.def; mx_op_count() entries */
};

size_t mx_op_count(void);
const char *mx_op_name(size_t i);

/* ---- observing ---- */

/* What an observer may ask to be told of a wave. */
typedef enum {
	MX_EVENT_ISSUE = 1 << 0,   /* an instruction is about to be executed */
	MX_EVENT_LAND = 1 << 1,    /* an operation in flight is about to land */
	MX_EVENT_SGPR = 1 << 2,    /* a scalar register was written */
	MX_EVENT_VGPR = 1 << 3,    /* lanes of a vector register were written */
	MX_EVENT_MEMORY = 1 << 4,  /* up to 4 bytes of device memory were read or written */
	MX_EVENT_LDS = 1 << 5,     /* the same of LDS */
	MX_EVENT_SCRATCH = 1 << 6, /* and of scratch */
} mx_event_kind;

/* A wave's registers as they stand at an event. v: 256 VGPRs, then 256 AGPRs; only those
 * that are allocated may be read. */
struct mx_registers {
	const uint32_t *s;
	const uint32_t (*v)[MX_LANES];
	unsigned vgprs, agprs;
	bool scc;
};

struct mx_event {
	mx_event_kind kind;
	uint32_t workgroup[3], wave;
	uint64_t time;        /* instructions that the workgroup has issued */
	uint64_t issue;       /* which instruction of its wave it belongs to, from 1; 0: set-up */
	uint64_t kernarg;     /* of the launch: where its arguments are */
	bool landing;         /* it comes of a landing, which is later than the issue */
	uint64_t pc;          /* of the instruction, as in findings */
	const uint32_t *code; /* its dwords; NULL during set-up */
	size_t dwords;
	struct mx_registers registers;
	unsigned reg;          /* registers: SGPR or special code 0..127; row 0..511 of v */
	uint64_t lanes;        /* VGPR: those written; memory: those whose data has these bytes */
	const uint32_t *value; /* SGPR, VGPR: one value, or one a lane */
	bool write;            /* memory, LDS, scratch: written, else read */
	int lane;              /* -1: of no lane, or not known */
	uint64_t address;      /* device address, or offset in LDS or in the lane's scratch */
	unsigned bytes;
	uint32_t data;
};

/* Observing changes nothing of a launch: the same seed is the same launch, so that a question
 * that one run raises is answered by the next. An observed launch runs on one thread; events
 * come in the order in which things happen. */
struct mx_observer {
	void *context;
	/* The kinds of events of a wave to be told, or'ed; asked once for each wave. */
	unsigned (*wants)(void *context, const uint32_t workgroup[3], uint32_t wave);
	void (*event)(void *context, const struct mx_event *e);
};

/* What may be looked for while a launch runs, besides what always is. ORDER: whether accesses of
 * LDS, device memory and registers are ordered by waits and barriers, rather than by this schedule:
 * conflicts without order are findings, under any seed. */
enum {
	MX_ANALYSE_ORDER = 1,
	MX_ANALYSE_WAIT_STATES = 2, /* too few of them between two instructions; hazard.h */
};

/* ---- schedules said outright ---- */

/* A decision that is not the sequential one. */
typedef enum {
	MX_DELAY, /* operations of this instruction land `value` clocks after their issue, or
	             at a wait for them */
	MX_TURN,  /* after this instruction it is wave `value`'s turn */
} mx_deviation_kind;

enum { MX_TO_WAIT = INT32_MAX };

struct mx_deviation {
	uint64_t group; /* index of the workgroup in the launch */
	uint32_t wave;
	mx_deviation_kind kind;
	uint64_t issue; /* which instruction of the wave, from 1 */
	uint64_t value; /* DELAY: clocks, or MX_TO_WAIT */
	uint32_t turn;  /* TURN: how many of the wave's turns ended at this instruction before;
	                   DELAY: of what lands at one clock, or at waits, the smaller first */
};

/* A sequential schedule, and what deviates from it. Sequential is: workgroups one after the other;
 * the first wave runs until it cannot go on, then the next; operations land at once, or all at the
 * wait that asks for them. */
struct mx_schedule {
	uint8_t pattern; /* what LDS and registers of workgroup 0 hold before anybody writes them */
	bool late;       /* operations land at their waits */
	bool patient;    /* who waits for memory lets those go first who do not */
	uint64_t odd;    /* operations of the instruction at this pc do the other; -1: none */
	uint32_t first_wave; /* whose turn it is first */
	uint32_t order;      /* of workgroups: 0 ascending, 1 descending, n: from the n-th on */
	uint64_t slice;      /* instructions of a workgroup before another's turn; 0: as many as it
	                        takes */
	struct mx_deviation *deviations; /* sorted by mx_schedule_sort */
	size_t n, room;
};

/* The least chance of a seed to meet a bug that takes `*depth` orderings among the first
 * *instructions of a workgroup of so many waves, where each acts as it is issued: nothing is said
 * of bugs that depend on when memory operations land, nor of waves that sleep. *instructions is
 * rounded up. 0: there is none for so many, or for one wave. */
double mx_schedule_chance(unsigned waves, uint64_t *instructions, unsigned *depth);

void mx_schedule_sort(struct mx_schedule *s);
void mx_schedule_free(struct mx_schedule *s);

struct mx_launch {
	const struct mx_observer *observer; /* or NULL */
	unsigned analysis;                  /* MX_ANALYSE_..., or'ed; ORDER: on one thread */
	const struct mx_schedule *schedule; /* instead of the seed's; or NULL */
	struct mx_schedule *record;         /* gets the schedule as it came; or NULL */
	const struct mx_program *program;
	const struct mx_kernel *kernel;
	struct mx_memory memory;
	uint32_t grid[3];    /* workgroups */
	uint32_t block[3];   /* work-items of a workgroup, 1..1024 in all */
	uint32_t partial[3]; /* the same of an axis' last workgroup where it has fewer; 0: not */
	uint32_t dynamic_lds;
	uint64_t kernarg;  /* device address of the kernarg segment */
	uint64_t dispatch; /* of the dispatch packet, and of the queue; 0: none */
	uint64_t queue;
	uint64_t dispatch_id;
	uint64_t seed;             /* of the schedule */
	const mx_profile *profile; /* how matrix instructions accumulate */
	uint64_t max_instructions; /* of a wave, before it counts as stuck; 0: 2^33 */
	unsigned threads; /* host threads to run workgroups on, where that pays; 0 and 1: one */

	/* Rules of buffers on which the sources disagree; a launch whose result depends on one
	 * is reported as ambiguous. */
	bool soffset_checked;          /* SOFFSET is part of range checks: AMD's emulator yes,
	                                  manual and LLVM no */
	unsigned swizzle_element_size; /* bytes: the manual's 2 bits for it have no place in its
	                                  descriptor; 0 is 4, as LLVM takes it for GFX9 */

	/* Scratch returns in order among itself alone, not with the others of vmcnt; the manual
	 * promises one order [ISA 4.4]. For schedules and for the analysis of order. */
	bool scratch_apart;

	/* The waves of a workgroup may run on several compute units, with an L1 each: what one does
	 * to device memory is over for the others when it has been waited for [LLVM "Memory Model
	 * gfx942": tgsplit]. Else they share one L1, which vector memory goes through in the order
	 * of its issue. For schedules and for the analysis of order. */
	bool threadgroup_split;
};

/* What a launch left behind, apart from memory. */
struct mx_report {
	char *kernel; /* its name */
	struct mx_finding *findings;
	size_t n_findings, room;
	struct mx_proof proof;
	bool stopped; /* a finding ended the launch before its end */
	struct mx_stats stats;
};

/* Runs a launch to its end or to the first finding that stops it. Returns false
 * only if host memory is short. */
bool mx_launch_run(const struct mx_launch *launch, struct mx_report *report);
void mx_report_free(struct mx_report *report);

/* One line each, cut where `room` bytes are too few; they return `text`. MX_LINE_ROOM is enough but
 * for kernels with long names. */
enum { MX_LINE_ROOM = 640 };
/* "gemm+0x1f4 ds_read_b32 v3, v6 (d86c0000 03000006): reads a byte at LDS 0x0 that ..." */
char *mx_finding_text(const struct mx_report *report, const struct mx_finding *f, char *text,
                      size_t room);
/* The same without kernel, pc and instruction: "reads a byte at LDS 0x0 that ...". */
char *mx_finding_sentence(const struct mx_finding *f, char *text, size_t room);
/* "proved for this launch, assuming: ...", "not proved: ..."; "" where nothing was analysed. */
char *mx_proof_text(const struct mx_proof *p, char *text, size_t room);
/* What a proof assumes: "this code object, input and grid; ...", of a set of bits as
 * mx_proof.assumptions. */
char *mx_assumptions_text(uint32_t assumptions, char *text, size_t room);
/* Why nothing is proved: "reads a clock at +0x3c". */
char *mx_doubt_text(const struct mx_proof *p, char *text, size_t room);

#endif
