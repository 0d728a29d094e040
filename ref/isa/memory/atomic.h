/* What a read-modify-write operation leaves in memory, in LDS as
 * well as in L2 [ISA 9.2, 11.4, 12.12 to 12.15]. */
#ifndef MX_ATOMIC_H
#define MX_ATOMIC_H

#include <stdint.h>

/* Operands of one lane, zero-extended from the operation's size. */
struct mx_rmw {
	uint64_t old;     /* what memory holds */
	uint64_t data;    /* compare-and-swap: what to store; else DATA, or DATA0 */
	uint64_t compare; /* compare-and-swap: what memory must hold; mskor, wrap: DATA1 */
	uint32_t mode;    /* denormals of float operations: MODE, or what the unit that does
	                     it fixes. They round to nearest even whatever it says. */
};

/* What L2 fixes: f32 flushes, f16, bf16 and f64 do not [ISA 9.2.2, 10.3.1]. */
enum { MX_RMW_L2_MODE = 3 << 6 };

/* Returns what memory holds afterwards, zero-extended. */
typedef uint64_t mx_rmw_function(const struct mx_rmw *x);

#define MX_RMW(name, ...) extern mx_rmw_function mx_rmw_##name;
#include "../encoding/atomics.def"
#undef MX_RMW

/* Of MX_RMW_name, and NULL of MX_RMW_NONE. */
extern mx_rmw_function *const mx_rmw_functions[];

#endif
