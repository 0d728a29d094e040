/* Loading: copies a code object into device memory, decodes its code and collects its kernels. */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../codeobject/codeobject.h"
#include "../num/cpu.h"
#include "queue.h"
#include "stream_races.h"
#include "watch.h"

/* The state of the loader. */
struct loading {
	struct mx_codeobject *co;
	const struct mx_image *image;
	struct ihipModule_t *m;
	struct mx_codeobject_error why;
};

/* A program may say no more than that it found no kernel. */
static hipError_t other_device(const char *why) {
	if (mx_watching())
		mx_watch_refused(why);
	return mx_hip_fail(hipErrorNoBinaryForGpu, "%s", why);
}

static hipError_t failed(const struct loading *l, mx_codeobject_status status) {
	switch (status) {
	case MX_CODEOBJECT_OK: return hipSuccess;
	case MX_CODEOBJECT_NO_MEMORY: return mx_hip_return(hipErrorOutOfMemory);
	case MX_CODEOBJECT_OTHER_DEVICE: return other_device(l->why.text);
	default: return mx_hip_fail(hipErrorInvalidImage, "%s", l->why.text);
	}
}

/* ---- the image ---- */

static void copy_segments(struct loading *l) {
	for (size_t i = 0; i < l->image->n_segments; i++) {
		const struct mx_image_segment *s = &l->image->segments[i];
		memcpy(l->m->image + s->address, s->file, s->file_bytes);
		mx_hip_mark((uint64_t)(uintptr_t)(l->m->image + s->address), s->bytes, MX_WRITTEN);
	}
}

static void relocate(struct loading *l) {
	for (size_t i = 0; i < l->image->n_relocations; i++) {
		const struct mx_image_relocation *r = &l->image->relocations[i];
		uint64_t value = (uint64_t)(uintptr_t)l->m->image + r->value;
		memcpy(l->m->image + r->address, &value, 8);
	}
}

static hipError_t copy_symbols(struct loading *l) {
	struct ihipModule_t *m = l->m;
	m->symbols = calloc(l->image->n_symbols + 1, sizeof *m->symbols);
	for (size_t i = 0; m->symbols && i < l->image->n_symbols; i++) {
		const struct mx_image_symbol *s = &l->image->symbols[i];
		struct mx_symbol *to = &m->symbols[m->n_symbols];
		*to = (struct mx_symbol){ strdup(s->name), s->address, s->size };
		if (!to->name)
			return mx_hip_return(hipErrorOutOfMemory);
		m->n_symbols++;
	}
	return m->symbols ? hipSuccess : mx_hip_return(hipErrorOutOfMemory);
}

/* A managed variable NAME is a pointer to NAME.managed, which has its first value [Clang, CGCUDANV].
 * Those that a program registers get memory that its host code knows (register.c). */
static void point_to_managed(struct ihipModule_t *m) {
	static const char ending[] = ".managed";
	for (size_t i = 0; i < m->n_symbols; i++) {
		const char *name = m->symbols[i].name;
		size_t n = strlen(name);
		if (n < sizeof ending || strcmp(name + n - (sizeof ending - 1), ending) != 0)
			continue;
		n -= sizeof ending - 1;
		uint64_t at = (uint64_t)(uintptr_t)(m->image + m->symbols[i].offset);
		for (size_t j = 0; j < m->n_symbols; j++)
			if (!strncmp(m->symbols[j].name, name, n) && !m->symbols[j].name[n] &&
			    m->symbols[j].size == sizeof at)
				memcpy(m->image + m->symbols[j].offset, &at, sizeof at);
	}
}

static hipError_t map_image(struct loading *l) {
	hipError_t e = failed(l, mx_codeobject_image(l->co, &l->image, &l->why));
	if (e != hipSuccess)
		return e;
	l->m->image_bytes = l->image->bytes;
	l->m->image = mx_hip_allocate(
		l->m->image_bytes,
		(struct mx_allocation){ .kind = MX_DEVICE_MEMORY, .device = l->m->device });
	if (!l->m->image)
		return mx_hip_return(hipErrorOutOfMemory);
	copy_segments(l);
	relocate(l);
	hipError_t copied = copy_symbols(l);
	if (copied == hipSuccess)
		point_to_managed(l->m);
	return copied;
}

/* ---- kernels ---- */

static bool copy_args(struct mx_function *f, const struct mx_kernel_metadata *from) {
	if (!from->n_args)
		return true;
	f->args = malloc(from->n_args * sizeof *f->args);
	if (!f->args)
		return false;
	memcpy(f->args, from->args, from->n_args * sizeof *f->args);
	f->n_args = from->n_args;
	return true;
}

static void take_metadata(struct mx_function *f, const struct mx_kernel_metadata *from) {
	f->kernarg_bytes = from->kernarg_bytes;
	f->max_workgroup = from->max_workgroup;
	memcpy(f->required, from->required_workgroup, sizeof f->required);
	memcpy(f->cluster, from->cluster, sizeof f->cluster);
	f->dynamic_stack = from->dynamic_stack;
	f->uniform = from->uniform;
}

/* The larger of the two argument sizes counts, unless the descriptor's is implausible. */
static void take_descriptor(struct mx_function *f, const struct mx_descriptor *d) {
	f->dynamic_stack |= d->dynamic_stack;
	if (d->kernarg_bytes > f->kernarg_bytes && d->kernarg_bytes < 1 << 20)
		f->kernarg_bytes = d->kernarg_bytes;
	f->kernel = (struct mx_kernel){
		.name = f->name,
		.entry = f->descriptor + (uint64_t)d->entry,
		.lds_bytes = d->lds_bytes,
		.scratch_bytes = d->scratch_bytes,
		.vgprs = d->vgprs,
		.agprs = d->agprs,
		.sgprs = d->sgprs,
		.user_sgprs = d->user_sgprs,
		.preload_dwords = d->preload_dwords,
		.preload_offset = d->preload_offset,
		.properties = d->properties,
		.workgroup_id = { d->workgroup_id[0], d->workgroup_id[1], d->workgroup_id[2] },
		.workgroup_info = d->workgroup_info,
		.tg_split = d->tg_split,
		.work_item_ids = d->work_item_ids,
		.named_barriers = d->named_barriers,
		.mode = d->mode,
		.unsupported = d->unsupported,
	};
}

static hipError_t add_function(struct loading *l, const struct mx_codeobject_kernel *k) {
	struct mx_function *f = &l->m->functions[l->m->n_functions];
	unsigned wave = mx_isa_wave_size(mx_isa_by_name(mx_codeobject_isa(l->co)));
	if (k->metadata->wavefront_size != wave)
		return mx_hip_fail(hipErrorInvalidImage, "metadata: kernel %s is not for wave%u",
		                   k->name, wave);
	if (!k->descriptor || !k->exported)
		return mx_hip_fail(hipErrorInvalidImage, "no kernel descriptor %s.kd", k->name);
	l->m->n_functions++;
	f->module = l->m;
	f->wave_size = wave;
	f->name = strdup(k->name);
	if (!f->name || !copy_args(f, k->metadata) || !mx_handle_add(MX_FUNCTION, f))
		return mx_hip_return(hipErrorOutOfMemory);
	f->descriptor = (uint64_t)(uintptr_t)l->m->image + k->descriptor_address;
	take_metadata(f, k->metadata);
	take_descriptor(f, k->descriptor);
	return hipSuccess;
}

static hipError_t add_functions(struct loading *l) {
	const struct mx_codeobject_kernels *list;
	hipError_t e = failed(l, mx_codeobject_kernels(l->co, &list, &l->why));
	if (e != hipSuccess)
		return e;
	l->m->functions = calloc(list->n + 1, sizeof *l->m->functions);
	if (!l->m->functions)
		return mx_hip_return(hipErrorOutOfMemory);
	for (size_t i = 0; i < list->n && e == hipSuccess; i++)
		if (list->kernel[i].metadata)
			e = add_function(l, &list->kernel[i]);
	return e;
}

static hipError_t copy_formats(struct loading *l) {
	const struct mx_metadata *from;
	hipError_t e = failed(l, mx_codeobject_metadata(l->co, &from, &l->why));
	if (e != hipSuccess)
		return e;
	l->m->formats = calloc(from->n_formats + 1, sizeof *l->m->formats);
	for (size_t i = 0; l->m->formats && i < from->n_formats; i++) {
		struct mx_printf_format *to = &l->m->formats[l->m->n_formats];
		*to = (struct mx_printf_format){ from->formats[i].hash,
			                         strdup(from->formats[i].text) };
		if (!to->text)
			return mx_hip_return(hipErrorOutOfMemory);
		l->m->n_formats++;
	}
	return l->m->formats ? hipSuccess : mx_hip_return(hipErrorOutOfMemory);
}

/* ---- modules ---- */

static hipError_t load(struct loading *l) {
	hipError_t e = failed(l, mx_codeobject_check(l->co, &l->why));
	if (e == hipSuccess)
		e = map_image(l);
	if (e == hipSuccess)
		e = add_functions(l);
	if (e == hipSuccess)
		e = copy_formats(l);
	if (e != hipSuccess)
		return e;
	const uint8_t *code = l->m->image + l->image->code;
	l->m->program = mx_program_new(mx_isa_by_name(mx_codeobject_isa(l->co)), code,
	                               l->image->code_bytes, (uint64_t)(uintptr_t)code);
	return mx_hip_return(l->m->program ? hipSuccess : hipErrorOutOfMemory);
}

/* What no call can return: variables that name nothing. */
static void check_environment(void) {
	const char *arch = getenv("MXHIP_ARCH");
	char why[256];
	mx_hip_check_environment();
	if (!mx_cpu_check(why, sizeof why))
		fprintf(stderr, "libmxhip: ignored: %s\n", why);
	if (arch && !mx_architecture_by_name(arch))
		fprintf(stderr, "libmxhip: ignored: MXHIP_ARCH: the emulator has no %s\n", arch);
}

hipError_t mx_module_load(const void *image, size_t bytes, int device,
                          struct ihipModule_t **module) {
	static pthread_once_t once = PTHREAD_ONCE_INIT;
	pthread_once(&once, check_environment);
	struct loading l = { .m = calloc(1, sizeof *l.m) };
	hipError_t e = l.m ? failed(&l, mx_codeobject_open(image, bytes, &l.co, &l.why))
	                   : mx_hip_return(hipErrorOutOfMemory);
	if (e == hipSuccess) {
		l.m->device = device;
		e = load(&l);
	}
	if (e == hipSuccess) {
		size_t n;
		const void *elf = mx_codeobject_bytes(l.co, &n);
		mx_watch_keep(l.m, elf, n);
	}
	mx_codeobject_close(l.co);
	if (e == hipSuccess)
		*module = l.m;
	else
		mx_module_free(l.m);
	return e;
}

void mx_module_free(struct ihipModule_t *m) {
	if (!m)
		return;
	mx_queue_drain(NULL);
	for (size_t i = 0; i < m->n_functions; i++) {
		mx_handle_remove(MX_FUNCTION, &m->functions[i]);
		free(m->functions[i].name);
		free(m->functions[i].args);
	}
	for (size_t i = 0; i < m->n_symbols; i++)
		free(m->symbols[i].name);
	for (size_t i = 0; i < m->n_formats; i++)
		free(m->formats[i].text);
	free(m->formats);
	free(m->functions);
	free(m->symbols);
	free(m->elf);
	free(m->loaded);
	mx_program_free(m->program);
	if (m->image)
		mx_races_end_memory(m->image, m->image_bytes);
	if (m->image)
		mx_hip_release(m->image);
	free(m);
}
