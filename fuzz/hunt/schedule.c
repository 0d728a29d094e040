/* Schedules as text. */
#define _GNU_SOURCE
#include "schedule.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_CYCLES = 1000000 }; /* of a latency */

/* ---- to text ---- */

static void print_latencies(FILE *f, const struct mx_latencies *t) {
#define MX_LATENCY(name, cycles, what) fprintf(f, "," #name "=%" PRIu32, t->name);
#include "../../ref/isa/schedule/latencies.def"
#undef MX_LATENCY
}

static void print_head(FILE *f, const struct mx_schedule *s) {
	fprintf(f, "%s,pattern=%02x", s->typical ? "typical" : "sequential", s->pattern);
	if (s->typical)
		print_latencies(f, &s->latency);
	if (s->late)
		fprintf(f, ",late");
	if (s->patient)
		fprintf(f, ",patient");
	if (s->odd != UINT64_MAX)
		fprintf(f, ",odd=%" PRIx64, s->odd);
	if (s->first_wave)
		fprintf(f, ",first=%" PRIu32, s->first_wave);
	if (s->order)
		fprintf(f, ",order=%" PRIu32, s->order);
	if (s->slice)
		fprintf(f, ",slice=%" PRIu64, s->slice);
}

char *mx_schedule_text(const struct mx_schedule *s) {
	char *text = NULL;
	size_t bytes;
	FILE *f = open_memstream(&text, &bytes);
	if (!f)
		return NULL;
	print_head(f, s);
	for (size_t i = 0; i < s->n; i++) {
		const struct mx_deviation *d = &s->deviations[i];
		fputc(',', f);
		if (d->launch)
			fprintf(f, "%" PRIu32 ":", d->launch + 1);
		fprintf(f, "%" PRIu64 ".%" PRIu32 "@%" PRIu64, d->group, d->wave, d->issue);
		if (d->turn)
			fprintf(f, "/%" PRIu32, d->turn);
		if (d->kind == MX_DELAY && d->value == MX_TO_WAIT)
			fprintf(f, "+wait");
		else
			fprintf(f, "%c%" PRIu64, d->kind == MX_TURN ? '>' : '+', d->value);
	}
	return fclose(f) ? NULL : text;
}

/* ---- from text ---- */

static bool parse_value(const char *word, struct mx_deviation *d) {
	char kind;
	int end = 0;
	if (!strcmp(word, "+wait")) {
		d->kind = MX_DELAY;
		d->value = MX_TO_WAIT;
		return true;
	}
	if (sscanf(word, "%c%" SCNu64 "%n", &kind, &d->value, &end) != 2 || word[end])
		return false;
	d->kind = kind == '>' ? MX_TURN : MX_DELAY;
	return kind == '>' || kind == '+';
}

static bool parse_deviation(const char *word, struct mx_schedule *s) {
	struct mx_deviation d = { 0 };
	int step = 0, site = 0, turn = 0;
	uint32_t launch;
	if (sscanf(word, "%" SCNu32 ":%n", &launch, &step) == 1 && step) {
		if (!launch)
			return false;
		d.launch = launch - 1;
		word += step;
	}
	if (sscanf(word, "%" SCNu64 ".%" SCNu32 "@%" SCNu64 "%n", &d.group, &d.wave, &d.issue,
	           &site) != 3)
		return false;
	word += site;
	if (sscanf(word, "/%" SCNu32 "%n", &d.turn, &turn) == 1)
		word += turn;
	if (!parse_value(word, &d))
		return false;
	if (s->n == s->room) {
		size_t room = s->room ? 2 * s->room : 64;
		struct mx_deviation *grown = realloc(s->deviations, room * sizeof *grown);
		if (!grown)
			return false;
		s->deviations = grown;
		s->room = room;
	}
	s->deviations[s->n++] = d;
	return true;
}

static bool parse_latency(const char *word, struct mx_latencies *t, int *end) {
#define MX_LATENCY(name, cycles, what)                                                             \
	if (sscanf(word, #name "=%" SCNu32 "%n", &t->name, end) == 1)                              \
		return t->name <= MOST_CYCLES;
#include "../../ref/isa/schedule/latencies.def"
#undef MX_LATENCY
	return false;
}

static bool parse_sequential(const char *word, struct mx_schedule *s) {
	int end = 0;
	if (!strcmp(word, "late"))
		return s->late = true;
	if (!strcmp(word, "patient"))
		return s->patient = true;
	return (sscanf(word, "odd=%" SCNx64 "%n", &s->odd, &end) == 1 ||
	        sscanf(word, "first=%" SCNu32 "%n", &s->first_wave, &end) == 1)
	               ? !word[end]
	               : parse_deviation(word, s);
}

static bool parse_word(const char *word, struct mx_schedule *s) {
	int end = 0;
	if (sscanf(word, "pattern=%" SCNx8 "%n", &s->pattern, &end) == 1 ||
	    sscanf(word, "order=%" SCNu32 "%n", &s->order, &end) == 1 ||
	    sscanf(word, "slice=%" SCNu64 "%n", &s->slice, &end) == 1)
		return !word[end];
	if (s->typical)
		return parse_latency(word, &s->latency, &end) && !word[end];
	return parse_sequential(word, s);
}

/* The first word is the schedule to which the others are changes. */
static bool parse_kind(const char *word, struct mx_schedule *s) {
	*s = (struct mx_schedule){ .odd = UINT64_MAX, .typical = !strcmp(word, "typical") };
#define MX_LATENCY(name, cycles, what) s->latency.name = cycles;
#include "../../ref/isa/schedule/latencies.def"
#undef MX_LATENCY
	return s->typical || !strcmp(word, "sequential");
}

bool mx_schedule_is_text(const char *text) {
	size_t bytes = strcspn(text, ",");
	return (bytes == 10 && !strncmp(text, "sequential", bytes)) ||
	       (bytes == 7 && !strncmp(text, "typical", bytes));
}

int mx_schedule_parse(const char *text, struct mx_schedule *s, struct mx_error *err) {
	char *copy = strdup(text), *rest = copy, *word = copy ? strsep(&rest, ",") : NULL;
	*s = (struct mx_schedule){ .odd = UINT64_MAX };
	if (!copy)
		return mx_fail(err, "out of memory");
	bool good = parse_kind(word, s);
	if (!good)
		mx_fail(err, "schedule: it must begin with 'sequential' or 'typical'");
	while (good && (word = strsep(&rest, ",")))
		if (!(good = parse_word(word, s)))
			mx_fail(err, "schedule: '%s' is not a valid part", word);
	free(copy);
	if (good)
		mx_schedule_sort(s);
	else
		mx_schedule_free(s);
	return good ? 0 : -1;
}

/* ---- running ---- */

int mx_bench_run_as(struct mx_bench *b, const struct mx_schedule *s, struct mx_run_result *r,
                    struct mx_error *err) {
	mx_bench_options(b)->schedule = s;
	int status = mx_bench_run(b, 0, r, err);
	mx_bench_options(b)->schedule = NULL;
	return status;
}
