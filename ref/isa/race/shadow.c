/* Shadow memory for the analysis of order: pages, found by address. */
#include <stdlib.h>
#include <string.h>

#include "summary.h"

enum { BLOCK = 1 << 13 };

struct mx_race_block {
	struct mx_race_block *next;
	unsigned n;
	mx_access access[BLOCK];
};

/* Allocates words that last until the map is cleared. */
static mx_access *take(struct mx_race_map *m, unsigned n) {
	struct mx_race_block *b = m->blocks;
	if (!b || b->n + n > BLOCK) {
		b = malloc(sizeof *b);
		if (!b)
			return NULL;
		b->next = m->blocks;
		b->n = 0;
		m->blocks = b;
	}
	mx_access *a = b->access + b->n;
	b->n += n;
	return a;
}

mx_access *mx_race_readers(struct mx_race_map *m) {
	mx_access *a = take(m, m->readers);
	if (a)
		memset(a, 0, m->readers * sizeof *a);
	return a;
}

/* ---- lists of readers of several workgroups ---- */

enum { NEAR = 8 }; /* entries of a list that are searched */

static const struct mx_race_reader *prepend(struct mx_race_map *m,
                                            const struct mx_race_reader *list, uint32_t group,
                                            mx_access access) {
	struct mx_race_reader *r = (struct mx_race_reader *)take(m, sizeof *r / sizeof(mx_access));
	if (r)
		*r = (struct mx_race_reader){ list, access, group };
	return r;
}

/* Whether a wave that has waited for the second has waited for the first. */
static bool replaces(const struct mx_race_reader *r, uint32_t group, mx_access access) {
	return r->group == group && mx_access_wave(r->access) == mx_access_wave(access) &&
	       mx_access_stream(r->access) == mx_access_stream(access);
}

/* The list without an earlier access of the same wave, if one is near its start. */
static const struct mx_race_reader *without(struct mx_race_map *m,
                                            const struct mx_race_reader *list, unsigned depth,
                                            uint32_t group, mx_access access) {
	if (!list || depth == NEAR)
		return list;
	if (replaces(list, group, access))
		return list->next;
	const struct mx_race_reader *rest = without(m, list->next, depth + 1, group, access);
	if (rest == list->next)
		return list;
	rest = prepend(m, rest, list->group, list->access);
	return rest ? rest : list;
}

const struct mx_race_reader *mx_race_add_reader(struct mx_race_map *m,
                                                const struct mx_race_reader *list, uint32_t group,
                                                mx_access access) {
	unsigned slots = sizeof m->cache / sizeof *m->cache;
	struct mx_race_list_cache *cached = &m->cache[(uintptr_t)list / sizeof *list % slots];
	if (cached->longer && cached->list == list && cached->group == group &&
	    cached->access == access)
		return cached->longer;
	const struct mx_race_reader *rest = without(m, list, 0, group, access);
	*cached =
		(struct mx_race_list_cache){ list, prepend(m, rest, group, access), access, group };
	return cached->longer;
}

/* ---- masks of listed reads: each once, open addressing, at most half full ---- */

/* The slot of a mask, or where it may be put. */
static uint32_t *slot_of_mask(const struct mx_race_map *m, mx_cells c) {
	uint64_t hash = ((c[0] * 3 + c[1]) * 3 + c[2]) * 3 + c[3];
	uint32_t last = 2 * m->room_masks - 1;
	uint32_t i = (uint32_t)(hash * 0x9E3779B97F4A7C15 >> 32) & last;
	while (m->mask_slot[i] && mx_cells_any(m->mask[m->mask_slot[i] - 1] ^ c))
		i = (i + 1) & last;
	return &m->mask_slot[i];
}

static bool grow_masks(struct mx_race_map *m) {
	uint32_t room = m->room_masks ? 2 * m->room_masks : 64;
	mx_cells *more = realloc(m->mask, room * sizeof *more);
	uint32_t *slot = calloc(2 * (size_t)room, sizeof *slot);
	m->mask = more ? more : m->mask;
	if (!more || !slot) {
		free(slot);
		return false;
	}
	free(m->mask_slot);
	m->mask_slot = slot;
	m->room_masks = room;
	for (uint32_t i = 0; i < m->n_masks; i++)
		*slot_of_mask(m, m->mask[i]) = i + 1;
	return true;
}

bool mx_race_find_mask(struct mx_race_map *m, const mx_cells *mask) {
	if (m->n_masks == m->room_masks && !grow_masks(m))
		return false;
	uint32_t *slot = slot_of_mask(m, *mask);
	if (!*slot) {
		m->mask[m->n_masks++] = *mask;
		*slot = m->n_masks;
	}
	m->last_mask = *slot - 1;
	return true;
}

/* ---- maps ---- */

mx_access mx_race_first_reader(const struct mx_race_map *m, const struct mx_race_cell *c) {
	unsigned i = 0;
	while (i + 1 < m->readers && !c->readers[i])
		i++;
	return c->readers[i];
}

static void recycle(struct mx_race_map *m, struct mx_race_page *p) {
	free(p->cell);
	p->cell = NULL;
	p->n = 0;
	p->n_listed = 0;
	p->settled = p->shared = false;
	p->touched = p->written = p->own_wait = p->first_contents = (mx_cells){ 0 };
	p->several_readers = p->several_groups = (mx_cells){ 0 };
	p->next = m->free;
	m->free = p;
}

void mx_race_map_clear(struct mx_race_map *m) {
	for (size_t i = 0; m->n && i < m->room; i++)
		if (m->slot[i].key) {
			recycle(m, m->slot[i].page);
			m->slot[i].key = 0;
			m->n--;
		}
	while (m->blocks && m->blocks->next) {
		struct mx_race_block *next = m->blocks->next;
		free(m->blocks);
		m->blocks = next;
	}
	if (m->blocks)
		m->blocks->n = 0;
	m->n_masks = 0;
	if (m->mask_slot)
		memset(m->mask_slot, 0, 2 * (size_t)m->room_masks * sizeof *m->mask_slot);
	memset(m->cache, 0, sizeof m->cache);
	m->ended_shared++;
}

void mx_race_map_free(struct mx_race_map *m) {
	mx_race_map_clear(m);
	mx_slabs_free(&m->slabs);
	free(m->shared);
	free(m->mask);
	free(m->mask_slot);
	free(m->blocks);
	free(m->slot);
}

/* ---- finding pages: open addressing, at most half full ---- */

static size_t slot_of(const struct mx_race_map *m, uint64_t key) {
	size_t i = mx_race_first_slot(m, key);
	while (m->slot[i].key && m->slot[i].key != key)
		i = (i + 1) & (m->room - 1);
	return i;
}

static bool grow(struct mx_race_map *m) {
	struct mx_race_map old = *m;
	m->room = old.room ? 2 * old.room : 64;
	m->slot = calloc(m->room, sizeof *m->slot);
	if (!m->slot) {
		*m = old;
		return false;
	}
	for (size_t i = 0; i < old.room; i++)
		if (old.slot[i].key)
			m->slot[slot_of(m, old.slot[i].key)] = old.slot[i];
	free(old.slot);
	return true;
}

/* The contents of the part of a cell at an offset. */
static struct mx_written part_of(struct mx_written v, unsigned offset, unsigned unit) {
	if (v.kind >= MX_LOADED)
		v.value += offset;
	else if (v.kind == MX_VALUE && unit < 4)
		v.value = v.value >> 8 * (offset % 4) & ((1u << 8 * unit) - 1);
	return v;
}

/* Splits each cell of a page: an access to the whole cell accessed each part. */
static bool split(struct mx_race_map *m, struct mx_race_page *p, unsigned unit) {
	unsigned n = MX_RACE_PAGE / unit, parts = p->unit / unit;
	struct mx_race_cell *fine = calloc(n, sizeof *fine);
	if (!fine)
		return false;
	for (unsigned i = 0; i < n; i++) {
		fine[i] = p->cell[i / parts];
		fine[i].written = part_of(fine[i].written, i % parts * unit, unit);
		if (!fine[i].readers || i % parts == 0)
			continue;
		if (!(fine[i].readers = mx_race_readers(m))) {
			free(fine);
			return false;
		}
		memcpy(fine[i].readers, p->cell[i / parts].readers, m->readers * sizeof(mx_access));
	}
	free(p->cell);
	p->cell = fine;
	p->unit = (uint8_t)unit;
	return true;
}

static struct mx_race_record *take_few(struct mx_race_map *m) {
	void *few = m->few;
	if (!few)
		return mx_slabs_take(&m->slabs, MX_RACE_RECORDS * sizeof(struct mx_race_record));
	memcpy(&m->few, few, sizeof m->few);
	return few;
}

void mx_race_leave_few(struct mx_race_map *m, struct mx_race_record *few) {
	memcpy(few, &m->few, sizeof m->few);
	m->few = few;
}

static struct mx_race_page *free_page(struct mx_race_map *m) {
	struct mx_race_page *p = m->free;
	if (p) {
		m->free = p->next;
		return p;
	}
	p = mx_slabs_take(&m->slabs, sizeof *p);
	struct mx_race_record *few = p ? take_few(m) : NULL;
	if (!few)
		return NULL;
	*p = (struct mx_race_page){ .record = few, .room = MX_RACE_RECORDS };
	return p;
}

static struct mx_race_page *new_page(struct mx_race_map *m, unsigned unit) {
	struct mx_race_page *p = free_page(m);
	if (!p)
		return NULL;
	p->unit = p->finest = (uint8_t)unit;
	if ((m->by_cells || unit < 4) &&
	    !(p->cell = calloc(MX_RACE_PAGE / unit, sizeof *p->cell))) {
		recycle(m, p);
		return NULL;
	}
	return p;
}

static bool make_page(struct mx_race_map *m, uint64_t key, size_t *slot, unsigned unit) {
	if (2 * m->n >= m->room && !grow(m))
		return false;
	struct mx_race_page *p = new_page(m, unit);
	if (!p)
		return false;
	*slot = slot_of(m, key);
	m->slot[*slot] = (struct mx_race_slot){ key, p };
	m->n++;
	return true;
}

/* Makes the cells of the page with an address smaller. */
static bool refine(struct mx_race_map *m, struct mx_race_page *p, uint64_t address, unsigned unit) {
	if (p->cell || p->n_listed || unit < 4)
		return (p->cell || mx_summary_to_cells(m, p, address)) &&
		       (p->unit <= unit || split(m, p, unit));
	mx_summary_split(p, unit);
	return true;
}

struct mx_race_page *mx_race_find_page(struct mx_race_map *m, uint64_t address, unsigned unit,
                                       bool make) {
	uint64_t key = address / MX_RACE_PAGE + 1;
	size_t i = m->room ? slot_of(m, key) : 0;
	if (!m->room || m->slot[i].key != key) {
		m->absent = make ? 0 : key;
		if (!make || !make_page(m, key, &i, unit))
			return NULL;
	}
	struct mx_race_page *p = m->slot[i].page;
	return p->unit <= unit || refine(m, p, address, unit) ? p : NULL;
}

/* ---- shared pages ---- */

static bool is_shared(struct mx_race_map *m, uint64_t page) {
	const struct mx_race_page *p = mx_race_page(m, page * MX_RACE_PAGE, 16, false);
	return p && !p->cell && p->shared;
}

/* Has room for twice the words of all pages, if they are dense: to find a page that is known to be
 * shared costs two cache misses. */
static void make_room_for_shared(struct mx_race_map *m) {
	enum { LEAST = 128 };
	size_t n = m->room / 64 > LEAST ? m->room / 64 : LEAST;
	if (n <= m->n_shared)
		return;
	struct mx_race_shared *more = calloc(n, sizeof *more);
	if (!more)
		return;
	free(m->shared);
	m->shared = more;
	m->n_shared = n;
}

/* Whether these pages of a word are shared. */
static bool word_is_shared(struct mx_race_map *m, uint64_t word, uint64_t pages) {
	struct mx_race_shared *s =
		&m->shared[word * 0x9E3779B97F4A7C15 >> 20 & (m->n_shared - 1)];
	if (s->word != word || s->ended != m->ended_shared)
		*s = (struct mx_race_shared){ .word = word, .ended = m->ended_shared };
	for (uint64_t left = pages & ~s->bits; left; left &= left - 1) {
		if (!is_shared(m, 64 * word + (unsigned)__builtin_ctzll(left)))
			return false;
		s->bits |= left & -left;
	}
	return true;
}

bool mx_race_are_shared(struct mx_race_map *m, uint64_t from, uint64_t to) {
	uint64_t first = from / MX_RACE_PAGE, last = (to - 1) / MX_RACE_PAGE;
	bool all = true;
	make_room_for_shared(m);
	if (!m->n_shared)
		return false;
	for (uint64_t word = first / 64; all && word <= last / 64; word++) {
		uint64_t pages = ~0ull << (word == first / 64 ? first % 64 : 0);
		pages &= ~0ull >> (word == last / 64 ? 63 - last % 64 : 0);
		all = word_is_shared(m, word, pages);
	}
	return all;
}

/* ---- two maps ---- */

static const struct mx_race_page *find(const struct mx_race_map *m, uint64_t key) {
	size_t i = m->room ? slot_of(m, key) : 0;
	return m->room && m->slot[i].key == key ? m->slot[i].page : NULL;
}

bool mx_race_maps_meet(const struct mx_race_map *a, const struct mx_race_map *b) {
	for (size_t i = 0; i < a->room; i++) {
		const struct mx_race_slot *s = &a->slot[i];
		const struct mx_race_page *p = s->key ? find(b, s->key) : NULL;
		if (p && mx_summary_pages_meet(s->page, p))
			return true;
	}
	return false;
}

bool mx_race_maps_share(const struct mx_race_map *a, const struct mx_race_map *b) {
	for (size_t i = 0; i < a->room; i++)
		if (a->slot[i].key && find(b, a->slot[i].key))
			return true;
	return false;
}
