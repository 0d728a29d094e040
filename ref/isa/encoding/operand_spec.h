/* An operand of a row of gfx950.def (the head of that file defines the letters), and its value in
 * an instruction. */
#ifndef MX_OPERAND_SPEC_H
#define MX_OPERAND_SPEC_H

#include "formats.h"

struct mx_operand_spec {
	char field[16], class, type;
	unsigned size;         /* dwords; 0: by the element format */
	bool neg, abs, sext;   /* which modifiers apply */
	bool if_set, if_clear; /* present only if `condition` is set, or clear */
	char condition[8];     /* a field */
	bool is_number;        /* an immediate, no register or constant */

	/* Of a list of a row, in the row's own format, because a search for fields by name takes
	 * most of the time of decoding: the place of the value, what it is multiplied by, what is
	 * added, and the bit that selects AGPRs. scale 0: other fields matter, too. */
	mx_microcode format;
	struct mx_field_place place, acc;
	uint8_t scale;
	uint16_t first;
	int8_t bank; /* mx_bank_slot */
};

/* The operands of a row. */
enum { MX_LISTED = 8 };
struct mx_operand_list {
	unsigned n;
	struct mx_operand_spec spec[MX_LISTED];
};

/* The operands of a row of the encodings, which the first call parses and keeps. If memory is
 * short, they are in `own`. */
const struct mx_operand_list *mx_operands_listed(const struct mx_encodings *e,
                                                 const struct mx_isa_row *row,
                                                 struct mx_operand_list *own);

/* Parses the next operand of a row. Returns the rest of the list, or NULL if there is no
 * operand. */
const char *mx_operand_next(const char *list, struct mx_operand_spec *o);

/* Whether the instruction has the operand: evaluates conditions, and addresses that can be off. */
bool mx_operand_is_there(mx_microcode format, const uint32_t *code,
                         const struct mx_operand_spec *o);

/* Its size in dwords. The size of addresses and mixed formats depends on other fields. */
unsigned mx_operand_dwords(mx_microcode format, const uint32_t *code,
                           const struct mx_operand_spec *o);

/* The element format of A (0) or B (1) of a matrix instruction with several. */
unsigned mx_element_format(mx_microcode format, const uint32_t *code, unsigned i);

/* The operand code in its field, from 256 on for VGPRs; and whether it is an AGPR. */
unsigned mx_operand_code(mx_microcode format, const uint32_t *code,
                         const struct mx_operand_spec *o);
bool mx_operand_is_agpr(mx_microcode format, const uint32_t *code, const struct mx_operand_spec *o);

/* The number at the end of a field's name: 1 of "vsrc1". */
unsigned mx_operand_index(const struct mx_operand_spec *o);

/* Of gfx1250: which pair of bits of s_set_vgpr_msb has the bank of its VGPRs: source 0, 1, 2 or the
 * destination [LLVM "VGPR MSB"]. -1: they are in bank 0. */
int mx_bank_slot(const struct mx_isa_row *row, const struct mx_operand_spec *o);

bool mx_is_sdwa(mx_microcode format);

#endif
