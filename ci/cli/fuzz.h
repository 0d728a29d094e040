/* mxcheck fuzz: draws shapes of the selected cases. */
#ifndef MX_CMD_FUZZ_H
#define MX_CMD_FUZZ_H

#include "select.h"

/* Fuzzes each selected case; returns the exit status. */
int mx_cmd_fuzz(const struct mx_options *o, struct mx_device *d, const char *kernel_dir,
                const struct mx_selection *s);

#endif
