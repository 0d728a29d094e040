/* The image of a linked object: segments, relocations and dynamic symbols. */
#include <stdlib.h>

#include "elf.h"

enum { RELOC_ABS64 = 3, RELOC_RELATIVE64 = 13 };

/* ---- segments ---- */

static mx_codeobject_status add_segment(const struct mx_codeobject *co, struct mx_image *m,
                                        const GElf_Phdr *p, struct mx_codeobject_error *why) {
	if (p->p_vaddr + p->p_memsz > m->bytes)
		m->bytes = p->p_vaddr + p->p_memsz;
	m->segments[m->n_segments++] =
		(struct mx_image_segment){ p->p_vaddr, p->p_memsz, co->bytes + p->p_offset,
		                           p->p_filesz };
	if (!(p->p_flags & PF_X))
		return MX_CODEOBJECT_OK;
	if (m->code_bytes)
		return mx_codeobject_fail(why, MX_CODEOBJECT_INVALID, "two segments of code");
	m->code = p->p_vaddr;
	m->code_bytes = p->p_filesz;
	return MX_CODEOBJECT_OK;
}

static mx_codeobject_status read_segments(struct mx_codeobject *co, struct mx_image *m,
                                          struct mx_codeobject_error *why) {
	GElf_Phdr *list;
	size_t n;
	mx_codeobject_status status = mx_elf_segments(co, PT_LOAD, &list, &n, why);
	if (status)
		return status;
	m->segments = calloc(n + 1, sizeof *m->segments);
	if (!m->segments)
		status = mx_codeobject_no_memory(why);
	for (size_t i = 0; i < n && !status; i++)
		status = add_segment(co, m, &list[i], why);
	free(list);
	if (status)
		return status;
	if (!m->n_segments)
		return mx_codeobject_fail(why, MX_CODEOBJECT_INVALID, "no code");
	return m->code % 4 ? mx_codeobject_fail(why, MX_CODEOBJECT_INVALID, "code is not aligned")
	                   : MX_CODEOBJECT_OK;
}

/* ---- relocations ---- */

static mx_codeobject_status add_relocation(struct mx_image *m, const GElf_Rela *r,
                                           Elf_Data *symbols, struct mx_codeobject_error *why) {
	uint64_t value = (uint64_t)r->r_addend;
	GElf_Sym sym;
	switch (GELF_R_TYPE(r->r_info)) {
	case RELOC_RELATIVE64: break;
	case RELOC_ABS64:
		if (!symbols || !gelf_getsym(symbols, (int)GELF_R_SYM(r->r_info), &sym) ||
		    sym.st_shndx == SHN_UNDEF)
			return mx_codeobject_fail(why, MX_CODEOBJECT_INVALID,
			                          "relocation against an undefined symbol");
		value += sym.st_value;
		break;
	default:
		return mx_codeobject_fail(why, MX_CODEOBJECT_INVALID, "relocation type %u",
		                          (unsigned)GELF_R_TYPE(r->r_info));
	}
	if (r->r_offset > m->bytes || m->bytes - r->r_offset < 8)
		return mx_codeobject_fail(why, MX_CODEOBJECT_INVALID,
		                          "relocation outside the image");
	struct mx_image_relocation *grown =
		mx_codeobject_grow(m->relocations, m->n_relocations, sizeof *grown);
	if (!grown)
		return mx_codeobject_no_memory(why);
	m->relocations = grown;
	grown[m->n_relocations++] = (struct mx_image_relocation){ r->r_offset, value };
	return MX_CODEOBJECT_OK;
}

static mx_codeobject_status read_table(struct mx_codeobject *co, struct mx_image *m, Elf_Scn *scn,
                                       const GElf_Shdr *sh, struct mx_codeobject_error *why) {
	Elf_Data *data = elf_getdata(scn, NULL);
	Elf_Scn *linked = elf_getscn(co->elf, sh->sh_link);
	Elf_Data *symbols = linked ? elf_getdata(linked, NULL) : NULL;
	size_t n = data && sh->sh_entsize ? data->d_size / sh->sh_entsize : 0;
	mx_codeobject_status status = MX_CODEOBJECT_OK;
	for (size_t i = 0; i < n && !status; i++) {
		GElf_Rela r;
		if (gelf_getrela(data, (int)i, &r))
			status = add_relocation(m, &r, symbols, why);
	}
	return status;
}

static mx_codeobject_status read_relocations(struct mx_codeobject *co, struct mx_image *m,
                                             struct mx_codeobject_error *why) {
	mx_codeobject_status status = MX_CODEOBJECT_OK;
	GElf_Shdr sh;
	for (Elf_Scn *scn = NULL; !status && mx_elf_next(co, &scn, &sh);)
		if (sh.sh_type == SHT_RELA)
			status = read_table(co, m, scn, &sh, why);
	return status;
}

/* ---- symbols ---- */

static mx_codeobject_status read_symbols(struct mx_codeobject *co, struct mx_image *m,
                                         struct mx_codeobject_error *why) {
	for (struct mx_elf_cursor c = { 0 }; mx_elf_next_symbol(co, SHT_DYNSYM, &c);) {
		if (c.sym.st_shndx == SHN_UNDEF || c.sym.st_value > m->bytes ||
		    c.sym.st_size > m->bytes - c.sym.st_value)
			continue;
		struct mx_image_symbol *grown =
			mx_codeobject_grow(m->symbols, m->n_symbols, sizeof *grown);
		if (!grown)
			return mx_codeobject_no_memory(why);
		m->symbols = grown;
		grown[m->n_symbols++] =
			(struct mx_image_symbol){ c.name, c.sym.st_value, c.sym.st_size };
	}
	return MX_CODEOBJECT_OK;
}

/* ---- the part ---- */

mx_codeobject_status mx_codeobject_image(struct mx_codeobject *co, const struct mx_image **image,
                                         struct mx_codeobject_error *why) {
	if (!co->image) {
		struct mx_image *m = calloc(1, sizeof *m);
		mx_codeobject_status status =
			m ? read_segments(co, m, why) : mx_codeobject_no_memory(why);
		if (!status)
			status = read_relocations(co, m, why);
		if (!status)
			status = read_symbols(co, m, why);
		if (status) {
			mx_image_free(m);
			return status;
		}
		co->image = m;
	}
	*image = co->image;
	return MX_CODEOBJECT_OK;
}

void mx_image_free(struct mx_image *m) {
	if (!m)
		return;
	free(m->segments);
	free(m->relocations);
	free(m->symbols);
	free(m);
}
