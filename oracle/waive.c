/* Whether a finding is waived. */
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "bench_inside.h"

/* The text of a finding begins with its place and instruction, which end with its dwords. */
static bool has_instruction(const struct mx_report *r, const struct mx_finding *f,
                            const char *part) {
	char text[MX_LINE_ROOM], *end;
	mx_finding_text(r, f, text, sizeof text);
	if ((end = strstr(text, "): ")))
		*end = 0;
	return strstr(text, part);
}

static bool covers(const struct mx_waiver *w, const struct mx_report *r,
                   const struct mx_finding *f) {
	return !strcmp(w->finding, mx_finding_name(f->kind)) &&
	       (!w->kernel || !strcmp(w->kernel, r->kernel)) && f->pc >= w->from &&
	       f->pc <= w->to && (!w->instruction || has_instruction(r, f, w->instruction));
}

static bool holds(const struct mx_waiver *w, uint64_t code_hash) {
	return (!w->code || w->hash == code_hash) && (!w->end || time(NULL) < w->end);
}

static struct mx_waiver *find(struct mx_waiver *list, unsigned n, uint64_t code_hash,
                              const struct mx_report *r, const struct mx_finding *f) {
	for (unsigned i = 0; i < n; i++)
		if (holds(&list[i], code_hash) && covers(&list[i], r, f))
			return &list[i];
	return NULL;
}

const struct mx_waiver *mx_waived(const struct mx_bench *b, unsigned step,
                                  const struct mx_finding *f) {
	const struct mx_case *c = b->plan.c;
	const struct bench_step *s = &b->step[step];
	struct mx_waiver *w = find(c->waivers, c->n_waivers, s->code_hash, &s->report, f);
	if (!w && c->more_waivers)
		w = find(c->more_waivers->list, c->more_waivers->n, s->code_hash, &s->report, f);
	if (w)
		w->findings++;
	return w;
}
