/* Running LLVM's tools for hiprtc. */
#ifndef MX_RTC_H
#define MX_RTC_H

#include <limits.h>
#include <stdio.h>

#include "runtime.h"

#include <hip/hiprtc.h>

/* A file of the source tree as a string. */
#define MX_FILE_AS_STRING(symbol, path)                                                            \
	__asm__(".pushsection .rodata\n"                                                           \
	        ".type " #symbol ", @object\n" #symbol ": .incbin \"" path "\"\n"                  \
	        ".byte 0\n"                                                                        \
	        ".popsection");                                                                    \
	extern const char symbol[] __attribute__((visibility("hidden")))

enum { MX_RTC_MOST_LOG = 1 << 20 };

bool mx_rtc_make_folder(char folder[PATH_MAX]);
void mx_rtc_remove_folder(const char *folder);

/* Whether a name is a path in the folder, which no name of a header leaves. */
bool mx_rtc_is_inside(const char *name);

/* Files there; folders of a name are made. The bytes that are read end with 0; free() them. */
FILE *mx_rtc_create(const char *folder, const char *name);
bool mx_rtc_write(const char *folder, const char *name, const void *bytes, size_t n);
char *mx_rtc_read(const char *folder, const char *name, size_t most, size_t *bytes);

/* Runs a command there; its output is appended to "log". The exit status, or -1. */
int mx_rtc_run(const char *folder, char *const argv[]);

/* The path of a tool; false leaves the reason in the log. */
bool mx_rtc_find(const char *folder, const char *tool, char path[PATH_MAX]);

/* ---- rtc_prefix.c ---- */

struct mx_rtc_amd {
	const char *text; /* the prelude; it stays */
	size_t bytes;
	char headers[PATH_MAX], bitcode[PATH_MAX + 32]; /* the folder `hip`; an option of clang */
};

/* What AMD's hiprtc has, in the folder that MXHIP_RTC_PREFIX names, /opt/rocm or /usr; false if
 * there is none, or not all of it. */
bool mx_rtc_find_amd(struct mx_rtc_amd *a);

#endif
