/* The functions of the scalar and vector ALU, by opcode. */
#include "functions.h"

#define MX_SALU(encoding, name, ...) extern mx_scalar_function mx_s_##name;
#define MX_VALU(encoding, name, ...) extern mx_lane_function mx_l_##name;
#define MX_VCMP(encoding, name, ...) extern mx_lane_function mx_l_##name;
#include "../encoding/opcodes.def"

mx_scalar_function *const mx_scalar_functions[MX_OPS] = {
#define MX_SALU(encoding, name, ...) [MX_OP_##name] = mx_s_##name,
#include "../encoding/opcodes.def"
};

mx_lane_function *const mx_lane_functions[MX_OPS] = {
#define MX_VALU(encoding, name, ...) [MX_OP_##name] = mx_l_##name,
#define MX_VCMP(encoding, name, ...) [MX_OP_##name] = mx_l_##name,
#include "../encoding/opcodes.def"
};
