/* What a turn of a kernel's main loop takes: an estimate from the code alone.
 *
 * A wave issues an instruction in 4 cycles, and s_nop n takes n + 1 such times. The matrix pipe of
 * a SIMD is busy for the passes of each matrix instruction [ISA 7.1.2, table 28]. A turn takes at
 * least the longer of both; with several waves on the SIMD, their matrix cycles add up. Waits for
 * memory and barriers, LDS bandwidth and dependences are not in the estimate. */
#ifndef MX_LOOP_H
#define MX_LOOP_H

#include "../encoding/control_flow.h"

struct mx_loop {
	uint32_t begin, last; /* its first instruction and the branch back, bytes in the function */
	unsigned instructions;   /* 0: there is no such loop */
	unsigned matrix, passes; /* passes 0: they are not published */
	unsigned vector;         /* vector instructions that are not matrix instructions */
	unsigned idle;           /* times that s_nops take longer than an instruction */
};

/* The loop with the most passes, else the most matrix instructions, of those that contain no other
 * loop with matrix instructions. */
struct mx_loop mx_main_loop(const struct mx_graph *g);

unsigned mx_loop_issue_cycles(const struct mx_loop *l);
unsigned mx_loop_matrix_cycles(const struct mx_loop *l);

#endif
