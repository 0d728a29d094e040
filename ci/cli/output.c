/* Standard output: whether all of a report was written. */
#include "output.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "args.h"

/* A folder cannot be read or written, neither by its descriptor nor by its name in /proc. */
static void open_missing(int fd) {
	if (fcntl(fd, F_GETFD) < 0 && errno == EBADF)
		(void)!open("/", O_RDONLY | O_DIRECTORY); /* gets the lowest free descriptor */
}

void mx_output_begin(void) {
	for (int fd = 0; fd <= 2; fd++)
		open_missing(fd);
	signal(SIGPIPE, SIG_IGN);
	signal(SIGXFSZ, SIG_IGN);
}

FILE *mx_output_take(void) {
	static FILE *taken;
	if (taken)
		return taken;
	if ((fcntl(STDOUT_FILENO, F_GETFL) & O_ACCMODE) == O_RDONLY) {
		errno = EBADF; /* it was closed */
		return NULL;
	}
	int copy = fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, STDERR_FILENO + 1);
	taken = copy < 0 ? NULL : fdopen(copy, "w");
	if (taken && !fflush(stdout) && dup2(STDERR_FILENO, STDOUT_FILENO) >= 0)
		return taken;
	int error = errno;
	if (taken)
		fclose(taken);
	taken = NULL;
	errno = error;
	return NULL;
}

bool mx_output_is_lost(void) {
	return ferror(stdout);
}

/* Some file systems report a write error only at close. */
static int close_copy(void) {
	int copy = dup(fileno(stdout));
	return copy < 0 ? 0 : close(copy);
}

int mx_output_end(int status) {
	bool lost = ferror(stdout);
	errno = 0;
	if (!fflush(stdout) && !lost && !close_copy())
		return status;
	if (!errno) /* stdio does not keep the reason; one more byte fails for the same reason */
		(void)!write(STDOUT_FILENO, "\n", 1);
	fprintf(stderr, "mxcheck: standard output cannot be written: %s\n",
	        errno ? strerror(errno) : "some of it is lost");
	return MX_BAD_INPUT;
}

void mx_print_on_line(const char *name) {
	for (; *name; name++)
		putchar((unsigned char)*name < ' ' ? ' ' : *name);
}
