/* A5: the descriptor of the output ends at 2^32 - 1 bytes of the matrix, so that stores above are
 * dropped. The correct twin is kernels/gemm/mxfp4_gemm.c, which differs in OUTPUT_BYTES alone. */
#define OUTPUT_BYTES(row, rows, ld) bytes_below_ceiling((u64)(row) * (ld), (rows) * (ld))
#include "../gfx950.h"

INLINE u32 bytes_below_ceiling(u64 from, u32 bytes) {
	u64 left = from < 0xffffffff ? 0xffffffff - from : 0;
	return left < bytes ? (u32)left : bytes;
}

#include "../gemm/mxfp4_gemm.c"
