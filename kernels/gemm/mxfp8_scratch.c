/* MXFP8 GEMM with spills: C[M][N] = A[M][K] * B[N][K]^T in bf16. A wave keeps the addresses of its
 * LDS buffers in scratch, like compiled code that runs out of scalar registers.
 *
 * A and B are row-major E4M3, scales row-major with K/32 bytes a row. Any M and N, K a multiple of
 * 128; each matrix, and 32 rows of it, are below 2 GiB. A workgroup is one wave, which computes a
 * tile of 32x32. Operands and scales pass through two LDS buffers by buffer_load ... lds, with the
 * data of each lane contiguous:
 *
 *   step s:  wait for the address -> reload the next -> load s+1 -> wait for s -> read, MFMA
 *
 * M0 of these loads comes from scratch_load, which may or may not return in order with them. The
 * manual defines all of vmcnt as in order; a kernel that does not rely on it waits for all loads
 * before it uses M0. */
#include "../mxfp8.h"

enum {
	CODE_LOADS = FRAGS * 2,             /* of an operand and step: 16 bytes per lane */
	LOADS = 2 * CODE_LOADS + 2 * FRAGS, /* of a step; scales have 4 bytes per lane */
	OPERAND_BYTES = CODE_LOADS * 1024 + FRAGS * 256,
	STEP_BYTES = 2 * OPERAND_BYTES,
};

/* Operations that may be in flight when the address from scratch is used. */
#ifndef LEFT_AT_ADDRESS
#define LEFT_AT_ADDRESS 0
#endif

#define PRIVATE __attribute__((address_space(5)))

SHARED u8 stage[2][STEP_BYTES];

/* In assembly, because the compiler would add its own wait. */
INLINE void reload(u32 *value, const u32 *from) {
	asm volatile("scratch_load_dword %0, %1, off"
	             : "+v"(*value)
	             : "v"((const PRIVATE u32 *)from)
	             : "memory");
}

/* Waits until at most `left` operations are in flight. The named value keeps the compiler from
 * reusing its register earlier. */
INLINE void wait_reload(u32 *value, u32 left) {
	asm volatile("s_waitcnt vmcnt(%1)" : "+v"(*value) : "n"(left));
}

struct operand {
	buffer codes, scales;
};

INLINE struct operand make_operand(const GLOBAL u8 *codes, const GLOBAL u8 *scales, u32 row,
                                   u32 rows, u32 K) {
	u32 left = rows - row;
	return (struct operand){
		make_buffer(codes + (u64)row * K, left * K),
		make_buffer(scales + (u64)row * (K / BLOCK), left * (K / BLOCK)),
	};
}

/* Loads a step's operand to LDS: the lane's halves of each fragment's codes, then its row's 4
 * scales. */
INLINE void send(const struct operand *x, LDS u8 *to, u32 k, u32 K) {
#pragma unroll
	for (u32 i = 0; i < CODE_LOADS; i++)
		load_to_lds(x->codes, to + i * 1024, code_offset(i / 2, i % 2, k, K));
#pragma unroll
	for (u32 i = 0; i < FRAGS; i++) {
		u32 at = (i * FRAGMENT + LANE() % 16) * (K / BLOCK) + k / BLOCK;
		__builtin_amdgcn_raw_ptr_buffer_load_lds(
			x->scales, (LDS void *)(to + CODE_LOADS * 1024 + i * 256), 4,
			k < K ? at : OUT_OF_RANGE, 0, 0, 0);
	}
}

struct fragments {
	u32x4 codes[FRAGS][2];
	u32 scales[FRAGS];
};

INLINE void read(const LDS u8 *from, struct fragments *f) {
	u32 at = (u32)from + LANE() * 16, scales = (u32)from + CODE_LOADS * 1024 + LANE() * 4;
	LDS_READ_B128(f->codes[0][0], at, 0);
	LDS_READ_B128(f->codes[0][1], at, 1024);
	LDS_READ_B128(f->codes[1][0], at, 2048);
	LDS_READ_B128(f->codes[1][1], at, 3072);
	LDS_READ_B32(f->scales[0], scales, 0);
	LDS_READ_B32(f->scales[1], scales, 256);
}

INLINE void wait_fragments(struct fragments *f) {
	asm volatile("s_waitcnt lgkmcnt(0)"
	             : "+v"(f->codes[0][0]), "+v"(f->codes[0][1]), "+v"(f->codes[1][0]),
	               "+v"(f->codes[1][1]), "+v"(f->scales[0]), "+v"(f->scales[1])
	             :
	             : "memory");
	for (u32 i = 0; i < FRAGS; i++)
		f->scales[i] >>= LANE() / 16 * 8;
}

INLINE void multiply_step(const LDS u8 *from, f32x4 acc[FRAGS][FRAGS]) {
	struct fragments a, b;
	read(from, &a);
	read(from + OPERAND_BYTES, &b);
	wait_fragments(&a);
	wait_fragments(&b);
	multiply(a.codes, b.codes, a.scales, b.scales, acc);
}

KERNEL(64)
void mxfp8_scratch(GLOBAL u8 *C, const GLOBAL u8 *A, const GLOBAL u8 *SA, const GLOBAL u8 *B,
                   const GLOBAL u8 *SB, u32 M, u32 N, u32 K) {
	u32 row = __builtin_amdgcn_workgroup_id_y() * WAVE_TILE;
	u32 col = __builtin_amdgcn_workgroup_id_x() * WAVE_TILE;
	struct operand a = make_operand(A, SA, row, M, K), b = make_operand(B, SB, col, N, K);
	u32 spilled[2];
	u32 address = (u32)stage[0];
	f32x4 acc[FRAGS][FRAGS] = {};

	spilled[0] = (u32)stage[0];
	spilled[1] = (u32)stage[1];
	reload(&address, &spilled[1]);
	send(&a, stage[0], 0, K);
	send(&b, stage[0] + OPERAND_BYTES, 0, K);
	for (u32 s = 0; s * STEP < K; s++) {
		wait_reload(&address, LEFT_AT_ADDRESS);
		LDS u8 *to = (LDS u8 *)__builtin_amdgcn_readfirstlane(address);
		reload(&address, &spilled[s & 1]);
		send(&a, to, (s + 1) * STEP, K);
		send(&b, to + OPERAND_BYTES, (s + 1) * STEP, K);
		WAIT_VMCNT(LOADS);
		multiply_step(stage[s & 1], acc);
	}
	/* no load may land in LDS that was released, nor in a register that is reused */
	wait_reload(&address, 0);
	u32 rows = M - row < WAVE_TILE ? M - row : WAVE_TILE;
	store_tile(make_buffer(C + (u64)row * N * 2, rows * N * 2), 0, col, N, 2, acc);
}
