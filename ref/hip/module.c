/* Modules: code objects loaded from memory or a file, and lookups by name. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "runtime.h"

/* Loads a module that the program unloads. */
static hipError_t load(const void *image, size_t bytes, hipModule_t *module) {
	struct ihipModule_t *m;
	hipError_t e = mx_module_load(image, bytes, mx_device(), &m);
	if (e == hipSuccess && !mx_handle_add(MX_MODULE, m)) {
		mx_module_free(m);
		e = mx_hip_return(hipErrorOutOfMemory);
	}
	if (e == hipSuccess)
		*module = m;
	return e;
}

MXHIP_API hipError_t hipModuleLoadData(hipModule_t *module, const void *image) {
	if (!module || !image)
		return mx_hip_return(hipErrorInvalidValue);
	return load(image, SIZE_MAX, module);
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
	if (!module || !path || !*path)
		return mx_hip_return(hipErrorInvalidValue);
	FILE *f = fopen(path, "rb");
	if (!f)
		return mx_hip_fail(hipErrorFileNotFound, "cannot open %s", path);
	hipError_t e = read_file(f, &data, &bytes);
	fclose(f);
	if (e == hipSuccess)
		e = load(data, bytes, module);
	free(data);
	return e;
}

MXHIP_API hipError_t hipModuleUnload(hipModule_t module) {
	if (!module)
		return mx_hip_return(hipErrorInvalidHandle);
	if (!mx_handle_remove(MX_MODULE, module))
		return mx_hip_return(hipErrorNotFound); /* AMD's too, of a module unloaded before */
	mx_module_free(module);
	return mx_hip_return(hipSuccess);
}

static void list_functions(const struct ihipModule_t *module, char *text, size_t room) {
	size_t n = 0;
	snprintf(text, room, "none");
	for (size_t i = 0; i < module->n_functions && n < room; i++)
		n += (size_t)snprintf(text + n, room - n, "%s%s", i ? ", " : "",
		                      module->functions[i].name);
}

hipError_t mx_module_function(const struct ihipModule_t *m, const char *name,
                              const struct mx_function **f) {
	char list[1024];
	for (size_t i = 0; i < m->n_functions; i++)
		if (!strcmp(m->functions[i].name, name)) {
			*f = &m->functions[i];
			return mx_hip_return(hipSuccess);
		}
	list_functions(m, list, sizeof list);
	return mx_hip_fail(hipErrorNotFound, "no kernel %s in the code object; it has: %s", name,
	                   list);
}

hipError_t mx_module_variable(const struct ihipModule_t *m, const char *name, uint8_t **address,
                              size_t *bytes) {
	for (size_t i = 0; i < m->n_symbols; i++)
		if (!strcmp(m->symbols[i].name, name)) {
			*address = m->image + m->symbols[i].offset;
			*bytes = m->symbols[i].size;
			return mx_hip_return(hipSuccess);
		}
	return mx_hip_fail(hipErrorNotFound, "no symbol %s in the code object", name);
}

hipError_t mx_function_check(const struct mx_function *f) {
	if (mx_handle_is(MX_FUNCTION, f))
		return hipSuccess;
	return mx_hip_fail(hipErrorInvalidHandle, "%p is not a kernel of a loaded module",
	                   (const void *)f);
}

static hipError_t check_module(hipModule_t module) {
	if (mx_handle_is(MX_MODULE, module))
		return hipSuccess;
	return mx_hip_fail(hipErrorInvalidHandle, "%p is not a loaded module", (void *)module);
}

MXHIP_API hipError_t hipModuleGetFunction(hipFunction_t *function, hipModule_t module,
                                          const char *name) {
	const struct mx_function *f = NULL;
	if (!function || !name)
		return mx_hip_return(hipErrorInvalidValue);
	hipError_t e = check_module(module);
	if (e == hipSuccess)
		e = mx_module_function(module, name, &f);
	if (e == hipSuccess)
		*function = (hipFunction_t)f;
	return e;
}

/* A managed variable NAME, which the code reads through a pointer of that name, is at NAME.managed
 * [Clang, CGCUDANV]. NULL if there is none. */
static uint8_t *managed_variable(const struct ihipModule_t *m, const char *name, size_t *bytes) {
	size_t n = strlen(name);
	for (size_t i = 0; i < m->n_symbols; i++)
		if (!strncmp(m->symbols[i].name, name, n) &&
		    !strcmp(m->symbols[i].name + n, ".managed")) {
			*bytes = m->symbols[i].size;
			return m->image + m->symbols[i].offset;
		}
	return NULL;
}

/* HIP allows either result to be NULL. */
MXHIP_API hipError_t hipModuleGetGlobal(hipDeviceptr_t *p, size_t *bytes, hipModule_t module,
                                        const char *name) {
	uint8_t *address = NULL;
	size_t size = 0;
	if ((!p && !bytes) || !name)
		return mx_hip_return(hipErrorInvalidValue);
	hipError_t e = check_module(module);
	if (e == hipSuccess && !(address = managed_variable(module, name, &size)))
		e = mx_module_variable(module, name, &address, &size);
	if (e == hipSuccess && p)
		*p = address;
	if (e == hipSuccess && bytes)
		*bytes = size;
	return e;
}

MXHIP_API hipError_t hipModuleGetFunctionCount(unsigned *n, hipModule_t module);
MXHIP_API hipError_t hipModuleGetFunctionCount(unsigned *n, hipModule_t module) {
	if (!n)
		return mx_hip_return(hipErrorInvalidValue);
	hipError_t e = check_module(module);
	if (e == hipSuccess)
		*n = (unsigned)module->n_functions;
	return e;
}

MXHIP_API hipError_t hipModuleLoadFatBinary(hipModule_t *module, const void *image);
MXHIP_API hipError_t hipModuleLoadFatBinary(hipModule_t *module, const void *image) {
	return hipModuleLoadData(module, image);
}

/* The name of a kernel, for tracers; NULL if there is none. */
MXHIP_API const char *hipKernelNameRef(const hipFunction_t function) {
	const struct mx_function *f = (const struct mx_function *)function;
	return mx_function_check(f) == hipSuccess ? f->name : NULL;
}

MXHIP_API const char *hipKernelNameRefByPtr(const void *host, hipStream_t stream) {
	const struct mx_function *f;
	return mx_function_of(host, mx_stream_device(stream), &f) == hipSuccess ? f->name : NULL;
}
