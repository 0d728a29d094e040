/* What a hunt varies around a launch, without changing what its kernel computes.
 *
 *   stream  which stream it is in: the null stream or one of several that do not wait for it
 *   tenant  workgroups of a kernel of ours that go on beside it, in a stream of their own: they
 *           stream through memory or keep the matrix cores busy, until the launch has ended
 *   flush   MiB of memory, more than all caches hold, that are written before it
 *   place   workgroups of ours that are short-lived and launched just before it, so that its own
 *           start on other compute units and at other times
 *
 * A grid is not varied: its size and the ids of its workgroups are inputs of the kernel. Where the
 * hardware places workgroups is not an input, and `place` changes that.
 *
 * All goes through the public HIP API. The emulator does work when it is enqueued, so there these
 * launches happen, one after the other, and change nothing.
 */
#ifndef MX_VARY_H
#define MX_VARY_H

#include "device.h"

typedef enum {
#define MX_VARY(id, name, device, emu, most, unit) MX_VARY_##id,
#include "vary.def"
#undef MX_VARY
	MX_VARIES
} mx_vary_id;

/* The largest amount of each; 0: not varied. */
struct mx_vary {
	uint32_t most[MX_VARIES];
};
enum { MX_VARY_USUAL = UINT32_MAX }; /* as much as the device asks for */

/* From "stream,tenant=64,flush". -1, with one line, where it is none. */
int mx_vary_parse(const char *text, struct mx_vary *v, struct mx_why *why);

/* Sets usual amounts to the device's. */
void mx_vary_settle(struct mx_vary *v, const struct mx_device *d);

/* The inverse of mx_vary_parse, with all amounts, each with its unit if asked for: "stream=5". */
void mx_vary_text(const struct mx_vary *v, bool units, char *text, size_t room);

/* What one launch has of each: `stream` 0 is the null stream; else 0 is none. A function of the
 * two arguments alone. */
struct mx_variation {
	uint32_t n[MX_VARIES];
	bool matrix; /* the tenant keeps matrix cores busy, not memory */
};
struct mx_variation mx_variation_of(const struct mx_vary *v, uint64_t seed);

/* "stream 3, beside 17 workgroups of tenant_matrix, after a flush of 512 MiB". */
void mx_variation_text(const struct mx_vary *v, const struct mx_variation *x, char *text,
                       size_t room);

/* Streams, kernels and memory that the variation takes. kernel_dir: where our kernels are. */
struct mx_corunners;
int mx_corunners_make(struct mx_device *d, const struct mx_vary *v, const char *kernel_dir,
                      struct mx_corunners **c, struct mx_why *why);
void mx_corunners_free(struct mx_corunners *c);

/* How many workgroups of ours have begun so far, tenants and others. */
int mx_corunners_visits(struct mx_corunners *c, uint64_t *visits, struct mx_why *why);

#endif
