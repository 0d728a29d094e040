/* mxcheck --version: what this program is, what it computes with, and the runtimes that it finds.
 */
#include "command.h"

#include <stdio.h>

#include "../../kernels/host/device.h"
#include "../../ref/num/quantize.h"
#include "built.h"

#ifdef __clang__
#define COMPILER ""
#else
#define COMPILER "gcc "
#endif

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

int mx_cmd_version(int argc, char **argv) {
	(void)argc;
	(void)argv;
	printf("mxcheck %s, commit %s\n", mx_version(), MX_COMMIT);
	printf("%-9s %s\n", "compiler", COMPILER __VERSION__);
	printf("%-9s %s\n", "CPU path",
	       mx_fast_for(MX_E2M1) == mx_fast_portable(MX_E2M1) ? "portable" : "AVX-512");
	print_device("emu");
	print_device("hip");
	return 0;
}
