/* LDS reads and writes [ISA 11.3]. */
#include <string.h>

#include "../machine/findings.h"
#include "../machine/registers.h"
#include "ds.h"
#include "lane_addresses.h"
#include "lds.h"
#include "together.h"
#include "vmem.h"

/* ---- addresses ---- */

/* With two elements the offsets are in units of one element or 64 elements [ISA 12.12]. */
static uint32_t element_offset(const struct mx_inst *in, unsigned e) {
	if (!(in->op->flags & MX_TWO))
		return (uint32_t)in->imm;
	unsigned unit = in->op->flags & MX_STRIDE_64 ? 64 * in->op->d : in->op->d;
	return (e ? in->mem.offset1 : (unsigned)in->imm & 0xff) * unit;
}

/* DS addresses wrap at 2^32, as compiled code with negative bases needs. */
uint32_t mx_ds_element(const struct mx_memop *m, unsigned lane, unsigned e) {
	return (uint32_t)m->address[lane] + element_offset(m->in, e);
}

static unsigned part_bytes(const struct mx_inst *in, unsigned k) {
	unsigned left = in->op->d - 4 * k;
	return left < 4 ? left : 4;
}

/* Out of range a read gives 0 and a write is dropped [ISA 3.6.1], for each dword separately. */
static uint8_t dwords_inside(struct mx_wave *w, const struct mx_inst *in, unsigned lane,
                             uint32_t at) {
	unsigned n = mx_ds_dwords(in);
	uint8_t inside = 0;
	if (mx_lds_check(w, in, (int)lane, at, in->op->d, in->op->flags & MX_STORE))
		return (1u << n) - 1;
	for (unsigned k = 0; k < n; k++)
		inside |= mx_lds_holds(w->group, (uint64_t)at + 4 * k, part_bytes(in, k)) << k;
	return inside;
}

/* With ADDTID the base is M0[15:0], and lanes access consecutive elements. */
static void take_addresses(struct mx_wave *w, struct mx_memop *m) {
	const struct mx_inst *in = m->in;
	unsigned row = mx_row_at(in, MX_AT_ADDRESS), l;
	if (in->op->flags & MX_ADDTID) {
		if (w->s_unwritten[MX_M0] & 0xffff)
			mx_find(w, in, MX_UNWRITTEN, -1, 0, MX_BECAUSE(M0_UNWRITTEN));
		MX_FOR_LANES(l, m->exec)
		m->address[l] = (w->s[MX_M0] & 0xffff) + 4 * l;
		return;
	}
	if (w->unwritten_lanes[row] & m->exec)
		mx_find(w, in, MX_UNWRITTEN, __builtin_ctzll(w->unwritten_lanes[row] & m->exec), 0,
		        MX_BECAUSE(ADDRESS_UNWRITTEN));
	MX_BY_STEP(mx_add_offsets)(m->address, 0, w->v[row]);
}

/* ---- registers ---- */

static bool registers_exist(struct mx_wave *w, const struct mx_inst *in) {
	unsigned n = mx_ds_dwords(in), flags = in->op->flags;
	bool addr = flags & MX_ADDTID || mx_vgprs_exist(w, in, mx_row_at(in, MX_AT_ADDRESS), 1);
	bool data = !(flags & MX_STORE) || mx_vgprs_exist(w, in, mx_row_at(in, MX_AT_DATA), n);
	bool second = !(flags & MX_STORE && flags & (MX_TWO | MX_COMPARE)) ||
	              mx_vgprs_exist(w, in, mx_row_at(in, MX_AT_DATA1), n);
	return addr && data && second &&
	       (!(flags & MX_LOAD) ||
	        mx_vgprs_exist(w, in, mx_row_at(in, MX_AT_RESULT), n * mx_ds_elements(in)));
}

/* Two elements at one address: the manual's text omits the second, its pseudo-code does not [ISA
 * 11.3.1, 12.12]. */
struct mx_memop *mx_ds_begin(struct mx_wave *w, const struct mx_inst *in) {
	struct mx_memop *m = registers_exist(w, in) ? mx_memop_new(w, in) : NULL;
	if (!m)
		return NULL;
	take_addresses(w, m);
	if (in->op->flags & MX_TWO && element_offset(in, 0) == element_offset(in, 1))
		mx_find(w, in, MX_AMBIGUOUS, -1, 0, MX_BECAUSE(SAME_OFFSETS));
	return m;
}

/* Whether all data of all lanes are in LDS. */
static bool range_of_wave(struct mx_wave *w, struct mx_memop *m) {
	const struct mx_inst *in = m->in;
	uint64_t first = element_offset(in, 0);
	uint64_t second = in->op->flags & MX_TWO ? element_offset(in, 1) : first;
	uint32_t low, high;
	if (!m->exec || in->op->flags & MX_ADDTID || !mx_may_be_together(w, 0))
		return false;
	MX_BY_STEP(mx_bounds)(w->v[mx_row_at(in, MX_AT_ADDRESS)], m->exec, &low, &high);
	m->from = low + (first < second ? first : second);
	m->to = high + (first > second ? first : second) + in->op->d;
	if (m->to > w->group->lds_bytes)
		return false;
	m->range = MX_RANGE_ALL;
	return true;
}

void mx_ds_check_range(struct mx_wave *w, struct mx_memop *m) {
	unsigned n = mx_ds_dwords(m->in), l;
	if (range_of_wave(w, m)) {
		memset(m->inside, (1 << n * mx_ds_elements(m->in)) - 1, sizeof m->inside);
		return;
	}
	MX_FOR_LANES(l, m->exec) {
		m->inside[l] = dwords_inside(w, m->in, l, mx_ds_element(m, l, 0));
		if (m->in->op->flags & MX_TWO)
			m->inside[l] |= dwords_inside(w, m->in, l, mx_ds_element(m, l, 1)) << n;
	}
}

void mx_ds_take(struct mx_wave *w, struct mx_memop *m, unsigned row, unsigned code,
                unsigned bytes) {
	unsigned shift = m->in->op->flags & MX_D16_HI ? 16 : 0, l;
	for (unsigned k = 0; 4 * k < bytes; k++) {
		unsigned from = mx_row(code) + k;
		if (mx_take_row(w, m, row + k, from))
			continue;
		m->clean = false;
		MX_FOR_LANES(l, m->exec) {
			m->data[row + k][l] = w->v[from][l] >> shift;
			m->unwritten[row + k][l] = mx_vunwritten(w, from, l) >> shift;
		}
	}
}

void mx_ds_return(struct mx_wave *w, const struct mx_memop *m, unsigned rows) {
	unsigned l;
	for (unsigned k = 0; k < rows; k++) {
		uint32_t any = 0;
		MX_FOR_LANES(l, m->exec)
		any |= m->unwritten[k][l];
		mx_vwrite(w, mx_row_at(m->in, MX_AT_RESULT) + k, m->exec, m->data[k],
		          any ? m->unwritten[k] : NULL);
	}
}

void mx_ds_issue(struct mx_wave *w, struct mx_memop *m,
                 void (*land)(struct mx_wave *w, struct mx_memop *m)) {
	m->land = land;
	mx_memop_issue(w, mx_stream_of(m->in), m);
}

/* ---- reads and writes ---- */

/* Reads parts of `bytes`, each extended to a dword as the opcode defines. */
static inline void read_parts(struct mx_wave *w, struct mx_memop *m, unsigned bytes) {
	unsigned n = mx_ds_dwords(m->in), l;
	for (unsigned e = 0; e < mx_ds_elements(m->in); e++)
		MX_FOR_LANES(l, m->exec) {
			uint32_t at = mx_ds_element(m, l, e);
			for (unsigned k = 0; k < n; k++) {
				unsigned row = e * n + k;
				uint32_t u = 0, v = 0;
				if (m->inside[l] >> row & 1)
					v = mx_lds_read(w, m->in, l, at + 4 * k, bytes, &u);
				m->data[row][l] = bytes == 4 ? v : mx_extend(m->in, v, bytes);
				m->unwritten[row][l] = bytes == 4 ? u : mx_extend(m->in, u, bytes);
			}
		}
}

static void land_read(struct mx_wave *w, struct mx_memop *m) {
	if (m->in->op->d < 4)
		read_parts(w, m, m->in->op->d);
	else
		read_parts(w, m, 4);
	mx_ds_return(w, m, mx_ds_dwords(m->in) * mx_ds_elements(m->in));
}

/* Lanes write in ascending order, so the highest lane wins (assumed, as documented for the
 * permutes). */
static void land_write(struct mx_wave *w, struct mx_memop *m) {
	unsigned n = mx_ds_dwords(m->in), l;
	MX_FOR_LANES(l, m->exec)
	for (unsigned e = 0; e < mx_ds_elements(m->in); e++) {
		uint32_t at = mx_ds_element(m, l, e);
		for (unsigned k = 0; k < n; k++) {
			unsigned row = e * n + k;
			if (m->inside[l] >> row & 1)
				mx_lds_write(w, m->in, l, at + 4 * k, part_bytes(m->in, k),
				             m->data[row][l], m->unwritten[row][l]);
		}
	}
}

/* ---- all lanes together ---- */

static struct mx_lane_bytes lane_bytes(const struct mx_memop *m) {
	return (struct mx_lane_bytes){ m->exec, m->address, m->in->op->d, m->from, m->to };
}

static bool any_unwritten(const struct mx_wave *w, const struct mx_memop *m) {
	const struct mx_lane_bytes x = lane_bytes(m);
	if (mx_lds_is_clean(w->group, x.from, x.to))
		return false;
	for (unsigned e = 0; e < mx_ds_elements(m->in); e++)
		if (mx_lds_any_unwritten(w->group, element_offset(m->in, e), &x))
			return true;
	return false;
}

static void read_together(struct mx_wave *w, struct mx_memop *m) {
	const struct mx_lane_bytes x = lane_bytes(m);
	unsigned row = mx_row_at(m->in, MX_AT_RESULT), n = mx_ds_dwords(m->in);
	if (any_unwritten(w, m)) {
		land_read(w, m);
		return;
	}
	for (unsigned e = 0; e < mx_ds_elements(m->in); e++)
		mx_load_together(w, m, row + e * n,
		                 (uintptr_t)w->group->lds + element_offset(m->in, e), &x);
	mx_count_together(w, MX_TOGETHER_LDS_READ);
}

/* One element: the second of a lane may be the first of a later lane. */
static void write_together(struct mx_wave *w, struct mx_memop *m) {
	const struct mx_lane_bytes x = lane_bytes(m);
	mx_lds_write_wave(w->group, element_offset(m->in, 0), &x, m->data,
	                  m->clean ? NULL : m->unwritten);
	mx_count_together(w, MX_TOGETHER_LDS_WRITE);
}

static void take_data(struct mx_wave *w, struct mx_memop *m) {
	const struct mx_inst *in = m->in;
	if (m->together && mx_take_clean(w, m, mx_row_at(in, MX_AT_DATA), mx_ds_dwords(in)))
		return;
	mx_ds_take(w, m, 0, mx_operand_at(in, MX_AT_DATA), in->op->d);
	if (in->op->flags & MX_TWO)
		mx_ds_take(w, m, mx_ds_dwords(in), mx_operand_at(in, MX_AT_DATA1), in->op->d);
}

static void read_or_write(struct mx_wave *w, const struct mx_inst *in) {
	bool write = in->op->flags & MX_STORE, two = in->op->flags & MX_TWO;
	struct mx_memop *m = mx_ds_begin(w, in);
	if (!m)
		return;
	mx_ds_check_range(w, m);
	m->together = m->range == MX_RANGE_ALL && !(write && two) &&
	              mx_lanes_may_be_together(w, m, MX_WATCH_LDS);
	if (write)
		take_data(w, m);
	if (m->together)
		mx_ds_issue(w, m, write ? write_together : read_together);
	else
		mx_ds_issue(w, m, write ? land_write : land_read);
}

mx_handler mx_exec_DS;
void mx_exec_DS(struct mx_wave *w, const struct mx_inst *in) {
	if (in->op->rmw)
		mx_ds_atomic(w, in);
	else
		read_or_write(w, in);
}

/* ds_nop has no effect, but lgkmcnt counts it [LLVM: SIInsertWaitcnts]. */
static void land_nothing(struct mx_wave *w, struct mx_memop *m) {
	(void)w, (void)m;
}

mx_handler mx_x_ds_nop;
void mx_x_ds_nop(struct mx_wave *w, const struct mx_inst *in) {
	struct mx_memop *m = mx_memop_new(w, in);
	if (m)
		mx_ds_issue(w, m, land_nothing);
}
