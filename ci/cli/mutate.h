/* mxcheck mutate: runs the mutants of a kernel and sorts them. */
#ifndef MX_CMD_MUTATE_H
#define MX_CMD_MUTATE_H

#include "select.h"

/* Runs all mutants of the selected runs' kernel; returns the exit status. */
int mx_cmd_mutate(const struct mx_options *o, struct mx_device *d, const char *kernel_dir,
                  const struct mx_selection *s);

#endif
