/* Opening a code object, and walks over its sections, symbols and program headers. */
#include "elf.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
	MACHINE_AMDGPU = 224,
	OSABI_AMDGPU_HSA = 64,
	MACH_MASK = 0xff,
	ABI_V3 = 1, /* EI_ABIVERSION */
	ABI_V6 = 4,
	MAX_IMAGE = 1 << 30, /* bytes */
};

/* ---- failing ---- */

mx_codeobject_status mx_codeobject_fail(struct mx_codeobject_error *why,
                                        mx_codeobject_status status, const char *format, ...) {
	va_list ap;
	va_start(ap, format);
	vsnprintf(why->text, sizeof why->text, format, ap);
	va_end(ap);
	for (char *p = why->text; *p; p++)
		if (*p == '\n' || *p == '\r')
			*p = ' ';
	return status;
}

mx_codeobject_status mx_codeobject_no_memory(struct mx_codeobject_error *why) {
	return mx_codeobject_fail(why, MX_CODEOBJECT_NO_MEMORY, "out of memory");
}

/* Doubles the array if n fills it. */
void *mx_codeobject_grow(void *array, size_t n, size_t bytes) {
	return n & (n - 1) ? array : realloc(array, (n ? 2 * n : 1) * bytes);
}

/* ---- walks ---- */

bool mx_elf_next(struct mx_codeobject *co, Elf_Scn **scn, GElf_Shdr *sh) {
	while ((*scn = elf_nextscn(co->elf, *scn)))
		if (gelf_getshdr(*scn, sh))
			return true;
	return false;
}

static bool next_table(struct mx_codeobject *co, uint32_t type, struct mx_elf_cursor *c) {
	while (mx_elf_next(co, &c->table, &c->header))
		if (c->header.sh_type == type) {
			c->data = elf_getdata(c->table, NULL);
			c->n = c->data && c->header.sh_entsize
			               ? c->data->d_size / c->header.sh_entsize
			               : 0;
			c->i = 0; /* the symbol before the first, which has no name */
			return true;
		}
	return false;
}

bool mx_elf_next_symbol(struct mx_codeobject *co, uint32_t type, struct mx_elf_cursor *c) {
	do
		while (++c->i < c->n)
			if (gelf_getsym(c->data, (int)c->i, &c->sym) &&
			    (c->name = elf_strptr(co->elf, c->header.sh_link, c->sym.st_name)) &&
			    c->name[0])
				return true;
	while (next_table(co, type, c));
	return false;
}

static mx_codeobject_status check_segment(const struct mx_codeobject *co, size_t i,
                                          const GElf_Phdr *p, struct mx_codeobject_error *why) {
	if (p->p_offset > co->n || p->p_filesz > co->n - p->p_offset)
		return mx_codeobject_fail(why, MX_CODEOBJECT_INVALID,
		                          "truncated ELF: segment %zu ends past the file", i);
	if (p->p_filesz > p->p_memsz || p->p_memsz > MAX_IMAGE ||
	    p->p_vaddr > MAX_IMAGE - p->p_memsz)
		return mx_codeobject_fail(why, MX_CODEOBJECT_INVALID,
		                          "segment %zu is larger in the file than in memory, or "
		                          "ends past 1 GiB",
		                          i);
	return MX_CODEOBJECT_OK;
}

static mx_codeobject_status add_segments(struct mx_codeobject *co, uint32_t type, GElf_Phdr **list,
                                         size_t *n, struct mx_codeobject_error *why) {
	mx_codeobject_status status = MX_CODEOBJECT_OK;
	size_t all;
	if (elf_getphdrnum(co->elf, &all))
		return mx_codeobject_fail(why, MX_CODEOBJECT_INVALID,
		                          "truncated ELF: no program headers");
	for (size_t i = 0; i < all && !status; i++) {
		GElf_Phdr p;
		if (!gelf_getphdr(co->elf, (int)i, &p))
			return mx_codeobject_fail(why, MX_CODEOBJECT_INVALID,
			                          "truncated ELF: program header %zu", i);
		if (p.p_type != type)
			continue;
		GElf_Phdr *grown = mx_codeobject_grow(*list, *n, sizeof *grown);
		if (!grown)
			return mx_codeobject_no_memory(why);
		*list = grown;
		grown[(*n)++] = p;
		status = check_segment(co, i, &p, why);
	}
	return status;
}

mx_codeobject_status mx_elf_segments(struct mx_codeobject *co, uint32_t type, GElf_Phdr **list,
                                     size_t *n, struct mx_codeobject_error *why) {
	*list = NULL;
	*n = 0;
	mx_codeobject_status status = add_segments(co, type, list, n, why);
	if (status) {
		free(*list);
		*list = NULL;
	}
	return status;
}

/* ---- whether the device can load it ---- */

const struct mx_target mx_targets[] = {
#define MX_TARGET(mach, name, isa) { mach, name, isa },
#include "targets.def"
#undef MX_TARGET
	{ 0 },
};

static unsigned mach_of(const struct mx_codeobject *co) {
	return co->header.e_flags & MACH_MASK;
}

static const struct mx_target *target_of(const struct mx_codeobject *co) {
	for (const struct mx_target *t = mx_targets; t->name; t++)
		if (t->mach == mach_of(co))
			return t;
	return NULL;
}

/* The first feature of the code that contradicts the device, which has sramecc+ and xnack-. Each
 * feature has two bits from v4 on (1: any, 2: off, 3: on), one bit before [LLVM "e_flags"]. */
static const char *wrong_feature(const GElf_Ehdr *h) {
	if (h->e_ident[EI_ABIVERSION] == ABI_V3)
		return h->e_flags & 0x100 ? "xnack+" : NULL;
	if ((h->e_flags >> 8 & 3) == 3)
		return "xnack+";
	return (h->e_flags >> 10 & 3) == 2 ? "sramecc-" : NULL;
}

const char *mx_codeobject_isa(const struct mx_codeobject *co) {
	const struct mx_target *t = target_of(co);
	return t ? t->isa : NULL;
}

bool mx_target_runs(const struct mx_target *t) {
	return t->isa && !strcmp(t->isa, mx_architecture()->name);
}

static mx_codeobject_status other_device(struct mx_codeobject_error *why,
                                         const struct mx_target *t) {
	return mx_codeobject_fail(why, MX_CODEOBJECT_OTHER_DEVICE, "built for %s, the device is %s",
	                          t->name, mx_architecture()->name);
}

mx_codeobject_status mx_codeobject_check_target(struct mx_codeobject *co,
                                                struct mx_codeobject_error *why) {
	const struct mx_target *t = target_of(co);
	if (!t)
		return mx_codeobject_fail(why, MX_CODEOBJECT_OTHER_DEVICE,
		                          "built for an unknown target (EF_AMDGPU_MACH 0x%x), the "
		                          "device is %s",
		                          mach_of(co), mx_architecture()->name);
	return t->isa ? MX_CODEOBJECT_OK : other_device(why, t);
}

mx_codeobject_status mx_codeobject_check_device(struct mx_codeobject *co,
                                                struct mx_codeobject_error *why) {
	mx_codeobject_status status = mx_codeobject_check_target(co, why);
	if (!status && !mx_target_runs(target_of(co)))
		status = other_device(why, target_of(co));
	return status;
}

static mx_codeobject_status check_features(const GElf_Ehdr *h, struct mx_codeobject_error *why) {
	if (wrong_feature(h))
		return mx_codeobject_fail(why, MX_CODEOBJECT_OTHER_DEVICE,
		                          "built for %s, the device is %s", wrong_feature(h),
		                          mx_architecture()->full_name);
	return MX_CODEOBJECT_OK;
}

mx_codeobject_status mx_codeobject_check(struct mx_codeobject *co,
                                         struct mx_codeobject_error *why) {
	const GElf_Ehdr *h = &co->header;
	const struct mx_metadata *metadata;
	mx_codeobject_status status = mx_codeobject_check_device(co, why);
	if (status)
		return status;
	if (h->e_type != ET_DYN || h->e_ident[EI_OSABI] != OSABI_AMDGPU_HSA)
		return mx_codeobject_fail(
			why, MX_CODEOBJECT_INVALID,
			"not a linked amdhsa code object (link it with ld.lld -shared)");
	if (h->e_ident[EI_ABIVERSION] < ABI_V3 || h->e_ident[EI_ABIVERSION] > ABI_V6)
		return mx_codeobject_fail(why, MX_CODEOBJECT_INVALID,
		                          "code object of ABI version %u, not one of v3 to v6",
		                          h->e_ident[EI_ABIVERSION]);
	status = mx_codeobject_metadata(co, &metadata, why);
	return status ? status : check_features(h, why);
}

/* ---- opening ---- */

/* Linkers write the section headers last. */
static bool is_truncated(const struct mx_codeobject *co) {
	const GElf_Ehdr *h = &co->header;
	return h->e_shoff > co->n || (uint64_t)h->e_shentsize * h->e_shnum > co->n - h->e_shoff;
}

static mx_codeobject_status read_header(struct mx_codeobject *co, struct mx_codeobject_error *why) {
	GElf_Ehdr *h = &co->header;
	if (co->n >= SELFMAG && co->n < sizeof(Elf64_Ehdr) && !memcmp(co->bytes, ELFMAG, SELFMAG))
		return mx_codeobject_fail(why, MX_CODEOBJECT_INVALID, "truncated ELF file");
	if (!co->elf || elf_kind(co->elf) != ELF_K_ELF || !gelf_getehdr(co->elf, h) ||
	    h->e_ident[EI_CLASS] != ELFCLASS64 || h->e_ident[EI_DATA] != ELFDATA2LSB)
		return mx_codeobject_fail(why, MX_CODEOBJECT_INVALID,
		                          "not a 64-bit little-endian ELF file");
	if (h->e_machine != MACHINE_AMDGPU)
		return mx_codeobject_fail(why, MX_CODEOBJECT_INVALID,
		                          "ELF of machine %u, not of an AMD GPU", h->e_machine);
	if (is_truncated(co))
		return mx_codeobject_fail(why, MX_CODEOBJECT_INVALID, "truncated ELF file");
	return MX_CODEOBJECT_OK;
}

mx_codeobject_status mx_codeobject_open(const void *bytes, size_t n, struct mx_codeobject **co,
                                        struct mx_codeobject_error *why) {
	const uint8_t *image = bytes;
	struct mx_codeobject *new = calloc(1, sizeof *new);
	if (!new)
		return mx_codeobject_no_memory(why);
	mx_codeobject_status status = MX_CODEOBJECT_OK;
	if (mx_bundle_is_compressed(image, n)) {
		status = mx_bundle_decompress(image, n, &new->bundle, &n, why);
		image = new->bundle;
	}
	if (!status)
		status = mx_bundle_find(image, n, &new->bytes, &new->n, why);
	if (!status) {
		elf_version(EV_CURRENT);
		new->elf = elf_memory((char *)new->bytes, new->n);
		new->offset = (size_t)(new->bytes - image);
		status = read_header(new, why);
	}
	if (status)
		mx_codeobject_close(new);
	else
		*co = new;
	return status;
}

void mx_codeobject_close(struct mx_codeobject *co) {
	if (!co)
		return;
	mx_code_free(co->code);
	mx_kernels_free(co->kernels);
	mx_image_free(co->image);
	if (co->metadata)
		mx_metadata_free(co->metadata);
	free(co->metadata);
	if (co->lines)
		co->end_lines(co->lines);
	elf_end(co->elf);
	free(co->bundle);
	free(co);
}

const void *mx_codeobject_bytes(const struct mx_codeobject *co, size_t *n) {
	*n = co->n;
	return co->bytes;
}

bool mx_codeobject_is_compressed(const struct mx_codeobject *co) {
	return co->bundle != NULL;
}
