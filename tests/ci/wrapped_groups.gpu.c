/* A4: the byte of A at which a group begins wraps around 32 bits. */
#define FIRST_ROW(p, g) ((u64)((u32)(p).begin[g] * (p).K / (p).K))
#include "../../cases/foreign/mxfp8_grouped.c"
