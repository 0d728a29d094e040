/* What a kernel descriptor says of resources [LLVM "Kernel Descriptor", GFX90A rows]. */
#include "descriptor.h"

#include <gelf.h>
#include <stdio.h>
#include <string.h>

enum { DESCRIPTOR = 64, LDS = 0, SCRATCH = 4, RSRC3 = 44, RSRC1 = 48 };

static uint32_t u32_at(const uint8_t *p) {
	uint32_t v;
	memcpy(&v, p, 4);
	return v;
}

static void read_descriptor(const uint8_t *kd, struct mx_resources *r) {
	unsigned all = ((u32_at(kd + RSRC1) & 63) + 1) * 8;
	unsigned accum = ((u32_at(kd + RSRC3) & 63) + 1) * 4;
	r->lds_bytes = u32_at(kd + LDS);
	r->scratch_bytes = u32_at(kd + SCRATCH);
	r->vgprs = all < accum ? all : accum;
	r->agprs = all - r->vgprs;
}

/* The bytes that a symbol names, or NULL. */
static const uint8_t *bytes_of(const struct mx_codefile *f, const GElf_Sym *sym, size_t bytes) {
	Elf_Scn *scn = elf_getscn(f->elf, sym->st_shndx);
	Elf_Data *data = scn ? elf_getdata(scn, NULL) : NULL;
	GElf_Shdr sh;
	if (!data || !data->d_buf || !gelf_getshdr(scn, &sh) || sym->st_value < sh.sh_addr)
		return NULL;
	uint64_t at = sym->st_value - sh.sh_addr;
	bool inside = at <= data->d_size && bytes <= data->d_size - at;
	return inside ? (const uint8_t *)data->d_buf + at : NULL;
}

static bool look_up(const struct mx_codefile *f, Elf_Scn *scn, const char *name,
                    struct mx_resources *r) {
	GElf_Shdr sh;
	Elf_Data *data = elf_getdata(scn, NULL);
	if (!gelf_getshdr(scn, &sh) || !data || !sh.sh_entsize ||
	    (sh.sh_type != SHT_SYMTAB && sh.sh_type != SHT_DYNSYM))
		return false;
	for (size_t i = 1; i < data->d_size / sh.sh_entsize; i++) {
		GElf_Sym sym;
		const char *s = gelf_getsym(data, (int)i, &sym)
		                        ? elf_strptr(f->elf, sh.sh_link, sym.st_name)
		                        : NULL;
		const uint8_t *kd = s && !strcmp(s, name) ? bytes_of(f, &sym, DESCRIPTOR) : NULL;
		if (kd) {
			read_descriptor(kd, r);
			return true;
		}
	}
	return false;
}

bool mx_resources_of(const struct mx_codefile *f, const char *kernel, struct mx_resources *r) {
	char name[1024];
	if (snprintf(name, sizeof name, "%s.kd", kernel) >= (int)sizeof name)
		return false;
	for (Elf_Scn *scn = NULL; (scn = elf_nextscn(f->elf, scn));)
		if (look_up(f, scn, name, r))
			return true;
	return false;
}
