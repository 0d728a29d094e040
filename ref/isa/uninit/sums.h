/* Sums and products of numbers of which some bits are known: carries end where known bits
 * end them. */
#ifndef MX_SUMS_H
#define MX_SUMS_H

#include "taint.h"

/* Bits of value are 0 where they are unwritten. Two of the same register, not 0, are equal. */
struct mx_known {
	uint64_t value, unwritten;
	unsigned reg;
};

/* What an opcode computes of its sources (and a carry, the fourth); NULL if it is no sum. */
typedef struct mx_known mx_sum(const struct mx_known s[MX_TAINT_SOURCES]);
mx_sum *mx_sum_of(const struct mx_op *op);

#endif
