/* Accesses of the same bytes by work of different streams, or by nodes of a graph, without order.
 * Watched launches, copies, memsets, values, and allocations and frees in the order of a stream are
 * observed.
 *
 * The clock of a piece of work (stream_clock.h) has what comes before it whatever the order in
 * which streams run. queue.c computes it from
 *  - the order of a stream, and of the legacy stream with blocking ones;
 *  - events;
 *  - what the host has waited for when it enqueues. The threads of the host count as one, in the
 *    order of their calls. A host function counts as waited for, and so does work that writes
 *    memory of the host while the host may be in a loop that reads it: it makes no calls but
 *    queries.
 * Nodes of a graph are ordered by its dependencies. Values order: work that reads a place by an
 * atomic and uses what it has read comes after earlier work that has written it atomically, and a
 * wait for a value after what may have ended it.
 *
 * The host's own accesses to memory are unknown: of the host only calls are observed. */
#include "stream_races.h"

#include "queue.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_OPERATIONS = 1 << 14, TEXT_ROOM = 320 };

/* Work that was observed. */
struct operation {
	struct mx_stream_clock clock; /* with itself */
	struct mx_work work;
	int device;
	bool proved;      /* a launch that is counted as proved */
	const void *what; /* the function, or what stands for the type of work */
	char *text;
	struct mx_touched touched;
	struct mx_value value; /* that it writes, or of no bytes; and what was there before */
	uint64_t before;
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct operation *earlier; /* in the order in which it ran */
static size_t n_earlier, room;

/* What the thread runs. */
static _Thread_local struct {
	const struct ihipStream_t *stream;
	struct hipGraphNode *launch; /* of a stream; NULL: nothing that is observed */
	bool polled;                 /* the host may read memory in a loop */
	bool unknown;                /* it may write any memory */
	bool proved;                 /* a launch */
	const void *what;
	char text[TEXT_ROOM]; /* of a launch, or "" */
	struct mx_touched touched;
	struct mx_value value; /* as in an operation */
	uint64_t before;
} running;

/* ---- what runs ---- */

void mx_races_begin(const struct ihipStream_t *stream, struct hipGraphNode *launch, bool polled) {
	running.stream = stream;
	running.launch = launch->order.clock ? launch : NULL;
	running.polled = polled;
	running.unknown = running.proved = false;
	running.text[0] = 0;
	running.value.bytes = 0;
}

void mx_races_end(void) {
	running.launch = NULL;
}

bool mx_races_observed(void) {
	return running.launch != NULL;
}

/* ---- nodes of a graph ---- */

/* A node goes on in the place of one on which it depends, or begins a branch. */
static uint64_t place_of(const struct hipGraphNode *node) {
	for (size_t k = 0; k < node->n_before; k++) {
		struct hipGraphNode *on = node->graph->nodes[node->before[k]];
		if (!on->order.continued && on->order.clock) {
			on->order.continued = true;
			return on->order.work.place;
		}
	}
	return mx_place_beside(running.launch->order.work.place, ++running.launch->order.branches);
}

void mx_races_enter(struct hipGraphNode *node, const struct hipGraphNode *within) {
	if (!running.launch || node->order.clock || !within->order.clock)
		return;
	struct mx_stream_clock *clock = calloc(1, sizeof *clock);
	if (!(node->order.clock = clock))
		return;
	mx_stream_clock_join(clock, within->order.clock);
	for (size_t k = 0; k < node->n_before; k++) {
		const struct hipGraphNode *on = node->graph->nodes[node->before[k]];
		if (on->order.clock)
			mx_stream_clock_join(clock, on->order.clock);
	}
	node->order.work = mx_work_in(place_of(node));
	if (!node->child)
		mx_stream_clock_enter(clock, node->order.work);
}

void mx_races_leave(const struct hipGraphNode *node) {
	const struct ihipGraph *g = node->child;
	for (size_t i = 0; node->order.clock && i < g->n; i++)
		if (g->nodes[i]->order.clock)
			mx_stream_clock_join(node->order.clock, g->nodes[i]->order.clock);
}

/* ---- what it accesses ---- */

/* If memory is short, less is observed. */
void mx_races_touch(const void *p, size_t bytes, unsigned how) {
	uint64_t from = (uint64_t)(uintptr_t)p;
	if (running.launch && bytes && mx_hip_is_allocation(p, bytes))
		mx_touched_add(&running.touched,
		               (struct mx_touched_range){ from, from + bytes, (uint8_t)how });
}

/* Memory of malloc passes from one kernel to another by a heap that synchronises. */
static bool is_observed(const struct mx_touched_range *r) {
	struct mx_allocation a;
	return mx_hip_about((void *)(uintptr_t)r->from, &a) && !a.internal && a.device >= 0;
}

void mx_races_write(const struct mx_value *v, uint64_t before) {
	mx_races_touch(v->at, v->bytes, MX_TOUCH_ATOMIC_WRITE);
	running.value = *v;
	running.before = before;
}

void mx_races_unknown(void) {
	running.unknown = true;
}

void mx_races_launch(const struct mx_watched *w, struct mx_touched *touched) {
	const struct mx_launch *l = w->launch;
	char name[192];
	for (size_t i = 0; i < touched->n; i++)
		if (is_observed(&touched->range[i]))
			mx_touched_add(&running.touched, touched->range[i]);
	running.touched.acquires = touched->acquires;
	running.proved = w->report->proof.outcome == MX_PROVED;
	mx_touched_free(touched);
	running.what = w->function;
	snprintf(running.text, sizeof running.text, "%s<<<(%u,%u,%u), (%u,%u,%u)>>>, launch %llu",
	         mx_kernel_short_name(w->function->name, name, sizeof name), l->grid[0], l->grid[1],
	         l->grid[2], l->block[0], l->block[1], l->block[2], (unsigned long long)w->number);
}

static uint64_t bytes_of(const struct mx_touched *t, unsigned how) {
	uint64_t sum = 0;
	for (size_t i = 0; i < t->n; i++)
		sum += t->range[i].how & how ? t->range[i].to - t->range[i].from : 0;
	return sum;
}

/* The text of what is no launch. */
static void describe(const struct hipGraphNode *node) {
	static const char types[MX_NODE_TYPES];
	const char *text = "work";
	uint64_t bytes = bytes_of(&running.touched, MX_TOUCH_WRITE);
	if (running.text[0])
		return;
	running.what = types + (int)node->type;
	switch ((int)node->type) {
	case hipGraphNodeTypeMemcpy: text = "copy"; break;
	case hipGraphNodeTypeMemset: text = "memset"; break;
	case hipGraphNodeTypeMemAlloc: text = "allocation by a graph"; break;
	case hipGraphNodeTypeMemFree: text = "free by a graph"; break;
	case MX_NODE_ALLOCATE: text = "hipMallocAsync"; break;
	case MX_NODE_FREE: text = "hipFreeAsync"; break;
	case MX_NODE_WRITE:
		text = "hipStreamWriteValue";
		bytes = node->value.bytes;
		break;
	}
	if (node->type == hipGraphNodeTypeMemcpy && !bytes)
		bytes = bytes_of(&running.touched, MX_TOUCH_READ);
	snprintf(running.text, sizeof running.text, "%s of %llu bytes", text,
	         (unsigned long long)bytes);
}

static void describe_stream(void) {
	size_t n = strlen(running.text);
	if (running.stream->number)
		snprintf(running.text + n, TEXT_ROOM - n, ", in stream %u", running.stream->number);
	else
		snprintf(running.text + n, TEXT_ROOM - n, ", in the legacy stream");
}

/* ---- memory with several addresses ---- */

/* The ranges by places instead of addresses, in no order. False if memory is short. */
static bool put_places(const struct mx_touched *t, struct mx_touched *placed) {
	bool ok = true;
	*placed = (struct mx_touched){ .acquires = t->acquires };
	for (size_t i = 0; i < t->n; i++)
		for (struct mx_touched_range r = t->range[i]; ok && r.from < r.to;) {
			uint64_t end = r.to, place = mx_virtual_place(r.from, &end);
			uint64_t n = (end < r.to ? end : r.to) - r.from;
			uint64_t from = place ? place : r.from;
			ok = mx_touched_add(placed,
			                    (struct mx_touched_range){ from, from + n, r.how });
			r.from += n;
		}
	return ok;
}

static bool has_places(const struct mx_touched *t) {
	uint64_t end, place = 0;
	for (size_t i = 0; i < t->n && !place; i++)
		place = mx_virtual_place(t->range[i].from, &end);
	return place;
}

/* What runs has its ranges by places, sorted. False if memory is short. */
static bool place_ranges(void) {
	struct mx_touched placed;
	if (!mx_touched_sort(&running.touched))
		return false;
	if (!has_places(&running.touched))
		return true;
	bool ok = put_places(&running.touched, &placed);
	mx_touched_free(&running.touched);
	running.touched = placed;
	return ok && mx_touched_sort(&running.touched);
}

static int compare_first(const void *a, const void *b) {
	const struct mx_touched_range *x = a, *y = b;
	return (x->from > y->from) - (x->from < y->from);
}

bool mx_races_aliases(const struct mx_touched *t) {
	struct mx_touched placed;
	uint64_t end = 0, written = 0;
	bool any = !put_places(t, &placed);
	if (placed.n)
		qsort(placed.range, placed.n, sizeof *placed.range, compare_first);
	for (size_t i = 0; i < placed.n; i++) {
		const struct mx_touched_range *r = &placed.range[i];
		bool writes = r->how & (MX_TOUCH_WRITE | MX_TOUCH_ATOMIC_WRITE);
		any |= r->from < written || (writes && r->from < end);
		end = r->to > end ? r->to : end;
		written = writes && r->to > written ? r->to : written;
	}
	mx_touched_free(&placed);
	return any;
}

/* ---- conflicts of ranges ---- */

enum {
	PLAIN_WRITE = MX_TOUCH_WRITE,
	WRITES = MX_TOUCH_WRITE | MX_TOUCH_ATOMIC_WRITE,
};

/* Two accesses, one of them a write and one of them not atomic. */
static bool conflict(unsigned a, unsigned b) {
	return (a & PLAIN_WRITE && b) || (b & PLAIN_WRITE && a) ||
	       (a & WRITES && b & MX_TOUCH_READ) || (b & WRITES && a & MX_TOUCH_READ);
}

/* The same if one device cannot see when the other one does it. */
static bool conflict_apart(unsigned a, unsigned b) {
	return conflict(a, b) || ((a | b) & MX_TOUCH_AGENT && (a | b) & WRITES);
}

static bool synchronise(unsigned later, unsigned earlier) {
	return earlier & MX_TOUCH_ATOMIC_WRITE && later & MX_TOUCH_ATOMIC_READ;
}

static bool synchronise_apart(unsigned later, unsigned earlier) {
	return synchronise(later, earlier) && !((later | earlier) & MX_TOUCH_AGENT);
}

static bool is_written(unsigned any, unsigned how) {
	(void)any;
	return how & WRITES;
}

/* By atomics alone, which read it, too. */
static bool is_updated(unsigned any, unsigned how) {
	return is_written(any, how) && !(how & PLAIN_WRITE) && how & MX_TOUCH_ATOMIC_READ;
}

/* The first ranges that overlap and are so; NULL if there are none. */
static const struct mx_touched_range *meet(const struct mx_touched *a, const struct mx_touched *b,
                                           bool (*so)(unsigned, unsigned),
                                           const struct mx_touched_range **with) {
	const struct mx_touched_range *x = a->range, *y = b->range;
	while (x < a->range + a->n && y < b->range + b->n) {
		if (x->from < y->to && y->from < x->to && so(x->how, y->how)) {
			*with = y;
			return x;
		}
		if (x->to < y->to)
			x++;
		else
			y++;
	}
	return NULL;
}

/* ---- order ---- */

static bool is_before(const struct operation *o, const struct mx_stream_clock *clock) {
	return mx_stream_clock_has(clock, o->work);
}

/* Whether what an operation does with the bytes of a value is so. */
static bool does(const struct operation *o, const struct mx_value *v,
                 bool (*so)(unsigned, unsigned)) {
	uint64_t at = (uint64_t)(uintptr_t)v->at, end, place = mx_virtual_place(at, &end);
	uint64_t from = place ? place : at;
	struct mx_touched_range range = { from, from + v->bytes, MX_TOUCH_READ };
	const struct mx_touched value = { .range = &range, .n = 1 };
	const struct mx_touched_range *with;
	return meet(&value, &o->touched, so, &with);
}

static bool writes_value(const struct operation *o, const struct mx_value *v) {
	return does(o, v, is_written);
}

/* Whether another write comes between a write and the wait with this clock. */
static bool is_overwritten(const struct operation *o, const struct mx_value *v,
                           const struct mx_stream_clock *clock) {
	for (const struct operation *x = o + 1; x < earlier + n_earlier; x++)
		if (writes_value(x, v) && is_before(o, &x->clock) && is_before(x, clock))
			return true;
	return false;
}

/* Whether the value that an operation writes is known. */
static bool is_known(const struct operation *o, const struct mx_value *v) {
	return o->value.at == v->at && o->value.bytes == v->bytes;
}

/* One more write that may have ended a wait: what it has in common with the others. */
static void add_end(struct mx_stream_clock *common, bool *any,
                    const struct mx_stream_clock *clock) {
	if (*any)
		mx_stream_clock_meet(common, clock);
	else
		mx_stream_clock_join(common, clock);
	*any = true;
}

/* The clock of the last write, whose value is not known, and of those whose values it has changed
 * by atomics. Empty if its value is known. */
static bool clock_of_last(const struct mx_value *v, struct mx_stream_clock *clock) {
	bool any = false;
	for (size_t i = n_earlier; i--;) {
		const struct operation *o = &earlier[i];
		if (!writes_value(o, v))
			continue;
		if (is_known(o, v) && !any)
			return false;
		mx_stream_clock_join(clock, &o->clock);
		any = true;
		if (is_known(o, v) || !does(o, v, is_updated))
			break;
	}
	return any;
}

/* Whether what is there before all writes that are known may have ended a wait. */
static bool ends_before(const struct mx_value *v, const struct mx_stream_clock *clock) {
	const struct operation *o = earlier;
	while (o < earlier + n_earlier && !writes_value(o, v))
		o++;
	return o < earlier + n_earlier && is_known(o, v) && !is_before(o, clock) &&
	       mx_hip_value_ends(v, o->before);
}

/* Each write of a value that ends the wait may have ended it, unless it is overwritten before. */
void mx_races_acquire(struct mx_stream_clock *clock, const struct mx_value *v,
                      const struct mx_stream_clock *host) {
	struct mx_stream_clock common = { 0 }, last = { 0 };
	bool any = false;
	pthread_mutex_lock(&lock);
	for (const struct operation *o = earlier; o < earlier + n_earlier; o++)
		if (is_known(o, v) && mx_hip_value_ends(v, o->value.value) &&
		    !is_overwritten(o, v, clock))
			add_end(&common, &any, &o->clock);
	if (clock_of_last(v, &last))
		add_end(&common, &any, &last);
	if (ends_before(v, clock))
		add_end(&common, &any, host);
	pthread_mutex_unlock(&lock);
	mx_stream_clock_join(clock, any ? &common : host);
	mx_stream_clock_free(&common);
	mx_stream_clock_free(&last);
}

/* ---- races ---- */

static const char *verb(unsigned how) {
	if (how & MX_TOUCH_WRITE)
		return "writes";
	return how & MX_TOUCH_ATOMIC_WRITE ? "atomically updates" : "reads";
}

/* What is missing between two pieces of work. */
static const char *missing(const struct mx_work *a, const struct mx_work *b) {
	return mx_place_beside(a->place, 0) == mx_place_beside(b->place, 0)
	               ? "no dependency in their stream orders them"
	               : "no event, stream or wait of the host orders them";
}

static void report(const struct operation *o, const struct mx_work *work,
                   const struct mx_touched_range *now, const struct mx_touched_range *was) {
	struct mx_allocation a = { .base = (void *)(uintptr_t)now->from };
	uint64_t from = now->from > was->from ? now->from : was->from;
	uint64_t to = now->to < was->to ? now->to : was->to;
	char text[2 * TEXT_ROOM];
	from = mx_virtual_address(from);
	to = mx_virtual_address(to - 1) + 1;
	mx_hip_about((void *)(uintptr_t)from, &a);
	snprintf(text, sizeof text,
	         "%s %llu bytes at offset %llu of the allocation at %p, which %s %s: %s",
	         verb(now->how), (unsigned long long)(to - from),
	         (unsigned long long)(from - (uint64_t)(uintptr_t)a.base), a.base, o->text,
	         verb(was->how), missing(&o->work, work));
	mx_watch_streams(running.what, o->what, running.text, text);
}

static bool is_apart(const struct operation *o) {
	return o->device != running.stream->device;
}

/* The proof of a launch takes it for alone: it does not hold if the launch uses what an atomic has
 * read of what other work writes without order. */
static void unprove(struct operation *o) {
	const struct mx_touched_range *with;
	if (running.proved && running.touched.acquires &&
	    meet(&running.touched, &o->touched, synchronise, &with)) {
		running.proved = false;
		mx_watch_unprove();
	}
	if (o->proved && o->touched.acquires &&
	    meet(&o->touched, &running.touched, synchronise, &with)) {
		o->proved = false;
		mx_watch_unprove();
	}
}

/* Atomics of agent scope order nothing between devices, and conflict there. */
static void find_races(const struct hipGraphNode *node) {
	struct mx_stream_clock *clock = node->order.clock;
	const struct mx_touched_range *now, *was;
	for (struct operation *o = earlier; o < earlier + n_earlier; o++)
		if (!is_before(o, clock))
			unprove(o);
	for (const struct operation *o = earlier; o < earlier + n_earlier; o++)
		if (running.touched.acquires && !is_before(o, clock) &&
		    meet(&running.touched, &o->touched,
		         is_apart(o) ? synchronise_apart : synchronise, &was))
			mx_stream_clock_join(clock, &o->clock);
	for (const struct operation *o = earlier; o < earlier + n_earlier; o++)
		if (!is_before(o, clock) &&
		    (now = meet(&running.touched, &o->touched,
		                is_apart(o) ? conflict_apart : conflict, &was)))
			report(o, &node->order.work, now, was);
}

/* ---- the list ---- */

static void forget(struct operation *o) {
	free(o->text);
	mx_stream_clock_free(&o->clock);
	mx_touched_free(&o->touched);
}

/* Keeps the operations for which `keeps` holds. */
static void filter(bool (*keeps)(const struct operation *, const void *), const void *with) {
	size_t n = 0;
	for (size_t i = 0; i < n_earlier; i++)
		if (keeps(&earlier[i], with))
			earlier[n++] = earlier[i];
		else
			forget(&earlier[i]);
	n_earlier = n;
}

static bool is_unknown_to(const struct operation *o, const void *host) {
	return !is_before(o, host);
}

static bool is_recent(const struct operation *o, const void *oldest) {
	return o->work.number > *(const uint64_t *)oldest;
}

void mx_races_forget(const struct mx_stream_clock *host) {
	pthread_mutex_lock(&lock);
	filter(is_unknown_to, host);
	if (!n_earlier)
		mx_stream_clocks_clear();
	pthread_mutex_unlock(&lock);
}

static bool make_room(void) {
	if (n_earlier == MOST_OPERATIONS)
		filter(is_recent, &(uint64_t){ earlier[MOST_OPERATIONS / 2].work.number });
	if (n_earlier < room)
		return true;
	size_t more = room ? 2 * room : 16;
	struct operation *grown = realloc(earlier, more * sizeof *grown);
	if (!grown)
		return false;
	earlier = grown;
	room = more;
	return true;
}

static void keep(const struct hipGraphNode *node) {
	char *text = strdup(running.text);
	if (!text || !make_room()) {
		free(text);
		return;
	}
	struct operation *o = &earlier[n_earlier++];
	*o = (struct operation){ .work = node->order.work,
		                 .device = running.stream->device,
		                 .proved = running.proved,
		                 .what = running.what,
		                 .text = text,
		                 .touched = running.touched,
		                 .value = running.value,
		                 .before = running.before };
	mx_stream_clock_join(&o->clock, node->order.clock);
	running.touched = (struct mx_touched){ 0 };
}

/* Memory that is freed may be another allocation soon. */
static void end_memory(uint64_t from, uint64_t to) {
	for (struct operation *o = earlier; o < earlier + n_earlier; o++)
		for (struct mx_touched_range *r = o->touched.range;
		     r < o->touched.range + o->touched.n; r++)
			if (r->from >= from && r->from < to)
				r->how = 0;
}

void mx_races_end_memory(const void *p, size_t bytes) {
	uint64_t from = (uint64_t)(uintptr_t)p;
	pthread_mutex_lock(&lock);
	end_memory(from, from + bytes);
	pthread_mutex_unlock(&lock);
}

/* Memory that the host may access while a kernel runs. */
static bool is_for_host(const struct mx_touched_range *r) {
	enum { FINE_GRAINED = 1, SIGNAL = 2, UNCACHED = 3 }; /* hipExtMallocWithFlags */
	struct mx_allocation a;
	if (!mx_hip_about((void *)(uintptr_t)r->from, &a))
		return false;
	return a.kind == MX_HOST_MEMORY || a.kind == MX_MANAGED_MEMORY ||
	       a.kind == MX_REGISTERED_MEMORY || a.kind == MX_IMPORTED_MEMORY ||
	       (a.kind == MX_DEVICE_MEMORY && a.flags >= FINE_GRAINED && a.flags <= UNCACHED);
}

static bool may_tell_host(void) {
	bool may = running.unknown;
	for (size_t i = 0; !may && i < running.touched.n; i++)
		may = running.touched.range[i].how & WRITES &&
		      is_for_host(&running.touched.range[i]);
	return running.polled && may;
}

bool mx_races_reads_host(const struct mx_touched *t) {
	bool reads = false;
	for (size_t i = 0; t->acquires && !reads && i < t->n; i++)
		reads = t->range[i].how & MX_TOUCH_ATOMIC_READ && is_observed(&t->range[i]) &&
		        is_for_host(&t->range[i]);
	return reads;
}

void mx_races_check(const struct hipGraphNode *node) {
	if (!running.launch || !node->order.clock)
		return;
	bool tells = may_tell_host();
	if (running.touched.n) {
		describe(node);
		describe_stream();
		pthread_mutex_lock(&lock);
		if (place_ranges())
			find_races(node);
		if ((int)node->type == MX_NODE_FREE || node->type == hipGraphNodeTypeMemFree)
			end_memory(running.touched.range->from, running.touched.range->to);
		else
			keep(node);
		pthread_mutex_unlock(&lock);
		mx_touched_free(&running.touched);
	}
	running.unknown = running.proved = false;
	running.text[0] = 0;
	running.value.bytes = 0;
	if (tells)
		mx_queue_tell_host(node->order.clock);
}
