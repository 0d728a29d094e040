/* The state of the machine while a launch runs: waves, workgroups, operations in flight. */
#ifndef MX_MACHINE_H
#define MX_MACHINE_H

#include "inst.h"
#include "isa.h"
#include "lanes.h"

enum {
	MX_ALL_LANES_BYTES = 4 * MX_LANES,
	MX_VGPR_FILE = 512,
	MX_VMCNT_MAX = 63,
	MX_LGKMCNT_MAX = 15,     /* widths of the counters [ISA 4.4] */
	MX_LDS_MAX = 160 * 1024, /* of a workgroup [ISA 2.2.1] */

	/* Upper halves of flat addresses in LDS and scratch [Linux kfd_flat_memory.c]. */
	MX_SHARED_APERTURE = 1 << 16,
	MX_PRIVATE_APERTURE = 2 << 16,
	MX_SCRATCH_MAX = 131056, /* of a work-item: 13 bits of KiB for a wave [HIP's runtime] */
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
	struct mx_queue vm, fl, ds, sm; /* vmcnt is vm + fl; lgkmcnt is ds + sm */
	uint8_t *scratch,
		*scratch_unwritten; /* a linear private segment of each lane; taint as LDS */
};

/* Random numbers of a schedule. */
struct mx_random {
	uint64_t s[2];
};

/* How a schedule treats memory: chances in 256. */
struct mx_temper {
	unsigned at_once, at_wait, latency_bits, quantum_bits;
};

struct mx_group {
	struct mx_run *run;
	uint32_t id[3];
	uint64_t clock; /* instructions issued by all waves */
	unsigned n_waves, at_barrier, ended;
	unsigned in_flight; /* operations of all waves */
	struct mx_wave *waves;
	uint8_t *lds, *lds_unwritten; /* one bit of taint for each bit */
	uint32_t lds_bytes;
	struct mx_random random;
	struct mx_temper temper;
	unsigned slow_wave; /* is picked rarely, so that others run ahead */
	struct mx_memop *free_list;
};

/* A launch under way. */
struct mx_run {
	const struct mx_launch *launch;
	struct mx_report *report;
	uint64_t max_instructions;
	size_t last_region;
	bool out_of_memory;
};

/* ---- findings.c ---- */

/* Reports a finding at an instruction; lane -1 and address 0 mean none. */
__attribute__((format(printf, 6, 7))) void mx_find(struct mx_wave *w, const struct mx_inst *in,
                                                   mx_finding_kind kind, int lane, uint64_t address,
                                                   const char *format, ...);
bool mx_stopped(const struct mx_wave *w);

/* ---- memory.c: device memory by address ---- */

/* Whether [address, address + bytes) may be touched. Outside every allocation is a
 * fault, which stops; touching a guard is reported, and goes on. */
bool mx_memory_check(struct mx_wave *w, const struct mx_inst *in, int lane, uint64_t address,
                     size_t bytes, bool write);

/* The states of bytes that mx_memory_check has passed. */
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
bool mx_land_one(struct mx_wave *w);
bool mx_wait_over(const struct mx_wave *w);

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

/* ---- valu.c ---- */
mx_handler mx_exec_valu, mx_exec_vcmp;

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
void mx_group_temper(struct mx_group *g);

/* ---- ds.c ---- */

/* Whether an access lies in the workgroup's LDS; if not, a finding. */
bool mx_lds_check(struct mx_wave *w, const struct mx_inst *in, int lane, uint64_t offset,
                  unsigned bytes, bool write);

#define MX_FOR_LANES(lane, mask)                                                                   \
	for (uint64_t m_ = (mask); m_ && ((lane) = __builtin_ctzll(m_), true); m_ &= m_ - 1)

#endif
