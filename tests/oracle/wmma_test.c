/* The WMMAs of gfx1250: layouts typed again from the element to its place, and results against
 * oracle/exact under each profile. */
#include "../../oracle/exact/exact.h"
#include "../../ref/mxref.h"
#include "../float_bits.h"
#include "../random.h"
#include "../tap.h"

#include <math.h>
#include <stdlib.h>

enum { MAX_M = 32, MAX_K = 128, N = 16, REGS = 16 };

static uint64_t rng_state = 1250;

static uint64_t rng(void) {
	return next_random(&rng_state);
}

/* ---- types ---- */

/* emin: exponent of the smallest normal number. run: consecutive k of a lane. */
static const struct type {
	const char *name;
	int emin;
	unsigned bits, run;
} types[] = {
	{ "E4M3", -6, 8, 16 },   { "E5M2", -14, 8, 16 },  { "E2M3", 0, 6, 32 },
	{ "E3M2", -2, 6, 32 },   { "E2M1", 0, 4, 32 },    { "FP16", -14, 16, 8 },
	{ "BF16", -126, 16, 8 }, { "FP32", -126, 32, 2 }, { "INT", 0, 8, 16 },
	{ "INT4", 0, 4, 32 },
};
enum { FORMATS = 5, FP16 = 5, BF16, FP32, INT, INT4 };

/* The index in types; f: the format of an MX operand. */
static unsigned type_of(mx_type t, mx_format f) {
	switch (t) {
	case MX_T_F32: return FP32;
	case MX_T_F16: return FP16;
	case MX_T_BF16: return BF16;
	case MX_T_FP8: return MX_E4M3;
	case MX_T_BF8: return MX_E5M2;
	case MX_T_FP4: return MX_E2M1;
	case MX_T_F8F6F4: return f;
	case MX_T_I4: return INT4;
	default: return INT;
	}
}

/* By the oracle's decoding. */
static struct exact_item item_of(const char *name, int emin, uint32_t code) {
	uint32_t bits;
	int exp = 0;
	need(exact_decode(name, code, &bits) == EXACT_OK, name);
	double x = as_float(bits);
	uint64_t sig = isfinite(x) ? (uint64_t)ldexp(frexp(fabs(x), &exp), 24) : 0;
	int top = sig && exp - 1 > emin ? exp - 1 : emin, zeros = sig ? __builtin_ctzll(sig) : 0;
	return (struct exact_item){ .flags = (signbit(x) ? EXACT_NEGATIVE : 0) |
		                             (isinf(x) ? EXACT_INF : 0) |
		                             (isnan(x) ? EXACT_NAN : 0),
		                    .sig = sig >> zeros,
		                    .exp = exp - 24 + zeros,
		                    .top = top };
}

static struct exact_item scale_of(mx_scale_format f, uint8_t code) {
	if (f == MX_S_E8M0)
		return (struct exact_item){ code == 0xFF ? EXACT_NAN : 0, code != 0xFF, code - 127,
			                    code - 127 };
	return f == MX_S_E5M3 ? item_of("E5M3", -14, code) : item_of("E4M3", -6, code);
}

/* An element with its scale. */
static struct exact_item times(struct exact_item x, struct exact_item s) {
	bool nan = (x.flags | s.flags) & EXACT_NAN || (x.flags & EXACT_INF && !s.sig);
	x.flags = ((x.flags ^ s.flags) & EXACT_NEGATIVE) | (nan ? EXACT_NAN : x.flags & EXACT_INF);
	x.sig = nan ? 0 : x.sig * s.sig;
	x.exp += s.exp;
	x.top += s.top;
	return x;
}

/* ---- a problem: matrices, and their registers ---- */

struct side {
	unsigned type;
	uint32_t code[MAX_M][MAX_K];
	uint8_t scale[MAX_M][8];
	uint32_t regs[REGS][MX_LANES], scales[2][MX_LANES];
	unsigned met[MAX_M][MAX_K]; /* k of the stored elements of a sparse A */
};

struct problem {
	struct mx_wmma_args g;
	struct side ab[2];
	uint32_t c[MAX_M][N], c_regs[REGS][MX_LANES], d[REGS][MX_LANES], index[2][MX_LANES];
};

static unsigned rows_of(const struct mx_wmma *op, unsigned side) {
	return side ? N : op->m;
}

static void put(uint32_t (*regs)[MX_LANES], unsigned lane, unsigned item, unsigned bits,
                uint32_t v) {
	for (unsigned i = 0; i < bits; i++)
		regs[(item * bits + i) / 32][lane] |= (v >> i & 1) << (item * bits + i) % 32;
}

static uint32_t take(uint32_t (*regs)[MX_LANES], unsigned lane, unsigned item, unsigned bits) {
	return regs[item * bits / 32][lane] >> item * bits % 32 & (UINT32_MAX >> (32 - bits));
}

/* Elements of a row: of a sparse A half of K. */
static unsigned stored(const struct mx_wmma *op, unsigned side) {
	return op->sparse && !side ? op->k / 2 : op->k;
}

/* A run of B has the k of a run of a sparse A. */
static void place(const struct mx_wmma *op, unsigned type, unsigned side, unsigned row, unsigned k,
                  unsigned *lane, unsigned *item) {
	unsigned half = stored(op, 0) / 2, run = types[type].run < half ? types[type].run : half;
	if (op->sparse && side) {
		half *= 2;
		run *= 2;
	}
	*lane = row % 16 + 16 * (k / run % 2);
	*item = k / run / 2 * run + k % run + row / 16 * half;
}

static void place_result(unsigned row, unsigned col, unsigned *lane, unsigned *item) {
	*lane = col + 16 * (row / 8 % 2);
	*item = row % 8 + row / 16 * 8;
}

/* Moderate numbers; rarely any code. */
static uint32_t random_code(unsigned type) {
	uint32_t any = (uint32_t)rng();
	if (rng() % 64 == 0 || types[type].bits <= 8)
		return any & (UINT32_MAX >> (32 - types[type].bits)) &
		       (type <= MX_E5M2 && rng() % 256 ? 0xBF : UINT32_MAX);
	if (type == FP16)
		return (any & 0x83FF) | (8 + any / 65536 % 16) << 10;
	return type == BF16 ? (any & 0x807F) | (119 + rng() % 16) << 7
	                    : (any & 0x807FFFFF) | (119 + (uint32_t)rng() % 16) << 23;
}

static uint8_t random_scale(mx_scale_format f) {
	if (rng() % 128 == 0)
		return (uint8_t)rng();
	return f == MX_S_E8M0   ? 122 + rng() % 11
	       : f == MX_S_E5M3 ? 0x60 + rng() % 48
	                        : rng() % 0x7F;
}

static void draw_side(struct problem *p, unsigned side) {
	struct side *x = &p->ab[side];
	struct mx_wmma_operand *o = &p->g.ab[side];
	const struct mx_wmma *op = p->g.op;
	unsigned rows = rows_of(op, side), lane, item;
	x->type = type_of(op->ab[side], o->format);
	for (unsigned row = 0; row < rows; row++) {
		for (unsigned k = 0; k < stored(op, side); k++) {
			x->code[row][k] = random_code(x->type);
			place(op, x->type, side, row, k, &lane, &item);
			put(x->regs, lane, item, types[x->type].bits, x->code[row][k]);
		}
		lane = rows == 32 ? row : row + 16 * o->scale_row;
		for (unsigned i = 0; op->block && i < op->k / op->block; i++) {
			x->scale[row][i] = random_scale(o->scale_format);
			put(x->scales, lane, i, 8, x->scale[row][i]);
		}
	}
	o->regs = (const uint32_t(*)[MX_LANES])x->regs;
	o->scales = (const uint32_t(*)[MX_LANES])x->scales;
}

/* The indices, by the stored element: with 16 registers of B lane 16 h + l has those of a half h of
 * the row in the order of its k [rocjitsu, hip-fpsan]; else they are with the elements. */
static void draw_indices(struct problem *p) {
	const struct mx_wmma *op = p->g.op;
	unsigned n = stored(op, 0), lane, item, key = n == 16 ? (unsigned)rng() % 2 : 0;
	bool in_order = op->k * types[p->ab[0].type].bits == 1024;
	for (unsigned row = 0; row < 16; row++)
		for (unsigned i = 0; i < n; i += 2) {
			unsigned first = (unsigned)rng() % 3;
			unsigned pair[2] = { first, first + 1 + (unsigned)rng() % (3 - first) };
			for (unsigned t = 0; t < 2; t++) {
				p->ab[0].met[row][i + t] = i / 2 * 4 + pair[t];
				place(op, p->ab[0].type, 0, row, i + t, &lane, &item);
				if (in_order) {
					lane = row + 16 * ((i + t) / (n / 2));
					item = (i + t) % (n / 2);
				}
				put(p->index, lane, item + 8 * key, 2, pair[t]);
			}
		}
	p->g.index = (const uint32_t(*)[MX_LANES])p->index;
	p->g.index_key = key;
}

static struct problem *draw(const struct mx_wmma *op, const char *profile) {
	struct problem *p = calloc(1, sizeof *p);
	need(p, "out of memory");
	p->g = (struct mx_wmma_args){ .op = op,
		                      .c = (const uint32_t(*)[MX_LANES])p->c_regs,
		                      .d = p->d,
		                      .clamp = rng() % 2,
		                      .neg_c = op->c != MX_T_I32 && rng() % 2,
		                      .abs_c = op->c != MX_T_I32 && rng() % 2 };
	p->g.profile = mx_wmma_profile(op, mx_profile_by_name(profile));
	for (unsigned side = 0; side < 2; side++) {
		struct mx_wmma_operand *o = &p->g.ab[side];
		o->format = op->ab[side] == MX_T_FP4 ? MX_E2M1 : rng() % FORMATS;
		o->is_unsigned = rng() % 2;
		o->scale_format = rng() % MX_SCALE_FORMATS;
		o->scale_row = rng() % 2;
		draw_side(p, side);
	}
	if (op->sparse)
		draw_indices(p);
	unsigned bits = op->c == MX_T_F16 || op->c == MX_T_BF16 ? 16 : 32, lane, item;
	for (unsigned row = 0; row < op->m; row++)
		for (unsigned col = 0; col < N; col++) {
			p->c[row][col] = op->c == MX_T_I32 ? (uint32_t)rng()
			                                   : random_code(type_of(op->c, 0));
			place_result(row, col, &lane, &item);
			put(p->c_regs, lane, item, bits, p->c[row][col]);
		}
	return p;
}

/* ---- the judge ---- */

static struct exact_member member_of(const mx_profile *p) {
	return (struct exact_member){
#define MX_FAMILY(field, ...) .field = p->field,
#include "../../ref/mma/family.def"
#undef MX_FAMILY
	};
}

/* The k of B that element i of a row of A meets. */
static unsigned k_met(const struct problem *p, unsigned row, unsigned i) {
	return p->g.op->sparse ? p->ab[0].met[row][i] : i;
}

static void factors(const struct problem *p, unsigned side, unsigned row,
                    struct exact_item to[MAX_K]) {
	const struct side *x = &p->ab[side];
	const struct type *t = &types[x->type];
	unsigned block = p->g.op->block;
	for (unsigned k = 0; k < stored(p->g.op, side); k++) {
		to[k] = item_of(t->name, t->emin, x->code[row][k]);
		if (block)
			to[k] = times(to[k], scale_of(p->g.ab[side].scale_format,
			                              x->scale[row][k / block]));
	}
}

static int64_t integer(const struct problem *p, unsigned side, unsigned row, unsigned k) {
	int32_t code = (int32_t)p->ab[side].code[row][k], sign = types[p->ab[side].type].bits - 1;
	return p->g.ab[side].is_unsigned ? code : code - (code >> sign << (sign + 1));
}

static uint32_t integer_dot(const struct problem *p, unsigned row, unsigned col) {
	int64_t sum = (int32_t)p->c[row][col];
	for (unsigned k = 0; k < stored(p->g.op, 0); k++)
		sum += integer(p, 0, row, k) * integer(p, 1, col, k_met(p, row, k));
	if (p->g.clamp)
		sum = sum > INT32_MAX ? INT32_MAX : sum < INT32_MIN ? INT32_MIN : sum;
	return (uint32_t)sum;
}

/* C after its modifiers, as f32. */
static uint32_t accumulator(const struct problem *p, unsigned row, unsigned col) {
	uint32_t c = p->c[row][col];
	need(exact_decode(types[type_of(p->g.op->c, 0)].name, c, &c) == EXACT_OK, "C");
	c = p->g.abs_c ? c & 0x7FFFFFFF : c;
	return p->g.neg_c ? c ^ 0x80000000 : c;
}

static uint32_t narrowed(const struct problem *p, uint32_t x) {
	bool saturate = p->g.clamp && !isinf(as_float(x));
	const char *name = p->g.op->d == MX_T_F16 ? "FP16" : "BF16";
	if (p->g.op->d == MX_T_F32)
		return x;
	need(exact_encode(name, x, 0, EXACT_RNE, saturate ? EXACT_SATURATE : EXACT_OVERFLOW, 0,
	                  &x) == EXACT_OK,
	     name);
	return x;
}

static uint32_t want(const struct problem *p, unsigned row, unsigned col) {
	struct exact_item a[MAX_K], b[MAX_K], met[MAX_K];
	struct exact_member m = member_of(p->g.profile);
	if (p->g.op->d == MX_T_I32)
		return integer_dot(p, row, col);
	factors(p, 0, row, a);
	factors(p, 1, col, b);
	for (unsigned k = 0; k < stored(p->g.op, 0); k++)
		met[k] = b[k_met(p, row, k)];
	return narrowed(p,
	                exact_member_dot(&m, stored(p->g.op, 0), a, met, accumulator(p, row, col)));
}

/* ---- tests ---- */

static bool agrees(struct problem *p, unsigned step) {
	unsigned bits = p->g.op->d == MX_T_F16 || p->g.op->d == MX_T_BF16 ? 16 : 32, lane, item;
	for (unsigned i = rng() % step; i < p->g.op->m * N; i += step) {
		place_result(i / N, i % N, &lane, &item);
		uint32_t got = take(p->d, lane, item, bits), exact = want(p, i / N, i % N);
		if (got == exact)
			continue;
		diag("%s, %s, [%u][%u]: 0x%08X, want 0x%08X; A %s by %u, B %s by %u, clamp %d",
		     p->g.op->name, p->g.profile->name, i / N, i % N, got, exact,
		     types[p->ab[0].type].name, p->g.ab[0].scale_format, types[p->ab[1].type].name,
		     p->g.ab[1].scale_format, p->g.clamp);
		return false;
	}
	return true;
}

static bool fast_is_plain(struct problem *p) {
	uint32_t plain[REGS][MX_LANES] = { 0 };
	p->g.d = plain;
	bool same = mx_mma_wmma_plain(&p->g) == MX_OK && !memcmp(plain, p->d, sizeof plain);
	/* In place, where C and D have one type. */
	p->g.d = p->c_regs;
	if (same && p->g.op->c == p->g.op->d)
		same = mx_mma_wmma(&p->g) == MX_OK && !memcmp(p->c_regs, plain, sizeof plain);
	return same;
}

static void test_results(const struct mx_wmma *op) {
	static const char *const profiles[] = { "block32", "fused", "fma32", "cdna3" };
	unsigned rounds = getenv("MXCHECK_LONG") ? 50 : op->block ? 3 : 1, wrong = 0, differ = 0;
	for (unsigned i = 0; i < rounds * 4 && !wrong && !differ; i++) {
		struct problem *p = draw(op, profiles[i % 4]);
		wrong += mx_mma_wmma(&p->g) != MX_OK || !agrees(p, rounds < 50 ? 17 : 1);
		differ += !fast_is_plain(p);
		free(p);
	}
	ok(!wrong, "%s: results are those of the oracle under four profiles", op->name);
	ok(!differ, "  and the fast version has the bits of the plain one");
}

static void test_layout(const struct mx_wmma *op) {
	unsigned wrong = 0, lane, item, x, y, end = op->ab[0] == MX_T_F8F6F4 ? FORMATS : 1;
	for (unsigned f = op->ab[0] == MX_T_FP4 ? MX_E2M1 : 0; f < FORMATS && end; f++, end--)
		for (unsigned side = 0; side < 2; side++) {
			unsigned type = type_of(op->ab[side], f), rows = rows_of(op, side);
			unsigned n = stored(op, side);
			for (unsigned i = 0; i < rows * n; i++) {
				place(op, type, side, i / n, i % n, &lane, &item);
				wrong += mx_wmma_operand(op, side, f, lane, item, &x, &y) ||
				         x != i / n || y != i % n;
			}
			wrong += mx_wmma_operand_items(op, side) * 32 != rows * n ||
			         mx_wmma_operand_vgprs(op, side, f) !=
			                 rows * n * types[type].bits / 1024;
		}
	for (unsigned i = 0; i < op->m * N; i++) {
		place_result(i / N, i % N, &lane, &item);
		wrong += mx_wmma_result(op, lane, item, &x, &y) || x != i / N || y != i % N;
	}
	ok(!wrong, "%s: each element has its place", op->name);
}

/* From the register tables of FlyDSL and rocjitsu: the first item of a lane's register. */
static void test_layout_by_hand(void) {
	static const struct {
		const char *name;
		mx_side side;
		mx_format f;
		unsigned lane, item, mn, k;
	} rows[] = {
		{ "v_wmma_f32_16x16x4_f32", MX_SIDE_A, 0, 17, 1, 1, 3 },
		{ "v_wmma_f32_16x16x16_bf8_fp8", MX_SIDE_B, 0, 16, 0, 0, 8 },
		{ "v_wmma_f32_16x16x32_f16", MX_SIDE_A, 0, 16, 0, 0, 8 },
		{ "v_wmma_f32_16x16x32_f16", MX_SIDE_B, 0, 5, 8, 5, 16 },
		{ "v_wmma_i32_16x16x64_iu8", MX_SIDE_A, 0, 31, 31, 15, 63 },
		{ "v_wmma_scale_f32_16x16x128_f8f6f4", MX_SIDE_A, MX_E4M3, 0, 16, 0, 32 },
		{ "v_wmma_scale_f32_16x16x128_f8f6f4", MX_SIDE_A, MX_E4M3, 16, 0, 0, 16 },
		{ "v_wmma_scale_f32_16x16x128_f8f6f4", MX_SIDE_B, MX_E2M1, 16, 0, 0, 32 },
		{ "v_wmma_scale_f32_16x16x128_f8f6f4", MX_SIDE_B, MX_E2M3, 3, 33, 3, 65 },
		{ "v_wmma_scale_f32_32x16x128_f4", MX_SIDE_A, MX_E2M1, 2, 64, 18, 0 },
		{ "v_wmma_scale_f32_32x16x128_f4", MX_SIDE_A, MX_E2M1, 31, 127, 31, 127 },
		{ "v_swmmac_f32_16x16x32_fp8_fp8", MX_SIDE_A, 0, 19, 1, 3, 9 },
		{ "v_swmmac_f32_16x16x32_fp8_fp8", MX_SIDE_B, 0, 5, 10, 5, 10 },
		{ "v_swmmac_f32_16x16x64_f16", MX_SIDE_A, 0, 16, 0, 0, 8 },
		{ "v_swmmac_f32_16x16x64_f16", MX_SIDE_B, 0, 16, 0, 0, 16 },
		{ "v_swmmac_f16_16x16x128_bf8_fp8", MX_SIDE_A, 0, 0, 16, 0, 32 },
		{ "v_swmmac_f16_16x16x128_bf8_fp8", MX_SIDE_B, 0, 17, 32, 1, 96 },
		{ "v_wmma_i32_16x16x32_iu4", MX_SIDE_B, 0, 16, 3, 0, 19 },
	};
	unsigned wrong = 0, x, y;
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
		wrong += mx_wmma_operand(mx_wmma_by_name(rows[i].name), rows[i].side, rows[i].f,
		                         rows[i].lane, rows[i].item, &x, &y) ||
		         x != rows[i].mn || y != rows[i].k;
	const struct mx_wmma *wide = mx_wmma_by_name("v_wmma_scale_f32_32x16x128_f4");
	wrong += mx_wmma_result(wide, 16, 0, &x, &y) || x != 8 || y != 0;
	wrong += mx_wmma_result(wide, 1, 9, &x, &y) || x != 17 || y != 1;
	ok(!wrong, "twenty places from published register tables are right");
}

/* 1 * 1 everywhere: 16 products of each block, times its scale. */
static void test_scales_by_hand(void) {
	const struct mx_wmma *op = mx_wmma_by_name("v_wmma_scale16_f32_16x16x128_f8f6f4");
	static uint32_t ones[8][MX_LANES], sa[2][MX_LANES], sb[2][MX_LANES], d[8][MX_LANES];
	struct mx_wmma_args g = { .op = op,
		                  .profile = mx_profile_by_name("block32"),
		                  .c = (const uint32_t(*)[MX_LANES])d,
		                  .d = d };
	for (unsigned s = 0; s < 2; s++)
		g.ab[s] = (struct mx_wmma_operand){
			.regs = (const uint32_t(*)[MX_LANES])ones,
			.format = MX_E2M1,
			.scales = (const uint32_t(*)[MX_LANES])(s ? sb : sa),
			.scale_format = s ? MX_S_E4M3 : MX_S_E5M3,
			.scale_row = s,
		};
	memset(ones, 0x22, sizeof ones);
	/* Row 3: 1.5 for k = 112 to 127, 0 elsewhere. Column 2: 1.25 there, in the upper lanes. */
	sa[1][3] = 0x7C000000;
	sb[1][18] = 0x3A000000;
	sb[1][2] = 0x38000000; /* ROW0, not selected */
	ok(mx_mma_wmma(&g) == MX_OK && d[3][2] == bits_of(16 * 1.5f * 1.25f) && d[2][2] == 0 &&
	           d[3][3] == 0,
	   "block 7 of row 3 has byte 7 of lane 3, and of column 2, ROW1, that of lane 18");
}

static void test_arguments(void) {
	struct problem *p = draw(mx_wmma_by_name("v_wmma_scale_f32_32x16x128_f4"), "block32");
	unsigned x = 77, y = 77;
	p->g.ab[1].format = MX_E4M3;
	ok(mx_mma_wmma(&p->g) == MX_BAD_FORMAT, "the FP4 form refuses FP8");
	p->g.ab[1].format = MX_E2M1;
	p->g.ab[0].scale_format = MX_SCALE_FORMATS;
	ok(mx_mma_wmma(&p->g) == MX_BAD_OPTION, "scale format 3 is refused");
	p->g.ab[0].scale_format = 0;
	p->g.ab[0].scale_row = 2;
	ok(mx_mma_wmma(&p->g) == MX_BAD_OPTION, "scale row 2 is refused");
	p->g.ab[0].scale_row = 0;
	p->g.ab[0].scales = NULL;
	ok(mx_mma_wmma_plain(&p->g) == MX_BAD_POINTER && mx_mma_wmma(NULL) == MX_BAD_POINTER,
	   "null pointers are refused");
	ok(mx_wmma_operand(p->g.op, MX_SIDE_B, MX_E2M1, 0, 64, &x, &y) == MX_BAD_OPTION &&
	           mx_wmma_operand(p->g.op, MX_SIDE_A, MX_E2M1, 32, 0, &x, &y) == MX_BAD_OPTION &&
	           mx_wmma_operand(p->g.op, MX_SIDE_A, MX_E2M3, 0, 0, &x, &y) == MX_BAD_FORMAT &&
	           mx_wmma_result(p->g.op, 0, 16, &x, &y) == MX_BAD_OPTION && x + y == 154,
	   "places out of range give a status, and nothing is written");
	free(p);
}

/* One product of 1 and 1 in row 0, whose place rocjitsu and hip-fpsan both give: of A an item of a
 * lane, of B one of a lane of the same half, and where the index has its bits. */
static void test_indices_by_hand(void) {
	static const struct {
		const char *name;
		unsigned bits, one, lane, item, b_lane, b_item, index_lane, bit, select;
	} rows[] = {
		{ "v_swmmac_f32_16x16x64_f16", 16, 0x3C00, 16, 6, 18, 14, 0, 16 + 12, 2 },
		{ "v_swmmac_f32_16x16x64_f16", 16, 0x3C00, 0, 9, 2, 19, 16, 2, 3 },
		{ "v_swmmac_f32_16x16x128_fp8_fp8", 8, 0x38, 16, 4, 18, 9, 0, 32 + 8, 1 },
		{ "v_swmmac_f32_16x16x128_fp8_fp8", 8, 0x38, 0, 31, 2, 63, 16, 30, 3 },
		{ "v_swmmac_f32_16x16x32_bf8_bf8", 8, 0x3C, 16, 2, 18, 6, 16, 4, 2 },
		{ "v_swmmac_f32_16x16x32_f16", 16, 0x3C00, 0, 5, 2, 11, 0, 10, 3 },
	};
	unsigned wrong = 0;
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		static uint32_t a[REGS][MX_LANES], b[REGS][MX_LANES], d[8][MX_LANES];
		uint32_t index[2][MX_LANES];
		memset(a, 0, sizeof a);
		memset(b, 0, sizeof b);
		memset(d, 0, sizeof d);
		memset(index, 0x44, sizeof index); /* 0 and 1 of each four */
		unsigned pair = rows[i].bit & ~3u, odd = rows[i].bit >> 1 & 1;
		uint32_t *word = &index[pair / 32][rows[i].index_lane];
		*word &= ~(15u << pair % 32);
		*word |= (odd ? rows[i].select << 2 : rows[i].select | 3 << 2) << pair % 32;
		put(a, rows[i].lane, rows[i].item, rows[i].bits, rows[i].one);
		put(b, rows[i].b_lane, rows[i].b_item, rows[i].bits, rows[i].one);
		struct mx_wmma_args g = { .op = mx_wmma_by_name(rows[i].name),
			                  .profile = mx_profile_by_name("block32"),
			                  .c = (const uint32_t(*)[MX_LANES])d,
			                  .d = d,
			                  .index = (const uint32_t(*)[MX_LANES])index };
		g.ab[0].regs = (const uint32_t(*)[MX_LANES])a;
		g.ab[1].regs = (const uint32_t(*)[MX_LANES])b;
		wrong += mx_mma_wmma(&g) != MX_OK || d[0][2] != 0x3F800000;
		*word |= 15u << pair % 32; /* 3 and 3 */
		wrong += mx_mma_wmma(&g) != MX_BAD_OPTION;
	}
	ok(!wrong, "indices of a SWMMAC are where measurements have them, and ascend");
}

int main(void) {
	const struct mx_wmma *op;
	for (size_t i = 0; (op = mx_wmma_at(i)); i++) {
		need(op == mx_wmma_by_name(op->name), op->name);
		test_layout(op);
		test_results(op);
	}
	test_layout_by_hand();
	test_scales_by_hand();
	test_indices_by_hand();
	test_arguments();
	return done_testing();
}
