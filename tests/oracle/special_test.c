/* The contents of the special regime, and the ties of the exact one, counted over shapes, formats,
 * outputs and seeds by the test's own arithmetic in doubles. Kernels with a fault at the ends of
 * the range must give other bits. One seed; with MXCHECK_LONG 20. */
#include "../../oracle/exact/exact.h"
#include "../cases/case_file.h"

#include <math.h>

/* ---- a product ---- */

struct output {
	mx_buffer_type type;
	enum exact_output narrow;
	int digits, low,
		top; /* exponents of the smallest subnormal, and above the largest number */
};
static const struct output outputs[] = {
	{ MX_DT_F32, EXACT_F32, 24, -149, 128 },
	{ MX_DT_BF16, EXACT_BF16, 8, -133, 128 },
	{ MX_DT_F16, EXACT_F16, 11, -24, 16 },
};

static const char *const names[] = { "E4M3", "E5M2", "E2M3", "E3M2", "E2M1" };
static const mx_buffer_type types[] = { MX_DT_E4M3, MX_DT_E5M2, MX_DT_E2M3, MX_DT_E3M2,
	                                MX_DT_E2M1 };
enum { FORMATS = COUNT(types), E4M3 = 0, E5M2 = 1, E2M1 = 4 };

/* Rows of A and of B, and the part of K that they share. */
struct part {
	size_t row[2], rows[2], k, from;
};

struct scene {
	struct mx_case *c;
	struct mx_plan p;
	struct mx_data d;
	const struct output *o;
	unsigned format[2];
	struct exact_gemm g;
	double *value[2]; /* dequantised, g.k to a row */
};

static struct exact_operand operand_of(const struct scene *s, mx_role role, mx_role scale,
                                       unsigned *format) {
	const struct mx_buffer *x = mx_plan_role(&s->p, role), *e = mx_plan_role(&s->p, scale);
	for (unsigned i = 0; i < FORMATS; i++)
		if (types[i] == x->type)
			*format = i;
	return (struct exact_operand){ names[*format], s->d.bytes[x - s->p.buffers],
		                       s->d.bytes[e - s->p.buffers], x->ld, e->ld };
}

static double *dequantised(const struct exact_operand *o, size_t rows, size_t k) {
	double *x = malloc(rows * k * sizeof *x);
	need(x && exact_dequantise(o, rows, k, x) == EXACT_OK, "dequantise");
	return x;
}

static void make(struct scene *s, mx_regime regime, int64_t M, int64_t N, int64_t K,
                 uint64_t seed) {
	struct mx_error err;
	need(!mx_plan_make(s->c, M, N, K, regime, &s->p, &err) &&
	             !mx_data_make(&s->p, seed, &s->d, &err),
	     err.text);
	const struct mx_buffer *a = mx_plan_role(&s->p, MX_ROLE_A),
			       *b = mx_plan_role(&s->p, MX_ROLE_B);
	for (unsigned i = 0; i < COUNT(outputs); i++)
		if (mx_plan_role(&s->p, MX_ROLE_C)->type == outputs[i].type)
			s->o = &outputs[i];
	s->g = (struct exact_gemm){ .m = a->rows, .n = b->rows, .k = a->cols };
	s->g.a = operand_of(s, MX_ROLE_A, MX_ROLE_A_SCALE, &s->format[0]);
	s->g.b = operand_of(s, MX_ROLE_B, MX_ROLE_B_SCALE, &s->format[1]);
	s->value[0] = dequantised(&s->g.a, s->g.m, s->g.k);
	s->value[1] = dequantised(&s->g.b, s->g.n, s->g.k);
}

static struct scene product(unsigned a, unsigned b, const struct output *o, int64_t M, int64_t N,
                            int64_t K, uint64_t seed) {
	struct scene s = { .c = load_good(NULL, "") };
	s.c->buffers[0].type = types[a];
	s.c->buffers[2].type = types[b];
	s.c->buffers[4].type = o->type;
	make(&s, MX_REGIME_SPECIAL, M, N, K, seed);
	return s;
}

static void drop(struct scene *s) {
	free(s->value[0]);
	free(s->value[1]);
	mx_data_free(&s->d);
	mx_case_free(s->c);
}

static struct part whole(const struct scene *s) {
	return (struct part){ .rows = { s->g.m, s->g.n }, .k = s->g.k };
}

/* ---- rounding, in doubles ---- */

enum rounding { RNE, RNA, RTZ };

static double unit_of(const struct output *o, double v) {
	int q = v == 0 || !isfinite(v) ? o->low : ilogb(v) - (o->digits - 1);
	return ldexp(1, q > o->low ? q : o->low);
}

static double largest(const struct output *o) {
	return ldexp(1, o->top) - ldexp(1, o->top - o->digits);
}

static double rounded(const struct output *o, double v, enum rounding r) {
	if (!isfinite(v))
		return v;
	double unit = unit_of(o, v), t = v / unit;
	double x = unit * (r == RNE ? rint(t) : r == RNA ? round(t) : trunc(t));
	if (fabs(x) <= largest(o))
		return copysign(x, v);
	return copysign(r == RTZ ? largest(o) : INFINITY, v);
}

/* ---- elements with few nonzero products ---- */

enum { FEW = 4 };

struct element {
	size_t row, col;
	double sum;       /* exact, because they are few */
	double result;    /* rounded to the output */
	unsigned few;     /* products that are not 0 */
	unsigned seen;    /* SEEN_..., of blocks with such products; SEEN_FF of any */
	double flushed;   /* the sum if a subnormal product of scales is 0 */
	double unscaled;  /* if scale byte 0x00 is 1 */
	double overflown; /* if a product of scales above the f32 range is infinite */
};
enum {
	SEEN_00 = 1,
	SEEN_01 = 2,
	SEEN_FE = 4,
	SEEN_FF = 8,
	SEEN_SUBNORMAL = 16, /* product of scales */
	SEEN_NAN = 32,       /* an element */
	SEEN_INF = 64,
	SEEN_MINUS_INF = 128,
	SEEN_ZERO_INF = 256
};

static unsigned bytes_seen(uint8_t a, uint8_t b) {
	return (a == 0 || b == 0) * SEEN_00 | (a == 1 || b == 1) * SEEN_01 |
	       (a == 0xFE || b == 0xFE) * SEEN_FE | (a + b - 254 < -126) * SEEN_SUBNORMAL;
}

/* For a nonzero product. */
static void add(struct element *e, double x, double y, uint8_t a, uint8_t b) {
	double p = x * y;
	int exp = a + b - 254;
	e->few++;
	e->sum += p;
	e->flushed += exp < -126 ? 0 : p;
	e->unscaled += p * (a ? 1 : 0x1p127) * (b ? 1 : 0x1p127);
	e->overflown += exp > 127 ? copysign(INFINITY, p) : p;
	e->seen |= a == 0xFF || b == 0xFF ? SEEN_FF
	           : isnan(x) || isnan(y) ? SEEN_NAN
	           : isnan(p)             ? SEEN_ZERO_INF
	           : isinf(p)             ? (p > 0 ? SEEN_INF : SEEN_MINUS_INF)
	                                  : bytes_seen(a, b);
}

/* False if it has many products. */
static bool look(const struct scene *s, const struct part *part, size_t row, size_t col,
                 struct element *e) {
	size_t i = part->row[0] + row, j = part->row[1] + col;
	const double *x = s->value[0] + i * s->g.k + part->from,
		     *y = s->value[1] + j * s->g.k + part->from;
	const uint8_t *a = s->g.a.scales + i * s->g.a.ld_scales + part->from / 32,
		      *b = s->g.b.scales + j * s->g.b.ld_scales + part->from / 32;
	*e = (struct element){ .row = row, .col = col };
	for (size_t k = 0; k < part->k; k++)
		if (x[k] * y[k] != 0)
			if (add(e, x[k], y[k], a[k / 32], b[k / 32]),
			    e->few > FEW && !(e->seen & SEEN_FF))
				return false;
	e->result = rounded(s->o, e->sum, RNE);
	return true;
}

/* ---- the lines of results.def, in its order ---- */

static bool is_tie(const struct output *o, double v) {
	double t = fabs(v) / unit_of(o, v);
	return isfinite(v) && t - floor(t) == 0.5;
}

static double past_half(const struct output *o, double v) {
	double t = fabs(v) / unit_of(o, v);
	return isfinite(v) ? t - floor(t) - 0.5 : NAN;
}

enum line {
	SUBNORMAL,
	TIE_UP,
	OVERFLOW,
	MINUS_ZERO,
	TIE_DOWN,
	NAN_SCALE,
	MINUS_SUBNORMAL,
	MINUS_OVERFLOW,
	SUBNORMAL_UP,
	SUBNORMAL_DOWN,
	LARGEST,
	TIE_TO_INFINITY,
	SCALE_00,
	SUM_MINUS_ZERO,
	SCALE_01,
	SCALE_FE,
	SCALE_SUBNORMAL,
	MINUS_TIE_UP,
	MINUS_TIE_DOWN,
	ABOVE_TIE,
	BELOW_TIE,
	LARGEST_SUB,
	TIE_TO_NORMAL,
	SMALLEST,
	MINUS_LARGEST,
	BELOW_INFINITY,
	CANCELLED,
	NAN_CODE,
	INF_CODE,
	MINUS_INF_CODE,
	INF_MINUS_INF,
	ZERO_TIMES_INF,
	LINES
};
static const char *const sentences[] = {
	"a positive subnormal",
	"a tie up",
	"an overflow",
	"-0",
	"a tie down",
	"NaN of a scale",
	"the smallest negative subnormal",
	"a negative overflow",
	"a tie of subnormals, up",
	"a tie of the smallest subnormal and 0",
	"the largest number",
	"a tie of the largest number and Inf",
	"scale 0x00",
	"an f32 sum of -0",
	"scale 0x01",
	"scale 0xFE",
	"a subnormal product of scales",
	"a negative tie up",
	"a negative tie down",
	"a result above a tie",
	"a result below a tie",
	"the largest subnormal",
	"a tie of subnormal and normal",
	"the smallest normal number",
	"the largest negative number",
	"a result between the largest number and Inf",
	"products that cancel",
	"NaN of a code",
	"Inf of a code",
	"-Inf of a code",
	"Inf - Inf",
	"0 Inf",
};

static bool holds(enum line line, const struct output *o, const struct element *e) {
	double v = e->sum, r = e->result, normal = ldexp(1, o->low + o->digits - 1);
	double half = past_half(o, v), tiny = ldexp(1, o->low), middle = largest(o) * (1 - 0x1p-40);
	bool tie = is_tie(o, v), up = fabs(r) > fabs(v), number = isfinite(v) && isfinite(r);
	bool ordinary = number && fabs(v) > normal && fabs(v) < middle;
	switch (line) {
	case SUBNORMAL: return v == r && r > 0 && r < normal;
	case TIE_UP: return tie && ordinary && up && v > 0;
	case OVERFLOW: return isfinite(v) && r == INFINITY;
	case MINUS_ZERO: return v < 0 && r == 0;
	case TIE_DOWN: return tie && ordinary && !up && v > 0;
	case NAN_SCALE: return e->seen & SEEN_FF && isnan(v);
	case MINUS_SUBNORMAL: return v == r && v == -tiny;
	case MINUS_OVERFLOW: return isfinite(v) && r == -INFINITY;
	case SUBNORMAL_UP: return tie && fabs(v) < normal - tiny && up;
	case SUBNORMAL_DOWN: return tie && fabs(v) == tiny / 2;
	case LARGEST: return v == largest(o);
	case TIE_TO_INFINITY: return tie && v > largest(o);
	case SCALE_00: return e->seen & SEEN_00;
	case SUM_MINUS_ZERO: return signbit(v) && (float)v == 0;
	case SCALE_01: return e->seen & SEEN_01;
	case SCALE_FE: return e->seen & SEEN_FE;
	case SCALE_SUBNORMAL: return e->seen & SEEN_SUBNORMAL && fabs(v) >= 0x1p-126;
	case MINUS_TIE_UP: return tie && ordinary && up && v < 0;
	case MINUS_TIE_DOWN: return tie && ordinary && !up && v < 0;
	case ABOVE_TIE: return ordinary && half > 0 && half < 0.5;
	case BELOW_TIE: return ordinary && half < 0 && half > -0.5;
	case LARGEST_SUB: return v == normal - tiny;
	case TIE_TO_NORMAL: return v == normal - tiny / 2;
	case SMALLEST: return v == normal;
	case MINUS_LARGEST: return v == -largest(o);
	case BELOW_INFINITY: return v > largest(o) && r == largest(o);
	case CANCELLED: return v == 0 && e->few;
	case NAN_CODE: return e->seen & SEEN_NAN;
	case INF_CODE: return v == INFINITY && e->seen & SEEN_INF;
	case MINUS_INF_CODE: return v == -INFINITY && e->seen & SEEN_MINUS_INF;
	case INF_MINUS_INF: return e->seen & SEEN_INF && e->seen & SEEN_MINUS_INF;
	case ZERO_TIMES_INF: return e->seen & SEEN_ZERO_INF;
	default: return false;
	}
}

/* Whether it needs two blocks, because its terms are too far apart for one scale. */
static bool is_wide(enum line l) {
	static const enum line narrow[] = { SUBNORMAL,       MINUS_ZERO,     NAN_SCALE,
		                            MINUS_SUBNORMAL, SUBNORMAL_UP,   SUBNORMAL_DOWN,
		                            SCALE_00,        SUM_MINUS_ZERO, SCALE_01,
		                            SCALE_SUBNORMAL, CANCELLED };
	for (size_t i = 0; i < COUNT(narrow); i++)
		if (narrow[i] == l)
			return false;
	return l < NAN_CODE;
}

static size_t least_k(enum line l, const struct output *o) {
	return is_wide(l) ? 64 : l == SUM_MINUS_ZERO && o->narrow != EXACT_F32 ? 96 : 32;
}

static bool applies(enum line l, const struct output *o, unsigned format, size_t k) {
	return k >= least_k(l, o) &&
	       (l < NAN_CODE || format == E5M2 || (l == NAN_CODE && format == E4M3));
}

/* The profile's f32 results of a part. */
static uint32_t *results(const struct scene *s, const struct part *p, const char *profile) {
	uint32_t *acc = malloc((p->rows[0] * p->rows[1] + 1) * sizeof *acc);
	struct exact_gemm g = s->g;
	size_t bytes[2];
	for (unsigned i = 0; i < 2; i++)
		bytes[i] = s->format[i] == E2M1 ? 16 : s->format[i] > E5M2 ? 24 : 32;
	g.m = p->rows[0];
	g.n = p->rows[1];
	g.k = p->k;
	g.a.codes += p->row[0] * g.a.ld + p->from / 32 * bytes[0];
	g.b.codes += p->row[1] * g.b.ld + p->from / 32 * bytes[1];
	g.a.scales += p->row[0] * g.a.ld_scales + p->from / 32;
	g.b.scales += p->row[1] * g.b.ld_scales + p->from / 32;
	need(acc && exact_profile(&g, profile, 128, acc) == EXACT_OK, profile);
	return acc;
}

static bool same(double x, double y) {
	return isnan(x) ? isnan(y) : x == y && !signbit(x) == !signbit(y);
}

static double narrowed(const struct output *o, uint32_t acc) {
	static const char *const formats[] = { "FP32", "BF16", "FP16" };
	uint32_t code = exact_narrow(acc, o->narrow), wide = code;
	float f;
	if (o->narrow != EXACT_F32)
		exact_decode(formats[o->narrow], code, &wide);
	memcpy(&f, &wide, sizeof f);
	return (double)f;
}

/* Counts only elements with a result, by the profile, that is the rounded sum: if two targets share
 * an element, a partial sum may overflow. */
static bool look_at(const struct scene *s, const struct part *part, const uint32_t *acc, size_t at,
                    struct element *e) {
	size_t n = part->rows[1];
	return look(s, part, at / n, at % n, e) && same(narrowed(s->o, acc[at]), e->result);
}

struct census {
	unsigned count[LINES];
};

static struct census count_all(const struct scene *s, const struct part *part,
                               const char *profile) {
	uint32_t *acc = results(s, part, profile);
	struct census c = { 0 };
	struct element e;
	for (size_t i = 0; i < part->rows[0] * part->rows[1]; i++)
		if (look_at(s, part, acc, i, &e))
			for (enum line l = 0; l < LINES; l++)
				c.count[l] += holds(l, s->o, &e);
	free(acc);
	return c;
}

/* Lines that rounding or addition removes: the zeros that pad a last instruction are positive;
 * profiles that truncate at 24 bits, or round each product, lose the last bit of some f32 results.
 */
static bool may_lack(enum line l, const struct scene *s, const struct part *part,
                     const char *profile) {
	bool cuts = !strcmp(profile, "fma32") || !strcmp(profile, "cdna3");
	if (l == MINUS_ZERO || l == SUM_MINUS_ZERO)
		return part->k % 128;
	return cuts && s->o->narrow == EXACT_F32 &&
	       (l == ABOVE_TIE || l == BELOW_TIE || l == TIE_TO_NORMAL || l == BELOW_INFINITY);
}

/* The first missing line that must occur, or LINES. B's targets take the first lines. */
static enum line first_missing(const struct scene *s, const struct part *part,
                               const char *profile) {
	struct census c = count_all(s, part, profile);
	enum line next = 0;
	for (unsigned side = 2; side-- > 0;) {
		size_t room = part->rows[side] / 2, all = 0;
		for (enum line l = 0; l < LINES; l++)
			all += applies(l, s->o, s->format[side], part->k);
		for (size_t i = 0; i < room && i < all; next = (next + 1) % LINES) {
			if (!applies(next, s->o, s->format[side], part->k))
				continue;
			if (!c.count[next] && !may_lack(next, s, part, profile))
				return next;
			i++;
		}
	}
	return LINES;
}

static unsigned seeds(void) {
	return is_long() ? 20 : 1;
}

static void every_line_is_there(struct scene *s, const struct part *part, const char *what,
                                uint64_t seed) {
	enum line l = first_missing(s, part, "block32");
	if (!ok(l == LINES, "%s, %s x %s: %zu x %zu x %zu has all its lines", what,
	        names[s->format[0]], names[s->format[1]], part->rows[0], part->rows[1], part->k))
		diag("seed %d: first missing: %s", (int)seed, sentences[l]);
}

static const char *output_name(const struct output *o) {
	return o->narrow == EXACT_F32 ? "f32" : o->narrow == EXACT_BF16 ? "bf16" : "f16";
}

static void shapes_contain_their_lines(void) {
	static const int64_t shapes[][3] = { { 1, 16, 128 }, { 16, 1, 128 },   { 2, 2, 64 },
		                             { 5, 3, 96 },   { 1, 16, 32 },    { 17, 30, 288 },
		                             { 33, 18, 32 }, { 13, 31, 1120 }, { 1, 1, 128 },
		                             { 64, 2, 256 }, { 130, 40, 224 } };
	for (unsigned seed = 0; seed < seeds(); seed++)
		for (size_t i = 0; i < COUNT(shapes); i++)
			for (size_t o = 0; o < COUNT(outputs); o++) {
				unsigned f = (unsigned)(i + seed) % FORMATS,
					 g = (unsigned)(f + o) % FORMATS;
				struct scene s = product(f, g, &outputs[o], shapes[i][0],
				                         shapes[i][1], shapes[i][2], seed);
				struct part part = whole(&s);
				every_line_is_there(&s, &part, output_name(&outputs[o]), seed);
				drop(&s);
			}
}

/* ---- faults ---- */

/* The result of a faulty kernel for an element with a given exact sum and right result. */
struct fault {
	const char *what;
	double (*result)(const struct output *o, const struct element *e);
	bool not_f16; /* such scales give no numbers in f16 */
};

static double flush_output(const struct output *o, const struct element *e) {
	double normal = ldexp(1, o->low + o->digits - 1);
	return fabs(e->result) < normal ? copysign(0, e->result) : e->result;
}

static double truncate_output(const struct output *o, const struct element *e) {
	return rounded(o, e->sum, RTZ);
}

static double ties_away(const struct output *o, const struct element *e) {
	return rounded(o, e->sum, RNA);
}

static double clamp(const struct output *o, const struct element *e) {
	return isinf(e->result) ? copysign(largest(o), e->result) : e->result;
}

static double infinite(const struct output *o, const struct element *e) {
	return fabs(e->result) == largest(o) ? copysign(INFINITY, e->result) : e->result;
}

static double lose_sign(const struct output *o, const struct element *e) {
	(void)o;
	return e->result == 0 ? 0 : e->result;
}

/* A comparison with 0 before the sum is rounded to the output. */
static double lose_sign_of_sum(const struct output *o, const struct element *e) {
	(void)o;
	return (float)e->sum == 0 ? 0 : e->result;
}

static double lose_nan(const struct output *o, const struct element *e) {
	(void)o;
	return isnan(e->result) ? 0 : e->result;
}

static double flush_scales(const struct output *o, const struct element *e) {
	return rounded(o, e->flushed, RNE);
}

static double overflow_scales(const struct output *o, const struct element *e) {
	return rounded(o, e->overflown, RNE);
}

static double scale_is_one(const struct output *o, const struct element *e) {
	return rounded(o, e->unscaled, RNE);
}

static const struct fault faults[] = {
	{ "subnormal outputs flushed", flush_output, false },
	{ "outputs cut off", truncate_output, false },
	{ "ties away from zero", ties_away, false },
	{ "Inf clamped to the largest number", clamp, false },
	{ "the largest number becomes Inf", infinite, false },
	{ "the sign of zero lost", lose_sign, false },
	{ "the sign of an f32 sum of zero lost", lose_sign_of_sum, false },
	{ "NaN lost", lose_nan, false },
	{ "subnormal products of scales flushed", flush_scales, true },
	{ "products of scales overflow", overflow_scales, true },
	{ "scale byte 0x00 taken for 1", scale_is_one, false },
};

struct score {
	unsigned caught[COUNT(faults)];
};

static struct score score(const struct scene *s, const struct part *part) {
	uint32_t *acc = results(s, part, "block32");
	struct score c = { 0 };
	struct element e;
	for (size_t i = 0; i < part->rows[0] * part->rows[1]; i++)
		if (look_at(s, part, acc, i, &e))
			for (size_t f = 0; f < COUNT(faults); f++)
				c.caught[f] += !same(faults[f].result(s->o, &e), e.result);
	free(acc);
	return c;
}

static void every_fault_shows(unsigned a, unsigned b, const struct output *o, int64_t K,
                              uint64_t seed) {
	struct scene s = product(a, b, o, 64, 64, K, seed);
	struct part part = whole(&s);
	struct score c = score(&s, &part);
	size_t missed = 0;
	every_line_is_there(&s, &part, output_name(o), seed);
	while (missed < COUNT(faults) &&
	       (c.caught[missed] || (faults[missed].not_f16 && o->narrow == EXACT_F16)))
		missed++;
	if (!ok(missed == COUNT(faults), "%s, %s x %s, K %d, seed %d: each fault gives other bits",
	        output_name(o), names[a], names[b], (int)K, (int)seed))
		diag("not seen: %s", faults[missed].what);
	drop(&s);
}

static void faults_show_at_every_k(void) {
	for (unsigned seed = 0; seed < seeds(); seed++)
		for (int64_t K = 128; K <= 8192; K *= 2)
			for (size_t o = 0; o < COUNT(outputs); o++) {
				unsigned pair = (unsigned)(seed * 7 + K / 128 + o) % 25;
				every_fault_shows(pair / 5, pair % 5, &outputs[o], K, seed);
			}
}

static void every_pair_of_formats(void) {
	for (unsigned pair = 0; pair < 25; pair++)
		every_fault_shows(pair / 5, pair % 5, &outputs[pair % 3], 128, 100 + pair);
}

static void every_profile_has_them(void) {
	static const char *const profiles[] = { "block32", "fused", "fma32", "cdna3" };
	for (size_t o = 0; o < COUNT(outputs); o++)
		for (size_t i = 0; i < COUNT(profiles); i++) {
			struct scene s = product(E4M3, E2M1, &outputs[o], 64, 64, 256, 5);
			struct part part = whole(&s);
			enum line l = first_missing(&s, &part, profiles[i]);
			if (!ok(l == LINES, "%s: profile %s has every line",
			        output_name(&outputs[o]), profiles[i]))
				diag("first missing: %s", sentences[l]);
			drop(&s);
		}
}

/* ---- groups, splits of K ---- */

static struct scene case_of(const char *file, int64_t M, int64_t N, int64_t K, uint64_t seed) {
	struct scene s = { 0 };
	struct mx_error err;
	need(!mx_case_load(file, &s.c, &err), err.text);
	make(&s, MX_REGIME_SPECIAL, M, N, K, seed);
	return s;
}

static void every_group_has_them(const char *file, int64_t M, int64_t N, int64_t K) {
	for (unsigned seed = 0; seed < seeds(); seed++) {
		struct scene s = case_of(file, M, N, K, seed);
		const struct mx_groups *g = &s.p.groups;
		bool cols = s.c->groups->of == MX_GROUPS_COLS;
		for (size_t i = 0; i < g->n; i++) {
			struct part part = whole(&s);
			if (cols) {
				part.from = g->begin[i];
				part.k = g->rows[i];
			} else {
				part.row[0] = g->begin[i];
				part.rows[0] = g->rows[i];
				part.row[1] = i * (size_t)N;
				part.rows[1] = (size_t)N;
			}
			if (part.k >= 32 && part.rows[0])
				every_line_is_there(&s, &part, s.c->name, seed);
		}
		drop(&s);
	}
}

/* The products of a target are in one split, so that the other splits add 0. */
static void splits_keep_targets_whole(int64_t M, int64_t N, int64_t K) {
	for (unsigned seed = 0; seed < seeds(); seed++) {
		struct scene s = case_of("cases/gemm/mxfp4_splitk4.yaml", M, N, K, seed);
		struct part part = whole(&s);
		struct element e;
		size_t step = (size_t)s.p.k_split, torn = 0, seen = 0;
		every_line_is_there(&s, &part, s.c->name, seed);
		for (size_t i = 0; i < s.g.m * s.g.n; i++) {
			if (!look(&s, &part, i / s.g.n, i % s.g.n, &e) || !e.few || isnan(e.sum))
				continue;
			unsigned splits = 0;
			for (size_t from = 0; from < s.g.k; from += step) {
				struct part one = part;
				one.from = from;
				one.k = s.g.k - from < step ? s.g.k - from : step;
				splits += look(&s, &one, e.row, e.col, &e) && e.few;
			}
			torn += splits > 1;
			seen++;
		}
		ok(seen && !torn, "%d x %d x %d in splits of %zu: a planted sum is in one of them",
		   (int)M, (int)N, (int)K, step);
		drop(&s);
	}
}

/* ---- epilogues ---- */

static double bias_of(const struct scene *s, size_t col) {
	const struct mx_buffer *b = &s->p.buffers[s->p.epilogue.bias];
	float f;
	memcpy(&f, s->d.bytes[s->p.epilogue.bias] + mx_buffer_at(b, 0, col), sizeof f);
	return (double)f;
}

static double c_of(const struct scene *s, size_t row, size_t col) {
	const struct mx_buffer *b = &s->p.buffers[s->p.epilogue.c];
	uint32_t code = 0;
	float f;
	memcpy(&code, s->d.bytes[s->p.epilogue.c] + mx_buffer_at(b, row, col), 2);
	code <<= 16; /* bf16 */
	memcpy(&f, &code, sizeof f);
	return (double)f;
}

/* Lines that hold of D, the output, which is bf16: alpha acc + beta C + bias, in doubles. */
static struct census census_of_d(const struct scene *s, size_t *with_zeros) {
	struct part part = whole(s);
	struct census c = { 0 };
	struct element e;
	*with_zeros = 0;
	for (size_t i = 0; i < s->g.m * s->g.n; i++) {
		if (!look(s, &part, i / s->g.n, i % s->g.n, &e))
			continue;
		double beta_c = (double)s->p.epilogue.beta * c_of(s, e.row, e.col),
		       bias = bias_of(s, e.col);
		if (beta_c != 0)
			continue;
		*with_zeros += bias == 0 && signbit(bias) && signbit(beta_c);
		e.sum = (double)s->p.epilogue.alpha * (double)(float)e.sum + beta_c + bias;
		e.result = rounded(s->o, e.sum, RNE);
		for (enum line l = 0; l < LINES; l++)
			c.count[l] += holds(l, s->o, &e);
		c.count[OVERFLOW] += e.sum == INFINITY;
		c.count[MINUS_OVERFLOW] += e.sum == -INFINITY;
	}
	return c;
}

static void epilogues_leave_the_lines_in_d(void) {
	for (unsigned seed = 0; seed < seeds(); seed++) {
		struct scene s = case_of("cases/gemm/mxfp8_epilogue.yaml", 64, 64, 256, seed);
		size_t zeros;
		struct census c = census_of_d(&s, &zeros);
		enum line l = 0;
		while (l < LINES && (c.count[l] || !applies(l, s.o, E4M3, 256)))
			l++;
		if (!ok(l == LINES, "D of an epilogue with a bias in f32 has every line"))
			diag("seed %d: first missing: %s", (int)seed, sentences[l]);
		ok(zeros > 30, "... and C and bias do not change %zu accumulators", zeros);
		drop(&s);
	}
}

/* Both signs of 0, the smallest and largest subnormal and normal number, infinity and NaN. */
static void added_terms_have_the_ends_of_their_type(void) {
	static const uint32_t f32[] = {
		0, 1, 0x7fffff, 0x800000, 0x7f7fffff, 0x7f800000, 0x7fc00000
	};
	static const uint32_t bf16[] = { 0, 1, 0x7f, 0x80, 0x7f7f, 0x7f80, 0x7fc0 };
	for (unsigned seed = 0; seed < seeds(); seed++) {
		struct scene s = case_of("cases/gemm/mxfp8_epilogue.yaml", 40, 80, 96, seed);
		unsigned lacking = 0;
		for (unsigned which = 0; which < 2; which++)
			for (unsigned i = 0; i < 2 * COUNT(f32); i++) {
				unsigned at =
					(unsigned)(which ? s.p.epilogue.bias : s.p.epilogue.c);
				const struct mx_buffer *b = &s.p.buffers[at];
				uint32_t want = which ? f32[i / 2] : bf16[i / 2], got;
				bool found = false;
				want |= i % 2 ? which ? 0x80000000u : 0x8000 : 0;
				for (size_t k = 0; k < b->rows * b->cols; k++) {
					got = 0;
					memcpy(&got,
					       s.d.bytes[at] +
					               mx_buffer_at(b, k / b->cols, k % b->cols),
					       which ? 4 : 2);
					found |= got == want;
				}
				lacking += !found;
			}
		ok(!lacking, "C and the bias have the ends of their types (%u missing)", lacking);
		drop(&s);
	}
}

/* ---- the exact regime: ties of 16-bit outputs ---- */

/* The right result is the same for every profile, so another rounding is visible. */
static void exact_data_have_ties(unsigned a, unsigned b, const struct output *o, int64_t M,
                                 int64_t N, int64_t K, uint64_t seed) {
	struct scene s = { .c = load_good(NULL, "") };
	s.c->buffers[0].type = types[a];
	s.c->buffers[2].type = types[b];
	s.c->buffers[4].type = o->type;
	make(&s, MX_REGIME_EXACT, M, N, K, seed);
	uint32_t *acc = malloc((size_t)(M * N) * sizeof *acc);
	bool holds = false;
	need(acc && exact_product(&s.g, acc) == EXACT_OK, "product");
	need(exact_regime(&s.g, &holds, NULL, 0) == EXACT_OK, "regime");
	size_t up[2] = { 0 }, down[2] = { 0 };
	for (size_t i = 0; i < (size_t)(M * N); i++) {
		float f;
		memcpy(&f, &acc[i], sizeof f);
		double r = rounded(o, (double)f, RNE);
		if (!is_tie(o, (double)f) || !isfinite(r))
			continue;
		(fabs(r) > fabs((double)f) ? up : down)[f < 0]++;
	}
	ok(holds && up[0] && up[1] && down[0] && down[1],
	   "exact %s, %s x %s, %d x %d x %d: ties of both signs, up and down", output_name(o),
	   names[a], names[b], (int)M, (int)N, (int)K);
	free(acc);
	drop(&s);
}

static void exact_ties(void) {
	for (unsigned seed = 0; seed < seeds(); seed++)
		for (int64_t K = 32; K <= 8192; K *= 4)
			for (unsigned o = 1; o < 3; o++) {
				unsigned pair = (unsigned)(seed * 11 + K / 32 + o * 5) % 25;
				/* 4608 units at most in a block: too few for a tie of f16 */
				bool has = K > 32 || o == 1 || pair != 24;
				if (has)
					exact_data_have_ties(pair / 5, pair % 5, &outputs[o], 8, 8,
					                     K, seed);
			}
	exact_data_have_ties(E2M1, E2M1, &outputs[1], 1, 8, 128, 1);
	exact_data_have_ties(E2M1, E2M1, &outputs[1], 8, 1, 128, 1);
	exact_data_have_ties(E4M3, E4M3, &outputs[2], 4, 4, 16384, 1);
}

/* ---- inputs ---- */

static bool has_ends(const struct scene *s, unsigned side, size_t row, size_t block) {
	static const double smallest[] = { 0x1p-9, 0x1p-16, 0.125, 0.0625, 0.5 };
	static const double most[] = { 448, 57344, 7.5, 28, 6 };
	const struct exact_operand *o = side ? &s->g.b : &s->g.a;
	const double *x = s->value[side] + row * s->g.k + block * 32;
	double unit = ldexp(1, o->scales[row * o->ld_scales + block] - 127);
	unsigned seen = 0;
	for (size_t i = 0; i < 32; i++)
		for (unsigned end = 0; end < 3; end++) {
			double want = end == 2 ? most[s->format[side]] * unit
			                       : end * smallest[s->format[side]] * unit;
			if (fabs(x[i]) == want)
				seen |= 1u << (2 * end + (signbit(x[i]) != 0));
		}
	return seen == 63;
}

/* All rows except the two that underflow to -0, which need certain signs. */
static void every_row_has_the_ends_of_its_format(void) {
	for (unsigned f = 0; f < FORMATS; f++) {
		struct scene s = product(f, f, &outputs[f % 3], 40, 70, 192, f);
		for (unsigned side = 0; side < 2; side++) {
			const struct exact_operand *o = side ? &s.g.b : &s.g.a;
			size_t rows = side ? s.g.n : s.g.m, lacking = 0;
			unsigned bytes = 0;
			for (size_t r = 0; r < rows; r++) {
				bool all = true;
				for (size_t b = 0; b < s.g.k / 32; b++) {
					uint8_t scale = o->scales[r * o->ld_scales + b];
					all &= scale == 0xFF || has_ends(&s, side, r, b);
					bytes |= scale == 0      ? 1
					         : scale == 1    ? 2
					         : scale == 0xFE ? 4
					         : scale == 0xFF ? 8
					                         : 0;
				}
				lacking += !all;
			}
			ok(lacking <= 2,
			   "%s: blocks have zeros, smallest and largest numbers of both signs (%zu "
			   "rows not)",
			   names[f], lacking);
			ok(bytes == 15, "... and scale bytes 0x00, 0x01, 0xFE and 0xFF occur");
		}
		drop(&s);
	}
}

int main(void) {
	make_folder();
	shapes_contain_their_lines();
	faults_show_at_every_k();
	every_pair_of_formats();
	every_profile_has_them();
	every_group_has_them("cases/foreign/mxfp8_grouped.yaml", 163, 16, 128);
	every_group_has_them("cases/foreign/mxfp8_grouped.yaml", 289, 70, 160);
	every_group_has_them("cases/foreign/mxfp8_wgrad.yaml", 291, 32, 48);
	splits_keep_targets_whole(32, 32, 512);
	splits_keep_targets_whole(33, 18, 1312);
	exact_ties();
	epilogues_leave_the_lines_in_d();
	added_terms_have_the_ends_of_their_type();
	every_row_has_the_ends_of_its_format();
	remove_folder();
	return done_testing();
}
