/* Static checks of a kernel: missing wait states and missing waits on any path through its code. */
#ifndef MX_LINT_H
#define MX_LINT_H

#include "../encoding/control_flow.h"
#include "../isa.h"

struct mx_lint {
	const struct mx_program *program;
	uint32_t start; /* of the function in the program, bytes */
	struct mx_graph graph;
	void *context;
	/* Receives each MX_WAIT_STATES, MX_WAIT_STATES_NOTE or MX_UNWAITED. pcs are offsets from
	 * `start`; there is no wave. */
	void (*found)(void *context, const struct mx_finding *f);
};

/* ---- wait_states.c, waits.c, dependences.c: false if memory is short ---- */

/* Fewer wait states between two instructions than hazards.def requires, on the path with fewest.
 * Instructions before the entry, or before the return of a call, are ignored. */
bool mx_lint_states(const struct mx_lint *l);

/* An instruction reads or writes a register that an operation in flight may still write. */
bool mx_lint_waits(const struct mx_lint *l);

/* An instruction overtakes what s_wait_alu would wait for (waitstates/dependence.h). */
bool mx_lint_dependences(const struct mx_lint *l);

#endif
