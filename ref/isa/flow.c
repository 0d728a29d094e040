/* Program flow: branches, barriers, waits, and the moves between lanes and scalars
 * [ISA chapter 4, 12.5]. */
#include "machine.h"

#define FLOW(name)                                                                                 \
	mx_handler mx_x_##name;                                                                    \
	void mx_x_##name(struct mx_wave *w, const struct mx_inst *in)
#define UNUSED(x) (void)(x)

FLOW(s_nop) {
	UNUSED(w), UNUSED(in);
}
FLOW(v_nop) {
	UNUSED(w), UNUSED(in);
}
FLOW(s_sleep) {
	UNUSED(w), UNUSED(in);
}
FLOW(s_setprio) {
	UNUSED(w), UNUSED(in);
}

FLOW(s_endpgm) {
	UNUSED(in);
	w->status = MX_ENDED;
	w->group->ended++;
}

/* Counts arrivals: waves may stand at different barriers, ended ones do not count [ISA 4.3]. */
FLOW(s_barrier) {
	UNUSED(in);
	w->status = MX_AT_BARRIER;
	w->group->at_barrier++;
}

FLOW(s_waitcnt) {
	unsigned simm = (uint16_t)in->imm;
	w->vm_target = (simm & 15) | (simm >> 14 & 3) << 4;
	w->lgkm_target = simm >> 8 & 15;
	if (!mx_wait_over(w))
		w->status = MX_WAITING;
}

/* ---- branches: the offset counts dwords from the next instruction ---- */

static void branch(struct mx_wave *w, const struct mx_inst *in, bool taken, bool unwritten) {
	if (unwritten)
		mx_find(w, in, MX_UNWRITTEN, -1, 0, "branch on a value nobody wrote");
	if (taken)
		w->pc += 4 * (int64_t)in->imm;
}

FLOW(s_branch) {
	branch(w, in, true, false);
}
FLOW(s_cbranch_scc0) {
	branch(w, in, !w->scc, w->scc_unwritten);
}
FLOW(s_cbranch_scc1) {
	branch(w, in, w->scc, w->scc_unwritten);
}
FLOW(s_cbranch_vccz) {
	branch(w, in, !mx_pair(w->s + MX_VCC), mx_zero_unwritten(w, MX_VCC));
}
FLOW(s_cbranch_vccnz) {
	branch(w, in, mx_pair(w->s + MX_VCC), mx_zero_unwritten(w, MX_VCC));
}
FLOW(s_cbranch_execz) {
	branch(w, in, !mx_exec(w), false);
}
FLOW(s_cbranch_execnz) {
	branch(w, in, mx_exec(w), false);
}

static void jump(struct mx_wave *w, const struct mx_inst *in, uint64_t target) {
	if (mx_sread64_unwritten(w, in->src[0]))
		mx_find(w, in, MX_UNWRITTEN, -1, 0, "jump to an address nobody wrote");
	w->pc = target - mx_program_base(w->group->run->launch->program);
}

FLOW(s_getpc_b64) {
	mx_swrite64(w, in->dst, mx_program_base(w->group->run->launch->program) + w->pc, 0);
}
FLOW(s_setpc_b64) {
	jump(w, in, mx_sread64(w, in, in->src[0]));
}
FLOW(s_swappc_b64) {
	uint64_t target = mx_sread64(w, in, in->src[0]), here = w->pc;
	jump(w, in, target);
	mx_swrite64(w, in->dst, mx_program_base(w->group->run->launch->program) + here, 0);
}

/* ---- one lane to a scalar ---- */

static void read_lane(struct mx_wave *w, const struct mx_inst *in, unsigned sdst, unsigned lane) {
	unsigned row = mx_row(in->src[0]);
	if (in->src[0] < MX_VGPR) {
		mx_find(w, in, MX_UNSUPPORTED, -1, 0, "a lane of a scalar operand");
		return;
	}
	if (!mx_vgprs_exist(w, in, row, 1))
		return;
	uint32_t unwritten = mx_vunwritten(w, row, lane);
	if (unwritten && sdst >= MX_EXEC)
		mx_find(w, in, MX_UNWRITTEN, -1, 0, "EXEC from a value nobody wrote");
	mx_swrite(w, sdst, w->v[row][lane], unwritten);
}

/* The first active lane, or lane 0 where none is [ISA 12.8]. */
FLOW(v_readfirstlane_b32) {
	uint64_t exec = mx_exec(w);
	read_lane(w, in, in->dst, exec ? __builtin_ctzll(exec) : 0);
}

FLOW(v_readlane_b32) {
	if (mx_sread_unwritten(w, in->src[1]))
		mx_find(w, in, MX_UNWRITTEN, -1, 0, "lane number from a value nobody wrote");
	read_lane(w, in, in->dst, mx_sread(w, in, in->src[1]) & 63);
}
