/* Internal interfaces of this folder: the object as libelf has it, and walks over it. */
#ifndef MX_ELF_H
#define MX_ELF_H

#include <gelf.h>

#include "codeobject.h"

/* Parts are NULL until they are read. */
struct mx_codeobject {
	Elf *elf;
	GElf_Ehdr header;
	const uint8_t *bytes; /* of the ELF file */
	size_t n, offset;     /* size; offset in the bytes that were opened */
	uint8_t *bundle;      /* that was compressed and has the file, or NULL */
	struct mx_code *code;
	struct mx_metadata *metadata;
	struct mx_codeobject_kernels *kernels;
	bool has_functions; /* the functions of the kernels have been found */
	struct mx_image *image;
	struct Dwarf *lines;               /* by line.c; NULL: not read, or there is none */
	int (*end_lines)(struct Dwarf *d); /* NULL: not read */
};

/* A row of targets.def; the last one has no name. */
struct mx_target {
	unsigned mach;
	const char *name, *isa;
};
extern const struct mx_target mx_targets[];

/* Whether the device has the instruction set of the target. */
bool mx_target_runs(const struct mx_target *t);

/* Sets why->text, printf style; returns the status. */
__attribute__((format(printf, 3, 4))) mx_codeobject_status
mx_codeobject_fail(struct mx_codeobject_error *why, mx_codeobject_status status, const char *format,
                   ...);
mx_codeobject_status mx_codeobject_no_memory(struct mx_codeobject_error *why);

/* Makes room for one element after the n of an array; NULL if memory is short, and the old array
 * stays. */
void *mx_codeobject_grow(void *array, size_t n, size_t bytes);

/* Moves to the next section that has a header; *scn begins as NULL. */
bool mx_elf_next(struct mx_codeobject *co, Elf_Scn **scn, GElf_Shdr *sh);

/* Moves to the next symbol with a name in the tables of a type; *c begins as { 0 }. */
struct mx_elf_cursor {
	Elf_Scn *table;
	GElf_Shdr header;
	Elf_Data *data;
	size_t i, n;
	const char *name;
	GElf_Sym sym;
};
bool mx_elf_next_symbol(struct mx_codeobject *co, uint32_t type, struct mx_elf_cursor *c);

/* The program headers of a type, checked to lie in the file and in the largest image. The caller
 * frees *list; it is NULL after a failure. */
mx_codeobject_status mx_elf_segments(struct mx_codeobject *co, uint32_t type, GElf_Phdr **list,
                                     size_t *n, struct mx_codeobject_error *why);

/* The kernels without their functions. */
mx_codeobject_status mx_kernels_list(struct mx_codeobject *co, struct mx_codeobject_error *why);
const struct mx_codeobject_kernel *mx_kernels_find(const struct mx_codeobject *co, const char *name,
                                                   size_t name_bytes);

/* Finds the ELF file for the device: all of the bytes, or an entry of a bundle. */
/* Whether an image is a compressed bundle; and the bundle in it, which the caller frees. */
bool mx_bundle_is_compressed(const uint8_t *image, size_t bytes);
mx_codeobject_status mx_bundle_decompress(const uint8_t *image, size_t bytes, uint8_t **bundle,
                                          size_t *n, struct mx_codeobject_error *why);

mx_codeobject_status mx_bundle_find(const uint8_t *image, size_t bytes, const uint8_t **elf,
                                    size_t *elf_bytes, struct mx_codeobject_error *why);

void mx_code_free(struct mx_code *c);
void mx_image_free(struct mx_image *image);
void mx_kernels_free(struct mx_codeobject_kernels *k);

#endif
