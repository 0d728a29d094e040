/* Waits on all paths: which registers an operation in flight may still write.
 *
 * For each register and counter, the age of the youngest operation that is to write it: how many
 * were issued on the counter since. A wait for N is over when at most N are in flight, so those of
 * an age of N or more have landed; where paths meet, the younger one counts. Scalar loads and FLAT
 * land in no order on lgkmcnt [ISA 8.3, 10.2]: while one may be in flight, only a wait for 0 proves
 * anything. On vmcnt FLAT is taken to land in order, as clang counts on it [assumed]. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../encoding/disasm.h"
#include "../encoding/operands.h"
#include "../machine/wave.h"
#include "../schedule/schedule.h"
#include "../waitstates/hazard.h"
#include "lint.h"

enum { VM, LGKM, COUNTERS, NOT_IN_FLIGHT = 255, REGISTERS = MX_SGPR_FILE + MX_VGPR_FILE };

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

static const char *const counter_name[COUNTERS] = { "vmcnt", "lgkmcnt" };

/* ---- registers ---- */

static unsigned row_of(unsigned code) {
	if (code < MX_SGPR_FILE)
		return code;
	return code >= MX_VGPR ? MX_SGPR_FILE + code - MX_VGPR : REGISTERS;
}

static void name_of(unsigned row, char name[16]) {
	unsigned v = row - MX_SGPR_FILE;
	if (row < MX_SGPR_FILE)
		snprintf(name, 16, row == MX_VCC || row == MX_VCC + 1 ? "vcc" : "s%u", row);
	else
		snprintf(name, 16, v < 256 ? "v%u" : "a%u", v % 256);
}

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

static void wait_instruction(struct state *s, const struct mx_inst *in) {
	unsigned simm = (unsigned)in->imm;
	wait_for(s, VM, (simm & 15) | (simm >> 14 & 3) << 4);
	wait_for(s, LGKM, simm >> 8 & 15);
}

static void launch(struct state *s, unsigned counter, const struct mx_inst *in,
                   const struct mx_use *to, bool no_order) {
	s->no_order[counter] |= no_order;
	grow_older(s, counter);
	for (unsigned i = 0; i < to->dwords; i++) {
		unsigned row = row_of(to->code + i);
		if (row >= REGISTERS)
			continue;
		s->age[counter][row] = 0;
		s->load[counter][row] = in;
	}
}

static void launch_instruction(struct state *s, const struct mx_inst *in) {
	const struct mx_use none = { 0 };
	mx_encoding e = in->op->encoding;
	if (e == MX_SOPP && !strncmp(in->op->name, "s_sendmsg", 9))
		launch(s, LGKM, in, &none, true);
	if (e < MX_DS && e != MX_SMEM)
		return;
	struct mx_use to = mx_load_target(in);
	if (e > MX_DS)
		launch(s, VM, in, &to, false);
	if (e == MX_DS || e == MX_SMEM || e == MX_FLAT)
		launch(s, LGKM, in, &to, e != MX_DS);
}

/* ---- what an instruction touches ---- */

/* The weakest wait that covers it here: for all that was issued behind it. */
static void report(struct waits *w, const struct state *s, const struct mx_inst *in,
                   unsigned counter, unsigned row, bool writes) {
	const struct mx_inst *load = s->load[counter][row];
	char name[16], other[160], text[300];
	name_of(row, name);
	if (!mx_disassemble(load->dwords, load->size / 4u, load->offset, other, sizeof other))
		snprintf(other, sizeof other, "%s", load->op->name);
	snprintf(text, sizeof text, "%s %s while +0x%x %s may be in flight: no s_waitcnt %s(%u)",
	         writes ? "writes" : "reads", name, load->offset - w->lint->start, other,
	         counter_name[counter], s->no_order[counter] ? 0u : s->age[counter][row]);
	w->lint->found(w->lint->context, MX_LINT_FINDING, "missing-wait", in, text);
}

/* The first register of a range that is in flight; except: a counter whose operations land in the
 * order of this one, which loads to it. */
static bool touch(struct waits *w, const struct state *s, const struct mx_inst *in, unsigned code,
                  unsigned n, bool writes, int except) {
	for (unsigned i = 0; i < n; i++)
		for (unsigned c = 0; c < COUNTERS && row_of(code + i) < REGISTERS; c++)
			if (s->age[c][row_of(code + i)] != NOT_IN_FLIGHT && (int)c != except) {
				report(w, s, in, c, row_of(code + i), writes);
				return true;
			}
	return false;
}

static bool is_written(unsigned operand) {
	return operand == MX_OPERAND_D || operand == MX_OPERAND_S;
}

static void touch_all(struct waits *w, const struct state *s, const struct mx_inst *in) {
	struct mx_use use[MX_MAX_USES];
	struct mx_hazard_traits face;
	mx_encoding e = in->op->encoding;
	size_t n = mx_uses(in, use);
	for (size_t i = 0; i < n; i++)
		if (touch(w, s, in, use[i].code, use[i].dwords, false, -1))
			return;
	if (e == MX_SMEM || e >= MX_DS) {
		struct mx_use to = mx_load_target(in);
		int order = e == MX_SMEM || e == MX_FLAT ? -1 : e == MX_DS ? LGKM : VM;
		touch(w, s, in, to.code, to.dwords, true, order);
		return;
	}
	mx_traits_make(in, &face);
	for (unsigned i = 0; i < face.n; i++)
		if (is_written(face.range[i].operand) &&
		    touch(w, s, in, face.range[i].code, face.range[i].n, true, -1))
			return;
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
	if (!strcmp(in->op->name, "s_waitcnt"))
		wait_instruction(s, in);
	else if (mx_is_call(in))
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
