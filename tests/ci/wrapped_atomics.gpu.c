/* A4: the byte of C at which a row begins wraps around 32 bits. */
#define OUTPUT_AT(row, N) ((row) * (N) * 2u >> 1)
#include "../../kernels/gemm/mxfp4_splitk.c"
