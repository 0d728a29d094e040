/* Blocks: up to 32 registers, and as many consecutive dwords of each lane in device memory or
 * scratch. M0 selects the registers; the dwords of the others are left out [RDNA4 11.5; the same of
 * gfx1250 in AMD's emulator rocjitsu, SparseMasksPreserveRegisterAndMemoryHoles]. */
#include "../machine/findings.h"
#include "../machine/registers.h"
#include "together.h"
#include "vmem.h"

enum { REGISTERS = 32, ROWS = 4 /* of the data of an operation */ };

/* Executes a statement for each register k that is selected. */
#define FOR_SELECTED(k, m)                                                                         \
	for (uint32_t left_ = (m)->block, k;                                                       \
	     left_ && ((k) = (uint32_t)__builtin_ctz(left_), true); left_ &= left_ - 1)

/* The dwords of neighbours are one extent. Scratch belongs to one lane, so it has no conflicts. */
static void extents(const struct mx_memop *m, mx_visit_extent *visit, void *context) {
	struct mx_extent e = { .write = m->in->op->flags & MX_STORE };
	unsigned first, n, l;
	for (uint64_t left = m->block; left; left = left >> (first + n) << (first + n)) {
		first = (unsigned)__builtin_ctzll(left);
		n = (unsigned)__builtin_ctzll(~(left >> first));
		e.bytes = 4 * n;
		MX_FOR_LANES(l, m->exec & ~m->scratch) {
			e.lane = (int)l;
			e.at = m->address[l] + 4 * first;
			visit(context, &e);
		}
	}
}

static bool check_lanes(struct mx_wave *w, const struct mx_memop *m) {
	bool write = m->in->op->flags & MX_STORE;
	unsigned l;
	FOR_SELECTED(k, m)
	MX_FOR_LANES(l, m->exec)
	if (!mx_lane_check(w, m, l, 4 * k, 4, write))
		return false;
	return true;
}

static void land_load(struct mx_wave *w, struct mx_memop *m) {
	unsigned row = mx_row_at(m->in, MX_AT_RESULT), l;
	FOR_SELECTED(k, m) {
		MX_FOR_LANES(l, m->exec)
		m->data[0][l] = mx_lane_read(w, m, l, 4 * k, 4, &m->unwritten[0][l]);
		mx_vwrite(w, row + k, m->exec, m->data[0], m->unwritten[0]);
	}
}

/* ---- stores: the data are in m->more, of each group of ROWS registers that has one ---- */

static bool has_data(const struct mx_memop *m, unsigned group) {
	return m->block >> ROWS * group & ((1u << ROWS) - 1);
}

static void land_store(struct mx_wave *w, struct mx_memop *m) {
	const struct mx_memop *data = m->more;
	unsigned group = 0, l;
	FOR_SELECTED(k, m) {
		for (; group < k / ROWS; group++)
			data = has_data(m, group) ? data->more : data;
		MX_FOR_LANES(l, m->exec)
		mx_lane_write(w, m, l, 4 * k, 4, data->data[k % ROWS][l],
		              data->unwritten[k % ROWS][l]);
	}
}

static void take_row(struct mx_wave *w, const struct mx_memop *m, struct mx_memop *to, unsigned k) {
	unsigned row = mx_row_at(m->in, MX_AT_DATA) + k, l;
	if (mx_take_row(w, to, k % ROWS, row))
		return;
	MX_FOR_LANES(l, m->exec) {
		uint32_t unwritten = mx_vunwritten(w, row, l);
		to->data[k % ROWS][l] = w->v[row][l];
		to->unwritten[k % ROWS][l] = unwritten;
		if (unwritten && !(m->scratch >> l & 1))
			mx_find_unwritten_data(w, m, l, k, 4, unwritten);
	}
}

/* False if memory is short. */
static bool take_data(struct mx_wave *w, struct mx_memop *m) {
	for (unsigned group = REGISTERS / ROWS; group--;) {
		if (!has_data(m, group))
			continue;
		struct mx_memop *data = mx_memop_new(w, m->in);
		if (!data)
			return false;
		data->more = m->more;
		m->more = data;
		for (unsigned k = ROWS * group; k < ROWS * (group + 1); k++)
			if (m->block >> k & 1)
				take_row(w, m, data, k);
	}
	return true;
}

bool mx_prepare_block(struct mx_wave *w, struct mx_memop *m) {
	m->block = w->s[MX_M0];
	unsigned n = m->block ? REGISTERS - (unsigned)__builtin_clz(m->block) : 0;
	mx_check_scalars_written(w, m->in, MX_M0, 1);
	if (!mx_vgprs_exist(w, m->in, mx_data_row(m->in), n) || !check_lanes(w, m))
		return false;
	m->extents = extents;
	m->land = m->in->op->flags & MX_STORE ? land_store : land_load;
	return m->land == land_load || take_data(w, m);
}
