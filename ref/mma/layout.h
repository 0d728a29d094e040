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

static inline unsigned mx_mn(mx_shape s) {
	return s == MX_16X16X128 ? 16 : 32;
}

/* By the bits of the format. */
static inline void mx_place_item(mx_shape s, unsigned bits, unsigned lane, unsigned j, unsigned *mn,
                                 unsigned *k) {
	unsigned group = lane / mx_mn(s), K = MX_LANES * MX_BLOCK / mx_mn(s);
	*mn = lane % mx_mn(s);
	*k = bits == 8 ? j / 16 * (K / 2) + 16 * group + j % 16 : MX_BLOCK * group + j;
}

static inline void mx_place_operand(mx_shape s, mx_format f, unsigned lane, unsigned j,
                                    unsigned *mn, unsigned *k) {
	mx_place_item(s, mx_format_info(f)->bits, lane, j, mn, k);
}

static inline void mx_place_scale(mx_shape s, unsigned lane, unsigned *mn, unsigned *block) {
	*mn = lane % mx_mn(s);
	*block = lane / mx_mn(s);
}

/* Four registers are four rows; the next four rows belong to the next group. */
static inline void mx_place_result(mx_shape s, unsigned lane, unsigned r, unsigned *row,
                                   unsigned *col) {
	unsigned groups = MX_LANES / mx_mn(s);
	*row = 4 * groups * (r / 4) + 4 * (lane / mx_mn(s)) + r % 4;
	*col = lane % mx_mn(s);
}

#endif
