/* The folders of cases and kernels. */
#define _GNU_SOURCE
#include "folders.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

/* The first of two folders if it exists, else the second. */
static void first_existing(char folder[MX_FOLDER_ROOM], const char *exe, const char *one,
                           const char *other) {
	snprintf(folder, MX_FOLDER_ROOM, "%s/%s", exe, one);
	if (access(folder, R_OK))
		snprintf(folder, MX_FOLDER_ROOM, "%s/%s", exe, other);
}

void mx_folders_find(char cases[MX_FOLDER_ROOM], char kernels[MX_FOLDER_ROOM]) {
	char exe[PATH_MAX];
	ssize_t n = readlink("/proc/self/exe", exe, sizeof exe - 1);
	exe[n > 0 ? n : 0] = 0;
	char *slash = strrchr(exe, '/');
	if (slash)
		*slash = 0;
	first_existing(kernels, exe, "../lib/mxcheck/kernels", "kernels");
	first_existing(cases, exe, "../share/mxcheck/cases", "../cases");
	if (access(cases, R_OK))
		snprintf(cases, MX_FOLDER_ROOM, "%s/cases", MX_SOURCE);
}
