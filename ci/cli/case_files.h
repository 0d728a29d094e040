/* The case files of a folder. */
#ifndef MX_CASE_FILES_H
#define MX_CASE_FILES_H

#include "../../cases/case.h"

/* Calls `each` with the path of every *.yaml in a folder and the folders below it, sorted by name,
 * until it fails. Links are followed; a folder that a link has inside itself is entered once. A
 * folder that cannot be read is an error. */
typedef int mx_case_file_visit(void *context, const char *path, struct mx_error *err);
int mx_case_files(const char *folder, mx_case_file_visit *each, void *context,
                  struct mx_error *err);

#endif
