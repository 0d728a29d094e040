/* The control-flow graph of a function, built by following branches and calls from its entry. */
#include "control_flow.h"

#include <stdlib.h>

#include "instruction_set.h"

bool mx_is_call(const struct mx_inst *in) {
	return in->op && mx_kind_of(in->op) == MX_IS_CALL;
}

static bool has_no_next(mx_kind kind) {
	return kind == MX_IS_END || kind == MX_IS_BRANCH || kind == MX_IS_SETPC ||
	       kind == MX_IS_JOIN;
}

/* Returns, jumps through registers, forks and joins have an unknown target, but for long jumps. */
static bool is_unknown(mx_kind kind) {
	return kind == MX_IS_SETPC || kind == MX_IS_FORK || kind == MX_IS_JOIN;
}

/* ---- nodes ---- */

struct builder {
	const struct mx_program *program;
	struct mx_graph *g;
	uint32_t start;
	int *stack;
	unsigned depth, last; /* node that was reached */
};

static void add_edge(struct builder *b, int from, unsigned which, long to) {
	struct mx_node *node = &b->g->node[from];
	if (to < 0 || to >= (long)b->g->n) {
		node->unknown = true;
		return;
	}
	node->next[which] = (int)to;
	if (!b->g->node[to].in) {
		b->g->node[to].in = mx_program_at(b->program, b->start + 4 * (uint32_t)to);
		b->stack[b->depth++] = (int)to;
		b->last = (unsigned)to > b->last ? (unsigned)to : b->last;
	}
}

/* ---- long jumps, to code that SIMM16 of a branch does not reach ---- */

static const struct mx_inst *at_node(const struct mx_graph *g, long i) {
	return i < 0 ? NULL : g->node[i].in;
}

/* "s_add_u32 s4, s4, 0x1234" */
static bool adds_literal(const struct mx_inst *in, mx_opcode id, unsigned code) {
	return in && in->op && in->op->id == id && in->size == 8 && mx_result(in) == code &&
	       mx_source(in, 0) == code && mx_source(in, 1) == MX_LITERAL;
}

/* s_getpc_b64, s_add_u32, s_addc_u32 and s_setpc_b64 of the same pair, as compilers write them: the
 * s_setpc_b64 is node i, and the sum is a distance in bytes from the s_add_u32. */
static bool ends_long_jump(const struct mx_graph *g, int i, int64_t *distance) {
	const struct mx_inst *in = g->node[i].in, *low = at_node(g, i - 4),
			     *high = at_node(g, i - 2), *get = at_node(g, i - 5);
	unsigned code = mx_source(in, 0);
	if (in->op->id != MX_OP_s_setpc_b64 || !get || !get->op ||
	    get->op->id != MX_OP_s_getpc_b64 || mx_result(get) != code ||
	    !adds_literal(low, MX_OP_s_add_u32, code) ||
	    !adds_literal(high, MX_OP_s_addc_u32, code + 1))
		return false;
	*distance = (int64_t)((uint64_t)high->literal << 32 | low->literal);
	return true;
}

/* The node to which a jump with literals leads; -1: none. False: the target is not known. */
static bool long_jump(const struct mx_graph *g, int i, long *to) {
	const struct mx_inst *in = g->node[i].in;
	int64_t distance;
	if (in->op->id == MX_OP_s_add_pc_i64 && in->wide_literal)
		distance = in->size + (int64_t)((uint64_t)in->literal_high << 32 | in->literal);
	else if (ends_long_jump(g, i, &distance))
		distance -= 4 * 4;
	else
		return false;
	*to = distance % 4 ? -1 : i + (long)(distance / 4);
	return true;
}

/* A jump into the middle of its instructions would bring other registers. */
static void check_long_jumps(struct mx_graph *g) {
	int64_t distance;
	for (int i = 0; i < (int)g->n; i++) {
		const struct mx_inst *in = g->node[i].in;
		if (!in || !in->op || !ends_long_jump(g, i, &distance))
			continue;
		g->node[i].unknown |= g->node[i].n_previous != 1 ||
		                      g->node[i - 2].n_previous != 1 ||
		                      g->node[i - 4].n_previous != 1;
	}
}

/* ---- edges ---- */

/* s_cbranch_g_fork: registers have the addresses of both paths [ISA 6.2]. */
static bool names_both_targets(const struct mx_op *op) {
	return mx_kind_of(op) == MX_IS_FORK && op->encoding == MX_SOP2;
}

static void visit(struct builder *b, int i) {
	struct mx_node *node = &b->g->node[i];
	const struct mx_inst *in = node->in;
	b->g->reached++;
	node->next[0] = node->next[1] = -1;
	node->unknown = !in->op;
	if (!in->op)
		return;
	mx_kind kind = mx_kind_of(in->op);
	long to;
	bool is_long = kind == MX_IS_SETPC && long_jump(b->g, i, &to);
	node->unknown = is_unknown(kind) && !is_long;
	if (!has_no_next(kind) && !names_both_targets(in->op))
		add_edge(b, i, 0, i + in->size / 4);
	if (kind == MX_IS_BRANCH || kind == MX_IS_CBRANCH)
		add_edge(b, i, 1, i + 1 + in->imm);
	if (is_long)
		add_edge(b, i, 1, to);
}

/* ---- predecessors ---- */

static bool link_predecessors(struct mx_graph *g) {
	unsigned at = 0;
	for (unsigned i = 0; i < g->n; i++)
		for (unsigned k = 0; g->node[i].in && k < 2; k++)
			if (g->node[i].next[k] >= 0)
				g->node[g->node[i].next[k]].n_previous++;
	for (unsigned i = 0; i < g->n; i++) {
		g->node[i].previous = at;
		at += g->node[i].n_previous;
		g->node[i].n_previous = 0;
	}
	g->previous = malloc((at + 1) * sizeof *g->previous);
	for (unsigned i = 0; g->previous && i < g->n; i++)
		for (unsigned k = 0; g->node[i].in && k < 2; k++)
			if (g->node[i].next[k] >= 0) {
				struct mx_node *to = &g->node[g->node[i].next[k]];
				g->previous[to->previous + to->n_previous++] = (int)i;
			}
	return g->previous != NULL;
}

/* Marks the first instructions of basic blocks: the entry, branch targets, and instructions after a
 * branch. */
static void mark_block_starts(struct mx_graph *g) {
	g->node[0].begins = true;
	for (unsigned i = 0; i < g->n; i++) {
		const struct mx_node *node = &g->node[i];
		bool splits = node->in && (node->next[1] >= 0 || node->n_previous != 1);
		if (node->in && node->n_previous != 1)
			g->node[i].begins = true;
		for (unsigned k = 0; splits && node->next[1] >= 0 && k < 2; k++)
			if (node->next[k] >= 0)
				g->node[node->next[k]].begins = true;
		g->unknown += node->in && node->unknown;
	}
}

bool mx_graph_make(const struct mx_program *p, uint32_t start, uint32_t end, struct mx_graph *g) {
	*g = (struct mx_graph){ .n = (end - start) / 4 };
	struct builder b = { p, g, start, NULL, 0, 0 };
	if (!g->n)
		return true;
	g->node = calloc(g->n, sizeof *g->node);
	b.stack = malloc(g->n * sizeof *b.stack);
	bool ok = g->node && b.stack;
	if (ok) {
		g->node[0].in = mx_program_at(p, start);
		b.stack[b.depth++] = 0;
		while (b.depth)
			visit(&b, b.stack[--b.depth]);
		g->n = b.last + 1;
		ok = link_predecessors(g);
	}
	if (ok) {
		check_long_jumps(g);
		mark_block_starts(g);
	} else
		mx_graph_free(g);
	free(b.stack);
	return ok;
}

/* ---- banks of VGPRs ---- */

/* Banks in which a node was entered; of more than two different ones, two. */
struct entered {
	uint8_t banks[2], n;
};

static bool same_registers(const struct mx_inst *a, const struct mx_inst *b) {
	for (unsigned i = 0; i < MX_MAX_OPERANDS; i++)
		if (a->operand[i].code != b->operand[i].code)
			return false;
	return true;
}

/* Whether the banks are new for the node. */
static bool enter(const struct mx_program *p, struct mx_node *node, struct entered *e,
                  unsigned banks) {
	if (e->n == 2 || (e->n && e->banks[0] == banks))
		return false;
	const struct mx_inst *in = mx_program_banked(p, node->in->offset, banks);
	e->banks[e->n++] = (uint8_t)banks;
	if (in && e->n == 1)
		node->in = in;
	else if (in)
		node->clash = !same_registers(node->in, in);
	return true;
}

bool mx_graph_follow_banks(const struct mx_program *p, struct mx_graph *g) {
	const struct mx_isa *isa = mx_program_isa(p);
	struct entered *e = calloc(g->n + 1, sizeof *e);
	int *stack = malloc((2 * g->n + 1) * sizeof *stack);
	unsigned depth = 0;
	bool ok = e && stack;
	if (ok && isa->banks_set && g->n && enter(p, &g->node[0], &e[0], 0))
		stack[depth++] = 0;
	while (depth) { /* a node, and which of its banks */
		int i = stack[--depth], which = i % 2;
		i /= 2;
		unsigned banks = isa->banks_set(g->node[i].in, e[i].banks[which]);
		for (unsigned k = 0; k < 2; k++) {
			int to = g->node[i].next[k];
			if (to >= 0 && enter(p, &g->node[to], &e[to], banks))
				stack[depth++] = 2 * to + e[to].n - 1;
		}
	}
	free(e);
	free(stack);
	return ok;
}

void mx_graph_free(struct mx_graph *g) {
	free(g->node);
	free(g->previous);
	*g = (struct mx_graph){ 0 };
}
