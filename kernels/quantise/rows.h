/* Quantisation of rows: X[M][K] to codes[M][K] and E8M0 scales[M][K/32]. For device code only.
 *
 * X is row-major f32 or bf16. Any M; K a multiple of 32. Matrices may exceed 4 GiB; a row must be
 * below 2 GiB.
 *
 * A workgroup is a wave, with 512 elements of a row. Each row has descriptors of its own, so that
 * loads past its end are zeros and stores past it have no effect. */
#ifndef ROWS_H
#define ROWS_H

#include "block.h"

enum { OF_WAVE = 64 * OF_LANE };

/* The elements of a row that are quantised. */
#ifndef COVERED
#define COVERED(K) (K)
#endif

/* The bytes of codes that a row's descriptor has. */
#ifndef BOUND
#define BOUND(format, n) code_bytes(format, n)
#endif

/* The descriptor of row `row` of n bytes. */
INLINE buffer row_of(const GLOBAL u8 *base, u64 row, u32 n, u32 covered) {
	return make_buffer(base + row * n, covered);
}

INLINE void load_row(buffer x, u32 k, u32 size, float to[OF_LANE]) {
	u32x4 low = __builtin_amdgcn_raw_buffer_load_b128(x, k * size, 0, 0);
	if (size == 2) {
		widen_bf16(low, to);
		return;
	}
	u32x4 high = __builtin_amdgcn_raw_buffer_load_b128(x, k * size + 16, 0, 0);
#pragma unroll
	for (u32 i = 0; i < 4; i++) {
		to[i] = FLOAT((u32)low[i]);
		to[4 + i] = FLOAT((u32)high[i]);
	}
}

INLINE void quantise_row(struct method m, u32 size, const GLOBAL u8 *X, const GLOBAL u8 *R,
                         GLOBAL u8 *codes, GLOBAL u8 *scales, u32 K) {
	u64 row = __builtin_amdgcn_workgroup_id_y();
	u32 k = __builtin_amdgcn_workgroup_id_x() * OF_WAVE + LANE() * OF_LANE;
	u32 covered = COVERED(K), random[OF_LANE] = {};
	float x[OF_LANE];
	load_row(row_of(X, row, K * size, K * size), k, size, x);
	if (m.stochastic)
		load_random(row_of(R, row, K * 4, K * 4), k * 4, random);
	if (m.format != E2M1)
		saturate_fp8();
	struct quantised q = quantise(m, x, random);
	store_codes(m.format, row_of(codes, row, code_bytes(m.format, K), BOUND(m.format, covered)),
	            code_bytes(m.format, k), q.codes);
	store_scale(row_of(scales, row, K / OF_BLOCK, covered / OF_BLOCK), k / OF_BLOCK, q.scale);
}

#define QUANTISE_ROWS(name, size, ...)                                                             \
	STREAM_KERNEL(64)                                                                          \
	void name(const GLOBAL u8 *X, GLOBAL u8 *codes, GLOBAL u8 *scales, u32 K) {                \
		quantise_row((struct method){ __VA_ARGS__ }, size, X, 0, codes, scales, K);        \
	}

/* With random numbers R[M][K]. */
#define ROUND_ROWS(name, size, ...)                                                                \
	STREAM_KERNEL(64)                                                                          \
	void name(const GLOBAL u8 *X, GLOBAL u8 *codes, GLOBAL u8 *scales, u32 K,                  \
	          const GLOBAL u8 *R) {                                                            \
		quantise_row((struct method){ __VA_ARGS__ }, size, X, R, codes, scales, K);        \
	}

#endif
