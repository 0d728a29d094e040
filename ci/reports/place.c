/* Places of findings: code object, kernel and source line. */
#include "place.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "../cli/codefile.h"

/* An open code object; without code if it could not be opened. */
struct open_code {
	struct open_code *next;
	char *path;
	struct mx_codefile file;
};

struct mx_places {
	struct open_code *first;
};

struct mx_places *mx_places_make(void) {
	return calloc(1, sizeof(struct mx_places));
}

void mx_places_free(struct mx_places *p) {
	for (struct open_code *c = p ? p->first : NULL, *next; c; c = next) {
		next = c->next;
		mx_codefile_close(&c->file);
		free(c->path);
		free(c);
	}
	free(p);
}

static struct open_code *open_code(struct mx_places *p, const char *path) {
	struct mx_error why;
	for (struct open_code *c = p->first; c; c = c->next)
		if (!strcmp(c->path, path))
			return c;
	struct open_code *c = calloc(1, sizeof *c);
	char *copy = strdup(path);
	if (!c || !copy) {
		free(c);
		free(copy);
		return NULL;
	}
	c->path = copy;
	c->next = p->first;
	p->first = c;
	mx_codefile_open(path, &c->file, &why);
	return c;
}

const char *mx_short_path(const char *path) {
	char here[4096];
	size_t n = getcwd(here, sizeof here) ? strlen(here) : 0;
	return n > 1 && !strncmp(path, here, n) && path[n] == '/' ? path + n + 1 : path;
}

/* ---- the instruction ---- */

static const struct mx_code_section *section_at(const struct mx_code *c, uint64_t address) {
	for (size_t i = 0; i < c->n_sections; i++)
		if (address >= c->sections[i].address &&
		    address - c->sections[i].address < c->sections[i].bytes)
			return &c->sections[i];
	return NULL;
}

/* The instruction at an address; returns its size in bytes, or 0. */
static size_t disassemble(const struct mx_codefile *f, uint64_t address, char *text, size_t room) {
	const struct mx_code_section *s = section_at(f->code, address);
	text[0] = 0;
	if (!s || (address - s->address) % 4)
		return 0;
	size_t at = (size_t)(address - s->address) / 4;
	return f->isa->disassemble(s->code + at, s->bytes / 4 - at, 0, text, room);
}

static uint64_t kernel_address(struct mx_codefile *f, const char *kernel) {
	const struct mx_codeobject_kernel *k = mx_codeobject_kernel(f->object, kernel);
	return !k ? 0 : k->entry ? k->entry : k->function ? k->function->address : 0;
}

struct mx_place mx_place_of(struct mx_places *p, const struct mx_result *r, unsigned step,
                            uint64_t pc) {
	char path[4096];
	struct open_code *c = r->code ? open_code(p, mx_result_code(r, step, path)) : NULL;
	struct mx_place place = { .kernel = mx_case_kernel(r->run->c, r->run->run.variant, step),
		                  .code = c ? mx_short_path(c->path) : NULL };
	struct mx_source_line line;
	uint64_t start = c && c->file.object ? kernel_address(&c->file, place.kernel) : 0;
	if (!start)
		return place;
	place.address = start + pc;
	disassemble(&c->file, place.address, place.instruction, sizeof place.instruction);
	if (mx_codeobject_line(c->file.object, place.address, &line)) {
		place.file = mx_short_path(line.file);
		place.line = line.line;
		place.column = line.column;
	}
	return place;
}
