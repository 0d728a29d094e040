/* The dots of each question: terms at chosen places, everything else zero. */
#include "probe.h"

#include <stdlib.h>

enum { ONE = 127, MIXED_DOTS = 2048, MIXED_SEED = 2511 };
enum { F32_ONE = 0x3F800000, F32_QUIET = 0x7FC00000 };

struct list {
	const struct mx_probe_insn *insn;
	struct mx_probe_dot *dot;
	size_t n, room;
	unsigned question;
	bool full; /* no memory */
};

/* ---- one dot ---- */

static bool is_integer(const struct mx_format_info *t) {
	return !t->exp_bits;
}

static uint64_t max_finite(const struct mx_format_info *t) {
	return mx_probe_type_of(t->name).max;
}

static uint64_t sign_of(const struct mx_format_info *t) {
	return UINT64_C(1) << (t->bits - 1);
}

/* The exponent of the largest power of two, and of the smallest normal one. */
static int lowest(const struct mx_format_info *t) {
	return is_integer(t) ? 0 : 2 - (1 << (t->exp_bits - 1));
}

static int highest(const struct mx_format_info *t) {
	return is_integer(t) ? 6 : (int)(max_finite(t) >> t->man_bits) + lowest(t) - 1;
}

/* The results, C and the sums: bits of the fraction, the smallest and the largest exponent. */
struct range {
	int man, min, max;
};

static struct range range_of(const struct mx_probe_insn *insn) {
	return mx_probe_is_f64(insn) ? (struct range){ 52, -1022, 1023 }
	                             : (struct range){ 23, -126, 127 };
}

static uint64_t f64_of(bool negative, uint64_t sig, int exp) {
	return mx_round_code(sig, exp, 52, -1074) | (uint64_t)negative << 63;
}

/* C of +-sig 2^exp, rounded to nearest even. */
static uint64_t c_of(const struct mx_probe_insn *insn, bool negative, uint64_t sig, int exp) {
	return mx_probe_is_f64(insn) ? f64_of(negative, sig, exp)
	                             : mx_f32_round(negative, sig, exp).v;
}

/* The code of +-sig 2^exp, sig not 0; false if there is none. */
static bool encode(const struct mx_format_info *t, bool negative, uint32_t sig, int exp,
                   uint64_t *code) {
	struct mx_number x = { .negative = negative, .sig = sig, .exp = exp }, y;
	if (is_integer(t)) {
		int value = exp < 0 || exp > 6 ? 128 : (int)sig << exp;
		*code = (uint32_t)(negative ? -value : value) & 0xFF;
		return value < 128;
	}
	if (t->bits == 64) {
		*code = f64_of(negative, sig, exp);
		return exp >= -1074 && exp + 31 - __builtin_clz(sig) <= 1023;
	}
	*code = mx_encode(t, x, MX_RTZ, MX_SATURATE, 0);
	y = mx_decode(t, (uint32_t)*code);
	int shift = y.exp - exp;
	return y.sig && shift > -32 && shift < 32 &&
	       (shift < 0 ? y.sig == (uint64_t)sig << -shift : (uint64_t)y.sig << shift == sig);
}

static int clamp(int x, int low, int high) {
	return x < low ? low : x > high ? high : x;
}

static bool is_unused(const struct mx_probe_dot *d, unsigned block) {
	uint64_t any = 0;
	for (unsigned k = block * MX_BLOCK; k < (block + 1) * MX_BLOCK; k++)
		any |= d->a[k] | d->b[k];
	return !any;
}

/* The scales' exponent of k's block. The first term of a block chooses it, if it needs one. */
static int scale_for(const struct mx_probe_insn *insn, struct mx_probe_dot *d, unsigned k,
                     int exp) {
	unsigned block = k / MX_BLOCK;
	int low = lowest(insn->a) + lowest(insn->b), high = highest(insn->a) + highest(insn->b);
	if (insn->scaled && is_unused(d, block)) {
		int s = exp - clamp(exp, low, high);
		d->sa[block] = (uint8_t)(ONE + s / 2);
		d->sb[block] = (uint8_t)(ONE + s - s / 2);
	}
	return d->sa[block] + d->sb[block] - 2 * ONE;
}

/* Makes product k +-sig 2^exp. */
static bool put(const struct mx_probe_insn *insn, struct mx_probe_dot *d, unsigned k, bool negative,
                uint32_t sig, int exp) {
	exp -= scale_for(insn, d, k, exp);
	int low = lowest(insn->a), high = highest(insn->a) - (sig > 1);
	int a = clamp(clamp(exp / 2, exp - highest(insn->b), exp - lowest(insn->b)), low, high);
	return encode(insn->a, negative, sig, a, &d->a[k]) &&
	       encode(insn->b, false, 1, exp - a, &d->b[k]);
}

static struct mx_probe_dot blank(void) {
	struct mx_probe_dot d = { .c = 0 };
	for (unsigned i = 0; i < MX_PROBE_BLOCKS; i++)
		d.sa[i] = d.sb[i] = ONE;
	return d;
}

/* Appends a dot that could be made. */
static void ask(struct list *l, const struct mx_probe_dot *d, bool made) {
	if (!made || l->full)
		return;
	if (l->n == l->room) {
		size_t room = l->room ? 2 * l->room : 256;
		struct mx_probe_dot *grown = realloc(l->dot, room * sizeof *grown);
		if ((l->full = !grown))
			return;
		l->dot = grown;
		l->room = room;
	}
	l->dot[l->n] = *d;
	l->dot[l->n++].question = (uint8_t)l->question;
}

/* A term: a product at k, or C where k is K. */
struct term {
	unsigned k;
	bool negative;
	uint64_t sig; /* of a product below 2^32 */
	int exp;
};

static void ask_terms(struct list *l, const struct term *t, unsigned n) {
	struct mx_probe_dot d = blank();
	bool made = true;
	for (unsigned i = 0; i < n; i++)
		if (t[i].k < l->insn->k)
			made = made && put(l->insn, &d, t[i].k, t[i].negative, (uint32_t)t[i].sig,
			                   t[i].exp);
		else
			d.c = c_of(l->insn, t[i].negative, t[i].sig, t[i].exp);
	ask(l, &d, made);
}
#define ASK(...)                                                                                   \
	ask_terms(l, (const struct term[]){ __VA_ARGS__ },                                         \
	          sizeof((const struct term[]){ __VA_ARGS__ }) / sizeof(struct term))

/* ---- the exponents of a large and a small product ---- */

static int large(const struct mx_probe_insn *insn) {
	return insn->scaled ? 30 : clamp(highest(insn->a) + highest(insn->b), 0, 30);
}

/* Beyond two significands. */
static int most_ratio(const struct mx_probe_insn *insn) {
	return range_of(insn).man + 25;
}

/* Below a large product of the same block. */
static int least_product(const struct mx_probe_insn *insn) {
	int low = lowest(insn->a) + lowest(insn->b), high = highest(insn->a) + highest(insn->b);
	return high - low < 2 * most_ratio(insn) ? high - low : 2 * most_ratio(insn);
}

static int ratio(const struct mx_probe_insn *insn) {
	int most = most_ratio(insn);
	return insn->scaled || least_product(insn) > most ? most : least_product(insn);
}

/* ---- questions ---- */

static void ask_sum(struct list *l) {
	unsigned K = l->insn->k;
	struct mx_probe_dot all = blank(), minus = blank();
	bool made = true;
	for (unsigned k = 0; k < K; k++) {
		struct mx_probe_dot apart = blank();
		uint64_t other = 0;
		ASK({ k, false, 1, 0 });
		if (!is_integer(l->insn->a))
			ASK({ k, true, 1, 1 }, { K, false, 5, 0 });
		bool pair = put(l->insn, &apart, k, false, 1, 0) &&
		            encode(l->insn->b, false, 1, 0, &other);
		apart.b[k] = 0;
		apart.b[k ^ 1] = other;
		ask(l, &apart, pair);
		made = made && put(l->insn, &all, k, false, 1, 0) &&
		       put(l->insn, &minus, k, k % 3 == 1, 1, k % 2);
	}
	ask(l, &all, made);
	ask(l, &minus, made);
}

/* M at i, -M as C or at j, and u at k. */
static void ask_order(struct list *l) {
	unsigned K = l->insn->k;
	int m = large(l->insn);
	for (unsigned step = 1; step < K; step *= 2)
		for (unsigned i = 0; i < K; i++) {
			unsigned j = (i + step) % K;
			for (int r = 60; r > 0; r = r == 60 ? least_product(l->insn) : 0) {
				ASK({ i, false, 1, m }, { j, false, 1, m - r }, { K, true, 1, m });
				ASK({ i, false, 1, m }, { j, true, 1, m },
				    { i ? 0 : K - 1, false, 1, m - r });
				ASK({ i, false, 1, m }, { j, true, 1, m },
				    { i < K - 1 ? K - 1 : 0, false, 1, m - r });
			}
		}
}

static void ask_group(struct list *l) {
	unsigned K = l->insn->k;
	int man = range_of(l->insn).man;
	for (unsigned step = 1; step < K; step *= 2)
		for (unsigned i = 0; i < K; i++) {
			ASK({ i, false, 1, 0 }, { (i + step) % K, false, 1, 0 },
			    { K, false, 1, man + 1 });
			ASK({ i, false, 1, 0 }, { (i + step) % K, false, 1, 0 },
			    { K, true, (UINT64_C(1) << man) + 1, 1 });
		}
}

static void ask_align(struct list *l) {
	unsigned K = l->insn->k;
	const unsigned places[][3] = { { 0, 1, 2 },     { 0, 2, 1 },
		                       { 0, 2, 4 },     { 1, 3, 0 },
		                       { 0, 4, 8 },     { 0, K / 2, 1 },
		                       { 0, 1, K / 2 }, { K - 1, K - 2, K - 3 } };
	int m = large(l->insn);
	for (unsigned p = 0; p < sizeof places / sizeof *places; p++)
		for (int r = 1; r <= ratio(l->insn); r++)
			for (unsigned v = 0; v < 4; v++) {
				const unsigned *at = places[p];
				if (at[0] >= K || at[1] >= K || at[2] >= K)
					continue;
				ASK({ at[0], false, 1, m }, { at[1], true, 1, m },
				    { at[2], v & 1, v & 2 ? 3 : 1, m - r });
			}
}

static void ask_acc(struct list *l) {
	unsigned K = l->insn->k, places[][2] = { { 0, 1 }, { 0, 2 }, { 0, K / 2 }, { K - 1, 0 } };
	int m = large(l->insn);
	for (unsigned p = 0; p < sizeof places / sizeof *places; p++)
		for (int r = 1; r <= range_of(l->insn).man + 37; r++)
			for (unsigned v = 0; v < 6; v++) {
				unsigned i = places[p][0], j = places[p][1];
				bool minus = v & 1;
				uint32_t sig = v / 2 * 2 + 1;
				ASK({ i, false, 1, m }, { j, true, 1, m },
				    { K, minus, sig * sig, m - r });
				ASK({ i, false, 1, m }, { j, minus, sig, m - r },
				    { K, true, 1, m });
				ASK({ i, false, 1, m }, { K, minus, sig, m - r });
			}
}

/* C, half a unit of its last place or of the next one, and what breaks the tie. */
static void ask_ties(struct list *l) {
	uint64_t one = UINT64_C(1) << range_of(l->insn).man, sigs[] = { one, one + 1, 2 * one - 1 };
	unsigned K = l->insn->k;
	int m = large(l->insn);
	for (unsigned s = 0; s < 6; s++)
		for (int r = 1; r <= 20; r++)
			for (unsigned v = 0; v < 8; v++) {
				unsigned k = v & 4 && l->insn->scaled ? K - 1 : 1;
				int half = v & 4 ? m - 1 : m;
				ASK({ K, s / 3, sigs[s % 3], m + 1 }, { 0, v & 1, 1, half },
				    { k, v & 2, 1, half - r });
			}
}

static void ask_round(struct list *l) {
	int man = range_of(l->insn).man;
	uint64_t one = UINT64_C(1) << man;
	const uint64_t sigs[] = { one, one + 1, one + 2, 2 * one - 1,
		                  UINT64_C(0xAAAAAAAAAAAAAAAA) >> (63 - man) | 1 };
	unsigned K = l->insn->k;
	for (unsigned s = 0; s < sizeof sigs / sizeof *sigs; s++)
		for (int r = -2; r <= 14; r++)
			for (unsigned v = 0; v < 8; v++) {
				uint32_t sig = v & 4 ? 3 : 1;
				ASK({ K, v & 1, sigs[s], 2 }, { 0, v & 2, sig, 1 - r },
				    { 1, v & 1, 1, -1 - r });
				ASK({ K, v & 1, sigs[s], 2 }, { 0, v & 2, sig, 1 - r });
			}
	ask_ties(l);
	for (int high = 1; high <= man + 3; high++)
		for (int low = high; low <= man + 11; low++) {
			int m = large(l->insn);
			ASK({ 0, false, 1, m }, { 1, false, 1, m - high },
			    { 2, false, 1, m - low });
			ASK({ 0, true, 1, m }, { 1, true, 1, m - high }, { 2, false, 1, m - low });
		}
}

/* Terms near and below the smallest normal result. */
static void ask_bottom(struct list *l) {
	struct range d = range_of(l->insn);
	unsigned K = l->insn->k;
	int least = d.min - d.man;
	for (int e = least - 11; e <= d.min + 26; e++) {
		ASK({ 0, false, 1, e });
		ASK({ 1, true, 3, e });
		ASK({ 0, false, 1, e }, { 1, true, 1, e - 1 });
		for (int r = 1; r <= d.man + 17; r += 3)
			ASK({ 0, false, 1, d.min }, { 1, true, 1, d.min }, { 2, false, 1, e },
			    { K, false, 1, d.min - r });
		if (e < least)
			continue;
		ASK({ K, false, 1, e });
		ASK({ K, true, 1, e }, { 0, false, 1, e + 1 });
		ASK({ K, false, 1, d.min }, { 0, true, 1, e });
	}
}

/* Of f64, in whose random dots they are rare: subnormal elements with normal products. */
static void ask_scaled_up(struct list *l) {
	struct mx_probe_dot d = blank();
	d.a[0] = d.b[1] = UINT64_C(1) << 51;
	d.b[0] = d.a[1] = f64_of(false, 1, 1000);
	ask(l, &d, true);
	d.a[0] = 0;
	ask(l, &d, true);
}

/* Subnormal elements, alone and as the largest of a sum. */
static void ask_small(struct list *l) {
	const struct mx_probe_insn *insn = l->insn;
	uint64_t subnormals = (UINT64_C(1) << insn->a->man_bits) - 1, one;
	struct mx_probe_dot d = blank();
	ask_bottom(l);
	encode(insn->b, false, 1, 0, &one);
	for (uint64_t code = 1; code <= subnormals;
	     code = code < subnormals && 2 * code > subnormals ? subnormals : 2 * code) {
		d = blank();
		d.a[0] = code;
		d.b[0] = one;
		ask(l, &d, true);
		for (int r = 1; r <= most_ratio(insn); r++) {
			struct mx_probe_dot e = d;
			e.a[1] = code | sign_of(insn->a);
			e.b[1] = one;
			struct mx_probe_dot with_c = e;
			with_c.c = c_of(insn, r % 2, 1, lowest(insn->a) - r);
			ask(l, &with_c, true);
			ask(l, &e, put(insn, &e, 2, r % 2, 1, lowest(insn->a) - r));
		}
	}
	d.a[0] = d.b[0] = 1;
	ask(l, &d, true);
	if (mx_probe_is_f64(insn))
		ask_scaled_up(l);
}

/* i8: past the ends of i32, and back. */
static void ask_integer_large(struct list *l) {
	for (unsigned i = 0; i < 8; i++) {
		struct mx_probe_dot d = blank();
		bool made = put(l->insn, &d, 0, i & 1, 1, 6) &&
		            put(l->insn, &d, l->insn->k - 1, i & 2, 1, 7);
		d.c = i & 4 ? 0x7FFFFFF0 : 0x80000010;
		ask(l, &d, made);
	}
}

static void ask_large(struct list *l) {
	unsigned K = l->insn->k;
	if (is_integer(l->insn->a)) {
		ask_integer_large(l);
		return;
	}
	struct range d = range_of(l->insn);
	uint64_t ones = (UINT64_C(2) << d.man) - 1; /* times 2^ulp: the largest number */
	int ulp = d.max - d.man;
	for (int e = d.max - 31; e <= d.max + 13; e++)
		for (unsigned v = 0; v < 2; v++) {
			ASK({ 0, v, 1, e });
			ASK({ 0, v, 1, e }, { 1, !v, 1, e });
			ASK({ 0, v, 3, e }, { 1, !v, 1, e }, { K, false, 1, d.max - 27 });
			ASK({ 0, v, 1, e }, { K, !v, 1, d.max });
			ASK({ 0, v, 1, e }, { 1, v, 1, e }, { K, v, ones, ulp });
			ASK({ 0, v, 1, e }, { K, v, ones, ulp });
		}
	ASK({ 0, false, 1, 0 }, { K, false, ones, ulp });
}

/* One dot with this A and B at k, the same with opposite signs beside it, and this C. */
static void ask_codes(struct list *l, uint64_t a, uint64_t b, bool opposite, uint64_t c) {
	struct mx_probe_dot d = blank();
	d.a[0] = a;
	d.b[0] = b;
	if (opposite) {
		d.a[1] = a ^ sign_of(l->insn->a);
		d.b[1] = b;
	}
	d.c = c;
	ask(l, &d, true);
}

static const uint32_t special_c[] = { 0,          0x80000000, F32_ONE,    0x7F800000,
	                              0xFF800000, F32_QUIET,  0xFFC00000, 0x7FC00001,
	                              0x7FFFFFFF, 0x7F800001, 0xFF812345 };

/* An f32 as a C of this instruction. In f64 the fraction of a NaN keeps its place at the top. */
static uint64_t widened(const struct mx_probe_insn *insn, uint32_t f32) {
	struct mx_number x = mx_number_of_f32((mx_f32){ f32 });
	if (!mx_probe_is_f64(insn))
		return f32;
	return x.kind == MX_NUMBER ? f64_of(x.negative, x.sig, x.exp)
	                           : f64_of(x.negative, 1, 1024) | (uint64_t)x.sig << 29;
}

static void ask_special(struct list *l) {
	const struct mx_format_info *a = l->insn->a, *b = l->insn->b;
	uint64_t sign_a = sign_of(a), sign_b = sign_of(b), one_a, one_b;
	encode(a, false, 1, 0, &one_a);
	encode(b, false, 1, 0, &one_b);
	const uint64_t of_a[] = { 0, sign_a, one_a, max_finite(a) + 1, sign_a - 1 };
	const uint64_t of_b[] = { 0, sign_b, one_b, max_finite(b) + 1, sign_b - 1 };
	for (unsigned i = 0; i < 25; i++)
		for (unsigned c = 0; c < sizeof special_c / sizeof *special_c; c++)
			for (unsigned opposite = 0; opposite < 2; opposite++)
				ask_codes(l, of_a[i % 5], of_b[i / 5], opposite,
				          widened(l->insn, special_c[c]));
	for (unsigned k = 0; k < l->insn->k; k++) {
		/* -0 everywhere. */
		struct mx_probe_dot d = blank();
		for (unsigned i = 0; i < l->insn->k; i++) {
			d.a[i] = i == k ? 0 : sign_a;
			d.b[i] = one_b;
		}
		d.c = widened(l->insn, 0x80000000);
		ask(l, &d, true);
		d.a[k] = sign_a;
		ask(l, &d, k == 0);
	}
}

static void ask_scales(struct list *l) {
	static const uint8_t scales[] = { 0xFF, 0xFE, 0, 1 };
	for (unsigned i = 0; i < 64 && l->insn->scaled; i++) {
		struct mx_probe_dot d = blank();
		bool made = put(l->insn, &d, 0, false, 1, 0);
		if (i & 1)
			d.a[0] = 0;
		d.sa[i / 4 % 2] = scales[i / 8 % 4];
		d.sb[0] = i & 2 ? scales[i / 32] : ONE;
		ask(l, &d, made);
	}
}

static void ask_mixed(struct list *l) {
	for (unsigned n = 0; n < MIXED_DOTS; n++) {
		struct mx_probe_dot d = blank();
		mx_probe_random(l->insn, MIXED_SEED, n, &d);
		ask(l, &d, true);
	}
}

static void ask_special_values(struct list *l) {
	ask_special(l);
	ask_scales(l);
}

static void (*const asks[MX_QUESTIONS])(struct list *) = {
	[MX_QUESTION_SUM] = ask_sum,
	[MX_QUESTION_ORDER] = ask_order,
	[MX_QUESTION_GROUP] = ask_group,
	[MX_QUESTION_ALIGN] = ask_align,
	[MX_QUESTION_ACC] = ask_acc,
	[MX_QUESTION_ROUND] = ask_round,
	[MX_QUESTION_SMALL] = ask_small,
	[MX_QUESTION_LARGE] = ask_large,
	[MX_QUESTION_SPECIAL] = ask_special_values,
	[MX_QUESTION_MIXED] = ask_mixed,
};

const char *mx_question_name(unsigned question) {
	static const char *const names[] = {
#define MX_QUESTION(id, text) #id,
#include "questions.def"
#undef MX_QUESTION
	};
	return question < MX_QUESTIONS ? names[question] : "";
}

const char *mx_question_text(unsigned question) {
	static const char *const texts[] = {
#define MX_QUESTION(id, text) text,
#include "questions.def"
#undef MX_QUESTION
	};
	return question < MX_QUESTIONS ? texts[question] : "";
}

struct mx_probe_dot *mx_probe_questions(const struct mx_probe_insn *insn, size_t *n) {
	struct list l = { .insn = insn };
	for (; l.question < MX_QUESTIONS; l.question++)
		if (!is_integer(insn->a) || l.question == MX_QUESTION_SUM ||
		    l.question == MX_QUESTION_LARGE || l.question == MX_QUESTION_MIXED)
			asks[l.question](&l);
	*n = l.n;
	if (l.full)
		free(l.dot);
	return l.full ? NULL : l.dot;
}
