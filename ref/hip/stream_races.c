/* Accesses of the same bytes by work of different streams, without order. Watched launches, copies,
 * memsets, values and hipFreeAsync are observed.
 *
 * The clock of a piece of work has of each stream the last piece that comes before it whatever the
 * order in which streams run. queue.c computes it from
 *  - the order of a stream, and of the legacy stream with blocking ones;
 *  - events;
 *  - what the host has waited for when it enqueues. The threads of the host count as one, in the
 *    order of their calls. A host function, and work that runs while the program makes no call,
 *    count as waited for: the host may learn of their end through memory.
 * Nodes of a graph are ordered by its dependencies. Atomics order: work that accesses a place
 * atomically comes after earlier work that has written it atomically, and a wait for a value after
 * whatever has written it.
 *
 * The host's own accesses to memory are unknown: of the host only calls are observed. */
#include "stream_races.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_OPERATIONS = 1 << 14, TEXT_ROOM = 320 };

/* Work that was observed. */
struct operation {
	struct mx_stream_clock clock;
	unsigned slot;
	uint64_t seq;
	const struct hipGraphNode *node; /* valid while its piece runs */
	const void *what;                /* the function, or what stands for the type of work */
	char *text;
	struct mx_touched touched;
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct operation *earlier; /* in the order in which it ran */
static size_t n_earlier, room;

/* What the thread runs. */
static _Thread_local struct {
	const struct ihipStream_t *stream;
	uint64_t seq;
	struct mx_stream_clock *clock; /* NULL: nothing that is observed */
	const void *what;
	char text[TEXT_ROOM]; /* of a launch, or "" */
	struct mx_touched touched;
} running;

enum { PLACES = sizeof(struct mx_stream_clock) / sizeof(uint64_t) };

unsigned mx_races_place(const struct ihipStream_t *stream) {
	unsigned others = PLACES - MX_MOST_DEVICES;
	return stream->number ? MX_MOST_DEVICES + (stream->number - 1) % others
	                      : (unsigned)stream->device;
}

void mx_stream_clock_join(struct mx_stream_clock *to, const struct mx_stream_clock *from) {
	for (unsigned i = 0; i < PLACES; i++)
		to->last[i] = to->last[i] > from->last[i] ? to->last[i] : from->last[i];
}

/* ---- what runs ---- */

void mx_races_begin(const struct ihipStream_t *stream, uint64_t seq,
                    struct mx_stream_clock *clock) {
	running.stream = stream;
	running.seq = seq;
	running.clock = clock;
	running.text[0] = 0;
}

void mx_races_end(void) {
	running.clock = NULL;
}

bool mx_races_observed(void) {
	return running.clock != NULL;
}

struct mx_stream_clock *mx_races_clock(void) {
	return running.clock;
}

/* If memory is short, less is observed. */
void mx_races_touch(const void *p, size_t bytes, unsigned how) {
	uint64_t from = (uint64_t)(uintptr_t)p;
	if (running.clock && bytes && mx_hip_is_allocation(p, bytes))
		mx_touched_add(&running.touched,
		               (struct mx_touched_range){ from, from + bytes, (uint8_t)how });
}

/* Memory of malloc passes from one kernel to another by a heap that synchronises. */
static bool is_observed(const struct mx_touched_range *r) {
	struct mx_allocation a;
	return mx_hip_about((void *)(uintptr_t)r->from, &a) && !a.internal && a.device >= 0;
}

void mx_races_launch(const struct mx_watched *w, struct mx_touched *touched) {
	const struct mx_launch *l = w->launch;
	char name[192];
	for (size_t i = 0; i < touched->n; i++)
		if (is_observed(&touched->range[i]))
			mx_touched_add(&running.touched, touched->range[i]);
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
	static const char types[MX_NODE_WAIT + 1];
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

/* ---- conflicts of ranges ---- */

enum {
	PLAIN_WRITE = MX_TOUCH_WRITE,
	WRITES = MX_TOUCH_WRITE | MX_TOUCH_ATOMIC_WRITE,
	ATOMIC = MX_TOUCH_ATOMIC_READ | MX_TOUCH_ATOMIC_WRITE,
};

/* Two accesses, one of them a write and one of them not atomic. */
static bool conflict(unsigned a, unsigned b) {
	return (a & PLAIN_WRITE && b) || (b & PLAIN_WRITE && a) ||
	       (a & WRITES && b & MX_TOUCH_READ) || (b & WRITES && a & MX_TOUCH_READ);
}

static bool synchronise(unsigned later, unsigned earlier) {
	return earlier & MX_TOUCH_ATOMIC_WRITE && later & ATOMIC;
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

/* Marks the nodes on which a node of a graph depends. */
static bool *nodes_before(const struct hipGraphNode *node) {
	const struct ihipGraph *g = node->graph;
	bool *before = g ? calloc(g->n, 1) : NULL;
	size_t i = before ? mx_graph_position(g, node) : 0;
	if (!before)
		return NULL;
	before[i] = true;
	for (size_t at = i + 1; at--;) /* nodes of an executable graph are in order */
		for (size_t k = 0; before[at] && k < g->nodes[at]->n_before; k++)
			before[g->nodes[at]->before[k]] = true;
	return before;
}

/* Whether an operation comes before the node that runs. Inner graphs count as in order. */
static bool is_before(const struct operation *o, const struct hipGraphNode *node,
                      const bool *before) {
	if (o->seq != running.seq)
		return running.clock->last[o->slot] >= o->seq;
	return !before || o->node->graph != node->graph ||
	       before[mx_graph_position(node->graph, o->node)];
}

void mx_races_acquire(struct mx_stream_clock *clock, const struct mx_value *v) {
	uint64_t at = (uint64_t)(uintptr_t)v->at;
	struct mx_touched_range range = { at, at + v->bytes, MX_TOUCH_ATOMIC_READ };
	const struct mx_touched value = { &range, 1, 1 };
	const struct mx_touched_range *with;
	pthread_mutex_lock(&lock);
	for (const struct operation *o = earlier; o < earlier + n_earlier; o++)
		if (meet(&value, &o->touched, conflict, &with) ||
		    meet(&value, &o->touched, synchronise, &with))
			mx_stream_clock_join(clock, &o->clock);
	pthread_mutex_unlock(&lock);
}

/* ---- races ---- */

static const char *verb(unsigned how) {
	if (how & MX_TOUCH_WRITE)
		return "writes";
	return how & MX_TOUCH_ATOMIC_WRITE ? "atomically updates" : "reads";
}

static void report(const struct operation *o, const struct mx_touched_range *now,
                   const struct mx_touched_range *was) {
	struct mx_allocation a = { .base = (void *)(uintptr_t)now->from };
	uint64_t from = now->from > was->from ? now->from : was->from;
	uint64_t to = now->to < was->to ? now->to : was->to;
	char text[2 * TEXT_ROOM];
	mx_hip_about((void *)(uintptr_t)from, &a);
	snprintf(text, sizeof text,
	         "%s %llu bytes at offset %llu of the allocation at %p, which %s %s: no event, "
	         "stream or wait of the host orders them",
	         verb(now->how), (unsigned long long)(to - from),
	         (unsigned long long)(from - (uint64_t)(uintptr_t)a.base), a.base, o->text,
	         verb(was->how));
	mx_watch_streams(running.what, o->what, running.text, text);
}

static void find_races(const struct hipGraphNode *node, const bool *before) {
	const struct mx_touched_range *now, *was;
	for (const struct operation *o = earlier; o < earlier + n_earlier; o++)
		if (!is_before(o, node, before) &&
		    meet(&running.touched, &o->touched, synchronise, &was))
			mx_stream_clock_join(running.clock, &o->clock);
	for (const struct operation *o = earlier; o < earlier + n_earlier; o++)
		if (!is_before(o, node, before) &&
		    (now = meet(&running.touched, &o->touched, conflict, &was)))
			report(o, now, was);
}

/* ---- the list ---- */

static void forget(struct operation *o) {
	free(o->text);
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
	return ((const struct mx_stream_clock *)host)->last[o->slot] < o->seq;
}

static bool is_recent(const struct operation *o, const void *oldest) {
	return o->seq > *(const uint64_t *)oldest;
}

void mx_races_forget(const struct mx_stream_clock *host) {
	pthread_mutex_lock(&lock);
	filter(is_unknown_to, host);
	pthread_mutex_unlock(&lock);
}

static bool make_room(void) {
	if (n_earlier == MOST_OPERATIONS)
		filter(is_recent, &earlier[MOST_OPERATIONS / 2].seq);
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
	earlier[n_earlier++] = (struct operation){ *running.clock, mx_races_place(running.stream),
		                                   running.seq,    node,
		                                   running.what,   text,
		                                   running.touched };
	running.touched = (struct mx_touched){ 0 };
}

/* Memory that is freed may be another allocation soon. */
static void end_allocation(const struct mx_touched_range *freed) {
	for (struct operation *o = earlier; o < earlier + n_earlier; o++)
		for (struct mx_touched_range *r = o->touched.range;
		     r < o->touched.range + o->touched.n; r++)
			if (r->from >= freed->from && r->from < freed->to)
				r->how = 0;
}

void mx_races_check(const struct hipGraphNode *node) {
	if (!running.clock || !running.touched.n)
		return;
	describe(node);
	describe_stream();
	bool *before = nodes_before(node);
	pthread_mutex_lock(&lock);
	if (mx_touched_sort(&running.touched))
		find_races(node, before);
	if ((int)node->type == MX_NODE_FREE || node->type == hipGraphNodeTypeMemFree)
		end_allocation(running.touched.range);
	else
		keep(node);
	pthread_mutex_unlock(&lock);
	free(before);
	mx_touched_free(&running.touched);
	running.text[0] = 0;
}
