/* hiprtc: programs that are compiled while a program runs, by the clang that is there.
 *
 * clang runs as a child process in a folder of its own, which has the source, its headers and
 * rtc_prelude.hip. A name expression becomes a variable at the end of the source that points to
 * what it names: the name of that symbol is the lowered name. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <limits.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "runtime.h"

#include <hip/hiprtc.h>

/* The script that finds clang, and the prelude, as strings. */
#define FILE_AS_STRING(symbol, path)                                                               \
	__asm__(".pushsection .rodata\n"                                                           \
	        ".type " #symbol ", @object\n" #symbol ": .incbin \"" path "\"\n"                  \
	        ".byte 0\n"                                                                        \
	        ".popsection");                                                                    \
	extern const char symbol[] __attribute__((visibility("hidden")))
FILE_AS_STRING(mx_rtc_llvm, "ci/package/llvm.sh");
FILE_AS_STRING(mx_rtc_prelude, "ref/hip/rtc_prelude.hip");

extern char **environ;

enum { MOST_LOG = 1 << 20 };

struct text {
	char *name, *text;
};

struct expression {
	char *text, *lowered; /* NULL: not compiled */
};

struct _hiprtcProgram {
	struct text source, *headers;
	size_t n_headers;
	struct expression *names;
	size_t n_names;
	bool compiled; /* or tried */
	char *code, *log;
	size_t code_bytes;
};

/* ---- files ---- */

/* A path in the folder, which no name of a header leaves. */
static bool is_inside(const char *name) {
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

static FILE *create(const char *folder, const char *name) {
	char path[PATH_MAX];
	snprintf(path, sizeof path, "%s/%s", folder, name);
	return make_folders(folder, name) ? fopen(path, "w") : NULL;
}

static bool write_text(const char *folder, const char *name, const char *text) {
	FILE *f = create(folder, name);
	bool ok = f && fputs(text, f) >= 0;
	return f && fclose(f) == 0 && ok;
}

static char *read_file(const char *folder, const char *name, size_t most, size_t *bytes) {
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

static int remove_one(const char *path, const struct stat *s, int type, struct FTW *at) {
	(void)s, (void)type, (void)at;
	return remove(path);
}

/* ---- the compiler ---- */

/* Runs a command in the folder; its output is appended to "log" there. The exit status, or -1. */
static int run(const char *folder, char *const argv[]) {
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

/* The path of clang; false leaves the reason in the log. */
static bool find_clang(const char *folder, char clang[PATH_MAX]) {
	size_t n;
	char *const argv[] = { "sh", "-c", (char *)mx_rtc_llvm, NULL };
	if (run(folder, argv))
		return false;
	char *found = read_file(folder, "log", PATH_MAX - 16, &n);
	if (found)
		found[strcspn(found, "\n")] = 0;
	snprintf(clang, PATH_MAX, "%s/clang", found ? found : "");
	free(found);
	return write_text(folder, "log", "");
}

/* NVRTC's spelling of --offload-arch=, which AMD's library takes, too. */
static const char *architecture_of(const char *option) {
	static const char *const names[] = { "--gpu-architecture=", "--offload-arch=" };
	for (size_t i = 0; i < 2; i++)
		if (!strncmp(option, names[i], strlen(names[i])))
			return option + strlen(names[i]);
	return NULL;
}

/* The command that compiles the source with the program's options; free() it. target: room. */
static char **command(char *clang, const char *source, int n, const char **options,
                      char target[64]) {
	static const char *const first[] = { "-x",
		                             "hip",
		                             "--cuda-device-only",
		                             "--no-gpu-bundle-output",
		                             "-nogpulib",
		                             "-nogpuinc",
		                             "-O3",
		                             "-std=c++17",
		                             "-Wno-unused-command-line-argument",
		                             "-include",
		                             "rtc_prelude.hip",
		                             "-I." };
	enum { FIRST = sizeof first / sizeof *first };
	const char **argv = calloc((size_t)n + FIRST + 8, sizeof *argv);
	size_t k = 0;
	const char *architecture = mx_architecture()->name;
	if (!argv)
		return NULL;
	argv[k++] = clang;
	for (size_t i = 0; i < FIRST; i++)
		argv[k++] = first[i];
	for (int i = 0; i < n; i++)
		if (architecture_of(options[i]))
			architecture = architecture_of(options[i]);
		else
			argv[k++] = options[i];
	snprintf(target, 64, "--offload-arch=%s", architecture);
	argv[k++] = target;
	argv[k++] = source;
	argv[k++] = "-o";
	argv[k++] = "code";
	return (char **)argv;
}

/* ---- names ---- */

/* The source, and a variable for each name expression. An & before it is that of NVRTC's variables.
 */
static bool write_source(const char *folder, const struct _hiprtcProgram *p) {
	FILE *f = create(folder, p->source.name);
	if (!f)
		return false;
	fprintf(f, "%s\n", p->source.text);
	for (size_t i = 0; i < p->n_names; i++) {
		const char *text = p->names[i].text;
		fprintf(f,
		        "extern \"C\" __attribute__((device, used)) const void *__mxrtc_name_%zu = "
		        "(const void *)&(%s);\n",
		        i, *text == '&' ? text + 1 : text);
	}
	bool ok = !ferror(f);
	return fclose(f) == 0 && ok;
}

static const char *name_at(const struct ihipModule_t *m, uint64_t address) {
	uint64_t offset = address - (uint64_t)(uintptr_t)m->image;
	for (size_t i = 0; i < m->n_functions; i++)
		if (m->functions[i].kernel.entry == address)
			return m->functions[i].name;
	for (size_t i = 0; i < m->n_symbols; i++)
		if (m->symbols[i].offset == offset)
			return m->symbols[i].name;
	return NULL;
}

/* The loader sets the variables to the addresses of what they name. */
static bool lower(struct _hiprtcProgram *p) {
	struct ihipModule_t *m = NULL;
	bool ok = mx_module_load(p->code, p->code_bytes, mx_device(), &m) == hipSuccess;
	for (size_t i = 0; ok && i < p->n_names; i++) {
		char name[48];
		uint8_t *at;
		uint64_t address;
		size_t bytes;
		snprintf(name, sizeof name, "__mxrtc_name_%zu", i);
		ok = mx_module_variable(m, name, &at, &bytes) == hipSuccess && bytes == 8;
		if (ok)
			memcpy(&address, at, 8);
		const char *lowered = ok ? name_at(m, address) : NULL;
		ok = lowered && (p->names[i].lowered = strdup(lowered));
	}
	if (m)
		mx_module_free(m);
	return ok;
}

/* ---- compiling ---- */

static bool write_files(const char *folder, const struct _hiprtcProgram *p) {
	bool ok = write_text(folder, "rtc_prelude.hip", mx_rtc_prelude) && write_source(folder, p);
	for (size_t i = 0; ok && i < p->n_headers; i++)
		ok = write_text(folder, p->headers[i].name, p->headers[i].text);
	return ok;
}

static bool compile_in(const char *folder, struct _hiprtcProgram *p, int n, const char **options) {
	char clang[PATH_MAX], target[64];
	size_t bytes;
	bool ok = find_clang(folder, clang) && write_files(folder, p);
	char **argv = ok ? command(clang, p->source.name, n, options, target) : NULL;
	ok = argv && run(folder, argv) == 0;
	free(argv);
	p->log = read_file(folder, "log", MOST_LOG, &bytes);
	if (ok)
		p->code = read_file(folder, "code", SIZE_MAX, &p->code_bytes);
	return ok && p->code && (!p->n_names || lower(p));
}

/* ---- the calls ---- */

static bool is_program(hiprtcProgram p) {
	return mx_handle_is(MX_RTC_PROGRAM, p);
}

static bool set(struct text *t, const char *name, const char *text) {
	*t = (struct text){ strdup(name), strdup(text) };
	return t->name && t->text;
}

static void free_text(struct text *t) {
	free(t->name);
	free(t->text);
}

static void free_program(struct _hiprtcProgram *p) {
	free_text(&p->source);
	for (size_t i = 0; i < p->n_headers; i++)
		free_text(&p->headers[i]);
	for (size_t i = 0; i < p->n_names; i++) {
		free(p->names[i].text);
		free(p->names[i].lowered);
	}
	free(p->headers);
	free(p->names);
	free(p->code);
	free(p->log);
	free(p);
}

MXHIP_API hiprtcResult hiprtcCreateProgram(hiprtcProgram *p, const char *source, const char *name,
                                           int n, const char **headers, const char **names) {
	if (!p)
		return HIPRTC_ERROR_INVALID_PROGRAM;
	name = name && *name ? name : "program.hip";
	if (!source || n < 0 || (n && (!headers || !names)) || !is_inside(name))
		return HIPRTC_ERROR_INVALID_INPUT;
	struct _hiprtcProgram *made = calloc(1, sizeof *made);
	bool ok = made && set(&made->source, name, source) &&
	          (made->headers = calloc((size_t)n + 1, sizeof *made->headers));
	for (int i = 0; ok && i < n; i++)
		ok = headers[i] && names[i] && is_inside(names[i]) &&
		     set(&made->headers[made->n_headers++], names[i], headers[i]);
	if (ok && mx_handle_add(MX_RTC_PROGRAM, made)) {
		*p = made;
		return HIPRTC_SUCCESS;
	}
	if (made)
		free_program(made);
	return HIPRTC_ERROR_INVALID_INPUT;
}

MXHIP_API hiprtcResult hiprtcDestroyProgram(hiprtcProgram *p) {
	if (!p)
		return HIPRTC_ERROR_INVALID_INPUT;
	if (!mx_handle_remove(MX_RTC_PROGRAM, *p))
		return HIPRTC_ERROR_INVALID_PROGRAM;
	free_program(*p);
	*p = NULL;
	return HIPRTC_SUCCESS;
}

MXHIP_API hiprtcResult hiprtcAddNameExpression(hiprtcProgram p, const char *text) {
	if (!text)
		return HIPRTC_ERROR_INVALID_INPUT;
	if (!is_program(p))
		return HIPRTC_ERROR_INVALID_PROGRAM;
	if (p->compiled)
		return HIPRTC_ERROR_NO_NAME_EXPRESSIONS_AFTER_COMPILATION;
	struct expression *grown = realloc(p->names, (p->n_names + 1) * sizeof *grown);
	if (grown)
		p->names = grown;
	char *copy = grown ? strdup(text) : NULL;
	if (!copy)
		return HIPRTC_ERROR_OUT_OF_MEMORY;
	grown[p->n_names++] = (struct expression){ copy, NULL };
	return HIPRTC_SUCCESS;
}

MXHIP_API hiprtcResult hiprtcCompileProgram(hiprtcProgram p, int n, const char **options) {
	char folder[PATH_MAX];
	const char *temporary = getenv("TMPDIR");
	if (!is_program(p))
		return HIPRTC_ERROR_INVALID_PROGRAM;
	if (n < 0 || (n && !options) || p->compiled)
		return HIPRTC_ERROR_INVALID_INPUT;
	snprintf(folder, sizeof folder, "%s/mxhip-rtc-XXXXXX",
	         temporary && *temporary ? temporary : "/tmp");
	if (!mkdtemp(folder))
		return HIPRTC_ERROR_PROGRAM_CREATION_FAILURE;
	p->compiled = true;
	bool ok = compile_in(folder, p, n, options);
	nftw(folder, remove_one, 8, FTW_DEPTH | FTW_PHYS);
	return ok ? HIPRTC_SUCCESS : HIPRTC_ERROR_COMPILATION;
}

MXHIP_API hiprtcResult hiprtcGetLoweredName(hiprtcProgram p, const char *text,
                                            const char **lowered) {
	if (!text || !lowered)
		return HIPRTC_ERROR_INVALID_INPUT;
	if (!is_program(p))
		return HIPRTC_ERROR_INVALID_PROGRAM;
	if (!p->compiled)
		return HIPRTC_ERROR_NO_LOWERED_NAMES_BEFORE_COMPILATION;
	for (size_t i = 0; i < p->n_names; i++)
		if (!strcmp(p->names[i].text, text) && p->names[i].lowered) {
			*lowered = p->names[i].lowered;
			return HIPRTC_SUCCESS;
		}
	return HIPRTC_ERROR_NAME_EXPRESSION_NOT_VALID;
}

/* Bytes of the log with its end; an empty log has none. */
static size_t log_bytes(const struct _hiprtcProgram *p) {
	return p->log && *p->log ? strlen(p->log) + 1 : 0;
}

static hiprtcResult get_bytes(hiprtcProgram p, const void *result) {
	if (!result)
		return HIPRTC_ERROR_INVALID_INPUT;
	return is_program(p) ? HIPRTC_SUCCESS : HIPRTC_ERROR_INVALID_PROGRAM;
}

MXHIP_API hiprtcResult hiprtcGetProgramLogSize(hiprtcProgram p, size_t *bytes) {
	hiprtcResult r = get_bytes(p, bytes);
	if (r == HIPRTC_SUCCESS)
		*bytes = log_bytes(p);
	return r;
}

MXHIP_API hiprtcResult hiprtcGetProgramLog(hiprtcProgram p, char *log) {
	hiprtcResult r = get_bytes(p, log);
	if (r == HIPRTC_SUCCESS && log_bytes(p))
		memcpy(log, p->log, log_bytes(p));
	return r;
}

MXHIP_API hiprtcResult hiprtcGetCodeSize(hiprtcProgram p, size_t *bytes) {
	hiprtcResult r = get_bytes(p, bytes);
	if (r == HIPRTC_SUCCESS)
		*bytes = p->code_bytes;
	return r;
}

MXHIP_API hiprtcResult hiprtcGetCode(hiprtcProgram p, char *code) {
	hiprtcResult r = get_bytes(p, code);
	if (r == HIPRTC_SUCCESS && p->code)
		memcpy(code, p->code, p->code_bytes);
	return r;
}

/* As AMD's library of ROCm 6 and 7 says. */
MXHIP_API hiprtcResult hiprtcVersion(int *major, int *minor) {
	if (!major || !minor)
		return HIPRTC_ERROR_INVALID_INPUT;
	*major = 9;
	*minor = 0;
	return HIPRTC_SUCCESS;
}

MXHIP_API const char *hiprtcGetErrorString(hiprtcResult r) {
	static const char *const names[] = {
#define NAME(id) [id] = #id
		NAME(HIPRTC_SUCCESS),
		NAME(HIPRTC_ERROR_OUT_OF_MEMORY),
		NAME(HIPRTC_ERROR_PROGRAM_CREATION_FAILURE),
		NAME(HIPRTC_ERROR_INVALID_INPUT),
		NAME(HIPRTC_ERROR_INVALID_PROGRAM),
		NAME(HIPRTC_ERROR_INVALID_OPTION),
		NAME(HIPRTC_ERROR_COMPILATION),
		NAME(HIPRTC_ERROR_BUILTIN_OPERATION_FAILURE),
		NAME(HIPRTC_ERROR_NO_NAME_EXPRESSIONS_AFTER_COMPILATION),
		NAME(HIPRTC_ERROR_NO_LOWERED_NAMES_BEFORE_COMPILATION),
		NAME(HIPRTC_ERROR_NAME_EXPRESSION_NOT_VALID),
		NAME(HIPRTC_ERROR_INTERNAL_ERROR),
#undef NAME
	};
	return (unsigned)r < sizeof names / sizeof *names ? names[r] : NULL;
}
