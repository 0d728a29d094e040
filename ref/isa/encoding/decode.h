/* The decoders, and functions that their files share. */
#ifndef MX_DECODE_H
#define MX_DECODE_H

#include "formats.h"
#include "inst.h"

/* ---- decode.c: mx_isa.decode ---- */

void mx_gfx950_decode(const uint32_t *code, size_t left, uint32_t offset, struct mx_inst *in);

/* ---- decode_gfx1250.c ---- */

void mx_gfx1250_decode(const uint32_t *code, size_t left, uint32_t offset, struct mx_inst *in);
unsigned mx_gfx1250_banks_after(const uint32_t *code, size_t left, unsigned banks);

/* ---- optable.c ---- */

extern struct mx_op mx_gfx950_ops[MX_OPS]; /* the rows of opcodes.def; constant in main */

/* v_readlane and v_readfirstlane. */
bool mx_is_vector_to_scalar(const struct mx_op *op);

/* ---- decode_scalar.c, decode_vector.c, decode_memory.c: a format's fields ---- */

void mx_decode_sop(struct mx_inst *in);
void mx_decode_smem(struct mx_inst *in);
void mx_decode_vop_short(struct mx_inst *in);
void mx_decode_vop3(struct mx_inst *in);
void mx_decode_matrix(struct mx_inst *in);
void mx_decode_scaled(struct mx_inst *in);
void mx_decode_packed(struct mx_inst *in);
void mx_decode_ds(struct mx_inst *in);
void mx_decode_flat(struct mx_inst *in);
void mx_decode_buffer(struct mx_inst *in);

/* ---- operands.c: registers that an instruction reads and writes ---- */

void mx_find_operands(struct mx_inst *in, const struct mx_isa_row *row);

/* ---- decode_check.c: encodings without a defined meaning ---- */

void mx_check_decoded(struct mx_inst *in);

/* ---- fields ---- */

static inline uint32_t mx_bits(uint32_t dword, unsigned high, unsigned low) {
	return dword >> low & (0xffffffffu >> (31 - (high - low)));
}

static inline int32_t mx_sign_extend(uint32_t value, unsigned width) {
	return (int32_t)(value << (32 - width)) >> (32 - width);
}

#endif
