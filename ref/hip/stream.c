/* Streams and events. Work is complete when it has been enqueued, so order is kept by itself. */
#include <stdlib.h>
#include <time.h>

#include "runtime.h"

struct ihipStream_t {
	unsigned flags;
};

MXHIP_API hipError_t hipStreamCreateWithFlags(hipStream_t *stream, unsigned flags) {
	if (!stream)
		return mx_hip_return(hipErrorInvalidValue);
	*stream = calloc(1, sizeof **stream);
	if (!*stream)
		return mx_hip_return(hipErrorOutOfMemory);
	(*stream)->flags = flags;
	return mx_hip_return(hipSuccess);
}

MXHIP_API hipError_t hipStreamCreate(hipStream_t *stream) {
	return hipStreamCreateWithFlags(stream, hipStreamDefault);
}

MXHIP_API hipError_t hipStreamDestroy(hipStream_t stream) {
	if (!stream)
		return mx_hip_return(hipErrorInvalidHandle);
	free(stream);
	return mx_hip_return(hipSuccess);
}

MXHIP_API hipError_t hipStreamSynchronize(hipStream_t stream) {
	(void)stream;
	return mx_hip_synchronise();
}

MXHIP_API hipError_t hipStreamQuery(hipStream_t stream) {
	return hipStreamSynchronize(stream);
}

MXHIP_API hipError_t hipStreamWaitEvent(hipStream_t stream, hipEvent_t event, unsigned flags) {
	(void)stream;
	(void)flags;
	return mx_hip_return(event ? hipSuccess : hipErrorInvalidHandle);
}

/* ---- events ---- */

struct ihipEvent_t {
	bool recorded;
	struct timespec at;
};

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
	(void)stream;
	if (!event)
		return mx_hip_return(hipErrorInvalidHandle);
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
