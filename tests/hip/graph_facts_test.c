/* What AMD's tests of graphs expect of executable graphs that are changed, of attributes, and of
 * captures, with two devices [ROCm/hip-tests, catch/unit/graph: the files that the functions name].
 * Where those tests leave a case out, the answer is that of AMD's runtime [ROCm/clr, hipamd/src:
 * hip_graph.cpp, hip_graph_internal.hpp]. */
#include "facts_test.h"

#include <limits.h>
#include <pthread.h>

void **__hipRegisterFatBinary(const void *data);
void __hipRegisterFunction(void **modules, const void *host, char *device_name, const char *name,
                           unsigned threads, void *tid, void *bid, dim3 *block, dim3 *grid,
                           int *wavefront);
void __hipRegisterVar(void **modules, void *var, char *host_name, char *device_name, int external,
                      size_t size, int constant, int global);
void __hipUnregisterFatBinary(void **modules);
hipError_t hipGraphKernelNodeCopyAttributes(hipGraphNode_t from, hipGraphNode_t to);
hipError_t hipGraphNodeGetEnabled(hipGraphExec_t exec, hipGraphNode_t node, unsigned *enabled);
hipError_t hipStreamBeginCaptureToGraph(hipStream_t stream, hipGraph_t g, const hipGraphNode_t *on,
                                        const void *edges, size_t n, hipStreamCaptureMode mode);
hipError_t hipGraphUpload(hipGraphExec_t exec, hipStream_t stream);

static char add, counter, missing; /* their addresses stand for symbols */
static hipStream_t s;
static uint32_t *mine, *far; /* of device 0, and of device 1 */

static hipGraph_t graph(void) {
	hipGraph_t g;
	must(hipGraphCreate(&g, 0));
	return g;
}

static hipGraphExec_t instance(hipGraph_t g) {
	hipGraphExec_t exec;
	must(hipGraphInstantiate(&exec, g, NULL, NULL, 0));
	return exec;
}

static void run(hipGraphExec_t exec) {
	must(hipGraphLaunch(exec, s));
	must(hipStreamSynchronize(s));
}

static void end(hipGraphExec_t exec, hipGraph_t g) {
	must(hipGraphExecDestroy(exec));
	must(hipGraphDestroy(g));
}

static hipMemcpy3DParms box(void *to, void *from, size_t bytes, hipMemcpyKind kind) {
	return (hipMemcpy3DParms){ .srcPtr = { from, bytes, bytes, 1 },
		                   .dstPtr = { to, bytes, bytes, 1 },
		                   .extent = { bytes, 1, 1 },
		                   .kind = kind };
}

static hipKernelNodeParams adding(void **params) {
	return (hipKernelNodeParams){ .blockDim = { 1, 1, 1 },
		                      .gridDim = { 1, 1, 1 },
		                      .func = &add,
		                      .kernelParams = params };
}

/* ---- copies of executable graphs ---- */

/* hipGraphExecMemcpyNodeSetParams1D.cc, hipGraphExecMemcpyNodeSetParams.cc */
static void test_kinds(void) {
	uint32_t host[2] = { 0 };
	const struct {
		void *to, *from;
		hipMemcpyKind kind;
	} ways[] = { { host, host + 1, hipMemcpyHostToHost },
		     { mine, host, hipMemcpyHostToDevice },
		     { host, mine, hipMemcpyDeviceToHost },
		     { mine, mine + 1, hipMemcpyDeviceToDevice } };
	for (size_t i = 0; i < COUNT(ways); i++) {
		hipGraph_t g = graph();
		hipGraphNode_t line, rows;
		hipMemcpy3DParms p = box(ways[i].to, ways[i].from, 4, ways[i].kind);
		must(hipGraphAddMemcpyNode1D(&line, g, NULL, 0, ways[i].to, ways[i].from, 4,
		                             ways[i].kind));
		must(hipGraphAddMemcpyNode(&rows, g, NULL, 0, &p));
		hipGraphExec_t exec = instance(g);
		unsigned refused = 0, accepted = 0;
		for (int kind = hipMemcpyHostToHost; kind <= hipMemcpyDefault; kind++) {
			hipError_t e[2];
			p.kind = (hipMemcpyKind)kind;
			e[0] = hipGraphExecMemcpyNodeSetParams1D(exec, line, ways[i].to,
			                                         ways[i].from, 4, p.kind);
			e[1] = hipGraphExecMemcpyNodeSetParams(exec, rows, &p);
			for (int k = 0; k < 2; k++) {
				refused += e[k] == hipErrorInvalidValue;
				accepted += e[k] == hipSuccess && p.kind == ways[i].kind;
			}
		}
		ok(refused == 8 && accepted == 2, "a copy of kind %d keeps its kind", ways[i].kind);
		end(exec, g);
	}
}

static void test_copies(void) {
	uint32_t to[2] = { 0 }, from[2] = { 0 };
	hipGraph_t g = graph();
	hipGraphNode_t line, rows;
	hipMemcpy3DParms p = box(mine, mine + 2, 8, hipMemcpyDefault), bad;
	must(hipGraphAddMemcpyNode1D(&line, g, NULL, 0, to, from, 8, hipMemcpyDefault));
	must(hipGraphAddMemcpyNode(&rows, g, NULL, 0, &p));
	hipGraphExec_t exec = instance(g);
#define set(exec, node, to, from, bytes)                                                           \
	hipGraphExecMemcpyNodeSetParams1D(exec, node, to, from, bytes, hipMemcpyDefault)
	works(set(exec, line, to, from, 4));
	is(set(NULL, line, to, from, 8), InvalidValue);
	is(set(exec, NULL, to, from, 8), InvalidValue);
	is(set(exec, line, NULL, from, 8), InvalidValue);
	is(set(exec, line, to, NULL, 8), InvalidValue);
	is(set(exec, line, to, from, 0), InvalidValue);
	is(set(exec, line, mine, from, 1 << 20), InvalidValue);
	is(set(exec, line, to, mine, 1 << 20), InvalidValue);
#undef set
	is(hipGraphMemcpyNodeSetParams1D(NULL, to, from, 8, hipMemcpyDefault), InvalidValue);
	is(hipGraphMemcpyNodeSetParams1D(line, NULL, from, 8, hipMemcpyDefault), InvalidValue);
	is(hipGraphMemcpyNodeSetParams1D(line, to, NULL, 8, hipMemcpyDefault), InvalidValue);
	is(hipGraphMemcpyNodeSetParams1D(line, to, from, 0, hipMemcpyDefault), InvalidValue);
	is(hipGraphMemcpyNodeSetParams1D(line, to, to, 8, hipMemcpyDefault), InvalidValue);
	is(hipGraphMemcpyNodeSetParams1D(line, mine, from, 1 << 20, hipMemcpyDefault),
	   InvalidValue);
	works(hipGraphMemcpyNodeSetParams1D(line, mine, from, 8, hipMemcpyHostToDevice));
	works(hipGraphExecMemcpyNodeSetParams(exec, rows, &p));
	is(hipGraphExecMemcpyNodeSetParams(NULL, rows, &p), InvalidValue);
	is(hipGraphExecMemcpyNodeSetParams(exec, NULL, &p), InvalidValue);
	is(hipGraphExecMemcpyNodeSetParams(exec, rows, NULL), InvalidValue);
	bad = box(far, mine, 8, hipMemcpyDefault);
	is(hipGraphExecMemcpyNodeSetParams(exec, rows, &bad), InvalidValue);
	bad = box(mine, far, 8, hipMemcpyDefault);
	is(hipGraphExecMemcpyNodeSetParams(exec, rows, &bad), InvalidValue);
	bad = box(NULL, mine, 8, hipMemcpyDefault);
	is(hipGraphExecMemcpyNodeSetParams(exec, rows, &bad), InvalidValue);
	bad = box(mine, mine + 2, 1 << 20, hipMemcpyDefault);
	is(hipGraphExecMemcpyNodeSetParams(exec, rows, &bad), InvalidValue);
	end(exec, g);
}

/* hipGraphExecMemcpyNodeSetParamsToSymbol.cc, hipGraphExecMemcpyNodeSetParamsFromSymbol.cc,
 * graph_memcpy_to_from_symbol_common.hh */
static void test_symbols(void) {
	hipGraph_t g = graph();
	hipGraphNode_t in, out;
	must(hipGraphAddMemcpyNodeToSymbol(&in, g, NULL, 0, &counter, mine, 4, 0,
	                                   hipMemcpyDefault));
	must(hipGraphAddMemcpyNodeFromSymbol(&out, g, &in, 1, mine + 1, &counter, 4, 0,
	                                     hipMemcpyDefault));
	hipGraphExec_t exec = instance(g);
#define to(symbol, from, bytes, offset, kind)                                                      \
	hipGraphExecMemcpyNodeSetParamsToSymbol(exec, in, symbol, from, bytes, offset, kind)
#define from(to, symbol, bytes, offset, kind)                                                      \
	hipGraphExecMemcpyNodeSetParamsFromSymbol(exec, out, to, symbol, bytes, offset, kind)
	works(to(&counter, mine, 4, 4, hipMemcpyDefault));
	is(to(&counter, NULL, 4, 0, hipMemcpyDefault), InvalidValue);
	is(to(NULL, mine, 4, 0, hipMemcpyDefault), InvalidSymbol);
	is(to(&missing, mine, 4, 0, hipMemcpyDefault), InvalidSymbol);
	is(to(&counter, mine, 9, 0, hipMemcpyDefault), InvalidValue);
	is(to(&counter, mine, 8, 1, hipMemcpyDefault), InvalidValue);
	is(to(&counter, mine, 4, 0, hipMemcpyDeviceToDevice), InvalidValue);
	is(to(&counter, mine, 4, 0, hipMemcpyHostToDevice), InvalidValue);
	is(to(&counter, far, 4, 0, hipMemcpyDefault), InvalidValue);
	works(from(mine + 2, &counter, 4, 4, hipMemcpyDefault));
	is(from(NULL, &counter, 4, 0, hipMemcpyDefault), InvalidValue);
	is(from(mine, NULL, 4, 0, hipMemcpyDefault), InvalidSymbol);
	is(from(mine, &counter, 9, 0, hipMemcpyDefault), InvalidValue);
	is(from(mine, &counter, 8, 1, hipMemcpyDefault), InvalidValue);
	is(from(mine, &counter, 4, 0, hipMemcpyDeviceToDevice), InvalidValue);
	is(from(far, &counter, 4, 0, hipMemcpyDefault), InvalidValue);
	is(to(&counter, mine, 0, 0, hipMemcpyDefault), InvalidValue);
	is(from(mine, &counter, 0, 0, hipMemcpyDefault), InvalidValue);
#undef to
#undef from
	uint32_t words[3] = { 77, 0, 0 };
	is(hipGraphMemcpyNodeSetParamsToSymbol(in, &counter, words, 4, 0, hipMemcpyDeviceToDevice),
	   InvalidValue);
	is(hipGraphMemcpyNodeSetParamsFromSymbol(out, words, &counter, 4, 0,
	                                         hipMemcpyDeviceToDevice),
	   InvalidValue);
	works(hipGraphMemcpyNodeSetParamsToSymbol(in, &counter, mine, 4, 0, hipMemcpyDefault));
	must(hipMemcpy(mine, words, sizeof words, hipMemcpyHostToDevice));
	run(exec);
	must(hipMemcpy(words, mine, sizeof words, hipMemcpyDeviceToHost));
	ok(words[2] == 77, "failures change nothing");
	end(exec, g);
}

/* hipGraphExecMemsetNodeSetParams.cc */
static void test_sets(void) {
	hipGraph_t g = graph();
	hipGraphNode_t line, rows;
	hipMemsetParams p = { .dst = mine, .elementSize = 4, .width = 2, .height = 1, .value = 42 },
			two = {
				.dst = mine, .elementSize = 4, .width = 1, .height = 2, .pitch = 8
			};
	must(hipGraphAddMemsetNode(&line, g, NULL, 0, &p));
	must(hipGraphAddMemsetNode(&rows, g, NULL, 0, &two));
	hipGraphExec_t exec = instance(g);
	p.width = 4;
	works(hipGraphExecMemsetNodeSetParams(exec, line, &p));
	p.dst = far;
	is(hipGraphExecMemsetNodeSetParams(exec, line, &p), InvalidValue);
	works(hipGraphMemsetNodeSetParams(line, &p));
	is(hipGraphExecMemsetNodeSetParams(exec, line, &two), InvalidValue);
	two.value = 7;
	works(hipGraphExecMemsetNodeSetParams(exec, rows, &two));
	two.width = 2;
	is(hipGraphExecMemsetNodeSetParams(exec, rows, &two), InvalidValue);
	two.width = 1;
	two.height = 1;
	works(hipGraphExecMemsetNodeSetParams(exec, rows, &two));
	end(exec, g);
}

/* ---- updates ---- */

static hipGraphExecUpdateResult updated(hipGraphExec_t exec, hipGraph_t g, hipGraphNode_t *node) {
	hipGraphExecUpdateResult how = (hipGraphExecUpdateResult)-1;
	hipError_t e = hipGraphExecUpdate(exec, g, node, &how);
	if ((e == hipSuccess) != (how == hipGraphExecUpdateSuccess) ||
	    (e != hipSuccess && e != hipErrorGraphExecUpdateFailure))
		how = (hipGraphExecUpdateResult)-1;
	must(hipGraphDestroy(g));
	return how;
}

static hipGraph_t copying(hipGraphNode_t *copy, hipMemcpyKind kind) {
	hipGraph_t g = graph();
	must(hipGraphAddMemcpyNode1D(copy, g, NULL, 0, mine, mine + 1, 4, kind));
	return g;
}

static hipGraph_t launching(hipGraphNode_t *kernel) {
	uint32_t n = 1;
	hipGraph_t g = graph();
	hipKernelNodeParams k = adding((void *[]){ &mine, &n });
	must(hipGraphAddKernelNode(kernel, g, NULL, 0, &k));
	return g;
}

/* hipGraphExecUpdate.cc */
static void test_updates(void) {
	hipGraphNode_t node, wrong, copy;
	hipMemsetParams p = { .dst = mine, .elementSize = 4, .width = 2, .height = 1 };
	hipGraph_t g = copying(&copy, hipMemcpyDeviceToDevice), other;
	hipGraphExec_t exec = instance(g);
	ok(updated(exec, copying(&node, hipMemcpyDeviceToDevice), &wrong) ==
	                   hipGraphExecUpdateSuccess &&
	           !wrong,
	   "a graph of the same form updates another one");
	ok(updated(exec, copying(&node, hipMemcpyDefault), &wrong) ==
	                   hipGraphExecUpdateErrorParametersChanged &&
	           wrong == node,
	   "not one with a copy of another kind");
	other = graph();
	must(hipGraphAddMemsetNode(&node, other, NULL, 0, &p));
	ok(updated(exec, other, &wrong) == hipGraphExecUpdateErrorNodeTypeChanged && wrong == node,
	   "nor with a node of another type");
	other = copying(&node, hipMemcpyDeviceToDevice);
	must(hipGraphAddMemsetNode(&node, other, NULL, 0, &p));
	ok(updated(exec, other, &wrong) == hipGraphExecUpdateErrorTopologyChanged && !wrong,
	   "nor with more nodes");
	end(exec, g);
	g = launching(&node);
	exec = instance(g);
	must(hipSetDevice(1));
	other = launching(&node);
	ok(updated(exec, other, &wrong) == hipGraphExecUpdateErrorUnsupportedFunctionChange &&
	           wrong == node,
	   "nor with a kernel of another device");
	must(hipSetDevice(0));
	end(exec, g);
}

/* hipGraphGetEdges_old.cc */
static void test_order_of_edges(void) {
	hipGraphNode_t n[4], from[3], to[3];
	hipGraph_t g = graph();
	size_t edges = 3;
	for (int i = 0; i < 4; i++)
		must(hipGraphAddEmptyNode(&n[i], g, NULL, 0));
	must(hipGraphAddDependencies(g, &n[3], &n[0], 1));
	must(hipGraphAddDependencies(g, &n[2], &n[1], 1));
	must(hipGraphAddDependencies(g, &n[2], &n[3], 1));
	must(hipGraphGetEdges(g, from, to, &edges));
	ok(from[0] == n[2] && to[0] == n[1] && from[1] == n[2] && to[1] == n[3] &&
	           from[2] == n[3] && to[2] == n[0],
	   "edges are in the order of their first nodes");
	must(hipGraphDestroy(g));
}

static hipGraph_t setting(hipGraphNode_t *set, unsigned size, size_t width, size_t height) {
	hipGraph_t g = graph();
	hipMemsetParams p = {
		.dst = mine, .pitch = 16, .elementSize = size, .width = width, .height = height
	};
	must(hipGraphAddMemsetNode(set, g, NULL, 0, &p));
	return g;
}

/* hipGraphMemsetNodeFlatAlloc.cc */
static void test_update_of_rows(void) {
	hipGraphNode_t node, wrong;
	hipGraph_t g = setting(&node, 1, 8, 4);
	hipGraphExec_t exec = instance(g);
	static const struct {
		unsigned size;
		size_t width, height;
	} others[] = { { 1, 4, 4 }, { 1, 8, 2 }, { 2, 8, 4 } };
	ok(updated(exec, setting(&node, 2, 4, 4), &wrong) == hipGraphExecUpdateSuccess,
	   "an update keeps the bytes of rows");
	for (size_t i = 0; i < COUNT(others); i++)
		ok(updated(exec, setting(&node, others[i].size, others[i].width, others[i].height),
		           &wrong) == hipGraphExecUpdateErrorParametersChanged &&
		           wrong == node,
		   "not one with %zu rows of %zu elements of %u bytes", others[i].height,
		   others[i].width, others[i].size);
	end(exec, g);
}

/* hipGraphExecChildGraphNodeSetParams.cc */
static void test_children(void) {
	hipGraphNode_t node, copy, plain;
	hipGraph_t g = graph(), child = copying(&copy, hipMemcpyDeviceToDevice),
		   same = copying(&copy, hipMemcpyDeviceToDevice),
		   more = copying(&copy, hipMemcpyDeviceToDevice);
	must(hipGraphAddEmptyNode(&plain, more, &copy, 1));
	must(hipGraphAddChildGraphNode(&node, g, NULL, 0, child));
	must(hipGraphAddEmptyNode(&plain, g, NULL, 0));
	hipGraphExec_t exec = instance(g);
	works(hipGraphExecChildGraphNodeSetParams(exec, node, same));
	is(hipGraphExecChildGraphNodeSetParams(NULL, node, same), InvalidValue);
	is(hipGraphExecChildGraphNodeSetParams(exec, NULL, same), InvalidValue);
	is(hipGraphExecChildGraphNodeSetParams(exec, plain, same), InvalidValue);
	is(hipGraphExecChildGraphNodeSetParams(exec, node, NULL), InvalidValue);
	is(hipGraphExecChildGraphNodeSetParams(exec, node, g), Unknown);
	is(hipGraphExecChildGraphNodeSetParams(exec, node, more), Unknown);
	hipGraph_t outer = graph();
	must(hipGraphAddChildGraphNode(&node, outer, NULL, 0, more));
	must(hipGraphAddEmptyNode(&plain, outer, NULL, 0));
	hipGraphNode_t wrong;
	ok(updated(exec, outer, &wrong) == hipGraphExecUpdateErrorTopologyChanged && wrong == node,
	   "an update does not change the form of a child");
	must(hipGraphDestroy(child));
	must(hipGraphDestroy(same));
	must(hipGraphDestroy(more));
	end(exec, g);
}

/* ---- kernels ---- */

/* hipGraphAddKernelNode.cc, hipGraphExecKernelNodeSetParams.cc, hipGraphKernelNodeSetParams.cc */
static void test_kernels(void) {
	uint32_t n = 1;
	void *params[] = { &mine, &n };
	hipGraphNode_t node, made, late;
	hipKernelNodeParams k = adding(params), bad = k;
	hipGraph_t g = launching(&node), gone = graph();
	hipGraphExec_t exec = instance(g);
	must(hipGraphDestroy(gone));
	is(hipGraphAddKernelNode(&made, gone, NULL, 0, &k), InvalidValue);
	is(hipGraphAddKernelNode(NULL, g, NULL, 0, &k), InvalidValue);
	is(hipGraphAddKernelNode(&made, NULL, NULL, 0, &k), InvalidValue);
	is(hipGraphAddKernelNode(&made, g, NULL, 1, &k), InvalidValue);
	is(hipGraphAddKernelNode(&made, g, NULL, 0, NULL), InvalidValue);
	bad.func = NULL;
	is(hipGraphAddKernelNode(&made, g, NULL, 0, &bad), InvalidValue);
	is(hipGraphKernelNodeSetParams(node, &bad), InvalidValue);
	is(hipGraphExecKernelNodeSetParams(exec, node, &bad), InvalidValue);
	bad = k;
	bad.kernelParams = NULL;
	is(hipGraphAddKernelNode(&made, g, NULL, 0, &bad), InvalidValue);
	is(hipGraphKernelNodeSetParams(node, &bad), InvalidValue);
	is(hipGraphExecKernelNodeSetParams(exec, node, &bad), InvalidValue);
	must(hipGraphAddKernelNode(&late, g, NULL, 0, &k));
	is(hipGraphExecKernelNodeSetParams(exec, late, &k), InvalidValue);
	is(hipGraphExecKernelNodeSetParams(NULL, node, &k), InvalidValue);
	is(hipGraphExecKernelNodeSetParams(exec, NULL, &k), InvalidValue);
	is(hipGraphExecKernelNodeSetParams(exec, node, NULL), InvalidValue);
	end(exec, g);
}

enum { WINDOW = 1, COOPERATIVE = 2, PRIORITY = 8 };

#define set_it(node, id, value)                                                                    \
	hipGraphKernelNodeSetAttribute(node, (hipKernelNodeAttrID)(id), value)
#define get_it(node, id, value)                                                                    \
	hipGraphKernelNodeGetAttribute(node, (hipKernelNodeAttrID)(id), value)

/* hipGraphKernelNodeSetAttribute.cc, hipGraphKernelNodeGetAttribute.cc,
 * hipGraphKernelNodeCopyAttributes.cc */
static void test_attributes(void) {
	hipGraphNode_t node, other, plain;
	hipGraph_t g = launching(&node), h = launching(&other);
	hipKernelNodeAttrValue v = { .accessPolicyWindow = { .base_ptr = mine,
		                                             .hitProp = hipAccessPropertyPersisting,
		                                             .hitRatio = 0.5f,
		                                             .missProp =
		                                                     hipAccessPropertyStreaming } },
			       got, bad;
	int most = -1;
	must(hipGraphAddEmptyNode(&plain, g, NULL, 0));
	must(hipDeviceGetAttribute(&most, hipDeviceAttributeAccessPolicyMaxWindowSize, 0));
	memset(&got, 0xff, sizeof got);
	works(get_it(node, WINDOW, &got));
	ok(!got.accessPolicyWindow.base_ptr && !got.accessPolicyWindow.num_bytes,
	   "a kernel has no window of accesses at first");
	works(get_it(node, PRIORITY, &got));
	works(set_it(node, WINDOW, &v));
	works(get_it(node, WINDOW, &got));
	ok(got.accessPolicyWindow.base_ptr == mine && got.accessPolicyWindow.hitRatio == 0.5f &&
	           got.accessPolicyWindow.hitProp == hipAccessPropertyPersisting &&
	           got.accessPolicyWindow.missProp == hipAccessPropertyStreaming,
	   "it has the one that it gets");
	is(get_it(node, COOPERATIVE, &got), InvalidValue);
	is(set_it(NULL, WINDOW, &v), InvalidValue);
	is(set_it(plain, WINDOW, &v), InvalidValue);
	is(set_it(node, -1, &v), InvalidValue);
	is(set_it(node, WINDOW, NULL), InvalidValue);
	is(set_it(node, PRIORITY, &v), InvalidValue);
	is(get_it(NULL, WINDOW, &got), InvalidValue);
	is(get_it(plain, WINDOW, &got), InvalidValue);
	is(get_it(node, -1, &got), InvalidValue);
	is(get_it(node, WINDOW, NULL), InvalidValue);
#define with(member, value)                                                                        \
	bad = v;                                                                                   \
	bad.accessPolicyWindow.member = value;                                                     \
	is(set_it(node, WINDOW, &bad), InvalidValue)
	with(num_bytes, (size_t)most + 1);
	with(hitRatio, -0.6f);
	with(hitRatio, 1.1f);
	with(missProp, hipAccessPropertyPersisting);
#undef with
	works(hipGraphKernelNodeCopyAttributes(node, other));
	works(get_it(other, WINDOW, &got));
	ok(got.accessPolicyWindow.base_ptr == mine, "it is copied to another node");
	is(hipGraphKernelNodeCopyAttributes(NULL, other), InvalidValue);
	is(hipGraphKernelNodeCopyAttributes(node, NULL), InvalidValue);
	is(hipGraphKernelNodeCopyAttributes(plain, other), InvalidValue);
	is(hipGraphKernelNodeCopyAttributes(node, plain), InvalidValue);
	v.cooperative = 2;
	works(set_it(node, COOPERATIVE, &v));
	works(get_it(node, COOPERATIVE, &got));
	ok(got.cooperative == 2, "a cooperative launch has the value that it gets");
	is(hipGraphKernelNodeCopyAttributes(node, other), InvalidContext);
	uint32_t n = 3;
	hipKernelNodeParams k = adding((void *[]){ &mine, &n });
	must(hipGraphKernelNodeSetParams(node, &k));
	works(get_it(node, COOPERATIVE, &got));
	ok(got.cooperative == 2, "other parameters leave it");
	must(hipGraphDestroy(g));
	must(hipGraphDestroy(h));
}

/* ---- the rest ---- */

/* hipGraphNodeFindInClone.cc, hipGraphNodeGetEnabled.cc, hipGraphAddNode.cc, hipGraphUpload.cc */
static void test_nodes(void) {
	hipGraphNode_t node, plain, made, again;
	hipGraph_t g = copying(&node, hipMemcpyDeviceToDevice), clone, second;
	unsigned enabled = 7;
	must(hipGraphAddEmptyNode(&plain, g, NULL, 0));
	hipGraphExec_t exec = instance(g);
	must(hipGraphClone(&clone, g));
	must(hipGraphClone(&second, clone));
	works(hipGraphNodeFindInClone(&made, node, clone));
	works(hipGraphNodeFindInClone(&again, made, second));
	is(hipGraphNodeFindInClone(&again, node, second), InvalidValue);
	is(hipGraphNodeFindInClone(NULL, node, clone), InvalidValue);
	is(hipGraphNodeFindInClone(&again, NULL, clone), InvalidValue);
	is(hipGraphNodeFindInClone(&again, node, NULL), InvalidValue);
	works(hipGraphNodeGetEnabled(exec, node, &enabled));
	ok(enabled == 1, "a node is enabled at first");
	is(hipGraphNodeGetEnabled(exec, plain, &enabled), InvalidValue);
	is(hipGraphNodeGetEnabled(exec, NULL, &enabled), InvalidValue);
	is(hipGraphNodeGetEnabled(NULL, node, &enabled), InvalidValue);
	is(hipGraphNodeGetEnabled(exec, node, NULL), InvalidValue);
	hipGraphNodeParams p = { .type = hipGraphNodeTypeExtSemaphoreSignal };
	is(hipGraphAddNode(&made, g, NULL, 0, &p), NotSupported);
	p.type = hipGraphNodeTypeExtSemaphoreWait;
	is(hipGraphAddNode(&made, g, NULL, 0, &p), NotSupported);
	p.type = hipGraphNodeTypeCount;
	is(hipGraphAddNode(&made, g, NULL, 0, &p), InvalidValue);
	works(hipGraphUpload(exec, s));
	works(hipGraphUpload(exec, NULL));
	is(hipGraphUpload(NULL, s), InvalidValue);
	must(hipGraphDestroy(clone));
	must(hipGraphDestroy(second));
	end(exec, g);
}

/* hipStreamBeginCaptureToGraph.cc, hipStreamEndCapture.cc, hipThreadExchangeStreamCaptureMode.cc */
static void test_captures(void) {
	hipGraphNode_t node, stranger;
	hipGraph_t g = copying(&node, hipMemcpyDeviceToDevice),
		   other = copying(&stranger, hipMemcpyDeviceToDevice), got;
	const hipStreamCaptureMode mode = hipStreamCaptureModeGlobal;
	char edge = 0;
	is(hipStreamBeginCaptureToGraph(s, NULL, NULL, NULL, 0, mode), InvalidValue);
	is(hipStreamBeginCaptureToGraph(s, g, NULL, NULL, 1, mode), InvalidValue);
	is(hipStreamBeginCaptureToGraph(s, g, &node, NULL, 0, mode), InvalidValue);
	is(hipStreamBeginCaptureToGraph(s, g, &stranger, NULL, 1, mode), InvalidValue);
	is(hipStreamBeginCaptureToGraph(s, g, &node, &edge, 1, mode), NotSupported);
	is(hipStreamBeginCaptureToGraph(s, g, &node, NULL, 1, (hipStreamCaptureMode)-1),
	   InvalidValue);
	is(hipStreamBeginCaptureToGraph(NULL, g, NULL, NULL, 0, mode), StreamCaptureUnsupported);
	is(hipStreamEndCapture(NULL, &got), IllegalState);
	is(hipStreamEndCapture(s, NULL), InvalidValue);
	is(hipStreamEndCapture(s, &got), IllegalState);
	const int bad[] = { -1, 3, INT_MAX };
	for (size_t i = 0; i < COUNT(bad); i++)
		is(hipThreadExchangeStreamCaptureMode(
			   &(hipStreamCaptureMode){ (hipStreamCaptureMode)bad[i] }),
		   InvalidValue);
	is(hipThreadExchangeStreamCaptureMode(NULL), InvalidValue);
	must(hipGraphDestroy(g));
	must(hipGraphDestroy(other));
}

/* ---- calls during captures: hipStreamBeginCapture.cc ---- */

static const struct {
	hipStreamCaptureMode mode;
	const char *name;
} modes[] = { { hipStreamCaptureModeGlobal, "global" },
	      { hipStreamCaptureModeThreadLocal, "local to a thread" },
	      { hipStreamCaptureModeRelaxed, "relaxed" } };

enum call { STREAM_WAIT, STREAM_QUERY, DEVICE_WAIT, EVENT_WAIT, EVENT_QUERY, CALLS };

/* A call, of this thread or of another one. */
struct call_of {
	enum call call;
	hipStream_t stream;
	hipEvent_t event;
	hipError_t result;
};

static void *do_call(void *p) {
	struct call_of *c = p;
	switch (c->call) {
	case STREAM_WAIT: c->result = hipStreamSynchronize(c->stream); break;
	case STREAM_QUERY: c->result = hipStreamQuery(c->stream); break;
	case DEVICE_WAIT: c->result = hipDeviceSynchronize(); break;
	case EVENT_WAIT: c->result = hipEventSynchronize(c->event); break;
	default: c->result = hipEventQuery(c->event);
	}
	return NULL;
}

static bool ends_with(hipStream_t stream, hipError_t want) {
	hipGraph_t g = NULL;
	hipError_t e = hipStreamEndCapture(stream, &g);
	if (g)
		must(hipGraphDestroy(g));
	return e == want;
}

static void test_waits(void) {
	for (size_t i = 0; i < COUNT(modes) * 2; i++) {
		unsigned good = 0, flags = i % 2 ? hipStreamNonBlocking : hipStreamDefault;
		struct call_of c;
		must(hipStreamCreateWithFlags(&c.stream, flags));
		must(hipEventCreate(&c.event));
		for (c.call = 0; c.call < CALLS; c.call++) {
			bool of_event = c.call >= EVENT_WAIT;
			must(hipStreamBeginCapture(c.stream, modes[i / 2].mode));
			if (of_event)
				must(hipEventRecord(c.event, c.stream));
			do_call(&c);
			good += c.result == (of_event ? hipErrorCapturedEvent
			                              : hipErrorStreamCaptureUnsupported);
			good += ends_with(c.stream, hipErrorStreamCaptureInvalidated);
		}
		ok(good == 2 * CALLS, "a wait or query breaks a capture (%s, flags %u)",
		   modes[i / 2].name, flags);
		must(hipEventDestroy(c.event));
		must(hipStreamDestroy(c.stream));
	}
}

/* The event is recorded nowhere, the stream is another one. */
static void test_waits_of_another_thread(void) {
	struct call_of c;
	must(hipStreamCreate(&c.stream));
	must(hipEventCreate(&c.event));
	for (size_t i = 0; i < COUNT(modes); i++) {
		unsigned good = 0;
		for (c.call = 0; c.call < CALLS; c.call++) {
			pthread_t thread;
			bool breaks = c.call == DEVICE_WAIT ||
			              (c.call < DEVICE_WAIT &&
			               modes[i].mode == hipStreamCaptureModeGlobal);
			must(hipStreamBeginCapture(s, modes[i].mode));
			pthread_create(&thread, NULL, do_call, &c);
			pthread_join(thread, NULL);
			bool kept = c.result ==
			            (breaks ? hipErrorStreamCaptureUnsupported : hipSuccess);
			bool ended = ends_with(s, breaks ? hipErrorStreamCaptureInvalidated
			                                 : hipSuccess);
			if (!kept || !ended)
				diag("call %d: %s", (int)c.call, hipGetErrorName(c.result));
			good += kept + ended;
		}
		ok(good == 2 * CALLS,
		   "so does one of another thread for the device, or for a stream (%s)",
		   modes[i].name);
	}
	must(hipEventDestroy(c.event));
	must(hipStreamDestroy(c.stream));
}

static void test_unsafe(void) {
	uint32_t word = 0;
	void *p;
	for (int i = 0; i < 2; i++) {
		must(hipStreamBeginCapture(s, modes[i].mode));
		is(hipMalloc(&p, 4), StreamCaptureUnsupported);
		ok(ends_with(s, hipErrorStreamCaptureInvalidated), "it breaks a capture (%s)",
		   modes[i].name);
		must(hipStreamBeginCapture(s, modes[i].mode));
		is(hipMemcpy(mine, &word, 4, hipMemcpyHostToDevice), StreamCaptureImplicit);
		ok(ends_with(s, hipErrorStreamCaptureInvalidated), "it breaks a capture (%s)",
		   modes[i].name);
		must(hipStreamBeginCapture(s, modes[i].mode));
		is(hipMemset(mine, 0, 4), StreamCaptureImplicit);
		ok(ends_with(s, hipErrorStreamCaptureInvalidated), "it breaks a capture (%s)",
		   modes[i].name);
	}
}

static void launch(hipStream_t stream) {
	uint32_t n = 1;
	must(hipLaunchKernel(&add, (dim3){ 1, 1, 1 }, (dim3){ 1, 1, 1 }, (void *[]){ &mine, &n }, 0,
	                     stream));
}

/* Lets a stream wait for another one. */
static void follow(hipStream_t stream, hipStream_t first, hipEvent_t event) {
	must(hipEventRecord(event, first));
	must(hipStreamWaitEvent(stream, event, 0));
}

static void test_forks(void) {
	const hipStreamCaptureMode mode = hipStreamCaptureModeGlobal;
	hipStream_t other;
	hipEvent_t event, back;
	hipGraph_t g;
	size_t n = 9;
	must(hipStreamCreate(&other));
	must(hipEventCreate(&event));
	must(hipEventCreate(&back));
	must(hipStreamBeginCapture(s, mode));
	launch(s);
	follow(other, s, event);
	launch(other);
	ok(ends_with(s, hipErrorStreamCaptureUnjoined), "a fork that is not joined");
	must(hipStreamBeginCapture(s, mode));
	launch(s);
	follow(other, s, event);
	launch(other);
	follow(s, other, back);
	launch(other);
	ok(ends_with(s, hipErrorStreamCaptureUnjoined), "work after the join");
	must(hipStreamBeginCapture(s, mode));
	follow(other, s, event);
	launch(s);
	is(hipStreamBeginCapture(other, mode), IllegalState);
	ok(ends_with(s, hipSuccess), "it does not break the capture");
	must(hipStreamBeginCapture(other, mode));
	launch(other);
	ok(ends_with(other, hipSuccess), "the fork is captured alone after that");
	must(hipStreamBeginCapture(s, mode));
	follow(other, s, event);
	follow(s, other, back);
	must(hipStreamEndCapture(s, &g));
	must(hipGraphGetNodes(g, NULL, &n));
	ok(!n, "a fork without work adds no node");
	must(hipGraphDestroy(g));
	launch(other);
	must(hipStreamBeginCapture(s, mode));
	must(hipEventRecord(event, s));
	launch(other);
	must(hipStreamWaitEvent(other, event, 0));
	launch(other);
	follow(s, other, back);
	must(hipStreamEndCapture(s, &g));
	must(hipGraphGetNodes(g, NULL, &n));
	ok(n == 1, "a fork captures what comes after its wait");
	must(hipGraphDestroy(g));
	must(hipEventDestroy(event));
	must(hipEventDestroy(back));
	must(hipStreamDestroy(other));
}

/* Two captures, and a stream that joins one after the other; an event is recorded in both. */
static void test_two_captures(void) {
	hipStream_t other, third;
	hipEvent_t of_first, of_other, back;
	hipGraph_t g, h;
	size_t n = 0, m = 0;
	must(hipStreamCreate(&other));
	must(hipStreamCreate(&third));
	must(hipEventCreate(&of_first));
	must(hipEventCreate(&of_other));
	must(hipEventCreate(&back));
	must(hipStreamBeginCapture(s, hipStreamCaptureModeGlobal));
	must(hipStreamBeginCapture(other, hipStreamCaptureModeRelaxed));
	launch(s);
	must(hipEventRecord(of_other, other));
	follow(third, s, of_first);
	launch(third);
	follow(s, third, back);
	launch(s);
	must(hipStreamEndCapture(s, &g));
	hipGraphExec_t exec = instance(g);
	must(hipStreamWaitEvent(third, of_other, 0));
	follow(other, third, back);
	launch(other);
	must(hipStreamEndCapture(other, &h));
	must(hipGraphGetNodes(g, NULL, &n));
	must(hipGraphGetNodes(h, NULL, &m));
	run(exec);
	ok(n == 3 && m == 1, "a stream joins one capture after the other");
	end(exec, g);
	must(hipGraphDestroy(h));
	must(hipEventDestroy(of_first));
	must(hipEventDestroy(of_other));
	must(hipEventDestroy(back));
	must(hipStreamDestroy(other));
	must(hipStreamDestroy(third));
}

/* A relaxed capture of this thread: streams are made and others are waited for. */
static void test_relaxed(void) {
	for (size_t i = 0; i < COUNT(modes); i++) {
		bool relaxed = modes[i].mode == hipStreamCaptureModeRelaxed;
		hipStream_t other, third;
		must(hipStreamCreate(&other));
		must(hipStreamBeginCapture(s, modes[i].mode));
		launch(other);
		hipError_t e = hipStreamSynchronize(other);
		ok(e == (relaxed ? hipSuccess : hipErrorStreamCaptureUnsupported) &&
		           ends_with(s, relaxed ? hipSuccess : hipErrorStreamCaptureInvalidated),
		   "a wait for another stream of the same thread (%s)", modes[i].name);
		must(hipStreamBeginCapture(s, modes[i].mode));
		e = hipStreamCreate(&third);
		ok(e == hipSuccess && ends_with(s, hipSuccess), "a stream is made (%s)",
		   modes[i].name);
		must(hipStreamDestroy(third));
		must(hipStreamDestroy(other));
	}
}

int main(void) {
	struct {
		uint32_t magic, version;
		const void *image;
		void *unused;
	} wrapper = { 0x48495046, 1, NULL, NULL };
	size_t bytes;
	uint8_t *image = read_whole(built("tests/hip/probe.gpu.co"), &bytes);
	wrapper.image = image;
	setenv("MXHIP_DEVICES", "2", 1);
	void **binary = __hipRegisterFatBinary(&wrapper);
	__hipRegisterFunction(binary, &add, "add", "add", -1u, NULL, NULL, NULL, NULL, NULL);
	__hipRegisterVar(binary, &counter, "counter", "counter", 0, 8, 0, 0);
	must(hipSetDevice(1));
	far = device_bytes(64);
	must(hipSetDevice(0));
	mine = device_bytes(64);
	must(hipMemset(mine, 0, 64));
	must(hipStreamCreate(&s));
	test_kinds();
	test_copies();
	test_symbols();
	test_sets();
	test_updates();
	test_update_of_rows();
	test_order_of_edges();
	test_children();
	test_kernels();
	test_attributes();
	test_nodes();
	test_captures();
	test_waits();
	test_waits_of_another_thread();
	test_unsafe();
	test_forks();
	test_two_captures();
	test_relaxed();
	must(hipStreamDestroy(s));
	must(hipFree(mine));
	must(hipFree(far));
	__hipUnregisterFatBinary(binary);
	free(image);
	return done_testing();
}
