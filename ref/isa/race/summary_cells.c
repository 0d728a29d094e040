/* Pages whose cells are examined one by one: from records to cells, smaller cells, and queries of
 * both. */
#include <stdlib.h>
#include <string.h>

#include "../memory/ds.h"
#include "summary.h"

/* ---- the values in LDS ----
 *
 * Only its workgroup writes LDS, and every write to a page without cells is in a record. So its
 * bytes have the value of the last write, or will have it when that has landed. */

/* The operation, if it is in flight. */
static const struct mx_memop *in_flight(const struct mx_group *g, mx_access a) {
	unsigned wave = mx_access_wave(a), stream = mx_access_stream(a);
	const struct mx_race_wave *o = mx_race_group_of(g)->wave[wave];
	const struct mx_queue *q = &g->waves[wave].queue[stream];
	uint64_t issue = o->issue[stream][mx_access_number(a) % MX_RACE_ISSUES];
	if (o->issued[stream] - mx_access_number(a) >= MX_RACE_ISSUES)
		return NULL;
	for (unsigned i = 0; i < q->n; i++)
		if (q->op[i]->issue == issue)
			return q->op[i];
	return NULL;
}

/* What a store will leave in its cells of a page. If both elements of a lane are at one address,
 * the record is that of the first. */
static void add_stored(const struct mx_race_page *p, const struct mx_race_record *e,
                       const struct mx_memop *m, uint64_t page) {
	unsigned n = mx_ds_dwords(m->in), bytes = m->in->op->d, l;
	for (unsigned i = mx_ds_elements(m->in); i--;)
		MX_FOR_LANES(l, m->exec)
			for (unsigned k = 0; k < bytes; k++) {
				uint32_t at = mx_ds_element(m, l, i) + k;
				uint32_t row = i * n + k / 4;
				if (at / MX_RACE_PAGE == page && m->inside[l] >> row & 1 &&
				    mx_cells_has(e->cells, at % MX_RACE_PAGE / p->unit))
					p->value[at % MX_RACE_PAGE] =
						(uint8_t)(m->data[row][l] >> k % 4 * 8);
			}
}

/* LDS-DMA writes the value 0 alone: of lanes outside the buffer. */
static void add_zeros(const struct mx_race_page *p, const struct mx_race_record *e) {
	for (unsigned at = 0; at < MX_RACE_PAGE; at++)
		if (mx_cells_has(e->cells, at / p->unit))
			p->value[at] = 0;
}

static bool find_values(struct mx_race_map *m, struct mx_race_page *p, uint64_t page) {
	const struct mx_group *g = m->group;
	uint64_t from = page * MX_RACE_PAGE, left = g->lds_bytes - from;
	if (!p->value && !(p->value = mx_slabs_take(&m->slabs, MX_RACE_PAGE)))
		return false;
	memcpy(p->value, g->lds + from, left < MX_RACE_PAGE ? left : MX_RACE_PAGE);
	for (unsigned i = 0; i < p->n; i++) {
		const struct mx_race_record *e = &p->record[i];
		bool value = e->write && e->kind == MX_VALUE;
		const struct mx_memop *o = value ? in_flight(g, e->access) : NULL;
		if (o && o->in->op->encoding == MX_DS)
			add_stored(p, e, o, page);
		else if (o)
			add_zeros(p, e);
	}
	return true;
}

/* ---- cells ---- */

/* The contents of a cell of `unit` bytes at an offset in the page. */
static struct mx_written contents_at(const struct mx_race_map *m, const struct mx_race_page *p,
                                     const struct mx_race_record *e, unsigned at, unsigned unit) {
	bool own_wait = mx_cells_has(p->own_wait, at / p->unit);
	struct mx_written v = { .kind = e->kind,
		                .own_wait = own_wait && !m->isa->split_barriers,
		                .concurrent = own_wait && m->isa->split_barriers,
		                .first = mx_cells_has(p->first_contents, at / p->unit) };
	uint32_t value = 0;
	if (e->kind == MX_VALUE)
		memcpy(&value, p->value + at, unit < 4 ? unit : 4);
	v.value = value;
	if (e->kind >= MX_LOADED)
		v.value = p->source[at / p->unit] + at % p->unit;
	return v;
}

static void add_to_cell(const struct mx_race_map *m, const struct mx_race_page *p,
                        const struct mx_race_record *e, unsigned at, unsigned unit,
                        struct mx_race_cell *c) {
	bool several = !m->lists && mx_cells_has(p->several_groups, at / p->unit);
	if (e->write) {
		c->write = e->access;
		c->write_group = e->group;
		c->written = contents_at(m, p, e, at, unit);
		return;
	}
	c->read = e->access;
	c->read_group = several ? MX_SEVERAL_GROUPS : e->group;
	if (c->readers)
		c->readers[mx_race_reader_slot(m, e->access)] = e->access;
}

/* A cell that waves of a workgroup have read apart has room for each. */
static bool add_readers(struct mx_race_map *m, const struct mx_race_page *p, unsigned unit,
                        struct mx_race_cell *cell) {
	if (!mx_cells_any(p->several_readers))
		return true;
	for (unsigned at = 0; at < MX_RACE_PAGE; at += unit)
		if (mx_cells_has(p->several_readers, at / p->unit) &&
		    !(cell[at / unit].readers = mx_race_readers(m)))
			return false;
	return true;
}

/* Adds an operation to its cells. */
static void add_record(const struct mx_race_map *m, const struct mx_race_page *p,
                       const struct mx_race_record *e, unsigned unit, struct mx_race_cell *cell) {
	for (unsigned i = 0; i < 4; i++)
		for (uint64_t left = e->cells[i]; left; left &= left - 1) {
			unsigned from = (64 * i + (unsigned)__builtin_ctzll(left)) * p->unit;
			for (unsigned at = from; at < from + p->unit; at += unit)
				add_to_cell(m, p, e, at, unit, &cell[at / unit]);
		}
}

/* Adds the listed reads to their cells, in their order. */
static bool add_listed(struct mx_race_map *m, const struct mx_race_page *p, unsigned unit,
                       struct mx_race_cell *cell) {
	unsigned parts = p->unit / unit;
	bool all = true;
	for (unsigned k = 0; k < p->n_listed; k++) {
		const struct mx_race_listed *e = &p->listed[k];
		for (unsigned i = 0; i < 4; i++)
			for (uint64_t left = m->mask[e->mask][i]; left; left &= left - 1) {
				unsigned at = 64 * i + (unsigned)__builtin_ctzll(left);
				for (unsigned j = at * parts; j < (at + 1) * parts; j++)
					all &= mx_race_list_reader(m, &cell[j], e->group,
					                           e->access);
			}
	}
	return all;
}

bool mx_summary_to_cells(struct mx_race_map *m, struct mx_race_page *p, uint64_t address) {
	unsigned unit = p->finest < p->unit ? p->finest : p->unit;
	struct mx_race_cell *cell = calloc(MX_RACE_PAGE / unit, sizeof *cell);
	if (!cell || !add_readers(m, p, unit, cell) ||
	    (m->group && !find_values(m, p, address / MX_RACE_PAGE))) {
		free(cell);
		return false;
	}
	for (unsigned k = 0; k < p->n; k++)
		add_record(m, p, &p->record[k], unit, cell);
	for (unsigned i = 0; i < MX_RACE_PAGE / unit; i++)
		if (cell[i].readers)
			cell[i].read = mx_race_first_reader(m, &cell[i]);
	bool all = add_listed(m, p, unit, cell);
	p->cell = cell;
	p->unit = (uint8_t)unit;
	p->n = 0;
	p->n_listed = 0;
	if (p->shared)
		m->ended_shared++;
	return all;
}

void mx_summary_split(struct mx_race_page *p, unsigned unit) {
	unsigned parts = p->unit / unit;
	mx_cells *masks[] = { &p->touched,        &p->written,         &p->own_wait,
		              &p->first_contents, &p->several_readers, &p->several_groups };
	for (unsigned i = 0; i < sizeof masks / sizeof *masks; i++)
		*masks[i] = mx_cells_split(*masks[i], parts);
	for (unsigned i = 0; i < p->n; i++)
		p->record[i].cells = mx_cells_split(p->record[i].cells, parts);
	for (unsigned i = p->source ? MX_RACE_PAGE / unit : 0; i--;)
		p->source[i] = p->source[i / parts] + i % parts * unit;
	p->unit = (uint8_t)unit;
}

/* ---- queries ---- */

bool mx_summary_has(const struct mx_race_page *p, uint64_t at, bool reads) {
	const struct mx_race_cell *c;
	if (p->cell) {
		c = &p->cell[at % MX_RACE_PAGE / p->unit];
		return c->write || (reads && c->read_group);
	}
	return mx_cells_has(reads ? p->touched : p->written, at % MX_RACE_PAGE / p->unit);
}

static bool is_by(const bool *set, mx_access a) {
	return !a || set[mx_access_offset(a) / 4];
}

static bool cell_reads_are(const struct mx_race_map *m, const struct mx_race_cell *c,
                           const bool *set) {
	for (unsigned i = 0; c->readers && i < m->readers; i++)
		if (!is_by(set, c->readers[i]))
			return false;
	return !c->read_group || c->readers ||
	       (c->read_group != MX_SEVERAL_GROUPS && is_by(set, c->read));
}

bool mx_summary_reads_are(const struct mx_race_map *m, const struct mx_race_page *p, uint64_t at,
                          const bool *set) {
	unsigned cell = at % MX_RACE_PAGE / p->unit;
	if (p->cell)
		return cell_reads_are(m, &p->cell[cell], set);
	for (unsigned i = 0; i < p->n; i++) {
		const struct mx_race_record *e = &p->record[i];
		if (!e->write && mx_cells_has(e->cells, cell) && !is_by(set, e->access))
			return false;
	}
	return true;
}

/* ---- two pages ---- */

struct marks {
	mx_cells written, touched; /* by dword */
};

static struct marks marks_of(const struct mx_race_page *p) {
	struct marks k = { 0 };
	for (unsigned i = 0; i < p->n; i++) {
		mx_cells cells = mx_cells_split(p->record[i].cells, p->unit / 4);
		k.touched |= cells;
		if (p->record[i].write)
			k.written |= cells;
	}
	for (unsigned at = 0; p->cell && at < MX_RACE_PAGE; at += p->unit < 4 ? p->unit : 4) {
		const struct mx_race_cell *c = &p->cell[at / p->unit];
		k.touched[at / 256] |= (uint64_t)(c->write || c->read_group) << at / 4 % 64;
		k.written[at / 256] |= (uint64_t)(c->write != 0) << at / 4 % 64;
	}
	return k;
}

bool mx_summary_pages_meet(const struct mx_race_page *a, const struct mx_race_page *b) {
	const struct marks x = marks_of(a), y = marks_of(b);
	return mx_cells_any((x.written & y.touched) | (x.touched & y.written));
}
