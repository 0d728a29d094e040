/* Graphs: their nodes, and what builds and runs them. */
#ifndef MX_GRAPH_H
#define MX_GRAPH_H

#include "runtime.h"

/* Types of work in streams that is no node of a graph. */
enum {
	MX_NODE_FREE = hipGraphNodeTypeCount, /* hipFreeAsync */
	MX_NODE_WRITE,                        /* hipStreamWriteValue */
	MX_NODE_WAIT,                         /* hipStreamWaitValue */
	MX_NODE_ALLOCATE,                     /* hipMallocAsync, which is observed alone */
	MX_NODE_BATCH,                        /* copies without order among them */
	MX_NODE_TYPES,
};

/* A value in memory. */
struct mx_value {
	void *at;
	uint64_t value, mask;
	unsigned bytes, compare; /* 4 or 8; hipStreamWaitValue... */
};

struct hipGraphNode {
	hipGraphNodeType type;
	uint64_t id; /* no other node has it, also not one at this address later */
	const struct hipGraphNode *origin; /* of a node of a copy: its original */
	uint64_t origin_id;
	struct ihipGraph *graph;  /* that has it */
	bool disabled;            /* of an executable graph: does not run */
	uint64_t captured;        /* the capture that has added it; or 0 */
	size_t n_before, *before; /* positions of the nodes that it depends on */
	struct {
		void *given; /* the function as the program has given it */
		const struct mx_function *function;
		struct mx_shape shape;
		struct mx_arguments arguments;
		struct {
			int set; /* the attribute that the program has set, or 0 */
			hipKernelNodeAttrValue value;
		} attributes;
	} kernel;
	struct mx_copy copy;
	hipMemcpy3DParms box; /* the copy, as a program has given it; or in the driver's form */
	HIP_MEMCPY3D driver_box;
	hipMemsetParams set;
	hipHostNodeParams host;
	hipStreamCallback_t callback; /* instead of host.fn, and the stream in which it was given */
	hipStream_t stream;
	hipEvent_t event;
	struct ihipGraph *child;
	hipBatchMemOpNodeParams batch; /* its operations are nodes of the child */
	hipMemAllocNodeParams alloc;
	void *free;
	struct mx_value value;
	bool done; /* of a launch: it has run */
	struct {
		const struct ihipStream_t *stream; /* an event's record, and that piece; or NULL */
		uint64_t seq;
		/* Of the record once it has run; of a value: of the host before it writes. */
		struct mx_stream_clock clock;
		struct hipGraphNode *next; /* another wait for an event of the same launch */
	} wait;                            /* of a launch: what it is for */
	struct {
		/* What comes before it, and itself; NULL: nothing is watched. */
		struct mx_stream_clock *clock;
		struct mx_work work;
		bool continued;    /* a later node is in its place */
		unsigned branches; /* of the launch that it is */
	} order;                   /* of a launch */
};

/* References of a graph to a user object. */
struct mx_reference {
	struct hipUserObject *object;
	uint64_t n;
};

struct ihipGraph {
	struct hipGraphNode **nodes;
	size_t n;
	struct mx_reference *references;
	size_t n_references;
	bool is_child;        /* a node has it */
	bool is_instantiated; /* an executable graph was made of it */
};

struct hipGraphExec {
	struct ihipGraph graph; /* nodes in the order in which they run */
	unsigned long long flags;
};

bool mx_is_graph(hipGraph_t g);
bool mx_is_graph_node(hipGraphNode_t node);
bool mx_is_graph_exec(hipGraphExec_t exec);

/* Appends a copy of a node that depends on `on`. The graph takes ownership of what the node points
 * to. *out, if not NULL, is the copy. */
hipError_t mx_graph_append(struct ihipGraph *g, const struct hipGraphNode *node,
                           const hipGraphNode_t *on, size_t n, hipGraphNode_t *out);

/* The position of a node; the number of nodes if the graph does not have it. */
size_t mx_graph_position(const struct ihipGraph *g, const struct hipGraphNode *node);

/* The number of nodes that depend on the one at a position. */
size_t mx_graph_dependents(const struct ihipGraph *g, size_t at);

/* The node of a copy; NULL if there is none, or if its original has ended. */
hipGraphNode_t mx_graph_copy_of(const struct ihipGraph *g, hipGraphNode_t original);

/* Lets a node depend on others. */
hipError_t mx_graph_depend(struct ihipGraph *g, struct hipGraphNode *node, const hipGraphNode_t *on,
                           size_t n);

/* A node that launches a kernel, and one that runs a copy of a graph. */
hipError_t mx_graph_kernel_node(struct hipGraphNode *node, const struct mx_function *f,
                                const struct mx_shape *s, void **params, void **extra);
hipError_t mx_graph_child_node(struct hipGraphNode *node, const struct ihipGraph *child);

/* A node that writes a value or waits for one; hipErrorInvalidValue if it is not in device memory,
 * aligned. */
enum { MX_MOST_OPERATIONS = 256 }; /* of a batch */
hipError_t mx_graph_value_node(struct hipGraphNode *node, const hipStreamBatchMemOpParams *o);

/* A node that allocates memory, whose address it gives, and one that frees such memory. */
hipError_t mx_graph_alloc_node(struct hipGraphNode *node, hipMemAllocNodeParams *p);
hipError_t mx_graph_free_node(struct hipGraphNode *node, void *p);

/* Lets memory of a graph's nodes be taken, or freed, after all work that is enqueued.
 * hipErrorInvalidValue if some of it is taken already, and may not be taken again. */
hipError_t mx_graph_take_memory(const struct ihipGraph *g, bool again);

/* One reference to each user object of a graph for a copy of it, false if host memory is short; and
 * the end of all that a graph has. */
bool mx_references_copy(struct ihipGraph *to, const struct ihipGraph *from);
void mx_references_release(struct ihipGraph *g);

/* Whether two places have no known memory on two devices. And whether what a node of an executable
 * graph does may become what another one of its type does: it keeps its devices, the kind of a
 * copy, and the size of a set of rows. */
bool mx_is_on_one_device(const void *a, const void *b);
bool mx_node_is_like(const struct hipGraphNode *a, const struct hipGraphNode *b);

/* How the second graph differs from the first, which may become like it; *node, if not NULL, is the
 * node of the second that does. */
hipGraphExecUpdateResult mx_graph_difference(const struct ihipGraph *a, const struct ihipGraph *b,
                                             const struct hipGraphNode **node);

/* Runs a node; of a child graph the nodes that are not done, in the order of its list, and the
 * first error ends it. It stops at a wait that is not done, which *wait is; or NULL. */
hipError_t mx_node_run(struct hipGraphNode *node, struct hipGraphNode **wait);

/* Whether a node waits, for an event or a value. */
bool mx_node_waits(const struct hipGraphNode *node);

/* Frees what a node points to. */
void mx_node_clear(struct hipGraphNode *node);

#endif
