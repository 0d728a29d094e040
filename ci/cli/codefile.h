/* A code object file, as the commands read it. */
#ifndef MX_CODEFILE_H
#define MX_CODEFILE_H

#include "../../cases/case.h"
#include "../../ref/codeobject/codeobject.h"
#include "../../ref/isa/encoding/instruction_set.h"

struct mx_codefile {
	uint8_t *bytes; /* of the file */
	size_t n;
	struct mx_codeobject *object;
	const struct mx_code *code;
	const struct mx_isa *isa; /* of the code */
};

/* Opens a file with code of a known instruction set, and reads the code. 0, or -1 with err->text,
 * which names the file. mx_codefile_open: only if the emulator executes this code. */
int mx_codefile_open(const char *path, struct mx_codefile *f, struct mx_error *err);
int mx_codefile_open_text(const char *path, struct mx_codefile *f, struct mx_error *err);
void mx_codefile_close(struct mx_codefile *f);

#endif
