/* Contexts and peers. Each device has one context, the primary one; programs retain it, or make it
 * current, which makes its device the current one. */
#include <stdatomic.h>

#include "queue.h"

struct ihipCtx_t {
	atomic_int retained;
	atomic_uint flags; /* how the host waits: they have no effect */
};

static struct ihipCtx_t primary[MX_MOST_DEVICES];

/* The devices that were current before the contexts that a thread has pushed. */
static _Thread_local int stack[16];
static _Thread_local unsigned depth;

hipCtx_t mx_primary_context(int device) {
	return &primary[device];
}

/* The device of a context: of NULL the current one; -1 if there is no such context. */
static int device_of(hipCtx_t c) {
	for (int i = 0; c && i < mx_devices(); i++)
		if (c == &primary[i])
			return i;
	return c ? -1 : mx_device();
}

/* ---- the primary context ---- */

MXHIP_API hipError_t hipDevicePrimaryCtxRetain(hipCtx_t *c, hipDevice_t device) {
	if (!c)
		return mx_hip_return(hipErrorInvalidValue);
	hipError_t e = mx_device_check(device);
	if (e == hipSuccess) {
		primary[device].retained++;
		*c = &primary[device];
	}
	return e;
}

MXHIP_API hipError_t hipDevicePrimaryCtxRelease(hipDevice_t device) {
	hipError_t e = mx_device_check(device);
	if (e == hipSuccess && primary[device].retained)
		primary[device].retained--;
	return e;
}

/* Streams, events and modules live on, unlike on a device. */
MXHIP_API hipError_t hipDevicePrimaryCtxReset(hipDevice_t device) {
	hipError_t e = mx_device_check(device);
	if (e != hipSuccess)
		return e;
	mx_queue_finish_device(device);
	mx_hip_release_device(device);
	primary[device].flags = 0;
	return mx_hip_synchronise();
}

MXHIP_API hipError_t hipDeviceReset(void) {
	return hipDevicePrimaryCtxReset(mx_device());
}

MXHIP_API hipError_t hipDevicePrimaryCtxGetState(hipDevice_t device, unsigned *flags, int *active) {
	if (!flags || !active)
		return mx_hip_return(hipErrorInvalidValue);
	hipError_t e = mx_device_check(device);
	if (e == hipSuccess) {
		*flags = primary[device].flags;
		*active = primary[device].retained > 0;
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
	*c = &primary[mx_device()];
	return mx_hip_return(hipSuccess);
}

static hipError_t push(hipCtx_t c) {
	int device = device_of(c);
	if (!c || device < 0)
		return mx_hip_return(hipErrorInvalidContext);
	if (depth == sizeof stack / sizeof *stack)
		return mx_hip_fail(hipErrorInvalidContext, "%u contexts are pushed already", depth);
	stack[depth++] = mx_device();
	return hipSetDevice(device);
}

MXHIP_API hipError_t hipCtxPushCurrent(hipCtx_t c) {
	return push(c);
}

static hipError_t pop(void) {
	return depth ? hipSetDevice(stack[--depth]) : mx_hip_return(hipErrorInvalidContext);
}

MXHIP_API hipError_t hipCtxPopCurrent(hipCtx_t *c) {
	hipCtx_t old = &primary[mx_device()];
	hipError_t e = pop();
	if (e == hipSuccess && c)
		*c = old;
	return e;
}

MXHIP_API hipError_t hipCtxSetCurrent(hipCtx_t c) {
	int device = device_of(c);
	return device < 0 ? mx_hip_return(hipErrorInvalidContext) : hipSetDevice(device);
}

MXHIP_API hipError_t hipCtxCreate(hipCtx_t *c, unsigned flags, hipDevice_t device) {
	hipError_t e = hipDevicePrimaryCtxRetain(c, device);
	if (e == hipSuccess)
		primary[device].flags = flags;
	return e == hipSuccess ? push(*c) : e;
}

MXHIP_API hipError_t hipCtxDestroy(hipCtx_t c) {
	int device = device_of(c);
	if (!c || device < 0)
		return mx_hip_return(c ? hipErrorInvalidContext : hipErrorInvalidValue);
	if (depth && device == mx_device())
		pop();
	return hipDevicePrimaryCtxRelease(device);
}

MXHIP_API hipError_t hipCtxGetDevice(hipDevice_t *device) {
	return hipGetDevice(device);
}

MXHIP_API hipError_t hipCtxGetApiVersion(hipCtx_t c, int *version) {
	if (!version)
		return mx_hip_return(hipErrorInvalidValue);
	*version = 4; /* [HIP] */
	return mx_hip_return(device_of(c) < 0 ? hipErrorInvalidContext : hipSuccess);
}

MXHIP_API hipError_t hipGetDeviceFlags(unsigned *flags) {
	if (!flags)
		return mx_hip_return(hipErrorInvalidValue);
	*flags = primary[mx_device()].flags;
	return mx_hip_return(hipSuccess);
}

MXHIP_API hipError_t hipCtxGetFlags(unsigned *flags) {
	return hipGetDeviceFlags(flags);
}

/* Flags that say how to wait exclude each other; the others are ignored, as in AMD's runtime. */
MXHIP_API hipError_t hipSetDeviceFlags(unsigned flags) {
	unsigned how = flags & hipDeviceScheduleMask;
	if (how & (how - 1) || flags & ~0x1fu)
		return mx_hip_return(hipErrorInvalidValue);
	primary[mx_device()].flags = how;
	return mx_hip_return(hipSuccess);
}

MXHIP_API hipError_t hipCtxSynchronize(void) {
	return hipDeviceSynchronize();
}

/* ---- peers ---- */

static atomic_bool enabled[MX_MOST_DEVICES][MX_MOST_DEVICES]; /* [device][peer] */

bool mx_has_access(int device, int peer) {
	return device == peer || enabled[device][peer];
}

static hipError_t check_both(int device, int peer) {
	hipError_t e = mx_device_check(device);
	return e == hipSuccess ? mx_device_check(peer) : e;
}

MXHIP_API hipError_t hipDeviceCanAccessPeer(int *can, int device, int peer) {
	if (!can)
		return mx_hip_return(hipErrorInvalidValue);
	hipError_t e = check_both(device, peer);
	if (e == hipSuccess)
		*can = device != peer;
	return e;
}

MXHIP_API hipError_t hipDeviceEnablePeerAccess(int peer, unsigned flags) {
	if (flags)
		return mx_hip_return(hipErrorInvalidValue);
	hipError_t e = mx_device_check(peer);
	if (e == hipSuccess && peer == mx_device())
		e = mx_hip_return(hipErrorInvalidDevice);
	if (e == hipSuccess && atomic_exchange(&enabled[mx_device()][peer], true))
		e = mx_hip_return(hipErrorPeerAccessAlreadyEnabled);
	return e;
}

MXHIP_API hipError_t hipCtxEnablePeerAccess(hipCtx_t peer, unsigned flags) {
	int device = device_of(peer);
	return !peer || device < 0 ? mx_hip_return(hipErrorInvalidContext)
	                           : hipDeviceEnablePeerAccess(device, flags);
}

MXHIP_API hipError_t hipCtxDisablePeerAccess(hipCtx_t peer) {
	int device = device_of(peer);
	return !peer || device < 0 ? mx_hip_return(hipErrorInvalidContext)
	                           : hipDeviceDisablePeerAccess(device);
}

/* Enqueued kernels still have it. */
MXHIP_API hipError_t hipDeviceDisablePeerAccess(int peer) {
	hipError_t e = mx_device_check(peer);
	if (e != hipSuccess)
		return e;
	mx_queue_drain_device(mx_device());
	return mx_hip_return(atomic_exchange(&enabled[mx_device()][peer], false)
	                             ? hipSuccess
	                             : hipErrorPeerAccessNotEnabled);
}

MXHIP_API hipError_t hipDeviceGetP2PAttribute(int *value, hipDeviceP2PAttr what, int device,
                                              int peer) {
	if (!value || what > hipDevP2PAttrHipArrayAccessSupported)
		return mx_hip_return(hipErrorInvalidValue);
	hipError_t e = check_both(device, peer);
	if (e == hipSuccess && device == peer)
		e = mx_hip_return(hipErrorInvalidDevice);
	if (e == hipSuccess)
		*value = what == hipDevP2PAttrAccessSupported ||
		         what == hipDevP2PAttrNativeAtomicSupported;
	return e;
}

/* The devices of a host are linked with each other. */
MXHIP_API hipError_t hipExtGetLinkTypeAndHopCount(int device, int peer, uint32_t *type,
                                                  uint32_t *hops) {
	enum { XGMI = 4 }; /* HSA_AMD_LINK_INFO_TYPE_XGMI */
	if (!type || !hops || device < 0 || peer < 0)
		return mx_hip_return(hipErrorInvalidValue);
	hipError_t e = check_both(device, peer);
	if (e == hipSuccess && device == peer)
		e = mx_hip_return(hipErrorInvalidValue);
	if (e == hipSuccess) {
		*type = XGMI;
		*hops = 1;
	}
	return e;
}

MXHIP_API hipError_t hipMemcpyPeer(void *to, int to_device, const void *from, int from_device,
                                   size_t bytes) {
	hipError_t e = check_both(to_device, from_device);
	return e == hipSuccess ? hipMemcpy(to, from, bytes, hipMemcpyDeviceToDevice) : e;
}

MXHIP_API hipError_t hipMemcpyPeerAsync(void *to, int to_device, const void *from, int from_device,
                                        size_t bytes, hipStream_t stream) {
	hipError_t e = check_both(to_device, from_device);
	return e == hipSuccess ? hipMemcpyAsync(to, from, bytes, hipMemcpyDeviceToDevice, stream)
	                       : e;
}
