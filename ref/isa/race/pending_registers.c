/* Conflicts in registers: an instruction reads or writes a register with a pending load before a
 * wait covers the load.
 *
 * The registers of a store have no conflicts: hardware holds them until it has read them, except
 * for the wait states of wide stores [LLVM vmemWriteNeedsExpWaitcnt: only before GFX7; ISA 4.5]. */
#include <string.h>

#include "../encoding/operands.h"
#include "../machine/registers.h"
#include "../memory/ds.h"
#include "race.h"

/* ---- pending loads ---- */

static bool is_pending(const struct mx_race_wave *o, unsigned row) {
	return o->pending[row / 64] >> row % 64 & 1;
}

/* Whether one of n consecutive rows is pending, n below 64. */
static bool any_pending(const struct mx_race_wave *o, unsigned row, unsigned n) {
	uint64_t rows = o->pending[row / 64] >> row % 64;
	if (row % 64 + n > 64)
		rows |= o->pending[row / 64 + 1] << (64 - row % 64);
	return rows & ((1ull << n) - 1);
}

static uint64_t bit_of(unsigned row) {
	return 1ull << row / 8 % 64;
}

static bool is_memory(const struct mx_inst *in) {
	return in->op->encoding == MX_SMEM || in->op->encoding >= MX_DS;
}

uint64_t mx_race_rows_of(const struct mx_inst *in) {
	uint64_t bits = 0;
	MX_FOR_OPERANDS(o, in)
		for (unsigned k = 0; k < (is_memory(in) && o->written ? 0 : o->dwords); k++)
			bits |= bit_of(mx_operand_row(o->code) + k);
	return bits;
}

/* A bank has 256 registers, so it moves the bit of a register by 0 or 32. */
uint64_t mx_race_rows_in_banks(uint64_t rows) {
	return rows | rows << 32 | rows >> 32;
}

/* A bit for each byte that is not 0. */
static uint64_t bytes_of(uint64_t x) {
	x |= x >> 4;
	x |= x >> 2;
	x |= x >> 1;
	return (x & 0x0101010101010101) * 0x0102040810204080 >> 56;
}

/* Drops the bits of registers that are no longer pending. */
static void drop_bits(struct mx_race_wave *o) {
	uint64_t bits = 0;
	for (unsigned i = 0; i < MX_ROWS / 64; i++)
		if (o->pending[i])
			bits |= bytes_of(o->pending[i]) << i % 8 * 8;
	o->may_pend = bits;
	o->any_forgotten = false;
}

static bool is_over(const struct mx_race_wave *o, const struct mx_race_load *l) {
	return l->number <= o->covered[l->stream];
}

/* Keeps in `more` the loads that are not over, and not of this row (-1: of any). */
static void keep_others(struct mx_race_wave *o, int row) {
	unsigned n = 0;
	for (unsigned i = 0; i < o->n_more; i++)
		if (o->more[i].row != row && o->more[i].lanes && !is_over(o, &o->more[i]))
			o->more[n++] = o->more[i];
	o->n_more = n;
}

static void forget(struct mx_race_wave *o, unsigned row) {
	o->pending[row / 64] &= ~(1ull << row % 64);
	o->loading[o->load[row].stream][row / 64] &= ~(1ull << row % 64);
	o->any_forgotten = true;
	if (o->n_more)
		keep_others(o, (int)row);
}

/* The registers of word i with a load of the stream whose last load is over. */
static uint64_t over_in(const struct mx_race_wave *o, unsigned stream, unsigned i) {
	uint64_t over = 0;
	if (o->newest[stream] <= o->covered[stream])
		return o->loading[stream][i];
	for (uint64_t rows = o->loading[stream][i]; rows; rows &= rows - 1) {
		unsigned row = (unsigned)__builtin_ctzll(rows);
		over |= (uint64_t)is_over(o, &o->load[64 * i + row]) << row;
	}
	return over;
}

/* Returns whether any of the stream are over. */
static bool drop_loads(struct mx_race_wave *o, unsigned stream) {
	uint64_t dropped = 0;
	for (unsigned i = 0; i < MX_ROWS / 64; i++) {
		uint64_t over = o->loading[stream][i] ? over_in(o, stream, i) : 0;
		for (unsigned k = 0; over && k < o->n_more; k++)
			if (o->more[k].row / 64 == i)
				over &= ~(1ull << o->more[k].row % 64);
		o->loading[stream][i] &= ~over;
		o->pending[i] &= ~over;
		dropped |= over;
	}
	return dropped;
}

void mx_race_drop_loads(struct mx_race_wave *o, unsigned streams) {
	bool any = false;
	if (o->n_more)
		keep_others(o, -1);
	for (; streams; streams &= streams - 1)
		any |= drop_loads(o, (unsigned)__builtin_ctz(streams));
	if (any)
		drop_bits(o);
}

/* An access to lanes of a register; `stream` of a load, or MX_STREAMS. */
struct register_access {
	struct mx_wave *w;
	const struct mx_inst *in;
	bool write;
	unsigned stream;
	uint64_t lanes;
};

/* Two loads that return in order write their registers in order. */
static bool conflicts(const struct mx_race_wave *o, const struct register_access *t,
                      const struct mx_race_load *l) {
	bool in_order = t->write && t->stream == l->stream &&
	                mx_race_stream(t->w, l->stream)->order == MX_IN_ORDER;
	return l->lanes & t->lanes && !is_over(o, l) && !in_order;
}

static void check_row(const struct register_access *t, unsigned row) {
	struct mx_race_wave *o = mx_race_wave_of(t->w);
	const struct mx_race_load *l = NULL;
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
		mx_race_report_register(t->w, t->in, l, t->write, t->stream);
	if (l || over)
		forget(o, row);
}

/* Keeps the lanes of an earlier pending load that the new load of the row does not write. */
static void keep_rest(const struct register_access *t, unsigned row) {
	struct mx_race_wave *o = mx_race_wave_of(t->w);
	struct mx_race_load rest = o->load[row];
	for (unsigned i = 0; i < o->n_more; i++)
		if (o->more[i].row == row)
			o->more[i].lanes &= ~t->lanes;
	rest.lanes &= ~t->lanes;
	if (!rest.lanes || is_over(o, &rest))
		return;
	if (o->n_more == MX_RACE_MORE)
		keep_others(o, -1);
	if (o->n_more < MX_RACE_MORE)
		o->more[o->n_more++] = rest;
	else
		mx_race_doubt(t->w, t->in, MX_DOUBT_MANY_LOADS);
}

/* Rows of which some have a pending load. */
static void check_earlier(const struct register_access *t, unsigned row, unsigned n) {
	struct mx_race_wave *o = mx_race_wave_of(t->w);
	for (; n; n--, row++) {
		check_row(t, row);
		if (!is_pending(o, row))
			continue;
		keep_rest(t, row);
		o->loading[o->load[row].stream][row / 64] &= ~(1ull << row % 64);
	}
}

/* Sets the bits of n consecutive rows, n below 64. */
static void set_rows(uint64_t *bits, unsigned row, unsigned n) {
	const uint64_t rows = (1ull << n) - 1;
	bits[row / 64] |= rows << row % 64;
	if (row % 64 + n > 64)
		bits[row / 64 + 1] |= rows >> (64 - row % 64);
}

static void note_rows(const struct register_access *t, unsigned row, unsigned n) {
	struct mx_race_wave *o = mx_race_wave_of(t->w);
	if (any_pending(o, row, n))
		check_earlier(t, row, n);
	set_rows(o->pending, row, n);
	set_rows(o->loading[t->stream], row, n);
	o->newest[t->stream] = o->issued[t->stream];
	for (unsigned k = 0; k < n; k++) {
		o->may_pend |= bit_of(row + k);
		o->load[row + k] = (struct mx_race_load){ .in = t->in,
			                                  .lanes = t->lanes,
			                                  .number = o->issued[t->stream],
			                                  .row = (uint16_t)(row + k),
			                                  .stream = (uint8_t)t->stream };
	}
}

/* FLAT calls this twice: for its lanes in memory or scratch, and for those in LDS. */
void mx_race_note_load(struct mx_wave *w, const struct mx_memop *m, unsigned stream) {
	const struct register_access t = { w, m->in, true, stream,
		                           m->in->op->encoding == MX_SMEM ? w->lanes : m->exec };
	bool block = mx_kind_of(m->in->op) == MX_IS_BLOCK;
	MX_FOR_OPERANDS(o, m->in) {
		unsigned row = mx_operand_row(o->code);
		if (!t.lanes || !o->written || !o->dwords)
			continue;
		if (!block)
			note_rows(&t, row, o->dwords);
		else
			for (uint32_t rows = m->block; rows; rows &= rows - 1)
				note_rows(&t, row + (unsigned)__builtin_ctz(rows), 1);
	}
}

static uint64_t touched(const struct mx_wave *w, const struct mx_inst *in,
                        const struct mx_operand *o) {
	uint64_t exec = mx_exec(w);
	switch (o->lanes) {
	case MX_LANES_ALL: return w->lanes;
	case MX_LANE_FIRST: return exec ? exec & -exec : 1;
	case MX_LANE_OF_SRC1:
		return 1ull << mx_sread(w, in, mx_source(in, 1)) % w->group->run->isa->wave_size;
	case MX_LANES_TAKEN: return mx_race_taken_lanes(w, in, o);
	default: return exec;
	}
}

/* mx_race_note_load checks the registers that loads write. */
void mx_race_check_registers(struct mx_wave *w, const struct mx_inst *in) {
	bool memory = is_memory(in);
	struct mx_race_wave *wave = mx_race_wave_of(w);
	MX_FOR_OPERANDS(o, in) {
		unsigned row = mx_operand_row(o->code);
		if ((memory && o->written) || !any_pending(wave, row, o->dwords))
			continue;
		const struct register_access t = { w, in, o->written, MX_STREAMS,
			                           touched(w, in, o) };
		const uint32_t rows = mx_accessed(in, o, w->s[MX_M0]);
		for (unsigned k = 0; k < o->dwords; k++)
			if (rows >> k & 1)
				check_row(&t, row + k);
	}
	if (wave->any_forgotten)
		drop_bits(wave);
}
