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

/* ci/package/llvm.sh, which starts a clang. */
static FILE *begin_llvm(void) {
	return popen("set -- version; { " MX_LLVM_SH "} 2>/dev/null", "r");
}

/* The LLVM that it finds: its folder and version. */
static void print_llvm(FILE *f) {
	char line[4096] = "none\n";
	if (f && !fgets(line, sizeof line, f))
		strcpy(line, "none\n");
	printf("%-9s %s", "LLVM", line);
	if (f)
		pclose(f);
}

/* A device, or why there is none. */
struct found {
	struct mx_device *device;
	struct mx_why why;
};

static void find(const char *name, struct found *f) {
	*f = (struct found){ NULL };
	mx_device_open(name, &f->device, &f->why);
}

static void print_device(const char *name, const struct found *f) {
	if (f->device)
		printf("%-9s %s, %s\n", name, f->device->runtime, f->device->arch);
	else
		printf("%-9s none: %s\n", name, f->why.text);
	mx_device_close(f->device);
}

/* The highest step in use. */
static const char *cpu_path(void) {
	enum mx_cpu step = MX_CPU_AMX;
	while (!mx_cpu_has(step))
		step--;
	return mx_cpu_name(step);
}

int mx_cmd_version(int argc, char **argv) {
	struct found emu, hip;
	(void)argc;
	(void)argv;
	FILE *llvm = begin_llvm(); /* while the runtimes are loaded, which takes as long */
	find("emu", &emu);
	find("hip", &hip);
	printf("mxcheck %s, commit %s\n", mx_version(), MX_COMMIT);
	printf("%-9s %s\n", "compiler", COMPILER __VERSION__);
	printf("%-9s %s\n", "CPU path", cpu_path());
	print_llvm(llvm);
	print_device("emu", &emu);
	print_device("hip", &hip);
	return 0;
}
