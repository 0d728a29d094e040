/* Questions about memory: typed buffers, range checks, transposing reads, the order of lanes. */
#include "assumed.h"

#include <math.h>

enum { KEEP_DENORMALS = 0xf0, QNAN = 0x7fc00000 };

/* ---- typed buffers: formats of elements of at most 32 bits [ISA tables 46 to 48] ---- */

enum { UNORM, SNORM, USCALED, SSCALED, UINT, SINT, FLOAT = 7 };
enum { F16_16 = 5, F32 = 4, F10_11_11 = 7, F10_10_10_2 = 9, F8_8_8_8 = 10 };

/* Word 3 of a descriptor: x, y, z and w in their places. */
#define TYPED(data, numeric) (07654u | (numeric) << 12 | (data) << 15)

static unsigned numeric_of(const struct exact_question *q) {
	return q->word3 >> 12 & 7;
}

/* The width of component i; 0: there is none. */
static unsigned width(const struct exact_question *q, unsigned i) {
	switch (q->word3 >> 15 & 15) {
	case F16_16: return i < 2 ? 16 : 0;
	case F32: return i ? 0 : 32;
	case F10_11_11: return i == 0 ? 10 : i < 3 ? 11 : 0;
	case F10_10_10_2: return i < 3 ? 10 : 2;
	default: return 8;
	}
}

static double most_of(unsigned bits, bool is_signed) {
	return ldexp(1, (int)(bits - is_signed)) - 1;
}

static int32_t sign_extended(uint32_t v, unsigned bits) {
	return (int32_t)(v << (32 - bits)) >> (32 - bits);
}

/* ---- loads ---- */

/* Component v of a load as f32 or integer: a quotient correctly rounded, or the product with the
 * rounded inverse. */
static uint32_t loaded(unsigned numeric, unsigned bits, uint32_t v, bool by_inverse) {
	bool is_signed = numeric == SNORM || numeric == SSCALED || numeric == SINT;
	double x = is_signed ? (double)sign_extended(v, bits) : v, most = most_of(bits, is_signed);
	if (numeric >= UINT)
		return is_signed ? (uint32_t)sign_extended(v, bits) : v;
	if (numeric >= USCALED)
		return exact_bits((float)x);
	x = x < -most ? -most : x;
	return exact_bits(by_inverse ? (float)x * (1 / (float)most) : (float)(x / most));
}

static void load(const struct exact_question *q, unsigned answer, const uint32_t *r, uint32_t *d) {
	for (unsigned i = 0, at = 0; i < 4; at += width(q, i++)) {
		uint32_t bits = width(q, i), v = bits ? r[2] >> at & ~0u >> (32 - bits) : 0;
		d[i] = bits ? loaded(numeric_of(q), bits, v, answer == 1) : 0;
	}
}

/* To 16 bits. Of a float: nearest even, or toward zero; of an integer: cut, or the nearest. */
static uint32_t halved(const struct exact_question *q, uint32_t v, unsigned answer) {
	uint32_t code;
	if (numeric_of(q) == UINT)
		return answer && v > 0xffff ? 0xffff : v & 0xffff;
	if (numeric_of(q) == SINT) {
		int32_t n = (int32_t)v, most = n < 0 ? -0x8000 : 0x7fff;
		return (uint32_t)(answer && n != (int16_t)n ? most : n) & 0xffff;
	}
	exact_encode("FP16", v, 0, answer ? EXACT_RTZ : EXACT_RNE, EXACT_OVERFLOW, 0, &code);
	return code;
}

static void load_d16(const struct exact_question *q, unsigned answer, const uint32_t *r,
                     uint32_t *d) {
	uint32_t wide[4];
	load(q, 0, r, wide);
	for (unsigned i = 0; i < 4; i++)
		d[i / 2] |= (width(q, i) ? halved(q, wide[i], answer) : 0) << 16 * (i % 2);
}

/* Each lane loads its dword of c; some integers fit in 16 bits. */
static void ask_load(const struct exact_question *q, size_t n, uint32_t *r) {
	(void)q;
	r[0] = (uint32_t)(n % EXACT_LANES) * 4;
	r[2] = (uint32_t)exact_any(n, 0);
	if (n % 4 == 0)
		r[2] = n % 8 ? r[2] & 0xffff : r[2] | 0xffff8000;
}

/* ---- stores ---- */

enum { NEAREST_EVEN, CUT, AWAY, BY_F32 };

/* x times `most`, as an integer. There is no exact tie between the f32 and the fractions of a
 * normalised format. */
static double whole(double x, double most, unsigned answer) {
	double p = answer >= AWAY ? (double)((float)x * (float)most) : x * most;
	return answer == CUT ? trunc(p) : answer == AWAY ? round(p) : rint(p);
}

/* An f16, or its upper bits: cut, or rounded again. */
static uint32_t stored_float(uint32_t v, unsigned bits, unsigned answer) {
	enum { AGAIN = 2 };
	uint32_t code;
	exact_encode("FP16", v, 0, answer == CUT ? EXACT_RTZ : EXACT_RNE, EXACT_OVERFLOW, 0, &code);
	if (bits == 16)
		return code;
	return (code + (answer == AGAIN ? 1u << (14 - bits) : 0)) >> (15 - bits);
}

static uint32_t stored(unsigned numeric, unsigned bits, uint32_t v, unsigned answer) {
	bool is_signed = numeric == SNORM || numeric == SSCALED || numeric == SINT;
	double most = most_of(bits, is_signed), x = exact_float(v);
	double least = is_signed ? -most - 1 : 0;
	if (numeric == FLOAT)
		return stored_float(v, bits, answer);
	if (numeric >= UINT) {
		x = is_signed ? (double)(int32_t)v : v;
		return answer ? v : (uint32_t)(int64_t)(x < least ? least : x > most ? most : x);
	}
	if (numeric <= SNORM) {
		x = isnan(x) ? 0 : x > 1 ? 1 : x < (is_signed ? -1 : 0) ? (is_signed ? -1 : 0) : x;
		return (uint32_t)(int64_t)whole(x, most, answer);
	}
	x = isnan(x) ? 0 : x < least ? least : x > most ? most : x;
	return (uint32_t)(int64_t)whole(x, 1, answer);
}

static void store(const struct exact_question *q, unsigned answer, const uint32_t *r, uint32_t *d) {
	for (unsigned i = 0, at = 0; i < 4 && width(q, i); at += width(q, i++))
		d[0] |= (stored(numeric_of(q), width(q, i), r[1 + i], answer) &
		         ~0u >> (32 - width(q, i)))
		        << at;
}

/* Numbers near ties and out of range, of the kind that the format converts. */
static void ask_store(const struct exact_question *q, size_t n, uint32_t *r) {
	unsigned numeric = numeric_of(q);
	r[0] = (uint32_t)(n % EXACT_LANES) * 4;
	for (unsigned i = 0; i < 4 && width(q, i); i++) {
		uint32_t any = (uint32_t)exact_any(n, i);
		bool is_signed = numeric == SNORM || numeric == SSCALED;
		double most = most_of(width(q, i), is_signed);
		double tie = (double)(any % (uint32_t)(most + 4)) + 0.5;
		tie = any >> 30 & 1 ? -tie : tie;
		r[1 + i] = numeric <= SNORM     ? exact_bits((float)(tie / most))
		           : numeric <= SSCALED ? exact_bits((float)tie)
		           : numeric == FLOAT   ? (any & 0x7fffff) | (100 + any % 50) << 23
		           : any >> 31          ? any
		                                : any & 0xff;
		if (n % 16 == 0 && numeric <= SSCALED)
			r[1 + i] = QNAN;
	}
}

/* ---- range checks ---- */

/* Lane l loads dword l + 16 of a buffer of 40 dwords: `scalar` has the 16. */
static void ask_soffset(const struct exact_question *q, size_t n, uint32_t *r) {
	(void)q;
	r[0] = (uint32_t)(n % 48) * 4;
	r[2] = (uint32_t)exact_any(n, 0) | 1;
}

static void soffset(const struct exact_question *q, unsigned answer, const uint32_t *r, unsigned n,
                    uint32_t *d) {
	for (unsigned l = 0; l < EXACT_LANES; l++) {
		uint32_t offset = r[l * n], at = offset + q->scalar;
		bool inside = (answer ? offset : at) + 4 <= q->records;
		d[l] = inside ? r[at / 4 * n + 2] : 0;
	}
}

/* ---- the order of lanes: those with one address go one by one ---- */

static unsigned turn(unsigned answer, unsigned i) {
	return answer ? EXACT_LANES - 1 - i : i;
}

static void ask_collision(const struct exact_question *q, size_t n, uint32_t *r) {
	static const unsigned places[] = { 1, 2, 5, 16, 32 };
	unsigned size = q->detail * 4, wave = (unsigned)(n / EXACT_LANES);
	r[0] = (uint32_t)exact_any(n, 0) % places[wave % 5] * size;
	for (unsigned i = 0; i < q->detail; i++)
		r[1 + i] = (uint32_t)exact_any(n, 1 + i);
	r[1 + q->detail] = (uint32_t)exact_any(r[0], 9 + wave); /* the same at one address */
}

/* What a write leaves: the data of the last lane. */
static void written(const struct exact_question *q, unsigned answer, const uint32_t *r, unsigned n,
                    uint32_t *d) {
	for (unsigned l = 0; l < EXACT_LANES; l++)
		for (unsigned i = 0; i < EXACT_LANES; i++) {
			const uint32_t *other = r + turn(answer, i) * n;
			if (other[0] == r[l * n])
				memcpy(d + l * q->detail, other + 1, 4 * q->detail);
		}
}

/* What exchanges return: the data of the lane before, and of the first what was there. The buffer
 * is c of the first lanes; LDS was written with c by all lanes of the address. */
static void exchanged(const struct exact_question *q, unsigned answer, const uint32_t *r,
                      unsigned n, uint32_t *d) {
	bool lds = !strncmp(q->kernel, "ds_", 3);
	for (unsigned i = 0; i < EXACT_LANES; i++) {
		unsigned l = turn(answer, i);
		d[l] = r[(lds ? l : r[l * n] / 4) * n + 2];
		for (unsigned k = 0; k < i; k++)
			if (r[turn(answer, k) * n] == r[l * n])
				d[l] = r[turn(answer, k) * n + 1];
	}
}

/* ---- transposing reads: rows of 16 elements, by the bits of one ---- */

enum { TEAM = 16 };

static void ask_transpose(const struct exact_question *q, size_t n, uint32_t *r) {
	r[0] = (uint32_t)(n % EXACT_LANES) * q->scalar;
	for (unsigned i = 1; i < 4 - (q->detail != 6); i++)
		r[i] = (uint32_t)exact_any(n, i);
}

static unsigned bit_of(const uint32_t *words, unsigned at) {
	return words[at / 32] >> at % 32 & 1;
}

/* Lane l's element k: 0: element l of row k, which consecutive lanes hold; 1: its own; 2: element l
 * of row k, of which each lane holds a piece at the same distance. */
static void transpose(const struct exact_question *q, unsigned answer, const uint32_t *r,
                      unsigned n, uint32_t *d) {
	unsigned bits = q->detail, dwords = bits == 6 ? 3 : 2, each = 32 * dwords / bits;
	unsigned holders = TEAM / each; /* lanes that hold a row; 0: a lane holds rows */
	for (unsigned l = 0; l < EXACT_LANES; l++)
		for (unsigned k = 0; k < each; k++) {
			unsigned team = l / TEAM * TEAM, i = l % TEAM, at = k * TEAM + i;
			unsigned lane = answer == 1 ? l : team + at / each, item = at % each;
			if (answer == 1)
				item = k;
			else if (answer == 2 && holders > 1)
				lane = team + at / each / holders +
				       at / each % holders * (TEAM / holders);
			else if (answer == 2)
				item = (at % each % (each / 2)) * 2 + at % each / (each / 2);
			for (unsigned b = 0; b < bits; b++)
				d[l * dwords + (k * bits + b) / 32] |=
					bit_of(r + lane * n + 1, item * bits + b)
					<< (k * bits + b) % 32;
		}
}

/* ---- the questions ---- */

#define LOAD(id, name, data, numeric, ways, lanes)                                                 \
	{                                                                                          \
		.rule = #id, .kernel = name, .answer = ways, .waves = 16, .mode = KEEP_DENORMALS,  \
		.records = 256, .word3 = TYPED(data, numeric), .ask = ask_load, .lane = lanes      \
	}
#define QUOTIENTS                                                                                  \
	{ "the correctly rounded quotient", "a product with the inverse" }
#define NORMALISED(data, numeric)                                                                  \
	LOAD(NORMALISED, "buffer_load_format", data, numeric, QUOTIENTS, load)
#define HALVES                                                                                     \
	{ "the nearest, ties to even", "toward zero" }
#define TO_HALF(data, numeric)                                                                     \
	LOAD(TO_HALF, "buffer_load_format_d16", data, numeric, HALVES, load_d16)
#define SHORTS                                                                                     \
	{ "without the upper bits", "the nearest" }
#define TO_SHORT(numeric) LOAD(TO_SHORT, "buffer_load_format_d16", F32, numeric, SHORTS, load_d16)

#define STORE(id, data, numeric, ways)                                                             \
	{                                                                                          \
		.rule = #id, .kernel = "buffer_store_format", .answer = ways, .waves = 16,         \
		.mode = KEEP_DENORMALS, .records = 256, .word3 = TYPED(data, numeric),             \
		.ask = ask_store, .lane = store                                                    \
	}
#define CLAMPED(data, numeric) STORE(CLAMPED, data, numeric, LIMITS)
#define LIMITS                                                                                     \
	{ "the nearest limit", "without the upper bits" }
#define NEAR_TIE(data, numeric) STORE(NEAR_TIE, data, numeric, TIES)
#define TIES                                                                                       \
	{                                                                                          \
		"of the exact product, nearest even", "cut",                                       \
			"of a product in f32, ties away from zero",                                \
			"of a product in f32, nearest even"                                        \
	}
#define SCALED(data, numeric) STORE(SCALED, data, numeric, INTEGERS)
#define INTEGERS                                                                                   \
	{ "nearest even", "cut", "ties away from zero" }
#define PACKED                                                                                     \
	{ "an f16 to nearest even, then cut", "toward zero", "rounded again" }

/* `stride`: bytes from lane to lane. */
#define TRANSPOSE(name, bits, stride)                                                              \
	{                                                                                          \
		.rule = "TRANSPOSE", .kernel = name,                                               \
		.answer = { "16 lanes form rows of 16 elements; lane i gets column i",             \
			    "each lane gets its own data", "rows of lanes or elements apart" },    \
		.waves = 16, .detail = bits, .mode = KEEP_DENORMALS, .scalar = stride,             \
		.ask = ask_transpose, .wave = transpose                                            \
	}
#define LANES                                                                                      \
	{ "by ascending lane", "by descending lane" }
#define ORDER(id, name, dwords, results)                                                           \
	{                                                                                          \
		.rule = #id, .kernel = name, .answer = LANES, .waves = 64, .detail = dwords,       \
		.mode = KEEP_DENORMALS, .records = 256, .word3 = TYPED(F32, UINT),                 \
		.ask = ask_collision, .wave = results                                              \
	}

static const struct exact_question questions[] = {
	NORMALISED(F8_8_8_8, UNORM),
	NORMALISED(F8_8_8_8, SNORM),
	NORMALISED(F10_10_10_2, UNORM),
	NORMALISED(F16_16, UNORM),
	NORMALISED(F16_16, SNORM),
	TO_HALF(F16_16, UNORM),
	TO_HALF(F16_16, SSCALED),
	TO_SHORT(UINT),
	TO_SHORT(SINT),
	CLAMPED(F8_8_8_8, UINT),
	CLAMPED(F8_8_8_8, SINT),
	CLAMPED(F16_16, UINT),
	CLAMPED(F16_16, SINT),
	CLAMPED(F10_10_10_2, UINT),
	NEAR_TIE(F8_8_8_8, UNORM),
	NEAR_TIE(F8_8_8_8, SNORM),
	NEAR_TIE(F16_16, UNORM),
	NEAR_TIE(F16_16, SNORM),
	NEAR_TIE(F10_10_10_2, UNORM),
	SCALED(F8_8_8_8, USCALED),
	SCALED(F8_8_8_8, SSCALED),
	SCALED(F16_16, USCALED),
	SCALED(F16_16, SSCALED),
	STORE(TO_FLOAT, F16_16, FLOAT, HALVES),
	STORE(TO_FLOAT, F10_11_11, FLOAT, PACKED),
	{ .rule = "SOFFSET_CHECKED",
	  .kernel = "buffer_load_soffset",
	  .answer = { "the range check includes SOFFSET", "it leaves SOFFSET out" },
	  .waves = 1,
	  .mode = KEEP_DENORMALS,
	  .records = 160,
	  .word3 = TYPED(F32, UINT),
	  .scalar = 64,
	  .ask = ask_soffset,
	  .wave = soffset },
	TRANSPOSE("ds_read_b64_tr_b4", 4, 8),
	TRANSPOSE("ds_read_b96_tr_b6", 6, 16),
	TRANSPOSE("ds_read_b96_tr_b6", 6, 12),
	TRANSPOSE("ds_read_b64_tr_b8", 8, 8),
	TRANSPOSE("ds_read_b64_tr_b16", 16, 8),
	ORDER(WRITE_ORDER, "ds_write_b32", 1, written),
	ORDER(WRITE_ORDER, "ds_write_b64", 2, written),
	ORDER(ATOMIC_ORDER, "ds_wrxchg_rtn_b32", 1, exchanged),
	ORDER(ATOMIC_ORDER, "buffer_atomic_swap", 1, exchanged),
};

const struct exact_questions exact_memory = { questions, sizeof questions / sizeof *questions };
