/* Operands of a decoded instruction: all registers that it reads and writes (mx_inst.operand). They
 * follow from the row of gfx950.def that the instruction is of, and from the flags of its opcode.
 */
#ifndef MX_OPERANDS_H
#define MX_OPERANDS_H

#include "../isa.h"
#include "inst.h"

#define MX_FOR_OPERANDS(o, in)                                                                     \
	for (const struct mx_operand *o = (in)->operand; o < (in)->operand + (in)->n_operands; o++)

/* "src0", "data", "scale of A" ... */
const char *mx_operand_role_name(mx_operand_role role);

/* Whether the result is made of it; else it says where: an address, a descriptor. */
bool mx_operand_is_value(mx_operand_role role);

/* The registers that a memory instruction writes when it lands; NULL: none. */
const struct mx_operand *mx_loaded_operand(const struct mx_inst *in);

/* Rows: all registers that operands name, as one file: VGPRs, AGPRs, scalars by operand code, SCC.
 */
enum {
	MX_ROW_SCALAR = 512,
	MX_ROW_SCC = MX_ROW_SCALAR + MX_SGPR_FILE,
	MX_ROWS = 704, /* a multiple of 64 */
};
static inline unsigned mx_operand_row(unsigned code) {
	return code == MX_SCC ? MX_ROW_SCC : code < MX_VGPR ? MX_ROW_SCALAR + code : code - MX_VGPR;
}
static inline bool mx_operand_has_row(const struct mx_operand *o, unsigned row) {
	unsigned first = mx_operand_row(o->code);
	return row >= first && row < first + o->dwords;
}
bool mx_writes_row(const struct mx_inst *in, unsigned row);
bool mx_reads_row(const struct mx_inst *in, unsigned row);

/* Whether a load or store of vector memory has agent scope or wider: SC1 [LLVM "Memory Model
 * gfx942"]. */
bool mx_has_agent_scope(const struct mx_inst *in);

/* How many SGPRs the data of a scalar memory instruction has. */
unsigned mx_smem_data_dwords(const struct mx_inst *in);

/* The lane of a vector register that is read for `lane` of the result, dword `part` of it: another
 * one in matrix instructions, DPP and v_readlane. -1 where that is not known. r: the registers
 * before or just after. */
int mx_operand_lane(const struct mx_inst *in, const struct mx_operand *o, int lane, unsigned part,
                    const struct mx_registers *r);

#endif
