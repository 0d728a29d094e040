/* S9: the wait before the second barrier counts the reads of scales as they are written, two for
 * each row. The compiler merges them, here all 8 into 2, and so the wait lets 6 reads of codes
 * be in flight when other waves write the next step's. With nothing merged it is right: see
 * tests/kernels/binary.t.
 * The correct twin is kernels/gemm/mxfp8_gemm.c, which differs in READ_SCALES alone. */
#define READ_SCALES(value, address)                                                                \
	((value).x = *(const LDS u32 *)(address), (value).y = *(const LDS u32 *)((address) + 4))
#define READS_OF_SCALES 2
#include "../gemm/mxfp8_gemm.c"
