/* The functions of a HIP runtime, resolved by dlsym; private to this folder. */
#ifndef MX_HIP_RUNTIME_H
#define MX_HIP_RUNTIME_H

#define __HIP_PLATFORM_AMD__ 1
#include <hip/hip_runtime_api.h>

#include "device.h"

struct mx_props_r0600;

/* hipExtModuleLaunchKernel, which only the C++ header hip_ext.h declares: sizes of the grid are in
 * work-items. */
typedef hipError_t mx_hip_launch_items(hipFunction_t f, uint32_t nx, uint32_t ny, uint32_t nz,
                                       uint32_t bx, uint32_t by, uint32_t bz, size_t lds,
                                       hipStream_t stream, void **params, void **extra,
                                       hipEvent_t start, hipEvent_t stop, uint32_t flags);

/* hipLaunchAttribute, HIP_LAUNCH_CONFIG and hipDrvLaunchKernelEx, which headers before HIP 6.5
 * lack: the value of an attribute is a union of 64 bytes. */
struct mx_hip_attribute {
	int id, pad;
	uint32_t cluster[16];
};
struct mx_hip_config {
	uint32_t grid[3], block[3], lds;
	hipStream_t stream;
	const struct mx_hip_attribute *attributes;
	unsigned n;
};
typedef hipError_t mx_hip_launch_config(const struct mx_hip_config *c, hipFunction_t f,
                                        void **params, void **extra);

struct mx_hip {
	void *library;
#define HIP(name) __typeof__(name) *name;
#include "hip_functions.def"
#undef HIP
	hipError_t (*properties_r0600)(struct mx_props_r0600 *p,
	                               int device); /* NULL before HIP 6 */
	mx_hip_launch_items *launch_items;          /* NULL in some runtimes */
	mx_hip_launch_config *launch_config;        /* NULL before HIP 6.5 */
};

__attribute__((format(printf, 2, 3))) int mx_why(struct mx_why *why, const char *format, ...);

/* Sets "what: the runtime's message"; returns -1. */
int mx_hip_error(const struct mx_device *d, hipError_t e, const char *what, struct mx_why *why);

/* Enqueues a launch. 0, or -1 with why->text. */
int mx_module_enqueue(struct mx_module *m, const struct mx_geometry *g, const void *kernarg,
                      size_t bytes, hipStream_t stream, struct mx_why *why);

/* Waits for a stream. Returns 0, MX_LAUNCH_FAILED or MX_LAUNCH_LATE, with why->text, like
 * mx_module_launch. time_out: in seconds; 0: none. what: the name of the work in that text. */
int mx_stream_wait(struct mx_device *d, hipStream_t stream, double time_out, const char *what,
                   struct mx_why *why);

#endif
