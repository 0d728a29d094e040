/* The text of gfx950 instructions, as LLVM's assembler and disassembler write it. */
#ifndef MX_DISASM_H
#define MX_DISASM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Writes the text of the instruction at code[0] ("v_add_f32_e32 v1, 1.0, v2") and
 * returns its size in bytes: 4, 8, 12 or 16. Returns 0, and an empty text, where the
 * encoding is not valid: where llvm-mc 22 warns of an invalid encoding, where it prints
 * the instruction with a remark that an operand or a modifier is not valid, and where
 * `left`, the number of dwords that may be read, is too small.
 *
 * Branch targets are the plain SIMM16 that llvm-mc prints, not addresses; pc, the
 * address of code[0], is there for texts that need it, and none does so far.
 * text: room bytes; a text that does not fit is cut, never overrun. 200 are enough. */
size_t mx_disassemble(const uint32_t *code, size_t left, uint64_t pc, char *text, size_t room);

/* Whether gfx950.def has this opcode in this format, and the bits that it says must be zero
 * are. Operands are not looked at: cheap, for the decoder. */
bool mx_text_exists(const uint32_t *code, size_t left);

/* ---- for disasm*.c ---- */

/* Formats of rows of gfx950.def; the enumerator is the sort key of the table. */
typedef enum {
	MX_TEXT_SOP2,
	MX_TEXT_SOPK,
	MX_TEXT_SOP1,
	MX_TEXT_SOPC,
	MX_TEXT_SOPP,
	MX_TEXT_SMEM,
	MX_TEXT_VOP2,
	MX_TEXT_VOP1,
	MX_TEXT_VOPC,
	MX_TEXT_SDWA2,
	MX_TEXT_SDWA1,
	MX_TEXT_SDWAC,
	MX_TEXT_DPP2,
	MX_TEXT_DPP1,
	MX_TEXT_VOP3,
	MX_TEXT_VOP3P,
	MX_TEXT_SCALED,
	MX_TEXT_DS,
	MX_TEXT_FLAT,
	MX_TEXT_SCRATCH,
	MX_TEXT_GLOBAL,
	MX_TEXT_MUBUF,
	MX_TEXT_MTBUF,
	MX_TEXT_FORMS
} mx_text_form;

/* A row of gfx950.def, whose head says what the strings mean. */
struct mx_text_row {
	mx_text_form form;
	uint16_t opcode;
	const char *name, *operands, *modifiers;
	uint64_t zero; /* bits of the first two dwords that must be zero */
};

/* A text while it is being written. */
struct mx_text {
	const struct mx_text_row *row;
	const uint32_t *code;
	size_t left, dwords; /* dwords grows by one where a literal is taken */
	bool literal;
	bool invalid; /* not an instruction of this format */
	bool remark;  /* it is one, but LLVM remarks on an operand */
	char *text;
	size_t room, length;
};

/* Row i of gfx950.def, or NULL beyond the last. */
const struct mx_text_row *mx_text_row(size_t i);

/* An instruction of a row with all fields 0; and one of its fields set. False where its
 * format has no such field. */
void mx_text_blank(const struct mx_text_row *row, uint32_t code[4]);
bool mx_text_set(const struct mx_text_row *row, uint32_t code[4], const char *name, uint32_t value);

/* Appends to the text. */
__attribute__((format(printf, 2, 3))) void mx_put(struct mx_text *t, const char *format, ...);

/* A field of the instruction by name, and bit i of one. 0 if the format has no such
 * field. */
unsigned mx_text_field(const struct mx_text *t, const char *name);
bool mx_text_bit(const struct mx_text *t, const char *name, unsigned i);

/* The dword after the instruction, which is taken as its literal. */
uint32_t mx_text_literal(struct mx_text *t);

/* Writes an operand or a modifier that a row names. */
void mx_put_operand(struct mx_text *t, const char *spec);
void mx_put_modifier(struct mx_text *t, const char *spec);

/* Writes what SIMM16 of a scalar instruction means, by the kind that a row gives it. */
void mx_put_simm16(struct mx_text *t, const char *kind);
void mx_put_gpr_idx(struct mx_text *t, unsigned modes);

/* The name of a typed buffer's format, with its brackets. */
void mx_put_format(struct mx_text *t, unsigned format);

#endif
