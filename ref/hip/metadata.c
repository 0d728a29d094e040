/* The kernel metadata of a code object: MessagePack in an ELF note [LLVM "Code Object V3 and
 * Above Metadata"]. */
#include <msgpack.h>
#include <stdlib.h>
#include <string.h>

#include "runtime.h"

static bool is_string(const msgpack_object *o, const char *text) {
	return o->type == MSGPACK_OBJECT_STR && o->via.str.size == strlen(text) &&
	       !memcmp(o->via.str.ptr, text, o->via.str.size);
}

static const msgpack_object *member(const msgpack_object *map, const char *key) {
	for (uint32_t i = 0; map->type == MSGPACK_OBJECT_MAP && i < map->via.map.size; i++)
		if (is_string(&map->via.map.ptr[i].key, key))
			return &map->via.map.ptr[i].val;
	return NULL;
}

static uint32_t number(const msgpack_object *map, const char *key) {
	const msgpack_object *o = member(map, key);
	bool fits = o && o->type == MSGPACK_OBJECT_POSITIVE_INTEGER && o->via.u64 <= UINT32_MAX;
	return fits ? (uint32_t)o->via.u64 : 0;
}

static void text(const msgpack_object *map, const char *key, char *to, size_t room) {
	const msgpack_object *o = member(map, key);
	size_t n = o && o->type == MSGPACK_OBJECT_STR ? o->via.str.size : 0;
	n = n < room ? n : room - 1;
	if (n)
		memcpy(to, o->via.str.ptr, n);
	to[n] = 0;
}

static const msgpack_object_array *array(const msgpack_object *map, const char *key) {
	const msgpack_object *o = member(map, key);
	return o && o->type == MSGPACK_OBJECT_ARRAY ? &o->via.array : NULL;
}

static bool read_args(const msgpack_object *kernel, struct mx_function *f) {
	const msgpack_object_array *args = array(kernel, ".args");
	if (!args || !args->size)
		return true;
	f->args = calloc(args->size, sizeof *f->args);
	if (!f->args)
		return false;
	f->n_args = args->size;
	for (uint32_t i = 0; i < args->size; i++) {
		text(&args->ptr[i], ".value_kind", f->args[i].kind, sizeof f->args[i].kind);
		f->args[i].offset = number(&args->ptr[i], ".offset");
		f->args[i].size = number(&args->ptr[i], ".size");
	}
	return true;
}

static bool flag(const msgpack_object *map, const char *key) {
	const msgpack_object *o = member(map, key);
	return o && ((o->type == MSGPACK_OBJECT_BOOLEAN && o->via.boolean) ||
	             (o->type == MSGPACK_OBJECT_POSITIVE_INTEGER && o->via.u64));
}

static void read_required_size(const msgpack_object *kernel, struct mx_function *f) {
	const msgpack_object_array *size = array(kernel, ".reqd_workgroup_size");
	for (uint32_t i = 0; size && size->size == 3 && i < 3; i++)
		if (size->ptr[i].type == MSGPACK_OBJECT_POSITIVE_INTEGER)
			f->required[i] = (uint32_t)size->ptr[i].via.u64;
}

static hipError_t read_kernel(const msgpack_object *kernel, struct ihipModule_t *m) {
	struct mx_function *f = &m->functions[m->n_functions];
	char name[1024];
	text(kernel, ".name", name, sizeof name);
	if (!name[0])
		return mx_hip_fail(hipErrorInvalidImage, "metadata: a kernel without a name");
	if (number(kernel, ".wavefront_size") != 64)
		return mx_hip_fail(hipErrorInvalidImage, "metadata: kernel %s is not for wave64",
		                   name);
	f->module = m;
	f->kernarg_bytes = number(kernel, ".kernarg_segment_size");
	f->max_workgroup = number(kernel, ".max_flat_workgroup_size");
	f->dynamic_stack = flag(kernel, ".uses_dynamic_stack");
	f->uniform = flag(kernel, ".uniform_work_group_size");
	read_required_size(kernel, f);
	f->name = strdup(name);
	m->n_functions++;
	return f->name && read_args(kernel, f) ? hipSuccess : mx_hip_return(hipErrorOutOfMemory);
}

static hipError_t read_kernels(const msgpack_object *root, struct ihipModule_t *m,
                               char target[64]) {
	const msgpack_object_array *kernels = array(root, "amdhsa.kernels");
	hipError_t e = hipSuccess;
	text(root, "amdhsa.target", target, 64);
	if (!kernels || !kernels->size)
		return hipSuccess;
	if (m->functions)
		return mx_hip_fail(hipErrorInvalidImage, "metadata: two notes");
	m->functions = calloc(kernels->size, sizeof *m->functions);
	if (!m->functions)
		return mx_hip_return(hipErrorOutOfMemory);
	for (uint32_t i = 0; i < kernels->size && e == hipSuccess; i++)
		e = read_kernel(&kernels->ptr[i], m);
	return e;
}

/* ---- what msgpack-c believes ---- */

static uint64_t big_endian(const uint8_t *p, unsigned bytes) {
	uint64_t v = 0;
	for (unsigned i = 0; i < bytes; i++)
		v = v << 8 | p[i];
	return v;
}

/* A head byte: bytes of the count or length behind it, bytes of payload that follow without
 * one, and what is counted: bytes, elements, or pairs of elements [MessagePack specification]. */
struct head {
	uint8_t length, payload, per_bytes, per_elements;
};

static struct head head_of(uint8_t c) {
	static const struct head heads[32] = {
		/* nil to true */ { 0 },
		{ 0 },
		{ 0 },
		{ 0 },
		/* bin */ { 1, 0, 1 },
		{ 2, 0, 1 },
		{ 4, 0, 1 },
		/* ext, with a byte of type */ { 1, 1, 1 },
		{ 2, 1, 1 },
		{ 4, 1, 1 },
		/* float */ { 0, 4 },
		{ 0, 8 },
		/* uint, int */ { 0, 1 },
		{ 0, 2 },
		{ 0, 4 },
		{ 0, 8 },
		{ 0, 1 },
		{ 0, 2 },
		{ 0, 4 },
		{ 0, 8 },
		/* fixext */ { 0, 2 },
		{ 0, 3 },
		{ 0, 5 },
		{ 0, 9 },
		{ 0, 17 },
		/* str */ { 1, 0, 1 },
		{ 2, 0, 1 },
		{ 4, 0, 1 },
		/* array, map */ { 2, 0, 0, 1 },
		{ 4, 0, 0, 1 },
		{ 2, 0, 0, 2 },
		{ 4, 0, 0, 2 },
	};
	return c >= 0xc0 && c < 0xe0 ? heads[c - 0xc0] : (struct head){ 0 };
}

/* Whether every array and map is there in full: msgpack-c allocates what a count asks for
 * before it looks, up to gigabytes for a note of ten bytes. */
static bool counts_are_real(const uint8_t *p, uint64_t left) {
	for (uint64_t elements = 1; elements; elements--) {
		if (elements > left)
			return false;
		uint8_t c = *p++;
		struct head h = head_of(c);
		left--;
		if (left < h.length)
			return false;
		uint64_t n = big_endian(p, h.length), skip = h.payload + n * h.per_bytes;
		elements += n * h.per_elements;
		if (c >= 0x80 && c < 0xa0)
			elements += (c & 15ull) * (c < 0x90 ? 2 : 1);
		else if (c >= 0xa0 && c < 0xc0)
			skip = c & 31;
		if (left - h.length < skip)
			return false;
		p += h.length + skip;
		left -= h.length + skip;
	}
	return true;
}

hipError_t mx_metadata_read(const void *note, size_t bytes, struct ihipModule_t *m,
                            char target[64]) {
	msgpack_unpacked u;
	size_t at = 0;
	msgpack_unpacked_init(&u);
	hipError_t e =
		counts_are_real(note, bytes) &&
				msgpack_unpack_next(&u, note, bytes, &at) == MSGPACK_UNPACK_SUCCESS
			? read_kernels(&u.data, m, target)
			: mx_hip_fail(hipErrorInvalidImage, "metadata note is not MessagePack");
	msgpack_unpacked_destroy(&u);
	return e;
}
