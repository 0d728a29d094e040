/* The variables of the environment that the runtime reads. */
#include <errno.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "runtime.h"

extern char **environ;

static const char *const names[] = {
	"MXHIP_ARCH",           "MXHIP_DEVICES",    "MXHIP_FILTER", "MXHIP_FIRST",
	"MXHIP_ON_FAULT",       "MXHIP_PROFILE",    "MXHIP_RACE",   "MXHIP_RECORD",
	"MXHIP_RECORD_PROFILE", "MXHIP_RTC_PREFIX", "MXHIP_SEED",   "MXHIP_WATCH",
};
enum { NAMES = sizeof names / sizeof *names };

/* The index of the name, which ends with the text or at a '='; NAMES: there is none. */
static size_t find(const char *name) {
	size_t i = 0, n = strcspn(name, "=");
	while (i < NAMES && (strncmp(names[i], name, n) || names[i][n]))
		i++;
	return i;
}

/* The first time that it is asked of a variable. Several parts read the same one. */
static bool is_first(const char *name) {
	static atomic_uint said;
	unsigned bit = 1u << find(name);
	return !(atomic_fetch_or(&said, bit) & bit);
}

uint64_t mx_hip_number(const char *name) {
	const char *text = getenv(name);
	char *end;
	if (!text || !*text)
		return 0;
	errno = 0;
	uint64_t n = strtoull(text, &end, 0);
	if (!*end && !errno && *text != '-')
		return n;
	if (is_first(name))
		fprintf(stderr, "libmxhip: ignored: %s: '%s' is not a number\n", name, text);
	return 0;
}

void mx_hip_check_environment(void) {
	const char *fault = getenv("MXHIP_ON_FAULT");
	for (char **v = environ; v && *v; v++)
		if (!strncmp(*v, "MXHIP_", 6) && find(*v) == NAMES)
			fprintf(stderr, "libmxhip: ignored: %.*s: no such variable\n",
			        (int)strcspn(*v, "="), *v);
	if (fault && *fault && strcmp(fault, "abort"))
		fprintf(stderr, "libmxhip: ignored: MXHIP_ON_FAULT: '%s' is not abort\n", fault);
}
