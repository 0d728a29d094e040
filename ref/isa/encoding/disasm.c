/* The disassembler: prints operands and modifiers in the order of the form's row in gfx950.def. */
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "disasm.h"

/* ---- the text ---- */

void mx_put(struct mx_text *t, const char *format, ...) {
	va_list ap;
	va_start(ap, format);
	int n = vsnprintf(t->text + t->length, t->room - t->length, format, ap);
	va_end(ap);
	size_t end = t->length + (size_t)n;
	t->length = end < t->room ? end : t->room - 1;
}

uint32_t mx_text_literal(struct mx_text *t) {
	size_t at = t->dwords - t->literal;
	if (at >= t->left) {
		t->invalid = true;
		return 0;
	}
	t->literal = true;
	t->dwords = at + 1;
	return t->code[at];
}

unsigned mx_text_field(const struct mx_text *t, const char *name) {
	return mx_field(t->form->format, t->code, name);
}

bool mx_text_bit(const struct mx_text *t, const char *name, unsigned i) {
	return mx_field_bit(t->form->format, t->code, name, i);
}

static void each_word(struct mx_text *t, const char *list,
                      void (*put)(struct mx_text *, const char *)) {
	char word[32];
	for (int n; sscanf(list, "%31s%n", word, &n) == 1; list += n)
		put(t, word);
}

/* Writes the text in one format and returns the size in dwords, or 0 if the dwords are no valid
 * instruction of this format. *remark: the instruction is of this format but not valid, so no other
 * format is tried. */
static size_t in_format(mx_microcode format, const uint32_t *code, size_t left, char *text,
                        size_t room, bool *remark) {
	const struct mx_isa_row *f = mx_isa_row_in(format, code, left);
	if (!f)
		return 0;
	struct mx_text t = {
		f, code, left, mx_microcode_dwords(format), .text = text, .room = room
	};
	mx_put(&t, "%s", f->name);
	each_word(&t, f->operands, mx_put_operand);
	each_word(&t, f->modifiers, mx_put_modifier);
	*remark = t.remark && !t.invalid;
	return t.invalid || t.remark ? 0 : t.dwords;
}

size_t mx_gfx950_disassemble(const uint32_t *code, size_t left, uint64_t pc, char *text,
                             size_t room) {
	(void)pc;
	size_t dwords = 0, i = 0;
	bool remark = false;
	mx_microcode format;
	char nothing[1];
	if (!room)
		text = nothing, room = sizeof nothing;
	while (!dwords && !remark && mx_microcode_next(code, left, &i, &format))
		dwords = in_format(format, code, left, text, room, &remark);
	if (!dwords)
		text[0] = 0;
	return 4 * dwords;
}
