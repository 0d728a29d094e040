/* A small MXFP4 GEMM for gfx950, to start from: C[M][N] = A[M][K] * B[N][K]^T in f32.
 *
 * A and B are E2M1, two elements a byte, low nibble first, K contiguous; SA and SB have one
 * E8M0 scale for each 32 elements of a row. M and N are multiples of 16, K of 128.
 *
 * One wave computes one 16x16 tile with one scaled MFMA for each 128 of K. No LDS, no asm, no
 * header: clang places all loads and waits. Compile and run:
 *
 *   clang -x c -std=gnu11 --target=amdgcn-amd-amdhsa -mcpu=gfx950 -nogpulib -ffreestanding -O2 \
 *         -c mxfp4_small.c -o mxfp4_small.o
 *   ld.lld -shared mxfp4_small.o -o mxfp4_small.co
 *   mxcheck run --case mxfp4_small.yaml
 */
typedef unsigned char u8;
typedef unsigned int u32;
typedef unsigned long u64;
typedef int i32x4 __attribute__((ext_vector_type(4)));
typedef int i32x8 __attribute__((ext_vector_type(8)));
typedef float f32x4 __attribute__((ext_vector_type(4)));

#define GLOBAL __attribute__((address_space(1)))

enum { TILE = 16, BLOCK = 32, STEP = 128, E2M1 = 4 /* format code of the MFMA's operands */ };

/* The 32 elements of a block are 16 bytes; the instruction takes 32 bytes a lane, of which
 * FP4 uses the first half. */
static i32x8 load_block(const GLOBAL u8 *codes, u64 row, u32 block, u32 K) {
	i32x4 x = *(const GLOBAL i32x4 *)(codes + row * (K / 2) + block * (BLOCK / 2));
	return (i32x8){ x.x, x.y, x.z, x.w };
}

static u32 load_scale(const GLOBAL u8 *scales, u64 row, u32 block, u32 K) {
	return scales[row * (K / BLOCK) + block];
}

__attribute__((device_kernel, amdgpu_flat_work_group_size(64, 64))) void
mxfp4_small(GLOBAL float *C, const GLOBAL u8 *A, const GLOBAL u8 *SA, const GLOBAL u8 *B,
            const GLOBAL u8 *SB, u32 N, u32 K) {
	u32 lane = __builtin_amdgcn_workitem_id_x();
	u64 row = __builtin_amdgcn_workgroup_id_y() * TILE;
	u64 col = __builtin_amdgcn_workgroup_id_x() * TILE;
	u64 lane_row = row + lane % TILE, lane_col = col + lane % TILE;
	f32x4 acc = {};

	/* Lane l holds block l / 16 of row l % 16, of either operand, and that block's scale. */
	for (u32 k = 0; k < K; k += STEP) {
		u32 block = k / BLOCK + lane / TILE;
		acc = __builtin_amdgcn_mfma_scale_f32_16x16x128_f8f6f4(
			load_block(A, lane_row, block, K), load_block(B, lane_col, block, K), acc,
			E2M1, E2M1, 0, load_scale(SA, lane_row, block, K), 0,
			load_scale(SB, lane_col, block, K));
	}

	/* Its results are column l % 16, rows 4 (l / 16) to 4 (l / 16) + 3. */
	for (u32 r = 0; r < 4; r++)
		C[(row + lane / TILE * 4 + r) * N + lane_col] = acc[r];
}
