/* Which bytes of LDS and device memory an operation touches, lane by lane. */
#include "../memory/ds.h"
#include "../memory/vmem.h"
#include "accesses.h"

/* What LDS-DMA leaves of what lies outside its buffer. */
static const mx_vreg zeros[4];

/* ---- ranges ---- */

/* The largest cells that the range fills; dwords that are written may differ. */
static unsigned unit_of(const struct mx_order_range *r) {
	unsigned largest = r->kind == MX_ORDER_WRITE && r->data && r->data != zeros ? 4 : 16;
	unsigned ends = (unsigned)(r->at | (r->at + r->bytes)) | largest;
	return ends & -ends;
}

static void walk(struct mx_order_range *r, struct mx_order_map *m, bool atomics) {
	uint64_t at = r->at, end = at + r->bytes;
	unsigned unit = unit_of(r);
	while (at < end) {
		struct mx_order_page *p =
			mx_order_page(m, at, unit, !atomics || r->kind == MX_ORDER_ATOMIC);
		uint64_t stop = at / MX_ORDER_PAGE * MX_ORDER_PAGE + MX_ORDER_PAGE;
		stop = stop < end ? stop : end;
		if (!p && !atomics)
			r->w->group->run->out_of_memory = true;
		for (; p && at < stop; at += p->unit) {
			struct mx_order_cell *c = mx_order_cell(p, at);
			if (atomics)
				mx_order_touch_atomics(r, m, c, at);
			else
				mx_order_touch(r, m, c, at, p->unit);
		}
		at = stop;
	}
}

static void visit_range(const struct mx_order_range *r) {
	for (uint64_t at = r->at & ~3ull; at < r->at + r->bytes; at += 4)
		r->visit(r->context, r->lds, at);
}

/* Instructions are fetched at any time; what is executed here is what there was at first. */
static void check_code(const struct mx_order_range *r) {
	const struct mx_program *p = r->w->group->run->launch->program;
	uint64_t base = mx_program_base(p), end = base + 4 * mx_program_dwords(p);
	if (r->at < end && r->at + r->bytes > base)
		mx_order_doubt(r->w, r->in, MX_DOUBT_OWN_CODE);
}

static void walk_range(struct mx_order_range *r) {
	struct mx_order_group *g = mx_order_kept(r->w->group);
	struct mx_order *o = mx_order_of(r->w->group->run);
	struct mx_order_map *m = r->lds ? &g->lds : &o->memory;
	struct mx_order_map *atomics = r->lds ? &g->lds_atomics : &o->atomics;
	if (r->lds && r->at + r->bytes > r->w->group->lds_bytes)
		return;
	if (r->visit) {
		if (r->kinds >> r->kind & 1)
			visit_range(r);
		return;
	}
	if (!r->lds && r->kind != MX_ORDER_READ)
		check_code(r);
	walk(r, m, false);
	if (atomics->n || r->kind == MX_ORDER_ATOMIC)
		walk(r, atomics, true);
}

/* The dwords of `inside` of a lane's data, those that follow each other in one. */
static void walk_inside(struct mx_order_range *r, uint64_t at, unsigned bytes, unsigned inside) {
	unsigned n = mx_dwords(bytes);
	r->base = at;
	for (unsigned k = 0; k < n; k++) {
		unsigned first = k;
		if (!(inside >> k & 1))
			continue;
		while (k + 1 < n && inside >> (k + 1) & 1)
			k++;
		unsigned end = k + 1 == n ? bytes : 4 * (k + 1);
		r->at = at + 4 * first;
		r->bytes = end - 4 * first;
		walk_range(r);
	}
}

/* ---- operations ---- */

static mx_order_kind kind_of(const struct mx_op *op) {
	return op->rmw ? MX_ORDER_ATOMIC : op->flags & MX_STORE ? MX_ORDER_WRITE : MX_ORDER_READ;
}

static void access_ds(struct mx_order_range *r, const struct mx_memop *m) {
	const struct mx_op *op = m->in->op;
	unsigned n = mx_ds_dwords(m->in), l;
	mx_kind kind = mx_kind_of(op);
	if (kind == MX_IS_LANE_MOVE || kind == MX_IS_LDS_NOP)
		return;
	r->lds = true;
	if (kind == MX_IS_LDS_COUNTER) {
		r->kind = MX_ORDER_ATOMIC;
		r->lane = -1;
		walk_inside(r, mx_ds_element(m, 0, 0), 4, m->inside[0]);
		return;
	}
	MX_FOR_LANES(l, m->exec)
	for (unsigned e = 0; e < mx_ds_elements(m->in); e++) {
		r->lane = (int)l;
		r->data = m->data + e * n;
		walk_inside(r, mx_ds_element(m, l, e), op->d, m->inside[l] >> e * n);
	}
}

static mx_written_kind kind_of_load(const struct mx_op *op) {
	if (op->d >= 4)
		return MX_LOADED;
	if (op->d == 2)
		return op->flags & MX_SIGNED ? MX_LOADED_SSHORT : MX_LOADED_USHORT;
	return op->flags & MX_SIGNED ? MX_LOADED_SBYTE : MX_LOADED_UBYTE;
}

/* What a lane of LDS-DMA leaves: of what it converts, or loads from scratch, which each lane has
 * for itself, unknown. */
static struct mx_written source_of(const struct mx_memop *m, unsigned lane) {
	if (m->in->op->flags & MX_FORMAT || m->scratch >> lane & 1)
		return (struct mx_written){ 0 };
	return (struct mx_written){ .kind = kind_of_load(m->in->op), .value = m->address[lane] };
}

/* The dwords of a lane that are in the buffer hold what was loaded, the others zeros. */
static void access_lds_dma_lane(struct mx_order_range *r, const struct mx_memop *m, unsigned l) {
	const struct mx_written loaded = source_of(m, l);
	unsigned inside = m->in->op->flags & MX_FORMAT && m->inside[l] ? ~0u : m->inside[l], bytes;
	r->lds = true;
	r->kind = MX_ORDER_WRITE;
	r->lane = (int)l;
	r->base = mx_lds_dma_place(m, l, &bytes);
	for (unsigned k = 0, end; k < bytes / 4; k = end) {
		bool in = inside >> k & 1;
		for (end = k + 1; end < bytes / 4 && (inside >> end & 1) == in;)
			end++;
		r->at = r->base + 4 * k;
		r->bytes = 4 * (end - k);
		r->data = in ? NULL : zeros;
		r->loaded = in ? loaded : (struct mx_written){ 0 };
		walk_range(r);
	}
}

static void access_lds_dma(struct mx_order_range *r, const struct mx_memop *m) {
	unsigned l;
	MX_FOR_LANES(l, m->exec)
	access_lds_dma_lane(r, m, l);
}

/* What a lane loads or stores, which is not scratch: that is the lane's own. */
static void access_vector(struct mx_order_range *r, const struct mx_memop *m) {
	const struct mx_op *op = m->in->op;
	unsigned bytes = op->flags & MX_FORMAT ? mx_typed_bytes(m) : op->d, l;
	if (op->encoding == MX_FLAT && m->scratch & m->exec &&
	    r->w->group->run->launch->scratch_apart)
		mx_order_doubt(r->w, r->in, MX_DOUBT_FLAT_SCRATCH);
	r->lds = m->in_lds;
	r->data = op->flags & MX_FORMAT ? NULL : m->data;
	MX_FOR_LANES(l, m->exec & ~m->scratch) {
		bool whole = op->flags & MX_FORMAT || op->rmw;
		r->lane = (int)l;
		walk_inside(r, m->in_lds ? (uint32_t)m->address[l] : m->address[l], bytes,
		            whole ? (m->inside[l] ? ~0u : 0) : m->inside[l]);
	}
	if (m->in->mem.lds)
		access_lds_dma(r, m);
}

static struct mx_order_range range_of(struct mx_wave *w, const struct mx_inst *in, mx_access me) {
	return (struct mx_order_range){ .w = w,
		                        .in = in,
		                        .order = mx_order_kept(w->group),
		                        .group = (uint32_t)w->group->index + 1,
		                        .me = me,
		                        .lane = -1 };
}

static void access(struct mx_order_range *r, const struct mx_memop *m) {
	const struct mx_op *op = m->in->op;
	r->kind = kind_of(op);
	if (op->encoding == MX_DS)
		access_ds(r, m);
	else if (op->encoding == MX_SMEM) {
		if (op->rmw || op->flags & (MX_LOAD | MX_STORE))
			walk_inside(r, m->address[0], 4u * m->inside[0], ~0u);
	} else if (op->encoding > MX_DS && op->d)
		access_vector(r, m);
}

void mx_order_access(struct mx_wave *w, const struct mx_memop *m, mx_access me) {
	struct mx_order_range r = range_of(w, m->in, me);
	struct mx_proof *p = &mx_order_of(w->group->run)->proof;
	access(&r, m);
	p->accesses++;
	p->pairs += r.pairs;
}

void mx_order_places(struct mx_wave *w, const struct mx_memop *m, unsigned kinds,
                     mx_order_visit *visit, void *context) {
	struct mx_order_range r = range_of(w, m->in, 0);
	r.visit = visit;
	r.context = context;
	r.kinds = kinds;
	access(&r, m);
}

/* Over before the first instruction of its workgroup, at which it is shown. */
void mx_order_preload(struct mx_wave *w, uint64_t address, unsigned bytes) {
	const struct mx_program *p = w->group->run->launch->program;
	const struct mx_inst *in = mx_program_at(p, w->pc);
	if (!in || !in->op)
		return;
	struct mx_order_range r = range_of(w, in, mx_access_of(w, in, MX_STREAM_SM, 0));
	r.kind = MX_ORDER_READ;
	walk_inside(&r, address, bytes, ~0u);
}
