/* Fields of the vector ALU formats, with SDWA and DPP, and of matrix instructions [ISA 13.3]. */
#include "decode.h"

/* Opcodes that may have SDWA or DPP: those with a lane function, conversions and v_nop. */
static bool is_by_lanes(const struct mx_op *op) {
	return mx_has_lanes(op) || mx_is_cvt(op) || op->id == MX_OP_v_nop;
}

/* Sub-dword addressing: the dword after the instruction [ISA 13.3.7]. */
static void decode_sdwa(struct mx_inst *in, bool vopc) {
	uint32_t x = in->dwords[1];
	const struct mx_op *op = in->op;
	in->size = 8;
	in->sdwa.used = true;
	if (!is_by_lanes(op))
		in->unsupported = "SDWA of this opcode";
	in->sdwa.dst_sel = vopc ? 6 : mx_bits(x, 10, 8);
	in->sdwa.dst_unused = mx_bits(x, 12, 11);
	in->clamp = !vopc && mx_bits(x, 13, 13);
	in->omod = vopc ? 0 : mx_bits(x, 15, 14);
	for (unsigned i = 0; i < 2; i++) {
		uint32_t s = x >> (16 + 8 * i);
		in->sdwa.sel[i] = mx_bits(s, 2, 0);
		in->sdwa.sext[i] = mx_bits(s, 3, 3);
		in->neg |= mx_bits(s, 4, 4) << i;
		in->abs |= mx_bits(s, 5, 5) << i;
	}
}

/* Data-parallel primitives: source 0 comes from other lanes [ISA 13.3.9]. */
static void decode_dpp(struct mx_inst *in) {
	uint32_t x = in->dwords[1];
	const struct mx_op *op = in->op;
	in->size = 8;
	in->dpp.used = true;
	in->dpp.ctrl = mx_bits(x, 16, 8);
	in->dpp.bound_zero = mx_bits(x, 19, 19);
	in->neg = mx_bits(x, 20, 20) | mx_bits(x, 22, 22) << 1;
	in->abs = mx_bits(x, 21, 21) | mx_bits(x, 23, 23) << 1;
	in->dpp.bank_mask = mx_bits(x, 27, 24);
	in->dpp.row_mask = mx_bits(x, 31, 28);
	enum { ROW_NEWBCAST = 0x15 };
	if (!is_by_lanes(op))
		in->unsupported = "DPP of this opcode";
	bool wide = mx_is_cvt(op) ? mx_cvt_info(op->cvt).dst_dwords > 1 : op->d > 1 || op->s[0] > 1;
	if (wide && in->dpp.ctrl >> 4 != ROW_NEWBCAST)
		in->unsupported = "DPP_CTRL of a 64-bit operand"; /* [ISA 13.3.9] */
}

void mx_decode_vop_short(struct mx_inst *in) {
	uint32_t src0 = mx_bits(in->dwords[0], 8, 0);
	if (src0 == MX_SDWA)
		decode_sdwa(in, in->op->encoding == MX_VOPC);
	else if (src0 == MX_DPP)
		decode_dpp(in);
}

void mx_decode_vop3(struct mx_inst *in) {
	uint32_t w = in->dwords[0], x = in->dwords[1];
	in->size = 8;
	in->clamp = mx_bits(w, 15, 15);
	in->abs = mx_bits(w, 10, 8);
	in->op_sel = mx_bits(w, 14, 11);
	in->omod = mx_bits(x, 28, 27);
	in->neg = mx_bits(x, 31, 29);
	if (in->op->flags & MX_CARRY_OUT) /* VOP3B: SDST has the bits of ABS and OP_SEL */
		in->abs = in->op_sel = 0;
}

/* Finds the arithmetic of a matrix opcode, at its first use. Threads may find the same. */
static void find_matrix(const struct mx_op *op, struct mx_inst *in) {
	static struct {
		_Atomic(bool) known;
		_Atomic(const struct mx_dense *) dense;
		_Atomic(const struct mx_sparse *) sparse;
	} matrix[MX_OPS], *m;
	m = &matrix[op->id];
	if (!m->known) {
		m->dense = mx_dense_by_name(op->name);
		m->sparse = mx_sparse_by_name(op->name);
		m->known = true;
	}
	in->mai.dense = m->dense;
	in->mai.sparse = m->sparse;
}

/* A MAI instruction, alone or after the 8 bytes of a scale prefix (v_mfma_ld_scale_b32). */
static void decode_mai(struct mx_inst *in, const uint32_t *p) {
	uint32_t w = p[0], x = p[1];
	in->size += 8;
	in->mai.cbsz = mx_bits(w, 10, 8);
	in->mai.abid = mx_bits(w, 14, 11);
	in->mai.blgp = mx_bits(x, 31, 29);
	find_matrix(in->op, in);
}

void mx_decode_matrix(struct mx_inst *in) {
	in->size = 0;
	decode_mai(in, in->dwords);
}

/* A matrix instruction with a prefix that names the scales. */
void mx_decode_scaled(struct mx_inst *in) {
	uint32_t w = in->dwords[0], x = in->dwords[1];
	in->size = 8;
	decode_mai(in, in->dwords + 2);
	in->mai.scaled = true;
	for (unsigned i = 0; i < 2; i++)
		in->mai.byte[i] = mx_bits(w, 11 + i, 11 + i) | mx_bits(x, 27 + i, 27 + i) << 1;
	if (mx_bits(w, 10, 8) || mx_bits(x, 31, 29))
		in->unsupported = "NEG or ABS on C";
}

/* Packed math has OP_SEL_HI for the second element. NEG of the second element has the bits of
 * VOP3's ABS. */
void mx_decode_packed(struct mx_inst *in) {
	uint32_t w = in->dwords[0], x = in->dwords[1];
	in->size = 8;
	in->clamp = mx_bits(w, 15, 15);
	in->abs = mx_bits(w, 10, 8);
	in->op_sel = mx_bits(w, 13, 11);
	in->op_sel_hi = mx_bits(x, 28, 27) | mx_bits(w, 14, 14) << 2;
	in->neg = mx_bits(x, 31, 29);
}
