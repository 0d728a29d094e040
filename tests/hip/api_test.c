/* The HIP API of libmxhip.so, called as a host program calls it. */
#include "runtime_test.h"

#include "../../ref/hip/props_r0600.h"

#include <pthread.h>

hipError_t hipGetDevicePropertiesR0600(struct mx_props_r0600 *p, int device);

static hipModule_t probe;

static hipFunction_t kernel(const char *name) {
	hipFunction_t f;
	must(hipModuleGetFunction(&f, probe, name));
	return f;
}

/* One wave of a kernel, arguments by pointers. */
static hipError_t launch(const char *name, void **params) {
	return hipModuleLaunchKernel(kernel(name), 1, 1, 1, 64, 1, 1, 0, NULL, params, NULL);
}

/* ---- devices ---- */

static void test_device(void) {
	int n = 0, device = -1, value = 0;
	size_t bytes = 0;
	char name[64] = "";
	ok(hipInit(0) == hipSuccess && hipInit(1) == hipErrorInvalidValue, "hipInit takes 0");
	ok(hipGetDeviceCount(&n) == hipSuccess && n == 1, "there is one device");
	ok(hipSetDevice(0) == hipSuccess && hipSetDevice(1) == hipErrorInvalidDevice &&
	           hipSetDevice(-1) == hipErrorInvalidDevice,
	   "device 0 can be set, 1 and -1 cannot");
	ok(hipGetDevice(&device) == hipSuccess && device == 0, "the current device is 0");
	ok(hipDeviceGet(&device, 0) == hipSuccess && hipDeviceGet(&device, 1) != hipSuccess,
	   "hipDeviceGet accepts device 0 only");
	ok(hipDeviceGetName(name, sizeof name, 0) == hipSuccess && strstr(name, "emulated"),
	   "the device's name contains \"emulated\"");
	ok(hipDeviceGetName(name, 4, 0) == hipSuccess && strlen(name) == 3 &&
	           hipDeviceGetName(name, 0, 0) == hipErrorInvalidValue,
	   "a name is cut to the caller's bytes");
	ok(hipDeviceTotalMem(&bytes, 0) == hipSuccess && bytes == 288ull << 30,
	   "memory is that of an MI355X");
	ok(hipDeviceGetAttribute(&value, hipDeviceAttributeWarpSize, 0) == hipSuccess &&
	           value == 64 &&
	           hipDeviceGetAttribute(&value, hipDeviceAttributeWarpSize, 1) ==
	                   hipErrorInvalidDevice &&
	           hipDeviceGetAttribute(&value, (hipDeviceAttribute_t)9000, 0) ==
	                   hipErrorInvalidValue,
	   "known attributes have values, others an error");
	ok(hipDriverGetVersion(&value) == hipSuccess && value / 10000000 == 7 &&
	           hipRuntimeGetVersion(&n) == hipSuccess && n == value,
	   "driver and runtime are of version 7");
}

/* Attributes by HIP's names against the properties of HIP 6's layout. */
static void test_attributes_agree(const struct mx_props_r0600 *q) {
	const struct {
		hipDeviceAttribute_t attribute;
		int64_t want;
	} a[] = {
		{ hipDeviceAttributeEccEnabled, q->ecc_enabled },
		{ hipDeviceAttributeAsyncEngineCount, q->async_engine_count },
		{ hipDeviceAttributeClockRate, q->clock_rate },
		{ hipDeviceAttributeConcurrentKernels, q->concurrent_kernels },
		{ hipDeviceAttributeCooperativeLaunch, q->cooperative_launch },
		{ hipDeviceAttributeL2CacheSize, q->l2_cache_size },
		{ hipDeviceAttributeManagedMemory, q->managed_memory },
		{ hipDeviceAttributeMaxBlocksPerMultiProcessor, q->max_blocks_per_multi_processor },
		{ hipDeviceAttributeMaxBlockDimZ, q->max_threads_dim[2] },
		{ hipDeviceAttributeMaxGridDimX, q->max_grid_size[0] },
		{ hipDeviceAttributeMaxGridDimZ, q->max_grid_size[2] },
		{ hipDeviceAttributeMaxThreadsPerBlock, q->max_threads_per_block },
		{ hipDeviceAttributeMaxThreadsPerMultiProcessor,
		  q->max_threads_per_multi_processor },
		{ hipDeviceAttributeMaxPitch, (int64_t)q->mem_pitch },
		{ hipDeviceAttributeMemoryBusWidth, q->memory_bus_width },
		{ hipDeviceAttributeMemoryClockRate, q->memory_clock_rate },
		{ hipDeviceAttributeComputeCapabilityMajor, q->major },
		{ hipDeviceAttributeComputeCapabilityMinor, q->minor },
		{ hipDeviceAttributeMultiprocessorCount, q->multi_processor_count },
		{ hipDeviceAttributePciBusId, q->pci_bus_id },
		{ hipDeviceAttributePciDomainID, q->pci_domain_id },
		{ hipDeviceAttributeMaxRegistersPerBlock, q->regs_per_block },
		{ hipDeviceAttributeMaxRegistersPerMultiprocessor, q->regs_per_multiprocessor },
		{ hipDeviceAttributeMaxSharedMemoryPerBlock, (int64_t)q->shared_mem_per_block },
		{ hipDeviceAttributeSharedMemPerBlockOptin,
		  (int64_t)q->shared_mem_per_block_optin },
		{ hipDeviceAttributeMaxSharedMemoryPerMultiprocessor,
		  (int64_t)q->max_shared_memory_per_multi_processor },
		{ hipDeviceAttributeTextureAlignment, (int64_t)q->texture_alignment },
		{ hipDeviceAttributeMaxTexture1DWidth, q->textures_and_surfaces[0] },
		{ hipDeviceAttributeMaxTexture3DDepth, 0 },
		{ hipDeviceAttributeMaxSurface2D, 0 },
		{ hipDeviceAttributeTotalGlobalMem, INT32_MAX },
		{ hipDeviceAttributeUnifiedAddressing, q->unified_addressing },
		{ hipDeviceAttributeWarpSize, q->warp_size },
		{ hipDeviceAttributeClockInstructionRate, q->clock_instruction_rate },
		{ hipDeviceAttributeIsLargeBar, q->is_large_bar },
		{ hipDeviceAttributePhysicalMultiProcessorCount, q->multi_processor_count },
	};
	size_t i = 0;
	int value = -1;
	while (i < COUNT(a) && hipDeviceGetAttribute(&value, a[i].attribute, 0) == hipSuccess &&
	       value == a[i].want)
		i++;
	if (!ok(i == COUNT(a), "%zu attributes have the values of the properties", COUNT(a)))
		diag("attribute %d is %d, the property %lld", a[i].attribute, value,
		     (long long)a[i].want);
	unsigned *at[2] = { 0 };
	must(hipDeviceGetAttribute((int *)&at[0], hipDeviceAttributeHdpMemFlushCntl, 0));
	must(hipDeviceGetAttribute((int *)&at[1], hipDeviceAttributeHdpRegFlushCntl, 0));
	*at[0] = *at[1] = 1;
	ok(at[0] == q->hdp_mem_flush_cntl && at[1] == q->hdp_reg_flush_cntl,
	   "the host may flush its writes");
}

static void test_bus(void) {
	char id[16] = "";
	int device = -1;
	ok(hipDeviceGetPCIBusId(id, sizeof id, 0) == hipSuccess && strlen(id) == 12 &&
	           hipDeviceGetByPCIBusId(&device, id) == hipSuccess && device == 0,
	   "the device is found by its bus id");
	ok(hipDeviceGetPCIBusId(id, 12, 0) == hipErrorInvalidValue &&
	           hipDeviceGetByPCIBusId(&device, "0000:09:00.0") == hipErrorInvalidDevice &&
	           hipDeviceGetByPCIBusId(&device, "bus") == hipErrorInvalidValue,
	   "a bus id needs its room, its device and its form");
}

static void test_free_memory(void) {
	size_t before, during, after, total;
	must(hipMemGetInfo(&before, &total));
	void *p = device_bytes(10 << 20);
	must(hipMemGetInfo(&during, &total));
	must(hipFree(p));
	must(hipMemGetInfo(&after, &total));
	ok(before - during == 10 << 20 && after == before && total == 288ull << 30,
	   "free memory is what is not allocated");
}

static void test_properties(void) {
	hipDeviceProp_t p;
	struct mx_props_r0600 q;
	ok(hipGetDeviceProperties(&p, 0) == hipSuccess && !strncmp(p.gcnArchName, "gfx950:", 7),
	   "hipGetDeviceProperties gives gfx950, in HIP 5's layout");
	ok(hipGetDevicePropertiesR0600(&q, 0) == hipSuccess &&
	           !strcmp(q.gcn_arch_name, p.gcnArchName),
	   "hipGetDevicePropertiesR0600 gives the same, in HIP 6's");
	ok(p.warpSize == 64 && q.warp_size == 64 && p.maxThreadsPerBlock == 1024 &&
	           q.max_threads_per_block == 1024 && p.sharedMemPerBlock == 160 * 1024 &&
	           q.shared_mem_per_block == 160 * 1024 && p.totalGlobalMem == q.total_global_mem &&
	           p.multiProcessorCount == q.multi_processor_count,
	   "both have the same waves, workgroups, LDS, memory and compute units");
	ok(p.major == 9 && p.minor == 5 && q.major == 9 && q.minor == 5 && p.clockRate > 1000000 &&
	           p.clockRate == q.clock_rate && p.memoryBusWidth == 8192 &&
	           q.memory_bus_width == 8192 && p.l2CacheSize == q.l2_cache_size &&
	           q.shared_mem_per_block_optin == 160 * 1024 && p.arch.hasDoubles &&
	           !p.arch.hasFunnelShift && q.arch,
	   "and the same clocks, caches and features");
	test_attributes_agree(&q);
	ok(hipGetDeviceProperties(&p, 1) == hipErrorInvalidDevice &&
	           hipGetDevicePropertiesR0600(&q, 1) == hipErrorInvalidDevice,
	   "device 1 has no properties");
}

static void test_null_pointers(void) {
	size_t n;
	hipError_t e[] = {
		hipGetDeviceCount(NULL),
		hipGetDevice(NULL),
		hipDeviceGet(NULL, 0),
		hipDeviceGetName(NULL, 8, 0),
		hipDeviceTotalMem(NULL, 0),
		hipDeviceGetAttribute(NULL, hipDeviceAttributeWarpSize, 0),
		hipGetDeviceProperties(NULL, 0),
		hipGetDevicePropertiesR0600(NULL, 0),
		hipDriverGetVersion(NULL),
		hipRuntimeGetVersion(NULL),
		hipMalloc(NULL, 8),
		hipHostMalloc(NULL, 8, 0),
		hipMemGetInfo(NULL, NULL),
		hipMemGetAddressRange(NULL, NULL, NULL),
		hipMemPtrGetInfo(&n, NULL),
		hipStreamCreate(NULL),
		hipEventCreate(NULL),
		hipModuleLoad(NULL, "x"),
		hipModuleLoadData(NULL, "x"),
		hipModuleLoadData(&probe, NULL),
		hipModuleGetFunction(NULL, probe, "x"),
	};
	size_t i = 0;
	while (i < COUNT(e) && e[i] == hipErrorInvalidValue)
		i++;
	if (!ok(i == COUNT(e), "a null pointer is an invalid value in %zu functions", COUNT(e)))
		diag("first wrong: call %zu gives %s", i, hipGetErrorName(e[i]));
}

static void test_error_names(void) {
	ok(!strcmp(hipGetErrorName(hipSuccess), "hipSuccess") &&
	           !strcmp(hipGetErrorName(hipErrorNoBinaryForGpu), "hipErrorNoBinaryForGpu") &&
	           !strcmp(hipGetErrorName((hipError_t)12345), "hipErrorUnknown"),
	   "errors have their names");
	ok(!strcmp(hipGetErrorString(hipErrorOutOfMemory), "out of memory") &&
	           !strcmp(hipGetErrorString((hipError_t)12345), "unknown error"),
	   "errors have texts");
	hipGetLastError();
	hipSetDevice(7);
	hipSetDevice(0);
	ok(hipPeekAtLastError() == hipErrorInvalidDevice &&
	           hipGetLastError() == hipErrorInvalidDevice && hipGetLastError() == hipSuccess,
	   "the last error stays until it is read");
}

/* ---- memory ---- */

static void test_allocation(void) {
	void *p = device_bytes(1000), *q, *zero = &q;
	hipDeviceptr_t base;
	size_t bytes;
	ok(hipMemGetAddressRange(&base, &bytes, (char *)p + 999) == hipSuccess && base == p &&
	           bytes == 1000,
	   "an address inside an allocation leads to its base and size");
	ok(hipMemGetAddressRange(&base, &bytes, (char *)p + 1000) == hipErrorNotFound &&
	           hipMemGetAddressRange(&base, &bytes, &q) == hipErrorNotFound,
	   "an address past it, or of the host, does not");
	ok(hipFree((char *)p + 1) == hipErrorInvalidValue && hipFree(p) == hipSuccess &&
	           hipFree(p) == hipErrorInvalidValue && hipFree(&q) == hipErrorInvalidValue,
	   "memory is freed once, by its base");
	ok(hipFree(NULL) == hipSuccess, "freeing a null pointer has no effect");
	ok(hipMalloc(&zero, 0) == hipSuccess && !zero,
	   "an allocation of 0 bytes is a null pointer");
	ok(hipMalloc(&q, SIZE_MAX) == hipErrorOutOfMemory && !q,
	   "an allocation of 2^64 - 1 bytes is out of memory");
	q = device_bytes(1000);
	ok(q == p, "freed memory is allocated again at the same address");
	must(hipFree(q));
}

static void test_copies(void) {
	static const hipMemcpyKind up[] = { hipMemcpyHostToDevice, hipMemcpyDefault };
	static const hipMemcpyKind down[] = { hipMemcpyDeviceToHost, hipMemcpyDefault };
	static const hipMemcpyKind across[] = { hipMemcpyDeviceToDevice, hipMemcpyDefault };
	char text[16] = "fifteen letters", back[16];
	char *p = device_bytes(16), *q = device_bytes(16);
	int good = 0;
	for (int i = 0; i < 2; i++) {
		memset(back, 0, sizeof back);
		good += hipMemcpy(p, text, 16, up[i]) == hipSuccess &&
		        hipMemcpyAsync(q, p, 16, across[i], NULL) == hipSuccess &&
		        hipMemcpy(back, q, 16, down[i]) == hipSuccess && !strcmp(back, text);
	}
	ok(good == 2, "bytes are copied up, across and down, with kinds and with hipMemcpyDefault");
	memset(back, 0, sizeof back);
	ok(hipMemcpy(back, text, 16, hipMemcpyHostToHost) == hipSuccess && !strcmp(back, text),
	   "bytes are copied from host to host");
	ok(hipMemcpyHtoD(p, "dtod", 5) == hipSuccess && hipMemcpyDtoD(q, p, 5) == hipSuccess &&
	           hipMemcpyDtoH(back, q, 5) == hipSuccess && !strcmp(back, "dtod"),
	   "the driver API copies");
	ok(hipMemcpy(q + 2, p, 2, hipMemcpyDeviceToDevice) == hipSuccess && q[2] == 'd' &&
	           hipMemcpy(q + 1, q, 4, hipMemcpyDeviceToDevice) == hipSuccess && q[4] == 't',
	   "part of an allocation is copied, onto itself too");
	must(hipFree(p));
	must(hipFree(q));
}

static void test_bad_copies(void) {
	char host[4096] = "";
	char *p = device_bytes(16), *q = device_bytes(16);
	ok(hipMemcpy(p, q, 16, (hipMemcpyKind)5) == hipErrorInvalidMemcpyDirection &&
	           hipMemcpy(p, q, 16, (hipMemcpyKind)-1) == hipErrorInvalidMemcpyDirection &&
	           hipMemcpy(p, q, 16, (hipMemcpyKind)1024) == hipSuccess,
	   "a copy has a kind that there is");
	ok(hipMemcpy(p, host, 17, hipMemcpyHostToDevice) == hipErrorInvalidValue &&
	           hipMemcpy(p, host, 4096, hipMemcpyDefault) == hipErrorInvalidValue &&
	           hipMemcpy(p + 15, q, 2, hipMemcpyDeviceToDevice) == hipErrorInvalidValue &&
	           hipMemset(p, 0, 17) == hipErrorInvalidValue,
	   "nothing is written past the end of an allocation");
	ok(hipMemcpy(host, p, 17, hipMemcpyDeviceToHost) == hipErrorInvalidValue &&
	           hipMemcpy(host, p + 1, 4095, hipMemcpyDefault) == hipErrorInvalidValue &&
	           hipMemcpy(host, p, 1ull << 40, hipMemcpyDefault) == hipErrorInvalidValue,
	   "nothing is read past it");
	ok(strstr(mxhipErrorDetail(), "copy from") && strstr(mxhipErrorDetail(), "1099511627776"),
	   "the error's detail has direction and size");
	ok(hipMemcpy(host, host + 8, 8, hipMemcpyHostToDevice) == hipErrorInvalidValue &&
	           hipMemcpy(host, host + 8, 8, hipMemcpyDeviceToHost) == hipErrorInvalidValue &&
	           hipMemset(host, 0, 8) == hipErrorInvalidValue,
	   "host memory is not device memory");
	ok(hipMemcpy(NULL, host, 8, hipMemcpyHostToDevice) == hipErrorInvalidValue &&
	           hipMemcpy(p, NULL, 8, hipMemcpyHostToDevice) == hipErrorInvalidValue,
	   "a null pointer cannot be an end of a copy");
	ok(hipMemcpy(NULL, NULL, 0, hipMemcpyHostToDevice) == hipSuccess &&
	           hipMemset(NULL, 0, 0) == hipSuccess && hipMemsetD32(NULL, 0, 0) == hipSuccess,
	   "a copy or set of 0 bytes ignores the pointers");
	must(hipFree(p));
	must(hipFree(q));
}

static void test_memset(void) {
	unsigned char back[12];
	char *p = device_bytes(12);
	ok(hipMemset(p, 0x1AB, 12) == hipSuccess && hipMemsetD8(p, 7, 2) == hipSuccess &&
	           hipMemsetD32(p + 4, 0x11223344, 1) == hipSuccess &&
	           hipMemsetAsync(p + 8, 1, 1, NULL) == hipSuccess &&
	           hipMemcpy(back, p, 12, hipMemcpyDeviceToHost) == hipSuccess,
	   "memory is set by bytes and by words");
	ok(!memcmp(back, "\7\7\xAB\xAB\x44\x33\x22\x11\1\xAB\xAB\xAB", 12), "each has its value");
	ok(hipMemsetD32(p, 0, 4) == hipErrorInvalidValue &&
	           hipMemsetD32(p, 0, SIZE_MAX / 4 + 1) == hipErrorInvalidValue,
	   "words past the end are not set, even if their bytes wrap around");
	must(hipFree(p));
}

static void test_large_allocation(void) {
	const size_t size = (5ull << 30) + 3;
	char *p = device_bytes(size), *host, in = 42, out = 0;
	ok(hipMemcpy(p + size - 1, &in, 1, hipMemcpyHostToDevice) == hipSuccess &&
	           hipMemcpy(&out, p + size - 1, 1, hipMemcpyDeviceToHost) == hipSuccess &&
	           out == 42,
	   "the last byte of 5 GiB can be written and read");
	ok(hipMemcpy(p + size, &in, 1, hipMemcpyHostToDevice) == hipErrorInvalidValue,
	   "the byte after it cannot");
	must(hipFree(p));
	must(hipHostMalloc((void **)&host, 4, 0));
	memcpy(host, "abc", 4);
	p = device_bytes(4);
	ok(hipMemcpy(p, host, 4, hipMemcpyHostToDevice) == hipSuccess && !strcmp(p, "abc"),
	   "pinned host memory can be copied from");
	must(hipHostFree(host));
	must(hipFree(p));
}

/* ---- streams and events ---- */

static void test_streams_and_events(void) {
	hipStream_t s, t;
	hipEvent_t a, b;
	float ms = -1;
	must(hipStreamCreate(&s));
	must(hipStreamCreateWithFlags(&t, hipStreamNonBlocking));
	must(hipEventCreate(&a));
	must(hipEventCreateWithFlags(&b, hipEventBlockingSync));
	ok(hipStreamQuery(s) == hipSuccess && hipStreamSynchronize(t) == hipSuccess &&
	           hipStreamSynchronize(NULL) == hipSuccess && hipDeviceSynchronize() == hipSuccess,
	   "idle streams, the null stream and the device are done");
	ok(hipEventElapsedTime(&ms, a, b) == hipErrorInvalidHandle,
	   "no time has passed between events that were not recorded");
	ok(hipEventRecord(a, s) == hipSuccess && hipEventRecord(b, s) == hipSuccess &&
	           hipEventQuery(b) == hipSuccess && hipEventSynchronize(b) == hipSuccess &&
	           hipEventElapsedTime(&ms, a, b) == hipSuccess && ms >= 0 && ms < 1000,
	   "time passes between events, forwards");
	ok(hipStreamWaitEvent(t, a, 0) == hipSuccess &&
	           hipStreamWaitEvent(t, NULL, 0) == hipErrorInvalidHandle &&
	           hipEventRecord(NULL, s) == hipErrorInvalidHandle &&
	           hipEventDestroy(NULL) == hipErrorInvalidHandle &&
	           hipStreamDestroy(NULL) == hipErrorInvalidHandle,
	   "a missing stream or event is an invalid handle");
	must(hipEventDestroy(a));
	must(hipEventDestroy(b));
	must(hipStreamDestroy(s));
	must(hipStreamDestroy(t));
}

/* ---- modules ---- */

static void test_modules(void) {
	size_t bytes;
	uint8_t *image = read_whole(built("tests/hip/probe.gpu.co"), &bytes);
	hipModule_t m;
	hipFunction_t f;
	ok(hipModuleLoadData(&m, image) == hipSuccess &&
	           hipModuleGetFunction(&f, m, "copy") == hipSuccess,
	   "a code object is loaded from memory");
	memset(image, 0xA5, bytes);
	free(image);
	ok(hipModuleGetFunction(&f, m, "sum") == hipSuccess && hipModuleUnload(m) == hipSuccess,
	   "it stays valid after that memory is freed");
	ok(hipModuleGetFunction(&f, probe, "coppy") == hipErrorNotFound &&
	           strstr(mxhipErrorDetail(), "no kernel coppy in the code object; it has: ") &&
	           strstr(mxhipErrorDetail(), "copy, "),
	   "there is no kernel coppy, and those that are there are listed: %s", mxhipErrorDetail());
	ok(hipModuleGetFunction(&f, probe, "copy.kd") == hipErrorNotFound,
	   "a kernel descriptor is not a kernel");
	ok(hipModuleLoad(&m, built("no such.co")) == hipErrorFileNotFound &&
	           strstr(mxhipErrorDetail(), "no such.co") &&
	           hipModuleLoad(&m, "/") == hipErrorFileNotFound,
	   "neither a missing file nor a folder is a code object");
	ok(hipModuleUnload(NULL) == hipErrorInvalidHandle, "a null module cannot be unloaded");
}

static void test_globals(void) {
	hipDeviceptr_t p;
	size_t bytes;
	uint32_t out = 0, *device_out = device_bytes(4), three = 3;
	void *params[] = { &device_out };
	ok(hipModuleGetGlobal(&p, &bytes, probe, "counter") == hipSuccess && bytes == 8,
	   "a global variable is found, with its size");
	ok(hipModuleGetGlobal(&p, &bytes, probe, "encounter") == hipErrorNotFound,
	   "there is no variable encounter");
	must(launch("sum", params));
	must(hipMemcpy(&out, device_out, 4, hipMemcpyDeviceToHost));
	ok(out == 40 + 2 + 100, "a kernel reads initial values, also through relocated pointers");
	must(hipModuleGetGlobal(&p, &bytes, probe, "counter"));
	must(hipMemcpy(p, &three, 4, hipMemcpyHostToDevice));
	must(launch("sum", params));
	must(hipMemcpy(&out, device_out, 4, hipMemcpyDeviceToHost));
	ok(out == 3 + 2 + 100, "a kernel reads what the host wrote to a variable");
	must(hipFree(device_out));
}

static void test_data(void) {
	hipModule_t m;
	hipFunction_t f;
	hipDeviceptr_t p;
	size_t bytes;
	uint32_t value = 0;
	must(hipModuleLoad(&m, built("tests/hip/data.gpu.co")));
	must(hipModuleGetGlobal(&p, &bytes, m, "seven"));
	must(hipMemcpy(&value, p, 4, hipMemcpyDeviceToHost));
	ok(bytes == 4 && value == 7, "a code object may have variables alone");
	ok(hipModuleGetFunction(&f, m, "seven") == hipErrorNotFound, "it has no kernel");
	must(hipModuleUnload(m));
}

/* ---- launches ---- */

static void test_arguments(void) {
	struct {
		void *out;
		uint8_t a;
		uint16_t b;
		uint32_t c;
		uint64_t d;
	} packed = { device_bytes(32), 0xA1, 0xB2B1, 0xC4C3C2C1, 0xD8D7D6D5D4D3D2D1 };
	uint64_t by_pointers[4], by_segment[4];
	const uint64_t want[4] = { packed.a, packed.b, packed.c, packed.d };
	size_t size = sizeof packed;
	void *params[] = { &packed.out, &packed.a, &packed.b, &packed.c, &packed.d };
	void *extra[] = { HIP_LAUNCH_PARAM_BUFFER_POINTER, &packed, HIP_LAUNCH_PARAM_BUFFER_SIZE,
		          &size, HIP_LAUNCH_PARAM_END };
	hipFunction_t f = kernel("arguments");
	must(hipModuleLaunchKernel(f, 1, 1, 1, 64, 1, 1, 0, NULL, params, NULL));
	size_t uninitialised = mxhipReport()->n_findings;
	must(hipMemcpy(by_pointers, packed.out, 32, hipMemcpyDeviceToHost));
	must(hipMemset(packed.out, 0, 32));
	must(hipModuleLaunchKernel(f, 1, 1, 1, 64, 1, 1, 0, NULL, NULL, extra));
	must(hipMemcpy(by_segment, packed.out, 32, hipMemcpyDeviceToHost));
	ok(!memcmp(by_pointers, want, 32),
	   "arguments of 1, 2, 4 and 8 bytes are passed by pointers");
	ok(!uninitialised, "the gaps between them give no finding");
	ok(!memcmp(by_segment, want, 32), "a packed segment gives the same bytes");
	ok(hipModuleLaunchKernel(f, 1, 1, 1, 64, 1, 1, 0, NULL, params, extra) ==
	           hipErrorInvalidValue,
	   "both at once are an error");
	size = 20;
	must(hipModuleLaunchKernel(f, 1, 1, 1, 64, 1, 1, 0, NULL, NULL, extra));
	must(hipMemcpy(by_segment, packed.out, 32, hipMemcpyDeviceToHost));
	ok(by_segment[3] == (uint32_t)packed.d && !memcmp(by_segment, want, 24),
	   "what a segment lacks is zero");
	ok(mxhipReport()->n_findings == 1 && mxhipReport()->findings[0].kind == MX_ASSUMED_NOTE,
	   "a kernel that reads it has a note");
	size = 0;
	ok(hipModuleLaunchKernel(f, 1, 1, 1, 64, 1, 1, 0, NULL, NULL, extra) ==
	                   hipErrorInvalidValue &&
	           strstr(mxhipErrorDetail(), "takes 24 bytes of arguments, given none"),
	   "an empty segment is an error");
	ok(hipModuleLaunchKernel(f, 1, 1, 1, 64, 1, 1, 0, NULL, NULL, NULL) == hipErrorInvalidValue,
	   "no arguments at all are an error");
	extra[0] = (void *)0x77;
	ok(hipModuleLaunchKernel(f, 1, 1, 1, 64, 1, 1, 0, NULL, NULL, extra) ==
	           hipErrorInvalidValue,
	   "an unknown marker is an error");
	must(hipFree(packed.out));
}

static void test_hidden_arguments(void) {
	uint32_t out[6][8], *device_out = device_bytes(sizeof out);
	const uint32_t want[8] = { 3, 2, 1, 16, 4, 2, 3, 0 };
	void *params[] = { &device_out };
	unsigned good = 0;
	must(hipModuleLaunchKernel(kernel("hidden"), 3, 2, 1, 16, 4, 2, 0, NULL, params, NULL));
	must(hipMemcpy(out, device_out, sizeof out, hipMemcpyDeviceToHost));
	for (unsigned i = 0; i < 6; i++)
		good += !memcmp(out[i], want, sizeof want);
	if (!ok(good == 6, "every workgroup gets the hidden arguments of its launch"))
		diag("of workgroup 0: blocks %u %u %u of %u %u %u, %u dimensions, remainder %u",
		     out[0][0], out[0][1], out[0][2], out[0][3], out[0][4], out[0][5], out[0][6],
		     out[0][7]);
	if (!ok(!mxhipReport()->n_findings, "none of them is uninitialised"))
		diag("%s", in_words(mxhipReport()->findings));
	must(hipFree(device_out));
}

static void test_absent_buffers(void) {
	uint32_t *device_out = device_bytes(4);
	void *params[] = { &device_out };
	hipModuleLaunchKernel(kernel("launches"), 1, 1, 1, 64, 1, 1, 0, NULL, params, NULL);
	const struct mx_finding *f = mxhipReport()->findings;
	if (!ok(mxhipReport()->n_findings == 1 && f->kind == MX_FAULT &&
	                strstr(in_words(f),
	                       "read of 4 bytes through the default queue: a launch by "
	                       "the device, which the emulator does not have"),
	        "a read through the default queue says so") &&
	    f)
		diag("%s", in_words(f));
	hipDeviceSynchronize();
	must(hipFree(device_out));
}

static void test_dynamic_lds(void) {
	uint32_t n = 256, out[256], *device_out = device_bytes(sizeof out), good = 0;
	void *params[] = { &device_out, &n };
	hipFunction_t f = kernel("reverse");
	must(hipModuleLaunchKernel(f, 1, 1, 1, n, 1, 1, 4 * n, NULL, params, NULL));
	must(hipMemcpy(out, device_out, sizeof out, hipMemcpyDeviceToHost));
	for (unsigned i = 0; i < n; i++)
		good += out[i] == n - 1 - i;
	ok(good == n && !mxhipReport()->n_findings, "a launch gets the LDS that it requests");
	must(hipModuleLaunchKernel(f, 1, 1, 1, n, 1, 1, 4 * n - 4, NULL, params, NULL));
	ok(mxhipReport()->n_findings && !strcmp(mxhipFindingName(mxhipReport()->findings[0].kind),
	                                        "out-of-bounds-write"),
	   "with one word less the last work-item writes out of bounds");
	must(hipModuleLaunchKernel(f, 1, 1, 1, n, 1, 1, 160 * 1024, NULL, params, NULL));
	ok(hipModuleLaunchKernel(f, 1, 1, 1, n, 1, 1, 160 * 1024 + 1, NULL, params, NULL) ==
	                   hipErrorInvalidValue &&
	           strstr(mxhipErrorDetail(), "163841 bytes of dynamic LDS"),
	   "160 KiB are available, not more");
	hipModule_t gemm;
	must(hipModuleLoad(&gemm, built("kernels/gemm/mxfp4_gemm.co")));
	must(hipModuleGetFunction(&f, gemm, "mxfp4_gemm_f32"));
	ok(hipModuleLaunchKernel(f, 1, 1, 1, n, 1, 1, UINT32_MAX, NULL, NULL, NULL) ==
	           hipErrorInvalidValue,
	   "nor 2^32 - 1 bytes beside the kernel's own 64 KiB, which is less in 32 bits");
	must(hipModuleUnload(gemm));
	must(hipFree(device_out));
}

static void test_bad_shapes(void) {
	static const struct {
		const char *sentence;
		unsigned grid[3], block[3];
		hipError_t other; /* 0: an invalid value */
	} t[] = {
		{ "no workgroup", { 1, 0, 1 }, { 64, 1, 1 } },
		{ "no work-item", { 1, 1, 1 }, { 64, 1, 0 } },
		{ "a workgroup of 1025", { 1, 1, 1 }, { 1025, 1, 1 } },
		{ "a workgroup of 2^32 by 2^32 by 2^31, which is 0 in 64 bits",
		  { 1, 1, 1 },
		  { 0x80000000, 0x80000000, 4 } },
		{ "a workgroup larger than the kernel's own limit",
		  { 1, 1, 1 },
		  { 65, 1, 1 },
		  hipErrorLaunchFailure },
		{ "2^32 work-items in one dimension", { 1u << 26, 1, 1 }, { 64, 1, 1 } },
	};
	void *in = device_bytes(256), *params[] = { &in, &in };
	hipFunction_t f = kernel("copy");
	for (unsigned i = 0; i < COUNT(t); i++) {
		const unsigned *g = t[i].grid, *b = t[i].block;
		hipError_t error = t[i].other ? t[i].other : hipErrorInvalidValue;
		ok(hipModuleLaunchKernel(f, g[0], g[1], g[2], b[0], b[1], b[2], 0, NULL, params,
		                         NULL) == error &&
		           mxhipErrorDetail()[0],
		   "%s cannot be launched, and the detail has the reason", t[i].sentence);
	}
	ok(hipModuleLaunchKernel(NULL, 1, 1, 1, 64, 1, 1, 0, NULL, params, NULL) ==
	           hipErrorInvalidHandle,
	   "a null function cannot be launched");
	must(hipFree(in));
}

static void test_faults(void) {
	uint32_t *p = device_bytes(256);
	void *nowhere = (void *)0x10, *bad[] = { &nowhere, &p }, *good[] = { &p, &p };
	must(hipMemset(p, 0, 256));
	ok(launch("copy", bad) == hipSuccess, "a launch that faults is enqueued");
	ok(mxhipReport()->stopped && mxhipReport()->findings[0].kind == MX_FAULT,
	   "its report has the fault");
	ok(hipDeviceSynchronize() == hipErrorIllegalAddress && hipDeviceSynchronize() == hipSuccess,
	   "the next synchronising call returns the error, once");
	must(launch("copy", bad));
	must(launch("copy", good));
	ok(hipStreamSynchronize(NULL) == hipErrorIllegalAddress,
	   "a good launch after it does not hide the error");
	must(launch("copy", bad));
	ok(hipMemcpy(&(uint32_t){ 0 }, p, 4, hipMemcpyDeviceToHost) == hipErrorIllegalAddress,
	   "a copy is a synchronising call");
	must(launch("trap", NULL));
	ok(hipDeviceSynchronize() != hipSuccess, "a trap is an error");
	must(hipFree(p));
}

/* ---- extensions of libmxhip.so ---- */

static const struct mx_finding *first_finding(const char *kind) {
	const struct mx_report *r = mxhipReport();
	for (size_t i = 0; i < r->n_findings; i++)
		if (!strcmp(mxhipFindingName(r->findings[i].kind), kind))
			return &r->findings[i];
	return NULL;
}

static void test_marks(void) {
	uint32_t *in = device_bytes(256), *out = device_bytes(256);
	void *params[] = { &out, &in };
	must(launch("copy", params));
	ok(first_finding("uninitialised") != NULL, "unwritten memory is uninitialised");
	must(hipMemset(in, 1, 256));
	must(launch("copy", params));
	ok(!mxhipReport()->n_findings, "memory that was set is initialised");
	ok(mxhipMark(in, 4, 0) && mxhipMark(out + 63, 4, MX_GUARD), "bytes are marked");
	must(launch("copy", params));
	const struct mx_finding *f = first_finding("out-of-bounds-write");
	ok(first_finding("uninitialised") && f && f->address == (uint64_t)(uintptr_t)(out + 63),
	   "a mark as unwritten counts, and a guard's finding has the address");
	if (f)
		ok(strstr(in_words(f), "copy+0x") && f->lane == 63 && f->wave == 0,
		   "it names kernel, pc, wave and lane");
	uint8_t states[256];
	ok(mxhipStates(out, 256, states) && !states[0] && states[4] == MX_WRITTEN &&
	           states[252] == (MX_GUARD | MX_WRITTEN),
	   "states are read: of an unwritten value, of a store, of a store in a guard");
	ok(!mxhipStates(in, 257, states) && !mxhipStates(&in, 4, states),
	   "bytes outside one allocation have no states");
	ok(!mxhipMark(in, 257, 0) && !mxhipMark(&in, 4, 0) && !mxhipMark(NULL, 1, 0),
	   "bytes outside one allocation cannot be marked");
	must(hipMemset(in, 1, 256));
	must(hipMemcpy(out, in, 256, hipMemcpyDeviceToDevice));
	must(launch("copy", (void *[]){ &in, &out }));
	ok(!mxhipReport()->n_findings, "a copy copies states, too");
	must(hipFree(in));
	must(hipFree(out));
}

/* The mapping of a launch's arguments may be used again. */
static void test_after_launch(void) {
	uint32_t *in = device_bytes(256), *out = device_bytes(256);
	uint8_t states[64], zeros[64] = { 0 };
	must(launch("copy", (void *[]){ &in, &out }));
	uint32_t *next = device_bytes(64);
	ok(mxhipStates(next, 64, states) && !memcmp(states, zeros, 64) && !memcmp(next, zeros, 64),
	   "an allocation after a launch is zero, and unwritten");
	must(hipFree(next));
	must(hipFree(in));
	must(hipFree(out));
}

static uint32_t last_wave(uint64_t seed, uint32_t *out) {
	uint32_t wave;
	with_options(.seed = seed);
	must(hipModuleLaunchKernel(kernel("last_wave"), 1, 1, 1, 256, 1, 1, 0, NULL,
	                           (void *[]){ &out }, NULL));
	must(hipMemcpy(&wave, out, 4, hipMemcpyDeviceToHost));
	return wave;
}

static void test_seeds(void) {
	uint32_t *out = device_bytes(4), seen = 0, same = 0;
	for (uint64_t seed = 0; seed < 64; seed++) {
		uint32_t wave = last_wave(seed, out);
		seen |= 1u << wave;
		same += last_wave(seed, out) == wave;
	}
	ok(seen == 0xF, "over 64 seeds each of four waves stores last");
	ok(same == 64, "the same seed gives the same schedule");
	must(mxhipSetLaunchOptions(NULL));
	must(hipFree(out));
}

/* Codes of all kinds; the scales differ so much that a sum of four blocks does not fit 24 bits. */
static void run_dot(const char *profile, const mx_profile *single, float out[256]) {
	static uint8_t codes[2048], scales[512];
	uint32_t x = 1;
	for (unsigned i = 0; i < sizeof codes; i++)
		codes[i] = (x = x * 1664525 + 1013904223) >> 24;
	for (unsigned i = 0; i < sizeof scales; i++)
		scales[i] = 115 + ((x = x * 1664525 + 1013904223) >> 16) % 25;
	void *c = device_copy(codes, sizeof codes), *s = device_copy(scales, sizeof scales);
	void *o = device_bytes(1024), *params[] = { &o, &c, &s };
	with_options(.profile = profile, .arithmetics = &single, .n_arithmetics = single != NULL);
	must(launch("dot", params));
	must(hipMemcpy(out, o, 1024, hipMemcpyDeviceToHost));
	must(hipFree(c));
	must(hipFree(s));
	must(hipFree(o));
}

static void test_profiles(void) {
	float by_default[256], block32[256], fused[256];
	run_dot("block32", NULL, by_default);
	run_dot("fused", NULL, fused);
	run_dot("block32", NULL, block32);
	ok(!memcmp(by_default, block32, sizeof block32), "a profile gives the same bits again");
	ok(memcmp(block32, fused, sizeof block32), "another profile gives other bits");
	mx_profile single = { .name = "v_mfma_scale_f32_16x16x128_f8f6f4_E2M1_E2M1", .parts = 1 };
	run_dot("block32", &single, by_default);
	ok(!memcmp(by_default, fused, sizeof fused) && !mxhipReport()->n_findings,
	   "an instruction can have one of its own, here fused");
	single.name = "v_mfma_scale_f32_16x16x128_f8f6f4_E2M1_E4M3";
	run_dot("block32", &single, by_default);
	ok(!memcmp(by_default, block32, sizeof fused) && mxhipReport()->n_findings == 1 &&
	           strstr(in_words(mxhipReport()->findings), "lack this one"),
	   "  one that has none has the launch's, and a note");
}

static void test_counts(void) {
	float out[256];
	run_dot("block32", NULL, out);
	const struct mx_stats *s = &mxhipReport()->stats;
	uint64_t sum = 0;
	for (size_t i = 0; i < mxhipOpCount(); i++)
		sum += s->by_op[i];
	ok(s->mfma == 1 && sum == s->instructions && sum > 10,
	   "a report counts every wave instruction once, and one MFMA");
	ok(s->most[0] >= 2, "two loads were in flight at once");
	ok(!strcmp(mxhipFindingName(MX_STUCK), "no-progress") && mxhipOpName(0)[0],
	   "findings and instructions have names");
}

/* ---- several threads ---- */

enum { THREADS = 4, ROUNDS = 40 };

/* Each thread has its own memory, data, seed, profile and report, and so errors of its own. */
static void *one_thread(void *argument) {
	static struct mx_report reports[THREADS];
	uintptr_t id = (uintptr_t)argument, good = 0;
	struct mx_report *report = &reports[id];
	uint32_t in[64], out[64];
	for (unsigned round = 0; round < ROUNDS; round++) {
		uint32_t *a = device_bytes(256), *b = device_bytes(256 + 4096 * id);
		void *nowhere = NULL, *fine[] = { &b, &a }, *bad[] = { &nowhere, &a };
		for (unsigned i = 0; i < 64; i++)
			in[i] = (uint32_t)(id << 16 | round << 8 | i);
		must(hipMemcpy(a, in, 256, hipMemcpyHostToDevice));
		with_options(.seed = round, .report = report);
		must(launch("copy", id == 0 ? bad : fine));
		hipError_t e = hipDeviceSynchronize();
		if (id == 0)
			good += e == hipErrorIllegalAddress && report->n_findings == 1;
		else {
			must(hipMemcpy(out, b, 256, hipMemcpyDeviceToHost));
			good += e == hipSuccess && !report->n_findings &&
			        !memcmp(in, out, sizeof in);
		}
		must(hipFree(a));
		must(hipFree(b));
	}
	return (void *)good;
}

static void test_threads(void) {
	pthread_t threads[THREADS];
	uintptr_t good = 0;
	for (uintptr_t i = 0; i < THREADS; i++)
		if (pthread_create(&threads[i], NULL, one_thread, (void *)i))
			exit(1);
	for (unsigned i = 0; i < THREADS; i++) {
		void *n;
		pthread_join(threads[i], &n);
		good += (uintptr_t)n;
	}
	ok(good == THREADS * ROUNDS,
	   "%d threads allocate, launch and free at once, and one's faults are its own", THREADS);
}

int main(void) {
	must(hipModuleLoad(&probe, built("tests/hip/probe.gpu.co")));
	test_device();
	test_properties();
	test_bus();
	test_free_memory();
	test_null_pointers();
	test_error_names();
	test_allocation();
	test_copies();
	test_bad_copies();
	test_memset();
	test_large_allocation();
	test_streams_and_events();
	test_modules();
	test_globals();
	test_data();
	test_arguments();
	test_hidden_arguments();
	test_absent_buffers();
	test_dynamic_lds();
	test_bad_shapes();
	test_faults();
	test_marks();
	test_after_launch();
	test_seeds();
	test_profiles();
	test_counts();
	test_threads();
	must(hipModuleUnload(probe));
	return done_testing();
}
