/* What a terminal gets beside the report: colour, and progress. */
#ifndef MX_TERMINAL_H
#define MX_TERMINAL_H

#include <stdbool.h>
#include <stddef.h>

/* Whether standard output, or standard error, is a terminal. */
bool mx_output_is_terminal(void);
bool mx_errors_are_terminal(void);

/* Prints a word in colour if standard output is a terminal, unless NO_COLOR is set and not empty
 * [no-color.org] or TERM is "dumb". */
typedef enum { MX_GREEN = 32, MX_RED = 31, MX_YELLOW = 33 } mx_colour;
void mx_print_coloured(mx_colour colour, const char *word);

/* Shows on standard error how many of the runs have ended, the rate, and how long the others take.
 * Clears it, before other output. Neither does anything if standard error is no terminal. */
void mx_progress_show(size_t done, size_t of, double seconds);
void mx_progress_clear(void);

#endif
