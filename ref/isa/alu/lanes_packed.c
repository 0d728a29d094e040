/* Packed integers: one operation on both halves of a dword, and moves of two dwords [ISA 6.7,
 * 12.10]. */
#include "lane_macros.h"

/* Computes each half with operands a, b (and c) of a type. */
#define HALF(i) ((half)(x->s[i][0][l] >> 16 * e))
#define a       HALF(0)
#define b       HALF(1)
#define c       HALF(2)
#define PACKED(name, type, exact, range)                                                           \
	LANE_FUNCTION(name) {                                                                      \
		typedef type half;                                                                 \
		for (unsigned l = 0; l < MX_LANES; l++) {                                          \
			uint32_t d[2];                                                             \
			for (unsigned e = 0; e < 2; e++) {                                         \
				int64_t r = (exact);                                               \
				d[e] = (uint32_t)(x->clamp ? mx_clamped(r, range) : r);            \
			}                                                                          \
			D((d[0] & 0xffff) | d[1] << 16);                                           \
		}                                                                                  \
	}
#define PACKED_U16(name, exact) PACKED(name, uint16_t, exact, U16_RANGE)
#define PACKED_I16(name, exact) PACKED(name, int16_t, exact, I16_RANGE)

PACKED_I16(v_pk_mad_i16, (int64_t)a *b + c)
PACKED_U16(v_pk_mad_u16, (int64_t)a *b + c)
PACKED_U16(v_pk_mul_lo_u16, (int64_t)a *b)
PACKED_I16(v_pk_add_i16, a + b)
PACKED_I16(v_pk_sub_i16, a - b)
PACKED_U16(v_pk_add_u16, a + b)
PACKED_U16(v_pk_sub_u16, a - b)
PACKED_U16(v_pk_lshlrev_b16, (int64_t)b << (a & 15))
PACKED_U16(v_pk_lshrrev_b16, b >> (a & 15))
PACKED_I16(v_pk_ashrrev_i16, b >> (a & 15))
PACKED_I16(v_pk_max_i16, MAX(a, b))
PACKED_I16(v_pk_min_i16, MIN(a, b))
PACKED_U16(v_pk_max_u16, MAX(a, b))
PACKED_U16(v_pk_min_u16, MIN(a, b))

PACKED_I16(v_pk_max3_i16, MAX(MAX(a, b), c))
PACKED_I16(v_pk_min3_i16, MIN(MIN(a, b), c))
PACKED_U16(v_pk_max3_u16, MAX(MAX(a, b), c))
PACKED_U16(v_pk_min3_u16, MIN(MIN(a, b), c))
/* The sum saturates, as in v_add_max_i32. */
PACKED_I16(v_pk_add_max_i16, MAX(mx_clamped(a + b, I16_RANGE), c))
PACKED_I16(v_pk_add_min_i16, MIN(mx_clamped(a + b, I16_RANGE), c))
PACKED_U16(v_pk_add_max_u16, MAX(mx_clamped(a + b, U16_RANGE), c))
PACKED_U16(v_pk_add_min_u16, MIN(mx_clamped(a + b, U16_RANGE), c))

/* OP_SEL has already selected a dword of each source. */
VALU(v_pk_mov_b32, D(A); x->d[1][l] = B)
