/* Vector memory: buffer and global loads and stores, and loads into LDS [ISA chapters 9, 10]. */
#include <string.h>

#include "machine.h"

/* ---- shared by every kind of load and store ---- */

static unsigned dwords(unsigned bytes) {
	return (bytes + 3) / 4;
}

static unsigned part_bytes(unsigned bytes, unsigned dword) {
	unsigned left = bytes - 4 * dword;
	return left < 4 ? left : 4;
}

uint32_t mx_extend(const struct mx_inst *in, uint32_t v, unsigned bytes) {
	unsigned flags = in->op->flags;
	if (bytes == 4)
		return v;
	if (flags & MX_SIGNED)
		v = bytes == 1 ? (uint32_t)(int8_t)v : (uint32_t)(int16_t)v;
	return flags & MX_D16_HI ? v << 16 : flags & MX_D16 ? v & 0xffff : v;
}

void mx_take_store_data(struct mx_wave *w, struct mx_memop *m, unsigned data, unsigned bytes,
                        bool to_memory) {
	unsigned shift = m->in->op->flags & MX_D16_HI ? 16 : 0, l;
	for (unsigned k = 0; k < dwords(bytes); k++) {
		unsigned row = mx_row(data) + k;
		uint32_t mask = ~0u >> (32 - 8 * part_bytes(bytes, k));
		MX_FOR_LANES(l, m->exec) {
			m->data[k][l] = w->v[row][l] >> shift;
			m->unwritten[k][l] = mx_vunwritten(w, row, l) >> shift & mask;
			if (to_memory && m->unwritten[k][l] && m->inside[l] >> k & 1)
				mx_find(w, m->in, MX_UNWRITTEN, (int)l, m->address[l] + 4 * k,
				        "stores bits that nobody wrote (mask 0x%x of dword %u)",
				        m->unwritten[k][l], k);
		}
	}
}

/* ---- landing ---- */

static uint32_t loaded(struct mx_wave *w, const struct mx_memop *m, unsigned lane, unsigned k,
                       uint32_t *unwritten) {
	unsigned bytes = part_bytes(m->in->op->d, k);
	*unwritten = 0;
	if (!(m->inside[lane] >> k & 1))
		return 0;
	uint32_t v = mx_memory_read(w, m->address[lane] + 4 * k, bytes, unwritten);
	*unwritten = mx_extend(m->in, *unwritten, bytes);
	return mx_extend(m->in, v, bytes);
}

static void land_load(struct mx_wave *w, struct mx_memop *m) {
	unsigned l;
	for (unsigned k = 0; k < dwords(m->in->op->d); k++) {
		MX_FOR_LANES(l, m->exec)
		m->data[k][l] = loaded(w, m, l, k, &m->unwritten[k][l]);
		mx_vwrite(w, mx_row(m->in->dst) + k, m->exec, m->data[k], m->unwritten[k]);
	}
}

/* Lanes outside the buffer write zeros (assumed: pipelined kernels rely on it), inactive ones
 * nothing [ISA 9.1.9]. */
static void land_lds(struct mx_wave *w, struct mx_memop *m) {
	struct mx_group *g = w->group;
	unsigned bytes = m->in->op->d, stride = bytes > 4 ? 16 : 4, l;
	MX_FOR_LANES(l, m->exec)
	for (unsigned k = 0; k < dwords(bytes); k++) {
		uint32_t at = m->lds + l * stride + 4 * k, unwritten;
		uint32_t v = loaded(w, m, l, k, &unwritten);
		if (at + 4 <= g->lds_bytes) {
			memcpy(g->lds + at, &v, 4);
			memcpy(g->lds_unwritten + at, &unwritten, 4);
			if (w->observed & MX_EVENT_LDS)
				mx_observe_lds(w, l, at, 4, true);
		}
	}
}

static void land_store(struct mx_wave *w, struct mx_memop *m) {
	unsigned bytes = m->in->op->d, l;
	MX_FOR_LANES(l, m->exec)
	for (unsigned k = 0; k < dwords(bytes); k++)
		if (m->inside[l] >> k & 1)
			mx_memory_write(w, m->address[l] + 4 * k, part_bytes(bytes, k),
			                m->data[k][l], m->unwritten[k][l]);
}

/* ---- issue ---- */

/* Every address must be good before anything of the instruction happens. */
static bool check_lanes(struct mx_wave *w, const struct mx_memop *m) {
	bool write = m->in->op->flags & MX_STORE;
	unsigned bytes = m->in->op->d, l;
	MX_FOR_LANES(l, m->exec)
	for (unsigned k = 0; k < dwords(bytes); k++)
		if (m->inside[l] >> k & 1 &&
		    !mx_memory_check(w, m->in, (int)l, m->address[l] + 4 * k, part_bytes(bytes, k),
		                     write))
			return false;
	return true;
}

/* Whether there are n address registers from `row`; reports those that nobody wrote. */
static bool addresses_exist(struct mx_wave *w, const struct mx_inst *in, unsigned row, unsigned n) {
	uint64_t lanes = 0;
	if (!mx_vgprs_exist(w, in, row, n))
		return false;
	for (unsigned i = 0; i < n; i++)
		lanes |= w->unwritten_lanes[row + i] & mx_exec(w);
	if (lanes)
		mx_find(w, in, MX_UNWRITTEN, __builtin_ctzll(lanes), 0,
		        "address from a register nobody wrote");
	return true;
}

static void check_scalars_written(struct mx_wave *w, const struct mx_inst *in, unsigned code,
                                  unsigned n) {
	for (unsigned i = 0; i < n; i++)
		if (mx_sread_unwritten(w, code + i))
			mx_find(w, in, MX_UNWRITTEN, -1, 0, "address from a scalar nobody wrote");
}

/* M0 holds the byte of LDS where lane 0's data goes; the instruction offset moves both
 * sides [ISA 9.1.9]. */
static void aim_at_lds(struct mx_wave *w, struct mx_memop *m) {
	unsigned stride = m->in->op->d > 4 ? 16 : 4;
	m->lds = (w->s[MX_M0] & 0x3ffff) + m->in->imm;
	check_scalars_written(w, m->in, MX_M0, 1);
	if (m->exec)
		mx_lds_check(w, m->in, 63 - __builtin_clzll(m->exec),
		             m->lds + (63 - __builtin_clzll(m->exec)) * stride, m->in->op->d, true);
	m->land = land_lds;
}

static bool ready_to_issue(struct mx_wave *w, struct mx_memop *m, bool to_lds) {
	unsigned row = mx_row(m->in->mem.data);
	return (to_lds || mx_vgprs_exist(w, m->in, row, dwords(m->in->op->d))) && check_lanes(w, m);
}

static void issue(struct mx_wave *w, struct mx_memop *m, bool to_lds) {
	if (!ready_to_issue(w, m, to_lds)) {
		mx_memop_drop(w, m);
		return;
	}
	if (m->in->op->flags & MX_STORE) {
		mx_take_store_data(w, m, m->in->mem.data, m->in->op->d, true);
		m->land = land_store;
	} else if (to_lds)
		aim_at_lds(w, m);
	else
		m->land = land_load;
	mx_memop_issue(w, &w->vm, m, 1);
}

void mx_exec_GLOBAL(struct mx_wave *w, const struct mx_inst *in);
void mx_exec_GLOBAL(struct mx_wave *w, const struct mx_inst *in) {
	unsigned row = mx_row(in->mem.addr), l;
	uint64_t base = in->mem.saddr ? mx_sread64(w, in, in->mem.rsrc) : 0;
	bool good = addresses_exist(w, in, row, in->mem.saddr ? 1 : 2);
	struct mx_memop *m = good ? mx_memop_new(w, in) : NULL;
	if (!m)
		return;
	if (in->mem.saddr)
		check_scalars_written(w, in, in->mem.rsrc, 2);
	MX_FOR_LANES(l, m->exec) {
		uint64_t v = w->v[row][l] | (in->mem.saddr ? 0 : (uint64_t)w->v[row + 1][l] << 32);
		m->address[l] = base + v + (int64_t)in->imm;
		m->inside[l] = 0xf;
	}
	issue(w, m, false);
}

/* ---- buffers ---- */

/* The fields of a resource descriptor that a raw access uses [ISA 9.1.4]. */
struct descriptor {
	uint64_t base;
	uint32_t num_records;
};

static bool read_descriptor(struct mx_wave *w, const struct mx_inst *in, struct descriptor *d) {
	const uint32_t *s = w->s + in->mem.rsrc;
	const char *field = s[1] >> 31       ? "swizzle"
	                    : s[1] >> 16     ? "stride"
	                    : s[3] >> 23 & 1 ? "ADD_TID"
	                    : s[3] >> 30     ? "type"
	                                     : NULL;
	check_scalars_written(w, in, in->mem.rsrc, 4);
	if (field)
		mx_find(w, in, MX_UNSUPPORTED, -1, 0,
		        "buffer descriptor with %s: %08x %08x %08x %08x", field, s[0], s[1], s[2],
		        s[3]);
	d->base = s[0] | (uint64_t)(s[1] & 0xffff) << 32;
	bool unbound = (s[3] >> 15 & 15) == 0; /* data format 0 */
	d->num_records = unbound ? 0 : s[2];
	return !field;
}

/* Which dwords of an access at a byte offset lie in the buffer; one that is narrower
 * than a dword lies in it whole or not. */
static uint8_t dwords_inside(uint64_t offset, unsigned bytes, uint32_t num_records) {
	uint8_t inside = 0;
	for (unsigned k = 0; k < dwords(bytes); k++)
		inside |= (offset + 4 * k + part_bytes(bytes, k) <= num_records) << k;
	return inside;
}

/* Manual and LLVM leave SOFFSET out of the range check; AMD's own emulator includes it.
 * Follow the manual, and say so where it matters. */
static void check_soffset(struct mx_wave *w, const struct mx_inst *in, unsigned lane,
                          uint64_t offset, uint32_t soffset, const struct descriptor *d) {
	if (dwords_inside(offset, in->op->d, d->num_records) !=
	    dwords_inside(offset + soffset, in->op->d, d->num_records))
		mx_find(w, in, MX_AMBIGUOUS, (int)lane, d->base + offset + soffset,
		        "in range without SOFFSET and out of range with it, or the reverse");
}

void mx_exec_MUBUF(struct mx_wave *w, const struct mx_inst *in);
void mx_exec_MUBUF(struct mx_wave *w, const struct mx_inst *in) {
	struct descriptor d;
	unsigned row = mx_row(in->mem.addr), l;
	if (in->mem.lds && (in->op->flags & (MX_STORE | MX_SIGNED) || in->op->d == 8)) {
		mx_find(w, in, MX_UNSUPPORTED, -1, 0, "LDS with this opcode");
		return;
	}
	bool good =
		read_descriptor(w, in, &d) && (!in->mem.offen || addresses_exist(w, in, row, 1));
	struct mx_memop *m = good ? mx_memop_new(w, in) : NULL;
	if (!m)
		return;
	uint32_t soffset = mx_sread(w, in, in->mem.soffset);
	check_scalars_written(w, in, in->mem.soffset, 1);
	MX_FOR_LANES(l, m->exec) {
		uint32_t offset = (in->mem.offen ? w->v[row][l] : 0) + (uint32_t)in->imm;
		m->inside[l] = dwords_inside(offset, in->op->d, d.num_records);
		m->address[l] = d.base + offset + soffset;
		if (soffset)
			check_soffset(w, in, l, offset, soffset, &d);
	}
	issue(w, m, in->mem.lds);
}
