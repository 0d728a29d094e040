/* A number over the entries of a history: where it stepped, and its course as a line of text. */
#ifndef MX_TREND_H
#define MX_TREND_H

#include <stdbool.h>
#include <stddef.h>

enum { MX_STEPS = 8 };

/* A step. `at`: the index of the first value at the new level. before, after: the medians from the
 * previous step to this one, and from this one to the next. */
struct mx_step_at {
	size_t at;
	double before, after;
};

/* Finds the steps of n finite values, in order, at most the MX_STEPS largest. A step changes the
 * median by more than four times the usual difference of neighbours. If the values are noisy, as
 * times are, each side also has at least five values, and the change is a fifth or more. */
size_t mx_trend_steps(const double *values, size_t n, bool noisy,
                      struct mx_step_at steps[MX_STEPS]);

/* One character for each of the last MX_TREND_WIDTH values. It stands for the value's height
 * between the least and the largest: a block, or without UTF-8 a digit from 0 to 7. Returns text.
 */
enum { MX_TREND_WIDTH = 40, MX_TREND_ROOM = 3 * MX_TREND_WIDTH + 1 };
char *mx_trend_text(const double *values, size_t n, bool utf8, char text[MX_TREND_ROOM]);

#endif
