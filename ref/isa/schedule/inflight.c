/* Operations in flight: counters, order of return, and landings.
 *
 * vmcnt operations return in issue order, loads and stores mixed. LDS operations return in issue
 * order among themselves. Scalar loads return in any order, also with respect to LDS
 * [ISA 4.4, 8.3]. A FLAT instruction is two operations, one of each counter. Its LDS operation
 * returns in any order. Its memory operation returns in any order if no lane has an address in
 * memory; otherwise it returns in order with the others of vmcnt. Compiled code relies on this
 * order if the address space is known [ISA 10.2; LLVM "SIInsertWaitcnts": pending FLAT]. With
 * scratch_apart, scratch returns in an order of its own. */
#include <stdlib.h>
#include <string.h>

#include "../machine/registers.h"
#include "inflight.h"
#include "random.h"
#include "schedule.h"

struct mx_memop *mx_memop_new(struct mx_wave *w, const struct mx_inst *in) {
	struct mx_group *g = w->group;
	struct mx_memop *m = g->free_list;
	if (m)
		g->free_list = m->next_free;
	else if (!(m = malloc(sizeof *m))) {
		g->run->out_of_memory = true;
		return NULL;
	}
	m->in = in;
	m->issue = w->issued;
	m->exec = mx_exec(w);
	m->lds = 0;
	m->scratch = 0;
	m->in_lds = false;
	m->format = 0;
	m->range = MX_RANGE_SOME;
	m->split = m->together = false;
	m->clean = true;
	m->note = NULL;
	m->reach.computed = false;
	return m;
}

void mx_memop_drop(struct mx_wave *w, struct mx_memop *m) {
	m->next_free = w->group->free_list;
	w->group->free_list = m;
}

static uint64_t first_of_any(const struct mx_queue *q, uint64_t due) {
	for (unsigned i = 0; i < q->n; i++)
		if (q->op[i]->due < due)
			due = q->op[i]->due;
	return due;
}

static uint64_t first_due(const struct mx_wave *w) {
	uint64_t due = UINT64_MAX;
	if (w->vm.n && w->vm.op[0]->due < due)
		due = w->vm.op[0]->due;
	if (w->ds.n && w->ds.op[0]->due < due)
		due = w->ds.op[0]->due;
	if (w->sc.n && w->sc.op[0]->due < due)
		due = w->sc.op[0]->due;
	return first_of_any(&w->fl, first_of_any(&w->sm, due));
}

unsigned mx_vmcnt(const struct mx_wave *w) {
	return w->vm.count + w->sc.count + w->fl.count;
}

unsigned mx_lgkmcnt(const struct mx_wave *w) {
	return w->ds.count + w->sm.count;
}

bool mx_in_flight(const struct mx_wave *w) {
	return w->vm.n + w->sc.n + w->fl.n + w->ds.n + w->sm.n;
}

void mx_memop_issue(struct mx_wave *w, struct mx_queue *q, struct mx_memop *m, unsigned weight) {
	struct mx_stats *stats = &w->group->run->report->stats;
	m->weight = weight;
	m->issued_at = w->group->clock;
	m->barriers = w->group->barriers;
	m->due = mx_due_time(w, m);
	q->op[q->n++] = m;
	q->count += weight;
	w->group->in_flight++;
	if (q == &w->vm)
		mx_l1_count(w->group, m, 1);
	if (w->wanted & MX_WATCH_OPERATION)
		mx_watch_operation(w, q, m);
	if (mx_vmcnt(w) > stats->max_vmcnt)
		stats->max_vmcnt = mx_vmcnt(w);
	if (mx_lgkmcnt(w) > stats->max_lgkmcnt)
		stats->max_lgkmcnt = mx_lgkmcnt(w);
	w->next_due = first_due(w);
}

static void land(struct mx_wave *w, struct mx_queue *q, unsigned i);

/* Lands the operations of other waves that L1 orders before this one. */
static void land_before(struct mx_wave *w, struct mx_memop *m) {
	struct mx_group *g = w->group;
	for (unsigned i = 0; i < g->n_waves; i++) {
		struct mx_wave *other = &g->waves[i];
		unsigned n = other == w ? 0 : mx_l1_before(other, m);
		if (!n)
			continue;
		while (n--)
			land(other, &other->vm, 0);
		other->next_due = first_due(other);
	}
}

/* Lands operation i of a queue: vmcnt or lgkmcnt goes down by its weight. */
static void land(struct mx_wave *w, struct mx_queue *q, unsigned i) {
	struct mx_memop *m = q->op[i];
	if (q == &w->vm) {
		if (mx_l1_may_wait(w->group, m))
			land_before(w, m);
		mx_l1_count(w->group, m, -1);
	}
	if (w->wanted & MX_WATCH_LANDING)
		mx_watch_landing(w, m);
	if (w->group->run->launch->record)
		mx_record_landing(w, m);
	m->land(w, m);
	if (w->wanted & MX_WATCH_LANDING)
		mx_watch_landed(w, m);
	w->group->stores += (m->in->op->flags & MX_STORE) != 0;
	q->count -= m->weight;
	q->n--;
	memmove(q->op + i, q->op + i + 1, (q->n - i) * sizeof *q->op);
	mx_memop_drop(w, m);
	w->group->in_flight--;
}

static void land_due_in_order(struct mx_wave *w, struct mx_queue *q) {
	while (q->n && q->op[0]->due <= w->group->clock)
		land(w, q, 0);
}

static void land_due_of_any(struct mx_wave *w, struct mx_queue *q) {
	for (unsigned i = 0; i < q->n;)
		if (q->op[i]->due <= w->group->clock)
			land(w, q, i);
		else
			i++;
}

void mx_land_due(struct mx_wave *w) {
	land_due_in_order(w, &w->vm);
	land_due_in_order(w, &w->sc);
	land_due_in_order(w, &w->ds);
	land_due_of_any(w, &w->sm);
	land_due_of_any(w, &w->fl);
	w->next_due = first_due(w);
}

/* An operation in flight. */
struct next {
	struct mx_queue *q;
	unsigned i;
};

/* The operations of a counter that may land next: all of a queue without order, then the oldest of
 * each ordered queue. */
static unsigned may_land(struct mx_wave *w, bool vm, struct next *next) {
	struct mx_queue *any = vm ? &w->fl : &w->sm;
	struct mx_queue *ordered[] = { vm ? &w->vm : &w->ds, &w->sc };
	unsigned n = 0;
	for (; n < any->n; n++)
		next[n] = (struct next){ any, n };
	for (unsigned i = 0; i < 1u + vm; i++)
		if (ordered[i]->n)
			next[n++] = (struct next){ ordered[i], 0 };
	return n;
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

/* The first operation of a wave, of both counters. */
static struct next first_of_wave(struct mx_wave *w) {
	struct next next[2 * (ANY_ORDER + 2)];
	unsigned n = may_land(w, true, next);
	n += may_land(w, false, next + n);
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
		land(best, first.q, first.i);
		best->next_due = first_due(best);
	}
}

static void land_one_of(struct mx_wave *w, bool vm) {
	struct next next[ANY_ORDER + 2];
	unsigned n = may_land(w, vm, next), i = 0;
	if (w->group->run->launch->schedule)
		i = first_of(next, n);
	else if (n > 1 || (vm ? w->fl.n : w->sm.n))
		i = mx_random_below(&w->group->random, n);
	land(w, next[i].q, next[i].i);
}

/* Lands an operation that the wait needs, or any if the wave has ended. */
bool mx_land_one(struct mx_wave *w) {
	bool ended = w->status == MX_ENDED;
	bool vm = w->vm.n + w->sc.n + w->fl.n && (ended || mx_vmcnt(w) > w->vm_target);
	bool lgkm = w->ds.n + w->sm.n && (ended || mx_lgkmcnt(w) > w->lgkm_target);
	if (!vm && !lgkm)
		return false;
	land_one_of(w, vm && (!lgkm || mx_random_below(&w->group->random, 2)));
	w->next_due = first_due(w);
	return true;
}

bool mx_wait_over(const struct mx_wave *w) {
	return mx_vmcnt(w) <= w->vm_target && mx_lgkmcnt(w) <= w->lgkm_target;
}
