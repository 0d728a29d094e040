/* The exact judge: the result of an MX GEMM by the OCP specification and the written definition of
 * each profile.
 *
 * This folder shares nothing with the code that it judges. It defines its own constants, and calls
 * libc, GMP, MPFR and OpenBLAS only; of other folders, ref/num/cpu.h alone, which describes the
 * host and no number. No state; safe from any number of threads.
 *
 * The product is NT: D[i][j] = sum over k of A[i][k] * B[j][k], with block scales applied and the
 * accumulator starting at +0. Results are f32 bit patterns, row-major, n in a row, in the caller's
 * memory.
 *
 * Source of formats and scales: OCP Microscaling Formats (MX) v1.0. */
#ifndef EXACT_H
#define EXACT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

/* A float and its bits. */
static inline uint32_t exact_bits(float x) {
	uint32_t bits;
	memcpy(&bits, &x, sizeof bits);
	return bits;
}

static inline float exact_float(uint32_t bits) {
	float x;
	memcpy(&x, &bits, sizeof x);
	return x;
}

enum exact_status {
	EXACT_OK,
	EXACT_BAD_FORMAT,
	EXACT_BAD_SHAPE,
	EXACT_BAD_PROFILE,
	EXACT_NO_MEMORY
};
const char *exact_strerror(enum exact_status s);

/* One operand, K contiguous. format: "E2M1", "E4M3", "E5M2", "E2M3" or "E3M2". codes: packed
 * elements (FP4 low nibble first, FP6 little-endian bit fields, FP8 bytes), row r at codes + r * ld
 * bytes. scales: bytes, scale of (r, k) at scales[r * ld_scales + k / block]. Only elements k < K
 * are read.
 *
 * scale: "E8M0" (NULL), "E5M3" (no sign, bias 15, 0xff is NaN) or "E4M3" (with its sign); the value
 * multiplies. block: 32 (0) or 16. exact_product, exact_product_as, exact_product_plain,
 * exact_profile, exact_member_product and exact_regime take all of them; the others only E8M0 and
 * 32, and give EXACT_BAD_FORMAT for another. */
struct exact_operand {
	const char *format;
	const uint8_t *codes, *scales;
	size_t ld, ld_scales;
	const char *scale;
	unsigned block;
};

/* K need not be a multiple of 32: the last block may be short. */
struct exact_gemm {
	size_t m, n, k;
	struct exact_operand a, b;
	unsigned threads; /* for the fast ways; 0: one */
	unsigned k_tile;  /* for exact_profile: instructions of zeros fill K up to a multiple of it;
	                     0: of mma_k */
};

/* The correctly rounded product: the exact real sum rounded once, nearest even. NaN (always
 * 0x7FC00000): a NaN element or scale, 0 * Inf, Inf - Inf. An exact zero is +0, because the
 * accumulator starts at +0; a negative sum that underflows is -0. */
enum exact_status exact_product(const struct exact_gemm *g, uint32_t *out);

/* The product rounded once to another format. A kernel that computes f32 and narrows it
 * (exact_narrow) rounds twice. A NaN is the narrowed 0x7FC00000. */
enum exact_output { EXACT_F32, EXACT_BF16, EXACT_F16 };
enum exact_status exact_product_as(const struct exact_gemm *g, enum exact_output output,
                                   uint32_t *out);

/* The product of a kernel that walks K in order with matrix instructions of mma_k elements and one
 * accumulator, under a profile:
 *   "block32": each 32-block's exact scaled dot is added to the f32 accumulator and rounded
 *              once, nearest even;
 *   "fused":   the exact sum of mma_k elements is added and rounded once;
 *   "fma32":   the scaled products, exact, are added one by one in order of k, each sum
 *              rounded once;
 *   "cdna3":   16 products at a time, even and odd k separately. The exponent of a product is
 *              the sum of those of its elements (subnormals: of the smallest normal) and
 *              scales; zeros have none. Let P be the largest of a half, Q of both halves, E of
 *              both and the accumulator (-126 or more). Products are truncated toward zero to
 *              multiples of 2^(P-24), each half's sum is floored to 2^(Q-24), and their sum to
 *              2^(E-32). The accumulator is dropped if its exponent is below E-25, else floored
 *              to 2^(E-24). The sum of both is rounded, nearest even. A product of 2^128 or
 *              more is an infinity.
 * A short last instruction is completed with zero elements and scales 2^-127. The instructions that
 * g->k_tile adds consist of such elements; they turn -0 into +0 and change nothing else. mma_k is a
 * multiple of 32, otherwise EXACT_BAD_SHAPE. A zero sum is -0 only if every addend is -0, the
 * accumulator (-0 after an underflow) included. */
enum exact_status exact_profile(const struct exact_gemm *g, const char *profile, unsigned mma_k,
                                uint32_t *out);

/* A member of the family of profiles: how one matrix instruction adds C and the products of a dot.
 * Exponents: of an element floor(log2 |x|), or of a subnormal that of the smallest normal (with
 * `lead` floor(log2 |x|), too); of a product the sum of those of its elements and scales; of C
 * floor(log2 |C|), at least -126. A zero has none.
 *
 * The products are taken `group` at a time (0: all). Each step replaces C by C plus its products:
 *   order   of the products, if group divides K: step s of S has those from s * group (0), from
 *           (S - 1 - s) * group (1), of k = s modulo S (2), group / 2 from s * group / 2 in either
 *           half of K (3), of k / 2 = s modulo S (4)
 *   align   0: the step adds exactly. Else each product is cut to a multiple of 2^(P - align), P
 *           being the largest exponent of its part, or -low if that is more and low is not 0
 *   cut     toward zero (0), floored (1), to nearest even (2), to odd (3)
 *   parts   of a step: number i of its products is in part i modulo parts, with split 1 in part
 *           i / (group / parts). With more than one, each sum is floored to 2^(Q - join), Q being
 *           the largest P
 *   dot, acc, drop   E being the larger of Q and C's exponent: the sum of products is floored to
 *           2^(E - dot); C is floored to 2^(E - acc), or dropped if its exponent is below E - drop
 *           and drop is not 0
 *   norm    0, or the sum with C, s, is floored to 2^(floor(log2 |s|) - norm)
 *   fused   1: instead of these, products and C are cut alike to 2^(E - align)
 *   late    the steps begin with -0 in place of C, which is added exactly to the last result, and
 *           rounded as `round` says (1) or to nearest even (2)
 *   round, bits   the result is rounded to nearest even (0) or toward zero (1), to `bits` bits of
 *           fraction; 0: 23
 *   flush   subnormals that become zeros of their sign: elements (1), C (2), results (4), added up
 *   limit   a product of 2^limit or more is infinite; 0: none is
 *   over    what overflows becomes infinity (0) or the largest number (1)
 *   zero    a zero sum is -0 if C and all products are -0 (0), or never (1); nor is a result that
 *           underflows (2)
 *   nan     the bits of a NaN; 0: 0x7FC00000 */
struct exact_member {
	unsigned group, order, parts, split, fused, late, align, cut, join, dot, acc, drop, norm,
		low, round, bits, flush, lead, limit, over, zero, nan, inner;
};

/* An element with its scale: sig 2^exp, sig below 2^32; 0 if infinite or NaN. top: its exponent, if
 * it is normal, else that of the smallest normal. */
enum { EXACT_NEGATIVE = 1, EXACT_INF = 2, EXACT_NAN = 4 };
struct exact_item {
	unsigned flags;
	uint64_t sig;
	int exp, top;
};

/* One dot of an instruction of K products, at most 128. The fields are as mx_profile_check of
 * ref/mxref.h demands. */
uint32_t exact_member_dot(const struct exact_member *p, unsigned K, const struct exact_item *a,
                          const struct exact_item *b, uint32_t c);

/* As exact_profile, with instructions of this member. mma_k is 32, 64, 96 or 128. */
enum exact_status exact_member_product(const struct exact_gemm *g, const struct exact_member *p,
                                       unsigned mma_k, uint32_t *out);

/* c plus n products of f32, by instructions of K, filled up with zeros. NULL, or a member that
 * aligns: each is a chain of FMAs. */
uint32_t exact_member_f32(const struct exact_member *p, unsigned K, size_t n, const double *a,
                          const double *b, uint32_t c);

/* Whether products of the exact regime (exact_regime, below) are exact under the member. */
bool exact_member_keeps_regime(const struct exact_member *p);

/* The vector unit that computes a block32 product of these formats: "AMX", "AVX-512 VNNI",
 * "AVX-512", "portable", or "none" for an unknown format. All give the same bits. */
const char *exact_fast_name(const struct exact_gemm *g);

/* The plain walk on any processor; tests compare the fast ways with it. */
enum exact_status exact_profile_plain(const struct exact_gemm *g, const char *profile,
                                      unsigned mma_k, uint32_t *out);
enum exact_status exact_product_plain(const struct exact_gemm *g, enum exact_output output,
                                      uint32_t *out);

/* f32 to bf16 and f16, nearest even; NaN stays NaN (quiet, upper payload kept). A profile's result
 * in 16 bits is its f32 narrowed by this: two roundings, because the hardware's accumulator is f32
 * and its conversion is a separate instruction. */
static inline uint16_t exact_bf16(uint32_t f32) {
	bool is_nan = (f32 & 0x7fffffff) > 0x7f800000;
	uint32_t rounded = f32 + 0x7fff + (f32 >> 16 & 1); /* a carry ends at infinity */
	return (uint16_t)((is_nan ? f32 | 0x400000 : rounded) >> 16);
}
uint16_t exact_f16(uint32_t f32);
uint32_t exact_narrow(uint32_t f32, enum exact_output to);

/* ---- epilogue ---- */

/* The epilogue of a kernel: D = alpha acc + beta C + bias, in f32, every step rounded once, nearest
 * even, subnormals kept. `order` gives the steps:
 *   EXACT_MUL_ADD     x = alpha * acc;  y = beta * c;       z = x + y;  w = z + bias
 *   EXACT_FMA_BETA    x = alpha * acc;  z = fma(beta, c, x);            w = z + bias
 *   EXACT_FMA_ALPHA   y = beta * c;     z = fma(alpha, acc, y);         w = z + bias
 *   EXACT_ONCE        D = alpha * acc + beta * c + bias, exact, then rounded to `output`
 * In all but the last, D is w narrowed to `output`. Without C (NULL) z is alpha * acc in all
 * orders, and without a bias (NULL) w is z: nothing is added, so -0 stays. Zeros and infinities
 * follow IEEE 754 (x - x is +0; -0 + -0 is -0); a NaN is 0x7FC00000, narrowed. */
enum exact_order { EXACT_MUL_ADD, EXACT_FMA_BETA, EXACT_FMA_ALPHA, EXACT_ONCE };
struct exact_epilogue {
	enum exact_order order;
	enum exact_output output;
	uint32_t alpha, beta; /* f32 patterns, as are c and bias */
	const uint32_t *c;    /* element (i, j) at c[i * ld_c + j] */
	size_t ld_c;
	bool c_of_zero;       /* C is read even if beta is 0, unlike in BLAS */
	const uint32_t *bias; /* n, one for each column, or with bias_of_rows m */
	bool bias_of_rows;
};

/* acc and out: n in a row; they may be equal. */
void exact_epilogue(const struct exact_epilogue *e, size_t m, size_t n, const uint32_t *acc,
                    uint32_t *out);

/* Whether every order gives the same bits, because nothing is rounded before the output: each
 * element's terms are multiples of some 2^q, q >= -149, their magnitudes sum to less than 2^24 2^q
 * and less than 2^128, and none is NaN or infinite. acc are accumulators of the exact regime.
 * `why`: reason for the first element that fails. */
bool exact_epilogue_regime(const struct exact_epilogue *e, size_t m, size_t n, const uint32_t *acc,
                           char *why, size_t why_size);

/* ---- single values ---- */

enum exact_rounding {
	EXACT_RNE, /* nearest, ties to the even code */
	EXACT_RNA, /* nearest, ties away from zero */
	EXACT_RTZ, /* toward zero */
	EXACT_SR   /* away from zero if the fraction of the step between the two codes,
	              plus random / 2^32, is at least 1; else toward zero */
};
enum exact_overflow {
	EXACT_SATURATE, /* the largest finite code */
	EXACT_OVERFLOW  /* infinity, NaN in E4M3; E2M1, E2M3 and E3M2 saturate */
};
enum { EXACT_SCALE_MAX = 700 };

/* The code of f32 * 2^scale, |scale| <= EXACT_SCALE_MAX, rounded once. format: one of those above,
 * "FP16", "BF16", "FP32", or the scale "E5M3" with a ninth bit as its sign. Overflow is a rounded
 * magnitude above the largest finite one, or an infinity; EXACT_RTZ never overflows from a finite
 * number. NaN: 0x7F (E4M3), 0x7E (E5M2), the largest magnitude (FP4, FP6), with its sign; in the
 * wider formats it is quiet and keeps the upper bits of the payload. There is no EXACT_SR to FP32.
 */
enum exact_status exact_encode(const char *format, uint32_t f32, int scale, enum exact_rounding r,
                               enum exact_overflow o, uint32_t random, uint32_t *code);

/* The value of a code in f32, which contains the values of every format. A NaN is quiet and keeps
 * its sign, and in FP16, BF16 and FP32 its payload. */
enum exact_status exact_decode(const char *format, uint32_t code, uint32_t *f32);

/* The boundaries of the codes of a format of at most 16 bits: first[c] is the smallest f32 pattern,
 * of positive numbers and infinity, that rounds to code c or a larger one. The last of *n entries
 * is the first that overflows. size: the number of entries in `first`. */
enum exact_status exact_boundaries(const char *format, enum exact_rounding r, uint32_t random,
                                   uint32_t *first, size_t size, size_t *n);

/* The E8M0 scale for |f32|: the power of two below, above, or nearer in value (the middle of two
 * rounds up). Up to 2^-127 it is 0. Above 2^127, infinity included, it is 254 or, with
 * EXACT_OVERFLOW, 255. NaN is 255. */
enum exact_scale_rounding { EXACT_DOWN, EXACT_UP, EXACT_NEAREST };
uint8_t exact_scale(uint32_t f32, enum exact_scale_rounding r, enum exact_overflow o);

/* Whether the operands are in the exact regime, in which every order of accumulation and every
 * alignment of at least 24 bits gives the same f32. Conditions, for every output element: with u =
 * 2^q the largest power of two that divides all its products (q >= -149), the sum of the products'
 * magnitudes is below 2^24 u and below 2^128; and the largest exponent of a nonzero product (ea +
 * eb + scale exponents, subnormal elements at emin) is at most q + 24. NaN or infinity anywhere:
 * not exact.
 *
 * The test is conservative: it bounds each row of A and of B once, in O((m + n) k), and combines
 * the worst bounds. `why` (may be NULL, size why_size) receives the condition that failed, with
 * numbers. */
enum exact_status exact_regime(const struct exact_gemm *g, bool *holds, char *why, size_t why_size);

/* Freivalds' check: whether c is the product, all m*n elements of it, in O(mk + kn + mn)
 * operations. The operands must be in the exact regime (EXACT_BAD_SHAPE otherwise), where each
 * element of the product is one f32, a multiple of u = 2^q below 2^24 u.
 *
 * All arithmetic is modulo the prime p = 2^61 - 1, in which a power of two is a rotation of 61
 * bits: c x = A (B^T x) for a random vector x. An element of c that is not such a multiple is
 * wrong. The others differ from the right ones by integers times u of less than 2^25, which are not
 * 0 modulo p. So a row with a wrong element passes with probability 1/p, and a wrong product with
 * at most that: 4.4e-19, for every seed.
 *
 * c: f32 patterns, ld_c in a row. If the check fails, wrong tiles of tile x tile elements are found
 * by bisection of the columns, at O(kn) a level; the first of them in row order are kept. */
enum { EXACT_MAX_TILES = 16 };
struct exact_tile {
	size_t row, col; /* first element; multiples of tile */
};
struct exact_check {
	bool holds;
	double missed;     /* upper bound of the probability that a wrong c passes */
	size_t wrong_rows; /* rows with a wrong element */
	size_t wrong_tiles, n_tiles;
	struct exact_tile tile[EXACT_MAX_TILES];
};
enum exact_status exact_freivalds(const struct exact_gemm *g, const uint32_t *c, size_t ld_c,
                                  uint64_t seed, size_t tile, struct exact_check *check);

/* ---- verdicts without one right answer ---- */

/* The possible values of an element under any accumulation of a wide family: any order, groups and
 * number of chains, 24 bits or more of alignment, f32 accumulators that round or cut. exact_bound.c
 * defines the family and proves the bound. A finite accumulator lies within `bound` of `sum`. */
enum { EXACT_MAY_FINITE = 1, EXACT_MAY_PLUS_INF = 2, EXACT_MAY_MINUS_INF = 4, EXACT_MAY_NAN = 8 };
struct exact_range {
	double sum, bound;
	unsigned may;
};
/* out: m*n ranges. k is at most 2^20, otherwise EXACT_BAD_SHAPE. */
enum exact_status exact_bound(const struct exact_gemm *g, struct exact_range *out);

/* Converts ranges of accumulators, n in a row, to ranges of D before the output's rounding: any
 * order of the steps, in f32 that rounds or cuts. exact_epilogue_bound.c has the proof. */
void exact_bound_epilogue(const struct exact_epilogue *e, size_t m, size_t n,
                          struct exact_range *range);

/* The bound divided by the sum of magnitudes, for products of k. */
double exact_bound_factor(size_t k);

/* Whether the accumulator, rounded to "FP32", "BF16" or "FP16" (nearest even), may give this
 * code. */
bool exact_range_has(const struct exact_range *r, const char *format, uint32_t code);

/* The distance of a code from the sum, divided by the bound on that side; above 1 it is out of
 * range. */
double exact_range_used(const struct exact_range *r, const char *format, uint32_t code);

/* Whether some order of n atomic additions of `parts` to `start`, each rounded by r (EXACT_RNE or
 * EXACT_RTZ), leaves `got`; all are codes of "FP32", "BF16" or "FP16". Any NaN equals any NaN.
 * values: the number of different values over all orders. */
enum { EXACT_MAX_PARTS = 9 };
struct exact_set {
	bool has;
	size_t values;
};
enum exact_status exact_orders(const char *format, enum exact_rounding r, uint32_t start,
                               const uint32_t *parts, unsigned n, uint32_t got,
                               struct exact_set *set);

/* x[r*k + c] = the dequantised value, as a double, exactly (NaN and Inf as such). */
enum exact_status exact_dequantise(const struct exact_operand *o, size_t rows, size_t k, double *x);

/* d = a * b^T in f64, for SNR figures; row-major, contiguous. OpenBLAS computes products of more
 * than 2^26 terms if its library is found, which the first of them loads; with AVX2 the bits are
 * the same without it. Not exact: relative error up to about k * 2^-53 of the magnitudes' sum. */
void exact_dgemm_nt(size_t m, size_t n, size_t k, const double *a, const double *b, double *d);

/* Threads of each such product of 2^30 terms or more, and of exact_product. A setting of the whole
 * process, to be called while it has one thread. Without a call OpenBLAS uses all processors. */
void exact_blas_threads(unsigned n);

/* Calls `each` for parts [from, to) of [0, n), `some` items each, on this and other threads. */
typedef void exact_each(void *context, size_t from, size_t to);
void exact_parallel(unsigned threads, size_t n, size_t some, exact_each *each, void *context);

#endif
