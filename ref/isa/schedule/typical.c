/* The schedule `typical`: a deterministic model of one compute unit, for kernels that rely on
 * latencies.
 *
 * The clock counts cycles. Wave i runs on SIMD i % 4 and issues at most one instruction in 4 cycles
 * [ISA 2.2: 16 lanes a cycle]. A SIMD has one vector ALU and one matrix unit, which is busy for 4
 * cycles per pass [ISA 7.1.2, table 28]. The compute unit has one LDS and one path to vector
 * memory. Both take operations in the order of issue, at a fixed number of bytes per cycle. Of the
 * waves that can issue at the same cycle, that of highest priority is first, then the one that
 * issued least recently. An operation lands after its latency, or with the operation before it in
 * its queue. A wait ends when the operations that it waits for have landed.
 *
 * It is one schedule of many, not a prediction of time: no bank conflicts, no instruction fetch, no
 * other workgroups on the unit. */
#include "typical.h"

#include <stdlib.h>
#include <string.h>

#include "../encoding/passes.h"
#include "../machine/findings.h"
#include "schedule.h"

enum {
	SIMDS = 4,
	LDS_BYTES = 128,   /* of LDS in a cycle [CDNA 4 white paper] */
	VECTOR_BYTES = 64, /* of vector memory in a cycle [CDNA 3 white paper: L1] */
	LINE_BITS = 7,     /* L2 has lines of 128 bytes [CDNA 3 white paper] */
	LINES = 1 << 12,
	SLEEP = 64, /* cycles of each unit of s_sleep [ISA 12.5] */
};

struct mx_units {
	uint64_t lds, vector;                /* the cycle at which each is free */
	uint64_t valu[SIMDS], matrix[SIMDS]; /* of each SIMD */
	uint64_t turns;                      /* of all waves */
	uint64_t line[LINES];                /* lines that the workgroup accessed, plus 1 */
};

static bool is_typical(const struct mx_run *run) {
	return run->launch->schedule && run->launch->schedule->typical;
}

bool mx_typical_new(struct mx_group *g) {
	if (is_typical(g->run))
		g->units = malloc(sizeof *g->units);
	return g->units || !is_typical(g->run);
}

void mx_typical_start(struct mx_group *g) {
	if (!g->units)
		return;
	memset(g->units, 0, sizeof *g->units);
	for (unsigned i = 0; i < g->n_waves; i++)
		g->waves[i].ready_at = g->waves[i].last_turn = 0;
}

void mx_typical_free(struct mx_group *g) {
	free(g->units);
	g->units = NULL;
}

static uint64_t later(uint64_t a, uint64_t b) {
	return a > b ? a : b;
}

/* ---- issue ---- */

/* The cycle at which the unit of the wave's next instruction is free. */
static uint64_t unit_free(const struct mx_wave *w) {
	const struct mx_units *u = w->group->units;
	const struct mx_inst *in = mx_program_at(w->group->run->launch->program, w->pc);
	if (!in || !in->op)
		return 0;
	if (mx_matrix_passes(in))
		return u->matrix[w->index % SIMDS];
	return mx_is_vector_alu(in->op) ? u->valu[w->index % SIMDS] : 0;
}

static uint64_t start_of(const struct mx_wave *w) {
	return later(later(w->ready_at, unit_free(w)), w->group->clock);
}

static bool may_issue(const struct mx_wave *w) {
	return w->status == MX_READY || (w->status == MX_WAITING && mx_wait_over(w));
}

static bool is_before(const struct mx_wave *a, const struct mx_wave *b) {
	uint64_t start_a = start_of(a), start_b = start_of(b);
	if (start_a != start_b)
		return start_a < start_b;
	return a->priority != b->priority ? a->priority > b->priority : a->last_turn < b->last_turn;
}

static struct mx_wave *first_to_issue(struct mx_group *g) {
	struct mx_wave *first = NULL;
	for (unsigned i = 0; i < g->n_waves; i++)
		if (may_issue(&g->waves[i]) && (!first || is_before(&g->waves[i], first)))
			first = &g->waves[i];
	return first;
}

static uint64_t first_landing(const struct mx_group *g) {
	uint64_t due = UINT64_MAX;
	for (unsigned i = 0; i < g->n_waves; i++)
		if (g->waves[i].next_due < due)
			due = g->waves[i].next_due;
	return due;
}

struct mx_wave *mx_typical_pick(struct mx_group *g) {
	for (;;) {
		uint64_t due = first_landing(g);
		struct mx_wave *w = first_to_issue(g);
		if (w && start_of(w) < due) {
			g->clock = start_of(w);
			w->status = MX_READY;
			return w;
		}
		if (due == UINT64_MAX)
			return NULL;
		g->clock = later(g->clock, due);
		mx_land_due_by_rank(g);
		if (mx_stopped(g->waves))
			return NULL;
	}
}

static uint64_t cycles_of(const struct mx_wave *w, const struct mx_inst *in) {
	if (w->yields)
		return MX_ISSUE_CYCLES + SLEEP * (in->imm & 127);
	return mx_kind_of(in->op) == MX_IS_NOP ? MX_ISSUE_CYCLES * ((in->imm & 15) + 1u)
	                                       : MX_ISSUE_CYCLES;
}

void mx_typical_issued(struct mx_wave *w, const struct mx_inst *in) {
	struct mx_units *u = w->group->units;
	uint64_t now = w->group->clock;
	unsigned passes = mx_matrix_passes(in);
	w->ready_at = now + cycles_of(w, in);
	w->last_turn = ++u->turns;
	if (passes)
		u->matrix[w->index % SIMDS] = now + MX_PASS_CYCLES * passes;
	else if (mx_is_vector_alu(in->op))
		u->valu[w->index % SIMDS] = now + MX_ISSUE_CYCLES;
}

/* ---- operations ---- */

static unsigned bytes_of(const struct mx_memop *m) {
	bool block = mx_kind_of(m->in->op) == MX_IS_BLOCK;
	unsigned lane = block                          ? 4 * (unsigned)__builtin_popcount(m->block)
	                : m->in->op->flags & MX_FORMAT ? 16
	                                               : m->in->op->d;
	return lane * (unsigned)__builtin_popcountll(m->exec);
}

/* Notes a line. Returns whether the workgroup has accessed it before. */
static bool touch_line(struct mx_units *u, uint64_t address) {
	uint64_t line = (address >> LINE_BITS) + 1, *at = &u->line[line % LINES];
	bool known = *at == line;
	*at = line;
	return known;
}

static bool all_lines_known(struct mx_units *u, const struct mx_memop *m) {
	bool known = true;
	unsigned l;
	MX_FOR_LANES(l, m->in_lds ? 0 : m->exec & ~m->scratch)
	known &= touch_line(u, m->address[l]);
	return known;
}

static uint64_t pass_through(uint64_t *unit, uint64_t now, unsigned bytes, unsigned per_cycle) {
	*unit = later(*unit, now) + (bytes + per_cycle - 1) / per_cycle;
	return *unit;
}

uint64_t mx_typical_due(struct mx_wave *w, const struct mx_memop *m) {
	struct mx_group *g = w->group;
	const struct mx_latencies *t = &g->run->launch->schedule->latency;
	struct mx_units *u = g->units;
	mx_encoding encoding = m->in->op->encoding;
	if (encoding < MX_VOP2)
		return g->clock + t->scalar;
	if (encoding == MX_DS || m->in_lds)
		return pass_through(&u->lds, g->clock, bytes_of(m), LDS_BYTES) + t->lds;
	uint64_t sent = pass_through(&u->vector, g->clock, bytes_of(m), VECTOR_BYTES);
	return sent + (all_lines_known(u, m) ? t->l2 : t->memory) +
	       (m->in->op->flags & MX_TO_LDS ? t->dma : 0);
}
