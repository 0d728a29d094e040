/* Functions by name, for programs that ask the runtime for them. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdio.h>
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

/* The function of a name, or NULL; with a default stream of each thread, if it has that form. */
static void *find(const char *name, int version, bool per_thread) {
	char own[128];
	void *library = own_library(), *found = NULL;
	snprintf(own, sizeof own, "%s_spt", name);
	if (library && is_api(name) && per_thread)
		found = dlsym(library, own);
	if (library && is_api(name) && !found)
		found = dlsym(library, name_for(name, version));
	if (library)
		dlclose(library);
	return found;
}

static hipError_t get(const char *name, void **function, int version, int *result,
                      bool per_thread) {
	if (!name || !*name || !function)
		return mx_hip_return(hipErrorInvalidValue);
	*function = find(name, version, per_thread);
	if (result)
		*result = *function ? FOUND : NOT_FOUND;
	return *function ? mx_hip_return(hipSuccess)
	                 : mx_hip_fail(hipErrorInvalidValue, "no function %s", name);
}

/* The flags, hipEnableDefault and so on, choose the default stream, and that of the function's name is
 * the default [clr, hip_device_runtime.cpp; hip-tests, hipGetProcAddress.cc]. */
enum { DEFAULT_STREAM = 0, LEGACY_STREAM = 1, PER_THREAD_STREAM = 2 };

static hipError_t get_by_flags(const char *name, void **function, int version,
                               unsigned long long flags, int *result, unsigned usual) {
	unsigned long long stream = flags == DEFAULT_STREAM ? usual : flags;
	if (stream > PER_THREAD_STREAM)
		return mx_hip_fail(hipErrorInvalidValue, "flags %llu", flags);
	return get(name, function, version, result, stream == PER_THREAD_STREAM);
}

#define FIND(name, usual)                                                                          \
	MXHIP_API hipError_t name(const char *symbol, void **function, int version,                \
	                          uint64_t flags, int *result);                                    \
	MXHIP_API hipError_t name(const char *symbol, void **function, int version,                \
	                          uint64_t flags, int *result) {                                   \
		return get_by_flags(symbol, function, version, flags, result, usual);              \
	}
FIND(hipGetProcAddress, LEGACY_STREAM)
FIND(hipGetProcAddress_spt, PER_THREAD_STREAM)
#undef FIND

/* The same of HIP 7.1, in the version of the library. */
#define FIND(name, usual)                                                                          \
	MXHIP_API hipError_t name(const char *symbol, void **function, unsigned long long flags,   \
	                          int *result);                                                    \
	MXHIP_API hipError_t name(const char *symbol, void **function, unsigned long long flags,   \
	                          int *result) {                                                   \
		return get_by_flags(symbol, function, MX_HIP_VERSION, flags, result, usual);       \
	}
FIND(hipGetDriverEntryPoint, LEGACY_STREAM)
FIND(hipGetDriverEntryPoint_spt, PER_THREAD_STREAM)
#undef FIND
