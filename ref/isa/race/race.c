/* The analysis of order: operations by number, the waits and barriers that cover them, and what
 * a launch without a finding proves. */
#include "race.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../encoding/hwreg.h"
#include "../memory/atomic.h"
#include "../schedule/schedule.h"
#include "wave_sync.h"

/* ---- the launch ---- */

enum { SLICE = 64 };

/* Where workgroups tell each other something, what the others do depends on it: they take turns, so
 * that one does not do it all. */
static void interleave(struct mx_run *run) {
	const struct mx_launch *l = run->launch;
	if (!run->order->sync.wave_sync->any || run->slice || l->schedule)
		return;
	run->slice = SLICE;
	if (l->record)
		l->record->slice = SLICE;
}

void mx_order_begin(struct mx_run *run) {
	const struct mx_launch *l = run->launch;
	if (!(l->analysis & MX_ANALYSE_ORDER))
		return;
	struct mx_order *o = run->order = calloc(1, sizeof *o);
	if (o)
		o->doubt = calloc(mx_program_dwords(l->program) + 1, sizeof *o->doubt);
	if (!o || !o->doubt || !mx_order_sync_begin(run)) {
		run->out_of_memory = true;
		return;
	}
	interleave(run);
	o->memory.lists = o->atomics.lists = o->sync.wave_sync->any;
	const uint32_t *b = l->block;
	o->memory.readers = o->atomics.readers =
		2 * ((b[0] * b[1] * b[2] + MX_LANES - 1) / MX_LANES);
}

static const char *const assumptions = "this code object, input and grid; nothing else writes to "
				       "its memory; waits and barriers as "
				       "[ISA 4.4]; no value derives from an address";

static const char flat_in_order[] =
	"; FLAT in device memory counts in order with the rest of vmcnt [LLVM SIInsertWaitcnts]";
static const char full_counter[] = "; a full counter stalls issue";
static const char one_l1[] =
	"; no threadgroup split: one L1 takes the vector memory of a workgroup in "
	"order of issue [LLVM \"Memory Model gfx942\"]";

static void conclude(const struct mx_run *run, const struct mx_order *o) {
	struct mx_report *r = run->report;
	size_t findings = 0;
	for (size_t i = 0; i < r->n_findings; i++)
		findings += r->findings[i].kind != MX_WAIT_STATES_NOTE &&
		            r->findings[i].kind != MX_ASSUMED_NOTE;
	char other[40] = "";
	if (o->reason && o->other_pc != o->reason_pc)
		snprintf(other, sizeof other, ", behind +0x%llx", (unsigned long long)o->other_pc);
	if (findings)
		snprintf(r->order, sizeof r->order, "not proved: there are findings");
	else if (o->reason)
		snprintf(r->order, sizeof r->order, "not proved: %s at +0x%llx%s", o->reason,
		         (unsigned long long)o->reason_pc, other);
	else
		snprintf(r->order, sizeof r->order, "proved for this launch, assuming: %s%s%s%s",
		         assumptions, o->flat_in_order ? flat_in_order : "",
		         o->full_counter ? full_counter : "", o->one_l1 ? one_l1 : "");
}

void mx_order_end(struct mx_run *run) {
	struct mx_order *o = run->order;
	if (!o)
		return;
	if (o->doubt)
		conclude(run, o);
	mx_order_map_clear(&o->memory);
	mx_order_map_clear(&o->atomics);
	mx_order_sync_end(&o->sync);
	free(o->doubt);
	free(o);
	run->order = NULL;
}

static uint64_t pc_of(const struct mx_run *run, const struct mx_inst *in) {
	return mx_program_base(run->launch->program) + in->offset - run->launch->kernel->entry;
}

void mx_order_doubt_pair(struct mx_wave *w, const struct mx_inst *in, const struct mx_inst *other,
                         const char *reason) {
	const struct mx_run *run = w->group->run;
	if (run->order->reason)
		return;
	run->order->reason = reason;
	run->order->reason_pc = pc_of(run, in);
	run->order->other_pc = pc_of(run, other);
}

void mx_order_doubt(struct mx_wave *w, const struct mx_inst *in, const char *reason) {
	mx_order_doubt_pair(w, in, in, reason);
}

/* ---- the workgroup ---- */

bool mx_order_group_new(struct mx_group *g) {
	if (g->run->order)
		g->order = calloc(1, sizeof *g->order);
	if (g->order)
		g->order->lds.readers = g->order->lds_atomics.readers = 2 * g->room;
	return !g->run->order || g->order;
}

void mx_order_group_free(struct mx_group *g) {
	if (!g->order)
		return;
	mx_order_map_clear(&g->order->lds);
	mx_order_map_clear(&g->order->lds_atomics);
	mx_order_forget(g->order);
	free(g->order);
}

void mx_order_group_start(struct mx_group *g) {
	if (!g->order)
		return;
	mx_order_map_clear(&g->order->lds);
	mx_order_map_clear(&g->order->lds_atomics);
	mx_order_forget(g->order);
	for (unsigned i = 0; i < g->n_waves; i++)
		memset(&g->order->wave[i], 0, offsetof(struct mx_order_wave, load));
}

/* What every wave has waited for is over for all that begins behind the barrier; the waits of a
 * wave that ended too, as the barrier opened behind its end. */
void mx_order_barrier(struct mx_group *g) {
	for (unsigned i = 0; g->order && i < g->n_waves; i++) {
		struct mx_order_wave *o = &g->order->wave[i];
		memcpy(o->shared, o->covered, sizeof o->shared);
		memcpy(o->before, o->issued, sizeof o->before);
	}
	if (g->order && g->run->order->sync.wave_sync->any)
		mx_order_meet(g);
}

/* ---- waits ---- */

/* Of a stream that returns in order no more than `left` are on their way, the last ones; of
 * others any may be. What shares the counter may be done, and so does not help. */
static bool cover(struct mx_order_wave *o, unsigned stream, unsigned left) {
	uint32_t issued = o->issued[stream];
	if (!mx_stream_is_ordered(stream) && left)
		return false;
	if (issued <= left || issued - left <= o->covered[stream])
		return false;
	o->covered[stream] = issued - left;
	return true;
}

/* Whether more is covered than before. The highest count is no wait. */
static bool cover_all(struct mx_order_wave *o, unsigned vm, unsigned lgkm) {
	bool more = false;
	for (unsigned stream = 0; stream < MX_STREAMS; stream++) {
		bool is_lgkm = stream == MX_STREAM_DS || stream == MX_STREAM_SM;
		unsigned left = is_lgkm ? lgkm : vm;
		if (left < (is_lgkm ? MX_LGKMCNT_MAX : MX_VMCNT_MAX))
			more |= cover(o, stream, left);
	}
	return more;
}

void mx_order_wait(struct mx_wave *w) {
	struct mx_order_wave *o = &w->group->order->wave[w->index];
	bool flat = w->vm_target && o->flat > o->covered[MX_STREAM_VM];
	if (cover_all(o, w->vm_target, w->lgkm_target) && flat)
		w->group->run->order->flat_in_order = true;
}

/* ---- one instruction ---- */

static bool returns(const struct mx_inst *in) {
	const struct mx_op *op = in->op;
	return op->encoding == MX_DS     ? op->flags & MX_LOAD && op->flags & MX_STORE
	       : op->encoding == MX_SMEM ? in->mem.glc
	                                 : in->mem.sc0;
}

bool mx_order_is_atomic(const struct mx_op *op) {
	return op->rmw || mx_kind_of(op) == MX_IS_LDS_COUNTER;
}

/* The caches' scope of a load or store: agent and wider, as atomic ones of compiled code have
 * [LLVM "Memory Model gfx942"]. */
static bool is_flag(const struct mx_inst *in) {
	mx_encoding e = in->op->encoding;
	return (e == MX_FLAT || e == MX_GLOBAL || e == MX_MUBUF) && in->mem.sc1;
}

/* Why a launch that executes this instruction depends on more than order. */
static const char *reason_of(const struct mx_inst *in) {
	const struct mx_op *op = in->op;
	MX_FOR_OPERANDS(o, in)
		if (!o->written && o->code >= MX_TTMP0 && o->code < MX_M0)
			return "reads a register of trap handlers";
	switch (mx_kind_of(op)) {
	case MX_IS_CLOCK: return "reads a clock";
	case MX_IS_GETREG:
		return mx_hw_field(in).reg != MX_HW_MODE ? "reads a hardware register" : NULL;
	case MX_IS_MOVREL: return "registers that M0 names";
	case MX_IS_FORK:
	case MX_IS_JOIN: return "registers that hold a stack of branches";
	default: break;
	}
	if (mx_order_is_atomic(op) && returns(in))
		return "an atomic returns what was there";
	if (mx_order_is_atomic(op) && !(mx_rmw_is(op->rmw) & MX_COMMUTES))
		return "atomics whose order matters";
	return NULL;
}

bool mx_order_releases(const struct mx_inst *in) {
	return mx_order_is_atomic(in->op) || (is_flag(in) && in->op->flags & MX_STORE);
}

bool mx_order_acquires(const struct mx_inst *in) {
	if (!in->op || !(mx_order_is_atomic(in->op) || is_flag(in)))
		return false;
	return mx_order_is_atomic(in->op) ? returns(in) : in->op->flags & MX_LOAD;
}

/* An instruction that has issued found its counters with room: the oldest operations are over. */
static void make_room(struct mx_wave *w, const struct mx_inst *in) {
	unsigned vm, lgkm;
	if (mx_room_to_issue(in, &vm, &lgkm))
		w->group->run->order->full_counter |=
			cover_all(&w->group->order->wave[w->index], vm, lgkm);
}

void mx_order_step(struct mx_wave *w, const struct mx_inst *in) {
	struct mx_order_doubt *u = &w->group->run->order->doubt[in->offset / 4];
	struct mx_order_wave *o = &w->group->order->wave[w->index];
	if (w->group->order->known[w->index].n_polls)
		mx_polls_decide(w);
	if (!u->known) {
		u->reason = w->group->run->order->sync.wave_sync->polls[in->offset / 4]
		                    ? "waits in a loop for what others write"
		                    : reason_of(in);
		u->known = true;
	}
	if (u->reason)
		mx_order_doubt(w, in, u->reason);
	if (w->mode & MX_MODE_GPR_IDX_EN)
		mx_order_doubt(w, in, "registers that M0 names");
	make_room(w, in);
	for (unsigned i = 0; i < MX_ROWS / 64; i++)
		if (o->pending[i]) {
			mx_order_check_registers(w, in);
			break;
		}
}

static unsigned stream_of(const struct mx_wave *w, const struct mx_queue *q) {
	if (q == &w->ds)
		return MX_STREAM_DS;
	if (q == &w->sm)
		return MX_STREAM_SM;
	if (q == &w->fl)
		return MX_STREAM_FL;
	return q == &w->sc ? MX_STREAM_SCRATCH : MX_STREAM_VM;
}

void mx_order_issue(struct mx_wave *w, const struct mx_queue *q, struct mx_memop *m) {
	struct mx_order_wave *o = &w->group->order->wave[w->index];
	unsigned stream = stream_of(w, q);
	mx_access me = mx_access_of(w, m->in, stream, ++o->issued[stream]);
	me |= (uint64_t)(mx_order_is_atomic(m->in->op) || is_flag(m->in)) << 63;
	if (m->in->op->encoding == MX_FLAT && stream == MX_STREAM_VM)
		o->flat = o->issued[stream];
	mx_order_note_load(w, m, stream);
	mx_order_access(w, m, me);
	mx_order_release(w, m, stream);
}

void mx_order_arrive(struct mx_wave *w, const struct mx_inst *in) {
	w->group->order->wave[w->index].barrier = in;
}
