/* The vector ALU: fetches operands, calls lane functions and writes results under EXEC [ISA chapter
 * 6]. */
#include <fenv.h>
#include <string.h>

#include "../machine/findings.h"
#include "../machine/registers.h"
#include "functions.h"
#include "vector.h"

/* ---- rounding ---- */

/* MODE[1:0] rounds f32, MODE[3:2] rounds f64 and f16 [ISA 6.4]. An opcode with both uses MODE[3:2]
 * [ISA 12.8 for v_cvt_f16_f32; LLVM for v_cvt_f32_f64]. */
static int host_rounding(const struct mx_op *op, uint32_t mode) {
	static const int host[] = { FE_TONEAREST, FE_UPWARD, FE_DOWNWARD, FE_TOWARDZERO };
	bool wide = mx_mode_of_f64(op->type) || mx_mode_of_f64(op->source_type[0]);
	if (op->flags & MX_NEAREST)
		return FE_TONEAREST;
	return host[mode >> (wide ? MX_MODE_ROUND_F64 : MX_MODE_ROUND_F32) & 3];
}

void mx_compute(const struct mx_inst *in, uint32_t mode, struct mx_lanes *x) {
	bool special = mx_mode_matters(in->op, mode);
	int rounding = special ? host_rounding(in->op, mode) : FE_TONEAREST;
	if (rounding != FE_TONEAREST)
		fesetround(rounding);
	mx_lane_functions()[in->op->id](x);
	if (rounding != FE_TONEAREST)
		fesetround(FE_TONEAREST);
	if (special || in->clamp || in->omod)
		mx_modify_result(in, mode, x->d);
}

/* ---- destinations ---- */

/* Inserts results that are narrower than a dword. */
static void place(struct mx_wave *w, const struct mx_inst *in, unsigned row, struct mx_sources *s,
                  mx_vreg **u) {
	void (*put)(const struct mx_inst *, const uint32_t *, uint32_t *) =
		in->sdwa.used ? mx_place_sub_dword : mx_place_half;
	mx_vreg old;
	bool unknown = in->op->flags & MX_HALF_UNKNOWN && !in->sdwa.used;
	put(in, w->v[row], s->x.d[0]);
	if (!*u && (w->unwritten_lanes[row] || unknown)) {
		*u = s->unwritten[0];
		memset(*u, 0, sizeof(mx_vreg));
	}
	if (!*u)
		return;
	for (unsigned l = 0; l < MX_LANES; l++)
		old[l] = mx_vunwritten(w, row, l);
	put(in, old, (*u)[0]);
	for (unsigned l = 0; unknown && l < MX_LANES; l++)
		(*u)[0][l] |= in->op_sel & 8 ? 0xffff : 0xffff0000;
}

static void write_vector(struct mx_wave *w, const struct mx_inst *in, struct mx_sources *s,
                         mx_vreg *u) {
	const struct mx_type_info *t = &mx_operand_types[in->op->type];
	unsigned row = mx_indexed_row(w, in, mx_result(in), MX_VDST), n = in->op->d;
	if (!mx_vgprs_exist(w, in, row, n))
		return;
	bool half = t->bits == 16 && t->elements == 1;
	if (in->sdwa.used && half)
		for (unsigned l = 0; l < MX_LANES; l++)
			s->x.d[0][l] &= 0xffff;
	if (in->sdwa.used ? in->sdwa.dst_sel != 6 : half)
		place(w, in, row, s, &u);
	for (unsigned h = 0; h < n; h++)
		mx_vwrite(w, row + h, s->lanes, s->x.d[h], u ? u[h] : NULL);
}

static void exec_any(struct mx_wave *w, const struct mx_inst *in) {
	struct mx_sources s;
	mx_vreg u[MX_VALU_DWORDS];
	uint64_t tainted = 0;
	mx_fetch(w, in, &s);
	mx_compute(in, w->mode, &s.x);
	if (s.any_unwritten)
		mx_result_unwritten(w, in, &s, u, &tainted);
	if (s.x.assumed & s.lanes)
		mx_assume(w, in, s.x.assumed & s.lanes, s.x.rule);
	if (in->op->flags & MX_CARRY_OUT && s.lanes != mx_exec(w))
		mx_find(w, in, MX_UNSUPPORTED, -1, 0, MX_BECAUSE(DPP_CARRIES));
	if (in->op->flags & MX_CARRY_OUT)
		mx_write_result_mask(w, mx_operand_at(in, MX_AT_MASK), s.x.mask_out, tainted);
	write_vector(w, in, &s, s.any_unwritten ? u : NULL);
}

void mx_exec_valu(struct mx_wave *w, const struct mx_inst *in) {
	if (!in->simple || !MX_BY_STEP(mx_exec_simple)(w, in))
		exec_any(w, in);
}

/* A scalar float: lane 0 of the vector opcode on the same operands. A result of 16 bits is
 * zero-extended [assumed]. */
mx_handler mx_exec_scalar_as;
void mx_exec_scalar_as(struct mx_wave *w, const struct mx_inst *in) {
	struct mx_inst one = *in;
	struct mx_sources s;
	mx_vreg u[MX_VALU_DWORDS] = { { 0 } };
	uint64_t tainted = 0;
	one.op = &w->group->run->isa->ops[in->op->as];
	one.op_sel = in->op->flags & MX_D16_HI ? 1 : 0;
	one.plain &= !one.op_sel;
	mx_fetch(w, &one, &s);
	s.lanes = 1;
	mx_compute(&one, w->mode, &s.x);
	if (s.any_unwritten)
		mx_result_unwritten(w, &one, &s, u, &tainted);
	uint32_t all = mx_operand_types[one.op->type].bits == 16 ? 0xffff : ~0u;
	mx_swrite_result(w, in, s.x.d[0][0] & all, u[0][0] & all);
	if (in->op->flags & MX_SCC_OUT) {
		w->scc = s.x.mask_out & 1;
		w->scc_unwritten = tainted & 1;
	}
}

/* Two operations: both read their sources before either writes its result. */
mx_handler mx_x_v_dual;
void mx_x_v_dual(struct mx_wave *w, const struct mx_inst *in) {
	struct mx_inst one[2];
	struct mx_sources s[2];
	mx_vreg u[2][MX_VALU_DWORDS];
	uint64_t tainted = 0;
	for (unsigned i = 0; i < 2; i++) {
		mx_dual_operation(in, i, &one[i]);
		mx_fetch(w, &one[i], &s[i]);
		mx_compute(&one[i], w->mode, &s[i].x);
		if (s[i].any_unwritten)
			mx_result_unwritten(w, &one[i], &s[i], u[i], &tainted);
	}
	for (unsigned i = 0; i < 2; i++)
		write_vector(w, &one[i], &s[i], s[i].any_unwritten ? u[i] : NULL);
}

void mx_exec_vcmp(struct mx_wave *w, const struct mx_inst *in) {
	struct mx_sources s;
	uint64_t tainted = 0;
	mx_fetch(w, in, &s);
	mx_lane_functions()[in->op->id](&s.x);
	if (s.any_unwritten)
		mx_result_unwritten(w, in, &s, NULL, &tainted);
	if (s.lanes != mx_exec(w))
		mx_find(w, in, MX_UNSUPPORTED, -1, 0, MX_BECAUSE(DPP_CARRIES));
	uint64_t exec = mx_exec(w), mask = s.x.mask_out & exec;
	if (mx_has_operand(in, MX_AT_RESULT))
		mx_write_result_mask(w, mx_result(in), mask, tainted);
	if (!(in->op->flags & MX_EXEC_OUT) && mx_result(in) != MX_EXEC)
		return;
	if (tainted & exec)
		mx_find(w, in, MX_UNWRITTEN, __builtin_ctzll(tainted & exec), 0,
		        MX_BECAUSE(EXEC_UNWRITTEN));
	mx_swrite64(w, MX_EXEC, mask, 0);
}
