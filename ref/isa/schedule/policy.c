/* The schedule of a seed: how memory behaves, and by what rule waves take turns.
 *
 * Half of the schedules give waves random turns. Half run them by random priorities that change at
 * random points: probabilistic concurrency testing (PCT) [Burckhardt et al. 2010, "A Randomized
 * Scheduler with Probabilistic Guarantees of Finding Bugs", section 3]. The wave that runs at a
 * change point gets a priority of that point, below those of all waves. A bug of depth
 * d = MX_CHANGES + 1, among the first k instructions of n waves, is found with probability at least
 * 1/(n k^(d-1)), if instructions take effect at issue. Memory does so only in schedules in which
 * all operations land at once; there is no bound for landing times. k is unknown before the run,
 * and the schedule must follow from the seed, so the range of the change points is a random power
 * of two. */
#include "clusters.h"
#include "inflight.h"
#include "random.h"
#include "schedule.h"
#include "typical.h"

enum {
	SHORT_TURN = 64, /* instructions of a workgroup */
	WINDOW = 64,     /* workgroups within which the order changes, so that they are resident
	                    together */
	LEAST_RANGE_BITS = 6,
	RANGES = 12,       /* of change points: 2^6 to 2^17 instructions */
	AT_WAIT = 1 << 17, /* longer than any wave runs without a wait for it. It is finite: a wave
	                      may wait for another's store, for which that other wave never
	                      waits */
};

static uint64_t mix(uint64_t x) {
	x = (x ^ x >> 33) * 0xff51afd7ed558ccdull;
	x = (x ^ x >> 33) * 0xc4ceb9fe1a85ec53ull;
	return x ^ x >> 33;
}

/* ---- workgroups ---- */

void mx_run_policy(struct mx_run *run) {
	const struct mx_schedule *s = run->launch->schedule;
	struct mx_random r;
	mx_random_seed(&r, run->launch->seed, ~0ull);
	switch (mx_random_below(&r, 4)) {
	case 0: run->group_order = 1; break;
	case 1: run->group_order = 1 + mx_random_below(&r, WINDOW); break;
	default: run->group_order = 0; break;
	}
	run->slice = mx_random_below(&r, 8) ? 0 : 16u << mx_random_below(&r, 8);
	run->pattern = (uint8_t)mx_random_next(&r);
	if (s) {
		run->pattern = s->pattern;
		run->group_order = s->order;
		run->slice = s->slice;
	}
	if (run->launch->record) {
		run->launch->record->pattern = run->pattern;
		run->launch->record->order = run->group_order;
		run->launch->record->slice = run->slice;
	}
}

/* A length that the schedule sets stays. */
void mx_run_short_turns(struct mx_run *run) {
	if (run->slice || run->launch->schedule)
		return;
	run->slice = SHORT_TURN;
	if (run->launch->record)
		run->launch->record->slice = SHORT_TURN;
}

uint64_t mx_launch_groups(const struct mx_launch *l) {
	return (uint64_t)l->grid[0] * l->grid[1] * l->grid[2];
}

uint64_t mx_run_groups(const struct mx_run *run) {
	const struct mx_launch *l = run->launch;
	return l->n_workgroups ? l->n_workgroups : mx_launch_groups(l);
}

/* Place i of `all` in the order of the schedule. */
static uint64_t in_order(const struct mx_run *run, uint64_t all, uint64_t i) {
	uint64_t start = i / WINDOW * WINDOW;
	uint64_t n = all - start < WINDOW ? all - start : WINDOW;
	return run->group_order == 1 ? start + (n - 1 - (i - start))
	                             : start + (i - start + run->group_order) % n;
}

/* The workgroups of a cluster follow each other. */
uint64_t mx_run_order(const struct mx_run *run, uint64_t i) {
	const struct mx_launch *l = run->launch;
	uint64_t all = mx_run_groups(run);
	unsigned size = mx_cluster_size(l);
	uint64_t nth = in_order(run, all / size, i / size); /* cluster, or workgroup */
	if (size > 1)
		return mx_cluster_member(l, l->n_workgroups ? mx_cluster_listed(l, nth) : nth,
		                         (unsigned)(i % size));
	return l->n_workgroups ? l->workgroups[nth] : nth;
}

/* ---- one workgroup ---- */

/* Chances in 256. */
static const struct {
	uint16_t at_once, at_wait;
	mx_fate fate;
} memory[] = {
	{ 256, 0, MX_BY_OPERATION }, { 0, 256, MX_BY_OPERATION },  { 0, 0, MX_BY_OPERATION },
	{ 85, 85, MX_BY_OPERATION }, { 16, 224, MX_BY_OPERATION }, { 224, 16, MX_BY_OPERATION },
	{ 224, 32, MX_BY_PLACE },    { 32, 224, MX_BY_PLACE },     { 128, 128, MX_BY_PLACE },
	{ 128, 128, MX_BY_WAVE },
};

enum { KINDS_OF_MEMORY = sizeof memory / sizeof *memory };

static void policy_memory(struct mx_group *g) {
	unsigned kind = mx_random_below(&g->random, KINDS_OF_MEMORY);
	g->policy.at_once = memory[kind].at_once;
	g->policy.at_wait = memory[kind].at_wait;
	g->policy.fate = memory[kind].fate;
	g->policy.latency_bits = 2 + mx_random_below(&g->random, 10);
	g->policy.salt = mx_random_next(&g->random);
}

/* A Fisher-Yates shuffle. There are ranks below those of all waves, for demoted waves, and above,
 * for starving ones. */
static void rank_waves(struct mx_group *g) {
	for (unsigned i = 0; i < g->n_waves; i++) {
		unsigned k = mx_random_below(&g->random, i + 1);
		g->waves[i].rank = g->waves[k].rank;
		g->waves[k].rank = i;
	}
	for (unsigned i = 0; i < g->n_waves; i++)
		g->waves[i].rank += 1u << 31;
	g->next_rank = (1u << 31) - MX_CHANGES;
	g->first_rank = (1u << 31) + g->n_waves;
}

static void policy_waves(struct mx_group *g) {
	struct mx_policy *t = &g->policy;
	t->quantum_bits = mx_random_below(&g->random, 9);
	g->slow_wave =
		mx_random_below(&g->random, 2 * g->n_waves); /* half of the schedules have none */
	t->ranked = mx_random_below(&g->random, 2);
	t->patient = mx_random_below(&g->random, 2);
	unsigned range = 1u << (LEAST_RANGE_BITS + mx_random_below(&g->random, RANGES));
	for (unsigned i = 0; i < MX_CHANGES; i++) {
		uint64_t at = mx_random_below(&g->random, range);
		unsigned k = i;
		for (; k && t->change[k - 1] > at; k--) {
			t->change[k] = t->change[k - 1];
			t->new_rank[k] = t->new_rank[k - 1];
		}
		t->change[k] = at;
		t->new_rank[k] = i;
	}
	rank_waves(g);
}

void mx_group_policy(struct mx_group *g) {
	policy_memory(g);
	policy_waves(g);
}

/* Half of the schedules are by priority. Each kind of memory, one of which lands all at once, and
 * each range of change points are equally likely. If nothing waits, patient schedules keep strict
 * priorities, too. A wave that runs alone for MX_FAIR instructions loses its priority, so there is
 * no bound for more instructions. */
double mx_schedule_chance(unsigned waves, uint64_t *instructions, unsigned *depth) {
	unsigned bits = LEAST_RANGE_BITS;
	*depth = MX_CHANGES + 1;
	while (1ull << bits < *instructions)
		bits++;
	if (waves < 2 || 1ull << bits > MX_FAIR)
		return 0;
	*instructions = 1ull << bits;
	double chance = 0.5 / KINDS_OF_MEMORY / RANGES / waves;
	for (unsigned i = 0; i < MX_CHANGES; i++)
		chance /= (double)*instructions;
	return chance;
}

/* ---- operations ---- */

static unsigned dice(struct mx_wave *w, const struct mx_memop *m) {
	const struct mx_policy *t = &w->group->policy;
	switch (t->fate) {
	case MX_BY_PLACE: return mix(t->salt ^ m->in->offset) & 255;
	case MX_BY_WAVE: return mix(t->salt ^ w->index) & 255;
	default: return mx_random_below(&w->group->random, 256);
	}
}

#define NEVER (UINT64_MAX - 1) /* only at a wait */

static uint64_t explicit_due(struct mx_wave *w, struct mx_memop *m) {
	const struct mx_launch *l = w->group->run->launch;
	const struct mx_schedule *s = l->schedule;
	const struct mx_deviation *d = w->delays;
	while (mx_deviates(d, w, MX_DELAY) && d->issue < m->issue)
		d++;
	w->delays = d;
	m->rank = 0;
	if (mx_deviates(d, w, MX_DELAY) && d->issue == m->issue) {
		m->rank = d->turn;
		return d->value == MX_TO_WAIT ? NEVER : m->issued_at + d->value;
	}
	uint64_t pc = mx_program_base(l->program) + m->in->offset - l->kernel->entry;
	return m->issued_at + (s->late != (pc == s->odd) ? AT_WAIT : 0);
}

uint64_t mx_due_time(struct mx_wave *w, struct mx_memop *m) {
	struct mx_group *g = w->group;
	if (g->units)
		return mx_typical_due(w, m);
	if (g->run->launch->schedule)
		return explicit_due(w, m);
	unsigned fate = dice(w, m);
	if (fate < g->policy.at_once)
		return g->clock;
	if (fate < g->policy.at_once + g->policy.at_wait)
		return g->clock + AT_WAIT + mx_random_below(&g->random, AT_WAIT);
	return g->clock + 1 + mx_random_below(&g->random, 1u << g->policy.latency_bits);
}
