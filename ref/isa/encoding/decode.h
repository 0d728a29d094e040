/* The decoders, and functions that their files share. */
#ifndef MX_DECODE_H
#define MX_DECODE_H

#include "formats.h"
#include "inst.h"

/* ---- decode.c: mx_isa.decode ---- */

void mx_gfx950_decode(const uint32_t *code, size_t left, uint32_t offset, struct mx_inst *in);

/* ---- decode_gfx1250.c ---- */

void mx_gfx1250_decode(const uint32_t *code, size_t left, uint32_t offset, struct mx_inst *in);
uint32_t mx_gfx1250_wait_with(uint32_t dword, mx_counts counts);
void mx_gfx1250_rebank(struct mx_inst *in, unsigned banks);
unsigned mx_gfx1250_banks_set(const struct mx_inst *in, unsigned banks);
unsigned mx_gfx1250_banks_after(const uint32_t *code, size_t left, unsigned banks);

/* ---- optable.c ---- */

/* The rows of opcodes.def; constant after the first call of mx_gfx950_sized_ops, which returns them
 * with the sizes that follow from gfx950.def. A process that decodes nothing needs no sizes. */
extern struct mx_op mx_gfx950_ops[MX_OPS];
const struct mx_op *mx_gfx950_sized_ops(void);

/* Sets the sizes that follow from the operands of a row. */
void mx_size_operands(struct mx_op *op, const struct mx_isa_row *row);

/* ---- optable_gfx1250.c ---- */

/* The opcodes of gfx1250; constant after the first call of mx_gfx1250_op, which returns that of a
 * row of gfx1250.def: NULL if it is not executed. */
extern struct mx_op mx_gfx1250_ops[MX_OPS];
const struct mx_op *mx_gfx1250_op(const struct mx_isa_row *row);

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

/* `format`: that of the row, or one that adds DPP to it. in->banks are those of VGPRs. */
void mx_find_operands(const struct mx_encodings *set, const struct mx_isa_row *row,
                      mx_microcode format, struct mx_inst *in);

/* Joins two operations into one instruction: the operands of the second follow those of the first.
 */
void mx_join_operations(struct mx_inst *in, const struct mx_inst *x, const struct mx_inst *y);

/* ---- decode_check.c: encodings without a defined meaning ---- */

void mx_check_decoded(const struct mx_encodings *set, struct mx_inst *in);

/* ---- fields ---- */

static inline uint32_t mx_bits(uint32_t dword, unsigned high, unsigned low) {
	return dword >> low & (0xffffffffu >> (31 - (high - low)));
}

static inline int32_t mx_sign_extend(uint32_t value, unsigned width) {
	return (int32_t)(value << (32 - width)) >> (32 - width);
}

#endif
