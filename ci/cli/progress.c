/* Progress on standard error: how long it still takes. */
#include "progress.h"

#include <stdio.h>

void mx_print_left(double seconds) {
	unsigned long left = seconds < 0 ? 0 : (unsigned long)seconds;
	fprintf(stderr, ", %lu:%02lu:%02lu to go", left / 3600, left / 60 % 60, left % 60);
}
