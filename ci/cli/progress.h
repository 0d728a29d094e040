/* Progress on standard error: seconds, and how long it still takes. */
#ifndef MX_PROGRESS_H
#define MX_PROGRESS_H

#include "../../ref/num/clock.h"

/* Prints ", 0:01:30 to go". */
void mx_print_left(double seconds);

#endif
