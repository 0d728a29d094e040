/* Code objects: ELF files of amdgcn kernels, v3 to v6, linked or not [LLVM "User Guide for AMDGPU
 * Backend", "Code Object"].
 *
 * This is the only reader of code objects. The emulated HIP runtime loads its results; the command
 * line lists, lints and mutates them; kernels/host checks files before any runtime loads them. Only
 * this folder uses libelf and msgpack-c.
 *
 * A file may contain anything. Each part is read on request and fails separately: an object with
 * broken metadata still has code. A part, once read, belongs to the object and lives until
 * mx_codeobject_close. The bytes that were opened stay the caller's and must stay unchanged until
 * then. Only one thread at a time may use an object.
 *
 * Functions that can fail return a status. Unless it is MX_CODEOBJECT_OK, why->text is one line
 * with the reason, without the name of the file. */
#ifndef MX_CODEOBJECT_H
#define MX_CODEOBJECT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* An architecture: its name, its name with features, the most LDS of a workgroup. */
struct mx_architecture {
	const char *name, *full_name;
	uint32_t lds_bytes;
	bool clusters;                   /* of workgroups */
	uint16_t simd_waves, simd_vgprs; /* of one SIMD at most; VGPRs of all its waves */
	uint8_t vgpr_granule;            /* VGPRs that a wave takes at once */
	uint16_t lds_granule;            /* bytes that a workgroup takes at once; 0: unknown */
	uint32_t most_yz; /* workgroups along y and z, or clusters, if there are any */
};

/* That of the device: gfx950, or what the environment variable MXHIP_ARCH names at the first call,
 * until another one is chosen. No other thread may use it meanwhile. */
const struct mx_architecture *mx_architecture(void);
void mx_architecture_choose(const struct mx_architecture *a);

/* For the calling thread alone, which reads code for another device. NULL: that of the device. */
void mx_architecture_of_thread(const struct mx_architecture *a);

/* All of them, from 0; NULL after the last. That of a name, or NULL. */
const struct mx_architecture *mx_architecture_at(size_t i);
const struct mx_architecture *mx_architecture_by_name(const char *name);

enum { MX_LDS_MOST = 160 * 1024 }; /* of gfx950 [ISA 2.2.1] */

typedef enum {
	MX_CODEOBJECT_OK,
	MX_CODEOBJECT_NO_MEMORY,
	MX_CODEOBJECT_INVALID,      /* not a code object, or an inconsistent one */
	MX_CODEOBJECT_OTHER_DEVICE, /* for another architecture, or for other features */
} mx_codeobject_status;

struct mx_codeobject_error {
	char text[512];
};

/* ---- the object ---- */

struct mx_codeobject;

/* Opens an ELF file, or a bundle of clang-offload-bundler, compressed or not: the entry that fits
 * the device, with an id that names most of its features. Checks the header (64-bit little-endian
 * ELF of an AMD GPU, not truncated), and all entries of a bundle. n: bytes of the file; SIZE_MAX if
 * it is unknown, and then the sizes in the headers are trusted. After a failure *co is unchanged.
 */
mx_codeobject_status mx_codeobject_open(const void *bytes, size_t n, struct mx_codeobject **co,
                                        struct mx_codeobject_error *why);
void mx_codeobject_close(struct mx_codeobject *co); /* NULL: no effect */

/* Whether the bytes that were opened are a compressed bundle. Offsets are then those in the bundle.
 */
bool mx_codeobject_is_compressed(const struct mx_codeobject *co);

/* The ELF file, and its size. It lives as long as the object. */
const void *mx_codeobject_bytes(const struct mx_codeobject *co, size_t *n);

/* The instruction set of the code, by EF_AMDGPU_MACH: a name for mx_isa_by_name. NULL if the
 * emulator does not have that of the target. targets.def lists the targets. */
const char *mx_codeobject_isa(const struct mx_codeobject *co);

/* Whether there is one. If not, why->text names the target: "built for gfx942, the device is
 * gfx950". Objects that are not linked have a target, too. */
mx_codeobject_status mx_codeobject_check_target(struct mx_codeobject *co,
                                                struct mx_codeobject_error *why);

/* Whether it is the instruction set of the device; the same text. */
mx_codeobject_status mx_codeobject_check_device(struct mx_codeobject *co,
                                                struct mx_codeobject_error *why);

/* Whether the device can load it: that, and linked for amdhsa, v3 to v6, with neither xnack+ nor
 * sramecc-, and with readable metadata. */
mx_codeobject_status mx_codeobject_check(struct mx_codeobject *co, struct mx_codeobject_error *why);

/* The compiler, as the section .comment has it: "clang version 22.1.8". "": not known. Cut to
 * `room` bytes. Returns text. */
char *mx_codeobject_compiler(struct mx_codeobject *co, char *text, size_t room);

/* The source of the instruction at an address, as .debug_line has it. False: there is none. The
 * name lives as long as the object. */
struct mx_source_line {
	const char *file;      /* with the folder of the compilation, unless it is absolute */
	unsigned line, column; /* column 0: not known */
};
bool mx_codeobject_line(struct mx_codeobject *co, uint64_t address, struct mx_source_line *line);

/* ---- code: executable sections, and the symbols in them ---- */

struct mx_code_section {
	const char *name;
	uint64_t address;     /* a multiple of 4; the section does not wrap around */
	size_t bytes;         /* a multiple of 4 */
	const uint32_t *code; /* not NULL */
	uint64_t offset;      /* in the bytes that were opened */
};

/* A symbol of .symtab, or of .dynsym in a stripped file. It is a function if it has the type FUNC
 * or the name of a kernel, because hand-written kernels may lack the type. A label has type NOTYPE.
 */
struct mx_code_symbol {
	const char *name;
	uint64_t address; /* of a dword of the section, or its end */
	uint64_t size;    /* st_size; 0 is usual in hand-written code */
	size_t section;   /* index in mx_code.sections */
	bool function, label;
};

struct mx_code {
	struct mx_code_section *sections;
	size_t n_sections; /* at least 1 */
	struct mx_code_symbol *symbols;
	size_t n_symbols; /* sorted by section, address and name */
};

/* Fails if a section is not whole dwords in the file, or a symbol is not at a dword of its section.
 */
mx_codeobject_status mx_codeobject_code(struct mx_codeobject *co, const struct mx_code **code,
                                        struct mx_codeobject_error *why);

/* The end of a symbol's code: by its size, or else at the next function or the end of the section.
 * Labels do not end it. */
uint64_t mx_code_end(const struct mx_code *c, const struct mx_code_symbol *s);

/* The next symbol after `last` (NULL: the first) that has code and does not begin inside the code
 * of `last`; this skips labels inside functions and second names. If several symbols have one
 * address, a function is preferred. NULL: none. */
const struct mx_code_symbol *mx_code_next(const struct mx_code *c,
                                          const struct mx_code_symbol *last);

/* The last symbol of the section at or before an address, or NULL. */
const struct mx_code_symbol *mx_code_at(const struct mx_code *c, size_t section, uint64_t address);

/* The first symbol of the name, or NULL. */
const struct mx_code_symbol *mx_code_find(const struct mx_code *c, const char *name);

/* ---- kernel descriptors ---- */

enum { MX_DESCRIPTOR_BYTES = 64 };

/* The 64 bytes that the command processor reads [LLVM "Kernel Descriptor"]. gfx950 allocates
 * registers for each lane in the unified file: VGPRs first, then AGPRs, at most 256 of each.
 * gfx1250 has up to 1024 VGPRs in granules of 16, and no AGPRs. The granules may allocate more than
 * the kernel uses. */
struct mx_descriptor {
	uint32_t lds_bytes;     /* static, of a workgroup */
	uint32_t scratch_bytes; /* of a work-item */
	uint32_t kernarg_bytes; /* may be 0: see the metadata */
	int64_t entry;          /* of the first instruction, from the descriptor's address */
	uint32_t vgprs, agprs, sgprs, user_sgprs;
	uint16_t preload_dwords, preload_offset; /* kernarg preload, in dwords */
	uint16_t properties;                     /* KERNEL_CODE_PROPERTIES */
	bool workgroup_id[3], workgroup_info, tg_split, dynamic_stack;
	uint8_t named_barriers; /* of gfx1250, in granules of 4 */
	uint8_t work_item_ids;  /* 0: x, 1: x and y, 2: x, y and z */
	uint32_t mode;          /* MODE register: rounding 3:0, denormals 7:4, DX10_CLAMP 8, IEEE 9,
	                                FP16_OVFL 23 */
	const char *unsupported; /* the first field with a value that the emulator does not
	                            support, static text; or NULL */
};

/* isa: the instruction set of the code, as mx_codeobject_isa has it. */
void mx_descriptor_decode(const uint8_t bytes[MX_DESCRIPTOR_BYTES], const char *isa,
                          struct mx_descriptor *d);

/* ---- metadata ---- */

/* An argument of a kernel. Long texts are cut off. */
struct mx_kernel_arg {
	char name[64]; /* "" if there is none */
	char kind[40]; /* value_kind: "global_buffer", "by_value", "hidden_block_count_x" ... */
	uint32_t offset, size;
	bool hidden; /* the runtime fills it in: its kind begins with hidden_ */
};

/* Whether it is the address of a buffer. */
bool mx_kernel_arg_is_pointer(const struct mx_kernel_arg *a);

/* Whether it is filling between arguments, which hand-written metadata have by name. */
bool mx_kernel_arg_is_filling(const struct mx_kernel_arg *a);

/* A kernel of the metadata [LLVM "Code Object V3 and Above Metadata"]. Numbers that are missing,
 * not integers, or above 2^32 - 1 are 0. */
struct mx_kernel_metadata {
	char *name; /* not "" */
	struct mx_kernel_arg *args;
	size_t n_args;
	uint32_t kernarg_bytes, lds_bytes, scratch_bytes;
	uint32_t wavefront_size;
	uint32_t max_workgroup;         /* max_flat_workgroup_size */
	uint32_t required_workgroup[3]; /* reqd_workgroup_size; 0: any */
	uint32_t cluster[3];            /* cluster_dims, of gfx1250; 0: any */
	uint32_t sgprs, vgprs, agprs;   /* used registers */
	bool has_spills;                /* both counts of spills are present */
	uint32_t sgpr_spills, vgpr_spills;
	bool dynamic_stack, uniform; /* uses_dynamic_stack, uniform_work_group_size */
};

/* A format of printf that kernels name by its hash: "0:0:HASH,TEXT" of amdhsa.printf, as clang
 * writes it for -mprintf-kind=buffered. */
struct mx_printf_format {
	uint64_t hash;
	char *text;
};

struct mx_metadata {
	char target[64]; /* amdhsa.target, or "" */
	struct mx_printf_format *formats;
	size_t n_formats;
	struct mx_kernel_metadata *kernels;
	size_t n_kernels;
};

/* The metadata of the object: the first note of the kind in each note segment, or in each note
 * section of an object that is not linked. Without such a note there are no kernels. Fails if a
 * note is cut off or is not MessagePack, a kernel has no name, or two notes have kernels. */
mx_codeobject_status mx_codeobject_metadata(struct mx_codeobject *co,
                                            const struct mx_metadata **metadata,
                                            struct mx_codeobject_error *why);

/* Adds the contents of one note to *metadata, which begins as { 0 }. mx_metadata_free frees it,
 * also after a failure. */
mx_codeobject_status mx_metadata_read(const void *note, size_t bytes, struct mx_metadata *metadata,
                                      struct mx_codeobject_error *why);
void mx_metadata_free(struct mx_metadata *metadata);

/* ---- kernels: descriptor, metadata and code of each ---- */

/* A kernel NAME has a descriptor, the symbol NAME.kd, or is in the metadata; it should have both.
 * Parts that are missing or unreadable are NULL; the functions above give the reason. */
struct mx_codeobject_kernel {
	char *name;
	const struct mx_kernel_metadata *metadata;
	const struct mx_descriptor *descriptor;
	uint64_t descriptor_address;           /* 0 without a descriptor */
	bool exported;                         /* NAME.kd is in .dynsym, so a runtime finds it */
	uint64_t entry;                        /* address of the first instruction; 0 without a
	                                          descriptor, or if not linked */
	const struct mx_code_symbol *function; /* the symbol NAME */
	uint64_t end;                          /* of its code: mx_code_end; 0 without a function */
};

struct mx_codeobject_kernels {
	struct mx_codeobject_kernel *kernel; /* first those of the metadata, in its order */
	size_t n;
};

/* Fails only if memory is short. */
mx_codeobject_status mx_codeobject_kernels(struct mx_codeobject *co,
                                           const struct mx_codeobject_kernels **kernels,
                                           struct mx_codeobject_error *why);

/* The kernel of the name, or NULL. */
const struct mx_codeobject_kernel *mx_codeobject_kernel(struct mx_codeobject *co, const char *name);

/* ---- the image that a loader puts into memory ---- */

/* Addresses are offsets in the image. */
struct mx_image_segment {
	uint64_t address, bytes; /* in memory */
	const uint8_t *file;     /* its first file_bytes bytes; the others are 0 */
	uint64_t file_bytes;     /* at most `bytes` */
};

/* The 8 bytes at `address` are the image's own address plus `value`. */
struct mx_image_relocation {
	uint64_t address, value;
};

/* A defined symbol of .dynsym that lies completely inside the image. */
struct mx_image_symbol {
	const char *name;
	uint64_t address, size;
};

struct mx_image {
	uint64_t bytes;            /* at most 1 GiB; every segment and relocation is inside */
	uint64_t code, code_bytes; /* the executable segment: its address, a multiple of 4; 0 if
	                              there are only variables */
	struct mx_image_segment *segments;
	struct mx_image_relocation *relocations;
	struct mx_image_symbol *symbols;
	size_t n_segments, n_relocations, n_symbols;
};

/* Fails if program headers are cut off or contradict the file, the number of segments of code is
 * not one, or a relocation is neither R_AMDGPU_RELATIVE64 nor R_AMDGPU_ABS64 of a defined symbol.
 */
mx_codeobject_status mx_codeobject_image(struct mx_codeobject *co, const struct mx_image **image,
                                         struct mx_codeobject_error *why);

#endif
