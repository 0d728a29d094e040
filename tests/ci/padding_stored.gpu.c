/* A12: the kernel stores rows up to the begin of the next group, padding included. */
#define GROUP_ROWS(p, g) ((u32)((p).begin[(g) + 1] - (p).begin[g]))
#include "../../cases/foreign/mxfp8_grouped.c"
