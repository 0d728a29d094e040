/* A3: for a group with one tile of 128 rows the kernel loads the rows of the next group. */
#define FIRST_ROW(p, g) ((p).begin[(g) + ((p).rows[g] == 128)])
#include "../../cases/foreign/mxfp8_grouped.c"
