/* The profiles: their fields, the inputs where they agree, and inputs that distinguish them. */
#include "../../ref/mma/family.h"
#include "judge.h"

static const char *const names[] = { "block32", "fused", "fma32", "cdna3" };
enum { PROFILES = 4 };

/* ---- fields ---- */

static void test_fields(void) {
	/* group, parts, align, join, dot, acc, drop, norm, limit */
	static const struct {
		const char *name;
		unsigned field[9];
	} rows[] = {
		{ "block32", { 32, 1 } },
		{ "fused", { 0, 1 } },
		{ "fma32", { 1, 1 } },
		{ "cdna3", { 16, 2, 24, 24, 32, 24, 25, 0, 128 } },
		{ "cdna3_half", { 8, 1, 24, 0, 32, 24, 0, 31, 128 } },
	};
	enum { ROWS = sizeof rows / sizeof *rows };
	for (size_t i = 0; i < ROWS; i++) {
		const mx_profile *p = mx_profile_at(i);
		unsigned fields[] = { p->group, p->parts, p->align, p->join, p->dot,
			              p->acc,   p->drop,  p->norm,  p->limit };
		const mx_evidence *why = &p->why.group;
		int unsourced = !p->source;
		for (int f = 0; f < 9; f++)
			unsourced += !why[f].source || !*why[f].source;
		ok(!strcmp(p->name, rows[i].name) && p == mx_profile_by_name(rows[i].name) &&
		           !memcmp(fields, rows[i].field, sizeof fields),
		   "profile %s has the fields of its definition", rows[i].name);
		ok(!unsourced, "profile %s has a source for each field", rows[i].name);
		ok(mx_profile_check(p) == MX_OK && p->fidelity == MX_ASSUMED,
		   "profile %s can be used, and is assumed on gfx950", rows[i].name);
	}
	ok(!mx_profile_at(ROWS), "there are no other profiles");
}

static void test_check(void) {
	static const struct {
		unsigned field[9];
		bool good;
	} rows[] = {
		{ { 32, 1 }, true },
		{ { 0, 1 }, true },
		{ { 48, 1 }, true },
		{ { 32, 0 }, false },
		{ { 32, 2 }, false },
		{ { 32, 1, 0, 24 }, false },
		{ { 32, 1, 0, 0, 0, 0, 0, 0, 128 }, false },
		{ { 16, 2, 24, 24, 32, 24 }, true },
		{ { 128, 1, 40, 0, 40, 40, 60, 60, 1 }, true },
		{ { 0, 1, 24, 0, 32, 24 }, false },
		{ { 129, 1, 24, 0, 32, 24 }, false },
		{ { 16, 1, 41, 0, 32, 24 }, false },
		{ { 16, 1, 24, 24, 32, 24 }, false },
		{ { 16, 2, 24, 0, 32, 24 }, false },
		{ { 16, 3, 24, 24, 32, 24 }, false },
		{ { 16, 1, 24, 0, 0, 24 }, false },
		{ { 16, 1, 24, 0, 32, 0 }, false },
		{ { 16, 1, 24, 0, 32, 24, 61 }, false },
		{ { 16, 1, 24, 0, 32, 24, 0, 61 }, false },
	};
	int wrong = 0;
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		const unsigned *f = rows[i].field;
		mx_profile p = { "a user's", f[0], f[1], f[2], f[3], f[4], f[5], f[6], f[7], f[8] };
		mx_status want = rows[i].good ? MX_OK : MX_BAD_PROFILE;
		if (mx_profile_check(&p) != want && !wrong++)
			diag("first wrong: row %zu", i);
	}
	ok(!wrong, "fields that contradict each other are refused, others accepted");
	ok(mx_profile_check(NULL) == MX_BAD_POINTER, "a null profile is a bad pointer");
}

/* ---- agreement in the exact regime ---- */

/* An element or an accumulator: odd * 2^unit, with exponent top in the datapath. */
struct number {
	int unit, top;
	double value;
};

static struct number number_of(double x, int least) {
	int top = x ? ilogb(x) : 0, unit = top;
	while (x && fmod(ldexp(x, -unit), 1))
		unit--;
	return (struct number){ unit, x && top < least ? least : top, x };
}

static int least_normal(int f) {
	return 1 - specs[f].bias;
}

/* Codes from a window of exponents, a third of them zeros, so that sums stay short. All
 * positions of the window are equally frequent, subnormals included. */
static int window_code(int f, int low) {
	int sign = 1 << (specs[f].bits - 1), code;
	int field = low + rng() % 3;
	if (rng() % 3 == 0)
		return rng() % 2 ? sign : 0;
	code = field << specs[f].man | rng() % (1 << specs[f].man);
	code %= sign;
	return isfinite(decode(f, code)) ? code | (rng() % 2 ? sign : 0) : 0;
}

struct matrices {
	int fa, fb;
	int a[16][128], b[16][128], sa[16][4], sb[16][4];
	double c[16][16];
};

static void random_matrices(struct matrices *m, struct wave *w) {
	int low_a = rng() % (1 << specs[m->fa].exp), low_b = rng() % (1 << specs[m->fb].exp);
	int scale_a = 20 + rng() % 210, scale_b = 254 - scale_a + (int)(rng() % 60) - 30;
	memset(w, 0, sizeof *w);
	if (scale_b < 1 || scale_b > 250)
		scale_b = 127;
	for (int i = 0; i < 16; i++) {
		for (int k = 0; k < 128; k++) {
			put(w->a, 0, m->fa, i, k, m->a[i][k] = window_code(m->fa, low_a));
			put(w->b, 0, m->fb, i, k, m->b[i][k] = window_code(m->fb, low_b));
		}
		for (int block = 0; block < 4; block++) {
			w->sa[16 * block + i] = m->sa[i][block] = scale_a + rng() % 2;
			w->sb[16 * block + i] = m->sb[i][block] = scale_b + rng() % 2;
		}
	}
}

/* c: zero, or a few units of the products. */
static void random_c(struct matrices *m, struct wave *w) {
	for (unsigned lane = 0; lane < 64; lane++)
		for (unsigned r = 0; r < 4; r++) {
			unsigned i = row_of(0, lane, r), j = lane % 16;
			double p = 0;
			for (int k = 0; k < 128 && !p; k++)
				p = ldexp(decode(m->fa, m->a[i][k]) * decode(m->fb, m->b[j][k]),
				          m->sa[i][k / 32] + m->sb[j][k / 32] - 254);
			float c = rng() % 3 ? p * (int)(rng() % 64 - 32) : 0;
			m->c[i][j] = isfinite(c) ? c : 0;
			w->c[r][lane] = bits_of(m->c[i][j]);
		}
}

/* The conditions of design and oracle/exact/exact.h, and the sum, exact in units of 2^q. */
static bool in_regime(const struct matrices *m, int i, int j, double *sum) {
	struct number c = number_of(m->c[i][j], -126);
	int q = c.value ? c.unit : 10000, top = -10000;
	double total = fabs(c.value);
	*sum = c.value;
	for (int k = 0; k < 128; k++) {
		double x = decode(m->fa, m->a[i][k]), y = decode(m->fb, m->b[j][k]);
		int scale = m->sa[i][k / 32] + m->sb[j][k / 32] - 254;
		if (!x || !y)
			continue;
		struct number a = number_of(x, least_normal(m->fa));
		struct number b = number_of(y, least_normal(m->fb));
		int unit = a.unit + b.unit + scale;
		q = unit < q ? unit : q;
		top = a.top + b.top + scale > top ? a.top + b.top + scale : top;
		total += fabs(ldexp(x * y, scale));
		*sum += ldexp(x * y, scale);
	}
	return q >= -149 && (q == 10000 || total < ldexp(1, q + 24)) && total < 0x1p128 &&
	       top <= q + 24;
}

static int disagreements(struct matrices *m, struct wave *w, int *in) {
	int wrong = 0;
	uint32_t d[PROFILES][4][64];
	for (int p = 0; p < PROFILES; p++) {
		struct mx_mma_args args = wave_args(names[p], 0, m->fa, m->fb, w);
		mx_mma_scaled(&args);
		memcpy(d[p], w->d, sizeof d[p]);
	}
	for (unsigned lane = 0; lane < 64; lane++)
		for (unsigned r = 0; r < 4; r++) {
			double sum;
			if (!in_regime(m, row_of(0, lane, r), lane % 16, &sum))
				continue;
			*in += 1;
			for (int p = 0; p < PROFILES; p++)
				if (d[p][r][lane] != bits_of(sum) && !wrong++)
					diag("first wrong: %s, %s x %s, register %u, lane %u: got "
					     "%08x, "
					     "exact %08x",
					     names[p], specs[m->fa].name, specs[m->fb].name, r,
					     lane, d[p][r][lane], bits_of(sum));
		}
	return wrong;
}

static void test_agreement(void) {
	static int held[FORMATS * FORMATS];
	int wrong = 0, n = 0, least = 1 << 30, wanted = times(40000);
	for (int pair = 0; n < wanted && !wrong; pair = (pair + 1) % (FORMATS * FORMATS)) {
		struct matrices m = { .fa = pair / FORMATS, .fb = pair % FORMATS };
		struct wave w;
		int in = 0;
		random_matrices(&m, &w);
		random_c(&m, &w);
		wrong += disagreements(&m, &w, &in);
		held[pair] += in;
		n += in;
	}
	for (int pair = 0; pair < FORMATS * FORMATS; pair++)
		least = held[pair] < least ? held[pair] : least;
	ok(!wrong, "in the exact regime all four profiles give the exact sum: %d random dots", n);
	ok(least >= wanted / 200, "at least %d of them for each format pair", least);
}

/* ---- inputs that distinguish profiles ---- */

struct listed {
	const char *what;
	float c;
	struct term t[4]; /* E5M2; a product 0 ends the list */
	int scale;        /* of A in block 0, as an exponent */
	uint32_t want[PROFILES];
};

static const struct listed inputs[] = {
	{ "2^24 + 1 + 1 in two blocks: only one sum of all keeps the ones",
	  0x1p24f,
	  { { 0, 1, 1 }, { 32, 1, 1 } },
	  0,
	  { 0x4B800000, 0x4B800001, 0x4B800000, 0x4B800000 } },
	{ "2^24 + 1 + 1 in one block: a chain of FMAs loses them",
	  0x1p24f,
	  { { 0, 1, 1 }, { 1, 1, 1 } },
	  0,
	  { 0x4B800001, 0x4B800001, 0x4B800000, 0x4B800001 } },
	{ "2^16 + 2^-9 - 2^16: cdna3 aligns 2^-9 away",
	  -0x1p16f,
	  { { 0, 0x1p8, 0x1p8 }, { 2, 0x1p-9, 1 } },
	  0,
	  { 0x3B000000, 0x3B000000, 0x3B000000, 0 } },
	{ "2^16 - 2^-9 - 2^16: cdna3 truncates 2^-9 away, in even k",
	  -0x1p16f,
	  { { 0, 0x1p8, 0x1p8 }, { 2, -0x1p-9, 1 } },
	  0,
	  { 0xBB000000, 0xBB000000, 0xBB000000, 0 } },
	{ "2^16 - 2^-9 - 2^16: cdna3 floors -2^-9 to -2^-8, in odd k",
	  -0x1p16f,
	  { { 0, 0x1p8, 0x1p8 }, { 1, -0x1p-9, 1 } },
	  0,
	  { 0xBB000000, 0xBB000000, 0xBB000000, 0xBB800000 } },
	{ "16 - (1 + 2^-23): cdna3 floors the accumulator",
	  -0x1.000002p0f,
	  { { 0, 4, 4 } },
	  0,
	  { 0x41700000, 0x41700000, 0x41700000, 0x416FFFFF } },
	{ "2^27 - 3: cdna3 drops an accumulator of less than 2^2",
	  -3,
	  { { 0, 0x1p8, 0x1p8 } },
	  11,
	  { 0x4D000000, 0x4D000000, 0x4D000000, 0x4D000000 } },
	{ "2^130 - 2^130: to cdna3 infinities, to FMAs the first is one",
	  0,
	  { { 0, 0x1p8, 0x1p8 }, { 2, -0x1p8, 0x1p8 } },
	  114,
	  { 0, 0, 0x7F800000, 0x7FC00000 } },
};
enum { INPUTS = sizeof inputs / sizeof *inputs };

static struct dot listed_dot(const struct listed *l) {
	int n = 0;
	while (n < 4 && l->t[n].a)
		n++;
	struct dot x = dot_of(MX_E5M2, MX_E5M2, 128, bits_of(l->c), l->t, n);
	x.sa[0].v += l->scale;
	return x;
}

static void test_told_apart(void) {
	int apart[PROFILES][PROFILES] = { { 0 } }, pairs = 0;
	for (int i = 0; i < INPUTS; i++) {
		struct dot x = listed_dot(&inputs[i]);
		int wrong = 0;
		for (int p = 0; p < PROFILES; p++) {
			uint32_t plain = run(names[p], &x), fast = run_instruction(names[p], 0, &x);
			if ((plain != inputs[i].want[p] || fast != plain) && !wrong++)
				diag("%s: got %08x, fast %08x, want %08x", names[p], plain, fast,
				     inputs[i].want[p]);
			for (int q = 0; q < p; q++)
				apart[p][q] += inputs[i].want[p] != inputs[i].want[q];
		}
		ok(!wrong, "%s", inputs[i].what);
	}
	for (int p = 0; p < PROFILES; p++)
		for (int q = 0; q < p; q++)
			pairs += apart[p][q] > 0;
	ok(pairs == 6, "these inputs distinguish all six pairs of profiles");
}

/* Results of inputs above with one field of cdna3 changed. */
static void test_fields_count(void) {
	mx_profile p = *mx_profile_by_name("cdna3");
	struct dot x = listed_dot(&inputs[6]);
	p.drop = 0;
	mx_f32 got = dot_under(&p, &x);
	ok(got.v == 0x4CFFFFFF, "without drop, -3 is floored to -8: 2^27 - 8");
	x = listed_dot(&inputs[4]);
	p.parts = 1;
	p.join = 0;
	got = dot_under(&p, &x);
	ok(got.v == 0, "in one part, -2^-9 of an odd k is truncated to 0 too");
	p.align = p.dot = p.acc = 30;
	got = dot_under(&p, &x);
	ok(got.v == 0xBB000000, "30 bits keep it");
	x = listed_dot(&inputs[7]);
	p.limit = 0;
	got = dot_under(&p, &x);
	ok(got.v == 0, "without a limit 2^130 - 2^130 is 0");
	/* 2^24 + 1 + 2^-8: normalised to 31 bits below 2^24 it is no longer above a tie. */
	struct term t[] = { { 0, 1, 1 }, { 2, 0x1p-8, 1 } };
	x = dot_of(MX_E5M2, MX_E5M2, 128, bits_of(0x1p24f), t, 2);
	mx_profile half = { "31", 16, 1, 24, 0, 32, 24, .norm = 31 };
	got = dot_under(&half, &x);
	half.norm = 0;
	mx_f32 all = dot_under(&half, &x);
	ok(got.v == 0x4B800000 && all.v == 0x4B800001, "norm drops the bits below 31");
}

/* Fast equals plain for profiles that users might try. */
static void test_user_profiles(void) {
	static const unsigned rows[][9] = {
		{ 8, 1, 24, 0, 32, 24 },
		{ 16, 2, 20, 22, 26, 24, 12 },
		{ 4, 1, 9, 0, 13, 11 },
		{ 2, 2, 24, 30, 40, 40 },
		{ 16, 1, 24, 0, 24, 24, 0, 0, 4 },
		{ 32, 2, 24, 24, 32, 24 },
		{ 5, 2, 24, 24, 32, 24 },
		{ 128, 1, 40, 0, 40, 40, 60, 31, 128 },
	};
	int wrong = 0;
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
		for (int n = 0; n < times(8); n++) {
			const unsigned *f = rows[i];
			mx_profile p = { "a user's", f[0], f[1], f[2], f[3],
				         f[4],       f[5], f[6], f[7], f[8] };
			struct wave w;
			int fa = rng() % FORMATS, fb = rng() % FORMATS, shape = rng() % 2;
			random_wave(&w, fa, fb, any_regime());
			struct mx_mma_args args = wave_args("cdna3", shape, fa, fb, &w);
			args.profile = &p;
			wrong += first_difference(args) >= 0;
		}
	ok(!wrong,
	   "the fast instruction gives the bits of the plain one for profiles of all widths");
}

/* A profile that aligns products, with any of the variations. */
static mx_profile aligned_member(void) {
	const struct mx_family_field *f;
	mx_profile p;
	do {
		p = (mx_profile){ .name = "a member", .parts = 1 };
		for (size_t i = 0; (f = mx_family_at(i)); i++)
			if (rng() % 3)
				*mx_family_value(&p, f) = f->values[rng() % f->n];
	} while (!p.align || mx_profile_check(&p));
	return p;
}

static void test_aligned_members(void) {
	int wrong = 0, members = times(60);
	for (int n = 0; n < members; n++) {
		mx_profile p = aligned_member();
		struct wave w;
		int fa = rng() % FORMATS, fb = rng() % FORMATS, shape = rng() % 2;
		random_wave(&w, fa, fb, any_regime());
		struct mx_mma_args args = wave_args("cdna3", shape, fa, fb, &w);
		args.profile = &p;
		wrong += first_difference(args) >= 0;
	}
	ok(!wrong, "and under %d members of the family that align products", members);
}

/* A step underflows to -0, to which -0 is added late. */
static void test_late_zero(void) {
	struct wave w;
	memset(&w, 0, sizeof w);
	mx_profile p = { "late", 32, 1, 20, 0, 20, 20, .late = 1, .zero = 1 };
	for (unsigned lane = 0; lane < 64; lane++) {
		w.a[4][lane] = 0x38, w.b[4][lane] = 0xB8; /* 1 and -1, k from 64 on */
		w.sa[lane] = w.sb[lane] = 0;
		for (unsigned r = 0; r < 16; r++)
			w.c[r][lane] = 0x80000000;
	}
	struct mx_mma_args args = wave_args("cdna3", 0, 0, 0, &w);
	args.profile = &p;
	ok(first_difference(args) < 0 && !w.d[0][0], "zero 1: -0 that underflowed plus -0 is +0");
}

int main(void) {
	test_fields();
	test_check();
	test_told_apart();
	test_fields_count();
	test_user_profiles();
	test_aligned_members();
	test_late_zero();
	test_agreement();
	return done_testing();
}
