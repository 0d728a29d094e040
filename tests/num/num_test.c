/* ref/num against values from first principles: the format parameters below are
 * typed from the OCP MX specification. Codes are decoded with ldexp; encoding is
 * checked by a search for the nearest decoded value. */
#include "../../ref/mxref.h"
#include "../float_bits.h"
#include "../random.h"
#include "../tap.h"

#include <math.h>
#include <string.h>

struct spec {
	const char *name;
	mx_format id;
	int bits, exp, man, bias;
	double max, least; /* largest finite, smallest subnormal */
	int infinity, nan,
		nan_out; /* magnitude codes: infinity, first NaN, NaN to encode; -1 none */
	int emax;        /* of the largest power of two */
};

static const struct spec specs[] = {
	{ "E2M1", MX_E2M1, 4, 2, 1, 1, 6, 0.5, -1, -1, -1, 2 },
	{ "E2M3", MX_E2M3, 6, 2, 3, 1, 7.5, 0.125, -1, -1, -1, 2 },
	{ "E3M2", MX_E3M2, 6, 3, 2, 3, 28, 0.0625, -1, -1, -1, 4 },
	{ "E4M3", MX_E4M3, 8, 4, 3, 7, 448, 0x1p-9, -1, 0x7F, 0x7F, 8 },
	{ "E5M2", MX_E5M2, 8, 5, 2, 15, 57344, 0x1p-16, 0x7C, 0x7D, 0x7E, 15 },
};
enum { SPECS = sizeof specs / sizeof *specs };

static uint64_t rng_state = 20240607;

static uint64_t rng(void) {
	return next_random(&rng_state);
}

static int sign_bit(const struct spec *s) {
	return 1 << (s->bits - 1);
}

/* The value of a code by the definition in the specification. */
static double decode(const struct spec *s, int code) {
	int magnitude = code % sign_bit(s), field = magnitude >> s->man;
	double mantissa = ldexp(magnitude % (1 << s->man), -s->man), x;
	if (magnitude == s->infinity)
		x = INFINITY;
	else if (s->nan >= 0 && magnitude >= s->nan)
		x = NAN;
	else if (field == 0)
		x = ldexp(mantissa, 1 - s->bias);
	else
		x = ldexp(1 + mantissa, field - s->bias);
	return code >= sign_bit(s) ? -x : x;
}

static int max_code(const struct spec *s) {
	return s->infinity >= 0 ? s->infinity - 1 : s->nan >= 0 ? s->nan - 1 : sign_bit(s) - 1;
}

/* The nearest code by binary search; of two equally near, the even one. */
static int encode(const struct spec *s, double x) {
	int low = 0, high = max_code(s), sign = signbit(x) ? sign_bit(s) : 0;
	x = fabs(x);
	if (isnan(x))
		return (s->nan >= 0 ? s->nan_out : high) | sign;
	if (x >= s->max)
		return high | sign;
	while (high - low > 1) {
		int middle = (low + high) / 2;
		if (decode(s, middle) <= x)
			low = middle;
		else
			high = middle;
	}
	double tie = (decode(s, low) + decode(s, high)) / 2;
	if (x == tie)
		return (low % 2 ? high : low) | sign;
	return (x < tie ? low : high) | sign;
}

static void test_names(void) {
	int bad = 0;
	for (int i = 0; i < SPECS; i++) {
		const struct spec *s = &specs[i];
		const struct mx_format_info *t = mx_format_info(s->id);
		char lower[] = { 'e', s->name[1], 'm', s->name[3], 0 };
		mx_format by_name, by_lower;
		if (strcmp(t->name, s->name) || !mx_format_by_name(s->name, &by_name) ||
		    !mx_format_by_name(lower, &by_lower) || by_name != s->id || by_lower != s->id ||
		    t->bits != s->bits || t->exp_bits != s->exp || t->man_bits != s->man ||
		    t->bias != s->bias)
			if (!bad++)
				diag("first wrong: %s", s->name);
	}
	ok(!bad, "each format has its name, in any case, and the parameters of the specification");
	mx_format f;
	ok(!mx_format_by_name("E2M2", &f) && !mx_format_by_name("", &f) &&
	           !mx_format_by_name("E2M1x", &f),
	   "there is no format E2M2");
	ok(MX_E4M3 == 0 && MX_E5M2 == 1 && MX_E2M3 == 2 && MX_E3M2 == 3 && MX_E2M1 == 4,
	   "format numbers are the cbsz codes of the ISA manual");
}

static void test_e2m1_by_hand(void) {
	static const float values[8] = { 0, 0.5, 1, 1.5, 2, 3, 4, 6 };
	int code = 0;
	while (code < 16) {
		float x = code < 8 ? values[code] : -values[code - 8];
		if (mx_elem_to_f32(MX_E2M1, (mx_elem){ code }).v != bits_of(x))
			break;
		code++;
	}
	if (!ok(code == 16, "E2M1 is 0 .5 1 1.5 2 3 4 6 and the negatives, -0 among them"))
		diag("first wrong code 0x%x", code);
}

static bool unpacks(const struct spec *s, int code) {
	struct mx_unpacked u = mx_elem_unpack(s->id, (mx_elem){ code });
	double want = decode(s, code);
	if (u.negative != (code >= sign_bit(s)))
		return false;
	if (isnan(want) || isinf(want))
		return u.kind == (isnan(want) ? MX_NAN : MX_INF);
	return u.kind == MX_NUMBER && u.sig < 16 && ldexp(u.sig, u.exp) == fabs(want) &&
	       (fabs(want) >= ldexp(1, 1 - s->bias) || ldexp(1, u.exp) == s->least);
}

static void test_decode(const struct spec *s) {
	int n = 1 << s->bits, code = 0;
	while (code < n) {
		uint32_t got = mx_elem_to_f32(s->id, (mx_elem){ code }).v;
		double want = decode(s, code);
		uint32_t nan = 0x7FC00000u | (code >= sign_bit(s) ? 0x80000000u : 0);
		if (got != (isnan(want) ? nan : bits_of(want)) || !unpacks(s, code))
			break;
		code++;
	}
	if (!ok(code == n, "%s decodes and unpacks all %d codes", s->name, n))
		diag("first wrong code 0x%02x: got %a, exact %a", code,
		     as_float(mx_elem_to_f32(s->id, (mx_elem){ code }).v), decode(s, code));
	int stray = 0;
	for (int c = 0; c < 256; c++)
		stray += mx_elem_to_f32(s->id, (mx_elem){ c }).v !=
		         mx_elem_to_f32(s->id, (mx_elem){ c % n }).v;
	ok(!stray, "%s ignores bits above the code", s->name);
	ok(decode(s, max_code(s)) == s->max && decode(s, 1) == s->least,
	   "%s has the largest and smallest value of the specification", s->name);
}

/* Counts a disagreement and explains the first. */
static void check_encode(const struct spec *s, uint32_t bits, int *bad) {
	int got = mx_elem_from_f32(s->id, (mx_f32){ bits }).v, want = encode(s, as_float(bits));
	if (got != want && !(*bad)++)
		diag("first wrong: %s of 0x%08x (%a): got 0x%02x, nearest is 0x%02x", s->name, bits,
		     as_float(bits), got, want);
}

static void check_encode_near(const struct spec *s, float x, int *bad) {
	for (int sign = 0; sign < 2; sign++)
		for (int step = -2; step <= 2; step++)
			check_encode(
				s, (bits_of(x) + (x > 0 ? step : step & 1)) ^ (uint32_t)sign << 31,
				bad);
}

static void test_encode_boundaries(const struct spec *s) {
	int bad = 0;
	for (int code = 0; code <= max_code(s); code++) {
		double x = decode(s, code), ulp = x - decode(s, code - (code > 0));
		double next = code < max_code(s) ? decode(s, code + 1) : x + ulp;
		check_encode_near(s, x, &bad);
		check_encode_near(s, (x + next) / 2, &bad);
	}
	check_encode_near(s, 2 * s->max, &bad);
	ok(!bad, "%s rounds every value, every tie and their f32 neighbours to nearest even",
	   s->name);
}

static void test_encode_sample(const struct spec *s) {
	int bad = 0;
	for (uint32_t stratum = 0; stratum < 1u << 20; stratum++)
		check_encode(s, stratum << 12 | (rng() & 0xFFF), &bad);
	ok(!bad, "%s encodes one f32 pattern of each of 2^20 strata", s->name);
}

static void test_encode_by_hand(void) {
	static const struct {
		mx_format f;
		uint32_t x;
		int code;
	} rows[] = {
		{ MX_E2M1, 0x3E800000, 0x0 },  /* .25 -> 0 */
		{ MX_E2M1, 0x3F400000, 0x2 },  /* .75 -> 1 */
		{ MX_E2M1, 0x40200000, 0x4 },  /* 2.5 -> 2 */
		{ MX_E2M1, 0xC0A00000, 0xE },  /* -5 -> -4 */
		{ MX_E2M1, 0xFF800000, 0xF },  /* -inf -> -6 */
		{ MX_E2M1, 0x7F800001, 0x7 },  /* NaN -> 6 */
		{ MX_E2M1, 0x80000001, 0x8 },  /* -2^-149 -> -0 */
		{ MX_E4M3, 0x43E80000, 0x7E }, /* 464 -> 448 */
		{ MX_E4M3, 0x43E80001, 0x7E }, /* above 464 saturates */
		{ MX_E4M3, 0xFFC00000, 0xFF }, /* -NaN */
		{ MX_E4M3, 0x3A800000, 0x00 }, /* 2^-10, half the least -> 0 */
		{ MX_E4M3, 0x3A800001, 0x01 }, { MX_E5M2, 0x7F800000, 0x7B }, /* inf -> 57344 */
		{ MX_E5M2, 0x7FC00000, 0x7E }, { MX_E3M2, 0x41F00000, 0x1F }, /* 30 -> 28 */
		{ MX_E2M3, 0x40F80000, 0x1F },                                /* 7.75 -> 7.5 */
	};
	int n = sizeof rows / sizeof *rows, i = 0;
	while (i < n && mx_elem_from_f32(rows[i].f, (mx_f32){ rows[i].x }).v == rows[i].code)
		i++;
	if (!ok(i == n, "elements of %d hand-picked f32 are those of the specification", n))
		diag("first wrong: %s of 0x%08x: got 0x%02x, want 0x%02x",
		     mx_format_info(rows[i].f)->name, rows[i].x,
		     mx_elem_from_f32(rows[i].f, (mx_f32){ rows[i].x }).v, rows[i].code);
}

/* Bit b of element i is bit i*bits + b of the array, least significant first. */
static void test_packing(const struct spec *s) {
	enum { N = 67 };
	uint8_t packed[N + 1], codes[N];
	int wrong_bit = 0, wrong_get = 0, n = 1 << s->bits;
	memset(packed, 0xA5, sizeof packed);
	for (int round = 0; round < 3; round++)
		for (int i = N; i--;) {
			codes[i] = rng() % n;
			mx_elem_set(s->id, packed, i, (mx_elem){ codes[i] });
		}
	for (int i = 0; i < N; i++) {
		wrong_get += mx_elem_get(s->id, packed, i).v != codes[i];
		for (int b = 0; b < s->bits; b++) {
			int at = i * s->bits + b;
			wrong_bit += (packed[at / 8] >> at % 8 & 1) != (codes[i] >> b & 1);
		}
	}
	ok(!wrong_bit, "%s packs into consecutive bits and overwrites no others", s->name);
	ok(!wrong_get, "%s unpacks what was packed", s->name);
	ok(packed[N] == 0xA5, "%s touches no byte after the array", s->name);
	ok(mx_packed_bytes(s->id, 0) == 0 && mx_packed_bytes(s->id, 32) == 4u * s->bits &&
	           mx_packed_bytes(s->id, 1) == 1 &&
	           mx_packed_bytes(s->id, N) == (N * s->bits + 7u) / 8,
	   "%s arrays take n * %d bits, rounded up to bytes", s->name, s->bits);
}

static void test_packing_by_hand(void) {
	uint8_t fp4[2] = { 0 }, fp6[3] = { 0 };
	mx_elem_set(MX_E2M1, fp4, 0, (mx_elem){ 0x1 });
	mx_elem_set(MX_E2M1, fp4, 1, (mx_elem){ 0xF });
	mx_elem_set(MX_E2M1, fp4, 2, (mx_elem){ 0x6 });
	ok(fp4[0] == 0xF1 && fp4[1] == 0x06, "FP4 puts element 0 into the low nibble");
	for (int i = 0; i < 4; i++)
		mx_elem_set(MX_E3M2, fp6, i, (mx_elem){ i == 1 ? 0x3F : i == 2 ? 0x21 : 0 });
	ok(fp6[0] == 0xC0 && fp6[1] == 0x1F && fp6[2] == 0x02,
	   "FP6 elements 0, 0x3F, 0x21, 0 are the bytes c0 1f 02");
}

static void test_e8m0(void) {
	int bad = 0;
	for (int s = 0; s < 255; s++)
		bad += mx_e8m0_to_f32((mx_e8m0){ s }).v != bits_of(ldexp(1, s - 127));
	ok(!bad, "E8M0 0x00 to 0xFE are 2^-127 to 2^127");
	ok(mx_e8m0_to_f32((mx_e8m0){ 0 }).v == 0x00400000, "E8M0 0x00 is the subnormal 0x00400000");
	ok(mx_e8m0_to_f32((mx_e8m0){ 255 }).v == 0x7FC00000, "E8M0 0xFF is NaN");
	static const uint32_t mantissas[] = { 0, 1, 0x400000, 0x7FFFFF };
	bad = 0;
	for (uint32_t e = 0; e < 256; e++)
		for (int m = 0; m < 4; m++)
			for (uint32_t sign = 0; sign < 2; sign++) {
				mx_f32 x = { sign << 31 | e << 23 | mantissas[m] };
				bad += mx_e8m0_from_f32(x).v != e;
			}
	ok(!bad, "E8M0 of an f32 is its exponent field, for any sign and mantissa");
}

/* Nearest of the two bf16 around x; the upper one may be 2^128. */
static uint16_t bf16_nearest(uint32_t x) {
	uint32_t low = x >> 16 & 0x7FFF;
	double magnitude = fabs((double)as_float(x)), below = as_float(low << 16);
	double above = low == 0x7F7F ? 0x1p128 : as_float((low + 1) << 16);
	double tie = (below + above) / 2;
	low += magnitude > tie || (magnitude == tie && low % 2);
	return low | (x >> 16 & 0x8000);
}

static void check_bf16(uint32_t x, int *bad) {
	uint16_t got = mx_bf16_from_f32((mx_f32){ x }).v, want;
	if (isnan(as_float(x)))
		want = x >> 16 | 0x40;
	else if (isinf(as_float(x)))
		want = x >> 16;
	else
		want = bf16_nearest(x);
	if (got != want && !(*bad)++)
		diag("first wrong: bf16 of 0x%08x: got 0x%04x, nearest is 0x%04x", x, got, want);
}

static void test_bf16(void) {
	static const uint32_t lows[] = { 0, 1, 0x7FFF, 0x8000, 0x8001, 0xFFFF };
	int wide = 0, bad = 0;
	for (uint32_t x = 0; x < 65536; x++) {
		mx_f32 f = mx_bf16_to_f32((mx_bf16){ x });
		wide += f.v >> 16 != x || (f.v & 0xFFFF);
		for (int i = 0; i < 6; i++)
			check_bf16(x << 16 | lows[i], &bad);
		for (int i = 0; i < 8; i++)
			check_bf16(x << 16 | (rng() & 0xFFFF), &bad);
	}
	ok(!wide, "all 65536 bf16 are the upper halves of their f32");
	ok(!bad, "bf16 rounds to nearest even at every tie and beside it, NaN quiet");
	ok(mx_bf16_from_f32((mx_f32){ 0x7F7F8000 }).v == 0x7F80 &&
	           mx_bf16_from_f32((mx_f32){ 0x7F7F7FFF }).v == 0x7F7F &&
	           mx_bf16_from_f32((mx_f32){ 0x7F800001 }).v == 0x7FC0 &&
	           mx_bf16_from_f32((mx_f32){ 0x3F808000 }).v == 0x3F80 &&
	           mx_bf16_from_f32((mx_f32){ 0x3F818000 }).v == 0x3F82,
	   "bf16 overflow, quieting and ties of hand-picked f32 are right");
}

static void test_floor_by_hand(void) {
	static const struct {
		mx_format f;
		uint32_t amax;
		int scale;
	} rows[] = {
		{ MX_E2M1, 0x3F800000, 125 },                             /* 1 = 2^0: 0 - 2 + 127 */
		{ MX_E2M1, 0x40C00000, 127 },                             /* 6: 2 - 2 */
		{ MX_E2M1, 0x40FFFFFF, 127 },                             /* just below 8 */
		{ MX_E2M1, 0x41000000, 128 },                             /* 8 */
		{ MX_E4M3, 0x43E00000, 127 },                             /* 448: 8 - 8 */
		{ MX_E4M3, 0x3F800000, 119 },                             /* 1 */
		{ MX_E5M2, 0x3F800000, 112 },                             /* 1 */
		{ MX_E2M3, 0x3F000000, 124 },                             /* .5 */
		{ MX_E3M2, 0x3F800000, 123 },                             /* 1 */
		{ MX_E2M1, 0x7F7FFFFF, 252 },                             /* largest f32: 127 - 2 */
		{ MX_E2M1, 0x7F800000, 255 },                             /* infinity */
		{ MX_E2M1, 0x7FC00000, 255 },                             /* NaN */
		{ MX_E2M1, 0x00000000, 0 },   { MX_E2M1, 0x00000001, 0 }, /* 2^-149 is clamped */
		{ MX_E2M1, 0x01000000, 0 },                               /* 2^-125: -127 */
		{ MX_E2M1, 0x01800000, 1 },                               /* 2^-124: -126 */
		{ MX_E5M2, 0x08000000, 1 },                               /* 2^-111: -126 */
		{ MX_E5M2, 0x07FFFFFF, 0 },
	};
	int n = sizeof rows / sizeof *rows, i = 0;
	while (i < n && mx_scale_floor(rows[i].f, (mx_f32){ rows[i].amax }).v == rows[i].scale)
		i++;
	if (!ok(i == n, "the floor recipe gives %d hand-derived scales", n))
		diag("first wrong: %s, amax 0x%08x: got %d, want %d",
		     mx_format_info(rows[i].f)->name, rows[i].amax,
		     mx_scale_floor(rows[i].f, (mx_f32){ rows[i].amax }).v, rows[i].scale);
}

/* The scale's byte, or -1. */
static int floor_block(mx_format f, const mx_f32 *x, size_t n, mx_elem *codes) {
	mx_e8m0 scale;
	return mx_quantize_block(f, x, n, codes, &scale) ? -1 : scale.v;
}

static void test_block_by_hand(void) {
	/* amax 20: 2^(4-2) = 4; 20/4 = 5 -> 4 (tie), -3/4 -> -1 (tie), 1/4 of it all else. */
	const mx_f32 x[] = {
		{ 0x41A00000 }, { 0xC0400000 }, { 0x3F800000 }, { 0x80000000 }, { 0x3F800001 }
	};
	const uint8_t want[] = { 0x6, 0xA, 0x0, 0x8, 0x1 };
	mx_elem codes[6] = { [5] = { 0x55 } };
	int same = floor_block(MX_E2M1, x, 5, codes) == 129;
	for (int i = 0; i < 5; i++)
		same += codes[i].v == want[i];
	ok(same == 6, "20 -3 1 -0 1.0000001 quantise to 4 -1 0 -0 .5 times 4");
	ok(codes[5].v == 0x55, "a block of 5 writes 5 codes");
	const mx_f32 nan[] = { { 0x3F800000 }, { 0xFFC00000 } };
	mx_elem out[2];
	ok(floor_block(MX_E4M3, nan, 2, out) == 0xFF && out[0].v == 0x7F && out[1].v == 0xFF,
	   "a NaN makes the scale and every element of its block NaN");
	ok(floor_block(MX_E4M3, x, 0, out) == 0, "an empty block has scale 0x00");
}

/* A block of values of all sizes around 2^e, with zeros; true if quantised as computed here. */
static bool block_agrees(const struct spec *s, int e) {
	mx_f32 x[MX_BLOCK];
	mx_elem codes[MX_BLOCK];
	float amax = 0;
	for (int i = 0; i < MX_BLOCK; i++) {
		float v = ldexp((double)(rng() >> 40) - 0x1p23, e - (int)(rng() % 12));
		x[i].v = bits_of(rng() % 8 ? v : 0);
		amax = fmaxf(amax, fabsf(as_float(x[i].v)));
	}
	int log2 = 0;
	frexp(amax, &log2);
	int scale = amax == 0 ? -127 : log2 - 1 - s->emax;
	scale = scale < -127 ? -127 : scale;
	if (floor_block(s->id, x, MX_BLOCK, codes) != scale + 127)
		return false;
	for (int i = 0; i < MX_BLOCK; i++)
		if (codes[i].v != encode(s, ldexp(as_float(x[i].v), -scale)))
			return false;
	return true;
}

static void test_blocks(const struct spec *s) {
	int e = -175;
	while (e < 105 && block_agrees(s, e) && block_agrees(s, e))
		e++;
	if (!ok(e == 105, "%s blocks of every size are quantised by floor(log2(amax))", s->name))
		diag("first wrong: values around 2^%d", e + 23);
}

static void test_f32_scale(void) {
	int bad = 0;
	for (int i = 0; i < 400000; i++) {
		uint32_t x = rng();
		int e = (int)(rng() % 600) - 300;
		if (isnan(as_float(x)))
			continue;
		/* Exact in double, rounded once by the conversion. */
		uint32_t want = bits_of((float)ldexp(as_float(x), e));
		uint32_t got = mx_f32_scale((mx_f32){ x }, e).v;
		if (got != want && !bad++)
			diag("first wrong: 0x%08x * 2^%d: got 0x%08x, want 0x%08x", x, e, got,
			     want);
	}
	ok(!bad, "f32 times a power of two is rounded once, subnormals and overflow included");
	ok(mx_f32_scale((mx_f32){ 0x00000003 }, -1).v == 2 &&
	           mx_f32_scale((mx_f32){ 1 }, -1).v == 0 &&
	           mx_f32_scale((mx_f32){ 0x80000003 }, INT32_MIN).v == 0x80000000 &&
	           mx_f32_scale((mx_f32){ 1 }, INT32_MAX).v == 0x7F800000 &&
	           mx_f32_scale((mx_f32){ 0xFF800000 }, -9).v == 0xFF800000 &&
	           mx_f32_scale((mx_f32){ 0x7F800001 }, 3).v == 0x7FC00001,
	   "ties, extreme exponents, infinity and NaN are scaled correctly");
}

int main(void) {
	test_names();
	test_e2m1_by_hand();
	for (int i = 0; i < SPECS; i++) {
		test_decode(&specs[i]);
		test_encode_boundaries(&specs[i]);
		test_encode_sample(&specs[i]);
		test_packing(&specs[i]);
		test_blocks(&specs[i]);
	}
	test_encode_by_hand();
	test_packing_by_hand();
	test_e8m0();
	test_bf16();
	test_floor_by_hand();
	test_block_by_hand();
	test_f32_scale();
	return done_testing();
}
