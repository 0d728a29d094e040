/* The runs that a change in a git repository touches. */
#ifndef MX_CHANGE_H
#define MX_CHANGE_H

#include "select.h"

/* Leaves in the selection the runs that depend on a file that the working tree and the base have
 * different, or that git does not track, such as a code object that a build has made. The base is
 * the commit that o->base and HEAD have in common. A changed file of --waive, --expect or
 * --baseline touches all runs. Prints a line with the counts.
 *
 * The repository is that of the current folder. 0, or -1 with err->text: no repository, no such
 * revision, or git is not installed. */
int mx_change_select(const struct mx_options *o, const char *kernel_dir, struct mx_selection *s,
                     struct mx_error *err);

#endif
