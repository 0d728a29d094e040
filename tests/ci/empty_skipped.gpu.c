/* A2: the kernel skips a group without rows and does not write its gradient. */
#define SKIPS(rows) ((rows) == 0)
#include "../../cases/foreign/mxfp8_wgrad.c"
