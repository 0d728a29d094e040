/* The bytes of LDS and device memory that an operation accesses: of all lanes together, or lane by
 * lane. */
#include "../memory/ds.h"
#include "../memory/vmem.h"
#include "summary.h"

/* LDS-DMA writes 0 for what lies outside its buffer. */
static const mx_vreg zeros[4];

/* ---- ranges ---- */

/* The largest cell that divides the range; dwords that are written may differ. */
static unsigned unit_of(const struct mx_race_range *r) {
	unsigned largest = r->kind == MX_RACE_WRITE && r->data && r->data != zeros ? 4 : 16;
	unsigned ends = (unsigned)(r->at | (r->at + r->bytes)) | largest;
	return ends & -ends;
}

static void walk(struct mx_race_range *r, struct mx_race_map *m, bool atomics) {
	uint64_t at = r->at, end = at + r->bytes;
	unsigned unit = unit_of(r);
	while (at < end) {
		struct mx_race_page *p =
			mx_race_page(m, at, unit, !atomics || r->kind == MX_RACE_ATOMIC);
		uint64_t stop = at / MX_RACE_PAGE * MX_RACE_PAGE + MX_RACE_PAGE;
		stop = stop < end ? stop : end;
		bool recorded = p && !p->cell && r->together;
		if (!recorded && p && !p->cell && !mx_summary_to_cells(m, p, at))
			p = NULL;
		if (!p && !atomics)
			r->w->group->run->out_of_memory = true;
		for (; p && !recorded && at < stop; at += p->unit) {
			struct mx_race_cell *c = mx_race_cell(p, at);
			if (atomics)
				mx_race_touch_atomics(r, m, c, at);
			else
				mx_race_touch(r, m, c, at, p->unit);
		}
		at = stop;
	}
}

static void visit_range(const struct mx_race_range *r) {
	for (uint64_t at = r->at & ~3ull; at < r->at + r->bytes; at += 4)
		r->visit(r->context, r->lds, at);
}

static bool writes_code(const struct mx_race_range *r, uint64_t from, uint64_t to) {
	if (r->lds || r->kind == MX_RACE_READ)
		return false;
	const struct mx_program *p = r->w->group->run->launch->program;
	uint64_t base = mx_program_base(p), end = base + 4 * mx_program_dwords(p);
	return from < end && to > base;
}

struct maps {
	struct mx_race_map *accesses, *atomics;
};

static struct maps maps_of(const struct mx_race_range *r) {
	struct mx_race_group *g = mx_race_group_of(r->w->group);
	struct mx_race_analysis *o = mx_race_analysis_of(r->w->group->run);
	return r->lds ? (struct maps){ &g->lds, &g->lds_atomics }
	              : (struct maps){ &o->memory, &o->atomics };
}

static void walk_range(struct mx_race_range *r) {
	struct maps maps = maps_of(r);
	if (r->lds && r->at + r->bytes > r->w->group->lds_bytes)
		return;
	if (r->visit) {
		if (r->kinds >> r->kind & 1)
			visit_range(r);
		return;
	}
	/* The hardware may fetch instructions at any time; the emulator executes the initial code.
	 */
	if (writes_code(r, r->at, r->at + r->bytes))
		mx_race_doubt(r->w, r->in, MX_DOUBT_OWN_CODE);
	walk(r, maps.accesses, false);
	if (maps.atomics->n || r->kind == MX_RACE_ATOMIC)
		walk(r, maps.atomics, true);
}

/* Walks the ranges of consecutive dwords of a lane that are set in `inside`. */
static void walk_inside(struct mx_race_range *r, uint64_t at, unsigned bytes, unsigned inside) {
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

/* ---- all lanes together ---- */

static bool are_in_lds(const struct mx_race_range *r, const struct mx_wave_access *c,
                       uint64_t lanes) {
	unsigned l;
	MX_FOR_LANES(l, lanes)
	if (c->at[l] + c->offset + c->bytes > r->w->group->lds_bytes)
		return false;
	return true;
}

/* Whether the lanes' accesses to a page may be recorded together: if its bytes are in LDS, are not
 * code that is written, and no atomic accessed the page. */
static bool is_plain(const struct mx_race_range *r, const struct mx_footprint_page *f,
                     const struct mx_wave_access *c, struct mx_race_map *atomics) {
	uint64_t from = f->page * MX_RACE_PAGE, to = from + MX_RACE_PAGE;
	if (r->lds && to > r->w->group->lds_bytes && !are_in_lds(r, c, f->lanes))
		return false;
	if (writes_code(r, from, to))
		return false;
	return !atomics->n || !mx_race_find_page(atomics, from, 16, false);
}

/* Finds the pages of a footprint. False if an access to one must go lane by lane, or memory is
 * short. */
static bool find_pages(struct mx_race_range *r, const struct mx_footprint *f, struct maps maps,
                       const struct mx_wave_access *c, struct mx_race_page *page[MX_LANES]) {
	unsigned unit = c->bytes < 4 ? 4 : c->bytes;
	for (unsigned i = 0; i < f->n; i++) {
		if (!is_plain(r, &f->page[i], c, maps.atomics))
			return false;
		page[i] = mx_race_page(maps.accesses, f->page[i].page * MX_RACE_PAGE, unit, true);
		if (!page[i])
			return false;
		__builtin_prefetch(&page[i]->touched);
		__builtin_prefetch(&page[i]->several_groups);
	}
	for (unsigned i = 0; i < f->n; i++) {
		__builtin_prefetch(page[i]->record);
		__builtin_prefetch(&page[i]->record[page[i]->n], 1);
	}
	return true;
}

/* The access to a page of which each cell must be examined. False if nothing is recorded. */
static bool access_cells(struct mx_race_range *r, struct mx_race_map *m, struct mx_race_page *p,
                         const struct mx_footprint_page *f, unsigned bytes) {
	if (p->cell)
		return r->kind == MX_RACE_READ &&
		       mx_race_read_unwritten(r, m, p, &f->cells, bytes < 4 ? 4 : bytes);
	if (!mx_summary_to_cells(m, p, f->page * MX_RACE_PAGE))
		r->w->group->run->out_of_memory = true;
	return false;
}

/* Whether lanes may be recorded together. Writes of pages with cells may not. */
static bool may_be_together(const struct mx_race_range *r, const struct mx_race_map *m,
                            unsigned bytes) {
	return !r->visit && !r->w->group->run->launch->lane_by_lane &&
	       (!m->by_cells || r->kind == MX_RACE_READ) &&
	       (bytes == 1 || bytes == 2 || bytes == 4 || bytes == 8 || bytes == 16);
}

/* The room for the footprints of an instruction. NULL if memory is short. */
static struct mx_footprint *footprint_of(const struct mx_race_range *r) {
	struct mx_race_analysis *o = mx_race_analysis_of(r->w->group->run);
	struct mx_footprint **f = &o->footprint[r->in->offset / 4][r->lds];
	if (!*f && (*f = mx_slabs_take(&o->memory.slabs, sizeof **f)))
		(*f)->lanes = 0;
	return *f;
}

/* The accesses of a footprint, as walk_together has them. */
static bool access_pages(struct mx_race_range *r, const struct mx_footprint *f,
                         const struct mx_wave_access *c) {
	const struct mx_summary_functions *by = mx_race_analysis_of(r->w->group->run)->summary;
	struct maps maps = maps_of(r);
	struct mx_race_page *page[MX_LANES];
	bool all = true;
	if (!find_pages(r, f, maps, c, page))
		return false;
	r->together = true;
	for (uint64_t left = by->access(r, maps.accesses, page, f, c); left; left &= left - 1) {
		unsigned i = (unsigned)__builtin_ctzll(left);
		all &= access_cells(r, maps.accesses, page[i], &f->page[i], c->bytes);
	}
	return all;
}

/* Records the accesses of all lanes together. False: the caller records them lane by lane; if
 * r->together, only those to pages with cells. A read may be recorded twice. */
static bool walk_together(struct mx_race_range *r, uint64_t lanes, const struct mx_wave_access *c) {
	struct maps maps = maps_of(r);
	const struct mx_summary_functions *by = mx_race_analysis_of(r->w->group->run)->summary;
	struct mx_footprint *f;
	r->together = false;
	return may_be_together(r, maps.accesses, c->bytes) && (f = footprint_of(r)) &&
	       by->footprint(f, c->at, c->offset, lanes, c->bytes) && access_pages(r, f, c);
}

/* Whether this is a read of whole dwords in shared pages alone. This is faster than to find cells,
 * and a GEMM reads most of its inputs again and again. */
static bool reads_shared(const struct mx_race_range *r, uint64_t from, uint64_t to) {
	enum { MOST = 512 };
	struct maps maps = maps_of(r);
	return r->kind == MX_RACE_READ && !r->lds && !r->visit && !maps.atomics->n &&
	       to - from <= MOST * MX_RACE_PAGE && mx_race_are_shared(maps.accesses, from, to);
}

/* The same, dword by dword: the addresses are multiples of 4 only, or the size is no power of 2. */
static bool walk_dwords(struct mx_race_range *r, uint64_t lanes, const struct mx_wave_access *c) {
	bool all = true;
	for (unsigned k = 0; k < c->bytes / 4; k++) {
		all &= walk_together(r, lanes,
		                     &(struct mx_wave_access){ .kind = c->kind,
		                                               .rows = c->rows + k,
		                                               .at = c->at,
		                                               .offset = c->offset + 4 * k,
		                                               .bytes = 4 });
		if (!r->together)
			return false;
	}
	return all;
}

/* Sets *lanes to the lanes of a set of which `n` dwords, from `first` on, are in range. False if
 * they are so only in part. */
static bool whole_lanes(const struct mx_memop *m, uint64_t of, unsigned first, unsigned n,
                        uint64_t *lanes) {
	unsigned all = (1u << n) - 1, l;
	*lanes = m->range == MX_RANGE_ALL ? of : 0;
	if (m->range != MX_RANGE_SOME)
		return true;
	MX_FOR_LANES(l, of) {
		unsigned inside = m->inside[l] >> first & all;
		if (inside && inside != all)
			return false;
		*lanes |= (uint64_t)(inside == all) << l;
	}
	return true;
}

/* ---- operations ---- */

static mx_race_kind kind_of(const struct mx_op *op) {
	return op->rmw ? MX_RACE_ATOMIC : op->flags & MX_STORE ? MX_RACE_WRITE : MX_RACE_READ;
}

/* The addresses of an element of a DS operation, in 32 bits. They do not wrap if all are in LDS. */
static void place_element(const struct mx_memop *m, unsigned e, struct mx_wave_access *c,
                          uint64_t room[MX_LANES]) {
	uint32_t offset = mx_ds_element(m, 0, e) - (uint32_t)m->address[0];
	c->at = m->range == MX_RANGE_ALL ? m->address : room;
	c->offset = m->range == MX_RANGE_ALL ? offset : 0;
	for (unsigned l = 0; m->range != MX_RANGE_ALL && l < MX_LANES; l++)
		room[l] = (uint32_t)m->address[l] + offset;
}

/* One element of all lanes. */
static bool access_ds_together(struct mx_race_range *r, const struct mx_memop *m, unsigned e) {
	unsigned n = mx_ds_dwords(m->in);
	struct mx_wave_access c = { .kind = MX_VALUE,
		                    .rows = m->data + e * n,
		                    .bytes = m->in->op->d };
	uint64_t room[MX_LANES], lanes;
	r->together = false;
	place_element(m, e, &c, room);
	return r->kind != MX_RACE_ATOMIC && whole_lanes(m, m->exec, e * n, n, &lanes) &&
	       walk_together(r, lanes, &c);
}

/* A read of what the lane before has read, as of a flag, adds nothing but the count of a finding. */
static void access_ds_element(struct mx_race_range *r, const struct mx_memop *m, unsigned e) {
	unsigned n = mx_ds_dwords(m->in), last = MX_LANES, l;
	if (access_ds_together(r, m, e))
		return;
	r->reported = false;
	MX_FOR_LANES(l, m->exec) {
		if (r->kind == MX_RACE_READ && last < MX_LANES && !r->reported &&
		    m->address[l] == m->address[last] && m->inside[l] == m->inside[last])
			continue;
		last = l;
		r->lane = (int)l;
		r->data = m->data + e * n;
		walk_inside(r, mx_ds_element(m, l, e), m->in->op->d, m->inside[l] >> e * n);
	}
}

static void access_ds(struct mx_race_range *r, const struct mx_memop *m) {
	mx_kind kind = mx_kind_of(m->in->op);
	if (kind == MX_IS_LANE_MOVE || kind == MX_IS_LDS_NOP)
		return;
	r->lds = true;
	if (kind == MX_IS_LDS_COUNTER) {
		r->kind = MX_RACE_ATOMIC;
		r->lane = -1;
		walk_inside(r, mx_ds_element(m, 0, 0), 4, m->inside[0]);
		return;
	}
	for (unsigned e = 0; e < mx_ds_elements(m->in); e++)
		access_ds_element(r, m, e);
}

static mx_written_kind kind_of_load(const struct mx_op *op) {
	if (op->d >= 4)
		return MX_LOADED;
	if (op->d == 2)
		return op->flags & MX_SIGNED ? MX_LOADED_SSHORT : MX_LOADED_USHORT;
	return op->flags & MX_SIGNED ? MX_LOADED_SBYTE : MX_LOADED_UBYTE;
}

/* The contents that a lane of LDS-DMA leaves. They are unknown if it converts, or loads from
 * scratch, which each lane has for itself. */
static struct mx_written source_of(const struct mx_memop *m, unsigned lane) {
	if (m->in->op->flags & MX_FORMAT || m->scratch >> lane & 1)
		return (struct mx_written){ 0 };
	return (struct mx_written){ .kind = kind_of_load(m->in->op), .value = m->address[lane] };
}

/* Dwords of a lane inside the buffer get loaded data, the others 0. */
static void access_lds_dma_lane(struct mx_race_range *r, const struct mx_memop *m, unsigned l) {
	const struct mx_written loaded = source_of(m, l);
	unsigned inside = m->in->op->flags & MX_FORMAT && m->inside[l] ? ~0u : m->inside[l], bytes;
	r->lds = true;
	r->kind = MX_RACE_WRITE;
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

/* The lanes in the buffer, which load, then the others, which write zeros. */
static bool access_lds_dma_together(struct mx_race_range *r, const struct mx_memop *m) {
	unsigned bytes, d = m->in->op->d;
	uint32_t base = mx_lds_dma_place(m, 0, &bytes);
	uint32_t stride = mx_lds_dma_place(m, 1, &bytes) - base;
	uint64_t at[MX_LANES], in;
	if (m->in->op->flags & MX_FORMAT || bytes != d || m->scratch & m->exec ||
	    !whole_lanes(m, m->exec, 0, d / 4, &in))
		return false;
	for (unsigned l = 0; l < MX_LANES; l++)
		at[l] = base + l * stride;
	const struct mx_wave_access loaded = {
		.kind = MX_LOADED, .sources = m->address, .at = at, .bytes = bytes
	};
	const struct mx_wave_access zero = { .kind = MX_VALUE, .at = at, .bytes = bytes };
	r->lds = true;
	r->kind = MX_RACE_WRITE;
	bool all = !in || walk_together(r, in, &loaded);
	if (in == m->exec || (in && !r->together))
		return all;
	return walk_together(r, m->exec & ~in, &zero) && all;
}

static void access_lds_dma(struct mx_race_range *r, const struct mx_memop *m) {
	unsigned l;
	r->together = false;
	if (access_lds_dma_together(r, m))
		return;
	MX_FOR_LANES(l, m->exec)
	access_lds_dma_lane(r, m, l);
}

/* Whether all lanes read shared pages alone, and those between them are shared, too: rows of a
 * matrix with a long K. */
static bool lanes_read_shared(const struct mx_race_range *r, const struct mx_memop *m) {
	bool bounded = m->range == MX_RANGE_ALL || m->split;
	return bounded && m->in_range && m->in->op->d >= 4 && !(m->exec & m->scratch) &&
	       reads_shared(r, m->from, m->to);
}

static bool access_vector_together(struct mx_race_range *r, const struct mx_memop *m) {
	const struct mx_op *op = m->in->op;
	uint64_t lanes;
	if (op->flags & MX_FORMAT || op->rmw || m->in_lds ||
	    !whole_lanes(m, m->exec & ~m->scratch, 0, mx_dwords(op->d), &lanes))
		return false;
	if (lanes_read_shared(r, m))
		return true;
	const struct mx_wave_access c = {
		.kind = MX_VALUE, .rows = m->data, .at = m->address, .bytes = op->d
	};
	if (walk_together(r, lanes, &c))
		return true;
	return !r->together && op->d % 4 == 0 && walk_dwords(r, lanes, &c);
}

/* What a lane loads or stores. Scratch belongs to one lane, so it has no conflicts. */
static void access_vector(struct mx_race_range *r, const struct mx_memop *m) {
	const struct mx_op *op = m->in->op;
	unsigned bytes = op->flags & MX_FORMAT ? mx_typed_bytes(m) : op->d, l;
	if (op->encoding == MX_FLAT && m->scratch & m->exec &&
	    r->w->group->run->launch->scratch_apart)
		mx_race_doubt(r->w, r->in, MX_DOUBT_FLAT_SCRATCH);
	r->lds = m->in_lds;
	r->data = op->flags & MX_FORMAT ? NULL : m->data;
	if (!access_vector_together(r, m))
		MX_FOR_LANES(l, m->exec & ~m->scratch) {
			bool whole = op->flags & MX_FORMAT || op->rmw;
			r->lane = (int)l;
			walk_inside(r, m->in_lds ? (uint32_t)m->address[l] : m->address[l], bytes,
			            whole ? (m->inside[l] ? ~0u : 0) : m->inside[l]);
		}
	if (m->in->mem.lds)
		access_lds_dma(r, m);
}

static struct mx_race_range range_of(struct mx_wave *w, const struct mx_inst *in, mx_access me) {
	return (struct mx_race_range){ .w = w,
		                       .in = in,
		                       .order = mx_race_group_of(w->group),
		                       .past = mx_race_past_of(w),
		                       .group = (uint32_t)w->group->index + 1,
		                       .me = me,
		                       .rmw = in->op->rmw,
		                       .lane = -1 };
}

/* ---- extents ---- */

enum { MOST_EXTENTS = 2 * MX_LANES };

/* Consecutive extents of an operation, and what they access in LDS and in device memory. In each of
 * both, all have cells of one size, and all read or all write. */
struct extents {
	struct mx_race_range *r;
	unsigned n;
	struct mx_extent extent[MOST_EXTENTS];
	struct extents_in {
		bool write;
		unsigned unit;
		uint64_t last; /* the last page of the footprint by address */
		struct mx_footprint_page *near; /* of the last extent */
		struct mx_footprint f;
	} in[2]; /* in LDS: 1 */
};

static void begin_extents(struct extents *x) {
	x->n = x->in[0].f.n = x->in[1].f.n = 0;
}

static void set_extent(struct mx_race_range *r, const struct mx_extent *e) {
	r->lds = e->lds;
	r->kind = e->rmw ? MX_RACE_ATOMIC : e->write ? MX_RACE_WRITE : MX_RACE_READ;
	r->rmw = e->rmw;
	r->lane = e->lane;
	r->base = r->at = e->at;
	r->bytes = e->bytes;
}

static void access_extent(struct mx_race_range *r, const struct mx_extent *e, bool together) {
	mx_access me = r->me;
	set_extent(r, e);
	r->me = e->rmw ? mx_access_as_sync(me) : me;
	r->together = together;
	walk_range(r);
	r->me = me;
}

/* Records together what is accessed in one of both; as walk_together. */
static bool access_in(struct extents *x, bool lds) {
	const struct extents_in *in = &x->in[lds];
	const struct mx_wave_access c = { .kind = MX_UNKNOWN, .bytes = in->unit };
	struct mx_race_range *r = x->r;
	r->together = true;
	if (!in->f.n)
		return true;
	set_extent(r, &(struct mx_extent){ .lds = lds, .write = in->write });
	r->together = false;
	return access_pages(r, &in->f, &c);
}

static void access_extents(struct extents *x) {
	bool together[2], all = true;
	for (unsigned lds = 0; lds < 2; lds++) {
		all &= access_in(x, lds);
		together[lds] = x->r->together;
	}
	for (unsigned i = 0; !all && i < x->n; i++)
		access_extent(x->r, &x->extent[i], together[x->extent[i].lds]);
	begin_extents(x);
}

/* Whether an extent may be recorded together with others. */
static bool may_be_with_others(const struct mx_race_range *r, unsigned unit) {
	const struct mx_wave_access c = { .bytes = unit };
	struct maps maps = maps_of(r);
	uint64_t end = r->at + r->bytes;
	if (unit < 4 || r->kind == MX_RACE_ATOMIC || r->bytes > MX_LANES / 2 * MX_RACE_PAGE ||
	    (r->lds && end > r->w->group->lds_bytes) || !may_be_together(r, maps.accesses, unit))
		return false;
	for (uint64_t page = r->at / MX_RACE_PAGE; page * MX_RACE_PAGE < end; page++)
		if (!is_plain(r, &(struct mx_footprint_page){ .page = page }, &c, maps.atomics))
			return false;
	return true;
}

static struct mx_footprint_page *page_in(struct extents_in *in, uint64_t page) {
	unsigned i = page > in->last ? 0 : in->f.n;
	while (i && in->f.page[i - 1].page != page)
		i--;
	return i ? &in->f.page[i - 1] : NULL;
}

/* The cells from..to-1 of word i of a mask that has some of them. */
static uint64_t word_of(unsigned i, unsigned from, unsigned to) {
	return ~0ull << (i == from / 64 ? from % 64 : 0) &
	       ~0ull >> (i == (to - 1) / 64 ? 63 - (to - 1) % 64 : 0);
}

/* Adds these cells, of which there is one. False if some are there and must not be. */
static bool add_cells(mx_cells *cells, unsigned from, unsigned to, bool apart) {
	bool meet = false;
	for (unsigned i = from / 64; apart && i <= (to - 1) / 64; i++)
		meet |= ((*cells)[i] & word_of(i, from, to)) != 0;
	for (unsigned i = from / 64; !meet && i <= (to - 1) / 64; i++)
		(*cells)[i] |= word_of(i, from, to);
	return !meet;
}

/* The cells of a range in a page. */
static mx_cells cells_in(const struct mx_race_range *r, uint64_t page, unsigned unit) {
	uint64_t start = page * MX_RACE_PAGE, end = r->at + r->bytes;
	unsigned from = r->at > start ? (unsigned)(r->at - start) : 0;
	unsigned to = end - start < MX_RACE_PAGE ? (unsigned)(end - start) : MX_RACE_PAGE;
	mx_cells cells = { 0 };
	add_cells(&cells, from / unit, to / unit, false);
	return cells;
}

static void add_page(struct extents_in *in, uint64_t page, const mx_cells *cells) {
	struct mx_footprint_page *p = page_in(in, page);
	if (!p) {
		p = &in->f.page[in->f.n++];
		*p = (struct mx_footprint_page){ .page = page };
		in->last = in->f.n > 1 && in->last > page ? in->last : page;
	}
	p->cells |= *cells;
	in->near = p;
}

/* Whether there is room in the footprint, and a write does not write its bytes again. */
static bool fits(const struct extents *x, struct extents_in *in, unsigned unit) {
	const struct mx_race_range *r = x->r;
	uint64_t page = r->at / MX_RACE_PAGE, last = (r->at + r->bytes - 1) / MX_RACE_PAGE;
	bool write = r->kind == MX_RACE_WRITE;
	if (x->n == MOST_EXTENTS ||
	    (in->f.n && (in->unit != unit || in->write != write)) ||
	    in->f.n + last - page >= MX_LANES)
		return false;
	for (; write && page <= last; page++) {
		const struct mx_footprint_page *p = page_in(in, page);
		const mx_cells cells = cells_in(r, page, unit);
		if (p && mx_cells_meet(&p->cells, &cells))
			return false;
	}
	return true;
}

/* Adds an extent to the page of the last one. False if it is not like that one. */
static bool add_near(struct extents *x, struct extents_in *in, const struct mx_extent *e,
                     unsigned unit) {
	uint64_t at = in->f.n ? e->at - in->near->page * MX_RACE_PAGE : MX_RACE_PAGE;
	if (at >= MX_RACE_PAGE || at + e->bytes > MX_RACE_PAGE || in->unit != unit ||
	    in->write != e->write || e->rmw || !e->bytes || x->n == MOST_EXTENTS)
		return false;
	if (!add_cells(&in->near->cells, (unsigned)at / unit, (unsigned)(at + e->bytes) / unit,
	               e->write))
		return false;
	x->extent[x->n++] = *e;
	return true;
}

static void add_extent(void *extents, const struct mx_extent *e) {
	struct extents *x = extents;
	struct mx_race_range *r = x->r;
	struct extents_in *in = &x->in[e->lds];
	unsigned unit = (unsigned)(e->at | (e->at + e->bytes) | 16);
	unit &= -unit;
	if (add_near(x, in, e, unit))
		return;
	set_extent(r, e);
	if (unit >= 4 && reads_shared(r, r->at, r->at + r->bytes))
		return;
	if (!may_be_with_others(r, unit)) {
		access_extents(x);
		access_extent(r, e, false);
		return;
	}
	if (!fits(x, in, unit)) {
		access_extents(x);
		set_extent(r, e);
	}
	in->unit = unit;
	in->write = e->write;
	x->extent[x->n++] = *e;
	for (uint64_t page = r->at / MX_RACE_PAGE; page * MX_RACE_PAGE < r->at + r->bytes; page++) {
		const mx_cells cells = cells_in(r, page, unit);
		add_page(in, page, &cells);
	}
}

static void visit_extents(struct mx_race_range *r, const struct mx_memop *m) {
	struct extents x;
	x.r = r;
	begin_extents(&x);
	m->extents(m, add_extent, &x);
	access_extents(&x);
}

static void access(struct mx_race_range *r, const struct mx_memop *m) {
	const struct mx_op *op = m->in->op;
	r->kind = kind_of(op);
	if (m->extents)
		visit_extents(r, m);
	else if (op->encoding == MX_DS)
		access_ds(r, m);
	else if (op->encoding == MX_SMEM) {
		if (op->rmw || op->flags & (MX_LOAD | MX_STORE))
			walk_inside(r, m->address[0], 4u * m->inside[0], ~0u);
	} else if (op->encoding > MX_DS && op->d)
		access_vector(r, m);
}

void mx_race_expect(const struct mx_wave *w, const struct mx_inst *in) {
	const struct mx_race_analysis *o = mx_race_analysis_of(w->group->run);
	bool lds = in->op->encoding == MX_DS || in->mem.lds;
	const struct mx_footprint *f = o->footprint[in->offset / 4][lds];
	if (!f)
		return;
	__builtin_prefetch(&f->lanes);
	__builtin_prefetch(&f->n);
	__builtin_prefetch(&f->page[1]);
}

void mx_race_access(struct mx_wave *w, const struct mx_memop *m, mx_access me) {
	struct mx_race_range r = range_of(w, m->in, me);
	struct mx_proof *p = &mx_race_analysis_of(w->group->run)->proof;
	access(&r, m);
	p->accesses++;
}

void mx_race_places(struct mx_wave *w, const struct mx_memop *m, unsigned kinds,
                    mx_race_visit *visit, void *context) {
	struct mx_race_range r = range_of(w, m->in, 0);
	r.visit = visit;
	r.context = context;
	r.kinds = kinds;
	access(&r, m);
}

static unsigned scalar_stream(const struct mx_wave *w) {
	unsigned s = 0;
	while (s + 1 < MX_STREAMS && mx_race_stream(w, s)->path != MX_PATH_SCALAR)
		s++;
	return s;
}

/* Preloads are over before the first instruction of the workgroup; a finding names that one. */
void mx_race_preload(struct mx_wave *w, uint64_t address, unsigned bytes) {
	const struct mx_program *p = w->group->run->launch->program;
	const struct mx_inst *in = mx_program_at(p, w->pc);
	if (!in || !in->op)
		return;
	struct mx_race_range r = range_of(w, in, mx_access_of(w, in, scalar_stream(w), 0));
	r.kind = MX_RACE_READ;
	walk_inside(&r, address, bytes, ~0u);
}
