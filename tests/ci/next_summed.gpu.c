/* A3: a group's steps are whole, and their last one has rows of the next group. */
#define END(begin, rows) ((begin) + (rows) / 128 * 128 + 128)
#include "../../cases/foreign/mxfp8_wgrad.c"
