/* The control flow of a function: which instruction may follow which. */
#ifndef MX_GRAPH_H
#define MX_GRAPH_H

#include "inst.h"

struct mx_node {
	const struct mx_inst *in; /* NULL: not reached from the entry */
	int next[2];              /* nodes, by dword offset in the function; -1: none */
	bool begins;              /* a path comes from elsewhere than the dword before */
	bool unknown;             /* goes on where nobody can say, or to code that is none */
	unsigned previous;        /* index in mx_graph.previous of those that it follows */
	unsigned n_previous;
};

struct mx_graph {
	struct mx_node *node; /* one for each dword of the function */
	int *previous;
	unsigned n;       /* dwords */
	unsigned unknown; /* nodes that go on where nobody can say */
	unsigned reached;
};

/* Instructions from byte `start` of the program up to `end`, entered at `start`. A call is taken
 * to come back to the next instruction. False if memory is short. */
bool mx_graph_make(const struct mx_program *p, uint32_t start, uint32_t end, struct mx_graph *g);
void mx_graph_free(struct mx_graph *g);

/* Whether it calls a function. */
bool mx_is_call(const struct mx_inst *in);

#endif
