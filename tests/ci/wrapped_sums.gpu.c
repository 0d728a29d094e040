/* A4: the byte of C at which a group begins wraps around 32 bits. */
#define GROUP_AT(g, N, K) ((g) * (N) * (K) * 4u >> 2)
#include "../../cases/foreign/mxfp8_wgrad.c"
