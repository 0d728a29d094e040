/* The cells that the lanes of an operation access, as a mask for each shadow page.
 *
 * Lanes are taken by block: 64 cells, one word of a mask. A wave accesses few blocks, so each block
 * is one pass over all lanes, which the compiler makes a few vector instructions. */
#include "footprint.h"

#include <string.h>

enum { WIDTH = 8, PARTS = MX_LANES / WIDTH };

/* Eight lanes. */
typedef uint64_t eight __attribute__((vector_size(8 * WIDTH)));

struct lanes {
	eight block[PARTS];             /* of lanes that access nothing: UINT64_MAX */
	eight cell[PARTS], lane[PARTS]; /* one bit */
};

static uint64_t any_of(eight x) {
	uint64_t any = 0;
	for (unsigned i = 0; i < WIDTH; i++)
		any |= x[i];
	return any;
}

/* Whether all addresses are multiples of the size. */
static bool take(struct lanes *x, const uint64_t *address, uint64_t offset, uint64_t lanes,
                 unsigned log2) {
	eight low = { 0 }, bit = { 1, 2, 4, 8, 16, 32, 64, 128 }, one = bit - bit + 1;
	for (unsigned i = 0; i < PARTS; i++) {
		eight at;
		memcpy(&at, address + WIDTH * i, sizeof at);
		x->lane[i] = bit << WIDTH * i;
		eight idle = (eight)((x->lane[i] & lanes) == 0);
		at += offset;
		low |= at & ~idle;
		x->block[i] = at >> (log2 + 6) | idle;
		x->cell[i] = one << (at >> log2 & 63);
	}
	return !(any_of(low) & ((1u << log2) - 1));
}

/* The cells of a block, and the lanes in it; none is before `first`. */
static uint64_t cells_of(const struct lanes *x, unsigned first, uint64_t block, uint64_t *lanes) {
	eight cells = { 0 }, in = { 0 };
	for (unsigned i = first / WIDTH; i < PARTS; i++) {
		eight same = (eight)(x->block[i] == block);
		cells |= x->cell[i] & same;
		in |= x->lane[i] & same;
	}
	*lanes = any_of(in);
	return any_of(cells);
}

static struct mx_footprint_page *page_of(struct mx_footprint *f, uint64_t page) {
	unsigned i = f->n;
	while (i && f->page[i - 1].page != page)
		i--;
	if (i)
		return &f->page[i - 1];
	f->page[f->n] = (struct mx_footprint_page){ .page = page };
	return &f->page[f->n++];
}

/* One bit for each pair of bits; false if only one of a pair is set. */
static bool pairs_of(uint64_t bits, uint64_t *pairs) {
	uint64_t x = bits & 0x5555555555555555;
	if (x != (bits >> 1 & 0x5555555555555555))
		return false;
	x = (x | x >> 1) & 0x3333333333333333;
	x = (x | x >> 2) & 0x0f0f0f0f0f0f0f0f;
	x = (x | x >> 4) & 0x00ff00ff00ff00ff;
	x = (x | x >> 8) & 0x0000ffff0000ffff;
	*pairs = (x | x >> 16) & 0xffffffff;
	return true;
}

/* Adds the cells of a block. Those of parts of a dword become cells of whole dwords. */
static bool add(struct mx_footprint *f, uint64_t block, uint64_t cells, uint64_t lanes,
                unsigned log2) {
	unsigned at = block & ((16 >> log2) - 1);
	struct mx_footprint_page *p = page_of(f, block >> (4 - log2));
	p->lanes |= lanes;
	for (unsigned size = log2; size < 2; size++, at /= 2) {
		uint64_t pairs;
		if (!pairs_of(cells, &pairs))
			return false;
		cells = pairs << 32 * (at % 2);
	}
	p->cells[at] |= cells;
	return true;
}

bool MX_STEPPED(mx_footprint_make)(struct mx_footprint *f, const uint64_t address[MX_LANES],
                                   uint64_t offset, uint64_t lanes, unsigned bytes) {
	unsigned log2 = (unsigned)__builtin_ctz(bytes);
	struct lanes x;
	f->n = 0;
	if (!take(&x, address, offset, lanes, log2))
		return false;
	while (lanes) {
		unsigned first = (unsigned)__builtin_ctzll(lanes);
		uint64_t block = x.block[first / WIDTH][first % WIDTH], in;
		uint64_t cells = cells_of(&x, first, block, &in);
		if (!add(f, block, cells, in, log2))
			return false;
		lanes &= ~in;
	}
	return true;
}
