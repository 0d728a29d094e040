/* The traits of an instruction that matter to wait states: classes, registers and passes. */
#include <stdlib.h>
#include <string.h>

#include "../encoding/control_flow.h"
#include "../encoding/gfx950.h"
#include "../encoding/hwreg.h"
#include "../encoding/instruction_set.h"
#include "../encoding/operands.h"
#include "../encoding/passes.h"
#include "../machine/wave.h"
#include "hazard.h"

#define IN(class) (1ull << MX_CLASS_##class)

static bool is_vmem(const struct mx_op *op) {
	return op->encoding > MX_DS;
}

unsigned mx_wait_states(const struct mx_inst *in) {
	return mx_kind_of(in->op) == MX_IS_NOP ? (in->imm & 15) + 1u : 1;
}

/* ---- registers ---- */

void mx_traits_add(struct mx_hazard_traits *f, mx_hazard_operand operand, unsigned code,
                   unsigned n) {
	if (n && f->n < MX_HAZARD_RANGES)
		f->range[f->n++] = (struct mx_hazard_range){ operand, (uint8_t)n, (uint16_t)code };
}

static bool is_vector(unsigned code) {
	return code >= MX_VGPR;
}

/* The group of a register that is read by the vector ALU or by a matrix instruction. */
static mx_hazard_operand group_of_read(const struct mx_operand *o) {
	bool vector = is_vector(o->code);
	switch (o->role) {
	case MX_AS_A:
	case MX_AS_B:
	case MX_AS_INDEX:
	case MX_AS_SCALE_A:
	case MX_AS_SCALE_B: return vector ? MX_OPERAND_AB : MX_OPERAND_NONE;
	case MX_AS_C: return vector ? MX_OPERAND_C : MX_OPERAND_NONE;
	case MX_AS_MASK: return MX_OPERAND_MASK;
	case MX_AS_LANE:
	case MX_AS_EXEC:
	case MX_AS_FLAG: return MX_OPERAND_NONE;
	default: return vector ? MX_OPERAND_V : MX_OPERAND_K;
	}
}

/* Forwarding of dot products treats sources 0 and 1 differently. */
static void add_alu_read(struct mx_hazard_traits *f, const struct mx_operand *o) {
	mx_hazard_operand group = group_of_read(o);
	bool dot = f->classes & IN(DOT) && (o->role == MX_AS_SRC0 || o->role == MX_AS_SRC1);
	unsigned code = mx_first_register(o->code);
	if (mx_tests_zero(o->code))
		mx_traits_add(f, MX_OPERAND_ZERO, code, o->dwords);
	if (o->role == MX_AS_LANE)
		mx_traits_add(f, MX_OPERAND_LANE, o->code, 1);
	if (group != MX_OPERAND_NONE && o->code != MX_SCC)
		mx_traits_add(f, group, code, o->dwords);
	if (f->classes & IN(DPP) && o->role == MX_AS_SRC0 && is_vector(o->code))
		mx_traits_add(f, MX_OPERAND_P, o->code, o->dwords);
	if (dot && is_vector(o->code))
		mx_traits_add(f, MX_OPERAND_AB, o->code, o->dwords);
}

static void add_alu(struct mx_hazard_traits *f) {
	MX_FOR_OPERANDS(o, f->in)
		if (!o->written)
			add_alu_read(f, o);
		else if (o->code != MX_SCC)
			mx_traits_add(f, is_vector(o->code) ? MX_OPERAND_D : MX_OPERAND_S, o->code,
			              o->dwords);
}

static bool overlap(const struct mx_operand *a, const struct mx_operand *b) {
	return b && a->code < b->code + b->dwords && b->code < a->code + a->dwords;
}

static bool is_data(const struct mx_operand *o) {
	return o->role == MX_AS_DATA || o->role == MX_AS_DATA1;
}

static void add_memory_read(struct mx_hazard_traits *f, const struct mx_operand *o) {
	bool scalar = f->in->op->encoding == MX_SMEM;
	if (is_vector(o->code)) {
		mx_traits_add(f, MX_OPERAND_V, o->code, o->dwords);
		if (is_data(o) && f->classes & (IN(STORE) | IN(STORE_SGPR)))
			mx_traits_add(f, MX_OPERAND_DATA, o->code, o->dwords);
	} else
		mx_traits_add(f, MX_OPERAND_K, o->code, o->dwords);
	if (overlap(o, mx_loaded_operand(f->in)) && !(scalar && is_data(o)))
		f->classes |= scalar ? IN(SELF_SMEM) : f->classes & IN(VMEM) ? IN(SELF_VMEM) : 0;
}

static void add_memory(struct mx_hazard_traits *f) {
	MX_FOR_OPERANDS(o, f->in)
		if (o->written)
			mx_traits_add(f, is_vector(o->code) ? MX_OPERAND_D : MX_OPERAND_S, o->code,
			              o->dwords);
		else
			add_memory_read(f, o);
}

/* ---- classes ---- */

/* Results that take another forwarding path: SDWA, and OP_SEL of the destination. */
static bool shifts_result(const struct mx_inst *in) {
	enum { WHOLE = 6 };
	if (in->sdwa.used)
		return in->sdwa.dst_sel != WHOLE;
	if (mx_is_cvt(in->op))
		return in->op_sel & 12;
	return in->op->encoding <= MX_VOP3 && in->op_sel & 8 && !(in->op->flags & MX_D16_HI);
}

static uint64_t class_of_kind(mx_kind kind) {
	switch (kind) {
	case MX_IS_TRANS: return IN(TRANS) | IN(NOT_DOT) | IN(NOT_PERMLANE);
	case MX_IS_DOT: return IN(DOT) | IN(NOT_TRANS) | IN(NOT_PERMLANE);
	default: break;
	}
	uint64_t c = IN(NOT_DOT) | IN(NOT_TRANS) | IN(NOT_PERMLANE);
	switch (kind) {
	case MX_IS_PERMLANE_SWAP: return (c & ~IN(NOT_PERMLANE)) | IN(PERMLANE);
	case MX_IS_READLANE: return c | IN(READLANE) | IN(LANE);
	case MX_IS_WRITELANE: return c | IN(WRITELANE) | IN(LANE);
	case MX_IS_READFIRST: return c | IN(READFIRST);
	case MX_IS_DIV_FMAS: return c | IN(DIV_FMAS);
	case MX_IS_FMA_F64: return c | IN(FMA_F64);
	default: return c;
	}
}

static uint64_t alu_classes(const struct mx_inst *in) {
	const struct mx_op *op = in->op;
	uint64_t c = IN(VALU) | IN(VECTOR) | class_of_kind(mx_kind_of(op));
	c |= shifts_result(in) ? IN(SHIFTS) : 0;
	c |= op->encoding == MX_VOP3P && in->op_sel_hi & 1 ? IN(PACKED) : 0;
	c |= op->flags & MX_EXEC_OUT ? IN(CMPX) : 0;
	c |= in->dpp.used ? IN(DPP) : 0;
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

/* Data of more than 64 bits; buffer operations with an SGPR as SOFFSET have a class of their own.
 */
static uint64_t class_of_store(const struct mx_inst *in) {
	const struct mx_op *op = in->op;
	bool buffer = op->encoding == MX_MUBUF || op->encoding == MX_MTBUF;
	unsigned dwords = 0;
	MX_FOR_OPERANDS(o, in)
		dwords += is_data(o) ? o->dwords : 0;
	if (dwords <= 2)
		return 0;
	return buffer && mx_operand_at(in, MX_AT_OFFSET) < MX_SGPR_FILE ? IN(STORE_SGPR)
	                                                                : IN(STORE);
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
	return c | IN(VMEM) | class_of_store(in);
}

/* ---- scalar instructions ---- */

static unsigned hwreg(const struct mx_inst *in) {
	return mx_hw_field(in).reg;
}

static bool sets_vskip(const struct mx_inst *in) {
	struct mx_hw_field f = mx_hw_field(in);
	return f.reg == MX_HW_MODE && f.mask << f.offset & MX_MODE_VSKIP;
}

static uint64_t scalar_classes(const struct mx_inst *in) {
	switch (mx_kind_of(in->op)) {
	case MX_IS_SETREG:
		return IN(SETREG) | (sets_vskip(in) ? IN(SET_MODE_VSKIP) : 0) |
		       (hwreg(in) == MX_HW_TRAPSTS ? IN(SET_TRAPSTS) : 0);
	case MX_IS_GETREG: return IN(GETREG);
	case MX_IS_SETVSKIP: return IN(SETVSKIP);
	case MX_IS_SENDMSG:
	case MX_IS_TTRACE: return IN(SENDMSG);
	case MX_IS_MOVREL: return IN(MOVREL);
	default: return 0;
	}
}

/* Of the operands that a scalar instruction reads, only M0 matters. */
static void make_scalar(struct mx_hazard_traits *f) {
	const struct mx_inst *in = f->in;
	f->classes = IN(SALU) | scalar_classes(in);
	if (f->classes & (IN(SETREG) | IN(GETREG)))
		mx_traits_add(f, MX_OPERAND_HW, hwreg(in), 1);
	else if (f->classes & IN(SETVSKIP))
		mx_traits_add(f, MX_OPERAND_HW, MX_HW_MODE, 1);
	MX_FOR_OPERANDS(o, in)
		if (o->written && o->role == MX_AS_D)
			mx_traits_add(f, MX_OPERAND_S, o->code, o->dwords);
		else if (!o->written && o->role == MX_AS_M0)
			mx_traits_add(f, MX_OPERAND_K, o->code, o->dwords);
}

/* ---- traits ---- */

static void make_vector_alu(struct mx_hazard_traits *f) {
	bool matrix = mx_is_matrix(f->in->op);
	f->classes = matrix ? matrix_classes(f->in) : alu_classes(f->in);
	f->passes = f->pipe = (uint8_t)mx_matrix_passes(f->in);
	add_alu(f);
}

void mx_gfx950_traits(const struct mx_inst *in, struct mx_hazard_traits *f) {
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
	mx_traits_match(f, MX_HAZARDS_GFX950);
}

/* The instruction at a dword under the banks of VGPRs that it has if the code runs straight on to
 * it. `next`, `banks`: of the next instruction. */
static const struct mx_inst *straight_on(const struct mx_program *p, size_t i, size_t *next,
                                         unsigned *banks) {
	const struct mx_isa *isa = mx_program_isa(p);
	const struct mx_inst *in = mx_program_at(p, 4 * i);
	if (!isa->banks_after || i != *next)
		return in;
	unsigned here = *banks;
	*banks = isa->banks_after(in->dwords, 4, here);
	*next = i + in->size / 4;
	return mx_program_under(p, 4 * i, here);
}

/* The banks of VGPRs of an instruction follow from all code before it. */
static void *make_all(const struct mx_program *p, uint64_t entry) {
	size_t n = mx_program_dwords(p), next = 0;
	unsigned banks = 0;
	const struct mx_isa *isa = mx_program_isa(p);
	const struct mx_hazard_rules *rules = isa->hazards;
	const bool *reached = mx_program_reached(p, entry);
	struct mx_hazard_traits *f = reached ? calloc(n + 1, sizeof *f) : NULL;
	for (size_t i = 0; f && i < n; i++) {
		if (!reached[i] && !isa->banks_after)
			continue;
		const struct mx_inst *in = straight_on(p, i, &next, &banks);
		if (!in) {
			free(f);
			return NULL;
		}
		rules->traits(in, &f[i]);
	}
	return f;
}

const struct mx_hazard_traits *mx_program_traits(const struct mx_program *p, uint64_t entry) {
	return mx_program_derived(p, make_all, entry);
}
