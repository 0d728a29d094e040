/* Between the files of the decoder. */
#ifndef MX_DECODE_H
#define MX_DECODE_H

#include "disasm.h"
#include "inst.h"

/* ---- what rows of opcodes.def name ---- */

#define MX_SALU(enc, op, name, d, a, b, flags)    extern mx_scalar_function mx_s_##name;
#define MX_FLOW(enc, op, name, ...)               extern mx_handler mx_x_##name;
#define MX_VALU(enc, op, name, d, a, b, c, flags) extern mx_lane_function mx_l_##name;
#define MX_VCMP(enc, op, name, a, b, flags)       extern mx_lane_function mx_l_##name;
#define MX_LDS(enc, op, name, bytes, flags)       extern mx_handler mx_x_##name;
#include "opcodes.def"

/* What an instruction rests on, by its format (MTBUF) or by the register that it reads. */
mx_assumption mx_typed_rests_on(const struct mx_inst *in);  /* typed.c */
mx_assumption mx_getreg_rests_on(const struct mx_inst *in); /* hwreg.c */

extern mx_handler mx_exec_salu, mx_exec_valu, mx_exec_vcmp, mx_exec_mfma, mx_exec_cvt, mx_exec_SMEM,
	mx_exec_DS, mx_exec_FLAT, mx_exec_SCRATCH, mx_exec_GLOBAL, mx_exec_MUBUF, mx_exec_MTBUF;

/* ---- optable.c: the rows ---- */

const struct mx_op *mx_op_find(mx_encoding e, unsigned opcode);
/* VOP3 holds every VOPC, VOP2 and VOP1 opcode a second time [ISA 13.3.6]. */
const struct mx_op *mx_op_find_vop3(unsigned opcode);
/* v_readlane and v_readfirstlane. */
bool mx_is_vector_to_scalar(const struct mx_op *op);

/* ---- decode_scalar.c, decode_vector.c, decode_memory.c: a format's fields ---- */

void mx_decode_sop(struct mx_inst *in, mx_encoding e);
void mx_decode_smem(struct mx_inst *in);
void mx_decode_vop_short(struct mx_inst *in, mx_encoding e);
void mx_decode_vop3(struct mx_inst *in);
void mx_decode_vop3p(struct mx_inst *in, size_t left);
void mx_decode_ds(struct mx_inst *in);
void mx_decode_flat(struct mx_inst *in);
void mx_decode_buffer(struct mx_inst *in, mx_encoding e);

/* ---- decode_check.c: what of a decoded instruction has no exact meaning ---- */

void mx_check_decoded(struct mx_inst *in);

/* ---- fields ---- */

static inline uint32_t mx_bits(uint32_t dword, unsigned high, unsigned low) {
	return dword >> low & (0xffffffffu >> (31 - (high - low)));
}

static inline int32_t mx_sign_extend(uint32_t value, unsigned width) {
	return (int32_t)(value << (32 - width)) >> (32 - width);
}

/* The operand code of a VGPR, or with ACC of an AGPR. */
static inline uint16_t mx_data_register(uint32_t code, bool acc) {
	return (uint16_t)(code + (acc ? MX_AGPR : MX_VGPR));
}

#endif
