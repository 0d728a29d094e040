/* Contexts and peers. The one device has one context, the primary one; programs retain it, or make
 * it current, and every call works in it. */
#include "runtime.h"

struct ihipCtx_t {
	int retained;
	unsigned flags;
};

static struct ihipCtx_t primary;

/* The stack of the calling thread; without one, a thread works in the primary context. */
static _Thread_local hipCtx_t stack[16];
static _Thread_local unsigned depth;

hipCtx_t mx_primary_context(void) {
	return &primary;
}

static hipError_t check_context(hipCtx_t c) {
	return mx_hip_return(!c || c == &primary ? hipSuccess : hipErrorInvalidContext);
}

/* ---- the primary context ---- */

MXHIP_API hipError_t hipDevicePrimaryCtxRetain(hipCtx_t *c, hipDevice_t device) {
	if (!c)
		return mx_hip_return(hipErrorInvalidValue);
	hipError_t e = mx_device_check(device);
	if (e == hipSuccess) {
		__atomic_add_fetch(&primary.retained, 1, __ATOMIC_RELAXED);
		*c = &primary;
	}
	return e;
}

MXHIP_API hipError_t hipDevicePrimaryCtxRelease(hipDevice_t device) {
	hipError_t e = mx_device_check(device);
	if (e == hipSuccess && __atomic_load_n(&primary.retained, __ATOMIC_RELAXED))
		__atomic_sub_fetch(&primary.retained, 1, __ATOMIC_RELAXED);
	return e;
}

MXHIP_API hipError_t hipDevicePrimaryCtxReset(hipDevice_t device) {
	return mx_device_check(device);
}

MXHIP_API hipError_t hipDevicePrimaryCtxGetState(hipDevice_t device, unsigned *flags, int *active) {
	if (!flags || !active)
		return mx_hip_return(hipErrorInvalidValue);
	hipError_t e = mx_device_check(device);
	if (e == hipSuccess) {
		*flags = primary.flags;
		*active = __atomic_load_n(&primary.retained, __ATOMIC_RELAXED) > 0;
	}
	return e;
}

MXHIP_API hipError_t hipDevicePrimaryCtxSetFlags(hipDevice_t device, unsigned flags) {
	(void)flags; /* AMD's runtime refuses, as the context is active */
	hipError_t e = mx_device_check(device);
	return e == hipSuccess ? mx_hip_return(hipErrorContextAlreadyInUse) : e;
}

/* ---- the current context ---- */

MXHIP_API hipError_t hipCtxGetCurrent(hipCtx_t *c) {
	if (!c)
		return mx_hip_return(hipErrorInvalidValue);
	*c = depth ? stack[depth - 1] : &primary;
	return mx_hip_return(hipSuccess);
}

static hipError_t push(hipCtx_t c) {
	hipError_t e = c ? check_context(c) : mx_hip_return(hipErrorInvalidContext);
	if (e == hipSuccess && depth == sizeof stack / sizeof *stack)
		e = mx_hip_fail(hipErrorInvalidContext, "%u contexts are pushed already", depth);
	if (e == hipSuccess)
		stack[depth++] = c;
	return e;
}

MXHIP_API hipError_t hipCtxPushCurrent(hipCtx_t c) {
	return push(c);
}

MXHIP_API hipError_t hipCtxPopCurrent(hipCtx_t *c) {
	if (!depth)
		return mx_hip_return(hipErrorInvalidContext);
	depth--;
	if (c)
		*c = stack[depth];
	return mx_hip_return(hipSuccess);
}

/* NULL leaves the thread without a context of its own. */
MXHIP_API hipError_t hipCtxSetCurrent(hipCtx_t c) {
	hipError_t e = check_context(c);
	if (e != hipSuccess)
		return e;
	if (depth)
		depth--;
	return c ? push(c) : e;
}

MXHIP_API hipError_t hipCtxCreate(hipCtx_t *c, unsigned flags, hipDevice_t device) {
	(void)flags;
	hipError_t e = hipDevicePrimaryCtxRetain(c, device);
	return e == hipSuccess ? push(*c) : e;
}

MXHIP_API hipError_t hipCtxDestroy(hipCtx_t c) {
	hipError_t e = c ? check_context(c) : mx_hip_return(hipErrorInvalidValue);
	if (e == hipSuccess && depth && stack[depth - 1] == c)
		depth--;
	return e == hipSuccess ? hipDevicePrimaryCtxRelease(0) : e;
}

MXHIP_API hipError_t hipCtxGetDevice(hipDevice_t *device) {
	if (!device)
		return mx_hip_return(hipErrorInvalidValue);
	*device = 0;
	return mx_hip_return(hipSuccess);
}

MXHIP_API hipError_t hipCtxGetApiVersion(hipCtx_t c, int *version) {
	if (!version)
		return mx_hip_return(hipErrorInvalidValue);
	*version = 4; /* [HIP] */
	return check_context(c);
}

MXHIP_API hipError_t hipCtxGetFlags(unsigned *flags) {
	if (!flags)
		return mx_hip_return(hipErrorInvalidValue);
	*flags = primary.flags;
	return mx_hip_return(hipSuccess);
}

MXHIP_API hipError_t hipCtxSynchronize(void) {
	return hipDeviceSynchronize();
}

/* ---- peers: the only device has none ---- */

MXHIP_API hipError_t hipDeviceCanAccessPeer(int *can, int device, int peer) {
	if (!can)
		return mx_hip_return(hipErrorInvalidValue);
	hipError_t e = mx_device_check(device ? device : peer);
	if (e == hipSuccess)
		*can = 0;
	return e;
}

MXHIP_API hipError_t hipDeviceEnablePeerAccess(int peer, unsigned flags) {
	if (flags)
		return mx_hip_return(hipErrorInvalidValue);
	hipError_t e = mx_device_check(peer);
	return e == hipSuccess ? mx_hip_return(hipErrorInvalidDevice) : e;
}

MXHIP_API hipError_t hipDeviceDisablePeerAccess(int peer) {
	hipError_t e = mx_device_check(peer);
	return e == hipSuccess ? mx_hip_return(hipErrorPeerAccessNotEnabled) : e;
}

MXHIP_API hipError_t hipDeviceGetP2PAttribute(int *value, hipDeviceP2PAttr what, int device,
                                              int peer) {
	if (!value || what > hipDevP2PAttrHipArrayAccessSupported)
		return mx_hip_return(hipErrorInvalidValue);
	hipError_t e = mx_device_check(device ? device : peer);
	return e == hipSuccess ? mx_hip_return(hipErrorInvalidDevice) : e;
}

/* Both ends are the one device. */
MXHIP_API hipError_t hipMemcpyPeer(void *to, int to_device, const void *from, int from_device,
                                   size_t bytes) {
	hipError_t e = mx_device_check(to_device ? to_device : from_device);
	return e == hipSuccess ? hipMemcpy(to, from, bytes, hipMemcpyDeviceToDevice) : e;
}

MXHIP_API hipError_t hipMemcpyPeerAsync(void *to, int to_device, const void *from, int from_device,
                                        size_t bytes, hipStream_t stream) {
	hipError_t e = mx_device_check(to_device ? to_device : from_device);
	return e == hipSuccess ? hipMemcpyAsync(to, from, bytes, hipMemcpyDeviceToDevice, stream)
	                       : e;
}
