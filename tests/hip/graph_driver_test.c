/* Nodes of graphs that the driver API makes and changes: copies, sets, values. The errors are those
 * that AMD's own tests expect [ROCm/hip-tests, catch/unit/graph: hipDrvGraphAddMemcpyNode.cc,
 * hipDrvGraphMemcpyNodeGetParams.cc, hipDrvGraphMemcpyNodeSetParams.cc,
 * hipDrvGraphExecMemcpyNodeSetParams.cc, hipDrvGraphExecMemsetNodeSetParams.cc,
 * hipGraphAddBatchMemOpNode.cc, hipGraphBatchMemOpNodeSetParams.cc,
 * hipGraphExecBatchMemOpNodeSetParams.cc]. */
#include "facts_test.h"

static hipCtx_t context;
static hipStream_t s;

static hipGraphExec_t instance(hipGraph_t g) {
	hipGraphExec_t exec;
	must(hipGraphInstantiate(&exec, g, NULL, NULL, 0));
	return exec;
}

static void run(hipGraphExec_t exec) {
	must(hipGraphLaunch(exec, s));
	must(hipStreamSynchronize(s));
}

/* ---- copies ---- */

enum { WIDTH = 16, ROWS = 3, PLANES = 2, BYTES = WIDTH * ROWS * PLANES };

/* A copy of a whole box from device to host memory. */
static HIP_MEMCPY3D box(void *to, const void *from) {
	return (HIP_MEMCPY3D){ .srcMemoryType = hipMemoryTypeDevice,
		               .srcDevice = (hipDeviceptr_t)from,
		               .srcPitch = WIDTH,
		               .srcHeight = ROWS,
		               .dstMemoryType = hipMemoryTypeHost,
		               .dstHost = to,
		               .dstPitch = WIDTH,
		               .dstHeight = ROWS,
		               .WidthInBytes = WIDTH,
		               .Height = ROWS,
		               .Depth = PLANES };
}

static void test_copy(void) {
	uint8_t out[BYTES] = { 0 }, other[BYTES] = { 0 }, *m = device_bytes(BYTES);
	hipGraph_t g;
	hipGraphNode_t node, plain, made;
	HIP_MEMCPY3D d = box(out, m), to_other = box(other, m), got, bad;
	must(hipMemset(m, 7, BYTES));
	must(hipGraphCreate(&g, 0));
	must(hipDrvGraphAddMemcpyNode(&node, g, NULL, 0, &d, context));
	must(hipGraphAddMemcpyNode1D(&plain, g, NULL, 0, other, m, 4, hipMemcpyDeviceToHost));
	hipGraphExec_t exec = instance(g);
	must(hipDrvGraphMemcpyNodeGetParams(node, &got));
	ok(!memcmp(&got, &d, sizeof d), "a copy has the form in which it was given");
	must(hipDrvGraphMemcpyNodeSetParams(node, &to_other));
	must(hipDrvGraphMemcpyNodeGetParams(node, &got));
	run(exec);
	ok(!memcmp(&got, &to_other, sizeof got) && out[BYTES - 1] == 7 && !other[BYTES - 1],
	   "it gets another one, which an executable graph does not get");
	must(hipDrvGraphExecMemcpyNodeSetParams(exec, node, &to_other, context));
	run(exec);
	ok(other[BYTES - 1] == 7, "or there alone");
	is(hipDrvGraphMemcpyNodeGetParams(NULL, &got), InvalidValue);
	is(hipDrvGraphMemcpyNodeGetParams(node, NULL), InvalidValue);
	is(hipDrvGraphMemcpyNodeGetParams(plain, &got), InvalidValue);
	is(hipDrvGraphMemcpyNodeSetParams(NULL, &d), InvalidValue);
	is(hipDrvGraphMemcpyNodeSetParams(node, NULL), InvalidValue);
	is(hipDrvGraphExecMemcpyNodeSetParams(NULL, node, &d, context), InvalidValue);
	is(hipDrvGraphExecMemcpyNodeSetParams(exec, NULL, &d, context), InvalidValue);
	is(hipDrvGraphAddMemcpyNode(NULL, g, NULL, 0, &d, context), InvalidValue);
	is(hipDrvGraphAddMemcpyNode(&made, NULL, NULL, 0, &d, context), InvalidValue);
	is(hipDrvGraphAddMemcpyNode(&made, g, NULL, 2, &d, context), InvalidValue);
	is(hipDrvGraphAddMemcpyNode(&made, g, NULL, 0, NULL, context), InvalidValue);
	is(hipDrvGraphAddMemcpyNode(&made, g, NULL, 0, &d, NULL), InvalidValue);
#define with(member, value)                                                                        \
	bad = d;                                                                                   \
	bad.member = value;                                                                        \
	is(hipDrvGraphMemcpyNodeSetParams(node, &bad), InvalidValue)
	with(dstHost, NULL);
	with(srcDevice, NULL);
	with(dstPitch, WIDTH - 1);
	with(srcPitch, WIDTH - 1);
	with(dstXInBytes, 1);
	with(srcXInBytes, 1);
	with(dstY, 1);
	with(srcY, 1);
	with(srcZ, 1);
	with(srcMemoryType, hipMemoryTypeHost);
#undef with
	must(hipGraphExecDestroy(exec));
	must(hipGraphDestroy(g));
	must(hipFree(m));
}

/* ---- sets ---- */

static void test_set(void) {
	uint8_t *m = device_bytes(BYTES);
	hipGraph_t g;
	hipGraphNode_t node;
	hipMemsetParams p = {
		.dst = m, .elementSize = 1, .width = BYTES, .height = 1, .value = 120
	};
	must(hipGraphCreate(&g, 0));
	must(hipDrvGraphAddMemsetNode(&node, g, NULL, 0, &p, context));
	hipGraphExec_t exec = instance(g);
	p.value = 121;
	must(hipDrvGraphExecMemsetNodeSetParams(exec, node, &p, context));
	run(exec);
	ok(m[0] == 121 && m[BYTES - 1] == 121, "a set of an executable graph gets another value");
	is(hipDrvGraphExecMemsetNodeSetParams(NULL, node, &p, context), InvalidValue);
	is(hipDrvGraphExecMemsetNodeSetParams(exec, NULL, &p, context), InvalidValue);
	is(hipDrvGraphExecMemsetNodeSetParams(exec, node, NULL, context), InvalidValue);
	p.dst = NULL;
	is(hipDrvGraphExecMemsetNodeSetParams(exec, node, &p, context), InvalidValue);
	must(hipGraphExecDestroy(exec));
	must(hipGraphDestroy(g));
	must(hipFree(m));
}

/* ---- values ---- */

static void test_values(void) {
	uint32_t *m = device_bytes(32);
	must(hipMemset(m, 0, 32));
	hipStreamBatchMemOpParams three[] = {
		{ hipStreamMemOpWriteValue32, m, 1000, 0, { 0 } },
		{ hipStreamMemOpWaitValue32, m, 1000, hipStreamWaitValueEq, { 0 } },
		{ hipStreamMemOpWriteValue64, m + 2, 5ull << 32, 0, { 0 } },
	};
	hipStreamBatchMemOpParams other[] = { { hipStreamMemOpWriteValue32, m, 2000, 0, { 0 } } };
	hipBatchMemOpNodeParams p = { context, 3, three, 0 }, q = { context, 1, other, 0 }, got,
				bad;
	hipGraph_t g, apart;
	hipGraphNode_t node, far, made;
	hipGraphNodeType type;
	must(hipGraphCreate(&g, 0));
	must(hipGraphCreate(&apart, 0));
	must(hipGraphAddBatchMemOpNode(&node, g, NULL, 0, &p));
	must(hipGraphAddBatchMemOpNode(&far, apart, NULL, 0, &p));
	must(hipGraphNodeGetType(node, &type));
	hipGraphExec_t exec = instance(g);
	run(exec);
	ok(m[0] == 1000 && m[3] == 5 && type == hipGraphNodeTypeBatchMemOp,
	   "a node writes values, and waits for them");
	must(hipGraphExecBatchMemOpNodeSetParams(exec, node, &q));
	m[3] = 0;
	run(exec);
	must(hipGraphBatchMemOpNodeGetParams(node, &got));
	ok(m[0] == 2000 && !m[3] && got.count == 3 && got.paramArray == three,
	   "others in an executable graph");
	must(hipGraphBatchMemOpNodeSetParams(node, &q));
	must(hipGraphBatchMemOpNodeGetParams(node, &got));
	ok(got.count == 1 && got.paramArray == other, "or in the graph");
	is(hipGraphAddBatchMemOpNode(NULL, g, NULL, 0, &p), InvalidValue);
	is(hipGraphAddBatchMemOpNode(&made, NULL, NULL, 0, &p), InvalidValue);
	is(hipGraphAddBatchMemOpNode(&made, g, NULL, (size_t)-2, &p), InvalidValue);
	is(hipGraphAddBatchMemOpNode(&made, g, NULL, 0, NULL), InvalidValue);
	is(hipGraphBatchMemOpNodeSetParams(NULL, &q), InvalidValue);
	is(hipGraphBatchMemOpNodeSetParams(node, NULL), InvalidValue);
	is(hipGraphBatchMemOpNodeGetParams(NULL, &got), InvalidValue);
	is(hipGraphExecBatchMemOpNodeSetParams(NULL, node, &q), InvalidValue);
	is(hipGraphExecBatchMemOpNodeSetParams(exec, NULL, &q), InvalidValue);
	is(hipGraphExecBatchMemOpNodeSetParams(exec, node, NULL), InvalidValue);
	is(hipGraphExecBatchMemOpNodeSetParams(exec, far, &q), InvalidValue);
#define with(member, value)                                                                        \
	bad = p;                                                                                   \
	bad.member = value;                                                                        \
	is(hipGraphAddBatchMemOpNode(&made, g, NULL, 0, &bad), InvalidValue)
	with(ctx, NULL);
	with(count, 0);
	with(count, 400);
	with(paramArray, NULL);
	with(flags, 4);
	three[2].at = (uint8_t *)m + 1;
	is(hipGraphAddBatchMemOpNode(&made, g, NULL, 0, &p), InvalidValue);
	three[2].operation = 99;
	is(hipGraphAddBatchMemOpNode(&made, g, NULL, 0, &p), InvalidValue);
	must(hipGraphExecDestroy(exec));
	must(hipGraphDestroy(g));
	must(hipGraphDestroy(apart));
	must(hipFree(m));
}

int main(void) {
	must(hipDevicePrimaryCtxRetain(&context, 0));
	must(hipStreamCreate(&s));
	test_copy();
	test_set();
	test_values();
	must(hipStreamDestroy(s));
	return done_testing();
}
