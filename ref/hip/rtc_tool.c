/* The tools of LLVM that hiprtc runs: as child processes, in a folder of their own. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <pthread.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "rtc.h"

/* The script that finds LLVM. */
MX_FILE_AS_STRING(mx_rtc_llvm, "ci/package/llvm.sh");

extern char **environ;

/* ---- the folder ---- */

bool mx_rtc_make_folder(char folder[PATH_MAX]) {
	const char *temporary = getenv("TMPDIR");
	snprintf(folder, PATH_MAX, "%s/mxhip-rtc-XXXXXX",
	         temporary && *temporary ? temporary : "/tmp");
	return mkdtemp(folder);
}

static int remove_one(const char *path, const struct stat *s, int type, struct FTW *at) {
	(void)s, (void)type, (void)at;
	return remove(path);
}

void mx_rtc_remove_folder(const char *folder) {
	nftw(folder, remove_one, 8, FTW_DEPTH | FTW_PHYS);
}

/* ---- files ---- */

bool mx_rtc_is_inside(const char *name) {
	return *name && *name != '/' && !strstr(name, "..");
}

static bool make_folders(const char *folder, const char *name) {
	char path[PATH_MAX];
	for (const char *slash = name; (slash = strchr(slash, '/')); slash++) {
		snprintf(path, sizeof path, "%s/%.*s", folder, (int)(slash - name), name);
		if (mkdir(path, 0700) && errno != EEXIST)
			return false;
	}
	return true;
}

FILE *mx_rtc_create(const char *folder, const char *name) {
	char path[PATH_MAX];
	snprintf(path, sizeof path, "%s/%s", folder, name);
	return make_folders(folder, name) ? fopen(path, "w") : NULL;
}

bool mx_rtc_write(const char *folder, const char *name, const void *bytes, size_t n) {
	FILE *f = mx_rtc_create(folder, name);
	bool ok = f && fwrite(bytes, 1, n, f) == n;
	return f && fclose(f) == 0 && ok;
}

char *mx_rtc_read(const char *folder, const char *name, size_t most, size_t *bytes) {
	char path[PATH_MAX];
	snprintf(path, sizeof path, "%s/%s", folder, name);
	FILE *f = fopen(path, "r");
	struct stat s;
	char *text = NULL;
	*bytes = 0;
	if (f && !fstat(fileno(f), &s)) {
		size_t n = (uint64_t)s.st_size < most ? (size_t)s.st_size : most;
		text = calloc(n + 1, 1);
		*bytes = text ? fread(text, 1, n, f) : 0;
	}
	if (f)
		fclose(f);
	return text;
}

/* ---- the tools ---- */

int mx_rtc_run(const char *folder, char *const argv[]) {
	posix_spawn_file_actions_t actions;
	pid_t child;
	int status = -1;
	posix_spawn_file_actions_init(&actions);
	posix_spawn_file_actions_addchdir_np(&actions, folder);
	posix_spawn_file_actions_addopen(&actions, 1, "log", O_WRONLY | O_CREAT | O_APPEND, 0600);
	posix_spawn_file_actions_adddup2(&actions, 1, 2);
	int error = posix_spawnp(&child, argv[0], &actions, NULL, argv, environ);
	posix_spawn_file_actions_destroy(&actions);
	if (error)
		return -1;
	while (waitpid(child, &status, 0) < 0 && errno == EINTR)
		;
	return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

/* The folder that the script found last, and the environment in which it did: each run of the
 * script starts clang twice. */
static struct {
	pthread_mutex_t lock;
	char llvm[PATH_MAX], path[PATH_MAX], found[PATH_MAX];
} last = { .lock = PTHREAD_MUTEX_INITIALIZER };

static const char *variable(const char *name) {
	const char *value = getenv(name);
	return value ? value : "";
}

static bool run_script(const char *folder, char found[PATH_MAX]) {
	size_t n;
	char *const argv[] = { "sh", "-c", (char *)mx_rtc_llvm, NULL };
	if (mx_rtc_run(folder, argv))
		return false;
	char *log = mx_rtc_read(folder, "log", PATH_MAX - 16, &n);
	snprintf(found, PATH_MAX, "%.*s", log ? (int)strcspn(log, "\n") : 0, log ? log : "");
	free(log);
	return mx_rtc_write(folder, "log", "", 0);
}

/* Whether the folder of `last` holds: the same environment, and the tool is there still. */
static bool is_last(const char *tool) {
	char path[2 * PATH_MAX];
	snprintf(path, sizeof path, "%s/%s", last.found, tool);
	return *last.found && !strcmp(last.llvm, variable("MXCHECK_LLVM")) &&
	       !strcmp(last.path, variable("PATH")) && !access(path, X_OK);
}

bool mx_rtc_find(const char *folder, const char *tool, char path[PATH_MAX]) {
	pthread_mutex_lock(&last.lock);
	bool ok = is_last(tool) || run_script(folder, last.found);
	if (ok) {
		snprintf(last.llvm, sizeof last.llvm, "%s", variable("MXCHECK_LLVM"));
		snprintf(last.path, sizeof last.path, "%s", variable("PATH"));
		snprintf(path, PATH_MAX, "%.*s/%s", PATH_MAX - 16, last.found, tool);
	} else {
		last.found[0] = 0;
	}
	pthread_mutex_unlock(&last.lock);
	return ok;
}
