/* Lane permutation through the LDS hardware: LDS is not accessed, but the results return like LDS
 * reads [ISA 11.3.1, 12.12]. */
#include "../machine/findings.h"
#include "../machine/registers.h"
#include "ds.h"

mx_handler mx_x_ds_swizzle_b32, mx_x_ds_permute_b32, mx_x_ds_bpermute_b32, mx_x_ds_bpermute_fi_b32;

static void land(struct mx_wave *w, struct mx_memop *m) {
	mx_ds_return(w, m, 1);
}

/* Lane `to` gets the value of lane `from`, one of `lanes`, or 0. */
static void fetch(struct mx_wave *w, struct mx_memop *m, unsigned to, unsigned row, unsigned from,
                  uint64_t lanes) {
	bool valid = lanes >> from & 1;
	m->data[0][to] = valid ? w->v[row][from] : 0;
	m->unwritten[0][to] = valid ? mx_vunwritten(w, row, from) : 0;
}

/* ---- ds_swizzle_b32 ---- */

static unsigned reverse_5_bits(unsigned i) {
	return (i & 1) << 4 | (i & 2) << 2 | (i & 4) | (i >> 2 & 2) | (i >> 4 & 1);
}

/* The lane that lane i of a group of 32 reads. The manual's formula for rotation leaves the group;
 * its examples do not. */
static unsigned swizzled(uint32_t offset, unsigned i) {
	unsigned and_mask = offset & 31, middle = offset >> 5 & 31, xor_mask = offset >> 10 & 31;
	if (offset >= 0xe000) /* FFT */
		return reverse_5_bits(i) >> __builtin_popcount(and_mask) | (i & and_mask);
	if (offset >= 0xc000) { /* rotation */
		unsigned by = offset >> 10 & 1 ? -middle : middle;
		return (i & and_mask) | ((i + by) & ~and_mask & 31);
	}
	if (offset >= 0x8000) /* four lanes among themselves */
		return (i & ~3u) | (offset >> 2 * (i & 3) & 3);
	return ((i & and_mask) | middle) ^ xor_mask;
}

void mx_x_ds_swizzle_b32(struct mx_wave *w, const struct mx_inst *in) {
	unsigned row = mx_row_at(in, MX_AT_ADDRESS), l;
	bool good = mx_vgprs_exist(w, in, row, 1) &&
	            mx_vgprs_exist(w, in, mx_row_at(in, MX_AT_RESULT), 1);
	struct mx_memop *m = good ? mx_memop_new(w, in) : NULL;
	if (!m)
		return;
	MX_FOR_LANES(l, m->exec)
	fetch(w, m, l, row, swizzled((uint32_t)in->imm, l & 31) | (l & 32), m->exec);
	mx_ds_issue(w, m, land);
}

/* ---- permutes: the address is a lane times 4, and wraps ---- */

static struct mx_memop *begin_permute(struct mx_wave *w, const struct mx_inst *in) {
	unsigned addr = mx_row_at(in, MX_AT_ADDRESS);
	uint64_t unknown;
	bool good = mx_vgprs_exist(w, in, addr, 1) &&
	            mx_vgprs_exist(w, in, mx_row_at(in, MX_AT_DATA), 1) &&
	            mx_vgprs_exist(w, in, mx_row_at(in, MX_AT_RESULT), 1);
	struct mx_memop *m = good ? mx_memop_new(w, in) : NULL;
	if (m && (unknown = w->unwritten_lanes[addr] & m->exec))
		mx_find(w, in, MX_UNWRITTEN, __builtin_ctzll(unknown), 0,
		        MX_BECAUSE(LANES_UNWRITTEN));
	return m;
}

unsigned mx_ds_other_lane(const struct mx_wave *w, const struct mx_inst *in, unsigned lane) {
	return (w->v[mx_row_at(in, MX_AT_ADDRESS)][lane] + (uint32_t)in->imm) / 4 %
	       w->group->run->isa->wave_size;
}

static void bpermute(struct mx_wave *w, const struct mx_inst *in, uint64_t lanes) {
	struct mx_memop *m = begin_permute(w, in);
	unsigned l;
	if (!m)
		return;
	MX_FOR_LANES(l, m->exec)
	fetch(w, m, l, mx_row_at(in, MX_AT_DATA), mx_ds_other_lane(w, in, l), lanes);
	mx_ds_issue(w, m, land);
}

void mx_x_ds_bpermute_b32(struct mx_wave *w, const struct mx_inst *in) {
	bpermute(w, in, mx_exec(w));
}
void mx_x_ds_bpermute_fi_b32(struct mx_wave *w, const struct mx_inst *in) {
	bpermute(w, in, w->lanes);
}

/* If several lanes send to a lane, the highest wins; a lane without a sender gets 0. */
void mx_x_ds_permute_b32(struct mx_wave *w, const struct mx_inst *in) {
	struct mx_memop *m = begin_permute(w, in);
	unsigned l;
	if (!m)
		return;
	for (l = 0; l < MX_LANES; l++)
		m->data[0][l] = m->unwritten[0][l] = 0;
	MX_FOR_LANES(l, m->exec)
	fetch(w, m, mx_ds_other_lane(w, in, l), mx_row_at(in, MX_AT_DATA), l, m->exec);
	mx_ds_issue(w, m, land);
}
