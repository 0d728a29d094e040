/* The fast matrix instructions, dense, sparse and scaled, give the bits of the plain ones: random,
 * special and adversarial operands, all forms, profiles of exact sums. More with MXCHECK_LONG. */
#include "../../ref/mxref.h"
#include "../random.h"
#include "../tap.h"

#include <fenv.h>
#include <stdlib.h>
#include <string.h>

enum { LANES = MX_LANES };

static uint64_t rng_state = 77;

static uint32_t rng(void) {
	return next_random(&rng_state) >> 32;
}

static unsigned below(unsigned n) {
	return rng() % n;
}

/* ---- operands ---- */

static const struct fields {
	unsigned exp, man;
} fields[] = {
	[MX_T_F32] = { 8, 23 }, [MX_T_F16] = { 5, 10 }, [MX_T_BF16] = { 8, 7 },
	[MX_T_FP8] = { 4, 3 },  [MX_T_BF8] = { 5, 2 },  [MX_T_I8] = { 4, 3 },
	[MX_T_I4] = { 1, 2 },
};

static unsigned bits_of(mx_type t) {
	return 1 + fields[t].exp + fields[t].man;
}

typedef enum {
	ANY,
	NEAR,
	WIDE,
	CANCEL,
	FEW,
	ZEROS,
	TINY,
	SPECIAL,
	BANDS,
	ROWS,
	FEW_SMALL,
	KINDS
} kind;

static const char *const kinds[] = { "any codes",
	                             "near 1",
	                             "wide exponents",
	                             "cancelling pairs",
	                             "few bits, ties",
	                             "zeros of both signs",
	                             "subnormals",
	                             "infinities and NaN",
	                             "largest, middle and smallest",
	                             "rows of zeros among such",
	                             "deviates, few of them small" };

static uint32_t compose(mx_type t, unsigned exp, unsigned man) {
	return rng() % 2 << (bits_of(t) - 1) | exp << fields[t].man | man;
}

static uint32_t item(mx_type t, kind k) {
	unsigned man = rng() & ((1u << fields[t].man) - 1), top = (1u << fields[t].exp) - 1;
	unsigned bias = top / 2, bands[] = { 0, below(3), bias, bias - below(4), top - 1 };
	switch (k) {
	case NEAR:
	case CANCEL: return compose(t, bias - below(4), man);
	case WIDE: return compose(t, below(top), man);
	case FEW: return compose(t, bias + below(3), 0);
	case ZEROS: return compose(t, below(8) ? 0 : bias, 0);
	case TINY: return compose(t, below(2), man);
	case SPECIAL: return compose(t, below(24) ? bias : top, below(3) ? man : 0);
	case ROWS:
	case BANDS: return compose(t, bands[below(5)], man);
	case FEW_SMALL: {
		unsigned below_top = __builtin_clz(rng() | 1) + (below(80) ? 1 : 6 + below(24));
		return compose(t, below_top < top ? top - below_top : 0, man);
	}
	default: return rng() & (UINT32_MAX >> (32 - bits_of(t)));
	}
}

static uint32_t accumulator(kind k) {
	static const uint32_t hard[] = { 0,          0x80000000, 1,          0x80000001, 0x7f7fffff,
		                         0xff7fffff, 0x7f800000, 0xff800000, 0x7fc12345 };
	if (k == FEW) /* 2^24 to 2^27, so that small sums are ties */
		return 0x4b800000 + (rng() & 0x81ffffff);
	if (k == FEW_SMALL) /* 2 to 2^17 */
		return 0x40000000 + (rng() & 0x87ffffff);
	if (k == ANY || !below(8))
		return rng() % 2 ? rng() : hard[below(9)];
	return k == ZEROS || k == ROWS ? rng() & 0x80000000 : item(MX_T_F32, k);
}

struct scene {
	uint32_t a[4][LANES], b[8][LANES], index[LANES], c[32][LANES], fast[32][LANES],
		plain[32][LANES];
};
static struct scene s;

static uint32_t get(uint32_t (*regs)[LANES], unsigned bits, unsigned lane, unsigned i) {
	return regs[bits * i / 32][lane] >> bits * i % 32 & (UINT32_MAX >> (32 - bits));
}

static void put(uint32_t (*regs)[LANES], unsigned bits, unsigned lane, unsigned i, uint32_t v) {
	regs[bits * i / 32][lane] |= v << bits * i % 32;
}

/* Of a cancelling pair B is the same, A the negative; one of 8 differs in the last bit. */
static void fill(mx_type t, bool negate, unsigned vgprs, uint32_t (*regs)[LANES], kind k) {
	unsigned bits = bits_of(t), items = 32 * vgprs / bits;
	memset(regs, 0, vgprs * sizeof *regs);
	for (unsigned l = 0; l < LANES; l++)
		for (unsigned i = 0; i < items; i++) {
			uint32_t v = k == ROWS && l % 4 < 2 ? rng() % 2 << (bits - 1) : item(t, k);
			if (k == CANCEL && i % 2)
				v = get(regs, bits, l, i - 1) ^ (unsigned)negate << (bits - 1) ^
				    !below(8);
			put(regs, bits, l, i, v);
		}
}

static void fill_results(mx_type t, kind k) {
	for (unsigned r = 0; r < 32; r++)
		for (unsigned l = 0; l < LANES; l++)
			s.c[r][l] = t != MX_T_I32 ? accumulator(k)
			            : rng() % 2   ? rng()
			                          : 0x7fffffff + below(3) - below(9);
}

/* ---- comparisons ---- */

static unsigned compare(const char *name, const mx_profile *p, kind k, unsigned vgprs) {
	unsigned wrong = 0;
	for (unsigned r = 0; r < vgprs; r++)
		for (unsigned l = 0; l < LANES; l++)
			if (s.fast[r][l] != s.plain[r][l] && !wrong++)
				diag("%s, %s, %s: register %u lane %u from %08x: fast %08x, plain "
				     "%08x",
				     name, p->name, kinds[k], r, l, s.c[r][l], s.fast[r][l],
				     s.plain[r][l]);
	return wrong;
}

static const mx_profile *profile_of(unsigned i) {
	static const mx_profile by8 = { .name = "by 8", .group = 8, .parts = 1 };
	static const char *const names[] = { "block32", "fused", "fma32" };
	return i < 3 ? mx_profile_by_name(names[i]) : &by8;
}

static unsigned dense(const struct mx_dense *op, kind k, const mx_profile *p) {
	unsigned n = mx_dense_operand_vgprs(op), results = mx_dense_result_vgprs(op);
	unsigned cbsz = below(__builtin_ctz(op->blocks) + 1), shared = below(2);
	fill(op->a, true, n, s.a, k);
	fill(op->b, false, n, s.b, k);
	fill_results(op->d, k);
	memcpy(s.fast, s.c, sizeof s.c);
	struct mx_dense_args g = { .op = op,
		                   .profile = p,
		                   .a = (const uint32_t(*)[LANES])s.a,
		                   .b = (const uint32_t(*)[LANES])s.b,
		                   .c = (const uint32_t(*)[LANES])(shared ? s.fast : s.c),
		                   .d = s.fast,
		                   .cbsz = cbsz,
		                   .abid = below(1u << cbsz),
		                   .blgp = below(2) * below(8),
		                   .clamp = !below(4) };
	unsigned wrong = mx_mma_dense(&g) != MX_OK;
	g.c = (const uint32_t(*)[LANES])s.c;
	g.d = s.plain;
	wrong += mx_mma_dense_plain(&g) != MX_OK;
	return wrong + compare(op->name, p, k, results);
}

static unsigned sparse(const struct mx_sparse *op, kind k, const mx_profile *p) {
	static const uint32_t pairs[] = { 4, 8, 12, 9, 13, 14 };
	unsigned n = mx_sparse_a_vgprs(op), results = mx_sparse_result_vgprs(op);
	fill(op->a, true, n, s.a, k);
	fill(op->b, false, 2 * n, s.b, k);
	fill_results(op->d, k);
	for (unsigned l = 0; l < LANES; l++) {
		s.index[l] = 0;
		for (unsigned i = 0; i < 32; i += 4)
			s.index[l] |= pairs[below(6)] << i;
	}
	memcpy(s.fast, s.c, sizeof s.c);
	memcpy(s.plain, s.c, sizeof s.c);
	struct mx_sparse_args g = { .op = op,
		                    .profile = p,
		                    .a = (const uint32_t(*)[LANES])s.a,
		                    .b = (const uint32_t(*)[LANES])s.b,
		                    .index = s.index,
		                    .d = s.fast,
		                    .abid = below(4),
		                    .clamp = !below(4) };
	unsigned wrong = mx_mma_sparse(&g) != MX_OK;
	g.d = s.plain;
	wrong += mx_mma_sparse_plain(&g) != MX_OK;
	return wrong + compare(op->name, p, k, results);
}

static unsigned times(void) {
	return getenv("MXCHECK_LONG") ? 50 : 1;
}

static void test_dense(void) {
	const struct mx_dense *op;
	for (size_t i = 0; (op = mx_dense_at(i)); i++) {
		unsigned wrong = 0;
		for (kind k = 0; op->a != MX_T_F64 && k < KINDS; k++)
			for (unsigned j = 0; j < times(); j++)
				wrong += dense(op, k, profile_of((k + i + j) % 4));
		ok(!wrong, "%s: fast and plain agree", op->name);
	}
}

static void test_sparse(void) {
	const struct mx_sparse *op;
	for (size_t i = 0; (op = mx_sparse_at(i)); i++) {
		unsigned wrong = 0;
		for (kind k = 0; k < KINDS; k++)
			for (unsigned j = 0; j < times(); j++)
				wrong += sparse(op, k, profile_of((k + i + j) % 4));
		ok(!wrong, "%s: fast and plain agree", op->name);
	}
}

/* Sums that a double does not hold, in one row: which side of a tie the rest is on. */
static const struct hard {
	const char *what;
	float a[12], b[12];
	uint32_t want, c;
} hard[] = {
	{ "1 + 2^100 - 2^100 + 2^-24 + 2^-100",
	  { 1, 0x1p50, -0x1p50, 0x1p-12, 0x1p-50 },
	  { 1, 0x1p50, 0x1p50, 0x1p-12, 0x1p-50 },
	  0x3f800001 },
	{ "1 + 2^100 - 2^100 + 2^-24 - 2^-100",
	  { 1, 0x1p50, -0x1p50, 0x1p-12, -0x1p-50 },
	  { 1, 0x1p50, 0x1p50, 0x1p-12, 0x1p-50 },
	  0x3f800000 },
	{ "2^-53 is left of a product of 14 bits",
	  { 1, 0x1p-12, 0x1.02p-19, -0x1p-19, -0x1p-22 },
	  { 1, 0x1p-12, 0x1.02p-20, 0x1p-20, 0x1p-23 },
	  0x3f800001 },
	{ "2^-40 is lost in a sum of errors, -2^-60 is not",
	  { 0x1p50, 0x1p20, 0x1p-20, -0x1p20, -0x1p50, 1, 0x1p-12, -0x1p-30 },
	  { 0x1p50, 0x1p20, 0x1p-20, 0x1p20, 0x1p50, 1, 0x1p-12, 0x1p-30 },
	  0x3f800001 },
	{ "2^-42 is lost in a sum of errors, and nothing is left",
	  { 0x1p33, 0x1p6, 0x1p-21, -0x1p6, -0x1p33, 0x1p-8, 0x1p-20 },
	  { 0x1p33, 0x1p6, 0x1p-21, 0x1p6, 0x1p33, 0x1p-8, 0x1p-20 },
	  0x37800001 },
	{ "the accumulator is lost in a sum of errors",
	  { 0x1p24, 0x1p-12, -0x1p24, 1 },
	  { 0x1p24, 0x1p-12, 0x1p24, 1 },
	  0x3f800001,
	  0x0d800000 },
	{ "all of a sum is lost",
	  { 0x1p50, 0x1p20, 0x1p-20, -0x1p20, -0x1p50 },
	  { 0x1p50, 0x1p20, 0x1p-20, 0x1p20, 0x1p50 },
	  0x2b800000 },
};

static void put_bf16(uint32_t (*regs)[LANES], unsigned row, unsigned k, float x) {
	uint32_t bits;
	memcpy(&bits, &x, sizeof x);
	put(regs, 16, row + k / 8 * 16, k % 8, bits >> 16);
}

/* The sum of the products in this row and column, beside zeros alone. */
static uint32_t hard_sum(const struct hard *h, unsigned row) {
	struct mx_dense_args g = { .op = mx_dense_by_name("v_mfma_f32_16x16x32_bf16"),
		                   .profile = mx_profile_by_name("block32"),
		                   .a = (const uint32_t(*)[LANES])s.a,
		                   .b = (const uint32_t(*)[LANES])s.b,
		                   .c = (const uint32_t(*)[LANES])s.c,
		                   .d = s.fast };
	unsigned r = row % 4, lane = row / 4 * 16 + row;
	memset(&s, 0, sizeof s);
	for (unsigned k = 0; k < 12; k++) {
		put_bf16(s.a, row, k, h->a[k]);
		put_bf16(s.b, row, k, h->b[k]);
	}
	s.c[r][lane] = h->c;
	mx_mma_dense(&g);
	return s.fast[r][lane];
}

static void test_lost_bits(void) {
	for (const struct hard *h = hard; h < hard + sizeof hard / sizeof *hard; h++) {
		uint32_t got = h->want;
		unsigned row;
		for (row = 0; row < 16 && got == h->want; row++)
			got = hard_sum(h, row);
		if (!ok(got == h->want, "%s, in any row", h->what))
			diag("row %u: got %08x, want %08x", row - 1, got, h->want);
	}
}

/* ---- codes of MX formats ---- */

static const mx_type near_types[MX_FORMATS] = { [MX_E4M3] = MX_T_FP8, [MX_E5M2] = MX_T_BF8 };

/* FP8 by kind; all codes of the smaller formats, or lanes of zeros and of largest numbers too. */
static void fill_codes(mx_format f, bool negate, uint32_t (*regs)[LANES], kind k) {
	if (mx_format_info(f)->bits == 8) {
		fill(near_types[f], negate, 8, regs, k);
		return;
	}
	for (unsigned l = 0; l < LANES; l++) {
		unsigned ends = k == BANDS || k == ROWS ? below(3) : 2;
		for (unsigned r = 0; r < mx_operand_vgprs(f); r++)
			regs[r][l] = ends < 2 ? -ends : k == ZEROS ? 0x80000008 : rng();
	}
}

/* ---- WMMA ---- */

static void fill_wmma_side(const struct mx_wmma *op, struct mx_wmma_operand *o, unsigned side,
                           uint32_t (*regs)[LANES], uint32_t (*scales)[LANES], kind k) {
	mx_type t = op->ab[side];
	bool mx = t == MX_T_F8F6F4 || t == MX_T_FP4;
	o->format = t == MX_T_FP4 ? MX_E2M1 : below(MX_FORMATS);
	o->is_unsigned = below(2);
	o->scale_format = below(MX_SCALE_FORMATS);
	o->scale_row = below(2);
	unsigned vgprs = mx_wmma_operand_vgprs(op, side, o->format);
	for (unsigned r = 0; mx && r < vgprs; r += mx_operand_vgprs(o->format))
		fill_codes(o->format, !side, regs + r, k);
	if (!mx)
		fill(t, !side, vgprs, regs, k);
	for (unsigned r = 0; r < 2; r++)
		for (unsigned l = 0; l < LANES; l++)
			scales[r][l] = below(8) ? 0x77787976 + 0x01010101 * below(8) : rng();
	o->regs = (const uint32_t(*)[LANES])regs;
	o->scales = (const uint32_t(*)[LANES])scales;
}

/* Pairs of indices that ascend. */
static void fill_indices(uint32_t (*index)[LANES]) {
	static const uint8_t pairs[] = { 0x4, 0x8, 0xc, 0x9, 0xd, 0xe };
	for (unsigned i = 0; i < 2 * LANES; i++)
		for (unsigned at = index[i / LANES][i % LANES] = 0; at < 32; at += 4)
			index[i / LANES][i % LANES] |= (uint32_t)pairs[below(6)] << at;
}

static unsigned wmma(const struct mx_wmma *op, kind k, const mx_profile *p) {
	static uint32_t regs[2][16][LANES], scales[2][2][LANES], index[2][LANES];
	bool one_set = mx_wmma_operand_items(op, MX_SIDE_A) > 8;
	struct mx_wmma_args g = { .op = op,
		                  .index = (const uint32_t(*)[LANES])index,
		                  .index_key = !one_set && below(2),
		                  .profile = p,
		                  .d = s.fast,
		                  .abs_c = !below(8),
		                  .neg_c = !below(8),
		                  .clamp = below(2) };
	bool shared = op->c == op->d && below(2);
	for (unsigned side = 0; side < 2; side++)
		fill_wmma_side(op, &g.ab[side], side, regs[side], scales[side], k);
	fill_indices(index);
	fill_results(op->c, k);
	memcpy(s.fast, s.c, sizeof s.c);
	g.c = (const uint32_t(*)[LANES])(shared ? s.fast : s.c);
	unsigned wrong = mx_mma_wmma(&g) != MX_OK;
	memcpy(s.plain, s.c, sizeof s.c);
	g.c = (const uint32_t(*)[LANES])s.c;
	g.d = s.plain;
	wrong += mx_mma_wmma_plain(&g) != MX_OK;
	return wrong + compare(op->name, p, k, mx_wmma_result_vgprs(op));
}

static void test_wmma(void) {
	const struct mx_wmma *op;
	for (size_t i = 0; (op = mx_wmma_at(i)); i++) {
		unsigned wrong = 0;
		for (kind k = 0; k < KINDS; k++)
			for (unsigned j = 0; j < times(); j++)
				wrong += wmma(op, k, profile_of((k + i + j) % 4));
		ok(!wrong, "%s: fast and plain agree", op->name);
	}
}

/* ---- scaled ---- */

static void fill_scales(uint8_t scales[LANES], kind k) {
	static const uint8_t hard[] = { 0, 1, 254, 255 };
	for (unsigned l = 0; l < LANES; l++)
		scales[l] = k == NEAR || k == FEW         ? 127
		            : k == BANDS || k == ROWS     ? below(2) * 240 + below(15)
		            : k == FEW_SMALL || below(16) ? 120 + below(16)
		            : k == SPECIAL                ? hard[below(4)]
		                                          : below(255);
}

static unsigned scaled_by(mx_format fa, mx_format fb, kind k, const mx_profile *p,
                          const uint8_t scale_a[LANES], const uint8_t scale_b[LANES]) {
	static uint32_t a[8][LANES];
	bool shared = below(2);
	fill_codes(fa, true, a, k);
	fill_codes(fb, false, s.b, k);
	fill_results(MX_T_F32, k);
	memcpy(s.fast, s.c, sizeof s.c);
	struct mx_mma_args g = { p,
		                 below(2),
		                 fa,
		                 fb,
		                 (const uint32_t(*)[LANES])a,
		                 (const uint32_t(*)[LANES])s.b,
		                 (const uint32_t(*)[LANES])(shared ? s.fast : s.c),
		                 scale_a,
		                 scale_b,
		                 s.fast,
		                 .clamp = !below(4) };
	unsigned wrong = mx_mma_scaled(&g) != MX_OK;
	g.c = (const uint32_t(*)[LANES])s.c;
	g.d = s.plain;
	wrong += mx_mma_scaled_plain(&g) != MX_OK;
	return wrong + compare("scaled", p, k, g.shape == MX_16X16X128 ? 4 : 16);
}

static unsigned scaled(mx_format fa, mx_format fb, kind k, const mx_profile *p) {
	uint8_t scale_a[LANES], scale_b[LANES];
	fill_scales(scale_a, k);
	fill_scales(scale_b, k);
	return scaled_by(fa, fb, k, p, scale_a, scale_b);
}

static void test_scaled(void) {
	for (unsigned pair = 0; pair < MX_FORMATS * MX_FORMATS; pair++) {
		mx_format fa = pair / MX_FORMATS, fb = pair % MX_FORMATS;
		bool bytes = mx_format_info(fa)->bits == 8 && mx_format_info(fb)->bits == 8;
		unsigned wrong = 0, n = times() * (bytes ? 2 * KINDS : 4);
		for (unsigned i = 0; i < n; i++)
			wrong += scaled(fa, fb, (i + pair) % KINDS, profile_of(i % 7 % 3));
		ok(!wrong, "%s x %s: fast and plain agree", mx_format_info(fa)->name,
		   mx_format_info(fb)->name);
	}
}

/* Products of integers: zero dots, the largest, and scales that take them out of the range of f32.
 */
static void test_scaled_ends(void) {
	static const mx_format formats[] = { MX_E2M1, MX_E2M3 };
	for (unsigned pair = 0; pair < 4; pair++) {
		mx_format fa = formats[pair / 2], fb = formats[pair % 2];
		unsigned wrong = 0;
		for (unsigned i = 0; i < 20 * times(); i++)
			wrong += scaled(fa, fb, i % 2 ? BANDS : ROWS, profile_of(0));
		ok(!wrong, "%s x %s: fast and plain agree at the ends of all ranges",
		   mx_format_info(fa)->name, mx_format_info(fb)->name);
	}
}

/* Scales that are about equal, so that they and their products are about the least or the largest
 * normal f32; and those with a NaN. */
static void test_scaled_limits(void) {
	static const mx_format formats[] = { MX_E2M1, MX_E2M3, MX_E4M3 };
	enum { FORMATS = sizeof formats / sizeof *formats };
	for (unsigned pair = 0; pair < FORMATS * FORMATS; pair++) {
		mx_format fa = formats[pair / FORMATS], fb = formats[pair % FORMATS];
		unsigned wrong = 0;
		for (unsigned i = 0; i < 12 * times(); i++) {
			uint8_t scale_a[LANES], scale_b[LANES];
			unsigned sum = (i % 2 ? 126 : 379) + below(14),
				 least = sum > 254 ? sum - 254 : 0;
			unsigned first = below(3) ? least + below(255 - least) : least + below(3);
			memset(scale_a, i % 3 ? (int)first : 120, sizeof scale_a);
			memset(scale_b, i % 3 ? (int)(sum - first) : 120, sizeof scale_b);
			if (i % 3 == 0)
				(i % 2 ? scale_a : scale_b)[below(LANES)] = 0xFF;
			wrong += scaled_by(fa, fb, i % 4 ? ZEROS : NEAR, profile_of(0), scale_a,
			                   scale_b);
		}
		ok(!wrong, "%s x %s: fast and plain agree at the limits of scales",
		   mx_format_info(fa)->name, mx_format_info(fb)->name);
	}
}

/* Expanded operands are kept: each instruction differs from the one before in one respect. */
static void test_kept(mx_format f, mx_format other) {
	static uint32_t a[8][LANES];
	uint8_t scale_a[LANES], scale_b[LANES];
	unsigned wrong = 0;
	fill_codes(f, false, a, NEAR);
	fill_codes(f, false, s.b, NEAR);
	fill_scales(scale_a, NEAR);
	fill_scales(scale_b, NEAR);
	fill_results(MX_T_F32, NEAR);
	struct mx_mma_args g = { profile_of(0),
		                 MX_16X16X128,
		                 f,
		                 f,
		                 (const uint32_t(*)[LANES])a,
		                 (const uint32_t(*)[LANES])s.b,
		                 (const uint32_t(*)[LANES])s.c,
		                 scale_a,
		                 scale_b };
	for (unsigned i = 0; i < 12; i++) {
		g.shape ^= i % 6 == 1;
		g.fmt_a = i % 6 == 2 ? other : f;
		g.fmt_b = i % 6 == 3 ? other : f;
		scale_a[below(LANES)] += i % 6 == 4;
		scale_b[below(LANES)] += i % 6 == 5;
		a[below(4)][below(LANES)] ^= i == 6;
		s.b[below(4)][below(LANES)] ^= i == 7;
		g.d = s.fast;
		wrong += mx_mma_scaled(&g) != MX_OK;
		g.d = s.plain;
		wrong += mx_mma_scaled_plain(&g) != MX_OK;
		wrong += compare("kept", g.profile, NEAR, g.shape == MX_16X16X128 ? 4 : 16);
	}
	ok(!wrong, "scaled %s: a change of format, shape, scale or code changes the operand",
	   mx_format_info(f)->name);
}

/* More operands than are kept, in any order; some change in one bit. Words hold those near 1. */
static void test_kept_many(void) {
	enum { MANY = 12 };
	static uint32_t a[MANY][8][LANES], b[MANY][8][LANES];
	uint8_t scales[LANES];
	unsigned wrong = 0;
	fill_scales(scales, NEAR);
	fill_results(MX_T_F32, NEAR);
	for (unsigned i = 0; i < MANY; i++) {
		fill(MX_T_FP8, false, 8, a[i], i % 4 ? NEAR : WIDE);
		fill(MX_T_FP8, false, 8, b[i], i % 4 ? NEAR : WIDE);
	}
	for (unsigned i = 0; i < 200; i++) {
		unsigned x = below(i % 2 ? MANY : 4), y = below(i % 2 ? MANY : 4);
		struct mx_mma_args g = { profile_of(0),
			                 MX_16X16X128,
			                 MX_E4M3,
			                 MX_E4M3,
			                 (const uint32_t(*)[LANES])a[x],
			                 (const uint32_t(*)[LANES])b[y],
			                 (const uint32_t(*)[LANES])s.c,
			                 scales,
			                 scales,
			                 s.fast };
		mx_mma_scaled(&g);
		g.d = s.plain;
		mx_mma_scaled_plain(&g);
		wrong += compare("kept", g.profile, NEAR, 4);
		a[x][below(8)][below(LANES)] ^= (uint32_t)!below(4) << below(32);
		b[y][below(8)][below(LANES)] ^= (uint32_t)!below(4) << below(32);
	}
	ok(!wrong, "scaled: operands come again, or change in one bit");
}

/* 1 + 2^-24 +- 2^-32 + 2^30 - 2^30: the second product decides. */
static void test_scaled_tie(void) {
	static uint32_t a[8][LANES];
	uint8_t scales[LANES];
	/* 2^-12, 2^-16, 2^15, +-2^15 in E5M2 */
	static const uint32_t x = 0x7878010c;
	memset(scales, 127, sizeof scales);
	for (unsigned sign = 0; sign < 2; sign++) {
		memset(&s, 0, sizeof s);
		for (unsigned l = 0; l < LANES; l++) {
			s.c[0][l] = 0x3f800000;
			a[0][l] = l < 16 ? x : 0;
			s.b[0][l] = l < 16 ? x ^ 0x80000000 ^ sign << 15 : 0;
		}
		struct mx_mma_args g = { profile_of(0),
			                 MX_16X16X128,
			                 MX_E5M2,
			                 MX_E5M2,
			                 (const uint32_t(*)[LANES])a,
			                 (const uint32_t(*)[LANES])s.b,
			                 (const uint32_t(*)[LANES])s.c,
			                 scales,
			                 scales,
			                 s.fast };
		mx_mma_scaled(&g);
		if (!ok(s.fast[0][0] == 0x3f800001 - sign,
		        "scaled: 1 + 2^-24 %c 2^-32 + 2^30 - 2^30", sign ? '-' : '+'))
			diag("got %08x", s.fast[0][0]);
	}
}

/* Words with remainders, in E5M2: 2^15 and one 2^-16 in A. All other products are -0. */
static void test_remainders(void) {
	static const struct {
		const char *what;
		uint32_t b, c;
		uint8_t scale_a, scale_b;
	} cases[] = {
		{ "2^30 + 2^-32 - 2^30", 0x80800178, 0xce800000, 127, 127 },
		{ "-0 + zeros beside a remainder", 0x80808080, 0x80000000, 127, 127 },
		{ "-2^-151, then zeros", 0x80809880, 0, 1, 127 },
	};
	static uint32_t a[8][LANES];
	uint8_t scale_a[LANES], scale_b[LANES];
	memset(a, 0x78, sizeof a);
	a[0][3] = 0x78780178;
	for (unsigned i = 0; i < 2 * sizeof cases / sizeof *cases; i++) {
		memset(s.b, 0x80, sizeof s.b);
		s.b[0][5] = cases[i / 2].b;
		for (unsigned j = 0; j < 16 * LANES; j++)
			s.c[j / LANES][j % LANES] = cases[i / 2].c;
		memset(scale_a, cases[i / 2].scale_a, sizeof scale_a);
		memset(scale_b, cases[i / 2].scale_b, sizeof scale_b);
		struct mx_mma_args g = { profile_of(0),
			                 i % 2 ? MX_32X32X64 : MX_16X16X128,
			                 MX_E5M2,
			                 MX_E5M2,
			                 (const uint32_t(*)[LANES])a,
			                 (const uint32_t(*)[LANES])s.b,
			                 (const uint32_t(*)[LANES])s.c,
			                 scale_a,
			                 scale_b,
			                 s.fast };
		mx_mma_scaled(&g);
		g.d = s.plain;
		mx_mma_scaled_plain(&g);
		ok(!compare(cases[i / 2].what, g.profile, FEW_SMALL, i % 2 ? 16 : 4),
		   "scaled: %s, %s", cases[i / 2].what, i % 2 ? "32x32x64" : "16x16x128");
	}
}

/* Words: the second half of the products, or all of them, are zeros, of one sign in each row. They
 * are added to 0, to -0, to numbers, or to the zeros that smaller ones round to. */
static void test_scaled_signs(void) {
	static uint32_t a[8][LANES];
	uint8_t scales[LANES];
	struct mx_mma_args g = { profile_of(0),
		                 MX_16X16X128,
		                 MX_E4M3,
		                 MX_E4M3,
		                 (const uint32_t(*)[LANES])a,
		                 (const uint32_t(*)[LANES])s.b,
		                 (const uint32_t(*)[LANES])s.c,
		                 scales,
		                 scales };
	unsigned wrong = 0;
	for (unsigned i = 0; i < 16; i++) {
		fill(MX_T_FP8, false, 8, a, NEAR);
		fill(MX_T_FP8, false, 8, s.b, NEAR);
		for (unsigned l = i & 8 ? 0 : 4 * LANES; l < 8 * LANES; l++) {
			a[l / LANES][l % LANES] = l % 2 ? 0x80808080 : 0;
			s.b[l / LANES][l % LANES] &= 0x7f7f7f7f;
		}
		for (unsigned l = 0; l < 16 * LANES; l++)
			s.c[l / LANES][l % LANES] = i & 2 ? 0x80000000 : 0;
		memset(scales, i & 4 ? 127 - 80 : 127, sizeof scales);
		g.shape = i & 1 ? MX_32X32X64 : MX_16X16X128;
		g.d = s.fast;
		wrong += mx_mma_scaled(&g) != MX_OK;
		g.d = s.plain;
		wrong += mx_mma_scaled_plain(&g) != MX_OK;
		wrong += compare("signs", g.profile, NEAR, i & 1 ? 16 : 4);
	}
	ok(!wrong, "scaled: the sign of a zero that a dot of zeros is added to");
}

/* 1 or 1 + 2^-23, and 2^-24 +- 2^-53, which together no double holds: 29 products of 2^8 * 2^8 in
 * E4M3, two of 1.5 * 2^8 * 2^8, and 2^-4 * +-2^-4, times 2^-45. */
static void test_scaled_odd(void) {
	static uint32_t a[8][LANES];
	uint8_t scale_a[LANES], scale_b[LANES];
	struct mx_mma_args g = { profile_of(0),
		                 MX_16X16X128,
		                 MX_E4M3,
		                 MX_E4M3,
		                 (const uint32_t(*)[LANES])a,
		                 (const uint32_t(*)[LANES])s.b,
		                 (const uint32_t(*)[LANES])s.c,
		                 scale_a,
		                 scale_b,
		                 s.fast };
	unsigned wrong = 0;
	memset(scale_a, 127 - 45, sizeof scale_a);
	memset(scale_b, 127, sizeof scale_b);
	for (unsigned i = 0; i < 4; i++) {
		uint32_t one = 0x3f800000 + i / 2, less = i % 2;
		memset(&s, 0, sizeof s);
		for (unsigned l = 0; l < 32; l++)
			for (unsigned r = 0; r < 4; r++) {
				bool last = l >= 16 && r == 3;
				a[r][l] = last ? 0x187c7c78 : 0x78787878;
				s.b[r][l] = last ? less << 31 | 0x18787878 : 0x78787878;
			}
		for (unsigned j = 0; j < 4 * LANES; j++)
			s.c[j / LANES][j % LANES] = one;
		mx_mma_scaled(&g);
		for (unsigned j = 0; j < 4 * LANES; j++)
			wrong += s.fast[j / LANES][j % LANES] != one + 1 - less;
	}
	if (!ok(!wrong, "scaled: 1 + 2^-23 + 2^-24 +- 2^-53"))
		diag("%u wrong, the last result 0x%08x", wrong, s.fast[3][LANES - 1]);
}

/* The thread's rounding must have no effect. */
static void test_rounding(void) {
	unsigned wrong = 0;
	fesetround(FE_UPWARD);
	wrong += dense(mx_dense_by_name("v_mfma_f32_16x16x32_f16"), NEAR, profile_of(0));
	wrong += sparse(mx_sparse_by_name("v_smfmac_f32_16x16x64_f16"), NEAR, profile_of(0));
	ok(!wrong && fegetround() == FE_UPWARD, "the same with the thread's rounding upward");
	fesetround(FE_TONEAREST);
}

int main(void) {
	test_dense();
	test_sparse();
	test_wmma();
	test_lost_bits();
	test_scaled();
	test_scaled_ends();
	test_scaled_limits();
	test_scaled_tie();
	test_scaled_odd();
	test_scaled_signs();
	test_remainders();
	for (unsigned pair = 0; pair < 2; pair++)
		test_kept(pair ? MX_E2M1 : MX_E4M3, pair ? MX_E2M3 : MX_E5M2);
	test_kept_many();
	test_rounding();
	return done_testing();
}
