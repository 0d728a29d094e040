/* Virtual memory: ranges of addresses, memory that is mapped to them, and handles of it. */
#include "runtime_test.h"

#include <unistd.h>

enum { PAGE = 4096 };

static hipFunction_t copy;
static hipMemAllocationProp device = { .type = hipMemAllocationTypePinned,
	                               .requestedHandleType = hipMemHandleTypePosixFileDescriptor,
	                               .location = { hipMemLocationTypeDevice, 0 } };
static const hipMemAccessDesc writable = { { hipMemLocationTypeDevice, 0 },
	                                   hipMemAccessFlagsProtReadWrite };

static void is(hipError_t got, hipError_t want, const char *what) {
	if (!ok(got == want, "%s: %s", what, hipGetErrorName(want)))
		diag("got %s: %s", hipGetErrorName(got), mxhipErrorDetail());
}

static char *reserved(size_t bytes) {
	void *p;
	must(hipMemAddressReserve(&p, bytes, 0, NULL, 0));
	return p;
}

static hipMemGenericAllocationHandle_t memory(size_t bytes) {
	hipMemGenericAllocationHandle_t m;
	must(hipMemCreate(&m, bytes, &device, 0));
	return m;
}

/* A kernel that copies 256 bytes. */
static hipError_t run(void *to, void *from) {
	must(hipModuleLaunchKernel(copy, 1, 1, 1, 64, 1, 1, 0, NULL, (void *[]){ &to, &from },
	                           NULL));
	return hipDeviceSynchronize();
}

/* A range that grows: two pieces of memory, one after the other. */
static void test_growth(void) {
	char *p = reserved(4 * PAGE), back[512];
	hipMemGenericAllocationHandle_t a = memory(PAGE), b = memory(PAGE), got;
	hipDeviceptr_t base;
	size_t bytes;
	is(hipMemset(p, 1, 4), hipErrorInvalidValue, "a reserved range has no memory");
	must(hipMemMap(p, PAGE, 0, a, 0));
	is(run(p, p), hipErrorIllegalAddress, "mapped memory without access");
	must(hipMemSetAccess(p, PAGE, &writable, 1));
	must(hipMemset(p, 1, PAGE));
	is(hipMemset(p, 1, PAGE + 1), hipErrorInvalidValue, "the end of the memory");
	must(hipMemMap(p + PAGE, PAGE, 0, b, 0));
	must(hipMemSetAccess(p, 2 * PAGE, &writable, 1));
	must(hipMemset(p + PAGE, 2, PAGE));
	must(hipMemcpy(back, p + PAGE - 256, 512, hipMemcpyDeviceToHost));
	ok(back[255] == 1 && back[256] == 2, "a copy goes across two pieces");
	ok(run(p + PAGE - 128, p) == hipSuccess && p[PAGE + 127] == 1 &&
	           hipMemGetAddressRange(&base, &bytes, p + PAGE) == hipSuccess && base == p &&
	           bytes == 2 * PAGE,
	   "so does a kernel");
	must(hipMemRelease(a));
	must(hipMemRelease(b));
	is(hipMemRelease(b), hipErrorInvalidValue, "releasing memory again");
	ok(p[PAGE] == 1, "it stays while it is mapped");
	must(hipMemRetainAllocationHandle(&got, p + PAGE));
	ok(got == b && hipMemRelease(got) == hipSuccess, "an address leads to its handle");
	is(hipMemAddressFree(p, 4 * PAGE), hipErrorInvalidValue, "freeing a range in use");
	is(hipFree(p), hipErrorInvalidValue, "hipFree of it");
	is(hipMemUnmap(p, PAGE + PAGE / 2), hipErrorInvalidValue, "unmapping half of a piece");
	must(hipMemUnmap(p, 2 * PAGE));
	is(run(p, p), hipErrorIllegalAddress, "memory that is not mapped any more");
	must(hipMemAddressFree(p, 4 * PAGE));
}

/* One piece of memory at two places. */
static void test_aliases(void) {
	char *p = reserved(2 * PAGE), *q = reserved(PAGE);
	uint8_t states[8];
	hipMemGenericAllocationHandle_t m = memory(2 * PAGE);
	must(hipMemMap(p, 2 * PAGE, 0, m, 0));
	must(hipMemMap(q, PAGE, PAGE, m, 0));
	must(hipMemSetAccess(p, 2 * PAGE, &writable, 1));
	must(hipMemSetAccess(q, PAGE, &writable, 1));
	must(hipMemset(q + 4, 7, 4));
	ok(p[PAGE + 4] == 7 && mxhipStates(p + PAGE, 8, states) && !states[0] &&
	           states[4] == MX_WRITTEN,
	   "memory that is mapped twice, with its states");
	hipMemAccessDesc none = { { hipMemLocationTypeDevice, 0 }, hipMemAccessFlagsProtNone };
	unsigned long long flags = 9;
	must(hipMemSetAccess(q, PAGE, &none, 1));
	must(hipMemGetAccess(&flags, &none.location, q));
	ok(!flags && hipMemGetAccess(&flags, &none.location, p) == hipSuccess && flags == 3 &&
	           hipMemset(q, 1, 4) == hipErrorInvalidValue,
	   "access is a property of the place");
	must(hipMemUnmap(p, 2 * PAGE));
	must(hipMemUnmap(q, PAGE));
	must(hipMemRelease(m));
	must(hipMemAddressFree(p, 2 * PAGE));
	must(hipMemAddressFree(q, PAGE));
}

static void test_read_only(void) {
	char *p = reserved(2 * PAGE), *q = p + PAGE;
	hipMemAccessDesc readable = { { hipMemLocationTypeDevice, 0 }, hipMemAccessFlagsProtRead };
	hipMemGenericAllocationHandle_t m = memory(2 * PAGE);
	unsigned long long flags = 0;
	must(hipMemMap(p, PAGE, 0, m, 0));
	must(hipMemMap(q, PAGE, PAGE, m, 0));
	must(hipMemSetAccess(p, 2 * PAGE, &writable, 1));
	must(hipMemset(p, 5, 2 * PAGE));
	must(hipMemSetAccess(q, PAGE, &readable, 1));
	must(hipMemGetAccess(&flags, &readable.location, q));
	ok(flags == hipMemAccessFlagsProtRead && run(p, q) == hipSuccess, "a kernel reads it");
	is(run(q, p), hipErrorIllegalAddress, "a kernel writes read-only memory");
	ok(strstr(mxhipErrorDetail(), "may only be read"), "with the reason: %s",
	   mxhipErrorDetail());
	is(hipMemset(q, 1, 4), hipErrorInvalidValue, "setting it");
	is(hipMemcpy(q, p, 4, hipMemcpyDeviceToDevice), hipErrorInvalidValue, "copying to it");
	is(hipStreamWriteValue32(NULL, q, 1, 0), hipErrorInvalidValue, "a stream writes to it");
	ok(hipMemcpy(p, q, 4, hipMemcpyDeviceToDevice) == hipSuccess, "copying from it is allowed");
	must(hipMemSetAccess(q, PAGE, &writable, 1));
	ok(run(q, p) == hipSuccess, "with access to write, a kernel writes it");
	must(hipMemUnmap(p, 2 * PAGE));
	must(hipMemRelease(m));
	must(hipMemAddressFree(p, 2 * PAGE));
}

static void test_handles(void) {
	char *p = reserved(PAGE), *q = reserved(PAGE);
	hipMemGenericAllocationHandle_t m = memory(PAGE), same, again;
	hipMemAllocationProp got;
	int file = -1;
	must(hipMemMap(p, PAGE, 0, m, 0));
	must(hipMemSetAccess(p, PAGE, &writable, 1));
	must(hipMemset(p, 3, PAGE));
	must(hipMemExportToShareableHandle(&file, m, hipMemHandleTypePosixFileDescriptor, 0));
	must(hipMemImportFromShareableHandle(&same, (void *)(intptr_t)file,
	                                     hipMemHandleTypePosixFileDescriptor));
	must(hipMemImportFromShareableHandle(&again, &file, hipMemHandleTypePosixFileDescriptor));
	close(file);
	must(hipMemMap(q, PAGE, 0, same, 0));
	must(hipMemSetAccess(q, PAGE, &writable, 1));
	ok(q[5] == 3 && hipMemGetAllocationPropertiesFromHandle(&got, again) == hipSuccess &&
	           got.type == hipMemAllocationTypePinned && sizeof got == 32,
	   "memory is exported and imported, by a file descriptor");
	is(hipMemExportToShareableHandle(&file, m, hipMemHandleTypeWin32, 0), hipErrorInvalidValue,
	   "another kind of handle");
	must(hipMemUnmap(p, PAGE));
	must(hipMemUnmap(q, PAGE));
	must(hipMemRelease(m));
	must(hipMemRelease(same));
	must(hipMemRelease(again));
	must(hipMemAddressFree(p, PAGE));
	must(hipMemAddressFree(q, PAGE));
}

static void test_errors(void) {
	void *p = NULL;
	size_t granularity = 0;
	hipMemGenericAllocationHandle_t m = memory(PAGE), bad = (hipMemGenericAllocationHandle_t)&p;
	hipMemAllocationProp elsewhere = device;
	elsewhere.location.id = 1;
	ok(hipMemGetAllocationGranularity(&granularity, &device,
	                                  hipMemAllocationGranularityMinimum) == hipSuccess &&
	           granularity == PAGE,
	   "the granularity is a page");
	hipMemAllocationProp uncached = device;
	uncached.type = hipMemAllocationTypeUncached;
	is(hipMemGetAllocationGranularity(&granularity, &uncached, 0), hipSuccess,
	   "that of uncached memory");
	is(hipMemGetAllocationGranularity(&granularity, &elsewhere, 0), hipErrorInvalidValue,
	   "that of no device");
	is(hipMemAddressReserve(&p, 100, 0, NULL, 0), hipErrorOutOfMemory, "a range of 100 bytes");
	is(hipMemAddressReserve(&p, PAGE, 3, NULL, 0), hipErrorOutOfMemory, "an alignment of 3");
	is(hipMemCreate(&bad, 100, &device, 0), hipErrorInvalidValue, "memory of 100 bytes");
	is(hipMemCreate(&bad, PAGE, &elsewhere, 0), hipErrorInvalidValue, "memory of no device");
	must(hipMemAddressReserve(&p, PAGE, 1 << 20, NULL, 0));
	ok((uintptr_t)p % (1 << 20) == 0, "a range is aligned");
	is(hipMemMap(p, PAGE, 0, bad, 0), hipErrorInvalidValue, "mapping what is no memory");
	is(hipMemMap(p, PAGE, PAGE, m, 0), hipErrorInvalidValue, "mapping past its end");
	is(hipMemMap((char *)p + PAGE, PAGE, 0, m, 0), hipErrorInvalidValue, "outside a range");
	must(hipMemMap(p, PAGE, 0, m, 0));
	is(hipMemMap(p, PAGE, 0, m, 0), hipErrorInvalidValue, "mapping over a mapping");
	is(hipMemSetAccess(p, 2 * PAGE, &writable, 1), hipErrorInvalidValue,
	   "access past the mapping");
	must(hipMemUnmap(p, PAGE));
	is(hipMemUnmap(p, PAGE), hipErrorInvalidValue, "unmapping again");
	must(hipMemRelease(m));
	is(hipMemAddressFree(p, 2 * PAGE), hipErrorInvalidValue, "freeing a longer range");
	must(hipMemAddressFree(p, PAGE));
	is(hipMemAddressFree(p, PAGE), hipErrorInvalidValue, "freeing it again");
}

int main(void) {
	hipModule_t module;
	must(hipModuleLoad(&module, built("tests/hip/probe.gpu.co")));
	must(hipModuleGetFunction(&copy, module, "copy"));
	test_growth();
	test_aliases();
	test_read_only();
	test_handles();
	test_errors();
	must(hipModuleUnload(module));
	return done_testing();
}
