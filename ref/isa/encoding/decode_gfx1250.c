/* The decoder of gfx1250: so far sizes and branches. No instruction is executed. */
#include <string.h>

#include "decode.h"
#include "disasm.h"

/* Opcodes of gfx950 with the same effect. */
static const struct {
	const char *name;
	mx_opcode op;
} same[] = {
	{ "s_branch", MX_OP_s_branch },
	{ "s_cbranch_scc0", MX_OP_s_cbranch_scc0 },
	{ "s_cbranch_scc1", MX_OP_s_cbranch_scc1 },
	{ "s_cbranch_vccz", MX_OP_s_cbranch_vccz },
	{ "s_cbranch_vccnz", MX_OP_s_cbranch_vccnz },
	{ "s_cbranch_execz", MX_OP_s_cbranch_execz },
	{ "s_cbranch_execnz", MX_OP_s_cbranch_execnz },
	{ "s_call_i64", MX_OP_s_call_b64 },
};

static const struct mx_op *op_of(const struct mx_isa_row *row) {
	for (size_t i = 0; row && i < sizeof same / sizeof *same; i++)
		if (!strcmp(same[i].name, row->name))
			return &mx_gfx950_ops[same[i].op];
	return NULL;
}

void mx_gfx1250_decode(const uint32_t *code, size_t left, uint32_t offset, struct mx_inst *in) {
	*in = (struct mx_inst){ .offset = offset, .unsupported = "not executed yet" };
	memcpy(in->dwords, code, 4 * (left < 4 ? left : 4));
	size_t bytes = mx_gfx1250_disassemble(code, left, 0, NULL, 0);
	in->size = bytes ? (uint8_t)bytes : 4;
	if (!bytes)
		return;
	in->op = op_of(mx_isa_row_of(&mx_gfx1250_encodings, in->dwords, left));
	in->imm = (int16_t)in->dwords[0];
}

/* s_set_vgpr_msb has the banks in its low byte; the other byte has the former ones, for a trap
 * handler. */
unsigned mx_gfx1250_banks_after(const uint32_t *code, size_t left, unsigned banks) {
	static const char *const terminators[] = { "s_branch",   "s_cbranch_", "s_endpgm",
		                                   "s_code_end", "s_set_pc_",  "s_add_pc_" };
	const struct mx_isa_row *row = mx_isa_row_of(&mx_gfx1250_encodings, code, left);
	if (row && !strcmp(row->name, "s_set_vgpr_msb"))
		return code[0] & 0xff;
	for (size_t i = 0; row && i < sizeof terminators / sizeof *terminators; i++)
		if (!strncmp(row->name, terminators[i], strlen(terminators[i])))
			return 0;
	return banks;
}
