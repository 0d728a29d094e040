/* Element formats that no MX instruction takes, against values computed here in doubles: every code
 * is decoded, and numbers around every code and every midpoint of two codes are encoded in all
 * roundings. */
#include "../../ref/mxref.h"
#include "../float_bits.h"
#include "../tap.h"

#include <math.h>

/* FNUZ: value of an exponent field and a fraction, with a bias that is one more than IEEE's. */
static double fnuz(unsigned code, unsigned man, int bias) {
	unsigned field = (code & 0x7F) >> man, fraction = code & ((1u << man) - 1);
	double x = field ? ldexp(1.0 + ldexp(fraction, -(int)man), (int)field - bias)
	                 : ldexp(fraction, 1 - bias - (int)man);
	return code == 0x80 ? NAN : code & 0x80 ? -x : x;
}

static double e4m3fnuz(unsigned code) {
	return fnuz(code, 3, 8);
}

static double e5m2fnuz(unsigned code) {
	return fnuz(code, 2, 16);
}

static double int8(unsigned code) {
	return (int8_t)code / 64.0;
}

static double e0m4(unsigned code) {
	return code & 16 ? -(double)(code & 15) / 8 : code / 8.0;
}

static double e0m7(unsigned code) {
	return code & 128 ? -(double)(code & 127) / 64 : code / 64.0;
}

static const struct format {
	const char *name;
	mx_format id;
	unsigned bits;
	double (*value)(unsigned code);
	double max;
	bool signed_zero;
	int nan; /* code; -1: none */
} formats[] = {
	{ "E4M3FNUZ", MX_E4M3FNUZ, 8, e4m3fnuz, 240, false, 0x80 },
	{ "E5M2FNUZ", MX_E5M2FNUZ, 8, e5m2fnuz, 57344, false, 0x80 },
	{ "INT8", MX_INT8, 8, int8, 127 / 64.0, false, -1 },
	{ "E0M4", MX_E0M4, 5, e0m4, 15 / 8.0, true, -1 },
	{ "E0M7", MX_E0M7, 8, e0m7, 127 / 64.0, true, -1 },
};
enum { FORMATS = sizeof formats / sizeof *formats };

static mx_f32 of(double x) {
	return (mx_f32){ bits_of((float)x) };
}

static bool decodes(const struct format *f, unsigned code) {
	double want = f->value(code), got = as_float(mx_elem_to_f32(f->id, (mx_elem){ code }).v);
	struct mx_unpacked u = mx_elem_unpack(f->id, (mx_elem){ code });
	if (isnan(want))
		return isnan(got) && u.kind == MX_NAN;
	double again = ldexp(u.sig, u.exp);
	return got == want && u.kind == MX_NUMBER && again == fabs(want) &&
	       u.negative == (signbit(want) != 0) && !signbit(got) == !signbit(want);
}

static void test_decode(const struct format *f) {
	unsigned n = 1u << f->bits, good = 0;
	mx_format id;
	for (unsigned c = 0; c < n; c++) {
		if (!decodes(f, c) && good == c)
			diag("first wrong code 0x%02x: exact %a", c, f->value(c));
		good += decodes(f, c);
	}
	ok(good == n, "%s decodes all %u codes", f->name, n);
	ok(mx_format_by_name(f->name, &id) && id == f->id && mx_format_info(id)->bits == f->bits,
	   "%s is found by its name and has %u bits", f->name, f->bits);
}

/* The code for a magnitude x, by a search of all codes that are not negative. */
static unsigned nearest(const struct format *f, double x, mx_rounding r) {
	unsigned best = 0, half = 1u << (f->bits - 1);
	if (x >= f->max)
		return half - 1;
	for (unsigned c = 0; c < half; c++) {
		double d = fabs(f->value(c) - x), b = fabs(f->value(best) - x);
		if (r == MX_RTZ ? f->value(c) <= x : d < b || (d == b && (r == MX_RNA || !(c & 1))))
			best = c;
	}
	return best;
}

/* The next number above the largest with a larger exponent: half a step more is a tie. */
static bool overflows(const struct format *f, double x, mx_rounding r) {
	double step = f->max - f->value((1u << (f->bits - 1)) - 2), tie = f->max + step / 2;
	bool odd = true; /* the largest codes are all ones: the tie goes up */
	return r != MX_RTZ && (x > tie || (x == tie && odd));
}

static unsigned with_sign(const struct format *f, unsigned code, bool negative) {
	if (!negative || (!code && !f->signed_zero))
		return code;
	return f->id == MX_INT8 ? 256 - code : code | 1u << (f->bits - 1);
}

static unsigned expected(const struct format *f, double x, mx_rounding r, mx_overflow o) {
	if (isnan(x) || (o == MX_OVERFLOW && (isinf(x) || overflows(f, fabs(x), r))))
		if (f->nan >= 0)
			return f->nan;
	if (isnan(x) || isinf(x))
		return with_sign(f, nearest(f, f->max, MX_RNE), signbit(x));
	return with_sign(f, nearest(f, fabs(x), r), signbit(x));
}

static unsigned tried, wrong;

static void try_one(const struct format *f, double x) {
	static const mx_rounding roundings[] = { MX_RNE, MX_RNA, MX_RTZ };
	for (int i = 0; i < 3; i++)
		for (mx_overflow o = MX_SATURATE; o <= MX_OVERFLOW; o++) {
			unsigned want = expected(f, x, roundings[i], o);
			unsigned got = mx_elem_encode(f->id, of(x), roundings[i], o, 0).v;
			tried++;
			if (got != want && !wrong++)
				diag("%s: %a, rounding %d, overflow %d: code 0x%02x, should be "
				     "0x%02x",
				     f->name, x, roundings[i], o, got, want);
		}
}

/* x and the two numbers of f32 beside it, both signs. */
static void try_around(const struct format *f, double x) {
	float middle = (float)x;
	float all[3] = { middle, nextafterf(middle, 0), nextafterf(middle, INFINITY) };
	for (int i = 0; i < 3; i++) {
		try_one(f, all[i]);
		try_one(f, -all[i]);
	}
}

static void test_encode(const struct format *f) {
	unsigned half = 1u << (f->bits - 1);
	tried = wrong = 0;
	for (unsigned c = 0; c < half; c++) {
		try_around(f, f->value(c));
		try_around(f, c + 1 < half ? (f->value(c) + f->value(c + 1)) / 2
		                           : 1.5 * f->max - f->value(c - 1) / 2);
	}
	double others[] = {
		NAN, -NAN, INFINITY, -INFINITY, 0x1p-149, -0x1p-149, 0x1p127, -0x1p127
	};
	for (unsigned i = 0; i < sizeof others / sizeof *others; i++)
		try_one(f, others[i]);
	ok(!wrong, "%s encodes %u numbers at and around codes and ties", f->name, tried);
}

static void test_stochastic(const struct format *f) {
	/* a quarter of a step above code 2: up for one random in four */
	double x = f->value(2) + (f->value(3) - f->value(2)) / 4;
	unsigned below = mx_elem_encode(f->id, of(x), MX_SR, MX_SATURATE, 0xBFFFFFFF).v;
	unsigned above = mx_elem_encode(f->id, of(x), MX_SR, MX_SATURATE, 0xC0000000).v;
	ok(below == 2 && above == 3, "%s: stochastic rounding rounds up at the right random number",
	   f->name);
}

static void test_packing(const struct format *f) {
	uint8_t packed[16] = { 0 };
	unsigned good = 0, n = 13, mask = (1u << f->bits) - 1;
	for (unsigned i = 0; i < n; i++)
		mx_elem_set(f->id, packed, i, (mx_elem){ (i * 37 + 5) & mask });
	for (unsigned i = 0; i < n; i++) {
		unsigned at = i * f->bits, code = 0;
		for (unsigned b = 0; b < f->bits; b++)
			code |= (packed[(at + b) / 8] >> (at + b) % 8 & 1u) << b;
		good += code == ((i * 37 + 5) & mask) && code == mx_elem_get(f->id, packed, i).v;
	}
	ok(good == n && mx_packed_bytes(f->id, n) == (n * f->bits + 7) / 8,
	   "%s: packed fields of %u bits are contiguous", f->name, f->bits);
}

static void test_refused(const struct format *f) {
	float x[4] = { 1, 2, 3, 4 }, y[4];
	uint8_t codes[4], scale[1] = { 127 };
	struct mx_quantised q = { codes, 4, scale, 1 };
	struct mx_quantizer how = { .format = f->id, .threads = 1 };
	struct mx_tensor t = { x, MX_DTYPE_F32, 1, 4, 16, 4 };
	ok(mx_quantize(&how, &t, &q, NULL) == MX_BAD_FORMAT &&
	           mx_dequantize(f->id, &q, 1, 4, (mx_f32 *)y, 16, 4) == MX_BAD_FORMAT &&
	           mx_scale(MX_RECIPE_FLOOR, f->id, of(1)).v == 0xFF,
	   "%s is refused as an MX format", f->name);
}

int main(void) {
	for (int i = 0; i < FORMATS; i++) {
		const struct format *f = &formats[i];
		test_decode(f);
		test_encode(f);
		test_stochastic(f);
		test_packing(f);
		test_refused(f);
	}
	ok(as_float(mx_elem_to_f32(MX_INT8, (mx_elem){ 0x80 }).v) == -2,
	   "the INT8 code 0x80 is -2, and no encoding gives it");
	return done_testing();
}
