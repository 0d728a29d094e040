/* A3: of a group with one tile of 128 rows, what is loaded is the next group's. */
#define FIRST_ROW(p, g) ((p).begin[(g) + ((p).rows[g] == 128)])
#include "../../cases/foreign/mxfp8_grouped.c"
