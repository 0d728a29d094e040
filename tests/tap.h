/* The Test Anything Protocol for C tests: ok(cond, "sentence", ...), diag(), need(),
 * done_testing(); is_long(), is_nightly(). */
#ifndef TAP_H
#define TAP_H

#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>

static int tap_run, tap_failed;

static inline void tap_vline(const char *lead, const char *format, va_list ap) {
	fputs(lead, stdout);
	vprintf(format, ap);
	putchar('\n');
}

__attribute__((format(printf, 1, 2))) static inline void diag(const char *format, ...) {
	va_list ap;
	va_start(ap, format);
	tap_vline("# ", format, ap);
	va_end(ap);
}

/* Prints one TAP line and returns cond, so that a failing test can explain itself. */
__attribute__((format(printf, 2, 3))) static inline bool ok(bool cond, const char *format, ...) {
	char lead[32];
	va_list ap;
	tap_run++;
	tap_failed += !cond;
	snprintf(lead, sizeof lead, "%sok %d - ", cond ? "" : "not ", tap_run);
	va_start(ap, format);
	tap_vline(lead, format, ap);
	va_end(ap);
	return cond;
}

/* ---- tiers: everything that a test omits to save time counts as one skip ---- */

static inline bool tap_tier(const char *variable, bool *said) {
	bool set = getenv(variable) != NULL;
	if (!set && !*said)
		ok(true, "more of this # SKIP %s is not set", variable);
	*said = true;
	return set;
}

/* Whether tens of minutes may be used (make check-long). */
static inline bool is_long(void) {
	static bool said;
	return tap_tier("MXCHECK_LONG", &said);
}

/* Whether hours may be used (make check-nightly). */
static inline bool is_nightly(void) {
	static bool said;
	return tap_tier("MXCHECK_NIGHTLY", &said);
}

/* Ends the test if a condition that it needs is false. */
static inline void need(bool good, const char *why) {
	if (good)
		return;
	printf("Bail out! %s\n", why);
	exit(1);
}

/* Ends the plan; the exit status of main. */
static inline int done_testing(void) {
	printf("1..%d\n", tap_run);
	return tap_failed != 0;
}

#endif
