/* Formats of typed buffers: widths, and the assumptions of their conversions. */
#include "buffer_formats.h"

/* Widths of components from bit 0 up, x first. The names of packed formats begin with the highest
 * bits [Mesa ac_formats.c: R11G11B10 is 10_11_11]. */
const uint8_t mx_data_formats[16][4] = {
	[1] = { 8 },
	[2] = { 16 },
	[3] = { 8, 8 },
	[4] = { 32 },
	[5] = { 16, 16 },
	[6] = { 11, 11, 10 },
	[7] = { 10, 11, 11 },
	[8] = { 2, 10, 10, 10 },
	[9] = { 10, 10, 10, 2 },
	[10] = { 8, 8, 8, 8 },
	[11] = { 32, 32 },
	[12] = { 16, 16, 16, 16 },
	[13] = { 32, 32, 32 },
	[14] = { 32, 32, 32, 32 },
};

mx_assumption mx_typed_store_rests_on(unsigned bits, unsigned numeric) {
	static const mx_assumption rule[] = {
		[MX_NUMERIC_UNORM] = MX_ASSUMES_NEAR_TIE, [MX_NUMERIC_SNORM] = MX_ASSUMES_NEAR_TIE,
		[MX_NUMERIC_USCALED] = MX_ASSUMES_SCALED, [MX_NUMERIC_SSCALED] = MX_ASSUMES_SCALED,
		[MX_NUMERIC_UINT] = MX_ASSUMES_CLAMPED,   [MX_NUMERIC_SINT] = MX_ASSUMES_CLAMPED,
		[MX_NUMERIC_FLOAT] = MX_ASSUMES_TO_FLOAT,
	};
	return bits == 32 ? MX_ASSUMES_NOTHING : rule[numeric];
}

/* The assumption of loads of a format. */
static mx_assumption load_rests_on(unsigned bits, unsigned numeric, bool half) {
	if (numeric == MX_NUMERIC_UNORM || numeric == MX_NUMERIC_SNORM)
		return MX_ASSUMES_NORMALISED;
	bool integer = numeric == MX_NUMERIC_UINT || numeric == MX_NUMERIC_SINT;
	bool fits = bits < 16 || (bits == 16 && (integer || numeric == MX_NUMERIC_FLOAT));
	return !half || fits ? MX_ASSUMES_NOTHING
	       : integer     ? MX_ASSUMES_TO_SHORT
	                     : MX_ASSUMES_TO_HALF;
}

/* D16 data is stored into components of 16 bits without conversion. */
static bool stores_as_is(const struct mx_inst *in, unsigned bits, unsigned numeric) {
	bool half = in->op->flags & (MX_D16 | MX_D16_HI);
	return half && bits == 16 &&
	       (numeric == MX_NUMERIC_UINT || numeric == MX_NUMERIC_SINT ||
	        numeric == MX_NUMERIC_FLOAT);
}

mx_assumption mx_typed_rests_on(const struct mx_inst *in) {
	unsigned bits = mx_data_formats[in->mem.format & 15][0], numeric = in->mem.format >> 4 & 7;
	if (in->op->flags & MX_LOAD)
		return load_rests_on(bits, numeric, in->op->flags & (MX_D16 | MX_D16_HI));
	return stores_as_is(in, bits, numeric) ? MX_ASSUMES_NOTHING
	                                       : mx_typed_store_rests_on(bits, numeric);
}
