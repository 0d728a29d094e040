/* Which registers an instruction reads, and what for: for those who explain a result. */
#ifndef MX_USES_H
#define MX_USES_H

#include "inst.h"
#include "../isa.h"

struct mx_use {
	const char *role; /* "src0", "old", "data", "address" ... */
	uint16_t code;    /* operand code of the first register, or MX_SCC */
	uint8_t dwords;
	bool value; /* the result is made of it; else it says where: addresses, descriptors */
};

enum { MX_MAX_USES = 8 };

/* Constants are not listed, nor is EXEC where it only says which lanes take part. */
size_t mx_uses(const struct mx_inst *in, struct mx_use use[MX_MAX_USES]);

/* How many SGPRs the data of a scalar memory instruction has. */
unsigned mx_smem_data_dwords(const struct mx_inst *in);

/* The registers that a memory instruction writes when it lands; no dwords: none. */
struct mx_use mx_load_target(const struct mx_inst *in);

/* The lane that a use of a vector register reads for `lane` of the result, dword `part` of it:
 * another one in matrix instructions, DPP and v_readlane. -1 where that is not known. r: the
 * registers before or just after. */
int mx_use_lane(const struct mx_inst *in, const struct mx_use *use, int lane, unsigned part,
                const struct mx_registers *r);

#endif
