/* Order through memory: flags, counters and locks, where this run has seen them work.
 *
 * A release is an atomic, a store of agent scope, or, where loads poll, any store: who reads there
 * may know what was over when it was issued. Of its own workgroup that is also what goes before it
 * in a stream that returns in order, as all see one L1 and one LDS; others must have it waited for
 * [LLVM "Memory Model gfx942"]. An acquire is a returning atomic, a load of agent scope, or one
 * that polls. Releases are stamped in the order of their issue, and who has read what one left
 * knows all up to that stamp: which may be more than was passed on, but no less.
 *
 * What is ordered so proves nothing, as another schedule has another order. It is no finding
 * either. */
#include <stdlib.h>
#include <string.h>

#include "order.h"

/* ---- a table: 64-bit keys, not 0, and values ---- */

struct mx_order_entry {
	uint64_t key;
	uint32_t value;
};

static size_t slot_of(const struct mx_order_table *t, uint64_t key) {
	size_t i = key * 0x9e3779b97f4a7c15u >> 32 & (t->room - 1);
	while (t->entry[i].key && t->entry[i].key != key)
		i = (i + 1) & (t->room - 1);
	return i;
}

static uint32_t lookup(const struct mx_order_table *t, uint64_t key) {
	return t->room ? t->entry[slot_of(t, key)].value : 0;
}

static bool grow(struct mx_order_table *t) {
	struct mx_order_table bigger = { .room = t->room ? 2 * t->room : 256, .n = t->n };
	bigger.entry = calloc(bigger.room, sizeof *bigger.entry);
	if (!bigger.entry)
		return false;
	for (size_t i = 0; i < t->room; i++)
		if (t->entry[i].key)
			bigger.entry[slot_of(&bigger, t->entry[i].key)] = t->entry[i];
	free(t->entry);
	*t = bigger;
	return true;
}

/* Its value, 0 where it is new; NULL if memory is short. */
static uint32_t *value_of(struct mx_order_table *t, uint64_t key) {
	if (2 * t->n >= t->room && !grow(t))
		return NULL;
	size_t i = slot_of(t, key);
	t->n += !t->entry[i].key;
	t->entry[i].key = key;
	return &t->entry[i].value;
}

/* ---- what a wave has released ---- */

enum { TO_GROUP, TO_ALL, AUDIENCES };

struct release {
	uint32_t stamp;
	uint32_t over[AUDIENCES][MX_STREAMS];
};

struct mx_order_history {
	size_t n, room;
	struct release *release; /* by stamp; each says more than the one before */
};

static uint32_t most(uint32_t a, uint32_t b) {
	return a > b ? a : b;
}

static uint64_t wave_key(uint32_t group, unsigned wave) {
	return (uint64_t)group << 4 | wave;
}

static struct mx_order_history *history_of(struct mx_order_flags *f, uint64_t key) {
	uint32_t *index = value_of(&f->waves, key);
	if (!index)
		return NULL;
	if (!*index) {
		void *more = realloc(f->history, (f->n + 1) * sizeof *f->history);
		if (!more)
			return NULL;
		f->history = more;
		f->history[f->n++] = (struct mx_order_history){ 0 };
		*index = (uint32_t)f->n;
	}
	return &f->history[*index - 1];
}

/* All that was over at the one before, too. */
static void join(struct release *now, const struct release *before) {
	for (unsigned i = 0; i < MX_STREAMS; i++) {
		now->over[TO_GROUP][i] = most(now->over[TO_GROUP][i], before->over[TO_GROUP][i]);
		now->over[TO_ALL][i] = most(now->over[TO_ALL][i], before->over[TO_ALL][i]);
	}
}

static bool add(struct mx_order_history *h, struct release *now) {
	const struct release *last = h->n ? &h->release[h->n - 1] : NULL;
	if (last)
		join(now, last);
	if (last && !memcmp(last->over, now->over, sizeof now->over))
		return true;
	if (h->n == h->room) {
		size_t room = h->room ? 2 * h->room : 8;
		void *more = realloc(h->release, room * sizeof *h->release);
		if (!more)
			return false;
		h->release = more;
		h->room = room;
	}
	h->release[h->n++] = *now;
	return true;
}

/* The last one up to a stamp; NULL if there is none. */
static const struct release *release_before(const struct mx_order_history *h, uint32_t stamp) {
	size_t low = 0, high = h->n;
	while (low < high) {
		size_t mid = low + (high - low) / 2;
		if (h->release[mid].stamp <= stamp)
			low = mid + 1;
		else
			high = mid;
	}
	return low ? &h->release[low - 1] : NULL;
}

/* ---- releasing ---- */

/* What who sees this wave's release may know of another wave of the workgroup, or of its own. */
static struct release released(const struct mx_wave *w, unsigned other, uint32_t stamp,
                               unsigned stream) {
	const struct mx_order_wave *o = &w->group->order->wave[other];
	struct release r = { .stamp = stamp };
	for (unsigned i = 0; i < MX_STREAMS; i++) {
		bool own = other == w->index;
		uint32_t over = own ? most(o->covered[i], o->shared[i]) : o->shared[i];
		r.over[TO_ALL][i] = over;
		r.over[TO_GROUP][i] =
			own && i == stream && mx_stream_is_ordered(i) ? o->issued[i] : over;
	}
	return r;
}

static void release(struct mx_wave *w, unsigned stream, uint32_t stamp) {
	struct mx_order_flags *f = &w->group->run->order->flags;
	for (unsigned i = 0; i < w->group->n_waves; i++) {
		struct release now = released(w, i, stamp, stream);
		struct mx_order_history *h =
			history_of(f, wave_key((uint32_t)w->group->index + 1, i));
		if (!h || !add(h, &now))
			w->group->run->out_of_memory = true;
	}
}

/* ---- the launch ---- */

bool mx_order_flags_begin(struct mx_run *run) {
	struct mx_order_flags *f = &run->order->flags;
	f->meetings = mx_program_meetings(run->launch->program);
	return f->meetings;
}

void mx_order_flags_end(struct mx_order_flags *f) {
	for (size_t i = 0; i < f->n; i++)
		free(f->history[i].release);
	free(f->history);
	free(f->waves.entry);
	free(f->places.entry);
}

/* ---- one operation ---- */

/* A dword of device memory, or of a workgroup's LDS. */
static uint64_t place_key(const struct mx_wave *w, bool lds, uint64_t at) {
	uint64_t group = lds ? w->group->index + 1 : 0;
	return (at / 4 + 1) ^ (group << 48);
}

static void stamp(struct mx_wave *w, bool lds, uint64_t at) {
	struct mx_order_flags *f = &w->group->run->order->flags;
	uint32_t *value = value_of(&f->places, place_key(w, lds, at));
	if (value)
		*value = f->stamp;
	else
		w->group->run->out_of_memory = true;
}

static void learn(struct mx_wave *w, bool lds, uint64_t at) {
	const struct mx_order_flags *f = &w->group->run->order->flags;
	struct mx_order_wave *o = &w->group->order->wave[w->index];
	o->acquired = most(o->acquired, lookup(&f->places, place_key(w, lds, at)));
}

void mx_order_release(struct mx_wave *w, const struct mx_memop *m, unsigned stream) {
	struct mx_order_flags *f = &w->group->run->order->flags;
	bool stores = m->in->op->flags & MX_STORE || m->in->mem.lds;
	if (!f->meetings->any || !(mx_order_releases(m->in) || (f->meetings->any_polls && stores)))
		return;
	release(w, stream, ++f->stamp);
	mx_order_places(w, m, stamp);
}

void mx_order_land(struct mx_wave *w, const struct mx_memop *m) {
	const struct mx_order_flags *f = &w->group->run->order->flags;
	const struct mx_meetings *meet = f->meetings;
	if (meet->any && (meet->polls[m->in->offset / 4] || mx_order_acquires(m->in)))
		mx_order_places(w, m, learn);
}

void mx_order_meet(struct mx_group *g) {
	uint32_t all = 0;
	for (unsigned i = 0; i < g->n_waves; i++)
		all = most(all, g->order->wave[i].acquired);
	for (unsigned i = 0; i < g->n_waves; i++)
		g->order->wave[i].acquired = all;
}

/* ---- asking ---- */

bool mx_order_knows(const struct mx_wave *w, mx_access earlier, uint32_t group) {
	const struct mx_order_flags *f = &w->group->run->order->flags;
	uint32_t acquired = w->group->order->wave[w->index].acquired;
	if (!acquired || group == MX_SEVERAL_GROUPS)
		return acquired;
	uint32_t index = lookup(&f->waves, wave_key(group, mx_access_wave(earlier)));
	const struct release *r = index ? release_before(&f->history[index - 1], acquired) : NULL;
	unsigned audience = group == w->group->index + 1 ? TO_GROUP : TO_ALL;
	return r && mx_access_number(earlier) <= r->over[audience][mx_access_stream(earlier)];
}

bool mx_order_saw(const struct mx_wave *w, bool lds, uint64_t at) {
	uint32_t last = lookup(&w->group->run->order->flags.places, place_key(w, lds, at));
	return last && last <= w->group->order->wave[w->index].acquired;
}
