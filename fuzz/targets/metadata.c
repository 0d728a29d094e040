/* Fuzz target: the reader of kernel metadata, on the MessagePack of a note. */
#include <stdlib.h>

#include "../../ref/hip/runtime.h"
#include "target.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
	struct ihipModule_t *m = calloc(1, sizeof *m);
	char target[64];
	if (m)
		mx_metadata_read(data, size, m, target);
	mx_codeobject_free(m);
	return 0;
}
