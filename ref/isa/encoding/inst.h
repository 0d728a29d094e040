/* A decoded instruction, and the table of opcodes. */
#ifndef MX_INST_H
#define MX_INST_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "../../mxref.h"
#include "assumptions.h"

/* Microcode formats [ISA chapter 13]. */
typedef enum {
	MX_SOP2,
	MX_SOPK,
	MX_SOP1,
	MX_SOPC,
	MX_SOPP,
	MX_SMEM,
	MX_VOP2,
	MX_VOP1,
	MX_VOPC,
	MX_VOP3,
	MX_VOP3P,
	MX_MAI,
	MX_DS,
	MX_FLAT, /* and its segments */
	MX_SCRATCH,
	MX_GLOBAL,
	MX_MUBUF,
	MX_MTBUF,
	MX_ENCODINGS
} mx_encoding;

/* Operand codes of scalar and vector sources [ISA table of SSRC/SRC codes]. Codes 256 to 511 are
 * VGPRs. Codes from 512 for AGPRs are our extension. */
enum {
	MX_SGPRS = 102, /* general SGPRs; FLAT_SCRATCH and XNACK_MASK follow */
	MX_FLAT_SCRATCH = 102,
	MX_XNACK_MASK = 104,
	MX_VCC = 106,
	MX_TTMP0 = 108,
	MX_M0 = 124,
	MX_EXEC = 126,
	MX_SGPR_FILE = 128,
	MX_INT_0 = 128,
	MX_NULL = MX_INT_0, /* of gfx1250: a destination that drops what is written */
	MX_INT_64 = 192,
	MX_INT_NEG_1 = 193,
	MX_INT_NEG_16 = 208,
	MX_FLAT_SCRATCH_BASE = 230, /* of gfx1250: a pair */
	MX_SHARED_BASE = 235,
	MX_SHARED_LIMIT = 236,
	MX_PRIVATE_BASE = 237,
	MX_PRIVATE_LIMIT = 238,
	MX_FLOAT_0_5 = 240,
	MX_FLOAT_1_2PI = 248,
	MX_SDWA = 249,
	MX_DPP = 250,
	MX_VCCZ = 251,
	MX_EXECZ = 252,
	MX_SCC = 253,
	MX_LITERAL64 = 254, /* of gfx1250 */
	MX_LITERAL = 255,
	MX_VGPR = 256,
	MX_AGPR = 512
};

/* The kind of an opcode that needs more than its operands. */
typedef enum {
	MX_IS_ORDINARY,
	MX_IS_MOVE,   /* s_mov */
	MX_IS_OR,     /* scalar */
	MX_IS_OR_NOT, /* s_orn2 */
	MX_IS_AND,    /* scalar, and s_andn2 */
	MX_IS_TRANS,  /* transcendentals [ISA 4.5, table 12] */
	MX_IS_DOT,
	MX_IS_DIV_FMAS,
	MX_IS_FMA_F64,
	MX_IS_PERMLANE_SWAP, /* exchanges parts of two vector registers */
	MX_IS_SWAP,          /* exchanges two vector registers */
	MX_IS_PERMUTE,       /* moves lanes of a vector register */
	MX_IS_EXPONENT, /* a conversion with a scale of which only the exponent counts [assumed] */
	MX_IS_READLANE,
	MX_IS_READFIRST,
	MX_IS_WRITELANE,
	MX_IS_LANE_MOVE,   /* ds_swizzle, ds_permute, ds_bpermute: no access to LDS */
	MX_IS_LDS_COUNTER, /* ds_append, ds_consume */
	MX_IS_LDS_NOP,
	MX_IS_TRANSPOSE,  /* a load from device memory that transposes */
	MX_IS_BLOCK,      /* a load or store of up to 32 registers, which M0 selects */
	MX_IS_INVALIDATE, /* buffer_inv */
	MX_IS_WRITE_BACK, /* buffer_wbl2 */
	MX_IS_SCALAR_CACHE,
	MX_IS_CLOCK,
	MX_IS_BARRIER_STATE, /* s_get_barrier_state, which returns as a load does */
	MX_IS_BRANCH, /* SIMM16 is the offset, also of CBRANCH */
	MX_IS_CBRANCH,
	MX_IS_NOP,
	MX_IS_HINT, /* of the scheduler: s_sleep, s_setprio, s_wakeup */
	/* From here on: opcodes that change or read more of a wave than registers and memory. */
	MX_IS_WAITCNT,
	MX_IS_BARRIER,
	MX_IS_END,
	MX_IS_CALL,
	MX_IS_SETPC,
	MX_IS_GETPC,
	MX_IS_FORK,
	MX_IS_JOIN,
	MX_IS_RFE,
	MX_IS_HALT,
	MX_IS_TRAP,
	MX_IS_SENDMSG,
	MX_IS_TTRACE,
	MX_IS_ICACHE,
	MX_IS_PERF,
	MX_IS_SETREG,
	MX_IS_MODE, /* s_round_mode, s_denorm_mode */
	MX_IS_GETREG,
	MX_IS_SETVSKIP,
	MX_IS_MOVREL,    /* registers that M0 names */
	MX_IS_GPR_INDEX, /* s_set_gpr_idx */
	MX_IS_BANKS,     /* s_set_vgpr_msb */
	MX_IS_DUAL,      /* two operations of the vector ALU */
	MX_IS_TILE,      /* a copy of the tensor data mover */
	MX_IS_ARRIVAL,   /* at a barrier in LDS, when the copies before it are over */
} mx_kind;

/* Types of vector operands. */
typedef enum {
#define MX_TYPE(id, ...) MX_TYPE_##id,
#include "types.def"
#undef MX_TYPE
	MX_TYPES
} mx_operand_type;

enum {
#define MX_TYPE(id, dwords, ...) MX_DWORDS_##id = dwords,
#include "types.def"
#undef MX_TYPE
};

/* Properties of an opcode beyond its operands. */
enum {
	MX_NEG_ABS = 1 << 0,   /* non-float sources of which NEG and ABS change bit 31 */
	MX_BITWISE = 1 << 1,   /* how unwritten bits of the sources reach the result: this, CONTROLn
	                          and the last five, see taint.h. CONTROL2 of the SALU: a field's
	                          width, in source 1 */
	MX_CARRY_OUT = 1 << 2, /* lane mask result: VCC, or SDST of VOP3B */
	MX_CARRY_IN = 1 << 3,  /* lane mask source: VCC, or src2 of VOP3 */
	MX_READS_D = 1 << 4,   /* the destination is also a source; VALU: the third */
	MX_SCC_OUT = 1 << 5,
	MX_SCC_IN = 1 << 6,
	MX_EXEC_OUT = 1 << 7,
	MX_LOAD = 1 << 8,
	MX_STORE = 1 << 9,
	MX_SIGNED = 1 << 10, /* sub-dword load, 64-bit literal or SIMM16: sign-extended */
	MX_TWO = 1 << 11,    /* DS: two addresses, offset0 and offset1 in units of the data;
	                        s_dcache_discard_x2: two cache lines */
	MX_D16_HI = 1 << 12, /* memory data, the result of the VALU, or the source of a scalar float
	                        is in the upper half of a register */
	MX_CONTROL0 = 1 << 13,
	MX_CONTROL1 = 1 << 14,
	MX_CONTROL2 = 1 << 15,
	MX_TO_AGPR = 1 << 16, /* moves with an opcode that selects the register files */
	MX_FROM_AGPR = 1 << 17,
	MX_CLAMPS = 1 << 18,     /* integer result: the lane function applies CLAMP; FP8: E5M3 */
	MX_KEEP_HALF = 1 << 19,  /* 16-bit result: the other half of the register is kept */
	MX_VCC_IN = 1 << 20,     /* VCC is a source in addition to the three */
	MX_TRUTH = 1 << 23,      /* NEG, ABS and OMOD hold a truth table */
	MX_OP_SEL = 1 << 24,     /* the lane function applies OP_SEL (and OP_SEL_HI) */
	MX_D16 = 1 << 25,        /* load into the lower half; formats: two components a register */
	MX_SECOND = 1 << 26,     /* atomic: has two operands */
	MX_TO_LDS = 1 << 27,     /* load to LDS, or store from it */
	MX_FORMAT = 1 << 28,     /* converts: d counts components, not bytes */
	MX_STRIDE_64 = 1 << 29,  /* DS, with MX_TWO: offsets in units of 64 elements */
	MX_ADDTID = 1 << 30,     /* the address has the lane's number; of DS also M0[15:0] */
	MX_COMPARE = 1ull << 31, /* DS, with MX_SECOND: the first operand is compared */
	MX_HALF_UNKNOWN = 1ull << 32, /* 16-bit result: no source defines the other half */
	MX_NO_OVERLAP = 1ull << 34,   /* the destination overlaps no source [LLVM earlyclobber] */
	MX_NEAREST = 1ull << 35,      /* rounds to nearest even in any MODE */
	MX_FLUSH = 1ull << 36,        /* flushes denormal sources and results in any MODE */
	MX_M0_IN = 1ull << 41, /* M0 is a source, or a destination, in addition to the operands */
	MX_M0_OUT = 1ull << 42,
	MX_EXEC_IN = 1ull << 43,   /* the value of EXEC is a source */
	MX_SDST_IN = 1ull << 44,   /* SOPK: SDST is source 0 */
	MX_SDST_KEPT = 1ull << 45, /* and is not written */
	MX_ORDERED = 1ull << 33,
	MX_CHOOSES = 1ull << 37,
	MX_SCANS = 1ull << 38,
	MX_EQUALS = 1ull << 39,
	MX_PAIRED = 1ull << 40,
};

/* The kind of an opcode, in its flags. */
#define MX_KIND_SHIFT 48
#define MX_KIND(id)   ((uint64_t)MX_IS_##id << MX_KIND_SHIFT)

/* The assumption that all results of an opcode rest on, in its flags. */
#define MX_RESTS_SHIFT  56
#define MX_RESTS_ON(id) ((uint64_t)MX_ASSUMES_##id << MX_RESTS_SHIFT)

/* Functions of atomics. */
typedef enum {
	MX_RMW_NONE,
#define MX_RMW(name, ...) MX_RMW_##name,
#include "atomics.def"
#undef MX_RMW
} mx_rmw_kind;
enum {
	MX_COMMUTES = 1,   /* the order of several such operations does not matter */
	MX_IDEMPOTENT = 2, /* a repetition does not matter */
};

/* The part of the executor that implements an opcode: the macro of its row. */
typedef enum {
	MX_UNIT_SALU,
	MX_UNIT_FLOW, /* one handler per opcode */
	MX_UNIT_VALU,
	MX_UNIT_VCMP,
	MX_UNIT_MATRIX,
	MX_UNIT_CVT,
	MX_UNIT_MEMORY,
} mx_unit;

/* Opcodes by name: those of gfx950, then those that gfx1250 has in addition. After MX_OPS: opcodes
 * of gfx950.def that are not executed. */
typedef enum {
#define MX_SALU(encoding, name, ...)      MX_OP_##name,
#define MX_FLOW(encoding, name, ...)      MX_OP_##name,
#define MX_VALU(encoding, name, ...)      MX_OP_##name,
#define MX_VCMP(encoding, name, ...)      MX_OP_##name,
#define MX_SCALAR_AS(encoding, name, ...) MX_OP_##name,
#define MX_MATRIX(encoding, name, ...)    MX_OP_##name,
#define MX_CVT(encoding, id, ...)         MX_OP_v_cvt_##id,
#define MX_SMEM_ACCESS(name, ...)         MX_OP_##name,
#define MX_SMEM_ATOMIC(name, ...)         MX_OP_##name,
#define MX_MEMORY(encoding, name, ...)    MX_OP_##name,
#define MX_LDS(encoding, name, ...)       MX_OP_##name,
#define MX_ATOMIC(encoding, name, ...)    MX_OP_##name,
#define MX_SET(set)                       MX_FIRST_OF_##set, MX_BEFORE_##set = MX_FIRST_OF_##set - 1,
#include "opcodes.def"
	MX_OPS,
#define MX_NOT_EXECUTED(name) MX_OP_##name,
#include "opcodes.def"
} mx_opcode;

struct mx_isa;
struct mx_program;
struct mx_wave;
struct mx_inst;
typedef void mx_handler(struct mx_wave *w, const struct mx_inst *in);

/* A row of opcodes.def. */
struct mx_op {
	const char *name;
	mx_opcode id;
	mx_encoding encoding; /* its shortest */
	mx_unit unit;
	uint8_t d, s[3]; /* sizes of destination and sources in dwords; memory: bytes in d */
	uint8_t type, source_type[3]; /* VALU and comparisons: mx_operand_type */
	uint64_t flags;
	mx_cvt_op cvt;   /* conversions only */
	mx_rmw_kind rmw; /* atomics only */
	mx_opcode as;    /* the vector opcode that computes a scalar float; otherwise 0 */
};

static inline mx_kind mx_kind_of(const struct mx_op *op) {
	return (mx_kind)(op->flags >> MX_KIND_SHIFT & 0xff);
}
/* Whether the opcode has a lane function: the vector ALU except for moves between lanes and
 * conversions. */
static inline bool mx_has_lanes(const struct mx_op *op) {
	return op->unit == MX_UNIT_VALU || op->unit == MX_UNIT_VCMP;
}
/* Whether the opcode is a conversion, a row of cvt.def. */
static inline bool mx_is_cvt(const struct mx_op *op) {
	return op->unit == MX_UNIT_CVT;
}
/* Whether the encoding is one of the vector ALU. WMMAs have one, too; MFMAs have their own. */
static inline bool mx_is_vector_alu(const struct mx_op *op) {
	return op->encoding >= MX_VOP2 && op->encoding <= MX_VOP3P;
}
static inline bool mx_is_matrix(const struct mx_op *op) {
	return op->unit == MX_UNIT_MATRIX;
}
/* Properties of an atomic. */
unsigned mx_rmw_is(mx_rmw_kind kind);

/* The role of an operand in its instruction. */
typedef enum {
	MX_AS_D,    /* a result; for a memory instruction, the data that it returns when it lands */
	MX_AS_SRC0, /* sources of the ALU, except of matrix instructions */
	MX_AS_SRC1,
	MX_AS_SRC2,
	MX_AS_OLD,    /* the old value of a register that is written in part */
	MX_AS_RANDOM, /* of conversions */
	MX_AS_SCALE,
	MX_AS_MASK, /* carries and conditions: a bit for each lane */
	MX_AS_FLAG, /* SCC */
	MX_AS_LANE, /* selects a lane */
	MX_AS_EXEC, /* the value of EXEC as data */
	MX_AS_A,    /* of matrix instructions */
	MX_AS_B,
	MX_AS_C,
	MX_AS_INDEX,
	MX_AS_SCALE_A,
	MX_AS_SCALE_B,
	MX_AS_DATA, /* of stores and atomics */
	MX_AS_DATA1,
	MX_AS_ADDRESS,
	MX_AS_DESCRIPTOR,
	MX_AS_OFFSET,
	MX_AS_LDS_BASE,
	MX_AS_M0, /* another use of M0 */
} mx_operand_role;

/* The lanes of a vector register that an operand covers. */
typedef enum {
	MX_LANES_OF_EXEC,
	MX_LANES_ALL,
	MX_LANE_FIRST,  /* the first of EXEC, or lane 0 */
	MX_LANE_OF_SRC1, /* the lane that source 1 selects */
	MX_LANES_TAKEN   /* those that the lanes of EXEC take a value of, in EXEC or not */
} mx_operand_lanes;

/* Positions of operands in mx_inst.operand. Those before MX_AT_RESULT are read, the others are
 * written. */
enum {
	/* the ALU; a matrix instruction has A, B and C or the index of a sparse one */
	MX_AT_SRC0 = 0,
	MX_AT_SRC1,
	MX_AT_SRC2,
	MX_AT_SCALE_A,
	MX_AT_SCALE_B,
	/* memory */
	MX_AT_ADDRESS = 0,
	MX_AT_DATA,   /* of a store or an atomic */
	MX_AT_DATA1,  /* of DS */
	MX_AT_BASE,   /* descriptor, SBASE or SADDR */
	MX_AT_OFFSET, /* scalar */
	/* others that are read, such as SCC */
	MX_AT_MORE_READS,
	MX_AT_RESULT = MX_AT_MORE_READS + 2, /* a comparison's is the lane mask */
	/* others that are written; of the vector ALU first the lane mask of a carry */
	MX_AT_MASK,
	MX_MAX_OPERANDS = MX_AT_MASK + 2
};

/* An operand: registers or a constant. */
struct mx_operand {
	uint16_t code;  /* operand code: of the first register, or of a constant */
	uint8_t dwords; /* 0: the instruction has no operand at this position */
	uint8_t role;   /* mx_operand_role */
	uint8_t lanes;  /* mx_operand_lanes */
	bool written;   /* else read */
};

/* A number for each counter of the instruction set: a byte each, below 128. */
typedef uint64_t mx_counts;
#define MX_COUNT(counter, n) ((mx_counts)(n) << 8 * (counter))

static inline unsigned mx_count(mx_counts c, unsigned counter) {
	return c >> 8 * counter & 127;
}
/* Whether each number of `c` is at most that of `most`. */
static inline bool mx_counts_within(mx_counts c, mx_counts most) {
	const mx_counts high = 0x8080808080808080;
	return !(~((most | high) - c) & high);
}

/* In the order of use: what every instruction needs is in the first cache line, operands in the
 * second, and what only few need comes last. */
struct mx_inst {
	_Alignas(64) const struct mx_op *op; /* NULL: not decodable */
	const char *unsupported; /* the part of a valid encoding that is not implemented, or NULL */
	mx_counts counts;        /* the increments of the counters until it lands */
	mx_counts wait;          /* of a wait: the maximum of each counter after it */
	uint32_t offset;         /* from the start of the program, bytes */
	uint32_t literal;        /* the value of MX_LITERAL; of MX_LITERAL64 the lower half */
	int32_t imm;             /* SIMM16, index enables, or memory offset */
	uint8_t size;            /* bytes */
	uint8_t sgprs;           /* the number of the highest SGPR used, plus one */
	uint8_t streams;         /* in which it is in flight, a bit each (instruction_set.h) */
	uint8_t banks;           /* of VGPRs, for which it was decoded */
	bool plain;              /* VALU: the sources are unmodified registers or constants */
	bool simple;             /* and no other modifier; all operands are at most two dwords */
	/* The positions of operands that are registers: all that the instruction reads and writes,
	 * except for EXEC as the mask of active lanes. */
	uint16_t registers;
	uint8_t neg, abs, clamp, omod;
	uint8_t op_sel, op_sel_hi;
	_Alignas(64) struct mx_operand operand[MX_MAX_OPERANDS];
	mx_assumption assumes; /* the assumption that this encoding rests on */
	struct {
		bool offen, idxen;
		bool lds; /* a copy between device memory and LDS: MX_LOAD into LDS, MX_STORE from
		             it */
		bool sc0, sc1, nt; /* cache bits */
		bool system;       /* of system scope [LLVM "Memory Model gfx942"] */
		bool glc;          /* SMEM */
		uint8_t offset1;
		uint8_t unit;   /* bytes that the offset in a register counts; 0: one */
		uint8_t format; /* MTBUF: DFMT, and NFMT from bit 4 */
	} mem;
	uint32_t literal_high;
	bool wide_literal; /* MX_LITERAL64 is a literal */
	struct {
		bool used;
		uint8_t dst_sel, dst_unused, sel[2];
		bool sext[2];
	} sdwa;
	struct {
		bool used, bound_zero;
		bool fetch_inactive; /* lanes that are off in EXEC have their values */
		uint16_t ctrl;
		uint32_t eight; /* DPP8: the lane of eight for each, three bits, and bit 24; or 0 */
		uint8_t row_mask, bank_mask;
	} dpp;
	struct {
		uint8_t cbsz, blgp, abid; /* abid: of a SWMMAC INDEX_KEY */
		bool scaled;
		const struct mx_dense *dense; /* of a dense MFMA */
		const struct mx_sparse *sparse;
		const struct mx_wmma *wmma; /* its formats are cbsz and blgp */
		uint8_t byte[2];            /* of the scales; of a WMMA, their row of lanes */
		uint8_t scale_format[2];    /* mx_scale_format */
		bool reuse[2];              /* of A and B, by a WMMA */
	} mai;
	const struct mx_op *dual[2]; /* the operations of MX_IS_DUAL */
	uint32_t dwords[4];
};

/* Whether it is a matrix instruction with a sparse A: C is its destination. */
static inline bool mx_is_sparse(const struct mx_inst *in) {
	return in->mai.sparse || (in->mai.wmma && in->mai.wmma->sparse);
}

/* Makes operation i of an instruction of two an instruction of its own. */
void mx_dual_operation(const struct mx_inst *in, unsigned i, struct mx_inst *one);

/* The stream of an instruction that has one. */
static inline unsigned mx_stream_of(const struct mx_inst *in) {
	return (unsigned)__builtin_ctz(in->streams);
}

/* Whether the instruction has an operand at a position; its operand code, or that of source i or of
 * the result. */
static inline bool mx_has_operand(const struct mx_inst *in, unsigned position) {
	return in->operand[position].dwords;
}
static inline unsigned mx_operand_at(const struct mx_inst *in, unsigned position) {
	return in->operand[position].code;
}
static inline unsigned mx_source(const struct mx_inst *in, unsigned i) {
	return mx_operand_at(in, MX_AT_SRC0 + i);
}
static inline unsigned mx_result(const struct mx_inst *in) {
	return mx_operand_at(in, MX_AT_RESULT);
}

/* How exactly the emulator executes an instruction. */
typedef enum {
	MX_RUNS_EXACTLY,    /* as documented, bit for bit */
	MX_RUNS_AS_ASSUMED, /* where the documentation has a gap, by an assumption */
	MX_RUNS_NOT,        /* stops the launch */
	MX_RUNS_KINDS
} mx_runs;

/* The assumption that all uses of an opcode rest on. */
static inline mx_assumption mx_op_rests_on(const struct mx_op *op) {
	return (mx_assumption)(op->flags >> MX_RESTS_SHIFT);
}

/* For one encoding, with its modifiers and format. */
static inline mx_runs mx_how_runs(const struct mx_inst *in) {
	if (!in->op || in->unsupported)
		return MX_RUNS_NOT;
	return in->assumes ? MX_RUNS_AS_ASSUMED : MX_RUNS_EXACTLY;
}

/* A program: the instruction at every dword of a code section, because jumps may go to any. It is
 * decoded when it is needed: most dwords are of other kernels, or not the first of an instruction. */
struct mx_program {
	const struct mx_isa *isa; /* instruction_set.h */
	uint64_t base;            /* address */
	size_t dwords;
	struct mx_inst *inst;
	_Atomic(uint8_t) *decoded; /* for each dword */
	uint64_t number;           /* no other program of the process has it */
};
void mx_program_decode(const struct mx_program *p, size_t i);

static inline const struct mx_isa *mx_program_isa(const struct mx_program *p) {
	return p->isa;
}
static inline uint64_t mx_program_base(const struct mx_program *p) {
	return p->base;
}
static inline uint64_t mx_program_number(const struct mx_program *p) {
	return p->number;
}
static inline size_t mx_program_dwords(const struct mx_program *p) {
	return p->dwords;
}
/* The instruction at a byte offset, or NULL outside the program. */
static inline const struct mx_inst *mx_program_at(const struct mx_program *p, uint64_t offset) {
	uint64_t i = offset / 4;
	if (offset % 4 || i >= p->dwords)
		return NULL;
	bool decoded = atomic_load_explicit(&p->decoded[i], memory_order_acquire);
	if (__builtin_expect(!decoded, 0))
		mx_program_decode(p, i);
	return &p->inst[i];
}

/* The same under banks of VGPRs other than 0. NULL also if memory is short. */
const struct mx_inst *mx_program_banked(const struct mx_program *p, uint64_t offset,
                                        unsigned banks);
static inline const struct mx_inst *mx_program_under(const struct mx_program *p, uint64_t offset,
                                                     unsigned banks) {
	return banks ? mx_program_banked(p, offset, banks) : mx_program_at(p, offset);
}

/* Data that another part of the emulator derives from a program, such as wait states by
 * instruction. The first call makes it; it is stored under `make` and `entry` and freed with the
 * program. NULL if memory is short. */
typedef void *mx_derive(const struct mx_program *p, uint64_t entry); /* of malloc, or NULL */
const void *mx_program_derived(const struct mx_program *p, mx_derive *make, uint64_t entry);

/* Whether an earlier launch of the kernel with this entry had workgroups that shared memory. It
 * affects the speed of a launch, never its results. */
bool mx_program_shares(const struct mx_program *p, uint64_t entry);
void mx_program_note_sharing(const struct mx_program *p, uint64_t entry);

#endif
