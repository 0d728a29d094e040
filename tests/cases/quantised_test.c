/* Operands that a kernel quantises: the source has the regime's numbers, and the operand is what
 * the recipe makes of the source. */
#include "case_file.h"

#include <math.h>

enum { M = 40, K = 96, BLOCKS = K / 32 };

/* Bytes of row-major codes and scales. */
struct made {
	uint8_t codes[M * K], scales[M * BLOCKS];
};

/* The case with W as the source of A. */
static int load_quantised(const char *type, const char *format, const char *recipe,
                          struct mx_case **c, struct mx_error *err) {
	static const char a[] = "role: a,       type: e2m1, rows: M, cols: K";
	char text[8192], source[120];
	snprintf(source, sizeof source, "role: none, type: %s, rows: M, cols: K, ld: 8 * K", type);
	const char *yaml = edited("role: none,    type: bf16, rows: 3, cols: 5, ld: 16", source);
	const char *at = strstr(yaml, a);
	snprintf(text, sizeof text, "%.*srole: a, type: %s, rows: M, cols: K, of: W, recipe: %s%s",
	         (int)(at - yaml), yaml, format, recipe, at + strlen(a));
	return load(text, c, err);
}

static struct mx_case *make(const char *type, const char *format, const char *recipe,
                            mx_regime regime, struct mx_plan *p, struct mx_data *data) {
	struct mx_case *c;
	struct mx_error err;
	if (load_quantised(type, format, recipe, &c, &err) ||
	    mx_plan_make(c, M, 32, K, regime, p, &err) || mx_data_make(p, 1, data, &err)) {
		fprintf(stderr, "quantised_test: %s\n", err.text);
		exit(2);
	}
	return c;
}

static float number(const char *type, const uint8_t *line, size_t i) {
	mx_f32 bits = { 0 };
	float f;
	if (!strcmp(type, "f32"))
		memcpy(&bits, line + 4 * i, 4);
	else if (!strcmp(type, "bf16"))
		bits.v = (uint32_t)(line[2 * i] | line[2 * i + 1] << 8) << 16;
	else
		bits = mx_f16_to_f32((mx_f16){ (uint16_t)(line[2 * i] | line[2 * i + 1] << 8) });
	memcpy(&f, &bits, sizeof f);
	return f;
}

/* The source's numbers, quantised one by one. */
static void quantise(const struct mx_plan *p, const struct mx_data *data, const char *type,
                     mx_format f, const char *recipe, struct made *m) {
	static float x[M][K];
	struct mx_quantizer q = { .format = f };
	struct mx_tensor from = { x, MX_DTYPE_F32, M, K, 4 * K, 4 };
	struct mx_quantised to = { m->codes, K * mx_format_info(f)->bits / 8, m->scales, BLOCKS };
	for (size_t r = 0; r < M; r++)
		for (size_t c = 0; c < K; c++)
			x[r][c] =
				number(type, data->bytes[5] + mx_buffer_data(&p->buffers[5], r), c);
	mx_recipe_by_name(recipe, &q.recipe);
	mx_quantize_plain(&q, &from, &to, NULL);
}

static bool same(const struct mx_plan *p, const struct mx_data *data, const struct made *m) {
	const struct mx_buffer *a = &p->buffers[0], *s = &p->buffers[1];
	for (size_t r = 0; r < M; r++)
		if (memcmp(data->bytes[0] + mx_buffer_data(a, r), m->codes + r * a->line_bytes,
		           a->line_bytes) ||
		    memcmp(data->bytes[1] + mx_buffer_data(s, r), m->scales + r * BLOCKS, BLOCKS))
			return false;
	return true;
}

/* In the exact regime quantising loses nothing. */
static bool is_kept(const struct mx_plan *p, const struct mx_data *data, const char *type,
                    mx_format f) {
	static float x[M][K];
	const struct mx_buffer *a = &p->buffers[0], *s = &p->buffers[1];
	struct mx_quantised q = { data->bytes[0], a->ld, data->bytes[1], s->ld };
	mx_dequantize(f, &q, M, K, (mx_f32 *)x, 4 * K, 4);
	for (size_t r = 0; r < M; r++)
		for (size_t c = 0; c < K; c++)
			if (x[r][c] !=
			    number(type, data->bytes[5] + mx_buffer_data(&p->buffers[5], r), c))
				return false;
	return true;
}

static bool is_unquantised(const struct mx_plan *p, const struct mx_data *data, const char *type) {
	for (size_t i = 0; i < M * K; i++) {
		const uint8_t *line = data->bytes[5] + mx_buffer_data(&p->buffers[5], i / K);
		if (!data->a || data->a[i] != number(type, line, i % K))
			return false;
	}
	return true;
}

static void test(const char *type, const char *name, mx_format f, const char *recipe,
                 mx_regime regime) {
	static struct made m;
	struct mx_plan p;
	struct mx_data data;
	struct mx_case *c = make(type, name, recipe, regime, &p, &data);
	quantise(&p, &data, type, f, recipe, &m);
	ok(same(&p, &data, &m), "%s of %s by %s is quantised from its source, %s", name, type,
	   recipe, mx_regime_name(regime));
	if (regime == MX_REGIME_EXACT)
		ok(is_kept(&p, &data, type, f), "  and has its numbers");
	if (regime == MX_REGIME_GENERAL)
		ok(is_unquantised(&p, &data, type), "  and the SNR is against its source");
	ok(!mx_buffer_is_filled(&p, &p.buffers[0]) && !mx_buffer_is_filled(&p, &p.buffers[1]) &&
	           mx_buffer_is_filled(&p, &p.buffers[2]) &&
	           mx_buffer_is_quantised(&p, &p.buffers[1]),
	   "  its codes and scales start unwritten");
	mx_data_free(&data);
	mx_case_free(c);
}

/* `ceil` doubles the scale of a block whose largest number is 6, so that 0.5 becomes 0.25, a tie of
 * 0 and 0.5. */
static void test_changed(void) {
	struct mx_plan p;
	struct mx_data data;
	struct mx_case *c;
	struct mx_error err;
	need(!load_quantised("f32", "e2m1", "ceil", &c, &err) &&
	             !mx_plan_make(c, M, 32, K, MX_REGIME_EXACT, &p, &err),
	     err.text);
	ok(mx_data_make(&p, 1, &data, &err) == -1 &&
	           !strcmp(err.text, "gemm/mxfp4_f32/40x32x96/exact: exact regime: ceil of W "
	                             "changes numbers that W has"),
	   "the exact regime refuses a recipe that changes its numbers");
	mx_case_free(c);
}

/* ---- groups ---- */

static const char grouped[] =
	"name: gemm/grouped\n"
	"code: x.co\n"
	"kernel: x\n"
	"grid: [1]\n"
	"block: [64]\n"
	"groups: {rows: [7, 0, 33], pad: 32, padding: none}\n"
	"buffers:\n"
	"  - {name: W, role: none, type: f32, rows: M, cols: K}\n"
	"  - {name: A, role: a, type: e4m3, rows: R, cols: K, of: W, recipe: rceil}\n"
	"  - {name: SA, role: a_scale, type: e8m0, rows: R, cols: K / 32}\n"
	"  - {name: B, role: b, type: e4m3, rows: G * N, cols: K}\n"
	"  - {name: SB, role: b_scale, type: e8m0, rows: G * N, cols: K / 32}\n"
	"  - {name: C, role: c, type: f32, rows: M, cols: N}\n"
	"kernarg: []\n"
	"verdict: {judge: bits, profile: block32, mma_k: 128}\n"
	"runs:\n"
	"  - {M: 40, N: 32, K: 96, regime: general}\n";

/* Padding is quantised as rows of zeros. */
static void test_groups(mx_regime regime) {
	enum { R = 96 };
	static float x[R][K];
	static uint8_t codes[R * K], scales[R * BLOCKS];
	struct mx_plan p;
	struct mx_data data;
	struct mx_case *c;
	struct mx_error err;
	struct mx_quantizer q = { .recipe = MX_RECIPE_RCEIL, .format = MX_E4M3 };
	struct mx_tensor from = { x, MX_DTYPE_F32, R, K, 4 * K, 4 };
	need(!load(grouped, &c, &err) && !mx_plan_make(c, M, 32, K, regime, &p, &err) &&
	             !mx_data_make(&p, 1, &data, &err),
	     err.text);
	memset(x, 0, sizeof x);
	memcpy(x[0], data.bytes[0], 7 * sizeof x[0]);
	memcpy(x[32], data.bytes[0] + 7 * sizeof x[0], 33 * sizeof x[0]);
	mx_quantize_plain(&q, &from, &(struct mx_quantised){ codes, K, scales, BLOCKS }, NULL);
	ok(!memcmp(data.bytes[1], codes, sizeof codes) &&
	           !memcmp(data.bytes[2], scales, sizeof scales),
	   "an operand of groups is quantised with padding, %s", mx_regime_name(regime));
	mx_data_free(&data);
	mx_case_free(c);
}

/* What a case with groups is refused for. */
static void test_bad_groups(void) {
	struct mx_plan p;
	struct mx_case *c;
	struct mx_error err;
	char text[sizeof grouped + 16];
	snprintf(text, sizeof text, "%.*s{of: cols, %s", (int)(strchr(grouped, '{') - grouped),
	         grouped, strchr(grouped, '{') + 1);
	ok(load(text, &c, &err) && strstr(err.text, "not in a case with groups of columns"),
	   "groups of columns have no quantised operands");
	memcpy(text, grouped, sizeof grouped);
	*strstr(text, "M, cols: K}") = 'R';
	need(!load(text, &c, &err), err.text);
	ok(mx_plan_make(c, M, 32, K, MX_REGIME_GENERAL, &p, &err) &&
	           strstr(err.text,
	                  "A is 40 x 96 without padding, and W, which it copies, is 96 x 96"),
	   "the source has no padding: %s", err.text);
	mx_case_free(c);
}

int main(void) {
	static const mx_regime regimes[] = { MX_REGIME_EXACT, MX_REGIME_GENERAL,
		                             MX_REGIME_SPECIAL };
	make_folder();
	for (unsigned i = 0; i < COUNT(regimes); i++) {
		test("f32", "e2m1", MX_E2M1, "floor", regimes[i]);
		test("bf16", "e2m1", MX_E2M1, "even", regimes[i]);
		test("f32", "e4m3", MX_E4M3, "rceil", regimes[i]);
		test("bf16", "e4m3", MX_E4M3, "floor", regimes[i]);
	}
	test("f16", "e2m1", MX_E2M1, "quark-even", MX_REGIME_GENERAL);
	test("f32", "e5m2", MX_E5M2, "floor", MX_REGIME_EXACT);
	test("f32", "e2m3", MX_E2M3, "floor", MX_REGIME_EXACT);
	test("f32", "e3m2", MX_E3M2, "floor", MX_REGIME_EXACT);
	test_changed();
	for (unsigned i = 0; i < COUNT(regimes); i++)
		test_groups(regimes[i]);
	test_bad_groups();
	remove_folder();
	return done_testing();
}
