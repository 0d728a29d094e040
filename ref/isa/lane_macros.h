/* How the files lanes_*.c write their functions: one body for each lane l. Private to them. */
#ifndef MX_LANE_MACROS_H
#define MX_LANE_MACROS_H

#include "lanes.h"

#define VALU(name, body)                                                                           \
	void mx_l_##name(struct mx_lanes *x);                                                      \
	void mx_l_##name(struct mx_lanes *x) {                                                     \
		for (unsigned l = 0; l < MX_LANES; l++) {                                          \
			body;                                                                      \
		}                                                                                  \
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
#define OUT(bit)  x->mask_out |= (uint64_t)(bit) << l
#define MIN(a, b) ((a) < (b) ? (a) : (b))
#define MAX(a, b) ((a) > (b) ? (a) : (b))

/* A comparison and its twin that also writes EXEC. */
#define COMPARE(name, condition)                                                                   \
	VALU(v_cmp_##name, OUT(condition))                                                         \
	VALU(v_cmpx_##name, OUT(condition))

#endif
