/* Questions about the rules that the emulator assumes: operands of a few instructions, and what
 * they leave under each answer that has been thought of.
 *
 * Like the rest of this folder it shares no table with what it judges: a rule and a kernel are
 * names. Operands and results are [lane][register], the registers of operands in the order a, b, c,
 * d of kernels/probe/questions.def. */
#ifndef EXACT_ASSUMED_H
#define EXACT_ASSUMED_H

#include "exact.h"

enum { EXACT_LANES = 64, EXACT_ANSWERS = 6 };

struct exact_question {
	const char *rule;
	const char *kernel; /* its name, or the pattern of fnmatch(3) of kernels with one question */
	const char *answer[EXACT_ANSWERS]; /* the assumed one first; NULL after the last */
	unsigned waves; /* of operands; 0: as many as the caller wants: the last bit is asked for */
	unsigned detail;                 /* of the functions below */
	const char *format;              /* of operands and results, for functions of several */
	uint32_t mode;                   /* MODE[7:0]; 0: nearest even, denormals flushed */
	uint32_t records, word3, scalar; /* of a buffer; see questions.def */
	/* Bytes at the end of the arguments that are left out. A launch before has all; in memory
	 * the complement of the scalar follows those that are there. */
	unsigned short_by;

	/* Operands of lane n; they are zero before. */
	void (*ask)(const struct exact_question *q, size_t n, uint32_t *r);
	/* Results of a lane, or of the 64 of a wave with n operands each. */
	void (*lane)(const struct exact_question *q, unsigned answer, const uint32_t *r,
	             uint32_t *d);
	void (*wave)(const struct exact_question *q, unsigned answer, const uint32_t *r, unsigned n,
	             uint32_t *d);
};

/* All questions, NULL after the last one. */
const struct exact_question *exact_question_at(size_t i);

unsigned exact_answers(const struct exact_question *q);

/* Operands of `waves` waves, n_in registers a lane. */
void exact_ask(const struct exact_question *q, size_t waves, unsigned n_in, uint32_t *in);

/* The results under an answer, n_out registers a lane. */
void exact_answer(const struct exact_question *q, unsigned answer, size_t waves, unsigned n_in,
                  unsigned n_out, const uint32_t *in, uint32_t *out);

/* What results agree with. */
struct exact_judgement {
	unsigned answer;             /* the first that gives all of them; of no answer: the number
	                                of answers */
	size_t wrong[EXACT_ANSWERS]; /* the lanes with another result than each answer's */
	size_t first;                /* the first such lane of the assumed answer */
	uint32_t *assumed;           /* its results; the caller frees them */
};

/* False: no memory. */
bool exact_judge(const struct exact_question *q, size_t waves, unsigned n_in, unsigned n_out,
                 const uint32_t *in, const uint32_t *got, struct exact_judgement *j);

/* The distance of a result from the correct one in units of the last place; 0: the same bits. */
uint64_t exact_ulps(const char *format, const uint32_t *got, const uint32_t *correct);

/* ---- of the folder ---- */

/* Any bits, a function of n and `stream`. */
static inline uint64_t exact_any(uint64_t n, uint64_t stream) {
	uint64_t x = (n + 1) * UINT64_C(0x9e3779b97f4a7c15) + stream * UINT64_C(0xd1342543de82ef95);
	x = (x ^ x >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
	x = (x ^ x >> 27) * UINT64_C(0x94d049bb133111eb);
	return x ^ x >> 31;
}

struct exact_questions {
	const struct exact_question *question;
	size_t n;
};
extern const struct exact_questions exact_arithmetic, exact_conversions, exact_memory,
	exact_machine;

#endif
