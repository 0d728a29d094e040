/* Small MXFP4 GEMMs with one addressing bug each, and correct ones. The ids are those of the list
 * of bugs in fault_test.
 *
 * A workgroup has a column of four 16x16 tiles, one a wave. A goes through LDS, 1 KiB for each wave
 * with rows. M up to 64, N a multiple of 16, K of 32. */
#include "../../kernels/gfx950.h"

#include <stdbool.h>

enum { TILE = 16, STEP = 128, BLOCK = 32 };

/* How a kernel treats rows from M on and blocks from K on. */
struct rules {
	u32 codes;       /* num_records of A's codes */
	bool mask_rows;  /* loads of rows past M get OUT_OF_RANGE for an offset; else bounds do */
	bool mask_k;     /* loads past K get it too */
	u32 least_steps; /* of 128, for any K */
	bool all_stage;  /* waves without rows write to LDS too */
};

extern LDS u32x4 staged[];

INLINE u32 place(u32 row, u32 rows, u32 ld, u32 at, u32 of, struct rules rules) {
	bool masked = (rules.mask_rows && row >= rows) || (rules.mask_k && at >= of);
	return masked ? OUT_OF_RANGE : row * ld + at;
}

INLINE void multiply(GLOBAL float *C, const GLOBAL u8 *A, const GLOBAL u8 *SA, const GLOBAL u8 *B,
                     const GLOBAL u8 *SB, u32 M, u32 N, u32 K, struct rules rules) {
	u32 lane = LANE(), wave = WAVE(), ld = K / 2, blocks = K / BLOCK;
	u32 row = wave * TILE + lane % TILE;
	u32 col = __builtin_amdgcn_workgroup_id_x() * TILE + lane % TILE;
	buffer a = make_buffer(A, rules.codes), sa = make_buffer(SA, M * blocks);
	buffer b = make_buffer(B, N * ld), sb = make_buffer(SB, N * blocks);
	bool has_rows = wave * TILE < M;
	f32x4 acc = {};
	u32 least = rules.least_steps * STEP, end = K > least ? K : least;
	for (u32 k = 0; k < end; k += STEP) {
		u32 at = k / BLOCK + lane / TILE;
		u32x4 x = __builtin_amdgcn_raw_buffer_load_b128(
			a, place(row, M, ld, at * 16, ld, rules), 0, 0);
		u32x4 y = __builtin_amdgcn_raw_buffer_load_b128(
			b, place(col, N, ld, at * 16, ld, rules), 0, 0);
		u32 s = __builtin_amdgcn_raw_buffer_load_b8(
			sa, place(row, M, blocks, at, blocks, rules), 0, 0);
		u32 t = __builtin_amdgcn_raw_buffer_load_b8(
			sb, place(col, N, blocks, at, blocks, rules), 0, 0);
		if (has_rows || rules.all_stage)
			staged[wave * 64 + lane] = x;
		if (has_rows)
			x = staged[wave * 64 + lane];
		acc = __builtin_amdgcn_mfma_scale_f32_16x16x128_f8f6f4(
			(i32x8){ x.x, x.y, x.z, x.w }, (i32x8){ y.x, y.y, y.z, y.w }, acc, 4, 4, 0,
			s, 0, t);
	}
	for (u32 r = 0; r < 4; r++) {
		u32 to = wave * TILE + lane / TILE * 4 + r;
		if (to < M)
			C[to * N + col] = acc[r];
	}
}

#define GEMM(name, ...)                                                                            \
	KERNEL(256)                                                                                \
	void name(GLOBAL float *C, const GLOBAL u8 *A, const GLOBAL u8 *SA, const GLOBAL u8 *B,    \
	          const GLOBAL u8 *SB, u32 M, u32 N, u32 K) {                                      \
		multiply(C, A, SA, B, SB, M, N, K, (struct rules){ __VA_ARGS__ });                 \
	}

GEMM(masked, M *K / 2, true, true, 0, false)
GEMM(bounded, M *K / 2, false, true, 0, false) /* rows past M: the bounds give zeros */

GEMM(a6_no_bytes, M *K *(4 / 8), false, true, 0, false)
GEMM(a6_doubled, M *K * 1, false, true, 0, false)
GEMM(a7_sentinel_inside, 0xffffffff, true, true, 0, false)
GEMM(a9_no_mask, M *K / 2, true, false, 0, false)
GEMM(a11_all_stage, M *K / 2, true, true, 0, true)
GEMM(a14_two_stages, M *K / 2, true, false, 2, false)
