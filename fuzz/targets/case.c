/* Fuzz target: the reader of case files, and the evaluation of their expressions. */
#define _GNU_SOURCE
#include "memory_file.h"

#include "../../cases/case.h"
#include "target.h"

/* Every run at its own shape, and a shape that suits no case. */
static void plan(const struct mx_case *c) {
	static struct mx_plan p;
	struct mx_error err;
	for (unsigned i = 0; i < c->n_runs; i++) {
		const struct mx_run_spec *r = &c->runs[i];
		uint64_t address[MX_MAX_BUFFERS] = { 0 };
		struct mx_case_run run = mx_run_of(r, c->variants);
		if (mx_plan_make_run(c, &run, &p, &err))
			continue;
		for (unsigned k = 0; k < p.n_steps; k++) {
			uint8_t *kernarg = malloc(p.steps[k].kernarg_bytes + 1);
			if (kernarg)
				mx_plan_kernarg(&p, k, address, kernarg, &err);
			free(kernarg);
		}
	}
	mx_plan_make(c, 3, 1, 1, MX_REGIME_SPECIAL, &p, &err);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
	struct mx_case *c;
	struct mx_error err;
	if (!mx_case_load(memory_file(data, size), &c, &err)) {
		plan(c);
		mx_case_free(c);
	}
	memory_file_close();
	return 0;
}
