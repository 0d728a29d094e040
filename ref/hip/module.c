/* Modules and launches. */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "runtime.h"

/* ---- loading ---- */

/* The ELF's own extent, since hipModuleLoadData is given no size: the end of its section
 * header table, which the linkers in use write last. */
static size_t elf_extent(const uint8_t *p) {
	uint64_t shoff;
	uint16_t shentsize, shnum;
	memcpy(&shoff, p + 40, 8);
	memcpy(&shentsize, p + 58, 2);
	memcpy(&shnum, p + 60, 2);
	return shoff + (uint64_t)shentsize * shnum;
}

MXHIP_API hipError_t hipModuleLoadData(hipModule_t *module, const void *image) {
	if (!module || !image)
		return mx_hip_return(hipErrorInvalidValue);
	if (memcmp(image, "\177ELF\2\1", 6))
		return mx_hip_fail(hipErrorInvalidImage, "not a 64-bit little-endian ELF file");
	return mx_codeobject_load(image, elf_extent(image), module);
}

MXHIP_API hipError_t hipModuleLoadDataEx(hipModule_t *module, const void *image, unsigned n,
                                         hipJitOption *options, void **values) {
	(void)n, (void)options, (void)values;
	return hipModuleLoadData(module, image);
}

static hipError_t read_file(FILE *f, uint8_t **data, size_t *bytes) {
	size_t room = 0, n = 0;
	*data = NULL;
	do {
		room = room ? 2 * room : 1 << 16;
		uint8_t *grown = realloc(*data, room);
		if (!grown)
			return mx_hip_return(hipErrorOutOfMemory);
		*data = grown;
		n += fread(*data + n, 1, room - n, f);
	} while (n == room);
	*bytes = n;
	return ferror(f) ? mx_hip_fail(hipErrorFileNotFound, "read error") : hipSuccess;
}

MXHIP_API hipError_t hipModuleLoad(hipModule_t *module, const char *path) {
	uint8_t *data = NULL;
	size_t bytes = 0;
	if (!module || !path)
		return mx_hip_return(hipErrorInvalidValue);
	FILE *f = fopen(path, "rb");
	if (!f)
		return mx_hip_fail(hipErrorFileNotFound, "cannot open %s", path);
	hipError_t e = read_file(f, &data, &bytes);
	fclose(f);
	if (e == hipSuccess)
		e = mx_codeobject_load(data, bytes, module);
	free(data);
	return e;
}

MXHIP_API hipError_t hipModuleUnload(hipModule_t module) {
	if (!module)
		return mx_hip_return(hipErrorInvalidHandle);
	mx_codeobject_free(module);
	return mx_hip_return(hipSuccess);
}

MXHIP_API hipError_t hipModuleGetFunction(hipFunction_t *function, hipModule_t module,
                                          const char *name) {
	if (!function || !module || !name)
		return mx_hip_return(hipErrorInvalidValue);
	for (size_t i = 0; i < module->n_functions; i++)
		if (!strcmp(module->functions[i].name, name)) {
			*function = (hipFunction_t)&module->functions[i];
			return mx_hip_return(hipSuccess);
		}
	return mx_hip_fail(hipErrorNotFound, "no kernel %s in the code object", name);
}

MXHIP_API hipError_t hipModuleGetGlobal(hipDeviceptr_t *p, size_t *bytes, hipModule_t module,
                                        const char *name) {
	if (!p || !bytes || !module || !name)
		return mx_hip_return(hipErrorInvalidValue);
	for (size_t i = 0; i < module->n_symbols; i++)
		if (!strcmp(module->symbols[i].name, name)) {
			*p = module->image + module->symbols[i].offset;
			*bytes = module->symbols[i].size;
			return mx_hip_return(hipSuccess);
		}
	return mx_hip_fail(hipErrorNotFound, "no symbol %s in the code object", name);
}

/* ---- the kernarg segment ---- */

struct launch_shape {
	uint32_t grid[3], block[3], dynamic_lds;
};

static bool is_hidden(const struct mx_arg *a) {
	return !strncmp(a->kind, "hidden_", 7);
}

/* The value of a hidden argument [LLVM "Code Object V5 Kernel Argument Metadata"]. What the
 * emulator has nothing for stays unwritten, so that its use is reported. */
static bool hidden_value(const char *kind, const struct launch_shape *s, uint64_t *value) {
	size_t last = strlen(kind) - 1;
	unsigned axis = kind[last] - 'x';
	if (!strcmp(kind, "hidden_grid_dims"))
		*value = s->grid[2] * s->block[2] > 1 ? 3 : s->grid[1] * s->block[1] > 1 ? 2 : 1;
	else if (!strcmp(kind, "hidden_dynamic_lds_size"))
		*value = s->dynamic_lds;
	else if (axis > 2)
		return false;
	else if (!strncmp(kind, "hidden_block_count_", 19))
		*value = s->grid[axis];
	else if (!strncmp(kind, "hidden_group_size_", 18))
		*value = s->block[axis];
	else if (!strncmp(kind, "hidden_remainder_", 17) ||
	         !strncmp(kind, "hidden_global_offset_", 21))
		*value = 0;
	else
		return false;
	return true;
}

/* The rest of an argument's dwords counts as written too: scalar loads take whole dwords, and
 * code masks what it does not want. room: a multiple of 4. */
static void put(uint8_t *segment, size_t offset, const void *value, size_t bytes, size_t room) {
	if (offset > room || bytes > room - offset)
		return;
	size_t from = offset & ~(size_t)3, to = (offset + bytes + 3) & ~(size_t)3;
	memcpy(segment + offset, value, bytes);
	mxhipMark(segment + from, to - from, MX_WRITTEN);
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

/* The end of what the host passes; hidden arguments come behind it. */
static size_t explicit_end(const struct mx_function *f) {
	size_t end = 0;
	for (size_t i = 0; i < f->n_args; i++)
		if (!is_hidden(&f->args[i]) && f->args[i].offset + f->args[i].size > end)
			end = f->args[i].offset + f->args[i].size;
	return end;
}

static hipError_t fill_kernarg(const struct mx_function *f, const struct launch_shape *s,
                               void **params, void **extra, uint8_t **segment) {
	const void *packed;
	size_t size, room;
	if (!packed_arguments(extra, &packed, &size) || (params && packed))
		return mx_hip_fail(hipErrorInvalidValue, "malformed kernel arguments");
	if (!params && size < explicit_end(f))
		return mx_hip_fail(hipErrorInvalidValue,
		                   "kernel %s takes %zu bytes of arguments, given %zu", f->name,
		                   explicit_end(f), size);
	room = ((size > f->kernarg_bytes ? size : f->kernarg_bytes) + 16) & ~(size_t)15;
	*segment = mx_hip_allocate(room);
	if (!*segment)
		return mx_hip_return(hipErrorOutOfMemory);
	for (size_t i = 0, given = 0; i < f->n_args; i++) {
		const struct mx_arg *a = &f->args[i];
		uint64_t value;
		if (!is_hidden(a)) {
			if (params)
				put(*segment, a->offset, params[given++], a->size, room);
		} else if (hidden_value(a->kind, s, &value) && a->size <= 8)
			put(*segment, a->offset, &value, a->size, room);
	}
	if (packed)
		put(*segment, 0, packed, size, room);
	return hipSuccess;
}

/* ---- launching ---- */

static _Thread_local uint64_t seed;
static _Thread_local const mx_profile *profile;
static _Thread_local struct mx_report report;
static _Thread_local const struct mx_observer *observer;

/* A thread's report is freed with the thread. */
static pthread_key_t report_key;
static pthread_once_t report_once = PTHREAD_ONCE_INIT;

static void free_report(void *r) {
	mx_report_free(r);
}

static void make_report_key(void) {
	pthread_key_create(&report_key, free_report);
}

void mxhipSetSeed(uint64_t s) {
	seed = s;
}

bool mxhipSetProfile(const char *name) {
	const mx_profile *p = mx_profile_by_name(name);
	if (p)
		profile = p;
	return p != NULL;
}

void mxhipSetObserver(const struct mx_observer *o) {
	observer = o;
}

const struct mx_report *mxhipReport(void) {
	return &report;
}

size_t mxhipOpCount(void) {
	return mx_op_count();
}

const char *mxhipOpName(size_t i) {
	return mx_op_name(i);
}

const char *mxhipFindingName(mx_finding_kind k) {
	return mx_finding_name(k);
}

static hipError_t check_shape(const struct mx_function *f, const struct launch_shape *s) {
	uint64_t threads = (uint64_t)s->block[0] * s->block[1] * s->block[2];
	for (unsigned i = 0; i < 3; i++)
		if (!s->grid[i] || !s->block[i] || (uint64_t)s->grid[i] * s->block[i] > UINT32_MAX)
			return mx_hip_fail(hipErrorInvalidConfiguration,
			                   "grid %u x block %u in dimension %u", s->grid[i],
			                   s->block[i], i);
	if (s->block[0] > 1024 || s->block[1] > 1024 || s->block[2] > 1024 ||
	    threads > (f->max_workgroup ? f->max_workgroup : 1024))
		return mx_hip_fail(hipErrorInvalidConfiguration,
		                   "workgroup of %llu work-items, kernel %s allows %u",
		                   (unsigned long long)threads, f->name, f->max_workgroup);
	if ((uint64_t)f->kernel.lds_bytes + s->dynamic_lds > MX_HIP_LDS_BYTES)
		return mx_hip_fail(
			hipErrorInvalidConfiguration,
			"%u bytes of dynamic LDS beside %u of kernel %s, the device has %u",
			s->dynamic_lds, f->kernel.lds_bytes, f->name, MX_HIP_LDS_BYTES);
	return hipSuccess;
}

static hipError_t outcome(void) {
	if (!report.stopped)
		return hipSuccess;
	for (size_t i = 0; i < report.n_findings; i++)
		switch (report.findings[i].kind) {
		case MX_FAULT: return hipErrorIllegalAddress;
		case MX_STUCK: return hipErrorLaunchTimeOut;
		case MX_UNSUPPORTED: return hipErrorNotSupported;
		default: break;
		}
	return hipErrorLaunchFailure;
}

static hipError_t run(const struct mx_function *f, const struct launch_shape *s, uint64_t kernarg) {
	struct mx_launch launch = {
		.observer = observer,
		.program = f->module->program,
		.kernel = &f->kernel,
		.grid = { s->grid[0], s->grid[1], s->grid[2] },
		.block = { s->block[0], s->block[1], s->block[2] },
		.dynamic_lds = s->dynamic_lds,
		.kernarg = kernarg,
		.seed = seed,
		.profile = profile ? profile : mx_profile_at(0),
	};
	if (!mx_hip_snapshot(&launch.memory))
		return mx_hip_return(hipErrorOutOfMemory);
	pthread_once(&report_once, make_report_key);
	pthread_setspecific(report_key, &report);
	mx_report_free(&report);
	bool ok = mx_launch_run(&launch, &report);
	free((void *)launch.memory.regions);
	if (!ok)
		return mx_hip_return(hipErrorOutOfMemory);
	mx_hip_defer(outcome());
	return mx_hip_return(hipSuccess);
}

MXHIP_API hipError_t hipModuleLaunchKernel(hipFunction_t function, unsigned gx, unsigned gy,
                                           unsigned gz, unsigned bx, unsigned by, unsigned bz,
                                           unsigned lds, hipStream_t stream, void **params,
                                           void **extra) {
	const struct mx_function *f = (const struct mx_function *)function;
	struct launch_shape s = { { gx, gy, gz }, { bx, by, bz }, lds };
	uint8_t *segment;
	(void)stream;
	if (!f)
		return mx_hip_return(hipErrorInvalidHandle);
	hipError_t e = check_shape(f, &s);
	if (e == hipSuccess)
		e = fill_kernarg(f, &s, params, extra, &segment);
	if (e != hipSuccess)
		return e;
	e = run(f, &s, (uint64_t)(uintptr_t)segment);
	mx_hip_release(segment);
	return e;
}
