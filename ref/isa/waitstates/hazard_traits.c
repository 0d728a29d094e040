/* What of an instruction matters to wait states: its classes, registers and passes. */
#include <string.h>

#include "../encoding/operands.h"
#include "hazard.h"

#define IN(class) (1ull << MX_CLASS_##class)

static bool begins(const struct mx_op *op, const char *prefix) {
	return !strncmp(op->name, prefix, strlen(prefix));
}

static bool is(const struct mx_op *op, const char *name) {
	return !strcmp(op->name, name);
}

static bool is_matrix(const struct mx_inst *in) {
	return in->op->encoding == MX_MAI && !in->op->lanes;
}

static bool is_vmem(const struct mx_op *op) {
	return op->encoding > MX_DS;
}

unsigned mx_matrix_passes(const struct mx_inst *in) {
	enum { F6 = 2 }; /* the first format code of CBSZ and BLGP that is no F8 */
	if (!in->op || !is_matrix(in))
		return 0;
	const struct mx_dense *d = in->mai.dense;
	unsigned m = d ? d->m : in->mai.sparse ? in->mai.sparse->m : in->op->d == 4 ? 16 : 32;
	if (m == 4)
		return d->d == MX_T_F64 ? 4 : 2;
	if (d && d->d == MX_T_F64)
		return 16;
	bool slow = d ? d->a == MX_T_F32 || d->blocks > 1
	              : !in->mai.sparse && (in->mai.cbsz < F6 || in->mai.blgp < F6);
	return slow ? m / 2 : m / 4;
}

unsigned mx_wait_states(const struct mx_inst *in) {
	return is(in->op, "s_nop") ? (in->imm & 15) + 1u : 1;
}

/* ---- registers ---- */

static void add(struct mx_hazard_traits *f, mx_hazard_operand operand, unsigned code, unsigned n) {
	if (n && f->n < MX_HAZARD_RANGES)
		f->range[f->n++] = (struct mx_hazard_range){ operand, (uint8_t)n, (uint16_t)code };
}

static bool is_vector(unsigned code) {
	return code >= MX_VGPR;
}

static void add_matrix(struct mx_hazard_traits *f) {
	const struct mx_inst *in = f->in;
	const struct mx_op *op = in->op;
	add(f, MX_OPERAND_D, in->dst, op->d);
	if (in->mai.sparse) { /* C is the destination, source 2 holds indices */
		add(f, MX_OPERAND_C, in->dst, op->d);
		add(f, MX_OPERAND_AB, in->src[2], 1);
	} else if (is_vector(in->src[2]))
		add(f, MX_OPERAND_C, in->src[2], op->s[2]);
	for (unsigned i = 0; i < 2; i++) {
		bool mixed = !in->mai.dense && !in->mai.sparse;
		unsigned n = mixed ? mx_operand_vgprs(i ? in->mai.blgp : in->mai.cbsz) : op->s[i];
		add(f, MX_OPERAND_AB, in->src[i], n);
		if (in->mai.scaled && is_vector(in->mai.scale[i]))
			add(f, MX_OPERAND_AB, in->mai.scale[i], 1);
	}
}

/* Which group a use of the vector ALU is in; of dot products those that forwarding tells apart. */
static void add_read(struct mx_hazard_traits *f, const struct mx_use *u) {
	if (is_vector(u->code)) {
		add(f, MX_OPERAND_V, u->code, u->dwords);
		if (f->classes & IN(DOT) && u->role[0] == 's' && strcmp(u->role, "src2"))
			add(f, MX_OPERAND_AB, u->code, u->dwords);
	} else if (!strcmp(u->role, "mask"))
		add(f, MX_OPERAND_MASK, u->code, u->dwords);
	else if (u->code < MX_SGPR_FILE && strcmp(u->role, "exec"))
		add(f, MX_OPERAND_K, u->code, u->dwords);
}

static void add_alu_reads(struct mx_hazard_traits *f) {
	struct mx_use use[MX_MAX_USES];
	const struct mx_inst *in = f->in;
	size_t n = mx_uses(in, use);
	for (size_t i = 0; i < n; i++)
		add_read(f, &use[i]);
	for (unsigned i = 0; i < 3; i++)
		if (in->op->s[i] && (in->src[i] == MX_VCCZ || in->src[i] == MX_EXECZ))
			add(f, MX_OPERAND_ZERO, in->src[i] == MX_VCCZ ? MX_VCC : MX_EXEC, 2);
	if (f->classes & IN(LANE) && in->src[1] < MX_SGPR_FILE)
		add(f, MX_OPERAND_LANE, in->src[1], 1);
}

static void add_alu_writes(struct mx_hazard_traits *f) {
	const struct mx_inst *in = f->in;
	const struct mx_op *op = in->op;
	bool compares = op->flags & MX_MASK_ONLY;
	if (f->classes & (IN(READLANE) | IN(READFIRST)))
		add(f, MX_OPERAND_S, in->dst, 1);
	else if (mx_is_cvt(op))
		add(f, MX_OPERAND_D, in->dst, mx_cvt_info(op->cvt).dst_dwords);
	else if (!compares)
		add(f, MX_OPERAND_D, in->dst, op->d ? op->d : is_vector(in->dst) && op->s[0]);
	if (strstr(op->name, "_swap_")) {
		add(f, MX_OPERAND_D, in->src[0], 1);
		add(f, MX_OPERAND_V, in->dst, 1);
	}
	if (compares || op->flags & MX_CARRY_OUT)
		add(f, MX_OPERAND_S, in->sdst, 2);
	if (op->flags & MX_EXEC_OUT)
		add(f, MX_OPERAND_S, MX_EXEC, 2);
}

static bool overlap(const struct mx_use *a, const struct mx_use *b) {
	return a->code < b->code + b->dwords && b->code < a->code + a->dwords;
}

static void add_memory_read(struct mx_hazard_traits *f, const struct mx_use *u,
                            const struct mx_use *to) {
	bool data = !strncmp(u->role, "data", 4), scalar = f->in->op->encoding == MX_SMEM;
	if (is_vector(u->code)) {
		add(f, MX_OPERAND_V, u->code, u->dwords);
		if (data && f->classes & IN(STORE))
			add(f, MX_OPERAND_DATA, u->code, u->dwords);
	} else
		add(f, MX_OPERAND_K, u->code, u->dwords);
	if (overlap(u, to))
		f->classes |= scalar ? IN(SELF_SMEM) : f->classes & IN(VMEM) ? IN(SELF_VMEM) : 0;
}

static void add_memory(struct mx_hazard_traits *f) {
	struct mx_use use[MX_MAX_USES], to = mx_load_target(f->in);
	size_t n = mx_uses(f->in, use);
	for (size_t i = 0; i < n; i++)
		add_memory_read(f, &use[i], &to);
	if (f->in->op->flags & MX_ADDTID)
		add(f, MX_OPERAND_K, MX_M0, 1);
	add(f, is_vector(to.code) ? MX_OPERAND_D : MX_OPERAND_S, to.code, to.dwords);
}

/* ---- classes ---- */

/* Results that another forwarding path shifts: SDWA and OP_SEL of the destination. */
static bool shifts_result(const struct mx_inst *in) {
	enum { WHOLE = 6 };
	if (in->sdwa.used)
		return in->sdwa.dst_sel != WHOLE;
	if (mx_is_cvt(in->op))
		return in->op_sel & 12;
	return in->op->encoding <= MX_VOP3 && in->op_sel & 8 && !(in->op->flags & MX_D16_HI);
}

/* [ISA 4.5, table 12] */
static bool is_trans(const struct mx_op *op) {
	static const char *const names[] = { "v_exp_",  "v_log_", "v_rcp_", "v_rsq_",
		                             "v_sqrt_", "v_sin_", "v_cos_" };
	for (size_t i = 0; i < sizeof names / sizeof *names; i++)
		if (begins(op, names[i]))
			return true;
	return false;
}

static uint64_t alu_classes(const struct mx_inst *in) {
	const struct mx_op *op = in->op;
	bool dot = begins(op, "v_dot");
	uint64_t c = IN(VALU) | IN(VECTOR) | (dot ? IN(DOT) : IN(NOT_DOT));
	c |= is_trans(op) ? IN(TRANS) : IN(NOT_TRANS);
	c |= shifts_result(in) ? IN(SHIFTS) : 0;
	c |= op->encoding == MX_VOP3P && in->op_sel_hi & 1 ? IN(PACKED) : 0;
	c |= op->flags & MX_EXEC_OUT ? IN(CMPX) : 0;
	c |= in->dpp.used ? IN(DPP) : 0;
	c |= begins(op, "v_permlane") ? IN(PERMLANE) : 0;
	c |= is(op, "v_readlane_b32") ? IN(READLANE) | IN(LANE) : 0;
	c |= is(op, "v_writelane_b32") ? IN(WRITELANE) | IN(LANE) : 0;
	c |= is(op, "v_readfirstlane_b32") ? IN(READFIRST) : 0;
	c |= begins(op, "v_div_fmas") ? IN(DIV_FMAS) : 0;
	c |= is(op, "v_fma_f64") || is(op, "v_fmac_f64") ? IN(FMA_F64) : 0;
	return c;
}

static uint64_t matrix_classes(const struct mx_inst *in) {
	const struct mx_dense *d = in->mai.dense;
	uint64_t c = IN(MATRIX) | IN(VECTOR);
	if (!d || (d->a != MX_T_F32 && d->a != MX_T_F64))
		return c | IN(XDL);
	if (d->a == MX_T_F32)
		return c | IN(GEMM) | IN(SGEMM);
	return c | IN(GEMM) | IN(DGEMM) | (d->m == 4 ? IN(DGEMM_4) : IN(DGEMM_16));
}

/* Data of more than 64 bits; a buffer operation with an SGPR as SOFFSET is exempt. */
static bool is_wide_store(const struct mx_inst *in) {
	const struct mx_op *op = in->op;
	bool buffer = op->encoding == MX_MUBUF || op->encoding == MX_MTBUF;
	unsigned dwords = 0;
	struct mx_use use[MX_MAX_USES];
	size_t n = mx_uses(in, use);
	for (size_t i = 0; i < n; i++)
		if (!strncmp(use[i].role, "data", 4))
			dwords += use[i].dwords;
	return dwords > 2 && !(buffer && in->mem.soffset < MX_SGPR_FILE);
}

static uint64_t memory_classes(const struct mx_inst *in) {
	const struct mx_op *op = in->op;
	uint64_t c = IN(MEMORY) | IN(VECTOR);
	if (op->flags & MX_ADDTID)
		c |= IN(ADDTID);
	if (!is_vmem(op))
		return c;
	if (in->mem.lds)
		c |= op->encoding == MX_MUBUF ? IN(BUFFER_DMA) : IN(FLAT_DMA);
	if (op->flags & MX_STORE || in->mem.lds)
		c |= IN(VSTORE);
	return c | IN(VMEM) | (is_wide_store(in) ? IN(STORE) : 0);
}

/* ---- scalar instructions ---- */

enum { HW_MODE = 1, HW_TRAPSTS = 3, VSKIP_BIT = 28 };

static unsigned hwreg(const struct mx_inst *in) {
	return in->imm & 63;
}

static bool sets_vskip(const struct mx_inst *in) {
	unsigned from = in->imm >> 6 & 31, size = (in->imm >> 11 & 31) + 1;
	return hwreg(in) == HW_MODE && from <= VSKIP_BIT && from + size > VSKIP_BIT;
}

static void make_scalar(struct mx_hazard_traits *f) {
	const struct mx_inst *in = f->in;
	const struct mx_op *op = in->op;
	f->classes = IN(SALU);
	if (begins(op, "s_setreg")) {
		f->classes |= IN(SETREG) | (sets_vskip(in) ? IN(SET_MODE_VSKIP) : 0) |
		              (hwreg(in) == HW_TRAPSTS ? IN(SET_TRAPSTS) : 0);
		add(f, MX_OPERAND_HW, hwreg(in), 1);
	} else if (begins(op, "s_getreg")) {
		f->classes |= IN(GETREG);
		add(f, MX_OPERAND_HW, hwreg(in), 1);
	} else if (begins(op, "s_setvskip")) {
		f->classes |= IN(SETVSKIP);
		add(f, MX_OPERAND_HW, HW_MODE, 1);
	} else if (begins(op, "s_sendmsg") || begins(op, "s_ttracedata")) {
		f->classes |= IN(SENDMSG);
		add(f, MX_OPERAND_K, MX_M0, 1);
	} else if (begins(op, "s_movrel")) {
		f->classes |= IN(MOVREL);
		add(f, MX_OPERAND_K, MX_M0, 1);
	} else if (begins(op, "s_rfe"))
		f->classes |= IN(RFE);
	if (op->encoding <= MX_SOPP)
		add(f, MX_OPERAND_S, in->dst, op->d);
}

/* ---- the face ---- */

static void make_vector_alu(struct mx_hazard_traits *f) {
	if (is_matrix(f->in)) {
		f->classes = matrix_classes(f->in);
		f->passes = (uint8_t)mx_matrix_passes(f->in);
		add_matrix(f);
		return;
	}
	f->classes = alu_classes(f->in);
	add_alu_writes(f);
	add_alu_reads(f);
}

void mx_traits_make(const struct mx_inst *in, struct mx_hazard_traits *f) {
	*f = (struct mx_hazard_traits){ .in = in, .states = 1 };
	if (!in->op)
		return;
	f->states = (uint8_t)mx_wait_states(in);
	mx_encoding e = in->op->encoding;
	if (e < MX_SMEM)
		make_scalar(f);
	else if (e > MX_SMEM && e < MX_DS)
		make_vector_alu(f);
	else {
		f->classes = e == MX_SMEM ? IN(SMEM) : memory_classes(in);
		add_memory(f);
	}
	mx_traits_match(f);
}
