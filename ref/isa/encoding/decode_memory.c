/* Fields of DS, FLAT with its segments, and buffers [ISA 13.4 to 13.6]. */
#include "decode.h"

/* Data of 64 bits or more begins in an even register, except for ds_read_b96_tr_b6 [ISA 11.4]. */
static bool ds_register_is_odd(const struct mx_inst *in) {
	uint64_t flags = in->op->flags;
	bool wide = in->op->d > 4;
	return in->op->id != MX_OP_ds_read_b96_tr_b6 &&
	       ((flags & MX_LOAD && (wide || flags & MX_TWO) && in->dst % 2) ||
	        (flags & MX_STORE && wide && in->mem.data % 2) ||
	        (flags & MX_STORE && wide && flags & (MX_TWO | MX_SECOND) && in->src[1] % 2));
}

void mx_decode_ds(struct mx_inst *in) {
	uint32_t w = in->dwords[0], x = in->dwords[1];
	bool acc = mx_bits(w, 25, 25);
	in->size = 8;
	if (mx_bits(w, 16, 16))
		in->unsupported = "GDS";
	in->mem.addr = MX_VGPR + mx_bits(x, 7, 0);
	in->mem.data = mx_data_register(mx_bits(x, 15, 8), acc);
	in->src[1] = mx_data_register(mx_bits(x, 23, 16), acc);
	in->dst = mx_data_register(mx_bits(x, 31, 24), acc);
	in->imm = mx_bits(w, 15, 0);
	in->mem.offset1 = mx_bits(w, 15, 8);
	if (ds_register_is_odd(in))
		in->unsupported = "odd register for 64 bits or more";
}

/* Operands of 64 bits or more begin in an even register. */
static void check_even(struct mx_inst *in) {
	const struct mx_op *op = in->op;
	if (op->flags & MX_FORMAT || in->mem.lds)
		return;
	bool wide = op->d > 4, two = in->mem.addr % 2 && op->encoding < MX_MUBUF &&
	                             op->encoding != MX_SCRATCH && !in->mem.saddr;
	bool odd = (wide || op->flags & MX_SECOND) && in->mem.data % 2;
	if (two || odd || (wide && op->rmw && in->mem.sc0 && in->dst % 2))
		in->unsupported = "odd register for 64 bits or more";
}

void mx_decode_flat(struct mx_inst *in) {
	uint32_t w = in->dwords[0], x = in->dwords[1];
	enum { NO_SADDR = 0x7f };
	mx_encoding e = in->op->encoding;
	bool acc = mx_bits(x, 23, 23);
	in->size = 8;
	in->imm = e == MX_FLAT ? (int32_t)mx_bits(w, 11, 0) : mx_sign_extend(mx_bits(w, 12, 0), 13);
	in->mem.vaddr = mx_bits(w, 13, 13);
	in->mem.sc0 = mx_bits(w, 16, 16);
	in->mem.nt = mx_bits(w, 17, 17);
	in->mem.sc1 = mx_bits(w, 25, 25);
	in->mem.addr = MX_VGPR + mx_bits(x, 7, 0);
	in->mem.data = mx_data_register(mx_bits(x, 15, 8), acc);
	in->mem.rsrc = mx_bits(x, 22, 16);
	in->mem.saddr = e != MX_FLAT && in->mem.rsrc != NO_SADDR;
	in->dst = mx_data_register(mx_bits(x, 31, 24), acc);
	if (in->op->flags & MX_LOAD)
		in->mem.data = in->dst;
	in->mem.lds = in->op->flags & MX_TO_LDS;
	check_even(in);
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
	in->mem.format = mx_bits(w, 25, 19); /* MTBUF */
	in->mem.addr = MX_VGPR + mx_bits(x, 7, 0);
	in->mem.data = in->dst = mx_data_register(mx_bits(x, 15, 8), mx_bits(x, 23, 23));
	in->mem.rsrc = mx_bits(x, 20, 16) * 4;
	in->mem.soffset = mx_bits(x, 31, 24);
	check_even(in);
	if (in->mem.soffset == MX_LITERAL)
		in->unsupported = "literal SOFFSET";
}
