/* The watcher that notes which instructions a launch executes. */
#ifndef MX_ISA_COVERAGE_H
#define MX_ISA_COVERAGE_H

#include "../machine/wave.h"

/* Adds the watcher to the run, if the launch asks for coverage. False if memory is short. */
bool mx_cover(struct mx_run *run);

#endif
