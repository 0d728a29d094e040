/* Memory that processes of a host share: a handle names a file of the process that has the memory.
 */
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

static const char magic[] = "mxhipip";

_Static_assert(sizeof(struct handle) <= sizeof(hipIpcMemHandle_t), "a handle has 64 bytes");

MXHIP_API hipError_t hipIpcGetMemHandle(hipIpcMemHandle_t *handle, void *p) {
	struct mx_allocation a;
	struct handle h = { .process = getpid() };
	if (!handle || !p)
		return mx_hip_return(hipErrorInvalidValue);
	mx_queue_finish(NULL); /* nothing may use memory that gets another mapping */
	h.file = mx_hip_share(p, &a);
	if (!h.file)
		return mx_hip_fail(hipErrorInvalidValue, "%p is no memory that can be shared", p);
	memcpy(h.magic, magic, sizeof magic);
	h.bytes = a.bytes;
	h.offset = (uint64_t)((char *)p - (char *)a.base);
	memset(handle, 0, sizeof *handle);
	memcpy(handle, &h, sizeof h);
	return mx_hip_return(hipSuccess);
}

static hipError_t import(const struct handle *h, char **base) {
	char path[64];
	snprintf(path, sizeof path, "/proc/%d/fd/%d", h->process, h->file);
	int file = open(path, O_RDWR | O_CLOEXEC);
	if (file < 0)
		return mx_hip_fail(hipErrorInvalidHandle, "process %d has no such memory",
		                   h->process);
	*base = mx_hip_import(file, h->bytes);
	close(file);
	return mx_hip_return(*base ? hipSuccess : hipErrorOutOfMemory);
}

MXHIP_API hipError_t hipIpcOpenMemHandle(void **p, hipIpcMemHandle_t handle, unsigned flags) {
	struct handle h;
	char *base = NULL;
	memcpy(&h, &handle, sizeof h);
	if (!p || flags > 1 || memcmp(h.magic, magic, sizeof magic)) /* lazy peer access */
		return mx_hip_return(hipErrorInvalidValue);
	if (h.process == getpid())
		return mx_hip_fail(hipErrorInvalidContext, "memory of this process");
	hipError_t e = import(&h, &base);
	if (e == hipSuccess)
		*p = base + h.offset;
	return e;
}

MXHIP_API hipError_t hipIpcCloseMemHandle(void *p) {
	struct mx_allocation a;
	if (!p || !mx_hip_about(p, &a))
		return mx_hip_return(hipErrorInvalidValue);
	mx_queue_finish(NULL);
	return mx_hip_return(mx_hip_end_import(a.base) ? hipSuccess : hipErrorInvalidValue);
}
