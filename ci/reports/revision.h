/* The commit of the repository that a folder is in. */
#ifndef MX_REVISION_H
#define MX_REVISION_H

#include <stddef.h>

/* Twelve digits of the commit, and "-dirty" if tracked files differ from it; "" if the folder is in
 * no git repository. Returns text. */
char *mx_revision(const char *folder, char *text, size_t room);

#endif
