/* Journals: the old bytes of what a thread's workgroups overwrite.
 *
 * Most lines hold one value in all their dwords, for instance memory that was never written: an
 * entry then has the value and no data. */
#include "journal.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "../isa.h"

enum { DWORDS = 16, ALL = (1 << DWORDS) - 1, BLOCK = 1 << 16, SPARE = 256 };

struct entry {
	uint64_t address; /* of the line */
	uint32_t value;   /* of all dwords, if `uniform` */
	uint16_t dwords;
	uint8_t uniform, state;
	/* If not uniform: the dwords, then the states of their bytes. */
};

struct block {
	struct block *earlier;
	size_t used;
	uint8_t bytes[BLOCK];
};

struct mx_journal {
	struct block *last;
};

/* ---- memory ---- */

static struct {
	pthread_mutex_t lock;
	struct block *block;
	unsigned n;
} spare = { .lock = PTHREAD_MUTEX_INITIALIZER };

static struct block *take_spare(void) {
	pthread_mutex_lock(&spare.lock);
	struct block *b = spare.block;
	if (b) {
		spare.block = b->earlier;
		spare.n--;
	}
	pthread_mutex_unlock(&spare.lock);
	return b ? b : malloc(sizeof *b);
}

static void give_back(struct block *b) {
	pthread_mutex_lock(&spare.lock);
	bool keep = spare.n < SPARE;
	if (keep) {
		b->earlier = spare.block;
		spare.block = b;
		spare.n++;
	}
	pthread_mutex_unlock(&spare.lock);
	if (!keep)
		free(b);
}

struct mx_journal *mx_journal_new(void) {
	return calloc(1, sizeof(struct mx_journal));
}

void mx_journal_free(struct mx_journal *j) {
	while (j && j->last) {
		struct block *b = j->last;
		j->last = b->earlier;
		give_back(b);
	}
	free(j);
}

static void *reserve(struct mx_journal *j, size_t bytes) {
	if (!j->last || j->last->used + bytes > BLOCK) {
		struct block *b = take_spare();
		if (!b)
			return NULL;
		b->earlier = j->last;
		b->used = 0;
		j->last = b;
	}
	void *p = j->last->bytes + j->last->used;
	j->last->used += bytes;
	return p;
}

/* ---- entries ---- */

/* Bytes of the dword at an offset; fewer at the end of a region. */
static size_t width(const struct mx_region *r, uint64_t offset) {
	return r->size - offset < 4 ? r->size - offset : 4;
}

/* Old bytes and states of the dwords, one after the other. */
struct old {
	uint32_t value[DWORDS], state[DWORDS];
	unsigned n;
};

static void read_old(const struct mx_region *r, uint64_t line, unsigned dwords, struct old *o) {
	if (dwords == ALL && r->size - line >= sizeof o->value) {
		memcpy(o->value, (const void *)(uintptr_t)(r->base + line), sizeof o->value);
		memcpy(o->state, r->state + line, sizeof o->state);
		o->n = DWORDS;
		return;
	}
	for (; dwords; dwords &= dwords - 1) {
		uint64_t offset = line + 4 * (unsigned)__builtin_ctz(dwords);
		size_t bytes = width(r, offset);
		o->value[o->n] = o->state[o->n] = 0;
		memcpy(&o->value[o->n], (const void *)(uintptr_t)(r->base + offset), bytes);
		memcpy(&o->state[o->n++], r->state + offset, bytes);
	}
}

/* From 0 on, so that vectors of the dwords are those that read_old stored. */
static bool is_uniform(const struct old *o) {
	uint32_t differs = o->state[0] ^ (o->state[0] & 0xff) * 0x01010101u;
	if (o->n == DWORDS) /* a constant, so that the loop is vectorised */
		for (unsigned i = 0; i < DWORDS; i++)
			differs |= (o->value[i] ^ o->value[0]) | (o->state[i] ^ o->state[0]);
	else
		for (unsigned i = 1; i < o->n; i++)
			differs |= (o->value[i] ^ o->value[0]) | (o->state[i] ^ o->state[0]);
	return !differs;
}

bool mx_journal_record(struct mx_journal *j, const struct mx_region *r, uint64_t line,
                       unsigned dwords) {
	struct old o = { .n = 0 };
	read_old(r, line, dwords, &o);
	bool uniform = is_uniform(&o);
	struct entry *e = reserve(j, sizeof *e + (uniform ? 0 : 8 * o.n));
	if (!e)
		return false;
	*e = (struct entry){ .address = r->base + line,
		             .value = o.value[0],
		             .dwords = (uint16_t)dwords,
		             .uniform = uniform,
		             .state = (uint8_t)o.state[0] };
	if (!uniform) {
		memcpy(e + 1, o.value, 4 * o.n);
		memcpy((uint8_t *)(e + 1) + 4 * o.n, o.state, 4 * o.n);
	}
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

/* Returns the entry after this one. */
static const struct entry *undo(const struct entry *e, const struct mx_memory *m) {
	const struct mx_region *r = region_at(m, e->address);
	unsigned n = (unsigned)__builtin_popcount(e->dwords), i = 0;
	const uint8_t *old = (const uint8_t *)(e + 1);
	uint32_t state = e->state * 0x01010101u;
	for (unsigned dwords = e->dwords; dwords; dwords &= dwords - 1, i++) {
		uint64_t address = e->address + 4 * (unsigned)__builtin_ctz(dwords);
		uint64_t offset = address - r->base;
		memcpy((void *)(uintptr_t)address,
		       e->uniform ? (const void *)&e->value : old + 4 * i, width(r, offset));
		memcpy(r->state + offset, e->uniform ? (const void *)&state : old + 4 * (n + i),
		       width(r, offset));
	}
	return (const struct entry *)(e->uniform ? old : old + 8 * n);
}

void mx_journal_undo(const struct mx_journal *j, const struct mx_memory *m) {
	for (const struct block *b = j->last; b; b = b->earlier) {
		const struct entry *e = (const struct entry *)b->bytes;
		while ((const uint8_t *)e < b->bytes + b->used)
			e = undo(e, m);
	}
}
