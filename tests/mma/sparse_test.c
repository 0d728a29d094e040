/* The sparse matrix instructions against plain sums of integers: the dense A of the stored items
 * and indices, times B, with each k at its place in the manual's tables. */
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

/* `set`: the set of the index register that the instruction uses; the others are random. */
static void fill(const struct mx_sparse *op, const struct layout *o, unsigned set) {
	unsigned bits = o->bits, items = 128 / bits * (o->first[1][3] ? 2 : 1), n = items / 2;
	memset(&s, 0, sizeof s);
	for (unsigned l = 0; l < LANES; l++) {
		unsigned mn = l % op->m;
		s.index[l] = n < 16 ? below(1u << 31) & ~(((1u << 2 * n) - 1) << 2 * n * set) : 0;
		for (unsigned i = 0; i < items; i++) {
			unsigned half = i / (128 / bits);
			unsigned k = o->first[half][l / 16] + i % (128 / bits);
			int v = (int)below(15) - 7;
			s.dense_b[k][mn] = v;
			put(s.b, bits, l, i, code(op->b, v));
			if (i % 4) /* each four of k has two items of A */
				continue;
			unsigned one = below(3), two = one + 1 + below(3 - one);
			for (unsigned j = 0; j < 2; j++) {
				unsigned item = i / 2 + j, at = j ? two : one;
				int w = (int)below(15) - 7;
				s.dense_a[mn][k + at] = w;
				put(s.a, bits, l, item, code(op->a, w));
				s.index[l] |= at << 2 * (n * set + item);
			}
		}
		for (unsigned r = 0; r < op->m * op->m / LANES; r++) {
			int v = (int)below(2001) - 1000;
			s.c[row_of(op->m, l, r)][mn] = v;
			s.d[r][l] = result(op->d, v);
		}
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
		test_op(op);
	test_infinity();
	test_clamp();
	test_refused();
	return done_testing();
}
