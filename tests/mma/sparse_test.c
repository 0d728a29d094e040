/* The sparse matrix instructions against plain sums of integers: the dense A of the stored items
 * and indices, times B, with each k of B at its place in the manual's tables, and the stored items
 * of A packed as a dense matrix. Which items meet is compared with measurements, too. */
#include "../../ref/mxref.h"
#include "../tap.h"

#include <stdlib.h>
#include <string.h>

enum { LANES = MX_LANES, MOST = 128 };

static uint64_t seed = 42;

static unsigned below(unsigned n) {
	seed = seed * 6364136223846793005 + 1442695040888963407;
	return (unsigned)(seed >> 33) % n;
}

/* ---- small integers as codes ---- */

/* -7 .. 7: the codes of 0 .. 7, the sign bit, and the number of bits. */
static const struct coding {
	unsigned bits;
	uint32_t sign, codes[8];
} codings[] = {
	[MX_T_F16] = { 16, 0x8000, { 0, 0x3c00, 0x4000, 0x4200, 0x4400, 0x4500, 0x4600, 0x4700 } },
	[MX_T_BF16] = { 16, 0x8000, { 0, 0x3f80, 0x4000, 0x4040, 0x4080, 0x40a0, 0x40c0, 0x40e0 } },
	[MX_T_FP8] = { 8, 0x80, { 0, 0x38, 0x40, 0x44, 0x48, 0x4a, 0x4c, 0x4e } },
	[MX_T_BF8] = { 8, 0x80, { 0, 0x3c, 0x40, 0x42, 0x44, 0x45, 0x46, 0x47 } },
	[MX_T_I8] = { 8, 0, { 0, 1, 2, 3, 4, 5, 6, 7 } },
};

static uint32_t code(mx_type t, int v) {
	if (t == MX_T_I8)
		return (uint8_t)v;
	return codings[t].codes[abs(v)] | (v < 0 ? codings[t].sign : 0);
}

/* ---- the places of k: tables 34 and 36, and those of 7.5.1.3 ---- */

/* The first k of the first four registers of B, and of the second four, in each row of 16
 * lanes; from there they are consecutive. */
static const struct layout {
	unsigned m, k, bits, first[2][4];
} layouts[] = {
	{ 16, 32, 16, { { 0, 8, 16, 24 } } },
	{ 32, 16, 16, { { 0, 0, 8, 8 } } },
	{ 16, 64, 16, { { 0, 8, 16, 24 }, { 32, 40, 48, 56 } } },
	{ 32, 32, 16, { { 0, 0, 8, 8 }, { 16, 16, 24, 24 } } },
	{ 16, 64, 8, { { 0, 16, 32, 48 } } },
	{ 32, 32, 8, { { 0, 0, 16, 16 } } },
	{ 16, 128, 8, { { 0, 16, 32, 48 }, { 64, 80, 96, 112 } } },
	{ 32, 64, 8, { { 0, 0, 16, 16 }, { 32, 32, 48, 48 } } },
};

static const struct layout *layout_of(const struct mx_sparse *op) {
	for (size_t i = 0; i < sizeof layouts / sizeof *layouts; i++)
		if (layouts[i].m == op->m && layouts[i].k == op->k &&
		    layouts[i].bits == codings[op->a].bits)
			return &layouts[i];
	return NULL;
}

/* ---- registers ---- */

struct scene {
	uint32_t a[4][LANES], b[8][LANES], index[LANES], d[16][LANES];
	int dense_a[32][MOST], dense_b[MOST][32]; /* the matrices */
	int c[32][32];
};
static struct scene s;

static void put(uint32_t (*regs)[LANES], unsigned bits, unsigned lane, unsigned item, uint32_t v) {
	regs[item * bits / 32][lane] |= v << item * bits % 32;
}

static unsigned row_of(unsigned m, unsigned lane, unsigned r) {
	return m == 16 ? 4 * (lane / 16) + r : 8 * (r / 4) + 4 * (lane / 32) + r % 4;
}

static uint32_t result(mx_type t, int v) {
	float f = (float)v;
	uint32_t bits = (uint32_t)v;
	if (t == MX_T_F32)
		memcpy(&bits, &f, sizeof bits);
	return bits;
}

static void fill_b(const struct mx_sparse *op, const struct layout *o) {
	unsigned run = 128 / o->bits, items = op->m * op->k / LANES;
	for (unsigned l = 0; l < LANES; l++)
		for (unsigned i = 0; i < items; i++) {
			int v = (int)below(15) - 7;
			s.dense_b[o->first[i / run][l / 16] + i % run][l % op->m] = v;
			put(s.b, o->bits, l, i, code(op->b, v));
		}
}

/* The stored items of a row fill the lane of group 0, then those of the next groups. */
static void fill_a(const struct mx_sparse *op, const struct layout *o, unsigned set) {
	unsigned n = op->m * op->k / 2 / LANES;
	for (unsigned row = 0; row < op->m; row++)
		for (unsigned k = 0; k < op->k; k += 4) {
			unsigned one = below(3), two = one + 1 + below(3 - one);
			for (unsigned j = 0; j < 2; j++) {
				unsigned item = k / 2 + j, at = j ? two : one;
				unsigned lane = item / n * op->m + row;
				int v = (int)below(15) - 7;
				s.dense_a[row][k + at] = v;
				put(s.a, o->bits, lane, item % n, code(op->a, v));
				s.index[lane] |= at << 2 * (n * set + item % n);
			}
		}
}

/* `set`: the set of the index register that the instruction uses; the others are random. */
static void fill(const struct mx_sparse *op, const struct layout *o, unsigned set) {
	unsigned n = op->m * op->k / 2 / LANES;
	memset(&s, 0, sizeof s);
	for (unsigned l = 0; l < LANES; l++)
		s.index[l] = n < 16 ? below(1u << 31) & ~(((1u << 2 * n) - 1) << 2 * n * set) : 0;
	fill_a(op, o, set);
	fill_b(op, o);
	for (unsigned l = 0; l < LANES; l++)
		for (unsigned r = 0; r < op->m * op->m / LANES; r++) {
			int v = (int)below(2001) - 1000;
			s.c[row_of(op->m, l, r)][l % op->m] = v;
			s.d[r][l] = result(op->d, v);
		}
}

static struct mx_sparse_args arguments(const struct mx_sparse *op, const char *profile) {
	return (struct mx_sparse_args){
		.op = op,
		.profile = mx_profile_by_name(profile),
		.a = (const uint32_t(*)[LANES])s.a,
		.b = (const uint32_t(*)[LANES])s.b,
		.index = s.index,
		.d = s.d,
	};
}

static unsigned wrong_results(const struct mx_sparse *op) {
	unsigned wrong = 0;
	for (unsigned l = 0; l < LANES; l++)
		for (unsigned r = 0; r < op->m * op->m / LANES; r++) {
			unsigned row = row_of(op->m, l, r), col = l % op->m;
			int sum = s.c[row][col];
			for (unsigned k = 0; k < op->k; k++)
				sum += s.dense_a[row][k] * s.dense_b[k][col];
			wrong += s.d[r][l] != result(op->d, sum);
		}
	return wrong;
}

/* ---- the tests ---- */

static void test_op(const struct mx_sparse *op) {
	const struct layout *o = layout_of(op);
	unsigned wrong = !o, items = op->m * op->k / 128, sets = 16 / items;
	static const char *const profiles[] = { "block32", "fused", "cdna3", "fma32" };
	for (unsigned set = 0; o && set < sets; set++)
		for (unsigned p = 0; p < 4; p++) {
			struct mx_sparse_args g = arguments(op, profiles[p]);
			fill(op, o, set);
			g.abid = set;
			g.cbsz = p % 2 * 4; /* only the two low bits count */
			wrong += mx_mma_sparse(&g) != MX_OK || wrong_results(op);
			fill(op, o, 0);
			g.cbsz = 1 + p % 3; /* the first set for any ABID */
			wrong += mx_mma_sparse(&g) != MX_OK || wrong_results(op);
		}
	ok(!wrong, "%s with each of its %u sets of indices", op->name, sets);
	ok(mx_sparse_a_vgprs(op) == items * codings[op->a].bits / 32 &&
	           mx_sparse_result_vgprs(op) == op->m * op->m / 64,
	   "%s has as many registers as items", op->name);
}

static const uint32_t low_pairs = 0x44444444, high_pairs = 0xeeeeeeee; /* 0 and 1; 2 and 3 */

/* The sum of each column, as attention kernels compute it: ones times the two halves of B. */
static void test_column_sums(const struct mx_sparse *op) {
	const struct layout *o = layout_of(op);
	struct mx_sparse_args g = arguments(op, "block32");
	unsigned wrong = 0, items = op->m * op->k / 2 / LANES;
	memset(&s, 0, sizeof s);
	fill_b(op, o);
	for (unsigned half = 0; half < 2; half++) {
		for (unsigned l = 0; l < LANES; l++) {
			s.index[l] = half ? high_pairs : low_pairs;
			for (unsigned i = 0; i < items && !half; i++)
				put(s.a, o->bits, l, i, code(op->a, 1));
		}
		wrong += mx_mma_sparse(&g) != MX_OK;
	}
	for (unsigned l = 0; l < LANES; l++) {
		int sum = 0;
		for (unsigned k = 0; k < op->k; k++)
			sum += s.dense_b[k][l % op->m];
		for (unsigned r = 0; r < op->m * op->m / LANES; r++)
			wrong += s.d[r][l] != result(op->d, sum);
	}
	ok(!wrong, "%s of ones, with both halves of each four, adds each k once", op->name);
}

/* An item of A, and the item of B that it meets in row 0 under index 0 and 1, with their lane
 * groups. */
struct meeting {
	unsigned a, group_a, b, group_b;
};

/* Items of B are numbered; what one item of A adds to D[0][0] is the number, three bits at a time.
 */
static bool meets(const struct mx_sparse *op, struct meeting m) {
	struct mx_sparse_args g = arguments(op, "block32");
	unsigned bits = codings[op->a].bits, items = op->m * op->k / LANES;
	unsigned wrong = 0, want = m.group_b * items + m.b;
	for (unsigned shift = 0; shift < 9; shift += 3) {
		memset(&s, 0, sizeof s);
		for (unsigned l = 0; l < LANES; l++)
			s.index[l] = low_pairs;
		put(s.a, bits, m.group_a * op->m, m.a, code(op->a, 1));
		for (unsigned i = 0; i < op->k; i++)
			put(s.b, bits, i / items * op->m, i % items, code(op->b, i >> shift & 7));
		wrong += mx_mma_sparse(&g) != MX_OK;
		wrong += s.d[0][0] != result(op->d, want >> shift & 7);
	}
	return !wrong;
}

/* Measured on MI350 with one nonzero item in A and one in B [ROCm/hip-fpsan: positions of A and B
 * that have the same k there]. */
static struct meeting measured_16x16x128(unsigned group, unsigned item) {
	unsigned dword = item / 4, low = item % 4;
	unsigned c = low + 16 * (dword % 2) + 4 * (dword / 2) + 32 * (group / 2) + 8 * (group % 2);
	unsigned k = c / 2 * 4 + c % 2;
	return (struct meeting){ item, group, k / 32 * 8 + k % 8, k / 8 % 4 };
}

static struct meeting measured_32x32x64(unsigned group, unsigned item) {
	unsigned dword = item / 4, low = item % 4;
	unsigned c = low + 8 * (dword % 2) + 4 * (dword / 2) + 16 * group;
	unsigned k = c / 2 * 4 + c % 2;
	return (struct meeting){ item, group, k / 16 * 8 + k % 8, k / 8 % 2 };
}

/* By the probe of a port of a skinny GEMM to gfx950: A's slot 0 in groups 0 to 3, then slot 4. */
static const struct meeting measured_16x16x64[] = {
	{ 0, 0, 0, 0 }, { 0, 1, 0, 2 }, { 0, 2, 8, 0 }, { 0, 3, 8, 2 },
	{ 4, 0, 0, 1 }, { 4, 1, 0, 3 }, { 4, 2, 8, 1 }, { 4, 3, 8, 3 },
};

static void test_meetings(void) {
	const struct mx_sparse *wide = mx_sparse_by_name("v_smfmac_f32_16x16x128_fp8_fp8"),
			       *tall = mx_sparse_by_name("v_smfmac_f32_32x32x64_bf8_bf8"),
			       *half = mx_sparse_by_name("v_smfmac_f32_16x16x64_f16");
	unsigned wrong[3] = { 0 };
	for (unsigned item = 0; item < 16; item += 3) {
		for (unsigned group = 0; group < 4; group++)
			wrong[0] += !meets(wide, measured_16x16x128(group, item));
		for (unsigned group = 0; group < 2; group++)
			wrong[1] += !meets(tall, measured_32x32x64(group, item));
	}
	for (unsigned i = 0; i < 8; i++)
		wrong[2] += !meets(half, measured_16x16x64[i]);
	ok(!wrong[0], "16x16x128 of FP8: items meet as measured");
	ok(!wrong[1], "32x32x64 of BF8: items meet as measured");
	ok(!wrong[2], "16x16x64 of F16: items meet as measured");
}

/* Row sums of a tile of P whose columns lie in 32 lanes, by one instruction: even and odd rows of A
 * choose the halves of each four, and items 0-7 or 8-15 the lane groups 0 and 2, or 1 and 3. */
static void test_attention(void) {
	const struct mx_sparse *op = mx_sparse_by_name("v_smfmac_f32_16x16x128_fp8_fp8");
	struct mx_sparse_args g = arguments(op, "block32");
	int sum[32] = { 0 };
	unsigned wrong = 0;
	memset(&s, 0, sizeof s);
	for (unsigned l = 0; l < LANES; l++) {
		s.index[l] = l % 4 == 1 ? high_pairs : low_pairs;
		for (unsigned i = 0; i < 8 && l % 4 < 2; i++)
			put(s.a, 8, l, i + (l & 4 ? 8 : 0), code(op->a, 1));
		for (unsigned i = 0; i < 32; i++) {
			int v = (int)below(15) - 7;
			sum[l % 32] += v;
			put(s.b, 8, l, i, code(op->b, v));
		}
	}
	wrong += mx_mma_sparse(&g) != MX_OK;
	for (unsigned l = 0; l < 32; l++) {
		float part[2];
		memcpy(&part[0], &s.d[0][l], sizeof *part);
		memcpy(&part[1], &s.d[1][l], sizeof *part);
		wrong += part[0] + part[1] != sum[l];
	}
	ok(!wrong, "row sums of P in an attention kernel");
}

/* B is not multiplied at a k that no item of A selects. */
static void test_infinity(void) {
	const struct mx_sparse *op = mx_sparse_by_name("v_smfmac_f32_16x16x32_f16");
	struct mx_sparse_args g = arguments(op, "block32");
	float d;
	memset(&s, 0, sizeof s);
	for (unsigned l = 0; l < LANES; l++) {
		s.index[l] = 0xd8; /* of the first four 0 and 2, of the second 1 and 3 */
		s.a[0][l] = s.a[1][l] = 0x3c003c00;
		s.b[0][l] = s.b[1][l] = 0x7c003c00;
		s.b[2][l] = s.b[3][l] = 0x3c007c00;
	}
	ok(mx_mma_sparse(&g) == MX_OK && (memcpy(&d, &s.d[0][0], 4), d == 16),
	   "an infinity of B at a k without an item of A has no effect");
}

static void test_clamp(void) {
	const struct mx_sparse *op = mx_sparse_by_name("v_smfmac_i32_16x16x64_i8");
	struct mx_sparse_args g = arguments(op, "block32");
	for (unsigned clamp = 0; clamp < 2; clamp++) {
		memset(&s, 0, sizeof s);
		for (unsigned l = 0; l < LANES; l++) {
			s.index[l] = 0x4444;
			s.a[0][l] = s.b[0][l] = 1;
			s.d[0][l] = 0x7fffffff;
		}
		g.clamp = clamp;
		ok(mx_mma_sparse(&g) == MX_OK && s.d[0][5] == (clamp ? 0x7fffffff : 0x80000003),
		   clamp ? "clamp keeps the largest integer" : "without clamp integers wrap");
	}
}

static void test_refused(void) {
	const struct mx_sparse *op = mx_sparse_by_name("v_smfmac_f32_16x16x32_f16");
	struct mx_sparse_args g = arguments(op, "block32");
	fill(op, layout_of(op), 0);
	s.index[17] &= ~0xfu; /* 0 and 0 */
	ok(mx_mma_sparse(&g) == MX_BAD_OPTION, "indices that do not ascend are refused");
	g.abid = 1;
	for (unsigned l = 0; l < LANES; l++)
		s.index[l] |= 0x4400;
	g.index = NULL;
	ok(mx_mma_sparse(&g) == MX_BAD_POINTER && !mx_sparse_by_name("v_smfmac"),
	   "a null index is refused, and an unknown name has no instruction");
}

int main(void) {
	const struct mx_sparse *op;
	for (size_t i = 0; (op = mx_sparse_at(i)); i++)
		test_op(op), test_column_sums(op);
	test_meetings();
	test_attention();
	test_infinity();
	test_clamp();
	test_refused();
	return done_testing();
}
