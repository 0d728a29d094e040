/* Every form of every gfx950 opcode, with an encoding that the machine can be asked about. */
#ifndef MX_FORMS_H
#define MX_FORMS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A row of gfx950.def. */
struct mx_form {
	const char *name;   /* LLVM's: "v_add_f32_sdwa" */
	char opcode[64];    /* without the form: "v_add_f32" */
	const char *format; /* "SDWA2" */
	uint32_t code[4];   /* plain operands, no modifiers */
	size_t dwords;      /* 0: there is no valid one */
};

/* Form i, in the order of gfx950.def; false beyond the last. */
bool mx_form_at(size_t i, struct mx_form *f);

/* Why an opcode is outside what a compute kernel executes: "GWS", "debugger"; NULL where it
 * is not. gfx950 has no image and no export instructions. */
const char *mx_form_excluded(const char *opcode);

#endif
