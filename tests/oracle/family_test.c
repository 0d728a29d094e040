/* Members of the family: libmxref against oracle/exact, dots and products. */
#include "../probe/member.h"

#include <string.h>

#include "../../oracle/exact/exact.h"
#include "../float_bits.h"

/* ---- dots ---- */

static struct exact_item factor(const struct mx_format_info *f, uint32_t code, int scale) {
	uint32_t field = code >> f->man_bits & ((1u << f->exp_bits) - 1),
		 man = code & ((1u << f->man_bits) - 1);
	bool ones = field == (1u << f->exp_bits) - 1;
	bool nan = scale == 0xFF ||
	           (ones && (f->specials == MX_IEEE       ? man != 0
	                     : f->specials == MX_NAN_ONLY ? man == (1u << f->man_bits) - 1
	                                                  : false));
	bool inf = ones && f->specials == MX_IEEE && !man;
	int top = (int)(field ? field : 1) - f->bias + scale - 127;
	return (struct exact_item){
		.flags = (code >> (f->bits - 1) ? EXACT_NEGATIVE : 0) | (nan ? EXACT_NAN : 0) |
		         (inf ? EXACT_INF : 0),
		.sig = nan || inf ? 0 : man | (field ? 1u << f->man_bits : 0),
		.exp = top - (int)f->man_bits,
		.top = top,
	};
}

static struct exact_member member_of(const mx_profile *p) {
	return (struct exact_member){
#define MX_FAMILY(field, ...) .field = p->field,
#include "../../ref/mma/family.def"
#undef MX_FAMILY
	};
}

static uint32_t result(const struct mx_probe_insn *insn, const mx_profile *p,
                       const struct mx_probe_dot *d) {
	struct exact_item a[MX_PROBE_K], b[MX_PROBE_K];
	struct exact_member m = member_of(p);
	for (unsigned k = 0; k < insn->k; k++) {
		a[k] = factor(insn->a, (uint32_t)d->a[k], d->sa[k / MX_BLOCK]);
		b[k] = factor(insn->b, (uint32_t)d->b[k], d->sb[k / MX_BLOCK]);
	}
	return exact_member_dot(&m, insn->k, a, b, (uint32_t)d->c);
}

static void test_members(const struct mx_probe_insn *insn, unsigned members, unsigned step) {
	struct mx_probe_product product[MX_PROBE_K];
	struct mx_probe_terms terms = { product };
	struct mx_probe_steps steps;
	size_t n, dots = 0, wrong = 0;
	struct mx_probe_dot *dot = mx_probe_questions(insn, &n);
	uint64_t random = n;
	for (unsigned i = 0; i < members && !wrong; i++) {
		mx_profile p = draw_member_of(insn, &random);
		mx_probe_steps(&p, insn->k, &steps);
		for (size_t k = next_random(&random) % step; k < n && !wrong; k += step, dots++) {
			mx_probe_terms(insn, &dot[k], &terms);
			uint32_t d = (uint32_t)mx_probe_result(insn, &p, &steps, &terms),
				 want = result(insn, &p, &dot[k]);
			if (d != want && ++wrong) {
				diag("%s dot %zu: 0x%08X, want 0x%08X",
				     mx_question_name(dot[k].question), k, d, want);
				print_member("the member", &p);
			}
		}
	}
	ok(dots && !wrong, "%s: %zu dots under %u profiles", insn->name, dots, members);
	free(dot);
}

/* Rows of six f32, by instructions of four: the second is filled up with zeros. */
static void test_f32(unsigned members) {
	enum { ROW = 6, FOUR = 4 };
	const struct mx_format_info *f32 = &mx_types[MX_TYPE_FP32];
	const struct mx_probe_insn insn = { .k = FOUR, .a = f32, .b = f32 };
	uint64_t random = members;
	unsigned wrong = 0;
	for (unsigned i = 0; i < members; i++) {
		mx_profile p = draw_member_of(&insn, &random);
		struct exact_member m = member_of(&p);
		struct exact_item a[2 * FOUR] = { 0 }, b[2 * FOUR] = { 0 };
		double x[ROW], y[ROW];
		for (unsigned k = 0; k < ROW; k++) {
			uint32_t u = 0x3F000000 + (uint32_t)next_random(&random) % 0x1000000,
				 v = 0xBF000000 + (uint32_t)next_random(&random) % 0x1000000;
			a[k] = factor(f32, u, 127), x[k] = (double)as_float(u);
			b[k] = factor(f32, v, 127), y[k] = (double)as_float(v);
		}
		uint32_t want = exact_member_dot(&m, FOUR, a, b, 0x3F800000);
		want = exact_member_dot(&m, FOUR, a + FOUR, b + FOUR, want);
		wrong += exact_member_f32(&m, FOUR, ROW, x, y, 0x3F800000) != want;
	}
	ok(!wrong, "rows of f32 that are no multiple of K, under %u profiles", members);
}

/* ---- instructions ---- */

enum { REGS = 16, RESULTS = 32 };

struct registers {
	uint32_t a[REGS][MX_LANES], b[REGS][MX_LANES], c[RESULTS][MX_LANES],
		fast[RESULTS][MX_LANES], plain[RESULTS][MX_LANES], scales[2][2][MX_LANES];
};

/* Codes of 8 bits near 1, or of any type; zeros of both signs; NaN and infinities now and then. */
static uint32_t draw_codes(unsigned kind, uint64_t *random) {
	uint32_t x = (uint32_t)(next_random(random) >> 16);
	if (next_random(random) % 3000 == 0)
		return x;
	return kind == 0   ? (x & 0x8F8F8F8F) | 0x30303030
	       : kind == 1 ? x & 0x80808080
	                   : x & 0xBFBFBFBF;
}

static void draw_registers(struct registers *x, uint64_t *random) {
	static const uint32_t hard[] = { 0, 0x80000000, 1, 0x80000001, 0x7F7FFFFF, 0x7F800000 };
	unsigned kind = next_random(random) % 4;
	for (unsigned l = 0; l < MX_LANES; l++) {
		for (unsigned r = 0; r < REGS; r++) {
			x->a[r][l] = draw_codes(kind, random);
			x->b[r][l] = draw_codes(kind, random);
		}
		for (unsigned r = 0; r < RESULTS; r++)
			x->c[r][l] =
				next_random(random) % 8
					? 0x3A000000 + (uint32_t)(next_random(random) & 0x87FFFFFF)
					: hard[next_random(random) % 6];
		for (unsigned i = 0; i < 4; i++)
			x->scales[i / 2][i % 2][l] =
				0x77797876 + 0x01010101 * (uint32_t)(next_random(random) % 8);
	}
}

static mx_status run_scaled(struct registers *x, const mx_profile *p, uint64_t *random) {
	struct mx_mma_args g = { p,
		                 next_random(random) % 2,
		                 next_random(random) % MX_FORMATS,
		                 next_random(random) % MX_FORMATS,
		                 (const uint32_t(*)[MX_LANES])x->a,
		                 (const uint32_t(*)[MX_LANES])x->b,
		                 (const uint32_t(*)[MX_LANES])x->c,
		                 (const uint8_t *)x->scales[0],
		                 (const uint8_t *)x->scales[1],
		                 x->fast,
		                 .clamp = next_random(random) % 4 == 0,
		                 .scale_format_a = next_random(random) % MX_SCALE_FORMATS,
		                 .scale_format_b = next_random(random) % MX_SCALE_FORMATS,
		                 .block = next_random(random) % 2 ? 16 : 0 };
	mx_status s = mx_mma_scaled(&g);
	g.d = x->plain;
	return s ? s : mx_mma_scaled_plain(&g);
}

static mx_status run_dense(struct registers *x, const mx_profile *p, uint64_t *random) {
	size_t n = 0;
	while (mx_dense_at(n))
		n++;
	const struct mx_dense *op = mx_dense_at(next_random(random) % n);
	struct mx_dense_args g = { .op = op,
		                   .profile = mx_dense_profile(op, p),
		                   .a = (const uint32_t(*)[MX_LANES])x->a,
		                   .b = (const uint32_t(*)[MX_LANES])x->b,
		                   .c = (const uint32_t(*)[MX_LANES])x->c,
		                   .d = x->fast,
		                   .clamp = next_random(random) % 4 == 0 };
	mx_status s = mx_mma_dense(&g);
	g.d = x->plain;
	return s ? s : mx_mma_dense_plain(&g);
}

static mx_status run_wmma(struct registers *x, const mx_profile *p, uint64_t *random) {
	size_t n = 0;
	while (mx_wmma_at(n))
		n++;
	uint32_t index[2][MX_LANES];
	memset(index, 0x9c, sizeof index); /* pairs that ascend */
	const struct mx_wmma *op = mx_wmma_at(next_random(random) % n);
	struct mx_wmma_args g = { .op = op,
		                  .profile = mx_wmma_profile(op, p),
		                  .index = (const uint32_t(*)[MX_LANES])index,
		                  .c = (const uint32_t(*)[MX_LANES])x->c,
		                  .d = x->fast };
	for (unsigned i = 0; i < 2; i++)
		g.ab[i] = (struct mx_wmma_operand){
			.regs = (const uint32_t(*)[MX_LANES])(i ? x->b : x->a),
			.format = g.op->ab[i] == MX_T_FP4 ? MX_E2M1
			                                  : next_random(random) % MX_FORMATS,
			.scales = (const uint32_t(*)[MX_LANES])x->scales[i],
			.scale_format = next_random(random) % MX_SCALE_FORMATS,
		};
	mx_status s = mx_mma_wmma(&g);
	g.d = x->plain;
	return s ? s : mx_mma_wmma_plain(&g);
}

static void test_instructions(const char *name,
                              mx_status (*run)(struct registers *, const mx_profile *, uint64_t *),
                              unsigned rounds) {
	static struct registers x;
	uint64_t random = rounds;
	unsigned wrong = 0;
	for (unsigned t = 0; t < rounds && !wrong; t++) {
		mx_profile p = draw_member(128, &random);
		draw_registers(&x, &random);
		memset(x.fast, 0, sizeof x.fast);
		memset(x.plain, 0, sizeof x.plain);
		wrong += run(&x, &p, &random) != MX_OK;
		for (unsigned i = 0; i < RESULTS * MX_LANES && !wrong; i++) {
			unsigned r = i / MX_LANES, l = i % MX_LANES;
			if (x.fast[r][l] != x.plain[r][l] && ++wrong) {
				diag("round %u, register %u, lane %u: 0x%08X, plain 0x%08X", t, r,
				     l, x.fast[r][l], x.plain[r][l]);
				print_member("the member", &p);
			}
		}
	}
	ok(!wrong, "%s: fast and plain agree under %u profiles", name, rounds);
}

/* ---- products ---- */

enum { M = 3, N = 10, K = 200, BLOCKS = 7, ROWS = M + N, TILE = 384 };

/* M rows of A, then N of B: 8-bit elements, and two instructions of zeros up to TILE. */
struct matrices {
	mx_elem elem[ROWS][TILE];
	uint8_t code[ROWS][K];
	mx_e8m0 scale[ROWS][TILE / MX_BLOCK];
	uint8_t scale_bytes[ROWS][BLOCKS];
};

/* Moderate numbers; numbers near 1 or -1, which cancel; zeros of both signs; results near the least
 * and the largest; wide exponents. */
static void draw(struct matrices *x, uint64_t *random) {
	static const uint8_t keep[] = { 0xBF, 0x81, 0x80, 0xBF, 0xBF, 0xBF },
			     base[] = { 120, 124, 120, 52, 186 };
	unsigned kind = next_random(random) % 6;
	memset(x, 0, sizeof *x);
	for (unsigned i = 0; i < ROWS; i++)
		for (unsigned k = 0; k < K; k++) {
			bool nan = next_random(random) % 2000 == 0;
			x->code[i][k] = (uint8_t)next_random(random) & (nan ? 0xFF : keep[kind]);
			x->code[i][k] |= kind == 1 ? 0x38 : 0;
			x->elem[i][k].v = x->code[i][k];
			x->scale[i][k / MX_BLOCK].v = x->scale_bytes[i][k / MX_BLOCK] =
				(uint8_t)(kind < 5 ? base[kind] + k / MX_BLOCK
			                           : 100 + next_random(random) % 56);
		}
}

static uint32_t dot_of(const struct matrices *x, const mx_profile *p, unsigned i, unsigned j,
                       unsigned mma_k) {
	mx_f32 acc = { 0 };
	for (unsigned k = 0; k < TILE; k += mma_k)
		mx_mma_dot(p, MX_E4M3, MX_E5M2, mma_k, x->elem[i] + k, x->scale[i] + k / MX_BLOCK,
		           x->elem[M + j] + k, x->scale[M + j] + k / MX_BLOCK, acc, &acc);
	return acc.v;
}

static struct exact_operand operand(const struct matrices *x, const char *format, unsigned row) {
	return (struct exact_operand){ format, x->code[row], x->scale_bytes[row], K, BLOCKS };
}

static void test_products(unsigned members, unsigned mma_k) {
	uint64_t random = mma_k;
	unsigned wrong = 0;
	struct matrices x;
	for (unsigned t = 0; t < members; t++) {
		uint32_t got[M * N];
		mx_profile p = draw_member(mma_k, &random);
		struct exact_member member = member_of(&p);
		draw(&x, &random);
		struct exact_gemm g = { M, N, K, operand(&x, "E4M3", 0), operand(&x, "E5M2", M) };
		g.k_tile = TILE;
		g.threads = 2;
		wrong += exact_member_product(&g, &member, mma_k, got) != EXACT_OK;
		for (unsigned i = 0; i < M * N; i++)
			wrong += got[i] != dot_of(&x, &p, i / N, i % N, mma_k);
	}
	ok(!wrong, "products by instructions of %u, zeros up to %u, under %u profiles", mma_k, TILE,
	   members);
}

/* Rows of A are loaded 512 at a time. */
static void test_many_rows(void) {
	enum { MANY = 1030 };
	static uint8_t code[MANY][MX_BLOCK], scale[MANY][1];
	static mx_elem elem[MANY][MX_BLOCK];
	static uint32_t got[MANY * N];
	const mx_profile *p = mx_profile_by_name("cdna3");
	struct exact_member member = member_of(p);
	const mx_e8m0 one = { 127 };
	uint64_t random = MANY;
	unsigned wrong = 0;
	for (unsigned i = 0; i < MANY; i++)
		for (unsigned k = 0; k < MX_BLOCK; k++)
			elem[i][k].v = code[i][k] = (uint8_t)next_random(&random) & 0xBF;
	memset(scale, 127, sizeof scale);
	struct exact_operand all = { "E4M3", code[0], scale[0], MX_BLOCK, 1 };
	struct exact_gemm g = { MANY, N, MX_BLOCK, all, all };
	g.threads = 2;
	need(!exact_member_product(&g, &member, MX_BLOCK, got), "a product of many rows");
	for (unsigned i = 0; i < MANY * N; i++) {
		mx_f32 d;
		mx_mma_dot(p, MX_E4M3, MX_E4M3, MX_BLOCK, elem[i / N], &one, elem[i % N], &one,
		           (mx_f32){ 0 }, &d);
		wrong += got[i] != d.v;
	}
	ok(!wrong, "products of %u rows", MANY);
}

/* ---- the exact regime ---- */

/* Whether products in the regime, the smallest of them 2^-2 or 2^-149, are exact. */
static bool is_exact(const struct exact_member *member, bool small, uint64_t *random) {
	static uint8_t code[2][M][128], scale[2][M][4];
	uint32_t got[M * M], want[M * M];
	bool holds = false;
	for (size_t i = 0; i < sizeof code; i++)
		(&code[0][0][0])[i] = (uint8_t)next_random(random);
	memset(scale[0], small ? 60 : 127, sizeof scale[0]);
	memset(scale[1], small ? 47 : 127, sizeof scale[1]);
	struct exact_gemm g = { M,
		                M,
		                128,
		                { "E2M1", code[0][0], scale[0][0], 128, 4 },
		                { "E2M1", code[1][0], scale[1][0], 128, 4 } };
	need(!exact_regime(&g, &holds, NULL, 0) && holds && !exact_product(&g, want) &&
	             !exact_member_product(&g, member, 128, got),
	     "data in the regime");
	return !memcmp(got, want, sizeof got);
}

static void test_regime(unsigned members) {
	uint64_t random = 1;
	unsigned kept = 0, differ = 0, wrong = 0;
	for (unsigned t = 0; t < members; t++) {
		mx_profile p = draw_member(128, &random);
		struct exact_member member = member_of(&p);
		bool keeps = exact_member_keeps_regime(&member),
		     exact = is_exact(&member, next_random(&random) % 2, &random);
		kept += keeps;
		differ += !keeps && !exact;
		wrong += keeps && !exact;
	}
	ok(kept && differ && !wrong, "the exact regime: %u of %u profiles keep it, %u give others",
	   kept, members, differ);
	for (unsigned low = 120; low < 130; low++) {
		struct exact_member m = {
			.group = 64, .parts = 1, .align = 24, .low = low, .dot = 24, .acc = 24
		};
		wrong += exact_member_keeps_regime(&m) != (low >= 125) ||
		         is_exact(&m, true, &random) != (low >= 125);
	}
	ok(!wrong, "  low and align reach 149");
}

int main(void) {
	static const char *const names[] = {
		"mma_m16n8k32_e4m3",      "mma_m16n8k16_bf16",
		"mma_m16n8k8_tf32",       "v_mfma_f32_16x16x32_f16",
		"v_mfma_f32_16x16x4_f32", "v_mfma_scale_f32_16x16x128_f8f6f4_E5M2_E2M1"
	};
	struct mx_probe_insn insn;
	unsigned members = is_long() ? 2000 : 40;
	for (size_t i = 0; mx_probe_insn_at(i, &insn); i++)
		for (size_t j = 0; j < sizeof names / sizeof *names; j++)
			if (!strcmp(insn.name, names[j]))
				test_members(&insn, members, 400);
	test_f32(members);
	test_instructions("scaled MFMAs", run_scaled, 2 * members);
	test_instructions("dense MFMAs", run_dense, 2 * members);
	test_instructions("WMMAs", run_wmma, 2 * members);
	test_products(members, 64);
	test_products(members, 128);
	test_many_rows();
	test_regime(4 * members);
	return done_testing();
}
