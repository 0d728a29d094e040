/* Planting: the elements of a product that must be in it, whatever the seed (results.def). */
#ifndef MX_CASES_PLANT_H
#define MX_CASES_PLANT_H

#include "fill.h"

/* Which part of the operands is one product: rows of A and of B, blocks of K. */
struct product {
	size_t row[2], rows[2]; /* of A and B */
	size_t block, blocks;
	size_t whole; /* of these blocks, the last may have elements that are not summed */
	size_t split; /* blocks of each split of K; 0: K is not split */
};

enum { MAX_PLANTED = 128 };

/* The elements of C that lines of the table make what they are, and what a bias is to add there. */
struct planted {
	size_t n;
	struct {
		size_t row, col;
		unsigned side; /* of the target: 0 for A, 1 for B */
		double bias;
	} at[MAX_PLANTED];
};

enum { NO_BIAS = -1 };

/* One product after another, `index` counts them. output: the type of C. s: a stream that both
 * operands share. bias_side: whose rows an f32 bias belongs to, 0 for A, or NO_BIAS. Fails where an
 * element is not what the table says. planted: of the last product. */
int plant_results(const struct operand *const side[2], const struct product *p, size_t index,
                  mx_buffer_type output, int bias_side, struct stream s, struct planted *planted,
                  struct mx_error *err);

/* An operand as fill_exact filled it. */
struct exact_side {
	const struct operand *o;
	struct reach reach;
	int base;
};

/* The same in the exact regime, of an output in 16 bits: ties (plant_exact.c). */
int plant_ties(const struct exact_side side[2], const struct product *p, size_t index,
               mx_buffer_type output, struct stream s, struct mx_error *err);

#endif
