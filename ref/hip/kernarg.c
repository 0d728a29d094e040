/* The device memory that a launch sets up for its kernel: the kernarg segment with hidden
 * arguments, and, if the kernel requests them, the dispatch packet and the queue. */
#include <stdlib.h>
#include <string.h>

#include "hostcall.h"

/* ---- hidden arguments ---- */

#define HOSTCALL "hidden_hostcall_buffer"
#define PRINTF   "hidden_printf_buffer"
#define HEAP     "hidden_heap_v1"
#define GRID     "hidden_multigrid_sync_arg" /* of a cooperative launch */

unsigned mx_shape_axes(const struct mx_shape *s) {
	return s->grid[2] * s->block[2] > 1 ? 3 : s->grid[1] * s->block[1] > 1 ? 2 : 1;
}

/* Arguments of one axis; their kinds end in _x, _y and _z. A block count counts whole blocks. */
static bool axis_value(const char *kind, const struct mx_shape *s, uint64_t *value) {
	unsigned axis = kind[strlen(kind) - 1] - 'x';
	if (axis > 2)
		return false;
	if (!strncmp(kind, "hidden_block_count_", 19))
		*value = s->grid[axis] - (s->partial[axis] != 0);
	else if (!strncmp(kind, "hidden_group_size_", 18))
		*value = s->block[axis];
	else if (!strncmp(kind, "hidden_remainder_", 17))
		*value = s->partial[axis];
	else if (!strncmp(kind, "hidden_global_offset_", 21))
		*value = 0;
	else
		return false;
	return true;
}

static bool absent_address(const char *kind, uint64_t *value) {
	static const char *const kinds[] = {
#define MX_ABSENT(kind, use) #kind,
#include "../isa/absent.def"
#undef MX_ABSENT
	};
	for (unsigned i = 0; i < MX_ABSENT_BUFFERS; i++)
		if (!strcmp(kind, kinds[i])) {
			*value = MX_ABSENT_BASE + ((uint64_t)i << 32);
			return true;
		}
	return false;
}

static uint64_t address_of(const void *p) {
	return (uint64_t)(uintptr_t)p;
}

/* The value of a hidden argument [LLVM "Code Object V5 Kernel Argument Metadata"]. Arguments that
 * the emulator does not support hold addresses at which an access is a fault with its reason
 * (absent.def). */
static bool hidden_value(const char *kind, const struct mx_shape *s,
                         const struct mx_segment *segment, uint64_t *value) {
	if (!strcmp(kind, "hidden_grid_dims"))
		*value = mx_shape_axes(s);
	else if (!strcmp(kind, "hidden_dynamic_lds_size"))
		*value = s->dynamic_lds;
	else if (!strcmp(kind, GRID))
		*value = address_of(segment->grid);
	else if (!strcmp(kind, HOSTCALL))
		*value = mx_hostcall_address(segment->hostcall);
	else if (!strcmp(kind, PRINTF))
		*value = address_of(segment->printf);
	else if (!strcmp(kind, HEAP))
		*value = mx_device_heap();
	else if (!strcmp(kind, "hidden_private_base"))
		*value = MX_SCRATCH_FLAT_BASE >> 32;
	else if (!strcmp(kind, "hidden_shared_base"))
		*value = MX_LDS_FLAT_BASE >> 32;
	else if (!strcmp(kind, "hidden_queue_ptr"))
		*value = address_of(segment->queue);
	else if (absent_address(kind, value))
		return true;
	else
		return axis_value(kind, s, value);
	return true;
}

/* ---- the kernarg segment ---- */

/* The rest of an argument's dwords counts as written, too: scalar loads read whole dwords, and the
 * code masks the rest. room: a multiple of 4. */
static void put(uint8_t *segment, size_t offset, const void *value, size_t bytes, size_t room) {
	if (offset > room || bytes > room - offset)
		return;
	size_t from = offset & ~(size_t)3, to = (offset + bytes + 3) & ~(size_t)3;
	memcpy(segment + offset, value, bytes);
	mx_hip_mark((uint64_t)(uintptr_t)(segment + from), to - from, MX_WRITTEN);
}

/* The packed form of `extra`: pairs of marker and value, ended by HIP_LAUNCH_PARAM_END. */
static bool packed_arguments(void **extra, const void **bytes, size_t *size) {
	*bytes = NULL;
	*size = 0;
	for (unsigned i = 0; extra && extra[i] != HIP_LAUNCH_PARAM_END; i += 2)
		if (extra[i] == HIP_LAUNCH_PARAM_BUFFER_POINTER)
			*bytes = extra[i + 1];
		else if (extra[i] == HIP_LAUNCH_PARAM_BUFFER_SIZE)
			*size = *(size_t *)extra[i + 1];
		else
			return false;
	return !extra || *bytes || !*size;
}

/* The end of the explicit arguments; hidden arguments follow. */
static size_t explicit_end(const struct mx_function *f) {
	size_t end = 0;
	for (size_t i = 0; i < f->n_args; i++)
		if (!f->args[i].hidden && f->args[i].offset + f->args[i].size > end)
			end = f->args[i].offset + f->args[i].size;
	return end;
}

/* The packed form, if the arguments have that one; else *packed is NULL and *size 0. */
static hipError_t check_arguments(const struct mx_function *f, void **params, void **extra,
                                  const void **packed, size_t *size) {
	if (!packed_arguments(extra, packed, size) || (params && *packed))
		return mx_hip_fail(hipErrorInvalidValue, "malformed kernel arguments");
	if (!params && !*size && explicit_end(f))
		return mx_hip_fail(hipErrorInvalidValue,
		                   "kernel %s takes %zu bytes of arguments, given none", f->name,
		                   explicit_end(f));
	return hipSuccess;
}

/* ---- copies, for later launches ---- */

static hipError_t copy_params(const struct mx_function *f, void **params, struct mx_arguments *to) {
	size_t n = 0;
	to->bytes = calloc(1, explicit_end(f) + 1);
	to->params = calloc(f->n_args + 1, sizeof *to->params);
	if (!to->bytes || !to->params)
		return mx_hip_return(hipErrorOutOfMemory);
	for (size_t i = 0; i < f->n_args; i++) {
		const struct mx_kernel_arg *a = &f->args[i];
		if (a->hidden)
			continue;
		to->params[n] = memcpy(to->bytes + a->offset, params[n], a->size);
		n++;
	}
	return hipSuccess;
}

static hipError_t copy_packed(const void *packed, size_t size, struct mx_arguments *to) {
	to->size = size;
	to->bytes = malloc(size + 1);
	if (!to->bytes)
		return mx_hip_return(hipErrorOutOfMemory);
	if (size)
		memcpy(to->bytes, packed, size);
	return hipSuccess;
}

hipError_t mx_arguments_copy(const struct mx_function *f, void **params, void **extra,
                             struct mx_arguments *to) {
	const void *packed;
	size_t size;
	*to = (struct mx_arguments){ 0 };
	hipError_t e = check_arguments(f, params, extra, &packed, &size);
	if (e == hipSuccess)
		e = params ? copy_params(f, params, to) : copy_packed(packed, size, to);
	if (e != hipSuccess)
		mx_arguments_free(to);
	return e;
}

void mx_arguments_packed(const struct mx_arguments *a, void *extra[5]) {
	void *const packed[5] = { HIP_LAUNCH_PARAM_BUFFER_POINTER, a->bytes,
		                  HIP_LAUNCH_PARAM_BUFFER_SIZE, (void *)&a->size,
		                  HIP_LAUNCH_PARAM_END };
	memcpy(extra, packed, sizeof packed);
}

void mx_arguments_free(struct mx_arguments *a) {
	free(a->bytes);
	free(a->params);
	*a = (struct mx_arguments){ 0 };
}

/* ---- filling ---- */

static void put_arguments(const struct mx_function *f, const struct mx_shape *s, void **params,
                          const struct mx_segment *segment, size_t room) {
	for (size_t i = 0, given = 0; i < f->n_args; i++) {
		const struct mx_kernel_arg *a = &f->args[i];
		uint64_t value;
		if (!a->hidden) {
			if (params)
				put(segment->kernarg, a->offset, params[given++], a->size, room);
		} else if (hidden_value(a->kind, s, segment, &value) && a->size <= 8)
			put(segment->kernarg, a->offset, &value, a->size, room);
	}
}

/* AMD's runtime takes arguments by the kernel's metadata and never compares the size of the buffer.
 * What it lacks is zero here; a kernel that reads it has a note. */
static void put_packed(const void *packed, size_t size, size_t declared, struct mx_segment *segment,
                       size_t room) {
	if (size < declared) {
		segment->given = size;
		segment->declared = declared;
		memset(segment->kernarg, 0, declared);
		mx_hip_mark((uint64_t)(uintptr_t)(segment->kernarg), declared, MX_WRITTEN);
	}
	put(segment->kernarg, 0, packed, size, room);
}

static hipError_t fill_kernarg(const struct mx_function *f, const struct mx_shape *s, void **params,
                               void **extra, struct mx_segment *segment) {
	const void *packed;
	size_t size, room;
	hipError_t e = check_arguments(f, params, extra, &packed, &size);
	if (e != hipSuccess)
		return e;
	room = ((size > f->kernarg_bytes ? size : f->kernarg_bytes) + 16) & ~(size_t)15;
	segment->kernarg = mx_hip_allocate(room, (struct mx_allocation){ .internal = true });
	if (!segment->kernarg)
		return mx_hip_return(hipErrorOutOfMemory);
	put_arguments(f, s, params, segment, room);
	if (packed)
		put_packed(packed, size, explicit_end(f), segment, room);
	return hipSuccess;
}

/* ---- packet, queue and grid ---- */

enum {
	PACKET_BYTES = 64,
	QUEUE_BYTES = 256,
	GRID_BYTES = 48,
	PACKET_HEADER = 0x1502, /* kernel dispatch, barrier, system scopes [HIP's runtime] */
	DISPATCH_PTR = 1 << 1,  /* of KERNEL_CODE_PROPERTIES */
	QUEUE_PTR = 1 << 2,
};

/* hsa_kernel_dispatch_packet_t [HSA Runtime "AQL packet format"]. The completion signal stays
 * unwritten. */
static void fill_packet(uint8_t *p, const struct mx_function *f, const struct mx_shape *s,
                        uint32_t scratch_bytes, const uint8_t *kernarg) {
	uint16_t head[6] = { PACKET_HEADER, (uint16_t)mx_shape_axes(s) };
	uint32_t sizes[5] = { 0, 0, 0, scratch_bytes, f->kernel.lds_bytes + s->dynamic_lds };
	uint64_t addresses[3] = { f->descriptor, (uint64_t)(uintptr_t)kernarg };
	for (unsigned i = 0; i < 3; i++) {
		head[2 + i] = (uint16_t)s->block[i];
		sizes[i] = s->grid[i] * s->block[i] -
		           (s->partial[i] ? s->block[i] - s->partial[i] : 0);
	}
	put(p, 0, head, sizeof head, PACKET_BYTES);
	put(p, 12, sizes, sizeof sizes, PACKET_BYTES);
	put(p, 32, addresses, sizeof addresses, PACKET_BYTES);
}

/* The fields of amd_queue_t that kernels read: the apertures [LLVM "Memory Spaces"]. */
static void fill_queue(uint8_t *q) {
	uint32_t apertures[2] = { MX_LDS_FLAT_BASE >> 32, MX_SCRATCH_FLAT_BASE >> 32 };
	put(q, 0x40, apertures, sizeof apertures, QUEUE_BYTES);
}

/* The barrier of a grid: zeros, and the number of workgroups [ROCm-Device-Libs ockl/src/cg.cl,
 * struct mg_info, of ROCm 7.0]. */
static void fill_grid(uint8_t *g, const struct mx_shape *s) {
	uint32_t groups = s->grid[0] * s->grid[1] * s->grid[2];
	mx_hip_mark(address_of(g), GRID_BYTES, MX_WRITTEN);
	put(g, 40, &groups, sizeof groups, GRID_BYTES);
}

static bool has_argument(const struct mx_function *f, const char *kind) {
	for (size_t i = 0; i < f->n_args; i++)
		if (!strcmp(f->args[i].kind, kind))
			return true;
	return false;
}

static hipError_t allocate(uint8_t **p, size_t bytes) {
	*p = mx_hip_allocate(bytes, (struct mx_allocation){ .internal = true });
	return *p ? hipSuccess : mx_hip_return(hipErrorOutOfMemory);
}

/* What the kernel uses beside its arguments. */
static hipError_t allocate_parts(const struct mx_function *f, const struct mx_shape *s,
                                 struct mx_segment *segment) {
	hipError_t e = hipSuccess;
	if (f->kernel.properties & QUEUE_PTR || has_argument(f, "hidden_queue_ptr"))
		e = allocate(&segment->queue, QUEUE_BYTES);
	if (e == hipSuccess && f->kernel.properties & DISPATCH_PTR)
		e = allocate(&segment->dispatch, PACKET_BYTES);
	if (e == hipSuccess && s->cooperative && has_argument(f, GRID))
		e = allocate(&segment->grid, GRID_BYTES);
	uint64_t groups = (uint64_t)s->grid[0] * s->grid[1] * s->grid[2];
	if (e == hipSuccess && has_argument(f, HOSTCALL) &&
	    !(segment->hostcall = mx_hostcall_new(groups * mx_waves_of(f, s))))
		e = mx_hip_return(hipErrorOutOfMemory);
	if (e == hipSuccess && has_argument(f, PRINTF))
		e = allocate(&segment->printf, MX_PRINTF_BYTES);
	if (segment->printf)
		mx_printf_buffer_begin(segment->printf);
	if (segment->queue)
		fill_queue(segment->queue);
	if (segment->grid)
		fill_grid(segment->grid, s);
	return e;
}

hipError_t mx_segment_new(const struct mx_function *f, const struct mx_shape *s,
                          uint32_t scratch_bytes, void **params, void **extra,
                          struct mx_segment *segment) {
	*segment = (struct mx_segment){ 0 };
	hipError_t e = allocate_parts(f, s, segment);
	if (e == hipSuccess)
		e = fill_kernarg(f, s, params, extra, segment);
	if (e == hipSuccess && segment->dispatch)
		fill_packet(segment->dispatch, f, s, scratch_bytes, segment->kernarg);
	if (e != hipSuccess)
		mx_segment_free(segment);
	return e;
}

void mx_segment_free(struct mx_segment *segment) {
	uint8_t *parts[] = { segment->kernarg, segment->dispatch, segment->queue, segment->grid,
		             segment->printf };
	for (unsigned i = 0; i < sizeof parts / sizeof *parts; i++)
		if (parts[i])
			mx_hip_retire(parts[i]);
	mx_hostcall_free(segment->hostcall);
}
