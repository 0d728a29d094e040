/* Random operands of every format, with scales of several kinds. */
#ifndef PROBLEM_H
#define PROBLEM_H

#include "../../oracle/exact/exact.h"

#include <string.h>

enum { MOST = 70 * 800 };

static const char *const formats[] = { "E2M1", "E2M3", "E3M2", "E4M3", "E5M2" };

static uint64_t state = 3;
static uint32_t next(void) {
	state = state * 6364136223846793005u + 1442695040888963407u;
	return (uint32_t)(state >> 33);
}

/* Scales: near 1; spread so that sums overflow and underflow; rare NaN; the ends; and scales for
 * which units of products are the smallest f32, or factors the largest. */
enum { KINDS = 6 };
static uint8_t scale(unsigned kind) {
	static const uint8_t ends[] = { 0, 1, 2, 60, 190, 242, 252, 253, 254, 127, 127, 127, 127 };
	switch (kind) {
	case 0: return (uint8_t)(120 + next() % 15);
	case 1: return (uint8_t)(60 + next() % 134);
	case 2: return next() % 64 ? (uint8_t)(126 + next() % 3) : 0xff;
	case 3: return ends[next() % sizeof ends];
	case 4: return (uint8_t)(45 + next() % 25);
	default: return (uint8_t)(184 + next() % 14);
	}
}

struct problem {
	uint8_t a[MOST], b[MOST], sa[MOST], sb[MOST];
	struct exact_gemm g;
};

/* Zeros in some blocks, with any scale. */
static void empty(const char *format, uint8_t *codes, uint8_t *scales, size_t rows, size_t k) {
	size_t bits = format[1] == '2' ? format[3] == '1' ? 4 : 6 : format[1] == '3' ? 6 : 8;
	size_t blocks = (k + 31) / 32;
	for (size_t r = 0; r < rows; r++)
		for (size_t b = 0; b < k / 32; b++)
			if (next() % 8 == 0) {
				memset(codes + r * k + b * 4 * bits, 0, 4 * bits);
				scales[r * blocks + b] = (uint8_t)(next() % 255);
			}
}

/* The bits that codes may have if they are to be finite, with sums that are. */
static uint8_t finite_bits(const char *format, bool specials) {
	bool fp8 = !strcmp(format, "E4M3") || !strcmp(format, "E5M2");
	return fp8 && !specials ? 0xbf : 0xff; /* not the largest exponents */
}

static void make(struct problem *p, const char *a, const char *b, size_t m, size_t n, size_t k,
                 unsigned kind, bool specials) {
	size_t blocks = (k + 31) / 32;
	uint8_t in_a = finite_bits(a, specials), in_b = finite_bits(b, specials);
	for (size_t i = 0; i < MOST; i++) {
		p->a[i] = (uint8_t)next() & in_a, p->b[i] = (uint8_t)next() & in_b;
		p->sa[i] = scale(kind), p->sb[i] = scale(kind);
	}
	empty(a, p->a, p->sa, m, k);
	empty(b, p->b, p->sb, n, k);
	p->g = (struct exact_gemm){ m,
		                    n,
		                    k,
		                    { a, p->a, p->sa, k, blocks },
		                    { b, p->b, p->sb, k, blocks },
		                    .threads = 1 + next() % 3 };
}

#endif
