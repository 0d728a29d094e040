/* The table of the instruction set: every form of every opcode (gfx950.def) and the fields of the
 * microcode formats [ISA chapter 13]. The decoder, the operands and the disassembler use it. */
#ifndef MX_FORMATS_H
#define MX_FORMATS_H

#include "inst.h"

/* Formats of rows of gfx950.def; the enumerator is the sort key of the table. */
typedef enum {
	MX_FORM_SOP2,
	MX_FORM_SOPK,
	MX_FORM_SOP1,
	MX_FORM_SOPC,
	MX_FORM_SOPP,
	MX_FORM_SMEM,
	MX_FORM_VOP2,
	MX_FORM_VOP1,
	MX_FORM_VOPC,
	MX_FORM_SDWA2,
	MX_FORM_SDWA1,
	MX_FORM_SDWAC,
	MX_FORM_DPP2,
	MX_FORM_DPP1,
	MX_FORM_VOP3,
	MX_FORM_VOP3P,
	MX_FORM_SCALED,
	MX_FORM_DS,
	MX_FORM_FLAT,
	MX_FORM_SCRATCH,
	MX_FORM_GLOBAL,
	MX_FORM_MUBUF,
	MX_FORM_MTBUF,
	MX_FORMS
} mx_microcode;

/* A row of gfx950.def. The head of that file defines the strings. */
struct mx_isa_row {
	mx_microcode format;
	uint16_t opcode;    /* in its format */
	mx_opcode op;       /* of opcodes.def, common to all forms */
	const char *name;   /* LLVM's: "v_add_f32_sdwa" */
	const char *suffix; /* of the name: "_sdwa" */
	const char *operands, *modifiers;
	uint64_t zero; /* bits of the first two dwords that must be zero */
};

/* Row i of gfx950.def, or NULL beyond the last. */
const struct mx_isa_row *mx_isa_row(size_t i);

/* The form of the instruction at code[0], or NULL. Only format and opcode are compared. */
const struct mx_isa_row *mx_isa_row_of(const uint32_t *code, size_t left);

/* Whether all bits that must be zero are zero. */
bool mx_isa_row_is_clear(const struct mx_isa_row *f, const uint32_t *code);

/* Dwords of an instruction of a format, without a literal. */
size_t mx_microcode_dwords(mx_microcode format);

/* The next format, from *i on, that matches the highest bits of code[0]; false if there is none. */
bool mx_microcode_next(const uint32_t *code, size_t left, size_t *i, mx_microcode *format);

/* The row of an encoding in one format, or NULL if a bit is set that must be zero. */
const struct mx_isa_row *mx_isa_row_in(mx_microcode format, const uint32_t *code, size_t left);

/* A field of the instruction by name, and bit i of a field. 0 if the format has no such field. */
unsigned mx_field(mx_microcode format, const uint32_t *code, const char *name);
bool mx_field_bit(mx_microcode format, const uint32_t *code, const char *name, unsigned i);

/* Makes an instruction of a form with all fields 0; sets one field. False if the format has no such
 * field. */
void mx_isa_row_blank(const struct mx_isa_row *f, uint32_t code[4]);
bool mx_isa_row_set(const struct mx_isa_row *f, uint32_t code[4], const char *name, uint32_t value);

#endif
