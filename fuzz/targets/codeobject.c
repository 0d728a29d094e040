/* Fuzz target: the code object loader, on a whole ELF file. */
#include "../../ref/hip/runtime.h"
#include "target.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
	struct ihipModule_t *m;
	if (mx_codeobject_load(data, size, &m) == hipSuccess)
		mx_codeobject_free(m);
	return 0;
}
