/* The list of forms: each has an encoding that the disassembler prints with its name, and that the
 * decoder, if it supports the opcode, decodes as the same opcode with the same size. The types
 * of vector operands and the bytes of memory in opcodes.def have the sizes of LLVM's operands, and
 * operands are at the positions that the executor reads. */
#include "../../ref/isa/encoding/instruction_set.h"
#include "../../ref/isa/encoding/forms.h"
#include "../../ref/isa/encoding/inst.h"
#include "../../ref/isa/encoding/operands.h"
#include "../../ref/isa/isa.h"
#include "../tap.h"

#include <stdio.h>
#include <string.h>

static bool text_is(const struct mx_form *f) {
	char text[200];
	size_t bytes = mx_gfx950.disassemble(f->code, 4, 0, text, sizeof text), n = strlen(f->name);
	bool good = bytes && bytes == 4 * f->dwords && !strncmp(text, f->name, n) &&
	            (!text[n] || text[n] == ' ');
	if (!good)
		diag("%s %s: %08x %08x is '%s'", f->format, f->name, f->code[0], f->code[1], text);
	return good;
}

static bool decoder_agrees(const struct mx_form *f) {
	struct mx_inst in;
	mx_gfx950.decode(f->code, f->dwords, 0, &in);
	bool good = !in.op || (!strcmp(f->opcode, in.op->name) && in.size == 4 * f->dwords);
	if (!good)
		diag("%s %s is decoded as %s of %u bytes", f->format, f->name, in.op->name,
		     in.size);
	return good;
}

static unsigned registers_of_data(const struct mx_op *op) {
	bool half = op->flags & (MX_D16 | MX_D16_HI);
	unsigned n = op->flags & MX_FORMAT ? half ? (op->d + 1u) / 2 : op->d : (op->d + 3u) / 4;
	return op->encoding == MX_DS && op->flags & MX_TWO && op->flags & MX_LOAD ? 2 * n : n;
}

/* Whether a type or the bytes of a row of opcodes.def have LLVM's size of an operand. */
static bool same_size(const struct mx_inst *in, const struct mx_operand *o) {
	const struct mx_op *op = in->op;
	bool memory = op->unit == MX_UNIT_MEMORY || op->encoding == MX_SMEM;
	if (!mx_has_lanes(op) && !memory)
		return true;
	switch (o->role) {
	case MX_AS_D: return o->dwords == (memory ? registers_of_data(op) : op->d);
	case MX_AS_SRC0: return o->dwords == op->s[0];
	case MX_AS_SRC1: return o->dwords == op->s[1];
	case MX_AS_SRC2: return o->dwords == op->s[2];
	default: return true;
	}
}

static bool sizes_agree(const struct mx_form *f) {
	struct mx_inst in;
	mx_gfx950.decode(f->code, f->dwords, 0, &in);
	MX_FOR_OPERANDS(o, &in)
		if (!same_size(&in, o)) {
			diag("%s %s: role %u has %u dwords", f->format, f->name, o->role,
			     o->dwords);
			return false;
		}
	return true;
}

/* Whether an operand at this position is read or written as the position says. */
static bool is_placed(const struct mx_inst *in, unsigned i) {
	const struct mx_operand *o = &in->operand[i];
	bool constant = o->code >= MX_SGPR_FILE && o->code < MX_VGPR && o->code != MX_SCC &&
	                !mx_tests_zero(o->code);
	return !o->dwords
	               ? !(in->registers >> i & 1)
	               : o->written == (i >= MX_AT_RESULT) && (in->registers >> i & 1) == !constant;
}

/* The positions of the sources and results that the row of opcodes.def has. */
static unsigned positions_of(const struct mx_op *op) {
	unsigned positions = 0;
	for (unsigned i = 0; i < 3; i++)
		positions |= (op->s[i] != 0) << (MX_AT_SRC0 + i);
	positions |= (op->d != 0) << MX_AT_RESULT;
	if (op->unit == MX_UNIT_VCMP)
		positions |= 1 << MX_AT_RESULT;
	else if (op->flags & MX_CARRY_OUT)
		positions |= 1 << MX_AT_MASK;
	return positions | (op->flags & MX_CARRY_IN ? 1 << MX_AT_SRC2 : 0);
}

static bool positions_agree(const struct mx_form *f) {
	struct mx_inst in;
	unsigned placed = 0, filled = 0;
	mx_gfx950.decode(f->code, f->dwords, 0, &in);
	for (unsigned i = 0; i < MX_MAX_OPERANDS; i++) {
		placed += is_placed(&in, i);
		filled |= mx_has_operand(&in, i) << i;
	}
	bool alu = in.op && (mx_has_lanes(in.op) || in.op->unit == MX_UNIT_SALU);
	bool good = placed == MX_MAX_OPERANDS && (!alu || !(positions_of(in.op) & ~filled));
	if (!good)
		diag("%s %s has operands at positions %x", f->format, f->name, filled);
	return good && !(in.unsupported && strstr(in.unsupported, "positions"));
}

/* Whether some form uses this row of opcodes.def, so that no row is dead or misnamed. */
static size_t count_met(const bool *met) {
	size_t n = 0;
	for (size_t i = 0; i < mx_gfx950.n_ops; i++) {
		n += met[i];
		if (!met[i])
			diag("%s has no form", mx_gfx950.ops[i].name);
	}
	return n;
}

static void note_met(const struct mx_form *f, bool *met) {
	struct mx_inst in;
	mx_gfx950.decode(f->code, f->dwords, 0, &in);
	if (in.op)
		met[in.op->id] = true;
}

/* Each row of gfx1250 has a sample, and the decoder has its size. */
static void test_gfx1250(void) {
	struct mx_form f;
	struct mx_inst in;
	size_t n = 0, whole = 0;
	for (; mx_form_at(&mx_gfx1250, n, &f); n++) {
		mx_gfx1250.decode(f.code, f.dwords, 0, &in);
		bool good = f.dwords && in.size == 4 * f.dwords;
		if (!good)
			diag("%s %s: %zu dwords", f.format, f.name, f.dwords);
		whole += good;
	}
	ok(n > 1700 && whole == n, "each of %zu forms of gfx1250 has a valid sample", n);
}

int main(void) {
	struct mx_form f;
	size_t n = 0, texts = 0, agree = 0, sizes = 0, positions = 0;
	static bool met[MX_OPS];
	for (; mx_form_at(&mx_gfx950, n, &f); n++) {
		texts += text_is(&f);
		agree += decoder_agrees(&f);
		sizes += sizes_agree(&f);
		positions += positions_agree(&f);
		note_met(&f, met);
	}
	ok(n > 1900 && texts == n, "each of %zu forms disassembles to its name", n);
	ok(agree == n, "the decoder agrees on opcode and size");
	ok(sizes == n, "types and bytes in opcodes.def have the sizes of operands");
	ok(positions == n, "operands are at the positions of opcodes.def, none is left out");
	ok(count_met(met) == mx_gfx950.n_ops, "each of %zu rows of opcodes.def has a form",
	   mx_gfx950.n_ops);
	ok(!mx_form_excluded("s_add_u32") && mx_form_excluded("ds_gws_init") &&
	           mx_form_excluded("s_trap"),
	   "GWS and debugger instructions are excluded");
	test_gfx1250();
	done_testing();
	return 0;
}
