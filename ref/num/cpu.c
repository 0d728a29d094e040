/* The steps of the host CPU: CPUID, the states that the system saves, and MXCHECK_CPU. */
#define _GNU_SOURCE
#include "cpu.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The words with the bits of a feature [Intel SDM 2A, CPUID; 1, 13.3 for XCR0]. */
enum word { LEAF1_C, EXTENDED_C, LEAF7_B, LEAF7_C, LEAF7_D, XCR0, WORDS };

#define BIT(n)  (UINT32_C(1) << (n))
#define OSXSAVE BIT(27) /* XGETBV exists */

/* A step needs these beyond the step before it. Names of bits as in the psABI's table of
 * micro-architecture levels. */
static const struct {
	const char *name;
	uint32_t needs[WORDS];
} steps[MX_CPUS] = {
#ifdef __x86_64__
	[MX_CPU_BASE] = { "x86-64-v2", { 0 } },
#else
	[MX_CPU_BASE] = { "portable", { 0 } },
#endif
	/* FMA, MOVBE, OSXSAVE, AVX, F16C; LZCNT; BMI1, AVX2, BMI2; SSE and AVX state */
	[MX_CPU_V3] = { "x86-64-v3",
	                { [LEAF1_C] = BIT(12) | BIT(22) | OSXSAVE | BIT(28) | BIT(29),
	                  [EXTENDED_C] = BIT(5),
	                  [LEAF7_B] = BIT(3) | BIT(5) | BIT(8),
	                  [XCR0] = BIT(1) | BIT(2) } },
	/* F, DQ, CD, BW, VL; the state of masks and of ZMM */
	[MX_CPU_V4] = { "x86-64-v4",
	                { [LEAF7_B] = BIT(16) | BIT(17) | BIT(28) | BIT(30) | BIT(31),
	                  [XCR0] = BIT(5) | BIT(6) | BIT(7) } },
	[MX_CPU_VNNI] = { "vnni", { [LEAF7_C] = BIT(11) } },
	[MX_CPU_VBMI] = { "vbmi", { [LEAF7_C] = BIT(1) } },
	/* AMX-TILE, AMX-INT8; the state of tiles */
	[MX_CPU_AMX] = { "amx", { [LEAF7_D] = BIT(24) | BIT(25), [XCR0] = BIT(17) | BIT(18) } },
};

#ifdef __x86_64__
#include <cpuid.h>
#include <sys/syscall.h>
#include <unistd.h>

static void read_words(uint32_t word[WORDS]) {
	uint32_t a, b, high;
	memset(word, 0, WORDS * sizeof *word);
	__get_cpuid(1, &a, &b, &word[LEAF1_C], &high);
	__get_cpuid(0x80000001, &a, &b, &word[EXTENDED_C], &high);
	__get_cpuid_count(7, 0, &a, &word[LEAF7_B], &word[LEAF7_C], &word[LEAF7_D]);
	if (word[LEAF1_C] & OSXSAVE)
		__asm__("xgetbv" : "=a"(word[XCR0]), "=d"(high) : "c"(0));
}

static bool request_tiles(void) {
	enum { ARCH_REQ_XCOMP_PERM = 0x1023, XFEATURE_XTILEDATA = 18 };
	return !syscall(SYS_arch_prctl, ARCH_REQ_XCOMP_PERM, XFEATURE_XTILEDATA);
}

#else

static void read_words(uint32_t word[WORDS]) {
	memset(word, 0, WORDS * sizeof *word);
}

static bool request_tiles(void) {
	return false;
}

#endif

static enum mx_cpu highest(void) {
	uint32_t word[WORDS];
	enum mx_cpu step = MX_CPU_BASE;
	read_words(word);
	for (; step + 1 < MX_CPUS; step++)
		for (int w = 0; w < WORDS; w++)
			if (steps[step + 1].needs[w] & ~word[w])
				return step;
	return step;
}

/* The step of that name, or MX_CPUS. */
static enum mx_cpu named(const char *name) {
	enum mx_cpu step = MX_CPU_BASE;
	while (step < MX_CPUS && strcmp(name, steps[step].name))
		step++;
	return step;
}

/* The value of MXCHECK_CPU, or NULL. */
static const char *wish(void) {
	const char *text = getenv("MXCHECK_CPU");
	return text && *text ? text : NULL;
}

static enum mx_cpu choose(void) {
	enum mx_cpu most = highest(), wanted = wish() ? named(wish()) : most;
	return wanted < most ? wanted : most;
}

/* Whether the system gives tiles. Threads that meet here get the same answer. */
static bool tiles_granted(void) {
	enum { UNASKED, NO, YES };
	static atomic_int answer;
	if (atomic_load_explicit(&answer, memory_order_relaxed) == UNASKED)
		atomic_store_explicit(&answer, request_tiles() ? YES : NO, memory_order_relaxed);
	return atomic_load_explicit(&answer, memory_order_relaxed) == YES;
}

/* Threads that meet here choose the same. */
atomic_int mx_cpu_chosen;

bool mx_cpu_ask(enum mx_cpu step) {
	int limit = atomic_load_explicit(&mx_cpu_chosen, memory_order_relaxed);
	if (!limit) {
		limit = (int)choose() + 1;
		atomic_store_explicit(&mx_cpu_chosen, limit, memory_order_relaxed);
	}
	return (int)step < limit && (step != MX_CPU_AMX || tiles_granted());
}

const char *mx_cpu_name(enum mx_cpu step) {
	return steps[step].name;
}

/* Lists all steps: "x86-64-v2, x86-64-v3 ... or amx". */
static void list(char *text, size_t room) {
	size_t n = 0;
	for (enum mx_cpu s = MX_CPU_BASE; s < MX_CPUS && n < room; s++)
		n += (size_t)snprintf(text + n, room - n, "%s%s",
		                      s == MX_CPU_BASE   ? ""
		                      : s == MX_CPUS - 1 ? " or "
		                                         : ", ",
		                      steps[s].name);
}

bool mx_cpu_check(char *why, size_t room) {
	enum mx_cpu step = wish() ? named(wish()) : MX_CPU_BASE, most = highest();
	char names[128];
	list(names, sizeof names);
	if (step == MX_CPU_AMX && most == MX_CPU_AMX && !tiles_granted())
		most = MX_CPU_VBMI;
	if (step == MX_CPUS)
		snprintf(why, room, "MXCHECK_CPU: '%s' is not %s", wish(), names);
	else if (step > most)
		snprintf(why, room, "MXCHECK_CPU: '%s' is more than this CPU has: %s", wish(),
		         steps[most].name);
	return step <= most;
}
