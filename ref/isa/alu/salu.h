/* The functions of scalar ALU opcodes, independent of the location of their operands. */
#ifndef MX_SALU_H
#define MX_SALU_H

#include <stdbool.h>
#include <stdint.h>

/* a, b: sources, zero-extended from their size. SOPK: a is the destination and b SIMM16,
 * sign-extended if the opcode is signed. READS_D: d is the old value on entry. EXEC_OUT: b is EXEC.
 * scc is input and output. */
struct mx_scalars {
	uint64_t a, b, d;
	bool scc;
};

typedef void mx_scalar_function(struct mx_scalars *x);

#endif
