/* Rows a gibibyte apart: their offsets are 32 or 64 bits wide. For far_test; a lane has a row. */
#include "../../kernels/gfx950.h"

typedef int i32;
typedef long i64;

#define ROWS(name, offset_type)                                                                    \
	KERNEL(64) void store_##name(GLOBAL u8 *rows, u32 n) {                                     \
		if (LANE() < n)                                                                    \
			*(GLOBAL u32 *)(rows + (i64)((offset_type)LANE() << 30)) = 100 + LANE();   \
	}                                                                                          \
	KERNEL(64) void load_##name(GLOBAL u8 *rows, u32 n, GLOBAL u32 *to) {                      \
		if (LANE() < n)                                                                    \
			to[LANE()] = *(GLOBAL u32 *)(rows + (i64)((offset_type)LANE() << 30));     \
	}

ROWS(i64, i64)
ROWS(u32, u32)
ROWS(i32, i32)
