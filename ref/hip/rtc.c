/* hiprtc: programs that are compiled while a program runs, by the clang that is there.
 *
 * clang runs in a folder that has the source, its headers and the prelude. A name expression
 * becomes a variable at the end of the source that points to what it names: the name of that symbol
 * is the lowered name. With -fgpu-rdc a program becomes bitcode, which rtc_link.c links. */
#define _GNU_SOURCE
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "rtc.h"

MX_FILE_AS_STRING(mx_rtc_prelude, "ref/hip/rtc_prelude.hip");
MX_FILE_AS_STRING(mx_rtc_float16, "ref/hip/rtc_float16.hip");
MX_FILE_AS_STRING(mx_rtc_fp8, "ref/hip/rtc_fp8.hip");

/* The prelude is there in each program. Headers of HIP that it makes superfluous are empty. */
static const struct {
	const char *name, *text;
} prelude[] = {
	{ "rtc_prelude.hip", mx_rtc_prelude },
	{ "rtc_float16.hip", mx_rtc_float16 },
	{ "rtc_fp8.hip", mx_rtc_fp8 },
	{ "hip/hip_runtime.h", "" },
	{ "hip/hip_vector_types.h", "" },
	{ "hip/hip_fp16.h", "" },
	{ "hip/hip_bf16.h", "" },
	{ "hip/hip_fp8.h", "" },
};

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
	bool compiled;   /* or tried */
	bool is_bitcode; /* to be linked, by -fgpu-rdc */
	char *code, *log;
	size_t code_bytes;
};

/* The source's file in the folder. */
static const char *file_of(const struct _hiprtcProgram *p) {
	return mx_rtc_is_inside(p->source.name) ? p->source.name : "program.hip";
}

/* Lets messages and line numbers have another name than the file. */
static void write_name(FILE *f, const char *name) {
	fputs("#line 1 \"", f);
	for (; *name; name++)
		if (*name == '"' || *name == '\\')
			fprintf(f, "\\%c", *name);
		else if ((unsigned char)*name >= ' ')
			fputc(*name, f);
	fputs("\"\n", f);
}

/* ---- the compiler ---- */

/* NVRTC's spelling of --offload-arch=, which AMD's library takes, too. */
static const char *architecture_of(const char *option) {
	static const char *const names[] = { "--gpu-architecture=", "--offload-arch=" };
	for (size_t i = 0; i < 2; i++)
		if (!strncmp(option, names[i], strlen(names[i])))
			return option + strlen(names[i]);
	return NULL;
}

/* clang names a symbol by this id, which programs that are linked must not share: a hash [FNV-1a]
 * of source and options, so that the same program has the same code. */
static void write_id(char id[32], const char *source, int n, const char **options) {
	uint64_t hash = 0xcbf29ce484222325;
	for (int i = -1; i < n; i++)
		for (const char *c = i < 0 ? source : options[i]; *c; c++)
			hash = (hash ^ (uint8_t)*c) * 0x100000001b3;
	snprintf(id, 32, "-cuid=%016llx", (unsigned long long)hash);
}

/* The folder for headers that options[*i] names, `-I../a`, `-I ../a`, or with the next option; NULL
 * if it is another option. */
static const char *include_of(int n, const char **options, int *i) {
	if (strncmp(options[*i], "-I", 2))
		return NULL;
	const char *path = options[*i] + 2 + strspn(options[*i] + 2, " ");
	return !*path && *i + 1 < n ? options[++*i] : path;
}

/* Room for words of the command. */
struct room {
	char target[64], id[32], here[PATH_MAX + 1];
};

/* The folder of the program, for relative names of folders: clang runs elsewhere. */
static const char *write_here(char here[PATH_MAX + 1]) {
	if (!getcwd(here, PATH_MAX))
		here[0] = 0;
	return strcat(here, "/");
}

/* The command that compiles the source with the program's options; free() it. */
static char **command(char *clang, const struct _hiprtcProgram *p, int n, const char **options,
                      const struct mx_rtc_amd *amd, struct room *room) {
	static const char *const first[] = { "-x",
		                             "hip",
		                             "--cuda-device-only",
		                             "--no-gpu-bundle-output",
		                             "-nogpuinc",
		                             "-O3",
		                             "-std=c++17",
		                             "-Wno-unused-command-line-argument",
		                             "-D__HIPCC_RTC__=1",
		                             "-include",
		                             "rtc_prelude.hip",
		                             "-I." };
	enum { FIRST = sizeof first / sizeof *first };
	const char **argv = calloc(2 * (size_t)n + FIRST + 13, sizeof *argv);
	size_t k = 0;
	const char *architecture = mx_architecture()->name;
	if (!argv)
		return NULL;
	argv[k++] = clang;
	for (size_t i = 0; i < FIRST; i++)
		argv[k++] = first[i];
	argv[k++] = amd ? amd->bitcode : "-nogpulib";
	argv[k++] = "-iprefix";
	argv[k++] = write_here(room->here);
	for (int i = 0; i < n; i++) {
		const char *option = options[i], *include = include_of(n, options, &i);
		if (include) {
			argv[k++] = *include == '/' ? "-I" : "-iwithprefixbefore";
			argv[k++] = include;
		} else if (architecture_of(option)) {
			architecture = architecture_of(option);
		} else {
			argv[k++] = option;
		}
	}
	snprintf(room->target, sizeof room->target, "--offload-arch=%s", architecture);
	argv[k++] = room->target;
	write_id(room->id, p->source.text, n, options);
	argv[k++] = room->id;
	argv[k++] = file_of(p);
	if (p->is_bitcode) {
		argv[k++] = "-c";
		argv[k++] = "-emit-llvm";
	}
	argv[k++] = "-o";
	argv[k++] = "code";
	return (char **)argv;
}

/* ---- names ---- */

/* The source, and a variable for each name expression. An & before it is that of NVRTC's variables.
 */
static bool write_source(const char *folder, const struct _hiprtcProgram *p) {
	FILE *f = mx_rtc_create(folder, file_of(p));
	if (!f)
		return false;
	if (!mx_rtc_is_inside(p->source.name))
		write_name(f, p->source.name);
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

static bool write_prelude(const char *folder) {
	bool ok = true;
	for (size_t i = 0; ok && i < sizeof prelude / sizeof *prelude; i++)
		ok = mx_rtc_write(folder, prelude[i].name, prelude[i].text,
		                  strlen(prelude[i].text));
	return ok;
}

/* AMD's headers are those that the program names: a link is in the place of their folder. */
static bool write_amd(const char *folder, const struct mx_rtc_amd *amd) {
	char path[PATH_MAX + 8];
	snprintf(path, sizeof path, "%s/hip", folder);
	return mx_rtc_write(folder, "rtc_prelude.hip", amd->text, amd->bytes) &&
	       !symlink(amd->headers, path);
}

/* Whether the program gives a header that would be in the place of AMD's. */
static bool has_own_headers(const struct _hiprtcProgram *p) {
	for (size_t i = 0; i < p->n_headers; i++)
		if (!strncmp(p->headers[i].name, "hip/", 4))
			return true;
	return false;
}

static bool write_files(const char *folder, const struct _hiprtcProgram *p,
                        const struct mx_rtc_amd *amd) {
	bool ok = (amd ? write_amd(folder, amd) : write_prelude(folder)) && write_source(folder, p);
	for (size_t i = 0; ok && i < p->n_headers; i++)
		ok = mx_rtc_write(folder, p->headers[i].name, p->headers[i].text,
		                  strlen(p->headers[i].text));
	return ok;
}

static bool compile_in(const char *folder, struct _hiprtcProgram *p, int n, const char **options) {
	char clang[PATH_MAX];
	struct mx_rtc_amd found, *amd = NULL;
	struct room room;
	size_t bytes;
	if (!has_own_headers(p) && mx_rtc_find_amd(&found))
		amd = &found;
	bool ok = mx_rtc_find(folder, "clang", clang) && write_files(folder, p, amd);
	char **argv = ok ? command(clang, p, n, options, amd, &room) : NULL;
	ok = argv && mx_rtc_run(folder, argv) == 0;
	free(argv);
	p->log = mx_rtc_read(folder, "log", MX_RTC_MOST_LOG, &bytes);
	if (ok)
		p->code = mx_rtc_read(folder, "code", SIZE_MAX, &p->code_bytes);
	return ok && p->code && (!p->n_names || p->is_bitcode || lower(p));
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
	if (!source || n < 0 || (n && (!headers || !names)))
		return HIPRTC_ERROR_INVALID_INPUT;
	struct _hiprtcProgram *made = calloc(1, sizeof *made);
	bool ok = made && set(&made->source, name, source) &&
	          (made->headers = calloc((size_t)n + 1, sizeof *made->headers));
	for (int i = 0; ok && i < n; i++)
		ok = headers[i] && names[i] && mx_rtc_is_inside(names[i]) &&
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
	if (!is_program(p))
		return HIPRTC_ERROR_INVALID_PROGRAM;
	if (n < 0 || (n && !options) || p->compiled)
		return HIPRTC_ERROR_INVALID_INPUT;
	for (int i = 0; i < n; i++)
		if (!options[i])
			return HIPRTC_ERROR_INVALID_INPUT;
	if (!mx_rtc_make_folder(folder))
		return HIPRTC_ERROR_PROGRAM_CREATION_FAILURE;
	p->compiled = true;
	for (int i = 0; i < n; i++)
		p->is_bitcode |= !strcmp(options[i], "-fgpu-rdc");
	bool ok = compile_in(folder, p, n, options);
	mx_rtc_remove_folder(folder);
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

/* A program has a code object or bitcode. */
static hiprtcResult get_code(hiprtcProgram p, bool bitcode, size_t *bytes, char *code) {
	hiprtcResult r = get_bytes(p, bytes ? (void *)bytes : code);
	if (r == HIPRTC_SUCCESS && p->is_bitcode != bitcode)
		return HIPRTC_ERROR_INVALID_PROGRAM;
	if (r == HIPRTC_SUCCESS && bytes)
		*bytes = p->code_bytes;
	if (r == HIPRTC_SUCCESS && code && p->code)
		memcpy(code, p->code, p->code_bytes);
	return r;
}

MXHIP_API hiprtcResult hiprtcGetCodeSize(hiprtcProgram p, size_t *bytes) {
	return get_code(p, false, bytes, NULL);
}

MXHIP_API hiprtcResult hiprtcGetCode(hiprtcProgram p, char *code) {
	return get_code(p, false, NULL, code);
}

MXHIP_API hiprtcResult hiprtcGetBitcodeSize(hiprtcProgram p, size_t *bytes);
MXHIP_API hiprtcResult hiprtcGetBitcodeSize(hiprtcProgram p, size_t *bytes) {
	return get_code(p, true, bytes, NULL);
}

MXHIP_API hiprtcResult hiprtcGetBitcode(hiprtcProgram p, char *code);
MXHIP_API hiprtcResult hiprtcGetBitcode(hiprtcProgram p, char *code) {
	return get_code(p, true, NULL, code);
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
	enum { LINKING = 100 }; /* HIPRTC_ERROR_LINKING, which HIP 5.2's header lacks */
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
	if ((int)r == LINKING)
		return "HIPRTC_ERROR_LINKING";
	return (unsigned)r < sizeof names / sizeof *names ? names[r] : NULL;
}
