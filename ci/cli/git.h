/* git as a program. */
#ifndef MX_GIT_H
#define MX_GIT_H

#include <stdbool.h>
#include <stddef.h>

/* Runs git with arguments that begin with "git" and end with NULL. Returns what it prints on
 * standard output, *n bytes and a NUL, which the caller frees. NULL: it cannot be started, or it
 * fails. If `quiet`, its messages on standard error are dropped. */
char *mx_git(char *const *arguments, bool quiet, size_t *n);

/* The same; puts the first line into `line`, cut to `room` bytes. False, and "": it fails. */
bool mx_git_line(char *const *arguments, bool quiet, char *line, size_t room);

#endif
