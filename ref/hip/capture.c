/* Work in the order of a stream: it is enqueued, or a captured stream appends it to a graph, in the
 * order in which it comes. */
#include <stdatomic.h>

#include "queue.h"

/* Work is captured in an order in which it can run, so each node depends on the previous one. */
static hipError_t capture(struct ihipStream_t *stream, const struct hipGraphNode *node) {
	struct ihipGraph *g = stream->capture;
	hipGraphNode_t last = g->n ? g->nodes[g->n - 1] : NULL;
	return mx_graph_append(g, node, &last, last != NULL, NULL);
}

void mx_capture_abandon(struct ihipGraph *graph) {
	mx_queue_end_capture(graph);
	hipGraphDestroy(graph);
}

/* Threads that have set launch options do their work at once. */
static hipError_t run_now(struct hipGraphNode *node) {
	mx_queue_finish(NULL);
	hipError_t e = mx_node_run(node);
	mx_node_clear(node);
	return e;
}

/* Takes what the node points to. */
static hipError_t enqueue(struct ihipStream_t *stream, struct hipGraphNode *node) {
	if (stream->capture)
		return capture(stream, node);
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

/* A copy from pageable memory reads it in the call; one to pageable memory is over when the call
 * returns [HIP, hipMemcpyAsync]. */
hipError_t mx_stream_copy(hipStream_t handle, const struct mx_copy *c) {
	struct hipGraphNode node = { .type = hipGraphNodeTypeMemcpy, .copy = *c };
	struct ihipStream_t *stream;
	hipError_t e = mx_stream_of(handle, &stream);
	if (e != hipSuccess || !c->bytes || !c->rows)
		return e;
	e = mx_hip_copy_check(c);
	bool pageable = is_pageable(c->to), staged = !pageable && is_pageable(c->from);
	if (e == hipSuccess && !stream->capture && staged)
		e = mx_hip_copy_stage(&node.copy);
	if (e == hipSuccess)
		e = enqueue(stream, &node);
	if (e == hipSuccess && !stream->capture && pageable)
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

hipError_t mx_stream_free(hipStream_t handle, void *p) {
	struct hipGraphNode node = { .type = (hipGraphNodeType)MX_NODE_FREE, .free = p };
	struct ihipStream_t *stream;
	struct mx_allocation a;
	hipError_t e = mx_stream_of(handle, &stream);
	if (e != hipSuccess || !p)
		return e;
	if (stream->capture)
		return mx_hip_fail(hipErrorNotSupported, "free in a graph");
	if (!mx_hip_about(p, &a) || a.base != p || a.kind == MX_HOST_MEMORY)
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
	if ((uintptr_t)v->at % v->bytes || !mx_hip_is_allocation(v->at, v->bytes))
		return mx_hip_fail(hipErrorInvalidValue, "%p is no %u bytes of device memory",
		                   v->at, v->bytes);
	return enqueue(stream, &node);
}

MXHIP_API hipError_t hipGraphLaunch(hipGraphExec_t exec, hipStream_t handle) {
	struct hipGraphNode node;
	struct ihipStream_t *stream;
	if (!mx_is_graph_exec(exec))
		return mx_hip_return(hipErrorInvalidValue);
	hipError_t e = mx_stream_of(handle, &stream);
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

MXHIP_API hipError_t hipStreamBeginCapture(hipStream_t handle, hipStreamCaptureMode mode) {
	static atomic_ullong captures;
	struct ihipStream_t *stream;
	hipGraph_t graph;
	if (!is_mode(mode))
		return mx_hip_return(hipErrorInvalidValue);
	hipError_t e = check_capture(handle, &stream);
	if (e == hipSuccess)
		e = hipGraphCreate(&graph, 0);
	if (e != hipSuccess)
		return e;
	mx_queue_begin_capture(stream, graph, ++captures, true);
	return e;
}

MXHIP_API hipError_t hipStreamEndCapture(hipStream_t handle, hipGraph_t *g) {
	struct ihipStream_t *stream;
	if (!g)
		return mx_hip_return(hipErrorInvalidValue);
	hipError_t e = mx_stream_of(handle, &stream);
	if (e != hipSuccess)
		return e;
	if (!stream->capture)
		return mx_hip_fail(hipErrorIllegalState, "the stream is not captured");
	if (!stream->origin)
		return mx_hip_fail(hipErrorStreamCaptureUnmatched, "it began in another stream");
	*g = stream->capture;
	mx_queue_end_capture(*g);
	return mx_hip_return(hipSuccess);
}

MXHIP_API hipError_t hipStreamIsCapturing(hipStream_t handle, hipStreamCaptureStatus *status) {
	struct ihipStream_t *stream;
	if (!status)
		return mx_hip_return(hipErrorInvalidValue);
	hipError_t e = mx_stream_of(handle, &stream);
	if (e == hipSuccess)
		*status =
			stream->capture ? hipStreamCaptureStatusActive : hipStreamCaptureStatusNone;
	return e;
}

/* ---- what a stream captures ---- */

/* Any result may be NULL. The nodes on which the next one will depend: the last. */
static hipError_t capture_info(hipStream_t handle, hipStreamCaptureStatus *status,
                               unsigned long long *id, hipGraph_t *graph,
                               const hipGraphNode_t **last, size_t *n) {
	struct ihipStream_t *stream;
	if (!status)
		return mx_hip_return(hipErrorInvalidValue);
	hipError_t e = mx_stream_of(handle, &stream);
	if (e != hipSuccess)
		return e;
	struct ihipGraph *g = stream->capture;
	*status = g ? hipStreamCaptureStatusActive : hipStreamCaptureStatusNone;
	if (id)
		*id = stream->capture_id;
	if (graph)
		*graph = g;
	if (last)
		*last = g && g->n ? &g->nodes[g->n - 1] : NULL;
	if (n)
		*n = g && g->n;
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

/* The mode says which calls are forbidden during a capture. The emulator forbids none. */
MXHIP_API hipError_t hipThreadExchangeStreamCaptureMode(hipStreamCaptureMode *mode) {
	static _Thread_local hipStreamCaptureMode own = hipStreamCaptureModeGlobal;
	if (!mode || !is_mode(*mode))
		return mx_hip_return(hipErrorInvalidValue);
	hipStreamCaptureMode old = own;
	own = *mode;
	*mode = old;
	return mx_hip_return(hipSuccess);
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
	if (e == hipSuccess && stream->capture)
		e = mx_hip_fail(hipErrorStreamCaptureUnsupported, "a callback in a capture");
	return e == hipSuccess ? enqueue(stream, &node) : e;
}
