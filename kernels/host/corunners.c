/* Corunners of a launch: streams, tenants and flushes, as its seed decides. */
#include "corunners.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_STREAMS = 16, THREADS = 256, MIB = 1 << 20 };

struct mx_corunners {
	struct mx_device *device;
	struct mx_vary vary;
	hipStream_t streams[MOST_STREAMS]; /* [0]: the null stream */
	hipStream_t tenant_stream;         /* of the tenant */
	hipStream_t short_stream;          /* of the short-lived workgroups */
	struct mx_module *kernel[2];       /* tenant_memory, tenant_matrix */
	uint32_t *stop;                    /* host memory: ends the tenant */
	void *visits, *memory, *flush;
};

/* Kernel arguments of kernels/corunners/tenant.c. */
struct tenant_args {
	void *stop, *visits, *memory;
	uint32_t elements, rounds;
};

/* Rounds of a tenant that the host does not stop. They last longer than a launch, tens of
 * milliseconds [assumed], but end early enough for a launch that needs the tenant's compute units.
 * The emulator runs each tenant to its end before the launch. */
static uint32_t tenant_rounds(const struct mx_device *d) {
	return d->emu ? 4 : 1 << 16;
}

static uint32_t short_rounds(const struct mx_device *d) {
	return d->emu ? 1 : 64;
}

static size_t memory_bytes(const struct mx_device *d) {
	return d->emu ? 1 << 16 : 64 * MIB;
}

/* ---- construction ---- */

static int check(const struct mx_corunners *c, hipError_t e, const char *what, struct mx_why *why) {
	return e == hipSuccess ? 0 : mx_hip_error(c->device, e, what, why);
}

static int make_stream(struct mx_corunners *c, hipStream_t *s, struct mx_why *why) {
	hipError_t e = c->device->hip->hipStreamCreateWithFlags(s, hipStreamNonBlocking);
	return check(c, e, "hipStreamCreateWithFlags", why);
}

static int make_streams(struct mx_corunners *c, struct mx_why *why) {
	int status =
		make_stream(c, &c->tenant_stream, why) || make_stream(c, &c->short_stream, why);
	for (uint32_t i = 1; !status && i < c->vary.most[MX_VARY_STREAM]; i++)
		status = make_stream(c, &c->streams[i], why);
	return status ? -1 : 0;
}

/* The memory is initialised, so that the tenants read no unwritten bytes. */
static int make_memory(struct mx_corunners *c, void **p, size_t bytes, struct mx_why *why) {
	struct mx_hip *h = c->device->hip;
	if (mx_device_alloc(c->device, bytes, p, why) ||
	    check(c, h->hipMemsetAsync(*p, 0, bytes, NULL), "hipMemsetAsync", why))
		return -1;
	return check(c, h->hipStreamSynchronize(NULL), "hipMemsetAsync", why);
}

static int make_tenants(struct mx_corunners *c, const char *kernel_dir, struct mx_why *why) {
	static const char *const names[] = { "tenant_memory", "tenant_matrix" };
	char path[4096];
	snprintf(path, sizeof path, "%s/corunners/%stenant.co", kernel_dir,
	         strcmp(c->device->arch, "gfx1250") ? "" : "gfx1250_");
	for (unsigned i = 0; i < 2; i++)
		if (mx_module_load(c->device, path, names[i], &c->kernel[i], why))
			return -1;
	if (make_memory(c, &c->visits, sizeof(uint64_t), why) ||
	    make_memory(c, &c->memory, memory_bytes(c->device), why))
		return -1;
	return check(c,
	             c->device->hip->hipHostMalloc((void **)&c->stop, sizeof *c->stop,
	                                           hipHostMallocCoherent),
	             "hipHostMalloc", why);
}

int mx_corunners_make(struct mx_device *d, const struct mx_vary *v, const char *kernel_dir,
                      struct mx_corunners **corunners, struct mx_why *why) {
	struct mx_corunners *c = calloc(1, sizeof *c);
	if (!c)
		return mx_why(why, "out of memory");
	c->device = d;
	c->vary = *v;
	d->hip->hipSetDevice(d->ordinal);
	int status = make_streams(c, why);
	if (!status && (v->most[MX_VARY_TENANT] || v->most[MX_VARY_PLACE]))
		status = make_tenants(c, kernel_dir, why);
	if (!status && v->most[MX_VARY_FLUSH])
		status = make_memory(c, &c->flush, (size_t)v->most[MX_VARY_FLUSH] * MIB, why);
	if (status)
		mx_corunners_free(c);
	else
		*corunners = c;
	return status;
}

void mx_corunners_free(struct mx_corunners *c) {
	if (!c)
		return;
	struct mx_hip *h = c->device->hip;
	for (unsigned i = 0; i < 2; i++)
		mx_module_unload(c->kernel[i]);
	mx_device_free(c->device, c->visits);
	mx_device_free(c->device, c->memory);
	mx_device_free(c->device, c->flush);
	if (!c->device->lost) {
		h->hipHostFree(c->stop);
		for (unsigned i = 1; i < MOST_STREAMS; i++)
			if (c->streams[i])
				h->hipStreamDestroy(c->streams[i]);
		if (c->tenant_stream)
			h->hipStreamDestroy(c->tenant_stream);
		if (c->short_stream)
			h->hipStreamDestroy(c->short_stream);
	}
	free(c);
}

int mx_corunners_visits(struct mx_corunners *c, uint64_t *visits, struct mx_why *why) {
	*visits = 0;
	return c->visits ? mx_device_download(c->device, visits, c->visits, sizeof *visits, why)
	                 : 0;
}

/* ---- around a launch ---- */

static int launch_tenant(struct mx_corunners *c, bool matrix, uint32_t groups, uint32_t rounds,
                         hipStream_t stream, struct mx_why *why) {
	const struct mx_geometry g = { { groups, 1, 1 }, { THREADS, 1, 1 }, 0 };
	const struct tenant_args t = { c->stop, c->visits, c->memory,
		                       (uint32_t)(memory_bytes(c->device) / 16), rounds };
	if (!groups)
		return 0;
	*c->stop = 0;
	return mx_module_enqueue(c->kernel[matrix], &g, &t, sizeof t, stream, why);
}

/* The flush precedes the launch in its stream; the tenants are not ordered. */
int mx_corunners_begin(struct mx_corunners *c, uint64_t seed, hipStream_t own, hipStream_t *stream,
                       struct mx_why *why) {
	const struct mx_device *d = c->device;
	struct mx_variation x = mx_variation_of(&c->vary, seed);
	size_t flush = (size_t)x.n[MX_VARY_FLUSH] * MIB;
	*stream = c->vary.most[MX_VARY_STREAM] ? c->streams[x.n[MX_VARY_STREAM]] : own;
	if (flush && check(c, d->hip->hipMemsetAsync(c->flush, (int)seed & 255, flush, *stream),
	                   "hipMemsetAsync", why))
		return -1;
	if (launch_tenant(c, x.matrix, x.n[MX_VARY_TENANT], tenant_rounds(d), c->tenant_stream,
	                  why))
		return -1;
	return launch_tenant(c, false, x.n[MX_VARY_PLACE], short_rounds(d), c->short_stream, why);
}

int mx_corunners_end(struct mx_corunners *c, double time_out, struct mx_why *why) {
	if (!c->stop)
		return 0;
	__atomic_store_n(c->stop, 1, __ATOMIC_RELEASE);
	int status = mx_stream_wait(c->device, c->tenant_stream, time_out, "the tenant", why);
	return status ? status
	              : mx_stream_wait(c->device, c->short_stream, time_out, "the tenant", why);
}
