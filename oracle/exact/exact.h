/* The exact judge: what an MX GEMM must give, worked out from the OCP
 * specification and the written definition of each profile.
 *
 * Nothing here is shared with the code it judges. This folder includes no
 * header of another one and types its own constants; it calls libc, GMP, MPFR
 * and OpenBLAS only. No state; safe from any number of threads.
 *
 * The product is NT: D[i][j] = sum over k of A[i][k] * B[j][k], block scales
 * applied, accumulator starting at +0. Results are f32 bit patterns, row-major,
 * n to a row, in memory of the caller.
 *
 * Source of formats and scales: OCP Microscaling Formats (MX) v1.0.
 */
#ifndef EXACT_H
#define EXACT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum exact_status {
	EXACT_OK,
	EXACT_BAD_FORMAT,
	EXACT_BAD_SHAPE,
	EXACT_BAD_PROFILE,
	EXACT_NO_MEMORY
};
const char *exact_strerror(enum exact_status s);

/* One operand, K contiguous. format: "E2M1", "E4M3", "E5M2", "E2M3" or "E3M2".
 * codes: packed elements (FP4 low nibble first, FP6 little-endian bit fields,
 * FP8 bytes), row r at codes + r * ld bytes. scales: E8M0 bytes, scale of
 * (r, k) at scales[r * ld_scales + k / 32]. Only k < K is ever read. */
struct exact_operand {
	const char *format;
	const uint8_t *codes, *scales;
	size_t ld, ld_scales;
};

/* K need not be a multiple of 32: the last block may be short. */
struct exact_gemm {
	size_t m, n, k;
	struct exact_operand a, b;
};

/* The correctly rounded product: the exact real sum rounded once, nearest
 * even. NaN (always 0x7FC00000): a NaN element or scale, 0 * Inf, Inf - Inf.
 * An exact zero is +0, as the accumulator starts at +0; a negative sum that
 * underflows is -0. */
enum exact_status exact_product(const struct exact_gemm *g, uint32_t *out);

/* The same product as a kernel computes that walks K in order with matrix
 * instructions of mma_k elements and one accumulator, under a profile:
 *   "block32": each 32-block's exact scaled dot is added to the f32 accumulator,
 *              rounded once, nearest even;
 *   "fused":   the exact sum of mma_k elements is added, rounded once.
 * A short last instruction is completed with zero elements and scales 2^-127.
 * mma_k is a multiple of 32, or else EXACT_BAD_SHAPE. A zero sum is -0 only if
 * every addend is -0, the accumulator (-0 after an underflow) included. */
enum exact_status exact_profile(const struct exact_gemm *g, const char *profile, unsigned mma_k,
                                uint32_t *out);

/* f32 to bf16, nearest even; NaN stays NaN (quieted, upper payload kept). */
uint16_t exact_bf16(uint32_t f32);

/* Whether the operands are in the exact regime, in which every order of
 * accumulation and every alignment of at least 24 bits gives the same f32.
 * Conditions, for every output element: with u = 2^q the largest power of two
 * that divides all its products (q >= -149), the sum of the products'
 * magnitudes is below 2^24 u and below 2^128; and the largest exponent of a
 * nonzero product (ea + eb + scale exponents, subnormal elements at emin) is at
 * most q + 24. NaN or infinity anywhere: not exact.
 *
 * The test is per row pair but conservative: it bounds each row of A and of B
 * once, in O((m + n) k), and combines the worst. `why` (may be NULL, size
 * why_size) says which condition failed, with numbers. */
enum exact_status exact_regime(const struct exact_gemm *g, bool *holds, char *why, size_t why_size);

/* x[r*k + c] = the dequantised value, as a double, exactly (NaN and Inf as such). */
enum exact_status exact_dequantise(const struct exact_operand *o, size_t rows, size_t k, double *x);

/* d = a * b^T in f64 by OpenBLAS, for SNR figures; row-major, contiguous.
 * Not exact: relative error up to about k * 2^-53 of the magnitudes' sum. */
void exact_dgemm_nt(size_t m, size_t n, size_t k, const double *a, const double *b, double *d);

#endif
