/* Waits on all paths: a data-flow analysis of the registers that an operation in flight may write.
 *
 * The state has, for each register and counter, the age of the youngest operation that will write
 * it: how many operations the counter has had since. After a wait for N at most N are in flight, so
 * operations of age N or more have landed. Where paths merge, the younger one counts. While an
 * operation may be in flight that lands in any order, or operations of two streams of the counter,
 * only a wait for 0 covers anything. FLAT in device memory is assumed to land in order, as clang
 * does [assumed]. */
#include <stdlib.h>
#include <string.h>

#include "../encoding/operands.h"
#include "../machine/findings.h"
#include "../machine/wave.h"
#include "../waitstates/hazard.h"
#include "lint.h"

enum { NOT_IN_FLIGHT = 255, REGISTERS = MX_ROWS, SCALARS = MX_ROWS - MX_ROW_SCALAR };

/* The operations of a counter, by register: scalars, then the vector registers. */
struct state {
	uint8_t age[REGISTERS];
	uint8_t streams;                       /* that may have operations in flight, a bit each */
	const struct mx_inst *load[REGISTERS]; /* the operation of that age */
};

struct waits {
	const struct mx_lint *lint;
	const struct mx_isa *isa;
	unsigned registers; /* of the instruction set */
	struct state **at;  /* at the start of each basic block that was reached; by counter */
	int *queue;
	unsigned n_queue;
	bool *queued;
	uint32_t m0; /* in the straight code that is walked; not known: all bits */
	bool reporting, out_of_memory;
};

/* The register of a row. */
static unsigned register_of(unsigned row) {
	return row < MX_ROW_SCALAR ? SCALARS + row : row - MX_ROW_SCALAR;
}

/* ---- operations in flight ---- */

/* Whether a counter has its operations in the order of issue. */
static bool in_order(const struct mx_isa *isa, const struct state *s) {
	bool one = !(s->streams & (s->streams - 1));
	return one && (!s->streams || isa->stream[__builtin_ctz(s->streams)].order != MX_ANY_ORDER);
}

static void grow_older(const struct waits *w, struct state *s, unsigned most) {
	for (unsigned r = 0; r < w->registers; r++) {
		uint8_t *age = &s->age[r];
		if (*age != NOT_IN_FLIGHT && *age + 1u < most)
			++*age;
	}
}

static void wait_for(const struct waits *w, struct state *s, mx_counts counts) {
	for (unsigned c = 0; c < w->isa->n_counters; c++, s++) {
		unsigned n = mx_count(counts, c);
		if (n && !in_order(w->isa, s))
			continue;
		for (unsigned r = 0; r < w->registers; r++)
			if (s->age[r] >= n)
				s->age[r] = NOT_IN_FLIGHT;
		if (!n)
			s->streams = 0;
	}
}

/* A full counter stalls issue, so the oldest operations have landed. */
static void make_room(const struct waits *w, struct state *s, const struct mx_inst *in) {
	if (in->counts)
		wait_for(w, s, mx_counts_most(w->isa) - in->counts);
}

static void launch(const struct waits *w, struct state *s, const struct mx_inst *in) {
	const struct mx_operand *to = mx_loaded_operand(in);
	for (unsigned i = 0; i < w->isa->n_streams; i++) {
		unsigned c = w->isa->stream[i].counter;
		if (!(in->streams >> i & 1))
			continue;
		s[c].streams |= (uint8_t)(1u << i);
		grow_older(w, &s[c], w->isa->counter[c].most);
		for (unsigned k = 0; to && k < to->dwords; k++) {
			unsigned r = register_of(mx_operand_row(to->code) + k);
			if (!(mx_accessed(in, to, w->m0) >> k & 1))
				continue;
			s[c].age[r] = 0;
			s[c].load[r] = in;
		}
	}
}

/* ---- accesses ---- */

/* A register in flight that the instruction accesses. */
struct touched {
	bool found, written;
	unsigned counter, row, needed; /* the count to wait for */
};

/* The missing wait is the weakest that covers the load: for all operations issued after it. */
static void report(struct waits *w, const struct state *s, const struct mx_inst *in,
                   const struct touched *t) {
	const struct mx_inst *load = s[t->counter].load[register_of(t->row)];
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
		.missing = { .kind = MX_MISSING_WAIT, .counter = t->counter, .count = t->needed },
	};
	l->found(l->context, &f);
}

/* Keeps the register of the operand that needs the strictest wait, which covers the others of its
 * counter. `except`: a counter on which the instruction, itself a load to the operand, lands in
 * order. */
static void touch(const struct waits *w, const struct state *s, const struct mx_inst *in,
                  const struct mx_operand *o, int except, struct touched *t) {
	const uint32_t accessed = mx_accessed(in, o, w->m0);
	for (unsigned i = 0; i < o->dwords; i++)
		for (unsigned c = 0; c < w->isa->n_counters; c++) {
			unsigned row = mx_operand_row(o->code) + i;
			uint8_t age = s[c].age[register_of(row)];
			unsigned needed = in_order(w->isa, &s[c]) ? age : 0;
			if (age == NOT_IN_FLIGHT || (int)c == except || !(accessed >> i & 1) ||
			    (t->found && needed >= t->needed))
				continue;
			*t = (struct touched){ true, o->written, c, row, needed };
		}
}

/* The counter on which a load lands in the order of issue; -1: none. */
static int order_of(const struct mx_isa *isa, const struct mx_inst *in) {
	bool one = in->streams && !(in->streams & (in->streams - 1));
	const struct mx_isa_stream *s = one ? &isa->stream[__builtin_ctz(in->streams)] : NULL;
	return s && s->order == MX_IN_ORDER ? s->counter : -1;
}

static void touch_all(struct waits *w, const struct state *s, const struct mx_inst *in) {
	const struct mx_operand *loaded = mx_loaded_operand(in);
	struct touched t = { .found = false };
	MX_FOR_OPERANDS(o, in)
		touch(w, s, in, o, o == loaded ? order_of(w->isa, in) : -1, &t);
	if (t.found)
		report(w, s, in, &t);
}

/* ---- along the paths ---- */

static size_t bytes_of(const struct waits *w) {
	return w->isa->n_counters * sizeof(struct state);
}

static void copy(const struct waits *w, struct state *to, const struct state *from) {
	for (unsigned c = 0; c < w->isa->n_counters; c++) {
		to[c].streams = from[c].streams;
		memcpy(to[c].age, from[c].age, w->registers * sizeof *to->age);
		memcpy(to[c].load, from[c].load, w->registers * sizeof *to->load);
	}
}

/* Whether the older state changed. */
static bool merge_counter(const struct waits *w, struct state *old, const struct state *s) {
	bool changed = s->streams & ~old->streams;
	old->streams |= s->streams;
	for (unsigned r = 0; r < w->registers; r++)
		if (s->age[r] < old->age[r]) {
			old->age[r] = s->age[r];
			old->load[r] = s->load[r];
			changed = true;
		}
	return changed;
}

static void merge(struct waits *w, int to, const struct state *s) {
	struct state *old = w->at[to];
	bool changed = !old;
	if (!old) {
		old = w->at[to] = malloc(bytes_of(w));
		w->out_of_memory |= !old;
		if (old)
			copy(w, old, s);
	}
	for (unsigned c = 0; old && c < w->isa->n_counters; c++)
		changed |= merge_counter(w, &old[c], &s[c]);
	if (changed && !w->queued[to] && !w->reporting) {
		w->queued[to] = true;
		w->queue[w->n_queue++] = to;
	}
}

static void forget(const struct waits *w, struct state *s) {
	for (unsigned c = 0; c < w->isa->n_counters; c++)
		memset(s[c].age, NOT_IN_FLIGHT, sizeof s[c].age);
}

static uint32_t m0_after(const struct mx_inst *in, uint32_t m0) {
	unsigned code = mx_source(in, 0);
	bool moves = in->op->id == MX_OP_s_mov_b32;
	if (!mx_is_call(in) && !mx_writes_row(in, MX_ROW_SCALAR + MX_M0))
		return m0;
	if (moves && code >= MX_INT_0 && code <= MX_INT_64)
		return code - MX_INT_0;
	return moves && code == MX_LITERAL ? in->literal : ~0u;
}

/* A called function is assumed to leave nothing in flight, as compiled ones do. */
static void step(struct waits *w, struct state *s, const struct mx_inst *in) {
	make_room(w, s, in);
	if (w->reporting)
		touch_all(w, s, in);
	if (mx_kind_of(in->op) == MX_IS_WAITCNT)
		wait_for(w, s, in->wait);
	else if (mx_is_call(in))
		forget(w, s);
	else
		launch(w, s, in);
	w->m0 = m0_after(in, w->m0);
}

static void walk(struct waits *w, int i) {
	const struct mx_graph *g = &w->lint->graph;
	struct state s[MX_COUNTERS];
	copy(w, s, w->at[i]);
	w->m0 = ~0u;
	while (i >= 0 && g->node[i].in->op) {
		const struct mx_node *node = &g->node[i];
		step(w, s, node->in);
		int next = -1;
		for (unsigned k = 0; k < 2; k++)
			if (node->next[k] >= 0 && g->node[node->next[k]].begins)
				merge(w, node->next[k], s);
			else if (node->next[k] >= 0)
				next = node->next[k];
		i = next;
	}
}

static bool solve(struct waits *w) {
	const struct mx_graph *g = &w->lint->graph;
	struct state start[MX_COUNTERS] = { 0 };
	forget(w, start);
	merge(w, 0, start);
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
	const struct mx_isa *isa = mx_program_isa(l->program);
	unsigned n = l->graph.n;
	struct waits w = { .lint = l,
		           .isa = isa,
		           .registers = SCALARS + isa->vgprs + isa->agprs,
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
