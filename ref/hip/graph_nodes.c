/* The nodes of graphs: what they do, and the calls that add, change and query them. */
#include <stdlib.h>
#include <string.h>

#include "queue.h"

/* Each kind of node has a function that makes one of its parameters. A node is added, or replaces
 * what another one does, in a graph or in an executable one. */

static hipError_t add(hipGraphNode_t *out, hipGraph_t g, const hipGraphNode_t *on, size_t n,
                      hipError_t e, struct hipGraphNode *made) {
	if (e != hipSuccess)
		return e;
	if (out && mx_is_graph(g))
		return mx_graph_append(g, made, on, n, out);
	mx_node_clear(made);
	return mx_hip_return(hipErrorInvalidValue);
}

static hipError_t set(struct hipGraphNode *node, hipError_t e, struct hipGraphNode *made) {
	if (e != hipSuccess)
		return e;
	if (!node || !mx_is_graph_node(node) || node->type != made->type) {
		mx_node_clear(made);
		return mx_hip_return(hipErrorInvalidValue);
	}
	struct hipGraphNode old = *node;
	*node = *made;
	node->id = old.id;
	node->origin = old.origin;
	node->origin_id = old.origin_id;
	node->graph = old.graph;
	node->disabled = old.disabled;
	node->kernel.attributes = old.kernel.attributes;
	node->kernel.shape.cooperative |= old.kernel.shape.cooperative;
	node->n_before = old.n_before;
	node->before = old.before;
	old.before = NULL;
	mx_node_clear(&old);
	return mx_hip_return(hipSuccess);
}

/* The node of an executable graph; NULL if there is none. */
static struct hipGraphNode *in(hipGraphExec_t exec, hipGraphNode_t original) {
	return mx_is_graph_exec(exec) ? mx_graph_copy_of(&exec->graph, original) : NULL;
}

/* Sets a node of an executable graph. */
static hipError_t reset(hipGraphExec_t exec, hipGraphNode_t original, hipError_t e,
                        struct hipGraphNode *made) {
	struct hipGraphNode *node = in(exec, original);
	if (e == hipSuccess && node && node->type == made->type && !mx_node_is_like(node, made)) {
		mx_node_clear(made);
		return mx_hip_fail(hipErrorInvalidValue,
		                   "another kind of copy, device or size than the node's");
	}
	return set(node, e, made);
}

/* The same for nodes whose copy keeps its devices, too. */
static hipError_t reset_in_place(hipGraphExec_t exec, hipGraphNode_t original, hipError_t e,
                                 struct hipGraphNode *made) {
	const struct hipGraphNode *node = in(exec, original);
	if (e == hipSuccess && node &&
	    (!mx_is_on_one_device(node->copy.to, made->copy.to) ||
	     !mx_is_on_one_device(node->copy.from, made->copy.from))) {
		mx_node_clear(made);
		return mx_hip_fail(hipErrorInvalidValue, "memory of another device");
	}
	return reset(exec, original, e, made);
}

static bool is(hipGraphNode_t node, hipGraphNodeType type) {
	return mx_is_graph_node(node) && node->type == type;
}

/* ---- kernels ---- */

hipError_t mx_graph_kernel_node(struct hipGraphNode *node, const struct mx_function *f,
                                const struct mx_shape *s, void **params, void **extra) {
	*node = (struct hipGraphNode){ .type = hipGraphNodeTypeKernel };
	node->kernel.given = (void *)f;
	node->kernel.function = f;
	node->kernel.shape = *s;
	hipError_t e = mx_launch_check(f, s);
	return e == hipSuccess ? mx_arguments_copy(f, params, extra, &node->kernel.arguments) : e;
}

/* A node's function is a host symbol or a function of a module. */
static hipError_t kernel(struct hipGraphNode *node, const hipKernelNodeParams *p) {
	const struct mx_function *f;
	if (!p || !p->func)
		return mx_hip_return(hipErrorInvalidValue);
	struct mx_shape s = { { p->gridDim.x, p->gridDim.y, p->gridDim.z },
		              { p->blockDim.x, p->blockDim.y, p->blockDim.z },
		              { 0 },
		              p->sharedMemBytes,
		              false };
	if (mx_function_of(p->func, mx_device(), &f) == hipErrorInvalidDeviceFunction) {
		hipGetLastError();
		f = p->func;
	}
	hipError_t e = mx_graph_kernel_node(node, f, &s, p->kernelParams, p->extra);
	node->kernel.given = p->func;
	return e;
}

MXHIP_API hipError_t hipGraphAddKernelNode(hipGraphNode_t *out, hipGraph_t g,
                                           const hipGraphNode_t *on, size_t n,
                                           const hipKernelNodeParams *p) {
	struct hipGraphNode made;
	return add(out, g, on, n, kernel(&made, p), &made);
}

MXHIP_API hipError_t hipGraphKernelNodeSetParams(hipGraphNode_t node,
                                                 const hipKernelNodeParams *p) {
	struct hipGraphNode made;
	return set(node, kernel(&made, p), &made);
}

MXHIP_API hipError_t hipGraphExecKernelNodeSetParams(hipGraphExec_t exec, hipGraphNode_t node,
                                                     const hipKernelNodeParams *p) {
	struct hipGraphNode made;
	return reset(exec, node, kernel(&made, p), &made);
}

/* The arguments are the node's own; there are none for arguments in the packed form. */
MXHIP_API hipError_t hipGraphKernelNodeGetParams(hipGraphNode_t node, hipKernelNodeParams *p) {
	if (!p || !is(node, hipGraphNodeTypeKernel))
		return mx_hip_return(hipErrorInvalidValue);
	const struct mx_shape *s = &node->kernel.shape;
	*p = (hipKernelNodeParams){
		.blockDim = { s->block[0], s->block[1], s->block[2] },
		.gridDim = { s->grid[0], s->grid[1], s->grid[2] },
		.func = node->kernel.given,
		.kernelParams = node->kernel.arguments.params,
		.sharedMemBytes = s->dynamic_lds,
	};
	return mx_hip_return(hipSuccess);
}

/* Attributes of launches. One of a node is set at a time, as in AMD's runtime. The window of
 * accesses that stay in the cache is kept and returned, and has no effect. */

enum { /* hipLaunchAttributeID of HIP 7 */
       ATTRIBUTE_WINDOW = 1,
       ATTRIBUTE_COOPERATIVE = 2,
       ATTRIBUTE_PRIORITY = 8,
       MOST_BYTES = 0, /* of a window: hipDeviceAttributeAccessPolicyMaxWindowSize */
};

static bool is_attribute(int id) {
	return id == ATTRIBUTE_WINDOW || id == ATTRIBUTE_COOPERATIVE || id == ATTRIBUTE_PRIORITY;
}

static bool is_window(const hipAccessPolicyWindow *w) {
	return w->hitRatio >= 0 && w->hitRatio <= 1 && w->num_bytes <= MOST_BYTES &&
	       w->missProp != hipAccessPropertyPersisting;
}

MXHIP_API hipError_t hipGraphKernelNodeSetAttribute(hipGraphNode_t node, hipKernelNodeAttrID id,
                                                    const hipKernelNodeAttrValue *value) {
	bool good = value && is(node, hipGraphNodeTypeKernel) &&
	            ((int)id == ATTRIBUTE_COOPERATIVE ||
	             ((int)id == ATTRIBUTE_WINDOW && is_window(&value->accessPolicyWindow)));
	if (!good)
		return mx_hip_return(hipErrorInvalidValue);
	node->kernel.attributes.set = (int)id;
	node->kernel.attributes.value = *value;
	if ((int)id == ATTRIBUTE_COOPERATIVE)
		node->kernel.shape.cooperative = value->cooperative;
	return mx_hip_return(hipSuccess);
}

MXHIP_API hipError_t hipGraphKernelNodeGetAttribute(hipGraphNode_t node, hipKernelNodeAttrID id,
                                                    hipKernelNodeAttrValue *value) {
	if (!value || !is(node, hipGraphNodeTypeKernel) || !is_attribute((int)id))
		return mx_hip_return(hipErrorInvalidValue);
	int set = node->kernel.attributes.set;
	if (set && set != (int)id)
		return mx_hip_fail(hipErrorInvalidValue, "the node has attribute %d", set);
	*value = node->kernel.attributes.value;
	if (!set && (int)id == ATTRIBUTE_COOPERATIVE)
		value->cooperative = node->kernel.shape.cooperative;
	return mx_hip_return(hipSuccess);
}

MXHIP_API hipError_t hipGraphKernelNodeCopyAttributes(hipGraphNode_t from, hipGraphNode_t to);
MXHIP_API hipError_t hipGraphKernelNodeCopyAttributes(hipGraphNode_t from, hipGraphNode_t to) {
	if (!is(from, hipGraphNodeTypeKernel) || !is(to, hipGraphNodeTypeKernel))
		return mx_hip_return(hipErrorInvalidValue);
	int set = to->kernel.attributes.set;
	if (set && set != from->kernel.attributes.set)
		return mx_hip_fail(hipErrorInvalidContext, "the node has attribute %d", set);
	to->kernel.attributes = from->kernel.attributes;
	to->kernel.shape.cooperative = from->kernel.shape.cooperative;
	return mx_hip_return(hipSuccess);
}

/* ---- copies ---- */

static hipError_t copy(struct hipGraphNode *node, void *to, const void *from, size_t bytes,
                       hipMemcpyKind kind) {
	*node = (struct hipGraphNode){
		.type = hipGraphNodeTypeMemcpy,
		.copy = { .to = to, .from = from, .bytes = bytes, .rows = 1, .kind = kind },
		.box = { .srcPtr = { (void *)from, bytes, bytes, 1 },
		         .dstPtr = { to, bytes, bytes, 1 },
		         .extent = { bytes, 1, 1 },
		         .kind = kind },
	};
	return mx_hip_copy_check(&node->copy);
}

MXHIP_API hipError_t hipGraphAddMemcpyNode1D(hipGraphNode_t *out, hipGraph_t g,
                                             const hipGraphNode_t *on, size_t n, void *to,
                                             const void *from, size_t bytes, hipMemcpyKind kind) {
	struct hipGraphNode made;
	return add(out, g, on, n, copy(&made, to, from, bytes, kind), &made);
}

/* A copy that is added may have no bytes, or be to its source, one that is set has some, from
 * another place, as in AMD's runtime. */
static hipError_t some(struct hipGraphNode *node, void *to, const void *from, size_t bytes,
                       hipMemcpyKind kind) {
	return bytes && to != from ? copy(node, to, from, bytes, kind)
	                           : mx_hip_return(hipErrorInvalidValue);
}

MXHIP_API hipError_t hipGraphMemcpyNodeSetParams1D(hipGraphNode_t node, void *to, const void *from,
                                                   size_t bytes, hipMemcpyKind kind) {
	struct hipGraphNode made;
	return set(node, some(&made, to, from, bytes, kind), &made);
}

MXHIP_API hipError_t hipGraphExecMemcpyNodeSetParams1D(hipGraphExec_t exec, hipGraphNode_t node,
                                                       void *to, const void *from, size_t bytes,
                                                       hipMemcpyKind kind) {
	struct hipGraphNode made;
	return reset(exec, node, some(&made, to, from, bytes, kind), &made);
}

/* ---- copies to and from a variable ---- */

static hipError_t to_symbol(struct hipGraphNode *node, const void *symbol, const void *from,
                            size_t bytes, size_t offset, hipMemcpyKind kind) {
	uint8_t *p;
	hipError_t e = mx_part_of_variable(symbol, offset, bytes, kind, hipMemcpyDeviceToHost, &p);
	return e == hipSuccess ? copy(node, p, from, bytes, kind) : e;
}

static hipError_t from_symbol(struct hipGraphNode *node, void *to, const void *symbol, size_t bytes,
                              size_t offset, hipMemcpyKind kind) {
	uint8_t *p;
	hipError_t e = mx_part_of_variable(symbol, offset, bytes, kind, hipMemcpyHostToDevice, &p);
	return e == hipSuccess ? copy(node, to, p, bytes, kind) : e;
}

/* A copy that is set has some bytes, and is not from one place of the device to another one if the
 * end that is no variable is memory of the host, as in AMD's runtime. */
static hipError_t settable(hipError_t e, const void *other, size_t bytes, hipMemcpyKind kind) {
	if (e == hipSuccess &&
	    (!bytes || (kind == hipMemcpyDeviceToDevice && !mx_hip_is_allocation(other, 1))))
		return mx_hip_return(hipErrorInvalidValue);
	return e;
}

/* other: the end of the copy that is no variable. */
#define SYMBOL_NODE(Way, make, to_type, from_type, other)                                          \
	MXHIP_API hipError_t hipGraphAddMemcpyNode##Way(                                           \
		hipGraphNode_t *out, hipGraph_t g, const hipGraphNode_t *on, size_t n, to_type to, \
		from_type from, size_t bytes, size_t offset, hipMemcpyKind kind) {                 \
		struct hipGraphNode made;                                                          \
		return add(out, g, on, n, make(&made, to, from, bytes, offset, kind), &made);      \
	}                                                                                          \
	MXHIP_API hipError_t hipGraphMemcpyNodeSetParams##Way(hipGraphNode_t node, to_type to,     \
	                                                      from_type from, size_t bytes,        \
	                                                      size_t offset, hipMemcpyKind kind) { \
		struct hipGraphNode made;                                                          \
		hipError_t e = make(&made, to, from, bytes, offset, kind);                         \
		return set(node, settable(e, other, bytes, kind), &made);                          \
	}                                                                                          \
	MXHIP_API hipError_t hipGraphExecMemcpyNodeSetParams##Way(                                 \
		hipGraphExec_t exec, hipGraphNode_t node, to_type to, from_type from,              \
		size_t bytes, size_t offset, hipMemcpyKind kind) {                                 \
		struct hipGraphNode made;                                                          \
		hipError_t e = make(&made, to, from, bytes, offset, kind);                         \
		return reset_in_place(exec, node, settable(e, other, bytes, kind), &made);         \
	}
SYMBOL_NODE(ToSymbol, to_symbol, const void *, const void *, from)
SYMBOL_NODE(FromSymbol, from_symbol, void *, const void *, to)
#undef SYMBOL_NODE

/* ---- kinds of node with one structure of parameters ---- */

static hipError_t box(struct hipGraphNode *node, const hipMemcpy3DParms *p) {
	*node = (struct hipGraphNode){ .type = hipGraphNodeTypeMemcpy };
	hipError_t e = mx_hip_copy_of_box(p, &node->copy);
	if (e != hipSuccess)
		return e;
	node->box = *p;
	return node->copy.bytes ? mx_hip_copy_check(&node->copy)
	                        : mx_hip_return(hipErrorInvalidValue);
}

static hipError_t memory_set(struct hipGraphNode *node, const hipMemsetParams *p) {
	bool good = p && (p->elementSize == 1 || p->elementSize == 2 || p->elementSize == 4);
	if (!good || !p->width || !p->height ||
	    (p->height > 1 && p->pitch < p->width * p->elementSize))
		return mx_hip_return(hipErrorInvalidValue);
	*node = (struct hipGraphNode){ .type = hipGraphNodeTypeMemset, .set = *p };
	return mx_hip_set_check(p);
}

static hipError_t host(struct hipGraphNode *node, const hipHostNodeParams *p) {
	if (!p || !p->fn)
		return mx_hip_return(hipErrorInvalidValue);
	*node = (struct hipGraphNode){ .type = hipGraphNodeTypeHost, .host = *p };
	return hipSuccess;
}

/* Values that are written, or for which the launch waits, in their order. */
static hipError_t values(struct hipGraphNode *node, const hipBatchMemOpNodeParams *p) {
	struct hipGraphNode value;
	hipGraphNode_t last;
	if (!p || !p->ctx || !p->paramArray || !p->count || p->count > MX_MOST_OPERATIONS ||
	    p->flags)
		return mx_hip_return(hipErrorInvalidValue);
	*node = (struct hipGraphNode){ .type = hipGraphNodeTypeBatchMemOp,
		                       .child = calloc(1, sizeof *node->child),
		                       .batch = *p };
	hipError_t e = mx_hip_return(node->child ? hipSuccess : hipErrorOutOfMemory);
	for (unsigned i = 0; e == hipSuccess && i < p->count; i++) {
		e = mx_graph_value_node(&value, &p->paramArray[i]);
		if (e == hipSuccess)
			e = mx_graph_append(node->child, &value, i ? &last : NULL, i > 0, &last);
	}
	if (e != hipSuccess)
		mx_node_clear(node);
	return e;
}

/* make: makes a node of the parameters, which it keeps in `member`. HIP has them const or not. */
#define PARAMETERS(Kind, node_type, params_type, exec_type, make, member)                          \
	MXHIP_API hipError_t hipGraphAdd##Kind(hipGraphNode_t *out, hipGraph_t g,                  \
	                                       const hipGraphNode_t *on, size_t n,                 \
	                                       const params_type *p) {                             \
		struct hipGraphNode made;                                                          \
		return add(out, g, on, n, make(&made, p), &made);                                  \
	}                                                                                          \
	MXHIP_API hipError_t hipGraph##Kind##SetParams(hipGraphNode_t node,                        \
	                                               const params_type *p) {                     \
		struct hipGraphNode made;                                                          \
		return set(node, make(&made, p), &made);                                           \
	}                                                                                          \
	MXHIP_API hipError_t hipGraphExec##Kind##SetParams(hipGraphExec_t exec,                    \
	                                                   hipGraphNode_t node, exec_type *p) {    \
		struct hipGraphNode made;                                                          \
		return reset_in_place(exec, node, make(&made, p), &made);                          \
	}                                                                                          \
	MXHIP_API hipError_t hipGraph##Kind##GetParams(hipGraphNode_t node, params_type *p) {      \
		if (!p || !is(node, node_type))                                                    \
			return mx_hip_return(hipErrorInvalidValue);                                \
		*p = node->member;                                                                 \
		return mx_hip_return(hipSuccess);                                                  \
	}
PARAMETERS(MemcpyNode, hipGraphNodeTypeMemcpy, hipMemcpy3DParms, hipMemcpy3DParms, box, box)
PARAMETERS(MemsetNode, hipGraphNodeTypeMemset, hipMemsetParams, const hipMemsetParams, memory_set,
           set)
PARAMETERS(BatchMemOpNode, hipGraphNodeTypeBatchMemOp, hipBatchMemOpNodeParams,
           const hipBatchMemOpNodeParams, values, batch)
PARAMETERS(HostNode, hipGraphNodeTypeHost, hipHostNodeParams, const hipHostNodeParams, host, host)
#undef PARAMETERS

/* ---- the driver API ---- */

/* A copy keeps the form in which it was given. */
static hipError_t driver_box(struct hipGraphNode *node, const HIP_MEMCPY3D *d) {
	hipMemcpy3DParms p;
	hipError_t e = mx_hip_box_of(d, &p);
	if (e == hipSuccess)
		e = box(node, &p);
	if (e == hipSuccess)
		node->driver_box = *d;
	return e;
}

MXHIP_API hipError_t hipDrvGraphAddMemcpyNode(hipGraphNode_t *out, hipGraph_t g,
                                              const hipGraphNode_t *on, size_t n,
                                              const HIP_MEMCPY3D *d, hipCtx_t context) {
	struct hipGraphNode made;
	return context ? add(out, g, on, n, driver_box(&made, d), &made)
	               : mx_hip_return(hipErrorInvalidValue);
}

MXHIP_API hipError_t hipDrvGraphMemcpyNodeSetParams(hipGraphNode_t node, const HIP_MEMCPY3D *d) {
	struct hipGraphNode made;
	return set(node, driver_box(&made, d), &made);
}

MXHIP_API hipError_t hipDrvGraphExecMemcpyNodeSetParams(hipGraphExec_t exec, hipGraphNode_t node,
                                                        const HIP_MEMCPY3D *d, hipCtx_t context) {
	struct hipGraphNode made;
	(void)context;
	return reset_in_place(exec, node, driver_box(&made, d), &made);
}

MXHIP_API hipError_t hipDrvGraphMemcpyNodeGetParams(hipGraphNode_t node, HIP_MEMCPY3D *d) {
	if (!d || !is(node, hipGraphNodeTypeMemcpy) || !node->driver_box.WidthInBytes)
		return mx_hip_return(hipErrorInvalidValue);
	*d = node->driver_box;
	return mx_hip_return(hipSuccess);
}

MXHIP_API hipError_t hipDrvGraphAddMemsetNode(hipGraphNode_t *out, hipGraph_t g,
                                              const hipGraphNode_t *on, size_t n,
                                              const hipMemsetParams *p, hipCtx_t context) {
	return context ? hipGraphAddMemsetNode(out, g, on, n, p)
	               : mx_hip_return(hipErrorInvalidValue);
}

MXHIP_API hipError_t hipDrvGraphExecMemsetNodeSetParams(hipGraphExec_t exec, hipGraphNode_t node,
                                                        const hipMemsetParams *p,
                                                        hipCtx_t context) {
	(void)context;
	return hipGraphExecMemsetNodeSetParams(exec, node, p);
}

/* ---- events ---- */

static hipError_t event(struct hipGraphNode *node, hipGraphNodeType type, hipEvent_t e) {
	*node = (struct hipGraphNode){ .type = type, .event = e };
	return mx_hip_return(mx_handle_is(MX_EVENT, e) ? hipSuccess : hipErrorInvalidValue);
}

static hipError_t get_event(hipGraphNode_t node, hipGraphNodeType type, hipEvent_t *e) {
	if (!e || !is(node, type))
		return mx_hip_return(hipErrorInvalidValue);
	*e = node->event;
	return mx_hip_return(hipSuccess);
}

#define EVENT_NODE(Kind, type)                                                                     \
	MXHIP_API hipError_t hipGraphAdd##Kind(hipGraphNode_t *out, hipGraph_t g,                  \
	                                       const hipGraphNode_t *on, size_t n, hipEvent_t e) { \
		struct hipGraphNode made;                                                          \
		return add(out, g, on, n, event(&made, type, e), &made);                           \
	}                                                                                          \
	MXHIP_API hipError_t hipGraph##Kind##SetEvent(hipGraphNode_t node, hipEvent_t e) {         \
		struct hipGraphNode made;                                                          \
		return set(node, event(&made, type, e), &made);                                    \
	}                                                                                          \
	MXHIP_API hipError_t hipGraphExec##Kind##SetEvent(hipGraphExec_t exec,                     \
	                                                  hipGraphNode_t node, hipEvent_t e) {     \
		struct hipGraphNode made;                                                          \
		return reset(exec, node, event(&made, type, e), &made);                            \
	}                                                                                          \
	MXHIP_API hipError_t hipGraph##Kind##GetEvent(hipGraphNode_t node, hipEvent_t *e) {        \
		return get_event(node, type, e);                                                   \
	}
EVENT_NODE(EventRecordNode, hipGraphNodeTypeEventRecord)
EVENT_NODE(EventWaitNode, hipGraphNodeTypeWaitEvent)
#undef EVENT_NODE

/* ---- graphs, and nothing ---- */

static hipError_t child(struct hipGraphNode *node, hipGraph_t g) {
	return mx_is_graph(g) ? mx_graph_child_node(node, g) : mx_hip_return(hipErrorInvalidValue);
}

MXHIP_API hipError_t hipGraphAddChildGraphNode(hipGraphNode_t *out, hipGraph_t g,
                                               const hipGraphNode_t *on, size_t n, hipGraph_t c) {
	struct hipGraphNode made;
	return add(out, g, on, n, child(&made, c), &made);
}

MXHIP_API hipError_t hipGraphExecChildGraphNodeSetParams(hipGraphExec_t exec, hipGraphNode_t node,
                                                         hipGraph_t c) {
	struct hipGraphNode made;
	const struct hipGraphNode *old = in(exec, node), *other;
	bool known = old && old->type == hipGraphNodeTypeGraph && mx_is_graph(c);
	if (known && mx_graph_difference(old->child, c, &other) != hipGraphExecUpdateSuccess)
		return mx_hip_fail(hipErrorUnknown, "a graph of another form than the node's");
	return reset(exec, node, child(&made, c), &made);
}

/* The node has the graph: the program may read and change it, and may not destroy it. */
MXHIP_API hipError_t hipGraphChildGraphNodeGetGraph(hipGraphNode_t node, hipGraph_t *g) {
	if (!g || !is(node, hipGraphNodeTypeGraph))
		return mx_hip_return(hipErrorInvalidValue);
	bool known = mx_is_graph(node->child) || mx_handle_add(MX_GRAPH, node->child);
	node->child->is_child = known;
	*g = known ? node->child : NULL;
	return mx_hip_return(known ? hipSuccess : hipErrorOutOfMemory);
}

MXHIP_API hipError_t hipGraphAddEmptyNode(hipGraphNode_t *out, hipGraph_t g,
                                          const hipGraphNode_t *on, size_t n) {
	struct hipGraphNode made = { .type = hipGraphNodeTypeEmpty };
	return add(out, g, on, n, hipSuccess, &made);
}

/* ---- memory ---- */

hipError_t mx_graph_alloc_node(struct hipGraphNode *node, hipMemAllocNodeParams *p) {
	if (!p)
		return mx_hip_return(hipErrorInvalidValue);
	const hipMemPoolProps *of = &p->poolProps;
	bool good = p->bytesize && of->allocType == hipMemAllocationTypePinned &&
	            of->location.type == hipMemLocationTypeDevice && of->location.id >= 0 &&
	            of->location.id < mx_devices();
	p->dptr = good ? mx_pool_reserve(of->location.id, p->bytesize) : NULL;
	*node = (struct hipGraphNode){ .type = hipGraphNodeTypeMemAlloc, .alloc = *p };
	if (!good)
		return mx_hip_return(hipErrorInvalidValue);
	return mx_hip_return(p->dptr ? hipSuccess : hipErrorOutOfMemory);
}

/* One node frees what one node allocates, in the same graph or in another one. */
hipError_t mx_graph_free_node(struct hipGraphNode *node, void *p) {
	struct mx_allocation a;
	*node = (struct hipGraphNode){ .type = hipGraphNodeTypeMemFree, .free = p };
	if (mx_hip_about(p, &a) && a.kind == MX_GRAPH_MEMORY && a.base == p && !a.graph.has_free)
		return hipSuccess;
	return mx_hip_fail(hipErrorInvalidValue,
	                   "%p is no memory of a graph, or a node frees it already", p);
}

MXHIP_API hipError_t hipGraphAddMemAllocNode(hipGraphNode_t *out, hipGraph_t g,
                                             const hipGraphNode_t *on, size_t n,
                                             hipMemAllocNodeParams *p) {
	struct hipGraphNode made;
	return add(out, g, on, n, mx_graph_alloc_node(&made, p), &made);
}

MXHIP_API hipError_t hipGraphMemAllocNodeGetParams(hipGraphNode_t node, hipMemAllocNodeParams *p) {
	if (!p || !is(node, hipGraphNodeTypeMemAlloc))
		return mx_hip_return(hipErrorInvalidValue);
	*p = node->alloc;
	return mx_hip_return(hipSuccess);
}

MXHIP_API hipError_t hipGraphAddMemFreeNode(hipGraphNode_t *out, hipGraph_t g,
                                            const hipGraphNode_t *on, size_t n, void *p) {
	struct hipGraphNode made;
	if (on && !n)
		return mx_hip_return(hipErrorInvalidValue);
	return add(out, g, on, n, mx_graph_free_node(&made, p), &made);
}

MXHIP_API hipError_t hipDrvGraphAddMemFreeNode(hipGraphNode_t *out, hipGraph_t g,
                                               const hipGraphNode_t *on, size_t n,
                                               hipDeviceptr_t p) {
	return hipGraphAddMemFreeNode(out, g, on, n, p);
}

/* p: of a pointer. */
MXHIP_API hipError_t hipGraphMemFreeNodeGetParams(hipGraphNode_t node, void *p) {
	if (!p || !is(node, hipGraphNodeTypeMemFree))
		return mx_hip_return(hipErrorInvalidValue);
	memcpy(p, &node->free, sizeof node->free);
	return mx_hip_return(hipSuccess);
}

/* ---- nodes of any kind, with one structure for the parameters of all ---- */

static hipError_t any(struct hipGraphNode *node, hipGraphNodeParams *p) {
	if (!p)
		return mx_hip_return(hipErrorInvalidValue);
	switch ((int)p->type) {
	case hipGraphNodeTypeKernel: return kernel(node, &p->kernel);
	case hipGraphNodeTypeMemcpy: return box(node, &p->memcpy.copyParams);
	case hipGraphNodeTypeMemset: return memory_set(node, &p->memset);
	case hipGraphNodeTypeHost: return host(node, &p->host);
	case hipGraphNodeTypeGraph: return child(node, p->graph.graph);
	case hipGraphNodeTypeEmpty:
		*node = (struct hipGraphNode){ .type = hipGraphNodeTypeEmpty };
		return hipSuccess;
	case hipGraphNodeTypeWaitEvent: return event(node, p->type, p->eventWait.event);
	case hipGraphNodeTypeEventRecord: return event(node, p->type, p->eventRecord.event);
	case hipGraphNodeTypeMemAlloc: return mx_graph_alloc_node(node, &p->alloc);
	case hipGraphNodeTypeMemFree: return mx_graph_free_node(node, p->free.dptr);
	case hipGraphNodeTypeExtSemaphoreSignal:
	case hipGraphNodeTypeExtSemaphoreWait:
		return mx_hip_fail(hipErrorNotSupported, "a semaphore of another API");
	default: return mx_hip_fail(hipErrorInvalidValue, "a node of type %d", (int)p->type);
	}
}

MXHIP_API hipError_t hipGraphAddNode(hipGraphNode_t *out, hipGraph_t g, const hipGraphNode_t *on,
                                     size_t n, hipGraphNodeParams *p) {
	struct hipGraphNode made;
	return add(out, g, on, n, any(&made, p), &made);
}

/* Nodes of memory stay as they are. */
static hipError_t changed(struct hipGraphNode *node, hipGraphNodeParams *p) {
	bool memory =
		p && (p->type == hipGraphNodeTypeMemAlloc || p->type == hipGraphNodeTypeMemFree);
	return memory ? mx_hip_fail(hipErrorNotSupported, "a change of a node of memory")
	              : any(node, p);
}

MXHIP_API hipError_t hipGraphNodeSetParams(hipGraphNode_t node, hipGraphNodeParams *p) {
	struct hipGraphNode made;
	return set(node, changed(&made, p), &made);
}

MXHIP_API hipError_t hipGraphExecNodeSetParams(hipGraphExec_t exec, hipGraphNode_t node,
                                               hipGraphNodeParams *p) {
	struct hipGraphNode made;
	return reset(exec, node, changed(&made, p), &made);
}

/* ---- nodes that do not run ---- */

static bool may_rest(const struct hipGraphNode *node) {
	return node->type == hipGraphNodeTypeKernel || node->type == hipGraphNodeTypeMemcpy ||
	       node->type == hipGraphNodeTypeMemset;
}

MXHIP_API hipError_t hipGraphNodeSetEnabled(hipGraphExec_t exec, hipGraphNode_t node,
                                            unsigned enabled);
MXHIP_API hipError_t hipGraphNodeSetEnabled(hipGraphExec_t exec, hipGraphNode_t node,
                                            unsigned enabled) {
	struct hipGraphNode *found = in(exec, node);
	bool can = found && may_rest(found);
	if (can)
		found->disabled = !enabled;
	return mx_hip_return(can ? hipSuccess : hipErrorInvalidValue);
}

MXHIP_API hipError_t hipGraphNodeGetEnabled(hipGraphExec_t exec, hipGraphNode_t node,
                                            unsigned *enabled);
MXHIP_API hipError_t hipGraphNodeGetEnabled(hipGraphExec_t exec, hipGraphNode_t node,
                                            unsigned *enabled) {
	const struct hipGraphNode *found = in(exec, node);
	if (!found || !enabled || !may_rest(found))
		return mx_hip_return(hipErrorInvalidValue);
	*enabled = !found->disabled;
	return mx_hip_return(hipSuccess);
}
