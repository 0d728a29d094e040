/* Streams and events. Work is complete when it is enqueued, so streams need no further order. */
#include <pthread.h>
#include <stdlib.h>

#include "runtime.h"

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct ihipStream_t *streams; /* the list of all streams */

MXHIP_API hipError_t hipStreamCreateWithPriority(hipStream_t *stream, unsigned flags,
                                                 int priority) {
	if (!stream)
		return mx_hip_return(hipErrorInvalidValue);
	*stream = calloc(1, sizeof **stream);
	if (!*stream)
		return mx_hip_return(hipErrorOutOfMemory);
	(*stream)->flags = flags;
	(*stream)->priority = priority;
	pthread_mutex_lock(&lock);
	(*stream)->other = streams;
	streams = *stream;
	pthread_mutex_unlock(&lock);
	return mx_hip_return(hipSuccess);
}

MXHIP_API hipError_t hipStreamCreateWithFlags(hipStream_t *stream, unsigned flags) {
	return hipStreamCreateWithPriority(stream, flags, 0);
}

MXHIP_API hipError_t hipStreamCreate(hipStream_t *stream) {
	return hipStreamCreateWithFlags(stream, hipStreamDefault);
}

MXHIP_API hipError_t hipStreamDestroy(hipStream_t stream) {
	if (!stream)
		return mx_hip_return(hipErrorInvalidHandle);
	pthread_mutex_lock(&lock);
	for (struct ihipStream_t **s = &streams; *s; s = &(*s)->other)
		if (*s == stream) {
			*s = stream->other;
			break;
		}
	pthread_mutex_unlock(&lock);
	free(stream);
	return mx_hip_return(hipSuccess);
}

void mx_streams_release(struct ihipGraph *graph) {
	pthread_mutex_lock(&lock);
	for (struct ihipStream_t *s = streams; s; s = s->other)
		if (s->capture == graph)
			s->capture = NULL;
	pthread_mutex_unlock(&lock);
}

MXHIP_API hipError_t hipStreamGetFlags(hipStream_t stream, unsigned *flags) {
	if (!flags)
		return mx_hip_return(hipErrorInvalidValue);
	*flags = stream ? stream->flags : hipStreamDefault;
	return mx_hip_return(hipSuccess);
}

MXHIP_API hipError_t hipStreamGetPriority(hipStream_t stream, int *priority) {
	if (!priority)
		return mx_hip_return(hipErrorInvalidValue);
	*priority = stream ? stream->priority : 0;
	return mx_hip_return(hipSuccess);
}

/* The device does all work in the order in which it is enqueued, so priorities have no effect. */
MXHIP_API hipError_t hipDeviceGetStreamPriorityRange(int *least, int *greatest) {
	if (!least || !greatest)
		return mx_hip_return(hipErrorInvalidValue);
	*least = *greatest = 0;
	return mx_hip_return(hipSuccess);
}

MXHIP_API hipError_t hipStreamSynchronize(hipStream_t stream) {
	if (mx_capturing(stream))
		return mx_hip_fail(hipErrorStreamCaptureUnsupported, "a captured stream");
	return mx_hip_synchronise();
}

MXHIP_API hipError_t hipStreamQuery(hipStream_t stream) {
	return hipStreamSynchronize(stream);
}

MXHIP_API hipError_t hipStreamWaitEvent(hipStream_t stream, hipEvent_t event, unsigned flags) {
	(void)flags;
	if (!event)
		return mx_hip_return(hipErrorInvalidHandle);
	if (event->capture && !stream)
		return mx_hip_fail(hipErrorStreamCaptureImplicit,
		                   "the null stream cannot join a capture");
	if (event->capture)
		stream->capture = event->capture; /* the stream joins the capture */
	return mx_hip_return(hipSuccess);
}

/* ---- events ---- */

MXHIP_API hipError_t hipEventCreateWithFlags(hipEvent_t *event, unsigned flags) {
	(void)flags;
	if (!event)
		return mx_hip_return(hipErrorInvalidValue);
	*event = calloc(1, sizeof **event);
	return mx_hip_return(*event ? hipSuccess : hipErrorOutOfMemory);
}

MXHIP_API hipError_t hipEventCreate(hipEvent_t *event) {
	return hipEventCreateWithFlags(event, 0);
}

MXHIP_API hipError_t hipEventDestroy(hipEvent_t event) {
	if (!event)
		return mx_hip_return(hipErrorInvalidHandle);
	free(event);
	return mx_hip_return(hipSuccess);
}

MXHIP_API hipError_t hipEventRecord(hipEvent_t event, hipStream_t stream) {
	if (!event)
		return mx_hip_return(hipErrorInvalidHandle);
	event->capture = stream ? stream->capture : NULL;
	event->recorded = true;
	clock_gettime(CLOCK_MONOTONIC, &event->at);
	return mx_hip_return(hipSuccess);
}

MXHIP_API hipError_t hipEventSynchronize(hipEvent_t event) {
	return event ? mx_hip_synchronise() : mx_hip_return(hipErrorInvalidHandle);
}

MXHIP_API hipError_t hipEventQuery(hipEvent_t event) {
	return hipEventSynchronize(event);
}

MXHIP_API hipError_t hipEventElapsedTime(float *ms, hipEvent_t start, hipEvent_t stop) {
	if (!ms || !start || !stop || !start->recorded || !stop->recorded)
		return mx_hip_return(hipErrorInvalidHandle);
	*ms = (float)(1e3 * (double)(stop->at.tv_sec - start->at.tv_sec) +
	              1e-6 * (double)(stop->at.tv_nsec - start->at.tv_nsec));
	return mx_hip_return(hipSuccess);
}
