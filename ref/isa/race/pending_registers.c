/* Conflicts in registers: one that a load is to write is read or written before a wait covers it.
 *
 * A store's registers are no conflict: hardware holds them until it has read them, except for the
 * wait states of wide stores [LLVM vmemWriteNeedsExpWaitcnt: before GFX7 alone; ISA 4.5]. */
#include <string.h>

#include "../encoding/operands.h"
#include "../machine/registers.h"
#include "../memory/ds.h"
#include "race.h"

/* ---- loads on their way ---- */

static bool is_pending(const struct mx_order_wave *o, unsigned row) {
	return o->pending[row / 64] >> row % 64 & 1;
}

static bool is_over(const struct mx_order_wave *o, const struct mx_order_load *l) {
	return l->number <= o->covered[l->stream];
}

/* Those of `more` that are not over, and not of this row (-1: of any). */
static void keep_others(struct mx_order_wave *o, int row) {
	unsigned n = 0;
	for (unsigned i = 0; i < o->n_more; i++)
		if (o->more[i].row != row && o->more[i].lanes && !is_over(o, &o->more[i]))
			o->more[n++] = o->more[i];
	o->n_more = n;
}

static void forget(struct mx_order_wave *o, unsigned row) {
	o->pending[row / 64] &= ~(1ull << row % 64);
	if (o->n_more)
		keep_others(o, (int)row);
}

/* Who touches these lanes of a row; a load on `stream`, or MX_STREAMS. */
struct toucher {
	struct mx_wave *w;
	const struct mx_inst *in;
	bool write;
	unsigned stream;
	uint64_t lanes;
};

/* Two loads that return in order write in order. */
static bool conflicts(const struct mx_order_wave *o, const struct toucher *t,
                      const struct mx_order_load *l) {
	bool in_order = t->write && t->stream == l->stream && mx_stream_is_ordered(l->stream);
	return l->lanes & t->lanes && !is_over(o, l) && !in_order;
}

static void check_row(const struct toucher *t, unsigned row) {
	struct mx_order_wave *o = mx_order_wave_of(t->w);
	const struct mx_order_load *l = NULL;
	if (!is_pending(o, row))
		return;
	bool over = is_over(o, &o->load[row]);
	if (conflicts(o, t, &o->load[row]))
		l = &o->load[row];
	for (unsigned i = 0; i < o->n_more; i++)
		if (o->more[i].row == row) {
			over &= is_over(o, &o->more[i]);
			if (!l && conflicts(o, t, &o->more[i]))
				l = &o->more[i];
		}
	if (l)
		mx_order_report_register(t->w, t->in, l, t->write);
	if (l || over)
		forget(o, row);
}

/* What an earlier load is still to write of a row that gets another one. */
static void keep_rest(const struct toucher *t, unsigned row) {
	struct mx_order_wave *o = mx_order_wave_of(t->w);
	struct mx_order_load rest = o->load[row];
	for (unsigned i = 0; i < o->n_more; i++)
		if (o->more[i].row == row)
			o->more[i].lanes &= ~t->lanes;
	rest.lanes &= ~t->lanes;
	if (!rest.lanes || is_over(o, &rest))
		return;
	if (o->n_more == MX_ORDER_MORE)
		keep_others(o, -1);
	if (o->n_more < MX_ORDER_MORE)
		o->more[o->n_more++] = rest;
	else
		mx_order_doubt(t->w, t->in, MX_DOUBT_MANY_LOADS);
}

static void note_row(const struct toucher *t, unsigned row) {
	struct mx_order_wave *o = mx_order_wave_of(t->w);
	check_row(t, row);
	if (is_pending(o, row))
		keep_rest(t, row);
	o->pending[row / 64] |= 1ull << row % 64;
	o->load[row] = (struct mx_order_load){ .in = t->in,
		                               .lanes = t->lanes,
		                               .number = o->issued[t->stream],
		                               .row = (uint16_t)row,
		                               .stream = (uint8_t)t->stream };
}

/* FLAT comes twice: for lanes in memory or scratch and for those in LDS. */
void mx_order_note_load(struct mx_wave *w, const struct mx_memop *m, unsigned stream) {
	const struct toucher t = { w, m->in, true, stream,
		                   m->in->op->encoding == MX_SMEM ? ~0ull : m->exec };
	MX_FOR_OPERANDS(o, m->in)
		for (unsigned k = 0; t.lanes && o->written && k < o->dwords; k++)
			note_row(&t, mx_operand_row(o->code) + k);
}

static uint64_t touched(const struct mx_wave *w, const struct mx_inst *in, unsigned lanes) {
	uint64_t exec = mx_exec(w);
	switch (lanes) {
	case MX_LANES_ALL: return ~0ull;
	case MX_LANE_FIRST: return exec ? exec & -exec : 1;
	case MX_LANE_OF_SRC1: return 1ull << (mx_sread(w, in, in->src[1]) & 63);
	default: return exec;
	}
}

/* What loads write is checked as they are issued. */
void mx_order_check_registers(struct mx_wave *w, const struct mx_inst *in) {
	bool memory = in->op->encoding == MX_SMEM || in->op->encoding >= MX_DS;
	MX_FOR_OPERANDS(o, in) {
		const struct toucher t = { w, in, o->written, MX_STREAMS,
			                   touched(w, in, o->lanes) };
		for (unsigned k = 0; !(memory && t.write) && k < o->dwords; k++)
			check_row(&t, mx_operand_row(o->code) + k);
	}
}
