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

static inline __attribute__((always_inline)) uint64_t any_of(eight x) {
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

static bool make(struct mx_footprint *f, const uint64_t address[MX_LANES], uint64_t offset,
                 uint64_t lanes, unsigned bytes) {
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

/* ---- the same lanes elsewhere ---- */

/* Whether the first `parts` eights of lanes are `from` away; those that are not in `lanes` may be
 * anywhere. The last two are constants where this is called. */
static inline __attribute__((always_inline)) bool are_away(const uint64_t *at,
                                                           const uint64_t *address, uint64_t from,
                                                           uint64_t lanes, unsigned parts,
                                                           bool all) {
	eight differs = { 0 }, bit = { 1, 2, 4, 8, 16, 32, 64, 128 };
	for (unsigned i = 0; i < parts; i++) {
		eight now, then;
		memcpy(&now, address + WIDTH * i, sizeof now);
		memcpy(&then, at + WIDTH * i, sizeof then);
		eight other = (now - then) ^ from;
		differs |= all ? other : other & (eight)((bit << WIDTH * i & lanes) != 0);
	}
	return !any_of(differs);
}

/* Whether each lane of the footprint is `distance` away. */
static bool is_moved(const struct mx_footprint *f, const uint64_t *address, uint64_t offset,
                     uint64_t *distance) {
	unsigned first = (unsigned)__builtin_ctzll(f->lanes);
	uint64_t from = address[first] - f->at[first];
	*distance = from + offset - f->moved;
	if (f->lanes == ~0ull)
		return are_away(f->at, address, from, f->lanes, PARTS, true);
	if (f->lanes == UINT32_MAX)
		return are_away(f->at, address, from, f->lanes, PARTS / 2, true);
	return are_away(f->at, address, from, f->lanes, PARTS, false);
}

/* Shifts the cells of a page up, those past its end to its start. Returns whether all or none are
 * past its end: *past. */
static bool rotate(mx_cells *cells, unsigned words, unsigned shift, bool *past) {
	unsigned up = shift / 64, bits = shift % 64;
	mx_cells from = *cells, wrapped = { 0 };
	for (unsigned i = 0; i < words; i++) {
		uint64_t low = from[(i - up - 1) & (words - 1)],
			 high = from[(i - up) & (words - 1)];
		uint64_t to = bits ? high << bits | low >> (64 - bits) : high;
		(*cells)[i] = to;
		wrapped[i] = i < up ? to : i == up ? to & ((1ull << bits) - 1) : 0;
	}
	*past = mx_cells_any(wrapped);
	return !*past || !mx_cells_any(wrapped ^ *cells);
}

/* Moves a footprint. False if cells of one page come to be in two. */
static bool move(struct mx_footprint *f, uint64_t distance) {
	unsigned unit = f->bytes < 4 ? 4 : f->bytes, words = MX_RACE_PAGE / unit / 64;
	unsigned shift = distance % MX_RACE_PAGE / unit;
	bool past, any = false;
	if (distance % unit)
		return false;
	f->moved += distance;
	for (unsigned i = 0; !shift && i < f->n; i++)
		f->page[i].page += (uint64_t)((int64_t)distance >> __builtin_ctz(MX_RACE_PAGE));
	for (unsigned i = 0; shift && i < f->n; i++) {
		if (!rotate(&f->page[i].cells, words, shift, &past) || (i && past != any))
			return false;
		any = past;
		f->page[i].page += (uint64_t)((int64_t)distance >> __builtin_ctz(MX_RACE_PAGE));
		f->page[i].page += past;
	}
	return true;
}

bool MX_STEPPED(mx_footprint_make)(struct mx_footprint *f, const uint64_t address[MX_LANES],
                                   uint64_t offset, uint64_t lanes, unsigned bytes) {
	uint64_t distance;
	bool same = f->lanes && f->lanes == lanes && f->bytes == bytes &&
	            is_moved(f, address, offset, &distance);
	if (same && (!distance || move(f, distance)))
		return true;
	bool is = make(f, address, offset, lanes, bytes);
	f->lanes = is ? lanes : 0;
	f->bytes = bytes;
	f->moved = 0;
	for (unsigned l = 0; is && l < MX_LANES; l++)
		f->at[l] = address[l] + offset;
	return is;
}
