/* Tensor quantisers: the fast one against the plain one, byte by byte for all options;
 * the plain one against hand-derived values and against sums in doubles. Bytes outside
 * the output must not change. */
#include "../../ref/mxref.h"
#include "../../ref/num/quantize.h"
#include "../float_bits.h"
#include "../random.h"
#include "../tap.h"

#include <fenv.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static uint64_t rng_state = 20251121;

static uint64_t rng(void) {
	return next_random(&rng_state);
}

static unsigned below(unsigned n) {
	return rng() % n;
}

/* ---- outputs with unused bytes between and after their rows ---- */

enum { POISON = 0xA5, GAP = 3, TAIL = 8 };

struct output {
	struct mx_quantised o;
	size_t rows, bytes, blocks, code_size, scale_size;
};

static void output_make(struct output *t, mx_format f, size_t rows, size_t cols) {
	t->rows = rows;
	t->bytes = mx_packed_bytes(f, cols);
	t->blocks = (cols + 31) / 32;
	t->o.row_bytes = t->bytes + GAP;
	t->o.scale_row_bytes = t->blocks + GAP;
	t->code_size = rows * t->o.row_bytes + TAIL;
	t->scale_size = rows * t->o.scale_row_bytes + TAIL;
	t->o.codes = malloc(t->code_size);
	t->o.scales = malloc(t->scale_size);
	memset(t->o.codes, POISON, t->code_size);
	memset(t->o.scales, POISON, t->scale_size);
}

static void output_free(struct output *t) {
	free(t->o.codes);
	free(t->o.scales);
}

static bool same(const struct output *a, const struct output *b) {
	return !memcmp(a->o.codes, b->o.codes, a->code_size) &&
	       !memcmp(a->o.scales, b->o.scales, a->scale_size);
}

static bool gaps_untouched(const uint8_t *p, size_t rows, size_t used, size_t stride, size_t size) {
	for (size_t i = 0; i < size; i++)
		if ((i >= rows * stride || i % stride >= used) && p[i] != POISON)
			return false;
	return true;
}

static bool untouched(const struct output *t) {
	return gaps_untouched(t->o.codes, t->rows, t->bytes, t->o.row_bytes, t->code_size) &&
	       gaps_untouched(t->o.scales, t->rows, t->blocks, t->o.scale_row_bytes, t->scale_size);
}

/* ---- data ---- */

enum { MAX_ROWS = 150, MAX_COLS = 150, SPREAD = 3, CELLS = MAX_ROWS * MAX_COLS * SPREAD };

static uint32_t words[CELLS], randoms[CELLS];
static uint16_t halves[CELLS];

/* kind 0: sizes of a model; 1: any bits; 2: mostly special; 3: zeros, tiny and huge. */
static uint32_t value(int kind) {
	static const uint32_t special[] = { 0x7F800000, 0x7FC00000, 0x7FFFFFFF, 0xFF800000,
		                            0xFFC00000, 0x00000001, 0x807FFFFF, 0x00800000,
		                            0x7F7FFFFF, 0x80000000, 0x7F600000, 0x7F800001 };
	uint32_t u = rng();
	switch (kind) {
	case 0: return (u & 0x87FFFFFF) + 0x3C000000;
	case 1: return u;
	case 2: return below(3) ? special[below(12)] : u;
	}
	return below(4) ? (u & 0x80000000) : below(2) ? u & 0x81FFFFFF : u | 0x7E000000;
}

/* Runs of 64 values of one kind, so that special blocks are among plain ones. */
static void fill(int kind) {
	for (int i = 0; i < CELLS; i++) {
		int k = kind < 4 ? kind : i / 64 % 8 ? 0 : 1 + i / 512 % 3;
		words[i] = value(k);
		halves[i] = kind == 0 ? (rng() & 0x87FF) + 0x3800 : words[i] >> 16;
		randoms[i] = rng();
	}
}

struct setting {
	struct mx_quantizer q;
	struct mx_tensor x;
	size_t group_rows[4];
	bool rowwise, colwise;
};

static void random_groups(struct setting *s) {
	size_t left = s->x.rows;
	s->q.groups = 1 + below(4);
	for (size_t g = 0; g < s->q.groups; g++) {
		s->group_rows[g] = g + 1 < s->q.groups ? below(left + 1) : left;
		left -= s->group_rows[g];
	}
	s->q.group_rows = s->group_rows;
	s->q.row_align = 32 * (1 + below(3));
}

static void random_strides(struct setting *s) {
	ptrdiff_t size = s->x.dtype == MX_DTYPE_F32 ? 4 : 2, step = size * (1 + (below(3) == 0));
	s->x.col_bytes = step;
	s->x.row_bytes = step * (ptrdiff_t)s->x.cols + below(5 * size);
	if (below(4) == 0) { /* the transpose of what lies there */
		s->x.row_bytes = size;
		s->x.col_bytes = s->x.rows * size + below(5 * size);
	}
	size_t at = below(2 * size); /* odd places, too */
	if (below(4) == 0) {
		at += (s->x.rows - 1) * s->x.row_bytes;
		s->x.row_bytes = -s->x.row_bytes;
	}
	if (below(4) == 0) {
		at += (s->x.cols - 1) * s->x.col_bytes;
		s->x.col_bytes = -s->x.col_bytes;
	}
	s->x.data = (uint8_t *)(s->x.dtype == MX_DTYPE_F32 ? (void *)words : halves) + at;
}

static void random_setting(struct setting *s, mx_recipe r, mx_format f) {
	*s = (struct setting){ 0 };
	s->q.recipe = r;
	s->q.format = f;
	s->q.block = below(2);
	s->q.hadamard = below(4) == 0;
	s->q.override = below(3) == 0;
	s->q.rounding = below(4);
	s->q.random = randoms;
	s->q.pad_scale = 127;
	s->q.threads = 1 + below(3);
	s->x.dtype = below(2) ? MX_DTYPE_F32 : 1 + below(2);
	s->x.rows = 1 + below(100);
	s->x.cols = 1 + below(140);
	int outputs = below(3);
	s->rowwise = outputs != 1;
	s->colwise = outputs != 0;
	if (s->q.hadamard) {
		s->x.cols = 16 * (1 + below(8));
		s->q.row_align = 16;
	}
	if (below(3) == 0)
		random_groups(s);
	random_strides(s);
}

/* The outputs of one of the two quantisers. */
struct result {
	struct output row, col;
	mx_status status;
};

static void quantise(const struct setting *s, bool plain, struct result *r) {
	size_t rows = mx_quantised_rows(&s->q, &s->x);
	output_make(&r->row, s->q.format, rows, s->x.cols);
	output_make(&r->col, s->q.format, s->x.cols, rows);
	r->status = (plain ? mx_quantize_plain : mx_quantize)(
		&s->q, &s->x, s->rowwise ? &r->row.o : NULL, s->colwise ? &r->col.o : NULL);
}

static void result_free(struct result *r) {
	output_free(&r->row);
	output_free(&r->col);
}

static void describe(const struct setting *s) {
	diag("first wrong: %s %s %zux%zu, dtype %d, strides %td %td, block %d, hadamard %d, "
	     "rounding "
	     "%d, groups %zu, align %zu, outputs %d%d",
	     mx_recipe_info(s->q.recipe)->name, mx_format_info(s->q.format)->name, s->x.rows,
	     s->x.cols, s->x.dtype, s->x.row_bytes, s->x.col_bytes, s->q.block, s->q.hadamard,
	     s->q.override ? (int)s->q.rounding : -1, s->q.groups, s->q.row_align, s->rowwise,
	     s->colwise);
}

static bool fast_is_plain(const struct setting *s) {
	struct result fast, plain;
	quantise(s, false, &fast);
	quantise(s, true, &plain);
	bool good = !fast.status && !plain.status && same(&fast.row, &plain.row) &&
	            same(&fast.col, &plain.col) && untouched(&fast.row) && untouched(&fast.col);
	result_free(&fast);
	result_free(&plain);
	return good;
}

static void test_fast(mx_recipe r, int rounds) {
	int bad = 0, n = 0;
	for (int f = 0; f < MX_FORMATS; f++)
		for (int i = 0; i < rounds && mx_recipe_info(r)->formats >> f & 1; i++, n++) {
			struct setting s;
			if (i % 4 == 0)
				fill(i / 4 % 5);
			random_setting(&s, r, f);
			if (!fast_is_plain(&s) && !bad++)
				describe(&s);
		}
	ok(!bad, "%s: the fast quantiser writes the same bytes as the plain one, %d tensors",
	   mx_recipe_info(r)->name, n);
}

/* Long contiguous rows, where the fast path is fastest. */
static void test_rows(void) {
	int bad = 0;
	for (int r = 0; r < MX_RECIPES; r++)
		for (int f = 0; f < MX_FORMATS; f++)
			for (int kind = 0; kind < 5 && mx_recipe_info(r)->formats >> f & 1;
			     kind++) {
				struct setting s = { .q = { .recipe = r, .format = f },
					             .x = { words, MX_DTYPE_F32, 1, 3333, 13332,
					                    4 },
					             .rowwise = true };
				if (kind % 2 == 0)
					fill(kind);
				if (!fast_is_plain(&s) && !bad++)
					describe(&s);
			}
	ok(!bad, "both quantise rows of 3333 f32 to the same bytes, all recipes and formats");
}

/* More columns than a panel, and more bands than are staged, with partial ones at the ends. */
static void test_panels(void) {
	int bad = 0;
	fill(4);
	for (int i = 0; i < MX_FORMATS * 4; i++) {
		size_t rows = i / MX_FORMATS % 2 ? 15 : 270, cols = rows == 15 ? 4197 : 233;
		struct setting s = { .q = { .recipe = MX_RECIPE_EVEN,
			                    .format = i % MX_FORMATS,
			                    .block = i / MX_FORMATS / 2,
			                    .threads = 1 },
			             .x = { words, MX_DTYPE_F32, rows, cols, 4 * cols, 4 },
			             .rowwise = true,
			             .colwise = true };
		if (!fast_is_plain(&s) && !bad++)
			describe(&s);
	}
	ok(!bad, "both quantise several panels of columns and many bands to the same bytes");
}

static struct mx_quantised aligned_output(mx_format f, size_t rows, size_t cols) {
	size_t bytes = mx_packed_bytes(f, cols);
	return (struct mx_quantised){ aligned_alloc(64, rows * bytes), bytes,
		                      calloc(rows, cols / 32), cols / 32 };
}

static void output_release(struct mx_quantised *o) {
	free(o->codes);
	free(o->scales);
}

/* Compares lines of `bytes` codes and `scales` scales. */
static bool same_lines(const struct mx_quantised *a, const struct mx_quantised *b, size_t lines,
                       size_t bytes, size_t scales) {
	for (size_t i = 0; i < lines; i++)
		if (memcmp(a->codes + i * a->row_bytes, b->codes + i * b->row_bytes, bytes) ||
		    memcmp(a->scales + i * a->scale_row_bytes, b->scales + i * b->scale_row_bytes,
		           scales))
			return false;
	return true;
}

enum { LARGE_ROWS = 2048, LARGE_COLS = 2080, PART = 64 };

/* Rows `at` to at + PART of a tensor have the bytes that they have in its outputs. */
static bool same_part(const struct mx_quantizer *q, const struct mx_tensor *x, size_t at,
                      const struct mx_quantised *row, const struct mx_quantised *col) {
	struct mx_tensor part = *x;
	part.data = (const uint8_t *)x->data + at * x->row_bytes;
	part.rows = PART;
	struct mx_quantised r = aligned_output(q->format, PART, LARGE_COLS), r_in = *row;
	struct mx_quantised c = aligned_output(q->format, LARGE_COLS, PART), c_in = *col;
	r_in.codes += at * row->row_bytes;
	r_in.scales += at * row->scale_row_bytes;
	c_in.codes += mx_packed_bytes(q->format, at);
	c_in.scales += at / 32;
	bool good = mx_quantize(q, &part, &r, &c) == MX_OK &&
	            same_lines(&r, &r_in, PART, r.row_bytes, r.scale_row_bytes) &&
	            same_lines(&c, &c_in, LARGE_COLS, c.row_bytes, c.scale_row_bytes);
	output_release(&r);
	output_release(&c);
	return good;
}

/* A tensor with more output than the caches hold, against its parts. */
static void test_large(mx_format f, int block) {
	struct mx_quantizer q = { .recipe = MX_RECIPE_EVEN, .format = f, .block = block };
	uint32_t *x = malloc((size_t)LARGE_ROWS * LARGE_COLS * sizeof *x);
	struct mx_tensor t = {
		x, MX_DTYPE_F32, LARGE_ROWS, LARGE_COLS, 4 * LARGE_COLS, 4,
	};
	struct mx_quantised row = aligned_output(f, LARGE_ROWS, LARGE_COLS);
	struct mx_quantised col = aligned_output(f, LARGE_COLS, LARGE_ROWS);
	for (size_t i = 0; i < (size_t)LARGE_ROWS * LARGE_COLS; i++)
		x[i] = words[i % CELLS];
	bool good = mx_quantize(&q, &t, &row, &col) == MX_OK;
	for (size_t at = 0; at < LARGE_ROWS; at += PART)
		good &= same_part(&q, &t, at, &row, &col);
	ok(good, "%s, %s: a large tensor has the bytes of its parts", mx_format_info(f)->name,
	   block == MX_BLOCK_1X32 ? "1x32" : "32x32");
	output_release(&row);
	output_release(&col);
	free(x);
}

/* Tiles of 32 rows of 32, as columns and as squares, rows too or not. */
static void test_portable_tiles(void) {
	enum { TILES = 60 };
	int bad = 0, done = 0, left = 0;
	for (int i = 0; i < TILES * MX_FORMATS * 4; i++) {
		mx_format f = i % MX_FORMATS;
		const struct mx_fast *paths[] = { mx_fast_portable(f), mx_fast_for(f) };
		uint8_t codes[2][2][32 * 40], scales[2][2][32 * 3];
		bool ok[2], square = i / MX_FORMATS % 2, rows = i / MX_FORMATS / 2 % 2;
		memset(codes, POISON, sizeof codes);
		memset(scales, POISON, sizeof scales);
		if (i % 64 == 0)
			fill(i % 3 ? 0 : 4);
		for (int p = 0; p < 2; p++) {
			struct mx_quantised r = { rows ? codes[p][0] : NULL, 40, scales[p][0], 3 };
			struct mx_quantised c = { codes[p][1], 40, scales[p][1], 3 };
			const uint8_t *x = (uint8_t *)words + 64 * (i % 97);
			ok[p] = square ? paths[p]->square(MX_RECIPE_EVEN, x, 132, x, &r, &c)
			               : paths[p]->columns(MX_RECIPE_EVEN, x, 132, rows ? x : NULL,
			                                   &c);
		}
		bad += ok[0] != ok[1] || memcmp(codes[0], codes[1], sizeof codes[0]) ||
		       memcmp(scales[0], scales[1], sizeof scales[0]);
		done += ok[0];
		left += !ok[0];
	}
	ok(!bad, "the fast path for tiles gives the bytes of the plain one");
	ok(done > TILES && left > TILES, "  %d tiles done, %d need the rules for special values",
	   done, left);
}

/* Blocks as they come, so that both stop at the same one. */
static void test_portable(void) {
	enum { BLOCKS = 300 };
	int bad = 0;
	fill(4);
	for (int f = 0; f < MX_FORMATS; f++) {
		const struct mx_fast *paths[] = { mx_fast_portable(f), mx_fast_for(f) };
		uint8_t codes[2][BLOCKS * 32] = { 0 }, scales[2][BLOCKS] = { 0 };
		size_t done[2];
		for (size_t b = 0; b < BLOCKS; b += done[0] + 1) {
			for (int p = 0; p < 2; p++)
				done[p] = paths[p]->row(MX_RECIPE_EVEN, (uint8_t *)(words + b * 32),
				                        (uint8_t *)words, BLOCKS - b,
				                        codes[p] + b * 32, scales[p] + b);
			bad += done[0] != done[1];
		}
		for (int b = 0; b < BLOCKS; b++) {
			uint8_t block[2][32] = { 0 };
			for (int p = 0; p < 2; p++)
				done[p] = paths[p]->block((uint8_t *)(words + b * 32), 90 + b % 80,
				                          block[p]);
			bad += done[0] != done[1] || memcmp(block[0], block[1], 32);
		}
		bad += memcmp(codes[0], codes[1], sizeof codes[0]) ||
		       memcmp(scales[0], scales[1], sizeof scales[0]);
	}
	ok(!bad, "the path of this processor gives the bytes of the portable path");
}

/* Elements are rounded to nearest even whatever the rounding mode of the thread is. */
static void test_rounding_modes(void) {
	static const int modes[] = { FE_UPWARD, FE_DOWNWARD, FE_TOWARDZERO };
	int bad = 0;
	fill(0);
	for (int i = 0; i < 30; i++) {
		struct setting s;
		random_setting(&s, MX_RECIPE_EVEN, i % MX_FORMATS);
		fesetround(modes[i % 3]);
		bool same = fast_is_plain(&s);
		fesetround(FE_TONEAREST);
		if (!same && !bad++)
			describe(&s);
	}
	ok(!bad, "the rounding mode of the thread changes no byte");
}

static void test_threads(void) {
	int bad = 0;
	fill(4);
	for (int i = 0; i < 12; i++) {
		struct setting s;
		struct result one, many;
		random_setting(&s, MX_RECIPE_EVEN, i % MX_FORMATS);
		s.q.threads = 1;
		quantise(&s, false, &one);
		for (s.q.threads = 0; s.q.threads <= 7; s.q.threads++) {
			quantise(&s, false, &many);
			if ((!same(&one.row, &many.row) || !same(&one.col, &many.col)) && !bad++)
				diag("first wrong: %u threads", s.q.threads);
			result_free(&many);
		}
		result_free(&one);
	}
	ok(!bad, "1 to 7 threads, and one for each processor, give the same bytes");
}

/* ---- against first principles ---- */

/* Code of row r, item k. */
static int code(const struct output *o, mx_format f, size_t r, size_t k) {
	return mx_elem_get(f, o->o.codes + r * o->o.row_bytes, k).v;
}

static int scale(const struct output *o, size_t r, size_t b) {
	return o->o.scales[r * o->o.scale_row_bytes + b];
}

/* 3 rows of 40: row r holds 2^r * (k % 8), but (1,33) is 24: scales and codes by hand.
 * floor: amax 7, 14, 28: exponents 2 3 4, less 2, bytes 127 128 129; row 1's second
 * block has amax 24, byte 129. */
static void test_both_axes_by_hand(void) {
	static const int e2m1[8] = { 0, 2, 4, 5, 6, 6, 7, 7 }; /* 0 1 2 3 4 5->4 6 7->6 */
	struct setting s = { .q = { .recipe = MX_RECIPE_FLOOR, .format = MX_E2M1 },
		             .x = { words, MX_DTYPE_F32, 3, 40, 160, 4 },
		             .rowwise = true,
		             .colwise = true };
	struct result got;
	for (int r = 0; r < 3; r++)
		for (int k = 0; k < 40; k++)
			words[r * 40 + k] = bits_of(ldexpf(k % 8, r));
	words[40 + 33] = bits_of(24);
	quantise(&s, false, &got);
	int bad = got.status != MX_OK;
	for (int r = 0; r < 3; r++)
		for (int k = 0; k < 32; k++)
			bad += code(&got.row, MX_E2M1, r, k) != e2m1[k % 8];
	ok(!bad, "rows of 0 to 7, 0 to 14, 0 to 28 have the codes of 0 to 7");
	ok(scale(&got.row, 0, 0) == 127 && scale(&got.row, 1, 0) == 128 &&
	           scale(&got.row, 2, 0) == 129 && scale(&got.row, 1, 1) == 129,
	   "their scales are 1 2 4, and that of the short block with 24 is 4");
	/* Its items 2 * {0, 12, 2, 3, 4, 5, 6, 7} / 4: 24/4 = 6, 4/4 = 1, 6/4, 2, 2.5, 3, 3.5. */
	static const int second[8] = { 0, 7, 2, 3, 4, 4, 5, 6 };
	for (int k = 0; k < 8; k++)
		bad += code(&got.row, MX_E2M1, 1, 32 + k) != second[k];
	ok(!bad, "a short block of 8 has its own scale");
	/* Column 5: 5 10 20, amax 20, exponent 4, byte 129: 1.25 -> 1, 2.5 -> 2, 5 -> 4. */
	ok(scale(&got.col, 5, 0) == 129 && code(&got.col, MX_E2M1, 5, 0) == 2 &&
	           code(&got.col, MX_E2M1, 5, 1) == 4 && code(&got.col, MX_E2M1, 5, 2) == 6 &&
	           got.col.o.codes[5 * got.col.o.row_bytes + 1] == 0x06,
	   "column 5 is 5 10 20 over 4, transposed, unused bits 0");
	result_free(&got);
}

/* Column-wise is row-wise of the transposed input. */
static void test_transpose(void) {
	int bad = 0;
	fill(4);
	for (int i = 0; i < 40; i++) {
		struct setting s, t;
		struct result col, row;
		random_setting(&s, MX_RECIPE_RCEIL, i % MX_FORMATS);
		s.q.group_rows = NULL;
		s.q.row_align = 0;
		s.q.override = false;
		s.q.hadamard = false;
		s.rowwise = false;
		s.colwise = true;
		t = s;
		t.x.rows = s.x.cols;
		t.x.cols = s.x.rows;
		t.x.row_bytes = s.x.col_bytes;
		t.x.col_bytes = s.x.row_bytes;
		t.rowwise = true;
		t.colwise = false;
		quantise(&s, false, &col);
		quantise(&t, true, &row);
		if (!same(&col.col, &row.row) && !bad++)
			describe(&s);
		result_free(&col);
		result_free(&row);
	}
	ok(!bad, "column-wise output is the row-wise output of the transposed input");
}

static void test_tiles_by_hand(void) {
	struct setting s = {
		.q = { .recipe = MX_RECIPE_FLOOR, .format = MX_E4M3, .block = MX_BLOCK_32X32 },
		.x = { words, MX_DTYPE_F32, 64, 64, 256, 4 },
		.rowwise = true,
		.colwise = true
	};
	struct result got;
	int bad = 0;
	for (int i = 0; i < 64 * 64; i++)
		words[i] = bits_of(1);
	words[40 * 64 + 3] = bits_of(-448); /* tile (1,0) */
	quantise(&s, false, &got);
	for (int r = 0; r < 64; r++)
		for (int b = 0; b < 2; b++)
			bad += scale(&got.row, r, b) != (r >= 32 && b == 0 ? 127 : 119) ||
			       scale(&got.col, r, b) != (r < 32 && b == 1 ? 127 : 119);
	ok(!bad, "32x32 tiles share the scale of their amax, along rows and along columns");
	ok(code(&got.row, MX_E4M3, 40, 3) == 0xFE && code(&got.col, MX_E4M3, 3, 40) == 0xFE &&
	           code(&got.row, MX_E4M3, 63, 0) == 0x38 && code(&got.row, MX_E4M3, 0, 0) == 0x78,
	   "a tile's elements are scaled by it: -448, 1, and 1 over 2^-8");
	result_free(&got);
}

static void test_groups_by_hand(void) {
	struct setting s = { .q = { .recipe = MX_RECIPE_FLOOR,
		                    .format = MX_E4M3,
		                    .row_align = 64,
		                    .pad_scale = 0x5A,
		                    .groups = 3 },
		             .x = { words, MX_DTYPE_F32, 36, 32, 128, 4 },
		             .group_rows = { 33, 0, 3 },
		             .rowwise = true,
		             .colwise = true };
	struct result got;
	int bad = 0;
	s.q.group_rows = s.group_rows;
	for (int i = 0; i < 36 * 32; i++)
		words[i] = bits_of(i < 33 * 32 ? 1 : 2);
	ok(mx_quantised_rows(&s.q, &s.x) == 128,
	   "groups of 33, 0 and 3 rows padded to 64: 128 rows");
	quantise(&s, false, &got);
	for (int r = 0; r < 128; r++) {
		bool real = r < 33 || (r >= 64 && r < 67);
		int want = !real ? 0x5A : r < 33 ? 119 : 120;
		bad += scale(&got.row, r, 0) != want;
		for (int k = 0; k < 32; k++)
			bad += code(&got.row, MX_E4M3, r, k) != (real ? 0x78 : 0) ||
			       code(&got.col, MX_E4M3, k, r) != (real ? 0x78 : 0);
	}
	ok(!bad, "padding has code 0 in both outputs, and row-wise the chosen scale");
	ok(scale(&got.col, 0, 0) == 119 && scale(&got.col, 0, 1) == 119 &&
	           scale(&got.col, 31, 2) == 120 && scale(&got.col, 31, 3) == 0x5A,
	   "blocks of a column with data have their scale, the block without data the chosen "
	   "scale");
	result_free(&got);
}

/* H[i][j] = (-1)^popcount(i & j) / 4, summed in doubles; f32 rounding of four levels
 * stays below 4 * 2^-24 of the sum of magnitudes. Then the scale and code of that. */
static void test_hadamard(void) {
	struct setting s = {
		.q = { .recipe = MX_RECIPE_FLOOR, .format = MX_E4M3, .hadamard = true },
		.x = { words, MX_DTYPE_F32, 1, 32, 128, 4 },
		.rowwise = true
	};
	int bad = 0, exact = 0;
	for (int round = 0; round < 300; round++) {
		struct result got;
		float y[32], amax = 0;
		int log2;
		/* Integers below 2^18: sums of 16 are exact, and so is a quarter. */
		for (int i = 0; i < 32; i++)
			words[i] = bits_of((int)below(1 << 19) - (1 << 18));
		for (int i = 0; i < 32; i++) {
			double sum = 0;
			for (int j = 0; j < 16; j++)
				sum += (__builtin_popcount(i & j & 15) % 2 ? -1 : 1) *
				       (double)as_float(words[i / 16 * 16 + j]);
			y[i] = sum / 4;
			exact += y[i] == sum / 4;
			amax = fmaxf(amax, fabsf(y[i]));
		}
		frexpf(amax, &log2);
		quantise(&s, false, &got);
		bad += scale(&got.row, 0, 0) != log2 - 1 - 8 + 127;
		for (int i = 0; i < 32; i++) {
			mx_f32 scaled = { bits_of(ldexpf(y[i], 8 + 1 - log2)) };
			bad += code(&got.row, MX_E4M3, 0, i) != mx_elem_from_f32(MX_E4M3, scaled).v;
		}
		result_free(&got);
	}
	ok(!bad && exact == 300 * 32,
	   "integers are transformed to the exact sums of the Walsh matrix over 4");
}

/* Rounding of the transform, against the same butterflies in f32 on the host. E4M3 shows
 * 4 bits of a value, so each value is scaled by its own power of two, in its own blocks,
 * and then compared. */
static void test_hadamard_rounding(void) {
	int bad = 0;
	struct setting s = {
		.q = { .recipe = MX_RECIPE_FLOOR, .format = MX_E5M2, .hadamard = true },
		.x = { words, MX_DTYPE_F32, 1, 16, 64, 4 },
		.rowwise = true
	};
	for (int round = 0; round < 3000; round++) {
		struct result got;
		float v[16], amax = 0;
		int log2;
		/* Big terms that cancel leave the rounding errors of the levels before. */
		for (int i = 0; i < 16; i++)
			v[i] = ldexpf((int)below(1 << 24) - (1 << 23),
			              (int)below(round % 2 ? 6 : 60));
		v[8 + round % 8] = -v[round % 8];
		for (int i = 0; i < 16; i++)
			words[i] = bits_of(v[i]);
		for (int d = 1; d < 16; d *= 2)
			for (int i = 0; i < 16; i++)
				if (!(i & d)) {
					float a = v[i], b = v[i + d];
					v[i] = a + b;
					v[i + d] = a - b;
				}
		for (int i = 0; i < 16; i++)
			amax = fmaxf(amax, fabsf(v[i] *= 0.25f));
		frexpf(amax, &log2);
		quantise(&s, false, &got);
		bad += scale(&got.row, 0, 0) != log2 - 1 - 15 + 127;
		for (int i = 0; i < 16; i++) {
			mx_f32 scaled = { bits_of(ldexpf(v[i], 15 + 1 - log2)) };
			bad += code(&got.row, MX_E5M2, 0, i) != mx_elem_from_f32(MX_E5M2, scaled).v;
		}
		result_free(&got);
	}
	ok(!bad, "the transform rounds like f32 butterflies of distance 1, 2, 4, 8");
}

/* If all other items are zero, item 0 of the transform is (a + b) / 4 and item 1
 * (a - b) / 4, by IEEE addition of the host for any a and b. NaN must stay NaN. */
static void test_hadamard_specials(void) {
	int bad = 0;
	for (int i = 0; i < (is_long() ? 200000 : 50000); i++) {
		uint32_t a = value(i % 4), b = i % 5 ? value(i % 4) : a ^ (i % 2 ? 0x80000000 : 0);
		uint32_t v[16] = { a, b };
		float sum = as_float(a) + as_float(b), rest = as_float(a) - as_float(b);
		mx_hadamard16(v);
		for (int k = 0; k < 2; k++) {
			/* Zeros of either sign are added too: -0 becomes +0. */
			float want = ((k ? rest : sum) + 0.0f) * 0.25f;
			bool same_nan = isnan(want) && isnan(as_float(v[k]));
			if (!same_nan && v[k] != bits_of(want) && !bad++)
				diag("first wrong: item %d of 0x%08x 0x%08x: got 0x%08x, want %a",
				     k, a, b, v[k], want);
		}
	}
	ok(!bad, "the transform adds subnormals, infinities and zeros by IEEE 754");
}

/* x = 1 + j/32 in E2M1 at scale 1: between 1 and 1.5, frac j/16. A random word r rounds up
 * where frac + r / 2^32 >= 1. */
static void test_stochastic(void) {
	struct setting s = { .q = { .recipe = MX_RECIPE_FLOOR,
		                    .format = MX_E2M1,
		                    .override = true,
		                    .rounding = MX_SR,
		                    .random = randoms },
		             .x = { words, MX_DTYPE_F32, 32, 32, 128, 4 },
		             .rowwise = true,
		             .colwise = true };
	struct result got;
	int bad = 0;
	fill(0);
	for (int i = 0; i < 32 * 32; i++)
		words[i] = bits_of(i % 33 == 0 ? 6 : 1 + (i * 7 % 16) / 32.0f);
	quantise(&s, false, &got);
	for (int r = 0; r < 32; r++)
		for (int c = 0; c < 32; c++) {
			int i = r * 32 + c, j = i * 7 % 16;
			int want = i % 33 == 0 ? 7 : 2 + (randoms[i] / 0x1p32 + j / 16.0 >= 1);
			bad += code(&got.row, MX_E2M1, r, c) != want ||
			       code(&got.col, MX_E2M1, c, r) != want;
		}
	ok(!bad, "stochastic rounding takes the random word of the element, on both axes");
	result_free(&got);
}

static void test_dtypes(void) {
	struct setting s = { .q = { .recipe = MX_RECIPE_EVEN, .format = MX_E4M3 },
		             .rowwise = true };
	int bad = 0;
	fill(1);
	for (int d = MX_DTYPE_BF16; d <= MX_DTYPE_F16; d++) {
		struct result narrow, wide;
		for (int i = 0; i < 64 * 64; i++)
			words[i] = d == MX_DTYPE_BF16 ? mx_bf16_to_f32((mx_bf16){ halves[i] }).v
			                              : mx_f16_to_f32((mx_f16){ halves[i] }).v;
		s.x = (struct mx_tensor){ halves, d, 64, 64, 128, 2 };
		quantise(&s, false, &narrow);
		s.x = (struct mx_tensor){ words, MX_DTYPE_F32, 64, 64, 256, 4 };
		quantise(&s, false, &wide);
		bad += !same(&narrow.row, &wide.row);
		result_free(&narrow);
		result_free(&wide);
	}
	ok(!bad, "bf16 and f16 tensors are quantised like the same tensors widened to f32");
}

/* ---- dequantising ---- */

static void test_dequantise(void) {
	int bad = 0, tight = 0;
	fill(0);
	for (int f = 0; f < MX_FORMATS; f++) {
		struct setting s = { .q = { .recipe = MX_RECIPE_RCEIL, .format = f },
			             .x = { words, MX_DTYPE_F32, 50, 77, 308, 4 },
			             .rowwise = true,
			             .colwise = true };
		struct result got;
		static mx_f32 row[50][80], col[50][80];
		quantise(&s, false, &got);
		bad += mx_dequantize(f, &got.row.o, 50, 77, *row, 320, 4) ||
		       mx_dequantize(f, &got.col.o, 77, 50, *col, 4, 320);
		/* Without saturation the error is half an ulp of an element, at most
		 * 2^-(man+1) of the block's amax; rceil never saturates. */
		for (int r = 0; r < 50; r++)
			for (int c = 0; c < 77; c++) {
				double x = as_float(words[r * 77 + c]), amax = 0;
				for (int k = c / 32 * 32; k < 77 && k < c / 32 * 32 + 32; k++)
					amax = fmax(amax, fabs(as_float(words[r * 77 + k])));
				tight += fabs(as_float(row[r][c].v) - x) <=
				         ldexp(amax, -mx_format_info(f)->man_bits - 1);
				mx_f32 want = mx_f32_scale(
					mx_elem_to_f32(f, (mx_elem){ code(&got.col, f, c, r) }),
					scale(&got.col, c, r / 32) - 127);
				bad += col[r][c].v != want.v;
			}
		result_free(&got);
	}
	ok(!bad, "dequantised codes are element times scale, and swapped strides transpose");
	ok(tight == MX_FORMATS * 50 * 77,
	   "quantised and dequantised, each element is within half an ulp at its block's amax");
	uint8_t codes[] = { 0x27 }, scales[] = { 0xFF };
	struct mx_quantised q = { codes, 1, scales, 1 };
	mx_f32 out[2];
	mx_dequantize(MX_E2M1, &q, 1, 2, out, 8, 4);
	bool nan = out[0].v == 0x7FC00000 && out[1].v == 0x7FC00000;
	scales[0] = 0xFE;
	mx_dequantize(MX_E2M1, &q, 1, 2, out, 8, 4);
	ok(nan && out[0].v == 0x7F800000 && out[1].v == 0x7F000000,
	   "scale NaN gives NaN; 6 * 2^127 overflows to infinity, 1 * 2^127 does not");
}

/* Each code with each scale, in a whole block, in a part of one, and down a column. */
static void test_every_code(void) {
	int bad = 0;
	for (int f = 0; f < MX_FORMATS; f++)
		for (int s = 0; s < 256; s++)
			for (int first = 0; first < 1 << mx_format_info(f)->bits; first += 16) {
				uint8_t codes[32] = { 0 }, scale = s;
				struct mx_quantised q = { codes, 32, &scale, 1 };
				mx_f32 row[32], part[31], column[64];
				for (int i = 0; i < 32; i++)
					mx_elem_set(f, codes, i, (mx_elem){ first + i % 16 });
				bad += mx_dequantize(f, &q, 1, 32, row, 128, 4) ||
				       mx_dequantize(f, &q, 1, 31, part, 124, 4) ||
				       mx_dequantize(f, &q, 1, 32, column, 4, 8);
				for (int i = 0; i < 32; i++) {
					mx_f32 x = mx_elem_to_f32(f, (mx_elem){ first + i % 16 });
					mx_f32 want = { 0x7FC00000 };
					if (s < 255)
						want = mx_f32_scale(x, s - 127);
					bad += row[i].v != want.v || column[2 * i].v != want.v ||
					       (i < 31 && part[i].v != want.v);
				}
			}
	ok(!bad, "every code with every scale is element times scale, rounded once");
}

/* ---- bad input ---- */

struct mishap {
	const char *what;
	mx_status want;
	struct setting s;
};

static int wrongs;

static void rejects(const char *what, mx_status want, const struct setting *s,
                    const struct mx_quantised *row, const struct mx_quantised *col) {
	mx_status fast = mx_quantize(&s->q, &s->x, row, col);
	mx_status plain = mx_quantize_plain(&s->q, &s->x, row, col);
	if ((fast != want || plain != want) && !wrongs++)
		diag("first wrong: %s: got %d and %d, want %d", what, fast, plain, want);
}

static void test_bad_input(void) {
	static uint8_t codes[64 * 64], scales[64 * 64];
	const struct mx_quantised o = { codes, 32, scales, 2 };
	const struct setting good = { .q = { .recipe = MX_RECIPE_FLOOR, .format = MX_E2M1 },
		                      .x = { words, MX_DTYPE_F32, 40, 48, 192, 4 } };
	const size_t groups[] = { 20, 20 };
	struct mx_quantised p;
	struct setting s;
	memset(codes, POISON, sizeof codes);
	memset(scales, POISON, sizeof scales);
#define REJECTS(what, want, change) (s = good, p = o, change, rejects(what, want, &s, &p, NULL))
	REJECTS("recipe", MX_BAD_RECIPE, s.q.recipe = MX_RECIPES);
	REJECTS("format", MX_BAD_FORMAT, s.q.format = MX_FORMATS);
	REJECTS("recipe not for format", MX_BAD_FORMAT,
	        (s.q.recipe = MX_RECIPE_TRITON, s.q.format = MX_E4M3));
	REJECTS("dtype", MX_BAD_OPTION, s.x.dtype = MX_DTYPES);
	REJECTS("block", MX_BAD_OPTION, s.q.block = 2);
	REJECTS("rounding", MX_BAD_OPTION, (s.q.override = true, s.q.rounding = 4));
	REJECTS("no random", MX_BAD_POINTER, (s.q.override = true, s.q.rounding = MX_SR));
	REJECTS("no data", MX_BAD_POINTER, s.x.data = NULL);
	REJECTS("no codes", MX_BAD_POINTER, p.codes = NULL);
	REJECTS("no scales", MX_BAD_POINTER, p.scales = NULL);
	REJECTS("overlapping rows", MX_BAD_STRIDE, p.row_bytes = 23);
	REJECTS("overlapping scales", MX_BAD_STRIDE, p.scale_row_bytes = 1);
	REJECTS("output overflow", MX_BAD_SHAPE, p.row_bytes = SIZE_MAX / 8);
	REJECTS("negative rows", MX_BAD_SHAPE, s.x.rows = (size_t)-1);
	REJECTS("negative cols", MX_BAD_SHAPE, s.x.cols = (size_t)-1);
	REJECTS("rows times stride", MX_BAD_SHAPE, s.x.row_bytes = PTRDIFF_MAX / 8);
	REJECTS("cols times stride", MX_BAD_SHAPE, s.x.col_bytes = PTRDIFF_MAX / 47 + 1);
	REJECTS("both strides", MX_BAD_SHAPE,
	        (s.x.row_bytes = PTRDIFF_MAX / 60, s.x.col_bytes = PTRDIFF_MAX / 80));
	REJECTS("most negative stride", MX_BAD_SHAPE, s.x.row_bytes = PTRDIFF_MIN);
	REJECTS("a stride of 1 byte", MX_BAD_STRIDE, s.x.col_bytes = 1);
	REJECTS("a stride of -3 bytes", MX_BAD_STRIDE, s.x.row_bytes = -3);
	REJECTS("padding overflow", MX_BAD_SHAPE, s.q.row_align = SIZE_MAX - 1);
	REJECTS("groups that do not add up", MX_BAD_SHAPE,
	        (s.q.group_rows = groups, s.q.groups = 2, s.x.rows = 39));
	REJECTS("groups of 32x32 blocks unaligned", MX_BAD_OPTION,
	        (s.q.group_rows = groups, s.q.groups = 2, s.q.block = MX_BLOCK_32X32));
	REJECTS("hadamard of 47", MX_BAD_SHAPE, (s.q.hadamard = true, s.x.cols = 47));
	s = good;
	s.q.hadamard = true;
	rejects("hadamard of 40 rows", MX_BAD_SHAPE, &s, NULL, &o);
	s = good;
	s.q.group_rows = groups;
	s.q.groups = 2;
	rejects("column-wise groups unaligned", MX_BAD_OPTION, &s, NULL, &o);
	p = o;
	p.row_bytes = 19;
	rejects("overlapping columns", MX_BAD_STRIDE, &good, &o, &p);
	rejects("no output", MX_BAD_POINTER, &good, NULL, NULL);
	wrongs += mx_quantize(NULL, &good.x, &o, NULL) != MX_BAD_POINTER;
	wrongs += mx_quantize(&good.q, NULL, &o, NULL) != MX_BAD_POINTER;
	ok(!wrongs, "bad input gives the status of its error");
	int touched = 0;
	for (size_t i = 0; i < sizeof codes; i++)
		touched += codes[i] != POISON || scales[i] != POISON;
	ok(!touched, "bad input writes nothing");
}

static void test_bad_dequantise(void) {
	uint8_t codes[64], scales[8];
	const struct mx_quantised q = { codes, 16, scales, 1 }, no = { NULL, 16, scales, 1 };
	mx_f32 out[4];
	ok(mx_dequantize(MX_FORMATS, &q, 2, 2, out, 8, 4) == MX_BAD_FORMAT &&
	           mx_dequantize(MX_E2M1, NULL, 2, 2, out, 8, 4) == MX_BAD_POINTER &&
	           mx_dequantize(MX_E2M1, &no, 2, 2, out, 8, 4) == MX_BAD_POINTER &&
	           mx_dequantize(MX_E2M1, &q, 2, 2, NULL, 8, 4) == MX_BAD_POINTER &&
	           mx_dequantize(MX_E2M1, &q, 2, 2, out, 4, 4) == MX_BAD_STRIDE &&
	           mx_dequantize(MX_E2M1, &q, 2, 2, out, 0, 4) == MX_BAD_STRIDE &&
	           mx_dequantize(MX_E2M1, &q, 2, 2, out, 2, 1) == MX_BAD_STRIDE &&
	           mx_dequantize(MX_E2M1, &q, 4, 2, out, SIZE_MAX / 2, 4) == MX_BAD_SHAPE &&
	           mx_dequantize(MX_E2M1, &q, 0, 9, NULL, 0, 0) == MX_OK,
	   "mx_dequantize refuses bad formats, pointers, strides and shapes");
}

static void test_empty(void) {
	struct setting s = { .q = { .recipe = MX_RECIPE_EVEN, .format = MX_E2M1, .row_align = 32 },
		             .x = { NULL, MX_DTYPE_F32, 0, 5, 20, 4 } };
	const struct mx_quantised none = { 0 };
	bool good = mx_quantize(&s.q, &s.x, &none, &none) == MX_OK;
	s.x.rows = 5;
	s.x.cols = 0;
	ok(good && mx_quantize(&s.q, &s.x, &none, &none) == MX_OK &&
	           mx_quantize_plain(&s.q, &s.x, &none, &none) == MX_OK,
	   "a tensor without elements gives no output");
}

int main(void) {
	int rounds = is_long() ? 200 : 2;
	test_both_axes_by_hand();
	test_tiles_by_hand();
	test_groups_by_hand();
	test_hadamard();
	test_hadamard_rounding();
	test_hadamard_specials();
	test_stochastic();
	test_dtypes();
	test_transpose();
	test_dequantise();
	test_every_code();
	for (int r = 0; r < MX_RECIPES; r++)
		test_fast(r, rounds);
	test_rows();
	test_portable();
	test_panels();
	test_large(MX_E2M1, MX_BLOCK_1X32);
	test_large(MX_E2M3, MX_BLOCK_32X32);
	test_portable_tiles();
	test_rounding_modes();
	test_threads();
	test_bad_input();
	test_bad_dequantise();
	test_empty();
	return done_testing();
}
