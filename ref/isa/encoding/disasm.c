/* The disassembler: prints operands and modifiers in the order of the form's row in the table. */
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "disasm.h"

/* ---- the text ---- */

/* Most calls are for commas and plain words, for which vsnprintf takes long. */
void mx_put(struct mx_text *t, const char *format, ...) {
	va_list ap;
	size_t n = strcspn(format, "%"), room = t->room - t->length;
	if (!format[n] && n < room) {
		memcpy(t->text + t->length, format, n + 1);
	} else {
		va_start(ap, format);
		n = (size_t)vsnprintf(t->text + t->length, room, format, ap);
		va_end(ap);
	}
	t->length = n < room ? t->length + n : t->room - 1;
}

uint64_t mx_text_literal(struct mx_text *t, unsigned dwords) {
	size_t at = t->dwords - t->literal;
	bool other = t->literal && t->literal != dwords;
	if (other || at + dwords > t->left) {
		t->invalid = true;
		return 0;
	}
	t->literal = dwords;
	t->dwords = at + dwords;
	return t->code[at] | (dwords > 1 ? (uint64_t)t->code[at + 1] << 32 : 0);
}

unsigned mx_text_field(const struct mx_text *t, const char *name) {
	return mx_field(t->format, t->code, name);
}

bool mx_text_bit(const struct mx_text *t, const char *name, unsigned i) {
	return mx_field_bit(t->format, t->code, name, i);
}

static void each_word(struct mx_text *t, const char *list,
                      void (*put)(struct mx_text *, const char *)) {
	char word[MX_ROW_WORD];
	while ((list = mx_row_word(list, word)))
		put(t, word);
}

/* The suffix of a form with DPP: none of a comparison. */
static void put_name(struct mx_text *t) {
	const char *name = mx_text(t->form->name), *suffix = mx_text(t->form->suffix);
	int bare = (int)(strlen(name) - strlen(suffix));
	bool plain = !mx_adds_dpp(t->format);
	bool compares = t->form->format == MX_FORM_VOPC;
	bool short_form = t->form->format == MX_FORM_VOP1 || t->form->format == MX_FORM_VOP2;
	mx_put(t, "%.*s%s", bare, name,
	       plain        ? suffix
	       : compares   ? ""
	       : short_form ? "_dpp"
	                    : "_e64_dpp");
}

/* Writes the instruction, or the half of it, that a row describes. */
static void put_row(struct mx_text *t) {
	t->listed = false;
	put_name(t);
	each_word(t, mx_text(t->form->operands), mx_put_operand);
	each_word(t, mx_text(t->form->modifiers), mx_put_modifier);
}

/* The second half of two operations in one instruction. */
static void put_second(struct mx_text *t) {
	t->format += 1;
	t->form = mx_isa_row_in(t->set, t->format, t->code, t->left);
	t->invalid |= !t->form;
	if (t->invalid)
		return;
	mx_put(t, " :: ");
	put_row(t);
}

/* Writes the text in one format and returns the size in dwords, or 0 if the dwords are no valid
 * instruction of this format. *remark: the instruction is of this format but not valid, so no other
 * format is tried. */
static size_t in_format(const struct mx_encodings *set, mx_microcode format, const uint32_t *code,
                        size_t left, unsigned banks, char *text, size_t room, bool *remark) {
	const struct mx_isa_row *f = mx_isa_row_in(set, format, code, left);
	if (!f)
		return 0;
	struct mx_text t = { .set = set,
		             .form = f,
		             .format = format,
		             .code = code,
		             .banks = banks,
		             .left = left,
		             .dwords = mx_microcode_dwords(format),
		             .text = text,
		             .room = room };
	put_row(&t);
	if (format == MX_FORM_VOPD_X || format == MX_FORM_VOPD3_X)
		put_second(&t);
	*remark = t.remark && !t.invalid;
	return t.invalid || t.remark ? 0 : t.dwords;
}

static size_t disassemble(const struct mx_encodings *set, const uint32_t *code, size_t left,
                          unsigned banks, char *text, size_t room) {
	size_t dwords = 0, i = 0;
	bool remark = false;
	mx_microcode format;
	char nothing[1];
	if (!room)
		text = nothing, room = sizeof nothing;
	while (!dwords && !remark && mx_microcode_next(set, code, left, &i, &format))
		dwords = in_format(set, format, code, left, banks, text, room, &remark);
	if (!dwords)
		text[0] = 0;
	return 4 * dwords;
}

size_t mx_gfx950_disassemble(const uint32_t *code, size_t left, unsigned banks, char *text,
                             size_t room) {
	(void)banks;
	return disassemble(&mx_gfx950_encodings, code, left, 0, text, room);
}

size_t mx_gfx1250_disassemble(const uint32_t *code, size_t left, unsigned banks, char *text,
                              size_t room) {
	return disassemble(&mx_gfx1250_encodings, code, left, banks, text, room);
}
