/* Graphs: their nodes, and what builds and runs them. */
#ifndef MX_GRAPH_H
#define MX_GRAPH_H

#include "runtime.h"

struct hipGraphNode {
	hipGraphNodeType type;
	const struct hipGraphNode *origin; /* of an instantiated node: its original */
	size_t n_before, *before;          /* positions of the nodes that it depends on */
	struct {
		const struct mx_function *function;
		struct mx_shape shape;
		struct mx_arguments arguments;
	} kernel;
	struct {
		void *to;
		const void *from;
		size_t bytes;
		hipMemcpyKind kind;
	} copy;
	hipMemsetParams set;
	hipHostNodeParams host;
	hipEvent_t event;
	struct ihipGraph *child;
};

struct ihipGraph {
	struct hipGraphNode **nodes;
	size_t n;
};

struct hipGraphExec {
	struct ihipGraph graph; /* nodes in the order in which they run */
};

bool mx_is_graph(hipGraph_t g);
bool mx_is_graph_node(hipGraphNode_t node);
bool mx_is_graph_exec(hipGraphExec_t exec);

/* Appends a copy of a node that depends on `on`. The graph takes ownership of what the node points
 * to. *out, if not NULL, is the copy. */
hipError_t mx_graph_append(struct ihipGraph *g, const struct hipGraphNode *node,
                           const hipGraphNode_t *on, size_t n, hipGraphNode_t *out);

/* A node that launches a kernel, and one that runs a copy of a graph. */
hipError_t mx_graph_kernel_node(struct hipGraphNode *node, const struct mx_function *f,
                                const struct mx_shape *s, void **params, void **extra);
hipError_t mx_graph_child_node(struct hipGraphNode *node, const struct ihipGraph *child);

/* Runs the nodes in the order of the list; the first error ends it. */
hipError_t mx_graph_run(const struct ihipGraph *g);

#endif
