/* Memory that graphs allocate and free: nodes, captures, launches, and the device's pool for it.
 * The errors are those that AMD's own tests expect [ROCm/hip-tests, catch/unit/graph:
 * hipGraphAddMemAllocNode.cc, hipGraphAddMemFreeNode.cc, hipGraphMemAllocNodeGetParams.cc,
 * hipGraphMemFreeNodeGetParams.cc, hipDrvGraphAddMemFreeNode.cc, hipDeviceGetGraphMemAttribute.cc,
 * hipDeviceSetGraphMemAttribute.cc, hipDeviceGraphMemTrim.cc, hipGraphInstantiateWithFlags.cc]. */
#include "facts_test.h"

enum { BYTES = 8192 };

static hipStream_t s;

static hipMemAllocNodeParams memory_of(int device) {
	return (hipMemAllocNodeParams){ .poolProps = { .allocType = hipMemAllocationTypePinned,
		                                       .location = { hipMemLocationTypeDevice,
		                                                     device } },
		                        .bytesize = BYTES };
}

/* A graph that allocates memory, sets its dwords to a value, copies the first to `out`, and frees
 * the memory if `frees`. */
struct built {
	hipGraph_t graph;
	hipGraphNode_t allocation, set, copy, free;
	uint32_t *at, out;
};

static void build(struct built *b, unsigned value, bool frees) {
	hipMemAllocNodeParams a = memory_of(0);
	*b = (struct built){ 0 };
	must(hipGraphCreate(&b->graph, 0));
	must(hipGraphAddMemAllocNode(&b->allocation, b->graph, NULL, 0, &a));
	b->at = a.dptr;
	hipMemsetParams set = {
		.dst = b->at, .elementSize = 4, .width = BYTES / 4, .height = 1, .value = value
	};
	must(hipGraphAddMemsetNode(&b->set, b->graph, &b->allocation, 1, &set));
	must(hipGraphAddMemcpyNode1D(&b->copy, b->graph, &b->set, 1, &b->out, b->at, 4,
	                             hipMemcpyDeviceToHost));
	if (frees)
		must(hipGraphAddMemFreeNode(&b->free, b->graph, &b->copy, 1, b->at));
}

static hipGraphExec_t instance(hipGraph_t g, unsigned flags) {
	hipGraphExec_t exec;
	must(hipGraphInstantiateWithFlags(&exec, g, flags));
	return exec;
}

static void run(hipGraphExec_t exec) {
	must(hipGraphLaunch(exec, s));
	must(hipStreamSynchronize(s));
}

static size_t attribute(int device, hipGraphMemAttributeType what) {
	size_t bytes;
	must(hipDeviceGetGraphMemAttribute(device, what, &bytes));
	return bytes;
}

static size_t used(void) {
	return attribute(0, hipGraphMemAttrUsedMemCurrent);
}

/* ---- in one graph ---- */

static void test_freed_in_graph(void) {
	struct built b;
	size_t none = used(), bytes;
	build(&b, 11, true);
	ok(b.at && used() == none, "the address of a node's memory is there before a launch");
	ok(hipMemcpy(&b.out, b.at, 4, hipMemcpyDeviceToHost) == hipErrorInvalidValue &&
	           hipFree(b.at) == hipErrorInvalidValue &&
	           hipFreeAsync(b.at, s) == hipErrorInvalidValue,
	   "the memory is not");
	hipGraphExec_t exec = instance(b.graph, 0);
	run(exec);
	ok(b.out == 11 && used() == none, "a launch allocates it, and frees it");
	b.out = 0;
	must(hipGraphLaunch(exec, s));
	run(exec);
	ok(b.out == 11, "each launch does");
	ok(hipFree(b.at) == hipErrorInvalidValue, "it is freed once");
	must(hipMemPtrGetInfo(b.at, &bytes));
	must(hipGraphDestroy(b.graph));
	ok(bytes == BYTES && (run(exec), b.out == 11), "the address stays with the nodes");
	must(hipGraphExecDestroy(exec));
	ok(hipMemPtrGetInfo(b.at, &bytes) == hipErrorInvalidValue, "and ends with the last");
}

/* ---- freed elsewhere ---- */

static void test_freed_outside(void) {
	struct built b;
	uint32_t value = 0;
	size_t none = used();
	build(&b, 12, false);
	hipGraphExec_t exec = instance(b.graph, 0);
	must(hipGraphLaunch(exec, s));
	must(hipMemcpyAsync(&value, b.at + 1, 4, hipMemcpyDeviceToHost, s));
	ok(value == 12 && used() == none + BYTES, "work after a launch uses its memory");
	ok(hipGraphLaunch(exec, s) == hipErrorInvalidValue,
	   "a launch does not allocate memory that is not freed");
	must(hipFree(b.at));
	run(exec);
	must(hipMemsetAsync(b.at, 0, BYTES, s));
	must(hipFreeAsync(b.at, s));
	ok(hipFreeAsync(b.at, s) == hipErrorInvalidValue && hipGraphLaunch(exec, s) == hipSuccess,
	   "it does after hipFree, and after hipFreeAsync in the order of the stream");
	must(hipGraphExecDestroy(exec));
	must(hipGraphDestroy(b.graph));
	must(hipMemcpy(&value, b.at, 4, hipMemcpyDeviceToHost));
	ok(value == 12 && used() == none + BYTES, "memory outlives its graphs");
	ok(hipFree(b.at) == hipSuccess && used() == none && hipFree(b.at) == hipErrorInvalidValue,
	   "until it is freed");
}

static void test_freed_by_another_graph(void) {
	struct built b;
	hipGraph_t other;
	hipGraphNode_t node;
	build(&b, 13, false);
	hipGraphExec_t exec = instance(b.graph, 0);
	must(hipGraphDestroy(b.graph));
	must(hipGraphCreate(&other, 0));
	must(hipGraphAddMemFreeNode(&node, other, NULL, 0, b.at));
	hipGraphExec_t frees = instance(other, 0);
	size_t none = used();
	for (unsigned i = 0; i < 2; i++) {
		must(hipGraphLaunch(exec, s));
		must(hipGraphLaunch(frees, s));
	}
	must(hipStreamSynchronize(s));
	ok(b.out == 13 && used() == none, "another graph frees what a graph allocates");
	must(hipGraphExecDestroy(exec));
	must(hipGraphExecDestroy(frees));
	must(hipGraphDestroy(other));
}

static void test_freed_by_launch(void) {
	struct built b;
	size_t none = used();
	build(&b, 14, false);
	hipGraphExec_t exec = instance(b.graph, hipGraphInstantiateFlagAutoFreeOnLaunch);
	run(exec);
	b.out = 0;
	run(exec);
	ok(b.out == 14 && used() == none + BYTES,
	   "with hipGraphInstantiateFlagAutoFreeOnLaunch a launch frees the memory of the last");
	must(hipFree(b.at));
	must(hipGraphExecDestroy(exec));
	must(hipGraphDestroy(b.graph));
}

/* Memory of a launch has no contents: the kernel reads what nothing wrote. */
static void test_contents(void) {
	hipModule_t module;
	hipFunction_t copy;
	hipGraph_t g;
	hipGraphNode_t node, launch;
	hipMemAllocNodeParams a = memory_of(0);
	uint8_t *out = device_bytes(256), states[8];
	must(hipModuleLoad(&module, built("tests/hip/probe.gpu.co")));
	must(hipModuleGetFunction(&copy, module, "copy"));
	must(hipGraphCreate(&g, 0));
	must(hipGraphAddMemAllocNode(&node, g, NULL, 0, &a));
	hipKernelNodeParams k = { .blockDim = { 64, 1, 1 },
		                  .gridDim = { 1, 1, 1 },
		                  .func = copy,
		                  .kernelParams = (void *[]){ &out, &a.dptr } };
	must(hipGraphAddKernelNode(&launch, g, &node, 1, &k));
	hipGraphExec_t exec = instance(g, hipGraphInstantiateFlagAutoFreeOnLaunch);
	run(exec);
	must(hipMemset(a.dptr, 1, BYTES));
	ok(mxhipStates(a.dptr, 8, states) && states[0] == MX_WRITTEN, "memory of a launch");
	run(exec);
	ok(mxhipStates(a.dptr, 8, states) && !states[0] && !*(uint8_t *)a.dptr,
	   "the next launch has none of its contents");
	must(hipFree(a.dptr));
	must(hipModuleLaunchKernel(copy, 1, 1, 1, 64, 1, 1, 0, s, k.kernelParams, NULL));
	ok(hipStreamSynchronize(s) != hipSuccess, "a kernel does not read it after it is freed");
	must(hipGraphExecDestroy(exec));
	must(hipGraphDestroy(g));
	must(hipModuleUnload(module));
	must(hipFree(out));
}

/* ---- captures ---- */

static void test_capture(void) {
	uint32_t *p, *q, out = 0;
	size_t n = 8, none = used();
	hipGraph_t g;
	hipGraphNode_t nodes[8];
	hipGraphNodeType first, last;
	must(hipStreamBeginCapture(s, hipStreamCaptureModeGlobal));
	must(hipMallocAsync((void **)&p, BYTES, s));
	must(hipMallocAsync((void **)&q, BYTES, s));
	must(hipMemsetD32Async(p, 15, BYTES / 4, s));
	must(hipMemcpyAsync(&out, p, 4, hipMemcpyDeviceToHost, s));
	hipError_t freed = hipFreeAsync(p, s), again = hipFreeAsync(p, s);
	must(hipStreamEndCapture(s, &g));
	must(hipGraphGetNodes(g, nodes, &n));
	must(hipGraphNodeGetType(nodes[0], &first));
	must(hipGraphNodeGetType(nodes[4], &last));
	ok(n == 5 && first == hipGraphNodeTypeMemAlloc && last == hipGraphNodeTypeMemFree &&
	           p != q && used() == none,
	   "a capture makes nodes of hipMallocAsync and hipFreeAsync");
	ok(freed == hipSuccess && again == hipErrorInvalidValue, "it frees memory once");
	hipGraphExec_t exec = instance(g, 0);
	run(exec);
	ok(out == 15 && used() == none + BYTES, "a launch leaves what it does not free");
	must(hipFreeAsync(q, s));
	run(exec);
	must(hipFree(q));
	must(hipGraphExecDestroy(exec));
	must(hipGraphDestroy(g));
	must(hipMallocAsync((void **)&p, BYTES, s));
	must(hipStreamBeginCapture(s, hipStreamCaptureModeGlobal));
	ok(hipFreeAsync(p, s) == hipErrorInvalidValue, "other memory is not freed in a graph");
	must(hipStreamEndCapture(s, &g));
	must(hipGraphDestroy(g));
	must(hipFreeAsync(p, s));
}

/* ---- errors ---- */

static void test_alloc_errors(void) {
	struct built b;
	hipGraphNode_t made;
	hipMemAllocNodeParams a = memory_of(0), bad;
	build(&b, 1, false);
	is(hipGraphAddMemAllocNode(NULL, b.graph, NULL, 0, &a), InvalidValue);
	is(hipGraphAddMemAllocNode(&made, NULL, NULL, 0, &a), InvalidValue);
	is(hipGraphAddMemAllocNode(&made, b.graph, NULL, 11, &a), InvalidValue);
	is(hipGraphAddMemAllocNode(&made, b.graph, NULL, 0, NULL), InvalidValue);
#define with(member, value)                                                                        \
	bad = a;                                                                                   \
	bad.member = value;                                                                        \
	is(hipGraphAddMemAllocNode(&made, b.graph, NULL, 0, &bad), InvalidValue)
	with(poolProps.allocType, hipMemAllocationTypeInvalid);
	with(poolProps.location.type, hipMemLocationTypeInvalid);
	with(poolProps.location.id, 2);
	with(poolProps.location.id, -1);
	with(bytesize, 0);
	ok(!bad.dptr, "and no address");
	is(hipGraphMemAllocNodeGetParams(NULL, &a), InvalidValue);
	is(hipGraphMemAllocNodeGetParams(b.allocation, NULL), InvalidValue);
	is(hipGraphMemAllocNodeGetParams(b.set, &a), InvalidValue);
	must(hipGraphMemAllocNodeGetParams(b.allocation, &a));
	ok(a.dptr == b.at && a.bytesize == BYTES && a.poolProps.location.id == 0,
	   "a node has the parameters with which it was made, and its address");
	must(hipGraphDestroy(b.graph));
}

static void test_free_errors(void) {
	struct built b;
	hipGraph_t other;
	hipGraphNode_t made;
	int here;
	void *p, *plain = device_bytes(16);
	build(&b, 1, false);
	must(hipGraphCreate(&other, 0));
	is(hipGraphAddMemFreeNode(NULL, b.graph, &b.copy, 1, b.at), InvalidValue);
	is(hipGraphAddMemFreeNode(&made, NULL, &b.copy, 1, b.at), InvalidValue);
	is(hipGraphAddMemFreeNode(&made, b.graph, NULL, 5, b.at), InvalidValue);
	is(hipGraphAddMemFreeNode(&made, b.graph, &b.copy, 0, b.at), InvalidValue);
	is(hipGraphAddMemFreeNode(&made, b.graph, &b.copy, 1, NULL), InvalidValue);
	is(hipGraphAddMemFreeNode(&made, b.graph, &b.copy, 1, &here), InvalidValue);
	is(hipGraphAddMemFreeNode(&made, b.graph, &b.copy, 1, plain), InvalidValue);
	is(hipGraphAddMemFreeNode(&made, b.graph, &b.copy, 1, b.at + 1), InvalidValue);
	is(hipDrvGraphAddMemFreeNode(&made, b.graph, NULL, 5, b.at), InvalidValue);
	is(hipDrvGraphAddMemFreeNode(&made, b.graph, &b.copy, 1, NULL), InvalidValue);
	must(hipDrvGraphAddMemFreeNode(&made, other, NULL, 0, b.at));
	is(hipGraphAddMemFreeNode(&made, b.graph, &b.copy, 1, b.at), InvalidValue);
	is(hipGraphMemFreeNodeGetParams(NULL, &p), InvalidValue);
	is(hipGraphMemFreeNodeGetParams(made, NULL), InvalidValue);
	is(hipGraphMemFreeNodeGetParams(b.allocation, &p), InvalidValue);
	ok(hipGraphMemFreeNodeGetParams(made, &p) == hipSuccess && p == b.at,
	   "a node has the address that it frees");
	must(hipGraphDestroy(b.graph));
	must(hipGraphDestroy(other));
	must(hipFree(plain));
}

static void test_unsupported(void) {
	struct built b;
	hipGraph_t clone, other;
	hipGraphExec_t exec, again;
	hipGraphNode_t node;
	build(&b, 1, true);
	must(hipGraphCreate(&other, 0));
	is(hipGraphClone(&clone, b.graph), NotSupported);
	is(hipGraphDestroyNode(b.allocation), NotSupported);
	is(hipGraphDestroyNode(b.free), NotSupported);
	exec = instance(b.graph, 0);
	is(hipGraphInstantiate(&again, b.graph, NULL, NULL, 0), NotSupported);
	must(hipGraphExecDestroy(exec));
	hipGraphNodeParams any = { .type = hipGraphNodeTypeMemAlloc, .alloc = memory_of(0) };
	must(hipGraphAddNode(&node, other, NULL, 0, &any));
	is(hipGraphNodeSetParams(node, &any), NotSupported);
	hipGraphNodeParams frees = { .type = hipGraphNodeTypeMemFree, .free = { any.alloc.dptr } };
	must(hipGraphAddNode(&node, other, &node, 1, &frees));
	is(hipGraphNodeSetParams(node, &frees), NotSupported);
	is(hipGraphAddNode(&node, other, NULL, 0, &frees), InvalidValue);
	exec = instance(other, 0);
	ok(hipGraphLaunch(exec, s) == hipSuccess && hipGraphLaunch(exec, s) == hipSuccess &&
	           hipStreamSynchronize(s) == hipSuccess,
	   "nodes of memory are made by hipGraphAddNode, too");
	must(hipGraphExecDestroy(exec));
	must(hipGraphDestroy(b.graph));
	must(hipGraphDestroy(other));
}

/* ---- the pool of a device ---- */

static void test_attributes(void) {
	struct built b;
	hipMemAllocNodeParams far = memory_of(1);
	size_t zero = 0, one = 1;
	must(hipDeviceSetGraphMemAttribute(0, hipGraphMemAttrUsedMemHigh, &zero));
	must(hipDeviceSetGraphMemAttribute(0, hipGraphMemAttrReservedMemHigh, &zero));
	build(&b, 1, true);
	ok(!attribute(0, hipGraphMemAttrUsedMemHigh), "before a launch a graph uses no memory");
	hipGraphExec_t exec = instance(b.graph, 0);
	run(exec);
	must(hipDeviceGraphMemTrim(0));
	ok(!used() && attribute(0, hipGraphMemAttrUsedMemHigh) == BYTES &&
	           !attribute(0, hipGraphMemAttrReservedMemCurrent) &&
	           attribute(0, hipGraphMemAttrReservedMemHigh) == BYTES,
	   "after it the most that it used is known");
	must(hipGraphExecDestroy(exec));
	must(hipGraphDestroy(b.graph));
	must(hipGraphCreate(&b.graph, 0));
	must(hipGraphAddMemAllocNode(&b.allocation, b.graph, NULL, 0, &far));
	exec = instance(b.graph, 0);
	run(exec);
	ok(!used() && attribute(1, hipGraphMemAttrUsedMemCurrent) == BYTES,
	   "each device has its own");
	must(hipFree(far.dptr));
	must(hipGraphExecDestroy(exec));
	must(hipGraphDestroy(b.graph));
	must(hipDeviceSetGraphMemAttribute(0, hipGraphMemAttrUsedMemHigh, &zero));
	ok(!attribute(0, hipGraphMemAttrUsedMemHigh), "the most is reset");
	is(hipDeviceSetGraphMemAttribute(0, hipGraphMemAttrUsedMemHigh, &one), InvalidValue);
	is(hipDeviceSetGraphMemAttribute(0, hipGraphMemAttrReservedMemHigh, &one), InvalidValue);
	is(hipDeviceSetGraphMemAttribute(0, hipGraphMemAttrUsedMemCurrent, &zero), InvalidValue);
	is(hipDeviceSetGraphMemAttribute(0, hipGraphMemAttrReservedMemCurrent, &zero),
	   InvalidValue);
	is(hipDeviceSetGraphMemAttribute(0, hipGraphMemAttrUsedMemHigh, NULL), InvalidValue);
	is(hipDeviceSetGraphMemAttribute(0, (hipGraphMemAttributeType)7, &zero), InvalidValue);
	is(hipDeviceSetGraphMemAttribute(2, hipGraphMemAttrUsedMemHigh, &zero), InvalidDevice);
	is(hipDeviceGetGraphMemAttribute(2, hipGraphMemAttrUsedMemHigh, &zero), InvalidDevice);
	is(hipDeviceGetGraphMemAttribute(-1, hipGraphMemAttrUsedMemHigh, &zero), InvalidDevice);
	is(hipDeviceGetGraphMemAttribute(0, (hipGraphMemAttributeType)7, &zero), InvalidValue);
	is(hipDeviceGetGraphMemAttribute(0, hipGraphMemAttrUsedMemHigh, NULL), InvalidValue);
	is(hipDeviceGraphMemTrim(2), InvalidDevice);
}

int main(void) {
	setenv("MXHIP_DEVICES", "2", 1);
	must(hipStreamCreate(&s));
	test_freed_in_graph();
	test_freed_outside();
	test_freed_by_another_graph();
	test_freed_by_launch();
	test_contents();
	test_capture();
	test_alloc_errors();
	test_free_errors();
	test_unsupported();
	test_attributes();
	must(hipStreamDestroy(s));
	return done_testing();
}
