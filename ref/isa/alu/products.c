/* Results of matrix instructions, kept between launches. Equal operands and results are kept once:
 * waves share fragments, and most results are the C of a later instruction. */
#include "products.h"

#include <stdlib.h>
#include <string.h>

enum {
	WAVES = 1024,
	BLOCKS = 4096,
	LINE = 64,
	MOST_BYTES = 16 << 20, /* a store that leaves the caches is slower than to multiply */
	ROOM = 1 << 14,        /* for what one instruction adds */
	RENEWALS = 4,          /* of a place, whose operands may differ in every launch */
};

/* Bytes that pieces or results refer to. */
struct block {
	struct block *next;
	uint64_t hash;
	uint32_t uses, bytes;
	_Alignas(LINE) unsigned char at[];
};

/* Of one instruction; without a result: none is kept. */
struct kept {
	struct block *result;
	unsigned n, renewals;
	struct block *piece[MX_PRODUCT_PIECES];
};

struct mx_products_of_wave {
	struct mx_products_of_wave *next;
	uint64_t group;
	uint32_t launch, wave;
	unsigned n; /* places */
	struct kept *place;
};

struct mx_products {
	size_t bytes; /* of blocks and places */
	struct mx_products_of_wave *wave[WAVES];
	struct block *block[BLOCKS];
};

struct mx_products *mx_products_new(void) {
	return calloc(1, sizeof(struct mx_products));
}

void mx_products_free(struct mx_products *p) {
	for (unsigned i = 0; p && i < WAVES; i++)
		for (struct mx_products_of_wave *next, *x = p->wave[i]; x; x = next) {
			next = x->next;
			free(x->place);
			free(x);
		}
	for (unsigned i = 0; p && i < BLOCKS; i++)
		for (struct block *next, *b = p->block[i]; b; b = next) {
			next = b->next;
			free(b);
		}
	free(p);
}

/* ---- blocks ---- */

static uint64_t hash_of(const unsigned char *at, uint32_t bytes) {
	uint64_t hash = bytes, word;
	for (uint32_t i = 0; i < bytes; i += 8) {
		uint32_t left = bytes - i;
		word = 0;
		memcpy(&word, at + i, left < 8 ? left : 8);
		hash = (hash ^ word) * 0x9e3779b97f4a7c15u;
		hash ^= hash >> 29;
	}
	return hash;
}

static size_t size_of(const struct block *b) {
	return (sizeof *b + b->bytes + LINE - 1) / LINE * LINE;
}

static struct block *new_block(struct mx_products *p, uint64_t hash, uint32_t bytes) {
	const struct block shape = { .hash = hash, .bytes = bytes };
	size_t size = size_of(&shape);
	struct block *b = aligned_alloc(LINE, size);
	if (!b)
		return NULL;
	*b = shape;
	p->bytes += size;
	b->next = p->block[hash % BLOCKS];
	return p->block[hash % BLOCKS] = b;
}

/* The block with these bytes; NULL if memory is short. */
static struct block *use(struct mx_products *p, const void *at, uint32_t bytes) {
	uint64_t hash = hash_of(at, bytes);
	struct block *b = p->block[hash % BLOCKS];
	while (b && (b->hash != hash || b->bytes != bytes || memcmp(b->at, at, bytes)))
		b = b->next;
	if (!b && (b = new_block(p, hash, bytes)))
		memcpy(b->at, at, bytes);
	if (b)
		b->uses++;
	return b;
}

static void leave(struct mx_products *p, struct block *b) {
	if (!b || --b->uses)
		return;
	struct block **at = &p->block[b->hash % BLOCKS];
	while (*at != b)
		at = &(*at)->next;
	*at = b->next;
	p->bytes -= size_of(b);
	free(b);
}

/* ---- places ---- */

static struct mx_products_of_wave *of_wave(const struct mx_wave *w, struct mx_products *p) {
	const struct mx_group *g = w->group;
	uint32_t launch = g->run->launch->number;
	uint64_t hash = (g->index * MX_GROUP_WAVES + w->index) * 31 + launch;
	struct mx_products_of_wave **first = &p->wave[hash % WAVES], *x = *first;
	while (x && (x->group != g->index || x->wave != w->index || x->launch != launch))
		x = x->next;
	if (x || p->bytes >= MOST_BYTES || !(x = malloc(sizeof *x)))
		return x;
	*x = (struct mx_products_of_wave){
		.next = *first, .group = g->index, .launch = launch, .wave = w->index
	};
	p->bytes += sizeof *x;
	return *first = x;
}

/* The wave's places, or NULL. Several threads would need a store each. */
static struct mx_products_of_wave *places(struct mx_wave *w) {
	const struct mx_run *run = w->group->run;
	if (!w->products && run->launch->products && !run->worker)
		w->products = of_wave(w, run->launch->products);
	return w->products;
}

/* That of the instruction; NULL if memory is short. */
static struct kept *place_of(struct mx_products *p, struct mx_products_of_wave *x, unsigned i) {
	enum { FIRST = 16 };
	unsigned n = i < FIRST ? FIRST : 2 * i;
	if (i < x->n)
		return &x->place[i];
	struct kept *grown = realloc(x->place, n * sizeof *grown);
	if (!grown)
		return NULL;
	memset(grown + x->n, 0, (n - x->n) * sizeof *grown);
	p->bytes += (n - x->n) * sizeof *grown;
	x->place = grown;
	x->n = n;
	return &grown[i];
}

static void empty(struct mx_products *p, struct kept *k) {
	leave(p, k->result);
	for (unsigned i = 0; i < k->n; i++)
		leave(p, k->piece[i]);
	k->result = NULL;
	k->n = 0;
}

/* ---- what others call ---- */

static bool is_same(const struct kept *k, const struct mx_product *p) {
	if (!k->result || k->n != p->n)
		return false;
	for (unsigned i = 0; i < p->n; i++) {
		const struct block *b = k->piece[i];
		if (b->bytes != p->piece[i].bytes || memcmp(b->at, p->piece[i].at, b->bytes))
			return false;
	}
	return true;
}

const mx_vreg *mx_products_find(struct mx_wave *w, const struct mx_product *p) {
	const struct mx_products_of_wave *x = places(w);
	const struct kept *k = x && w->matrices < x->n ? &x->place[w->matrices] : NULL;
	if (!k || !is_same(k, p))
		return NULL;
	w->group->run->report->stats.known++;
	return (const mx_vreg *)k->result->at;
}

void mx_products_keep(struct mx_wave *w, const struct mx_product *p, const mx_vreg *d, unsigned n) {
	struct mx_products *all = w->group->run->launch->products;
	struct mx_products_of_wave *x = places(w);
	bool has_room = x && all->bytes + ROOM <= MOST_BYTES;
	struct kept *k = has_room ? place_of(all, x, w->matrices) : NULL;
	if (!k || k->renewals > RENEWALS)
		return;
	k->renewals++;
	empty(all, k);
	bool ok = (k->result = use(all, d, n * sizeof *d));
	while (ok && k->n < p->n) {
		k->piece[k->n] = use(all, p->piece[k->n].at, (uint32_t)p->piece[k->n].bytes);
		ok = k->piece[k->n] && ++k->n;
	}
	if (!ok)
		empty(all, k);
}
