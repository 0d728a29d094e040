/* Schemes against plain transcriptions of their sources, with host floats (IEEE 754, each operation
 * rounded once) and a search of all codes for each element. The library works on bits. */
#include "../../ref/mxref.h"
#include "../float_bits.h"
#include "../random.h"
#include "../tap.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- elements: the value of each code, and the nearest code ---- */

static double ieee_like(unsigned code, unsigned bits, unsigned man, int bias) {
	unsigned magnitude = code & ((1u << (bits - 1)) - 1), field = magnitude >> man;
	unsigned fraction = magnitude & ((1u << man) - 1);
	double x = field ? ldexp(1 + ldexp(fraction, -(int)man), (int)field - bias)
	                 : ldexp(fraction, 1 - bias - (int)man);
	return code >> (bits - 1) & 1 ? -x : x;
}

struct element {
	mx_format id;
	const char *name;
	unsigned bits, man;
	int bias;
	unsigned top; /* the largest code that is a number */
	int nan;      /* -1: none */
};

static const struct element e4m3 = { MX_E4M3, "E4M3", 8, 3, 7, 0x7E, 0x7F };
static const struct element e5m2 = { MX_E5M2, "E5M2", 8, 2, 15, 0x7B, 0x7E };
static const struct element e4m3fnuz = { MX_E4M3FNUZ, "E4M3FNUZ", 8, 3, 8, 0x7F, 0x80 };
static const struct element e5m2fnuz = { MX_E5M2FNUZ, "E5M2FNUZ", 8, 2, 16, 0x7F, 0x80 };
static const struct element e2m1 = { MX_E2M1, "E2M1", 4, 1, 1, 7, -1 };
static const struct element e0m4 = { MX_E0M4, "E0M4", 5, 4, 0, 15, -1 };
static const struct element e0m7 = { MX_E0M7, "E0M7", 8, 7, 0, 127, -1 };

static bool is_fnuz(const struct element *e) {
	return e->nan == 0x80;
}

static double value_of(const struct element *e, unsigned code) {
	return ieee_like(code, e->bits, e->man, e->bias);
}

/* A table of value_of. */
static const double *values_of(const struct element *e) {
	static double values[MX_ELEMENTS][128];
	if (!values[e->id][1])
		for (unsigned c = 0; c <= e->top; c++)
			values[e->id][c] = value_of(e, c);
	return values[e->id];
}

static float max_of(const struct element *e) {
	return (float)value_of(e, e->top);
}

/* To nearest even, saturating. */
static unsigned code_of(const struct element *e, double x) {
	unsigned low = 0, high = e->top, sign = 1u << (e->bits - 1);
	const double *values = values_of(e);
	if (isnan(x))
		return e->nan;
	while (low < high) { /* the last that is not above |x| */
		unsigned middle = (low + high + 1) / 2;
		if (values[middle] <= fabs(x))
			low = middle;
		else
			high = middle - 1;
	}
	if (low < e->top) {
		double down = fabs(x) - values[low], up = values[low + 1] - fabs(x);
		low += up < down || (up == down && (low & 1));
	}
	return signbit(x) && (low || !is_fnuz(e)) ? low | sign : low;
}

/* ---- types of the input ---- */

static double rounded(double x, int man, int emin, double max) {
	int e;
	if (!x || !isfinite(x))
		return x;
	frexp(x, &e);
	e = (e - 1 < emin ? emin : e - 1) - man;
	double y = ldexp(rint(ldexp(x, -e)), e);
	return fabs(y) > max ? copysign(INFINITY, y) : y;
}

static float in_type(mx_dtype d, float x) {
	switch (d) {
	case MX_DTYPE_BF16: return (float)rounded(x, 7, -126, 0x1.FEp127);
	case MX_DTYPE_F16: return (float)rounded(x, 10, -14, 65504);
	default: return x;
	}
}

static float epsilon_of(mx_dtype d) {
	return d == MX_DTYPE_BF16 ? 0x1p-7f : d == MX_DTYPE_F16 ? 0x1p-10f : 0x1p-23f;
}

static float tiny_of(mx_dtype d) {
	return d == MX_DTYPE_F16 ? 0x1p-14f : 0x1p-126f;
}

/* ---- the sources: a block x[0..n-1] to codes and a scale ---- */

struct block {
	const struct element *e;
	mx_dtype d;
	const float *x;
	size_t n;
	float tensor;
	uint8_t *codes;
	uint32_t scale;
};

/* torch.amax, which keeps NaN, and a loop of fmaxf, which does not. */
static float torch_amax(const float *x, size_t n) {
	float amax = 0;
	for (size_t i = 0; i < n; i++)
		if (isnan(x[i]) || fabsf(x[i]) > amax) {
			amax = fabsf(x[i]);
			if (isnan(amax))
				return amax;
		}
	return amax;
}

static float fmax_amax(const float *x, size_t n, float amax) {
	for (size_t i = 0; i < n; i++)
		amax = fmaxf(amax, fabsf(x[i]));
	return amax;
}

/* torch.clamp keeps NaN. */
static float torch_clamp(float x, float low, float high) {
	return x < low ? low : x > high ? high : x;
}

static void none(struct block *b) {
	b->scale = bits_of(1);
	for (size_t i = 0; i < b->n; i++)
		b->codes[i] = code_of(b->e, b->x[i]);
}

static void deepseek(struct block *b) {
	float s = fmax_amax(b->x, b->n, 0) / 448.f;
	b->scale = bits_of(s);
	for (size_t i = 0; i < b->n; i++)
		b->codes[i] = code_of(b->e, b->x[i] / s);
}

static void deepgemm(struct block *b) {
	float amax = torch_amax(b->x, b->n), sf = (amax < 1e-4f ? 1e-4f : amax) / 448.0f;
	b->scale = bits_of(sf);
	for (size_t i = 0; i < b->n; i++)
		b->codes[i] = code_of(b->e, b->x[i] * (1.0f / sf));
}

/* quant_type_max: 224 in E4M3FNUZ. */
static float vllm_max(const struct element *e) {
	return e->id == MX_E4M3FNUZ ? 224 : 448;
}

static void vllm_tensor(struct block *b) {
	float max = vllm_max(b->e), s = fmax_amax(b->x, b->n, 0) / max, inverse = 1.0f / s;
	b->scale = bits_of(s);
	for (size_t i = 0; i < b->n; i++)
		b->codes[i] = code_of(b->e, fmaxf(-max, fminf(b->x[i] * inverse, max)));
}

static void vllm_token(struct block *b) {
	float max = vllm_max(b->e), s = fmax_amax(b->x, b->n, 0) / max;
	s = fmaxf(s, 1.0f / (max * 512.0f));
	b->scale = bits_of(s);
	for (size_t i = 0; i < b->n; i++)
		b->codes[i] = code_of(b->e, fmaxf(-max, fminf(b->x[i] / s, max)));
}

static void vllm_group(struct block *b) {
	float max = vllm_max(b->e), s = fmax_amax(b->x, b->n, 1e-10f) / max;
	b->scale = bits_of(s);
	for (size_t i = 0; i < b->n; i++)
		b->codes[i] = code_of(b->e, fminf(fmaxf(b->x[i] / s, -max), max));
}

/* v_med3_f32 with a NaN is the least of the others. */
static float med3(float x, float max) {
	return isnan(x) ? -max : torch_clamp(x, -max, max);
}

static void aiter(struct block *b, float amax) {
	float max = max_of(b->e), inverted_max = (float)(1. / max);
	float s = amax * inverted_max, inverse = 1.0f / s;
	b->scale = bits_of(s);
	for (size_t i = 0; i < b->n; i++)
		b->codes[i] = code_of(b->e, med3(b->x[i] * inverse, max));
}

static void aiter_token(struct block *b) {
	aiter(b, fmax_amax(b->x, b->n, 0));
}

static void aiter_group(struct block *b) {
	aiter(b, fmax_amax(b->x, b->n, 1e-10f));
}

static void aiter_torch(struct block *b) {
	float s = torch_amax(b->x, b->n) / max_of(b->e);
	if (s == 0)
		s = 1;
	b->scale = bits_of(s);
	for (size_t i = 0; i < b->n; i++)
		b->codes[i] = code_of(b->e, b->x[i] / s);
}

static void aiter_torch_tensor(struct block *b) {
	float s = torch_amax(b->x, b->n) / max_of(b->e);
	b->scale = bits_of(s);
	for (size_t i = 0; i < b->n; i++)
		b->codes[i] = code_of(b->e, b->x[i] / s);
}

/* max_abs / quant_max in the tensor's type, then both to f32 and clamp. */
static void torchao(struct block *b) {
	float max = max_of(b->e), s = in_type(b->d, torch_amax(b->x, b->n) / max);
	b->scale = bits_of(s);
	for (size_t i = 0; i < b->n; i++)
		b->codes[i] = code_of(b->e, torch_clamp(b->x[i] / s, -max, max));
}

static float torchao_factor(struct block *b) {
	double amax = torch_amax(b->x, b->n);
	float max = max_of(b->e), s = (float)(max / (amax < 1e-12 ? 1e-12 : amax));
	for (size_t i = 0; i < b->n; i++)
		b->codes[i] = code_of(b->e, torch_clamp(b->x[i] * s, -max, max));
	return s;
}

static void torchao_training(struct block *b) {
	b->scale = bits_of(torchao_factor(b));
}

static void torchao_blockwise(struct block *b) {
	b->scale = bits_of(1.0f / torchao_factor(b));
}

static void compressed_tensors(struct block *b) {
	float s = in_type(b->d, torch_amax(b->x, b->n) / 448.f);
	if (s == 0)
		s = epsilon_of(b->d);
	b->scale = bits_of(s);
	for (size_t i = 0; i < b->n; i++)
		b->codes[i] = code_of(b->e, torch_clamp(in_type(b->d, b->x[i] / s), -448.f, 448.f));
}

/* f32_to_f4_unpacked rounds the bits of a NaN like those of a number. A NaN from the product has
 * no sign. */
static unsigned ao_fp4(float x, float factor) {
	float y = isnan(x * factor) && !isnan(x) ? fabsf(x * factor) : x * factor;
	uint32_t u = bits_of(y) & 0x7FFFFFFF, sign = bits_of(y) >> 28 & 8;
	if (u <= 0x7F800000)
		return code_of(&e2m1, torch_clamp(y, -6, 6));
	u += ((1u - 127) << 23) + ((1u << 21) - 1) + (u >> 22 & 1);
	return (u >> 22 & 0xFF & 7) | sign;
}

static void nvfp4_torchao(struct block *b) {
	float s = torch_clamp(torch_amax(b->x, b->n) / 6.f / b->tensor, 0x1p-6f, 448.f);
	b->scale = code_of(&e4m3, s);
	float q = isnan(s) ? as_float(0x7FF00000) : (float)value_of(&e4m3, b->scale);
	float reciprocal = (1.0f / b->tensor) / q;
	for (size_t i = 0; i < b->n; i++)
		b->codes[i] = ao_fp4(b->x[i], reciprocal);
}

static void nvfp4_torchao_single(struct block *b) {
	float s = torch_clamp(torch_amax(b->x, b->n) / 6.f, 0x1p-6f, 448.f);
	b->scale = code_of(&e4m3, s);
	float q = isnan(s) ? as_float(0x7FF00000) : (float)value_of(&e4m3, b->scale);
	for (size_t i = 0; i < b->n; i++)
		b->codes[i] = ao_fp4(b->x[i], 1.0f / q);
}

/* ordinal search over the midpoints; the sign is that of y < 0. */
static unsigned counted_fp4(float y) {
	return isnan(y) ? 7 : code_of(&e2m1, y == 0 ? 0.0 : y);
}

static void nvfp4_modelopt(struct block *b) {
	float s = torch_amax(b->x, b->n) / (6.0f * b->tensor);
	s = torch_clamp(s == 0 ? 1.0f : s, 0x1p-9f, 448.f);
	b->scale = code_of(&e4m3, s);
	float q = isnan(s) ? NAN : (float)value_of(&e4m3, b->scale);
	for (size_t i = 0; i < b->n; i++)
		b->codes[i] = counted_fp4(b->x[i] / (q * b->tensor));
}

static void nvfp4_compressed_tensors(struct block *b) {
	float s = b->tensor * in_type(b->d, torch_amax(b->x, b->n) / 6.f);
	b->scale = code_of(&e4m3, s);
	if (!b->scale)
		b->scale = code_of(&e4m3, 0.125);
	float q = isnan(s) ? NAN : (float)value_of(&e4m3, b->scale);
	for (size_t i = 0; i < b->n; i++)
		b->codes[i] = isnan(b->x[i] / (q / b->tensor))
		                      ? 0 /* NaN converted to an integer, on x86 */
		                      : counted_fp4(b->x[i] / (q / b->tensor));
}

static float ftz(float x) {
	return fabsf(x) < FLT_MIN ? copysignf(0, x) : x;
}

static float rcp(float x) {
	return ftz(1.0f / ftz(x));
}

static void nvfp4_vllm(struct block *b) {
	float s = b->tensor * (fmax_amax(b->x, b->n, 0) * rcp(6.0f));
	b->scale = code_of(&e4m3, s);
	float q = isnan(s) ? NAN : (float)value_of(&e4m3, b->scale);
	float out = q != 0 ? rcp(q * rcp(b->tensor)) : 0.0f;
	for (size_t i = 0; i < b->n; i++)
		b->codes[i] = isnan(b->x[i] * out) ? 7 : code_of(&e2m1, b->x[i] * out);
}

static float tensor_torchao(const struct block *b) {
	return torch_amax(b->x, b->n) / (448.0f * 6.0f);
}

/* PyTorch computes number / tensor as the tensor's reciprocal times the number. */
static float tensor_compressed_tensors(const struct block *b) {
	float amax = torch_amax(b->x, b->n), least = tiny_of(b->d);
	float inverse = in_type(b->d, 1.0f / (amax < least ? least : amax));
	float g = in_type(b->d, inverse * (448.0f * 6.0f));
	return isfinite(g) ? g : 1;
}

static float tensor_vllm(const struct block *b) {
	return 1.0f / fmax_amax(b->x, b->n, 0) * (448.0f * 6.0f);
}

/* OCP 6.3: the scale is 2^floor(log2 amax), and 2^-127 at least. */
static void int8_codes(struct block *b, unsigned byte, int least) {
	b->scale = byte;
	for (size_t i = 0; i < b->n; i++) {
		double y = ldexp(b->x[i], 6 + 127 - (int)byte);
		if (byte == 0xFF || isnan(y))
			y = signbit(b->x[i]) ? -127 : 127;
		y = rint(y);
		b->codes[i] = (int)(y < least ? least : y > 127 ? 127 : y);
	}
}

static unsigned floor_byte(float amax) {
	int e;
	if (!isfinite(amax))
		return 0xFF;
	frexp(amax, &e);
	return amax == 0 || e - 1 < -127 ? 0 : e - 1 + 127;
}

static void mxint8(struct block *b) {
	int8_codes(b, floor_byte(torch_amax(b->x, b->n)), -127);
}

static void mxint8_full(struct block *b) {
	int8_codes(b, floor_byte(torch_amax(b->x, b->n)), -128);
}

/* even_round with 8 bits of mantissa rounds up from 2 - 2^-9. */
static void quark_mxint8(struct block *b) {
	float amax = torch_amax(b->x, b->n);
	int e;
	double m = 2 * frexp(amax, &e);
	int exp = e - 1 + (m >= 2 - 0x1p-9);
	unsigned byte = amax == 0    ? b->d != MX_DTYPE_F16
	                : exp < -127 ? 0
	                : exp > 127  ? 254
	                             : exp + 127;
	if (amax > 0 && amax < FLT_MIN)
		byte = amax >= FLT_MIN - 0x1p-135f;
	int8_codes(b, isnan(amax) ? 0xFF : isinf(amax) ? 254 : byte, -127);
}

/* t_exponent: the exponent field, less its bias, of a finite number; else that of 0. */
static int pair_exponent(const struct block *b, size_t i) {
	int e, zero = b->d == MX_DTYPE_F16 ? -15 : -127;
	if (i >= b->n || !isfinite(b->x[i]) || fabsf(b->x[i]) < tiny_of(b->d))
		return zero;
	frexp(b->x[i], &e);
	return e - 1;
}

static void microexponent(struct block *b) {
	int max = -127, quant_bit = b->e->bits;
	unsigned bits = 0;
	for (size_t i = 0; i < 16; i++)
		max = pair_exponent(b, i) > max ? pair_exponent(b, i) : max;
	for (size_t i = 0; i < 16; i += 2)
		if (max - pair_exponent(b, i) >= 1 && max - pair_exponent(b, i + 1) >= 1)
			bits |= 1u << i / 2;
	b->scale = (unsigned)(max + 127) | bits << 8;
	for (size_t i = 0; i < b->n; i++) {
		int shared = max - (int)(bits >> i / 2 & 1), most = (1 << (quant_bit - 1)) - 1;
		double y = fabsf(b->x[i]) < tiny_of(b->d)
		                   ? 0
		                   : rint(ldexp(b->x[i], -(shared - quant_bit + 2)));
		unsigned magnitude = !(fabs(y) < most) ? (unsigned)most : (unsigned)fabs(y);
		b->codes[i] = magnitude | (signbit(y) ? 1u << (quant_bit - 1) : 0);
	}
}

/* ---- the schemes and options ---- */

struct source {
	const char *name;
	const struct element *e;
	mx_per per;
	void (*block)(struct block *b);
	float (*tensor)(const struct block *b);
};

static const struct element int8 = { MX_INT8, "INT8", 8, 7, 0, 127, -1 };
static const struct source sources[] = {
	{ "none", &e4m3fnuz, MX_PER_TENSOR, none, NULL },
	{ "none", &e5m2fnuz, MX_PER_TENSOR, none, NULL },
	{ "none", &e4m3, MX_PER_TENSOR, none, NULL },
	{ "deepseek", &e4m3, MX_PER_1X128, deepseek, NULL },
	{ "deepseek", &e4m3, MX_PER_128X128, deepseek, NULL },
	{ "deepgemm", &e4m3, MX_PER_1X128, deepgemm, NULL },
	{ "deepgemm", &e4m3, MX_PER_128X128, deepgemm, NULL },
	{ "vllm-tensor", &e4m3, MX_PER_TENSOR, vllm_tensor, NULL },
	{ "vllm-tensor", &e4m3fnuz, MX_PER_TENSOR, vllm_tensor, NULL },
	{ "vllm-token", &e4m3, MX_PER_ROW, vllm_token, NULL },
	{ "vllm-token", &e4m3fnuz, MX_PER_ROW, vllm_token, NULL },
	{ "vllm-group", &e4m3, MX_PER_1X128, vllm_group, NULL },
	{ "vllm-group", &e4m3fnuz, MX_PER_1X128, vllm_group, NULL },
	{ "aiter-token", &e4m3, MX_PER_ROW, aiter_token, NULL },
	{ "aiter-token", &e4m3, MX_PER_TENSOR, aiter_token, NULL },
	{ "aiter-token", &e4m3fnuz, MX_PER_ROW, aiter_token, NULL },
	{ "aiter-group", &e4m3, MX_PER_1X128, aiter_group, NULL },
	{ "aiter-group", &e4m3fnuz, MX_PER_1X128, aiter_group, NULL },
	{ "aiter-torch", &e4m3, MX_PER_ROW, aiter_torch, NULL },
	{ "aiter-torch", &e4m3fnuz, MX_PER_1X128, aiter_torch, NULL },
	{ "aiter-torch-tensor", &e4m3, MX_PER_TENSOR, aiter_torch_tensor, NULL },
	{ "torchao", &e4m3, MX_PER_TENSOR, torchao, NULL },
	{ "torchao", &e4m3, MX_PER_ROW, torchao, NULL },
	{ "torchao", &e5m2, MX_PER_1X128, torchao, NULL },
	{ "torchao", &e5m2fnuz, MX_PER_128X128, torchao, NULL },
	{ "torchao-training", &e4m3, MX_PER_TENSOR, torchao_training, NULL },
	{ "torchao-training", &e5m2, MX_PER_ROW, torchao_training, NULL },
	{ "torchao-blockwise", &e4m3, MX_PER_1X128, torchao_blockwise, NULL },
	{ "torchao-blockwise", &e4m3, MX_PER_128X128, torchao_blockwise, NULL },
	{ "compressed-tensors", &e4m3, MX_PER_TENSOR, compressed_tensors, NULL },
	{ "compressed-tensors", &e4m3, MX_PER_ROW, compressed_tensors, NULL },
	{ "compressed-tensors", &e4m3, MX_PER_128X128, compressed_tensors, NULL },
	{ "nvfp4-torchao", &e2m1, MX_PER_1X16, nvfp4_torchao, tensor_torchao },
	{ "nvfp4-torchao-single", &e2m1, MX_PER_1X16, nvfp4_torchao_single, NULL },
	{ "nvfp4-modelopt", &e2m1, MX_PER_1X16, nvfp4_modelopt, tensor_torchao },
	{ "nvfp4-compressed-tensors", &e2m1, MX_PER_1X16, nvfp4_compressed_tensors,
	  tensor_compressed_tensors },
	{ "nvfp4-vllm", &e2m1, MX_PER_1X16, nvfp4_vllm, tensor_vllm },
	{ "mxint8", &int8, MX_PER_1X32, mxint8, NULL },
	{ "mxint8-full", &int8, MX_PER_1X32, mxint8_full, NULL },
	{ "quark-mxint8", &int8, MX_PER_1X32, quark_mxint8, NULL },
	{ "quark-mx6", &e0m4, MX_PER_1X16, microexponent, NULL },
	{ "quark-mx9", &e0m7, MX_PER_1X16, microexponent, NULL },
};
enum { SOURCES = sizeof sources / sizeof *sources };

/* ---- data ---- */

enum { MOST = 300 * 300 };

static uint64_t rng_state = 20251122;

static unsigned below(unsigned n) {
	return next_random(&rng_state) % n;
}

/* kind 0: sizes of a model; 1: short mantissas, where ties are; 2: any exponent; 3: with special
 * values; 4: near the smallest numbers; 5: zeros of both signs. */
static float draw(int kind, int top) {
	static const float special[] = { NAN,     INFINITY, -INFINITY, 0,        -0.0f, 0x1p-149f,
		                         FLT_MIN, -FLT_MIN, FLT_MAX,   -FLT_MAX, 448,   -448 };
	float sign = below(2) ? 1 : -1, fraction = 1 + below(1 << 23) * 0x1p-23f;
	switch (kind) {
	case 0: return sign * fraction * ldexpf(1, top - (int)below(8));
	case 1: return sign * (1 + below(32) * 0x1p-5f) * ldexpf(1, top - (int)below(12));
	case 2: return sign * ldexpf(fraction, (int)below(277) - 149);
	case 3:
		return below(40) ? sign * fraction * ldexpf(1, top - (int)below(8))
		                 : special[below(12)];
	case 4: return sign * ldexpf(below(1024), -149 + (int)below(4));
	}
	return sign * 0;
}

struct matrix {
	mx_dtype d;
	size_t rows, cols;
	float x[MOST];       /* what the elements are */
	uint32_t data[MOST]; /* as they are stored */
};

static void store(struct matrix *m, size_t i, float x) {
	x = in_type(m->d, x);
	m->x[i] = x;
	if (m->d == MX_DTYPE_F32)
		m->data[i] = bits_of(x);
	else if (m->d == MX_DTYPE_BF16)
		((uint16_t *)m->data)[i] = bits_of(x) >> 16;
	else
		((uint16_t *)m->data)[i] = mx_f16_from_f32((mx_f32){ bits_of(x) }).v;
}

/* Lines of one kind and size each. */
static void fill(struct matrix *m, mx_dtype d, size_t rows, size_t cols, int kind) {
	m->d = d;
	m->rows = rows;
	m->cols = cols;
	for (size_t r = 0; r < rows; r++) {
		int top = kind == 0 ? 3
		                    : (int)below(d == MX_DTYPE_F16 ? 15 : 200) -
		                              (d == MX_DTYPE_F16 ? 5 : 90);
		for (size_t c = 0; c < cols; c++)
			store(m, r * cols + c, draw(kind, top));
	}
}

/* amax at each boundary of element, scale and exponent; 512 of them from the largest down
 * in steps of one unit around codes' midpoints. */
static void fill_amax(struct matrix *m, mx_dtype d, const struct element *e) {
	m->d = d;
	m->rows = 256;
	m->cols = 48;
	for (size_t r = 0; r < m->rows; r++) {
		unsigned code = r % (e->top + 1);
		float middle = (float)(value_of(e, code) + value_of(e, code ? code - 1 : 0)) / 2;
		float amax = nextafterf(middle, below(2) ? 0 : INFINITY);
		for (size_t c = 0; c < m->cols; c++)
			store(m, r * m->cols + c,
			      c % 16 == r % 16 ? (below(2) ? amax : middle)
			                       : draw(1, (int)below(4)) * middle * 0.0625f);
	}
}

/* ---- comparing ---- */

static struct matrix m;
static uint8_t codes[MOST], packed[MOST], scales[4 * MOST];
static float gathered[MOST];

static void sizes(const struct source *s, size_t *high, size_t *wide) {
	*high = s->per == MX_PER_TENSOR ? m.rows : s->per == MX_PER_128X128 ? 128 : 1;
	*wide = s->per == MX_PER_TENSOR || s->per == MX_PER_ROW ? m.cols
	        : s->per == MX_PER_1X16                         ? 16
	        : s->per == MX_PER_1X32                         ? 32
	                                                        : 128;
}

static size_t shorter(size_t a, size_t b) {
	return a < b ? a : b;
}

static bool same_code(const struct element *e, unsigned a, unsigned b) {
	unsigned half = (1u << (e->bits - 1)) - 1;
	bool nan = e->nan >= 0 && !is_fnuz(e) && (a & half) > e->top && (b & half) > e->top;
	return a == b || nan;
}

static bool same_scale(const struct source *s, uint32_t a, uint32_t b) {
	bool f32 = mx_scheme_info(0) && s->tensor == NULL && s->e->nan >= 0;
	return a == b || (f32 && isnan(as_float(a)) && isnan(as_float(b)));
}

static uint32_t scale_at(size_t index, size_t bytes) {
	uint32_t v = 0;
	memcpy(&v, scales + index * bytes, bytes);
	return v;
}

static unsigned bad;

static void compare_block(const struct source *s, struct block *b, size_t row, size_t col,
                          size_t wide, uint32_t scale) {
	if (!same_scale(s, scale, b->scale) && !bad++)
		diag("%s %s: block at %zu,%zu has scale 0x%x, should be 0x%x", s->name, s->e->name,
		     row, col, scale, b->scale);
	size_t row_bytes = mx_packed_bytes(s->e->id, m.cols);
	for (size_t i = 0; i < b->n; i++) {
		size_t r = row + i / wide, c = col + i % wide;
		unsigned got = mx_elem_get(s->e->id, packed + r * row_bytes, c).v;
		if (!same_code(s->e, got, b->codes[i]) && !bad++)
			diag("%s %s: %a (0x%08x) at %zu,%zu, scale 0x%x: code 0x%x, should be 0x%x",
			     s->name, s->e->name, b->x[i], bits_of(b->x[i]), r, c, b->scale, got,
			     b->codes[i]);
	}
}

static void compare(const struct source *s, float tensor, size_t scale_cols, size_t bytes) {
	size_t high, wide;
	sizes(s, &high, &wide);
	for (size_t r = 0; r < m.rows; r += high)
		for (size_t c = 0; c < m.cols; c += wide) {
			size_t h = shorter(high, m.rows - r), w = shorter(wide, m.cols - c);
			struct block b = { s->e, m.d, gathered, h * w, tensor, codes, 0 };
			for (size_t i = 0; i < h * w; i++)
				gathered[i] = m.x[(r + i / w) * m.cols + c + i % w];
			s->block(&b);
			compare_block(s, &b, r, c, w,
			              scale_at(r / high * scale_cols + c / wide, bytes));
		}
}

static void run(const struct source *s) {
	struct mx_scheme_args a = { .format = s->e->id, .per = s->per };
	struct mx_scales_shape shape;
	size_t row_bytes = mx_packed_bytes(s->e->id, m.cols);
	struct block all = { s->e, m.d, m.x, m.rows * m.cols, 0, NULL, 0 };
	float tensor = s->tensor ? s->tensor(&all) : 0;
	mx_f32 got = { 0 };
	need(mx_scheme_by_name(s->name, &a.scheme), s->name);
	need(mx_scheme_scales(&a, m.rows, m.cols, &shape) == MX_OK, "mx_scheme_scales");
	ptrdiff_t size = m.d == MX_DTYPE_F32 ? 4 : 2;
	struct mx_tensor x = { m.data, m.d, m.rows, m.cols, (ptrdiff_t)m.cols * size, size };
	struct mx_quantised out = { packed, row_bytes, scales, shape.cols * shape.bytes };
	mx_status status = mx_scheme_quantize(&a, &x, &out, s->tensor ? &got : NULL);
	if (status && !bad++)
		diag("%s: %s", s->name, mx_strerror(status));
	if (s->tensor && got.v != bits_of(tensor) && !(isnan(tensor) && got.v > 0x7F800000) &&
	    !bad++)
		diag("%s: the tensor's scale is 0x%08x, should be 0x%08x", s->name, got.v,
		     bits_of(tensor));
	compare(s, tensor, shape.cols, shape.bytes);
}

static void test_source(const struct source *s) {
	static const char *const types[] = { "f32", "bf16", "f16" };
	bool wide = s->per == MX_PER_128X128;
	for (mx_dtype d = MX_DTYPE_F32; d < MX_DTYPES; d++) {
		bad = 0;
		for (int kind = 0; kind < 6; kind++) {
			fill(&m, d, wide ? 150 : 40, wide ? 140 : 150, kind);
			run(s);
		}
		for (int i = 0; i < 2; i++) {
			fill_amax(&m, d, i ? &e4m3 : s->e);
			run(s);
		}
		ok(!bad, "%s of %s, %s, per %s: scales and codes equal those of the source",
		   s->name, types[d], s->e->name, mx_per_name(s->per));
	}
}

int main(void) {
	for (int i = 0; i < SOURCES; i++)
		test_source(&sources[i]);
	return done_testing();
}
