/* LDS reads and writes [ISA chapter 11]. */
#include <string.h>

#include "machine.h"

bool mx_lds_check(struct mx_wave *w, const struct mx_inst *in, int lane, uint64_t offset,
                  unsigned bytes, bool write) {
	uint32_t size = w->group->lds_bytes;
	if (offset + bytes <= size)
		return true;
	mx_find(w, in, write ? MX_BOUNDS_WRITE : MX_BOUNDS_READ, lane, offset,
	        "%s of %u bytes at %llu in LDS of %u", write ? "write" : "read", bytes,
	        (unsigned long long)offset, size);
	return false;
}

/* An instruction has one or two elements a lane; this is the byte offset of each. */
static uint32_t element_offset(const struct mx_inst *in, unsigned e) {
	if (!(in->op->flags & MX_TWO))
		return (uint32_t)in->imm;
	return (e ? in->mem.offset1 : (unsigned)in->imm & 0xff) * in->op->d;
}

/* DS addresses wrap at 2^32, as compiled code with negative bases needs. */
static uint32_t element_address(const struct mx_memop *m, unsigned lane, unsigned e) {
	return (uint32_t)m->address[lane] + element_offset(m->in, e);
}

static unsigned elements(const struct mx_inst *in) {
	return in->op->flags & MX_TWO ? 2 : 1;
}

static unsigned part_bytes(const struct mx_inst *in, unsigned k) {
	unsigned left = in->op->d - 4 * k;
	return left < 4 ? left : 4;
}

/* Out of range: a read gives 0, a write is dropped [ISA 3.6.1]. */
static uint32_t read_part(const struct mx_group *g, const struct mx_memop *m, uint64_t at,
                          unsigned k, uint32_t *unwritten) {
	unsigned bytes = part_bytes(m->in, k);
	uint32_t v = 0;
	*unwritten = 0;
	if (at + 4 * k + bytes > g->lds_bytes)
		return 0;
	memcpy(&v, g->lds + at + 4 * k, bytes);
	memcpy(unwritten, g->lds_unwritten + at + 4 * k, bytes);
	*unwritten = mx_extend(m->in, *unwritten, bytes);
	return mx_extend(m->in, v, bytes);
}

static void land_read(struct mx_wave *w, struct mx_memop *m) {
	unsigned per_element = (m->in->op->d + 3) / 4, l;
	for (unsigned e = 0; e < elements(m->in); e++)
		for (unsigned k = 0; k < per_element; k++) {
			MX_FOR_LANES(l, m->exec)
			m->data[0][l] = read_part(w->group, m, element_address(m, l, e), k,
			                          &m->unwritten[0][l]);
			mx_vwrite(w, mx_row(m->in->dst) + e * per_element + k, m->exec, m->data[0],
			          m->unwritten[0]);
		}
}

/* data: dword rows of the first element, then of the second. */
static void land_write(struct mx_wave *w, struct mx_memop *m) {
	struct mx_group *g = w->group;
	unsigned per_element = (m->in->op->d + 3) / 4, l;
	MX_FOR_LANES(l, m->exec)
	for (unsigned e = 0; e < elements(m->in); e++)
		for (unsigned k = 0; k < per_element; k++) {
			uint64_t at = (uint64_t)element_address(m, l, e) + 4 * k;
			unsigned bytes = part_bytes(m->in, k), row = e * per_element + k;
			if (at + bytes > g->lds_bytes)
				continue;
			memcpy(g->lds + at, &m->data[row][l], bytes);
			memcpy(g->lds_unwritten + at, &m->unwritten[row][l], bytes);
		}
}

static void take_second_element(struct mx_wave *w, struct mx_memop *m) {
	unsigned n = (m->in->op->d + 3) / 4, l;
	for (unsigned k = 0; k < n; k++)
		MX_FOR_LANES(l, m->exec) {
			m->data[n + k][l] = w->v[mx_row(m->in->src[1]) + k][l];
			m->unwritten[n + k][l] = mx_vunwritten(w, mx_row(m->in->src[1]) + k, l);
		}
}

static bool data_exists(struct mx_wave *w, const struct mx_inst *in) {
	bool write = in->op->flags & MX_STORE;
	unsigned n = (in->op->d + 3) / 4, data = mx_row(in->mem.data);
	return mx_vgprs_exist(w, in, mx_row(in->mem.addr), 1) &&
	       mx_vgprs_exist(w, in, data, write ? n : n * elements(in)) &&
	       (!write || elements(in) == 1 || mx_vgprs_exist(w, in, mx_row(in->src[1]), n));
}

void mx_exec_DS(struct mx_wave *w, const struct mx_inst *in);
void mx_exec_DS(struct mx_wave *w, const struct mx_inst *in) {
	bool write = in->op->flags & MX_STORE;
	unsigned row = mx_row(in->mem.addr), l;
	struct mx_memop *m = data_exists(w, in) ? mx_memop_new(w, in) : NULL;
	if (!m)
		return;
	if (w->unwritten_lanes[row] & m->exec)
		mx_find(w, in, MX_UNWRITTEN, __builtin_ctzll(w->unwritten_lanes[row] & m->exec), 0,
		        "address from a register nobody wrote");
	MX_FOR_LANES(l, m->exec) {
		m->address[l] = w->v[row][l];
		for (unsigned e = 0; e < elements(in); e++)
			mx_lds_check(w, in, (int)l, element_address(m, l, e), in->op->d, write);
	}
	if (write) {
		mx_take_store_data(w, m, in->mem.data, in->op->d, false);
		if (elements(in) == 2)
			take_second_element(w, m);
	}
	m->land = write ? land_write : land_read;
	mx_memop_issue(w, &w->ds, m, 1);
}
