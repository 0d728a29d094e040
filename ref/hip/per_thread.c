/* The functions that a program gets if it is compiled for a default stream of each thread
 * (HIP_API_PER_THREAD_DEFAULT_STREAM): where it gives no stream they mean hipStreamPerThread. */
#include "runtime.h"

static hipStream_t own(hipStream_t stream) {
	return stream ? stream : hipStreamPerThread;
}

static hipError_t waited(hipError_t e, const void *to, const void *from) {
	return mx_hip_waited(e, hipStreamPerThread, to, from);
}

#define PER_THREAD(name, parameters, result)                                                       \
	MXHIP_API hipError_t name##_spt parameters;                                                \
	MXHIP_API hipError_t name##_spt parameters {                                               \
		return result;                                                                     \
	}

/* ---- streams and events ---- */

PER_THREAD(hipStreamSynchronize, (hipStream_t s), hipStreamSynchronize(own(s)))
PER_THREAD(hipStreamQuery, (hipStream_t s), hipStreamQuery(own(s)))
PER_THREAD(hipStreamGetFlags, (hipStream_t s, unsigned *flags), hipStreamGetFlags(own(s), flags))
PER_THREAD(hipStreamGetPriority, (hipStream_t s, int *p), hipStreamGetPriority(own(s), p))
PER_THREAD(hipStreamWaitEvent, (hipStream_t s, hipEvent_t e, unsigned flags),
           hipStreamWaitEvent(own(s), e, flags))
PER_THREAD(hipStreamAddCallback, (hipStream_t s, hipStreamCallback_t f, void *data, unsigned flags),
           hipStreamAddCallback(own(s), f, data, flags))
PER_THREAD(hipLaunchHostFunc, (hipStream_t s, hipHostFn_t f, void *data),
           hipLaunchHostFunc(own(s), f, data))
PER_THREAD(hipEventRecord, (hipEvent_t e, hipStream_t s), hipEventRecord(e, own(s)))

/* ---- captures and graphs ---- */

PER_THREAD(hipStreamBeginCapture, (hipStream_t s, hipStreamCaptureMode mode),
           hipStreamBeginCapture(own(s), mode))
PER_THREAD(hipStreamEndCapture, (hipStream_t s, hipGraph_t *g), hipStreamEndCapture(own(s), g))
PER_THREAD(hipStreamIsCapturing, (hipStream_t s, hipStreamCaptureStatus *status),
           hipStreamIsCapturing(own(s), status))
PER_THREAD(hipStreamGetCaptureInfo,
           (hipStream_t s, hipStreamCaptureStatus *status, unsigned long long *id),
           hipStreamGetCaptureInfo(own(s), status, id))
PER_THREAD(hipStreamGetCaptureInfo_v2,
           (hipStream_t s, hipStreamCaptureStatus *status, unsigned long long *id, hipGraph_t *g,
            const hipGraphNode_t **last, size_t *n),
           hipStreamGetCaptureInfo_v2(own(s), status, id, g, last, n))
PER_THREAD(hipGraphLaunch, (hipGraphExec_t g, hipStream_t s), hipGraphLaunch(g, own(s)))

/* ---- launches ---- */

PER_THREAD(hipLaunchKernel,
           (const void *host, dim3 grid, dim3 block, void **params, size_t lds, hipStream_t s),
           hipLaunchKernel(host, grid, block, params, lds, own(s)))
PER_THREAD(hipLaunchCooperativeKernel,
           (const void *host, dim3 grid, dim3 block, void **params, unsigned lds, hipStream_t s),
           hipLaunchCooperativeKernel(host, grid, block, params, lds, own(s)))

/* ---- copies and sets: in the order of a stream, and waited for ---- */

PER_THREAD(hipMemcpyAsync,
           (void *to, const void *from, size_t n, hipMemcpyKind kind, hipStream_t s),
           hipMemcpyAsync(to, from, n, kind, own(s)))
PER_THREAD(hipMemcpy, (void *to, const void *from, size_t n, hipMemcpyKind kind),
           waited(hipMemcpyAsync(to, from, n, kind, hipStreamPerThread), to, from))
PER_THREAD(hipMemcpy2DAsync,
           (void *to, size_t to_pitch, const void *from, size_t from_pitch, size_t width,
            size_t height, hipMemcpyKind kind, hipStream_t s),
           hipMemcpy2DAsync(to, to_pitch, from, from_pitch, width, height, kind, own(s)))
PER_THREAD(hipMemcpy2D,
           (void *to, size_t to_pitch, const void *from, size_t from_pitch, size_t width,
            size_t height, hipMemcpyKind kind),
           waited(hipMemcpy2DAsync(to, to_pitch, from, from_pitch, width, height, kind,
                                   hipStreamPerThread),
                  to, from))
PER_THREAD(hipMemcpy3DAsync, (const hipMemcpy3DParms *p, hipStream_t s),
           hipMemcpy3DAsync(p, own(s)))
PER_THREAD(hipMemcpy3D, (const hipMemcpy3DParms *p),
           waited(hipMemcpy3DAsync(p, hipStreamPerThread), p->dstPtr.ptr, p->srcPtr.ptr))
PER_THREAD(hipMemcpyToSymbolAsync,
           (const void *symbol, const void *from, size_t n, size_t at, hipMemcpyKind kind,
            hipStream_t s),
           hipMemcpyToSymbolAsync(symbol, from, n, at, kind, own(s)))
PER_THREAD(hipMemcpyToSymbol,
           (const void *symbol, const void *from, size_t n, size_t at, hipMemcpyKind kind),
           waited(hipMemcpyToSymbolAsync(symbol, from, n, at, kind, hipStreamPerThread), symbol,
                  from))
PER_THREAD(hipMemcpyFromSymbolAsync,
           (void *to, const void *symbol, size_t n, size_t at, hipMemcpyKind kind, hipStream_t s),
           hipMemcpyFromSymbolAsync(to, symbol, n, at, kind, own(s)))
PER_THREAD(hipMemcpyFromSymbol,
           (void *to, const void *symbol, size_t n, size_t at, hipMemcpyKind kind),
           waited(hipMemcpyFromSymbolAsync(to, symbol, n, at, kind, hipStreamPerThread), to,
                  symbol))
PER_THREAD(hipMemsetAsync, (void *to, int value, size_t n, hipStream_t s),
           hipMemsetAsync(to, value, n, own(s)))
PER_THREAD(hipMemset, (void *to, int value, size_t n),
           waited(hipMemsetAsync(to, value, n, hipStreamPerThread), to, NULL))
PER_THREAD(hipMemset2DAsync,
           (void *to, size_t pitch, int value, size_t width, size_t height, hipStream_t s),
           hipMemset2DAsync(to, pitch, value, width, height, own(s)))
PER_THREAD(hipMemset2D, (void *to, size_t pitch, int value, size_t width, size_t height),
           waited(hipMemset2DAsync(to, pitch, value, width, height, hipStreamPerThread), to, NULL))
PER_THREAD(hipMemset3DAsync, (hipPitchedPtr p, int value, struct hipExtent extent, hipStream_t s),
           hipMemset3DAsync(p, value, extent, own(s)))
PER_THREAD(hipMemset3D, (hipPitchedPtr p, int value, struct hipExtent extent),
           waited(hipMemset3DAsync(p, value, extent, hipStreamPerThread), p.ptr, NULL))
