/* A code object file as its reader sees it: sections of code, and symbols. */
#include "codefile.h"

#include <gelf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MACHINE_AMDGPU = 224 };

static uint8_t *read_file(const char *path, size_t *bytes) {
	FILE *f = fopen(path, "rb");
	uint8_t *data = NULL;
	size_t room = 0;
	*bytes = 0;
	while (f && *bytes == room) {
		uint8_t *grown = realloc(data, room = room ? 2 * room : 1 << 16);
		if (!grown)
			break;
		data = grown;
		*bytes += fread(data + *bytes, 1, room - *bytes, f);
	}
	bool good = f && !ferror(f) && *bytes < room;
	if (f)
		fclose(f);
	if (good)
		return data;
	free(data);
	return NULL;
}

/* ---- sections ---- */

static bool is_code(const GElf_Shdr *sh) {
	return sh->sh_type == SHT_PROGBITS && sh->sh_flags & SHF_EXECINSTR;
}

/* Adds a section; keeps its ELF index for the symbols in *index. */
static bool add_section(struct mx_codefile *f, Elf_Scn *scn, const GElf_Shdr *sh, size_t names) {
	struct mx_code_section *grown = realloc(f->sections, (f->n_sections + 1) * sizeof *grown);
	Elf_Data *data = elf_getdata(scn, NULL);
	const char *name = elf_strptr(f->elf, names, sh->sh_name);
	if (!grown)
		return false;
	f->sections = grown;
	grown[f->n_sections++] =
		(struct mx_code_section){ name ? name : "?", sh->sh_addr,
		                          data && data->d_buf ? data->d_size & ~(size_t)3 : 0,
		                          data ? data->d_buf : NULL, sh->sh_offset };
	return true;
}

/* ---- symbols ---- */

static int by_address(const void *a, const void *b) {
	const struct mx_code_symbol *x = a, *y = b;
	if (x->section != y->section)
		return x->section < y->section ? -1 : 1;
	if (x->address != y->address)
		return x->address < y->address ? -1 : 1;
	return strcmp(x->name, y->name);
}

static bool add_symbol(struct mx_codefile *f, const char *name, const GElf_Sym *sym,
                       size_t section) {
	struct mx_code_symbol *grown = realloc(f->symbols, (f->n_symbols + 1) * sizeof *grown);
	if (!grown)
		return false;
	f->symbols = grown;
	grown[f->n_symbols] =
		(struct mx_code_symbol){ strdup(name), sym->st_value, sym->st_size, section,
		                         GELF_ST_TYPE(sym->st_info) == STT_NOTYPE };
	return grown[f->n_symbols].name && ++f->n_symbols;
}

/* Which section of code an ELF section is, or SIZE_MAX. */
static size_t code_index(struct mx_codefile *f, unsigned shndx) {
	size_t i = 0;
	for (Elf_Scn *scn = NULL; (scn = elf_nextscn(f->elf, scn));) {
		GElf_Shdr sh;
		bool code = gelf_getshdr(scn, &sh) && is_code(&sh);
		if (elf_ndxscn(scn) == shndx)
			return code ? i : SIZE_MAX;
		i += code;
	}
	return SIZE_MAX;
}

static bool read_symbols(struct mx_codefile *f, Elf_Scn *scn, const GElf_Shdr *sh) {
	Elf_Data *data = elf_getdata(scn, NULL);
	size_t n = data && sh->sh_entsize ? data->d_size / sh->sh_entsize : 0;
	for (size_t i = 1; i < n; i++) {
		GElf_Sym sym;
		const char *name;
		if (!gelf_getsym(data, (int)i, &sym) || GELF_ST_TYPE(sym.st_info) > STT_FUNC ||
		    sym.st_shndx >= SHN_LORESERVE ||
		    !(name = elf_strptr(f->elf, sh->sh_link, sym.st_name)) || !name[0])
			continue;
		size_t section = code_index(f, sym.st_shndx);
		if (section != SIZE_MAX && !add_symbol(f, name, &sym, section))
			return false;
	}
	return true;
}

/* Those of .symtab, or of .dynsym where that is stripped. */
static bool read_all_symbols(struct mx_codefile *f) {
	static const uint32_t types[] = { SHT_SYMTAB, SHT_DYNSYM };
	for (unsigned t = 0; t < 2 && !f->n_symbols; t++)
		for (Elf_Scn *scn = NULL; (scn = elf_nextscn(f->elf, scn));) {
			GElf_Shdr sh;
			if (gelf_getshdr(scn, &sh) && sh.sh_type == types[t] &&
			    !read_symbols(f, scn, &sh))
				return false;
		}
	if (f->n_symbols)
		qsort(f->symbols, f->n_symbols, sizeof *f->symbols, by_address);
	return true;
}

/* ---- the file ---- */

static int read_elf(const char *path, struct mx_codefile *f, struct mx_error *err) {
	GElf_Ehdr h;
	size_t names;
	if (elf_kind(f->elf) != ELF_K_ELF || !gelf_getehdr(f->elf, &h) ||
	    h.e_ident[EI_CLASS] != ELFCLASS64 || elf_getshdrstrndx(f->elf, &names))
		return mx_fail(err, "%s: not a 64-bit ELF file", path);
	if (h.e_machine != MACHINE_AMDGPU)
		return mx_fail(err, "%s: ELF of machine %u, not of an AMD GPU", path, h.e_machine);
	for (Elf_Scn *scn = NULL; (scn = elf_nextscn(f->elf, scn));) {
		GElf_Shdr sh;
		if (gelf_getshdr(scn, &sh) && is_code(&sh) && !add_section(f, scn, &sh, names))
			return mx_fail(err, "out of memory");
	}
	if (!f->n_sections)
		return mx_fail(err, "%s: no section of code", path);
	return read_all_symbols(f) ? 0 : mx_fail(err, "out of memory");
}

int mx_codefile_open(const char *path, struct mx_codefile *f, struct mx_error *err) {
	size_t bytes;
	*f = (struct mx_codefile){ .file = read_file(path, &bytes) };
	if (!f->file)
		return mx_fail(err, "%s: cannot be read", path);
	elf_version(EV_CURRENT);
	f->elf = elf_memory((char *)f->file, bytes);
	if (f->elf && !read_elf(path, f, err))
		return 0;
	if (!f->elf)
		mx_fail(err, "%s: not a 64-bit ELF file", path);
	mx_codefile_close(f);
	return -1;
}

void mx_codefile_close(struct mx_codefile *f) {
	for (size_t i = 0; i < f->n_symbols; i++)
		free(f->symbols[i].name);
	free(f->symbols);
	free(f->sections);
	elf_end(f->elf);
	free(f->file);
	*f = (struct mx_codefile){ 0 };
}

const struct mx_code_symbol *mx_codefile_symbol(const struct mx_codefile *f, size_t section,
                                                uint64_t address) {
	const struct mx_code_symbol *best = NULL;
	for (size_t i = 0; i < f->n_symbols; i++)
		if (f->symbols[i].section == section && f->symbols[i].address <= address)
			best = &f->symbols[i];
	return best;
}

const struct mx_code_symbol *mx_codefile_find(const struct mx_codefile *f, const char *name) {
	for (size_t i = 0; i < f->n_symbols; i++)
		if (!strcmp(f->symbols[i].name, name))
			return &f->symbols[i];
	return NULL;
}

uint64_t mx_codefile_end(const struct mx_codefile *f, const struct mx_code_symbol *s) {
	const struct mx_code_section *c = &f->sections[s->section];
	uint64_t end = c->address + c->bytes;
	if (s->size && s->address + s->size <= end)
		return s->address + s->size;
	for (size_t i = f->n_symbols; i-- > 0;)
		if (f->symbols[i].section == s->section && f->symbols[i].address > s->address)
			end = f->symbols[i].address;
	return end;
}
