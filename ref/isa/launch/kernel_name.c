/* Names of kernels and places for people. Kernels are demangled by the C++ library, without
 * namespaces, template arguments and parameters. */
#include <dlfcn.h>
#include <inttypes.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../isa.h"

/* abi::__cxa_demangle [Itanium C++ ABI 3.4]. */
typedef char *demangle_function(const char *symbol, char *out, size_t *room, int *status);

static demangle_function *demangle;
static pthread_once_t once = PTHREAD_ONCE_INIT;

/* The library is loaded only for a mangled name. Without it names stay as they are. */
static void load(void) {
	void *library = dlopen("libstdc++.so.6", RTLD_NOW | RTLD_LOCAL);
	if (library)
		*(void **)&demangle = dlsym(library, "__cxa_demangle");
}

/* The end of what is in brackets at `at`, or `at`. */
static const char *skip_brackets(const char *at) {
	unsigned depth = 0;
	do {
		depth += *at == '<' || *at == '(' || *at == '{';
		depth -= *at == '>' || *at == ')' || *at == '}';
	} while (depth && *++at);
	return at;
}

/* The last part of "type (anonymous namespace)::name<arguments>(parameters)". */
static void shorten(const char *full, char *text, size_t room) {
	size_t n = 0;
	for (const char *at = full; *at; at++) {
		if (*at == '(' && strncmp(at, "(anonymous", 10))
			break;
		if (*at == '<' || *at == '(' || *at == '{')
			at = skip_brackets(at);
		else if (*at == ' ' || *at == ':')
			n = 0;
		else if (n + 1 < room)
			text[n++] = *at;
		if (!*at)
			break;
	}
	text[n] = 0;
}

/* Names of published kernels are written by hand, some with a length that is wrong, so that no
 * library demangles them: _ZN <length> namespace <wrong length> name E. */
static void shorten_by_hand(const char *symbol, char *text, size_t room) {
	const char *end = symbol + strlen(symbol) - 1, *at = symbol + 3;
	unsigned long n = 1;
	if (strncmp(symbol, "_ZN", 3) || *end != 'E')
		return;
	while (n && *at >= '0' && *at <= '9') {
		char *name;
		n = strtoul(at, &name, 10);
		at = name;
		const char *next = n < (size_t)(end - name) ? name + n : end;
		size_t digits = strspn(next, "0123456789");
		if (!digits || next + digits >= end)
			break;
		at = next;
	}
	if (n && at > symbol + 3 && at < end)
		snprintf(text, room, "%.*s", (int)(end - at), at);
}

char *mx_kernel_short_name(const char *symbol, char *text, size_t room) {
	char *full = NULL;
	snprintf(text, room, "%s", symbol);
	if (strncmp(symbol, "_Z", 2))
		return text;
	pthread_once(&once, load);
	if (demangle)
		full = demangle(symbol, NULL, NULL, NULL);
	if (full)
		shorten(full, text, room);
	else
		shorten_by_hand(symbol, text, room);
	if (!*text)
		snprintf(text, room, "%s", symbol);
	free(full);
	return text;
}

char *mx_pc_text(uint64_t pc, char text[MX_PC_TEXT]) {
	bool before = (int64_t)pc < 0;
	snprintf(text, MX_PC_TEXT, "%c0x%" PRIx64, before ? '-' : '+', before ? -pc : pc);
	return text;
}
