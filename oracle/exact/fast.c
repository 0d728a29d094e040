/* Which fast kernel a product may have, and its tiles on several threads. */
#include "fast.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

/* ---- which ---- */

static int64_t largest_sig(const struct exact_format *f) {
	int64_t most = 0, sig;
	for (unsigned code = 0; code < 1u << f->bits; code++) {
		uint8_t packed[3] = { (uint8_t)code, (uint8_t)(code >> 8), 0 };
		exact_element(f, packed, 0, &sig);
		most = sig > most ? sig : most;
	}
	return most;
}

/* The kernels by what they need, the fastest first. */
static fast_kernel *choose(const struct exact_gemm *g, bool *wide) {
	enum { BYTE = 60 }; /* raised by 64, it stays a byte without sign */
	int64_t a = largest_sig(exact_format(g->a.format));
	int64_t b = largest_sig(exact_format(g->b.format));
	*wide = a > BYTE || b > BYTE;
	if (!*wide)
		return fast_has_amx()    ? fast_int8_amx
		       : fast_has_vnni() ? fast_int8_vnni
		                         : fast_int8_plain;
	if ((double)a * (double)b * EXACT_BLOCK >= 0x1p53)
		return NULL;
	return fast_has_avx512() ? fast_wide_avx512 : fast_wide_plain;
}

const char *exact_fast_name(const struct exact_gemm *g) {
	bool wide;
	if (!exact_format(g->a.format) || !exact_format(g->b.format))
		return "none";
	fast_kernel *k = choose(g, &wide);
	return k == fast_int8_amx      ? "AMX"
	       : k == fast_int8_vnni   ? "AVX-512 VNNI"
	       : k == fast_wide_avx512 ? "AVX-512"
	       : k                     ? "portable"
	                               : "none";
}

/* ---- tiles ---- */

/* Whether 2^e is an f32 for every block of these rows and columns. */
static bool in_range(const struct fast_product *p, size_t row, size_t col) {
	int low = 510, high = 0;
	for (size_t i = 0; i < FAST_TILE; i++)
		for (size_t j = 0; j < FAST_TILE; j++) {
			int l = p->a.lowest[row + i] + p->b.lowest[col + j];
			int h = p->a.highest[row + i] + p->b.highest[col + j];
			low = l < low ? l : low;
			high = h > high ? h : high;
		}
	int unit = p->a.unit + p->b.unit - 254;
	return low + unit >= -149 && high + unit <= 127;
}

struct work {
	const struct exact_gemm *g;
	const struct fast_product *p;
	fast_kernel *kernel;
	fast_walk *walk;
	size_t instruction;
	size_t panel; /* rows that stay in the cache while all strips go by */
	atomic_size_t next;
	atomic_int status;
};

/* A tile by the walk: a product of its own. */
static enum exact_status walk_tile(const struct work *w, size_t row, size_t col) {
	const struct exact_gemm *g = w->g;
	struct exact_gemm tile = *g;
	uint32_t out[FAST_TILE * FAST_TILE];
	tile.m = g->m - row < FAST_TILE ? g->m - row : FAST_TILE;
	tile.n = g->n - col < FAST_TILE ? g->n - col : FAST_TILE;
	tile.a.codes += row * g->a.ld, tile.a.scales += row * g->a.ld_scales;
	tile.b.codes += col * g->b.ld, tile.b.scales += col * g->b.ld_scales;
	enum exact_status status = w->walk(&tile, w->instruction, out);
	for (size_t i = 0; !status && i < tile.m; i++)
		for (size_t j = 0; j < tile.n; j++)
			w->p->out[(row + i) * g->n + col + j] = out[i * tile.n + j];
	return status;
}

/* Runs of good tiles go to the kernel. */
static void make_strip(struct work *w, size_t strip, size_t first, size_t end) {
	for (size_t row = first; row < end;) {
		size_t good = row;
		while (good < end && in_range(w->p, good, strip * FAST_TILE))
			good += FAST_TILE;
		if (good > row)
			w->kernel(w->p, strip, row, good);
		row = good;
		if (row < end) {
			enum exact_status s = walk_tile(w, row, strip * FAST_TILE);
			if (s)
				atomic_store(&w->status, (int)s);
			row += FAST_TILE;
		}
	}
}

static void *run(void *argument) {
	struct work *w = argument;
	size_t padded = w->p->a.padded, strips = w->p->b.padded / FAST_TILE, first;
	while ((first = atomic_fetch_add(&w->next, w->panel)) < padded) {
		size_t end = first + w->panel < padded ? first + w->panel : padded;
		for (size_t strip = 0; strip < strips; strip++)
			make_strip(w, strip, first, end);
	}
	return NULL;
}

/* Half a MiB of rows, and panels enough for all threads. */
static size_t panel_rows(const struct fast_product *p, bool wide, unsigned threads) {
	size_t row = p->a.blocks * EXACT_BLOCK * (wide ? sizeof(double) : 1);
	size_t rows = (1 << 19) / (row + 1), share = p->a.padded / threads;
	rows = rows < share ? rows : share;
	return rows < FAST_TILE ? FAST_TILE : rows / FAST_TILE * FAST_TILE;
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

bool fast_block32(const struct exact_gemm *g, size_t instruction, fast_walk *walk, uint32_t *out,
                  enum exact_status *status) {
	struct fast_product p;
	bool wide;
	fast_kernel *kernel = choose(g, &wide);
	if (!kernel || !g->m || !g->n)
		return false;
	unsigned threads = g->threads ? g->threads : 1;
	*status = fast_pack(g, wide, &p);
	if (*status == EXACT_OK) {
		struct work w = { g,    &p,          kernel,
			          walk, instruction, panel_rows(&p, wide, threads),
			          0,    EXACT_OK };
		p.out = out;
		run_all(&w, threads);
		*status = (enum exact_status)atomic_load(&w.status);
	}
	fast_free(&p);
	return true;
}
