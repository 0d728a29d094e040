/* The identity of this build of mxcheck. */
#ifndef MX_BUILD_H
#define MX_BUILD_H

#include "../../kernels/host/device.h"

/* The hash of this program and of the emulator that it has loaded, if any. Together they give a
 * seed its meaning. */
uint64_t mx_build_hash(const struct mx_device *d);

#endif
