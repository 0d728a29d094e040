/* What the executor tells courses of a wave: its start, landings, its end. */
#include <string.h>

#include "course_inside.h"

bool mx_course_begin(struct mx_wave *w) {
	struct mx_course *c = mx_course_of(w);
	w->course = NULL;
	w->follows = false;
	w->course_event = 0;
	if (!c)
		return false;
	if (c->state == MX_COURSE_NEW) {
		mx_course_record_begin(w, c);
		return false;
	}
	for (size_t i = 0; c->in_flight && i < c->n_ops; i++)
		c->op[i]->in_flight = false;
	c->in_flight = 0;
	c->follows++;
	w->course = c;
	return w->follows = true;
}

/* Arguments that are in registers may be others. */
static bool starts_the_same(const struct mx_wave *w) {
	const struct mx_course *c = w->course;
	for (unsigned i = 0; i < MX_SGPR_FILE; i++)
		if (c->written[i] && w->s[i] != c->s[i])
			return false;
	return true;
}

void mx_course_started(struct mx_wave *w) {
	if (mx_course_records(w))
		mx_course_record_started(w);
	else if (w->follows && !starts_the_same(w))
		mx_course_leave(w, NULL);
}

/* Lands it, and returns as which access that was counted; or MX_TOGETHER_KINDS. */
static mx_together land_counted(struct mx_wave *w, struct mx_memop *m) {
	const uint64_t *now = w->group->run->report->stats.together;
	uint64_t before[MX_TOGETHER_KINDS];
	unsigned kind = 0;
	memcpy(before, now, sizeof before);
	m->land(w, m);
	while (kind < MX_TOGETHER_KINDS && now[kind] == before[kind])
		kind++;
	return (mx_together)kind;
}

/* Lands in registers, and compares them with the course. */
static void land_followed(struct mx_wave *w, struct mx_memop *m) {
	struct mx_stats *stats = &w->group->run->report->stats;
	uint64_t together[MX_TOGETHER_KINDS];
	m->land(w, m);
	if (!m->kept->result || mx_course_result_is(w, m->kept))
		return;
	mx_course_leave(w, m);
	memcpy(together, stats->together, sizeof together);
	m->land(w, m); /* to the registers as they would be */
	memcpy(stats->together, together, sizeof together);
}

void mx_course_land(struct mx_wave *w, struct mx_memop *m) {
	struct mx_course_op *op = m->kept;
	if (mx_course_records(w)) {
		mx_course_record_landed(w, m, land_counted(w, m));
		return;
	}
	op->course->in_flight -= op->in_flight;
	op->in_flight = false;
	if (op->access && w->group->run->isa->land_access(w, op->access))
		return;
	if (w->follows && !op->access) {
		land_followed(w, m);
		return;
	}
	if (w->follows && op->result)
		mx_course_leave(w, m);
	m->land(w, m);
}

static void count_all(const struct mx_course *c, struct mx_stats *stats) {
	for (size_t i = 0; i < c->n_tallies; i++)
		stats->by_op[c->tally[i].opcode] += c->tally[i].n;
	stats->mfma += c->mfma;
}

static void count_first(const struct mx_course *c, uint64_t n, struct mx_stats *stats) {
	for (size_t i = 0; i < n; i++) {
		stats->by_op[c->step[i].opcode]++;
		stats->mfma += c->step[i].matrix;
	}
}

void mx_course_end(struct mx_wave *w) {
	struct mx_stats *stats = &w->group->run->report->stats;
	const struct mx_course *c = w->course;
	if (w->follows && w->issued == c->n_steps)
		count_all(c, stats);
	else if (w->follows)
		count_first(c, w->issued, stats);
	w->course = NULL;
	w->follows = false;
}
