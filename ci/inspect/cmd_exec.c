/* mxcheck exec: runs a program on the emulated device, with every launch watched. */
#define _GNU_SOURCE
#include <errno.h>
#include <glob.h>
#include <limits.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "../../cases/files.h"
#include "../../kernels/host/device.h"
#include "../../oracle/bench.h"
#include "../../ref/codeobject/codeobject.h"
#include "../../ref/isa/isa.h"
#include "../cli/args.h"
#include "../cli/command.h"
#include "../cli/output.h"
#include "exec_journal.h"
#include "exec_profile.h"

static const char help[] =
	"usage: mxcheck exec [OPTIONS] -- PROGRAM [ARG ...]\n"
	"       mxcheck exec [--notes] [--strict] --read DIR\n"
	"\n"
	"Runs a HIP program on the emulated device, with libmxhip.so in place of libamdhip64.so, "
	"and\n"
	"analyses every launch: order, wait states, uninitialised values, bounds. The program "
	"needs no\n"
	"change. What was found is printed when it has ended. The device is a gfx950, or with the\n"
	"environment variable MXHIP_ARCH=gfx1250 a gfx1250.\n"
	"\n"
	"  --seed N           seed of each launch's schedule, and of the choice among streams "
	"(default 0:\n"
	"                     as enqueued)\n"
	"  --race N           run each launch under N more schedules, from the memory before it, "
	"and\n"
	"                     compare all device memory after it\n"
	"  --filter GLOB      watch only kernels with such names, as the code object has them\n"
	"  --first N          watch only the first N launches of each kernel\n"
	"  --profile P        how matrix instructions accumulate: a name, or FILE.yaml[:NAME]\n"
	"  --notes            print notes, too\n"
	"  --strict           races that are ordered only by latency fail, too\n"
	"  --keep DIR         leave the journal and the code objects in DIR, which must be empty\n"
	"  --record DIR       the same, with a case of each watched launch that mxcheck run "
	"replays:\n"
	"                     code object, arguments, memory before and after\n"
	"  --read DIR         print what a program found that ran with MXHIP_WATCH=DIR, or --keep\n"
	"  -h, --help         this text\n"
	"\n"
	"Exit status: the program's, if it is not 0. Else 0; 1 if a launch has findings of "
	"numbers, 3\n"
	"of order, 4 if a launch stopped; 2 for bad usage, or if nothing was watched.\n";

struct exec {
	const char *seed, *race, *filter, *first, *keep, *record, *read, *profile;
	bool notes, strict;
	char folder[PATH_MAX];          /* of the journal */
	char arithmetic[PATH_MAX + 16]; /* of libmxhip.so; or "" */
	char recorded[PATH_MAX];        /* the profile of cases; or "" */
};

/* ---- the report ---- */

/* "at add.hip:12", if the code object has lines. */
static void print_line(const char *folder, const struct mx_exec_journal_finding *f) {
	enum { MOST_BYTES = 1 << 30 };
	char path[PATH_MAX + 64];
	struct mx_codeobject *co = NULL;
	struct mx_codeobject_error why;
	struct mx_source_line line;
	struct mx_error err;
	uint8_t *bytes = NULL;
	size_t n;
	if (!f->object || strchr(f->object, '/'))
		return;
	snprintf(path, sizeof path, "%s/%s", folder, f->object);
	if (!mx_file_read(path, MOST_BYTES, &bytes, &n, &err) &&
	    mx_codeobject_open(bytes, n, &co, &why) == MX_CODEOBJECT_OK &&
	    mx_codeobject_line(co, f->address, &line))
		printf("      at %s:%u\n", line.file, line.line);
	mx_codeobject_close(co);
	free(bytes);
}

static bool is_note(const struct mx_exec_journal_finding *f) {
	return f->kind < MX_FINDINGS && mx_finding_class_of(f->kind) == MX_FINDING_NOTE;
}

static void print_finding(const char *folder, const struct mx_exec_journal_finding *f) {
	char name[512];
	if (f->work)
		fputs(f->work, stdout);
	else
		printf("%s<<<(%s), (%s)>>>, launch %llu",
		       mx_kernel_short_name(f->kernel, name, sizeof name), f->grid, f->block,
		       (unsigned long long)f->launch);
	if (f->launches > 1)
		printf(" and %llu more", (unsigned long long)f->launches - 1);
	printf("\n      %s: %s\n", f->kind < MX_FINDINGS ? mx_finding_name(f->kind) : "differs",
	       f->text);
	print_line(folder, f);
}

static int status_of(const struct exec *x, const struct mx_exec_journal_finding *f) {
	if (f->kind == MX_FINDINGS)
		return MX_WRONG_ORDER;
	if (mx_finding_class_of(f->kind) == MX_FINDING_LATENCY && !x->strict)
		return MX_NOT_WRONG;
	return (int)mx_finding_severity(f->kind);
}

static const char *s(uint64_t n) {
	return n == 1 ? "" : "s";
}

static void print_recorded(const struct mx_exec_journal *j, const char *folder) {
	if (j->recorded || j->unrecorded)
		printf("recorded: %llu launch%s in %s", (unsigned long long)j->recorded,
		       j->recorded == 1 ? "" : "es", folder);
	if (j->unrecorded) {
		char name[512];
		printf("; %llu not: %s, launch %s: %s", (unsigned long long)j->unrecorded,
		       mx_kernel_short_name(j->unrecorded_kernel, name, sizeof name),
		       j->unrecorded_launch, j->unrecorded_why);
	}
	if (j->recorded || j->unrecorded)
		putchar('\n');
}

static void print_summary(const struct mx_exec_journal *j, size_t findings, size_t notes) {
	printf("exec: %llu launch%s, %llu watched, %llu proved", (unsigned long long)j->launches,
	       j->launches == 1 ? "" : "es", (unsigned long long)j->watched,
	       (unsigned long long)j->proved);
	if (j->repeated || j->unrepeated)
		printf(", %llu repetition%s", (unsigned long long)j->repeated, s(j->repeated));
	if (j->unrepeated)
		printf(", %llu not repeated: stopped, with malloc, or over 1 GiB of memory",
		       (unsigned long long)j->unrepeated);
	printf("; %zu finding%s", findings, s(findings));
	if (notes)
		printf(", %zu note%s", notes, s(notes));
	if (j->unended)
		printf("; %u process%s ended without a summary, and %s launches are not counted",
		       j->unended, j->unended == 1 ? "" : "es", j->unended == 1 ? "its" : "their");
	putchar('\n');
}

/* A gate must not pass because nothing was watched. A program may launch nothing, unless its code is
 * for another device: many programs ignore that error. */
static int check_watched(const struct exec *x, const struct mx_exec_journal *j) {
	fflush(stdout);
	if (!j->processes)
		return mx_complain("exec", "nothing was watched: the program did not start the HIP "
		                           "runtime, or not this one");
	if (j->refused && !j->launches)
		return mx_complain("exec", "nothing was watched: no launch, and a code object was "
		                           "not loaded: %s",
		                   j->refused_why);
	if (x->filter && j->launches && !j->watched)
		return mx_complain("exec", "nothing was watched: --filter %s fits no kernel",
		                   x->filter);
	return 0;
}

/* The worst status of the findings. */
static int report(const struct exec *x) {
	struct mx_exec_journal j;
	struct mx_error err;
	size_t notes = 0;
	int worst = 0;
	if (mx_exec_journal_read(x->folder, &j, &err))
		worst = mx_complain("exec", "%s", err.text);
	for (size_t i = 0; i < j.n; i++) {
		const struct mx_exec_journal_finding *f = &j.findings[i];
		int status = status_of(x, f);
		notes += is_note(f);
		worst = status > worst ? status : worst;
		if (!is_note(f) || x->notes)
			print_finding(x->folder, f);
	}
	print_recorded(&j, x->folder);
	if (j.processes)
		print_summary(&j, j.n - notes, notes);
	if (!worst)
		worst = check_watched(x, &j);
	mx_exec_journal_free(&j);
	return worst;
}

/* ---- the program's environment ---- */

/* The names under which programs load AMD's runtime, and its compiler. */
static const char *const names[] = { "libamdhip64.so",   "libamdhip64.so.5", "libamdhip64.so.6",
	                             "libamdhip64.so.7", "libhiprtc.so",     "libhiprtc.so.5",
	                             "libhiprtc.so.6",   "libhiprtc.so.7" };
enum { NAMES = sizeof names / sizeof *names };

static bool link_runtime(const char *folder) {
	char runtime[PATH_MAX], name[PATH_MAX + 64];
	if (!mx_emulator_find(runtime))
		return mx_complain("exec", "there is no libmxhip.so beside mxcheck"), false;
	for (size_t i = 0; i < NAMES; i++) {
		snprintf(name, sizeof name, "%s/%s", folder, names[i]);
		if (symlink(runtime, name))
			return mx_complain("exec", "%s: %s", name, strerror(errno)), false;
	}
	return true;
}

static void unlink_runtime(const char *folder) {
	char name[PATH_MAX + 64];
	for (size_t i = 0; i < NAMES; i++) {
		snprintf(name, sizeof name, "%s/%s", folder, names[i]);
		unlink(name);
	}
}

/* The folder holds the journals and code objects alone. */
static void remove_folder(const char *folder) {
	char pattern[PATH_MAX + 8];
	glob_t list = { 0 };
	snprintf(pattern, sizeof pattern, "%s/*", folder);
	if (glob(pattern, 0, NULL, &list) == 0)
		for (size_t i = 0; i < list.gl_pathc; i++)
			unlink(list.gl_pathv[i]);
	globfree(&list);
	rmdir(folder);
}

static void set(const char *name, const char *value) {
	if (value)
		setenv(name, value, 1);
}

static void set_environment(const struct exec *x) {
	const char *old = getenv("LD_LIBRARY_PATH");
	char path[3 * PATH_MAX];
	snprintf(path, sizeof path, "%s%s%s", x->folder, old && *old ? ":" : "", old ? old : "");
	setenv("LD_LIBRARY_PATH", path, 1);
	setenv("MXHIP_WATCH", x->folder, 1);
	set("MXHIP_SEED", x->seed);
	set("MXHIP_RACE", x->race);
	set("MXHIP_FILTER", x->filter);
	set("MXHIP_FIRST", x->first);
	set("MXHIP_RECORD", x->record ? "1" : NULL);
	set("MXHIP_PROFILE", *x->arithmetic ? x->arithmetic : NULL);
	set("MXHIP_RECORD_PROFILE", *x->recorded ? x->recorded : NULL);
}

/* ---- running ---- */

/* The exit status of the program, as a shell has it; false if it cannot be started. Ctrl-C is the
 * program's. */
static bool run_program(const struct exec *x, char **argv, int *exit_status) {
	int status;
	pid_t child;
	fflush(stdout);
	set_environment(x);
	int error = posix_spawnp(&child, argv[0], NULL, NULL, argv, environ);
	if (error)
		return mx_complain("exec", "%s: %s", argv[0], strerror(error)), false;
	signal(SIGINT, SIG_IGN);
	while (waitpid(child, &status, 0) < 0 && errno == EINTR)
		;
	*exit_status = WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
	return true;
}

/* A folder that stays; it is empty. */
static bool make_kept(struct exec *x, const char *option, const char *folder) {
	const char *why = NULL;
	if ((mkdir(folder, 0777) && errno != EEXIST) || !realpath(folder, x->folder))
		why = strerror(errno);
	else if (rmdir(x->folder) || mkdir(x->folder, 0777))
		why = errno == ENOTDIR ? "no folder" : "the folder must be empty";
	if (why)
		mx_complain("exec", "%s %s: %s", option, folder, why);
	return !why;
}

static bool make_folder(struct exec *x) {
	const char *temporary = getenv("TMPDIR");
	if (x->record)
		return make_kept(x, "--record", x->record);
	if (x->keep)
		return make_kept(x, "--keep", x->keep);
	snprintf(x->folder, sizeof x->folder, "%s/mxcheck-exec-XXXXXX",
	         temporary && *temporary ? temporary : "/tmp");
	return mkdtemp(x->folder) ||
	       (mx_complain("exec", "%s: %s", x->folder, strerror(errno)), false);
}

static bool take_profile(struct exec *x) {
	struct mx_error err;
	int status = x->profile ? mx_exec_profile(x->profile, x->folder, x->arithmetic,
	                                          sizeof x->arithmetic, &err)
	                        : 0;
	if (!status && x->profile && x->record)
		status = mx_exec_record_profile(x->profile, x->folder, x->recorded,
		                                sizeof x->recorded, &err);
	if (status)
		mx_complain("exec", "%s", err.text);
	return !status;
}

static int run(struct exec *x, char **argv) {
	if (!make_folder(x))
		return MX_BAD_INPUT;
	int status = MX_BAD_INPUT;
	if (!take_profile(x))
		status = MX_BAD_INPUT;
	else if (link_runtime(x->folder) && run_program(x, argv, &status)) {
		int worst = report(x);
		status = status ? status : worst;
	}
	unlink_runtime(x->folder);
	if (!x->keep && !x->record)
		remove_folder(x->folder);
	return status;
}

static bool check_number(const char *option, const char *text) {
	unsigned long n;
	if (!text || mx_parse_unsigned(text, ULONG_MAX, &n))
		return true;
	mx_complain("exec", "%s %s: not a number", option, text);
	return false;
}

static bool check(const struct exec *x, bool program) {
	if (!check_number("--seed", x->seed) || !check_number("--race", x->race) ||
	    !check_number("--first", x->first))
		return false;
	bool launches =
		x->seed || x->race || x->filter || x->first || x->keep || x->record || x->profile;
	if (x->keep && x->record)
		return mx_complain("exec", "--record keeps what --keep does; give one of them"),
		       false;
	if (x->read && (program || launches))
		return mx_complain("exec", "--read prints a journal; it runs nothing"), false;
	if (!x->read && !program)
		return mx_complain("exec", "no program after --; see mxcheck exec --help"), false;
	return true;
}

int mx_cmd_exec(int argc, char **argv) {
	struct exec x = { 0 };
	const struct mx_arg table[] = {
		{ "--seed", &x.seed, NULL },
		{ "--race", &x.race, NULL },
		{ "--filter", &x.filter, NULL },
		{ "--first", &x.first, NULL },
		{ "--keep", &x.keep, NULL },
		{ "--record", &x.record, NULL },
		{ "--read", &x.read, NULL },
		{ "--profile", &x.profile, NULL },
		{ "--notes", NULL, &x.notes },
		{ "--strict", NULL, &x.strict },
		{ NULL, NULL, NULL },
	};
	int own = 1, n, status;
	while (own < argc && strcmp(argv[own], "--"))
		own++;
	if (!mx_args(table, help, own, argv, &n, &status))
		return status;
	if (n)
		return mx_complain("exec", "%s: the program comes after --", argv[1]);
	if (!check(&x, own + 1 < argc))
		return MX_BAD_INPUT;
	if (!x.read)
		return run(&x, argv + own + 1);
	struct stat folder;
	if (stat(x.read, &folder) || !S_ISDIR(folder.st_mode))
		return mx_complain("exec", "--read %s: no folder", x.read);
	snprintf(x.folder, sizeof x.folder, "%s", x.read);
	return report(&x);
}
