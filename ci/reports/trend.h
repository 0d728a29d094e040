/* A number over the entries of a history: where it stepped, and its course as a line of text. */
#ifndef MX_TREND_H
#define MX_TREND_H

#include <stdbool.h>
#include <stddef.h>

enum { MX_STEPS = 8 };

/* A step: the first value at a new level, and the medians since the step before and until the next
 * one. */
struct mx_step_at {
	size_t at;
	double before, after;
};

/* Finds the steps of n finite values, in order: changes of the median by more than four times the
 * usual difference of neighbours. Of a noisy number (a time) each side has at least five values,
 * and the change is a fifth or more. Keeps the largest MX_STEPS. */
size_t mx_trend_steps(const double *values, size_t n, bool noisy,
                      struct mx_step_at steps[MX_STEPS]);

/* One character for each of the last `width` values, from the least to the largest: blocks, or in
 * a locale without UTF-8 digits. Returns text. */
enum { MX_TREND_WIDTH = 40, MX_TREND_ROOM = 3 * MX_TREND_WIDTH + 1 };
char *mx_trend_text(const double *values, size_t n, bool utf8, char text[MX_TREND_ROOM]);

#endif
