/* The code that a kernel can reach. What is derived from a program is derived from this code alone,
 * because a code object may have many kernels. */
#include <stdlib.h>

#include "control_flow.h"

static bool leads_elsewhere(const struct mx_graph *g) {
	bool any = g->unknown;
	for (unsigned i = 0; i < g->n && !any; i++)
		any = g->node[i].in && mx_is_call(g->node[i].in);
	return any;
}

static void *mark(const struct mx_program *p, uint64_t entry) {
	size_t n = mx_program_dwords(p);
	struct mx_graph g = { 0 };
	bool *reached = calloc(n + 1, sizeof *reached), inside = mx_program_at(p, entry);
	if (!reached || (inside && !mx_graph_make(p, (uint32_t)entry, (uint32_t)(4 * n), &g))) {
		free(reached);
		return NULL;
	}
	bool all = !inside || leads_elsewhere(&g);
	for (size_t i = 0; all && i < n; i++)
		reached[i] = true;
	for (size_t i = 0; !all && i < g.n; i++)
		reached[entry / 4 + i] = g.node[i].in;
	mx_graph_free(&g);
	return reached;
}

const bool *mx_program_reached(const struct mx_program *p, uint64_t entry) {
	return mx_program_derived(p, mark, entry);
}
