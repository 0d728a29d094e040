/* Scale recipes: from the amax of a block to its scale. */
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

/* What the rules need of a format: its largest element is max_sig * 2^(emax - man). */
struct target {
	int emax;
	unsigned man, max_sig;
};

static struct target target_of(mx_format f) {
	const struct mx_format_info *t = mx_format_info(f);
	int top = (1 << t->exp_bits) - 1 - t->bias;
	return (struct target){
		.emax = top - (t->specials == MX_IEEE),
		.man = t->man_bits,
		.max_sig = (2u << t->man_bits) - 1 - (t->specials == MX_NAN_ONLY),
	};
}

/* Below, u is the bits of amax, at most 0x7FFFFFFF. The exponent field of u counts
 * subnormals as 2^-127; emax >= 2, so that they end at byte 0 all the same. */
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

/* 0 and subnormals 0x00; infinity and NaN 0xFF. */
static int scale_floor(const struct target *t, uint32_t u) {
	return u >= MX_F32_INF ? 0xFF : not_below_0(field(u) - t->emax);
}

static int scale_ceil(const struct target *t, uint32_t u) {
	return u >= MX_F32_INF ? 0xFF : not_below_0(field(u) + (mantissa(u) != 0) - t->emax);
}

/* The finite u that round to infinity count as infinity: torchao asks isfinite()
 * of the rounded amax. */
static int scale_even(const struct target *t, uint32_t u) {
	return scale_floor(t, u > MX_F32_INF ? u : u + half_ulp(t));
}

/* u / (max_sig * 2^e) for finite u, rounded once: the quotient is formed with 36 or
 * more bits below the last of the f32, so that its own last bit can be the sticky one. */
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

/* The byte of the least power of two that is not below u; byte 0 is 2^-127. */
static int round_up(uint32_t u) {
	return field(u) + (field(u) ? mantissa(u) != 0 : mantissa(u) > 0x400000);
}

/* 1/max < 1: a finite amax has a finite product. */
static int scale_rceil(const struct target *t, uint32_t u) {
	return u >= MX_F32_INF ? 0xFF : round_up(times_reciprocal(t, u));
}

/* cvt.rp.satfinite: NaN 0xFF, infinity 0xFE. */
static int scale_nvidia(const struct target *t, uint32_t u) {
	if (u >= MX_F32_INF)
		return u > MX_F32_INF ? 0xFF : 0xFE;
	return round_up(quotient(u, t->max_sig, t->emax - (int)t->man));
}

static int scale_aiter_round_up(const struct target *t, uint32_t u) {
	uint32_t d = u >= MX_F32_INF ? u : times_reciprocal(t, u);
	return d >= MX_F32_INF ? 0xFF : field(d) + (mantissa(d) != 0);
}

/* amax / 2^emax in f32, which may be subnormal: there, any mantissa counts for a
 * power of two more. */
static int scale_aiter_ceil(const struct target *t, uint32_t u) {
	uint32_t d = mx_f32_scale((mx_f32){ u }, -t->emax).v;
	return u >= MX_F32_INF ? 0xFF : field(d) + (mantissa(d) != 0);
}

/* As FLOOR, but for the f32 below 2^(emax-126): its quotient rounds up to 2^-126. */
static int scale_aiter_round_down(const struct target *t, uint32_t u) {
	return u >= MX_F32_INF ? 0xFF : field(mx_f32_scale((mx_f32){ u }, -t->emax).v);
}

/* A division, where the HIP header multiplies: 3 * 2^-149 / 6 rounds to 0. */
static int scale_aiter_py_round_up(const struct target *t, uint32_t u) {
	if (u >= MX_F32_INF)
		return 0xFF;
	uint32_t d = quotient(u, t->max_sig, t->emax - (int)t->man);
	return field(d) + (mantissa(d) != 0);
}

/* Infinity, given or rounded up to, stays infinity when it is divided by 2^emax; a
 * NaN rounds to infinity, or carries into the sign bit and is -0. */
static int scale_aiter_py_even(const struct target *t, uint32_t u) {
	int exp = field(u + half_ulp(t));
	return exp == 0xFF ? 0xFF : not_below_0(exp - t->emax);
}

/* Infinity and small NaN payloads 255 - emax, since nothing looks for them; a NaN
 * that carries into the sign bit has field 0. */
static int scale_aiter_even(const struct target *t, uint32_t u) {
	return not_below_0(field(u + half_ulp(t)) - t->emax);
}

/* The clamp to 127 catches infinity, rounded up to or given. A NaN scale has no
 * byte in the source (an integer conversion of NaN); 0xFF is our reading. */
static int scale_quark_even(const struct target *t, uint32_t u) {
	if (u > MX_F32_INF)
		return 0xFF;
	int exp = field(u + half_ulp(t));
	return exp == 0xFF ? 0xFE : not_below_0(exp - t->emax);
}

/* As before; the rounded bits of a NaN are infinity, or -0 whose log2 is
 * -infinity. (The powers of two have exact logarithms.) */
static int scale_triton(const struct target *t, uint32_t u) {
	int exp = field(u + half_ulp(t));
	return exp == 0xFF ? 0xFE : not_below_0(exp - t->emax);
}

/* E2M1's and E2M3's own constants, but E2M1's for E4M3. Infinity, given or rounded up
 * to, has exponent 255; so has a NaN that does not carry into the sign bit. */
static int scale_compressed(const struct target *t, uint32_t u) {
	int exp = field(u + (t->man == 3 && t->emax == 2 ? 0x080000 : 0x200000));
	return exp == 0xFF ? 0xFF : not_below_0(exp - t->emax);
}

/* ---- triton_kernels ---- */

/* Adding 0x7FFFFF to the quotient's bits carries from any mantissa; a NaN's wraps to 0. */
static int scale_triton_up(const struct target *t, uint32_t u) {
	if (u >= MX_F32_INF)
		return u > MX_F32_INF ? 0 : 0xFF;
	uint32_t d = quotient(u, t->max_sig, t->emax - (int)t->man);
	return field(d + 0x7FFFFF);
}

static int scale_triton_down(const struct target *t, uint32_t u) {
	return u >= MX_F32_INF ? 0xFF : field(quotient(u, t->max_sig, t->emax - (int)t->man));
}

/* E4M3 by the constant of E2M1: rounds up from 1.75, where 448 * 2^k is still exact. */
static int scale_aiter_mxfp8(const struct target *t, uint32_t u) {
	int exp = field(u + 0x200000);
	return exp == 0xFF ? 0xFE : not_below_0(exp - t->emax);
}

/* Nine bits of exponent field: infinity and NaN are the powers after the last. */
static int scale_primus(const struct target *t, uint32_t u) {
	return not_below_0((int)((u + half_ulp(t)) >> MX_F32_MAN) - t->emax);
}

/* floor() of an f32 log2 of u, finite and normal. The logarithm of 2^n (1 - d 2^-24)
 * lies d 2^-24 / ln 2 below n and rounds up to n if that is at most half the spacing
 * of f32 there, 2^(j-24) with j the exponent of the f32 just below n: that is, for
 * d <= floor(2^j ln 2). The second-order term changes no floor; next to n = 0 and 1
 * the spacing is too fine. */
static int floor_log2(uint32_t u) {
	static const uint8_t reach[] = { 0, 1, 2, 5, 11, 22, 44 };
	int e = field(u) - 127, n = e + 1;
	unsigned below = n > 0 ? n - 1 : -n; /* integer part of the magnitude just below n */
	unsigned j = below ? 31 - __builtin_clz(below) : 0;
	return 0x800000 - mantissa(u) <= reach[j] ? n : e;
}

/* amax 0 stands as 2^-126, and subnormals are below it: byte 0 both. */
static int scale_microxcaling(const struct target *t, uint32_t u) {
	if (u >= MX_F32_INF)
		return 0xFF;
	return field(u) ? not_below_0(floor_log2(u) + 127 - t->emax) : 0;
}

/* ---- torchao 0.18.0: only NaN is looked for ---- */

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

/* Infinity 0xFE. A subnormal quotient is above 2^-127 (1 + 22 * 2^-23), the last whose
 * logarithm rounds down to -127, or byte 0. */
static int scale_torchao018_rceil(const struct target *t, uint32_t u) {
	if (u >= MX_F32_INF)
		return u > MX_F32_INF ? 0xFF : 0xFE;
	uint32_t d = quotient(u, t->max_sig, t->emax - (int)t->man);
	return field(d) ? ceil_log2(d) + 127 : d > 0x0040000B;
}

/* ---- Quark's floor and ceil: 2^(log2 - emax), infinite with amax ---- */

/* f32's epsilon, 2^-23, stands for a scale of 0: zero, and what underflows. */
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

/* The exponent of a magnitude whose integer part is n. */
static unsigned binade(unsigned n) {
	return 31 - __builtin_clz(n | 1);
}

/* floor() of a log2 that is rounded to bf16. Below n the step is 2^(j-7), j as in
 * floor_log2: from 2^(n - 2^(j-8)) on it is n. In 1/128, rounded up: */
static int floor_log2_bf16(uint32_t u) {
	static const uint8_t from[] = { 128, 127, 126, 123, 118, 107, 88, 54 };
	struct bf16 x = bf16_of(u);
	int n = x.e + 1;
	return x.man >= from[binade(n > 0 ? n - 1 : -n)] ? n : x.e;
}

/* ceil(): up to 2^(n + 2^(j-8)) it is n, j as in ceil_log2. */
static int ceil_log2_bf16(uint32_t u) {
	static const uint8_t reach[] = { 0, 0, 1, 2, 5, 11, 24, 53 };
	struct bf16 x = bf16_of(u);
	return x.e + (x.man > reach[binade(x.e >= 0 ? x.e : -x.e - 1)]);
}

/* The least bf16 is 2^-133. */
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

/* Each rule in a loop of its own, which the compiler may vectorise. */
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
	recipes[r].scales(target_of(f), amax, n, scales);
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
