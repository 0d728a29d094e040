/* The analysis of order: it numbers operations, tracks the waits and barriers that cover them, and
 * concludes what a launch proves. */
#include "race.h"

#include <stdlib.h>
#include <string.h>

#include "../encoding/control_flow.h"
#include "../encoding/hwreg.h"
#include "../machine/findings.h"
#include "../memory/atomic.h"
#include "../schedule/clusters.h"
#include "../schedule/schedule.h"
#include "lds_barriers.h"
#include "summary.h"
#include "touched.h"
#include "wave_sync.h"

/* ---- the launch ---- */

/* Findings without notes. */
static uint64_t count_findings(const struct mx_report *r) {
	uint64_t n = 0;
	for (size_t i = 0; i < r->n_findings; i++)
		n += mx_finding_class_of(r->findings[i].kind) != MX_FINDING_NOTE;
	return n;
}

static void conclude(const struct mx_run *run, struct mx_race_analysis *o) {
	struct mx_proof *p = &o->proof;
	for (unsigned i = 0; i < MX_PROOF_ALWAYS; i++)
		mx_race_assume(o, i);
	const struct mx_inst *awaited = mx_race_awaited(o);
	if (awaited && (!p->doubt || p->doubt == MX_DOUBT_FLAGS)) {
		p->doubt = MX_DOUBT_POLLS;
		p->pc = mx_pc_of(run, awaited->offset);
		p->other_pc = MX_NO_PC;
	}
	if (mx_run_groups(run) < mx_launch_groups(run->launch) && !p->doubt) {
		p->doubt = MX_DOUBT_SOME_WORKGROUPS;
		p->pc = p->other_pc = MX_NO_PC;
	}
	p->findings = count_findings(run->report);
	if (p->findings) {
		p->doubt = MX_DOUBT_FINDINGS;
		p->pc = p->other_pc = MX_NO_PC;
	}
	p->outcome = p->doubt ? MX_NOT_PROVED : MX_PROVED;
	if (p->doubt)
		p->assumptions = 0;
	run->report->proof = *p;
}

static void free_order(struct mx_race_analysis *o) {
	mx_race_map_free(&o->memory);
	mx_race_map_free(&o->atomics);
	mx_race_sync_end(&o->sync);
	free(o->footprint);
	free(o);
}

static void launch_end(void *context, struct mx_run *run) {
	struct mx_race_analysis *o = context;
	conclude(run, o);
	struct mx_touched *touched = run->launch->touched;
	if (o->no_memory || !mx_race_add_touched(run->launch, o) ||
	    (touched && !mx_touched_sort(touched)))
		run->out_of_memory = true;
	free_order(o);
}

void mx_race_doubt_pair(struct mx_wave *w, const struct mx_inst *in, const struct mx_inst *other,
                        mx_doubt doubt) {
	const struct mx_run *run = w->group->run;
	struct mx_proof *p = &mx_race_analysis_of(run)->proof;
	if (p->doubt)
		return;
	mx_race_analysis_of(run)->doubted = w->group->nth;
	p->doubt = doubt;
	p->pc = mx_pc_of(run, in->offset);
	p->other_pc = other == in ? MX_NO_PC : mx_pc_of(run, other->offset);
}

void mx_race_doubt(struct mx_wave *w, const struct mx_inst *in, mx_doubt doubt) {
	mx_race_doubt_pair(w, in, in, doubt);
}

/* ---- the workgroup ---- */

static bool workgroup_new(void *context, struct mx_group *g) {
	struct mx_race_group *o = calloc(1, sizeof *o);
	(void)context;
	g->watcher_data[MX_WATCHER_ORDER] = o;
	if (!o)
		return false;
	for (unsigned i = 0; i < g->room; i++)
		if (!(o->wave[i] = mx_slabs_take(&o->lds.slabs, sizeof *o->wave[i])))
			return false;
	if (!mx_race_past_new(g))
		return false;
	o->lds.isa = o->lds_atomics.isa = g->run->isa;
	o->lds.group = o->lds_atomics.group = g;
	mx_race_map_readers(&o->lds, g->room);
	mx_race_map_readers(&o->lds_atomics, g->room);
	o->lds.by_cells = g->run->launch->lane_by_lane;
	o->lds_atomics.by_cells = true;
	return true;
}

static void workgroup_begin(void *context, struct mx_group *g) {
	(void)context;
	for (unsigned i = 0; i < g->n_waves; i++)
		memset(mx_race_group_of(g)->wave[i], 0, offsetof(struct mx_race_wave, load));
	mx_race_past_begin(g);
}

static void workgroup_end(void *context, struct mx_group *g) {
	struct mx_race_group *o = mx_race_group_of(g);
	(void)context;
	const struct mx_cluster *c = g->cluster;
	unsigned others = c ? mx_cluster_size(g->run->launch) - 1 : 0;
	if (c && (unsigned)__builtin_popcount(c->ended) == others)
		mx_race_cluster_drop(g);
	mx_race_map_clear(&o->lds);
	mx_race_map_clear(&o->lds_atomics);
	mx_race_drop_clocks(o);
	mx_lds_barriers_drop(o);
	mx_race_past_end(g);
}

/* A workgroup that a finding stopped has operations in flight. */
static void drop_events(struct mx_group *g) {
	for (unsigned i = 0; i < g->room; i++)
		for (unsigned s = 0; s < MX_STREAMS; s++) {
			const struct mx_queue *q = &g->waves[i].queue[s];
			for (unsigned k = 0; k < q->n; k++)
				mx_race_drop_event(q->op[k]);
		}
}

static void workgroup_free(void *context, struct mx_group *g) {
	drop_events(g);
	if (g->cluster)
		mx_race_cluster_drop(g);
	workgroup_end(context, g);
	mx_race_past_free(g);
	mx_race_map_free(&mx_race_group_of(g)->lds);
	mx_race_map_free(&mx_race_group_of(g)->lds_atomics);
	free(mx_race_group_of(g));
}

static void barrier_opens(void *context, struct mx_group *g, unsigned barrier) {
	(void)context;
	mx_race_complete(g, barrier);
}

/* ---- waits ---- */

/* In a stream that is counted in order the last `left` operations may be in flight; in other
 * streams any may be. Operations of other streams on the same counter may be complete, so they do
 * not help.
 */
static bool cover(struct mx_race_wave *o, unsigned stream, mx_stream_order order, unsigned left) {
	uint32_t issued = o->issued[stream];
	if (order == MX_ANY_ORDER && left)
		return false;
	if (issued <= left || issued - left <= o->covered[stream])
		return false;
	o->covered[stream] = issued - left;
	return true;
}

/* Returns the streams of which a wait covers more than before, a bit each. The highest count waits
 * for nothing. */
static unsigned cover_all(const struct mx_wave *w, mx_counts counts) {
	const struct mx_isa *isa = w->group->run->isa;
	struct mx_race_wave *o = mx_race_wave_of(w);
	unsigned more = 0;
	for (unsigned s = 0; s < isa->n_streams; s++) {
		const struct mx_isa_stream *stream = &isa->stream[s];
		unsigned left = mx_count(counts, stream->counter);
		if (left < isa->counter[stream->counter].most)
			more |= (unsigned)cover(o, s, stream->order, left) << s;
	}
	return more;
}

static void wait(void *context, struct mx_wave *w) {
	struct mx_race_analysis *order = context;
	struct mx_race_wave *o = mx_race_wave_of(w);
	unsigned counter = mx_race_stream(w, o->flat_stream)->counter;
	bool flat = mx_count(w->target, counter) && o->flat > o->covered[o->flat_stream];
	/* A count above 0 covered FLAT, or operations issued before FLAT. */
	unsigned streams = cover_all(w, w->target);
	if (!streams)
		return;
	if (flat)
		mx_race_assume(order, MX_PROOF_FLAT_IN_ORDER);
	mx_race_drop_loads(o, streams);
}

/* ---- one instruction ---- */

static bool returns(const struct mx_inst *in) {
	const struct mx_op *op = in->op;
	return op->encoding == MX_DS     ? op->flags & MX_LOAD && op->flags & MX_STORE
	       : op->encoding == MX_SMEM ? in->mem.glc
	                                 : in->mem.sc0;
}

bool mx_race_is_atomic(const struct mx_op *op) {
	return op->rmw || mx_kind_of(op) == MX_IS_LDS_COUNTER;
}

static bool reads_trap_register(const struct mx_isa *isa, const struct mx_inst *in) {
	MX_FOR_OPERANDS(o, in)
		for (unsigned code = o->code; !o->written && code < o->code + o->dwords; code++)
			if (code >= MX_TTMP0 && code < MX_M0 &&
			    !(isa->settled_ttmps >> (code - MX_TTMP0) & 1))
				return true;
	return false;
}

/* Why a launch that executes this instruction is not proved by order alone. */
static mx_doubt doubt_of(const struct mx_isa *isa, const struct mx_inst *in) {
	const struct mx_op *op = in->op;
	if (reads_trap_register(isa, in))
		return MX_DOUBT_TRAP_REGISTER;
	if (op->id == MX_OP_s_barrier_signal_isfirst)
		return MX_DOUBT_BARRIER_FIRST;
	switch (mx_kind_of(op)) {
	case MX_IS_CLOCK: return MX_DOUBT_CLOCK;
	case MX_IS_BARRIER_STATE: return MX_DOUBT_BARRIER_STATE;
	case MX_IS_GETREG:
		return isa->settled_hwregs >> mx_hw_field(in).reg & 1 ? MX_DOUBT_NONE
		                                                      : MX_DOUBT_HARDWARE_REGISTER;
	case MX_IS_MOVREL: return MX_DOUBT_M0_REGISTERS;
	case MX_IS_FORK:
	case MX_IS_JOIN: return MX_DOUBT_BRANCH_STACK;
	default: break;
	}
	if (mx_race_is_atomic(op) && returns(in))
		return MX_DOUBT_ATOMIC_RETURNS;
	if (mx_race_is_atomic(op) && !(mx_rmw_is(op->rmw) & MX_COMMUTES))
		return MX_DOUBT_ATOMIC_ORDER;
	return MX_DOUBT_NONE;
}

bool mx_race_releases(const struct mx_inst *in) {
	return mx_race_is_atomic(in->op) || (mx_has_agent_scope(in) && in->op->flags & MX_STORE);
}

bool mx_race_acquires(const struct mx_inst *in) {
	if (!in->op || !(mx_race_is_atomic(in->op) || mx_has_agent_scope(in)))
		return false;
	return mx_race_is_atomic(in->op) ? returns(in) : in->op->flags & MX_LOAD;
}

/* The streams of which an instruction has the counters, a bit each. */
static uint8_t streams_of(const struct mx_isa *isa, const struct mx_inst *in) {
	unsigned streams = 0;
	for (unsigned s = 0; s < isa->n_streams; s++)
		streams |= (unsigned)(mx_count(in->counts, isa->stream[s].counter) != 0) << s;
	return (uint8_t)streams;
}

/* An instruction issues only if its counters have room, so its oldest operations are over. */
static void make_room(struct mx_wave *w, const struct mx_inst *in, unsigned streams) {
	const struct mx_isa *isa = w->group->run->isa;
	struct mx_race_wave *o = mx_race_wave_of(w);
	bool more = false;
	for (; streams; streams &= streams - 1) {
		unsigned s = (unsigned)__builtin_ctz(streams), counter = isa->stream[s].counter;
		more |= cover(o, s, isa->stream[s].order,
		              isa->counter[counter].most - mx_count(in->counts, counter));
	}
	if (more)
		mx_race_assume(mx_race_analysis_of(w->group->run), MX_PROOF_FULL_COUNTER);
}

static struct mx_quiet_inst inst_of(const struct mx_isa *isa, const struct mx_inst *in) {
	mx_doubt doubt = doubt_of(isa, in);
	return (struct mx_quiet_inst){ mx_race_rows_of(in), !doubt && !in->counts, true,
		                       (uint8_t)doubt, streams_of(isa, in) };
}

static void *derive(const struct mx_program *p, uint64_t entry) {
	size_t n = mx_program_dwords(p);
	const bool *reached = mx_program_reached(p, entry);
	struct mx_quiet_inst *all = reached ? calloc(n + 1, sizeof *all) : NULL;
	for (size_t i = 0; all && i < n; i++) {
		const struct mx_inst *in = reached[i] ? mx_program_at(p, 4 * i) : NULL;
		if (in && in->op)
			all[i] = inst_of(mx_program_isa(p), in);
	}
	return all;
}

static void prepare(struct mx_wave *w, const struct mx_inst *in, const struct mx_quiet_inst *u) {
	mx_doubt doubt = u->doubt;
	if (mx_race_clock_of(w)->n_polls)
		mx_polls_decide(w);
	if (mx_race_clock_of(w)->polls_lds)
		mx_lds_polls_decide(w);
	if (doubt && !(doubt == MX_DOUBT_ATOMIC_RETURNS && mx_lds_arrival_is_dead(w, in)))
		mx_race_doubt(w, in, doubt);
	if (w->mode & w->group->run->isa->mode_index)
		mx_race_doubt(w, in, MX_DOUBT_M0_REGISTERS);
	if (u->streams)
		make_room(w, in, u->streams);
}

static __attribute__((noinline)) void issue_checked(const struct mx_quiet_inst *u,
                                                    struct mx_wave *w, const struct mx_inst *in,
                                                    uint64_t rows, bool prepares) {
	if (prepares)
		prepare(w, in, u);
	if (mx_race_wave_of(w)->may_pend & rows)
		mx_race_check_registers(w, in);
}

static bool has_polls(const struct mx_race_clock *k) {
	return k->n_polls || k->polls_lds;
}

static uint32_t issue(void *context, struct mx_wave *w, const struct mx_inst *in, bool skipped) {
	const struct mx_race_analysis *order = context;
	const struct mx_quiet_inst *u = &order->inst[in->offset / 4];
	struct mx_quiet_inst own;
	if (!u->quiet && !u->known) {
		own = inst_of(w->group->run->isa, in);
		u = &own;
	}
	uint64_t rows = w->banks ? mx_race_rows_in_banks(u->rows) : u->rows;
	const struct mx_race_group *g = mx_race_group_of(w->group);
	bool polls = has_polls(&g->clock[w->index]);
	bool prepares = !u->quiet || polls || w->mode & order->mode_index;
	if (!skipped && (prepares || g->wave[w->index]->may_pend & rows))
		issue_checked(u, w, in, rows, prepares);
	return polls ? 0 : UINT32_MAX;
}

/* Which instructions it needs is decided before they are issued: by what they are, and by
 * registers. It needs each one from the moment on at which a poll has landed. */
static unsigned wave_begin(void *context, struct mx_wave *w) {
	const struct mx_race_analysis *order = context;
	const struct mx_isa *isa = w->group->run->isa;
	w->quiet.inst = w->group->run->launch->lane_by_lane ? NULL : order->inst;
	w->quiet.pending = &mx_race_wave_of(w)->may_pend;
	w->quiet.mode = isa->mode_index | isa->mode_skip;
	return MX_WATCH_ISSUE | MX_WATCH_PRELOAD | MX_WATCH_OPERATION | MX_WATCH_WAIT |
	       MX_WATCH_BARRIER | (order->sync.wave_sync->any ? MX_WATCH_LANDING : 0);
}

static void operation(void *context, struct mx_wave *w, struct mx_memop *m) {
	struct mx_race_wave *o = mx_race_wave_of(w);
	unsigned stream = m->stream;
	mx_race_expect(w, m->in);
	mx_access me = mx_access_of(w, m->in, stream, ++o->issued[stream]);
	const struct mx_race_analysis *order = context;
	const struct mx_wave_sync *sync = order->sync.wave_sync;
	if (sync->any_polls && sync->polls[m->in->offset / 4])
		mx_race_note_poll(w, m);
	if (mx_race_is_atomic(m->in->op) || mx_has_agent_scope(m->in))
		me = mx_access_as_sync(me);
	if (m->in->op->encoding == MX_FLAT && mx_race_stream(w, stream)->path == MX_PATH_MEMORY) {
		o->flat = o->issued[stream];
		o->flat_stream = stream;
	} else if (m->in->op->encoding == MX_FLAT) {
		o->flat_lds = o->issued[stream];
	}
	o->issue[stream][o->issued[stream] % MX_RACE_ISSUES] = w->issued;
	mx_race_note_load(w, m, stream);
	mx_race_access(w, m, me);
	if (sync->any)
		mx_race_release(w, m, stream);
}

static void landed(void *context, struct mx_wave *w, struct mx_memop *m) {
	(void)context;
	mx_race_land(w, m);
}

static void arrive(void *context, struct mx_wave *w, const struct mx_inst *in, unsigned barrier) {
	(void)context;
	if (mx_race_is_of_cluster(w->group, barrier))
		mx_race_cluster_signal(w);
	mx_race_signal(w, in, barrier);
}

static void pass(void *context, struct mx_wave *w, unsigned barrier) {
	(void)context;
	mx_race_pass(w, barrier);
}

static void barrier_changes(void *context, struct mx_wave *w, const struct mx_inst *in,
                            unsigned barrier) {
	(void)context;
	mx_race_barrier_changes(w, in, barrier);
}

static void preload(void *context, struct mx_wave *w, uint64_t address, unsigned bytes) {
	(void)context;
	mx_race_preload(w, address, bytes);
}

/* ---- parts of the launch on several threads ----
 *
 * Workgroups that share no written memory may be analysed apart. What the analysis keeps of a
 * workgroup ends with it: numbers of operations, waits and barriers, accesses to LDS and registers,
 * and the order of its L1. It keeps two things longer:
 *  - The last accesses to device memory. They matter to another workgroup only where both access a
 *    byte and one writes it. Claims conflict before workgroups of two parts do so, and then the
 *    launch is repeated on one thread (machine/claims.c). Workgroups that ran before the parts
 *    have made no claims, so `meets` compares their accesses with those of each part.
 *  - Clocks, flags and polled values. Launches whose waves synchronise through memory run on one
 *    thread.
 * Findings abort all parts, so the results of a part are counts, assumptions and the first doubt.
 * The first doubt of the launch is that of the workgroup that started first, provided that each
 * workgroup ended before the thread's next one began. */

static struct mx_watcher watcher(struct mx_race_analysis *o);

static struct mx_race_analysis *new_order(const struct mx_launch *l) {
	struct mx_race_analysis *o = calloc(1, sizeof *o);
	if (!o)
		return NULL;
	o->proof.pc = o->proof.other_pc = MX_NO_PC;
	o->summary = MX_BY_STEP(mx_summary)();
	o->mode_index = mx_program_isa(l->program)->mode_index;
	o->inst = mx_program_derived(l->program, derive,
	                             l->kernel->entry - mx_program_base(l->program));
	o->footprint = calloc(mx_program_dwords(l->program) + 1, sizeof *o->footprint);
	if (!o->inst || !o->footprint || !mx_race_sync_begin(&o->sync, l)) {
		free_order(o);
		return NULL;
	}
	o->memory.lists = o->atomics.lists = o->sync.wave_sync->any;
	o->memory.by_cells = l->lane_by_lane;
	o->atomics.by_cells = true;
	o->memory.isa = o->atomics.isa = mx_program_isa(l->program);
	mx_race_map_readers(&o->memory, mx_waves_of(o->memory.isa, l->block));
	mx_race_map_readers(&o->atomics, mx_waves_of(o->memory.isa, l->block));
	return o;
}

static bool part_begin(void *context, struct mx_run *part) {
	struct mx_race_analysis *o = new_order(part->launch);
	(void)context;
	if (o)
		part->watchers[MX_WATCHER_ORDER] = watcher(o);
	return o;
}

/* Whether workgroups of the part and workgroups before it share memory that one of them writes. */
static bool meets(const struct mx_race_analysis *before, const struct mx_race_analysis *part) {
	return mx_race_maps_meet(&before->memory, &part->memory) ||
	       mx_race_maps_share(&before->atomics, &part->atomics) ||
	       mx_race_maps_share(&before->atomics, &part->memory) ||
	       mx_race_maps_share(&before->memory, &part->atomics);
}

static bool part_stands(void *context, const struct mx_run *part, bool in_order) {
	const struct mx_race_analysis *o = mx_race_analysis_of(part);
	return (in_order || !o->proof.doubt) && !meets(context, o);
}

static void part_end(void *context, struct mx_run *part, bool keep) {
	struct mx_race_analysis *o = context, *p = mx_race_analysis_of(part);
	if (keep) {
		o->proof.accesses += p->proof.accesses;
		o->proof.assumptions |= p->proof.assumptions;
	}
	if (keep && !mx_race_add_touched(part->launch, p))
		o->no_memory = true;
	if (keep && p->proof.doubt && (!o->proof.doubt || p->doubted < o->doubted)) {
		o->proof.doubt = p->proof.doubt;
		o->proof.pc = p->proof.pc;
		o->proof.other_pc = p->proof.other_pc;
		o->doubted = p->doubted;
	}
	free_order(p);
}

/* ---- the watcher ---- */

/* If waves synchronise through memory, landings and the order of turns matter. */
static struct mx_watcher watcher(struct mx_race_analysis *o) {
	bool sync = o->sync.wave_sync->any;
	return (struct mx_watcher){
		.context = o,
		.one_thread = sync,
		.short_turns = sync,
		.launch_end = launch_end,
		.part_begin = part_begin,
		.part_stands = part_stands,
		.part_end = part_end,
		.workgroup_new = workgroup_new,
		.workgroup_begin = workgroup_begin,
		.workgroup_end = workgroup_end,
		.workgroup_free = workgroup_free,
		.wave_begin = wave_begin,
		.preload = preload,
		.issue = issue,
		.operation = operation,
		.landed = sync ? landed : NULL,
		.wait = wait,
		.arrive = arrive,
		.pass = pass,
		.barrier_changes = barrier_changes,
		.barrier_opens = barrier_opens,
	};
}

bool mx_race_watch(struct mx_run *run) {
	if (!(run->launch->analysis & MX_ANALYSE_ORDER))
		return true;
	struct mx_race_analysis *o = new_order(run->launch);
	if (o)
		run->watchers[MX_WATCHER_ORDER] = watcher(o);
	return o;
}
