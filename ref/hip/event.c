/* Events: what a stream has done, and when. */
#include <stdlib.h>

#include "queue.h"

static hipError_t check_event(hipEvent_t event) {
	if (mx_handle_is(MX_EVENT, event))
		return hipSuccess;
	return mx_hip_fail(hipErrorInvalidHandle, "%p is not a live event", (void *)event);
}

/* Flags of hipEventCreateWithFlags [HIP]. At most one of the three releases may be set, and an
 * event for several processes takes no time. */
enum {
	BLOCKING_SYNC = 1,
	DISABLE_TIMING = 2,
	INTERPROCESS = 4,
	DISABLE_SYSTEM_FENCE = 0x20000000,
	RELEASE_TO_DEVICE = 0x40000000,
};
static const unsigned release_to_system = 0x80000000;

static bool are_event_flags(unsigned flags) {
	unsigned release = flags & (DISABLE_SYSTEM_FENCE | RELEASE_TO_DEVICE | release_to_system);
	unsigned rest = flags & ~release;
	return !(release & (release - 1)) &&
	       !(rest & ~(unsigned)(BLOCKING_SYNC | DISABLE_TIMING | INTERPROCESS)) &&
	       (!(flags & INTERPROCESS) || flags & DISABLE_TIMING);
}

/* It is device memory, which a handle can share. It stays until the process ends: enqueued waits
 * read it. */
static struct mx_shared_event *new_shared(void) {
	struct mx_shared_event *s = mx_hip_allocate(
		sizeof *s, (struct mx_allocation){ .internal = true, .device = mx_device() });
	if (s)
		mx_hip_mark((uint64_t)(uintptr_t)s, sizeof *s, MX_WRITTEN);
	return s;
}

hipError_t mx_event_new(unsigned flags, struct mx_shared_event *shared, hipEvent_t *event) {
	struct ihipEvent_t *made = calloc(1, sizeof *made);
	bool ok = made && (shared || !(flags & INTERPROCESS) || (shared = new_shared()));
	if (!ok || !mx_handle_add(MX_EVENT, made)) {
		free(made);
		return mx_hip_return(hipErrorOutOfMemory);
	}
	made->device = mx_device();
	made->timed = !(flags & DISABLE_TIMING);
	made->shared = shared;
	*event = made;
	return mx_hip_return(hipSuccess);
}

MXHIP_API hipError_t hipEventCreateWithFlags(hipEvent_t *event, unsigned flags) {
	if (!event || !are_event_flags(flags))
		return mx_hip_return(hipErrorInvalidValue);
	return mx_event_new(flags, NULL, event);
}

MXHIP_API hipError_t hipEventCreate(hipEvent_t *event) {
	return hipEventCreateWithFlags(event, 0);
}

MXHIP_API hipError_t hipEventDestroy(hipEvent_t event) {
	if (!event)
		return mx_hip_return(hipErrorInvalidHandle);
	if (!mx_handle_remove(MX_EVENT, event))
		return mx_hip_fail(hipErrorContextIsDestroyed, "%p is not a live event",
		                   (void *)event);
	mx_queue_free_event(event);
	return mx_hip_return(hipSuccess);
}

/* ---- events of several processes: a record writes its number, and waits are for it ---- */

static hipError_t record_shared(struct mx_shared_event *e, hipStream_t stream) {
	uint64_t n = __atomic_add_fetch(&e->recorded, 1, __ATOMIC_ACQ_REL);
	return mx_stream_value(
		stream, MX_NODE_WRITE,
		&(struct mx_value){ .at = &e->complete, .value = n, .bytes = sizeof n });
}

/* The value for which waits of the last record are. */
static struct mx_value last_record(struct mx_shared_event *e) {
	return (struct mx_value){ .at = &e->complete,
		                  .value = __atomic_load_n(&e->recorded, __ATOMIC_ACQUIRE),
		                  .mask = UINT64_MAX,
		                  .bytes = sizeof e->complete,
		                  .compare = hipStreamWaitValueGte };
}

static void finish(hipEvent_t event) {
	if (event->shared) {
		struct mx_value v = last_record(event->shared);
		mx_queue_wait(&(struct hipGraphNode){ .type = (hipGraphNodeType)MX_NODE_WAIT,
		                                      .value = v });
	}
	mx_queue_finish_event(event);
}

/* Whether it is not over; then one piece of work runs. */
static bool is_pending(hipEvent_t event) {
	if (!event->shared)
		return mx_queue_query_event(event);
	struct mx_value v = last_record(event->shared);
	bool pending = !mx_hip_value_holds(&v);
	if (pending)
		mx_queue_query(NULL);
	return pending;
}

/* ---- records and waits ---- */

/* hipEventRecordExternal, hipEventWaitExternal: in a capture it is a node of the graph. */
enum { EXTERNAL = 1 };

/* What a record and a wait check; their flags are 0 or EXTERNAL. */
static hipError_t check(hipEvent_t event, unsigned flags, hipStream_t stream,
                        struct ihipStream_t **s) {
	hipError_t e = flags > EXTERNAL ? mx_hip_return(hipErrorInvalidValue) : check_event(event);
	return e == hipSuccess ? mx_stream_of(stream, s) : e;
}

MXHIP_API hipError_t hipEventRecordWithFlags(hipEvent_t event, hipStream_t stream, unsigned flags);
MXHIP_API hipError_t hipEventRecordWithFlags(hipEvent_t event, hipStream_t stream, unsigned flags) {
	struct ihipStream_t *s;
	hipError_t e = check(event, flags, stream, &s); /* hipEventRecordDefault, ...External */
	if (e != hipSuccess)
		return e;
	if (event->device != s->device)
		return mx_hip_fail(hipErrorInvalidHandle,
		                   "an event of device %d in a stream of device %d", event->device,
		                   s->device);
	bool node = !s->capture || flags == EXTERNAL;
	event->capture_id = node ? 0 : s->capture->id;
	event->front.n = 0;
	if (s->capture && node)
		return mx_stream_event(s, hipGraphNodeTypeEventRecord, event);
	if (!s->capture) {
		e = mx_stream_event(s, hipGraphNodeTypeEventRecord, event);
		return e == hipSuccess && event->shared ? record_shared(event->shared, stream) : e;
	}
	return mx_hip_return(mx_front_add(&event->front, s->front.nodes, s->front.n)
	                             ? hipSuccess
	                             : hipErrorOutOfMemory);
}

MXHIP_API hipError_t hipEventRecord(hipEvent_t event, hipStream_t stream) {
	return hipEventRecordWithFlags(event, stream, 0);
}

MXHIP_API hipError_t hipStreamWaitEvent(hipStream_t stream, hipEvent_t event, unsigned flags) {
	struct ihipStream_t *s;
	hipError_t e = check(event, flags, stream, &s); /* hipEventWaitDefault, ...External */
	if (e != hipSuccess)
		return e;
	if (s->capture && flags == EXTERNAL)
		return mx_stream_event(s, hipGraphNodeTypeWaitEvent, event);
	struct mx_capture *c = mx_queue_capture(event->capture_id);
	if (c && s == mx_legacy_stream(s->device))
		return mx_hip_fail(hipErrorStreamCaptureImplicit,
		                   "the null stream cannot join a capture");
	if (c)
		return mx_capture_join(s, c, event);
	if (s->capture && event->recorded) {
		s->capture->invalid = true;
		return mx_hip_fail(hipErrorStreamCaptureIsolation,
		                   "the event was recorded outside the capture");
	}
	if (event->shared && !s->capture) {
		struct mx_value v = last_record(event->shared);
		return mx_stream_value(stream, MX_NODE_WAIT, &v);
	}
	return mx_stream_event(s, hipGraphNodeTypeWaitEvent, event);
}

/* ---- waiting ---- */

static bool has_id(const struct ihipStream_t *stream, const void *id) {
	return stream->capture->id == *(const uint64_t *)id;
}

/* An event of a capture may not be waited for; that ends the capture. */
static hipError_t check_waitable(hipEvent_t event) {
	hipError_t e = check_event(event);
	if (e == hipSuccess && event->capture_id && mx_queue_invalidate(has_id, &event->capture_id))
		e = mx_hip_fail(hipErrorCapturedEvent, "recorded in a captured stream");
	return e;
}

/* An event that was never recorded is complete. */
MXHIP_API hipError_t hipEventSynchronize(hipEvent_t event) {
	hipError_t e = check_waitable(event);
	if (e != hipSuccess)
		return e;
	finish(event);
	return mx_hip_synchronise();
}

MXHIP_API hipError_t hipEventQuery(hipEvent_t event) {
	hipError_t e = check_waitable(event);
	if (e != hipSuccess)
		return e;
	return is_pending(event) ? hipErrorNotReady : mx_hip_synchronise();
}

MXHIP_API hipError_t hipEventElapsedTime(float *ms, hipEvent_t start, hipEvent_t stop) {
	struct ihipEvent_t from, to;
	if (!ms)
		return mx_hip_return(hipErrorInvalidValue);
	hipError_t e = check_event(start);
	if (e == hipSuccess)
		e = check_event(stop);
	if (e != hipSuccess)
		return e;
	bool begun = mx_queue_event(start, &from), ended = mx_queue_event(stop, &to);
	if (!from.recorded || !to.recorded || !from.timed || !to.timed || from.device != to.device)
		return mx_hip_fail(hipErrorInvalidHandle, "an event without a time");
	if (!begun || !ended)
		return hipErrorNotReady;
	*ms = (float)(1e3 * (double)(to.at.tv_sec - from.at.tv_sec) +
	              1e-6 * (double)(to.at.tv_nsec - from.at.tv_nsec));
	return mx_hip_return(hipSuccess);
}
