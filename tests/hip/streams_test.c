/* Streams: what a program may observe of work that is enqueued, and the order that streams, events
 * and seeds give it. A child process runs each scenario, as the seed is that of a process. */
#include "runtime_test.h"

#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

static hipModule_t module;

static hipStream_t new_stream(unsigned flags) {
	hipStream_t s;
	must(hipStreamCreateWithFlags(&s, flags));
	return s;
}

static hipEvent_t new_event(void) {
	hipEvent_t e;
	must(hipEventCreate(&e));
	return e;
}

static void set(uint32_t *p, int value, hipStream_t s) {
	must(hipMemsetD32Async(p, value, 1, s));
}

/* p += n */
static void add(uint32_t *p, uint32_t n, hipStream_t s) {
	hipFunction_t f;
	must(hipModuleGetFunction(&f, module, "add"));
	must(hipModuleLaunchKernel(f, 1, 1, 1, 1, 1, 1, 0, s, (void *[]){ &p, &n }, NULL));
}

/* After all enqueued work. */
static uint32_t value_of(uint32_t *p) {
	must(hipDeviceSynchronize());
	return *p;
}

/* ---- children ---- */

static void start(uint64_t seed) {
	char text[32];
	snprintf(text, sizeof text, "%llu", (unsigned long long)seed);
	setenv("MXHIP_SEED", text, 1);
	must(hipModuleLoad(&module, built("tests/hip/probe.gpu.co")));
}

/* The result of a scenario under a seed, from 0 to 254. */
static unsigned under(uint64_t seed, unsigned (*scenario)(void)) {
	int status = 0;
	fflush(stdout);
	pid_t child = fork();
	if (!child) {
		start(seed);
		exit((int)scenario());
	}
	waitpid(child, &status, 0);
	return WIFEXITED(status) ? (unsigned)WEXITSTATUS(status) : 255;
}

/* Bit n: the result was n under a seed from 0 to 15. */
static uint32_t results(unsigned (*scenario)(void)) {
	uint32_t seen = 0;
	for (uint64_t seed = 0; seed < 16; seed++) {
		unsigned result = under(seed, scenario);
		seen |= 1u << (result < 31 ? result : 31);
	}
	return seen;
}

static void always(unsigned (*scenario)(void), unsigned want, const char *sentence) {
	uint32_t seen = results(scenario);
	if (!ok(seen == 1u << want, "%s", sentence))
		diag("results: bits 0x%x", seen);
}

static void varies(unsigned (*scenario)(void), uint32_t want, const char *sentence) {
	uint32_t seen = results(scenario);
	if (!ok(seen == want, "%s", sentence))
		diag("results: bits 0x%x", seen);
}

/* ---- order: results under seeds ---- */

static unsigned one_stream(void) {
	uint32_t *p = device_bytes(4);
	hipStream_t s = new_stream(0);
	set(p, 1, s);
	add(p, 2, s);
	must(hipMemcpyAsync(p, p, 4, hipMemcpyDeviceToDevice, s));
	add(p, 4, s);
	return value_of(p);
}

static unsigned no_event(void) {
	uint32_t *p = device_bytes(4);
	set(p, 1, new_stream(0));
	set(p, 2, new_stream(0));
	return value_of(p);
}

static unsigned event(void) {
	uint32_t *p = device_bytes(4);
	hipStream_t s = new_stream(0), t = new_stream(hipStreamNonBlocking);
	hipEvent_t e = new_event();
	set(p, 1, s);
	must(hipEventRecord(e, s));
	must(hipStreamWaitEvent(t, e, 0));
	must(hipEventDestroy(e));
	set(p, 2, t);
	return value_of(p);
}

/* A wait is for the record of its time. */
static unsigned recorded_again(void) {
	uint32_t *p = device_bytes(8);
	hipStream_t s = new_stream(0), t = new_stream(0);
	hipEvent_t e = new_event();
	set(p, 1, s);
	must(hipEventRecord(e, s));
	must(hipStreamWaitEvent(t, e, 0));
	add(p, 1, t);
	must(hipEventRecord(e, t));
	must(hipStreamWaitEvent(s, e, 0));
	set(p, 7, s);
	return value_of(p);
}

static unsigned legacy(void) {
	uint32_t *p = device_bytes(4);
	set(p, 1, new_stream(0));
	add(p, 1, NULL);
	add(p, 1, hipStreamPerThread);
	must(hipMemsetD32(p, 4, 1)); /* in the legacy stream, too */
	add(p, 1, new_stream(0));
	return value_of(p);
}

static unsigned non_blocking(void) {
	uint32_t *p = device_bytes(4);
	set(p, 1, NULL);
	set(p, 2, new_stream(hipStreamNonBlocking));
	return value_of(p);
}

/* A synchronous copy waits for no stream that does not block. */
static unsigned copied_early(void) {
	uint32_t *p = device_bytes(4), value;
	must(hipMemset(p, 0, 4));
	set(p, 1, new_stream(hipStreamNonBlocking));
	must(hipMemcpy(&value, p, 4, hipMemcpyDeviceToHost));
	return value;
}

static unsigned copied_in_time(void) {
	uint32_t *p = device_bytes(4), value;
	must(hipMemset(p, 0, 4));
	set(p, 1, new_stream(0));
	must(hipMemcpy(&value, p, 4, hipMemcpyDeviceToHost));
	return value;
}

static unsigned freed_in_order(void) {
	uint32_t *p = device_bytes(4), *q;
	hipStream_t s = new_stream(0);
	must(hipMallocAsync((void **)&q, 4, s));
	set(q, 3, s);
	must(hipMemcpyAsync(p, q, 4, hipMemcpyDeviceToDevice, s));
	must(hipFreeAsync(q, s));
	return value_of(p);
}

static unsigned graph_outlives_its_handle(void) {
	uint32_t *p = device_bytes(4);
	hipStream_t s = new_stream(0);
	hipGraph_t graph;
	hipGraphExec_t exec;
	must(hipStreamBeginCapture(s, hipStreamCaptureModeGlobal));
	set(p, 5, s);
	add(p, 1, s);
	must(hipStreamEndCapture(s, &graph));
	must(hipGraphInstantiate(&exec, graph, NULL, NULL, 0));
	must(hipGraphDestroy(graph));
	must(hipGraphLaunch(exec, s));
	must(hipGraphExecDestroy(exec));
	return value_of(p);
}

static unsigned destroyed_with_work(void) {
	uint32_t *p = device_bytes(4);
	hipStream_t s = new_stream(0);
	set(p, 8, s);
	must(hipStreamDestroy(s));
	return *p;
}

static unsigned value(void) {
	uint32_t *p;
	hipStream_t s = new_stream(hipStreamNonBlocking), t = new_stream(hipStreamNonBlocking);
	must(hipExtMallocWithFlags((void **)&p, 16, 1));
	must(hipMemset(p, 0, 16));
	must(hipStreamWaitValue32(t, p + 2, 0x21, hipStreamWaitValueEq, 0x0f | 0x20));
	add(p, 2, t);
	set(p, 1, s);
	must(hipStreamWriteValue32(s, p + 2, 0xf1 ^ 0xc0, 0));
	must(hipStreamSynchronize(t));
	return *p;
}

static unsigned values(void) {
	uint32_t *p;
	hipStream_t s = new_stream(hipStreamNonBlocking), t = new_stream(hipStreamNonBlocking);
	must(hipExtMallocWithFlags((void **)&p, 16, 1));
	must(hipMemset(p, 0, 16));
	hipStreamBatchMemOpParams
		wait = { hipStreamMemOpWaitValue32, p + 1, 3, hipStreamWaitValueEq, { 0 } },
		write[] = { { hipStreamMemOpWriteValue64, p + 2, 1ull << 32, 0, { 0 } },
		            { hipStreamMemOpWriteValue32, p + 1, 3, 0, { 0 } } };
	must(hipStreamBatchMemOp(t, 1, &wait, 0));
	must(hipMemcpyAsync(p, p + 3, 4, hipMemcpyDeviceToDevice, t));
	must(hipStreamBatchMemOp(s, 2, write, 0));
	must(hipStreamSynchronize(t));
	return *p;
}

static void test_order(void) {
	always(one_stream, 7, "a stream runs its work in order");
	varies(no_event, 1 << 1 | 1 << 2, "two streams without an event in either, by seed");
	ok(under(0, no_event) == 2, "as enqueued without a seed");
	ok(under(3, no_event) == under(3, no_event) && under(4, no_event) == under(4, no_event),
	   "the same order under the same seed");
	always(event, 2, "an event orders them, also after it is destroyed");
	always(recorded_again, 7, "a wait is for the last record before it");
	always(legacy, 5, "the legacy stream is ordered with blocking ones");
	varies(non_blocking, 1 << 1 | 1 << 2, "and not with others");
	varies(copied_early, 1 << 0 | 1 << 1, "nor is a synchronous copy");
	always(copied_in_time, 1, "which waits for those that block");
	always(freed_in_order, 3, "memory is freed in a stream's order");
	always(graph_outlives_its_handle, 6, "a launched graph may be destroyed");
	always(destroyed_with_work, 8, "so may a stream with work");
	always(value, 3, "a stream waits for a value that another one writes");
	always(values, 1, "or for the last of several");
}

/* ---- what a program observes, under a seed ---- */

static void test_queries(void) {
	uint32_t *p = device_bytes(4);
	hipStream_t s = new_stream(0);
	hipEvent_t before = new_event(), after = new_event();
	unsigned n = 0;
	float ms = -1;
	must(hipEventRecord(before, s));
	ok(hipEventQuery(before) == hipSuccess, "an event is over if nothing is before it");
	set(p, 1, s);
	add(p, 1, s);
	must(hipEventRecord(after, s));
	ok(hipStreamQuery(s) == hipErrorNotReady && hipEventQuery(after) == hipErrorNotReady &&
	           hipGetLastError() == hipSuccess,
	   "work is not ready at first, which is no error");
	must(hipEventRecord(after, s));
	set(p, 1, s);
	add(p, 1, s);
	must(hipEventRecord(after, s));
	ok(hipEventElapsedTime(&ms, before, after) == hipErrorNotReady,
	   "nor is the time until its end");
	while (n < 100 && hipEventQuery(after) == hipErrorNotReady)
		n++;
	ok(n == 4 * 16 && *p == 2, "every 16th query runs one piece");
	ok(hipStreamQuery(s) == hipSuccess && hipStreamQuery(NULL) == hipSuccess &&
	           hipEventElapsedTime(&ms, before, after) == hipSuccess && ms >= 0,
	   "then all is ready");
	set(p, 3, s);
	ok(hipStreamQuery(NULL) == hipErrorNotReady && hipStreamSynchronize(s) == hipSuccess &&
	           hipStreamQuery(NULL) == hipSuccess,
	   "the legacy stream is not ready while a blocking one is not");
	must(hipStreamDestroy(s));
	must(hipEventDestroy(before));
	must(hipEventDestroy(after));
	must(hipFree(p));
}

static void test_host_memory(void) {
	uint32_t source = 1, back = 0, *pinned, *p = device_bytes(8);
	hipStream_t s = new_stream(0);
	must(hipHostMalloc((void **)&pinned, 4, 0));
	*pinned = 1;
	must(hipMemcpyAsync(p, &source, 4, hipMemcpyHostToDevice, s));
	must(hipMemcpyAsync(p + 1, pinned, 4, hipMemcpyHostToDevice, s));
	source = *pinned = 2;
	must(hipStreamSynchronize(s));
	ok(p[0] == 1 && p[1] == 2, "pageable memory is read in the call, pinned memory later");
	add(p, 40, s);
	must(hipMemcpyAsync(&back, p, 4, hipMemcpyDeviceToHost, s));
	ok(back == 41, "a copy to pageable memory is over when its call returns");
	must(hipHostFree(pinned));
	must(hipStreamDestroy(s));
	must(hipFree(p));
}

static long page_faults(void) {
	struct rusage r;
	getrusage(RUSAGE_SELF, &r);
	return r.ru_minflt;
}

/* The allocator returns as much to the system at once, so that each copy's own would be new. */
static void test_no_second_copy(void) {
	enum { BYTES = 40 << 20, FEW = 1000 };
	void *p = device_bytes(BYTES), *host = malloc(BYTES);
	memset(host, 1, BYTES);
	must(hipMemcpy(p, host, BYTES, hipMemcpyHostToDevice));
	long before = page_faults();
	must(hipMemcpy(p, host, BYTES, hipMemcpyHostToDevice));
	long faults = page_faults() - before;
	if (!ok(faults < FEW, "hipMemcpy reads pageable memory in place"))
		diag("%ld page faults", faults);
	free(host);
	must(hipFree(p));
}

static void take(void *p) {
	uint32_t *pair = p;
	pair[1] = pair[0];
}

static void take_back(hipStream_t s, hipError_t e, void *p) {
	if (s && e == hipSuccess)
		take(p);
}

static void test_host_functions(void) {
	uint32_t *p;
	hipStream_t s = new_stream(0);
	must(hipHostMalloc((void **)&p, 8, 0));
	set(p, 5, s);
	must(hipLaunchHostFunc(s, take, p));
	ok(p[1] == 5, "a host function runs without another call, after the work before it");
	set(p, 6, s);
	must(hipStreamAddCallback(s, take_back, p, 0));
	ok(p[1] == 6, "so does a callback");
	must(hipHostFree(p));
	must(hipStreamDestroy(s));
}

static void test_idle(void) {
	uint32_t *p;
	hipStream_t s = new_stream(0);
	must(hipHostMalloc((void **)&p, 4, 0));
	hipEvent_t e = new_event();
	unsigned n = 0;
	float ms;
	set(p, 9, s);
	must(hipEventRecord(e, s));
	while (hipEventElapsedTime(&ms, e, e) == hipErrorNotReady && n++ < 20000)
		usleep(1000);
	ok(*p == 9, "work runs while the program waits without a call");
	must(hipEventDestroy(e));
	must(hipHostFree(p));
	must(hipStreamDestroy(s));
}

/* ---- values in memory ---- */

static bool holds(uint64_t *p, uint64_t now, uint64_t wanted, unsigned compare, uint64_t mask) {
	hipStream_t s = new_stream(0);
	must(hipMemcpy(p, &now, 8, hipMemcpyHostToDevice));
	must(hipStreamWaitValue64(s, p, wanted, compare, mask));
	bool yes = hipStreamQuery(s) == hipSuccess;
	*p = compare == hipStreamWaitValueEq    ? wanted
	     : compare == hipStreamWaitValueNor ? 0
	                                        : ~0ull;
	must(hipStreamDestroy(s));
	return yes;
}

static void test_values(void) {
	const uint64_t high = 1ull << 40;
	uint64_t *p = device_bytes(8);
	ok(holds(p, 9, 9, hipStreamWaitValueGte, ~0ull) &&
	           !holds(p, 8, 9, hipStreamWaitValueGte, ~0ull) &&
	           !holds(p, high | 9, 9, hipStreamWaitValueGte, high - 2) &&
	           holds(p, high | 4, 4, hipStreamWaitValueEq, 15) &&
	           !holds(p, high | 4, 4, hipStreamWaitValueEq, ~0ull) &&
	           holds(p, high | 4, high, hipStreamWaitValueAnd, ~0ull) &&
	           !holds(p, high | 4, 8, hipStreamWaitValueAnd, 15) &&
	           holds(p, 4, 3, hipStreamWaitValueNor, ~0ull) &&
	           !holds(p, ~1ull, 1, hipStreamWaitValueNor, ~0ull),
	   "four comparisons, of masked values");
	ok(hipStreamWaitValue32(NULL, NULL, 0, 0, ~0u) == hipErrorInvalidValue &&
	           hipStreamWaitValue32(NULL, p, 0, 4, ~0u) == hipErrorInvalidValue &&
	           hipStreamWriteValue32(NULL, p, 0, 1) == hipErrorInvalidValue &&
	           hipStreamWriteValue64(NULL, p + 1, 0, 0) == hipErrorInvalidValue,
	   "a value needs its memory, and a comparison that there is");
	must(hipFree(p));
}

static void frees(void *p) {
	(void)hipFree(p);
}

/* The first bytes that a child process prints to stderr before it ends, or is killed. A machine
 * under load, and a sanitizer, need seconds for that. */
static const char *said_by(void (*child)(void)) {
	enum { MOST_SECONDS = 300 };
	static char said[512];
	int ends[2], status;
	must(pipe(ends) ? hipErrorUnknown : hipSuccess);
	fflush(stdout);
	pid_t pid = fork();
	if (!pid) {
		dup2(ends[1], 2);
		alarm(MOST_SECONDS);
		child();
		exit(0);
	}
	close(ends[1]);
	ssize_t n = read(ends[0], said, sizeof said - 1);
	said[n > 0 ? n : 0] = 0;
	kill(pid, SIGKILL);
	waitpid(pid, &status, 0);
	close(ends[0]);
	return said;
}

static void wait_for_itself(void) {
	must(hipLaunchHostFunc(new_stream(0), frees, device_bytes(4)));
}

static void wait_for_ever(void) {
	uint32_t *p = device_bytes(8);
	hipStream_t s = new_stream(0);
	must(hipMemset(p, 0, 8));
	must(hipStreamWaitValue32(s, p + 1, 3, hipStreamWaitValueGte, 0xff));
	must(hipStreamWriteValue32(s, p + 1, 3, 0)); /* after the wait */
	must(hipStreamSynchronize(s));
}

static void exit_with_wait(void) {
	uint32_t *p = device_bytes(8);
	must(hipMemset(p, 0, 8));
	must(hipStreamWaitValue32(new_stream(0), p, 3, hipStreamWaitValueGte, 0xff));
}

static void test_endless_waits(void) {
	ok(strstr(said_by(wait_for_itself), "its own stream"),
	   "a host function that waits for its own stream is reported");
	const char *said = said_by(wait_for_ever);
	if (!ok(strstr(said, "libmxhip: no progress: stream 0x") &&
	                strstr(said, "waits for the 4 bytes at 0x") &&
	                strstr(said, " & 0xff >= 0x3; they are 0x0, and no other work can run\n"),
	        "so is a wait for a value that no work writes"))
		diag("%s", said);
	ok(strstr(said_by(exit_with_wait), "no progress"), "and at the end of the process");
}

static void *ask(void *stop) {
	while (!atomic_load((atomic_bool *)stop))
		(void)hipStreamQuery(NULL);
	return NULL;
}

/* Whether a child process can use the queue in which another thread was when the process forked. */
static bool child_can_ask(void) {
	enum { MOST_SECONDS = 300 };
	int status = 0;
	pid_t pid = fork();
	if (!pid) {
		alarm(MOST_SECONDS);
		_exit(hipStreamQuery(NULL) == hipErrorNotReady ? 0 : 1);
	}
	waitpid(pid, &status, 0);
	return status == 0;
}

/* As the library's own thread uses it, while work waits. */
static void test_freed_value(void) {
	hipStream_t s = new_stream(hipStreamNonBlocking), t = new_stream(hipStreamNonBlocking);
	uint32_t *p = device_bytes(4), *q = device_bytes(4);
	must(hipMemset(p, 0, 4));
	must(hipStreamWaitValue32(s, p, 1, hipStreamWaitValueEq, UINT32_MAX));
	set(q, 5, s);
	must(hipFreeAsync(p, t));
	ok(hipStreamSynchronize(t) == hipErrorIllegalAddress && strstr(mxhipErrorDetail(), "freed"),
	   "a wait for a value ends with an error when the memory is freed");
	must(hipStreamSynchronize(s));
	ok(value_of(q) == 5, "and what follows it runs");
	must(hipFree(q));
	must(hipStreamDestroy(s));
	must(hipStreamDestroy(t));
}

static void test_fork(void) {
	uint32_t *p = device_bytes(4);
	atomic_bool stop = false;
	pthread_t thread;
	bool can = true;
	*p = 0;
	must(hipStreamWaitValue32(NULL, p, 1, hipStreamWaitValueEq, ~0u));
	must(pthread_create(&thread, NULL, ask, &stop) ? hipErrorUnknown : hipSuccess);
	for (unsigned i = 0; can && i < 20; i++)
		can = child_can_ask();
	atomic_store(&stop, true);
	pthread_join(thread, NULL);
	ok(can, "a process may fork while work waits");
	*p = 1;
	must(hipStreamSynchronize(NULL));
	must(hipFree(p));
}

static void test_options(void) {
	uint32_t *p = device_bytes(4);
	set(p, 1, NULL);
	with_options(.seed = 1);
	add(p, 1, NULL);
	ok(*p == 2 && hipStreamQuery(NULL) == hipSuccess,
	   "a thread that has set options does its work at once, after what is enqueued");
	must(mxhipSetLaunchOptions(NULL));
	must(hipFree(p));
}

static void test_late_errors(void) {
	uint32_t *p = device_bytes(4);
	hipStream_t s = new_stream(0);
	(void)hipGetLastError();
	must(hipFreeAsync(p, s));
	must(hipFreeAsync(p, s));
	ok(hipGetLastError() == hipSuccess && hipStreamSynchronize(s) == hipErrorInvalidValue &&
	           hipStreamSynchronize(s) == hipSuccess,
	   "the error of enqueued work is the next synchronising call's");
	must(hipStreamDestroy(s));
}

/* Both forms of arguments are copied by the call. */
static void test_arguments(void) {
	struct {
		uint32_t *p;
		uint32_t n;
	} packed = { device_bytes(4), 1 };
	size_t size = 12;
	void *extra[] = { HIP_LAUNCH_PARAM_BUFFER_POINTER, &packed, HIP_LAUNCH_PARAM_BUFFER_SIZE,
		          &size, HIP_LAUNCH_PARAM_END };
	hipFunction_t f;
	must(hipModuleGetFunction(&f, module, "add"));
	must(hipMemset(packed.p, 0, 4));
	must(hipModuleLaunchKernel(f, 1, 1, 1, 1, 1, 1, 0, NULL, NULL, extra));
	packed.n = 10;
	must(hipModuleLaunchKernel(f, 1, 1, 1, 1, 1, 1, 0, NULL, (void *[]){ &packed.p, &packed.n },
	                           NULL));
	packed.n = 100;
	ok(value_of(packed.p) == 11, "a launch has the arguments of its call");
	must(hipFree(packed.p));
}

int main(void) {
	test_order();
	start(1);
	test_queries();
	test_host_memory();
	test_no_second_copy();
	test_host_functions();
	test_idle();
	test_values();
	test_endless_waits();
	test_freed_value();
	test_fork();
	test_options();
	test_late_errors();
	test_arguments();
	must(hipModuleUnload(module));
	return done_testing();
}
