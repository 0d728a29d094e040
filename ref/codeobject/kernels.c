/* The kernels of an object, collected from its descriptors, its metadata and its code. */
#include <stdlib.h>
#include <string.h>

#include "elf.h"

/* ---- descriptors ---- */

/* `bytes` bytes at an address of a linked object, in the segment that a loader copies; or NULL. */
static const uint8_t *loaded(const struct mx_image *m, uint64_t address, size_t bytes) {
	for (size_t i = 0; i < m->n_segments; i++) {
		const struct mx_image_segment *s = &m->segments[i];
		uint64_t at = address - s->address;
		if (address >= s->address && at <= s->file_bytes && bytes <= s->file_bytes - at)
			return s->file + at;
	}
	return NULL;
}

/* The same for an object that is not linked: in the section of the symbol. */
static const uint8_t *in_section(struct mx_codeobject *co, const GElf_Sym *sym, size_t bytes) {
	Elf_Scn *scn = elf_getscn(co->elf, sym->st_shndx);
	Elf_Data *data = scn ? elf_getdata(scn, NULL) : NULL;
	GElf_Shdr sh;
	if (!data || !data->d_buf || !gelf_getshdr(scn, &sh) || sym->st_value < sh.sh_addr)
		return NULL;
	uint64_t at = sym->st_value - sh.sh_addr;
	bool inside = at <= data->d_size && bytes <= data->d_size - at;
	return inside ? (const uint8_t *)data->d_buf + at : NULL;
}

static const uint8_t *descriptor_at(struct mx_codeobject *co, const struct mx_image *m,
                                    const GElf_Sym *sym) {
	if (sym->st_shndx == SHN_UNDEF || sym->st_size < MX_DESCRIPTOR_BYTES)
		return NULL;
	return m ? loaded(m, sym->st_value, MX_DESCRIPTOR_BYTES)
	         : in_section(co, sym, MX_DESCRIPTOR_BYTES);
}

/* The length of the kernel's name in the name of a descriptor, or 0. */
static size_t described(const char *symbol) {
	size_t n = strlen(symbol);
	return n > 3 && !strcmp(symbol + n - 3, ".kd") ? n - 3 : 0;
}

/* ---- the list ---- */

static struct mx_codeobject_kernel *find(struct mx_codeobject_kernels *k, const char *name,
                                         size_t bytes) {
	for (size_t i = 0; k && i < k->n; i++)
		if (!strncmp(k->kernel[i].name, name, bytes) && !k->kernel[i].name[bytes])
			return &k->kernel[i];
	return NULL;
}

static struct mx_codeobject_kernel *add(struct mx_codeobject_kernels *k, const char *name,
                                        size_t bytes) {
	struct mx_codeobject_kernel *grown = mx_codeobject_grow(k->kernel, k->n, sizeof *grown);
	if (!grown)
		return NULL;
	k->kernel = grown;
	grown[k->n] = (struct mx_codeobject_kernel){ .name = strndup(name, bytes) };
	return grown[k->n].name ? &grown[k->n++] : NULL;
}

static bool list_metadata(struct mx_codeobject *co, struct mx_codeobject_kernels *k) {
	const struct mx_metadata *m;
	struct mx_codeobject_error why;
	if (mx_codeobject_metadata(co, &m, &why))
		return true;
	for (size_t i = 0; i < m->n_kernels; i++) {
		const char *name = m->kernels[i].name;
		struct mx_codeobject_kernel *new = find(k, name, strlen(name));
		if (!new && !(new = add(k, name, strlen(name))))
			return false;
		if (!new->metadata)
			new->metadata = &m->kernels[i];
	}
	return true;
}

static bool describe(struct mx_codeobject_kernel *k, const uint8_t *bytes, const char *isa,
                     const GElf_Sym *sym, bool linked) {
	struct mx_descriptor *d = malloc(sizeof *d);
	if (!d)
		return false;
	mx_descriptor_decode(bytes, isa, d);
	k->descriptor = d;
	k->descriptor_address = sym->st_value;
	k->entry = linked ? sym->st_value + (uint64_t)d->entry : 0;
	return true;
}

/* Adds the descriptors of one kind of symbol table. The first of several with one name counts. */
static bool list_descriptors(struct mx_codeobject *co, struct mx_codeobject_kernels *k,
                             const struct mx_image *m, uint32_t table) {
	for (struct mx_elf_cursor c = { 0 }; mx_elf_next_symbol(co, table, &c);) {
		size_t n = described(c.name);
		const uint8_t *bytes = n ? descriptor_at(co, m, &c.sym) : NULL;
		if (!bytes)
			continue;
		struct mx_codeobject_kernel *of = find(k, c.name, n);
		if (!of && !(of = add(k, c.name, n)))
			return false;
		if (!of->descriptor &&
		    !describe(of, bytes, mx_codeobject_isa(co), &c.sym, m != NULL))
			return false;
		of->exported |= table == SHT_DYNSYM;
	}
	return true;
}

mx_codeobject_status mx_kernels_list(struct mx_codeobject *co, struct mx_codeobject_error *why) {
	const struct mx_image *m = NULL;
	struct mx_codeobject_error not_loadable;
	if (co->kernels)
		return MX_CODEOBJECT_OK;
	struct mx_codeobject_kernels *k = calloc(1, sizeof *k);
	mx_codeobject_image(co, &m, &not_loadable);
	if (!k || !list_metadata(co, k) || !list_descriptors(co, k, m, SHT_DYNSYM) ||
	    !list_descriptors(co, k, m, SHT_SYMTAB)) {
		mx_kernels_free(k);
		return mx_codeobject_no_memory(why);
	}
	co->kernels = k;
	return MX_CODEOBJECT_OK;
}

void mx_kernels_free(struct mx_codeobject_kernels *k) {
	if (!k)
		return;
	for (size_t i = 0; i < k->n; i++) {
		free(k->kernel[i].name);
		free((void *)k->kernel[i].descriptor);
	}
	free(k->kernel);
	free(k);
}

/* ---- with their code ---- */

static void find_functions(struct mx_codeobject *co) {
	const struct mx_code *c;
	struct mx_codeobject_error why;
	if (co->has_functions || mx_codeobject_code(co, &c, &why))
		return;
	for (size_t i = 0; i < co->kernels->n; i++) {
		struct mx_codeobject_kernel *k = &co->kernels->kernel[i];
		k->function = mx_code_find(c, k->name);
		k->end = k->function ? mx_code_end(c, k->function) : 0;
	}
	co->has_functions = true;
}

mx_codeobject_status mx_codeobject_kernels(struct mx_codeobject *co,
                                           const struct mx_codeobject_kernels **kernels,
                                           struct mx_codeobject_error *why) {
	mx_codeobject_status status = mx_kernels_list(co, why);
	if (status)
		return status;
	find_functions(co);
	*kernels = co->kernels;
	return MX_CODEOBJECT_OK;
}

const struct mx_codeobject_kernel *mx_kernels_find(const struct mx_codeobject *co, const char *name,
                                                   size_t bytes) {
	return find(co->kernels, name, bytes);
}

const struct mx_codeobject_kernel *mx_codeobject_kernel(struct mx_codeobject *co,
                                                        const char *name) {
	const struct mx_codeobject_kernels *kernels;
	struct mx_codeobject_error why;
	return mx_codeobject_kernels(co, &kernels, &why) ? NULL
	                                                 : find(co->kernels, name, strlen(name));
}
