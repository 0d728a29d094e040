/* Reading and writing of whole files. */
#define _GNU_SOURCE
#include "files.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* ---- reading ---- */

/* 0, or errno of the failure. */
static int read_all(FILE *f, size_t most, uint8_t **bytes, size_t *n) {
	size_t room = 0;
	*bytes = NULL;
	*n = 0;
	while (*n == room && *n <= most) {
		uint8_t *grown = realloc(*bytes, room = room ? 2 * room : 1 << 16);
		if (!grown)
			return ENOMEM;
		*bytes = grown;
		*n += fread(*bytes + *n, 1, room - *n, f);
		if (ferror(f))
			return errno;
	}
	return *n <= most ? 0 : EFBIG;
}

int mx_file_read(const char *path, size_t most, uint8_t **bytes, size_t *n, struct mx_error *err) {
	FILE *f = fopen(path, "rb");
	int error = f ? read_all(f, most, bytes, n) : errno;
	if (f)
		fclose(f);
	if (!error)
		return 0;
	if (f)
		free(*bytes);
	*bytes = NULL;
	return mx_fail(err, "%s: cannot be read: %s", path, strerror(error));
}

/* ---- the target of a path ---- */

enum { MOST_LINKS = 40 };

struct target {
	char path[PATH_MAX];      /* the path after all links, for a replaced file */
	char temporary[PATH_MAX]; /* "": not a regular file; it is opened and written directly */
	struct stat was;
	bool exists, made;
};

static int write_fail(const struct mx_file *f, int error, struct mx_error *err) {
	return mx_fail(err, "%s: cannot be written: %s", f->path, strerror(error));
}

/* Splits a path into its folder, without links, and its name. False: errno is set. */
static bool split(const char *path, char folder[PATH_MAX], const char **name) {
	char above[PATH_MAX];
	const char *slash = strrchr(path, '/');
	*name = slash ? slash + 1 : path;
	size_t n = slash == path ? 1 : slash ? (size_t)(slash - path) : 0;
	if (n >= sizeof above)
		return errno = ENAMETOOLONG, false;
	memcpy(above, n ? path : ".", n ? n : 1);
	above[n ? n : 1] = 0;
	return realpath(above, folder) != NULL;
}

static bool join(char path[PATH_MAX], const char *folder, const char *name) {
	int n = snprintf(path, PATH_MAX, "%s/%s", strcmp(folder, "/") ? folder : "", name);
	return n < PATH_MAX || (errno = ENAMETOOLONG, false);
}

/* Replaces the link at p->path by its target. */
static bool follow(struct target *p, const char *folder) {
	char to[PATH_MAX];
	ssize_t n = readlink(p->path, to, sizeof to - 1);
	if (n < 0)
		return false;
	to[n] = 0;
	if (to[0] != '/')
		return join(p->path, folder, to);
	strcpy(p->path, to);
	return true;
}

/* Finds the target after all links. A link of /proc is an open file, whatever its text is. */
static bool resolve(const char *path, struct target *p) {
	char folder[PATH_MAX];
	const char *name;
	if (strlen(path) >= sizeof p->path)
		return errno = ENAMETOOLONG, false;
	strcpy(p->path, path);
	for (unsigned links = 0; links < MOST_LINKS; links++) {
		char at[PATH_MAX];
		if (!split(p->path, folder, &name) || !join(at, folder, name))
			return false;
		strcpy(p->path, at);
		p->exists = !lstat(p->path, &p->was);
		if (!p->exists)
			return errno == ENOENT;
		if (!S_ISLNK(p->was.st_mode) || !strncmp(folder, "/proc/", 6))
			return true;
		if (!follow(p, folder))
			return false;
	}
	errno = ELOOP;
	return false;
}

/* Names the temporary file if the target is, or will be, a regular file. */
static bool name_temporary(struct target *p) {
	static _Atomic unsigned serial;
	char folder[PATH_MAX], name[64];
	const char *own;
	if (p->exists && !S_ISREG(p->was.st_mode))
		return true;
	snprintf(name, sizeof name, ".mxcheck-%ld-%u", (long)getpid(), serial++);
	return split(p->path, folder, &own) && join(p->temporary, folder, name);
}

static int find_target(const struct mx_file *f, struct target *p, struct mx_error *err) {
	*p = (struct target){ .temporary = "" };
	if (!resolve(f->path, p))
		return write_fail(f, errno, err);
	if (p->exists && S_ISDIR(p->was.st_mode))
		return mx_fail(err, "%s: is a folder", f->path);
	if (p->exists && faccessat(AT_FDCWD, p->path, W_OK, AT_EACCESS))
		return write_fail(f, errno, err);
	return name_temporary(p) ? 0 : write_fail(f, errno, err);
}

/* ---- writing ---- */

static bool write_parts(int to, const struct mx_file *f) {
	for (unsigned i = 0; i < 2; i++) {
		const char *at = f->part[i].bytes;
		for (size_t left = f->part[i].n; left;) {
			ssize_t n = write(to, at, left);
			if (n < 0 && errno == EINTR)
				continue;
			if (n <= 0)
				return false;
			at += n;
			left -= (size_t)n;
		}
	}
	return true;
}

/* The owner first, because fchown clears mode bits. A user who may not change the owner remains the
 * owner. */
static bool keep_mode(int to, const struct target *p) {
	if (!p->exists)
		return true;
	if (fchown(to, p->was.st_uid, p->was.st_gid) && errno != EPERM)
		return false;
	return !fchmod(to, p->was.st_mode & 0777);
}

/* Appends to an open file that /proc leads to, so that other output in it is kept. */
static int append_flag(const struct target *p) {
	return S_ISLNK(p->was.st_mode) ? O_APPEND : 0;
}

/* Writes the temporary file, or the target directly. */
static int write_one(const struct mx_file *f, struct target *p, struct mx_error *err) {
	bool temporary = p->temporary[0];
	int to = temporary ? open(p->temporary, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666)
	                   : open(f->path, O_WRONLY | O_CLOEXEC | O_NOCTTY | append_flag(p));
	if (to < 0)
		return write_fail(f, errno, err);
	p->made = temporary;
	bool good = (!temporary || keep_mode(to, p)) && write_parts(to, f);
	int error = errno;
	if (close(to) && good) {
		good = false;
		error = errno;
	}
	return good ? 0 : write_fail(f, error, err);
}

/* With two paths to one file only the second's bytes would remain. */
static int check_apart(const struct mx_file *files, const struct target *p, size_t n,
                       struct mx_error *err) {
	for (size_t i = 0; i < n; i++)
		for (size_t k = 0; k < i; k++)
			if (p[i].temporary[0] && !strcmp(p[i].path, p[k].path))
				return mx_fail(err, "%s: is the same file as %s", files[i].path,
				               files[k].path);
	return 0;
}

static int write_kind(const struct mx_file *files, struct target *p, size_t n, bool temporary,
                      struct mx_error *err) {
	int status = 0;
	for (size_t i = 0; !status && i < n; i++)
		if (!!p[i].temporary[0] == temporary)
			status = write_one(&files[i], &p[i], err);
	return status;
}

static int rename_all(const struct mx_file *files, struct target *p, size_t n,
                      struct mx_error *err) {
	for (size_t i = 0; i < n; i++) {
		if (p[i].made && rename(p[i].temporary, p[i].path))
			return write_fail(&files[i], errno, err);
		p[i].made = false;
	}
	return 0;
}

/* ---- before the work ---- */

bool mx_file_same(const char *a, const char *b) {
	struct target p, q;
	if (!resolve(a, &p) || !resolve(b, &q))
		return false;
	if (!p.exists || !q.exists)
		return p.exists == q.exists && !strcmp(p.path, q.path);
	return S_ISREG(p.was.st_mode) && p.was.st_dev == q.was.st_dev &&
	       p.was.st_ino == q.was.st_ino;
}

/* Makes the temporary file, which becomes the file or is removed. */
static int try_path(const char *path, bool keep, struct mx_error *err) {
	struct mx_file f = { .path = path };
	struct target p;
	if (find_target(&f, &p, err))
		return -1;
	int status = p.temporary[0] ? write_one(&f, &p, err) : 0;
	if (!status && keep)
		status = rename_all(&f, &p, 1, err);
	if (p.made)
		unlink(p.temporary);
	return status;
}

int mx_file_check(const char *path, struct mx_error *err) {
	return try_path(path, false, err);
}

int mx_file_empty(const char *path, struct mx_error *err) {
	return try_path(path, true, err);
}

int mx_folder_check(const char *path, struct mx_error *err) {
	char at[PATH_MAX];
	struct stat s;
	if (snprintf(at, sizeof at, "%s", path) >= (int)sizeof at)
		return mx_fail(err, "%s: %s", path, strerror(ENAMETOOLONG));
	while (stat(at, &s)) {
		char *slash = strrchr(at, '/');
		if (errno != ENOENT)
			return mx_fail(err, "%s: %s", path, strerror(errno));
		if (slash == at)
			slash++;
		if (slash)
			*slash = 0;
		else
			strcpy(at, ".");
	}
	if (!S_ISDIR(s.st_mode))
		return mx_fail(err, "%s: %s", path, strerror(ENOTDIR));
	if (faccessat(AT_FDCWD, at, W_OK | X_OK, AT_EACCESS))
		return mx_fail(err, "%s: %s", path, strerror(errno));
	return 0;
}

/* ---- all files ---- */

int mx_files_write(const struct mx_file *files, size_t n, struct mx_error *err) {
	struct target p[MX_FILES_MOST];
	int status = n <= MX_FILES_MOST ? 0 : mx_fail(err, "too many files at a time");
	size_t found = 0;
	for (; !status && found < n; found++)
		status = find_target(&files[found], &p[found], err);
	if (!status)
		status = check_apart(files, p, n, err);
	if (!status)
		status = write_kind(files, p, n, true, err);
	if (!status)
		status = write_kind(files, p, n, false, err);
	if (!status)
		status = rename_all(files, p, n, err);
	for (size_t i = 0; i < found; i++)
		if (p[i].made)
			unlink(p[i].temporary);
	return status;
}
