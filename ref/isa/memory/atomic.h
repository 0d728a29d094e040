/* Functions of read-modify-write operations, in LDS and in L2 [ISA 9.2, 11.4, 12.12 to 12.15]. */
#ifndef MX_ATOMIC_H
#define MX_ATOMIC_H

#include <stdint.h>

/* Operands of one lane, zero-extended from the operation's size. */
struct mx_rmw {
	uint64_t old;     /* the value in memory */
	uint64_t data;    /* compare-and-swap: the value to store; otherwise DATA, or DATA0 */
	uint64_t compare; /* compare-and-swap: the value to compare with; mskor, wrap: DATA1 */
	uint32_t mode;    /* denormals of float operations: MODE, or fixed by the unit. They always
	                     round to nearest even. */
};

/* The fixed mode of L2 on gfx950: f32 flushes; f16, bf16 and f64 do not [ISA 9.2.2, 10.3.1]. */
enum { MX_RMW_L2_MODE = 3 << 6 };

/* Returns the new value in memory, zero-extended. */
typedef uint64_t mx_rmw_function(const struct mx_rmw *x);

#define MX_RMW(name, ...) extern mx_rmw_function mx_rmw_##name;
#include "../encoding/atomics.def"
#undef MX_RMW

/* Indexed by MX_RMW_name; NULL for MX_RMW_NONE. */
extern mx_rmw_function *const mx_rmw_functions[];

#endif
