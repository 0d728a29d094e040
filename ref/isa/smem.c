/* Scalar loads [ISA chapter 8]. */
#include "machine.h"

static void land(struct mx_wave *w, struct mx_memop *m) {
	for (unsigned k = 0; k < m->in->op->d / 4u; k++) {
		uint32_t unwritten, v = mx_memory_read(w, m->address[0] + 4 * k, 4, &unwritten);
		mx_swrite(w, m->in->mem.data + k, v, unwritten ? ~0u : 0);
	}
}

/* The two low bits of the address count as zero [ISA 8.2.1.1]. One dword counts 1, more 2. */
void mx_exec_SMEM(struct mx_wave *w, const struct mx_inst *in);
void mx_exec_SMEM(struct mx_wave *w, const struct mx_inst *in) {
	unsigned n = in->op->d / 4u;
	uint64_t base = mx_sread64(w, in, in->mem.rsrc);
	uint32_t offset = in->mem.saddr ? mx_sread(w, in, in->mem.soffset) : 0;
	uint64_t address = (base + offset + (int64_t)in->imm) & ~3ull;
	if (mx_sread_unwritten(w, in->mem.rsrc) | mx_sread_unwritten(w, in->mem.rsrc + 1) |
	    (in->mem.saddr ? mx_sread_unwritten(w, in->mem.soffset) : 0))
		mx_find(w, in, MX_UNWRITTEN, -1, 0, "address from a scalar nobody wrote");
	if (in->mem.data + n > MX_VCC + 2) {
		mx_find(w, in, MX_UNSUPPORTED, -1, 0, "load into s%u and up", in->mem.data);
		return;
	}
	if (!mx_memory_check(w, in, -1, address, in->op->d, false))
		return;
	struct mx_memop *m = mx_memop_new(w, in);
	if (!m)
		return;
	m->address[0] = address;
	m->land = land;
	mx_memop_issue(w, &w->sm, m, n == 1 ? 1 : 2);
}
