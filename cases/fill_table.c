/* Tables of a reference: indices and counts that a kernel follows.
 *
 * pages    Each row of the table has different pages of K and V, in random order. As long as there
 *          are enough, no two rows share one. Entries past the length of a batch are valid
 *          pages, too: a kernel may read them, but must not use them.
 * lengths  The first batch has all keys that it may have, the second a number that fills its last
 *          page (or any, without pages), the others any number from 1 on.
 * page_begin, last_page
 *          A list of pages has those of one batch after the other, at least one for each. The last
 *          page of the first batch is full, others have any number of keys from 1 on.
 * tokens   Each token has topk different experts. Sorted by expert, then by token; each expert
 *          begins with a new tile. The rest of a tile, and all after the last one, is padding: the
 *          number of tokens as token, with topk as position.
 * experts  The expert of each tile, and -1 after the last one.
 * count    The sorted rows with padding, and the tokens.
 * routing  The weight of each sorted row, 0 in padding. */
#include "draw.h"
#include "reference.h"

#include <stdlib.h>
#include <string.h>

static void put(const struct mx_buffer *b, uint8_t *bytes, size_t row, size_t col, uint32_t v) {
	size_t line = b->order == MX_ORDER_COL ? col : row,
	       i = b->order == MX_ORDER_COL ? row : col;
	memcpy(bytes + mx_buffer_data(b, line) + i * sizeof v, &v, sizeof v);
}

/* A random permutation of the numbers below n, one for each key: a Feistel network over an even
 * number of bits, repeated until the result is below n. */
static uint32_t permuted(struct stream s, size_t key, uint32_t n, uint32_t x) {
	unsigned half = 1;
	while (half < 16 && UINT64_C(1) << 2 * half < n)
		half++;
	uint32_t mask = (1u << half) - 1;
	do {
		for (uint32_t round = 0; round < 4; round++) {
			struct draw d = draw_at(s, DRAW_ROW, 4 * key + round, x & mask);
			x = (x & mask) << half | ((x >> half ^ d.w[0]) & mask);
		}
	} while (x >= n);
	return x;
}

static void draw_pages(const struct mx_plan *p, const struct mx_buffer *b, struct stream s,
                       uint8_t *bytes) {
	size_t rows = p->buffers[p->reference.slot[MX_SLOT_K]].rows;
	size_t pages = rows / p->reference.page;
	for (size_t row = 0; row < b->rows; row++)
		for (size_t col = 0; col < b->cols; col++) {
			bool enough = (row + 1) * b->cols <= pages;
			size_t x = enough ? row * b->cols + col : col;
			put(b, bytes, row, col,
			    permuted(s, enough ? 0 : row, (uint32_t)pages, (uint32_t)x));
		}
}

static void draw_lengths(const struct mx_plan *p, const struct mx_buffer *b, struct stream s,
                         uint8_t *bytes) {
	uint32_t most = (uint32_t)p->reference.keys;
	uint32_t page = p->reference.page ? (uint32_t)p->reference.page : 1;
	for (size_t col = 0; col < b->cols; col++) {
		uint32_t n = 1 + draw_below(draw_at(s, DRAW_ELEMENT, 0, col).w[0], most);
		if (col == 1)
			n = (n + page - 1) / page * page;
		put(b, bytes, 0, col, col ? n : most);
	}
}

/* Each batch gets about its share of the pages that are left, the last batch all of them. */
static void draw_begins(const struct mx_plan *p, const struct mx_buffer *b, struct stream s,
                        uint8_t *bytes) {
	size_t batch = p->reference.batch, at = 0;
	size_t left = p->buffers[p->reference.slot[MX_SLOT_PAGES]].cols - batch;
	for (size_t i = 0; i < batch; i++) {
		uint32_t share = (uint32_t)(2 * left / (batch - i) + 1);
		size_t more = draw_below(draw_at(s, DRAW_ELEMENT, 0, i).w[0], share);
		more = i + 1 == batch || more > left ? left : more;
		put(b, bytes, 0, i, (uint32_t)at);
		at += 1 + more;
		left -= more;
	}
	put(b, bytes, 0, batch, (uint32_t)at);
}

static void draw_last_pages(const struct mx_plan *p, const struct mx_buffer *b, struct stream s,
                            uint8_t *bytes) {
	uint32_t page = (uint32_t)p->reference.page;
	for (size_t col = 0; col < b->cols; col++) {
		uint32_t n = 1 + draw_below(draw_at(s, DRAW_ELEMENT, 0, col).w[0], page);
		put(b, bytes, 0, col, col ? n : page);
	}
}

/* ---- a mixture of experts ---- */

struct sorted {
	size_t rows; /* with padding; a multiple of a tile */
	uint32_t *id, *expert;
};

static uint32_t id_of(const struct mx_plan *p, size_t token, size_t slot) {
	size_t topk = p->reference.topk;
	return p->c->reference->ids == MX_IDS_FLAT ? (uint32_t)(token * topk + slot % topk)
	                                           : (uint32_t)(token | slot << 24);
}

/* The row after the last one of each expert. */
static void lay_experts(const struct mx_reference *r, struct stream s, size_t tokens, size_t *end) {
	for (size_t i = 0; i < tokens * r->topk; i++)
		end[permuted(s, i / r->topk, (uint32_t)r->n_experts, (uint32_t)(i % r->topk))]++;
	for (size_t e = 0, at = 0; e < r->n_experts; e++) {
		size_t rows = (end[e] + r->tile - 1) / r->tile * r->tile;
		end[e] = at;
		at += rows;
	}
}

/* x->id has a place for each column of the table, x->expert one for each of its tiles. */
static void sort_tokens(const struct mx_plan *p, uint64_t seed, size_t *end, struct sorted *x) {
	const struct mx_reference *r = &p->reference;
	const struct mx_buffer *table = &p->buffers[r->slot[MX_SLOT_TOKENS]];
	struct stream s = draw_stream(seed, p->c->name, table->name);
	size_t tokens = p->buffers[r->slot[MX_SLOT_X]].rows;
	for (size_t i = 0; i < table->cols; i++)
		x->id[i] = id_of(p, tokens, r->topk);
	memset(x->expert, 0xff, table->cols / r->tile * sizeof *x->expert);
	lay_experts(r, s, tokens, end);
	for (size_t i = 0; i < tokens * r->topk; i++) {
		uint32_t e =
			permuted(s, i / r->topk, (uint32_t)r->n_experts, (uint32_t)(i % r->topk));
		size_t row = end[e]++;
		x->id[row] = id_of(p, i / r->topk, i % r->topk);
		x->expert[row / r->tile] = e;
		size_t rows = (row / r->tile + 1) * r->tile;
		x->rows = rows > x->rows ? rows : x->rows;
	}
}

static float weight(mx_regime regime, struct draw d) {
	float power = (float)(1u << d.w[0] % 3) / 4;
	return regime == MX_REGIME_EXACT ? power : (float)(1 + (d.w[1] >> 9)) * 0x1p-23f;
}

static void put_sorted(const struct mx_plan *p, mx_slot slot, unsigned i, struct stream s,
                       const struct sorted *x, uint8_t *bytes) {
	const struct mx_buffer *b = &p->buffers[i];
	size_t tokens = p->buffers[p->reference.slot[MX_SLOT_X]].rows;
	uint32_t padding = id_of(p, tokens, p->reference.topk), bits;
	for (size_t col = 0; col < b->cols; col++) {
		float w = weight(p->regime, draw_at(s, DRAW_ELEMENT, 0, col));
		memcpy(&bits, &w, sizeof bits);
		uint32_t v = slot == MX_SLOT_TOKENS    ? x->id[col]
		             : slot == MX_SLOT_ROUTING ? (x->id[col] == padding ? 0 : bits)
		             : slot == MX_SLOT_COUNT   ? (uint32_t)(col ? tokens : x->rows)
		             : col * p->reference.tile < x->rows ? x->expert[col]
		                                                 : UINT32_MAX;
		put(b, bytes, 0, col, v);
	}
}

static int draw_sorted(const struct mx_plan *p, mx_slot slot, unsigned i, uint64_t seed,
                       uint8_t *bytes, struct mx_error *err) {
	const struct mx_reference *r = &p->reference;
	size_t cols = p->buffers[r->slot[MX_SLOT_TOKENS]].cols;
	struct sorted x = { 0, malloc(cols * sizeof *x.id),
		            malloc((cols / r->tile + 1) * sizeof *x.expert) };
	size_t *end = calloc(r->n_experts, sizeof *end);
	bool all = x.id && x.expert && end;
	if (all) {
		sort_tokens(p, seed, end, &x);
		put_sorted(p, slot, i, draw_stream(seed, p->c->name, p->buffers[i].name), &x,
		           bytes);
	}
	free(x.id);
	free(x.expert);
	free(end);
	return all ? 0 : mx_fail(err, "%s: out of memory", p->name);
}

bool reference_draws_table(int slot) {
	return reference_is_table(slot) || slot == MX_SLOT_ROUTING;
}

int fill_table(const struct mx_plan *p, mx_slot slot, unsigned i, uint64_t seed, uint8_t *bytes,
               struct mx_error *err) {
	const struct mx_buffer *b = &p->buffers[i];
	struct stream s = draw_stream(seed, p->c->name, b->name);
	switch (slot) {
	case MX_SLOT_PAGES: draw_pages(p, b, s, bytes); return 0;
	case MX_SLOT_LENGTHS: draw_lengths(p, b, s, bytes); return 0;
	case MX_SLOT_PAGE_BEGIN: draw_begins(p, b, s, bytes); return 0;
	case MX_SLOT_LAST_PAGE: draw_last_pages(p, b, s, bytes); return 0;
	default: return draw_sorted(p, slot, i, seed, bytes, err);
	}
}
