/* What a scalar ALU opcode computes, apart from where its operands are. */
#ifndef MX_SALU_H
#define MX_SALU_H

#include <stdbool.h>
#include <stdint.h>

/* a, b: sources, zero-extended from their size; for SOPK a is the destination and
 * b SIMM16, sign-extended where the opcode is signed; for READS_D opcodes d comes in as it was, for
 * EXEC_OUT ones b is EXEC. scc in and out. */
struct mx_scalars {
	uint64_t a, b, d;
	bool scc;
};

typedef void mx_scalar_function(struct mx_scalars *x);

#endif
