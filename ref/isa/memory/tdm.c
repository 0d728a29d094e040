/* The tensor data mover of gfx1250: it copies tiles between device memory and LDS beside the waves.
 * mx_tdm_moves (mxref.h) says which bytes [CDNA5 10.11]. */
#include "tdm.h"

#include <string.h>

#include "../machine/device_memory.h"
#include "../machine/findings.h"
#include "../machine/registers.h"
#include "../schedule/clusters.h"
#include "lds.h"
#include "together.h"
#include "vmem.h"

/* An operation, and what a visit of its moves needs. */
struct tile {
	struct mx_wave *w;
	const struct mx_memop *m;
	mx_visit_extent *visit;
	void *context;
	bool may;     /* go on: nothing has stopped it */
	bool outside; /* a part of it is outside the tensor */
};

static bool is_store(const struct mx_memop *m) {
	return m->tdm.store;
}

/* ---- what it accesses ---- */

static void extents_of_move(void *context, const struct mx_tdm_move *v) {
	const struct tile *x = context;
	bool store = is_store(x->m);
	if (v->inside)
		x->visit(x->context,
		         &(struct mx_extent){
				 .write = store, .lane = -1, .at = v->memory, .bytes = v->bytes });
	if (v->inside || !store)
		x->visit(x->context, &(struct mx_extent){ .lds = true,
		                                          .write = !store,
		                                          .lane = -1,
		                                          .at = v->lds,
		                                          .bytes = v->bytes });
}

static void extents(const struct mx_memop *m, mx_visit_extent *visit, void *context) {
	struct tile x = { .m = m, .visit = visit, .context = context };
	mx_tdm_moves(&m->tdm, extents_of_move, &x);
	if (m->arrives)
		visit(context, &(struct mx_extent){ .lds = true,
		                                    .write = true,
		                                    .rmw = MX_RMW_arrive64,
		                                    .lane = -1,
		                                    .at = m->tdm.barrier,
		                                    .bytes = 8 });
}

/* ---- landing ---- */

/* The bytes of a part of a move: up to a dword, so that watchers get each. */
static unsigned part_of(const struct mx_tdm_move *v, uint32_t done) {
	return v->bytes - done < 4 ? v->bytes - done : 4;
}

static void load_parts(const struct tile *x, const struct mx_tdm_move *v) {
	for (uint32_t i = 0, n; i < v->bytes; i += n) {
		uint32_t value = 0, unwritten = 0;
		n = part_of(v, i);
		if (v->inside)
			value = mx_memory_read(x->w, x->m->in, 0, v->memory + i, n, &unwritten);
		mx_lds_write(x->w, x->m->in, 0, v->lds + i, n, value, unwritten);
	}
}

static void load_move(void *context, const struct mx_tdm_move *v) {
	const struct tile *x = context;
	const struct mx_group *g = x->w->group;
	bool together = mx_may_be_together(x->w, MX_WATCH_LDS | MX_WATCH_GLOBAL);
	if (together && v->inside && mx_memory_bytes_written(x->w, v->memory, v->bytes))
		mx_lds_copy(g, v->lds, mx_place(0, v->memory), v->bytes);
	else
		load_parts(x, v);
}

static void store_parts(struct tile *x, const struct mx_tdm_move *v) {
	for (uint32_t i = 0, n; i < v->bytes; i += n) {
		uint32_t unwritten, value;
		n = part_of(v, i);
		value = mx_lds_read(x->w, x->m->in, 0, v->lds + i, n, &unwritten);
		if (unwritten && x->may)
			mx_find(x->w, x->m->in, MX_UNWRITTEN, -1, v->memory + i,
			        MX_BECAUSE(STORE_UNWRITTEN, unwritten, (v->lds + i) / 4));
		x->may &= !unwritten;
		mx_memory_write(x->w, x->m->in, 0, v->memory + i, n, value, unwritten);
	}
}

static void store_move(void *context, const struct mx_tdm_move *v) {
	struct tile *x = context;
	const struct mx_group *g = x->w->group;
	bool together = mx_may_be_together(x->w, MX_WATCH_LDS | MX_WATCH_GLOBAL);
	if (!v->inside)
		return;
	if (together && mx_lds_is_written(g, v->lds, v->bytes))
		mx_memory_write_bytes(x->w, v->memory, g->lds + v->lds, v->bytes);
	else
		store_parts(x, v);
}

static void land(struct mx_wave *w, struct mx_memop *m) {
	struct tile x = { .w = w, .m = m, .may = true };
	w->tile = &m->tdm;
	mx_tdm_moves(&m->tdm, is_store(m) ? store_move : load_move, &x);
	if (m->arrives)
		mx_lds_arrive(w, m->in, 0, m->tdm.barrier);
	w->tile = NULL;
}

/* ---- issue ---- */

static void check_move(void *context, const struct mx_tdm_move *v) {
	struct tile *x = context;
	x->outside |= !v->inside;
	if (x->may && v->inside)
		x->may = mx_memory_check(x->w, x->m->in, -1, v->memory, v->bytes, is_store(x->m));
}

/* A tile that leaves LDS is reported and copies nothing. */
static void check_lds(struct mx_wave *w, struct mx_memop *m) {
	uint64_t end = mx_tdm_lds_end(&m->tdm), bytes = end - m->tdm.lds;
	if (end && !mx_lds_check(w, m->in, -1, m->tdm.lds,
	                         bytes < UINT32_MAX ? (unsigned)bytes : UINT32_MAX, !is_store(m)))
		m->tdm.dims = 0;
	m->arrives = m->tdm.arrives && !m->tdm.null &&
	             mx_lds_check(w, m->in, -1, m->tdm.barrier, 8, true);
}

static bool are_ascending(const struct mx_tdm *t) {
	for (unsigned i = 1; i < t->tile[1]; i++)
		if (t->row[i] < t->row[i - 1])
			return false;
	return true;
}

static void note_assumptions(const struct tile *x) {
	const struct mx_tdm *t = &x->m->tdm;
	if (t->repeats > 1 && (t->pad || x->outside))
		mx_assume(x->w, x->m->in, 0, MX_ASSUMES_TILE_REPEATS);
	if (t->gather && x->outside && !are_ascending(t))
		mx_assume(x->w, x->m->in, 0, MX_ASSUMES_TILE_ROWS);
	if (t->pad && (t->pad_every == 8) != (t->pad == 4))
		mx_assume(x->w, x->m->in, 0, MX_ASSUMES_TILE_PADDING);
}

void mx_tdm_issue(struct mx_wave *w, const struct mx_inst *in, const uint32_t d[MX_TDM_DWORDS]) {
	struct mx_memop *m = mx_memop_new(w, in);
	struct tile x = { .w = w, .m = m, .may = true };
	if (!m)
		return;
	mx_tdm_decode(d, in->op->flags & MX_STORE, &m->tdm);
	if (m->tdm.invalid)
		mx_find(w, in, MX_UNSUPPORTED, -1, 0,
		        MX_BECAUSE_OF(TENSOR_DESCRIPTOR, m->tdm.invalid));
	w->tile = &m->tdm;
	m->exec = 0;
	m->range = MX_RANGE_NONE;
	m->bulk = true;
	m->extents = extents;
	m->land = land;
	check_lds(w, m);
	mx_tdm_moves(&m->tdm, check_move, &x);
	note_assumptions(&x);
	x.may = x.may && mx_cluster_may_load(w, in, m->tdm.null ? 0 : m->tdm.workgroups);
	if (x.may && !mx_stopped(w))
		mx_memop_issue(w, mx_stream_of(in), m);
	else
		mx_memop_drop(w, m);
	w->tile = NULL;
}

/* ---- the instructions ---- */

mx_handler mx_x_tensor_load_to_lds, mx_x_tensor_store_from_lds;

/* The groups of the descriptor are the first four operands; a group that is left out is zero. */
static unsigned group_dwords(const struct mx_inst *in, unsigned i) {
	unsigned position = MX_AT_ADDRESS + i;
	return mx_operand_at(in, position) == MX_NULL ? 0 : in->operand[position].dwords;
}

void mx_tdm_operands(const struct mx_inst *in, const uint32_t *sgprs, uint32_t d[MX_TDM_DWORDS]) {
	memset(d, 0, MX_TDM_DWORDS * sizeof *d);
	for (unsigned i = 0, at = 0; i < 4; at += i == 1 ? 8 : 4, i++)
		memcpy(d + at, sgprs + mx_operand_at(in, MX_AT_ADDRESS + i),
		       group_dwords(in, i) * sizeof *d);
}

static void copy_tile(struct mx_wave *w, const struct mx_inst *in) {
	uint32_t d[MX_TDM_DWORDS];
	mx_tdm_operands(in, w->s, d);
	for (unsigned i = 0; i < 4; i++)
		mx_check_scalars_written(w, in, mx_operand_at(in, MX_AT_ADDRESS + i),
		                         group_dwords(in, i));
	mx_tdm_issue(w, in, d);
}

void mx_x_tensor_load_to_lds(struct mx_wave *w, const struct mx_inst *in) {
	copy_tile(w, in);
}

void mx_x_tensor_store_from_lds(struct mx_wave *w, const struct mx_inst *in) {
	copy_tile(w, in);
}
