/* The watcher that notes which instructions a launch executes, and which ways its branches go. */
#include "coverage.h"

#include <stdatomic.h>
#include <stdlib.h>

#include "../encoding/control_flow.h"

/* The data of a wave: the conditional branch that it executed last, or NULL. */
struct branched {
	const struct mx_inst *from;
};

static struct branched *branched(const struct mx_wave *w) {
	return (struct branched *)w->group->watcher_data[MX_WATCHER_COVERAGE] + w->index;
}

/* Threads share the bytes; most are set already. */
static void mark(struct mx_coverage *c, const struct mx_inst *in, uint8_t bits) {
	_Atomic uint8_t *at = &c->at[in->offset / 4];
	if ((atomic_load_explicit(at, memory_order_relaxed) & bits) != bits)
		atomic_fetch_or_explicit(at, bits, memory_order_relaxed);
}

static uint32_t issue(void *context, struct mx_wave *w, const struct mx_inst *in, bool skipped) {
	struct branched *b = branched(w);
	(void)skipped;
	mark(context, in, MX_COVERED);
	if (b->from)
		mark(context, b->from,
		     in->offset == b->from->offset + b->from->size ? MX_COVERED_NOT_TAKEN
		                                                   : MX_COVERED_TAKEN);
	b->from = mx_kind_of(in->op) == MX_IS_CBRANCH ? in : NULL;
	return 0;
}

static unsigned wave_begin(void *context, struct mx_wave *w) {
	(void)context;
	branched(w)->from = NULL;
	return MX_WATCH_ISSUE;
}

static bool workgroup_new(void *context, struct mx_group *g) {
	(void)context;
	g->watcher_data[MX_WATCHER_COVERAGE] = calloc(g->room, sizeof(struct branched));
	return g->watcher_data[MX_WATCHER_COVERAGE];
}

static void workgroup_free(void *context, struct mx_group *g) {
	(void)context;
	free(g->watcher_data[MX_WATCHER_COVERAGE]);
}

/* Marks what the kernel can reach from its entry. */
static bool mark_coverable(struct mx_coverage *c, const struct mx_program *p, uint32_t entry) {
	struct mx_graph g;
	if (!mx_graph_make(p, entry, (uint32_t)(4 * mx_program_dwords(p)), &g))
		return false;
	for (unsigned i = 0; i < g.n; i++) {
		const struct mx_node *node = &g.node[i];
		bool branch = node->in && node->in->op && mx_kind_of(node->in->op) == MX_IS_CBRANCH;
		c->at[entry / 4 + i] |= (node->begins ? MX_COVERABLE_BLOCK : 0) |
		                        (branch ? MX_COVERABLE_BRANCH : 0);
	}
	mx_graph_free(&g);
	return true;
}

static bool begin(struct mx_coverage *c, const struct mx_program *p, uint32_t entry) {
	c->n = mx_program_dwords(p);
	c->at = calloc(c->n, sizeof *c->at);
	return c->at && mark_coverable(c, p, entry);
}

bool mx_cover(struct mx_run *run) {
	const struct mx_launch *l = run->launch;
	struct mx_coverage *c = l->coverage;
	uint32_t entry = (uint32_t)(l->kernel->entry - mx_program_base(l->program));
	if (!c)
		return true;
	if (!c->at && !begin(c, l->program, entry))
		return false;
	if (c->n != mx_program_dwords(l->program))
		return true; /* of another code object */
	run->watchers[MX_WATCHER_COVERAGE] = (struct mx_watcher){
		.context = c,
		.workgroup_new = workgroup_new,
		.workgroup_free = workgroup_free,
		.wave_begin = wave_begin,
		.issue = issue,
	};
	return true;
}

void mx_coverage_free(struct mx_coverage *c) {
	free(c->at);
	*c = (struct mx_coverage){ 0 };
}
