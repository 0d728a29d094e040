/* A 256x256 tile of an MXFP8 product by 4 waves, in steps of 128 along K: operands through LDS by
 * LDS-DMA, the next step in flight while this one is multiplied. For device code only.
 *
 * Both operands are rows of K bytes with 16 aligned bytes from the start of a row on. Scales are in
 * S32x8: [rows/32][K/256][4 blocks][16 rows][2 steps][2 halves of 32 rows]. So the dword of a lane,
 * row r and block q, has its scales of two steps and of rows r and r + 16, and OP_SEL selects.
 *
 * A wave has 128x128 of the tile, 8x8 fragments of 16x16. The first operand of MFMA is a fragment
 * of B, the second of A: so a lane's four results are neighbours in a row of C.
 *
 * A step of an operand in LDS is 256 rows of 128 bytes, 8 chunks of 16. Chunk c of row r is in slot
 * c ^ (r / 2 % 8), so that the 16 lanes that read a chunk of 16 rows are in all banks. LDS-DMA
 * writes lanes in sequence, so a lane fetches the chunk for its slot.
 *
 * There are two stages. A step ends with its reads from LDS complete in each wave; so after the
 * barrier that begins the next one, the loads of the step after it may overwrite them:
 *
 *   step s: wait for the loads of s -> barrier -> load s + 1 -> read s -> MFMA */
#ifndef MXFP8_TILE_H
#define MXFP8_TILE_H

#include "../gfx950.h"

enum {
	TILE = 256,
	STEP = 128,
	WAVES = 4,
	WAVE_ROWS = TILE / WAVES, /* of each operand, that a wave loads */
	PANEL = TILE * STEP,      /* bytes of an operand in a stage */
	SCALES = TILE / 32 * 256, /* bytes of an operand's scales of two steps */
	FRAGS = 8,
	DMA_ROWS = 8, /* rows of one load to LDS */
};

struct stage {
	u8 a[PANEL], b[PANEL];
};
struct stage_scales {
	u8 a[SCALES], b[SCALES];
};
SHARED struct stage stages[2];
SHARED struct stage_scales scales; /* of two steps */

/* ---- loads to LDS ---- */

/* Loads to LDS from `to` on. M0 is written in the same statement, so that nothing changes it before
 * they read it. Another instruction must stand between them [LLVM: ReadM0LdsDmaHazard]: `other`,
 * which has the outputs. */
#define LOAD(other, outputs, to_lds, loads, ...)                                                   \
	asm volatile("s_mov_b32 m0, %[to]\n\t" other "\n\t" loads ""                               \
	             : outputs                                                                     \
	             : [to] "s"(to_lds), __VA_ARGS__                                               \
	             : "memory")
#define OUTPUTS(...) __VA_ARGS__

/* 4 KiB in four loads: the n-th has 8 rows more than the one before. The offset of the instruction
 * counts in LDS and in memory; the scalar offsets, from rows[first] on, make up for the latter. */
#define ROWS                                                                                       \
	"buffer_load_dwordx4 %[even], %[from], %[r0] offen lds\n\t"                                \
	"buffer_load_dwordx4 %[odd], %[from], %[r1] offen offset:1024 lds\n\t"                     \
	"buffer_load_dwordx4 %[even], %[from], %[r2] offen offset:2048 lds\n\t"                    \
	"buffer_load_dwordx4 %[odd], %[from], %[r3] offen offset:3072 lds"
#define ROWS_OF(s, descriptor, first)                                                              \
	[from] "s"(descriptor), [even] "v"((s)->even), [odd] "v"((s)->odd),                        \
		[r0] "s"((s)->rows[first]), [r1] "s"((s)->rows[(first) + 1]),                      \
		[r2] "s"((s)->rows[(first) + 2]), [r3] "s"((s)->rows[(first) + 3])
#define STEP_SCALES  "buffer_load_dwordx4 %[lane], %[from], %[soffset] offen lds"
#define SCALES_OF(s) [lane] "v"((s)->scale), [from] "s"((s)->scales), [soffset] "s"((s)->at_scales)

/* A wave's part of the operands: what it loads. */
struct source {
	u32x4 a, b, scales; /* descriptors; scales: of A in waves 0 and 1, of B in 2 and 3 */
	u32 even, odd;      /* offsets of the lane in 8 rows, by the parity of their number */
	u32 scale;          /* and in 4 x 32 rows of scales */
	u32 rows[WAVE_ROWS / DMA_ROWS]; /* scalar offsets of each 8 rows */
	u32 codes_to, scales_to;        /* LDS of the wave's rows in stage 0 */
	u32 at_scales;                  /* of the next two steps */
};

INLINE u32 uniform(u32 x) {
	return __builtin_amdgcn_readfirstlane(x);
}

INLINE u32 lds_address(const LDS void *p) {
	return (u32)(unsigned long)p;
}

INLINE u32 least(u32 x, u32 y) {
	return x < y ? x : y;
}

/* The descriptor of `rows` rows of ld bytes, from `row` on. Uniform values, also for the compiler.
 */
INLINE u32x4 rows_from(const GLOBAL u8 *base, u64 row, u32 rows, u32 ld) {
	u32x4 d = make_descriptor(base + row * ld, rows * ld);
	return (u32x4){ uniform(d.x), uniform(d.y), uniform(d.z), d.w };
}

/* K: bytes of a row. ld_scales: bytes of 32 rows of scales. */
INLINE struct source make_source(u32x4 a, u32x4 b, u32x4 scale_descriptor, u32 K, u32 ld_scales) {
	u32 lane = LANE(), wave = WAVE(), row = lane / 8, slot = lane % 8;
	struct source s = { .a = a, .b = b, .scales = scale_descriptor };
	s.even = row * K + (slot ^ row / 2) * 16;
	s.odd = row * K + (slot ^ (4 + row / 2)) * 16;
	s.scale = ((wave % 2) * 4 + lane / 16) * ld_scales + lane % 16 * 16;
#pragma unroll
	for (u32 i = 0; i < WAVE_ROWS / DMA_ROWS; i++)
		s.rows[i] = uniform((wave * WAVE_ROWS + i * DMA_ROWS) * K - i % 4 * 1024);
	s.codes_to = uniform(lds_address(stages) + wave * WAVE_ROWS * STEP);
	s.scales_to = uniform(lds_address(&scales) + wave * (SCALES / 2));
	return s;
}

/* Instructions of the compiler at this place: between two assembly statements, of which one writes
 * what the other reads, it puts an s_nop, unless an instruction of its own is between them. */
#define HERE(statement)                                                                            \
	do {                                                                                       \
		__builtin_amdgcn_sched_barrier(0);                                                 \
		statement;                                                                         \
		__builtin_amdgcn_sched_barrier(0);                                                 \
	} while (0)

/* So that loops keep the value in its register. */
#define OPAQUE(class, x) asm volatile("" : "+" class(x))

/* The first step of a tile, to a stage, and its scales. */
INLINE void load_first(struct source *s, u32 stage) {
	u32 to = s->codes_to + stage * sizeof(struct stage);
	LOAD("s_nop 0", , to, ROWS, ROWS_OF(s, s->a, 0));
	LOAD("s_nop 0", , to + 4096, ROWS, ROWS_OF(s, s->a, 4));
	LOAD("s_nop 0", , to + PANEL, ROWS, ROWS_OF(s, s->b, 0));
	LOAD("s_nop 0", , to + PANEL + 4096, ROWS, ROWS_OF(s, s->b, 4));
	LOAD("s_nop 0", , s->scales_to, STEP_SCALES, SCALES_OF(s));
	HERE(s->even += STEP);
	HERE(s->odd += STEP);
}

/* ---- from LDS ---- */

/* The slot of chunk q of a fragment's row r. */
#ifndef SLOT
#define SLOT(q, r) ((q) ^ (r) / 2)
#endif

/* The wave's row of tiles of 128, for the scales of A. */
#ifndef SCALE_PANEL
#define SCALE_PANEL(wave) ((wave) / 2)
#endif

/* The lane's addresses in stage 0, of the wave's fragment 0. */
struct places {
	u32 a[2], b[2], a_scales, b_scales;
};

INLINE struct places find_places(void) {
	u32 r = LANE() % 16, q = LANE() / 16, slot = SLOT(q, r) * 16;
	u32 row_a = WAVE() / 2 * 128 + r, row_b = WAVE() % 2 * 128 + r;
	struct places p;
	p.a[0] = lds_address(stages[0].a) + row_a * STEP + slot;
	p.b[0] = lds_address(stages[0].b) + row_b * STEP + slot;
	p.a[1] = p.a[0] ^ 64;
	p.b[1] = p.b[0] ^ 64;
	p.a_scales = lds_address(scales.a) + SCALE_PANEL(WAVE()) * (SCALES / 2) + LANE() * 4;
	p.b_scales = lds_address(scales.b) + WAVE() % 2 * (SCALES / 2) + LANE() * 4;
	return p;
}

/* Two dwords that are 256 * first and 256 * (first + 1) bytes from the address. */
#define LDS_READ_2_SCALES(value, address, first)                                                   \
	asm volatile("ds_read2st64_b32 %0, %1 offset0:%2 offset1:%3"                               \
	             : "=v"(value)                                                                 \
	             : "v"(address), "n"(first), "n"((first) + 1)                                  \
	             : "memory")

#define READ_FRAGMENT(f, low, high, i)                                                             \
	LDS_READ_B128((f)[i][0], low, (i)*16 * STEP);                                              \
	LDS_READ_B128((f)[i][1], high, (i)*16 * STEP)
/* A wave's operands of a step, and its scales of two. */
struct fragments {
	u32x4 a[FRAGS][2], b[FRAGS][2];
	u32x2 sa[2], sb[2]; /* dword i of rows 32 i to 32 i + 31 */
};

INLINE void read_scales(const struct places *p, struct fragments *f) {
	LDS_READ_2_SCALES(f->sa[0], p->a_scales, 0);
	LDS_READ_2_SCALES(f->sa[1], p->a_scales, 2);
	LDS_READ_2_SCALES(f->sb[0], p->b_scales, 0);
	LDS_READ_2_SCALES(f->sb[1], p->b_scales, 2);
}

/* Reads fragments i to i + 3 of an operand; if there are `more` steps, loads the rows from `first`
 * on of the next one. */
INLINE void read_4_fragments(u32x4 f[FRAGS][2], u32 low, u32 high, u32 i, const struct source *s,
                             u32 more, u32x4 descriptor, u32 first, u32 to) {
	READ_FRAGMENT(f, low, high, i);
	READ_FRAGMENT(f, low, high, i + 1);
	READ_FRAGMENT(f, low, high, i + 2);
	LDS_READ_B128(f[i + 3][0], low, (i + 3) * 16 * STEP);
	if (more)
		LOAD("ds_read_b128 %[part], %[high] offset:%[fragment]",
		     OUTPUTS([part] "=&v"(f[i + 3][1])), to,
		     ROWS, [high] "v"(high), [fragment] "i"((i + 3) * 16 * STEP),
		     ROWS_OF(s, descriptor, first));
	else
		LDS_READ_B128(f[i + 3][1], high, (i + 3) * 16 * STEP);
}

/* Reads the step in stage `parity`, and loads the next step to the other stage, if there are
 * `more`. */
INLINE void read_codes(const struct source *s, const struct places *p, u32 parity, u32 more,
                       struct fragments *f) {
	u32 at = parity * sizeof(struct stage), to = s->codes_to + !parity * sizeof(struct stage);
	u32 a_low = p->a[0] + at, a_high = p->a[1] + at, b_low = p->b[0] + at,
	    b_high = p->b[1] + at;
	read_4_fragments(f->a, a_low, a_high, 0, s, more, s->a, 0, to);
	read_4_fragments(f->a, a_low, a_high, 4, s, more, s->a, 4, to + 4096);
	read_4_fragments(f->b, b_low, b_high, 0, s, more, s->b, 0, to + PANEL);
	read_4_fragments(f->b, b_low, b_high, 4, s, more, s->b, 4, to + PANEL + 4096);
}

#define NAMED(f, i)   "+v"((f)[i][0]), "+v"((f)[i][1])
#define NAMED_4(f, i) NAMED(f, i), NAMED(f, i + 1), NAMED(f, i + 2), NAMED(f, i + 3)

/* The reads of the second half of B, two for each fragment, may be in flight. The named registers
 * give the compiler the def-use edges without which it may move an MFMA above the wait. */
INLINE void wait_first_half(struct fragments *f) {
	asm volatile("s_waitcnt lgkmcnt(%c28)"
	             : NAMED_4(f->a, 0), NAMED_4(f->a, 4), NAMED_4(f->b, 0), "+v"(f->sa[0]),
	               "+v"(f->sa[1]), "+v"(f->sb[0]), "+v"(f->sb[1])
	             : "n"(FRAGS / 2 * 2)
	             : "memory");
}
INLINE void wait_second_half(struct fragments *f) {
	asm volatile("s_waitcnt lgkmcnt(0)" : NAMED_4(f->b, 4) : : "memory");
}
INLINE void wait_and_load_scales(const struct source *s, struct fragments *f) {
	LOAD("s_waitcnt lgkmcnt(0)", OUTPUTS(NAMED_4(f->b, 4)), s->scales_to, STEP_SCALES,
	     SCALES_OF(s));
}

/* ---- products ---- */

/* Formats of the operands, as MFMA has them. */
enum format { E4M3, E5M2 };
struct formats {
	enum format a, b;
};

INLINE u32 scale_of(const u32x2 s[2], u32 i) {
	return i / 2 % 2 ? s[i / 4].y : s[i / 4].x;
}

/* The accumulators are all 256 AGPRs: those of fragments j of B and i of A begin at 4 (8 j + i).
 * They have their numbers here, because clang moves and spills values that need every register of a
 * class. So this file alone may use AGPRs. */
#define ACCUMULATOR(j, i) (4 * (FRAGS * (j) + (i)))

INLINE void claim_accumulators(void) {
	asm volatile("" ::: "a0", "a255");
}

/* Which two bytes of a dword of scales have those of a step. */
#ifndef SCALE_BYTES
#define SCALE_BYTES(parity) (parity)
#endif

/* The format in which A is decoded. */
#ifndef FORMAT_A
#define FORMAT_A(m) ((m).a)
#endif

/* The first and the second operand of MFMA. */
#ifndef FIRST
#define FIRST(fa, fb)  (fb)
#define SECOND(fa, fb) (fa)
#endif

/* OP_SEL and OP_SEL_HI are the low and the high bit of the scale's byte. */
#define MFMA(addend, fa, fb, sb, sa, parity, j, i)                                                 \
	asm volatile("v_mfma_scale_f32_16x16x128_f8f6f4 a[%9:%10], %0, %1, " addend ", %2, %3 "    \
	             "op_sel:[%4,%5,0] op_sel_hi:[%6,%6,0] cbsz:%7 blgp:%8"                        \
	             :                                                                             \
	             : "v"(fp8_operand(FIRST(fa, fb)[0], FIRST(fa, fb)[1])),                       \
	               "v"(fp8_operand(SECOND(fa, fb)[0], SECOND(fa, fb)[1])), "v"(sb), "v"(sa),   \
	               "i"((j) % 2), "i"((i) % 2), "i"(SCALE_BYTES(parity)), "i"(m.b),             \
	               "i"(FORMAT_A(m)), "i"(ACCUMULATOR(j, i)), "i"(ACCUMULATOR(j, i) + 3))

/* Four fragments of B from `first` on, with all of A. parity: which of the two steps of the scales
 * it is. The first product starts from 0. */
INLINE void multiply_half(struct formats m, u32 parity, u32 first, u32 starts,
                          const struct fragments *f) {
#pragma unroll
	for (u32 j = first; j < first + FRAGS / 2; j++)
#pragma unroll
		for (u32 i = 0; i < FRAGS; i++) {
			u32 sa = scale_of(f->sa, i), sb = scale_of(f->sb, j);
			if (starts)
				MFMA("0", f->a[i], f->b[j], sb, sa, parity, j, i);
			else
				MFMA("a[%9:%10]", f->a[i], f->b[j], sb, sa, parity, j, i);
		}
}

/* The four results of fragments j and i. They need no wait states in the order in which they were
 * written, because so 63 matrix instructions lie between each write and its read. */
INLINE f32x4 accumulated(u32 j, u32 i) {
	f32x4 x;
	asm volatile("v_accvgpr_read_b32 %0, a[%4]\n\t"
	             "v_accvgpr_read_b32 %1, a[%5]\n\t"
	             "v_accvgpr_read_b32 %2, a[%6]\n\t"
	             "v_accvgpr_read_b32 %3, a[%7]"
	             : "=v"(x.x), "=v"(x.y), "=v"(x.z), "=v"(x.w)
	             : "i"(ACCUMULATOR(j, i)), "i"(ACCUMULATOR(j, i) + 1),
	               "i"(ACCUMULATOR(j, i) + 2), "i"(ACCUMULATOR(j, i) + 3));
	return x;
}

/* After it, all loads of the workgroup to LDS are complete, and all reads of the step before. */
#ifndef BEGIN_STEP
#define BEGIN_STEP() asm volatile("s_waitcnt vmcnt(0)\n\ts_barrier" ::: "memory")
#endif

/* A step in stage `parity`; more: there is another one after it; starts: it is the first. */
INLINE void do_step(struct formats m, struct source *s, const struct places *p, u32 parity,
                    u32 more, u32 starts, struct fragments *f) {
	BEGIN_STEP();
	if (!parity)
		read_scales(p, f);
	read_codes(s, p, parity, more, f);
	OPAQUE("v", s->odd);
	if (more && parity)
		HERE(s->at_scales += 256);
	OPAQUE("s", s->at_scales);
	wait_first_half(f);
	if (more)
		HERE(s->even += STEP);
	multiply_half(m, parity, 0, starts, f);
	OPAQUE("v", s->even);
	if (more && parity)
		wait_and_load_scales(s, f);
	else
		wait_second_half(f);
	if (more)
		HERE(s->odd += STEP);
	multiply_half(m, parity, FRAGS / 2, starts, f);
}

/* After it a wave may load over the tile before this one. */
#ifndef BEGIN_TILE
#define BEGIN_TILE() BARRIER()
#endif

/* The last one or two steps, from an even one on. */
INLINE void last_steps(struct formats m, struct source *s, const struct places *p, int left,
                       struct fragments *f) {
	if (left == 2) {
		do_step(m, s, p, 0, 1, 0, f);
		do_step(m, s, p, 1, 0, 0, f);
	} else {
		do_step(m, s, p, 0, 0, 0, f);
	}
}

/* The product of n steps, at least three. */
INLINE void multiply_steps(struct formats m, struct source *s, u32 n) {
	struct places p = find_places();
	struct fragments f;
	int left = (int)n - 2;
	claim_accumulators();
	BEGIN_TILE();
	load_first(s, 0);
	do_step(m, s, &p, 0, 1, 1, &f);
	do_step(m, s, &p, 1, 1, 0, &f);
	for (; left > 2; left -= 2) {
		do_step(m, s, &p, 0, 1, 0, &f);
		do_step(m, s, &p, 1, 1, 0, &f);
	}
	last_steps(m, s, &p, left, &f);
}

INLINE void clear_accumulators(void) {
#pragma unroll
	for (u32 i = 0; i < 4 * FRAGS * FRAGS; i++)
		asm volatile("v_accvgpr_write_b32 a[%0], 0" : : "i"(i));
}

/* A step that is the second of its scales, before all others. The scales have a barrier of their
 * own, because the step loads the next ones over them. */
INLINE void odd_first_step(struct formats m, struct source *s, const struct places *p, u32 more,
                           struct fragments *f) {
	BEGIN_STEP();
	read_scales(p, f);
	asm volatile("s_waitcnt lgkmcnt(0)"
	             : "+v"(f->sa[0]), "+v"(f->sa[1]), "+v"(f->sb[0]), "+v"(f->sb[1])
	             :
	             : "memory");
	do_step(m, s, p, 1, more, 0, f);
}

/* The product of any number n of steps. parity: of the first one. */
INLINE void multiply_any_steps(struct formats m, struct source *s, u32 parity, u32 n) {
	struct places p = find_places();
	struct fragments f;
	int left = (int)n - (int)parity;
	claim_accumulators();
	clear_accumulators();
	if (!n)
		return;
	BEGIN_TILE();
	load_first(s, parity);
	if (parity && !left) {
		odd_first_step(m, s, &p, 0, &f);
		return;
	}
	if (parity)
		odd_first_step(m, s, &p, 1, &f);
	for (; left > 2; left -= 2) {
		do_step(m, s, &p, 0, 1, 0, &f);
		do_step(m, s, &p, 1, 1, 0, &f);
	}
	last_steps(m, s, &p, left, &f);
}

#endif
