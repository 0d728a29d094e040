/* Persistent grouped MXFP8 GEMM of a mixture of experts: C_g[M_g][N] = A_g[M_g][K] * B_g[N][K]^T in
 * bf16. Group g has rows begin[g] to begin[g] + rows[g] of A and C, and N rows of B.
 *
 * Any number of workgroups. Each fetches tiles from a counter, which the caller has cleared, until
 * no tile is left. The host has only a bound on the sizes of groups. So tiles are numbered as if
 * every group had max_rows, and tiles past their group's rows are skipped. Wave 0 fetches and
 * passes the number to the other waves through LDS. Any M_g and N, K a multiple of 32; a group's
 * part of each matrix, and 64 rows of it, are below 2 GiB.
 *
 * A workgroup of 4 waves computes a tile of 64x64, each wave 32x32 of it. Operands are loaded
 * directly to two sets of registers: the next step's loads are in flight while this step is
 * multiplied. The loop loads one step too many. The compiler treats the registers of these loads as
 * free, so they must land before the registers are used again. */
#include "../mxfp8.h"

enum { TILE = 64, LOADS = 2 * FRAGS * 2 + 2 * FRAGS }; /* LOADS: of a step, per wave */

/* After a tile's last step: no load may land in registers that are reused. */
#ifndef DRAIN
#define DRAIN(step) wait_step(step, 0)
#endif

/* After a skipped tile: all waves must read this tile's number before wave 0 writes the next. */
#ifndef SKIP_BARRIER
#define SKIP_BARRIER() LDS_BARRIER()
#endif

struct arguments {
	GLOBAL u8 *c;
	const GLOBAL u8 *a, *a_scales, *b, *b_scales;
	const CONSTANT u32 *begin, *rows;
	GLOBAL u32 *next;
	u32 groups, max_rows, N, K;
};

/* ---- which tile ---- */

SHARED volatile u32 told;

/* The next tile, the same for all waves. */
INLINE u32 fetch_tile(GLOBAL u32 *next) {
	if (WAVE() == 0 && LANE() == 0)
		told = __scoped_atomic_fetch_add(next, 1, __ATOMIC_RELAXED, __MEMORY_SCOPE_DEVICE);
	LDS_BARRIER();
	return __builtin_amdgcn_readfirstlane(told);
}

/* ---- a step's operands ---- */

/* A wave's rows of an operand, clipped to the group. */
struct panel {
	u32x4 codes, scales;
};

struct operands {
	u32x4 codes[FRAGS][2];
	u32 scales[FRAGS];
};

INLINE struct panel make_panel(const GLOBAL u8 *codes, const GLOBAL u8 *scales, u64 first, u32 row,
                               u32 rows, u32 K) {
	/* clang saturates in the VALU; assembly needs a descriptor in scalar registers */
	u32 left = __builtin_amdgcn_readfirstlane(row < rows ? rows - row : 0);
	return (struct panel){
		make_descriptor(codes + (first + row) * K, left * K),
		make_descriptor(scales + (first + row) * (K / BLOCK), left * (K / BLOCK)),
	};
}

/* The offsets of the lane's part of a step in either operand; past K they are out of range. */
struct places {
	u32 codes[FRAGS][2], scales[FRAGS];
};

INLINE struct places find_places(u32 k, u32 K) {
	u32 block = k / BLOCK + LANE() / 16, blocks = K / BLOCK;
	struct places at;
#pragma unroll
	for (u32 i = 0; i < FRAGS; i++) {
		u32 scale = (i * FRAGMENT + LANE() % 16) * blocks + block;
		at.codes[i][0] = code_offset(i, 0, k, K);
		at.codes[i][1] = code_offset(i, 1, k, K);
		at.scales[i] = block < blocks ? scale : OUT_OF_RANGE;
	}
	return at;
}

INLINE void load_operands(const struct panel *p, const struct places *at, struct operands *x) {
#pragma unroll
	for (u32 i = 0; i < FRAGS; i++) {
		LOAD_B128(x->codes[i][0], p->codes, at->codes[i][0]);
		LOAD_B128(x->codes[i][1], p->codes, at->codes[i][1]);
		LOAD_U8(x->scales[i], p->scales, at->scales[i]);
	}
}

struct step {
	struct operands a, b;
};

/* Waits for a step's loads; `left` of these and later loads may stay in flight. The named registers
 * give the compiler the def-use edges without which it may move an MFMA above the wait, and keep it
 * from reusing the registers earlier. */
INLINE void wait_step(struct step *s, u32 left) {
	asm volatile("s_waitcnt vmcnt(%12)"
	             : "+v"(s->a.codes[0][0]), "+v"(s->a.codes[0][1]), "+v"(s->a.codes[1][0]),
	               "+v"(s->a.codes[1][1]), "+v"(s->a.scales[0]), "+v"(s->a.scales[1]),
	               "+v"(s->b.codes[0][0]), "+v"(s->b.codes[0][1]), "+v"(s->b.codes[1][0]),
	               "+v"(s->b.codes[1][1]), "+v"(s->b.scales[0]), "+v"(s->b.scales[1])
	             : "n"(left));
}

/* ---- a tile ---- */

struct tile {
	struct panel a, b;
	u32 K;
	f32x4 acc[FRAGS][FRAGS];
};

/* The compiler must treat the addresses as used after the loads. Adjacent loads are repeated
 * together after a page fault, so none may overwrite an address of another [LLVM
 * GCNHazardRecognizer: soft clauses]. */
INLINE void load_step(const struct tile *t, u32 k, struct step *s) {
	struct places at = find_places(k, t->K);
	load_operands(&t->a, &at, &s->a);
	load_operands(&t->b, &at, &s->b);
	asm volatile("" ::"v"(at.codes[0][0]), "v"(at.codes[0][1]), "v"(at.codes[1][0]),
	             "v"(at.codes[1][1]), "v"(at.scales[0]), "v"(at.scales[1]));
}

/* A step past K has zeros, which would turn a sum of -0 into +0. */
INLINE void do_step(struct tile *t, u32 k, struct step *now, struct step *next) {
	load_step(t, k + STEP, next);
	wait_step(now, LOADS);
	if (k < t->K)
		multiply(now->a.codes, now->b.codes, now->a.scales, now->b.scales, t->acc);
}

/* Adds all of K, two steps at a time, because there are two sets of registers. A second exit of the
 * loop would make the compiler copy registers with loads in flight. */
INLINE void multiply_tile(struct tile *t) {
	struct step even, odd;
	load_step(t, 0, &even);
	for (u32 k = 0; k < t->K; k += 2 * STEP) {
		do_step(t, k, &even, &odd);
		do_step(t, k + STEP, &odd, &even);
	}
	DRAIN(&even);
}

INLINE void make_tile(const struct arguments *p, u32 g, u32 row, u32 col) {
	u32 begin = p->begin[g], rows = p->rows[g], N = p->N, K = p->K;
	row += WAVE() / 2 * WAVE_TILE;
	col += WAVE() % 2 * WAVE_TILE;
	struct tile t = {
		make_panel(p->a, p->a_scales, begin, row, rows, K),
		make_panel(p->b, p->b_scales, (u64)g * N, col, N, K),
		K,
		{},
	};
	multiply_tile(&t);
	store_tile(make_buffer(p->c + (u64)begin * N * 2, rows * N * 2), row, col, N, 2, t.acc);
}

KERNEL(256) void mxfp8_persistent(struct arguments p) {
	u32 tiles_n = (p.N + TILE - 1) / TILE, tiles_m = (p.max_rows + TILE - 1) / TILE;
	u32 tile;
	while ((tile = fetch_tile(p.next)) < p.groups * tiles_m * tiles_n) {
		u32 g = tile / (tiles_m * tiles_n), in_group = tile % (tiles_m * tiles_n);
		u32 row = in_group / tiles_n * TILE, col = in_group % tiles_n * TILE;
		if (row >= p.rows[g]) {
			SKIP_BARRIER();
			continue;
		}
		make_tile(&p, g, row, col);
		LDS_BARRIER();
	}
}
