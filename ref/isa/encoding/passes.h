/* Passes of matrix instructions. */
#ifndef MX_PASSES_H
#define MX_PASSES_H

#include "inst.h"

/* Cycles of a pass, and from an instruction of a wave to its next one. */
enum { MX_PASS_CYCLES = 4, MX_ISSUE_CYCLES = 4 };

/* Passes of a matrix instruction, 0 for others: units of 4 cycles [ISA 7.1.2, table 28]; passes of
 * smfmac and v_mfma_f64_4x4x4_4b are from LLVM. */
unsigned mx_matrix_passes(const struct mx_inst *in);

#endif
