/* What a launch has accessed of device memory, as ranges: the last accesses to each byte, by the
 * pages of the analysis of order. */
#include "touched.h"
#include "wave_sync.h"

#include <stdlib.h>
#include <string.h>

/* ---- one page ---- */

static uint8_t how(const struct mx_program *p, mx_access a, uint8_t plain, uint8_t atomic) {
	if (!mx_access_is_sync(a))
		return plain;
	return mx_program_at(p, mx_access_offset(a))->mem.system ? atomic : atomic | MX_TOUCH_AGENT;
}

static uint8_t how_written(const struct mx_program *p, mx_access a) {
	return how(p, a, MX_TOUCH_WRITE, MX_TOUCH_ATOMIC_WRITE);
}

static uint8_t how_read(const struct mx_program *p, mx_access a) {
	return how(p, a, MX_TOUCH_READ, MX_TOUCH_ATOMIC_READ);
}

/* One of the readers of a cell. */
static mx_access reader(const struct mx_race_map *m, const struct mx_race_cell *c) {
	bool several = c->read_group == MX_SEVERAL_GROUPS;
	if (several && m->lists)
		return c->list->access;
	return c->readers && !several ? mx_race_first_reader(m, c) : c->read;
}

/* Atomics are the readers of a map of their own. */
static uint8_t of_cell(const struct mx_program *p, const struct mx_race_map *m,
                       const struct mx_race_cell *c, bool atomics) {
	if (atomics)
		return c->read_group ? how(p, mx_access_as_sync(reader(m, c)), 0,
		                           MX_TOUCH_ATOMIC_READ | MX_TOUCH_ATOMIC_WRITE)
		                     : 0;
	return (c->write ? how_written(p, c->write) : 0) |
	       (c->read_group ? how_read(p, reader(m, c)) : 0);
}

/* how: of each cell of the page. */
static void of_page(const struct mx_program *program, const struct mx_race_map *m,
                    const struct mx_race_page *p, bool atomics, uint8_t how[MX_RACE_PAGE]) {
	unsigned n = MX_RACE_PAGE / p->unit;
	for (unsigned i = 0; p->cell && i < n; i++)
		how[i] = of_cell(program, m, &p->cell[i], atomics);
	if (p->cell)
		return;
	memset(how, 0, n);
	for (const struct mx_race_record *e = p->record; e < p->record + p->n; e++) {
		uint8_t more =
			e->write ? how_written(program, e->access) : how_read(program, e->access);
		for (unsigned i = 0; i < n; i++)
			how[i] |= mx_cells_has(e->cells, i) ? more : 0;
	}
}

/* ---- ranges ---- */

bool mx_touched_add(struct mx_touched *t, struct mx_touched_range r) {
	if (t->n == t->room) {
		size_t room = t->room ? 2 * t->room : 64;
		struct mx_touched_range *grown = realloc(t->range, room * sizeof *grown);
		if (!grown)
			return false;
		t->range = grown;
		t->room = room;
	}
	t->range[t->n++] = r;
	return true;
}

static bool add_page(const struct mx_launch *l, const struct mx_race_map *m,
                     const struct mx_race_slot *s, bool atomics) {
	struct mx_touched *t = l->touched;
	uint8_t how[MX_RACE_PAGE];
	uint64_t base = (s->key - 1) * MX_RACE_PAGE;
	unsigned unit = s->page->unit, n = MX_RACE_PAGE / unit, from = 0;
	bool ok = true;
	of_page(l->program, m, s->page, atomics, how);
	for (unsigned i = 1; ok && i <= n; i++) {
		if (i < n && how[i] == how[from])
			continue;
		ok = !how[from] ||
		     mx_touched_add(t, (struct mx_touched_range){ base + from * unit,
		                                                  base + i * unit, how[from] });
		from = i;
	}
	return ok;
}

static bool add_map(const struct mx_launch *l, const struct mx_race_map *m, bool atomics) {
	bool ok = true;
	for (size_t i = 0; ok && i < m->room; i++)
		ok = !m->slot[i].key || add_page(l, m, &m->slot[i], atomics);
	return ok;
}

bool mx_race_add_touched(const struct mx_launch *l, const struct mx_race_analysis *o) {
	if (l->touched)
		l->touched->acquires |= o->sync.wave_sync->flags;
	return !l->touched || (add_map(l, &o->memory, false) && add_map(l, &o->atomics, true));
}

/* ---- sorting and joining: ranges of several maps may overlap ---- */

enum { HOWS = 5 };

/* Where a range begins or ends. */
struct edge {
	uint64_t at;
	int step;
	uint8_t how;
};

static int compare(const void *a, const void *b) {
	const struct edge *x = a, *y = b;
	return (x->at > y->at) - (x->at < y->at);
}

static struct edge *edges_of(const struct mx_touched *t) {
	struct edge *e = malloc(2 * t->n * sizeof *e);
	for (size_t i = 0; e && i < t->n; i++) {
		const struct mx_touched_range *r = &t->range[i];
		e[2 * i] = (struct edge){ r->from, 1, r->how };
		e[2 * i + 1] = (struct edge){ r->to, -1, r->how };
	}
	if (e)
		qsort(e, 2 * t->n, sizeof *e, compare);
	return e;
}

/* Adds a range that is not before the last one, or makes that longer. */
static bool append(struct mx_touched *t, struct mx_touched_range r) {
	struct mx_touched_range *last = t->n ? &t->range[t->n - 1] : NULL;
	if (!r.how || r.from == r.to)
		return true;
	if (r.how & MX_TOUCH_WRITE)
		r.how &= (uint8_t)~MX_TOUCH_READ;
	if (!last || last->to != r.from || last->how != r.how)
		return mx_touched_add(t, r);
	last->to = r.to;
	return true;
}

bool mx_touched_sort(struct mx_touched *t) {
	struct mx_touched joined = { .acquires = t->acquires };
	unsigned open[HOWS] = { 0 };
	if (!t->n)
		return true;
	struct edge *e = edges_of(t);
	struct mx_touched_range r = { 0 };
	bool ok = e != NULL;
	for (size_t i = 0; ok && i < 2 * t->n; i++) {
		r.to = e[i].at;
		ok = append(&joined, r);
		r = (struct mx_touched_range){ .from = e[i].at };
		for (unsigned k = 0; k < HOWS; k++) {
			open[k] += e[i].how >> k & 1 ? (unsigned)e[i].step : 0;
			r.how |= (uint8_t)((open[k] > 0) << k);
		}
	}
	free(e);
	mx_touched_free(t);
	*t = joined;
	return ok;
}

void mx_touched_free(struct mx_touched *t) {
	free(t->range);
	*t = (struct mx_touched){ 0 };
}
