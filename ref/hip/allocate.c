/* Allocation: device, host and managed memory, and host memory that the program registers. */
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "queue.h"
#include "stream_races.h"

static hipError_t allocate(void **p, size_t bytes, struct mx_allocation of) {
	if (!p)
		return mx_hip_return(hipErrorInvalidValue);
	hipError_t e = mx_capture_check_unsafe();
	if (e != hipSuccess)
		return e;
	*p = NULL;
	if (!bytes)
		return mx_hip_return(hipSuccess);
	of.device = mx_device();
	of.until_reset = true;
	*p = mx_hip_allocate(bytes, of);
	return mx_hip_return(*p ? hipSuccess : hipErrorOutOfMemory);
}

/* Memory of the host that a program may get at once: half of what the machine has, because a byte
 * of state is beside each. */
static size_t most_for_host(void) {
	return (size_t)sysconf(_SC_PHYS_PAGES) / 2 * (size_t)sysconf(_SC_PAGESIZE);
}

/* The emulator does not observe the host's writes, so all bytes count as written. */
static hipError_t allocate_for_host(void **p, size_t bytes, struct mx_allocation of) {
	if (bytes > most_for_host())
		bytes = SIZE_MAX; /* more than there is; to mark them would end the process */
	hipError_t e = allocate(p, bytes, of);
	if (e == hipSuccess && *p)
		mx_hip_mark((uint64_t)(uintptr_t)*p, bytes, MX_WRITTEN);
	return e;
}

/* ---- device memory ---- */

MXHIP_API hipError_t hipMalloc(void **p, size_t bytes) {
	return allocate(p, bytes, (struct mx_allocation){ .kind = MX_DEVICE_MEMORY, .version = 1 });
}

/* Flags [HIP]: fine-grained, memory of signals, uncached, contiguous. A signal has 8 bytes. */
MXHIP_API hipError_t hipExtMallocWithFlags(void **p, size_t bytes, unsigned flags) {
	enum { FINE_GRAINED = 1, SIGNAL = 2, UNCACHED = 3, CONTIGUOUS = 4 };
	bool known = !flags || flags == FINE_GRAINED || flags == UNCACHED || flags == CONTIGUOUS;
	if (!known && (flags != SIGNAL || bytes != 8))
		return mx_hip_return(hipErrorInvalidValue);
	return allocate(p, bytes,
	                (struct mx_allocation){ .kind = MX_DEVICE_MEMORY, .flags = flags });
}

MXHIP_API hipError_t hipMallocPitch(void **p, size_t *pitch, size_t width, size_t height) {
	if (!p || !pitch)
		return mx_hip_return(hipErrorInvalidValue);
	if (height && width > SIZE_MAX / 2 / height)
		return mx_hip_return(hipErrorOutOfMemory);
	*pitch = (width + 255) / 256 * 256;
	return hipMalloc(p, *pitch * height);
}

MXHIP_API hipError_t hipMemAllocPitch(hipDeviceptr_t *p, size_t *pitch, size_t width, size_t height,
                                      unsigned element) {
	if (element != 4 && element != 8 && element != 16)
		return mx_hip_return(hipErrorInvalidValue);
	return hipMallocPitch(p, pitch, width, height);
}

static bool is_host_memory(const void *p) {
	struct mx_allocation a;
	return mx_hip_about(p, &a) && a.kind == MX_HOST_MEMORY && a.base == p;
}

/* Advice about memory ends with it. */
static bool release(void *p) {
	struct mx_allocation a;
	if (mx_hip_about(p, &a) && a.kind == MX_MANAGED_MEMORY)
		mx_advice_forget(p, a.bytes);
	return mx_hip_release(p);
}

/* A call that frees memory waits for the current device [HIP, hipFree, hipHostFree], and AMD's
 * runtime for that of the memory. */
static void finish_before_free(const void *p) {
	struct mx_allocation a;
	mx_queue_drain(NULL);
	mx_queue_finish_device(mx_device());
	if (!mx_hip_about(p, &a))
		return;
	if (a.device >= 0 && a.device < mx_devices())
		mx_queue_finish_device(a.device);
	if (a.base == p)
		mx_races_end_memory(p, a.bytes);
}

/* Host memory too, as AMD's runtime does, though it has a call of its own. */
MXHIP_API hipError_t hipFree(void *p) {
	if (!p)
		return mx_hip_return(hipSuccess);
	finish_before_free(p);
	mx_hip_graph_step(p, MX_GRAPH_GIVE);
	return mx_hip_return(release(p) ? hipSuccess : hipErrorInvalidValue);
}

MXHIP_API hipError_t hipMemGetInfo(size_t *free_bytes, size_t *total) {
	if (!free_bytes && !total)
		return mx_hip_return(hipErrorInvalidValue);
	if (total)
		*total = MX_DEVICE_BYTES;
	if (free_bytes)
		*free_bytes = MX_DEVICE_BYTES - mx_hip_allocated(NULL, mx_device());
	return mx_hip_return(hipSuccess);
}

/* ---- host memory: host and device share its addresses ---- */

/* Flags of hipHostMalloc [HIP]: portable, mapped, write-combined, uncached, NUMA of the caller,
 * coherent, not coherent. */
enum { PORTABLE = 1, COHERENT = 0x40000000, UNCACHED = 0x10000000, NUMA_USER = 0x20000000 };
static const unsigned host_flags = 7 | UNCACHED | NUMA_USER | COHERENT | 0x80000000;

MXHIP_API hipError_t hipHostMalloc(void **p, size_t bytes, unsigned flags) {
	bool both = flags & COHERENT && flags & 0x80000000;
	if (flags & ~host_flags || both)
		return mx_hip_return(hipErrorInvalidValue);
	return allocate_for_host(p, bytes,
	                         (struct mx_allocation){ .kind = MX_HOST_MEMORY, .flags = flags });
}

MXHIP_API hipError_t hipHostFree(void *p) {
	if (!p)
		return mx_hip_return(hipSuccess);
	finish_before_free(p);
	return mx_hip_return(is_host_memory(p) && mx_hip_release(p) ? hipSuccess
	                                                            : hipErrorInvalidValue);
}

/* Other names of the same functions. */
MXHIP_API hipError_t hipHostAlloc(void **p, size_t bytes, unsigned flags) {
	return hipHostMalloc(p, bytes, flags);
}

MXHIP_API hipError_t hipExtHostAlloc(void **p, size_t bytes, unsigned flags);
MXHIP_API hipError_t hipExtHostAlloc(void **p, size_t bytes, unsigned flags) {
	return hipHostMalloc(p, bytes, flags);
}

MXHIP_API hipError_t hipMallocHost(void **p, size_t bytes) {
	return hipHostMalloc(p, bytes, 0);
}

MXHIP_API hipError_t hipMemAllocHost(void **p, size_t bytes) {
	return hipHostMalloc(p, bytes, 0);
}

MXHIP_API hipError_t hipFreeHost(void *p) {
	return hipHostFree(p);
}

static bool host_about(const void *p, struct mx_allocation *a) {
	return mx_hip_about(p, a) && (a->kind == MX_HOST_MEMORY || a->kind == MX_REGISTERED_MEMORY);
}

MXHIP_API hipError_t hipHostGetDevicePointer(void **device, void *host, unsigned flags) {
	struct mx_allocation a;
	if (!device || flags || !mx_hip_about(host, &a))
		return mx_hip_return(hipErrorInvalidValue);
	*device = host;
	return mx_hip_return(hipSuccess);
}

MXHIP_API hipError_t hipHostGetFlags(unsigned *flags, void *host) {
	struct mx_allocation a;
	if (!flags || !host_about(host, &a))
		return mx_hip_return(hipErrorInvalidValue);
	*flags = a.flags;
	return mx_hip_return(hipSuccess);
}

/* Whether all pages are mapped: msync without writing says so. */
static bool is_mapped(const void *p, size_t bytes) {
	uintptr_t from = (uintptr_t)p / 4096 * 4096;
	return bytes <= UINTPTR_MAX - (uintptr_t)p &&
	       !msync((void *)from, (uintptr_t)p + bytes - from, MS_ASYNC);
}

MXHIP_API hipError_t hipHostRegister(void *p, size_t bytes, unsigned flags) {
	static const unsigned known = 0x8000000f; /* portable, mapped, I/O, read-only, uncached */
	if (!p || !bytes || flags & ~known)
		return mx_hip_return(hipErrorInvalidValue);
	hipError_t e = mx_capture_check_unsafe();
	if (e != hipSuccess)
		return e;
	if (!is_mapped(p, bytes))
		return mx_hip_fail(hipErrorInvalidValue, "%zu bytes at %p are not all mapped",
		                   bytes, p);
	return mx_hip_return(mx_hip_register(p, bytes, flags));
}

MXHIP_API hipError_t hipHostUnregister(void *p) {
	if (!p)
		return mx_hip_return(hipErrorInvalidValue);
	struct mx_allocation a;
	hipError_t e = mx_capture_check_unsafe();
	if (e != hipSuccess)
		return e;
	mx_queue_drain(NULL);
	if (mx_hip_about(p, &a))
		mx_advice_forget(p, a.bytes);
	return mx_hip_return(mx_hip_unregister(p) ? hipSuccess : hipErrorHostMemoryNotRegistered);
}

/* ---- managed memory ---- */

MXHIP_API hipError_t hipMallocManaged(void **p, size_t bytes, unsigned flags) {
	bool known = flags == hipMemAttachGlobal || flags == hipMemAttachHost;
	if (!p || !bytes || !known)
		return mx_hip_return(hipErrorInvalidValue);
	return allocate_for_host(
		p, bytes, (struct mx_allocation){ .kind = MX_MANAGED_MEMORY, .flags = flags });
}

/* Streams and host may always access it, so this has no effect. 0 bytes: all of the memory. */
MXHIP_API hipError_t hipStreamAttachMemAsync(hipStream_t stream, void *p, size_t bytes,
                                             unsigned flags) {
	struct ihipStream_t *s;
	struct mx_allocation a;
	bool known = flags == hipMemAttachGlobal || flags == hipMemAttachHost ||
	             (flags == hipMemAttachSingle && stream);
	if (!known || !mx_hip_about(p, &a) || a.kind != MX_MANAGED_MEMORY ||
	    (bytes && bytes != a.bytes))
		return mx_hip_return(hipErrorInvalidValue);
	return mx_stream_of(stream, &s);
}
