/* Handles that are stale, destroyed twice or none at all give the errors of AMD's runtime, and no
 * call follows them. */
#include "runtime_test.h"

#include <pthread.h>

hipError_t hipStreamGetId(hipStream_t stream, unsigned long long *id);

#define LEGACY     ((hipStream_t)1)
#define WILD(type) ((type)(uintptr_t)0xFFFF)

static void is(hipError_t got, hipError_t want, const char *what) {
	if (!ok(got == want, "%s: %s", what, hipGetErrorName(want)))
		diag("got %s", hipGetErrorName(got));
}

static hipModule_t load(hipFunction_t *f) {
	hipModule_t m;
	must(hipModuleLoad(&m, built("tests/hip/probe.gpu.co")));
	must(hipModuleGetFunction(f, m, "copy"));
	return m;
}

/* ---- streams ---- */

static hipError_t launch_in(hipStream_t s, hipFunction_t f) {
	uint32_t n = 0;
	void *p = NULL, *params[] = { &p, &p, &n };
	return hipModuleLaunchKernel(f, 1, 1, 1, 64, 1, 1, 0, s, params, NULL);
}

static void call_back(void *data) {
	++*(int *)data;
}

/* Each call that takes a stream. */
static void refused(hipStream_t s, hipError_t want) {
	unsigned flags, n = 0;
	int priority, calls = 0;
	float *p = device_bytes(16);
	void *q = p;
	hipFunction_t f;
	hipModule_t m = load(&f);
	hipEvent_t event;
	hipGraph_t graph;
	hipGraphExec_t exec;
	hipStreamCaptureStatus status;
	must(hipEventCreate(&event));
	must(hipGraphCreate(&graph, 0));
	must(hipGraphInstantiate(&exec, graph, NULL, NULL, 0));
	const hipError_t e[] = {
		hipStreamGetFlags(s, &flags),
		hipStreamGetPriority(s, &priority),
		hipStreamSynchronize(s),
		hipStreamQuery(s),
		hipStreamWaitEvent(s, event, 0),
		hipStreamBeginCapture(s, hipStreamCaptureModeGlobal),
		hipStreamEndCapture(s, &graph),
		hipStreamIsCapturing(s, &status),
		hipEventRecord(event, s),
		hipLaunchHostFunc(s, call_back, &calls),
		hipGraphLaunch(exec, s),
		launch_in(s, f),
		hipMemcpyAsync(p, p + 1, 4, hipMemcpyDeviceToDevice, s),
		hipMemsetAsync(p, 0, 4, s),
		hipMallocAsync(&q, 4, s),
		hipFreeAsync(p, s),
	};
	for (size_t i = 0; i < COUNT(e); i++)
		if (e[i] == want)
			n++;
		else
			diag("call %zu gives %s", i, hipGetErrorName(e[i]));
	ok(n == COUNT(e) && !calls, "%zu calls give %s", COUNT(e), hipGetErrorName(want));
	must(hipGraphExecDestroy(exec));
	must(hipGraphDestroy(graph));
	must(hipEventDestroy(event));
	must(hipModuleUnload(m));
	must(hipFree(p));
}

static void test_stale_streams(void) {
	hipStream_t s;
	must(hipStreamCreate(&s));
	must(hipStreamDestroy(s));
	is(hipStreamDestroy(s), hipErrorContextIsDestroyed, "a stream is destroyed once");
	refused(s, hipErrorContextIsDestroyed);
	refused(WILD(hipStream_t), hipErrorContextIsDestroyed);
	hipEvent_t event;
	must(hipEventCreate(&event));
	is(hipStreamSynchronize((hipStream_t)event), hipErrorContextIsDestroyed,
	   "an event is no stream");
	must(hipEventDestroy(event));
}

static void test_default_streams(void) {
	static const hipStream_t all[] = { NULL, LEGACY, hipStreamPerThread };
	uint32_t value = 0, *p = device_bytes(4);
	for (size_t i = 0; i < COUNT(all); i++) {
		must(hipMemsetD32Async(p, 40 + (int)i, 1, all[i]));
		must(hipMemcpyAsync(&value, p, 4, hipMemcpyDeviceToHost, all[i]));
		ok(hipStreamSynchronize(all[i]) == hipSuccess &&
		           hipStreamQuery(all[i]) == hipSuccess && value == 40 + i,
		   "work runs in stream %zu", i);
		is(hipStreamDestroy(all[i]), hipErrorInvalidHandle, "it cannot be destroyed");
	}
	is(hipStreamBeginCapture(NULL, hipStreamCaptureModeGlobal),
	   hipErrorStreamCaptureUnsupported, "stream 0 cannot be captured");
	is(hipStreamBeginCapture(LEGACY, hipStreamCaptureModeGlobal),
	   hipErrorStreamCaptureUnsupported, "stream 1 cannot be captured");
	must(hipFree(p));
}

static void *status_here(void *status) {
	must(hipStreamIsCapturing(hipStreamPerThread, status));
	return NULL;
}

static void test_thread_streams(void) {
	hipStreamCaptureStatus here, there = hipStreamCaptureStatusActive;
	hipGraph_t graph;
	pthread_t thread;
	must(hipStreamBeginCapture(hipStreamPerThread, hipStreamCaptureModeRelaxed));
	must(hipStreamIsCapturing(hipStreamPerThread, &here));
	pthread_create(&thread, NULL, status_here, &there);
	pthread_join(thread, NULL);
	ok(here == hipStreamCaptureStatusActive && there == hipStreamCaptureStatusNone,
	   "stream 2 is another one in each thread");
	must(hipStreamEndCapture(hipStreamPerThread, &graph));
	must(hipGraphDestroy(graph));
}

static void test_stream_flags(void) {
	hipStream_t s;
	unsigned flags = 7;
	int least = 0, greatest = 0, priority = 0;
	is(hipStreamCreateWithFlags(&s, 2), hipErrorInvalidValue, "flag 2 of a stream");
	must(hipDeviceGetStreamPriorityRange(&least, &greatest));
	must(hipStreamCreateWithPriority(&s, hipStreamNonBlocking, -9));
	must(hipStreamGetFlags(s, &flags));
	must(hipStreamGetPriority(s, &priority));
	ok(flags == hipStreamNonBlocking && least == 1 && greatest == -1 && priority == -1,
	   "a priority is brought into the range");
	is(hipStreamGetFlags(NULL, &flags), hipErrorInvalidValue, "the flags of stream 0");
	must(hipStreamDestroy(s));
}

/* ---- events ---- */

static void test_stream_ids(void) {
	unsigned long long id = 0, other = 0, legacy = 0;
	uint32_t mask[8], three[8] = { 7 };
	hipStream_t s, t;
	must(hipStreamCreate(&s));
	must(hipExtStreamCreateWithCUMask(&t, 8, three));
	must(hipStreamGetId(s, &id));
	must(hipStreamGetId(t, &other));
	must(hipStreamGetId(NULL, &legacy));
	ok(id != other && id != legacy && other != legacy, "streams have ids of their own");
	is(hipStreamGetId(WILD(hipStream_t), &id), hipErrorContextIsDestroyed, "the id of none");
	ok(hipGetStreamDeviceId(s) == 0 && hipGetStreamDeviceId(WILD(hipStream_t)) == -1,
	   "a stream has a device, a wild one -1");
	must(hipExtStreamGetCUMask(t, 8, mask));
	ok(!memcmp(mask, three, sizeof mask), "a mask of compute units is kept");
	must(hipExtStreamGetCUMask(NULL, 8, mask));
	ok(mask[0] == UINT32_MAX && mask[7] == UINT32_MAX, "other streams have all of them");
	must(hipStreamDestroy(t));
	memset(three, 0, sizeof three);
	must(hipExtStreamCreateWithCUMask(&t, 8, three));
	must(hipExtStreamGetCUMask(t, 8, mask));
	ok(mask[0] == UINT32_MAX && mask[7] == UINT32_MAX, "a mask of none stands for all");
	is(hipExtStreamGetCUMask(s, 8, NULL), hipErrorInvalidValue, "no place for a mask");
	is(hipExtStreamGetCUMask(s, 0, mask), hipErrorInvalidValue, "a mask of no words");
	must(hipStreamDestroy(s));
	must(hipStreamDestroy(t));
}

static void test_stale_events(void) {
	hipEvent_t e, good;
	float ms;
	must(hipEventCreate(&good));
	must(hipEventRecord(good, NULL));
	must(hipEventCreate(&e));
	must(hipEventDestroy(e));
	is(hipEventDestroy(e), hipErrorContextIsDestroyed, "an event is destroyed once");
	is(hipEventRecord(e, NULL), hipErrorInvalidHandle, "recording it then");
	is(hipEventQuery(e), hipErrorInvalidHandle, "asking for it");
	is(hipEventSynchronize(WILD(hipEvent_t)), hipErrorInvalidHandle, "waiting for none");
	is(hipStreamWaitEvent(NULL, e, 0), hipErrorInvalidHandle, "a stream that waits for it");
	is(hipEventElapsedTime(&ms, good, e), hipErrorInvalidHandle, "the time until it");
	is(hipStreamWaitEvent(NULL, good, ~0u), hipErrorInvalidValue, "a wait with flags");
	must(hipEventDestroy(good));
}

static void test_event_flags(void) {
	static const unsigned bad[] = { 8, 4, 0xC0000000, 0x60000000 };
	static const unsigned good[] = { 0, 1, 2, 3, 6, 0x40000000, 0x80000002, 0x20000000 };
	unsigned n = 0;
	hipEvent_t e, f;
	float ms;
	for (size_t i = 0; i < COUNT(bad); i++)
		n += hipEventCreateWithFlags(&e, bad[i]) == hipErrorInvalidValue;
	for (size_t i = 0; i < COUNT(good); i++)
		if (hipEventCreateWithFlags(&e, good[i]) == hipSuccess) {
			n++;
			must(hipEventDestroy(e));
		}
	ok(n == COUNT(bad) + COUNT(good), "flags of an event that HIP allows, and no others");
	must(hipEventCreateWithFlags(&e, hipEventDisableTiming));
	must(hipEventCreate(&f));
	must(hipEventRecord(e, NULL));
	must(hipEventRecord(f, NULL));
	is(hipEventElapsedTime(&ms, f, e), hipErrorInvalidHandle, "an event without timing");
	must(hipEventDestroy(e));
	must(hipEventDestroy(f));
}

/* ---- modules and functions ---- */

static void test_stale_modules(void) {
	hipFunction_t f;
	hipDeviceptr_t p;
	size_t bytes;
	int n;
	hipModule_t m = load(&f);
	ok(hipModuleGetGlobal(NULL, &bytes, m, "counter") == hipSuccess && bytes == 8 &&
	           hipModuleGetGlobal(&p, NULL, m, "counter") == hipSuccess,
	   "the address or the size of a variable alone");
	must(hipModuleUnload(m));
	is(hipModuleUnload(m), hipErrorNotFound, "a module is unloaded once");
	is(hipModuleGetFunction(&f, m, "copy"), hipErrorInvalidHandle, "a kernel of it then");
	is(hipModuleGetGlobal(&p, &bytes, m, "counter"), hipErrorInvalidHandle, "a variable of it");
	is(launch_in(NULL, f), hipErrorInvalidHandle, "a launch of its kernel");
	is(launch_in(NULL, WILD(hipFunction_t)), hipErrorInvalidHandle, "a launch of no kernel");
	is(hipFuncGetAttribute(&n, HIP_FUNC_ATTRIBUTE_NUM_REGS, f), hipErrorInvalidHandle,
	   "its attributes");
	is(hipModuleOccupancyMaxActiveBlocksPerMultiprocessor(&n, f, 64, 0), hipErrorInvalidHandle,
	   "its occupancy");
}

/* ---- graphs ---- */

static void test_stale_graphs(void) {
	hipGraph_t graph, child;
	hipGraphExec_t exec;
	hipGraphNode_t node, other;
	hipGraphNodeType type;
	size_t n = 1;
	must(hipGraphCreate(&graph, 0));
	must(hipGraphCreate(&child, 0));
	must(hipGraphAddEmptyNode(&node, graph, NULL, 0));
	must(hipGraphDestroy(child));
	is(hipGraphAddChildGraphNode(&other, graph, NULL, 0, child), hipErrorInvalidValue,
	   "a child that was destroyed");
	is(hipGraphAddEmptyNode(&other, graph, (hipGraphNode_t[]){ WILD(hipGraphNode_t) }, 1),
	   hipErrorInvalidValue, "a dependency on no node");
	must(hipGraphDestroy(graph));
	is(hipGraphDestroy(graph), hipErrorIllegalState, "a graph is destroyed once");
	is(hipGraphAddEmptyNode(&other, graph, NULL, 0), hipErrorInvalidValue, "adding to it then");
	is(hipGraphGetNodes(graph, &other, &n), hipErrorInvalidValue, "its nodes");
	is(hipGraphNodeGetType(node, &type), hipErrorInvalidValue, "the type of one");
	is(hipGraphInstantiate(&exec, WILD(hipGraph_t), NULL, NULL, 0), hipErrorInvalidValue,
	   "instantiating none");
	must(hipGraphCreate(&graph, 0));
	must(hipGraphInstantiate(&exec, graph, NULL, NULL, 0));
	must(hipGraphExecDestroy(exec));
	is(hipGraphExecDestroy(exec), hipErrorInvalidValue, "an executable graph, twice");
	is(hipGraphLaunch(exec, NULL), hipErrorInvalidValue, "a launch of it");
	must(hipGraphDestroy(graph));
}

static void test_unloaded_kernel_in_graph(void) {
	uint32_t n = 0;
	void *p = NULL, *params[] = { &p, &p, &n };
	hipFunction_t f;
	hipModule_t m = load(&f);
	hipGraph_t graph;
	hipGraphExec_t exec, late;
	hipGraphNode_t node;
	hipKernelNodeParams k = {
		.blockDim = { 64, 1, 1 }, .gridDim = { 1, 1, 1 }, .func = f, .kernelParams = params
	};
	must(hipGraphCreate(&graph, 0));
	must(hipGraphAddKernelNode(&node, graph, NULL, 0, &k));
	must(hipGraphInstantiate(&exec, graph, NULL, NULL, 0));
	must(hipModuleUnload(m));
	is(hipGraphLaunch(exec, NULL), hipErrorInvalidHandle, "a graph whose kernel is unloaded");
	is(hipGraphInstantiate(&late, graph, NULL, NULL, 0), hipErrorInvalidHandle,
	   "instantiating it");
	must(hipGraphExecDestroy(exec));
	must(hipGraphDestroy(graph));
}

/* ---- captures ---- */

static void test_capture_ends(void) {
	hipStream_t s, t;
	hipEvent_t e;
	hipGraph_t graph;
	hipStreamCaptureStatus status;
	must(hipStreamCreate(&s));
	must(hipStreamCreate(&t));
	must(hipEventCreate(&e));
	must(hipStreamBeginCapture(s, hipStreamCaptureModeGlobal));
	is(hipStreamBeginCapture(s, hipStreamCaptureModeGlobal), hipErrorIllegalState,
	   "a capture in a capture");
	must(hipEventRecord(e, s));
	must(hipStreamWaitEvent(t, e, 0));
	is(hipStreamEndCapture(t, &graph), hipErrorStreamCaptureUnmatched,
	   "ending it in the other stream");
	must(hipStreamEndCapture(s, &graph));
	must(hipStreamWaitEvent(t, e, 0));
	must(hipStreamIsCapturing(t, &status));
	ok(status == hipStreamCaptureStatusNone, "an event of a capture that ended starts none");
	must(hipGraphDestroy(graph));
	must(hipStreamBeginCapture(s, hipStreamCaptureModeGlobal));
	must(hipEventRecord(e, s));
	must(hipStreamWaitEvent(t, e, 0));
	must(hipStreamDestroy(s));
	must(hipStreamIsCapturing(t, &status));
	ok(status == hipStreamCaptureStatusNone, "a capture ends with its stream");
	is(hipStreamEndCapture(s, &graph), hipErrorContextIsDestroyed, "ending it then");
	must(hipStreamDestroy(t));
	must(hipEventDestroy(e));
}

/* Two streams and an event; s is captured. */
struct pair {
	hipStream_t s, t;
	hipEvent_t e;
	uint32_t *p;
};

static struct pair begin(hipStreamCaptureMode mode) {
	struct pair x = { .p = device_bytes(16) };
	must(hipStreamCreate(&x.s));
	must(hipStreamCreate(&x.t));
	must(hipEventCreate(&x.e));
	must(hipStreamBeginCapture(x.s, mode));
	return x;
}

static void end(struct pair *x, hipError_t want, const char *what) {
	hipGraph_t graph = (hipGraph_t)x;
	hipStreamCaptureStatus status;
	is(hipStreamEndCapture(x->s, &graph), want, what);
	must(hipStreamIsCapturing(x->s, &status));
	if (!ok(!graph == (want != hipSuccess) && status == hipStreamCaptureStatusNone,
	        "  with a graph, or without one"))
		diag("graph %p, status %d", (void *)graph, (int)status);
	if (graph)
		must(hipGraphDestroy(graph));
	must(hipStreamDestroy(x->s));
	must(hipStreamDestroy(x->t));
	must(hipEventDestroy(x->e));
	must(hipFree(x->p));
}

static void set(struct pair *x, int i, hipStream_t s) {
	must(hipMemsetD32Async(x->p + i, i, 1, s));
}

/* s captures a node, and t another one; both depend on none. */
static struct pair forked(void) {
	struct pair x = begin(hipStreamCaptureModeGlobal);
	must(hipEventRecord(x.e, x.s));
	must(hipStreamWaitEvent(x.t, x.e, 0));
	set(&x, 0, x.s);
	set(&x, 1, x.t);
	return x;
}

static void test_joins(void) {
	struct pair x = forked();
	end(&x, hipErrorStreamCaptureUnjoined, "a capture that does not wait for another stream");
	x = forked();
	hipStreamCaptureStatus status;
	const hipGraphNode_t *last;
	hipGraph_t graph;
	size_t n = 0, edges = 0;
	must(hipEventRecord(x.e, x.t));
	must(hipStreamWaitEvent(x.s, x.e, 0));
	must(hipStreamGetCaptureInfo_v2(x.s, &status, NULL, &graph, &last, &n));
	set(&x, 2, x.s);
	must(hipGraphGetEdges(graph, NULL, NULL, &edges));
	ok(n == 2 && edges == 2, "a node depends on those of both streams, which have no order");
	end(&x, hipSuccess, "a capture that waits for it");
}

static void test_dependencies(void) {
	struct pair x = begin(hipStreamCaptureModeRelaxed);
	hipStreamCaptureStatus status;
	const hipGraphNode_t *last;
	hipGraph_t graph;
	hipGraphNode_t first, empty;
	size_t n = 0, edges = 0;
	set(&x, 0, x.s);
	must(hipStreamGetCaptureInfo_v2(x.s, &status, NULL, &graph, &last, &n));
	first = last[0];
	must(hipGraphAddEmptyNode(&empty, graph, NULL, 0));
	must(hipStreamUpdateCaptureDependencies(x.s, &empty, 1, hipStreamAddCaptureDependencies));
	set(&x, 1, x.s);
	must(hipGraphGetEdges(graph, NULL, NULL, &edges));
	ok(edges == 2, "a captured node depends on a node that the program adds");
	must(hipStreamUpdateCaptureDependencies(x.s, &first, 1, hipStreamSetCaptureDependencies));
	set(&x, 2, x.s);
	must(hipGraphGetEdges(graph, NULL, NULL, &edges));
	ok(edges == 3, "or on others instead");
	is(hipStreamUpdateCaptureDependencies(x.t, &first, 1, 0), hipErrorIllegalState,
	   "dependencies of a stream that is not captured");
	is(hipStreamUpdateCaptureDependencies(x.s, (hipGraphNode_t[]){ NULL }, 1, 0),
	   hipErrorInvalidValue, "of no node");
	is(hipStreamUpdateCaptureDependencies(x.s, &first, 1, 2), hipErrorInvalidValue,
	   "with other flags");
	end(&x, hipSuccess, "nodes that are left need not be joined");
}

static void *end_here(void *stream) {
	hipGraph_t graph;
	is(hipStreamEndCapture(stream, &graph), hipErrorStreamCaptureWrongThread,
	   "ending a capture in another thread");
	return NULL;
}

static void relaxed(void *p) {
	hipStreamCaptureMode mode = hipStreamCaptureModeRelaxed;
	must(hipThreadExchangeStreamCaptureMode(&mode));
	is(hipMalloc(p, 4), hipSuccess, "allocating in a relaxed thread");
	must(hipFree(*(void **)p));
	must(hipThreadExchangeStreamCaptureMode(&mode));
}

static void callback(hipStream_t s, hipError_t e, void *p) {
	(void)s, (void)e, (void)p;
}

static void test_broken_captures(void) {
	hipEvent_t e;
	hipStream_t u;
	void *p;
	struct pair x = begin(hipStreamCaptureModeGlobal), y;
	is(hipStreamSynchronize(x.s), hipErrorStreamCaptureUnsupported, "waiting for a capture");
	is(hipMemsetD32Async(x.p, 1, 1, x.s), hipErrorStreamCaptureInvalidated,
	   "enqueueing after that");
	end(&x, hipErrorStreamCaptureInvalidated, "ending an invalid capture");
	x = begin(hipStreamCaptureModeGlobal);
	is(hipStreamAddCallback(x.s, callback, NULL, 0), hipErrorStreamCaptureUnsupported,
	   "a callback in a capture");
	end(&x, hipErrorStreamCaptureInvalidated, "ending it");
	x = begin(hipStreamCaptureModeThreadLocal);
	relaxed(&p);
	is(hipMalloc(&p, 4), hipErrorStreamCaptureUnsupported, "allocating during a capture");
	end(&x, hipErrorStreamCaptureInvalidated, "ending it");
	x = begin(hipStreamCaptureModeRelaxed);
	is(hipMemset(x.p, 0, 4), hipErrorStreamCaptureImplicit, "the legacy stream in a capture");
	end(&x, hipErrorStreamCaptureInvalidated, "ending it");
	must(hipStreamCreateWithFlags(&u, hipStreamNonBlocking));
	must(hipStreamBeginCapture(u, hipStreamCaptureModeRelaxed));
	is(hipDeviceSynchronize(), hipErrorStreamCaptureUnsupported,
	   "waiting for a device during a relaxed capture");
	must(hipStreamDestroy(u));
	x = begin(hipStreamCaptureModeRelaxed);
	must(hipEventCreate(&e));
	must(hipEventRecord(e, x.t));
	is(hipStreamWaitEvent(x.s, e, 0), hipErrorStreamCaptureIsolation,
	   "waiting for work outside the capture");
	must(hipEventDestroy(e));
	end(&x, hipErrorStreamCaptureInvalidated, "ending it");
	x = begin(hipStreamCaptureModeRelaxed);
	y = begin(hipStreamCaptureModeRelaxed);
	must(hipEventRecord(x.e, x.s));
	is(hipStreamWaitEvent(y.s, x.e, 0), hipErrorStreamCaptureMerge, "joining two captures");
	end(&x, hipErrorStreamCaptureInvalidated, "ending one");
	end(&y, hipErrorStreamCaptureInvalidated, "ending the other");
	x = begin(hipStreamCaptureModeThreadLocal);
	pthread_t thread;
	pthread_create(&thread, NULL, end_here, x.s);
	pthread_join(thread, NULL);
	end(&x, hipSuccess, "ending it in its own");
}

int main(void) {
	test_stale_streams();
	test_default_streams();
	test_thread_streams();
	test_stream_flags();
	test_stream_ids();
	test_stale_events();
	test_event_flags();
	test_stale_modules();
	test_stale_graphs();
	test_unloaded_kernel_in_graph();
	test_capture_ends();
	test_joins();
	test_dependencies();
	test_broken_captures();
	return done_testing();
}
