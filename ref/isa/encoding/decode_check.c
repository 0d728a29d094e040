/* Checks of a decoded instruction: modifiers and registers must have a defined meaning. Also finds
 * the number of SGPRs that the instruction uses. */

#include "buffer_formats.h"
#include "decode.h"
#include "hwreg.h"
#include "operand_types.h"
#include "operands.h"

/* A constant of two packed dwords is the lower dword, and compilers select it for both elements. No
 * source defines the upper dword. v_pk_mov_b32 has no floats and ignores OP_SEL_HI. */
static bool takes_upper_constant(const struct mx_inst *in) {
	bool takes = false;
	for (unsigned i = 0; i < 3; i++) {
		const struct mx_type_info *t = &mx_operand_types[in->op->source_type[i]];
		bool pair = t->elements == 2 && t->bits == 32;
		bool constant = mx_source(in, i) > MX_INT_0 && mx_source(in, i) < MX_VGPR;
		unsigned upper = in->op_sel | (t->is_float ? in->op_sel_hi : 0);
		takes |= pair && constant && upper >> i & 1;
	}
	return takes;
}

/* A modifier without a meaning for the types of the operands, or NULL. It stops the launch. */
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
		if (mx_source(in, i) >= MX_FLOAT_0_5 && mx_source(in, i) <= MX_FLOAT_1_2PI)
			return "inline float of either format";
	if (op->flags & MX_OP_SEL)
		signs = halves = 0xf, whole = 0;
	bool exceptions_only = op->unit == MX_UNIT_VCMP; /* [ISA 6.5] */
	if (in->clamp && !d->is_float && !(op->flags & MX_CLAMPS) && !exceptions_only)
		return "clamp";
	if (op->flags & MX_TRUTH)
		return in->op_sel & ~halves ? "op_sel" : NULL;
	if (in->omod && d->is_float && d->elements > 1) /* ignored for other types [ISA 6.2.2] */
		return "omod";
	if (in->op_sel & ~halves)
		return "op_sel";
	bool many = mx_operand_types[op->source_type[0]].elements > 2;
	if (~in->op_sel_hi & whole && !many)
		return "op_sel_hi";
	if (takes_upper_constant(in))
		return "the upper dword of a constant";
	return (in->neg | in->abs) & ~signs ? "neg or abs of a source that is not a float" : NULL;
}

/* Whether the sources are unmodified: no change of lanes, halves or signs. */
static bool is_plain(const struct mx_inst *in) {
	bool signs = (in->neg || in->abs) && !(in->op->flags & MX_TRUTH);
	bool changes = in->sdwa.used || in->dpp.used || signs || in->op_sel & 7;
	if (in->op->encoding == MX_VOP3P)
		for (unsigned i = 0; i < 3; i++)
			changes |= mx_operand_types[in->op->source_type[i]].elements == 2 &&
			           !(in->op_sel_hi >> i & 1);
	return !changes;
}

/* A register, or a constant that all machines have. */
static bool is_usual(unsigned code) {
	return code <= MX_M0 || code == MX_EXEC || code == MX_EXEC + 1 ||
	       (code >= MX_INT_0 && code <= MX_INT_NEG_16) ||
	       (code >= MX_FLOAT_0_5 && code <= MX_FLOAT_1_2PI) || code >= MX_LITERAL;
}

static bool is_simple(const struct mx_inst *in) {
	const struct mx_op *op = in->op;
	const struct mx_type_info *d = &mx_operand_types[op->type];
	bool simple = in->plain && op->unit == MX_UNIT_VALU && op->d && op->d <= 2 && !in->clamp &&
	              !in->omod && !(op->flags & (MX_VCC_IN | MX_FLUSH)) &&
	              !(d->bits == 16 && d->elements == 1);
	for (unsigned i = 0; i < 3 && op->s[i]; i++)
		simple &= op->s[i] <= 2 && is_usual(mx_source(in, i));
	return simple && (!(op->flags & MX_CARRY_IN) || mx_source(in, 2) <= MX_EXEC);
}

static void finish_valu(struct mx_inst *in) {
	const char *modifier = meaningless_modifier(in);
	if (modifier)
		in->unsupported = modifier;
	if (in->op->flags & MX_D16_HI)
		in->op_sel |= 8;
	in->plain = is_plain(in);
	in->simple = is_simple(in);
}

/* Why scalar registers from `code` may not be written, or NULL. */
static const char *unwritable(const struct mx_encodings *set, unsigned code, unsigned dwords) {
	if (code + dwords > MX_SGPR_FILE)
		return "scalar destination beyond the SGPRs";
	if (code + dwords > MX_TTMP0 && code < MX_M0)
		return "write of a trap handler's register";
	if (code + dwords > set->sgprs && code < MX_VCC)
		return "write of FLAT_SCRATCH or XNACK_MASK";
	bool reserved = code + dwords > MX_M0 + 1 && code < MX_EXEC;
	return reserved ? "write of a reserved register" : NULL;
}

/* Only registers are written, or NULL. */
static void check_destinations(const struct mx_encodings *set, struct mx_inst *in) {
	for (unsigned i = MX_AT_RESULT; i < MX_MAX_OPERANDS; i++) {
		bool null = set->has_null && mx_operand_at(in, i) == MX_NULL;
		if (mx_has_operand(in, i) && !(in->registers >> i & 1) && !null)
			in->unsupported = "scalar destination beyond the SGPRs";
	}
}

/* A pair of SGPRs begins at an even number [ISA 5.2]. Also sets in->sgprs. */
static void check_scalars(const struct mx_encodings *set, struct mx_inst *in) {
	MX_FOR_OPERANDS(o, in) {
		bool scalar = o->code < MX_SGPR_FILE;
		const char *wrong = scalar && o->dwords == 2 && o->code % 2 ? "odd pair of SGPRs"
		                    : scalar && o->written ? unwritable(set, o->code, o->dwords)
		                                           : NULL;
		if (wrong)
			in->unsupported = wrong;
		unsigned end = o->code + o->dwords;
		if (o->code < set->sgprs && end > in->sgprs)
			in->sgprs = (uint8_t)end;
	}
}

static bool overlap(const struct mx_operand *a, const struct mx_operand *b) {
	return a->code < b->code + b->dwords && b->code < a->code + a->dwords;
}

/* ---- memory ---- */

static bool is_odd(const struct mx_inst *in, unsigned position) {
	return mx_has_operand(in, position) && mx_operand_at(in, position) % 2;
}

/* SDATA is in SGPRs or VCC. A pair begins at an even number, a larger group at a multiple of four
 * [ISA 3.6.3, 8.4]. */
static bool smem_data_fits(const struct mx_encodings *set, const struct mx_inst *in) {
	bool stored = mx_has_operand(in, MX_AT_DATA);
	const struct mx_operand *o = &in->operand[stored ? MX_AT_DATA : MX_AT_RESULT];
	unsigned first = o->code, n = o->dwords, end = first + n;
	unsigned alignment = n > 2 ? 4 : n > 1 ? 2 : 1;
	return !n || (first % alignment == 0 &&
	              (end <= set->sgprs || (first >= MX_VCC && end <= MX_VCC + 2)));
}

static bool smem_base_fits(const struct mx_encodings *set, const struct mx_inst *in) {
	unsigned first = mx_operand_at(in, MX_AT_BASE), n = in->op->s[0];
	return n == 4 ? first % 4 == 0 && first + n <= set->sgprs : first != MX_M0;
}

/* Data of 64 bits or more begins in an even register, except for ds_read_b96_tr_b6 [ISA 11.4]. */
static bool ds_register_is_odd(const struct mx_inst *in) {
	bool wide = in->op->d > 4;
	return in->op->id != MX_OP_ds_read_b96_tr_b6 &&
	       (((wide || in->op->flags & MX_TWO) && is_odd(in, MX_AT_RESULT)) ||
	        (wide && (is_odd(in, MX_AT_DATA) || is_odd(in, MX_AT_DATA1))));
}

/* Operands of 64 bits or more begin in an even register. */
static bool vmem_register_is_odd(const struct mx_inst *in) {
	const struct mx_op *op = in->op;
	bool wide = op->d > 4;
	if (op->flags & MX_FORMAT || in->mem.lds)
		return false;
	bool address = op->encoding < MX_MUBUF && in->operand[MX_AT_ADDRESS].dwords == 2;
	return (address && is_odd(in, MX_AT_ADDRESS)) || (wide && is_odd(in, MX_AT_RESULT)) ||
	       ((wide || op->flags & MX_SECOND) && is_odd(in, MX_AT_DATA));
}

static void check_memory(const struct mx_encodings *set, struct mx_inst *in) {
	mx_encoding e = in->op->encoding;
	if (e == MX_SMEM && !smem_data_fits(set, in))
		in->unsupported = "scalar memory with misaligned or invalid data registers";
	else if (e == MX_SMEM && !smem_base_fits(set, in))
		in->unsupported = "scalar memory with a misaligned or invalid base register";
	else if (e == MX_DS ? ds_register_is_odd(in) : e > MX_DS && vmem_register_is_odd(in))
		in->unsupported = "odd register for 64 bits or more";
	if (e > MX_DS && mx_operand_at(in, MX_AT_OFFSET) == MX_LITERAL)
		in->unsupported = "literal SOFFSET";
}

/* ---- the whole instruction ---- */

/* Operands of several VGPRs begin at an even number [ISA 6.7; LLVM needsAlignedVGPRs]. */
static void check_vectors(struct mx_inst *in) {
	MX_FOR_OPERANDS(o, in) {
		if (o->dwords > 1 && o->code >= MX_VGPR && o->code % 2)
			in->unsupported = "odd first VGPR of several";
		MX_FOR_OPERANDS(d, in)
			if (d->written && !o->written && overlap(d, o) &&
			    in->op->flags & MX_NO_OVERLAP)
				in->unsupported = "a destination that overlaps a source";
	}
}

/* HW_ID, XCC_ID and LDS_ALLOC depend on the place of a wave, which is assumed. */
static mx_assumption getreg_rests_on(const struct mx_inst *in) {
	unsigned reg = mx_hw_field(in).reg;
	bool place = reg == MX_HW_ID || reg == MX_HW_XCC_ID || reg == MX_HW_LDS_ALLOC;
	return place ? MX_ASSUMES_PLACEMENT : MX_ASSUMES_NOTHING;
}

void mx_check_decoded(const struct mx_encodings *set, struct mx_inst *in) {
	in->assumes = mx_rests_on(set, in->op);
	if (in->op->encoding == MX_MTBUF)
		in->assumes = mx_typed_rests_on(in);
	if (mx_kind_of(in->op) == MX_IS_GETREG)
		in->assumes = getreg_rests_on(in);
	check_memory(set, in);
	check_destinations(set, in);
	check_scalars(set, in);
	if (mx_has_lanes(in->op) || mx_is_matrix(in->op))
		check_vectors(in);
	if (mx_has_lanes(in->op))
		finish_valu(in);
}
