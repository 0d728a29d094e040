/* Conflicts in registers: one that a load is to write is read or written before a wait covers it.
 *
 * A store's registers are no conflict: hardware holds them until it has read them, except for the
 * wait states of wide stores [LLVM vmemWriteNeedsExpWaitcnt: before GFX7 alone; ISA 4.5]. */
#include <string.h>

#include "../encoding/operands.h"
#include "../machine/registers.h"
#include "../memory/ds.h"
#include "race.h"

mx_handler mx_x_s_cbranch_vccz, mx_x_s_cbranch_vccnz, mx_x_ds_permute_b32, mx_x_ds_bpermute_b32,
	mx_x_ds_append, mx_x_ds_consume, mx_x_ds_nop;

static void add(struct mx_order_use *u, unsigned code, unsigned n, bool write, unsigned lanes) {
	bool scalar = code < MX_SGPR_FILE;
	if (!n || (!scalar && code < MX_VGPR) || u->n == sizeof u->range / sizeof *u->range)
		return;
	unsigned row = scalar ? MX_VGPR_FILE + code : mx_row(code);
	u->range[u->n].row = (uint16_t)row;
	u->range[u->n].n = (uint8_t)n;
	u->range[u->n].write = write;
	u->range[u->n++].lanes = scalar ? MX_LANES_ALL : lanes;
}

/* ---- memory instructions: addresses, data, and what a load writes ---- */

static unsigned data_dwords(const struct mx_inst *in) {
	const struct mx_op *op = in->op;
	bool half = op->flags & (MX_D16 | MX_D16_HI);
	if (op->flags & MX_FORMAT)
		return half ? (op->d + 1) / 2 : op->d;
	return (op->d + 3) / 4;
}

static void find_address(const struct mx_inst *in, struct mx_order_use *u) {
	switch (in->op->encoding) {
	case MX_MUBUF:
	case MX_MTBUF:
		add(u, in->mem.rsrc, 4, false, MX_LANES_ALL);
		add(u, in->mem.soffset, 1, false, MX_LANES_ALL);
		add(u, in->mem.addr, in->mem.offen + in->mem.idxen, false, MX_LANES_OF_EXEC);
		return;
	case MX_SCRATCH:
		add(u, in->mem.addr, in->mem.vaddr, false, MX_LANES_OF_EXEC);
		add(u, in->mem.rsrc, in->mem.saddr, false, MX_LANES_ALL);
		return;
	case MX_GLOBAL:
		add(u, in->mem.addr, in->mem.saddr ? 1 : 2, false, MX_LANES_OF_EXEC);
		add(u, in->mem.rsrc, in->mem.saddr ? 2 : 0, false, MX_LANES_ALL);
		return;
	case MX_FLAT: add(u, in->mem.addr, 2, false, MX_LANES_OF_EXEC); return;
	default: add(u, in->mem.addr, !(in->op->flags & MX_ADDTID), false, MX_LANES_OF_EXEC);
	}
}

static void find_vector_memory(const struct mx_inst *in, struct mx_order_use *u) {
	const struct mx_op *op = in->op;
	unsigned n = data_dwords(in), two = op->flags & MX_SECOND ? 2 : 1;
	if (!op->flags)
		return;
	find_address(in, u);
	if (in->mem.lds)
		add(u, MX_M0, 1, false, MX_LANES_ALL);
	if (op->flags & MX_STORE)
		add(u, in->mem.data, n * two, false, MX_LANES_OF_EXEC);
	if (op->flags & MX_LOAD ? !in->mem.lds : op->rmw && in->mem.sc0)
		add(u, in->dst, n, true, MX_LANES_OF_EXEC);
}

static void find_ds(const struct mx_inst *in, struct mx_order_use *u) {
	const struct mx_op *op = in->op;
	unsigned n = mx_ds_dwords(in);
	bool counter = op->handler == mx_x_ds_append || op->handler == mx_x_ds_consume;
	bool permutes = op->handler == mx_x_ds_permute_b32 || op->handler == mx_x_ds_bpermute_b32;
	if (op->handler == mx_x_ds_nop)
		return;
	if (counter || op->flags & MX_ADDTID)
		add(u, MX_M0, 1, false, MX_LANES_ALL);
	if (!counter)
		find_address(in, u);
	if ((op->flags & MX_STORE || permutes) && !counter)
		add(u, in->mem.data, n, false, MX_LANES_OF_EXEC);
	if (op->flags & MX_STORE && op->flags & (MX_TWO | MX_SECOND))
		add(u, in->src[1], n, false, MX_LANES_OF_EXEC);
	if (op->flags & MX_LOAD)
		add(u, in->dst, n * mx_ds_elements(in), true, MX_LANES_OF_EXEC);
}

static bool scalar_loads(const struct mx_inst *in) {
	const struct mx_op *op = in->op;
	return op->flags & MX_LOAD || (op->rmw && in->mem.glc) || (!op->s[0] && op->d);
}

static void find_scalar_memory(const struct mx_inst *in, struct mx_order_use *u) {
	const struct mx_op *op = in->op;
	if (op->s[0]) {
		add(u, in->mem.rsrc, op->s[0], false, MX_LANES_ALL);
		add(u, in->mem.soffset, in->mem.saddr, false, MX_LANES_ALL);
	}
	if (op->rmw || op->flags & MX_STORE)
		add(u, in->mem.data, mx_smem_data_dwords(in), false, MX_LANES_ALL);
	if (scalar_loads(in))
		add(u, in->mem.data, (op->d + 3) / 4, true, MX_LANES_ALL);
}

/* ---- the others ---- */

/* Matrix instructions ignore EXEC. */
static unsigned lanes_of(const struct mx_op *op) {
	if (op->encoding == MX_MAI && !op->lanes)
		return MX_LANES_ALL;
	if (!strncmp(op->name, "v_readfirstlane", 15))
		return MX_LANE_FIRST;
	bool one = !strncmp(op->name, "v_readlane", 10) || !strncmp(op->name, "v_writelane", 11);
	return one ? MX_LANE_OF_SRC1 : MX_LANES_OF_EXEC;
}

static void find_alu(const struct mx_inst *in, struct mx_order_use *u) {
	const struct mx_op *op = in->op;
	unsigned lanes = lanes_of(op);
	bool mask = op->flags & (MX_MASK_ONLY | MX_CARRY_OUT);
	struct mx_use use[MX_MAX_USES];
	size_t n = mx_uses(in, use);
	for (size_t i = 0; i < n; i++)
		add(u, use[i].code, use[i].dwords, false, lanes);
	for (unsigned i = 0; i < 3; i++)
		if (op->s[i] && in->src[i] == MX_VCCZ)
			add(u, MX_VCC, 2, false, MX_LANES_ALL);
	if (op->handler == mx_x_s_cbranch_vccz || op->handler == mx_x_s_cbranch_vccnz)
		add(u, MX_VCC, 2, false, MX_LANES_ALL);
	if (lanes == MX_LANE_OF_SRC1)
		add(u, in->src[1], 1, false, MX_LANES_ALL);
	if (lanes == MX_LANE_OF_SRC1 && !op->d)
		add(u, in->dst, 1, true, lanes); /* v_writelane */
	if (op->encoding == MX_VOP1 && strstr(op->name, "_swap"))
		add(u, in->dst, 1, true, lanes);
	if (mask)
		add(u, in->sdst, 2, true, MX_LANES_ALL);
	if (mx_is_cvt(op))
		add(u, in->dst, mx_cvt_info(op->cvt).dst_dwords, true, lanes);
	else if (!(op->flags & MX_MASK_ONLY))
		add(u, in->dst, op->d, true, lanes);
}

void mx_order_find_uses(const struct mx_inst *in, struct mx_order_use *u) {
	mx_encoding e = in->op->encoding;
	if (e == MX_SMEM)
		find_scalar_memory(in, u);
	else if (e == MX_DS)
		find_ds(in, u);
	else if (e > MX_DS)
		find_vector_memory(in, u);
	else
		find_alu(in, u);
}

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
	struct mx_order_wave *o = &t->w->group->order->wave[t->w->index];
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
	struct mx_order_wave *o = &t->w->group->order->wave[t->w->index];
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
		mx_order_doubt(t->w, t->in, "too many loads of parts of registers in flight");
}

static void note_row(const struct toucher *t, unsigned row) {
	struct mx_order_wave *o = &t->w->group->order->wave[t->w->index];
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
	const struct mx_order_use *u = &w->group->run->order->use[m->in->offset / 4];
	const struct toucher t = { w, m->in, true, stream,
		                   m->in->op->encoding == MX_SMEM ? ~0ull : m->exec };
	for (unsigned i = 0; t.lanes && i < u->n; i++)
		for (unsigned k = 0; u->range[i].write && k < u->range[i].n; k++)
			note_row(&t, u->range[i].row + k);
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
void mx_order_check_registers(struct mx_wave *w, const struct mx_inst *in,
                              const struct mx_order_use *u) {
	bool memory = in->op->encoding == MX_SMEM || in->op->encoding >= MX_DS;
	for (unsigned i = 0; i < u->n; i++) {
		const struct toucher t = { w, in, u->range[i].write, MX_STREAMS,
			                   touched(w, in, u->range[i].lanes) };
		for (unsigned k = 0; !(memory && t.write) && k < u->range[i].n; k++)
			check_row(&t, u->range[i].row + k);
	}
}
