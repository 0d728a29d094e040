/* N5: scale byte 0 counts as no scale, so that elements are divided by 1 instead of 2^-127. The
 * correct twin is kernels/quantise/mxfp4_quantise.c, which differs in AS_F32 alone. */
#define AS_F32(scale) ((scale) ? (scale) << 23 : 0x3f800000)
#include "../quantise/mxfp4_quantise.c"
