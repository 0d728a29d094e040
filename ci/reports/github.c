/* Findings as workflow commands: "::error file=F,line=L,title=T::TEXT". */
#include "github.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

/* A command is a line; in its properties ',' and ':' end a value. */
static void put(const char *text, bool property) {
	for (; *text; text++)
		if (*text == '%' || *text == '\r' || *text == '\n' ||
		    (property && (*text == ':' || *text == ',')))
			printf("%%%02X", *text);
		else
			putchar(*text);
}

static void put_file(const struct mx_record *r, const struct mx_result *x,
                     const struct mx_note *n) {
	struct mx_place p = { 0 };
	if (n && n->place.known)
		p = mx_place_of(r->places, x, n->place.step, n->place.pc);
	put(p.file ? p.file : mx_short_path(x->run->c->path), true);
	if (p.file)
		printf(",line=%u", p.line);
	if (p.file && p.column)
		printf(",col=%u", p.column);
}

static void annotate(const struct mx_record *r, const struct mx_result *x,
                     const struct mx_note *n) {
	printf("::%s file=", n->severity > 0 && !x->expected ? "error" : "warning");
	put_file(r, x, n);
	printf(",title=");
	put(n->kind, true);
	printf("::");
	put(x->run->name, false);
	printf(": ");
	put(n->text, false);
	putchar('\n');
}

static void annotate_severity(const struct mx_record *r, mx_severity severity) {
	for (size_t i = 0; i < r->n; i++) {
		const struct mx_result *x = &r->results[i];
		for (unsigned k = 0; k < x->verdict.n_notes && !x->bad_input; k++)
			if (x->verdict.notes[k].severity == severity)
				annotate(r, x, &x->verdict.notes[k]);
	}
}

static void annotate_bad_input(const struct mx_record *r) {
	for (size_t i = 0; i < r->n; i++) {
		const struct mx_result *x = &r->results[i];
		if (!x->bad_input)
			continue;
		printf("::error file=");
		put_file(r, x, NULL);
		printf(",title=bad input::");
		put(x->err.text, false);
		putchar('\n');
	}
}

static void annotate_stale(void *context, const char *what, const char *why, const char *text) {
	(void)context;
	printf("::error title=%s %s::", what, why);
	put(text, false);
	putchar('\n');
}

void mx_github_print(const struct mx_record *r) {
	static const mx_severity order[] = { MX_WRONG_DEVICE, MX_WRONG_ORDER, MX_WRONG_NUMBERS,
		                             MX_REPORTED };
	annotate_bad_input(r);
	for (size_t i = 0; i < sizeof order / sizeof *order; i++)
		annotate_severity(r, order[i]);
	mx_record_each_stale(r, annotate_stale, NULL);
}
