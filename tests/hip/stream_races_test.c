/* Races of work of two streams, which a watched program reports. Each racy program stands beside
 * one that orders the same work. */
#include "races_test.h"

/* ---- programs with one race ---- */

static void two_sets(void) {
	set(p, 64, s);
	set(p + 63, 1, t);
}

static void kernel_and_copy(void) {
	copy(q, p, s);
	must(hipMemcpyAsync(p, q + 64, 8, hipMemcpyDeviceToDevice, t));
}

static void recorded_too_early(void) {
	must(hipEventRecord(e, s));
	add(p, s);
	must(hipStreamWaitEvent(t, e, 0));
	add(p, t);
}

static void recorded_again(void) {
	add(p, s);
	must(hipEventRecord(e, s));
	must(hipEventRecord(e, apart));
	must(hipStreamWaitEvent(t, e, 0));
	add(p, t);
}

static void legacy_and_apart(void) {
	add(p, NULL);
	add(p, apart);
}

static void synchronous_copy(void) {
	uint32_t value;
	add(p, apart);
	must(hipMemcpy(&value, p, 4, hipMemcpyDeviceToHost));
}

static void waited_for_other_stream(void) {
	add(p, s);
	must(hipStreamSynchronize(apart));
	add(p, t);
}

static void freed_while_used(void) {
	uint32_t *more;
	must(hipMallocAsync((void **)&more, 256, s));
	after(t, s);
	copy(p, more, t);
	must(hipFreeAsync(more, s));
}

/* A graph of two nodes without order, captured from two streams. */
static void launch_fork(bool ordered) {
	hipGraph_t g;
	hipGraphExec_t x;
	must(hipStreamBeginCapture(s, hipStreamCaptureModeRelaxed));
	add(p, s);
	after(t, s);
	add(q, s);
	if (ordered)
		after(t, s);
	add(q, t);
	after(s, t);
	must(hipStreamEndCapture(s, &g));
	must(hipGraphInstantiate(&x, g, NULL, NULL, 0));
	must(hipGraphLaunch(x, apart));
	must(hipGraphExecDestroy(x));
	must(hipGraphDestroy(g));
}

static void forked_graph(void) {
	launch_fork(false);
}

/* A graph allocates memory that a kernel reads. */
static void launch_allocation(bool ordered) {
	hipGraph_t g;
	hipGraphExec_t x;
	uint32_t *more;
	must(hipStreamBeginCapture(s, hipStreamCaptureModeRelaxed));
	must(hipMallocAsync((void **)&more, 256, s));
	must(hipStreamEndCapture(s, &g));
	must(hipGraphInstantiate(&x, g, NULL, NULL, 0));
	must(hipGraphLaunch(x, s));
	if (ordered)
		after(t, s);
	copy(p, more, t);
	must(hipGraphExecDestroy(x));
	must(hipGraphDestroy(g));
}

static void read_before_allocated(void) {
	launch_allocation(false);
}

/* A graph sets memory and records an event, for which another stream may wait. */
static void launch_record(bool ordered) {
	hipGraph_t g;
	hipGraphExec_t x;
	hipGraphNode_t node, record;
	hipMemsetParams params = {
		.dst = p, .value = 1, .elementSize = 4, .width = 64, .height = 1
	};
	must(hipGraphCreate(&g, 0));
	must(hipGraphAddMemsetNode(&node, g, NULL, 0, &params));
	must(hipGraphAddEventRecordNode(&record, g, &node, 1, e));
	must(hipGraphInstantiate(&x, g, NULL, NULL, 0));
	must(hipGraphLaunch(x, s));
	if (ordered)
		must(hipStreamWaitEvent(t, e, 0));
	add(p, t);
	must(hipGraphExecDestroy(x));
	must(hipGraphDestroy(g));
}

static void recorded_alone(void) {
	launch_record(false);
}

/* A graph waits for an event before it sets memory, which another stream does too. */
static void launch_wait(bool ordered) {
	hipGraph_t g;
	hipGraphExec_t x;
	hipGraphNode_t node, wait;
	hipMemsetParams params = {
		.dst = p, .value = 1, .elementSize = 4, .width = 64, .height = 1
	};
	must(hipGraphCreate(&g, 0));
	must(hipGraphAddEventWaitNode(&wait, g, NULL, 0, e));
	must(hipGraphAddMemsetNode(&node, g, &wait, 1, &params));
	must(hipGraphInstantiate(&x, g, NULL, NULL, 0));
	if (!ordered)
		must(hipEventRecord(e, s));
	add(p, s);
	if (ordered)
		must(hipEventRecord(e, s));
	must(hipGraphLaunch(x, t));
	must(hipEventRecord(e, ordered ? apart : s)); /* the launch does not wait for it */
	must(hipDeviceSynchronize());
	must(hipGraphExecDestroy(x));
	must(hipGraphDestroy(g));
}

static void waited_too_early(void) {
	launch_wait(false);
}

static void atomic_and_plain(void) {
	count(p, s);
	add(p, t);
}

/* ---- programs without one ---- */

static void event(void) {
	add(p, s);
	after(t, s);
	add(p, t);
	after(apart, t);
	set(p, 64, apart);
}

static void legacy(void) {
	add(p, s);
	add(p, NULL);
	add(p, t);
}

static void waits_of_the_host(void) {
	add(p, apart);
	must(hipStreamSynchronize(apart));
	add(p, t);
	must(hipEventRecord(e, t));
	must(hipEventSynchronize(e));
	add(p, apart);
	while (hipStreamQuery(apart) == hipErrorNotReady)
		;
	add(p, s);
	must(hipDeviceSynchronize());
	set(p, 64, t);
	must(hipEventRecord(e, t));
	float ms;
	while (hipEventElapsedTime(&ms, e, e) == hipErrorNotReady) { /* other work runs it */
		set(q, 1, apart);
		must(hipStreamSynchronize(apart));
	}
	add(p, s);
}

static void other_bytes(void) {
	set(p, 1, s);
	set(p + 1, 62, t);
	add(p + 63, apart);
}

static void reads(void) {
	copy(q, p, s);
	copy(q + 64, p, t);
}

static void freed_and_allocated(void) {
	uint32_t *more;
	for (unsigned i = 0; i < 4; i++) {
		hipStream_t stream = i % 2 ? s : t;
		must(hipMallocAsync((void **)&more, 256, stream));
		set(more, 64, stream);
		must(hipFreeAsync(more, stream));
		(void)hipStreamQuery(stream);
	}
}

static void ordered_graph(void) {
	launch_fork(true);
}

static void read_after_allocated(void) {
	launch_allocation(true);
}

static void waited_in_graph(void) {
	launch_wait(true);
}

static void recorded_and_waited(void) {
	launch_record(true);
}

static void atomics(void) {
	count(p, s);
	count(p, t);
}

static void value(void) {
	set(p, 4, s);
	must(hipStreamWriteValue32(s, q, 7, 0));
	must(hipStreamWaitValue32(apart, q, 7, hipStreamWaitValueEq, ~0u));
	set(p, 4, apart);
}

static void nothing(void *unused) {
	(void)unused;
}

static void host_function(void) {
	add(p, apart);
	must(hipLaunchHostFunc(apart, nothing, NULL));
	add(p, s);
}

/* ---- */

static const struct program programs[] = {
	{ "two_sets", two_sets, 1, "two memsets of one dword" },
	{ "other_bytes", other_bytes, 0, "  of different dwords" },
	{ "kernel_and_copy", kernel_and_copy, 1, "a copy to what a kernel reads" },
	{ "reads", reads, 0, "  two kernels that read it" },
	{ "recorded_too_early", recorded_too_early, 1, "an event that is recorded too early" },
	{ "recorded_again", recorded_again, 1, "  or again, in another stream" },
	{ "event", event, 0, "  in time" },
	{ "legacy_and_apart", legacy_and_apart, 1,
	  "the legacy stream and one that does not block" },
	{ "synchronous_copy", synchronous_copy, 1, "  or a synchronous copy" },
	{ "legacy", legacy, 0, "  and blocking streams" },
	{ "waited_for_other_stream", waited_for_other_stream, 1, "a wait for another stream" },
	{ "waits_of_the_host", waits_of_the_host, 0, "  for the stream, an event, a device" },
	{ "host_function", host_function, 0, "  a host function" },
	{ "freed_while_used", freed_while_used, 1, "memory that is freed while a kernel reads it" },
	{ "freed_and_allocated", freed_and_allocated, 0, "  that another stream allocates again" },
	{ "forked_graph", forked_graph, 1, "nodes of a graph without order" },
	{ "ordered_graph", ordered_graph, 0, "  with order" },
	{ "read_before_allocated", read_before_allocated, 1, "memory that a graph allocates" },
	{ "read_after_allocated", read_after_allocated, 0, "  and that is read after it" },
	{ "recorded_alone", recorded_alone, 1, "an event that a graph records" },
	{ "recorded_and_waited", recorded_and_waited, 0, "  with a wait for it" },
	{ "waited_too_early", waited_too_early, 1, "a graph that waits for an earlier record" },
	{ "waited_in_graph", waited_in_graph, 0, "  for the record after the work" },
	{ "atomic_and_plain", atomic_and_plain, 1, "an atomic and a plain access" },
	{ "atomics", atomics, 0, "  two atomics" },
	{ "value", value, 0, "a stream that waits for a value of another one" },
};

static void test_text(const char *folder) {
	char line[1024] = "";
	races_of(&programs[2], folder, "0", line);
	if (!ok(strstr(line, "\tcopy of 8 bytes, in stream 2\twrites 8 bytes at offset 0 of the "
	                     "allocation at 0x") &&
	                strstr(line, ", which copy<<<(1,1,1), (64,1,1)>>>, launch 1, in stream 1 "
	                             "reads: no event, "),
	        "both are named, with their streams and bytes"))
		diag("%s", line);
}

int main(int argc, char **argv) {
	return test_programs(programs, COUNT(programs), argc, argv, test_text);
}
