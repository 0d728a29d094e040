/* Wrong arguments: the errors that AMD's own tests expect [ROCm/hip-tests, catch/unit; the folder
 * and the file of each group is above it]. */
#include <unistd.h>

#include "facts_test.h"

hipError_t hipStreamGetAttribute(hipStream_t stream, int id, void *value);
hipError_t hipStreamSetAttribute(hipStream_t stream, int id, const void *value);
hipError_t hipStreamCopyAttributes(hipStream_t to, hipStream_t from);
hipError_t hipModuleLaunchCooperativeKernel(hipFunction_t f, unsigned gx, unsigned gy, unsigned gz,
                                            unsigned bx, unsigned by, unsigned bz, unsigned lds,
                                            hipStream_t stream, void **params);
hipError_t hipExtModuleLaunchKernel(hipFunction_t f, uint32_t nx, uint32_t ny, uint32_t nz,
                                    uint32_t bx, uint32_t by, uint32_t bz, size_t lds,
                                    hipStream_t stream, void **params, void **extra,
                                    hipEvent_t start, hipEvent_t stop, uint32_t flags);
hipError_t hipPointerSetAttribute(const void *value, hipPointer_attribute what, hipDeviceptr_t p);
hipError_t hipMemPrefetchBatchAsync(void **p, size_t *bytes, size_t n, hipMemLocation *places,
                                    size_t *first, size_t n_places, unsigned long long flags,
                                    hipStream_t stream);
hipError_t hipDeviceSetLimit(enum hipLimit_t limit, size_t value);
hipChannelFormatDesc hipCreateChannelDesc(int x, int y, int z, int w, hipChannelFormatKind kind);

enum { PAGE = 4096 };

static char host[PAGE]; /* memory of the program that nothing registers */

/* ---- memory ---- */

/* memory/hipMallocPitch.cc, hipMallocManaged.cc, hipFree.cc, hipExtMallocWithFlags.cc;
 * printf/hipPrintfBasic.cc frees memory of the host by hipFree */
static void test_allocation(void) {
	void *p = (void *)8, *q;
	size_t pitch, most = SIZE_MAX;
	hipPitchedPtr box;
	is(hipMalloc(NULL, 1), InvalidValue);
	is(hipMallocPitch(NULL, &pitch, 1, 1), InvalidValue);
	is(hipMallocPitch(&p, NULL, 1, 1), InvalidValue);
	is(hipMallocPitch(&p, &pitch, 1, most), OutOfMemory);
	is(hipMemAllocPitch(NULL, &pitch, 1, 1, 4), InvalidValue);
	is(hipMemAllocPitch(&p, NULL, 1, 1, 4), InvalidValue);
	is(hipMemAllocPitch(&p, &pitch, 1, most, 4), OutOfMemory);
	is(hipMalloc3D(NULL, ((hipExtent){ 1, 1, 1 })), InvalidValue);
	is(hipMalloc3D(&box, ((hipExtent){ 1, most, 1 })), OutOfMemory);
	is(hipMalloc3D(&box, ((hipExtent){ 1, 1, most })), OutOfMemory);
	works(hipMallocPitch(&p, &pitch, 0, 1));
	ok(!p, "a width of 0 gives no memory");
	works(hipMallocPitch(&p, &pitch, 1, 0));
	ok(!p, "nor does a height of 0");
	is(hipMallocManaged(&p, most, hipMemAttachGlobal), OutOfMemory);
	size_t machine = (size_t)sysconf(_SC_PHYS_PAGES) * (size_t)sysconf(_SC_PAGESIZE);
	is(hipHostMalloc(&p, machine + machine / 20, 0), OutOfMemory);
	is(hipFree(host), InvalidValue);
	is(hipHostFree(host), InvalidValue);
	works(hipFree(NULL));
	works(hipHostFree(NULL));
	works(hipExtMallocWithFlags(&p, 8, 2));
	must(hipFree(p));
	is(hipExtMallocWithFlags(NULL, 8, 2), InvalidValue);
	is(hipExtMallocWithFlags(&p, 0, 2), InvalidValue);
	is(hipExtMallocWithFlags(&p, 16, 2), InvalidValue);
	is(hipExtMallocWithFlags(&p, 8, 5), InvalidValue);
	must(hipMalloc(&p, 64));
	must(hipFree(p));
	is(hipFree(p), InvalidValue);
	must(hipHostMalloc(&q, 64, 0));
	must(hipHostFree(q));
	is(hipHostFree(q), InvalidValue);
	must(hipHostMalloc(&q, 64, 0));
	works(hipFree(q));
	is(hipHostFree(q), InvalidValue);
	hipChannelFormatDesc d = hipCreateChannelDesc(8, 16, 32, 64, hipChannelFormatKindFloat);
	ok(d.x == 8 && d.y == 16 && d.z == 32 && d.w == 64 && d.f == hipChannelFormatKindFloat,
	   "elements are described without images");
}

/* memory/hipPointerSetAttribute.cc, hipDrvPtrGetAttributes.cc */
static void test_pointer_attributes(void) {
	const hipPointer_attribute sync = HIP_POINTER_ATTRIBUTE_SYNC_MEMOPS;
	hipPointer_attribute what = HIP_POINTER_ATTRIBUTE_MEMORY_TYPE;
	int on = 1, type = 0;
	void *p, *values[] = { &type };
	must(hipMalloc(&p, 4));
	works(hipPointerSetAttribute(&on, sync, p));
	is(hipPointerSetAttribute(NULL, sync, p), InvalidValue);
	is(hipPointerSetAttribute(&on, what, p), InvalidValue);
	is(hipPointerSetAttribute(&on, sync, NULL), InvalidValue);
	is(hipPointerSetAttribute(&on, sync, host), InvalidDevicePointer);
	works(hipDrvPointerGetAttributes(1, &what, values, host));
	is(hipDrvPointerGetAttributes(1, &what, values, NULL), InvalidValue);
	must(hipFree(p));
	is(hipPointerSetAttribute(&on, sync, p), InvalidDevicePointer);
}

/* memory/hipHostRegister.cc, hipHostGetFlags.cc, hipHostGetDevicePointer.cc, hipFree.cc */
static void test_host_memory(void) {
	static const unsigned good[] = { 0, 1, 8, 3, 0xb, 4, 0x80000000, 0x80000003 };
	unsigned flags = 0, n = 0;
	void *p, *q;
	for (size_t i = 0; i < COUNT(good); i++)
		n += hipHostRegister(host, 4, good[i]) == hipSuccess &&
		     hipHostUnregister(host) == hipSuccess;
	ok(n == COUNT(good), "memory is registered with each flag");
	is(hipHostRegister(host, 4, 0xf0), InvalidValue);
	is(hipHostRegister(host, 4, 0xfff2), InvalidValue);
	is(hipHostRegister(host, 4, 0xffffffff), InvalidValue);
	is(hipHostRegister(NULL, 1, 0), InvalidValue);
	is(hipHostRegister(host, 0, 0), InvalidValue);
	is(hipHostRegister(host, (size_t)64 << 40, 0), InvalidValue);
	must(hipHostRegister(host, 4, 0));
	is(hipHostFree(host), InvalidValue);
	works(hipHostGetDevicePointer(&p, host, 0));
	is(hipHostGetDevicePointer(&p, host, 1), InvalidValue);
	must(hipHostUnregister(host));
	must(hipMalloc(&p, 4));
	must(hipHostMalloc(&q, 4, 4 | 0x40000000));
	is(hipHostGetFlags(NULL, q), InvalidValue);
	is(hipHostGetFlags(&flags, p), InvalidValue);
	works(hipHostGetFlags(&flags, q));
	ok(flags == (4 | 0x40000000), "the flags are those of the allocation");
	must(hipFree(p));
	must(hipHostFree(q));
}

/* memory/hipMemsetNegative.cc */
static void test_sets(void) {
	enum { WIDTH = 184, HEIGHT = 57, DEPTH = 16 };
	hipExtent box = { WIDTH, HEIGHT, DEPTH }, wide = box, high = box, deep = box, none = { 0 };
	hipPitchedPtr p, narrow, past;
	size_t pitch;
	char *q;
	must(hipMallocPitch((void **)&q, &pitch, WIDTH, HEIGHT));
	must(hipMalloc3D(&p, box));
	is(hipMemset(NULL, 1, WIDTH), InvalidValue);
	is(hipMemset(host, 1, WIDTH), InvalidValue);
	is(hipMemsetAsync(host, 1, WIDTH, NULL), InvalidValue);
	is(hipMemsetD32(host, 1, WIDTH), InvalidValue);
	is(hipMemset(q + pitch * HEIGHT + 1, 1, WIDTH), InvalidValue);
	is(hipMemset2D(NULL, pitch, 1, WIDTH, HEIGHT), InvalidValue);
	is(hipMemset2D(host, pitch, 1, WIDTH, HEIGHT), InvalidValue);
	is(hipMemset2D(q, 1, 1, WIDTH, HEIGHT), InvalidValue);
	is(hipMemset2D(q, pitch, 1, pitch + 1, HEIGHT), InvalidValue);
	is(hipMemset2DAsync(q, pitch, 1, pitch + 1, HEIGHT, NULL), InvalidValue);
	is(hipMemset2D(q + pitch * HEIGHT + 1, pitch, 1, WIDTH, HEIGHT), InvalidValue);
	narrow = past = p;
	narrow.pitch = 1;
	past.ptr = (char *)p.ptr + p.pitch * HEIGHT * DEPTH + 1;
	wide.width = p.pitch + 1;
	high.height = deep.depth = SIZE_MAX;
	is(hipMemset3D((hipPitchedPtr){ 0 }, 1, box), InvalidValue);
	is(hipMemset3D(narrow, 1, box), InvalidValue);
	is(hipMemset3D(p, 1, wide), InvalidValue);
	is(hipMemset3D(p, 1, high), InvalidValue);
	is(hipMemset3D(p, 1, deep), InvalidValue);
	is(hipMemset3D(past, 1, box), InvalidValue);
	works(hipMemset3D(past, 1, none));
	must(hipFree(p.ptr));
	must(hipFree(q));
}

/* memory/hipPointerGetAttribute.cc, hipMemGetAddressRange.cc, hipMemPtrGetInfo.cc */
static void test_pointers(void) {
	char data[64], *p = device_bytes(100), *freed = device_bytes(100);
	hipDeviceptr_t base;
	size_t bytes = 1;
	must(hipFree(freed));
	is(hipMemGetAddressRange(&base, &bytes, NULL), NotFound);
	is(hipMemGetAddressRange(&base, &bytes, freed), NotFound);
	is(hipMemPtrGetInfo(freed, &bytes), InvalidValue);
	works(hipMemPtrGetInfo(NULL, &bytes));
	ok(!bytes, "a null pointer has 0 bytes");
	uint32_t id[2];
	must(hipPointerGetAttribute(&id[0], HIP_POINTER_ATTRIBUTE_BUFFER_ID, p));
	must(hipFree(p));
	p = device_bytes(100);
	must(hipPointerGetAttribute(&id[1], HIP_POINTER_ATTRIBUTE_BUFFER_ID, p));
	ok(id[0] != id[1], "an allocation has an id of its own");
	is(hipPointerGetAttribute(NULL, HIP_POINTER_ATTRIBUTE_DEVICE_POINTER, p), InvalidValue);
	is(hipPointerGetAttribute(data, HIP_POINTER_ATTRIBUTE_DEVICE_POINTER, NULL), InvalidValue);
	is(hipPointerGetAttribute(data, HIP_POINTER_ATTRIBUTE_DEVICE_POINTER, freed), InvalidValue);
	is(hipPointerGetAttribute(data, HIP_POINTER_ATTRIBUTE_RANGE_START_ADDR, host),
	   InvalidValue);
	is(hipPointerGetAttribute(data, HIP_POINTER_ATTRIBUTE_HOST_POINTER, p), InvalidValue);
	is(hipPointerGetAttribute(data, HIP_POINTER_ATTRIBUTE_BUFFER_ID, host), InvalidValue);
	is(hipPointerGetAttribute(data, (hipPointer_attribute)-1, p), InvalidValue);
	is(hipPointerGetAttribute(data, HIP_POINTER_ATTRIBUTE_IS_GPU_DIRECT_RDMA_CAPABLE, p),
	   NotSupported);
	is(hipPointerGetAttribute(data, HIP_POINTER_ATTRIBUTE_MEMPOOL_HANDLE, p), NotSupported);
	is(hipPointerGetAttribute(data, HIP_POINTER_ATTRIBUTE_CONTEXT, p), NotSupported);
	is(hipPointerGetAttribute(data, HIP_POINTER_ATTRIBUTE_P2P_TOKENS, p), NotSupported);
	is(hipPointerGetAttribute(data, HIP_POINTER_ATTRIBUTE_IS_LEGACY_HIP_IPC_CAPABLE, p),
	   NotSupported);
	is(hipPointerGetAttribute(data, HIP_POINTER_ATTRIBUTE_ALLOWED_HANDLE_TYPES, p),
	   NotSupported);
	must(hipFree(p));
}

#define MOSTLY      hipMemRangeAttributeReadMostly
#define PREFERRED   hipMemRangeAttributePreferredLocation
#define ACCESSED_BY hipMemRangeAttributeAccessedBy
#define PREFETCHED  hipMemRangeAttributeLastPrefetchLocation
#define COHERENCY   hipMemRangeAttributeCoherencyMode

static int range(hipMemRangeAttribute what, const void *p, size_t bytes) {
	int value = 77;
	must(hipMemRangeGetAttribute(&value, 4, what, p, bytes));
	return value;
}

/* memory/hipMemCoherencyTst.cc */
static void test_coherency(void) {
	enum {
		FINE = hipMemRangeCoherencyModeFineGrain,
		COARSE = hipMemRangeCoherencyModeCoarseGrain
	};
	char *device = device_bytes(PAGE), *fine, *pinned, *coarse, *managed;
	int data;
	must(hipExtMallocWithFlags((void **)&fine, PAGE, hipDeviceMallocFinegrained));
	must(hipHostMalloc((void **)&pinned, PAGE, 0));
	must(hipHostMalloc((void **)&coarse, PAGE, hipHostMallocNonCoherent));
	must(hipMallocManaged((void **)&managed, PAGE, hipMemAttachGlobal));
	ok(range(COHERENCY, device, PAGE) == COARSE && range(COHERENCY, fine, PAGE) == FINE &&
	           range(COHERENCY, pinned, PAGE) == FINE &&
	           range(COHERENCY, coarse, PAGE) == COARSE &&
	           range(COHERENCY, managed, PAGE) == FINE,
	   "memory is coherent by the call that allocates it");
	must(hipMemAdvise(managed, PAGE, hipMemAdviseSetCoarseGrain, 0));
	ok(range(COHERENCY, managed, PAGE) == COARSE, "managed memory also by advice");
	is(hipMemRangeGetAttribute(&data, 4, COHERENCY, &data, 4), InvalidValue);
	must(hipFree(device));
	must(hipFree(fine));
	must(hipFree(managed));
	must(hipHostFree(pinned));
	must(hipHostFree(coarse));
}

/* memory/hipMemRangeGetAttribute.cc, hipMemAdvise.cc, hipHostRegister.cc */
static void test_advice(void) {
	enum { NONE = hipInvalidDeviceId };
	char *p, *pinned, *device = device_bytes(PAGE);
	int list[4], data[4];
	must(hipMallocManaged((void **)&p, 3 * PAGE, hipMemAttachGlobal));
	must(hipHostMalloc((void **)&pinned, PAGE, 0));
	ok(range(MOSTLY, p, PAGE) == 0 && range(PREFERRED, p, PAGE) == NONE &&
	           range(PREFETCHED, p, PAGE) == NONE && range(ACCESSED_BY, p, PAGE) == NONE,
	   "without advice there is none");
	must(hipMemAdvise(p, PAGE, hipMemAdviseSetReadMostly, 0));
	must(hipMemAdvise(p, PAGE, hipMemAdviseSetPreferredLocation, hipCpuDeviceId));
	must(hipMemPrefetchAsync(p, PAGE, 1, NULL));
	ok(range(MOSTLY, p, PAGE) == 1 && range(PREFERRED, p, PAGE) == hipCpuDeviceId &&
	           range(PREFETCHED, p, PAGE) == 1,
	   "advice and prefetches can be read");
	ok(range(MOSTLY, p, 2 * PAGE) == 0 && range(PREFERRED, p, 2 * PAGE) == NONE &&
	           range(PREFETCHED, p, 2 * PAGE) == NONE,
	   "of a range all of which has them");
	must(hipMemAdvise(p, PAGE, hipMemAdviseUnsetReadMostly, 0));
	must(hipMemAdvise(p, PAGE, hipMemAdviseUnsetPreferredLocation, 0));
	ok(range(MOSTLY, p, PAGE) == 0 && range(PREFERRED, p, PAGE) == NONE, "and taken back");
	must(hipMemAdvise(p + PAGE / 2, PAGE, hipMemAdviseSetAccessedBy, hipCpuDeviceId));
	must(hipMemAdvise(p, 2 * PAGE, hipMemAdviseSetAccessedBy, 0));
	must(hipMemRangeGetAttribute(list, sizeof list, ACCESSED_BY, p, 2 * PAGE));
	ok(list[0] == 0 && list[1] == hipCpuDeviceId && list[2] == NONE && list[3] == NONE,
	   "whole pages are accessed by a list of devices");
	ok(range(ACCESSED_BY, p, 3 * PAGE) == NONE, "the next page is not");
	is(hipMemPrefetchAsync(NULL, 0, 2, NULL), InvalidValue);
	is(hipMemPrefetchAsync(p, PAGE, 2, NULL), InvalidDevice);
	is(hipMemAdvise(NULL, 0, hipMemAdviseSetReadMostly, 2), InvalidValue);
	is(hipMemRangeGetAttribute(NULL, 4, MOSTLY, p, PAGE), InvalidValue);
	is(hipMemRangeGetAttribute(data, 0, MOSTLY, p, PAGE), InvalidValue);
	is(hipMemRangeGetAttribute(data, 8, MOSTLY, p, PAGE), InvalidValue);
	is(hipMemRangeGetAttribute(data, 8, PREFERRED, p, PAGE), InvalidValue);
	is(hipMemRangeGetAttribute(data, 8, PREFETCHED, p, PAGE), InvalidValue);
	is(hipMemRangeGetAttribute(data, 10, ACCESSED_BY, p, PAGE), InvalidValue);
	is(hipMemRangeGetAttribute(data, 4, (hipMemRangeAttribute)999, p, PAGE), InvalidValue);
	is(hipMemRangeGetAttribute(data, 4, MOSTLY, NULL, PAGE), InvalidValue);
	is(hipMemRangeGetAttribute(data, 4, MOSTLY, device, PAGE), InvalidValue);
	is(hipMemRangeGetAttribute(data, 4, MOSTLY, pinned, PAGE), InvalidValue);
	is(hipMemRangeGetAttribute(data, 4, MOSTLY, p, 0), InvalidValue);
	is(hipMemAdvise(p, PAGE, (hipMemoryAdvise)-1, 0), InvalidValue);
	is(hipMemAdvise(p, 0, hipMemAdviseSetReadMostly, 0), InvalidValue);
	is(hipMemAdvise(NULL, PAGE, hipMemAdviseSetReadMostly, 0), InvalidValue);
	is(hipMemAdvise(device, PAGE, hipMemAdviseSetReadMostly, 0), InvalidValue);
	must(hipFree(p));
	must(hipMallocManaged((void **)&p, 3 * PAGE, hipMemAttachGlobal));
	ok(range(ACCESSED_BY, p, PAGE) == NONE, "advice ends with its memory");
	must(hipHostRegister(host, PAGE, 0));
	must(hipMemAdvise(host, PAGE, hipMemAdviseSetPreferredLocation, 1));
	ok(range(PREFERRED, host, PAGE) == 1, "registered memory takes advice");
	must(hipHostUnregister(host));
	must(hipHostFree(pinned));
	must(hipFree(device));
	must(hipFree(p));
}

/* memory/hipMemPrefetchBatchAsync.cc */
static void test_prefetched_batches(void) {
	hipMemLocation places[] = { { hipMemLocationTypeDevice, 1 }, { 2, 0 }, { 2, 0 } };
	size_t bytes[] = { PAGE, PAGE, PAGE }, first[] = { 0, 2, 1 }, second[] = { 1, 2 };
	hipStream_t s;
	void *all[3];
	must(hipStreamCreate(&s));
	for (unsigned i = 0; i < 3; i++)
		must(hipMallocManaged(&all[i], PAGE, hipMemAttachGlobal));
	works(hipMemPrefetchBatchAsync(all, bytes, 3, places, first, 2, 0, s));
	ok(range(PREFETCHED, all[0], PAGE) == 1 && range(PREFETCHED, all[1], PAGE) == 1 &&
	           range(PREFETCHED, all[2], PAGE) == -1,
	   "a place is that of all ranges up to that of the next");
	is(hipMemPrefetchBatchAsync(NULL, bytes, 3, places, first, 2, 0, s), InvalidValue);
	is(hipMemPrefetchBatchAsync(all, NULL, 3, places, first, 2, 0, s), InvalidValue);
	is(hipMemPrefetchBatchAsync(all, bytes, 0, places, first, 2, 0, s), InvalidValue);
	is(hipMemPrefetchBatchAsync(all, bytes, 3, NULL, first, 2, 0, s), InvalidValue);
	is(hipMemPrefetchBatchAsync(all, bytes, 3, places, NULL, 2, 0, s), InvalidValue);
	is(hipMemPrefetchBatchAsync(all, bytes, 3, places, first, 0, 0, s), InvalidValue);
	is(hipMemPrefetchBatchAsync(all, bytes, 3, places, first, 3, 0, s), InvalidValue);
	is(hipMemPrefetchBatchAsync(all, bytes, 2, places, first, 2, 0, s), InvalidValue);
	is(hipMemPrefetchBatchAsync(all, bytes, 1, places, first, 2, 0, s), InvalidValue);
	is(hipMemPrefetchBatchAsync(all, bytes, 3, places, second, 2, 0, s), InvalidValue);
	is(hipMemPrefetchBatchAsync(all, bytes, 3, places, first, 2, 1, s), InvalidValue);
	is(hipMemPrefetchBatchAsync(all, bytes, 3, places, first, 2, 0, NULL), InvalidValue);
	bytes[2] = 2 * PAGE;
	is(hipMemPrefetchBatchAsync(all, bytes, 3, places, first, 2, 0, s), InvalidValue);
	places[0].id = 2;
	is(hipMemPrefetchBatchAsync(all, bytes, 1, places, first, 1, 0, s), InvalidValue);
	for (unsigned i = 0; i < 3; i++)
		must(hipFree(all[i]));
	must(hipStreamDestroy(s));
}

/* memory/hipMemSetMemPool.cc, hipMemGetMemPool.cc, with two devices */
static void test_types_of_pools(void) {
	const hipMemAllocationType pinned = hipMemAllocationTypePinned,
				   managed = hipMemAllocationTypeManaged;
	hipMemPoolProps props = { .allocType = managed,
		                  .location = { hipMemLocationTypeDevice, 1 } };
	hipMemLocation zero = { hipMemLocationTypeDevice, 0 }, one = props.location,
		       none = { hipMemLocationTypeInvalid, 0 }, third = { one.type, 2 };
	hipMemPool_t pool, first, now;
	hipPointerAttribute_t a;
	void *p;
	hipMemPool_t others[8]; /* so many that pool has the place of a destroyed one below */
	for (unsigned i = 0; i < COUNT(others); i++)
		must(hipMemPoolCreate(&others[i], &props));
	for (unsigned i = 0; i < COUNT(others); i++)
		must(hipMemPoolDestroy(others[i]));
	must(hipMemPoolCreate(&pool, &props));
	works(hipMemGetMemPool(&first, &one, managed));
	works(hipMemSetMemPool(&one, managed, pool));
	works(hipMemGetMemPool(&now, &one, managed));
	ok(now == pool && now != first, "a device has a pool in use for managed memory");
	works(hipMemGetMemPool(&now, &one, pinned));
	works(hipDeviceGetMemPool(&first, 1));
	ok(now == first && now != pool, "and one for its own");
	is(hipMemSetMemPool(NULL, managed, pool), InvalidValue);
	is(hipMemSetMemPool(&zero, managed, pool), InvalidValue);
	is(hipMemSetMemPool(&none, managed, pool), InvalidValue);
	is(hipMemSetMemPool(&one, pinned, pool), InvalidValue);
	is(hipMemSetMemPool(&one, managed, NULL), InvalidValue);
	is(hipMemGetMemPool(NULL, &one, managed), InvalidValue);
	is(hipMemGetMemPool(&now, NULL, managed), InvalidValue);
	is(hipMemGetMemPool(&now, &third, managed), InvalidValue);
	is(hipMemGetMemPool(&now, &one, (hipMemAllocationType)0), InvalidValue);
	works(hipMallocFromPoolAsync(&p, 4, pool, NULL));
	ok(hipPointerGetAttributes(&a, p) == hipSuccess && a.isManaged && a.device == 1,
	   "a pool of managed memory has such");
	uint64_t used = 9;
	must(hipMemPoolGetAttribute(pool, hipMemPoolAttrUsedMemCurrent, &used));
	ok(used == 4, "it counts the bytes that are used");
	must(hipMemPoolDestroy(pool));
	must(hipMemPoolCreate(&pool, &props));
	must(hipMemPoolGetAttribute(pool, hipMemPoolAttrUsedMemCurrent, &used));
	ok(!used, "a new pool has none of what a destroyed one left");
	must(hipFreeAsync(p, NULL));
	must(hipDeviceSynchronize());
	works(hipMemSetMemPool(&one, managed, pool));
	must(hipMemPoolDestroy(pool));
	works(hipMemGetMemPool(&now, &one, managed));
	ok(now != pool, "a pool that is destroyed is not in use any more");
	is(hipMemSetMemPool(&one, managed, pool), InvalidValue);
}

/* memory/hipMemPoolSetGetAccess.cc, with two devices */
static void test_pool_access(void) {
	hipMemAccessDesc d[3] = { { { hipMemLocationTypeDevice, 0 },
		                    hipMemAccessFlagsProtReadWrite } };
	hipMemLocation at = { hipMemLocationTypeDevice, 0 };
	hipMemAccessFlags flags = hipMemAccessFlagsProtNone;
	hipMemPool_t pool;
	int can = 0, map = 0;
	must(hipDeviceGetAttribute(&can, (hipDeviceAttribute_t)88, 0));
	must(hipDeviceGetAttribute(&map, (hipDeviceAttribute_t)89, 0));
	ok(can == 1 && map == 1, "devices have memory pools and virtual memory");
	must(hipDeviceGetDefaultMemPool(&pool, 0));
	d[1] = d[2] = d[0];
	works(hipMemPoolGetAccess(&flags, pool, &at));
	ok(flags == hipMemAccessFlagsProtReadWrite, "a device has access to its pool");
	works(hipMemPoolSetAccess(pool, d, 2));
	is(hipMemPoolSetAccess(NULL, d, 1), InvalidValue);
	is(hipMemPoolSetAccess(pool, NULL, 1), InvalidValue);
	is(hipMemPoolSetAccess(pool, d, 3), InvalidDevice);
#define with(member, value, error)                                                                 \
	d[1] = d[0];                                                                               \
	d[1].member = value;                                                                       \
	is(hipMemPoolSetAccess(pool, &d[1], 1), error)
	with(location.type, hipMemLocationTypeInvalid, InvalidValue);
	with(location.id, 2, InvalidDevice);
	with(location.id, -1, InvalidDevice);
	with(flags, (hipMemAccessFlags)0xffff, InvalidValue);
	with(flags, hipMemAccessFlagsProtNone, InvalidDevice);
#undef with
	is(hipMemPoolGetAccess(&flags, NULL, &at), InvalidValue);
	is(hipMemPoolGetAccess(NULL, pool, &at), InvalidValue);
	at.id = 2;
	is(hipMemPoolGetAccess(&flags, pool, &at), InvalidValue);
	at = (hipMemLocation){ hipMemLocationTypeInvalid, 0 };
	is(hipMemPoolGetAccess(&flags, pool, &at), InvalidValue);
}

/* memory/hipMemPoolCreate.cc, hipFreeAsync.cc */
static void test_size_of_pool(void) {
	hipMemPoolProps props = { .allocType = hipMemAllocationTypePinned,
		                  .location = { hipMemLocationTypeDevice, 0 } };
	hipMemPool_t pool;
	hipStream_t s;
	void *p, *q;
	memcpy(props.reserved, &(size_t){ 2 * PAGE }, sizeof(size_t)); /* maxSize */
	must(hipStreamCreate(&s));
	must(hipMemPoolCreate(&pool, &props));
	works(hipMallocFromPoolAsync(&p, PAGE, pool, s));
	is(hipMallocFromPoolAsync(&q, PAGE + 1, pool, s), OutOfMemory);
	is(hipMallocFromPoolAsync(&q, SIZE_MAX, pool, s), OutOfMemory);
	must(hipFreeAsync(p, s));
	works(hipMallocFromPoolAsync(&q, 2 * PAGE, pool, s));
	must(hipFreeAsync(q, s));
	is(hipFreeAsync(NULL, s), InvalidValue);
	must(hipMemPoolDestroy(pool));
	must(hipStreamDestroy(s));
}

/* memory/hipMemPoolSetGetAttribute.cc */
static void test_pools(void) {
	hipMemPool_t pool;
	int on = 0, off = 0;
	uint64_t threshold = 9, page = PAGE;
	must(hipDeviceGetDefaultMemPool(&pool, 0));
	must(hipMemPoolGetAttribute(pool, hipMemPoolReuseAllowOpportunistic, &on));
	must(hipMemPoolGetAttribute(pool, hipMemPoolAttrReleaseThreshold, &threshold));
	ok(on == 1 && threshold == 0, "a pool reuses memory, and keeps none");
	must(hipMemPoolSetAttribute(pool, hipMemPoolReuseAllowOpportunistic, &off));
	must(hipMemPoolSetAttribute(pool, hipMemPoolAttrReleaseThreshold, &page));
	must(hipMemPoolGetAttribute(pool, hipMemPoolReuseAllowOpportunistic, &on));
	must(hipMemPoolGetAttribute(pool, hipMemPoolAttrReleaseThreshold, &threshold));
	ok(!on && threshold == PAGE, "both can be changed");
	works(hipMemPoolSetAttribute(pool, hipMemPoolAttrUsedMemHigh, &(uint64_t){ 0 }));
	is(hipMemPoolSetAttribute(pool, hipMemPoolAttrUsedMemHigh, &page), InvalidValue);
	is(hipMemPoolGetAttribute(pool, (hipMemPoolAttr)99, &on), InvalidValue);
	is(hipMemPoolGetAttribute(pool, hipMemPoolAttrReleaseThreshold, NULL), InvalidValue);
	hipMemPoolPtrExportData data;
	void *p = device_bytes(8);
	const hipMemAllocationHandleType file = hipMemHandleTypePosixFileDescriptor;
	is(hipMemPoolExportToShareableHandle(&off, NULL, file, 0), InvalidValue);
	is(hipMemPoolExportToShareableHandle(&off, pool, file, 0), InvalidValue);
	is(hipMemPoolImportFromShareableHandle(NULL, &off, file, 0), InvalidValue);
	is(hipMemPoolImportFromShareableHandle(&pool, NULL, file, 0), InvalidValue);
	is(hipMemPoolImportFromShareableHandle(&pool, &off, hipMemHandleTypeNone, 0), InvalidValue);
	is(hipMemPoolImportFromShareableHandle(&pool, &off, file, 1), InvalidValue);
	is(hipMemPoolImportFromShareableHandle(&pool, &off, file, 0), NotSupported);
	is(hipMemPoolExportPointer(NULL, p), InvalidValue);
	is(hipMemPoolExportPointer(&data, NULL), InvalidValue);
	is(hipMemPoolExportPointer(&data, p), NotSupported);
	is(hipMemPoolImportPointer(NULL, pool, &data), InvalidValue);
	is(hipMemPoolImportPointer(&p, NULL, &data), InvalidValue);
	is(hipMemPoolImportPointer(&p, pool, NULL), InvalidValue);
	is(hipMemPoolImportPointer(&p, pool, &data), NotSupported);
	must(hipFree(p));
}

/* memory/hipStreamAttachMemAsync.cc */
static void test_attachment(void) {
	const unsigned all = hipMemAttachGlobal | hipMemAttachHost | hipMemAttachSingle;
	hipStream_t s;
	void *m, *p = device_bytes(PAGE);
	must(hipStreamCreate(&s));
	must(hipMallocManaged(&m, PAGE, hipMemAttachHost));
	works(hipStreamAttachMemAsync(s, m, 0, hipMemAttachSingle));
	works(hipStreamAttachMemAsync(s, m, PAGE, hipMemAttachHost));
	works(hipStreamAttachMemAsync(NULL, m, 0, hipMemAttachGlobal));
	is(hipStreamAttachMemAsync(s, NULL, 0, hipMemAttachSingle), InvalidValue);
	is(hipStreamAttachMemAsync(s, m, PAGE / 2, hipMemAttachSingle), InvalidValue);
	is(hipStreamAttachMemAsync(s, m, 0, all), InvalidValue);
	is(hipStreamAttachMemAsync(NULL, m, 0, hipMemAttachSingle), InvalidValue);
	is(hipStreamAttachMemAsync(s, host, PAGE, hipMemAttachSingle), InvalidValue);
	is(hipStreamAttachMemAsync(s, p, PAGE, hipMemAttachSingle), InvalidValue);
	must(hipStreamDestroy(s));
	must(hipFree(m));
	must(hipFree(p));
}

/* ---- devices, streams and events ---- */

/* device/hipDeviceEnableDisablePeerAccess.cc, hipGetSetDeviceFlags.cc, hipDeviceSetGetLimit.cc,
 * hipDeviceSetGetCacheConfig.cc, hipDeviceSetGetSharedMemConfig.cc */
static void test_devices(void) {
	unsigned flags = 9, kept = 0;
	size_t size;
	hipFuncCache_t cache;
	hipSharedMemConfig banks;
	is(hipDeviceEnablePeerAccess(-1, 0), InvalidDevice);
	is(hipDeviceEnablePeerAccess(2, 0), InvalidDevice);
	is(hipDeviceEnablePeerAccess(0, -1), InvalidValue);
	is(hipDeviceDisablePeerAccess(1), PeerAccessNotEnabled);
	works(hipDeviceEnablePeerAccess(1, 0));
	is(hipDeviceEnablePeerAccess(1, 0), PeerAccessAlreadyEnabled);
	works(hipDeviceDisablePeerAccess(1));
	is(hipDeviceDisablePeerAccess(1), PeerAccessNotEnabled);
	is(hipDeviceDisablePeerAccess(-1), InvalidDevice);
	is(hipGetDeviceFlags(NULL), InvalidValue);
	for (unsigned i = 0; i < 4; i++) {
		unsigned how = i ? 1u << (i - 1) : 0;
		must(hipSetDeviceFlags(how | hipDeviceMapHost | 0x10));
		must(hipGetDeviceFlags(&flags));
		kept += flags == how;
	}
	ok(kept == 4, "flags say how the host waits; the others are ignored");
	must(hipSetDeviceFlags(0));
	is(hipDeviceSetLimit((enum hipLimit_t) - 1, 1024), UnsupportedLimit);
	is(hipDeviceGetLimit(NULL, (enum hipLimit_t)0), InvalidValue);
	is(hipDeviceGetLimit(&size, (enum hipLimit_t) - 1), UnsupportedLimit);
	for (int i = hipFuncCachePreferNone; i <= hipFuncCachePreferEqual; i++)
		kept -= hipDeviceSetCacheConfig((hipFuncCache_t)i) == hipSuccess;
	must(hipDeviceGetCacheConfig(&cache));
	must(hipDeviceGetSharedMemConfig(&banks));
	ok(!kept && cache == hipFuncCachePreferNone && banks == hipSharedMemBankSizeFourByte,
	   "a preferred cache is accepted, and has no effect");
	is(hipDeviceSetCacheConfig((hipFuncCache_t)-1), InvalidValue);
	is(hipDeviceGetCacheConfig(NULL), InvalidValue);
	is(hipDeviceGetSharedMemConfig(NULL), InvalidValue);
}

/* device/hipDeviceReset.cc, hipDeviceSetGetMemPool.cc, hipDeviceGetPCIBusId.cc,
 * hipExtGetLinkTypeAndHopCount.cc */
static void test_reset(void) {
	hipMemPool_t pool;
	char id[16] = "################";
	unsigned flags = 1;
	uint32_t type, hops;
	void *p, *q;
	must(hipDeviceGetDefaultMemPool(&pool, 0));
	is(hipDeviceGetDefaultMemPool(&pool, -1), InvalidDevice);
	is(hipDeviceGetMemPool(&pool, -1), InvalidValue);
	is(hipDeviceGetMemPool(&pool, 2), InvalidValue);
	is(hipDeviceSetMemPool(-1, pool), InvalidValue);
	is(hipDeviceSetMemPool(2, pool), InvalidValue);
	is(hipDeviceGetPCIBusId(id, 6, 0), InvalidValue);
	ok(!strcmp(id, "0000:") && id[6] == '#', "as much of it as there is room for");
	is(hipExtGetLinkTypeAndHopCount(0, 2, &type, &hops), InvalidDevice);
	is(hipExtGetLinkTypeAndHopCount(0, -1, &type, &hops), InvalidValue);
	is(hipExtGetLinkTypeAndHopCount(-1, -2, &type, &hops), InvalidValue);
	must(hipSetDevice(1));
	must(hipMalloc(&q, 500));
	must(hipSetDevice(0));
	must(hipMalloc(&p, 500));
	must(hipSetDeviceFlags(hipDeviceScheduleBlockingSync));
	must(hipDeviceReset());
	must(hipGetDeviceFlags(&flags));
	ok(!flags, "a reset clears the device's flags");
	is(hipFree(p), InvalidValue);
	must(hipFree(q));
}

/* stream/hipStreamSetGetAttributes.cc, hipStreamValue.cc, hipStreamWaitEvent.cc */
static void test_streams(void) {
	enum { POLICY = 3, NO_ATTRIBUTE = -1 };
	int value[16] = { 0 }, kept = 0;
	hipStream_t s, wild = (hipStream_t)(uintptr_t)0xffff;
	hipEvent_t event;
	uint32_t *word = device_bytes(8);
	must(hipStreamCreate(&s));
	must(hipEventCreate(&event));
	for (int i = 1; i <= 4; i++) {
		value[0] = i;
		must(hipStreamSetAttribute(s, POLICY, value));
		value[0] = 0;
		must(hipStreamGetAttribute(s, POLICY, value));
		kept += value[0] == i;
	}
	ok(kept == 4, "a stream keeps each policy of waiting");
	value[0] = -1;
	is(hipStreamSetAttribute(s, POLICY, value), InvalidValue);
	is(hipStreamSetAttribute(s, NO_ATTRIBUTE, value), InvalidValue);
	is(hipStreamSetAttribute(s, POLICY, NULL), InvalidValue);
	is(hipStreamSetAttribute((hipStream_t)-1, POLICY, value), InvalidHandle);
	is(hipStreamGetAttribute(s, NO_ATTRIBUTE, value), InvalidValue);
	is(hipStreamGetAttribute(s, POLICY, NULL), InvalidValue);
	is(hipStreamGetAttribute((hipStream_t)-1, POLICY, value), InvalidHandle);
	must(hipStreamCopyAttributes(NULL, s));
	must(hipStreamGetAttribute(NULL, POLICY, value));
	ok(value[0] == 4, "another one gets it");
	is(hipStreamCopyAttributes(s, (hipStream_t)-1), InvalidHandle);
	is(hipStreamCopyAttributes((hipStream_t)-1, s), InvalidHandle);
	is(hipStreamWriteValue32(s, NULL, 0, 0), InvalidValue);
	is(hipStreamWriteValue64(s, NULL, 0, 0), InvalidValue);
	is(hipStreamWaitValue32(s, NULL, 0, hipStreamWaitValueGte, -1u), InvalidValue);
	is(hipStreamWaitValue64(s, NULL, 0, hipStreamWaitValueGte, -1ull), InvalidValue);
	is(hipStreamWriteValue32(wild, word, 0, 0), ContextIsDestroyed);
	is(hipStreamWaitValue64(wild, word, 0, hipStreamWaitValueGte, -1ull), ContextIsDestroyed);
	is(hipStreamWaitValue32(s, word, 0, -1u, -1u), InvalidValue);
	is(hipStreamWaitEvent(s, NULL, 0), InvalidHandle);
	is(hipStreamWaitEvent(NULL, event, -1u), InvalidValue);
	is(hipStreamWaitEvent(hipStreamPerThread, NULL, 0), InvalidHandle);
	must(hipEventDestroy(event));
	must(hipStreamDestroy(s));
	must(hipFree(word));
}

/* event/Unit_hipEvent_Negative.cc, Unit_hipEventElapsedTime.cc */
static void test_events(void) {
	float ms;
	void *p;
	hipEvent_t e, untimed, other;
	is(hipEventCreateWithFlags(&e, hipEventInterprocess), InvalidValue);
	is(hipEventCreateWithFlags(&e, hipEventReleaseToDevice | hipEventReleaseToSystem),
	   InvalidValue);
	is(hipEventCreateWithFlags(&e, 0x08000000), InvalidValue);
	is(hipEventCreateWithFlags(NULL, 0), InvalidValue);
	is(hipEventSynchronize(NULL), InvalidHandle);
	is(hipEventQuery(NULL), InvalidHandle);
	is(hipEventDestroy(NULL), InvalidHandle);
	must(hipEventCreate(&e));
	must(hipEventCreateWithFlags(&untimed, hipEventDisableTiming));
	is(hipEventElapsedTime(NULL, e, e), InvalidValue);
	is(hipEventElapsedTime(&ms, NULL, e), InvalidHandle);
	is(hipEventElapsedTime(&ms, e, NULL), InvalidHandle);
	is(hipEventElapsedTime(&ms, untimed, untimed), InvalidHandle);
	must(hipMalloc(&p, 4));
	must(hipMemsetAsync(p, 1, 4, NULL));
	must(hipEventRecord(e, NULL));
	is(hipEventElapsedTime(&ms, untimed, e), InvalidHandle);
	is(hipEventElapsedTime(&ms, e, e), NotReady);
	must(hipEventSynchronize(e));
	must(hipFree(p));
	must(hipSetDevice(1));
	must(hipEventCreate(&other));
	must(hipEventRecord(other, NULL));
	must(hipEventSynchronize(other));
	is(hipEventElapsedTime(&ms, e, other), InvalidHandle);
	must(hipSetDevice(0));
	must(hipEventDestroy(e));
	must(hipEventDestroy(untimed));
	must(hipEventDestroy(other));
}

/* ---- modules, launches and graphs ---- */

/* module/hipModuleNegative.cc, module/hipModuleLoad.cc */
static void test_modules(hipModule_t module) {
	static const uint8_t noise[2048] = { 67, 198, 105, 115 };
	hipModule_t m;
	hipFunction_t f;
	hipDeviceptr_t p;
	size_t bytes;
	is(hipModuleLoad(NULL, "x.co"), InvalidValue);
	is(hipModuleLoad(&m, NULL), InvalidValue);
	is(hipModuleLoad(&m, ""), InvalidValue);
	is(hipModuleLoad(&m, "/no/such.co"), FileNotFound);
	is(hipModuleLoad(&m, "/dev/null"), InvalidImage);
	is(hipModuleLoadData(NULL, noise), InvalidValue);
	is(hipModuleLoadData(&m, NULL), InvalidValue);
	is(hipModuleLoadData(&m, noise), InvalidImage);
	is(hipModuleLoadDataEx(&m, noise, 0, NULL, NULL), InvalidImage);
	is(hipModuleGetFunction(NULL, module, "copy"), InvalidValue);
	is(hipModuleGetFunction(&f, NULL, "copy"), InvalidHandle);
	is(hipModuleGetFunction(&f, module, "xyz"), NotFound);
	is(hipModuleGetFunction(&f, module, NULL), InvalidValue);
	is(hipModuleGetFunction(&f, module, ""), NotFound);
	is(hipModuleGetGlobal(&p, &bytes, module, "xyz"), NotFound);
	is(hipModuleGetGlobal(&p, &bytes, module, NULL), InvalidValue);
	is(hipModuleGetGlobal(&p, &bytes, module, ""), NotFound);
	is(hipModuleGetGlobal(&p, &bytes, NULL, "xyz"), InvalidHandle);
	is(hipModuleUnload(NULL), InvalidHandle);
}

static hipFunction_t copy;

static hipError_t launch(unsigned gx, unsigned gy, unsigned bx, unsigned by, unsigned lds) {
	void *p = NULL;
	return hipModuleLaunchKernel(copy, gx, gy, 1, bx, by, 1, lds, NULL, (void *[]){ &p, &p },
	                             NULL);
}

static hipError_t launch_items(uint32_t nx, uint32_t bx, uint32_t by, size_t lds) {
	void *p = NULL;
	return hipExtModuleLaunchKernel(copy, nx, 1, 1, bx, by, 1, lds, NULL, (void *[]){ &p, &p },
	                                NULL, NULL, NULL, 0);
}

/* module/hip_module_launch_kernel_common.hh */
static void test_launches(void) {
	enum { LDS = 160 << 10 };
	void *p = NULL, *params[] = { &p, &p }, *garbage[] = { &p, &p, &p, &p };
	size_t size = 16;
	void *extra[] = { HIP_LAUNCH_PARAM_BUFFER_POINTER, garbage, HIP_LAUNCH_PARAM_BUFFER_SIZE,
		          &size, HIP_LAUNCH_PARAM_END };
	is(hipModuleLaunchKernel(NULL, 1, 1, 1, 1, 1, 1, 0, NULL, NULL, NULL), InvalidHandle);
	is(launch(0, 1, 64, 1, 0), InvalidValue);
	is(launch(1, 0, 64, 1, 0), InvalidValue);
	is(launch(1, 1, 0, 1, 0), InvalidValue);
	is(launch(1, 1, 64, 0, 0), InvalidValue);
	is(launch(0x80000000, 1, 1, 1, 0), InvalidValue);
	is(launch(1, 65537, 1, 1, 0), InvalidValue);
	is(launch(1, 1, 1025, 1, 0), InvalidValue);
	is(launch(1, 1, 1, 1025, 0), InvalidValue);
	is(launch(1, 1, 64, 64, 0), InvalidValue);
	is(launch(1, 1, 64, 1, LDS + 1), InvalidValue);
	is(launch_items(0, 64, 1, 0), InvalidValue);
	is(launch_items(64, 0, 1, 0), InvalidConfiguration);
	is(launch_items(2048, 1025, 1, 0), InvalidConfiguration);
	is(launch_items(64, 64, 1, LDS + 1), InvalidValue);
	is(hipModuleLaunchKernel(copy, 1, 1, 1, 64, 1, 1, 0, NULL, params, extra), InvalidValue);
	is(hipModuleLaunchKernel(copy, 1, 1, 1, 64, 1, 1, 0, NULL, NULL, garbage), InvalidValue);
	is(hipModuleLaunchCooperativeKernel(copy, 1, 1, 1, 0, 1, 1, 0, NULL, params), InvalidValue);
	is(hipModuleLaunchCooperativeKernel(copy, 0, 1, 1, 64, 1, 1, 0, NULL, params),
	   InvalidValue);
}

/* occupancy/occupancy_common.hh */
static void test_occupancy(void) {
	int grid, block, n;
	is(hipModuleOccupancyMaxPotentialBlockSize(NULL, &block, copy, 0, 0), InvalidValue);
	is(hipModuleOccupancyMaxPotentialBlockSize(&grid, NULL, copy, 0, 0), InvalidValue);
	is(hipModuleOccupancyMaxActiveBlocksPerMultiprocessor(NULL, copy, 64, 0), InvalidValue);
	is(hipModuleOccupancyMaxActiveBlocksPerMultiprocessor(&n, copy, 0, 0), InvalidValue);
}

/* graph/graph_tests_common.hh, graph_memset_node_test_common.hh, hipGraphAddDependencies.cc,
 * hipGraphInstantiateWithFlags.cc, hipGraphAddChildGraphNode.cc */
static void test_graphs(void) {
	hipGraph_t g, other;
	hipGraphNode_t a, b, far, made;
	hipGraphExec_t exec;
	hipMemsetParams p = { .dst = device_bytes(16),
		              .elementSize = 4,
		              .width = 1,
		              .height = 1,
		              .value = 42 },
			bad;
	must(hipGraphCreate(&g, 0));
	must(hipGraphCreate(&other, 0));
	must(hipGraphAddEmptyNode(&a, g, NULL, 0));
	must(hipGraphAddEmptyNode(&b, g, NULL, 0));
	must(hipGraphAddEmptyNode(&far, other, NULL, 0));
	is(hipGraphAddMemsetNode(&made, NULL, NULL, 0, &p), InvalidValue);
	is(hipGraphAddMemsetNode(NULL, g, NULL, 0, &p), InvalidValue);
	is(hipGraphAddMemsetNode(&made, g, NULL, 1, &p), InvalidValue);
	is(hipGraphAddMemsetNode(&made, g, &far, 1, &p), InvalidValue);
	is(hipGraphAddMemsetNode(&made, g, ((hipGraphNode_t[]){ a, a }), 2, &p), InvalidValue);
	is(hipGraphAddMemsetNode(&made, g, NULL, 0, NULL), InvalidValue);
#define with(member, n)                                                                            \
	bad = p;                                                                                   \
	bad.member = n;                                                                            \
	is(hipGraphAddMemsetNode(&made, g, NULL, 0, &bad), InvalidValue)
	with(dst, NULL);
	with(elementSize, 3);
	with(width, 0);
	with(width, 1001);
	with(height, 0);
	bad = p;
	bad.width = bad.height = 2;
	bad.pitch = 4;
	is(hipGraphAddMemsetNode(&made, g, NULL, 0, &bad), InvalidValue);
	bad.pitch = 12;
	is(hipGraphAddMemsetNode(&made, g, NULL, 0, &bad), InvalidValue);
	is(hipGraphAddDependencies(NULL, &a, &b, 1), InvalidValue);
	is(hipGraphAddDependencies(g, &a, NULL, 1), InvalidValue);
	is(hipGraphAddDependencies(g, NULL, &a, 1), InvalidValue);
	is(hipGraphAddDependencies(g, &far, &a, 1), InvalidValue);
	is(hipGraphAddDependencies(g, &a, &far, 1), InvalidValue);
	is(hipGraphAddDependencies(g, &a, &a, 1), InvalidValue);
	works(hipGraphAddDependencies(g, NULL, NULL, 0));
	works(hipGraphAddDependencies(g, &a, &b, 1));
	is(hipGraphAddDependencies(g, &a, &b, 1), InvalidValue);
	is(hipGraphInstantiateWithFlags(NULL, g, 0), InvalidValue);
	is(hipGraphInstantiateWithFlags(&exec, NULL, 0), InvalidValue);
	is(hipGraphInstantiateWithFlags(&exec, g, 10), InvalidValue);
	is(hipGraphAddChildGraphNode(NULL, g, NULL, 0, other), InvalidValue);
	is(hipGraphAddChildGraphNode(&made, NULL, NULL, 0, other), InvalidValue);
	is(hipGraphAddChildGraphNode(&made, g, NULL, 0, NULL), InvalidValue);
	is(hipGraphAddChildGraphNode(&made, g, NULL, 10, other), InvalidValue);
	works(hipGraphAddChildGraphNode(&made, g, NULL, 0, g));
	must(hipGraphDestroy(g));
	must(hipGraphDestroy(other));
	must(hipFree(p.dst));
}

/* memory/hipHostRegister.cc, hipHostUnregister.cc, hipMemset.cc, event/Unit_hipEventElapsedTime.cc,
 * device/hipDeviceEnableDisablePeerAccess.cc: what a capture forbids, and what it does not */
static void test_captures(void) {
	hipStream_t s;
	hipGraph_t g;
	hipEvent_t e;
	float ms;
	int can;
	char *p = device_bytes(8);
	must(hipStreamCreate(&s));
	must(hipEventCreate(&e));
	must(hipEventRecord(e, NULL));
	must(hipEventSynchronize(e));
	must(hipStreamBeginCapture(s, hipStreamCaptureModeGlobal));
	works(hipEventElapsedTime(&ms, e, e));
	works(hipDeviceCanAccessPeer(&can, 0, 1));
	works(hipStreamEndCapture(s, &g));
	must(hipGraphDestroy(g));
	must(hipStreamBeginCapture(s, hipStreamCaptureModeGlobal));
	is(hipHostRegister(host, 8, 0), StreamCaptureUnsupported);
	is(hipStreamEndCapture(s, &g), StreamCaptureInvalidated);
	must(hipStreamBeginCapture(s, hipStreamCaptureModeGlobal));
	is(hipHostUnregister(host), StreamCaptureUnsupported);
	is(hipStreamEndCapture(s, &g), StreamCaptureInvalidated);
	must(hipStreamBeginCapture(s, hipStreamCaptureModeGlobal));
	is(hipStreamEndCapture(s, NULL), InvalidValue);
	is(hipMemset(p, 1, 8), StreamCaptureImplicit);
	is(hipStreamEndCapture(s, NULL), StreamCaptureInvalidated);
	is(hipStreamEndCapture(s, &g), IllegalState);
	must(hipEventDestroy(e));
	must(hipStreamDestroy(s));
	must(hipFree(p));
}

int main(void) {
	hipModule_t module;
	setenv("MXHIP_DEVICES", "2", 1);
	must(hipModuleLoad(&module, built("tests/hip/probe.gpu.co")));
	must(hipModuleGetFunction(&copy, module, "copy"));
	test_allocation();
	test_pointer_attributes();
	test_host_memory();
	test_sets();
	test_pointers();
	test_coherency();
	test_advice();
	test_prefetched_batches();
	test_types_of_pools();
	test_size_of_pool();
	test_pools();
	test_pool_access();
	test_attachment();
	test_devices();
	test_reset();
	test_streams();
	test_events();
	test_modules(module);
	test_launches();
	test_occupancy();
	test_graphs();
	test_captures();
	must(hipModuleUnload(module));
	return done_testing();
}
