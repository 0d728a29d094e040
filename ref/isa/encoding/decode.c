/* The decoder: turns dwords into instructions, by microcode format [ISA chapter 13] and the rows of
 * gfx950.def. */
#include <string.h>

#include "decode.h"
#include "gfx950.h"

/* A literal constant follows a 32-bit instruction if a source is LITERAL. The 64-bit formats have
 * no literal: returns false. */
static bool take_literal(struct mx_inst *in) {
	bool literal = false;
	for (unsigned i = 0; i < 3; i++)
		literal |= mx_source(in, i) == MX_LITERAL;
	if (!literal)
		return true;
	bool fits = in->size == 4;
	in->literal = in->dwords[1];
	in->size = 8;
	return fits;
}

static void decode_fields(struct mx_inst *in, mx_microcode format) {
	switch (format) {
	case MX_FORM_SOP2:
	case MX_FORM_SOPK:
	case MX_FORM_SOP1:
	case MX_FORM_SOPC:
	case MX_FORM_SOPP: mx_decode_sop(in); return;
	case MX_FORM_SMEM: mx_decode_smem(in); return;
	case MX_FORM_VOP3: mx_decode_vop3(in); return;
	case MX_FORM_VOP3P:
		if (in->op->encoding == MX_MAI)
			mx_decode_matrix(in);
		else
			mx_decode_packed(in);
		return;
	case MX_FORM_SCALED: mx_decode_scaled(in); return;
	case MX_FORM_DS: mx_decode_ds(in); return;
	case MX_FORM_FLAT:
	case MX_FORM_SCRATCH:
	case MX_FORM_GLOBAL: mx_decode_flat(in); return;
	case MX_FORM_MUBUF:
	case MX_FORM_MTBUF: mx_decode_buffer(in); return;
	default: mx_decode_vop_short(in);
	}
}

/* Counters and streams until the instruction lands [ISA 4.4, 8.3, 12.6]. Scalar memory adds 1 for
 * one dword or cache line, otherwise 2. Lint takes scratch and FLAT for part of VM. */
static void find_counts(struct mx_inst *in) {
	mx_encoding e = in->op->encoding;
	bool message = mx_kind_of(in->op) == MX_IS_SENDMSG;
	bool wide = e == MX_SMEM && (in->op->d > 4 || in->op->flags & MX_TWO);
	bool scalar = e == MX_SMEM || e == MX_FLAT || message;
	in->streams = (uint8_t)((e > MX_DS) << MX_STREAM_VM | (e == MX_DS) << MX_STREAM_DS |
	                        scalar << MX_STREAM_SM);
	in->counts = MX_COUNT(MX_COUNTER_VM, e > MX_DS) |
	             MX_COUNT(MX_COUNTER_LGKM, (e == MX_DS) + scalar + wide);
}

static mx_counts waits_for(uint32_t simm16) {
	struct mx_wait wait = mx_wait_of(simm16);
	return MX_COUNT(MX_COUNTER_VM, wait.vmcnt) | MX_COUNT(MX_COUNTER_LGKM, wait.lgkmcnt);
}

void mx_gfx950_decode(const uint32_t *code, size_t left, uint32_t offset, struct mx_inst *in) {
	*in = (struct mx_inst){ .offset = offset, .size = 4 };
	memcpy(in->dwords, code, 4 * (left < 4 ? left : 4));
	const struct mx_isa_row *row = mx_isa_row_of(&mx_gfx950_encodings, in->dwords, left);
	if (!row || row->op >= MX_OPS)
		return;
	in->op = &mx_gfx950_sized_ops()[row->op];
	decode_fields(in, row->format);
	mx_find_operands(&mx_gfx950_encodings, row, row->format, in);
	if (!take_literal(in) || in->size > 4 * left) {
		in->op = NULL;
		in->registers = 0;
		return;
	}
	if (mx_kind_of(in->op) == MX_IS_WAITCNT)
		in->wait = waits_for((uint16_t)in->imm);
	find_counts(in);
	mx_check_decoded(&mx_gfx950_encodings, in);
	if (!in->unsupported && !mx_isa_row_is_clear(row, row->format, in->dwords))
		in->unsupported = "an encoding that LLVM does not accept";
}
