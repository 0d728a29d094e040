/* The kernel metadata of a code object: MessagePack in an ELF note [LLVM "Code Object V3 and
 * Above Metadata"]. */
#include <stdlib.h>
#include <string.h>

#include "note.h"
#include "runtime.h"

static uint32_t number(const msgpack_object *map, const char *key) {
	const msgpack_object *o = mx_note_member(map, key);
	bool fits = o && o->type == MSGPACK_OBJECT_POSITIVE_INTEGER && o->via.u64 <= UINT32_MAX;
	return fits ? (uint32_t)o->via.u64 : 0;
}

static void text(const msgpack_object *map, const char *key, char *to, size_t room) {
	const msgpack_object *o = mx_note_member(map, key);
	size_t n = o && o->type == MSGPACK_OBJECT_STR ? o->via.str.size : 0;
	n = n < room ? n : room - 1;
	if (n)
		memcpy(to, o->via.str.ptr, n);
	to[n] = 0;
}

static const msgpack_object_array *array(const msgpack_object *map, const char *key) {
	const msgpack_object *o = mx_note_member(map, key);
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
	const msgpack_object *o = mx_note_member(map, key);
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

hipError_t mx_metadata_read(const void *note, size_t bytes, struct ihipModule_t *m,
                            char target[64]) {
	msgpack_unpacked u;
	hipError_t e =
		mx_note_unpack(note, bytes, &u)
			? read_kernels(&u.data, m, target)
			: mx_hip_fail(hipErrorInvalidImage, "metadata note is not MessagePack");
	msgpack_unpacked_destroy(&u);
	return e;
}
