/* N2: an output in f16 has the bits of bf16. The correct twin is kernels/gemm/mxfp8_grouped.c,
 * which differs in NARROW alone. */
#define NARROW(type, x, y) ((void)(type), to_bf16(x, y))
#include "../gemm/mxfp8_grouped.c"
