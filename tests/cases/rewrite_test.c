/* Saved cases: one run instead of the case's, and paths that hold in another folder. */
#include "case_file.h"

#include <limits.h>
#include <sys/stat.h>

static char at[PATH_MAX]; /* the real path of the folder */

static void make_file(const char *name) {
	char file[PATH_MAX + 32];
	snprintf(file, sizeof file, "%s/%s", folder, name);
	FILE *f = fopen(file, "w");
	need(f && !fclose(f), file);
}

/* The text of a case with the run 5x7x64, saved in a folder below that of the case, or in that
 * folder itself. */
static char *saved(const char *text, const char *below, const char *co) {
	char place[PATH_MAX];
	struct mx_case *c;
	struct mx_error err;
	need(!load(text, &c, &err), err.text);
	snprintf(place, sizeof place, "%s%s", folder, below);
	struct mx_saved_case to = { place, co, "/nowhere" };
	struct mx_case_run run = { { 3, { { "M", 5 }, { "N", 7 }, { "K", 64 } } },
		                   MX_REGIME_GENERAL };
	run.tiles = 3;
	char *result = mx_case_with_run(c, &run, &to, &err);
	need(result != NULL, err.text);
	mx_case_free(c);
	return result;
}

static void has(const char *text, const char *format, const char *from, const char *sentence) {
	char line[PATH_MAX + 64];
	snprintf(line, sizeof line, format, from);
	if (!ok(strstr(text, line) != NULL, "%s", sentence))
		diag("no '%s' in:\n%s", line, text);
}

static void one_run(void) {
	char *text = saved(edited("title: MXFP4 GEMM", "title: \u00b5\u2074 GEMM"), "", NULL);
	has(text, "%s{M: 5, N: 7, K: 64, regime: general, tiles: 3, tags: [regress]}\n",
	    "mma_k: 128}\nruns:\n  - ", "a saved case has one run, also after text beyond ASCII");
	ok(!strstr(text, "M: 128, N: 128") && strlen(text) < strlen(good),
	   "  and none of the case's");
	has(text, "code: %s\n", "gemm/mxfp4_gemm.co", "  a code object that is nowhere stays");
	free(text);
}

static void paths(void) {
	const char *with_data = "rows: 3, cols: 5, ld: 16, data: w.npy";
	char co[PATH_MAX + 8];
	snprintf(co, sizeof co, "%s/k.co", folder);
	char *text = saved(edited("rows: 3, cols: 5, ld: 16", with_data), "/sub", NULL);
	has(text, "data: \"%s/w.npy\"}", at, "a file outside of the folder has its whole path");
	free(text);
	text = saved(edited("rows: 3, cols: 5, ld: 16", with_data), "", NULL);
	has(text, "%s", "data: \"w.npy\"}", "one below is relative to it");
	free(text);
	text = saved(edited("profile: block32", "profile: k.co.yaml:x"), "/sub", NULL);
	has(text, "profile: \"%s/k.co.yaml:x\", ", at,
	    "so has the file of a profile, which keeps its name");
	free(text);
	text = saved(edited("profile: block32", "profile: k.co.yaml"), "", NULL);
	has(text, "%s", "profile: \"k.co.yaml\", ", "  or none");
	free(text);
	text = saved(edited("code: gemm/mxfp4_gemm.co", "code: k.co"), "/sub", NULL);
	has(text, "code: \"%s/k.co\"\n", at, "so is a code object beside the case");
	free(text);
	text = saved(edited("code: gemm/mxfp4_gemm.co\n", ""), "/sub", co);
	has(text, "code: \"%s/k.co\"\nruns:", at, "a case without the key code gets it");
	free(text);
}

static void variants(void) {
	const char *two =
		"variants:\n  - {name: a, code: none.co}\n  - {name: b, code: k.co}\nkernel";
	char *text = saved(edited("code: gemm/mxfp4_gemm.co\nkernel", two), "/sub", NULL);
	has(text, "{name: b, code: \"%s/k.co\"}\n", at, "so does each variant");
	has(text, "%s", "{name: a, code: none.co}\n", "  of which the file is there");
	free(text);
}

int main(void) {
	char sub[64];
	make_folder();
	need(realpath(folder, at) != NULL, folder);
	snprintf(sub, sizeof sub, "%s/sub", folder);
	need(!mkdir(sub, 0777), sub);
	make_file("w.npy");
	make_file("k.co");
	make_file("k.co.yaml");
	one_run();
	paths();
	variants();
	rmdir(sub);
	snprintf(sub, sizeof sub, "%s/w.npy", folder);
	unlink(sub);
	snprintf(sub, sizeof sub, "%s/k.co", folder);
	unlink(sub);
	remove_folder();
	return done_testing();
}
