/* Scale recipes: the scale of a block from its amax. */
#include "quantize.h"

#include <strings.h>

enum {
	E4M3 = 1 << MX_E4M3,
	E5M2 = 1 << MX_E5M2,
	E2M1 = 1 << MX_E2M1,
	E2M3 = 1 << MX_E2M3,
	ALL_FORMATS = (1 << MX_FORMATS) - 1
};
enum { SKIP, KEEP };

/* The properties of a format in the rules. Its largest element is max_sig * 2^(emax - man). */
struct target {
	int emax;
	unsigned man, max_sig;
};

static const struct target targets[MX_FORMATS] = {
#define MX_FORMAT(id, bits, exp, man, bias, specials, cbsz)                                        \
	[MX_##id] = { (1 << (exp)) - 1 - (bias) - (MX_##specials == MX_IEEE), man,                 \
		      (2u << (man)) - 1 - (MX_##specials == MX_NAN_ONLY) },
#include "formats.def"
#undef MX_FORMAT
};

/* Below, u is the bits of amax, at most 0x7FFFFFFF. Subnormals have exponent field 0,
 * as if they were 2^-127; their scale is byte 0 anyway, because emax >= 2. */
static int field(uint32_t u) {
	return u >> MX_F32_MAN & 0xFF;
}

static uint32_t mantissa(uint32_t u) {
	return u & 0x7FFFFF;
}

/* Half a unit of the element's mantissa, at 1.0 in f32. */
static uint32_t half_ulp(const struct target *t) {
	return 1u << (MX_F32_MAN - 1 - t->man);
}

static int not_below_0(int byte) {
	return byte > 0 ? byte : 0;
}

/* 0 and subnormals give 0x00, infinity and NaN 0xFF. */
static int scale_floor(const struct target *t, uint32_t u) {
	return u >= MX_F32_INF ? 0xFF : not_below_0(field(u) - t->emax);
}

static int scale_ceil(const struct target *t, uint32_t u) {
	return u >= MX_F32_INF ? 0xFF : not_below_0(field(u) + (mantissa(u) != 0) - t->emax);
}

/* A finite u that rounds to infinity counts as infinity: torchao applies isfinite() to
 * the rounded amax. */
static int scale_even(const struct target *t, uint32_t u) {
	return scale_floor(t, u > MX_F32_INF ? u : u + half_ulp(t));
}

/* u / (max_sig * 2^e) for finite u, rounded once. The dividend has 40 bits more than u,
 * so the last bit of the quotient can be the sticky bit. */
static uint32_t quotient(uint32_t u, unsigned max_sig, int e) {
	mx_f32 x = { u };
	uint64_t dividend = (uint64_t)mx_f32_sig(x) << 40, q = dividend / max_sig;
	return mx_f32_round(false, q | (dividend % max_sig != 0), mx_f32_exp(x) - 40 - e).v;
}

/* u * (1/max), the reciprocal rounded to f32 and the product again; u finite. */
static uint32_t times_reciprocal(const struct target *t, uint32_t u) {
	const uint32_t one = 0x3F800000;
	mx_f32 x = { u }, r = { quotient(one, t->max_sig, t->emax - (int)t->man) };
	uint64_t product = (uint64_t)mx_f32_sig(x) * mx_f32_sig(r);
	return mx_f32_round(false, product, mx_f32_exp(x) + mx_f32_exp(r)).v;
}

/* Whether amax divided by the largest element is normal. */
static bool divides_normally(const struct target *t, uint32_t u) {
	return field(u) > t->emax + 1;
}

/* The byte of the least power of two that is not below amax / max for such an amax. The rounded
 * quotient is a power of two only if the exact one is: the quotients of other amax are further from
 * it than half an ulp. So is the product with the rounded 1 / max, in every format. */
static int round_up_quotient(const struct target *t, uint32_t u) {
	return field(u) - t->emax + ((mantissa(u) | 0x800000) > t->max_sig << (23 - t->man));
}

/* The byte of the least power of two that is not below u; byte 0 is 2^-127. */
static int round_up(uint32_t u) {
	return field(u) + (field(u) ? mantissa(u) != 0 : mantissa(u) > 0x400000);
}

/* The product of a finite amax is finite, because 1/max < 1. */
static int scale_rceil(const struct target *t, uint32_t u) {
	if (u >= MX_F32_INF)
		return 0xFF;
	return divides_normally(t, u) ? round_up_quotient(t, u) : round_up(times_reciprocal(t, u));
}

/* cvt.rp.satfinite: NaN gives 0xFF, infinity 0xFE. */
static int scale_nvidia(const struct target *t, uint32_t u) {
	if (u >= MX_F32_INF)
		return u > MX_F32_INF ? 0xFF : 0xFE;
	if (divides_normally(t, u))
		return round_up_quotient(t, u);
	return round_up(quotient(u, t->max_sig, t->emax - (int)t->man));
}

static int scale_aiter_round_up(const struct target *t, uint32_t u) {
	if (u < MX_F32_INF && divides_normally(t, u))
		return round_up_quotient(t, u);
	uint32_t d = u >= MX_F32_INF ? u : times_reciprocal(t, u);
	return d >= MX_F32_INF ? 0xFF : field(d) + (mantissa(d) != 0);
}

/* amax / 2^emax in f32. If it is subnormal, any mantissa gives the next power of two. */
static int scale_aiter_ceil(const struct target *t, uint32_t u) {
	uint32_t d = mx_f32_scale((mx_f32){ u }, -t->emax).v;
	return u >= MX_F32_INF ? 0xFF : field(d) + (mantissa(d) != 0);
}

/* As FLOOR, except for the f32 just below 2^(emax-126): its quotient rounds up to 2^-126. */
static int scale_aiter_round_down(const struct target *t, uint32_t u) {
	return u >= MX_F32_INF ? 0xFF : field(mx_f32_scale((mx_f32){ u }, -t->emax).v);
}

/* Divides, but the HIP header multiplies: 3 * 2^-149 / 6 rounds to 0. */
static int scale_aiter_py_round_up(const struct target *t, uint32_t u) {
	if (u >= MX_F32_INF)
		return 0xFF;
	if (divides_normally(t, u))
		return round_up_quotient(t, u);
	uint32_t d = quotient(u, t->max_sig, t->emax - (int)t->man);
	return field(d) + (mantissa(d) != 0);
}

/* Infinity, in amax or from its rounding, stays infinity when it is divided by 2^emax.
 * A NaN rounds to infinity, or carries into the sign bit and becomes -0. */
static int scale_aiter_py_even(const struct target *t, uint32_t u) {
	int exp = field(u + half_ulp(t));
	return exp == 0xFF ? 0xFF : not_below_0(exp - t->emax);
}

/* Without a check for special values, infinity and NaNs with a small payload give
 * 255 - emax. A NaN that carries into the sign bit has field 0. */
static int scale_aiter_even(const struct target *t, uint32_t u) {
	return not_below_0(field(u + half_ulp(t)) - t->emax);
}

/* The clamp to 127 applies to infinity, in amax or from its rounding. The source defines
 * no byte for a NaN scale (it converts NaN to an integer); 0xFF is assumed. */
static int scale_quark_even(const struct target *t, uint32_t u) {
	if (u > MX_F32_INF)
		return 0xFF;
	int exp = field(u + half_ulp(t));
	return exp == 0xFF ? 0xFE : not_below_0(exp - t->emax);
}

/* As scale_quark_even, but the rounded bits of a NaN are infinity, or -0 with log2
 * -infinity. (Powers of two have exact logarithms.) */
static int scale_triton(const struct target *t, uint32_t u) {
	int exp = field(u + half_ulp(t));
	return exp == 0xFF ? 0xFE : not_below_0(exp - t->emax);
}

/* E2M1 and E2M3 have their own constants; E4M3 uses that of E2M1. Infinity, in amax or
 * from its rounding, has exponent 255; so has a NaN that does not carry into the sign bit. */
static int scale_compressed(const struct target *t, uint32_t u) {
	int exp = field(u + (t->man == 3 && t->emax == 2 ? 0x080000 : 0x200000));
	return exp == 0xFF ? 0xFF : not_below_0(exp - t->emax);
}

/* ---- triton_kernels ---- */

/* Adding 0x7FFFFF to the bits carries from any nonzero mantissa; the bits of a NaN wrap to 0. */
static int scale_triton_up(const struct target *t, uint32_t u) {
	if (u >= MX_F32_INF)
		return u > MX_F32_INF ? 0 : 0xFF;
	if (divides_normally(t, u))
		return round_up_quotient(t, u);
	uint32_t d = quotient(u, t->max_sig, t->emax - (int)t->man);
	return field(d + 0x7FFFFF);
}

static int scale_triton_down(const struct target *t, uint32_t u) {
	return u >= MX_F32_INF ? 0xFF : field(quotient(u, t->max_sig, t->emax - (int)t->man));
}

/* E4M3 with the constant of E2M1: rounds up from 1.75, although 448 * 2^k fits exactly. */
static int scale_aiter_mxfp8(const struct target *t, uint32_t u) {
	int exp = field(u + 0x200000);
	return exp == 0xFF ? 0xFE : not_below_0(exp - t->emax);
}

/* The exponent field has nine bits: infinity and NaN count as the next powers of two. */
static int scale_primus(const struct target *t, uint32_t u) {
	return not_below_0((int)((u + half_ulp(t)) >> MX_F32_MAN) - t->emax);
}

/* floor() of an f32 log2 of u, finite and normal. The logarithm of 2^n (1 - d 2^-24)
 * lies d 2^-24 / ln 2 below n and rounds up to n if that is at most half the spacing
 * of f32 there, 2^(j-24) with j the exponent of the f32 just below n: that is, for
 * d <= floor(2^j ln 2). The second-order term changes no floor. Near n = 0 and 1 the
 * spacing is too fine for such rounding. */
static int floor_log2(uint32_t u) {
	static const uint8_t reach[] = { 0, 1, 2, 5, 11, 22, 44 };
	int e = field(u) - 127, n = e + 1;
	unsigned below = n > 0 ? n - 1 : -n; /* integer part of the magnitude just below n */
	unsigned j = below ? 31 - __builtin_clz(below) : 0;
	return 0x800000 - mantissa(u) <= reach[j] ? n : e;
}

/* The source replaces amax 0 by 2^-126; both that and subnormals give byte 0. */
static int scale_microxcaling(const struct target *t, uint32_t u) {
	if (u >= MX_F32_INF)
		return 0xFF;
	return field(u) ? not_below_0(floor_log2(u) + 127 - t->emax) : 0;
}

/* ---- torchao 0.18.0: the only special value is NaN ---- */

static int scale_torchao018_floor(const struct target *t, uint32_t u) {
	return u > MX_F32_INF ? 0xFF : not_below_0(field(u) - t->emax);
}

static int scale_torchao018_ceil(const struct target *t, uint32_t u) {
	return u > MX_F32_INF ? 0xFF : not_below_0(field(u) + (mantissa(u) != 0) - t->emax);
}

static int scale_torchao018_even(const struct target *t, uint32_t u) {
	return u > MX_F32_INF ? 0xFF : not_below_0(field(u + half_ulp(t)) - t->emax);
}

/* ceil() of an f32 log2 of d, finite and normal. The logarithm of 2^n (1 + k 2^-23)
 * lies k 2^-23 / ln 2 above n and rounds down to n for k <= floor(2^(j-1) ln 2), with j
 * the exponent of the f32 just above n; see floor_log2. */
static int ceil_log2(uint32_t d) {
	static const uint8_t reach[] = { 0, 0, 1, 2, 5, 11, 22 };
	int n = field(d) - 127;
	unsigned above = n >= 0 ? n : -n - 1; /* integer part of the magnitude just above n */
	unsigned j = above ? 31 - __builtin_clz(above) : 0;
	return n + (mantissa(d) > reach[j]);
}

/* Infinity gives 0xFE. A subnormal quotient gives byte 1 above 2^-127 (1 + 22 * 2^-23), the
 * last value with a logarithm that rounds down to -127, and else byte 0. */
static int scale_torchao018_rceil(const struct target *t, uint32_t u) {
	if (u >= MX_F32_INF)
		return u > MX_F32_INF ? 0xFF : 0xFE;
	uint32_t d = quotient(u, t->max_sig, t->emax - (int)t->man);
	return field(d) ? ceil_log2(d) + 127 : d > 0x0040000B;
}

/* ---- Quark's floor and ceil: 2^(log2 - emax), infinite with amax ---- */

/* The epsilon of f32, 2^-23, replaces a scale that is 0 or underflows to 0. */
enum { QUARK_EPS = 127 - 23 };

static int scale_quark_floor(const struct target *t, uint32_t u) {
	if (u >= MX_F32_INF)
		return 0xFF;
	if (u < 1u << t->emax) /* * 2^-149 */
		return QUARK_EPS;
	return field(u) ? not_below_0(floor_log2(u) + 127 - t->emax) : 0;
}

static int scale_quark_ceil(const struct target *t, uint32_t u) {
	if (u >= MX_F32_INF)
		return 0xFF;
	if (u <= 1u << (t->emax - 1))
		return QUARK_EPS;
	return field(u) ? not_below_0(ceil_log2(u) + 127 - t->emax) : 0;
}

/* A nonzero bf16 as 2^e (1 + man/128). */
struct bf16 {
	int e;
	unsigned man;
};

static struct bf16 bf16_of(uint32_t u) {
	int shift = field(u) ? 0 : __builtin_clz(u) - 8;
	int e = (field(u) ? field(u) : 1 - shift) - 127;
	return (struct bf16){ e, u << shift >> 16 & 0x7F };
}

/* The exponent of a magnitude with integer part n. */
static unsigned binade(unsigned n) {
	return 31 - __builtin_clz(n | 1);
}

/* floor() of a log2 that is rounded to bf16. Below n the spacing is 2^(j-7), j as in
 * floor_log2: the result is n from 2^(n - 2^(j-8)). These bounds in 1/128, rounded up: */
static int floor_log2_bf16(uint32_t u) {
	static const uint8_t from[] = { 128, 127, 126, 123, 118, 107, 88, 54 };
	struct bf16 x = bf16_of(u);
	int n = x.e + 1;
	return x.man >= from[binade(n > 0 ? n - 1 : -n)] ? n : x.e;
}

/* ceil() of it: the result is n up to 2^(n + 2^(j-8)), j as in ceil_log2. */
static int ceil_log2_bf16(uint32_t u) {
	static const uint8_t reach[] = { 0, 0, 1, 2, 5, 11, 24, 53 };
	struct bf16 x = bf16_of(u);
	return x.e + (x.man > reach[binade(x.e >= 0 ? x.e : -x.e - 1)]);
}

/* A scale below 2^-133, the least bf16, is 0. */
static int quark_bf16(int exponent) {
	return exponent < -133 ? QUARK_EPS : not_below_0(exponent + 127);
}

static int scale_quark_floor_bf16(const struct target *t, uint32_t u) {
	if (u >= MX_F32_INF)
		return 0xFF;
	return u ? quark_bf16(floor_log2_bf16(u) - t->emax) : QUARK_EPS;
}

static int scale_quark_ceil_bf16(const struct target *t, uint32_t u) {
	if (u >= MX_F32_INF)
		return 0xFF;
	return u ? quark_bf16(ceil_log2_bf16(u) - t->emax) : QUARK_EPS;
}

/* One loop for each rule, so that the compiler can vectorise it. */
#define MX_RECIPE(id, name, formats, nan, rounding, scaling, rule, source)                         \
	static void id##_scales(struct target t, const uint32_t *u, size_t n, uint8_t *s) {        \
		for (size_t i = 0; i < n; i++)                                                     \
			s[i] = rule(&t, u[i]);                                                     \
	}
#include "recipes.def"
#undef MX_RECIPE

static const struct {
	struct mx_recipe_info info;
	void (*scales)(struct target, const uint32_t *u, size_t n, uint8_t *s);
} recipes[] = {
#define MX_RECIPE(id, name, formats, nan, rounding, scaling, rule, source)                         \
	[MX_RECIPE_##id] = { { name, source, formats, nan, MX_##rounding, MX_##scaling },          \
		             id##_scales },
#include "recipes.def"
#undef MX_RECIPE
};
_Static_assert(sizeof recipes / sizeof *recipes == MX_RECIPES, "mxref.h and recipes.def agree");

const struct mx_recipe_info *mx_recipe_info(mx_recipe r) {
	return (unsigned)r < MX_RECIPES ? &recipes[r].info : NULL;
}

bool mx_recipe_by_name(const char *name, mx_recipe *r) {
	for (int i = 0; name && r && i < MX_RECIPES; i++)
		if (!strcasecmp(name, recipes[i].info.name)) {
			*r = i;
			return true;
		}
	return false;
}

void mx_scales(mx_recipe r, mx_format f, const uint32_t *amax, size_t n, uint8_t *scales) {
	recipes[r].scales(targets[f], amax, n, scales);
}

mx_e8m0 mx_scale(mx_recipe r, mx_format f, mx_f32 amax) {
	uint32_t u = mx_f32_magnitude(amax);
	mx_e8m0 s = { 0xFF };
	if ((unsigned)r < MX_RECIPES && (unsigned)f < MX_FORMATS &&
	    recipes[r].info.formats >> f & 1)
		mx_scales(r, f, &u, 1, &s.v);
	return s;
}

mx_e8m0 mx_scale_floor(mx_format f, mx_f32 amax) {
	return mx_scale(MX_RECIPE_FLOOR, f, amax);
}
