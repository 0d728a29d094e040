/* Expected failures: a file of runs that may fail until a day. */
#include "expect.h"

#include <fnmatch.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "../../cases/waivers.h"
#include "report.h"

/* ---- the file ---- */

struct mx_expect {
	const char *path;
	struct mx_expected *rows;
	unsigned n;
};

#define STRING(field, flags)                                                                       \
	CYAML_FIELD_STRING_PTR(#field, flags, struct mx_expected, field, 1, CYAML_UNLIMITED)

static const cyaml_schema_value_t kind = {
	CYAML_VALUE_STRING(CYAML_FLAG_POINTER, char, 1, CYAML_UNLIMITED),
};

static const cyaml_schema_field_t row_fields[] = {
	STRING(run, 0),
	CYAML_FIELD_SEQUENCE_COUNT("findings", CYAML_FLAG_POINTER | CYAML_FLAG_OPTIONAL,
	                           struct mx_expected, findings, n_findings, &kind, 1,
	                           CYAML_UNLIMITED),
	STRING(arch, CYAML_FLAG_OPTIONAL),
	STRING(code, CYAML_FLAG_OPTIONAL),
	STRING(reason, 0),
	STRING(until, 0),
	CYAML_FIELD_END,
};

static const cyaml_schema_value_t row = {
	CYAML_VALUE_MAPPING(0, struct mx_expected, row_fields),
};

static const cyaml_schema_field_t file_fields[] = {
	CYAML_FIELD_SEQUENCE_COUNT("expect", CYAML_FLAG_POINTER, struct mx_expect, rows, n, &row, 0,
	                           CYAML_UNLIMITED),
	CYAML_FIELD_END,
};

static const cyaml_schema_value_t schema = {
	CYAML_VALUE_MAPPING(CYAML_FLAG_POINTER, struct mx_expect, file_fields),
};

static bool is_kind(const char *name) {
	const char *kind;
	for (unsigned i = 0; (kind = mx_failing_kind(i)); i++)
		if (!strcmp(name, kind))
			return true;
	return false;
}

/* The first kind of a row that does not exist; or NULL. */
static const char *unknown_kind(const struct mx_expected *x) {
	for (unsigned i = 0; i < x->n_findings; i++)
		if (!is_kind(x->findings[i]))
			return x->findings[i];
	return NULL;
}

/* "no kind 'wrong-bit': wrong-bits, wrong-bytes, ..." */
static const char *kinds_text(const char *wrong, char *text, size_t room) {
	const char *kind;
	size_t n = (size_t)snprintf(text, room, "findings: no kind '%.40s':", wrong);
	for (unsigned i = 0; (kind = mx_failing_kind(i)) && n < room; i++)
		n += (size_t)snprintf(text + n, room - n, "%s %s", i ? "," : "", kind);
	return text;
}

static const char *fault_of(struct mx_expected *x, char *text, size_t room) {
	const char *wrong = unknown_kind(x);
	if (wrong)
		return kinds_text(wrong, text, room);
	if (x->code && !mx_code_hash_parse(x->code, &x->hash))
		return "code: not the 16 hexadecimal digits that -v prints";
	mx_one_line(x->reason);
	return mx_last_day_parse(x->until, &x->end) ? NULL : "until: not a date YYYY-MM-DD";
}

static int check(struct source *s, struct mx_expect *e, struct mx_error *err) {
	const yaml_node_t *rows =
		source_key(s, yaml_document_get_root_node(&s->document), "expect");
	for (unsigned i = 0; i < e->n; i++) {
		char text[MX_LINE_ROOM];
		const char *why = fault_of(&e->rows[i], text, sizeof text);
		if (why)
			return source_fail(err, s, source_line(source_entry(s, rows, i)),
			                   "expect[%u]: %s", i, why);
	}
	return 0;
}

static int read_source(struct source *s, struct mx_expect **e, struct mx_error *err) {
	void *data;
	if (source_check_keys(s, &schema, err) || source_read(s, &schema, &data, err))
		return -1;
	*e = data;
	if (!check(s, *e, err))
		return 0;
	mx_expect_free(*e);
	*e = NULL;
	return -1;
}

int mx_expect_open(const char *path, struct mx_expect **e, struct mx_error *err) {
	struct source s;
	if (source_open(&s, path, err))
		return -1;
	int status = read_source(&s, e, err);
	source_close(&s);
	if (!status)
		(*e)->path = path;
	return status;
}

void mx_expect_free(struct mx_expect *e) {
	source_free(&schema, e);
}

/* ---- one run ---- */

static bool is_over(const struct mx_expected *x) {
	return time(NULL) >= x->end;
}

static bool names(const struct mx_expected *x, const char *run, const char *of_case) {
	return !fnmatch(x->run, run, 0) || !fnmatch(x->run, of_case, 0);
}

static bool has_kind(const struct mx_expected *x, const char *kind) {
	for (unsigned i = 0; i < x->n_findings; i++)
		if (!strcmp(x->findings[i], kind))
			return true;
	return !x->n_findings;
}

/* Every finding that fails must be one of those that are expected. */
static bool has_kinds(const struct mx_expected *x, const struct mx_verdict *v) {
	for (unsigned i = 0; i < v->n_notes; i++)
		if (v->notes[i].severity > 0 && !has_kind(x, v->notes[i].kind))
			return false;
	return true;
}

static bool is_of(struct mx_expected *x, const char *arch, const struct mx_result *r) {
	if (!names(x, r->run->name, r->run->c->name) || (x->arch && strcmp(x->arch, arch)))
		return false;
	x->tried = true;
	return (!x->code || x->hash == r->code_hash) && !is_over(x);
}

void mx_expect_compare(struct mx_expect *e, const char *arch, struct mx_result *r) {
	const struct mx_expected *passing = NULL;
	bool fails = mx_verdict_status(&r->verdict) != 0;
	char text[MX_EXPECTED_ROOM];
	for (unsigned i = 0; i < e->n; i++) {
		struct mx_expected *x = &e->rows[i];
		if (!is_of(x, arch, r))
			continue;
		if (!fails) {
			x->used = true; /* the finding below is enough */
			passing = x;
		} else if (has_kinds(x, &r->verdict)) {
			x->used = true;
			r->expected = x;
		}
	}
	if (passing)
		mx_verdict_add(&r->verdict, MX_WRONG_NUMBERS, "unexpected-pass",
		               "%s expects it to fail: %s", e->path,
		               mx_expected_text(passing, text, sizeof text));
}

/* ---- the end ---- */

struct named {
	const struct mx_expected *x;
	const char *of_case;
};

static bool is_named(void *context, const char *run) {
	const struct named *n = context;
	return names(n->x, run, n->of_case);
}

/* Whether it names a run of the cases that were loaded, selected or not. */
static bool names_any(const struct mx_expected *x, const struct mx_selection *s) {
	for (size_t i = 0; i < s->n_runs; i++)
		if (names(x, s->runs[i].name, s->runs[i].c->name))
			return true;
	for (size_t i = 0; i < s->n_cases; i++) {
		struct named n = { x, s->cases[i]->name };
		if (mx_case_each_run(s->cases[i], is_named, &n))
			return true;
	}
	return false;
}

/* `mxcheck run` loads one case file, and a file of expected failures may be of many. */
static const char *stale(const struct mx_expected *x, const struct mx_options *o,
                         const struct mx_selection *s) {
	if (x->tried && is_over(x))
		return "has expired";
	if (x->tried && !x->used)
		return "was not used";
	return o->case_file || names_any(x, s) ? NULL : "names no run";
}

size_t mx_expect_each_stale(const struct mx_expect *e, const struct mx_options *o,
                            const struct mx_selection *s, mx_expect_stale *each, void *context) {
	size_t n = 0;
	char text[MX_EXPECTED_ROOM];
	for (unsigned i = 0; i < e->n; i++) {
		const char *why = stale(&e->rows[i], o, s);
		n += why != NULL;
		if (why)
			each(context, "expected failure", why,
			     mx_expected_text(&e->rows[i], text, sizeof text));
	}
	return n;
}

char *mx_expected_text(const struct mx_expected *x, char *text, size_t room) {
	snprintf(text, room, "%s: %s (until %s)", x->run, x->reason, x->until);
	return mx_one_line(text);
}
