/* What the files of the emulated HIP runtime share. */
#ifndef MX_RUNTIME_H
#define MX_RUNTIME_H

#define __HIP_PLATFORM_AMD__ 1
#include <hip/hip_runtime_api.h>

#include "mxhip.h"

#define MX_ARCH      "gfx950"
#define MX_FULL_ARCH "gfx950:sramecc+:xnack-"

enum { MX_HIP_LDS_BYTES = 160 * 1024 }; /* of a workgroup, at most */

/* Every HIP function returns through this: it keeps the thread's last error. */
hipError_t mx_hip_return(hipError_t e);

/* The same with a reason, which mxhipErrorDetail gives. */
__attribute__((format(printf, 2, 3))) hipError_t mx_hip_fail(hipError_t e, const char *format, ...);

/* An error of work already enqueued, to be reported by the next synchronising call. */
void mx_hip_defer(hipError_t e);
hipError_t mx_hip_synchronise(void);

/* ---- memory.c ---- */

/* Zeroed, page-aligned memory with its byte states (all 0); NULL if there is none. */
void *mx_hip_allocate(size_t bytes);
bool mx_hip_release(void *p);

/* Marks bytes of device memory; false if they are not inside one allocation. */
bool mx_hip_mark(uint64_t address, size_t bytes, uint8_t state);

/* The live allocations, sorted; free() the regions. False if host memory is short. */
bool mx_hip_snapshot(struct mx_memory *m);

/* ---- codeobject.c ---- */

/* An argument of a kernel, from the metadata. */
struct mx_arg {
	char kind[40]; /* value_kind: "global_buffer", "by_value", "hidden_block_count_x" ... */
	uint32_t offset, size;
};

struct mx_function {
	struct ihipModule_t *module;
	char *name;
	struct mx_kernel kernel;
	struct mx_arg *args;
	size_t n_args;
	uint32_t kernarg_bytes, max_workgroup;
};

struct mx_symbol {
	char *name;
	uint64_t offset, size; /* in the image */
};

/* A code object in device memory. */
struct ihipModule_t {
	uint8_t *image;
	size_t image_bytes;
	struct mx_program *program;
	struct mx_function *functions;
	size_t n_functions;
	struct mx_symbol *symbols;
	size_t n_symbols;
};

/* Loads an ELF of `bytes` bytes. On failure *module is untouched. */
hipError_t mx_codeobject_load(const void *elf, size_t bytes, struct ihipModule_t **module);
void mx_codeobject_free(struct ihipModule_t *m);

/* ---- metadata.c ---- */

/* Fills in the functions that the NT_AMDGPU_METADATA note lists: names, arguments, sizes;
 * `target` gets amdhsa.target. */
hipError_t mx_metadata_read(const void *note, size_t bytes, struct ihipModule_t *m,
                            char target[64]);

#endif
