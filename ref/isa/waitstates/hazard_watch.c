/* The watcher of wait states on the path of a wave: a ring of its last instructions. */
#include <stdlib.h>
#include <string.h>

#include "../encoding/instruction_set.h"
#include "../machine/findings.h"
#include "../machine/wave.h"
#include "hazard.h"

enum { RING = 32 }; /* more than the horizon; each instruction takes at least one state */

struct issued {
	const struct mx_hazard_traits *t;
	uint64_t state; /* wait states of the wave before it */
};

/* The data of a wave. */
struct path {
	uint64_t state;
	uint64_t until; /* from this state on, no earlier instruction matters */
	unsigned next;
	struct issued ring[RING];
};

static struct path *path_of(const struct mx_wave *w) {
	return (struct path *)w->group->watcher_data[MX_WATCHER_WAIT_STATES] + w->index;
}

/* ---- one instruction ---- */

static void report(struct mx_wave *w, const struct mx_inst *in, const struct mx_inst *first,
                   const struct mx_hazard *h) {
	struct mx_finding n = mx_hazard_finding(h, first, in);
	n.earlier_wave = w->index;
	memcpy(n.earlier_workgroup, w->group->id, sizeof n.earlier_workgroup);
	mx_find_as(w, in, first, &n);
}

static void check(struct mx_wave *w, const struct mx_hazard_traits *t) {
	const struct mx_hazard_rules *rules = w->group->run->isa->hazards;
	const struct path *h = path_of(w);
	struct mx_distance d = mx_distance_from(t);
	uint64_t state = h->state;
	for (unsigned i = 1; i <= RING; i++) {
		const struct issued *p = &h->ring[(h->next - i) % RING];
		struct mx_hazard found;
		if (!p->t || h->state - p->state > MX_HAZARD_HORIZON)
			return;
		mx_distance_back(&d, p->t, (unsigned)(state - p->state));
		state = p->state;
		if (mx_may_need(p->t, t, d.states) && rules->hazard_at(p->t, t, &d, &found))
			report(w, t->in, p->t->in, &found);
	}
}

static void issue(void *context, struct mx_wave *w, const struct mx_inst *in, bool skipped) {
	const struct mx_hazard_traits *traits = context, *t = &traits[in->offset / 4];
	struct path *h = path_of(w);
	if (skipped)
		return;
	if (t->follows && h->state < h->until)
		check(w, t);
	if (t->reach) {
		h->ring[h->next++ % RING] = (struct issued){ t, h->state };
		if (h->state + 1 + t->reach > h->until)
			h->until = h->state + 1 + t->reach;
	}
	h->state += t->states;
}

/* ---- the wave, the workgroup, the launch ---- */

static unsigned wave_begin(void *context, struct mx_wave *w) {
	(void)context;
	*path_of(w) = (struct path){ 0 };
	return MX_WATCH_ISSUE;
}

static bool workgroup_new(void *context, struct mx_group *g) {
	(void)context;
	g->watcher_data[MX_WATCHER_WAIT_STATES] = calloc(g->room, sizeof(struct path));
	return g->watcher_data[MX_WATCHER_WAIT_STATES];
}

static void workgroup_free(void *context, struct mx_group *g) {
	(void)context;
	free(g->watcher_data[MX_WATCHER_WAIT_STATES]);
}

bool mx_hazards_watch(struct mx_run *run) {
	if (!(run->launch->analysis & MX_ANALYSE_WAIT_STATES) || !run->isa->hazards)
		return true;
	const struct mx_hazard_traits *traits = mx_program_traits(run->launch->program);
	run->watchers[MX_WATCHER_WAIT_STATES] = (struct mx_watcher){
		.context = (void *)traits,
		.workgroup_new = workgroup_new,
		.workgroup_free = workgroup_free,
		.wave_begin = wave_begin,
		.issue = issue,
	};
	return traits;
}
