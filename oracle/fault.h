/* Known faults of GEMM kernels: changes to one element's operands. */
#ifndef MX_FAULT_H
#define MX_FAULT_H

#include "exact/exact.h"

/* A copy of one element's rows of A and B, which a fault may change, and the whole operands, from
 * which it may take data. */
struct mx_element_product {
	struct exact_gemm whole, one;
	size_t row, col, blocks;
	uint8_t *codes[2], *scales[2]; /* of A and B; room for 2 K elements */
	unsigned block_bytes[2];
};

enum { MX_BLOCK_BYTES = 32 }; /* largest size of a block's codes */

int mx_element_make(const struct exact_gemm *whole, struct mx_element_product *e);
void mx_element_free(struct mx_element_product *e);
void mx_element_at(struct mx_element_product *e, size_t row, size_t col);

/* Operand A (side 0) or B (side 1). mx_element_take copies one of its rows to e. */
const struct exact_operand *mx_element_operand(const struct exact_gemm *g, unsigned side);
void mx_element_take(struct mx_element_product *e, unsigned side, size_t row);

/* Applies a fault to e; false: it does not apply, or changes nothing. `range` gives the values of
 * `parameter`; side is 0 for A and 1 for B. */
struct mx_fault {
	const char *text; /* printf format; arguments: the operand's name, unless `both`, and the
	                     parameter */
	bool (*apply)(struct mx_element_product *e, unsigned side, long parameter);
	enum mx_fault_range {
		MX_FAULT_ONCE,      /* parameter 0 */
		MX_FAULT_BLOCKS,    /* each 32-block of K */
		MX_FAULT_NEIGHBOUR, /* -128 .. 128, powers of two */
		MX_FAULT_ROWS,      /* distance to each other row */
	} range;
	bool both; /* side has no meaning */
};
extern const struct mx_fault mx_faults[];
extern const size_t mx_n_faults;

#endif
