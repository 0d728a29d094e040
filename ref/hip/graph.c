/* Graphs: work that is built once and launched many times. The nodes of a graph run one after the
 * other, in the order of their dependencies. */
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "queue.h"
#include "stream_races.h"
#include "watch.h"

/* ---- nodes ---- */

static void clear_graph(struct ihipGraph *g);

void mx_node_clear(struct hipGraphNode *node) {
	mx_arguments_free(&node->kernel.arguments);
	if (node->child) {
		mx_handle_remove(MX_GRAPH, node->child);
		clear_graph(node->child);
		free(node->child);
	}
	if (node->type == hipGraphNodeTypeMemAlloc)
		mx_hip_graph_step(node->alloc.dptr, MX_GRAPH_DROP);
	mx_stream_clock_free(&node->wait.clock);
	if (node->order.clock)
		mx_stream_clock_free(node->order.clock);
	free(node->order.clock);
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
	mx_references_release(g);
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

size_t mx_graph_position(const struct ihipGraph *g, const struct hipGraphNode *node) {
	size_t i = 0;
	while (i < g->n && g->nodes[i] != node)
		i++;
	return i;
}

/* A node depends once on another one. */
static hipError_t depend(struct hipGraphNode *node, size_t on) {
	for (size_t i = 0; i < node->n_before; i++)
		if (node->before[i] == on)
			return mx_hip_fail(hipErrorInvalidValue,
			                   "a dependency that is there already");
	size_t *grown = realloc(node->before, (node->n_before + 1) * sizeof *grown);
	if (!grown)
		return mx_hip_return(hipErrorOutOfMemory);
	node->before = grown;
	grown[node->n_before++] = on;
	return hipSuccess;
}

hipError_t mx_graph_depend(struct ihipGraph *g, struct hipGraphNode *node, const hipGraphNode_t *on,
                           size_t n) {
	hipError_t e = hipSuccess;
	for (size_t i = 0; e == hipSuccess && i < n; i++) {
		size_t at = on ? mx_graph_position(g, on[i]) : g->n;
		e = at < g->n && on[i] != node
		            ? depend(node, at)
		            : mx_hip_fail(hipErrorInvalidValue, "a dependency of no other node");
	}
	return e;
}

/* Appends a copy of a node. The graph takes ownership of what the node points to. */
hipError_t mx_graph_append(struct ihipGraph *g, const struct hipGraphNode *node,
                           const hipGraphNode_t *on, size_t n, hipGraphNode_t *out) {
	static atomic_ullong nodes;
	struct hipGraphNode *copy = malloc(sizeof *copy), **grown = NULL;
	hipError_t e = copy ? hipSuccess : mx_hip_return(hipErrorOutOfMemory);
	if (copy) {
		*copy = *node;
		copy->graph = g;
		copy->id = atomic_fetch_add(&nodes, 1) + 1;
		e = mx_graph_depend(g, copy, on, n);
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
	if (copy->type == hipGraphNodeTypeMemFree)
		mx_hip_graph_step(copy->free, MX_GRAPH_FREE_NODE);
	if (out)
		*out = copy;
	return mx_hip_return(hipSuccess);
}

/* ---- memory ---- */

static bool is_of_memory(const struct hipGraphNode *node) {
	return node->type == hipGraphNodeTypeMemAlloc || node->type == hipGraphNodeTypeMemFree;
}

static bool has_memory(const struct ihipGraph *g) {
	for (size_t i = 0; i < g->n; i++)
		if (is_of_memory(g->nodes[i]))
			return true;
	return false;
}

static bool is_taken(const struct ihipGraph *g) {
	struct mx_allocation a;
	for (size_t i = 0; i < g->n; i++) {
		const struct hipGraphNode *node = g->nodes[i];
		if ((node->child && is_taken(node->child)) ||
		    (node->type == hipGraphNodeTypeMemAlloc && mx_hip_about(node->alloc.dptr, &a) &&
		     a.graph.taken))
			return true;
	}
	return false;
}

static void take(const struct ihipGraph *g) {
	for (size_t i = 0; i < g->n; i++) {
		const struct hipGraphNode *node = g->nodes[i];
		if (node->child)
			take(node->child);
		else if (node->type == hipGraphNodeTypeMemAlloc)
			mx_hip_graph_step(node->alloc.dptr, MX_GRAPH_TAKE);
		else if (node->type == hipGraphNodeTypeMemFree)
			mx_hip_graph_step(node->free, MX_GRAPH_GIVE);
	}
}

hipError_t mx_graph_take_memory(const struct ihipGraph *g, bool again) {
	if (!again && is_taken(g))
		return mx_hip_fail(hipErrorInvalidValue,
		                   "the memory of an earlier launch of the graph is not freed");
	take(g);
	return hipSuccess;
}

/* ---- nodes that end ---- */

/* Positions after it move down. */
static void forget(struct hipGraphNode *node, size_t gone) {
	size_t n = 0;
	for (size_t i = 0; i < node->n_before; i++)
		if (node->before[i] != gone)
			node->before[n++] = node->before[i] - (node->before[i] > gone);
	node->n_before = n;
}

MXHIP_API hipError_t hipGraphDestroyNode(hipGraphNode_t node) {
	if (!mx_is_graph_node(node))
		return mx_hip_return(hipErrorInvalidValue);
	if (is_of_memory(node))
		return mx_hip_fail(hipErrorNotSupported, "a node of memory is not destroyed");
	struct ihipGraph *g = node->graph;
	size_t at = mx_graph_position(g, node);
	g->n--;
	memmove(g->nodes + at, g->nodes + at + 1, (g->n - at) * sizeof *g->nodes);
	for (size_t i = 0; i < g->n; i++)
		forget(g->nodes[i], at);
	free_node(node);
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
	to->origin_id = from->id;
	to->kernel.arguments = (struct mx_arguments){ 0 };
	to->n_before = 0;
	to->before = NULL;
	to->child = NULL;
	if (from->type == hipGraphNodeTypeKernel)
		e = mx_launch_check(from->kernel.function, &from->kernel.shape);
	if (from->type == hipGraphNodeTypeMemAlloc)
		mx_hip_graph_step(from->alloc.dptr, MX_GRAPH_KEEP);
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
	if (e != hipSuccess)
		mx_node_clear(to);
	return e;
}

/* ---- the order ---- */

static bool ready(const struct hipGraphNode *node, const hipGraphNode_t *done) {
	for (size_t i = 0; i < node->n_before; i++)
		if (!done[node->before[i]])
			return false;
	return true;
}

/* The first node that is not done and has all its dependencies done; the number of nodes if none.
 */
static size_t first_ready(const struct ihipGraph *g, const hipGraphNode_t *done) {
	size_t i = 0;
	while (i < g->n && (done[i] || !ready(g->nodes[i], done)))
		i++;
	return i;
}

/* Copies nodes in an order in which they can run; done[i]: the copy of node i. */
static hipError_t copy_nodes(struct ihipGraph *to, const struct ihipGraph *from,
                             hipGraphNode_t *done) {
	hipError_t e = hipSuccess;
	for (size_t n = 0; e == hipSuccess && n < from->n; n++) {
		struct hipGraphNode copy;
		size_t i = first_ready(from, done);
		if (i == from->n)
			return mx_hip_fail(hipErrorInvalidValue, "nodes that depend on each other");
		const struct hipGraphNode *node = from->nodes[i];
		e = copy_node(&copy, node);
		if (e == hipSuccess)
			e = mx_graph_append(to, &copy, NULL, 0, &done[i]);
		for (size_t k = 0; e == hipSuccess && k < node->n_before; k++)
			e = mx_graph_depend(to, done[i], &done[node->before[k]], 1);
	}
	return e;
}

static hipError_t copy_graph(struct ihipGraph *to, const struct ihipGraph *from) {
	hipGraphNode_t *done = calloc(from->n + 1, sizeof *done);
	bool good = done && mx_references_copy(to, from);
	hipError_t e = good ? copy_nodes(to, from, done) : mx_hip_return(hipErrorOutOfMemory);
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

/* The error of earlier work goes to a callback, and stays for the next synchronising call. The
 * function knows what is over, and the host may know by it. */
static void run_host(const struct hipGraphNode *node) {
	if (node->order.clock)
		mx_queue_tell_host(node->order.clock);
	if (node->callback)
		node->callback(node->stream, mx_hip_deferred(), node->host.userData);
	else
		node->host.fn(node->host.userData);
}

static hipError_t run_graph(const struct hipGraphNode *within, struct hipGraphNode **wait) {
	const struct ihipGraph *g = within->child;
	hipError_t e = hipSuccess;
	for (size_t i = 0; e == hipSuccess && !*wait && i < g->n; i++) {
		struct hipGraphNode *node = g->nodes[i];
		mx_races_enter(node, within);
		if (node->disabled || node->done)
			continue;
		e = mx_node_run(node, wait);
		node->done = !*wait;
	}
	if (!*wait)
		mx_races_leave(within);
	return e;
}

/* Once it is free, another thread may get its memory. */
static hipError_t free_memory(const struct hipGraphNode *node) {
	struct mx_allocation a;
	if (mx_hip_about(node->free, &a))
		mx_races_touch(node->free, a.bytes, MX_TOUCH_WRITE);
	mx_races_check(node);
	return mx_hip_release(node->free) ? hipSuccess : mx_hip_return(hipErrorInvalidValue);
}

/* It has no contents. */
static void allocate_memory(const struct hipGraphNode *node) {
	mx_pool_allocate(node->alloc.dptr);
	mx_races_touch(node->alloc.dptr, node->alloc.bytesize, MX_TOUCH_WRITE);
}

static hipError_t change(const struct hipGraphNode *node) {
	switch ((int)node->type) {
	case hipGraphNodeTypeMemcpy: return mx_hip_copy(&node->copy);
	case hipGraphNodeTypeMemset: return mx_hip_set(&node->set);
	case hipGraphNodeTypeMemAlloc: allocate_memory(node); return hipSuccess;
	case hipGraphNodeTypeMemFree:
	case MX_NODE_FREE: return free_memory(node);
	case MX_NODE_WRITE: return mx_hip_value_write(&node->value);
	case MX_NODE_ALLOCATE:
		mx_races_touch(node->alloc.dptr, node->alloc.bytesize, MX_TOUCH_WRITE);
		return hipSuccess;
	default: return hipSuccess;
	}
}

static hipError_t change_memory(const struct hipGraphNode *node) {
	mx_watch_enter(false);
	hipError_t e = change(node);
	mx_watch_leave();
	return e;
}

static hipError_t run_node(const struct hipGraphNode *node, struct hipGraphNode **wait) {
	switch ((int)node->type) {
	case hipGraphNodeTypeKernel: return run_kernel(node);
	case hipGraphNodeTypeHost: run_host(node); return hipSuccess;
	case hipGraphNodeTypeBatchMemOp:
	case MX_NODE_BATCH:
	case hipGraphNodeTypeGraph: return run_graph(node, wait);
	case hipGraphNodeTypeEventRecord: mx_queue_record(node); return hipSuccess;
	default: return change_memory(node);
	}
}

bool mx_node_waits(const struct hipGraphNode *node) {
	return node->type == hipGraphNodeTypeWaitEvent || (int)node->type == MX_NODE_WAIT;
}

hipError_t mx_node_run(struct hipGraphNode *node, struct hipGraphNode **wait) {
	*wait = mx_node_waits(node) && !node->done ? node : NULL;
	if (*wait)
		return hipSuccess;
	hipError_t e = run_node(node, wait);
	mx_races_check(node);
	return e;
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
	if (!g || (mx_is_graph(g) && g->is_child))
		return mx_hip_return(hipErrorInvalidValue);
	if (!mx_handle_remove(MX_GRAPH, g))
		return mx_hip_fail(hipErrorIllegalState, "%p is not a live graph", (void *)g);
	clear_graph(g);
	free(g);
	return mx_hip_return(hipSuccess);
}

static void free_exec(struct hipGraphExec *exec) {
	if (exec)
		clear_graph(&exec->graph);
	free(exec);
}

MXHIP_API hipError_t hipGraphInstantiateWithFlags(hipGraphExec_t *exec, hipGraph_t g,
                                                  unsigned long long flags) {
	bool one = !(flags & (flags - 1)) && flags <= 8; /* hipGraphInstantiateFlag... */
	if (!exec || !mx_is_graph(g) || !one)
		return mx_hip_return(hipErrorInvalidValue);
	*exec = NULL;
	if (g->is_instantiated && has_memory(g))
		return mx_hip_fail(hipErrorNotSupported,
		                   "a graph with memory is made executable once");
	struct hipGraphExec *made = calloc(1, sizeof *made);
	hipError_t e = made ? copy_graph(&made->graph, g) : mx_hip_return(hipErrorOutOfMemory);
	if (e == hipSuccess && !mx_handle_add(MX_GRAPH_EXEC, made))
		e = mx_hip_return(hipErrorOutOfMemory);
	if (e == hipSuccess) {
		made->flags = flags;
		g->is_instantiated = true;
		*exec = made;
	} else
		free_exec(made);
	return e;
}

/* hipGraphInstantiateParams of HIP 6 and 7. */
struct mx_instantiation {
	hipGraphNode_t error;
	unsigned long long flags;
	int result; /* hipGraphInstantiateResult */
	hipStream_t upload;
};

MXHIP_API hipError_t hipGraphInstantiateWithParams(hipGraphExec_t *exec, hipGraph_t g,
                                                   struct mx_instantiation *p);
MXHIP_API hipError_t hipGraphInstantiateWithParams(hipGraphExec_t *exec, hipGraph_t g,
                                                   struct mx_instantiation *p) {
	if (!p)
		return mx_hip_return(hipErrorInvalidValue);
	hipError_t e = hipGraphInstantiateWithFlags(exec, g, p->flags);
	p->error = NULL;
	p->result = e != hipSuccess; /* hipGraphInstantiateError */
	return e;
}

MXHIP_API hipError_t hipGraphExecGetFlags(hipGraphExec_t exec, unsigned long long *flags);
MXHIP_API hipError_t hipGraphExecGetFlags(hipGraphExec_t exec, unsigned long long *flags) {
	if (!flags || !mx_is_graph_exec(exec))
		return mx_hip_return(hipErrorInvalidValue);
	*flags = exec->flags;
	return mx_hip_return(hipSuccess);
}

/* Nothing is left to upload. */
MXHIP_API hipError_t hipGraphUpload(hipGraphExec_t exec, hipStream_t stream);
MXHIP_API hipError_t hipGraphUpload(hipGraphExec_t exec, hipStream_t stream) {
	struct ihipStream_t *s;
	return mx_is_graph_exec(exec) ? mx_stream_of(stream, &s)
	                              : mx_hip_return(hipErrorInvalidValue);
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

MXHIP_API hipError_t hipGraphClone(hipGraph_t *clone, hipGraph_t g) {
	hipGraph_t made;
	if (!clone || !mx_is_graph(g))
		return mx_hip_return(hipErrorInvalidValue);
	if (has_memory(g))
		return mx_hip_fail(hipErrorNotSupported, "a clone of a graph with memory");
	hipError_t e = hipGraphCreate(&made, 0);
	if (e != hipSuccess)
		return e;
	e = copy_graph(made, g);
	if (e == hipSuccess)
		*clone = made;
	else
		hipGraphDestroy(made);
	return e;
}

/* ---- updates ---- */

static bool is_same_dependence(const struct hipGraphNode *a, const struct hipGraphNode *b) {
	bool same = a->n_before == b->n_before;
	for (size_t i = 0; same && i < a->n_before; i++)
		same = a->before[i] == b->before[i];
	return same;
}

bool mx_is_on_one_device(const void *a, const void *b) {
	struct mx_allocation of_a, of_b;
	return !mx_hip_about(a, &of_a) || !mx_hip_about(b, &of_b) || of_a.device == of_b.device;
}

bool mx_node_is_like(const struct hipGraphNode *a, const struct hipGraphNode *b) {
	const hipMemsetParams *x = &a->set, *y = &b->set;
	if (a->type == hipGraphNodeTypeMemset)
		return mx_is_on_one_device(x->dst, y->dst) &&
		       (y->height == 1 || (x->height == y->height &&
		                           x->width * x->elementSize == y->width * y->elementSize));
	return a->type != hipGraphNodeTypeMemcpy || a->copy.kind == b->copy.kind;
}

/* A kernel stays on its device. */
static hipGraphExecUpdateResult difference(const struct hipGraphNode *a,
                                           const struct hipGraphNode *b) {
	const struct hipGraphNode *in_child;
	if (a->type != b->type)
		return hipGraphExecUpdateErrorNodeTypeChanged;
	if (a->type == hipGraphNodeTypeKernel &&
	    a->kernel.function->module->device != b->kernel.function->module->device)
		return hipGraphExecUpdateErrorUnsupportedFunctionChange;
	if (!mx_node_is_like(a, b))
		return hipGraphExecUpdateErrorParametersChanged;
	if (!is_same_dependence(a, b))
		return hipGraphExecUpdateErrorTopologyChanged;
	return a->type == hipGraphNodeTypeGraph ? mx_graph_difference(a->child, b->child, &in_child)
	                                        : hipGraphExecUpdateSuccess;
}

hipGraphExecUpdateResult mx_graph_difference(const struct ihipGraph *a, const struct ihipGraph *b,
                                             const struct hipGraphNode **node) {
	hipGraphExecUpdateResult how = hipGraphExecUpdateSuccess;
	*node = NULL;
	if (a->n != b->n)
		return hipGraphExecUpdateErrorTopologyChanged;
	for (size_t i = 0; how == hipGraphExecUpdateSuccess && i < a->n; i++) {
		how = difference(a->nodes[i], b->nodes[i]);
		*node = how == hipGraphExecUpdateSuccess ? NULL : b->nodes[i];
	}
	return how;
}

/* Takes the nodes of a graph of the same form. They keep the originals of the old ones. */
static void update(struct hipGraphExec *exec, struct ihipGraph *with) {
	struct ihipGraph old = exec->graph;
	for (size_t i = 0; i < old.n; i++) {
		with->nodes[i]->origin = old.nodes[i]->origin;
		with->nodes[i]->origin_id = old.nodes[i]->origin_id;
		with->nodes[i]->graph = &exec->graph;
	}
	exec->graph = *with;
	clear_graph(&old);
}

MXHIP_API hipError_t hipGraphExecUpdate(hipGraphExec_t exec, hipGraph_t g, hipGraphNode_t *error,
                                        hipGraphExecUpdateResult *result) {
	struct ihipGraph made = { 0 };
	if (!mx_is_graph_exec(exec) || !mx_is_graph(g) || !error || !result)
		return mx_hip_return(hipErrorInvalidValue);
	*error = NULL;
	*result = hipGraphExecUpdateError;
	hipError_t e = copy_graph(&made, g);
	if (e == hipSuccess) {
		const struct hipGraphNode *node;
		*result = mx_graph_difference(&exec->graph, &made, &node);
		*error = node ? (hipGraphNode_t)node->origin : NULL;
	}
	if (*result == hipGraphExecUpdateSuccess)
		update(exec, &made);
	else
		clear_graph(&made);
	return e == hipSuccess && *result != hipGraphExecUpdateSuccess
	               ? mx_hip_fail(hipErrorGraphExecUpdateFailure, "a graph of another form")
	               : e;
}
