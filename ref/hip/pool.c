/* Memory pools, and allocation in the order of a stream. Memory is allocated at once and freed in
 * the stream's order; a pool holds nothing in reserve. */
#include <inttypes.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "queue.h"

struct ihipMemPoolHandle_t {
	int device;
	bool managed;             /* its memory; otherwise it is the device's */
	_Atomic uint32_t devices; /* a bit for each other device that has access */
	int reuse[3];             /* hipMemPoolReuse...; they have no effect */
	uint64_t threshold;
	uint64_t most; /* bytes that it may have at once; or 0: any */
	_Atomic uint64_t high;
};

static const int default_reuse[3] = { 1, 1, 1 };
static struct ihipMemPoolHandle_t default_pools[MX_MOST_DEVICES];
static struct ihipMemPoolHandle_t graph_pools[MX_MOST_DEVICES]; /* of memory of graphs */
static struct ihipMemPoolHandle_t managed_pools[MX_MOST_DEVICES];
static _Atomic(hipMemPool_t) current[MX_MOST_DEVICES], current_managed[MX_MOST_DEVICES];

static void make_default(void) {
	for (int i = 0; i < MX_MOST_DEVICES; i++) {
		default_pools[i].device = graph_pools[i].device = managed_pools[i].device = i;
		managed_pools[i].managed = true;
		memcpy(default_pools[i].reuse, default_reuse, sizeof default_reuse);
		memcpy(managed_pools[i].reuse, default_reuse, sizeof default_reuse);
		current[i] = &default_pools[i];
		current_managed[i] = &managed_pools[i];
	}
}

static hipMemPool_t default_pool(int device) {
	static pthread_once_t once = PTHREAD_ONCE_INIT;
	pthread_once(&once, make_default);
	return &default_pools[device];
}

static hipMemPool_t graph_pool(int device) {
	default_pool(device);
	return &graph_pools[device];
}

/* The pool of hipMallocAsync. */
static hipMemPool_t current_pool(int device) {
	default_pool(device);
	return current[device];
}

static hipError_t check_pool(hipMemPool_t pool) {
	for (int i = 0; i < mx_devices(); i++)
		if (pool == default_pool(i) || pool == &managed_pools[i])
			return hipSuccess;
	if (mx_handle_is(MX_POOL, pool))
		return hipSuccess;
	return mx_hip_fail(hipErrorInvalidValue, "%p is not a live memory pool", (void *)pool);
}

/* ---- pools ---- */

MXHIP_API hipError_t hipMemPoolCreate(hipMemPool_t *pool, const hipMemPoolProps *props) {
	bool managed = props && props->allocType == hipMemAllocationTypeManaged;
	bool good = pool && props && (managed || props->allocType == hipMemAllocationTypePinned) &&
	            props->location.type == hipMemLocationTypeDevice &&
	            mx_device_check(props->location.id) == hipSuccess;
	if (!good)
		return mx_hip_return(hipErrorInvalidValue);
	if (props->handleTypes != hipMemHandleTypeNone)
		return mx_hip_fail(hipErrorNotSupported, "a pool that other processes share");
	struct ihipMemPoolHandle_t *made = calloc(1, sizeof *made);
	if (!made || !mx_handle_add(MX_POOL, made)) {
		free(made);
		return mx_hip_return(hipErrorOutOfMemory);
	}
	made->device = props->location.id;
	made->managed = managed;
	memcpy(&made->most, props->reserved, sizeof made->most); /* maxSize, since HIP 5.3 */
	memcpy(made->reuse, default_reuse, sizeof made->reuse);
	*pool = made;
	return mx_hip_return(hipSuccess);
}

/* Its allocations live on. */
MXHIP_API hipError_t hipMemPoolDestroy(hipMemPool_t pool) {
	if (!mx_handle_remove(MX_POOL, pool))
		return mx_hip_return(hipErrorInvalidValue);
	hipMemPool_t gone = pool;
	atomic_compare_exchange_strong(&current[pool->device], &gone, default_pool(pool->device));
	gone = pool;
	atomic_compare_exchange_strong(&current_managed[pool->device], &gone,
	                               &managed_pools[pool->device]);
	mx_hip_leave_pool(pool);
	free(pool);
	return mx_hip_return(hipSuccess);
}

static hipError_t get_pool(hipMemPool_t *pool, int device, hipMemPool_t (*which)(int)) {
	if (!pool)
		return mx_hip_return(hipErrorInvalidValue);
	hipError_t e = mx_device_check(device);
	if (e == hipSuccess)
		*pool = which(device);
	return e;
}

MXHIP_API hipError_t hipDeviceGetDefaultMemPool(hipMemPool_t *pool, int device) {
	return get_pool(pool, device, default_pool);
}

/* For the pool in use a wrong device is a wrong value, for the default pool it is a wrong device.
 */
MXHIP_API hipError_t hipDeviceGetMemPool(hipMemPool_t *pool, int device) {
	if (mx_device_check(device) != hipSuccess)
		return mx_hip_return(hipErrorInvalidValue);
	return get_pool(pool, device, current_pool);
}

MXHIP_API hipError_t hipDeviceSetMemPool(int device, hipMemPool_t pool) {
	if (mx_device_check(device) != hipSuccess)
		return mx_hip_return(hipErrorInvalidValue);
	hipError_t e = check_pool(pool);
	if (e == hipSuccess && pool->device != device)
		e = mx_hip_return(hipErrorInvalidDevice);
	if (e == hipSuccess)
		current[device] = pool;
	return e;
}

/* Where the pool in use of a device and a type is, of HIP 7.2; or NULL. */
static _Atomic(hipMemPool_t) *place_of(const hipMemLocation *place, hipMemAllocationType type) {
	bool good = place && place->type == hipMemLocationTypeDevice &&
	            mx_device_check(place->id) == hipSuccess;
	if (!good || (type != hipMemAllocationTypePinned && type != hipMemAllocationTypeManaged))
		return NULL;
	default_pool(place->id);
	return type == hipMemAllocationTypeManaged ? &current_managed[place->id]
	                                           : &current[place->id];
}

MXHIP_API hipError_t hipMemGetMemPool(hipMemPool_t *pool, hipMemLocation *place,
                                      hipMemAllocationType type) {
	_Atomic(hipMemPool_t) *at = place_of(place, type);
	if (!pool || !at)
		return mx_hip_return(hipErrorInvalidValue);
	*pool = *at;
	return mx_hip_return(hipSuccess);
}

MXHIP_API hipError_t hipMemSetMemPool(hipMemLocation *place, hipMemAllocationType type,
                                      hipMemPool_t pool) {
	_Atomic(hipMemPool_t) *at = place_of(place, type);
	if (!at || check_pool(pool) != hipSuccess || pool->device != place->id ||
	    pool->managed != (type == hipMemAllocationTypeManaged))
		return mx_hip_return(hipErrorInvalidValue);
	*at = pool;
	return mx_hip_return(hipSuccess);
}

MXHIP_API hipError_t hipMemPoolTrimTo(hipMemPool_t pool, size_t bytes) {
	(void)bytes; /* nothing is in reserve */
	return mx_hip_return(check_pool(pool));
}

/* ---- attributes ---- */

static uint64_t used(struct ihipMemPoolHandle_t *pool) {
	uint64_t now = mx_hip_allocated(pool, pool->device), high = pool->high;
	while (now > high && !atomic_compare_exchange_weak(&pool->high, &high, now))
		;
	return now;
}

static hipError_t get_attribute(hipMemPool_t pool, hipMemPoolAttr what, void *value) {
	uint64_t now = used(pool), high = pool->high;
	switch (what) {
	case hipMemPoolReuseFollowEventDependencies:
	case hipMemPoolReuseAllowOpportunistic:
	case hipMemPoolReuseAllowInternalDependencies:
		memcpy(value, &pool->reuse[what - 1], sizeof(int));
		break;
	case hipMemPoolAttrReleaseThreshold: memcpy(value, &pool->threshold, 8); break;
	case hipMemPoolAttrReservedMemCurrent:
	case hipMemPoolAttrUsedMemCurrent: memcpy(value, &now, 8); break;
	case hipMemPoolAttrReservedMemHigh:
	case hipMemPoolAttrUsedMemHigh: memcpy(value, &high, 8); break;
	default: return mx_hip_return(hipErrorInvalidValue);
	}
	return mx_hip_return(hipSuccess);
}

MXHIP_API hipError_t hipMemPoolGetAttribute(hipMemPool_t pool, hipMemPoolAttr what, void *value) {
	hipError_t e = check_pool(pool);
	return e == hipSuccess && value ? get_attribute(pool, what, value)
	                                : mx_hip_return(hipErrorInvalidValue);
}

/* A high watermark can only be reset. */
static hipError_t reset_high(struct ihipMemPoolHandle_t *pool, const void *value) {
	uint64_t to;
	memcpy(&to, value, sizeof to);
	if (to)
		return mx_hip_return(hipErrorInvalidValue);
	pool->high = 0;
	return mx_hip_return(hipSuccess);
}

MXHIP_API hipError_t hipMemPoolSetAttribute(hipMemPool_t pool, hipMemPoolAttr what, void *value) {
	hipError_t e = check_pool(pool);
	if (e != hipSuccess || !value)
		return mx_hip_return(hipErrorInvalidValue);
	switch (what) {
	case hipMemPoolReuseFollowEventDependencies:
	case hipMemPoolReuseAllowOpportunistic:
	case hipMemPoolReuseAllowInternalDependencies:
		memcpy(&pool->reuse[what - 1], value, sizeof(int));
		break;
	case hipMemPoolAttrReleaseThreshold: memcpy(&pool->threshold, value, 8); break;
	case hipMemPoolAttrReservedMemHigh:
	case hipMemPoolAttrUsedMemHigh: return reset_high(pool, value);
	default: return mx_hip_return(hipErrorInvalidValue);
	}
	return mx_hip_return(hipSuccess);
}

/* ---- access: the device that has the pool has it always ---- */

static hipError_t check_access(hipMemPool_t pool, const hipMemAccessDesc *d) {
	bool none = d->flags == hipMemAccessFlagsProtNone;
	if (d->location.type != hipMemLocationTypeDevice)
		return mx_hip_return(hipErrorInvalidValue);
	hipError_t e = mx_device_check(d->location.id);
	if (e != hipSuccess)
		return e;
	if (!none && d->flags != hipMemAccessFlagsProtReadWrite)
		return mx_hip_return(hipErrorInvalidValue);
	return mx_hip_return(none && d->location.id == pool->device ? hipErrorInvalidDevice
	                                                            : hipSuccess);
}

MXHIP_API hipError_t hipMemPoolSetAccess(hipMemPool_t pool, const hipMemAccessDesc *list,
                                         size_t n) {
	hipError_t e = check_pool(pool);
	if (e != hipSuccess || (n && !list))
		return mx_hip_return(hipErrorInvalidValue);
	if (n > (size_t)mx_devices())
		return mx_hip_return(hipErrorInvalidDevice);
	for (size_t i = 0; e == hipSuccess && i < n; i++)
		e = check_access(pool, &list[i]);
	for (size_t i = 0; e == hipSuccess && i < n; i++) {
		uint32_t bit = 1u << list[i].location.id;
		if (list[i].flags == hipMemAccessFlagsProtNone)
			pool->devices &= ~bit;
		else
			pool->devices |= bit;
	}
	if (e == hipSuccess)
		mx_hip_set_access(pool, pool->devices);
	return e;
}

MXHIP_API hipError_t hipMemPoolGetAccess(hipMemAccessFlags *flags, hipMemPool_t pool,
                                         hipMemLocation *location) {
	hipError_t e = check_pool(pool);
	if (e != hipSuccess || !flags || !location || location->type != hipMemLocationTypeDevice ||
	    mx_device_check(location->id) != hipSuccess)
		return mx_hip_return(hipErrorInvalidValue);
	bool has = location->id == pool->device || pool->devices >> location->id & 1;
	*flags = has ? hipMemAccessFlagsProtReadWrite : hipMemAccessFlagsProtNone;
	return mx_hip_return(hipSuccess);
}

/* ---- allocation in the order of a stream ---- */

static bool exceeds(hipMemPool_t pool, size_t bytes) {
	return pool->most && (bytes > pool->most || used(pool) > pool->most - bytes);
}

MXHIP_API hipError_t hipMallocFromPoolAsync(void **p, size_t bytes, hipMemPool_t pool,
                                            hipStream_t handle) {
	struct ihipStream_t *stream;
	if (!p)
		return mx_hip_return(hipErrorInvalidValue);
	*p = NULL;
	hipError_t e = check_pool(pool);
	if (e == hipSuccess)
		e = mx_stream_of(handle, &stream);
	if (e != hipSuccess || !bytes)
		return e;
	if (stream->capture)
		return mx_stream_allocate(stream, pool->device, bytes, p);
	if (exceeds(pool, bytes))
		mx_queue_drain(NULL); /* memory may be freed then */
	if (exceeds(pool, bytes))
		return mx_hip_fail(hipErrorOutOfMemory,
		                   "the pool may have %" PRIu64 " bytes at once", pool->most);
	*p = mx_hip_allocate(bytes,
	                     (struct mx_allocation){ .kind = pool->managed ? MX_MANAGED_MEMORY
	                                                                   : MX_DEVICE_MEMORY,
	                                             .pool = pool,
	                                             .device = pool->device,
	                                             .devices = pool->devices,
	                                             .until_reset = true });
	used(pool);
	return *p ? mx_stream_allocated(stream, *p, bytes) : mx_hip_return(hipErrorOutOfMemory);
}

MXHIP_API hipError_t hipMallocAsync(void **p, size_t bytes, hipStream_t stream) {
	return hipMallocFromPoolAsync(p, bytes, current_pool(mx_stream_device(stream)), stream);
}

MXHIP_API hipError_t hipFreeAsync(void *p, hipStream_t stream) {
	return p ? mx_stream_free(stream, p) : mx_hip_return(hipErrorInvalidValue);
}

/* ---- pools that processes share: none is, as hipMemPoolCreate refuses them ---- */

/* The kind of handle is not that of the pool. */
MXHIP_API hipError_t hipMemPoolExportToShareableHandle(void *handle, hipMemPool_t pool,
                                                       hipMemAllocationHandleType type,
                                                       unsigned flags) {
	(void)handle, (void)type, (void)flags;
	hipError_t e = check_pool(pool);
	return e == hipSuccess ? mx_hip_return(hipErrorInvalidValue) : e;
}

MXHIP_API hipError_t hipMemPoolImportFromShareableHandle(hipMemPool_t *pool, void *handle,
                                                         hipMemAllocationHandleType type,
                                                         unsigned flags) {
	if (!pool || !handle || flags || type == hipMemHandleTypeNone)
		return mx_hip_return(hipErrorInvalidValue);
	return mx_hip_fail(hipErrorNotSupported, "a pool that other processes share");
}

MXHIP_API hipError_t hipMemPoolExportPointer(hipMemPoolPtrExportData *data, void *p) {
	struct mx_allocation a;
	if (!data || !mx_hip_about(p, &a))
		return mx_hip_return(hipErrorInvalidValue);
	return mx_hip_fail(hipErrorNotSupported, "memory of a pool that other processes share");
}

MXHIP_API hipError_t hipMemPoolImportPointer(void **p, hipMemPool_t pool,
                                             hipMemPoolPtrExportData *data) {
	if (!p || !data || check_pool(pool) != hipSuccess)
		return mx_hip_return(hipErrorInvalidValue);
	return mx_hip_fail(hipErrorNotSupported, "memory of a pool that other processes share");
}

/* ---- memory of graphs ---- */

void *mx_pool_reserve(int device, size_t bytes) {
	return mx_hip_allocate(bytes, (struct mx_allocation){ .kind = MX_GRAPH_MEMORY,
	                                                      .pool = graph_pool(device),
	                                                      .device = device,
	                                                      .graph = { .nodes = 1 } });
}

void mx_pool_allocate(void *p) {
	struct mx_allocation a;
	mx_hip_graph_step(p, MX_GRAPH_FREE);
	mx_hip_graph_step(p, MX_GRAPH_ALLOCATE);
	if (mx_hip_about(p, &a))
		used(a.pool);
}

/* The attribute of the device's pool for graphs. */
static bool attribute_of(hipGraphMemAttributeType what, hipMemPoolAttr *of) {
	static const hipMemPoolAttr all[] = {
		[hipGraphMemAttrUsedMemCurrent] = hipMemPoolAttrUsedMemCurrent,
		[hipGraphMemAttrUsedMemHigh] = hipMemPoolAttrUsedMemHigh,
		[hipGraphMemAttrReservedMemCurrent] = hipMemPoolAttrReservedMemCurrent,
		[hipGraphMemAttrReservedMemHigh] = hipMemPoolAttrReservedMemHigh,
	};
	bool known = (unsigned)what < sizeof all / sizeof *all;
	if (known)
		*of = all[what];
	return known;
}

MXHIP_API hipError_t hipDeviceGetGraphMemAttribute(int device, hipGraphMemAttributeType what,
                                                   void *value) {
	hipMemPoolAttr of;
	hipError_t e = mx_device_check(device);
	if (e != hipSuccess)
		return e;
	return value && attribute_of(what, &of) ? get_attribute(graph_pool(device), of, value)
	                                        : mx_hip_return(hipErrorInvalidValue);
}

MXHIP_API hipError_t hipDeviceSetGraphMemAttribute(int device, hipGraphMemAttributeType what,
                                                   void *value) {
	bool high = what == hipGraphMemAttrUsedMemHigh || what == hipGraphMemAttrReservedMemHigh;
	hipError_t e = mx_device_check(device);
	if (e != hipSuccess)
		return e;
	return value && high ? reset_high(graph_pool(device), value)
	                     : mx_hip_return(hipErrorInvalidValue);
}

MXHIP_API hipError_t hipDeviceGraphMemTrim(int device) {
	return mx_hip_return(mx_device_check(device));
}
