/* A code object file as its reader sees it: sections of code, and symbols. */
#include "codefile.h"

#include <gelf.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "../../cases/files.h"

enum { MACHINE_AMDGPU = 224, MOST_BYTES = 1 << 30 };

/* ---- sections ---- */

static bool is_code(const GElf_Shdr *sh) {
	return sh->sh_type == SHT_PROGBITS && sh->sh_flags & SHF_EXECINSTR;
}

/* Code is read as dwords where it lies in the file, and addressed as dwords. */
static const char *bad_section(const GElf_Shdr *sh, const Elf_Data *data) {
	if (!data)
		return "does not lie in the file";
	if (sh->sh_addr % 4 || (uintptr_t)data->d_buf % 4)
		return "does not begin at a whole dword";
	return sh->sh_addr > UINT64_MAX - data->d_size ? "ends beyond the last address" : NULL;
}

static int add_section(struct mx_codefile *f, Elf_Scn *scn, const GElf_Shdr *sh, const char *name,
                       struct mx_error *err) {
	struct mx_code_section *grown = realloc(f->sections, (f->n_sections + 1) * sizeof *grown);
	Elf_Data *data = elf_getdata(scn, NULL);
	const char *wrong = bad_section(sh, data);
	if (!grown)
		return mx_fail(err, "out of memory");
	f->sections = grown;
	if (wrong)
		return mx_fail(err, "section of code %s at 0x%" PRIx64 " %s", name, sh->sh_addr,
		               wrong);
	grown[f->n_sections++] =
		(struct mx_code_section){ name, sh->sh_addr,
		                          data->d_buf ? data->d_size & ~(size_t)3 : 0, data->d_buf,
		                          sh->sh_offset };
	return 0;
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

/* A label may stand at the end of the code. */
static bool is_in(const struct mx_code_section *c, uint64_t address) {
	return address >= c->address && address - c->address <= c->bytes && address % 4 == 0;
}

static int add_symbol(struct mx_codefile *f, const char *name, const GElf_Sym *sym, size_t section,
                      struct mx_error *err) {
	struct mx_code_symbol *grown = realloc(f->symbols, (f->n_symbols + 1) * sizeof *grown);
	const struct mx_code_section *c = &f->sections[section];
	if (!grown)
		return mx_fail(err, "out of memory");
	f->symbols = grown;
	if (!is_in(c, sym->st_value))
		return mx_fail(err,
		               "symbol %s at 0x%" PRIx64
		               " is at no whole dword of its section %s, %zu bytes at 0x%" PRIx64,
		               name, sym->st_value, c->name, c->bytes, c->address);
	grown[f->n_symbols] =
		(struct mx_code_symbol){ strdup(name), sym->st_value, sym->st_size, section,
		                         GELF_ST_TYPE(sym->st_info) == STT_NOTYPE };
	if (!grown[f->n_symbols].name)
		return mx_fail(err, "out of memory");
	f->n_symbols++;
	return 0;
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

static int read_symbols(struct mx_codefile *f, Elf_Scn *scn, const GElf_Shdr *sh,
                        struct mx_error *err) {
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
		if (section != SIZE_MAX && add_symbol(f, name, &sym, section, err))
			return -1;
	}
	return 0;
}

/* Those of .symtab, or of .dynsym where that is stripped. */
static int read_all_symbols(struct mx_codefile *f, struct mx_error *err) {
	static const uint32_t types[] = { SHT_SYMTAB, SHT_DYNSYM };
	for (unsigned t = 0; t < 2 && !f->n_symbols; t++)
		for (Elf_Scn *scn = NULL; (scn = elf_nextscn(f->elf, scn));) {
			GElf_Shdr sh;
			if (gelf_getshdr(scn, &sh) && sh.sh_type == types[t] &&
			    read_symbols(f, scn, &sh, err))
				return -1;
		}
	if (f->n_symbols)
		qsort(f->symbols, f->n_symbols, sizeof *f->symbols, by_address);
	return 0;
}

/* ---- the file ---- */

static int read_sections(struct mx_codefile *f, size_t names, struct mx_error *err) {
	for (Elf_Scn *scn = NULL; (scn = elf_nextscn(f->elf, scn));) {
		GElf_Shdr sh;
		if (!gelf_getshdr(scn, &sh) || !is_code(&sh))
			continue;
		const char *name = elf_strptr(f->elf, names, sh.sh_name);
		if (add_section(f, scn, &sh, name ? name : "?", err))
			return -1;
	}
	return f->n_sections ? 0 : mx_fail(err, "no section of code");
}

static int read_elf(struct mx_codefile *f, struct mx_error *err) {
	GElf_Ehdr h;
	size_t names;
	if (elf_kind(f->elf) != ELF_K_ELF || !gelf_getehdr(f->elf, &h) ||
	    h.e_ident[EI_CLASS] != ELFCLASS64 || elf_getshdrstrndx(f->elf, &names))
		return mx_fail(err, "not a 64-bit ELF file");
	if (h.e_machine != MACHINE_AMDGPU)
		return mx_fail(err, "ELF of machine %u, not of an AMD GPU", h.e_machine);
	if (h.e_ident[EI_DATA] != ELFDATA2LSB)
		return mx_fail(err, "a big-endian ELF file");
	return read_sections(f, names, err) || read_all_symbols(f, err) ? -1 : 0;
}

int mx_codefile_read(const char *name, uint8_t *file, size_t bytes, struct mx_codefile *f,
                     struct mx_error *err) {
	struct mx_error why;
	*f = (struct mx_codefile){ .file = file };
	elf_version(EV_CURRENT);
	f->elf = elf_memory((char *)file, bytes);
	if (f->elf && !read_elf(f, &why))
		return 0;
	if (!f->elf)
		mx_fail(&why, "not a 64-bit ELF file");
	mx_codefile_close(f);
	return mx_fail(err, "%s: %s", name, why.text);
}

int mx_codefile_open(const char *path, struct mx_codefile *f, struct mx_error *err) {
	uint8_t *file;
	size_t bytes;
	if (mx_file_read(path, MOST_BYTES, &file, &bytes, err))
		return -1;
	return mx_codefile_read(path, file, bytes, f, err);
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
	if (s->size && s->size <= end - s->address)
		return s->address + s->size;
	for (size_t i = f->n_symbols; i-- > 0;)
		if (f->symbols[i].section == s->section && f->symbols[i].address > s->address)
			end = f->symbols[i].address;
	return end;
}
