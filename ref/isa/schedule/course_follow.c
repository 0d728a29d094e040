/* Following a course, and leaving it. */
#include <string.h>

#include "../machine/findings.h"
#include "../machine/registers.h"
#include "course_inside.h"
#include "schedule.h"

static const struct mx_inst *inst_of(const struct mx_wave *w, const struct mx_course_step *s) {
	return mx_program_under(w->group->run->launch->program, s->pc, s->banks);
}

/* ---- leaving ---- */

/* Whether a load has landed; a wave does not touch the registers of one that has not. */
static bool has_landed(const struct mx_course_op *op, const struct mx_memop *landing) {
	return !op->in_flight && op->m != landing;
}

static void repeat(struct mx_wave *w, const struct mx_memop *landing) {
	const struct mx_course *c = w->course;
	struct mx_run *run = w->group->run;
	struct mx_course_op *const *op = c->op;
	uint64_t issued = w->issued;
	run->silent = true;
	mx_registers_start(w);
	run->isa->start(w);
	for (uint64_t i = 0; i < issued; i++) {
		const struct mx_course_step *s = &c->step[i];
		const struct mx_inst *in = inst_of(w, s);
		w->pc = s->pc + in->size;
		if (s->computes)
			run->handlers[in->op->id](w, in);
		if (s->issues && (*op)->result && has_landed(*op, landing))
			mx_course_result_write(w, *op);
		op += s->issues;
	}
	run->silent = false;
}

/* A copy of an operation in flight, which belongs to no course. */
static struct mx_memop *copy_of(struct mx_wave *w, struct mx_memop *m) {
	struct mx_memop *copy = mx_memop_new(w, m->in);
	if (!copy)
		return m;
	memcpy(copy, m, sizeof *m);
	copy->kept = NULL;
	w->course->in_flight--;
	m->kept->in_flight = false;
	return copy;
}

static void take_operations(struct mx_wave *w, const struct mx_memop *landing) {
	for (unsigned s = 0; s < MX_STREAMS; s++)
		for (unsigned i = 0; i < w->queue[s].n; i++)
			if (w->queue[s].op[i] != landing)
				w->queue[s].op[i] = copy_of(w, w->queue[s].op[i]);
}

void mx_course_leave(struct mx_wave *w, const struct mx_memop *landing) {
	struct mx_stats *stats = &w->group->run->report->stats;
	uint64_t known = stats->known, mfma = stats->mfma;
	w->course->leaves++;
	stats->left++;
	repeat(w, landing);
	take_operations(w, landing);
	stats->known = known;
	stats->mfma = mfma;
	mx_course_end(w);
}

/* ---- following ---- */

/* How many of n instructions may issue before something is due, or limits are checked. */
static uint64_t at_once(const struct mx_wave *w, uint64_t n) {
	uint64_t clock = w->group->clock;
	uint64_t due = w->next_due > clock ? w->next_due - clock : 1;
	uint64_t limit = w->limited_at > w->issued ? w->limited_at - w->issued : 1;
	n = due < n ? due : n;
	return limit < n ? limit : n;
}

/* As if so many instructions had issued. False at the limit. */
static inline bool issue(struct mx_wave *w, uint64_t n) {
	uint64_t first = w->issued;
	w->issued += n;
	if (w->issued > w->limited_at && !mx_within_limits(w, inst_of(w, &w->course->step[first])))
		return false;
	w->group->clock += n;
	w->group->run->report->stats.instructions += n;
	return true;
}

/* After an instruction. */
static void land_due(struct mx_wave *w) {
	if (w->next_due <= w->group->clock && !w->group->run->launch->schedule)
		mx_land_due(w);
}

/* Up to n instructions that compute. */
static uint64_t compute(struct mx_wave *w, uint64_t n) {
	n = at_once(w, n);
	if (issue(w, n))
		land_due(w);
	return n;
}

static bool have_landed(const struct mx_course_op *op) {
	for (; op; op = op->next)
		if (op->in_flight)
			return false;
	return true;
}

static void repeat_notes(struct mx_wave *w, const struct mx_course_event *e) {
	for (unsigned i = 0; i < e->n_notes; i++)
		mx_assume(w, e->in, e->note[i].lanes, e->note[i].rule);
}

/* Brings what the issue of a later operation reads to the cache. */
static void fetch_ahead(const struct mx_course *c, size_t event) {
	enum { LINE = 64, AHEAD = 3 };
	size_t i = event + AHEAD < c->n_events ? event + AHEAD : event;
	const struct mx_course_event *e = &c->event[i];
	__builtin_prefetch(e->m, 1);
	__builtin_prefetch((const char *)e->m + LINE, 1);
	__builtin_prefetch(e->op, 1);
}

static void issue_operation(struct mx_wave *w, const struct mx_course_event *e) {
	struct mx_course_op *op = e->op;
	struct mx_memop *m = op->m;
	if (mx_counter_full(w, e->in)) {
		w->status = MX_WAITING;
		return;
	}
	if (!issue(w, 1))
		return;
	fetch_ahead(w->course, w->course_event);
	repeat_notes(w, e);
	if (op->fresh)
		memcpy(m, op->fresh, sizeof *m);
	m->kept = op;
	m->held = 0;
	m->note = NULL;
	m->issue = w->issued;
	op->in_flight = true;
	w->course->in_flight++;
	w->course_event++;
	mx_memop_issue(w, m->stream, m);
	land_due(w);
}

static void flow(struct mx_wave *w, const struct mx_course_event *e) {
	if (!issue(w, 1))
		return;
	w->course_event++;
	w->pc = w->course->step[w->issued - 1].pc + e->in->size;
	w->group->run->handlers[e->in->op->id](w, e->in);
	land_due(w);
}

static void compute_noted(struct mx_wave *w, const struct mx_course_event *e) {
	if (!issue(w, 1))
		return;
	w->course_event++;
	repeat_notes(w, e);
	land_due(w);
}

/* One event, or instructions before it. Returns the number of instructions. */
static uint64_t follow_some(struct mx_wave *w, uint64_t most) {
	const struct mx_course_event *e = &w->course->event[w->course_event];
	uint64_t n = e->issue - 1 - w->issued;
	if (n)
		return compute(w, n < most ? n : most);
	switch (e->kind) {
	case MX_COURSE_OP: issue_operation(w, e); return 1;
	case MX_COURSE_FLOW: flow(w, e); return 1;
	case MX_COURSE_NOTE: compute_noted(w, e); return 1;
	case MX_COURSE_CHECK: break;
	}
	if (have_landed(e->op))
		w->course_event++;
	else
		mx_course_leave(w, NULL);
	return 0;
}

static bool goes_on(const struct mx_wave *w) {
	return w->follows && w->status == MX_READY && !w->yields && !mx_stopped(w);
}

uint64_t mx_course_follow(struct mx_wave *w, uint64_t most) {
	const struct mx_group *g = w->group;
	uint64_t used = 0, left = g->turn_end - g->clock;
	most = most < left ? most : left;
	if (g->outlived_slice) {
		mx_course_leave(w, NULL);
		return 0;
	}
	while (used < most && goes_on(w))
		used += follow_some(w, most - used);
	if (w->follows && w->status == MX_ENDED) {
		w->group->run->report->stats.followed++;
		mx_course_end(w);
	} else if (w->follows)
		w->pc = w->course->step[w->issued].pc;
	return used;
}
