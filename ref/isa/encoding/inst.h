/* A decoded instruction, and the table that says what each opcode is. */
#ifndef MX_INST_H
#define MX_INST_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "../../mxref.h"
#include "assumptions.h"
#include "../memory/atomic.h"

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

/* Operand codes of scalar and vector sources [ISA table of SSRC/SRC codes]. A
 * code from 256 is a VGPR; we go on counting and give AGPRs 512 and up. */
enum {
	MX_SGPRS = 102, /* ordinary ones; FLAT_SCRATCH and XNACK_MASK follow */
	MX_FLAT_SCRATCH = 102,
	MX_XNACK_MASK = 104,
	MX_VCC = 106,
	MX_TTMP0 = 108,
	MX_M0 = 124,
	MX_EXEC = 126,
	MX_SGPR_FILE = 128,
	MX_INT_0 = 128,
	MX_INT_64 = 192,
	MX_INT_NEG_1 = 193,
	MX_INT_NEG_16 = 208,
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
	MX_LITERAL = 255,
	MX_VGPR = 256,
	MX_AGPR = 512
};

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

/* What the executor must know of an opcode beyond its operands. */
enum {
	MX_NEG_ABS = 1 << 0, /* sources that are no floats, but NEG and ABS change bit 31 */
	MX_BITWISE = 1 << 1, /* what a result owes to which bits, for those that nobody wrote: this,
	                        CONTROLn and the last five, see taint.h; CONTROL2 of the SALU:
	                        a field's width, in source 1 */
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
	MX_D16_HI =
		1 << 12, /* memory data, or the VALU's result, is in the upper half of a register */
	MX_CONTROL0 = 1 << 13,
	MX_CONTROL1 = 1 << 14,
	MX_CONTROL2 = 1 << 15,
	MX_TO_AGPR = 1 << 16, /* moves that name the register files by their opcode */
	MX_FROM_AGPR = 1 << 17,
	MX_CLAMPS = 1 << 18,    /* integer result: the lane function obeys CLAMP */
	MX_KEEP_HALF = 1 << 19, /* 16-bit result: the other half of the register stays */
	MX_VCC_IN = 1 << 20,    /* VCC is a source besides the three */
	MX_LITERAL_1 = 1 << 21, /* a literal as source 1 (fmamk) or 2 (fmaak) */
	MX_LITERAL_2 = 1 << 22,
	MX_TRUTH = 1 << 23,      /* NEG, ABS and OMOD hold a truth table */
	MX_OP_SEL = 1 << 24,     /* the lane function obeys OP_SEL (and OP_SEL_HI) itself */
	MX_D16 = 1 << 25,        /* load into the lower half; formats: two components a register */
	MX_SECOND = 1 << 26,     /* atomic: has two operands */
	MX_TO_LDS = 1 << 27,     /* load to LDS */
	MX_FORMAT = 1 << 28,     /* converts: components, not bytes, in d */
	MX_STRIDE_64 = 1 << 29,  /* DS, with MX_TWO: offsets in units of 64 elements */
	MX_ADDTID = 1 << 30,     /* DS: the address is M0[15:0] and the lane's number */
	MX_COMPARE = 1ull << 31, /* DS, with MX_SECOND: what memory must hold comes first */
	MX_HALF_UNKNOWN = 1ull << 32, /* 16-bit result: nobody says what the other half becomes */
	MX_NO_OVERLAP = 1ull << 34,   /* the destination overlaps no source [LLVM earlyclobber] */
	MX_NEAREST = 1ull << 35,      /* rounds to nearest even in any MODE */
	MX_FLUSH = 1ull << 36,        /* flushes denormal sources and results in any MODE */
	MX_ORDERED = 1ull << 33,
	MX_CHOOSES = 1ull << 37,
	MX_SCANS = 1ull << 38,
	MX_EQUALS = 1ull << 39,
	MX_PAIRED = 1ull << 40,
	MX_CONVERTS = 1ull << 41,  /* a row of cvt.def: `cvt` is its operation */
	MX_MASK_ONLY = 1ull << 42, /* comparison: a lane mask is its only result */
};

/* In the flags of an opcode: the rule of assumptions.def that all of it rests on. */
#define MX_RESTS_SHIFT  56
#define MX_RESTS_ON(id) ((uint64_t)MX_ASSUMES_##id << MX_RESTS_SHIFT)

struct mx_program;
struct mx_wave;
struct mx_inst;
struct mx_scalars;
struct mx_lanes;
typedef void mx_handler(struct mx_wave *w, const struct mx_inst *in);
typedef void mx_scalar_function(struct mx_scalars *x); /* salu.h */
typedef void mx_lane_function(struct mx_lanes *x);     /* lanes.h */

/* A row of opcodes.def. */
struct mx_op {
	const char *name;
	mx_encoding encoding;
	uint16_t opcode;
	uint8_t d, s[3]; /* sizes of destination and sources in dwords; memory: bytes in d */
	uint8_t type, source_type[3]; /* VALU and comparisons: mx_operand_type */
	uint64_t flags;
	mx_handler *handler;
	mx_scalar_function *scalar; /* SALU only */
	mx_lane_function *lanes;    /* VALU and comparisons only */
	mx_cvt_op cvt;              /* conversions only */
	mx_rmw_function *rmw;       /* atomics only */
};

extern const struct mx_op mx_ops[];

struct mx_inst {
	const struct mx_op *op;  /* NULL: not decodable */
	const char *unsupported; /* decodes, but this part of it is not implemented; or NULL */
	mx_assumption assumes;   /* what its results rest on as it stands */
	bool plain;              /* VALU: sources are registers or constants as they stand */
	uint32_t offset;         /* from the start of the program, bytes */
	uint32_t dwords[4];
	uint8_t size;         /* bytes */
	uint8_t sgprs;        /* one more than the highest SGPR that it names */
	uint16_t dst, src[3]; /* operand codes */
	uint16_t sdst;        /* lane mask destination */
	uint32_t literal;
	int32_t imm; /* SIMM16, or memory offset */
	uint8_t neg, abs, clamp, omod;
	uint8_t op_sel, op_sel_hi;
	struct {
		bool used;
		uint8_t dst_sel, dst_unused, sel[2];
		bool sext[2];
	} sdwa;
	struct {
		bool used, bound_zero;
		uint16_t ctrl;
		uint8_t row_mask, bank_mask;
	} dpp;
	struct {
		uint16_t addr, data, rsrc, soffset;
		bool offen, idxen, lds, saddr, vaddr, sc0; /* vaddr: SCRATCH has one */
		bool glc;                                  /* SMEM */
		uint8_t offset1;
		uint8_t format; /* MTBUF: DFMT, and NFMT from bit 4 */
	} mem;
	struct {
		uint8_t cbsz, blgp, abid;
		bool scaled;
		const struct mx_dense *dense; /* of a dense MFMA */
		const struct mx_sparse *sparse;
		uint16_t scale[2];
		uint8_t byte[2];
	} mai;
};

/* How far the machine's word on an instruction can be trusted. */
typedef enum {
	MX_RUNS_EXACTLY,    /* as documented, bit for bit */
	MX_RUNS_AS_ASSUMED, /* what is not documented is as we assume */
	MX_RUNS_NOT,        /* stops the launch */
	MX_RUNS_KINDS
} mx_runs;

/* What all uses of an opcode rest on. */
static inline mx_assumption mx_op_rests_on(const struct mx_op *op) {
	return (mx_assumption)(op->flags >> MX_RESTS_SHIFT);
}

/* Whether it is a conversion, a row of cvt.def. */
static inline bool mx_is_cvt(const struct mx_op *op) {
	return op->flags & MX_CONVERTS;
}

/* An instruction as it stands in the code: its modifiers and format count. */
static inline mx_runs mx_how_runs(const struct mx_inst *in) {
	if (!in->op || in->unsupported)
		return MX_RUNS_NOT;
	return in->assumes ? MX_RUNS_AS_ASSUMED : MX_RUNS_EXACTLY;
}

/* Decodes the instruction at code[0]; at most `left` dwords may be read. */
void mx_decode(const uint32_t *code, size_t left, uint32_t offset, struct mx_inst *in);

/* The instruction at a byte offset, or NULL outside the program. */
const struct mx_inst *mx_program_at(const struct mx_program *p, uint64_t offset);
uint64_t mx_program_base(const struct mx_program *p);
size_t mx_program_dwords(const struct mx_program *p);

/* What of each instruction matters to hazards (hazard.h), by dword offset; made when first asked
 * for. NULL if memory is short. */
struct mx_hazard_traits;
const struct mx_hazard_traits *mx_program_traits(const struct mx_program *p);

/* How waves of a kernel synchronise (wave_sync.h), by the entry of the kernel; made when first
 * asked for. NULL if memory is short. */
struct mx_wave_sync;
const struct mx_wave_sync *mx_program_wave_sync(const struct mx_program *p, uint64_t entry);

/* Whether workgroups of the kernel with this entry are known to meet in memory. It decides how fast
 * a launch runs, and never its results. */
bool mx_program_shares(const struct mx_program *p, uint64_t entry);
void mx_program_note_sharing(const struct mx_program *p, uint64_t entry);

#endif
