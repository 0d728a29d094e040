/* MXFP8 GEMM for gfx1250 with plain loads: C[M][N] = A[M][K] * B[N][K]^T in f32, E4M3, E8M0 scales
 * on 32-blocks of K. A and B are row-major, scales have ld bytes a row, a multiple of 4. Any M and
 * N; K is a multiple of 32. A workgroup is one wave and computes 16x16 in steps of 128. */
#define GLOBAL __attribute__((address_space(1)))
#define INLINE static inline __attribute__((always_inline))
#define KERNEL __attribute__((amdgpu_kernel, reqd_work_group_size(LANES, 1, 1))) void

typedef unsigned u32;
typedef unsigned char u8;
typedef int i32x16 __attribute__((ext_vector_type(16)));
typedef u32 u32x4 __attribute__((ext_vector_type(4)));
typedef float f32x8 __attribute__((ext_vector_type(8)));

enum { LANES = 32, TILE = 16, STEP = 128, CHUNK = 16, BLOCK = 32, E4M3 = 0, E8M0 = 0 };

INLINE u32 lane(void) {
	return __builtin_amdgcn_workitem_id_x();
}

/* A lane has the chunks of 16 elements 0, 2, 4 and 6 of its row, or 1, 3, 5 and 7. Those past K are
 * zeros. */
INLINE i32x16 load_codes(const GLOBAL u8 *row, u32 k, u32 K) {
	union {
		u32x4 chunk[4];
		i32x16 all;
	} x;
#pragma unroll
	for (u32 i = 0; i < 4; i++) {
		u32 at = k + (2 * i + lane() / TILE) * CHUNK;
		x.chunk[i] = at < K ? *(const GLOBAL u32x4 *)(row + at) : (u32x4){ 0 };
	}
	return x.all;
}

/* The scales of four blocks; those past K become 2^-127, because 0xFF would be NaN. */
INLINE int load_scales(const GLOBAL u8 *row, u32 k, u32 K) {
	u32 word = *(const GLOBAL u32 *)(row + k / BLOCK), left = (K - k) / BLOCK;
	return (int)(left < 4 ? word & ((1u << 8 * left) - 1) : word);
}

KERNEL mxfp8_gemm(GLOBAL float *c, const GLOBAL u8 *a, const GLOBAL u8 *scales_a,
                  const GLOBAL u8 *b, const GLOBAL u8 *scales_b, u32 M, u32 N, u32 K, u32 ld) {
	u32 first_row = __builtin_amdgcn_workgroup_id_y() * TILE;
	u32 first_col = __builtin_amdgcn_workgroup_id_x() * TILE;
	u32 row = first_row + lane() % TILE, col = first_col + lane() % TILE;
	u32 in_a = row < M ? row : M - 1, in_b = col < N ? col : N - 1;
	const GLOBAL u8 *of_a = scales_a + in_a * ld, *of_b = scales_b + in_b * ld;
	f32x8 sum = { 0 };
	for (u32 k = 0; k < K; k += STEP) {
		i32x16 x = load_codes(a + in_a * K, k, K), y = load_codes(b + in_b * K, k, K);
		sum = __builtin_amdgcn_wmma_scale_f32_16x16x128_f8f6f4(
			E4M3, x, E4M3, y, 0, sum, 0, E8M0, load_scales(of_a, k, K), 0, E8M0,
			load_scales(of_b, k, K), 0, 0);
	}
#pragma unroll
	for (u32 i = 0; i < 8; i++) {
		u32 to = first_row + lane() / TILE * 8 + i;
		if (to < M && col < N)
			c[to * N + col] = sum[i];
	}
}
