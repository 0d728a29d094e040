/* Sums and products of partly known numbers: known bits limit how far an unknown carry reaches. */
#ifndef MX_SUMS_H
#define MX_SUMS_H

#include "taint.h"

/* Unwritten bits of value are 0. Two numbers with the same nonzero register are equal. */
struct mx_known {
	uint64_t value, unwritten;
	unsigned reg;
};

/* The function of an opcode on its sources (the fourth is a carry); NULL if it is not a sum. */
typedef struct mx_known mx_sum(const struct mx_known s[MX_TAINT_SOURCES]);
mx_sum *mx_sum_of(const struct mx_op *op);

#endif
