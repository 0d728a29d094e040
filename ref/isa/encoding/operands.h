/* Operands of a decoded instruction: registers that it reads and writes, and constants
 * (mx_inst.operand). They follow from the instruction's row of gfx950.def and from the flags of its
 * opcode. */
#ifndef MX_OPERANDS_H
#define MX_OPERANDS_H

#include "../isa.h"
#include "inst.h"

/* Puts an operand at its position. The decoder of each instruction set calls it. */
void mx_set_operand(struct mx_inst *in, unsigned position, struct mx_operand operand);

/* The registers at the first position from `i` on, or NULL. */
static inline const struct mx_operand *mx_registers_from(const struct mx_inst *in, unsigned i) {
	unsigned left = (unsigned)in->registers >> i;
	return left ? &in->operand[i + (unsigned)__builtin_ctz(left)] : NULL;
}
/* For each operand that is registers: reads, then writes. */
#define MX_FOR_OPERANDS(o, in)                                                                     \
	for (const struct mx_operand *o = mx_registers_from(in, 0); o;                             \
	     o = mx_registers_from(in, (unsigned)(o + 1 - (in)->operand)))

/* "src0", "data", "scale of A" ... */
const char *mx_operand_role_name(mx_operand_role role);

/* Whether the result is computed from the operand; otherwise it locates the data: an address, a
 * descriptor. */
bool mx_operand_is_value(mx_operand_role role);

/* The registers that a memory instruction writes when it lands, or NULL. */
const struct mx_operand *mx_loaded_operand(const struct mx_inst *in);

/* Rows number all registers that operands name: VGPRs, AGPRs, scalars by operand code, SCC. */
enum {
	MX_VGPR_FILE = 1024, /* vector registers of an instruction set at most (mx_isa.vgprs) */
	MX_ROW_SCALAR = MX_VGPR_FILE,
	MX_ROW_SCC = MX_ROW_SCALAR + MX_SGPR_FILE,
	MX_ROWS = MX_ROW_SCALAR + 192, /* a multiple of 64 */
};
/* VCCZ and EXECZ read the pairs VCC and EXEC [ISA 3.9]. */
static inline bool mx_tests_zero(unsigned code) {
	return code == MX_VCCZ || code == MX_EXECZ;
}
static inline unsigned mx_first_register(unsigned code) {
	return code == MX_VCCZ ? MX_VCC : code == MX_EXECZ ? MX_EXEC : code;
}
static inline unsigned mx_operand_row(unsigned code) {
	if (code >= MX_VGPR)
		return code - MX_VGPR;
	return code == MX_SCC ? MX_ROW_SCC : MX_ROW_SCALAR + mx_first_register(code);
}
static inline bool mx_operand_has_row(const struct mx_operand *o, unsigned row) {
	unsigned first = mx_operand_row(o->code);
	return row >= first && row < first + o->dwords;
}
/* The registers of an operand, a bit each, that an instruction accesses while M0 has this value: it
 * selects those of a block. An operand has at most 32. */
static inline uint32_t mx_accessed(const struct mx_inst *in, const struct mx_operand *o,
                                   uint32_t m0) {
	bool selected = o->role == MX_AS_D || o->role == MX_AS_DATA;
	return selected && mx_kind_of(in->op) == MX_IS_BLOCK ? m0 : ~0u;
}
bool mx_writes_row(const struct mx_inst *in, unsigned row);
bool mx_reads_row(const struct mx_inst *in, unsigned row);

/* Whether two instructions have the same registers or constant at a position. */
static inline bool mx_same_operand(const struct mx_inst *a, const struct mx_inst *b,
                                   unsigned position) {
	return mx_operand_at(a, position) == mx_operand_at(b, position) &&
	       a->operand[position].dwords == b->operand[position].dwords;
}

/* Whether a load or store has agent scope or wider: of vector memory SC1 [LLVM "Memory Model
 * gfx942"], of scalar memory GLC, "globally coherent" [ISA, fields of SMEM]. */
bool mx_has_agent_scope(const struct mx_inst *in);

/* The lane of a vector register that is read for `lane` of dword `part` of the result. It is
 * another lane in matrix instructions, DPP and v_readlane. -1 if it is unknown. r: the registers
 * before or just after the instruction. */
int mx_operand_lane(const struct mx_inst *in, const struct mx_operand *o, int lane, unsigned part,
                    const struct mx_registers *r);

#endif
