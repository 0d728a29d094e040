/* Whole files: all that mxcheck writes goes through here, but for the journal of a hunt, which
 * grows. Functions return 0, or -1 with one line in err that names the file and says why. */
#ifndef MX_FILES_H
#define MX_FILES_H

#include "case.h"

/* Reads a file of at most `most` bytes, which may be a pipe. *bytes is the caller's to free; it is
 * NULL after a failure, and never after success. */
int mx_file_read(const char *path, size_t most, uint8_t **bytes, size_t *n, struct mx_error *err);

/* What a file is to hold: two stretches of bytes, one after the other. */
struct mx_file {
	const char *path;
	struct {
		const void *bytes;
		size_t n;
	} part[2];
};

/* Writes n files, up to MX_FILES_MOST, all of them or none.
 *
 * A regular file is replaced: the new one is written beside it under a temporary name, gets its
 * owner and permissions, and is renamed once all files are complete. A symbolic link stays, and
 * what it leads to is written. Anything else (a device, a FIFO, what /dev/stdout and /dev/fd/N lead
 * to) is opened and written as it is, before any file is replaced; what has gone into it before a
 * failure cannot be taken back. Refused: folders, files that the caller may not write, and two
 * paths to one regular file. */
enum { MX_FILES_MOST = 4 };
int mx_files_write(const struct mx_file *files, size_t n, struct mx_error *err);

#endif
