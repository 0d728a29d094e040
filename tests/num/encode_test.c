/* Encoding in each rounding and overflow policy, of elements, scales and 16-bit floats,
 * by hand and against the host's doubles and _Float16; tests/oracle/round_test.c has the
 * exact judge. */
#include "../../ref/mxref.h"
#include "../float_bits.h"
#include "../tap.h"

#include <math.h>
#include <string.h>

/* ---- the formats: elements and wider ones ---- */

enum { FP16 = MX_FORMATS, BF16, TARGETS };

/* The largest finite magnitude, and the code after it without saturation. */
static const struct {
	const char *name;
	uint32_t max, over, nan;
	int bits;
} targets[TARGETS] = {
	[MX_E4M3] = { "E4M3", 0x7E, 0x7F, 0x7F, 8 },
	[MX_E5M2] = { "E5M2", 0x7B, 0x7C, 0x7E, 8 },
	[MX_E2M3] = { "E2M3", 0x1F, 0x1F, 0x1F, 6 },
	[MX_E3M2] = { "E3M2", 0x1F, 0x1F, 0x1F, 6 },
	[MX_E2M1] = { "E2M1", 0x7, 0x7, 0x7, 4 },
	[FP16] = { "FP16", 0x7BFF, 0x7C00, 0x7E00, 16 },
	[BF16] = { "BF16", 0x7F7F, 0x7F80, 0x7FC0, 16 },
};

static uint32_t encode(int t, uint32_t x, mx_rounding r, mx_overflow o, uint32_t random) {
	mx_f32 f = { x };
	if (t == FP16)
		return mx_f16_encode(f, r, o, random).v;
	if (t == BF16)
		return mx_bf16_encode(f, r, o, random).v;
	return mx_elem_encode(t, f, r, o, random).v;
}

static uint32_t decode(int t, uint32_t code) {
	if (t == FP16)
		return mx_f16_to_f32((mx_f16){ code }).v;
	if (t == BF16)
		return mx_bf16_to_f32((mx_bf16){ code }).v;
	return mx_elem_to_f32(t, (mx_elem){ code }).v;
}

static uint32_t sign_of(int t) {
	return 1u << (targets[t].bits - 1);
}

/* A NaN becomes the only NaN of its sign or, in 16 bits, a quiet one. */
static uint32_t quiet(int t, uint32_t code) {
	if (targets[t].bits == 16)
		return code | (targets[t].nan & ~targets[t].over);
	return targets[t].nan | (code & sign_of(t));
}

static bool round_trips(int t, uint32_t code) {
	uint32_t x = decode(t, code);
	int same = 0, asked = 0;
	for (mx_rounding r = MX_RNE; r <= MX_SR; r++)
		for (mx_overflow o = MX_SATURATE; o <= MX_OVERFLOW; o++) {
			uint32_t want = isnan(as_float(x)) ? quiet(t, code) : code;
			if (isinf(as_float(x)) && o == MX_SATURATE)
				want = targets[t].max | (code & sign_of(t));
			same += encode(t, x, r, o, 0xFFFFFFFF) == want;
			asked++;
		}
	return same == asked;
}

static void test_round_trip(int t) {
	uint32_t n = 1u << targets[t].bits, code = 0;
	while (code < n && round_trips(t, code))
		code++;
	if (!ok(code == n, "%s: every code round-trips in every rounding, NaNs quiet",
	        targets[t].name))
		diag("first wrong code 0x%x", code);
}

/* The middle of neighbours, as f32 bits; exact, because each has at most 11 bits. */
static uint32_t middle(int t, uint32_t code) {
	double low = as_float(decode(t, code)), high = as_float(decode(t, code + 1));
	return bits_of((low + high) / 2);
}

static bool tie_rounds(int t, uint32_t code, uint32_t sign) {
	uint32_t x = middle(t, code), even = code + code % 2, s = sign ? sign_of(t) : 0;
	uint32_t up = code + 1, f32_sign = sign << 31;
#define IS(x, rounding, want) (encode(t, (x) | f32_sign, rounding, MX_OVERFLOW, 0) == ((want) | s))
	return IS(x, MX_RNE, even) && IS(x - 1, MX_RNE, code) && IS(x + 1, MX_RNE, up) &&
	       IS(x, MX_RNA, up) && IS(x - 1, MX_RNA, code) && IS(x + 1, MX_RNA, up) &&
	       IS(x, MX_RTZ, code) && IS(decode(t, up) - 1, MX_RTZ, code);
#undef IS
}

static void test_ties(int t) {
	uint32_t code = 0;
	while (code < targets[t].max && tie_rounds(t, code, 0) && tie_rounds(t, code, 1))
		code++;
	if (!ok(code == targets[t].max,
	        "%s: all ties go to even, away and to zero, and their f32 neighbours to the nearer",
	        targets[t].name))
		diag("first wrong: between codes 0x%x and 0x%x", code, code + 1);
}

/* ---- overflow, by hand ---- */

static void test_overflow(void) {
	static const struct {
		int t;
		float x;
		mx_rounding r;
		uint32_t saturated, overflowed;
	} rows[] = {
		{ MX_E4M3, 464, MX_RNE, 0x7E,
		  0x7E }, /* the tie of 448 and 480, which is NaN's code */
		{ MX_E4M3, 464, MX_RNA, 0x7E, 0x7F },
		{ MX_E4M3, 0x1.d00002p8, MX_RNE, 0x7E, 0x7F },
		{ MX_E4M3, -1e30, MX_RNE, 0xFE, 0xFF },
		{ MX_E4M3, 1e30, MX_RTZ, 0x7E, 0x7E },
		{ MX_E4M3, INFINITY, MX_RTZ, 0x7E, 0x7F },
		{ MX_E4M3, 448, MX_SR, 0x7E, 0x7E }, /* random is 2^31 throughout */
		{ MX_E4M3, 463, MX_SR, 0x7E, 0x7E },
		{ MX_E4M3, 464, MX_SR, 0x7E, 0x7F },
		{ MX_E5M2, 61439, MX_RNE, 0x7B, 0x7B },
		{ MX_E5M2, 61440, MX_RNE, 0x7B, 0x7C },
		{ MX_E5M2, 65535, MX_RTZ, 0x7B, 0x7B },
		{ MX_E5M2, -INFINITY, MX_RNE, 0xFB, 0xFC },
		{ MX_E2M1, 1e9, MX_RNE, 0x7, 0x7 },
		{ MX_E2M1, -INFINITY, MX_RNA, 0xF, 0xF },
		{ MX_E2M3, 7.75, MX_RNA, 0x1F, 0x1F },
		{ MX_E3M2, 31, MX_SR, 0x1F, 0x1F },
		{ FP16, 65519, MX_RNE, 0x7BFF, 0x7BFF },
		{ FP16, 65520, MX_RNE, 0x7BFF, 0x7C00 },
		{ FP16, 65520, MX_RTZ, 0x7BFF, 0x7BFF },
		{ FP16, -1e9, MX_RNE, 0xFBFF, 0xFC00 },
		{ BF16, 0x1.fefffep127, MX_RNE, 0x7F7F, 0x7F7F },
		{ BF16, 0x1.ffp127, MX_RNE, 0x7F7F, 0x7F80 },
		{ BF16, 0x1.fffffep127, MX_RTZ, 0x7F7F, 0x7F7F },
		{ BF16, -INFINITY, MX_RTZ, 0xFF7F, 0xFF80 },
	};
	int n = sizeof rows / sizeof *rows, i = 0;
	while (i < n &&
	       encode(rows[i].t, bits_of(rows[i].x), rows[i].r, MX_SATURATE, 1u << 31) ==
	               rows[i].saturated &&
	       encode(rows[i].t, bits_of(rows[i].x), rows[i].r, MX_OVERFLOW, 1u << 31) ==
	               rows[i].overflowed)
		i++;
	if (!ok(i == n,
	        "%d numbers at the edge of overflow saturate and overflow as derived by hand", n))
		diag("first wrong: %s of %a", targets[rows[i].t].name, rows[i].x);
	int bad = 0;
	for (int t = 0; t < TARGETS; t++)
		for (int r = MX_RNE; r <= MX_SR; r++)
			for (int o = MX_SATURATE; o <= MX_OVERFLOW; o++)
				bad += encode(t, 0x7FC00000, r, o, 0) != targets[t].nan ||
				       encode(t, 0xFF800001, r, o, ~0u) !=
				               (targets[t].nan | sign_of(t));
	ok(!bad,
	   "NaN is NaN with its sign in every rounding, the largest magnitude in FP4 and FP6");
	ok(mx_bf16_encode((mx_f32){ 0xFFA5C3E1 }, MX_RTZ, MX_SATURATE, 0).v == 0xFFE5 &&
	           mx_f16_encode((mx_f32){ 0x7FA5C3E1 }, MX_SR, MX_SATURATE, 7).v == 0x7F2E,
	   "the upper bits of a NaN's payload are kept in 16 bits");
}

/* ---- stochastic rounding ---- */

/* x lies num / 2^den of the way from a code to the next; doubles hold 11 + 40 bits. */
static bool sr_carries(int t, uint32_t code, uint32_t num, int den, uint32_t sign) {
	double low = as_float(decode(t, code)), high = as_float(decode(t, code + 1));
	double exact = low + (high - low) * ldexp(num, -den);
	uint32_t x = bits_of(exact) | sign << 31, s = sign ? sign_of(t) : 0;
	uint64_t fraction = den <= 32 ? (uint64_t)num << (32 - den) : num >> (den - 32);
	if ((double)(float)exact != exact)
		return true;                  /* not an f32 */
	uint32_t carry = (uint32_t)-fraction; /* fraction + carry = 2^32 */
	return encode(t, x, MX_SR, MX_SATURATE, carry - 1) == (code | s) &&
	       encode(t, x, MX_SR, MX_SATURATE, carry) == ((code + (fraction != 0)) | s);
}

static void test_sr_carries(int t) {
	uint32_t code = 0, step = targets[t].bits == 16 ? 37 : 1;
	bool good = true;
	int den = 0;
	for (; good && code < targets[t].max; code += step)
		for (den = 1; good && den <= 40; den++)
			for (uint32_t k = 0; good && k < 4; k++) {
				uint32_t num = den < 31 ? (1u << den) - 1 : ~0u;
				num = k == 0 ? 1 : k == 1 ? num : num / 3 * k;
				good = sr_carries(t, code, num, den, 0) &&
				       sr_carries(t, code, num, den, 1);
			}
	if (!ok(good, "%s: stochastic rounding moves up when fraction + random / 2^32 reaches 1",
	        targets[t].name))
		diag("first wrong: above code 0x%x, a fraction in 2^-%d", code - step, den - 1);
}

/* 65536 random numbers, evenly spread from 0: fraction * 65536 of them, rounded down, carry. */
static void test_sr_rate(void) {
	static const struct {
		int t;
		float x;
		uint32_t low;
		unsigned ups;
	} rows[] = {
		{ MX_E2M1, 2.25f, 0x4, 16384 }, /* a quarter from 2 to 3 */
		{ MX_E2M1, -2.25f, 0xC, 16384 },
		{ MX_E2M1, 0.125f, 0x0, 16384 },        /* subnormal: 0 to .5 */
		{ MX_E2M1, 0x1p-17f, 0x0, 1 },          /* 2^-16 of the way */
		{ MX_E2M1, 0x1.8p-17f, 0x0, 1 },        /* 1.5 * 2^-16 */
		{ MX_E2M1, 0x1p-18f, 0x0, 0 },          /* only randoms above all of these */
		{ MX_E2M1, 4, 0x6, 0 },                 /* exact */
		{ MX_E4M3, 0x1.24p-7f, 0x04, 36864 },   /* subnormal: 4.5625 steps */
		{ MX_E4M3, 447, 0x7D, 63488 },          /* 31/32 from 416 to 448 */
		{ MX_E5M2, 1.1f, 0x3C, 26214 },         /* .4 of 65536, f32's 1.1 being above */
		{ FP16, 0x1.002p0f, 0x3C00, 32768 },    /* half a step */
		{ BF16, 0x1.01fffep0f, 0x3F80, 65535 }, /* all but 2^-16 */
	};
	int n = sizeof rows / sizeof *rows;
	for (int i = 0; i < n; i++) {
		unsigned ups = 0, strays = 0;
		for (uint32_t k = 0; k < 65536; k++) {
			uint32_t code =
				encode(rows[i].t, bits_of(rows[i].x), MX_SR, MX_OVERFLOW, k << 16);
			ups += code == rows[i].low + 1;
			strays += code != rows[i].low + 1 && code != rows[i].low;
		}
		if (!ok(ups == rows[i].ups && !strays,
		        "%a becomes %s 0x%x or, for %u random numbers in 65536, the next",
		        rows[i].x, targets[rows[i].t].name, rows[i].low, rows[i].ups))
			diag("it moved up for %u and elsewhere for %u", ups, strays);
	}
}

/* ---- scales ---- */

static void test_scales(void) {
	static const struct {
		uint32_t x;
		int down, up, nearest;
	} rows[] = {
		{ 0x00000000, 0, 0, 0 },       { 0x00000001, 0, 0, 0 },
		{ 0x00400000, 0, 0, 0 }, /* 2^-127 */
		{ 0x00400001, 0, 1, 0 },       { 0x005FFFFF, 0, 1, 0 },
		{ 0x00600000, 0, 1, 1 }, /* 1.5 * 2^-127 */
		{ 0x00800000, 1, 1, 1 }, /* 2^-126 */
		{ 0x3F800000, 127, 127, 127 }, { 0xBF800001, 127, 128, 127 },
		{ 0x3FBFFFFF, 127, 128, 127 }, { 0x3FC00000, 127, 128, 128 }, /* 1.5 */
		{ 0x7F000000, 254, 254, 254 }, { 0x7F000001, 254, 255, 254 },
		{ 0x7F400000, 254, 255, 255 }, { 0xFF7FFFFF, 254, 255, 255 },
		{ 0x7F800000, 255, 255, 255 }, { 0x7FC00000, 256, 256, 256 },
	};
	int n = sizeof rows / sizeof *rows, i = 0;
	for (bool good = true; good && i < n; i += good) {
		const int want[3] = { rows[i].down, rows[i].up, rows[i].nearest };
		for (int r = 0; r < 3; r++) { /* 255: overflow; 256: NaN */
			int saturated = want[r] == 255 ? 254 : want[r] & 0xFF;
			saturated = want[r] == 256 ? 255 : saturated;
			int overflowed = want[r] > 255 ? 255 : want[r];
			mx_f32 x = { rows[i].x };
			good &= mx_e8m0_encode(x, r, MX_SATURATE).v == saturated &&
			        mx_e8m0_encode(x, r, MX_OVERFLOW).v == overflowed;
		}
	}
	if (!ok(i == n, "scales of %d f32, down, up and to nearest, are those derived by hand", n))
		diag("first wrong: 0x%08x", rows[i].x);
	int bad = 0;
	for (int s = 0; s < 256; s++)
		for (int k = 0; k < 6; k++)
			bad += mx_e8m0_encode(mx_e8m0_to_f32((mx_e8m0){ s }), k / 2, k % 2).v != s;
	ok(!bad, "every E8M0 code round-trips in every rounding");
}

/* ---- scales that are floats ---- */

/* E5M3 by its definition. */
static double e5m3(unsigned code) {
	unsigned field = code >> 3, man = code & 7;
	return code == 0xFF ? NAN : field ? ldexp(8 + man, (int)field - 18) : ldexp(man, -17);
}

static double scale_value(mx_scale_format f, unsigned code) {
	return f == MX_S_E5M3 ? e5m3(code) : as_float(decode(MX_E4M3, code));
}

/* Between two neighbouring codes the nearer one wins, the even one at the middle. */
static void test_float_scales(mx_scale_format f, const char *name, unsigned nan) {
	unsigned bad = 0;
	for (unsigned c = 0; c < nan; c++) {
		double low = scale_value(f, c), next = c + 1 < nan ? scale_value(f, c + 1) : low;
		double middle = (low + next) / 2;
		uint32_t m = bits_of((float)middle);
		bad += mx_block_scale_to_f32(f, c).v != bits_of((float)low);
		bad += mx_block_scale_from_f32(f, (mx_f32){ bits_of((float)low) }) != c;
		bad += mx_block_scale_from_f32(f, (mx_f32){ bits_of((float)-low) }) != c;
		if (c + 1 == nan)
			continue;
		bad += mx_block_scale_from_f32(f, (mx_f32){ m }) != c + (c & 1);
		bad += mx_block_scale_from_f32(f, (mx_f32){ m - 1 }) != c;
		bad += mx_block_scale_from_f32(f, (mx_f32){ m + 1 }) != c + 1;
	}
	ok(!bad, "%s scales: codes are their values, and a number gets the nearest", name);
	ok(mx_block_scale_from_f32(f, (mx_f32){ 0x7F800000 }) == nan - 1 &&
	           mx_block_scale_from_f32(f, (mx_f32){ 0x7F7FFFFF }) == nan - 1 &&
	           mx_block_scale_from_f32(f, (mx_f32){ 0xFFC00000 }) == nan &&
	           mx_block_scale_to_f32(f, nan).v == 0x7FC00000,
	   "%s scales saturate; NaN stays", name);
}

static void test_scale_formats(void) {
	static const struct {
		mx_scale_format f;
		unsigned code;
		uint32_t value;
	} rows[] = {
		{ MX_S_E5M3, 0x00, 0x00000000 }, { MX_S_E5M3, 0x01, 0x37000000 }, /* 2^-17 */
		{ MX_S_E5M3, 0x07, 0x38600000 },                                  /* 7 * 2^-17 */
		{ MX_S_E5M3, 0x08, 0x38800000 },                                  /* 2^-14 */
		{ MX_S_E5M3, 0x78, 0x3F800000 }, { MX_S_E5M3, 0x7C, 0x3FC00000 }, /* 1, 1.5 */
		{ MX_S_E5M3, 0xF8, 0x47800000 }, { MX_S_E5M3, 0xFE, 0x47E00000 }, /* 114688 */
		{ MX_S_E4M3, 0x7E, 0x43E00000 }, { MX_S_E4M3, 0xB8, 0xBF800000 }, /* 448, -1 */
		{ MX_S_E8M0, 0x00, 0x00400000 }, { MX_S_E8M0, 0xFE, 0x7F000000 },
		{ MX_S_E8M0, 0xFF, 0x7FC00000 },
	};
	unsigned bad = 0;
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
		bad += mx_block_scale_to_f32(rows[i].f, rows[i].code).v != rows[i].value;
	ok(!bad, "scales of the three formats have the values derived by hand");
	test_float_scales(MX_S_E5M3, "E5M3", 0xFF);
	test_float_scales(MX_S_E4M3, "E4M3", 0x7F);
	ok(mx_block_scale_from_f32(MX_S_E8M0, (mx_f32){ 0xBFC00000 }) == 0x80 &&
	           mx_block_scale_from_f32(MX_S_E8M0, (mx_f32){ 0x7F800000 }) == 0xFE,
	   "an E8M0 scale is the nearer power; 1.5 gives 2");
}

/* ---- binary16 against that of the host ---- */

#ifdef __FLT16_MAX__
static uint16_t host_f16(uint32_t x) {
	_Float16 h = (_Float16)as_float(x);
	uint16_t bits;
	memcpy(&bits, &h, sizeof bits);
	return bits;
}

static void test_host_f16(void) {
	uint32_t x = 0, step = 4099; /* a prime: 2^20 patterns of all kinds */
	while (x < 0xFFFFFFFF - step && (mx_f16_from_f32((mx_f32){ x }).v == host_f16(x)))
		x += step;
	if (!ok(x >= 0xFFFFFFFF - step, "a million f32 become the same binary16 as on the host"))
		diag("first wrong: 0x%08x: got 0x%04x, host 0x%04x", x,
		     mx_f16_from_f32((mx_f32){ x }).v, host_f16(x));
	uint32_t c = 0;
	for (; c < 65536; c++) {
		uint16_t bits = c;
		_Float16 h;
		memcpy(&h, &bits, sizeof h);
		if (mx_f16_to_f32((mx_f16){ c }).v != bits_of((float)h))
			break;
	}
	if (!ok(c == 65536, "all 65536 binary16 widen to the same f32 as on the host"))
		diag("first wrong: 0x%04x", c);
}
#else
static void test_host_f16(void) {
	ok(true, "the host's binary16 # SKIP this compiler has no _Float16");
}
#endif

int main(void) {
	for (int t = 0; t < TARGETS; t++) {
		test_round_trip(t);
		test_ties(t);
		test_sr_carries(t);
	}
	test_overflow();
	test_sr_rate();
	test_scales();
	test_scale_formats();
	test_host_f16();
	return done_testing();
}
