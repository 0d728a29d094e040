/* Numbers that the environment gives. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#include "runtime.h"

uint64_t mx_hip_number(const char *name) {
	const char *text = getenv(name);
	char *end;
	if (!text || !*text)
		return 0;
	errno = 0;
	uint64_t n = strtoull(text, &end, 0);
	if (!*end && !errno && *text != '-')
		return n;
	fprintf(stderr, "libmxhip: ignored: %s: '%s' is not a number\n", name, text);
	return 0;
}
