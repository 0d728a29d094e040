/* A12: a group's rows are taken to go on to where the next group begins. */
#define GROUP_ROWS(p, g) ((u32)((p).begin[(g) + 1] - (p).begin[g]))
#include "../../cases/foreign/mxfp8_grouped.c"
