/* What a program may prefer, and what has no effect here: the split of the L1, the width of the
 * banks of LDS, profilers, a log. gfx950 has one L1 and one width [HIP: the values that AMD's
 * runtime returns]. */
#include "runtime.h"

static bool is_cache(hipFuncCache_t c) {
	return (unsigned)c <= hipFuncCachePreferEqual;
}

static hipError_t get_cache(hipFuncCache_t *c) {
	if (c)
		*c = hipFuncCachePreferNone;
	return mx_hip_return(c ? hipSuccess : hipErrorInvalidValue);
}

static hipError_t get_banks(hipSharedMemConfig *c) {
	if (c)
		*c = hipSharedMemBankSizeFourByte;
	return mx_hip_return(c ? hipSuccess : hipErrorInvalidValue);
}

static hipError_t set_cache(hipFuncCache_t c) {
	return mx_hip_return(is_cache(c) ? hipSuccess : hipErrorInvalidValue);
}

static hipError_t set_banks(hipSharedMemConfig c) {
	return mx_hip_return((unsigned)c <= hipSharedMemBankSizeEightByte ? hipSuccess
	                                                                  : hipErrorInvalidValue);
}

MXHIP_API hipError_t hipDeviceGetCacheConfig(hipFuncCache_t *c) {
	return get_cache(c);
}

MXHIP_API hipError_t hipDeviceSetCacheConfig(hipFuncCache_t c) {
	return set_cache(c);
}

MXHIP_API hipError_t hipCtxGetCacheConfig(hipFuncCache_t *c) {
	return get_cache(c);
}

MXHIP_API hipError_t hipCtxSetCacheConfig(hipFuncCache_t c) {
	return set_cache(c);
}

MXHIP_API hipError_t hipDeviceGetSharedMemConfig(hipSharedMemConfig *c) {
	return get_banks(c);
}

MXHIP_API hipError_t hipDeviceSetSharedMemConfig(hipSharedMemConfig c) {
	return set_banks(c);
}

MXHIP_API hipError_t hipCtxGetSharedMemConfig(hipSharedMemConfig *c) {
	return get_banks(c);
}

MXHIP_API hipError_t hipCtxSetSharedMemConfig(hipSharedMemConfig c) {
	return set_banks(c);
}

static hipError_t check_kernel(const void *host, bool good) {
	const struct mx_function *f;
	return good ? mx_function_of(host, mx_device(), &f) : mx_hip_return(hipErrorInvalidValue);
}

MXHIP_API hipError_t hipFuncSetCacheConfig(const void *host, hipFuncCache_t c) {
	return check_kernel(host, is_cache(c));
}

MXHIP_API hipError_t hipFuncSetSharedMemConfig(const void *host, hipSharedMemConfig c) {
	return check_kernel(host, (unsigned)c <= hipSharedMemBankSizeEightByte);
}

/* AMD's runtime does not support them, either: roctracer does. */
MXHIP_API hipError_t hipProfilerStart(void) {
	return mx_hip_return(hipErrorNotSupported);
}

MXHIP_API hipError_t hipProfilerStop(void) {
	return mx_hip_return(hipErrorNotSupported);
}

/* The log of HIP's own calls, of ROCm 7.2: its text is that of AMD's sources, so none is written.
 * Ending it has no effect. */
MXHIP_API hipError_t hipExtSetLoggingParams(size_t level, size_t bytes, size_t mask);
MXHIP_API hipError_t hipExtSetLoggingParams(size_t level, size_t bytes, size_t mask) {
	(void)level, (void)bytes, (void)mask;
	return mx_hip_fail(hipErrorNotSupported, "there is no log of HIP's calls");
}

MXHIP_API hipError_t hipExtEnableLogging(void);
MXHIP_API hipError_t hipExtEnableLogging(void) {
	return mx_hip_fail(hipErrorNotSupported, "there is no log of HIP's calls");
}

MXHIP_API hipError_t hipExtDisableLogging(void);
MXHIP_API hipError_t hipExtDisableLogging(void) {
	return mx_hip_return(hipSuccess);
}
