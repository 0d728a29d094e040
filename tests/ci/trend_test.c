/* Steps of a number over the entries of a history. */
#include <string.h>

#include "../../ci/reports/trend.h"
#include "../tap.h"

static struct mx_step_at step[MX_STEPS];

#define STEPS(noisy, ...)                                                                          \
	mx_trend_steps((const double[]){ __VA_ARGS__ },                                            \
	               sizeof((const double[]){ __VA_ARGS__ }) / sizeof(double), noisy, step)

static void exact_numbers(void) {
	ok(STEPS(false, 5, 5, 5, 5) == 0, "a constant number has no step");
	ok(STEPS(false, 5) == 0 && mx_trend_steps(NULL, 0, false, step) == 0,
	   "nor has one value, or none");
	ok(STEPS(false, 5, 4) == 1 && step[0].at == 1 && step[0].before == 5 && step[0].after == 4,
	   "two values that differ are a step");
	ok(STEPS(false, 5, 5, 5, 4.9999, 4.9999) == 1 && step[0].at == 3,
	   "so is the least change of a constant number");
	ok(STEPS(false, 1, 1, 1, 3, 3, 3, 2, 2, 2) == 2 && step[0].at == 3 && step[1].at == 6 &&
	           step[1].before == 3 && step[1].after == 2,
	   "two steps are found in order");
}

static void noisy_numbers(void) {
	ok(STEPS(true, 1.0, 1.1, 0.9, 1.2, 1.0, 0.8, 1.1, 0.9, 1.0, 1.1) == 0, "noise has no step");
	ok(STEPS(true, 1.0, 1.1, 0.9, 1.0, 1.0, 1.1, 2.1, 1.9, 2.0, 2.1, 2.0) == 1 &&
	           step[0].at == 6,
	   "a step above the noise is found");
	ok(STEPS(true, 1.0, 1.0, 1.0, 1.0, 1.0, 1.1, 1.1, 1.1, 1.1, 1.1) == 0,
	   "a change by less than a fifth is none");
	ok(STEPS(true, 1, 1, 1, 1, 1, 1, 9, 1, 1, 1, 1) == 0, "an outlier is none");
}

/* More levels than are kept, one of them far from the others. */
static void many_steps(void) {
	double v[3 * (MX_STEPS + 2)];
	const size_t all = sizeof v / sizeof *v, jump = all - 3;
	bool kept = false;
	for (size_t i = 0; i < all; i++)
		v[i] = (double)(i / 3) + (i >= jump ? 100 : 0);
	size_t n = mx_trend_steps(v, all, false, step);
	for (size_t i = 0; i < n; i++)
		kept |= step[i].at == jump;
	ok(n == MX_STEPS && kept, "of many steps the largest are kept");
}

static void courses(void) {
	char text[MX_TREND_ROOM];
	const double v[] = { 0, 7, 3, 0 };
	ok(!strcmp(mx_trend_text(v, 4, false, text), "0730"), "a course in digits");
	ok(!strcmp(mx_trend_text(v, 2, true, text), "\xE2\x96\x81\xE2\x96\x88"), "  and in blocks");
	ok(!strcmp(mx_trend_text(v, 0, true, text), ""), "  and of nothing");
	double many[100] = { 9 };
	ok(strlen(mx_trend_text(many, 100, true, text)) == 3 * MX_TREND_WIDTH && !strchr(text, 9),
	   "of many values it has the last ones");
}

int main(void) {
	exact_numbers();
	noisy_numbers();
	many_steps();
	courses();
	return done_testing();
}
