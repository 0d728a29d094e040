/* The arguments of a command: options, numbers, names of formats. */
#include "args.h"
#include "../../ref/num/f32.h"

#include <ctype.h>
#include <errno.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int mx_complain(const char *command, const char *format, ...) {
	va_list ap;
	va_start(ap, format);
	fprintf(stderr, "mxcheck %s: ", command);
	vfprintf(stderr, format, ap);
	fputc('\n', stderr);
	va_end(ap);
	return MX_BAD_INPUT;
}

/* ---- numbers ---- */

/* glibc's strtof rounds once, in the rounding mode of the program, which stays at nearest. */
bool mx_parse_f32(const char *text, mx_f32 *x) {
	char *end;
	size_t digits = strncasecmp(text, "0x", 2) ? 0 : strspn(text + 2, "0123456789abcdefABCDEF");
	if (digits == 8 && !text[10]) {
		x->v = (uint32_t)strtoul(text, NULL, 16);
		return true;
	}
	/* 0x3F8 is ambiguous, bits or a number: refused. */
	if (!text[0] || isspace((unsigned char)text[0]) || (digits && !text[2 + digits]))
		return false;
	*x = mx_f32_of(strtof(text, &end));
	return !*end;
}

const char *mx_f32_text(mx_f32 x, char text[32]) {
	float value = mx_f32_float(x);
	snprintf(text, 32, isnan(value) ? "nan" : "%.9g", (double)value);
	return text;
}

bool mx_parse_unsigned(const char *text, unsigned long max, unsigned long *value) {
	char *end;
	if (!isdigit((unsigned char)text[0]))
		return false;
	errno = 0;
	*value = strtoul(text, &end, strncasecmp(text, "0x", 2) ? 10 : 16);
	return !*end && !errno && *value <= max;
}

bool mx_is_npy(const char *text) {
	size_t n = strlen(text);
	return (n > 4 && !strcmp(text + n - 4, ".npy")) || !strcmp(text, "-");
}

bool mx_parse_format(const char *command, const char *option, const char *text, mx_format *f) {
	if (text && mx_format_by_name(text, f) && *f < MX_FORMATS)
		return true;
	fprintf(stderr, "mxcheck %s: %s %s:", command, option, text ? text : "is missing");
	for (int i = 0; i < MX_FORMATS; i++)
		fprintf(stderr, "%s %s",
		        i      ? ","
		        : text ? " not one of"
		               : " one of",
		        mx_format_info(i)->name);
	fputc('\n', stderr);
	return false;
}

/* ---- options ---- */

/* "-1", "-.5", "-inf" and "-nan" are numbers, not options. */
static bool is_option(const char *text) {
	return text[0] == '-' && text[1] && !strchr("0123456789.iInN", text[1]);
}

/* The row of the table that `text` names, up to its "=". */
static const struct mx_arg *find(const struct mx_arg *table, const char *text) {
	size_t n = strcspn(text, "=");
	for (; table->name; table++)
		if (strlen(table->name) == n && !strncmp(table->name, text, n))
			return table;
	return NULL;
}

/* One option at argv[i]; returns the number of arguments that it takes, 0 if it is wrong. */
static int take(const struct mx_arg *table, const char *command, char **argv, int left) {
	const struct mx_arg *a = find(table, argv[0]);
	const char *value = strchr(argv[0], '=');
	if (!a)
		return mx_complain(command, "%s: no such option; see mxcheck %s --help", argv[0],
		                   command),
		       0;
	if (a->flag) {
		*a->flag = true;
		return value ? mx_complain(command, "%s takes no value", a->name), 0 : 1;
	}
	if (!value && left < 2)
		return mx_complain(command, "%s needs a value", a->name), 0;
	*a->text = value ? value + 1 : argv[1];
	return value ? 1 : 2;
}

bool mx_args(const struct mx_arg *table, const char *help, int argc, char **argv, int *n,
             int *status) {
	bool options = true;
	*n = 0;
	for (int i = 1, took; i < argc; i += took) {
		took = 1;
		if (options && (!strcmp(argv[i], "-h") || !strcmp(argv[i], "--help"))) {
			fputs(help, stdout);
			*status = 0;
			return false;
		}
		if (options && !strcmp(argv[i], "--"))
			options = false;
		else if (!options || !is_option(argv[i]))
			argv[1 + (*n)++] = argv[i];
		else if (!(took = take(table, argv[0], argv + i, argc - i))) {
			*status = MX_BAD_INPUT;
			return false;
		}
	}
	return true;
}
