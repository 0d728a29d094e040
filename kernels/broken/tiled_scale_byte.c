/* L5: the scale is always byte 0 of its dword.
 * The correct twin is tiling/gemm_m64_n128_k512. */
#define SCALE_BYTE(fragment, step) 0
#include "../tiling/gemm_m64_n128_k512.c"
