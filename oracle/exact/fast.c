/* The choice of a fast kernel for a product, and its tiles on several threads. */
#include "fast.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#define NEGATIVE_ZERO 0x80000000u

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
	{ "AVX-512 VNNI", fast_any_scale_vnni, FAST_ANY_SCALE, MX_CPU_VNNI },
	{ "AMX", fast_digits_amx, FAST_DIGITS, MX_CPU_AMX },
	{ "AVX-512 VNNI", fast_words_vnni, FAST_WORDS, MX_CPU_VNNI },
	{ "AVX-512", fast_wide_avx512, FAST_WIDE, MX_CPU_V4 },
	{ "portable", fast_wide_plain, FAST_WIDE, MX_CPU_BASE },
};

/* Whether a layout can hold elements up to `most`. Bytes: raised by 64 they have no sign. Digits:
 * the highest digit is at most 15, the limit of fast_digits.c. */
static bool holds(enum fast_layout layout, int64_t most) {
	enum { BYTE = 60, DIGITS = 15 << 14 };
	return layout == FAST_WIDE || layout == FAST_WORDS ||
	       most <= (layout == FAST_DIGITS ? DIGITS : BYTE);
}

static int64_t largest(const struct exact_gemm *g) {
	int64_t a = largest_sig(exact_format(g->a.format));
	int64_t b = largest_sig(exact_format(g->b.format));
	return a > b ? a : b;
}

const struct fast_way *fast_choose(const struct exact_gemm *g) {
	const struct fast_way *way = fast_ways;
	while (!holds(way->layout, largest(g)) || !mx_cpu_has(way->needs))
		way++;
	return way;
}

/* Whether -0 must be settled. */
static bool takes_any_scale(const struct fast_way *way) {
	return way->layout == FAST_ANY_SCALE || way->layout == FAST_WIDE;
}

/* For all scales; as fast_choose. */
static const struct fast_way *way_of_any_scale(const struct exact_gemm *g) {
	const struct fast_way *way = fast_choose(g);
	while (!takes_any_scale(way) || !holds(way->layout, largest(g)) || !mx_cpu_has(way->needs))
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
	atomic_size_t packing, next;
	atomic_int status;
};

/* The conditions of fast.h. */
static bool is_proved(const struct work *w, size_t tile, size_t strip) {
	enum { MOST = 127, DOT_BITS = 53, SUM_BITS = 5 };
	const struct fast_range *a = &w->p->a.range[tile], *b = &w->p->b.range[strip];
	if (w->way->layout == FAST_ANY_SCALE)
		return true;
	if (w->way->layout == FAST_WIDE)
		return a->spread + b->spread + SUM_BITS <= DOT_BITS;
	if (fast_may_underflow(w->p, strip, tile, 1))
		return false;
	if (w->way->layout == FAST_WORDS)
		return a->spread <= FAST_WORD_BITS && b->spread <= FAST_WORD_BITS;
	return w->way->layout == FAST_DIGITS || a->highest + b->highest <= MOST;
}

static bool all_proved(const struct work *w, struct fast_part part) {
	for (size_t strip = part.strip; strip < part.end_strip; strip++)
		for (size_t tile = part.tile; tile < part.end_tile; tile++)
			if (!is_proved(w, tile, strip))
				return false;
	return true;
}

static size_t smaller(size_t x, size_t y) {
	return x < y ? x : y;
}

/* Rows and columns of the product. */
struct area {
	size_t row, col, rows, cols;
};

static struct area area_of(const struct work *w, struct fast_part part) {
	size_t row = part.tile * FAST_TILE, col = part.strip * FAST_TILE;
	return (struct area){ row, col, smaller(part.end_tile * FAST_TILE, w->g->m) - row,
		              smaller(part.end_strip * FAST_TILE, w->g->n) - col };
}

/* Computes an area as a separate product: by the walk, or for any scale. */
static enum exact_status apart(const struct work *w, struct area x, bool walk) {
	struct exact_gemm g = *w->g;
	uint32_t *out = malloc(x.rows * x.cols * sizeof *out);
	g.m = x.rows, g.n = x.cols, g.threads = 1;
	g.a.codes += x.row * g.a.ld, g.a.scales += x.row * g.a.ld_scales;
	g.b.codes += x.col * g.b.ld, g.b.scales += x.col * g.b.ld_scales;
	enum exact_status s = !out   ? EXACT_NO_MEMORY
	                      : walk ? exact_walk_block32(&g, w->instruction, out)
	                             : fast_block32(&g, way_of_any_scale(&g), w->instruction, out);
	for (size_t i = 0; !s && i < x.rows; i++)
		memcpy(w->p->out + (x.row + i) * w->g->n + x.col, out + i * x.cols,
		       x.cols * sizeof *out);
	free(out);
	return s;
}

/* Walks elements in doubt. The blocks of +0 that complete an instruction change -0 to +0. */
static enum exact_status settle_zeros(const struct work *w, struct area x) {
	bool completed = w->p->a.blocks % w->instruction;
	enum exact_status s = EXACT_OK;
	for (size_t i = x.row; i < x.row + x.rows; i++)
		for (size_t j = x.col; !s && j < x.col + x.cols; j++) {
			uint32_t *out = &w->p->out[i * w->g->n + j];
			if (*out == FAST_DOUBT)
				s = apart(w, (struct area){ i, j, 1, 1 }, true);
			else if (completed && *out == NEGATIVE_ZERO)
				*out = 0;
		}
	return s;
}

/* Computes a part by the kernel. */
static enum exact_status by_kernel(const struct work *w, struct fast_part part) {
	w->way->kernel(w->p, part);
	return takes_any_scale(w->way) ? settle_zeros(w, area_of(w, part)) : EXACT_OK;
}

/* Computes a wide tile that is not proved. */
static enum exact_status make_unproved(const struct work *w, size_t tile, size_t strip) {
	struct area area = area_of(w, (struct fast_part){ strip, strip + 1, tile, tile + 1 });
	if (!mx_cpu_has(MX_CPU_V4))
		return apart(w, area, true);
	fast_split_tile(w->p, tile, strip);
	return settle_zeros(w, area);
}

/* Computes a part, some tiles of which are not proved. */
static enum exact_status by_tiles(const struct work *w, struct fast_part part) {
	enum exact_status s = EXACT_OK;
	for (size_t strip = part.strip; strip < part.end_strip; strip++)
		for (size_t tile = part.tile; !s && tile < part.end_tile; tile++) {
			struct fast_part one = { strip, strip + 1, tile, tile + 1 };
			s = is_proved(w, tile, strip) ? by_kernel(w, one)
			                              : make_unproved(w, tile, strip);
		}
	return s;
}

static void make(struct work *w, struct fast_part part) {
	enum exact_status s = all_proved(w, part)           ? by_kernel(w, part)
	                      : w->way->layout == FAST_WIDE ? by_tiles(w, part)
	                                                    : apart(w, area_of(w, part), false);
	if (s)
		atomic_store(&w->status, (int)s);
}

/* ---- threads ---- */

/* Packs tiles of both operands until none is left. */
static void *pack(void *argument) {
	struct work *w = argument;
	size_t tiles = w->p->a.tiles, all = tiles + w->p->b.tiles, i;
	while ((i = atomic_fetch_add(&w->packing, 1)) < all)
		fast_pack_tile(&w->pack[i >= tiles], i < tiles ? i : i - tiles);
	return NULL;
}

/* The parts from left to right, and all. */
static size_t parts_across(const struct work *w) {
	return (w->p->b.tiles + w->strips - 1) / w->strips;
}
static size_t parts_of(const struct work *w) {
	return (w->p->a.tiles + w->panel - 1) / w->panel * parts_across(w);
}

/* Computes parts, a panel of rows and some strips each, until none is left. */
static void *compute(void *argument) {
	struct work *w = argument;
	size_t tiles = w->p->a.tiles, strips = w->p->b.tiles, i;
	size_t across = parts_across(w), all = parts_of(w);
	while ((i = atomic_fetch_add(&w->next, 1)) < all) {
		size_t strip = i % across * w->strips, tile = i / across * w->panel;
		make(w, (struct fast_part){ strip, smaller(strip + w->strips, strips), tile,
		                            smaller(tile + w->panel, tiles) });
	}
	return NULL;
}

/* Parts that fit the second-level cache; the sums of a wide panel fit the first level. */
static void choose_part(struct work *w) {
	enum { CACHE = 1 << 20 };
	bool wide = w->way->layout == FAST_WIDE;
	size_t bytes = fast_bytes_of(w->way->layout);
	size_t most = wide                           ? FAST_WIDE_BLOCKS
	              : w->way->layout == FAST_WORDS ? FAST_WORDS_BLOCKS
	                                             : SIZE_MAX;
	size_t tile = smaller(w->p->a.blocks, most) * FAST_ELEMENTS * bytes + 1;
	size_t rows = smaller(CACHE / tile / (wide ? 1 : 2), wide ? FAST_WIDE_TILES : FAST_PART);
	size_t strips = wide ? FAST_WIDE_STRIPS : smaller(CACHE / tile / 2, FAST_PART);
	w->panel = rows ? rows : 1;
	w->strips = strips ? strips : 1;
}

/* What one thread does in about the time that another one takes to start and end: elements that it
 * packs, and products that it adds. */
#define PACKED_ALONE 0x1p16
#define ADDED_ALONE  0x1p21

/* On as many threads as there is work for, this one among them. `shares`: the work in units of what
 * one thread does alone. */
static void run_all(struct work *w, size_t items, double shares, void *(*phase)(void *work)) {
	enum { MOST = 64 };
	pthread_t other[MOST];
	size_t n = 0, threads = smaller(smaller(w->g->threads, items), MOST);
	threads = shares < threads ? (size_t)shares : threads;
	while (n + 1 < threads && !pthread_create(&other[n], NULL, phase, w))
		n++;
	phase(w);
	while (n)
		pthread_join(other[--n], NULL);
}

/* Whether most of the product would be computed apart. */
static bool is_mostly_apart(const struct work *w) {
	size_t apart = 0, tiles = w->p->a.tiles, strips = w->p->b.tiles;
	for (size_t i = 0; !takes_any_scale(w->way) && i < tiles * strips; i++)
		apart += !is_proved(w, i / strips, i % strips);
	return apart > tiles * strips / 2;
}

enum exact_status fast_block32(const struct exact_gemm *g, const struct fast_way *way,
                               size_t instruction, uint32_t *out) {
	struct fast_product p;
	struct fast_pack packs[2];
	double m = (double)g->m, n = (double)g->n, k = (double)g->k;
	enum exact_status status = fast_prepare(g, way->layout, &p, packs);
	if (status == EXACT_OK) {
		struct work w = { .g = g, .p = &p, .pack = packs, .way = way };
		w.instruction = instruction;
		choose_part(&w);
		p.out = out;
		run_all(&w, p.a.tiles + p.b.tiles, k * (m + n) / PACKED_ALONE, pack);
		if (is_mostly_apart(&w)) {
			status = fast_block32(g, way_of_any_scale(g), instruction, out);
		} else {
			run_all(&w, parts_of(&w), k * m * n / ADDED_ALONE, compute);
			status = (enum exact_status)atomic_load(&w.status);
		}
	}
	fast_free(&p);
	return status;
}
