/* The text of gfx950 instructions, as LLVM's assembler and disassembler write it. */
#ifndef MX_DISASM_H
#define MX_DISASM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "formats.h"

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

/* ---- for disasm*.c ---- */

/* A text while it is being written. */
struct mx_text {
	const struct mx_isa_row *form;
	const uint32_t *code;
	size_t left, dwords; /* dwords grows by one where a literal is taken */
	bool literal;
	bool invalid; /* not an instruction of this format */
	bool remark;  /* it is one, but LLVM remarks on an operand */
	char *text;
	size_t room, length;
};

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
