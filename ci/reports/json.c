/* Reports as lines of JSON, by Jansson. */
#include "json.h"

#include <errno.h>
#include <jansson.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "report_file.h"

struct mx_json {
	const char *path;
	FILE *f;
	int error; /* errno of the first failure, or 0 */
};

static void put(json_t *to, const char *key, json_t *value) {
	json_object_set_new(to, key, value);
}

/* Text of a case or a runtime need not be UTF-8. */
static void put_text(json_t *to, const char *key, const char *text) {
	json_t *s = json_string(text);
	put(to, key, s ? s : json_string("(not UTF-8)"));
}

/* Each line is flushed: what was done stays if the process is killed. */
static void write_line(struct mx_json *j, json_t *line) {
	errno = 0;
	bool good = line && !json_dumpf(line, j->f, JSON_COMPACT) && putc('\n', j->f) != EOF &&
	            !fflush(j->f);
	if (!good && !j->error)
		j->error = errno ? errno : ENOMEM;
	json_decref(line);
}

int mx_json_begin(const char *path, const struct mx_record *r, struct mx_json **j,
                  struct mx_error *err) {
	struct mx_json *made = calloc(1, sizeof *made);
	if (!made)
		return mx_fail(err, "out of memory");
	*made = (struct mx_json){ .path = path, .f = mx_report_open(path, err) };
	if (!made->f) {
		free(made);
		return -1;
	}
	json_t *line = json_object();
	put_text(line, "type", "start");
	put(line, "schema", json_integer(1));
	put_text(line, "version", mx_version());
	put_text(line, "device", r->d->name);
	put_text(line, "arch", r->d->arch);
	put_text(line, "runtime", r->d->runtime);
	put(line, "seed", json_integer((json_int_t)r->o->seed));
	if (r->o->shards)
		put(line, "shard",
		    json_pack("{s:i, s:i}", "number", (int)r->o->shard, "of", (int)r->o->shards));
	write_line(made, line);
	*j = made;
	return 0;
}

/* ---- one run ---- */

static void put_decibels(json_t *to, const char *key, double snr) {
	if (isinf(snr))
		put_text(to, key, "exact");
	else if (!isnan(snr))
		put(to, key, json_real(snr));
}

static json_t *numbers(const struct mx_verdict *v) {
	json_t *n = json_object();
	put(n, "checked", json_integer((json_int_t)v->checked));
	put(n, "wrong", json_integer((json_int_t)v->wrong));
	put_text(n, "basis", v->basis);
	put_decibels(n, "snr_deq", v->snr_dequantised);
	put_decibels(n, "snr_unq", v->snr_unquantised);
	if (isfinite(v->snr_dequantised))
		put(n, "worst_row", json_real(v->metrics.row_error));
	put(n, "ulp_max", json_integer((json_int_t)v->metrics.ulp_max));
	return n;
}

static json_t *order(const struct mx_proof *p) {
	char text[MX_LINE_ROOM];
	json_t *o = json_object();
	put(o, "proved", json_boolean(p->outcome == MX_PROVED));
	if (p->outcome == MX_PROVED)
		put_text(o, "assuming", mx_assumptions_text(p->assumptions, text, sizeof text));
	else
		put_text(o, "why", mx_doubt_text(p, text, sizeof text));
	return o;
}

static json_t *findings(const struct mx_verdict *v) {
	json_t *all = json_array();
	for (unsigned i = 0; i < v->n_notes; i++) {
		const struct mx_note *n = &v->notes[i];
		json_t *f = json_object();
		put_text(f, "kind", n->kind);
		put_text(f, "severity",
		         n->severity > 0              ? "fail"
		         : n->severity == MX_REPORTED ? "report"
		                                      : "note");
		put(f, "status", json_integer(n->severity > 0 ? n->severity : 0));
		put_text(f, "text", n->text);
		if (n->more)
			put(f, "more", json_integer(n->more));
		json_array_append_new(all, f);
	}
	return all;
}

static json_t *sizes(const struct mx_sizes *s) {
	json_t *all = json_object();
	for (unsigned i = 0; i < s->n; i++)
		put(all, s->at[i].name, json_integer(s->at[i].value));
	return all;
}

static json_t *hunt(const struct mx_race *r) {
	json_t *h = json_object();
	put(h, "runs", json_integer((json_int_t)r->runs));
	put(h, "differ", json_integer((json_int_t)r->divergent));
	put(h, "unfinished", json_integer((json_int_t)r->timeouts));
	return h;
}

static json_t *expected(const struct mx_expected *x) {
	json_t *e = json_object();
	put_text(e, "reason", x->reason);
	put_text(e, "until", x->until);
	return e;
}

static void put_command(json_t *line, const struct mx_record *record, const struct mx_result *r) {
	char *command = mx_record_command(record, r);
	if (command)
		put_text(line, "reproduce", command);
	free(command);
}

void mx_json_run(struct mx_json *j, const struct mx_record *record, const struct mx_result *r) {
	const struct mx_verdict *v = &r->verdict;
	json_t *line = json_object();
	put_text(line, "type", "run");
	put_text(line, "name", r->run->name);
	put_text(line, "case", r->run->c->path);
	put_text(line, "kernel", mx_case_kernel(r->run->c, r->run->run.variant));
	put(line, "sizes", sizes(&r->run->run.sizes));
	put_text(line, "regime", mx_regime_name(r->run->run.regime));
	put_text(line, "outcome", mx_outcome_name(mx_result_outcome(r)));
	put(line, "status", json_integer(mx_result_status(r)));
	if (r->bad_input)
		put_text(line, "error", r->err.text);
	else {
		put(line, "seconds", json_real(r->seconds));
		if (r->cached)
			put(line, "cached", json_true());
		if (v->checked)
			put(line, "numbers", numbers(v));
		if (v->proof.outcome != MX_NOT_ANALYSED)
			put(line, "order", order(&v->proof));
		if (r->race.runs)
			put(line, "hunt", hunt(&r->race));
		put(line, "findings", findings(v));
	}
	if (r->expected)
		put(line, "expected", expected(r->expected));
	if (mx_result_status(r))
		put_command(line, record, r);
	write_line(j, line);
}

/* ---- the end ---- */

static void add_stale(void *context, const char *why, const char *text) {
	json_t *row = json_object();
	put_text(row, "why", why);
	put_text(row, "row", text);
	json_array_append_new(context, row);
}

int mx_json_end(struct mx_json *j, const struct mx_record *r, struct mx_error *err) {
	size_t count[MX_OUTCOMES];
	mx_record_count(r, count);
	json_t *line = json_object(), *stale = json_array();
	put_text(line, "type", "end");
	put(line, "passed", json_integer((json_int_t)count[MX_PASSED]));
	put(line, "failed", json_integer((json_int_t)count[MX_FAILED]));
	put(line, "expected", json_integer((json_int_t)count[MX_FAILED_AS_EXPECTED]));
	put(line, "other", json_integer((json_int_t)(count[MX_STOPPED] + count[MX_BAD_INPUT_RUN])));
	mx_record_each_stale(r, add_stale, stale);
	put(line, "stale", stale);
	put(line, "seconds", json_real(r->seconds));
	write_line(j, line);
	int status = mx_report_close(j->path, j->f, err);
	if (j->error)
		status = mx_fail(err, "%s: cannot be written: %s", mx_report_name(j->path),
		                 strerror(j->error));
	free(j);
	return status;
}
