/* Dot products of packed integers [ISA 12.7, 12.10]. CLAMP applies once, to the exact sum
 * (assumed). */
#include "lane_macros.h"

static inline int64_t signed_dot(uint32_t p, uint32_t q, unsigned width) {
	int64_t sum = 0;
	for (unsigned up = 32 - width, i = 0; i < 32; i += width)
		sum += (int64_t)((int32_t)(p << (up - i)) >> up) * ((int32_t)(q << (up - i)) >> up);
	return sum;
}

static inline int64_t unsigned_dot(uint32_t p, uint32_t q, unsigned width) {
	int64_t sum = 0;
	for (unsigned up = 32 - width, i = 0; i < 32; i += width)
		sum += (int64_t)(p << (up - i) >> up) * (q << (up - i) >> up);
	return sum;
}

/* NEG of a source says that its numbers are signed. */
static inline int64_t mixed_dot(uint32_t p, uint32_t q, unsigned width, unsigned is_signed) {
	int64_t sum = 0;
	for (unsigned up = 32 - width, i = 0; i < 32; i += width) {
		int64_t a = p << (up - i) >> up, b = q << (up - i) >> up;
		a = is_signed & 1 ? (int32_t)(p << (up - i)) >> up : a;
		b = is_signed & 2 ? (int32_t)(q << (up - i)) >> up : b;
		sum += a * b;
	}
	return sum;
}
VALU_CLAMPS(v_dot4_i32_iu8, mixed_dot(A, B, 8, x->truth) + IC, I32_RANGE)
VALU_CLAMPS(v_dot8_i32_iu4, mixed_dot(A, B, 4, x->truth) + IC, I32_RANGE)

VALU_CLAMPS(v_dot2_i32_i16, signed_dot(A, B, 16) + IC, I32_RANGE)
VALU_CLAMPS(v_dot4_i32_i8, signed_dot(A, B, 8) + IC, I32_RANGE)
VALU_CLAMPS(v_dot8_i32_i4, signed_dot(A, B, 4) + IC, I32_RANGE)
VALU_CLAMPS(v_dot2c_i32_i16, signed_dot(A, B, 16) + IC, I32_RANGE)
VALU_CLAMPS(v_dot4c_i32_i8, signed_dot(A, B, 8) + IC, I32_RANGE)
VALU_CLAMPS(v_dot8c_i32_i4, signed_dot(A, B, 4) + IC, I32_RANGE)
VALU_CLAMPS(v_dot2_u32_u16, unsigned_dot(A, B, 16) + C, U32_RANGE)
VALU_CLAMPS(v_dot4_u32_u8, unsigned_dot(A, B, 8) + C, U32_RANGE)
VALU_CLAMPS(v_dot8_u32_u4, unsigned_dot(A, B, 4) + C, U32_RANGE)
