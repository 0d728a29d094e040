/* Hardware registers by number, and the fields that s_getreg and s_setreg name [ISA 5.8]. */
#ifndef MX_HWREG_H
#define MX_HWREG_H

#include "inst.h"

enum {
	MX_HW_MODE = 1,
	MX_HW_STATUS = 2,
	MX_HW_TRAPSTS = 3,
	MX_HW_ID = 4,
	MX_HW_GPR_ALLOC = 5,
	MX_HW_LDS_ALLOC = 6,
	MX_HW_IB_STS = 7,
	MX_HW_SH_MEM_BASES = 15, /* LLVM's name; the manual does not list it */
	MX_HW_TBA_LO = 16,
	MX_HW_XCC_ID = 20,
	MX_HW_LAST_DOCUMENTED = 24, /* of gfx950 */
	MX_HW_SCHED_MODE = 26,      /* of gfx1250 */
	MX_HW_IB_STS2 = 28,
};

/* SIMM16: register 5:0, first bit 10:6, number of bits minus one 15:11. */
struct mx_hw_field {
	unsigned reg, offset;
	uint32_t mask; /* of the field's width, from bit 0 */
};

static inline struct mx_hw_field mx_hw_field(const struct mx_inst *in) {
	uint16_t simm = (uint16_t)in->imm;
	return (struct mx_hw_field){ simm & 63, simm >> 6 & 31, ~0u >> (31 - (simm >> 11)) };
}

#endif
