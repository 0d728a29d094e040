/* Opcodes that gfx1250 alone has: directed vectors on random registers with random EXEC
 * (gfx1250_alu.def), and its transcendentals against MPFR. */
#include "../float_bits.h"
#include "gfx1250_program.h"
#include "mpfr_functions.h"

#include <fenv.h>
#include <float.h>
#include <math.h>

static uint64_t rng_state = 1;

static uint32_t rng(void) {
	return (uint32_t)(next_random(&rng_state) >> 20);
}

/* Half of the numbers are near 1 in f32. */
static void fill(void) {
	fill_arena(0);
	for (size_t at = 0; at < USED; at += 4) {
		uint32_t u = rng();
		put(at, u & 1 ? u : (u & 0x87ffffff) | 0x38000000);
	}
	put(AT_SCALARS + 8, rng() | 1);
}

/* ---- vectors ---- */

#define V(r, l)   source_of(r, l)
#define F(u)      as_float(u)
#define MIN(p, q) ((p) < (q) ? (p) : (q))
#define MAX(p, q) ((p) > (q) ? (p) : (q))

static bool on(unsigned lane) {
	return scalar_of(18) >> lane & 1;
}
static unsigned nibble(unsigned lane) {
	return scalar_of(lane % 16 < 8 ? 16 : 17) >> lane % 8 * 4 & 15;
}
static uint32_t pair(int low, int high) {
	return (uint16_t)low | (uint32_t)high << 16;
}
static int sum(uint32_t p, uint32_t q, int least, int most) {
	int s = (int16_t)p + (int16_t)q;
	return MIN(MAX(s, least), most);
}
static double limited(double x, double least, double most) {
	return isnan(x) ? 0 : MIN(MAX(trunc(x), least), most);
}
static uint32_t four(uint32_t bytes, bool sign) {
	uint32_t all = 0;
	for (unsigned i = 0; i < 4; i++) {
		int v = sign ? (int8_t)(bytes >> 8 * i) : (uint8_t)(bytes >> 8 * i);
		int kept = sign ? MIN(MAX(v, -8), 7) : MIN(v, 15);
		all |= (uint32_t)(kept & 15) << 4 * i;
	}
	return all;
}

/* Elements of a table in these registers, by the 16 numbers in v[10:11]. */
static void look_up(unsigned lane, unsigned bits, const unsigned *table, uint32_t *d) {
	for (unsigned i = 0; i < 16; i++) {
		unsigned n = V(10 + i / 8, lane) >> i % 8 * 4 & 15;
		for (unsigned k = 0; k < bits; k++) {
			unsigned from = n * bits + k, to = i * bits + k;
			uint32_t bit = V(table[from / 32], lane) >> from % 32 & 1;
			d[to / 32] = (d[to / 32] & ~(1u << to % 32)) | bit << to % 32;
		}
	}
}

/* The median of numbers; with NaN the least number, or NaN if there is none. */
static uint32_t middle(uint32_t a, uint32_t b, uint32_t c) {
	uint32_t v[3] = { a, b, c }, sorted[3];
	unsigned n = 0;
	for (unsigned i = 0; i < 3; i++) {
		if (isnan(F(v[i])))
			continue;
		unsigned at = n++;
		for (; at && F(sorted[at - 1]) > F(v[i]); at--)
			sorted[at] = sorted[at - 1];
		sorted[at] = v[i];
	}
	return n ? sorted[n == 3] : a | 0x400000;
}
static uint32_t of_half(uint32_t h) {
	uint32_t sign = (h & 0x8000) << 16;
	int e = h >> 10 & 31, m = h & 1023;
	if (e == 31)
		return sign | 0x7f800000 | (uint32_t)m << 13 | (m ? 0x400000 : 0);
	return sign | bits_of((float)ldexp(e ? m + 1024 : m, (e ? e : 1) - 25));
}
static uint32_t toward_zero(uint32_t a, uint32_t b) {
	volatile float x = F(a), y = F(b), s;
	fesetround(FE_TOWARDZERO);
	s = x + y;
	fesetround(FE_TONEAREST);
	return bits_of(s);
}

#define UNPACK(...) __VA_ARGS__
static const struct vector {
	const char *text;
	uint32_t code[64];
	size_t bytes;
} vectors[] = {
#define ROW(text, code, ...) { text, { UNPACK code }, sizeof((uint32_t[]){ UNPACK code }) },
#include "gfx1250_alu.def"
#undef ROW
};

static void evaluate(size_t row, unsigned lane, uint32_t d[4]) {
	uint32_t a = V(8, lane), b = V(9, lane), c = V(10, lane);
	(void)a, (void)b, (void)c;
	switch (row) {
#define ROW(text, code, ...)                                                                       \
	case __COUNTER__ - FIRST_ROW: {                                                            \
		__VA_ARGS__;                                                                       \
		break;                                                                             \
	}
		enum { FIRST_ROW = __COUNTER__ + 1 };
#include "gfx1250_alu.def"
#undef ROW
	}
}

/* NaN from arithmetic differs between hosts: any one, as float_test.c checks them for the same
 * functions. */
static bool same(uint32_t got, uint32_t want) {
	return got == want || (isnan(F(got)) && isnan(F(want)));
}

static bool lane_agrees(size_t row, unsigned lane) {
	uint32_t d[4];
	for (unsigned k = 0; k < 4; k++)
		d[k] = old_of(FIRST_RESULT + k, lane);
	if (on(lane))
		evaluate(row, lane, d);
	for (unsigned k = 0; k < 4; k++)
		if (!same(result_of(FIRST_RESULT + k, lane), d[k])) {
			diag("lane %u, v%u: 0x%08x, want 0x%08x", lane, FIRST_RESULT + k,
			     result_of(FIRST_RESULT + k, lane), d[k]);
			return false;
		}
	return true;
}

static void test_vector(size_t row) {
	const struct vector *v = &vectors[row];
	bool good = true;
	for (unsigned round = 0; round < 20 && good; round++) {
		struct machine m = machine();
		fill();
		run_gfx1250(&m, v->code, v->bytes, USUAL_MODE);
		good = only_notes(&m);
		if (!good)
			show_findings(&m);
		for (unsigned l = 0; l < LANES && good; l++)
			good = lane_agrees(row, l);
		mx_report_free(&m.report);
	}
	ok(good, "%s", v->text);
}

/* ---- transcendentals: all of bf16 and f16, random f32 ---- */

static int tangent(mpfr_t y, mpfr_t x) {
	return mpfr_tanh(y, x, MPFR_RNDN);
}

enum { BF16, F16, F32 };
static const struct format {
	int precision, emin, emax; /* of MPFR: significands below 1 */
	unsigned count;
} formats[] = { { 8, -132, 128, 65536 }, { 11, -23, 16, 65536 }, { 24, -148, 128, 1 << 14 } };

static const struct function {
	const char *name;
	unsigned format;
	int (*exact)(mpfr_t y, mpfr_t x);
	uint32_t code;
} functions[] = {
	{ "v_rcp_bf16", BF16, reciprocal, 0x7e80f308 },   /* v_rcp_bf16_e32 v64, v8 */
	{ "v_sqrt_bf16", BF16, root, 0x7e80f508 },        /* v_sqrt_bf16_e32 v64, v8 */
	{ "v_rsq_bf16", BF16, inverse_root, 0x7e80f708 }, /* v_rsq_bf16_e32 v64, v8 */
	{ "v_log_bf16", BF16, logarithm, 0x7e80f908 },    /* v_log_bf16_e32 v64, v8 */
	{ "v_exp_bf16", BF16, exponential, 0x7e80fb08 },  /* v_exp_bf16_e32 v64, v8 */
	{ "v_sin_bf16", BF16, sine, 0x7e80fd08 },         /* v_sin_bf16_e32 v64, v8 */
	{ "v_cos_bf16", BF16, cosine, 0x7e80ff08 },       /* v_cos_bf16_e32 v64, v8 */
	{ "v_tanh_bf16", BF16, tangent, 0x7e809508 },     /* v_tanh_bf16_e32 v64, v8 */
	{ "v_tanh_f16", F16, tangent, 0x7e803f08 },       /* v_tanh_f16_e32 v64, v8 */
	{ "v_tanh_f32", F32, tangent, 0x7e803d08 },       /* v_tanh_f32_e32 v64, v8 */
};

static float value_of(unsigned format, uint32_t code) {
	return as_float(format == BF16 ? code << 16 : format == F16 ? of_half(code) : code);
}

/* f(code), rounded to nearest even with denormals. */
static float exact(const struct function *f, uint32_t code) {
	const struct format *t = &formats[f->format];
	mpfr_t x, y;
	mpfr_set_emin(t->emin);
	mpfr_set_emax(t->emax);
	mpfr_init2(x, 24);
	mpfr_init2(y, t->precision);
	mpfr_set_flt(x, value_of(f->format, code), MPFR_RNDN);
	mpfr_subnormalize(y, f->exact(y, x), MPFR_RNDN);
	float r = mpfr_get_flt(y, MPFR_RNDN);
	mpfr_clear(x);
	mpfr_clear(y);
	return r;
}

static uint32_t operand(const struct function *f, unsigned i) {
	if (f->format != F32)
		return i;
	return i % 4 ? (rng() & 0x807fffff) | (90 + rng() % 45) << 23 : rng();
}

/* rsq of -0 is -infinity, and the sign of a sine of 0 is not compared. */
static bool agree(const struct function *f, uint32_t in, float got, float want) {
	bool pole = f->exact == inverse_root && value_of(f->format, in) == 0;
	return got == want || (isnan(got) && isnan(want)) || (pole && isinf(got));
}

/* 16 instructions for 512 operands. */
static bool batch_agrees(const struct function *f, unsigned first) {
	struct machine m = machine();
	uint32_t code[16], in, got;
	bool good = true;
	fill();
	put(AT_SCALARS + 8, UINT32_MAX);
	for (unsigned r = 0; r < 16; r++) {
		code[r] = f->code + r + (r << 17);
		for (unsigned l = 0; l < LANES; l++)
			put(place_in(AT_SOURCES, r, l), operand(f, first + r * LANES + l));
	}
	run_gfx1250(&m, code, sizeof code, USUAL_MODE);
	for (unsigned i = 0; i < 16 * LANES && good; i++) {
		in = source_of(FIRST_SOURCE + i / LANES, i % LANES);
		got = result_of(FIRST_RESULT + i / LANES, i % LANES);
		float want = exact(f, in),
		      result = value_of(f->format, got & (f->format == F32 ? ~0u : 0xffff));
		good = only_notes(&m) && agree(f, in, result, want);
		if (!good)
			diag("of 0x%x: 0x%x is %a, want %a", in, got, result, want);
	}
	mx_report_free(&m.report);
	return good;
}

int main(void) {
	mpfr_exp_t emin = mpfr_get_emin(), emax = mpfr_get_emax();
	for (size_t row = 0; row < sizeof vectors / sizeof *vectors; row++)
		test_vector(row);
	for (size_t i = 0; i < sizeof functions / sizeof *functions; i++) {
		const struct function *f = &functions[i];
		bool good = true;
		for (unsigned n = 0; n < formats[f->format].count && good; n += 512)
			good = batch_agrees(f, n);
		ok(good, "%s is correctly rounded: %u operands", f->name, formats[f->format].count);
	}
	mpfr_set_emin(emin);
	mpfr_set_emax(emax);
	return done_testing();
}
