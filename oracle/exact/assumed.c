/* The list of questions, and their operands and results for whole waves. */
#include "assumed.h"

#include <stdlib.h>

static const struct exact_questions *const kinds[] = { &exact_arithmetic, &exact_conversions,
	                                               &exact_memory, &exact_machine };

const struct exact_question *exact_question_at(size_t i) {
	for (size_t k = 0; k < sizeof kinds / sizeof *kinds; k++) {
		if (i < kinds[k]->n)
			return &kinds[k]->question[i];
		i -= kinds[k]->n;
	}
	return NULL;
}

unsigned exact_answers(const struct exact_question *q) {
	unsigned n = 0;
	while (n < EXACT_ANSWERS && q->answer[n])
		n++;
	return n;
}

void exact_ask(const struct exact_question *q, size_t waves, unsigned n_in, uint32_t *in) {
	memset(in, 0, waves * EXACT_LANES * n_in * sizeof *in);
	for (size_t n = 0; n < waves * EXACT_LANES; n++)
		q->ask(q, n, in + n * n_in);
}

void exact_answer(const struct exact_question *q, unsigned answer, size_t waves, unsigned n_in,
                  unsigned n_out, const uint32_t *in, uint32_t *out) {
	memset(out, 0, waves * EXACT_LANES * n_out * sizeof *out);
	for (size_t n = 0; n < waves * EXACT_LANES; n++)
		if (q->lane)
			q->lane(q, answer, in + n * n_in, out + n * n_out);
		else if (n % EXACT_LANES == 0)
			q->wave(q, answer, in + n * n_in, n_in, out + n * n_out);
}

/* Counts the lanes that an answer does not give. */
static size_t count_wrong(size_t lanes, unsigned n_out, const uint32_t *got, const uint32_t *want,
                          size_t *first) {
	size_t wrong = 0;
	for (size_t n = 0; n < lanes; n++)
		if (memcmp(got + n * n_out, want + n * n_out, n_out * sizeof *got))
			*first = wrong++ ? *first : n;
	return wrong;
}

bool exact_judge(const struct exact_question *q, size_t waves, unsigned n_in, unsigned n_out,
                 const uint32_t *in, const uint32_t *got, struct exact_judgement *j) {
	size_t lanes = waves * EXACT_LANES, first;
	unsigned answers = exact_answers(q);
	uint32_t *want = malloc(lanes * n_out * sizeof *want);
	*j = (struct exact_judgement){ .answer = answers, .assumed = want };
	for (unsigned a = answers; want && a-- > 0;) {
		exact_answer(q, a, waves, n_in, n_out, in, want);
		j->wrong[a] = count_wrong(lanes, n_out, got, want, a ? &first : &j->first);
		j->answer = j->wrong[a] ? j->answer : a;
	}
	return want;
}

/* Codes of one sign, in the order of their values. */
static int64_t ordered(const char *format, const uint32_t *r) {
	bool wide = !strcmp(format, "FP64"), half = !strcmp(format, "FP16");
	uint64_t u = half ? (uint64_t)r[0] << 48 : (wide ? r[1] : r[0]) * (UINT64_C(1) << 32);
	u = (u | (wide ? r[0] : 0)) >> (half ? 48 : wide ? 0 : 32);
	uint64_t sign = UINT64_C(1) << (half ? 15 : wide ? 63 : 31);
	return u & sign ? -(int64_t)(u ^ sign) : (int64_t)u;
}

uint64_t exact_ulps(const char *format, const uint32_t *got, const uint32_t *correct) {
	int64_t a = ordered(format, got), b = ordered(format, correct);
	return a > b ? (uint64_t)a - (uint64_t)b : (uint64_t)b - (uint64_t)a;
}
