/* The control-flow graph of a function: the possible successors of each instruction. */
#ifndef MX_CONTROL_FLOW_H
#define MX_CONTROL_FLOW_H

#include "inst.h"

struct mx_node {
	const struct mx_inst *in; /* NULL: not reached from the entry */
	int next[2];              /* nodes, by dword offset in the function; -1: none */
	bool begins;              /* the first instruction of a basic block */
	bool clash;   /* its registers differ with the path, by banks of VGPRs */
	bool unknown; /* an indirect jump with an unknown target, or a target that is no code */
	unsigned previous; /* index of its predecessors in mx_graph.previous */
	unsigned n_previous;
};

struct mx_graph {
	struct mx_node *node; /* one for each dword from the entry to the last that is reached */
	int *previous;
	unsigned n;       /* dwords */
	unsigned unknown; /* nodes with an unknown target */
	unsigned reached;
};

/* Builds the graph of the code from byte `start` of the program to `end`, with the entry at
 * `start`. A call is assumed to return to the next instruction. False if memory is short. */
bool mx_graph_make(const struct mx_program *p, uint32_t start, uint32_t end, struct mx_graph *g);
/* Replaces the instructions by those under the banks of VGPRs that they have on the first path found;
 * banks are 0 at the entry. False if memory is short. */
bool mx_graph_follow_banks(const struct mx_program *p, struct mx_graph *g);
void mx_graph_free(struct mx_graph *g);

/* Whether the kernel with this entry, a byte offset in the program, may use AGPRs. True also if
 * memory is short. */
bool mx_program_uses_agprs(const struct mx_program *p, uint64_t entry);

/* Whether each dword begins an instruction that a kernel may execute, whose entry is at this byte
 * offset: all do if a call or an indirect jump leads to other code. NULL if memory is short. */
const bool *mx_program_reached(const struct mx_program *p, uint64_t entry);

/* Whether the instruction is a call. */
bool mx_is_call(const struct mx_inst *in);

#endif
