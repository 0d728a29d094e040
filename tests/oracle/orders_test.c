/* Sets of atomic additions, against every permutation and against sums by hand. */
#include "../../oracle/exact/exact.h"
#include "../tap.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static uint64_t state = 5;
static uint32_t next(void) {
	state = state * 6364136223846793005u + 1442695040888963407u;
	return (uint32_t)(state >> 33);
}

static bool has(const char *format, enum exact_rounding r, uint32_t start, const uint32_t *parts,
                unsigned n, uint32_t got, size_t *values) {
	struct exact_set s;
	need(exact_orders(format, r, start, parts, n, got, &s) == EXACT_OK, "exact_orders");
	*values = s.values;
	return s.has;
}

/* ---- bf16 by integers: sums are multiples of 2^-40 here, exact in f64 ---- */

static double bf16_value(uint32_t code) {
	uint32_t u = code << 16;
	float f;
	memcpy(&f, &u, 4);
	return (double)f;
}

static uint32_t bf16_code(double x, bool cut) {
	if (x == 0)
		return 0;
	int e;
	double m = frexp(fabs(x), &e) * 256, low = floor(m), frac = m - low;
	bool up = !cut && (frac > 0.5 || (frac == 0.5 && fmod(low, 2) != 0));
	float f = (float)ldexp(copysign(low + up, x), e - 8);
	uint32_t u;
	memcpy(&u, &f, 4);
	return u >> 16;
}

enum { MOST = 720 };
struct outcome {
	uint32_t code[MOST];
	size_t n;
};

static void permute(uint32_t sum, uint32_t *parts, unsigned n, bool cut, struct outcome *o) {
	if (!n) {
		for (size_t i = 0; i < o->n; i++)
			if (o->code[i] == sum)
				return;
		o->code[o->n++] = sum;
	}
	for (unsigned i = 0; i < n; i++) {
		uint32_t part = parts[i];
		parts[i] = parts[n - 1];
		permute(bf16_code(bf16_value(sum) + bf16_value(part), cut), parts, n - 1, cut, o);
		parts[i] = part;
	}
}

static void permutations(bool cut) {
	size_t wrong = 0, more = 0;
	for (int round = 0; round < 100; round++) {
		uint32_t parts[6], start = round % 2 ? 0 : 0x4100;
		unsigned n = 1 + next() % 6;
		struct outcome o = { .n = 0 };
		for (unsigned i = 0; i < n; i++)
			parts[i] = 0x3e00 + next() % 0x300 + (next() % 2 << 15);
		permute(start, parts, n, cut, &o);
		more += o.n > 1;
		for (uint32_t code = 0; code < 0x10000; code += round % 8 ? 7 : 1) {
			bool want = false;
			size_t values;
			if (code == 0x8000 || (code & 0x7fff) > 0x7f80)
				continue;
			for (size_t i = 0; i < o.n; i++)
				want |= o.code[i] == code;
			if (!want && code % 97)
				continue;
			wrong += has("BF16", cut ? EXACT_RTZ : EXACT_RNE, start, parts, n, code,
			             &values) != want ||
			         values != o.n;
		}
		for (size_t i = 0; i < o.n; i++) {
			size_t values;
			wrong += !has("BF16", cut ? EXACT_RTZ : EXACT_RNE, start, parts, n,
			              o.code[i], &values);
		}
	}
	ok(!wrong && more > 30,
	   "bf16, %s: the set equals that of all permutations of up to 6 parts",
	   cut ? "cutting" : "rounding");
}

static void by_hand(void) {
	const uint32_t f16[] = { 0x6800, 0x3c00, 0x3c00 }; /* 2048, 1, 1 */
	size_t values;
	ok(has("FP16", EXACT_RNE, 0, f16, 3, 0x6800, &values) &&
	           has("FP16", EXACT_RNE, 0, f16, 3, 0x6801, &values) && values == 2 &&
	           !has("FP16", EXACT_RNE, 0, f16, 3, 0x6802, &values),
	   "f16: 2048 + 1 + 1 is 2048 or 2050");
	const uint32_t f32[] = { 0x4b800000, 0x3f800000, 0x3f800000 }; /* 2^24, 1, 1 */
	ok(has("FP32", EXACT_RNE, 0, f32, 3, 0x4b800000, &values) &&
	           has("FP32", EXACT_RNE, 0, f32, 3, 0x4b800001, &values) && values == 2,
	   "f32: 2^24 + 1 + 1 is 2^24 or 2^24 + 2");
	const uint32_t small[] = { 0x4b800000, 0x80000001 }; /* 2^24 - 2^-149 */
	ok(has("FP32", EXACT_RTZ, 0, small, 2, 0x4b7fffff, &values) && values == 1 &&
	           has("FP32", EXACT_RNE, 0, small, 2, 0x4b800000, &values),
	   "2^24 minus the least f32 is the f32 below if sums are truncated");
	const uint32_t big[] = { 0x7f7f, 0x7f7f, 0xff7f };
	ok(has("BF16", EXACT_RNE, 0, big, 3, 0x7f7f, &values) &&
	           has("BF16", EXACT_RNE, 0, big, 3, 0x7f80, &values) && values == 2,
	   "bf16: an order that overflows stays infinite");
	const uint32_t inf[] = { 0x7f80, 0xff80 };
	ok(has("BF16", EXACT_RNE, 0, inf, 2, 0xffff, &values) && values == 1,
	   "infinities of both signs are NaN, with any payload");
	uint32_t nine[10] = { 0 };
	struct exact_set s;
	ok(exact_orders("BF16", EXACT_RNE, 0, nine, 10, 0, &s) == EXACT_BAD_SHAPE &&
	           exact_orders("BF17", EXACT_RNE, 0, nine, 1, 0, &s) == EXACT_BAD_FORMAT,
	   "ten parts, or another format, are refused");
}

int main(void) {
	permutations(false);
	permutations(true);
	by_hand();
	return done_testing();
}
