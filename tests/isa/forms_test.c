/* The list of forms: each has an encoding that is an instruction of its name to the
 * disassembler, and the decoder takes it for the same opcode of the same size, if any. */
#include "../../ref/isa/encoding/disasm.h"
#include "../../ref/isa/encoding/forms.h"
#include "../../ref/isa/encoding/inst.h"
#include "../tap.h"

#include <stdio.h>
#include <string.h>

static bool text_is(const struct mx_form *f) {
	char text[200];
	size_t bytes = mx_disassemble(f->code, 4, 0, text, sizeof text), n = strlen(f->name);
	bool good = bytes && bytes == 4 * f->dwords && !strncmp(text, f->name, n) &&
	            (!text[n] || text[n] == ' ');
	if (!good)
		diag("%s %s: %08x %08x is '%s'", f->format, f->name, f->code[0], f->code[1], text);
	return good;
}

static bool decoder_agrees(const struct mx_form *f) {
	struct mx_inst in;
	mx_decode(f->code, f->dwords, 0, &in);
	bool good = !in.op || (!strcmp(f->opcode, in.op->name) && in.size == 4 * f->dwords);
	if (!good)
		diag("%s %s is decoded as %s of %u bytes", f->format, f->name, in.op->name,
		     in.size);
	return good;
}

/* Every row of opcodes.def is met by some form: none is dead or misnamed. */
static bool is_met(const struct mx_op *op) {
	struct mx_form f;
	for (size_t i = 0; mx_form_at(i, &f); i++) {
		struct mx_inst in;
		mx_decode(f.code, f.dwords, 0, &in);
		if (in.op == op)
			return true;
	}
	diag("%s has no form", op->name);
	return false;
}

size_t mx_op_count(void);

int main(void) {
	struct mx_form f;
	size_t n = 0, texts = 0, agree = 0, met = 0;
	for (; mx_form_at(n, &f); n++) {
		texts += text_is(&f);
		agree += decoder_agrees(&f);
	}
	for (size_t i = 0; i < mx_op_count(); i++)
		met += is_met(&mx_ops[i]);
	ok(n > 1900 && texts == n, "each of %zu forms disassembles to its name", n);
	ok(agree == n, "the decoder agrees on opcode and size");
	ok(met == mx_op_count(), "each of %zu rows of opcodes.def is a form's", mx_op_count());
	ok(!mx_form_excluded("s_add_u32") && mx_form_excluded("ds_gws_init") &&
	           mx_form_excluded("s_trap"),
	   "GWS and debugger instructions are apart");
	done_testing();
	return 0;
}
