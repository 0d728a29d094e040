/* Parts of the pipelined MX GEMMs on a preshuffled B: a wave's operands, and one tile of K as a
 * hand-placed sequence of instructions. For device code only. FORMAT_A and FORMAT_B, the element
 * formats, may be defined before; both are E2M1 by default.
 *
 * A is row-major, B preshuffled: 16 rows of a block of 32 elements are contiguous, row by row.
 * Scales are S32x8. A workgroup of 4 waves computes 256x256, each wave 256x64 of it, in K tiles of
 * 256. A passes through LDS slots by LDS-DMA. B and the scales go directly to registers, of which
 * there are two sets. A lane loads scales as 4 bytes, which serve 32 rows and 8 blocks.
 *
 * LDS has room for three slots of FP4, or for two of FP6 or FP8:
 *
 *   tile s, three slots:  loads of B and scales of s+1, then of A of s+2
 *           two slots:    loads of A of s+1, then of B and scales of s+1
 *           between the MFMA of groups 0 to 6; before group 7: A of s+1 landed, barrier; then the
 *           first LDS reads of s+1
 *
 * So one barrier a tile suffices: after it A of s+1 is complete, and no wave reads A of s any more,
 * whose slot the loads of tile s+1 overwrite.
 *
 * The offsets of lanes are constant, and K advances in SOFFSET. SOFFSET never decides whether an
 * access is in range: the offset of a row past the matrix is past the descriptor's end without it.
 */
#ifndef PRESHUFFLED_H
#define PRESHUFFLED_H

#include "placed.h"

/* Groups whose accumulators are in VGPRs, which are read without a copy. */
#if FORMAT_A == E2M1
#define GROUPS_VGPR 3
#else
#define GROUPS_VGPR 1
#endif

enum {
	BITS_A = BITS(FORMAT_A),
	BITS_B = BITS(FORMAT_B),
	WAVES = 4,
	SLOTS = BITS_A == 4 ? 3 : 2, /* tiles of A in LDS */
	AHEAD = SLOTS - 1,           /* tile s + AHEAD of A is loaded during tile s */
	GROUPS = TILE / GROUP_ROWS,  /* of rows, with one scale dword each */
	GROUPS_N = COLUMNS / GROUP_ROWS,
};

/* Bytes. */
enum {
	A_STEP = STEP * BITS_A / 8,      /* a tile of one row of A */
	B_STEP = 16 * STEP * BITS_B / 8, /* of 16 columns of B */
	ROW = BITS_A == 4 ? 128 : 256,   /* of a slot */
	ROW_CHUNKS = ROW / CHUNK,
	SLOT = TILE * ROW,
};

/* A lane's 32 elements are read and loaded in two parts, 16 bytes and the rest. Two reads of 12
 * bytes are not possible for FP6: registers of more than 32 bits begin at an even one [LLVM]. */
enum {
	PARTS_A = BITS_A > 4 ? 2 : 1,
	PARTS_B = BITS_B > 4 ? 2 : 1,
	READS_A = 2 * PARTS_A, /* of a fragment */
	GROUP_READS = 2 * READS_A,
};

/* A wave's vector memory operations of a tile. */
enum {
	LOADS_B = 2 * FRAGS_N * PARTS_B,
	LOADS_SCALES = GROUPS + GROUPS_N,
	LOADS_DIRECT = LOADS_B + LOADS_SCALES,
	LOADS_A = SLOT / DMA / WAVES,
	LOADS = LOADS_DIRECT + LOADS_A,
	FIRST_A = AHEAD == 1 ? 0 : LOADS_DIRECT, /* in the order of issue */
	FIRST_DIRECT = AHEAD == 1 ? LOADS_A : 0,
	ADVANCE_FIRST = AHEAD == 1, /* K of B and scales: before their loads, or at the end */
};

/* The products between two loads of a tile. The loads end before the last group. */
enum { SPREAD = (16 * (GROUPS - 1) - 4) / LOADS };

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

/* Tile s + AHEAD of A goes to the slot that is this number after that of tile s. */
#ifndef WRITE_AHEAD
#define WRITE_AHEAD AHEAD
#endif

/* The bytes of `n` elements of a row of A. */
#ifndef BYTES_A
#define BYTES_A(n) ((n)*BITS_A / 8)
#endif

#ifndef TILE_BARRIER
#define TILE_BARRIER() BARRIER()
#endif

/* The accumulators of the first groups, as variables. Those of the other groups are AGPRs, numbered
 * in the same order from a0 on, which only assembly names: as variables the compiler would copy
 * them between loops. */
typedef f32x4 accumulators[2 * GROUPS_VGPR][FRAGS_N];

/* A lane's 32 elements. FP4 has no rest. */
#define REST(bits) __attribute__((ext_vector_type((bits) > 4 ? (bits)-4 : 1)))
typedef u32 rest_a REST(BITS_A), rest_b REST(BITS_B);
struct elements_a {
	u32x4 first;
	rest_a rest;
};
struct elements_b {
	u32x4 first;
	rest_b rest;
};
typedef u32 operand_a __attribute__((ext_vector_type(BITS_A)));
typedef u32 operand_b __attribute__((ext_vector_type(BITS_B)));

/* A group's rows: [half of the tile][fragment of 16 rows]. */
typedef struct elements_a group[2][2];

/* The registers of a tile's B, [half of the tile][fragment], and scales. */
struct direct {
	struct elements_b b[2][FRAGS_N];
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
	u32 reads[READS_A];     /* where the lane reads slot 0 */
};

/* The place of a tile s: where the lane reads it and tile s + 1 in LDS, where the wave writes tile
 * s + AHEAD, and the bytes of K before what is loaded during the tile. next: of three slots that of
 * tile s + 1, of two where the wave writes tile s + 2. */
struct place {
	u32 reads[READS_A], there[READS_A], next, write;
	u32 a, b, scales;
};

/* A wave's part of a product. */
struct wave {
	struct operands p;
	struct descriptors from; /* those of p, or of no bytes */
	struct place at;
	int left;                /* tiles, from the even one on */
	group a[2];              /* of A: the group that is multiplied, and the next one */
	struct direct even, odd; /* of tiles with such numbers */
};

SHARED u8 a_slots[SLOTS * SLOT];

/* ---- the operands of a workgroup ---- */

/* LDS has chunk c of row r at c ^ swizzle(r), so that the 16 lanes that read the same chunk of 16
 * rows use every bank once. */
INLINE u32 swizzle(u32 row) {
	return row / (256 / ROW) % ROW_CHUNKS;
}

/* The byte of a row of A at which chunk c of LDS begins. Of FP6 LDS has two chunks of each block:
 * its first 16 bytes, and 16 that begin with the rest if the block is even, and end with it if it
 * is odd, so that lanes of both kinds use different banks. */
INLINE u32 chunk_byte(u32 c) {
	u32 block = c / 2, rest = block % 2 ? 24 - CHUNK : CHUNK;
	return BITS_A == 6 ? block * 24 + c % 2 * rest : c * CHUNK;
}

/* `left` elements of K are left from the tile on, of which operations past them read zeros. The
 * offset of an LDS-DMA in its instruction counts in LDS and in memory, so the descriptor of A
 * begins before the tile. */
INLINE void find_offsets(struct offsets *at, u32 K, u32 left) {
	u32 lane = LANE(), wave = WAVE();
#pragma unroll
	for (u32 i = 0; i < LOADS_A; i++) {
		u32 chunk = (wave * LOADS_A + i) * 64 + lane, row = chunk / ROW_CHUNKS;
		u32 byte = chunk_byte(chunk % ROW_CHUNKS ^ swizzle(row));
		u32 offset = BEFORE_DMA - i % 4 * DMA + row * BYTES_A(K) + byte;
		at->a[i] = byte < BYTES_A(left) ? offset : OUT_OF_RANGE;
	}
#pragma unroll
	for (u32 n = 0; n < 2 * FRAGS_N; n++) {
		u32 half = n / FRAGS_N, j = n % FRAGS_N, block = half * 4 + lane / 16;
		u32 offset = (wave * FRAGS_N + j) * (K * 2 * BITS_B) + half * (B_STEP / 2) +
		             lane * (4 * BITS_B);
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

/* Lane (row r, block q) has block q of each half of the tile. The parts of FP8 are chunks q of the
 * half's halves. */
INLINE void find_lane_reads(u32 reads[READS_A]) {
	u32 r = LANE() % 16, q = LANE() / 16;
#pragma unroll
	for (u32 n = 0; n < READS_A; n++) {
		u32 part = n % PARTS_A, c = n / PARTS_A * (ROW_CHUNKS / 2);
		c += BITS_A == 6 ? 2 * q + part : 4 * part + q;
		reads[n] = (u32)a_slots + r * ROW + (c ^ swizzle(r)) * CHUNK;
		if (BITS_A == 6 && part)
			reads[n] += q % 2 * 8;
	}
}

/* The operands of the tile of C at row, col, from K tile `from` on. */
INLINE struct operands find_operands(const struct matrices *m, u32 row, u32 col, u32 from) {
	u32 K = m->K;
	struct operands p;
	p.from = (struct descriptors){
		tile_descriptor(m->a, row, m->M, 1, BYTES_A(K), from * A_STEP, BEFORE_DMA),
		tile_descriptor(m->b, col, m->N, 16, K * 2 * BITS_B, from * B_STEP, 0),
		tile_descriptor(m->a_scales, row, m->M, GROUP_ROWS, scale_bytes(K),
		                SCALES_BEFORE(from), 0),
		tile_descriptor(m->b_scales, col, m->N, GROUP_ROWS, scale_bytes(K),
		                SCALES_BEFORE(from), 0),
	};
	find_offsets(&p.at, K, STEP);
	p.slots = make_ring((u32)a_slots);
	p.dma = make_ring((u32)a_slots + WAVE() * LOADS_A * DMA);
	find_lane_reads(p.reads);
	return p;
}

/* ---- accumulators ---- */

#define AGPR_TUPLE "a[%0:%8]"

/* Across it the compiler keeps nothing in the AGPRs of accumulators. */
#define TEN(a) a "0", a "1", a "2", a "3", a "4", a "5", a "6", a "7", a "8", a "9"
#define A0_TO_A159                                                                                 \
	TEN("a"), TEN("a1"), TEN("a2"), TEN("a3"), TEN("a4"), TEN("a5"), TEN("a6"), TEN("a7"),     \
		TEN("a8"), TEN("a9"), TEN("a10"), TEN("a11"), TEN("a12"), TEN("a13"), TEN("a14"),  \
		TEN("a15")
#if GROUPS_VGPR == 3
#define CLAIM_AGPRS() asm volatile("" ::: A0_TO_A159)
#else
#define CLAIM_AGPRS()                                                                              \
	asm volatile("" ::                                                                         \
	                     : A0_TO_A159, TEN("a16"), TEN("a17"), TEN("a18"), TEN("a19"),         \
	                       TEN("a20"), TEN("a21"), "a220", "a221", "a222", "a223")
#endif

/* ---- a tile ---- */

/* In assembly, like all that the loop has in scalar registers: the compiler might choose vector
 * registers, which the assembly of loads does not accept. */
INLINE void next_slot(u32 *slot, const struct ring *r) {
	asm("s_add_u32 %0, %0, %1\n\ts_cmp_eq_u32 %0, %2\n\ts_cselect_b32 %0, %3, %0"
	    : "+s"(*slot)
	    : "n"(SLOT), "s"(r->end), "s"(r->first)
	    : "scc");
}

INLINE void find_reads(const struct operands *p, u32 slot, u32 reads[READS_A]) {
#pragma unroll
	for (u32 b = 0; b < READS_A; b++)
		asm("v_add_u32_e32 %0, %1, %2" : "=v"(reads[b]) : "s"(slot), "v"(p->reads[b]));
}

INLINE void first_place(const struct operands *p, struct place *at) {
#pragma unroll
	for (u32 n = 0; n < READS_A; n++) {
		at->reads[n] = p->reads[n];
		at->there[n] = p->reads[n] + SLOT;
	}
	at->write = p->dma.first + WRITE_AHEAD * SLOT;
	at->next = SLOTS == 2 ? p->dma.first + !WRITE_AHEAD * SLOT : CONSTANT_SGPR(SLOT);
	at->a = CONSTANT_SGPR(AHEAD * A_STEP);
	at->b = CONSTANT_SGPR(ADVANCE_FIRST ? 0 : B_STEP);
	at->scales = CONSTANT_SGPR(ADVANCE_FIRST ? -SCALE_STEP : SCALE_STEP);
}

INLINE void exchange(u32 *x, u32 *y) {
	u32 z = *x;
	*x = *y;
	*y = z;
}

/* The bytes of K are opaque: the compiler would add before a load, which needs a wait state. */
INLINE void advance(const struct operands *p, struct place *at) {
#pragma unroll
	for (u32 n = 0; n < READS_A; n++)
		exchange(&at->reads[n], &at->there[n]);
	if (SLOTS == 2) {
		exchange(&at->write, &at->next);
	} else {
		next_slot(&at->next, &p->slots);
		next_slot(&at->write, &p->dma);
	}
	at->a += A_STEP;
	if (!ADVANCE_FIRST) {
		at->b += B_STEP;
		at->scales += SCALE_STEP;
	}
	asm volatile("" : "+s"(at->a), "+s"(at->b), "+s"(at->scales));
}

/* The wave's n-th load of a tile's B and scales. */
INLINE void load_direct(const struct descriptors *d, const struct offsets *at, u32 n, u32 k_b,
                        u32 k_scales, u32 imm, struct direct *to) {
	u32 i = n / PARTS_B, half = i / FRAGS_N, j = i % FRAGS_N, g = n - LOADS_B;
	if (n < LOADS_B && n % PARTS_B == 0)
		LOAD_DIRECT("dwordx4", to->b[half][j].first, d->b, at->b[half][j], k_b, 0);
	else if (n < LOADS_B)
		LOAD_DIRECT("dwordx2", to->b[half][j].rest, d->b, at->b[half][j], k_b, CHUNK);
	else if (g < GROUPS)
		LOAD_DIRECT("dword", to->a_scales[g], d->a_scales, at->a_scales[g], k_scales, imm);
	else
		LOAD_DIRECT("dword", to->b_scales[g - GROUPS], d->b_scales,
		            at->b_scales[g - GROUPS], k_scales, imm);
}

INLINE void load_all_direct(const struct descriptors *d, const struct offsets *at, u32 k_b,
                            u32 k_scales, struct direct *to) {
#pragma unroll
	for (u32 n = 0; n < LOADS_DIRECT; n++)
		load_direct(d, at, n, k_b, k_scales, 0, to);
}

INLINE void load_all_a(u32x4 a, const u32 at[LOADS_A], u32 to, u32 k_a) {
#pragma unroll
	for (u32 n = 0; n < LOADS_A; n++) {
		if (n % 4 == 0) {
			SET_M0(to, n * DMA);
			asm volatile("s_nop 0");
		}
		LOAD_LDS(n, a, at[n], k_a);
	}
}

/* The n-th LDS read of a group. */
INLINE void read_a(const u32 reads[READS_A], u32 g, u32 n, group to) {
	u32 part = n % PARTS_A, half = n / READS_A, odd = n / PARTS_A % 2;
	u32 from = reads[half * PARTS_A + part], at = (2 * g + odd) * 16 * ROW;
	struct elements_a *x = &to[half][odd];
	if (part == 0)
		LDS_READ_B128(x->first, from, at);
	else if (BITS_A == 6)
		LDS_READ_B64(x->rest, from, at);
	else
		LDS_READ_B128(x->rest, from, at);
}

/* Group 0 of a tile. */
INLINE void read_first(const u32 reads[READS_A], group to) {
#pragma unroll
	for (u32 n = 0; n < GROUP_READS; n++)
		read_a(reads, 0, n, to);
}

/* The registers of a lane's elements as an operand of MFMA. */
#define OPERAND(format, elements)    OPERAND_OF(format, elements)
#define OPERAND_OF(format, elements) OPERAND_##format(elements)
#define OPERAND_0(e)                 __builtin_shufflevector((e).first, (e).rest, 0, 1, 2, 3, 4, 5, 6, 7)
#define OPERAND_2(e)                 __builtin_shufflevector((e).first, (e).rest.xyxy, 0, 1, 2, 3, 4, 5)
#define OPERAND_3                    OPERAND_2
#define OPERAND_4(e)                 (e).first

/* The first AGPR of a fragment's accumulator. */
#define AGPR(i, j) ((((i)-2 * GROUPS_VGPR) * FRAGS_N + (j)) * 4)

/* The n-th product of group g. Products of the same accumulator are 8 instructions apart. */
INLINE void multiply(const group a, const struct direct *d, u32 g, u32 n, int from_zero,
                     accumulators acc) {
	u32 half = n / 8, odd = n / 4 % 2, i = 2 * g + odd, j = n % 4;
	u32 zero = from_zero && half == 0, sx = d->b_scales[j / 2], sy = d->a_scales[g];
	operand_b x = OPERAND(FORMAT_B, d->b[half][j]);
	operand_a y = OPERAND(FORMAT_A, a[half][odd]);
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
#pragma unroll
	for (u32 i = 0; i < LOADS_A; i++)
		USE_V(at->a[i]);
#pragma unroll
	for (u32 n = 0; n < 2 * FRAGS_N; n++)
		USE_V(at->b[n / FRAGS_N][n % FRAGS_N]);
#pragma unroll
	for (u32 g = 0; g < GROUPS; g++)
		USE_V(at->a_scales[g]);
#pragma unroll
	for (u32 g = 0; g < GROUPS_N; g++)
		USE_V(at->b_scales[g]);
}

/* Waits for all loads, also those that nothing reads: until then their registers must not be used
 * again. The uses make the compiler keep them, and no later instruction moves up. */
INLINE void drain(const struct direct *d, group a) {
	asm volatile("s_waitcnt vmcnt(0) lgkmcnt(0)" ::: "memory");
#pragma unroll
	for (u32 n = 0; n < 2 * FRAGS_N; n++)
		USE_V(OPERAND(FORMAT_B, d->b[n / FRAGS_N][n % FRAGS_N]));
#pragma unroll
	for (u32 g = 0; g < GROUPS; g++)
		USE_V(d->a_scales[g]);
#pragma unroll
	for (u32 g = 0; g < GROUPS_N; g++)
		USE_V(d->b_scales[g]);
#pragma unroll
	for (u32 n = 0; n < 4; n++)
		USE_V(OPERAND(FORMAT_A, a[n / 2][n % 2]));
	__builtin_amdgcn_sched_barrier(0);
}

/* What is loaded during a tile. NO_A is for more than two slots. */
enum ahead { ALL, NO_A, NOTHING };

/* Load n of those that are placed between the products: M0 of four LDS-DMA before the first. */
INLINE void prepare_load(const struct wave *w, enum ahead ahead, u32 n) {
	if (ahead == ALL && n - FIRST_A < LOADS_A && (n - FIRST_A) % 4 == 0)
		SET_M0(w->at.write, (n - FIRST_A) * DMA);
}

INLINE void place_load(const struct wave *w, enum ahead ahead, u32 n, struct direct *next) {
	if (ahead == ALL && n - FIRST_A < LOADS_A)
		LOAD_LDS(n - FIRST_A, w->from.a, w->p.at.a[n - FIRST_A], w->at.a);
	else if (ahead != NOTHING && n - FIRST_DIRECT < LOADS_DIRECT)
		load_direct(&w->from, &w->p.at, n - FIRST_DIRECT, w->at.b, w->at.scales,
		            ADVANCE_FIRST && next == &w->even ? SCALE_STEP : 0, next);
}

/* Between two assembly statements of which the second reads or writes what the first one writes,
 * the compiler puts an s_nop, unless an instruction of its own is between them. Here it would, and
 * so K of B and scales and the tiles left advance here, which is before the loads of B. Scales
 * advance two steps in even tiles, because odd ones load them with an offset of a step. */
INLINE void advance_between(struct wave *w, u32 g, int is_odd) {
	__builtin_amdgcn_sched_barrier(0);
	if (g == 0)
		w->at.b += B_STEP;
	else if (is_odd)
		w->left -= 2;
	else
		w->at.scales += 2 * SCALE_STEP;
	asm volatile("" : "+s"(w->at.b), "+s"(w->at.scales), "+s"(w->left));
	__builtin_amdgcn_sched_barrier(0);
}

/* The products of group g, between them the LDS reads of group `then` of a slot, and loads. */
INLINE void do_group(struct wave *w, enum ahead ahead, int from_zero, u32 g,
                     const u32 reads[READS_A], u32 then, const struct direct *now,
                     struct direct *next, accumulators acc) {
#pragma unroll
	for (u32 n = 0; n < 16; n++) {
		u32 place = 16 * g + n;
		if (ADVANCE_FIRST && ahead != NOTHING && g < 2 && n == 8)
			advance_between(w, g, next == &w->even);
		multiply(w->a[g % 2], now, g, n, from_zero, acc);
		if (n < GROUP_READS && reads)
			read_a(reads, then, n, w->a[then % 2]);
		if (place % SPREAD == 2 % SPREAD && place >= 2)
			prepare_load(w, ahead, (place - 2) / SPREAD);
		if (place % SPREAD == 3 % SPREAD && place >= 3)
			place_load(w, ahead, (place - 3) / SPREAD, next);
	}
}

/* Multiplies a tile of K. At its start group 0 is on its way to a[0]. The accumulators are added
 * to, or begin with zero. */
INLINE void do_tile(struct wave *w, enum ahead ahead, int from_zero, const struct direct *now,
                    struct direct *next, accumulators acc) {
	CLAIM_AGPRS();
	if (ahead != NOTHING && SLOTS > 2)
		find_reads(&w->p, w->at.next, w->at.there);
	if (ahead == NOTHING)
		WAIT_DIRECT(0);
	else
		WAIT_DIRECT((AHEAD - 1) * LOADS_A);
#pragma unroll
	for (u32 g = 0; g < GROUPS - 1; g++) {
		WAIT_READS(0);
		do_group(w, ahead, from_zero, g, w->at.reads, g + 1, now, next, acc);
	}
	END_READS();
	if (ahead == ALL)
		WAIT_A(LOADS_DIRECT + (AHEAD - 1) * LOADS_A);
	if (ahead == NO_A)
		WAIT_A(LOADS_DIRECT);
	if (ahead != NOTHING)
		TILE_BARRIER();
	do_group(w, ahead, from_zero, GROUPS - 1, ahead != NOTHING ? w->at.there : 0, 0, now, next,
	         acc);
}

/* ---- a product ---- */

/* Loads tile 0, and of tile 1 the part of A, by `second`, if it has a slot. */
INLINE void begin(struct wave *w, u32 tiles, u32x4 second) {
	u32 k = CONSTANT_SGPR(0);
	w->left = (int)tiles;
	first_place(&w->p, &w->at);
	load_all_a(w->p.from.a, w->p.at.a, w->p.dma.first, k);
	load_all_direct(&w->from, &w->p.at, k, k, &w->even);
	if (AHEAD > 1)
		load_all_a(second, w->p.at.a, w->p.dma.first + SLOT, CONSTANT_SGPR(A_STEP));
	WAIT_A(LOADS_DIRECT + (AHEAD - 1) * LOADS_A);
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

/* The descriptors for the loads during a tile: of no bytes if no more than `most` tiles are left,
 * of A no more than AHEAD - 1 others. */
INLINE void mask(struct wave *w, int most) {
	const struct descriptors *all = &w->p.from;
	asm volatile("s_cmp_gt_i32 %4, %5\n\t"
	             "s_cselect_b32 %0, %6, 0\n\t"
	             "s_cselect_b32 %1, %7, 0\n\t"
	             "s_cselect_b32 %2, %8, " SCALES_PAST(
			     "%8") "\n\t"
	                           "s_cselect_b32 %3, %9, " SCALES_PAST("%9")
	             : "=&s"(w->from.a.z), "=&s"(w->from.b.z), "=&s"(w->from.a_scales.z),
	               "=&s"(w->from.b_scales.z)
	             : "s"(w->left), "n"(most), "s"(all->a.z), "s"(all->b.z), "s"(all->a_scales.z),
	               "s"(all->b_scales.z)
	             : "scc");
	if (AHEAD > 1)
		w->from.a.z = bytes_of((u32)most + AHEAD - 1, (u32)w->left, all->a.z);
}

/* Two tiles. */
INLINE void do_two(struct wave *w, int from_zero, accumulators acc) {
	mask(w, 1);
	do_even(w, ALL, from_zero, acc);
	mask(w, 2);
	do_odd(w, ALL, acc);
	if (!ADVANCE_FIRST)
		w->left -= 2;
	/* Opaque: the compiler would write constant words of descriptors again in the loop. */
	asm volatile(""
	             : "+s"(w->from.a), "+s"(w->from.b), "+s"(w->from.a_scales),
	               "+s"(w->from.b_scales), "+s"(w->left));
}

/* All of `tiles` tiles, without an epilogue: loads ahead of the last tile have descriptors of 0
 * bytes. If the number of tiles is odd, it adds one of zeros with scales of 2^-127, which is
 * harmless but for a sum of -0, which becomes +0. */
INLINE void multiply_masked(struct wave *w, u32 tiles, accumulators acc) {
	w->from = w->p.from;
	if (AHEAD > 1)
		w->from.a.z = bytes_of(1, tiles, w->p.from.a.z);
	begin(w, tiles, w->from.a);
	do_two(w, 1, acc);
	while (w->left > 0)
		do_two(w, 0, acc);
	drain(&w->even, w->a[0]);
}

#endif
