/* Reciprocals, roots, exponentials, logarithms and sines against MPFR: all of f16, and random f32,
 * or whole binades of f32 with MXCHECK_NIGHTLY. */
#include "../float_bits.h"
#include "machine_test.h"
#include "mpfr_functions.h"

#include <math.h>

enum { LANES = 64, GROUPS = 256, BATCH = LANES * GROUPS };

/* The binades [least, most] of f32 to test. Others are slow in MPFR, or one test is enough. */
static const struct function {
	const char *name;
	int (*exact)(mpfr_t y, mpfr_t x);
	int least, most;
	bool flushes;
	uint32_t code[2]; /* of f16 and f32 */
} functions[] = {
	{ "v_rcp",
	  reciprocal,
	  0,
	  0,
	  true,
	  {
		  0x7e047b01, /* v_rcp_f16_e32 v2, v1 */
		  0x7e044501, /* v_rcp_f32_e32 v2, v1 */
	  } },
	{ "v_sqrt",
	  root,
	  0,
	  1,
	  true,
	  {
		  0x7e047d01, /* v_sqrt_f16_e32 v2, v1 */
		  0x7e044f01, /* v_sqrt_f32_e32 v2, v1 */
	  } },
	{ "v_rsq",
	  inverse_root,
	  0,
	  1,
	  true,
	  {
		  0x7e047f01, /* v_rsq_f16_e32 v2, v1 */
		  0x7e044901, /* v_rsq_f32_e32 v2, v1 */
	  } },
	{ "v_log",
	  logarithm,
	  -2,
	  1,
	  true,
	  {
		  0x7e048101, /* v_log_f16_e32 v2, v1 */
		  0x7e044301, /* v_log_f32_e32 v2, v1 */
	  } },
	{ "v_exp",
	  exponential,
	  -6,
	  6,
	  true,
	  {
		  0x7e048301, /* v_exp_f16_e32 v2, v1 */
		  0x7e044101, /* v_exp_f32_e32 v2, v1 */
	  } },
	{ "v_sin",
	  sine,
	  -6,
	  2,
	  false,
	  {
		  0x7e049301, /* v_sin_f16_e32 v2, v1 */
		  0x7e045301, /* v_sin_f32_e32 v2, v1 */
	  } },
	{ "v_cos",
	  cosine,
	  -6,
	  2,
	  false,
	  {
		  0x7e049501, /* v_cos_f16_e32 v2, v1 */
		  0x7e045501, /* v_cos_f32_e32 v2, v1 */
	  } },
};

static const uint32_t before[] = {
	0x8e028802,             /* s_lshl_b32 s2, s2, 8 */
	0x80000200,             /* s_add_u32 s0, s0, s2 */
	0x82018001,             /* s_addc_u32 s1, s1, 0 */
	0x24000082,             /* v_lshlrev_b32_e32 v0, 2, v0 */
	0xdc508000, 0x01000000, /* global_load_dword v1, v0, s[0:1] */
	0xbf8c0f70,             /* s_waitcnt vmcnt(0) */
};
static const uint32_t after[] = {
	0xdc708000, 0x00000200, /* global_store_dword v0, v2, s[0:1] */
	0xbf810000,             /* s_endpgm */
};

/* The correctly rounded result, in a format of `precision` bits and exponents from least to most in
 * MPFR's convention. */
static double rounded(const struct function *f, double operand, int precision, int least,
                      int most) {
	static mpfr_t x, y;
	static bool ready;
	if (!ready)
		mpfr_inits2(53, x, y, NULL);
	ready = true;
	mpfr_exp_t low = mpfr_get_emin(), high = mpfr_get_emax();
	mpfr_set_prec(y, precision);
	mpfr_set_d(x, operand, MPFR_RNDN);
	int t = f->exact(y, x);
	mpfr_set_emin(least);
	mpfr_set_emax(most);
	t = mpfr_check_range(y, t, MPFR_RNDN);
	mpfr_subnormalize(y, t, MPFR_RNDN);
	mpfr_set_emin(low);
	mpfr_set_emax(high);
	return mpfr_get_d(y, MPFR_RNDN);
}

static double as_half(uint32_t u) {
	return half_value((uint16_t)u);
}
static double flushed(double r) {
	return fabs(r) < 0x1p-126 ? copysign(0, r) : r;
}

/* float_test.c covers zeros of sines and the inverse root of -0. */
static bool right(const struct function *f, bool half, uint32_t operand, uint32_t result) {
	double x = half ? as_half(operand) : as_float(operand);
	double got = half ? as_half(result) : as_float(result);
	x = half || !f->flushes ? x : flushed(x);
	double want = half ? rounded(f, x, 11, -23, 16) : rounded(f, x, 24, -148, 128);
	want = half || !f->flushes ? want : flushed(want);
	if (got == want || (isnan(got) && isnan(want)) || (x == 0 && f->exact == inverse_root))
		return true;
	diag("%s of %a: got %a, want %a", f->name, x, got, want);
	return false;
}

/* Runs a batch of operands; true if all results are right. */
static bool batch(struct machine *m, const struct function *f, bool half,
                  const uint32_t *operands) {
	struct code code = { 0 };
	fill_arena(0);
	memcpy(arena, operands, 4 * BATCH);
	APPEND(&code, before);
	append(&code, &f->code[!half], 4);
	APPEND(&code, after);
	run_code(m, &code);
	bool good = no_findings(m);
	for (unsigned i = 0; good && i < BATCH; i++)
		good = right(f, half, operands[i], get(4 * i));
	return good;
}

static bool all_halves(struct machine *m, const struct function *f) {
	static uint32_t operands[BATCH];
	bool good = true;
	for (unsigned first = 0; good && first < 0x10000; first += BATCH) {
		for (unsigned i = 0; i < BATCH; i++)
			operands[i] = first + i;
		good = batch(m, f, true, operands);
	}
	return good;
}

static bool some_floats(struct machine *m, const struct function *f, unsigned batches) {
	static uint32_t operands[BATCH];
	uint64_t seed = 950;
	bool good = true;
	for (unsigned n = 0; good && n < batches; n++) {
		for (unsigned i = 0; i < BATCH; i++) {
			uint64_t u = next_random(&seed);
			unsigned binade =
				127 + f->least + (unsigned)(u >> 40) % (f->most - f->least + 1);
			operands[i] =
				u >> 60 ? ((uint32_t)u & 0x807fffff) | binade << 23 : (uint32_t)u;
			if (f->exact == sine || f->exact == cosine)
				operands[i] &= 0xfeffffff; /* not beyond 2: MPFR is slow there */
		}
		good = batch(m, f, false, operands);
	}
	return good;
}

static bool whole_binades(struct machine *m, const struct function *f) {
	static uint32_t operands[BATCH];
	bool good = true;
	for (int binade = f->least; good && binade <= f->most; binade++)
		for (uint32_t n = 0; good && n < 1 << 24; n += BATCH) {
			for (unsigned i = 0; i < BATCH; i++)
				operands[i] = (n + i) >> 23 << 31 | ((n + i) & 0x7fffff) |
				              (uint32_t)(127 + binade) << 23;
			good = batch(m, f, false, operands);
		}
	return good;
}

int main(void) {
	struct machine m = machine();
	m.launch.grid[0] = GROUPS;
	_Static_assert(4 * BATCH <= ARENA, "a batch fits");
	bool nightly = is_nightly();
	unsigned batches = is_long() ? 64 : 1;
	for (size_t i = 0; i < sizeof functions / sizeof *functions; i++) {
		const struct function *f = &functions[i];
		ok(all_halves(&m, f), "%s_f16: all operands", f->name);
		ok(some_floats(&m, f, batches), "%s_f32: %u operands", f->name, batches * BATCH);
		if (nightly)
			ok(whole_binades(&m, f), "%s_f32: binades %d to %d", f->name, f->least,
			   f->most);
	}
	mx_report_free(&m.report);
	return done_testing();
}
