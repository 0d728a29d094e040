/* Code objects: ELF shared objects for amdgcn, v3 to v6 [LLVM "Code Object"]. */
#include <gelf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "note.h"
#include "runtime.h"

enum {
	MACHINE_AMDGPU = 224,
	OSABI_AMDGPU_HSA = 64,
	MACH_MASK = 0xff,
	MACH_GFX950 = 0x4f,
	MACH_GFX9_4_GENERIC = 0x5f,
	ABI_V3 = 1, /* EI_ABIVERSION */
	ABI_V6 = 4,
	RELOC_ABS64 = 3,
	RELOC_RELATIVE64 = 13,
	MAX_IMAGE = 1 << 30, /* bytes */
};

/* What the parts of the loader hand on. */
struct loading {
	Elf *elf;
	const uint8_t *file;
	size_t bytes;
	struct ihipModule_t *m;
	uint64_t code, code_bytes; /* executable segment, in the image */
	char target[64];
};

/* ---- segments ---- */

static bool in_file(const struct loading *l, const GElf_Phdr *p) {
	return p->p_offset <= l->bytes && p->p_filesz <= l->bytes - p->p_offset;
}

static bool in_image(const GElf_Phdr *p) {
	return p->p_filesz <= p->p_memsz && p->p_memsz <= MAX_IMAGE &&
	       p->p_vaddr <= MAX_IMAGE - p->p_memsz;
}

/* Calls `each` with every program header of a type; stops at the first error. */
static hipError_t for_segments(struct loading *l, uint32_t type,
                               hipError_t (*each)(struct loading *, const GElf_Phdr *)) {
	size_t n;
	if (elf_getphdrnum(l->elf, &n))
		return mx_hip_fail(hipErrorInvalidImage, "truncated ELF: no program headers");
	for (size_t i = 0; i < n; i++) {
		GElf_Phdr p;
		if (!gelf_getphdr(l->elf, (int)i, &p))
			return mx_hip_fail(hipErrorInvalidImage,
			                   "truncated ELF: program header %zu", i);
		if (p.p_type != type)
			continue;
		if (!in_file(l, &p))
			return mx_hip_fail(hipErrorInvalidImage,
			                   "truncated ELF: segment %zu ends past the file", i);
		if (!in_image(&p))
			return mx_hip_fail(hipErrorInvalidImage,
			                   "segment %zu is larger in the file than in memory, or "
			                   "ends past 1 GiB",
			                   i);
		hipError_t e = each(l, &p);
		if (e != hipSuccess)
			return e;
	}
	return hipSuccess;
}

static hipError_t measure(struct loading *l, const GElf_Phdr *p) {
	uint64_t end = p->p_vaddr + p->p_memsz;
	if (end > l->m->image_bytes)
		l->m->image_bytes = end;
	if (p->p_flags & PF_X) {
		if (l->code_bytes)
			return mx_hip_fail(hipErrorInvalidImage, "two segments of code");
		l->code = p->p_vaddr;
		l->code_bytes = p->p_filesz;
	}
	return hipSuccess;
}

static hipError_t copy_segment(struct loading *l, const GElf_Phdr *p) {
	memcpy(l->m->image + p->p_vaddr, l->file + p->p_offset, p->p_filesz);
	mxhipMark(l->m->image + p->p_vaddr, p->p_memsz, MX_WRITTEN);
	return hipSuccess;
}

/* Notes: name size, descriptor size, type, then name and descriptor padded to 4. */
static hipError_t read_notes(struct loading *l, const GElf_Phdr *p) {
	const uint8_t *at = l->file + p->p_offset;
	uint64_t left = p->p_filesz;
	while (left >= 12) {
		uint32_t head[3];
		memcpy(head, at, sizeof head);
		uint64_t name = (head[0] + 3ull) & ~3ull, size = name + ((head[1] + 3ull) & ~3ull);
		if (size > left - 12 || head[1] > left - 12 - name)
			return mx_hip_fail(hipErrorInvalidImage, "truncated ELF: note");
		if (head[2] == MX_NOTE_METADATA && head[0] == 7 && !memcmp(at + 12, "AMDGPU", 7))
			return mx_metadata_read(at + 12 + name, head[1], l->m, l->target);
		at += 12 + size;
		left -= 12 + size;
	}
	return hipSuccess;
}

/* ---- relocations ---- */

static hipError_t relocate(struct loading *l, const GElf_Rela *r, Elf_Data *symbols) {
	uint64_t base = (uint64_t)(uintptr_t)l->m->image, value = base + (uint64_t)r->r_addend;
	GElf_Sym sym;
	switch (GELF_R_TYPE(r->r_info)) {
	case RELOC_RELATIVE64: break;
	case RELOC_ABS64:
		if (!symbols || !gelf_getsym(symbols, (int)GELF_R_SYM(r->r_info), &sym) ||
		    sym.st_shndx == SHN_UNDEF)
			return mx_hip_fail(hipErrorInvalidImage,
			                   "relocation against an undefined symbol");
		value += sym.st_value;
		break;
	default:
		return mx_hip_fail(hipErrorInvalidImage, "relocation type %u",
		                   (unsigned)GELF_R_TYPE(r->r_info));
	}
	if (r->r_offset > l->m->image_bytes || l->m->image_bytes - r->r_offset < 8)
		return mx_hip_fail(hipErrorInvalidImage, "relocation outside the image");
	memcpy(l->m->image + r->r_offset, &value, 8);
	return hipSuccess;
}

static hipError_t relocate_section(struct loading *l, Elf_Scn *scn, const GElf_Shdr *sh) {
	Elf_Data *data = elf_getdata(scn, NULL);
	Elf_Scn *linked = elf_getscn(l->elf, sh->sh_link);
	Elf_Data *symbols = linked ? elf_getdata(linked, NULL) : NULL;
	size_t n = data && sh->sh_entsize ? data->d_size / sh->sh_entsize : 0;
	hipError_t e = hipSuccess;
	for (size_t i = 0; i < n && e == hipSuccess; i++) {
		GElf_Rela r;
		if (gelf_getrela(data, (int)i, &r))
			e = relocate(l, &r, symbols);
	}
	return e;
}

/* ---- symbols and kernels ---- */

static hipError_t add_symbol(struct ihipModule_t *m, const char *name, const GElf_Sym *sym) {
	struct mx_symbol *grown = realloc(m->symbols, (m->n_symbols + 1) * sizeof *grown);
	if (!grown)
		return mx_hip_return(hipErrorOutOfMemory);
	m->symbols = grown;
	grown[m->n_symbols] = (struct mx_symbol){ strdup(name), sym->st_value, sym->st_size };
	return grown[m->n_symbols].name ? (m->n_symbols++, hipSuccess)
	                                : mx_hip_return(hipErrorOutOfMemory);
}

static hipError_t read_symbols(struct loading *l, Elf_Scn *scn, const GElf_Shdr *sh) {
	Elf_Data *data = elf_getdata(scn, NULL);
	size_t n = data && sh->sh_entsize ? data->d_size / sh->sh_entsize : 0;
	hipError_t e = hipSuccess;
	for (size_t i = 1; i < n && e == hipSuccess; i++) {
		GElf_Sym sym;
		const char *name;
		if (gelf_getsym(data, (int)i, &sym) && sym.st_shndx != SHN_UNDEF &&
		    (name = elf_strptr(l->elf, sh->sh_link, sym.st_name)) &&
		    sym.st_value <= l->m->image_bytes &&
		    sym.st_size <= l->m->image_bytes - sym.st_value)
			e = add_symbol(l->m, name, &sym);
	}
	return e;
}

static hipError_t find_descriptor(struct ihipModule_t *m, struct mx_function *f) {
	char kd[1100];
	snprintf(kd, sizeof kd, "%s.kd", f->name);
	for (size_t i = 0; i < m->n_symbols; i++)
		if (!strcmp(m->symbols[i].name, kd) && m->symbols[i].size >= MX_DESCRIPTOR_BYTES) {
			mx_descriptor_read(f, m->image + m->symbols[i].offset);
			return hipSuccess;
		}
	return mx_hip_fail(hipErrorInvalidImage, "no kernel descriptor %s", kd);
}

static hipError_t for_sections(struct loading *l, uint32_t type,
                               hipError_t (*each)(struct loading *, Elf_Scn *, const GElf_Shdr *)) {
	hipError_t e = hipSuccess;
	for (Elf_Scn *scn = NULL; e == hipSuccess && (scn = elf_nextscn(l->elf, scn));) {
		GElf_Shdr sh;
		if (gelf_getshdr(scn, &sh) && sh.sh_type == type)
			e = each(l, scn, &sh);
	}
	return e;
}

/* ---- the whole ---- */

/* Features that the code was built for and the device has not: it has sramecc+ and xnack-. Two bits
 * each from v4 on (1: any, 2: off, 3: on), one before [LLVM "e_flags"]. */
static const char *wrong_feature(const GElf_Ehdr *h) {
	if (h->e_ident[EI_ABIVERSION] == ABI_V3)
		return h->e_flags & 0x100 ? "xnack+" : NULL;
	if ((h->e_flags >> 8 & 3) == 3)
		return "xnack+";
	return (h->e_flags >> 10 & 3) == 2 ? "sramecc-" : NULL;
}

static hipError_t check_target(struct loading *l, const GElf_Ehdr *h) {
	unsigned mach = h->e_flags & MACH_MASK;
	if (mach != MACH_GFX950 && mach != MACH_GFX9_4_GENERIC)
		return mx_hip_fail(hipErrorNoBinaryForGpu,
		                   "built for %s (EF_AMDGPU_MACH 0x%x), the device is " MX_ARCH,
		                   l->target[0] ? l->target : "another architecture", mach);
	if (wrong_feature(h))
		return mx_hip_fail(hipErrorNoBinaryForGpu,
		                   "built for %s, the device is " MX_FULL_ARCH, wrong_feature(h));
	return hipSuccess;
}

static hipError_t check_header(struct loading *l) {
	GElf_Ehdr h;
	if (elf_kind(l->elf) != ELF_K_ELF || !gelf_getehdr(l->elf, &h))
		return mx_hip_fail(hipErrorInvalidImage, "not an ELF file");
	if (h.e_ident[EI_CLASS] != ELFCLASS64 || h.e_machine != MACHINE_AMDGPU)
		return mx_hip_fail(hipErrorInvalidImage, "ELF of machine %u, not of an AMD GPU",
		                   h.e_machine);
	if (h.e_type != ET_DYN || h.e_ident[EI_OSABI] != OSABI_AMDGPU_HSA)
		return mx_hip_fail(hipErrorInvalidImage,
		                   "not a linked amdhsa code object (link it with ld.lld -shared)");
	if (h.e_ident[EI_ABIVERSION] < ABI_V3 || h.e_ident[EI_ABIVERSION] > ABI_V6)
		return mx_hip_fail(hipErrorInvalidImage,
		                   "code object of ABI version %u, which is none of v3 to v6",
		                   h.e_ident[EI_ABIVERSION]);
	hipError_t e = for_segments(l, PT_NOTE, read_notes);
	return e == hipSuccess ? check_target(l, &h) : e;
}

static hipError_t map_image(struct loading *l) {
	hipError_t e = for_segments(l, PT_LOAD, measure);
	if (e != hipSuccess)
		return e;
	if (!l->code_bytes)
		return mx_hip_fail(hipErrorInvalidImage, "no code");
	if (l->code % 4)
		return mx_hip_fail(hipErrorInvalidImage, "code is not aligned");
	l->m->image = mx_hip_allocate(l->m->image_bytes);
	return l->m->image ? for_segments(l, PT_LOAD, copy_segment)
	                   : mx_hip_return(hipErrorOutOfMemory);
}

static hipError_t load(struct loading *l) {
	hipError_t e = check_header(l);
	if (e == hipSuccess)
		e = map_image(l);
	if (e == hipSuccess)
		e = for_sections(l, SHT_RELA, relocate_section);
	if (e == hipSuccess)
		e = for_sections(l, SHT_DYNSYM, read_symbols);
	for (size_t i = 0; e == hipSuccess && i < l->m->n_functions; i++)
		e = find_descriptor(l->m, &l->m->functions[i]);
	if (e != hipSuccess)
		return e;
	const uint8_t *code = l->m->image + l->code;
	l->m->program = mx_program_new(code, l->code_bytes, (uint64_t)(uintptr_t)code);
	return mx_hip_return(l->m->program ? hipSuccess : hipErrorOutOfMemory);
}

hipError_t mx_codeobject_load(const void *file, size_t bytes, struct ihipModule_t **module) {
	elf_version(EV_CURRENT);
	struct loading l = { elf_memory((char *)file, bytes), file, bytes, calloc(1, sizeof *l.m) };
	hipError_t e = !l.m     ? mx_hip_return(hipErrorOutOfMemory)
	               : !l.elf ? mx_hip_fail(hipErrorInvalidImage, "not an ELF file")
	                        : load(&l);
	elf_end(l.elf);
	if (e == hipSuccess)
		*module = l.m;
	else
		mx_codeobject_free(l.m);
	return e;
}

void mx_codeobject_free(struct ihipModule_t *m) {
	if (!m)
		return;
	for (size_t i = 0; i < m->n_functions; i++) {
		free(m->functions[i].name);
		free(m->functions[i].args);
	}
	for (size_t i = 0; i < m->n_symbols; i++)
		free(m->symbols[i].name);
	free(m->functions);
	free(m->symbols);
	mx_program_free(m->program);
	if (m->image)
		mx_hip_release(m->image);
	free(m);
}
