/* The interface of schemes: names, shapes, errors, untouched bytes, blocks down the columns, a
 * given scale of the tensor, and dequantisation, with values derived by hand. */
#include "../../ref/mxref.h"
#include "../float_bits.h"
#include "../tap.h"

#include <math.h>
#include <string.h>

static mx_f32 f32(float x) {
	return (mx_f32){ bits_of(x) };
}

static void test_names(void) {
	mx_scheme s;
	mx_per p;
	bool good = true;
	for (int i = 0; i < MX_SCHEMES; i++)
		good &= mx_scheme_by_name(mx_scheme_info(i)->name, &s) && s == (mx_scheme)i &&
		        mx_scheme_info(i)->formats && mx_scheme_info(i)->per;
	for (int i = 0; i < MX_PERS; i++)
		good &= mx_per_by_name(mx_per_name(i), &p) && p == (mx_per)i;
	ok(good && mx_scheme_by_name("VLLM-Token", &s) && s == MX_SCHEME_VLLM_TOKEN,
	   "each scheme and each shape of blocks is found by its name, case ignored");
	ok(!mx_scheme_by_name("vllm", &s) && !mx_scheme_info(MX_SCHEMES) && !mx_per_name(MX_PERS) &&
	           !mx_per_by_name("1x64", &p),
	   "others are not");
}

static bool shape_is(mx_scheme s, mx_format f, mx_per p, size_t rows, size_t cols, size_t bytes) {
	struct mx_scales_shape shape;
	struct mx_scheme_args a = { s, f, p, NULL };
	return mx_scheme_scales(&a, 130, 260, &shape) == MX_OK && shape.rows == rows &&
	       shape.cols == cols && shape.bytes == bytes;
}

static void test_shapes(void) {
	ok(shape_is(MX_SCHEME_TORCHAO, MX_E4M3, MX_PER_TENSOR, 1, 1, 4) &&
	           shape_is(MX_SCHEME_TORCHAO, MX_E4M3, MX_PER_ROW, 130, 1, 4) &&
	           shape_is(MX_SCHEME_TORCHAO, MX_E4M3, MX_PER_1X128, 130, 3, 4) &&
	           shape_is(MX_SCHEME_TORCHAO, MX_E4M3, MX_PER_128X128, 2, 3, 4) &&
	           shape_is(MX_SCHEME_NVFP4_TORCHAO, MX_E2M1, MX_PER_1X16, 130, 17, 1) &&
	           shape_is(MX_SCHEME_MXINT8, MX_INT8, MX_PER_1X32, 130, 9, 1) &&
	           shape_is(MX_SCHEME_QUARK_MX6, MX_E0M4, MX_PER_1X16, 130, 17, 2),
	   "130 x 260 has as many scales as it has blocks, short ones at the edges too");
}

/* ---- errors ---- */

static float data[4 * 64];
static uint8_t codes[4 * 64 + 8], scales[64];
static mx_f32 back[4 * 64];

static mx_status quantize(mx_scheme s, mx_format f, mx_per p, size_t row_bytes, size_t scale_bytes,
                          ptrdiff_t x_row_bytes, size_t rows) {
	struct mx_scheme_args a = { s, f, p, NULL };
	struct mx_tensor x = { data, MX_DTYPE_F32, rows, 64, x_row_bytes, 4 };
	struct mx_quantised q = { codes, row_bytes, scales, scale_bytes };
	mx_f32 t;
	return mx_scheme_quantize(&a, &x, &q, &t);
}

static void test_errors(void) {
	const mx_scheme s = MX_SCHEME_TORCHAO;
	ok(quantize(s, MX_E4M3, MX_PER_ROW, 64, 4, 256, 4) == MX_OK, "a valid call is MX_OK");
	ok(quantize(MX_SCHEMES, MX_E4M3, MX_PER_ROW, 64, 4, 256, 4) == MX_BAD_RECIPE &&
	           quantize((mx_scheme)-1, MX_E4M3, MX_PER_ROW, 64, 4, 256, 4) == MX_BAD_RECIPE,
	   "no such scheme is MX_BAD_RECIPE");
	ok(quantize(s, MX_E2M1, MX_PER_ROW, 64, 4, 256, 4) == MX_BAD_FORMAT &&
	           quantize(s, MX_ELEMENTS, MX_PER_ROW, 64, 4, 256, 4) == MX_BAD_FORMAT,
	   "a format without this scheme is MX_BAD_FORMAT");
	ok(quantize(s, MX_E4M3, MX_PER_1X32, 64, 4, 256, 4) == MX_BAD_OPTION &&
	           quantize(s, MX_E4M3, MX_PERS, 64, 4, 256, 4) == MX_BAD_OPTION,
	   "blocks without this scheme are MX_BAD_OPTION");
	ok(quantize(s, MX_E4M3, MX_PER_ROW, 63, 4, 256, 4) == MX_BAD_STRIDE &&
	           quantize(s, MX_E4M3, MX_PER_ROW, 64, 3, 256, 4) == MX_BAD_STRIDE &&
	           quantize(s, MX_E4M3, MX_PER_ROW, 64, 4, 2, 4) == MX_BAD_STRIDE,
	   "rows that reach into the next, and a split element, are MX_BAD_STRIDE");
	ok(quantize(s, MX_E4M3, MX_PER_ROW, SIZE_MAX / 2, 4, 256, 4) == MX_BAD_SHAPE &&
	           quantize(s, MX_E4M3, MX_PER_ROW, 64, 4, 256, SIZE_MAX) == MX_BAD_SHAPE,
	   "a size that overflows is MX_BAD_SHAPE");
	ok(quantize(s, MX_E4M3, MX_PER_ROW, 0, 0, 0, 0) == MX_OK, "an empty matrix is MX_OK");
}

/* ---- what is written ---- */

static void test_gaps(void) {
	struct mx_scheme_args a = { MX_SCHEME_QUARK_MX6, MX_E0M4, MX_PER_1X16, NULL };
	struct mx_tensor x = { data, MX_DTYPE_F32, 3, 19, 256, 4 };
	struct mx_quantised q = { codes, 15, scales, 6 }; /* 12 bytes of codes, 4 of scales */
	bool good = true;
	memset(codes, 0xA5, sizeof codes);
	memset(scales, 0xA5, sizeof scales);
	for (int i = 0; i < 256; i++)
		data[i] = -1;
	good &= mx_scheme_quantize(&a, &x, &q, NULL) == MX_OK;
	for (size_t i = 0; i < sizeof codes; i++)
		good &= (i < 45 && i % 15 < 12) == (codes[i] != 0xA5);
	for (size_t i = 0; i < sizeof scales; i++)
		good &= (i < 18 && i % 6 < 4) == (scales[i] != 0xA5);
	ok(good, "bytes between rows and after the last row are not touched");
	ok(codes[11] >> 7 == 0, "unused bits of the last byte of a row are 0");
}

static void test_outputs(void) {
	struct mx_scheme_args a = { MX_SCHEME_MXINT8, MX_INT8, MX_PER_1X32, NULL };
	struct mx_tensor x = { data, MX_DTYPE_F32, 1, 32, 128, 4 };
	struct mx_quantised no_codes = { NULL, 32, scales, 1 }, no_scales = { codes, 32, NULL, 1 };
	ok(mx_scheme_quantize(&a, &x, &no_codes, NULL) == MX_BAD_POINTER &&
	           mx_scheme_quantize(&a, &x, &no_scales, NULL) == MX_BAD_POINTER,
	   "null codes or scales are refused");
}

static void test_columns(void) {
	struct mx_scheme_args a = { MX_SCHEME_DEEPGEMM, MX_E4M3, MX_PER_1X128, NULL };
	float down[2][3] = { { 448, 896, 1 }, { 224, -448, 0.5 } };
	struct mx_tensor x = { down, MX_DTYPE_F32, 3, 2, 4, 12 };
	struct mx_quantised q = { codes, 2, scales, 4 };
	float s[3];
	mx_status status = mx_scheme_quantize(&a, &x, &q, NULL);
	memcpy(s, scales, sizeof s);
	ok(status == MX_OK && s[0] == 1 && s[1] == 2 && s[2] == 1.f / 448 && codes[0] == 0x7E &&
	           codes[1] == 0x76 && codes[2] == 0x7E && codes[3] == 0xF6 && codes[4] == 0x7E,
	   "swapped sizes and strides make blocks down the columns");
}

static void test_given(void) {
	mx_f32 given = f32(0.5), got = f32(7);
	struct mx_scheme_args a = { MX_SCHEME_NVFP4_TORCHAO, MX_E2M1, MX_PER_1X16, &given };
	float x16[16] = { 6, 3, -1.5 };
	struct mx_tensor x = { x16, MX_DTYPE_F32, 1, 16, 64, 4 };
	struct mx_quantised q = { codes, 8, scales, 1 };
	mx_status status = mx_scheme_quantize(&a, &x, &q, &got);
	ok(status == MX_OK && got.v == given.v && scales[0] == 0x40 && codes[0] == 0x57 &&
	           codes[1] == 0x0B,
	   "a given scale of the tensor is used and returned: 6 / 6 / 0.5 is scale 2");
	mx_scheme_dequantize(&a, &q, 1, 16, back, 64, 4);
	ok(as_float(back[0].v) == 6 && as_float(back[1].v) == 3 && as_float(back[2].v) == -1.5,
	   "and dequantisation gives 6, 3 and -1.5 again");
}

/* vLLM's reciprocals flush numbers below the smallest normal, but not that number. */
static void test_flushed(void) {
	mx_f32 given = f32(0x1p126f), got;
	struct mx_scheme_args a = { MX_SCHEME_NVFP4_VLLM, MX_E2M1, MX_PER_1X16, &given };
	float x16[16] = { 6 * 0x1p-126f, 0x1p-126f };
	struct mx_tensor x = { x16, MX_DTYPE_F32, 1, 16, 64, 4 };
	struct mx_quantised q = { codes, 8, scales, 1 };
	mx_status status = mx_scheme_quantize(&a, &x, &q, &got);
	if (!ok(status == MX_OK && scales[0] == 0x38 && codes[0] == 0x27 && codes[1] == 0,
	        "the reciprocal of 2^126 is a number"))
		diag("status %d, scale 0x%02x, codes 0x%02x%02x", status, scales[0], codes[1],
		     codes[0]);
}

/* ---- dequantising ---- */

static float value(mx_scheme s, mx_format f, mx_per p, uint8_t code, uint32_t scale, float tensor,
                   size_t at) {
	mx_f32 t = f32(tensor);
	struct mx_scheme_args a = { s, f, p, &t };
	struct mx_quantised q = { codes, 16, scales, 4 };
	memset(codes, 0, 16);
	mx_elem_set(f, codes, at, (mx_elem){ code });
	memcpy(scales, &scale, 4);
	need(mx_scheme_dequantize(&a, &q, 1, 16, back, 64, 4) == MX_OK, "mx_scheme_dequantize");
	return as_float(back[at].v);
}

static void test_values(void) {
	uint32_t third = bits_of(1.f / 3), seven = bits_of(7);
	ok(value(MX_SCHEME_DEEPSEEK, MX_E4M3, MX_PER_1X128, 0xFE, third, 0, 3) == -448 * (1.f / 3),
	   "FP8: code times scale, rounded once");
	ok(value(MX_SCHEME_TORCHAO_TRAINING, MX_E5M2, MX_PER_ROW, 0x3C, seven, 0, 3) == 1 / 7.f,
	   "torchao-training: code over scale");
	ok(value(MX_SCHEME_NONE, MX_E4M3FNUZ, MX_PER_TENSOR, 0x7F, bits_of(1), 0, 0) == 240 &&
	           isnan(value(MX_SCHEME_NONE, MX_E4M3FNUZ, MX_PER_TENSOR, 0x80, bits_of(1), 0, 0)),
	   "E4M3FNUZ: 0x7F is 240 and 0x80 NaN");
	/* 0x33 is 0.6875; the scale of the tensor is rounded in first: 0.6875f * 0.1f */
	ok(value(MX_SCHEME_NVFP4_MODELOPT, MX_E2M1, MX_PER_1X16, 5, 0x33, 0.1f, 2) ==
	           3 * (0.6875f * 0.1f),
	   "NVFP4: code times (scale times the tensor's)");
	ok(value(MX_SCHEME_NVFP4_VLLM, MX_E2M1, MX_PER_1X16, 5, 0x33, 7, 2) == 3 * (0.6875f / 7),
	   "NVFP4 of vLLM: code times (scale over the tensor's)");
	ok(value(MX_SCHEME_NVFP4_TORCHAO_SINGLE, MX_E2M1, MX_PER_1X16, 13, 0x33, 0, 2) ==
	           -3 * 0.6875f,
	   "NVFP4 without a scale of the tensor: code times scale");
	ok(value(MX_SCHEME_MXINT8_FULL, MX_INT8, MX_PER_1X32, 0x80, 129, 0, 5) == -8 &&
	           isnan(value(MX_SCHEME_MXINT8, MX_INT8, MX_PER_1X32, 1, 0xFF, 0, 5)),
	   "MXINT8: -128 is -2, times 2^2; the scale 0xFF is NaN");
	/* pair 2, elements 4 and 5, has its bit set: half of what the others are */
	ok(value(MX_SCHEME_QUARK_MX6, MX_E0M4, MX_PER_1X16, 0x1F, 130 | 4 << 8, 0, 4) == -7.5 &&
	           value(MX_SCHEME_QUARK_MX6, MX_E0M4, MX_PER_1X16, 0x1F, 130 | 4 << 8, 0, 6) ==
	                   -15,
	   "MX6: -15/8 times 2^3, and times 2^2 if the pair's bit is set");
	ok(value(MX_SCHEME_QUARK_MX9, MX_E0M7, MX_PER_1X16, 0x7F, 127, 0, 0) == 127 / 64.f,
	   "MX9: 127/64 times 2^0");
}

int main(void) {
	test_names();
	test_shapes();
	test_errors();
	test_gaps();
	test_outputs();
	test_columns();
	test_given();
	test_flushed();
	test_values();
	return done_testing();
}
