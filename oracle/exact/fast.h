/* Whole block32 products by vector units, with the bits of the walk of exact_gemm.c.
 *
 * Bytes. Elements of at most 60 units of their format's smallest step (E2M1, E2M3) are integers,
 * sig. A 32-block's dot of sigs is below 2^17, and then
 *
 *   acc = fma(dot, 2^e, acc),   e = scales and units together,
 *
 * is the exact scaled dot added to the accumulator and rounded once, if 2^e is an f32, that is for
 * -149 <= e <= 127.
 *
 * Any scale. Else acc = fma(dot * 2^i, 2^j, acc), where i is of the row, j of the column and the
 * units. Both factors are f32 if dot * 2^i < 2^128. It is if i < 111. Larger i are made less by 32,
 * and for their rows j greater by 32, but at most 127. Where that is less, |dot| >= 1 is multiplied
 * by at least 2^(111 - 32 + 127): the sum overflows, as it does with the whole factor.
 *
 * Wide. Other elements are f64 that include their scale. A block's dot is exact if its products,
 * multiples of one unit, sum to less than 2^53 units; fast_wide.c describes the rest.
 *
 * Words. Where the elements of a row of a block span at most 13 bits, from the lowest bit of any to
 * the highest, they are integers of 16 bits, with a factor in f64 for the row. A dot is an int32,
 * exact in f64 with its factors.
 *
 * The accumulator starts at +0. It becomes -0 only if a negative sum rounds to zero, which it
 * cannot if all sums are multiples of 2^-149. Bytes, digits and words require that. The others do
 * not: a zero dot added to -0, whose sign depends on the products, gives FAST_DOUBT, and such an
 * element is computed by the walk. NaN and infinities follow IEEE 754.
 *
 * Parts of the product whose bytes, digits or words are not proved are computed for any scale or
 * wide, or all of it if they are most of it. Wide tiles that are not proved have each element of
 * their rows split in two, on a CPU with AVX-512; on others they are walked. */
#ifndef EXACT_FAST_H
#define EXACT_FAST_H

#include "../../ref/num/cpu.h"
#include "inside.h"

enum {
	FAST_TILE = 16, /* rows or columns; operands are completed to a multiple */
	FAST_GROUP = 8,
	FAST_RAISE = 64,
	/* What a wide kernel takes at a time, at most: tiles of rows, strips, and blocks of both.
	 */
	FAST_WIDE_TILES = 4,
	FAST_WIDE_STRIPS = 16,
	FAST_WIDE_BLOCKS = 32,
	/* What other kernels take at a time, at most: tiles and strips; of words blocks of both. */
	FAST_PART = 16,
	FAST_WORDS_BLOCKS = 8,
	FAST_DIGITS_OF = 3, /* digits of an element */
	FAST_WORD_BITS = 13,
	FAST_DOUBT = 0x7fc00001,
	FAST_ELEMENTS = FAST_TILE * EXACT_BLOCK
};

/* Representations of elements. RAISED: columns plus 64, unsigned. ANY_SCALE: the
 * same bytes. DIGITS: three bytes. WORDS: int16_t. */
enum fast_layout { FAST_SIGNED, FAST_RAISED, FAST_ANY_SCALE, FAST_DIGITS, FAST_WORDS, FAST_WIDE };

/* An operand in tiles of 16 rows, each in blocks: [tiles][blocks] of
 *   bytes   [16][32] of a row operand, [8][16][4] of a column operand
 *           three times, from the lowest digit, if there are digits
 *   words   [16][32] of a row operand, [16][16][2] of a column operand
 *   wide    [2][32][8] of rows, [32][16] of columns; the index of 32 is k. Beside words: [16],
 *           2^(scale - 127) times the unit of the words, or NaN
 *   factor  [16]: 2^(scale - 127), in columns with the units of both operands, or NaN
 *   lift    [16], of rows, with raised columns: the start of their dots
 * Rows past the end are zeros. */
struct fast_operand {
	size_t rows, tiles, blocks;
	int8_t *bytes;
	int16_t *words;
	double *wide;
	float *factor;
	int32_t *lift;
	struct fast_range *range; /* [tiles] */
};

/* The range of a tile's nonzero blocks. */
struct fast_range {
	int lowest, highest; /* exponents of factors; wide: of units, and above all magnitudes */
	int spread;          /* wide: bits from a block's unit to its largest magnitude; words: more
	                        than any have if there is an infinity */
};

struct fast_product {
	struct fast_operand a, b;
	double unit;   /* 2 to the sum of the exponents of both formats' steps */
	uint32_t *out; /* n in a row */
};

/* Computes the 16 x 16 tiles of some strips of columns and tiles of rows: at most FAST_PART; of
 * wide elements FAST_WIDE_STRIPS and FAST_WIDE_TILES. */
struct fast_part {
	size_t strip, end_strip, tile, end_tile;
};
typedef void fast_kernel(const struct fast_product *p, struct fast_part part);
fast_kernel fast_int8_plain, fast_int8_vnni, fast_int8_amx, fast_any_scale_vnni, fast_digits_amx,
	fast_words_vnni, fast_wide_plain, fast_wide_avx512;

/* A wide tile whose dots need more than f64: with AVX-512, each in two parts. */
void fast_split_tile(const struct fast_product *p, size_t tile, size_t strip);

/* Configures the tile registers, by masks: those with the bytes of 16 rows of a block, and those
 * with the bytes of columns. The others hold 16 x 16 dots. */
void fast_amx_configure(unsigned rows, unsigned columns);

/* The kernels; for each kind of layout the fastest first. */
struct fast_way {
	const char *name;
	fast_kernel *kernel;
	enum fast_layout layout;
	enum mx_cpu needs;
};
enum { FAST_WAYS = 8 };
extern const struct fast_way fast_ways[FAST_WAYS];
const struct fast_way *fast_choose(const struct exact_gemm *g);

/* The product under block32, on g->threads. The walk has instructions of `instruction` blocks. */
enum exact_status fast_block32(const struct exact_gemm *g, const struct fast_way *way,
                               size_t instruction, uint32_t *out);

/* ---- operands ---- */

struct fast_codes {
	unsigned bits;
	int64_t sig[256];
	double value[256];
	int8_t nibble[16]; /* sigs of the first 16 codes */
	int8_t digit[FAST_DIGITS_OF][256];
};
void fast_list_codes(const struct exact_format *f, struct fast_codes *c);

/* The codes of block b of a row of k elements, completed with zeros. */
void fast_unpack(const struct fast_codes *c, const uint8_t *row, size_t b, size_t k,
                 uint8_t code[EXACT_BLOCK]);

struct fast_pack {
	const struct exact_operand *operand;
	struct fast_operand *to;
	struct fast_codes codes;
	size_t k;
	bool columns;
	int lsb;          /* exponent of the format's smallest step */
	int unit;         /* part of the factors: exponent of the steps of both formats */
	float power[256]; /* 2^(scale - 127 + unit), or NaN */
	enum fast_layout layout;
};

/* Bytes of an element in its layout. */
size_t fast_bytes_of(enum fast_layout layout);

/* Allocates both operands, and prepares fast_pack_tile to fill each. */
enum exact_status fast_prepare(const struct exact_gemm *g, enum fast_layout layout,
                               struct fast_product *p, struct fast_pack pack[2]);
void fast_pack_tile(const struct fast_pack *p, size_t tile);
void fast_free(struct fast_product *p);

/* Whether all sums of dots of these tiles are exact in f64: they and the accumulator, which is at
 * most twice the sum of magnitudes, are multiples of the lowest unit, below 2^53 units. */
bool fast_sums_are_exact(const struct fast_product *p, size_t strip, size_t tile, size_t tiles);

/* Whether a sum of dots of these tiles may round to zero. */
bool fast_may_underflow(const struct fast_product *p, size_t strip, size_t tile, size_t tiles);

/* Writes the part of a tile's accumulators, [16][16], that is in the matrix; NaN as 0x7FC00000, but
 * FAST_DOUBT unchanged. */
void fast_store(const struct fast_product *p, size_t tile, size_t strip, const float *acc);

/* The same for sums that are f32 values. */
void fast_store_wide(const struct fast_product *p, size_t tile, size_t strip, const double *sum);

#endif
