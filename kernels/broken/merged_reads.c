/* S9: the wait before the second barrier counts the reads of scales in the source, two for each
 * row. The compiler merges them, here 8 into 2. So the wait lets 6 reads of codes be in flight when
 * other waves write the next step's codes. Without merging the wait is right: see
 * tests/kernels/binary.t. The correct twin is kernels/gemm/mxfp8_gemm.c, which differs in
 * READ_SCALES alone. */
#define READ_SCALES(value, address)                                                                \
	((value).x = *(const LDS u32 *)(address), (value).y = *(const LDS u32 *)((address) + 4))
#define READS_OF_SCALES 2
#include "../gemm/mxfp8_gemm.c"
