/* A number over the entries of a history. */
#include "trend.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int by_value(const void *a, const void *b) {
	double x = *(const double *)a, y = *(const double *)b;
	return (x > y) - (x < y);
}

static double median(const double *values, size_t n, double *scratch) {
	memcpy(scratch, values, n * sizeof *scratch);
	qsort(scratch, n, sizeof *scratch, by_value);
	return (scratch[(n - 1) / 2] + scratch[n / 2]) / 2;
}

/* ---- steps ---- */

struct search {
	const double *v;
	double noise; /* the usual difference of neighbours; a few steps leave it as it is */
	bool noisy;
	double *scratch; /* n values */
	size_t *at;      /* the steps found so far, in order */
	size_t n;
};

static double cost(const struct search *s, size_t from, size_t n) {
	double level = median(s->v + from, n, s->scratch), sum = 0;
	for (size_t i = from; i < from + n; i++)
		sum += fabs(s->v[i] - level);
	return sum;
}

static bool is_step(const struct search *s, size_t from, size_t at, size_t n) {
	double before = median(s->v + from, at - from, s->scratch);
	double change = fabs(median(s->v + at, from + n - at, s->scratch) - before);
	return change > 4 * s->noise && (!s->noisy || change >= 0.2 * fabs(before));
}

/* Binary segmentation: the split with the least deviation from the medians of both sides, then
 * both sides. */
static void segment(struct search *s, size_t from, size_t n) {
	size_t side = s->noisy ? 5 : 1, best = 0;
	double least = INFINITY;
	for (size_t at = from + side; at + side <= from + n; at++) {
		double c = cost(s, from, at - from) + cost(s, at, from + n - at);
		if (c < least) {
			least = c;
			best = at;
		}
	}
	if (!best || !is_step(s, from, best, n))
		return;
	segment(s, from, best - from);
	s->at[s->n++] = best;
	segment(s, best, from + n - best);
}

/* The usual difference of neighbours: of times the median; of accuracy, which rarely changes, the
 * lower quartile. */
static double noise_of(const struct search *s, size_t n) {
	for (size_t i = 1; i < n; i++)
		s->scratch[i - 1] = fabs(s->v[i] - s->v[i - 1]);
	if (n < 4)
		return 0;
	qsort(s->scratch, n - 1, sizeof *s->scratch, by_value);
	return s->scratch[s->noisy ? (n - 1) / 2 : (n - 1) / 4];
}

/* Adds a step. If there is no room, the smallest one goes. The steps stay in order. */
static size_t add_step(struct mx_step_at steps[MX_STEPS], size_t n, struct mx_step_at s) {
	size_t least = 0;
	if (n < MX_STEPS) {
		steps[n] = s;
		return n + 1;
	}
	for (size_t i = 1; i < MX_STEPS; i++)
		if (fabs(steps[i].after - steps[i].before) <
		    fabs(steps[least].after - steps[least].before))
			least = i;
	if (fabs(s.after - s.before) <= fabs(steps[least].after - steps[least].before))
		return n;
	memmove(steps + least, steps + least + 1, (MX_STEPS - 1 - least) * sizeof *steps);
	steps[MX_STEPS - 1] = s;
	return n;
}

/* The medians between a step and its neighbours. */
static size_t keep_largest(const struct search *s, size_t n, struct mx_step_at steps[MX_STEPS]) {
	size_t kept = 0;
	for (size_t i = 0; i < s->n; i++) {
		size_t from = i ? s->at[i - 1] : 0, to = i + 1 < s->n ? s->at[i + 1] : n;
		struct mx_step_at step = { s->at[i],
			                   median(s->v + from, s->at[i] - from, s->scratch),
			                   median(s->v + s->at[i], to - s->at[i], s->scratch) };
		kept = add_step(steps, kept, step);
	}
	return kept;
}

size_t mx_trend_steps(const double *values, size_t n, bool noisy,
                      struct mx_step_at steps[MX_STEPS]) {
	struct search s = { .v = values, .noisy = noisy };
	size_t found = 0;
	s.scratch = malloc((n + 1) * sizeof *s.scratch);
	s.at = malloc((n + 1) * sizeof *s.at);
	if (s.scratch && s.at) {
		s.noise = noise_of(&s, n);
		segment(&s, 0, n);
		found = keep_largest(&s, n, steps);
	}
	free(s.scratch);
	free(s.at);
	return found;
}

/* ---- the course ---- */

char *mx_trend_text(const double *values, size_t n, bool utf8, char text[MX_TREND_ROOM]) {
	size_t from = n > MX_TREND_WIDTH ? n - MX_TREND_WIDTH : 0, at = 0;
	double low = INFINITY, high = -INFINITY;
	for (size_t i = from; i < n; i++) {
		low = fmin(low, values[i]);
		high = fmax(high, values[i]);
	}
	for (size_t i = from; i < n; i++) {
		int level = high > low ? (int)(7 * (values[i] - low) / (high - low) + 0.5) : 3;
		if (utf8) /* U+2581 to U+2588 */
			at += (size_t)sprintf(text + at, "\xE2\x96%c", 0x81 + level);
		else
			text[at++] = (char)('0' + level);
	}
	text[at] = 0;
	return text;
}
