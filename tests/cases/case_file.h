/* A case file for the tests: its text, edits of it, and loading it from a temporary folder. */
#ifndef CASE_FILE_H
#define CASE_FILE_H

#include "../../cases/case.h"
#include "../tap.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define COUNT(a) (sizeof(a) / sizeof *(a))

static char folder[] = "/tmp/mx_case_test.XXXXXX", path[64];

/* The numbers are lines, for the errors. */
/* clang-format off */
static const char good[] =
	/*  1 */ "name: gemm/mxfp4_f32\n"
	/*  2 */ "title: MXFP4 GEMM, f32 output\n"
	/*  3 */ "code: gemm/mxfp4_gemm.co\n"
	/*  4 */ "kernel: mxfp4_gemm_f32\n"
	/*  5 */ "grid: [\"ceildiv(N, 128)\", \"ceildiv(M, 128)\"]\n"
	/*  6 */ "block: [256]\n"
	/*  7 */ "let:\n"
	/*  8 */ "  - {name: KS, value: \"roundup(K / 32, 8)\"}\n"
	/*  9 */ "buffers:\n"
	/* 10 */ "  - {name: A,  role: a,       type: e2m1, rows: M, cols: K}\n"
	/* 11 */ "  - {name: SA, role: a_scale, type: e8m0, rows: M, cols: K / 32, ld: KS}\n"
	/* 12 */ "  - {name: B,  role: b,       type: e2m1, rows: N, cols: K}\n"
	/* 13 */ "  - {name: SB, role: b_scale, type: e8m0, rows: N, cols: K / 32, ld: KS}\n"
	/* 14 */ "  - {name: C,  role: c,       type: f32,  rows: M, cols: N, guard: 4}\n"
	/* 15 */ "  - {name: W,  role: none,    type: bf16, rows: 3, cols: 5, ld: 16}\n"
	/* 16 */ "kernarg:\n"
	/* 17 */ "  - {offset: 0,  type: ptr, value: A}\n"
	/* 18 */ "  - {offset: 8,  type: ptr, value: C + 16}\n"
	/* 19 */ "  - {offset: 20, type: i32, value: M - 2}\n"
	/* 20 */ "  - {offset: 24, type: u32, value: 0xfffffff0}\n"
	/* 21 */ "  - {offset: 32, type: i64, value: -N}\n"
	/* 22 */ "  - {offset: 0x28, type: u64, value: KS}\n"
	/* 23 */ "  - {offset: 48, type: i32, value: KS}\n"
	/* 24 */ "verdict: {judge: bits, profile: block32, mma_k: 128}\n"
	/* 25 */ "runs:\n"
	/* 26 */ "  - {M: 128, N: 128, K: 256, regime: exact,   tags: [quick]}\n"
	/* 27 */ "  - {M: 1,   N: 16,  K: 32,  regime: general}\n";
/* clang-format on */

/* `good` with the first `from` replaced, or with one more line at the end; static. */
static inline const char *edited(const char *from, const char *to) {
	static char text[8192];
	const char *at = from ? strstr(good, from) : good + strlen(good);
	if (!at) {
		fprintf(stderr, "case_test: '%s' is not in the case\n", from);
		exit(2);
	}
	snprintf(text, sizeof text, "%.*s%s%s", (int)(at - good), good, to,
	         at + (from ? strlen(from) : 0));
	return text;
}

static inline void write_file(const void *bytes, size_t n) {
	FILE *f = fopen(path, "wb");
	if (!f || fwrite(bytes, 1, n, f) != n || fclose(f)) {
		perror(path);
		exit(2);
	}
}

static inline int load(const char *text, struct mx_case **c, struct mx_error *err) {
	write_file(text, strlen(text));
	return mx_case_load(path, c, err);
}

static inline struct mx_case *load_good(const char *from, const char *to) {
	struct mx_case *c;
	struct mx_error err;
	if (load(edited(from, to), &c, &err)) {
		fprintf(stderr, "case_test: %s\n", err.text);
		exit(2);
	}
	return c;
}

/* The error must be one line: the file's path, then `want`. */
static inline void ok_error(int rc, const char *got, const char *want, const char *sentence) {
	char line[1100];
	snprintf(line, sizeof line, "%s%s", path, want);
	if (!ok(rc == -1 && !strcmp(got, line), "%s", sentence))
		diag("status %d: %s\n#  should be: %s", rc, got, line);
}

static inline void make_folder(void) {
	if (!mkdtemp(folder)) {
		perror(folder);
		exit(2);
	}
	snprintf(path, sizeof path, "%s/x.yaml", folder);
}

static inline void remove_folder(void) {
	unlink(path);
	rmdir(folder);
}

#endif
