/* What a vector ALU opcode computes: a pure function on all 64 lanes. */
#ifndef MX_LANES_H
#define MX_LANES_H

#include <stdint.h>

#include "../mxref.h"

/* s[i][h][lane]: dword h of source i. d comes in as it was where the opcode reads
 * it. Lane masks: bit l of mask_in and mask_out belongs to lane l. */
struct mx_lanes {
	const uint32_t (*s[3])[MX_LANES];
	uint32_t d[2][MX_LANES];
	uint64_t mask_in, mask_out;
	uint8_t truth; /* v_bitop3's table */
};

#endif
