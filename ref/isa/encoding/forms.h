/* Every form of every opcode of an instruction set, with a valid encoding as a sample. */
#ifndef MX_FORMS_H
#define MX_FORMS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct mx_isa;

/* A row of a table. */
struct mx_form {
	const char *name;   /* LLVM's: "v_add_f32_sdwa" */
	char opcode[64];    /* without the form: "v_add_f32" */
	const char *format; /* "SDWA2" */
	uint32_t code[4];   /* plain operands, no modifiers */
	size_t dwords;      /* 0: no valid encoding found */
};

/* Form i, in the order of the table; false beyond the last. */
bool mx_form_at(const struct mx_isa *isa, size_t i, struct mx_form *f);

/* Why compute kernels do not execute an opcode: "GWS", "debugger"; NULL if they do. Neither set
 * has image or export instructions. */
const char *mx_form_excluded(const char *opcode);

/* Why the emulator does not execute an opcode of compute kernels, if it does not. */
const char *mx_form_refused(const char *opcode);

#endif
