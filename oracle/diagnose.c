/* What all wrong elements have in common: hypotheses, each tested by computing its result.
 *
 * Some wrong elements, spread over all, are looked at; a hypothesis holds if it makes every one
 * of them what it is. A hypothesis that is wrong gives a code of b bits by chance with
 * probability near 2^-b, and a few thousand are tried: elements enough for 2^-40 must agree. */
#include "epilogue_twist.h"
#include "product.h"
#include "twist.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { LOOK_AT = 12, MAX_TWISTS_OF_A_KIND = 1 << 14 };

struct sample {
	const struct mx_bench *b;
	const struct mx_output *o;
	mx_explains *explains;
	size_t n, at[LOOK_AT];
	uint32_t acc[LOOK_AT];   /* what the accumulator should have been, f32 */
	uint32_t right[LOOK_AT]; /* the same behind the epilogue, f32 */
	bool has_right;
};

static void choose(struct sample *s) {
	const struct mx_output *o = s->o;
	size_t seen = 0, every = o->wrong > LOOK_AT ? o->wrong / LOOK_AT : 1;
	for (size_t i = 0; i < o->g.m * o->g.n && s->n < LOOK_AT; i++)
		if (o->differs[i] && seen++ % every == 0)
			s->at[s->n++] = i;
}

/* Exponents and zeros repeat among results, so that a code counts for fewer bits than it has. */
static bool is_enough(const struct sample *s) {
	return s->n * (mx_code_digits(s->o->format) == 8 ? 20 : 8) >= 40;
}

static uint32_t got(const struct sample *s, size_t i) {
	return s->o->got[s->at[i]];
}

static uint32_t want(const struct sample *s, size_t i) {
	return s->o->want[s->at[i]];
}

/* ---- what needs no operands ---- */

static bool all_same_code(const struct sample *s, uint32_t code) {
	for (size_t i = 0; i < s->n; i++)
		if (got(s, i) != code)
			return false;
	return true;
}

static bool all_unwritten(const struct sample *s) {
	for (size_t i = 0; i < s->n; i++)
		if (!s->o->unwritten[s->at[i]])
			return false;
	return true;
}

static bool all_nan(const struct sample *s) {
	for (size_t i = 0; i < s->n; i++)
		if (!isnan(mx_code_value(s->o->format, got(s, i))))
			return false;
	return true;
}

static uint32_t sign_of(const struct sample *s) {
	return mx_code_digits(s->o->format) == 8 ? 0x80000000u : 0x8000;
}

static bool zero_sign(const struct sample *s) {
	for (size_t i = 0; i < s->n; i++)
		if ((got(s, i) | want(s, i)) & ~sign_of(s))
			return false;
	return true;
}

static bool other_sign(const struct sample *s) {
	for (size_t i = 0; i < s->n; i++)
		if ((got(s, i) ^ want(s, i)) != sign_of(s))
			return false;
	return true;
}

/* got = want * 2^n with one n that is not 0; a zero, Inf or NaN tells nothing. */
static bool power_of_two(const struct sample *s, int *n) {
	for (size_t i = 0; i < s->n; i++) {
		double x = mx_code_value(s->o->format, got(s, i)),
		       y = mx_code_value(s->o->format, want(s, i));
		int e;
		if (!isfinite(x) || !isfinite(y) || x == 0 || y == 0 || frexp(x / y, &e) != 0.5 ||
		    (i && e - 1 != *n))
			return false;
		*n = e - 1;
	}
	return *n != 0;
}

/* What the buffer held before the launch. */
static bool stale(const struct sample *s) {
	const struct mx_buffer *c = mx_plan_role(&s->b->plan, MX_ROLE_C);
	const uint8_t *data = s->b->buffer[c - s->b->plan.buffers].before + c->guard;
	for (size_t i = 0; i < s->n; i++) {
		size_t row = s->o->row + s->at[i] / s->o->g.n,
		       col = s->o->col + s->at[i] % s->o->g.n;
		uint32_t v = 0;
		memcpy(&v, data + mx_buffer_at(c, row, col), c->type == MX_DT_F32 ? 4 : 2);
		if (v != got(s, i))
			return false;
	}
	return true;
}

/* ---- another conversion of the right result ---- */

static uint32_t converted(const char *format, enum exact_rounding r, uint32_t f32) {
	uint32_t code = 0;
	exact_encode(format, f32, 0, r, EXACT_OVERFLOW, 0, &code);
	return code;
}

static bool all_converted(const struct sample *s, const char *format, enum exact_rounding r) {
	for (size_t i = 0; i < s->n; i++)
		if (converted(format, r, s->right[i]) != got(s, i))
			return false;
	return s->has_right;
}

/* By the profile where the case has one; a bound has no accumulator to convert. */
static void find_right(struct sample *s) {
	const struct mx_verdict_spec *v = &s->b->plan.c->verdict;
	s->has_right = v->profile && v->mma_k;
	for (size_t i = 0; s->has_right && i < s->n; i++) {
		struct mx_output one;
		size_t at = s->at[i];
		s->has_right = !mx_output_part(s->o, at / s->o->g.n, at % s->o->g.n, 1, 1, &one) &&
		               exact_profile(&one.g, v->profile, v->mma_k, &s->acc[i]) == EXACT_OK;
		one.epilogue.output = EXACT_F32;
		one.format = "FP32";
		s->right[i] = mx_output_code(&one, 0, s->acc[i]);
		mx_output_free(&one);
	}
}

/* ---- another epilogue ---- */

static bool all_twisted(const struct sample *s, const struct mx_epilogue_twist *t,
                        unsigned parameter) {
	const struct mx_output *o = s->o;
	for (size_t i = 0; i < s->n; i++) {
		struct mx_epilogue_element x = {
			&o->epilogue, s->at[i] / o->g.n, s->at[i] % o->g.n, o->g.m,
			o->g.n,       s->acc[i]
		};
		uint32_t code;
		if (!t->apply(&x, parameter, &code) || !mx_code_same(o->format, got(s, i), code))
			return false;
	}
	return true;
}

static bool try_epilogues(const struct sample *s, char *text, size_t room) {
	if (!s->has_right || !s->o->has_epilogue)
		return false;
	for (size_t i = 0; i < mx_n_epilogue_twists; i++) {
		const struct mx_epilogue_twist *t = &mx_epilogue_twists[i];
		for (unsigned p = 0; t->names ? t->names[p] != NULL : p == 0; p++)
			if (all_twisted(s, t, p)) {
				snprintf(text, room, t->text, t->names ? t->names[p] : "");
				return true;
			}
	}
	return false;
}

/* ---- changed operands ---- */

static bool holds(const struct sample *s, struct mx_element_product *e, const struct mx_twist *t,
                  unsigned side, long parameter) {
	size_t applied = 0;
	for (size_t i = 0; i < s->n; i++) {
		mx_element_at(e, s->at[i] / s->o->g.n, s->at[i] % s->o->g.n);
		if (!t->apply(e, side, parameter) ||
		    !s->explains(s->b, s->o, s->at[i], &e->one, got(s, i)))
			return false;
		applied++;
	}
	return applied > 0;
}

static bool try_one(const struct sample *s, struct mx_element_product *e, const struct mx_twist *t,
                    long parameter, char *text, size_t room) {
	for (unsigned side = 0; side < (t->both ? 1u : 2u); side++)
		if (holds(s, e, t, side, parameter)) {
			if (t->both)
				snprintf(text, room, t->text, parameter);
			else
				snprintf(text, room, t->text, side ? "B" : "A", parameter);
			return true;
		}
	return false;
}

static bool try_twist(const struct sample *s, struct mx_element_product *e,
                      const struct mx_twist *t, char *text, size_t room) {
	switch (t->range) {
	case MX_TWIST_ONCE: return try_one(s, e, t, 0, text, room);
	case MX_TWIST_BLOCKS:
		for (size_t i = 0; i < e->blocks && i < MAX_TWISTS_OF_A_KIND; i++)
			if (try_one(s, e, t, (long)i, text, room))
				return true;
		return false;
	case MX_TWIST_NEIGHBOUR:
		for (long by = 1; by <= 128; by *= 2)
			if (try_one(s, e, t, by, text, room) || try_one(s, e, t, -by, text, room))
				return true;
	}
	return false;
}

static void try_twists(const struct sample *s, char *text, size_t room) {
	struct mx_element_product e;
	bool found = mx_element_make(&s->o->g, &e) != 0;
	for (size_t i = 0; !found && i < mx_n_twists; i++)
		found = try_twist(s, &e, &mx_twists[i], text, room);
	mx_element_free(&e);
}

/* ---- all ---- */

static const char *of_memory(const struct sample *s) {
	if (all_unwritten(s))
		return "elements that were not written";
	return stale(s) ? "elements that hold what was there before the launch" : NULL;
}

static const char *of_codes(const struct sample *s) {
	const char *f = s->o->format;
	if (all_nan(s))
		return "NaN where there is none: as if padding or a scale byte of 0xFF had come in";
	if (zero_sign(s))
		return "zeros with the wrong sign";
	if (all_same_code(s, 0))
		return "as if nothing had been added up: all +0";
	if (other_sign(s))
		return "as if the sign were changed";
	if (strcmp(f, "FP32") && all_converted(s, f, EXACT_RTZ))
		return "as if the output were cut off instead of rounded";
	if (strcmp(f, "FP32") && all_converted(s, f, EXACT_RNA))
		return "as if ties of the output were rounded away from zero";
	if (!strcmp(f, "FP16") && all_converted(s, "BF16", EXACT_RNE))
		return "bf16 bits in an f16 output";
	if (!strcmp(f, "BF16") && all_converted(s, "FP16", EXACT_RNE))
		return "f16 bits in a bf16 output";
	return NULL;
}

void mx_diagnose(const struct mx_bench *b, const struct mx_output *o, mx_explains *explains,
                 char *text, size_t room) {
	struct sample s = { .b = b, .o = o, .explains = explains };
	int n = 0;
	choose(&s);
	text[0] = 0;
	find_right(&s);
	const char *said = of_memory(&s);
	if (!said && is_enough(&s) && try_epilogues(&s, text, room))
		return;
	if (!said)
		said = of_codes(&s);
	if (said)
		snprintf(text, room, "%s", said);
	else if (is_enough(&s) && power_of_two(&s, &n))
		snprintf(text, room, "as if a scale were 2^%d off", n);
	else if (is_enough(&s))
		try_twists(&s, text, room);
}
