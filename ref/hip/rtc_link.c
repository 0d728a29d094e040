/* The linkers of hiprtc and of HIP 6.4: bitcode of several programs becomes one code object, by the
 * linker of the LLVM that is there, which optimises over all of them. */
#include <stdlib.h>
#include <string.h>

#include "rtc.h"

/* hiprtcJITInputType and hipJitInputType; the others are CUDA's, bundles or SPIR-V. */
enum { BITCODE = 100 };

/* Options below this one are CUDA's; those of HIP are for the compiler, and have no effect. */
enum { FIRST_OPTION = 10000 };

enum { ERROR_LINKING = 100 };
enum { SPIRV = 103 }; /* hipJitInputSpirv: a kind of input that is not supported */

struct mx_link {
	char folder[PATH_MAX];
	unsigned n; /* inputs, which are files 0.bc, 1.bc and so on */
	char *code; /* the result, or NULL */
	size_t bytes;
};

static bool is_link(const struct mx_link *l) {
	return mx_handle_is(MX_RTC_LINK, l);
}

static hiprtcResult create(unsigned n, const int *options, void *const *values,
                           struct mx_link **link) {
	bool good = link && (!n || (options && values));
	for (unsigned i = 0; good && i < n; i++)
		good = options[i] >= FIRST_OPTION;
	if (!good)
		return HIPRTC_ERROR_INVALID_INPUT;
	struct mx_link *l = calloc(1, sizeof *l);
	if (l && mx_rtc_make_folder(l->folder)) {
		if (mx_handle_add(MX_RTC_LINK, l)) {
			*link = l;
			return HIPRTC_SUCCESS;
		}
		mx_rtc_remove_folder(l->folder);
	}
	free(l);
	return HIPRTC_ERROR_OUT_OF_MEMORY;
}

static hiprtcResult add_data(struct mx_link *l, int type, const void *data, size_t n) {
	char name[32];
	if (type != BITCODE || !data || !n)
		return HIPRTC_ERROR_INVALID_INPUT;
	if (!is_link(l))
		return HIPRTC_ERROR_INVALID_PROGRAM;
	snprintf(name, sizeof name, "%u.bc", l->n);
	if (!mx_rtc_write(l->folder, name, data, n))
		return HIPRTC_ERROR_PROGRAM_CREATION_FAILURE;
	l->n++;
	return HIPRTC_SUCCESS;
}

static hiprtcResult add_file(struct mx_link *l, int type, const char *path) {
	size_t n = 0;
	if (!is_link(l))
		return HIPRTC_ERROR_INVALID_PROGRAM;
	if ((type != BITCODE && type != SPIRV) || !path)
		return HIPRTC_ERROR_INVALID_INPUT;
	char *data = mx_rtc_read(*path == '/' ? "" : ".", path, SIZE_MAX, &n);
	hiprtcResult r = n ? add_data(l, type, data, n) : HIPRTC_ERROR_PROGRAM_CREATION_FAILURE;
	free(data);
	return r;
}

/* A symbol that is nowhere is an error. */
static bool link_in(struct mx_link *l) {
	static const char *const first[] = { "-shared", "--no-undefined", "-plugin-opt=O3", "-o",
		                             "code" };
	enum { FIRST = sizeof first / sizeof *first };
	char linker[PATH_MAX], target[64], (*names)[16] = calloc(l->n, sizeof *names);
	const char **argv = calloc(l->n + FIRST + 3, sizeof *argv);
	bool ok = names && argv && mx_rtc_find(l->folder, "ld.lld", linker);
	for (unsigned i = 0; ok && i < FIRST; i++)
		argv[1 + i] = first[i];
	for (unsigned i = 0; ok && i < l->n; i++) {
		snprintf(names[i], sizeof *names, "%u.bc", i);
		argv[2 + FIRST + i] = names[i];
	}
	if (ok) {
		snprintf(target, sizeof target, "-plugin-opt=mcpu=%s", mx_architecture()->name);
		argv[0] = linker;
		argv[1 + FIRST] = target;
		ok = mx_rtc_run(l->folder, (char **)argv) == 0;
	}
	free(argv);
	free(names);
	return ok && (l->code = mx_rtc_read(l->folder, "code", SIZE_MAX, &l->bytes));
}

/* The link has the result. What the linker says about a failure is the detail of the error. */
static hiprtcResult complete(struct mx_link *l, void **code, size_t *bytes) {
	size_t n;
	if (!code || !bytes)
		return HIPRTC_ERROR_INVALID_INPUT;
	if (!is_link(l))
		return HIPRTC_ERROR_INVALID_PROGRAM;
	if (!l->n)
		return HIPRTC_ERROR_INVALID_INPUT;
	if (!l->code && !link_in(l)) {
		char *log = mx_rtc_read(l->folder, "log", MX_RTC_MOST_LOG, &n);
		mx_hip_fail(hipErrorInvalidImage, "%s", log ? log : "");
		free(log);
		return (hiprtcResult)ERROR_LINKING;
	}
	*code = l->code;
	*bytes = l->bytes;
	return HIPRTC_SUCCESS;
}

static hiprtcResult destroy(struct mx_link *l) {
	if (!mx_handle_remove(MX_RTC_LINK, l))
		return HIPRTC_ERROR_INVALID_PROGRAM;
	mx_rtc_remove_folder(l->folder);
	free(l->code);
	free(l);
	return HIPRTC_SUCCESS;
}

/* ---- the calls of both ---- */

/* The error of HIP for one of hiprtc. A failed link has its detail already. */
static hipError_t as_hip(hiprtcResult r) {
	switch ((int)r) {
	case HIPRTC_SUCCESS: return mx_hip_return(hipSuccess);
	case HIPRTC_ERROR_INVALID_INPUT: return mx_hip_return(hipErrorInvalidValue);
	case HIPRTC_ERROR_INVALID_PROGRAM: return mx_hip_return(hipErrorInvalidHandle);
	case HIPRTC_ERROR_OUT_OF_MEMORY: return mx_hip_return(hipErrorOutOfMemory);
	case ERROR_LINKING: return hipErrorInvalidImage;
	default: return mx_hip_return(hipErrorInvalidConfiguration);
	}
}

/* result: what the call returns of hiprtc's result. */
#define CALL(type, name, parameters, result)                                                       \
	MXHIP_API type name parameters;                                                            \
	MXHIP_API type name parameters {                                                           \
		return result;                                                                     \
	}
#define BOTH(name, parameters, r)                                                                  \
	CALL(hiprtcResult, hiprtcLink##name, parameters, r)                                        \
	CALL(hipError_t, hipLink##name, parameters, as_hip(r))
BOTH(Create, (unsigned n, int *options, void **values, struct mx_link **link),
     create(n, options, values, link))
BOTH(AddData,
     (struct mx_link * link, int type, void *data, size_t bytes, const char *name, unsigned n,
      int *options, void **values),
     ((void)name, (void)n, (void)options, (void)values, add_data(link, type, data, bytes)))
BOTH(AddFile,
     (struct mx_link * link, int type, const char *path, unsigned n, int *options, void **values),
     ((void)n, (void)options, (void)values, add_file(link, type, path)))
BOTH(Complete, (struct mx_link * link, void **code, size_t *bytes), complete(link, code, bytes))
BOTH(Destroy, (struct mx_link * link), destroy(link))
