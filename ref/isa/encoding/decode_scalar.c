/* Fields of the scalar formats: SOP1, SOP2, SOPC, SOPK, SOPP, SMEM [ISA 13.1, 13.2]. */
#include "decode.h"
#include "operands.h"

void mx_decode_sop(struct mx_inst *in) {
	uint32_t w = in->dwords[0];
	in->src[0] = mx_bits(w, 7, 0);
	in->src[1] = mx_bits(w, 15, 8);
	in->dst = mx_bits(w, 22, 16);
	in->imm = (int16_t)w;
	if (in->op->encoding == MX_SOPK)
		in->src[0] = in->dst;
}

/* SDATA is in SGPRs or VCC. A pair begins at an even number, a larger group at a multiple of four
 * [ISA 3.6.3, 8.4]. */
static bool smem_data_fits(const struct mx_inst *in) {
	unsigned first = in->mem.data, n = mx_smem_data_dwords(in), end = first + n;
	unsigned alignment = n > 2 ? 4 : n > 1 ? 2 : 1;
	return !n || (first % alignment == 0 &&
	              (end <= MX_SGPRS || (first >= MX_VCC && end <= MX_VCC + 2)));
}

static bool smem_base_fits(const struct mx_inst *in) {
	unsigned first = in->mem.rsrc, n = in->op->s[0];
	return n == 4 ? first % 4 == 0 && first + n <= MX_SGPRS : first != MX_M0;
}

void mx_decode_smem(struct mx_inst *in) {
	uint32_t w = in->dwords[0], x = in->dwords[1];
	in->size = 8;
	in->mem.rsrc = mx_bits(w, 5, 0) * 2;
	in->mem.data = mx_bits(w, 12, 6);
	in->mem.glc = mx_bits(w, 16, 16);
	bool soffset = mx_bits(w, 14, 14), imm = mx_bits(w, 17, 17);
	in->imm = imm ? mx_sign_extend(mx_bits(x, 20, 0), 21) : 0;
	in->mem.saddr = soffset || !imm;
	in->mem.soffset = soffset ? mx_bits(x, 31, 25) : mx_bits(x, 6, 0);
	if (!smem_data_fits(in))
		in->unsupported = "scalar memory with misaligned or invalid data registers";
	else if (!smem_base_fits(in))
		in->unsupported = "scalar memory with a misaligned or invalid base register";
}
