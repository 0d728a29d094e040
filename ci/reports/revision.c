/* The commit of the repository that a folder is in, by git. */
#define _GNU_SOURCE
#include "revision.h"

#include <fcntl.h>
#include <spawn.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

/* Starts a program whose output goes to the pipe. */
static int start(char *const *argv, const int pipe[2], pid_t *pid) {
	posix_spawn_file_actions_t files;
	if (posix_spawn_file_actions_init(&files))
		return -1;
	posix_spawn_file_actions_addopen(&files, STDERR_FILENO, "/dev/null", O_WRONLY, 0);
	posix_spawn_file_actions_adddup2(&files, pipe[1], STDOUT_FILENO);
	int status = posix_spawnp(pid, argv[0], &files, NULL, argv, environ);
	posix_spawn_file_actions_destroy(&files);
	return status ? -1 : 0;
}

/* The first line of a program's output, if it exits with 0. */
static char *first_line(char *const *argv, char *text, size_t room) {
	int ends[2], status = -1;
	pid_t pid;
	text[0] = 0;
	if (pipe2(ends, O_CLOEXEC))
		return text;
	bool started = !start(argv, ends, &pid);
	close(ends[1]);
	FILE *f = fdopen(ends[0], "r");
	if (started && f && fgets(text, (int)room, f))
		text[strcspn(text, "\n")] = 0;
	if (f)
		fclose(f);
	else
		close(ends[0]);
	if (!started || waitpid(pid, &status, 0) < 0 || status)
		text[0] = 0;
	return text;
}

/* Without tags, and without a write to the repository's index. */
char *mx_revision(const char *folder, char *text, size_t room) {
	char *argv[] = { "git",         "--no-optional-locks",
		         "-C",          (char *)folder,
		         "describe",    "--always",
		         "--dirty",     "--abbrev=12",
		         "--exclude=*", NULL };
	return first_line(argv, text, room);
}
