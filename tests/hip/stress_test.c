/* Many threads with streams, events, graphs and host functions of their own: each gets its own
 * results, in order. Long, under MXCHECK_LONG. */
#include "runtime_test.h"

#include <inttypes.h>
#include <pthread.h>

enum { THREADS = 16 };

static hipFunction_t add;
static unsigned rounds;
static pthread_barrier_t captured_all; /* a wait for the device would break a capture */

/* What a thread works on. */
struct worker {
	uint32_t *value, *copy; /* device memory; pinned host memory */
	uint32_t called;        /* of its host function */
	hipStream_t first, second;
	hipEvent_t done, back;
	hipGraphExec_t graph;
};

static void call(void *worker) {
	((struct worker *)worker)->called++;
}

static void launch_add(uint32_t *p, uint32_t n, hipStream_t s) {
	must(hipModuleLaunchKernel(add, 1, 1, 1, 1, 1, 1, 0, s, (void *[]){ &p, &n }, NULL));
}

/* A graph that adds 2 and calls the host. */
static hipGraphExec_t captured(struct worker *w) {
	hipGraph_t graph;
	hipGraphExec_t exec;
	must(hipStreamBeginCapture(w->first, hipStreamCaptureModeRelaxed));
	launch_add(w->value, 2, w->first);
	must(hipLaunchHostFunc(w->first, call, w));
	must(hipStreamEndCapture(w->first, &graph));
	must(hipGraphInstantiate(&exec, graph, NULL, NULL, 0));
	must(hipGraphDestroy(graph));
	return exec;
}

static void begin(struct worker *w) {
	*w = (struct worker){ .value = device_bytes(4) };
	must(hipHostMalloc((void **)&w->copy, 4, 0));
	must(hipStreamCreateWithFlags(&w->first, hipStreamNonBlocking));
	must(hipStreamCreate(&w->second));
	must(hipEventCreate(&w->done));
	must(hipEventCreate(&w->back));
	w->graph = captured(w);
	must(hipMemset(w->value, 0, 4));
}

static void end(struct worker *w) {
	must(hipGraphExecDestroy(w->graph));
	must(hipEventDestroy(w->done));
	must(hipEventDestroy(w->back));
	must(hipStreamDestroy(w->first));
	must(hipStreamDestroy(w->second));
	must(hipHostFree(w->copy));
	must(hipFree(w->value));
}

/* Adds 4 through both streams; either waits for the other. */
static void one_round(struct worker *w) {
	uint32_t *more;
	must(hipMallocAsync((void **)&more, 4, w->second));
	must(hipGraphLaunch(w->graph, w->first));
	must(hipEventRecord(w->done, w->first));
	must(hipStreamWaitEvent(w->second, w->done, 0));
	launch_add(w->value, 1, w->second);
	must(hipMemcpyAsync(more, w->value, 4, hipMemcpyDeviceToDevice, w->second));
	launch_add(more, 1, w->second);
	must(hipMemcpyAsync(w->value, more, 4, hipMemcpyDeviceToDevice, w->second));
	must(hipFreeAsync(more, w->second));
	must(hipMemcpyAsync(w->copy, w->value, 4, hipMemcpyDeviceToHost, w->second));
	must(hipEventRecord(w->back, w->second));
	must(hipStreamWaitEvent(w->first, w->back, 0));
}

static void wait_for(struct worker *w, unsigned how) {
	switch (how % 4) {
	case 0: must(hipEventSynchronize(w->back)); break;
	case 1: must(hipStreamSynchronize(w->second)); break;
	case 2: must(hipDeviceSynchronize()); break;
	default:
		while (hipStreamQuery(w->second) == hipErrorNotReady)
			;
	}
}

static void *work(void *argument) {
	struct worker w;
	unsigned id = (unsigned)(uintptr_t)argument;
	uintptr_t good = 0;
	begin(&w);
	pthread_barrier_wait(&captured_all);
	for (unsigned i = 1; i <= rounds; i++) {
		one_round(&w);
		if ((i + id) % 3 == 0)
			continue;
		wait_for(&w, i + id);
		good += *w.copy == 4 * i && w.called == i;
	}
	end(&w);
	return (void *)good;
}

static uintptr_t checked(unsigned id) {
	uintptr_t n = 0;
	for (unsigned i = 1; i <= rounds; i++)
		n += (i + id) % 3 != 0;
	return n;
}

/* The host and a kernel add to the same memory of the host: a sum of 4 bytes, and one of 8. */
static struct {
	uint32_t sum, unused;
	uint64_t wide;
} * both;
static uint64_t by_host;
static bool counted;

static void *count_by_host(void *unused) {
	while (!__atomic_load_n(&counted, __ATOMIC_ACQUIRE)) {
		__atomic_fetch_add(&both->sum, 1, __ATOMIC_RELAXED);
		__atomic_fetch_add(&both->wide, 1, __ATOMIC_RELAXED);
		by_host++;
	}
	return unused;
}

static void test_atomics(hipModule_t module) {
	uint32_t n = 10000;
	uint64_t by_kernel = 64ull * n;
	hipFunction_t f;
	pthread_t host;
	must(hipHostMalloc((void **)&both, sizeof *both, 0));
	memset(both, 0, sizeof *both);
	must(hipModuleGetFunction(&f, module, "count_often"));
	if (pthread_create(&host, NULL, count_by_host, NULL))
		exit(1);
	while (!__atomic_load_n(&both->wide, __ATOMIC_RELAXED))
		;
	must(hipModuleLaunchKernel(f, 1, 1, 1, 64, 1, 1, 0, NULL, (void *[]){ &both, &n }, NULL));
	must(hipDeviceSynchronize());
	__atomic_store_n(&counted, true, __ATOMIC_RELEASE);
	pthread_join(host, NULL);
	if (!ok(both->sum == (uint32_t)(by_host + by_kernel) &&
	                both->wide == by_host + by_kernel * 0x100000001,
	        "atomics of a kernel and of the host lose nothing"))
		diag("%" PRIu32 " and %#" PRIx64 " after %" PRIu64 " of the host", both->sum,
		     both->wide, by_host);
	must(hipHostFree(both));
}

int main(void) {
	pthread_t threads[THREADS];
	hipModule_t module;
	unsigned good = 0;
	rounds = is_long() ? 5000 : 60;
	must(hipModuleLoad(&module, built("tests/hip/probe.gpu.co")));
	must(hipModuleGetFunction(&add, module, "add"));
	pthread_barrier_init(&captured_all, NULL, THREADS);
	for (uintptr_t i = 0; i < THREADS; i++)
		if (pthread_create(&threads[i], NULL, work, (void *)i))
			exit(1);
	for (unsigned i = 0; i < THREADS; i++) {
		void *n;
		pthread_join(threads[i], &n);
		if ((uintptr_t)n == checked(i))
			good++;
		else
			diag("thread %u: %zu rounds right", i, (size_t)(uintptr_t)n);
	}
	ok(good == THREADS, "%d threads with two streams, a graph and a host function each",
	   THREADS);
	test_atomics(module);
	must(hipModuleUnload(module));
	return done_testing();
}
