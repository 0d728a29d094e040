/* Layouts of WMMA operands. Arguments must be in range.
 *
 * A lane holds half of K of its row of A, or of its column of B, in runs: lanes 0 to 15 the even
 * runs, lanes 16 to 31 the odd ones. A run is 16 bytes of registers, or 32 FP6, or all that the
 * lane has. The second 16 rows of a 32-row A follow in the registers after the first. Of a SWMMAC
 * A is that of half its K, and runs of B have as many pairs of k again. */
#ifndef MX_WMMA_H
#define MX_WMMA_H

#include "dense.h"

static inline unsigned mx_wmma_rows(const struct mx_wmma *op, mx_side s) {
	return s == MX_SIDE_A ? op->m : MX_WMMA_N;
}

static inline unsigned mx_wmma_bits(const struct mx_wmma *op, mx_side s, mx_format f) {
	return op->ab[s] == MX_T_F8F6F4 ? mx_format_info(f)->bits : mx_type_bits(op->ab[s]);
}

/* Elements of a row of A that are stored, or of a column of B. */
static inline unsigned mx_wmma_stored(const struct mx_wmma *op, mx_side s) {
	return op->sparse && s == MX_SIDE_A ? op->k / 2 : op->k;
}

static inline unsigned mx_wmma_run(const struct mx_wmma *op, mx_side s, unsigned bits) {
	unsigned run = bits == 6 ? 32 : 128 / bits, half = mx_wmma_stored(op, MX_SIDE_A) / 2;
	run = run < half ? run : half;
	return op->sparse && s == MX_SIDE_B ? 2 * run : run;
}

static inline void mx_place_wmma_operand(const struct mx_wmma *op, mx_side s, mx_format f,
                                         unsigned lane, unsigned item, unsigned *mn, unsigned *k) {
	unsigned run = mx_wmma_run(op, s, mx_wmma_bits(op, s, f));
	unsigned half = mx_wmma_stored(op, s) / 2, at = item % half;
	*mn = lane % 16 + 16 * (item / half);
	*k = run * (2 * (at / run) + lane / 16) + at % run;
}

#endif
