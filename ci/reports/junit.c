/* A report as JUnit XML. */
#include "junit.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "report_file.h"

/* XML has no control characters but tab, line feed and carriage return. */
static void put(FILE *f, const char *text) {
	for (; *text; text++)
		switch (*text) {
		case '&': fputs("&amp;", f); break;
		case '<': fputs("&lt;", f); break;
		case '>': fputs("&gt;", f); break;
		case '"': fputs("&quot;", f); break;
		case '\n': fputs("&#10;", f); break;
		default: putc((unsigned char)*text < ' ' ? '?' : *text, f);
		}
}

static void put_attribute(FILE *f, const char *name, const char *value) {
	fprintf(f, " %s=\"", name);
	put(f, value);
	putc('"', f);
}

static void put_failure(FILE *f, const struct mx_record *record, const struct mx_result *r) {
	const struct mx_note *first = mx_first_failure(&r->verdict);
	char *command = mx_record_command(record, r);
	fputs("    <failure", f);
	put_attribute(f, "type", first->kind);
	put_attribute(f, "message", first->text);
	fputs(">", f);
	for (unsigned i = 0; i < r->verdict.n_notes; i++) {
		const struct mx_note *n = &r->verdict.notes[i];
		if (n->severity <= 0)
			continue;
		put(f, n->kind);
		put(f, ": ");
		put(f, n->text);
		put(f, "\n");
	}
	put(f, "reproduce: ");
	put(f, command ? command : "");
	fputs("</failure>\n", f);
	free(command);
}

static void put_message(FILE *f, const char *tag, const char *message) {
	fprintf(f, "    <%s", tag);
	put_attribute(f, "message", message);
	fputs("/>\n", f);
}

/* What the emulator has, beside a real device; and what that says of the profile. */
static void put_beside(FILE *f, const struct mx_result *r) {
	char *text = NULL;
	size_t bytes;
	FILE *lines = open_memstream(&text, &bytes);
	if (!lines)
		return;
	mx_report_beside(lines, r, "");
	for (unsigned i = 0; i < r->verdict.n_notes; i++)
		if (!strcmp(r->verdict.notes[i].kind, "profile"))
			fprintf(lines, "profile: %s\n", r->verdict.notes[i].text);
	fclose(lines);
	fputs("    <system-out>", f);
	put(f, text);
	fputs("</system-out>\n", f);
	free(text);
}

static void put_property(FILE *f, const char *name, const char *value) {
	fputs("    <property", f);
	put_attribute(f, "name", name);
	put_attribute(f, "value", value);
	fputs("/>\n", f);
}

static void put_properties(FILE *f, const struct mx_record *r) {
	char text[512];
	fputs("  <properties>\n", f);
	snprintf(text, sizeof text, "%s%s", r->d->name, r->o->beside ? ",emu" : "");
	put_property(f, "device", text);
	put_property(f, "arch", r->d->arch);
	put_property(f, "runtime", r->d->runtime);
	if (!r->d->emu)
		put_property(f, "hardware", mx_device_text(r->d, text, sizeof text));
	snprintf(text, sizeof text, "%" PRIu64, r->o->seed);
	put_property(f, "seed", text);
	fputs("  </properties>\n", f);
}

static void put_run(FILE *f, const struct mx_record *record, const struct mx_result *r) {
	fputs("  <testcase", f);
	put_attribute(f, "classname", r->run->c->name);
	put_attribute(f, "name", r->run->name);
	fprintf(f, " time=\"%.3f\">\n", r->seconds);
	switch (mx_result_outcome(r)) {
	case MX_BAD_INPUT_RUN: put_message(f, "error", r->err.text); break;
	case MX_STOPPED: put_message(f, "error", r->race.journal_error.text); break;
	case MX_FAILED: put_failure(f, record, r); break;
	case MX_FAILED_AS_EXPECTED: put_message(f, "skipped", r->expected->reason); break;
	default: break;
	}
	if (r->beside)
		put_beside(f, r);
	fputs("  </testcase>\n", f);
}

static void put_stale(void *context, const char *what, const char *why, const char *text) {
	FILE *f = context;
	fprintf(f, "  <testcase classname=\"%ss\"", what);
	put_attribute(f, "name", text);
	fputs(" time=\"0\">\n", f);
	put_message(f, "failure", why);
	fputs("  </testcase>\n", f);
}

static void count_stale(void *context, const char *what, const char *why, const char *text) {
	(void)context, (void)what, (void)why, (void)text;
}

static void put_all(FILE *f, const struct mx_record *r) {
	size_t count[MX_OUTCOMES], stale = mx_record_each_stale(r, count_stale, NULL);
	mx_record_count(r, count);
	fprintf(f,
	        "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuite name=\"mxcheck\" "
	        "tests=\"%zu\" failures=\"%zu\" errors=\"%zu\" skipped=\"%zu\" time=\"%.3f\">\n",
	        r->n + stale, count[MX_FAILED] + stale, count[MX_BAD_INPUT_RUN] + count[MX_STOPPED],
	        count[MX_FAILED_AS_EXPECTED], r->seconds);
	put_properties(f, r);
	for (size_t i = 0; i < r->n; i++)
		put_run(f, r, &r->results[i]);
	mx_record_each_stale(r, put_stale, f);
	fputs("</testsuite>\n", f);
}

int mx_junit_write(const char *path, const struct mx_record *r, struct mx_error *err) {
	char *text = NULL;
	size_t bytes = 0;
	FILE *f = open_memstream(&text, &bytes);
	if (!f)
		return mx_fail(err, "out of memory");
	put_all(f, r);
	int status = fclose(f) ? mx_fail(err, "out of memory") : 0;
	if (!status)
		status = mx_report_write(path, text, bytes, err);
	free(text);
	return status;
}
