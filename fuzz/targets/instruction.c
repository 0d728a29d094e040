/* Fuzz target: decoder and disassembler, on arbitrary dwords of any number. */
#include <stdlib.h>
#include <string.h>

#include "../../ref/isa/encoding/instruction_set.h"
#include "target.h"

/* Neither reads past the end, and a short buffer holds a prefix of the text. */
static void one(const uint32_t *code, size_t left) {
	char text[200], cut[7];
	struct mx_inst in;
	size_t bytes = mx_gfx950.disassemble(code, left, 0, text, sizeof text);
	mx_gfx950.decode(code, left, 0, &in);
	mx_gfx950.disassemble(code, left, 0, cut, sizeof cut);
	if (bytes > 4 * left || (in.op && in.size > 4 * left) ||
	    (bytes && strlen(text) >= sizeof text - 1) || strncmp(cut, text, strlen(cut)))
		abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
	size_t n = size / 4;
	for (size_t i = 0; i < n; i++) {
		uint32_t *code =
			malloc(4 * (n - i)); /* so that a sanitizer detects a read past the end */
		if (!code)
			return 0;
		memcpy(code, data + 4 * i, 4 * (n - i));
		one(code, n - i);
		free(code);
	}
	return 0;
}
