/* The traits of an instruction of gfx1250 that matter to wait states: of the vector ALU, and
 * of s_setreg. */
#include "../../mma/wmma.h"
#include "../encoding/hwreg.h"
#include "../encoding/operands.h"
#include "hazard.h"

#define IN(class) (1ull << MX_CLASS_##class)

static bool has_f4(const struct mx_inst *in) {
	return in->mai.cbsz == MX_E2M1 && in->mai.blgp == MX_E2M1;
}

static bool has_8_bits(const struct mx_inst *in) {
	return in->mai.cbsz == MX_E4M3 || in->mai.cbsz == MX_E5M2 || in->mai.blgp == MX_E4M3 ||
	       in->mai.blgp == MX_E5M2;
}

/* The latency in LLVM's scheduling model; WMMAs of f32 do not co-execute. */
static unsigned latency(const struct mx_inst *in) {
	const struct mx_wmma *op = in->mai.wmma;
	mx_type a = op->ab[MX_SIDE_A];
	if (a == MX_T_F32)
		return 0;
	if (a == MX_T_I8 || a == MX_T_I4)
		return 16;
	bool quick =
		a == MX_T_F8F6F4 ? has_f4(in) : (a == MX_T_FP8 || a == MX_T_BF8) && op->k == 64;
	return quick && !op->sparse ? 4 : 8;
}

static void make_matrix(struct mx_hazard_traits *f) {
	const struct mx_wmma *op = f->in->mai.wmma;
	f->passes = (uint8_t)latency(f->in);
	f->classes = IN(MATRIX) | IN(NOT_TRANS);
	if (!f->passes)
		return;
	f->classes |= op->sparse ? IN(SWMMAC) : IN(WMMA);
	f->classes |= op->ab[MX_SIDE_A] == MX_T_F8F6F4 && has_8_bits(f->in) ? IN(WMMA_F8) : 0;
}

/* Of a WMMA, A, B and the index of a sparse one are in two groups. */
static void add_operand(struct mx_hazard_traits *f, const struct mx_operand *o) {
	bool ab = o->role == MX_AS_A || o->role == MX_AS_B || o->role == MX_AS_INDEX;
	if (o->code < MX_VGPR)
		return;
	mx_traits_add(f, o->written ? MX_OPERAND_D : MX_OPERAND_V, o->code, o->dwords);
	if (ab)
		mx_traits_add(f, MX_OPERAND_AB, o->code, o->dwords);
}

static bool sets_mode(const struct mx_inst *in) {
	return in->op && mx_kind_of(in->op) == MX_IS_SETREG && mx_hw_field(in).reg == MX_HW_MODE;
}

void mx_gfx1250_traits(const struct mx_inst *in, struct mx_hazard_traits *f) {
	*f = (struct mx_hazard_traits){ .in = in };
	if (sets_mode(in)) {
		f->classes = IN(SET_MODE);
		mx_traits_match(f, MX_HAZARDS_GFX1250);
	}
	if (!in->op || in->op->encoding <= MX_SMEM || in->op->encoding >= MX_DS)
		return;
	f->states = 1;
	if (mx_is_matrix(in->op))
		make_matrix(f);
	else if (mx_kind_of(in->op) == MX_IS_TRANS)
		f->classes = IN(TRANS);
	else
		f->classes = IN(NOT_TRANS) | IN(COEXECUTES) |
		             (mx_kind_of(in->op) == MX_IS_DUAL ? IN(DUAL) : IN(ALONE));
	f->classes |= in->op->id == MX_OP_v_nop ? 0 : IN(VALU);
	MX_FOR_OPERANDS(o, in)
		add_operand(f, o);
	mx_traits_match(f, MX_HAZARDS_GFX1250);
}
