/* What can be said of a kernel without running it: wait states and waits that are missing on some
 * path through its code. */
#ifndef MX_LINT_H
#define MX_LINT_H

#include "../encoding/control_flow.h"
#include "../isa.h"

struct mx_lint {
	const struct mx_program *program;
	uint32_t start; /* of the function in the program, bytes */
	struct mx_graph graph;
	void *context;
	/* Gets each: MX_WAIT_STATES, MX_WAIT_STATES_NOTE or MX_UNWAITED. pcs are offsets from
	 * `start`; no wave is at the instruction. */
	void (*found)(void *context, const struct mx_finding *f);
};

/* ---- lint_states.c, lint_waits.c: false if memory is short ---- */

/* Fewer wait states between two instructions than hazards.def asks for, on the path that has
 * fewest. Nothing is assumed of what came before the entry or the return of a call. */
bool mx_lint_states(const struct mx_lint *l);

/* A register read, or written, while an operation in flight may still write it. */
bool mx_lint_waits(const struct mx_lint *l);

#endif
