/* Waits on all paths: which registers an operation in flight may still write.
 *
 * For each register and counter, the age of the youngest operation that is to write it: how many
 * were issued on the counter since. A wait for N is over when at most N are in flight, so those of
 * an age of N or more have landed; where paths meet, the younger one counts. Scalar loads and FLAT
 * land in no order on lgkmcnt [ISA 8.3, 10.2]: while one may be in flight, only a wait for 0 proves
 * anything. On vmcnt FLAT is taken to land in order, as clang counts on it [assumed]. */
#include <stdlib.h>
#include <string.h>

#include "../encoding/operands.h"
#include "../machine/findings.h"
#include "../machine/wave.h"
#include "../schedule/schedule.h"
#include "../waitstates/hazard.h"
#include "lint.h"

enum { VM, LGKM, COUNTERS, NOT_IN_FLIGHT = 255, REGISTERS = MX_ROWS };

struct state {
	uint8_t age[COUNTERS][REGISTERS];
	bool no_order[COUNTERS];
	const struct mx_inst *load[COUNTERS][REGISTERS]; /* whose age it is */
};

struct waits {
	const struct mx_lint *lint;
	struct state **at; /* of each node that begins straight-line code and was reached */
	int *queue;
	unsigned n_queue;
	bool *queued;
	bool reporting, out_of_memory;
};

/* ---- what is in flight ---- */

static unsigned most(unsigned counter) {
	return counter == VM ? MX_VMCNT_MAX : MX_LGKMCNT_MAX;
}

static void grow_older(struct state *s, unsigned counter) {
	for (unsigned r = 0; r < REGISTERS; r++) {
		uint8_t *age = &s->age[counter][r];
		if (*age != NOT_IN_FLIGHT && *age + 1u < most(counter))
			++*age;
	}
}

static void wait_for(struct state *s, unsigned counter, unsigned n) {
	if (n && s->no_order[counter])
		return;
	for (unsigned r = 0; r < REGISTERS; r++)
		if (s->age[counter][r] >= n)
			s->age[counter][r] = NOT_IN_FLIGHT;
	if (!n)
		s->no_order[counter] = false;
}

/* A full counter stalls issue, see mx_room_to_issue: then the oldest have landed. */
static void make_room(struct state *s, const struct mx_inst *in) {
	unsigned vm, lgkm;
	if (!mx_room_to_issue(in, &vm, &lgkm))
		return;
	wait_for(s, VM, vm);
	wait_for(s, LGKM, lgkm);
}

static void launch(struct state *s, unsigned counter, const struct mx_inst *in, bool no_order) {
	const struct mx_operand *to = mx_loaded_operand(in);
	s->no_order[counter] |= no_order;
	grow_older(s, counter);
	for (unsigned i = 0; to && i < to->dwords; i++) {
		unsigned row = mx_operand_row(to->code) + i;
		s->age[counter][row] = 0;
		s->load[counter][row] = in;
	}
}

static void launch_instruction(struct state *s, const struct mx_inst *in) {
	if (in->counts.vm)
		launch(s, VM, in, false);
	if (in->counts.lgkm)
		launch(s, LGKM, in, in->op->encoding != MX_DS);
}

/* ---- what an instruction touches ---- */

/* A register that the instruction touches while it is in flight. */
struct touched {
	bool found, written;
	unsigned counter, row, needed; /* the count to wait for */
};

/* The weakest wait that covers it here: for all that was issued after it. */
static void report(struct waits *w, const struct state *s, const struct mx_inst *in,
                   const struct touched *t) {
	const struct mx_inst *load = s->load[t->counter][t->row];
	const struct mx_lint *l = w->lint;
	const struct mx_finding f = {
		.kind = MX_UNWAITED,
		.count = 1,
		.pc = in->offset - l->start,
		.code = mx_inst_dwords_of(in),
		.lane = -1,
		.reg = (uint16_t)t->row,
		.access = { t->written ? MX_ACCESS_WRITE : MX_ACCESS_READ, MX_SPACE_REGISTER, 4 },
		.earlier = load->offset - l->start,
		.earlier_code = mx_inst_dwords_of(load),
		.earlier_access = { MX_ACCESS_WRITE, MX_SPACE_REGISTER, 4 },
		.missing = { .kind = MX_MISSING_WAIT,
		             .counter = t->counter == VM ? MX_COUNTER_VM : MX_COUNTER_LGKM,
		             .count = t->needed },
	};
	l->found(l->context, &f);
}

/* Keeps the register of the operand that needs the strictest wait: it covers the others of its
 * counter. except: a counter whose operations land in the order of this one, which loads. */
static void touch(const struct state *s, const struct mx_operand *o, int except,
                  struct touched *t) {
	for (unsigned i = 0; i < o->dwords; i++)
		for (unsigned c = 0; c < COUNTERS; c++) {
			unsigned row = mx_operand_row(o->code) + i;
			unsigned needed = s->no_order[c] ? 0 : s->age[c][row];
			if (s->age[c][row] == NOT_IN_FLIGHT || (int)c == except ||
			    (t->found && needed >= t->needed))
				continue;
			*t = (struct touched){ true, o->written, c, row, needed };
		}
}

/* The counter on which a load lands in the order of issue; -1: in none. */
static int order_of(const struct mx_inst *in) {
	mx_encoding e = in->op->encoding;
	if (e == MX_DS)
		return LGKM;
	return e == MX_SMEM || e < MX_DS || e == MX_FLAT ? -1 : VM;
}

static void touch_all(struct waits *w, const struct state *s, const struct mx_inst *in) {
	const struct mx_operand *loaded = mx_loaded_operand(in);
	struct touched t = { .found = false };
	MX_FOR_OPERANDS(o, in)
		touch(s, o, o == loaded ? order_of(in) : -1, &t);
	if (t.found)
		report(w, s, in, &t);
}

/* ---- along the paths ---- */

static void merge(struct waits *w, int to, const struct state *s) {
	struct state *old = w->at[to];
	bool changed = !old;
	if (!old) {
		old = w->at[to] = malloc(sizeof *old);
		w->out_of_memory |= !old;
		if (old)
			*old = *s;
	}
	for (unsigned c = 0; old && c < COUNTERS; c++) {
		changed |= s->no_order[c] && !old->no_order[c];
		old->no_order[c] |= s->no_order[c];
		for (unsigned r = 0; r < REGISTERS; r++)
			if (s->age[c][r] < old->age[c][r]) {
				old->age[c][r] = s->age[c][r];
				old->load[c][r] = s->load[c][r];
				changed = true;
			}
	}
	if (changed && !w->queued[to] && !w->reporting) {
		w->queued[to] = true;
		w->queue[w->n_queue++] = to;
	}
}

/* What a called function leaves in flight is taken to be nothing, as compiled ones wait. */
static void step(struct waits *w, struct state *s, const struct mx_inst *in) {
	make_room(s, in);
	if (w->reporting)
		touch_all(w, s, in);
	if (mx_kind_of(in->op) == MX_IS_WAITCNT) {
		wait_for(s, VM, in->wait.vmcnt);
		wait_for(s, LGKM, in->wait.lgkmcnt);
	} else if (mx_is_call(in))
		memset(s->age, NOT_IN_FLIGHT, sizeof s->age);
	else
		launch_instruction(s, in);
}

static void walk(struct waits *w, int i) {
	const struct mx_graph *g = &w->lint->graph;
	struct state s = *w->at[i];
	while (i >= 0 && g->node[i].in->op) {
		const struct mx_node *node = &g->node[i];
		step(w, &s, node->in);
		int next = -1;
		for (unsigned k = 0; k < 2; k++)
			if (node->next[k] >= 0 && g->node[node->next[k]].begins)
				merge(w, node->next[k], &s);
			else if (node->next[k] >= 0)
				next = node->next[k];
		i = next;
	}
}

static bool solve(struct waits *w) {
	const struct mx_graph *g = &w->lint->graph;
	struct state start = { 0 };
	memset(start.age, NOT_IN_FLIGHT, sizeof start.age);
	merge(w, 0, &start);
	while (w->n_queue && !w->out_of_memory) {
		int i = w->queue[--w->n_queue];
		w->queued[i] = false;
		walk(w, i);
	}
	w->reporting = true;
	for (unsigned i = 0; i < g->n && !w->out_of_memory; i++)
		if (w->at[i])
			walk(w, (int)i);
	return !w->out_of_memory;
}

bool mx_lint_waits(const struct mx_lint *l) {
	unsigned n = l->graph.n;
	struct waits w = { .lint = l,
		           .at = calloc(n + 1, sizeof *w.at),
		           .queue = malloc((n + 1) * sizeof *w.queue),
		           .queued = calloc(n + 1, 1) };
	bool ok = !n || (w.at && w.queue && w.queued && solve(&w));
	for (unsigned i = 0; w.at && i < n; i++)
		free(w.at[i]);
	free(w.at);
	free(w.queue);
	free(w.queued);
	return ok;
}
