/* The dense MFMAs against the manual's list and layouts, typed again; integers are summed
 * exactly, floats by MPFR. */
#include "../../ref/mxref.h"
#include "../random.h"
#include "../tap.h"

#include <math.h>
#include <mpfr.h>
#include <stdlib.h>
#include <string.h>

/* Widths are those of LLVM's assembler for gfx950. */
static const struct form {
	const char *name;
	unsigned m, k, blocks;
	const char *a, *b;
	unsigned vgprs_ab, vgprs_cd;
} forms[] = {
	{ "v_mfma_f32_32x32x1_2b_f32", 32, 1, 2, "f32", "f32", 1, 32 },
	{ "v_mfma_f32_16x16x1_4b_f32", 16, 1, 4, "f32", "f32", 1, 16 },
	{ "v_mfma_f32_4x4x1_16b_f32", 4, 1, 16, "f32", "f32", 1, 4 },
	{ "v_mfma_f32_32x32x2_f32", 32, 2, 1, "f32", "f32", 1, 16 },
	{ "v_mfma_f32_16x16x4_f32", 16, 4, 1, "f32", "f32", 1, 4 },
	{ "v_mfma_f32_32x32x4_2b_f16", 32, 4, 2, "f16", "f16", 2, 32 },
	{ "v_mfma_f32_16x16x4_4b_f16", 16, 4, 4, "f16", "f16", 2, 16 },
	{ "v_mfma_f32_4x4x4_16b_f16", 4, 4, 16, "f16", "f16", 2, 4 },
	{ "v_mfma_f32_32x32x8_f16", 32, 8, 1, "f16", "f16", 2, 16 },
	{ "v_mfma_f32_16x16x16_f16", 16, 16, 1, "f16", "f16", 2, 4 },
	{ "v_mfma_f32_32x32x16_f16", 32, 16, 1, "f16", "f16", 4, 16 },
	{ "v_mfma_f32_16x16x32_f16", 16, 32, 1, "f16", "f16", 4, 4 },
	{ "v_mfma_f32_32x32x4_2b_bf16", 32, 4, 2, "bf16", "bf16", 2, 32 },
	{ "v_mfma_f32_16x16x4_4b_bf16", 16, 4, 4, "bf16", "bf16", 2, 16 },
	{ "v_mfma_f32_4x4x4_16b_bf16", 4, 4, 16, "bf16", "bf16", 2, 4 },
	{ "v_mfma_f32_32x32x8_bf16", 32, 8, 1, "bf16", "bf16", 2, 16 },
	{ "v_mfma_f32_16x16x16_bf16", 16, 16, 1, "bf16", "bf16", 2, 4 },
	{ "v_mfma_f32_32x32x16_bf16", 32, 16, 1, "bf16", "bf16", 4, 16 },
	{ "v_mfma_f32_16x16x32_bf16", 16, 32, 1, "bf16", "bf16", 4, 4 },
	{ "v_mfma_i32_32x32x4_2b_i8", 32, 4, 2, "i8", "i8", 1, 32 },
	{ "v_mfma_i32_16x16x4_4b_i8", 16, 4, 4, "i8", "i8", 1, 16 },
	{ "v_mfma_i32_4x4x4_16b_i8", 4, 4, 16, "i8", "i8", 1, 4 },
	{ "v_mfma_i32_32x32x16_i8", 32, 16, 1, "i8", "i8", 2, 16 },
	{ "v_mfma_i32_16x16x32_i8", 16, 32, 1, "i8", "i8", 2, 4 },
	{ "v_mfma_i32_32x32x32_i8", 32, 32, 1, "i8", "i8", 4, 16 },
	{ "v_mfma_i32_16x16x64_i8", 16, 64, 1, "i8", "i8", 4, 4 },
	{ "v_mfma_f64_16x16x4_f64", 16, 4, 1, "f64", "f64", 2, 8 },
	{ "v_mfma_f64_4x4x4_4b_f64", 4, 4, 4, "f64", "f64", 2, 2 },
	{ "v_mfma_f32_16x16x32_bf8_bf8", 16, 32, 1, "bf8", "bf8", 2, 4 },
	{ "v_mfma_f32_16x16x32_bf8_fp8", 16, 32, 1, "bf8", "fp8", 2, 4 },
	{ "v_mfma_f32_16x16x32_fp8_bf8", 16, 32, 1, "fp8", "bf8", 2, 4 },
	{ "v_mfma_f32_16x16x32_fp8_fp8", 16, 32, 1, "fp8", "fp8", 2, 4 },
	{ "v_mfma_f32_32x32x16_bf8_bf8", 32, 16, 1, "bf8", "bf8", 2, 16 },
	{ "v_mfma_f32_32x32x16_bf8_fp8", 32, 16, 1, "bf8", "fp8", 2, 16 },
	{ "v_mfma_f32_32x32x16_fp8_bf8", 32, 16, 1, "fp8", "bf8", 2, 16 },
	{ "v_mfma_f32_32x32x16_fp8_fp8", 32, 16, 1, "fp8", "fp8", 2, 16 },
};
enum { FORMS = sizeof forms / sizeof *forms };

static uint64_t rng_state = 20250101;

static uint64_t rng(void) {
	return next_random(&rng_state);
}

static bool is(const char *type, const char *name) {
	return !strcmp(type, name);
}

static unsigned type_bits(const char *type) {
	return is(type, "f64") ? 64 : is(type, "f32") ? 32 : strstr(type, "16") ? 16 : 8;
}

static unsigned result_bits(const struct form *f) {
	return is(f->a, "f64") ? 64 : 32;
}

/* ---- layouts: the manual's formulas, from the element to its place ---- */

static void place_operand(const struct form *f, unsigned b, unsigned i, unsigned k, unsigned *lane,
                          unsigned *item) {
	unsigned consecutive = f->k * f->m * f->blocks / 64;
	*item = k % consecutive;
	*lane = i + f->m * (b + f->blocks * (k / consecutive));
}

static void place_result(const struct form *f, unsigned b, unsigned i, unsigned j, unsigned *lane,
                         unsigned *item) {
	unsigned H = is(f->a, "f64") ? 1 : 4;
	unsigned BI = (64 + f->m * f->m / H - 1) / (f->m * f->m / H);
	unsigned MI = 64 / BI / f->m, G = f->m / (H * MI);
	*item = i % H + H * (i / (H * MI) + G * (b / BI));
	*lane = j + f->m * (i / H % MI + MI * (b % BI));
}

/* The functions give each place the element of the formulas, so no two elements share a place. */
static void test_layout(const struct form *f, const struct mx_dense *op) {
	unsigned x, y, z, lane, item, wrong = 0;
	for (unsigned b = 0; b < f->blocks; b++)
		for (unsigned i = 0; i < f->m; i++) {
			for (unsigned k = 0; k < f->k; k++) {
				place_operand(f, b, i, k, &lane, &item);
				mx_dense_operand(op, lane, item, &x, &y, &z);
				wrong += x != b || y != i || z != k;
			}
			for (unsigned j = 0; j < f->m; j++) {
				place_result(f, b, i, j, &lane, &item);
				mx_dense_result(op, lane, item, &x, &y, &z);
				wrong += x != b || y != i || z != j;
			}
		}
	unsigned items = mx_dense_operand_items(op), results = mx_dense_result_items(op);
	ok(!wrong && items * 64 == f->m * f->k * f->blocks &&
	           results * 64 == f->m * f->m * f->blocks &&
	           mx_dense_operand_vgprs(op) == f->vgprs_ab &&
	           mx_dense_result_vgprs(op) == f->vgprs_cd,
	   "%s: elements have the places of the manual's formulas, in LLVM's registers", f->name);
}

/* From the register tables of the manual's chapter 7. */
static void test_layout_by_hand(void) {
	static const struct {
		const char *name;
		unsigned lane, item, block, row, col; /* of an operand: block, row, k */
	} results[] = {
		{ "v_mfma_f32_32x32x1_2b_f32", 32, 3, 0, 7, 0 },
		{ "v_mfma_f32_32x32x1_2b_f32", 0, 15, 0, 27, 0 },
		{ "v_mfma_f32_32x32x1_2b_f32", 63, 16, 1, 4, 31 },
		{ "v_mfma_f32_32x32x2_f32", 31, 4, 0, 8, 31 },
		{ "v_mfma_f32_4x4x4_16b_f16", 4, 3, 1, 3, 0 },
		{ "v_mfma_f32_4x4x4_16b_f16", 63, 0, 15, 0, 3 },
		{ "v_mfma_f64_16x16x4_f64", 16, 0, 0, 1, 0 },
		{ "v_mfma_f64_16x16x4_f64", 63, 3, 0, 15, 15 },
	}, operands[] = {
		{ "v_mfma_f32_32x32x2_f32", 32, 0, 0, 0, 1 },
		{ "v_mfma_f32_4x4x4_16b_f16", 4, 2, 1, 0, 2 },
		{ "v_mfma_f64_16x16x4_f64", 63, 0, 0, 15, 3 },
		{ "v_mfma_f32_16x16x32_bf16", 16, 1, 0, 0, 9 },
		{ "v_mfma_f32_16x16x32_bf16", 48, 7, 0, 0, 31 },
		{ "v_mfma_f32_32x32x16_bf16", 32, 2, 0, 0, 10 },
		{ "v_mfma_i32_16x16x64_i8", 16, 4, 0, 0, 20 },
		{ "v_mfma_i32_32x32x32_i8", 63, 15, 0, 31, 31 },
	};
	unsigned x, y, z, wrong = 0;
	for (size_t i = 0; i < sizeof results / sizeof *results; i++) {
		mx_dense_result(mx_dense_by_name(results[i].name), results[i].lane, results[i].item,
		                &x, &y, &z);
		wrong += x != results[i].block || y != results[i].row || z != results[i].col;
		mx_dense_operand(mx_dense_by_name(operands[i].name), operands[i].lane,
		                 operands[i].item, &x, &y, &z);
		wrong += x != operands[i].block || y != operands[i].row || z != operands[i].col;
	}
	ok(!wrong, "sixteen places from the manual's tables are right");
}

/* ---- values ---- */

static double half(unsigned code, int exp_bits, int man, int bits, bool finite_top) {
	int sign = 1 << (bits - 1), bias = (1 << (exp_bits - 1)) - 1, top = (1 << exp_bits) - 1;
	int field = (code & (sign - 1)) >> man, fraction = code & ((1 << man) - 1);
	double x =
		ldexp(field ? fraction + (1 << man) : fraction, (field ? field : 1) - bias - man);
	if (finite_top)
		x = (code & (sign - 1)) == (unsigned)sign - 1 ? NAN : x;
	else if (field == top)
		x = fraction ? NAN : INFINITY;
	return code & sign ? -x : x;
}

static double value(const char *type, uint64_t code) {
	float f;
	double d;
	uint32_t word = code;
	memcpy(&f, &word, sizeof f);
	memcpy(&d, &code, sizeof d);
	return is(type, "f64")    ? d
	       : is(type, "f32")  ? f
	       : is(type, "f16")  ? half(code, 5, 10, 16, false)
	       : is(type, "bf16") ? half(code, 8, 7, 16, false)
	       : is(type, "bf8")  ? half(code, 5, 2, 8, false)
	       : is(type, "fp8")  ? half(code, 4, 3, 8, true)
	                          : (int8_t)code;
}

/* Mostly moderate values, else any bits. */
static uint64_t random_item(const char *type) {
	uint64_t any = rng();
	if (rng() % 64 == 0 || type_bits(type) == 8)
		return is(type, "i8") || rng() % 64 == 0 ? any : any & 0xBFBFBFBFBFBFBFBF;
	if (is(type, "f64"))
		return (any & 0x800FFFFFFFFFFFFF) | (1003 + rng() % 40) << 52;
	if (is(type, "f32"))
		return (any & 0x807FFFFF) | (107 + rng() % 40) << 23;
	if (is(type, "bf16"))
		return (any & 0x807F) | (117 + rng() % 20) << 7;
	return (any & 0x83FF) | rng() % 31 << 10;
}

/* ---- the judge ---- */

struct wave {
	uint32_t a[4][64], b[4][64], c[32][64], d[32][64];
};

static uint64_t item_of(uint32_t (*regs)[64], unsigned bits, unsigned lane, unsigned item) {
	uint64_t v = 0;
	for (unsigned i = 0; i < bits; i++)
		v |= (uint64_t)(regs[(bits * item + i) / 32][lane] >> (bits * item + i) % 32 & 1)
		     << i;
	return v;
}

/* Table 29 of the manual. */
static unsigned permuted(unsigned blgp, unsigned lane) {
	const unsigned rows[8] = { lane,      lane % 32,      lane % 32 + 32, (lane + 16) % 64,
		                   lane % 16, lane % 16 + 16, lane % 16 + 32, lane % 16 + 48 };
	return rows[blgp];
}

struct element {
	const char *ta, *tb;
	unsigned k;
	uint64_t a[64], b[64], c;
	bool clamp, chain;
};

static struct element gather(const struct form *f, const struct mx_dense_args *g, struct wave *w,
                             unsigned b, unsigned i, unsigned j) {
	struct element e = {
		.ta = f->a,
		.tb = f->b,
		.k = f->k,
		.clamp = g->clamp || g->profile->over,
		.chain = g->profile->group == 1,
	};
	unsigned lane, item, size = 64 >> g->cbsz;
	bool f64 = is(f->a, "f64");
	for (unsigned k = 0; k < f->k; k++) {
		place_operand(f, b, i, k, &lane, &item);
		lane = f64 ? lane : lane % size + size * g->abid;
		e.a[k] = item_of(w->a, type_bits(f->a), lane, item);
		place_operand(f, b, j, k, &lane, &item);
		e.b[k] = item_of(w->b, type_bits(f->b), f64 ? lane : permuted(g->blgp, lane), item);
		e.a[k] ^= f64 && g->blgp & 1 ? 1ull << 63 : 0;
		e.b[k] ^= f64 && g->blgp & 2 ? 1ull << 63 : 0;
	}
	place_result(f, b, i, j, &lane, &item);
	e.c = item_of(w->c, result_bits(f), lane, item);
	e.c ^= f64 && g->blgp & 4 ? 1ull << 63 : 0;
	return e;
}

static uint64_t judge_i8(const struct element *e) {
	long long sum = (int32_t)e->c;
	for (unsigned k = 0; k < e->k; k++)
		sum += (int8_t)e->a[k] * (int8_t)e->b[k];
	if (e->clamp && sum > 2147483647)
		return 0x7FFFFFFF;
	if (e->clamp && sum < -2147483648ll)
		return 0x80000000;
	return (uint32_t)sum;
}

static mpfr_t sum, term;

/* Enough for the exact sum of f16, bf16 and fp8 products, and for an FMA in f64. */
static void start_mpfr(void) {
	mpfr_inits2(5000, sum, term, (mpfr_ptr)0);
}

/* sum += a * b; false, with *special set, if that is not a number. */
static bool add_product(double a, double b, double *special, bool *neg_zero) {
	double p = a * b;
	if (!isfinite(a) || !isfinite(b)) {
		*special += p;
		return false;
	}
	*neg_zero &= (a == 0 || b == 0) && signbit(p);
	mpfr_set_d(term, a, MPFR_RNDN);
	mpfr_mul_d(term, term, b, MPFR_RNDN);
	mpfr_add(sum, sum, term, MPFR_RNDN);
	return true;
}

static double rounded(bool f64, double special, bool neg_zero) {
	if (special != 0)
		return special;
	if (mpfr_zero_p(sum))
		return neg_zero ? -0.0 : 0.0;
	return f64 ? mpfr_get_d(sum, MPFR_RNDN) : mpfr_get_flt(sum, MPFR_RNDN);
}

/* acc + products first to end - 1, rounded once. */
static double judge_step(const struct element *e, unsigned first, unsigned end, double acc) {
	bool f64 = is(e->ta, "f64"), neg_zero = acc == 0 && signbit(acc);
	double special = isfinite(acc) ? 0 : acc;
	bool operand = !isfinite(acc);
	mpfr_set_d(sum, isfinite(acc) ? acc : 0, MPFR_RNDN);
	for (unsigned k = first; k < end; k++)
		operand |= !add_product(value(e->ta, e->a[k]), value(e->tb, e->b[k]), &special,
		                        &neg_zero);
	double x = rounded(f64, special, neg_zero);
	return e->clamp && !f64 && isinf(x) && !operand ? copysign(0x1.fffffep127, x) : x;
}

static uint64_t judge(const struct element *e) {
	bool f64 = is(e->ta, "f64");
	double acc = value(f64 ? "f64" : "f32", e->c);
	if (is(e->ta, "i8"))
		return judge_i8(e);
	for (unsigned k = 0; k < e->k; k += e->chain ? 1 : e->k)
		acc = judge_step(e, k, e->chain ? k + 1 : e->k, acc);
	float narrow = acc;
	uint64_t bits = 0;
	memcpy(&bits, f64 ? (void *)&acc : (void *)&narrow, f64 ? 8 : 4);
	return !isnan(acc) ? bits : f64 ? 0x7FF8000000000000 : 0x7FC00000;
}

static void random_wave(struct wave *w, const struct form *f) {
	memset(w, 0, sizeof *w);
	for (unsigned lane = 0; lane < 64; lane++) {
		for (unsigned r = 0; r < 4; r++)
			for (unsigned at = 0; at < 32;
			     at += type_bits(f->a) < 32 ? type_bits(f->a) : 32) {
				unsigned mask =
					type_bits(f->a) < 32 ? (1u << type_bits(f->a)) - 1 : ~0u;
				w->a[r][lane] |= (random_item(f->a) & mask) << at;
				w->b[r][lane] |= (random_item(f->b) & mask) << at;
			}
		for (unsigned r = 0; r < 32; r++)
			w->c[r][lane] = is(f->a, "i8") ? rng() ^ (rng() % 2 ? 0x7FFFFFFF : 0)
			                               : random_item("f32");
		if (is(f->a, "i8"))
			w->c[0][lane] = rng() % 2 ? 0x7FFFFFF0 : 0x80000010;
		for (unsigned r = 0; is(f->a, "f64") && r < 8; r += 2) {
			uint64_t c = random_item("f64"), a = random_item("f64"),
				 b = random_item("f64");
			w->c[r][lane] = c, w->c[r + 1][lane] = c >> 32;
			w->a[r / 2 & 2][lane] = a, w->a[(r / 2 & 2) + 1][lane] = a >> 32;
			w->b[r / 2 & 2][lane] = b, w->b[(r / 2 & 2) + 1][lane] = b >> 32;
		}
	}
}

static struct mx_dense_args args_of(const struct form *f, struct wave *w, const char *profile) {
	return (struct mx_dense_args){
		.op = mx_dense_by_name(f->name),
		.profile = mx_profile_by_name(profile),
		.a = (const uint32_t(*)[64])w->a,
		.b = (const uint32_t(*)[64])w->b,
		.c = (const uint32_t(*)[64])w->c,
		.d = w->d,
	};
}

/* Samples of the results of a wave. */
static int wrong_results(const struct form *f, const struct mx_dense_args *g, struct wave *w,
                         int n) {
	int wrong = 0;
	if (mx_mma_dense(g) != MX_OK)
		return 1;
	while (n--) {
		unsigned b = rng() % f->blocks, i = rng() % f->m, j = rng() % f->m, lane, item;
		struct element e = gather(f, g, w, b, i, j);
		place_result(f, b, i, j, &lane, &item);
		uint64_t got = item_of(w->d, result_bits(f), lane, item), want = judge(&e);
		if (got != want && !wrong++)
			diag("first wrong: %s, D[%u][%u][%u]: got %llx, exact %llx, c %llx",
			     f->name, b, i, j, (unsigned long long)got, (unsigned long long)want,
			     (unsigned long long)e.c);
	}
	return wrong;
}

/* Of f64 both chains and sums that are rounded once are tested. */
static bool is_chain(const struct form *f, unsigned blgp) {
	return is(f->a, "f32") || (is(f->a, "f64") && blgp & 2);
}

static void test_form(const struct form *f) {
	struct wave w;
	int wrong = 0, n = 0, size = is_long() ? 25 : 1;
	unsigned cbsz_max = 0;
	while (!is(f->a, "f64") && 2u << cbsz_max <= f->blocks)
		cbsz_max++;
	for (unsigned cbsz = 0; cbsz <= cbsz_max; cbsz++)
		for (unsigned blgp = 0; blgp < 8; blgp++) {
			random_wave(&w, f);
			struct mx_dense_args g = args_of(f, &w,
			                                 is_chain(f, blgp) ? "fma32"
			                                 : blgp & 1        ? "fused"
			                                                   : "block32");
			g.cbsz = cbsz;
			g.blgp = blgp;
			g.abid = rng() % (1 << cbsz);
			g.clamp = rng() % 2;
			wrong += wrong_results(f, &g, &w, 40 * size);
			n += 40 * size;
		}
	ok(!wrong, "%s: %d results with all broadcasts of A and B are right", f->name, n);
}

/* A profile whose sums do not wrap. */
static void test_saturating(void) {
	const mx_profile saturates = { .name = "saturates", .parts = 1, .over = 1 };
	struct wave w;
	int wrong = 0, n = 0;
	for (size_t i = 0; i < sizeof forms / sizeof *forms; i++) {
		if (!is(forms[i].a, "i8"))
			continue;
		random_wave(&w, &forms[i]);
		struct mx_dense_args g = args_of(&forms[i], &w, "block32");
		g.profile = &saturates;
		wrong += wrong_results(&forms[i], &g, &w, 100);
		n += 100;
	}
	ok(n && !wrong, "i8: %d sums saturate if the profile says so", n);
}

/* ---- cases by hand ---- */

/* D[0][0][0] of f16 16x16x32 with products 1 * x at the listed k. */
static uint32_t f16_dot(const char *profile, uint32_t c, unsigned k0, unsigned x0, unsigned y0,
                        unsigned k1, unsigned x1, unsigned y1) {
	struct wave w = { .c = { { c } } };
	const struct form *f = &forms[11];
	const unsigned k[2] = { k0, k1 }, x[2] = { x0, x1 }, y[2] = { y0, y1 };
	struct mx_dense_args g = args_of(f, &w, profile);
	for (int i = 0; i < 2; i++) {
		unsigned lane, item;
		place_operand(f, 0, 0, k[i], &lane, &item);
		w.a[item / 2][lane] |= x[i] << item % 2 * 16;
		w.b[item / 2][lane] |= y[i] << item % 2 * 16;
	}
	return mx_mma_dense(&g) == MX_OK ? w.d[0][0] : 0xBAD;
}

static void test_half_profile(void) {
	enum { ONE = 0x3C00, TINY = 0x1800 /* 2^-9 */, BIG = 0x5C00 /* 2^8 */ };
	const char *p = "cdna3_half";
	ok(f16_dot(p, 0x4B800000, 0, ONE, ONE, 7, ONE, ONE) == 0x4B800001,
	   "cdna3_half: 2^24 + 1 + 1 in one group of 8 keeps the ones");
	ok(f16_dot(p, 0x4B800000, 0, ONE, ONE, 8, ONE, ONE) == 0x4B800000,
	   "cdna3_half: in two groups it loses them");
	ok(f16_dot(p, 0xC7800000, 0, BIG, BIG, 1, TINY | 0x8000, ONE) == 0,
	   "cdna3_half: 2^16 - 2^-9 - 2^16 is 0: truncated for even and odd k");
	ok(f16_dot("fused", 0xC7800000, 0, BIG, BIG, 1, TINY | 0x8000, ONE) == 0xBB000000,
	   "fused: it is -2^-9");
	const mx_profile *cdna3 = mx_profile_by_name("cdna3");
	ok(!strcmp(mx_dense_profile(&(struct mx_dense){ .a = MX_T_BF16 }, cdna3)->name, p) &&
	           mx_dense_profile(&(struct mx_dense){ .a = MX_T_FP8 }, cdna3) == cdna3 &&
	           !strcmp(mx_dense_profile(&(struct mx_dense){ .a = MX_T_F32 }, cdna3)->name,
	                   "fma32"),
	   "for cdna3, bf16 uses cdna3_half, fp8 uses cdna3, f32 uses fma32");
}

static void test_wide_profile(void) {
	const mx_profile pairs = { .name = "pairs", .group = 2, .parts = 1 },
			 narrow = { .name = "narrow", .group = 1, .parts = 1, .bits = 10 };
	const struct mx_dense f32 = { .a = MX_T_F32 }, f64 = { .a = MX_T_F64 };
	ok(mx_dense_profile(&f64, &pairs) == &pairs && mx_dense_profile(&f32, &narrow) == &narrow,
	   "f64 uses a profile of exact sums");
	ok(is(mx_dense_profile(&f64, &narrow)->name, "fma32") &&
	           is(mx_dense_profile(&f64, mx_profile_by_name("fused"))->name, "fma32"),
	   "  but fma32 for one whose results have fewer bits, and for a named one");
}

static void test_bad_options(void) {
	struct wave w = { 0 };
	struct mx_dense_args g = args_of(&forms[2], &w, "block32");
	g.cbsz = 4, g.abid = 15;
	ok(mx_mma_dense(&g) == MX_OK, "16 blocks accept a broadcast of one of 16");
	g.cbsz = 5, g.abid = 0;
	ok(mx_mma_dense(&g) == MX_BAD_OPTION, "cbsz 5 is refused");
	g.cbsz = 2, g.abid = 4;
	ok(mx_mma_dense(&g) == MX_BAD_OPTION, "abid 4 of 4 is refused");
	g.abid = 0, g.blgp = 8;
	ok(mx_mma_dense(&g) == MX_BAD_OPTION, "blgp 8 is refused");
	g = args_of(&forms[4], &w, "block32");
	g.cbsz = 1;
	ok(mx_mma_dense(&g) == MX_BAD_OPTION, "one block refuses a broadcast");
	g.cbsz = 0, g.profile = NULL;
	ok(mx_mma_dense(&g) == MX_BAD_POINTER, "a null profile is refused");
	g.profile = &(mx_profile){ "none" };
	ok(mx_mma_dense(&g) == MX_BAD_PROFILE, "a profile of zeros is refused");
	g = args_of(&forms[0], &w, "cdna3");
	ok(is(forms[0].a, "f32") && mx_mma_dense(&g) == MX_BAD_PROFILE,
	   "so is one that aligns, with f32");
	g.op = mx_dense_by_name("v_mfma_f64_4x4x4_4b_f64");
	ok(mx_mma_dense(&g) == MX_BAD_PROFILE, "  and f64");
}

int main(void) {
	start_mpfr();
	for (size_t i = 0; i < FORMS; i++) {
		const struct mx_dense *op = mx_dense_at(i);
		ok(op && op == mx_dense_by_name(forms[i].name) && op->m == forms[i].m &&
		           op->k == forms[i].k && op->blocks == forms[i].blocks,
		   "%s exists with its shape", forms[i].name);
		test_layout(&forms[i], op);
		test_form(&forms[i]);
	}
	ok(!mx_dense_at(FORMS) && !mx_dense_by_name("v_mfma_f32_16x16x8_xf32"),
	   "there are no others; gfx950 has no xf32");
	test_layout_by_hand();
	test_saturating();
	test_half_profile();
	test_wide_profile();
	test_bad_options();
	return done_testing();
}
