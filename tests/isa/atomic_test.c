/* The arithmetic of atomics: directed values of each operation, and sums of floats against exact or
 * host arithmetic. */
#include "../../ref/isa/memory/atomic.h"
#include "machine_test.h"

enum { KEEP = 0xf0, FLUSH = 0 };

static uint64_t rmw(mx_rmw_function *f, uint64_t old, uint64_t data, uint64_t compare,
                    uint32_t mode) {
	return f(&(struct mx_rmw){ old, data, compare, mode });
}

/* ---- integers ---- */

#define M32 0xffffffffu
#define M64 0xffffffffffffffffull

static const struct {
	const char *name;
	mx_rmw_function *f;
	uint64_t old, data, compare, want;
} integers[] = {
#define ROW(name, ...)                                                                             \
	{ #name, mx_rmw_##name, __VA_ARGS__ }
	ROW(swap32, 1, 2, 0, 2),
	ROW(cmpswap32, 7, 9, 7, 9),
	ROW(cmpswap32, 7, 9, 8, 7),
	ROW(add32, M32, 2, 0, 1),
	ROW(sub32, 1, 2, 0, M32),
	ROW(rsub32, 2, 1, 0, M32),
	ROW(inc32, 4, 5, 0, 5),
	ROW(inc32, 5, 5, 0, 0),
	ROW(inc32, 6, 5, 0, 0),
	ROW(inc32, M32, M32, 0, 0),
	ROW(dec32, 4, 5, 0, 3),
	ROW(dec32, 0, 5, 0, 5),
	ROW(dec32, 6, 5, 0, 5),
	ROW(dec32, 5, 5, 0, 4),
	ROW(smin32, 1, M32, 0, M32),
	ROW(smin32, M32, 1, 0, M32),
	ROW(umin32, 1, M32, 0, 1),
	ROW(umin32, M32, 1, 0, 1),
	ROW(smax32, 1, M32, 0, 1),
	ROW(smax32, M32, 1, 0, 1),
	ROW(umax32, 1, M32, 0, M32),
	ROW(umax32, M32, 1, 0, M32),
	ROW(and32, 0xc, 0xa, 0, 0x8),
	ROW(or32, 0xc, 0xa, 0, 0xe),
	ROW(xor32, 0xc, 0xa, 0, 0x6),
	ROW(mskor32, 0xff, 0x3c, 0x18, 0xdb),
	ROW(wrap32, 9, 5, 100, 4),
	ROW(wrap32, 5, 5, 100, 0),
	ROW(wrap32, 4, 5, 100, 104),
	ROW(swap64, 1, M64, 0, M64),
	ROW(cmpswap64, 1ull << 40, 9, 1ull << 40, 9),
	ROW(cmpswap64, 1ull << 40, 9, 0, 1ull << 40),
	ROW(add64, M32, 1, 0, 1ull << 32),
	ROW(sub64, 0, 1, 0, M64),
	ROW(rsub64, 1, 0, 0, M64),
	ROW(inc64, M32, M64, 0, 1ull << 32),
	ROW(inc64, M64, M64, 0, 0),
	ROW(dec64, 1ull << 32, M64, 0, M32),
	ROW(dec64, 0, 1ull << 40, 0, 1ull << 40),
	ROW(smin64, M32, M64, 0, M64),
	ROW(umin64, M32, M64, 0, M32),
	ROW(smax64, M32, M64, 0, M32),
	ROW(umax64, M32, M64, 0, M64),
	ROW(and64, M64, 5ull << 40, 0, 5ull << 40),
	ROW(or64, 1, 5ull << 40, 0, 5ull << 40 | 1),
	ROW(xor64, M64, 5ull << 40, 0, ~(5ull << 40)),
	ROW(mskor64, M64, M32, 3, M64 - M32 + 3),
	ROW(wrap64, 1ull << 40, 1, 0, (1ull << 40) - 1),
#undef ROW
};

static void test_integers(void) {
	for (size_t i = 0; i < sizeof integers / sizeof *integers; i++) {
		uint64_t r = rmw(integers[i].f, integers[i].old, integers[i].data,
		                 integers[i].compare, 0);
		if (!ok(r == integers[i].want, "%s, row %zu", integers[i].name, i))
			diag("got %llx", (unsigned long long)r);
	}
}

/* ---- floats: special values ---- */

static const struct {
	const char *name;
	mx_rmw_function *f;
	uint64_t old, data, compare;
	uint32_t mode;
	uint64_t want;
} floats[] = {
#define ROW(name, ...)                                                                             \
	{ #name, mx_rmw_##name, __VA_ARGS__ }
	ROW(add_f32, 0x3f800000, 0x40000000, 0, KEEP, 0x40400000),
	ROW(add_f32, 0x80000000, 0x00000000, 0, KEEP, 0),
	ROW(add_f32, 0x80000000, 0x80000000, 0, KEEP, 0x80000000),
	ROW(add_f32, 0x7f800000, 0xff800000, 0, KEEP, 0x7fc00000), /* inf - inf */
	ROW(add_f32, 0xff800000, 0x7f800000, 0, KEEP, 0x7fc00000),
	ROW(add_f32, 0x7f800000, 0x3f800000, 0, KEEP, 0x7f800000),
	ROW(add_f32, 0x7f800001, 0x7f800002, 0, KEEP, 0x7fc00001), /* the first NaN, made quiet */
	ROW(add_f32, 0x3f800000, 0xff800002, 0, KEEP, 0xffc00002),
	ROW(add_f32, 0x7f7fffff, 0x7f7fffff, 0, KEEP, 0x7f800000),
	ROW(add_f32, 1, 2, 0, KEEP, 3),
	ROW(add_f32, 1, 0x80000002, 0, FLUSH, 0),
	ROW(add_f32, 0x00c00000, 0x80800000, 0, KEEP, 0x00400000),
	ROW(add_f32, 0x00c00000, 0x80800000, 0, FLUSH, 0), /* the result is a denormal */
	ROW(add_f32, 0x80c00000, 0x00800000, 0, FLUSH, 0x80000000),
	ROW(add_f32, 1, 0x00800000, 0, 0x10, 0x00800001), /* inputs kept, results flushed */
	ROW(add_f32, 1, 2, 0, 0x10, 0),
	ROW(add_f32, 0x00c00000, 0x80800000, 0, 0x20, 0x00400000), /* the reverse */
	ROW(add_f32, 1, 0x00800000, 0, 0x20, 0x00800000),
	ROW(add_f32, 1, 2, 0, MX_RMW_L2_MODE, 0),
	ROW(add_f64, 0x3ff0000000000000, 0x4000000000000000, 0, KEEP, 0x4008000000000000),
	ROW(add_f64, 1, 2, 0, FLUSH, 3), /* never flushed */
	ROW(add_f64, 0x7ff0000000000000, 0xfff0000000000000, 0, KEEP, 0x7ff8000000000000),
	ROW(add_f64, 0x7ff0000000000001, 0x3ff0000000000000, 0, KEEP, 0x7ff8000000000001),
	ROW(add_f64, 0x3ff0000000000000, 0xfff8000000000003, 0, KEEP, 0xfff8000000000003),
	ROW(pk_add_f16, 0x3c00c000, 0x40003c00, 0, KEEP, 0x4200bc00),
	ROW(pk_add_f16, 0x00017bff, 0x00017bff, 0, KEEP, 0x00027c00),
	ROW(pk_add_f16, 0x00017c00, 0x0001fc00, 0, FLUSH, 0x00007e00),
	ROW(pk_add_f16, 0x7c013c00, 0x3c007d00, 0, KEEP, 0x7e017f00),
	ROW(pk_add_f16, 1, 2, 0, MX_RMW_L2_MODE, 3),
	ROW(pk_add_bf16, 0x3f80c000, 0x40003f80, 0, KEEP, 0x4040bf80),
	ROW(pk_add_bf16, 0x00017f7f, 0x00017f7f, 0, KEEP, 0x00027f80),
	ROW(pk_add_bf16, 0x00017f80, 0x0001ff80, 0, FLUSH, 0x00007fc0),
	ROW(pk_add_bf16, 0x3f803f80, 0x3b803c40, 0, KEEP, 0x3f803f82), /* 1 + 2^-8: a tie */
	ROW(min_f32, 0x80000000, 0, 0, KEEP, 0x80000000),              /* -0 is less than 0 */
	ROW(min_f32, 0, 0x80000000, 0, KEEP, 0x80000000),
	ROW(max_f32, 0x80000000, 0, 0, KEEP, 0),
	ROW(max_f32, 0, 0x80000000, 0, KEEP, 0),
	ROW(min_f32, 0xbf800000, 0xc0000000, 0, KEEP, 0xc0000000),
	ROW(max_f32, 0xbf800000, 0xc0000000, 0, KEEP, 0xbf800000),
	ROW(min_f32, 0x7fc00000, 0x7f800000, 0, KEEP, 0x7f800000), /* a quiet NaN loses */
	ROW(max_f32, 0xff800000, 0x7fc00000, 0, KEEP, 0xff800000),
	ROW(min_f32, 0xff800000, 0x7f800001, 0, KEEP, 0x7fc00001), /* a signaling one wins */
	ROW(max_f32, 0x7f800001, 0x7f800002, 0, KEEP, 0x7fc00001),
	ROW(max_f32, 0x7fc00001, 0x7f800002, 0, KEEP, 0x7fc00002),
	ROW(max_f32, 1, 2, 0, KEEP, 2),
	ROW(max_f32, 1, 2, 0, FLUSH, 1), /* both count as 0, and memory stays */
	ROW(min_f32, 0x80000001, 1, 0, FLUSH, 0x80000001),
	ROW(max_f32, 0x80000001, 1, 0, FLUSH, 1),
	ROW(min_f64, 0, 0x8000000000000000, 0, KEEP, 0x8000000000000000),
	ROW(max_f64, 0x8000000000000000, 0, 0, KEEP, 0),
	ROW(min_f64, 0x3ff0000000000000, 0x7ff0000000000001, 0, KEEP, 0x7ff8000000000001),
	ROW(max_f64, 0x3ff0000000000000, 0x7ff8000000000001, 0, KEEP, 0x3ff0000000000000),
	ROW(min_f64, 2, 1, 0, MX_RMW_L2_MODE, 1),
	ROW(min_f64, 2, 1, 0, FLUSH, 2),
	ROW(cmpswap_f32, 0x80000000, 5, 0, KEEP, 5),
	ROW(cmpswap_f32, 0x7fc00000, 5, 0x7fc00000, KEEP, 0x7fc00000),
	ROW(cmpswap_f32, 0x3f800000, 0x40000000, 0x3f800000, KEEP, 0x40000000),
	ROW(cmpswap_f32, 0x3f800000, 0x40000000, 0x3f800001, KEEP, 0x3f800000),
	ROW(cmpswap_f32, 1, 0x40000000, 2, FLUSH, 0x40000000),
	ROW(cmpswap_f32, 1, 0x80000005, 2, FLUSH, 0x80000000),
	ROW(cmpswap_f32, 1, 0x40000000, 2, KEEP, 1),
	ROW(cmpswap_f64, 0x8000000000000000, 5, 0, KEEP, 5),
	ROW(cmpswap_f64, 0x3ff0000000000000, 5, 1, KEEP, 0x3ff0000000000000),
#undef ROW
};

static void test_floats(void) {
	for (size_t i = 0; i < sizeof floats / sizeof *floats; i++) {
		uint64_t r = rmw(floats[i].f, floats[i].old, floats[i].data, floats[i].compare,
		                 floats[i].mode);
		if (!ok(r == floats[i].want, "%s, row %zu", floats[i].name, i))
			diag("got %llx", (unsigned long long)r);
	}
}

/* ---- sums of random values ---- */

/* Random floats with similar exponents, so that sums round, cancel and tie. */
static uint32_t random_float(uint64_t *seed, unsigned mantissa, unsigned exponents) {
	uint64_t r = next_random(seed);
	uint32_t low = r >> 40 & 7 ? (uint32_t)r : 0;
	uint32_t e = r >> 48 & 1 ? (r >> 50) % 4 : exponents / 2 + (r >> 50) % (mantissa + 3);
	uint32_t sign = r >> 63;
	return (sign * (exponents + 1) + e) << mantissa | (low & ((1u << mantissa) - 1));
}

static void test_f32_sums(void) {
	uint64_t seed = 1;
	size_t wrong = 0;
	for (int i = 0; i < 1 << 20; i++) {
		uint32_t a = random_float(&seed, 23, 255), b = random_float(&seed, 23, 255), want;
		volatile float x, y;
		memcpy((void *)&x, &a, 4);
		memcpy((void *)&y, &b, 4);
		float sum = x + y;
		memcpy(&want, &sum, 4);
		wrong += rmw(mx_rmw_add_f32, a, b, 0, KEEP) != want;
	}
	ok(!wrong, "2^20 sums of f32 are IEEE's");
}

/* A finite f16 in units of 2^-24, its least denormal: at most 41 bits. */
static int64_t f16_units(uint32_t h) {
	int64_t m = h & 0x3ff, e = h >> 10 & 31;
	int64_t v = e ? (m | 0x400) << (e - 1) : m;
	return h & 0x8000 ? -v : v;
}

/* Whether no neighbour of r is nearer to the exact sum, and no even neighbour is as near. */
static bool f16_is_nearest(uint32_t r, int64_t exact) {
	int64_t d = llabs(f16_units(r) - exact);
	int64_t up = llabs(f16_units(r + 1) - exact);
	int64_t down = (r & 0x7fff) ? llabs(f16_units(r - 1) - exact) : INT64_MAX;
	int64_t other = up < down ? up : down;
	return d < other || (d == other && !(r & 1));
}

static void test_f16_sums(void) {
	uint64_t seed = 2;
	size_t wrong = 0;
	for (int i = 0; i < 1 << 20; i++) {
		uint32_t a = random_float(&seed, 10, 31), b = random_float(&seed, 10, 31);
		uint32_t r = (uint32_t)rmw(mx_rmw_pk_add_f16, a << 16, b << 16, 0, KEEP) >> 16;
		if ((a & 0x7c00) == 0x7c00 || (b & 0x7c00) == 0x7c00)
			continue;
		wrong += !f16_is_nearest(r, f16_units(a) + f16_units(b));
	}
	ok(!wrong, "2^20 sums of f16 are rounded to nearest even");
}

/* bf16 is the upper half of an f32. The sum of two bf16 in f32 needs only one more rounding. */
static void test_bf16_sums(void) {
	uint64_t seed = 3;
	size_t wrong = 0;
	for (int i = 0; i < 1 << 20; i++) {
		uint32_t a = random_float(&seed, 7, 255), b = random_float(&seed, 7, 255), s;
		uint32_t wide_a = a << 16, wide_b = b << 16;
		volatile float x, y;
		memcpy((void *)&x, &wide_a, 4);
		memcpy((void *)&y, &wide_b, 4);
		float sum = x + y;
		memcpy(&s, &sum, 4);
		uint32_t want = (s + 0x7fff + (s >> 16 & 1)) >> 16;
		wrong += rmw(mx_rmw_pk_add_bf16, a, b, 0, KEEP) != want;
	}
	ok(!wrong, "2^20 sums of bf16 are rounded to nearest even");
}

int main(void) {
	test_integers();
	test_floats();
	test_f32_sums();
	test_f16_sums();
	test_bf16_sums();
	return done_testing();
}
