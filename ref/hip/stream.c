/* Streams and events. Work is complete when it is enqueued, so streams need no further order. */
#include <pthread.h>
#include <stdlib.h>

#include "runtime.h"

/* hipDeviceGetStreamPriorityRange of AMD's runtime. A lower number is a higher priority. */
enum { LEAST_PRIORITY = 1, GREATEST_PRIORITY = -1 };

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct ihipStream_t *streams; /* the list of all streams that can capture */
static struct ihipStream_t legacy;   /* never captures */

/* ---- lookup ---- */

static void enlist(struct ihipStream_t *stream) {
	pthread_mutex_lock(&lock);
	stream->other = streams;
	streams = stream;
	pthread_mutex_unlock(&lock);
}

static void unlist(struct ihipStream_t *stream) {
	pthread_mutex_lock(&lock);
	struct ihipStream_t **s = &streams;
	while (*s && *s != stream)
		s = &(*s)->other;
	if (*s)
		*s = stream->other;
	pthread_mutex_unlock(&lock);
}

static void free_stream(void *stream) {
	unlist(stream);
	free(stream);
}

static pthread_key_t own_key; /* the thread's own stream */
static pthread_once_t own_once = PTHREAD_ONCE_INIT;

static void make_own_key(void) {
	pthread_key_create(&own_key, free_stream);
}

/* The calling thread's stream; NULL if host memory is short. */
static struct ihipStream_t *own_stream(void) {
	pthread_once(&own_once, make_own_key);
	struct ihipStream_t *stream = pthread_getspecific(own_key);
	if (!stream && (stream = calloc(1, sizeof *stream))) {
		pthread_setspecific(own_key, stream);
		enlist(stream);
	}
	return stream;
}

hipError_t mx_stream_of(hipStream_t handle, struct ihipStream_t **stream) {
	if (!handle || handle == MX_LEGACY_STREAM)
		*stream = &legacy;
	else if (handle == hipStreamPerThread)
		*stream = own_stream();
	else if (mx_handle_is(MX_STREAM, handle))
		*stream = handle;
	else
		return mx_hip_fail(hipErrorContextIsDestroyed, "%p is not a live stream",
		                   (void *)handle);
	return *stream ? hipSuccess : mx_hip_return(hipErrorOutOfMemory);
}

/* The graph of the capture in which an event was recorded; NULL if there is none, or if it ended.
 */
static struct ihipGraph *capture_of(hipEvent_t event) {
	struct ihipGraph *graph = NULL;
	pthread_mutex_lock(&lock);
	for (struct ihipStream_t *s = streams; event->capture_id && s; s = s->other)
		if (s->capture_id == event->capture_id)
			graph = s->capture;
	pthread_mutex_unlock(&lock);
	return graph;
}

static hipError_t check_event(hipEvent_t event) {
	if (mx_handle_is(MX_EVENT, event))
		return hipSuccess;
	return mx_hip_fail(hipErrorInvalidHandle, "%p is not a live event", (void *)event);
}

/* ---- streams ---- */

static int clamp_priority(int priority) {
	if (priority < GREATEST_PRIORITY)
		return GREATEST_PRIORITY;
	return priority > LEAST_PRIORITY ? LEAST_PRIORITY : priority;
}

MXHIP_API hipError_t hipStreamCreateWithPriority(hipStream_t *stream, unsigned flags,
                                                 int priority) {
	if (!stream || (flags != hipStreamDefault && flags != hipStreamNonBlocking))
		return mx_hip_return(hipErrorInvalidValue);
	struct ihipStream_t *s = calloc(1, sizeof *s);
	if (!s || !mx_handle_add(MX_STREAM, s)) {
		free(s);
		return mx_hip_return(hipErrorOutOfMemory);
	}
	s->flags = flags;
	s->priority = clamp_priority(priority);
	enlist(s);
	*stream = s;
	return mx_hip_return(hipSuccess);
}

MXHIP_API hipError_t hipStreamCreateWithFlags(hipStream_t *stream, unsigned flags) {
	return hipStreamCreateWithPriority(stream, flags, 0);
}

MXHIP_API hipError_t hipStreamCreate(hipStream_t *stream) {
	return hipStreamCreateWithFlags(stream, hipStreamDefault);
}

MXHIP_API hipError_t hipStreamDestroy(hipStream_t stream) {
	if (!stream || stream == MX_LEGACY_STREAM || stream == hipStreamPerThread)
		return mx_hip_fail(hipErrorInvalidHandle, "a default stream lives on");
	if (!mx_handle_remove(MX_STREAM, stream))
		return mx_hip_fail(hipErrorContextIsDestroyed, "%p is not a live stream",
		                   (void *)stream);
	if (stream->capture && stream->origin)
		mx_capture_abandon(stream->capture);
	free_stream(stream);
	return mx_hip_return(hipSuccess);
}

void mx_streams_release(struct ihipGraph *graph) {
	pthread_mutex_lock(&lock);
	for (struct ihipStream_t *s = streams; s; s = s->other)
		if (s->capture == graph) {
			s->capture = NULL;
			s->capture_id = 0;
			s->origin = false;
		}
	pthread_mutex_unlock(&lock);
}

MXHIP_API hipError_t hipStreamGetFlags(hipStream_t stream, unsigned *flags) {
	struct ihipStream_t *s;
	if (!flags || !stream)
		return mx_hip_return(hipErrorInvalidValue);
	hipError_t e = mx_stream_of(stream, &s);
	if (e == hipSuccess)
		*flags = s->flags;
	return e;
}

MXHIP_API hipError_t hipStreamGetPriority(hipStream_t stream, int *priority) {
	struct ihipStream_t *s;
	if (!priority)
		return mx_hip_return(hipErrorInvalidValue);
	hipError_t e = mx_stream_of(stream, &s);
	if (e == hipSuccess)
		*priority = s->priority;
	return e;
}

MXHIP_API hipError_t hipStreamGetDevice(hipStream_t stream, hipDevice_t *device);
MXHIP_API hipError_t hipStreamGetDevice(hipStream_t stream, hipDevice_t *device) {
	struct ihipStream_t *s;
	if (!device)
		return mx_hip_return(hipErrorInvalidValue);
	hipError_t e = mx_stream_of(stream, &s);
	if (e == hipSuccess)
		*device = 0;
	return e;
}

/* The device does all work in the order in which it is enqueued, so priorities have no effect. */
MXHIP_API hipError_t hipDeviceGetStreamPriorityRange(int *least, int *greatest) {
	if (least)
		*least = LEAST_PRIORITY;
	if (greatest)
		*greatest = GREATEST_PRIORITY;
	return mx_hip_return(hipSuccess);
}

MXHIP_API hipError_t hipStreamSynchronize(hipStream_t stream) {
	struct ihipStream_t *s;
	hipError_t e = mx_stream_of(stream, &s);
	if (e != hipSuccess)
		return e;
	if (s->capture)
		return mx_hip_fail(hipErrorStreamCaptureUnsupported, "a captured stream");
	return mx_hip_synchronise();
}

MXHIP_API hipError_t hipStreamQuery(hipStream_t stream) {
	return hipStreamSynchronize(stream);
}

MXHIP_API hipError_t hipStreamWaitEvent(hipStream_t stream, hipEvent_t event, unsigned flags) {
	struct ihipStream_t *s;
	if (flags > 1) /* hipEventWaitDefault, hipEventWaitExternal */
		return mx_hip_return(hipErrorInvalidValue);
	hipError_t e = check_event(event);
	if (e == hipSuccess)
		e = mx_stream_of(stream, &s);
	if (e != hipSuccess)
		return e;
	struct ihipGraph *graph = capture_of(event);
	if (graph && s == &legacy)
		return mx_hip_fail(hipErrorStreamCaptureImplicit,
		                   "the null stream cannot join a capture");
	if (graph) { /* the stream joins the capture */
		s->capture = graph;
		s->capture_id = event->capture_id;
	}
	return mx_hip_return(hipSuccess);
}

/* ---- events ---- */

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

MXHIP_API hipError_t hipEventCreateWithFlags(hipEvent_t *event, unsigned flags) {
	if (!event || !are_event_flags(flags))
		return mx_hip_return(hipErrorInvalidValue);
	struct ihipEvent_t *made = calloc(1, sizeof *made);
	if (!made || !mx_handle_add(MX_EVENT, made)) {
		free(made);
		return mx_hip_return(hipErrorOutOfMemory);
	}
	made->timed = !(flags & DISABLE_TIMING);
	*event = made;
	return mx_hip_return(hipSuccess);
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
	free(event);
	return mx_hip_return(hipSuccess);
}

MXHIP_API hipError_t hipEventRecordWithFlags(hipEvent_t event, hipStream_t stream, unsigned flags);
MXHIP_API hipError_t hipEventRecordWithFlags(hipEvent_t event, hipStream_t stream, unsigned flags) {
	struct ihipStream_t *s;
	if (flags > 1) /* hipEventRecordDefault, hipEventRecordExternal */
		return mx_hip_return(hipErrorInvalidValue);
	hipError_t e = check_event(event);
	if (e == hipSuccess)
		e = mx_stream_of(stream, &s);
	if (e != hipSuccess)
		return e;
	event->capture_id = s->capture_id;
	event->recorded = true;
	clock_gettime(CLOCK_MONOTONIC, &event->at);
	return mx_hip_return(hipSuccess);
}

MXHIP_API hipError_t hipEventRecord(hipEvent_t event, hipStream_t stream) {
	return hipEventRecordWithFlags(event, stream, 0);
}

/* An event that was never recorded is complete. */
MXHIP_API hipError_t hipEventSynchronize(hipEvent_t event) {
	hipError_t e = check_event(event);
	if (e != hipSuccess)
		return e;
	if (capture_of(event))
		return mx_hip_fail(hipErrorCapturedEvent, "recorded in a captured stream");
	return mx_hip_synchronise();
}

MXHIP_API hipError_t hipEventQuery(hipEvent_t event) {
	return hipEventSynchronize(event);
}

MXHIP_API hipError_t hipEventElapsedTime(float *ms, hipEvent_t start, hipEvent_t stop) {
	if (!ms)
		return mx_hip_return(hipErrorInvalidValue);
	hipError_t e = check_event(start);
	if (e == hipSuccess)
		e = check_event(stop);
	if (e != hipSuccess)
		return e;
	if (!start->recorded || !stop->recorded || !start->timed || !stop->timed)
		return mx_hip_fail(hipErrorInvalidHandle, "an event without a time");
	*ms = (float)(1e3 * (double)(stop->at.tv_sec - start->at.tv_sec) +
	              1e-6 * (double)(stop->at.tv_nsec - start->at.tv_nsec));
	return mx_hip_return(hipSuccess);
}
