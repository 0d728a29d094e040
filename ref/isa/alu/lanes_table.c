/* The lane functions of the vector ALU, by opcode. */
#include "functions.h"

#define MX_VALU(encoding, name, ...) extern mx_lane_function MX_L(name);
#define MX_VCMP(encoding, name, ...) extern mx_lane_function MX_L(name);
#include "../encoding/opcodes.def"

mx_lane_function *const MX_STEPPED(mx_lane_table)[MX_OPS] = {
#define MX_VALU(encoding, name, ...) [MX_OP_##name] = MX_L(name),
#define MX_VCMP(encoding, name, ...) [MX_OP_##name] = MX_L(name),
#include "../encoding/opcodes.def"
};
