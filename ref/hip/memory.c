/* Device memory: allocations at host addresses, each byte with a state. */
#define _GNU_SOURCE
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "runtime.h"

/* Allocations start here and go up, so that addresses do not change from run to run. This is a
 * hint: if the place is taken, the system chooses. */
#define ARENA 0x400000000000ull

enum { PAGE = 4096, LARGE = 1 << 30 /* bytes of an allocation */ };

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct mx_region *regions; /* sorted by base */
static size_t n_regions, room;
static uint64_t next_hint = ARENA;
static struct mx_region retired; /* a mapping that the next allocation may get, or 0 */

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

/* The region that contains [address, address + bytes), or NULL. */
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
	if (p == MAP_FAILED)
		return NULL;
	if (bytes >= LARGE) /* a launch of some workgroups touches little of it */
		madvise(p, pages(bytes), MADV_NOHUGEPAGE);
	return p;
}

static void unmap(const struct mx_region *r) {
	munmap((void *)(uintptr_t)r->base, pages(r->size));
	munmap(r->state, pages(r->size));
}

/* Whether the retired mapping is as a new one would be; otherwise there is none any more. */
static bool take_retired(size_t bytes, void **p, void **state) {
	struct mx_region r = retired;
	retired = (struct mx_region){ 0 };
	if (!r.base)
		return false;
	if (r.base != next_hint || pages(r.size) != pages(bytes)) {
		unmap(&r);
		return false;
	}
	*p = memset((void *)(uintptr_t)r.base, 0, pages(bytes));
	*state = memset(r.state, 0, pages(bytes));
	return true;
}

void *mx_hip_allocate(size_t bytes) {
	void *p, *state;
	if (!bytes || bytes > 1ull << 46)
		return NULL;
	pthread_mutex_lock(&lock);
	if (!take_retired(bytes, &p, &state)) {
		p = map(next_hint, bytes);
		state = map(0, bytes);
	}
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

/* Removes an allocation from the table; *r gets its mapping. */
static bool take(void *p, struct mx_region *r) {
	uint64_t base = (uint64_t)(uintptr_t)p;
	struct mx_region *found = holding(base, 0);
	if (!found || found->base != base)
		return false;
	*r = *found;
	if (base < next_hint)
		next_hint = base; /* a loop of allocations gets the same addresses */
	memmove(found, found + 1, (size_t)(regions + n_regions - (found + 1)) * sizeof *found);
	n_regions--;
	return true;
}

bool mx_hip_release(void *p) {
	struct mx_region r;
	pthread_mutex_lock(&lock);
	bool ok = take(p, &r);
	if (ok)
		unmap(&r);
	pthread_mutex_unlock(&lock);
	return ok;
}

void mx_hip_retire(void *p) {
	struct mx_region r;
	pthread_mutex_lock(&lock);
	if (take(p, &r)) {
		if (retired.base)
			unmap(&retired);
		retired = r;
	}
	pthread_mutex_unlock(&lock);
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

bool mxhipStates(const void *address, size_t bytes, uint8_t *states) {
	uint64_t from = (uint64_t)(uintptr_t)address;
	pthread_mutex_lock(&lock);
	const struct mx_region *r = holding(from, bytes);
	if (r)
		memcpy(states, r->state + (from - r->base), bytes);
	pthread_mutex_unlock(&lock);
	return r != NULL;
}

bool mx_hip_is_allocation(const void *p, size_t bytes) {
	pthread_mutex_lock(&lock);
	bool known = holding((uint64_t)(uintptr_t)p, bytes) != NULL;
	pthread_mutex_unlock(&lock);
	return known;
}

/* Copies the states with the bytes; those of host memory count as written. */
bool mx_hip_copy_states(uint64_t to, const void *from, size_t bytes) {
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

/* Host memory that kernels may use. The emulator does not observe the host's writes, so all bytes
 * count as written. */
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

/* Other names of the same functions: host and device share their addresses. */
MXHIP_API hipError_t hipHostAlloc(void **p, size_t bytes, unsigned flags) {
	return hipHostMalloc(p, bytes, flags);
}

MXHIP_API hipError_t hipMallocHost(void **p, size_t bytes) {
	return hipHostMalloc(p, bytes, 0);
}

MXHIP_API hipError_t hipFreeHost(void *p) {
	return hipFree(p);
}

MXHIP_API hipError_t hipMallocManaged(void **p, size_t bytes, unsigned flags) {
	return hipHostMalloc(p, bytes, flags);
}

MXHIP_API hipError_t hipExtMallocWithFlags(void **p, size_t bytes, unsigned flags) {
	(void)flags;
	return hipMalloc(p, bytes);
}

static hipError_t check_uncaptured(hipStream_t handle, const char *what) {
	struct ihipStream_t *stream;
	hipError_t e = mx_stream_of(handle, &stream);
	if (e == hipSuccess && stream->capture)
		e = mx_hip_fail(hipErrorNotSupported, "%s", what);
	return e;
}

MXHIP_API hipError_t hipMallocAsync(void **p, size_t bytes, hipStream_t stream) {
	hipError_t e = check_uncaptured(stream, "allocation in a graph");
	return e == hipSuccess ? hipMalloc(p, bytes) : e;
}

MXHIP_API hipError_t hipFreeAsync(void *p, hipStream_t stream) {
	hipError_t e = check_uncaptured(stream, "free in a graph");
	return e == hipSuccess ? hipFree(p) : e;
}

MXHIP_API hipError_t hipMallocPitch(void **p, size_t *pitch, size_t width, size_t height) {
	if (!pitch || (height && width > SIZE_MAX / 2 / height))
		return mx_hip_return(hipErrorInvalidValue);
	*pitch = (width + 255) / 256 * 256;
	return hipMalloc(p, *pitch * height);
}

MXHIP_API hipError_t hipHostGetDevicePointer(void **device, void *host, unsigned flags) {
	(void)flags;
	if (!device || !mx_hip_is_allocation(host, 1))
		return mx_hip_return(hipErrorInvalidValue);
	*device = host;
	return mx_hip_return(hipSuccess);
}

/* Allocations have whole pages, as on a device. */
static size_t allocated_bytes(void) {
	size_t sum = 0;
	pthread_mutex_lock(&lock);
	for (size_t i = 0; i < n_regions; i++)
		sum += pages(regions[i].size);
	pthread_mutex_unlock(&lock);
	return sum < MX_DEVICE_BYTES ? sum : MX_DEVICE_BYTES;
}

MXHIP_API hipError_t hipMemGetInfo(size_t *free_bytes, size_t *total) {
	if (!free_bytes || !total)
		return mx_hip_return(hipErrorInvalidValue);
	*total = MX_DEVICE_BYTES;
	*free_bytes = MX_DEVICE_BYTES - allocated_bytes();
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
