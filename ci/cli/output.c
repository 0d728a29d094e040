/* Standard output: whether all of a report was written. */
#include "output.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "args.h"

/* A folder can be neither read nor written, under its number or by a name in /proc. */
static void open_missing(int fd) {
	if (fcntl(fd, F_GETFD) < 0 && errno == EBADF)
		(void)!open("/", O_RDONLY | O_DIRECTORY); /* gets the lowest number that is free */
}

void mx_output_begin(void) {
	for (int fd = 0; fd <= 2; fd++)
		open_missing(fd);
	signal(SIGPIPE, SIG_IGN);
}

bool mx_output_is_lost(void) {
	return ferror(stdout);
}

/* Some file systems report an error only when the last bytes are handed over. */
static int close_copy(void) {
	int copy = dup(fileno(stdout));
	return copy < 0 ? 0 : close(copy);
}

int mx_output_end(int status) {
	bool lost = ferror(stdout);
	errno = 0;
	if (!fflush(stdout) && !lost && !close_copy())
		return status;
	if (!errno) /* stdio keeps no reason; one byte more fails for the same one */
		(void)!write(STDOUT_FILENO, "\n", 1);
	fprintf(stderr, "mxcheck: standard output cannot be written: %s\n",
	        errno ? strerror(errno) : "some of it is lost");
	return MX_BAD_INPUT;
}
