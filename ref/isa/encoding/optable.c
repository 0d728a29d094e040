/* The opcode table: the rows of opcodes.def, with sizes from gfx950.def. */
#include <pthread.h>
#include <string.h>

#include "decode.h"
#include "operand_spec.h"

#define ROW(encoding, name, unit) #name, MX_OP_##name, MX_##encoding, MX_UNIT_##unit

struct mx_op mx_gfx950_ops[MX_OPS] = {
#define MX_SALU(encoding, name, what) { ROW(encoding, name, SALU), .flags = what },
#define MX_FLOW(encoding, name, what) { ROW(encoding, name, FLOW), .flags = what },
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
#define MX_SCALAR_AS(encoding, name, vector, what)                                                 \
	{ ROW(encoding, name, FLOW), .s = { 0, 0, ((what)&MX_READS_D) != 0 }, .flags = what,       \
	  .as = MX_OP_##vector },
#define MX_MATRIX(encoding, name, what) { ROW(encoding, name, MATRIX), .flags = what },
#define MX_ROUNDS_RNE                   0
#define MX_ROUNDS_SR                    MX_RESTS_ON(STOCHASTIC)
#define MX_ROUNDS_SR_HALVES             MX_RESTS_ON(STOCHASTIC_HALVES)
#define MX_SCALES_PLAIN                 0
#define MX_SCALES_SCALED                0
#define MX_SCALES_EXPONENT              MX_KIND(EXPONENT)
#define MX_SCALES_BYTES                 MX_RESTS_ON(SCALE_PLACE)
#define MX_CVT(encoding, id, from, to, n, ops, scale, round)                                       \
	{ ROW(encoding, v_cvt_##id, CVT), .flags = MX_ROUNDS_##round | MX_SCALES_##scale,          \
	  .cvt = MX_CVT_##id },
#define MX_SMEM_ACCESS(name, bytes, unit, what)                                                    \
	{ ROW(SMEM, name, MEMORY), bytes, { 0, unit, 0 }, .flags = what },
#define MX_SMEM_ATOMIC(name, bytes, function, what)                                                \
	{ ROW(SMEM, name, MEMORY), bytes, { 0, 1, 0 }, .flags = what, .rmw = MX_RMW_##function },
#define MX_MEMORY(encoding, name, bytes, what)                                                     \
	{ ROW(encoding, name, MEMORY), bytes, .flags = what },
#define MX_LDS(encoding, name, bytes, what) { ROW(encoding, name, MEMORY), bytes, .flags = what },
#define MX_ATOMIC(encoding, name, bytes, what, function)                                           \
	{ ROW(encoding, name, MEMORY), bytes, .flags = what, .rmw = MX_RMW_##function },
#include "opcodes.def"
};

/* ---- sizes: those of LLVM's operands ---- */

static void size_destination(struct mx_op *op, unsigned dwords) {
	if (op->flags & MX_SDST_IN)
		op->s[0] = (uint8_t)dwords;
	if (!(op->flags & MX_SDST_KEPT))
		op->d = (uint8_t)dwords;
}

/* A and B of mixed formats have at most MIXED. The data of a clock count in bytes, as all memory
 * does. */
static void size_operand(struct mx_op *op, const struct mx_operand_spec *o) {
	enum { MIXED = 8 };
	unsigned dwords = o->size ? o->size : MIXED;
	if (o->is_number)
		return;
	if (!strcmp(o->field, "sdst") || !strcmp(o->field, "vdst"))
		size_destination(op, dwords);
	else if (!strcmp(o->field, "sdata") && op->unit == MX_UNIT_FLOW)
		op->d = (uint8_t)(4 * dwords);
	else if (!strcmp(o->field, "sbase"))
		op->s[0] = (uint8_t)dwords;
	else if (strstr(o->field, "src") && mx_operand_index(o) < 3)
		op->s[mx_operand_index(o)] = (uint8_t)dwords;
}

/* The vector ALU has sizes by type, memory in bytes, conversions in cvt.def. */
static bool has_listed_sizes(const struct mx_op *op) {
	return op->unit == MX_UNIT_SALU || op->unit == MX_UNIT_FLOW || op->unit == MX_UNIT_MATRIX ||
	       op->encoding == MX_SMEM;
}

void mx_size_operands(struct mx_op *op, const struct mx_isa_row *row) {
	struct mx_operand_spec o;
	const char *list = has_listed_sizes(op) ? mx_text(row->operands) : "";
	while ((list = mx_operand_next(list, &o)))
		size_operand(op, &o);
}

static void size_all(void) {
	for (size_t i = 0; i < mx_gfx950_encodings.n_rows; i++) {
		const struct mx_isa_row *row = &mx_gfx950_encodings.rows[i];
		if (row->op < MX_OPS)
			mx_size_operands(&mx_gfx950_ops[row->op], row);
	}
}

const struct mx_op *mx_gfx950_sized_ops(void) {
	static pthread_once_t once = PTHREAD_ONCE_INIT;
	pthread_once(&once, size_all);
	return mx_gfx950_ops;
}

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
