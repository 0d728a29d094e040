/* A launch both ways: lanes accessed together where they can be, and one by one
 * (mx_launch.lane_by_lane). Memory, states of bytes, findings, proofs, counts and the recorded
 * schedules must be the same; schedules show that the same random numbers were drawn. */
#ifndef BOTH_WAYS_H
#define BOTH_WAYS_H

#include "machine_test.h"

/* What one run left. */
struct outcome {
	uint8_t arena[ARENA], state[ARENA];
	struct mx_report report;
	struct mx_schedule schedule;
};
static struct outcome one_by_one, together;
static uint64_t reached[MX_TOGETHER_KINDS], not_reached;
static uint8_t initial[ARENA], initial_state[ARENA];

static inline void run_way(struct machine *m, const uint32_t *code, size_t bytes, bool lane_by_lane,
                           struct outcome *o) {
	memcpy(arena, initial, whole.size);
	memcpy(state, initial_state, whole.size);
	mx_schedule_free(&o->schedule);
	mx_report_free(&o->report);
	m->launch.lane_by_lane = lane_by_lane;
	m->launch.record = m->launch.threads > 1 ? NULL : &o->schedule;
	run_bytes(m, code, bytes);
	need(m->ran, "memory for a launch");
	memcpy(o->arena, arena, whole.size);
	memcpy(o->state, state, whole.size);
	o->report = m->report;
	m->report = (struct mx_report){ 0 };
}

static inline bool same_findings(const struct mx_report *a, const struct mx_report *b) {
	char x[MX_LINE_ROOM], y[MX_LINE_ROOM];
	if (a->n_findings != b->n_findings || a->stopped != b->stopped)
		return false;
	for (size_t i = 0; i < a->n_findings; i++) {
		const struct mx_finding *f = &a->findings[i], *g = &b->findings[i];
		mx_finding_text(a, f, x, sizeof x);
		mx_finding_text(b, g, y, sizeof y);
		if (strcmp(x, y) || f->count != g->count || f->lane != g->lane)
			return false;
	}
	return true;
}

static inline bool same_proof(const struct mx_proof *a, const struct mx_proof *b) {
	return a->outcome == b->outcome && a->doubt == b->doubt && a->pc == b->pc &&
	       a->other_pc == b->other_pc && a->assumptions == b->assumptions &&
	       a->findings == b->findings && a->accesses == b->accesses;
}

static inline bool same_stats(const struct mx_stats *a, const struct mx_stats *b) {
	return a->instructions == b->instructions && !memcmp(a->most, b->most, sizeof a->most) &&
	       !memcmp(a->by_op, b->by_op, mx_gfx950.n_ops * sizeof *a->by_op);
}

static inline bool same_schedule(const struct mx_schedule *a, const struct mx_schedule *b) {
	bool same = a->n == b->n && a->pattern == b->pattern && a->order == b->order;
	for (size_t i = 0; same && i < a->n; i++) {
		const struct mx_deviation *d = &a->deviations[i], *e = &b->deviations[i];
		same = d->group == e->group && d->wave == e->wave && d->kind == e->kind &&
		       d->issue == e->issue && d->value == e->value && d->turn == e->turn;
	}
	return same;
}

/* What differs, or NULL. */
static inline const char *difference(const struct outcome *a, const struct outcome *b) {
	if (!same_findings(&a->report, &b->report))
		return "findings";
	if (memcmp(a->arena, b->arena, whole.size))
		return "memory";
	if (memcmp(a->state, b->state, whole.size))
		return "states of bytes";
	if (!same_proof(&a->report.proof, &b->report.proof))
		return "proofs";
	if (!same_stats(&a->report.stats, &b->report.stats))
		return "counts";
	return same_schedule(&a->schedule, &b->schedule) ? NULL : "schedules";
}

static inline const char *compare_ways(struct machine *m, const uint32_t *code, size_t bytes) {
	run_way(m, code, bytes, true, &one_by_one);
	run_way(m, code, bytes, false, &together);
	for (unsigned i = 0; i < MX_TOGETHER_KINDS; i++) {
		reached[i] += together.report.stats.together[i];
		not_reached += one_by_one.report.stats.together[i];
	}
	return difference(&one_by_one, &together);
}

/* Random data; mostly written bytes, and few guards. */
static inline void fill_initial(uint64_t *random, size_t bytes) {
	uint64_t kind = next_random(random);
	for (size_t i = 0; i < bytes; i += 8) {
		uint64_t v = next_random(random) & 0xffffffff7fffffff;
		memcpy(initial + i, &v, 8);
	}
	memset(initial_state, MX_WRITTEN, bytes);
	for (unsigned i = kind % 4 ? 0 : 1 + kind / 4 % 20; i--;)
		initial_state[next_random(random) % bytes] &= ~MX_WRITTEN;
	if (kind % 8 == 0) /* whole pages */
		memset(initial_state + next_random(random) % (bytes - 0x1000), 0, 0x1000);
	for (unsigned i = kind % 5 ? 0 : 1 + kind / 5 % 4; i--;)
		initial_state[next_random(random) % bytes] |= MX_GUARD;
}

/* Rounds of a test: in the longest tier an hour of them. */
static inline unsigned rounds_of(int argc, char **argv, unsigned longer, unsigned hour) {
	if (argc > 2)
		return (unsigned)strtoul(argv[2], NULL, 0);
	return is_nightly() ? hour : is_long() ? longer : 1;
}

static inline void end_both_ways(void) {
	mx_schedule_free(&one_by_one.schedule);
	mx_schedule_free(&together.schedule);
	mx_report_free(&one_by_one.report);
	mx_report_free(&together.report);
}

#endif
