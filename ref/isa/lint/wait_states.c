/* Wait states on all paths: a search from each instruction backwards, as far as a rule reaches. */
#include <stdlib.h>

#include "../encoding/instruction_set.h"
#include "../machine/wave.h"
#include "../waitstates/hazard.h"
#include "lint.h"

struct search {
	const struct mx_lint *lint;
	const struct mx_hazard_rules *rules;
	const struct mx_hazard_traits *traits; /* of the function's dwords */
	struct mx_distance *best;              /* from each node to the second instruction */
	bool *seen, *queued;
	int *touched, *queue;
	unsigned n_touched, n_queue;
};

/* Lowers each component to the minimum over the paths. */
static bool lower(struct mx_distance *to, const struct mx_distance *d) {
	bool changed = false;
	if (d->states < to->states)
		to->states = d->states, changed = true;
	if (d->busy < to->busy)
		to->busy = d->busy, changed = true;
	if (d->matrix < to->matrix)
		to->matrix = d->matrix, changed = true;
	if (d->breaks < to->breaks)
		to->breaks = d->breaks, changed = true;
	return changed;
}

static void reach(struct search *s, int i, struct mx_distance d) {
	const struct mx_hazard_traits *t = &s->traits[i];
	mx_distance_back(&d, t, t->states);
	if (d.states > MX_HAZARD_HORIZON)
		return;
	bool changed = true;
	if (s->seen[i])
		changed = lower(&s->best[i], &d);
	else {
		s->best[i] = d;
		s->touched[s->n_touched++] = i;
		s->seen[i] = true;
	}
	if (changed && !s->queued[i]) {
		s->queued[i] = true;
		s->queue[s->n_queue++] = i;
	}
}

static void reach_previous(struct search *s, int i, const struct mx_distance *d) {
	const struct mx_graph *g = &s->lint->graph;
	const struct mx_node *node = &g->node[i];
	for (unsigned k = 0; k < node->n_previous; k++) {
		int p = g->previous[node->previous + k];
		if (!mx_is_call(g->node[p].in))
			reach(s, p, *d);
	}
}

static void report(const struct search *s, int first, int second) {
	const struct mx_lint *l = s->lint;
	struct mx_hazard h;
	if (s->rules->hazard_at(&s->traits[first], &s->traits[second], &s->best[first], &h)) {
		struct mx_finding f =
			mx_hazard_finding(&h, s->traits[first].in, s->traits[second].in);
		f.count = 1;
		f.pc = s->traits[second].in->offset - l->start;
		f.earlier = s->traits[first].in->offset - l->start;
		l->found(l->context, &f);
	}
}

static void look_back(struct search *s, int i) {
	struct mx_distance d = mx_distance_from(&s->traits[i]);
	reach_previous(s, i, &d);
	while (s->n_queue) {
		int j = s->queue[--s->n_queue];
		s->queued[j] = false;
		d = s->best[j];
		reach_previous(s, j, &d);
	}
	for (unsigned k = 0; k < s->n_touched; k++) {
		report(s, s->touched[k], i);
		s->seen[s->touched[k]] = false;
	}
	s->n_touched = 0;
}

bool mx_lint_states(const struct mx_lint *l) {
	const struct mx_graph *g = &l->graph;
	const struct mx_hazard_rules *rules = mx_program_isa(l->program)->hazards;
	if (!rules)
		return true;
	struct mx_hazard_traits *traits = calloc(g->n + 1, sizeof *traits);
	struct search s = { .lint = l,
		            .rules = rules,
		            .traits = traits,
		            .best = malloc((g->n + 1) * sizeof *s.best),
		            .seen = calloc(g->n + 1, 1),
		            .queued = calloc(g->n + 1, 1),
		            .touched = malloc((g->n + 1) * sizeof *s.touched),
		            .queue = malloc((g->n + 1) * sizeof *s.queue) };
	bool ok = traits && s.best && s.seen && s.queued && s.touched && s.queue;
	for (unsigned i = 0; ok && i < g->n; i++)
		if (g->node[i].in)
			rules->traits(g->node[i].in, &traits[i]);
	for (unsigned i = 0; ok && i < g->n; i++)
		if (g->node[i].in && s.traits[i].follows)
			look_back(&s, (int)i);
	free(traits);
	free(s.best);
	free(s.seen);
	free(s.queued);
	free(s.touched);
	free(s.queue);
	return ok;
}
