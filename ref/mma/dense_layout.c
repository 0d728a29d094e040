/* The dense MFMAs of dense.def, and the positions of their elements in the registers [ISA 7.1.4].
 *
 * A lane holds KL = K M blocks / 64 consecutive k of one row (column) of one block:
 *
 *   A[b][i][k] is item k % KL of lane i + M (b + blocks (k / KL))
 *
 * dense.h has the result.
 */
#include "dense.h"

#include <string.h>

static const struct mx_dense rows[] = {
#define MX_DENSE(id, m, k, blocks, a, b, d)                                                        \
	{ "v_mfma_" #id, m, k, blocks, MX_T_##a, MX_T_##b, MX_T_##d },
#include "dense.def"
#undef MX_DENSE
};

const struct mx_dense *mx_dense_at(size_t i) {
	return i < sizeof rows / sizeof *rows ? &rows[i] : NULL;
}

const struct mx_dense *mx_dense_by_name(const char *name) {
	const struct mx_dense *op;
	for (size_t i = 0; name && (op = mx_dense_at(i)); i++)
		if (!strcmp(op->name, name))
			return op;
	return NULL;
}

unsigned mx_dense_operand_items(const struct mx_dense *op) {
	return op ? op->k * op->m * op->blocks / MX_LANES : 0;
}

unsigned mx_dense_result_items(const struct mx_dense *op) {
	return op ? op->m * op->m * op->blocks / MX_LANES : 0;
}

unsigned mx_dense_operand_vgprs(const struct mx_dense *op) {
	return op ? mx_dense_operand_items(op) * mx_type_bits(op->a) / 32 : 0;
}

unsigned mx_dense_result_vgprs(const struct mx_dense *op) {
	return op ? mx_dense_result_items(op) * mx_type_bits(op->d) / 32 : 0;
}

mx_status mx_dense_operand(const struct mx_dense *op, unsigned lane, unsigned item, unsigned *block,
                           unsigned *mn, unsigned *k) {
	if (!op || !block || !mn || !k)
		return MX_BAD_POINTER;
	if (lane >= MX_LANES || item >= mx_dense_operand_items(op))
		return MX_BAD_OPTION;
	*mn = lane % op->m;
	*block = lane / op->m % op->blocks;
	*k = mx_dense_operand_items(op) * (lane / (op->m * op->blocks)) + item;
	return MX_OK;
}

mx_status mx_dense_result(const struct mx_dense *op, unsigned lane, unsigned item, unsigned *block,
                          unsigned *row, unsigned *col) {
	if (!op || !block || !row || !col)
		return MX_BAD_POINTER;
	if (lane >= MX_LANES || item >= mx_dense_result_items(op))
		return MX_BAD_OPTION;
	mx_place_dense_result(op->m, op->d == MX_T_F64 ? 1 : 4, lane, item, block, row, col);
	return MX_OK;
}
