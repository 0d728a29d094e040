/* Dependences that s_wait_alu waits for, on all paths: what may be in flight at each place, as far
 * as a path has it. The scheduling mode follows s_setreg_imm32_b32; it is 0 at the entry. */
#include <stdlib.h>
#include <string.h>

#include "../encoding/hwreg.h"
#include "../encoding/instruction_set.h"
#include "../waitstates/dependence.h"
#include "lint.h"

struct walk {
	const struct mx_lint *lint;
	const struct mx_isa *isa;
	struct mx_dependences **at; /* at the start of each basic block that was reached */
	struct mx_dependences *here;
	int *queue;
	unsigned n_queue;
	bool *queued;
	bool reporting, out_of_memory;
};

static void merge(struct walk *w, int to) {
	bool changed = !w->at[to];
	if (w->at[to])
		changed = mx_dependences_merge(w->isa, w->at[to], w->here);
	else if ((w->at[to] = malloc(mx_dependences_size(w->isa))))
		memcpy(w->at[to], w->here, mx_dependences_size(w->isa));
	w->out_of_memory |= !w->at[to];
	if (changed && !w->queued[to] && !w->reporting) {
		w->queued[to] = true;
		w->queue[w->n_queue++] = to;
	}
}

static void set_mode(const struct walk *w, const struct mx_inst *in) {
	struct mx_hw_field f = mx_hw_field(in);
	unsigned modes = w->here->modes, field = f.mask << f.offset & 3;
	if (f.reg != w->isa->sched_mode || mx_source(in, 0) != MX_LITERAL)
		return;
	w->here->modes = 0;
	for (unsigned m = 0; m < 4; m++)
		if (modes >> m & 1)
			w->here->modes |= 1 << ((m & ~field) | (in->literal << f.offset & field));
}

static void report(struct walk *w, const struct mx_inst *in) {
	const struct mx_lint *l = w->lint;
	const struct mx_inst *earlier;
	struct mx_finding f;
	while (mx_dependence_missing(w->here, in, &earlier, &f)) {
		f.count = 1;
		f.pc = in->offset - l->start;
		f.earlier = earlier->offset - l->start;
		if (w->reporting)
			l->found(l->context, &f);
	}
}

/* A called function is assumed to leave nothing in flight, as compiled ones do. */
static void step(struct walk *w, const struct mx_inst *in) {
	report(w, in);
	mx_dependences_issue(w->isa, w->here, in);
	if (mx_kind_of(in->op) == MX_IS_SETREG)
		set_mode(w, in);
	if (mx_is_call(in))
		mx_dependences_forget(w->here);
}

static void walk(struct walk *w, int i) {
	const struct mx_graph *g = &w->lint->graph;
	memcpy(w->here, w->at[i], mx_dependences_size(w->isa));
	while (i >= 0 && g->node[i].in->op && !w->out_of_memory) {
		const struct mx_node *node = &g->node[i];
		step(w, node->in);
		int next = -1;
		for (unsigned k = 0; k < 2; k++)
			if (node->next[k] >= 0 && g->node[node->next[k]].begins)
				merge(w, node->next[k]);
			else if (node->next[k] >= 0)
				next = node->next[k];
		i = next;
	}
}

static void solve(struct walk *w) {
	mx_dependences_start(w->here);
	merge(w, 0);
	while (w->n_queue && !w->out_of_memory) {
		int i = w->queue[--w->n_queue];
		w->queued[i] = false;
		walk(w, i);
	}
	w->reporting = true;
	for (unsigned i = 0; i < w->lint->graph.n && !w->out_of_memory; i++)
		if (w->at[i])
			walk(w, (int)i);
}

bool mx_lint_dependences(const struct mx_lint *l) {
	const struct mx_isa *isa = mx_program_isa(l->program);
	unsigned n = l->graph.n;
	if (!n || !mx_has_dependences(l->program))
		return true;
	struct walk w = { .lint = l,
		          .isa = isa,
		          .at = calloc(n, sizeof *w.at),
		          .here = calloc(1, mx_dependences_size(isa)),
		          .queue = malloc(n * sizeof *w.queue),
		          .queued = calloc(n, 1) };
	bool ok = w.at && w.here && w.queue && w.queued;
	if (ok)
		solve(&w);
	for (unsigned i = 0; w.at && i < n; i++)
		free(w.at[i]);
	free(w.at);
	free(w.here);
	free(w.queue);
	free(w.queued);
	return ok && !w.out_of_memory;
}
