/* What a read-modify-write operation leaves in memory, wherever that memory is: LDS, L2
 * or behind a flat address [ISA 9.2, 11.4, 12.12 to 12.15]. */
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

mx_rmw_function mx_rmw_swap32, mx_rmw_cmpswap32, mx_rmw_add32, mx_rmw_sub32, mx_rmw_rsub32,
	mx_rmw_inc32, mx_rmw_dec32, mx_rmw_smin32, mx_rmw_umin32, mx_rmw_smax32, mx_rmw_umax32,
	mx_rmw_and32, mx_rmw_or32, mx_rmw_xor32, mx_rmw_mskor32, mx_rmw_wrap32;
mx_rmw_function mx_rmw_swap64, mx_rmw_cmpswap64, mx_rmw_add64, mx_rmw_sub64, mx_rmw_rsub64,
	mx_rmw_inc64, mx_rmw_dec64, mx_rmw_smin64, mx_rmw_umin64, mx_rmw_smax64, mx_rmw_umax64,
	mx_rmw_and64, mx_rmw_or64, mx_rmw_xor64, mx_rmw_mskor64, mx_rmw_wrap64;
mx_rmw_function mx_rmw_condxchg32, mx_rmw_add_f32, mx_rmw_min_f32, mx_rmw_max_f32,
	mx_rmw_cmpswap_f32, mx_rmw_add_f64, mx_rmw_min_f64, mx_rmw_max_f64, mx_rmw_cmpswap_f64,
	mx_rmw_pk_add_f16, mx_rmw_pk_add_bf16;

#endif
