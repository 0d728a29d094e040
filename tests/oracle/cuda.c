/* ref/num against the host functions of CUDA's cuda_fp4.h, cuda_fp6.h and
 * cuda_fp8.h, which need no GPU: every code decoded; an f32 of each of 2^20 strata
 * and every f32 within one place of a multiple of 2^16 encoded, which has all ties.
 * Known differences are listed below with the reason. Any other difference fails, and
 * so does a known one that no longer occurs. cuda.t builds and runs it with the headers. */
#include <assert.h>
#include <string.h>

#include <cuda_fp4.h>
#include <cuda_fp6.h>
#include <cuda_fp8.h>

#include "../../ref/mxref.h"
#include "../float_bits.h"
#include "../tap.h"

static bool is_nan(uint32_t f32) {
	return (f32 & 0x7FFFFFFF) > 0x7F800000;
}

/* ---- encoding ---- */

#define TO(f, r, o) mx_elem_encode(MX_##f, (mx_f32){ x }, MX_##r, MX_##o, 0).v
#define SCALE(r, o) mx_e8m0_encode((mx_f32){ x }, MX_SCALE_##r, MX_##o).v
#define X           as_float(x)

/* name, our function, that of CUDA, and the code of a NaN, without the sign that CUDA drops. */
#define CONVERSIONS                                                                                \
	ROW(e2m1_rn, TO(E2M1, RNE, SATURATE),                                                      \
	    __nv_cvt_float_to_fp4(X, __NV_E2M1, cudaRoundNearest), 0x7, 0x7)                       \
	ROW(e2m1_rz, TO(E2M1, RTZ, SATURATE), __nv_cvt_float_to_fp4(X, __NV_E2M1, cudaRoundZero),  \
	    0x7, 0x7)                                                                              \
	ROW(e2m3_rn, TO(E2M3, RNE, SATURATE),                                                      \
	    __nv_cvt_float_to_fp6(X, __NV_E2M3, cudaRoundNearest), 0x1F, 0x1F)                     \
	ROW(e2m3_rz, TO(E2M3, RTZ, SATURATE), __nv_cvt_float_to_fp6(X, __NV_E2M3, cudaRoundZero),  \
	    0x1F, 0x1F)                                                                            \
	ROW(e3m2_rn, TO(E3M2, RNE, SATURATE),                                                      \
	    __nv_cvt_float_to_fp6(X, __NV_E3M2, cudaRoundNearest), 0x1F, 0x1F)                     \
	ROW(e3m2_rz, TO(E3M2, RTZ, SATURATE), __nv_cvt_float_to_fp6(X, __NV_E3M2, cudaRoundZero),  \
	    0x1F, 0x1F)                                                                            \
	ROW(e4m3_satfinite, TO(E4M3, RNE, SATURATE),                                               \
	    __nv_cvt_float_to_fp8(X, __NV_SATFINITE, __NV_E4M3), 0x7F, 0x7F)                       \
	ROW(e4m3_nosat, TO(E4M3, RNE, OVERFLOW), __nv_cvt_float_to_fp8(X, __NV_NOSAT, __NV_E4M3),  \
	    0x7F, 0x7F)                                                                            \
	ROW(e5m2_satfinite, TO(E5M2, RNE, SATURATE),                                               \
	    __nv_cvt_float_to_fp8(X, __NV_SATFINITE, __NV_E5M2), 0x7E, 0x7F)                       \
	ROW(e5m2_nosat, TO(E5M2, RNE, OVERFLOW), __nv_cvt_float_to_fp8(X, __NV_NOSAT, __NV_E5M2),  \
	    0x7E, 0x7F)                                                                            \
	ROW(ue8m0_rz_satfinite, SCALE(DOWN, SATURATE),                                             \
	    __nv_cvt_float_to_e8m0(X, __NV_SATFINITE, cudaRoundZero), 0xFF, 0xFF)                  \
	ROW(ue8m0_rz, SCALE(DOWN, OVERFLOW), __nv_cvt_float_to_e8m0(X, __NV_NOSAT, cudaRoundZero), \
	    0xFF, 0xFF)                                                                            \
	ROW(ue8m0_rp_satfinite, SCALE(UP, SATURATE),                                               \
	    __nv_cvt_float_to_e8m0(X, __NV_SATFINITE, cudaRoundPosInf), 0xFF, 0xFF)                \
	ROW(ue8m0_rp, SCALE(UP, OVERFLOW), __nv_cvt_float_to_e8m0(X, __NV_NOSAT, cudaRoundPosInf), \
	    0xFF, 0xFF)

#define ROW(name, ours, cuda, our_nan, cuda_nan)                                                   \
	static uint8_t our_##name(uint32_t x) {                                                    \
		return ours;                                                                       \
	}                                                                                          \
	static uint8_t cuda_##name(uint32_t x) {                                                   \
		return cuda;                                                                       \
	}
CONVERSIONS
#undef ROW

static const struct conversion {
	const char *name;
	uint8_t (*ours)(uint32_t x), (*cuda)(uint32_t x);
	uint8_t our_nan, cuda_nan;
} conversions[] = {
#define ROW(name, ours, cuda, our_nan, cuda_nan)                                                   \
	{ #name, our_##name, cuda_##name, our_nan, cuda_nan },
	CONVERSIONS
#undef ROW
};

struct tally {
	unsigned long wrong, known;
	uint32_t x;
};

/* NaN is the one difference: the sign, and in E5M2 also which NaN. */
static void compare(struct tally *t, const struct conversion *c, uint32_t x) {
	uint8_t ours = c->ours(x), cuda = c->cuda(x);
	if (ours == cuda)
		return;
	uint8_t sign = x >> 31 ? ours & ~c->our_nan : 0;
	if (is_nan(x) && ours == (c->our_nan | sign) && cuda == c->cuda_nan)
		t->known++;
	else if (!t->wrong++)
		t->x = x;
}

static void test_encode(const struct conversion *c) {
	struct tally t = { 0 };
	for (uint32_t i = 0; i < 1u << 20; i++)
		compare(&t, c, i << 12 | (i * 2654435761u >> 20));
	for (uint32_t i = 0; i < 65536; i++)
		for (int step = -1; step <= 1; step++)
			compare(&t, c, (i << 16) + step);
	bool differs = strncmp(c->name, "ue8m0", 5) != 0;
	if (!ok(!t.wrong && (t.known > 0) == differs, "cvt %s of a million f32%s", c->name,
	        differs ? ", except the sign of NaN" : ""))
		diag("%lu differ, %lu as known; first: 0x%08x (%a): CUDA 0x%02x, ours 0x%02x",
		     t.wrong, t.known, t.x, as_float(t.x), c->cuda(t.x), c->ours(t.x));
}

/* ---- decoding to binary16, like CUDA ---- */

static uint16_t cuda_half(mx_format f, uint8_t code) {
	switch (f) {
	case MX_E4M3: return __nv_cvt_fp8_to_halfraw(code, __NV_E4M3).x;
	case MX_E5M2: return __nv_cvt_fp8_to_halfraw(code, __NV_E5M2).x;
	case MX_E2M3: return __nv_cvt_fp6_to_halfraw(code, __NV_E2M3).x;
	case MX_E3M2: return __nv_cvt_fp6_to_halfraw(code, __NV_E3M2).x;
	default: return __nv_cvt_fp4_to_halfraw(code, __NV_E2M1).x;
	}
}

/* CUDA decodes every NaN to 0x7FFF. */
static void test_decode(mx_format f) {
	const struct mx_format_info *t = mx_format_info(f);
	unsigned code = 0, n = 1u << t->bits, nans = 0;
	for (; code < n; code++) {
		mx_f32 ours = mx_elem_to_f32(f, (mx_elem){ code });
		uint16_t cuda = cuda_half(f, code);
		if (is_nan(ours.v) && cuda == 0x7FFF)
			nans++;
		else if (mx_f16_to_f32((mx_f16){ cuda }).v != ours.v)
			break;
	}
	unsigned want = t->specials == MX_IEEE ? 6 : t->specials == MX_NAN_ONLY ? 2 : 0;
	if (!ok(code == n && nans == want, "%s: all %u codes decode alike, %u of them NaN", t->name,
	        n, want))
		diag("first different: 0x%02x, or NaNs: %u", code, nans);
}

static void test_decode_scales(void) {
	int s = 0;
	while (s < 255 && mx_bf16_to_f32((mx_bf16){ __nv_cvt_e8m0_to_bf16raw(s).x }).v ==
	                          mx_e8m0_to_f32((mx_e8m0){ s }).v)
		s++;
	ok(s == 255 && __nv_cvt_e8m0_to_bf16raw(255).x == 0x7FFF,
	   "E8M0: all 255 scales decode alike, and 0xFF is NaN");
}

int main(void) {
	for (size_t i = 0; i < sizeof conversions / sizeof *conversions; i++)
		test_encode(&conversions[i]);
	for (mx_format f = MX_E4M3; f < MX_FORMATS; f++)
		test_decode(f);
	test_decode_scales();
	return done_testing();
}
