/* Fuzz target: the commands that read code objects, on a whole ELF file. */
#define _GNU_SOURCE
#include "memory_file.h"

#include "../../ci/command.h"
#include "target.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
	const char *path = memory_file(data, size);
	char *lint[] = { "lint", "--notes", (char *)path, NULL };
	char *isa[] = { "isa", (char *)path, NULL };
	char *disasm[] = { "disasm", (char *)path, NULL };
	be_silent();
	mx_cmd_lint(3, lint);
	mx_cmd_isa(2, isa);
	mx_cmd_disasm(2, disasm);
	be_loud();
	memory_file_close();
	return 0;
}
