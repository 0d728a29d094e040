/* How unwritten bits of the sources reach a result: the rules that the scalar and vector ALU share.
 *
 * A bit of a result is unwritten if some value of the unwritten bits of the sources changes it.
 * Trials find it: the opcode's function runs on different values of the unwritten bits, and a
 * result bit that differs depends on them. Few bits are tried in all combinations, which is exact.
 * For more bits the opcode's flags select sufficient combinations:
 *
 *   MX_BITWISE   each result bit is monotone in the source bits, or depends on one bit of
 *                each source: try all zeros and all ones in each source separately
 *   MX_CONTROLn  source n selects bits or an amount: try each of its bits separately
 *   MX_ORDERED   the result, as a number, is between the results of the least and the greatest
 *                sources, signed or not: all bits below the first difference may change
 *   MX_CHOOSES   as MX_ORDERED, and the result is one of the sources
 *   MX_SCANS     the position of the first or last one (or zero): try ones from below, one
 *                after another, then zeros
 *   MX_EQUALS    whether two sources are equal: their written bits may decide
 *   MX_PAIRED    each half of the result depends only on the source of the same number
 *   a row of sums.def: sums and products, bit by bit with carries (sums.h)
 *
 * Without a flag every bit of the result is unwritten. Bits that a source's type (types.def) does
 * not use count as written. */
#ifndef MX_TAINT_H
#define MX_TAINT_H

#include "../encoding/inst.h"

enum {
	MX_TAINT_SOURCES = 4, /* three sources and a bit: SCC, or the lane's bit of a mask */
	MX_TAINT_BITS = 6,    /* tried in all combinations */
	MX_TAINT_VARIABLES = 64,
};

/* Unwritten bits of the sources of one lane, or of the scalar ALU. */
struct mx_unwritten {
	uint64_t of[MX_TAINT_SOURCES];
};

/* The trials start from zeros in all unwritten bits. A variable is a set of bits that change
 * together in some of the sources. If combined, step t flips variable ctz(t), so all 2^n values are
 * tried (a Gray code). Otherwise the variables are flipped one after another. */
struct mx_trials {
	unsigned n, steps;
	bool combine;
	struct mx_variable {
		uint64_t bits;
		uint8_t sources; /* bit i: source i */
	} variable[MX_TAINT_VARIABLES];
};

/* The shape of the sources: the size of an element in bits, and the first source that is the same
 * register. */
struct mx_source_shape {
	uint8_t bits[3], same_as[3];
};

/* How to derive unwritten result bits from the differences of the trials. */
typedef enum {
	MX_TAINT_ALL,     /* all values are tried: the differences */
	MX_TAINT_BITWISE, /* the differences, if result bits are used independently */
	MX_TAINT_ORDERED, /* the differences and all bits below them */
	MX_TAINT_UNKNOWN, /* no trials: all bits */
} mx_taint_kind;

/* Plans the trials of an opcode with these flags. */
mx_taint_kind mx_plan_trials(uint64_t flags, const struct mx_source_shape *shape,
                             const struct mx_unwritten *u, struct mx_trials *t);

/* The variable that step t, from 1, flips. */
static inline const struct mx_variable *mx_trial_step(const struct mx_trials *t, unsigned step) {
	unsigned i = t->combine ? (unsigned)__builtin_ctz(step) : (step - 1) % t->n;
	return &t->variable[i];
}

/* In each element of element_bits: sets all bits below the highest set bit. */
uint64_t mx_smear_down(uint64_t v, unsigned element_bits);

#endif
