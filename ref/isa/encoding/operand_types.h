/* Types of vector operands: the rows of types.def. */
#ifndef MX_OPERAND_TYPES_H
#define MX_OPERAND_TYPES_H

#include "inst.h"

struct mx_type_info {
	uint8_t dwords, bits, elements;
	bool is_float;
	uint32_t uses; /* bits of the first dword that the opcode reads */
	enum { MX_CONST_F32, MX_CONST_F64, MX_CONST_F16, MX_CONST_BF16 } constants;
};
extern const struct mx_type_info mx_operand_types[MX_TYPES];

#endif
