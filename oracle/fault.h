/* Known faults of GEMM kernels as changes of one element's operands. */
#ifndef MX_FAULT_H
#define MX_FAULT_H

#include "exact/exact.h"

/* One element's product, in memory of its own: rows of A and B that a fault may change, and
 * the whole operands, which it may take from. */
struct mx_element_product {
	struct exact_gemm whole, one;
	size_t row, col, blocks;
	uint8_t *codes[2], *scales[2]; /* of A and B; room for twice K */
	unsigned block_bytes[2];
};

enum { MX_BLOCK_BYTES = 32 }; /* of codes, at most */

int mx_element_make(const struct exact_gemm *whole, struct mx_element_product *e);
void mx_element_free(struct mx_element_product *e);
void mx_element_at(struct mx_element_product *e, size_t row, size_t col);

/* Operand A (side 0) or B; and one of its rows, into e. */
const struct exact_operand *mx_element_operand(const struct exact_gemm *g, unsigned side);
void mx_element_take(struct mx_element_product *e, unsigned side, size_t row);

/* Changes e by a fault; false: it does not apply, or changes nothing. `parameter` is below
 * mx_fault_parameters, side 0 for A and 1 for B. */
struct mx_fault {
	const char
		*text; /* printf format: of the operand's name, unless `both`, and the parameter */
	bool (*apply)(struct mx_element_product *e, unsigned side, long parameter);
	enum mx_fault_range {
		MX_FAULT_ONCE,      /* parameter 0 */
		MX_FAULT_BLOCKS,    /* each 32-block of K */
		MX_FAULT_NEIGHBOUR, /* -128 .. 128, powers of two */
		MX_FAULT_ROWS,      /* each other row */
	} range;
	bool both; /* side does not matter */
};
extern const struct mx_fault mx_faults[];
extern const size_t mx_n_faults;

#endif
