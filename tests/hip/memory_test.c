/* Kinds of memory, pools, pointers and contexts, as host programs use them. */
#include "runtime_test.h"

#include <pthread.h>

static hipModule_t probe;

static hipError_t copy(void *to, void *from) {
	hipFunction_t f;
	void *params[] = { &to, &from };
	must(hipModuleGetFunction(&f, probe, "copy"));
	hipError_t e = hipModuleLaunchKernel(f, 1, 1, 1, 64, 1, 1, 0, NULL, params, NULL);
	return e == hipSuccess ? hipDeviceSynchronize() : e;
}

static void is(hipError_t got, hipError_t want, const char *what) {
	if (!ok(got == want, "%s: %s", what, hipGetErrorName(want)))
		diag("got %s", hipGetErrorName(got));
}

/* Whether no byte was stored from unwritten ones. */
static bool all_written(const void *p, size_t n) {
	uint8_t states[256];
	must(mxhipStates(p, n, states) ? hipSuccess : hipErrorInvalidValue);
	for (size_t i = 0; i < n; i++)
		if (!(states[i] & MX_WRITTEN))
			return false;
	return true;
}

/* ---- host memory ---- */

static void test_registered(void) {
	uint32_t *mine = calloc(200, 4), *p = device_bytes(256);
	void *seen = NULL;
	unsigned flags = 9;
	for (unsigned i = 0; i < 64; i++)
		mine[i + 8] = 1000 + i;
	is(copy(p, mine + 8), hipErrorIllegalAddress, "a kernel that reads memory of the program");
	is(hipHostRegister(mine + 8, 256, 2), hipSuccess, "registering it");
	ok(hipHostGetDevicePointer(&seen, mine + 8, 0) == hipSuccess && seen == mine + 8 &&
	           hipHostGetFlags(&flags, mine + 8) == hipSuccess && flags == 2,
	   "it has the same address on the device, and its flags");
	ok(copy(p, mine + 8) == hipSuccess && !memcmp(p, mine + 8, 256) && all_written(p, 256),
	   "the kernel reads it then, and all of it counts as written");
	memset(p, 0xA5, 256);
	ok(copy(mine + 8, p) == hipSuccess && mine[8] == 0xA5A5A5A5 && mine[71] == 0xA5A5A5A5 &&
	           !mine[7] && !mine[72],
	   "and writes it, and nothing beside it");
	is(copy(mine + 9, p), hipErrorIllegalAddress, "past its end it faults");
	is(hipHostRegister(mine, 64, 0), hipErrorHostMemoryAlreadyRegistered,
	   "registering a part of it again");
	is(hipHostRegister(p, 4, 0), hipErrorHostMemoryAlreadyRegistered, "or device memory");
	is(hipFree(mine + 8), hipErrorInvalidValue, "it cannot be freed");
	is(hipHostUnregister(mine + 9), hipErrorHostMemoryNotRegistered, "it ends by its start");
	is(hipHostUnregister(mine + 8), hipSuccess, "which ends it");
	is(hipHostUnregister(mine + 8), hipErrorHostMemoryNotRegistered, "once");
	is(hipHostUnregister(p), hipErrorHostMemoryNotRegistered, "device memory is none");
	is(copy(p, mine + 8), hipErrorIllegalAddress, "the kernel cannot read it any more");
	must(hipFree(p));
	free(mine);
}

/* From inside one page to inside another, over whole pages. */
static void test_poison(void) {
	enum { BYTES = 3 << 20, FROM = 5000, N = (2 << 20) + 77 };
	static uint8_t states[BYTES];
	uint8_t *p = device_bytes(BYTES);
	must(hipMemset(p, 0x11, BYTES));
	bool done = mxhipPoison(p + FROM, N, 0xee) && mxhipStates(p, BYTES, states);
	for (size_t i = 0; i < BYTES; i++) {
		bool inside = i >= FROM && i < FROM + N;
		done &= p[i] == (inside ? 0xee : 0x11) && states[i] == (inside ? 0 : MX_WRITTEN);
	}
	ok(done, "poison has its value and counts as unwritten; bytes beside it are as before");
	ok(!mxhipPoison(p, BYTES + 1, 0) && p[0] == 0x11, "poison must lie in one allocation");
	must(hipFree(p));
}

static void test_freed_by_its_kind(void) {
	void *host, *device = device_bytes(16), *managed;
	must(hipHostMalloc(&host, 16, 0));
	must(hipMallocManaged(&managed, 16, hipMemAttachGlobal));
	is(hipHostFree(device), hipErrorInvalidValue, "hipHostFree of device memory");
	is(hipHostMalloc(&host, 16, 0x100), hipErrorInvalidValue, "an unknown flag of host memory");
	is(hipHostMalloc(&host, 16, 0xC0000000), hipErrorInvalidValue, "coherent and not coherent");
	is(hipMallocManaged(&managed, 16, 7), hipErrorInvalidValue, "an unknown kind of managed");
	is(hipMallocManaged(&managed, 0, hipMemAttachGlobal), hipErrorInvalidValue,
	   "0 bytes of it");
	is(hipHostFree(host), hipSuccess, "hipHostFree of host memory");
	is(hipFree(device), hipSuccess, "hipFree of device memory");
	is(hipMemAdvise(managed, 16, hipMemAdviseSetReadMostly, 0), hipSuccess,
	   "advice on managed memory");
	is(hipMemAdvise(managed, 17, hipMemAdviseSetReadMostly, 0), hipErrorInvalidValue,
	   "and past its end");
	is(hipMemAdvise(managed, 16, hipMemAdviseSetReadMostly, 4), hipErrorInvalidDevice,
	   "for another device");
	is(hipMemAdvise(managed, 16, (hipMemoryAdvise)50, 0), hipErrorInvalidValue, "of no kind");
	is(hipMemPrefetchAsync(managed, 16, hipCpuDeviceId, NULL), hipSuccess, "a prefetch");
	is(hipMemPrefetchAsync(managed, 16, 1, NULL), hipErrorInvalidDevice, "to no device");
	is(hipFree(managed), hipSuccess, "hipFree of managed memory");
}

/* ---- pointers ---- */

/* hipMemoryType of HIP 7. */
enum { HOST = 1, DEVICE = 2, MANAGED = 3 };

static void test_pointer(void *p, size_t bytes, int type, const char *what) {
	hipPointerAttribute_t a;
	int number = -1, ordinal = -1;
	bool managed = false;
	void *start = NULL;
	uint32_t size = 0;
	must(hipPointerGetAttributes(&a, (char *)p + 3));
	must(hipPointerGetAttribute(&number, HIP_POINTER_ATTRIBUTE_MEMORY_TYPE, (char *)p + 3));
	must(hipPointerGetAttribute(&start, HIP_POINTER_ATTRIBUTE_RANGE_START_ADDR, (char *)p + 3));
	void *values[] = { &size, &managed, &ordinal };
	hipPointer_attribute three[] = { HIP_POINTER_ATTRIBUTE_RANGE_SIZE,
		                         HIP_POINTER_ATTRIBUTE_IS_MANAGED,
		                         HIP_POINTER_ATTRIBUTE_DEVICE_ORDINAL };
	must(hipDrvPointerGetAttributes(3, three, values, p));
	ok((int)a.memoryType == type && number == type && !a.device && !ordinal && start == p &&
	           size == bytes && managed == (type == MANAGED) && a.isManaged == managed &&
	           a.devicePointer == (char *)p + 3 &&
	           a.hostPointer == (type == DEVICE ? NULL : (char *)p + 3),
	   "what a pointer to %s memory is", what);
}

static void test_pointers(void) {
	void *device = device_bytes(100), *host, *managed, *mine = malloc(100);
	hipPointerAttribute_t a;
	int type = 9;
	void *values[] = { &type };
	hipPointer_attribute what[] = { HIP_POINTER_ATTRIBUTE_MEMORY_TYPE };
	must(hipHostMalloc(&host, 100, 0));
	must(hipMallocManaged(&managed, 100, hipMemAttachGlobal));
	must(hipHostRegister(mine, 100, 0));
	test_pointer(device, 100, DEVICE, "device");
	test_pointer(host, 100, HOST, "host");
	test_pointer(managed, 100, MANAGED, "managed");
	test_pointer(mine, 100, HOST, "registered");
	must(hipHostUnregister(mine));
	is(hipPointerGetAttributes(&a, mine), hipErrorInvalidValue,
	   "memory of the program is none");
	ok(hipDrvPointerGetAttributes(1, what, values, mine) == hipSuccess && !type,
	   "for the driver API it is of type 0");
	is(hipPointerGetAttributes(&a, (char *)device + 100), hipErrorInvalidValue,
	   "nor is what is past an allocation");
	free(mine);
	must(hipFree(device));
	must(hipFree(managed));
	must(hipHostFree(host));
}

/* ---- pools ---- */

static void test_pools(void) {
	hipMemPoolProps props = { .allocType = hipMemAllocationTypePinned,
		                  .location = { hipMemLocationTypeDevice, 0 } };
	hipMemPool_t pool, first, now;
	void *p, *q;
	uint64_t used = 9, high = 9, zero = 0, some = 1 << 20;
	must(hipMemPoolCreate(&pool, &props));
	must(hipDeviceGetDefaultMemPool(&first, 0));
	must(hipMallocFromPoolAsync(&p, 5000, pool, NULL));
	must(hipMemPoolGetAttribute(pool, hipMemPoolAttrUsedMemCurrent, &used));
	ok(used == 5000, "memory comes from its pool");
	must(hipDeviceSetMemPool(0, pool));
	must(hipDeviceGetMemPool(&now, 0));
	must(hipMallocAsync(&q, 5000, NULL));
	must(hipMemPoolGetAttribute(pool, hipMemPoolAttrUsedMemCurrent, &used));
	ok(now == pool && used == 10000, "hipMallocAsync takes from the device's pool");
	must(hipFreeAsync(p, NULL));
	must(hipFreeAsync(q, NULL));
	must(hipStreamSynchronize(NULL));
	must(hipMemPoolGetAttribute(pool, hipMemPoolAttrUsedMemCurrent, &used));
	must(hipMemPoolGetAttribute(pool, hipMemPoolAttrUsedMemHigh, &high));
	ok(!used && high == 10000, "freeing gives it back, and the watermark stays");
	is(hipMemPoolSetAttribute(pool, hipMemPoolAttrUsedMemHigh, &some), hipErrorInvalidValue,
	   "a watermark of 1 MiB");
	must(hipMemPoolSetAttribute(pool, hipMemPoolAttrUsedMemHigh, &zero));
	must(hipMemPoolSetAttribute(pool, hipMemPoolAttrReleaseThreshold, &some));
	must(hipMemPoolGetAttribute(pool, hipMemPoolAttrReleaseThreshold, &used));
	must(hipMemPoolGetAttribute(pool, hipMemPoolAttrUsedMemHigh, &high));
	ok(used == some && !high, "attributes are kept");
	must(hipMemPoolDestroy(pool));
	must(hipDeviceGetMemPool(&now, 0));
	ok(now == first, "a pool that is destroyed is the device's no more");
	is(hipMemPoolDestroy(pool), hipErrorInvalidValue, "it is destroyed once");
	is(hipMemPoolDestroy(first), hipErrorInvalidValue, "the default pool lives on");
	is(hipMallocFromPoolAsync(&p, 4, pool, NULL), hipErrorInvalidValue, "taking from it then");
	props.location.id = 1;
	is(hipMemPoolCreate(&pool, &props), hipErrorInvalidValue, "a pool of another device");
}

/* ---- contexts ---- */

#pragma GCC diagnostic ignored "-Wdeprecated-declarations"

static void *current_here(void *c) {
	must(hipCtxGetCurrent(c));
	return NULL;
}

static void test_contexts(void) {
	hipCtx_t c, now, there = NULL;
	unsigned flags;
	int active = -1, before = -1;
	pthread_t thread;
	must(hipDevicePrimaryCtxGetState(0, &flags, &before));
	must(hipDevicePrimaryCtxRetain(&c, 0));
	must(hipDevicePrimaryCtxGetState(0, &flags, &active));
	ok(!before && active == 1, "retaining the primary context makes it active");
	must(hipCtxPushCurrent(c));
	must(hipCtxGetCurrent(&now));
	pthread_create(&thread, NULL, current_here, &there);
	pthread_join(thread, NULL);
	ok(now == c && there == c, "it is the current one, of each thread");
	ok(hipCtxPopCurrent(&now) == hipSuccess && now == c &&
	           hipCtxPopCurrent(&now) == hipErrorInvalidContext,
	   "it is popped once");
	is(hipCtxSetCurrent((hipCtx_t)&active), hipErrorInvalidContext, "another context");
	must(hipCtxSetCurrent(c));
	must(hipCtxSetCurrent(NULL));
	must(hipDevicePrimaryCtxRelease(0));
	must(hipDevicePrimaryCtxGetState(0, &flags, &active));
	ok(!active, "it ends with its last user");
	is(hipDevicePrimaryCtxRetain(&c, 1), hipErrorInvalidDevice, "a context of another device");
}

/* ---- rows, and several copies at once ---- */

hipError_t hipMemsetD2D16(hipDeviceptr_t to, size_t pitch, unsigned short value, size_t width,
                          size_t height);
hipError_t hipMemsetD2D32(hipDeviceptr_t to, size_t pitch, unsigned value, size_t width,
                          size_t height);
hipError_t hipMemcpyBatchAsync(void **to, void **from, size_t *bytes, size_t n, void *attributes,
                               size_t *indices, size_t n_attributes, size_t *failed,
                               hipStream_t stream);

/* hipMemcpy3DBatchOp */
struct batch_box {
	struct batch_end {
		int type;
		void *at;
		size_t row, layer;
		hipMemLocation hint;
	} from, to;
	struct hipExtent extent;
	int order;
	unsigned flags;
};
hipError_t hipMemcpy3DBatchAsync(size_t n, struct batch_box *list, size_t *failed,
                                 unsigned long long flags, hipStream_t stream);

static void test_boxes(void) {
	enum { POINTER = 1, ARRAY = 2, BYTES = 4 * 3 * 2 };
	uint8_t *p = device_bytes(BYTES), *q = device_bytes(8 * 4 * 2), out[8 * 4 * 2];
	size_t failed = 9;
	struct batch_box all[] = {
		{ .from = { .type = POINTER, .at = p },
		  .to = { .type = POINTER, .at = q, .row = 8, .layer = 4 },
		  .extent = { 4, 3, 2 },
		  .order = 1 },
		{ .from = { .type = POINTER, .at = q },
		  .to = { .type = POINTER, .at = p + 4 },
		  .extent = { 4, 1, 1 },
		  .order = 3 },
	};
	for (uint8_t i = 0; i < BYTES; i++)
		p[i] = i;
	must(hipMemset(q, 99, sizeof out));
	must(hipMemcpy3DBatchAsync(2, all, &failed, 0, NULL));
	must(hipMemcpy(out, q, sizeof out, hipMemcpyDeviceToHost));
	ok(out[0] == 0 && out[4] == 99 && out[8] == 4 && out[32 + 16 + 3] == BYTES - 1 && p[4] == 0,
	   "boxes are copied one after the other, with rows and layers of their own");
	all[1].from.type = ARRAY;
	ok(hipMemcpy3DBatchAsync(2, all, &failed, 0, NULL) == hipErrorInvalidValue && failed == 1,
	   "the first that cannot be copied is known");
	ok(hipMemcpy3DBatchAsync(0, all, NULL, 0, NULL) == hipErrorInvalidValue &&
	           hipMemcpy3DBatchAsync(1, NULL, NULL, 0, NULL) == hipErrorInvalidValue &&
	           hipMemcpy3DBatchAsync(1, all, NULL, 1, NULL) == hipErrorInvalidValue,
	   "there are some, and no flags");
	must(hipFree(p));
	must(hipFree(q));
}

static void test_rows(void) {
	uint16_t *p = device_bytes(64), host[4] = { 0 };
	size_t bytes[] = { 2, 2 }, failed = 9;
	must(hipMemset(p, 0, 64));
	must(hipMemsetD2D16(p, 16, 0x1234, 2, 3));
	ok(p[0] == 0x1234 && p[1] == 0x1234 && !p[2] && p[17] == 0x1234 && !p[24],
	   "rows of two bytes are set");
	is(hipMemsetD2D32(p, 15, 1, 4, 2), hipErrorInvalidValue,
	   "rows that are wider than the pitch");
	hip_Memcpy2D m = { .srcMemoryType = hipMemoryTypeDevice,
		           .srcDevice = p,
		           .srcPitch = 16,
		           .srcXInBytes = 2,
		           .srcY = 1,
		           .dstMemoryType = hipMemoryTypeHost,
		           .dstHost = host,
		           .dstPitch = 4,
		           .WidthInBytes = 4,
		           .Height = 2 };
	must(hipMemcpyParam2D(&m));
	ok(host[0] == 0x1234 && !host[1] && host[2] == 0x1234 && !host[3], "and copied as a box");
	m.srcXInBytes = m.srcPitch = m.dstPitch = 0;
	must(hipMemcpyParam2D(&m));
	ok(!memcmp(host, p + 2, sizeof host), "without a pitch, rows are packed");
	is(hipMemcpyParam2D(NULL), hipErrorInvalidValue, "no box");
	must(hipMemcpyBatchAsync((void *[]){ p + 8, p + 9 }, (void *[]){ p, p + 1 }, bytes, 2, NULL,
	                         NULL, 0, &failed, NULL));
	must(hipStreamSynchronize(NULL));
	ok(p[8] == 0x1234 && p[9] == 0x1234, "copies in a batch");
	ok(hipMemcpyBatchAsync((void *[]){ p, NULL }, (void *[]){ p + 1, p }, bytes, 2, NULL, NULL,
	                       0, &failed, NULL) == hipErrorInvalidValue &&
	           failed == 1,
	   "the one that fails is named");
	must(hipFree(p));
}

/* ---- versions ---- */

/* Whether the version of p is another one than before. */
static bool changed(const void *p, uint64_t *version) {
	uint64_t now = mxhipVersion(p, 256);
	bool is = now != *version;
	*version = now;
	return is;
}

static void test_versions(void) {
	uint32_t *p = device_bytes(256), *from = device_bytes(256), *managed;
	uint64_t of_p = 0, of_from = 0;
	hipIpcMemHandle_t handle;
	ok(changed(p, &of_p) && changed(from, &of_from) && of_p != of_from,
	   "allocations have a version each");
	ok(!changed(p, &of_p), "which stays while nothing happens");
	must(hipMemcpyDtoH(managed = calloc(64, 4), (hipDeviceptr_t)p, 256));
	ok(!changed(p, &of_p), "or when memory is read");
	must(hipMemset(p, 1, 4));
	ok(changed(p, &of_p) && !changed(from, &of_from), "setting bytes of one changes its own");
	must(hipMemcpy(p, managed, 256, hipMemcpyHostToDevice));
	ok(changed(p, &of_p), "and so do a copy");
	must(mxhipMark(p, 4, 0) ? hipSuccess : hipErrorInvalidValue);
	ok(changed(p, &of_p), "a mark of states");
	must(copy(p, from));
	ok(changed(p, &of_p) && !changed(from, &of_from),
	   "and a launch that stores there; what it loads stays");
	free(managed);
	must(hipFree(p));
	p = device_bytes(256);
	ok(changed(p, &of_p), "another allocation at the same place has another version");
	ok(!mxhipVersion(p, 257), "bytes that are not inside one have none");
	must(hipMallocManaged((void **)&managed, 256, hipMemAttachGlobal));
	ok(!mxhipVersion(managed, 256), "nor has memory that the host program writes");
	must(hipIpcGetMemHandle(&handle, p));
	ok(!mxhipVersion(p, 256), "or that processes share");
	must(hipFree(managed));
	must(hipFree(p));
	must(hipFree(from));
}

int main(void) {
	must(hipModuleLoad(&probe, built("tests/hip/probe.gpu.co")));
	test_registered();
	test_poison();
	test_freed_by_its_kind();
	test_pointers();
	test_pools();
	test_contexts();
	test_rows();
	test_versions();
	test_boxes();
	must(hipModuleUnload(probe));
	return done_testing();
}
