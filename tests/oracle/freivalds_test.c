/* Freivalds' check: right products pass; every injected fault is found in its tile. */
#include "../../oracle/exact/exact.h"
#include "../tap.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { M = 75, N = 110, K = 288, TILE = 16, BLOCKS = K / 32 };

static uint64_t state = 7;
static uint32_t next(void) {
	state = state * 6364136223846793005u + 1442695040888963407u;
	return (uint32_t)(state >> 33);
}

struct problem {
	uint8_t a[M * K], b[N * K], sa[M * BLOCKS], sb[N * BLOCKS];
	uint32_t c[M * N];
	struct exact_gemm g;
};

static void must(enum exact_status status) {
	if (status == EXACT_OK)
		return;
	fprintf(stderr, "freivalds_test: %s\n", exact_strerror(status));
	exit(2);
}

/* FP8 codes of few bits, so that the regime holds; FP4 and FP6 codes of all kinds. */
static uint8_t code_byte(const char *format) {
	uint32_t r = next();
	if (!strcmp(format, "E4M3"))
		return (r & 0x80) | (0x30 + r % 16);
	if (!strcmp(format, "E5M2"))
		return (r & 0x80) | (0x38 + r % 8);
	return (uint8_t)r;
}

static void make(struct problem *p, const char *format_a, const char *format_b) {
	for (size_t i = 0; i < sizeof p->a; i++)
		p->a[i] = code_byte(format_a);
	for (size_t i = 0; i < sizeof p->b; i++)
		p->b[i] = code_byte(format_b);
	for (size_t i = 0; i < sizeof p->sa; i++)
		p->sa[i] = (uint8_t)(60 + next() % 2);
	for (size_t i = 0; i < sizeof p->sb; i++)
		p->sb[i] = (uint8_t)(180 + next() % 2);
	p->g = (struct exact_gemm){
		M, N, K, { format_a, p->a, p->sa, K, BLOCKS }, { format_b, p->b, p->sb, K, BLOCKS }
	};
	must(exact_product(&p->g, p->c));
}

static struct exact_check check(const struct problem *p, uint64_t seed) {
	struct exact_check c;
	must(exact_freivalds(&p->g, p->c, N, seed, TILE, &c));
	return c;
}

static void right_products_pass(void) {
	static const char *const pairs[][2] = { { "E2M1", "E2M1" },
		                                { "E2M3", "E3M2" },
		                                { "E4M3", "E2M1" },
		                                { "E5M2", "E2M3" },
		                                { "E4M3", "E4M3" } };
	static struct problem p;
	for (unsigned i = 0; i < sizeof pairs / sizeof *pairs; i++) {
		unsigned held = 0;
		make(&p, pairs[i][0], pairs[i][1]);
		for (uint64_t seed = 0; seed < 4; seed++) {
			struct exact_check c = check(&p, seed);
			held += c.holds && !c.wrong_rows && !c.wrong_tiles && c.missed < 1e-18;
		}
		ok(held == 4, "a right product of %s and %s passes with 4 seeds", pairs[i][0],
		   pairs[i][1]);
	}
}

/* A product of zeros has no unit. */
static void zero_products(void) {
	static struct problem p;
	make(&p, "E2M1", "E2M1");
	memset(p.b, 0, sizeof p.b);
	memset(p.c, 0, sizeof p.c);
	ok(check(&p, 1).holds, "a product of zeros passes");
	for (unsigned i = 0; i < 4; i++) {
		static const uint32_t wrong[] = { 1, 0x3f800000, 0xff7fffff, 0x7f800000 };
		struct exact_check c;
		p.c[9 * N + 100] = wrong[i];
		c = check(&p, 1);
		ok(!c.holds && c.wrong_rows == 1, "and not with 0x%08x in it", wrong[i]);
	}
}

static void short_blocks_pass(void) {
	static struct problem p;
	make(&p, "E2M1", "E4M3");
	p.g.k = K - 16;
	must(exact_product(&p.g, p.c));
	ok(check(&p, 1).holds, "so does one with a short last block");
}

/* Whether a fault at these elements is found in their tiles. */
static bool found(struct problem *p, uint64_t seed, unsigned n, const size_t (*at)[2]) {
	struct exact_check c = check(p, seed);
	for (unsigned i = 0; i < n; i++) {
		bool there = false;
		for (size_t t = 0; t < c.n_tiles; t++)
			there |= c.tile[t].row == at[i][0] / TILE * TILE &&
			         c.tile[t].col == at[i][1] / TILE * TILE;
		if (!there)
			return false;
	}
	return !c.holds && c.wrong_tiles <= n;
}

static void single_faults(void) {
	static struct problem p;
	unsigned n = 0, caught = 0;
	make(&p, "E2M1", "E2M1");
	for (unsigned i = 0; i < 300; i++) {
		size_t at[1][2] = { { next() % M, next() % N } };
		uint32_t *c = &p.c[at[0][0] * N + at[0][1]], right = *c;
		switch (i % 6) {
		case 0: *c ^= 1u << next() % 32; break;
		case 1: *c += 61u << 23; break; /* times 2^61, which is 1 modulo p */
		case 2: *c ^= 1u << 31; break;
		case 3: *c = 0x7fc00000; break;
		case 4: *c = 0xffffffff; break;
		case 5: *c = 0; break;
		}
		bool differs = *c != right && !(!(*c << 1) && !(right << 1));
		n += differs;
		caught += differs && found(&p, i, 1, at);
		*c = right;
	}
	if (!ok(caught == n && n > 250, "each fault of one element is found, in its tile"))
		diag("%u of %u", caught, n);
}

static void kernel_faults(void) {
	static struct problem p;
	make(&p, "E2M1", "E2M1");

	uint32_t *x = &p.c[20 * N + 33], *y = &p.c[70 * N + 3], t = *x;
	*x = *y, *y = t;
	ok(found(&p, 1, 2, (const size_t[][2]){ { 20, 33 }, { 70, 3 } }),
	   "two elements swapped: both tiles");
	t = *x, *x = *y, *y = t;

	/* A K block missing in one tile: another scale for a block of A's rows. */
	static struct problem q;
	q = p;
	q.g.a = (struct exact_operand){ "E2M1", q.a, q.sa, K, BLOCKS };
	q.g.b = (struct exact_operand){ "E2M1", q.b, q.sb, K, BLOCKS };
	for (size_t r = 32; r < 48; r++)
		q.sa[r * BLOCKS + 4] ^= 1;
	must(exact_product(&q.g, q.c));
	struct exact_check c;
	exact_freivalds(&p.g, q.c, N, 1, TILE, &c);
	ok(!c.holds && c.wrong_rows == 16 && c.wrong_tiles == (N + TILE - 1) / TILE &&
	           c.tile[0].row == 32 && c.tile[0].col == 0,
	   "a scale byte of 16 rows: those rows, and the row of tiles");
}

/* Sums modulo p that need a second reduction. */
static void second_carry(void) {
	enum { ONE = 0x38, THREE = 0x44 };
	const uint64_t third =
		0x2ff7ce757e4dd28b; /* the seed with (2^62 - 1) / 3 as first element */
	uint8_t a[32] = { THREE }, b[32] = { ONE }, scale[1] = { 127 };
	struct exact_gemm g = {
		1, 1, 32, { "E4M3", a, scale, 32, 1 }, { "E4M3", b, scale, 32, 1 }
	};
	uint32_t c = 0x40400000;
	struct exact_check check;
	must(exact_freivalds(&g, &c, 1, third, TILE, &check));
	ok(check.holds, "3 passes if three times the random element is 1 modulo p");
	c = 0x40000000;
	must(exact_freivalds(&g, &c, 1, third, TILE, &check));
	ok(!check.holds, "and 2 does not");
}

static void refused(void) {
	static struct problem p;
	struct exact_check c;
	make(&p, "E2M1", "E2M1");
	ok(exact_freivalds(&p.g, p.c, N - 1, 1, TILE, &c) == EXACT_BAD_SHAPE,
	   "rows of c that overlap");
	ok(exact_freivalds(&p.g, p.c, N, 1, 0, &c) == EXACT_BAD_SHAPE, "a tile of 0 rows");
	p.sa[3] = 200;
	ok(exact_freivalds(&p.g, p.c, N, 1, TILE, &c) == EXACT_BAD_SHAPE && !c.holds,
	   "operands outside the exact regime");
}

int main(void) {
	right_products_pass();
	zero_products();
	short_blocks_pass();
	single_faults();
	kernel_faults();
	second_carry();
	refused();
	return done_testing();
}
