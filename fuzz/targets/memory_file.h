/* Bytes as a file, for readers that take a path; output that goes nowhere, for those that print. */
#ifndef MX_MEMORY_FILE_H
#define MX_MEMORY_FILE_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

/* One file at a time. Its path is valid until memory_file_close. */
static int memory_fd = -1;

static inline const char *memory_file(const uint8_t *data, size_t size) {
	static char path[64];
	memory_fd = memfd_create("fuzz", 0);
	if (memory_fd < 0 || write(memory_fd, data, size) != (ssize_t)size)
		abort();
	snprintf(path, sizeof path, "/proc/self/fd/%d", memory_fd);
	return path;
}

static inline void memory_file_close(void) {
	close(memory_fd);
}

/* Output between be_silent and be_loud goes nowhere. */
static FILE *loud_out, *loud_err;

static inline void be_silent(void) {
	static FILE *nowhere;
	if (!nowhere && !(nowhere = fopen("/dev/null", "w")))
		abort();
	loud_out = stdout;
	loud_err = stderr;
	stdout = stderr = nowhere;
}

static inline void be_loud(void) {
	stdout = loud_out;
	stderr = loud_err;
}

#endif
