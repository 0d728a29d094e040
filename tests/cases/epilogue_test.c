/* Epilogues in case files: their values, refused ones, and their data. */
#include "case_file.h"

#include <math.h>

static const char w_line[] =
	"  - {name: W,  role: none,    type: bf16, rows: 3, cols: 5, ld: 16}\n";
static const char c_line[] = "type: f32,  rows: M, cols: N, guard: 4}\n";

/* The case with these lines instead of its last buffer and after it. */
static const char *with(const char *lines) {
	return edited(w_line, lines);
}

#define C_IN  "  - {name: W,  role: c_in, type: bf16, rows: M, cols: N}\n"
#define BIAS  "  - {name: X,  role: bias_cols, type: f32, rows: 1, cols: N}\n"
#define USUAL "epilogue: {order: fma_beta, alpha: 0x1.8p-1, beta: -1.25}\n"

struct subject {
	struct mx_case *c;
	struct mx_plan p;
	struct mx_data d;
};

static struct subject make(const char *lines, int64_t M, int64_t N, int64_t K, mx_regime regime) {
	struct subject s = { NULL };
	struct mx_error err = { "" };
	if (load(with(lines), &s.c, &err) || mx_plan_make(s.c, M, N, K, regime, &s.p, &err) ||
	    mx_data_make(&s.p, 1, &s.d, &err)) {
		fprintf(stderr, "epilogue_test: %s\n", err.text);
		exit(2);
	}
	return s;
}

static void drop(struct subject *s) {
	mx_data_free(&s->d);
	mx_case_free(s->c);
}

/* ---- values of a file ---- */

static void a_plan_has_it(void) {
	struct subject s = make(C_IN BIAS USUAL, 4, 8, 32, MX_REGIME_GENERAL);
	ok(s.p.epilogue.alpha == 0.75f && s.p.epilogue.beta == -1.25f && s.p.epilogue.c == 5 &&
	           s.p.epilogue.reads_c && s.p.epilogue.bias == 6,
	   "numbers, decimal and hexadecimal, and buffers");
	ok(!strcmp(mx_epilogue_order_name(s.c->epilogue->order), "fma_beta"), "and the order");
	drop(&s);
	s = make(C_IN "epilogue: {order: once, beta: -0.0}\n", 4, 8, 32, MX_REGIME_GENERAL);
	ok(s.p.epilogue.alpha == 1 && s.p.epilogue.c == 5 && !s.p.epilogue.reads_c &&
	           s.p.epilogue.bias == -1,
	   "alpha is 1 by default, and with a beta of -0 C is not read");
	drop(&s);
	s = make(C_IN "epilogue: {order: mul_add, beta: 0, c_of_zero: true}\n", 4, 8, 32,
	         MX_REGIME_GENERAL);
	ok(s.p.epilogue.reads_c, "but it is read with c_of_zero");
	drop(&s);
}

static void arguments_name_them(void) {
	static const char from[] = "  - {offset: 8,  type: ptr, value: C + 16}\n";
	struct mx_error err = { "" };
	uint64_t address[MX_MAX_BUFFERS] = { 0 };
	uint8_t out[256];
	struct mx_plan p;
	struct mx_case *c = load_good(from, "  - {offset: 8, type: f32, value: alpha}\n"
	                                    "  - {offset: 12, type: f32, value: beta}\n");
	ok(mx_plan_make(c, 4, 8, 32, MX_REGIME_GENERAL, &p, &err) == -1 &&
	           strstr(err.text, "kernarg[1].value: unknown name 'alpha'"),
	   "without an epilogue alpha is not a number");
	struct mx_epilogue_spec spec = { MX_MUL_ADD, "0.1", "2.5", false };
	c->epilogue = &spec;
	bool good = !mx_plan_make(c, 4, 8, 32, MX_REGIME_GENERAL, &p, &err) &&
	            !mx_plan_kernarg(&p, 0, address, out, &err);
	ok(good && !memcmp(out + 8, "\xcd\xcc\xcc\x3d\x00\x00\x20\x40", 8),
	   "with an epilogue it is, rounded to f32, and so is beta");
	spec.beta = NULL;
	ok(mx_plan_make(c, 4, 8, 32, MX_REGIME_GENERAL, &p, &err) == -1 &&
	           strstr(err.text, "kernarg[2].value: unknown name 'beta'"),
	   "without a beta in the file beta is not a number");
	c->epilogue = NULL;
	mx_case_free(c);
}

static void wrong_ones_are_refused(void) {
	static const struct {
		const char *sentence, *lines, *want;
	} t[] = {
		{ "an unknown order", C_IN "epilogue: {order: muladd, beta: 1}\n",
		  ":16: order: 'muladd' is not one of mul_add, fma_beta, fma_alpha, once" },
		{ "no order", C_IN "epilogue: {beta: 1}\n", ":16: missing key: order" },
		{ "an unknown key", C_IN "epilogue: {order: once, gamma: 1}\n",
		  ":16: unexpected key: gamma" },
		{ "an alpha that is NaN", "epilogue: {order: once, alpha: nan}\n",
		  ":15: epilogue.alpha: 'nan' is not a finite f32" },
		{ "an alpha over 2^128", "epilogue:\n  order: once\n  alpha: 1e39\n",
		  ":17: epilogue.alpha: '1e39' is not a finite f32" },
		{ "a beta that is not a number", C_IN "epilogue: {order: once, beta: M}\n",
		  ":16: epilogue.beta: 'M' is not a finite f32" },
		{ "beta without C", BIAS "epilogue: {order: once, beta: 2}\n",
		  ":16: epilogue.beta: no buffer has role c_in, and the output has no data to "
		  "add" },
		{ "C without beta", C_IN "epilogue: {order: once}\n",
		  ":15: buffers[5].role: the epilogue has no beta" },
		{ "C read of no beta", "epilogue: {order: once, c_of_zero: true}\n",
		  ":15: epilogue.c_of_zero: there is no beta" },
		{ "C without an epilogue", C_IN, ":15: buffers[5].role: the case has no epilogue" },
		{ "a bias without one", BIAS, ":15: buffers[5].role: the case has no epilogue" },
		{ "two of them",
		  C_IN BIAS "  - {name: Y, role: bias_rows, type: f32, rows: 1, cols: M}\n" USUAL,
		  ":16: buffers[6].role: an epilogue adds one bias" },
		{ "a bias in e4m3",
		  "  - {name: X,  role: bias_cols, type: e4m3, rows: 1, cols: N}\n" USUAL,
		  ":15: buffers[5].type: C and a bias are f32, bf16 or f16" },
		{ "a C of poison",
		  "  - {name: W, role: c_in, type: bf16, rows: M, cols: N, data: poison}\n" USUAL,
		  ":15: buffers[5].data: poison, which the epilogue reads" },
		{ "data of the regime elsewhere",
		  "  - {name: W, role: c_in, type: bf16, rows: M, cols: N, data: regime}\n" USUAL,
		  ":15: buffers[5].data: regime is for role none, and for an output that an "
		  "epilogue reads" },
		{ "groups with an epilogue",
		  "groups: {rows: [M], padding: free}\n"
		  "epilogue: {order: once}\n",
		  ":16: epilogue: a case with groups has no epilogue" },
	};
	for (size_t i = 0; i < COUNT(t); i++) {
		struct mx_case *c;
		struct mx_error err = { "" };
		int rc = load(with(t[i].lines), &c, &err);
		ok_error(rc, err.text, t[i].want, t[i].sentence);
		if (!rc)
			mx_case_free(c);
	}
}

static void wrong_sizes_are_refused(void) {
	static const struct {
		const char *sentence, *lines, *want;
	} t[] = {
		{ "a bias of columns with a number for each row",
		  "  - {name: X, role: bias_cols, type: f32, rows: 1, cols: M}\n"
		  "epilogue: {order: once}\n",
		  ": buffers[5]: X is 1 x 40, its role requires 1 x 24" },
		{ "a bias of rows that lies in a column",
		  "  - {name: X, role: bias_rows, type: f32, rows: M, cols: 1}\n"
		  "epilogue: {order: once}\n",
		  ": buffers[5]: X is 40 x 1, its role requires 1 x 40" },
		{ "a C that is transposed",
		  "  - {name: W, role: c_in, type: bf16, rows: N, cols: M}\n" USUAL,
		  ": buffers[5]: W is 24 x 40, its role requires 40 x 24" },
	};
	for (size_t i = 0; i < COUNT(t); i++) {
		struct mx_case *c;
		struct mx_plan p;
		struct mx_error err = { "" };
		if (load(with(t[i].lines), &c, &err))
			continue;
		int rc = mx_plan_make(c, 40, 24, 64, MX_REGIME_GENERAL, &p, &err);
		ok_error(rc, err.text, t[i].want, t[i].sentence);
		mx_case_free(c);
	}
}

/* ---- data ---- */

/* A number of f32, bf16 or f16, by the test's own reading. */
static double value_of(mx_buffer_type type, const uint8_t *at) {
	uint32_t code = 0;
	float x;
	memcpy(&code, at, type == MX_DT_F32 ? 4 : 2);
	if (type == MX_DT_F16) {
		int field = code >> 10 & 31, man = code & 1023;
		double v = field == 31 ? (man ? NAN : INFINITY)
		           : field     ? ldexp(1024 + man, field - 25)
		                       : ldexp(man, -24);
		return code >> 15 ? -v : v;
	}
	code <<= type == MX_DT_BF16 ? 16 : 0;
	memcpy(&x, &code, sizeof x);
	return (double)x;
}

static double number(const struct subject *s, int i, size_t row, size_t col) {
	const struct mx_buffer *b = &s->p.buffers[i];
	return value_of(b->type, s->d.bytes[i] + mx_buffer_at(b, row, col));
}

/* The largest power of two that divides every number of a buffer, and the largest multiple. */
struct extent {
	int unit, signs;
	double most;
};

static struct extent extent_of(const struct subject *s, int i) {
	struct extent e = { .unit = 1000 };
	for (size_t row = 0; row < s->p.buffers[i].rows; row++)
		for (size_t col = 0; col < s->p.buffers[i].cols; col++) {
			double x = number(s, i, row, col);
			int q = -160;
			while (x != 0 && q < 130 && fmod(x, ldexp(1, q + 1)) == 0)
				q++;
			e.unit = x != 0 && q < e.unit ? q : e.unit;
			e.most = fmax(e.most, fabs(x));
			e.signs |= x < 0 ? 1 : x > 0 ? 2 : 0;
		}
	return e;
}

/* Scaled elements of A and B, E2M1, as the test decodes them: the unit and sum of magnitudes of
 * products. */
static struct extent operand(const struct subject *s, int i) {
	static const double values[] = { 0, 0.5, 1, 1.5, 2, 3, 4, 6 };
	struct extent e = { .unit = 1000 };
	for (size_t row = 0; row < s->p.buffers[i].rows; row++)
		for (size_t k = 0; k < s->p.buffers[i].cols; k++) {
			uint8_t code = s->d.bytes[i][row * s->p.buffers[i].ld + k / 2] >> k % 2 * 4;
			int scale = s->d.bytes[i + 1][row * s->p.buffers[i + 1].ld + k / 32] - 127;
			double x = ldexp(values[code & 7], scale);
			int q = x != 0 ? scale - 1 : 1000;
			e.unit = q < e.unit ? q : e.unit;
			e.most = fmax(e.most, x);
		}
	return e;
}

static void exact_terms_fit(const char *types, const char *lines, double alpha, double beta) {
	enum { K = 256 };
	struct subject s = make(lines, 40, 24, K, MX_REGIME_EXACT);
	struct extent a = operand(&s, 0), b = operand(&s, 2), c = extent_of(&s, 5),
		      bias = extent_of(&s, 6);
	struct extent ab = { .most = alpha }, bb = { .most = beta };
	while (fmod(alpha, ldexp(1, ab.unit)) != 0)
		ab.unit--;
	while (fmod(beta, ldexp(1, bb.unit)) != 0)
		bb.unit--;
	int unit = a.unit + b.unit + ab.unit;
	unit = c.unit + bb.unit < unit ? c.unit + bb.unit : unit;
	unit = bias.unit < unit ? bias.unit : unit;
	double sum = K * a.most * b.most * fabs(alpha) + c.most * fabs(beta) + bias.most;
	if (!ok(ldexp(sum, -unit) < 0x1p24, "%s: terms sum to less than 2^24 units", types))
		diag("%g of 2^%d", sum, unit);
	ok(c.signs == 3 && bias.signs == 3 && c.most * fabs(beta) > ldexp(1, unit + 12) &&
	           bias.most > ldexp(1, unit + 12),
	   "... and are not small, of both signs");
	ok(a.unit + b.unit >= -5 && a.unit + b.unit <= 5 && (a.unit > 4 || a.unit < -4),
	   "... products are near 1, although scales are not");
	drop(&s);
}

static void exact_data(void) {
	exact_terms_fit("C in bf16, bias in f32", C_IN BIAS USUAL, 0.75, -1.25);
	exact_terms_fit("C in f32, bias in bf16",
	                "  - {name: W, role: c_in, type: f32, rows: M, cols: N}\n"
	                "  - {name: X, role: bias_rows, type: bf16, rows: 1, cols: M}\n"
	                "epilogue: {order: once, alpha: -5, beta: 0.625}\n",
	                -5, 0.625);
	exact_terms_fit("both in f16",
	                "  - {name: W, role: c_in, type: f16, rows: M, cols: N}\n"
	                "  - {name: X, role: bias_cols, type: f16, rows: 1, cols: N}\n"
	                "epilogue: {order: mul_add, alpha: 0x1p-6, beta: 3}\n",
	                0x1p-6, 3);
}

static void impossible_exact_data(void) {
	static const struct {
		const char *lines, *want;
	} t[] = {
		{ C_IN BIAS "epilogue: {order: once, alpha: 0.1, beta: 1}\n",
		  "K = 256 is too long for the exact regime with this alpha" },
		{ C_IN BIAS "epilogue: {order: once, beta: 0.3}\n",
		  "alpha and beta leave no room for numbers of buffer W in the exact regime" },
		{ "  - {name: W, role: c_in, type: f16, rows: M, cols: N}\n"
		  "epilogue: {order: once, beta: 0x1p-30}\n",
		  "alpha and beta leave no room for numbers of buffer W in the exact regime" },
	};
	for (size_t i = 0; i < COUNT(t); i++) {
		struct mx_error err = { "" };
		struct mx_case *c;
		struct mx_plan p;
		struct mx_data d;
		if (load(with(t[i].lines), &c, &err))
			continue;
		ok(!mx_plan_make(c, 8, 8, 256, MX_REGIME_EXACT, &p, &err) &&
		           mx_data_make(&p, 1, &d, &err) == -1 && strstr(err.text, t[i].want),
		   "%s", err.text);
		mx_case_free(c);
	}
}

/* The number of elements of buffer i that pass a test. */
static unsigned count(const struct subject *s, int i, bool (*is)(double x)) {
	unsigned n = 0;
	for (size_t row = 0; row < s->p.buffers[i].rows; row++)
		for (size_t col = 0; col < s->p.buffers[i].cols; col++)
			n += is(number(s, i, row, col));
	return n;
}

static bool is_number(double x) {
	return isfinite(x);
}
static bool is_nan(double x) {
	return isnan(x);
}
static bool is_infinite(double x) {
	return isinf(x);
}
static bool is_minus_0(double x) {
	return x == 0 && signbit(x);
}
static bool is_tiny(double x) {
	return x != 0 && fabs(x) < 0x1p-126;
}
static bool is_huge(double x) {
	return isfinite(x) && fabs(x) > 0x1p127;
}

static void other_regimes(void) {
	enum { ALL = 64 * 64 };
	struct subject s = make(C_IN BIAS USUAL, 64, 64, 32, MX_REGIME_GENERAL);
	struct extent e = extent_of(&s, 5);
	ok(count(&s, 5, is_number) == ALL && e.signs == 3 && e.most > 1000 && e.most < 0x1p16,
	   "general: numbers of both signs, as large as %g", e.most);
	drop(&s);
	s = make(C_IN BIAS USUAL, 64, 64, 32, MX_REGIME_SPECIAL);
	ok(count(&s, 5, is_nan) && count(&s, 5, is_infinite) && count(&s, 5, is_minus_0) &&
	           count(&s, 5, is_tiny) && count(&s, 5, is_huge),
	   "special: NaN, infinities, -0, subnormals and the largest");
	ok(count(&s, 5, is_nan) < ALL / 16, "... few of them NaN");
	drop(&s);
}

static void unread_c(void) {
	static const char lines[] = C_IN "epilogue: {order: once, alpha: 0.5, beta: 0}\n";
	for (int r = MX_REGIME_EXACT; r <= MX_REGIME_SPECIAL; r++) {
		struct subject s = make(lines, 16, 16, 32, (mx_regime)r);
		ok(!count(&s, 5, is_number) && count(&s, 5, is_nan) && count(&s, 5, is_infinite),
		   "%s: a C that is not read is NaN and infinities", mx_regime_name((mx_regime)r));
		drop(&s);
	}
}

/* ---- in place ---- */

static void in_place(void) {
	struct mx_error err = { "" };
	struct mx_plan p;
	struct mx_data d = { 0 };
	struct mx_case *c = load_good(
		c_line, "type: f16, order: col, rows: M, cols: N, data: regime}\n" USUAL "# ");
	bool good = !mx_plan_make(c, 16, 8, 32, MX_REGIME_EXACT, &p, &err) &&
	            !mx_data_make(&p, 1, &d, &err);
	struct subject s = { c, p, d };
	ok(good && p.epilogue.c == 4 && mx_buffer_is_filled(&p, &p.buffers[4]) &&
	           count(&s, 4, is_number) == 16 * 8 && extent_of(&s, 4).signs == 3,
	   "an output with data of the regime is the C that is read");
	mx_data_free(&d);
	mx_case_free(c);
}

int main(void) {
	make_folder();
	a_plan_has_it();
	arguments_name_them();
	wrong_ones_are_refused();
	wrong_sizes_are_refused();
	exact_data();
	impossible_exact_data();
	other_regimes();
	unread_c();
	in_place();
	remove_folder();
	return done_testing();
}
