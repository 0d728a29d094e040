/* Fuzz target: the reader of kernel metadata, on the MessagePack of a note. */
#include "../../ref/codeobject/codeobject.h"
#include "target.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
	struct mx_metadata m = { 0 };
	struct mx_codeobject_error why;
	mx_metadata_read(data, size, &m, &why);
	mx_metadata_free(&m);
	return 0;
}
