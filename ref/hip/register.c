/* Fat binaries that a host program built by hipcc registers before main: kernels and variables by
 * host symbol [Clang's HIP host code]. Code is loaded at its first use. */
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "runtime.h"

enum {
	WRAPPER_MAGIC = 0x48495046, /* "HIPF" */
	MOST_ARGUMENTS = 4096,      /* bytes */
};

struct wrapper {
	uint32_t magic, version;
	const void *image;
	void *unused;
};

/* A registered host symbol of a binary; of a managed variable its memory. */
struct symbol {
	const void *host;
	char *name;
	size_t bytes;
	struct symbol *next;
};

struct binary {
	const void *image;
	struct ihipModule_t *modules[MX_MOST_DEVICES]; /* NULL: not loaded yet */
	struct symbol *kernels, *variables, *managed;
	struct binary *next;
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct binary *binaries;

/* ---- called by the program's constructors ---- */

MXHIP_API void **__hipRegisterFatBinary(const void *data);
MXHIP_API void **__hipRegisterFatBinary(const void *data) {
	const struct wrapper *w = data;
	struct binary *b = calloc(1, sizeof *b);
	if (!b || !w || w->magic != WRAPPER_MAGIC) {
		free(b);
		return NULL;
	}
	b->image = w->image;
	pthread_mutex_lock(&lock);
	b->next = binaries;
	binaries = b;
	pthread_mutex_unlock(&lock);
	return (void **)b;
}

static void add_symbol(struct symbol **list, const void *host, const char *name, size_t bytes) {
	struct symbol *s = calloc(1, sizeof *s);
	if (!s || !(s->name = strdup(name))) {
		free(s);
		return;
	}
	s->host = host;
	s->bytes = bytes;
	pthread_mutex_lock(&lock);
	s->next = *list;
	*list = s;
	pthread_mutex_unlock(&lock);
}

MXHIP_API void __hipRegisterFunction(void **binary, const void *host, char *device_name,
                                     const char *name, unsigned threads, void *tid, void *bid,
                                     dim3 *block, dim3 *grid, int *wave);
MXHIP_API void __hipRegisterFunction(void **binary, const void *host, char *device_name,
                                     const char *name, unsigned threads, void *tid, void *bid,
                                     dim3 *block, dim3 *grid, int *wave) {
	(void)device_name, (void)threads, (void)tid, (void)bid, (void)block, (void)grid, (void)wave;
	if (binary)
		add_symbol(&((struct binary *)binary)->kernels, host, name, 0);
}

MXHIP_API void __hipRegisterVar(void **binary, void *host, char *host_name, const char *name,
                                int external, size_t size, int constant, int global);
MXHIP_API void __hipRegisterVar(void **binary, void *host, char *host_name, const char *name,
                                int external, size_t size, int constant, int global) {
	(void)host_name, (void)external, (void)constant, (void)global;
	if (binary)
		add_symbol(&((struct binary *)binary)->variables, host, name, size);
}

/* A managed variable is memory that host and device share. Its name is that of a pointer to it, on
 * either side [Clang, CGCUDANV]: *host is set now, that of the device when its code is loaded. */
MXHIP_API void __hipRegisterManagedVar(void *binary, void **host, void *initial, const char *name,
                                       size_t size, unsigned align);
MXHIP_API void __hipRegisterManagedVar(void *binary, void **host, void *initial, const char *name,
                                       size_t size, unsigned align) {
	const struct mx_allocation of = { .kind = MX_MANAGED_MEMORY, .flags = hipMemAttachGlobal };
	void *p = binary ? mx_hip_allocate(size, of) : NULL;
	(void)align; /* memory begins at a page */
	if (!p)
		return;
	memcpy(p, initial, size);
	mx_hip_mark((uint64_t)(uintptr_t)p, size, MX_WRITTEN);
	*host = p;
	add_symbol(&((struct binary *)binary)->managed, p, name, size);
}

/* References to textures and surfaces. There are no calls that bind one: gfx950 has no images. */
MXHIP_API void __hipRegisterTexture(void **binary, void *host, char *host_name, const char *name,
                                    int type, int normalised, int external);
MXHIP_API void __hipRegisterTexture(void **binary, void *host, char *host_name, const char *name,
                                    int type, int normalised, int external) {
	(void)binary, (void)host, (void)host_name, (void)name;
	(void)type, (void)normalised, (void)external;
}

MXHIP_API void __hipRegisterSurface(void **binary, void *host, char *host_name, const char *name,
                                    int type, int external);
MXHIP_API void __hipRegisterSurface(void **binary, void *host, char *host_name, const char *name,
                                    int type, int external) {
	(void)binary, (void)host, (void)host_name, (void)name, (void)type, (void)external;
}

static void free_symbols(struct symbol *s) {
	while (s) {
		struct symbol *next = s->next;
		free(s->name);
		free(s);
		s = next;
	}
}

MXHIP_API void __hipUnregisterFatBinary(void **binary);
MXHIP_API void __hipUnregisterFatBinary(void **binary) {
	struct binary *b = (struct binary *)binary;
	if (!b)
		return;
	pthread_mutex_lock(&lock);
	for (struct binary **p = &binaries; *p; p = &(*p)->next)
		if (*p == b) {
			*p = b->next;
			break;
		}
	pthread_mutex_unlock(&lock);
	free_symbols(b->kernels);
	free_symbols(b->variables);
	for (struct symbol *s = b->managed; s; s = s->next)
		mx_hip_release((void *)s->host);
	free_symbols(b->managed);
	for (unsigned i = 0; i < MX_MOST_DEVICES; i++)
		mx_module_free(b->modules[i]);
	free(b);
}

/* ---- <<<grid, block>>>: pushed by the caller, popped by the kernel's stub ---- */

struct configuration {
	dim3 grid, block;
	size_t lds;
	hipStream_t stream;
	uint8_t *arguments; /* of hipSetupArgument */
	size_t bytes;
};

static _Thread_local struct configuration pushed[16];
static _Thread_local unsigned n_pushed;

hipError_t __hipPushCallConfiguration(dim3 grid, dim3 block, size_t lds, hipStream_t stream);
MXHIP_API hipError_t __hipPushCallConfiguration(dim3 grid, dim3 block, size_t lds,
                                                hipStream_t stream) {
	if (n_pushed == sizeof pushed / sizeof *pushed)
		return mx_hip_fail(hipErrorInvalidConfiguration, "launches nested too deeply");
	pushed[n_pushed++] = (struct configuration){ grid, block, lds, stream, NULL, 0 };
	return hipSuccess;
}

MXHIP_API hipError_t __hipPopCallConfiguration(dim3 *grid, dim3 *block, size_t *lds,
                                               hipStream_t *stream) {
	if (!n_pushed)
		return mx_hip_fail(hipErrorInvalidConfiguration, "no launch configuration");
	const struct configuration *c = &pushed[--n_pushed];
	*grid = c->grid;
	*block = c->block;
	*lds = c->lds;
	*stream = c->stream;
	return hipSuccess;
}

/* ---- launches of compilers before hipLaunchKernel: one argument after the other ---- */

MXHIP_API hipError_t hipConfigureCall(dim3 grid, dim3 block, size_t lds, hipStream_t stream) {
	return mx_hip_return(__hipPushCallConfiguration(grid, block, lds, stream));
}

MXHIP_API hipError_t hipSetupArgument(const void *argument, size_t bytes, size_t offset) {
	struct configuration *c = n_pushed ? &pushed[n_pushed - 1] : NULL;
	if (!c || !argument || offset > MOST_ARGUMENTS || bytes > MOST_ARGUMENTS - offset)
		return mx_hip_return(hipErrorInvalidValue);
	if (!c->arguments && !(c->arguments = calloc(1, MOST_ARGUMENTS)))
		return mx_hip_return(hipErrorOutOfMemory);
	memcpy(c->arguments + offset, argument, bytes);
	c->bytes = offset + bytes > c->bytes ? offset + bytes : c->bytes;
	return mx_hip_return(hipSuccess);
}

MXHIP_API hipError_t hipLaunchByPtr(const void *host) {
	if (!n_pushed)
		return mx_hip_fail(hipErrorInvalidConfiguration, "no launch configuration");
	struct configuration c = pushed[--n_pushed];
	void *extra[] = { HIP_LAUNCH_PARAM_BUFFER_POINTER, c.arguments,
		          HIP_LAUNCH_PARAM_BUFFER_SIZE, &c.bytes, HIP_LAUNCH_PARAM_END };
	const struct mx_function *f;
	hipError_t e = mx_function_of(host, mx_stream_device(c.stream), &f);
	if (e == hipSuccess)
		e = hipModuleLaunchKernel((hipFunction_t)f, c.grid.x, c.grid.y, c.grid.z, c.block.x,
		                          c.block.y, c.block.z, (unsigned)c.lds, c.stream, NULL,
		                          c.bytes ? extra : NULL);
	free(c.arguments);
	return e;
}

/* ---- host symbols ---- */

static const struct symbol *symbol_in(const struct symbol *s, const void *host) {
	while (s && s->host != host)
		s = s->next;
	return s;
}

/* Loads the code of a binary, with pointers to its managed variables. */
static hipError_t load(struct binary *b, int device) {
	uint8_t *at;
	size_t bytes;
	hipError_t e = mx_module_load(b->image, SIZE_MAX, device, &b->modules[device]);
	for (const struct symbol *s = b->managed; e == hipSuccess && s; s = s->next) {
		e = mx_module_variable(b->modules[device], s->name, &at, &bytes);
		if (e == hipSuccess) {
			memcpy(at, &s->host, sizeof s->host);
			mx_hip_mark((uint64_t)(uintptr_t)at, sizeof s->host, MX_WRITTEN);
		}
	}
	return e;
}

/* Finds the module of a symbol and loads it; the caller has the lock. */
static hipError_t find(const void *host, bool kernel, int device, struct ihipModule_t **found,
                       const char **name) {
	hipError_t e = hipSuccess;
	for (struct binary *b = binaries; b; b = b->next) {
		const struct symbol *s = symbol_in(kernel ? b->kernels : b->variables, host);
		if (!s)
			continue;
		*name = s->name;
		if (!b->modules[device])
			e = load(b, device);
		*found = b->modules[device];
		return e;
	}
	return mx_hip_fail(kernel ? hipErrorInvalidDeviceFunction : hipErrorInvalidSymbol,
	                   "%p is not a registered %s", host, kernel ? "kernel" : "variable");
}

hipError_t mx_function_of(const void *host, int device, const struct mx_function **f) {
	struct ihipModule_t *m = NULL;
	const char *name = NULL;
	pthread_mutex_lock(&lock);
	hipError_t e = find(host, true, device, &m, &name);
	if (e == hipSuccess)
		e = mx_module_function(m, name, f);
	pthread_mutex_unlock(&lock);
	return e;
}

static bool find_managed(const void *host, uint8_t **address, size_t *bytes) {
	const struct symbol *s = NULL;
	for (struct binary *b = binaries; b && !s; b = b->next)
		s = symbol_in(b->managed, host);
	if (s) {
		*address = (uint8_t *)s->host;
		*bytes = s->bytes;
	}
	return s != NULL;
}

hipError_t mx_variable_of(const void *host, uint8_t **address, size_t *bytes) {
	struct ihipModule_t *m = NULL;
	const char *name = NULL;
	pthread_mutex_lock(&lock);
	bool managed = find_managed(host, address, bytes);
	hipError_t e =
		managed ? mx_hip_return(hipSuccess) : find(host, false, mx_device(), &m, &name);
	if (e == hipSuccess && !managed)
		e = mx_module_variable(m, name, address, bytes);
	pthread_mutex_unlock(&lock);
	return e;
}

MXHIP_API hipError_t hipGetFuncBySymbol(hipFunction_t *function, const void *host);
MXHIP_API hipError_t hipGetFuncBySymbol(hipFunction_t *function, const void *host) {
	const struct mx_function *f;
	if (!function)
		return mx_hip_return(hipErrorInvalidValue);
	hipError_t e = mx_function_of(host, mx_device(), &f);
	if (e == hipSuccess)
		*function = (hipFunction_t)f;
	return e;
}

MXHIP_API hipError_t hipGetSymbolAddress(void **address, const void *symbol) {
	size_t bytes;
	return address ? mx_variable_of(symbol, (uint8_t **)address, &bytes)
	               : mx_hip_return(hipErrorInvalidValue);
}

MXHIP_API hipError_t hipGetSymbolSize(size_t *bytes, const void *symbol) {
	uint8_t *address;
	return bytes ? mx_variable_of(symbol, &address, bytes)
	             : mx_hip_return(hipErrorInvalidValue);
}

hipError_t mx_part_of_variable(const void *symbol, size_t offset, size_t bytes, hipMemcpyKind kind,
                               hipMemcpyKind wrong, uint8_t **p) {
	size_t size;
	hipError_t e = mx_variable_of(symbol, p, &size);
	if (e == hipSuccess && (kind == hipMemcpyHostToHost || kind == wrong))
		e = mx_hip_fail(hipErrorInvalidMemcpyDirection,
		                "a variable is on the other end of the copy");
	if (e == hipSuccess && (offset > size || bytes > size - offset))
		e = mx_hip_fail(hipErrorInvalidValue, "%zu bytes at %zu of a variable of %zu",
		                bytes, offset, size);
	if (e == hipSuccess)
		*p += offset;
	return e;
}

MXHIP_API hipError_t hipMemcpyToSymbol(const void *symbol, const void *from, size_t bytes,
                                       size_t offset, hipMemcpyKind kind) {
	uint8_t *p;
	hipError_t e = mx_part_of_variable(symbol, offset, bytes, kind, hipMemcpyDeviceToHost, &p);
	return e == hipSuccess ? hipMemcpy(p, from, bytes, kind) : e;
}

MXHIP_API hipError_t hipMemcpyFromSymbol(void *to, const void *symbol, size_t bytes, size_t offset,
                                         hipMemcpyKind kind) {
	uint8_t *p;
	hipError_t e = mx_part_of_variable(symbol, offset, bytes, kind, hipMemcpyHostToDevice, &p);
	return e == hipSuccess ? hipMemcpy(to, p, bytes, kind) : e;
}

MXHIP_API hipError_t hipMemcpyToSymbolAsync(const void *symbol, const void *from, size_t bytes,
                                            size_t offset, hipMemcpyKind kind, hipStream_t stream) {
	uint8_t *p;
	hipError_t e = mx_part_of_variable(symbol, offset, bytes, kind, hipMemcpyDeviceToHost, &p);
	return e == hipSuccess ? hipMemcpyAsync(p, from, bytes, kind, stream) : e;
}

MXHIP_API hipError_t hipMemcpyFromSymbolAsync(void *to, const void *symbol, size_t bytes,
                                              size_t offset, hipMemcpyKind kind,
                                              hipStream_t stream) {
	uint8_t *p;
	hipError_t e = mx_part_of_variable(symbol, offset, bytes, kind, hipMemcpyHostToDevice, &p);
	return e == hipSuccess ? hipMemcpyAsync(to, p, bytes, kind, stream) : e;
}
