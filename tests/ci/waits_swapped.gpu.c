/* The programs of waits.def on a device that computes the second instruction first. */
#define UNPADDED(first, second, after) COMPUTE(second, "", first, after)
#include "../../kernels/probe/wait_states.c"
