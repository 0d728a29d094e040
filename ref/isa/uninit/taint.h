/* What a result owes to bits that nobody wrote: the rules that scalar and vector ALU share.
 *
 * A bit of a result is unwritten if some value of the unwritten bits of the sources changes
 * it. That is found by trying: the opcode's own function runs on values of the unwritten
 * bits, and a bit that differs depends on them. Few bits are tried in every combination,
 * which is exact. For more, the opcode's flags say which combinations are enough:
 *
 *   MX_BITWISE   each result bit is monotone in the source bits, or depends on one bit of
 *                each source: each source all zeros and all ones, apart from the others
 *   MX_CONTROLn  bits of source n say which bits go where: each of them by itself
 *   MX_ORDERED   the result, as a number, lies between those of the least and the greatest
 *                sources, signed or not: bits below the first that differs may change
 *   MX_CHOOSES   and it is one of the sources
 *   MX_SCANS     the place of the first or last one (or zero): ones from below, one after
 *                another, then zeros
 *   MX_EQUALS    whether two sources are equal: what is known of them may decide
 *   a row of sums.def: sums and products, bit by bit with carries (sums.h)
 *   MX_PAIRED    each half of the result depends on the source of its number
 *
 * Nothing known: every bit of the result. What a source's type (types.def) has no use for
 * counts as written. */
#ifndef MX_TAINT_H
#define MX_TAINT_H

#include "../encoding/inst.h"

enum {
	MX_TAINT_SOURCES = 4, /* three, and a bit: SCC, or the lane's bit of a mask */
	MX_TAINT_BITS = 6,    /* that are tried in every combination */
	MX_TAINT_VARIABLES = 64,
};

/* Unwritten bits of one lane's sources, or of the scalar ones. */
struct mx_unwritten {
	uint64_t of[MX_TAINT_SOURCES];
};

/* What to try, starting from zeros in all unwritten bits: variables, bits that change
 * together in some of the sources. Combined, step t flips variable ctz(t), so that all 2^n
 * values are met (a Gray code); else the variables are flipped one after another. */
struct mx_trials {
	unsigned n, steps;
	bool combine;
	struct mx_variable {
		uint64_t bits;
		uint8_t sources; /* bit i: source i */
	} variable[MX_TAINT_VARIABLES];
};

/* How sources are to be taken: sizes of an element in bits, and which are the same register
 * as an earlier one (else themselves). */
struct mx_source_shape {
	uint8_t bits[3], same_as[3];
};

/* The result bits that the trials' differences stand for. */
typedef enum {
	MX_TAINT_ALL,     /* every value is tried: the differences themselves */
	MX_TAINT_BITWISE, /* the differences, as long as bits are looked at one by one */
	MX_TAINT_ORDERED, /* and the bits below them */
	MX_TAINT_UNKNOWN, /* none is tried */
} mx_taint_kind;

/* Plans the trials of an opcode with these flags. */
mx_taint_kind mx_plan_trials(uint64_t flags, const struct mx_source_shape *shape,
                             const struct mx_unwritten *u, struct mx_trials *t);

/* What step t, from 1, flips. */
static inline const struct mx_variable *mx_trial_step(const struct mx_trials *t, unsigned step) {
	unsigned i = t->combine ? (unsigned)__builtin_ctz(step) : (step - 1) % t->n;
	return &t->variable[i];
}

/* Each element of so many bits: the highest bit that is set, and all below. */
uint64_t mx_smear_down(uint64_t v, unsigned element_bits);

#endif
