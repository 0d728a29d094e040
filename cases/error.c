/* The one line that says what went wrong. */
#include "case.h"

#include <stdarg.h>
#include <stdio.h>

/* Formats aside first, so that err->text may be one of the arguments. Text from
 * a YAML file may hold line feeds; the message is one line all the same. */
int mx_fail(struct mx_error *err, const char *format, ...) {
	struct mx_error line;
	va_list ap;
	va_start(ap, format);
	vsnprintf(line.text, sizeof line.text, format, ap);
	va_end(ap);
	for (char *p = line.text; *p; p++)
		if ((unsigned char)*p < ' ' || *p == 0x7f)
			*p = ' ';
	*err = line;
	return -1;
}
