/* Progress on standard error: seconds, and how long it still takes. */
#ifndef MX_PROGRESS_H
#define MX_PROGRESS_H

/* Seconds since some moment. */
double mx_seconds(void);

/* Prints ", 0:01:30 to go". */
void mx_print_left(double seconds);

#endif
