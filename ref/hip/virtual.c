/* Virtual memory: ranges of addresses, and memory that is mapped to parts of them.
 *
 * Memory is a file with its bytes and then its states, so that it can be mapped at several places
 * and in several processes. A range has as much address space for states. Kernels and copies see
 * the parts of a range that are mapped with access, as one allocation where they touch. A write to
 * a part that may only be read is a fault of a kernel; copies and sets refuse it. */
#define _GNU_SOURCE
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "queue.h"

/* Ranges start here and go up, so that addresses do not change from run to run: a hint. */
#define ARENA 0x500000000000ull

enum { SMALLEST = 4096, RECOMMENDED = 2 << 20 }; /* granularity [assumed] */

struct ihipMemGenericAllocationHandle {
	hipMemAllocationProp properties;
	size_t bytes;
	int file;
	uint64_t inode, place;    /* of its bytes: what has the same file has the same places */
	unsigned handles, mapped; /* that the program has */
	struct ihipMemGenericAllocationHandle *next;
};

struct mapping {
	uint64_t from, to, offset; /* in the memory */
	struct ihipMemGenericAllocationHandle *memory;
	uint8_t access[MX_MOST_DEVICES]; /* hipMemAccessFlags */
};

struct range {
	uint64_t from, to;
	uint8_t *states;
	struct mapping *mapped; /* in ascending order */
	size_t n;
	struct range *next;
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER; /* of all */
static struct range *ranges;
static struct ihipMemGenericAllocationHandle *memories;

/* ---- address space ---- */

static void *reserve(void *at, size_t bytes) {
	void *p = mmap(at, bytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	return p == MAP_FAILED ? NULL : p;
}

/* Gives a part of a range back to the reservation. */
static void clear(uint64_t at, size_t bytes) {
	mmap((void *)at, bytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED,
	     -1, 0);
}

/* An aligned part of more, the rest of which is given back. */
static void *reserve_aligned(void *at, size_t bytes, size_t alignment) {
	static _Atomic uint64_t next = ARENA;
	size_t more = alignment > SMALLEST ? alignment : 0;
	char *p = reserve(at ? at : (void *)atomic_fetch_add(&next, bytes + more + SMALLEST),
	                  bytes + more);
	if (!p || !more)
		return p;
	size_t before = (alignment - (uintptr_t)p % alignment) % alignment;
	if (before)
		munmap(p, before);
	if (more - before)
		munmap(p + before + bytes, more - before);
	return p + before;
}

static uint64_t address(const void *p) {
	return (uint64_t)(uintptr_t)p;
}

/* The range that has [from, from + bytes), or NULL. */
static struct range *range_of(uint64_t from, size_t bytes) {
	struct range *r = ranges;
	while (r && !(from >= r->from && from < r->to && bytes <= r->to - from))
		r = r->next;
	return r;
}

MXHIP_API hipError_t hipMemAddressReserve(void **p, size_t bytes, size_t alignment, void *at,
                                          unsigned long long flags) {
	if (!p || flags)
		return mx_hip_return(hipErrorInvalidValue);
	*p = NULL;
	if (!bytes || bytes % SMALLEST || alignment & (alignment - 1) || bytes > 1ull << 46)
		return mx_hip_return(hipErrorOutOfMemory); /* as in AMD's runtime */
	struct range *r = calloc(1, sizeof *r);
	*p = r ? reserve_aligned(at, bytes, alignment) : NULL;
	void *states = *p ? reserve(NULL, bytes) : NULL;
	if (!states) {
		if (*p)
			munmap(*p, bytes);
		free(r);
		*p = NULL;
		return mx_hip_return(hipErrorOutOfMemory);
	}
	*r = (struct range){ .from = address(*p), .to = address(*p) + bytes, .states = states };
	pthread_mutex_lock(&lock);
	r->next = ranges;
	ranges = r;
	pthread_mutex_unlock(&lock);
	return mx_hip_return(hipSuccess);
}

MXHIP_API hipError_t hipMemAddressFree(void *p, size_t bytes) {
	struct range **at = &ranges, *r;
	pthread_mutex_lock(&lock);
	while ((r = *at) && !(p && r->from == address(p)))
		at = &r->next;
	bool good = r && bytes == r->to - r->from && !r->n;
	if (good) {
		*at = r->next;
		munmap(p, bytes);
		munmap(r->states, bytes);
		free(r->mapped);
		free(r);
	}
	pthread_mutex_unlock(&lock);
	return mx_hip_return(good ? hipSuccess : hipErrorInvalidValue);
}

/* ---- memory ---- */

/* Uncached memory is emulated as the other. */
static bool are_properties(const hipMemAllocationProp *p) {
	return p &&
	       (p->type == hipMemAllocationTypePinned || p->type == hipMemAllocationTypeUncached) &&
	       p->location.type == hipMemLocationTypeDevice && p->location.id >= 0 &&
	       p->location.id < mx_devices();
}

MXHIP_API hipError_t hipMemGetAllocationGranularity(size_t *granularity,
                                                    const hipMemAllocationProp *p,
                                                    hipMemAllocationGranularity_flags which) {
	if (!granularity || !are_properties(p) || which > hipMemAllocationGranularityRecommended)
		return mx_hip_return(hipErrorInvalidValue);
	*granularity = which == hipMemAllocationGranularityMinimum ? SMALLEST : RECOMMENDED;
	return mx_hip_return(hipSuccess);
}

/* Numbers for the bytes of memory, which are no addresses. Under the lock. */
static uint64_t places_of(uint64_t inode, size_t bytes) {
	static uint64_t next = 1ull << 62;
	for (const struct ihipMemGenericAllocationHandle *m = memories; m; m = m->next)
		if (m->inode == inode)
			return m->place;
	next += bytes;
	return next - bytes;
}

/* Takes the file. */
static hipError_t new_memory(int file, size_t bytes, const hipMemAllocationProp *p,
                             hipMemGenericAllocationHandle_t *handle) {
	struct ihipMemGenericAllocationHandle *m = calloc(1, sizeof *m);
	struct stat s;
	if (file < 0 || fstat(file, &s) || !m || !mx_handle_add(MX_MEMORY, m)) {
		if (file >= 0)
			close(file);
		free(m);
		return mx_hip_return(hipErrorOutOfMemory);
	}
	*m = (struct ihipMemGenericAllocationHandle){
		.properties = *p, .bytes = bytes, .file = file, .inode = s.st_ino, .handles = 1
	};
	pthread_mutex_lock(&lock);
	m->place = places_of(m->inode, bytes);
	m->next = memories;
	memories = m;
	pthread_mutex_unlock(&lock);
	*handle = m;
	return mx_hip_return(hipSuccess);
}

MXHIP_API hipError_t hipMemCreate(hipMemGenericAllocationHandle_t *handle, size_t bytes,
                                  const hipMemAllocationProp *p, unsigned long long flags) {
	if (!handle || !bytes || bytes % SMALLEST || flags || !are_properties(p))
		return mx_hip_return(hipErrorInvalidValue);
	if (p->requestedHandleType != hipMemHandleTypeNone &&
	    p->requestedHandleType != hipMemHandleTypePosixFileDescriptor)
		return mx_hip_fail(hipErrorNotSupported, "handles other than file descriptors");
	if (bytes > MX_DEVICE_BYTES)
		return mx_hip_return(hipErrorOutOfMemory);
	int file = memfd_create("libmxhip", MFD_CLOEXEC);
	if (file >= 0 && ftruncate(file, (off_t)(2 * bytes))) {
		close(file);
		file = -1;
	}
	return new_memory(file, bytes, p, handle);
}

/* Under the lock. */
static void drop(struct ihipMemGenericAllocationHandle *m) {
	struct ihipMemGenericAllocationHandle **at = &memories;
	if (m->handles || m->mapped)
		return;
	while (*at != m)
		at = &(*at)->next;
	*at = m->next;
	mx_handle_remove(MX_MEMORY, m);
	close(m->file);
	free(m);
}

/* Memory that is only mapped has no handle any more. */
static bool is_held(hipMemGenericAllocationHandle_t handle) {
	return mx_handle_is(MX_MEMORY, handle) && handle->handles;
}

MXHIP_API hipError_t hipMemRelease(hipMemGenericAllocationHandle_t handle) {
	pthread_mutex_lock(&lock);
	bool good = is_held(handle);
	if (good) {
		handle->handles--;
		drop(handle);
	}
	pthread_mutex_unlock(&lock);
	return mx_hip_return(good ? hipSuccess : hipErrorInvalidValue);
}

MXHIP_API hipError_t hipMemGetAllocationPropertiesFromHandle(
	hipMemAllocationProp *p, hipMemGenericAllocationHandle_t handle) {
	if (!p || !mx_handle_is(MX_MEMORY, handle))
		return mx_hip_return(hipErrorInvalidValue);
	*p = handle->properties;
	return mx_hip_return(hipSuccess);
}

/* ---- mappings, under the lock ---- */

static bool is_accessible(const struct mapping *m) {
	for (int i = 0; i < MX_MOST_DEVICES; i++)
		if (m->access[i])
			return true;
	return false;
}

static bool is_continued(const struct mapping *m, const struct mapping *next) {
	return m->to == next->from && !memcmp(m->access, next->access, sizeof m->access) &&
	       m->memory->properties.location.id == next->memory->properties.location.id;
}

/* Shows the accessible parts of a range as allocations. */
static bool show(const struct range *r) {
	bool ok = true;
	mx_hip_hide_range(r->from, r->to);
	for (size_t i = 0, end; i < r->n; i = end) {
		const struct mapping *m = &r->mapped[i];
		for (end = i + 1; end < r->n && is_continued(&r->mapped[end - 1], &r->mapped[end]);)
			end++;
		struct mx_allocation a = { .kind = MX_VIRTUAL_MEMORY,
			                   .device = m->memory->properties.location.id };
		for (unsigned k = 0; k < MX_MOST_DEVICES; k++) {
			a.devices |= (m->access[k] != hipMemAccessFlagsProtNone) << k;
			a.writers |= (m->access[k] == hipMemAccessFlagsProtReadWrite) << k;
		}
		if (is_accessible(m))
			ok &= mx_hip_show((void *)m->from, r->mapped[end - 1].to - m->from,
			                  r->states + (m->from - r->from), a);
	}
	return ok;
}

/* The mappings of a range that are in [from, to): *n of them. NULL if a part is not mapped, or is
 * mapped beyond it. */
static struct mapping *mappings(const struct range *r, uint64_t from, uint64_t to, size_t *n) {
	size_t i = 0;
	while (i < r->n && r->mapped[i].from < from)
		i++;
	struct mapping *first = r->mapped + i;
	for (*n = 0; i < r->n && r->mapped[i].from == from && r->mapped[i].to <= to; i++, ++*n)
		from = r->mapped[i].to;
	return *n && from == to ? first : NULL;
}

static bool place(int file, uint64_t at, uint64_t offset, size_t bytes) {
	return mmap((void *)at, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED, file,
	            (off_t)offset) != MAP_FAILED;
}

static hipError_t map(struct range *r, struct mapping new) {
	size_t i = 0, bytes = new.to - new.from, states = new.memory->bytes;
	uint64_t offset = new.offset;
	while (i < r->n && r->mapped[i].to <= new.from)
		i++;
	if (i < r->n && r->mapped[i].from < new.to)
		return mx_hip_fail(hipErrorInvalidValue, "a part of it is mapped");
	struct mapping *grown = realloc(r->mapped, (r->n + 1) * sizeof *grown);
	if (grown)
		r->mapped = grown;
	if (!grown || !place(new.memory->file, new.from, offset, bytes) ||
	    !place(new.memory->file, address(r->states) + (new.from - r->from), states + offset,
	           bytes))
		return mx_hip_return(hipErrorOutOfMemory);
	memmove(grown + i + 1, grown + i, (r->n++ - i) * sizeof *grown);
	grown[i] = new;
	new.memory->mapped++;
	return mx_hip_return(hipSuccess);
}

/* ---- the calls ---- */

MXHIP_API hipError_t hipMemMap(void *p, size_t bytes, size_t offset,
                               hipMemGenericAllocationHandle_t handle, unsigned long long flags) {
	uint64_t from = address(p);
	if (flags || !bytes || (from | bytes | offset) % SMALLEST)
		return mx_hip_return(hipErrorInvalidValue);
	pthread_mutex_lock(&lock);
	struct range *r = range_of(from, bytes);
	bool good =
		r && is_held(handle) && offset <= handle->bytes && bytes <= handle->bytes - offset;
	hipError_t e = good ? map(r, (struct mapping){ from, from + bytes, offset, handle, { 0 } })
	                    : mx_hip_return(hipErrorInvalidValue);
	pthread_mutex_unlock(&lock);
	return e;
}

MXHIP_API hipError_t hipMemUnmap(void *p, size_t bytes) {
	size_t n;
	mx_queue_drain(NULL);
	pthread_mutex_lock(&lock);
	struct range *r = bytes ? range_of(address(p), bytes) : NULL;
	struct mapping *m = r ? mappings(r, address(p), address(p) + bytes, &n) : NULL;
	if (m) {
		for (size_t i = 0; i < n; i++) {
			m[i].memory->mapped--;
			drop(m[i].memory);
		}
		memmove(m, m + n, (size_t)(r->mapped + r->n - (m + n)) * sizeof *m);
		r->n -= n;
		show(r);
		clear(address(p), bytes);
		clear(address(r->states) + (address(p) - r->from), bytes);
	}
	pthread_mutex_unlock(&lock);
	return mx_hip_return(m ? hipSuccess : hipErrorInvalidValue);
}

static bool is_access(const hipMemAccessDesc *d) {
	return d->location.type == hipMemLocationTypeDevice && d->location.id >= 0 &&
	       d->location.id < mx_devices() &&
	       (d->flags == hipMemAccessFlagsProtNone || d->flags == hipMemAccessFlagsProtRead ||
	        d->flags == hipMemAccessFlagsProtReadWrite);
}

MXHIP_API hipError_t hipMemSetAccess(void *p, size_t bytes, const hipMemAccessDesc *d, size_t n) {
	size_t n_mapped;
	bool good = bytes && d && n;
	for (size_t i = 0; good && i < n; i++)
		good = is_access(&d[i]);
	if (!good)
		return mx_hip_return(hipErrorInvalidValue);
	mx_queue_drain(NULL);
	pthread_mutex_lock(&lock);
	struct range *r = range_of(address(p), bytes);
	struct mapping *m = r ? mappings(r, address(p), address(p) + bytes, &n_mapped) : NULL;
	for (size_t i = 0; m && i < n_mapped; i++)
		for (size_t k = 0; k < n; k++)
			m[i].access[d[k].location.id] = (uint8_t)d[k].flags;
	bool shown = !m || show(r);
	pthread_mutex_unlock(&lock);
	if (!m)
		return mx_hip_return(hipErrorInvalidValue);
	return mx_hip_return(shown ? hipSuccess : hipErrorOutOfMemory);
}

/* The mapping at an address, or NULL. */
static const struct mapping *mapping_at(uint64_t at) {
	const struct range *r = range_of(at, 1);
	for (size_t i = 0; r && i < r->n; i++)
		if (at >= r->mapped[i].from && at < r->mapped[i].to)
			return &r->mapped[i];
	return NULL;
}

uint64_t mx_virtual_place(uint64_t at, uint64_t *end) {
	uint64_t place = 0;
	pthread_mutex_lock(&lock);
	const struct mapping *m = mapping_at(at);
	if (m) {
		*end = m->to;
		place = m->memory->place + m->offset + (at - m->from);
	}
	pthread_mutex_unlock(&lock);
	return place;
}

/* An address in a range of a place; 0 if there is none. */
static uint64_t address_in(const struct range *r, uint64_t place) {
	for (const struct mapping *m = r->mapped; m < r->mapped + r->n; m++) {
		uint64_t first = m->memory->place + m->offset;
		if (place >= first && place - first < m->to - m->from)
			return m->from + (place - first);
	}
	return 0;
}

uint64_t mx_virtual_address(uint64_t place) {
	uint64_t at = 0;
	pthread_mutex_lock(&lock);
	for (const struct range *r = ranges; r && !at; r = r->next)
		at = address_in(r, place);
	pthread_mutex_unlock(&lock);
	return at ? at : place;
}

bool mx_virtual_is_mapped_twice(void) {
	bool twice = false;
	pthread_mutex_lock(&lock);
	for (const struct ihipMemGenericAllocationHandle *m = memories; m && !twice; m = m->next) {
		twice = m->mapped > 1;
		for (const struct ihipMemGenericAllocationHandle *o = m->next; o; o = o->next)
			twice |= m->mapped && o->mapped && o->inode == m->inode;
	}
	pthread_mutex_unlock(&lock);
	return twice;
}

MXHIP_API hipError_t hipMemGetAccess(unsigned long long *flags, const hipMemLocation *location,
                                     void *p) {
	if (!flags || !location || location->type != hipMemLocationTypeDevice || location->id < 0 ||
	    location->id >= mx_devices())
		return mx_hip_return(hipErrorInvalidValue);
	pthread_mutex_lock(&lock);
	const struct mapping *m = mapping_at(address(p));
	if (m)
		*flags = m->access[location->id];
	pthread_mutex_unlock(&lock);
	return mx_hip_return(m ? hipSuccess : hipErrorInvalidValue);
}

MXHIP_API hipError_t hipMemRetainAllocationHandle(hipMemGenericAllocationHandle_t *handle,
                                                  void *p) {
	if (!handle)
		return mx_hip_return(hipErrorInvalidValue);
	pthread_mutex_lock(&lock);
	const struct mapping *m = mapping_at(address(p));
	if (m) {
		m->memory->handles++;
		*handle = m->memory;
	}
	pthread_mutex_unlock(&lock);
	return mx_hip_return(m ? hipSuccess : hipErrorInvalidValue);
}

/* ---- other processes ---- */

MXHIP_API hipError_t hipMemExportToShareableHandle(void *to, hipMemGenericAllocationHandle_t handle,
                                                   hipMemAllocationHandleType type,
                                                   unsigned long long flags) {
	if (!to || flags || !mx_handle_is(MX_MEMORY, handle) ||
	    type != hipMemHandleTypePosixFileDescriptor ||
	    handle->properties.requestedHandleType != type)
		return mx_hip_return(hipErrorInvalidValue);
	int file = dup(handle->file);
	if (file >= 0)
		memcpy(to, &file, sizeof file);
	return mx_hip_return(file >= 0 ? hipSuccess : hipErrorOutOfMemory);
}

/* `from` is the file descriptor as in ROCm 7.1, or points to it as before. */
MXHIP_API hipError_t hipMemImportFromShareableHandle(hipMemGenericAllocationHandle_t *handle,
                                                     void *from, hipMemAllocationHandleType type) {
	enum { MOST_FILES = 1 << 20 };
	const hipMemAllocationProp p = { .requestedHandleType = type,
		                         .location = { hipMemLocationTypeDevice, mx_device() },
		                         .type = hipMemAllocationTypePinned };
	struct stat s;
	if (!handle || type != hipMemHandleTypePosixFileDescriptor)
		return mx_hip_return(hipErrorInvalidValue);
	int file = (uintptr_t)from < MOST_FILES ? (int)(uintptr_t)from : *(const int *)from;
	if (fstat(file, &s) || s.st_size <= 0 || s.st_size % (2 * SMALLEST))
		return mx_hip_return(hipErrorInvalidValue);
	return new_memory(dup(file), (size_t)s.st_size / 2, &p, handle);
}
