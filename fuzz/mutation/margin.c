/* Wait states that can be removed from a nop, found from register dependences.
 *
 * This second judge of shorter nops does not use the rules for pairs of instructions, only the
 * largest number that any pair of the instruction set requires (struct mx_hazard_rules). It uses
 * the registers that the executor writes and those that the decoder lists as read, in one run; so
 * it covers only the paths of that run. */
#include "margin.h"

#include <stdlib.h>
#include <string.h>

#include "../../ref/isa/encoding/instruction_set.h"
#include "../../ref/isa/encoding/passes.h"
#include "../../ref/isa/waitstates/hazard.h"
#include "../../ref/isa/encoding/operands.h"
#include "../hunt/schedule.h"

enum {
	WAVES = 16,
	RING = 256, /* instructions: longer than any wait states */
	REGISTERS = MX_ROWS,
	PLENTY = 16,
	NEAR = 20 + PLENTY, /* wait states that may matter: at most 16 passes and most_matrix, 4 */
};

struct past {
	uint64_t at;   /* wait states before it */
	unsigned most; /* wait states that a dependent instruction may require after it */
	int site;      /* index of this nop; -1: not a nop */
	bool writes[REGISTERS];
	bool late[REGISTERS]; /* it reads them late, as C of a matrix instruction [CDNA4 7.6] */
};

struct wave {
	uint64_t at;
	size_t n;
	struct past ring[RING];
};

struct margin {
	const struct mx_bench *b;
	struct mx_site *sites;
	size_t n;
	struct wave waves[WAVES];
};

/* ---- dependences ---- */

/* `later` depends on `first`: their margin limits that of every nop between them. */
static void depends(struct margin *s, struct wave *w, size_t first, const struct past *later) {
	const struct past *p = &w->ring[first % RING];
	uint64_t between = later->at - p->at - 1;
	unsigned margin = between < p->most ? 0 : (unsigned)(between - p->most);
	for (size_t i = first + 1; i < w->n; i++) {
		int site = w->ring[i % RING].site;
		if (site >= 0 && margin < s->sites[site].margin)
			s->sites[site].margin = margin;
	}
}

/* Whether instruction `i` is so near to the last one that it may limit a margin. */
static bool is_near(const struct wave *w, size_t i) {
	return i + RING >= w->n && w->ring[(w->n - 1) % RING].at - w->ring[i % RING].at <= NEAR;
}

/* The last instruction uses a register; finds the earlier ones that write it or read it late. */
static void uses(struct margin *s, struct wave *w, unsigned row, bool writes) {
	const struct past *last = &w->ring[(w->n - 1) % RING];
	if (row >= REGISTERS)
		return;
	for (size_t i = w->n - 1; i-- > 0 && is_near(w, i);) {
		const struct past *p = &w->ring[i % RING];
		if (p->writes[row] || (writes && p->late[row]))
			depends(s, w, i, last);
	}
}

/* ---- events of a run ---- */

static int site_at(const struct margin *s, const struct mx_hazard_rules *hazards, uint64_t pc,
                   const struct mx_inst *in) {
	unsigned step = mx_bench_first_of(s->b, mx_bench_running(s->b));
	bool nop = mx_kind_of(in->op) == MX_IS_NOP || mx_is_single_nop(hazards, in);
	for (size_t i = 0; nop && i < s->n; i++)
		if (s->sites[i].pc == pc && s->sites[i].step == step)
			return (int)i;
	return -1;
}

static struct past *enter(struct margin *s, struct wave *w, const struct mx_hazard_rules *hazards,
                          const struct mx_inst *in, uint64_t pc) {
	struct past *p = &w->ring[w->n++ % RING];
	struct mx_hazard_traits traits;
	hazards->traits(in, &traits);
	*p = (struct past){ .at = w->at,
		            .site = site_at(s, hazards, pc, in),
		            .most = hazards->most };
	if (mx_is_matrix(in->op))
		p->most = mx_matrix_passes(in) + hazards->most_matrix;
	w->at += traits.states;
	return p;
}

static bool reads_late(const struct mx_hazard_rules *hazards, const struct mx_inst *in,
                       const struct mx_operand *o) {
	bool slow = mx_is_matrix(in->op) || mx_kind_of(in->op) == MX_IS_TRANS;
	return o->role == MX_AS_C || (hazards->reads_late && slow && !o->written);
}

/* Instructions with effects outside registers: a mode, EXEC by comparison, VCCZ and EXECZ. */
static bool has_hidden_effect(const struct mx_inst *in) {
	mx_kind kind = mx_kind_of(in->op);
	const uint64_t masks = MX_EXEC_IN | MX_EXEC_OUT;
	bool zero = kind == MX_IS_CBRANCH && in->op->flags & MX_VCC_IN;
	return kind == MX_IS_SETREG || kind == MX_IS_GETREG || zero || in->op->flags & masks;
}

static void issued(struct margin *s, struct wave *w, const struct mx_event *e) {
	struct mx_inst in;
	e->isa->decode(e->code, e->dwords, 0, &in);
	if (!in.op)
		return;
	if (e->isa->rebank)
		e->isa->rebank(&in, e->banks);
	const struct mx_hazard_rules *hazards = e->isa->hazards;
	struct past *p = enter(s, w, hazards, &in, e->pc);
	MX_FOR_OPERANDS(o, &in)
		for (unsigned k = 0; (!o->written || o == mx_loaded_operand(&in)) && k < o->dwords;
		     k++) {
			unsigned row = mx_operand_row(o->code) + k;
			uses(s, w, row, o->written);
			if (row < REGISTERS && reads_late(hazards, &in, o))
				p->late[row] = true;
		}
	for (size_t i = w->n - 1; has_hidden_effect(&in) && i-- > 0 && is_near(w, i);)
		depends(s, w, i, p);
}

static void wrote(struct margin *s, struct wave *w, unsigned row) {
	uses(s, w, row, true);
	w->ring[(w->n - 1) % RING].writes[row] = true;
}

static unsigned wants(void *context, const uint32_t workgroup[3], uint32_t wave) {
	struct margin *s = context;
	(void)workgroup;
	if (wave < WAVES)
		s->waves[wave].n = s->waves[wave].at = 0;
	return wave < WAVES ? MX_EVENT_ISSUE | MX_EVENT_SGPR | MX_EVENT_VGPR : 0;
}

/* Registers written by landing memory operations need waits, which other mutants test. */
static void event(void *context, const struct mx_event *e) {
	struct margin *s = context;
	struct wave *w = &s->waves[e->wave];
	if (e->kind == MX_EVENT_ISSUE)
		issued(s, w, e);
	else if (w->n && !e->landing)
		wrote(s, w, e->kind == MX_EVENT_SGPR ? MX_ROW_SCALAR + e->reg : e->reg);
}

int mx_margin_watch(struct mx_bench *b, struct mx_site *sites, size_t n, struct mx_error *err) {
	const struct mx_schedule sequential = { .odd = UINT64_MAX };
	struct margin *s = calloc(1, sizeof *s);
	struct mx_run_result r;
	if (!s)
		return mx_fail(err, "out of memory");
	s->b = b;
	s->sites = sites;
	s->n = n;
	for (size_t i = 0; i < n; i++)
		sites[i].margin = PLENTY;
	const struct mx_observer observer = { s, wants, event };
	mx_bench_options(b)->observer = &observer;
	int status = mx_bench_run_as(b, &sequential, &r, err);
	mx_bench_options(b)->observer = NULL;
	free(s);
	return status;
}
