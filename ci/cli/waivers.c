/* Waivers at the end of a run: those that waived nothing. */
#include "waivers.h"

#include <stdio.h>
#include <time.h>

#include "output.h"

static void report(const struct mx_options *o, const struct mx_waiver *w, const char *of) {
	char text[1024];
	if (w->findings)
		return;
	printf("%swaiver %s: ", o->tap ? "# " : "",
	       w->end && time(NULL) >= w->end ? "expired" : "not used");
	mx_print_on_line(of);
	printf(": %s\n", mx_waiver_text(w, text, sizeof text));
}

static bool is_selected(const struct mx_selection *s, const struct mx_case *c) {
	for (size_t i = 0; i < s->n_runs; i++)
		if (s->runs[i].c == c)
			return true;
	return false;
}

void mx_waivers_report(const struct mx_options *o, const struct mx_selection *s) {
	for (size_t i = 0; i < s->n_cases; i++)
		for (unsigned k = 0; k < s->cases[i]->n_waivers && is_selected(s, s->cases[i]); k++)
			report(o, &s->cases[i]->waivers[k], s->cases[i]->path);
	for (unsigned k = 0; s->waivers && k < s->waivers->n; k++)
		report(o, &s->waivers->list[k], o->waive);
}
