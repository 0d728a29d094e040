/* Conversion instructions: the modifiers and MODEs in which their results are known. */
#ifndef MX_CONVERSIONS_H
#define MX_CONVERSIONS_H

#include "inst.h"

/* Bits of MODE that matter to conversions [ISA 3.5]. */
enum {
	MX_MODE_F32_SOURCES = 1 << 4, /* denormal f32 sources are kept */
	MX_MODE_F32_RESULTS = 1 << 5, /* denormal f32 results are kept */
};

/* Why a conversion stops a launch under MODE, or NULL. Other instructions never do. */
const char *mx_cvt_refused(const struct mx_inst *in, uint32_t mode);

/* The assumption on which a conversion rests under MODE if an operand or a result is denormal. */
mx_assumption mx_cvt_rests_on(const struct mx_inst *in, uint32_t mode);

#endif
