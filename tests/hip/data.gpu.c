/* A code object with a variable and no kernel, for api_test. */
#include "../../kernels/gfx950.h"

__attribute__((visibility("default"))) GLOBAL u32 seven = 7;
