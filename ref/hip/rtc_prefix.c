/* AMD's own prelude of hiprtc, with its headers and device libraries, where all three are
 * installed: libhiprtc-builtins.so has the text of the prelude [ROCm/clr, hipamd/src/hiprtc]. That
 * of ROCm 6 and older needs a macro that clang 22 lacks. */
#include <dlfcn.h>
#include <glob.h>
#include <stdlib.h>
#include <string.h>

#include "rtc.h"

/* The last path that matches; false if there is none. */
static bool find(const char *prefix, const char *pattern, char path[PATH_MAX]) {
	char whole[PATH_MAX];
	glob_t g;
	int n = snprintf(whole, sizeof whole, "%s/%s", prefix, pattern);
	if (n >= PATH_MAX || glob(whole, 0, NULL, &g))
		return false;
	const char *last = g.gl_pathv[g.gl_pathc - 1];
	bool ok = strlen(last) < PATH_MAX;
	if (ok)
		strcpy(path, last);
	globfree(&g);
	return ok;
}

static bool find_any(const char *prefix, const char *const patterns[], char path[PATH_MAX]) {
	while (*patterns && !find(prefix, *patterns, path))
		patterns++;
	return *patterns;
}

/* The library stays loaded. */
static bool read_text(const char *library, struct mx_rtc_amd *a) {
	void *l = dlopen(library, RTLD_NOW | RTLD_LOCAL);
	const uint32_t *bytes = l ? dlsym(l, "__hipRTC_header_size") : NULL;
	a->text = l ? dlsym(l, "__hipRTC_header") : NULL;
	a->bytes = bytes ? *bytes : 0;
	return a->text && a->bytes;
}

static bool look(const char *prefix, struct mx_rtc_amd *a) {
	static const char *const libraries[] = { "lib/libhiprtc-builtins.so.7",
		                                 "lib/*/libhiprtc-builtins.so.7", NULL };
	static const char *const bitcode[] = { "amdgcn/bitcode/ocml.bc",
		                               "lib/llvm*/lib/clang/*/amdgcn/bitcode/ocml.bc",
		                               "lib/llvm*/lib/clang/*/lib/amdgcn/bitcode/ocml.bc",
		                               NULL };
	char path[PATH_MAX];
	if (!find(prefix, "include/hip/hip_fp8.h", path))
		return false;
	snprintf(a->headers, sizeof a->headers, "%.*s", (int)(strrchr(path, '/') - path), path);
	if (!find_any(prefix, bitcode, path))
		return false;
	snprintf(a->bitcode, sizeof a->bitcode, "--hip-device-lib-path=%.*s",
	         (int)(strrchr(path, '/') - path), path);
	return find_any(prefix, libraries, path) && read_text(path, a);
}

bool mx_rtc_find_amd(struct mx_rtc_amd *a) {
	const char *chosen = getenv("MXHIP_RTC_PREFIX");
	if (chosen)
		return *chosen && look(chosen, a);
	return look("/opt/rocm", a) || look("/usr", a);
}
