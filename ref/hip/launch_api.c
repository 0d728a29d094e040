/* Launching: the calls of HIP's module API and runtime API. */
#include <stdio.h>
#include <string.h>

#include "runtime.h"

/* The module API calls a wrong shape an invalid value. */
static hipError_t as_value(hipError_t e) {
	char text[256];
	if (e != hipErrorInvalidConfiguration)
		return e;
	snprintf(text, sizeof text, "%s", mxhipErrorDetail());
	return mx_hip_fail(hipErrorInvalidValue, "%s", text);
}

/* And it limits the grid, by hipDeviceAttributeMaxGridDimX and so on. */
static hipError_t check_grid(const struct mx_shape *s) {
	static const uint32_t most[] = { 0x7fffffff, 65536, 65536 };
	for (unsigned i = 0; i < 3; i++)
		if (s->grid[i] > most[i])
			return mx_hip_fail(hipErrorInvalidValue, "grid %u in dimension %u",
			                   s->grid[i], i);
	return hipSuccess;
}

MXHIP_API hipError_t hipModuleLaunchKernel(hipFunction_t function, unsigned gx, unsigned gy,
                                           unsigned gz, unsigned bx, unsigned by, unsigned bz,
                                           unsigned lds, hipStream_t stream, void **params,
                                           void **extra) {
	const struct mx_function *f = (const struct mx_function *)function;
	struct mx_shape s = { { gx, gy, gz }, { bx, by, bz }, { 0 }, lds, false };
	hipError_t e = check_grid(&s);
	return e == hipSuccess ? as_value(mx_stream_launch(stream, f, &s, params, extra)) : e;
}

/* All workgroups must be resident at once. */
static hipError_t check_cooperative(const struct mx_function *f, const struct mx_shape *s) {
	uint64_t groups = (uint64_t)s->grid[0] * s->grid[1] * s->grid[2];
	uint64_t fit = mx_groups_fit(&f->kernel, mx_waves_of(f, s), s->dynamic_lds);
	if (groups <= fit * MX_COMPUTE_UNITS)
		return hipSuccess;
	return mx_hip_fail(hipErrorCooperativeLaunchTooLarge,
	                   "%llu workgroups of kernel %s, %llu fit the device",
	                   (unsigned long long)groups, f->name,
	                   (unsigned long long)fit * MX_COMPUTE_UNITS);
}

static hipError_t launch_cooperative(const struct mx_function *f, const struct mx_shape *s,
                                     hipStream_t stream, void **params, void **extra) {
	hipError_t e = mx_launch_check(f, s);
	if (e == hipSuccess)
		e = check_cooperative(f, s);
	return e == hipSuccess ? mx_stream_launch(stream, f, s, params, extra) : e;
}

MXHIP_API hipError_t hipModuleLaunchCooperativeKernel(hipFunction_t function, unsigned gx,
                                                      unsigned gy, unsigned gz, unsigned bx,
                                                      unsigned by, unsigned bz, unsigned lds,
                                                      hipStream_t stream, void **params);
MXHIP_API hipError_t hipModuleLaunchCooperativeKernel(hipFunction_t function, unsigned gx,
                                                      unsigned gy, unsigned gz, unsigned bx,
                                                      unsigned by, unsigned bz, unsigned lds,
                                                      hipStream_t stream, void **params) {
	const struct mx_function *f = (const struct mx_function *)function;
	struct mx_shape s = { { gx, gy, gz }, { bx, by, bz }, { 0 }, lds, true };
	hipError_t e = check_grid(&s);
	return e == hipSuccess ? as_value(launch_cooperative(f, &s, stream, params, NULL)) : e;
}

/* Sizes are in work-items, not workgroups. The last group of an axis may be partial, if the kernel
 * was built for that. */
MXHIP_API hipError_t hipExtModuleLaunchKernel(hipFunction_t function, uint32_t nx, uint32_t ny,
                                              uint32_t nz, uint32_t bx, uint32_t by, uint32_t bz,
                                              size_t lds, hipStream_t stream, void **params,
                                              void **extra, hipEvent_t start, hipEvent_t stop,
                                              uint32_t flags);
MXHIP_API hipError_t hipExtModuleLaunchKernel(hipFunction_t function, uint32_t nx, uint32_t ny,
                                              uint32_t nz, uint32_t bx, uint32_t by, uint32_t bz,
                                              size_t lds, hipStream_t stream, void **params,
                                              void **extra, hipEvent_t start, hipEvent_t stop,
                                              uint32_t flags) {
	const struct mx_function *f = (const struct mx_function *)function;
	struct mx_shape s = { .block = { bx, by, bz },
		              .dynamic_lds = (uint32_t)lds,
		              .any_order = flags & hipExtAnyOrderLaunch };
	const uint32_t n[3] = { nx, ny, nz };
	hipError_t e = mx_function_check(f);
	if (e != hipSuccess)
		return e;
	if (!nx || !ny || !nz || lds > mx_architecture()->lds_bytes)
		return mx_hip_fail(hipErrorInvalidValue, "no work-items, or %zu bytes of LDS", lds);
	if (!bx || !by || !bz)
		return mx_hip_return(hipErrorInvalidConfiguration);
	memcpy(s.grid, n, sizeof n);
	e = mx_launch_check(f, &s);
	if (e != hipSuccess)
		return e;
	for (unsigned i = 0; i < 3; i++) {
		if (s.block[i] > n[i]) /* as in AMD's runtime [clr, ihipModuleLaunchKernel] */
			s.block[i] = n[i];
		s.partial[i] = n[i] % s.block[i];
		s.grid[i] = n[i] / s.block[i] + (s.partial[i] != 0);
	}
	if (f->uniform && (s.partial[0] || s.partial[1] || s.partial[2]))
		return mx_hip_fail(hipErrorInvalidValue,
		                   "kernel %s was built for whole workgroups only", f->name);
	e = start ? hipEventRecord(start, stream) : hipSuccess;
	if (e == hipSuccess)
		e = mx_stream_launch(stream, f, &s, params, extra);
	return e == hipSuccess && stop ? hipEventRecord(stop, stream) : e;
}

/* C++ programs call it by this name, or by an older one [HIP, hip_ext.h: not extern "C"]. */
MXHIP_API hipError_t mx_ext_launch(hipFunction_t f, uint32_t nx, uint32_t ny, uint32_t nz,
                                   uint32_t bx, uint32_t by, uint32_t bz, size_t lds,
                                   hipStream_t stream, void **params, void **extra,
                                   hipEvent_t start, hipEvent_t stop,
                                   uint32_t flags) __asm__("_Z24hipExtModuleLaunchKernelP18ihipModu"
                                                           "leSymbol_tjjjjjjmP12ihipStream_tPPvS4_"
                                                           "P11ihipEvent_tS6_j")
	__attribute__((alias("hipExtModuleLaunchKernel")));

MXHIP_API hipError_t
mx_hcc_launch(hipFunction_t f, uint32_t nx, uint32_t ny, uint32_t nz, uint32_t bx, uint32_t by,
              uint32_t bz, size_t lds, hipStream_t stream, void **params, void **extra,
              hipEvent_t start, hipEvent_t stop) __asm__("_Z24hipHccModuleLaunchKernelP18ihipModule"
                                                         "Symbol_tjjjjjjmP12ihipStream_tPPvS4_"
                                                         "P11ihipEvent_tS6_");
hipError_t mx_hcc_launch(hipFunction_t f, uint32_t nx, uint32_t ny, uint32_t nz, uint32_t bx,
                         uint32_t by, uint32_t bz, size_t lds, hipStream_t stream, void **params,
                         void **extra, hipEvent_t start, hipEvent_t stop) {
	return hipExtModuleLaunchKernel(f, nx, ny, nz, bx, by, bz, lds, stream, params, extra,
	                                start, stop, 0);
}

/* In C, since HIP 7. */
MXHIP_API hipError_t hipHccModuleLaunchKernel(hipFunction_t f, uint32_t nx, uint32_t ny,
                                              uint32_t nz, uint32_t bx, uint32_t by, uint32_t bz,
                                              size_t lds, hipStream_t stream, void **params,
                                              void **extra, hipEvent_t start, hipEvent_t stop)
	__attribute__((
		alias("_Z24hipHccModuleLaunchKernelP18ihipModuleSymbol_tjjjjjjmP12ihipStream_tPPvS4"
                      "_P11ihipEvent_tS6_")));

static struct mx_shape shape_of(dim3 grid, dim3 block, size_t lds, bool cooperative) {
	return (struct mx_shape){ { grid.x, grid.y, grid.z },
		                  { block.x, block.y, block.z },
		                  { 0 },
		                  lds < UINT32_MAX ? (uint32_t)lds : UINT32_MAX,
		                  .cooperative = cooperative };
}

MXHIP_API hipError_t hipLaunchKernel(const void *host, dim3 grid, dim3 block, void **params,
                                     size_t lds, hipStream_t stream) {
	const struct mx_function *f;
	struct mx_shape s = shape_of(grid, block, lds, false);
	hipError_t e = mx_function_of(host, mx_stream_device(stream), &f);
	return e == hipSuccess ? mx_stream_launch(stream, f, &s, params, NULL) : e;
}

MXHIP_API hipError_t hipLaunchCooperativeKernel(const void *host, dim3 grid, dim3 block,
                                                void **params, unsigned lds, hipStream_t stream) {
	const struct mx_function *f;
	struct mx_shape s = shape_of(grid, block, lds, true);
	hipError_t e = mx_function_of(host, mx_stream_device(stream), &f);
	return e == hipSuccess ? launch_cooperative(f, &s, stream, params, NULL) : e;
}

MXHIP_API hipError_t hipExtLaunchKernel(const void *host, dim3 grid, dim3 block, void **params,
                                        size_t lds, hipStream_t stream, hipEvent_t start,
                                        hipEvent_t stop, int flags) {
	const struct mx_function *f;
	struct mx_shape s = shape_of(grid, block, lds, false);
	s.any_order = flags & hipExtAnyOrderLaunch;
	hipError_t e = start ? hipEventRecord(start, stream) : hipSuccess;
	if (e == hipSuccess)
		e = mx_function_of(host, mx_stream_device(stream), &f);
	if (e == hipSuccess)
		e = mx_stream_launch(stream, f, &s, params, NULL);
	return e == hipSuccess && stop ? hipEventRecord(stop, stream) : e;
}

/* ---- launches with attributes, of HIP 6.5 and newer ---- */

enum { ATTRIBUTE_COOPERATIVE = 2, ATTRIBUTE_CLUSTER = 4 }; /* hipLaunchAttributeID */

/* hipLaunchAttribute: the value is a union of 64 bytes. */
struct mx_launch_attribute {
	int id;
	int pad;
	union {
		int cooperative;
		unsigned cluster[3];
		char all[64];
	} value;
};

/* hipLaunchConfig_t and HIP_LAUNCH_CONFIG. */
struct mx_runtime_config {
	dim3 grid, block;
	size_t lds;
	hipStream_t stream;
	const struct mx_launch_attribute *attributes;
	unsigned n;
};

struct mx_driver_config {
	unsigned grid[3], block[3], lds;
	hipStream_t stream;
	const struct mx_launch_attribute *attributes;
	unsigned n;
};

/* gfx950 has no clusters of workgroups. Attributes that are not read have no effect on results. */
static hipError_t read_attributes(const struct mx_launch_attribute *a, unsigned n,
                                  struct mx_shape *s) {
	if (n && !a)
		return mx_hip_return(hipErrorInvalidValue);
	for (unsigned i = 0; i < n; i++) {
		const unsigned *cluster = a[i].value.cluster;
		if (a[i].id == ATTRIBUTE_COOPERATIVE)
			s->cooperative = a[i].value.cooperative;
		else if (a[i].id == ATTRIBUTE_CLUSTER && mx_architecture()->clusters)
			memcpy(s->cluster, cluster, sizeof s->cluster);
		else if (a[i].id == ATTRIBUTE_CLUSTER &&
		         (cluster[0] > 1 || cluster[1] > 1 || cluster[2] > 1))
			return mx_hip_fail(hipErrorNotSupported,
			                   "clusters of %u x %u x %u workgroups: gfx950 has none",
			                   cluster[0], cluster[1], cluster[2]);
	}
	return hipSuccess;
}

static hipError_t launch_shape(const struct mx_function *f, const struct mx_shape *s,
                               hipStream_t stream, void **params, void **extra) {
	if (s->cooperative)
		return launch_cooperative(f, s, stream, params, extra);
	return mx_stream_launch(stream, f, s, params, extra);
}

MXHIP_API hipError_t hipLaunchKernelExC(const struct mx_runtime_config *c, const void *host,
                                        void **params);
MXHIP_API hipError_t hipLaunchKernelExC(const struct mx_runtime_config *c, const void *host,
                                        void **params) {
	const struct mx_function *f;
	if (!c)
		return mx_hip_return(hipErrorInvalidValue);
	struct mx_shape s = shape_of(c->grid, c->block, c->lds, false);
	hipError_t e = mx_function_of(host, mx_stream_device(c->stream), &f);
	if (e == hipSuccess)
		e = read_attributes(c->attributes, c->n, &s);
	return e == hipSuccess ? launch_shape(f, &s, c->stream, params, NULL) : e;
}

MXHIP_API hipError_t hipDrvLaunchKernelEx(const struct mx_driver_config *c, hipFunction_t function,
                                          void **params, void **extra);
MXHIP_API hipError_t hipDrvLaunchKernelEx(const struct mx_driver_config *c, hipFunction_t function,
                                          void **params, void **extra) {
	if (!c)
		return mx_hip_return(hipErrorInvalidValue);
	struct mx_shape s = { { c->grid[0], c->grid[1], c->grid[2] },
		              { c->block[0], c->block[1], c->block[2] },
		              { 0 },
		              c->lds,
		              false };
	hipError_t e = read_attributes(c->attributes, c->n, &s);
	return e == hipSuccess ? launch_shape((const struct mx_function *)function, &s, c->stream,
	                                      params, extra)
	                       : e;
}

/* ---- launches of one kernel in streams of several devices ---- */

enum { NO_POST_SYNC = 2, ALL_FLAGS = hipCooperativeLaunchMultiDeviceNoPreSync | NO_POST_SYNC };

static bool are_alike(const hipLaunchParams *a, const hipLaunchParams *b) {
	return a->func == b->func && !memcmp(&a->gridDim, &b->gridDim, sizeof a->gridDim) &&
	       !memcmp(&a->blockDim, &b->blockDim, sizeof a->blockDim) &&
	       a->sharedMem == b->sharedMem;
}

/* One launch, in streams of several devices that are not the legacy ones [hip-tests,
 * executionControl/hipExtLaunchMultiKernelMultiDevice.cc]. */
static hipError_t check_launches(const hipLaunchParams *list, int n, unsigned flags) {
	struct ihipStream_t *s;
	if (!list || n <= 0 || flags > ALL_FLAGS)
		return mx_hip_return(hipErrorInvalidValue);
	if (n > mx_devices())
		return mx_hip_return(hipErrorInvalidDevice);
	for (int i = 0; i < n; i++) {
		if (mx_stream_of(list[i].stream, &s) != hipSuccess || !are_alike(&list[i], list))
			return mx_hip_return(hipErrorInvalidValue);
		if (!list[i].stream || list[i].stream == MX_LEGACY_STREAM)
			return mx_hip_return(hipErrorInvalidHandle);
		for (int j = 0; j < i; j++)
			if (mx_stream_device(list[j].stream) == mx_stream_device(list[i].stream))
				return mx_hip_return(hipErrorInvalidDevice);
	}
	return mx_hip_return(hipSuccess);
}

static hipError_t synchronise(const hipLaunchParams *list, int n) {
	hipError_t e = hipSuccess;
	for (int i = 0; e == hipSuccess && i < n; i++)
		e = hipStreamSynchronize(list[i].stream);
	return e;
}

MXHIP_API hipError_t hipExtLaunchMultiKernelMultiDevice(hipLaunchParams *list, int n,
                                                        unsigned flags) {
	hipError_t e = check_launches(list, n, flags);
	if (e == hipSuccess && !(flags & hipCooperativeLaunchMultiDeviceNoPreSync))
		e = synchronise(list, n);
	for (int i = 0; e == hipSuccess && i < n; i++)
		e = hipLaunchKernel(list[i].func, list[i].gridDim, list[i].blockDim, list[i].args,
		                    list[i].sharedMem, list[i].stream);
	return e == hipSuccess && !(flags & NO_POST_SYNC) ? synchronise(list, n) : e;
}

/* The emulator runs one launch at a time, so grids of several devices cannot wait for each other:
 * hipDeviceAttributeCooperativeMultiDeviceLaunch is 0. */
MXHIP_API hipError_t hipLaunchCooperativeKernelMultiDevice(hipLaunchParams *list, int n,
                                                           unsigned flags) {
	hipError_t e = check_launches(list, n, flags);
	return e == hipSuccess ? mx_hip_fail(hipErrorNotSupported, "a grid of several devices") : e;
}

MXHIP_API hipError_t hipModuleLaunchCooperativeKernelMultiDevice(void *list, unsigned n,
                                                                 unsigned flags);
MXHIP_API hipError_t hipModuleLaunchCooperativeKernelMultiDevice(void *list, unsigned n,
                                                                 unsigned flags) {
	if (!list || !n || n > (unsigned)mx_devices() || flags > ALL_FLAGS)
		return mx_hip_return(hipErrorInvalidValue);
	return mx_hip_fail(hipErrorNotSupported, "a grid of several devices");
}
