/* DPP_CTRL: the lanes that data-parallel primitives read [ISA 13.3.9]. */
#ifndef MX_DPP_H
#define MX_DPP_H

#include "inst.h"

enum {
	MX_DPP_ROW = 16,     /* lanes */
	MX_DPP_NO_LANE = -1, /* outside the row or the wave */
	MX_DPP_UNKNOWN = -2, /* an undefined value of DPP_CTRL */
};

/* The lane from which `lane` reads source 0; negative: none. */
int mx_dpp_source(const struct mx_inst *in, int lane);

#endif
