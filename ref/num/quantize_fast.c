/* The fast tensor quantiser: bands of 32 rows, distributed among threads. */
#include "quantize.h"

#include <fenv.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { MAX_THREADS = 64, TILE = MX_BLOCK, CACHE_LINE = 64 };

/* Columns processed at a time, so that rows that are read twice or widened stay in cache: of rows
 * that are read from end to end first, of tiles, and of rows that are widened. */
enum { ROW_PANEL = 4096, TILE_PANEL = 1024, WIDE_PANEL = 256 };

/* A 32x32 tile with its rows along the quantised direction; absent elements are 0. */
struct tile {
	uint32_t x[TILE][TILE], random[TILE][TILE];
};

struct work {
	const struct mx_plan *p;
	const struct mx_fast *fast; /* NULL if the fast functions do not apply */
	size_t next, run;           /* the next band, taken atomically; bands taken at a time */
	size_t panel, stage_cols;   /* columns processed at a time, and how many of them staged */
	uint8_t *stages;            /* of all threads */
	unsigned staged;            /* stages taken, atomically */
};

/* The largest magnitude of n values that is not above limit; a NaN is above infinity. */
static uint32_t largest(const uint32_t *x, size_t n, uint32_t limit) {
	uint32_t amax = 0;
	for (size_t i = 0; i < n; i++) {
		uint32_t m = x[i] & ~MX_F32_SIGN;
		amax = m > amax && m <= limit ? m : amax;
	}
	return amax;
}

static uint32_t amax_of(const struct mx_plan *p, const uint32_t *x, size_t n) {
	uint32_t amax = largest(x, n, ~MX_F32_SIGN);
	if (amax <= MX_F32_INF || p->keeps_nan)
		return amax;
	for (size_t i = 0; i < n; i++)
		if ((x[i] & ~MX_F32_SIGN) <= MX_F32_INF)
			return largest(x, n, MX_F32_INF);
	return MX_F32_NAN;
}

/* Packed codes of the first n <= 32 elements of x[32], with a given scale; the others are 0. */
static void encode(const struct work *w, const uint32_t *x, const uint32_t *random, unsigned n,
                   uint8_t scale, uint8_t *codes) {
	const struct mx_quantizer *q = w->p->q;
	uint8_t packed[MX_BLOCK] = { 0 };
	if (!w->fast || !w->fast->block((const uint8_t *)x, scale, packed))
		for (unsigned i = 0; i < n; i++)
			mx_elem_set(q->format, packed, i,
			            mx_scaled_encode(q->recipe, q->format, (mx_f32){ x[i] },
			                             (mx_e8m0){ scale }, w->p->rounding,
			                             random ? random[i] : 0));
	memcpy(codes, packed, mx_packed_bytes(q->format, n));
}

/* ---- rows of f32 ---- */

static void quantize_any(const struct work *w, const uint8_t *x, const uint32_t *random, unsigned n,
                         uint8_t *codes, uint8_t *scale) {
	uint32_t padded[MX_BLOCK] = { 0 };
	memcpy(padded, x, n * sizeof *padded);
	mx_f32 amax = { amax_of(w->p, padded, MX_BLOCK) };
	*scale = mx_scale(w->p->q->recipe, w->p->q->format, amax).v;
	encode(w, padded, random, n, *scale, codes);
}

static void fetch_to_write(const uint8_t *at, size_t bytes) {
	for (size_t i = 0; i < bytes; i += CACHE_LINE)
		__builtin_prefetch(at + i, 1);
}

/* A processor fetches by itself the lines after those that are written, but not those after a gap
 * between rows. */
static void quantize_row(const struct work *w, const uint8_t *x, ptrdiff_t next, size_t cols,
                         const uint32_t *random, uint8_t *codes, uint8_t *scales) {
	const struct mx_quantizer *q = w->p->q;
	size_t bytes = mx_packed_bytes(q->format, MX_BLOCK), stride = w->p->rowwise->row_bytes;
	bool has_gap = stride >= mx_packed_bytes(q->format, w->p->x->cols) + CACHE_LINE;
	for (size_t b = 0, done; b * MX_BLOCK < cols; b += done) {
		size_t at = b * MX_BLOCK, left = cols - at;
		done = 0;
		if (w->fast)
			done = w->fast->row(q->recipe, x + 4 * at, x + 4 * at + next,
			                    left / MX_BLOCK, codes + b * bytes, scales + b);
		if (has_gap)
			fetch_to_write(codes + b * bytes + stride, done * bytes);
		if (done)
			continue;
		quantize_any(w, x + 4 * at, random ? random + at : NULL,
		             left < MX_BLOCK ? left : MX_BLOCK, codes + b * bytes, scales + b);
		done = 1;
	}
}

/* Columns first to first + cols of a band as f32, in place or widened. */
struct panel {
	const struct mx_band *band;
	size_t first, cols;
	const uint8_t *x, *next; /* the panel that comes next, for its first tile */
	ptrdiff_t row_bytes;
	struct mx_quantised rows, columns; /* where its output goes; codes NULL: not wanted */
};

/* The output from item `item` of line `row`. */
static struct mx_quantised output_at(const struct work *w, const struct mx_quantised *o, size_t row,
                                     size_t item) {
	return (struct mx_quantised){
		o->codes + row * o->row_bytes + mx_packed_bytes(w->p->q->format, item),
		o->row_bytes,
		o->scales + row * o->scale_row_bytes + item / MX_BLOCK,
		o->scale_row_bytes,
	};
}

static void quantize_rows(const struct work *w, const struct panel *v) {
	const struct mx_plan *p = w->p;
	for (size_t r = 0; r < v->band->rows; r++) {
		struct mx_quantised o = output_at(w, p->rowwise, v->band->out_row + r, v->first);
		size_t at = (v->band->in_row + r) * p->x->cols + v->first;
		quantize_row(w, v->x + (ptrdiff_t)r * v->row_bytes, v->row_bytes, v->cols,
		             p->rounding == MX_SR ? p->q->random + at : NULL, o.codes, o.scales);
	}
}

/* ---- tiles ---- */

static void load_tile(const struct mx_plan *p, const struct mx_band *band, size_t col,
                      struct tile *t) {
	size_t cols = p->x->cols - col < TILE ? p->x->cols - col : TILE;
	if (band->rows < TILE || cols < TILE)
		memset(t, 0, sizeof *t);
	for (size_t r = 0; r < band->rows; r++) {
		size_t in = band->in_row + r;
		if (p->x->dtype == MX_DTYPE_F32 && p->x->col_bytes == 4)
			memcpy(t->x[r], mx_tensor_at(p->x, in, col), cols * sizeof **t->x);
		else
			for (size_t c = 0; c < cols; c++)
				t->x[r][c] = mx_tensor_get(p->x, in, col + c);
		if (p->rounding == MX_SR)
			memcpy(t->random[r], p->q->random + in * p->x->cols + col,
			       cols * sizeof **t->random);
	}
}

static void transpose(const struct tile *t, struct tile *to, bool random) {
	for (int r = 0; r < TILE; r++)
		for (int c = 0; c < TILE; c++)
			to->x[c][r] = t->x[r][c];
	for (int r = 0; r < TILE && random; r++)
		for (int c = 0; c < TILE; c++)
			to->random[c][r] = t->random[r][c];
}

/* `lines` blocks of n items. The first `data` items are data, the others padding. */
struct extent {
	unsigned lines, n, data;
};

static void quantize_tile(const struct work *w, struct tile *t, struct extent e,
                          const struct mx_quantised *out) {
	const struct mx_quantizer *q = w->p->q;
	uint8_t *codes = out->codes, *scales = out->scales;
	for (int l = 0; q->hadamard && l < TILE; l++) {
		mx_hadamard16(t->x[l]);
		mx_hadamard16(t->x[l] + 16);
	}
	uint32_t shared = q->block == MX_BLOCK_1X32 ? 0 : amax_of(w->p, *t->x, TILE * TILE);
	unsigned n = q->hadamard ? e.n : e.data;
	for (unsigned l = 0; l < e.lines; l++) {
		uint32_t amax = q->block == MX_BLOCK_1X32 ? amax_of(w->p, t->x[l], TILE) : shared;
		mx_e8m0 s = mx_scale(q->recipe, q->format, (mx_f32){ amax });
		memset(codes, 0, mx_packed_bytes(q->format, e.n));
		encode(w, t->x[l], t->random[l], n, s.v, codes);
		*scales = s.v;
		codes += out->row_bytes;
		scales += out->scale_row_bytes;
	}
}

/* Column-wise lines of a band that consists of padding. */
static void pad_columns(const struct mx_plan *p, unsigned lines, unsigned n,
                        const struct mx_quantised *o) {
	for (unsigned l = 0; l < lines; l++) {
		memset(o->codes + l * o->row_bytes, 0, mx_packed_bytes(p->q->format, n));
		o->scales[l * o->scale_row_bytes] = p->q->pad_scale;
	}
}

static void columns_of_tile(const struct work *w, const struct mx_band *band, unsigned cols,
                            const struct tile *t, const struct mx_quantised *o) {
	struct tile across;
	if (!band->rows) {
		pad_columns(w->p, cols, band->padded, o);
		return;
	}
	transpose(t, &across, w->p->rounding == MX_SR);
	quantize_tile(w, &across, (struct extent){ cols, band->padded, band->rows }, o);
}

/* Where the output of the tile from column `col` of a panel goes. */
static struct mx_quantised rows_at(const struct work *w, const struct panel *v, size_t col) {
	return v->rows.codes ? output_at(w, &v->rows, 0, col - v->first) : v->rows;
}

static struct mx_quantised columns_at(const struct work *w, const struct panel *v, size_t col) {
	return v->columns.codes ? output_at(w, &v->columns, col - v->first, 0) : v->columns;
}

/* Any tile: partial, transformed or with special values. */
static void any_tile(const struct work *w, const struct panel *v, size_t col) {
	const struct mx_plan *p = w->p;
	unsigned cols = p->x->cols - col < TILE ? p->x->cols - col : TILE;
	struct mx_quantised r = rows_at(w, v, col), c = columns_at(w, v, col);
	struct tile t;
	load_tile(p, v->band, col, &t);
	if (c.codes)
		columns_of_tile(w, v->band, cols, &t, &c);
	if (r.codes)
		quantize_tile(w, &t, (struct extent){ v->band->rows, cols, cols }, &r);
}

/* A tile is fetched into the cache so many tiles before it is used. */
enum { AHEAD = 2 };

/* A whole tile of plain numbers; false for any other. */
static bool fast_tile(const struct work *w, const struct panel *v, size_t col) {
	const struct mx_plan *p = w->p;
	const uint8_t *x = v->x + 4 * (col - v->first);
	size_t ahead = col - v->first + AHEAD * TILE;
	const uint8_t *next = ahead < v->cols ? v->x + 4 * ahead : v->next + 4 * (ahead - v->cols);
	struct mx_quantised r = rows_at(w, v, col), c = columns_at(w, v, col);
	if (!w->fast || p->q->hadamard || v->band->rows < TILE || p->x->cols - col < TILE)
		return false;
	if (p->q->block == MX_BLOCK_1X32)
		return w->fast->columns(p->q->recipe, x, v->row_bytes, p->rowwise ? NULL : next,
		                        &c);
	return w->fast->square(p->q->recipe, x, v->row_bytes, next, &r, &c);
}

/* ---- panels ---- */

static bool is_contiguous_f32(const struct mx_plan *p) {
	return p->x->dtype == MX_DTYPE_F32 && p->x->col_bytes == 4;
}

/* Whether the row-wise output is made row by row, not tile by tile. */
static bool is_by_rows(const struct mx_plan *p) {
	return p->rowwise && p->q->block == MX_BLOCK_1X32 && !p->q->hadamard;
}

static size_t panel_cols(const struct mx_plan *p) {
	size_t cols = p->x->cols, most = is_by_rows(p) ? ROW_PANEL : TILE_PANEL;
	if (!is_contiguous_f32(p))
		most = WIDE_PANEL;
	else if (is_by_rows(p) && !p->colwise)
		most = cols;
	return cols < most ? cols : most;
}

static struct panel panel_at(const struct mx_plan *p, const struct mx_band *band, size_t col,
                             size_t cols, uint32_t (*widened)[WIDE_PANEL]) {
	const uint8_t *x = (const uint8_t *)*widened;
	struct panel v = { band, col, cols, x, x, sizeof *widened };
	if (is_contiguous_f32(p) && band->rows) {
		v.x = v.next = mx_tensor_at(p->x, band->in_row, col);
		v.row_bytes = p->x->row_bytes;
		return v;
	}
	for (size_t r = 0; r < band->rows; r++)
		mx_tensor_widen(p->x, band->in_row + r, col, cols, widened[r]);
	return v;
}

static void quantize_panel(const struct work *w, const struct panel *v) {
	if (is_by_rows(w->p))
		quantize_rows(w, v);
	if (!v->rows.codes && !v->columns.codes)
		return;
	for (size_t at = v->first; at < v->first + v->cols; at += TILE)
		if (!fast_tile(w, v, at))
			any_tile(w, v, at);
}

static void put_rows(const struct work *w, const struct panel *v, const struct mx_stage *stage) {
	if (!v->rows.codes)
		return;
	struct mx_quantised to = output_at(w, w->p->rowwise, v->band->out_row, v->first);
	mx_stage_put(stage, &v->rows, &to, v->band->rows, mx_packed_bytes(w->p->q->format, v->cols),
	             (v->cols + TILE - 1) / TILE);
}

/* The columns of n bands. */
static void put_columns(const struct work *w, const struct mx_stage *stage, size_t col, size_t cols,
                        const struct mx_band *band, size_t n) {
	if (!w->p->colwise)
		return;
	struct mx_quantised to = output_at(w, w->p->colwise, col, band->out_row);
	size_t rows = band[n - 1].out_row + band[n - 1].padded - band->out_row;
	mx_stage_put(stage, &stage->columns, &to, cols, mx_packed_bytes(w->p->q->format, rows), n);
}

/* `cols` columns from `col` of n bands. */
static void quantize_panels(const struct work *w, const struct mx_stage *stage, size_t col,
                            size_t cols, const struct mx_band *band, size_t n) {
	const struct mx_plan *p = w->p;
	uint32_t widened[TILE][WIDE_PANEL];
	for (size_t b = 0; b < n; b++) {
		struct panel v = panel_at(p, &band[b], col, cols, widened);
		if (is_contiguous_f32(p) && b + 1 < n && band[b + 1].rows)
			v.next = mx_tensor_at(p->x, band[b + 1].in_row, col);
		if (p->rowwise && !is_by_rows(p))
			v.rows = stage->rows;
		if (p->colwise)
			v.columns = output_at(w, &stage->columns, 0, b * TILE);
		quantize_panel(w, &v);
		put_rows(w, &v, stage);
	}
	put_columns(w, stage, col, cols, band, n);
}

/* `n` bands from `band`. */
static void quantize_bands(const struct work *w, const struct mx_stage *stage,
                           const struct mx_band *band, size_t n) {
	for (size_t col = 0, left, some; (left = w->p->x->cols - col); col += some) {
		some = left < w->panel ? left : w->panel;
		quantize_panels(w, stage, col, some, band, n);
	}
}

static void pad_rows(const struct mx_plan *p, const struct mx_band *band) {
	const struct mx_quantised *o = p->rowwise;
	for (size_t r = band->out_row + band->rows; r < band->out_row + band->padded; r++) {
		memset(o->codes + r * o->row_bytes, 0, mx_packed_bytes(p->q->format, p->x->cols));
		memset(o->scales + r * o->scale_row_bytes, p->q->pad_scale,
		       (p->x->cols + MX_BLOCK - 1) / MX_BLOCK);
	}
}

/* ---- threads ---- */

/* Bands share no byte of output, so any thread may take any band. */
static void *take_bands(void *work) {
	struct work *w = work;
	const struct mx_plan *p = w->p;
	struct mx_stage stage = mx_stage_of(p, w->stage_cols, w->run, w->stages,
	                                    __atomic_fetch_add(&w->staged, 1, __ATOMIC_RELAXED));
	size_t i;
	while ((i = __atomic_fetch_add(&w->next, w->run, __ATOMIC_RELAXED)) < p->bands) {
		size_t n = p->bands - i < w->run ? p->bands - i : w->run;
		quantize_bands(w, &stage, p->band + i, n);
		for (size_t b = i; p->rowwise && b < i + n; b++)
			pad_rows(p, p->band + b);
	}
	mx_stage_end(&stage);
	return NULL;
}

/* Processors are counted if it matters: the C library reads a file to count them. */
static unsigned thread_count(const struct mx_plan *p) {
	long online = p->q->threads ? 0 : sysconf(_SC_NPROCESSORS_ONLN);
	size_t n = p->q->threads ? p->q->threads : online > 0 ? online : 1;
	if (n > MAX_THREADS)
		n = MAX_THREADS;
	return n < p->bands ? n : p->bands;
}

/* Adjacent bands give adjacent codes of a column; enough of them fill whole cache lines. */
static size_t bands_at_a_time(const struct mx_plan *p, unsigned threads) {
	size_t share = p->bands / threads, most = mx_stage_bands(p->q->format);
	return share > most ? most : share ? share : 1;
}

/* The calling thread works too, alone if no thread can be created. */
static mx_status run(struct work *w) {
	pthread_t thread[MAX_THREADS];
	unsigned others = 0, wanted = thread_count(w->p);
	if (!wanted)
		return MX_OK;
	w->run = bands_at_a_time(w->p, wanted);
	w->panel = panel_cols(w->p);
	w->stage_cols = w->p->colwise || !is_by_rows(w->p) ? w->panel : 0;
	if (!(w->stages = mx_stages_new(w->p, w->stage_cols, w->run, wanted)))
		return MX_NO_MEMORY;
	while (others + 1 < wanted && !pthread_create(&thread[others], NULL, take_bands, w))
		others++;
	take_bands(w);
	while (others)
		pthread_join(thread[--others], NULL);
	free(w->stages);
	return MX_OK;
}

mx_status mx_quantize(const struct mx_quantizer *q, const struct mx_tensor *x,
                      const struct mx_quantised *rowwise, const struct mx_quantised *colwise) {
	struct mx_plan p;
	mx_status s = mx_quantize_plan(&p, q, x, rowwise, colwise);
	if (s)
		return s;
	bool keeps_signs = mx_recipe_info(q->recipe)->scaling != MX_INFINITE_SCALE;
	struct work w = { .p = &p };
	if (p.rounding == MX_RNE && keeps_signs && fegetround() == FE_TONEAREST)
		w.fast = mx_fast_for(q->format);
	s = run(&w);
	free(p.band);
	return s;
}
