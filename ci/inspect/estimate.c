/* The text of an estimate of a kernel's main loop (ref/isa/lint/loop.h). */
#include "estimate.h"
#include "../cli/codefile.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

void mx_loop_text(const struct mx_loop *l, const char *matrix, char *text, size_t room) {
	unsigned issue = mx_loop_issue_cycles(l), busy = mx_loop_matrix_cycles(l);
	text[0] = 0;
	if (!l->instructions)
		return;
	int n = snprintf(text, room,
	                 "loop +0x%" PRIx32 " to +0x%" PRIx32 ": %u instructions, %u %s (%.1f %%), "
	                 "%u other vector",
	                 l->begin, l->last, l->instructions, l->matrix, matrix,
	                 100.0 * l->matrix / l->instructions, l->vector);
	if (l->passes && (size_t)n < room)
		snprintf(text + n, room - (size_t)n,
		         "; issue %u cycles, %u passes of %s %u cycles: bound by %s", issue,
		         l->passes, matrix, busy, busy >= issue ? matrix : "issue");
}

static const struct mx_code_symbol *find_symbol(const struct mx_code *c, const char *name) {
	for (const struct mx_code_symbol *s = c->symbols; s < c->symbols + c->n_symbols; s++)
		if (!strcmp(s->name, name))
			return s;
	return NULL;
}

static void put_loop(const struct mx_codefile *f, const struct mx_code_symbol *s, char *text,
                     size_t room) {
	const struct mx_code_section *c = &f->code->sections[s->section];
	struct mx_program *p = mx_program_new(f->isa, c->code, c->bytes, c->address);
	struct mx_graph g;
	if (p && mx_graph_make(p, (uint32_t)(s->address - c->address),
	                       (uint32_t)(mx_code_end(f->code, s) - c->address), &g)) {
		struct mx_loop l = mx_main_loop(&g);
		mx_loop_text(&l, f->isa->matrix, text, room);
		mx_graph_free(&g);
	}
	mx_program_free(p);
}

void mx_kernel_loop_text(const char *path, const char *kernel, char *text, size_t room) {
	struct mx_codefile f;
	struct mx_error err;
	text[0] = 0;
	if (mx_codefile_open(path, &f, &err))
		return;
	const struct mx_code_symbol *s = find_symbol(f.code, kernel);
	if (s)
		put_loop(&f, s, text, room);
	mx_codefile_close(&f);
}
