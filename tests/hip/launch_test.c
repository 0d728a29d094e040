/* Launches of a host program built by hipcc: bundles, registered symbols, graphs, and the state of
 * the launch that a kernel can read. */
#include "runtime_test.h"

enum { DESCRIPTOR_BYTES = 64, RSRC3 = 44, RSRC1 = 48, RSRC2 = 52, PROPERTIES = 56 };

/* Functions that Clang's host code calls and that no header declares. */
void **__hipRegisterFatBinary(const void *data);
void __hipUnregisterFatBinary(void **binary);
void __hipRegisterFunction(void **binary, const void *host, char *device_name, const char *name,
                           unsigned threads, void *tid, void *bid, dim3 *block, dim3 *grid,
                           int *wave);
void __hipRegisterVar(void **binary, void *host, char *host_name, const char *name, int external,
                      size_t size, int constant, int global);
hipError_t __hipPushCallConfiguration(dim3 grid, dim3 block, size_t lds, hipStream_t stream);
hipError_t hipExtModuleLaunchKernel(hipFunction_t f, uint32_t nx, uint32_t ny, uint32_t nz,
                                    uint32_t bx, uint32_t by, uint32_t bz, size_t lds,
                                    hipStream_t stream, void **params, void **extra,
                                    hipEvent_t start, hipEvent_t stop, uint32_t flags);
hipError_t hipModuleLaunchCooperativeKernel(hipFunction_t f, unsigned gx, unsigned gy, unsigned gz,
                                            unsigned bx, unsigned by, unsigned bz, unsigned lds,
                                            hipStream_t stream, void **params);
hipError_t hipDeviceSetLimit(enum hipLimit_t limit, size_t value);

static uint8_t *good; /* the probe's file */
static size_t size;
static hipModule_t probe;

static hipFunction_t kernel(const char *name) {
	hipFunction_t f;
	must(hipModuleGetFunction(&f, probe, name));
	return f;
}

static uint8_t *copy_of_good(void) {
	uint8_t *copy = malloc(size);
	if (!copy)
		exit(1);
	return memcpy(copy, good, size);
}

/* ---- bundles ---- */

/* A bundle of the probe under several ids; entries of other ids are junk. */
struct bundle {
	uint8_t bytes[1 << 17];
	size_t n;
	uint64_t end;
};

static void begin_bundle(struct bundle *b, uint64_t entries) {
	memset(b->bytes, 0, sizeof b->bytes);
	memcpy(b->bytes, "__CLANG_OFFLOAD_BUNDLE__", 24);
	memcpy(b->bytes + 24, &entries, 8);
	b->n = 32;
	b->end = 4096;
}

static void add_entry(struct bundle *b, const char *id, const void *bytes, uint64_t n) {
	uint64_t head[3] = { b->end, n, strlen(id) };
	memcpy(b->bytes + b->n, head, sizeof head);
	memcpy(b->bytes + b->n + sizeof head, id, strlen(id));
	memcpy(b->bytes + b->end, bytes, n);
	b->n += sizeof head + strlen(id);
	b->end += (n + 4095) / 4096 * 4096;
}

static bool bundle_loads(const struct bundle *b) {
	hipModule_t m;
	if (hipModuleLoadData(&m, b->bytes) != hipSuccess)
		return false;
	must(hipModuleUnload(m));
	return true;
}

static void test_bundles(void) {
	static struct bundle b;
	static const struct {
		const char *id;
		bool fits;
	} ids[] = {
		{ "hipv4-amdgcn-amd-amdhsa--gfx950", true },
		{ "hip-amdgcn-amd-amdhsa-gfx950", true },
		{ "hipv4-amdgcn-amd-amdhsa--gfx950:sramecc+:xnack-", true },
		{ "hipv4-amdgcn-amd-amdhsa--gfx9-4-generic:xnack-", true },
		{ "hipv4-amdgcn-amd-amdhsa--gfx950:xnack+", false },
		{ "hipv4-amdgcn-amd-amdhsa--gfx950:sramecc-:xnack-", false },
		{ "hipv4-amdgcn-amd-amdhsa--gfx942", false },
		{ "hipv4-amdgcn-amd-amdhsa--gfx9500", false },
		{ "host-x86_64-unknown-linux--gfx950", false },
	};
	for (size_t i = 0; i < COUNT(ids); i++) {
		begin_bundle(&b, 2);
		add_entry(&b, "host-x86_64-unknown-linux--", "", 0);
		add_entry(&b, ids[i].id, good, size);
		ok(bundle_loads(&b) == ids[i].fits, "an entry %s is %s", ids[i].id,
		   ids[i].fits ? "taken" : "left");
	}
	ok(strstr(mxhipErrorDetail(), "only: host-x86_64"), "the detail lists the entries");
	begin_bundle(&b, 3);
	add_entry(&b, "hipv4-amdgcn-amd-amdhsa--gfx942", "x", 1);
	add_entry(&b, "hipv4-amdgcn-amd-amdhsa--gfx950", "x", 1);
	add_entry(&b, "hipv4-amdgcn-amd-amdhsa--gfx950:xnack-", good, size);
	ok(bundle_loads(&b), "an entry that names more features is preferred");
	begin_bundle(&b, 2);
	add_entry(&b, "hipv4-amdgcn-amd-amdhsa--gfx950:xnack-", "x", 1);
	add_entry(&b, "hipv4-amdgcn-amd-amdhsa--gfx950:sramecc+:xnack-", good, size);
	ok(bundle_loads(&b), "an entry that names both is preferred to that");
	begin_bundle(&b, UINT64_MAX);
	ok(!bundle_loads(&b) && strstr(mxhipErrorDetail(), "bundle"), "2^64 - 1 entries are not");
	ok(hipModuleLoadData(&(hipModule_t){ 0 }, "CCOB compressed") == hipErrorInvalidImage &&
	           strstr(mxhipErrorDetail(), "compressed bundle"),
	   "a broken compressed bundle is refused");
}

static hipError_t load_with_flags(uint32_t clear, uint32_t set) {
	hipModule_t m;
	uint8_t *f = copy_of_good();
	uint32_t flags;
	memcpy(&flags, f + 48, 4);
	flags = (flags & ~clear) | set;
	memcpy(f + 48, &flags, 4);
	hipError_t e = hipModuleLoadData(&m, f);
	if (e == hipSuccess)
		must(hipModuleUnload(m));
	free(f);
	return e;
}

static void test_features(void) {
	ok(load_with_flags(0xF00, 0) == hipSuccess && load_with_flags(0xF00, 0xE00) == hipSuccess,
	   "code without features, and with xnack- and sramecc+, is loaded");
	ok(load_with_flags(0x300, 0x300) == hipErrorNoBinaryForGpu &&
	           strstr(mxhipErrorDetail(), "xnack+"),
	   "code for xnack+ is refused");
	ok(load_with_flags(0xC00, 0x800) == hipErrorNoBinaryForGpu &&
	           strstr(mxhipErrorDetail(), "sramecc-"),
	   "code for sramecc- is refused");
	uint8_t *f = copy_of_good();
	f[8] = 0;
	ok(hipModuleLoadData(&(hipModule_t){ 0 }, f) == hipErrorInvalidImage &&
	           strstr(mxhipErrorDetail(), "ABI version 0"),
	   "code object v2 is refused");
	free(f);
}

/* ---- registered symbols ---- */

static char add_stub, missing_stub, counter_symbol; /* their addresses stand for symbols */

/* A graph that copies a word to a variable, and back. */
static void run_symbol_nodes(uint32_t *from, uint32_t *to) {
	hipGraph_t g;
	hipGraphExec_t exec;
	hipGraphNode_t in, out;
	must(hipGraphCreate(&g, 0));
	must(hipGraphAddMemcpyNodeToSymbol(&in, g, NULL, 0, &counter_symbol, from, 4, 4,
	                                   hipMemcpyHostToDevice));
	must(hipGraphAddMemcpyNodeFromSymbol(&out, g, &in, 1, to, &counter_symbol, 4, 4,
	                                     hipMemcpyDeviceToHost));
	must(hipGraphInstantiate(&exec, g, NULL, NULL, 0));
	must(hipGraphLaunch(exec, NULL));
	must(hipStreamSynchronize(NULL));
	must(hipGraphExecDestroy(exec));
	must(hipGraphDestroy(g));
}

hipError_t hipOccupancyAvailableDynamicSMemPerBlock(size_t *lds, const void *host, int n,
                                                    int block);

static void test_function_attributes(const void *host) {
	const hipFuncAttribute lds = hipFuncAttributeMaxDynamicSharedMemorySize,
	                       carveout = hipFuncAttributePreferredSharedMemoryCarveout;
	struct hipFuncAttributes a;
	ok(hipFuncSetAttribute(host, lds, 1024) == hipSuccess &&
	           hipFuncSetAttribute(host, carveout, 50) == hipSuccess &&
	           hipFuncGetAttributes(&a, host) == hipSuccess &&
	           a.maxDynamicSharedSizeBytes == 1024 && a.preferredShmemCarveout == 50,
	   "attributes that are set are told again");
	ok(hipFuncSetAttribute(host, lds, -1) == hipErrorInvalidValue &&
	           hipFuncSetAttribute(host, lds, 160 * 1024 + 1) == hipErrorInvalidValue &&
	           hipFuncSetAttribute(host, carveout, -2) == hipErrorInvalidValue &&
	           hipFuncSetAttribute(host, carveout, 101) == hipErrorInvalidValue &&
	           hipFuncSetAttribute(host, (hipFuncAttribute)1, 1) == hipErrorInvalidValue,
	   "others are refused");
	ok(hipLaunchKernel(host, (dim3){ 1, 1, 1 }, (dim3){ 1, 1, 1 }, NULL, 160 * 1024 + 1,
	                   NULL) == hipErrorInvalidValue,
	   "so is more LDS than the device has");
}

static void test_available_lds(const void *stub) {
	enum { KIB = 1024 };
	size_t lds = 0, ten = 0;
	ok(hipOccupancyAvailableDynamicSMemPerBlock(&lds, stub, 1, 64) == hipSuccess &&
	           lds == 160 * KIB,
	   "one block may have all of the LDS");
	ok(hipOccupancyAvailableDynamicSMemPerBlock(&lds, stub, 2, 64) == hipSuccess &&
	           lds == 80 * KIB &&
	           hipOccupancyAvailableDynamicSMemPerBlock(&lds, stub, 9, 1024) == hipSuccess &&
	           hipOccupancyAvailableDynamicSMemPerBlock(&ten, stub, 10, 1024) == hipSuccess &&
	           lds == ten,
	   "two blocks half; more than fit get no less");
	ok(hipOccupancyAvailableDynamicSMemPerBlock(NULL, stub, 1, 64) == hipErrorInvalidValue &&
	           hipOccupancyAvailableDynamicSMemPerBlock(&lds, stub, 0, 64) ==
	                   hipErrorInvalidValue &&
	           hipOccupancyAvailableDynamicSMemPerBlock(&lds, stub, 1, 0) ==
	                   hipErrorInvalidValue &&
	           hipOccupancyAvailableDynamicSMemPerBlock(&lds, NULL, 1, 64) ==
	                   hipErrorInvalidDeviceFunction,
	   "it needs a place, blocks, work-items and a kernel");
}

static void test_registration(void) {
	const struct {
		uint32_t magic, version;
		const void *image;
		void *unused;
	} wrapper = { 0x48495046, 1, good, NULL };
	uint32_t in[64] = { 5 }, seven = 7, eight = 8, both[2], *p = device_copy(in, sizeof in);
	void *params[] = { &p, &seven }, *address;
	hipStream_t stream = NULL;
	struct hipFuncAttributes a;
	dim3 grid = { 1, 1, 1 }, block = { 64, 1, 1 };
	size_t lds = 9;
	void **binary = __hipRegisterFatBinary(&wrapper);
	__hipRegisterFunction(binary, &add_stub, "add", "add", -1u, NULL, NULL, NULL, NULL, NULL);
	__hipRegisterVar(binary, &counter_symbol, "counter", "counter", 0, 8, 0, 0);

	must(__hipPushCallConfiguration(grid, block, 0, NULL));
	grid.x = block.x = 0;
	must(__hipPopCallConfiguration(&grid, &block, &lds, &stream));
	ok(grid.x == 1 && block.x == 64 && lds == 0 && !stream,
	   "a stub gets back the configuration that its caller pushed");
	ok(__hipPopCallConfiguration(&grid, &block, &lds, &stream) != hipSuccess, "only once");
	must(hipLaunchKernel(&add_stub, grid, block, params, 0, NULL));
	must(hipMemcpy(in, p, sizeof in, hipMemcpyDeviceToHost));
	ok(in[0] == 12 && in[63] == 7, "a registered kernel is launched by its host symbol");
	must(hipLaunchCooperativeKernel(&add_stub, grid, block, params, 0, NULL));
	must(hipMemcpy(in, p, sizeof in, hipMemcpyDeviceToHost));
	ok(in[0] == 19, "and as a cooperative one");
	ok(hipLaunchKernel(&missing_stub, grid, block, params, 0, NULL) ==
	           hipErrorInvalidDeviceFunction,
	   "an unregistered symbol cannot be launched");
	must(hipMemcpyFromSymbol(both, &counter_symbol, 8, 0, hipMemcpyDeviceToHost));
	must(hipMemcpyToSymbol(&counter_symbol, &seven, 4, 4, hipMemcpyHostToDevice));
	must(hipMemcpyFromSymbol(&both[1], &counter_symbol, 4, 4, hipMemcpyDeviceToHost));
	ok(both[0] == 40 && both[1] == 7, "a registered variable is read and written");
	must(hipMemcpyToSymbolAsync(&counter_symbol, &eight, 4, 4, hipMemcpyHostToDevice, NULL));
	must(hipMemcpyFromSymbolAsync(&both[1], &counter_symbol, 4, 4, hipMemcpyDeviceToHost,
	                              NULL));
	must(hipStreamSynchronize(NULL));
	ok(both[1] == 8, "and in a stream");
	run_symbol_nodes(&seven, &both[1]);
	ok(both[1] == 7, "and by nodes of a graph");
	ok(hipGetSymbolAddress(&address, &counter_symbol) == hipSuccess && address &&
	           hipGetSymbolSize(&lds, &counter_symbol) == hipSuccess && lds == 8,
	   "it has an address and a size");
	ok(hipMemcpyToSymbol(&counter_symbol, &seven, 4, 5, hipMemcpyHostToDevice) ==
	           hipErrorInvalidValue,
	   "and an end");
	ok(hipMemcpyToSymbol(&counter_symbol, &seven, 4, 0, hipMemcpyDeviceToHost) ==
	                   hipErrorInvalidMemcpyDirection &&
	           hipMemcpyFromSymbol(&seven, &counter_symbol, 4, 0, hipMemcpyHostToDevice) ==
	                   hipErrorInvalidMemcpyDirection,
	   "and a direction");
	ok(hipFuncGetAttributes(&a, &add_stub) == hipSuccess && a.maxThreadsPerBlock == 1024 &&
	           a.numRegs == 8 && a.sharedSizeBytes == 0,
	   "its attributes are those of the code object");
	test_available_lds(&add_stub);
	test_function_attributes(&add_stub);
	__hipUnregisterFatBinary(binary);
	ok(hipLaunchKernel(&add_stub, grid, block, params, 0, NULL) ==
	           hipErrorInvalidDeviceFunction,
	   "an unregistered kernel is gone");
	ok(!__hipRegisterFatBinary("not a wrapper, and long enough"),
	   "a wrapper without its magic number is refused");
	must(hipFree(p));
}

/* ---- the launch as a kernel reads it ---- */

static void test_packet(void) {
	uint32_t out[12], *p = device_bytes(sizeof out);
	must(hipModuleLaunchKernel(kernel("packet"), 3, 2, 1, 1, 1, 1, 0, NULL, (void *[]){ &p },
	                           NULL));
	ok(!mxhipReport()->n_findings, "the packet's fields are all written");
	must(hipMemcpy(out, p, sizeof out, hipMemcpyDeviceToHost));
	ok((out[0] & 0xFF) == 2 && out[0] >> 16 == 2 && out[1] == 0x10001 && out[2] == 1 &&
	           out[3] == 3 && out[4] == 2 && out[5] == 1 && out[6] == 0 && out[7] == 0,
	   "the packet has its kind, and the sizes of the launch");
	ok(out[10] || out[11], "it has the address of the arguments");
	must(hipFree(p));
}

/* Their names in C++ [HIP, hip_ext.h]. */
hipError_t ext_launch(hipFunction_t f, uint32_t nx, uint32_t ny, uint32_t nz, uint32_t bx,
                      uint32_t by, uint32_t bz, size_t lds, hipStream_t stream, void **params,
                      void **extra, hipEvent_t start, hipEvent_t stop,
                      uint32_t flags) __asm__("_Z24hipExtModuleLaunchKernelP18ihipModuleSymbol_"
                                              "tjjjjjjmP12ihipStream_tPPvS4_"
                                              "P11ihipEvent_tS6_j");
hipError_t hcc_launch(hipFunction_t f, uint32_t nx, uint32_t ny, uint32_t nz, uint32_t bx,
                      uint32_t by, uint32_t bz, size_t lds, hipStream_t stream, void **params,
                      void **extra, hipEvent_t start,
                      hipEvent_t stop) __asm__("_Z24hipHccModuleLaunchKernelP18ihipModuleSymbol_"
                                               "tjjjjjjmP12ihipStream_tPPvS4_"
                                               "P11ihipEvent_tS6_");

static void test_cpp_names(void) {
	uint32_t zero = 0, one = 1, two = 2, *p = device_copy(&zero, sizeof zero);
	hipEvent_t stop;
	must(hipEventCreate(&stop));
	must(ext_launch(kernel("add"), 1, 1, 1, 1, 1, 1, 0, NULL, (void *[]){ &p, &one }, NULL,
	                NULL, stop, 0));
	must(hcc_launch(kernel("add"), 1, 1, 1, 1, 1, 1, 0, NULL, (void *[]){ &p, &two }, NULL,
	                NULL, stop));
	must(hipEventSynchronize(stop));
	ok(*p == 3, "hipExtModuleLaunchKernel has its names in C++, too");
	must(hipEventDestroy(stop));
	must(hipFree(p));
}

static void test_partial(void) {
	uint32_t out[128] = { 0 }, r[16], *p = device_copy(out, sizeof out), block = 64, n = 0;
	must(hipExtModuleLaunchKernel(kernel("here"), 100, 1, 1, 64, 1, 1, 0, NULL,
	                              (void *[]){ &p, &block }, NULL, NULL, NULL, 0));
	must(hipMemcpy(out, p, sizeof out, hipMemcpyDeviceToHost));
	for (unsigned i = 0; i < 128; i++)
		n += out[i] == (i < 100 ? 1 + i % 64 : 0);
	ok(n == 128, "100 work-items in workgroups of 64 are 64 and 36");
	memset(out, n = 0, sizeof out);
	must(hipMemset(p, 0, sizeof out));
	must(hipExtModuleLaunchKernel(kernel("here"), 100, 1, 1, 256, 1, 1, 0, NULL,
	                              (void *[]){ &p, &block }, NULL, NULL, NULL, 0));
	must(hipMemcpy(out, p, sizeof out, hipMemcpyDeviceToHost));
	for (unsigned i = 0; i < 128; i++)
		n += out[i] == (i < 100 ? 1 + i : 0);
	ok(n == 128, "in workgroups of 256 they are one workgroup of 100");
	must(hipExtModuleLaunchKernel(kernel("hidden"), 100, 1, 1, 64, 1, 1, 0, NULL,
	                              (void *[]){ &p }, NULL, NULL, NULL, 0));
	must(hipMemcpy(r, p, sizeof r, hipMemcpyDeviceToHost));
	ok(r[0] == 1 && r[3] == 64 && r[6] == 1 && r[7] == 36,
	   "their hidden arguments count whole workgroups, the remainder, and one axis");
	must(hipFree(p));
}

static void test_axes(void) {
	uint32_t out[64] = { 0 }, *p = device_copy(out, sizeof out), n = 0;
	must(hipModuleLaunchKernel(kernel("only_x"), 1, 1, 1, 16, 4, 1, 0, NULL, (void *[]){ &p },
	                           NULL));
	must(hipMemcpy(out, p, sizeof out, hipMemcpyDeviceToHost));
	for (unsigned i = 0; i < 64; i++)
		n += out[i] == (i < 16 ? i : 0);
	ok(n == 64 && !mxhipReport()->n_findings,
	   "a kernel that requests only x gets only x, also in a block of two axes");
	must(hipFree(p));
}

/* ---- descriptors ---- */

/* The probe with bits set in a dword of a kernel's descriptor. */
static hipModule_t with_descriptor(const char *name, unsigned at, uint32_t bits) {
	uint8_t *f = copy_of_good();
	char kd[64];
	hipDeviceptr_t p;
	size_t bytes, i = 0;
	hipModule_t m = NULL;
	uint32_t v;
	snprintf(kd, sizeof kd, "%s.kd", name);
	must(hipModuleGetGlobal(&p, &bytes, probe, kd));
	while (i + DESCRIPTOR_BYTES <= size && memcmp(f + i, p, DESCRIPTOR_BYTES))
		i += DESCRIPTOR_BYTES;
	memcpy(&v, f + i + at, 4);
	v |= bits;
	memcpy(f + i + at, &v, 4);
	must(hipModuleLoadData(&m, f));
	free(f);
	return m;
}

static hipError_t launch_changed(const char *name, unsigned at, uint32_t bits, unsigned block) {
	uint32_t *p = device_bytes(4096), zero = 0;
	hipModule_t m = with_descriptor(name, at, bits);
	hipFunction_t f;
	must(hipMemset(p, 0, 4096));
	must(hipModuleGetFunction(&f, m, name));
	hipError_t e = hipModuleLaunchKernel(f, 1, 1, 1, block, 1, 1, 0, NULL,
	                                     (void *[]){ &p, &zero }, NULL);
	if (e == hipSuccess)
		e = hipDeviceSynchronize();
	must(hipModuleUnload(m));
	must(hipFree(p));
	return e;
}

static void test_descriptors(void) {
	static const struct {
		const char *field;
		unsigned at;
		uint32_t bits;
	} t[] = {
		{ "PRIORITY", RSRC1, 1 << 10 },
		{ "PRIV", RSRC1, 1 << 20 },
		{ "DEBUG_MODE", RSRC1, 1 << 22 },
		{ "BULKY", RSRC1, 1 << 24 },
		{ "CDBG_USER", RSRC1, 1 << 25 },
		{ "ENABLE_TRAP_HANDLER", RSRC2, 1 << 6 },
		{ "exceptions", RSRC2, 1 << 24 },
		{ "GRANULATED_LDS_SIZE", RSRC2, 1 << 15 },
		{ "ENABLE_VGPR_WORKITEM_ID 3", RSRC2, 3 << 11 },
		{ "RSRC3", RSRC3, 1 << 17 },
		{ "private segment", PROPERTIES, 1 << 0 },
		{ "FLAT_SCRATCH", PROPERTIES, 1 << 5 },
		{ "wave32", PROPERTIES, 1 << 10 },
		{ "reserved", PROPERTIES, 1 << 13 },
		{ "reserved bytes", 24, 1 },
	};
	ok(launch_changed("add", RSRC1, 0, 64) == hipSuccess, "the descriptor is good as it is");
	for (size_t i = 0; i < COUNT(t); i++)
		ok(launch_changed("add", t[i].at, t[i].bits, 64) == hipErrorNotSupported &&
		           mxhipReport()->n_findings == 1 &&
		           strstr(in_words(&mxhipReport()->findings[0]), t[i].field),
		   "a descriptor with %s is refused, and the field is named", t[i].field);
	ok(launch_changed("add", RSRC3, 1 << 16, 64) == hipSuccess,
	   "TG_SPLIT changes nothing for a kernel without LDS");
	ok(launch_changed("add", RSRC1, 31, 512) == hipSuccess &&
	           launch_changed("add", RSRC1, 31, 513) == hipErrorLaunchOutOfResources &&
	           launch_changed("add", RSRC1, 15, 1024) == hipSuccess,
	   "256 registers leave room for 8 waves, 128 for 16");
}

/* ---- occupancy ---- */

static void test_occupancy(void) {
	int n = 0, grid = 0, block = 0, value = 0;
	hipModule_t m = with_descriptor("add", RSRC1, 31);
	hipFunction_t f;
	must(hipModuleGetFunction(&f, m, "add"));
	must(hipModuleOccupancyMaxActiveBlocksPerMultiprocessor(&n, f, 256, 0));
	ok(n == 2, "two workgroups of 4 waves of 256 registers fit a compute unit");
	must(hipModuleOccupancyMaxActiveBlocksPerMultiprocessor(&n, f, 256, 100 * 1024));
	ok(n == 1, "one, with 100 KiB of LDS each");
	must(hipModuleOccupancyMaxPotentialBlockSize(&grid, &block, f, 0, 0));
	ok(block == 512 && grid == 256, "the largest block that fills it has 512 work-items");
	ok(hipFuncGetAttribute(&value, HIP_FUNC_ATTRIBUTE_NUM_REGS, f) == hipSuccess &&
	           value == 256,
	   "a function's attributes are its descriptor's");
	ok(hipFuncGetAttribute(&value, HIP_FUNC_ATTRIBUTE_BINARY_VERSION, f) == hipSuccess &&
	           value == 95 &&
	           hipFuncGetAttribute(&value, HIP_FUNC_ATTRIBUTE_CACHE_MODE_CA, f) == hipSuccess &&
	           !value &&
	           hipFuncGetAttribute(&value, (hipFunction_attribute)-1, f) ==
	                   hipErrorInvalidValue,
	   "they have the version of the device, and an end");
	ok(hipFuncGetAttribute(NULL, HIP_FUNC_ATTRIBUTE_NUM_REGS, f) == hipErrorInvalidValue &&
	           hipFuncGetAttribute(&value, HIP_FUNC_ATTRIBUTE_NUM_REGS, NULL) ==
	                   hipErrorInvalidHandle,
	   "a query needs a result and a function");
	must(hipModuleUnload(m));
	ok(hipModuleLaunchCooperativeKernel(kernel("add"), 1 << 20, 1, 1, 64, 1, 1, 0, NULL,
	                                    (void *[]){ &f, &n }) ==
	           hipErrorCooperativeLaunchTooLarge,
	   "a cooperative launch that does not fit is too large");
	size_t stack = 0;
	ok(hipDeviceSetLimit((enum hipLimit_t)0, 4000) == hipSuccess &&
	           hipDeviceGetLimit(&stack, (enum hipLimit_t)0) == hipSuccess && stack == 4000,
	   "the limit of a dynamic stack is kept");
	must(hipDeviceSetLimit((enum hipLimit_t)0, 1024));
	ok(hipDeviceSetLimit((enum hipLimit_t)1, 1024) == hipErrorUnsupportedLimit &&
	           hipDeviceGetLimit(&stack, (enum hipLimit_t)1) == hipErrorUnsupportedLimit,
	   "there is no other limit");
	ok(hipDeviceSetLimit((enum hipLimit_t)0xffff, 1024) == hipErrorInvalidValue &&
	           hipDeviceGetLimit(&stack, (enum hipLimit_t)0xffff) == hipErrorInvalidValue,
	   "and none after the last");
}

/* ---- graphs ---- */

static uint32_t value_of(uint32_t *p) {
	uint32_t v;
	must(hipMemcpy(&v, p, 4, hipMemcpyDeviceToHost));
	return v;
}

static void count_call(void *n) {
	++*(int *)n;
}

static void test_capture(void) {
	uint32_t *p = device_bytes(256), five = 5, six = 6;
	int calls = 0;
	void *params[] = { &p, &five };
	hipStream_t s, t;
	hipEvent_t e;
	hipGraph_t g;
	hipGraphExec_t x;
	hipStreamCaptureStatus status;
	size_t n = 0;
	must(hipMemset(p, 0xFF, 256));
	must(hipStreamCreate(&s));
	must(hipStreamCreate(&t));
	must(hipEventCreate(&e));
	must(hipStreamBeginCapture(s, hipStreamCaptureModeGlobal));
	must(hipMemsetAsync(p, 0, 256, s));
	must(hipModuleLaunchKernel(kernel("add"), 1, 1, 1, 64, 1, 1, 0, s, params, NULL));
	must(hipEventRecord(e, s));
	must(hipStreamWaitEvent(t, e, 0));
	must(hipModuleLaunchKernel(kernel("add"), 1, 1, 1, 64, 1, 1, 0, t, params, NULL));
	must(hipMemcpyAsync(p + 1, p, 4, hipMemcpyDeviceToDevice, t));
	must(hipLaunchHostFunc(s, count_call, &calls));
	ok(hipStreamIsCapturing(t, &status) == hipSuccess && status == hipStreamCaptureStatusActive,
	   "a stream that waits for a captured one's event is captured");
	must(hipEventRecord(e, t));
	must(hipStreamWaitEvent(s, e, 0));
	must(hipStreamEndCapture(s, &g));
	five = 100;
	ok(value_of(p) == 0xFFFFFFFF && !calls, "captured work does not run");
	ok(hipGraphGetNodes(g, NULL, &n) == hipSuccess && n == 5, "it becomes five nodes");
	must(hipGraphInstantiate(&x, g, NULL, NULL, 0));
	must(hipGraphLaunch(x, s));
	must(hipGraphLaunch(x, s));
	ok(value_of(p) == 10 && value_of(p + 1) == 10 && calls == 2,
	   "it runs at every launch, with its original arguments");
	hipGraphNode_t nodes[5];
	n = 5;
	must(hipGraphGetNodes(g, nodes, &n));
	hipKernelNodeParams changed = { .blockDim = { 64, 1, 1 },
		                        .gridDim = { 1, 1, 1 },
		                        .func = kernel("add"),
		                        .kernelParams = (void *[]){ &p, &six } };
	must(hipGraphExecKernelNodeSetParams(x, nodes[1], &changed));
	must(hipGraphLaunch(x, NULL));
	ok(value_of(p) == 11, "a node's arguments can be changed");
	must(hipGraphExecDestroy(x));
	must(hipGraphDestroy(g));
	must(hipEventDestroy(e));
	must(hipStreamDestroy(s));
	must(hipStreamDestroy(t));
	must(hipFree(p));
}

static void test_manual_graph(void) {
	uint32_t *p = device_bytes(256), *q = device_bytes(4), three = 3;
	hipGraph_t g, outer;
	hipGraphExec_t x;
	hipGraphNode_t set, add, copy, child, again;
	hipKernelNodeParams launch = { .blockDim = { 64, 1, 1 },
		                       .gridDim = { 1, 1, 1 },
		                       .func = kernel("add"),
		                       .kernelParams = (void *[]){ &p, &three } };
	hipMemsetParams zero = { .dst = p, .elementSize = 4, .height = 1, .value = 7, .width = 64 };
	must(hipGraphCreate(&g, 0));
	must(hipGraphAddMemcpyNode1D(&copy, g, NULL, 0, q, p, 4, hipMemcpyDeviceToDevice));
	must(hipGraphAddKernelNode(&add, g, NULL, 0, &launch));
	must(hipGraphAddMemsetNode(&set, g, NULL, 0, &zero));
	must(hipGraphAddDependencies(g, (hipGraphNode_t[]){ set, add },
	                             (hipGraphNode_t[]){ add, copy }, 2));
	must(hipGraphInstantiate(&x, g, NULL, NULL, 0));
	must(hipGraphLaunch(x, NULL));
	ok(value_of(q) == 10,
	   "nodes run in the order of their dependencies, not of their creation");
	must(hipGraphExecDestroy(x));
	must(hipGraphCreate(&outer, 0));
	must(hipGraphAddChildGraphNode(&child, outer, NULL, 0, g));
	must(hipGraphAddKernelNode(&again, outer, &child, 1, &launch));
	must(hipGraphInstantiate(&x, outer, NULL, NULL, 0));
	must(hipGraphLaunch(x, NULL));
	ok(value_of(p) == 13 && value_of(q) == 10, "a graph can be a node of another");
	must(hipGraphExecDestroy(x));
	must(hipGraphAddDependencies(g, &copy, &set, 1));
	ok(hipGraphInstantiate(&x, g, NULL, NULL, 0) == hipErrorInvalidValue &&
	           strstr(mxhipErrorDetail(), "depend on each other"),
	   "nodes that depend on each other cannot be instantiated");
	must(hipGraphDestroy(g));
	must(hipGraphDestroy(outer));
	must(hipFree(p));
	must(hipFree(q));
}

/* ---- threads ---- */

static void test_threads(void) {
	enum { N = 1 << 18 };
	static uint32_t one[N], two[N];
	uint32_t *p = device_bytes(sizeof one), block = 256;
	uint64_t instructions[2];
	void *params[] = { &p, &block };
	for (unsigned threads = 1; threads <= 2; threads++) {
		with_options(.threads = threads);
		must(hipMemset(p, 0, sizeof one));
		must(hipModuleLaunchKernel(kernel("here"), N / 256, 1, 1, 256, 1, 1, 0, NULL,
		                           params, NULL));
		instructions[threads - 1] = mxhipReport()->stats.instructions;
		must(hipMemcpy(threads == 1 ? one : two, p, sizeof one, hipMemcpyDeviceToHost));
	}
	must(mxhipSetLaunchOptions(NULL));
	ok(!memcmp(one, two, sizeof one) && one[N - 1] == 256 && instructions[0] == instructions[1],
	   "a launch on two threads gives the bytes of one thread");
	must(hipFree(p));
}

/* ---- launches with attributes ---- */

/* Structures of HIP 6.5 and newer, which the headers of HIP 5 lack. */
struct attribute {
	int id, pad;
	union {
		int cooperative;
		unsigned cluster[3];
		char all[64];
	} value;
};

struct driver_config {
	unsigned grid[3], block[3], lds;
	hipStream_t stream;
	struct attribute *attributes;
	unsigned n;
};

hipError_t hipDrvLaunchKernelEx(const struct driver_config *c, hipFunction_t f, void **params,
                                void **extra);

static void test_driver_launch(void) {
	uint32_t in[64], *from, *to = device_bytes(256);
	for (unsigned i = 0; i < 64; i++)
		in[i] = 7 * i;
	from = device_copy(in, sizeof in);
	void *params[] = { &to, &from };
	struct attribute a[2] = { { .id = 2, .value.cooperative = 1 },
		                  { .id = 4, .value.cluster = { 1, 1, 1 } } };
	struct driver_config c = {
		.grid = { 1, 1, 1 }, .block = { 64, 1, 1 }, .attributes = a, .n = 2
	};
	hipFunction_t f = kernel("copy");
	ok(hipDrvLaunchKernelEx(&c, f, params, NULL) == hipSuccess &&
	           hipDeviceSynchronize() == hipSuccess && !memcmp(to, in, sizeof in),
	   "a launch with attributes");
	c.grid[0] = 1 << 20;
	ok(hipDrvLaunchKernelEx(&c, f, params, NULL) == hipErrorCooperativeLaunchTooLarge,
	   "one that is cooperative must fit");
	c.grid[0] = 1;
	a[1].value.cluster[1] = 2;
	ok(hipDrvLaunchKernelEx(&c, f, params, NULL) == hipErrorNotSupported &&
	           strstr(mxhipErrorDetail(), "clusters of 1 x 2 x 1 workgroups: gfx950 has none"),
	   "gfx950 has no clusters");
	c.attributes = NULL;
	ok(hipDrvLaunchKernelEx(&c, f, params, NULL) == hipErrorInvalidValue &&
	           hipDrvLaunchKernelEx(NULL, f, params, NULL) == hipErrorInvalidValue,
	   "attributes and configuration are needed");
	must(hipFree(from));
	must(hipFree(to));
}

static void test_event_nodes(void) {
	hipEvent_t before, after;
	hipGraph_t graph;
	hipGraphNode_t nodes[3];
	hipGraphExec_t exec;
	float ms = -1;
	uint32_t *p = device_bytes(4);
	hipMemsetParams set = { .dst = p, .elementSize = 4, .height = 1, .width = 1, .value = 77 };
	must(hipEventCreate(&before));
	must(hipEventCreate(&after));
	must(hipGraphCreate(&graph, 0));
	must(hipGraphAddEventRecordNode(&nodes[0], graph, NULL, 0, before));
	must(hipGraphAddMemsetNode(&nodes[1], graph, &nodes[0], 1, &set));
	must(hipGraphAddEventRecordNode(&nodes[2], graph, &nodes[1], 1, after));
	must(hipGraphInstantiate(&exec, graph, NULL, NULL, 0));
	ok(hipEventElapsedTime(&ms, before, after) == hipErrorInvalidHandle,
	   "nodes that record events have not run yet");
	must(hipGraphLaunch(exec, NULL));
	must(hipDeviceSynchronize());
	ok(hipEventElapsedTime(&ms, before, after) == hipSuccess && ms >= 0 && *p == 77,
	   "a graph records its events");
	must(hipGraphExecDestroy(exec));
	must(hipGraphDestroy(graph));
	must(hipEventDestroy(before));
	must(hipEventDestroy(after));
	must(hipFree(p));
}

int main(void) {
	good = read_whole(built("tests/hip/probe.gpu.co"), &size);
	must(hipModuleLoadData(&probe, good));
	test_bundles();
	test_features();
	test_registration();
	test_packet();
	test_cpp_names();
	test_partial();
	test_axes();
	test_descriptors();
	test_occupancy();
	test_capture();
	test_manual_graph();
	test_event_nodes();
	test_driver_launch();
	test_threads();
	must(hipModuleUnload(probe));
	free(good);
	return done_testing();
}
