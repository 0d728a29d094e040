/* The whole product by OpenBLAS and its error bound, against the plain evaluation; and the single
 * rounding to 16 bits of the latter against MPFR. */
#include "../../oracle/exact/inside.h"
#include "../heap.h"
#include "../tap.h"
#include "problem.h"

#include <mpfr.h>
#include <stdlib.h>

static const char *const outputs[] = { "f32", "bf16", "f16" };

static bool same(const struct exact_gemm *g, enum exact_output output) {
	size_t n = g->m * g->n;
	uint32_t *got = malloc(4 * n), *want = malloc(4 * n);
	bool right = exact_product_as(g, output, got) == EXACT_OK &&
	             exact_product_plain(g, output, want) == EXACT_OK;
	for (size_t i = 0; right && i < n; i++)
		if (got[i] != want[i]) {
			diag("%s x %s to %s, [%zu][%zu]: 0x%08x, plain 0x%08x", g->a.format,
			     g->b.format, outputs[output], i / g->n, i % g->n, got[i], want[i]);
			right = false;
		}
	free(got);
	free(want);
	return right;
}

static void all_formats(void) {
	static struct problem p;
	for (unsigned a = 0; a < 5; a++)
		for (unsigned b = 0; b < 5; b++) {
			unsigned right = 0, n = 0;
			for (unsigned kind = 0; kind < KINDS; kind++)
				for (unsigned i = 0; i < 6; i++, n++) {
					size_t m = 1 + next() % 30, cols = 1 + next() % 30;
					make(&p, formats[a], formats[b], m, cols, 1 + next() % 300,
					     kind, i == 3);
					right += same(&p.g, (enum exact_output)(i % 3));
				}
			ok(right == n, "%s x %s: the bits of the plain evaluation", formats[a],
			   formats[b]);
		}
}

/* More rows and columns than the panels have. */
static void panels(void) {
	static struct problem p;
	make(&p, "E2M1", "E4M3", 1, 1, 40, 0, false);
	p.g.m = 259, p.g.n = 1027;
	ok(same(&p.g, EXACT_F32), "259 x 1027: several panels of rows and of columns");
}

static void one_product(void *problem) {
	static uint32_t out[30 * 30];
	exact_product(&((struct problem *)problem)->g, out);
}

static void memory(void) {
	static struct problem p;
	make(&p, "E2M1", "E4M3", 30, 30, 300, 0, false);
	ok(!heap_left_by(one_product, &p), "a product frees all its memory");
}

/* ---- near ties ---- */

/* A row of three blocks: `big` at scale 2^e, then 1 * 1 at 2^-24 + e, and `last` at its own scale;
 * f64 has too few bits for their sum. */
static uint32_t three(int big_scale, uint8_t big, int tie_scale, int last_scale, uint8_t last,
                      enum exact_output output) {
	enum { ONE = 0x38 };
	uint8_t a[96] = { [0] = big, [32] = ONE, [64] = last }, b[96] = { 0 };
	uint8_t sa[3] = { 127, 127, 127 }, sb[3] = { 127, 127, 127 };
	b[0] = b[32] = b[64] = ONE;
	sa[0] = (uint8_t)(127 + big_scale), sa[1] = (uint8_t)(127 + tie_scale);
	sa[2] = (uint8_t)(127 + last_scale / 2);
	sb[2] = (uint8_t)(127 + last_scale - last_scale / 2);
	struct exact_gemm g = { 1, 1, 96, { "E4M3", a, sa, 96, 3 }, { "E4M3", b, sb, 96, 3 } };
	uint32_t out;
	exact_product_as(&g, output, &out);
	return out;
}

static void ties(void) {
	enum { ONE = 0x38, MINUS = 0x80, THREE = 0x44 };
	ok(three(0, ONE, -24, -60, ONE, EXACT_F32) == 0x3f800001, "2^-60 above a tie goes up");
	ok(three(0, ONE, -24, -60, ONE | MINUS, EXACT_F32) == 0x3f800000, "and below it down");
	ok(three(0, ONE, -24, -200, ONE, EXACT_F32) == 0x3f800001, "2^-200 above a tie too");
	ok(three(0, ONE, -24, -200, 0, EXACT_F32) == 0x3f800000, "a tie goes to even");
	ok(three(0, ONE, -8, -30, ONE, EXACT_BF16) == 0x3f81, "2^-30 above a tie of bf16 goes up");
	ok(three(0, ONE, -8, -30, ONE | MINUS, EXACT_BF16) == 0x3f80, "and below it down");
	ok(exact_bf16(three(0, ONE, -8, -30, ONE, EXACT_F32)) == 0x3f80,
	   "which a rounding to f32 in between would lose");
	ok(three(0, ONE, -11, -100, ONE, EXACT_F16) == 0x3c01, "2^-100 above a tie of f16");
	ok(three(0, ONE, -11, -100, ONE | MINUS, EXACT_F16) == 0x3c00, "and below it");
	ok(three(-24, ONE, -25, -200, ONE, EXACT_F16) == 2, "1.5 of the smallest f16, and a bit");
	ok(three(-60, 0, -60, -200, 0, EXACT_F16) == 0, "a sum below the range of f16 is 0");
	ok(three(-60, ONE | MINUS, -61, -200, 0, EXACT_F16) == 0x8000,
	   "a negative that underflows is -0");
	ok(three(100, 0, 100, 0, 0, EXACT_F16) == 0x7c00, "2^100 is an infinity of f16");
}

/* ---- sums rounded to odd ---- */

static uint32_t by_mpfr(const struct exact_term *t, size_t n, enum exact_output output) {
	static const struct {
		int digits, emin, emax;
	} formats[] = { { 24, -148, 128 }, { 8, -132, 128 }, { 11, -23, 16 } };
	mpfr_t sum, x;
	mpfr_exp_t emin = mpfr_get_emin(), emax = mpfr_get_emax();
	mpfr_init2(sum, 900);
	mpfr_set_zero(sum, 1);
	mpfr_init2(x, formats[output].digits);
	for (size_t i = 0; i < n; i++) {
		mpfr_t term;
		mpfr_init2(term, 64);
		mpfr_set_si_2exp(term, (long)t[i].sig, t[i].exp, MPFR_RNDN);
		mpfr_add(sum, sum, term, MPFR_RNDN);
		mpfr_clear(term);
	}
	int inexact = mpfr_set(x, sum, MPFR_RNDN);
	mpfr_set_emin(formats[output].emin);
	mpfr_set_emax(formats[output].emax);
	inexact = mpfr_check_range(x, inexact, MPFR_RNDN);
	mpfr_subnormalize(x, inexact, MPFR_RNDN);
	float f = mpfr_get_flt(x, MPFR_RNDN);
	mpfr_set_emin(emin);
	mpfr_set_emax(emax);
	mpfr_clears(sum, x, NULL);
	uint32_t bits;
	memcpy(&bits, &f, sizeof bits);
	return exact_narrow(bits, output); /* exact */
}

static void odd_sums(void) {
	for (unsigned output = EXACT_BF16; output <= EXACT_F16; output++) {
		unsigned right = 0, n = 20000;
		for (unsigned i = 0; i < n; i++) {
			struct exact_term t[4];
			int exp = (int)(next() % (output == EXACT_F16 ? 60 : 300)) -
			          (output == EXACT_F16 ? 40 : 160);
			int32_t sig = (int32_t)(256 + next() % 4096) * (next() % 2 ? 1 : -1);
			t[0] = (struct exact_term){ sig, exp };
			t[1] = (struct exact_term){ (int32_t)(next() % 3) - 1,
				                    exp - 1 - (int)(next() % 4) };
			t[2] = (struct exact_term){ (int32_t)(next() % 3) - 1,
				                    exp - (int)(next() % 200) };
			uint32_t want = by_mpfr(t, 3, (enum exact_output)output);
			right += exact_narrow(exact_sum_odd(t, 3), (enum exact_output)output) ==
			         want;
		}
		ok(right == n, "sums at and next to ties of %s are rounded once, as by MPFR",
		   outputs[output]);
	}
}

int main(void) {
	all_formats();
	panels();
	memory();
	ties();
	odd_sums();
	mpfr_free_cache();
	return done_testing();
}
