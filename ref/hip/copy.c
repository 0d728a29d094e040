/* Copying and setting memory: immediately, and in the order of a stream. */
#include <stdlib.h>
#include <string.h>

#include "queue.h"
#include "stream_races.h"

/* Whether one end of a copy is device memory, by the kind of the copy or by its address. */
static bool on_device(hipMemcpyKind kind, hipMemcpyKind this_end, const void *p) {
	return kind == hipMemcpyDeviceToDevice || kind == this_end || mx_hip_is_allocation(p, 1);
}

static size_t planes_of(const struct mx_copy *c) {
	return c->planes ? c->planes : 1;
}

/* Bytes from the first of a row to the last of the last one. */
static size_t span(const struct mx_copy *c, size_t pitch, size_t plane) {
	return (planes_of(c) - 1) * plane + (c->rows - 1) * pitch + c->bytes;
}

hipError_t mx_hip_copy_check(const struct mx_copy *c) {
	enum { DEVICE_TO_DEVICE_NO_CU = 1024 }; /* of HIP 6 */
	size_t to = span(c, c->to_pitch, c->to_plane);
	size_t from = span(c, c->from_pitch, c->from_plane);
	if (!c->to || !c->from)
		return mx_hip_return(hipErrorInvalidValue);
	if ((unsigned)c->kind > hipMemcpyDefault && (int)c->kind != DEVICE_TO_DEVICE_NO_CU)
		return mx_hip_fail(hipErrorInvalidMemcpyDirection, "no kind of copy: %d",
		                   (int)c->kind);
	if (on_device(c->kind, hipMemcpyDeviceToHost, c->from) &&
	    !mx_hip_is_allocation(c->from, from))
		return mx_hip_fail(hipErrorInvalidValue,
		                   "copy from %p: not %zu bytes of device memory", c->from, from);
	if (on_device(c->kind, hipMemcpyHostToDevice, c->to) && !mx_hip_is_writable(c->to, to))
		return mx_hip_fail(hipErrorInvalidValue,
		                   "copy to %p: not %zu bytes of device memory", c->to, to);
	return hipSuccess;
}

/* Memory of a graph has its address before a launch allocates it. */
static hipError_t check_present(const void *p) {
	return mx_hip_is_absent(p) ? mx_hip_fail(hipErrorInvalidValue,
	                                         "%p is memory of a graph that is not allocated", p)
	                           : hipSuccess;
}

/* Row i of all planes. */
static char *row_at(const void *p, const struct mx_copy *c, size_t i, size_t pitch, size_t plane) {
	return (char *)p + i / c->rows * plane + i % c->rows * pitch;
}

hipError_t mx_hip_copy(const struct mx_copy *c) {
	hipError_t e = mx_hip_copy_check(c);
	if (e == hipSuccess)
		e = check_present(c->to);
	if (e == hipSuccess)
		e = check_present(c->from);
	for (size_t i = 0; e == hipSuccess && i < planes_of(c) * c->rows; i++) {
		char *to = row_at(c->to, c, i, c->to_pitch, c->to_plane);
		const char *from = row_at(c->from, c, i, c->from_pitch, c->from_plane);
		mx_races_touch(to, c->bytes, MX_TOUCH_WRITE);
		mx_races_touch(from, c->bytes, MX_TOUCH_READ);
		mx_hip_copy_states((uint64_t)(uintptr_t)to, from, c->bytes);
		memmove(to, from, c->bytes);
	}
	return e;
}

hipError_t mx_hip_copy_stage(struct mx_copy *c) {
	size_t rows = planes_of(c) * c->rows;
	char *staged = malloc(rows * c->bytes);
	if (!staged)
		return mx_hip_return(hipErrorOutOfMemory);
	for (size_t i = 0; i < rows; i++)
		memcpy(staged + i * c->bytes, row_at(c->from, c, i, c->from_pitch, c->from_plane),
		       c->bytes);
	c->from = c->staged = staged;
	c->from_pitch = c->bytes;
	c->from_plane = c->rows * c->bytes;
	return hipSuccess;
}

static struct mx_copy copy_of(void *to, const void *from, size_t bytes, hipMemcpyKind kind) {
	return (struct mx_copy){ .to = to, .from = from, .bytes = bytes, .rows = 1, .kind = kind };
}

static hipError_t copy_bytes(hipStream_t stream, void *to, const void *from, size_t bytes,
                             hipMemcpyKind kind, bool waits) {
	struct mx_copy c = copy_of(to, from, bytes, kind);
	c.waits = waits;
	return mx_stream_copy(stream, &c);
}

/* Memory of a device alone, not the host's. */
static bool is_of_device(const void *p, struct mx_allocation *a) {
	return mx_hip_about(p, a) && (a->kind == MX_DEVICE_MEMORY || a->kind == MX_VIRTUAL_MEMORY ||
	                              a->kind == MX_GRAPH_MEMORY);
}

/* Copies within a device, and sets of its memory, return before their end [CUDA, API
 * synchronization behavior; hip-tests, hipMemsetSync.cc], unless the program asks for it of all
 * their memory [ROCm/clr, ihipMemcpy; hip-tests, hipPointerSetAttribute.cc]. */
static bool tells_host(const void *to, const void *from) {
	struct mx_allocation a, b;
	if (!is_of_device(to, &a) || !is_of_device(from ? from : to, &b))
		return true;
	return a.device != b.device || (a.synchronous && b.synchronous);
}

hipError_t mx_hip_waited(hipError_t e, hipStream_t stream, const void *to, const void *from) {
	return e == hipSuccess ? mx_stream_synchronise(stream, tells_host(to, from)) : e;
}

MXHIP_API hipError_t hipMemcpy(void *to, const void *from, size_t bytes, hipMemcpyKind kind) {
	return mx_hip_waited(copy_bytes(NULL, to, from, bytes, kind, true), NULL, to, from);
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
	           mx_hip_is_writable(p->dst, last + n * width)))
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
	if (e == hipSuccess)
		e = check_present(p->dst);
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
		return mx_hip_waited(set_elements(NULL, (void *)to, (unsigned)value, width, n),    \
		                     NULL, (void *)to, NULL);                                      \
	}                                                                                          \
	MXHIP_API hipError_t async(to_type to, value_type value, size_t n, hipStream_t stream) {   \
		return set_elements(stream, (void *)to, (unsigned)value, width, n);                \
	}
SET(hipMemset, hipMemsetAsync, void *, int, 1)
SET(hipMemsetD8, hipMemsetD8Async, hipDeviceptr_t, unsigned char, 1)
SET(hipMemsetD16, hipMemsetD16Async, hipDeviceptr_t, unsigned short, 2)
SET(hipMemsetD32, hipMemsetD32Async, hipDeviceptr_t, int, 4)
#undef SET

static hipError_t set_rows(hipStream_t stream, void *to, size_t pitch, unsigned value,
                           unsigned element, size_t width, size_t height) {
	if (width > pitch / element)
		return mx_hip_fail(hipErrorInvalidValue,
		                   "rows of %zu elements of %u bytes, pitch %zu", width, element,
		                   pitch);
	return mx_stream_set(stream, &(hipMemsetParams){ .dst = to,
	                                                 .elementSize = element,
	                                                 .pitch = pitch,
	                                                 .height = height,
	                                                 .value = value,
	                                                 .width = height ? width : 0 });
}

MXHIP_API hipError_t hipMemset2DAsync(void *to, size_t pitch, int value, size_t width,
                                      size_t height, hipStream_t stream) {
	return set_rows(stream, to, pitch, (unsigned)value, 1, width, height);
}

/* Rows of elements of each width, of HIP 7.1. */
#define SET_ROWS(now, async, value_type, bytes)                                                    \
	MXHIP_API hipError_t async(hipDeviceptr_t to, size_t pitch, value_type value,              \
	                           size_t width, size_t height, hipStream_t stream);               \
	MXHIP_API hipError_t async(hipDeviceptr_t to, size_t pitch, value_type value,              \
	                           size_t width, size_t height, hipStream_t stream) {              \
		return set_rows(stream, to, pitch, (unsigned)value, bytes, width, height);         \
	}                                                                                          \
	MXHIP_API hipError_t now(hipDeviceptr_t to, size_t pitch, value_type value, size_t width,  \
	                         size_t height);                                                   \
	MXHIP_API hipError_t now(hipDeviceptr_t to, size_t pitch, value_type value, size_t width,  \
	                         size_t height) {                                                  \
		return mx_hip_waited(                                                              \
			set_rows(NULL, to, pitch, (unsigned)value, bytes, width, height), NULL,    \
			to, NULL);                                                                 \
	}
SET_ROWS(hipMemsetD2D8, hipMemsetD2D8Async, unsigned char, 1)
SET_ROWS(hipMemsetD2D16, hipMemsetD2D16Async, unsigned short, 2)
SET_ROWS(hipMemsetD2D32, hipMemsetD2D32Async, unsigned, 4)
#undef SET_ROWS

MXHIP_API hipError_t hipMemset2D(void *to, size_t pitch, int value, size_t width, size_t height) {
	return mx_hip_waited(hipMemset2DAsync(to, pitch, value, width, height, NULL), NULL, to,
	                     NULL);
}

/* ---- copies in the order of a stream, and of rows ---- */

MXHIP_API hipError_t hipMemcpyAsync(void *to, const void *from, size_t bytes, hipMemcpyKind kind,
                                    hipStream_t stream) {
	return copy_bytes(stream, to, from, bytes, kind, false);
}

MXHIP_API hipError_t hipMemcpyWithStream(void *to, const void *from, size_t bytes,
                                         hipMemcpyKind kind, hipStream_t stream) {
	return mx_hip_waited(copy_bytes(stream, to, from, bytes, kind, true), stream, to, from);
}

MXHIP_API hipError_t hipMemcpyHtoDAsync(hipDeviceptr_t to, void *from, size_t bytes,
                                        hipStream_t stream) {
	return copy_bytes(stream, (void *)to, from, bytes, hipMemcpyHostToDevice, false);
}

MXHIP_API hipError_t hipMemcpyDtoHAsync(void *to, hipDeviceptr_t from, size_t bytes,
                                        hipStream_t stream) {
	return copy_bytes(stream, to, (const void *)from, bytes, hipMemcpyDeviceToHost, false);
}

MXHIP_API hipError_t hipMemcpyDtoDAsync(hipDeviceptr_t to, hipDeviceptr_t from, size_t bytes,
                                        hipStream_t stream) {
	return copy_bytes(stream, (void *)to, (const void *)from, bytes, hipMemcpyDeviceToDevice,
	                  false);
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
	return mx_hip_waited(
		hipMemcpy2DAsync(to, to_pitch, from, from_pitch, width, height, kind, NULL), NULL,
		to, from);
}

/* ---- boxes ---- */

/* The first byte of a box in pitched memory. */
static hipError_t first_of(const struct hipPitchedPtr *m, const struct hipPos *at,
                           const struct hipExtent *box, char **first) {
	bool rows = box->height > 1 || box->depth > 1;
	if (!m->ptr)
		return mx_hip_return(hipErrorInvalidValue);
	if (rows && m->pitch < box->width)
		return mx_hip_fail(hipErrorInvalidPitchValue, "rows of %zu bytes, pitch %zu",
		                   box->width, m->pitch);
	if ((rows && at->x + box->width > m->pitch) ||
	    (box->depth > 1 && at->y + box->height > m->ysize))
		return mx_hip_fail(hipErrorInvalidValue,
		                   "a box past the end of its rows or planes");
	*first = (char *)m->ptr + (at->z * m->ysize + at->y) * m->pitch + at->x;
	return hipSuccess;
}

hipError_t mx_hip_copy_of_box(const hipMemcpy3DParms *p, struct mx_copy *c) {
	char *to = NULL, *from = NULL;
	if (!p || p->srcArray || p->dstArray) /* there are no arrays */
		return mx_hip_return(hipErrorInvalidValue);
	hipError_t e = first_of(&p->srcPtr, &p->srcPos, &p->extent, &from);
	if (e == hipSuccess)
		e = first_of(&p->dstPtr, &p->dstPos, &p->extent, &to);
	bool empty = !p->extent.width || !p->extent.height || !p->extent.depth;
	*c = (struct mx_copy){
		.to = to,
		.from = from,
		.bytes = empty ? 0 : p->extent.width,
		.rows = empty ? 0 : p->extent.height,
		.planes = p->extent.depth,
		.to_pitch = p->dstPtr.pitch,
		.from_pitch = p->srcPtr.pitch,
		.to_plane = p->dstPtr.pitch * p->dstPtr.ysize,
		.from_plane = p->srcPtr.pitch * p->srcPtr.ysize,
		.kind = p->kind,
	};
	return e;
}

/* One end of a box of the driver API. Without a pitch its rows are packed, and without a height its
 * planes [clr amd::BufferRect::create]. False if the rows are too short, or it is an array. */
static bool pitched(const HIP_MEMCPY3D *d, hipMemoryType type, const void *host,
                    hipDeviceptr_t device, size_t pitch, size_t height, struct hipPitchedPtr *m) {
	if (!pitch)
		pitch = d->WidthInBytes;
	*m = (struct hipPitchedPtr){ type == hipMemoryTypeHost ? (void *)host : (void *)device,
		                     pitch, pitch, height ? height : d->Height };
	bool rows = d->Height > 1 || d->Depth > 1;
	return !(rows && pitch < d->WidthInBytes) &&
	       (type == hipMemoryTypeHost || type == hipMemoryTypeDevice ||
	        type == hipMemoryTypeUnified);
}

hipError_t mx_hip_box_of(const HIP_MEMCPY3D *d, hipMemcpy3DParms *p) {
	*p = (hipMemcpy3DParms){ .kind = hipMemcpyDefault };
	if (!d)
		return mx_hip_return(hipErrorInvalidValue);
	p->srcPos = (struct hipPos){ d->srcXInBytes, d->srcY, d->srcZ };
	p->dstPos = (struct hipPos){ d->dstXInBytes, d->dstY, d->dstZ };
	p->extent = (struct hipExtent){ d->WidthInBytes, d->Height, d->Depth };
	bool good = pitched(d, d->srcMemoryType, d->srcHost, d->srcDevice, d->srcPitch,
	                    d->srcHeight, &p->srcPtr) &&
	            pitched(d, d->dstMemoryType, d->dstHost, d->dstDevice, d->dstPitch,
	                    d->dstHeight, &p->dstPtr);
	return mx_hip_return(good ? hipSuccess : hipErrorInvalidValue);
}

MXHIP_API hipError_t hipMemcpy3DAsync(const struct hipMemcpy3DParms *p, hipStream_t stream) {
	struct mx_copy c;
	hipError_t e = mx_hip_copy_of_box(p, &c);
	return e == hipSuccess ? mx_stream_copy(stream, &c) : e;
}

MXHIP_API hipError_t hipMemcpy3D(const struct hipMemcpy3DParms *p) {
	hipError_t e = hipMemcpy3DAsync(p, NULL);
	return e == hipSuccess ? mx_hip_waited(e, NULL, p->dstPtr.ptr, p->srcPtr.ptr) : e;
}

MXHIP_API hipError_t hipDrvMemcpy3DAsync(const HIP_MEMCPY3D *d, hipStream_t stream) {
	hipMemcpy3DParms p;
	hipError_t e = mx_hip_box_of(d, &p);
	return e == hipSuccess ? hipMemcpy3DAsync(&p, stream) : e;
}

MXHIP_API hipError_t hipDrvMemcpy3D(const HIP_MEMCPY3D *d) {
	hipMemcpy3DParms p;
	hipError_t e = mx_hip_box_of(d, &p);
	return e == hipSuccess ? hipMemcpy3D(&p) : e;
}

/* The same as a box of one plane. */
static HIP_MEMCPY3D box_of_rows(const hip_Memcpy2D *m) {
	return (HIP_MEMCPY3D){ .srcXInBytes = m->srcXInBytes,
		               .srcY = m->srcY,
		               .srcMemoryType = m->srcMemoryType,
		               .srcHost = m->srcHost,
		               .srcDevice = m->srcDevice,
		               .srcPitch = m->srcPitch,
		               .dstXInBytes = m->dstXInBytes,
		               .dstY = m->dstY,
		               .dstMemoryType = m->dstMemoryType,
		               .dstHost = m->dstHost,
		               .dstDevice = m->dstDevice,
		               .dstPitch = m->dstPitch,
		               .WidthInBytes = m->WidthInBytes,
		               .Height = m->Height,
		               .Depth = 1 };
}

MXHIP_API hipError_t hipMemcpyParam2DAsync(const hip_Memcpy2D *m, hipStream_t stream) {
	if (!m)
		return mx_hip_return(hipErrorInvalidValue);
	const HIP_MEMCPY3D d = box_of_rows(m);
	return hipDrvMemcpy3DAsync(&d, stream);
}

MXHIP_API hipError_t hipMemcpyParam2D(const hip_Memcpy2D *m) {
	if (!m)
		return mx_hip_return(hipErrorInvalidValue);
	const HIP_MEMCPY3D d = box_of_rows(m);
	return hipDrvMemcpy3D(&d);
}

MXHIP_API hipError_t hipDrvMemcpy2DUnaligned(const hip_Memcpy2D *m) {
	return hipMemcpyParam2D(m);
}

/* The attributes of a batch are hints. *failed: the first copy that is wrong. */
MXHIP_API hipError_t hipMemcpyBatchAsync(void **to, void **from, size_t *bytes, size_t n,
                                         void *attributes, size_t *indices, size_t n_attributes,
                                         size_t *failed, hipStream_t stream);
MXHIP_API hipError_t hipMemcpyBatchAsync(void **to, void **from, size_t *bytes, size_t n,
                                         void *attributes, size_t *indices, size_t n_attributes,
                                         size_t *failed, hipStream_t stream) {
	(void)attributes, (void)indices, (void)n_attributes;
	if (!to || !from || !bytes || !n)
		return mx_hip_return(hipErrorInvalidValue);
	struct mx_copy *list = calloc(n, sizeof *list);
	if (!list)
		return mx_hip_return(hipErrorOutOfMemory);
	for (size_t i = 0; i < n; i++)
		list[i] = copy_of(to[i], from[i], bytes[i], hipMemcpyDefault);
	hipError_t e = mx_stream_copies(stream, list, n, failed);
	free(list);
	return e;
}

/* hipMemcpy3DBatchOp of HIP 7.1: boxes of bytes. A row or layer of length 0 is as long as the box.
 */
struct batch_end {
	int type; /* hipMemcpy3DOperandType */
	union {
		struct {
			void *at;
			size_t row, layer;
			hipMemLocation hint;
		} pointer;
		struct {
			hipArray_t array;
			size_t offset[3];
		} array;
	};
};

struct batch_box {
	struct batch_end from, to;
	struct hipExtent extent;
	int order; /* hipMemcpySrcAccessOrder */
	unsigned flags;
};

static hipPitchedPtr end_of(const struct batch_box *b, const struct batch_end *e) {
	size_t row = e->pointer.row ? e->pointer.row : b->extent.width;
	size_t layer = e->pointer.layer ? e->pointer.layer : b->extent.height;
	return (hipPitchedPtr){ e->pointer.at, row, row, layer };
}

static hipError_t copy_of_box(const struct batch_box *b, struct mx_copy *c) {
	enum { POINTER = 1, ORDERS = 3 };
	if (b->from.type != POINTER || b->to.type != POINTER || b->order < 1 || b->order > ORDERS)
		return mx_hip_return(hipErrorInvalidValue); /* there are no arrays */
	const hipMemcpy3DParms p = { .srcPtr = end_of(b, &b->from),
		                     .dstPtr = end_of(b, &b->to),
		                     .extent = b->extent,
		                     .kind = hipMemcpyDefault };
	return mx_hip_copy_of_box(&p, c);
}

MXHIP_API hipError_t hipMemcpy3DBatchAsync(size_t n, struct batch_box *list, size_t *failed,
                                           unsigned long long flags, hipStream_t stream);
MXHIP_API hipError_t hipMemcpy3DBatchAsync(size_t n, struct batch_box *list, size_t *failed,
                                           unsigned long long flags, hipStream_t stream) {
	hipError_t e = hipSuccess;
	if (!n || !list || flags)
		return mx_hip_return(hipErrorInvalidValue);
	struct mx_copy *copies = calloc(n, sizeof *copies);
	if (!copies)
		return mx_hip_return(hipErrorOutOfMemory);
	for (size_t i = 0; e == hipSuccess && i < n; i++) {
		e = copy_of_box(&list[i], &copies[i]);
		if (e != hipSuccess && failed)
			*failed = i;
	}
	if (e == hipSuccess)
		e = mx_stream_copies(stream, copies, n, failed);
	free(copies);
	return e;
}

/* hipMemcpy3DPeerParms of HIP 7.1; HIP 5's headers lack it. */
struct peer_box {
	hipArray_t from_array;
	struct hipPos from_at;
	struct hipPitchedPtr from;
	int from_device;
	hipArray_t to_array;
	struct hipPos to_at;
	struct hipPitchedPtr to;
	int to_device;
	struct hipExtent extent;
};

static hipError_t box_of_peers(const struct peer_box *b, hipMemcpy3DParms *p) {
	if (!b)
		return mx_hip_return(hipErrorInvalidValue);
	hipError_t e = mx_device_check(b->from_device);
	if (e == hipSuccess)
		e = mx_device_check(b->to_device);
	*p = (hipMemcpy3DParms){ b->from_array, b->from_at, b->from,   b->to_array,
		                 b->to_at,      b->to,      b->extent, hipMemcpyDeviceToDevice };
	return e;
}

MXHIP_API hipError_t hipMemcpy3DPeerAsync(const struct peer_box *b, hipStream_t stream);
MXHIP_API hipError_t hipMemcpy3DPeerAsync(const struct peer_box *b, hipStream_t stream) {
	hipMemcpy3DParms p;
	hipError_t e = box_of_peers(b, &p);
	return e == hipSuccess ? hipMemcpy3DAsync(&p, stream) : e;
}

MXHIP_API hipError_t hipMemcpy3DPeer(const struct peer_box *b);
MXHIP_API hipError_t hipMemcpy3DPeer(const struct peer_box *b) {
	hipMemcpy3DParms p;
	hipError_t e = box_of_peers(b, &p);
	return e == hipSuccess ? hipMemcpy3D(&p) : e;
}

/* ---- pitched memory of three dimensions ---- */

MXHIP_API hipError_t hipMalloc3D(hipPitchedPtr *p, struct hipExtent extent) {
	if (!p)
		return mx_hip_return(hipErrorInvalidValue);
	p->xsize = extent.width;
	p->ysize = extent.height;
	return hipMallocPitch(&p->ptr, &p->pitch, extent.width, extent.height * extent.depth);
}

/* Planes that do not touch are set one by one. */
MXHIP_API hipError_t hipMemset3DAsync(hipPitchedPtr p, int value, struct hipExtent extent,
                                      hipStream_t stream) {
	hipError_t e = hipSuccess;
	for (size_t z = 0; e == hipSuccess && z < extent.depth; z++)
		e = hipMemset2DAsync((char *)p.ptr + z * p.pitch * p.ysize, p.pitch, value,
		                     extent.width, extent.height, stream);
	return e;
}

MXHIP_API hipError_t hipMemset3D(hipPitchedPtr p, int value, struct hipExtent extent) {
	return mx_hip_waited(hipMemset3DAsync(p, value, extent, NULL), NULL, p.ptr, NULL);
}
