/* Tensors that a kernel quantises: both directions, groups with padding, the Hadamard transform and
 * stochastic rounding; data of their sources; copies of rows by index; and what is refused. */
#include "case_file.h"

#include <math.h>

enum { M = 70, K = 96, PADDED = 128, X, TURNED, RANDOM, INDEX, A, SA, B, SB, C, SC, D };

/* The numbers are lines, for the errors. */
/* clang-format off */
static const char tensors[] =
	/*  1 */ "name: quantise/tensors\n"
	/*  2 */ "code: x.co\n"
	/*  3 */ "kernel: x\n"
	/*  4 */ "grid: [1]\n"
	/*  5 */ "block: [64]\n"
	/*  6 */ "groups: {rows: [7, 0, 63], pad: 64, padding: free}\n"
	/*  7 */ "buffers:\n"
	/*  8 */ "  - {name: X, role: none, type: bf16, rows: M, cols: K}\n"
	/*  9 */ "  - {name: T, role: none, type: f32, rows: M, cols: K}\n"
	/* 10 */ "  - {name: RND, role: none, type: u32, rows: M, cols: K}\n"
	/* 11 */ "  - {name: IDS, role: none, type: u32, rows: 1, cols: 40}\n"
	/* 12 */ "  - {name: A, role: none, type: e4m3, rows: R, cols: K, of: X, recipe: floor, scales: SA}\n"
	/* 13 */ "  - {name: SA, role: none, type: e8m0, rows: R, cols: K / 32}\n"
	/* 14 */ "  - {name: B, role: none, type: e2m1, rows: K, cols: R, of: X, recipe: even, scales: SB, along: cols, random: RND}\n"
	/* 15 */ "  - {name: SB, role: none, type: e8m0, rows: K, cols: R / 32}\n"
	/* 16 */ "  - {name: C, role: none, type: e5m2, rows: R, cols: K, of: T, recipe: primus, scales: SC, hadamard: true}\n"
	/* 17 */ "  - {name: SC, role: none, type: e8m0, rows: R, cols: K / 32}\n"
	/* 18 */ "  - {name: D, role: none, type: e8m0, rows: 40, cols: K / 32, of: SA, by: IDS}\n"
	/* 19 */ "kernarg: []\n"
	/* 20 */ "verdict: {judge: repack}\n"
	/* 21 */ "runs:\n"
	/* 22 */ "  - {M: 70, N: 1, K: 96, regime: general}\n";
/* clang-format on */

/* `tensors` with one place replaced. */
static const char *changed(const char *from, const char *to) {
	static char text[8192];
	const char *at = strstr(tensors, from);
	need(at != NULL, from);
	snprintf(text, sizeof text, "%.*s%s%s", (int)(at - tensors), tensors, to,
	         at + strlen(from));
	return text;
}

static struct mx_case *make(mx_regime regime, struct mx_plan *p, struct mx_data *data) {
	struct mx_case *c;
	struct mx_error err;
	need(!load(tensors, &c, &err) && !mx_plan_make(c, M, 1, K, regime, p, &err) &&
	             !mx_data_make(p, 1, data, &err),
	     err.text);
	return c;
}

/* Buffers in the order of the file. */
static uint8_t *bytes(const struct mx_data *data, int i) {
	return data->bytes[i - X];
}

/* ---- the outputs ---- */

static bool same(const struct mx_data *data, int codes, const struct mx_quantizer *q,
                 const struct mx_tensor *x, bool cols) {
	static uint8_t made[PADDED * K], scales[PADDED * K / 32];
	size_t line = (cols ? PADDED : K) * mx_format_info(q->format)->bits / 8;
	size_t lines = cols ? K : PADDED, blocks = (cols ? PADDED : K) / 32;
	struct mx_quantised to = { made, line, scales, blocks };
	return mx_quantize_plain(q, x, cols ? NULL : &to, cols ? &to : NULL) == MX_OK &&
	       !memcmp(made, bytes(data, codes), lines * line) &&
	       !memcmp(scales, bytes(data, codes + 1), lines * blocks);
}

/* Every output is what libmxref's plain quantiser makes of its source. */
static void test_outputs(mx_regime regime) {
	struct mx_plan p;
	struct mx_data data;
	struct mx_case *c = make(regime, &p, &data);
	const size_t rows[] = { 7, 0, 63 };
	struct mx_quantizer q = { .group_rows = rows, .groups = 3, .row_align = 64 };
	struct mx_tensor x = { bytes(&data, X), MX_DTYPE_BF16, M, K, 2 * K, 2 };
	struct mx_tensor turned = { bytes(&data, TURNED), MX_DTYPE_F32, M, K, 4 * K, 4 };
	const char *name = mx_regime_name(regime);
	q.format = MX_E4M3;
	ok(same(&data, A, &q, &x, false), "%s: rows of groups, with padding", name);
	q.format = MX_E5M2, q.recipe = MX_RECIPE_PRIMUS, q.hadamard = true;
	ok(same(&data, C, &q, &turned, false), "%s: after a Hadamard transform", name);
	q.format = MX_E2M1, q.recipe = MX_RECIPE_EVEN, q.hadamard = false;
	q.override = true, q.rounding = MX_SR, q.random = (uint32_t *)bytes(&data, RANDOM);
	ok(same(&data, B, &q, &x, true), "%s: columns, with stochastic rounding", name);
	ok(!mx_buffer_is_filled(&p, &p.buffers[A - X]) &&
	           !mx_buffer_is_filled(&p, &p.buffers[SB - X]) &&
	           mx_buffer_is_filled(&p, &p.buffers[0]),
	   "  codes and scales start unwritten");
	mx_data_free(&data);
	mx_case_free(c);
}

/* ---- the sources ---- */

static float bf16(const struct mx_data *data, size_t i) {
	const uint8_t *at = bytes(data, X) + 2 * i;
	uint32_t bits = (uint32_t)(at[0] | at[1] << 8) << 16;
	float f;
	memcpy(&f, &bits, sizeof f);
	return f;
}

static void test_special(void) {
	struct mx_plan p;
	struct mx_data data;
	struct mx_case *c = make(MX_REGIME_SPECIAL, &p, &data);
	const float *turned = (const float *)bytes(&data, TURNED);
	unsigned nan = 0, infinite = 0, zeros[2] = { 0 }, subnormal = 0, bad = 0;
	for (size_t i = 0; i < M * K; i++) {
		float x = bf16(&data, i);
		nan += isnan(x);
		infinite += isinf(x) != 0;
		zeros[signbit(x) != 0] += x == 0;
		subnormal += fpclassify(x) == FP_SUBNORMAL;
		bad += !isfinite(turned[i] * 16);
	}
	ok(nan && infinite && zeros[0] && zeros[1] && subnormal,
	   "a special source has NaN, infinities, subnormals and zeros of both signs");
	ok(!bad, "that of a Hadamard transform has finite sums of 16");
	mx_data_free(&data);
	mx_case_free(c);
}

static void test_exact(void) {
	struct mx_plan p;
	struct mx_data data;
	struct mx_case *c = make(MX_REGIME_EXACT, &p, &data);
	static float back[PADDED][K];
	struct mx_quantised q = { bytes(&data, A), K, bytes(&data, SA), K / 32 };
	unsigned lost = 0;
	mx_dequantize(MX_E4M3, &q, PADDED, K, (mx_f32 *)back, 4 * K, 4);
	for (size_t i = 0; i < M * K; i++)
		lost += back[i / K + (i / K < 7 ? 0 : 57)][i % K] != bf16(&data, i);
	ok(!lost, "in the exact regime quantising loses nothing");
	mx_data_free(&data);
	mx_case_free(c);
}

static void test_index(void) {
	struct mx_plan p;
	struct mx_data data;
	struct mx_case *c = make(MX_REGIME_GENERAL, &p, &data);
	const uint32_t *ids = (const uint32_t *)bytes(&data, INDEX);
	unsigned rows = 0, padding = 0, others = 0;
	for (size_t i = 0; i < 40; i++) {
		rows += (ids[i] & 0xffffff) < PADDED;
		padding += (ids[i] & 0xffffff) == PADDED;
		others += ids[i] >> 24 != 0;
	}
	ok(rows + padding == 40 && padding && others,
	   "an index has rows and padding, and other numbers above them");
	mx_data_free(&data);
	mx_case_free(c);
}

/* ---- what is refused ---- */

static void refused(const char *from, const char *to, const char *why) {
	struct mx_case *c;
	struct mx_error err;
	bool wrong = load(changed(from, to), &c, &err) == -1;
	const char *at = wrong ? strstr(err.text, ".yaml") : NULL;
	if (!ok(at && !strcmp(at + 5, why), "refused: %s", why))
		diag("%s", wrong ? err.text : "it loads");
	if (!wrong)
		mx_case_free(c);
}

static void misfit(const char *from, const char *to, const char *why) {
	struct mx_plan p;
	struct mx_case *c;
	struct mx_error err;
	need(!load(changed(from, to), &c, &err), err.text);
	bool wrong = mx_plan_make(c, M, 1, K, MX_REGIME_GENERAL, &p, &err) == -1;
	if (!ok(wrong && strstr(err.text, why), "refused at a shape: %s", why))
		diag("%s", wrong ? err.text : "it is made");
	mx_case_free(c);
}

static void test_errors(void) {
	refused("of: X, recipe: floor", "recipe: floor",
	        ":12: buffers[4].of: missing: the buffer that is quantised");
	refused("of: X, recipe: floor", "of: SA, recipe: floor",
	        ":12: buffers[4].of: it must be an input with role none, of f32, bf16 or f16");
	refused(", scales: SA}", "}", ":12: buffers[4].scales: missing: the buffer of the scales");
	refused("scales: SA}", "scales: SB}",
	        ":12: buffers[4].scales: it must be a matrix of e8m0 with role none, without data, "
	        "of these codes alone");
	refused("random: RND", "random: T",
	        ":14: buffers[6].random: it must be an input matrix of u32 with role none");
	refused("cols: 40}", "cols: 40, hadamard: true}",
	        ":11: buffers[3].hadamard: the buffer has no recipe");
	refused("by: IDS", "by: X",
	        ":18: buffers[10].by: it must be an input line of i32 or u32 with role none");
	refused("of: SA, by: IDS", "by: IDS", ":18: buffers[10].by: the buffer is no copy");
	misfit("rows: R, cols: K, of: X", "rows: M, cols: K, of: X",
	       "A is 70 x 96; quantised, X is 128 x 96");
	misfit("rows: K, cols: R / 32}", "rows: K, cols: 3}", "SB is 96 x 3, and B needs 96 x 4");
	misfit("type: u32, rows: M", "type: u32, rows: 3",
	       "RND is not a matrix of 70 x 96 without gaps");
	misfit("rows: 1, cols: 40}", "rows: 1, cols: 39}", "IDS is 1 x 39, and D needs 1 x 40");
}

int main(void) {
	make_folder();
	test_outputs(MX_REGIME_EXACT);
	test_outputs(MX_REGIME_GENERAL);
	test_outputs(MX_REGIME_SPECIAL);
	test_special();
	test_exact();
	test_index();
	test_errors();
	remove_folder();
	return done_testing();
}
