/* Layouts: every byte has its own slot, padding holds only the fill, and places are those of the
 * packers' reshape and transpose; broken packers are detected. */
#include "../../cases/layout.h"
#include "../tap.h"

#include <stdlib.h>
#include <string.h>

#define COUNT(a) (sizeof(a) / sizeof *(a))

static struct mx_error err;

/* ---- the second statement: view a padded matrix as a tensor, permute its axes ---- */

enum { AXES = 10 };

/* 0 in a shape: what is left of the rows, or of the columns. */
struct chain {
	const char *layout;
	unsigned rows, cols; /* axes that split them */
	size_t shape[AXES];
	unsigned order[AXES];
};

static const struct chain chains[] = {
	{ "row_major", 1, 1, { 0, 0 }, { 0, 1 } },
	{ "s32x8", 3, 3, { 0, 2, 16, 0, 2, 4 }, { 0, 3, 5, 2, 4, 1 } },
	{ "s32x8_256", 3, 3, { 0, 2, 16, 0, 2, 4 }, { 0, 3, 5, 2, 4, 1 } },
	{ "primus_16x4", 2, 2, { 0, 16, 0, 4 }, { 0, 2, 3, 1 } },
	/* tile_k 128, 256 and 512: 1, 2 and 4 steps of 4 columns in a tile */
	{ "flydsl_16", 3, 3, { 0, 1, 16, 0, 1, 4 }, { 0, 2, 3, 4, 1, 5 } },
	{ "flydsl_32", 3, 3, { 0, 2, 16, 0, 1, 4 }, { 0, 2, 3, 4, 1, 5 } },
	{ "flydsl_32", 3, 3, { 0, 2, 16, 0, 2, 4 }, { 0, 2, 3, 4, 1, 5 } },
	{ "flydsl_64", 3, 3, { 0, 4, 16, 0, 4, 4 }, { 0, 2, 3, 4, 1, 5 } },
	{ "flydsl_128", 3, 3, { 0, 8, 16, 0, 2, 4 }, { 0, 2, 3, 4, 1, 5 } },
	{ "iree_scale_m128_k256", 4, 3, { 0, 2, 4, 16, 0, 2, 4 }, { 0, 4, 1, 6, 3, 2, 5 } },
	{ "iree_scale_n256_k256", 4, 3, { 0, 2, 8, 16, 0, 2, 4 }, { 0, 4, 1, 6, 3, 2, 5 } },
	{ "iree_scale_m64_k512", 3, 3, { 0, 4, 16, 0, 4, 4 }, { 0, 3, 1, 5, 2, 4 } },
	{ "iree_scale_n128_k512", 4, 3, { 0, 4, 2, 16, 0, 4, 4 }, { 0, 4, 1, 2, 6, 3, 5 } },
	{ "preshuffle_16x16", 2, 3, { 0, 16, 0, 2, 16 }, { 0, 2, 3, 1, 4 } }, /* AITER, Wave */
	{ "preshuffle_16x16", 2, 2, { 0, 16, 0, 16 }, { 0, 2, 1, 3 } },       /* FlyDSL */
	{ "preshuffle_16x24", 2, 2, { 0, 16, 0, 24 }, { 0, 2, 1, 3 } },
	{ "paged_v_128x32", 2, 3, { 0, 128, 0, 2, 16 }, { 2, 0, 3, 1, 4 } },
	{ "iree_m128_k256", 4, 4, { 0, 2, 4, 16, 0, 2, 4, 16 }, { 0, 4, 1, 2, 5, 6, 3, 7 } },
	{ "iree_n256_k256", 4, 4, { 0, 2, 8, 16, 0, 2, 4, 16 }, { 0, 4, 1, 2, 5, 6, 3, 7 } },
	{ "iree_m64_k512", 3, 4, { 0, 4, 16, 0, 4, 4, 16 }, { 0, 3, 1, 4, 5, 2, 6 } },
	{ "iree_n128_k512", 4, 4, { 0, 4, 2, 16, 0, 4, 4, 16 }, { 0, 4, 1, 2, 5, 6, 3, 7 } },
	{ "iree_c_m128_n256",
	  5,
	  5,
	  { 0, 2, 4, 4, 4, 0, 2, 8, 16, 4 },
	  { 0, 5, 1, 6, 2, 7, 3, 8, 4, 9 } },
	{ "iree_c_m64_n128",
	  5,
	  5,
	  { 0, 2, 2, 4, 4, 0, 4, 2, 16, 4 },
	  { 0, 5, 1, 6, 2, 7, 3, 8, 4, 9 } },
};

static void complete(size_t *shape, unsigned n, size_t size) {
	size_t known = 1;
	for (unsigned i = 1; i < n; i++)
		known *= shape[i];
	shape[0] = size / known;
}

/* The slot of (row, col) after view and permute: each axis has a coordinate, and a stride in
 * the permuted tensor. */
static size_t chained(const struct chain *c, size_t rows, size_t cols, size_t row, size_t col) {
	unsigned n = c->rows + c->cols;
	size_t shape[AXES], at[AXES], slot = 0;
	memcpy(shape, c->shape, sizeof shape);
	complete(shape, c->rows, rows);
	complete(shape + c->rows, c->cols, cols);
	for (unsigned i = c->rows; i-- > 0; row /= shape[i])
		at[i] = row % shape[i];
	for (unsigned i = n; i-- > c->rows; col /= shape[i])
		at[i] = col % shape[i];
	for (unsigned i = 0; i < n; i++)
		slot = slot * shape[c->order[i]] + at[c->order[i]];
	return slot;
}

static bool agrees(const struct chain *c, size_t rows, size_t cols) {
	struct mx_packing_spec spec = { .layout = c->layout, .pad_cols = 0 };
	struct mx_packing p;
	size_t unit = 1; /* of columns: the chain may need more than the layout */
	for (unsigned i = c->rows + 1; i < c->rows + c->cols; i++)
		unit *= c->shape[i];
	spec.pad_cols = unit;
	if (mx_packing_make(&p, &spec, rows, cols, &err))
		return diag("%s", err.text), false;
	size_t slot = p.bytes / (p.padded_rows * p.padded_cols);
	for (size_t r = 0; r < rows; r++)
		for (size_t k = 0; k < cols; k++)
			if (mx_packing_at(&p, r, k) !=
			    slot * chained(c, p.padded_rows, p.padded_cols, r, k))
				return diag("%zu x %zu: place of (%zu, %zu)", rows, cols, r, k),
				       false;
	return true;
}

static void test_chains(void) {
	for (size_t i = 0; i < COUNT(chains); i++)
		ok(agrees(&chains[i], 1, 1) && agrees(&chains[i], 257, 96) &&
		           agrees(&chains[i], 130, 531),
		   "%s (chain %zu) has the places of view and permute", chains[i].layout, i);
	const struct mx_layout *l;
	for (unsigned i = 0; (l = mx_layout_at(i)); i++) {
		bool has = !strcmp(mx_layout_name(l), "s32x8_wave"); /* s32x8, cropped; below */
		for (size_t j = 0; j < COUNT(chains); j++)
			has |= !strcmp(chains[j].layout, mx_layout_name(l));
		ok(has && mx_layout_by_name(mx_layout_name(l)) == l, "%s has a chain and its name",
		   mx_layout_name(l));
	}
}

/* The index formulas of kernels. */
static void test_formulas(void) {
	struct mx_packing s, p;
	bool good = !mx_packing_make(&s, &(struct mx_packing_spec){ "s32x8_256" }, 300, 21, &err) &&
	            !mx_packing_make(&p, &(struct mx_packing_spec){ "primus_16x4" }, 300, 21, &err);
	for (size_t r = 0; good && r < 300; r++)
		for (size_t c = 0; good && c < 21; c++)
			good = mx_packing_at(&s, r, c) == r / 32 * (24 / 8 * 256) + c / 8 * 256 +
			                                          c % 4 * 64 + r % 16 * 4 +
			                                          c % 8 / 4 * 2 + r % 32 / 16 &&
			       mx_packing_at(&p, r, c) ==
			               4 * (r / 16 * 16 * 24 + c / 4 * 64 + c % 4 * 16 + r % 16);
	ok(good && s.bytes == 512 * 24 && p.bytes == 4 * 304 * 24,
	   "S32x8 and Primus 16x4 agree with their index formulas");
}

/* ---- properties of every packer ---- */

typedef void packer(const struct mx_packing *p, const uint8_t *src, size_t ld, uint8_t *packed);

enum { PROBES = 3, MARGIN = 4096, DIRT = 0xA5 };

struct flaw {
	char property[160], place[160];
};

static void note(char *flaw, const char *format, size_t a, size_t b, size_t c) {
	if (!*flaw)
		snprintf(flaw, 160, format, a, b, c);
}

/* A byte has 8 bits, so three packings give each element a distinct number. */
static void probe(const struct mx_packing *p, packer *pack, size_t ld, uint8_t *out[PROBES]) {
	uint8_t *src = malloc(p->rows * ld);
	for (int i = 0; i < PROBES; i++) {
		memset(src, DIRT, p->rows * ld);
		for (size_t r = 0; r < p->rows; r++)
			for (size_t c = 0; c < p->cols; c++)
				src[r * ld + c] = (r * p->cols + c + 1) >> 8 * i;
		memset(out[i], DIRT, p->bytes + MARGIN);
		pack(p, src, ld, out[i]);
	}
	free(src);
}

/* The number in a slot; -1 if the slot is not a zero-extended byte. */
static long number(uint8_t *const out[PROBES], size_t at, size_t slot) {
	long id = 0;
	for (int i = 0; i < PROBES; i++) {
		id |= (long)out[i][at] << 8 * i;
		for (size_t b = 1; b < slot; b++)
			if (out[i][at + b])
				return -1;
	}
	return id;
}

static bool is_fill(const struct mx_packing *p, uint8_t *const out[PROBES], size_t at,
                    size_t slot) {
	bool poison = p->fill == MX_FILL_POISON, good = true;
	for (int i = 0; i < PROBES; i++)
		for (size_t b = 0; b < slot; b++)
			good &= out[i][at + b] == (poison ? 0xFF : b ? 0 : p->fill);
	return good;
}

/* Every element once, the rest fill, nothing after the end; then whether places are right. */
static void examine(const struct mx_packing *p, uint8_t *const out[PROBES], struct flaw *f) {
	size_t slot = p->bytes / (p->padded_rows * p->padded_cols), n = p->rows * p->cols;
	unsigned *seen = calloc(n + 1, sizeof *seen);
	for (size_t at = 0; at < p->bytes; at += slot) {
		long id = number(out, at, slot);
		bool fill = is_fill(p, out, at, slot);
		size_t row, col;
		bool valid = mx_packing_from(p, at, &row, &col);
		if (id >= 1 && (size_t)id <= n)
			seen[id]++;
		else if (!fill)
			note(f->property, "slot at byte %zu is neither element nor fill", at, 0, 0);
		if (valid && (size_t)id != row * p->cols + col + 1)
			note(f->place, "byte %zu is not (%zu, %zu)", at, row, col);
		else if (!valid && !fill)
			note(f->place, "padding at byte %zu is not the fill", at, 0, 0);
	}
	for (size_t i = 1; i <= n; i++)
		if (seen[i] != 1)
			note(f->property, "(%zu, %zu) stands in %zu slots", (i - 1) / p->cols,
			     (i - 1) % p->cols, seen[i]);
	for (int i = 0; i < PROBES; i++)
		for (size_t at = p->bytes; at < p->bytes + MARGIN; at++)
			if (out[i][at] != DIRT)
				note(f->property,
				     "byte %zu is written, after the %zu of the buffer", at,
				     p->bytes, 0);
	free(seen);
}

static struct flaw flaws(const struct mx_packing *p, packer *pack) {
	struct flaw f = { "", "" };
	uint8_t *out[PROBES];
	for (int i = 0; i < PROBES; i++)
		out[i] = malloc(p->bytes + MARGIN);
	probe(p, pack, p->cols + 5, out);
	examine(p, out, &f);
	for (int i = 0; i < PROBES; i++)
		free(out[i]);
	return f;
}

static bool comes_back(const struct mx_packing *p) {
	size_t n = p->rows * p->cols, ld = p->cols + 3;
	uint8_t *x = calloc(p->rows, ld), *y = calloc(p->rows, ld), *packed = malloc(p->bytes);
	for (size_t i = 0; i < n; i++)
		x[i / p->cols * ld + i % p->cols] = (uint8_t)(i * 2654435761u >> 13);
	mx_pack(p, x, ld, packed);
	mx_unpack(p, packed, y, ld);
	bool same = !memcmp(x, y, p->rows * ld);
	free(x);
	free(y);
	free(packed);
	return same;
}

static bool runs_agree(const struct mx_packing *p) {
	size_t first, end, row, col, padding = 0;
	for (size_t from = 0; mx_packing_padding(p, from, &first, &end); from = end) {
		padding += end - first;
		if (mx_packing_from(p, first, &row, &col) || (first && first == from) ||
		    (first && !mx_packing_from(p, first - 1, &row, &col)))
			return false;
	}
	size_t slot = p->bytes / (p->padded_rows * p->padded_cols);
	return padding == p->bytes - p->rows * p->cols * slot;
}

static void test_properties(void) {
	static const size_t shapes[][2] = { { 1, 1 },    { 13, 12 },   { 33, 8 },   { 127, 9 },
		                            { 257, 36 }, { 300, 130 }, { 256, 256 } };
	static const unsigned fills[] = { 0, 127, 0xA7, MX_FILL_POISON };
	const struct mx_layout *l;
	for (unsigned i = 0; (l = mx_layout_at(i)); i++) {
		bool good = true;
		for (size_t s = 0; s < COUNT(shapes); s++) {
			struct mx_packing p;
			struct mx_packing_spec spec = { mx_layout_name(l), .fill = fills[s % 4] };
			bool wave = !strcmp(spec.layout, "s32x8_wave");
			if (wave && (shapes[s][0] % 32 || shapes[s][1] % 8))
				continue;
			if (mx_packing_make(&p, &spec, shapes[s][0], shapes[s][1], &err)) {
				diag("%s", err.text);
				good = false;
				continue;
			}
			struct flaw f = flaws(&p, mx_pack);
			if (*f.property || *f.place || !comes_back(&p) || !runs_agree(&p)) {
				diag("%zu x %zu: %s; %s", p.rows, p.cols, f.property, f.place);
				good = false;
			}
		}
		ok(good,
		   "%s: a slot for each byte, fill in the others, and unpacking restores the bytes",
		   mx_layout_name(l));
	}
}

/* Three matrices of 256 x 8 bytes, 64 bytes apart, and 32 bytes of slack. */
static void test_gaps(void) {
	static const size_t want[][2] = { { 2048, 2112 }, { 4160, 4224 }, { 6272, 6304 } };
	struct mx_buffer b = {
		.lines = 3, .plane_lines = 1, .plane = 2048 + 64, .bytes = 3 * 2048 + 2 * 64 + 32
	};
	struct mx_packing_spec spec = { "s32x8", .fill = 0 };
	size_t first, end, n = 0, right = 0;
	need(!mx_packing_make(&b.packing, &spec, 256, 8, &err), err.text);
	for (size_t from = 0; mx_buffer_unpacked(&b, from, &first, &end); from = end, n++)
		right += n < COUNT(want) && first == want[n][0] && end == want[n][1];
	ok(n == 3 && right == 3, "gaps between matrices, and slack, are no elements");
}

/* ---- impossible layouts ---- */

static void test_errors(void) {
	static const struct {
		const char *sentence;
		struct mx_packing_spec spec;
		size_t rows, cols;
		const char *want;
	} t[] = {
		{ "an unknown layout", { "s32x9" }, 1, 1, "no layout 's32x9'" },
		{ "rows padded to 48",
		  { "s32x8", .pad_rows = 48 },
		  1,
		  1,
		  "layout s32x8 pads rows to a multiple of 32, but 48 is not one" },
		{ "columns padded to 4",
		  { "s32x8", .pad_cols = 4 },
		  1,
		  1,
		  "layout s32x8 pads columns to a multiple of 8, but 4 is not one" },
		{ "a fill of 258", { "s32x8", .fill = 258 }, 1, 1, "fill 258 is not a byte" },
		{ "rows that round up over 64 bits",
		  { "s32x8" },
		  SIZE_MAX - 3,
		  1,
		  "layout s32x8: 18446744073709551612 x 1 bytes take more than 2^63" },
		{ "a product over 64 bits",
		  { "preshuffle_16x16" },
		  (size_t)1 << 33,
		  (size_t)1 << 33,
		  "layout preshuffle_16x16: 8589934592 x 8589934592 bytes take more than 2^63" },
		{ "bytes over 63 bits",
		  { "row_major" },
		  (size_t)1 << 63,
		  1,
		  "layout row_major: 9223372036854775808 x 1 bytes take more than 2^63" },
		{ "slots over 64 bits",
		  { "primus_16x4" },
		  (size_t)1 << 31,
		  (size_t)1 << 31,
		  "layout primus_16x4: 2147483648 x 2147483648 bytes take more than 2^63" },
		{ "rows that Wave's crop loses",
		  { "s32x8_wave" },
		  48,
		  8,
		  "layout s32x8_wave crops 48 x 8 scales out of 256 x 8, which loses 64 of 384" },
		{ "columns that Wave's crop loses",
		  { "s32x8_wave" },
		  32,
		  12,
		  "layout s32x8_wave crops 32 x 12 scales out of 256 x 16, which loses 96 of "
		  "384" },
	};
	struct mx_packing p;
	for (size_t i = 0; i < COUNT(t); i++) {
		err.text[0] = 0;
		int rc = mx_packing_make(&p, &t[i].spec, t[i].rows, t[i].cols, &err);
		if (!ok(rc == -1 && !strcmp(err.text, t[i].want), "%s: one clear error",
		        t[i].sentence))
			diag("%d: %s", rc, err.text);
	}
	ok(!mx_packing_make(&p, &(struct mx_packing_spec){ "s32x8" }, (size_t)1 << 34, 1 << 20,
	                    &err) &&
	           p.bytes == (size_t)1 << 54 &&
	           mx_packing_at(&p, ((size_t)1 << 34) - 1, (1 << 20) - 1) == p.bytes - 1,
	   "sizes over 2^32 are exact");
}

/* ---- packers with one bug each: each must differ from mx_pack ---- */

/* Scatters like a kernel's packer with this index, in a buffer of the right size. */
#define BROKEN(name, index)                                                                        \
	static void name(const struct mx_packing *p, const uint8_t *src, size_t ld,                \
	                 uint8_t *packed) {                                                        \
		size_t Kp = p->padded_cols, K = p->cols, Rp = p->padded_rows;                      \
		(void)Kp, (void)K, (void)Rp;                                                       \
		memset(packed, p->fill, p->bytes);                                                 \
		for (size_t r = 0; r < p->rows; r++)                                               \
			for (size_t c = 0; c < p->cols; c++)                                       \
				packed[index] = src[r * ld + c];                                   \
	}

#define IN_TILE (c % 4 * 64 + r % 16 * 4 + c % 8 / 4 * 2 + r % 32 / 16)

/* L1: blocks are counted from the end of the padded width: right if K % 256 is 0. */
BROKEN(wrong_block, r / 32 * (Kp / 8 * 256) + (c + 8 * Kp - K) % Kp / 8 * 256 + IN_TILE)
/* L2 */
BROKEN(valid_width, r / 32 * (K * 32) + c / 8 * 256 + IN_TILE)
/* L4: tiles counted down the rows first. */
BROKEN(mixed_dims, c / 8 * (Rp / 32 * 256) + r / 32 * 256 + IN_TILE)

/* L3 */
static void filled_127(const struct mx_packing *p, const uint8_t *src, size_t ld, uint8_t *packed) {
	struct mx_packing other = *p;
	other.fill = 127;
	mx_pack(&other, src, ld, packed);
}

static void not_filled(const struct mx_packing *p, const uint8_t *src, size_t ld, uint8_t *packed) {
	for (size_t r = 0; r < p->rows; r++)
		for (size_t c = 0; c < p->cols; c++)
			packed[mx_packing_at(p, r, c)] = src[r * ld + c];
}

/* L5: a dword of scales is shifted to the wanted byte, and the others stay above it. */
static void not_masked(const struct mx_packing *p, const uint8_t *src, size_t ld, uint8_t *packed) {
	mx_pack(p, src, ld, packed);
	for (size_t r = 0; r < p->rows; r++)
		for (size_t c = 0; c < p->cols; c++) {
			uint32_t dword;
			memcpy(&dword, src + r * ld + c / 4 * 4, sizeof dword);
			dword >>= 8 * (c % 4);
			memcpy(packed + mx_packing_at(p, r, c), &dword, sizeof dword);
		}
}

/* L9: pads to 256 x 8, packs, and stores the first rows x cols of it. */
static void cropped(const struct mx_packing *p, const uint8_t *src, size_t ld, uint8_t *packed) {
	struct mx_packing whole;
	mx_packing_make(&whole, &(struct mx_packing_spec){ "s32x8_256", .fill = p->fill }, p->rows,
	                p->cols, &err);
	uint8_t *all = malloc(whole.bytes);
	mx_pack(&whole, src, ld, all);
	memset(packed, p->fill, p->bytes);
	for (size_t r = 0; r < p->rows; r++)
		memcpy(packed + r * p->cols, all + r * whole.padded_cols, p->cols);
	free(all);
}

static void test_bugs(void) {
	static const struct {
		const char *id, *bug;
		packer *pack;
		const char *layout;
		size_t rows, cols, good_rows,
			good_cols; /* shapes with a wrong and a right result */
	} t[] = {
		{ "L1", "scales of the wrong block where K % 256 != 0", wrong_block, "s32x8", 64,
		  12, 64, 16 },
		{ "L2", "row-group stride of the valid width", valid_width, "s32x8", 64, 12, 64,
		  16 },
		{ "L3", "padding filled with 127 for 0", filled_127, "s32x8", 48, 12, 64, 16 },
		{ "L3", "padding not initialised", not_filled, "s32x8", 48, 12, 64, 16 },
		{ "L4", "logical for physical dims: tiles by columns", mixed_dims, "s32x8", 96, 24,
		  32, 8 },
		{ "L5", "sub-dword extract without a mask", not_masked, "primus_16x4", 16, 8, 0,
		  0 },
		{ "L9", "cropped to the valid size", cropped, "s32x8", 48, 8, 64, 16 },
	};
	diag("id  found by           what is wrong: first place");
	for (size_t i = 0; i < COUNT(t); i++) {
		struct mx_packing p;
		mx_packing_make(&p, &(struct mx_packing_spec){ t[i].layout }, t[i].rows, t[i].cols,
		                &err);
		struct flaw f = flaws(&p, t[i].pack);
		diag("%-3s %-18s %s: %s", t[i].id, *f.property ? "property, place" : "place",
		     t[i].bug, *f.property ? f.property : f.place);
		ok(*f.place, "%s is flagged: %s", t[i].id, t[i].bug);
		if (!t[i].good_rows)
			continue;
		mx_packing_make(&p, &(struct mx_packing_spec){ t[i].layout }, t[i].good_rows,
		                t[i].good_cols, &err);
		f = flaws(&p, t[i].pack);
		ok(!*f.property && !*f.place,
		   "and at %zu x %zu, where the bug has no effect, it is not", t[i].good_rows,
		   t[i].good_cols);
	}
}

/* A fill of one byte, in slots of `slot` bytes, would have one value. */
static void random_fill(const char *layout, size_t slot) {
	struct mx_packing p;
	struct mx_error err;
	uint8_t element = 0, packed[1024];
	unsigned n = 0, extended = 0;
	bool seen[256] = { false };
	mx_packing_make(&p, &(struct mx_packing_spec){ layout, .fill = MX_FILL_RANDOM }, 1, 1,
	                &err);
	mx_pack(&p, &element, 1, packed);
	for (size_t at = slot; at < p.bytes; at++) {
		extended += at % slot && packed[at];
		n += at % slot == 0 && !seen[packed[at]];
		seen[packed[at]] = true;
	}
	ok(n > 32 && !extended, "%s: a random fill has %u values in slots of %zu bytes", layout, n,
	   slot);
}

int main(void) {
	test_chains();
	test_formulas();
	test_properties();
	test_gaps();
	test_errors();
	test_bugs();
	random_fill("s32x8", 1);
	random_fill("primus_16x4", 4);
	return done_testing();
}
