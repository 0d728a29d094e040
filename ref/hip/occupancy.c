/* The resources that a kernel needs, and how many fit: attributes, occupancy, limits. */
#include <stdatomic.h>
#include <string.h>

#include "hostcall.h"

enum { MAX_BLOCK = 1024, MAX_STACK = 131056 /* [HIP's runtime] */ };

/* ---- limits ---- */

static atomic_uint stack = 1024; /* HIP's default */

uint32_t mx_hip_stack_bytes(void) {
	return atomic_load(&stack);
}

/* hipLimitStackSize and the end of the limits, which HIP 5's headers do not name so */
enum { STACK_SIZE = 0, LIMITS = 0x1003 };

static hipError_t no_limit(enum hipLimit_t limit) {
	return mx_hip_fail((int)limit >= LIMITS ? hipErrorInvalidValue : hipErrorUnsupportedLimit,
	                   "limit %d", (int)limit);
}

static hipError_t set_stack(size_t value) {
	if (value > MAX_STACK)
		return mx_hip_return(hipErrorInvalidValue);
	atomic_store(&stack, (unsigned)(value + 15) & ~15u);
	return mx_hip_return(hipSuccess);
}

MXHIP_API hipError_t hipDeviceSetLimit(enum hipLimit_t limit, size_t value);
MXHIP_API hipError_t hipDeviceSetLimit(enum hipLimit_t limit, size_t value) {
	if ((int)limit == STACK_SIZE)
		return set_stack(value);
	if (limit != hipLimitMallocHeapSize)
		return no_limit(limit);
	return mx_device_heap_resize(value)
	               ? mx_hip_return(hipSuccess)
	               : mx_hip_fail(hipErrorInvalidValue, "%zu bytes, or the heap is in use",
	                             value);
}

MXHIP_API hipError_t hipDeviceGetLimit(size_t *value, enum hipLimit_t limit) {
	if (!value)
		return mx_hip_return(hipErrorInvalidValue);
	if ((int)limit == STACK_SIZE)
		*value = mx_hip_stack_bytes();
	else if (limit == hipLimitMallocHeapSize)
		*value = mx_device_heap_bytes();
	else
		return no_limit(limit);
	return mx_hip_return(hipSuccess);
}

/* ---- attributes ---- */

static unsigned max_threads(const struct mx_function *f) {
	unsigned by_registers = mx_waves_fit(&f->kernel) * f->wave_size;
	unsigned most = f->max_workgroup ? f->max_workgroup : MAX_BLOCK;
	return most < by_registers ? most : by_registers;
}

static int version(void) {
	int major = 0, minor = 0;
	hipDeviceComputeCapability(&major, &minor, mx_device());
	return 10 * major + minor;
}

/* What hipFuncSetAttribute asked for, or all that the kernel leaves. */
static int dynamic_lds_of(const struct mx_function *f) {
	int set = atomic_load(&f->dynamic_lds);
	return set ? set - 1 : (int)(mx_architecture()->lds_bytes - f->kernel.lds_bytes);
}

static struct hipFuncAttributes attributes_of(const struct mx_function *f) {
	return (struct hipFuncAttributes){
		.binaryVersion = version(),
		.ptxVersion = version(),
		.localSizeBytes = f->kernel.scratch_bytes,
		.maxDynamicSharedSizeBytes = dynamic_lds_of(f),
		.maxThreadsPerBlock = (int)max_threads(f),
		.numRegs = (int)(f->kernel.vgprs + f->kernel.agprs),
		.preferredShmemCarveout = atomic_load(&f->carveout),
		.sharedSizeBytes = f->kernel.lds_bytes,
	};
}

MXHIP_API hipError_t hipFuncGetAttributes(struct hipFuncAttributes *a, const void *host) {
	const struct mx_function *f;
	if (!a)
		return mx_hip_return(hipErrorInvalidValue);
	hipError_t e = mx_function_of(host, mx_device(), &f);
	if (e != hipSuccess)
		return e;
	*a = attributes_of(f);
	return mx_hip_return(hipSuccess);
}

MXHIP_API hipError_t hipFuncGetAttribute(int *value, hipFunction_attribute what,
                                         hipFunction_t function) {
	const struct mx_function *f = (const struct mx_function *)function;
	if (!value)
		return mx_hip_return(hipErrorInvalidValue);
	hipError_t e = mx_function_check(f);
	if (e != hipSuccess)
		return e;
	const struct hipFuncAttributes a = attributes_of(f);
	switch (what) {
	case HIP_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK: *value = a.maxThreadsPerBlock; break;
	case HIP_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES: *value = (int)a.sharedSizeBytes; break;
	case HIP_FUNC_ATTRIBUTE_CONST_SIZE_BYTES: *value = (int)a.constSizeBytes; break;
	case HIP_FUNC_ATTRIBUTE_LOCAL_SIZE_BYTES: *value = (int)a.localSizeBytes; break;
	case HIP_FUNC_ATTRIBUTE_NUM_REGS: *value = a.numRegs; break;
	case HIP_FUNC_ATTRIBUTE_PTX_VERSION: *value = a.ptxVersion; break;
	case HIP_FUNC_ATTRIBUTE_BINARY_VERSION: *value = a.binaryVersion; break;
	case HIP_FUNC_ATTRIBUTE_CACHE_MODE_CA: *value = a.cacheModeCA; break;
	case HIP_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES:
		*value = a.maxDynamicSharedSizeBytes;
		break;
	case HIP_FUNC_ATTRIBUTE_PREFERRED_SHARED_MEMORY_CARVEOUT:
		*value = a.preferredShmemCarveout;
		break;
	default: return mx_hip_return(hipErrorInvalidValue);
	}
	return mx_hip_return(hipSuccess);
}

/* HIP requires an attribute for more than 64 KiB of dynamic LDS; here every launch may have it.
 * What is set is only told again. */
hipError_t mx_function_set(const struct mx_function *function, hipFuncAttribute what, int value) {
	struct mx_function *all = function->module->functions, *f = &all[function - all];
	int most = (int)(mx_architecture()->lds_bytes - f->kernel.lds_bytes);
	if (what == hipFuncAttributeMaxDynamicSharedMemorySize && value >= 0 && value <= most)
		atomic_store(&f->dynamic_lds, value + 1);
	else if (what == hipFuncAttributePreferredSharedMemoryCarveout && value >= -1 &&
	         value <= 100)
		atomic_store(&f->carveout, value);
	else
		return mx_hip_return(hipErrorInvalidValue);
	return mx_hip_return(hipSuccess);
}

MXHIP_API hipError_t hipFuncSetAttribute(const void *host, hipFuncAttribute what, int value) {
	const struct mx_function *f;
	hipError_t e = mx_function_of(host, mx_device(), &f);
	if (e != hipSuccess)
		return e;
	return mx_function_set(f, what, value);
}

/* ---- occupancy ---- */

static int groups_of(const struct mx_function *f, int block, size_t lds) {
	struct mx_shape s = { .block = { (uint32_t)block, 1, 1 } };
	if ((unsigned)block > max_threads(f) || lds > mx_architecture()->lds_bytes)
		return 0;
	return (int)mx_groups_fit(&f->kernel, mx_waves_of(f, &s), (uint32_t)lds);
}

MXHIP_API hipError_t hipModuleOccupancyMaxActiveBlocksPerMultiprocessor(int *n,
                                                                        hipFunction_t function,
                                                                        int block, size_t lds) {
	if (!n || block <= 0)
		return mx_hip_return(hipErrorInvalidValue);
	hipError_t e = mx_function_check((const struct mx_function *)function);
	if (e != hipSuccess)
		return e;
	*n = groups_of((const struct mx_function *)function, block, lds);
	return mx_hip_return(hipSuccess);
}

MXHIP_API hipError_t hipOccupancyMaxActiveBlocksPerMultiprocessor(int *n, const void *host,
                                                                  int block, size_t lds) {
	const struct mx_function *f;
	hipError_t e = mx_function_of(host, mx_device(), &f);
	return e == hipSuccess ? hipModuleOccupancyMaxActiveBlocksPerMultiprocessor(
					 n, (hipFunction_t)f, block, lds)
	                       : e;
}

/* The most dynamic LDS with which n blocks fit a compute unit; or, if fewer do by their work-items,
 * with which these fit [clr, hip_platform.cpp]. */
MXHIP_API hipError_t hipOccupancyAvailableDynamicSMemPerBlock(size_t *lds, const void *host, int n,
                                                              int block);
MXHIP_API hipError_t hipOccupancyAvailableDynamicSMemPerBlock(size_t *lds, const void *host, int n,
                                                              int block) {
	const struct mx_architecture *a = mx_architecture();
	const struct mx_function *f;
	int threads = 0;
	hipDeviceGetAttribute(&threads, hipDeviceAttributeMaxThreadsPerMultiProcessor, mx_device());
	if (!lds || n <= 0 || block <= 0)
		return mx_hip_return(hipErrorInvalidValue);
	hipError_t e = mx_function_of(host, mx_device(), &f);
	if (e != hipSuccess)
		return mx_hip_return(hipErrorInvalidDeviceFunction);
	if (block > threads)
		return mx_hip_return(hipErrorInvalidValue);
	int blocks = n < threads / block ? n : threads / block;
	uint32_t each = a->lds_bytes / (uint32_t)blocks, used = f->kernel.lds_bytes;
	each -= a->lds_granule ? each % a->lds_granule : 0;
	*lds = each > used ? each - used : 0;
	return mx_hip_return(hipSuccess);
}

/* Of the blocks of whole waves with most resident waves, the largest. */
MXHIP_API hipError_t hipModuleOccupancyMaxPotentialBlockSize(int *grid, int *block,
                                                             hipFunction_t function, size_t lds,
                                                             int limit) {
	const struct mx_function *f = (const struct mx_function *)function;
	int best = 0, most;
	if (!grid || !block)
		return mx_hip_return(hipErrorInvalidValue);
	hipError_t e = mx_function_check(f);
	if (e != hipSuccess)
		return e;
	most = (int)max_threads(f);
	most = limit > 0 && limit < most ? limit : most;
	*grid = *block = 0;
	for (int b = (int)f->wave_size; b <= most; b += (int)f->wave_size) {
		int n = groups_of(f, b, lds);
		if (n && n * b >= best) {
			best = n * b;
			*block = b;
			*grid = n * MX_COMPUTE_UNITS;
		}
	}
	return mx_hip_return(hipSuccess);
}

MXHIP_API hipError_t hipOccupancyMaxPotentialBlockSize(int *grid, int *block, const void *host,
                                                       size_t lds, int limit) {
	const struct mx_function *f;
	hipError_t e = mx_function_of(host, mx_device(), &f);
	return e == hipSuccess ? hipModuleOccupancyMaxPotentialBlockSize(
					 grid, block, (hipFunction_t)f, lds, limit)
	                       : e;
}

/* ---- the same with flags, which have no effect ---- */

MXHIP_API hipError_t hipModuleOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(
	int *n, hipFunction_t function, int block, size_t lds, unsigned flags) {
	return flags > 1 ? mx_hip_return(hipErrorInvalidValue)
	                 : hipModuleOccupancyMaxActiveBlocksPerMultiprocessor(n, function, block,
	                                                                      lds);
}

MXHIP_API hipError_t hipOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(int *n, const void *host,
                                                                           int block, size_t lds,
                                                                           unsigned flags) {
	return flags > 1 ? mx_hip_return(hipErrorInvalidValue)
	                 : hipOccupancyMaxActiveBlocksPerMultiprocessor(n, host, block, lds);
}

MXHIP_API hipError_t hipModuleOccupancyMaxPotentialBlockSizeWithFlags(int *grid, int *block,
                                                                      hipFunction_t function,
                                                                      size_t lds, int limit,
                                                                      unsigned flags) {
	return flags > 1
	               ? mx_hip_return(hipErrorInvalidValue)
	               : hipModuleOccupancyMaxPotentialBlockSize(grid, block, function, lds, limit);
}
