/* Functions by name, for programs that ask the runtime for them. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <string.h>

#include "runtime.h"

/* hipDriverProcAddressQueryResult */
enum { FOUND = 0, NOT_FOUND = 1 };

/* Functions whose form HIP 6 changed: programs of HIP 6 and newer mean the new one. */
static const struct {
	const char *name, *new_name;
} changed[] = {
	{ "hipGetDeviceProperties", "hipGetDevicePropertiesR0600" },
};

static const char *name_for(const char *name, int version) {
	for (size_t i = 0; version >= 60000000 && i < sizeof changed / sizeof *changed; i++)
		if (!strcmp(name, changed[i].name))
			return changed[i].new_name;
	return name;
}

/* This library, however the program has loaded it. */
static void *own_library(void) {
	Dl_info info;
	if (!dladdr((void *)(uintptr_t)hipInit, &info))
		return NULL;
	return dlopen(info.dli_fname, RTLD_NOW | RTLD_NOLOAD);
}

static bool is_api(const char *name) {
	return !strncmp(name, "hip", 3) || !strncmp(name, "__hip", 5);
}

MXHIP_API hipError_t hipGetProcAddress(const char *name, void **function, int version,
                                       uint64_t flags, int *result);
MXHIP_API hipError_t hipGetProcAddress(const char *name, void **function, int version,
                                       uint64_t flags, int *result) {
	(void)flags; /* the default stream is always the legacy one */
	if (!name || !*name || !function)
		return mx_hip_return(hipErrorInvalidValue);
	void *library = own_library();
	*function = library && is_api(name) ? dlsym(library, name_for(name, version)) : NULL;
	if (library)
		dlclose(library);
	if (result)
		*result = *function ? FOUND : NOT_FOUND;
	return *function ? mx_hip_return(hipSuccess)
	                 : mx_hip_fail(hipErrorInvalidValue, "no function %s", name);
}
