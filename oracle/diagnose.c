/* Diagnosis: tests known faults on wrong elements by computing their results.
 *
 * A sample of the wrong elements is tested. A hypothesis that gives all of them explains them. All
 * such hypotheses are named, because bytes alone do not distinguish them. A hypothesis that would
 * also change right elements of the sample is dropped if another would not. If no hypothesis gives
 * all, those that give the most are named, each with its share of the wrong elements. The share is
 * counted over a larger sample.
 *
 * A wrong hypothesis gives a code of b bits by chance with probability near 2^-b, and a few
 * thousand are tried. So the elements must give 40 bits of evidence, or 60 bits if some elements
 * are not explained. */
#include "code_fault.h"
#include "epilogue_fault.h"
#include "hypotheses.h"
#include "product.h"
#include "fault.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
	MAX_PARAMETERS = 1 << 14,
	MAX_ROWS = 512,         /* largest distance of a row */
	RIGHT_ELEMENTS = 12,    /* in the sample */
	FIRST_ELEMENTS = 8,     /* a partial explanation must fit at least one of them */
	PARTIAL_WORK = 1 << 22, /* limit of product elements for MX_FAULT_ROWS if explanations may
	                           be partial */
	BLOCK_WORK = 1 << 17,   /* the same for MX_FAULT_BLOCKS */
	SHARE_WORK = 1 << 18    /* the same for counting a share */
};

struct sampled {
	size_t at;
	struct mx_code_element code;
	uint32_t acc; /* the right accumulator, f32 */
};

struct sample {
	const struct mx_bench *b;
	const struct mx_output *o;
	mx_explains *explains;
	struct mx_element_product element;
	bool has_element;
	bool partial; /* hypotheses that explain a part are kept */
	size_t n_right;
	struct sampled wrong[MX_HYPOTHESIS_ELEMENTS], right[RIGHT_ELEMENTS];
	struct mx_hypotheses hypotheses;
};

/* ---- elements ---- */

/* The code in the buffer before the launch. */
static uint32_t before(const struct mx_bench *b, const struct mx_output *o, size_t at) {
	const struct mx_buffer *c = mx_plan_role(&b->plan, MX_ROLE_C);
	const uint8_t *data = b->buffer[c - b->plan.buffers].before + c->guard;
	size_t row = o->row + at / o->g.n, col = o->col + at % o->g.n;
	uint32_t v = 0;
	memcpy(&v, data + mx_buffer_at(c, row, col), c->type == MX_DT_F32 ? 4 : 2);
	return v;
}

/* Computed by the profile. Judge bound has no profile, and so no accumulator to convert. */
static bool find_right(const struct sample *s, size_t at, uint32_t *acc, uint32_t *right) {
	const struct mx_verdict_spec *v = &s->b->plan.c->verdict;
	struct mx_output one;
	if (!v->profile || !v->mma_k)
		return false;
	bool found = !mx_output_part(s->o, at / s->o->g.n, at % s->o->g.n, 1, 1, &one) &&
	             mx_arithmetic_one(&s->b->arithmetic, &one.g, v->mma_k, acc) == EXACT_OK;
	one.epilogue.output = EXACT_F32;
	one.format = "FP32";
	one.flushes = false;
	if (found)
		*right = mx_output_code(&one, 0, *acc);
	mx_output_free(&one);
	return found;
}

/* Without has_right and right, which must be computed. */
static struct sampled sample_at(const struct sample *s, size_t at) {
	const struct mx_output *o = s->o;
	return (struct sampled){ .at = at,
		                 .code = { .format = o->format,
		                           .got = o->got[at],
		                           .want = o->want[at],
		                           .before = before(s->b, o, at),
		                           .unwritten = o->unwritten[at] } };
}

static struct sampled add_right(const struct sample *s, struct sampled x) {
	x.code.has_right = find_right(s, x.at, &x.acc, &x.code.right);
	return x;
}

/* Every step-th wrong or right element, up to `most`. */
static size_t pick(const struct sample *s, bool wrong, size_t step, size_t most,
                   struct sampled *list) {
	size_t n = 0, seen = 0;
	for (size_t i = 0; i < s->o->g.m * s->o->g.n && n < most; i++)
		if (!s->o->differs[i] == !wrong && seen++ % step == 0)
			list[n++] = add_right(s, sample_at(s, i));
	return n;
}

static size_t gcd(size_t a, size_t b) {
	return b ? gcd(b, a % b) : a;
}

/* Permutes the list so that its first elements are spread over the whole output. */
static void spread(struct sampled *list, size_t n) {
	struct sampled was[MX_HYPOTHESIS_ELEMENTS];
	size_t stride = n * 5 / 8 + 1;
	while (gcd(stride, n) != 1)
		stride++;
	memcpy(was, list, n * sizeof *list);
	for (size_t i = 0; i < n; i++)
		list[i] = was[i * stride % n];
}

static void choose(struct sample *s) {
	size_t right = s->o->g.m * s->o->g.n - s->o->wrong;
	s->hypotheses.elements =
		pick(s, true, mx_hypotheses_step(s->o->wrong), MX_HYPOTHESIS_ELEMENTS, s->wrong);
	spread(s->wrong, s->hypotheses.elements);
	s->n_right = pick(s, false, right / RIGHT_ELEMENTS + 1, RIGHT_ELEMENTS, s->right);
}

/* ---- one hypothesis, one element ---- */

enum fit { FITS, DIFFERS, NOT_APPLICABLE };

enum kind { OF_CODES, OF_EPILOGUE, OF_OPERANDS };

/* A fault of one of the three tables. */
struct hypothesis {
	enum kind kind;
	unsigned index, side;
	long parameter;
};

static const struct mx_code_fault *code_fault(const struct hypothesis *h) {
	return h->kind == OF_CODES ? &mx_code_faults[h->index] : NULL;
}

static const struct mx_epilogue_fault *epilogue_fault(const struct hypothesis *h) {
	return &mx_epilogue_faults[h->index];
}

static const struct mx_fault *operand_fault(const struct hypothesis *h) {
	return &mx_faults[h->index];
}

static enum fit fit_epilogue(const struct sample *s, const struct hypothesis *h,
                             const struct sampled *x) {
	const struct mx_output *o = s->o;
	struct mx_epilogue_element e = { &o->epilogue, x->at / o->g.n, x->at % o->g.n,
		                         o->g.m,       o->g.n,         x->acc };
	uint32_t code;
	if (!epilogue_fault(h)->apply(&e, (unsigned)h->parameter, &code))
		return NOT_APPLICABLE;
	return mx_code_same(o->format, x->code.got, code) ? FITS : DIFFERS;
}

static enum fit fit_operands(struct sample *s, const struct hypothesis *h,
                             const struct sampled *x) {
	struct mx_element_product *e = &s->element;
	mx_element_at(e, x->at / s->o->g.n, x->at % s->o->g.n);
	if (!operand_fault(h)->apply(e, h->side, h->parameter))
		return NOT_APPLICABLE;
	return s->explains(s->b, s->o, x->at, &e->one, x->code.got) ? FITS : DIFFERS;
}

static enum fit fit(struct sample *s, const struct hypothesis *h, const struct sampled *x) {
	switch (h->kind) {
	case OF_CODES: return code_fault(h)->fits(&x->code, h->parameter) ? FITS : DIFFERS;
	case OF_EPILOGUE: return fit_epilogue(s, h, x);
	default: return fit_operands(s, h, x);
	}
}

/* The evidence of an element that fits, in bits. Infinities, NaN and zeros have many causes. */
static double bits_of(const struct hypothesis *h, const struct sampled *x) {
	double v = mx_code_value(x->code.format, x->code.got);
	if (code_fault(h))
		return code_fault(h)->bits;
	if (!isfinite(v) || v == 0)
		return 2;
	return mx_code_digits(x->code.format) == 8 ? 20 : 8;
}

/* ---- one hypothesis, all elements ---- */

static bool is_contradicted(struct sample *s, const struct hypothesis *h) {
	if (code_fault(h) && code_fault(h)->symptom)
		return false;
	for (size_t i = 0; i < s->n_right; i++)
		if (fit(s, h, &s->right[i]) == DIFFERS)
			return true;
	return false;
}

static void write_text(const struct hypothesis *h, char text[MX_HYPOTHESIS_TEXT]) {
	const struct mx_epilogue_fault *e;
	const struct mx_fault *t;
	switch (h->kind) {
	case OF_CODES: snprintf(text, MX_HYPOTHESIS_TEXT, code_fault(h)->text, h->parameter); break;
	case OF_EPILOGUE:
		e = epilogue_fault(h);
		snprintf(text, MX_HYPOTHESIS_TEXT, e->text, e->names ? e->names[h->parameter] : "");
		break;
	case OF_OPERANDS:
		t = operand_fault(h);
		if (t->both)
			snprintf(text, MX_HYPOTHESIS_TEXT, t->text, h->parameter);
		else
			snprintf(text, MX_HYPOTHESIS_TEXT, t->text, h->side ? "B" : "A",
			         h->parameter);
	}
}

/* Whether no minimum of evidence applies: symptoms, and conversions of a right result. */
static bool is_plain(const struct hypothesis *h) {
	return code_fault(h) && !code_fault(h)->powers;
}

static void try(struct sample *s, struct hypothesis h) {
	struct mx_hypothesis hypothesis = {
		.kind = h.kind, .index = h.index, .side = h.side, .parameter = h.parameter
	};
	double bits = 0;
	size_t n = s->hypotheses.elements;
	for (size_t i = 0; i < n; i++)
		if (fit(s, &h, &s->wrong[i]) == FITS) {
			hypothesis.hit |= UINT64_C(1) << i;
			bits += bits_of(&h, &s->wrong[i]);
		} else if (!s->partial || (!hypothesis.hit && i + 1 >= FIRST_ELEMENTS))
			return;
	bool whole = mx_hypothesis_is_whole(&s->hypotheses, &hypothesis);
	if (whole ? bits < 40 && !is_plain(&h) : bits < 60)
		return;
	hypothesis.contradicted = is_contradicted(s, &h);
	write_text(&h, hypothesis.text);
	mx_hypothesis_add(&s->hypotheses, &hypothesis);
}

/* ---- all hypotheses ---- */

static void try_codes(struct sample *s) {
	for (unsigned i = 0; i < mx_n_code_faults; i++) {
		long most = mx_code_faults[i].powers ? MX_MOST_POWER : 0;
		for (long n = -most; n <= most; n++)
			if (n || !most)
				try(s, (struct hypothesis){ OF_CODES, i, 0, n });
	}
}

static void try_epilogues(struct sample *s) {
	if (!s->wrong[0].code.has_right || !s->o->has_epilogue)
		return;
	for (unsigned i = 0; i < mx_n_epilogue_faults; i++) {
		const struct mx_epilogue_fault *t = &mx_epilogue_faults[i];
		for (long p = 0; t->names ? t->names[p] != NULL : p == 0; p++)
			try(s, (struct hypothesis){ OF_EPILOGUE, i, 0, p });
	}
}

static void try_sides(struct sample *s, unsigned i, long parameter) {
	for (unsigned side = 0; side < (mx_faults[i].both ? 1u : 2u); side++)
		try(s, (struct hypothesis){ OF_OPERANDS, i, side, parameter });
}

static void try_fault(struct sample *s, unsigned t) {
	long blocks = (long)s->element.blocks,
	     rows = (long)(s->o->g.m > s->o->g.n ? s->o->g.m : s->o->g.n);
	switch (mx_faults[t].range) {
	case MX_FAULT_ONCE: try_sides(s, t, 0); break;
	case MX_FAULT_BLOCKS:
		for (long i = 0; i < blocks && i < MAX_PARAMETERS; i++)
			try_sides(s, t, i);
		break;
	case MX_FAULT_NEIGHBOUR:
		for (long by = 1; by <= 128; by *= 2) {
			try_sides(s, t, by);
			try_sides(s, t, -by);
		}
		break;
	case MX_FAULT_ROWS:
		for (long by = 1; by < rows && by <= MAX_ROWS; by++) {
			try_sides(s, t, by);
			try_sides(s, t, -by);
		}
		break;
	}
}

/* If early misses do not end a search, many parameters take too long. */
static bool is_affordable(const struct sample *s, const struct mx_fault *t) {
	size_t rows = s->o->g.m > s->o->g.n ? s->o->g.m : s->o->g.n;
	size_t work = 2 * FIRST_ELEMENTS * s->o->g.k;
	switch (t->range) {
	case MX_FAULT_BLOCKS: return !s->partial || s->element.blocks * work <= BLOCK_WORK;
	case MX_FAULT_ROWS: return !s->partial || 2 * rows * work <= PARTIAL_WORK;
	default: return true;
	}
}

static void try_all(struct sample *s) {
	try_codes(s);
	try_epilogues(s);
	for (unsigned i = 0; s->has_element && i < mx_n_faults; i++)
		if (is_affordable(s, &mx_faults[i]))
			try_fault(s, i);
}

/* ---- shares ---- */

/* Over as many wrong elements as SHARE_WORK allows. */
static double share_of(struct sample *s, const struct mx_hypothesis *x) {
	struct hypothesis h = { x->kind, x->index, x->side, x->parameter };
	size_t most = SHARE_WORK / s->o->g.k + MX_HYPOTHESIS_ELEMENTS, seen = 0, n = 0, hit = 0;
	size_t step = s->o->wrong / most + 1;
	for (size_t i = 0; i < s->o->g.m * s->o->g.n; i++)
		if (s->o->differs[i] && seen++ % step == 0) {
			struct sampled one = sample_at(s, i);
			if (h.kind != OF_OPERANDS)
				one = add_right(s, one);
			hit += fit(s, &h, &one) == FITS;
			n++;
		}
	return n ? (double)hit / (double)n : 0;
}

void mx_diagnose(const struct mx_bench *b, const struct mx_output *o, mx_explains *explains,
                 char *text, size_t room) {
	struct sample s = { .b = b, .o = o, .explains = explains };
	text[0] = 0;
	if (!o->g.k || o->g.k % MX_BLOCK) /* the sum of a group may end inside a block */
		return;
	s.has_element = !mx_element_make(&o->g, &s.element);
	choose(&s);
	try_all(&s);
	if (!s.hypotheses.n) {
		s.partial = true;
		try_all(&s);
	}
	mx_hypotheses_choose(&s.hypotheses);
	for (size_t i = 0; i < s.hypotheses.n; i++)
		s.hypotheses.hypothesis[i].share = share_of(&s, &s.hypotheses.hypothesis[i]);
	mx_hypotheses_text(&s.hypotheses, text, room);
	mx_element_free(&s.element);
}
