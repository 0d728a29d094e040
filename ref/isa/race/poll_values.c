/* The clock that a polling load obtains, whatever the moment at which it landed.
 *
 * A poll for 1 that finds 2 under this schedule would have ended with 1 under another, so it proves
 * only that 1 was written. Each dword through which waves synchronise keeps the last values that
 * releases left there, with their clocks. The load could have landed at any moment since the last
 * write that happened before it; all lanes read the values of one moment. For each moment the load
 * is repeated with the values of that moment, and the wave's next instructions are executed on a
 * copy of the wave, up to the first that is neither arithmetic nor a branch (replay.c). If the copy
 * reaches the same instruction with equal live registers (liveness.c), the wave would have
 * continued in the same way. The wave obtains the minimum of the clocks of all these moments.
 *
 * A wave obtains nothing from a round of a loop that leaves its registers as they were: under
 * another schedule this round may not exist. A wave that uses the value, for instance a counter of
 * tiles, differs in a live register and obtains the clock of the value that it read. If a wave
 * waits for several loads together, the first ones may have landed earlier while the others landed
 * when they did. An atomic that polls, as a spin lock does, cannot have landed between a write and
 * the atomic that read it [C11 7.17.3]: the first owner of the lock stays the first.
 *
 * If a history is too short, or the instructions cannot be followed, the wave obtains more than it
 * should: a race may be missed, but no correct kernel is accused. Writes to a dword keep the order
 * in which they landed under this schedule. One family of correct kernels would be accused: mutual
 * exclusion by loads and stores only [Dekker; Peterson]. */
#include "poll_values.h"

#include <stdlib.h>
#include <string.h>

#include "../machine/device_memory.h"
#include "replay.h"

enum {
	PLACES = 64,  /* dwords of a load */
	MOMENTS = 64, /* of all its dwords */
	READS = 1 << MX_RACE_READ | 1 << MX_RACE_ATOMIC,
};

/* ---- histories ---- */

static struct mx_release copy_release(const struct mx_release *l) {
	struct mx_release copy = *l;
	mx_clock_keep(copy.base);
	mx_clock_keep(copy.last);
	return copy;
}

static void drop(struct mx_release *l, unsigned n) {
	for (unsigned i = 0; i < n; i++) {
		mx_clock_drop(l[i].base);
		mx_clock_drop(l[i].last);
	}
}

static bool make_room(struct mx_history *h) {
	unsigned room = h->room ? 2u * h->room : 2;
	struct mx_release *more = realloc(h->release, room * sizeof *more);
	if (!more)
		return false;
	h->release = more;
	h->room = (uint8_t)room;
	return true;
}

/* An atomic that leaves the value unchanged, as one that finds a lock taken, adds no entry. */
static bool changes_nothing(const struct mx_history *h, const struct mx_release *release) {
	return release->rmw && h->n && h->release[h->n - 1].value == release->value;
}

bool mx_history_add(struct mx_history *h, const struct mx_release *release) {
	if (changes_nothing(h, release))
		return true;
	if (h->n == MX_HISTORY) {
		drop(h->release, 1);
		memmove(h->release, h->release + 1, --h->n * sizeof *h->release);
	} else if (h->n == h->room && !make_room(h))
		return false;
	h->release[h->n++] = copy_release(release);
	return true;
}

void mx_history_free(struct mx_history *h) {
	drop(h->release, h->n);
	free(h->release);
	*h = (struct mx_history){ 0 };
}

/* ---- memory ---- */

static void *bytes_of(struct mx_wave *w, bool lds, uint64_t at) {
	struct mx_group *g = w->group;
	if (lds)
		return at + 4 <= g->lds_bytes ? g->lds + at : NULL;
	return mx_memory_is_plain(w, at, 4, false) ? (void *)(uintptr_t)at : NULL;
}

uint32_t mx_value_at(struct mx_wave *w, bool lds, uint64_t at) {
	const void *from = bytes_of(w, lds, at);
	uint32_t value = 0;
	if (from)
		memcpy(&value, from, 4);
	return value;
}

/* ---- a polling load ---- */

/* A dword of a polling load, with its values since the earliest moment at which it could land. */
struct place {
	bool lds;
	uint64_t at, counter;
	struct mx_history history;
};

struct mx_race_poll {
	struct mx_memop *load;  /* a copy */
	struct mx_clock *clock; /* of the values that it read when it landed */
	unsigned stream;
	uint32_t number;
	uint64_t earliest;
	unsigned n;
	struct place place[PLACES];
};

static void free_poll(struct mx_race_poll *p) {
	for (unsigned i = 0; i < p->n; i++)
		mx_history_free(&p->place[i].history);
	mx_clock_drop(p->clock);
	free(p->load);
	free(p);
}

void mx_polls_drop(struct mx_race_clock *k) {
	while (k->n_polls)
		free_poll(k->poll[--k->n_polls]);
}

/* ---- its landing ---- */

struct landing {
	struct mx_wave *w;
	mx_access me;
	mx_history_of *history;
	struct mx_race_poll *poll;
	bool has_new, ok;
};

/* Whether a release happened before the load. */
static bool happened_before(const struct landing *r, const struct place *p,
                            const struct mx_release *l) {
	const struct mx_race_wave *o = mx_race_wave_of(r->w);
	const struct mx_clock *c = mx_race_clock_of(r->w)->clock;
	unsigned stream = mx_access_stream(l->access);
	if (!l->group || l->writes <= mx_clock_at(c, p->counter))
		return true;
	if (l->group == r->w->group->index + 1 && mx_access_wave(l->access) == r->w->index)
		return mx_access_number(l->access) <= o->covered[stream] ||
		       (stream == mx_access_stream(r->me) &&
		        mx_race_stream(r->w, stream)->order == MX_IN_ORDER);
	return mx_race_happened_before(r->w, l->access, l->group, r->me, p->lds);
}

/* Most rounds of a polling loop read no release that is new to the wave's clock. */
static void find_new_release(void *landing, bool lds, uint64_t at) {
	struct landing *r = landing;
	struct place p = { .lds = lds, .at = at };
	const struct mx_history *h = r->has_new ? NULL : r->history(r->w, lds, at, &p.counter);
	r->has_new |= h && h->n > 1 && !happened_before(r, &p, &h->release[h->n - 1]);
}

/* Copies the releases from the last one that happened before the load. */
static bool copy_history(const struct landing *r, struct place *p, const struct mx_history *h) {
	unsigned first = h->n - 1;
	while (first && !happened_before(r, p, &h->release[first]))
		first--;
	for (unsigned i = first; i < h->n; i++)
		if (!mx_history_add(&p->history, &h->release[i]))
			return false;
	return true;
}

static bool has_place(const struct mx_race_poll *poll, bool lds, uint64_t at) {
	for (unsigned i = poll->n; i--;)
		if (poll->place[i].at == at && poll->place[i].lds == lds)
			return true;
	return false;
}

static void add_place(void *landing, bool lds, uint64_t at) {
	struct landing *r = landing;
	struct mx_race_poll *poll = r->poll;
	if (!r->ok || has_place(poll, lds, at))
		return;
	if (poll->n == PLACES) {
		r->ok = false;
		return;
	}
	struct place *p = &poll->place[poll->n++];
	*p = (struct place){ .lds = lds, .at = at };
	const struct mx_history *h = r->history(r->w, lds, at, &p->counter);
	struct mx_release now = { .value = mx_value_at(r->w, lds, at) };
	r->ok = h && h->n ? copy_history(r, p, h) : mx_history_add(&p->history, &now);
	if (r->ok && p->history.release[0].time > poll->earliest)
		poll->earliest = p->history.release[0].time;
}

static struct mx_memop *copy_of(const struct mx_memop *m) {
	struct mx_memop *copy = mx_memop_allocate();
	if (copy)
		*copy = *m;
	return copy;
}

static struct mx_race_poll *new_poll(const struct mx_memop *m, mx_access me,
                                     struct mx_clock *clock) {
	struct mx_race_poll *p = malloc(sizeof *p);
	if (!p)
		return NULL;
	p->load = copy_of(m);
	if (!p->load) {
		free(p);
		return NULL;
	}
	p->clock = mx_clock_keep(clock);
	p->stream = mx_access_stream(me);
	p->number = mx_access_number(me);
	p->earliest = 0;
	p->n = 0;
	return p;
}

bool mx_polls_land(struct mx_wave *w, const struct mx_memop *m, unsigned stream, uint32_t number,
                   struct mx_clock *clock, mx_history_of *history) {
	struct mx_race_clock *k = mx_race_clock_of(w);
	struct landing r = {
		w, mx_access_of(w, m->in, stream, number), history, NULL, false, true
	};
	mx_race_places(w, m, READS, find_new_release, &r);
	if (!r.has_new || k->n_polls == MX_RACE_POLLS)
		return false;
	r.poll = new_poll(m, r.me, clock);
	if (!r.poll)
		return false;
	mx_race_places(w, m, READS, add_place, &r);
	if (!r.ok) {
		free_poll(r.poll);
		return false;
	}
	k->poll[k->n_polls++] = r.poll;
	w->quiet.end = 0;
	return true;
}

/* ---- moments ---- */

/* Polling loads that one wait covers. */
struct poll_set {
	struct mx_race_poll *poll[MX_RACE_POLLS];
	unsigned n, n_moments;
	uint64_t moment[MOMENTS]; /* ascending */
};

static void add_moment(struct poll_set *t, uint64_t time) {
	unsigned i = t->n_moments;
	while (i && t->moment[i - 1] > time)
		i--;
	if ((i && t->moment[i - 1] == time) || t->n_moments == MOMENTS)
		return;
	memmove(t->moment + i + 1, t->moment + i, (t->n_moments++ - i) * sizeof *t->moment);
	t->moment[i] = time;
}

static void find_moments(struct poll_set *t) {
	t->n_moments = 0;
	add_moment(t, 0);
	for (unsigned i = 0; i < t->n; i++)
		for (unsigned k = 0; k < t->poll[i]->n; k++) {
			const struct mx_history *h = &t->poll[i]->place[k].history;
			for (unsigned j = 0; j < h->n; j++)
				add_moment(t, h->release[j].time);
		}
}

static const struct mx_release *release_at(const struct mx_race_poll *p, unsigned i,
                                           uint64_t time) {
	const struct mx_history *h = &p->place[i].history;
	unsigned n = h->n;
	if (time < p->earliest)
		time = p->earliest;
	while (n > 1 && h->release[n - 1].time > time)
		n--;
	return &h->release[n - 1];
}

/* Whether an atomic poll would land between a write and the atomic that read it. */
static bool splits_atomic(const struct mx_race_poll *p, uint64_t time) {
	for (unsigned i = 0; p->load->in->op->rmw && i < p->n; i++) {
		const struct mx_history *h = &p->place[i].history;
		const struct mx_release *l = release_at(p, i, time);
		if (l != &h->release[h->n - 1] && l[1].rmw)
			return true;
	}
	return false;
}

/* Joins the clock that the load would have obtained at a moment. */
static bool add_clock(struct mx_clock **into, const struct mx_race_poll *p, uint64_t time) {
	for (unsigned i = 0; i < p->n; i++) {
		const struct mx_release *l = release_at(p, i, time);
		struct mx_clock *c =
			mx_clock_new(&(struct mx_tick){ p->place[i].counter, l->writes }, 1);
		bool ok = c && mx_clock_join(into, l->base) && mx_clock_join(into, l->last) &&
		          (!l->group || mx_clock_join(into, c));
		mx_clock_drop(c);
		if (!ok)
			return false;
	}
	return true;
}

static void exchange(struct mx_wave *w, const struct mx_race_poll *p, uint32_t *value) {
	for (unsigned i = 0; i < p->n; i++) {
		void *bytes = bytes_of(w, p->place[i].lds, p->place[i].at);
		uint32_t there = 0;
		if (!bytes)
			continue;
		memcpy(&there, bytes, 4);
		memcpy(bytes, &value[i], 4);
		value[i] = there;
	}
}

/* Repeats a load with the values of a moment. */
static void land_at(struct mx_replay *r, struct mx_wave *w, struct mx_race_poll *p, uint64_t time) {
	uint32_t value[PLACES];
	for (unsigned i = 0; i < p->n; i++)
		value[i] = release_at(p, i, time)->value;
	exchange(w, p, value);
	mx_replay_land(r, p->load);
	exchange(w, p, value);
}

/* ---- the decision ---- */

static bool is_possible(const struct poll_set *t, unsigned n, uint64_t time) {
	for (unsigned i = 0; i < n; i++)
		if (splits_atomic(t->poll[i], time))
			return false;
	return true;
}

/* Replays with the first `n` loads landed at a moment, and the others when they did. */
static void replay_at(struct mx_replay *r, struct mx_wave *w, struct poll_set *t, unsigned n,
                      uint64_t time) {
	for (unsigned i = 0; i < n; i++)
		land_at(r, w, t->poll[i], time);
	mx_replay_end(r);
}

static bool clock_at(struct mx_clock **c, const struct poll_set *t, unsigned n, uint64_t time) {
	bool ok = true;
	for (unsigned i = 0; i < t->n; i++)
		ok = ok &&
		     (i < n ? add_clock(c, t->poll[i], time) : mx_clock_join(c, t->poll[i]->clock));
	return ok;
}

/* Whether the wave returns to one of the loads with unchanged registers; another schedule has fewer
 * such rounds. */
static bool returns_to_poll(const struct mx_wave *w, const struct poll_set *t,
                            const struct mx_replay *r) {
	bool back = false;
	for (unsigned i = 0; i < t->n; i++)
		back |= t->poll[i]->load->in->offset == r->wave.pc;
	return back && mx_replay_unchanged(r, w);
}

/* Lowers the clock that the wave obtains to the minimum over all moments. */
static bool lower(struct mx_clock **obtained, struct mx_wave *w, struct poll_set *t,
                  struct mx_replay *r) {
	const struct mx_clock *current = mx_race_clock_of(w)->clock;
	mx_replay_begin(&r[0], w);
	replay_at(&r[0], w, t, 0, 0);
	if (returns_to_poll(w, t, r))
		return mx_clock_meet(obtained, NULL);
	mx_replay_begin(&r[1], w);
	for (unsigned n = 1; r->ok && n <= t->n; n++)
		for (unsigned i = 0; i < t->n_moments; i++) {
			struct mx_clock *c = NULL;
			if (mx_clock_includes(current, *obtained))
				return true;
			if (!is_possible(t, n, t->moment[i]))
				continue;
			mx_replay_again(&r[1], w);
			replay_at(&r[1], w, t, n, t->moment[i]);
			if (!mx_replay_same(&r[0], &r[1]))
				continue;
			bool ok = clock_at(&c, t, n, t->moment[i]) && mx_clock_meet(obtained, c);
			mx_clock_drop(c);
			if (!ok)
				return false;
		}
	return true;
}

static bool decide(struct mx_wave *w, struct poll_set *t) {
	struct mx_clock *obtained = NULL;
	struct mx_replay *r = malloc(2 * sizeof *r);
	bool ok = r && clock_at(&obtained, t, 0, 0);
	find_moments(t);
	ok = ok && lower(&obtained, w, t, r) &&
	     mx_clock_join(&mx_race_clock_of(w)->clock, obtained);
	mx_clock_drop(obtained);
	free(r);
	return ok;
}

void mx_polls_decide(struct mx_wave *w) {
	struct mx_race_clock *k = mx_race_clock_of(w);
	const struct mx_race_wave *o = mx_race_wave_of(w);
	struct poll_set t = { .n = 0 };
	unsigned kept = 0;
	for (unsigned i = 0; i < k->n_polls; i++)
		if (k->poll[i]->number > o->covered[k->poll[i]->stream])
			k->poll[kept++] = k->poll[i];
		else
			t.poll[t.n++] = k->poll[i];
	k->n_polls = kept;
	if (t.n && !decide(w, &t))
		w->group->run->out_of_memory = true;
	while (t.n)
		free_poll(t.poll[--t.n]);
}
