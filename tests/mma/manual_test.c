/* Statements of mxref.h: results for null pointers, the list of profiles, padding that changes no
 * sum, and the version. */
#include <ctype.h>

#include "judge.h"

static char *header;

static void read_header(void) {
	FILE *f = fopen("ref/mxref.h", "r");
	header = calloc(1, 1 << 20);
	if (f && header && !fread(header, 1, (1 << 20) - 1, f))
		header = NULL;
	if (f)
		fclose(f);
}

/* ---- null pointers ---- */

static int calls, wrongs;

static void null(const char *name, const char *what, bool good) {
	calls++;
	if (!good && !wrongs++)
		diag("first wrong: %s with NULL for %s", name, what);
}

/* A function that returns a status, with one of its pointers null. */
#define BAD(name, what, ...) null(#name, what, name(__VA_ARGS__) == MX_BAD_POINTER)

static void test_values(void) {
	mx_elem code = { 1 }, codes[32];
	mx_e8m0 scale;
	mx_f32 x[32] = { { 0 } };
	mx_format f = MX_E2M1;
	mx_recipe r = MX_RECIPE_EVEN;
	mx_cvt_op op;
	null("mx_format_by_name", "name", !mx_format_by_name(NULL, &f) && f == MX_E2M1);
	null("mx_format_by_name", "f", !mx_format_by_name("E2M1", NULL));
	null("mx_recipe_by_name", "name", !mx_recipe_by_name(NULL, &r) && r == MX_RECIPE_EVEN);
	null("mx_recipe_by_name", "r", !mx_recipe_by_name("even", NULL));
	null("mx_cvt_by_name", "name", !mx_cvt_by_name(NULL, &op));
	null("mx_cvt_by_name", "op", !mx_cvt_by_name("v_cvt_f32_fp8", NULL));
	null("mx_elem_get", "packed", mx_elem_get(MX_E2M3, NULL, 3).v == 0);
	BAD(mx_elem_set, "packed", MX_E2M3, NULL, 3, code);
	BAD(mx_quantize_block, "x", f, NULL, 3, codes, &scale);
	BAD(mx_quantize_block, "codes", f, x, 3, NULL, &scale);
	BAD(mx_quantize_block, "scale", f, x, 3, codes, NULL);
	null("mx_quantize_block", "empty x and codes",
	     mx_quantize_block(f, NULL, 0, NULL, &scale) == MX_OK && scale.v == 0);
	uint32_t dwords[32] = { 0 };
	struct mx_cvt_args a = { .source = dwords };
	BAD(mx_cvt, "a", MX_CVT_pk_fp8_f32, NULL, dwords);
	BAD(mx_cvt, "d", MX_CVT_pk_fp8_f32, &a, NULL);
	a.source = NULL;
	BAD(mx_cvt, "source", MX_CVT_pk_fp8_f32, &a, dwords);
	unsigned from, byte;
	BAD(mx_cvt_dependents, "bits", MX_CVT_pk_fp8_f32, 0, NULL, dwords);
	BAD(mx_cvt_dependents, "d", MX_CVT_pk_fp8_f32, 0, dwords, NULL);
	BAD(mx_cvt_scale_place, "from", MX_CVT_scale_pk8_f32_fp4, 0, 0, NULL, &byte);
	BAD(mx_cvt_scale_place, "byte", MX_CVT_scale_pk8_f32_fp4, 0, 0, &from, NULL);
}

static void test_tensors(void) {
	uint8_t bytes[64];
	mx_f32 x[32] = { { 0 } };
	struct mx_quantizer q = { .format = MX_E4M3 };
	struct mx_tensor t = { x, MX_DTYPE_F32, 1, 32, 128, 4 };
	struct mx_quantised o = { bytes, 32, bytes + 32, 1 };
	null("mx_quantised_rows", "q", mx_quantised_rows(NULL, &t) == 0);
	null("mx_quantised_rows", "x", mx_quantised_rows(&q, NULL) == 0);
	BAD(mx_quantize, "q", NULL, &t, &o, NULL);
	BAD(mx_quantize, "x", &q, NULL, &o, NULL);
	BAD(mx_quantize, "rowwise and colwise", &q, &t, NULL, NULL);
	BAD(mx_quantize_plain, "q", NULL, &t, &o, NULL);
	BAD(mx_quantize_plain, "x", &q, NULL, &o, NULL);
	BAD(mx_quantize_plain, "rowwise and colwise", &q, &t, NULL, NULL);
	BAD(mx_dequantize, "q", MX_E4M3, NULL, 1, 32, x, 128, 4);
	BAD(mx_dequantize, "out", MX_E4M3, &o, 1, 32, NULL, 128, 4);
	o.scales = NULL;
	BAD(mx_quantize, "scales", &q, &t, &o, NULL);
	BAD(mx_dequantize, "scales", MX_E4M3, &o, 1, 32, x, 128, 4);
	o = (struct mx_quantised){ NULL, 32, bytes + 32, 1 };
	BAD(mx_quantize, "codes", &q, &t, &o, NULL);
	BAD(mx_dequantize, "codes", MX_E4M3, &o, 1, 32, x, 128, 4);
	t.data = NULL;
	BAD(mx_quantize, "data", &q, &t, &o, NULL);
}

static void test_schemes(void) {
	uint8_t bytes[64];
	mx_f32 x[32] = { { 0 } }, t = { 0 };
	mx_scheme scheme = MX_SCHEME_NVFP4_TORCHAO;
	mx_per per = MX_PER_1X16;
	struct mx_scheme_args a = { scheme, MX_E2M1, per, NULL };
	struct mx_scales_shape shape;
	struct mx_tensor in = { x, MX_DTYPE_F32, 1, 32, 128, 4 };
	struct mx_quantised o = { bytes, 32, bytes + 32, 2 };
	null("mx_scheme_by_name", "name", !mx_scheme_by_name(NULL, &scheme));
	null("mx_scheme_by_name", "s", !mx_scheme_by_name("mxint8", NULL));
	null("mx_per_by_name", "name", !mx_per_by_name(NULL, &per));
	null("mx_per_by_name", "p", !mx_per_by_name("row", NULL));
	BAD(mx_scheme_scales, "a", NULL, 1, 32, &shape);
	BAD(mx_scheme_scales, "shape", &a, 1, 32, NULL);
	BAD(mx_scheme_quantize, "a", NULL, &in, &o, &t);
	BAD(mx_scheme_quantize, "x", &a, NULL, &o, &t);
	BAD(mx_scheme_quantize, "out", &a, &in, NULL, &t);
	BAD(mx_scheme_quantize, "tensor_scale", &a, &in, &o, NULL);
	BAD(mx_scheme_dequantize, "the argument's tensor_scale", &a, &o, 1, 32, x, 128, 4);
	a.tensor_scale = &t;
	BAD(mx_scheme_dequantize, "a", NULL, &o, 1, 32, x, 128, 4);
	BAD(mx_scheme_dequantize, "q", &a, NULL, 1, 32, x, 128, 4);
	BAD(mx_scheme_dequantize, "out", &a, &o, 1, 32, NULL, 128, 4);
	o.scales = NULL;
	BAD(mx_scheme_quantize, "scales", &a, &in, &o, &t);
	BAD(mx_scheme_dequantize, "scales", &a, &o, 1, 32, x, 128, 4);
	o = (struct mx_quantised){ NULL, 32, bytes, 2 };
	BAD(mx_scheme_quantize, "codes", &a, &in, &o, &t);
	BAD(mx_scheme_dequantize, "codes", &a, &o, 1, 32, x, 128, 4);
	in.data = NULL;
	o.codes = bytes;
	BAD(mx_scheme_quantize, "data", &a, &in, &o, &t);
}

static void test_scaled(void) {
	static struct wave w;
	static mx_elem code[32];
	unsigned n;
	mx_e8m0 s = { 127 };
	mx_f32 c = { 0 }, d;
	const mx_profile *p = mx_profile_by_name("block32");
	null("mx_profile_by_name", "name", !mx_profile_by_name(NULL));
	BAD(mx_profile_check, "p", NULL);
	BAD(mx_mma_dot, "p", NULL, 0, 0, 32, code, &s, code, &s, c, &d);
	BAD(mx_mma_dot, "a", p, 0, 0, 32, NULL, &s, code, &s, c, &d);
	BAD(mx_mma_dot, "sa", p, 0, 0, 32, code, NULL, code, &s, c, &d);
	BAD(mx_mma_dot, "b", p, 0, 0, 32, code, &s, NULL, &s, c, &d);
	BAD(mx_mma_dot, "sb", p, 0, 0, 32, code, &s, code, NULL, c, &d);
	BAD(mx_mma_dot, "d", p, 0, 0, 32, code, &s, code, &s, c, NULL);
	struct mx_dot_operand o = { 0, code, 0, 16, &s.v }, bad = { 0, NULL, 0, 16, &s.v };
	BAD(mx_mma_block_dot, "p", NULL, 16, &o, &o, c, &d);
	BAD(mx_mma_block_dot, "a", p, 16, NULL, &o, c, &d);
	BAD(mx_mma_block_dot, "b", p, 16, &o, NULL, c, &d);
	BAD(mx_mma_block_dot, "d", p, 16, &o, &o, c, NULL);
	BAD(mx_mma_block_dot, "codes", p, 16, &bad, &o, c, &d);
	BAD(mx_layout_operand, "mn", MX_16X16X128, MX_E4M3, 0, 0, NULL, &n);
	BAD(mx_layout_operand, "k", MX_16X16X128, MX_E4M3, 0, 0, &n, NULL);
	BAD(mx_layout_scale, "mn", MX_16X16X128, 0, NULL, &n);
	BAD(mx_layout_scale, "block", MX_16X16X128, 0, &n, NULL);
	BAD(mx_layout_result, "row", MX_16X16X128, 0, 0, NULL, &n);
	BAD(mx_layout_result, "col", MX_16X16X128, 0, 0, &n, NULL);
	BAD(mx_mma_scaled, "args", NULL);
	BAD(mx_mma_scaled_plain, "args", NULL);
#define FIELD(field)                                                                               \
	do {                                                                                       \
		struct mx_mma_args args = wave_args("block32", 0, MX_E4M3, MX_E4M3, &w);           \
		args.field = NULL;                                                                 \
		BAD(mx_mma_scaled, #field, &args);                                                 \
		BAD(mx_mma_scaled_plain, #field, &args);                                           \
	} while (0)
	FIELD(profile);
	FIELD(a);
	FIELD(b);
	FIELD(c);
	FIELD(d);
	FIELD(scale_a);
	FIELD(scale_b);
#undef FIELD
}

static void test_dense_and_sparse(void) {
	static uint32_t regs[16][64];
	const struct mx_dense *op = mx_dense_at(0);
	const struct mx_sparse *sp = mx_sparse_at(0);
	const mx_profile *p = mx_profile_by_name("block32");
	unsigned n;
	null("mx_dense_by_name", "name", !mx_dense_by_name(NULL));
	null("mx_sparse_by_name", "name", !mx_sparse_by_name(NULL));
	null("mx_dense_operand_items", "op", !mx_dense_operand_items(NULL));
	null("mx_dense_result_items", "op", !mx_dense_result_items(NULL));
	null("mx_dense_operand_vgprs", "op", !mx_dense_operand_vgprs(NULL));
	null("mx_dense_result_vgprs", "op", !mx_dense_result_vgprs(NULL));
	null("mx_sparse_a_vgprs", "op", !mx_sparse_a_vgprs(NULL));
	null("mx_sparse_result_vgprs", "op", !mx_sparse_result_vgprs(NULL));
	null("mx_dense_profile", "op", !mx_dense_profile(NULL, p));
	null("mx_dense_profile", "p", !mx_dense_profile(op, NULL));
	BAD(mx_dense_operand, "op", NULL, 0, 0, &n, &n, &n);
	BAD(mx_dense_operand, "block", op, 0, 0, NULL, &n, &n);
	BAD(mx_dense_operand, "mn", op, 0, 0, &n, NULL, &n);
	BAD(mx_dense_operand, "k", op, 0, 0, &n, &n, NULL);
	BAD(mx_dense_result, "op", NULL, 0, 0, &n, &n, &n);
	BAD(mx_dense_result, "block", op, 0, 0, NULL, &n, &n);
	BAD(mx_dense_result, "row", op, 0, 0, &n, NULL, &n);
	BAD(mx_dense_result, "col", op, 0, 0, &n, &n, NULL);
	BAD(mx_mma_dense, "args", NULL);
	BAD(mx_mma_dense_plain, "args", NULL);
	BAD(mx_mma_sparse, "args", NULL);
	BAD(mx_mma_sparse_plain, "args", NULL);
	for (int i = 0; i < 6; i++) {
		struct mx_dense_args g = { i == 0 ? NULL : op,   i == 1 ? NULL : p,
			                   i == 2 ? NULL : regs, i == 3 ? NULL : regs,
			                   i == 4 ? NULL : regs, i == 5 ? NULL : regs };
		struct mx_sparse_args s = { i == 0 ? NULL : sp,    i == 1 ? NULL : p,
			                    i == 2 ? NULL : regs,  i == 3 ? NULL : regs,
			                    i == 4 ? NULL : *regs, i == 5 ? NULL : regs };
		BAD(mx_mma_dense, "a field", &g);
		BAD(mx_mma_dense_plain, "a field", &g);
		BAD(mx_mma_sparse, "a field", &s);
		BAD(mx_mma_sparse_plain, "a field", &s);
	}
}

static void test_wmma(void) {
	static uint32_t regs[16][64];
	const struct mx_wmma *op = mx_wmma_by_name("v_wmma_scale_f32_16x16x128_f8f6f4");
	const mx_profile *p = mx_profile_by_name("block32");
	unsigned n;
	null("mx_wmma_by_name", "name", !mx_wmma_by_name(NULL));
	null("mx_wmma_operand_items", "op", !mx_wmma_operand_items(NULL, MX_SIDE_A));
	null("mx_wmma_operand_vgprs", "op", !mx_wmma_operand_vgprs(NULL, MX_SIDE_A, MX_E4M3));
	null("mx_wmma_result_items", "op", !mx_wmma_result_items(NULL));
	null("mx_wmma_result_vgprs", "op", !mx_wmma_result_vgprs(NULL));
	null("mx_wmma_profile", "op", !mx_wmma_profile(NULL, p));
	null("mx_wmma_profile", "p", !mx_wmma_profile(op, NULL));
	BAD(mx_wmma_operand, "op", NULL, MX_SIDE_A, MX_E4M3, 0, 0, &n, &n);
	BAD(mx_wmma_operand, "mn", op, MX_SIDE_A, MX_E4M3, 0, 0, NULL, &n);
	BAD(mx_wmma_operand, "k", op, MX_SIDE_A, MX_E4M3, 0, 0, &n, NULL);
	BAD(mx_wmma_result, "op", NULL, 0, 0, &n, &n);
	BAD(mx_wmma_result, "row", op, 0, 0, NULL, &n);
	BAD(mx_wmma_result, "col", op, 0, 0, &n, NULL);
	BAD(mx_mma_wmma, "args", NULL);
	BAD(mx_mma_wmma_plain, "args", NULL);
	for (int i = 0; i < 6; i++) {
		const struct mx_wmma_operand o = { .regs = i == 2 ? NULL : regs,
			                           .scales = i == 3 ? NULL : regs };
		struct mx_wmma_args g = { .op = i == 0 ? NULL : op,
			                  .profile = i == 1 ? NULL : p,
			                  .ab = { o, o },
			                  .c = i == 4 ? NULL : regs,
			                  .d = i == 5 ? NULL : regs };
		BAD(mx_mma_wmma, "a field", &g);
		BAD(mx_mma_wmma_plain, "a field", &g);
	}
}

static void see(void *context, const struct mx_tdm_move *m) {
	(void)context, (void)m;
}

static void test_tdm(void) {
	static const uint32_t dwords[MX_TDM_DWORDS];
	struct mx_tdm t;
	mx_tdm_decode(dwords, false, &t);
	BAD(mx_tdm_decode, "dwords", NULL, false, &t);
	BAD(mx_tdm_decode, "t", dwords, false, NULL);
	BAD(mx_tdm_moves, "t", NULL, see, NULL);
	BAD(mx_tdm_moves, "visit", &t, NULL, NULL);
	null("mx_tdm_lds_end", "t", !mx_tdm_lds_end(NULL));
	null("mx_tdm_text", "t", !mx_tdm_text(NULL, NULL, 0));
}

/* The first argument of BAD, or of null with quotes. */
static bool is_called(const char *source, const char *name) {
	char macro[80], string[80];
	snprintf(macro, sizeof macro, "BAD(%s,", name);
	snprintf(string, sizeof string, "null(\"%s\",", name);
	return strstr(source, macro) || strstr(source, string);
}

/* Each function of the header that takes a pointer. */
static void test_all_are_called(const char *source) {
	char name[64];
	int functions = 0, missing = 0;
	for (const char *at = header; (at = strstr(at, "\nMXREF_API ")); at++) {
		const char *end = strchr(at, ';'), *open = memchr(at, '(', (size_t)(end - at));
		const char *begin = open;
		while (begin && (isalnum((unsigned char)begin[-1]) || begin[-1] == '_'))
			begin--;
		if (!open || !memchr(open, '*', (size_t)(end - open)))
			continue;
		functions++;
		snprintf(name, sizeof name, "%.*s", (int)(open - begin), begin);
		if (!is_called(source, name) && !missing++)
			diag("first that is not called here: %s", name);
	}
	ok(functions > 20 && !missing,
	   "this test calls each function that takes a pointer with NULL");
}

static void test_null(void) {
	char *source = calloc(1, 1 << 16);
	FILE *f = fopen(__FILE__, "r");
	size_t n = f && source ? fread(source, 1, (1 << 16) - 1, f) : 0;
	if (f)
		fclose(f);
	test_values();
	test_tensors();
	test_schemes();
	test_scaled();
	test_dense_and_sparse();
	test_wmma();
	test_tdm();
	ok(!wrongs, "a null pointer gives a status, no name, or 0: %d calls", calls);
	if (ok(n && header, "the header and this test can be read"))
		test_all_are_called(source);
	free(source);
}

/* ---- ranges ---- */

static void test_ranges(void) {
	static struct wave w;
	const mx_profile *p = mx_profile_by_name("block32");
	const struct mx_dense *op = mx_dense_at(0);
	static mx_elem code[64];
	static mx_e8m0 s[2];
	mx_f32 c = { 0 }, d = { 7 };
	unsigned n = 77, m = 77, k = 77;
	ok(mx_layout_operand(MX_16X16X128, MX_E4M3, 64, 0, &n, &m) == MX_BAD_OPTION &&
	           mx_layout_operand(MX_16X16X128, MX_E4M3, 0, 32, &n, &m) == MX_BAD_OPTION &&
	           mx_layout_operand(2, MX_E4M3, 0, 0, &n, &m) == MX_BAD_OPTION &&
	           mx_layout_operand(MX_16X16X128, MX_FORMATS, 0, 0, &n, &m) == MX_BAD_FORMAT &&
	           mx_layout_scale(MX_32X32X64, 64, &n, &m) == MX_BAD_OPTION &&
	           mx_layout_result(MX_16X16X128, 0, 4, &n, &m) == MX_BAD_OPTION &&
	           mx_layout_result(MX_32X32X64, 0, 16, &n, &m) == MX_BAD_OPTION &&
	           mx_dense_operand(op, 64, 0, &n, &m, &k) == MX_BAD_OPTION &&
	           mx_dense_result(op, 0, 99, &n, &m, &k) == MX_BAD_OPTION && n + m + k == 231,
	   "lanes, elements and registers out of range give a status, and nothing is written");
	ok(mx_mma_dot(p, 0, 0, 33, code, s, code, s, c, &d) == MX_BAD_SHAPE &&
	           mx_mma_dot(p, MX_FORMATS, 0, 32, code, s, code, s, c, &d) == MX_BAD_FORMAT &&
	           mx_mma_dot(&(mx_profile){ "none" }, 0, 0, 32, code, s, code, s, c, &d) ==
	                   MX_BAD_PROFILE &&
	           d.v == 7,
	   "so do a K that is not a multiple of 32, formats and profiles");
	struct mx_dot_operand o = { 0, code, MX_SCALE_FORMATS, 16, &s->v };
	bool none = mx_mma_block_dot(p, 16, &o, &o, c, &d) == MX_BAD_OPTION;
	o.scale_format = MX_S_E5M3, o.block = 8;
	ok(none && mx_mma_block_dot(p, 16, &o, &o, c, &d) == MX_BAD_OPTION && d.v == 7,
	   "  and scale formats and blocks that no instruction has");
	struct mx_mma_args args = wave_args("block32", 0, MX_E4M3, MX_E4M3, &w);
	args.fmt_b = MX_FORMATS;
	bool good = mx_mma_scaled(&args) == MX_BAD_FORMAT;
	args.fmt_b = MX_E4M3;
	args.shape = 2;
	ok(good && mx_mma_scaled(&args) == MX_BAD_OPTION, "  and those of an instruction");
	mx_e8m0 scale;
	mx_f32 x[33] = { { 0 } };
	ok(mx_quantize_block(MX_E2M1, x, 33, code, &scale) == MX_BAD_SHAPE &&
	           mx_quantize_block(MX_FORMATS, x, 1, code, &scale) == MX_BAD_FORMAT,
	   "a block of 33 is refused");
}

/* ---- the text of the header ---- */

static void field(char *text, const char *name, unsigned value, bool always) {
	if (value || always)
		sprintf(text + strlen(text), ", %s %u", name, value);
}

/* " *   cdna3        group 16, parts 2, align 24 ..." */
static void test_profiles(void) {
	const mx_profile *p;
	int missing = 0;
	for (size_t i = 0; (p = mx_profile_at(i)); i++) {
		char text[200] = "", line[300];
		field(text, "group", p->group, true);
		field(text, "parts", p->parts, true);
		field(text, "align", p->align, false);
		field(text, "join", p->join, false);
		field(text, "dot", p->dot, false);
		field(text, "acc", p->acc, false);
		field(text, "drop", p->drop, false);
		field(text, "norm", p->norm, false);
		field(text, "limit", p->limit, false);
		snprintf(line, sizeof line, " *   %-12s %s\n", p->name, text + 2);
		if ((!header || !strstr(header, line)) && !missing++)
			diag("mxref.h lacks: %s", line);
	}
	ok(!missing, "mxref.h lists each profile with its fields");
}

static void test_recipes(void) {
	int missing = 0;
	for (int r = 0; r < MX_RECIPES; r++) {
		char line[64];
		snprintf(line, sizeof line, "\n *   %s ", mx_recipe_info(r)->name);
		if ((!header || !strstr(header, line)) && !missing++)
			diag("mxref.h has no rule of %s", mx_recipe_info(r)->name);
	}
	ok(!missing, "mxref.h has the rule of each recipe");
}

static void test_version(void) {
	char text[32];
	snprintf(text, sizeof text, "%d.%d.%d", MXREF_VERSION_MAJOR, MXREF_VERSION_MINOR,
	         MXREF_VERSION_PATCH);
	ok(!strcmp(text, MXREF_VERSION) && !strcmp(mx_version(), text),
	   "the library has the header's version, %s", text);
}

/* A block of zeros at the end, under scales that are not NaN. */
static void test_padding(void) {
	int changed = 0, signs = 0;
	for (int i = 0; i < 4000; i++) {
		const mx_profile *p = mx_profile_at(i % 5);
		struct dot x = { .fa = rng() % FORMATS, .fb = rng() % FORMATS, .K = 96 };
		random_dot(&x, any_regime());
		mx_f32 short_sum = dot_under(p, &x);
		for (unsigned k = 96; k < 128; k++)
			x.a[k].v = x.b[k].v = 0;
		x.sa[3].v = rng() % 255;
		x.sb[3].v = rng() % 255;
		x.K = 128;
		mx_f32 padded = dot_under(p, &x);
		bool lost = short_sum.v == 0x80000000 && padded.v == 0;
		changed += padded.v != short_sum.v && !lost;
		signs += lost;
		for (unsigned k = 96; k < 128; k++)
			x.a[k].v = 1u << (mx_format_info(x.fa)->bits - 1);
		changed += dot_under(p, &x).v != short_sum.v;
	}
	ok(!changed, "padding with zeros changes only sums of -0, and padding with -0 and 0 none");
	ok(signs, "  sums of -0 occurred: %d times", signs);
}

int main(void) {
	read_header();
	test_null();
	test_ranges();
	test_profiles();
	test_recipes();
	test_padding();
	test_version();
	free(header);
	return done_testing();
}
