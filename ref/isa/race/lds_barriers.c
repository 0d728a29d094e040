/* Barriers in LDS that waves poll (gfx1250), of which a proof is possible.
 *
 * Such a barrier is 64 bits of LDS: the arrivals that are pending, a phase of 3 bits that changes
 * with the last of them, and how many the next phase expects. A wave waits in a loop that loads it
 * until the phase is another one. How often it does so depends on the schedule; what it obtains
 * does not if the following holds, which is checked in the run that takes place:
 *
 *  1. Each arrival comes after the completion of all phases before its own: its wave had obtained
 *     them before it was issued. So no arrival can count for an earlier phase.
 *  2. Of a poll, L is how many phases were over for its wave when it was issued. The wave's next
 *     instructions are repeated with L and with L + 1 phases over, up to the first that reads a
 *     clock, or is neither arithmetic nor a branch, and with pending arrivals that are unwritten
 *     bits. They must not depend on these bits, and leave none in a live register. If the wave
 *     returns to the load with unchanged live registers at L, it waits for L + 1, and obtains then
 *     what all arrivals of the phase brought. If it goes on at L, it obtains nothing.
 *  3. The phase that a wave finds when its poll ends is completed by an arrival that comes after
 *     the poll. So no wave can miss a phase, nor take a later one for its own.
 *  4. Only arrivals change the barrier, nothing of an arrival's result is live, and all lanes of an
 *     operation use one barrier. An arrival of 0 brings nothing: no phase waits for it.
 *  5. When a wave polls, only polls have read the barrier since its initialisation.
 *
 * "After" is what holds under every schedule: program order, waits, barriers, and these phases (the
 * past of race.h), not the clocks of happens_before.c. Then, by induction over the events of any
 * other schedule: an arrival finds all phases before its own over by 1, and its own not, because it
 * is one of its arrivals; a poll finds L phases, or L + 1, by 1 and 3; so each wave obtains the
 * same and goes on in the same way by 2.
 *
 * If one of this fails, or cannot be followed, the launch is not proved: it waits in a loop for a
 * write of another wave. */
#include "lds_barriers.h"

#include <stdlib.h>
#include <string.h>

#include "../machine/registers.h"
#include "../memory/atomic.h"
#include "../memory/ds.h"
#include "../memory/lds.h"
#include "liveness.h"
#include "replay.h"
#include "summary.h"
#include "wave_sync.h"

enum {
	PENDING = (1 << 29) - 1, /* the bits of the low dword that count */
	PHASE = 29,              /* above them */
	MOST_ARRIVALS = 1 << 16,
};

struct mx_lds_barrier {
	uint32_t at;
	bool lost;                        /* of it no proof is possible */
	uint64_t state;                   /* that the arrivals so far have left */
	uint32_t completed;               /* phases */
	struct mx_race_past *brought;     /* by the arrivals of this phase */
	struct mx_race_past *obtained[2]; /* from the last two that are complete */
	const struct mx_inst *poll;       /* one of its polling loads */
	uint32_t ended[MX_GROUP_WAVES];   /* the last poll of each wave that ended in this phase */
};

/* A polling load of a wave, from issue to the wait for it. */
struct mx_lds_poll {
	const struct mx_inst *in; /* NULL: none */
	unsigned barrier, stream;
	uint32_t number, known, landed; /* phases that were over for the wave, and in LDS */
	struct mx_memop *load;          /* a copy, when it has landed */
	const struct mx_inst *waits;    /* the load to which it has returned, or NULL */
};

struct mx_lds_barriers {
	struct mx_lds_barrier *barrier;
	unsigned n, room;
	bool lost; /* all of them, and later ones */
	struct mx_replay *replay;
	struct mx_lds_poll poll[MX_GROUP_WAVES];
};

static struct mx_race_analysis *analysis_of(const struct mx_wave *w) {
	return mx_race_analysis_of(w->group->run);
}

static bool is_doubted(const struct mx_wave *w) {
	return analysis_of(w)->proof.doubt;
}

static void lose(struct mx_wave *w, struct mx_lds_barrier *b) {
	b->lost = true;
	if (b->poll)
		mx_race_doubt(w, b->poll, MX_DOUBT_POLLS);
}

static void *in_memory(struct mx_wave *w, void *p) {
	if (!p)
		w->group->run->out_of_memory = true;
	return p;
}

/* ---- the barriers of a workgroup ---- */

static struct mx_lds_barriers *barriers_of(struct mx_wave *w) {
	struct mx_race_group *o = mx_race_group_of(w->group);
	if (!o->lds_barriers)
		o->lds_barriers = in_memory(w, calloc(1, sizeof *o->lds_barriers));
	return o->lds_barriers;
}

static int find(const struct mx_lds_barriers *all, uint64_t at) {
	for (unsigned i = 0; all && i < all->n; i++)
		if (all->barrier[i].at == (at & ~7ull))
			return (int)i;
	return -1;
}

static uint64_t state_at(const struct mx_group *g, uint32_t at) {
	uint64_t state;
	memcpy(&state, g->lds + at, sizeof state);
	return state;
}

/* The index of the barrier at an address, where nothing is in flight yet if it is new; or -1. */
static int barrier_at(struct mx_wave *w, uint64_t at) {
	struct mx_lds_barriers *all = barriers_of(w);
	int i = find(all, at);
	if (i >= 0 || !all || at % 8 || !mx_lds_holds(w->group, at, 8))
		return i;
	if (all->n == all->room) {
		unsigned room = all->room ? 2 * all->room : 8;
		struct mx_lds_barrier *more =
			in_memory(w, realloc(all->barrier, room * sizeof *more));
		if (!more)
			return -1;
		all->barrier = more;
		all->room = room;
	}
	all->barrier[all->n] = (struct mx_lds_barrier){
		.at = (uint32_t)at,
		.lost = all->lost || w->group->cluster,
		.state = state_at(w->group, (uint32_t)at),
	};
	return (int)all->n++;
}

/* The address that all lanes of an operation have, or -1. */
static int64_t address_of(const struct mx_memop *m) {
	uint32_t first = 0;
	unsigned l;
	bool any = false;
	MX_FOR_LANES(l, m->exec) {
		uint32_t at = mx_ds_element(m, l, 0);
		if (any && at != first)
			return -1;
		first = at;
		any = true;
	}
	return any ? (int64_t)first : -1;
}

static void drop_barrier(struct mx_lds_barrier *b) {
	mx_race_past_drop(&b->brought);
	mx_race_past_drop(&b->obtained[0]);
	mx_race_past_drop(&b->obtained[1]);
}

void mx_lds_barriers_drop(struct mx_race_group *o) {
	struct mx_lds_barriers *all = o->lds_barriers;
	for (unsigned i = 0; all && i < all->n; i++)
		drop_barrier(&all->barrier[i]);
	for (unsigned i = 0; all && i < MX_GROUP_WAVES; i++)
		free(all->poll[i].load);
	if (all) {
		free(all->barrier);
		free(all->replay);
	}
	free(all);
	o->lds_barriers = NULL;
}

/* ---- arrivals ---- */

struct mx_lds_arrival {
	int64_t at;  /* -1: of no barrier, or of several */
	int barrier; /* or -1 */
	uint64_t arrivals;
	struct mx_race_past *past; /* what it brings */
};

/* Visits the arrivals of a copy. */
static void visit_arrival(void *arrival, bool lds, uint64_t at) {
	struct mx_lds_arrival *a = arrival;
	bool first = !a->arrivals;
	if (!lds || (!first && a->at != (int64_t)(at & ~7ull)))
		a->at = -1;
	else if (first)
		a->at = (int64_t)(at & ~7ull);
	a->arrivals += at % 8 == 0;
}

static void find_arrivals(struct mx_wave *w, const struct mx_memop *m, struct mx_lds_arrival *a) {
	unsigned l;
	a->at = -1;
	if (m->arrives) {
		mx_race_places(w, m, 1 << MX_RACE_ATOMIC, visit_arrival, a);
		return;
	}
	a->at = address_of(m);
	MX_FOR_LANES(l, m->exec) {
		bool few = !m->data[1][l] && m->data[0][l] <= MOST_ARRIVALS;
		a->arrivals += few ? m->data[0][l] : MOST_ARRIVALS;
	}
}

/* Of arrivals at several barriers. */
static void lose_all(struct mx_wave *w) {
	struct mx_lds_barriers *all = barriers_of(w);
	for (unsigned i = 0; all && i < all->n; i++)
		lose(w, &all->barrier[i]);
	if (all)
		all->lost = true;
}

/* Whether the wave has not waited for FLAT in LDS, which no source promises to be in order with its
 * arrival there. An arrival of copies brings nothing that it has not waited for. */
static bool is_beside_flat(const struct mx_wave *w, const struct mx_memop *m) {
	const struct mx_race_wave *o = mx_race_wave_of(w);
	return mx_race_stream(w, m->stream)->path == MX_PATH_LDS &&
	       o->flat_lds > o->covered[m->stream];
}

struct mx_lds_arrival *mx_lds_arrival_issue(struct mx_wave *w, const struct mx_memop *m) {
	if (is_beside_flat(w, m))
		mx_race_doubt(w, m->in, MX_DOUBT_FLAT_LDS);
	if (is_doubted(w))
		return NULL;
	struct mx_lds_arrival *a = in_memory(w, calloc(1, sizeof *a));
	if (!a)
		return NULL;
	find_arrivals(w, m, a);
	a->barrier = a->at < 0 ? -1 : barrier_at(w, (uint64_t)a->at);
	if (a->barrier < 0 && a->arrivals)
		lose_all(w);
	a->past = mx_race_past_of_arrival(w, m);
	return a;
}

void mx_lds_arrival_drop(struct mx_lds_arrival *a) {
	if (a)
		mx_race_past_drop(&a->past);
	free(a);
}

/* Whether each poll that ended in this phase comes before one of its arrivals. */
static bool polls_are_before(const struct mx_lds_barriers *all, const struct mx_lds_barrier *b,
                             const struct mx_group *g) {
	for (unsigned i = 0; i < g->n_waves; i++)
		if (b->ended[i] > b->brought->wave[i].covered[all->poll[i].stream])
			return false;
	return true;
}

static void complete(struct mx_wave *w, struct mx_lds_barrier *b) {
	if (!polls_are_before(barriers_of(w), b, w->group))
		lose(w, b);
	mx_race_past_drop(&b->obtained[1]);
	b->obtained[1] = b->obtained[0];
	b->obtained[0] = b->brought;
	b->brought = NULL;
	memset(b->ended, 0, sizeof b->ended);
	b->completed++;
}

/* Whether the barrier has changed by these arrivals alone, and not into a second phase. */
static bool is_as_expected(const struct mx_wave *w, struct mx_lds_barrier *b, uint64_t arrivals) {
	bool over = arrivals > (b->state & PENDING) + 1;
	b->state = mx_rmw_arrive64(&(struct mx_rmw){ .old = b->state, .data = arrivals });
	return !over && b->state == state_at(w->group, b->at);
}

void mx_lds_arrival_land(struct mx_wave *w, const struct mx_lds_arrival *a) {
	if (is_doubted(w) || !a->past || a->barrier < 0 || !a->arrivals)
		return;
	struct mx_lds_barrier *b = &barriers_of(w)->barrier[a->barrier];
	bool last = a->arrivals > (b->state & PENDING);
	bool follows = !b->completed || mx_race_past_has(w->group, a->past, b->obtained[0]);
	if (b->lost || !is_as_expected(w, b, a->arrivals) || !follows ||
	    !in_memory(w, mx_race_past_join(w->group, &b->brought, a->past) ? b : NULL))
		lose(w, b);
	else if (last)
		complete(w, b);
}

/* The result is dead in all lanes, on each path. */
bool mx_lds_arrival_is_dead(const struct mx_wave *w, const struct mx_inst *in) {
	const struct mx_program *p = w->group->run->launch->program;
	in = mx_program_under(p, in->offset, w->banks);
	if (in->op->rmw != MX_RMW_arrive64)
		return false;
	MX_FOR_OPERANDS(o, in)
		for (unsigned k = 0; o->written && k < o->dwords; k++)
			if (mx_is_live(p, in->offset + in->size, w->banks,
			               mx_operand_row(o->code) + k, true, true))
				return false;
	return true;
}

/* ---- polls ---- */

/* Sets how many phases are over for the wave. */
static bool find_known(const struct mx_wave *w, const struct mx_lds_barrier *b, uint32_t *known) {
	const struct mx_race_past *p = mx_race_past_of(w);
	*known = b->completed;
	if (!b->completed || mx_race_past_has(w->group, p, b->obtained[0]))
		return true;
	--*known;
	return !*known || mx_race_past_has(w->group, p, b->obtained[1]);
}

/* The barrier that a load polls, or -1. Other loads may give a lane what another one loads. */
static int polled_barrier(struct mx_wave *w, const struct mx_memop *m) {
	bool plain = m->in->op->id == MX_OP_ds_read_b32 || m->in->op->id == MX_OP_ds_read_b64;
	int64_t at = address_of(m);
	return plain && at >= 0 && at % 8 == 0 ? barrier_at(w, (uint64_t)at) : -1;
}

static const bool *polls_of(const struct mx_wave *w) {
	return analysis_of(w)->sync.wave_sync->polls;
}

/* Whether only polls have read the barrier. The last reader stands for earlier ones, so another
 * read before a poll would not be compared with the arrivals after it. */
static bool is_only_polled(struct mx_wave *w, const struct mx_lds_barrier *b) {
	struct mx_race_map *lds = &mx_race_group_of(w->group)->lds;
	const struct mx_race_page *p = mx_race_page(lds, b->at, 16, false);
	for (unsigned i = 0; p && i < 8; i++)
		if (!mx_summary_reads_are(lds, p, b->at + i, polls_of(w)))
			return false;
	return true;
}

void mx_lds_poll_issue(struct mx_wave *w, const struct mx_memop *m) {
	int i = polled_barrier(w, m);
	struct mx_lds_poll *p = i < 0 ? NULL : &barriers_of(w)->poll[w->index];
	struct mx_lds_barrier *b = i < 0 ? NULL : &barriers_of(w)->barrier[i];
	uint32_t known;
	if (!p || p->in || b->lost || !is_only_polled(w, b) || !find_known(w, b, &known)) {
		mx_race_doubt(w, m->in, MX_DOUBT_POLLS);
		return;
	}
	b->poll = m->in;
	p->in = m->in;
	p->barrier = (unsigned)i;
	p->stream = m->stream;
	p->number = mx_race_wave_of(w)->issued[m->stream];
	p->known = known;
	mx_race_clock_of(w)->polls_lds = true;
	w->quiet.end = 0;
}

static struct mx_lds_poll *poll_of(struct mx_wave *w) {
	struct mx_lds_barriers *all = mx_race_group_of(w->group)->lds_barriers;
	struct mx_lds_poll *p = all ? &all->poll[w->index] : NULL;
	return p && p->in ? p : NULL;
}

void mx_lds_poll_land(struct mx_wave *w, const struct mx_memop *m) {
	struct mx_lds_poll *p = poll_of(w);
	if (!p || p->in != m->in || is_doubted(w))
		return;
	struct mx_lds_barrier *b = &barriers_of(w)->barrier[p->barrier];
	p->landed = b->completed;
	p->load = in_memory(w, mx_memop_allocate());
	if (p->load)
		*p->load = *m;
	if (b->state != state_at(w->group, b->at) || p->landed - p->known > 1)
		lose(w, b);
}

/* Whether the wave has only waited since the load. */
static bool has_only_waited(const struct mx_wave *w, const struct mx_inst *load) {
	const struct mx_program *p = w->group->run->launch->program;
	for (uint64_t pc = load->offset + load->size; pc != w->pc;) {
		const struct mx_inst *in = pc < w->pc ? mx_program_at(p, pc) : NULL;
		mx_kind kind = in && in->op ? mx_kind_of(in->op) : MX_IS_ORDINARY;
		if (kind != MX_IS_NOP && kind != MX_IS_HINT && kind != MX_IS_WAITCNT)
			return false;
		pc += in->size;
	}
	return true;
}

/* Lands the load again with so many phases over, and pending arrivals that are unwritten. */
static void land_at(struct mx_replay *r, struct mx_wave *w, struct mx_lds_poll *p,
                    const struct mx_lds_barrier *b, uint32_t completed) {
	uint32_t *place = (uint32_t *)(void *)(w->group->lds + b->at);
	uint32_t here = *place, phase = here >> PHASE;
	mx_vreg pending;
	unsigned l;
	MX_FOR_LANES(l, p->load->exec)
	pending[l] = PENDING;
	*place = (phase + b->completed - completed) << PHASE | (here & PENDING);
	mx_replay_land(r, p->load);
	*place = here;
	if (r->ok)
		mx_note_unwritten(&r->wave, mx_row_at(p->load->in, MX_AT_RESULT), p->load->exec,
		                  pending);
}

/* Whether the wave goes on in one way with so many phases over; *back: to the load. */
static bool goes_on(struct mx_wave *w, struct mx_lds_poll *p, const struct mx_lds_barrier *b,
                    uint32_t completed, bool *back) {
	struct mx_lds_barriers *all = barriers_of(w);
	struct mx_replay *r = all->replay;
	if (!r && !(r = all->replay = in_memory(w, malloc(sizeof *r))))
		return false;
	mx_replay_begin(r, w);
	r->strict = true;
	land_at(r, w, p, b, completed);
	mx_replay_end(r);
	*back = r->ok && r->wave.pc == p->in->offset && mx_replay_unchanged(r, w);
	return mx_replay_is_written(r, w);
}

/* Whether the poll waits for the next phase: `*waits`. False if it cannot be followed. */
static bool follow(struct mx_wave *w, struct mx_lds_poll *p, const struct mx_lds_barrier *b,
                   bool *waits) {
	bool back;
	if (p->waits == p->in)
		return *waits = true; /* with the same registers, so from the same barrier */
	return has_only_waited(w, p->in) && goes_on(w, p, b, p->known, waits) &&
	       (!*waits || goes_on(w, p, b, p->known + 1, &back));
}

static bool decide(struct mx_wave *w, struct mx_lds_poll *p, struct mx_lds_barrier *b) {
	bool waits;
	if (b->lost || !follow(w, p, b, &waits))
		return false;
	bool over = p->landed != p->known;
	p->waits = waits && !over ? p->in : NULL;
	if (p->waits)
		return true;
	if ((over && !waits) || b->completed != p->landed)
		return false;
	if (over)
		mx_race_obtain(w, mx_race_past_keep(b->obtained[0]));
	b->ended[w->index] = p->number;
	mx_race_assume(analysis_of(w), MX_PROOF_LDS_PHASES);
	return true;
}

void mx_lds_polls_decide(struct mx_wave *w) {
	struct mx_lds_poll *p = poll_of(w);
	if (!p || !p->load || p->number > mx_race_wave_of(w)->covered[p->stream])
		return;
	struct mx_lds_barrier *b = &barriers_of(w)->barrier[p->barrier];
	if (!is_doubted(w) && !decide(w, p, b))
		lose(w, b);
	free(p->load);
	p->load = NULL;
	p->in = NULL;
	mx_race_clock_of(w)->polls_lds = false;
}

/* ---- queries ---- */

static bool polls(const struct mx_race_range *r, const struct mx_inst *in) {
	return polls_of(r->w)[in->offset / 4];
}

/* Whether an instruction that accesses a barrier as an atomic arrives there. */
static bool arrives(const struct mx_inst *in) {
	return !in->op->rmw || in->op->rmw == MX_RMW_arrive64;
}

bool mx_lds_barrier_has_both(const struct mx_race_range *r, uint64_t at,
                             const struct mx_inst *other, mx_race_kind was) {
	bool polled = r->kind == MX_RACE_READ && was == MX_RACE_ATOMIC && polls(r, r->in);
	bool arrived = r->kind == MX_RACE_ATOMIC && was == MX_RACE_READ && polls(r, other);
	return r->lds && ((polled && arrives(other)) || (arrived && arrives(r->in))) &&
	       find(mx_race_group_of(r->w->group)->lds_barriers, at) >= 0;
}
