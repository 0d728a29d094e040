/* Planting: elements that a product must contain for every seed (results.def). */
#ifndef MX_CASES_PLANT_H
#define MX_CASES_PLANT_H

#include "fill.h"

/* The part of the operands that is one product: rows of A and of B, blocks of K. */
struct product {
	size_t row[2], rows[2]; /* of A and B */
	size_t block, blocks;
	size_t whole; /* blocks with only summed elements; the last block may be partial */
	size_t split; /* blocks of a split of K; 0: K is not split */
};

enum { MAX_PLANTED = 128 };

/* The elements of C that lines of the table define, and the bias that each needs. */
struct planted {
	size_t n;
	struct {
		size_t row, col;
		unsigned side; /* the target's operand: 0 for A, 1 for B */
		double bias;
	} at[MAX_PLANTED];
};

enum { NO_BIAS = -1 };

/* Plants the results of product `index`; products are planted in order. output: the type of C. s: a
 * stream that both operands share. bias_side: the operand with rows that an f32 bias belongs to, 0
 * for A, or NO_BIAS. planted: of the last product. Fails if an element differs from the table. */
int plant_results(const struct operand *const side[2], const struct product *p, size_t index,
                  mx_buffer_type output, int bias_side, struct stream s, struct planted *planted,
                  struct mx_error *err);

/* An operand filled by fill_exact. */
struct exact_side {
	const struct operand *o;
	struct reach reach;
	int base;
};

/* The same in the exact regime, for an output in 16 bits: ties (plant_exact.c). */
int plant_ties(const struct exact_side side[2], const struct product *p, size_t index,
               mx_buffer_type output, struct stream s, struct mx_error *err);

#endif
