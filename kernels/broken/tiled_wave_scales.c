/* L7: the waves of the second row use the scales of A of the first.
 * The correct twin is tiling/gemm_m128_n256_k256. */
#define SCALES_OF(wave_row) 0
#include "../tiling/gemm_m128_n256_k256.c"
