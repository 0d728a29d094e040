/* Functions by name, callbacks, and what a stream captures. */
#include "runtime_test.h"

#include "../../ref/hip/props_r0600.h"

hipError_t hipGetProcAddress(const char *name, void **function, int version, uint64_t flags,
                             int *result);
hipError_t hipGetProcAddress_spt(const char *name, void **function, int version, uint64_t flags,
                                 int *result);
hipError_t hipGetDriverEntryPoint(const char *name, void **function, unsigned long long flags,
                                  int *result);
hipError_t hipGetDriverEntryPoint_spt(const char *name, void **function, unsigned long long flags,
                                      int *result);
hipError_t hipGetDevicePropertiesR0600(struct mx_props_r0600 *p, int device);

static void test_names(void) {
	void *f = NULL;
	int result = 9;
	hipError_t (*get)(int *) = NULL;
	int n = 0;
	ok(hipGetProcAddress("hipGetDeviceCount", &f, 70000000, 0, &result) == hipSuccess &&
	           result == 0,
	   "a function is found by its name");
	memcpy(&get, &f, sizeof get);
	ok(get && get(&n) == hipSuccess && n == 1, "and can be called");
	ok(hipGetProcAddress("hipGetDeviceProperties", &f, 60000000, 0, NULL) == hipSuccess &&
	           f == (void *)(uintptr_t)hipGetDevicePropertiesR0600 &&
	           hipGetProcAddress("hipGetDeviceProperties", &f, 50200000, 0, NULL) ==
	                   hipSuccess &&
	           f == (void *)(uintptr_t)hipGetDeviceProperties,
	   "programs of HIP 6 get the properties of HIP 6");
	ok(hipGetProcAddress("hipNoSuchThing", &f, 70000000, 0, &result) == hipErrorInvalidValue &&
	           result == 1 && !f && strstr(mxhipErrorDetail(), "hipNoSuchThing"),
	   "a name that there is not is an error");
	ok(hipGetProcAddress("malloc", &f, 70000000, 0, &result) == hipErrorInvalidValue &&
	           hipGetProcAddress(NULL, &f, 70000000, 0, NULL) == hipErrorInvalidValue &&
	           hipGetProcAddress("hipMalloc", NULL, 70000000, 0, NULL) == hipErrorInvalidValue,
	   "so is one that is not HIP's, and a null pointer");
	ok(hipGetProcAddress("hipMalloc", &f, 70000000, 3, NULL) == hipErrorInvalidValue &&
	           hipGetProcAddress("hipMalloc", &f, 70000000, 1, NULL) == hipSuccess,
	   "flags are those for the default stream");
	void *own = NULL, *other = NULL;
	ok(hipGetProcAddress("hipMemsetAsync", &own, 70000000, 2, NULL) == hipSuccess &&
	           hipGetProcAddress_spt("hipMemsetAsync", &f, 70000000, 1, NULL) == hipSuccess &&
	           hipGetProcAddress_spt("hipMemsetAsync", &other, 70000000, 0, NULL) == hipSuccess &&
	           own == other && f != own,
	   "and choose it for either function");
	ok(hipGetProcAddress_spt("hipMemsetAsync", &own, 70000000, 0, NULL) == hipSuccess &&
	           hipGetProcAddress("hipMemsetAsync_spt", &f, 70000000, 0, NULL) == hipSuccess &&
	           own == f &&
	           hipGetDriverEntryPoint_spt("hipMalloc", &own, 0, &result) == hipSuccess &&
	           own == (void *)(uintptr_t)(hipError_t(*)(void **, size_t))hipMalloc && !result,
	   "functions with a default stream of each thread, where they have one");
	void *legacy = NULL, *of_thread = NULL;
	must(hipGetDriverEntryPoint("hipMemsetAsync", &legacy, 0, NULL));
	must(hipGetDriverEntryPoint("hipMemsetAsync", &of_thread, 2, NULL));
	ok(of_thread == f && legacy != f &&
	           hipGetDriverEntryPoint_spt("hipMemsetAsync", &own, 0, NULL) == hipSuccess &&
	           own == of_thread &&
	           hipGetDriverEntryPoint_spt("hipMemsetAsync", &own, 1, NULL) == hipSuccess &&
	           own == legacy,
	   "flags of hipGetDriverEntryPoint choose the default stream");
	ok(hipGetDriverEntryPoint("hipMemsetAsync", &own, 3, NULL) == hipErrorInvalidValue,
	   "and there are no others");
}

struct called {
	hipStream_t stream;
	hipError_t status;
	int times;
};

static void callback(hipStream_t stream, hipError_t status, void *data) {
	struct called *c = data;
	*c = (struct called){ stream, status, c->times + 1 };
}

static void test_callbacks(void) {
	struct called c = { 0 };
	hipModule_t m;
	hipFunction_t copy;
	hipStream_t s;
	void *p = NULL, *params[] = { &p, &p };
	must(hipStreamCreate(&s));
	ok(hipStreamAddCallback(s, callback, &c, 0) == hipSuccess && c.times == 1 &&
	           c.stream == s && c.status == hipSuccess,
	   "a callback gets its stream");
	must(hipModuleLoad(&m, built("tests/hip/probe.gpu.co")));
	must(hipModuleGetFunction(&copy, m, "copy"));
	must(hipModuleLaunchKernel(copy, 1, 1, 1, 64, 1, 1, 0, s, params, NULL));
	ok(hipStreamAddCallback(s, callback, &c, 0) == hipSuccess &&
	           c.status == hipErrorIllegalAddress &&
	           hipStreamSynchronize(s) == hipErrorIllegalAddress,
	   "and the error of earlier work, which stays");
	ok(hipStreamAddCallback(s, callback, &c, 1) == hipErrorInvalidValue &&
	           hipStreamAddCallback(s, NULL, &c, 0) == hipErrorInvalidValue && c.times == 2,
	   "flags are 0, and a callback is needed");
	must(hipModuleUnload(m));
	must(hipStreamDestroy(s));
}

static void test_capture_info(void) {
	hipStream_t s;
	hipStreamCaptureStatus status;
	unsigned long long id = 9, again = 0;
	hipGraph_t graph = NULL, ended;
	const hipGraphNode_t *last = NULL;
	hipStreamCaptureMode mode = hipStreamCaptureModeRelaxed;
	size_t n = 9;
	uint32_t *p = device_bytes(4);
	must(hipStreamCreate(&s));
	ok(hipStreamGetCaptureInfo(s, &status, &id) == hipSuccess &&
	           status == hipStreamCaptureStatusNone && !id,
	   "a stream that captures nothing");
	must(hipStreamBeginCapture(s, hipStreamCaptureModeGlobal));
	must(hipStreamGetCaptureInfo(s, &status, &id));
	must(hipStreamGetCaptureInfo_v2(s, &status, &again, &graph, &last, &n));
	ok(status == hipStreamCaptureStatusActive && id && id == again && graph && !n,
	   "a capture has a number and a graph");
	must(hipMemsetD32Async(p, 1, 1, s));
	must(hipStreamGetCaptureInfo_v2(s, &status, NULL, NULL, &last, &n));
	ok(n == 1 && last && *last, "the next node depends on the last");
	ok(hipStreamGetCaptureInfo(NULL, &status, &id) == hipErrorStreamCaptureImplicit &&
	           hipStreamIsCapturing(NULL, &status) == hipErrorStreamCaptureImplicit,
	   "the legacy stream cannot be asked meanwhile");
	must(hipStreamEndCapture(s, &ended));
	ok(ended == graph, "the graph is the one that the capture gives");
	ok(hipThreadExchangeStreamCaptureMode(&mode) == hipSuccess &&
	           mode == hipStreamCaptureModeGlobal &&
	           hipThreadExchangeStreamCaptureMode(&mode) == hipSuccess &&
	           mode == hipStreamCaptureModeRelaxed,
	   "the mode of a thread is exchanged");
	must(hipGraphDestroy(ended));
	must(hipStreamDestroy(s));
	must(hipFree(p));
}

int main(void) {
	test_names();
	test_callbacks();
	test_capture_info();
	return done_testing();
}
