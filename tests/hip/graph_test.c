/* Graphs: parameters that are read and changed, clones, updates, and their form. */
#define _GNU_SOURCE
#include "runtime_test.h"

#include <unistd.h>

hipError_t hipGraphNodeSetEnabled(hipGraphExec_t exec, hipGraphNode_t node, unsigned enabled);
hipError_t hipGraphNodeGetEnabled(hipGraphExec_t exec, hipGraphNode_t node, unsigned *enabled);


hipError_t hipStreamBeginCaptureToGraph(hipStream_t stream, hipGraph_t g, const hipGraphNode_t *on,
                                        const void *edges, size_t n, hipStreamCaptureMode mode);
hipError_t hipGraphDebugDotPrint(hipGraph_t g, const char *path, unsigned flags);

static hipFunction_t add;
static uint32_t *p; /* what the graphs work on */

/* Sets p, adds n, then the host counts and p[1] = p. */
struct built {
	hipGraph_t graph;
	hipGraphNode_t set, add, call, copy;
	uint32_t n, calls;
};

static void count(void *n) {
	++*(uint32_t *)n;
}

static void count_ten(void *n) {
	*(uint32_t *)n += 10;
}

static hipMemsetParams setting(unsigned value) {
	return (hipMemsetParams){
		.dst = p, .elementSize = 4, .height = 1, .value = value, .width = 1
	};
}

static hipKernelNodeParams adding(void **params) {
	return (hipKernelNodeParams){
		.blockDim = { 1, 1, 1 }, .gridDim = { 1, 1, 1 }, .func = add, .kernelParams = params
	};
}

static void build(struct built *b, unsigned value, uint32_t n) {
	*b = (struct built){ .n = n };
	hipMemsetParams set = setting(value);
	hipKernelNodeParams k = adding((void *[]){ &p, &b->n });
	hipHostNodeParams call = { count, &b->calls };
	must(hipGraphCreate(&b->graph, 0));
	must(hipGraphAddMemsetNode(&b->set, b->graph, NULL, 0, &set));
	must(hipGraphAddKernelNode(&b->add, b->graph, &b->set, 1, &k));
	must(hipGraphAddHostNode(&b->call, b->graph, &b->add, 1, &call));
	must(hipGraphAddMemcpyNode1D(&b->copy, b->graph, &b->add, 1, p + 1, p, 4,
	                             hipMemcpyDeviceToDevice));
}

static hipGraphExec_t instance(hipGraph_t g) {
	hipGraphExec_t exec;
	must(hipGraphInstantiate(&exec, g, NULL, NULL, 0));
	return exec;
}

/* The result of a run. */
static uint32_t run(hipGraphExec_t exec) {
	must(hipGraphLaunch(exec, NULL));
	must(hipStreamSynchronize(NULL));
	return p[1];
}

static uint32_t run_once(hipGraph_t g) {
	hipGraphExec_t exec = instance(g);
	uint32_t result = run(exec);
	must(hipGraphExecDestroy(exec));
	return result;
}

/* ---- parameters ---- */

static void test_get(void) {
	struct built b;
	hipMemsetParams set;
	hipKernelNodeParams k;
	hipHostNodeParams host;
	build(&b, 3, 4);
	must(hipGraphMemsetNodeGetParams(b.set, &set));
	must(hipGraphKernelNodeGetParams(b.add, &k));
	must(hipGraphHostNodeGetParams(b.call, &host));
	ok(set.dst == p && set.value == 3 && set.width == 1 && k.func == add && k.blockDim.x == 1 &&
	           *(uint32_t *)k.kernelParams[1] == 4 && host.fn == count,
	   "a node has the parameters with which it was made");
	ok(hipGraphMemsetNodeGetParams(b.add, &set) == hipErrorInvalidValue &&
	           hipGraphKernelNodeGetParams(NULL, &k) == hipErrorInvalidValue &&
	           hipGraphHostNodeGetParams(b.call, NULL) == hipErrorInvalidValue,
	   "only a node of its kind");
	must(hipGraphDestroy(b.graph));
}

/* Twice: in the graph, and in the executable one. */
static void test_set(void) {
	struct built b;
	build(&b, 3, 4);
	hipGraphExec_t exec = instance(b.graph);
	uint32_t five = 5;
	hipMemsetParams set = setting(100);
	hipKernelNodeParams k = adding((void *[]){ &p, &five });
	hipHostNodeParams host = { count_ten, &b.calls };
	must(hipGraphMemsetNodeSetParams(b.set, &set));
	must(hipGraphKernelNodeSetParams(b.add, &k));
	must(hipGraphHostNodeSetParams(b.call, &host));
	must(hipGraphMemcpyNodeSetParams1D(b.copy, p + 2, p, 4, hipMemcpyDeviceToDevice));
	ok(run(exec) == 7 && b.calls == 1, "an executable graph has the parameters of its making");
	p[1] = 0;
	ok(run_once(b.graph) == 0 && p[2] == 105 && b.calls == 11, "a later one those of now");
	set.value = 200;
	five = 6;
	must(hipGraphExecMemsetNodeSetParams(exec, b.set, &set));
	must(hipGraphExecKernelNodeSetParams(exec, b.add, &k));
	must(hipGraphExecHostNodeSetParams(exec, b.call, &host));
	must(hipGraphExecMemcpyNodeSetParams1D(exec, b.copy, p + 3, p, 4, hipMemcpyDeviceToDevice));
	run(exec);
	ok(p[3] == 206 && b.calls == 21, "they are changed in an executable graph, too");
	ok(hipGraphExecMemsetNodeSetParams(exec, b.add, &set) == hipErrorInvalidValue &&
	           hipGraphMemsetNodeSetParams(b.add, &set) == hipErrorInvalidValue &&
	           hipGraphExecMemsetNodeSetParams(NULL, b.set, &set) == hipErrorInvalidValue &&
	           hipGraphHostNodeSetParams(b.call, &(hipHostNodeParams){ 0 }) ==
	                   hipErrorInvalidValue,
	   "a node keeps its kind");
	must(hipGraphExecDestroy(exec));
	must(hipGraphDestroy(b.graph));
}

static void test_destroyed_node(void) {
	struct built b;
	hipGraphNode_t from[4], to[4];
	size_t n = 4, edges = 4;
	build(&b, 5, 2);
	ok(hipGraphDestroyNode(b.add) == hipSuccess &&
	           hipGraphDestroyNode(b.add) == hipErrorInvalidValue &&
	           hipGraphDestroyNode(NULL) == hipErrorInvalidValue,
	   "a node is destroyed once");
	must(hipGraphGetNodes(b.graph, NULL, &n));
	must(hipGraphGetEdges(b.graph, from, to, &edges));
	ok(n == 3 && !edges, "with its dependencies");
	must(hipGraphAddDependencies(b.graph, &b.set, &b.copy, 1));
	ok(hipGraphGetEdges(b.graph, from, to, (edges = 4, &edges)) == hipSuccess && edges == 1 &&
	           from[0] == b.set && to[0] == b.copy,
	   "the others keep theirs");
	hipGraphExec_t exec = instance(b.graph);
	run(exec);
	ok(p[1] == 5, "and it does not run");
	must(hipGraphExecDestroy(exec));
	must(hipGraphDestroy(b.graph));
}

/* 2 planes of 3 rows of 8 bytes, which begin at x 4, y 1, z 1 of planes of 5 rows of 16 bytes. */
static void test_box(void) {
	uint8_t in[3 * 5 * 16], out[2 * 3 * 8], *m = (uint8_t *)device_bytes(sizeof in);
	for (unsigned i = 0; i < sizeof in; i++)
		in[i] = (uint8_t)i;
	hipMemcpy3DParms c = {
		.srcPtr = { in, 16, 16, 5 },
		.dstPtr = { m, 16, 16, 5 },
		.extent = { 16, 5, 3 },
		.kind = hipMemcpyHostToDevice,
	};
	must(hipMemcpy3D(&c));
	c.srcPtr = c.dstPtr;
	c.srcPos = (struct hipPos){ 4, 1, 1 };
	c.dstPtr = (hipPitchedPtr){ out, 8, 8, 3 };
	c.extent = (struct hipExtent){ 8, 3, 2 };
	c.kind = hipMemcpyDeviceToHost;
	must(hipMemcpy3D(&c));
	unsigned good = 0;
	for (unsigned i = 0; i < sizeof out; i++)
		good += out[i] == in[(1 + i / 24) * 80 + (1 + i / 8 % 3) * 16 + 4 + i % 8];
	ok(good == sizeof out, "a box is copied from and to pitched memory");
	hipMemcpy3DParms got, bad = c;
	hipGraph_t g;
	hipGraphNode_t node;
	must(hipGraphCreate(&g, 0));
	must(hipGraphAddMemcpyNode(&node, g, NULL, 0, &c));
	must(hipGraphMemcpyNodeGetParams(node, &got));
	ok(!memcmp(&got, &c, sizeof c), "as a node it has the same parameters");
	memset(out, 0, sizeof out);
	hipGraphExec_t exec = instance(g);
	c.srcPos.x = 0;
	must(hipGraphExecMemcpyNodeSetParams(exec, node, &c));
	run(exec);
	ok(out[0] == in[80 + 16], "or others in an executable graph");
	bad.extent.width = 17;
	hipError_t pitch = hipMemcpy3D(&bad);
	bad = c;
	bad.srcPos.x = 9;
	hipError_t row = hipMemcpy3D(&bad);
	bad = c;
	bad.kind = (hipMemcpyKind)7;
	hipError_t kind = hipMemcpy3D(&bad);
	bad = c;
	bad.srcPos.z = 2;
	hipError_t end = hipMemcpy3D(&bad);
	bad = c;
	bad.extent.depth = 0;
	ok(pitch == hipErrorInvalidPitchValue && row == hipErrorInvalidValue &&
	           kind == hipErrorInvalidMemcpyDirection && end == hipErrorInvalidValue &&
	           hipMemcpy3D(&bad) == hipSuccess && hipMemcpy3D(NULL) == hipErrorInvalidValue,
	   "a box fits its pitch, its rows and its memory; an empty one is not copied");
	must(hipGraphExecDestroy(exec));
	must(hipGraphDestroy(g));
	must(hipFree(m));
}

/* The driver API's form, and memory for it. */
static void test_pitched(void) {
	hipPitchedPtr m;
	uint32_t word = 0;
	must(hipMalloc3D(&m, (struct hipExtent){ 20, 3, 2 }));
	must(hipMemset3D(m, 7, (struct hipExtent){ 20, 3, 2 }));
	HIP_MEMCPY3D d = { .srcMemoryType = hipMemoryTypeDevice,
		           .srcDevice = m.ptr,
		           .srcPitch = (unsigned)m.pitch,
		           .srcHeight = 3,
		           .srcXInBytes = 16,
		           .srcY = 2,
		           .srcZ = 1,
		           .dstMemoryType = hipMemoryTypeHost,
		           .dstHost = &word,
		           .dstPitch = 4,
		           .dstHeight = 1,
		           .WidthInBytes = 4,
		           .Height = 1,
		           .Depth = 1 };
	ok(hipDrvMemcpy3D(&d) == hipSuccess && word == 0x07070707, "memory of three dimensions");
	hipGraph_t g;
	hipGraphNode_t node;
	must(hipGraphCreate(&g, 0));
	must(hipDrvGraphAddMemcpyNode(&node, g, NULL, 0, &d, (hipCtx_t)&g));
	word = 0;
	run_once(g);
	d.srcMemoryType = hipMemoryTypeArray;
	ok(word == 0x07070707 && hipDrvMemcpy3D(&d) == hipErrorInvalidValue &&
	           hipDrvMemcpy3D(NULL) == hipErrorInvalidValue,
	   "and a node of a copy of it; there are no arrays");
	must(hipGraphDestroy(g));
	must(hipFree(m.ptr));
}

static void test_events(void) {
	hipGraph_t g;
	hipGraphNode_t record, wait;
	hipEvent_t a, b, now;
	must(hipGraphCreate(&g, 0));
	must(hipEventCreate(&a));
	must(hipEventCreate(&b));
	must(hipGraphAddEventRecordNode(&record, g, NULL, 0, a));
	must(hipGraphAddEventWaitNode(&wait, g, &record, 1, a));
	hipGraphExec_t exec = instance(g);
	must(hipGraphEventRecordNodeSetEvent(record, b));
	must(hipGraphEventRecordNodeGetEvent(record, &now));
	ok(now == b && hipGraphEventWaitNodeGetEvent(wait, &now) == hipSuccess && now == a,
	   "the events of nodes");
	must(hipGraphExecEventRecordNodeSetEvent(exec, record, b));
	must(hipGraphExecEventWaitNodeSetEvent(exec, wait, b));
	must(hipGraphLaunch(exec, NULL));
	must(hipDeviceSynchronize());
	float ms;
	ok(hipEventElapsedTime(&ms, b, b) == hipSuccess &&
	           hipEventElapsedTime(&ms, a, a) == hipErrorInvalidHandle,
	   "an executable graph records the event that it was given");
	must(hipGraphExecDestroy(exec));
	must(hipGraphDestroy(g));
	must(hipEventDestroy(a));
	must(hipEventDestroy(b));
}

/* Work is enqueued by the launch, and so is the record. */
static void test_event_of_launch(void) {
	hipEvent_t e;
	hipStream_t stream;
	hipGraph_t g, waiting;
	hipGraphNode_t wait, set, record;
	unsigned *p = NULL, value = 0;
	float ms;
	must(hipMalloc((void **)&p, 4));
	must(hipMemset(p, 0, 4));
	must(hipEventCreate(&e));
	must(hipStreamCreate(&stream));
	must(hipGraphCreate(&g, 0));
	hipMemsetParams params = { .dst = p, .value = 7, .elementSize = 4, .width = 1, .height = 1 };
	must(hipGraphAddEventWaitNode(&wait, g, NULL, 0, e));
	must(hipGraphAddMemsetNode(&set, g, &wait, 1, &params));
	must(hipGraphAddEventRecordNode(&record, g, &set, 1, e));
	hipGraphExec_t exec = instance(g);
	for (int i = 0; i < 2; i++) { /* the second launch waits for the record of the first */
		must(hipGraphLaunch(exec, stream));
		ok(hipEventQuery(e) == hipErrorNotReady,
		   "an event is that of a graph from its launch on");
		must(hipEventSynchronize(e));
		must(hipMemcpyAsync(&value, p, 4, hipMemcpyDeviceToHost, NULL));
		ok(value == 7 && hipEventElapsedTime(&ms, e, e) == hipSuccess,
		   "to wait for it is to wait for the graph");
		must(hipMemset(p, 0, 4));
	}
	must(hipGraphCreate(&waiting, 0));
	must(hipGraphAddEventWaitNode(&wait, waiting, NULL, 0, e));
	hipGraphExec_t waiter = instance(waiting);
	must(hipGraphLaunch(waiter, stream));
	must(hipGraphLaunch(exec, stream)); /* records after it, in the same stream */
	must(hipStreamSynchronize(stream));
	must(hipMemcpy(&value, p, 4, hipMemcpyDeviceToHost));
	ok(value == 7, "a graph does not wait for a record that comes after it");
	must(hipMemset(p, 0, 4));
	with_options(.seed = 1);
	must(hipGraphLaunch(exec, stream));
	must(mxhipSetLaunchOptions(NULL));
	must(hipMemcpy(&value, p, 4, hipMemcpyDeviceToHost));
	ok(value == 7 && hipEventQuery(e) == hipSuccess,
	   "a launch with options waits and records at once");
	must(hipGraphExecDestroy(waiter));
	must(hipGraphExecDestroy(exec));
	must(hipGraphDestroy(waiting));
	must(hipGraphDestroy(g));
	must(hipStreamDestroy(stream));
	must(hipEventDestroy(e));
	must(hipFree(p));
}

static void test_enabled(void) {
	struct built b;
	unsigned enabled = 7;
	hipMemsetParams set = setting(50);
	build(&b, 3, 4);
	hipGraphExec_t exec = instance(b.graph);
	must(hipGraphNodeSetEnabled(exec, b.add, 0));
	must(hipGraphNodeGetEnabled(exec, b.add, &enabled));
	ok(!enabled && run(exec) == 3, "a node that is not enabled does not run");
	must(hipGraphNodeSetEnabled(exec, b.add, 1));
	ok(run(exec) == 7, "until it is again");
	ok(hipGraphNodeSetEnabled(exec, b.call, 0) == hipErrorInvalidValue,
	   "a host function always runs");
	must(hipGraphDestroyNode(b.add));
	ok(hipGraphNodeGetEnabled(exec, b.add, &enabled) == hipErrorInvalidValue,
	   "a destroyed node is none, also not that of an executable graph");
	hipGraphNode_t later;
	must(hipGraphAddMemsetNode(&later, b.graph, NULL, 0, &set)); /* it may have the same address */
	ok(hipGraphNodeGetEnabled(exec, later, &enabled) == hipErrorInvalidValue,
	   "nor is a node that was added later");
	must(hipGraphDestroy(b.graph));
	ok(hipGraphNodeSetEnabled(exec, b.set, 0) == hipErrorInvalidValue && run(exec) == 7,
	   "nodes of a destroyed graph are none, but its executable graph runs");
	must(hipGraphExecDestroy(exec));
}

/* ---- clones and updates ---- */

static void test_clone(void) {
	struct built b;
	hipGraph_t clone;
	hipGraphNode_t node, before;
	hipMemsetParams set = setting(50);
	size_t n = 1;
	build(&b, 3, 4);
	must(hipGraphClone(&clone, b.graph));
	must(hipGraphNodeFindInClone(&node, b.set, clone));
	must(hipGraphMemsetNodeSetParams(node, &set));
	ok(node != b.set && run_once(clone) == 54 && run_once(b.graph) == 7,
	   "a clone has nodes of its own");
	must(hipGraphNodeFindInClone(&node, b.copy, clone));
	must(hipGraphNodeGetDependencies(node, &before, &n));
	ok(n == 1 && hipGraphNodeFindInClone(&node, b.add, clone) == hipSuccess && node == before,
	   "and their dependencies");
	ok(hipGraphNodeFindInClone(&node, b.add, b.graph) == hipErrorInvalidValue,
	   "a node is no clone of itself");
	must(hipGraphDestroy(clone));
	must(hipGraphDestroy(b.graph));
}

static void test_update(void) {
	struct built a, b, c;
	hipGraphExecUpdateResult how = hipGraphExecUpdateError;
	hipGraphNode_t node;
	hipMemsetParams set = setting(70);
	build(&a, 3, 4);
	build(&b, 10, 20);
	build(&c, 1, 1);
	hipGraphExec_t exec = instance(a.graph);
	ok(hipGraphExecUpdate(exec, b.graph, &node, &how) == hipSuccess && !node &&
	           how == hipGraphExecUpdateSuccess && run(exec) == 30,
	   "an executable graph takes the parameters of another one");
	must(hipGraphExecMemsetNodeSetParams(exec, a.set, &set));
	ok(run(exec) == 90, "its nodes are still those of the first");
	must(hipGraphRemoveDependencies(c.graph, &c.add, &c.copy, 1));
	ok(hipGraphExecUpdate(exec, c.graph, &node, &how) == hipErrorGraphExecUpdateFailure &&
	           how == hipGraphExecUpdateErrorTopologyChanged && node == c.copy,
	   "not of one with other dependencies");
	must(hipGraphAddEmptyNode(&node, b.graph, NULL, 0));
	ok(hipGraphExecUpdate(exec, b.graph, &node, &how) == hipErrorGraphExecUpdateFailure &&
	           how == hipGraphExecUpdateErrorTopologyChanged,
	   "nor with other nodes");
	ok(hipGraphExecUpdate(NULL, b.graph, &node, &how) == hipErrorInvalidValue &&
	           hipGraphExecUpdate(exec, NULL, &node, &how) == hipErrorInvalidValue &&
	           run(exec) == 90,
	   "a failure changes nothing");
	must(hipGraphExecDestroy(exec));
	must(hipGraphDestroy(a.graph));
	must(hipGraphDestroy(b.graph));
	must(hipGraphDestroy(c.graph));
}

/* ---- form ---- */

/* hipGraphGetNodes_old.cc */
static void test_room_for_nodes(void) {
	hipGraphNode_t n[2], got[4];
	hipGraph_t g;
	size_t room = 4, less = 1;
	must(hipGraphCreate(&g, 0));
	for (int i = 0; i < 2; i++)
		must(hipGraphAddEmptyNode(&n[i], g, NULL, 0));
	got[2] = got[3] = n[0];
	must(hipGraphGetNodes(g, got, &room));
	ok(room == 2 && got[0] == n[0] && got[1] == n[1] && !got[2] && !got[3],
	   "room for more nodes is cleared");
	got[1] = NULL;
	must(hipGraphGetNodes(g, got, &less));
	ok(less == 1 && got[0] == n[0] && !got[1], "and less room gets fewer nodes");
	must(hipGraphDestroy(g));
}

static void test_form(void) {
	struct built b;
	hipGraphNode_t roots[3] = { 0 }, after[2], from[4], to[4];
	size_t n_roots = 3, n_after = 2, n_edges = 4, n = 0;
	build(&b, 3, 4);
	must(hipGraphGetRootNodes(b.graph, roots, &n_roots));
	must(hipGraphNodeGetDependentNodes(b.add, after, &n_after));
	must(hipGraphGetEdges(b.graph, from, to, &n_edges));
	ok(n_roots == 1 && roots[0] == b.set && !roots[1], "roots depend on nothing");
	ok(n_after == 2 && after[0] == b.call && after[1] == b.copy, "nodes that depend on one");
	ok(n_edges == 3 && from[0] == b.set && to[0] == b.add && from[2] == b.add &&
	           to[2] == b.copy && !from[3] && !to[3],
	   "edges have both ends");
	ok(hipGraphGetEdges(b.graph, NULL, NULL, &n) == hipSuccess && n == 3 &&
	           hipGraphGetEdges(b.graph, from, NULL, &n) == hipErrorInvalidValue,
	   "or their number alone");
	hipGraphNodeType type[4];
	must(hipGraphNodeGetType(b.add, &type[0]));
	must(hipGraphNodeGetType(b.copy, &type[1]));
	must(hipGraphNodeGetType(b.set, &type[2]));
	must(hipGraphNodeGetType(b.call, &type[3]));
	ok((int)type[0] == 0 && (int)type[1] == 1 && (int)type[2] == 2 && (int)type[3] == 3 &&
	           sizeof(HIP_MEMCPY3D) == 184,
	   "types and structures are those of HIP 7");
	must(hipGraphRemoveDependencies(b.graph, &b.add, &b.copy, 1));
	must(hipGraphGetRootNodes(b.graph, NULL, &n_roots));
	ok(n_roots == 2 &&
	           hipGraphRemoveDependencies(b.graph, &b.add, &b.copy, 1) == hipErrorInvalidValue,
	   "a dependency is removed once");
	must(hipGraphDestroy(b.graph));
}

/* ---- captures into a graph that is there ---- */

static hipError_t begin(hipStream_t s, hipGraph_t g, const hipGraphNode_t *on, size_t n) {
	return hipStreamBeginCaptureToGraph(s, g, on, NULL, n, hipStreamCaptureModeGlobal);
}

static void test_capture_into(void) {
	struct built b;
	hipStream_t s;
	hipGraph_t got = NULL, other;
	hipGraphNode_t from[8], to[8];
	size_t n = 8;
	build(&b, 5, 2);
	must(hipGraphCreate(&other, 0));
	must(hipStreamCreate(&s));
	ok(begin(s, NULL, NULL, 0) == hipErrorInvalidValue &&
	           begin(s, b.graph, NULL, 1) == hipErrorInvalidValue &&
	           begin(s, other, &b.copy, 1) == hipErrorInvalidValue &&
	           begin(NULL, b.graph, NULL, 0) == hipErrorStreamCaptureUnsupported,
	   "a capture needs a graph, nodes of it, and a stream that can be captured");
	for (int i = 0; i < 2; i++) { /* the second capture adds to what the first one has added */
		must(begin(s, b.graph, i ? NULL : &b.copy, !i));
		must(hipMemsetD32Async(p + 2 + i, 9, 1, s));
		must(hipStreamEndCapture(s, &got));
	}
	must(hipGraphGetEdges(b.graph, from, to, &n));
	ok(got == b.graph && n == 4 && from[3] == b.copy,
	   "nodes are added after those that it names");
	hipGraphExec_t exec = instance(b.graph);
	ok(run(exec) == 7 && p[1] == 7 && p[2] == 9 && p[3] == 9, "the graph runs all of them");
	must(begin(s, other, NULL, 0));
	must(hipGraphDestroy(other));
	ok(hipMemsetD32Async(p, 9, 1, s) == hipErrorStreamCaptureInvalidated &&
	           hipStreamEndCapture(s, &got) == hipErrorStreamCaptureInvalidated,
	   "a graph that is destroyed ends its capture");
	must(hipGraphExecDestroy(exec));
	must(hipGraphDestroy(b.graph));
	must(hipStreamDestroy(s));
}

/* How often a drawing has some text. */
static unsigned drawn(const char *text, size_t bytes, const char *what) {
	unsigned n = 0;
	const char *end = text + bytes;
	while ((text = memmem(text, (size_t)(end - text), what, strlen(what)))) {
		text += strlen(what);
		n++;
	}
	return n;
}

static void test_drawing(void) {
	struct built b;
	hipGraph_t outer;
	hipGraphNode_t node;
	char path[64];
	size_t bytes;
	snprintf(path, sizeof path, "/tmp/mxhip-graph-%ld.dot", (long)getpid());
	build(&b, 5, 2);
	must(hipGraphCreate(&outer, 0));
	must(hipGraphAddChildGraphNode(&node, outer, NULL, 0, b.graph));
	must(hipGraphDebugDotPrint(outer, path, 0));
	char *text = (char *)read_whole(path, &bytes);
	ok(bytes > 20 && !strncmp(text, "digraph {", 9) && drawn(text, bytes, "KERNEL\\nadd") &&
	           drawn(text, bytes, "\"graph_1_node_0\" -> \"graph_1_node_1\""),
	   "a graph is drawn, with the names of its kernels");
	ok(drawn(text, bytes, "subgraph") == 2 && drawn(text, bytes, "GRAPH") == 1 &&
	           drawn(text, bytes, "MEMCPY\\nDtoD"),
	   "and the graphs inside it, and where copies go");
	ok(hipGraphDebugDotPrint(b.graph, "/no/such/file", 0) == hipErrorOperatingSystem &&
	           hipGraphDebugDotPrint(NULL, path, 0) == hipErrorInvalidValue,
	   "not into a folder that is not there");
	remove(path);
	free(text);
	must(hipGraphDestroy(outer));
	must(hipGraphDestroy(b.graph));
}

hipError_t hipGraphExecGetFlags(hipGraphExec_t exec, unsigned long long *flags);
hipError_t hipGraphUpload(hipGraphExec_t exec, hipStream_t stream);
hipError_t hipGraphKernelNodeCopyAttributes(hipGraphNode_t from, hipGraphNode_t to);
hipError_t hipModuleGetFunctionCount(unsigned *n, hipModule_t module);

static void test_child(void) {
	struct built b;
	hipGraph_t g, child;
	hipGraphNode_t node, list[4];
	size_t n = 4;
	unsigned long long flags = 9;
	build(&b, 5, 2);
	must(hipGraphCreate(&g, 0));
	must(hipGraphAddChildGraphNode(&node, g, NULL, 0, b.graph));
	must(hipGraphChildGraphNodeGetGraph(node, &child));
	must(hipGraphGetNodes(child, list, &n));
	ok(n == 4 && child != b.graph && hipGraphDestroy(child) == hipErrorInvalidValue,
	   "a node has a copy of its graph, which cannot be destroyed");
	must(hipGraphMemsetNodeSetParams(
		list[0],
		&(hipMemsetParams){
			.dst = p, .elementSize = 4, .height = 1, .value = 30, .width = 1 }));
	hipGraphExec_t exec;
	must(hipGraphInstantiateWithFlags(&exec, g, 2));
	must(hipGraphUpload(exec, NULL));
	ok(run(exec) == 32 && hipGraphExecGetFlags(exec, &flags) == hipSuccess && flags == 2,
	   "but changed; an executable graph has its flags");
	hipKernelNodeAttrValue all = { .cooperative = 1 }, got = { 0 };
	must(hipGraphKernelNodeSetAttribute(b.add, hipKernelNodeAttributeCooperative, &all));
	must(hipGraphKernelNodeCopyAttributes(b.add, list[1]));
	must(hipGraphKernelNodeGetAttribute(list[1], hipKernelNodeAttributeCooperative, &got));
	ok(got.cooperative == 1 &&
	           hipGraphKernelNodeCopyAttributes(b.add, list[0]) == hipErrorInvalidValue,
	   "attributes of kernels are copied");
	must(hipGraphExecDestroy(exec));
	must(hipGraphDestroy(g));
	ok(hipGraphGetNodes(child, list, &n) == hipErrorInvalidValue, "it ends with its node");
	must(hipGraphDestroy(b.graph));
}


/* p = 3, p += 4, p[1] = p, the host counts, an event is recorded and waited for. */
static void test_any_kind(void) {
	uint32_t four = 4, five = 5, calls = 0;
	hipGraph_t g;
	hipGraphNode_t node[7] = { 0 };
	hipEvent_t event;
	must(hipEventCreate(&event));
	hipMemcpy3DParms c = { .srcPtr = { p, 4, 4, 1 },
		               .dstPtr = { p + 1, 4, 4, 1 },
		               .extent = { 4, 1, 1 } };
	c.kind = hipMemcpyDeviceToDevice;
	hipGraphNodeParams all[] = {
		{ .type = hipGraphNodeTypeMemset, .memset = setting(3) },
		{ .type = hipGraphNodeTypeKernel, .kernel = adding((void *[]){ &p, &four }) },
		{ .type = hipGraphNodeTypeMemcpy, .memcpy.copyParams = c },
		{ .type = hipGraphNodeTypeHost, .host = { count, &calls } },
		{ .type = hipGraphNodeTypeEmpty },
		{ .type = hipGraphNodeTypeEventRecord, .eventRecord.event = event },
		{ .type = hipGraphNodeTypeWaitEvent, .eventWait.event = event },
	};
	must(hipGraphCreate(&g, 0));
	for (size_t i = 0; i < COUNT(all); i++)
		must(hipGraphAddNode(&node[i], g, &node[i ? i - 1 : 0], i > 0, &all[i]));
	hipGraphExec_t exec = instance(g);
	ok(run(exec) == 7 && calls == 1 && hipEventQuery(event) == hipSuccess,
	   "nodes are made of one structure for all kinds");
	hipGraphNodeParams add_five = { .type = hipGraphNodeTypeKernel,
		                        .kernel = adding((void *[]){ &p, &five }) };
	hipGraphNodeParams set_50 = { .type = hipGraphNodeTypeMemset, .memset = setting(50) };
	must(hipGraphExecNodeSetParams(exec, node[1], &add_five));
	must(hipGraphNodeSetParams(node[0], &set_50));
	ok(run(exec) == 8 && run_once(g) == 54,
	   "and changed by it, in a graph or an executable one");
	hipGraphNodeParams inner = { .type = hipGraphNodeTypeGraph, .graph.graph = g };
	hipGraph_t outer;
	must(hipGraphCreate(&outer, 0));
	must(hipGraphAddNode(&node[2], outer, NULL, 0, &inner));
	ok(run_once(outer) == 54, "a graph is such a node, too");
	ok(hipGraphExecNodeSetParams(NULL, node[0], &set_50) == hipErrorInvalidValue &&
	           hipGraphExecNodeSetParams(exec, NULL, &set_50) == hipErrorInvalidValue &&
	           hipGraphExecNodeSetParams(exec, node[0], NULL) == hipErrorInvalidValue &&
	           hipGraphExecNodeSetParams(exec, node[0], &add_five) == hipErrorInvalidValue &&
	           hipGraphNodeSetParams(NULL, &set_50) == hipErrorInvalidValue &&
	           hipGraphAddNode(NULL, g, NULL, 0, &set_50) == hipErrorInvalidValue &&
	           hipGraphAddNode(&node[3], NULL, NULL, 0, &set_50) == hipErrorInvalidValue &&
	           hipGraphAddNode(&node[3], g, NULL, 1, &set_50) == hipErrorInvalidValue,
	   "wrong arguments are errors");
	all[4].type = (hipGraphNodeType)14;
	ok(hipGraphAddNode(&node[3], g, NULL, 0, &all[4]) == hipErrorInvalidValue,
	   "so are kinds of nodes that are missing");
	must(hipGraphExecDestroy(exec));
	must(hipGraphDestroy(outer));
	must(hipGraphDestroy(g));
	must(hipEventDestroy(event));
}

hipError_t hipUserObjectCreate(hipUserObject_t *object, void *data, hipHostFn_t destroy,
                               unsigned references, unsigned flags);
hipError_t hipUserObjectRetain(hipUserObject_t object, unsigned n);
hipError_t hipUserObjectRelease(hipUserObject_t object, unsigned n);
hipError_t hipGraphRetainUserObject(hipGraph_t g, hipUserObject_t object, unsigned n,
                                    unsigned flags);
hipError_t hipGraphReleaseUserObject(hipGraph_t g, hipUserObject_t object, unsigned n);

static void test_user_object(void) {
	uint32_t gone = 0;
	hipUserObject_t o, bad;
	must(hipUserObjectCreate(&o, &gone, count, 2, 1));
	must(hipUserObjectRetain(o, 3));
	must(hipUserObjectRelease(o, 4));
	ok(!gone && hipUserObjectRelease(o, 2) == hipSuccess && !gone,
	   "a user object lives while it has references; more are not released");
	must(hipUserObjectRelease(o, 1));
	ok(gone == 1 && hipUserObjectRelease(o, 1) == hipSuccess &&
	           hipUserObjectRetain(o, 1) == hipSuccess && gone == 1,
	   "the last one destroys its data, once");
	ok(hipUserObjectCreate(NULL, &gone, count, 1, 1) == hipErrorInvalidValue &&
	           hipUserObjectCreate(&bad, &gone, NULL, 1, 1) == hipErrorInvalidValue &&
	           hipUserObjectCreate(&bad, &gone, count, 0, 1) == hipErrorInvalidValue &&
	           hipUserObjectCreate(&bad, &gone, count, 1u << 31, 1) == hipErrorInvalidValue &&
	           hipUserObjectCreate(&bad, &gone, count, 1, 0) == hipErrorInvalidValue &&
	           hipUserObjectRetain(NULL, 1) == hipErrorInvalidValue &&
	           hipUserObjectRelease(NULL, 1) == hipErrorInvalidValue,
	   "wrong arguments of user objects are errors");
}

/* The references of graph, clone, executable graph and pending launch. */
static void test_retained_object(void) {
	struct built b;
	uint32_t gone = 0;
	hipUserObject_t o;
	hipGraph_t clone;
	hipStream_t s;
	build(&b, 3, 4);
	must(hipGraphDestroyNode(b.call)); /* host functions do not wait for a call */
	must(hipStreamCreate(&s));
	must(hipUserObjectCreate(&o, &gone, count, 1, 1));
	must(hipGraphRetainUserObject(b.graph, o, 2, 0));
	must(hipGraphReleaseUserObject(b.graph, o, 1));
	must(hipGraphReleaseUserObject(b.graph, o, 2));   /* more than it has */
	must(hipGraphRetainUserObject(b.graph, o, 1, 1)); /* moves that of the program */
	must(hipGraphClone(&clone, b.graph));
	hipGraphExec_t exec = instance(b.graph);
	must(hipGraphDestroy(b.graph));
	ok(!gone, "copies of a graph retain its user objects");
	must(hipGraphDestroy(clone));
	p[3] = 0;
	must(hipStreamWaitValue32(s, p + 3, 1, hipStreamWaitValueEq, UINT32_MAX));
	must(hipGraphLaunch(exec, s));
	must(hipGraphExecDestroy(exec));
	bool pending = !gone;
	p[3] = 1;
	must(hipStreamSynchronize(s));
	if (!ok(pending && gone == 1, "until the last launch is over"))
		diag("pending %d, destroyed %u times", pending, gone);
	must(hipGraphCreate(&clone, 0));
	must(hipUserObjectCreate(&o, &gone, count, 1, 1));
	ok(hipGraphRetainUserObject(NULL, o, 1, 0) == hipErrorInvalidValue &&
	           hipGraphRetainUserObject(clone, NULL, 1, 0) == hipErrorInvalidValue &&
	           hipGraphRetainUserObject(clone, o, 0, 0) == hipErrorInvalidValue &&
	           hipGraphRetainUserObject(clone, o, 1, 2) == hipErrorInvalidValue &&
	           hipGraphReleaseUserObject(NULL, o, 1) == hipErrorInvalidValue &&
	           hipGraphReleaseUserObject(clone, NULL, 1) == hipErrorInvalidValue &&
	           hipGraphReleaseUserObject(clone, o, 0) == hipErrorInvalidValue,
	   "a graph needs an object, a number and a flag that there is");
	must(hipUserObjectRelease(o, 1));
	must(hipGraphDestroy(clone));
	must(hipStreamDestroy(s));
}

/* The last test. Sanitizers see what a copy that fails leaves. */
static void test_unloaded(hipModule_t module) {
	struct built b;
	hipGraph_t g;
	hipGraphNode_t node;
	hipGraphExec_t exec;
	build(&b, 5, 2);
	must(hipGraphCreate(&g, 0));
	must(hipGraphAddChildGraphNode(&node, g, NULL, 0, b.graph));
	must(hipModuleUnload(module));
	ok(hipGraphInstantiate(&exec, g, NULL, NULL, 0) != hipSuccess,
	   "a graph whose kernel is gone cannot be instantiated");
	must(hipGraphDestroy(g));
	must(hipGraphDestroy(b.graph));
}

int main(void) {
	hipModule_t module;
	must(hipModuleLoad(&module, built("tests/hip/probe.gpu.co")));
	must(hipModuleGetFunction(&add, module, "add"));
	p = device_bytes(16);
	must(hipMemset(p, 0, 16));
	test_get();
	test_set();
	test_destroyed_node();
	test_box();
	test_pitched();
	test_events();
	test_event_of_launch();
	test_enabled();
	test_clone();
	test_update();
	test_form();
	test_room_for_nodes();
	test_capture_into();
	test_drawing();
	test_child();
	test_any_kind();
	test_user_object();
	test_retained_object();
	unsigned n = 0;
	ok(hipModuleGetFunctionCount(&n, module) == hipSuccess && n > 5, "a module counts kernels");
	test_unloaded(module);
	must(hipFree(p));
	return done_testing();
}
