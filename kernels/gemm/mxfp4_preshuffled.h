/* Parts of the pipelined MXFP4 GEMMs on a preshuffled B: a wave's operands, and one tile of K as a
 * hand-placed sequence of instructions. For device code only.
 *
 * A is row-major, B preshuffled 16x16, scales are S32x8. A workgroup of 4 waves computes 256x256,
 * each wave 256x64 of it, in K tiles of 256. A passes through three LDS slots by LDS-DMA. B and the
 * scales go directly to registers, of which there are two sets. A lane loads scales as 4 bytes,
 * which serve 32 rows and 8 blocks.
 *
 *   tile s:  loads of B and scales of s+1, then of A of s+2, between the MFMA of groups 0 to 6;
 *            before group 7: A of s+1 landed, barrier; then the first LDS reads of s+1
 *
 * So one barrier a tile suffices: after it A of s+1 is complete, and no wave reads A of s any more,
 * whose slot the loads of tile s+1 overwrite.
 *
 * All of a tile is volatile assembly, which the compiler keeps in this order. The offsets of lanes
 * are constant, and K advances in SOFFSET. SOFFSET never decides whether an access is in range: the
 * offset of a row past the matrix is past the descriptor's end without it.
 *
 * The operands of the MFMA are exchanged, so that a lane holds four adjacent columns of C. */
#ifndef MXFP4_PRESHUFFLED_H
#define MXFP4_PRESHUFFLED_H

#include "../gfx950.h"

enum {
	TILE = 256,
	WAVES = 4,
	STEP = 256, /* K of a tile */
	STEP_BLOCKS = STEP / 32,
	CHUNK = 16,
	SLOTS = 3, /* tiles of A in LDS */
	GROUP_ROWS = 32,
	GROUPS = TILE / GROUP_ROWS, /* of rows, with one scale dword each */
	COLUMNS = TILE / WAVES,     /* of a wave */
	FRAGS_N = COLUMNS / 16,
	GROUPS_N = COLUMNS / GROUP_ROWS,
	GROUPS_VGPR = 3, /* whose accumulators are in VGPRs, which are read without a copy */
};

/* Bytes. */
enum {
	A_STEP = STEP / 2,                     /* a tile of one row of A */
	B_STEP = 16 * A_STEP,                  /* of 16 columns of B */
	SCALE_STEP = GROUP_ROWS * STEP_BLOCKS, /* of the scales of a group */
	SLOT = TILE * A_STEP,
	DMA = 64 * CHUNK,
	DMA_ROWS = DMA / A_STEP,
};

/* A wave's vector memory operations of a tile. */
enum {
	LOADS_B = 2 * FRAGS_N,
	LOADS_SCALES = GROUPS + GROUPS_N,
	LOADS_DIRECT = LOADS_B + LOADS_SCALES,
	LOADS_A = SLOT / DMA / WAVES,
};

/* The wait for a tile of A, after whose loads there are `later` others. */
#ifndef WAIT_A
#define WAIT_A(later) WAIT_VMCNT(later)
#endif

/* The same for B and scales. */
#ifndef WAIT_DIRECT
#define WAIT_DIRECT(later) WAIT_VMCNT(later)
#endif

/* The end of a wave's LDS reads of a tile, before other waves load over it. */
#ifndef END_READS
#define END_READS() WAIT_READS(0)
#endif

/* The bytes of scales that a tile past the last one may load, of which there are `all`. */
#ifndef SCALES_PAST
#define SCALES_PAST(all) "0"
#endif

/* The bytes of a group's scales before a tile. */
#ifndef SCALES_BEFORE
#define SCALES_BEFORE(tile) ((tile)*SCALE_STEP)
#endif

/* Tile s + 2 of A goes to the slot that is this number after that of tile s. */
#ifndef WRITE_AHEAD
#define WRITE_AHEAD 2
#endif

#ifndef TILE_BARRIER
#define TILE_BARRIER() BARRIER()
#endif

#define WAIT_READS(left) __builtin_amdgcn_s_waitcnt(15 | 3 << 14 | 7 << 4 | (left) << 8)

/* The accumulators of the first groups, as variables. Those of the other groups are AGPRs, numbered
 * in the same order from a0 on, which only assembly names: as variables the compiler would copy
 * them between loops. */
typedef f32x4 accumulators[2 * GROUPS_VGPR][FRAGS_N];

/* A group's rows: [half of the tile][fragment of 16 rows]. */
typedef u32x4 group[2][2];

/* The registers of a tile's B, [half of the tile][fragment], and scales. */
struct direct {
	u32x4 b[2][FRAGS_N];
	u32 a_scales[GROUPS], b_scales[GROUPS_N];
};

/* The lane's offsets at tile 0. */
struct offsets {
	u32 a[LOADS_A], b[2][FRAGS_N], a_scales[GROUPS], b_scales[GROUPS_N];
};

struct descriptors {
	u32x4 a, b, a_scales, b_scales;
};

struct ring {
	u32 first, end;
};

/* A wave's operands from some K on. */
struct operands {
	struct descriptors from;
	struct offsets at;
	struct ring slots, dma; /* the slots; where the wave writes them */
	u32 reads[2];           /* where the lane reads the halves of slot 0 */
};

/* The place of a tile s: where the lane reads it in LDS, the slot of tile s + 1, where the wave
 * writes tile s + 2, and the bytes of K before what is loaded during the tile. */
struct place {
	u32 reads[2], next, write;
	u32 a, b, scales;
};

/* A wave's part of a product. */
struct wave {
	struct operands p;
	struct descriptors from; /* those of p, or of no bytes */
	struct place at;
	group a[2];              /* of A: the group that is multiplied, and the next one */
	struct direct even, odd; /* of tiles with such numbers */
};

SHARED u8 a_slots[SLOTS * SLOT];

/* ---- the operands of a workgroup ---- */

struct matrices {
	const GLOBAL u8 *a, *a_scales, *b, *b_scales;
	u32 M, N, K;
};

INLINE u32 at_most(u32 x, u32 most) {
	return x < most ? x : most;
}

INLINE u32 ceil_div(u32 x, u32 by) {
	return (x + by - 1) / by;
}

/* x, which is uniform, in a scalar register: the compiler may compute it in vector registers, which
 * assembly does not accept. */
INLINE u32 scalar(u32 x) {
	x = __builtin_amdgcn_readfirstlane(x);
	asm("" : "+s"(x));
	return x;
}

/* The same of a constant. */
#define CONSTANT_SGPR(n)                                                                           \
	({                                                                                         \
		u32 constant;                                                                      \
		asm("s_mov_b32 %0, %1" : "=s"(constant) : "n"(n));                                 \
		constant;                                                                          \
	})

/* Of scales for GROUP_ROWS rows, with K padded to 8 blocks. */
INLINE u32 scale_bytes(u32 K) {
	return scalar(ceil_div(K, STEP) * SCALE_STEP);
}

/* The bytes of whole units of `rows` rows, from row `row` of `all` on, within a tile. */
#ifndef TILE_BYTES
#define TILE_BYTES(row, all, rows, unit) (ceil_div(at_most((all) - (row), TILE), rows) * (unit))
#endif

/* A descriptor of a tile's units, without their first `skip` bytes. */
INLINE u32x4 tile_descriptor(const GLOBAL u8 *matrix, u32 row, u32 all, u32 rows, u32 unit,
                             u32 skip) {
	u32 bytes = TILE_BYTES(row, all, rows, unit) - skip;
	return make_descriptor(matrix + (u64)(row / rows) * unit + skip, scalar(bytes));
}

/* Lane l of LDS-DMA i fetches the chunk that belongs to LDS chunk l % 8 of row 8 i + l / 8. Chunk c
 * of row r is at c ^ (r / 2 % 8): a row has half of the 64 banks, so the 16 lanes that read chunk c
 * of 16 rows use every bank once. */
INLINE u32 swizzle(u32 row) {
	return row / 2 % 8;
}

/* `left` elements of K are left from the tile on, of which operations past them read zeros. */
INLINE void find_offsets(struct offsets *at, u32 K, u32 left) {
	u32 lane = LANE(), wave = WAVE();
#pragma unroll
	for (u32 i = 0; i < LOADS_A; i++) {
		u32 row = (wave * LOADS_A + i) * DMA_ROWS + lane / 8, c = lane % 8 ^ swizzle(row);
		at->a[i] = c * 32 < left ? row * (K / 2) + c * CHUNK : OUT_OF_RANGE;
	}
#pragma unroll
	for (u32 n = 0; n < LOADS_B; n++) {
		u32 half = n / FRAGS_N, j = n % FRAGS_N, block = half * 4 + lane / 16;
		u32 offset = (wave * FRAGS_N + j) * (K * 8) + half * (B_STEP / 2) + lane * CHUNK;
		at->b[half][j] = block * 32 < left ? offset : OUT_OF_RANGE;
	}
#pragma unroll
	for (u32 g = 0; g < GROUPS; g++)
		at->a_scales[g] = g * scale_bytes(K) + lane * 4;
#pragma unroll
	for (u32 g = 0; g < GROUPS_N; g++)
		at->b_scales[g] = (wave * GROUPS_N + g) * scale_bytes(K) + lane * 4;
}

INLINE struct ring make_ring(u32 first) {
	return (struct ring){ scalar(first), scalar(first + SLOTS * SLOT) };
}

/* The operands of the tile of C at row, col, from K tile `from` on. */
INLINE struct operands find_operands(const struct matrices *m, u32 row, u32 col, u32 from) {
	u32 lane = LANE(), K = m->K;
	struct operands p;
	p.from = (struct descriptors){
		tile_descriptor(m->a, row, m->M, 1, K / 2, from * A_STEP),
		tile_descriptor(m->b, col, m->N, 16, K * 8, from * B_STEP),
		tile_descriptor(m->a_scales, row, m->M, GROUP_ROWS, scale_bytes(K),
		                SCALES_BEFORE(from)),
		tile_descriptor(m->b_scales, col, m->N, GROUP_ROWS, scale_bytes(K),
		                SCALES_BEFORE(from)),
	};
	find_offsets(&p.at, K, STEP);
	p.slots = make_ring((u32)a_slots);
	p.dma = make_ring((u32)a_slots + WAVE() * LOADS_A * DMA);
	p.reads[0] = (u32)a_slots + lane % 16 * A_STEP + (lane / 16 ^ swizzle(lane % 16)) * CHUNK;
	p.reads[1] = p.reads[0] ^ A_STEP / 2;
	return p;
}

/* ---- instructions ---- */

#define LOAD_DIRECT(size, value, descriptor, offset, soffset)                                      \
	asm volatile("buffer_load_" size " %0, %1, %2, %3 offen"                                   \
	             : "=v"(value)                                                                 \
	             : "v"(offset), "s"(descriptor), "s"(soffset))

/* The address of the next LDS-DMA. The compiler uses M0 for nothing in these kernels. Another
 * instruction has to stand between it and the load, which needs a wait state. */
#define SET_M0(base, add)                                                                          \
	asm volatile("s_add_u32 m0, %0, %1" ::"s"(base), "n"(add) : "scc", "memory")

#define LOAD_LDS(before, descriptor, offset, soffset)                                              \
	asm volatile(before "buffer_load_dwordx4 %0, %1, %2 offen lds" ::"v"(offset),              \
	             "s"(descriptor), "s"(soffset)                                                 \
	             : "memory")

/* Adds x y, where byte 2 half + odd of a scale dword is that of the fragment, to registers of
 * assembly, `to`, from C on. */
#define MFMA_TEXT(to, C)                                                                           \
	"v_mfma_scale_f32_16x16x128_f8f6f4 " to ", %1, %2, " C                                     \
	", %3, %4 op_sel:[%5,%6,0] op_sel_hi:[%7,%7,0] cbsz:4 blgp:4"

#define MFMA_INPUTS(x, y, sx, sy, odd_x, odd_y, half)                                              \
	"v"(x), "v"(y), "v"(sx), "v"(sy), "n"(odd_x), "n"(odd_y), "n"(half)

#define AGPR_TUPLE "a[%0:%8]"

/* Across it the compiler keeps nothing in the AGPRs of accumulators, a0 to a159. */
#define TEN(a) a "0", a "1", a "2", a "3", a "4", a "5", a "6", a "7", a "8", a "9"
#define CLAIM_AGPRS()                                                                              \
	asm volatile("" ::                                                                         \
	                     : TEN("a"), TEN("a1"), TEN("a2"), TEN("a3"), TEN("a4"), TEN("a5"),    \
	                       TEN("a6"), TEN("a7"), TEN("a8"), TEN("a9"), TEN("a10"), TEN("a11"), \
	                       TEN("a12"), TEN("a13"), TEN("a14"), TEN("a15"))

/* ---- a tile ---- */

/* In assembly, like all that the loop has in scalar registers: the compiler might choose vector
 * registers, which the assembly of loads does not accept. */
INLINE void next_slot(u32 *slot, const struct ring *r) {
	asm("s_add_u32 %0, %0, %1\n\ts_cmp_eq_u32 %0, %2\n\ts_cselect_b32 %0, %3, %0"
	    : "+s"(*slot)
	    : "n"(SLOT), "s"(r->end), "s"(r->first)
	    : "scc");
}

INLINE void find_reads(const struct operands *p, u32 slot, u32 reads[2]) {
	asm("v_add_u32_e32 %0, %1, %2" : "=v"(reads[0]) : "s"(slot), "v"(p->reads[0]));
	asm("v_add_u32_e32 %0, %1, %2" : "=v"(reads[1]) : "s"(slot), "v"(p->reads[1]));
}

INLINE void first_place(const struct operands *p, struct place *at) {
	at->reads[0] = p->reads[0];
	at->reads[1] = p->reads[1];
	at->next = CONSTANT_SGPR(SLOT);
	at->write = p->dma.first + WRITE_AHEAD * SLOT;
	at->a = CONSTANT_SGPR(2 * A_STEP);
	at->b = CONSTANT_SGPR(B_STEP);
	at->scales = CONSTANT_SGPR(SCALE_STEP);
}

INLINE void advance(const struct operands *p, struct place *at) {
	find_reads(p, at->next, at->reads);
	next_slot(&at->next, &p->slots);
	next_slot(&at->write, &p->dma);
	at->a += A_STEP;
	at->b += B_STEP;
	at->scales += SCALE_STEP;
}

/* The wave's n-th load of a tile's B and scales. */
INLINE void load_direct(const struct descriptors *d, const struct offsets *at, u32 n, u32 k_b,
                        u32 k_scales, struct direct *to) {
	u32 half = n / FRAGS_N, j = n % FRAGS_N, g = n - LOADS_B;
	if (n < LOADS_B)
		LOAD_DIRECT("dwordx4", to->b[half][j], d->b, at->b[half][j], k_b);
	else if (g < GROUPS)
		LOAD_DIRECT("dword", to->a_scales[g], d->a_scales, at->a_scales[g], k_scales);
	else
		LOAD_DIRECT("dword", to->b_scales[g - GROUPS], d->b_scales,
		            at->b_scales[g - GROUPS], k_scales);
}

INLINE void load_all_direct(const struct descriptors *d, const struct offsets *at, u32 k_b,
                            u32 k_scales, struct direct *to) {
#pragma unroll
	for (u32 n = 0; n < LOADS_DIRECT; n++)
		load_direct(d, at, n, k_b, k_scales, to);
}

INLINE void load_all_a(u32x4 a, const u32 at[LOADS_A], u32 to, u32 k_a) {
#pragma unroll
	for (u32 n = 0; n < LOADS_A; n++) {
		SET_M0(to, n * DMA);
		LOAD_LDS("s_nop 0\n\t", a, at[n], k_a);
	}
}

/* The n-th LDS read of a group, n = 2 half + fragment. */
INLINE void read_a(const u32 reads[2], u32 g, u32 n, group to) {
	LDS_READ_B128(to[n / 2][n % 2], reads[n / 2], (2 * g + n % 2) * 16 * A_STEP);
}

/* Group 0 of a tile. */
INLINE void read_first(const u32 reads[2], group to) {
#pragma unroll
	for (u32 n = 0; n < 4; n++)
		read_a(reads, 0, n, to);
}

/* The first AGPR of a fragment's accumulator. */
#define AGPR(i, j) ((((i)-2 * GROUPS_VGPR) * FRAGS_N + (j)) * 4)

/* The n-th product of group g. Products of the same accumulator are 8 instructions apart. */
INLINE void multiply(const group a, const struct direct *d, u32 g, u32 n, int from_zero,
                     accumulators acc) {
	u32 half = n / 8, odd = n / 4 % 2, i = 2 * g + odd, j = n % 4;
	u32 zero = from_zero && half == 0, sx = d->b_scales[j / 2], sy = d->a_scales[g];
	u32x4 x = d->b[half][j], y = a[half][odd];
	if (g < GROUPS_VGPR && zero)
		asm volatile(MFMA_TEXT("%0", "0")
		             : "=&v"(acc[i][j])
		             : MFMA_INPUTS(x, y, sx, sy, j % 2, odd, half));
	else if (g < GROUPS_VGPR)
		asm volatile(MFMA_TEXT("%0", "%0")
		             : "+v"(acc[i][j])
		             : MFMA_INPUTS(x, y, sx, sy, j % 2, odd, half));
	else if (zero)
		asm volatile(MFMA_TEXT(AGPR_TUPLE, "0")::"n"(AGPR(i, j)),
		             MFMA_INPUTS(x, y, sx, sy, j % 2, odd, half), "n"(AGPR(i, j) + 3));
	else
		asm volatile(MFMA_TEXT(AGPR_TUPLE, AGPR_TUPLE)::"n"(AGPR(i, j)),
		             MFMA_INPUTS(x, y, sx, sy, j % 2, odd, half), "n"(AGPR(i, j) + 3));
}

INLINE void clear(accumulators acc) {
#pragma unroll
	for (u32 i = 0; i < 2 * GROUPS; i++)
#pragma unroll
		for (u32 n = 0; n < 4 * FRAGS_N; n++)
			if (i < 2 * GROUPS_VGPR)
				acc[i][n / 4][n % 4] = 0;
			else
				asm volatile("v_accvgpr_write_b32 a[%0], 0" ::"n"(AGPR(i, 0) + n));
}

/* Fragment i, j of the wave's tile. */
INLINE f32x4 accumulator(accumulators acc, u32 i, u32 j) {
	f32x4 x;
	if (i < 2 * GROUPS_VGPR)
		return acc[i][j];
#pragma unroll
	for (u32 n = 0; n < 4; n++) {
		float part;
		asm volatile("v_accvgpr_read_b32 %0, a[%1]" : "=v"(part) : "n"(AGPR(i, j) + n));
		x[n] = part;
	}
	return x;
}

/* The compiler must treat the offsets as used after the loads. Adjacent loads are repeated together
 * after a page fault, so none may overwrite an offset of another [LLVM GCNHazardRecognizer: soft
 * clauses]. */
INLINE void keep(const struct offsets *at) {
	asm volatile("" ::"v"(at->a[0]), "v"(at->a[1]), "v"(at->a[2]), "v"(at->a[3]), "v"(at->a[4]),
	             "v"(at->a[5]), "v"(at->a[6]), "v"(at->a[7]), "v"(at->b[0][0]),
	             "v"(at->b[0][1]), "v"(at->b[0][2]), "v"(at->b[0][3]), "v"(at->b[1][0]),
	             "v"(at->b[1][1]), "v"(at->b[1][2]), "v"(at->b[1][3]), "v"(at->a_scales[0]),
	             "v"(at->a_scales[1]), "v"(at->a_scales[2]), "v"(at->a_scales[3]),
	             "v"(at->a_scales[4]), "v"(at->a_scales[5]), "v"(at->a_scales[6]),
	             "v"(at->a_scales[7]), "v"(at->b_scales[0]), "v"(at->b_scales[1]));
}

/* Waits for all loads, also those that nothing reads: until then their registers must not be used
 * again. The named registers make the compiler keep them, and no later instruction moves up. */
INLINE void drain(const struct direct *d, group a) {
	asm volatile("s_waitcnt vmcnt(0) lgkmcnt(0)" ::"v"(d->b[0][0]), "v"(d->b[0][1]),
	             "v"(d->b[0][2]), "v"(d->b[0][3]), "v"(d->b[1][0]), "v"(d->b[1][1]),
	             "v"(d->b[1][2]), "v"(d->b[1][3]), "v"(d->a_scales[0]), "v"(d->a_scales[1]),
	             "v"(d->a_scales[2]), "v"(d->a_scales[3]), "v"(d->a_scales[4]),
	             "v"(d->a_scales[5]), "v"(d->a_scales[6]), "v"(d->a_scales[7]),
	             "v"(d->b_scales[0]), "v"(d->b_scales[1]), "v"(a[0][0]), "v"(a[0][1]),
	             "v"(a[1][0]), "v"(a[1][1])
	             : "memory");
	__builtin_amdgcn_sched_barrier(0);
}

/* What is loaded during a tile. */
enum ahead { ALL, NO_A, NOTHING };

/* Operation n of those that are placed between the products: M0 of an LDS-DMA before its load. */
INLINE void prepare_load(const struct wave *w, enum ahead ahead, u32 n) {
	if (ahead == ALL && n >= LOADS_DIRECT && n < LOADS_DIRECT + LOADS_A)
		SET_M0(w->at.write, (n - LOADS_DIRECT) * DMA);
}

INLINE void place_load(const struct wave *w, enum ahead ahead, u32 n, struct direct *next) {
	if (ahead != NOTHING && n < LOADS_DIRECT)
		load_direct(&w->from, &w->p.at, n, w->at.b, w->at.scales, next);
	else if (ahead == ALL && n >= LOADS_DIRECT && n < LOADS_DIRECT + LOADS_A)
		LOAD_LDS("", w->from.a, w->p.at.a[n - LOADS_DIRECT], w->at.a);
}

/* The products of group g, between them 4 LDS reads of group `then` of a slot, and 4 loads. */
INLINE void do_group(struct wave *w, enum ahead ahead, int from_zero, u32 g, const u32 reads[2],
                     u32 then, const struct direct *now, struct direct *next, accumulators acc) {
#pragma unroll
	for (u32 n = 0; n < 16; n++) {
		multiply(w->a[g % 2], now, g, n, from_zero, acc);
		if (n < 4 && reads)
			read_a(reads, then, n, w->a[then % 2]);
		if (n == 3 || n == 6 || n == 9 || n == 12)
			prepare_load(w, ahead, 4 * g + n / 3 - 1);
		if (n == 4 || n == 7 || n == 10 || n == 13)
			place_load(w, ahead, 4 * g + n / 3 - 1, next);
	}
}

/* Multiplies a tile of K. At its start group 0 is on its way to a[0]. The accumulators are added
 * to, or begin with zero. */
INLINE void do_tile(struct wave *w, enum ahead ahead, int from_zero, const struct direct *now,
                    struct direct *next, accumulators acc) {
	u32 there[2];

	CLAIM_AGPRS();
	if (ahead != NOTHING)
		find_reads(&w->p, w->at.next, there);
	if (ahead == NOTHING)
		WAIT_DIRECT(0);
	else
		WAIT_DIRECT(LOADS_A);
#pragma unroll
	for (u32 g = 0; g < GROUPS - 1; g++) {
		WAIT_READS(0);
		do_group(w, ahead, from_zero, g, w->at.reads, g + 1, now, next, acc);
	}
	END_READS();
	if (ahead == ALL)
		WAIT_A(LOADS_DIRECT + LOADS_A);
	if (ahead == NO_A)
		WAIT_A(LOADS_DIRECT);
	if (ahead != NOTHING)
		TILE_BARRIER();
	do_group(w, ahead, from_zero, GROUPS - 1, ahead != NOTHING ? there : 0, 0, now, next, acc);
}

/* ---- a product ---- */

/* Loads tile 0, and of tile 1 the part of A, by `second`. */
INLINE void begin(struct wave *w, u32x4 second) {
	u32 k = CONSTANT_SGPR(0);
	first_place(&w->p, &w->at);
	load_all_a(w->p.from.a, w->p.at.a, w->p.dma.first, k);
	load_all_direct(&w->from, &w->p.at, k, k, &w->even);
	load_all_a(second, w->p.at.a, w->p.dma.first + SLOT, CONSTANT_SGPR(A_STEP));
	WAIT_A(LOADS_DIRECT + LOADS_A);
	TILE_BARRIER();
	read_first(w->p.reads, w->a[0]);
}

INLINE void do_even(struct wave *w, enum ahead ahead, int from_zero, accumulators acc) {
	do_tile(w, ahead, from_zero, &w->even, &w->odd, acc);
	advance(&w->p, &w->at);
}

INLINE void do_odd(struct wave *w, enum ahead ahead, accumulators acc) {
	do_tile(w, ahead, 0, &w->odd, &w->even, acc);
	advance(&w->p, &w->at);
}

/* Where a wave's fragments are in C, with elements of `size` bytes. */
struct output {
	u64 at;               /* the tile's first row, bytes */
	u32 bytes[FRAGS_N];   /* of the tile's rows, for each column of fragments */
	u32 offset, next_row; /* the lane's in fragment 0, 0; from there to 1, 0 */
};

/* Rows past the last are past the end of the buffer. Columns past the last are whole fragments,
 * whose descriptors have 0 bytes. */
INLINE struct output find_output(u32 row, u32 col, u32 M, u32 N, u32 size) {
	u32 first = col + WAVE() * COLUMNS, ld = N * size, bytes = at_most(M - row, TILE) * ld;
	struct output o;
	o.at = (u64)row * ld;
	o.offset = LANE() % 16 * ld + (first + LANE() / 16 * 4) * size;
	o.next_row = 16 * ld;
#pragma unroll
	for (u32 j = 0; j < FRAGS_N; j++)
		o.bytes[j] = first + 16 * j < N ? bytes : 0;
	return o;
}

/* `bytes` for a tile below `tiles`, else 0. In assembly, because the compiler might select in
 * vector registers. */
INLINE u32 bytes_of(u32 s, u32 tiles, u32 bytes) {
	u32 masked;
	asm("s_cmp_lt_u32 %1, %2\n\ts_cselect_b32 %0, %3, 0"
	    : "=s"(masked)
	    : "s"(s), "s"(tiles), "s"(bytes)
	    : "scc");
	return masked;
}

/* The descriptors for the loads during tile s. */
INLINE void mask(struct wave *w, u32 s, u32 tiles) {
	const struct descriptors *all = &w->p.from;
	w->from.a.z = bytes_of(s + 2, tiles, all->a.z);
	asm("s_cmp_lt_u32 %3, %4\n\t"
	    "s_cselect_b32 %0, %5, 0\n\t"
	    "s_cselect_b32 %1, %6, " SCALES_PAST("%6") "\n\t"
	                                               "s_cselect_b32 %2, %7, " SCALES_PAST("%7")
	    : "=&s"(w->from.b.z), "=&s"(w->from.a_scales.z), "=&s"(w->from.b_scales.z)
	    : "s"(s + 1), "s"(tiles), "s"(all->b.z), "s"(all->a_scales.z), "s"(all->b_scales.z)
	    : "scc");
}

INLINE void do_two(struct wave *w, u32 s, u32 tiles, int from_zero, accumulators acc) {
	mask(w, s, tiles);
	do_even(w, ALL, from_zero, acc);
	mask(w, s + 1, tiles);
	do_odd(w, ALL, acc);
}

/* All of `tiles` tiles, without an epilogue: loads ahead of the last tile have descriptors of 0
 * bytes. If the number of tiles is odd, it adds one of zeros with scales of 2^-127, which is
 * harmless but for a sum of -0, which becomes +0. */
INLINE void multiply_masked(struct wave *w, u32 tiles, accumulators acc) {
	w->from = w->p.from;
	w->from.a.z = bytes_of(1, tiles, w->p.from.a.z);
	begin(w, w->from.a);
	do_two(w, 0, tiles, 1, acc);
	for (u32 s = 2; s < tiles; s += 2)
		do_two(w, s, tiles, 0, acc);
	drain(&w->even, w->a[0]);
}

#endif
