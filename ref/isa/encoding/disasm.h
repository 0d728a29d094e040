/* The text of instructions, as LLVM's assembler and disassembler write it. */
#ifndef MX_DISASM_H
#define MX_DISASM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "formats.h"

/* Writes the text of the instruction at code[0] ("v_add_f32_e32 v1, 1.0, v2") and returns its size
 * in bytes: 4, 8, 12 or 16. Returns 0 and an empty text if the encoding is not valid: if llvm-mc 22
 * warns of an invalid encoding, if it prints the instruction with a remark that an operand or a
 * modifier is not valid, or if `left`, the number of dwords that may be read, is too small.
 *
 * Branch targets are the plain SIMM16 that llvm-mc prints, not addresses. text has room bytes; a
 * longer text is truncated. 200 bytes are enough, of gfx1250 500. gfx950 has no banks. */
size_t mx_gfx950_disassemble(const uint32_t *code, size_t left, unsigned banks, char *text,
                             size_t room);

/* As above. A VGPR of another bank than 0 is followed by its number, as llvm-objdump writes it:
 * v1 and then v257 in a comment. The dummy source of a scale prefix may have any value; LLVM 22
 * accepts v0 alone. */
size_t mx_gfx1250_disassemble(const uint32_t *code, size_t left, unsigned banks, char *text,
                              size_t room);

/* ---- for disasm*.c ---- */

/* A text while it is being written. */
struct mx_text {
	const struct mx_encodings *set;
	const struct mx_isa_row *form;
	mx_microcode format;
	const uint32_t *code;
	unsigned banks;      /* of VGPRs, a byte of s_set_vgpr_msb */
	size_t left, dwords; /* dwords grows when a literal is read */
	unsigned literal;    /* dwords of it */
	bool listed;         /* an operand has been written */
	bool invalid;        /* not an instruction of this format */
	bool remark;         /* of this format, but LLVM prints a remark on an operand */
	char *text;
	size_t room, length;
};

/* Appends to the text. */
__attribute__((format(printf, 2, 3))) void mx_put(struct mx_text *t, const char *format, ...);

/* A field of the instruction by name, and bit i of a field. 0 if the format has no such field. */
unsigned mx_text_field(const struct mx_text *t, const char *name);
bool mx_text_bit(const struct mx_text *t, const char *name, unsigned i);

/* Reads one or two dwords after the instruction as its literal. */
uint64_t mx_text_literal(struct mx_text *t, unsigned dwords);

/* Writes an operand or a modifier that a row names. */
void mx_put_operand(struct mx_text *t, const char *spec);
void mx_put_modifier(struct mx_text *t, const char *spec);

/* Writes the meaning of a scalar instruction's SIMM16, by the kind in its row. */
void mx_put_simm16(struct mx_text *t, const char *kind);
void mx_put_gpr_idx(struct mx_text *t, unsigned modes);

/* Writes a hardware register [ISA table of hardware registers]: ID 5:0, first bit 10:6, number of
 * bits minus one 15:11. */
void mx_put_hwreg(struct mx_text *t, unsigned v, const char *const names[64]);

/* Writes the controls of DPP16. */
void mx_put_dpp(struct mx_text *t, const char *name);

/* The name of an immediate of gfx1250. */
void mx_put_gfx1250_name(struct mx_text *t, const char *kind, unsigned v);

/* Writes a modifier that only gfx1250 has; false if there is none of this name. */
bool mx_put_gfx1250_modifier(struct mx_text *t, const char *name);

/* The name of a typed buffer's format, with its brackets. */
void mx_put_format(struct mx_text *t, unsigned format);

#endif
