/* What goes on around a launch, for the files of this folder. */
#ifndef MX_COMPANY_H
#define MX_COMPANY_H

#include "hip_runtime.h"
#include "vary.h"

/* Enqueues what comes before and beside the launch of that seed; *stream is the one for the
 * launch, `own` where streams are not varied. 0, or -1 with why->text. */
int mx_corunners_begin(struct mx_corunners *c, uint64_t seed, hipStream_t own, hipStream_t *stream,
                       struct mx_why *why);

/* Ends what is still there, and waits for it as mx_stream_wait does. */
int mx_corunners_end(struct mx_corunners *c, double time_out, struct mx_why *why);

#endif
