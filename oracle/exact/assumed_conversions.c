/* Questions about conversions: NaN, scales, random numbers, denormals, ties. */
#include "assumed.h"

#include <math.h>

#define SIGN 0x80000000u
#define QNAN 0x7fc00000u

enum { KEEP_DENORMALS = 0xf0, KEEP_F16 = 0xc0, TOWARD_ZERO = 0xf };

/* ---- formats, by the name of an instruction: v_cvt_ ... TO_FROM ---- */

static const char *format_of(const char *token, unsigned *bits) {
	static const struct {
		const char *token, *format;
		unsigned bits;
	} formats[] = { { "fp4", "E2M1", 4 },  { "fp6", "E2M3", 6 }, { "bf6", "E3M2", 6 },
		        { "fp8", "E4M3", 8 },  { "bf8", "E5M2", 8 }, { "bf16", "BF16", 16 },
		        { "f16", "FP16", 16 }, { "f32", "FP32", 32 } };
	size_t i = 0;
	while (strncmp(token, formats[i].token, strlen(formats[i].token)))
		i++;
	*bits = formats[i].bits;
	return formats[i].format;
}

struct conversion {
	const char *from, *to;
	unsigned from_bits, to_bits, values;
	bool scaled;
};

static struct conversion conversion_of(const char *kernel) {
	const char *last = strrchr(kernel, '_'), *before = last;
	struct conversion c = { .scaled = strstr(kernel, "scalef32") };
	while (before[-1] != '_')
		before--;
	c.from = format_of(last + 1, &c.from_bits);
	c.to = format_of(before, &c.to_bits);
	c.values = strstr(kernel, "k32") || strstr(kernel, "xpk16") ? 32
	           : strstr(kernel, "pk")                           ? 2
	                                                            : 1;
	return c;
}

static void put(uint32_t *d, unsigned at, unsigned bits, uint32_t code) {
	d[at / 32] |= code << at % 32;
	if (at % 32 + bits > 32)
		d[at / 32 + 1] |= code >> (32 - at % 32);
}

/* The value of a code as an f32. */
static uint32_t decoded(const char *format, uint32_t code) {
	uint32_t f32 = 0;
	exact_decode(format, code, &f32);
	return f32;
}

static uint32_t nearest(const char *format, uint32_t f32, int scale) {
	uint32_t code = 0;
	exact_encode(format, f32, scale, EXACT_RNE, EXACT_OVERFLOW, 0, &code);
	return code;
}

static bool is_nan(uint32_t f32) {
	return (f32 & ~SIGN) > 0x7f800000;
}

/* ---- NaN to formats without NaN ---- */

enum { LARGEST, LARGEST_POSITIVE, SIGNED_ZERO, ZERO };

static void nan_to_small(const struct exact_question *q, unsigned answer, const uint32_t *r,
                         uint32_t *d) {
	struct conversion c = conversion_of(q->kernel);
	uint32_t most = (1u << (c.to_bits - 1)) - 1, sign = 1u << (c.to_bits - 1);
	for (unsigned i = 0; i < c.values; i++) {
		uint32_t x = c.from_bits == 32 ? r[i % 2] : r[0] >> 16 * (i % 2) & 0xffff;
		uint32_t f32 = decoded(c.from, x), code = nearest(c.to, f32, 0);
		if (is_nan(f32))
			code = (answer < SIGNED_ZERO ? most : 0) |
			       (answer % 2 == 0 && f32 & SIGN ? sign : 0);
		put(d, i * c.to_bits, c.to_bits, code);
	}
}

/* NaN of both signs, or 1, in pairs. All of 32 values are alike: their order is not asked for. */
static void ask_nan(const struct exact_question *q, size_t n, uint32_t *r) {
	struct conversion c = conversion_of(q->kernel);
	bool many = c.values == 32;
	unsigned registers = c.values * c.from_bits / 32;
	uint32_t one = nearest(c.from, 0x3f800000, 0), infinity = nearest(c.from, 0x7f800000, 0);
	uint32_t payload = (infinity & -infinity) - 1, x[2];
	for (unsigned i = 0; i < 2; i++) {
		uint64_t any = exact_any(n, many ? 0 : i);
		uint32_t nan = infinity | ((uint32_t)any & payload) | 1;
		x[i] = n % 4 == (many ? 0 : i) ? one : nan;
		x[i] |= (uint32_t)(any >> 40 & 1) << (c.from_bits - 1);
	}
	for (unsigned i = 0; i < registers; i++)
		r[i] = c.from_bits == 32 ? x[i % 2] : x[0] | x[1] << 16;
	r[q->detail] = 0x3f800000;
}

/* ---- scales with exponent 0xff ---- */

enum { IS_NAN, POSITIVE_NAN, LIKE_A_NUMBER, IGNORED };

static uint32_t with_scale(const struct conversion *c, uint32_t f32, unsigned answer) {
	bool widens = c->to_bits > c->from_bits;
	uint32_t nan = answer == IS_NAN ? (f32 & SIGN) | QNAN : QNAN;
	int by = answer == IGNORED ? 0 : widens ? 128 : -128;
	return answer <= POSITIVE_NAN ? nearest(c->to, nan, 0) : nearest(c->to, f32, by);
}

static void scale_of_nan(const struct exact_question *q, unsigned answer, const uint32_t *r,
                         uint32_t *d) {
	struct conversion c = conversion_of(q->kernel);
	for (unsigned i = 0; i < 2; i++) {
		uint32_t x = c.from_bits == 32 ? r[i] : r[0] >> c.from_bits * i & 15;
		put(d, i * c.to_bits, c.to_bits, with_scale(&c, decoded(c.from, x), answer));
	}
}

/* Any code of FP4, or small integers. */
static void ask_scale(const struct exact_question *q, size_t n, uint32_t *r) {
	static const uint32_t scale[] = { 0x7f800000, 0x7fc00000, 0xff800000, 0x7f800001 };
	bool wide = conversion_of(q->kernel).from_bits == 32;
	for (unsigned i = 0; i < 2; i++)
		r[i] = exact_bits((float)((int)(exact_any(n, i) % 13) - 6));
	r[wide ? 2 : 1] = scale[n % 4];
	if (!wide)
		r[0] = (uint32_t)n / 4 & 0xff;
}

/* ---- stochastic rounding ---- */

enum { LAST_PLACE, LOWEST_BITS, NO_CARRY, NOT_RANDOM, FIXED_PLACE };

static unsigned mantissa_of(const char *format) {
	return !strcmp(format, "E4M3")   ? 3
	       : !strcmp(format, "E5M2") ? 2
	       : !strcmp(format, "FP16") ? 10
	                                 : 7;
}

static void stochastic(const struct exact_question *q, unsigned answer, const uint32_t *r,
                       uint32_t *d) {
	struct conversion c = conversion_of(q->kernel);
	unsigned dropped = 23 - mantissa_of(c.to);
	int scale = c.scaled ? 127 - (int)(r[2] >> 23 & 0xff) : 0;
	uint32_t x = r[0], random = r[1], cut = 0, code = 0;
	if (answer == LOWEST_BITS)
		random <<= 32 - dropped;
	exact_encode(c.to, x, scale, EXACT_RTZ, EXACT_OVERFLOW, 0, &cut);
	exact_encode(c.to, x, scale, EXACT_SR, EXACT_OVERFLOW, random, &code);
	bool carried = code >> mantissa_of(c.to) != cut >> mantissa_of(c.to);
	if (answer == FIXED_PLACE) {
		x += random >> (32 - dropped);
		exact_encode(c.to, x, scale, EXACT_RTZ, EXACT_OVERFLOW, 0, &code);
	}
	d[0] = answer == NOT_RANDOM            ? nearest(c.to, x, scale)
	       : answer == NO_CARRY && carried ? cut
	                                       : code;
}

/* Numbers of the format's lower half, denormals too, with all their bits. */
static void ask_stochastic(const struct exact_question *q, size_t n, uint32_t *r) {
	const char *to = conversion_of(q->kernel).to;
	unsigned least = !strcmp(to, "E4M3")   ? 127 - 10
	                 : !strcmp(to, "E5M2") ? 127 - 17
	                 : !strcmp(to, "FP16") ? 127 - 25
	                                       : 1;
	r[0] = ((uint32_t)exact_any(n, 0) & 0x807fffff) | (least + (uint32_t)exact_any(n, 2) % 14)
	                                                          << 23;
	if (n % 4 == 0) /* a mantissa of ones, so that it carries */
		r[0] |= 0x7fc000;
	r[1] = (uint32_t)exact_any(n, 1);
	r[2] = 0x3f800000;
}

/* ---- denormals where MODE flushes those of f32 and keeps those of f16 ---- */

static uint32_t flushed(uint32_t f32, bool flush) {
	return flush && !(f32 & 0x7f800000) ? f32 & SIGN : f32;
}

/* Answer 0: f32 is flushed and bf16 is not; 1: the other way. */
static void denormals(const struct exact_question *q, unsigned answer, const uint32_t *r,
                      uint32_t *d) {
	struct conversion c = conversion_of(q->kernel);
	bool wide = c.from_bits == 32;
	int scale = c.scaled ? (int)(r[1] >> 23 & 0xff) - 127 : 0;
	for (unsigned i = 0; i < 2; i++) {
		uint32_t x = wide ? r[i] : r[0] >> c.from_bits * i & ((1u << c.from_bits) - 1);
		x = flushed(decoded(c.from, x), wide ? !answer : answer);
		x = nearest(c.to, x, c.to_bits > c.from_bits ? scale : -scale);
		put(d, i * c.to_bits, c.to_bits, c.to_bits == 32 ? flushed(x, !answer) : x);
	}
}

/* Denormals as sources; of FP4, small scales that make denormals of the results. */
static void ask_denormals(const struct exact_question *q, size_t n, uint32_t *r) {
	struct conversion c = conversion_of(q->kernel);
	r[0] = (uint32_t)exact_any(n, 0);
	r[1] = (uint32_t)exact_any(n, 1) & 0x807fffff;
	if (c.from_bits == 4)
		r[1] = (uint32_t)(n % 4) << 23;
	else if (c.from_bits == 16) { /* a bf16 denormal by 2^-127 */
		r[0] &= 0x807f807f;
		r[1] = 0;
	} else
		r[0] &= 0x807fffff;
}

/* ---- f32 and f16 to integers ---- */

/* To nearest even, or toward zero as MODE selects. */
static double rounded(double x, uint32_t mode) {
	return mode & 3 ? trunc(x) : rint(x);
}

/* floor(x + 0.5), with the sum exact or rounded to f32. */
static void exact_half(const struct exact_question *q, unsigned answer, const uint32_t *r,
                       uint32_t *d) {
	float x = exact_float(r[0]);
	double exact = fabsf(x) < 0.25f ? 0 : floor((double)x + 0.5);
	(void)q;
	d[0] = (uint32_t)(int32_t)(answer ? floorf(x + 0.5f) : exact);
}

/* The predecessors of 0.5, odd numbers of 24 bits, and any others. */
static void ask_half(const struct exact_question *q, size_t n, uint32_t *r) {
	uint32_t any = (uint32_t)exact_any(n, 0), sign = any & SIGN;
	(void)q;
	r[0] = n % 4 == 0   ? 0x3f000000 - (uint32_t)(n / 4 % 3)
	       : n % 4 == 1 ? sign | 0x4b000001 | (any & 0xffffe)
	                    : sign | (any & 0x7fffff) | (120 + any % 32) << 23;
}

enum { MODE_ROUNDS, OTHER_ROUNDING, WRAPS };

static void to_byte(const struct exact_question *q, unsigned answer, const uint32_t *r,
                    uint32_t *d) {
	double x = exact_float(r[0]);
	double whole = rounded(x, answer == OTHER_ROUNDING ? ~q->mode : q->mode);
	double clamped = !(whole > 0) ? 0 : whole > 255 ? 255 : whole;
	uint32_t byte = answer == WRAPS && !isnan(x) ? (uint32_t)(int32_t)whole : (uint32_t)clamped;
	unsigned shift = 8 * (r[1] & 3);
	d[0] = (r[2] & ~(0xffu << shift)) | (byte & 0xff) << shift;
}

/* Ties, numbers out of range, and NaN. */
static void ask_byte(const struct exact_question *q, size_t n, uint32_t *r) {
	uint32_t any = (uint32_t)exact_any(n, 0);
	(void)q;
	r[0] = n % 8 == 7 ? QNAN : exact_bits((float)((int)(any % 2400) - 600) / (n & 1 ? 4 : 2));
	r[1] = (uint32_t)n / 8 % 4;
	r[2] = (uint32_t)exact_any(n, 1);
}

/* A fraction of 32767 or 65535: the product exact, or rounded to f32 first; rounded as MODE
 * selects, or the other way. */
static uint32_t fraction(double x, bool is_signed, unsigned answer, uint32_t mode) {
	double low = is_signed ? -1 : 0, most = is_signed ? 32767 : 65535;
	x = x < low ? low : x > 1 ? 1 : isnan(x) ? 0 : x;
	double p = answer == 2 ? (double)((float)x * (float)most) : x * most;
	return (uint32_t)(int32_t)rounded(p, answer == OTHER_ROUNDING ? ~mode : mode) & 0xffff;
}

static void norm_tie(const struct exact_question *q, unsigned answer, const uint32_t *r,
                     uint32_t *d) {
	bool is_signed = strstr(q->kernel, "_i16"), half = strstr(q->kernel, "f16");
	for (unsigned i = 0; i < 2; i++) {
		uint32_t x = half ? decoded("FP16", r[i] & 0xffff) : r[i];
		uint32_t mode = half ? q->mode >> 2 : q->mode;
		d[0] |= fraction(exact_float(x), is_signed, answer, mode) << 16 * i;
	}
}

/* The f32 next to (n + 1/2) / most or n / most, whose product in f32 is a tie or an integer; f16 of
 * any value; NaN. */
static void ask_norm(const struct exact_question *q, size_t n, uint32_t *r) {
	bool is_signed = strstr(q->kernel, "_i16"), half = strstr(q->kernel, "f16");
	double most = is_signed ? 32767 : 65535;
	for (unsigned i = 0; i < 2; i++) {
		uint32_t any = (uint32_t)exact_any(n, i);
		float x = (float)(((double)(any % (unsigned)most) + (n & 1 ? 0.5 : 0)) / most);
		x = any >> 24 & 1 && is_signed ? -x : x;
		r[i] = half ? (any % 0x3c01) | (any >> 16 & 0x8000) : exact_bits(x);
		if (n % 16 == 0)
			r[i] = half ? 0x7e00 : QNAN;
	}
}

/* ---- v_mad_f16 and its relatives: a product and a sum, each rounded ---- */

static uint32_t half_of(double x, bool flush) {
	uint32_t h = exact_f16(exact_bits((float)x));
	return flush && (h & 0x7fff) < 0x400 ? h & 0x8000 : h;
}

static double half_value(uint32_t code, bool flush) {
	return exact_float(
		decoded("FP16", flush && (code & 0x7fff) < 0x400 ? code & 0x8000 : code));
}

static void mad(const struct exact_question *q, unsigned answer, const uint32_t *r, uint32_t *d) {
	bool flush = answer == 0;
	double p = half_value(r[0], flush) * half_value(r[1], flush);
	p = half_value(half_of(p, flush), flush);
	(void)q;
	d[0] = half_of(p + half_value(r[2], flush), flush);
}

/* Powers of two, whose products and sums are exact; one of them or the product is denormal. */
static void ask_mad(const struct exact_question *q, size_t n, uint32_t *r) {
	static const uint16_t operands[][3] = {
		{ 0x0001, 0x3c00, 0x0000 }, { 0x3c00, 0x0200, 0x0000 }, { 0x0000, 0x3c00, 0x0010 },
		{ 0x0400, 0x3800, 0x0000 }, { 0x1000, 0x1000, 0x0400 }, { 0x0400, 0x3c00, 0x8200 },
		{ 0x3c00, 0x3c00, 0x3800 }, { 0x8001, 0x3c00, 0x0400 },
	};
	(void)q;
	for (unsigned i = 0; i < 3; i++)
		r[i] = operands[n % 8][i];
}

/* ---- the questions ---- */

#define QUESTION(id, name, ways, flags, asks, answers)                                             \
	{                                                                                          \
		.rule = #id, .kernel = name, .answer = ways, .waves = 16, .mode = flags,           \
		.ask = asks, .lane = answers                                                       \
	}
#define NANS                                                                                       \
	{                                                                                          \
		"the largest number, with the sign of the NaN", "the largest number, positive",    \
			"a zero with the sign of the NaN", "zero"                                  \
	}
#define NAN_TO(name, scale)                                                                        \
	{                                                                                          \
		.rule = "NAN_TO_SMALL", .kernel = name, .answer = NANS, .waves = 16,               \
		.detail = scale, .mode = KEEP_DENORMALS, .ask = ask_nan, .lane = nan_to_small      \
	}
#define SCALES                                                                                     \
	{ "NaN, with the sign of the number", "NaN, positive", "2^128", "1" }
#define SCALE(name) QUESTION(SCALE_OF_NAN, name, SCALES, KEEP_DENORMALS, ask_scale, scale_of_nan)
#define PLACES                                                                                     \
	"its upper bits from the last place kept on; it carries into the exponent",                \
		"its lowest bits", "as assumed, without a carry into the exponent",                \
		"rounded to nearest even"
#define RANDOMS                                                                                    \
	{ PLACES, "its upper bits at the place of normal numbers, also for denormals" }
/* The denormals of f32 and of bf16 have one exponent, so the last answer is the first one. */
#define RANDOMS_BF16                                                                               \
	{ PLACES }
#define FLUSHED                                                                                    \
	{ "those of f32 are flushed as MODE selects", "they are kept" }
#define KEPT                                                                                       \
	{ "those of bf16 are kept", "they are flushed" }
#define HALVES                                                                                     \
	{ "added exactly", "the sum is rounded to f32" }
#define ROUNDS(third)                                                                              \
	{ "as MODE rounds", "in another rounding", third }
#define BYTE(flags)                                                                                \
	QUESTION(TO_BYTE, "v_cvt_pk_u8_f32", ROUNDS("modulo 256"), flags, ask_byte, to_byte)
#define NORM(name, flags)                                                                          \
	QUESTION(NORM_TIE, name, ROUNDS("the product rounded to f32 first"), flags, ask_norm,      \
	         norm_tie)
#define NORM_HALF(name) QUESTION(NORM_TIE, name, ROUNDS(NULL), KEEP_DENORMALS, ask_norm, norm_tie)
#define MAD(name)       QUESTION(MAD_DENORMAL, name, MADS, KEEP_DENORMALS, ask_mad, mad)
#define MADS                                                                                       \
	{ "flushed", "kept" }

static const struct exact_question questions[] = {
	NAN_TO("v_cvt_scalef32_pk_fp4_f32", 2),
	NAN_TO("v_cvt_scalef32_pk_fp4_f16", 1),
	NAN_TO("v_cvt_scalef32_pk_fp4_bf16", 1),
	NAN_TO("v_cvt_scalef32_2xpk16_fp6_f32", 32),
	NAN_TO("v_cvt_scalef32_2xpk16_bf6_f32", 32),
	NAN_TO("v_cvt_scalef32_pk32_fp6_f16", 17),
	NAN_TO("v_cvt_scalef32_pk32_bf6_bf16", 17),
	SCALE("v_cvt_scalef32_pk_f32_fp4"),
	SCALE("v_cvt_scalef32_pk_fp8_f32"),
	SCALE("v_cvt_scalef32_pk_fp4_f32"),
	QUESTION(STOCHASTIC, "v_cvt_sr_fp8_f32", RANDOMS, KEEP_DENORMALS, ask_stochastic,
	         stochastic),
	QUESTION(STOCHASTIC, "v_cvt_sr_bf8_f32", RANDOMS, KEEP_DENORMALS, ask_stochastic,
	         stochastic),
	QUESTION(STOCHASTIC, "v_cvt_sr_f16_f32", RANDOMS, KEEP_DENORMALS, ask_stochastic,
	         stochastic),
	QUESTION(STOCHASTIC, "v_cvt_sr_bf16_f32", RANDOMS_BF16, KEEP_DENORMALS, ask_stochastic,
	         stochastic),
	QUESTION(STOCHASTIC, "v_cvt_scalef32_sr_fp8_f32", RANDOMS, KEEP_DENORMALS, ask_stochastic,
	         stochastic),
	QUESTION(STOCHASTIC, "v_cvt_scalef32_sr_bf8_f32", RANDOMS, KEEP_DENORMALS, ask_stochastic,
	         stochastic),
	QUESTION(CVT_DENORMAL, "v_cvt_pk_bf16_f32", FLUSHED, KEEP_F16, ask_denormals, denormals),
	QUESTION(CVT_DENORMAL, "v_cvt_scalef32_pk_f32_fp4", FLUSHED, KEEP_F16, ask_denormals,
	         denormals),
	QUESTION(CVT_DENORMAL, "v_cvt_scalef32_pk_fp4_bf16", KEPT, KEEP_F16, ask_denormals,
	         denormals),
	QUESTION(EXACT_HALF, "v_cvt_rpi_i32_f32", HALVES, KEEP_DENORMALS, ask_half, exact_half),
	BYTE(KEEP_DENORMALS),
	BYTE(KEEP_DENORMALS | TOWARD_ZERO),
	NORM("v_cvt_pknorm_i16_f32", KEEP_DENORMALS),
	NORM("v_cvt_pknorm_u16_f32", KEEP_DENORMALS),
	NORM("v_cvt_pknorm_i16_f32", KEEP_DENORMALS | TOWARD_ZERO),
	NORM_HALF("v_cvt_pknorm_i16_f16"),
	NORM_HALF("v_cvt_pknorm_u16_f16"),
	MAD("v_mad_legacy_f16"),
	MAD("v_mac_f16"),
};

const struct exact_questions exact_conversions = { questions,
	                                           sizeof questions / sizeof *questions };
