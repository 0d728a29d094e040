/* Streams: the calls that make them and wait for them. */
#include <pthread.h>
#include <stdlib.h>

#include "queue.h"

/* hipDeviceGetStreamPriorityRange of AMD's runtime. A lower number is a higher priority. */
enum { LEAST_PRIORITY = 1, GREATEST_PRIORITY = -1 };

/* ---- lookup ---- */

static pthread_key_t own_key; /* the thread's own streams, one of each device */
static pthread_once_t own_once = PTHREAD_ONCE_INIT;

static void free_own(void *own) {
	struct ihipStream_t *streams = own;
	for (int i = 0; i < mx_devices(); i++)
		mx_queue_unlist(&streams[i]);
	free(streams);
}

static void make_own_key(void) {
	pthread_key_create(&own_key, free_own);
}

/* The calling thread's streams; NULL if host memory is short. */
static struct ihipStream_t *own_streams(void) {
	pthread_once(&own_once, make_own_key);
	struct ihipStream_t *streams = pthread_getspecific(own_key);
	if (streams || !(streams = calloc((size_t)mx_devices(), sizeof *streams)))
		return streams;
	for (int i = 0; i < mx_devices(); i++) {
		streams[i].device = i;
		mx_queue_enlist(&streams[i]);
	}
	pthread_setspecific(own_key, streams);
	return streams;
}

hipError_t mx_stream_of(hipStream_t handle, struct ihipStream_t **stream) {
	struct ihipStream_t *own;
	if (!handle || handle == MX_LEGACY_STREAM)
		*stream = mx_legacy_stream(mx_device());
	else if (handle == hipStreamPerThread)
		*stream = (own = own_streams()) ? &own[mx_device()] : NULL;
	else if (mx_handle_is(MX_STREAM, handle))
		*stream = handle;
	else
		return mx_hip_fail(hipErrorContextIsDestroyed, "%p is not a live stream",
		                   (void *)handle);
	return *stream ? hipSuccess : mx_hip_return(hipErrorOutOfMemory);
}

int mx_stream_device(hipStream_t handle) {
	return mx_handle_is(MX_STREAM, handle) ? handle->device : mx_device();
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
	s->device = mx_device();
	s->flags = flags;
	s->priority = clamp_priority(priority);
	mx_queue_enlist(s);
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
	if (stream->capture && stream->capture->origin == stream)
		mx_capture_abandon(stream->capture);
	mx_queue_unlist(stream);
	free(stream);
	return mx_hip_return(hipSuccess);
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
		*device = s->device;
	return e;
}

/* -1 if there is no such stream. */
MXHIP_API int hipGetStreamDeviceId(hipStream_t stream) {
	struct ihipStream_t *s;
	return mx_stream_of(stream, &s) == hipSuccess ? s->device : -1;
}

/* Legacy streams have the numbers of their devices. */
MXHIP_API hipError_t hipStreamGetId(hipStream_t stream, unsigned long long *id);
MXHIP_API hipError_t hipStreamGetId(hipStream_t stream, unsigned long long *id) {
	struct ihipStream_t *s;
	if (!id)
		return mx_hip_return(hipErrorInvalidValue);
	hipError_t e = mx_stream_of(stream, &s);
	if (e == hipSuccess)
		*id = s->number ? MX_MOST_DEVICES + s->number : (unsigned)s->device;
	return e;
}

/* ---- attributes of HIP 7.1, which have no effect ---- */

enum { SYNC_POLICY = 3, PRIORITY = 8 }; /* hipStreamAttrID */

/* hipStreamAttrValue: a union of 64 bytes. */
union mx_stream_attribute {
	int value; /* hipSynchronizationPolicy, or a priority */
	char all[64];
};

/* NULL, with an error, if there is none. */
static int *attribute_of(hipStream_t handle, int id, const void *value, hipError_t *e) {
	struct ihipStream_t *s;
	int *at = NULL;
	*e = mx_stream_of(handle, &s);
	if (*e != hipSuccess)
		*e = mx_hip_return(hipErrorInvalidHandle);
	else if (value && id == SYNC_POLICY)
		at = &s->sync_policy;
	else if (value && id == PRIORITY)
		at = &s->priority;
	else
		*e = mx_hip_return(hipErrorInvalidValue);
	return at;
}

MXHIP_API hipError_t hipStreamGetAttribute(hipStream_t stream, int id,
                                           union mx_stream_attribute *value);
MXHIP_API hipError_t hipStreamGetAttribute(hipStream_t stream, int id,
                                           union mx_stream_attribute *value) {
	hipError_t e;
	const int *at = attribute_of(stream, id, value, &e);
	if (at)
		value->value = id == SYNC_POLICY && !*at ? 1 : *at; /* hipSyncPolicyAuto */
	return e;
}

MXHIP_API hipError_t hipStreamSetAttribute(hipStream_t stream, int id,
                                           const union mx_stream_attribute *value);
MXHIP_API hipError_t hipStreamSetAttribute(hipStream_t stream, int id,
                                           const union mx_stream_attribute *value) {
	hipError_t e;
	int *at = attribute_of(stream, id, value, &e);
	if (at && id == SYNC_POLICY && (value->value < 1 || value->value > 4))
		return mx_hip_return(hipErrorInvalidValue);
	if (at)
		*at = id == PRIORITY ? clamp_priority(value->value) : value->value;
	return e;
}

/* The priority of a stream stays, as in AMD's runtime. */
MXHIP_API hipError_t hipStreamCopyAttributes(hipStream_t to, hipStream_t from);
MXHIP_API hipError_t hipStreamCopyAttributes(hipStream_t to, hipStream_t from) {
	hipError_t e;
	const int *policy = attribute_of(from, SYNC_POLICY, "", &e);
	int *at = policy ? attribute_of(to, SYNC_POLICY, "", &e) : NULL;
	if (at)
		*at = *policy;
	return e;
}

/* ---- masks of compute units, which have no effect ---- */

enum { MASK_WORDS = MX_COMPUTE_UNITS / 32 };

/* A mask that has no unit of the device stands for all, as in AMD's runtime. */
MXHIP_API hipError_t hipExtStreamCreateWithCUMask(hipStream_t *stream, uint32_t words,
                                                  const uint32_t *mask) {
	if (!stream || !words || !mask)
		return mx_hip_return(hipErrorInvalidValue);
	uint32_t any = 0;
	for (uint32_t i = 0; i < words && i < MASK_WORDS; i++)
		any |= mask[i];
	hipError_t e = hipStreamCreate(stream);
	for (uint32_t i = 0; e == hipSuccess && any && i < MASK_WORDS; i++)
		(*stream)->units_off[i] = i < words ? ~mask[i] : UINT32_MAX;
	return e;
}

MXHIP_API hipError_t hipExtStreamGetCUMask(hipStream_t stream, uint32_t words, uint32_t *mask) {
	struct ihipStream_t *s;
	if (!mask || words < MASK_WORDS)
		return mx_hip_return(hipErrorInvalidValue);
	hipError_t e = mx_stream_of(stream, &s);
	for (uint32_t i = 0; e == hipSuccess && i < words; i++)
		mask[i] = i < MASK_WORDS ? ~s->units_off[i] : 0;
	return e;
}

/* Priorities have no effect. */
MXHIP_API hipError_t hipDeviceGetStreamPriorityRange(int *least, int *greatest) {
	if (least)
		*least = LEAST_PRIORITY;
	if (greatest)
		*greatest = GREATEST_PRIORITY;
	return mx_hip_return(hipSuccess);
}

/* A stream that may be waited for: a captured one may not. */
static hipError_t waitable(hipStream_t handle, struct ihipStream_t **stream) {
	hipError_t e = mx_stream_of(handle, stream);
	return e == hipSuccess ? mx_capture_check_wait(*stream) : e;
}

hipError_t mx_stream_synchronise(hipStream_t stream, bool tells_host) {
	struct ihipStream_t *s;
	hipError_t e = waitable(stream, &s);
	if (e != hipSuccess)
		return e;
	if (tells_host)
		mx_queue_finish(s);
	else
		mx_queue_drain(s);
	return mx_hip_synchronise();
}

MXHIP_API hipError_t hipStreamSynchronize(hipStream_t stream) {
	return mx_stream_synchronise(stream, true);
}

/* hipErrorNotReady is no last error, as in HIP 7. */
MXHIP_API hipError_t hipStreamQuery(hipStream_t stream) {
	struct ihipStream_t *s;
	hipError_t e = waitable(stream, &s);
	if (e != hipSuccess)
		return e;
	return mx_queue_query(s) ? hipErrorNotReady : mx_hip_synchronise();
}
