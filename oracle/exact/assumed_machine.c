/* Questions about matrix instructions, registers, arguments and wait states. */
#include "assumed.h"

#include <math.h>
#include <string.h>

enum { KEEP_DENORMALS = 0xf0, NOTHING_KEPT = 0 };
enum { DATA_32 = 07654 | 4 << 12 | 4 << 15 }; /* word 3 of a descriptor */
#define SIGN 0x80000000u

/* ---- v_smfmac of i8: registers of A, of B, the index, C ---- */

enum { SPARSE_A = 4, SPARSE_B = 8, SPARSE_ITEMS = 16, RUN = 16, MOST_K = 128 };

static int item(const uint32_t *words, unsigned i) {
	return (int8_t)(words[i / 4] >> 8 * (i % 4));
}

/* Where a row keeps an item of A: like FP8, or in the lanes of the items of B that it meets. */
static unsigned stored_at(unsigned answer, unsigned groups, unsigned group, unsigned i) {
	return answer ? (i / (RUN / 2) * groups + group) * (RUN / 2) + i % (RUN / 2)
	              : group * SPARSE_ITEMS + i;
}

static unsigned result_row(unsigned m, unsigned lane, unsigned r) {
	return m == 16 ? lane / 16 * 4 + r : r / 4 * 8 + lane / 32 * 4 + r % 4;
}

static void sparse(const struct exact_question *q, unsigned answer, const uint32_t *r, unsigned n,
                   uint32_t *d) {
	static const unsigned B = SPARSE_A, INDEX = SPARSE_A + SPARSE_B, C = INDEX + 1;
	unsigned m = q->detail, groups = EXACT_LANES / m, results = m * m / EXACT_LANES;
	int a[32][MOST_K] = { 0 }, b[32][MOST_K];
	for (unsigned l = 0; l < EXACT_LANES; l++)
		for (unsigned i = 0; i < 2 * SPARSE_ITEMS; i++) {
			const uint32_t *lane = r + l * n;
			b[l % m][(i / RUN * groups + l / m) * RUN + i % RUN] = item(lane + B, i);
			if (i >= SPARSE_ITEMS)
				continue;
			unsigned p = stored_at(answer, groups, l / m, i);
			a[l % m][p / 2 * 4 + (lane[INDEX] >> 2 * i & 3)] = item(lane, i);
		}
	for (unsigned l = 0; l < EXACT_LANES; l++)
		for (unsigned i = 0; i < results; i++) {
			uint32_t sum = r[l * n + C + i];
			for (unsigned k = 0; k < 2 * SPARSE_ITEMS * groups; k++)
				sum += (uint32_t)(a[result_row(m, l, i)][k] * b[l % m][k]);
			d[l * results + i] = sum;
		}
}

/* Pairs of indices ascend. */
static void ask_sparse(const struct exact_question *q, size_t n, uint32_t *r) {
	static const uint8_t pairs[] = { 0x4, 0x8, 0xc, 0x9, 0xd, 0xe };
	(void)q;
	for (unsigned i = 0; i < SPARSE_A + SPARSE_B; i++)
		r[i] = (uint32_t)exact_any(n, i);
	for (unsigned i = 0; i < SPARSE_ITEMS / 2; i++)
		r[SPARSE_A + SPARSE_B] |= (uint32_t)pairs[exact_any(n, 20 + i) % 6] << 4 * i;
}

/* ---- MODE and matrix instructions: all lanes of a wave have one product and one addend ---- */

static float mfma_denormal(float x, unsigned answer, float least) {
	return answer && fabsf(x) < least ? copysignf(0, x) : x;
}

static float half(uint32_t code, unsigned answer) {
	uint32_t f32;
	exact_decode("FP16", code & 0xffff, &f32);
	return mfma_denormal(exact_float(f32), answer, 0x1p-14f);
}

/* Sums are exact: powers of two. */
static void matrix_mode(const struct exact_question *q, unsigned answer, const uint32_t *r,
                        uint32_t *d) {
	float c = mfma_denormal(exact_float(r[5]), answer, 0x1p-126f);
	float sum = half(r[0], answer) * half(r[2], answer) + c;
	(void)q;
	for (unsigned i = 0; i < 4; i++)
		d[i] = exact_bits(mfma_denormal(sum, answer, 0x1p-126f));
}

/* A denormal f16 of A, of B, a denormal f32 of C, and a normal sum beside each. */
static void ask_mode(const struct exact_question *q, size_t n, uint32_t *r) {
	static const uint32_t of[][3] = {
		{ 0x0001, 0x3c00, 0 },          { 0x3c00, 0x8010, 0 },
		{ 0, 0, 0x00000001 },           { 0x0200, 0x4000, 0x3f800000 },
		{ 0x0000, 0x3c00, 0x80400000 }, { 0x3c00, 0x3c00, 0 }
	};
	const uint32_t *x = of[n / EXACT_LANES % 6];
	(void)q;
	r[0] = x[0];
	r[2] = x[1];
	for (unsigned i = 5; i < 9; i++)
		r[i] = x[2];
}

/* What MODE changes in the sum of an addend of 1 and a small product: nothing, or the last bit. */
static void matrix_rounding(const struct exact_question *q, unsigned answer, const uint32_t *r,
                            uint32_t *d) {
	(void)q, (void)r;
	d[0] = answer;
}

/* The first f16 of A and of B, in the first 16 lanes, and C. Their product is half of a last place,
 * away from nearest even; toward zero it is three quarters. */
static void ask_rounding(const struct exact_question *q, size_t n, uint32_t *r) {
	enum { UP = 1, DOWN, ZERO_WARD };
	uint32_t sign = q->detail == DOWN ? SIGN : 0;
	if (n % EXACT_LANES < 16) {
		r[0] = (q->detail == ZERO_WARD ? 0x0e00 : 0x0c00) | sign >> 16;
		r[4] = 0x0c00;
	}
	for (unsigned i = 8; i < 12; i++)
		r[i] = 0x3f800000 | sign;
}

/* ---- NaN of f32 arithmetic ---- */

static bool is_nan(uint32_t x) {
	return (x & ~SIGN) > 0x7f800000;
}

enum { FIRST_NAN, LAST_NAN, ONE_NAN, FIRST_OR_NEGATIVE };

/* An operand that is NaN, or the NaN of an invalid operation. */
static void nan_operand(const struct exact_question *q, unsigned answer, const uint32_t *r,
                        uint32_t *d) {
	d[0] = answer == FIRST_OR_NEGATIVE ? 0xffc00000 : 0x7fc00000;
	for (unsigned k = 0; answer != ONE_NAN && k < q->detail; k++) {
		unsigned i = answer == LAST_NAN ? k : q->detail - 1 - k;
		d[0] = is_nan(r[i]) ? r[i] | 0x400000 : d[0];
	}
}

/* NaN in any operands, or an invalid operation. */
static void ask_nan(const struct exact_question *q, size_t n, uint32_t *r) {
	unsigned which = n % (1u << q->detail);
	for (unsigned i = 0; i < q->detail; i++)
		r[i] = which >> i & 1 ? ((uint32_t)exact_any(n, i) & 0x807fffff) | 0x7f800001
		                      : 0x3f800000;
	if (!which) {
		r[0] = 0x7f800000;
		r[1] = strstr(q->kernel, "add") ? 0xff800000 : 0;
	}
}

/* ---- the clamp of integer dot products ---- */

static int32_t clamped(int64_t x) {
	return x > INT32_MAX ? INT32_MAX : x < INT32_MIN ? INT32_MIN : (int32_t)x;
}

/* The exact sum clamped, or each step. */
static void dot_clamp(const struct exact_question *q, unsigned answer, const uint32_t *r,
                      uint32_t *d) {
	int64_t sum = (int32_t)r[2];
	(void)q;
	for (unsigned i = 0; i < 2; i++) {
		sum += (int16_t)(r[0] >> 16 * i) * (int64_t)(int16_t)(r[1] >> 16 * i);
		sum = answer ? clamped(sum) : sum;
	}
	d[0] = (uint32_t)clamped(sum);
}

/* Products of both signs and an addend near a limit. */
static void ask_clamp(const struct exact_question *q, size_t n, uint32_t *r) {
	(void)q;
	r[0] = (uint32_t)exact_any(n, 0);
	r[1] = (uint32_t)exact_any(n, 1);
	r[2] = (uint32_t)exact_any(n, 2) >> 4 ^ (n & 1 ? 0x7fffffff : SIGN);
}

/* ---- an atomic sum in memory: f32 ---- */

static float flushed(uint32_t x) {
	return exact_float(x & 0x7f800000 ? x : x & SIGN);
}

/* Normal numbers with a denormal sum: it is flushed, or kept. */
static void atomic_denormal(const struct exact_question *q, unsigned answer, const uint32_t *r,
                            uint32_t *d) {
	uint32_t sum = exact_bits(flushed(r[1]) + flushed(r[2]));
	(void)q;
	d[0] = answer ? sum : exact_bits(flushed(sum));
}

static void ask_sum(const struct exact_question *q, size_t n, uint32_t *r) {
	uint32_t sign = n & 1 ? SIGN : 0;
	(void)q;
	r[0] = (uint32_t)(n % EXACT_LANES) * 4;
	r[1] = sign | 0x00800000 | ((uint32_t)exact_any(n, 0) & 0x7fffff);
	r[2] = (sign ^ SIGN) | 0x00800000 | ((uint32_t)exact_any(n, 1) & 0x7fffff);
}

/* NaN in memory (c) and as data (b): the first is kept, or the second. */
static void atomic_nan(const struct exact_question *q, unsigned answer, const uint32_t *r,
                       uint32_t *d) {
	(void)q;
	d[0] = r[answer ? 1 : 2] | 0x400000;
}

static void ask_two_nans(const struct exact_question *q, size_t n, uint32_t *r) {
	(void)q;
	r[0] = (uint32_t)(n % EXACT_LANES) * 4;
	for (unsigned i = 1; i < 3; i++)
		r[i] = ((uint32_t)exact_any(n, i) & 0x807fffff) | 0x7f800001;
}

/* ---- a load to LDS: of the lanes in reverse order the first are outside the buffer ---- */

static void load_to_lds(const struct exact_question *q, unsigned answer, const uint32_t *r,
                        unsigned n, uint32_t *d) {
	for (unsigned l = 0; l < EXACT_LANES; l++) {
		bool inside = r[l * n] + 4 <= q->records;
		d[l] = inside ? r[r[l * n] / 4 * n + 2] : answer ? r[l * n + 2] : 0;
	}
}

static void ask_reverse(const struct exact_question *q, size_t n, uint32_t *r) {
	(void)q;
	r[0] = (uint32_t)(EXACT_LANES - 1 - n % EXACT_LANES) * 4;
	r[1] = (uint32_t)(n % EXACT_LANES) * 4;
	r[2] = (uint32_t)exact_any(n, 0) | 1;
}

/* ---- DPP: each active lane, which is even, reads the next one ---- */

static void next_lane(const struct exact_question *q, unsigned answer, const uint32_t *r,
                      unsigned n, uint32_t *d) {
	(void)q;
	for (unsigned l = 0; l < EXACT_LANES; l++)
		d[l] = answer && l % 2 == 0 ? r[(l + 1) * n] : r[l * n + 1];
}

/* ---- a copy of one of a few values: answers 0, 1 ... are words `detail`, a byte each, of a lane's
 * operands and the scalar ---- */

enum { A = 0, B = 1, C = 2, SCALAR = 0xf0, ZERO, FOLLOWING };
#define CHOICE(first, second) (0x100u * (second) | (first))

static uint32_t chosen(const struct exact_question *q, unsigned code, const uint32_t *r) {
	return code == SCALAR      ? q->scalar
	       : code == FOLLOWING ? ~q->scalar
	       : code == ZERO      ? 0
	                           : r[code];
}

static void copy(const struct exact_question *q, unsigned answer, const uint32_t *r, uint32_t *d) {
	d[0] = chosen(q, q->detail >> 8 * answer & 0xff, r);
}

static void ask_copy(const struct exact_question *q, size_t n, uint32_t *r) {
	(void)q;
	for (unsigned i = 0; i < 3; i++)
		r[i] = (uint32_t)exact_any(n, i) | 1;
}

/* v36 and v100 are registers of their own, or one. */
static void two_registers(const struct exact_question *q, unsigned answer, const uint32_t *r,
                          uint32_t *d) {
	(void)q;
	d[0] = r[answer ? B : A];
	d[1] = r[B];
}

/* The wave's c begins with the scalar that it has stored. */
static void kept_store(const struct exact_question *q, unsigned answer, const uint32_t *r,
                       unsigned n, uint32_t *d) {
	(void)n;
	for (unsigned l = 0; l < EXACT_LANES; l++)
		d[l] = answer ? r[C] : q->scalar;
}

static void ask_store(const struct exact_question *q, size_t n, uint32_t *r) {
	ask_copy(q, n, r);
	r[A] = 0;
}

/* ---- missing wait states: bits in which registers differ from those with wait states ---- */

static void no_difference(const struct exact_question *q, unsigned answer, const uint32_t *r,
                          uint32_t *d) {
	(void)q, (void)answer, (void)r;
	d[0] = 0;
}

/* Halves from 0.5 to 1: no NaN as f16, f32 or f64. */
static void ask_halves(const struct exact_question *q, size_t n, uint32_t *r) {
	(void)q;
	for (unsigned i = 0; i < 20; i++)
		r[i] = ((uint32_t)exact_any(n, i) & 0x83ff83ff) | 0x38003800;
}

/* ---- the questions ---- */

#define SPARSE(name, m)                                                                            \
	{                                                                                          \
		.rule = "SPARSE_LANES", .kernel = name,                                            \
		.answer = { "a row's items in consecutive lanes, as of FP8",                       \
			    "in the lanes of the items of B that they meet" },                     \
		.waves = 16, .detail = m, .mode = KEEP_DENORMALS, .ask = ask_sparse,               \
		.wave = sparse                                                                     \
	}
#define ROUNDING(mode_field)                                                                       \
	{                                                                                          \
		.rule = "MATRIX_MODE", .kernel = "mfma_rounding",                                  \
		.answer = { "rounding is the same", "MODE selects it" }, .waves = 1,               \
		.detail = mode_field, .mode = KEEP_DENORMALS | (mode_field)*5,                     \
		.ask = ask_rounding, .lane = matrix_rounding                                       \
	}
#define NAN_OF(name, operands)                                                                     \
	{                                                                                          \
		.rule = "NAN_OPERAND", .kernel = name,                                             \
		.answer = { "the first operand that is NaN, quieted; invalid: 0x7FC00000",         \
			    "the last operand that is NaN, quieted; invalid: 0x7FC00000",          \
			    "0x7FC00000",                                                          \
			    "the first operand that is NaN, quieted; invalid: 0xFFC00000" },       \
		.waves = 16, .detail = operands, .mode = KEEP_DENORMALS, .ask = ask_nan,           \
		.lane = nan_operand                                                                \
	}

static const struct exact_question questions[] = {
	SPARSE("v_smfmac_i32_16x16x128_i8", 16),
	SPARSE("v_smfmac_i32_32x32x64_i8", 32),
	{ .rule = "MATRIX_MODE",
	  .kernel = "v_mfma_f32_4x4x4_16b_f16",
	  .answer = { "denormals are kept", "flushed as MODE selects" },
	  .waves = 12,
	  .mode = NOTHING_KEPT,
	  .ask = ask_mode,
	  .lane = matrix_mode },
	ROUNDING(1),
	ROUNDING(2),
	ROUNDING(3),
	NAN_OF("v_add_f32", 2),
	NAN_OF("v_mul_f32", 2),
	NAN_OF("v_fma_f32", 3),
	{ .rule = "DOT_CLAMP",
	  .kernel = "v_dot2_i32_i16",
	  .answer = { "the exact sum", "each step" },
	  .waves = 16,
	  .mode = KEEP_DENORMALS,
	  .ask = ask_clamp,
	  .lane = dot_clamp },
	{ .rule = "ATOMIC_DENORMAL",
	  .kernel = "buffer_atomic_add_f32",
	  .answer = { "flushed", "kept" },
	  .waves = 16,
	  .mode = KEEP_DENORMALS,
	  .records = 256,
	  .word3 = DATA_32,
	  .ask = ask_sum,
	  .lane = atomic_denormal },
	{ .rule = "ATOMIC_NAN",
	  .kernel = "buffer_atomic_add_f32",
	  .answer = { "the one in memory", "the data" },
	  .waves = 16,
	  .mode = KEEP_DENORMALS,
	  .records = 256,
	  .word3 = DATA_32,
	  .ask = ask_two_nans,
	  .lane = atomic_nan },
	{ .rule = "ATOMIC_NAN",
	  .kernel = "ds_add_f32",
	  .answer = { "the one in memory", "the data" },
	  .waves = 16,
	  .mode = KEEP_DENORMALS,
	  .ask = ask_two_nans,
	  .lane = atomic_nan },
	{ .rule = "LDS_DMA_OUTSIDE",
	  .kernel = "buffer_load_lds",
	  .answer = { "zeros are written", "nothing is written" },
	  .waves = 16,
	  .mode = KEEP_DENORMALS,
	  .records = 128,
	  .word3 = DATA_32,
	  .ask = ask_reverse,
	  .wave = load_to_lds },
	{ .rule = "DPP_INACTIVE",
	  .kernel = "dpp_inactive",
	  .answer = { "it is outside: the destination is kept", "it is read" },
	  .waves = 16,
	  .mode = KEEP_DENORMALS,
	  .ask = ask_copy,
	  .wave = next_lane },
	{ .rule = "AGPR_INDEX",
	  .kernel = "accvgpr_indexed",
	  .answer = { "the index counts", "it does not" },
	  .waves = 1,
	  .detail = CHOICE(B, A),
	  .mode = KEEP_DENORMALS,
	  .scalar = 4,
	  .ask = ask_copy,
	  .lane = copy },
	{ .rule = "ACCUM_OFFSET",
	  .kernel = "accum_offset",
	  .answer = { "a register of its own", "another VGPR" },
	  .waves = 1,
	  .ask = ask_copy,
	  .lane = two_registers },
	{ .rule = "NO_ARGUMENT",
	  .kernel = "scalar",
	  .answer = { "zero", "that of the launch before", "what follows the buffer" },
	  .waves = 1,
	  .detail = CHOICE(ZERO, SCALAR) | FOLLOWING << 16,
	  .mode = KEEP_DENORMALS,
	  .scalar = 0x5a5a5a5a,
	  .short_by = 4,
	  .ask = ask_copy,
	  .lane = copy },
	{ .rule = "CACHE_DIRTY",
	  .kernel = "s_dcache_inv",
	  .answer = { "the store is in memory", "it is lost" },
	  .waves = 64,
	  .mode = KEEP_DENORMALS,
	  .records = 256,
	  .word3 = DATA_32,
	  .scalar = 0x5a5a5a5a,
	  .ask = ask_store,
	  .wave = kept_store },
	{ .rule = "WAIT_STATES",
	  .kernel = "wait_*",
	  .answer = { "as with wait states" },
	  .waves = 16,
	  .mode = KEEP_DENORMALS,
	  .records = 20 * 256,
	  .word3 = DATA_32,
	  .ask = ask_halves,
	  .lane = no_difference },
};

const struct exact_questions exact_machine = { questions, sizeof questions / sizeof *questions };
