/* Forward attention for gfx950, O = softmax(scale Q K^T + mask) V and LSE, heads of 128: Q and K in
 * bf16, P and V in MXFP8 (E4M3) or MXFP4 (E2M1), blocks of 32 keys; O in bf16, LSE in f32.
 *
 * Rows of Q, K and O are queries and keys, batch after batch; their columns are those of each head,
 * side by side. V is transposed, a row of keys for each column of a head, with its scales, as the
 * dual quantisation makes them. HQ query heads share HK key heads. Any number S of queries of a
 * batch; the number T of keys is a multiple of 32. Causal: the last query uses all keys, and S <=
 * T.
 *
 * A workgroup of 8 waves has 256 queries of a head, each wave 32 of them. It goes over the keys in
 * tiles of 128. LDS holds two tiles of K and V: while one is multiplied, LDS-DMA loads the next.
 *
 *   tile t:  its loads have arrived, and all waves have read tile t-1: barrier
 *            -> load scales of t, and tile t+1 to LDS -> S^T = K Q^T
 *            -> maximum, P = 2^(S - maximum) in blocks -> O^T += V^T P^T
 *
 * Tiles of which a wave's queries use all keys come first, without a mask.
 *
 * S^T and O^T have a query in a column, a lane of each 16, so that its maximum, its sum and the
 * scales of its P are in the lane. In S^T a lane has 32 keys of its query. K is read in such an
 * order of keys that these are the lane's keys of P as the operand of the next MFMA: nothing moves
 * between lanes but maxima, and the scales of MXFP8.
 *
 * In LDS a row of K is 16 chunks of 16 bytes. Chunk c of row r is in slot c ^ r % 16; of V's rows
 * see V_SLOT. The lanes that LDS serves together then read different banks. */
#include "../gfx950.h"

typedef __bf16 bf16x8 __attribute__((ext_vector_type(8)));
typedef __bf16 bf16x4 __attribute__((ext_vector_type(4)));
typedef short s16x2 __attribute__((ext_vector_type(2)));

enum {
	THREADS = 512,
	DEPTH = 128,
	TILE = 128, /* keys */
	BLOCK = 32,
	BLOCKS = TILE / BLOCK,
	QUERIES = 256,
	CHUNK = 16,
	DMA_BYTES = 1024,
	FRAGS = 2,            /* of 16 queries, of a wave */
	FRAGS_K = TILE / 16,  /* of 16 keys */
	FRAGS_V = DEPTH / 16, /* of 16 columns of V */
	STEPS = DEPTH / 32,   /* of K Q^T */
	ROW_K = DEPTH * 2,    /* bytes */
	BYTES_K = TILE * ROW_K,
	LOADS_K = BYTES_K / DMA_BYTES / 8, /* of a wave */
};

/* What differs between the formats of P and V. */
enum format { E4M3 = 0, E2M1 = 4 };                /* as in the fields CBSZ and BLGP of the MFMA */
#define ROW_V(f)   ((f) == E4M3 ? TILE : TILE / 2) /* bytes */
#define LOADS_V(f) (ROW_V(f) * DEPTH / DMA_BYTES / 8)
#define READS_V(f) ((f) == E4M3 ? 2 : 1) /* of LDS, for 16 columns of V */
#define STAGE(f)   (BYTES_K + DEPTH * ROW_V(f))
/* The slot of chunk c of row r; a row has 8 chunks, or 4. */
#define V_SLOT(f, c, r) ((f) == E4M3 ? (c) ^ ((r) / 2 & 7) : (c) ^ (-((r) / 4) & 3))

#define LOG2_E 0x1.715476p+0f
#define LN_2   0x1.62e43p-1f

/* O^T and the sum, when the maximum has grown. */
#ifndef RESCALE
#define RESCALE(x, by) ((x) * (by))
#endif

/* Of two blocks, the scale of the one that the MFMA takes from the lane. */
#ifndef SCALE_OF_LANE
#define SCALE_OF_LANE(scale, y) (LANE() / 16 % 2 ? (y).y : (y).x)
#endif

/* The loads of a tile to LDS have landed. The wave has waited for its reads of the tile before. */
#ifndef WAIT_TILE
#define WAIT_TILE() WAIT_VMCNT(0)
#endif
#ifndef TILE_BARRIER
#define TILE_BARRIER() asm volatile("s_barrier" ::: "memory")
#endif

struct arguments {
	GLOBAL u8 *o, *lse;
	const GLOBAL u8 *q, *k, *v, *vs;
	u32 S, T, batches, heads, kv_heads, causal;
	float scale;
};

/* The keys of a workgroup: those of its batch, of one head. ld: bytes from key to key of K, and
 * from column to column of V and of its scales. */
struct part {
	const GLOBAL u8 *k, *v, *vs;
	u32 T, ld_k, ld_v, ld_vs, tiles;
};

SHARED u8 stages[2 * STAGE(E4M3)];

INLINE u32 smaller(u32 a, u32 b) {
	return a < b ? a : b;
}

/* ---- memory to LDS ---- */

/* A lane's offsets from a tile's first byte. */
struct offsets {
	u32 k[LOADS_K], v[2], vs, chunk_v;
};

/* Row r of K in LDS is row r % 16 of fragment r / 16. The key of that row: what P's operand has in
 * the lane's place. Load j of a wave has rows 4 (wave + 8 j) + lane / 16. */
INLINE u32 key_of_load(enum format f, u32 j) {
	u32 wave = WAVE(), row = LANE() / 16, part = wave % 4, frag = wave / 4 + 2 * j;
	return f == E4M3 ? 64 * (frag / 4) + 16 * part + 4 * (frag % 4) + row
	                 : 32 * part + 4 * frag + row;
}

INLINE struct offsets make_offsets(enum format f, const struct part *p) {
	struct offsets x;
	u32 row = 4 * WAVE() + LANE() / 16, in_row = ROW_V(f) / CHUNK;
#pragma unroll
	for (u32 j = 0; j < LOADS_K; j++)
		x.k[j] = key_of_load(f, j) * p->ld_k + (LANE() % 16 ^ row % 16) * CHUNK;
	u32 at = WAVE() * 64 + LANE(), col = at / in_row;
	x.chunk_v = V_SLOT(f, at % in_row, col);
#pragma unroll
	for (u32 j = 0; j < LOADS_V(f); j++)
		x.v[j] = (col + j * (THREADS / in_row)) * p->ld_v + x.chunk_v * CHUNK;
	x.vs = LANE() % 16 * p->ld_vs + LANE() / 16;
	return x;
}

/* Keys past the last one are zeros: of K past the descriptor's end, of V by the offset. A tile past
 * the last one has a descriptor without bytes. */
INLINE void load_tile(enum format f, const struct part *p, const struct offsets *x, u32 t) {
	LDS u8 *to = stages + t % 2 * STAGE(f) + WAVE() * DMA_BYTES;
	u32 left = t < p->tiles ? p->T - t * TILE : 0;
	buffer k = make_buffer(p->k + (u64)t * TILE * p->ld_k, left * p->ld_k);
	buffer v = make_buffer(p->v + t * ROW_V(f), left ? DEPTH * p->ld_v - t * ROW_V(f) : 0);
	u32 past = x->chunk_v * (TILE / (ROW_V(f) / CHUNK)) < left ? 0 : OUT_OF_RANGE;
#pragma unroll
	for (u32 j = 0; j < LOADS_K; j++)
		load_to_lds(k, to + j * 8 * DMA_BYTES, x->k[j]);
#pragma unroll
	for (u32 j = 0; j < LOADS_V(f); j++)
		load_to_lds(v, to + BYTES_K + j * 8 * DMA_BYTES, x->v[j] | past);
}

/* The scale of the lane's block of each fragment's row; 0 past the last key. */
INLINE void load_scales(const struct part *p, const struct offsets *x, u32 t, u32 to[FRAGS_V]) {
	u32 blocks = p->T / BLOCK - t * BLOCKS;
	u32x4 vs = make_descriptor(p->vs + t * BLOCKS, DEPTH * p->ld_vs - t * BLOCKS);
#pragma unroll
	for (u32 i = 0; i < FRAGS_V; i++)
		LOAD_U8(to[i], vs, LANE() / 16 < blocks ? x->vs + i * 16 * p->ld_vs : OUT_OF_RANGE);
	/* No load to LDS may be repeated together with these [LLVM GCNHazardRecognizer: soft
	 * clauses]. */
	asm volatile("s_nop 0");
}

/* The loads to LDS that follow may be in flight. */
#define WAIT_SCALES(s, n)                                                                          \
	asm volatile("s_waitcnt vmcnt(%8)"                                                         \
	             : "+v"(s[0]), "+v"(s[1]), "+v"(s[2]), "+v"(s[3]), "+v"(s[4]), "+v"(s[5]),     \
	               "+v"(s[6]), "+v"(s[7])                                                      \
	             : "n"(n))

/* ---- S^T = K Q^T ---- */

typedef u32x4 operand_16[STEPS]; /* of 16 rows or columns */

INLINE void read_k(const LDS u8 *stage, u32 frag, operand_16 k) {
	u32 row = LANE() % 16;
	const LDS u8 *at = stage + row * ROW_K;
#pragma unroll
	for (u32 i = 0; i < STEPS; i++) {
		const LDS u8 *chunk = at + ((4 * i + LANE() / 16) ^ row) * CHUNK;
		LDS_READ_B128(k[i], chunk, frag * 16 * ROW_K);
	}
}

#define WAIT_K(k)                                                                                  \
	asm volatile("s_waitcnt lgkmcnt(0)"                                                        \
	             : "+v"(k[0]), "+v"(k[1]), "+v"(k[2]), "+v"(k[3])                              \
	             :                                                                             \
	             : "memory")

/* An LDS read must not overwrite what an MFMA just before it reads or writes [LLVM
 * GCNHazardRecognizer]. The compiler does not see it in assembly: sums before the last MFMA stay in
 * their registers until the next fragment's reads have issued. */
#define KEEP_UNTIL_HERE(x) asm volatile("" : : "v"((x)[0]), "v"((x)[1]))

INLINE f32x4 multiply_16(u32x4 k, u32x4 q, f32x4 s) {
	return __builtin_amdgcn_mfma_f32_16x16x32_bf16(__builtin_bit_cast(bf16x8, k),
	                                               __builtin_bit_cast(bf16x8, q), s, 0, 0, 0);
}

/* The wait for the next operands stands before the last product, which has others: between a
 * statement that writes operands and an MFMA that reads them the compiler puts an s_nop, unless an
 * instruction of its own is there. */
INLINE void multiply_keys(const LDS u8 *stage, const operand_16 q[FRAGS], f32x4 s[FRAGS][FRAGS_K]) {
	operand_16 k[2];
	f32x4 sum[FRAGS] = {};
	read_k(stage, 0, k[0]);
	WAIT_K(k[0]);
#pragma unroll
	for (u32 j = 0; j < FRAGS_K; j++) {
		if (j + 1 < FRAGS_K)
			read_k(stage, j + 1, k[(j + 1) % 2]);
		KEEP_UNTIL_HERE(sum);
		__builtin_amdgcn_sched_barrier(0);
#pragma unroll
		for (u32 a = 0; a < FRAGS; a++) {
			sum[a] = (f32x4){};
#pragma unroll
			for (u32 i = 0; i + 1 < STEPS; i++)
				sum[a] = multiply_16(k[j % 2][i], q[a][i], sum[a]);
		}
		s[0][j] = multiply_16(k[j % 2][STEPS - 1], q[0][STEPS - 1], sum[0]);
		__builtin_amdgcn_sched_barrier(0);
		if (j + 1 < FRAGS_K)
			WAIT_K(k[(j + 1) % 2]);
		__builtin_amdgcn_sched_barrier(0);
		s[1][j] = multiply_16(k[j % 2][STEPS - 1], q[1][STEPS - 1], sum[1]);
		__builtin_amdgcn_sched_barrier(0);
	}
}

/* ---- softmax ---- */

/* The lane's first key of a fragment in the tile, but for 16 or 32 times lane / 16. */
INLINE u32 key_of(enum format f, u32 frag) {
	return f == E4M3 ? 64 * (frag / 4) + 4 * (frag % 4) : 4 * frag;
}

/* Keys after the last one of the query, which is `last` keys after the tile's first. */
INLINE void mask(enum format f, int last, f32x4 s[FRAGS_K]) {
	int left = last - (int)(LANE() / 16 * (f == E4M3 ? 16 : 32));
#pragma unroll
	for (u32 j = 0; j < FRAGS_K; j++)
#pragma unroll
		for (u32 r = 0; r < 4; r++)
			s[j][r] = (int)(key_of(f, j) + r) > left ? -__builtin_inff() : s[j][r];
}

/* Functions, because clang 22 casts element 0 of a vector for any of its elements. */
INLINE u32 bits_of(float x) {
	return __builtin_bit_cast(u32, x);
}
INLINE float float_of(u32 x) {
	return __builtin_bit_cast(float, x);
}

/* Of the lanes of rows 0 and 1, and 2 and 3, of 16 each; and of rows that are 32 lanes apart. */
#define SWAP_16(x, y) __builtin_bit_cast(u32x2, __builtin_amdgcn_permlane16_swap(x, y, 0, 0))
#define SWAP_32(x, y) __builtin_bit_cast(u32x2, __builtin_amdgcn_permlane32_swap(x, y, 0, 0))
INLINE float larger_of_rows(float x) {
	u32x2 y = SWAP_16(bits_of(x), bits_of(x));
	return __builtin_elementwise_maximum(float_of(y.x), float_of(y.y));
}
INLINE float larger_of_halves(float x) {
	u32x2 y = SWAP_32(bits_of(x), bits_of(x));
	return __builtin_elementwise_maximum(float_of(y.x), float_of(y.y));
}
INLINE float sum_of_lanes(float x) {
	u32x2 y = SWAP_16(bits_of(x), bits_of(x));
	float sum = float_of(y.x) + float_of(y.y);
	y = SWAP_32(bits_of(sum), bits_of(sum));
	return float_of(y.x) + float_of(y.y);
}

INLINE float largest(const f32x4 *s, u32 n) {
	float most = s[0][0];
#pragma unroll
	for (u32 j = 0; j < n; j++)
#pragma unroll
		for (u32 r = 0; r < 4; r++)
			most = __builtin_elementwise_maximum(most, s[j][r]);
	return most;
}

/* The largest scores of the blocks of which the lane has keys: of E4M3 two, which the lane 16 lanes
 * away shares. */
struct peaks {
	float of[2];
};
INLINE struct peaks find_peaks(enum format f, const f32x4 s[FRAGS_K]) {
	if (f == E2M1)
		return (struct peaks){ { largest(s, FRAGS_K), 0 } };
	return (struct peaks){ { larger_of_rows(largest(s, FRAGS_K / 2)),
		                 larger_of_rows(largest(s + FRAGS_K / 2, FRAGS_K / 2)) } };
}

INLINE float peak_of_tile(enum format f, struct peaks p) {
	float most = f == E4M3 ? __builtin_elementwise_maximum(p.of[0], p.of[1])
	                       : larger_of_rows(p.of[0]);
	return larger_of_halves(most);
}

/* The scale's byte: the least power of two that leaves no weight of the block above 448, or 6.
 * Below 2^-127 it is 2^-127. */
INLINE u32 scale_of(enum format f, float amax) {
	u32 carry = f == E4M3 ? 0x1fffff : 0x3fffff; /* above 1.75, or 1.5, times a power of two */
	return __builtin_elementwise_sub_sat((bits_of(amax) + carry) >> 23, f == E4M3 ? 8u : 2u);
}

/* The scale of the block with the lane's number, lane / 16. Of E4M3 rows 0 and 1 of the lanes have
 * blocks 0 and 2, rows 2 and 3 blocks 1 and 3. */
INLINE u32 scale_of_lane(enum format f, const u32 scale[2]) {
	if (f == E2M1)
		return scale[0];
	u32x2 y = SWAP_32(scale[0], scale[1]);
	return SCALE_OF_LANE(scale, y);
}

/* Four conversions, or two, write all of a register, which needs no value before. */
#define UNWRITTEN(x) asm volatile("" : "=v"(x))

INLINE u32 to_fp8(f32x4 p, float scale) {
	s16x2 word;
	UNWRITTEN(word);
	word = __builtin_amdgcn_cvt_scalef32_pk_fp8_f32(word, p[0], p[1], scale, 0);
	word = __builtin_amdgcn_cvt_scalef32_pk_fp8_f32(word, p[2], p[3], scale, 1);
	return __builtin_bit_cast(u32, word);
}
INLINE u32 to_fp4(f32x4 p, f32x4 q, float scale) {
	u32 word;
	UNWRITTEN(word);
	word = __builtin_amdgcn_cvt_scalef32_pk_fp4_f32(word, p[0], p[1], scale, 0);
	word = __builtin_amdgcn_cvt_scalef32_pk_fp4_f32(word, p[2], p[3], scale, 1);
	word = __builtin_amdgcn_cvt_scalef32_pk_fp4_f32(word, q[0], q[1], scale, 2);
	return __builtin_amdgcn_cvt_scalef32_pk_fp4_f32(word, q[2], q[3], scale, 3);
}

/* Weights of 16 queries in codes, and the scale of the lane's block. */
struct weights {
	i32x8 codes;
	u32 scale;
};

INLINE struct weights to_codes(enum format f, const f32x4 p[FRAGS_K], const u32 scale[2]) {
	struct weights w = { .scale = scale_of_lane(f, scale) };
#pragma unroll
	for (u32 j = 0; j < (f == E4M3 ? 8 : 4); j++)
		w.codes[j] = f == E4M3 ? to_fp8(p[j], float_of(scale[j / 4] << 23))
		                       : to_fp4(p[2 * j], p[2 * j + 1], float_of(scale[0] << 23));
	return w;
}

/* What a wave keeps of 16 queries from tile to tile: in units of the score the maximum,
 * the lane's part of the sum of weights, and O^T. */
struct query {
	float most, sum;
	f32x4 o[FRAGS_V];
};

/* p = 2^(c (s - most)). */
INLINE f32x4 weight_of(f32x4 s, float c, float most) {
	f32x4 x = __builtin_elementwise_fma(s, (f32x4)c, (f32x4)(-c * most));
#pragma unroll
	for (u32 r = 0; r < 4; r++)
		x[r] = __builtin_amdgcn_exp2f(x[r]);
	return x;
}

/* Weights of earlier tiles, which O and the sum have, become relative to another maximum. */
INLINE void rescale(float c, float most, struct query *q) {
	float by = __builtin_amdgcn_exp2f(c * (q->most - most));
	q->most = most;
	q->sum *= by;
#pragma unroll
	for (u32 i = 0; i < FRAGS_V; i++)
		q->o[i] = RESCALE(q->o[i], by);
}

/* The maximum of a query is replaced only by one from which weights are more than 2^LAZY, so that
 * most tiles need no rescaling; then it is skipped if no query of the wave needs it. The scales of
 * blocks take weights above 1. */
#define LAZY 8.0f
INLINE void update(enum format f, float c, const struct peaks peaks[FRAGS], struct query q[FRAGS]) {
	float most[FRAGS];
	u32 grows = 0;
#pragma unroll
	for (u32 a = 0; a < FRAGS; a++) {
		float top = __builtin_elementwise_maximum(q[a].most, peak_of_tile(f, peaks[a]));
		u32 more = !(c * (top - q[a].most) <= LAZY);
		most[a] = more ? top : q[a].most;
		grows |= more;
	}
	if (!__builtin_amdgcn_ballot_w64(grows))
		return;
#pragma unroll
	for (u32 a = 0; a < FRAGS; a++)
		rescale(c, most[a], &q[a]);
}

/* The weights of a tile. */
INLINE struct weights make_weights(enum format f, float c, struct peaks peaks, f32x4 s[FRAGS_K],
                                   struct query *q) {
	f32x4 sum = {};
	u32 scale[2];
#pragma unroll
	for (u32 i = 0; i < 2; i++)
		scale[i] = scale_of(f, weight_of((f32x4)peaks.of[i], c, q->most)[0]);
#pragma unroll
	for (u32 j = 0; j < FRAGS_K; j++) {
		s[j] = weight_of(s[j], c, q->most);
		sum += s[j];
	}
	q->sum += sum[0] + sum[1] + (sum[2] + sum[3]);
	return to_codes(f, s, scale);
}

/* ---- O^T += V^T P^T ---- */

INLINE void read_v(enum format f, const LDS u8 *stage, u32 frag, u32x4 v[2]) {
	u32 row = LANE() % 16, part = LANE() / 16;
	const LDS u8 *at = stage + BYTES_K + row * ROW_V(f);
#pragma unroll
	for (u32 i = 0; i < READS_V(f); i++) {
		const LDS u8 *chunk = at + V_SLOT(f, 4 * i + part, row) * CHUNK;
		LDS_READ_B128(v[i], chunk, frag * 16 * ROW_V(f));
	}
}

INLINE void wait_v(enum format f, u32x4 v[2]) {
	if (f == E2M1)
		asm volatile("s_waitcnt lgkmcnt(0)" : "+v"(v[0]) : : "memory");
	else
		asm volatile("s_waitcnt lgkmcnt(0)" : "+v"(v[0]), "+v"(v[1]) : : "memory");
}

INLINE f32x4 multiply(enum format f, i32x8 v, u32 scale, const struct weights *p, f32x4 o) {
	if (f == E4M3)
		return __builtin_amdgcn_mfma_scale_f32_16x16x128_f8f6f4(v, p->codes, o, E4M3, E4M3,
		                                                        0, scale, 0, p->scale);
	return __builtin_amdgcn_mfma_scale_f32_16x16x128_f8f6f4(v, p->codes, o, E2M1, E2M1, 0,
	                                                        scale, 0, p->scale);
}

INLINE void multiply_values(enum format f, const LDS u8 *stage, const u32 scale[FRAGS_V],
                            const struct weights p[FRAGS], struct query q[FRAGS]) {
	u32x4 v[2][2] = {};
	read_v(f, stage, 0, v[0]);
	wait_v(f, v[0]);
#pragma unroll
	for (u32 i = 0; i < FRAGS_V; i++) {
		i32x8 x = fp8_operand(v[i % 2][0], v[i % 2][1]);
		if (i + 1 < FRAGS_V)
			read_v(f, stage, i + 1, v[(i + 1) % 2]);
		__builtin_amdgcn_sched_barrier(0);
		q[0].o[i] = multiply(f, x, scale[i], &p[0], q[0].o[i]);
		__builtin_amdgcn_sched_barrier(0);
		if (i + 1 < FRAGS_V)
			wait_v(f, v[(i + 1) % 2]);
		__builtin_amdgcn_sched_barrier(0);
		q[1].o[i] = multiply(f, x, scale[i], &p[1], q[1].o[i]);
		__builtin_amdgcn_sched_barrier(0);
	}
}

/* ---- a workgroup ---- */

/* The keys that the wave's first query uses are up to `last`. Where the mask is causal, each query
 * uses one more than the one before it. */
struct limit {
	u32 last, causal;
};

INLINE void do_tile(enum format f, const struct part *p, const struct offsets *x,
                    struct limit limit, u32 masked, float c, u32 t, const operand_16 k[FRAGS],
                    struct query q[FRAGS]) {
	const LDS u8 *stage = stages + t % 2 * STAGE(f);
	f32x4 s[FRAGS][FRAGS_K];
	struct peaks peaks[FRAGS];
	struct weights w[FRAGS];
	u32 scales[FRAGS_V];

	WAIT_TILE();
	TILE_BARRIER();
	load_scales(p, x, t, scales);
	load_tile(f, p, x, t + 1);
	multiply_keys(stage, k, s);
#pragma unroll
	for (u32 a = 0; a < FRAGS; a++) {
		if (masked) {
			u32 more = limit.causal ? 16 * a + LANE() % 16 : 0;
			mask(f, (int)(smaller(limit.last + more, p->T - 1) - t * TILE), s[a]);
		}
		peaks[a] = find_peaks(f, s[a]);
	}
	update(f, c, peaks, q);
#pragma unroll
	for (u32 a = 0; a < FRAGS; a++)
		w[a] = make_weights(f, c, peaks[a], s[a], &q[a]);
	WAIT_SCALES(scales, LOADS_K + LOADS_V(f));
	multiply_values(f, stage, scales, w, q);
}

/* Queries past the last one are zeros, as if they were there. */
INLINE void load_queries(buffer b, u32 ld, operand_16 q[FRAGS]) {
#pragma unroll
	for (u32 a = 0; a < FRAGS; a++)
#pragma unroll
		for (u32 i = 0; i < STEPS; i++) {
			u32 row = WAVE() * 32 + 16 * a + LANE() % 16;
			q[a][i] = __builtin_amdgcn_raw_buffer_load_b128(
				b, row * ld + (4 * i + LANE() / 16) * CHUNK, 0, 0);
		}
}

/* The lane has four columns of each fragment. */
INLINE void store(buffer o, buffer lse, u32 ld, float c, const struct query q[FRAGS]) {
#pragma unroll
	for (u32 a = 0; a < FRAGS; a++) {
		u32 row = WAVE() * 32 + 16 * a + LANE() % 16;
		float sum = sum_of_lanes(q[a].sum), by = __builtin_amdgcn_rcpf(sum);
#pragma unroll
		for (u32 i = 0; i < FRAGS_V; i++) {
			bf16x4 x = __builtin_convertvector(q[a].o[i] * by, bf16x4);
			__builtin_amdgcn_raw_buffer_store_b64(
				__builtin_bit_cast(u32x2, x), o,
				row * ld + (16 * i + LANE() / 16 * 4) * 2, 0, 0);
		}
		float l = (c * q[a].most + __builtin_amdgcn_logf(sum)) * LN_2;
		__builtin_amdgcn_raw_buffer_store_b32(bits_of(l), lse,
		                                      LANE() < 16 ? row * 4 : OUT_OF_RANGE, 0, 0);
	}
}

INLINE struct part make_part(enum format f, const struct arguments *p, u32 batch, u32 head,
                             u32 last) {
	u32 keys = p->batches * p->T, kv = head / (p->heads / p->kv_heads), column = kv * DEPTH;
	u32 ld_v = f == E4M3 ? keys : keys / 2, from = batch * p->T;
	return (struct part){
		.k = p->k + (u64)from * p->kv_heads * ROW_K + kv * ROW_K,
		.v = p->v + (u64)column * ld_v + (f == E4M3 ? from : from / 2),
		.vs = p->vs + (u64)column * (keys / BLOCK) + from / BLOCK,
		.T = p->T,
		.ld_k = p->kv_heads * ROW_K,
		.ld_v = ld_v,
		.ld_vs = keys / BLOCK,
		.tiles = last / TILE + 1,
	};
}

INLINE void attend(enum format f, const struct arguments *p) {
	u32 first = __builtin_amdgcn_workgroup_id_x() * QUERIES;
	u32 head = __builtin_amdgcn_workgroup_id_y(), batch = __builtin_amdgcn_workgroup_id_z();
	u32 rows = smaller(p->S - first, QUERIES), ld = p->heads * ROW_K;
	u32 before = p->causal ? p->T - p->S + first : p->T - 1; /* the first query's last key */
	struct part part = make_part(f, p, batch, head, p->causal ? before + rows - 1 : before);
	struct limit limit = { p->causal ? before + WAVE() * 32 : before, p->causal };
	u64 at = ((u64)batch * p->S + first) * ld + head * ROW_K;
	u64 at_lse = ((u64)(batch * p->heads + head) * p->S + first) * 4;
	struct offsets x = make_offsets(f, &part);
	struct query q[FRAGS] = {};
	operand_16 k[FRAGS];
	float c = p->scale * LOG2_E;

	load_tile(f, &part, &x, 0);
	load_queries(make_buffer(p->q + at, rows * ld), ld, k);
	q[0].most = q[1].most = -__builtin_inff();
	u32 t = 0, whole = smaller((limit.last + 1) / TILE, part.tiles);
	for (; t < whole; t++)
		do_tile(f, &part, &x, limit, 0, c, t, k, q);
	for (; t < part.tiles; t++)
		do_tile(f, &part, &x, limit, 1, c, t, k, q);
	WAIT_VMCNT(0); /* no load may land in LDS after the workgroup has released it */
	store(make_buffer(p->o + at, rows * ld), make_buffer(p->lse + at_lse, rows * 4), ld, c, q);
}

KERNEL(THREADS) void attention_mxfp8(struct arguments p) {
	attend(E4M3, &p);
}
KERNEL(THREADS) void attention_mxfp4(struct arguments p) {
	attend(E2M1, &p);
}
