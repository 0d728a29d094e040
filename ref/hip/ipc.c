/* Memory and events that processes of a host share: a handle names a file of the process that has
 * the memory, or the shared part of the event. */
#define _GNU_SOURCE
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "queue.h"

struct handle {
	char magic[8];
	int process, file;
	uint64_t bytes, offset; /* of the allocation; of the pointer in it */
};

static const char memory[] = "mxhipip", event[] = "mxhipev";

_Static_assert(sizeof(struct handle) <= HIP_IPC_HANDLE_SIZE, "a handle has 64 bytes");

/* Makes the handle of memory at p; `to` has HIP_IPC_HANDLE_SIZE bytes. */
static hipError_t export(const void *p, const char *magic, void *to) {
	struct mx_allocation a;
	struct handle h = { .process = getpid() };
	mx_queue_drain(NULL); /* nothing may use memory that gets another mapping */
	h.file = mx_hip_share(p, &a);
	if (!h.file)
		return mx_hip_fail(hipErrorInvalidValue, "%p is no memory that can be shared", p);
	memcpy(h.magic, magic, sizeof h.magic);
	h.bytes = a.bytes;
	h.offset = (uint64_t)((const char *)p - (char *)a.base);
	memset(to, 0, HIP_IPC_HANDLE_SIZE);
	memcpy(to, &h, sizeof h);
	return mx_hip_return(hipSuccess);
}

MXHIP_API hipError_t hipIpcGetMemHandle(hipIpcMemHandle_t *handle, void *p) {
	return handle && p ? export(p, memory, handle) : mx_hip_return(hipErrorInvalidValue);
}

MXHIP_API hipError_t hipIpcGetEventHandle(hipIpcEventHandle_t *handle, hipEvent_t e) {
	if (!handle || !mx_handle_is(MX_EVENT, e))
		return mx_hip_return(hipErrorInvalidValue);
	return e->shared ? export(e->shared, event, handle)
	                 : mx_hip_fail(hipErrorInvalidConfiguration,
	                               "an event without hipEventInterprocess");
}

/* The memory of a handle, in this process. */
static hipError_t import(const void *handle, const char *magic, void **p) {
	struct handle h;
	char path[64], *base;
	memcpy(&h, handle, sizeof h);
	if (memcmp(h.magic, magic, sizeof h.magic) || h.offset >= h.bytes)
		return mx_hip_return(hipErrorInvalidValue);
	if (h.process == getpid())
		return mx_hip_fail(hipErrorInvalidContext, "a handle of this process");
	snprintf(path, sizeof path, "/proc/%d/fd/%d", h.process, h.file);
	int file = open(path, O_RDWR | O_CLOEXEC);
	if (file < 0)
		return mx_hip_fail(hipErrorInvalidHandle, "process %d does not have it", h.process);
	base = mx_hip_import(file, h.bytes);
	close(file);
	*p = base + h.offset;
	return mx_hip_return(base ? hipSuccess : hipErrorOutOfMemory);
}

MXHIP_API hipError_t hipIpcOpenMemHandle(void **p, hipIpcMemHandle_t handle, unsigned flags) {
	if (!p || flags > 1) /* lazy peer access */
		return mx_hip_return(hipErrorInvalidValue);
	return import(&handle, memory, p);
}

MXHIP_API hipError_t hipIpcOpenEventHandle(hipEvent_t *e, hipIpcEventHandle_t handle) {
	void *shared = NULL;
	if (!e)
		return mx_hip_return(hipErrorInvalidValue);
	hipError_t status = import(&handle, event, &shared);
	return status == hipSuccess ? mx_event_new(hipEventDisableTiming, shared, e) : status;
}

MXHIP_API hipError_t hipIpcCloseMemHandle(void *p) {
	struct mx_allocation a;
	if (!p || !mx_hip_about(p, &a))
		return mx_hip_return(hipErrorInvalidValue);
	mx_queue_drain(NULL);
	return mx_hip_return(mx_hip_end_import(a.base) ? hipSuccess : hipErrorInvalidValue);
}
