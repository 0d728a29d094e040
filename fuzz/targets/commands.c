/* Fuzz target: the commands that read code objects, on a whole ELF file; mutate only up to its
 * first launch. */
#define _GNU_SOURCE
#include "memory_file.h"

#include "../../ci/cli/codefile.h"
#include "../../ci/cli/command.h"
#include "../mutation/mutate.h"
#include "target.h"

static void mutate(const char *path) {
	struct mx_codefile f;
	struct mx_error err;
	if (mx_codefile_open(path, &f, &err))
		return;
	for (size_t i = 0; i < f.code->n_symbols; i++) {
		const struct mx_code_symbol *s = &f.code->symbols[i];
		const struct mx_code_section *c = &f.code->sections[s->section];
		struct mx_site *sites = NULL;
		struct mx_mutant *mutants = NULL;
		size_t n_sites, n_mutants;
		if (!c->bytes)
			continue;
		mx_mutants_find(f.isa, c->code + (s->address - c->address) / 4,
		                (mx_code_end(f.code, s) - s->address) / 4, &sites, &n_sites,
		                &mutants, &n_mutants);
		free(sites);
		free(mutants);
	}
	mx_codefile_close(&f);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
	const char *path = memory_file(data, size);
	char *lint[] = { "lint", "--notes", (char *)path, NULL };
	char *isa[] = { "isa", (char *)path, NULL };
	char *disasm[] = { "disasm", (char *)path, NULL };
	be_silent();
	mx_cmd_lint(3, lint);
	mx_cmd_isa(2, isa);
	mx_cmd_disasm(2, disasm);
	mutate(path);
	be_loud();
	memory_file_close();
	return 0;
}
