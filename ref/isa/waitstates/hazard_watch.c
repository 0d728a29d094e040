/* The watcher of wait states on the path of a wave: a ring of its last instructions.
 *
 * The result of a check follows from the instruction and from the path of the wave up to the
 * horizon. This path is straight code, or a route: straight code after jumps between short pieces
 * of straight code. A program numbers its routes, and keeps for each instruction on which of these
 * paths its check found nothing. For each route it keeps how far the straight code after it is
 * clear; the instructions of clear code enter the ring together, when it ends. */
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "../encoding/control_flow.h"
#include "../encoding/instruction_set.h"
#include "../machine/findings.h"
#include "../machine/wave.h"
#include "hazard.h"

enum {
	RING = 32, /* more than the horizon; each instruction in the ring takes at least one state
	            */
	SEGMENTS = 6, /* pieces of straight code before a jump; routes with more have no number */
	STEPS = 2 * SEGMENTS + 1
};

struct issued {
	const struct mx_hazard_traits *t;
	uint64_t state; /* wait states of the wave before it */
};

/* Straight code: the offsets of its first instruction, and after its last one. */
struct segment {
	uint32_t start, end;
	uint64_t states;
};

/* The data of a wave. */
struct path {
	uint64_t state;
	uint64_t until; /* from this state on, no earlier instruction matters */
	/* Straight code: the state and the offset at which it began, and the route to it; 0: a
	 * route without a number. */
	uint64_t straight_since;
	uint32_t start, route;
	uint32_t noted; /* the ring has the instructions before this offset */
	uint32_t clear; /* no check finds anything in the straight code up to this offset */
	unsigned next, jumps;
	/* An instruction under other banks of VGPRs than its site has traits of its own. Before
	 * state `mixed` there may be one within the horizon, so what is known of paths does not
	 * hold. */
	uint64_t mixed;
	struct mx_hazard_traits *own; /* for each place of the ring, from the first one on */
	struct issued ring[RING];
	struct segment before[SEGMENTS];
};

/* The paths on which an instruction is known to have no hazard. Bit 0: straight code up to the
 * horizon. The bits above: the numbers of the last three routes. Threads may overwrite each other's
 * entries; then a check is repeated. */
typedef _Atomic uint64_t passed;

enum { STRAIGHT = 1, ROUTE_BITS = 21, NO_JUMP = UINT32_MAX };

/* step: the target of the last jump; then, backwards up to the horizon, the end and the start of
 * each segment. clear: as in the path; one thread may set it back. */
struct route {
	atomic_bool made;
	_Atomic uint32_t clear;
	uint32_t step[STEPS];
};

/* What nearly all issues of an instruction need, in one cache line. */
struct site {
	passed passed;
	bool follows; /* these three as in its traits */
	uint8_t states, reach;
	uint8_t size; /* of the instruction, in bytes; 0: it has no traits */
	/* It is one of the instructions from the start of the program on, each after the last.
	 * sum: the states of those before it. near: the offset of the last one that is beyond the
	 * horizon, or 0. */
	bool in_line;
	uint32_t sum, near;
};

/* Kept with the program for each kernel. */
struct checks {
	const struct mx_hazard_traits *traits;
	struct route *route; /* by a hash of their steps; the number is one more than the index */
	size_t n, room;
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

/* ---- the ring ---- */

static void note(const struct checks *c, struct path *h) {
	const struct site *s = &c->site[h->noted / 4];
	if (s->reach) {
		h->ring[h->next++ % RING] = (struct issued){ &c->traits[h->noted / 4], h->state };
		if (h->state + 1 + s->reach > h->until)
			h->until = h->state + 1 + s->reach;
	}
	h->state += s->states;
	h->noted += s->size;
}

/* Adds straight code up to an offset to the ring; of what is beyond the horizon, the states alone.
 */
static void note_straight(const struct checks *c, struct path *h, uint32_t to) {
	if (h->noted == to)
		return;
	const struct site *from = &c->site[h->noted / 4], *last = &c->site[to / 4];
	if (from->in_line && last->in_line && last->near > h->noted) {
		h->state += c->site[last->near / 4].sum - from->sum;
		h->noted = last->near;
	}
	while (h->noted != to)
		note(c, h);
}

/* ---- paths ---- */

/* False if the route to `start` has too many segments. */
static bool steps_of(const struct path *h, uint32_t step[STEPS]) {
	uint64_t states = 0;
	unsigned n = 0;
	memset(step, 0, STEPS * sizeof *step);
	step[n++] = h->start;
	for (unsigned i = 1; i <= SEGMENTS; i++) {
		const struct segment *s = &h->before[(h->jumps - i) % SEGMENTS];
		step[n++] = s->end;
		states += s->states;
		if (s->end == NO_JUMP || states >= MX_HAZARD_HORIZON)
			return true;
		step[n++] = s->start;
	}
	return false;
}

/* Where the route is, or may be put. */
static struct route *find_route(const struct checks *c, const uint32_t step[STEPS]) {
	uint64_t hash = 0;
	for (unsigned i = 0; i < STEPS; i++)
		hash = (hash ^ step[i]) * 0x9e3779b97f4a7c15;
	for (size_t i = hash >> 32;; i++) {
		struct route *r = &c->route[i & (c->room - 1)];
		if (!atomic_load_explicit(&r->made, memory_order_acquire) ||
		    !memcmp(r->step, step, sizeof r->step))
			return r;
	}
}

/* Returns its number, or 0 if there are too many. */
static uint32_t add_route(struct checks *c, const uint32_t step[STEPS]) {
	static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
	pthread_mutex_lock(&lock);
	struct route *r = find_route(c, step);
	if (!r->made && 2 * c->n < c->room) {
		memcpy(r->step, step, sizeof r->step);
		atomic_store_explicit(&r->made, true, memory_order_release);
		c->n++;
	}
	bool made = r->made;
	pthread_mutex_unlock(&lock);
	return made ? (uint32_t)(r - c->route) + 1 : 0;
}

static uint32_t route_of(struct checks *c, const struct path *h) {
	uint32_t step[STEPS];
	if (!steps_of(h, step))
		return 0;
	const struct route *r = find_route(c, step);
	return r->made ? (uint32_t)(r - c->route) + 1 : add_route(c, step);
}

/* Begins straight code at an instruction that does not follow the last one, which ends at `from`.
 */
static void jump_to(struct checks *c, struct path *h, uint32_t from, const struct mx_inst *in) {
	h->before[h->jumps++ % SEGMENTS] =
		(struct segment){ h->start, from, h->state - h->straight_since };
	h->start = h->noted = h->clear = in->offset;
	h->straight_since = h->state;
	h->route = route_of(c, h);
	uint32_t clear = h->route ? c->route[h->route - 1].clear : 0;
	if (h->state < h->mixed)
		clear = h->clear = 0;
	h->clear = clear > h->clear ? clear : h->clear;
}

static bool has_route(uint64_t passed, uint32_t route) {
	const uint64_t mask = (1u << ROUTE_BITS) - 1;
	uint64_t routes = passed >> 1;
	return (routes & mask) == route || (routes >> ROUTE_BITS & mask) == route ||
	       routes >> 2 * ROUTE_BITS == route;
}

/* Drops the oldest. */
static uint64_t with_route(uint64_t passed, uint32_t route) {
	return (passed & ~(uint64_t)STRAIGHT) << ROUTE_BITS | (uint64_t)route << 1 |
	       (passed & STRAIGHT);
}

/* Whether there is no hazard. */
static bool check_path(struct mx_wave *w, const struct mx_hazard_traits *t, passed *memo) {
	const struct path *h = path_of(w);
	bool straight = h->state - h->straight_since >= MX_HAZARD_HORIZON;
	if (h->state < h->mixed)
		return check(w, t);
	uint64_t was = atomic_load_explicit(memo, memory_order_relaxed);
	if (straight ? was & STRAIGHT : h->route && has_route(was, h->route))
		return true;
	if (!check(w, t))
		return false;
	if (straight || h->route) {
		was = straight ? was | STRAIGHT : with_route(was, h->route);
		atomic_store_explicit(memo, was, memory_order_relaxed);
	}
	return true;
}

/* An instruction that is not known to be clear. */
static void check_next(struct checks *c, struct mx_wave *w, const struct mx_inst *in) {
	struct site *s = &c->site[in->offset / 4];
	struct path *h = path_of(w);
	note_straight(c, h, in->offset);
	bool none = !s->follows || h->state >= h->until ||
	            check_path(w, &c->traits[in->offset / 4], &s->passed);
	note(c, h);
	if (!none || !h->route || h->clear != in->offset)
		return;
	h->clear = in->offset + in->size;
	atomic_store_explicit(&c->route[h->route - 1].clear, h->clear, memory_order_relaxed);
}

/* An instruction under other banks than 0, those of its site, or one that nothing leads to. */
static void check_other(struct checks *c, struct mx_wave *w, const struct mx_inst *in) {
	struct path *h = path_of(w);
	note_straight(c, h, in->offset);
	if (!h->own && !(h->own = malloc(RING * sizeof *h->own))) {
		w->group->run->out_of_memory = true;
		return;
	}
	struct mx_hazard_traits *t = &h->own[h->next % RING];
	w->group->run->isa->hazards->traits(in, t);
	if (t->follows)
		check(w, t);
	if (t->reach)
		h->ring[h->next++ % RING] = (struct issued){ t, h->state };
	h->mixed = h->until = h->state + 1 + MX_HAZARD_HORIZON;
	h->state += t->states;
	h->noted = in->offset + in->size;
	h->clear = 0;
}

static __attribute__((noinline)) void issue_unknown(struct checks *c, struct mx_wave *w,
                                                    const struct mx_inst *in) {
	struct path *h = path_of(w);
	if (in->offset != w->quiet.next) {
		note_straight(c, h, w->quiet.next);
		jump_to(c, h, w->quiet.next, in);
	}
	if (in->banks || !c->site[in->offset / 4].size)
		check_other(c, w, in);
	else if (in->offset >= h->clear)
		check_next(c, w, in);
}

/* Clear code is quiet, and need not be. */
static uint32_t issue(void *context, struct mx_wave *w, const struct mx_inst *in, bool skipped) {
	struct checks *c = context;
	const struct path *h = path_of(w);
	if (skipped)
		return 0;
	if (in->offset != w->quiet.next || in->offset >= h->clear || in->banks)
		issue_unknown(c, w, in);
	return h->clear;
}

/* ---- the wave, the workgroup, the launch ---- */

static unsigned wave_begin(void *context, struct mx_wave *w) {
	(void)context;
	*path_of(w) =
		(struct path){ .noted = NO_JUMP, .own = path_of(w)->own };
	return MX_WATCH_ISSUE;
}

static bool workgroup_new(void *context, struct mx_group *g) {
	(void)context;
	g->watcher_data[MX_WATCHER_WAIT_STATES] = calloc(g->room, sizeof(struct path));
	return g->watcher_data[MX_WATCHER_WAIT_STATES];
}

static void workgroup_free(void *context, struct mx_group *g) {
	struct path *h = g->watcher_data[MX_WATCHER_WAIT_STATES];
	(void)context;
	for (unsigned i = 0; h && i < g->room; i++)
		free(h[i].own);
	free(g->watcher_data[MX_WATCHER_WAIT_STATES]);
}

/* As many routes as there may be jumps. */
static size_t room_for(size_t dwords) {
	size_t room = 64;
	while (room < dwords / 4 && room < 1u << (ROUTE_BITS - 1))
		room *= 2;
	return room;
}

/* The dword after an instruction. One that nothing leads to ends the straight code before it. */
static size_t after(const struct site *site, size_t i) {
	return i + (site[i].size ? site[i].size / 4 : 1);
}

static void find_lines(struct site *site, size_t n) {
	uint32_t sum = 0;
	size_t near = 0;
	for (size_t i = 0; i < n; i = after(site, i)) {
		site[i].in_line = site[i].size;
		site[i].sum = sum;
		sum += site[i].states;
		for (size_t next; (next = after(site, near)) <= i &&
		                  site[i].sum - site[next].sum > MX_HAZARD_HORIZON;)
			near = next;
		site[i].near = (uint32_t)(4 * near);
	}
}

static void *make_checks(const struct mx_program *p, uint64_t entry) {
	size_t n = mx_program_dwords(p), room = room_for(n);
	struct checks *c = calloc(1, sizeof *c + n * sizeof *c->site + room * sizeof *c->route);
	if (c && !(c->traits = mx_program_traits(p, entry))) {
		free(c);
		return NULL;
	}
	if (c) {
		c->route = (struct route *)&c->site[n];
		c->room = room;
	}
	/* Traits are large. Those of code that is not reached are empty, and are not touched. */
	const bool *reached = mx_program_isa(p)->banks_after ? NULL : mx_program_reached(p, entry);
	for (size_t i = 0; c && i < n; i++) {
		if ((reached && !reached[i]) || !c->traits[i].in)
			continue;
		c->site[i].follows = c->traits[i].follows;
		c->site[i].states = c->traits[i].states;
		c->site[i].reach = c->traits[i].reach;
		c->site[i].size = c->traits[i].in->size;
	}
	if (c)
		find_lines(c->site, n);
	return c;
}

bool mx_hazards_watch(struct mx_run *run) {
	if (!(run->launch->analysis & MX_ANALYSE_WAIT_STATES) || !run->isa->hazards)
		return true;
	const struct mx_launch *l = run->launch;
	const struct checks *c = mx_program_derived(l->program, make_checks,
	                                            l->kernel->entry - mx_program_base(l->program));
	run->watchers[MX_WATCHER_WAIT_STATES] = (struct mx_watcher){
		.context = (void *)c,
		.workgroup_new = workgroup_new,
		.workgroup_free = workgroup_free,
		.wave_begin = wave_begin,
		.issue = issue,
	};
	return c;
}
