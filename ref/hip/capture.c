/* Work in the order of a stream: it is enqueued, or a captured stream appends it to a graph, in the
 * order in which it comes. */
#include <stdatomic.h>
#include <stdlib.h>

#include "queue.h"
#include "watch.h"

bool mx_front_add(struct mx_front *front, struct hipGraphNode *const *nodes, size_t n) {
	struct hipGraphNode **grown = realloc(front->nodes, (front->n + n + 1) * sizeof *grown);
	if (!grown)
		return false;
	front->nodes = grown;
	for (size_t i = 0; i < n; i++) {
		size_t k = 0;
		while (k < front->n && grown[k] != nodes[i])
			k++;
		if (k == front->n)
			grown[front->n++] = nodes[i];
	}
	return true;
}

void mx_front_clear(struct mx_front *front) {
	free(front->nodes);
	*front = (struct mx_front){ 0 };
}

/* The program may have destroyed the graph. */
static bool is_valid(const struct mx_capture *c) {
	return !c->invalid && mx_is_graph(c->graph);
}

/* Work is captured in an order in which it can run. */
static hipError_t capture(struct ihipStream_t *stream, struct hipGraphNode *node) {
	const struct mx_capture *c = stream->capture;
	struct mx_front *front = &stream->front;
	hipGraphNode_t made;
	if (!is_valid(c)) {
		mx_node_clear(node);
		return mx_hip_fail(hipErrorStreamCaptureInvalidated, "the capture is invalid");
	}
	node->captured = c->id;
	hipError_t e = mx_graph_append(c->graph, node, front->nodes, front->n, &made);
	front->n = e == hipSuccess ? 0 : front->n;
	if (e == hipSuccess && !mx_front_add(front, &made, 1))
		e = mx_hip_return(hipErrorOutOfMemory);
	return e;
}

void mx_capture_abandon(struct mx_capture *c) {
	mx_queue_end_capture(c);
	if (!c->is_given)
		hipGraphDestroy(c->graph);
	free(c);
}

hipError_t mx_capture_join(struct ihipStream_t *stream, struct mx_capture *c,
                           const struct ihipEvent_t *event) {
	if (stream->capture && stream->capture != c) {
		stream->capture->invalid = c->invalid = true;
		return mx_hip_fail(hipErrorStreamCaptureMerge, "the stream is in another capture");
	}
	mx_queue_capture_stream(stream, c);
	return mx_hip_return(mx_front_add(&stream->front, event->front.nodes, event->front.n)
	                             ? hipSuccess
	                             : hipErrorOutOfMemory);
}

/* ---- calls that break a capture ---- */

static _Thread_local hipStreamCaptureMode thread_mode = hipStreamCaptureModeGlobal;

/* Whether a call of this thread is unsafe for a stream's capture: it began in this thread, or both
 * modes are global. */
static bool is_unsafe_for(const struct ihipStream_t *s, const void *unused) {
	const struct mx_capture *c = s->capture;
	(void)unused;
	if (thread_mode == hipStreamCaptureModeRelaxed || c->mode == hipStreamCaptureModeRelaxed)
		return false;
	return pthread_equal(c->thread, pthread_self()) ||
	       (thread_mode == hipStreamCaptureModeGlobal && c->mode == hipStreamCaptureModeGlobal);
}

hipError_t mx_capture_check_unsafe(void) {
	return mx_queue_invalidate(is_unsafe_for, NULL)
	               ? mx_hip_fail(hipErrorStreamCaptureUnsupported,
	                             "an unsafe call during a capture")
	               : hipSuccess;
}

static bool is_any(const struct ihipStream_t *s, const void *unused) {
	(void)s, (void)unused;
	return true;
}

hipError_t mx_capture_check_device(void) {
	return mx_queue_invalidate(is_any, NULL)
	               ? mx_hip_fail(hipErrorStreamCaptureUnsupported,
	                             "a wait for a device during a capture")
	               : hipSuccess;
}

static bool is_blocking(const struct ihipStream_t *s, const void *legacy) {
	return s->device == ((const struct ihipStream_t *)legacy)->device &&
	       !(s->flags & hipStreamNonBlocking);
}

static hipError_t implicit(void) {
	return mx_hip_fail(hipErrorStreamCaptureImplicit,
	                   "the legacy stream, while a blocking stream is captured");
}

/* Work in the legacy stream would wait for that of a captured stream. */
static hipError_t check_implicit(const struct ihipStream_t *stream) {
	bool legacy = stream == mx_legacy_stream(stream->device);
	return legacy && mx_queue_invalidate(is_blocking, stream) ? implicit() : hipSuccess;
}

hipError_t mx_capture_check_wait(struct ihipStream_t *stream) {
	if (stream->capture) {
		stream->capture->invalid = true;
		return mx_hip_fail(hipErrorStreamCaptureUnsupported, "a captured stream");
	}
	hipError_t e = check_implicit(stream);
	return e == hipSuccess ? mx_capture_check_unsafe() : e;
}

/* ---- enqueueing ---- */

/* Threads that have set launch options do their work at once. */
static hipError_t run_now(struct hipGraphNode *node) {
	struct hipGraphNode *wait;
	mx_queue_drain(NULL);
	hipError_t e = mx_node_run(node, &wait);
	while (wait) {
		mx_queue_wait(wait);
		e = mx_node_run(node, &wait);
	}
	mx_node_clear(node);
	return e;
}

/* Takes what the node points to. */
static hipError_t enqueue(struct ihipStream_t *stream, struct hipGraphNode *node) {
	if (stream->capture)
		return capture(stream, node);
	hipError_t e = check_implicit(stream);
	if (e != hipSuccess) {
		mx_node_clear(node);
		return e;
	}
	return mx_options_are_set() ? run_now(node) : mx_queue_push(stream, node);
}

hipError_t mx_stream_launch(hipStream_t handle, const struct mx_function *f,
                            const struct mx_shape *s, void **params, void **extra) {
	struct hipGraphNode node;
	struct ihipStream_t *stream;
	hipError_t e = mx_stream_of(handle, &stream);
	if (e == hipSuccess)
		e = mx_function_check(f);
	if (e == hipSuccess && f->module->device != stream->device)
		e = mx_hip_fail(hipErrorInvalidHandle,
		                "kernel %s of device %d in a stream of device %d", f->name,
		                f->module->device, stream->device);
	if (e == hipSuccess)
		e = mx_graph_kernel_node(&node, f, s, params, extra);
	return e == hipSuccess ? enqueue(stream, &node) : e;
}

static bool is_pageable(const void *p) {
	return !mx_hip_is_allocation(p, 1);
}

static bool is_of_host(const void *p) {
	struct mx_allocation a;
	return !mx_hip_about(p, &a) || a.kind == MX_HOST_MEMORY || a.kind == MX_REGISTERED_MEMORY;
}

/* A copy to pageable memory [HIP, hipMemcpyAsync], or from host memory to host memory [CUDA, API
 * synchronization behavior; ROCm/clr, ihipMemcpy], is over when the call returns. */
static bool waits(const struct mx_copy *c) {
	return is_pageable(c->to) || (is_of_host(c->to) && is_of_host(c->from));
}

/* A copy from pageable memory reads it in the call. What is over when the call returns needs no
 * memory of its own. */
static hipError_t copy_node(const struct ihipStream_t *stream, const struct mx_copy *c,
                            struct hipGraphNode *node) {
	*node = (struct hipGraphNode){ .type = hipGraphNodeTypeMemcpy, .copy = *c };
	hipError_t e = mx_hip_copy_check(c);
	bool at_once = waits(c) || c->waits || mx_options_are_set();
	if (e == hipSuccess && !stream->capture && !at_once && is_pageable(c->from))
		e = mx_hip_copy_stage(&node->copy);
	return e;
}

hipError_t mx_stream_copy(hipStream_t handle, const struct mx_copy *c) {
	struct hipGraphNode node;
	struct ihipStream_t *stream;
	hipError_t e = mx_stream_of(handle, &stream);
	if (e != hipSuccess || !c->bytes || !c->rows)
		return e;
	e = copy_node(stream, c, &node);
	if (e == hipSuccess)
		e = enqueue(stream, &node);
	if (e == hipSuccess && !stream->capture && waits(c))
		mx_queue_finish(stream);
	return e;
}

/* Adds the copies to a node that has a graph for them. *failed: the first one that is wrong. */
static hipError_t batch_copies(const struct ihipStream_t *stream, const struct mx_copy *list,
                               size_t n, size_t *failed, struct hipGraphNode *batch) {
	struct hipGraphNode node;
	hipError_t e = hipSuccess;
	for (size_t i = 0; e == hipSuccess && i < n; i++) {
		if (!list[i].bytes || !list[i].rows)
			continue;
		e = copy_node(stream, &list[i], &node);
		if (e == hipSuccess)
			e = mx_graph_append(batch->child, &node, NULL, 0, NULL);
		if (e != hipSuccess && failed)
			*failed = i;
	}
	return e;
}

/* The copies of a batch have no order among them [CUDA, cudaMemcpyBatchAsync]. */
hipError_t mx_stream_copies(hipStream_t handle, const struct mx_copy *list, size_t n,
                            size_t *failed) {
	struct hipGraphNode node = { .type = (hipGraphNodeType)MX_NODE_BATCH };
	struct ihipStream_t *stream;
	bool wait = false;
	hipError_t e = mx_stream_of(handle, &stream);
	if (e != hipSuccess)
		return e;
	if (!(node.child = calloc(1, sizeof *node.child)))
		return mx_hip_return(hipErrorOutOfMemory);
	for (size_t i = 0; i < n; i++)
		wait |= list[i].bytes && list[i].rows && waits(&list[i]);
	if (stream->capture)
		node.type = hipGraphNodeTypeGraph;
	e = batch_copies(stream, list, n, failed, &node);
	if (e != hipSuccess) {
		mx_node_clear(&node);
		return e;
	}
	e = enqueue(stream, &node);
	if (e == hipSuccess && !stream->capture && wait)
		mx_queue_finish(stream);
	return e;
}

hipError_t mx_stream_set(hipStream_t handle, const hipMemsetParams *p) {
	struct hipGraphNode node = { .type = hipGraphNodeTypeMemset, .set = *p };
	struct ihipStream_t *stream;
	hipError_t e = mx_stream_of(handle, &stream);
	if (e == hipSuccess)
		e = mx_hip_set_check(p);
	return e == hipSuccess ? enqueue(stream, &node) : e;
}

hipError_t mx_stream_event(struct ihipStream_t *stream, hipGraphNodeType type, hipEvent_t event) {
	struct hipGraphNode node = { .type = type, .event = event };
	return enqueue(stream, &node);
}

/* In a captured stream, which gives the memory to each launch of the graph. */
hipError_t mx_stream_allocate(struct ihipStream_t *stream, int device, size_t bytes, void **p) {
	hipMemAllocNodeParams a = { .poolProps = { .allocType = hipMemAllocationTypePinned,
		                                   .location = { hipMemLocationTypeDevice,
		                                                 device } },
		                    .bytesize = bytes };
	struct hipGraphNode node;
	hipError_t e = mx_graph_alloc_node(&node, &a);
	if (e == hipSuccess)
		e = enqueue(stream, &node);
	if (e == hipSuccess)
		*p = a.dptr;
	return e;
}

hipError_t mx_stream_allocated(struct ihipStream_t *stream, void *p, size_t bytes) {
	struct hipGraphNode node = { .type = (hipGraphNodeType)MX_NODE_ALLOCATE,
		                     .alloc = { .dptr = p, .bytesize = bytes } };
	return mx_watching() ? enqueue(stream, &node) : hipSuccess;
}

static hipError_t free_in_graph(struct ihipStream_t *stream, void *p) {
	struct hipGraphNode node;
	hipError_t e = mx_graph_free_node(&node, p);
	return e == hipSuccess ? enqueue(stream, &node) : e;
}

hipError_t mx_stream_free(hipStream_t handle, void *p) {
	struct hipGraphNode node = { .type = (hipGraphNodeType)MX_NODE_FREE, .free = p };
	struct ihipStream_t *stream;
	struct mx_allocation a;
	hipError_t e = mx_stream_of(handle, &stream);
	if (e != hipSuccess || !p)
		return e;
	if (stream->capture)
		return free_in_graph(stream, p);
	if (!mx_hip_about(p, &a) || a.base != p || a.kind == MX_HOST_MEMORY ||
	    (a.kind == MX_GRAPH_MEMORY && !mx_hip_graph_step(p, MX_GRAPH_GIVE)))
		return mx_hip_return(hipErrorInvalidValue);
	return enqueue(stream, &node);
}

hipError_t mx_stream_value(hipStream_t handle, int type, const struct mx_value *v) {
	struct hipGraphNode node = { .type = (hipGraphNodeType)type, .value = *v };
	struct ihipStream_t *stream;
	hipError_t e = mx_stream_of(handle, &stream);
	if (e != hipSuccess)
		return e;
	if (stream->capture)
		return mx_hip_fail(hipErrorNotSupported, "a value in a graph");
	return enqueue(stream, &node);
}

MXHIP_API hipError_t hipGraphLaunch(hipGraphExec_t exec, hipStream_t handle) {
	struct hipGraphNode node;
	struct ihipStream_t *stream;
	if (!mx_is_graph_exec(exec))
		return mx_hip_return(hipErrorInvalidValue);
	hipError_t e = mx_stream_of(handle, &stream);
	if (e == hipSuccess && !stream->capture)
		e = mx_graph_take_memory(&exec->graph,
		                         exec->flags & hipGraphInstantiateFlagAutoFreeOnLaunch);
	if (e == hipSuccess)
		e = mx_graph_child_node(&node, &exec->graph);
	return e == hipSuccess ? enqueue(stream, &node) : e;
}

MXHIP_API hipError_t hipLaunchHostFunc(hipStream_t handle, hipHostFn_t fn, void *data) {
	struct hipGraphNode node = { .type = hipGraphNodeTypeHost, .host = { fn, data } };
	struct ihipStream_t *stream;
	if (!fn)
		return mx_hip_return(hipErrorInvalidValue);
	hipError_t e = mx_stream_of(handle, &stream);
	return e == hipSuccess ? enqueue(stream, &node) : e;
}

/* The legacy stream cannot be captured. */
static hipError_t check_capture(hipStream_t handle, struct ihipStream_t **stream) {
	hipError_t e = mx_stream_of(handle, stream);
	if (e == hipSuccess && (!handle || handle == MX_LEGACY_STREAM))
		e = mx_hip_fail(hipErrorStreamCaptureUnsupported, "the legacy stream");
	if (e == hipSuccess && (*stream)->capture)
		e = mx_hip_fail(hipErrorIllegalState, "the stream is captured");
	return e;
}

static bool is_mode(hipStreamCaptureMode mode) {
	return mode <= hipStreamCaptureModeRelaxed;
}

/* Captures into a graph, or into a new one. */
static hipError_t begin(hipStream_t handle, hipStreamCaptureMode mode, hipGraph_t into,
                        const hipGraphNode_t *on, size_t n) {
	static atomic_ullong captures;
	struct ihipStream_t *stream;
	hipError_t e = check_capture(handle, &stream);
	if (e != hipSuccess)
		return e;
	struct mx_capture *c = malloc(sizeof *c);
	if (!c)
		return mx_hip_return(hipErrorOutOfMemory);
	*c = (struct mx_capture){ .graph = into,
		                  .is_given = into,
		                  .id = ++captures,
		                  .mode = mode,
		                  .thread = pthread_self(),
		                  .origin = stream };
	if (!into)
		e = hipGraphCreate(&c->graph, 0);
	if (e == hipSuccess && !mx_front_add(&stream->front, on, n))
		e = mx_hip_return(hipErrorOutOfMemory);
	if (e == hipSuccess)
		mx_queue_capture_stream(stream, c);
	else
		free(c);
	return e;
}

MXHIP_API hipError_t hipStreamBeginCapture(hipStream_t stream, hipStreamCaptureMode mode) {
	return is_mode(mode) ? begin(stream, mode, NULL, NULL, 0)
	                     : mx_hip_return(hipErrorInvalidValue);
}

/* edges: hipGraphEdgeData of HIP 7. */
MXHIP_API hipError_t hipStreamBeginCaptureToGraph(hipStream_t stream, hipGraph_t g,
                                                  const hipGraphNode_t *on, const void *edges,
                                                  size_t n, hipStreamCaptureMode mode);
MXHIP_API hipError_t hipStreamBeginCaptureToGraph(hipStream_t stream, hipGraph_t g,
                                                  const hipGraphNode_t *on, const void *edges,
                                                  size_t n, hipStreamCaptureMode mode) {
	bool good = is_mode(mode) && mx_is_graph(g) && !on == !n;
	if (good && edges)
		return mx_hip_fail(hipErrorNotSupported, "data of a dependency");
	for (size_t i = 0; good && i < n; i++)
		good = mx_graph_position(g, on[i]) < g->n;
	return good ? begin(stream, mode, g, on, n) : mx_hip_return(hipErrorInvalidValue);
}

/* Whether a capture has added a node of its graph, and no node depends on it. */
static bool is_last_of(const struct mx_capture *c, size_t at) {
	const struct ihipGraph *g = c->graph;
	return at < g->n && g->nodes[at]->captured == c->id && !mx_graph_dependents(g, at);
}

/* Whether a stream's capture has a last node that is none of the stream's: another stream captured
 * it, and this one did not wait for it. */
static bool is_unjoined(const struct ihipStream_t *stream) {
	const struct ihipGraph *g = stream->capture->graph;
	const struct mx_front *front = &stream->front;
	size_t last = 0, joined = 0;
	for (size_t i = 0; i < g->n; i++)
		last += is_last_of(stream->capture, i);
	for (size_t i = 0; i < front->n; i++)
		joined += is_last_of(stream->capture, mx_graph_position(g, front->nodes[i]));
	return last > joined;
}

static hipError_t end_capture(struct ihipStream_t *stream, hipGraph_t *g) {
	struct mx_capture *c = stream->capture;
	hipError_t e = hipSuccess;
	*g = NULL;
	if (!is_valid(c))
		e = mx_hip_fail(hipErrorStreamCaptureInvalidated,
		                "a call broke the rules of the capture");
	else if (is_unjoined(stream))
		e = mx_hip_fail(hipErrorStreamCaptureUnjoined,
		                "the stream did not wait for work of another one");
	if (e != hipSuccess) {
		mx_capture_abandon(c);
		return e;
	}
	*g = c->graph;
	mx_queue_end_capture(c);
	free(c);
	return mx_hip_return(hipSuccess);
}

MXHIP_API hipError_t hipStreamEndCapture(hipStream_t handle, hipGraph_t *g) {
	struct ihipStream_t *stream;
	hipGraph_t none;
	hipError_t e = mx_stream_of(handle, &stream);
	/* A capture that is invalid has no graph to give: it ends without a place for one. */
	if (!g && e == hipSuccess && stream->capture && !is_valid(stream->capture))
		g = &none;
	if (!g)
		return mx_hip_return(hipErrorInvalidValue);
	if (e != hipSuccess)
		return e;
	const struct mx_capture *c = stream->capture;
	if (!c)
		return mx_hip_fail(hipErrorIllegalState, "the stream is not captured");
	if (c->origin != stream)
		return mx_hip_fail(hipErrorStreamCaptureUnmatched, "it began in another stream");
	if (c->mode != hipStreamCaptureModeRelaxed && !pthread_equal(c->thread, pthread_self()))
		return mx_hip_fail(hipErrorStreamCaptureWrongThread, "it began in another thread");
	return end_capture(stream, g);
}

static hipStreamCaptureStatus status_of(const struct ihipStream_t *stream) {
	if (!stream->capture)
		return hipStreamCaptureStatusNone;
	return is_valid(stream->capture) ? hipStreamCaptureStatusActive
	                                 : hipStreamCaptureStatusInvalidated;
}

/* To ask the legacy stream is an error while a blocking stream is captured; that capture stays
 * valid [HIP: hipStreamIsCapturing]. */
static hipError_t may_ask(hipStream_t handle, struct ihipStream_t **stream) {
	hipError_t e = mx_stream_of(handle, stream);
	if (e != hipSuccess)
		return e;
	bool legacy = *stream == mx_legacy_stream((*stream)->device);
	return legacy && mx_queue_captures(is_blocking, *stream) ? implicit() : hipSuccess;
}

MXHIP_API hipError_t hipStreamIsCapturing(hipStream_t handle, hipStreamCaptureStatus *status) {
	struct ihipStream_t *stream;
	if (!status)
		return mx_hip_return(hipErrorInvalidValue);
	hipError_t e = may_ask(handle, &stream);
	if (e == hipSuccess)
		*status = status_of(stream);
	return e;
}

/* ---- what a stream captures ---- */

/* Any result may be NULL. last: the nodes on which the next one will depend. */
static hipError_t capture_info(hipStream_t handle, hipStreamCaptureStatus *status,
                               unsigned long long *id, hipGraph_t *graph,
                               const hipGraphNode_t **last, size_t *n) {
	struct ihipStream_t *stream;
	if (!status)
		return mx_hip_return(hipErrorInvalidValue);
	hipError_t e = may_ask(handle, &stream);
	if (e != hipSuccess)
		return e;
	const struct mx_capture *c = stream->capture;
	*status = status_of(stream);
	if (id)
		*id = c ? c->id : 0;
	if (graph)
		*graph = c ? c->graph : NULL;
	if (last)
		*last = stream->front.nodes;
	if (n)
		*n = stream->front.n;
	return e;
}

MXHIP_API hipError_t hipStreamGetCaptureInfo(hipStream_t stream, hipStreamCaptureStatus *status,
                                             unsigned long long *id) {
	return capture_info(stream, status, id, NULL, NULL, NULL);
}

MXHIP_API hipError_t hipStreamGetCaptureInfo_v2(hipStream_t stream, hipStreamCaptureStatus *status,
                                                unsigned long long *id, hipGraph_t *graph,
                                                const hipGraphNode_t **last, size_t *n) {
	return capture_info(stream, status, id, graph, last, n);
}

MXHIP_API hipError_t hipThreadExchangeStreamCaptureMode(hipStreamCaptureMode *mode) {
	if (!mode || !is_mode(*mode))
		return mx_hip_return(hipErrorInvalidValue);
	hipStreamCaptureMode old = thread_mode;
	thread_mode = *mode;
	*mode = old;
	return mx_hip_return(hipSuccess);
}

/* A node that the next one does not depend on any more need not be joined. */
static void drop_front(struct mx_front *front) {
	for (size_t i = 0; i < front->n; i++)
		if (mx_is_graph_node(front->nodes[i]))
			front->nodes[i]->captured = 0;
	front->n = 0;
}

MXHIP_API hipError_t hipStreamUpdateCaptureDependencies(hipStream_t handle, hipGraphNode_t *on,
                                                        size_t n, unsigned flags) {
	struct ihipStream_t *stream;
	if (flags > hipStreamSetCaptureDependencies || (n && !on))
		return mx_hip_return(hipErrorInvalidValue);
	hipError_t e = mx_stream_of(handle, &stream);
	if (e != hipSuccess)
		return e;
	if (!stream->capture)
		return mx_hip_fail(hipErrorIllegalState, "the stream is not captured");
	const struct ihipGraph *g = stream->capture->graph;
	for (size_t i = 0; i < n; i++)
		if (mx_graph_position(g, on[i]) == g->n)
			return mx_hip_fail(hipErrorInvalidValue, "a node of another graph");
	if (flags == hipStreamSetCaptureDependencies)
		drop_front(&stream->front);
	return mx_hip_return(mx_front_add(&stream->front, on, n) ? hipSuccess
	                                                         : hipErrorOutOfMemory);
}

/* ---- callbacks ---- */

/* The error of earlier work goes to the callback, and stays for the next synchronising call. */
MXHIP_API hipError_t hipStreamAddCallback(hipStream_t handle, hipStreamCallback_t callback,
                                          void *data, unsigned flags) {
	struct hipGraphNode node = { .type = hipGraphNodeTypeHost,
		                     .host = { NULL, data },
		                     .callback = callback,
		                     .stream = handle };
	struct ihipStream_t *stream;
	if (!callback || flags)
		return mx_hip_return(hipErrorInvalidValue);
	hipError_t e = mx_stream_of(handle, &stream);
	if (e == hipSuccess && stream->capture) {
		stream->capture->invalid = true;
		e = mx_hip_fail(hipErrorStreamCaptureUnsupported, "a callback in a capture");
	}
	return e == hipSuccess ? enqueue(stream, &node) : e;
}
