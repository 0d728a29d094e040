/* Operands in the order in which the fast kernels read them. */
#include "fast.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { BIAS = 127, NAN_SCALE = 0xff };

/* ---- codes ---- */

/* Digits to the base 128, from -64 to 63. */
static void split(int64_t sig, unsigned code, struct fast_codes *c) {
	enum { BASE = 128 };
	for (int i = 0; i < FAST_DIGITS_OF; i++) {
		int64_t digit = ((sig + BASE / 2) & (BASE - 1)) - BASE / 2;
		c->digit[i][code] = (int8_t)digit;
		sig = (sig - digit) / BASE;
	}
}

void fast_list_codes(const struct exact_format *f, struct fast_codes *c) {
	c->bits = f->bits;
	for (unsigned code = 0; code < 1u << f->bits; code++) {
		uint8_t packed[2] = { (uint8_t)code, 0 };
		unsigned flags = exact_element(f, packed, 0, &c->sig[code]);
		double x = flags & EXACT_NAN   ? NAN
		           : flags & EXACT_INF ? INFINITY
		                               : ldexp(llabs(c->sig[code]), exact_format_lsb(f));
		c->value[code] = flags & EXACT_NEGATIVE ? -x : x;
	}
	for (unsigned code = 0; code < 1u << f->bits; code++)
		split(c->sig[code], code, c);
	for (unsigned code = 0; code < 16; code++)
		c->nibble[code] = (int8_t)c->sig[code];
}

/* The packed bytes of a block; a block is whole bytes. */
static const uint8_t *block_bytes(const struct fast_codes *c, const uint8_t *row, size_t b,
                                  size_t k, uint8_t *copy) {
	size_t left = k - b * EXACT_BLOCK;
	row += b * EXACT_BLOCK / 8 * c->bits;
	if (left >= EXACT_BLOCK)
		return row;
	memset(copy, 0, EXACT_BLOCK);
	memcpy(copy, row, (left * c->bits + 7) / 8);
	for (size_t bit = left * c->bits; bit % 8; bit++)
		copy[bit / 8] &= (uint8_t) ~(1u << bit % 8);
	return copy;
}

void fast_unpack(const struct fast_codes *c, const uint8_t *row, size_t b, size_t k,
                 uint8_t code[EXACT_BLOCK]) {
	uint8_t copy[EXACT_BLOCK];
	const uint8_t *p = block_bytes(c, row, b, k, copy);
	if (c->bits == 8)
		memcpy(code, p, EXACT_BLOCK);
	for (int i = 0; c->bits == 4 && i < EXACT_BLOCK / 2; i++) {
		code[2 * i] = p[i] & 15;
		code[2 * i + 1] = p[i] >> 4;
	}
	for (int i = 0; c->bits == 6 && i < EXACT_BLOCK / 4; i++, p += 3) {
		code[4 * i] = p[0] & 63;
		code[4 * i + 1] = (uint8_t)(p[0] >> 6 | (p[1] & 15) << 2);
		code[4 * i + 2] = (uint8_t)(p[1] >> 4 | (p[2] & 3) << 4);
		code[4 * i + 3] = p[2] >> 2;
	}
}

/* ---- memory ---- */

static void *aligned(size_t bytes) {
	return aligned_alloc(64, (bytes + 64) / 64 * 64);
}

size_t fast_bytes_of(enum fast_layout layout) {
	return layout == FAST_WIDE     ? sizeof(double)
	       : layout == FAST_WORDS  ? sizeof(int16_t)
	       : layout == FAST_DIGITS ? FAST_DIGITS_OF
	                               : 1;
}

static bool allocate(struct fast_operand *x, size_t rows, size_t k, enum fast_layout layout) {
	x->rows = rows;
	x->tiles = (rows + FAST_TILE - 1) / FAST_TILE;
	x->blocks = (k + EXACT_BLOCK - 1) / EXACT_BLOCK;
	size_t blocks = x->tiles * x->blocks;
	x->range = calloc(x->tiles + 1, sizeof *x->range);
	if (layout == FAST_WIDE) {
		/* one more, which kernels may prefetch */
		x->wide = aligned((blocks + 1) * FAST_ELEMENTS * sizeof *x->wide);
		return x->wide && x->range;
	}
	if (layout == FAST_WORDS) {
		x->words = aligned(blocks * FAST_ELEMENTS * sizeof *x->words);
		x->wide = aligned(blocks * FAST_TILE * sizeof *x->wide);
		return x->words && x->wide && x->range;
	}
	x->bytes = aligned(blocks * FAST_ELEMENTS * fast_bytes_of(layout));
	x->factor = aligned(blocks * FAST_TILE * sizeof *x->factor);
	x->lift = aligned(blocks * FAST_TILE * sizeof *x->lift);
	return x->bytes && x->factor && x->lift && x->range;
}

static void drop(struct fast_operand *x) {
	free(x->bytes);
	free(x->words);
	free(x->wide);
	free(x->factor);
	free(x->lift);
	free(x->range);
}

void fast_free(struct fast_product *p) {
	drop(&p->a);
	drop(&p->b);
}

static void list_powers(struct fast_pack *p) {
	for (int scale = 0; scale < NAN_SCALE; scale++)
		p->power[scale] = ldexpf(1, scale - BIAS + p->unit);
	p->power[NAN_SCALE] = NAN;
}

enum exact_status fast_prepare(const struct exact_gemm *g, enum fast_layout layout,
                               struct fast_product *p, struct fast_pack pack[2]) {
	const struct exact_format *a = exact_format(g->a.format), *b = exact_format(g->b.format);
	*p = (struct fast_product){ 0 };
	enum exact_status status = exact_operand_check(&g->a, g->m, g->k, 1);
	if (!status)
		status = exact_operand_check(&g->b, g->n, g->k, 1);
	if (status)
		return status;
	if (!allocate(&p->a, g->m, g->k, layout) || !allocate(&p->b, g->n, g->k, layout))
		return EXACT_NO_MEMORY;
	pack[0] = (struct fast_pack){ &g->a, &p->a, .k = g->k, .layout = layout };
	pack[1] = (struct fast_pack){ &g->b, &p->b, .k = g->k, .layout = layout };
	pack[0].lsb = exact_format_lsb(a), pack[1].lsb = exact_format_lsb(b);
	pack[1].columns = true;
	p->unit = ldexp(1, pack[0].lsb + pack[1].lsb);
	if (layout < FAST_DIGITS)
		pack[1].unit = pack[0].lsb + pack[1].lsb;
	fast_list_codes(a, &pack[0].codes);
	fast_list_codes(b, &pack[1].codes);
	for (int i = 0; i < 2; i++)
		list_powers(&pack[i]);
	return EXACT_OK;
}

/* ---- bytes ---- */

typedef uint8_t lanes __attribute__((vector_size(16)));

/* table[index]; only gcc has a builtin for it. */
static lanes look_up(lanes table, lanes index) {
#ifdef __clang__
	lanes found;
	for (int i = 0; i < 16; i++)
		found[i] = table[index[i]];
	return found;
#else
	return __builtin_shuffle(table, index);
#endif
}

/* Sigs of 32 codes of 4 bits: two look-ups of 16, which alternate in two vectors. */
static void sigs_of_nibbles(const struct fast_codes *c, const uint8_t *bytes, int8_t *x) {
	lanes table, codes;
	memcpy(&table, c->nibble, sizeof table);
	memcpy(&codes, bytes, sizeof codes);
	lanes low = look_up(table, codes & 15);
	lanes high = look_up(table, codes >> 4);
	lanes first = __builtin_shufflevector(low, high, 0, 16, 1, 17, 2, 18, 3, 19, 4, 20, 5, 21,
	                                      6, 22, 7, 23);
	lanes second = __builtin_shufflevector(low, high, 8, 24, 9, 25, 10, 26, 11, 27, 12, 28, 13,
	                                       29, 14, 30, 15, 31);
	memcpy(x, &first, sizeof first);
	memcpy(x + sizeof first, &second, sizeof second);
}

/* x: 32 sigs; returns whether any is nonzero. */
static bool bytes_of(const struct fast_pack *p, const uint8_t *row, size_t b,
                     int8_t x[EXACT_BLOCK]) {
	uint8_t code[EXACT_BLOCK], copy[EXACT_BLOCK];
	uint64_t word[EXACT_BLOCK / 8];
	if (p->codes.bits == 4) {
		sigs_of_nibbles(&p->codes, block_bytes(&p->codes, row, b, p->k, copy), x);
	} else {
		fast_unpack(&p->codes, row, b, p->k, code);
		for (int i = 0; i < EXACT_BLOCK; i++)
			x[i] = (int8_t)p->codes.sig[code[i]];
	}
	memcpy(word, x, sizeof word);
	return word[0] | word[1] | word[2] | word[3];
}

static bool is_raised(const struct fast_pack *p) {
	return p->layout == FAST_RAISED || p->layout == FAST_ANY_SCALE;
}

static void place_bytes(const struct fast_pack *p, size_t at, size_t lane, const int8_t *x) {
	enum { QUAD = 4, RAISES = 0x40404040 };
	int8_t *to = p->to->bytes + at * FAST_ELEMENTS;
	uint32_t raise = is_raised(p) ? RAISES : 0;
	if (!p->columns) {
		memcpy(to + lane * EXACT_BLOCK, x, EXACT_BLOCK);
		return;
	}
	for (int q = 0; q < EXACT_BLOCK / QUAD; q++) {
		uint32_t four;
		memcpy(&four, x + q * QUAD, QUAD);
		/* adds without carries between bytes: |sig| is below 64 */
		four = ((four & 0x7f7f7f7f) + raise) ^ (four & 0x80808080);
		memcpy(to + (q * FAST_TILE + lane) * QUAD, &four, QUAD);
	}
}

static void include(struct fast_range *r, int exponent) {
	r->lowest = exponent < r->lowest ? exponent : r->lowest;
	r->highest = exponent > r->highest ? exponent : r->highest;
}

static int32_t sum_of(const int8_t *x) {
	int32_t sum = 0;
	for (int i = 0; i < EXACT_BLOCK; i++)
		sum += x[i];
	return sum;
}

/* A block of zeros adds zero for any scale, and so has factor 1, unless its scale is NaN. */
static void pack_bytes(const struct fast_pack *p, size_t tile, size_t b, size_t lane) {
	const struct exact_operand *o = p->operand;
	size_t at = tile * p->to->blocks + b, row = tile * FAST_TILE + lane;
	int8_t x[EXACT_BLOCK];
	int scale = BIAS;
	bool any = false;
	if (row < p->to->rows) {
		scale = o->scales[row * o->ld_scales + b];
		any = bytes_of(p, o->codes + row * o->ld, b, x);
	} else {
		memset(x, 0, sizeof x);
	}
	place_bytes(p, at, lane, x);
	if (is_raised(p) && !p->columns)
		p->to->lift[at * FAST_TILE + lane] = -FAST_RAISE * sum_of(x);
	bool counts = any || scale == NAN_SCALE;
	p->to->factor[at * FAST_TILE + lane] = counts ? p->power[scale] : 1;
	if (any && scale != NAN_SCALE)
		include(&p->to->range[tile], scale - BIAS + p->unit);
}

/* ---- wide ---- */

/* The bits of a block's elements, from lowest to highest. */
static uint64_t bits_of(const struct fast_pack *p, const uint8_t *code) {
	uint64_t bits = 0;
	for (int i = 0; i < EXACT_BLOCK; i++)
		bits |= (uint64_t)llabs(p->codes.sig[code[i]]);
	return bits;
}

/* The exponent of a unit is the sum of those of the scale and of the format's smallest step. */
static void note_spread(const struct fast_pack *p, size_t tile, uint64_t bits, int exponent) {
	struct fast_range *range = &p->to->range[tile];
	if (!bits)
		return;
	int low = __builtin_ctzll(bits), spread = 64 - __builtin_clzll(bits) - low;
	include(range, exponent + low);
	include(range, exponent + low + spread);
	range->spread = spread > range->spread ? spread : range->spread;
}

static void pack_wide(const struct fast_pack *p, size_t tile, size_t b, size_t lane) {
	const struct exact_operand *o = p->operand;
	size_t row = tile * FAST_TILE + lane, step = p->columns ? FAST_TILE : FAST_GROUP;
	double *to = p->to->wide + (tile * p->to->blocks + b) * FAST_ELEMENTS;
	uint8_t code[EXACT_BLOCK] = { 0 };
	int scale = BIAS;
	if (row < p->to->rows) {
		scale = o->scales[row * o->ld_scales + b];
		fast_unpack(&p->codes, o->codes + row * o->ld, b, p->k, code);
		if (scale != NAN_SCALE)
			note_spread(p, tile, bits_of(p, code), scale - BIAS + p->lsb);
	}
	double power = p->power[scale];
	to += p->columns ? lane : lane / FAST_GROUP * FAST_GROUP * EXACT_BLOCK + lane % FAST_GROUP;
	for (size_t i = 0; i < EXACT_BLOCK; i++)
		to[i * step] = p->codes.value[code[i]] * power;
}

/* ---- words ---- */

/* What a block's special elements make its factor and its tile. */
static int scale_of_specials(const struct fast_pack *p, size_t tile, const uint8_t *code,
                             int scale) {
	enum { MORE = FAST_WORD_BITS + 1 };
	bool special = false, infinite = false;
	for (int i = 0; i < EXACT_BLOCK; i++) {
		special |= !isfinite(p->codes.value[code[i]]);
		infinite |= isinf(p->codes.value[code[i]]);
	}
	if (infinite)
		p->to->range[tile].spread = MORE;
	return special ? NAN_SCALE : scale;
}

/* Significands without the low zero bits that all of a row have. A NaN makes the factor NaN. */
static void pack_words(const struct fast_pack *p, size_t tile, size_t b, size_t lane) {
	enum { PAIR = 2, PAIRS = EXACT_BLOCK / PAIR };
	const struct exact_operand *o = p->operand;
	size_t row = tile * FAST_TILE + lane, at = tile * p->to->blocks + b;
	size_t step = p->columns ? FAST_TILE : 1, first = p->columns ? lane : lane * PAIRS;
	uint8_t code[EXACT_BLOCK] = { 0 };
	int16_t x[EXACT_BLOCK], *to = p->to->words + at * FAST_ELEMENTS;
	int scale = BIAS;
	if (row < p->to->rows) {
		scale = o->scales[row * o->ld_scales + b];
		fast_unpack(&p->codes, o->codes + row * o->ld, b, p->k, code);
	}
	uint64_t bits = bits_of(p, code);
	int low = bits ? __builtin_ctzll(bits) : 0;
	if (scale != NAN_SCALE)
		note_spread(p, tile, bits, scale - BIAS + p->lsb);
	for (int i = 0; i < EXACT_BLOCK; i++)
		x[i] = (int16_t)(p->codes.sig[code[i]] >> low);
	for (size_t i = 0; i < PAIRS; i++)
		memcpy(to + (first + i * step) * PAIR, x + i * PAIR, sizeof *x * PAIR);
	scale = scale_of_specials(p, tile, code, scale);
	p->to->wide[at * FAST_TILE + lane] = ldexp((double)p->power[scale], p->lsb + low);
}

/* ---- digits ---- */

/* A block with a NaN has the factor NaN, which makes each of its dots NaN. */
static void pack_digits(const struct fast_pack *p, size_t tile, size_t b, size_t lane) {
	const struct exact_operand *o = p->operand;
	size_t row = tile * FAST_TILE + lane, at = tile * p->to->blocks + b;
	uint8_t code[EXACT_BLOCK] = { 0 };
	int scale = BIAS;
	if (row < p->to->rows) {
		scale = o->scales[row * o->ld_scales + b];
		fast_unpack(&p->codes, o->codes + row * o->ld, b, p->k, code);
		if (scale != NAN_SCALE)
			note_spread(p, tile, bits_of(p, code), scale - BIAS + p->lsb);
	}
	for (int digit = 0; digit < FAST_DIGITS_OF; digit++) {
		int8_t x[EXACT_BLOCK];
		for (int i = 0; i < EXACT_BLOCK; i++)
			x[i] = p->codes.digit[digit][code[i]];
		place_bytes(p, at * FAST_DIGITS_OF + digit, lane, x);
	}
	for (int i = 0; i < EXACT_BLOCK; i++)
		scale = isnan(p->codes.value[code[i]]) ? NAN_SCALE : scale;
	p->to->factor[at * FAST_TILE + lane] = p->power[scale];
}

void fast_pack_tile(const struct fast_pack *p, size_t tile) {
	enum { NO_EXPONENT = 1000 };
	p->to->range[tile] = (struct fast_range){ NO_EXPONENT, -NO_EXPONENT, 0 };
	for (size_t b = 0; b < p->to->blocks; b++)
		for (size_t lane = 0; lane < FAST_TILE; lane++)
			(p->layout == FAST_WIDE     ? pack_wide
			 : p->layout == FAST_DIGITS ? pack_digits
			 : p->layout == FAST_WORDS  ? pack_words
			                            : pack_bytes)(p, tile, b, lane);
}

/* ---- results ---- */

/* Rows of a fixed length, so that the compiler vectorises them. */
static void store_row(uint32_t *restrict to, const float *restrict acc, size_t n) {
	for (size_t j = 0; j < n; j++) {
		uint32_t bits;
		memcpy(&bits, &acc[j], sizeof bits);
		bool is_nan = (bits & 0x7fffffff) > 0x7f800000;
		to[j] = is_nan && bits != FAST_DOUBT ? 0x7fc00000 : bits;
	}
}

void fast_store(const struct fast_product *p, size_t tile, size_t strip, const float *acc) {
	size_t n = p->b.rows, row = tile * FAST_TILE, col = strip * FAST_TILE;
	for (size_t i = 0; i < FAST_TILE && row + i < p->a.rows; i++) {
		uint32_t *to = p->out + (row + i) * n + col;
		if (n - col >= FAST_TILE)
			store_row(to, acc + i * FAST_TILE, FAST_TILE);
		else
			store_row(to, acc + i * FAST_TILE, n - col);
	}
}
