/* Data of the special regime: the ends of the ranges, and NaN in some rows.
 *
 * Every block of every row has +0, -0, and the smallest and the largest number of both signs. Of
 * its other elements a quarter are -0, a quarter are saturated, and half are any code.
 *
 * Each row draws its kind first. One NaN makes a whole row of results NaN, and one scale of 2^127
 * overflows most of them, so both occur in some rows only. Products of small by small, small by
 * huge and ordinary rows then still distinguish kernels. plant.c then adds rows with chosen
 * results. */
#include "fill.h"

#include <string.h>

enum { ORDINARY_SCALE = 127 - 8, ORDINARY_SCALES = 16 };

struct character {
	bool special_codes; /* infinity and NaN codes, if the format has them */
	uint8_t low, high;  /* extreme scale bytes, for a quarter of the blocks */
	size_t nan_block;   /* has scale 0xFF; SIZE_MAX: none */
};

static struct character draw_row(const struct operand *o, size_t row) {
	static const uint8_t extremes[4][2] = {
		{ 127, 127 },
		{ 0x00, 0x01 },
		{ 0xFE, 0xFE },
		{ 0x00, 0xFE },
	};
	struct draw d = draw_at(o->stream, DRAW_ROW, row, 0);
	const uint8_t *e = extremes[d.w[0] % 4];
	return (struct character){
		.special_codes = draw_below(d.w[1], 16) == 0,
		.low = e[0],
		.high = e[1],
		.nan_block = draw_below(d.w[2], 16) ? SIZE_MAX : d.w[3] % o->scales->cols,
	};
}

static uint8_t draw_scale(const struct operand *o, const struct character *c, size_t row,
                          size_t block) {
	struct draw d = draw_at(o->stream, DRAW_BLOCK, row, block);
	if (block == c->nan_block)
		return 0xFF;
	switch (d.w[0] % 8) {
	case 0: return c->low;
	case 1: return c->high;
	default: return ORDINARY_SCALE + d.w[1] % ORDINARY_SCALES;
	}
}

/* The codes of -0 and of the largest number. */
struct ends {
	unsigned sign, max;
};

static struct ends ends_of(mx_format f) {
	return (struct ends){ 1u << (mx_format_info(f)->bits - 1), max_finite_code(f) };
}

/* A quarter -0, a quarter saturated, half any code. */
static void draw_codes(struct ends e, const uint32_t bits[MX_BLOCK], bool special,
                       mx_elem codes[MX_BLOCK]) {
	unsigned most = special ? e.sign - 1 : e.max;
	for (size_t i = 0; i < MX_BLOCK; i++) {
		uint32_t uniform = bits[i] & (2 * e.sign - 1), kind = bits[i] >> 30;
		bool saturated = (kind == 1) | ((uniform & ~e.sign) > most);
		uint32_t code = saturated ? (uniform & e.sign) | e.max : uniform;
		codes[i].v = (uint8_t)(kind ? code : e.sign);
	}
}

/* The element for end i of a block: different elements; in a half block, not the pair that
 * meets. */
static size_t end_element(unsigned i, struct half half, uint32_t bits) {
	return half.is ? 2 * ((half.pair + 1 + i) % (MX_BLOCK / 2)) + half.odd
	               : (bits + 5 * i) % MX_BLOCK;
}

static void put_ends(struct ends e, struct half half, uint32_t bits, mx_elem codes[MX_BLOCK]) {
	const unsigned ends[] = { 0, e.sign, 1, e.sign | 1, e.max, e.sign | e.max };
	for (unsigned i = 0; i < sizeof ends / sizeof *ends; i++)
		codes[end_element(i, half, bits)].v = (uint8_t)ends[i];
}

static void fill_codes(const struct operand *o, size_t row, size_t block, struct half half,
                       bool special) {
	struct ends e = ends_of(o->format);
	mx_elem codes[MX_BLOCK];
	struct draw few[DRAW_FEW]; /* a word for each element */
	uint32_t bits[MX_BLOCK];
	draw_few(o->stream, DRAW_ELEMENT, row, block * DRAW_FEW, DRAW_FEW, few);
	memcpy(bits, few, sizeof bits);
	draw_codes(e, bits, special, codes);
	for (size_t i = !half.odd; half.is && i < MX_BLOCK; i += 2)
		codes[i].v = bits[i] >> 8 & 1 ? (uint8_t)e.sign : 0;
	struct draw d = draw_at(o->stream, DRAW_BLOCK, row, block);
	put_ends(e, half, d.w[2], codes);
	operand_put_block(o, row, block, codes);
}

void fill_plain_block(const struct operand *o, size_t row, size_t block, struct half half) {
	struct draw d = draw_at(o->stream, DRAW_BLOCK, row, block);
	*operand_scale(o, row, block) = ORDINARY_SCALE + d.w[1] % ORDINARY_SCALES;
	fill_codes(o, row, block, half, false);
}

static mx_status fill(const struct operand *o, const void *how) {
	(void)how;
	for (size_t row = o->from; row < o->to; row++) {
		struct character c = draw_row(o, row);
		for (size_t block = 0; block < o->scales->cols; block++) {
			*operand_scale(o, row, block) = draw_scale(o, &c, row, block);
			fill_codes(o, row, block, (struct half){ 0 }, c.special_codes);
		}
	}
	return MX_OK;
}

void fill_special(const struct operand *o) {
	fill_rows(o, fill, NULL);
}
