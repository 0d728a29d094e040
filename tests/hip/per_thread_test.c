/* The functions of programs that are compiled for a default stream of each thread: no stream is
 * hipStreamPerThread to them. */
#include "runtime_test.h"

hipError_t hipMemsetAsync_spt(void *to, int value, size_t n, hipStream_t stream);
hipError_t hipMemcpy_spt(void *to, const void *from, size_t n, hipMemcpyKind kind);
hipError_t hipMemset2D_spt(void *to, size_t pitch, int value, size_t width, size_t height);
hipError_t hipStreamQuery_spt(hipStream_t stream);
hipError_t hipStreamSynchronize_spt(hipStream_t stream);
hipError_t hipStreamGetFlags_spt(hipStream_t stream, unsigned *flags);
hipError_t hipStreamBeginCapture_spt(hipStream_t stream, hipStreamCaptureMode mode);
hipError_t hipStreamIsCapturing_spt(hipStream_t stream, hipStreamCaptureStatus *status);
hipError_t hipStreamEndCapture_spt(hipStream_t stream, hipGraph_t *g);
hipError_t hipGraphLaunch_spt(hipGraphExec_t g, hipStream_t stream);
hipError_t hipEventRecord_spt(hipEvent_t event, hipStream_t stream);
hipError_t hipStreamWaitEvent_spt(hipStream_t stream, hipEvent_t event, unsigned flags);
hipError_t hipLaunchHostFunc_spt(hipStream_t stream, hipHostFn_t f, void *data);

static uint8_t *p, back[8];

static void test_work(void) {
	hipStream_t other;
	must(hipStreamCreateWithFlags(&other, hipStreamNonBlocking));
	must(hipMemsetAsync_spt(p, 1, 8, NULL));
	must(hipMemsetAsync_spt(p + 4, 2, 4, other));
	ok(hipStreamQuery(hipStreamPerThread) == hipErrorNotReady &&
	           hipStreamQuery(other) == hipErrorNotReady,
	   "work without a stream is the thread's, other work is in its stream");
	must(hipStreamSynchronize(other));
	must(hipMemsetAsync_spt(p, 3, 4, NULL));
	ok(hipStreamQuery_spt(NULL) == hipErrorNotReady &&
	           hipStreamSynchronize_spt(NULL) == hipSuccess &&
	           hipStreamQuery_spt(NULL) == hipSuccess && p[0] == 3,
	   "it is waited for");
	must(hipMemsetAsync_spt(p, 4, 4, NULL));
	must(hipMemcpy_spt(back, p, 8, hipMemcpyDeviceToHost));
	ok(back[0] == 4, "a copy comes after it");
	must(hipMemset2D_spt(p, 4, 5, 1, 2));
	ok(p[0] == 5 && p[4] == 5 && p[1] == 4, "rows that are set are set when the call returns");
	must(hipStreamDestroy(other));
}

static void count(void *n) {
	++*(int *)n;
}

static void test_order(void) {
	unsigned flags = 7;
	int calls = 0;
	hipEvent_t event;
	must(hipEventCreate(&event));
	must(hipMemsetAsync_spt(p, 6, 4, NULL));
	must(hipEventRecord_spt(event, NULL));
	must(hipEventSynchronize(event));
	ok(p[0] == 6, "an event is recorded in the thread's stream");
	must(hipStreamWaitEvent_spt(NULL, event, 0));
	must(hipLaunchHostFunc_spt(NULL, count, &calls));
	ok(calls == 1 && hipStreamGetFlags_spt(NULL, &flags) == hipSuccess && !flags &&
	           hipStreamGetFlags(NULL, &flags) == hipErrorInvalidValue,
	   "no stream is a stream whose flags can be read");
	must(hipEventDestroy(event));
}

static void test_capture(void) {
	hipStreamCaptureStatus status;
	hipGraph_t g;
	hipGraphExec_t exec;
	must(hipStreamBeginCapture_spt(NULL, hipStreamCaptureModeGlobal));
	must(hipMemsetAsync_spt(p, 8, 4, NULL));
	must(hipStreamIsCapturing_spt(NULL, &status));
	ok(status == hipStreamCaptureStatusActive && p[0] == 6, "the thread's stream is captured");
	must(hipStreamEndCapture_spt(NULL, &g));
	must(hipGraphInstantiate(&exec, g, NULL, NULL, 0));
	must(hipGraphLaunch_spt(exec, NULL));
	must(hipStreamSynchronize(hipStreamPerThread));
	ok(p[0] == 8, "and its graph runs there");
	must(hipGraphExecDestroy(exec));
	must(hipGraphDestroy(g));
}

int main(void) {
	p = device_bytes(8);
	test_work();
	test_order();
	test_capture();
	must(hipFree(p));
	return done_testing();
}
