/* Device memory: allocations at host addresses, each byte with a state. */
#define _GNU_SOURCE
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "runtime.h"

/* Allocations start here and go up, so that addresses do not change from run to run
 * (a hint: where the place is taken, the system chooses). */
#define ARENA 0x400000000000ull

enum { PAGE = 4096 };

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct mx_region *regions; /* sorted by base */
static size_t n_regions, room;
static uint64_t next_hint = ARENA;

/* ---- the table, under the lock ---- */

static size_t position(uint64_t base) {
	size_t i = n_regions;
	while (i && regions[i - 1].base > base)
		i--;
	return i;
}

static bool insert(struct mx_region r) {
	if (n_regions == room) {
		size_t more = room ? 2 * room : 64;
		struct mx_region *p = realloc(regions, more * sizeof *p);
		if (!p)
			return false;
		regions = p;
		room = more;
	}
	size_t i = position(r.base);
	memmove(regions + i + 1, regions + i, (n_regions - i) * sizeof *regions);
	regions[i] = r;
	n_regions++;
	return true;
}

/* The region that holds all of [address, address + bytes), or NULL. */
static struct mx_region *holding(uint64_t address, size_t bytes) {
	size_t i = position(address);
	struct mx_region *r = i ? &regions[i - 1] : NULL;
	bool inside = r && address - r->base <= r->size && bytes <= r->size - (address - r->base);
	return inside ? r : NULL;
}

/* ---- allocation ---- */

static size_t pages(size_t bytes) {
	return (bytes + PAGE - 1) / PAGE * PAGE;
}

static void *map(uint64_t hint, size_t bytes) {
	void *p = mmap((void *)hint, pages(bytes), PROT_READ | PROT_WRITE,
	               MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	return p == MAP_FAILED ? NULL : p;
}

void *mx_hip_allocate(size_t bytes) {
	if (!bytes || bytes > 1ull << 46)
		return NULL;
	pthread_mutex_lock(&lock);
	void *p = map(next_hint, bytes), *state = map(0, bytes);
	struct mx_region r = { (uint64_t)(uintptr_t)p, bytes, state };
	bool ok = p && state && insert(r);
	if (ok)
		next_hint = r.base + pages(bytes) + PAGE;
	else {
		if (p)
			munmap(p, pages(bytes));
		if (state)
			munmap(state, pages(bytes));
	}
	pthread_mutex_unlock(&lock);
	return ok ? p : NULL;
}

bool mx_hip_release(void *p) {
	uint64_t base = (uint64_t)(uintptr_t)p;
	pthread_mutex_lock(&lock);
	struct mx_region *r = holding(base, 0);
	bool ok = r && r->base == base;
	if (ok) {
		munmap(p, pages(r->size));
		munmap(r->state, pages(r->size));
		if (base < next_hint)
			next_hint =
				base; /* so that a loop of allocations gets the same addresses */
		memmove(r, r + 1, (size_t)(regions + n_regions - (r + 1)) * sizeof *r);
		n_regions--;
	}
	pthread_mutex_unlock(&lock);
	return ok;
}

bool mx_hip_mark(uint64_t address, size_t bytes, uint8_t state) {
	pthread_mutex_lock(&lock);
	struct mx_region *r = holding(address, bytes);
	if (r)
		memset(r->state + (address - r->base), state, bytes);
	pthread_mutex_unlock(&lock);
	return r != NULL;
}

bool mx_hip_snapshot(struct mx_memory *m) {
	pthread_mutex_lock(&lock);
	struct mx_region *copy = malloc((n_regions + 1) * sizeof *copy);
	if (copy)
		memcpy(copy, regions, n_regions * sizeof *copy);
	*m = (struct mx_memory){ copy, n_regions };
	pthread_mutex_unlock(&lock);
	return copy != NULL;
}

bool mxhipMark(void *address, size_t bytes, uint8_t state) {
	return mx_hip_mark((uint64_t)(uintptr_t)address, bytes, state);
}

/* ---- the API ---- */

MXHIP_API hipError_t hipMalloc(void **p, size_t bytes) {
	if (!p)
		return mx_hip_return(hipErrorInvalidValue);
	*p = NULL;
	if (!bytes)
		return mx_hip_return(hipSuccess);
	*p = mx_hip_allocate(bytes);
	return mx_hip_return(*p ? hipSuccess : hipErrorOutOfMemory);
}

MXHIP_API hipError_t hipFree(void *p) {
	return mx_hip_return(!p || mx_hip_release(p) ? hipSuccess : hipErrorInvalidValue);
}

/* Host memory that kernels may use: zeroed by nobody, but the host writes it unseen, so
 * its bytes count as written. */
MXHIP_API hipError_t hipHostMalloc(void **p, size_t bytes, unsigned flags) {
	(void)flags;
	hipError_t e = hipMalloc(p, bytes);
	if (e == hipSuccess && *p)
		mxhipMark(*p, bytes, MX_WRITTEN);
	return e;
}

MXHIP_API hipError_t hipHostFree(void *p) {
	return hipFree(p);
}

MXHIP_API hipError_t hipMemGetInfo(size_t *free_bytes, size_t *total) {
	if (!free_bytes || !total)
		return mx_hip_return(hipErrorInvalidValue);
	*free_bytes = *total = 288ull << 30;
	return mx_hip_return(hipSuccess);
}

MXHIP_API hipError_t hipMemGetAddressRange(hipDeviceptr_t *base, size_t *bytes, hipDeviceptr_t p) {
	if (!base || !bytes)
		return mx_hip_return(hipErrorInvalidValue);
	pthread_mutex_lock(&lock);
	struct mx_region *r = holding((uint64_t)(uintptr_t)p, 1);
	if (r) {
		*base = (hipDeviceptr_t)(uintptr_t)r->base;
		*bytes = r->size;
	}
	pthread_mutex_unlock(&lock);
	return mx_hip_return(r ? hipSuccess : hipErrorInvalidValue);
}

static bool is_allocation(const void *p, size_t bytes) {
	pthread_mutex_lock(&lock);
	bool known = holding((uint64_t)(uintptr_t)p, bytes) != NULL;
	pthread_mutex_unlock(&lock);
	return known;
}

/* Whether one end of a copy is device memory: the kind says so, or where it begins. */
static bool on_device(hipMemcpyKind kind, hipMemcpyKind this_end, const void *p) {
	return kind == hipMemcpyDeviceToDevice || kind == this_end || is_allocation(p, 1);
}

/* The states go with the bytes; those of host memory count as written. */
static bool copy_states(uint64_t to, const void *from, size_t bytes) {
	pthread_mutex_lock(&lock);
	struct mx_region *d = holding(to, bytes), *s = holding((uint64_t)(uintptr_t)from, bytes);
	if (d && s)
		memmove(d->state + (to - d->base), s->state + ((uint64_t)(uintptr_t)from - s->base),
		        bytes);
	else if (d)
		memset(d->state + (to - d->base), MX_WRITTEN, bytes);
	pthread_mutex_unlock(&lock);
	return d != NULL;
}

MXHIP_API hipError_t hipMemcpy(void *to, const void *from, size_t bytes, hipMemcpyKind kind) {
	hipError_t e = mx_hip_synchronise();
	if (e != hipSuccess || !bytes)
		return e;
	if (!to || !from)
		return mx_hip_return(hipErrorInvalidValue);
	if (on_device(kind, hipMemcpyDeviceToHost, from) && !is_allocation(from, bytes))
		return mx_hip_fail(hipErrorInvalidValue,
		                   "copy from %p: not %zu bytes of device memory", from, bytes);
	if (on_device(kind, hipMemcpyHostToDevice, to) &&
	    !copy_states((uint64_t)(uintptr_t)to, from, bytes))
		return mx_hip_fail(hipErrorInvalidValue,
		                   "copy to %p: not %zu bytes of device memory", to, bytes);
	memmove(to, from, bytes);
	return mx_hip_return(hipSuccess);
}

MXHIP_API hipError_t hipMemcpyAsync(void *to, const void *from, size_t bytes, hipMemcpyKind kind,
                                    hipStream_t stream) {
	(void)stream;
	return hipMemcpy(to, from, bytes, kind);
}

MXHIP_API hipError_t hipMemcpyHtoD(hipDeviceptr_t to, void *from, size_t bytes) {
	return hipMemcpy((void *)to, from, bytes, hipMemcpyHostToDevice);
}

MXHIP_API hipError_t hipMemcpyDtoH(void *to, hipDeviceptr_t from, size_t bytes) {
	return hipMemcpy(to, (const void *)from, bytes, hipMemcpyDeviceToHost);
}

MXHIP_API hipError_t hipMemcpyDtoD(hipDeviceptr_t to, hipDeviceptr_t from, size_t bytes) {
	return hipMemcpy((void *)to, (const void *)from, bytes, hipMemcpyDeviceToDevice);
}

MXHIP_API hipError_t hipMemset(void *p, int value, size_t bytes) {
	if (!bytes)
		return mx_hip_return(hipSuccess);
	if (!mxhipMark(p, bytes, MX_WRITTEN))
		return mx_hip_fail(hipErrorInvalidValue,
		                   "memset of %p: not %zu bytes of device memory", p, bytes);
	memset(p, value, bytes);
	return mx_hip_return(hipSuccess);
}

MXHIP_API hipError_t hipMemsetAsync(void *p, int value, size_t bytes, hipStream_t stream) {
	(void)stream;
	return hipMemset(p, value, bytes);
}

MXHIP_API hipError_t hipMemsetD8(hipDeviceptr_t p, unsigned char value, size_t bytes) {
	return hipMemset((void *)p, value, bytes);
}

MXHIP_API hipError_t hipMemsetD32(hipDeviceptr_t p, int value, size_t n) {
	hipError_t e = n > SIZE_MAX / 4 ? mx_hip_return(hipErrorInvalidValue)
	                                : hipMemset((void *)p, 0, 4 * n);
	for (size_t i = 0; e == hipSuccess && i < n; i++)
		((int *)p)[i] = value;
	return e;
}
