/* MXFP4 GEMM for gfx950 by two alternating groups of waves, one multiplies while the other reads:
 * C[M][N] = A[M][K] * B[N][K]^T in f32 or bf16 (nearest even).
 *
 * A and B are row-major, scales S32x8. C is row-major. Any M and N, K a multiple of 512 and at
 * least 1024. 256 rows of each matrix are below 2 GiB.
 *
 * A workgroup of 8 waves computes a 256x256 tile. Waves i and i + 4 share a SIMD and belong to
 * different groups. A wave computes 128x64: in each half of the tile, 128 rows, the 64 rows of its
 * group.
 *
 * A step of K is four clusters, each ended by a barrier. Group 1 starts one barrier late. So
 * between two barriers one group has a memory cluster and the other a matrix cluster:
 *
 *   group 0  | read A0, B; load A1 | A0 B | read A1; load A0, B | A1 B | read A0, B ...
 *   group 1  | ...            A1 B | read A0, B; load A1 | A0 B | read A1; load A0, B | ...
 *
 * A0 and A1 are the halves of A. LDS holds two steps. Step s loads A1 of step s + 1, then its
 * scales to registers, then A0 and B of step s + 2, over data that both groups have read one
 * cluster before. A memory cluster ends with the waits for the other group's next memory cluster:
 * for its own reads, before others load over the data, and for its share of B (a group itself loads
 * the rows of A that it reads). A step's loads stay in flight across the barriers.
 *
 * The last two steps, which load less, are apart from the loop. */
#include "placed.h"

enum {
	WAVES = 8,
	HALF = TILE / 2,
	GROUP_A = HALF / 2, /* rows of a group of waves in a half */
	FRAGS_M = GROUP_A / 16,
	GROUPS_M = GROUP_A / GROUP_ROWS,
	GROUPS_N = COLUMNS / GROUP_ROWS,
	ROW = STEP / 2, /* bytes of a row in LDS */
	PANEL = TILE * ROW,
	DMA_ROWS = DMA / ROW,
	MOST_AHEAD = 3, /* steps */
};

/* A wave's vector memory operations of a step: a half of A, B, scales. */
enum {
	LOADS_A = HALF / DMA_ROWS / WAVES,
	LOADS_B = TILE / DMA_ROWS / WAVES,
	LOADS_SCALES = 2 * GROUPS_M + GROUPS_N,
};

/* The end of a memory cluster: `left` operations stay in flight, and all LDS reads are complete. */
#ifndef END_MEMORY
#define END_MEMORY(left) (WAIT_VMCNT(left), WAIT_READS(0), BARRIER())
#endif

/* The end of a matrix cluster. */
#ifndef END_MATRIX
#define END_MATRIX() BARRIER()
#endif

/* The barriers by which group 1 is late. */
#ifndef PHASE
#define PHASE 1
#endif

/* Before the panels, because M0 is up to MOST_AHEAD steps less than where a load writes. */
struct panels {
	u8 before[MOST_AHEAD * ROW], a[2][PANEL], b[2][PANEL];
};

SHARED struct panels panels;

struct scales {
	u32 a[2][GROUPS_M], b[GROUPS_N];
};

/* [half of K][fragment] */
typedef u32x4 fragments_a[2][FRAGS_M], fragments_b[2][FRAGS_N];
typedef f32x4 accumulators[2][FRAGS_M][FRAGS_N];

/* A wave's part of the product. */
struct wave {
	u32x4 a, b, a_scales, b_scales;                      /* descriptors */
	u32 at_a[2][LOADS_A], at_b[LOADS_B];                 /* the lane's offsets */
	u32 at_a_scales[2][GROUPS_M], at_b_scales[GROUPS_N]; /* in step 0 */
	u32 to_a, to_b;                                      /* LDS of its loads, of even steps */
	u32 read_a[2], read_b[2];                            /* of its reads, for halves of K */
	u32 k, k_scales;                                     /* bytes before the even step */
};

/* ---- a wave's place ---- */

/* The lane's offset of the n-th load of rows from `first` on, a multiple of 16. Chunk c of row r is
 * at c ^ (r / 2 % 8) in LDS: a row has half of the 64 banks, so the 16 lanes that read chunk c of
 * 16 rows use every bank once. A load has DMA_ROWS = 8 rows, so the next one has the other bit 2.
 */
INLINE u32 load_offset(u32 K, u32 first, u32 n) {
	u32 row = LANE() / DMA_ROWS, c = LANE() % 8 ^ row / 2;
	u32 before = (first + n * DMA_ROWS) * (K / 2) + BEFORE_DMA - n * DMA;
	return (row * (K / 2) + (c ^ n % 2 * 4) * CHUNK) + before;
}

INLINE u32 read_address(LDS u8 *panel, u32 row, u32 half) {
	u32 r = LANE() % 16, c = LANE() / 16 ^ r / 2;
	return r * ROW + (c ^ half * 4) * CHUNK + ((u32)panel + row * ROW);
}

INLINE u32 scale_offset(u32 K, u32 row) {
	return row / GROUP_ROWS * scale_bytes(K) + LANE() * 4;
}

INLINE struct wave find_wave(const struct matrices *m, u32 row, u32 col) {
	u32 K = m->K, group = WAVE() / 4, in_group = WAVE() % 4;
	u32 rows_a = group * GROUP_A, load_a = rows_a + in_group * LOADS_A * DMA_ROWS;
	u32 columns = in_group * COLUMNS, load_b = WAVE() * LOADS_B * DMA_ROWS;
	struct wave w;
	w.a = tile_descriptor(m->a, row, m->M, 1, K / 2, 0, BEFORE_DMA);
	w.b = tile_descriptor(m->b, col, m->N, 1, K / 2, 0, BEFORE_DMA);
	w.a_scales = tile_descriptor(m->a_scales, row, m->M, GROUP_ROWS, scale_bytes(K), 0, 0);
	w.b_scales = tile_descriptor(m->b_scales, col, m->N, GROUP_ROWS, scale_bytes(K), 0, 0);
#pragma unroll
	for (u32 i = 0; i < 2; i++) {
#pragma unroll
		for (u32 n = 0; n < LOADS_A; n++)
			w.at_a[i][n] = load_offset(K, i * HALF + load_a, n);
#pragma unroll
		for (u32 g = 0; g < GROUPS_M; g++)
			w.at_a_scales[i][g] = scale_offset(K, i * HALF + rows_a + g * GROUP_ROWS);
		w.read_a[i] = read_address(panels.a[0], rows_a, i);
		w.read_b[i] = read_address(panels.b[0], columns, i);
	}
#pragma unroll
	for (u32 n = 0; n < LOADS_B; n++)
		w.at_b[n] = load_offset(K, load_b, n);
#pragma unroll
	for (u32 g = 0; g < GROUPS_N; g++)
		w.at_b_scales[g] = scale_offset(K, columns + g * GROUP_ROWS);
	w.to_a = scalar((u32)panels.a[0] + load_a * ROW);
	w.to_b = scalar((u32)panels.b[0] + load_b * ROW);
	w.k = w.k_scales = CONSTANT_SGPR(0);
	return w;
}

/* ---- clusters ---- */

INLINE void read_a(const struct wave *w, u32 parity, u32 half, u32 first, fragments_a f) {
#pragma unroll
	for (u32 n = first; n < first + FRAGS_M; n++)
		LDS_READ_B128(f[n / FRAGS_M][n % FRAGS_M], w->read_a[n / FRAGS_M],
		              parity * PANEL + half * HALF * ROW + n % FRAGS_M * 16 * ROW);
}

INLINE void read_b(const struct wave *w, u32 parity, fragments_b f) {
#pragma unroll
	for (u32 n = 0; n < 2 * FRAGS_N; n++)
		LDS_READ_B128(f[n / FRAGS_N][n % FRAGS_N], w->read_b[n / FRAGS_N],
		              parity * PANEL + n % FRAGS_N * 16 * ROW);
}

/* Loads of the step that is `ahead` steps after the even one. The offset of an LDS-DMA counts in
 * LDS too, so M0 is less by it. Another instruction has to stand between M0 and its loads. */
#define M0_OF_A(w, parity, half, ahead)                                                            \
	SET_M0((w)->to_a, (parity)*PANEL + (half)*HALF * ROW - (ahead)*ROW)
#define M0_OF_B(w, parity, ahead) SET_M0((w)->to_b, (parity)*PANEL - (ahead)*ROW)

INLINE void load_a(const struct wave *w, u32 half, u32 ahead) {
#pragma unroll
	for (u32 n = 0; n < LOADS_A; n++)
		LOAD_LDS_AFTER(n, ahead * ROW, w->a, w->at_a[half][n], w->k);
}

INLINE void load_b(const struct wave *w, u32 ahead) {
#pragma unroll
	for (u32 n = 0; n < LOADS_B; n++)
		LOAD_LDS_AFTER(n, ahead * ROW, w->b, w->at_b[n], w->k);
}

/* The offsets are used after the loads: adjacent loads are repeated together after a page fault, so
 * none may overwrite an offset of another [LLVM GCNHazardRecognizer: soft clauses]. */
INLINE void load_scales(const struct wave *w, u32 ahead, struct scales *s) {
#pragma unroll
	for (u32 n = 0; n < 2 * GROUPS_M; n++)
		LOAD_DIRECT("dword", s->a[n / GROUPS_M][n % GROUPS_M], w->a_scales,
		            w->at_a_scales[n / GROUPS_M][n % GROUPS_M], w->k_scales,
		            ahead * SCALE_STEP);
#pragma unroll
	for (u32 n = 0; n < GROUPS_N; n++)
		LOAD_DIRECT("dword", s->b[n], w->b_scales, w->at_b_scales[n], w->k_scales,
		            ahead * SCALE_STEP);
#pragma unroll
	for (u32 n = 0; n < 2 * GROUPS_M; n++)
		USE_V(w->at_a_scales[n / GROUPS_M][n % GROUPS_M]);
#pragma unroll
	for (u32 n = 0; n < GROUPS_N; n++)
		USE_V(w->at_b_scales[n]);
}

/* With priority, because the other group on the SIMD only has to issue. Products of the same
 * accumulator are 16 instructions apart. */
INLINE void matrix_cluster(fragments_a a, fragments_b b, const struct scales *s, u32 half,
                           int from_zero, accumulators acc) {
	__builtin_amdgcn_s_setprio(1);
#pragma unroll
	for (u32 n = 0; n < 2 * FRAGS_M * FRAGS_N; n++) {
		u32 k = n / (FRAGS_M * FRAGS_N), i = n / FRAGS_N % FRAGS_M, j = n % FRAGS_N;
		u32 sb = s->b[j / 2], sa = s->a[half][i / 2];
		f32x4 *to = &acc[half][i][j];
		if (from_zero && k == 0)
			asm volatile(MFMA_TEXT("%0", "0")
			             : "=&v"(*to)
			             : MFMA_INPUTS(b[k][j], a[k][i], sb, sa, j % 2, i % 2, k));
		else
			asm volatile(MFMA_TEXT("%0", "%0")
			             : "+v"(*to)
			             : MFMA_INPUTS(b[k][j], a[k][i], sb, sa, j % 2, i % 2, k));
	}
	__builtin_amdgcn_s_setprio(0);
	END_MATRIX();
}

/* ---- a step ---- */

/* The values are opaque: the compiler would add again before a load, which needs a wait state. */
INLINE void advance(struct wave *w) {
	w->k += 2 * ROW;
	w->k_scales += 2 * SCALE_STEP;
	asm volatile("" : "+s"(w->k), "+s"(w->k_scales));
}

/* What a step loads: for the next two, for the next one, nothing. */
enum ahead { TWO, ONE, NONE };

/* The accumulators are added to, or begin with zero. At its start A1 and the scales of its step,
 * and A0 and B of the next step are in flight. */
INLINE void do_step(struct wave *w, u32 parity, enum ahead ahead, int from_zero,
                    const struct scales *now, struct scales *next, accumulators acc) {
	u32 next_step = parity + 1, after = parity + 2;
	fragments_a a;
	fragments_b b;

	if (ahead != NONE)
		M0_OF_A(w, !parity, 1, next_step);
	read_a(w, parity, 0, 0, a);
	read_a(w, parity, 0, FRAGS_M, a);
	read_b(w, parity, b);
	if (ahead != NONE) {
		load_a(w, 1, next_step);
		END_MEMORY(LOADS_A + LOADS_B + LOADS_A);
	} else {
		END_MEMORY(0);
	}
	matrix_cluster(a, b, now, 0, from_zero, acc);

	if (ahead != NONE)
		load_scales(w, next_step, next);
	if (ahead == TWO)
		M0_OF_A(w, parity, 0, after);
	read_a(w, parity, 1, 0, a);
	if (ahead == TWO) {
		load_a(w, 0, after);
		M0_OF_B(w, parity, after);
	}
	read_a(w, parity, 1, FRAGS_M, a);
	if (ahead == TWO) {
		load_b(w, after);
		END_MEMORY(LOADS_A + LOADS_SCALES + LOADS_A + LOADS_B);
	} else {
		END_MEMORY(LOADS_A + LOADS_SCALES);
	}
	matrix_cluster(a, b, now, 1, from_zero, acc);
}

/* Loads outside of clusters, of step 0 or 1. */
INLINE void load_a_alone(const struct wave *w, u32 half, u32 step) {
	M0_OF_A(w, step, half, step);
	asm volatile("s_nop 0");
	load_a(w, half, step);
}

INLINE void load_b_alone(const struct wave *w, u32 step) {
	M0_OF_B(w, step, step);
	asm volatile("s_nop 0");
	load_b(w, step);
}

/* Loads step 0, and A0 and B of step 1. */
INLINE void begin(struct wave *w, struct scales *s) {
	load_a_alone(w, 0, 0);
	load_b_alone(w, 0);
	load_a_alone(w, 1, 0);
	load_scales(w, 0, s);
	load_a_alone(w, 0, 1);
	load_b_alone(w, 1);
	WAIT_VMCNT(LOADS_A + LOADS_SCALES + LOADS_A + LOADS_B);
	BARRIER();
}

INLINE void be_late(u32 is_late) {
	if (is_late)
#pragma unroll
		for (u32 i = 0; i < PHASE; i++)
			BARRIER();
}

INLINE void do_two(struct wave *w, int from_zero, struct scales *even, struct scales *odd,
                   accumulators acc) {
	do_step(w, 0, TWO, from_zero, even, odd, acc);
	do_step(w, 1, TWO, 0, odd, even, acc);
	advance(w);
}

/* An even number of steps, at least four. */
INLINE void multiply(struct wave *w, u32 steps, u32 group, accumulators acc) {
	struct scales even, odd;

	begin(w, &even);
	be_late(group == 1);
	do_two(w, 1, &even, &odd, acc);
	for (u32 s = 6; s <= steps; s += 2)
		do_two(w, 0, &even, &odd, acc);
	do_step(w, 0, ONE, 0, &even, &odd, acc);
	do_step(w, 1, NONE, 0, &odd, &even, acc);
	be_late(group == 0);
}

/* ---- output ---- */

/* The bytes from the rows of fragment n to those of the next one. */
INLINE u32 to_next(const struct output *o, u32 n) {
	return n % FRAGS_M + 1 < FRAGS_M ? o->next_row : o->next_row * (HALF / 16 - FRAGS_M + 1);
}

INLINE void store_all_columns(GLOBAL u8 *C, const struct output *o, u32 j, u32 N, u32 size,
                              accumulators acc) {
	buffer to = make_buffer(C + o->at, fragment_bytes(o, j, N));
	u32 at[4], rows = 0;
	find_columns(o, j, N, size, at);
#pragma unroll
	for (u32 n = 0; n < 2 * FRAGS_M; n++) {
		store_columns(to, at, rows, size, acc[n / FRAGS_M][n % FRAGS_M][j]);
		rows += to_next(o, n);
	}
}

/* Fragments that are stored by columns have a second pass. In the first one their descriptors have
 * 0 bytes. */
INLINE void store(GLOBAL u8 *C, const struct output *o, u32 N, u32 size, accumulators acc) {
	u32 packed = PACKED_COLUMNS(N, size), offset = o->offset;
#pragma unroll
	for (u32 n = 0; n < 2 * FRAGS_M; n++) {
#pragma unroll
		for (u32 j = 0; j < FRAGS_N; j++)
			store_fragment(make_buffer(C + o->at, fragment_bytes(o, j, packed)),
			               offset + j * 16 * size, size,
			               acc[n / FRAGS_M][n % FRAGS_M][j]);
		offset += to_next(o, n);
	}
	if (o->col + COLUMNS <= packed)
		return;
#pragma unroll
	for (u32 j = 0; j < FRAGS_N; j++)
		if (IS_BY_COLUMNS(o, j, packed, N))
			store_all_columns(C, o, j, N, size, acc);
}

INLINE void gemm(const struct matrices *m, GLOBAL u8 *C, u32 size) {
	u32 row = __builtin_amdgcn_workgroup_id_y() * TILE;
	u32 col = __builtin_amdgcn_workgroup_id_x() * TILE;
	u32 group = WAVE() / 4;
	struct wave w = find_wave(m, row, col);
	accumulators acc;

	multiply(&w, m->K / STEP, group, acc);
	struct output o =
		find_output(row, col, m->M, m->N, size, group * GROUP_A, WAVE() % 4 * COLUMNS);
	store(C, &o, m->N, size, acc);
}

KERNEL(512) void mxfp4_pingpong_f32(struct matrices m, GLOBAL u8 *C) {
	gemm(&m, C, 4);
}

KERNEL(512) void mxfp4_pingpong_bf16(struct matrices m, GLOBAL u8 *C) {
	gemm(&m, C, 2);
}
