/* Operations in flight: counters (vmcnt, lgkmcnt), order of return, and landings.
 *
 * The issue of an operation increments its counter, its landing decrements it. The instruction set
 * says which counter a stream of operations has, and in which order the stream returns
 * (mx_isa_stream). With scratch_apart, scratch returns in an order of its own. */
#include <stdlib.h>
#include <string.h>

#include "../machine/registers.h"
#include "course.h"
#include "inflight.h"
#include "random.h"
#include "schedule.h"

struct mx_memop *mx_memop_allocate(void) {
	return aligned_alloc(_Alignof(struct mx_memop), sizeof(struct mx_memop));
}

struct mx_memop *mx_memop_new(struct mx_wave *w, const struct mx_inst *in) {
	struct mx_group *g = w->group;
	struct mx_memop *m = g->free_list;
	if (m) {
		g->free_list = m->next_free;
		__builtin_prefetch(m->next_free, 1);
	} else if (!(m = mx_memop_allocate())) {
		g->run->out_of_memory = true;
		return NULL;
	}
	m->in = in;
	m->writes = in->op->flags & MX_STORE || in->op->rmw;
	m->extents = NULL;
	m->held = 0;
	m->issue = w->issued;
	m->exec = mx_exec(w);
	m->lds = 0;
	m->scratch = 0;
	m->in_lds = false;
	m->format = 0;
	m->more = NULL;
	m->range = MX_RANGE_SOME;
	m->split = m->together = m->bulk = m->arrives = false;
	m->clean = true;
	m->note = NULL;
	m->kept = NULL;
	m->reach.computed = false;
	return m;
}

void mx_memop_drop(struct mx_wave *w, struct mx_memop *m) {
	for (; m && !m->kept; m = m->more) {
		m->next_free = w->group->free_list;
		w->group->free_list = m;
	}
}

/* What an operation adds to its counter. */
static mx_counts weight_of(const struct mx_memop *m, unsigned counter) {
	return m->in->counts & MX_COUNT(counter, 255);
}

/* Executes a statement for each stream of the wave that has operations in flight. */
#define FOR_STREAMS(s, w)                                                                          \
	for (unsigned m_ = (w)->streams, s; m_ && ((s) = (unsigned)__builtin_ctz(m_), true);       \
	     m_ &= m_ - 1)

static bool land_in_order(const struct mx_isa_stream *s) {
	return s->order == MX_IN_ORDER;
}

/* An arrival waits for the operations before it. */
static bool may_land_at(const struct mx_queue *q, unsigned i) {
	return !i || !q->op[i]->arrives;
}

static uint64_t first_due(const struct mx_wave *w) {
	uint64_t due = UINT64_MAX;
	FOR_STREAMS(s, w) {
		const struct mx_queue *q = &w->queue[s];
		unsigned n = land_in_order(&w->stream[s]) ? 1 : q->n;
		for (unsigned i = 0; i < n; i++)
			due = q->op[i]->due < due && may_land_at(q, i) ? q->op[i]->due : due;
	}
	return due;
}

static void set_next_due(struct mx_wave *w, uint64_t due) {
	struct mx_group *g = w->group;
	w->next_due = due;
	g->next_due = due < g->next_due ? due : g->next_due;
}

void mx_memop_issue(struct mx_wave *w, unsigned stream, struct mx_memop *m) {
	struct mx_stats *stats = &w->group->run->report->stats;
	struct mx_queue *q = &w->queue[stream];
	const struct mx_isa_stream *s = &w->stream[stream];
	mx_counts weight = weight_of(m, s->counter);
	m->stream = (uint8_t)stream;
	m->issued_at = w->group->clock;
	m->barriers = w->group->barriers;
	m->due = mx_due_time(w, m);
	q->op[q->n++] = m;
	w->streams |= 1u << stream;
	w->counts += weight;
	w->group->in_flight++;
	if (s->path == MX_PATH_MEMORY)
		mx_l1_count(w->group, m, 1);
	if (w->wanted & MX_WATCH_OPERATION)
		mx_watch_operation(w, m);
	if (mx_course_records(w))
		mx_course_keep(w, m);
	if (mx_count(w->counts, s->counter) > stats->most[s->counter])
		stats->most[s->counter] = mx_count(w->counts, s->counter);
	if (m->due < w->next_due && (q->n == 1 || (!land_in_order(s) && !m->arrives)))
		set_next_due(w, m->due);
}

static void land(struct mx_wave *w, unsigned stream, unsigned i);

/* Lands the operations of other waves that L1 orders before this one. */
static void land_before(struct mx_wave *w, struct mx_memop *m) {
	struct mx_group *g = w->group;
	for (unsigned i = 0; i < g->n_waves; i++) {
		struct mx_wave *other = &g->waves[i];
		if (other == w)
			continue;
		FOR_STREAMS(s, other) {
			unsigned n = mx_in_l1(g, s) ? mx_l1_before(other, s, m) : 0;
			if (!n)
				continue;
			while (n--)
				land(other, s, 0);
			set_next_due(other, first_due(other));
		}
	}
}

/* Lands the operations of the wave's other streams that access the same bytes before this one. */
static void land_own_before(struct mx_wave *w, struct mx_memop *m) {
	FOR_STREAMS(s, w) {
		bool other = s != m->stream && mx_in_l1(w->group, s);
		for (unsigned n = other ? mx_l1_own_before(w, s, m) : 0; n; n--)
			land(w, s, 0);
	}
}

/* Decrements the counter; one that is counted in order leaves this to the operation before it. */
static void count_landed(struct mx_wave *w, unsigned stream, unsigned i) {
	const struct mx_isa_stream *s = &w->stream[stream];
	struct mx_memop *const *op = w->queue[stream].op;
	mx_counts counts = weight_of(op[i], s->counter) + op[i]->held;
	if (i && s->order == MX_COUNTED_IN_ORDER)
		op[i - 1]->held += counts;
	else
		w->counts -= counts;
}

/* Lands operation i of a stream: it takes effect, and its counter is decremented. */
static void land(struct mx_wave *w, unsigned stream, unsigned i) {
	struct mx_queue *q = &w->queue[stream];
	struct mx_memop *m = q->op[i];
	if (w->stream[stream].path == MX_PATH_MEMORY) {
		if (w->streams & w->group->run->memory_streams & ~(1u << stream))
			land_own_before(w, m);
		if (mx_l1_may_wait(w->group, m))
			land_before(w, m);
		mx_l1_count(w->group, m, -1);
	}
	if (w->wanted & MX_WATCH_LANDING)
		mx_watch_landing(w, m);
	if (w->group->run->launch->record)
		mx_record_landing(w, m);
	if (m->kept)
		mx_course_land(w, m);
	else
		m->land(w, m);
	if (w->wanted & MX_WATCH_LANDING)
		mx_watch_landed(w, m);
	w->group->stores += (m->in->op->flags & MX_STORE) != 0;
	count_landed(w, stream, i);
	w->streams &= ~((unsigned)(q->n == 1) << stream);
	q->n--;
	memmove(q->op + i, q->op + i + 1, (q->n - i) * sizeof *q->op);
	mx_memop_drop(w, m);
	w->group->in_flight--;
}

static void land_due_in_order(struct mx_wave *w, unsigned stream) {
	const struct mx_queue *q = &w->queue[stream];
	while (q->n && q->op[0]->due <= w->group->clock)
		land(w, stream, 0);
}

static void land_due_of_any(struct mx_wave *w, unsigned stream) {
	const struct mx_queue *q = &w->queue[stream];
	for (unsigned i = 0; i < q->n;)
		if (q->op[i]->due <= w->group->clock && may_land_at(q, i))
			land(w, stream, i);
		else
			i++;
}

void mx_land_due(struct mx_wave *w) {
	FOR_STREAMS(s, w) {
		if (land_in_order(&w->stream[s]))
			land_due_in_order(w, s);
		else
			land_due_of_any(w, s);
	}
	set_next_due(w, first_due(w));
}

void mx_land_due_of_all(struct mx_group *g) {
	uint64_t due = UINT64_MAX;
	if (g->next_due > g->clock)
		return;
	for (unsigned i = 0; i < g->n_waves; i++)
		if (g->waves[i].next_due <= g->clock)
			mx_land_due(&g->waves[i]);
	for (unsigned i = 0; i < g->n_waves; i++)
		due = g->waves[i].next_due < due ? g->waves[i].next_due : due;
	g->next_due = due;
}

/* An operation in flight. */
struct next {
	const struct mx_queue *q;
	unsigned stream, i;
};

/* The operations of a counter that may land next: all of streams without order, then the oldest of
 * each ordered stream. */
static unsigned may_land(const struct mx_wave *w, unsigned counter, struct next *next) {
	struct next oldest[MX_STREAMS];
	unsigned n = 0, ordered = 0;
	FOR_STREAMS(s, w) {
		const struct mx_queue *q = &w->queue[s];
		if (w->stream[s].counter != counter)
			continue;
		if (land_in_order(&w->stream[s]))
			oldest[ordered++] = (struct next){ q, s, 0 };
		else
			for (unsigned i = 0; i < q->n; i++)
				if (may_land_at(q, i))
					next[n++] = (struct next){ q, s, i };
	}
	memcpy(next + n, oldest, ordered * sizeof *next);
	return n + ordered;
}

static const struct mx_memop *op_of(struct next n) {
	return n.q->op[n.i];
}

static bool is_due_before(const struct mx_memop *a, const struct mx_memop *b) {
	return a->due != b->due ? a->due < b->due : a->rank < b->rank;
}

/* In an explicit schedule, the operation that is due first; an ordered one if there are equals. */
static unsigned first_of(const struct next *next, unsigned n) {
	unsigned first = n - 1;
	for (unsigned k = n - 1; k--;)
		if (is_due_before(op_of(next[k]), op_of(next[first])))
			first = k;
	return first;
}

enum { ANY_ORDER = sizeof((struct mx_queue *)0)->op / sizeof(struct mx_memop *) };

/* The first operation of a wave, of all counters. */
static struct next first_of_wave(const struct mx_wave *w) {
	struct next next[MX_STREAMS * ANY_ORDER];
	unsigned n = 0;
	for (unsigned c = 0; c < w->group->run->isa->n_counters; c++)
		n += may_land(w, c, next + n);
	return next[first_of(next, n)];
}

void mx_land_due_by_rank(struct mx_group *g) {
	for (;;) {
		struct mx_wave *best = NULL;
		struct next first;
		for (unsigned i = 0; i < g->n_waves; i++) {
			struct mx_wave *w = &g->waves[i];
			if (w->next_due > g->clock)
				continue;
			struct next n = first_of_wave(w);
			if (best && !is_due_before(op_of(n), op_of(first)))
				continue;
			best = w;
			first = n;
		}
		if (!best)
			return;
		land(best, first.stream, first.i);
		set_next_due(best, first_due(best));
	}
}

/* Whether one stream in order has all operations of a counter; then its oldest one is next. */
static bool has_one_stream(const struct mx_wave *w, unsigned counter, unsigned *stream) {
	unsigned n = 0;
	FOR_STREAMS(s, w) {
		bool counts = w->stream[s].counter == counter;
		*stream = counts ? s : *stream;
		n += counts;
	}
	return n == 1 && land_in_order(&w->stream[*stream]);
}

static void land_one_of(struct mx_wave *w, unsigned counter) {
	struct next next[MX_STREAMS * ANY_ORDER];
	unsigned stream = 0;
	if (has_one_stream(w, counter, &stream)) {
		land(w, stream, 0);
		return;
	}
	unsigned n = may_land(w, counter, next), i = 0;
	if (w->group->run->launch->schedule)
		i = first_of(next, n);
	else if (n > 1 || !land_in_order(&w->stream[next[0].stream]))
		i = mx_random_below(&w->group->random, n);
	land(w, next[i].stream, next[i].i);
}

/* Lands an operation that the wait needs, or any if the wave has ended. */
bool mx_land_one(struct mx_wave *w) {
	mx_counts most = w->status == MX_ENDED ? 0 : w->target;
	unsigned counter[MX_COUNTERS], n = 0;
	for (unsigned c = w->group->run->isa->n_counters; c--;)
		if (mx_count(w->counts, c) > mx_count(most, c))
			counter[n++] = c;
	if (!n)
		return false;
	land_one_of(w, counter[n > 1 ? mx_random_below(&w->group->random, n) : 0]);
	set_next_due(w, first_due(w));
	return true;
}
