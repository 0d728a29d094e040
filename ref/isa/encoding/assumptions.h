/* Rules that the emulator follows where no source defines a result. */
#ifndef MX_ASSUMPTIONS_H
#define MX_ASSUMPTIONS_H

typedef enum {
	MX_ASSUMES_NOTHING,
#define MX_ASSUMPTION(id, text, no_probe) MX_ASSUMES_##id,
#include "assumptions.def"
#undef MX_ASSUMPTION
	MX_ASSUMPTIONS
} mx_assumption;

const char *mx_assumption_text(mx_assumption a); /* "" for MX_ASSUMES_NOTHING */
const char *mx_assumption_name(mx_assumption a);
/* Why mxcheck probe cannot ask a device; NULL: it can. */
const char *mx_assumption_no_probe(mx_assumption a);

#endif
