/* Program flow: branches, barriers, waits [ISA chapter 4, 12.5]. */
#include "../encoding/gfx1250.h"
#include "../encoding/gfx950.h"
#include "../machine/findings.h"
#include "../machine/registers.h"
#include "barriers.h"
#include "inflight.h"
#include "schedule.h"

#define FLOW(name)                                                                                 \
	mx_handler mx_x_##name;                                                                    \
	void mx_x_##name(struct mx_wave *w, const struct mx_inst *in)
#define UNUSED(x) (void)(x)
#define NOTHING(name)                                                                              \
	FLOW(name) {                                                                               \
		UNUSED(w), UNUSED(in);                                                             \
	}

NOTHING(s_nop)
NOTHING(v_nop)

/* The schedule `typical` counts the cycles. */
static void sleep_for(struct mx_wave *w, unsigned units) {
	w->yields = units;
	w->group->slept += w->group->units ? 0 : units;
}

FLOW(s_sleep) {
	sleep_for(w, in->imm & 127);
}
FLOW(s_sleep_var) {
	sleep_for(w, mx_sread(w, in, mx_source(in, 0)) & 127);
}
FLOW(s_setprio) {
	w->priority = in->imm & 3;
	w->group->prioritised |= w->priority > 0;
}

/* No effect: sleeping waves wake up by themselves, code does not change, and a kernel cannot read
 * performance counters and the thread trace. */
NOTHING(s_wakeup)
NOTHING(s_wakeup_barrier)
NOTHING(s_icache_inv)
NOTHING(s_incperflevel)
NOTHING(s_decperflevel)
NOTHING(s_ttracedata)

FLOW(s_endpgm) {
	if (w->unwritten_back)
		mx_find(w, in, MX_AMBIGUOUS, -1, 0, MX_BECAUSE(NOT_WRITTEN_BACK));
	w->status = MX_ENDED;
	w->group->ended |= 1u << w->index;
}

/* Waves may be at different instructions; ended ones do not count [ISA 4.3]. */
FLOW(s_barrier) {
	mx_barrier_signal_and_wait(w, in, 0);
}

FLOW(s_waitcnt) {
	w->target = in->wait;
	if (w->wanted & MX_WATCH_WAIT)
		mx_watch_wait(w);
	if (!mx_wait_over(w))
		w->status = MX_WAITING;
}

#define WAIT(name)                                                                                 \
	FLOW(name) {                                                                               \
		mx_x_s_waitcnt(w, in);                                                             \
	}
WAIT(s_wait_loadcnt)
WAIT(s_wait_storecnt)
WAIT(s_wait_dscnt)
WAIT(s_wait_kmcnt)
WAIT(s_wait_asynccnt)
WAIT(s_wait_tensorcnt)
WAIT(s_wait_loadcnt_dscnt)
WAIT(s_wait_storecnt_dscnt)
WAIT(s_wait_idle)

/* Hints of gfx1250, also prefetches: data depend neither on translations of addresses, nor, because
 * instructions execute in order, on the counters of the ALU. */
NOTHING(s_wait_xcnt)
NOTHING(s_wait_alu)
NOTHING(s_delay_alu)
NOTHING(s_clause)
NOTHING(s_monitor_sleep)
NOTHING(s_buffer_prefetch_data)
NOTHING(s_setprio_inc_wg)
NOTHING(s_version)
NOTHING(v_pipeflush)
NOTHING(s_prefetch_inst)
NOTHING(s_prefetch_inst_pc_rel)
NOTHING(s_prefetch_data)
NOTHING(s_prefetch_data_pc_rel)
NOTHING(global_prefetch_b8)
NOTHING(flat_prefetch_b8)
NOTHING(s_atc_probe)
NOTHING(s_atc_probe_buffer)

/* The byte of former banks is for trap handlers. */
FLOW(s_set_vgpr_msb) {
	w->banks = (uint8_t)in->imm;
}

/* ---- traps, halts and messages ---- */

/* As with the runtime's trap handler: 2 is llvm.trap, which ends the dispatch; 3 is
 * llvm.debugtrap, which does nothing without a debugger [LLVM "Trap Handler ABI"]. */
FLOW(s_trap) {
	enum { LLVM_TRAP = 2, LLVM_DEBUGTRAP = 3 };
	unsigned id = in->imm & 255;
	if (id == LLVM_TRAP)
		mx_find(w, in, MX_TRAP, -1, 0, MX_BECAUSE(BUILTIN_TRAP));
	else if (id != LLVM_DEBUGTRAP)
		mx_find(w, in, MX_TRAP, -1, 0, MX_BECAUSE(TRAP, id));
}

FLOW(s_sethalt) {
	if (in->imm & 1)
		mx_find(w, in, MX_STUCK, -1, 0, MX_BECAUSE(HALT));
}

FLOW(s_setkill) {
	if (in->imm & 1)
		mx_find(w, in, MX_UNSUPPORTED, -1, 0, MX_BECAUSE(KILL));
}

static void message_sent(struct mx_wave *w, struct mx_memop *m) {
	UNUSED(w), UNUSED(m);
}

/* An interrupt has no effect on memory. A wave may give back its VGPRs when all that it still has
 * to do is to end; what its stores have read is kept [LLVM SIInsertWaitcnts]. The other messages
 * are for the trap handler and the graphics pipeline. */
FLOW(s_sendmsg) {
	enum { INTERRUPT = 1 };
	unsigned message = in->imm & 15;
	if (message && message == w->group->run->isa->release_message) {
		w->vgprs = w->agprs = 0;
		return;
	}
	if (message != INTERRUPT) {
		mx_find(w, in, MX_UNSUPPORTED, -1, 0, MX_BECAUSE(MESSAGE, message));
		return;
	}
	struct mx_memop *m = mx_memop_new(w, in);
	if (!m)
		return;
	m->land = message_sent;
	mx_memop_issue(w, mx_stream_of(in), m);
}

/* The wave halts when the message is sent, as by s_sethalt 1 [ISA 12.5]. */
FLOW(s_sendmsghalt) {
	mx_x_s_sendmsg(w, in);
	if (!mx_stopped(w))
		mx_find(w, in, MX_STUCK, -1, 0, MX_BECAUSE(HALT));
}

/* ---- branches: the offset counts dwords from the next instruction ---- */

static void branch(struct mx_wave *w, const struct mx_inst *in, bool taken, bool unwritten) {
	if (unwritten)
		mx_find(w, in, MX_UNWRITTEN, -1, 0, MX_BECAUSE(BRANCH_UNWRITTEN));
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
	branch(w, in, !mx_lane_mask(w, MX_VCC), mx_zero_unwritten(w, MX_VCC));
}
FLOW(s_cbranch_vccnz) {
	branch(w, in, mx_lane_mask(w, MX_VCC), mx_zero_unwritten(w, MX_VCC));
}
FLOW(s_cbranch_execz) {
	branch(w, in, !mx_exec(w), false);
}
FLOW(s_cbranch_execnz) {
	branch(w, in, mx_exec(w), false);
}

/* Not taken: the debugger's flags are clear. */
NOTHING(s_cbranch_cdbgsys)
NOTHING(s_cbranch_cdbguser)
NOTHING(s_cbranch_cdbgsys_or_user)
NOTHING(s_cbranch_cdbgsys_and_user)

static uint64_t program_counter(const struct mx_wave *w) {
	return mx_program_base(w->group->run->launch->program) + w->pc;
}

static void jump(struct mx_wave *w, uint64_t target) {
	w->pc = target - mx_program_base(w->group->run->launch->program);
}

FLOW(s_getpc_b64) {
	mx_swrite64(w, mx_result(in), program_counter(w), 0);
}
static void check_target(struct mx_wave *w, const struct mx_inst *in, unsigned code) {
	if (mx_sread64_unwritten(w, code))
		mx_find(w, in, MX_UNWRITTEN, -1, 0, MX_BECAUSE(JUMP_UNWRITTEN));
}

FLOW(s_setpc_b64) {
	check_target(w, in, mx_source(in, 0));
	jump(w, mx_sread64(w, in, mx_source(in, 0)));
}
FLOW(s_add_pc_i64) {
	check_target(w, in, mx_source(in, 0));
	w->pc += mx_sread64(w, in, mx_source(in, 0));
}
FLOW(s_swappc_b64) {
	uint64_t target = mx_sread64(w, in, mx_source(in, 0)), here = program_counter(w);
	check_target(w, in, mx_source(in, 0));
	jump(w, target);
	mx_swrite64(w, mx_result(in), here, 0);
}
FLOW(s_call_b64) {
	mx_swrite64(w, mx_result(in), program_counter(w), 0);
	branch(w, in, true, false);
}

/* ---- forks: the smaller half of the lanes first, the other on a stack [ISA 4.6] ---- */

static unsigned stack_pointer(const struct mx_wave *w) {
	return w->mode >> MX_MODE_CSP_SHIFT;
}
static void set_stack_pointer(struct mx_wave *w, unsigned csp) {
	w->mode = (w->mode & ~(7u << MX_MODE_CSP_SHIFT)) | csp << MX_MODE_CSP_SHIFT;
}

/* An entry is four SGPRs: the lanes, then their pc. */
static void push_lanes(struct mx_wave *w, uint64_t lanes, uint64_t pc) {
	unsigned csp = stack_pointer(w);
	mx_swrite64(w, 4 * csp, lanes, 0);
	mx_swrite64(w, 4 * csp + 2, pc, 0);
	set_stack_pointer(w, csp + 1);
}

static void fork_lanes(struct mx_wave *w, const struct mx_inst *in, uint64_t target) {
	uint64_t mask = mx_sread64(w, in, mx_source(in, 0)), exec = mx_exec(w);
	uint64_t pass = mask & exec, fail = ~mask & exec;
	if (mx_sread64_unwritten(w, mx_source(in, 0)) & exec)
		mx_find(w, in, MX_UNWRITTEN, -1, 0, MX_BECAUSE(BRANCH_UNWRITTEN));
	bool fail_first = __builtin_popcountll(fail) < __builtin_popcountll(pass);
	if (pass && fail) {
		push_lanes(w, fail_first ? pass : fail, fail_first ? target : program_counter(w));
		mx_swrite64(w, MX_EXEC, fail_first ? fail : pass, 0);
	}
	if (pass == exec || (fail && pass && !fail_first))
		jump(w, target);
}

FLOW(s_cbranch_i_fork) {
	fork_lanes(w, in, program_counter(w) + 4 * (int64_t)in->imm);
}
FLOW(s_cbranch_g_fork) {
	if (mx_source(in, 1) >= MX_SGPR_FILE || mx_source(in, 1) % 2) {
		mx_find(w, in, MX_UNSUPPORTED, -1, 0, MX_BECAUSE(TARGET_SGPRS));
		return;
	}
	check_target(w, in, mx_source(in, 1));
	fork_lanes(w, in, mx_sread64(w, in, mx_source(in, 1)));
}
FLOW(s_cbranch_join) {
	unsigned csp = stack_pointer(w);
	if (mx_sread_unwritten(w, mx_source(in, 0)))
		mx_find(w, in, MX_UNWRITTEN, -1, 0, MX_BECAUSE(BRANCH_UNWRITTEN));
	if (mx_sread(w, in, mx_source(in, 0)) == csp)
		return;
	set_stack_pointer(w, --csp);
	csp &= 7;
	check_target(w, in, 4 * csp + 2);
	mx_write_exec(w, in, mx_pair(w->s + 4 * csp), mx_pair(w->s_unwritten + 4 * csp));
	jump(w, mx_pair(w->s + 4 * csp + 2));
}

/* ---- skipping vector instructions ---- */

FLOW(s_setvskip) {
	if (mx_source(in, 1) == MX_LITERAL) {
		mx_find(w, in, MX_UNSUPPORTED, -1, 0, MX_BECAUSE(LITERAL_BIT));
		return;
	}
	uint32_t place = mx_sread(w, in, mx_source(in, 1)) & 31;
	bool skip = mx_sread(w, in, mx_source(in, 0)) >> place & 1;
	if (mx_sread_unwritten(w, mx_source(in, 0)) >> place & 1 ||
	    mx_sread_unwritten(w, mx_source(in, 1)) & 31)
		mx_find(w, in, MX_UNWRITTEN, -1, 0, MX_BECAUSE(VSKIP_UNWRITTEN));
	w->mode = (w->mode & ~MX_MODE_VSKIP) | (skip ? MX_MODE_VSKIP : 0);
}
