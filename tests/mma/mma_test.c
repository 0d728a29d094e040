/* ref/mma against its definition: MPFR evaluates each dot, formats and layouts are
 * typed again here, and the fast instruction must give the bits of the plain one. */
#include "judge.h"

#include <fenv.h>

static const struct {
	const char *name;
	unsigned group;
} profiles[] = { { "block32", 32 }, { "fused", 0 }, { "fma32", 1 }, { "cdna3", 16 } };
enum { PROFILES = 3 }; /* of exact sums, which this judge supports */

/* ---- the plain dot ---- */

static void test_dots(int profile) {
	int bad = 0, n = 0, finite = 0;
	for (int pair = 0; pair < FORMATS * FORMATS; pair++)
		for (int i = 0; i < times(80); i++, n++) {
			struct dot x = { .fa = pair / FORMATS,
				         .fb = pair % FORMATS,
				         .K = 32u << i % 4 };
			random_dot(&x, any_regime());
			uint32_t got = run(profiles[profile].name, &x);
			uint32_t want = judge(profiles[profile].group, &x);
			finite += (want & 0x7F800000) != 0x7F800000 && want << 1;
			if (got != want && !bad++)
				diag("first wrong: %s x %s, K %u, c %08x: got %08x, exact %08x",
				     specs[x.fa].name, specs[x.fb].name, x.K, x.c.v, got, want);
		}
	ok(!bad, "%s: %d random dots of all format pairs equal those of MPFR",
	   profiles[profile].name, n);
	ok(finite > n / 4, "%s: at least a quarter of those results are finite and not zero",
	   profiles[profile].name);
}

static void check_bits(uint32_t got, uint32_t want, const char *sentence) {
	if (!ok(got == want, "%s", sentence))
		diag("got %08x, want %08x", got, want);
}

static void test_special_values(void) {
	struct dot x = dot_of(1, 1, 64, 0, (struct term[]){ { 3, INFINITY, -2 } }, 1);
	check_bits(run("block32", &x), 0xFF800000, "infinity times -2 is -infinity");
	x.c.v = 0x7F800000;
	check_bits(run("fused", &x), NAN32, "infinity minus infinity is NaN");
	x.c.v = 0xFF800000;
	check_bits(run("fused", &x), 0xFF800000, "-infinity plus -infinity is -infinity");
	x.b[3].v = 0x80;
	check_bits(run("block32", &x), NAN32, "infinity times zero is NaN");
	x = dot_of(4, 4, 64, 0x3F800000, NULL, 0);
	check_bits(run("block32", &x), 0x3F800000, "zeros do not change the accumulator");
	x.sb[1].v = 0xFF;
	check_bits(run("block32", &x), NAN32, "a NaN scale makes a block of zeros NaN");
	check_bits(run("fused", &x), NAN32, "and also for all of K at once");
	x = dot_of(4, 4, 32, 0xFFFFFFFF, NULL, 0);
	check_bits(run("block32", &x), NAN32, "a NaN accumulator gives the NaN 7fc00000");
	x = dot_of(0, 0, 32, 0, (struct term[]){ { 0, 1, 1 } }, 1);
	x.a[5].v = 0xFF;
	check_bits(run("block32", &x), NAN32, "an E4M3 NaN times zero is NaN");
	x = dot_of(1, 1, 32, 0, (struct term[]){ { 0, 57344, -57344 } }, 1);
	memset(x.sa, 0xFE, sizeof x.sa);
	check_bits(run("block32", &x), 0xFF800000, "overflow is infinity, signed");
}

/* 1 * 1 at each k of 32, with scales of A for blocks of 16, and 2^0 of B for its 32. */
static uint32_t sum_by_scales(mx_scale_format f, uint8_t low, uint8_t high, const char *profile) {
	static const uint8_t one = 0x78;
	mx_elem codes[32];
	const uint8_t scales[2] = { low, high };
	const struct mx_dot_operand a = { MX_E2M1, codes, f, 16, scales };
	const struct mx_dot_operand b = { MX_E2M1, codes, MX_S_E5M3, 32, &one };
	mx_f32 d = { 0xBAD };
	memset(codes, 2, sizeof codes);
	mx_mma_block_dot(mx_profile_by_name(profile), 32, &a, &b, (mx_f32){ 0 }, &d);
	return d.v;
}

static void test_scale_formats(void) {
	static const struct {
		mx_scale_format f;
		uint8_t low, high;
		float want;
	} rows[] = {
		{ MX_S_E5M3, 0x7C, 0x81, 16 * (1.5f + 2.25f) },
		{ MX_S_E5M3, 0x01, 0x00, 16 * 0x1p-17f },
		{ MX_S_E5M3, 0xFE, 0x78, 16 * (114688 + 1.f) },
		{ MX_S_E4M3, 0x3A, 0xBC, 16 * (1.25f - 1.5f) },
		{ MX_S_E8M0, 0x7E, 0x81, 16 * (0.5f + 4) },
	};
	unsigned wrong = 0;
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
		wrong += sum_by_scales(rows[i].f, rows[i].low, rows[i].high, "block32") !=
		         bits_of(rows[i].want);
	ok(!wrong, "scales multiply by their value, blocks of 16 each by their own");
	ok(sum_by_scales(MX_S_E5M3, 0x78, 0xFF, "fused") == NAN32 &&
	           sum_by_scales(MX_S_E4M3, 0x7F, 0x38, "fma32") == NAN32,
	   "a scale that is NaN makes the sum NaN");
}

static void test_zero_signs(void) {
	struct dot x = dot_of(4, 4, 64, 0x80000000, NULL, 0);
	check_bits(run("block32", &x), 0, "-0 plus products of +0 is +0");
	memset(x.a, 0x8, sizeof x.a);
	check_bits(run("block32", &x), 0x80000000, "-0 plus products of -0 alone is -0");
	x.c.v = 0;
	check_bits(run("fused", &x), 0, "+0 plus products of -0 is +0");
	x.c.v = 0x80000000;
	x.a[63].v = 0;
	check_bits(run("fused", &x), 0, "with one product of +0 it is +0");
	x = dot_of(4, 4, 32, 0xBF800000, (struct term[]){ { 9, 1, 1 } }, 1);
	check_bits(run("block32", &x), 0, "1 - 1 is +0");
	x = dot_of(1, 1, 32, 0x80000000, (struct term[]){ { 0, 0x1p-16, -0x1p-16 } }, 1);
	memset(x.sa, 0, sizeof x.sa);
	check_bits(run("block32", &x), 0x80000000, "a negative sum too small for f32 is -0");
}

/* The ends of the accumulator: +-2^32 * 2^254 cancels, and 2^-286 decides a tie. */
static void test_wide_range(void) {
	struct dot x = dot_of(1, 1, 96, 0x3F800000,
	                      (struct term[]){ { 0, 57344, 57344 },
	                                       { 31, -57344, 57344 },
	                                       { 32, 0x1p-12, 0x1p-12 },
	                                       { 64, 0x1p-16, 0x1p-16 } },
	                      4);
	x.sa[0].v = x.sb[0].v = 0xFE;
	x.sa[2].v = x.sb[2].v = 0;
	check_bits(run("fused", &x), 0x3F800001, "1 + 2^-24 + 2^-286 is rounded up");
	x.a[64].v |= 0x80;
	check_bits(run("fused", &x), 0x3F800000, "1 + 2^-24 - 2^-286 is rounded down");
	x.a[64].v = 0;
	check_bits(run("fused", &x), 0x3F800000, "1 + 2^-24 is a tie and goes to even");
	x.c.v = 0x3F800001;
	check_bits(run("fused", &x), 0x3F800002, "1 + 2^-23 + 2^-24 is a tie and goes to even");
}

static void test_largest_sum(void) {
	struct dot x = { .fa = MX_E5M2, .fb = MX_E5M2, .K = 256 };
	memset(x.sa, 0xFE, sizeof x.sa);
	memset(x.sb, 0xFE, sizeof x.sb);
	for (unsigned k = 0; k < x.K; k++) {
		x.a[k] = code_of(x.fa, 57344);
		x.b[k] = code_of(x.fb, 49152);
	}
	check_bits(run("fused", &x), 0x7F800000, "256 products of 2^285 and more do not wrap");
}

/* ---- the exact regime ---- */

/* All formats have these values; with scales of 2^-1 to 2^1, products are multiples of
 * 2^-4 up to 2^6, and sums with c stay below 2^14. */
static const double small[] = { 0, 0.5, 1, 1.5, 2, 3, 4 };

static double regime_dot(struct dot *x) {
	double c = (double)(rng() % 16384) / 16 - 512, exact = c;
	x->c.v = bits_of(c);
	for (unsigned i = 0; i < x->K / 32; i++) {
		x->sa[i].v = 126 + rng() % 3;
		x->sb[i].v = 126 + rng() % 3;
	}
	for (unsigned k = 0; k < x->K; k++) {
		double a = small[rng() % 7] * (rng() % 2 ? -1 : 1), b = small[rng() % 7];
		x->a[k] = code_of(x->fa, a);
		x->b[k] = code_of(x->fb, b);
		exact += ldexp(a * b, x->sa[k / 32].v + x->sb[k / 32].v - 254);
	}
	return exact;
}

static void test_exact_regime(void) {
	int bad = 0, n = 0;
	for (int pair = 0; pair < FORMATS * FORMATS; pair++)
		for (int i = 0; i < 40; i++, n++) {
			struct dot x = { .fa = pair / FORMATS, .fb = pair % FORMATS, .K = 128 };
			uint32_t want = bits_of(regime_dot(&x));
			uint32_t block = run("block32", &x), fused = run("fused", &x);
			if ((block != want || fused != want) && !bad++)
				diag("first wrong: %s x %s: block32 %08x, fused %08x, exact %08x",
				     specs[x.fa].name, specs[x.fb].name, block, fused, want);
		}
	ok(!bad, "in the exact regime block32 and fused give the exact sum, %d times", n);
}

static void test_outside_regime(void) {
	struct dot x =
		dot_of(4, 4, 64, 0x4B800000, (struct term[]){ { 0, 1, 1 }, { 32, 1, 1 } }, 2);
	check_bits(run("block32", &x), 0x4B800000,
	           "block32: 2^24 + 1 + 1 loses both ones, tie by tie");
	check_bits(run("fused", &x), 0x4B800001, "fused: 2^24 + 1 + 1 is 2^24 + 2");
	int differ = 0;
	for (int i = 0; i < 200; i++) {
		struct dot y = { .fa = MX_E4M3, .fb = MX_E4M3, .K = 128 };
		random_dot(&y, (struct regime){ FINITE_CODES, NEAR_ONE, NEAR_DOT });
		differ += run("block32", &y) != run("fused", &y);
	}
	ok(differ > 20, "outside it block32 and fused differ on %d of 200 random dots", differ);
}

/* ---- layouts ---- */

static void test_operand_layout(int shape, int f) {
	uint8_t seen[2048] = { 0 };
	unsigned mn, k, twice = 0, wrong = 0;
	for (unsigned lane = 0; lane < 64; lane++)
		for (unsigned j = 0; j < 32; j++) {
			mx_layout_operand(shape, f, lane, j, &mn, &k);
			if (mn >= mn_of(shape) || k >= k_size(shape) ||
			    seen[mn * k_size(shape) + k]++)
				twice++;
			if ((mn != lane % mn_of(shape) || k != k_of(shape, f, lane, j)) && !wrong++)
				diag("first wrong: lane %u, element %u: (%u, %u)", lane, j, mn, k);
		}
	ok(!twice, "%s %s: lanes and elements map to the operand one to one", shape_name(shape),
	   specs[f].name);
	ok(!wrong, "%s %s: every element has the place of the manual's table", shape_name(shape),
	   specs[f].name);
}

static void test_scale_and_result_layout(int shape) {
	uint8_t scales[64] = { 0 }, results[1024] = { 0 };
	unsigned mn = mn_of(shape), x, y, twice = 0;
	for (unsigned lane = 0; lane < 64; lane++) {
		mx_layout_scale(shape, lane, &x, &y);
		twice += x >= mn || y >= k_size(shape) / 32 || scales[x * k_size(shape) / 32 + y]++;
		for (unsigned r = 0; r < mn * mn / 64; r++) {
			mx_layout_result(shape, lane, r, &x, &y);
			twice += x >= mn || y >= mn || results[x * mn + y]++;
		}
	}
	ok(!twice, "%s: scales and results map one to one", shape_name(shape));
}

static void test_layout_by_hand(void) {
	/* shape, format, lane, element, row or column, k */
	static const unsigned operand[][6] = {
		{ MX_16X16X128, MX_E2M1, 17, 5, 1, 37 },
		{ MX_16X16X128, MX_E2M3, 63, 31, 15, 127 },
		{ MX_16X16X128, MX_E4M3, 16, 0, 0, 16 },
		{ MX_16X16X128, MX_E4M3, 0, 16, 0, 64 },
		{ MX_16X16X128, MX_E5M2, 50, 17, 2, 113 },
		{ MX_32X32X64, MX_E2M1, 33, 0, 1, 32 },
		{ MX_32X32X64, MX_E4M3, 33, 0, 1, 16 },
		{ MX_32X32X64, MX_E4M3, 31, 16, 31, 32 },
		{ MX_32X32X64, MX_E5M2, 63, 31, 31, 63 },
	};
	/* shape, lane, register, row, column */
	static const unsigned result[][5] = {
		{ MX_16X16X128, 18, 3, 7, 2 },   { MX_16X16X128, 63, 0, 12, 15 },
		{ MX_32X32X64, 32, 0, 4, 0 },    { MX_32X32X64, 5, 4, 8, 5 },
		{ MX_32X32X64, 63, 15, 31, 31 },
	};
	unsigned x, y, bad = 0;
	for (size_t i = 0; i < sizeof operand / sizeof *operand; i++) {
		const unsigned *o = operand[i];
		mx_layout_operand(o[0], o[1], o[2], o[3], &x, &y);
		bad += x != o[4] || y != o[5];
	}
	ok(!bad, "operand elements picked by hand are in place");
	bad = 0;
	for (size_t i = 0; i < sizeof result / sizeof *result; i++) {
		mx_layout_result(result[i][0], result[i][1], result[i][2], &x, &y);
		bad += x != result[i][3] || y != result[i][4];
	}
	ok(!bad, "result elements picked by hand are in place");
	mx_layout_scale(MX_16X16X128, 35, &x, &y);
	bad = x != 3 || y != 2;
	mx_layout_scale(MX_32X32X64, 35, &x, &y);
	ok(!bad && x == 3 && y == 1, "lane 35 has the scale of row 3, block 2 or 1");
	ok(mx_operand_vgprs(MX_E4M3) == 8 && mx_operand_vgprs(MX_E5M2) == 8 &&
	           mx_operand_vgprs(MX_E2M3) == 6 && mx_operand_vgprs(MX_E3M2) == 6 &&
	           mx_operand_vgprs(MX_E2M1) == 4,
	   "operands take 8, 6 and 4 VGPRs");
}

/* ---- the instruction ---- */

static void test_fast_is_plain(int profile, int shape) {
	int bad = 0, n = 0;
	for (int pair = 0; pair < FORMATS * FORMATS; pair++)
		for (int i = 0; i < times(shape == MX_16X16X128 ? 3 : 1); i++, n++) {
			struct wave w;
			random_wave(&w, pair / FORMATS, pair % FORMATS, any_regime());
			if (!bad)
				bad += first_difference(wave_args(profiles[profile].name, shape,
				                                  pair / FORMATS, pair % FORMATS,
				                                  &w)) >= 0;
		}
	ok(!bad,
	   "%s %s: the fast instruction gives the bits of the plain one, %d random instructions",
	   profiles[profile].name, shape_name(shape), n);
}

/* The dot of one output, gathered from the registers by this test's own layout. */
static unsigned get_bits(uint32_t (*regs)[64], unsigned lane, unsigned at, unsigned bits) {
	unsigned v = 0;
	for (unsigned i = 0; i < bits; i++, at++)
		v |= (regs[at / 32][lane] >> at % 32 & 1) << i;
	return v;
}

static struct dot gather(struct wave *w, int shape, int fa, int fb, unsigned lane, unsigned r) {
	struct dot x = { fa, fb, k_size(shape), .c = { w->c[r][lane] } };
	unsigned MN = mn_of(shape), row = row_of(shape, lane, r), col = lane % MN;
	for (unsigned l = 0; l < 64; l++) {
		for (unsigned j = 0; j < 32; j++) {
			if (l % MN == row)
				x.a[k_of(shape, fa, l, j)].v =
					get_bits(w->a, l, j * specs[fa].bits, specs[fa].bits);
			if (l % MN == col)
				x.b[k_of(shape, fb, l, j)].v =
					get_bits(w->b, l, j * specs[fb].bits, specs[fb].bits);
		}
		if (l % MN == row)
			x.sa[l / MN].v = w->sa[l];
		if (l % MN == col)
			x.sb[l / MN].v = w->sb[l];
	}
	return x;
}

static void test_instruction(int profile, int shape) {
	int bad = 0;
	for (int pair = 0; pair < FORMATS * FORMATS; pair++) {
		int fa = pair / FORMATS, fb = pair % FORMATS;
		struct wave w;
		random_wave(&w, fa, fb, (struct regime){ FINITE_CODES, NEAR_ONE, NEAR_DOT });
		struct mx_mma_args args = wave_args(profiles[profile].name, shape, fa, fb, &w);
		mx_mma_scaled(&args);
		for (int i = 0; i < 40; i++) {
			unsigned lane = rng() % 64, r = rng() % (mn_of(shape) * mn_of(shape) / 64);
			struct dot x = gather(&w, shape, fa, fb, lane, r);
			uint32_t want = judge(profiles[profile].group, &x);
			if (w.d[r][lane] != want && !bad++)
				diag("first wrong: %s x %s, register %u, lane %u: got %08x, exact "
				     "%08x",
				     specs[fa].name, specs[fb].name, r, lane, w.d[r][lane], want);
		}
	}
	ok(!bad, "%s %s: outputs of every format pair, gathered by hand, equal those of MPFR",
	   profiles[profile].name, shape_name(shape));
}

/* ---- no bit lost, no bit rounded twice ---- */

static double largest(int f) {
	int code = (1 << (specs[f].bits - 1)) - 1;
	while (!isfinite(decode(f, code)))
		code--;
	return decode(f, code);
}

/* The longest possible dot: 31 largest products and the smallest. */
static void test_full_width(int profile, int shape) {
	int bad = 0;
	for (int pair = 0; pair < FORMATS * FORMATS; pair++) {
		int fa = pair / FORMATS, fb = pair % FORMATS;
		double most = largest(fa) * largest(fb), least = decode(fa, 1) * decode(fb, 1);
		struct dot x = dot_of(fa, fb, k_size(shape), bits_of(-31 * most), NULL, 0);
		for (int k = 0; k < 32; k++) {
			x.a[k] = k == 16 ? (mx_elem){ 1 } : code_of(fa, largest(fa));
			x.b[k] = k == 16 ? (mx_elem){ 1 } : code_of(fb, largest(fb));
		}
		uint32_t got = run_instruction(profiles[profile].name, shape, &x);
		if (got != bits_of(least) && !bad++)
			diag("first wrong: %s x %s: got %a, exact %a", specs[fa].name,
			     specs[fb].name, as_float(got), least);
	}
	ok(!bad, "%s %s: 31 largest products minus themselves leave the smallest",
	   profiles[profile].name, shape_name(shape));
}

/* Sums of more than 53 bits; the first 53 bits are a tie between two f32. */
static void test_ties_by_hand(void) {
	static const struct {
		double big, small; /* products of E4M3, as squares */
		int negative;      /* the smaller product */
		float c;
		uint32_t want;
	} rows[] = {
		/* dot = 2^16 + 2^-8, a tie; c decides */
		{ 0x1p8, 0x1p-4, 0, 0x1p-100, 0x47800001 },
		{ 0x1p8, 0x1p-4, 0, -0x1p-100, 0x47800000 },
		{ 0x1p8, 0x1p-4, 0, 0, 0x47800000 },
		{ 0x1p8, 0x1p-4, 0, -0x1p-149, 0x47800000 },
		{ 0x1p8, 0x1p-4, 0, 0x1p-149, 0x47800001 },
		/* below a power of two: 2^16 - 2^-9 is a tie between 2^16 - 2^-8 and 2^16 */
		{ 0x1p8, 0, 0, -0x1p-9, 0x47800000 },
		/* c + 2^16 is a tie; +-2^-18 decides */
		{ 0x1p8, 0x1p-9, 0, 0x1p40, 0x53800001 },
		{ 0x1p8, 0x1p-9, 1, 0x1p40, 0x53800000 },
		{ 0x1p8, 0, 0, 0x1p40, 0x53800000 },
		{ 0x1p8, 0x1p-9, 1, 0x1p40 + 0x1p17, 0x53800001 },
		{ 0x1p8, 0, 0, 0x1p40 + 0x1p17, 0x53800002 },
		{ 0x1p8, 0x1p-9, 0, -0x1p40 - 0x1p17, 0xD3800000 },
		{ 0x1p8, 0x1p-9, 1, -0x1p40 - 0x1p17, 0xD3800001 },
	};
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		double s = rows[i].small;
		struct term t[] = { { 0, rows[i].big, rows[i].big },
			            { 1, rows[i].negative ? -s : s, s } };
		struct dot x = dot_of(MX_E4M3, MX_E4M3, 128, bits_of(rows[i].c), t, 2);
		uint32_t got = run_instruction("block32", MX_16X16X128, &x);
		if (!ok(got == rows[i].want, "2^%g %c 2^%g %+a is rounded once",
		        2 * log2(rows[i].big), rows[i].negative ? '-' : '+', 2 * log2(s),
		        rows[i].c))
			diag("got %08x, want %08x", got, rows[i].want);
	}
}

/* c + 2^16 +- 2^-18 or so, in all magnitudes and signs, on and beside ties. */
static void test_random_ties(int profile, int shape) {
	static const int formats[][2] = { { 0, 0 }, { 0, 1 }, { 1, 1 }, { 1, 3 }, { 2, 1 } };
	int bad = 0;
	for (int i = 0; i < times(400); i++) {
		int fa = formats[i % 5][0], fb = formats[i % 5][1];
		struct term t[] = { { 0, 2, rng() % 2 ? 2 : -2 },
			            { 1, 0.5, ldexp(rng() % 2 ? 1 : -1, -(int)(rng() % 4)) } };
		struct dot x = dot_of(fa, fb, k_size(shape), 0, t, rng() % 8 ? 2 : 1);
		int top = rng() % 110 + 70;
		uint32_t man = rng() % 4 | (rng() % 4 ? 0 : 0x7FFFFC);
		/* 4 * 2^scale is half a unit in the last place of c; block 1 repeats the small one.
		 */
		x.c.v = (uint32_t)rng() << 31 | (uint32_t)top << 23 | man;
		x.sa[0].v = top - 26 + rng() % 3 - 1;
		x.a[32] = x.a[1];
		x.b[32] = x.b[1];
		x.sa[1].v = rng() % x.sa[0].v;
		uint32_t got = run_instruction(profiles[profile].name, shape, &x);
		uint32_t want = judge(profiles[profile].group, &x);
		if (got != want && !bad++)
			diag("first wrong: %s x %s, c %08x, scales %d %d: got %08x, exact %08x",
			     specs[fa].name, specs[fb].name, x.c.v, x.sa[0].v, x.sa[1].v, got,
			     want);
	}
	ok(!bad, "%s %s: sums on and beside ties are rounded once", profiles[profile].name,
	   shape_name(shape));
}

/* Groups shorter than a block, across blocks, and longer than K. */
static void test_other_groups(void) {
	static const unsigned groups[] = { 1, 16, 48, 64, 96, 512 };
	int wrong = 0, differ = 0;
	for (int i = 0; i < 600; i++) {
		mx_profile p = { "group", .group = groups[i % 6], .parts = 1 };
		struct dot x = { .fa = rng() % FORMATS, .fb = rng() % FORMATS, .K = 128 };
		random_dot(&x, any_regime());
		mx_f32 got = dot_under(&p, &x);
		wrong += got.v != judge(p.group, &x);
		if (i < 36) {
			struct wave w;
			random_wave(&w, x.fa, x.fb, any_regime());
			struct mx_mma_args args = wave_args("block32", i / 6 % 2, x.fa, x.fb, &w);
			args.profile = &p;
			differ += first_difference(args) >= 0;
		}
	}
	ok(!wrong, "groups of 1, 16, 48, 64, 96 and all elements are summed as MPFR does");
	ok(!differ, "the fast instruction gives the bits of the plain one for such groups");
}

/* The host program's rounding mode, and on x86 its flushing of subnormals. */
static void test_environment(void) {
	static const int modes[] = { FE_UPWARD, FE_DOWNWARD, FE_TOWARDZERO };
	int differ = 0;
	for (int i = 0; i < 60; i++) {
		uint32_t want[16][64];
		struct wave w;
		fesetround(FE_TONEAREST);
		random_wave(&w, i % FORMATS, MX_E2M1,
		            (struct regime){ FINITE_CODES, ANY_SCALE, SUBNORMAL });
		struct mx_mma_args args =
			wave_args("block32", MX_16X16X128, i % FORMATS, MX_E2M1, &w);
		mx_mma_scaled(&args);
		memcpy(want, w.d, sizeof want);
		if (i % 4 < 3)
			fesetround(modes[i % 4]);
#ifdef __SSE__
		unsigned csr = __builtin_ia32_stmxcsr();
		__builtin_ia32_ldmxcsr(i % 4 < 3 ? csr : csr | 0x8040); /* FTZ and DAZ */
#endif
		mx_mma_scaled(&args);
#ifdef __SSE__
		__builtin_ia32_ldmxcsr(csr);
#endif
		differ += memcmp(want, w.d, sizeof want) != 0;
	}
	fesetround(FE_TONEAREST);
	ok(!differ, "the caller's floating-point environment changes no bit");
}

static void test_profiles(void) {
	for (int i = 0; i < PROFILES; i++) {
		const mx_profile *p = mx_profile_by_name(profiles[i].name);
		ok(p && p == mx_profile_at(i) && p->group == profiles[i].group && *p->source,
		   "profile %s sums %u elements at once and names its source", profiles[i].name,
		   profiles[i].group);
	}
	ok(!mx_profile_by_name("block"), "there is no profile block");
}

int main(void) {
	test_profiles();
	test_special_values();
	test_scale_formats();
	test_zero_signs();
	test_wide_range();
	test_largest_sum();
	test_exact_regime();
	test_outside_regime();
	test_layout_by_hand();
	for (int shape = 0; shape < 2; shape++) {
		for (int f = 0; f < FORMATS; f++)
			test_operand_layout(shape, f);
		test_scale_and_result_layout(shape);
	}
	test_ties_by_hand();
	for (int profile = 0; profile < PROFILES; profile++) {
		test_dots(profile);
		for (int shape = 0; shape < 2; shape++) {
			if (profiles[profile].group != 1)
				test_full_width(profile, shape);
			test_random_ties(profile, shape);
			test_instruction(profile, shape);
			test_fast_is_plain(profile, shape);
		}
	}
	for (int shape = 0; shape < 2; shape++)
		test_fast_is_plain(PROFILES, shape);
	test_other_groups();
	test_environment();
	return done_testing();
}
