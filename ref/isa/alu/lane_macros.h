/* Macros that define lane functions: one body, executed for each lane l. Private to lanes_*.c. */
#ifndef MX_LANE_MACROS_H
#define MX_LANE_MACROS_H

#include "lanes.h"

/* The head of a lane function. */
#define LANE_FUNCTION(name)                                                                        \
	mx_lane_function MX_L(name);                                                               \
	void MX_L(name)(struct mx_lanes * x)

#define VALU(name, ...)                                                                            \
	LANE_FUNCTION(name) {                                                                      \
		for (unsigned l = 0; l < MX_LANES; l++) {                                          \
			__VA_ARGS__;                                                               \
		}                                                                                  \
	}

/* The same function under another name, for an opcode that differs only in its operands. */
#define SAME(name, as)                                                                             \
	LANE_FUNCTION(name) {                                                                      \
		MX_L(as)(x);                                                                       \
	}

#define A        (x->s[0][0][l])
#define B        (x->s[1][0][l])
#define C        (x->s[2][0][l])
#define IA       ((int32_t)A)
#define IB       ((int32_t)B)
#define IC       ((int32_t)C)
#define WIDE(i)  (x->s[i][0][l] | (uint64_t)x->s[i][1][l] << 32)
#define IN       ((uint32_t)(x->mask_in >> l & 1))
#define D(value) x->d[0][l] = (value)
#define D64(value)                                                                                 \
	do {                                                                                       \
		uint64_t r_ = (value);                                                             \
		x->d[0][l] = (uint32_t)r_;                                                         \
		x->d[1][l] = (uint32_t)(r_ >> 32);                                                 \
	} while (0)
#define OUT(bit) x->mask_out |= (uint64_t)(bit) << l
#define ASSUME_IF(condition, id)                                                                   \
	(x->assumed |= (uint64_t)(condition) << l, x->rule = MX_ASSUMES_##id)
#define MIN(a, b) ((a) < (b) ? (a) : (b))
#define MAX(a, b) ((a) > (b) ? (a) : (b))

/* CLAMP: the number of the result's type that is nearest to a result in wide arithmetic [ISA
 * 6.5]. */
static inline int64_t mx_clamped(int64_t v, int64_t least, int64_t most) {
	return v < least ? least : v > most ? most : v;
}
#define U16_RANGE 0, 0xffff
#define I16_RANGE -0x8000, 0x7fff
#define U32_RANGE 0, 0xffffffff
#define I32_RANGE INT32_MIN, INT32_MAX

/* A function with a result that wraps around, or saturates with CLAMP. */
#define VALU_CLAMPS(name, exact, range)                                                            \
	LANE_FUNCTION(name) {                                                                      \
		if (x->clamp)                                                                      \
			for (unsigned l = 0; l < MX_LANES; l++)                                    \
				D((uint32_t)mx_clamped(exact, range));                             \
		else                                                                               \
			for (unsigned l = 0; l < MX_LANES; l++)                                    \
				D((uint32_t)(exact));                                              \
	}

/* Bit i of the truth table is the result for source bits {A, B, C} = i. */
static inline uint32_t mx_bitop3(uint8_t table, uint32_t a, uint32_t b, uint32_t c) {
	uint32_t d = 0;
	for (unsigned i = 0; i < 8; i++)
		if (table >> i & 1)
			d |= (i & 4 ? a : ~a) & (i & 2 ? b : ~b) & (i & 1 ? c : ~c);
	return d;
}

/* Half of the lanes: their mask has the width of their values, so that the compiler can make vector
 * instructions of a loop with both. */
enum { HALF = 32 };

/* A lane mask. */
#define VALU_MASK(name, condition)                                                                 \
	LANE_FUNCTION(name) {                                                                      \
		for (size_t first = 0; first < MX_LANES; first += HALF) {                          \
			uint32_t mask = 0;                                                         \
			for (size_t i = 0, l = first; i < HALF; i++, l++)                          \
				mask |= (uint32_t)(condition) << i;                                \
			x->mask_out |= (uint64_t)mask << first;                                    \
		}                                                                                  \
	}

/* A comparison, and its variant that also writes EXEC. */
#define COMPARE(name, condition)                                                                   \
	VALU_MASK(v_cmp_##name, condition)                                                         \
	VALU_MASK(v_cmpx_##name, condition)

/* The eight comparisons of integers. */
#define COMPARE_INTEGERS(type, a, b)                                                               \
	COMPARE(f_##type, 0)                                                                       \
	COMPARE(lt_##type, a < b)                                                                  \
	COMPARE(eq_##type, a == b)                                                                 \
	COMPARE(le_##type, a <= b)                                                                 \
	COMPARE(gt_##type, a > b)                                                                  \
	COMPARE(ne_##type, a != b)                                                                 \
	COMPARE(ge_##type, a >= b)                                                                 \
	COMPARE(t_##type, 1)

#endif
