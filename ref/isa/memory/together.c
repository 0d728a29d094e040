/* Memory operations whose lanes are accessed together. */
#include "together.h"

#include "../machine/registers.h"
#include "lane_addresses.h"
#include "vmem.h"

void mx_range_of_addresses(const struct mx_wave *w, struct mx_memop *m) {
	uint64_t low, high;
	if (!m->exec || !mx_may_be_together(w, 0))
		return;
	MX_BY_STEP(mx_address_bounds)(m->address, m->exec, &low, &high);
	m->in_range = m->exec;
	m->from = low;
	m->to = high + m->in->op->d;
	m->range = m->to > high ? MX_RANGE_ALL : MX_RANGE_SOME;
}

/* ---- registers ---- */

static void extend(const struct mx_inst *in, uint32_t *v, unsigned bytes) {
	for (unsigned l = 0; l < MX_LANES; l++)
		v[l] = mx_extend(in, v[l], bytes);
}

/* Loads whole dwords of neighbours, many lanes at once. False if the lanes are none. */
static bool load_neighbours(mx_vreg *to, uintptr_t base, const struct mx_lane_bytes *x) {
	if (x->lanes != ~0ull || x->bytes % 4 || !MX_BY_STEP(mx_are_neighbours)(x->at))
		return false;
	for (unsigned k = 0; k < x->bytes / 4; k++)
		for (unsigned l = 0; l < MX_LANES; l += MX_NEIGHBOURS)
			memcpy(&to[k][l], mx_place(base, x->at[l] + 4 * k), 4 * MX_NEIGHBOURS);
	return true;
}

/* All lanes of a register are loaded in place, unless a watcher wants to be called before the next
 * register changes. */
void mx_load_together(struct mx_wave *w, struct mx_memop *m, unsigned row, uintptr_t base,
                      const struct mx_lane_bytes *x) {
	bool in_place = x->lanes == w->lanes && !(w->wanted & MX_WATCH_VGPR);
	mx_vreg *to = in_place ? w->v + row : m->data;
	if (!load_neighbours(to, base, x))
		mx_lane_rows(to, base, x);
	if (x->bytes < 4)
		extend(m->in, to[0], x->bytes);
	for (unsigned k = 0; k < mx_dwords(x->bytes); k++)
		if (in_place)
			w->unwritten_lanes[row + k] = 0;
		else
			mx_vwrite(w, row + k, x->lanes, m->data[k], NULL);
}

void mx_load_split(struct mx_wave *w, struct mx_memop *m, const struct mx_lane_bytes *x) {
	unsigned n = mx_dwords(x->bytes);
	memset(m->data, 0, n * sizeof *m->data);
	mx_lane_rows(m->data, 0, x);
	if (x->bytes < 4)
		extend(m->in, m->data[0], x->bytes);
	for (unsigned k = 0; k < n; k++)
		mx_vwrite(w, mx_row_at(m->in, MX_AT_RESULT) + k, m->exec, m->data[k], NULL);
}

static bool is_clean(const struct mx_wave *w, const struct mx_memop *m, unsigned row) {
	return mx_may_be_together(w, 0) && !(w->unwritten_lanes[row] & m->exec) &&
	       !(m->in->op->flags & MX_D16_HI);
}

bool mx_take_clean(const struct mx_wave *w, struct mx_memop *m, unsigned row, unsigned n) {
	for (unsigned k = 0; k < n; k++)
		if (!is_clean(w, m, row + k))
			return false;
	memcpy(m->data, w->v[row], n * sizeof(mx_vreg));
	return true;
}

bool mx_take_row(const struct mx_wave *w, struct mx_memop *m, unsigned to, unsigned row) {
	if (!is_clean(w, m, row))
		return false;
	memcpy(m->data[to], w->v[row], sizeof(mx_vreg));
	memset(m->unwritten[to], 0, sizeof(mx_vreg));
	return true;
}
