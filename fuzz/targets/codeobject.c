/* Fuzz target: a code object or bundle, read part by part and loaded by the runtime. */
#include "../../ref/hip/runtime.h"
#include "target.h"

/* Reads every part, even if parts before it cannot be read. */
static void read_parts(struct mx_codeobject *co) {
	struct mx_codeobject_error why;
	const struct mx_codeobject_kernels *kernels;
	const struct mx_metadata *metadata;
	const struct mx_image *image;
	const struct mx_code *code;
	mx_codeobject_check(co, &why);
	mx_codeobject_metadata(co, &metadata, &why);
	mx_codeobject_image(co, &image, &why);
	mx_codeobject_kernels(co, &kernels, &why);
	if (mx_codeobject_code(co, &code, &why))
		return;
	for (const struct mx_code_symbol *s = NULL; (s = mx_code_next(code, s));)
		mx_code_end(code, s);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
	struct mx_codeobject_error why;
	struct mx_codeobject *co;
	struct ihipModule_t *m;
	if (!mx_codeobject_open(data, size, &co, &why)) {
		read_parts(co);
		mx_codeobject_close(co);
	}
	if (mx_module_load(data, size, 0, &m) == hipSuccess)
		mx_module_free(m);
	return 0;
}
