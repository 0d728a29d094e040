/* A code object file as its reader sees it: sections of code, and symbols. */
#ifndef MX_CODEFILE_H
#define MX_CODEFILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "../../cases/case.h"

struct mx_code_symbol {
	char *name;
	uint64_t address; /* of a whole dword of the section, or its end */
	uint64_t size;
	size_t section; /* in mx_codefile.sections */
	bool label;     /* has no type: a label of an assembly text */
};

struct mx_code_section {
	const char *name;
	uint64_t address; /* a multiple of 4; all of the section has addresses */
	size_t bytes;     /* whole dwords */
	const uint32_t *code;
	uint64_t offset; /* of it in the file */
};

struct mx_codefile {
	uint8_t *file;
	struct mx_code_section *sections;
	size_t n_sections;
	struct mx_code_symbol *symbols; /* of code, by address */
	size_t n_symbols;
	void *elf;
};

/* Opens an ELF file for AMD GPUs, linked or not. 0, or -1 with err->text. Of mx_codefile_read the
 * file is in memory from malloc, which *f takes over, or frees after a failure. */
int mx_codefile_open(const char *path, struct mx_codefile *f, struct mx_error *err);
int mx_codefile_read(const char *name, uint8_t *file, size_t bytes, struct mx_codefile *f,
                     struct mx_error *err);
void mx_codefile_close(struct mx_codefile *f);

/* The symbol that an address of a section is in or behind, or NULL. */
const struct mx_code_symbol *mx_codefile_symbol(const struct mx_codefile *f, size_t section,
                                                uint64_t address);

/* Symbol by name, or NULL. */
const struct mx_code_symbol *mx_codefile_find(const struct mx_codefile *f, const char *name);

/* Where the symbol's code ends: its size, or the next symbol, or the section. */
uint64_t mx_codefile_end(const struct mx_codefile *f, const struct mx_code_symbol *s);

#endif
