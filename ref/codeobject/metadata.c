/* The kernel metadata of a code object: MessagePack in an ELF note [LLVM "Code Object V3 and
 * Above Metadata"]. */
#include <stdlib.h>
#include <string.h>

#include "elf.h"
#include "note.h"

/* ---- values ---- */

static bool given(const msgpack_object *map, const char *key, uint32_t *n) {
	const msgpack_object *o = mx_note_member(map, key);
	bool fits = o && o->type == MSGPACK_OBJECT_POSITIVE_INTEGER && o->via.u64 <= UINT32_MAX;
	*n = fits ? (uint32_t)o->via.u64 : 0;
	return fits;
}

static uint32_t number(const msgpack_object *map, const char *key) {
	uint32_t n;
	given(map, key, &n);
	return n;
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

static bool flag(const msgpack_object *map, const char *key) {
	const msgpack_object *o = mx_note_member(map, key);
	return o && ((o->type == MSGPACK_OBJECT_BOOLEAN && o->via.boolean) ||
	             (o->type == MSGPACK_OBJECT_POSITIVE_INTEGER && o->via.u64));
}

/* ---- a kernel ---- */

static void read_arg(const msgpack_object *map, struct mx_kernel_arg *a) {
	text(map, ".name", a->name, sizeof a->name);
	text(map, ".value_kind", a->kind, sizeof a->kind);
	a->offset = number(map, ".offset");
	a->size = number(map, ".size");
	a->hidden = !strncmp(a->kind, "hidden_", 7);
}

bool mx_kernel_arg_is_pointer(const struct mx_kernel_arg *a) {
	return !strcmp(a->kind, "global_buffer");
}

bool mx_kernel_arg_is_filling(const struct mx_kernel_arg *a) {
	return !strncmp(a->name, "pad", 3) && !strcmp(a->kind, "by_value");
}

static bool read_args(const msgpack_object *kernel, struct mx_kernel_metadata *k) {
	const msgpack_object_array *args = array(kernel, ".args");
	if (!args || !args->size)
		return true;
	k->args = calloc(args->size, sizeof *k->args);
	if (!k->args)
		return false;
	k->n_args = args->size;
	for (uint32_t i = 0; i < args->size; i++)
		read_arg(&args->ptr[i], &k->args[i]);
	return true;
}

static void read_sizes(const msgpack_object *kernel, const char *name, uint32_t to[3]) {
	const msgpack_object_array *size = array(kernel, name);
	for (uint32_t i = 0; size && size->size == 3 && i < 3; i++)
		if (size->ptr[i].type == MSGPACK_OBJECT_POSITIVE_INTEGER)
			to[i] = (uint32_t)size->ptr[i].via.u64;
}

/* LLVM has 1024 in each dimension for a size that the launch decides [AMDGPU ClusterDimsAttr]. */
static void read_cluster(const msgpack_object *kernel, struct mx_kernel_metadata *k) {
	enum { ANY = 1024 };
	read_sizes(kernel, ".cluster_dims", k->cluster);
	if (k->cluster[0] == ANY && k->cluster[1] == ANY && k->cluster[2] == ANY)
		memset(k->cluster, 0, sizeof k->cluster);
}

static void read_numbers(const msgpack_object *kernel, struct mx_kernel_metadata *k) {
	k->kernarg_bytes = number(kernel, ".kernarg_segment_size");
	k->lds_bytes = number(kernel, ".group_segment_fixed_size");
	k->scratch_bytes = number(kernel, ".private_segment_fixed_size");
	k->wavefront_size = number(kernel, ".wavefront_size");
	k->max_workgroup = number(kernel, ".max_flat_workgroup_size");
	k->sgprs = number(kernel, ".sgpr_count");
	k->vgprs = number(kernel, ".vgpr_count");
	k->agprs = number(kernel, ".agpr_count");
	bool sgprs = given(kernel, ".sgpr_spill_count", &k->sgpr_spills);
	k->has_spills = given(kernel, ".vgpr_spill_count", &k->vgpr_spills) && sgprs;
	k->dynamic_stack = flag(kernel, ".uses_dynamic_stack");
	k->uniform = flag(kernel, ".uniform_work_group_size");
	read_sizes(kernel, ".reqd_workgroup_size", k->required_workgroup);
	read_cluster(kernel, k);
}

static mx_codeobject_status read_kernel(const msgpack_object *kernel, struct mx_kernel_metadata *k,
                                        struct mx_codeobject_error *why) {
	const msgpack_object *name = mx_note_member(kernel, ".name");
	bool is_text = name && name->type == MSGPACK_OBJECT_STR && name->via.str.size;
	if (!is_text || !name->via.str.ptr[0])
		return mx_codeobject_fail(why, MX_CODEOBJECT_INVALID,
		                          "metadata: a kernel without a name");
	read_numbers(kernel, k);
	k->name = strndup(name->via.str.ptr, name->via.str.size);
	return k->name && read_args(kernel, k) ? MX_CODEOBJECT_OK : mx_codeobject_no_memory(why);
}

/* ---- formats of printf ---- */

/* Entries of another form, OpenCL's, are left out. */
static bool read_format(const msgpack_object *o, struct mx_metadata *m) {
	static const char lead[] = "0:0:";
	char *end, *entry = o->type == MSGPACK_OBJECT_STR ? strndup(o->via.str.ptr, o->via.str.size)
	                                                  : strdup("");
	if (!entry)
		return false;
	if (!strncmp(entry, lead, sizeof lead - 1)) {
		uint64_t hash = strtoull(entry + sizeof lead - 1, &end, 16);
		char *text = *end == ',' ? strdup(end + 1) : NULL;
		if (text)
			m->formats[m->n_formats++] = (struct mx_printf_format){ hash, text };
	}
	free(entry);
	return true;
}

static bool read_formats(const msgpack_object *root, struct mx_metadata *m) {
	const msgpack_object_array *list = array(root, "amdhsa.printf");
	if (!list || !list->size || m->formats)
		return true;
	m->formats = calloc(list->size, sizeof *m->formats);
	bool ok = m->formats;
	for (uint32_t i = 0; ok && i < list->size; i++)
		ok = read_format(&list->ptr[i], m);
	return ok;
}

/* ---- a note ---- */

static mx_codeobject_status read_kernels(const msgpack_object *root, struct mx_metadata *m,
                                         struct mx_codeobject_error *why) {
	const msgpack_object_array *kernels = array(root, "amdhsa.kernels");
	mx_codeobject_status status = MX_CODEOBJECT_OK;
	text(root, "amdhsa.target", m->target, sizeof m->target);
	if (!read_formats(root, m))
		return mx_codeobject_no_memory(why);
	if (!kernels || !kernels->size)
		return MX_CODEOBJECT_OK;
	if (m->kernels)
		return mx_codeobject_fail(why, MX_CODEOBJECT_INVALID, "metadata: two notes");
	m->kernels = calloc(kernels->size, sizeof *m->kernels);
	if (!m->kernels)
		return mx_codeobject_no_memory(why);
	m->n_kernels = kernels->size;
	for (uint32_t i = 0; i < kernels->size && !status; i++)
		status = read_kernel(&kernels->ptr[i], &m->kernels[i], why);
	return status;
}

mx_codeobject_status mx_metadata_read(const void *note, size_t bytes, struct mx_metadata *m,
                                      struct mx_codeobject_error *why) {
	msgpack_unpacked u;
	mx_codeobject_status status =
		mx_note_unpack(note, bytes, &u)
			? read_kernels(&u.data, m, why)
			: mx_codeobject_fail(why, MX_CODEOBJECT_INVALID,
	                                     "metadata note is not MessagePack");
	msgpack_unpacked_destroy(&u);
	return status;
}

void mx_metadata_free(struct mx_metadata *m) {
	for (size_t i = 0; i < m->n_kernels; i++) {
		free(m->kernels[i].name);
		free(m->kernels[i].args);
	}
	for (size_t i = 0; i < m->n_formats; i++)
		free(m->formats[i].text);
	free(m->formats);
	free(m->kernels);
	*m = (struct mx_metadata){ 0 };
}

/* ---- the notes of an object ---- */

/* Notes: name size, descriptor size, type, then name and descriptor padded to 4. */
static mx_codeobject_status read_notes(const uint8_t *at, uint64_t left, struct mx_metadata *m,
                                       struct mx_codeobject_error *why) {
	while (left >= 12) {
		uint32_t head[3];
		memcpy(head, at, sizeof head);
		uint64_t name = (head[0] + 3ull) & ~3ull, size = name + ((head[1] + 3ull) & ~3ull);
		if (size > left - 12 || head[1] > left - 12 - name)
			return mx_codeobject_fail(why, MX_CODEOBJECT_INVALID,
			                          "truncated ELF: note");
		if (head[2] == MX_NOTE_METADATA && head[0] == 7 && !memcmp(at + 12, "AMDGPU", 7))
			return mx_metadata_read(at + 12 + name, head[1], m, why);
		at += 12 + size;
		left -= 12 + size;
	}
	return MX_CODEOBJECT_OK;
}

static mx_codeobject_status read_segments(struct mx_codeobject *co, struct mx_metadata *m,
                                          struct mx_codeobject_error *why) {
	GElf_Phdr *list;
	size_t n;
	mx_codeobject_status status = mx_elf_segments(co, PT_NOTE, &list, &n, why);
	for (size_t i = 0; !status && i < n; i++)
		status = read_notes(co->bytes + list[i].p_offset, list[i].p_filesz, m, why);
	free(list);
	return status;
}

static mx_codeobject_status read_sections(struct mx_codeobject *co, struct mx_metadata *m,
                                          struct mx_codeobject_error *why) {
	mx_codeobject_status status = MX_CODEOBJECT_OK;
	GElf_Shdr sh;
	for (Elf_Scn *scn = NULL; !status && mx_elf_next(co, &scn, &sh);) {
		Elf_Data *data = sh.sh_type == SHT_NOTE ? elf_rawdata(scn, NULL) : NULL;
		if (data && data->d_buf)
			status = read_notes(data->d_buf, data->d_size, m, why);
	}
	return status;
}

mx_codeobject_status mx_codeobject_metadata(struct mx_codeobject *co,
                                            const struct mx_metadata **metadata,
                                            struct mx_codeobject_error *why) {
	if (!co->metadata) {
		struct mx_metadata *m = calloc(1, sizeof *m);
		mx_codeobject_status status = !m ? mx_codeobject_no_memory(why)
		                              : co->header.e_type == ET_REL
		                                      ? read_sections(co, m, why)
		                                      : read_segments(co, m, why);
		if (status) {
			if (m)
				mx_metadata_free(m);
			free(m);
			return status;
		}
		co->metadata = m;
	}
	*metadata = co->metadata;
	return MX_CODEOBJECT_OK;
}
