/* Encoding and decoding of elements, E8M0 and 16-bit floats: ref/num against
 * oracle/exact, at every boundary of every format and rounding, and between.
 * MXCHECK_NIGHTLY=1 walks every f32 instead. */
#include "../../oracle/exact/exact.h"
#include "../../ref/mxref.h"
#include "../tap.h"

#include <mpfr.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#define INF  0x7f800000u
#define SIGN 0x80000000u

/* splitmix64, as a function of its counter */
static uint64_t mix(uint64_t z) {
	z *= 0x9e3779b97f4a7c15;
	z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9;
	z = (z ^ z >> 27) * 0x94d049bb133111eb;
	return z ^ z >> 31;
}

static uint64_t rng_state;

static uint64_t rng(void) {
	return mix(++rng_state);
}

/* ---- the tested encoders ---- */

#define ELEMENT(F)                                                                                 \
	static uint32_t to_##F(uint32_t x, mx_rounding r, mx_overflow o, uint32_t random) {        \
		return mx_elem_encode(MX_##F, (mx_f32){ x }, r, o, random).v;                      \
	}
ELEMENT(E2M1)
ELEMENT(E2M3)
ELEMENT(E3M2)
ELEMENT(E4M3)
ELEMENT(E5M2)

static uint32_t to_f16(uint32_t x, mx_rounding r, mx_overflow o, uint32_t random) {
	return mx_f16_encode((mx_f32){ x }, r, o, random).v;
}

static uint32_t to_bf16(uint32_t x, mx_rounding r, mx_overflow o, uint32_t random) {
	return mx_bf16_encode((mx_f32){ x }, r, o, random).v;
}

static const struct target {
	const char *name;
	int bits;
	uint32_t (*encode)(uint32_t x, mx_rounding r, mx_overflow o, uint32_t random);
} targets[] = {
	{ "E2M1", 4, to_E2M1 },  { "E2M3", 6, to_E2M3 }, { "E3M2", 6, to_E3M2 },
	{ "E4M3", 8, to_E4M3 },  { "E5M2", 8, to_E5M2 }, { "FP16", 16, to_f16 },
	{ "BF16", 16, to_bf16 },
};
enum { TARGETS = sizeof targets / sizeof *targets };

/* A rounding of both sides; stochastic rounding at one value of random. */
static const struct way {
	const char *name;
	mx_rounding ref;
	enum exact_rounding exact;
	uint32_t random;
} ways[] = {
	{ "to nearest even", MX_RNE, EXACT_RNE, 0 },
	{ "to nearest away", MX_RNA, EXACT_RNA, 0 },
	{ "toward zero", MX_RTZ, EXACT_RTZ, 0 },
	{ "stochastically by 0", MX_SR, EXACT_SR, 0 },
	{ "stochastically by 0x5a3c1e87", MX_SR, EXACT_SR, 0x5a3c1e87 },
	{ "stochastically by 0xffffffff", MX_SR, EXACT_SR, 0xffffffff },
};
enum { WAYS = sizeof ways / sizeof *ways };

/* ---- comparisons of one value, counted; the first wrong one is kept ---- */

struct tally {
	unsigned long wrong;
	uint32_t x, got, want;
};

static void compare(struct tally *t, uint32_t x, uint32_t got, uint32_t want) {
	if (got != want && !t->wrong++) {
		t->x = x;
		t->got = got;
		t->want = want;
	}
}

static void judge(struct tally *t, const struct target *f, const struct way *w, uint32_t x,
                  mx_overflow o, uint32_t random) {
	uint32_t want;
	exact_encode(f->name, x, 0, w->exact, o == MX_SATURATE ? EXACT_SATURATE : EXACT_OVERFLOW,
	             random, &want);
	compare(t, x, f->encode(x, w->ref, o, random), want);
}

static void report(const struct tally *t) {
	if (t->wrong)
		diag("first wrong of %lu: 0x%08x becomes 0x%x, exactly it is 0x%x", t->wrong, t->x,
		     t->got, t->want);
}

/* ---- boundaries, and walks along them ---- */

/* The least f32 of each code of a format, in one rounding. */
struct axis {
	uint32_t first[0x7f82];
	size_t n;
	uint32_t over[2]; /* the code past the last, saturating and not */
};

static void lay_out(struct axis *a, const struct target *f, const struct way *w) {
	if (exact_boundaries(f->name, w->exact, w->random, a->first,
	                     sizeof a->first / sizeof *a->first, &a->n))
		abort();
	exact_encode(f->name, INF, 0, EXACT_RNE, EXACT_SATURATE, 0, &a->over[MX_SATURATE]);
	exact_encode(f->name, INF, 0, EXACT_RNE, EXACT_OVERFLOW, 0, &a->over[MX_OVERFLOW]);
}

/* Patterns from `from` to infinity in steps of `step`, plus `jitter` bits of noise. */
struct walk {
	const struct target *f;
	const struct way *w;
	mx_overflow o;
	uint32_t sign, from, step, jitter;
};

static void walk(struct tally *t, const struct axis *a, const struct walk *v) {
	uint32_t sign = v->sign ? 1u << (v->f->bits - 1) : 0;
	size_t c = 0;
	for (uint32_t x = v->from; x <= INF; x += v->step) {
		uint32_t at = v->jitter ? x + (mix(x) & v->jitter) : x;
		if (at > INF)
			break;
		while (c + 1 < a->n && at >= a->first[c + 1])
			c++;
		uint32_t want = c + 1 < a->n ? c : a->over[v->o];
		compare(t, at | v->sign, v->f->encode(at | v->sign, v->w->ref, v->o, v->w->random),
		        want | sign);
	}
}

static void test_boundaries(const struct target *f, const struct way *w) {
	static struct axis a;
	struct tally t = { 0 };
	lay_out(&a, f, w);
	for (size_t c = 1; c < a.n; c++)
		for (int step = -2; step <= 2; step++)
			for (int i = 0; i < 4; i++) {
				uint32_t x = (a.first[c] + step) | (i & 1 ? SIGN : 0);
				judge(&t, f, w, x, i & 2 ? MX_OVERFLOW : MX_SATURATE, w->random);
			}
	if (!ok(!t.wrong, "%s: each boundary and two f32 on either side, rounded %s", f->name,
	        w->name))
		report(&t);
}

/* A pattern of each of 2^bits strata, with and without saturation. */
static void test_strata(const struct target *f, const struct way *w, unsigned bits) {
	uint32_t size = 1u << (32 - bits);
	static struct axis a;
	struct tally t = { 0 };
	lay_out(&a, f, w);
	for (int i = 0; i < 4; i++)
		walk(&t, &a,
		     &(struct walk){ f, w, i & 1 ? MX_OVERFLOW : MX_SATURATE, i & 2 ? SIGN : 0, 0,
		                     size, size - 1 });
	if (!ok(!t.wrong, "%s: an f32 of each of 2^%u strata, rounded %s", f->name, bits, w->name))
		report(&t);
}

static void test_specials(const struct target *f) {
	static const uint32_t x[] = { INF,        0x7f800001, 0x7fbfffff, 0x7fc00000, 0x7fffffff,
		                      0x7fa5a5a5, 0,          1,          0x007fffff, 0x7f7fffff };
	struct tally t = { 0 };
	for (size_t i = 0; i < sizeof x / sizeof *x; i++)
		for (int way = 0; way < WAYS; way++)
			for (int k = 0; k < 4; k++)
				judge(&t, f, &ways[way], x[i] | (k & 1 ? SIGN : 0),
				      k & 2 ? MX_OVERFLOW : MX_SATURATE, ways[way].random);
	if (!ok(!t.wrong, "%s: NaNs, infinities, zeros and the extremes of f32, in every rounding",
	        f->name))
		report(&t);
}

/* Fractions of every size, also below 2^-32 of a step, and random numbers around a carry. */
static void test_stochastic(const struct target *f, int n) {
	struct tally t = { 0 };
	const struct way *w = &ways[WAYS - 1];
	for (int i = 0; i < n; i++) {
		uint32_t x = (uint32_t)rng() & ~0u << rng() % 23, random = (uint32_t)rng();
		if (i % 3 == 0) /* down to where a step of the format is far away */
			x = (x & 0x80ffffff) | (uint32_t)(80 + rng() % 56) << 23;
		if (i % 2) /* random near one of 2^32 / 2^k */
			random = -(1u << rng() % 32) + (uint32_t)(rng() % 3) - 1;
		judge(&t, f, w, x, i % 5 ? MX_SATURATE : MX_OVERFLOW, random);
	}
	if (!ok(!t.wrong, "%s: stochastic rounding carries exactly if fraction + random carries",
	        f->name))
		report(&t);
}

/* The judge: MPFR with the format's precision and exponents. */
static uint32_t mpfr_code(double max, int man, int least, float x, mpfr_rnd_t rnd) {
	mpfr_t y;
	mpfr_exp_t emin = mpfr_get_emin();
	mpfr_init2(y, man + 1);
	int t = mpfr_set_flt(y, x, rnd);
	mpfr_set_emin(least + 1); /* 0.5 * 2^emin is the smallest subnormal */
	t = mpfr_check_range(y, t, rnd);
	mpfr_subnormalize(y, t, rnd);
	mpfr_set_emin(emin);
	double d = mpfr_get_d(y, MPFR_RNDN);
	mpfr_clear(y);
	float r = (float)(d > max ? max : d);
	uint32_t bits;
	memcpy(&bits, &r, sizeof bits);
	return bits;
}

static void test_judge(const char *name, double max, int man, int least) {
	struct tally t = { 0 };
	for (int i = 0; i < 20000; i++) {
		uint32_t x =
			(uint32_t)(96 + rng() % 50) << 23 | (rng() & 0x7fffff & ~0u << rng() % 23);
		float v;
		memcpy(&v, &x, sizeof v);
		uint32_t code, got;
		exact_encode(name, x, 0, i % 2 ? EXACT_RNE : EXACT_RTZ, EXACT_SATURATE, 0, &code);
		exact_decode(name, code, &got);
		compare(&t, x, got, mpfr_code(max, man, least, v, i % 2 ? MPFR_RNDN : MPFR_RNDZ));
	}
	if (!ok(!t.wrong, "the judge rounds to %s like MPFR", name))
		report(&t);
}

/* ---- scales and widening ---- */

static void judge_scale(struct tally *t, uint32_t x) {
	static const mx_scale_rounding ref[] = { MX_SCALE_DOWN, MX_SCALE_UP, MX_SCALE_NEAREST };
	static const enum exact_scale_rounding exact[] = { EXACT_DOWN, EXACT_UP, EXACT_NEAREST };
	for (int r = 0; r < 3; r++) {
		compare(t, x, mx_e8m0_encode((mx_f32){ x }, ref[r], MX_SATURATE).v,
		        exact_scale(x, exact[r], EXACT_SATURATE));
		compare(t, x, mx_e8m0_encode((mx_f32){ x }, ref[r], MX_OVERFLOW).v,
		        exact_scale(x, exact[r], EXACT_OVERFLOW));
	}
}

static void test_scales(void) {
	struct tally t = { 0 };
	for (uint32_t e = 0; e < 512; e++)
		for (int step = -2; step <= 2; step++) {
			judge_scale(&t, (e << 23) + step);
			judge_scale(&t, (e << 23 | 0x400000) + step);
		}
	for (uint32_t i = 0; i < 1 << 16; i++)
		judge_scale(&t, i << 16 | (mix(i) & 0xffff));
	for (int bit = 0; bit < 23; bit++) /* subnormals of every size */
		for (int step = -1; step <= 1; step++)
			judge_scale(&t, (1u << bit) + step);
	if (!ok(!t.wrong, "E8M0: powers of two, their middles and neighbours, and 2^16 strata, "
	                  "down, up and to nearest"))
		report(&t);
}

static void test_widening(void) {
	struct tally t = { 0 };
	for (uint32_t c = 0; c < 0x10000; c++) {
		uint32_t want;
		exact_decode("FP16", c, &want);
		compare(&t, c, mx_f16_to_f32((mx_f16){ c }).v, want);
	}
	if (!ok(!t.wrong, "FP16: all 65536 patterns widen exactly, NaNs quiet with their payload"))
		report(&t);
	for (int f = 0; f < 5; f++) {
		mx_format id;
		mx_format_by_name(targets[f].name, &id);
		t = (struct tally){ 0 };
		for (uint32_t c = 0; c < 1u << targets[f].bits; c++) {
			uint32_t want;
			exact_decode(targets[f].name, c, &want);
			compare(&t, c, mx_elem_to_f32(id, (mx_elem){ c }).v, want);
		}
		if (!ok(!t.wrong, "%s: every code decodes to its value", targets[f].name))
			report(&t);
	}
}

/* ---- every f32 ---- */

struct job {
	int format, way;
	struct tally t;
};

static struct job jobs[TARGETS * WAYS];
static atomic_int next_job;

/* Overflow to the left of zero, saturation to the right; the strata have all four. */
static void *walk_all(void *unused) {
	struct axis *a = malloc(sizeof *a);
	for (int i; a && (i = next_job++) < TARGETS * WAYS;) {
		struct job *j = &jobs[i];
		j->format = i / WAYS;
		j->way = i % WAYS;
		const struct target *f = &targets[j->format];
		const struct way *w = &ways[j->way];
		lay_out(a, f, w);
		walk(&j->t, a, &(struct walk){ f, w, MX_SATURATE, 0, 0, 1, 0 });
		walk(&j->t, a, &(struct walk){ f, w, MX_OVERFLOW, SIGN, 0, 1, 0 });
		for (uint32_t x = INF + 1; x < SIGN; x += 1 + x % 97) /* NaNs have no order */
			judge(&j->t, f, w, x, MX_SATURATE, w->random);
	}
	free(a);
	return unused;
}

static void test_everything(void) {
	pthread_t thread;
	bool second = !pthread_create(&thread, NULL, walk_all, NULL);
	walk_all(NULL);
	if (second)
		pthread_join(thread, NULL);
	for (int i = 0; i < TARGETS * WAYS; i++) {
		if (!ok(!jobs[i].t.wrong, "%s: every f32 except some NaNs, rounded %s",
		        targets[jobs[i].format].name, ways[jobs[i].way].name))
			report(&jobs[i].t);
	}
}

int main(void) {
	if (is_nightly()) {
		test_everything();
		return done_testing();
	}
	bool longer = is_long();
	test_judge("E2M1", 6, 1, -1);
	test_judge("E2M3", 7.5, 3, -3);
	test_judge("E3M2", 28, 2, -4);
	test_judge("E4M3", 448, 3, -9);
	test_judge("E5M2", 57344, 2, -16);
	test_judge("FP16", 65504, 10, -24);
	for (int f = 0; f < TARGETS; f++) {
		for (int w = 0; w < WAYS; w++) {
			test_boundaries(&targets[f], &ways[w]);
			test_strata(&targets[f], &ways[w], longer ? 20 : 18);
		}
		test_specials(&targets[f]);
		test_stochastic(&targets[f], longer ? 60000 : 15000);
	}
	test_scales();
	test_widening();
	return done_testing();
}
