/* The form of a graph: its nodes and their dependencies. */
#include <stdio.h>
#include <stdlib.h>

#include "graph.h"

MXHIP_API hipError_t hipGraphNodeGetType(hipGraphNode_t node, hipGraphNodeType *type) {
	if (!mx_is_graph_node(node) || !type)
		return mx_hip_return(hipErrorInvalidValue);
	*type = node->type;
	return mx_hip_return(hipSuccess);
}

/* Gives a list to a caller that has room for *n, or asks for their number. */
struct list {
	hipGraphNode_t *nodes;
	size_t room, n;
};

static void put(struct list *l, hipGraphNode_t node) {
	if (l->nodes && l->n < l->room)
		l->nodes[l->n] = node;
	l->n++;
}

/* Entries without a node are NULL, as in AMD's runtime. */
static hipError_t end(struct list *l, size_t *n) {
	for (size_t i = l->n; l->nodes && i < l->room; i++)
		l->nodes[i] = NULL;
	*n = !l->nodes || l->room > l->n ? l->n : l->room;
	return mx_hip_return(hipSuccess);
}

MXHIP_API hipError_t hipGraphGetNodes(hipGraph_t g, hipGraphNode_t *nodes, size_t *n) {
	if (!mx_is_graph(g) || !n)
		return mx_hip_return(hipErrorInvalidValue);
	struct list l = { nodes, *n, 0 };
	for (size_t i = 0; i < g->n; i++)
		put(&l, g->nodes[i]);
	return end(&l, n);
}

MXHIP_API hipError_t hipGraphGetRootNodes(hipGraph_t g, hipGraphNode_t *nodes, size_t *n) {
	if (!mx_is_graph(g) || !n)
		return mx_hip_return(hipErrorInvalidValue);
	struct list l = { nodes, *n, 0 };
	for (size_t i = 0; i < g->n; i++)
		if (!g->nodes[i]->n_before)
			put(&l, g->nodes[i]);
	return end(&l, n);
}

MXHIP_API hipError_t hipGraphNodeGetDependencies(hipGraphNode_t node, hipGraphNode_t *nodes,
                                                 size_t *n) {
	if (!mx_is_graph_node(node) || !n)
		return mx_hip_return(hipErrorInvalidValue);
	struct list l = { nodes, *n, 0 };
	for (size_t i = 0; i < node->n_before; i++)
		put(&l, node->graph->nodes[node->before[i]]);
	return end(&l, n);
}

static bool depends_on(const struct hipGraphNode *node, size_t at) {
	for (size_t i = 0; i < node->n_before; i++)
		if (node->before[i] == at)
			return true;
	return false;
}

size_t mx_graph_dependents(const struct ihipGraph *g, size_t at) {
	size_t n = 0;
	for (size_t i = 0; i < g->n; i++)
		n += depends_on(g->nodes[i], at);
	return n;
}

MXHIP_API hipError_t hipGraphNodeGetDependentNodes(hipGraphNode_t node, hipGraphNode_t *nodes,
                                                   size_t *n) {
	if (!mx_is_graph_node(node) || !n)
		return mx_hip_return(hipErrorInvalidValue);
	const struct ihipGraph *g = node->graph;
	struct list l = { nodes, *n, 0 };
	for (size_t i = 0; i < g->n; i++)
		if (depends_on(g->nodes[i], mx_graph_position(g, node)))
			put(&l, g->nodes[i]);
	return end(&l, n);
}

struct edge {
	size_t from, to;
};

static int by_first_node(const void *a, const void *b) {
	const struct edge *x = a, *y = b;
	return x->from != y->from ? (x->from > y->from) - (x->from < y->from)
	                          : (x->to > y->to) - (x->to < y->to);
}

/* In the order in which the nodes were added, the first ones before the second ones, as in AMD's
 * runtime; NULL if host memory is short. */
static struct edge *edges_of(const struct ihipGraph *g, size_t *count) {
	size_t n = 0;
	for (size_t i = 0; i < g->n; i++)
		n += g->nodes[i]->n_before;
	struct edge *edges = malloc((n + 1) * sizeof *edges);
	*count = n;
	n = 0;
	for (size_t i = 0; edges && i < g->n; i++)
		for (size_t k = 0; k < g->nodes[i]->n_before; k++)
			edges[n++] = (struct edge){ g->nodes[i]->before[k], i };
	if (edges)
		qsort(edges, n, sizeof *edges, by_first_node);
	return edges;
}

MXHIP_API hipError_t hipGraphGetEdges(hipGraph_t g, hipGraphNode_t *from, hipGraphNode_t *to,
                                      size_t *n) {
	size_t count;
	if (!mx_is_graph(g) || !n || !from != !to)
		return mx_hip_return(hipErrorInvalidValue);
	struct edge *edges = edges_of(g, &count);
	if (!edges)
		return mx_hip_return(hipErrorOutOfMemory);
	struct list l = { from, *n, 0 }, m = { to, *n, 0 };
	for (size_t i = 0; i < count; i++) {
		put(&l, g->nodes[edges[i].from]);
		put(&m, g->nodes[edges[i].to]);
	}
	free(edges);
	end(&m, n);
	*n = l.room;
	return end(&l, n);
}

/* ---- changes ---- */

MXHIP_API hipError_t hipGraphAddDependencies(hipGraph_t g, const hipGraphNode_t *from,
                                             const hipGraphNode_t *to, size_t n) {
	bool good = mx_is_graph(g) && (!n || (from && to));
	hipError_t e = mx_hip_return(good ? hipSuccess : hipErrorInvalidValue);
	for (size_t i = 0; e == hipSuccess && i < n; i++) {
		bool inside = mx_graph_position(g, to[i]) < g->n;
		e = inside ? mx_graph_depend(g, to[i], &from[i], 1)
		           : mx_hip_return(hipErrorInvalidValue);
	}
	return e;
}

/* Removes a dependency; hipErrorInvalidValue if there is none. */
static hipError_t separate(struct hipGraphNode *node, size_t from) {
	for (size_t i = 0; i < node->n_before; i++)
		if (node->before[i] == from) {
			node->before[i] = node->before[--node->n_before];
			return hipSuccess;
		}
	return mx_hip_return(hipErrorInvalidValue);
}

MXHIP_API hipError_t hipGraphRemoveDependencies(hipGraph_t g, const hipGraphNode_t *from,
                                                const hipGraphNode_t *to, size_t n) {
	bool good = mx_is_graph(g) && (!n || (from && to));
	hipError_t e = mx_hip_return(good ? hipSuccess : hipErrorInvalidValue);
	for (size_t i = 0; e == hipSuccess && i < n; i++)
		e = mx_graph_position(g, to[i]) < g->n
		            ? separate(to[i], mx_graph_position(g, from[i]))
		            : mx_hip_return(hipErrorInvalidValue);
	return e;
}

/* The nodes of a clone, and those that run, are found by their original. */
hipGraphNode_t mx_graph_copy_of(const struct ihipGraph *g, hipGraphNode_t original) {
	uint64_t id = mx_is_graph_node(original) ? original->id : 0;
	for (size_t i = 0; id && i < g->n; i++)
		if (g->nodes[i]->origin_id == id)
			return g->nodes[i];
	return NULL;
}

MXHIP_API hipError_t hipGraphNodeFindInClone(hipGraphNode_t *node, hipGraphNode_t original,
                                             hipGraph_t clone) {
	if (!node || !mx_is_graph_node(original) || !mx_is_graph(clone))
		return mx_hip_return(hipErrorInvalidValue);
	hipGraphNode_t found = mx_graph_copy_of(clone, original);
	if (found)
		*node = found;
	return mx_hip_return(found ? hipSuccess : hipErrorInvalidValue);
}

/* ---- a drawing ---- */

/* The names of AMD's drawings. */
static const char *type_name(hipGraphNodeType type) {
	switch ((int)type) {
	case hipGraphNodeTypeKernel: return "KERNEL";
	case hipGraphNodeTypeMemcpy: return "MEMCPY";
	case hipGraphNodeTypeMemset: return "MEMSET";
	case hipGraphNodeTypeHost: return "HOST";
	case hipGraphNodeTypeGraph: return "GRAPH";
	case hipGraphNodeTypeEmpty: return "EMPTY";
	case hipGraphNodeTypeWaitEvent: return "EVENT_WAIT";
	case hipGraphNodeTypeEventRecord: return "EVENT_RECORD";
	case hipGraphNodeTypeBatchMemOp: return "BATCH_MEM_OP";
	case hipGraphNodeTypeMemAlloc: return "MEM_ALLOC";
	case hipGraphNodeTypeMemFree: return "MEM_FREE";
	default: return "NODE";
	}
}

/* The kernel, or the direction of a copy. */
static const char *detail_of(const struct hipGraphNode *node) {
	static const char *const directions[] = { "HtoH", "HtoD", "DtoH", "DtoD" };
	if (node->type == hipGraphNodeTypeKernel)
		return node->kernel.function->name;
	if (node->type == hipGraphNodeTypeMemcpy && (unsigned)node->copy.kind < 4)
		return directions[node->copy.kind];
	return "";
}

/* Graphs have numbers in the order in which they are drawn. *n: of those so far. */
static void draw(FILE *f, const struct ihipGraph *g, unsigned *n) {
	unsigned id = (*n)++;
	fprintf(f, "subgraph cluster_%u {\n\tlabel=\"graph_%u\"\n", id, id);
	for (size_t i = 0; i < g->n; i++) {
		const struct hipGraphNode *node = g->nodes[i];
		fprintf(f, "\t\"graph_%u_node_%zu\" [label=\"%zu\\n%s\\n%s\"]\n", id, i, i,
		        type_name(node->type), detail_of(node));
		for (size_t k = 0; k < node->n_before; k++)
			fprintf(f, "\t\"graph_%u_node_%zu\" -> \"graph_%u_node_%zu\"\n", id,
			        node->before[k], id, i);
		if (node->type == hipGraphNodeTypeGraph)
			draw(f, node->child, n);
	}
	fprintf(f, "}\n");
}

/* In the language of Graphviz; flags, which ask for more details, have no effect. */
MXHIP_API hipError_t hipGraphDebugDotPrint(hipGraph_t g, const char *path, unsigned flags);
MXHIP_API hipError_t hipGraphDebugDotPrint(hipGraph_t g, const char *path, unsigned flags) {
	unsigned n = 0;
	(void)flags;
	if (!mx_is_graph(g) || !path)
		return mx_hip_return(hipErrorInvalidValue);
	FILE *f = fopen(path, "w");
	if (!f)
		return mx_hip_fail(hipErrorOperatingSystem, "cannot write %s", path);
	fprintf(f, "digraph {\n");
	draw(f, g, &n);
	fprintf(f, "}\n");
	return mx_hip_return(fclose(f) ? hipErrorOperatingSystem : hipSuccess);
}
