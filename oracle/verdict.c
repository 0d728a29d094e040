/* Verdicts: what is wrong, and what it means for the exit status. */
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "bench.h"

static const struct mx_note *same_note(const struct mx_verdict *v, const char *kind, const char *text) {
	for (unsigned i = 0; i < v->n_notes; i++)
		if (!strcmp(v->notes[i].kind, kind) && !strcmp(v->notes[i].text, text))
			return &v->notes[i];
	return NULL;
}

void mx_verdict_add(struct mx_verdict *v, mx_severity severity, const char *kind, const char *format, ...) {
	struct mx_note n = { .severity = severity };
	va_list ap;
	va_start(ap, format);
	vsnprintf(n.text, sizeof n.text, format, ap);
	va_end(ap);
	snprintf(n.kind, sizeof n.kind, "%s", kind);
	if (v->n_notes < MX_MAX_NOTES && !same_note(v, n.kind, n.text))
		v->notes[v->n_notes++] = n;
}

int mx_verdict_status(const struct mx_verdict *v) {
	int status = 0;
	for (unsigned i = 0; i < v->n_notes; i++)
		if ((int)v->notes[i].severity > status)
			status = v->notes[i].severity;
	return status;
}
