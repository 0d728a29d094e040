/* An operand as a row of gfx950.def spells it, whose head says what the letters mean; and what it
 * is in an instruction. */
#ifndef MX_OPERAND_SPEC_H
#define MX_OPERAND_SPEC_H

#include "formats.h"

struct mx_operand_spec {
	char field[16], class, type;
	unsigned size;         /* dwords; 0: by the element format */
	bool neg, abs, sext;   /* which modifiers apply */
	bool if_set, if_clear; /* it is there only if `condition` is set, or clear */
	char condition[8];     /* a field */
};

/* Reads the next of a row's operands; returns what follows it, or NULL where there is none. */
const char *mx_operand_next(const char *list, struct mx_operand_spec *o);

/* Whether the instruction has the operand: conditions, and addresses that may be off. */
bool mx_operand_is_there(mx_microcode format, const uint32_t *code,
                         const struct mx_operand_spec *o);

/* Its dwords: those of addresses and mixed formats depend on other fields. */
unsigned mx_operand_dwords(mx_microcode format, const uint32_t *code,
                           const struct mx_operand_spec *o);

/* The operand code in its field, from 256 on for VGPRs; whether that means an AGPR. */
unsigned mx_operand_code(mx_microcode format, const uint32_t *code,
                         const struct mx_operand_spec *o);
bool mx_operand_is_agpr(mx_microcode format, const uint32_t *code, const struct mx_operand_spec *o);

/* The number at the end of a field's name: 1 of "vsrc1". */
unsigned mx_operand_index(const struct mx_operand_spec *o);

bool mx_is_sdwa(mx_microcode format);

#endif
