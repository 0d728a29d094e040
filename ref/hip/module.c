/* Modules: code objects loaded from memory or a file, and lookups by name. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "runtime.h"

MXHIP_API hipError_t hipModuleLoadData(hipModule_t *module, const void *image) {
	if (!module || !image)
		return mx_hip_return(hipErrorInvalidValue);
	return mx_module_load(image, SIZE_MAX, module);
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
		e = mx_module_load(data, bytes, module);
	free(data);
	return e;
}

MXHIP_API hipError_t hipModuleUnload(hipModule_t module) {
	if (!module)
		return mx_hip_return(hipErrorInvalidHandle);
	mx_module_free(module);
	return mx_hip_return(hipSuccess);
}

static void list_functions(hipModule_t module, char *text, size_t room) {
	size_t n = 0;
	snprintf(text, room, "none");
	for (size_t i = 0; i < module->n_functions && n < room; i++)
		n += (size_t)snprintf(text + n, room - n, "%s%s", i ? ", " : "",
		                      module->functions[i].name);
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
	char list[1024];
	list_functions(module, list, sizeof list);
	return mx_hip_fail(hipErrorNotFound, "no kernel %s in the code object; it has: %s", name,
	                   list);
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
