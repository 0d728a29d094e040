/* MXFP4 GEMM on data-tiled operands, tiles of 64x128x512: eight waves, 32x32 each. */
enum { TILE_M = 64, TILE_N = 128, TILE_K = 512, WAVES_M = 2, WAVES_N = 4, GROUPED = 0 };
#define GEMM tiled_gemm_m64_n128_k512
#include "tiled_gemm.h"
