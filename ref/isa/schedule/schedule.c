/* One workgroup under a schedule: which wave runs, for how long, and what it issues.
 * All choices follow from the random numbers of the group, so a seed is a schedule. */
#include <math.h>
#include <string.h>

#include "../../num/clock.h"
#include "../machine/findings.h"
#include "barriers.h"
#include "course.h"
#include "inflight.h"
#include "random.h"
#include "schedule.h"
#include "typical.h"

/* ---- one instruction ---- */

static void refuse(struct mx_wave *w, const struct mx_inst *in) {
	if (!in)
		mx_find(w, NULL, MX_FAULT, -1, 0, MX_BECAUSE(CODE_END));
	else if (!in->op && !in->unsupported)
		mx_find(w, in, MX_UNSUPPORTED, -1, 0, MX_BECAUSE(NOT_IN_TABLE));
	else
		mx_find(w, in, MX_UNSUPPORTED, -1, 0,
		        MX_BECAUSE_OF(NOT_IMPLEMENTED, in->unsupported));
}

/* Instructions that MODE may skip [ISA 12.4: VSKIP]. */
static bool is_vector(const struct mx_inst *in) {
	return in->op->encoding > MX_SMEM;
}

static bool is_vector_alu(const struct mx_inst *in) {
	return in->op->encoding >= MX_VOP2 && in->op->encoding <= MX_MAI;
}

/* Moves to and from AGPRs. VGPR indexing is not documented for them. Published GEMMs read their
 * accumulators by v_accvgpr_read with an index on SRC0, so an index counts in either file. */
static bool moves_agprs(const struct mx_inst *in) {
	return in->op->flags & (MX_TO_AGPR | MX_FROM_AGPR) && is_vector_alu(in);
}

/* VGPR indexing is not documented for matrix instructions and exchanges. For conversions it is not
 * implemented. */
static bool indexes_wrongly(const struct mx_inst *in) {
	const struct mx_op *op = in->op;
	mx_kind kind = mx_kind_of(op);
	bool matrix = op->encoding == MX_MAI && !moves_agprs(in);
	return is_vector_alu(in) &&
	       (mx_is_cvt(op) || matrix || kind == MX_IS_SWAP || kind == MX_IS_PERMLANE_SWAP);
}

static void check_indexing(struct mx_wave *w, const struct mx_inst *in) {
	if (indexes_wrongly(in))
		mx_find(w, in, MX_UNSUPPORTED, -1, 0, MX_BECAUSE(INDEXING));
	else if (moves_agprs(in))
		mx_assume(w, in, 0, MX_ASSUMES_AGPR_INDEX);
}

/* Beyond the allocation hardware reads SGPR0 and drops writes [ISA 3.6.1], so this is a mistake in
 * the kernel descriptor. */
static bool sgprs_exist(struct mx_wave *w, const struct mx_inst *in) {
	unsigned allocated = w->group->run->sgprs;
	if (!allocated || in->sgprs <= allocated)
		return true;
	mx_find(w, in, MX_UNSUPPORTED, -1, 0, MX_BECAUSE(SGPR_BEYOND, in->sgprs - 1u, allocated));
	return false;
}

/* At the first instruction of a wave, after so many others, and at the limit of instructions. */
bool mx_within_limits(struct mx_wave *w, const struct mx_inst *in) {
	enum { BETWEEN_CHECKS = 1 << 18 };
	const struct mx_run *run = w->group->run;
	if (w->issued > run->max_instructions) {
		mx_find(w, in, MX_STUCK, -1, 0, MX_BECAUSE(LIMIT, run->max_instructions));
		return false;
	}
	if (run->deadline && mx_nanoseconds() > run->deadline) {
		mx_find(w, in, MX_LATE, -1, 0,
		        MX_BECAUSE(LATE, (uint64_t)ceil(run->launch->time_limit)));
		return false;
	}
	w->limited_at = run->max_instructions - w->issued > BETWEEN_CHECKS
	                        ? w->issued + BETWEEN_CHECKS
	                        : run->max_instructions;
	return true;
}

/* Brings the next instruction to the cache: a kernel has more of them than fit there. */
static inline void fetch_next(const struct mx_inst *in) {
	const struct mx_inst *next = in + in->size / 4;
	__builtin_prefetch(next);
	__builtin_prefetch(next->operand);
	__builtin_prefetch(&next->mem);
}

static void watch_issue(struct mx_wave *w, const struct mx_inst *in, bool skip) {
	struct mx_quiet *q = &w->quiet;
	if (in->offset != q->next || in->offset >= q->end || w->mode & q->mode || w->banks) {
		mx_watch_issue(w, in, skip);
		return;
	}
	const struct mx_quiet_inst *i = &q->inst[in->offset / 4];
	if (!i->quiet || i->rows & *q->pending)
		mx_watch_quiet(w, in);
	else
		q->next += in->size;
}

static void step(struct mx_wave *w) {
	struct mx_group *g = w->group;
	struct mx_run *run = g->run;
	const struct mx_program *p = run->launch->program;
	const struct mx_inst *in = mx_program_under(p, w->pc, w->banks);
	if (!in || !in->op || in->unsupported) {
		refuse(w, in);
		return;
	}
	fetch_next(in);
	if (!sgprs_exist(w, in))
		return;
	bool skip = w->mode & run->isa->mode_skip && is_vector(in);
	if (!skip && mx_counter_full(w, in)) {
		w->status = MX_WAITING;
		return;
	}
	if (!skip && w->mode & run->isa->mode_index)
		check_indexing(w, in);
	if (++w->issued > w->limited_at && !mx_within_limits(w, in))
		return;
	g->clock += !g->units;
	run->report->stats.instructions++;
	run->report->stats.by_op[in->op->id]++;
	if (w->wanted & MX_WATCH_ISSUE)
		watch_issue(w, in, skip);
	if (mx_course_records(w))
		mx_course_record(w, in, skip);
	w->pc += in->size;
	if (!skip)
		run->handlers[in->op->id](w, in);
	if (mx_course_records(w))
		mx_course_recorded(w, in, skip);
	if (g->units)
		mx_typical_issued(w, in);
	if (w->next_due <= g->clock && !run->launch->schedule)
		mx_land_due(w);
}

/* ---- the group ---- */

static bool is_favoured(const struct mx_wave *other, const struct mx_wave *w) {
	return other->priority > w->priority && other->status == MX_READY;
}

/* Usually lets a ready wave of higher priority go first, if there is one. The chance does not
 * depend on their number, so that many waves in a loop do not keep another from its turn. */
static struct mx_wave *favour(struct mx_group *g, struct mx_wave *w) {
	unsigned n = 0;
	for (unsigned i = 0; g->prioritised && i < g->n_waves; i++)
		n += is_favoured(&g->waves[i], w);
	if (!n || !mx_random_below(&g->random, 4))
		return w;
	unsigned k = n > 1 ? mx_random_below(&g->random, n) : 0;
	for (unsigned i = 0; i < g->n_waves; i++)
		if (is_favoured(&g->waves[i], w) && !k--)
			return &g->waves[i];
	return w;
}

/* A wave that is not idle; the slow one rarely, unless it is the only one. */
static struct mx_wave *pick(struct mx_group *g) {
	if (g->units)
		return mx_typical_pick(g);
	struct mx_wave *forced = mx_turns_forced(g);
	if (forced || g->policy.ranked)
		return forced ? forced : mx_turns_pick(g);
	unsigned next = mx_random_below(&g->random, g->n_waves);
	struct mx_wave *slow = NULL;
	for (unsigned i = 0; i < g->n_waves; i++) {
		struct mx_wave *w = &g->waves[next];
		next = next + 1 < g->n_waves ? next + 1 : 0;
		if (mx_idle(w))
			continue;
		if (w->index != g->slow_wave || mx_random_below(&g->random, 16) == 0)
			return favour(g, w);
		slow = w;
	}
	return slow;
}

static void land_due_of_all(struct mx_group *g) {
	if (g->run->launch->schedule)
		mx_land_due_by_rank(g);
	else
		mx_land_due_of_all(g);
}

static uint64_t turn_length(struct mx_wave *w) {
	struct mx_group *g = w->group;
	if (g->policy.ranked)
		return mx_turns_length(w);
	return 1 + mx_random_below(&g->random, 1u << g->policy.quantum_bits);
}

static void give_turn(struct mx_wave *w) {
	uint64_t quantum = turn_length(w);
	if (w->status != MX_READY && mx_land_one(w) && w->status != MX_WAITING)
		return;
	if (w->status == MX_WAITING && mx_wait_over(w))
		w->status = MX_READY;
	w->yields = false;
	while (quantum && w->group->clock < w->group->turn_end && w->status == MX_READY &&
	       !w->yields && !mx_stopped(w)) {
		if (w->follows) {
			quantum -= mx_course_follow(w, quantum);
			continue;
		}
		quantum--;
		step(w);
		if (w->group->outlived_slice)
			mx_note_round(w);
	}
}

static void next_turn(struct mx_group *g, struct mx_wave *w) {
	uint64_t start = g->clock;
	if (g->run->launch->record)
		mx_record_turn(g, w);
	give_turn(w);
	if (!g->units)
		mx_turns_end(w, start);
	g->last = w;
}

bool mx_group_run(struct mx_group *g, uint64_t budget) {
	g->turn_end = g->clock + budget;
	while (g->clock < g->turn_end && !mx_stopped(g->waves)) {
		struct mx_wave *w = pick(g);
		if (!w)
			return mx_group_ended(g);
		next_turn(g, w);
		mx_barriers_complete(g);
		if (g->in_flight)
			land_due_of_all(g);
	}
	return false;
}
