/* The files on which a run of a case depends. */
#ifndef MX_DEPENDS_H
#define MX_DEPENDS_H

#include "case.h"

/* Returns 0 to go on; any other number ends the visit. */
typedef int mx_visit_file(void *context, const char *path);

/* Visits the case file, the code objects of its steps (code_object, and for steps without it those
 * that mx_case_code finds), the .npy files of data and of expected contents, and the file of the
 * profile. Returns 0, what
 * `visit` returned, or -1 with err->text if a code object is not found. */
int mx_case_depends(const struct mx_case *c, const struct mx_variant *v, const char *code_object,
                    const char *kernel_dir, mx_visit_file *visit, void *context,
                    struct mx_error *err);

/* Whether the value of `data` or `expect`, or NULL, is a file: see struct mx_buffer_spec. */
bool mx_case_data_is_file(const char *data);

/* Length of the file name in the text of a profile, "FILE.yaml" or "FILE.yaml:NAME"; 0: it names no
 * file. *name is NULL without one. */
size_t mx_profile_file(const char *text, const char **name);

/* The file of the profile of a case: of --profile, or else of the case, to whose folder it is
 * relative. False: the profile is in no file. */
bool mx_case_profile_file(const struct mx_case *c, char *path, size_t room, const char **name);

/* The path of a data file: a relative one is relative to the folder of the case file. */
void mx_case_data_path(const struct mx_case *c, const char *file, char *path, size_t room);

#endif
