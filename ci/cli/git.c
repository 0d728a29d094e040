/* git as a program: its output, through a pipe. */
#define _GNU_SOURCE
#include "git.h"

#include <fcntl.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

static char *read_all(int file, size_t *n) {
	size_t room = 1 << 12;
	char *text = malloc(room);
	ssize_t got = 1;
	*n = 0;
	while (text && got > 0) {
		if (*n + 1 == room) {
			char *grown = realloc(text, room *= 2);
			if (!grown)
				free(text);
			text = grown;
		}
		got = text ? read(file, text + *n, room - *n - 1) : -1;
		if (got > 0)
			*n += (size_t)got;
	}
	if (text)
		text[*n] = 0;
	return text;
}

/* Starts git with its standard output in a pipe. Returns the end to read, or -1. */
static int start(char *const *arguments, bool quiet, pid_t *pid) {
	posix_spawn_file_actions_t actions;
	int ends[2];
	if (pipe2(ends, O_CLOEXEC))
		return -1;
	posix_spawn_file_actions_init(&actions);
	if (quiet)
		posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, "/dev/null", O_WRONLY, 0);
	posix_spawn_file_actions_adddup2(&actions, ends[1], STDOUT_FILENO);
	int error = posix_spawnp(pid, "git", &actions, NULL, arguments, environ);
	posix_spawn_file_actions_destroy(&actions);
	close(ends[1]);
	if (!error)
		return ends[0];
	close(ends[0]);
	return -1;
}

char *mx_git(char *const *arguments, bool quiet, size_t *n) {
	int status = -1;
	pid_t pid;
	int output = start(arguments, quiet, &pid);
	if (output < 0)
		return NULL;
	char *text = read_all(output, n);
	close(output);
	if (waitpid(pid, &status, 0) == pid && !status)
		return text;
	free(text);
	return NULL;
}

bool mx_git_line(char *const *arguments, bool quiet, char *line, size_t room) {
	size_t n;
	char *text = mx_git(arguments, quiet, &n);
	line[0] = 0;
	if (!text)
		return false;
	text[strcspn(text, "\n")] = 0;
	snprintf(line, room, "%s", text);
	free(text);
	return true;
}
