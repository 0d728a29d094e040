/* Whether a kernel may use AGPRs. */
#include <stdlib.h>

#include "gfx950.h"
#include "control_flow.h"
#include "operands.h"

/* Code that is called, or reached by a jump with an unknown target, may use them. */
static bool may_use(const struct mx_node *node) {
	if (node->unknown || mx_is_call(node->in))
		return true;
	MX_FOR_OPERANDS(o, node->in)
		if (o->code >= MX_VGPR && mx_operand_row(o->code) + o->dwords > MX_VGPRS)
			return true;
	return false;
}

static void *derive(const struct mx_program *p, uint64_t entry) {
	struct mx_graph g;
	bool *any = malloc(sizeof *any);
	uint32_t end = (uint32_t)(4 * mx_program_dwords(p));
	if (!any || !mx_graph_make(p, (uint32_t)entry, end, &g)) {
		free(any);
		return NULL;
	}
	*any = false;
	for (unsigned i = 0; i < g.n && !*any; i++)
		*any = g.node[i].in && may_use(&g.node[i]);
	mx_graph_free(&g);
	return any;
}

bool mx_program_uses_agprs(const struct mx_program *p, uint64_t entry) {
	const bool *any = mx_program_derived(p, derive, entry);
	return !any || *any;
}
