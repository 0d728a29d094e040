/* The tables of the instruction sets: every form of every opcode (gfx950.def, gfx1250.def) and the
 * fields of the microcode formats [ISA chapter 13]. The decoder, the operands and the disassembler
 * use them. */
#ifndef MX_FORMATS_H
#define MX_FORMATS_H

#include "inst.h"

/* Formats of the rows; the enumerator is the sort key of a table. gfx1250 has those of scalar and
 * of short vector instructions and VOP3 in common with gfx950. */
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
	/* gfx1250; those with DPP have the rows of the format without */
	MX_FORM_VOP2_DPP,
	MX_FORM_VOP1_DPP,
	MX_FORM_VOPC_DPP,
	MX_FORM_VOP3_DPP,
	MX_FORM_PACKED_DPP,
	MX_FORM_VOP2_DPP8,
	MX_FORM_VOP1_DPP8,
	MX_FORM_VOPC_DPP8,
	MX_FORM_VOP3_DPP8,
	MX_FORM_PACKED_DPP8,
	MX_FORM_PACKED, /* VOP3P with eight bits of opcode */
	MX_FORM_WMMA_SCALE,
	MX_FORM_WMMA_SCALE16,
	MX_FORM_VOPD_X, /* the halves of two operations in one instruction: a Y follows its X */
	MX_FORM_VOPD_Y,
	MX_FORM_VOPD3_X,
	MX_FORM_VOPD3_Y,
	MX_FORM_SMEM64, /* of 8 bytes with a scope */
	MX_FORM_VDS,
	MX_FORM_VFLAT,
	MX_FORM_VSCRATCH,
	MX_FORM_VGLOBAL,
	MX_FORM_VBUFFER,
	MX_FORM_VIMAGE,
	MX_FORMS
} mx_microcode;

/* A row of a table. The head of gfx950.def defines the texts. Their addresses would be set at each
 * start of a program that loads the emulator, which takes longer than the start of most programs.
 */
typedef uint32_t mx_row_text; /* an offset: mx_text */
struct mx_isa_row {
	mx_microcode format;
	uint16_t opcode;    /* in its format */
	mx_opcode op;       /* of opcodes.def, common to all forms */
	mx_row_text name;   /* LLVM's: "v_add_f32_sdwa" */
	mx_row_text suffix; /* of the name: "_sdwa" */
	mx_row_text operands, modifiers;
	uint64_t zero, high, one; /* bits of the first two dwords that must be zero; of the next
	                             two; of the first two that must be one */
};

struct mx_prefix;
struct mx_operand_list;

/* The encodings of an instruction set. */
struct mx_encodings {
	const struct mx_isa_row *rows; /* sorted by format and opcode */
	size_t n_rows;
	const struct mx_prefix *prefixes;
	size_t n_prefixes;
	uint8_t sgprs, sgpr_end; /* general ones; where a group of four or more ends at most */
	uint8_t m0, null;        /* operand codes */
	uint8_t mask;            /* dwords of a lane mask */
	bool has_null;  /* reads give 0, writes are dropped; otherwise the code is reserved */
	bool has_banks; /* s_set_vgpr_msb */
	mx_assumption half_loaded;                /* what 16-bit loads rest on */
	_Atomic(struct mx_operand_list *) *lists; /* of the rows: mx_operands_listed */
};
extern const struct mx_encodings mx_gfx950_encodings, mx_gfx1250_encodings;

/* The assumption that all uses of an opcode rest on in an instruction set. */
static inline mx_assumption mx_rests_on(const struct mx_encodings *e, const struct mx_op *op) {
	bool half = op->flags & MX_LOAD && op->flags & (MX_D16 | MX_D16_HI);
	return half && e->half_loaded ? e->half_loaded : mx_op_rests_on(op);
}

/* The texts of all rows. */
extern const struct mx_row_texts mx_row_texts;
static inline const char *mx_text(mx_row_text at) {
	return (const char *)&mx_row_texts + at;
}

/* Copies the next operand or modifier of a list. The rest of the list, or NULL after the last. */
enum { MX_ROW_WORD = 32 };
const char *mx_row_word(const char *list, char word[MX_ROW_WORD]);

/* The form of the instruction at code[0], or NULL. Only format and opcode are compared. */
const struct mx_isa_row *mx_isa_row_of(const struct mx_encodings *e, const uint32_t *code,
                                       size_t left);

/* Whether all bits that are fixed in this format of the row have their value. */
bool mx_isa_row_is_clear(const struct mx_isa_row *f, mx_microcode format, const uint32_t *code);

/* Dwords of an instruction of a format, without a literal. */
size_t mx_microcode_dwords(mx_microcode format);

/* The next format, from *i on, that matches the highest bits of code[0]; false if there is none. */
bool mx_microcode_next(const struct mx_encodings *e, const uint32_t *code, size_t left, size_t *i,
                       mx_microcode *format);

/* The row of an encoding in one format, or NULL if a fixed bit has another value. */
const struct mx_isa_row *mx_isa_row_in(const struct mx_encodings *e, mx_microcode format,
                                       const uint32_t *code, size_t left);

/* Whether the format adds DPP to the rows of another one. */
static inline bool mx_adds_dpp(mx_microcode format) {
	return format >= MX_FORM_VOP2_DPP && format <= MX_FORM_PACKED_DPP8;
}

/* The place of a field in an instruction; bit i of a list is at low + i * stride. No field crosses
 * a dword. Width 0: the format has no such field. */
struct mx_field_place {
	uint8_t low, width, stride;
};
struct mx_field_place mx_field_place(mx_microcode format, const char *name);

static inline unsigned mx_field_at(const uint32_t *code, struct mx_field_place at) {
	return code[at.low / 32] >> at.low % 32 & ((1u << at.width) - 1);
}

/* A field of the instruction by name, and bit i of a field. 0 if the format has no such field. */
unsigned mx_field(mx_microcode format, const uint32_t *code, const char *name);
bool mx_field_bit(mx_microcode format, const uint32_t *code, const char *name, unsigned i);

/* Makes an instruction of a form with all fields 0; sets one field. False if the format has no such
 * field. */
void mx_isa_row_blank(const struct mx_encodings *e, const struct mx_isa_row *f, uint32_t code[4]);
bool mx_isa_row_set(const struct mx_isa_row *f, uint32_t code[4], const char *name, uint32_t value);

#endif
