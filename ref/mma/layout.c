/* The API of shapes and layouts of the scaled MFMA, with checks of the arguments. */
#include "layout.h"

unsigned mx_shape_mn(mx_shape s) {
	return mx_mn(s);
}

unsigned mx_shape_k(mx_shape s) {
	return s == MX_16X16X128 ? 128 : 64;
}

unsigned mx_operand_vgprs(mx_format f) {
	return mx_packed_bytes(f, 32) / 4;
}

static bool in_range(mx_shape s, unsigned lane) {
	return (unsigned)s <= MX_32X32X64 && lane < MX_LANES;
}

mx_status mx_layout_operand(mx_shape s, mx_format f, unsigned lane, unsigned j, unsigned *mn,
                            unsigned *k) {
	if (!mn || !k)
		return MX_BAD_POINTER;
	if ((unsigned)f >= MX_FORMATS)
		return MX_BAD_FORMAT;
	if (!in_range(s, lane) || j >= MX_BLOCK)
		return MX_BAD_OPTION;
	mx_place_operand(s, f, lane, j, mn, k);
	return MX_OK;
}

mx_status mx_layout_scale(mx_shape s, unsigned lane, unsigned *mn, unsigned *block) {
	if (!mn || !block)
		return MX_BAD_POINTER;
	if (!in_range(s, lane))
		return MX_BAD_OPTION;
	mx_place_scale(s, lane, mn, block);
	return MX_OK;
}

mx_status mx_layout_result(mx_shape s, unsigned lane, unsigned r, unsigned *row, unsigned *col) {
	if (!row || !col)
		return MX_BAD_POINTER;
	if (!in_range(s, lane) || r >= mx_shape_mn(s) * mx_shape_mn(s) / MX_LANES)
		return MX_BAD_OPTION;
	mx_place_result(s, lane, r, row, col);
	return MX_OK;
}
