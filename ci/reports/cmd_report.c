/* mxcheck report: trends of a history, steps, and the difference of two entries. */
#define _GNU_SOURCE
#include <fnmatch.h>
#include <langinfo.h>
#include <locale.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "../cli/args.h"
#include "../cli/command.h"
#include "history.h"
#include "trend.h"

static const char help[] =
	"usage: mxcheck report FILE [RUN-GLOB ...]           trends, and the entries where they "
	"step\n"
	"       mxcheck report FILE --list                   the entries of a history\n"
	"       mxcheck report FILE --compare A,B [RUN-GLOB ...]   what differs between two "
	"entries\n"
	"\n"
	"FILE is a history, which `mxcheck --history FILE` writes. An entry is one start of\n"
	"mxcheck; A and B are its number, or -1 for the last one, -2 for the one before it.\n"
	"\n"
	"  --device D       trends on this device; default: that of the last entry\n"
	"  --seed S         trends with this seed; default: that of the last entry\n"
	"  --profile P      trends under this --profile; default: that of the last entry\n"
	"  --last N         trends of the last N entries; default 200\n"
	"  -v, --verbose    every number, also those that did not step\n"
	"\n"
	"Exit status: 0; 1 --compare: a run is worse in B; 2 usage or bad input.\n";

struct report {
	const char *path;
	struct mx_past past;
	const char *device, *seed, *profile, *compare, *last;
	char **globs;
	int n_globs;
	bool verbose, list, utf8;
	size_t first;  /* the first entry of trends */
	bool *stepped; /* for each entry, whether something stepped there */
};

/* ---- words ---- */

static bool named(const struct report *r, const char *name) {
	for (int i = 0; i < r->n_globs; i++)
		if (!fnmatch(r->globs[i], name, 0))
			return true;
	return !r->n_globs;
}

static char *day(long long when, char text[32]) {
	time_t t = (time_t)when;
	struct tm tm;
	if (!gmtime_r(&t, &tm) || !strftime(text, 32, "%Y-%m-%d %H:%M", &tm))
		strcpy(text, "?");
	return text;
}

static void print_entry(const struct mx_past_entry *e) {
	char when[32];
	printf("%lld (%s%s%s)", e->id, day(e->time, when), e->revision[0] ? ", " : "", e->revision);
}

/* Accuracy measures, then the time. */
enum { SECONDS = MX_MEASURES, NUMBERS };

static const char *name_of(unsigned number) {
	return number == SECONDS ? "seconds" : mx_measures[number].name;
}

static double number_of(const struct mx_past_run *r, unsigned number) {
	return number == SECONDS ? r->seconds : r->accuracy.at[number];
}

/* NAN is exact. */
static char *value_text(unsigned number, double v, char text[48]) {
	if (isnan(v))
		strcpy(text, "exact");
	else if (number == SECONDS)
		snprintf(text, 48, "%.3g s", v);
	else {
		int n = snprintf(text, 48, mx_measures[number].format, v);
		snprintf(text + n, 48 - (size_t)n, "%s", mx_measures[number].unit);
	}
	return text;
}

/* ---- trends ---- */

/* The values of one number of one run, without entries in which it was not measured. */
struct course {
	unsigned number;
	size_t n;
	double *value; /* finite: what is exact is as good as the format has it */
	bool *exact;
	size_t *entry;
};

static bool was_judged(const struct mx_past_run *r) {
	return !isnan(r->accuracy.at[MX_EQUAL]);
}

static bool is_of(const struct report *r, const struct mx_past_entry *e) {
	return !strcmp(e->device, r->device) && !strcmp(e->seed, r->seed) &&
	       !strcmp(e->profile, r->profile);
}

static bool is_in(const struct report *r, const struct mx_past_run *x) {
	return x->entry >= r->first && is_of(r, &r->past.entries[x->entry]);
}

/* A value that stands for an exact SNR: 20 dB above the others. */
static double best_of(const struct course *c) {
	double best = -INFINITY;
	if (mx_measures[c->number].less_is_better)
		return 0;
	for (size_t i = 0; i < c->n; i++)
		if (!c->exact[i])
			best = fmax(best, c->value[i]);
	return isfinite(best) ? best + 20 : 0;
}

static void collect(const struct report *r, const struct mx_past_run *runs, size_t n,
                    struct course *c) {
	c->n = 0;
	for (size_t i = 0; i < n; i++) {
		double v = number_of(&runs[i], c->number);
		bool exact = isnan(v) && c->number != SECONDS && was_judged(&runs[i]);
		if (!is_in(r, &runs[i]) || (isnan(v) && !exact))
			continue;
		c->value[c->n] = v;
		c->exact[c->n] = exact;
		c->entry[c->n++] = runs[i].entry;
	}
	double best = c->number == SECONDS ? 0 : best_of(c);
	for (size_t i = 0; i < c->n; i++)
		if (c->exact[i])
			c->value[i] = best;
}

static char *level_text(const struct course *c, double level, char text[48]) {
	for (size_t i = 0; i < c->n; i++)
		if (c->exact[i] && c->value[i] == level)
			return value_text(c->number, NAN, text);
	return value_text(c->number, level, text);
}

static void mark(const struct report *r, size_t entry) {
	r->stepped[entry] = true;
}

/* "snr_deq  #####..  45.1 dB, from 45.2 dB at 17". Returns the number of steps. */
static size_t print_course(FILE *f, const struct report *r, const struct course *c) {
	struct mx_step_at steps[MX_STEPS];
	char line[MX_TREND_ROOM], text[48];
	size_t n = mx_trend_steps(c->value, c->n, c->number == SECONDS, steps);
	if (!c->n || (!n && !r->verbose))
		return 0;
	fprintf(f, "  %-9s  %s  %s", name_of(c->number),
	        mx_trend_text(c->value, c->n, r->utf8, line),
	        level_text(c, c->value[c->n - 1], text));
	for (size_t i = n; i-- > 0;) {
		size_t entry = c->entry[steps[i].at];
		fprintf(f, ", from %s at %lld", level_text(c, steps[i].before, text),
		        r->past.entries[entry].id);
		mark(r, entry);
	}
	putc('\n', f);
	return n;
}

/* Changes of the outcome, which are steps too. */
static size_t print_outcomes(FILE *f, const struct report *r, const struct mx_past_run *runs,
                             size_t n) {
	const struct mx_past_run *last = NULL;
	size_t changes = 0;
	for (size_t i = 0; i < n; i++) {
		if (!is_in(r, &runs[i]))
			continue;
		if (last && strcmp(last->outcome, runs[i].outcome)) {
			fprintf(f, "  %s%s%s, from %s at %lld\n", runs[i].outcome,
			        runs[i].findings[0] ? " " : "", runs[i].findings, last->outcome,
			        r->past.entries[runs[i].entry].id);
			mark(r, runs[i].entry);
			changes++;
		}
		last = &runs[i];
	}
	return changes;
}

static size_t print_courses(FILE *f, const struct report *r, const struct mx_past_run *runs,
                            size_t n) {
	size_t steps = print_outcomes(f, r, runs, n);
	struct course c = { .value = malloc(n * sizeof *c.value),
		            .exact = malloc(n * sizeof *c.exact),
		            .entry = malloc(n * sizeof *c.entry) };
	for (c.number = 0; c.value && c.exact && c.entry && c.number < NUMBERS; c.number++) {
		collect(r, runs, n, &c);
		steps += print_course(f, r, &c);
	}
	free(c.value);
	free(c.exact);
	free(c.entry);
	return steps;
}

/* The name of a run goes before what there is to print of it. Returns whether a number stepped. */
static bool trend(const struct report *r, const struct mx_past_run *runs, size_t n) {
	char *text = NULL;
	size_t bytes;
	FILE *f = open_memstream(&text, &bytes);
	size_t steps = f ? print_courses(f, r, runs, n) : 0;
	if (f && !fclose(f) && bytes)
		printf("%s\n%s", runs[0].name, text);
	free(text);
	return steps != 0;
}

/* The number of runs of the same name that begin at runs[i]. */
static size_t same_name(const struct mx_past *p, size_t i) {
	size_t n = 1;
	while (i + n < p->n_runs && !strcmp(p->runs[i].name, p->runs[i + n].name))
		n++;
	return n;
}

static bool any_in(const struct report *r, const struct mx_past_run *runs, size_t n) {
	for (size_t i = 0; i < n; i++)
		if (is_in(r, &runs[i]))
			return true;
	return false;
}

static int trends(const struct report *r) {
	const struct mx_past *p = &r->past;
	size_t entries = 0, all = 0, stepped = 0;
	for (size_t i = r->first; i < p->n_entries; i++)
		entries += is_of(r, &p->entries[i]);
	printf("%s: %zu %s on device %s with seed %s%s%s\n", r->path, entries,
	       entries == 1 ? "entry" : "entries", r->device, r->seed,
	       r->profile[0] ? " and profile " : "", r->profile);
	for (size_t i = 0, n; i < p->n_runs; i += n) {
		n = same_name(p, i);
		if (!named(r, p->runs[i].name) || !any_in(r, p->runs + i, n))
			continue;
		all++;
		stepped += trend(r, p->runs + i, n);
	}
	for (size_t i = 0; i < p->n_entries; i++) {
		if (!r->stepped[i])
			continue;
		printf("entry ");
		print_entry(&p->entries[i]);
		putchar('\n');
	}
	printf("%zu of %zu run%s stepped\n", stepped, all, all == 1 ? "" : "s");
	return 0;
}

/* ---- entries ---- */

static int list(const struct report *r) {
	for (size_t i = 0; i < r->past.n_entries; i++) {
		const struct mx_past_entry *e = &r->past.entries[i];
		char when[32];
		printf("%-5lld %s  %-19s %s (%s%s%s), seed %s%s%s: %zu run%s, %zu failed\n", e->id,
		       day(e->time, when), e->revision[0] ? e->revision : "-", e->device, e->arch,
		       e->hardware[0] ? "; " : "", e->hardware, e->seed,
		       e->profile[0] ? ", profile " : "", e->profile, e->runs,
		       e->runs == 1 ? "" : "s", e->failed);
	}
	return 0;
}

/* ---- two entries ---- */

static const struct mx_past_run *run_of(const struct mx_past_run *runs, size_t n, size_t entry) {
	for (size_t i = 0; i < n; i++)
		if (runs[i].entry == entry)
			return &runs[i];
	return NULL;
}

static bool differs(const struct mx_past_run *a, const struct mx_past_run *b, unsigned number) {
	return was_judged(a) && was_judged(b) &&
	       mx_gain(number, a->accuracy.at[number], b->accuracy.at[number]) != 0;
}

static bool print_difference(const struct mx_past_run *a, const struct mx_past_run *b) {
	bool worse = b->status && (!a->status || strcmp(a->findings, b->findings));
	char was[48], is[48];
	if (strcmp(a->outcome, b->outcome) || strcmp(a->findings, b->findings))
		printf("  %s%s%s, was %s%s%s\n", b->outcome, b->findings[0] ? " " : "", b->findings,
		       a->outcome, a->findings[0] ? " " : "", a->findings);
	for (unsigned i = 0; i < MX_MEASURES; i++) {
		if (!differs(a, b, i))
			continue;
		printf("  %-9s  %s, was %s\n", name_of(i), value_text(i, number_of(b, i), is),
		       value_text(i, number_of(a, i), was));
		worse |= mx_gain(i, number_of(a, i), number_of(b, i)) < 0;
	}
	if (a->seconds > 0 && b->seconds > 0)
		printf("  %-9s  %s, was %s\n", name_of(SECONDS),
		       value_text(SECONDS, b->seconds, is), value_text(SECONDS, a->seconds, was));
	return worse;
}

/* Times vary, so that they alone are no difference. */
static bool is_same(const struct mx_past_run *a, const struct mx_past_run *b) {
	if (strcmp(a->outcome, b->outcome) || strcmp(a->findings, b->findings))
		return false;
	for (unsigned i = 0; i < MX_MEASURES; i++)
		if (differs(a, b, i))
			return false;
	return true;
}

struct counts {
	size_t same, different, worse, gone, new;
};

static void compare_run(const struct mx_past_run *a, const struct mx_past_run *b,
                        struct counts *n) {
	if (!a || !b) {
		n->new += !a &&b;
		n->gone += a && !b;
		if (a || b)
			printf("%s\n  only in %s\n", (a ? a : b)->name, a ? "A" : "B");
		return;
	}
	if (is_same(a, b)) {
		n->same++;
		return;
	}
	n->different++;
	puts(a->name);
	n->worse += print_difference(a, b);
}

/* A number, or -1 for the last entry. */
static bool find_entry(const struct report *r, const char *text, char end, size_t *at) {
	char *rest;
	long long n = strtoll(text, &rest, 10);
	size_t all = r->past.n_entries;
	if (rest == text || *rest != end)
		return false;
	if (n < 0) {
		*at = all - (size_t)-n;
		return (size_t)-n <= all;
	}
	for (*at = 0; *at < all; ++*at)
		if (r->past.entries[*at].id == n)
			return true;
	return false;
}

static int compare(const struct report *r) {
	const struct mx_past *p = &r->past;
	const char *comma = strchr(r->compare, ',');
	struct counts count = { 0 };
	size_t a, b;
	if (!comma || !find_entry(r, r->compare, ',', &a) || !find_entry(r, comma + 1, 0, &b))
		return mx_complain("report",
		                   "--compare %s: not two entries of %s; --list prints them",
		                   r->compare, r->path);
	printf("A is ");
	print_entry(&p->entries[a]);
	printf(", B is ");
	print_entry(&p->entries[b]);
	putchar('\n');
	for (size_t i = 0, n; i < p->n_runs; i += n) {
		n = same_name(p, i);
		if (named(r, p->runs[i].name))
			compare_run(run_of(p->runs + i, n, a), run_of(p->runs + i, n, b), &count);
	}
	printf("%zu as before, %zu different, %zu of them worse, %zu only in A, %zu only in B\n",
	       count.same, count.different, count.worse, count.gone, count.new);
	return count.worse != 0;
}

/* ---- start ---- */

static int run(struct report *r) {
	unsigned long last = 200;
	struct mx_past *p = &r->past;
	if (r->last && (!mx_parse_unsigned(r->last, 1000000, &last) || !last))
		return mx_complain("report", "--last %s: not a number from 1 to 1,000,000",
		                   r->last);
	if (!p->n_entries)
		return mx_complain("report", "%s: no run is in it", r->path);
	if (r->list)
		return list(r);
	if (r->compare)
		return compare(r);
	const struct mx_past_entry *e = &p->entries[p->n_entries - 1];
	r->device = r->device ? r->device : e->device;
	r->seed = r->seed ? r->seed : e->seed;
	r->profile = r->profile ? r->profile : e->profile;
	r->first = p->n_entries > last ? p->n_entries - last : 0;
	r->stepped = calloc(p->n_entries, sizeof *r->stepped);
	return r->stepped ? trends(r) : mx_complain("report", "out of memory");
}

int mx_cmd_report(int argc, char **argv) {
	struct report r = { 0 };
	struct mx_error err;
	int n, status;
	const struct mx_arg table[] = {
		{ "--list", .flag = &r.list },
		{ "--compare", &r.compare },
		{ "--device", &r.device },
		{ "--seed", &r.seed },
		{ "--profile", &r.profile },
		{ "--last", &r.last },
		{ "-v", .flag = &r.verbose },
		{ "--verbose", .flag = &r.verbose },
		{ NULL },
	};
	if (!mx_args(table, help, argc, argv, &n, &status))
		return status;
	if (!n)
		return mx_complain("report", "the file is missing; see mxcheck report --help");
	r.path = argv[1];
	r.globs = argv + 2;
	r.n_globs = n - 1;
	r.utf8 = setlocale(LC_CTYPE, "") && !strcmp(nl_langinfo(CODESET), "UTF-8");
	if (mx_past_read(r.path, &r.past, &err))
		return mx_complain("report", "%s", err.text);
	status = run(&r);
	mx_past_free(&r.past);
	free(r.stepped);
	return status;
}
