/* Reports as lines of JSON, by Jansson. */
#include "json.h"

#include <errno.h>
#include <inttypes.h>
#include <jansson.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "../cli/beside.h"
#include "../cli/change.h"
#include "json_record.h"
#include "json_text.h"
#include "report_file.h"

struct mx_json {
	const char *path;
	FILE *f;
	int error; /* errno of the first failure, or 0 */
};

/* Each line is flushed: what was done stays if the process is killed. */
static void write_line(struct mx_json *j, json_t *line) {
	errno = 0;
	bool good = line && !json_dumpf(line, j->f, JSON_COMPACT) && putc('\n', j->f) != EOF &&
	            !fflush(j->f);
	if (!good && !j->error)
		j->error = errno ? errno : ENOMEM;
	json_decref(line);
}

/* A seed has 64 bits, an integer of Jansson has 63: a larger one is text. */
static json_t *seed(uint64_t n) {
	return n <= INT64_MAX ? json_integer((json_int_t)n) : json_sprintf("%" PRIu64, n);
}

static json_t *hardware(const struct mx_device *d) {
	json_t *h = json_object();
	mx_json_put_text(h, "name", d->product);
	mx_json_put_text(h, "driver", d->driver);
	if (d->core_mhz)
		mx_json_put(h, "core_mhz", json_integer(d->core_mhz));
	if (d->memory_mhz)
		mx_json_put(h, "memory_mhz", json_integer(d->memory_mhz));
	return h;
}

json_t *mx_json_of_start(const struct mx_record *r) {
	json_t *line = json_object();
	mx_json_put_text(line, "type", "start");
	mx_json_put(line, "schema", json_integer(1));
	mx_json_put_text(line, "version", mx_version());
	mx_json_put_text(line, "device", r->d->name);
	mx_json_put_text(line, "arch", r->d->arch);
	mx_json_put_text(line, "runtime", r->d->runtime);
	if (!r->d->emu)
		mx_json_put(line, "hardware", hardware(r->d));
	if (r->o->beside)
		mx_json_put_text(line, "beside", "emu");
	mx_json_put(line, "seed", seed(r->o->seed));
	if (r->o->shards)
		mx_json_put(line, "shard",
		            json_pack("{s:i, s:i}", "number", (int)r->o->shard, "of",
		                      (int)r->o->shards));
	return line;
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
	write_line(made, mx_json_of_start(r));
	*j = made;
	return 0;
}

/* ---- one run ---- */

static void put_decibels(json_t *to, const char *key, double snr) {
	if (isinf(snr))
		mx_json_put_text(to, key, "exact");
	else if (!isnan(snr))
		mx_json_put(to, key, json_real(snr));
}

/* The histogram, without the empty classes at its end. */
static json_t *ulps(const struct mx_metrics *m) {
	json_t *all = json_array();
	unsigned n = MX_ULP_CLASSES;
	while (n && !m->ulp[n - 1])
		n--;
	for (unsigned i = 0; i < n; i++)
		json_array_append_new(all, json_integer((json_int_t)m->ulp[i]));
	return all;
}

static json_t *numbers(const struct mx_verdict *v) {
	json_t *n = json_object();
	mx_json_put(n, "checked", json_integer((json_int_t)v->checked));
	mx_json_put(n, "wrong", json_integer((json_int_t)v->wrong));
	mx_json_put_text(n, "basis", v->basis);
	put_decibels(n, "snr_deq", v->snr_dequantised);
	put_decibels(n, "snr_unq", v->snr_unquantised);
	if (isfinite(v->snr_dequantised))
		mx_json_put(n, "worst_row", json_real(v->metrics.row_error));
	if (v->diagnosis[0])
		mx_json_put_text(n, "diagnosis", v->diagnosis);
	if (v->pattern[0])
		mx_json_put_text(n, "pattern", v->pattern);
	mx_json_put(n, "ulp_max", json_integer((json_int_t)v->metrics.ulp_max));
	mx_json_put(n, "ulp", ulps(&v->metrics));
	return n;
}

static json_t *order(const struct mx_verdict *v) {
	const struct mx_proof *p = &v->proof;
	char text[MX_LINE_ROOM];
	json_t *o = json_object();
	mx_json_put(o, "proved", json_boolean(p->outcome == MX_PROVED));
	if (p->outcome == MX_PROVED)
		mx_json_put_text(o, "assuming",
		                 mx_assumptions_text(p->assumptions, text, sizeof text));
	else
		mx_json_put_text(o, "why", mx_verdict_doubt(v, text, sizeof text));
	return o;
}

static json_t *workgroup(const uint32_t id[3]) {
	return json_pack("[I,I,I]", (json_int_t)id[0], (json_int_t)id[1], (json_int_t)id[2]);
}

static json_t *instruction(const struct mx_record *record, const struct mx_result *r, unsigned step,
                           uint64_t pc, const uint32_t id[3], uint32_t wave) {
	struct mx_place p = mx_place_of(record->places, r, step, pc);
	json_t *at = json_object();
	if (mx_case_steps(r->run->c) > 1)
		mx_json_put(at, "step", json_integer(step + 1));
	mx_json_put(at, "pc", json_integer((json_int_t)pc));
	if (p.instruction[0])
		mx_json_put_text(at, "instruction", p.instruction);
	if (id) {
		mx_json_put(at, "workgroup", workgroup(id));
		mx_json_put(at, "wave", json_integer(wave));
	}
	if (!p.file)
		return at;
	mx_json_put_text(at, "file", p.file);
	mx_json_put(at, "line", json_integer(p.line));
	if (p.column)
		mx_json_put(at, "column", json_integer(p.column));
	return at;
}

static void put_place(json_t *f, const struct mx_record *record, const struct mx_result *r,
                      const struct mx_note_place *p) {
	json_t *at = instruction(record, r, p->step, p->pc, p->workgroup, p->wave);
	if (p->lane >= 0)
		mx_json_put(at, "lane", json_integer(p->lane));
	mx_json_put(f, "at", at);
	if (p->earlier != MX_NO_PC)
		mx_json_put(f, "earlier",
		            instruction(record, r, p->step, p->earlier,
		                        p->earlier_elsewhere ? NULL : p->earlier_workgroup,
		                        p->earlier_wave));
}

static json_t *findings(const struct mx_record *record, const struct mx_result *r) {
	const struct mx_verdict *v = &r->verdict;
	json_t *all = json_array();
	for (unsigned i = 0; i < v->n_notes; i++) {
		const struct mx_note *n = &v->notes[i];
		json_t *f = json_object();
		mx_json_put_text(f, "kind", n->kind);
		mx_json_put_text(f, "severity",
		                 n->severity > 0              ? "fail"
		                 : n->severity == MX_REPORTED ? "report"
		                                              : "note");
		mx_json_put(f, "status", json_integer(n->severity > 0 ? n->severity : 0));
		if (n->emulated)
			mx_json_put_text(f, "device", "emu");
		mx_json_put_text(f, "text", n->text);
		if (n->more)
			mx_json_put(f, "more", json_integer(n->more));
		if (n->place.known)
			put_place(f, record, r, &n->place);
		json_array_append_new(all, f);
	}
	return all;
}

static json_t *sizes(const struct mx_sizes *s) {
	json_t *all = json_object();
	for (unsigned i = 0; i < s->n; i++)
		mx_json_put(all, s->at[i].name, json_integer(s->at[i].value));
	return all;
}

static json_t *hunt(const struct mx_race *r) {
	json_t *h = json_object();
	mx_json_put(h, "runs", json_integer((json_int_t)r->runs));
	mx_json_put(h, "differ", json_integer((json_int_t)r->divergent));
	mx_json_put(h, "unfinished", json_integer((json_int_t)r->timeouts));
	return h;
}

/* What is measured on any device. */
static void put_measured(json_t *to, const struct mx_result *r) {
	mx_json_put(to, "seconds", json_real(r->seconds));
	if (r->cached)
		mx_json_put(to, "cached", json_true());
	if (r->verdict.checked)
		mx_json_put(to, "numbers", numbers(&r->verdict));
	if (r->verdict.proof.outcome != MX_NOT_ANALYSED)
		mx_json_put(to, "order", order(&r->verdict));
	if (r->race.runs)
		mx_json_put(to, "hunt", hunt(&r->race));
}

/* ---- the emulator beside a real device ---- */

static json_t *difference(const struct mx_difference *d) {
	json_t *o = json_object();
	mx_json_put(o, "elements", json_integer((json_int_t)d->elements));
	mx_json_put(o, "differ", json_integer((json_int_t)d->differ));
	if (d->has_ulp)
		mx_json_put(o, "ulp_max", json_integer((json_int_t)d->ulp));
	if (d->differ)
		mx_json_put_text(o, "first", d->first);
	return o;
}

static json_t *measurement(const struct mx_measurement *m) {
	json_t *profiles = json_object(), *o = json_object();
	for (unsigned i = 0; i < MX_FITS; i++)
		mx_json_put(profiles, m->fit[i].name, json_integer((json_int_t)m->fit[i].equal));
	mx_json_put(o, "elements", json_integer((json_int_t)m->elements));
	mx_json_put(o, "profiles", profiles);
	mx_json_put(o, "beyond_bound", json_integer((json_int_t)m->outside));
	return o;
}

static json_t *beside(const struct mx_beside *s) {
	json_t *o = json_object();
	mx_json_put_text(o, "device", "emu");
	mx_json_put(o, "status", json_integer(mx_result_status(&s->emu)));
	put_measured(o, &s->emu);
	if (s->difference.elements)
		mx_json_put(o, "outputs", difference(&s->difference));
	if (s->measurement.elements)
		mx_json_put(o, "profile", measurement(&s->measurement));
	return o;
}

static json_t *expected(const struct mx_expected *x) {
	json_t *e = json_object();
	mx_json_put_text(e, "reason", x->reason);
	mx_json_put_text(e, "until", x->until);
	return e;
}

static void put_command(json_t *line, const struct mx_record *record, const struct mx_result *r) {
	char *command = mx_record_command(record, r);
	if (command)
		mx_json_put_text(line, "reproduce", command);
	free(command);
}

/* The kernel; of several steps the last one, and all of them. */
static void put_kernels(json_t *line, const struct mx_selected *s) {
	unsigned n = mx_case_steps(s->c);
	json_t *all = json_array();
	for (unsigned i = 0; i < n; i++)
		json_array_append_new(all, json_string(mx_case_kernel(s->c, s->run.variant, i)));
	mx_json_put_text(line, "kernel", mx_case_kernel(s->c, s->run.variant, n - 1));
	if (n > 1)
		mx_json_put(line, "steps", all);
	else
		json_decref(all);
}

json_t *mx_json_of_run(const struct mx_record *record, const struct mx_result *r) {
	json_t *line = json_object();
	mx_json_put_text(line, "type", "run");
	mx_json_put_text(line, "name", r->run->name);
	mx_json_put_text(line, "case", r->run->c->path);
	put_kernels(line, r->run);
	mx_json_put(line, "sizes", sizes(&r->run->run.sizes));
	mx_json_put_text(line, "regime", mx_regime_name(r->run->run.regime));
	mx_json_put_text(line, "outcome", mx_outcome_name(mx_result_outcome(r)));
	mx_json_put(line, "status", json_integer(mx_result_status(r)));
	if (r->bad_input)
		mx_json_put_text(line, "error", r->err.text);
	else {
		put_measured(line, r);
		if (r->beside)
			mx_json_put(line, "beside", beside(r->beside));
		mx_json_put(line, "findings", findings(record, r));
	}
	if (r->expected)
		mx_json_put(line, "expected", expected(r->expected));
	if (mx_result_status(r))
		put_command(line, record, r);
	return line;
}

void mx_json_run(struct mx_json *j, const struct mx_record *record, const struct mx_result *r) {
	write_line(j, mx_json_of_run(record, r));
}

/* ---- the end ---- */

static void add_stale(void *context, const char *what, const char *why, const char *text) {
	(void)what;
	json_t *row = json_object();
	mx_json_put_text(row, "why", why);
	mx_json_put_text(row, "row", text);
	json_array_append_new(context, row);
}

json_t *mx_json_of_end(const struct mx_record *r) {
	size_t count[MX_OUTCOMES];
	mx_record_count(r, count);
	json_t *line = json_object(), *stale = json_array();
	mx_json_put_text(line, "type", "end");
	mx_json_put(line, "passed", json_integer((json_int_t)count[MX_PASSED]));
	mx_json_put(line, "failed", json_integer((json_int_t)count[MX_FAILED]));
	mx_json_put(line, "expected", json_integer((json_int_t)count[MX_FAILED_AS_EXPECTED]));
	mx_json_put(line, "other",
	            json_integer((json_int_t)(count[MX_STOPPED] + count[MX_BAD_INPUT_RUN])));
	mx_change_each_deleted(r->o, r->selection, add_stale, stale);
	if (r->expect)
		mx_expect_each_stale(r->expect, r->o, r->selection, add_stale, stale);
	mx_json_put(line, "stale", stale);
	mx_json_put(line, "seconds", json_real(r->seconds));
	return line;
}

int mx_json_end(struct mx_json *j, const struct mx_record *r, struct mx_error *err) {
	write_line(j, mx_json_of_end(r));
	int status = mx_report_close(j->path, j->f, err);
	if (j->error)
		status = mx_fail(err, "%s: cannot be written: %s", mx_report_name(j->path),
		                 strerror(j->error));
	free(j);
	return status;
}
