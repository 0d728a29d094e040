/* Kernels that take a recipe, a layout, a leading dimension and a fill as arguments, and twins that
 * are right for the first of each alone. */
#include "../../kernels/gfx950.h"

#include <stdbool.h>

/* ---- E2M1 by the recipe floor or even; a lane has a block of 32 numbers ---- */

enum { OCP_FLOOR, EVEN };

INLINE u32 exponent_of(u32 amax, u32 recipe, bool is_right) {
	u32 half = 1 << 21; /* half a unit of the last place of E2M1 */
	if (recipe == EVEN)
		amax += is_right ? half : half / 2;
	return amax >> 23 < 2 ? 0 : (amax >> 23) - 2;
}

INLINE void quantise_block(const GLOBAL float *x, GLOBAL u32 *codes, GLOBAL u8 *scale, u32 recipe,
                           bool is_right) {
	u32 amax = 0;
	for (u32 i = 0; i < 32; i++) {
		u32 bits = __builtin_bit_cast(u32, x[i]) & 0x7fffffff;
		amax = bits > amax ? bits : amax;
	}
	u32 exponent = exponent_of(amax, recipe, is_right);
	float unit = __builtin_bit_cast(float, exponent << 23);
	for (u32 i = 0; i < 4; i++, x += 8) {
		u32 packed = 0;
#define PACK(byte)                                                                                 \
	packed = __builtin_amdgcn_cvt_scalef32_pk_fp4_f32(packed, x[2 * (byte)],                   \
	                                                  x[2 * (byte) + 1], unit, byte)
		PACK(0);
		PACK(1);
		PACK(2);
		PACK(3);
		codes[i] = packed;
	}
	*scale = (u8)exponent;
}

#define QUANTISE(name, is_right)                                                                   \
	KERNEL(64)                                                                                 \
	void name(const GLOBAL float *X, GLOBAL u32 *codes, GLOBAL u8 *scales, u32 blocks,         \
	          u32 recipe) {                                                                    \
		u32 i = __builtin_amdgcn_workgroup_id_x() * 64 + LANE();                           \
		if (i < blocks)                                                                    \
			quantise_block(X + 32 * (u64)i, codes + 4 * (u64)i, scales + i, recipe,    \
			               is_right);                                                  \
	}

QUANTISE(quantise, true)
QUANTISE(quantise_quarter, false)

/* ---- scales in rows to a layout; a workgroup has a padded row ---- */

enum { S32X8, FLYDSL_32 };

struct rules {
	u32 flydsl_pad;   /* columns are padded to a multiple of it */
	bool has_ld;      /* else rows are taken as packed */
	bool has_padding; /* else the fill is taken as 0 */
};

INLINE u32 place(u32 row, u32 col, u32 cols, u32 layout, u32 pad) {
	u32 tile = row / 32, high = row / 16 % 2, width = (cols + pad - 1) / pad * pad;
	if (layout == FLYDSL_32)
		return (((tile * 16 + row % 16) * (width / 4) + col / 4) * 2 + high) * 4 + col % 4;
	return (((tile * (width / 8) + col / 8) * 4 + col % 4) * 16 + row % 16) * 4 +
	       col / 4 % 2 * 2 + high;
}

INLINE void pack_row(const GLOBAL u8 *from, GLOBAL u8 *to, u32 rows, u32 cols, u32 ld, u32 layout,
                     u32 fill, struct rules rules) {
	u32 row = __builtin_amdgcn_workgroup_id_x(), pad = layout == S32X8 ? 8 : rules.flydsl_pad;
	for (u32 col = LANE(); col < (cols + pad - 1) / pad * pad; col += 64) {
		u32 byte = rules.has_padding ? fill : 0;
		if (row < rows && col < cols)
			byte = from[row * (rules.has_ld ? ld : cols) + col];
		to[place(row, col, cols, layout, pad)] = (u8)byte;
	}
}

#define PACK_ROWS(name, ...)                                                                       \
	KERNEL(64)                                                                                 \
	void name(const GLOBAL u8 *from, GLOBAL u8 *to, u32 rows, u32 cols, u32 ld, u32 layout,    \
	          u32 fill) {                                                                      \
		pack_row(from, to, rows, cols, ld, layout, fill, (struct rules){ __VA_ARGS__ });   \
	}

PACK_ROWS(pack_rows, 4, true, true)
PACK_ROWS(pack_wide, 8, true, true)
PACK_ROWS(pack_packed, 4, false, true)
PACK_ROWS(pack_zeros, 4, true, false)
