/* Wait states along the path that a wave takes: a ring of what it issued last. */
#include <stdlib.h>

#include "../machine/findings.h"
#include "../machine/wave.h"
#include "hazard.h"

enum { RING = 32 }; /* more than the horizon, in which each instruction takes a state */

struct issued {
	const struct mx_hazard_traits *face;
	uint64_t state; /* wait states of the wave before it */
};

struct mx_hazard_watch {
	const struct mx_hazard_traits *faces;
	uint64_t state;
	uint64_t until; /* nothing issued so far matters from this state on */
	unsigned next;
	struct issued ring[RING];
};

bool mx_hazards_new(struct mx_wave *w, const struct mx_run *run) {
	if (!(run->launch->analysis & MX_ANALYSE_WAIT_STATES))
		return true;
	w->hazards = calloc(1, sizeof *w->hazards);
	if (w->hazards)
		w->hazards->faces = mx_program_traits(run->launch->program);
	return w->hazards && w->hazards->faces;
}

void mx_hazards_free(struct mx_wave *w) {
	free(w->hazards);
}

void mx_hazards_start(struct mx_wave *w) {
	if (w->hazards)
		*w->hazards = (struct mx_hazard_watch){ .faces = w->hazards->faces };
}

static void report(struct mx_wave *w, const struct mx_inst *in, const struct mx_inst *first,
                   const struct mx_hazard *h) {
	const struct mx_launch *l = w->group->run->launch;
	uint64_t at = mx_program_base(l->program) + first->offset - l->kernel->entry;
	char text[400];
	mx_hazard_text(h, first, at, text, sizeof text);
	mx_find_pair(w, in, first,
	             h->severity == MX_HAZARD_FINDING ? MX_WAIT_STATES : MX_WAIT_STATES_NOTE, -1, 0,
	             "%s", text);
}

static void check(struct mx_wave *w, const struct mx_hazard_traits *face) {
	const struct mx_hazard_watch *h = w->hazards;
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

void mx_hazards_issue(struct mx_wave *w, const struct mx_inst *in) {
	struct mx_hazard_watch *h = w->hazards;
	const struct mx_hazard_traits *face = &h->faces[in->offset / 4];
	if (face->follows && h->state < h->until)
		check(w, face);
	if (face->reach) {
		h->ring[h->next++ % RING] = (struct issued){ face, h->state };
		if (h->state + 1 + face->reach > h->until)
			h->until = h->state + 1 + face->reach;
	}
	h->state += face->states;
}
