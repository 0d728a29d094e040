/* Fields of DS, FLAT with its segments, and buffers [ISA 13.4 to 13.6]. */
#include "decode.h"

void mx_decode_ds(struct mx_inst *in) {
	uint32_t w = in->dwords[0];
	in->size = 8;
	if (mx_bits(w, 16, 16))
		in->unsupported = "GDS";
	in->imm = mx_bits(w, 15, 0);
	in->mem.offset1 = mx_bits(w, 15, 8);
}

void mx_decode_flat(struct mx_inst *in) {
	uint32_t w = in->dwords[0];
	mx_encoding e = in->op->encoding;
	in->size = 8;
	in->imm = e == MX_FLAT ? (int32_t)mx_bits(w, 11, 0) : mx_sign_extend(mx_bits(w, 12, 0), 13);
	in->mem.sc0 = mx_bits(w, 16, 16);
	in->mem.nt = mx_bits(w, 17, 17);
	in->mem.sc1 = mx_bits(w, 25, 25);
	in->mem.system = in->mem.sc1 && (in->op->rmw || in->mem.sc0);
	in->mem.lds = in->op->flags & MX_TO_LDS;
}

void mx_decode_buffer(struct mx_inst *in) {
	uint32_t w = in->dwords[0], x = in->dwords[1];
	bool untyped = in->op->encoding == MX_MUBUF;
	in->size = 8;
	in->imm = mx_bits(w, 11, 0);
	in->mem.offen = mx_bits(w, 12, 12);
	in->mem.idxen = mx_bits(w, 13, 13);
	in->mem.sc0 = mx_bits(w, 14, 14);
	in->mem.lds = untyped && mx_bits(w, 16, 16);
	in->mem.sc1 = untyped ? mx_bits(w, 15, 15) : mx_bits(x, 21, 21);
	in->mem.nt = untyped ? mx_bits(w, 17, 17) : mx_bits(x, 22, 22);
	in->mem.system = in->mem.sc1 && (in->op->rmw || in->mem.sc0);
	in->mem.format = mx_bits(w, 25, 19); /* MTBUF */
}
