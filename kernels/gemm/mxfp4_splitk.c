/* Split-K MXFP4 GEMM: C[M][N] += A[M][K] * B[N][K]^T in bf16, by packed atomic additions.
 *
 * A workgroup computes a 16x16 tile. Each wave computes it for one split of K, rounds it to bf16
 * and adds it to C, which the caller has cleared. Operands are as in mxfp4_gemm.c, but scales may
 * have any ld. M any, N even, K a multiple of 32, k_split a multiple of 128.
 *
 * The MFMA's rows are columns of C: so a lane holds 4 neighbours of one row, two pairs for packed
 * atomics. The order of the splits is not defined, and so the last bits of C are not. */
#include "../gfx950.h"

enum { TILE = 16, STEP = 128, BLOCKS = STEP / 32 };

typedef short bf16x2 __attribute__((ext_vector_type(2)));

/* The number of times that the split at k is added. */
#ifndef TIMES_ADDED
#define TIMES_ADDED(k, k_split, K) 1
#endif

/* Adds two sums to those of other splits. */
#ifndef ADD_BF16X2
#define ADD_BF16X2 __builtin_amdgcn_global_atomic_fadd_v2bf16
#endif

/* The block of scales at k, in the split from `from` on. */
#ifndef BLOCK_AT
#define BLOCK_AT(from, k) ((void)(from), (k) / 32)
#endif

/* The element of C at which a row begins. */
#ifndef OUTPUT_AT
#define OUTPUT_AT(row, N) ((u64)(row) * (N))
#endif

/* Row r's block b of a step: 16 bytes of codes; zeros past the ends. */
INLINE i32x8 load_codes(buffer codes, u32 row, u32 rows, u32 K, u32 k) {
	u32 at = row < rows && k < K ? row * (K / 2) + k / 2 : OUT_OF_RANGE;
	u32x4 f = __builtin_amdgcn_raw_buffer_load_b128(codes, at, 0, 0);
	return (i32x8){ f.x, f.y, f.z, f.w, 0, 0, 0, 0 };
}

INLINE u32 load_scale(buffer scales, u32 row, u32 rows, u32 ld, u32 K, u32 from, u32 k) {
	u32 at = row < rows && k < K ? row * ld + BLOCK_AT(from, k) : OUT_OF_RANGE;
	return __builtin_amdgcn_raw_buffer_load_b8(scales, at, 0, 0);
}

INLINE void add_pair(GLOBAL u16 *C, u32 row, u32 col, u32 M, u32 N, float x, float y) {
	bf16x2 pair = { (short)bf16_rne(x), (short)bf16_rne(y) };
	if (row < M && col < N)
		ADD_BF16X2((GLOBAL bf16x2 *)(C + OUTPUT_AT(row, N) + col), pair);
}

__attribute__((device_kernel, amdgpu_flat_work_group_size(64, 512))) void
mxfp4_splitk_bf16(GLOBAL u16 *C, const GLOBAL u8 *A, const GLOBAL u8 *SA, const GLOBAL u8 *B,
                  const GLOBAL u8 *SB, u32 M, u32 N, u32 K, u32 ld_scale, u32 k_split) {
	u32 row = __builtin_amdgcn_workgroup_id_y() * TILE + LANE() % TILE;
	u32 tile = __builtin_amdgcn_workgroup_id_x() * TILE, col = tile + LANE() % TILE;
	u32 from = WAVE() * k_split;
	u32 to = from + k_split < K ? from + k_split : K;
	buffer a = make_buffer(A, M * (K / 2)), b = make_buffer(B, N * (K / 2));
	buffer sa = make_buffer(SA, M * ld_scale), sb = make_buffer(SB, N * ld_scale);
	f32x4 acc = {};
	for (u32 k = from; k < to; k += STEP) {
		u32 mine = k + LANE() / TILE * 32;
		i32x8 fa = load_codes(a, row, M, K, mine), fb = load_codes(b, col, N, K, mine);
		u32 xa = load_scale(sa, row, M, ld_scale, K, from, mine);
		u32 xb = load_scale(sb, col, N, ld_scale, K, from, mine);
		acc = __builtin_amdgcn_mfma_scale_f32_16x16x128_f8f6f4(fb, fa, acc, 4, 4, 0, xb, 0,
		                                                       xa);
	}
	u32 first = tile + LANE() / TILE * 4;
	for (u32 i = 0; i < TIMES_ADDED(from, k_split, K); i++) {
		add_pair(C, row, first, M, N, acc.x, acc.y);
		add_pair(C, row, first + 2, M, N, acc.z, acc.w);
	}
}
