/* A3: the steps of a group are not masked, so the last one sums rows of the next group. */
#define END(begin, rows) ((begin) + (rows) / 128 * 128 + 128)
#include "../../cases/foreign/mxfp8_wgrad.c"
