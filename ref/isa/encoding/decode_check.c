/* What a decoded instruction still needs: modifiers and registers that mean something, and
 * which SGPRs it names. */
#include "decode.h"
#include "operand_types.h"
#include "operands.h"

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
	bool exceptions_only = op->flags & MX_MASK_ONLY; /* [ISA 6.5] */
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
	if (mx_is_vector_to_scalar(in->op))
		in->dst -= MX_VGPR;
	if (!(flags & (MX_TO_AGPR | MX_FROM_AGPR)))
		return;
	in->dst = mx_data_register(in->dst & 255, flags & MX_TO_AGPR);
	if (in->src[0] >= MX_VGPR)
		in->src[0] = mx_data_register(in->src[0] & 255, flags & MX_FROM_AGPR);
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
	bool mask = op->flags & (MX_MASK_ONLY | MX_CARRY_OUT);
	bool to_scalar = op->encoding <= MX_SOPP || mx_is_vector_to_scalar(op);
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
	if (op->flags & (MX_MASK_ONLY | MX_CARRY_OUT))
		name_sgprs(in, in->sdst, 2);
	else if (op->d && (op->encoding <= MX_SOPP || mx_is_vector_to_scalar(op)))
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

void mx_check_decoded(struct mx_inst *in) {
	in->assumes = mx_op_rests_on(in->op);
	if (in->op->encoding == MX_MTBUF)
		in->assumes = mx_typed_rests_on(in);
	if (in->op->handler == mx_x_s_getreg_b32)
		in->assumes = mx_getreg_rests_on(in);
	choose_files(in);
	check_scalars(in);
	if (in->op->lanes || in->op->encoding == MX_MAI)
		check_vectors(in);
	if (in->op->lanes)
		finish_valu(in);
	count_sgprs(in);
}
