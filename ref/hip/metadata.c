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

hipError_t mx_metadata_read(const void *note, size_t bytes, struct ihipModule_t *m,
                            char target[64]) {
	msgpack_unpacked u;
	size_t at = 0;
	msgpack_unpacked_init(&u);
	hipError_t e =
		msgpack_unpack_next(&u, note, bytes, &at) == MSGPACK_UNPACK_SUCCESS
			? read_kernels(&u.data, m, target)
			: mx_hip_fail(hipErrorInvalidImage, "metadata note is not MessagePack");
	msgpack_unpacked_destroy(&u);
	return e;
}
