/* The watcher of wait states on the path of a wave: a ring of its last instructions.
 *
 * The result of a check follows from the instruction and from the path of the wave up to the
 * horizon. Nearly always this path is straight code, or straight code after one jump from straight
 * code. A program keeps for each instruction on which of these paths its check found nothing. */
#include <stdatomic.h>
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
	/* Straight code: the state and the offset at which it began, the offset of its next
	 * instruction, and the offset after the jump to it. */
	uint64_t straight_since;
	uint32_t start, next_offset, jump;
	bool known; /* the code before the jump is straight up to the horizon, or there is none */
	unsigned next;
	struct issued ring[RING];
};

/* On which paths to an instruction there is no hazard: bit 0: straight code up to the horizon; bits
 * 31:1: `start`, bits 63:32: `jump` of the last path with a jump. Threads may overwrite each
 * other's entries; then a check is repeated. */
typedef _Atomic uint64_t passed;

enum { STRAIGHT = 1, NO_JUMP = UINT32_MAX };

/* What nearly all issues of an instruction need, in one cache line. */
struct site {
	passed passed;
	bool follows; /* these three as in its traits */
	uint8_t states, reach;
};

/* Kept with the program. */
struct checks {
	const struct mx_hazard_traits *traits;
	struct site site[]; /* by dword of the code */
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

/* Whether there is no hazard. */
static bool check(struct mx_wave *w, const struct mx_hazard_traits *t) {
	const struct mx_hazard_rules *rules = w->group->run->isa->hazards;
	const struct path *h = path_of(w);
	struct mx_distance d = mx_distance_from(t);
	uint64_t state = h->state;
	bool none = true;
	for (unsigned i = 1; i <= RING; i++) {
		const struct issued *p = &h->ring[(h->next - i) % RING];
		struct mx_hazard found;
		if (!p->t || h->state - p->state > MX_HAZARD_HORIZON)
			break;
		mx_distance_back(&d, p->t, (unsigned)(state - p->state));
		state = p->state;
		if (mx_may_need(p->t, t, d.states) && rules->hazard_at(p->t, t, &d, &found)) {
			report(w, t->in, p->t->in, &found);
			none = false;
		}
	}
	return none;
}

/* ---- paths ---- */

/* Begins straight code at an instruction that does not follow the last one. */
static void jump_to(struct path *h, const struct mx_inst *in) {
	h->jump = h->next_offset;
	h->known = h->jump == NO_JUMP || h->state - h->straight_since >= MX_HAZARD_HORIZON;
	h->start = in->offset;
	h->straight_since = h->state;
}

static uint64_t key_of(const struct path *h) {
	return (uint64_t)h->jump << 32 | h->start >> 2 << 1;
}

static void check_path(struct mx_wave *w, const struct mx_hazard_traits *t, passed *memo) {
	const struct path *h = path_of(w);
	bool straight = h->state - h->straight_since >= MX_HAZARD_HORIZON;
	uint64_t was = atomic_load_explicit(memo, memory_order_relaxed);
	if (straight ? was & STRAIGHT : h->known && (was & ~1ull) == key_of(h))
		return;
	if (!check(w, t) || !(straight || h->known))
		return;
	was = straight ? was | STRAIGHT : (was & STRAIGHT) | key_of(h);
	atomic_store_explicit(memo, was, memory_order_relaxed);
}

static void issue(void *context, struct mx_wave *w, const struct mx_inst *in, bool skipped) {
	struct checks *c = context;
	const struct mx_hazard_traits *t = &c->traits[in->offset / 4];
	struct site *s = &c->site[in->offset / 4];
	struct path *h = path_of(w);
	if (skipped)
		return;
	if (in->offset != h->next_offset)
		jump_to(h, in);
	h->next_offset = in->offset + in->size;
	if (s->follows && h->state < h->until)
		check_path(w, t, &s->passed);
	if (s->reach) {
		h->ring[h->next++ % RING] = (struct issued){ t, h->state };
		if (h->state + 1 + s->reach > h->until)
			h->until = h->state + 1 + s->reach;
	}
	h->state += s->states;
}

/* ---- the wave, the workgroup, the launch ---- */

static unsigned wave_begin(void *context, struct mx_wave *w) {
	(void)context;
	*path_of(w) = (struct path){ .next_offset = NO_JUMP };
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

static void *make_checks(const struct mx_program *p, uint64_t entry) {
	size_t n = mx_program_dwords(p);
	struct checks *c = calloc(1, sizeof *c + n * sizeof *c->site);
	(void)entry;
	if (c && !(c->traits = mx_program_traits(p))) {
		free(c);
		return NULL;
	}
	for (size_t i = 0; c && i < n; i++) {
		c->site[i].follows = c->traits[i].follows;
		c->site[i].states = c->traits[i].states;
		c->site[i].reach = c->traits[i].reach;
	}
	return c;
}

bool mx_hazards_watch(struct mx_run *run) {
	if (!(run->launch->analysis & MX_ANALYSE_WAIT_STATES) || !run->isa->hazards)
		return true;
	const struct checks *c = mx_program_derived(run->launch->program, make_checks, 0);
	run->watchers[MX_WATCHER_WAIT_STATES] = (struct mx_watcher){
		.context = (void *)c,
		.workgroup_new = workgroup_new,
		.workgroup_free = workgroup_free,
		.wave_begin = wave_begin,
		.issue = issue,
	};
	return c;
}
