/* mxcheck merge: the reports of shards, as one report with one exit status. */
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../../cases/files.h"
#include "../../fuzz/hunt/hunt.h"
#include "args.h"
#include "command.h"
#include "expect.h"

static const char help[] = "usage: mxcheck merge [--json FILE] REPORT.jsonl ...\n"
			   "\n"
			   "Joins the reports that `mxcheck --shard I/N --json REPORT.jsonl` wrote "
			   "on several machines.\n"
			   "The runs of a hunt are counted together. All N shards must be there "
			   "and complete, with one\n"
			   "version, device and seed.\n"
			   "\n"
			   "  --json FILE        write the joined report, as mxcheck --json does\n"
			   "  -h, --help         this text\n"
			   "\n"
			   "Exit status: that of one run of everything: 0, or the worst of the "
			   "shards; 2 if a shard is\n"
			   "missing or ended early.\n";

enum { MOST_BYTES = 1 << 30 };

/* The report of one shard. */
struct shard {
	const char *path;
	json_t *start;
	json_t *runs;
	json_t *stale; /* rows of --expect, of the last line; or NULL */
	bool ended;
	json_int_t number, of; /* from --shard; 1 and 1 without it */
	double seconds;
};

struct merge {
	struct shard *shards;
	size_t n;
	json_t *runs;    /* joined, in the order of the selection */
	json_t *by_name; /* name of a run to its place in `runs` */
	json_t *stale;   /* rows of --expect that have expired, or that no shard used */
};

/* ---- reading ---- */

static const char *text_of(const json_t *line, const char *key) {
	const char *text = json_string_value(json_object_get(line, key));
	return text ? text : "";
}

static bool is_run(const json_t *line) {
	return json_is_string(json_object_get(line, "name")) &&
	       json_is_string(json_object_get(line, "outcome")) &&
	       json_is_integer(json_object_get(line, "status"));
}

static int read_start(struct shard *s, json_t *line, struct mx_error *err) {
	json_t *shard = json_object_get(line, "shard");
	if (strcmp(text_of(line, "type"), "start") ||
	    json_integer_value(json_object_get(line, "schema")) != 1)
		return mx_fail(err, "%s:1: not a report of mxcheck --json, schema 1", s->path);
	s->start = json_incref(line);
	s->number = shard ? json_integer_value(json_object_get(shard, "number")) : 1;
	s->of = shard ? json_integer_value(json_object_get(shard, "of")) : 1;
	return 0;
}

/* The runs that the last line counts. */
static size_t counts(const json_t *end) {
	return (size_t)(json_integer_value(json_object_get(end, "passed")) +
	                json_integer_value(json_object_get(end, "failed")) +
	                json_integer_value(json_object_get(end, "expected")) +
	                json_integer_value(json_object_get(end, "other")));
}

static int read_line(struct shard *s, unsigned number, json_t *line, struct mx_error *err) {
	const char *type = text_of(line, "type");
	if (number == 1)
		return read_start(s, line, err);
	if (!s->ended && !strcmp(type, "run") && is_run(line))
		return json_array_append(s->runs, line) ? mx_fail(err, "out of memory") : 0;
	if (!s->ended && !strcmp(type, "end") && counts(line) == json_array_size(s->runs)) {
		s->ended = true;
		s->seconds = json_number_value(json_object_get(line, "seconds"));
		s->stale = json_incref(json_object_get(line, "stale"));
		return 0;
	}
	return mx_fail(err, "%s:%u: not a line of a report", s->path, number);
}

/* A killed run leaves a last line without its end; that line is dropped. */
static int read_lines(struct shard *s, char *text, struct mx_error *err) {
	int status = 0;
	unsigned number = 1;
	for (char *end; !status && (end = strchr(text, '\n')); text = end + 1, number++) {
		json_error_t why;
		json_t *line = json_loadb(text, (size_t)(end - text), 0, &why);
		status = line ? read_line(s, number, line, err)
		              : mx_fail(err, "%s:%u: not JSON: %s", s->path, number, why.text);
		json_decref(line);
	}
	return status || s->start ? status : mx_fail(err, "%s: no report in it", s->path);
}

static int read_shard(struct shard *s, struct mx_error *err) {
	uint8_t *bytes;
	size_t n;
	if (mx_file_read(s->path, MOST_BYTES, &bytes, &n, err))
		return -1;
	char *text = strndup((const char *)bytes, n);
	free(bytes);
	s->runs = json_array();
	int status = text && s->runs ? read_lines(s, text, err) : mx_fail(err, "out of memory");
	free(text);
	return status;
}

/* ---- checking ---- */

static int by_number(const void *a, const void *b) {
	const struct shard *x = a, *y = b;
	return (x->number > y->number) - (x->number < y->number);
}

/* Shards of one run have these in common. */
static int check_same(const struct shard *a, const struct shard *b, struct mx_error *err) {
	static const char *const keys[] = {
		"version", "device", "beside", "arch", "runtime", "seed"
	};
	for (size_t i = 0; i < sizeof keys / sizeof *keys; i++) {
		const json_t *x = json_object_get(a->start, keys[i]),
			     *y = json_object_get(b->start, keys[i]);
		if (x != y && !json_equal(x, y)) /* NULL: both lack it */
			return mx_fail(
				err, "%s and %s are shards of different runs: they differ in '%s'",
				a->path, b->path, keys[i]);
	}
	return a->of == b->of ? 0
	                      : mx_fail(err, "%s is of %lld shards, and %s of %lld", a->path,
	                                (long long)a->of, b->path, (long long)b->of);
}

static int check_complete(const struct merge *m, struct mx_error *err) {
	for (size_t i = 0; i < m->n; i++) {
		const struct shard *s = &m->shards[i];
		if (i && check_same(&m->shards[0], s, err))
			return -1;
		if (i && s->number == s[-1].number)
			return mx_fail(err, "%s and %s are the same shard, %lld of %lld",
			               s[-1].path, s->path, (long long)s->number, (long long)s->of);
	}
	return 0;
}

/* The first shard that is not there, or 0. */
static json_int_t find_missing(const struct merge *m) {
	json_int_t next = 1;
	for (size_t i = 0; i < m->n && m->shards[i].number == next; i++)
		next++;
	return next <= m->shards[0].of ? next : 0;
}

/* ---- joining ---- */

static void add_count(json_t *to, const json_t *from, const char *key) {
	json_int_t sum = json_integer_value(json_object_get(to, key)) +
	                 json_integer_value(json_object_get(from, key));
	json_object_set_new(to, key, json_integer(sum));
}

static json_int_t runs_of(const json_t *run) {
	return json_integer_value(json_object_get(json_object_get(run, "hunt"), "runs"));
}

static void join_seconds(json_t *to, const json_t *from) {
	double a = (double)runs_of(to), b = (double)runs_of(from);
	double sum = a * json_number_value(json_object_get(to, "seconds")) +
	             b * json_number_value(json_object_get(from, "seconds"));
	if (a + b > 0)
		json_object_set_new(to, "seconds", json_real(sum / (a + b)));
}

static bool has_finding(const json_t *all, const json_t *finding) {
	const json_t *f;
	size_t i;
	json_array_foreach(all, i, f)
		if (!strcmp(text_of(f, "kind"), text_of(finding, "kind")) &&
		    !strcmp(text_of(f, "text"), text_of(finding, "text")))
			return true;
	return false;
}

/* Each finding once. Findings of different runs of a hunt differ in their text. */
static void join_findings(json_t *to, const json_t *from) {
	json_t *all = json_object_get(to, "findings"), *f;
	size_t i;
	json_array_foreach(json_object_get(from, "findings"), i, f)
		if (!has_finding(all, f))
			json_array_append(all, f);
}

/* The worse of two statuses, of which 2 goes before all others. */
static int worse(int a, int b) {
	if (a == MX_BAD_INPUT || b == MX_BAD_INPUT)
		return MX_BAD_INPUT;
	return a > b ? a : b;
}

static int status_of(const json_t *run) {
	return (int)json_integer_value(json_object_get(run, "status"));
}

/* Outcome, status and command are those of the worse part. */
static void join_outcome(json_t *to, const json_t *from) {
	static const char *const keys[] = { "outcome", "status", "reproduce", "error" };
	if (status_of(to) == status_of(from) ||
	    worse(status_of(to), status_of(from)) == status_of(to))
		return;
	for (size_t i = 0; i < sizeof keys / sizeof *keys; i++)
		if (json_object_get(from, keys[i]))
			json_object_set(to, keys[i], json_object_get(from, keys[i]));
}

static void join_order(json_t *to, const json_t *from) {
	json_t *order = json_object_get(from, "order");
	if (order && !json_is_true(json_object_get(order, "proved")))
		json_object_set(to, "order", order);
}

/* Two parts of one hunt. */
static int join_hunts(json_t *to, const json_t *from, const struct shard *s, struct mx_error *err) {
	json_t *hunt = json_object_get(to, "hunt"), *more = json_object_get(from, "hunt");
	if ((!hunt && status_of(to) != MX_BAD_INPUT) || (!more && status_of(from) != MX_BAD_INPUT))
		return mx_fail(err, "%s: another shard has %s too; only a hunt can be in several",
		               s->path, text_of(from, "name"));
	join_seconds(to, from);
	join_findings(to, from);
	join_outcome(to, from);
	join_order(to, from);
	if (!hunt || !more)
		return 0;
	add_count(hunt, more, "runs");
	add_count(hunt, more, "differ");
	add_count(hunt, more, "unfinished");
	return 0;
}

static int add_run(struct merge *m, const struct shard *s, const json_t *run,
                   struct mx_error *err) {
	const char *name = text_of(run, "name");
	json_t *place = json_object_get(m->by_name, name);
	if (place)
		return join_hunts(json_array_get(m->runs, (size_t)json_integer_value(place)), run,
		                  s, err);
	size_t at = json_array_size(m->runs);
	if (json_array_append_new(m->runs, json_deep_copy(run)) ||
	    json_object_set_new(m->by_name, name, json_integer((json_int_t)at)))
		return mx_fail(err, "out of memory");
	return 0;
}

/* Shard i has runs i, i + N, ... of the selection; of a hunt, each shard has all cases. */
static int join(struct merge *m, struct mx_error *err) {
	bool more = true;
	int status = 0;
	m->runs = json_array();
	m->by_name = json_object();
	for (size_t k = 0; !status && more; k++) {
		more = false;
		for (size_t i = 0; !status && i < m->n; i++) {
			json_t *run = json_array_get(m->shards[i].runs, k);
			if (run)
				status = add_run(m, &m->shards[i], run, err);
			more |= run != NULL;
		}
	}
	return status;
}

/* ---- rows of --expect ---- */

/* Whether a run failed as the row says: its text ends with the reason and the day. */
static bool is_used(const struct merge *m, const char *row) {
	const json_t *run;
	size_t i;
	json_array_foreach(m->runs, i, run) {
		const json_t *expected = json_object_get(run, "expected");
		char end[MX_EXPECTED_ROOM];
		int n = snprintf(end, sizeof end, ": %s (until %s)", text_of(expected, "reason"),
		                 text_of(expected, "until"));
		if (expected && strlen(row) >= (size_t)n && !strcmp(row + strlen(row) - n, end))
			return true;
	}
	return false;
}

static bool has_row(const json_t *rows, const json_t *row) {
	const json_t *r;
	size_t i;
	json_array_foreach(rows, i, r)
		if (json_equal(r, row))
			return true;
	return false;
}

static int join_stale(struct merge *m, struct mx_error *err) {
	json_t *row;
	size_t k;
	m->stale = json_array();
	for (size_t i = 0; i < m->n; i++)
		json_array_foreach(m->shards[i].stale, k, row)
			if (!has_row(m->stale, row) && !is_used(m, text_of(row, "row")) &&
			    json_array_append(m->stale, row))
				return mx_fail(err, "out of memory");
	return 0;
}

/* ---- the report ---- */

static void print_hunt(const json_t *run) {
	json_t *hunt = json_object_get(run, "hunt");
	unsigned long runs = (unsigned long)runs_of(run);
	long long differ = json_integer_value(json_object_get(hunt, "differ"));
	unsigned long lost = (unsigned long)json_integer_value(json_object_get(hunt, "unfinished"));
	unsigned long compared = runs > lost ? runs - lost : 0;
	if (!hunt)
		return;
	printf("      race: %lld of %lu runs differ", differ, compared);
	if (!differ)
		printf(": rate below %.1e (95 %%)", mx_race_rate_bound(compared));
	printf("%s\n", lost ? "; others did not finish" : "");
}

static void print_run(const json_t *run) {
	const json_t *f;
	size_t i;
	bool failed = status_of(run) != 0;
	if (!failed && !json_object_get(run, "hunt"))
		return;
	printf("%s  %s\n", failed ? "FAIL" : "pass", text_of(run, "name"));
	if (text_of(run, "error")[0])
		printf("      %s\n", text_of(run, "error"));
	json_array_foreach(json_object_get(run, "findings"), i, f)
		if (!strcmp(text_of(f, "severity"), "fail"))
			printf("      %s: %s\n", text_of(f, "kind"), text_of(f, "text"));
	print_hunt(run);
	if (failed && text_of(run, "reproduce")[0])
		printf("      reproduce: %s\n", text_of(run, "reproduce"));
}

struct totals {
	json_int_t passed, failed, expected, other;
	int status;
	double seconds; /* of all shards together */
};

static struct totals count(const struct merge *m) {
	struct totals t = { 0 };
	const json_t *run;
	size_t i;
	json_array_foreach(m->runs, i, run) {
		const char *outcome = text_of(run, "outcome");
		t.status = worse(t.status, status_of(run));
		t.passed += !strcmp(outcome, "pass");
		t.failed += !strcmp(outcome, "fail");
		t.expected += !strcmp(outcome, "expected-failure");
	}
	t.other = (json_int_t)json_array_size(m->runs) - t.passed - t.failed - t.expected;
	if (!t.status && json_array_size(m->stale))
		t.status = MX_WRONG_NUMBERS;
	for (i = 0; i < m->n; i++)
		t.seconds += m->shards[i].seconds;
	return t;
}

/* Lines about what is missing; then the joined report is not whole. */
static bool print_gaps(const struct merge *m) {
	json_int_t missing = find_missing(m);
	bool gaps = missing != 0;
	if (missing)
		fprintf(stderr, "mxcheck merge: shard %lld of %lld is missing\n",
		        (long long)missing, (long long)m->shards[0].of);
	for (size_t i = 0; i < m->n; i++)
		if (!m->shards[i].ended) {
			fprintf(stderr, "mxcheck merge: %s: it ended early, after %zu runs\n",
			        m->shards[i].path, json_array_size(m->shards[i].runs));
			gaps = true;
		}
	return gaps;
}

/* From 2^63 on it is text. */
static const char *seed_text(const json_t *start, char text[24]) {
	const json_t *seed = json_object_get(start, "seed");
	if (json_is_string(seed))
		return json_string_value(seed);
	snprintf(text, 24, "%lld", (long long)json_integer_value(seed));
	return text;
}

static const char *stale_subject(const json_t *row) {
	return strcmp(text_of(row, "why"), "was deleted") ? "expected failure" : "run";
}

static void print_report(const struct merge *m, const struct totals *t) {
	const json_t *run, *start = m->shards[0].start;
	size_t i;
	char seed[24];
	printf("device %s (%s, %s)%s, seed %s, %zu report%s\n", text_of(start, "device"),
	       text_of(start, "arch"), text_of(start, "runtime"),
	       json_object_get(start, "beside") ? " and emu" : "", seed_text(start, seed), m->n,
	       m->n == 1 ? "" : "s");
	json_array_foreach(m->runs, i, run)
		print_run(run);
	json_array_foreach(m->stale, i, run)
		printf("FAIL  %s %s: %s\n", stale_subject(run), text_of(run, "why"),
		       text_of(run, "row"));
	printf("%lld passed, %lld failed", (long long)t->passed, (long long)t->failed);
	if (t->expected)
		printf(", %lld failed as expected", (long long)t->expected);
	if (t->other)
		printf(", %lld could not run or ended early", (long long)t->other);
	printf(", %.2f s on all machines\n", t->seconds);
}

static json_t *end_line(const struct merge *m, const struct totals *t) {
	return json_pack("{s:s, s:I, s:I, s:I, s:I, s:f, s:O}", "type", "end", "passed", t->passed,
	                 "failed", t->failed, "expected", t->expected, "other", t->other, "seconds",
	                 t->seconds, "stale", m->stale);
}

static bool put_line(FILE *f, const json_t *line) {
	return line && !json_dumpf(line, f, JSON_COMPACT) && putc('\n', f) != EOF;
}

static int write_json(const struct merge *m, const struct totals *t, const char *path,
                      struct mx_error *err) {
	char *text = NULL;
	size_t bytes = 0, i;
	const json_t *run;
	FILE *f = open_memstream(&text, &bytes);
	json_t *start = json_copy(m->shards[0].start), *end = end_line(m, t);
	json_object_del(start, "shard");
	bool good = f && put_line(f, start);
	json_array_foreach(m->runs, i, run)
		good = good && put_line(f, run);
	good = good && put_line(f, end);
	good = f && !fclose(f) && good;
	int status = good ? mx_files_write(&(struct mx_file){ path, { { text, bytes } } }, 1, err)
	                  : mx_fail(err, "out of memory");
	json_decref(start);
	json_decref(end);
	free(text);
	return status;
}

/* ---- the command ---- */

static int merge(struct merge *m, const char *json, struct mx_error *err) {
	for (size_t i = 0; json && i < m->n; i++)
		if (mx_file_same(json, m->shards[i].path))
			return mx_fail(err, "--json %s: is one of the reports to join", json);
	for (size_t i = 0; i < m->n; i++)
		if (read_shard(&m->shards[i], err))
			return -1;
	qsort(m->shards, m->n, sizeof *m->shards, by_number);
	if (check_complete(m, err) || join(m, err) || join_stale(m, err))
		return -1;
	struct totals t = count(m);
	print_report(m, &t);
	int status = print_gaps(m) ? MX_BAD_INPUT : t.status;
	return json && write_json(m, &t, json, err) ? -1 : status;
}

static void free_merge(struct merge *m) {
	for (size_t i = 0; i < m->n; i++) {
		json_decref(m->shards[i].start);
		json_decref(m->shards[i].runs);
		json_decref(m->shards[i].stale);
	}
	json_decref(m->runs);
	json_decref(m->by_name);
	json_decref(m->stale);
	free(m->shards);
}

int mx_cmd_merge(int argc, char **argv) {
	const char *json = NULL;
	const struct mx_arg table[] = { { .name = "--json", .text = &json }, { NULL } };
	struct mx_error err;
	int n, status;
	if (!mx_args(table, help, argc, argv, &n, &status))
		return status;
	if (!n)
		return mx_complain("merge", "no report; see mxcheck merge --help");
	struct merge m = { .n = (size_t)n, .shards = calloc((size_t)n, sizeof *m.shards) };
	for (size_t i = 0; m.shards && i < m.n; i++)
		m.shards[i].path = argv[1 + i];
	status = m.shards ? merge(&m, json, &err) : mx_fail(&err, "out of memory");
	free_merge(&m);
	return status < 0 ? mx_complain("merge", "%s", err.text) : status;
}
