/* Corunners of a launch, private to this folder. */
#ifndef MX_CORUNNERS_H
#define MX_CORUNNERS_H

#include "hip_runtime.h"
#include "vary.h"

/* Enqueues the flush and the tenants for the launch of that seed; *stream is the launch's stream,
 * `own` if streams are not varied. 0, or -1 with why->text. */
int mx_corunners_begin(struct mx_corunners *c, uint64_t seed, hipStream_t own, hipStream_t *stream,
                       struct mx_why *why);

/* Ends the tenants, and waits for them like mx_stream_wait. */
int mx_corunners_end(struct mx_corunners *c, double time_out, struct mx_why *why);

#endif
