/* Pages that record accesses by operation.
 *
 * The last accesses to a page are nearly always few operations of one workgroup, each to many
 * cells, and ordered. Such a page has a record for each operation, with a mask of the cells for
 * which it is the last write or a last read. An access of a wave is checked against each record
 * once instead of against each cell, and the masks are updated together. As soon as a check would
 * report something, doubt the proof, or needs the contents of a cell, the page gets cells, with
 * what they would have had (mx_summary_to_cells), and the operation goes cell by cell. So
 * conflicts.c has the rules, and this file has those of the cases in which nothing is wrong.
 *
 * Where a wave signals a barrier by one instruction and waits for it by another, waves are often at
 * different places when LDS is written again. The cells of such a write keep what it comes after,
 * as cells do: their readers, or the last write. They are records of reads, and the cells are in
 * own_wait. What happens-before through memory orders, by flags or barriers in LDS, counts as
 * ordered here as soon as something has raised the doubt that such an order raises.
 *
 * Where waves synchronise through memory, a later write must find every reader. Cells that several
 * workgroups read and none writes, the inputs of a persistent kernel, then have one more entry for
 * each read, and their lists of readers are made only if the page gets cells. */
#include "../machine/lane_bytes.h"
#include "summary.h"

#include <string.h>

enum { MOST = 128, MOST_LISTED = 512 };

/* ---- records ---- */

/* Removes records without cells. */
static void compact(struct mx_race_page *p) {
	unsigned n = 0;
	for (unsigned i = 0; i < p->n; i++)
		if (mx_cells_any(p->record[i].cells))
			p->record[n++] = p->record[i];
	p->n = (uint8_t)n;
}

/* Whether compact leaves room for so many more records, after these cells have lost theirs. */
static __attribute__((noinline)) bool make_more_room(struct mx_race_map *m, struct mx_race_page *p,
                                                     mx_cells lost, unsigned n) {
	unsigned left = 0;
	for (unsigned i = 0; i < p->n; i++)
		left += mx_cells_any(p->record[i].cells & ~lost);
	if (left + n <= p->room)
		return true;
	unsigned room = 2 * p->room;
	while (room < left + n)
		room *= 2;
	struct mx_race_record *more =
		room > MOST ? NULL : mx_slabs_take(&m->slabs, room * sizeof *more);
	if (!more)
		return false;
	memcpy(more, p->record, p->n * sizeof *more);
	if (p->room == MX_RACE_RECORDS)
		mx_race_leave_few(m, p->record);
	p->record = more;
	p->room = (uint8_t)room;
	return true;
}

static bool make_room(struct mx_race_map *m, struct mx_race_page *p, mx_cells lost, unsigned n) {
	return p->n + n <= p->room || make_more_room(m, p, lost, n);
}

static void add(struct mx_race_range *r, struct mx_race_page *p, mx_cells cells, bool write,
                mx_written_kind kind) {
	p->touched |= cells;
	struct mx_race_record *last = p->n ? &p->record[p->n - 1] : NULL;
	if (!mx_cells_any(cells))
		return;
	if (last && last->access == r->me && last->group == r->group && last->write == write &&
	    last->kind == kind)
		last->cells |= cells;
	else
		p->record[p->n++] = (struct mx_race_record){ .access = r->me,
			                                     .group = r->group,
			                                     .write = write,
			                                     .kind = (uint8_t)kind,
			                                     .cells = cells };
}

/* ---- reads ---- */

/* LDS has one workgroup and no caches, so writes that are over for all waves remain so. What a
 * write kept was before it, so it is before a read that is after the write. */
static bool may_read(struct mx_race_range *r, struct mx_race_page *p, mx_cells cells) {
	bool settled = r->lds;
	if (p->settled || !mx_cells_meet(&p->written, &cells))
		return true;
	for (unsigned i = 0; i < p->n; i++) {
		const struct mx_race_record *e = &p->record[i];
		if (!e->write)
			continue;
		settled = settled && mx_race_is_over_for_all(r->w->group, e->access);
		if (!mx_cells_meet(&e->cells, &cells))
			continue;
		if (e->group != r->group || mx_race_passes_caches(r, e->access) ||
		    !(mx_race_is_over_for(r, e->access) || mx_race_is_ordered(r, e->access)))
			return false;
	}
	p->settled = settled;
	return true;
}

/* An earlier reader of cells that are read again: the cells for which it remains. */
static mx_cells keep_reader(struct mx_race_range *r, struct mx_race_page *p,
                            const struct mx_race_record *e, mx_cells again) {
	mx_cells single = again & ~p->several_readers;
	if (mx_race_same_slot(r->w->group->run->isa, e->access, r->me)) {
		if (mx_cells_any(single) && !mx_race_replaces(r, e->access))
			p->several_readers |= single;
		return e->cells & ~again;
	}
	if (mx_cells_any(single) && mx_race_replaces(r, e->access))
		return e->cells & ~single;
	p->several_readers |= single;
	return e->cells;
}

static void note_read(struct mx_race_range *r, struct mx_race_page *p, mx_cells cells) {
	cells &= ~p->several_groups;
	const struct mx_race_record *end = p->record + p->n;
	for (struct mx_race_record *e = p->record; e < end; e++) {
		if (!mx_cells_meet(&e->cells, &cells) || e->write)
			continue;
		mx_cells again = e->cells & cells;
		if (e->group == r->group) {
			e->cells = keep_reader(r, p, e, again);
			continue;
		}
		p->several_groups |= again;
		cells &= ~again;
	}
	add(r, p, cells, false, MX_UNKNOWN);
}

/* A cell that was written does not have several groups: a read by another group makes cells. */
static bool is_shared(const struct mx_race_page *p) {
	uint64_t all = ~0ull;
	for (unsigned i = 0; i < 16u / p->unit; i++)
		all &= p->several_groups[i];
	return all == ~0ull;
}

/* The cells that another workgroup has read. */
static mx_cells read_by_others(const struct mx_race_range *r, const struct mx_race_page *p,
                               mx_cells cells) {
	mx_cells others = p->several_groups;
	bool known = !mx_cells_any(cells & ~others);
	for (unsigned i = 0; !known && i < p->n; i++)
		if (p->record[i].group != r->group)
			others |= p->record[i].cells;
	return others & cells;
}

static bool make_room_listed(struct mx_race_map *m, struct mx_race_page *p) {
	unsigned room = p->room_listed ? 2 * p->room_listed : 8;
	if (p->n_listed < p->room_listed)
		return true;
	struct mx_race_listed *more =
		room > MOST_LISTED ? NULL : mx_slabs_take(&m->slabs, room * sizeof *more);
	if (!more)
		return false;
	if (p->n_listed)
		memcpy(more, p->listed, p->n_listed * sizeof *more);
	p->listed = more;
	p->room_listed = (uint16_t)room;
	return true;
}

/* Sets m->last_mask. Most pages of an operation have the same mask. */
static bool find_mask(struct mx_race_map *m, mx_cells cells) {
	bool same = m->last_mask < m->n_masks && !mx_cells_any(m->mask[m->last_mask] ^ cells);
	return same || mx_race_find_mask(m, &cells);
}

/* These cells keep every reader from now on. */
static bool list_reader(struct mx_race_range *r, struct mx_race_map *m, struct mx_race_page *p,
                        mx_cells cells) {
	if (!make_room_listed(m, p) || !find_mask(m, cells))
		return false;
	p->listed[p->n_listed++] = (struct mx_race_listed){ r->me, r->group, m->last_mask };
	p->several_groups |= cells;
	return true;
}

static bool read_page(struct mx_race_range *r, struct mx_race_map *m, struct mx_race_page *p,
                      mx_cells cells) {
	bool first = !mx_cells_meet(&p->touched, &cells);
	if (!first && !may_read(r, p, cells))
		return false;
	if (!first && m->lists) {
		mx_cells others = read_by_others(r, p, cells);
		if (mx_cells_any(others) && !list_reader(r, m, p, others))
			return false;
		cells &= ~others;
	}
	if (!mx_cells_any(cells & ~p->several_groups))
		return true;
	if (!make_room(m, p, (mx_cells){ 0 }, 1))
		return false;
	if (p->n == p->room)
		compact(p);
	if (first)
		add(r, p, cells, false, MX_UNKNOWN);
	else {
		note_read(r, p, cells);
		p->shared = !r->lds && !m->lists && is_shared(p);
	}
	return true;
}

/* ---- writes ---- */

/* Whether an access was issued before a barrier and is over only if one L1 orders it. */
static bool needs_l1(const struct mx_race_range *r, mx_access a) {
	return !r->lds &&
	       mx_access_number(a) <= r->past->wave[mx_access_wave(a)].issued[mx_access_stream(a)];
}

/* What a write comes after. */
struct before {
	mx_cells after_write, after_read; /* cells at which only a wait of this wave orders it after
	                                     the last write; after a read */
	mx_cells maybe_same;              /* cells in which it may leave the contents that are there */
	mx_cells own_wait;                /* as in the page, after it */
};

/* The contents matter where LDS-DMA meets a reader, and where a write meets a write. */
static bool is_ordered(struct mx_race_range *r, const struct mx_race_record *e,
                       mx_written_kind kind) {
	bool contents = e->write ? e->kind == kind && kind != MX_UNKNOWN : kind >= MX_LOADED;
	return !contents && mx_race_is_ordered(r, e->access);
}

static bool find_before(struct mx_race_range *r, const struct mx_race_page *p, mx_cells cells,
                        mx_written_kind kind, struct before *b) {
	const struct mx_race_record *end = p->record + p->n;
	for (const struct mx_race_record *e = p->record; e < end; e++) {
		if (!mx_cells_meet(&e->cells, &cells))
			continue;
		if (e->group != r->group || e->access == r->me ||
		    !(mx_race_is_over_for(r, e->access) || is_ordered(r, e, kind)))
			return false;
		if (e->write && e->kind == kind && kind != MX_UNKNOWN)
			b->maybe_same |= e->cells & cells;
		if (mx_race_is_over_for_all(r->w->group, e->access))
			continue;
		if (needs_l1(r, e->access))
			return false;
		*(e->write ? &b->after_write : &b->after_read) |= e->cells & cells;
	}
	return true;
}

/* After a write alone, whether a wait of this wave orders it depends on what both write. An earlier
 * access may have left own_wait. Where barriers are split, a cell keeps what the write comes after,
 * and what both write matters there as well. */
static bool may_write(struct mx_race_range *r, const struct mx_race_page *p, mx_cells cells,
                      mx_written_kind kind, struct before *b) {
	if (mx_cells_meet(&p->several_groups, &cells) || !find_before(r, p, cells, kind, b))
		return false;
	mx_cells alone = b->after_write & ~b->after_read;
	if (!mx_race_splits_barriers(r)) {
		b->own_wait = b->after_read | (b->after_write & p->own_wait);
		return !mx_cells_any(alone & ~p->own_wait);
	}
	b->own_wait = b->after_read | b->after_write;
	mx_cells unsure = b->maybe_same & (alone | p->own_wait);
	return !mx_cells_any(r->lds ? unsure : b->own_wait);
}

/* The cells of which a read is known. */
static mx_cells cells_read(const struct mx_race_page *p) {
	mx_cells read = { 0 };
	for (unsigned i = 0; i < p->n; i++)
		if (!p->record[i].write)
			read |= p->record[i].cells;
	return read;
}

/* Removes earlier accesses from the cells of a write, but for those in `kept`: they keep their
 * reads, or the last write as one if they have none: keep_earlier of conflicts.c. There is room for
 * one more record of each write. */
static __attribute__((noinline)) void keep_earlier(struct mx_race_page *p, mx_cells cells,
                                                   mx_cells kept) {
	mx_cells read = cells_read(p);
	unsigned n = p->n;
	for (unsigned i = 0; i < n; i++) {
		struct mx_race_record *e = &p->record[i];
		mx_cells stay = e->cells & (e->write ? kept & ~read : kept);
		e->cells &= ~cells;
		if (!e->write)
			e->cells |= stay;
		else if (mx_cells_any(stay))
			p->record[p->n++] = (struct mx_race_record){
				.access = e->access, .group = e->group, .cells = stay
			};
	}
}

static void forget_earlier(struct mx_race_page *p, mx_cells cells) {
	for (unsigned i = 0; i < p->n; i++)
		p->record[i].cells &= ~cells;
}

/* Whether lanes are consecutive and their data, too. */
static bool is_run(const uint64_t *at, unsigned first, unsigned n, unsigned bytes) {
	uint64_t off = 0;
	for (unsigned i = 0; i < n; i++)
		off |= at[first + i] - at[first] - (uint64_t)bytes * i;
	return !off;
}

static void note_sources(struct mx_race_page *p, uint64_t lanes, const struct mx_wave_access *c) {
	unsigned parts = c->bytes / p->unit, l;
	MX_FOR_LANES(l, lanes) {
		uint64_t *to = p->source + (c->at[l] + c->offset) % MX_RACE_PAGE / p->unit;
		for (unsigned i = 0; i < parts; i++)
			to[i] = c->sources[l] + i * p->unit;
	}
}

/* `bytes` is a constant where this is called. */
static inline __attribute__((always_inline)) void
note_lanes(struct mx_race_page *p, uint64_t lanes, const struct mx_wave_access *c, unsigned bytes) {
	unsigned l;
	MX_FOR_LANES(l, lanes) {
		uint8_t *to = p->value + (c->at[l] + c->offset) % MX_RACE_PAGE;
		uint32_t value[4] = { 0 };
		for (unsigned k = 0; c->rows && 4 * k < bytes; k++)
			value[k] = c->rows[k][l];
		memcpy(to, value, bytes);
	}
}

/* The same of 16 bytes. Four lanes are four dwords of four rows, transposed. */
static void note_quads(struct mx_race_page *p, uint64_t lanes, const struct mx_wave_access *c) {
	for (uint64_t four; lanes; lanes &= ~four) {
		unsigned l = (unsigned)__builtin_ctzll(lanes) / 4 * 4;
		mx_quad q[4];
		four = lanes & 15ull << l;
		if (!c->rows || four != 15ull << l) {
			note_lanes(p, four, c, sizeof *q);
			continue;
		}
		for (unsigned k = 0; k < 4; k++)
			q[k] = mx_quad_load(&c->rows[k][l]);
		mx_transpose(q);
		for (unsigned i = 0; i < 4; i++)
			memcpy(p->value + (c->at[l + i] + c->offset) % MX_RACE_PAGE, &q[i],
			       sizeof *q);
	}
}

static void note_values(struct mx_race_page *p, uint64_t lanes, const struct mx_wave_access *c) {
	switch (c->bytes) {
	case 1: note_lanes(p, lanes, c, 1); return;
	case 2: note_lanes(p, lanes, c, 2); return;
	case 4: note_lanes(p, lanes, c, 4); return;
	case 8: note_lanes(p, lanes, c, 8); return;
	default: note_quads(p, lanes, c); return;
	}
}

/* The same of consecutive cells. */
static void note_run(struct mx_race_page *p, unsigned first, unsigned n,
                     const struct mx_wave_access *c) {
	uint64_t at = (c->at[first] + c->offset) % MX_RACE_PAGE;
	if (c->kind >= MX_LOADED)
		memcpy(p->source + at / p->unit, c->sources + first, n * sizeof *p->source);
	else if (c->rows)
		memcpy(p->value + at, c->rows[0] + first, n * sizeof c->rows[0][0]);
	else
		memset(p->value + at, 0, n * c->bytes);
}

/* The contents that the lanes of a page write. LDS itself has the values (summary_cells.c). */
static bool note_contents(struct mx_race_map *m, struct mx_race_page *p, uint64_t lanes,
                          const struct mx_wave_access *c) {
	bool loaded = c->kind >= MX_LOADED;
	if (c->kind == MX_UNKNOWN || (m->group && !loaded))
		return true;
	unsigned first = (unsigned)__builtin_ctzll(lanes);
	unsigned n = (unsigned)__builtin_popcountll(lanes);
	if (loaded && !p->source)
		p->source = mx_slabs_take(&m->slabs, MX_RACE_PAGE / 4 * sizeof *p->source);
	if (!loaded && !p->value)
		p->value = mx_slabs_take(&m->slabs, MX_RACE_PAGE);
	if (loaded ? !p->source : !p->value)
		return false;
	bool run = lanes >> first == ~0ull >> (64 - n) && is_run(c->at, first, n, c->bytes);
	if (run && (loaded ? c->bytes == p->unit : !c->rows || c->bytes == 4))
		note_run(p, first, n, c);
	else if (loaded)
		note_sources(p, lanes, c);
	else
		note_values(p, lanes, c);
	return true;
}

/* Whether contents decide which of the cells keep `first`. It matters between workgroups alone. */
static bool may_stay_first(const struct mx_race_range *r, const struct mx_race_page *p,
                           mx_cells cells) {
	return !r->lds && mx_cells_meet(&p->first_contents, &cells);
}

/* Room for a write, and for what its cells keep. */
static __attribute__((noinline)) bool
make_room_to_keep(struct mx_race_map *m, struct mx_race_page *p, mx_cells kept) {
	unsigned more = 1;
	compact(p);
	for (unsigned i = 0; i < p->n; i++)
		more += p->record[i].write && mx_cells_meet(&p->record[i].cells, &kept);
	return make_room(m, p, (mx_cells){ 0 }, more);
}

static bool write_page(struct mx_race_range *r, struct mx_race_map *m, struct mx_race_page *p,
                       mx_cells cells, const struct mx_footprint_page *f,
                       const struct mx_wave_access *c) {
	struct before b = { 0 };
	bool first = !mx_cells_meet(&p->touched, &cells);
	if ((c->at && !mx_footprint_is_apart(f, c->bytes)) || may_stay_first(r, p, cells) ||
	    !(first || may_write(r, p, cells, c->kind, &b)))
		return false;
	bool keeps = mx_race_splits_barriers(r) && mx_cells_any(b.own_wait);
	if (!(keeps ? make_room_to_keep(m, p, b.own_wait) : make_room(m, p, cells, 1)))
		return false;
	if (keeps)
		keep_earlier(p, cells, b.own_wait);
	else if (!first)
		forget_earlier(p, cells);
	if (!first || p->n == p->room)
		compact(p);
	p->own_wait = (p->own_wait & ~cells) | b.own_wait;
	p->first_contents = (p->first_contents & ~cells) | (cells & ~p->touched);
	p->written |= cells;
	p->settled = false;
	add(r, p, cells, true, c->kind);
	if (!note_contents(m, p, f->lanes, c))
		r->w->group->run->out_of_memory = true;
	return true;
}

static uint64_t access(struct mx_race_range *r, struct mx_race_map *m,
                       struct mx_race_page *const *page, const struct mx_footprint *f,
                       const struct mx_wave_access *c) {
	unsigned finest = r->kind == MX_RACE_WRITE && c->rows && c->bytes > 4 ? 4 : c->bytes;
	unsigned bytes = c->bytes < 4 ? 4 : c->bytes;
	uint64_t left = 0;
	for (unsigned i = 0; i < f->n; i++) {
		struct mx_race_page *p = page[i];
		if (p->cell) {
			left |= 1ull << i;
			continue;
		}
		mx_cells cells = f->page[i].cells;
		if (p->unit < bytes)
			cells = mx_cells_split(cells, bytes / p->unit);
		if (finest < p->finest)
			p->finest = (uint8_t)finest;
		bool all = r->kind == MX_RACE_READ ? read_page(r, m, p, cells)
		                                   : write_page(r, m, p, cells, &f->page[i], c);
		left |= (uint64_t)!all << i;
	}
	return left;
}

const struct mx_summary_functions *MX_STEPPED(mx_summary)(void) {
	static const struct mx_summary_functions functions = { MX_STEPPED(mx_footprint_make),
		                                               access };
	return &functions;
}
