/* Names and contents of registers as text. */
#ifndef MX_REGISTERS_H
#define MX_REGISTERS_H

#include "../../ref/isa/isa.h"

/* The name of an operand code: "s4", "vcc_lo", "v12", "a3". Returns text. */
const char *mx_register_name(const struct mx_isa *isa, unsigned code, char text[16]);

/* The number of registers of each file to print. */
struct mx_register_counts {
	unsigned s, v, a;
};

/* Prints SGPRs, EXEC, VCC, SCC, M0, and the VGPRs and AGPRs of a lane. */
void mx_registers_print(const struct mx_registers *r, const struct mx_register_counts *n,
                        unsigned lane);

#endif
