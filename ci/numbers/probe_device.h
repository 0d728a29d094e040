/* The dots of a probe on a gfx950, real or emulated, by the kernels of kernels/probe. */
#ifndef MX_PROBE_DEVICE_H
#define MX_PROBE_DEVICE_H

#include "../../kernels/host/device.h"
#include "../../oracle/probe/probe.h"

/* The results of n dots: dots[0] ..., or for NULL the random ones of `seed` from `first`. Returns
 * 0, or -1 with the reason. */
int mx_probe_run(struct mx_device *device, const char *co, const struct mx_probe_insn *insn,
                 const struct mx_probe_dot *dots, uint64_t seed, uint64_t first, size_t n,
                 uint64_t *d, struct mx_error *err);

#endif
