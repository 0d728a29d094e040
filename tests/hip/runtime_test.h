/* Helpers of the tests of the HIP runtime: calls that must succeed, and the probe kernels. */
#ifndef RUNTIME_TEST_H
#define RUNTIME_TEST_H

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "../../ref/hip/hip7.h"
#include "../../ref/hip/mxhip.h"
#include "../tap.h"

#define COUNT(a) (sizeof(a) / sizeof *(a))

/* A call without which the test cannot continue. */
#define must(call)                                                                                 \
	do {                                                                                       \
		hipError_t must_e = (call);                                                        \
		if (must_e != hipSuccess) {                                                        \
			printf("Bail out! %s: %s: %s\n", #call, hipGetErrorName(must_e),           \
			       mxhipErrorDetail());                                                \
			exit(1);                                                                   \
		}                                                                                  \
	} while (0)

/* Sets this thread's launch options, members by name: with_options(.seed = 3). */
#define with_options(...)                                                                          \
	must(mxhipSetLaunchOptions(&(const struct mxhipLaunchOptions){                             \
		.size = sizeof(struct mxhipLaunchOptions), __VA_ARGS__ }))

/* The text of a finding; static. */
static inline const char *in_words(const struct mx_finding *f) {
	static char text[MX_LINE_ROOM];
	return mxhipFindingText(f, text, sizeof text);
}

/* The path of a file of the build folder; static. */
static inline const char *built(const char *file) {
	static char path[512];
	const char *build = getenv("BUILD");
	snprintf(path, sizeof path, "%s/%s", build ? build : "build", file);
	return path;
}

static inline void *device_bytes(size_t bytes) {
	void *p;
	must(hipMalloc(&p, bytes));
	return p;
}

/* Device memory that holds a copy of host bytes. */
static inline void *device_copy(const void *from, size_t bytes) {
	void *p = device_bytes(bytes);
	must(hipMemcpy(p, from, bytes, hipMemcpyHostToDevice));
	return p;
}

/* A whole file; *bytes is its size. */
static inline uint8_t *read_whole(const char *path, size_t *bytes) {
	FILE *f = fopen(path, "rb");
	uint8_t *data = NULL;
	long n = -1;
	if (f && !fseek(f, 0, SEEK_END) && (n = ftell(f)) > 0 && (data = malloc((size_t)n))) {
		rewind(f);
		n = (long)fread(data, 1, (size_t)n, f);
	}
	if (n <= 0) {
		printf("Bail out! %s: cannot be read\n", path);
		exit(1);
	}
	fclose(f);
	*bytes = (size_t)n;
	return data;
}

#endif
