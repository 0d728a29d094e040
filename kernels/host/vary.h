/* Variation of a launch's surroundings, without changing its kernel's results.
 *
 *   stream  its stream: the null stream or one of several that do not wait for it
 *   tenant  workgroups of our kernel that run beside it in their own stream, until the launch has
 *           ended: they stream through memory or use the matrix cores
 *   flush   MiB of memory, more than all caches hold, that are written before it
 *   place   short-lived workgroups of our kernel that are launched just before it, so that its own
 *           workgroups start on other compute units and at other times
 *
 * The grid is not varied: its size and the ids of its workgroups are inputs of the kernel. The
 * placement of workgroups by the hardware is not an input, and `place` changes it.
 *
 * All of this uses the public HIP API. The emulator does work when it is enqueued, so there these
 * launches run one after the other and change nothing. */
#ifndef MX_VARY_H
#define MX_VARY_H

#include "device.h"

typedef enum {
#define MX_VARY(id, name, device, emu, most, unit) MX_VARY_##id,
#include "vary.def"
#undef MX_VARY
	MX_VARIES
} mx_vary_id;

/* The largest amount of each variation; 0: not varied. */
struct mx_vary {
	uint32_t most[MX_VARIES];
};
enum { MX_VARY_USUAL = UINT32_MAX }; /* the usual amount of the device */

/* Parses "stream,tenant=64,flush". -1, with one line, if the text is not valid. */
int mx_vary_parse(const char *text, struct mx_vary *v, struct mx_why *why);

/* Replaces usual amounts by the device's. */
void mx_vary_settle(struct mx_vary *v, const struct mx_device *d);

/* The inverse of mx_vary_parse, with all amounts, and units if `units`: "stream=5". */
void mx_vary_text(const struct mx_vary *v, bool units, char *text, size_t room);

/* The amount of each for one launch: `stream` 0 is the null stream; otherwise 0 is none. A function
 * of the two arguments only. */
struct mx_variation {
	uint32_t n[MX_VARIES];
	bool matrix; /* the tenant uses the matrix cores, not memory */
};
struct mx_variation mx_variation_of(const struct mx_vary *v, uint64_t seed);

/* "stream 3; beside 17 workgroups of tenant_matrix; after a flush of 512 MiB". */
void mx_variation_text(const struct mx_vary *v, const struct mx_variation *x, char *text,
                       size_t room);

/* Streams, kernels and memory of the variation. kernel_dir: the folder of our kernels. */
struct mx_corunners;
int mx_corunners_make(struct mx_device *d, const struct mx_vary *v, const char *kernel_dir,
                      struct mx_corunners **c, struct mx_why *why);
void mx_corunners_free(struct mx_corunners *c);

/* The number of workgroups of our kernels that have begun. */
int mx_corunners_visits(struct mx_corunners *c, uint64_t *visits, struct mx_why *why);

#endif
