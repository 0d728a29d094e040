/* Code objects, memory and launches on a device. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "../../ref/codeobject/codeobject.h"
#include "../../ref/num/clock.h"
#include "corunners.h"

/* The current device is a property of each thread. */
static void use(struct mx_device *d) {
	d->hip->hipSetDevice(d->ordinal);
}

/* ---- modules ---- */

struct mx_module {
	struct mx_device *device;
	hipModule_t module;
	hipFunction_t function;
	hipStream_t stream;
	char name[256];
};

/* Runtimes report a missing, a truncated and a foreign file differently. */
static int check_object(const char *path, const void *bytes, size_t n, struct mx_why *why) {
	struct mx_codeobject_error error;
	struct mx_codeobject *co = NULL;
	bool ok = !mx_codeobject_open(bytes, n, &co, &error) &&
	          !mx_codeobject_check_device(co, &error);
	mx_codeobject_close(co);
	return ok ? 0 : mx_why(why, "%s: %s", path, error.text);
}

/* A file in memory. One without a size, such as a device, has no bytes. */
struct image {
	void *bytes;
	size_t n;
};

static int map_file(const char *path, struct image *file, struct mx_why *why) {
	struct stat s;
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	bool ok = fd >= 0 && !fstat(fd, &s);
	if (ok && S_ISDIR(s.st_mode))
		ok = false, errno = EISDIR;
	file->n = ok ? (size_t)s.st_size : 0;
	file->bytes = file->n ? mmap(NULL, file->n, PROT_READ, MAP_PRIVATE, fd, 0) : NULL;
	ok = ok && file->bytes != MAP_FAILED;
	int status = ok ? 0 : mx_why(why, "%s: cannot be read: %s", path, strerror(errno));
	if (fd >= 0)
		close(fd);
	return status;
}

static void unmap_file(const struct image *file) {
	if (file->n)
		munmap(file->bytes, file->n);
}

static int check_file(const char *path, struct mx_why *why) {
	struct image file;
	if (map_file(path, &file, why))
		return -1;
	int status = check_object(path, file.n ? file.bytes : "", file.n, why);
	unmap_file(&file);
	return status;
}

const char *mx_file_architecture(const char *path) {
	const struct mx_architecture *a, *found = NULL;
	struct mx_why why;
	for (size_t i = 0; !found && (a = mx_architecture_at(i)); i++) {
		mx_architecture_of_thread(a);
		found = check_file(path, &why) ? NULL : a;
	}
	mx_architecture_of_thread(NULL);
	return found ? found->name : NULL;
}

bool mx_file_has_kernel(const char *path, const char *kernel) {
	struct image file;
	struct mx_why why;
	struct mx_codeobject_error error;
	struct mx_codeobject *co = NULL;
	if (map_file(path, &file, &why))
		return false;
	bool has = !mx_codeobject_open(file.n ? file.bytes : "", file.n, &co, &error) &&
	           mx_codeobject_kernel(co, kernel);
	mx_codeobject_close(co);
	unmap_file(&file);
	return has;
}

int mx_module_load(struct mx_device *d, const char *path, const char *kernel,
                   struct mx_module **module, struct mx_why *why) {
	struct mx_hip *h = d->hip;
	hipError_t e;
	if (check_file(path, why))
		return -1;
	struct mx_module *m = calloc(1, sizeof *m);
	if (!m)
		return mx_why(why, "out of memory");
	use(d);
	m->device = d;
	snprintf(m->name, sizeof m->name, "%.255s", kernel);
	if ((e = h->hipModuleLoad(&m->module, path)) == hipSuccess &&
	    (e = h->hipModuleGetFunction(&m->function, m->module, kernel)) == hipSuccess &&
	    (e = h->hipStreamCreateWithFlags(&m->stream, hipStreamNonBlocking)) == hipSuccess) {
		*module = m;
		return 0;
	}
	mx_hip_error(d, e, path, why);
	mx_module_unload(m);
	return -1;
}

void mx_module_unload(struct mx_module *m) {
	if (!m)
		return;
	if (m->device->lost) {
		free(m);
		return;
	}
	use(m->device);
	if (m->stream)
		m->device->hip->hipStreamDestroy(m->stream);
	if (m->module)
		m->device->hip->hipModuleUnload(m->module);
	free(m);
}

/* ---- memory ---- */

int mx_device_alloc(struct mx_device *d, size_t bytes, void **p, struct mx_why *why) {
	use(d);
	hipError_t e = d->hip->hipMalloc(p, bytes);
	return e == hipSuccess ? 0 : mx_hip_error(d, e, "hipMalloc", why);
}

void mx_device_free(struct mx_device *d, void *p) {
	if (d->lost)
		return; /* hipFree waits for the running launch */
	use(d);
	d->hip->hipFree(p);
}

int mx_device_upload(struct mx_device *d, void *to, const void *from, size_t bytes,
                     struct mx_why *why) {
	use(d);
	hipError_t e = d->hip->hipMemcpy(to, from, bytes, hipMemcpyHostToDevice);
	return e == hipSuccess ? 0 : mx_hip_error(d, e, "hipMemcpy to the device", why);
}

int mx_device_download(struct mx_device *d, void *to, const void *from, size_t bytes,
                       struct mx_why *why) {
	use(d);
	hipError_t e = d->hip->hipMemcpy(to, from, bytes, hipMemcpyDeviceToHost);
	return e == hipSuccess ? 0 : mx_hip_error(d, e, "hipMemcpy from the device", why);
}

/* ---- launches ---- */

static hipError_t enqueue_clusters(struct mx_module *m, const struct mx_geometry *g,
                                   hipStream_t stream, void **extra) {
	enum { CLUSTER_DIMENSION = 4 }; /* hipLaunchAttributeID */
	const uint32_t *n = g->grid, *b = g->block, *c = g->cluster;
	const struct mx_hip_attribute cluster = { CLUSTER_DIMENSION, 0, { c[0], c[1], c[2] } };
	const struct mx_hip_config config = {
		{ n[0], n[1], n[2] }, { b[0], b[1], b[2] }, g->lds, stream, &cluster, 1
	};
	mx_hip_launch_config *launch = m->device->hip->launch_config;
	return launch ? launch(&config, m->function, NULL, extra) : hipErrorNotSupported;
}

/* hipModuleLaunchKernel takes at most 65,536 workgroups along y and z [hip-tests,
 * "gridDimY > maxGridDimY"]; the hardware and hipExtModuleLaunchKernel take 2^32 - 1 work-items. */
static hipError_t enqueue(struct mx_module *m, const struct mx_geometry *g, hipStream_t stream,
                          void **extra) {
	enum { MOST = 65536 };
	const struct mx_hip *h = m->device->hip;
	const uint32_t *n = g->grid, *b = g->block, *c = g->cluster;
	if (c[0] > 1 || c[1] > 1 || c[2] > 1)
		return enqueue_clusters(m, g, stream, extra);
	bool fits = (uint64_t)n[1] * b[1] <= UINT32_MAX && (uint64_t)n[2] * b[2] <= UINT32_MAX &&
	            (uint64_t)n[0] * b[0] <= UINT32_MAX;
	if ((n[1] > MOST || n[2] > MOST) && fits && h->launch_items)
		return h->launch_items(m->function, n[0] * b[0], n[1] * b[1], n[2] * b[2], b[0],
		                       b[1], b[2], g->lds, stream, NULL, extra, NULL, NULL, 0);
	return h->hipModuleLaunchKernel(m->function, n[0], n[1], n[2], b[0], b[1], b[2], g->lds,
	                                stream, NULL, extra);
}

int mx_module_enqueue(struct mx_module *m, const struct mx_geometry *g, const void *kernarg,
                      size_t bytes, hipStream_t stream, struct mx_why *why) {
	void *extra[] = { HIP_LAUNCH_PARAM_BUFFER_POINTER, (void *)kernarg,
		          HIP_LAUNCH_PARAM_BUFFER_SIZE, &bytes, HIP_LAUNCH_PARAM_END };
	hipError_t e = enqueue(m, g, stream, extra);
	return e == hipSuccess ? 0 : mx_hip_error(m->device, e, m->name, why);
}

/* A synchronising call cannot time out. So a stream with a time-out is polled: continuously for the
 * first millisecond, in which most launches end, then at intervals. */
static hipError_t poll_stream(const struct mx_hip *h, hipStream_t stream, double time_out) {
	const struct timespec nap = { .tv_nsec = 50000 };
	double start = mx_seconds(), passed = 0;
	hipError_t e;
	while ((e = h->hipStreamQuery(stream)) == hipErrorNotReady && passed <= time_out) {
		if (passed > 1e-3)
			nanosleep(&nap, NULL);
		passed = mx_seconds() - start;
	}
	return e;
}

int mx_stream_wait(struct mx_device *d, hipStream_t stream, double time_out, const char *what,
                   struct mx_why *why) {
	hipError_t e = time_out > 0 ? poll_stream(d->hip, stream, time_out)
	                            : d->hip->hipStreamSynchronize(stream);
	if (e == hipSuccess)
		return MX_LAUNCH_DONE;
	if (e == hipErrorNotReady) {
		d->lost = true;
		mx_why(why, "%s: no end within %g s", what, time_out);
		return MX_LAUNCH_LATE;
	}
	mx_hip_error(d, e, what, why);
	return MX_LAUNCH_FAILED;
}

/* "quantise, gemm": a time-out of a device does not say which launch did not end. */
static const char *names_of(const struct mx_work *w, unsigned n, char *text, size_t room) {
	size_t used = 0;
	for (unsigned i = 0; i < n && used < room; i++)
		used += (size_t)snprintf(text + used, room - used, "%s%s", i ? ", " : "",
		                         w[i].module->name);
	return text;
}

/* The emulator has done a launch when it is enqueued, so that its error is that launch's. */
static int enqueue_all(const struct mx_work *w, unsigned n, const struct mx_around *around,
                       hipStream_t stream, struct mx_why *why) {
	struct mx_device *d = w->module->device;
	char names[512];
	int status = 0;
	for (unsigned i = 0; !status && i < n; i++) {
		if (around->before)
			around->before(around->context, i);
		status = mx_module_enqueue(w[i].module, &w[i].geometry, w[i].kernarg, w[i].bytes,
		                           stream, why);
		if (!status && d->emu)
			status =
				mx_stream_wait(d, stream, around->time_out, w[i].module->name, why);
	}
	return status || d->emu ? status
	                        : mx_stream_wait(d, stream, around->time_out,
	                                         names_of(w, n, names, sizeof names), why);
}

int mx_sequence_launch(const struct mx_work *w, unsigned n, const struct mx_around *around,
                       struct mx_why *why) {
	struct mx_corunners *c = around->corunners;
	hipStream_t stream = w->module->stream;
	struct mx_why other;
	use(w->module->device);
	if (c && mx_corunners_begin(c, around->seed, stream, &stream, why))
		return -1;
	int status = enqueue_all(w, n, around, stream, why);
	int end = c ? mx_corunners_end(c, around->time_out, status ? &other : why) : 0;
	return status ? status : end;
}

int mx_module_launch(struct mx_module *m, const struct mx_geometry *g, const void *kernarg,
                     size_t bytes, const struct mx_around *around, struct mx_why *why) {
	const struct mx_work one = { m, *g, kernarg, bytes };
	return mx_sequence_launch(&one, 1, around, why);
}
