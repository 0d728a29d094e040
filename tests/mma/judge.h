/* Helpers of the tests of ref/mma: formats and layouts typed again, a judge by MPFR for dots
 * with exact sums, and random operands. */
#ifndef MMA_JUDGE_H
#define MMA_JUDGE_H

#include "../../ref/mma/tile.h"
#include "../../ref/num/cpu.h"
#include "../float_bits.h"
#include "../random.h"
#include "../tap.h"

#include <math.h>
#include <mpfr.h>
#include <stdlib.h>
#include <string.h>

enum { FORMATS = 5, MAX_K = 256, NAN32 = 0x7FC00000 };

static const struct spec {
	const char *name;
	int bits, exp, man, bias, infinity, nan; /* magnitude codes; 0x100: none */
} specs[FORMATS] = {
	[0] = { "E4M3", 8, 4, 3, 7, 0x100, 0x7F },  [1] = { "E5M2", 8, 5, 2, 15, 0x7C, 0x7D },
	[2] = { "E2M3", 6, 2, 3, 1, 0x100, 0x100 }, [3] = { "E3M2", 6, 3, 2, 3, 0x100, 0x100 },
	[4] = { "E2M1", 4, 2, 1, 1, 0x100, 0x100 },
};

static uint64_t rng_state;

static inline uint64_t rng(void) {
	return next_random(&rng_state);
}

/* More cases in the long tiers. */
static inline int times(int n) {
	return getenv("MXCHECK_LONG") ? 25 * n : n;
}

static inline double decode(int f, int code) {
	const struct spec *s = &specs[f];
	int sign = 1 << (s->bits - 1), magnitude = code & (sign - 1), field = magnitude >> s->man;
	double x = ldexp(magnitude & ((1 << s->man) - 1), -s->man);
	x = field ? ldexp(1 + x, field - s->bias) : ldexp(x, 1 - s->bias);
	x = magnitude >= s->nan ? NAN : magnitude == s->infinity ? INFINITY : x;
	return code & sign ? -x : x;
}

/* ---- the judge ---- */

/* One dot, with its operands. */
struct dot {
	int fa, fb;
	unsigned K;
	mx_elem a[MAX_K], b[MAX_K];
	mx_e8m0 sa[MAX_K / 32], sb[MAX_K / 32];
	mx_f32 c;
};

/* The sum of a group and c. Wide enough to be exact: 2^-286 to 2^319 are 605 bits. */
static inline uint32_t judge_group(const struct dot *x, unsigned first, unsigned end, uint32_t c) {
	static mpfr_t sum, term;
	static bool ready;
	if (!ready) {
		mpfr_inits2(700, sum, term, (mpfr_ptr)0);
		ready = true;
	}
	double special = isfinite(as_float(c)) ? 0 : as_float(c);
	bool all_negative_zeros = c == 0x80000000;
	int inexact = mpfr_set_flt(sum, as_float(c), MPFR_RNDN);
	for (unsigned k = first; k < end; k++) {
		mx_e8m0 sa = x->sa[k / 32], sb = x->sb[k / 32];
		double p = decode(x->fa, x->a[k].v) * decode(x->fb, x->b[k].v);
		if (sa.v == 255 || sb.v == 255)
			p = NAN;
		if (!isfinite(p))
			special += p;
		all_negative_zeros &= p == 0 && signbit(p);
		mpfr_set_d(term, p, MPFR_RNDN);
		inexact |= mpfr_mul_2si(term, term, sa.v - 127 + sb.v - 127, MPFR_RNDN);
		inexact |= mpfr_add(sum, sum, term, MPFR_RNDN);
	}
	if (isnan(special))
		return NAN32;
	if (isinf(special))
		return bits_of(special);
	if (inexact)
		return 0xBAD; /* the judge must not round */
	if (mpfr_zero_p(sum))
		return all_negative_zeros ? 0x80000000 : 0;
	return bits_of(mpfr_get_flt(sum, MPFR_RNDN));
}

static inline uint32_t judge(unsigned group, const struct dot *x) {
	uint32_t c = x->c.v;
	if (group == 0 || group > x->K)
		group = x->K;
	for (unsigned k = 0; k < x->K; k += group)
		c = judge_group(x, k, k + group < x->K ? k + group : x->K, c);
	return c;
}

/* A NaN with a payload that no result has, for a refused call. */
static inline mx_f32 dot_under(const mx_profile *p, const struct dot *x) {
	mx_f32 d = { 0x7F800001 };
	mx_mma_dot(p, x->fa, x->fb, x->K, x->a, x->sa, x->b, x->sb, x->c, &d);
	return d;
}

static inline uint32_t run(const char *profile, const struct dot *x) {
	return dot_under(mx_profile_by_name(profile), x).v;
}

/* ---- data: a regime is a mixture of kinds of elements, scales and accumulators ---- */

struct regime {
	enum { FINITE_CODES, SOME_SPECIAL, MOSTLY_ZERO, NEGATIVE_ZERO, POSITIVE } codes;
	enum { NEAR_ONE, ANY_SCALE, END_SCALES, SOME_NAN } scales;
	enum { ZERO, NEAR_DOT, ANY_F32, SUBNORMAL, CANCEL } acc;
};

static inline struct regime any_regime(void) {
	return (struct regime){ rng() % 16 < 14 ? rng() % 3 : NEGATIVE_ZERO,
		                rng() % 8 < 6 ? rng() % 3 : rng() % 4, rng() % 5 };
}

static inline int random_code(int f, int kind) {
	int sign = 1 << (specs[f].bits - 1), code;
	if (kind == NEGATIVE_ZERO && rng() % 256)
		return rng() % 256 ? sign : 0;
	if (kind == MOSTLY_ZERO && rng() % 8)
		return rng() % 2 ? sign : 0;
	do
		code = rng() % (2 * sign);
	while (!isfinite(decode(f, code)) && (kind != SOME_SPECIAL || rng() % 8));
	return kind == POSITIVE ? code & (sign - 1) : code;
}

static inline uint8_t random_scale(int kind) {
	static const uint8_t ends[] = { 0x00, 0x01, 0xFD, 0xFE };
	switch (kind) {
	case ANY_SCALE: return rng() % 255;
	case END_SCALES: return ends[rng() % 4];
	case SOME_NAN: return rng() % 16 ? 120 + rng() % 14 : 0xFF;
	}
	return 122 + rng() % 11;
}

static inline uint32_t random_acc(int kind) {
	static const uint32_t specials[] = { 0x7F800000, 0xFF800000, 0x7F800001, 0xFFC00000,
		                             0x00000001, 0x807FFFFF, 0x7F7FFFFF, 0x80000000 };
	uint32_t sign = (uint32_t)rng() << 31;
	switch (kind) {
	case NEAR_DOT: return sign | (uint32_t)(110 + rng() % 40) << 23 | rng() % (1 << 23);
	case ANY_F32: return rng() % 4 ? (uint32_t)rng() : specials[rng() % 8];
	case SUBNORMAL: return sign | rng() % (1 << 23);
	}
	return sign;
}

/* A negative zero times a positive number is a negative zero. */
static inline int codes_of_b(struct regime g) {
	return g.codes == NEGATIVE_ZERO ? POSITIVE : g.codes;
}

static inline void random_dot(struct dot *x, struct regime g) {
	for (unsigned k = 0; k < x->K; k++) {
		x->a[k].v = random_code(x->fa, g.codes);
		x->b[k].v = random_code(x->fb, codes_of_b(g));
	}
	for (unsigned i = 0; i < x->K / 32; i++) {
		x->sa[i].v = random_scale(g.scales);
		x->sb[i].v = random_scale(g.scales);
	}
	x->c.v = random_acc(g.acc);
	if (g.acc == CANCEL) {
		x->c.v = 0;
		x->c.v = (run("fused", x) ^ 0x80000000) + rng() % 3 - 1;
	}
}

/* The code of a power of two, or of zero. */
static inline mx_elem code_of(int f, double x) {
	int code = 0;
	while (decode(f, code) != fabs(x))
		code++;
	return (mx_elem){ code | (signbit(x) ? 1 << (specs[f].bits - 1) : 0) };
}

/* Products a*b at the listed places, all scales 2^0. */
struct term {
	int k;
	double a, b;
};

static inline struct dot dot_of(int fa, int fb, unsigned K, uint32_t c, const struct term *t,
                                int n) {
	struct dot x = { fa, fb, K, .c = { c } };
	memset(x.sa, 127, sizeof x.sa);
	memset(x.sb, 127, sizeof x.sb);
	for (int i = 0; i < n; i++) {
		x.a[t[i].k] = code_of(fa, t[i].a);
		x.b[t[i].k] = code_of(fb, t[i].b);
	}
	return x;
}

/* ---- registers ---- */

static inline const char *shape_name(int s) {
	return s == MX_16X16X128 ? "16x16x128" : "32x32x64";
}

/* The layout table of the manual, typed again. */
static inline unsigned k_of(int shape, int f, unsigned lane, unsigned j) {
	if (shape == MX_16X16X128) {
		unsigned g = lane / 16;
		return specs[f].bits < 8 ? 32 * g + j
		       : j < 16          ? 16 * g + j
		                         : 64 + 16 * g + (j - 16);
	}
	unsigned h = lane / 32;
	return specs[f].bits < 8 ? 32 * h + j : j < 16 ? 16 * h + j : 32 + 16 * h + (j - 16);
}

static inline unsigned mn_of(int shape) {
	return shape == MX_16X16X128 ? 16 : 32;
}

static inline unsigned k_size(int shape) {
	return shape == MX_16X16X128 ? 128 : 64;
}

static inline unsigned row_of(int shape, unsigned lane, unsigned r) {
	return shape == MX_16X16X128 ? 4 * (lane / 16) + r : 8 * (r / 4) + 4 * (lane / 32) + r % 4;
}

struct wave {
	uint32_t a[8][64], b[8][64], c[16][64], d[16][64];
	uint8_t sa[64], sb[64];
};

static inline void set_bits(uint32_t (*regs)[64], unsigned lane, unsigned at, unsigned bits,
                            unsigned v) {
	for (unsigned i = 0; i < bits; i++, at++)
		regs[at / 32][lane] |= (v >> i & 1) << at % 32;
}

/* Element k of row (column) mn. */
static inline void put(uint32_t (*regs)[64], int shape, int f, unsigned mn, unsigned k,
                       unsigned v) {
	for (unsigned lane = mn; lane < 64; lane += mn_of(shape))
		for (unsigned j = 0; j < 32; j++)
			if (k_of(shape, f, lane, j) == k)
				set_bits(regs, lane, j * specs[f].bits, specs[f].bits, v);
}

static inline struct mx_mma_args wave_args(const char *profile, int shape, int fa, int fb,
                                           struct wave *w) {
	return (struct mx_mma_args){
		.profile = mx_profile_by_name(profile),
		.shape = shape,
		.fmt_a = fa,
		.fmt_b = fb,
		.a = (const uint32_t(*)[64])w->a,
		.b = (const uint32_t(*)[64])w->b,
		.c = (const uint32_t(*)[64])w->c,
		.scale_a = w->sa,
		.scale_b = w->sb,
		.d = w->d,
	};
}

static inline void random_operand(int f, uint32_t (*regs)[64], int codes) {
	for (unsigned lane = 0; lane < 64; lane++)
		for (unsigned j = 0; j < 32; j++)
			set_bits(regs, lane, j * specs[f].bits, specs[f].bits,
			         random_code(f, codes));
}

static inline void random_wave(struct wave *w, int fa, int fb, struct regime g) {
	memset(w, 0, sizeof *w);
	random_operand(fa, w->a, g.codes);
	random_operand(fb, w->b, codes_of_b(g));
	for (unsigned lane = 0; lane < 64; lane++) {
		w->sa[lane] = random_scale(g.scales);
		w->sb[lane] = random_scale(g.scales);
	}
	for (unsigned r = 0; r < 16; r++)
		for (unsigned lane = 0; lane < 64; lane++)
			w->c[r][lane] = random_acc(g.acc);
}

/* The index of the first register word that differs, or -1. */
static inline int compare_words(const struct mx_mma_args *args, const char *way,
                                uint32_t (*plain)[64], uint32_t (*fast)[64]) {
	int words = mn_of(args->shape) * mn_of(args->shape);
	for (int i = 0; i < words; i++)
		if (plain[i / 64][i % 64] != fast[i / 64][i % 64]) {
			diag("%s, by %s: %s %s x %s, register %d, lane %d: plain %08x, fast %08x",
			     args->profile->name, way, shape_name(args->shape),
			     specs[args->fmt_a].name, specs[args->fmt_b].name, i / 64, i % 64,
			     plain[i / 64][i % 64], fast[i / 64][i % 64]);
			return i;
		}
	return -1;
}

/* By alignment as on a CPU that cannot do it in doubles. */
static inline bool by_aligned_integers(const struct mx_mma_args *args) {
	int chosen = atomic_load(&mx_cpu_chosen);
	if (chosen > MX_CPU_VBMI)
		atomic_store(&mx_cpu_chosen, MX_CPU_VBMI);
	bool done = mx_mma_by_alignment(args);
	atomic_store(&mx_cpu_chosen, chosen);
	return done;
}

/* Runs the plain instruction, the chosen one, and without modifiers every implementation;
 * the index of the first register word that differs, or -1. */
static inline int first_difference(struct mx_mma_args args) {
	static const struct {
		const char *name;
		bool (*way)(const struct mx_mma_args *);
	} ways[] = { { "AVX-512", mx_mma_by_avx512 },
		     { "floats", mx_mma_by_floats },
		     { "aligned doubles", mx_mma_by_aligned_doubles },
		     { "alignment", by_aligned_integers },
		     { "integers", mx_mma_by_integers } };
	uint32_t plain[16][64], fast[16][64];
	struct mx_mma_args a = args;
	a.d = plain;
	mx_mma_scaled_plain(&a);
	/* The fast one in place, as D = C is usual. */
	memcpy(fast, args.c, sizeof fast);
	a.c = (const uint32_t(*)[64])fast;
	a.d = fast;
	mx_mma_scaled(&a);
	int at = compare_words(&a, "choice", plain, fast);
	bool modified = args.abs_c || args.neg_c || args.clamp;
	for (size_t i = 0; i < sizeof ways / sizeof *ways && at < 0 && !modified; i++) {
		memcpy(fast, args.c, sizeof fast);
		if (ways[i].way(&a))
			at = compare_words(&a, ways[i].name, plain, fast);
	}
	return at;
}

/* A wave with x for each output; K is that of the shape. */
static inline void load_dot(struct wave *w, int shape, const struct dot *x) {
	memset(w, 0, sizeof *w);
	for (unsigned lane = 0; lane < 64; lane++) {
		for (unsigned j = 0; j < 32; j++) {
			set_bits(w->a, lane, j * specs[x->fa].bits, specs[x->fa].bits,
			         x->a[k_of(shape, x->fa, lane, j)].v);
			set_bits(w->b, lane, j * specs[x->fb].bits, specs[x->fb].bits,
			         x->b[k_of(shape, x->fb, lane, j)].v);
		}
		w->sa[lane] = x->sa[lane / mn_of(shape)].v;
		w->sb[lane] = x->sb[lane / mn_of(shape)].v;
		for (unsigned r = 0; r < 16; r++)
			w->c[r][lane] = x->c.v;
	}
}

static inline uint32_t run_instruction(const char *profile, int shape, const struct dot *x) {
	struct wave w;
	load_dot(&w, shape, x);
	struct mx_mma_args args = wave_args(profile, shape, x->fa, x->fb, &w);
	mx_mma_scaled(&args);
	return w.d[0][0];
}

#endif
