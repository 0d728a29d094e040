/* Waits in graphs: for the last record of an event before the launch, as in AMD's runtime
 * [ROCm/clr, hipamd/src/hip_graph_internal.hpp, GraphEventWaitNode::CreateCommand, which
 * hipGraphLaunch calls], and for values. Streams do not block, so that only events order them; a
 * stream is held by a wait for a value, which another one writes. */
#include "runtime_test.h"

#include <unistd.h>

enum { A, B, C, D, STREAMS };

static hipStream_t s[STREAMS];
static hipEvent_t e, f;
static uint32_t *p, *gate; /* device memory */

static void hold(hipStream_t stream) {
	must(hipMemset(gate, 0, 4));
	must(hipStreamWaitValue32(stream, gate, 1, hipStreamWaitValueEq, UINT32_MAX));
}

static void let_go(hipStream_t with) {
	must(hipStreamWriteValue32(with, gate, 1, 0));
}

static void set(uint32_t value, hipStream_t stream) {
	must(hipMemsetD32Async(p, (int)value, 1, stream));
}

static uint32_t value(void) {
	uint32_t v;
	must(hipMemcpyAsync(&v, p, 4, hipMemcpyDeviceToHost, s[D]));
	return v;
}

/* A graph that waits for an event, and then sets p[1] to p[0]. */
static hipGraphExec_t waiter(hipEvent_t event) {
	hipGraph_t g;
	hipGraphExec_t exec;
	hipGraphNode_t wait, copy;
	must(hipGraphCreate(&g, 0));
	must(hipGraphAddEventWaitNode(&wait, g, NULL, 0, event));
	must(hipGraphAddMemcpyNode1D(&copy, g, &wait, 1, p + 1, p, 4, hipMemcpyDeviceToDevice));
	must(hipGraphInstantiate(&exec, g, NULL, NULL, 0));
	must(hipGraphDestroy(g));
	return exec;
}

static uint32_t copied(void) {
	uint32_t v;
	must(hipMemcpyAsync(&v, p + 1, 4, hipMemcpyDeviceToHost, s[D]));
	return v;
}

static bool is_pending(hipStream_t stream) {
	bool pending = true;
	for (int i = 0; i < 100; i++)
		pending &= hipStreamQuery(stream) == hipErrorNotReady;
	return pending;
}

/* ---- events ---- */

static void test_recorded_again(void) {
	hipGraphExec_t x = waiter(e);
	set(0, s[D]);
	hold(s[A]);
	set(7, s[A]);
	must(hipEventRecord(e, s[A]));
	must(hipGraphLaunch(x, s[B]));
	must(hipEventRecord(e, s[C]));
	ok(is_pending(s[B]), "a record after the launch does not end the wait of a graph");
	let_go(s[C]);
	must(hipStreamSynchronize(s[B]));
	ok(copied() == 7, "the record before the launch does");
	hold(s[A]);
	must(hipGraphLaunch(x, s[B]));
	must(hipEventRecord(e, s[A]));
	must(hipStreamSynchronize(s[B]));
	ok(is_pending(s[A]), "nor does a graph wait for a record after its launch");
	let_go(s[C]);
	must(hipDeviceSynchronize());
	must(hipGraphExecDestroy(x));
}

static void test_event_ends(void) {
	hipEvent_t gone;
	must(hipEventCreate(&gone));
	hipGraphExec_t x = waiter(gone);
	hold(s[A]);
	set(9, s[A]);
	must(hipEventRecord(gone, s[A]));
	must(hipGraphLaunch(x, s[B]));
	must(hipEventDestroy(gone));
	ok(is_pending(s[B]), "a graph waits for the record of an event that is destroyed");
	let_go(s[C]);
	must(hipStreamSynchronize(s[B]));
	ok(copied() == 9, "and goes on after it");
	must(hipGraphLaunch(x, s[B]));
	must(hipStreamSynchronize(s[B]));
	ok(true, "a launch after its end does not wait");
	must(hipGraphExecDestroy(x));
}

/* Each launch waits for the one before it, and for the stream that is released last. */
static void test_chain(void) {
	hipGraphExec_t x = waiter(e), y = waiter(f);
	hold(s[A]);
	set(11, s[A]);
	must(hipEventRecord(e, s[A]));
	must(hipGraphLaunch(x, s[B]));
	must(hipEventRecord(f, s[B]));
	must(hipGraphLaunch(y, s[C]));
	let_go(s[D]);
	must(hipStreamSynchronize(s[C]));
	ok(copied() == 11, "graphs that wait for each other's streams end");
	must(hipGraphExecDestroy(x));
	must(hipGraphExecDestroy(y));
}

/* What comes before the wait in a graph may let the other stream go on. */
static void test_half_run(void) {
	hipGraph_t g, child;
	hipGraphExec_t x;
	hipGraphNode_t open, wait, last, inner;
	hipMemsetParams one = {
		.dst = gate, .value = 1, .elementSize = 4, .width = 1, .height = 1
	};
	must(hipGraphCreate(&child, 0));
	must(hipGraphAddEventWaitNode(&inner, child, NULL, 0, e));
	must(hipGraphCreate(&g, 0));
	must(hipGraphAddMemsetNode(&open, g, NULL, 0, &one));
	must(hipGraphAddChildGraphNode(&wait, g, &open, 1, child));
	must(hipGraphAddMemcpyNode1D(&last, g, &wait, 1, p + 1, p, 4, hipMemcpyDeviceToDevice));
	must(hipGraphInstantiate(&x, g, NULL, NULL, 0));
	for (uint32_t i = 20; i < 22; i++) {
		hold(s[A]);
		set(i, s[A]);
		must(hipEventRecord(e, s[A]));
		must(hipGraphLaunch(x, s[B]));
		must(hipStreamSynchronize(s[B]));
		ok(copied() == i, "launch %u of a graph releases the stream for which it waits",
		   i - 19);
	}
	must(hipGraphExecDestroy(x));
	must(hipGraphDestroy(g));
	must(hipGraphDestroy(child));
}

/* ---- values ---- */

static hipGraphExec_t batch(void) {
	hipGraph_t g;
	hipGraphExec_t x;
	hipGraphNode_t node;
	hipCtx_t context;
	must(hipDevicePrimaryCtxRetain(&context, 0));
	hipStreamBatchMemOpParams o[] = {
		{ hipStreamMemOpWaitValue32, gate, 1, hipStreamWaitValueEq, { 0 } },
		{ hipStreamMemOpWriteValue32, p, 5, 0, { 0 } },
	};
	hipBatchMemOpNodeParams params = { .ctx = context, .count = 2, .paramArray = o };
	must(hipGraphCreate(&g, 0));
	must(hipGraphAddBatchMemOpNode(&node, g, NULL, 0, &params));
	must(hipGraphInstantiate(&x, g, NULL, NULL, 0));
	must(hipGraphDestroy(g));
	return x;
}

/* Both graphs wait for the value, and the stream of the first for the second one. */
static void test_values(void) {
	hipGraphExec_t x = batch(), y = waiter(e);
	set(0, s[D]);
	must(hipMemset(gate, 0, 4));
	must(hipGraphLaunch(x, s[A]));
	must(hipEventRecord(e, s[A]));
	must(hipGraphLaunch(y, s[B]));
	ok(is_pending(s[A]) && is_pending(s[B]) && value() == 0, "a graph waits for a value");
	let_go(s[C]);
	must(hipStreamSynchronize(s[B]));
	ok(copied() == 5, "and goes on with what follows it");
	with_options(.seed = 1);
	must(hipGraphLaunch(x, s[A]));
	must(hipGraphLaunch(y, s[B]));
	must(mxhipSetLaunchOptions(NULL));
	ok(copied() == 5, "also in a thread with launch options");
	must(hipGraphExecDestroy(x));
	must(hipGraphExecDestroy(y));
}

int main(void) {
	alarm(60);
	for (int i = 0; i < STREAMS; i++)
		must(hipStreamCreateWithFlags(&s[i], hipStreamNonBlocking));
	must(hipEventCreate(&e));
	must(hipEventCreate(&f));
	p = device_bytes(8);
	gate = device_bytes(4);
	test_recorded_again();
	test_event_ends();
	test_chain();
	test_half_run();
	test_values();
	return done_testing();
}
