/* mxcheck --version: this program, its CPU path, and the LLVM and the runtimes that it finds. */
#include "command.h"

#include <stdio.h>
#include <string.h>

#include "../../kernels/host/device.h"
#include "../../ref/num/cpu.h"
#include "built.h"

#ifdef __clang__
#define COMPILER ""
#else
#define COMPILER "gcc "
#endif

/* The LLVM that ci/package/llvm.sh finds: its folder and version. */
static void print_llvm(void) {
	static const char command[] =
		"{ " MX_LLVM_SH "} 2>/dev/null | { read -r dir && echo \"$dir,\" $(\"$dir/clang\" "
		"-dumpversion); }";
	char line[4096] = "none\n";
	FILE *f = popen(command, "r");
	if (f && !fgets(line, sizeof line, f))
		strcpy(line, "none\n");
	printf("%-9s %s", "LLVM", line);
	if (f)
		pclose(f);
}

static void print_device(const char *name) {
	struct mx_device *d;
	struct mx_why why;
	if (mx_device_open(name, &d, &why)) {
		printf("%-9s none: %s\n", name, why.text);
		return;
	}
	printf("%-9s %s, %s\n", name, d->runtime, d->arch);
	mx_device_close(d);
}

/* The highest step in use. */
static const char *cpu_path(void) {
	enum mx_cpu step = MX_CPU_AMX;
	while (!mx_cpu_has(step))
		step--;
	return mx_cpu_name(step);
}

int mx_cmd_version(int argc, char **argv) {
	(void)argc;
	(void)argv;
	printf("mxcheck %s, commit %s\n", mx_version(), MX_COMMIT);
	printf("%-9s %s\n", "compiler", COMPILER __VERSION__);
	printf("%-9s %s\n", "CPU path", cpu_path());
	print_llvm();
	print_device("emu");
	print_device("hip");
	return 0;
}
