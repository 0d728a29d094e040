/* Where alpha is 0 the kernel takes the output for 0, and leaves C out. */
#define READS_C(beta) ((beta) != 0 && p.alpha != 0)
#include "../../kernels/gemm/mxfp8_epilogue.c"
