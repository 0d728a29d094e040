/* Operands of a decoded instruction: all registers that it reads and writes (mx_inst.operand). They
 * follow from the instruction's row of gfx950.def and from the flags of its opcode. */
#ifndef MX_OPERANDS_H
#define MX_OPERANDS_H

#include "../isa.h"
#include "inst.h"

#define MX_FOR_OPERANDS(o, in)                                                                     \
	for (const struct mx_operand *o = (in)->operand; o < (in)->operand + (in)->n_operands; o++)

/* "src0", "data", "scale of A" ... */
const char *mx_operand_role_name(mx_operand_role role);

/* Whether the result is computed from the operand; otherwise it locates the data: an address, a
 * descriptor. */
bool mx_operand_is_value(mx_operand_role role);

/* The registers that a memory instruction writes when it lands, or NULL. */
const struct mx_operand *mx_loaded_operand(const struct mx_inst *in);

/* Rows number all registers that operands name: VGPRs, AGPRs, scalars by operand code, SCC. */
enum {
	MX_ROW_AGPR = 256,
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

/* Whether a load or store has agent scope or wider: of vector memory SC1 [LLVM "Memory Model
 * gfx942"], of scalar memory GLC, "globally coherent" [ISA, fields of SMEM]. */
bool mx_has_agent_scope(const struct mx_inst *in);

/* The number of SGPRs that the data of a scalar memory instruction occupies. */
unsigned mx_smem_data_dwords(const struct mx_inst *in);

/* The lane of a vector register that is read for `lane` of dword `part` of the result. It is
 * another lane in matrix instructions, DPP and v_readlane. -1 if it is unknown. r: the registers
 * before or just after the instruction. */
int mx_operand_lane(const struct mx_inst *in, const struct mx_operand *o, int lane, unsigned part,
                    const struct mx_registers *r);

#endif
