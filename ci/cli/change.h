/* The runs that a change in a git repository touches. */
#ifndef MX_CHANGE_H
#define MX_CHANGE_H

#include "expect.h"

/* Leaves in the selection the runs that depend on a file that the working tree and the base have
 * different, or that git does not track, such as a code object that a build has made. The base is
 * the commit that o->base and HEAD have in common. A changed file of --waive, --expect or
 * --baseline touches all runs. Prints a line with the counts, and the runs that the change deletes.
 *
 * The repository is that of the current folder. 0, or -1 with err->text: no repository, no such
 * revision, or git is not installed. */
int mx_change_select(const struct mx_options *o, const char *kernel_dir, struct mx_selection *s,
                     struct mx_error *err);

/* Calls `each` for the runs that the change deletes, unless --allow-deleted is given: they had a
 * name in a case file of the base that no run has now. Returns their number. */
size_t mx_change_each_deleted(const struct mx_options *o, const struct mx_selection *s,
                              mx_expect_stale *each, void *context);

#endif
