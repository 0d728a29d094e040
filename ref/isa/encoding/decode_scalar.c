/* Fields of the scalar formats: SOP1, SOP2, SOPC, SOPK, SOPP, SMEM [ISA 13.1, 13.2]. */
#include "decode.h"

void mx_decode_sop(struct mx_inst *in) {
	in->imm = (int16_t)in->dwords[0];
}

void mx_decode_smem(struct mx_inst *in) {
	uint32_t w = in->dwords[0], x = in->dwords[1];
	in->size = 8;
	in->mem.glc = mx_bits(w, 16, 16);
	bool imm = mx_bits(w, 17, 17);
	in->imm = imm ? mx_sign_extend(mx_bits(x, 20, 0), 21) : 0;
}
