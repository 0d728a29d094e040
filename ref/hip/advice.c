/* Advice about managed and registered memory, and where it was prefetched. Host and device share
 * all memory, so neither has an effect; programs may read what they have given. */
#include <pthread.h>
#include <stdlib.h>

#include "queue.h"

enum { PAGE = 4096, INVALID = hipInvalidDeviceId };

/* Attributes of ranges that HIP 5's headers name, too. */
enum {
	READ_MOSTLY = hipMemRangeAttributeReadMostly,
	PREFERRED = hipMemRangeAttributePreferredLocation,
	ACCESSED_BY = hipMemRangeAttributeAccessedBy,
	PREFETCHED = hipMemRangeAttributeLastPrefetchLocation,
	COHERENCY = hipMemRangeAttributeCoherencyMode,
};

/* The value of an attribute, of whole pages. ACCESSED_BY has one for each device. */
struct advice {
	uint64_t from, to;
	int attribute, device;
	int value;
	struct advice *older;
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct advice *newest;

static bool is_for(const struct advice *a, int attribute, int device) {
	return a->attribute == attribute && (attribute != ACCESSED_BY || a->device == device);
}

static uint64_t page_of(const void *p) {
	return (uint64_t)(uintptr_t)p / PAGE * PAGE;
}

static uint64_t end_of(const void *p, size_t bytes) {
	return page_of((const char *)p + bytes + PAGE - 1);
}

/* Forgets what is inside a range: of one attribute, or of all if it is 0. */
static void forget(uint64_t from, uint64_t to, int attribute, int device) {
	for (struct advice **at = &newest, *a; (a = *at);)
		if (a->from >= from && a->to <= to &&
		    (!attribute || is_for(a, attribute, device))) {
			*at = a->older;
			free(a);
		} else
			at = &a->older;
}

void mx_advice_forget(const void *p, size_t bytes) {
	pthread_mutex_lock(&lock);
	forget(page_of(p), end_of(p, bytes), 0, 0);
	pthread_mutex_unlock(&lock);
}

static hipError_t give(const void *p, size_t bytes, int attribute, int device, int value) {
	struct advice *a = malloc(sizeof *a);
	if (!a)
		return mx_hip_return(hipErrorOutOfMemory);
	pthread_mutex_lock(&lock);
	*a = (struct advice){ page_of(p), end_of(p, bytes), attribute, device, value, NULL };
	forget(a->from, a->to, attribute, device);
	a->older = newest;
	newest = a;
	pthread_mutex_unlock(&lock);
	return mx_hip_return(hipSuccess);
}

/* The value of a page; `none` if it was never given. */
static int value_at(uint64_t page, int attribute, int device, int none) {
	for (const struct advice *a = newest; a; a = a->older)
		if (is_for(a, attribute, device) && page >= a->from && page < a->to)
			return a->value;
	return none;
}

/* The value that all pages of a range have; `mixed` if they differ. It changes only where something
 * that was given begins or ends. */
static int value_of(const void *p, size_t bytes, int attribute, int device, int none, int mixed) {
	uint64_t from = page_of(p), end = end_of(p, bytes);
	pthread_mutex_lock(&lock);
	int value = value_at(from, attribute, device, none);
	for (const struct advice *a = newest; a && value != mixed; a = a->older) {
		const uint64_t at[] = { a->from, a->to };
		for (unsigned i = 0; i < 2; i++)
			if (at[i] > from && at[i] < end &&
			    value_at(at[i], attribute, device, none) != value)
				value = mixed;
	}
	pthread_mutex_unlock(&lock);
	return value;
}

static hipError_t check_memory(const void *p, size_t bytes) {
	struct mx_allocation a;
	if (!p || !bytes || !mx_hip_is_allocation(p, bytes) || !mx_hip_about(p, &a))
		return mx_hip_return(hipErrorInvalidValue);
	return mx_hip_return(a.kind == MX_MANAGED_MEMORY || a.kind == MX_REGISTERED_MEMORY
	                             ? hipSuccess
	                             : hipErrorInvalidValue);
}

static hipError_t check_place(int device) {
	return device == hipCpuDeviceId ? hipSuccess : mx_device_check(device);
}

MXHIP_API hipError_t hipMemAdvise(const void *p, size_t bytes, hipMemoryAdvise advice, int device) {
	hipError_t e = check_memory(p, bytes);
	if (e == hipSuccess)
		e = check_place(device);
	if (e != hipSuccess)
		return e;
	switch ((int)advice) {
	case hipMemAdviseSetReadMostly: return give(p, bytes, READ_MOSTLY, 0, 1);
	case hipMemAdviseUnsetReadMostly: return give(p, bytes, READ_MOSTLY, 0, 0);
	case hipMemAdviseSetPreferredLocation: return give(p, bytes, PREFERRED, 0, device);
	case hipMemAdviseUnsetPreferredLocation: return give(p, bytes, PREFERRED, 0, INVALID);
	case hipMemAdviseSetAccessedBy: return give(p, bytes, ACCESSED_BY, device, 1);
	case hipMemAdviseUnsetAccessedBy: return give(p, bytes, ACCESSED_BY, device, 0);
	case hipMemAdviseSetCoarseGrain:
		return give(p, bytes, COHERENCY, 0, hipMemRangeCoherencyModeCoarseGrain);
	case hipMemAdviseUnsetCoarseGrain:
		return give(p, bytes, COHERENCY, 0, hipMemRangeCoherencyModeFineGrain);
	default: return mx_hip_return(hipErrorInvalidValue);
	}
}

MXHIP_API hipError_t hipMemPrefetchAsync(const void *p, size_t bytes, int device,
                                         hipStream_t stream) {
	struct ihipStream_t *s;
	hipError_t e = mx_stream_of(stream, &s);
	if (e == hipSuccess)
		e = check_memory(p, bytes);
	if (e == hipSuccess)
		e = check_place(device);
	return e == hipSuccess ? give(p, bytes, PREFETCHED, 0, device) : e;
}

/* ---- a place by its type, of HIP 7.1 ---- */

/* A device, or the host: all of it, one of its NUMA nodes, or the caller's one. */
static bool place_of(hipMemLocation l, int *device) {
	*device = l.type == hipMemLocationTypeDevice ? l.id : hipCpuDeviceId;
	return (int)l.type >= 1 && (int)l.type <= 4;
}

MXHIP_API hipError_t hipMemAdvise_v2(const void *p, size_t bytes, hipMemoryAdvise advice,
                                     hipMemLocation place);
MXHIP_API hipError_t hipMemAdvise_v2(const void *p, size_t bytes, hipMemoryAdvise advice,
                                     hipMemLocation place) {
	int device;
	return place_of(place, &device) ? hipMemAdvise(p, bytes, advice, device)
	                                : mx_hip_return(hipErrorInvalidValue);
}

MXHIP_API hipError_t hipMemPrefetchAsync_v2(const void *p, size_t bytes, hipMemLocation place,
                                            unsigned flags, hipStream_t stream);
MXHIP_API hipError_t hipMemPrefetchAsync_v2(const void *p, size_t bytes, hipMemLocation place,
                                            unsigned flags, hipStream_t stream) {
	int device;
	return place_of(place, &device) && !flags ? hipMemPrefetchAsync(p, bytes, device, stream)
	                                          : mx_hip_return(hipErrorInvalidValue);
}

/* Each place is that of the ranges from its number in `first` on, up to that of the next. */
static bool is_batch(void *const *p, const size_t *bytes, size_t n, const hipMemLocation *places,
                     const size_t *first, size_t n_places, unsigned long long flags) {
	if (!p || !bytes || !n || !places || !first || !n_places || n_places > n || flags)
		return false;
	bool good = !first[0];
	for (size_t i = 0; i < n_places; i++) {
		int device;
		good = good && place_of(places[i], &device) && check_place(device) == hipSuccess &&
		       first[i] < n && (!i || first[i] > first[i - 1]);
	}
	return good;
}

MXHIP_API hipError_t hipMemPrefetchBatchAsync(void **p, size_t *bytes, size_t n,
                                              hipMemLocation *places, size_t *first,
                                              size_t n_places, unsigned long long flags,
                                              hipStream_t stream);
MXHIP_API hipError_t hipMemPrefetchBatchAsync(void **p, size_t *bytes, size_t n,
                                              hipMemLocation *places, size_t *first,
                                              size_t n_places, unsigned long long flags,
                                              hipStream_t stream) {
	if (!stream || !is_batch(p, bytes, n, places, first, n_places, flags))
		return mx_hip_return(hipErrorInvalidValue);
	for (size_t i = 0; i < n; i++)
		if (check_memory(p[i], bytes[i]) != hipSuccess)
			return mx_hip_return(hipErrorInvalidValue);
	hipError_t e = hipSuccess;
	for (size_t i = 0, k = 0; e == hipSuccess && i < n; i++) {
		k += k + 1 < n_places && first[k + 1] == i;
		e = hipMemPrefetchAsync_v2(p[i], bytes[i], places[k], 0, stream);
	}
	return e;
}

/* ---- reading it ---- */

/* The devices, then the host; what is left of the list is hipInvalidDeviceId. */
static void list_accessed_by(const void *p, size_t bytes, int *list, size_t n) {
	size_t used = 0;
	for (int i = 0; i <= mx_devices() && used < n; i++) {
		int device = i < mx_devices() ? i : hipCpuDeviceId;
		if (value_of(p, bytes, ACCESSED_BY, device, 0, 0))
			list[used++] = device;
	}
	while (used < n)
		list[used++] = INVALID;
}

/* Whether memory that takes no advice is coherent while a kernel runs, by the flags with which it
 * was allocated [ROCm/clr, rocdevice.cpp, Device::GetSvmAttributes]; false for other memory. */
static bool coherency_of(const void *p, size_t bytes, int *to) {
	enum { CONTIGUOUS = 4 }; /* hipDeviceMallocContiguous, which older headers lack */
	struct mx_allocation a;
	if (!p || !bytes || !mx_hip_is_allocation(p, bytes) || !mx_hip_about(p, &a))
		return false;
	bool coarse = !a.flags || a.flags == CONTIGUOUS;
	if (a.kind == MX_HOST_MEMORY)
		coarse = a.flags & hipHostMallocNonCoherent;
	else if (a.kind != MX_DEVICE_MEMORY)
		return false;
	*to = coarse ? hipMemRangeCoherencyModeCoarseGrain : hipMemRangeCoherencyModeFineGrain;
	return true;
}

MXHIP_API hipError_t hipMemRangeGetAttribute(void *data, size_t size, hipMemRangeAttribute what,
                                             const void *p, size_t bytes) {
	int *to = data;
	bool list = what == hipMemRangeAttributeAccessedBy;
	if (!to || !size || size % sizeof *to || (!list && size != sizeof *to))
		return mx_hip_return(hipErrorInvalidValue);
	if ((int)what == COHERENCY && coherency_of(p, bytes, to))
		return mx_hip_return(hipSuccess);
	hipError_t e = check_memory(p, bytes);
	if (e != hipSuccess)
		return e;
	switch ((int)what) {
	case READ_MOSTLY: *to = value_of(p, bytes, READ_MOSTLY, 0, 0, 0); break;
	case PREFERRED:
	case PREFETCHED: *to = value_of(p, bytes, (int)what, 0, INVALID, INVALID); break;
	case ACCESSED_BY: list_accessed_by(p, bytes, to, size / sizeof *to); break;
	case COHERENCY:
		*to = value_of(p, bytes, COHERENCY, 0, hipMemRangeCoherencyModeFineGrain,
		               hipMemRangeCoherencyModeIndeterminate);
		break;
	default: return mx_hip_return(hipErrorInvalidValue);
	}
	return mx_hip_return(hipSuccess);
}

MXHIP_API hipError_t hipMemRangeGetAttributes(void **data, size_t *sizes,
                                              hipMemRangeAttribute *what, size_t n, const void *p,
                                              size_t bytes) {
	bool good = data && sizes && what && n;
	hipError_t e = mx_hip_return(good ? hipSuccess : hipErrorInvalidValue);
	for (size_t i = 0; e == hipSuccess && i < n; i++)
		e = hipMemRangeGetAttribute(data[i], sizes[i], what[i], p, bytes);
	return e;
}
