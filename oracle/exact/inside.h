/* Declarations that the files of this folder share; only they and their test include it. */
#ifndef EXACT_INSIDE_H
#define EXACT_INSIDE_H

#include "exact.h"

enum { EXACT_BLOCK = 32 };                 /* elements that share a scale [OCP MX v1.0, table 1] */
enum { E8M0_BIAS = 127, E8M0_NAN = 0xff }; /* [OCP MX v1.0, 5.4.1] */

/* ---- elements ---- */

struct exact_format {
	const char *name;
	unsigned bits, exp_bits, man_bits;
	int bias;
	enum { EXACT_FINITE, EXACT_NAN_ONLY, EXACT_IEEE } specials;
};

/* The format of that name, or NULL. */
const struct exact_format *exact_format(const char *name);

/* Exponent of the smallest subnormal: every finite element is a multiple of it. */
static inline int exact_format_lsb(const struct exact_format *f) {
	return 1 - f->bias - (int)f->man_bits;
}

/* Bytes of k packed elements, rounded up. */
size_t exact_packed_bytes(const struct exact_format *f, size_t k);

/* Element k of packed codes: *sig * 2^lsb, signed; 0 if the flags are Inf or NaN. */
unsigned exact_element(const struct exact_format *f, const uint8_t *codes, size_t k, int64_t *sig);

/* The values of all codes of a format, as by exact_element. */
struct exact_codes {
	int64_t sig[256];
	uint8_t flags[256];
};
void exact_list_codes(const struct exact_format *f, struct exact_codes *c);

/* Codes k to k + n of packed codes; k is a multiple of 8, n at most EXACT_BLOCK. */
void exact_unpack(const struct exact_format *f, const uint8_t *codes, size_t k, size_t n,
                  uint8_t to[EXACT_BLOCK]);

/* ---- operands, decoded once ---- */

struct exact_block {
	int exp;        /* of the unit of sig: scale and format together */
	unsigned flags; /* EXACT_INF, EXACT_NAN if an element is one */
};

/* A NaN scale makes its elements NaN. Every row is completed with +0 elements, and with blocks of
 * scale 2^-127. */
struct exact_rows {
	const struct exact_format *format;
	size_t rows, blocks;
	int64_t *sig;              /* [rows][blocks * 32] */
	uint8_t *flags;            /* the same */
	struct exact_block *block; /* [rows][blocks] */
};

struct exact_row {
	const int64_t *sig;
	const uint8_t *flags;
	const struct exact_block *block;
};

/* Checks that the format is known, and that strides and sizes hold rows of k elements completed to
 * a multiple of `multiple` blocks of 32: with any scales, or with those of E8M0 for 32 elements. */
enum exact_status exact_operand_shape(const struct exact_operand *o, size_t rows, size_t k,
                                      size_t multiple);
enum exact_status exact_operand_check(const struct exact_operand *o, size_t rows, size_t k,
                                      size_t multiple);

/* Decodes o, with rows of k elements completed to a multiple of `multiple` blocks. To be freed by
 * exact_rows_free, even after a failure. */
enum exact_status exact_rows_decode(struct exact_rows *r, const struct exact_operand *o,
                                    size_t rows, size_t k, size_t multiple);
void exact_rows_free(struct exact_rows *r);
struct exact_row exact_row_at(const struct exact_rows *r, size_t row);

/* ---- operands with any scales: exact_items.c ---- */

bool exact_plain_scales(const struct exact_operand *o); /* E8M0, for blocks of 32 */
size_t exact_block_of(const struct exact_operand *o);

/* A scale: sig below 16; 0 if it is NaN. */
struct exact_item exact_scale_item(const struct exact_operand *o, uint8_t code);

/* Elements with their scales: rows of k completed to `width` with +0. */
struct exact_items {
	size_t rows, width;
	struct exact_item *item; /* [rows][width] */
};
enum exact_status exact_items_decode(struct exact_items *x, const struct exact_operand *o,
                                     size_t rows, size_t k, size_t multiple);

/* exact_product_plain of operands with any scales. */
enum exact_status exact_items_product(const struct exact_gemm *g, enum exact_output output,
                                      uint32_t *out);

/* ---- members of the family: exact_member.c, and fast_member.c ---- */

enum { EXACT_MEMBER_K = 128 }; /* at most, of an instruction */

/* An item under the member, which may flush subnormals or lower their exponent. */
struct exact_item exact_member_element(const struct exact_member *p, struct exact_item x);

/* The product that is number i of a step. */
unsigned exact_member_place(const struct exact_member *p, unsigned K, unsigned group, unsigned step,
                            unsigned i);

/* Whether fast_member_row can compute instructions of K products. */
bool fast_member_applies(const struct exact_member *p, unsigned K);

/* The items of a row as numbers and exponents, at every `stride`, in the order in which they are
 * added. */
void fast_member_load(const struct exact_member *p, unsigned K, const struct exact_item *row,
                      size_t width, size_t stride, double *value, double *top);

/* One row and FAST_COLUMNS columns of a product, from 0. Returns a bit for each column that is in
 * doubt. */
enum { FAST_COLUMNS = 8 };
unsigned fast_member_row(const struct exact_member *p, unsigned K, size_t width, const double *a,
                         const double *a_top, const double (*b)[FAST_COLUMNS],
                         const double (*b_top)[FAST_COLUMNS], uint32_t out[FAST_COLUMNS]);

/* The plain walk under block32, with instructions of `instruction` blocks. */
enum exact_status exact_walk_block32(const struct exact_gemm *g, size_t instruction, uint32_t *out);

/* ---- the exact regime ---- */

/* Facts of a product in the exact regime: every element is a multiple of 2^unit, below 2^24 units.
 * Decodes a row at a time. */
struct exact_regime_facts {
	bool holds;
	int unit;
};
enum exact_status exact_regime_of(const struct exact_gemm *g, struct exact_regime_facts *facts,
                                  char *why, size_t why_size);

/* ---- epilogues ---- */

/* The addend of element (i, j); NULL: none. */
const uint32_t *exact_epilogue_c(const struct exact_epilogue *e, size_t i, size_t j);
const uint32_t *exact_epilogue_bias(const struct exact_epilogue *e, size_t i, size_t j);

/* ---- sums ---- */

struct exact_term {
	__int128 sig; /* magnitude below 2^127 */
	int exp;
};

/* The sum of terms, rounded once to f32; an exact zero is +0. */
uint32_t exact_sum(const struct exact_term *t, size_t n);

/* The sum rounded to odd: if not exact, to the neighbour with an odd last bit, never to zero or
 * infinity. A second rounding to nearest, to 22 bits or fewer, is then correct. Overwrites the
 * terms, and needs room for one more. */
uint32_t exact_sum_odd(struct exact_term *t, size_t n);

/* Specials among the addends of a sum, and the sum if there are any. */
enum { EXACT_SEEN_NAN = 1, EXACT_SEEN_PLUS_INF = 2, EXACT_SEEN_MINUS_INF = 4 };
unsigned exact_f32_special(uint32_t x);
uint32_t exact_special_sum(unsigned seen);

/* The value of a finite f32. */
struct exact_term exact_f32_term(uint32_t x);

/* The two ways of exact_sum: one term by integers, any terms by GMP and MPFR. */
uint32_t exact_round(struct exact_term t);
uint32_t exact_sum_wide(const struct exact_term *t, size_t n);

#endif
