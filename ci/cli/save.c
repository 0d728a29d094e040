/* The buffers after a launch, as .npy files. */
#include "save.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

static int make_folders(char *path, struct mx_error *err) {
	for (char *at = path + 1;; at++) {
		char end = *at;
		if (end && end != '/')
			continue;
		*at = 0;
		int status = mkdir(path, 0777);
		if (status && errno != EEXIST)
			return mx_fail(err, "%s: %s", path, strerror(errno));
		if (!end)
			return 0;
		*at = end;
	}
}

int mx_save(const struct mx_bench *b, const char *folder, struct mx_error *err) {
	const struct mx_plan *p = mx_bench_plan(b);
	if (p->n_tiles)
		return mx_fail(err, "--save: %s is a run of some tiles", p->name);
	char path[4096];
	size_t bytes, n = (size_t)snprintf(path, sizeof path, "%s/%s", folder, p->name);
	if (n >= sizeof path / 2)
		return mx_fail(err, "--save: the path is too long");
	if (make_folders(path, err))
		return -1;
	for (unsigned i = 0; i < p->n_buffers; i++) {
		const uint8_t *all = mx_bench_bytes(b, i, &bytes);
		snprintf(path + n, sizeof path - n, "/%s.npy", p->buffers[i].name);
		if (mx_data_write(p, i, all + p->buffers[i].guard, path, err))
			return -1;
	}
	return 0;
}
