/* oracle/exact against arithmetic by hand and against a second evaluation: every
 * product and sum in MPFR with sufficient precision, elements decoded by ldexp from
 * the constants of this file. */
#include "../../oracle/exact/inside.h"
#include "../random.h"
#include "../tap.h"

#include <inttypes.h>
#include <math.h>
#include <mpfr.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { BLOCK = 32, SCALE_ONE = 127, SCALE_NAN = 255 };

static uint64_t rng_state;

static uint64_t rng(void) {
	return next_random(&rng_state);
}

static int between(int low, int high) {
	return low + (int)(rng() % (unsigned)(high - low + 1));
}

/* ---- formats and operands ---- */

static const struct spec {
	const char *name;
	int bits, man, bias, top; /* magnitudes from `top` are not finite */
	double max, min;          /* largest value, smallest subnormal */
} specs[] = {
	{ "E2M1", 4, 1, 1, 8, 6, 0.5 },
	{ "E4M3", 8, 3, 7, 0x7f, 448, 0x1p-9 },
	{ "E5M2", 8, 2, 15, 0x7c, 57344, 0x1p-16 },
	{ "E2M3", 6, 3, 1, 32, 7.5, 0.125 },
	{ "E3M2", 6, 2, 3, 32, 28, 0.0625 },
};
enum { FORMATS = sizeof specs / sizeof *specs };

static const struct spec *spec(const char *name) {
	const struct spec *s = specs;
	while (strcmp(s->name, name))
		s++;
	return s;
}

static unsigned sign_bit(const struct spec *s) {
	return 1u << (s->bits - 1);
}

static double decode(const struct spec *s, unsigned code) {
	unsigned low = code & (sign_bit(s) - 1);
	int exp = low >> s->man, man = low & ((1 << s->man) - 1);
	double x = exp ? ldexp(1 + ldexp(man, -s->man), exp - s->bias)
	               : ldexp(man, 1 - s->bias - s->man);
	if ((int)low >= s->top)
		x = low == 0x7c ? INFINITY : NAN;
	return code & sign_bit(s) ? -x : x;
}

/* Plain codes and scales, and their packed form for the oracle. */
struct operand {
	const struct spec *s;
	size_t rows, k, blocks;
	uint8_t *code, *scale; /* [rows][k], [rows][blocks] */
	uint8_t *packed, *packed_scales;
};

static struct operand operand(const struct spec *s, size_t rows, size_t k) {
	struct operand o = { .s = s, .rows = rows, .k = k, .blocks = (k + BLOCK - 1) / BLOCK };
	o.code = calloc(rows * k + 1, 1);
	o.scale = malloc(rows * o.blocks + 1);
	memset(o.scale, SCALE_ONE, rows * o.blocks + 1);
	return o;
}

static void release(struct operand *o) {
	free(o->code);
	free(o->scale);
	free(o->packed);
	free(o->packed_scales);
}

/* Packs bit by bit, 0xFF between rows and in unused bits, nothing after the last row. */
static struct exact_operand pack(struct operand *o) {
	size_t bytes = (o->k * o->s->bits + 7) / 8, ld = bytes + 3, ld_scales = o->blocks + 2;
	size_t size = o->rows * ld - 3, size_scales = o->rows * ld_scales - 2;
	o->packed = memset(realloc(o->packed, size), 0xff, size);
	o->packed_scales = memset(realloc(o->packed_scales, size_scales), 0xff, size_scales);
	for (size_t r = 0; r < o->rows; r++) {
		memcpy(o->packed_scales + r * ld_scales, o->scale + r * o->blocks, o->blocks);
		for (size_t i = 0; i < o->k * o->s->bits; i++)
			if (!(o->code[r * o->k + i / o->s->bits] >> i % o->s->bits & 1))
				o->packed[r * ld + i / 8] &= ~(1u << i % 8);
	}
	return (struct exact_operand){ o->s->name, o->packed, o->packed_scales, ld, ld_scales };
}

static struct exact_gemm gemm_of(struct operand *a, struct operand *b) {
	return (struct exact_gemm){ a->rows, b->rows, a->k, pack(a), pack(b) };
}

/* ---- the second evaluation ---- */

/* Rounds x to a format of `precision` bits with the exponents of f32; f32 bits. */
static uint32_t mpfr_bits(const mpfr_t x, int precision) {
	mpfr_t y;
	mpfr_exp_t emin = mpfr_get_emin(), emax = mpfr_get_emax();
	mpfr_init2(y, precision);
	int t = mpfr_set(y, x, MPFR_RNDN);
	mpfr_set_emin(-124 - precision); /* 0.5 * 2^emin is the smallest subnormal */
	mpfr_set_emax(128);
	t = mpfr_check_range(y, t, MPFR_RNDN);
	mpfr_subnormalize(y, t, MPFR_RNDN);
	float f = mpfr_get_flt(y, MPFR_RNDN);
	mpfr_set_emin(emin);
	mpfr_set_emax(emax);
	mpfr_clear(y);
	uint32_t bits;
	memcpy(&bits, &f, sizeof bits);
	return isnan(f) ? 0x7fc00000 : bits;
}

static void mpfr_product(mpfr_t p, const struct operand *a, size_t i, const struct operand *b,
                         size_t j, size_t k) {
	uint8_t sa = a->scale[i * a->blocks + k / BLOCK], sb = b->scale[j * b->blocks + k / BLOCK];
	mpfr_set_d(p, decode(a->s, a->code[i * a->k + k]), MPFR_RNDN);
	mpfr_mul_d(p, p, decode(b->s, b->code[j * b->k + k]), MPFR_RNDN);
	mpfr_mul_2si(p, p, sa - 127 + sb - 127, MPFR_RNDN);
	if (sa == SCALE_NAN || sb == SCALE_NAN)
		mpfr_set_nan(p);
}

/* Groups of `group` elements, K padded to a multiple of mma_k. MPFR adds zeros,
 * infinities and NaNs by IEEE 754. */
static uint32_t second(const struct operand *a, size_t i, const struct operand *b, size_t j,
                       size_t group, size_t mma_k) {
	mpfr_t sum, p;
	mpfr_inits2(800, sum, p, NULL); /* products span 2^-286 to 2^287 */
	mpfr_set_zero(sum, 1);
	uint32_t acc = 0;
	for (size_t k = 0; k < (a->k + mma_k - 1) / mma_k * mma_k; k++) {
		mpfr_set_zero(p, 1);
		if (k < a->k)
			mpfr_product(p, a, i, b, j, k);
		mpfr_add(sum, sum, p, MPFR_RNDN);
		if ((k + 1) % group == 0) {
			acc = mpfr_bits(sum, 24);
			float f;
			memcpy(&f, &acc, sizeof f);
			mpfr_set_flt(sum, f, MPFR_RNDN);
		}
	}
	mpfr_clears(sum, p, NULL);
	return acc;
}

/* ---- the three evaluations of a product ---- */

struct way {
	const char *profile; /* NULL: exact_product */
	unsigned mma_k;
};

static const struct way ways[] = {
	{ NULL, 32 }, { "block32", 64 }, { "block32", 128 }, { "fused", 64 }, { "fused", 128 },
};
enum { WAYS = sizeof ways / sizeof *ways };

static enum exact_status run(const struct way *w, const struct exact_gemm *g, uint32_t *out) {
	return w->profile ? exact_profile(g, w->profile, w->mma_k, out) : exact_product(g, out);
}

static size_t way_group(const struct way *w, size_t k) {
	if (w->profile)
		return strcmp(w->profile, "fused") ? BLOCK : w->mma_k;
	return (k + BLOCK - 1) / BLOCK * BLOCK;
}

/* ---- arithmetic by hand, in E5M2 ---- */

#define P(e)  (((e) + 15) << 2)     /* 2^e */
#define N(e)  (0x80 | P(e))         /* -2^e */
#define X3(e) (((e) + 16) << 2 | 2) /* 3 * 2^e */
#define X5(e) (((e) + 17) << 2 | 1) /* 5 * 2^e */
enum { TINY = 0x01, INF = 0x7c, MINUS_INF = 0xfc, ELEMENT_NAN = 0x7e, MINUS_0 = 0x80 };
enum { PLUS_INF_BITS = 0x7f800000, NAN_BITS = 0x7fc00000 };
#define MINUS_INF_BITS 0xff800000
#define MINUS_0_BITS   0x80000000

/* Products a * b * 2^e in a block; `e` holds for the whole block, NO_SCALE is NaN. */
enum { NO_SCALE = 1000 };
static const struct hand {
	const char *sentence;
	struct {
		int block, a, b, e;
	} p[3]; /* unused: 0 * 0 * 2^0 in block 3 */
	uint32_t product, block32, fused;
} hands[] = {
#define EACH(product, block32, fused) product, block32, fused
#define SAME(x)                       EACH(x, x, x)
	{ "1 * 1 is 1", { { 0, P(0), P(0), 0 } }, SAME(0x3f800000) },
	{ "2^-16 * 2^15 * 2^-3 is 2^-4", { { 0, TINY, P(15), -3 } }, SAME(0x3d800000) },
	{ "-3 * 5 * 2^8 is -3840", { { 1, 0x80 | X3(0), X5(0), 8 } }, SAME(0xc5700000) },
	{ "2^24 + 1, a tie, goes down to even",
	  { { 0, P(12), P(12), 0 }, { 0, P(0), P(0), 0 } },
	  SAME(0x4b800000) },
	{ "2^24 + 3, a tie, goes up to even",
	  { { 0, P(12), P(12), 0 }, { 0, X3(0), P(0), 0 } },
	  SAME(0x4b800002) },
	{ "-2^24 - 3, a tie, goes to even away from zero",
	  { { 0, N(12), P(12), 0 }, { 0, X3(0), N(0), 0 } },
	  SAME(0xcb800002) },
	{ "2^24 + 1 + 2^-30 is just above a tie",
	  { { 0, P(12), P(12), 0 }, { 0, P(0), P(0), 0 }, { 0, 2, 2, 0 } },
	  SAME(0x4b800001) },
	{ "2^24 + 1 - 2^-30 is just below a tie",
	  { { 0, P(12), P(12), 0 }, { 0, P(0), P(0), 0 }, { 0, 2, 0x82, 0 } },
	  SAME(0x4b800000) },
	{ "2^24 + 1 + 2^-230, more bits than an integer holds, is just above a tie",
	  { { 0, P(12), P(12), 0 }, { 0, P(0), P(0), 0 }, { 1, 2, 2, -200 } },
	  EACH(0x4b800001, 0x4b800000, 0x4b800001) },
	{ "2^24, 1 and 1 in three blocks are rounded together or one by one",
	  { { 0, P(12), P(12), 0 }, { 1, P(0), P(0), 0 }, { 2, P(0), P(0), 0 } },
	  EACH(0x4b800001, 0x4b800000, 0x4b800001) },
	{ "2^-149 is the smallest subnormal", { { 0, TINY, TINY, -117 } }, SAME(1) },
	{ "2^-150, a tie, goes to zero", { { 0, TINY, TINY, -118 } }, SAME(0) },
	{ "-2^-150, a tie, goes to -0, and with the next block's zeros to +0",
	  { { 0, TINY, 0x80 | TINY, -118 } },
	  EACH(MINUS_0_BITS, 0, MINUS_0_BITS) },
	{ "2^-150 + 2^-182 is above the tie",
	  { { 0, P(0), P(0), -150 }, { 0, TINY, TINY, -150 } },
	  SAME(1) },
	{ "3 * 2^-150, a tie, goes up to even", { { 0, X3(0), P(0), -150 } }, SAME(2) },
	{ "5 * 2^-150, a tie, goes down to even", { { 0, X5(0), P(0), -150 } }, SAME(2) },
	{ "(2^24 - 1) * 2^-150, a tie, goes to the smallest normal",
	  { { 0, P(12), P(12), -150 }, { 0, N(0), P(0), -150 } },
	  SAME(0x00800000) },
	{ "(2^24 - 2) * 2^-150 is the largest subnormal",
	  { { 0, P(12), P(12), -150 }, { 0, N(0), P(1), -150 } },
	  SAME(0x007fffff) },
	{ "(2^25 + 1) * 2^-150, a tie among normals, goes to even",
	  { { 0, P(13), P(12), -150 }, { 0, P(0), P(0), -150 } },
	  SAME(0x01000000) },
	{ "2^128 - 2^103, halfway past the largest f32, is infinity",
	  { { 0, P(13), P(12), 103 }, { 0, N(0), P(0), 103 } },
	  SAME(PLUS_INF_BITS) },
	{ "-2^128 + 2^103 is -infinity",
	  { { 0, P(13), N(12), 103 }, { 0, P(0), P(0), 103 } },
	  SAME(MINUS_INF_BITS) },
	{ "2^128 - 2^103 - 2^72 is the largest f32",
	  { { 0, P(13), P(12), 103 }, { 0, N(0), P(0), 103 }, { 0, TINY, N(-15 + 1), 103 } },
	  SAME(0x7f7fffff) },
	{ "2^128 is infinity", { { 0, P(14), P(14), 100 } }, SAME(PLUS_INF_BITS) },
	{ "2^284, all at its largest, is infinity",
	  { { 0, P(15), P(15), 254 } },
	  SAME(PLUS_INF_BITS) },
	{ "2^-286, all at its smallest, is +0", { { 0, TINY, TINY, -254 } }, SAME(0) },
	{ "2^128 - 2^128 in two blocks is +0, after an overflow infinity",
	  { { 0, P(14), P(14), 100 }, { 1, N(14), P(14), 100 } },
	  EACH(0, PLUS_INF_BITS, 0) },
	{ "an overflow plus -infinity is NaN, and -infinity without an overflow",
	  { { 0, P(14), P(14), 100 }, { 1, MINUS_INF, P(0), 0 } },
	  EACH(MINUS_INF_BITS, NAN_BITS, MINUS_INF_BITS) },
	{ "1 - 1 is +0", { { 0, P(0), P(0), 0 }, { 0, N(0), P(0), 0 } }, SAME(0) },
	{ "-1 + 1 in two blocks is +0", { { 0, N(0), P(0), 0 }, { 1, P(0), P(0), 0 } }, SAME(0) },
	{ "-0 * 1 is +0 with the accumulator", { { 0, MINUS_0, P(0), 0 } }, SAME(0) },
	{ "a NaN scale of zeros is NaN", { { 2, 0, 0, NO_SCALE } }, SAME(NAN_BITS) },
	{ "a NaN scale and an infinity are NaN",
	  { { 0, INF, P(0), 0 }, { 1, P(0), P(0), NO_SCALE } },
	  SAME(NAN_BITS) },
	{ "a NaN element is NaN", { { 0, ELEMENT_NAN, 0, 0 } }, SAME(NAN_BITS) },
	{ "a NaN in B is NaN", { { 1, P(0), 0xff, 0 }, { 2, P(0), P(0), 0 } }, SAME(NAN_BITS) },
	{ "infinity - infinity is NaN",
	  { { 0, INF, P(0), 0 }, { 0, INF, N(0), 0 } },
	  SAME(NAN_BITS) },
	{ "infinity - infinity in two blocks is NaN",
	  { { 0, INF, P(0), 0 }, { 2, MINUS_INF, P(0), 0 } },
	  SAME(NAN_BITS) },
	{ "infinity + infinity is infinity",
	  { { 0, INF, P(0), 0 }, { 0, MINUS_INF, MINUS_INF, 0 } },
	  SAME(PLUS_INF_BITS) },
	{ "infinity * 0 is NaN", { { 0, INF, 0, 0 } }, SAME(NAN_BITS) },
	{ "-0 * infinity is NaN", { { 0, MINUS_0, INF, 0 } }, SAME(NAN_BITS) },
	{ "an infinity plus finite products is the infinity",
	  { { 0, P(15), P(15), 90 }, { 1, INF, N(-3), -254 }, { 2, P(0), P(0), 0 } },
	  SAME(MINUS_INF_BITS) },
};

static void build_hand(const struct hand *h, struct operand *a, struct operand *b) {
	for (size_t i = 0; i < 3; i++) {
		int block = h->p[i].block, e = h->p[i].e;
		if (!h->p[i].a && !h->p[i].b && !e)
			continue;
		a->code[block * BLOCK + i] = h->p[i].a;
		b->code[block * BLOCK + i] = h->p[i].b;
		a->scale[block] = e == NO_SCALE ? SCALE_NAN : SCALE_ONE + e / 2;
		b->scale[block] = SCALE_ONE + (e == NO_SCALE ? 0 : e - e / 2);
	}
}

static void test_hand(const struct hand *h) {
	static const struct way three[] = { { NULL, 32 }, { "block32", 128 }, { "fused", 128 } };
	const uint32_t want[] = { h->product, h->block32, h->fused };
	struct operand a = operand(spec("E5M2"), 1, 128), b = operand(spec("E5M2"), 1, 128);
	build_hand(h, &a, &b);
	struct exact_gemm g = gemm_of(&a, &b);
	uint32_t got[3];
	bool good = true;
	for (int i = 0; i < 3; i++)
		good &= run(&three[i], &g, &got[i]) == EXACT_OK && got[i] == want[i];
	if (!ok(good, "%s", h->sentence))
		diag("product, block32, fused: 0x%08x 0x%08x 0x%08x, want 0x%08x 0x%08x 0x%08x",
		     got[0], got[1], got[2], want[0], want[1], want[2]);
	release(&a);
	release(&b);
}

/* A negative underflow leaves -0 in the accumulator; then `filler` * 1 throughout. */
static uint32_t after_underflow(uint8_t filler, size_t k, unsigned mma_k) {
	struct operand a = operand(spec("E5M2"), 1, k), b = operand(spec("E5M2"), 1, k);
	a.code[0] = 0x80 | TINY;
	a.scale[0] = b.scale[0] = 0;
	memset(a.code + BLOCK, filler, k - BLOCK);
	memset(b.code, P(0), k);
	struct exact_gemm g = gemm_of(&a, &b);
	uint32_t d = 1;
	exact_profile(&g, "block32", mma_k, &d);
	release(&a);
	release(&b);
	return d;
}

static void test_negative_zero(void) {
	ok(after_underflow(MINUS_0, 64, 64) == MINUS_0_BITS, "-0 plus a block of -0 stays -0");
	ok(after_underflow(0, 64, 64) == 0, "-0 plus a block of +0 is +0");
	ok(after_underflow(MINUS_0, 63, 64) == 0, "-0 plus a short block of -0 is +0");
	ok(after_underflow(MINUS_0, 64, 128) == 0, "-0 plus a short instruction of -0 is +0");
}

/* ---- random products ---- */

enum mood { ORDINARY, WIDE, SUBNORMAL, OVERFLOW, SPECIAL, ZEROS, MOODS };
static const char *const mood_names[] = { "ordinary",    "wide-ranging", "subnormal",
	                                  "overflowing", "special",      "zero" };

static uint8_t random_scale(enum mood mood) {
	switch (mood) {
	case WIDE: return between(0, 254);
	case SUBNORMAL: return SCALE_ONE + between(-84, -70);
	case OVERFLOW: return SCALE_ONE + between(50, 66);
	case SPECIAL: return rng() % 8 ? between(100, 150) : SCALE_NAN;
	case ZEROS: return between(0, 60);
	default: return SCALE_ONE + between(-6, 6);
	}
}

static uint8_t random_finite(const struct spec *s) {
	unsigned code;
	do
		code = rng() & (2 * sign_bit(s) - 1);
	while (!isfinite(decode(s, code)));
	return code;
}

/* An infinity or a NaN of either sign, where the format has one. */
static uint8_t random_special(const struct spec *s) {
	unsigned kinds = sign_bit(s) - s->top;
	if (!kinds)
		return random_finite(s);
	return (s->top + (rng() % 2 ? 0 : rng() % kinds)) | (rng() % 2 ? sign_bit(s) : 0);
}

static void fill(struct operand *o, enum mood mood) {
	for (size_t i = 0; i < o->rows * o->blocks; i++)
		o->scale[i] = random_scale(mood);
	for (size_t r = 0; r < o->rows; r++)
		for (size_t k = 0; k < o->k; k++) {
			uint8_t *code = &o->code[r * o->k + k];
			bool special = mood == SPECIAL && rng() % 128 == 0;
			*code = special ? random_special(o->s) : random_finite(o->s);
			if (mood == SPECIAL && o->scale[r * o->blocks + k / BLOCK] == SCALE_NAN)
				*code &= sign_bit(o->s);
			if (mood == ZEROS) /* a block of one sign, zero or the smallest */
				*code = k % BLOCK ? code[-1] : *code & (sign_bit(o->s) | 1);
		}
}

/* False, after a message, if an element of a GEMM is wrong. */
static bool same_as_second(const struct way *w, struct operand *a, struct operand *b) {
	struct exact_gemm g = gemm_of(a, b);
	uint32_t d[16];
	enum exact_status status = run(w, &g, d);
	if (status) {
		diag("status: %s", exact_strerror(status));
		return false;
	}
	for (size_t i = 0; i < a->rows * b->rows; i++) {
		uint32_t want =
			second(a, i / b->rows, b, i % b->rows, way_group(w, a->k), w->mma_k);
		if (d[i] == want)
			continue;
		diag("%s mma_k %u, K %zu: D[%zu][%zu] is 0x%08x, by MPFR 0x%08x",
		     w->profile ? w->profile : "product", w->mma_k, a->k, i / b->rows, i % b->rows,
		     d[i], want);
		return false;
	}
	return true;
}

static void test_random(const struct spec *sa, const struct spec *sb) {
	static const size_t ks[] = { 1, 31, 32, 33, 95, 128, 150, 192, 257 };
	bool good = true;
	rng_state = (sa - specs) * FORMATS + (sb - specs);
	for (int mood = 0; mood < MOODS && good; mood++)
		for (size_t w = 0; w < WAYS && good; w++) {
			size_t k = ks[rng() % (sizeof ks / sizeof *ks)];
			struct operand a = operand(sa, 2, k), b = operand(sb, 3, k);
			fill(&a, mood);
			fill(&b, mood);
			good = same_as_second(&ways[w], &a, &b);
			if (!good)
				diag("%s data", mood_names[mood]);
			release(&a);
			release(&b);
		}
	ok(good, "%s times %s: product and profiles agree with MPFR", sa->name, sb->name);
}

/* ---- the two methods of exact_sum ---- */

static __int128 random_sig(void) {
	int width = between(1, 126);
	__int128 x = (__int128)(rng() >> 2) << 64 | rng();
	x = x >> (126 - width) | (__int128)1 << (width - 1);
	if (rng() % 2 && width > 26) { /* at, just above or just below a tie of 24 bits */
		int low = width - 25;
		x = ((x >> low | 1) << low) + between(-1, 1);
	}
	return rng() % 2 ? x : -x;
}

static void mpfr_set_term(mpfr_t x, struct exact_term t) {
	unsigned __int128 m = t.sig < 0 ? -t.sig : t.sig;
	mpfr_t low;
	mpfr_init2(low, 64);
	mpfr_set_ui_2exp(x, (uint64_t)(m >> 64), 64, MPFR_RNDN);
	mpfr_set_ui(low, (uint64_t)m, MPFR_RNDN);
	mpfr_add(x, x, low, MPFR_RNDN);
	mpfr_mul_2si(x, x, t.exp, MPFR_RNDN);
	if (t.sig < 0)
		mpfr_neg(x, x, MPFR_RNDN);
	mpfr_clear(low);
}

static void test_rounding(void) {
	mpfr_t x;
	mpfr_init2(x, 128);
	rng_state = 1;
	bool good = true;
	for (int i = 0; i < 100000 && good; i++) {
		struct exact_term t = { random_sig(), between(-300, 140) };
		mpfr_set_term(x, t);
		uint32_t want = mpfr_bits(x, 24), round = exact_round(t),
			 wide = exact_sum_wide(&t, 1);
		good = round == want && wide == want;
		if (!good)
			diag("0x%016llx%016llx * 2^%d: 0x%08x, wide 0x%08x, MPFR 0x%08x",
			     (long long)(t.sig >> 64), (long long)t.sig, t.exp, round, wide, want);
	}
	mpfr_clear(x);
	ok(good, "one term is rounded like by MPFR, by integers and by GMP");
}

static void test_sum(void) {
	rng_state = 2;
	bool good = true;
	for (int i = 0; i < 100000 && good; i++) {
		struct exact_term t[5];
		for (int j = 0; j < 5; j++) {
			t[j].sig = random_sig() >> between(40, 100);
			t[j].exp = between(-150, between(-150, 80));
		}
		uint32_t sum = exact_sum(t, 5), wide = exact_sum_wide(t, 5);
		good = sum == wide;
		if (!good)
			diag("terms from 2^%d: 0x%08x, wide 0x%08x", t[0].exp, sum, wide);
	}
	ok(good, "sums by integers and by GMP agree");

	__int128 most = ((__int128)1 << 126) - 1;
	struct exact_term edge[] = { { most, 0 }, { most, 0 }, { most, 0 }, { most, 0 } };
	uint32_t sum = exact_sum(edge, 4);
	if (!ok(sum == 0x7f800000, "four times almost 2^126 overflows no integer"))
		diag("got 0x%08x", sum);
}

/* ---- bf16 ---- */

static void test_bf16(void) {
	static const uint32_t lows[] = { 0, 1, 0x7fff, 0x8000, 0x8001, 0xffff };
	mpfr_t x;
	mpfr_init2(x, 24);
	uint32_t bad = 0, want = 0;
	for (uint32_t i = 0; i < 6 << 16 && !bad; i++) {
		uint32_t bits = (i / 6) << 16 | lows[i % 6];
		float f;
		memcpy(&f, &bits, sizeof f);
		mpfr_set_flt(x, f, MPFR_RNDN);
		want = isnan(f) ? (bits >> 16 | 0x40) : mpfr_bits(x, 8) >> 16;
		if (exact_bf16(bits) != want)
			bad = bits;
	}
	mpfr_clear(x);
	if (!ok(!bad, "bf16 of every upper half, at and around ties, equals that of MPFR"))
		diag("0x%08x: 0x%04x, want 0x%04x", bad, exact_bf16(bad), want);
	ok(exact_bf16(0x3f808000) == 0x3f80 && exact_bf16(0x3f818000) == 0x3f82 &&
	           exact_bf16(0x7f7f8000) == 0x7f80 && exact_bf16(0xff800001) == 0xffc0,
	   "bf16: ties down, ties up, overflow, a quieted NaN");
}

/* ---- the exact regime ---- */

/* Two products a * b * 2^e in a block, E5M2, in one row of A and of B; other rows are 0. */
static const struct border {
	const char *sentence;
	int a[2], b[2], e;
	bool holds;
	const char *why; /* a part of it */
} borders[] = {
	{ "1 * 1 + 1 * 1", { P(0), P(0) }, { P(0), P(0) }, 0, true, "" },
	{ "all zero", { 0, 0 }, { MINUS_0, P(0) }, -254, true, "" },
	{ "the unit 2^-149", { P(0), P(1) }, { P(0), P(1) }, -149, true, "" },
	{ "the unit 2^-150", { P(0), P(1) }, { P(0), P(1) }, -150, false, "2^-150" },
	{ "2^23 + 2^12 units", { P(-6), P(5) }, { P(-6), P(6) }, 0, true, "" },
	{ "2^24 + 1 units", { P(-6), P(6) }, { P(-6), P(6) }, 0, false, "16781312 units" },
	{ "a sum of 2^127 + 2^126", { P(0), P(0) }, { P(1), P(0) }, 126, true, "" },
	{ "a sum of 2^128", { P(0), P(0) }, { P(0), P(0) }, 127, false, "2^128" },
	{ "an exponent of q + 24", { TINY, 0 }, { P(6), TINY }, 0, true, "" },
	{ "an exponent of q + 25", { TINY, 0 }, { P(7), TINY }, 0, false, "exponent" },
	{ "2^-16 * 2^15 + 2^-12 * 2^-12", { TINY, P(-12) }, { P(15), P(-12) }, 0, false, "" },
	{ "an infinity", { INF, 0 }, { P(0), P(0) }, 0, false, "A has" },
	{ "a NaN", { P(0), 0 }, { ELEMENT_NAN, 0 }, 0, false, "B has" },
	{ "a NaN scale of zeros", { 0, 0 }, { 0, 0 }, NO_SCALE, false, "A has" },
};

static void test_border(const struct border *t) {
	struct operand a = operand(spec("E5M2"), 3, 40), b = operand(spec("E5M2"), 2, 40);
	for (int i = 0; i < 2; i++) {
		a.code[40 + i] = t->a[i];
		b.code[40 + i] = t->b[i];
	}
	a.scale[2] = t->e == NO_SCALE ? SCALE_NAN : SCALE_ONE + t->e / 2;
	b.scale[2] = SCALE_ONE + (t->e == NO_SCALE ? 0 : t->e - t->e / 2);
	struct exact_gemm g = gemm_of(&a, &b);
	bool holds = !t->holds;
	char why[128];
	enum exact_status status = exact_regime(&g, &holds, why, sizeof why);
	if (!ok(!status && holds == t->holds && strstr(why, t->why) && !*why == holds,
	        "%s: %s the exact regime", t->sentence, t->holds ? "in" : "not in"))
		diag("holds: %d, why: \"%s\"", holds, why);
	release(&a);
	release(&b);
}

/* Codes with exponents in a window of `spread`, so that the regime holds sometimes. */
static void fill_narrow(struct operand *o, int spread) {
	unsigned low = rng() % (o->s->top >> o->s->man);
	for (size_t i = 0; i < o->rows * o->blocks; i++)
		o->scale[i] = between(90, 90 + spread);
	for (size_t i = 0; i < o->rows * o->k; i++) {
		unsigned exp = low + rng() % (spread + 1);
		unsigned code = exp << o->s->man | (rng() & ((1u << o->s->man) - 1));
		o->code[i] = (int)code < o->s->top && rng() % 4 ? code : 0;
		o->code[i] |= rng() % 2 ? sign_bit(o->s) : 0;
	}
}

static double scaled(const struct operand *o, size_t row, size_t k) {
	return ldexp(decode(o->s, o->code[row * o->k + k]),
	             o->scale[row * o->blocks + k / BLOCK] - 127);
}

/* The exponent of an element in a datapath. */
static int exponent_of(const struct operand *o, size_t row, size_t k) {
	double x = decode(o->s, o->code[row * o->k + k]);
	int least = 1 - o->s->bias;
	return (fabs(x) < ldexp(1, least) ? least : ilogb(x)) +
	       o->scale[row * o->blocks + k / BLOCK] - 127;
}

static uint32_t float_bits(float f) {
	uint32_t bits;
	memcpy(&bits, &f, sizeof bits);
	return bits;
}

/* From the last product to the first, rounded to f32 at each. */
static uint32_t backwards(const struct operand *a, size_t i, const struct operand *b, size_t j) {
	float acc = 0;
	for (size_t k = a->k; k--;)
		acc = (float)(scaled(a, i, k) * scaled(b, j, k) + acc);
	return float_bits(acc);
}

/* All products truncated toward zero, 24 bits below their largest exponent. */
static uint32_t aligned(const struct operand *a, size_t i, const struct operand *b, size_t j) {
	int top = -1000;
	double sum = 0;
	for (size_t k = 0; k < a->k; k++)
		if (scaled(a, i, k) * scaled(b, j, k) != 0)
			top = fmax(top, exponent_of(a, i, k) + exponent_of(b, j, k));
	for (size_t k = 0; k < a->k; k++)
		sum += trunc(ldexp(scaled(a, i, k) * scaled(b, j, k), 24 - top));
	return float_bits(ldexp(sum, top - 24));
}

static bool all_ways_agree(struct operand *a, struct operand *b, const struct exact_gemm *g) {
	uint32_t want[16], got[16];
	exact_product(g, want);
	for (size_t w = 0; w < WAYS; w++) {
		run(&ways[w], g, got);
		if (!memcmp(got, want, g->m * g->n * sizeof *got))
			continue;
		diag("%s with mma_k %u differs", ways[w].profile, ways[w].mma_k);
		return false;
	}
	for (size_t i = 0; i < g->m * g->n; i++) {
		uint32_t back = backwards(a, i / g->n, b, i % g->n);
		uint32_t cut = aligned(a, i / g->n, b, i % g->n);
		if (back == want[i] && cut == want[i])
			continue;
		diag("D[%zu]: 0x%08x, backwards 0x%08x, aligned 0x%08x", i, want[i], back, cut);
		return false;
	}
	return true;
}

static void test_regime_random(void) {
	int held = 0, tries = 0;
	bool good = true;
	rng_state = 3;
	for (; tries < 5000 && good; tries++) {
		size_t k = between(1, 140);
		struct operand a = operand(&specs[rng() % FORMATS], 2, k);
		struct operand b = operand(&specs[rng() % FORMATS], 2, k);
		int spread = between(0, 9);
		fill_narrow(&a, spread);
		fill_narrow(&b, spread);
		struct exact_gemm g = gemm_of(&a, &b);
		bool holds = false;
		good = exact_regime(&g, &holds, NULL, 0) == EXACT_OK &&
		       (!holds || all_ways_agree(&a, &b, &g));
		held += holds;
		if (!good)
			diag("try %d: %s times %s, K %zu", tries, a.s->name, b.s->name, k);
		release(&a);
		release(&b);
	}
	ok(good, "if the regime holds, profiles, reverse order and 24-bit alignment agree");
	if (!ok(held > tries / 10 && held < tries * 9 / 10, "the regime holds for some data"))
		diag("%d of %d", held, tries);
}

/* ---- the rest ---- */

static bool same_double(double x, double y) {
	return (isnan(x) && isnan(y)) || (x == y && !signbit(x) == !signbit(y));
}

/* Row r has scale byte r; every code of the format along K. */
static void test_dequantise(const struct spec *s) {
	size_t k = 1u << s->bits;
	struct operand o = operand(s, 256, k);
	for (size_t i = 0; i < 256 * k; i++)
		o.code[i] = i % k;
	for (size_t i = 0; i < 256 * o.blocks; i++)
		o.scale[i] = i / o.blocks;
	struct exact_operand e = pack(&o);
	double *x = calloc(256 * k, sizeof *x), most = 0, least = 1e9;
	bool good = exact_dequantise(&e, 256, k, x) == EXACT_OK;
	for (size_t i = 0; i < 256 * k && good; i++) {
		double value = decode(s, i % k), want = ldexp(value, (int)(i / k) - 127);
		good = same_double(x[i], i / k == SCALE_NAN ? NAN : want);
		if (!good)
			diag("code 0x%02zx, scale %zu: got %a, want %a", i % k, i / k, x[i], want);
		if (i / k == SCALE_ONE && isfinite(x[i]) && x[i] > 0) {
			most = fmax(most, x[i]);
			least = fmin(least, x[i]);
		}
	}
	ok(good, "%s dequantises exactly, every code at every scale", s->name);
	if (!ok(most == s->max && least == s->min, "%s reaches from %g to %g", s->name, s->min,
	        s->max))
		diag("from %a to %a", least, most);
	free(x);
	release(&o);
}

/* Integers, of which every sum is exact. */
static void dgemm_of(size_t m, size_t n, size_t k) {
	double *a = malloc(m * k * sizeof *a), *b = malloc(n * k * sizeof *b);
	double *d = malloc(m * n * sizeof *d);
	size_t bad = SIZE_MAX;
	need(a && b && d, "memory");
	for (size_t i = 0; i < m * k; i++)
		a[i] = (double)(i % 19) - 4;
	for (size_t i = 0; i < n * k; i++)
		b[i] = (double)(i % 23 * (i % 23)) - 7;
	exact_dgemm_nt(m, n, k, a, b, d);
	for (size_t i = 0; i < m * n; i++) {
		double want = 0;
		for (size_t x = 0; x < k; x++)
			want += a[i / n * k + x] * b[i % n * k + x];
		bad = d[i] == want ? bad : i;
	}
	if (!ok(bad == SIZE_MAX, "exact_dgemm_nt of %zux%zux%zu is a * b^T, row-major", m, n, k))
		diag("d[%zu] is %g", bad, d[bad]);
	free(a);
	free(b);
	free(d);
}

/* Terms of which each order has a sum of its own. */
static double uneven(size_t i) {
	return ldexp((double)(i * 2654435761u % 999983) - 5e5, (int)(i % 29));
}

/* The digest is that of the kernels of OpenBLAS 0.3.21 for Haswell. */
static void same_on_each_cpu(size_t m, size_t n, size_t k, uint64_t want) {
	bool haswell = __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma");
	double *a = malloc((m * k + n * k + m * n) * sizeof *a), *b = a + m * k, *d = b + n * k;
	uint64_t digest = 0, bits;
	need(a, "memory");
	for (size_t i = 0; i < m * k + n * k; i++)
		a[i] = uneven(i);
	exact_dgemm_nt(m, n, k, a, b, d);
	for (size_t i = 0; i < m * n; i++) {
		memcpy(&bits, d + i, sizeof bits);
		digest = 31 * digest + bits;
	}
	if (!haswell)
		ok(true,
		   "exact_dgemm_nt rounds as on every CPU with AVX2 # SKIP not on this processor");
	else if (!ok(digest == want,
	             "exact_dgemm_nt of %zux%zux%zu rounds as on every CPU with AVX2", m, n, k))
		diag("digest 0x%" PRIx64, digest);
	free(a);
}

static void test_dgemm(void) {
	dgemm_of(3, 4, 5);
	dgemm_of(3, 4, 37);
	dgemm_of(190, 170, 131);
	double d[2] = { NAN, NAN };
	exact_dgemm_nt(1, 2, 0, d, d, d);
	ok(d[0] == 0 && d[1] == 0, "exact_dgemm_nt with k = 0 gives zeros");
	same_on_each_cpu(200, 90, 700, 0x75a20b797edee888);
	same_on_each_cpu(410, 410, 400, 0xcc373ef2614be129); /* by OpenBLAS */
	same_on_each_cpu(
		203, 91, 779,
		0x53b0a48b0bde90b9); /* rows and columns that fill no tile, and three blocks */
}

static void test_bad_operands(struct exact_gemm good) {
	uint32_t d[4];
	bool holds = true;
	double x[80];
	struct exact_gemm g = good;
	g.b.format = "E8M0";
	ok(exact_product(&g, d) == EXACT_BAD_FORMAT && exact_regime(&g, &holds, NULL, 0) &&
	           !holds && exact_dequantise(&g.b, 2, 40, x) == EXACT_BAD_FORMAT,
	   "an unknown format is refused");
	g.a.format = NULL;
	ok(exact_profile(&g, "fused", 128, d) == EXACT_BAD_FORMAT, "a missing format is refused");
	g = good;
	g.a.ld = 19;
	ok(exact_product(&g, d) == EXACT_BAD_SHAPE, "a row stride shorter than K is refused");
	g = good;
	g.b.ld_scales = 1;
	ok(exact_product(&g, d) == EXACT_BAD_SHAPE, "a scale stride shorter than K is refused");
	g = good;
	g.k = g.a.ld = g.a.ld_scales = SIZE_MAX - 5;
	ok(exact_product(&g, d) == EXACT_BAD_SHAPE, "a K that does not fit memory is refused");
}

static void test_status(void) {
	struct operand a = operand(spec("E2M1"), 2, 40), b = operand(spec("E2M1"), 2, 40);
	struct exact_gemm g = gemm_of(&a, &b);
	uint32_t d[4] = { 1, 1, 1, 1 };
	test_bad_operands(g);
	ok(exact_profile(&g, "cdna9", 128, d) == EXACT_BAD_PROFILE &&
	           exact_profile(&g, NULL, 128, d) == EXACT_BAD_PROFILE,
	   "an unknown profile is refused");
	ok(exact_profile(&g, "fused", 0, d) == EXACT_BAD_SHAPE &&
	           exact_profile(&g, "fused", 48, d) == EXACT_BAD_SHAPE,
	   "an instruction of part of a block is refused");
	ok(d[0] == 1 && d[3] == 1, "a refusal writes nothing");
	g.k = 0;
	ok(exact_product(&g, d) == EXACT_OK && !d[0] && !d[3], "K = 0 gives +0");
	g.m = 0;
	ok(exact_profile(&g, "block32", 64, d) == EXACT_OK, "M = 0 gives nothing");
	for (int s = EXACT_OK; s <= EXACT_NO_MEMORY; s++)
		ok(*exact_strerror(s), "status %d reads \"%s\"", s, exact_strerror(s));
	release(&a);
	release(&b);
}

struct slow {
	pthread_t caller;
	atomic_size_t done;
};

static void slow_part(void *context, size_t from, size_t to) {
	struct slow *s = context;
	if (!pthread_equal(pthread_self(), s->caller))
		usleep(20000);
	s->done += to - from;
}

static void test_parallel(void) {
	struct slow s = { pthread_self(), 0 };
	exact_parallel(4, 100, 1, slow_part, &s);
	ok(s.done == 100, "parts on several threads are all done in the end");
}

int main(void) {
	for (size_t i = 0; i < sizeof hands / sizeof *hands; i++)
		test_hand(&hands[i]);
	test_negative_zero();
	test_rounding();
	test_sum();
	for (int i = 0; i < FORMATS * FORMATS; i++)
		test_random(&specs[i / FORMATS], &specs[i % FORMATS]);
	test_bf16();
	for (size_t i = 0; i < sizeof borders / sizeof *borders; i++)
		test_border(&borders[i]);
	test_regime_random();
	for (int i = 0; i < FORMATS; i++)
		test_dequantise(&specs[i]);
	test_dgemm();
	test_status();
	test_parallel();
	mpfr_free_cache();
	return done_testing();
}
