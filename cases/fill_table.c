/* Tables of a reference: indices and counts that a kernel follows.
 *
 * pages    Each row of the table has different pages of K and V, in random order. As long as there
 *          are enough, no two rows share one. Entries after the pages that a length needs are pages
 *          too, which a kernel may read, but not use.
 * lengths  The first batch has all keys that it may have, the second a number that fills its last
 *          page (or any, without pages), the others any number from 1 on. */
#include "draw.h"
#include "reference.h"

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

void fill_table(const struct mx_plan *p, mx_slot slot, unsigned i, uint64_t seed, uint8_t *bytes) {
	const struct mx_buffer *b = &p->buffers[i];
	struct stream s = draw_stream(seed, p->c->name, b->name);
	if (slot == MX_SLOT_PAGES)
		draw_pages(p, b, s, bytes);
	else
		draw_lengths(p, b, s, bytes);
}
