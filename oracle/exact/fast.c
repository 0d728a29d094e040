/* The choice of a fast kernel for a product, and its tiles on several threads. */
#include "fast.h"

#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdlib.h>

/* ---- choice ---- */

static int64_t largest_sig(const struct exact_format *f) {
	struct fast_codes c;
	int64_t most = 0;
	fast_list_codes(f, &c);
	for (unsigned code = 0; code < 1u << f->bits; code++)
		most = c.sig[code] > most ? c.sig[code] : most;
	return most;
}

const struct fast_way fast_ways[FAST_WAYS] = {
	{ "AMX", fast_int8_amx, FAST_SIGNED, MX_CPU_AMX },
	{ "AVX-512 VNNI", fast_int8_vnni, FAST_RAISED, MX_CPU_VNNI },
	{ "portable", fast_int8_plain, FAST_SIGNED, MX_CPU_BASE },
	{ "AMX", fast_digits_amx, FAST_DIGITS, MX_CPU_AMX },
	{ "AVX-512", fast_wide_avx512, FAST_WIDE, MX_CPU_V4 },
	{ "portable", fast_wide_plain, FAST_WIDE, MX_CPU_BASE },
};

/* Whether a layout can hold elements up to `most`. Bytes: raised by 64 they have no sign. Digits:
 * the highest digit is at most 15, the limit of fast_digits.c. */
static bool holds(enum fast_layout layout, int64_t most) {
	enum { BYTE = 60, DIGITS = 15 << 14 };
	return layout == FAST_WIDE || most <= (layout == FAST_DIGITS ? DIGITS : BYTE);
}

const struct fast_way *fast_choose(const struct exact_gemm *g) {
	const struct fast_way *way = fast_ways;
	int64_t a = largest_sig(exact_format(g->a.format));
	int64_t b = largest_sig(exact_format(g->b.format));
	while (!holds(way->layout, a > b ? a : b) || !mx_cpu_has(way->needs))
		way++;
	return way;
}

const char *exact_fast_name(const struct exact_gemm *g) {
	if (!exact_format(g->a.format) || !exact_format(g->b.format))
		return "none";
	return fast_choose(g)->name;
}

/* ---- tiles ---- */

struct work {
	const struct exact_gemm *g;
	const struct fast_product *p;
	const struct fast_pack *pack; /* of both operands */
	const struct fast_way *way;
	size_t instruction;
	size_t panel, strips; /* rows and columns of a part */
	atomic_size_t packing, packed, next;
	atomic_int status;
};

/* The conditions of fast.h. */
static bool is_proved(const struct work *w, size_t tile, size_t strip) {
	enum { LEAST = -149, MOST = 127, DOT_BITS = 53, SUM_BITS = 5 };
	const struct fast_range *a = &w->p->a.range[tile], *b = &w->p->b.range[strip];
	if (a->lowest + b->lowest < LEAST)
		return false;
	if (w->way->layout == FAST_DIGITS)
		return true;
	if (w->way->layout == FAST_WIDE)
		return a->spread + b->spread + SUM_BITS <= DOT_BITS;
	return a->highest + b->highest <= MOST;
}

/* Computes a tile by the walk, as a separate product. */
static enum exact_status walk_tile(const struct work *w, size_t row, size_t col) {
	const struct exact_gemm *g = w->g;
	struct exact_gemm tile = *g;
	uint32_t out[FAST_TILE * FAST_TILE];
	tile.m = g->m - row < FAST_TILE ? g->m - row : FAST_TILE;
	tile.n = g->n - col < FAST_TILE ? g->n - col : FAST_TILE;
	tile.a.codes += row * g->a.ld, tile.a.scales += row * g->a.ld_scales;
	tile.b.codes += col * g->b.ld, tile.b.scales += col * g->b.ld_scales;
	enum exact_status status = exact_walk_block32(&tile, w->instruction, out);
	for (size_t i = 0; !status && i < tile.m; i++)
		for (size_t j = 0; j < tile.n; j++)
			w->p->out[(row + i) * g->n + col + j] = out[i * tile.n + j];
	return status;
}

static bool all_proved(const struct work *w, struct fast_part part) {
	for (size_t strip = part.strip; strip < part.end_strip; strip++)
		for (size_t tile = part.tile; tile < part.end_tile; tile++)
			if (!is_proved(w, tile, strip))
				return false;
	return true;
}

/* Computes a part by the kernel, or tile by tile. */
static void make(struct work *w, struct fast_part part) {
	if (all_proved(w, part)) {
		w->way->kernel(w->p, part);
		return;
	}
	for (size_t strip = part.strip; strip < part.end_strip; strip++)
		for (size_t tile = part.tile; tile < part.end_tile; tile++) {
			enum exact_status s = EXACT_OK;
			if (is_proved(w, tile, strip))
				w->way->kernel(w->p, (struct fast_part){ strip, strip + 1, tile,
				                                         tile + 1 });
			else
				s = walk_tile(w, tile * FAST_TILE, strip * FAST_TILE);
			if (s)
				atomic_store(&w->status, (int)s);
		}
}

/* ---- threads ---- */

/* Packs tiles of both operands, one at a time, and waits for the tiles of other threads. */
static void pack_all(struct work *w) {
	size_t tiles = w->p->a.tiles, all = tiles + w->p->b.tiles, i;
	while ((i = atomic_fetch_add(&w->packing, 1)) < all) {
		fast_pack_tile(&w->pack[i >= tiles], i < tiles ? i : i - tiles);
		atomic_fetch_add(&w->packed, 1);
	}
	while (atomic_load(&w->packed) < all)
		sched_yield();
}

static size_t smaller(size_t x, size_t y) {
	return x < y ? x : y;
}

/* Computes parts, a panel of rows and some strips each, until none is left. */
static void *run(void *argument) {
	struct work *w = argument;
	size_t tiles = w->p->a.tiles, strips = w->p->b.tiles, i;
	size_t across = (strips + w->strips - 1) / w->strips;
	size_t all = (tiles + w->panel - 1) / w->panel * across;
	pack_all(w);
	while ((i = atomic_fetch_add(&w->next, 1)) < all) {
		size_t strip = i % across * w->strips, tile = i / across * w->panel;
		make(w, (struct fast_part){ strip, smaller(strip + w->strips, strips), tile,
		                            smaller(tile + w->panel, tiles) });
	}
	return NULL;
}

/* Parts that fit the second-level cache; the sums of a wide panel fit the first level. */
static void choose_part(struct work *w) {
	enum { CACHE = 1 << 20, MOST = 16 };
	bool wide = w->way->layout == FAST_WIDE;
	size_t bytes = wide ? sizeof(double) : w->way->layout == FAST_DIGITS ? FAST_DIGITS_OF : 1;
	size_t tile = w->p->a.blocks * FAST_ELEMENTS * bytes + 1;
	size_t rows = smaller(CACHE / tile / (wide ? 1 : 2), wide ? FAST_WIDE_TILES : MOST);
	size_t strips = wide ? MOST : smaller(CACHE / tile / 2, MOST);
	w->panel = rows ? rows : 1;
	w->strips = strips ? strips : 1;
}

static void run_all(struct work *w, unsigned threads) {
	enum { MOST = 64 };
	pthread_t other[MOST];
	unsigned n = 0;
	while (n + 1 < threads && n < MOST && !pthread_create(&other[n], NULL, run, w))
		n++;
	run(w);
	while (n)
		pthread_join(other[--n], NULL);
}

enum exact_status fast_block32(const struct exact_gemm *g, const struct fast_way *way,
                               size_t instruction, uint32_t *out) {
	struct fast_product p;
	struct fast_pack pack[2];
	enum exact_status status = fast_prepare(g, way->layout, &p, pack);
	if (status == EXACT_OK) {
		struct work w = { .g = g, .p = &p, .pack = pack, .way = way };
		w.instruction = instruction;
		choose_part(&w);
		p.out = out;
		run_all(&w, g->threads ? g->threads : 1);
		status = (enum exact_status)atomic_load(&w.status);
	}
	fast_free(&p);
	return status;
}
