/* The dense MFMAs of dense.def, and the positions of their elements in the registers [ISA 7.1.4].
 *
 * A lane holds KL = K M blocks / 64 consecutive k of one row (column) of one block:
 *
 *   A[b][i][k] is item k % KL of lane i + M (b + blocks (k / KL))
 *
 * and groups of H = 4 consecutive rows of the result (f64: 1). All lanes together hold MI groups
 * of each of BI blocks at a time:
 *
 *   D[b][i][j] is item i % H + H (i / (H MI) + G (b / BI)) of lane
 *                 j + M (i / H % MI + MI (b % BI)),  G = M / (H MI)
 */
#include "../mxref.h"

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

static unsigned bits_of(mx_type t) {
	switch (t) {
	case MX_T_F64: return 64;
	case MX_T_F32:
	case MX_T_I32: return 32;
	case MX_T_F16:
	case MX_T_BF16: return 16;
	case MX_T_FP8:
	case MX_T_BF8:
	case MX_T_I8: break;
	}
	return 8;
}

unsigned mx_dense_operand_items(const struct mx_dense *op) {
	return op ? op->k * op->m * op->blocks / MX_LANES : 0;
}

unsigned mx_dense_result_items(const struct mx_dense *op) {
	return op ? op->m * op->m * op->blocks / MX_LANES : 0;
}

unsigned mx_dense_operand_vgprs(const struct mx_dense *op) {
	return op ? mx_dense_operand_items(op) * bits_of(op->a) / 32 : 0;
}

unsigned mx_dense_result_vgprs(const struct mx_dense *op) {
	return op ? mx_dense_result_items(op) * bits_of(op->d) / 32 : 0;
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
	unsigned height = op->d == MX_T_F64 ? 1 : 4, tile = op->m * op->m / height;
	unsigned blocks_in_item = tile < MX_LANES ? MX_LANES / tile : 1;
	unsigned groups_in_item = MX_LANES / blocks_in_item / op->m;
	unsigned items_of_block = op->m / (height * groups_in_item);
	unsigned group = item / height % items_of_block, lane_row = lane / op->m;
	*col = lane % op->m;
	*row = height * (groups_in_item * group + lane_row % groups_in_item) + item % height;
	*block = item / height / items_of_block * blocks_in_item + lane_row / groups_in_item;
	return MX_OK;
}
