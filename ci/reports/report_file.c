/* The file of a report, or standard output. */
#include "report_file.h"

#include <errno.h>
#include <string.h>

#include "../../cases/files.h"
#include "../cli/output.h"

static bool is_standard(const char *path) {
	return !strcmp(path, "-");
}

const char *mx_report_name(const char *path) {
	return is_standard(path) ? "standard output" : path;
}

static int fail(const char *path, struct mx_error *err) {
	return mx_fail(err, "%s: cannot be written: %s", mx_report_name(path), strerror(errno));
}

int mx_report_begin(const char *path, struct mx_error *err) {
	if (!is_standard(path))
		return mx_file_empty(path, err);
	return mx_output_take() ? 0 : fail(path, err);
}

int mx_report_write(const char *path, const char *text, size_t bytes, struct mx_error *err) {
	if (!is_standard(path))
		return mx_files_write(&(struct mx_file){ path, { { text, bytes } } }, 1, err);
	FILE *f = mx_report_open(path, err);
	if (!f)
		return -1;
	return fwrite(text, 1, bytes, f) == bytes ? mx_report_close(path, f, err) : fail(path, err);
}

FILE *mx_report_open(const char *path, struct mx_error *err) {
	FILE *f = is_standard(path) ? mx_output_take() : fopen(path, "we");
	if (!f)
		fail(path, err);
	return f;
}

int mx_report_close(const char *path, FILE *f, struct mx_error *err) {
	bool good = !fflush(f) && !ferror(f);
	if (!is_standard(path) && fclose(f))
		good = false;
	return good ? 0 : fail(path, err);
}
