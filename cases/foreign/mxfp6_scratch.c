/* MXFP6 GEMM that uses features of compiled kernels under register pressure: accumulators in AGPRs,
 * and results in scratch. C[M][N] = A[M][K] * B[N][K]^T in f32.
 *
 * A is E2M3, B E3M2, 32 elements in 24 bytes, K contiguous, one E8M0 scale for each block. M is a
 * multiple of 16, N of 64, K of 128. A wave computes a strip of four 16x16 tiles. */
typedef unsigned char u8;
typedef unsigned int u32;
typedef unsigned long u64;
typedef int i32x6 __attribute__((ext_vector_type(6)));
typedef float f32x4 __attribute__((ext_vector_type(4)));

#define GLOBAL __attribute__((address_space(1)))

enum { TILE = 16, TILES = 4, BLOCK = 32, BLOCK_BYTES = 24, STEP = 128 };

static i32x6 load_block(const GLOBAL u8 *codes, u64 row, u32 block, u32 K) {
	const GLOBAL u8 *from = codes + row * (K / BLOCK * BLOCK_BYTES) + block * BLOCK_BYTES;
	i32x6 x;
	__builtin_memcpy(&x, (const GLOBAL void *)from, sizeof(int[6]));
	return x;
}

/* In assembly, so that the accumulator is in AGPRs. clang does not analyse it, so it contains its
 * own wait states: for operands that the vector ALU wrote, and for readers of the result [CDNA4 ISA
 * 7.6]. */
#define MULTIPLY(acc, a, b, sa, sb)                                                                \
	asm("s_nop 1\n\tv_mfma_scale_f32_16x16x128_f8f6f4 %0, %1, %2, %0, %3, %4 cbsz:2 "          \
	    "blgp:3\n\t"                                                                           \
	    "s_nop 15"                                                                             \
	    : "+a"(acc)                                                                            \
	    : "v"(a), "v"(b), "v"(sa), "v"(sb))

__attribute__((device_kernel, amdgpu_flat_work_group_size(64, 64))) void
mxfp6_scratch(GLOBAL float *C, const GLOBAL u8 *A, const GLOBAL u8 *SA, const GLOBAL u8 *B,
              const GLOBAL u8 *SB, u32 N, u32 K) {
	u32 lane = __builtin_amdgcn_workitem_id_x(), in_tile = lane % TILE, group = lane / TILE;
	u64 row = __builtin_amdgcn_workgroup_id_y() * TILE;
	u64 col = __builtin_amdgcn_workgroup_id_x() * TILE * TILES;
	f32x4 acc[TILES] = {};
	volatile float result[4 * TILES]; /* volatile, so in scratch */

	for (u32 k = 0; k < K; k += STEP) {
		u32 block = k / BLOCK + group;
		i32x6 a = load_block(A, row + in_tile, block, K);
		u32 sa = SA[(row + in_tile) * (K / BLOCK) + block];
#pragma unroll
		for (u32 t = 0; t < TILES; t++) {
			u64 r = col + t * TILE + in_tile;
			i32x6 b = load_block(B, r, block, K);
			u32 sb = SB[r * (K / BLOCK) + block];
			MULTIPLY(acc[t], a, b, sa, sb);
		}
	}
#pragma unroll
	for (u32 t = 0; t < TILES; t++)
#pragma unroll
		for (u32 r = 0; r < 4; r++)
			result[4 * t + r] = acc[t][r];
	for (u32 i = 0; i < 4 * TILES; i++)
		C[(row + 4 * group + i % 4) * N + col + i / 4 * TILE + in_tile] = result[i];
}
