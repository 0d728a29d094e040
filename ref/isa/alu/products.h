/* Results of matrix instructions, kept for launches that compute the same again.
 *
 * The runs of a hunt differ in their schedule, so almost every matrix instruction has the operands
 * that it had in the run before. To compare them is faster than to multiply. The n-th matrix
 * instruction of a wave has a place, which has all that its last result depends on: operands,
 * scales, the instruction's fields, the profile. All of these bits are compared, so that a result
 * is that of the computation. One thread uses them at a time. */
#ifndef MX_PRODUCTS_H
#define MX_PRODUCTS_H

#include "../machine/wave.h"

/* What a result depends on, in pieces, which are compared in this order. */
enum { MX_PRODUCT_PIECES = 8 };
struct mx_product {
	unsigned n;
	struct {
		const void *at;
		size_t bytes;
	} piece[MX_PRODUCT_PIECES];
};

static inline void mx_product_of(struct mx_product *p, const void *at, size_t bytes) {
	p->piece[p->n].at = at;
	p->piece[p->n++].bytes = bytes;
}

/* Of the matrix instruction that the wave executes: the registers of its kept result if that has
 * the same pieces, else NULL. */
const mx_vreg *mx_products_find(struct mx_wave *w, const struct mx_product *p);

/* Keeps its result, unless memory is short or there are too many. */
void mx_products_keep(struct mx_wave *w, const struct mx_product *p, const mx_vreg *d, unsigned n);

#endif
