/* Shadow memory that finds conflicts between workgroups while several threads run.
 *
 * A region that no group had written before the threads began counts as only read. Any group
 * may read it; a write to it aborts the run, which the launch then repeats with the region counted
 * as written.
 *
 * Of every other region each line of 16 dwords has an owner: none, or the one group that has read
 * some of its dwords and written others. When a second group comes, the line splits: each dword has
 * an owner of its own, which is none, the one group that read it, several that read it, or the one
 * group that wrote it. A group claims a dword before the first access. A claim that would let two
 * groups access a dword, one of them for a write, aborts the run before the access. So no two
 * threads access a dword if one of them writes it.
 *
 * The memory of the cells is kept between launches. Every launch numbers its groups above those of
 * earlier launches, so that older owners count as none, and nothing needs to be cleared. */
#include "claims.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "journal.h"
#include "lane_bytes.h"
#include "pages.h"

enum { LINE = 64, DWORDS = LINE / 4, MOST_GROUPS = INT32_MAX - 2 };

/* Numbers of a launch from shadow->first on. */
enum { SPLIT, BUSY, GROUPS };

/* The owner in bits 63:32, the dwords that it has read in 31:16, written in 15:0. */
typedef _Atomic uint64_t line_cell;
/* Twice the owner, plus 1 if it wrote the dword; twice SPLIT: several groups have read it. */
typedef _Atomic uint32_t dword_cell;

struct mx_shadow {
	uint32_t first, next; /* numbers of this launch, and of the next */
	size_t room;          /* in lines */
	line_cell *lines;
	dword_cell *dwords;
	size_t *start; /* of each region, its first line; SIZE_MAX: only read */
};

/* ---- memory ---- */

/* One shadow is kept; a launch at the same time has its own. */
static struct {
	pthread_mutex_t lock;
	struct mx_shadow *shadow;
} spare = { .lock = PTHREAD_MUTEX_INITIALIZER };

static void release(struct mx_shadow *s) {
	if (!s)
		return;
	free(s->lines);
	free(s->dwords);
	free(s->start);
	free(s);
}

void mx_shadow_free(struct mx_shadow *s) {
	if (!s)
		return;
	pthread_mutex_lock(&spare.lock);
	struct mx_shadow *old = spare.shadow;
	spare.shadow = s;
	pthread_mutex_unlock(&spare.lock);
	release(old);
}

static struct mx_shadow *take_spare(void) {
	pthread_mutex_lock(&spare.lock);
	struct mx_shadow *s = spare.shadow;
	spare.shadow = NULL;
	pthread_mutex_unlock(&spare.lock);
	return s ? s : calloc(1, sizeof *s);
}

/* New cells, if there are too few or the numbers are used up. */
static bool have_cells(struct mx_shadow *s, size_t lines, uint64_t groups) {
	if (s->room >= lines && s->lines && s->next <= MOST_GROUPS - groups - GROUPS)
		return true;
	free(s->lines);
	free(s->dwords);
	s->room = lines;
	s->lines = calloc(lines + 1, sizeof *s->lines);
	s->dwords = calloc((lines + 1) * DWORDS, sizeof *s->dwords);
	s->next = 1; /* 0 is in new cells */
	return s->lines && s->dwords;
}

/* Gives lines to the regions that may be written; returns their number. */
static size_t place_regions(struct mx_shadow *s, const struct mx_run *run) {
	const struct mx_memory *m = &run->launch->memory;
	size_t lines = 0;
	for (size_t i = 0; i < m->n; i++) {
		bool stored = !run->pages || run->pages[i].stored;
		s->start[i] = stored ? lines : SIZE_MAX;
		lines += stored ? m->regions[i].size / LINE + 1 : 0;
	}
	return lines;
}

struct mx_shadow *mx_shadow_new(const struct mx_run *run, uint64_t groups) {
	size_t n = run->launch->memory.n;
	struct mx_shadow *s = take_spare();
	size_t *start = s ? realloc(s->start, (n + 1) * sizeof *start) : NULL;
	if (start)
		s->start = start;
	if (!start || groups > MOST_GROUPS - 2 * GROUPS ||
	    !have_cells(s, place_regions(s, run), groups)) {
		release(s);
		return NULL;
	}
	s->first = s->next;
	s->next += (uint32_t)groups + GROUPS;
	return s;
}

/* ---- dwords of a split line ---- */

/* Several groups may read; a group may read what it wrote. */
static bool claim_read(const struct mx_shadow *s, dword_cell *c, uint32_t me) {
	uint32_t readers = 2 * (s->first + SPLIT);
	uint32_t was = atomic_load_explicit(c, memory_order_relaxed);
	for (;;) {
		bool none = was < readers;
		if (was == 2 * me || was == readers || was == 2 * me + 1)
			return true;
		if (!none && was & 1)
			return false;
		if (atomic_compare_exchange_weak_explicit(c, &was, none ? 2 * me : readers,
		                                          memory_order_relaxed,
		                                          memory_order_relaxed))
			return true;
	}
}

/* Whether this group may write; *first: it has not written the dword before. */
static bool claim_write(const struct mx_shadow *s, dword_cell *c, uint32_t me, bool *first) {
	uint32_t was = atomic_load_explicit(c, memory_order_relaxed);
	*first = was != 2 * me + 1;
	while (was < 2 * s->first || was == 2 * me)
		if (atomic_compare_exchange_weak_explicit(c, &was, 2 * me + 1, memory_order_relaxed,
		                                          memory_order_relaxed))
			return true;
	return was == 2 * me + 1;
}

static bool claim_dwords(const struct mx_shadow *s, size_t line, uint32_t me, unsigned dwords,
                         bool write, unsigned *fresh) {
	for (; dwords; dwords &= dwords - 1) {
		unsigned i = (unsigned)__builtin_ctz(dwords);
		dword_cell *c = &s->dwords[line * DWORDS + i];
		bool first = false;
		if (!(write ? claim_write(s, c, me, &first) : claim_read(s, c, me)))
			return false;
		*fresh |= (unsigned)first << i;
	}
	return true;
}

/* ---- lines ---- */

/* Gives each dword of a line that belongs to one group an owner of its own. */
static void split(const struct mx_shadow *s, size_t line, uint64_t was) {
	uint32_t owner = (uint32_t)(was >> 32);
	if (!atomic_compare_exchange_strong_explicit(&s->lines[line], &was,
	                                             (uint64_t)(s->first + BUSY) << 32,
	                                             memory_order_acquire, memory_order_relaxed))
		return; /* it has changed: look again */
	for (unsigned i = 0; i < DWORDS; i++)
		if ((was | was >> 16) >> i & 1)
			atomic_store_explicit(&s->dwords[line * DWORDS + i],
			                      2 * owner + (uint32_t)(was >> i & 1),
			                      memory_order_relaxed);
	atomic_store_explicit(&s->lines[line], (uint64_t)(s->first + SPLIT) << 32,
	                      memory_order_release);
}

/* Claims dwords of a line; *fresh gets those that the group has not written before. False if
 * another group stands in the way. */
static bool claim_line(const struct mx_shadow *s, size_t line, uint32_t me, unsigned dwords,
                       bool write, unsigned *fresh) {
	line_cell *c = &s->lines[line];
	uint64_t was = atomic_load_explicit(c, memory_order_acquire);
	*fresh = 0;
	for (;;) {
		uint32_t owner = (uint32_t)(was >> 32);
		if (owner == s->first + SPLIT)
			return claim_dwords(s, line, me, dwords, write, fresh);
		if (owner == me || owner < s->first) {
			uint64_t mine = owner == me ? was : (uint64_t)me << 32;
			uint64_t now = mine | (uint64_t)dwords << (write ? 0 : 16);
			if (now == was ||
			    atomic_compare_exchange_strong_explicit(
				    c, &was, now, memory_order_acquire, memory_order_acquire)) {
				*fresh = write ? dwords & ~(unsigned)mine & 0xffff : 0;
				return true;
			}
			continue;
		}
		if (owner != s->first + BUSY)
			split(s, line, was);
		was = atomic_load_explicit(c, memory_order_acquire);
	}
}

/* ---- accesses ---- */

void mx_abort(struct mx_run *run) {
	run->aborted = true;
	atomic_store_explicit(run->worker->abort, true, memory_order_relaxed);
}

static bool abort_because(struct mx_run *run, atomic_bool *reason) {
	atomic_store_explicit(reason, true, memory_order_relaxed);
	mx_abort(run);
	return false;
}

enum { GATHERED = 64 };

/* Claims of a wave. They are gathered first, so that the memory of one line need not be fetched
 * after that of another. */
struct claims {
	struct mx_run *run;
	const struct mx_region *region;
	uint32_t me;
	bool write;
	size_t start;
	unsigned n;
	struct {
		size_t line;
		unsigned dwords;
	} gathered[GATHERED];
};

static bool claim_one(const struct claims *x, size_t line, unsigned dwords) {
	const struct mx_worker *worker = x->run->worker;
	unsigned fresh;
	if (!claim_line(worker->shadow, x->start + line, x->me, dwords, x->write, &fresh))
		return abort_because(x->run, worker->conflict);
	if (!fresh || mx_journal_record(worker->journal, x->region, line * LINE, fresh))
		return true;
	mx_abort(x->run);
	return false;
}

static bool claim_gathered(struct claims *x) {
	for (unsigned i = 0; i < x->n; i++)
		if (!claim_one(x, x->gathered[i].line, x->gathered[i].dwords))
			return false;
	x->n = 0;
	return true;
}

static bool gather(struct claims *x, size_t line, unsigned dwords) {
	if (x->n && x->gathered[x->n - 1].line == line) {
		x->gathered[x->n - 1].dwords |= dwords;
		return true;
	}
	if (x->n == GATHERED && !claim_gathered(x))
		return false;
	__builtin_prefetch(&x->run->worker->shadow->lines[x->start + line], 1);
	if (x->write) {
		__builtin_prefetch((const void *)(uintptr_t)(x->region->base + line * LINE), 1);
		__builtin_prefetch(x->region->state + line * LINE, 1);
	}
	x->gathered[x->n].line = line;
	x->gathered[x->n++].dwords = dwords;
	return true;
}

static bool add(struct claims *x, uint64_t offset, size_t bytes) {
	uint64_t end = offset + bytes;
	while (offset < end) {
		uint64_t line = offset / LINE, after = (line + 1) * LINE;
		uint64_t stop = after < end ? after : end;
		unsigned first = offset % LINE / 4, last = (stop - 1) % LINE / 4;
		if (!gather(x, line, (2u << last) - (1u << first)))
			return false;
		offset = stop;
	}
	return true;
}

/* Whether claims are needed; *ok: whether the group may go on if not. */
static bool begin(struct claims *x, struct mx_wave *w, size_t region, bool write, bool *ok) {
	struct mx_run *run = w->group->run;
	const struct mx_worker *worker = run->worker;
	*ok = !atomic_load_explicit(worker->abort, memory_order_relaxed);
	x->run = run;
	x->region = &run->launch->memory.regions[region];
	x->me = worker->shadow->first + GROUPS + (uint32_t)w->group->index;
	x->write = write;
	x->start = worker->shadow->start[region];
	x->n = 0;
	if (!*ok)
		mx_abort(run);
	if (*ok && x->start == SIZE_MAX && write)
		*ok = abort_because(run, worker->surprise);
	return *ok && x->start != SIZE_MAX;
}

bool mx_shadow_claim(struct mx_wave *w, size_t region, uint64_t offset, size_t bytes, bool write) {
	struct claims x;
	bool ok;
	return begin(&x, w, region, write, &ok) ? add(&x, offset, bytes) && claim_gathered(&x) : ok;
}

/* Adds the bytes of neighbouring lanes together. */
static bool add_lanes(struct claims *x, const struct mx_lane_bytes *lanes) {
	uint64_t base = x->region->base, start = base, end = base;
	unsigned l;
	MX_FOR_LANES(l, lanes->lanes) {
		if (lanes->at[l] != end) {
			if (!add(x, start - base, end - start))
				return false;
			start = end = lanes->at[l];
		}
		end += lanes->bytes;
	}
	return add(x, start - base, end - start);
}

bool mx_shadow_claim_wave(struct mx_wave *w, size_t region, const struct mx_lane_bytes *lanes,
                          bool write) {
	struct claims x;
	bool ok;
	return begin(&x, w, region, write, &ok) ? add_lanes(&x, lanes) && claim_gathered(&x) : ok;
}
