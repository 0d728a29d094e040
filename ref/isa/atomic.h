/* What a read-modify-write operation leaves in memory, wherever that memory is: LDS, L2
 * or behind a flat address [ISA 9.2, 11.4, 12.12 to 12.15]. */
#ifndef MX_ATOMIC_H
#define MX_ATOMIC_H

#include <stdint.h>

/* Operands of one lane, zero-extended from the operation's size. */
struct mx_rmw {
	uint64_t old;     /* what memory holds */
	uint64_t data;    /* DATA, or DATA0 */
	uint64_t compare; /* compare-and-swap, masked exchange: the other operand */
	uint32_t mode;    /* rounding and denormals of float operations: MODE, or what
	                     the unit that does it fixes */
};

/* Returns what memory holds afterwards. */
typedef uint64_t mx_rmw_function(const struct mx_rmw *x);

#endif
