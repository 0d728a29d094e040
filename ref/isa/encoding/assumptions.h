/* Rules that the emulator follows where no source defines a result. */
#ifndef MX_ASSUMPTIONS_H
#define MX_ASSUMPTIONS_H

typedef enum {
	MX_ASSUMES_NOTHING,
#define MX_ASSUMPTION(id, text) MX_ASSUMES_##id,
#include "assumptions.def"
#undef MX_ASSUMPTION
} mx_assumption;

const char *mx_assumption_text(mx_assumption a); /* "" for MX_ASSUMES_NOTHING */

#endif
