/* A2: a group without rows has no product, and its gradient is left as it was. */
#define SKIPS(rows) ((rows) == 0)
#include "../../cases/foreign/mxfp8_wgrad.c"
