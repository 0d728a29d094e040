/* The explanation of one output element: exact block sums and the results of mx_mma_block_dot. */
#include "explain.h"
#include "../cli/args.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "../../ref/mma/step.h"
#include "../../ref/num/f32.h"

static struct mx_dot_operand from(const struct mx_dot_operand *o, unsigned k) {
	struct mx_dot_operand rest = *o;
	rest.codes += k;
	rest.scales += k / o->block;
	return rest;
}

mx_f32 mx_element_after(const struct mx_element *e, const mx_profile *p, unsigned k) {
	mx_f32 c = e->c;
	for (unsigned at = 0; at < k; at += e->mma_k) {
		struct mx_dot_operand a = from(&e->a, at), b = from(&e->b, at);
		mx_mma_block_dot(p, k - at < e->mma_k ? k - at : e->mma_k, &a, &b, c, &c);
	}
	return c;
}

/* ---- a block: its products and their sum ---- */

struct block {
	__int128 sum; /* of the products, in units of both formats */
	int scale;    /* both scales are scale * 2^scale_exp */
	int scale_exp;
	int exp; /* of sum * scale */
	bool special;
};

static int unit(mx_format f) {
	const struct mx_format_info *t = mx_format_info(f);
	return 1 - t->bias - t->man_bits;
}

/* In units of the format's smallest subnormal; below 2^32 in E5M2, so a block's sum is below 2^69.
 */
static int64_t in_units(mx_format f, struct mx_unpacked u) {
	int64_t magnitude = (int64_t)u.sig << (u.exp - unit(f));
	return u.negative ? -magnitude : magnitude;
}

static void take_scale(struct block *s, const struct mx_dot_operand *o, unsigned i) {
	struct mx_term t = mx_term_of_scale(o->scale_format, o->scales[i]);
	s->special |= t.kind != MX_TERM_NUMBER;
	s->scale *= (int)t.sig * (t.negative ? -1 : 1);
	s->scale_exp += t.exp;
}

static __int128 product_at(const struct mx_element *e, unsigned k) {
	return (__int128)in_units(e->a.format, mx_elem_unpack(e->a.format, e->a.codes[k])) *
	       in_units(e->b.format, mx_elem_unpack(e->b.format, e->b.codes[k]));
}

static struct block block_sum(const struct mx_element *e, unsigned i) {
	struct block s = { .scale = 1 };
	take_scale(&s, &e->a, i);
	take_scale(&s, &e->b, i);
	s.exp = unit(e->a.format) + unit(e->b.format) + s.scale_exp;
	for (unsigned k = i * e->a.block; k < (i + 1) * e->a.block; k++) {
		bool a = mx_elem_unpack(e->a.format, e->a.codes[k]).kind == MX_NUMBER;
		bool b = mx_elem_unpack(e->b.format, e->b.codes[k]).kind == MX_NUMBER;
		s.special |= !a || !b;
		s.sum += a && b ? product_at(e, k) : 0;
	}
	return s;
}

static void print_integer(__int128 n) {
	unsigned __int128 m = n < 0 ? -(unsigned __int128)n : (unsigned __int128)n;
	uint64_t high = (uint64_t)(m / 1000000000000000000u);
	uint64_t low = (uint64_t)(m % 1000000000000000000u);
	fputs(n < 0 ? "-" : "", stdout);
	if (high)
		printf("%llu%018llu", (unsigned long long)high, (unsigned long long)low);
	else
		printf("%llu", (unsigned long long)low);
}

/* n * 2^exp with n odd, and in decimal if a double is exact. */
static void print_exact(__int128 n, int exp) {
	while (n && n % 2 == 0) {
		n /= 2;
		exp++;
	}
	double value = ldexp((double)n, exp);
	print_integer(n);
	if (n)
		printf(" * 2^%d", exp);
	if ((__int128)(double)n == n)
		printf(" = %.17g", value);
}

static float value_of(const struct mx_dot_operand *o, unsigned k) {
	return mx_f32_float(mx_elem_to_f32(o->format, o->codes[k]));
}

static bool same_codes(const struct mx_element *e, unsigned k, unsigned j) {
	return e->a.codes[k].v == e->a.codes[j].v && e->b.codes[k].v == e->b.codes[j].v;
}

/* A product of two elements has at most 8 bits and is exact in double. Returns the number of equal
 * products from k, below end. */
static unsigned print_product(const struct mx_element *e, unsigned k, unsigned end) {
	double a = value_of(&e->a, k), b = value_of(&e->b, k);
	unsigned n = 1;
	while (k + n < end && same_codes(e, k, k + n))
		n++;
	if (a * b == 0)
		return n;
	printf("  k %-6u 0x%02X %-14.9g * 0x%02X %-14.9g = %.17g", k, e->a.codes[k].v, a,
	       e->b.codes[k].v, b, a * b);
	if (n > 1)
		printf(", the same up to k %u: %u times", k + n - 1, n);
	putchar('\n');
	return n;
}

static void print_products(const struct mx_element *e, unsigned i) {
	unsigned first = i * e->a.block, end = first + e->a.block, zeros = 0;
	for (unsigned k = first; k < end; k++)
		zeros += value_of(&e->a, k) * value_of(&e->b, k) == 0;
	for (unsigned k = first; k < end; k += print_product(e, k, end))
		;
	if (zeros)
		printf("  %u product%s 0\n", zeros, zeros > 1 ? "s are" : " is");
}

static bool is_nan_scale(const struct mx_dot_operand *o, unsigned i) {
	return mx_term_of_scale(o->scale_format, o->scales[i]).kind == MX_TERM_NAN;
}

static void print_scale(const struct mx_element *e, unsigned i, const struct block *s) {
	if (is_nan_scale(&e->a, i) || is_nan_scale(&e->b, i))
		fputs("NaN", stdout);
	else if (s->scale == 1)
		printf("2^%d", s->scale_exp);
	else
		print_exact(s->scale, s->scale_exp);
	putchar('\n');
}

static void print_block(const struct mx_element *e, unsigned i, const struct block *s) {
	printf("block %u, k %u..%u, scales 0x%02X and 0x%02X: ", i, i * e->a.block,
	       (i + 1) * e->a.block - 1, e->a.scales[i], e->b.scales[i]);
	print_scale(e, i, s);
	print_products(e, i);
	if (s->special) {
		puts("  sum        not a number or infinite");
		return;
	}
	fputs("  sum        ", stdout);
	print_exact(s->sum, unit(e->a.format) + unit(e->b.format));
	fputs("; scaled ", stdout);
	print_exact(s->sum * s->scale, s->exp);
	putchar('\n');
}

/* ---- a profile's accumulator ---- */

struct track {
	const mx_profile *profile;
	int width;            /* of the names of all profiles */
	mx_f32 acc;           /* by mx_mma_block_dot, as printed last */
	struct mx_wide since; /* all products after that */
	mx_f32 exact;         /* the accumulator of profiles with exact sums */
	struct mx_wide group; /* the products that are not in `exact` yet */
	bool special;         /* a NaN or infinity occurred, which only mx_mma_block_dot handles */
	unsigned diverged;    /* first k with another value than the first profile; 0: none */
};

/* Whether the accumulator is rounded after the first k elements. */
static bool rounds_at(const struct mx_element *e, const mx_profile *p, unsigned k) {
	unsigned in_instruction = k % e->mma_k, group = p->group;
	return k == e->K || !in_instruction || (group && in_instruction % group == 0);
}

static void add_to(struct mx_wide *w, mx_f32 x, int sign) {
	int64_t sig = mx_f32_sig(x);
	mx_wide_add(w, (x.v & MX_F32_SIGN ? -sig : sig) * sign, mx_f32_exp(x));
}

/* The distance of acc + since from the result, in ULP of the result. */
static double off_by(const struct track *t, mx_f32 result) {
	struct mx_wide rest = t->since;
	add_to(&rest, t->acc, 1);
	add_to(&rest, result, -1);
	return ldexp((double)mx_f32_float(mx_wide_round(&rest)), -mx_f32_exp(result));
}

/* Adds the block's products to the sums; the end of a group rounds `exact`. */
static void take_block(const struct mx_element *e, struct track *t, const struct block *s,
                       unsigned first) {
	t->special |= s->special || mx_f32_magnitude(t->acc) >= MX_F32_INF;
	for (unsigned k = first; k < first + e->a.block && !t->special; k++) {
		__int128 product = product_at(e, k) * s->scale;
		mx_wide_add(&t->since, product, s->exp);
		mx_wide_add(&t->group, product, s->exp);
		if (rounds_at(e, t->profile, k + 1)) {
			add_to(&t->group, t->exact, 1);
			t->exact = mx_wide_round(&t->group);
			t->group = (struct mx_wide){ 0 };
			t->special = mx_f32_magnitude(t->exact) >= MX_F32_INF;
		}
	}
}

/* Compares the rounded exact sums with mx_mma_block_dot; only the latter has -0. */
static int check(const struct track *t, mx_f32 result) {
	bool exact_sums = !t->profile->align && mx_profile_is_basic(t->profile);
	if (!exact_sums || t->special || t->exact.v == result.v ||
	    (!t->exact.v && result.v == MX_F32_SIGN))
		return 0;
	printf("  BUG        the exact sums round to 0x%08X, mx_mma_block_dot gives 0x%08X: report "
	       "this\n",
	       t->exact.v, result.v);
	return -1;
}

static int step(const struct mx_element *e, struct track *t, const struct block *s, unsigned k) {
	char before[32], after[32];
	take_block(e, t, s, k - e->a.block);
	if (!rounds_at(e, t->profile, k)) {
		printf("  %-*s is not rounded here\n", t->width, t->profile->name);
		return 0;
	}
	mx_f32 result = mx_element_after(e, t->profile, k);
	printf("  %-*s 0x%08X (%s) -> 0x%08X (%s)", t->width, t->profile->name, t->acc.v,
	       mx_f32_text(t->acc, before), result.v, mx_f32_text(result, after));
	double off = t->special ? 0 : off_by(t, result);
	if (t->special)
		fputs(", special values", stdout);
	else if (off != 0)
		printf(", the exact sum is %+.3g ulp from it", off);
	putchar('\n');
	int status = check(t, result);
	t->acc = result;
	t->since = (struct mx_wide){ 0 };
	return status;
}

/* ---- all profiles ---- */

static void record_divergence(const struct mx_element *e, struct track *t, size_t n, unsigned k) {
	for (size_t i = 1; i < n; i++)
		if (!t[i].diverged && t[i].acc.v != t[0].acc.v && rounds_at(e, t[0].profile, k) &&
		    rounds_at(e, t[i].profile, k))
			t[i].diverged = k;
}

static void print_divergence(const struct mx_element *e, const struct track *t, size_t n) {
	for (size_t i = 1; i < n; i++)
		if (!t[i].diverged)
			printf("%s and %s agree at each k where both round\n", t[0].profile->name,
			       t[i].profile->name);
		else
			printf("%s and %s diverge at k %u: 0x%08X and 0x%08X; at the end they %s\n",
			       t[0].profile->name, t[i].profile->name, t[i].diverged,
			       mx_element_after(e, t[0].profile, t[i].diverged).v,
			       mx_element_after(e, t[i].profile, t[i].diverged).v,
			       t[i].acc.v == t[0].acc.v ? "agree" : "differ");
}

/* At least that of the profiles of profiles.def. */
int mx_profile_name_width(const mx_profile *const *profiles, size_t n) {
	size_t width = 10;
	for (size_t i = 0; i < n; i++)
		width = strlen(profiles[i]->name) > width ? strlen(profiles[i]->name) : width;
	return (int)width;
}

int mx_element_explain(const struct mx_element *e, const mx_profile *const *profiles, size_t n) {
	struct track tracks[MX_ELEMENT_PROFILES] = { 0 };
	int status = 0;
	for (size_t i = 0; i < n; i++)
		tracks[i] = (struct track){ profiles[i], mx_profile_name_width(profiles, n),
			                    .acc = e->c, .exact = e->c };
	for (unsigned i = 0; i < e->K / e->a.block; i++) {
		struct block s = block_sum(e, i);
		print_block(e, i, &s);
		for (size_t j = 0; j < n; j++)
			status |= step(e, &tracks[j], &s, (i + 1) * e->a.block);
		record_divergence(e, tracks, n, (i + 1) * e->a.block);
	}
	print_divergence(e, tracks, n);
	return status;
}
