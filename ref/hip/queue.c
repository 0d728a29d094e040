/* What is enqueued in streams, and the dispatcher that runs it.
 *
 * A piece of work is a node, as in a graph; a graph is one piece, which stops at a wait that is not
 * over and goes on later. It runs in a call that waits for it, or that reads or frees memory. A few
 * queries find it unfinished, as on a device, where it takes longer than they do; then one of them
 * runs a piece, so that a loop of queries ends. A host function may be what the program waits for,
 * so its call runs it, with what must run before it. Threads that have set launch options do their
 * work at once.
 *
 * The work of a stream runs in order. The legacy stream waits for all earlier work of the blocking
 * streams, and they wait for its earlier work. Of the pieces that may be next, MXHIP_SEED=N
 * chooses; 0, the default, is the one that was enqueued first.
 *
 * A program may wait without a call, for a flag in memory. So a thread of the runtime runs what is
 * enqueued after a time without a call other than queries. */
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "queue.h"
#include "stream_races.h"

enum {
	IDLE_MS = 5, /* in many short sleeps, so that a machine under load does not look idle */
	IDLE_TIMES = 20,
	MOST_PIECES = 4096,
	QUERIES = 16,    /* that find work unfinished, the last of which runs a piece */
	STALL_MS = 1000, /* without progress */
};

struct mx_piece {
	struct hipGraphNode node;
	uint64_t seq;               /* in the order of enqueueing, of all streams; from 1 */
	bool begun, running, told;  /* told: that it waits for ever */
	struct hipGraphNode *wait;  /* that must be over before it runs, or goes on; or NULL */
	struct hipGraphNode *waits; /* all its waits for events */
	struct mx_piece *next;
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER; /* of all below, and of events */
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER, added = PTHREAD_COND_INITIALIZER;
static struct ihipStream_t legacy[MX_MOST_DEVICES], *streams; /* the list of all */
static uint64_t last_seq, calls, random_state;
static struct mx_stream_clock host; /* what the host has waited for */
static struct timespec progress;    /* the last time that a piece was enqueued or ended */
static unsigned n_pieces, n_running;
static unsigned n_queries; /* since a piece was enqueued or ended */
static bool seeded, ended;
static _Thread_local const struct ihipStream_t *within; /* whose piece this thread runs */

/* ---- streams ---- */

static void enlist(struct ihipStream_t *stream, unsigned number) {
	stream->number = number;
	stream->other = streams;
	streams = stream;
}

static void enlist_legacy(void) {
	pthread_mutex_lock(&lock);
	for (int i = 0; i < mx_devices(); i++) {
		legacy[i].device = i;
		enlist(&legacy[i], 0);
	}
	pthread_mutex_unlock(&lock);
}

struct ihipStream_t *mx_legacy_stream(int device) {
	static pthread_once_t once = PTHREAD_ONCE_INIT;
	pthread_once(&once, enlist_legacy);
	return &legacy[device];
}

void mx_queue_enlist(struct ihipStream_t *stream) {
	static unsigned last;
	pthread_mutex_lock(&lock);
	enlist(stream, ++last);
	pthread_mutex_unlock(&lock);
}

void mx_queue_capture_stream(struct ihipStream_t *stream, struct mx_capture *capture) {
	pthread_mutex_lock(&lock);
	stream->capture = capture;
	pthread_mutex_unlock(&lock);
}

void mx_queue_end_capture(struct mx_capture *capture) {
	pthread_mutex_lock(&lock);
	for (struct ihipStream_t *s = streams; s; s = s->other)
		if (s->capture == capture) {
			s->capture = NULL;
			mx_front_clear(&s->front);
		}
	pthread_mutex_unlock(&lock);
}

struct mx_capture *mx_queue_capture(uint64_t id) {
	struct mx_capture *capture = NULL;
	pthread_mutex_lock(&lock);
	for (struct ihipStream_t *s = streams; id && s; s = s->other)
		if (s->capture && s->capture->id == id)
			capture = s->capture;
	pthread_mutex_unlock(&lock);
	return capture;
}

/* As mx_queue_captures; `invalidate`: the captures of all of them. */
static bool captured(bool (*which)(const struct ihipStream_t *, const void *), const void *with,
                     bool invalidate) {
	bool any = false;
	pthread_mutex_lock(&lock);
	for (struct ihipStream_t *s = streams; s; s = s->other)
		if (s->capture && which(s, with)) {
			any = true;
			s->capture->invalid |= invalidate;
		}
	pthread_mutex_unlock(&lock);
	return any;
}

bool mx_queue_captures(bool (*which)(const struct ihipStream_t *, const void *), const void *with) {
	return captured(which, with, false);
}

bool mx_queue_invalidate(bool (*which)(const struct ihipStream_t *, const void *),
                         const void *with) {
	return captured(which, with, true);
}

/* ---- order, under the lock ---- */

/* Whether a stream is the legacy one, and waits for earlier work of the other. */
static bool waits_for(const struct ihipStream_t *stream, const struct ihipStream_t *other) {
	return stream == &legacy[other->device] && !(other->flags & hipStreamNonBlocking);
}

/* Whether work up to `seq` is left, in a stream or, if it is NULL, in any. It is not followed: it
 * may be gone. */
static bool pending(const struct ihipStream_t *stream, uint64_t seq) {
	for (const struct ihipStream_t *s = streams; s; s = s->other)
		if (s->first && s->first->seq <= seq &&
		    (!stream || s == stream || waits_for(stream, s)))
			return true;
	return false;
}

static bool is_over(const struct hipGraphNode *wait) {
	return (int)wait->type == MX_NODE_WAIT ? mx_hip_value_holds(&wait->value)
	                                       : !pending(wait->wait.stream, wait->wait.seq);
}

/* Whether the first piece of a stream may run. */
static bool is_ready(const struct ihipStream_t *stream) {
	const struct mx_piece *p = stream->first;
	if (!p || p->running || (p->wait && !is_over(p->wait)))
		return false;
	for (const struct ihipStream_t *s = streams; s; s = s->other)
		if (s->first && s->first->seq < p->seq &&
		    (waits_for(stream, s) || waits_for(s, stream)))
			return false;
	return true;
}

/* SplitMix64 [Steele, Lea, Flood 2014]. */
static uint64_t random_number(void) {
	uint64_t z = random_state += 0x9E3779B97F4A7C15;
	z = (z ^ z >> 30) * 0xBF58476D1CE4E5B9;
	z = (z ^ z >> 27) * 0x94D049BB133111EB;
	return z ^ z >> 31;
}

/* The stream whose piece is next: NULL if none may run. A seed chooses fairly: the n-th stream that
 * is ready replaces the choice with a probability of 1/n. */
static struct ihipStream_t *choose(void) {
	struct ihipStream_t *chosen = NULL;
	unsigned n = 0;
	for (struct ihipStream_t *s = streams; s; s = s->other) {
		if (!is_ready(s))
			continue;
		n++;
		if (!chosen ||
		    (seeded ? random_number() % n == 0 : s->first->seq < chosen->first->seq))
			chosen = s;
	}
	return chosen;
}

/* ---- clocks of watched work (stream_clock.c), under the lock ---- */

/* The work of streams that are gone; the second of those that block. */
static struct mx_stream_clock left[MX_MOST_DEVICES], left_blocking[MX_MOST_DEVICES];

static void leave_clock(struct ihipStream_t *s) {
	mx_stream_clock_join(&left[s->device], &s->clock);
	if (waits_for(&legacy[s->device], s))
		mx_stream_clock_join(&left_blocking[s->device], &s->clock);
	mx_stream_clock_free(&s->clock);
	mx_stream_clock_free(&s->before);
}

/* When a piece is enqueued: what the host has waited for, and for its waits the records of events
 * that have run. */
static void start_clock(struct mx_piece *p) {
	struct mx_stream_clock *clock = mx_watching() ? calloc(1, sizeof *clock) : NULL;
	p->node.order.clock = clock;
	if (!clock)
		return;
	mx_stream_clock_join(clock, &host);
	for (struct hipGraphNode *w = p->waits; w; w = w->wait.next)
		if (w->event->clock_seq == w->wait.seq)
			mx_stream_clock_join(&w->wait.clock, &w->event->clock);
}

/* A wait is over: what it was for comes before it. */
static void end_wait(struct mx_piece *p) {
	struct hipGraphNode *w = p->wait;
	w->done = true;
	p->wait = NULL;
	if ((int)w->type == MX_NODE_WAIT)
		mx_hip_value_check(&w->value);
	if (w->order.clock && (int)w->type == MX_NODE_WAIT)
		mx_races_acquire(w->order.clock, &w->value, &w->wait.clock);
	else if (w->order.clock)
		mx_stream_clock_join(w->order.clock, &w->wait.clock);
}

/* The streams for which one waits. */
static void join_blocking(struct mx_stream_clock *clock, const struct ihipStream_t *stream) {
	for (const struct ihipStream_t *s = streams; s; s = s->other)
		if (waits_for(stream, s))
			mx_stream_clock_join(clock, &s->clock);
	if (stream == &legacy[stream->device])
		mx_stream_clock_join(clock, &left_blocking[stream->device]);
}

/* Its own stream, and those for which a piece of it has waited. A launch in any order comes after
 * what the last other piece came after. */
static void join_stream(struct mx_stream_clock *clock, struct ihipStream_t *stream,
                        bool any_order) {
	join_blocking(clock, stream);
	if (waits_for(&legacy[stream->device], stream))
		mx_stream_clock_join(clock, &legacy[stream->device].clock);
	mx_stream_clock_join(clock, any_order ? &stream->before : &stream->clock);
	if (any_order)
		return;
	mx_stream_clock_free(&stream->before);
	mx_stream_clock_join(&stream->before, clock);
}

/* When it is about to run. A graph enters at its end: until then its nodes have places. */
static void complete_clock(struct ihipStream_t *stream, struct mx_piece *p) {
	struct hipGraphNode *node = &p->node;
	struct mx_stream_clock *clock = node->order.clock;
	uint64_t number =
		stream->number ? MX_MOST_DEVICES + stream->number : (uint64_t)stream->device;
	bool any_order = node->type == hipGraphNodeTypeKernel && node->kernel.shape.any_order;
	if (clock && !p->begun)
		join_stream(clock, stream, any_order);
	if (p->wait)
		end_wait(p);
	if (!clock || p->begun)
		return;
	stream->branches = any_order ? stream->branches + 1 : 0;
	node->order.work = mx_work_in(mx_place(number, stream->branches));
	if (!node->child)
		mx_stream_clock_enter(clock, node->order.work);
}

/* When it has run. */
static void end_clock(struct ihipStream_t *s, struct mx_piece *p) {
	struct hipGraphNode *node = &p->node;
	if (!node->order.clock)
		return;
	if (node->child) {
		node->order.work = mx_work_in(node->order.work.place);
		mx_stream_clock_enter(node->order.clock, node->order.work);
	}
	mx_stream_clock_join(&s->clock, node->order.clock);
}

/* Waits for the record of an event obtain its clock. The record is a piece, or in its graph. */
static void give_to_waits(hipEvent_t event, const struct ihipStream_t *stream, uint64_t seq,
                          const struct mx_stream_clock *clock) {
	for (struct ihipStream_t *s = streams; s; s = s->other)
		for (struct mx_piece *p = s->first; p; p = p->next)
			for (struct hipGraphNode *w = p->waits; w; w = w->wait.next)
				if (w->wait.stream == stream && w->wait.seq == seq &&
				    w->event == event)
					mx_stream_clock_join(&w->wait.clock, clock);
}

static void set_clock(hipEvent_t event, const struct mx_stream_clock *clock, uint64_t seq) {
	mx_stream_clock_free(&event->clock);
	mx_stream_clock_join(&event->clock, clock);
	event->clock_seq = seq;
}

/* When a record has run. */
static void give_clock(const struct ihipStream_t *stream, const struct mx_piece *record) {
	hipEvent_t event = record->node.event;
	const struct mx_stream_clock *clock = record->node.order.clock;
	if (!clock)
		return;
	if (mx_handle_is(MX_EVENT, event) && event->seq == record->seq)
		set_clock(event, clock, record->seq);
	give_to_waits(event, stream, record->seq, clock);
}

/* If it is the host that will write a value, it does so after what it knows now. */
static void tell_waits(void) {
	for (const struct ihipStream_t *s = streams; s; s = s->other)
		for (const struct mx_piece *p = s->first; p; p = p->next) {
			struct hipGraphNode *w = p->wait;
			if (w && (int)w->type == MX_NODE_WAIT && w->order.clock &&
			    !mx_hip_value_holds(&w->value))
				mx_stream_clock_join(&w->wait.clock, &host);
		}
}

/* The host has waited for a stream. */
static void tell_host(const struct ihipStream_t *stream) {
	if (!mx_watching())
		return;
	mx_stream_clock_join(&host, &stream->clock);
	join_blocking(&host, stream);
	tell_waits();
	if (!n_pieces)
		mx_races_forget(&host);
}

/* It has waited for an event. */
static void tell_host_of(const struct ihipEvent_t *event) {
	if (event->clock_seq == event->seq)
		mx_stream_clock_join(&host, &event->clock);
	tell_waits();
}

void mx_queue_tell_host(const struct mx_stream_clock *clock) {
	pthread_mutex_lock(&lock);
	mx_stream_clock_join(&host, clock);
	tell_waits();
	pthread_mutex_unlock(&lock);
}

/* ---- running, under the lock ---- */

/* Removes the first piece of a stream. */
static void retire(struct ihipStream_t *s) {
	struct mx_piece *p = s->first;
	s->first = p->next;
	if (!s->first)
		s->last = NULL;
	n_pieces--;
	n_queries = 0;
	clock_gettime(CLOCK_MONOTONIC, &progress);
	end_clock(s, p);
	mx_node_clear(&p->node);
	free(p);
}

/* An event has the time of its last record. */
static void complete_record(const struct mx_piece *p) {
	hipEvent_t event = p->node.event;
	if (mx_handle_is(MX_EVENT, event) && event->seq == p->seq)
		clock_gettime(CLOCK_MONOTONIC, &event->at);
}

/* A marker only orders: it takes no time, so it is over when it is ready. */
static bool is_marker(const struct hipGraphNode *node) {
	return node->type == hipGraphNodeTypeEventRecord || mx_node_waits(node);
}

/* Whether a marker was over, so that others may be. */
static bool retire_markers(struct ihipStream_t *s) {
	bool any = false;
	while (is_ready(s) && is_marker(&s->first->node)) {
		complete_clock(s, s->first);
		if (s->first->node.type == hipGraphNodeTypeEventRecord) {
			complete_record(s->first);
			give_clock(s, s->first);
		}
		retire(s);
		any = true;
	}
	return any;
}

static void settle(void) {
	bool again = true;
	while (again) {
		again = false;
		for (struct ihipStream_t *s = streams; s; s = s->other)
			again |= retire_markers(s);
	}
}

/* Of each stream that waits for a value, once. */
static void tell_stall(void) {
	char text[MX_VALUE_ROOM];
	for (const struct ihipStream_t *s = streams; s; s = s->other) {
		struct mx_piece *p = s->first;
		if (!p || !p->wait || (int)p->wait->type != MX_NODE_WAIT || p->told)
			continue;
		fprintf(stderr,
		        "libmxhip: no progress: stream %p waits for %s, and no other work can "
		        "run\n",
		        (const void *)s, mx_hip_value_text(&p->wait->value, text, sizeof text));
		p->told = true;
	}
}

static unsigned stalled_ms(void) {
	struct timespec now;
	clock_gettime(CLOCK_MONOTONIC, &now);
	return n_pieces && !n_running ? (unsigned)((now.tv_sec - progress.tv_sec) * 1000 +
	                                           (now.tv_nsec - progress.tv_nsec) / 1000000)
	                              : 0;
}

static bool has_host_function(const struct hipGraphNode *node) {
	const struct ihipGraph *g = node->child;
	bool has = node->type == hipGraphNodeTypeHost;
	for (size_t i = 0; !has && g && i < g->n; i++)
		has = has_host_function(g->nodes[i]);
	return has;
}

/* Runs the first piece of a stream, up to its next wait, which it returns. */
static struct hipGraphNode *run_piece(const struct ihipStream_t *s, bool polled) {
	struct mx_piece *p = s->first;
	struct hipGraphNode *wait;
	bool was = mx_options_suspend(true);
	const struct ihipStream_t *outer = within;
	within = s;
	hipError_t before = hipPeekAtLastError();
	mx_races_begin(s, &p->node, polled);
	hipError_t e = mx_node_run(&p->node, &wait);
	mx_races_end();
	within = outer;
	if (e != hipSuccess)
		mx_hip_defer_failure(e, before);
	mx_options_suspend(was);
	return wait;
}

/* Runs one piece, or a part of it, without the lock; false if none may run. polled: the host may be
 * in a loop that reads memory. */
static bool step(bool polled) {
	struct ihipStream_t *s = choose();
	if (!s && stalled_ms() > STALL_MS)
		tell_stall();
	if (!s)
		return false;
	struct mx_piece *p = s->first;
	p->running = true;
	n_running++;
	complete_clock(s, p);
	p->begun = true;
	pthread_mutex_unlock(&lock);
	struct hipGraphNode *wait = run_piece(s, polled);
	pthread_mutex_lock(&lock);
	n_running--;
	p->running = false;
	p->wait = wait;
	if (!wait)
		retire(s);
	settle();
	pthread_cond_broadcast(&changed);
	return true;
}

/* Another thread runs something, or a value in memory has to change. */
static void wait_a_moment(void) {
	struct timespec t;
	clock_gettime(CLOCK_REALTIME, &t);
	t.tv_nsec += 1000000;
	t.tv_sec += t.tv_nsec / 1000000000;
	t.tv_nsec %= 1000000000;
	pthread_cond_timedwait(&changed, &lock, &t);
}

/* ---- idle time, and the end ---- */

static void *run_when_idle(void *unused) {
	unsigned quiet = 0;
	pthread_mutex_lock(&lock);
	for (;;) {
		while (!n_pieces)
			pthread_cond_wait(&added, &lock);
		uint64_t seen = calls;
		pthread_mutex_unlock(&lock);
		nanosleep(&(struct timespec){ .tv_nsec = IDLE_MS * 1000000 }, NULL);
		pthread_mutex_lock(&lock);
		quiet = seen == calls && !n_running ? quiet + 1 : 0;
		while (quiet >= IDLE_TIMES && seen == calls && step(true))
			;
	}
	return unused;
}

/* The thread outlives every dlclose, as the library is linked with -z nodelete. */
static void start_idle_thread(void) {
	pthread_t thread;
	sigset_t all, old;
	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &old);
	if (!pthread_create(&thread, NULL, run_when_idle, NULL))
		pthread_detach(thread);
	pthread_sigmask(SIG_SETMASK, &old, NULL);
}

/* Whether another thread runs a piece that ends by itself. A host function may wait for a thread
 * that is gone. */
static bool is_busy(void) {
	for (const struct ihipStream_t *s = streams; s; s = s->other)
		if (s != within && s->first && s->first->running &&
		    !has_host_function(&s->first->node))
			return true;
	return false;
}

/* At exit, while handlers that the program registered before can still unload its modules. */
static void end(void) {
	pthread_mutex_lock(&lock);
	ended = true;
	for (;;)
		if (is_busy())
			wait_a_moment();
		else if (!step(false))
			break;
	tell_stall();
	pthread_mutex_unlock(&lock);
}

/* The program does not know the idle thread, which could have the lock when it forks. */
static void lock_queue(void) {
	pthread_mutex_lock(&lock);
}

static void unlock_queue(void) {
	pthread_mutex_unlock(&lock);
}

static void begin(void) {
	random_state = mx_hip_number("MXHIP_SEED");
	seeded = random_state != 0;
	atexit(end);
	pthread_atfork(lock_queue, unlock_queue, unlock_queue);
	start_idle_thread();
}

/* ---- enqueueing ---- */

/* From its launch on an event is that of the graph that records it: calls wait for the launch. */
static void record_with_graph(const struct ihipGraph *g, const struct ihipStream_t *s,
                              uint64_t seq) {
	for (size_t i = 0; i < g->n; i++) {
		const struct hipGraphNode *node = g->nodes[i];
		if (node->child)
			record_with_graph(node->child, s, seq);
		else if (node->type == hipGraphNodeTypeEventRecord &&
		         mx_handle_is(MX_EVENT, node->event)) {
			node->event->recorded = true;
			node->event->stream = s;
			node->event->seq = seq;
		}
	}
}

/* A wait is for the last record before it is enqueued, or before the launch of its graph, as AMD's
 * runtime does [ROCm/clr, hip_graph_internal.hpp, GraphEventWaitNode::CreateCommand]. */
static void find_records(struct mx_piece *p, struct hipGraphNode *node) {
	for (size_t i = 0; node->child && i < node->child->n; i++)
		find_records(p, node->child->nodes[i]);
	if (node->type == hipGraphNodeTypeWaitEvent && mx_handle_is(MX_EVENT, node->event)) {
		node->wait.stream = node->event->stream;
		node->wait.seq = node->event->seq;
		node->wait.next = p->waits;
		p->waits = node;
	}
}

static void append(struct ihipStream_t *s, struct mx_piece *p) {
	hipEvent_t event = p->node.event;
	p->seq = ++last_seq;
	p->wait = mx_node_waits(&p->node) ? &p->node : NULL;
	find_records(p, &p->node);
	start_clock(p);
	if (p->node.type == hipGraphNodeTypeEventRecord) {
		event->recorded = true;
		event->stream = s;
		event->seq = p->seq;
	} else if (p->node.child)
		record_with_graph(p->node.child, s, p->seq);
	*(s->first ? &s->last->next : &s->first) = p;
	s->last = p;
	n_queries = 0;
	clock_gettime(CLOCK_MONOTONIC, &progress);
	if (!n_pieces++)
		pthread_cond_signal(&added);
}

hipError_t mx_queue_push(struct ihipStream_t *stream, struct hipGraphNode *node) {
	static pthread_once_t once = PTHREAD_ONCE_INIT;
	struct mx_piece *p = calloc(1, sizeof *p);
	if (!p) {
		mx_node_clear(node);
		return mx_hip_return(hipErrorOutOfMemory);
	}
	pthread_once(&once, begin);
	p->node = *node;
	bool now = has_host_function(node);
	pthread_mutex_lock(&lock);
	calls++;
	append(stream, p);
	uint64_t seq = p->seq;
	settle();
	while ((ended || n_pieces > MOST_PIECES || (now && pending(stream, seq))) && step(false))
		;
	pthread_mutex_unlock(&lock);
	return mx_hip_return(hipSuccess);
}

/* ---- waiting ---- */

/* A wait of a host function for itself does not end. */
static void warn_of_itself(const struct ihipStream_t *stream, uint64_t seq) {
	if (within && within->first->seq <= seq &&
	    (!stream || stream == within || waits_for(stream, within)))
		fprintf(stderr, "libmxhip: a host function makes a call that waits for its own "
		                "stream: the call does not return\n");
}

static void finish(const struct ihipStream_t *stream, uint64_t seq) {
	calls++;
	warn_of_itself(stream, seq);
	while (pending(stream, seq))
		if (!step(false))
			wait_a_moment();
}

void mx_queue_wait(struct hipGraphNode *wait) {
	pthread_mutex_lock(&lock);
	while (!is_over(wait))
		if (!step(false))
			wait_a_moment();
	if ((int)wait->type == MX_NODE_WAIT)
		mx_hip_value_check(&wait->value);
	wait->done = true;
	pthread_mutex_unlock(&lock);
}

static bool query(const struct ihipStream_t *stream, uint64_t seq) {
	bool is_pending = pending(stream, seq);
	if (is_pending && ++n_queries >= QUERIES) {
		n_queries = 0;
		step(true);
	}
	return is_pending;
}

void mx_queue_drain(const struct ihipStream_t *stream) {
	pthread_mutex_lock(&lock);
	finish(stream, last_seq);
	pthread_mutex_unlock(&lock);
}

void mx_queue_finish(const struct ihipStream_t *stream) {
	pthread_mutex_lock(&lock);
	finish(stream, last_seq);
	tell_host(stream);
	pthread_mutex_unlock(&lock);
}

/* A stream of a device that has work up to `seq`; or NULL. */
static const struct ihipStream_t *unfinished(int device, uint64_t seq) {
	const struct ihipStream_t *s = streams;
	while (s && !(s->device == device && s->first && s->first->seq <= seq))
		s = s->other;
	return s;
}

/* Under the lock. */
static void drain_device(int device) {
	const struct ihipStream_t *s;
	uint64_t seq = last_seq;
	while ((s = unfinished(device, seq)))
		finish(s, seq);
}

void mx_queue_drain_device(int device) {
	pthread_mutex_lock(&lock);
	drain_device(device);
	pthread_mutex_unlock(&lock);
}

void mx_queue_finish_device(int device) {
	pthread_mutex_lock(&lock);
	drain_device(device);
	mx_stream_clock_join(&host, &left[device]);
	for (const struct ihipStream_t *s = streams; s; s = s->other)
		if (s->device == device)
			tell_host(s);
	pthread_mutex_unlock(&lock);
}

void mx_queue_finish_event(hipEvent_t event) {
	pthread_mutex_lock(&lock);
	finish(event->stream, event->seq);
	tell_host_of(event);
	pthread_mutex_unlock(&lock);
}

bool mx_queue_query(const struct ihipStream_t *stream) {
	pthread_mutex_lock(&lock);
	bool is_pending = query(stream, last_seq);
	if (!is_pending && stream)
		tell_host(stream);
	pthread_mutex_unlock(&lock);
	return is_pending;
}

bool mx_queue_query_event(hipEvent_t event) {
	pthread_mutex_lock(&lock);
	bool is_pending = query(event->stream, event->seq);
	if (!is_pending)
		tell_host_of(event);
	pthread_mutex_unlock(&lock);
	return is_pending;
}

/* ---- streams that end ---- */

void mx_queue_unlist(struct ihipStream_t *stream) {
	mx_queue_drain(stream);
	pthread_mutex_lock(&lock);
	struct ihipStream_t **s = &streams;
	while (*s && *s != stream)
		s = &(*s)->other;
	if (*s)
		*s = stream->other;
	leave_clock(stream);
	mx_front_clear(&stream->front);
	pthread_mutex_unlock(&lock);
}

/* ---- events ---- */

/* The number of what this thread runs. What it does at once comes after all that is enqueued. */
static uint64_t running_seq(void) {
	return within ? within->first->seq : UINT64_MAX;
}

void mx_queue_record(const struct hipGraphNode *node) {
	hipEvent_t event = node->event;
	const struct mx_stream_clock *clock = node->order.clock;
	pthread_mutex_lock(&lock);
	if (clock && within)
		give_to_waits(event, within, running_seq(), clock);
	if (mx_handle_is(MX_EVENT, event) && event->seq <= running_seq()) {
		event->recorded = true;
		event->stream = NULL;
		event->seq = event->clock_seq = 0;
		if (clock)
			set_clock(event, clock, 0);
		clock_gettime(CLOCK_MONOTONIC, &event->at);
	}
	pthread_mutex_unlock(&lock);
}

bool mx_queue_event(hipEvent_t event, struct ihipEvent_t *copy) {
	pthread_mutex_lock(&lock);
	*copy = *event;
	bool complete = !pending(event->stream, event->seq);
	if (complete)
		tell_host_of(event);
	pthread_mutex_unlock(&lock);
	return complete;
}

void mx_queue_free_event(hipEvent_t event) {
	pthread_mutex_lock(&lock);
	mx_front_clear(&event->front);
	mx_stream_clock_free(&event->clock);
	free(event);
	pthread_mutex_unlock(&lock);
}
