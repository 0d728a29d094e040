/* Layouts: the lane and register of each matrix element [ISA 7.1.5, 7.2]. Arguments must be in
 * range.
 *
 * Lanes form groups of MN = M = N; lane % MN is the row or column, and each
 * group g holds a share of K. FP4 and FP6 lanes hold 32 consecutive k. An FP8
 * lane holds 16 from each half of K:
 *
 *   bytes     0 .. 15              16 .. 31
 *   k     16g .. 16g+15    K/2+16g .. K/2+16g+15
 */
#ifndef MX_MMA_LAYOUT_H
#define MX_MMA_LAYOUT_H

#include "../mxref.h"

static inline void mx_place_operand(mx_shape s, mx_format f, unsigned lane, unsigned j,
                                    unsigned *mn, unsigned *k) {
	unsigned group = lane / mx_shape_mn(s);
	*mn = lane % mx_shape_mn(s);
	if (mx_format_info(f)->bits == 8)
		*k = j / 16 * (mx_shape_k(s) / 2) + 16 * group + j % 16;
	else
		*k = 32 * group + j;
}

static inline void mx_place_scale(mx_shape s, unsigned lane, unsigned *mn, unsigned *block) {
	*mn = lane % mx_shape_mn(s);
	*block = lane / mx_shape_mn(s);
}

/* Four registers are four rows; the next four rows belong to the next group. */
static inline void mx_place_result(mx_shape s, unsigned lane, unsigned r, unsigned *row,
                                   unsigned *col) {
	unsigned groups = MX_LANES / mx_shape_mn(s);
	*row = 4 * groups * (r / 4) + 4 * (lane / mx_shape_mn(s)) + r % 4;
	*col = lane % mx_shape_mn(s);
}

#endif
