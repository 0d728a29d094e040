/* The error message, one line. */
#include "case.h"

#include <stdarg.h>
#include <stdio.h>

char *mx_one_line(char *text) {
	for (char *p = text; *p; p++)
		if ((unsigned char)*p < ' ' || *p == 0x7f)
			*p = ' ';
	return text;
}

/* Formats into a copy, so that err->text may be an argument. Line feeds in text from a YAML file
 * are replaced, so that the message is one line. */
int mx_fail(struct mx_error *err, const char *format, ...) {
	struct mx_error line;
	va_list ap;
	va_start(ap, format);
	vsnprintf(line.text, sizeof line.text, format, ap);
	va_end(ap);
	mx_one_line(line.text);
	*err = line;
	return -1;
}
