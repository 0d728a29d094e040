/* The steps of the CPU: their order, and MXCHECK_CPU. */
#define _GNU_SOURCE
#include "../../ref/num/cpu.h"
#include "../tap.h"

#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

/* The bits of mx_cpu_has in a process that starts with this MXCHECK_CPU. */
static unsigned steps_under(const char *value) {
	int status = 0;
	pid_t child = fork();
	if (!child) {
		unsigned has = 0;
		setenv("MXCHECK_CPU", value, 1);
		for (enum mx_cpu s = MX_CPU_BASE; s < MX_CPUS; s++)
			has |= (unsigned)mx_cpu_has(s) << s;
		_exit((int)has);
	}
	waitpid(child, &status, 0);
	return (unsigned)WEXITSTATUS(status);
}

int main(void) {
	char why[256] = "";
	unsigned all = steps_under("");
	ok(all & 1 && !(all & (all + 1)), "a CPU has all steps below its highest");
	for (enum mx_cpu s = MX_CPU_BASE; s < MX_CPUS; s++) {
		const char *name = mx_cpu_name(s);
		bool has = all >> s & 1;
		ok(steps_under(name) == (has ? (2u << s) - 1 : all), "MXCHECK_CPU=%s %s", name,
		   has ? "is the highest step" : "is ignored, because this CPU does not have it");
		setenv("MXCHECK_CPU", name, 1);
		ok(mx_cpu_check(why, sizeof why) == has && (has || strstr(why, name)), "  and %s",
		   has ? "accepted" : "refused by name");
	}
	setenv("MXCHECK_CPU", "sse", 1);
	ok(!mx_cpu_check(why, sizeof why) && strstr(why, "'sse' is not x86-64-v2, x86-64-v3") &&
	           strstr(why, "vbmi or amx"),
	   "another value is refused with all steps: %s", why);
	ok(steps_under("sse") == all, "  and ignored");
#ifdef __x86_64__
	ok(!!(all >> MX_CPU_V4 & 1) ==
	           (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
	            __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl")),
	   "x86-64-v4 is what the compiler's library finds");
#endif
	return done_testing();
}
