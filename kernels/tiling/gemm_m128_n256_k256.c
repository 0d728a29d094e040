/* MXFP4 GEMM on data-tiled operands, tiles of 128x256x256: four waves, 64x128 each. */
enum { TILE_M = 128, TILE_N = 256, TILE_K = 256, WAVES_M = 2, WAVES_N = 2, GROUPED = 1 };
#define GEMM tiled_gemm_m128_n256_k256
#include "tiled_gemm.h"
