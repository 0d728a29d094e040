/* The code of an object: executable sections, their symbols, and where the code of each ends. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "elf.h"

/* ---- sections ---- */

static bool is_code(const GElf_Shdr *sh) {
	return sh->sh_type == SHT_PROGBITS && sh->sh_flags & SHF_EXECINSTR;
}

/* Code is read as dwords in place, and addressed as dwords. */
static const char *bad_section(const GElf_Shdr *sh, const Elf_Data *data) {
	if (!data)
		return "does not lie in the file";
	if (sh->sh_addr % 4 || (uintptr_t)data->d_buf % 4)
		return "does not begin at a whole dword";
	return sh->sh_addr > UINT64_MAX - data->d_size ? "ends beyond the last address" : NULL;
}

static mx_codeobject_status add_section(struct mx_codeobject *co, struct mx_code *c, Elf_Scn *scn,
                                        const GElf_Shdr *sh, const char *name,
                                        struct mx_codeobject_error *why) {
	static const uint32_t none;
	Elf_Data *data = elf_getdata(scn, NULL);
	const char *wrong = bad_section(sh, data);
	if (wrong)
		return mx_codeobject_fail(why, MX_CODEOBJECT_INVALID,
		                          "section of code %s at 0x%" PRIx64 " %s", name,
		                          sh->sh_addr, wrong);
	struct mx_code_section *grown =
		mx_codeobject_grow(c->sections, c->n_sections, sizeof *grown);
	if (!grown)
		return mx_codeobject_no_memory(why);
	c->sections = grown;
	grown[c->n_sections++] = (struct mx_code_section){
		name,
		sh->sh_addr,
		data->d_buf ? data->d_size & ~(size_t)3 : 0,
		data->d_buf ? data->d_buf : &none,
		co->offset + sh->sh_offset,
	};
	return MX_CODEOBJECT_OK;
}

static mx_codeobject_status read_sections(struct mx_codeobject *co, struct mx_code *c,
                                          struct mx_codeobject_error *why) {
	GElf_Shdr sh;
	size_t names;
	if (elf_getshdrstrndx(co->elf, &names))
		return mx_codeobject_fail(why, MX_CODEOBJECT_INVALID,
		                          "truncated ELF: no names of sections");
	for (Elf_Scn *scn = NULL; mx_elf_next(co, &scn, &sh);) {
		if (!is_code(&sh))
			continue;
		const char *name = elf_strptr(co->elf, names, sh.sh_name);
		mx_codeobject_status status = add_section(co, c, scn, &sh, name ? name : "?", why);
		if (status)
			return status;
	}
	return c->n_sections ? MX_CODEOBJECT_OK
	                     : mx_codeobject_fail(why, MX_CODEOBJECT_INVALID, "no section of code");
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

/* A label may be at the end of the code. */
static bool is_in(const struct mx_code_section *c, uint64_t address) {
	return address >= c->address && address - c->address <= c->bytes && address % 4 == 0;
}

/* The section of code of a symbol, or SIZE_MAX. */
static size_t section_of(struct mx_codeobject *co, const GElf_Sym *sym) {
	GElf_Shdr sh;
	size_t i = 0;
	if (GELF_ST_TYPE(sym->st_info) > STT_FUNC || sym->st_shndx >= SHN_LORESERVE)
		return SIZE_MAX;
	for (Elf_Scn *scn = NULL; mx_elf_next(co, &scn, &sh); i += is_code(&sh))
		if (elf_ndxscn(scn) == sym->st_shndx)
			return is_code(&sh) ? i : SIZE_MAX;
	return SIZE_MAX;
}

static mx_codeobject_status add_symbol(struct mx_codeobject *co, struct mx_code *c,
                                       const char *name, const GElf_Sym *sym, size_t section,
                                       struct mx_codeobject_error *why) {
	const struct mx_code_section *in = &c->sections[section];
	unsigned type = GELF_ST_TYPE(sym->st_info);
	if (!is_in(in, sym->st_value))
		return mx_codeobject_fail(why, MX_CODEOBJECT_INVALID,
		                          "symbol %s at 0x%" PRIx64
		                          " is at no whole dword of its section %s, %zu bytes at "
		                          "0x%" PRIx64,
		                          name, sym->st_value, in->name, in->bytes, in->address);
	struct mx_code_symbol *grown = mx_codeobject_grow(c->symbols, c->n_symbols, sizeof *grown);
	if (!grown)
		return mx_codeobject_no_memory(why);
	c->symbols = grown;
	grown[c->n_symbols++] = (struct mx_code_symbol){
		name,
		sym->st_value,
		sym->st_size,
		section,
		type == STT_FUNC || mx_kernels_find(co, name, strlen(name)),
		type == STT_NOTYPE,
	};
	return MX_CODEOBJECT_OK;
}

/* The symbols of .symtab, or of .dynsym if .symtab is stripped. */
static mx_codeobject_status read_symbols(struct mx_codeobject *co, struct mx_code *c,
                                         struct mx_codeobject_error *why) {
	static const uint32_t types[] = { SHT_SYMTAB, SHT_DYNSYM };
	for (unsigned t = 0; t < 2 && !c->n_symbols; t++)
		for (struct mx_elf_cursor at = { 0 }; mx_elf_next_symbol(co, types[t], &at);) {
			size_t in = section_of(co, &at.sym);
			mx_codeobject_status status =
				in == SIZE_MAX ? MX_CODEOBJECT_OK
					       : add_symbol(co, c, at.name, &at.sym, in, why);
			if (status)
				return status;
		}
	if (c->n_symbols)
		qsort(c->symbols, c->n_symbols, sizeof *c->symbols, by_address);
	return MX_CODEOBJECT_OK;
}

/* ---- the part ---- */

mx_codeobject_status mx_codeobject_code(struct mx_codeobject *co, const struct mx_code **code,
                                        struct mx_codeobject_error *why) {
	if (!co->code) {
		struct mx_code *c = calloc(1, sizeof *c);
		mx_codeobject_status status =
			c ? mx_kernels_list(co, why) : mx_codeobject_no_memory(why);
		if (!status)
			status = read_sections(co, c, why);
		if (!status)
			status = read_symbols(co, c, why);
		if (status) {
			mx_code_free(c);
			return status;
		}
		co->code = c;
	}
	*code = co->code;
	return MX_CODEOBJECT_OK;
}

void mx_code_free(struct mx_code *c) {
	if (!c)
		return;
	free(c->symbols);
	free(c->sections);
	free(c);
}

/* ---- queries ---- */

uint64_t mx_code_end(const struct mx_code *c, const struct mx_code_symbol *s) {
	const struct mx_code_section *in = &c->sections[s->section];
	uint64_t end = in->address + in->bytes;
	if (s->size && s->size <= end - s->address)
		return s->address + s->size;
	for (size_t i = 0; i < c->n_symbols; i++) {
		const struct mx_code_symbol *next = &c->symbols[i];
		if (next->function && next->section == s->section && next->address > s->address)
			return next->address;
	}
	return end;
}

/* Of the symbols at the address of s, a function if one exists. */
static const struct mx_code_symbol *function_at(const struct mx_code *c,
                                                const struct mx_code_symbol *s) {
	const struct mx_code_symbol *end = c->symbols + c->n_symbols, *f = s;
	for (; f < end && f->section == s->section && f->address == s->address; f++)
		if (f->function)
			return f;
	return s;
}

const struct mx_code_symbol *mx_code_next(const struct mx_code *c,
                                          const struct mx_code_symbol *last) {
	uint64_t covered = last ? mx_code_end(c, last) : 0;
	size_t first = last ? (size_t)(last - c->symbols) + 1 : 0;
	for (size_t i = first; i < c->n_symbols; i++) {
		const struct mx_code_symbol *s = &c->symbols[i];
		const struct mx_code_section *in = &c->sections[s->section];
		bool seen = last && s->section == last->section && s->address < covered;
		if (!seen && s->address - in->address < in->bytes)
			return function_at(c, s);
	}
	return NULL;
}

const struct mx_code_symbol *mx_code_at(const struct mx_code *c, size_t section, uint64_t address) {
	const struct mx_code_symbol *best = NULL;
	for (size_t i = 0; i < c->n_symbols; i++)
		if (c->symbols[i].section == section && c->symbols[i].address <= address)
			best = &c->symbols[i];
	return best;
}

const struct mx_code_symbol *mx_code_find(const struct mx_code *c, const char *name) {
	for (size_t i = 0; i < c->n_symbols; i++)
		if (!strcmp(c->symbols[i].name, name))
			return &c->symbols[i];
	return NULL;
}
