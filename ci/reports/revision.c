/* The commit of the repository that a folder is in, by git. */
#include "revision.h"

#include "../cli/git.h"

/* Without tags, and without a write to the repository's index. */
char *mx_revision(const char *folder, char *text, size_t room) {
	char *arguments[] = { "git",         "--no-optional-locks",
		              "-C",          (char *)folder,
		              "describe",    "--always",
		              "--dirty",     "--abbrev=12",
		              "--exclude=*", NULL };
	mx_git_line(arguments, true, text, room);
	return text;
}
