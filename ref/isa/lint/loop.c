/* What a turn of a kernel's main loop takes: an estimate from the code alone. */
#include "loop.h"
#include "../encoding/passes.h"

static void count(const struct mx_inst *in, struct mx_loop *l) {
	bool matrix = mx_is_matrix(in->op);
	l->instructions++;
	l->matrix += matrix;
	l->passes += mx_matrix_passes(in);
	l->vector += !matrix && mx_is_vector_alu(in->op);
	l->idle += mx_kind_of(in->op) == MX_IS_NOP ? in->imm & 15 : 0;
}

/* The code from `begin` to the branch at node `last`, which returns to it. */
static struct mx_loop measure(const struct mx_graph *g, unsigned begin, unsigned last) {
	struct mx_loop l = { .begin = 4 * begin, .last = 4 * last };
	for (unsigned i = begin; i <= last; i++)
		if (g->node[i].in && g->node[i].in->op)
			count(g->node[i].in, &l);
	return l;
}

static bool returns_to(const struct mx_graph *g, unsigned i, unsigned *begin) {
	for (unsigned k = 0; g->node[i].in && k < 2; k++)
		if (g->node[i].next[k] >= 0 && g->node[i].next[k] <= (int)i) {
			*begin = (unsigned)g->node[i].next[k];
			return true;
		}
	return false;
}

/* Whether l contains a loop with matrix instructions. */
static bool contains_loop(const struct mx_graph *g, const struct mx_loop *l) {
	unsigned begin;
	for (unsigned i = l->begin / 4; i < l->last / 4; i++)
		if (returns_to(g, i, &begin) && begin >= l->begin / 4 &&
		    measure(g, begin, i).matrix)
			return true;
	return false;
}

static bool has_more(const struct mx_loop *l, const struct mx_loop *than) {
	return l->passes != than->passes ? l->passes > than->passes : l->matrix > than->matrix;
}

struct mx_loop mx_main_loop(const struct mx_graph *g) {
	struct mx_loop best = { 0 };
	unsigned begin;
	for (unsigned i = 0; i < g->n; i++) {
		if (!returns_to(g, i, &begin))
			continue;
		struct mx_loop l = measure(g, begin, i);
		if (has_more(&l, &best) && !contains_loop(g, &l))
			best = l;
	}
	return best;
}

unsigned mx_loop_issue_cycles(const struct mx_loop *l) {
	return MX_ISSUE_CYCLES * (l->instructions + l->idle);
}

unsigned mx_loop_matrix_cycles(const struct mx_loop *l) {
	return MX_PASS_CYCLES * l->passes;
}
