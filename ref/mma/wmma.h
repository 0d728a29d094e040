/* Layouts of WMMA operands. Arguments must be in range.
 *
 * A lane holds half of K of its row of A, or of its column of B, in runs: lanes 0 to 15 the even
 * runs, lanes 16 to 31 the odd ones. A run is 16 bytes of registers, or 32 FP6, or all that the
 * lane has. The second 16 rows of a 32-row A follow in the registers after the first. */
#ifndef MX_WMMA_H
#define MX_WMMA_H

#include "dense.h"

static inline unsigned mx_wmma_rows(const struct mx_wmma *op, mx_side s) {
	return s == MX_SIDE_A ? op->m : MX_WMMA_N;
}

static inline unsigned mx_wmma_bits(const struct mx_wmma *op, mx_side s, mx_format f) {
	return op->ab[s] == MX_T_F8F6F4 ? mx_format_info(f)->bits : mx_type_bits(op->ab[s]);
}

static inline unsigned mx_wmma_run(const struct mx_wmma *op, unsigned bits) {
	unsigned run = bits == 6 ? 32 : 128 / bits;
	return run < op->k / 2 ? run : op->k / 2;
}

static inline void mx_place_wmma_operand(const struct mx_wmma *op, mx_side s, mx_format f,
                                         unsigned lane, unsigned item, unsigned *mn, unsigned *k) {
	unsigned run = mx_wmma_run(op, mx_wmma_bits(op, s, f)), half = op->k / 2, at = item % half;
	*mn = lane % 16 + 16 * (item / half);
	*k = run * (2 * (at / run) + lane / 16) + at % run;
}

#endif
