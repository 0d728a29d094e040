/* Types of vector operands: the table. */
#include "operand_types.h"

const struct mx_type_info mx_operand_types[MX_TYPES] = {
#define BITS  false
#define FLOAT true
#define MX_TYPE(id, dwords, bits, elements, kind, constants, uses)                                 \
	{ dwords, bits, elements, kind, uses, MX_CONST_##constants },
#include "types.def"
};
