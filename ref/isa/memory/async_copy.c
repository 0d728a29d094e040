/* Copies between device memory and LDS by lane, without registers in between, beside the waves; and
 * arrivals at barriers in LDS that follow them [CDNA5 10.8, 15.15]. */
#include "../machine/device_memory.h"
#include "../machine/findings.h"
#include "../machine/registers.h"
#include "ds.h"
#include "lds.h"
#include "together.h"
#include "vmem.h"

mx_handler mx_x_ds_atomic_async_barrier_arrive_b64;

/* ---- copies: m->data[0] has the lanes' addresses in LDS ---- */

static void extents(const struct mx_memop *m, mx_visit_extent *visit, void *context) {
	bool store = m->in->op->flags & MX_STORE;
	unsigned l;
	MX_FOR_LANES(l, m->exec) {
		struct mx_extent memory = {
			.write = store, .lane = (int)l, .at = m->address[l], .bytes = m->in->op->d
		};
		struct mx_extent lds = memory;
		lds.lds = true;
		lds.write = !store;
		lds.at = m->data[0][l];
		visit(context, &memory);
		visit(context, &lds);
	}
}

static void load_lanes(struct mx_wave *w, struct mx_memop *m) {
	unsigned bytes = m->in->op->d, l;
	MX_FOR_LANES(l, m->exec)
	for (unsigned k = 0; k < mx_dwords(bytes); k++) {
		uint32_t unwritten, v = mx_loaded(w, m, l, k, &unwritten);
		mx_lds_write(w, m->in, l, m->data[0][l] + 4 * k, mx_part_bytes(bytes, k), v,
		             unwritten);
	}
}

static void load_together(struct mx_wave *w, struct mx_memop *m) {
	const struct mx_lane_bytes x = mx_lane_bytes_of(m);
	unsigned l;
	if (x.lanes && !mx_memory_is_written(w, &x)) {
		load_lanes(w, m);
		return;
	}
	MX_FOR_LANES(l, m->exec)
	mx_lds_copy(w->group, m->data[0][l], mx_place(0, m->address[l]), m->in->op->d);
	mx_count_together(w, MX_TOGETHER_LDS_DMA);
}

static void store_lanes(struct mx_wave *w, struct mx_memop *m) {
	unsigned bytes = m->in->op->d, l;
	MX_FOR_LANES(l, m->exec)
	for (unsigned k = 0; k < mx_dwords(bytes); k++) {
		unsigned part = mx_part_bytes(bytes, k);
		uint32_t unwritten, at = m->data[0][l] + 4 * k;
		uint32_t v = mx_lds_read(w, m->in, l, at, part, &unwritten);
		if (unwritten)
			mx_find_unwritten_data(w, m, l, k, part, unwritten);
		mx_lane_write(w, m, l, 4 * k, part, v, unwritten);
	}
}

/* A lane that leaves LDS copies nothing. */
static void check_lds(struct mx_wave *w, struct mx_memop *m) {
	bool store = m->in->op->flags & MX_STORE;
	uint64_t lanes = m->exec;
	unsigned l;
	MX_FOR_LANES(l, lanes)
	if (!mx_lds_check(w, m->in, (int)l, m->data[0][l], m->in->op->d, !store))
		m->exec &= ~(1ull << l);
	m->together &= m->exec == lanes && !store && mx_lanes_may_be_together(w, m, MX_WATCH_LDS);
}

/* The instruction's offset is added to both addresses. */
bool mx_prepare_copy(struct mx_wave *w, struct mx_memop *m) {
	unsigned row = mx_row_at(m->in, MX_AT_DATA);
	if (!mx_addresses_exist(w, m->in, row, 1))
		return false;
	for (unsigned l = 0; l < MX_LANES; l++)
		m->data[0][l] = w->v[row][l] + (uint32_t)m->in->imm;
	check_lds(w, m);
	m->extents = extents;
	m->land = m->in->op->flags & MX_STORE ? store_lanes
	          : m->together               ? load_together
	                                      : load_lanes;
	return true;
}

/* ---- arrivals ---- */

static void arrival_extents(const struct mx_memop *m, mx_visit_extent *visit, void *context) {
	unsigned l;
	MX_FOR_LANES(l, m->exec)
	visit(context, &(struct mx_extent){ .lds = true,
	                                    .write = true,
	                                    .lane = (int)l,
	                                    .at = mx_ds_element(m, l, 0),
	                                    .bytes = 8,
	                                    .rmw = MX_RMW_arrive64 });
}

static void arrive(struct mx_wave *w, struct mx_memop *m) {
	unsigned l;
	MX_FOR_LANES(l, m->exec)
	mx_lds_arrive(w, m->in, l, mx_ds_element(m, l, 0));
}

/* Each lane arrives once (assumed: other LDS atomics do so). */
void mx_x_ds_atomic_async_barrier_arrive_b64(struct mx_wave *w, const struct mx_inst *in) {
	struct mx_memop *m = mx_ds_begin(w, in);
	unsigned l;
	if (!m)
		return;
	MX_FOR_LANES(l, m->exec) {
		uint32_t at = mx_ds_element(m, l, 0);
		if (at % 8)
			mx_find_access(
				w, in, MX_FAULT, (int)l, at,
				(struct mx_finding_access){ MX_ACCESS_ATOMIC, MX_SPACE_LDS, 8 },
				MX_BECAUSE(LDS_ALIGNMENT));
		if (!mx_lds_check(w, in, (int)l, at, 8, true))
			m->exec &= ~(1ull << l);
	}
	m->arrives = true;
	m->extents = arrival_extents;
	m->land = arrive;
	mx_memop_issue(w, mx_stream_of(in), m);
}
