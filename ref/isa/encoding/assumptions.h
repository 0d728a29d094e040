/* Rules by which the machine goes on where no source says anything. */
#ifndef MX_ASSUMPTIONS_H
#define MX_ASSUMPTIONS_H

typedef enum {
	MX_ASSUMES_NOTHING,
#define MX_ASSUMPTION(id, text) MX_ASSUMES_##id,
#include "assumptions.def"
#undef MX_ASSUMPTION
} mx_assumption;

const char *mx_assumption_text(mx_assumption a); /* of nothing: "" */

#endif
