/* The tolerance of judge close: numbers that the case gives. */
#include "case.h"

#include <math.h>
#include <stdlib.h>

static bool number(const char *text, double *v) {
	char *end;
	*v = 0;
	if (!text)
		return true;
	*v = strtod(text, &end);
	return end != text && !*end && isfinite(*v) && *v >= 0;
}

bool mx_tolerance_parse(const struct mx_verdict_spec *v, struct mx_tolerance *t, const char **key) {
	if (!number(v->atol, &t->atol))
		return *key = "atol", false;
	if (!number(v->rtol, &t->rtol))
		return *key = "rtol", false;
	if (!number(v->ulp, &t->ulp))
		return *key = "ulp", false;
	return true;
}
