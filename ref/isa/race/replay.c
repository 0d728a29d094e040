/* Replay of instructions on a copy of a wave. */
#include "replay.h"

#include <stddef.h>
#include <string.h>

#include "../machine/registers.h"
#include "liveness.h"
#include "race.h"

enum { LONGEST = 256 }; /* instructions */

/* ---- instructions ---- */

static bool loads_in(const struct mx_queue *q) {
	for (unsigned i = 0; i < q->n; i++)
		if (q->op[i]->in->op->rmw || q->op[i]->in->op->flags & MX_LOAD)
			return true;
	return false;
}

static bool loads_in_flight(const struct mx_wave *w) {
	for (unsigned s = 0; s < w->group->run->isa->n_streams; s++)
		if (loads_in(&w->queue[s]))
			return true;
	return false;
}

/* Whether an instruction changes neither registers nor memory. */
static bool is_nothing(const struct mx_replay *r, const struct mx_inst *in) {
	mx_kind kind = mx_kind_of(in->op);
	return kind == MX_IS_NOP || kind == MX_IS_HINT || kind == MX_IS_INVALIDATE ||
	       kind == MX_IS_WRITE_BACK || (kind == MX_IS_WAITCNT && !r->loads_in_flight);
}

/* Whether it is arithmetic, or a branch to a target in the instruction. A message that returns, or
 * the state of a barrier, comes later as a load does. */
static bool is_plain(const struct mx_replay *r, const struct mx_inst *in) {
	mx_encoding e = in->op->encoding;
	mx_kind kind = mx_kind_of(in->op);
	return e != MX_SMEM && e < MX_MAI && kind < MX_IS_WAITCNT && !in->counts &&
	       !(r->strict && kind == MX_IS_CLOCK);
}

/* ---- vector registers ---- */

static void save(struct mx_replay *r, unsigned row) {
	for (unsigned i = 0; i < r->n; i++)
		if (r->row[i].row == row)
			return;
	if (r->n == MX_REPLAY_ROWS) {
		r->ok = false;
		return;
	}
	struct mx_replay_row *v = &r->row[r->n++];
	v->row = row;
	memcpy(v->before, r->wave.v[row], sizeof v->before);
	memcpy(v->before_unwritten, r->wave.v_unwritten[row], sizeof v->before_unwritten);
}

static void save_results(struct mx_replay *r, const struct mx_inst *in) {
	MX_FOR_OPERANDS(o, in)
		for (unsigned k = 0; o->written && k < o->dwords; k++)
			if (o->code >= MX_VGPR)
				save(r, mx_operand_row(o->code) + k);
			else if (o->code + k < MX_SGPR_FILE)
				r->writes[o->code + k] = true;
}

static void put_back(struct mx_replay *r) {
	for (unsigned i = 0; i < r->n; i++) {
		struct mx_replay_row *v = &r->row[i];
		memcpy(v->after, r->wave.v[v->row], sizeof v->after);
		memcpy(r->wave.v[v->row], v->before, sizeof v->before);
		memcpy(r->wave.v_unwritten[v->row], v->before_unwritten,
		       sizeof v->before_unwritten);
	}
}

/* ---- a replay ---- */

static void begin(struct mx_replay *r, const struct mx_wave *w) {
	r->group = *w->group;
	r->run = *w->group->run;
	r->report = (struct mx_report){ 0 };
	r->wave.group = &r->group;
	r->wave.wanted = 0;
	r->group.run = &r->run;
	r->run.report = &r->report;
	r->run.stopped = false;
	r->n = 0;
	memset(r->writes, 0, sizeof r->writes);
	r->strict = false;
	r->ok = !(w->mode & (r->run.isa->mode_index | r->run.isa->mode_skip));
}

enum {
	LANES = offsetof(struct mx_wave, unwritten_lanes),
	MIXED = offsetof(struct mx_wave, mixed),
	QUEUES = offsetof(struct mx_wave, queue),
	REST = offsetof(struct mx_wave, scratch),
};

/* The copy has nothing in flight: it issues nothing. */
void mx_replay_begin(struct mx_replay *r, const struct mx_wave *w) {
	memcpy(&r->wave, w, QUEUES);
	memcpy((char *)&r->wave + REST, (const char *)w + REST, sizeof *w - REST);
	for (unsigned s = 0; s < MX_STREAMS; s++)
		r->wave.queue[s].n = 0;
	r->loads_in_flight = loads_in_flight(w);
	begin(r, w);
}

/* Most of a wave are the masks of unwritten lanes. Those of the changed registers are enough. */
void mx_replay_again(struct mx_replay *r, const struct mx_wave *w) {
	for (unsigned i = 0; i < r->n; i++)
		r->wave.unwritten_lanes[r->row[i].row] = w->unwritten_lanes[r->row[i].row];
	memcpy(&r->wave, w, LANES);
	memcpy((char *)&r->wave + MIXED, (const char *)w + MIXED, QUEUES - MIXED);
	memcpy((char *)&r->wave + REST, (const char *)w + REST, sizeof *w - REST);
	begin(r, w);
}

void mx_replay_land(struct mx_replay *r, struct mx_memop *load) {
	save_results(r, load->in);
	if (r->ok)
		load->land(&r->wave, load);
}

static void step(struct mx_replay *r, const struct mx_inst *in) {
	save_results(r, in);
	r->wave.pc += in->size;
	if (r->ok && !is_nothing(r, in))
		r->run.handlers[in->op->id](&r->wave, in);
}

void mx_replay_end(struct mx_replay *r) {
	for (unsigned i = 0; r->ok && i < LONGEST; i++) {
		const struct mx_inst *in =
			mx_program_under(r->run.launch->program, r->wave.pc, r->wave.banks);
		if (!in || !in->op || in->unsupported || !(is_nothing(r, in) || is_plain(r, in)))
			break;
		step(r, in);
		r->ok = r->ok && !r->report.n_findings && !r->run.out_of_memory;
	}
	put_back(r);
	mx_report_free(&r->report);
}

/* ---- comparison ---- */

static bool is_live(const struct mx_replay *r, unsigned row, bool in_exec) {
	return mx_is_live(r->run.launch->program, (uint32_t)r->wave.pc, r->wave.banks, row, in_exec,
	                  r->strict);
}

static const uint32_t *vector_row(const struct mx_replay *r, unsigned row) {
	for (unsigned i = 0; i < r->n; i++)
		if (r->row[i].row == row)
			return r->row[i].after;
	return r->wave.v[row];
}

static bool same_vector(const struct mx_replay *a, unsigned row, const uint32_t *other) {
	const uint32_t *x = vector_row(a, row);
	uint64_t lanes = 0;
	for (unsigned l = 0; l < a->run.isa->wave_size; l++)
		lanes |= (uint64_t)(x[l] != other[l]) << l;
	return !lanes || !is_live(a, row, !(lanes & ~mx_exec(&a->wave)));
}

/* Registers that instructions read implicitly are always live. */
static bool is_live_scalar(const struct mx_replay *r, unsigned code) {
	bool named = code < MX_SGPRS || code == MX_VCC || code == MX_VCC + 1;
	return !named || is_live(r, MX_ROW_SCALAR + code, false);
}

static bool same_scalar(const struct mx_replay *a, const struct mx_wave *w, unsigned code) {
	return a->wave.s[code] == w->s[code] || !is_live_scalar(a, code);
}

static bool same_scalars(const struct mx_replay *a, const struct mx_wave *w) {
	if (a->wave.mode != w->mode || (a->wave.scc != w->scc && is_live(a, MX_ROW_SCC, false)))
		return false;
	if (!memcmp(a->wave.s, w->s, sizeof w->s))
		return true;
	for (unsigned code = 0; code < MX_SGPR_FILE; code++)
		if (!same_scalar(a, w, code))
			return false;
	return true;
}

bool mx_replay_same(const struct mx_replay *a, const struct mx_replay *b) {
	if (!a->ok || !b->ok || a->wave.pc != b->wave.pc || !same_scalars(a, &b->wave))
		return false;
	for (unsigned i = 0; i < a->n; i++)
		if (!same_vector(a, a->row[i].row, vector_row(b, a->row[i].row)))
			return false;
	for (unsigned i = 0; i < b->n; i++)
		if (!same_vector(a, b->row[i].row, b->row[i].after))
			return false;
	return true;
}

bool mx_replay_unchanged(const struct mx_replay *a, const struct mx_wave *w) {
	if (!a->ok || a->wave.banks != w->banks || !same_scalars(a, w))
		return false;
	for (unsigned i = 0; i < a->n; i++)
		if (!same_vector(a, a->row[i].row, w->v[a->row[i].row]))
			return false;
	return true;
}

/* What was unwritten before, and no instruction has written, does not count. */
static bool scalars_are_written(const struct mx_replay *r, const struct mx_wave *w) {
	if (r->wave.scc_unwritten && is_live(r, MX_ROW_SCC, false))
		return false;
	for (unsigned code = 0; code < MX_SGPR_FILE; code++) {
		uint32_t before = r->writes[code] ? 0 : w->s_unwritten[code];
		if (r->wave.s_unwritten[code] & ~before && is_live_scalar(r, code))
			return false;
	}
	return true;
}

bool mx_replay_is_written(const struct mx_replay *r, const struct mx_wave *w) {
	if (!r->ok || !scalars_are_written(r, w))
		return false;
	for (unsigned i = 0; i < r->n; i++) {
		unsigned row = r->row[i].row;
		uint64_t lanes = r->wave.unwritten_lanes[row];
		if (lanes && is_live(r, row, !(lanes & ~mx_exec(&r->wave))))
			return false;
	}
	return true;
}
