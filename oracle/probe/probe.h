/* mxcheck probe: how a matrix instruction accumulates, inferred from its results.
 *
 * An instruction is a number of dots: element (i, j) of D depends on row i of A, column j of B and
 * element (i, j) of C alone. A question is a list of dots on which members of the family of
 * profiles (mx_profile, family.def) differ. Inference looks for the member that gives all results.
 */
#ifndef MX_PROBE_H
#define MX_PROBE_H

#include "../../cases/case.h"
#include "../../ref/mma/matrix_profiles.h"
#include "../../ref/num/number.h"
#include "random.h"

enum { MX_PROBE_K = 128, MX_PROBE_BLOCKS = MX_PROBE_K / MX_BLOCK };

struct mx_probe_insn {
	char name[MX_SCALED_NAME];
	unsigned k; /* products of a dot: of a sparse instruction, the stored items of A */
	const struct mx_format_info *a, *b;
	bool scaled, gfx950; /* whether it has scales; whether gfx950 has it */
};

/* The instructions of insns.def and of gfx950; false after the last one. */
bool mx_probe_insn_at(size_t i, struct mx_probe_insn *insn);

/* FP64 is no row of mx_types, whose codes have 32 bits. A and B, C and D have it, or none of them.
 */
static inline bool mx_probe_is_f64(const struct mx_probe_insn *insn) {
	return insn->a->bits == 64;
}

/* Bytes of C and D. */
static inline unsigned mx_probe_result_bytes(const struct mx_probe_insn *insn) {
	return mx_probe_is_f64(insn) ? 8 : 4;
}

/* ---- dots ---- */

struct mx_probe_dot {
	uint64_t a[MX_PROBE_K], b[MX_PROBE_K], c; /* codes */
	uint8_t sa[MX_PROBE_BLOCKS], sb[MX_PROBE_BLOCKS];
	uint8_t question; /* 0 to MX_QUESTIONS - 1 */
};

enum mx_question {
#define MX_QUESTION(id, text) MX_QUESTION_##id,
#include "questions.def"
#undef MX_QUESTION
	MX_QUESTIONS
};
const char *mx_question_name(unsigned question);
const char *mx_question_text(unsigned question);

/* All questions of an instruction, always the same; the caller frees the array. NULL: no memory. */
struct mx_probe_dot *mx_probe_questions(const struct mx_probe_insn *insn, size_t *n);

/* Random dot n of a seed, by random.h. */
void mx_probe_random(const struct mx_probe_insn *insn, uint64_t seed, uint64_t n,
                     struct mx_probe_dot *dot);

#endif
