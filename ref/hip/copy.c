/* Copying and setting memory: immediately, and in the order of a stream. */
#include <stdlib.h>
#include <string.h>

#include "queue.h"
#include "stream_races.h"

/* Whether one end of a copy is device memory, by the kind of the copy or by its address. */
static bool on_device(hipMemcpyKind kind, hipMemcpyKind this_end, const void *p) {
	return kind == hipMemcpyDeviceToDevice || kind == this_end || mx_hip_is_allocation(p, 1);
}

/* Bytes from the first of a row to the last of the last one. */
static size_t span(const struct mx_copy *c, size_t pitch) {
	return (c->rows - 1) * pitch + c->bytes;
}

hipError_t mx_hip_copy_check(const struct mx_copy *c) {
	enum { DEVICE_TO_DEVICE_NO_CU = 1024 }; /* of HIP 6 */
	size_t to = span(c, c->to_pitch), from = span(c, c->from_pitch);
	if (!c->to || !c->from)
		return mx_hip_return(hipErrorInvalidValue);
	if ((unsigned)c->kind > hipMemcpyDefault && (int)c->kind != DEVICE_TO_DEVICE_NO_CU)
		return mx_hip_fail(hipErrorInvalidMemcpyDirection, "no kind of copy: %d",
		                   (int)c->kind);
	if (on_device(c->kind, hipMemcpyDeviceToHost, c->from) &&
	    !mx_hip_is_allocation(c->from, from))
		return mx_hip_fail(hipErrorInvalidValue,
		                   "copy from %p: not %zu bytes of device memory", c->from, from);
	if (on_device(c->kind, hipMemcpyHostToDevice, c->to) && !mx_hip_is_allocation(c->to, to))
		return mx_hip_fail(hipErrorInvalidValue,
		                   "copy to %p: not %zu bytes of device memory", c->to, to);
	return hipSuccess;
}

hipError_t mx_hip_copy(const struct mx_copy *c) {
	hipError_t e = mx_hip_copy_check(c);
	for (size_t y = 0; e == hipSuccess && y < c->rows; y++) {
		char *to = (char *)c->to + y * c->to_pitch;
		const char *from = (const char *)c->from + y * c->from_pitch;
		mx_races_touch(to, c->bytes, MX_TOUCH_WRITE);
		mx_races_touch(from, c->bytes, MX_TOUCH_READ);
		mx_hip_copy_states((uint64_t)(uintptr_t)to, from, c->bytes);
		memmove(to, from, c->bytes);
	}
	return e;
}

hipError_t mx_hip_copy_stage(struct mx_copy *c) {
	char *staged = malloc(c->rows * c->bytes);
	if (!staged)
		return mx_hip_return(hipErrorOutOfMemory);
	for (size_t y = 0; y < c->rows; y++)
		memcpy(staged + y * c->bytes, (const char *)c->from + y * c->from_pitch, c->bytes);
	c->from = c->staged = staged;
	c->from_pitch = c->bytes;
	return hipSuccess;
}

static hipError_t copy_bytes(hipStream_t stream, void *to, const void *from, size_t bytes,
                             hipMemcpyKind kind) {
	return mx_stream_copy(
		stream, &(struct mx_copy){
				.to = to, .from = from, .bytes = bytes, .rows = 1, .kind = kind });
}

/* Waits for the end of a call's work. */
static hipError_t waited(hipError_t e, hipStream_t stream) {
	return e == hipSuccess ? hipStreamSynchronize(stream) : e;
}

MXHIP_API hipError_t hipMemcpy(void *to, const void *from, size_t bytes, hipMemcpyKind kind) {
	return waited(copy_bytes(NULL, to, from, bytes, kind), NULL);
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

static size_t rows_of(const hipMemsetParams *p) {
	return p->height ? p->height : 1;
}

hipError_t mx_hip_set_check(const hipMemsetParams *p) {
	size_t n = p->width, width = p->elementSize, last = (rows_of(p) - 1) * p->pitch;
	if (!n || (n <= SIZE_MAX / width && n * width <= SIZE_MAX - last &&
	           mx_hip_is_allocation(p->dst, last + n * width)))
		return hipSuccess;
	return mx_hip_fail(hipErrorInvalidValue, "memset of %p: not %zu elements of device memory",
	                   p->dst, n);
}

static void fill(char *to, unsigned value, unsigned width, size_t n) {
	mx_hip_mark((uint64_t)(uintptr_t)to, n * width, MX_WRITTEN);
	mx_races_touch(to, n * width, MX_TOUCH_WRITE);
	if (width == 1)
		memset(to, (int)value, n);
	else
		for (size_t i = 0; i < n; i++)
			memcpy(to + i * width, &value, width);
}

hipError_t mx_hip_set(const hipMemsetParams *p) {
	hipError_t e = mx_hip_set_check(p);
	for (size_t y = 0; e == hipSuccess && p->width && y < rows_of(p); y++)
		fill((char *)p->dst + y * p->pitch, p->value, p->elementSize, p->width);
	return e;
}

static hipError_t set_elements(hipStream_t stream, void *to, unsigned value, unsigned width,
                               size_t n) {
	return mx_stream_set(
		stream,
		&(hipMemsetParams){
			.dst = to, .elementSize = width, .height = 1, .value = value, .width = n });
}

/* Each has two forms: immediate, and in the order of a stream. */
#define SET(now, async, to_type, value_type, width)                                                \
	MXHIP_API hipError_t now(to_type to, value_type value, size_t n) {                         \
		return waited(set_elements(NULL, (void *)to, (unsigned)value, width, n), NULL);    \
	}                                                                                          \
	MXHIP_API hipError_t async(to_type to, value_type value, size_t n, hipStream_t stream) {   \
		return set_elements(stream, (void *)to, (unsigned)value, width, n);                \
	}
SET(hipMemset, hipMemsetAsync, void *, int, 1)
SET(hipMemsetD8, hipMemsetD8Async, hipDeviceptr_t, unsigned char, 1)
SET(hipMemsetD16, hipMemsetD16Async, hipDeviceptr_t, unsigned short, 2)
SET(hipMemsetD32, hipMemsetD32Async, hipDeviceptr_t, int, 4)
#undef SET

MXHIP_API hipError_t hipMemset2DAsync(void *to, size_t pitch, int value, size_t width,
                                      size_t height, hipStream_t stream) {
	if (width > pitch)
		return mx_hip_return(hipErrorInvalidPitchValue);
	return mx_stream_set(stream, &(hipMemsetParams){ .dst = to,
	                                                 .elementSize = 1,
	                                                 .pitch = pitch,
	                                                 .height = height,
	                                                 .value = (unsigned)value,
	                                                 .width = height ? width : 0 });
}

MXHIP_API hipError_t hipMemset2D(void *to, size_t pitch, int value, size_t width, size_t height) {
	return waited(hipMemset2DAsync(to, pitch, value, width, height, NULL), NULL);
}

/* ---- copies in the order of a stream, and of rows ---- */

MXHIP_API hipError_t hipMemcpyAsync(void *to, const void *from, size_t bytes, hipMemcpyKind kind,
                                    hipStream_t stream) {
	return copy_bytes(stream, to, from, bytes, kind);
}

MXHIP_API hipError_t hipMemcpyWithStream(void *to, const void *from, size_t bytes,
                                         hipMemcpyKind kind, hipStream_t stream) {
	return waited(copy_bytes(stream, to, from, bytes, kind), stream);
}

MXHIP_API hipError_t hipMemcpyHtoDAsync(hipDeviceptr_t to, void *from, size_t bytes,
                                        hipStream_t stream) {
	return copy_bytes(stream, (void *)to, from, bytes, hipMemcpyHostToDevice);
}

MXHIP_API hipError_t hipMemcpyDtoHAsync(void *to, hipDeviceptr_t from, size_t bytes,
                                        hipStream_t stream) {
	return copy_bytes(stream, to, (const void *)from, bytes, hipMemcpyDeviceToHost);
}

MXHIP_API hipError_t hipMemcpyDtoDAsync(hipDeviceptr_t to, hipDeviceptr_t from, size_t bytes,
                                        hipStream_t stream) {
	return copy_bytes(stream, (void *)to, (const void *)from, bytes, hipMemcpyDeviceToDevice);
}

MXHIP_API hipError_t hipMemcpy2DAsync(void *to, size_t to_pitch, const void *from,
                                      size_t from_pitch, size_t width, size_t height,
                                      hipMemcpyKind kind, hipStream_t stream) {
	if (width > to_pitch || width > from_pitch)
		return mx_hip_return(hipErrorInvalidPitchValue);
	return mx_stream_copy(stream, &(struct mx_copy){ .to = to,
	                                                 .from = from,
	                                                 .bytes = width,
	                                                 .rows = height,
	                                                 .to_pitch = to_pitch,
	                                                 .from_pitch = from_pitch,
	                                                 .kind = kind });
}

MXHIP_API hipError_t hipMemcpy2D(void *to, size_t to_pitch, const void *from, size_t from_pitch,
                                 size_t width, size_t height, hipMemcpyKind kind) {
	return waited(hipMemcpy2DAsync(to, to_pitch, from, from_pitch, width, height, kind, NULL),
	              NULL);
}
