/* The state of the machine while a launch runs: waves, workgroups, operations in flight. */
#ifndef MX_MACHINE_H
#define MX_MACHINE_H

#include <stdatomic.h>

#include "../encoding/inst.h"
#include "../isa.h"
#include "../alu/lanes.h"
#include "findings.h"

enum {
	MX_ALL_LANES_BYTES = 4 * MX_LANES,
	MX_VGPR_FILE = 512,
	MX_VMCNT_MAX = 63,
	MX_LGKMCNT_MAX = 15,     /* widths of the counters [ISA 4.4] */
	MX_LDS_MAX = 160 * 1024, /* of a workgroup [ISA 2.2.1] */

	/* Upper halves of flat addresses in LDS and scratch [Linux kfd_flat_memory.c]. */
	MX_SHARED_APERTURE = MX_LDS_FLAT_BASE >> 32,
	MX_PRIVATE_APERTURE = MX_SCRATCH_FLAT_BASE >> 32,
	MX_SCRATCH_MAX = 131056, /* of a work-item: 13 bits of KiB for a wave [HIP's runtime] */
	MX_RESIDENT = 1024,      /* workgroups that a thread has begun and not ended, at most */
	MX_FLAT_SCRATCH_BASE = 3 << 16, /* of FLAT_SCRATCH: assumed, nothing is there */
};

/* Further bits of MODE, and all that it has apart from DEBUG and EXCP_EN. */
#define MX_MODE_GPR_IDX_EN (1u << 27)
#define MX_MODE_VSKIP      (1u << 28)
#define MX_MODE_CSP_SHIFT  29
#define MX_MODE_BITS       0xfc8003ffu

/* A vector register, and for each lane which of its bits nobody ever wrote. The
 * bits of lanes outside `unwritten_lanes` are not kept up to date. */
typedef uint32_t mx_vreg[MX_LANES];

/* A memory operation between issue and landing. Addresses and store data are
 * taken at issue; memory is read, and registers, LDS or memory written, when
 * it lands. */
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
	} reach;                      /* of l1.c */
	struct mx_order_event *event; /* of order_sync.c, or NULL */
	mx_vreg data[4], unwritten[4];
};

/* The operations in flight of one counter, oldest first. */
struct mx_queue {
	struct mx_memop *op[64]; /* more than any counter admits */
	unsigned n;
	unsigned count; /* what the counter reads: the sum of weights */
};

typedef enum { MX_READY, MX_WAITING, MX_AT_BARRIER, MX_ENDED } mx_wave_status;

struct mx_group;

/* A state of a wave that it may come back to; see stall.c. */
struct mx_watch {
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
	uint64_t unwritten_lanes[MX_VGPR_FILE];
	unsigned observed;               /* kinds of events, MX_EVENT_... */
	const struct mx_inst *at;        /* if observed: what is executed or landing */
	const struct mx_memop *landing;  /* likewise: the landing operation, or NULL */
	unsigned vm_target, lgkm_target; /* what a waiting wave waits for */
	uint64_t next_due;
	struct mx_queue vm, fl, ds, sm; /* vmcnt is vm + sc + fl; lgkmcnt is ds + sm */
	struct mx_queue sc;             /* scratch, where it returns apart; else it is in vm */
	uint8_t *scratch,
		*scratch_unwritten; /* a linear private segment of each lane; taint as LDS */
	struct mx_watch watch;
	struct mx_hazard_watch *hazards; /* or NULL: nobody looks for them */
	uint64_t ended_at;               /* the instruction at which its last turn ended */
	uint32_t again;                  /* turns that ended there before */
	uint32_t waited_for;             /* operations that landed at waits, and not before */
	uint64_t had_turn;               /* clock at which its last turn ended, or it was idle */
	unsigned rank;                   /* schedules by priority: the highest runs */
	const struct mx_deviation *delays, *turns; /* explicit schedules: the next of the wave */
};

/* Random numbers of a schedule. */
struct mx_random {
	uint64_t s[2];
};

/* What shares one fate: each operation has its own, or those of an instruction, or of a wave. */
typedef enum { MX_BY_OPERATION, MX_BY_PLACE, MX_BY_WAVE } mx_fate;

enum {
	MX_CHANGES = 2,    /* of priorities, in a schedule by priority */
	MX_FAIR = 1 << 14, /* instructions: a wave that has run alone so long may wait for another,
	                      and becomes the last */
};

/* How a schedule behaves: chances in 256. */
struct mx_policy {
	unsigned at_once, at_wait, latency_bits, quantum_bits;
	mx_fate fate;
	uint64_t salt;               /* of fates */
	bool ranked;                 /* waves run by priority, else in random turns */
	bool patient;                /* of these, who waits for memory lets others go first */
	uint64_t change[MX_CHANGES]; /* clocks at which who runs loses its priority, ascending */
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
	struct mx_wave *last; /* who had the last turn, or NULL */
	bool demoted;         /* who has become the last of all by it */
	unsigned next_rank;   /* lower than any */
	unsigned first_rank;  /* higher than any */
	uint64_t alone;       /* clock since when no other had one */
	uint64_t looked;      /* clock at which somebody was looked for who has starved */
	int next_wave;        /* whose turn it is, before all priorities; -1: not said */
	unsigned slow_wave;   /* is picked rarely, so that others run ahead */
	uint64_t stores;      /* that have landed */
	uint64_t landed_at;   /* clock of the last landing, and how many there were at it */
	uint32_t landed;
	bool watched; /* has outlived a slice: its waves are watched for cycles */
	struct mx_memop *free_list;
	struct mx_order_group *order; /* or NULL: see order.h */
};

/* A launch under way, or a thread's part of it. */
struct mx_run {
	const struct mx_launch *launch;
	struct mx_report *report;
	uint64_t max_instructions;
	size_t last_region;
	uint32_t group_order; /* and `slice`: as mx_schedule has them */
	uint64_t slice;
	uint8_t pattern; /* what registers and LDS of the first one hold before anybody writes */
	bool out_of_memory;
	bool synchronises;        /* waves do so through memory: polls.c */
	struct mx_order *order;   /* where order is analysed, else NULL */
	struct mx_worker *worker; /* where workgroups run on several threads, else NULL */
	bool aborted;             /* that has failed: the launch goes on with one */
};

/* Nothing more is to run. */
static inline bool mx_run_over(const struct mx_run *run) {
	return run->report->stopped || run->out_of_memory || run->aborted;
}

/* Workgroups that have begun and not ended; the others come from a counter. */
struct mx_residents {
	struct mx_group *group[MX_RESIDENT];
	unsigned n;
	struct mx_group *spare; /* one that has ended, to be used again */
	unsigned stalled;       /* slices in a row that changed nothing */
	_Atomic uint64_t *next;
	uint64_t end;
};

/* ---- state.c, group.c, launch.c, parallel.c: from the launch to the first instruction ---- */

/* Registers as the hardware hands them over; what the launch asks for and is not set up, or NULL.
 */
void mx_wave_start(struct mx_wave *w, uint8_t pattern);
const char *mx_unsupported_state(const struct mx_launch *l);

struct mx_group *mx_group_new(struct mx_run *run);
void mx_group_start(struct mx_group *g, uint64_t index);
void mx_group_free(struct mx_group *g);

/* Begins groups and gives each its turn, until none is left or `instructions` were issued. */
void mx_residents_run(struct mx_residents *r, struct mx_run *run, uint64_t instructions);
void mx_residents_free(struct mx_residents *r);

/* Runs the groups from *next on the launch's threads. If they meet in memory or find something,
 * everything is as before, and they are still to be run. */
void mx_parallel_run(struct mx_run *run, _Atomic uint64_t *next, uint64_t end);

/* Whether workgroups of the kernel with this entry are known to meet in memory; a memory of
 * speed, not of results. */
bool mx_program_shares(const struct mx_program *p, uint64_t entry);
void mx_program_note_sharing(const struct mx_program *p, uint64_t entry);

/* ---- shadow.c: which workgroup touched what, while several threads run ---- */

struct mx_shadow;
struct mx_journal;
struct mx_worker {
	struct mx_shadow *shadow;
	struct mx_journal *journal; /* what this thread's groups wrote over */
	atomic_bool *abort;         /* of all threads */
	atomic_bool *met;           /* the reason: groups met in memory */
};

struct mx_shadow *mx_shadow_new(const struct mx_memory *m);
void mx_shadow_free(struct mx_shadow *s);

/* Claims bytes of region `r` for a group before it reads or writes them. False if another group
 * stands in the way, or memory is short: the run is aborted. */
bool mx_shadow_claim(struct mx_wave *w, size_t region, uint64_t offset, size_t bytes, bool write);

/* Puts back what a thread's groups wrote over; forgets it. */
void mx_journal_undo(struct mx_journal *j, const struct mx_memory *m);
void mx_journal_free(struct mx_journal *j);

void mx_abort(struct mx_run *run);

/* ---- memory.c: device memory by address ---- */

/* Whether [address, address + bytes) may be touched. Outside every allocation is a
 * fault, which stops; touching a guard is reported, and goes on. */
bool mx_memory_check(struct mx_wave *w, const struct mx_inst *in, int lane, uint64_t address,
                     size_t bytes, bool write);

/* Whether they may and there is nothing to report; else mx_memory_check says what. */
bool mx_memory_is_plain(struct mx_wave *w, uint64_t address, size_t bytes, bool write);

/* The states of bytes that one of these has passed. */
uint8_t *mx_memory_state(struct mx_wave *w, uint64_t address);

/* Up to 4 bytes of memory that has been checked; *unwritten gets a bit for each bit. */
uint32_t mx_memory_read(struct mx_wave *w, uint64_t address, unsigned bytes, uint32_t *unwritten);
void mx_memory_write(struct mx_wave *w, uint64_t address, unsigned bytes, uint32_t value,
                     uint32_t unwritten);

/* ---- inflight.c: operations in flight ---- */

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

/* ---- schedule.c ---- */

/* The most that each counter may read for this instruction to issue; false if it adds to neither.
 */
bool mx_room_to_issue(const struct mx_inst *in, unsigned *vm, unsigned *lgkm);

/* ---- l1.c: vector memory of a workgroup's waves in the order of issue ---- */

/* Whether an operation may have to wait for those of other waves; how many of the first of a
 * wave's vm queue land before it. */
bool mx_l1_may_wait(const struct mx_group *g, const struct mx_memop *m);
unsigned mx_l1_before(const struct mx_wave *other, struct mx_memop *m);
void mx_l1_count(struct mx_group *g, const struct mx_memop *m, int change); /* of those in flight */

/* ---- order.c: the analysis of order; call only where a group or run has one ---- */

void mx_order_begin(struct mx_run *run); /* if the launch asks for it */
void mx_order_end(struct mx_run *run);
bool mx_order_group_new(struct mx_group *g);
void mx_order_group_start(struct mx_group *g);
void mx_order_group_free(struct mx_group *g);

void mx_order_step(struct mx_wave *w, const struct mx_inst *in); /* before it is executed */
void mx_order_issue(struct mx_wave *w, const struct mx_queue *q, struct mx_memop *m);
/* How waves of a kernel synchronise through memory: polls.c. */
struct mx_wave_sync {
	struct mx_wave_sync *next;
	uint64_t entry; /* of the kernel, in bytes from the start of the program */
	bool any;       /* there are atomics that return, loads of agent scope, or these: */
	bool any_polls; /* loads by which a wave waits for another */
	bool polls[];   /* by dword of the code */
};
bool mx_find_wave_sync(const struct mx_program *p, struct mx_wave_sync *m); /* false: no memory */
/* The same, made when first asked for. NULL if memory is short. */
const struct mx_wave_sync *mx_program_wave_sync(const struct mx_program *p, uint64_t entry);

void mx_order_land(struct mx_wave *w, struct mx_memop *m);
void mx_order_drop_event(struct mx_memop *m); /* of one that does not land */
void mx_order_wait(struct mx_wave *w);        /* for its targets */
void mx_order_arrive(struct mx_wave *w, const struct mx_inst *in);
void mx_order_barrier(struct mx_group *g);
void mx_order_preload(struct mx_wave *w, uint64_t address, unsigned bytes); /* of kernargs */

/* ---- random.c ---- */
void mx_random_seed(struct mx_random *r, uint64_t seed, uint64_t stream);
uint64_t mx_random_next(struct mx_random *r);
static inline unsigned mx_random_below(struct mx_random *r, unsigned n) {
	return (unsigned)((mx_random_next(r) >> 32) * n >> 32);
}

/* ---- observe.c: telling an observer what happens; call only where w->observed has the kind ----
 */

void mx_observe_begin(struct mx_wave *w); /* at its start, always: what is to be told of it */
void mx_observe_issue(struct mx_wave *w, const struct mx_inst *in);
void mx_observe_land(struct mx_wave *w, const struct mx_memop *m); /* NULL: it has landed */
void mx_observe_sgpr(const struct mx_wave *w, unsigned code);
void mx_observe_vgpr(const struct mx_wave *w, unsigned row, uint64_t lanes);
void mx_observe_memory(const struct mx_wave *w, uint64_t address, unsigned bytes, uint32_t value,
                       bool write);
/* Of LDS, where the bytes are. */
void mx_observe_lds(const struct mx_wave *w, unsigned lane, uint64_t at, unsigned bytes,
                    bool write);

/* ---- operand.c: registers as operands ---- */

uint32_t mx_sread(const struct mx_wave *w, const struct mx_inst *in, unsigned code);
uint64_t mx_sread64(const struct mx_wave *w, const struct mx_inst *in, unsigned code);
/* Which of the bits that such a read gives nobody wrote. */
uint32_t mx_sread_unwritten(const struct mx_wave *w, unsigned code);
uint64_t mx_sread64_unwritten(const struct mx_wave *w, unsigned code);
/* Whether bits that nobody wrote decide if the pair from `code` is zero. */
bool mx_zero_unwritten(const struct mx_wave *w, unsigned code);
void mx_swrite(struct mx_wave *w, unsigned code, uint32_t value, uint32_t unwritten);
void mx_swrite64(struct mx_wave *w, unsigned code, uint64_t value, uint64_t unwritten);
/* Writes the instruction's scalar destination; EXEC from bits nobody wrote is a finding. */
void mx_swrite_result(struct mx_wave *w, const struct mx_inst *in, uint64_t value,
                      uint64_t unwritten);
void mx_write_exec(struct mx_wave *w, const struct mx_inst *in, uint64_t value, uint64_t unwritten);

static inline uint64_t mx_pair(const uint32_t *s) {
	return s[0] | (uint64_t)s[1] << 32;
}
static inline uint64_t mx_exec(const struct mx_wave *w) {
	return mx_pair(w->s + MX_EXEC);
}

/* The register file row of operand code `code` (VGPR or AGPR). */
static inline unsigned mx_row(unsigned code) {
	return code - MX_VGPR;
}

/* Whether n vector registers from `row` are allocated to the wave; if not, a finding. */
bool mx_vgprs_exist(struct mx_wave *w, const struct mx_inst *in, unsigned row, unsigned n);

/* Writes lanes of a vector register; unwritten may be NULL: all bits written. */
void mx_vwrite(struct mx_wave *w, unsigned row, uint64_t lanes, const uint32_t *value,
               const uint32_t *unwritten);
/* The bits of a lane that nobody wrote. */
static inline uint32_t mx_vunwritten(const struct mx_wave *w, unsigned row, unsigned lane) {
	return w->unwritten_lanes[row] >> lane & 1 ? w->v_unwritten[row][lane] : 0;
}

/* ---- relative.c ---- */

/* What to add to the number of a VGPR operand: 0 src0, 1 src1, 2 src2, 3 dst [ISA 6.6]. */
unsigned mx_gpr_index(const struct mx_wave *w, unsigned which);

/* ---- hwreg.c ---- */

/* Where a wave runs on the device: what HW_ID, XCC_ID and LDS_ALLOC say. */
struct mx_placement {
	unsigned xcc, engine, unit, simd, slot; /* shader engine, compute unit, wave buffer slot */
	unsigned pipe, group;                   /* that dispatched it; its thread-group id */
	uint32_t lds_base;
};
struct mx_placement mx_placement(const struct mx_wave *w);

/* ---- smem.c ---- */

/* Scalar memory: what it adds to lgkmcnt, and how many SGPRs its data has. */
unsigned mx_smem_weight(const struct mx_inst *in);
unsigned mx_smem_data_dwords(const struct mx_inst *in);

/* ---- flow.c ---- */
mx_handler mx_x_s_sendmsg;

/* ---- valu.c, cvt.c ---- */
mx_handler mx_exec_valu, mx_exec_vcmp, mx_exec_cvt;

/* The row of a vector ALU operand: its code's, and under VGPR indexing M0 more. which: source
 * 0 to 2, or MX_VDST. */
enum { MX_VDST = 3 };
unsigned mx_indexed_row(struct mx_wave *w, const struct mx_inst *in, unsigned code, unsigned which);

/* ---- sublane.c ---- */

/* The lane that DPP_CTRL sends to `lane`; negative: none. */
int mx_dpp_source(unsigned ctrl, int lane);

/* ---- cvt.c ---- */
bool mx_is_cvt(const struct mx_op *op);

/* ---- vmem.c: what loads and stores of all kinds share ---- */

/* Takes store data of the instruction's lanes from registers, reporting unwritten bits
 * where `to_memory`. data: operand code of the first register. */
void mx_take_store_data(struct mx_wave *w, struct mx_memop *m, unsigned data, unsigned bytes,
                        bool to_memory);
/* A loaded part of `bytes` (1 to 4) widened to a dword, as the opcode asks. */
uint32_t mx_extend(const struct mx_inst *in, uint32_t v, unsigned bytes);

/* ---- scratch.c: the private segments of a wave ---- */

bool mx_scratch_new(struct mx_wave *w, const struct mx_run *run);
void mx_scratch_free(struct mx_wave *w);
void mx_scratch_start(struct mx_wave *w, uint8_t pattern);

/* Whether an access lies in the lane's segment; if not, a finding. */
bool mx_scratch_check(struct mx_wave *w, const struct mx_inst *in, unsigned lane, uint32_t offset,
                      unsigned bytes, bool write);
/* Outside it a read gives an unwritten 0, and a write is dropped. */
uint32_t mx_scratch_read(const struct mx_wave *w, unsigned lane, uint32_t offset, unsigned bytes,
                         uint32_t *unwritten);
void mx_scratch_write(struct mx_wave *w, unsigned lane, uint32_t offset, unsigned bytes,
                      uint32_t value, uint32_t unwritten);

/* ---- schedule.c ---- */

/* Runs a workgroup for about `budget` instructions; true when it has ended and
 * nothing is in flight. */
bool mx_group_run(struct mx_group *g, uint64_t budget);

/* ---- policy.c: what kind of schedule a seed is ---- */

void mx_run_policy(struct mx_run *run);
void mx_group_policy(struct mx_group *g);

/* The workgroup that is begun as the i-th. */
uint64_t mx_run_order(const struct mx_run *run, uint64_t i);

/* When an operation that is issued now lands, if no wait asks for it earlier. */
uint64_t mx_due_time(struct mx_wave *w, struct mx_memop *m);

/* ---- turns.c: whose turn it is, by priority or as an explicit schedule says ---- */

void mx_turns_begin(struct mx_wave *w);
/* Whose turn it is before all priorities, or NULL: an explicit schedule says so, or it starves. */
struct mx_wave *mx_turns_said(struct mx_group *g);
/* By priority a wave that can do something, or NULL. */
struct mx_wave *mx_turns_pick(struct mx_group *g);
/* Instructions that the wave may issue now; and what follows from its having had its turn. */
uint64_t mx_turns_length(const struct mx_wave *w);
void mx_turns_end(struct mx_wave *w, uint64_t start);

/* Notes a decision of the schedule, where it is not the sequential one. */
void mx_record_turn(struct mx_group *g, const struct mx_wave *next);
void mx_record_landing(struct mx_wave *w, const struct mx_memop *m);
/* What has not landed when a finding stops the launch: it waits for a wait that does not come. */
void mx_record_rest(struct mx_group *g);

/* Neither waits at a barrier nor has ended. */
bool mx_idle(const struct mx_wave *w);

/* ---- hazard_watch.c: wait states along the path that a wave takes ---- */

/* False if memory is short. */
bool mx_hazards_new(struct mx_wave *w, const struct mx_run *run);
void mx_hazards_free(struct mx_wave *w);
void mx_hazards_start(struct mx_wave *w);
/* Before an instruction is executed; only where w->hazards. */
void mx_hazards_issue(struct mx_wave *w, const struct mx_inst *in);

/* ---- stall.c: who can make no progress ---- */

/* After an instruction of a watched group's wave: has it been here before, as it is now? */
void mx_watch_wave(struct mx_wave *w);

/* Runs a group for a slice as mx_group_run does; *stalled where it changed nothing and none of its
 * waves ever will, as long as nobody else changes memory. */
bool mx_group_run_slice(struct mx_group *g, uint64_t budget, bool *stalled);

/* Reports that nothing can make progress, and which wave of the group waits where. */
void mx_report_stall(struct mx_group *g);

/* ---- ds.c ---- */

/* Whether an access lies in the workgroup's LDS; if not, a finding. */
bool mx_lds_check(struct mx_wave *w, const struct mx_inst *in, int lane, uint64_t offset,
                  unsigned bytes, bool write);

#define MX_FOR_LANES(lane, mask)                                                                   \
	for (uint64_t m_ = (mask); m_ && ((lane) = __builtin_ctzll(m_), true); m_ &= m_ - 1)

#endif
