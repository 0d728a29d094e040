/* Copying and setting memory: immediately, and in the order of a stream. */
#include <string.h>

#include "runtime.h"

/* Whether one end of a copy is device memory, by the kind of the copy or by its address. */
static bool on_device(hipMemcpyKind kind, hipMemcpyKind this_end, const void *p) {
	return kind == hipMemcpyDeviceToDevice || kind == this_end || mx_hip_is_allocation(p, 1);
}

MXHIP_API hipError_t hipMemcpy(void *to, const void *from, size_t bytes, hipMemcpyKind kind) {
	hipError_t e = mx_hip_synchronise();
	if (e != hipSuccess || !bytes)
		return e;
	if (!to || !from)
		return mx_hip_return(hipErrorInvalidValue);
	if (on_device(kind, hipMemcpyDeviceToHost, from) && !mx_hip_is_allocation(from, bytes))
		return mx_hip_fail(hipErrorInvalidValue,
		                   "copy from %p: not %zu bytes of device memory", from, bytes);
	if (on_device(kind, hipMemcpyHostToDevice, to) &&
	    !mx_hip_copy_states((uint64_t)(uintptr_t)to, from, bytes))
		return mx_hip_fail(hipErrorInvalidValue,
		                   "copy to %p: not %zu bytes of device memory", to, bytes);
	memmove(to, from, bytes);
	return mx_hip_return(hipSuccess);
}

MXHIP_API hipError_t hipMemcpyHtoD(hipDeviceptr_t to, void *from, size_t bytes) {
	return hipMemcpy((void *)to, from, bytes, hipMemcpyHostToDevice);
}

MXHIP_API hipError_t hipMemcpyDtoH(void *to, hipDeviceptr_t from, size_t bytes) {
	return hipMemcpy(to, (const void *)from, bytes, hipMemcpyDeviceToHost);
}

MXHIP_API hipError_t hipMemcpyDtoD(hipDeviceptr_t to, hipDeviceptr_t from, size_t bytes) {
	return hipMemcpy((void *)to, (const void *)from, bytes, hipMemcpyDeviceToDevice);
}

/* ---- setting ---- */

static void fill(void *to, unsigned value, unsigned width, size_t n) {
	for (size_t i = 0; i < n; i++)
		memcpy((char *)to + i * width, &value, width);
}

hipError_t mx_hip_set(void *to, unsigned value, unsigned width, size_t n) {
	if (!n)
		return mx_hip_return(hipSuccess);
	if (n > SIZE_MAX / width || !mxhipMark(to, n * width, MX_WRITTEN))
		return mx_hip_fail(hipErrorInvalidValue,
		                   "memset of %p: not %zu elements of device memory", to, n);
	if (width == 1)
		memset(to, (int)value, n);
	else
		fill(to, value, width, n);
	return mx_hip_return(hipSuccess);
}

/* Each has two forms: immediate, and in the order of a stream. */
#define SET(now, async, to_type, value_type, width)                                                \
	MXHIP_API hipError_t now(to_type to, value_type value, size_t n) {                         \
		return mx_hip_set((void *)to, (unsigned)value, width, n);                          \
	}                                                                                          \
	MXHIP_API hipError_t async(to_type to, value_type value, size_t n, hipStream_t stream) {   \
		return mx_stream_set(stream, (void *)to, (unsigned)value, width, n);               \
	}
SET(hipMemset, hipMemsetAsync, void *, int, 1)
SET(hipMemsetD8, hipMemsetD8Async, hipDeviceptr_t, unsigned char, 1)
SET(hipMemsetD16, hipMemsetD16Async, hipDeviceptr_t, unsigned short, 2)
SET(hipMemsetD32, hipMemsetD32Async, hipDeviceptr_t, int, 4)
#undef SET

MXHIP_API hipError_t hipMemset2D(void *to, size_t pitch, int value, size_t width, size_t height) {
	hipError_t e = mx_hip_return(width <= pitch ? hipSuccess : hipErrorInvalidPitchValue);
	for (size_t y = 0; e == hipSuccess && y < height; y++)
		e = mx_hip_set((char *)to + y * pitch, (unsigned)value, 1, width);
	return e;
}

/* ---- copies in the order of a stream, and of rows ---- */

MXHIP_API hipError_t hipMemcpyAsync(void *to, const void *from, size_t bytes, hipMemcpyKind kind,
                                    hipStream_t stream) {
	return mx_stream_copy(stream, to, from, bytes, kind);
}

MXHIP_API hipError_t hipMemcpyWithStream(void *to, const void *from, size_t bytes,
                                         hipMemcpyKind kind, hipStream_t stream) {
	return mx_stream_copy(stream, to, from, bytes, kind);
}

MXHIP_API hipError_t hipMemcpyHtoDAsync(hipDeviceptr_t to, void *from, size_t bytes,
                                        hipStream_t stream) {
	return mx_stream_copy(stream, (void *)to, from, bytes, hipMemcpyHostToDevice);
}

MXHIP_API hipError_t hipMemcpyDtoHAsync(void *to, hipDeviceptr_t from, size_t bytes,
                                        hipStream_t stream) {
	return mx_stream_copy(stream, to, (const void *)from, bytes, hipMemcpyDeviceToHost);
}

MXHIP_API hipError_t hipMemcpyDtoDAsync(hipDeviceptr_t to, hipDeviceptr_t from, size_t bytes,
                                        hipStream_t stream) {
	return mx_stream_copy(stream, (void *)to, (const void *)from, bytes,
	                      hipMemcpyDeviceToDevice);
}

MXHIP_API hipError_t hipMemcpy2DAsync(void *to, size_t to_pitch, const void *from,
                                      size_t from_pitch, size_t width, size_t height,
                                      hipMemcpyKind kind, hipStream_t stream) {
	bool fits = width <= to_pitch && width <= from_pitch;
	hipError_t e = mx_hip_return(fits ? hipSuccess : hipErrorInvalidPitchValue);
	for (size_t y = 0; e == hipSuccess && y < height; y++)
		e = mx_stream_copy(stream, (char *)to + y * to_pitch,
		                   (const char *)from + y * from_pitch, width, kind);
	return e;
}

MXHIP_API hipError_t hipMemcpy2D(void *to, size_t to_pitch, const void *from, size_t from_pitch,
                                 size_t width, size_t height, hipMemcpyKind kind) {
	return hipMemcpy2DAsync(to, to_pitch, from, from_pitch, width, height, kind, NULL);
}
