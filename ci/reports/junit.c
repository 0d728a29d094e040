/* A report as JUnit XML. */
#include "junit.h"

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

static const struct mx_note *first_failure(const struct mx_verdict *v) {
	for (unsigned i = 0; i < v->n_notes; i++)
		if ((int)v->notes[i].severity == mx_verdict_status(v))
			return &v->notes[i];
	return NULL;
}

static void put_failure(FILE *f, const struct mx_options *o, const struct mx_device *d,
                        const struct mx_result *r) {
	const struct mx_note *first = first_failure(&r->verdict);
	char *command = NULL;
	size_t bytes;
	FILE *c = open_memstream(&command, &bytes);
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
	if (c) {
		mx_report_command(c, o, d, r);
		fclose(c);
		put(f, "reproduce: ");
		put(f, command ? command : "");
	}
	free(command);
	fputs("</failure>\n", f);
}

static void put_run(FILE *f, const struct mx_options *o, const struct mx_device *d,
                    const struct mx_result *r) {
	fputs("  <testcase", f);
	put_attribute(f, "classname", r->run->c->name);
	put_attribute(f, "name", r->run->name);
	fprintf(f, " time=\"%.3f\">\n", r->seconds);
	if (r->bad_input) {
		fputs("    <error", f);
		put_attribute(f, "message", r->err.text);
		fputs("/>\n", f);
	} else if (mx_verdict_status(&r->verdict))
		put_failure(f, o, d, r);
	fputs("  </testcase>\n", f);
}

static void put_all(FILE *f, const struct mx_options *o, const struct mx_device *d,
                    const struct mx_result *results, size_t n, double seconds) {
	size_t failures = 0, errors = 0;
	for (size_t i = 0; i < n; i++) {
		errors += results[i].bad_input;
		failures += !results[i].bad_input && mx_verdict_status(&results[i].verdict);
	}
	fprintf(f,
	        "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuite name=\"mxcheck\" "
	        "tests=\"%zu\" failures=\"%zu\" errors=\"%zu\" time=\"%.3f\">\n",
	        n, failures, errors, seconds);
	for (size_t i = 0; i < n; i++)
		put_run(f, o, d, &results[i]);
	fputs("</testsuite>\n", f);
}

int mx_junit_write(const char *path, const struct mx_options *o, const struct mx_device *d,
                   const struct mx_result *results, size_t n, double seconds,
                   struct mx_error *err) {
	char *text = NULL;
	size_t bytes = 0;
	FILE *f = open_memstream(&text, &bytes);
	if (!f)
		return mx_fail(err, "out of memory");
	put_all(f, o, d, results, n, seconds);
	int status = fclose(f) ? mx_fail(err, "out of memory") : 0;
	if (!status)
		status = mx_report_write(path, text, bytes, err);
	free(text);
	return status;
}
