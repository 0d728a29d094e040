/* The watcher of wait states along the path that a wave takes: a ring of what it issued last. */
#include <stdlib.h>
#include <string.h>

#include "../machine/findings.h"
#include "../machine/wave.h"
#include "hazard.h"

enum { RING = 32 }; /* more than the horizon, in which each instruction takes a state */

struct issued {
	const struct mx_hazard_traits *face;
	uint64_t state; /* wait states of the wave before it */
};

/* What is kept of a wave. */
struct path {
	uint64_t state;
	uint64_t until; /* nothing issued so far matters from this state on */
	unsigned next;
	struct issued ring[RING];
};

static struct path *path_of(const struct mx_wave *w) {
	return (struct path *)w->group->kept[MX_WATCHER_WAIT_STATES] + w->index;
}

/* ---- one instruction ---- */

static void report(struct mx_wave *w, const struct mx_inst *in, const struct mx_inst *first,
                   const struct mx_hazard *h) {
	struct mx_finding n = mx_hazard_finding(h, first, in);
	n.earlier_wave = w->index;
	memcpy(n.earlier_workgroup, w->group->id, sizeof n.earlier_workgroup);
	mx_find_as(w, in, first, &n);
}

static void check(struct mx_wave *w, const struct mx_hazard_traits *face) {
	const struct path *h = path_of(w);
	struct mx_distance d = mx_distance_from(face);
	uint64_t state = h->state;
	for (unsigned i = 1; i <= RING; i++) {
		const struct issued *p = &h->ring[(h->next - i) % RING];
		struct mx_hazard found;
		if (!p->face || h->state - p->state > MX_HAZARD_HORIZON)
			return;
		mx_distance_back(&d, p->face, (unsigned)(state - p->state));
		state = p->state;
		if (mx_may_need(p->face, face, d.states) && mx_hazard_at(p->face, face, &d, &found))
			report(w, face->in, p->face->in, &found);
	}
}

static void issue(void *context, struct mx_wave *w, const struct mx_inst *in, bool skipped) {
	const struct mx_hazard_traits *faces = context, *face = &faces[in->offset / 4];
	struct path *h = path_of(w);
	if (skipped)
		return;
	if (face->follows && h->state < h->until)
		check(w, face);
	if (face->reach) {
		h->ring[h->next++ % RING] = (struct issued){ face, h->state };
		if (h->state + 1 + face->reach > h->until)
			h->until = h->state + 1 + face->reach;
	}
	h->state += face->states;
}

/* ---- the wave, the workgroup, the launch ---- */

static unsigned wave_begin(void *context, struct mx_wave *w) {
	(void)context;
	*path_of(w) = (struct path){ 0 };
	return MX_WATCH_ISSUE;
}

static bool workgroup_new(void *context, struct mx_group *g) {
	(void)context;
	g->kept[MX_WATCHER_WAIT_STATES] = calloc(g->room, sizeof(struct path));
	return g->kept[MX_WATCHER_WAIT_STATES];
}

static void workgroup_free(void *context, struct mx_group *g) {
	(void)context;
	free(g->kept[MX_WATCHER_WAIT_STATES]);
}

bool mx_hazards_watch(struct mx_run *run) {
	if (!(run->launch->analysis & MX_ANALYSE_WAIT_STATES))
		return true;
	const struct mx_hazard_traits *faces = mx_program_traits(run->launch->program);
	run->watchers[MX_WATCHER_WAIT_STATES] = (struct mx_watcher){
		.context = (void *)faces,
		.workgroup_new = workgroup_new,
		.workgroup_free = workgroup_free,
		.wave_begin = wave_begin,
		.issue = issue,
	};
	return faces;
}
