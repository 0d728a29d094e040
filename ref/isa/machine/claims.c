/* Shadow memory that finds conflicts between workgroups while several threads run, and the journal
 * that undoes their writes.
 *
 * Every dword has an owner: none, the one group that read it, several that read it, or the one
 * group that wrote it. A group claims a dword before the first access. A claim that would let two
 * groups access a dword, one of them for a write, aborts the run before the access. So no two
 * threads access a dword if one of them writes it. */
#include <stdlib.h>
#include <string.h>

#include "claims.h"
#include "lane_bytes.h"

enum {
	NO_OWNER = 0,
	READERS = 1, /* several groups; from 2 on: 2 (g + 1), +1 if g wrote it */
	ENTRIES = 4096,
};

typedef _Atomic uint32_t owner;

struct mx_shadow {
	const struct mx_memory *memory;
	_Atomic(owner *)
		region[]; /* one for each dword of a region, allocated at the first claim */
};

/* A dword before the first write of the launch's groups. */
struct entry {
	uint64_t address;
	uint8_t old[4], state[4];
};

struct mx_journal {
	struct mx_journal *earlier;
	unsigned n;
	struct entry entry[ENTRIES];
};

struct mx_shadow *mx_shadow_new(const struct mx_memory *m) {
	struct mx_shadow *s = calloc(1, sizeof *s + m->n * sizeof s->region[0]);
	if (s)
		s->memory = m;
	return s;
}

void mx_shadow_free(struct mx_shadow *s) {
	for (size_t i = 0; s && i < s->memory->n; i++)
		free(atomic_load(&s->region[i]));
	free(s);
}

/* ---- the journal ---- */

/* Bytes of the dword at an offset; fewer at the end of a region. */
static size_t width(const struct mx_region *r, uint64_t offset) {
	return r->size - offset < 4 ? r->size - offset : 4;
}

static bool record(struct mx_worker *worker, const struct mx_region *r, uint64_t offset) {
	struct mx_journal *j = worker->journal;
	if (!j || j->n == ENTRIES) {
		j = malloc(sizeof *j);
		if (!j)
			return false;
		j->earlier = worker->journal;
		j->n = 0;
		worker->journal = j;
	}
	struct entry *e = &j->entry[j->n++];
	e->address = r->base + offset;
	memcpy(e->old, (const void *)(uintptr_t)e->address, width(r, offset));
	memcpy(e->state, r->state + offset, width(r, offset));
	return true;
}

static const struct mx_region *region_at(const struct mx_memory *m, uint64_t address) {
	size_t low = 0, high = m->n;
	while (high - low > 1) {
		size_t mid = low + (high - low) / 2;
		if (m->regions[mid].base <= address)
			low = mid;
		else
			high = mid;
	}
	return &m->regions[low];
}

void mx_journal_undo(struct mx_journal *j, const struct mx_memory *m) {
	for (; j; j = j->earlier)
		for (unsigned i = 0; i < j->n; i++) {
			const struct entry *e = &j->entry[i];
			const struct mx_region *r = region_at(m, e->address);
			uint64_t offset = e->address - r->base;
			memcpy((void *)(uintptr_t)e->address, e->old, width(r, offset));
			memcpy(r->state + offset, e->state, width(r, offset));
		}
}

void mx_journal_free(struct mx_journal *j) {
	while (j) {
		struct mx_journal *earlier = j->earlier;
		free(j);
		j = earlier;
	}
}

/* ---- claims ---- */

static owner *owners_of(struct mx_shadow *s, size_t region) {
	owner *o = atomic_load_explicit(&s->region[region], memory_order_acquire), *none = NULL;
	if (o)
		return o;
	o = calloc(s->memory->regions[region].size / 4 + 1, sizeof *o);
	if (!o || atomic_compare_exchange_strong(&s->region[region], &none, o))
		return o;
	free(o);
	return none;
}

/* Several groups may read; a group may read what it wrote. */
static bool claim_read(owner *o, uint32_t me) {
	uint32_t was = atomic_load_explicit(o, memory_order_relaxed);
	for (;;) {
		if (was == me || was == READERS || was == me + 1)
			return true;
		if (was & 1)
			return false;
		if (atomic_compare_exchange_weak_explicit(o, &was, was == NO_OWNER ? me : READERS,
		                                          memory_order_relaxed,
		                                          memory_order_relaxed))
			return true;
	}
}

/* Whether this group may write; *first: it has not written the dword before. */
static bool claim_write(owner *o, uint32_t me, bool *first) {
	uint32_t was = atomic_load_explicit(o, memory_order_relaxed);
	*first = was != me + 1;
	while (was == NO_OWNER || was == me)
		if (atomic_compare_exchange_weak_explicit(o, &was, me + 1, memory_order_relaxed,
		                                          memory_order_relaxed))
			return true;
	return was == me + 1;
}

void mx_abort(struct mx_run *run) {
	run->aborted = true;
	atomic_store_explicit(run->worker->abort, true, memory_order_relaxed);
}

static bool report_conflict(struct mx_run *run) {
	atomic_store_explicit(run->worker->conflict, true, memory_order_relaxed);
	mx_abort(run);
	return false;
}

bool mx_shadow_claim(struct mx_wave *w, size_t region, uint64_t offset, size_t bytes, bool write) {
	struct mx_run *run = w->group->run;
	struct mx_worker *worker = run->worker;
	const struct mx_region *r = &run->launch->memory.regions[region];
	uint32_t me = 2 * ((uint32_t)w->group->index + 1);
	owner *o = owners_of(worker->shadow, region);
	bool ok = o && !atomic_load_explicit(worker->abort, memory_order_relaxed), first;
	for (uint64_t at = offset & ~3ull; ok && at < offset + bytes; at += 4)
		if (!write) {
			if (!claim_read(&o[at / 4], me))
				return report_conflict(run);
		} else if (!claim_write(&o[at / 4], me, &first))
			return report_conflict(run);
		else if (first)
			ok = record(worker, r, at);
	if (!ok)
		mx_abort(run);
	return ok;
}

bool mx_shadow_claim_wave(struct mx_wave *w, size_t region, const struct mx_lane_bytes *x,
                          bool write) {
	uint64_t base = w->group->run->launch->memory.regions[region].base;
	unsigned l;
	MX_FOR_LANES(l, x->lanes)
	if (!mx_shadow_claim(w, region, x->at[l] - base, x->bytes, write))
		return false;
	return true;
}
