/* Whole files: all files that mxcheck writes, except the journal of a hunt, which grows. Functions
 * return 0, or -1 with one line in err that names the file and the reason. */
#ifndef MX_FILES_H
#define MX_FILES_H

#include "case.h"

/* Reads a file, or a pipe, of at most `most` bytes. The caller frees *bytes; it is NULL after a
 * failure, and never after success. */
int mx_file_read(const char *path, size_t most, uint8_t **bytes, size_t *n, struct mx_error *err);

/* The contents of a file: two byte ranges, one after the other. */
struct mx_file {
	const char *path;
	struct {
		const void *bytes;
		size_t n;
	} part[2];
};

/* Writes n files, up to MX_FILES_MOST, all of them or none.
 *
 * A regular file is replaced: the new file is written in the same folder under a temporary name,
 * gets the owner and permissions of the old one, and is renamed after all files are complete. A
 * symbolic link stays, and its target is written. Other targets (a device, a FIFO, the targets of
 * /dev/stdout and /dev/fd/N) are opened and written directly, before any file is replaced; bytes
 * written to them before a failure cannot be taken back. Folders, files that the caller may not
 * write, and two paths to one regular file are errors. */
enum { MX_FILES_MOST = 4 };
int mx_files_write(const struct mx_file *files, size_t n, struct mx_error *err);

/* Before the work whose result a file is to hold: whether mx_files_write can write it. The file
 * stays as it is. */
int mx_file_check(const char *path, struct mx_error *err);

/* The same, and a regular file is empty afterwards: no older result stays if the work is killed. */
int mx_file_empty(const char *path, struct mx_error *err);

/* Whether two paths are, or will be, one regular file. */
bool mx_file_same(const char *a, const char *b);

/* Whether files can be made in a folder, which may be missing with folders above it. */
int mx_folder_check(const char *path, struct mx_error *err);

#endif
