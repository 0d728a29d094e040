/* Fuzz target: the reader of .npy files. An accepted file has all bytes of its shape. */
#include <stdlib.h>

#include "../../cases/npy.h"
#include "target.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
	uint8_t sum = 0;
	struct mx_npy a;
	struct mx_error err;
	size_t rows, cols;
	if (mx_npy_parse("fuzz.npy", data, size, &a, &err))
		return 0;
	for (size_t i = 0; i < a.count * a.bytes; i++)
		sum ^= ((const uint8_t *)a.data)[i];
	__asm__ volatile("" : : "r"(sum));
	if (!mx_npy_matrix("fuzz.npy", &a, &rows, &cols, &err) && rows * cols != a.count)
		abort();
	mx_npy_free(&a);
	return 0;
}
