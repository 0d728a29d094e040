/* The host CPU: which of the code paths for newer instructions may run.
 *
 * The steps are in order; a CPU at one has all before it. MXCHECK_CPU names the highest step to
 * use, for comparisons: all steps compute the same bits. */
#ifndef MX_CPU_H
#define MX_CPU_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>

enum mx_cpu {
	MX_CPU_BASE, /* x86-64-v2; the only step of other architectures */
	MX_CPU_V3,   /* x86-64-v3: AVX2, FMA, BMI */
	MX_CPU_V4,   /* x86-64-v4: AVX-512 F, BW, CD, DQ, VL */
	MX_CPU_VNNI, /* AVX-512 VNNI */
	MX_CPU_VBMI, /* AVX-512 VBMI */
	MX_CPU_AMX,  /* tiles of int8 */
	MX_CPUS
};

/* Of the CPU: the highest step plus 1; 0: nothing has asked. */
extern atomic_int mx_cpu_chosen;
bool mx_cpu_ask(enum mx_cpu step);

/* Whether CPU and system support the step, and MXCHECK_CPU allows it. The variable is read at the
 * first call; a value that mx_cpu_check refuses is ignored. Linux gives a process AMX's registers
 * on request: the first question about AMX requests them. */
static inline bool mx_cpu_has(enum mx_cpu step) {
	int limit = atomic_load_explicit(&mx_cpu_chosen, memory_order_relaxed);
	return limit && step < MX_CPU_AMX ? (int)step < limit : mx_cpu_ask(step);
}

/* The name of a step, as in MXCHECK_CPU. */
const char *mx_cpu_name(enum mx_cpu step);

/* Writes why MXCHECK_CPU is refused to `why`, one line, and returns false; true if it is unset,
 * empty or good. */
bool mx_cpu_check(char *why, size_t room);

/* ---- files that are compiled once for each step that the compiler can use by itself ----
 *
 * The Makefile lists them (STEPPED) and defines MX_STEP. Such a file gives each of its global
 * symbols the name MX_STEPPED(name). Other files declare all with `extern TYPE MX_STEPS_OF(name);`,
 * and MX_BY_STEP(name) is the one for this CPU. */
#ifndef MX_STEP
#define MX_STEP /* that of the whole build */
#endif
#define MX_STEPPED(name)         MX_STEPPED_(name, MX_STEP)
#define MX_STEPPED_(name, step)  MX_STEPPED__(name, step)
#define MX_STEPPED__(name, step) name##step

#ifdef __x86_64__
#define MX_STEPS_OF(name) name, name##_v3, name##_v4
#define MX_BY_STEP(name)                                                                           \
	(mx_cpu_has(MX_CPU_V4) ? name##_v4 : mx_cpu_has(MX_CPU_V3) ? name##_v3 : name)
#else
#define MX_STEPS_OF(name) name
#define MX_BY_STEP(name)  (name)
#endif

#endif
