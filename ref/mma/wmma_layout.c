/* The WMMAs of wmma.def, and the positions of their elements in the registers of 32 lanes. */
#include "wmma.h"

#include <string.h>

static const struct mx_wmma rows[] = {
#define MX_WMMA(id, m, k, a, b, c, d, block)                                                       \
	{ "v_wmma_" #id, m, k, { MX_T_##a, MX_T_##b }, MX_T_##c, MX_T_##d, block, false },
#define MX_SWMMAC(id, k, a, b, c, d)                                                               \
	{ "v_swmmac_" #id, 16, k, { MX_T_##a, MX_T_##b }, MX_T_##c, MX_T_##d, 0, true },
#include "wmma.def"
#undef MX_WMMA
#undef MX_SWMMAC
};

const struct mx_wmma *mx_wmma_at(size_t i) {
	return i < sizeof rows / sizeof *rows ? &rows[i] : NULL;
}

const struct mx_wmma *mx_wmma_by_name(const char *name) {
	const struct mx_wmma *op;
	for (size_t i = 0; name && (op = mx_wmma_at(i)); i++)
		if (!strcmp(op->name, name))
			return op;
	return NULL;
}

static bool takes(const struct mx_wmma *op, mx_side s, mx_format f) {
	return (op->ab[s] != MX_T_F8F6F4 || (unsigned)f < MX_FORMATS) &&
	       (op->ab[s] != MX_T_FP4 || f == MX_E2M1);
}

unsigned mx_wmma_operand_items(const struct mx_wmma *op, mx_side s) {
	return op && s <= MX_SIDE_B ? mx_wmma_rows(op, s) * mx_wmma_stored(op, s) / MX_WAVE32 : 0;
}

unsigned mx_wmma_operand_vgprs(const struct mx_wmma *op, mx_side s, mx_format f) {
	unsigned items = mx_wmma_operand_items(op, s);
	return items && takes(op, s, f) ? items * mx_wmma_bits(op, s, f) / 32 : 0;
}

unsigned mx_wmma_result_items(const struct mx_wmma *op) {
	return op ? op->m * MX_WMMA_N / MX_WAVE32 : 0;
}

unsigned mx_wmma_result_vgprs(const struct mx_wmma *op) {
	return op ? mx_wmma_result_items(op) * mx_type_bits(op->d) / 32 : 0;
}

mx_status mx_wmma_operand(const struct mx_wmma *op, mx_side s, mx_format f, unsigned lane,
                          unsigned item, unsigned *mn, unsigned *k) {
	if (!op || !mn || !k)
		return MX_BAD_POINTER;
	if (lane >= MX_WAVE32 || item >= mx_wmma_operand_items(op, s))
		return MX_BAD_OPTION;
	if (!takes(op, s, f))
		return MX_BAD_FORMAT;
	mx_place_wmma_operand(op, s, f, lane, item, mn, k);
	return MX_OK;
}

mx_status mx_wmma_result(const struct mx_wmma *op, unsigned lane, unsigned item, unsigned *row,
                         unsigned *col) {
	if (!op || !row || !col)
		return MX_BAD_POINTER;
	if (lane >= MX_WAVE32 || item >= mx_wmma_result_items(op))
		return MX_BAD_OPTION;
	mx_place_wmma_result(lane, item, row, col);
	return MX_OK;
}
