/* The arguments of a command: a table of options; the rest are numbers and files. */
#ifndef MX_ARGS_H
#define MX_ARGS_H

#include "../../cases/case.h"

enum { MX_BAD_INPUT = 2 }; /* the exit status of usage and bad input */

/* An option. "--name VALUE" or "--name=VALUE" sets *text; an option without a value sets *flag. */
struct mx_arg {
	const char *name; /* "--format"; NULL ends the table */
	const char **text;
	bool *flag;
};

/* Removes the options from argv[1..argc-1], moves the rest to argv[1]... and sets *n to their
 * number. A negative number is not an option. -h and --help print `help`. Returns true to go on;
 * false to exit with *status. argv[0] is the name of the command. */
bool mx_args(const struct mx_arg *table, const char *help, int argc, char **argv, int *n,
             int *status);

/* Prints "mxcheck COMMAND: TEXT" on stderr; returns MX_BAD_INPUT. */
__attribute__((format(printf, 2, 3))) int mx_complain(const char *command, const char *format, ...);

/* A binary32 from text: a decimal or C99 hexadecimal number, inf or nan with a sign or not,
 * rounded once; or its bits, as 0x and eight hexadecimal digits. */
bool mx_parse_f32(const char *text, mx_f32 *x);

/* The inverse: decimal digits that bring x back, "nan" or "inf". Returns text. */
const char *mx_f32_text(mx_f32 x, char text[32]);

/* A number from 0 to `max`, decimal or 0x. */
bool mx_parse_unsigned(const char *text, unsigned long max, unsigned long *value);

/* Whether it is the name of a .npy file: it ends so, or is "-" for standard input. */
bool mx_is_npy(const char *text);

/* A format by name; where there is none, complains with the list of names. */
bool mx_parse_format(const char *command, const char *option, const char *text, mx_format *f);

#endif
