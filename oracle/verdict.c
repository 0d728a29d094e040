/* Verdicts: notes of faults, and the exit status. */
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "bench.h"

static bool is_known(const struct mx_verdict *v, const struct mx_note *n) {
	for (unsigned i = 0; i < v->n_notes; i++)
		if (!strcmp(v->notes[i].kind, n->kind) && !strcmp(v->notes[i].text, n->text))
			return true;
	return false;
}

/* The number of notes of a kind, and the last one. */
static unsigned count_kind(struct mx_verdict *v, const char *kind, struct mx_note **last) {
	unsigned n = 0;
	for (unsigned i = 0; i < v->n_notes; i++)
		if (!strcmp(v->notes[i].kind, kind)) {
			*last = &v->notes[i];
			n++;
		}
	return n;
}

void mx_verdict_add_note(struct mx_verdict *v, const struct mx_note *n) {
	struct mx_note *last;
	if (is_known(v, n))
		return;
	if (count_kind(v, n->kind, &last) == MX_NOTES_OF_A_KIND)
		last->more++;
	else if (v->n_notes < MX_MAX_NOTES)
		v->notes[v->n_notes++] = *n;
}

void mx_verdict_add(struct mx_verdict *v, mx_severity severity, const char *kind,
                    const char *format, ...) {
	struct mx_note n = { .severity = severity };
	va_list ap;
	va_start(ap, format);
	vsnprintf(n.text, sizeof n.text, format, ap);
	va_end(ap);
	mx_one_line(n.text);
	snprintf(n.kind, sizeof n.kind, "%s", kind);
	mx_verdict_add_note(v, &n);
}

const char *mx_failing_kind(unsigned i) {
	static const char *const own[] = {
#define MX_KIND(name) name,
#include "kinds.def"
#undef MX_KIND
	};
	const unsigned n = sizeof own / sizeof *own;
	if (i < n)
		return own[i];
	for (mx_finding_kind k = 0; k < MX_FINDINGS; k++)
		if (mx_finding_class_of(k) != MX_FINDING_NOTE && i-- == n)
			return mx_finding_name(k);
	return NULL;
}

int mx_verdict_status(const struct mx_verdict *v) {
	int status = 0;
	for (unsigned i = 0; i < v->n_notes; i++)
		if ((int)v->notes[i].severity > status)
			status = v->notes[i].severity;
	return status;
}

unsigned mx_verdict_count(const struct mx_verdict *v, unsigned i) {
	unsigned n = 0;
	for (unsigned k = 0; k < v->n_notes; k++) {
		if (strcmp(v->notes[k].kind, v->notes[i].kind))
			continue;
		if (k < i)
			return 0;
		n += 1 + v->notes[k].more;
	}
	return n;
}

/* ---- the proof of order ---- */

static char *add_kernel(const struct mx_verdict *v, char *text, size_t room) {
	size_t n = strlen(text);
	if (v->doubted_kernel[0])
		snprintf(text + n, room - n, " of %s", v->doubted_kernel);
	return text;
}

char *mx_verdict_order(const struct mx_verdict *v, char *text, size_t room) {
	return add_kernel(v, mx_proof_text(&v->proof, text, room), room);
}

char *mx_verdict_doubt(const struct mx_verdict *v, char *text, size_t room) {
	return add_kernel(v, mx_doubt_text(&v->proof, text, room), room);
}
