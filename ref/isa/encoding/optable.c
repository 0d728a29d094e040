/* The opcode table: opcodes.def, and the functions that its rows name. */
#include "decode.h"

const struct mx_op mx_ops[] = {
#define MX_SALU(enc, op, name, d, a, b, what)                                                      \
	{ #name,                                                                                   \
	  MX_##enc,                                                                                \
	  op,                                                                                      \
	  d,                                                                                       \
	  { a, b, 0 },                                                                             \
	  .flags = what,                                                                           \
	  .handler = mx_exec_salu,                                                                 \
	  .scalar = mx_s_##name },
#define MX_FLOW(enc, op, name, d, a, ...)                                                          \
	{ #name, MX_##enc, op, d, { a, 0, 0 }, .flags = __VA_ARGS__ + 0, .handler = mx_x_##name },
#define MX_VALU(enc, op, name, d, a, b, c, what)                                                   \
	{ #name,                                                                                   \
	  MX_##enc,                                                                                \
	  op,                                                                                      \
	  MX_DWORDS_##d,                                                                           \
	  { MX_DWORDS_##a, MX_DWORDS_##b, MX_DWORDS_##c },                                         \
	  MX_TYPE_##d,                                                                             \
	  { MX_TYPE_##a, MX_TYPE_##b, MX_TYPE_##c },                                               \
	  what,                                                                                    \
	  mx_exec_valu,                                                                            \
	  .lanes = mx_l_##name },
#define MX_VCMP(enc, op, name, a, b, what)                                                         \
	{ #name,                                                                                   \
	  MX_##enc,                                                                                \
	  op,                                                                                      \
	  0,                                                                                       \
	  { MX_DWORDS_##a, MX_DWORDS_##b, 0 },                                                     \
	  MX_TYPE_NONE,                                                                            \
	  { MX_TYPE_##a, MX_TYPE_##b, MX_TYPE_NONE },                                              \
	  MX_MASK_ONLY | (what),                                                                   \
	  mx_exec_vcmp,                                                                            \
	  .lanes = mx_l_##name },
#define MX_MATRIX(enc, op, name, d, a, b, c, ...)                                                  \
	{ #name, MX_##enc, op, d, { a, b, c }, .flags = __VA_ARGS__ + 0, .handler = mx_exec_mfma },
#define MX_ROUNDS_RNE 0
#define MX_ROUNDS_SR  MX_RESTS_ON(STOCHASTIC)
#define MX_CVT(enc, op, id, from, to, n, ops, scale, round)                                        \
	{ "v_cvt_" #id,           MX_##enc,          op, .flags = MX_CONVERTS | MX_ROUNDS_##round, \
	  .handler = mx_exec_cvt, .cvt = MX_CVT_##id },
#define MX_SMEM_ACCESS(op, name, bytes, base, unit, what)                                          \
	{ #name, MX_SMEM, op, bytes, { base, unit, 0 }, .flags = what, .handler = mx_exec_SMEM },
#define MX_SMEM_ATOMIC(op, name, bytes, base, function, ...)                                       \
	{ #name,                                                                                   \
	  MX_SMEM,                                                                                 \
	  op,                                                                                      \
	  bytes,                                                                                   \
	  { base, 1, 0 },                                                                          \
	  .flags = __VA_ARGS__ + 0,                                                                \
	  .handler = mx_exec_SMEM,                                                                 \
	  .rmw = mx_rmw_##function },
#define MX_MEMORY(enc, op, name, bytes, what)                                                      \
	{ #name, MX_##enc, op, bytes, .flags = what, .handler = mx_exec_##enc },
#define MX_LDS(enc, op, name, bytes, what)                                                         \
	{ #name, MX_##enc, op, bytes, .flags = what, .handler = mx_x_##name },
#define MX_ATOMIC(enc, op, name, bytes, what, function)                                            \
	{ #name,                                                                                   \
	  MX_##enc,                                                                                \
	  op,                                                                                      \
	  bytes,                                                                                   \
	  .flags = what,                                                                           \
	  .handler = mx_exec_##enc,                                                                \
	  .rmw = mx_rmw_##function },
#include "opcodes.def"
};

size_t mx_op_count(void) {
	return sizeof mx_ops / sizeof *mx_ops;
}

const char *mx_op_name(size_t i) {
	return mx_ops[i].name;
}

const struct mx_op *mx_op_find(mx_encoding e, unsigned opcode) {
	for (size_t i = 0; i < mx_op_count(); i++)
		if (mx_ops[i].encoding == e && mx_ops[i].opcode == opcode)
			return &mx_ops[i];
	return NULL;
}

/* v_readlane and v_readfirstlane. */
bool mx_is_vector_to_scalar(const struct mx_op *op) {
	return op->d && !op->lanes && (op->encoding == MX_VOP1 || op->encoding == MX_VOP3);
}

/* VOP3 holds every VOPC, VOP2 and VOP1 opcode a second time [ISA 13.3.6]. */
const struct mx_op *mx_op_find_vop3(unsigned opcode) {
	if (opcode < 0x100)
		return mx_op_find(MX_VOPC, opcode);
	if (opcode < 0x140) {
		const struct mx_op *op = mx_op_find(MX_VOP2, opcode - 0x100);
		return op && op->flags & (MX_LITERAL_1 | MX_LITERAL_2) ? NULL : op;
	}
	if (opcode < 0x1c0) {
		const struct mx_op *op = mx_op_find(MX_VOP1, opcode - 0x140);
		bool short_only = op && (mx_is_vector_to_scalar(op) ||
		                         op->flags & MX_TO_AGPR); /* [ISA 12.8] */
		return short_only ? NULL : op;
	}
	return mx_op_find(MX_VOP3, opcode);
}
