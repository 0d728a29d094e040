/* The opcode table: the rows of opcodes.def. */
#include "decode.h"

#define ROW(encoding, name, unit) #name, MX_OP_##name, MX_##encoding, MX_UNIT_##unit

const struct mx_op mx_gfx950_ops[MX_OPS] = {
#define MX_SALU(encoding, name, d, a, b, what)                                                     \
	{ ROW(encoding, name, SALU), d, { a, b, 0 }, .flags = what },
#define MX_FLOW(encoding, name, d, a, what)                                                        \
	{ ROW(encoding, name, FLOW), d, { a, 0, 0 }, .flags = what },
#define MX_VALU(encoding, name, d, a, b, c, what)                                                  \
	{ ROW(encoding, name, VALU),                                                               \
	  MX_DWORDS_##d,                                                                           \
	  { MX_DWORDS_##a, MX_DWORDS_##b, MX_DWORDS_##c },                                         \
	  MX_TYPE_##d,                                                                             \
	  { MX_TYPE_##a, MX_TYPE_##b, MX_TYPE_##c },                                               \
	  what },
#define MX_VCMP(encoding, name, a, b, what)                                                        \
	{ ROW(encoding, name, VCMP),                                                               \
	  0,                                                                                       \
	  { MX_DWORDS_##a, MX_DWORDS_##b, 0 },                                                     \
	  MX_TYPE_NONE,                                                                            \
	  { MX_TYPE_##a, MX_TYPE_##b, MX_TYPE_NONE },                                              \
	  what },
#define MX_MATRIX(encoding, name, d, a, b, c, what)                                                \
	{ ROW(encoding, name, MATRIX), d, { a, b, c }, .flags = what },
#define MX_ROUNDS_RNE 0
#define MX_ROUNDS_SR  MX_RESTS_ON(STOCHASTIC)
#define MX_CVT(encoding, opcode, id, from, to, n, ops, scale, round)                               \
	{ ROW(encoding, v_cvt_##id, CVT), .flags = MX_ROUNDS_##round, .cvt = MX_CVT_##id },
#define MX_SMEM_ACCESS(name, bytes, base, unit, what)                                              \
	{ ROW(SMEM, name, MEMORY), bytes, { base, unit, 0 }, .flags = what },
#define MX_SMEM_ATOMIC(name, bytes, base, function, what)                                          \
	{ ROW(SMEM, name, MEMORY), bytes, { base, 1, 0 }, .flags = what, .rmw = MX_RMW_##function },
#define MX_MEMORY(encoding, name, bytes, what)                                                     \
	{ ROW(encoding, name, MEMORY), bytes, .flags = what },
#define MX_LDS(encoding, name, bytes, what) { ROW(encoding, name, MEMORY), bytes, .flags = what },
#define MX_ATOMIC(encoding, name, bytes, what, function)                                           \
	{ ROW(encoding, name, MEMORY), bytes, .flags = what, .rmw = MX_RMW_##function },
#include "opcodes.def"
};

bool mx_is_vector_to_scalar(const struct mx_op *op) {
	mx_kind kind = mx_kind_of(op);
	return kind == MX_IS_READLANE || kind == MX_IS_READFIRST;
}

unsigned mx_rmw_is(mx_rmw_kind kind) {
	static const uint8_t properties[] = {
		[MX_RMW_NONE] = 0,
#define MX_RMW(name, what) [MX_RMW_##name] = what,
#include "atomics.def"
#undef MX_RMW
	};
	return properties[kind];
}
