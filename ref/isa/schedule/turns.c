/* Turns of waves by priority or by an explicit schedule; and the recording of schedules.
 *
 * Every wave that is not idle gets a turn in the end. Each turn issues an instruction, lands an
 * operation, or belongs to a wave that has just become ready. A wave without a turn for longer than
 * starvation_limit() has the next turn, whatever the priorities, and the highest rank from then on.
 * In a patient schedule a wave that waits for memory lets others go first until its wait is over,
 * but at most for PATIENCE. */
#include <stdlib.h>

#include "inflight.h"
#include "schedule.h"

enum { PATIENCE = 1 << 12 }; /* in instructions of the workgroup, like MX_FAIR */

/* ---- explicit schedules ---- */

bool mx_deviates(const struct mx_deviation *d, const struct mx_wave *w, mx_deviation_kind kind) {
	const struct mx_launch *l = w->group->run->launch;
	const struct mx_schedule *s = l->schedule;
	return d < s->deviations + s->n && d->launch == l->number && d->group == w->group->index &&
	       d->wave == w->index && d->kind == kind;
}

static int by_place(const void *a, const void *b) {
	const struct mx_deviation *x = a, *y = b;
#define BY(field)                                                                                  \
	if (x->field != y->field)                                                                  \
	return x->field < y->field ? -1 : 1
	BY(launch);
	BY(group);
	BY(wave);
	BY(kind);
	BY(issue);
	BY(turn);
#undef BY
	return 0;
}

void mx_schedule_sort(struct mx_schedule *s) {
	if (s->n)
		qsort(s->deviations, s->n, sizeof *s->deviations, by_place);
}

void mx_schedule_free(struct mx_schedule *s) {
	free(s->deviations);
	s->deviations = NULL;
	s->n = s->room = 0;
}

static const struct mx_deviation *first_of(const struct mx_wave *w, mx_deviation_kind kind) {
	const struct mx_launch *l = w->group->run->launch;
	const struct mx_schedule *s = l->schedule;
	const struct mx_deviation key = {
		.launch = l->number, .group = w->group->index, .wave = w->index, .kind = kind
	};
	size_t low = 0, high = s->n;
	while (low < high) {
		size_t middle = (low + high) / 2;
		if (by_place(&s->deviations[middle], &key) < 0)
			low = middle + 1;
		else
			high = middle;
	}
	return s->deviations + low;
}

static void follow_turns(struct mx_wave *w) {
	const struct mx_deviation *d = w->turns;
	while (mx_deviates(d, w, MX_TURN) &&
	       (d->issue < w->issued || (d->issue == w->issued && d->turn < w->turns_here)))
		d++;
	if (mx_deviates(d, w, MX_TURN) && d->issue == w->issued && d->turn == w->turns_here)
		w->group->next_wave = (int)(d++)->value;
	w->turns = d;
}

void mx_turns_begin(struct mx_wave *w) {
	struct mx_group *g = w->group;
	const struct mx_schedule *s = g->run->launch->schedule;
	w->delays = w->turns = NULL;
	w->turns_here = w->landed_at_waits = 0;
	w->last_turn = 0;
	w->turn_ended_at = UINT64_MAX;
	if (!s)
		return;
	w->delays = first_of(w, MX_DELAY);
	w->turns = first_of(w, MX_TURN);
	if (!w->index)
		follow_turns(w); /* the very first turn */
	w->rank = (1u << 31) - (w->index + g->n_waves - s->first_wave % g->n_waves) % g->n_waves;
	g->next_rank = (1u << 31) - g->n_waves;
	g->policy.ranked = true;
	g->policy.patient = s->patient;
	for (unsigned i = 0; i < MX_CHANGES; i++)
		g->policy.change[i] = 0;
}

/* ---- priorities ---- */

/* The status of a wave stays MX_WAITING until its next turn, though its wait may be over. */
static bool is_ready(const struct mx_wave *w) {
	return w->status == MX_READY ||
	       (w->status == MX_WAITING &&
	        (mx_wait_over(w) || w->group->clock - w->last_turn >= PATIENCE));
}

static bool before(const struct mx_group *g, const struct mx_wave *a, const struct mx_wave *b) {
	bool patient = g->policy.patient, a_ready = patient && is_ready(a);
	if (patient && a_ready != is_ready(b))
		return a_ready;
	return a->rank > b->rank;
}

static struct mx_wave *by_rank(struct mx_group *g) {
	struct mx_wave *best = NULL;
	for (uint32_t left = ~g->gone & ~0u >> (32 - g->n_waves); left; left &= left - 1) {
		struct mx_wave *w = &g->waves[__builtin_ctz(left)];
		if (!mx_idle(w))
			best = !best || before(g, w, best) ? w : best;
		else if (w->status == MX_ENDED)
			g->gone |= left & -left;
	}
	return best;
}

/* In explicit schedules a wave continues while it can. */
static bool goes_on(const struct mx_group *g) {
	return g->last && g->last->status == MX_READY && !g->last->yields;
}

struct mx_wave *mx_turns_forced(struct mx_group *g) {
	int next = g->next_wave;
	g->next_wave = -1;
	bool can = next >= 0 && (unsigned)next < g->n_waves && !mx_idle(&g->waves[next]);
	return can ? &g->waves[next] : NULL;
}

struct mx_wave *mx_turns_pick(struct mx_group *g) {
	if (g->run->launch->schedule && goes_on(g) && !g->demoted)
		return g->last;
	return by_rank(g);
}

static uint64_t to_change(const struct mx_group *g) {
	for (unsigned i = 0; i < MX_CHANGES; i++)
		if (g->policy.change[i] > g->clock)
			return g->policy.change[i] - g->clock;
	return UINT64_MAX;
}

uint64_t mx_turns_length(const struct mx_wave *w) {
	uint64_t n = to_change(w->group);
	if (w->group->run->launch->schedule)
		return 1; /* landings in between take effect at once */
	return n < MX_FAIR ? n : MX_FAIR;
}

/* The wave that runs at a change point gets the rank of that point, below all waves. */
static void change_rank(struct mx_wave *w, uint64_t start) {
	const struct mx_group *g = w->group;
	for (unsigned i = 0; i < MX_CHANGES; i++)
		if (g->clock > start && g->policy.change[i] == g->clock)
			w->rank = (1u << 31) - 1 - g->policy.new_rank[i];
}

static void change_ranks(struct mx_wave *w, uint64_t start) {
	struct mx_group *g = w->group;
	if (g->last != w)
		g->alone_since = start;
	change_rank(w, start);
	g->demoted = w->yields || g->clock - g->alone_since >= MX_FAIR;
	if (g->demoted) {
		w->rank = --g->next_rank;
		g->alone_since = g->clock;
	}
}

/* Longer than strict priorities can delay a turn: each other wave has at most 2 * MX_FAIR before
 * its rank is the lowest. An explicit schedule may add one more wave. */
static uint64_t starvation_limit(const struct mx_group *g) {
	return 2 * MX_FAIR * (g->n_waves + 1ull + (g->run->launch->schedule != NULL));
}

/* From time to time gives the next turn to the wave that starves longest. Idle waves do not. */
static void promote_starved(struct mx_group *g) {
	struct mx_wave *worst = NULL;
	if (g->clock - g->last_starvation_check < MX_FAIR)
		return;
	g->last_starvation_check = g->clock;
	for (unsigned i = 0; i < g->n_waves; i++) {
		struct mx_wave *w = &g->waves[i];
		if (mx_idle(w))
			w->last_turn = g->clock;
		if (!worst || w->last_turn < worst->last_turn)
			worst = w;
	}
	if (g->clock - worst->last_turn < starvation_limit(g))
		return;
	worst->rank = g->first_rank++;
	g->next_wave = (int)worst->index;
}

void mx_turns_end(struct mx_wave *w, uint64_t start) {
	struct mx_group *g = w->group;
	w->turns_here = w->turn_ended_at == w->issued ? w->turns_here + 1 : 0;
	w->turn_ended_at = w->issued;
	w->last_turn = g->clock;
	if (g->policy.ranked)
		change_ranks(w, start);
	promote_starved(g);
	if (g->run->launch->schedule)
		follow_turns(w);
}

/* ---- recording ---- */

static void note(struct mx_run *run, const struct mx_deviation *d) {
	struct mx_schedule *s = run->launch->record;
	if (s->n == s->room) {
		size_t room = s->room ? 2 * s->room : 256;
		struct mx_deviation *grown = realloc(s->deviations, room * sizeof *grown);
		if (!grown) {
			run->out_of_memory = true;
			return;
		}
		s->deviations = grown;
		s->room = room;
	}
	s->deviations[s->n] = *d;
	s->deviations[s->n++].launch = run->launch->number;
}

/* In the sequential schedule a wave continues while it can; then comes the first that is not idle.
 */
void mx_record_turn(struct mx_group *g, const struct mx_wave *next) {
	const struct mx_wave *last = g->last, *sequential = NULL;
	for (unsigned i = 0; !sequential && i < g->n_waves; i++)
		if (!mx_idle(&g->waves[i]))
			sequential = &g->waves[i];
	if (goes_on(g))
		sequential = last;
	if (next != sequential)
		note(g->run, &(struct mx_deviation){ .group = g->index,
		                                     .wave = last ? last->index : 0,
		                                     .kind = MX_TURN,
		                                     .issue = last ? last->issued : 0,
		                                     .turn = last ? last->turns_here : 0,
		                                     .value = next->index });
}

/* An operation that landed at a wait, before it was due, is recorded as delayed to its wait. */
void mx_record_landing(struct mx_wave *w, const struct mx_memop *m) {
	struct mx_group *g = w->group;
	bool by_itself = m->due <= g->clock;
	if (by_itself) {
		g->landed = g->landed_at == g->clock ? g->landed + 1 : 0;
		g->landed_at = g->clock;
	}
	if (!by_itself || g->clock > m->issued_at)
		note(g->run, &(struct mx_deviation){
				     .group = g->index,
				     .wave = w->index,
				     .kind = MX_DELAY,
				     .issue = m->issue,
				     .turn = by_itself ? g->landed : w->landed_at_waits++,
				     .value = by_itself ? g->clock - m->issued_at : MX_TO_WAIT });
}

static void record_queue(struct mx_wave *w, const struct mx_queue *q) {
	for (unsigned i = 0; i < q->n; i++)
		note(w->group->run, &(struct mx_deviation){ .group = w->group->index,
		                                            .wave = w->index,
		                                            .kind = MX_DELAY,
		                                            .issue = q->op[i]->issue,
		                                            .turn = w->landed_at_waits++,
		                                            .value = MX_TO_WAIT });
}

void mx_record_rest(struct mx_group *g) {
	for (unsigned i = 0; i < g->n_waves; i++) {
		struct mx_wave *w = &g->waves[i];
		for (unsigned s = 0; s < MX_STREAMS; s++)
			record_queue(w, &w->queue[s]);
	}
}
