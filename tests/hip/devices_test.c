/* Several devices: each has its own memory, streams, modules and identity. */
#include "runtime_test.h"

#include "../../ref/hip/props_r0600.h"

#include <pthread.h>

hipError_t hipGetDevicePropertiesR0600(struct mx_props_r0600 *p, int device);
hipError_t hipStreamGetDevice(hipStream_t stream, hipDevice_t *device);

/* hipMemcpy3DPeerParms */
struct peer_box {
	hipArray_t from_array;
	struct hipPos from_at;
	struct hipPitchedPtr from;
	int from_device;
	hipArray_t to_array;
	struct hipPos to_at;
	struct hipPitchedPtr to;
	int to_device;
	struct hipExtent extent;
};
hipError_t hipMemcpy3DPeer(const struct peer_box *b);
hipError_t hipMemcpy3DPeerAsync(const struct peer_box *b, hipStream_t stream);
hipError_t hipSetValidDevices(int *list, int n);
hipError_t hipChooseDeviceR0600(int *device, const struct mx_props_r0600 *p);
hipError_t hipModuleLaunchCooperativeKernelMultiDevice(void *list, unsigned n, unsigned flags);
void **__hipRegisterFatBinary(const void *data);
void __hipRegisterFunction(void **binary, const void *host, char *device_name, const char *name,
                           unsigned threads, void *tid, void *bid, dim3 *block, dim3 *grid,
                           int *wave);
void __hipUnregisterFatBinary(void **binary);

enum { DEVICES = 3 };

static hipModule_t modules[DEVICES];

static hipFunction_t add(int device) {
	hipFunction_t f;
	must(hipModuleGetFunction(&f, modules[device], "add"));
	return f;
}

static hipError_t launch(hipFunction_t f, uint32_t *p, uint32_t n, hipStream_t s) {
	return hipModuleLaunchKernel(f, 1, 1, 1, 1, 1, 1, 0, s, (void *[]){ &p, &n }, NULL);
}

/* A zero on each device. */
static void begin(uint32_t *p[DEVICES]) {
	for (int i = 0; i < DEVICES; i++) {
		must(hipSetDevice(i));
		p[i] = device_bytes(4);
		must(hipMemset(p[i], 0, 4));
	}
	must(hipSetDevice(0));
}

static void end(uint32_t *p[DEVICES]) {
	for (int i = 0; i < DEVICES; i++)
		must(hipFree(p[i]));
	must(hipSetDevice(0));
}

/* ---- identity ---- */

static void test_identity(void) {
	struct mx_props_r0600 a, b;
	char id[16];
	int n = 0, found = -1;
	ok(hipGetDeviceCount(&n) == hipSuccess && n == DEVICES &&
	           hipSetDevice(DEVICES) == hipErrorInvalidDevice,
	   "there are three devices");
	must(hipGetDevicePropertiesR0600(&a, 0));
	must(hipGetDevicePropertiesR0600(&b, 2));
	ok(memcmp(a.uuid, b.uuid, sizeof a.uuid) && a.pci_bus_id != b.pci_bus_id,
	   "each has a UUID and a bus of its own");
	must(hipDeviceGetPCIBusId(id, sizeof id, 2));
	ok(hipDeviceGetByPCIBusId(&found, id) == hipSuccess && found == 2,
	   "and is found by its bus");
}

static void *current_here(void *device) {
	must(hipGetDevice(device));
	return NULL;
}

static void test_current(void) {
	int here = -1, there = -1;
	hipDevice_t of_stream = -1;
	hipStream_t s;
	pthread_t thread;
	must(hipSetDevice(2));
	must(hipStreamCreate(&s));
	must(hipGetDevice(&here));
	pthread_create(&thread, NULL, current_here, &there);
	pthread_join(thread, NULL);
	ok(here == 2 && there == 0, "each thread has a current device, at first 0");
	must(hipSetDevice(0));
	must(hipStreamGetDevice(s, &of_stream));
	ok(of_stream == 2, "a stream is of the device on which it was made");
	must(hipStreamDestroy(s));
}

#pragma GCC diagnostic ignored "-Wdeprecated-declarations"

static void test_contexts(void) {
	hipCtx_t first, third, c;
	int device = -1;
	must(hipDevicePrimaryCtxRetain(&first, 0));
	must(hipDevicePrimaryCtxRetain(&third, 2));
	must(hipCtxPushCurrent(third));
	must(hipGetDevice(&device));
	ok(first != third && device == 2, "a context makes its device the current one");
	must(hipCtxPopCurrent(&c));
	must(hipGetDevice(&device));
	ok(c == third && device == 0, "until it is popped");
	must(hipCtxSetCurrent(third));
	must(hipGetDevice(&device));
	must(hipCtxSetCurrent(first));
	ok(device == 2, "so does one that is set");
	must(hipDevicePrimaryCtxRelease(0));
	must(hipDevicePrimaryCtxRelease(2));
}

/* ---- memory ---- */

static void test_memory(void) {
	hipPointerAttribute_t a;
	size_t before, after, total;
	must(hipMemGetInfo(&before, &total));
	must(hipSetDevice(1));
	void *p = device_bytes(1 << 20);
	must(hipSetDevice(0));
	must(hipMemGetInfo(&after, &total));
	must(hipPointerGetAttributes(&a, p));
	ok(a.device == 1 && before == after, "memory is of the current device, and taken from it");
	must(hipFree(p));
}

static void test_peers(void) {
	uint32_t *p[DEVICES];
	int can = -1, self = -1;
	begin(p);
	must(hipDeviceCanAccessPeer(&can, 0, 1));
	must(hipDeviceCanAccessPeer(&self, 1, 1));
	ok(can == 1 && self == 0, "a device can access others, and is no peer of itself");
	must(launch(add(0), p[1], 1, NULL));
	ok(hipDeviceSynchronize() == hipErrorIllegalAddress,
	   "a kernel that accesses another device's memory faults");
	must(hipDeviceEnablePeerAccess(1, 0));
	must(launch(add(0), p[1], 1, NULL));
	ok(hipDeviceSynchronize() == hipSuccess && *p[1] == 1, "unless access is enabled");
	ok(hipDeviceEnablePeerAccess(1, 0) == hipErrorPeerAccessAlreadyEnabled &&
	           hipDeviceEnablePeerAccess(0, 0) == hipErrorInvalidDevice &&
	           hipDeviceDisablePeerAccess(1) == hipSuccess &&
	           hipDeviceDisablePeerAccess(1) == hipErrorPeerAccessNotEnabled,
	   "it is enabled once, for others, and disabled once");
	must(hipMemcpyPeer(p[2], 2, p[1], 1, 4));
	ok(*p[2] == 1 && hipMemcpyPeer(p[2], 3, p[1], 1, 4) == hipErrorInvalidDevice,
	   "a copy needs no access, but devices");
	struct peer_box box = { .from = { p[1], 4, 4, 1 },
		                .from_device = 1,
		                .to = { p[0], 4, 4, 1 },
		                .extent = { 4, 1, 1 } };
	must(hipMemcpy3DPeer(&box));
	box.to_device = DEVICES;
	ok(*p[0] == 1 && hipMemcpy3DPeer(&box) == hipErrorInvalidDevice &&
	           hipMemcpy3DPeerAsync(NULL, NULL) == hipErrorInvalidValue,
	   "nor does one of three dimensions");
	end(p);
}

/* ---- work ---- */

static void test_modules(void) {
	uint32_t *p[DEVICES];
	hipDeviceptr_t first, third;
	begin(p);
	must(hipModuleGetGlobal(&first, NULL, modules[0], "counter"));
	must(hipModuleGetGlobal(&third, NULL, modules[2], "counter"));
	ok(first != third, "each device has its own variables");
	ok(launch(add(2), p[0], 1, NULL) == hipErrorInvalidHandle,
	   "a kernel does not run in the stream of another device");
	must(hipSetDevice(2));
	must(launch(add(2), p[2], 5, NULL));
	must(hipDeviceSynchronize());
	ok(*p[2] == 5, "but in one of its own");
	end(p);
}

static void test_streams(void) {
	uint32_t *p[DEVICES];
	hipEvent_t e;
	hipStream_t s;
	begin(p);
	must(hipEventCreate(&e));
	must(hipMemsetD32Async(p[0], 1, 1, NULL));
	must(hipEventRecord(e, NULL));
	must(hipSetDevice(1));
	ok(hipStreamQuery(NULL) == hipSuccess && hipEventQuery(e) == hipErrorNotReady,
	   "the legacy stream of each device is another one");
	must(hipStreamCreate(&s));
	ok(hipEventRecord(e, s) == hipErrorInvalidHandle,
	   "an event is recorded on its own device alone");
	must(hipSetDevice(0));
	must(hipMemsetD32Async(p[0], 1, 1, NULL));
	must(hipEventRecord(e, NULL));
	must(hipStreamWaitEvent(s, e, 0));
	must(hipMemcpyPeerAsync(p[1], 1, p[0], 0, 4, s));
	must(hipStreamSynchronize(s));
	ok(*p[1] == 1, "and waited for on any");
	must(hipMemsetD32Async(p[0], 2, 1, NULL));
	must(hipSetDevice(1));
	must(hipDeviceSynchronize());
	ok(hipEventQuery(e) == hipSuccess && *p[0] == 1,
	   "the synchronisation of a device is for its streams");
	must(hipStreamDestroy(s));
	must(hipEventDestroy(e));
	end(p);
}

static hipError_t valid(int n, int first, int second) {
	return hipSetValidDevices((int[]){ first, second }, n);
}

/* A thread that has not chosen a device. */
static void *take_valid(void *now) {
	hipError_t e = valid(2, 2, 1);
	must(hipGetDevice(now));
	return e == hipSuccess ? now : NULL;
}

static void test_choice(void) {
	struct mx_props_r0600 p = { 0 };
	pthread_t thread;
	void *good;
	int device = -1, now = -1;
	pthread_create(&thread, NULL, take_valid, &now);
	pthread_join(thread, &good);
	ok(good && now == 2, "the first of the valid devices is the current one");
	must(hipSetDevice(0));
	must(valid(2, 2, 1));
	must(hipGetDevice(&now));
	ok(!now, "after hipSetDevice it is not");
	ok(valid(1, 3, 0) == hipErrorInvalidDevice && valid(1, -1, 0) == hipErrorInvalidDevice &&
	           valid(-1, 0, 1) == hipErrorInvalidValue &&
	           valid(4, 0, 1) == hipErrorInvalidValue &&
	           hipSetValidDevices(NULL, 1) == hipErrorInvalidValue &&
	           valid(0, 9, 9) == hipSuccess,
	   "valid devices exist");
	ok(hipChooseDeviceR0600(&device, &p) == hipSuccess && !device &&
	           hipChooseDeviceR0600(NULL, &p) == hipErrorInvalidValue &&
	           hipChooseDeviceR0600(&device, NULL) == hipErrorInvalidValue,
	   "the first device is as good as any");
}

/* A kernel in streams of two devices, by its host symbol. */
static void test_launches(void) {
	static const char stub;
	size_t bytes;
	uint8_t *code = read_whole(built("tests/hip/probe.gpu.co"), &bytes);
	const struct {
		uint32_t magic, version;
		const void *image;
		void *unused;
	} wrapper = { 0x48495046, 1, code, NULL };
	void **binary = __hipRegisterFatBinary(&wrapper);
	__hipRegisterFunction(binary, &stub, "add", "add", -1u, NULL, NULL, NULL, NULL, NULL);
	uint32_t *p[DEVICES], n[] = { 5, 6 };
	hipLaunchParams list[2], bad[2];
	begin(p);
	for (int i = 0; i < 2; i++) {
		void **args = (void *[]){ &p[i], &n[i] };
		must(hipSetDevice(i));
		list[i] = (hipLaunchParams){ .func = (void *)&stub,
			                     .gridDim = { 1, 1, 1 },
			                     .blockDim = { 1, 1, 1 } };
		must(hipStreamCreate(&list[i].stream));
		list[i].args = malloc(2 * sizeof *args);
		memcpy(list[i].args, args, 2 * sizeof *args);
	}
	must(hipExtLaunchMultiKernelMultiDevice(list, 2, 0));
	ok(*p[0] == 5 && *p[1] == 6 && hipStreamQuery(list[1].stream) == hipSuccess,
	   "a kernel is launched on several devices");
	must(hipExtLaunchMultiKernelMultiDevice(list, 2, 3));
	ok(hipStreamQuery(list[1].stream) == hipErrorNotReady, "or only enqueued");
	must(hipStreamSynchronize(list[0].stream));
	must(hipStreamSynchronize(list[1].stream));
	ok(hipExtLaunchMultiKernelMultiDevice(NULL, 2, 0) == hipErrorInvalidValue &&
	           hipExtLaunchMultiKernelMultiDevice(list, 0, 0) == hipErrorInvalidValue &&
	           hipExtLaunchMultiKernelMultiDevice(list, 2, 4) == hipErrorInvalidValue &&
	           hipExtLaunchMultiKernelMultiDevice(list, 4, 0) == hipErrorInvalidDevice,
	   "wrong lists and flags are errors");
	memcpy(bad, list, sizeof bad);
	bad[1].func = NULL;
	hipError_t other = hipExtLaunchMultiKernelMultiDevice(bad, 2, 0);
	memcpy(bad, list, sizeof bad);
	bad[1].stream = NULL;
	ok(other == hipErrorInvalidValue &&
	           hipExtLaunchMultiKernelMultiDevice(bad, 2, 0) == hipErrorInvalidHandle,
	   "so are other kernels, and the legacy stream");
	memcpy(bad, list, sizeof bad);
	bad[1].gridDim.y = 2;
	other = hipExtLaunchMultiKernelMultiDevice(bad, 2, 0);
	memcpy(bad, list, sizeof bad);
	bad[1].stream = list[0].stream;
	ok(other == hipErrorInvalidValue &&
	           hipExtLaunchMultiKernelMultiDevice(bad, 2, 0) == hipErrorInvalidDevice,
	   "so are other shapes, and one device twice");
	ok(hipLaunchCooperativeKernelMultiDevice(list, 2, 0) == hipErrorNotSupported &&
	           hipModuleLaunchCooperativeKernelMultiDevice(list, 2, 0) ==
	                   hipErrorNotSupported &&
	           hipModuleLaunchCooperativeKernelMultiDevice(NULL, 2, 0) == hipErrorInvalidValue,
	   "grids of several devices do not wait for each other");
	for (int i = 0; i < 2; i++) {
		must(hipStreamDestroy(list[i].stream));
		free(list[i].args);
	}
	__hipUnregisterFatBinary(binary);
	free(code);
	end(p);
}

static void test_pools(void) {
	hipMemPool_t first, third;
	hipPointerAttribute_t a;
	void *p;
	must(hipDeviceGetDefaultMemPool(&first, 0));
	must(hipDeviceGetDefaultMemPool(&third, 2));
	must(hipSetDevice(2));
	must(hipMallocAsync(&p, 4, NULL));
	must(hipPointerGetAttributes(&a, p));
	ok(first != third && a.device == 2, "each device has its pool");
	ok(hipDeviceSetMemPool(0, third) == hipErrorInvalidDevice, "and none of another");
	must(hipFree(p));
	must(hipSetDevice(0));
}

/* Before an allocation, and after it. */
static void test_pool_access(void) {
	hipMemPoolProps props = { .allocType = hipMemAllocationTypePinned,
		                  .location = { hipMemLocationTypeDevice, 1 } };
	hipMemAccessDesc d = { { hipMemLocationTypeDevice, 0 }, hipMemAccessFlagsProtReadWrite };
	hipMemAccessFlags flags;
	hipMemPool_t pool;
	uint32_t *p, *later;
	must(hipMemPoolCreate(&pool, &props));
	must(hipMallocFromPoolAsync((void **)&p, 4, pool, NULL));
	must(hipMemsetD32(p, 0, 1));
	must(launch(add(0), p, 1, NULL));
	ok(hipDeviceSynchronize() == hipErrorIllegalAddress,
	   "a kernel that accesses a pool of another device faults");
	must(hipMemPoolSetAccess(pool, &d, 1));
	must(hipMallocFromPoolAsync((void **)&later, 4, pool, NULL));
	must(hipMemsetD32(later, 0, 1));
	must(launch(add(0), p, 1, NULL));
	must(launch(add(0), later, 2, NULL));
	ok(hipDeviceSynchronize() == hipSuccess && *p == 1 && *later == 2,
	   "unless the pool gives it access");
	must(hipMemPoolGetAccess(&flags, pool, &d.location));
	ok(flags == hipMemAccessFlagsProtReadWrite, "which is told");
	d.flags = hipMemAccessFlagsProtNone;
	must(hipMemPoolSetAccess(pool, &d, 1));
	must(hipMemPoolGetAccess(&flags, pool, &d.location));
	must(launch(add(0), later, 1, NULL));
	ok(hipDeviceSynchronize() == hipErrorIllegalAddress && flags == hipMemAccessFlagsProtNone,
	   "and takes it back");
	must(hipMemPoolDestroy(pool));
	must(hipFree(p));
	must(hipFree(later));
}

int main(void) {
	setenv("MXHIP_DEVICES", "3", 1);
	for (int i = 0; i < DEVICES; i++) {
		must(hipSetDevice(i));
		must(hipModuleLoad(&modules[i], built("tests/hip/probe.gpu.co")));
	}
	must(hipSetDevice(0));
	test_identity();
	test_current();
	test_contexts();
	test_memory();
	test_peers();
	test_modules();
	test_streams();
	test_choice();
	test_launches();
	test_pools();
	test_pool_access();
	for (int i = 0; i < DEVICES; i++)
		must(hipModuleUnload(modules[i]));
	return done_testing();
}
