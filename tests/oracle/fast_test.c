/* The fast block32 products, and each of their kernels, against the plain evaluation. */
#include "../../oracle/exact/fast.h"
#include "../tap.h"
#include "problem.h"

#include <stdlib.h>
#include <string.h>

static uint32_t fast[MOST], plain[MOST];

static bool same(const struct problem *p, const char *profile) {
	size_t n = p->g.m * p->g.n;
	memset(fast, 0xee, sizeof fast);
	enum exact_status s = exact_profile(&p->g, profile, 128, fast);
	enum exact_status t = exact_profile_plain(&p->g, profile, 128, plain);
	if (s == EXACT_OK && t == EXACT_OK && !memcmp(fast, plain, 4 * n))
		return true;
	for (size_t i = 0; i < n; i++)
		if (fast[i] != plain[i]) {
			diag("[%zu][%zu]: fast 0x%08x, plain 0x%08x", i / p->g.n, i % p->g.n,
			     fast[i], plain[i]);
			break;
		}
	return false;
}

static void all_formats(const char *profile, unsigned each) {
	static struct problem p;
	for (unsigned a = 0; a < 5; a++)
		for (unsigned b = 0; b < 5; b++) {
			unsigned right = 0, n = 0;
			for (unsigned kind = 0; kind < KINDS; kind++)
				for (unsigned i = 0; i < each; i++) {
					size_t m = 1 + next() % 40, cols = 1 + next() % 40;
					size_t k = 1 + next() % 400;
					make(&p, formats[a], formats[b], m, cols, k, kind,
					     i + 1 == each);
					right += same(&p, profile);
					n++;
				}
			ok(right == n,
			   "%s, %s x %s by %s: the bits of the plain evaluation, with scales of "
			   "all "
			   "kinds",
			   profile, formats[a], formats[b], exact_fast_name(&p.g));
		}
}

static bool by_way(const struct problem *p, const struct fast_way *way) {
	size_t n = p->g.m * p->g.n;
	memset(fast, 0xee, sizeof fast);
	return exact_profile_plain(&p->g, "block32", 128, plain) == EXACT_OK &&
	       fast_block32(&p->g, way, 4, fast) == EXACT_OK && !memcmp(fast, plain, 4 * n);
}

/* By every kernel that sums in f64. */
static bool by_wide_ways(const struct problem *p) {
	for (const struct fast_way *way = fast_ways; way < fast_ways + FAST_WAYS; way++)
		if (way->layout >= FAST_DIGITS && mx_cpu_has(way->needs) && !by_way(p, way))
			return false;
	return true;
}

/* Sums that f64 rounds to the middle of two f32: 2^24, then 1 plus or minus 2^-34 to 2^-28, as
 * 2^8 * 2^8 + 2^-9 * 2^-9 at a scale of 2^-16 and so on. */
static void double_rounding(void) {
	static const uint8_t smallest[] = { 0x01, 0x08, 0x10, 0x18 }; /* 2^-9, -6, -5, -4 */
	static struct problem p;
	unsigned right = 0, n = 0;
	for (unsigned i = 0; i < 100; i++, n++) {
		make(&p, "E4M3", "E4M3", 16, 16, 96, 0, false);
		memset(p.a, 0, sizeof p.a);
		memset(p.b, 0, sizeof p.b);
		memset(p.sb, 127, sizeof p.sb);
		for (size_t r = 0; r < 16; r++) {
			uint8_t sign = (uint8_t)(next() % 2 << 7);
			p.sa[r * 3] = 127 + 24, p.sa[r * 3 + 1] = 127 - 16, p.sa[r * 3 + 2] = 127;
			p.a[r * 96] = p.b[r * 96] = 0x38; /* 1 */
			p.a[r * 96 + 32] = 0x78 | sign, p.b[r * 96 + 32] = 0x78;
			p.a[r * 96 + 33] = (uint8_t)(next() % 4 | next() % 2 << 7);
			p.b[r * 96 + 33] = smallest[i % 4];
			p.a[r * 96 + 64] = p.b[r * 96 + 64] = next() % 2 ? 0x38 : 0;
		}
		right += by_wide_ways(&p);
	}
	ok(right == n, "sums that are almost ties are rounded once");
}

/* 1, or 1 + 2^-23, and in the last block 2^-24 +- 2^-53 in words of 13 bits: 29 times 2^8 * 2^8,
 * two times 1.5 * 2^8 * 2^8, and 2^-4 * +-2^-4, or in a few rows smaller ones, which no word has.
 */
static void words_almost_ties(void) {
	static struct problem p;
	unsigned right = 0, n = 0;
	for (unsigned i = 0; i < 40; i++, n++) {
		make(&p, "E4M3", "E4M3", 16, 16, 96, 0, false);
		memset(p.a, 0, sizeof p.a);
		memset(p.b, 0, sizeof p.b);
		memset(p.sb, 127, sizeof p.sb);
		for (size_t r = 0; r < 16; r++) {
			uint8_t *a = p.a + r * 96, *b = p.b + r * 96;
			p.sa[r * 3] = 127, p.sa[r * 3 + 1] = 127 - 23, p.sa[r * 3 + 2] = 127 - 45;
			a[0] = b[0] = b[32] = 0x38; /* 1 */
			a[32] = next() % 2 ? 0x38 : 0;
			memset(a + 64, 0x78, 31);
			memset(b + 64, 0x78, 31);
			a[93] = a[94] = 0x7c;
			b[95] = i % 4 ? 0x18 : 0x10;
			a[95] = (uint8_t)(b[95] | next() << 7);
		}
		right += by_wide_ways(&p);
	}
	ok(right == n, "almost ties of words are rounded once, and 14 bits are no word");
}

/* Dots of 63 bits, which f64 does not hold: half a unit of the accumulator, 2^15 * 2^15, plus or
 * minus 2^-16 * 2^-16, or exactly half. The accumulator is 2^54, odd or even, of either sign. */
static void long_dots(void) {
	static struct problem p;
	unsigned right = 0, n = 0;
	for (unsigned i = 0; i < 50; i++, n++) {
		make(&p, "E5M2", "E5M2", 16, 16, 64, 0, false);
		memset(p.a, 0, sizeof p.a);
		memset(p.b, 0, sizeof p.b);
		memset(p.sa, 127, sizeof p.sa);
		memset(p.sb, 127, sizeof p.sb);
		for (size_t r = 0; r < 16; r++) {
			uint8_t *a = p.a + r * 64, *b = p.b + r * 64;
			p.sa[r * 2] = 127 + 39;
			a[0] = (uint8_t)(0x78 | next() << 7), b[0] = b[1] = 0x3c;
			a[1] = next() % 2 ? 0x1c : 0;
			a[32] = (uint8_t)(0x78 | next() << 7), b[32] = 0x78;
			a[33 + next() % 31] = (uint8_t)(next() % 2 | next() << 7);
			memset(b + 33, next() % 8 ? 0x01 : 0x02, 31);
		}
		right += by_wide_ways(&p);
	}
	ok(right == n, "dots that f64 does not hold are added and rounded once");
}

/* A product of two small elements, and then large ones that cancel. */
static void cancelled_dots(void) {
	static struct problem p;
	unsigned right = 0, n = 0;
	for (uint8_t small = 0x01; small < 0x40; small++, n++) {
		make(&p, "E5M2", "E5M2", 16, 16, 32, 0, false);
		memset(p.a, 0x7b, sizeof p.a); /* 1.75 * 2^15 */
		memset(p.b, 0x7b, sizeof p.b);
		memset(p.sa, 127, sizeof p.sa);
		memset(p.sb, 127, sizeof p.sb);
		for (size_t r = 0; r < 16; r++) {
			uint8_t *a = p.a + r * 32, *b = p.b + r * 32;
			a[0] = small, b[0] = 0x01;
			a[31] = b[31] = 0;
			memset(a + 16, 0xfb, 15);
		}
		right += by_wide_ways(&p);
	}
	ok(right == n, "large products that cancel leave a small one");
}

/* Elements of all codes; each tile has infinities or NaN only sometimes. */
static void long_products(void) {
	static struct problem p;
	unsigned right = 0, n = 0;
	for (unsigned i = 0; i < 60; i++, n++) {
		make(&p, i % 3 ? "E5M2" : "E4M3", i % 3 == 1 ? "E4M3" : "E5M2", 1 + next() % 40,
		     1 + next() % 40, 1 + next() % 400, i % KINDS, i % 2);
		for (size_t j = 0; j < MOST; j++) {
			p.a[j] &= next() % 256 ? 0xfb : 0xff;
			p.b[j] &= next() % 256 ? 0xfb : 0xff;
		}
		right += by_wide_ways(&p);
	}
	ok(right == n, "E5M2 and E4M3 of all exponents, and few infinities and NaN");
}

/* Elements of few exponents, which fit words, and a few infinities and NaN. */
static void narrow_specials(void) {
	static struct problem p;
	unsigned right = 0, n = 0;
	for (unsigned i = 0; i < 20; i++, n++) {
		make(&p, i % 2 ? "E5M2" : "E4M3", "E4M3", 1 + next() % 40, 1 + next() % 40,
		     1 + next() % 200, 0, false);
		for (size_t j = 0; j < MOST; j++) {
			p.a[j] = (uint8_t)((0x38 + next() % 8) | next() << 7);
			p.b[j] = (uint8_t)((0x38 + next() % 8) | next() << 7);
		}
		p.a[next() % 64] = i % 4 == 1 ? 0x7c : 0x7f; /* an infinity in E5M2, NaN */
		p.b[next() % 64] = i % 4 == 2 ? 0x7f : 0;
		right += by_wide_ways(&p);
	}
	ok(right == n, "an infinity or NaN among elements that fit words");
}

/* Sums that underflow in the first block, to 0 of either sign, and zeros of all signs after it. The
 * result is -0 if all addends were. */
static void negative_zeros(const char *format, uint8_t one, uint8_t zeros) {
	static struct problem p;
	uint8_t minus_one = one | (zeros & 15 ? zeros & 15 : zeros);
	unsigned right = 0, n = 0, negative = 0;
	for (size_t k = 64; k <= 256; k += 32, n++) {
		make(&p, format, format, 16, 16, k, 0, false);
		size_t row = p.g.a.ld = p.g.b.ld = zeros & 15 ? k / 2 : k, block = row * 32 / k;
		memset(p.sa, 0, sizeof p.sa);
		memset(p.sb, 0, sizeof p.sb);
		for (size_t r = 0; r < 16; r++) {
			uint8_t *a = p.a + r * row, *b = p.b + r * row;
			memset(a, r & 1 ? zeros : 0, row);
			memset(b, r & 1 ? zeros : 0, row);
			memset(b + block, r & 2 ? zeros : 0, block / (r & 4 ? 2 : 1));
			a[0] = r & 8 ? minus_one : one, b[0] = one;
		}
		if (!strcmp(format, "E5M2")) /* dots of 63 bits in a row and a column */
			for (size_t i = 0; i < 2; i++)
				p.a[15 * row + 40 + i] = p.b[15 * row + 40 + i] = i ? 0x01 : 0x7b;
		right += same(&p, "block32") && by_wide_ways(&p);
		for (size_t i = 0; i < 256; i++)
			negative += plain[i] == 0x80000000;
	}
	ok(right == n && negative, "%s: zeros added to -0; %u results are -0", format, negative);
}

/* A row and a column whose scales no f32 factor has: some tiles are computed apart. */
static void extreme_rows(void) {
	static struct problem p;
	unsigned right = 0, n = 0;
	for (size_t k = 32; k < 256; k += 31, n++) {
		make(&p, "E2M1", "E2M3", 12 * 16, 13 * 16 - 5, k, 0, false);
		size_t blocks = p.g.a.ld_scales;
		memset(p.sa + next() % p.g.m * blocks, 0, blocks);
		memset(p.sb + next() % p.g.n * blocks, 40 * (next() % 2), blocks);
		right += same(&p, "block32");
	}
	ok(right == n, "rows of extreme scales among ordinary ones");
}

/* More blocks than a wide kernel takes at a time, and a rest. */
static void many_blocks(void) {
	static struct problem p;
	unsigned right = 0;
	for (unsigned kind = 0; kind < KINDS; kind++) {
		make(&p, "E4M3", "E4M3", 20, 20, (2 * FAST_WIDE_BLOCKS + 1) * 32 + 7, kind, false);
		right += by_wide_ways(&p);
	}
	ok(right == KINDS, "a long K in f64: the bits of the plain evaluation");
}

static void each_kernel(void) {
	static struct problem p;
	for (const struct fast_way *way = fast_ways; way < fast_ways + FAST_WAYS; way++) {
		static const char *const of_layout[] = {
			"bytes", "raised bytes", "raised bytes, any scale", "digits", "words", "f64"
		};
		bool wide = way->layout >= FAST_DIGITS;
		const char *of = of_layout[way->layout];
		unsigned right = 0, n = 0;
		if (!mx_cpu_has(way->needs)) {
			ok(true, "%s, %s # SKIP not on this processor", way->name, of);
			continue;
		}
		for (unsigned kind = 0; kind < KINDS; kind++)
			for (size_t k = 1; k < 320; k += 31, n++) {
				make(&p, wide ? "E4M3" : "E2M3",
				     way->layout == FAST_DIGITS ? "E3M2"
				     : wide                     ? "E5M2"
				                                : "E2M1",
				     30 + next() % 40, 1 + next() % 40, k, kind, false);
				right += by_way(&p, way);
			}
		ok(right == n,
		   "%s, %s: the bits of the plain evaluation, short blocks and ragged tiles",
		   way->name, of);
	}
}

int main(void) {
	all_formats("block32", is_long() ? 4 : 2);
	all_formats("cdna3", is_long() ? 2 : 1);
	double_rounding();
	words_almost_ties();
	long_dots();
	cancelled_dots();
	long_products();
	narrow_specials();
	extreme_rows();
	negative_zeros("E2M1", 0x02, 0x88);
	negative_zeros("E4M3", 0x38, 0x80);
	negative_zeros("E5M2", 0x3c, 0x80);
	many_blocks();
	each_kernel();
	return done_testing();
}
