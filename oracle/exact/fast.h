/* Whole block32 products by vector units, bit for bit the walk of exact_gemm.c.
 *
 * Elements become integers in units of their format's smallest step, sig; a 32-block's dot of
 * sigs is exact, and then
 *
 *   acc = fma(dot, 2^e, acc),   e = scales and units together,
 *
 * is the exact scaled dot added to the accumulator and rounded once, wherever 2^e is an f32,
 * that is for -149 <= e <= 127. All sums are multiples of 2^-149 then, so that none rounds to
 * zero, and as the accumulator starts at +0 it never becomes -0. A scale of 0xFF makes the
 * factor NaN. Tiles in which an e is out of that range are left to the walk. */
#ifndef EXACT_FAST_H
#define EXACT_FAST_H

#include "inside.h"

enum { FAST_TILE = 16 }; /* rows and columns: operands are completed to a multiple */

/* An operand as the kernels want it. Rows past the end are zeros with scale 1. */
struct fast_operand {
	size_t rows, padded, blocks;
	int unit;                  /* a sig's exponent */
	int8_t *bytes;             /* see the kernels; NULL where sigs are wider */
	double *wide;              /* likewise */
	float *factor;             /* 2^(scale - 127), or NaN */
	int16_t *lowest, *highest; /* of each row: least and largest scale byte, NaN apart */
};

enum { FAST_GROUP = 8 };

/* a: rows of sigs, [padded][blocks * 32] bytes, or doubles in groups of 8 rows,
 * [padded / 8][blocks * 32][8]; factors [blocks][padded].
 * b: strips of 16 columns, [padded / 16][blocks * 8][16][4] bytes or [padded / 16]
 * [blocks * 32][16] doubles; factors [padded / 16][blocks][16], 2^unit of both in them. */
struct fast_product {
	struct fast_operand a, b;
	uint32_t *out; /* n to a row */
};

/* Makes 16 x 16 tiles (row, col .. row + rows_of_tiles * 16, ...): all of a strip. */
typedef void fast_kernel(const struct fast_product *p, size_t strip, size_t first_row,
                         size_t end_row);
fast_kernel fast_int8_plain, fast_int8_vnni, fast_int8_amx, fast_wide_plain, fast_wide_avx512;

/* Whether this processor, and the system, have what a kernel needs; once a thread. */
bool fast_has_vnni(void), fast_has_amx(void), fast_has_avx512(void);

/* The product under block32, on g->threads. false where no kernel is proved exact for these
 * formats. Tiles whose scales are out of range go by `walk`, in instructions of so many
 * blocks. */
typedef enum exact_status fast_walk(const struct exact_gemm *g, size_t instruction, uint32_t *out);
bool fast_block32(const struct exact_gemm *g, size_t instruction, fast_walk *walk, uint32_t *out,
                  enum exact_status *status);

enum exact_status fast_pack(const struct exact_gemm *g, bool wide, struct fast_product *p);
void fast_free(struct fast_product *p);

/* Writes a tile's accumulators, [16][16], where the matrix is; NaN as 0x7FC00000. */
void fast_store(const struct fast_product *p, size_t row, size_t col, const float *acc);

#endif
