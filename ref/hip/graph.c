/* Graphs: work that is built once and launched many times. The nodes of a graph run one after the
 * other, in the order of their dependencies. */
#include <stdlib.h>
#include <string.h>

#include "queue.h"

/* ---- nodes ---- */

static void clear_graph(struct ihipGraph *g);

void mx_node_clear(struct hipGraphNode *node) {
	mx_arguments_free(&node->kernel.arguments);
	if (node->child) {
		clear_graph(node->child);
		free(node->child);
	}
	free(node->copy.staged);
	free(node->before);
}

static void free_node(struct hipGraphNode *node) {
	mx_handle_remove(MX_GRAPH_NODE, node);
	mx_node_clear(node);
	free(node);
}

static void clear_graph(struct ihipGraph *g) {
	for (size_t i = 0; i < g->n; i++)
		free_node(g->nodes[i]);
	free(g->nodes);
	*g = (struct ihipGraph){ 0 };
}

bool mx_is_graph(hipGraph_t g) {
	return mx_handle_is(MX_GRAPH, g);
}

bool mx_is_graph_node(hipGraphNode_t node) {
	return mx_handle_is(MX_GRAPH_NODE, node);
}

bool mx_is_graph_exec(hipGraphExec_t exec) {
	return mx_handle_is(MX_GRAPH_EXEC, exec);
}

static size_t position(const struct ihipGraph *g, const struct hipGraphNode *node) {
	size_t i = 0;
	while (i < g->n && g->nodes[i] != node)
		i++;
	return i;
}

static hipError_t depend(struct hipGraphNode *node, size_t on) {
	size_t *grown = realloc(node->before, (node->n_before + 1) * sizeof *grown);
	if (!grown)
		return mx_hip_return(hipErrorOutOfMemory);
	node->before = grown;
	grown[node->n_before++] = on;
	return hipSuccess;
}

static hipError_t depend_on_all(struct ihipGraph *g, struct hipGraphNode *node,
                                const hipGraphNode_t *on, size_t n) {
	hipError_t e = hipSuccess;
	for (size_t i = 0; e == hipSuccess && i < n; i++) {
		size_t at = on ? position(g, on[i]) : g->n;
		e = at < g->n ? depend(node, at)
		              : mx_hip_fail(hipErrorInvalidValue, "a dependency of no node");
	}
	return e;
}

/* Appends a copy of a node. The graph takes ownership of what the node points to. */
hipError_t mx_graph_append(struct ihipGraph *g, const struct hipGraphNode *node,
                           const hipGraphNode_t *on, size_t n, hipGraphNode_t *out) {
	struct hipGraphNode *copy = malloc(sizeof *copy), **grown = NULL;
	hipError_t e = copy ? hipSuccess : mx_hip_return(hipErrorOutOfMemory);
	if (copy) {
		*copy = *node;
		e = depend_on_all(g, copy, on, n);
	}
	if (e == hipSuccess && (!(grown = realloc(g->nodes, (g->n + 1) * sizeof *grown)) ||
	                        !mx_handle_add(MX_GRAPH_NODE, copy)))
		e = mx_hip_return(hipErrorOutOfMemory);
	if (grown)
		g->nodes = grown;
	if (e != hipSuccess) {
		if (copy)
			free_node(copy);
		return e;
	}
	g->nodes[g->n++] = copy;
	if (out)
		*out = copy;
	return mx_hip_return(hipSuccess);
}

static hipError_t copy_graph(struct ihipGraph *to, const struct ihipGraph *from);

/* A copy with arguments, dependencies and child of its own. */
static hipError_t copy_node(struct hipGraphNode *to, const struct hipGraphNode *from) {
	const struct mx_arguments *a = &from->kernel.arguments;
	void *extra[5];
	hipError_t e = hipSuccess;
	*to = *from;
	to->origin = from;
	to->kernel.arguments = (struct mx_arguments){ 0 };
	to->n_before = 0;
	to->before = NULL;
	to->child = NULL;
	if (from->type == hipGraphNodeTypeKernel)
		e = mx_launch_check(from->kernel.function, &from->kernel.shape);
	if (e == hipSuccess && from->type == hipGraphNodeTypeKernel) {
		mx_arguments_packed(a, extra);
		e = mx_arguments_copy(from->kernel.function, a->params, a->params ? NULL : extra,
		                      &to->kernel.arguments);
	}
	if (e == hipSuccess && from->child) {
		to->child = calloc(1, sizeof *to->child);
		e = to->child ? copy_graph(to->child, from->child)
		              : mx_hip_return(hipErrorOutOfMemory);
	}
	return e;
}

/* ---- the order ---- */

static bool ready(const struct hipGraphNode *node, const bool *done) {
	for (size_t i = 0; i < node->n_before; i++)
		if (!done[node->before[i]])
			return false;
	return true;
}

/* The first node that is not done and has all its dependencies done; the number of nodes if none.
 */
static size_t first_ready(const struct ihipGraph *g, const bool *done) {
	size_t i = 0;
	while (i < g->n && (done[i] || !ready(g->nodes[i], done)))
		i++;
	return i;
}

/* Copies nodes in an order in which they can run. */
static hipError_t copy_graph(struct ihipGraph *to, const struct ihipGraph *from) {
	bool *done = calloc(from->n + 1, sizeof *done);
	hipError_t e = done ? hipSuccess : mx_hip_return(hipErrorOutOfMemory);
	for (size_t n = 0; e == hipSuccess && n < from->n; n++) {
		struct hipGraphNode copy;
		size_t i = first_ready(from, done);
		if (i == from->n) {
			e = mx_hip_fail(hipErrorInvalidValue, "nodes that depend on each other");
			break;
		}
		done[i] = true;
		e = copy_node(&copy, from->nodes[i]);
		if (e == hipSuccess)
			e = mx_graph_append(to, &copy, NULL, 0, NULL);
	}
	free(done);
	return e;
}

/* ---- running ---- */

static hipError_t run_kernel(const struct hipGraphNode *node) {
	const struct mx_arguments *a = &node->kernel.arguments;
	void *extra[5];
	mx_arguments_packed(a, extra);
	return mx_launch(node->kernel.function, &node->kernel.shape, a->params,
	                 a->params ? NULL : extra);
}

/* The error of earlier work goes to a callback, and stays for the next synchronising call. */
static void run_host(const struct hipGraphNode *node) {
	if (node->callback)
		node->callback(node->stream, mx_hip_deferred(), node->host.userData);
	else
		node->host.fn(node->host.userData);
}

static hipError_t run_graph(const struct ihipGraph *g) {
	hipError_t e = hipSuccess;
	for (size_t i = 0; e == hipSuccess && i < g->n; i++)
		e = mx_node_run(g->nodes[i]);
	return e;
}

hipError_t mx_node_run(const struct hipGraphNode *node) {
	switch ((int)node->type) {
	case hipGraphNodeTypeKernel: return run_kernel(node);
	case hipGraphNodeTypeMemcpy: return mx_hip_copy(&node->copy);
	case hipGraphNodeTypeMemset: return mx_hip_set(&node->set);
	case hipGraphNodeTypeHost: run_host(node); return hipSuccess;
	case hipGraphNodeTypeGraph: return run_graph(node->child);
	case hipGraphNodeTypeEventRecord: mx_queue_record(node->event); return hipSuccess;
	case hipGraphNodeTypeWaitEvent: mx_queue_finish_event(node->event); return hipSuccess;
	case MX_NODE_FREE:
		return mx_hip_release(node->free) ? hipSuccess
		                                  : mx_hip_return(hipErrorInvalidValue);
	case MX_NODE_WRITE: return mx_hip_value_write(&node->value);
	case MX_NODE_WAIT: mx_queue_wait_value(&node->value); return hipSuccess;
	default: return hipSuccess;
	}
}

/* ---- making nodes ---- */

hipError_t mx_graph_kernel_node(struct hipGraphNode *node, const struct mx_function *f,
                                const struct mx_shape *s, void **params, void **extra) {
	*node = (struct hipGraphNode){ .type = hipGraphNodeTypeKernel };
	node->kernel.function = f;
	node->kernel.shape = *s;
	hipError_t e = mx_launch_check(f, s);
	return e == hipSuccess ? mx_arguments_copy(f, params, extra, &node->kernel.arguments) : e;
}

/* A node's function is a host symbol or a function of a module. */
static hipError_t kernel_node_of(struct hipGraphNode *node, const hipKernelNodeParams *p) {
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
	return mx_graph_kernel_node(node, f, &s, p->kernelParams, p->extra);
}

MXHIP_API hipError_t hipGraphAddKernelNode(hipGraphNode_t *out, hipGraph_t g,
                                           const hipGraphNode_t *on, size_t n,
                                           const hipKernelNodeParams *p) {
	struct hipGraphNode node;
	if (!out || !mx_is_graph(g))
		return mx_hip_return(hipErrorInvalidValue);
	hipError_t e = kernel_node_of(&node, p);
	return e == hipSuccess ? mx_graph_append(g, &node, on, n, out) : e;
}

static hipError_t set_kernel_params(struct hipGraphNode *node, const hipKernelNodeParams *p) {
	struct hipGraphNode changed;
	if (!mx_is_graph_node(node) || node->type != hipGraphNodeTypeKernel)
		return mx_hip_return(hipErrorInvalidValue);
	hipError_t e = kernel_node_of(&changed, p);
	if (e != hipSuccess)
		return e;
	mx_arguments_free(&node->kernel.arguments);
	node->kernel = changed.kernel;
	return hipSuccess;
}

MXHIP_API hipError_t hipGraphKernelNodeSetParams(hipGraphNode_t node,
                                                 const hipKernelNodeParams *p) {
	return set_kernel_params(node, p);
}

MXHIP_API hipError_t hipGraphExecKernelNodeSetParams(hipGraphExec_t exec, hipGraphNode_t node,
                                                     const hipKernelNodeParams *p) {
	for (size_t i = 0; mx_is_graph_exec(exec) && i < exec->graph.n; i++)
		if (exec->graph.nodes[i]->origin == node)
			return set_kernel_params(exec->graph.nodes[i], p);
	return mx_hip_return(hipErrorInvalidValue);
}

MXHIP_API hipError_t hipGraphAddMemcpyNode1D(hipGraphNode_t *out, hipGraph_t g,
                                             const hipGraphNode_t *on, size_t n, void *to,
                                             const void *from, size_t bytes, hipMemcpyKind kind) {
	struct hipGraphNode node = {
		.type = hipGraphNodeTypeMemcpy,
		.copy = { .to = to, .from = from, .bytes = bytes, .rows = 1, .kind = kind }
	};
	return out && mx_is_graph(g) ? mx_graph_append(g, &node, on, n, out)
	                             : mx_hip_return(hipErrorInvalidValue);
}

MXHIP_API hipError_t hipGraphAddMemsetNode(hipGraphNode_t *out, hipGraph_t g,
                                           const hipGraphNode_t *on, size_t n,
                                           const hipMemsetParams *p) {
	bool good = out && mx_is_graph(g) && p &&
	            (p->elementSize == 1 || p->elementSize == 2 || p->elementSize == 4);
	struct hipGraphNode node = { .type = hipGraphNodeTypeMemset };
	if (!good)
		return mx_hip_return(hipErrorInvalidValue);
	node.set = *p;
	return mx_graph_append(g, &node, on, n, out);
}

MXHIP_API hipError_t hipGraphAddHostNode(hipGraphNode_t *out, hipGraph_t g,
                                         const hipGraphNode_t *on, size_t n,
                                         const hipHostNodeParams *p) {
	struct hipGraphNode node = { .type = hipGraphNodeTypeHost };
	if (!out || !mx_is_graph(g) || !p || !p->fn)
		return mx_hip_return(hipErrorInvalidValue);
	node.host = *p;
	return mx_graph_append(g, &node, on, n, out);
}

MXHIP_API hipError_t hipGraphAddEmptyNode(hipGraphNode_t *out, hipGraph_t g,
                                          const hipGraphNode_t *on, size_t n) {
	struct hipGraphNode node = { .type = hipGraphNodeTypeEmpty };
	return out && mx_is_graph(g) ? mx_graph_append(g, &node, on, n, out)
	                             : mx_hip_return(hipErrorInvalidValue);
}

static hipError_t event_node(hipGraphNode_t *out, hipGraph_t g, const hipGraphNode_t *on, size_t n,
                             hipGraphNodeType type, hipEvent_t event) {
	struct hipGraphNode node = { .type = type, .event = event };
	bool good = out && mx_is_graph(g) && mx_handle_is(MX_EVENT, event);
	return good ? mx_graph_append(g, &node, on, n, out) : mx_hip_return(hipErrorInvalidValue);
}

MXHIP_API hipError_t hipGraphAddEventRecordNode(hipGraphNode_t *out, hipGraph_t g,
                                                const hipGraphNode_t *on, size_t n,
                                                hipEvent_t event) {
	return event_node(out, g, on, n, hipGraphNodeTypeEventRecord, event);
}

MXHIP_API hipError_t hipGraphAddEventWaitNode(hipGraphNode_t *out, hipGraph_t g,
                                              const hipGraphNode_t *on, size_t n,
                                              hipEvent_t event) {
	return event_node(out, g, on, n, hipGraphNodeTypeWaitEvent, event);
}

hipError_t mx_graph_child_node(struct hipGraphNode *node, const struct ihipGraph *child) {
	*node = (struct hipGraphNode){ .type = hipGraphNodeTypeGraph,
		                       .child = calloc(1, sizeof *node->child) };
	if (!node->child)
		return mx_hip_return(hipErrorOutOfMemory);
	hipError_t e = copy_graph(node->child, child);
	if (e == hipSuccess)
		return e;
	clear_graph(node->child);
	free(node->child);
	return e;
}

MXHIP_API hipError_t hipGraphAddChildGraphNode(hipGraphNode_t *out, hipGraph_t g,
                                               const hipGraphNode_t *on, size_t n,
                                               hipGraph_t child) {
	struct hipGraphNode node;
	if (!out || !mx_is_graph(g) || !mx_is_graph(child))
		return mx_hip_return(hipErrorInvalidValue);
	hipError_t e = mx_graph_child_node(&node, child);
	return e == hipSuccess ? mx_graph_append(g, &node, on, n, out) : e;
}

MXHIP_API hipError_t hipGraphAddDependencies(hipGraph_t g, const hipGraphNode_t *from,
                                             const hipGraphNode_t *to, size_t n) {
	bool good = mx_is_graph(g) && (!n || (from && to));
	hipError_t e = mx_hip_return(good ? hipSuccess : hipErrorInvalidValue);
	for (size_t i = 0; e == hipSuccess && i < n; i++) {
		bool inside = position(g, to[i]) < g->n;
		e = inside ? depend_on_all(g, to[i], &from[i], 1)
		           : mx_hip_return(hipErrorInvalidValue);
	}
	return e;
}

/* ---- graphs ---- */

MXHIP_API hipError_t hipGraphCreate(hipGraph_t *g, unsigned flags) {
	if (!g || flags)
		return mx_hip_return(hipErrorInvalidValue);
	struct ihipGraph *made = calloc(1, sizeof *made);
	if (!made || !mx_handle_add(MX_GRAPH, made)) {
		free(made);
		return mx_hip_return(hipErrorOutOfMemory);
	}
	*g = made;
	return mx_hip_return(hipSuccess);
}

MXHIP_API hipError_t hipGraphDestroy(hipGraph_t g) {
	if (!g)
		return mx_hip_return(hipErrorInvalidValue);
	if (!mx_handle_remove(MX_GRAPH, g))
		return mx_hip_fail(hipErrorIllegalState, "%p is not a live graph", (void *)g);
	clear_graph(g);
	free(g);
	return mx_hip_return(hipSuccess);
}

MXHIP_API hipError_t hipGraphGetNodes(hipGraph_t g, hipGraphNode_t *nodes, size_t *n) {
	if (!mx_is_graph(g) || !n)
		return mx_hip_return(hipErrorInvalidValue);
	for (size_t i = 0; nodes && i < *n && i < g->n; i++)
		nodes[i] = g->nodes[i];
	*n = !nodes || *n > g->n ? g->n : *n;
	return mx_hip_return(hipSuccess);
}

MXHIP_API hipError_t hipGraphNodeGetType(hipGraphNode_t node, hipGraphNodeType *type) {
	if (!mx_is_graph_node(node) || !type)
		return mx_hip_return(hipErrorInvalidValue);
	*type = node->type;
	return mx_hip_return(hipSuccess);
}

static void free_exec(struct hipGraphExec *exec) {
	if (exec)
		clear_graph(&exec->graph);
	free(exec);
}

MXHIP_API hipError_t hipGraphInstantiateWithFlags(hipGraphExec_t *exec, hipGraph_t g,
                                                  unsigned long long flags) {
	(void)flags;
	if (!exec || !mx_is_graph(g))
		return mx_hip_return(hipErrorInvalidValue);
	*exec = NULL;
	struct hipGraphExec *made = calloc(1, sizeof *made);
	hipError_t e = made ? copy_graph(&made->graph, g) : mx_hip_return(hipErrorOutOfMemory);
	if (e == hipSuccess && !mx_handle_add(MX_GRAPH_EXEC, made))
		e = mx_hip_return(hipErrorOutOfMemory);
	if (e == hipSuccess)
		*exec = made;
	else
		free_exec(made);
	return e;
}

MXHIP_API hipError_t hipGraphInstantiate(hipGraphExec_t *exec, hipGraph_t g, hipGraphNode_t *error,
                                         char *log, size_t room) {
	if (error)
		*error = NULL;
	if (log && room)
		log[0] = 0;
	return hipGraphInstantiateWithFlags(exec, g, 0);
}

MXHIP_API hipError_t hipGraphExecDestroy(hipGraphExec_t exec) {
	if (!mx_handle_remove(MX_GRAPH_EXEC, exec))
		return mx_hip_return(hipErrorInvalidValue);
	free_exec(exec);
	return mx_hip_return(hipSuccess);
}
