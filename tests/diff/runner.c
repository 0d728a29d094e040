/* Runs the kernel "program" of a code object on the emulator and writes its results:
 * runner FILE.co GROUPS ITEMS BYTES SEED INSTRUCTIONS >results
 * Findings go to stderr, one a line, except padding. Exit status: 0 it ran to its end, 1 it
 * stopped, 2 anything else. */
#define __HIP_PLATFORM_AMD__ 1
#include <hip/hip_runtime_api.h>

#include <stdio.h>
#include <stdlib.h>

#include "../../ref/hip/mxhip.h"

enum { STACK = 32 * 1024 }; /* of a work-item: functions may be recursive */

/* hipLimitStackSize is 0; HIP 5's headers have neither. */
hipError_t hipDeviceSetLimit(enum hipLimit_t limit, size_t value);

static void must(hipError_t e, const char *what) {
	if (e == hipSuccess)
		return;
	fprintf(stderr, "%s: %s: %s\n", what, hipGetErrorName(e), mxhipErrorDetail());
	exit(2);
}

/* A store of unwritten bits to the program's own variables: C copies the padding of structs. The
 * bytes stay unwritten, so a use of them is still found. */
static bool is_padding(const struct mx_finding *f, uint64_t out, size_t bytes) {
	return f->kind == MX_UNWRITTEN && f->address && f->address - out >= bytes;
}

static bool print_findings(const struct mx_report *r, uint64_t out, size_t bytes) {
	char text[MX_LINE_ROOM];
	for (size_t i = 0; i < r->n_findings; i++)
		if (!is_padding(&r->findings[i], out, bytes))
			fprintf(stderr, "%s: %s\n", mxhipFindingName(r->findings[i].kind),
			        mxhipFindingText(&r->findings[i], text, sizeof text));
	return r->stopped;
}

int main(int argc, char **argv) {
	hipModule_t module;
	hipFunction_t program;
	void *out;
	if (argc != 7)
		return 2;
	unsigned groups = atoi(argv[2]), items = atoi(argv[3]);
	size_t bytes = strtoul(argv[4], NULL, 10);
	must(hipModuleLoad(&module, argv[1]), "load");
	must(hipModuleGetFunction(&program, module, "program"), "find");
	must(hipMalloc(&out, bytes), "allocate");
	must(hipMemset(out, 0, bytes), "clear");
	must(hipDeviceSetLimit((enum hipLimit_t)0, STACK), "stack");
	const struct mxhipLaunchOptions options = {
		.size = sizeof options,
		.seed = strtoull(argv[5], NULL, 10),
		.instruction_limit = strtoull(argv[6], NULL, 10),
	};
	must(mxhipSetLaunchOptions(&options), "options");
	must(hipModuleLaunchKernel(program, groups, 1, 1, items, 1, 1, 0, NULL, (void *[]){ &out },
	                           NULL),
	     "launch");
	int status = print_findings(mxhipReport(), (uintptr_t)out, bytes) ? 1
	             : fwrite(out, bytes, 1, stdout) != 1                 ? 2
	                                                                  : 0;
	must(hipModuleUnload(module), "unload");
	must(hipFree(out), "free");
	return status;
}
