/* The variations of a profile, by sums small enough to work out by hand. Elements are E5M2, in one
 * block of 32 with scale 1. */
#include "../../ref/mxref.h"
#include "../tap.h"

#include <string.h>

enum { K = 32, ONE = 0x3C, MINUS = 0x80, TINY = 1 };

/* 2^e, e from -14 to 15. */
static unsigned power(int e) {
	return (unsigned)(e + 15) << 2;
}

struct dot {
	const char *says;
	mx_profile p;
	struct {
		unsigned k, a, b;
	} product[3];
	uint32_t c, d;
	uint8_t scale; /* of A; 0: 127 */
};

static uint32_t result(const struct dot *t, const mx_profile *p) {
	mx_elem a[K] = { 0 }, b[K] = { 0 };
	mx_e8m0 one[1] = { { 127 } }, scale[1] = { { t->scale ? t->scale : 127 } };
	mx_f32 d = { 0xDEADBEEF };
	for (unsigned i = 0; i < 3 && t->product[i].a + t->product[i].b; i++) {
		a[t->product[i].k].v = t->product[i].a;
		b[t->product[i].k].v = t->product[i].b;
	}
	mx_status s = mx_mma_dot(p, MX_E5M2, MX_E5M2, K, a, scale, b, one, (mx_f32){ t->c }, &d);
	if (s)
		diag("%s: %s", t->says, mx_strerror(s));
	return d.v;
}

#define FUSED .group = 32, .parts = 1, .align = 20, .fused = 1
#define APART .group = 32, .parts = 1, .align = 20, .dot = 20, .acc = 20
#define LARGE                                                                                      \
	{ 0, power(15), ONE }, {                                                                   \
		1, MINUS | power(15), ONE                                                          \
	}

int main(void) {
	const struct dot dots[] = {
		{ "C is cut with the products", { FUSED }, { LARGE }, 0xBC000001, 0 },
		{ "  and floored with their sum", { APART }, { LARGE }, 0xBC000001, 0xBD000000 },
		{ "a term keeps align bits",
		  { FUSED },
		  { LARGE, { 2, power(-5), ONE } },
		  0,
		  0x3D000000 },
		{ "  and none below", { FUSED }, { LARGE, { 2, power(-6), ONE } }, 0, 0 },
		{ "a term is floored",
		  { FUSED, .cut = MX_CUT_FLOOR },
		  { LARGE, { 2, MINUS | power(-6), ONE } },
		  0,
		  0xBD000000 },
		{ "a term is rounded: three quarters",
		  { FUSED, .cut = MX_CUT_NEAREST },
		  { LARGE, { 2, 0x26, ONE } }, /* 1.5 * 2^-6 */
		  0,
		  0x3D000000 },
		{ "  and a tie to even",
		  { FUSED, .cut = MX_CUT_NEAREST },
		  { LARGE, { 2, power(-6), ONE } },
		  0,
		  0 },
		{ "a term becomes odd",
		  { FUSED, .cut = MX_CUT_ODD },
		  { LARGE, { 2, MINUS | power(-14), ONE } },
		  0,
		  0xBD000000 },
		{ "exponents have a least one",
		  { FUSED, .low = 10 },
		  { { 0, MINUS | TINY, power(-14) } }, /* -2^-30 = -2^(-10 - 20) */
		  0,
		  0xB0800000 },
		{ "  below which terms are cut",
		  { FUSED, .low = 9 },
		  { { 0, MINUS | TINY, power(-14) } },
		  0,
		  0 },
		{ "a result toward zero",
		  { .parts = 1, .round = 1 },
		  { { 0, power(-1), ONE } },
		  0x4B7FFFFF,
		  0x4B7FFFFF },
		{ "  and to nearest",
		  { .parts = 1 },
		  { { 0, power(-1), ONE } },
		  0x4B7FFFFF,
		  0x4B800000 },
		{ "a result of 13 bits",
		  { .parts = 1, .round = 1, .bits = 13 },
		  { { 0 } },
		  0x3F8007FF,
		  0x3F800400 },
		{ "  rounded to them",
		  { .parts = 1, .bits = 13 },
		  { { 0 } },
		  0x3F8007FF,
		  0x3F800800 },
		{ "overflow",
		  { .parts = 1, .round = 1 },
		  { { 0, power(15), power(15) } },
		  0x7F7FFFFF,
		  0x7F7FFFFF },
		{ "subnormal elements are zero",
		  { .parts = 1, .flush = MX_FLUSH_ELEMENTS },
		  { { 0, TINY, ONE } },
		  0,
		  0 },
		{ "  C", { .parts = 1, .flush = MX_FLUSH_C }, { { 0, 0, ONE } }, 0x00400000, 0 },
		{ "  results",
		  { .parts = 1, .flush = MX_FLUSH_RESULTS },
		  { { 0, 0, ONE } },
		  0x807FFFFF,
		  0x80000000 },
		{ "  without their sign",
		  { .parts = 1, .flush = MX_FLUSH_RESULTS, .zero = 2 },
		  { { 0, 0, ONE } },
		  0x807FFFFF,
		  0 },
		{ "a large sum is infinite",
		  { .parts = 1, .round = 1 },
		  { { 0, MINUS | power(15), ONE } },
		  0,
		  0xFF800000,
		  254 },
		{ "  or the largest number",
		  { .parts = 1, .over = 1 },
		  { { 0, MINUS | power(15), ONE } },
		  0,
		  0xFF7FFFFF,
		  254 },
		{ "  of as many bits",
		  { .parts = 1, .over = 1, .bits = 13 },
		  { { 0, power(15), ONE } },
		  0,
		  0x7F7FFC00,
		  254 },
		{ "a subnormal element has the least exponent",
		  { FUSED },
		  { { 0, TINY, ONE }, { 1, MINUS | TINY, ONE } },
		  0x2E000000, /* 2^-35 */
		  0 },
		{ "  or that of its leading bit",
		  { FUSED, .lead = 1 },
		  { { 0, TINY, ONE }, { 1, MINUS | TINY, ONE } },
		  0x2E000000,
		  0x2E000000 },
		{ "the bits of a NaN",
		  { .parts = 1, .nan = 0x7FFFFFFF },
		  { { 0, 0x7F, ONE } },
		  0,
		  0x7FFFFFFF },
		{ "C last",
		  { .parts = 1, .late = 1 },
		  { { 0, ONE, ONE }, { 1, ONE, ONE } },
		  0x4B800000,
		  0x4B800001 },
		{ "  after rounding each product",
		  { .parts = 1, .late = 1, .group = 1 },
		  { { 0, ONE, ONE }, { 1, ONE, ONE } },
		  0x4B800000,
		  0x4B800001 },
		{ "  and C first",
		  { .parts = 1, .group = 1 },
		  { { 0, ONE, ONE }, { 1, ONE, ONE } },
		  0x4B800000,
		  0x4B800000 },
		{ "C last is rounded as the steps",
		  { .parts = 1, .late = 1, .round = 1 },
		  { { 0, power(-1), ONE } },
		  0x4B7FFFFF,
		  0x4B7FFFFF },
		{ "  or to nearest",
		  { .parts = 1, .late = MX_LATE_NEAREST, .round = 1 },
		  { { 0, power(-1), ONE } },
		  0x4B7FFFFF,
		  0x4B800000 },
		{ "the last step first",
		  { .parts = 1, .group = 16, .order = MX_ORDER_DESCENDING },
		  { { 31, power(15), power(15) }, { 0, ONE, ONE } },
		  0xCE800000,
		  0x3F800000 },
		{ "  and in ascending order",
		  { .parts = 1, .group = 16 },
		  { { 31, power(15), power(15) }, { 0, ONE, ONE } },
		  0xCE800000,
		  0 },
		{ "k = 0 and 2 are one step",
		  { .parts = 1, .group = 16, .order = MX_ORDER_STRIDED },
		  { { 1, power(15), power(15) }, { 2, ONE, ONE } },
		  0xCE800000,
		  0 },
		{ "k = 0 and 16 are one step",
		  { .parts = 1, .group = 16, .order = MX_ORDER_HALVES },
		  { { 8, power(15), power(15) }, { 16, ONE, ONE } },
		  0xCE800000,
		  0 },
		{ "  and 8 and 31 the other",
		  { .parts = 1, .group = 16, .order = MX_ORDER_HALVES },
		  { { 0, power(15), power(15) }, { 31, ONE, ONE } },
		  0xCE800000,
		  0x3F800000 },
		{ "k = 0, 1, 4 and 5 are of one step",
		  { .parts = 1, .group = 16, .order = MX_ORDER_PAIRS },
		  { { 2, power(15), power(15) }, { 5, ONE, ONE } },
		  0xCE800000,
		  0 },
		{ "  and 2 and 3 of the next one",
		  { .parts = 1, .group = 16, .order = MX_ORDER_PAIRS },
		  { { 1, power(15), power(15) }, { 3, ONE, ONE } },
		  0xCE800000,
		  0x3F800000 },
		{ "parts by k modulo 2",
		  { .group = 32, .parts = 2, .align = 10, .join = 40, .dot = 40, .acc = 40 },
		  { { 0, power(15), ONE }, { 2, MINUS | power(15), ONE }, { 1, ONE, ONE } },
		  0,
		  0x3F800000 },
		{ "  or consecutive",
		  { .group = 32,
		    .parts = 2,
		    .split = 1,
		    .align = 10,
		    .join = 40,
		    .dot = 40,
		    .acc = 40 },
		  { { 0, power(15), ONE }, { 2, MINUS | power(15), ONE }, { 1, ONE, ONE } },
		  0,
		  0 },
		{ "four parts",
		  { .group = 32,
		    .parts = 4,
		    .split = 1,
		    .align = 10,
		    .join = 40,
		    .dot = 40,
		    .acc = 40 },
		  { { 0, power(15), ONE }, { 7, MINUS | power(15), ONE }, { 8, ONE, ONE } },
		  0,
		  0x3F800000 },
	};
	for (size_t i = 0; i < sizeof dots / sizeof *dots; i++) {
		uint32_t d = result(&dots[i], &dots[i].p);
		if (!ok(d == dots[i].d, "%s", dots[i].says))
			diag("0x%08X, want 0x%08X", d, dots[i].d);
	}
	const mx_profile bad[] = { { .parts = 1, .fused = 1 },
		                   { FUSED, .dot = 20 },
		                   { FUSED, .cut = 4 },
		                   { .parts = 1, .nan = 0x7F800000 },
		                   { .parts = 1, .order = 3, .group = 1 },
		                   { .parts = 1, .bits = 24 },
		                   { .parts = 1, .flush = 8 },
		                   { APART, .split = 2 } };
	unsigned accepted = 0;
	for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
		accepted += mx_profile_check(&bad[i]) != MX_BAD_PROFILE;
	ok(!accepted, "profiles that contradict themselves are refused");
	return done_testing();
}
