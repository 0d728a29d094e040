/* The functions of the scalar and vector ALU, by opcode; NULL if an opcode has none. */
#ifndef MX_FUNCTIONS_H
#define MX_FUNCTIONS_H

#include "../encoding/inst.h"
#include "lanes.h"
#include "salu.h"

extern mx_scalar_function *const mx_scalar_functions[MX_OPS];

/* The table for this CPU, and those of each step. */
mx_lane_function *const *mx_lane_functions(void);
typedef mx_lane_function *const mx_lane_functions_of_step[MX_OPS];
extern mx_lane_functions_of_step MX_STEPS_OF(mx_lane_table);

#endif
