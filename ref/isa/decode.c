/* From dwords to instructions: the microcode formats [ISA chapter 13] over opcodes.def. */
#include <string.h>

#include "disasm.h"
#include "inst.h"
#include "machine.h"
#include "vector.h"

/* ---- the table ---- */

#define MX_SALU(enc, op, name, d, a, b, flags)    extern mx_scalar_function mx_s_##name;
#define MX_FLOW(enc, op, name, ...)               extern mx_handler mx_x_##name;
#define MX_VALU(enc, op, name, d, a, b, c, flags) extern mx_lane_function mx_l_##name;
#define MX_VCMP(enc, op, name, a, b, flags)       extern mx_lane_function mx_l_##name;
#define MX_LDS(enc, op, name, bytes, flags)       extern mx_handler mx_x_##name;
#include "opcodes.def"

extern mx_handler mx_exec_salu, mx_exec_valu, mx_exec_vcmp, mx_exec_mfma, mx_exec_cvt, mx_exec_SMEM,
	mx_exec_DS, mx_exec_FLAT, mx_exec_SCRATCH, mx_exec_GLOBAL, mx_exec_MUBUF, mx_exec_MTBUF;

const struct mx_op mx_ops[] = {
#define MX_SALU(enc, op, name, d, a, b, what)                                                      \
	{ #name,                                                                                   \
	  MX_##enc,                                                                                \
	  op,                                                                                      \
	  d,                                                                                       \
	  { a, b, 0 },                                                                             \
	  .flags = what,                                                                           \
	  .handler = mx_exec_salu,                                                                 \
	  .scalar = mx_s_##name },
#define MX_FLOW(enc, op, name, d, a, ...)                                                          \
	{ #name, MX_##enc, op, d, { a, 0, 0 }, .flags = __VA_ARGS__ + 0, .handler = mx_x_##name },
#define MX_VALU(enc, op, name, d, a, b, c, what)                                                   \
	{ #name,                                                                                   \
	  MX_##enc,                                                                                \
	  op,                                                                                      \
	  MX_DWORDS_##d,                                                                           \
	  { MX_DWORDS_##a, MX_DWORDS_##b, MX_DWORDS_##c },                                         \
	  MX_TYPE_##d,                                                                             \
	  { MX_TYPE_##a, MX_TYPE_##b, MX_TYPE_##c },                                               \
	  what,                                                                                    \
	  mx_exec_valu,                                                                            \
	  .lanes = mx_l_##name },
#define MX_VCMP(enc, op, name, a, b, what)                                                         \
	{ #name,                                                                                   \
	  MX_##enc,                                                                                \
	  op,                                                                                      \
	  0,                                                                                       \
	  { MX_DWORDS_##a, MX_DWORDS_##b, 0 },                                                     \
	  MX_TYPE_NONE,                                                                            \
	  { MX_TYPE_##a, MX_TYPE_##b, MX_TYPE_NONE },                                              \
	  what,                                                                                    \
	  mx_exec_vcmp,                                                                            \
	  .lanes = mx_l_##name },
#define MX_MATRIX(enc, op, name, d, a, b, c, ...)                                                  \
	{ #name, MX_##enc, op, d, { a, b, c }, .flags = __VA_ARGS__ + 0, .handler = mx_exec_mfma },
#define MX_CVT(enc, op, id, ...)                                                                   \
	{ "v_cvt_" #id, MX_##enc, op, .handler = mx_exec_cvt, .cvt = MX_CVT_##id },
#define MX_SMEM_ACCESS(op, name, bytes, base, unit, what)                                          \
	{ #name, MX_SMEM, op, bytes, { base, unit, 0 }, .flags = what, .handler = mx_exec_SMEM },
#define MX_SMEM_ATOMIC(op, name, bytes, base, function)                                            \
	{ #name,                                                                                   \
	  MX_SMEM,                                                                                 \
	  op,                                                                                      \
	  bytes,                                                                                   \
	  { base, 1, 0 },                                                                          \
	  .handler = mx_exec_SMEM,                                                                 \
	  .rmw = mx_rmw_##function },
#define MX_MEMORY(enc, op, name, bytes, what)                                                      \
	{ #name, MX_##enc, op, bytes, .flags = what, .handler = mx_exec_##enc },
#define MX_LDS(enc, op, name, bytes, what)                                                         \
	{ #name, MX_##enc, op, bytes, .flags = what, .handler = mx_x_##name },
#define MX_ATOMIC(enc, op, name, bytes, what, function)                                            \
	{ #name,                                                                                   \
	  MX_##enc,                                                                                \
	  op,                                                                                      \
	  bytes,                                                                                   \
	  .flags = what,                                                                           \
	  .handler = mx_exec_##enc,                                                                \
	  .rmw = mx_rmw_##function },
#include "opcodes.def"
};

size_t mx_op_count(void) {
	return sizeof mx_ops / sizeof *mx_ops;
}

const char *mx_op_name(size_t i) {
	return mx_ops[i].name;
}

static const struct mx_op *find(mx_encoding e, unsigned opcode) {
	for (size_t i = 0; i < mx_op_count(); i++)
		if (mx_ops[i].encoding == e && mx_ops[i].opcode == opcode)
			return &mx_ops[i];
	return NULL;
}

/* v_readlane and v_readfirstlane. */
static bool vector_to_scalar(const struct mx_op *op) {
	return op->d && !op->lanes && (op->encoding == MX_VOP1 || op->encoding == MX_VOP3);
}

/* VOP3 holds every VOPC, VOP2 and VOP1 opcode a second time [ISA 13.3.6]. */
static const struct mx_op *find_vop3(unsigned opcode) {
	if (opcode < 0x100)
		return find(MX_VOPC, opcode);
	if (opcode < 0x140) {
		const struct mx_op *op = find(MX_VOP2, opcode - 0x100);
		return op && op->flags & (MX_LITERAL_1 | MX_LITERAL_2) ? NULL : op;
	}
	if (opcode < 0x1c0) {
		const struct mx_op *op = find(MX_VOP1, opcode - 0x140);
		bool short_only =
			op && (vector_to_scalar(op) || op->flags & MX_TO_AGPR); /* [ISA 12.8] */
		return short_only ? NULL : op;
	}
	return find(MX_VOP3, opcode);
}

/* ---- fields ---- */

static uint32_t bits(uint32_t dword, unsigned high, unsigned low) {
	return dword >> low & (0xffffffffu >> (31 - (high - low)));
}

static int32_t sign_extend(uint32_t value, unsigned width) {
	return (int32_t)(value << (32 - width)) >> (32 - width);
}

/* ---- formats: each fills in what its encoding has ---- */

static void decode_sop(struct mx_inst *in, mx_encoding e) {
	uint32_t w = in->dwords[0];
	in->src[0] = bits(w, 7, 0);
	in->src[1] = bits(w, 15, 8);
	in->dst = bits(w, 22, 16);
	in->imm = (int16_t)w;
	in->op = e == MX_SOP2   ? find(e, bits(w, 29, 23))
	         : e == MX_SOPK ? find(e, bits(w, 27, 23))
	         : e == MX_SOP1 ? find(e, bits(w, 15, 8))
	                        : find(e, bits(w, 22, 16));
	if (e == MX_SOPK)
		in->src[0] = in->dst;
}

/* SDATA is in SGPRs or VCC, pairs even and larger groups at a multiple of four [ISA 3.6.3,
 * 8.4]. */
static bool smem_data_fits(const struct mx_inst *in) {
	unsigned first = in->mem.data, n = mx_smem_data_dwords(in), end = first + n;
	unsigned alignment = n > 2 ? 4 : n > 1 ? 2 : 1;
	return !n || (first % alignment == 0 &&
	              (end <= MX_SGPRS || (first >= MX_VCC && end <= MX_VCC + 2)));
}

static bool smem_base_fits(const struct mx_inst *in) {
	unsigned first = in->mem.rsrc, n = in->op->s[0];
	return n == 4 ? first % 4 == 0 && first + n <= MX_SGPRS : first != MX_M0;
}

static void decode_smem(struct mx_inst *in) {
	uint32_t w = in->dwords[0], x = in->dwords[1];
	in->op = find(MX_SMEM, bits(w, 25, 18));
	in->size = 8;
	in->mem.rsrc = bits(w, 5, 0) * 2;
	in->mem.data = bits(w, 12, 6);
	in->mem.glc = bits(w, 16, 16);
	bool soffset = bits(w, 14, 14), imm = bits(w, 17, 17);
	in->imm = imm ? sign_extend(bits(x, 20, 0), 21) : 0;
	in->mem.saddr = soffset || !imm;
	in->mem.soffset = soffset ? bits(x, 31, 25) : bits(x, 6, 0);
	if (in->op && !smem_data_fits(in))
		in->unsupported = "scalar memory with such data registers";
	else if (in->op && !smem_base_fits(in))
		in->unsupported = "scalar memory with such a base";
}

/* Sub-dword addressing: the dword after the instruction [ISA 13.3.7]. */
static void decode_sdwa(struct mx_inst *in, bool vopc) {
	uint32_t x = in->dwords[1];
	const struct mx_op *op = in->op;
	in->size = 8;
	in->sdwa.used = true;
	if (op && !op->lanes && op->handler != mx_exec_cvt && op->handler != mx_x_v_nop)
		in->unsupported = "SDWA of this opcode";
	in->sdwa.dst_sel = vopc ? 6 : bits(x, 10, 8);
	in->sdwa.dst_unused = bits(x, 12, 11);
	in->clamp = !vopc && bits(x, 13, 13);
	in->omod = vopc ? 0 : bits(x, 15, 14);
	for (unsigned i = 0; i < 2; i++) {
		uint32_t s = x >> (16 + 8 * i);
		in->sdwa.sel[i] = bits(s, 2, 0);
		in->sdwa.sext[i] = bits(s, 3, 3);
		in->neg |= bits(s, 4, 4) << i;
		in->abs |= bits(s, 5, 5) << i;
		bool scalar = bits(s, 7, 7);
		if (i == 0)
			in->src[0] = bits(x, 7, 0) + (scalar ? 0 : MX_VGPR);
		else if (scalar)
			in->src[1] -= MX_VGPR;
	}
	if (vopc && bits(x, 15, 15))
		in->sdst = bits(x, 14, 8);
}

/* Data-parallel primitives: source 0 comes from other lanes [ISA 13.3.9]. */
static void decode_dpp(struct mx_inst *in) {
	uint32_t x = in->dwords[1];
	const struct mx_op *op = in->op;
	in->size = 8;
	in->dpp.used = true;
	in->src[0] = MX_VGPR + bits(x, 7, 0);
	in->dpp.ctrl = bits(x, 16, 8);
	in->dpp.bound_zero = bits(x, 19, 19);
	in->neg = bits(x, 20, 20) | bits(x, 22, 22) << 1;
	in->abs = bits(x, 21, 21) | bits(x, 23, 23) << 1;
	in->dpp.bank_mask = bits(x, 27, 24);
	in->dpp.row_mask = bits(x, 31, 28);
	enum { ROW_NEWBCAST = 0x15 };
	if (op && !op->lanes && op->handler != mx_x_v_nop && !mx_is_cvt(op))
		in->unsupported = "DPP of this opcode";
	bool wide = op && (mx_is_cvt(op) ? mx_cvt_info(op->cvt).dst_dwords > 1
	                                 : op->d > 1 || op->s[0] > 1);
	if (wide && in->dpp.ctrl >> 4 != ROW_NEWBCAST)
		in->unsupported = "DPP_CTRL of a 64-bit operand"; /* [ISA 13.3.9] */
}

static void decode_vop_short(struct mx_inst *in, mx_encoding e) {
	uint32_t w = in->dwords[0];
	in->src[0] = bits(w, 8, 0);
	in->src[1] = MX_VGPR + bits(w, 16, 9);
	in->src[2] = MX_VCC;
	in->dst = MX_VGPR + bits(w, 24, 17);
	in->sdst = MX_VCC;
	in->op = e == MX_VOP1   ? find(e, bits(w, 16, 9))
	         : e == MX_VOPC ? find(e, bits(w, 24, 17))
	                        : find(e, bits(w, 30, 25));
	if (in->src[0] == MX_SDWA)
		decode_sdwa(in, e == MX_VOPC);
	else if (in->src[0] == MX_DPP)
		decode_dpp(in);
	if (in->op && in->op->flags & MX_LITERAL_1)
		in->src[2] = in->src[1], in->src[1] = MX_LITERAL;
	if (in->op && in->op->flags & MX_LITERAL_2)
		in->src[2] = MX_LITERAL;
}

static void decode_vop3(struct mx_inst *in) {
	uint32_t w = in->dwords[0], x = in->dwords[1];
	in->size = 8;
	in->op = find_vop3(bits(w, 25, 16));
	in->dst = MX_VGPR + bits(w, 7, 0);
	in->sdst = bits(w, 7, 0);
	in->clamp = bits(w, 15, 15);
	in->abs = bits(w, 10, 8);
	in->op_sel = bits(w, 14, 11);
	in->omod = bits(x, 28, 27);
	in->neg = bits(x, 31, 29);
	for (unsigned i = 0; i < 3; i++)
		in->src[i] = bits(x, 9 * i + 8, 9 * i);
	if (!in->op)
		return;
	if (in->op->flags & MX_CARRY_OUT) { /* VOP3B: SDST where ABS and OP_SEL are */
		in->sdst = bits(w, 14, 8);
		in->abs = in->op_sel = 0;
	}
}

/* MAI, alone or behind the 8 bytes of a scale prefix (v_mfma_ld_scale_b32). */
static void decode_mai(struct mx_inst *in, const uint32_t *p) {
	uint32_t w = p[0], x = p[1];
	in->size += 8;
	in->op = find(MX_MAI, bits(w, 22, 16));
	in->mai.cbsz = bits(w, 10, 8);
	in->mai.abid = bits(w, 14, 11);
	in->mai.blgp = bits(x, 31, 29);
	in->mai.dense = in->op ? mx_dense_by_name(in->op->name) : NULL;
	in->mai.sparse = in->op ? mx_sparse_by_name(in->op->name) : NULL;
	uint16_t cd = bits(w, 15, 15) ? MX_AGPR : MX_VGPR;
	in->dst = cd + bits(w, 7, 0);
	for (unsigned i = 0; i < 3; i++) {
		in->src[i] = bits(x, 9 * i + 8, 9 * i);
		bool acc = i < 2 ? bits(x, 27 + i, 27 + i) : cd == MX_AGPR && !in->mai.sparse;
		if (acc && in->src[i] >= MX_VGPR)
			in->src[i] += MX_AGPR - MX_VGPR;
	}
}

static void decode_matrix(struct mx_inst *in, size_t left) {
	enum { LD_SCALE = 0x2c };
	uint32_t w = in->dwords[0], x = in->dwords[1];
	if (bits(w, 22, 16) != LD_SCALE) {
		in->size = 0;
		decode_mai(in, in->dwords);
		return;
	}
	in->size = 8;
	if (left < 4)
		return;
	decode_mai(in, in->dwords + 2);
	if (in->op && (in->mai.dense || in->mai.sparse || in->op->lanes))
		in->op = NULL; /* only the F8F6F4 forms have scales */
	in->mai.scaled = true;
	for (unsigned i = 0; i < 2; i++) {
		in->mai.scale[i] = bits(x, 9 * i + 8, 9 * i);
		in->mai.byte[i] = bits(w, 11 + i, 11 + i) | bits(x, 27 + i, 27 + i) << 1;
	}
	if (bits(w, 10, 8) || bits(x, 31, 29))
		in->unsupported = "NEG or ABS on C";
}

/* Packed math: a second OP_SEL, and NEG of the second element where VOP3 has ABS. */
static void decode_packed(struct mx_inst *in) {
	uint32_t w = in->dwords[0], x = in->dwords[1];
	in->size = 8;
	in->dst = MX_VGPR + bits(w, 7, 0);
	in->clamp = bits(w, 15, 15);
	in->abs = bits(w, 10, 8);
	in->op_sel = bits(w, 13, 11);
	in->op_sel_hi = bits(x, 28, 27) | bits(w, 14, 14) << 2;
	in->neg = bits(x, 31, 29);
	for (unsigned i = 0; i < 3; i++)
		in->src[i] = bits(x, 9 * i + 8, 9 * i);
}

static void decode_vop3p(struct mx_inst *in, size_t left) {
	in->op = find(MX_VOP3P, bits(in->dwords[0], 22, 16));
	if (in->op)
		decode_packed(in);
	else
		decode_matrix(in, left);
}

static uint16_t data_register(uint32_t code, bool acc) {
	return code + (acc ? MX_AGPR : MX_VGPR);
}

/* Data of 64 bits or more begins in an even register, but for one [ISA 11.4]. */
static bool ds_register_is_odd(const struct mx_inst *in) {
	enum { READ_B96_TR_B6 = 225 };
	uint64_t flags = in->op->flags;
	bool wide = in->op->d > 4;
	return in->op->opcode != READ_B96_TR_B6 &&
	       ((flags & MX_LOAD && (wide || flags & MX_TWO) && in->dst % 2) ||
	        (flags & MX_STORE && wide && in->mem.data % 2) ||
	        (flags & MX_STORE && wide && flags & (MX_TWO | MX_SECOND) && in->src[1] % 2));
}

static void decode_ds(struct mx_inst *in) {
	uint32_t w = in->dwords[0], x = in->dwords[1];
	bool acc = bits(w, 25, 25);
	in->size = 8;
	in->op = find(MX_DS, bits(w, 24, 17));
	if (bits(w, 16, 16))
		in->unsupported = "GDS";
	in->mem.addr = MX_VGPR + bits(x, 7, 0);
	in->mem.data = data_register(bits(x, 15, 8), acc);
	in->src[1] = data_register(bits(x, 23, 16), acc);
	in->dst = data_register(bits(x, 31, 24), acc);
	in->imm = bits(w, 15, 0);
	in->mem.offset1 = bits(w, 15, 8);
	if (in->op && ds_register_is_odd(in))
		in->unsupported = "odd register for 64 bits or more";
}

/* Registers of 64 bits or more begin at an even one. */
static void check_even(struct mx_inst *in) {
	const struct mx_op *op = in->op;
	if (!op || op->flags & MX_FORMAT || in->mem.lds)
		return;
	bool wide = op->d > 4, two = in->mem.addr % 2 && op->encoding < MX_MUBUF &&
	                             op->encoding != MX_SCRATCH && !in->mem.saddr;
	bool odd = (wide || op->flags & MX_SECOND) && in->mem.data % 2;
	if (two || odd || (wide && op->rmw && in->mem.sc0 && in->dst % 2))
		in->unsupported = "odd register for 64 bits or more";
}

static void decode_flat(struct mx_inst *in) {
	static const mx_encoding segment[] = { MX_FLAT, MX_SCRATCH, MX_GLOBAL, MX_ENCODINGS };
	uint32_t w = in->dwords[0], x = in->dwords[1];
	enum { NO_SADDR = 0x7f };
	mx_encoding e = segment[bits(w, 15, 14)];
	bool acc = bits(x, 23, 23);
	in->size = 8;
	in->op = find(e, bits(w, 24, 18));
	in->imm = e == MX_FLAT ? (int32_t)bits(w, 11, 0) : sign_extend(bits(w, 12, 0), 13);
	in->mem.vaddr = bits(w, 13, 13);
	in->mem.sc0 = bits(w, 16, 16);
	in->mem.addr = MX_VGPR + bits(x, 7, 0);
	in->mem.data = data_register(bits(x, 15, 8), acc);
	in->mem.rsrc = bits(x, 22, 16);
	in->mem.saddr = e != MX_FLAT && in->mem.rsrc != NO_SADDR;
	in->dst = data_register(bits(x, 31, 24), acc);
	if (in->op && in->op->flags & MX_LOAD)
		in->mem.data = in->dst;
	in->mem.lds = in->op && in->op->flags & MX_TO_LDS;
	check_even(in);
}

static void decode_buffer(struct mx_inst *in, mx_encoding e) {
	uint32_t w = in->dwords[0], x = in->dwords[1];
	in->size = 8;
	in->op = find(e, e == MX_MUBUF ? bits(w, 24, 18) : bits(w, 18, 15));
	in->imm = bits(w, 11, 0);
	in->mem.offen = bits(w, 12, 12);
	in->mem.idxen = bits(w, 13, 13);
	in->mem.sc0 = bits(w, 14, 14);
	in->mem.lds = e == MX_MUBUF && bits(w, 16, 16);
	in->mem.format = bits(w, 25, 19); /* MTBUF */
	in->mem.addr = MX_VGPR + bits(x, 7, 0);
	in->mem.data = in->dst = data_register(bits(x, 15, 8), bits(x, 23, 23));
	in->mem.rsrc = bits(x, 20, 16) * 4;
	in->mem.soffset = bits(x, 31, 24);
	check_even(in);
	if (in->mem.soffset == MX_LITERAL)
		in->unsupported = "literal SOFFSET";
}

/* ---- which format ---- */

/* A literal constant follows a 32-bit instruction where a source asks for it;
 * the 64-bit formats have none. */
static void take_literal(struct mx_inst *in) {
	if (in->op->handler == mx_x_s_setreg_imm32_b32) { /* the one of SOPK */
		in->literal = in->dwords[1];
		in->size = 8;
	}
	for (unsigned i = 0; i < 3; i++)
		if (in->op->s[i] && in->src[i] == MX_LITERAL) {
			in->literal = in->dwords[1];
			if (in->size == 4)
				in->size = 8;
			else
				in->op = NULL;
			return;
		}
}

/* Of two packed dwords a constant is the lower one, which compilers choose twice; what the upper
 * one is nobody says. v_pk_mov_b32, which has no floats, has no use for OP_SEL_HI. */
static bool takes_upper_constant(const struct mx_inst *in) {
	bool takes = false;
	for (unsigned i = 0; i < 3; i++) {
		const struct mx_type_info *t = &mx_operand_types[in->op->source_type[i]];
		bool pair = t->elements == 2 && t->bits == 32;
		bool constant = in->src[i] > MX_INT_0 && in->src[i] < MX_VGPR;
		unsigned upper = in->op_sel | (t->is_float ? in->op_sel_hi : 0);
		takes |= pair && constant && upper >> i & 1;
	}
	return takes;
}

/* Which modifiers the types of the operands give a meaning to; the rest stop. */
static const char *meaningless_modifier(const struct mx_inst *in) {
	const struct mx_op *op = in->op;
	const struct mx_type_info *d = &mx_operand_types[op->type];
	unsigned signs = 0, whole = 0, halves = d->bits == 16 && d->elements == 1 ? 8 : 0;
	for (unsigned i = 0; i < 3; i++) {
		const struct mx_type_info *t = &mx_operand_types[op->source_type[i]];
		bool packed = t->elements == 2;
		signs |= (t->is_float || op->flags & MX_NEG_ABS) << i;
		halves |= (packed ? op->encoding == MX_VOP3P : t->bits == 16) << i;
		whole |= (op->encoding == MX_VOP3P && t->elements == 1 && op->s[i]) << i;
	}
	for (unsigned i = 0; op->flags & MX_OP_SEL && i < 3; i++)
		if (in->src[i] >= MX_FLOAT_0_5 && in->src[i] <= MX_FLOAT_1_2PI)
			return "inline float of either format";
	if (op->flags & MX_OP_SEL)
		signs = halves = 0xf, whole = 0;
	bool exceptions_only = op->handler == mx_exec_vcmp; /* [ISA 6.5] */
	if (in->clamp && !d->is_float && !(op->flags & MX_CLAMPS) && !exceptions_only)
		return "clamp";
	if (op->flags & MX_TRUTH)
		return in->op_sel & ~halves ? "op_sel" : NULL;
	if (in->omod && d->is_float && d->elements > 1) /* of others it is ignored [ISA 6.2.2] */
		return "omod";
	if (in->op_sel & ~halves)
		return "op_sel";
	bool many = mx_operand_types[op->source_type[0]].elements > 2;
	if (~in->op_sel_hi & whole && !many)
		return "op_sel_hi";
	if (takes_upper_constant(in))
		return "the upper dword of a constant";
	return (in->neg | in->abs) & ~signs ? "neg or abs of what is no float" : NULL;
}

/* Whether sources are taken as they stand: no lane, half or sign of them changes. */
static bool is_plain(const struct mx_inst *in) {
	bool signs = (in->neg || in->abs) && !(in->op->flags & MX_TRUTH);
	bool changes = in->sdwa.used || in->dpp.used || signs || in->op_sel & 7;
	if (in->op->encoding == MX_VOP3P)
		for (unsigned i = 0; i < 3; i++)
			changes |= mx_operand_types[in->op->source_type[i]].elements == 2 &&
			           !(in->op_sel_hi >> i & 1);
	return !changes;
}

static void finish_valu(struct mx_inst *in) {
	const char *modifier = meaningless_modifier(in);
	if (modifier)
		in->unsupported = modifier;
	if (in->op->flags & MX_READS_D)
		in->src[2] = in->dst;
	if (in->op->flags & MX_D16_HI)
		in->op_sel |= 8;
	in->plain = is_plain(in);
}

/* Moves between register files: the opcode says which one each side is in. */
static void choose_files(struct mx_inst *in) {
	uint64_t flags = in->op->flags;
	if (vector_to_scalar(in->op))
		in->dst -= MX_VGPR;
	if (!(flags & (MX_TO_AGPR | MX_FROM_AGPR)))
		return;
	in->dst = data_register(in->dst & 255, flags & MX_TO_AGPR);
	if (in->src[0] >= MX_VGPR)
		in->src[0] = data_register(in->src[0] & 255, flags & MX_FROM_AGPR);
}

/* A pair of SGPRs begins at an even one [ISA 5.2]. */
static bool is_odd(unsigned code) {
	return code < MX_SGPR_FILE && code % 2;
}

/* Why scalar registers from `code` may not be written, or NULL. */
static const char *unwritable(unsigned code, unsigned dwords) {
	if (code + dwords > MX_SGPR_FILE)
		return "scalar destination beyond the SGPRs";
	if (code + dwords > MX_TTMP0 && code < MX_M0)
		return "write of a trap handler's register";
	if (code + dwords > MX_FLAT_SCRATCH && code < MX_VCC)
		return "write of FLAT_SCRATCH or XNACK_MASK";
	bool reserved = code + dwords > MX_M0 + 1 && code < MX_EXEC;
	return reserved ? "write of a reserved register" : NULL;
}

static void check_scalars(struct mx_inst *in) {
	const struct mx_op *op = in->op;
	bool mask = op->handler == mx_exec_vcmp || op->flags & MX_CARRY_OUT;
	bool to_scalar = op->encoding <= MX_SOPP || vector_to_scalar(op);
	bool odd = (mask && is_odd(in->sdst)) || (op->flags & MX_CARRY_IN && is_odd(in->src[2])) ||
	           (op->d == 2 && op->encoding <= MX_SOPP && is_odd(in->dst)) ||
	           (in->mem.saddr && op->encoding == MX_GLOBAL && is_odd(in->mem.rsrc));
	for (unsigned i = 0; i < 3; i++)
		odd |= op->s[i] == 2 && is_odd(in->src[i]);
	const char *wrong = odd                  ? "odd pair of SGPRs"
	                    : mask               ? unwritable(in->sdst, 2)
	                    : to_scalar && op->d ? unwritable(in->dst, op->d)
	                                         : NULL;
	if (wrong)
		in->unsupported = wrong;
}

/* ---- the SGPRs that an instruction names ---- */

static void name_sgprs(struct mx_inst *in, unsigned first, unsigned n) {
	if (first < MX_SGPRS && first + n > in->sgprs)
		in->sgprs = (uint8_t)(first + n);
}

static void count_sgprs(struct mx_inst *in) {
	const struct mx_op *op = in->op;
	bool memory = op->encoding == MX_SMEM || op->encoding >= MX_DS;
	for (unsigned i = 0; i < 3 && !memory; i++)
		if (op->s[i])
			name_sgprs(in, in->src[i], op->s[i]);
	if (op->handler == mx_exec_vcmp || op->flags & MX_CARRY_OUT)
		name_sgprs(in, in->sdst, 2);
	else if (op->d && (op->encoding <= MX_SOPP || vector_to_scalar(op)))
		name_sgprs(in, in->dst, op->d);
	if (op->encoding == MX_SMEM) {
		name_sgprs(in, in->mem.data, mx_smem_data_dwords(in));
		name_sgprs(in, in->mem.rsrc, op->s[0]);
	}
	if (op->encoding == MX_MUBUF)
		name_sgprs(in, in->mem.rsrc, 4);
	if (op->encoding == MX_MUBUF || (op->encoding == MX_SMEM && in->mem.saddr))
		name_sgprs(in, in->mem.soffset, 1);
	if (op->encoding == MX_GLOBAL && in->mem.saddr)
		name_sgprs(in, in->mem.rsrc, 2);
}

/* Operands of several VGPRs begin at an even one [ISA 6.7; LLVM needsAlignedVGPRs]. */
static bool is_odd_tuple(unsigned code, unsigned n) {
	return n > 1 && code >= MX_VGPR && code % 2;
}

static void check_vectors(struct mx_inst *in) {
	const struct mx_op *op = in->op;
	bool odd = is_odd_tuple(in->dst, op->d), overlap = false;
	for (unsigned i = 0; i < 3; i++) {
		odd |= is_odd_tuple(in->src[i], op->s[i]);
		overlap |= in->src[i] < in->dst + op->d && in->dst < in->src[i] + op->s[i];
	}
	if (odd)
		in->unsupported = "odd first VGPR of several";
	if (overlap && op->flags & MX_NO_OVERLAP)
		in->unsupported = "a destination that overlaps a source";
}

static void decode_format(struct mx_inst *in, size_t left) {
	uint32_t w = in->dwords[0];
	if (bits(w, 31, 31) == 0)
		decode_vop_short(in, bits(w, 31, 25) == 0x3f   ? MX_VOP1
		                     : bits(w, 31, 25) == 0x3e ? MX_VOPC
		                                               : MX_VOP2);
	else if (bits(w, 31, 23) == 0x17d)
		decode_sop(in, MX_SOP1);
	else if (bits(w, 31, 23) == 0x17e)
		decode_sop(in, MX_SOPC);
	else if (bits(w, 31, 23) == 0x17f)
		decode_sop(in, MX_SOPP);
	else if (bits(w, 31, 28) == 0xb)
		decode_sop(in, MX_SOPK);
	else if (bits(w, 31, 30) == 2)
		decode_sop(in, MX_SOP2);
	else if (left < 2)
		return;
	else if (bits(w, 31, 26) == 0x30)
		decode_smem(in);
	else if (bits(w, 31, 23) == 0x1a7)
		decode_vop3p(in, left);
	else if (bits(w, 31, 26) == 0x34)
		decode_vop3(in);
	else if (bits(w, 31, 26) == 0x36)
		decode_ds(in);
	else if (bits(w, 31, 26) == 0x37)
		decode_flat(in);
	else if (bits(w, 31, 26) == 0x38)
		decode_buffer(in, MX_MUBUF);
	else if (bits(w, 31, 26) == 0x3a)
		decode_buffer(in, MX_MTBUF);
}

void mx_decode(const uint32_t *code, size_t left, uint32_t offset, struct mx_inst *in) {
	*in = (struct mx_inst){ .offset = offset, .size = 4 };
	memcpy(in->dwords, code, 4 * (left < 4 ? left : 4));
	decode_format(in, left);
	if (!in->op)
		return;
	take_literal(in);
	if (in->op) {
		choose_files(in);
		check_scalars(in);
	}
	if (in->op && (in->op->lanes || in->op->handler == mx_exec_mfma))
		check_vectors(in);
	if (in->op && in->op->lanes)
		finish_valu(in);
	if (in->op)
		count_sgprs(in);
	if (in->size > 4 * left)
		in->op = NULL;
	if (in->op && !in->unsupported && !mx_text_exists(code, left))
		in->unsupported = "an encoding that LLVM does not know";
}
