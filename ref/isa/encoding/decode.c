/* From dwords to instructions: the microcode formats [ISA chapter 13] over opcodes.def. */
#include <string.h>

#include "decode.h"

/* A literal constant follows a 32-bit instruction where a source asks for it;
 * the 64-bit formats have none. */
static void take_literal(struct mx_inst *in) {
	if (in->op->handler == mx_x_s_setreg_imm32_b32) { /* the one of SOPK */
		in->literal = in->dwords[1];
		in->size = 8;
	}
	for (unsigned i = 0; i < 3; i++)
		if (in->op->s[i] && in->src[i] == MX_LITERAL) {
			in->literal = in->dwords[1];
			if (in->size == 4)
				in->size = 8;
			else
				in->op = NULL;
			return;
		}
}

static void decode_format(struct mx_inst *in, size_t left) {
	uint32_t w = in->dwords[0];
	if (mx_bits(w, 31, 31) == 0)
		mx_decode_vop_short(in, mx_bits(w, 31, 25) == 0x3f   ? MX_VOP1
		                        : mx_bits(w, 31, 25) == 0x3e ? MX_VOPC
		                                                     : MX_VOP2);
	else if (mx_bits(w, 31, 23) == 0x17d)
		mx_decode_sop(in, MX_SOP1);
	else if (mx_bits(w, 31, 23) == 0x17e)
		mx_decode_sop(in, MX_SOPC);
	else if (mx_bits(w, 31, 23) == 0x17f)
		mx_decode_sop(in, MX_SOPP);
	else if (mx_bits(w, 31, 28) == 0xb)
		mx_decode_sop(in, MX_SOPK);
	else if (mx_bits(w, 31, 30) == 2)
		mx_decode_sop(in, MX_SOP2);
	else if (left < 2)
		return;
	else if (mx_bits(w, 31, 26) == 0x30)
		mx_decode_smem(in);
	else if (mx_bits(w, 31, 23) == 0x1a7)
		mx_decode_vop3p(in, left);
	else if (mx_bits(w, 31, 26) == 0x34)
		mx_decode_vop3(in);
	else if (mx_bits(w, 31, 26) == 0x36)
		mx_decode_ds(in);
	else if (mx_bits(w, 31, 26) == 0x37)
		mx_decode_flat(in);
	else if (mx_bits(w, 31, 26) == 0x38)
		mx_decode_buffer(in, MX_MUBUF);
	else if (mx_bits(w, 31, 26) == 0x3a)
		mx_decode_buffer(in, MX_MTBUF);
}

void mx_decode(const uint32_t *code, size_t left, uint32_t offset, struct mx_inst *in) {
	*in = (struct mx_inst){ .offset = offset, .size = 4 };
	memcpy(in->dwords, code, 4 * (left < 4 ? left : 4));
	decode_format(in, left);
	if (!in->op)
		return;
	take_literal(in);
	if (in->op)
		mx_check_decoded(in);
	if (in->size > 4 * left)
		in->op = NULL;
	if (in->op && !in->unsupported && !mx_text_exists(code, left))
		in->unsupported = "an encoding that LLVM does not know";
}
