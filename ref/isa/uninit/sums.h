/* Sums and products of partly known numbers: known bits limit how far an unknown carry reaches. */
#ifndef MX_SUMS_H
#define MX_SUMS_H

#include "../../num/cpu.h"
#include "taint.h"

/* Unwritten bits of value are 0. Two numbers with the same nonzero register are equal. */
struct mx_known {
	uint64_t value, unwritten;
	unsigned reg;
};

/* The function of an opcode on its sources (the fourth is a carry); NULL if it is not a sum. */
typedef struct mx_known mx_sum(const struct mx_known s[MX_TAINT_SOURCES]);
mx_sum *mx_sum_of(const struct mx_op *op);

/* The same number of all lanes of a wave, with the same unwritten bits in each; and the unwritten
 * bits of the sum in each lane, in sums_lanes.c. */
struct mx_known_lanes {
	uint64_t value[MX_LANES], unwritten;
	unsigned reg;
};
typedef void mx_sum_lanes(const struct mx_known_lanes s[MX_TAINT_SOURCES],
                          uint64_t unwritten[MX_LANES]);
typedef mx_sum_lanes *mx_sum_finder(const struct mx_op *op);
extern mx_sum_finder MX_STEPS_OF(mx_sum_of_lanes);

#endif
