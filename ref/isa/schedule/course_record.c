/* Recording a course, and what refuses it: a course has all of its wave's instructions, or it is
 * not kept. */
#include <stdlib.h>
#include <string.h>

#include "../encoding/hwreg.h"
#include "../encoding/operand_types.h"
#include "../machine/registers.h"
#include "course_inside.h"

struct mx_course_recording {
	uint64_t found;                       /* mx_run.found before the instruction */
	uint64_t mfma;                        /* mx_stats.mfma before it */
	size_t n_ops;                         /* before it */
	size_t landed;                        /* operations */
	size_t check;                         /* the event of the last wait, plus 1; 0: none */
	bool ended;                           /* the wave */
	struct mx_course_op *loader[MX_ROWS]; /* the load of a register that nothing has touched */
};

/* ---- the end of a recording ---- */

static void finish(struct mx_wave *w, mx_course_state state) {
	struct mx_course *c = w->course;
	free(c->recording);
	c->recording = NULL;
	c->state = state;
	w->course = NULL;
}

/* Operations in flight are no longer the course's. */
static void refuse(struct mx_wave *w) {
	struct mx_course *c = w->course;
	for (size_t i = 0; i < c->n_ops; i++)
		if (c->op[i]->in_flight) {
			c->op[i]->m->kept = NULL;
			c->op[i]->m = NULL;
		}
	mx_course_clear(c);
	finish(w, MX_COURSE_REFUSED);
}

static void count(struct mx_course *c, const struct mx_course_step *s) {
	size_t i = 0;
	while (i < c->n_tallies && c->tally[i].opcode != s->opcode)
		i++;
	if (i == c->n_tallies)
		c->tally[c->n_tallies++] = (struct mx_course_tally){ .opcode = s->opcode };
	c->tally[i].n++;
	c->mfma += s->matrix;
}

/* Counts the instructions by opcode, so that a wave that has followed them all need not. */
static bool count_steps(struct mx_course *c, size_t opcodes) {
	size_t most = c->n_steps < opcodes ? c->n_steps : opcodes;
	c->tally = malloc(most * sizeof *c->tally);
	for (size_t i = 0; c->tally && i < c->n_steps; i++)
		count(c, &c->step[i]);
	return c->tally;
}

static void finish_if_complete(struct mx_wave *w) {
	struct mx_course *c = w->course;
	if (!c->recording->ended || c->recording->landed != c->n_ops)
		return;
	if (count_steps(c, w->group->run->isa->n_ops))
		finish(w, MX_COURSE_KEPT);
	else
		refuse(w);
}

/* ---- arrays ---- */

/* Room for one more; NULL: there is none. */
static void *grow(struct mx_course *c, void *array, size_t n, size_t *room, size_t size) {
	enum { FIRST = 64 };
	if (n < *room)
		return array;
	size_t more = *room ? *room : FIRST;
	void *grown =
		mx_course_takes(c, more * size) ? realloc(array, (*room + more) * size) : NULL;
	*room += grown ? more : 0;
	return grown;
}

#define GROW(c, array, n, room) grow(c, (c)->array, (c)->n, &(c)->room, sizeof *(c)->array)

static bool add_event(struct mx_course *c, struct mx_course_event e) {
	void *grown = GROW(c, event, n_events, events_room);
	if (!grown)
		return false;
	c->event = grown;
	c->event[c->n_events++] = e;
	return true;
}

static bool add_step(struct mx_course *c, struct mx_course_step s) {
	void *grown = GROW(c, step, n_steps, steps_room);
	if (!grown)
		return false;
	c->step = grown;
	c->step[c->n_steps++] = s;
	return true;
}

static struct mx_course_op *add_op(struct mx_course *c) {
	void *grown = GROW(c, op, n_ops, ops_room);
	struct mx_course_op *op;
	if (!grown)
		return NULL;
	c->op = grown;
	if (!mx_course_takes(c, sizeof *op + sizeof *op->m) || !(op = calloc(1, sizeof *op)))
		return NULL;
	return c->op[c->n_ops++] = op;
}

/* ---- instructions ---- */

/* What others see, by handlers that read no registers. */
static bool is_flow(const struct mx_inst *in) {
	switch (mx_kind_of(in->op)) {
	case MX_IS_WAITCNT:
	case MX_IS_BARRIER:
	case MX_IS_END:
	case MX_IS_HINT: return true;
	default: return false;
	}
}

/* Operations that return what other waves have left, stores of scalar memory, and blocks, of which
 * an operation is a list. */
static bool is_operation_apart(const struct mx_inst *in) {
	const struct mx_op *op = in->op;
	bool scalar_store = op->encoding == MX_SMEM && (op->flags & MX_STORE || op->rmw);
	return scalar_store || (op->rmw && mx_course_result_dwords(in)) ||
	       mx_kind_of(op) == MX_IS_BLOCK || mx_kind_of(op) == MX_IS_LDS_COUNTER;
}

/* Instructions that read more than registers and memory, or registers that are no operands. */
static bool reads_more(const struct mx_isa *isa, const struct mx_inst *in) {
	switch (mx_kind_of(in->op)) {
	case MX_IS_SCALAR_CACHE:
	case MX_IS_CLOCK:
	case MX_IS_BARRIER_STATE:
	case MX_IS_FORK:
	case MX_IS_JOIN:
	case MX_IS_RFE:
	case MX_IS_HALT:
	case MX_IS_TRAP:
	case MX_IS_TTRACE:
	case MX_IS_PERF:
	case MX_IS_MOVREL:
	case MX_IS_GPR_INDEX: return true;
	case MX_IS_GETREG: return !(isa->settled_hwregs >> mx_hw_field(in).reg & 1);
	default: return false;
	}
}

static uint64_t lanes_of(const struct mx_wave *w, const struct mx_inst *in,
                         const struct mx_operand *o) {
	return o->lanes == MX_LANES_OF_EXEC && !in->dpp.used ? mx_exec(w) : w->lanes;
}

/* The written bits of their results do not depend on unwritten ones (uninit/taint.h), and they have
 * no notes that do. Compiled code reads halves of registers that were never written. A store to
 * device memory has a finding for unwritten bits, except in lanes that are out of range and store
 * nothing. */
static bool may_read_unwritten(const struct mx_inst *in) {
	const struct mx_op *op = in->op;
	if (op->unit == MX_UNIT_SALU || op->unit == MX_UNIT_MATRIX)
		return !op->as;
	if (op->encoding == MX_MUBUF || op->encoding == MX_GLOBAL)
		return op->flags & MX_STORE && !(op->flags & MX_FORMAT) && !op->rmw && !in->mem.lds;
	if (!mx_has_lanes(op) || mx_operand_types[op->type].is_float)
		return false;
	for (unsigned i = 0; i < 3; i++)
		if (op->s[i] && mx_operand_types[op->source_type[i]].is_float)
			return false;
	return true;
}

/* The rest of a register that is written in part has no effect on the instruction. */
static bool reads_unwritten(const struct mx_wave *w, const struct mx_inst *in) {
	uint64_t unwritten = 0;
	MX_FOR_OPERANDS(o, in) {
		unsigned row = mx_operand_row(o->code);
		if (o->written || o->role == MX_AS_OLD)
			continue;
		for (unsigned k = 0; k < o->dwords; k++)
			unwritten |= row < MX_ROW_SCALAR
			                     ? w->unwritten_lanes[row + k] & lanes_of(w, in, o)
			             : row == MX_ROW_SCC ? w->scc_unwritten
			                                 : w->s_unwritten[row - MX_ROW_SCALAR + k];
	}
	return unwritten;
}

static bool may_be_kept(const struct mx_wave *w, const struct mx_inst *in) {
	return !(w->mode & w->group->run->isa->mode_index) && !(is_flow(in) && in->registers) &&
	       !reads_more(w->group->run->isa, in) && !is_operation_apart(in) &&
	       (may_read_unwritten(in) || !reads_unwritten(w, in));
}

/* The instruction touches the registers of a load. The place to check that it has landed is after
 * the last wait since its issue; if there is none, here. */
static bool check(struct mx_wave *w, struct mx_course_op *op) {
	struct mx_course *c = w->course;
	struct mx_course_recording *r = c->recording;
	if (op->in_flight)
		return false;
	if (op->checked)
		return true;
	struct mx_course_event *e = r->check ? &c->event[r->check - 1] : NULL;
	if (!e || e->issue <= op->m->issue) {
		struct mx_course_event here = { .kind = MX_COURSE_CHECK, .issue = w->issued };
		if (!add_event(c, here))
			return false;
		e = &c->event[c->n_events - 1];
	}
	op->checked = true;
	op->next = e->op;
	e->op = op;
	return true;
}

static bool check_operands(struct mx_wave *w, const struct mx_inst *in) {
	struct mx_course_op **loader = w->course->recording->loader;
	MX_FOR_OPERANDS(o, in)
		for (unsigned k = 0; k < o->dwords; k++) {
			unsigned row = mx_operand_row(o->code) + k;
			if (loader[row] && !check(w, loader[row]))
				return false;
			loader[row] = NULL;
		}
	return true;
}

void mx_course_record(struct mx_wave *w, const struct mx_inst *in, bool skipped) {
	struct mx_course *c = w->course;
	bool flow = !skipped && is_flow(in);
	const struct mx_course_event event = { .kind = MX_COURSE_FLOW,
		                               .in = in,
		                               .issue = w->issued };
	bool good = skipped || (may_be_kept(w, in) && check_operands(w, in));
	if (!good || (flow && !add_event(c, event)) ||
	    !add_step(c, (struct mx_course_step){ .pc = (uint32_t)w->pc,
	                                          .opcode = (uint16_t)in->op->id,
	                                          .banks = w->banks,
	                                          .computes = !skipped && !flow })) {
		refuse(w);
		return;
	}
	w->group->run->n_notes = 0;
	c->recording->found = w->group->run->found;
	c->recording->mfma = w->group->run->report->stats.mfma;
	c->recording->n_ops = c->n_ops;
}

/* A message may have no operation. */
static bool has_its_operation(const struct mx_inst *in, size_t n) {
	return n == (in->streams != 0) || (!n && mx_kind_of(in->op) == MX_IS_SENDMSG);
}

/* Notes of the instruction, which its event repeats. False: it has too many, or a finding. */
static bool keep_notes(struct mx_wave *w, const struct mx_inst *in) {
	struct mx_course *c = w->course;
	const struct mx_run *run = w->group->run;
	const struct mx_course_event event = { .kind = MX_COURSE_NOTE,
		                               .in = in,
		                               .issue = w->issued };
	unsigned n = run->n_notes;
	struct mx_course_event *last = c->n_events ? &c->event[c->n_events - 1] : NULL;
	if (run->found - c->recording->found != n || n == MX_NOTES)
		return false;
	if (!n)
		return true;
	if (!last || last->issue != w->issued || last->kind == MX_COURSE_CHECK) {
		if (!add_event(c, event))
			return false;
		last = &c->event[c->n_events - 1];
	}
	last->note = malloc(n * sizeof *last->note);
	if (!last->note)
		return false;
	memcpy(last->note, run->note, n * sizeof *last->note);
	last->n_notes = n;
	return true;
}

void mx_course_recorded(struct mx_wave *w, const struct mx_inst *in, bool skipped) {
	struct mx_course *c = w->course;
	struct mx_course_recording *r = c->recording;
	size_t n = c->n_ops - r->n_ops;
	const struct mx_course_event check = { .kind = MX_COURSE_CHECK, .issue = w->issued + 1 };
	bool wait = !skipped && mx_kind_of(in->op) == MX_IS_WAITCNT;
	if (!keep_notes(w, in) || !has_its_operation(in, n) || (wait && !add_event(c, check))) {
		refuse(w);
		return;
	}
	struct mx_course_step *s = &c->step[c->n_steps - 1];
	s->issues = n;
	s->computes &= !n;
	s->matrix = w->group->run->report->stats.mfma != r->mfma;
	if (wait)
		r->check = c->n_events;
	r->ended = w->status == MX_ENDED;
	finish_if_complete(w);
}

/* ---- operations ---- */

static void visit(void *context, const struct mx_extent *e) {
	struct mx_course **c = context;
	if (!e->lds && *c && !mx_course_note_span(*c, e->at, e->at + e->bytes))
		*c = NULL;
}

static bool note_scalars(struct mx_course *c, const struct mx_memop *m) {
	return !m->inside[0] ||
	       mx_course_note_span(c, m->address[0], m->address[0] + 4u * m->inside[0]);
}

static bool note_lanes(struct mx_course *c, const struct mx_memop *m) {
	unsigned bytes = m->in->op->flags & MX_FORMAT ? 16 : m->in->op->d, l;
	uint64_t lanes = m->in_lds ? 0 : m->exec & ~m->scratch;
	MX_FOR_LANES(l, lanes)
	for (unsigned k = 0; 4 * k < bytes; k++) {
		uint64_t at = m->address[l] + 4 * k;
		unsigned n = bytes - 4 * k < 4 ? bytes - 4 * k : 4;
		if (m->inside[l] >> k & 1 && !mx_course_note_span(c, at, at + n))
			return false;
	}
	return true;
}

/* The device memory that an operation accesses. */
static bool note_memory(struct mx_course *c, const struct mx_memop *m) {
	if (m->extents) {
		struct mx_course *context = c;
		m->extents(m, visit, &context);
		return context;
	}
	if (m->in->op->encoding == MX_SMEM)
		return note_scalars(c, m);
	return c->launch && (m->in->op->encoding == MX_DS || note_lanes(c, m));
}

/* EXEC is no operand of the instructions that it masks. */
static bool note_loads(struct mx_course *c, struct mx_course_op *op) {
	MX_FOR_OPERANDS(o, op->m->in)
		for (unsigned k = 0; o->written && k < o->dwords; k++) {
			if (o->code + k == MX_EXEC || o->code + k == MX_EXEC + 1)
				return false;
			c->recording->loader[mx_operand_row(o->code) + k] = op;
		}
	return true;
}

static bool keep_fresh(struct mx_course *c, struct mx_course_op *op) {
	if (!op->m->in->op->rmw)
		return true;
	op->fresh = mx_course_takes(c, sizeof *op->m) ? mx_memop_allocate() : NULL;
	if (op->fresh)
		memcpy(op->fresh, op->m, sizeof *op->m);
	return op->fresh;
}

void mx_course_keep(struct mx_wave *w, struct mx_memop *m) {
	struct mx_course *c = w->course;
	struct mx_course_op *op = add_op(c);
	if (op) {
		op->m = m;
		op->course = c;
		op->in_flight = true;
		m->kept = op;
	}
	const struct mx_course_event event = {
		.kind = MX_COURSE_OP, .in = m->in, .issue = w->issued, .op = op, .m = m
	};
	if (!op || !add_event(c, event) || !note_memory(c, m) || !note_loads(c, op) ||
	    !keep_fresh(c, op))
		refuse(w);
}

static bool take_result(struct mx_wave *w, struct mx_course_op *op) {
	size_t bytes = mx_course_result_dwords(op->m->in) * sizeof *op->result;
	if (!bytes)
		return true;
	if (!mx_course_takes(w->course, bytes) || !(op->result = malloc(bytes)) ||
	    !(op->unwritten = malloc(3 * bytes)))
		return false;
	if (mx_course_result_take(w, op->m, op->result, op->unwritten))
		return mx_course_takes(w->course, 3 * bytes);
	free(op->unwritten);
	op->unwritten = NULL;
	return true;
}

/* An operation without an access lands as always. */
static void take_access(struct mx_wave *w, struct mx_course_op *op, mx_together counted) {
	const struct mx_isa *isa = w->group->run->isa;
	struct mx_access *a =
		isa->access_of && !op->unwritten ? isa->access_of(w, op->m, counted) : NULL;
	if (a && mx_course_takes(w->course, a->size))
		op->access = a;
	else
		free(a);
}

void mx_course_record_landed(struct mx_wave *w, struct mx_memop *m, mx_together counted) {
	struct mx_course_op *op = m->kept;
	if (!take_result(w, op)) {
		refuse(w);
		return;
	}
	take_access(w, op, counted);
	op->in_flight = false;
	w->course->recording->landed++;
	finish_if_complete(w);
}

/* ---- the start ---- */

void mx_course_record_begin(struct mx_wave *w, struct mx_course *c) {
	c->recordings++;
	if (!(c->recording = calloc(1, sizeof *c->recording))) {
		c->state = MX_COURSE_REFUSED;
		return;
	}
	w->course = c;
	c->recording->found = w->group->run->found;
}

/* A note at the start would have to be repeated. */
void mx_course_record_started(struct mx_wave *w) {
	struct mx_course *c = w->course;
	if (w->group->run->found != c->recording->found) {
		refuse(w);
		return;
	}
	for (unsigned i = 0; i < MX_SGPR_FILE; i++) {
		c->written[i] = !w->s_unwritten[i];
		c->s[i] = w->s[i];
	}
}
