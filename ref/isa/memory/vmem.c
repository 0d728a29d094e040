/* Vector memory: functions that all loads and stores share [ISA chapters 9, 10]. */
#include <string.h>

#include "../machine/device_memory.h"
#include "../machine/findings.h"
#include "../machine/registers.h"
#include "../schedule/clusters.h"
#include "lds.h"
#include "scratch.h"
#include "together.h"
#include "vmem.h"

/* A d16 load writes the whole register: gfx950 has ECC, so the half that is not loaded becomes 0
 * [ISA 9.1.6; LLVM: gfx950 has SRAMECC, and d16 loads do not preserve]; gfx1250 the same [assumed:
 * HALF_LOADED]. */
uint32_t mx_extend(const struct mx_inst *in, uint32_t v, unsigned bytes) {
	unsigned flags = in->op->flags;
	if (bytes == 4)
		return v;
	if (flags & MX_SIGNED)
		v = bytes == 1 ? (uint32_t)(int8_t)v : (uint32_t)(int16_t)v;
	return flags & MX_D16_HI ? v << 16 : flags & MX_D16 ? v & 0xffff : v;
}

void mx_find_unwritten_data(struct mx_wave *w, const struct mx_memop *m, unsigned lane, unsigned k,
                            unsigned bytes, uint32_t unwritten) {
	mx_find_access(w, m->in, MX_UNWRITTEN, (int)lane, m->address[lane] + 4 * k,
	               mx_finding_access_of(true, MX_SPACE_MEMORY, bytes),
	               MX_BECAUSE(STORE_UNWRITTEN, unwritten, k));
}

void mx_take_store_data(struct mx_wave *w, struct mx_memop *m, unsigned data, unsigned bytes,
                        bool to_memory) {
	unsigned shift = m->in->op->flags & MX_D16_HI ? 16 : 0, l;
	for (unsigned k = 0; k < mx_dwords(bytes); k++) {
		unsigned row = mx_row(data) + k;
		uint32_t mask = ~0u >> (32 - 8 * mx_part_bytes(bytes, k));
		if (mx_take_row(w, m, k, row))
			continue;
		m->clean = false;
		MX_FOR_LANES(l, m->exec) {
			m->data[k][l] = w->v[row][l] >> shift;
			m->unwritten[k][l] = mx_vunwritten(w, row, l) >> shift & mask;
			if (to_memory && m->unwritten[k][l] && m->inside[l] >> k & 1 &&
			    !(m->scratch >> l & 1))
				mx_find_unwritten_data(w, m, l, k, mx_part_bytes(bytes, k),
				                       m->unwritten[k][l]);
		}
	}
}

/* ---- the address of a lane ---- */

static bool in_scratch(const struct mx_memop *m, unsigned lane) {
	return m->scratch >> lane & 1;
}

bool mx_lane_check(struct mx_wave *w, const struct mx_memop *m, unsigned lane, unsigned at,
                   unsigned bytes, bool write) {
	uint64_t address = m->address[lane] + at;
	if (m->in_lds)
		mx_lds_check(w, m->in, (int)lane, (uint32_t)address, bytes, write);
	else if (in_scratch(m, lane))
		mx_scratch_check(w, m->in, lane, (uint32_t)address, bytes, write);
	else
		return mx_memory_check(w, m->in, (int)lane, address, bytes, write);
	return true;
}

uint32_t mx_lane_read(struct mx_wave *w, const struct mx_memop *m, unsigned lane, unsigned at,
                      unsigned bytes, uint32_t *unwritten) {
	uint64_t address = m->address[lane] + at;
	if (m->in_lds)
		return mx_lds_read(w, m->in, lane, (uint32_t)address, bytes, unwritten);
	if (in_scratch(m, lane))
		return mx_scratch_read(w, m->in, lane, (uint32_t)address, bytes, unwritten);
	return mx_memory_read(w, m->in, (int)lane, address, bytes, unwritten);
}

void mx_lane_write(struct mx_wave *w, const struct mx_memop *m, unsigned lane, unsigned at,
                   unsigned bytes, uint32_t value, uint32_t unwritten) {
	uint64_t address = m->address[lane] + at;
	if (m->in_lds)
		mx_lds_write(w, m->in, lane, (uint32_t)address, bytes, value, unwritten);
	else if (in_scratch(m, lane))
		mx_scratch_write(w, m->in, lane, (uint32_t)address, bytes, value, unwritten);
	else
		mx_memory_write(w, m->in, (int)lane, address, bytes, value, unwritten);
}

/* ---- landing ---- */

uint32_t mx_loaded(struct mx_wave *w, const struct mx_memop *m, unsigned lane, unsigned k,
                   uint32_t *unwritten) {
	unsigned bytes = mx_part_bytes(m->in->op->d, k);
	*unwritten = 0;
	if (!(m->inside[lane] >> k & 1))
		return 0;
	uint32_t v = mx_lane_read(w, m, lane, 4 * k, bytes, unwritten);
	*unwritten = mx_extend(m->in, *unwritten, bytes);
	return mx_extend(m->in, v, bytes);
}

static void read_lanes(struct mx_wave *w, struct mx_memop *m) {
	unsigned l;
	for (unsigned k = 0; k < mx_dwords(m->in->op->d); k++)
		MX_FOR_LANES(l, m->exec)
	m->data[k][l] = mx_loaded(w, m, l, k, &m->unwritten[k][l]);
}

static void write_registers(struct mx_wave *w, const struct mx_memop *m) {
	for (unsigned k = 0; k < mx_dwords(m->in->op->d); k++)
		mx_vwrite(w, mx_row_at(m->in, MX_AT_RESULT) + k, m->exec, m->data[k],
		          m->unwritten[k]);
}

static void land_load(struct mx_wave *w, struct mx_memop *m) {
	read_lanes(w, m);
	write_registers(w, m);
}

static void land_transposed(struct mx_wave *w, struct mx_memop *m) {
	read_lanes(w, m);
	mx_transpose_lanes(w, m);
	write_registers(w, m);
}

static void land_store(struct mx_wave *w, struct mx_memop *m) {
	unsigned bytes = m->in->op->d, l;
	MX_FOR_LANES(l, m->exec)
	for (unsigned k = 0; k < mx_dwords(bytes); k++)
		if (m->inside[l] >> k & 1)
			mx_lane_write(w, m, l, 4 * k, mx_part_bytes(bytes, k), m->data[k][l],
			              m->unwritten[k][l]);
}

/* ---- landing of all lanes together ---- */

static void load_together(struct mx_wave *w, struct mx_memop *m) {
	const struct mx_lane_bytes x = mx_lane_bytes_of(m);
	if (x.lanes && !mx_memory_is_written(w, &x)) {
		land_load(w, m);
		return;
	}
	mx_count_together(w, MX_TOGETHER_LOAD);
	if (m->range == MX_RANGE_ALL)
		mx_load_together(w, m, mx_row_at(m->in, MX_AT_RESULT), 0, &x);
	else
		mx_load_split(w, m, &x);
}

static void store_together(struct mx_wave *w, struct mx_memop *m) {
	const struct mx_lane_bytes x = mx_lane_bytes_of(m);
	mx_count_together(w, MX_TOGETHER_STORE);
	if (x.lanes)
		mx_memory_write_wave(w, &x, m->data);
}

static void load_scratch_together(struct mx_wave *w, struct mx_memop *m) {
	if (mx_scratch_load_together(w, m))
		mx_count_together(w, MX_TOGETHER_SCRATCH_LOAD);
	else
		land_load(w, m);
}

static void store_scratch_together(struct mx_wave *w, struct mx_memop *m) {
	mx_scratch_store_together(w, m);
	mx_count_together(w, MX_TOGETHER_SCRATCH_STORE);
}

/* ---- issue ---- */

bool mx_addresses_exist(struct mx_wave *w, const struct mx_inst *in, unsigned row, unsigned n) {
	uint64_t lanes = 0;
	if (!mx_vgprs_exist(w, in, row, n))
		return false;
	for (unsigned i = 0; i < n; i++)
		lanes |= w->unwritten_lanes[row + i] & mx_exec(w);
	if (lanes)
		mx_find(w, in, MX_UNWRITTEN, __builtin_ctzll(lanes), 0,
		        MX_BECAUSE(ADDRESS_UNWRITTEN));
	return true;
}

void mx_report_unwritten_scalars(struct mx_wave *w, const struct mx_inst *in, unsigned code,
                                 unsigned n) {
	for (unsigned i = 0; i < n; i++)
		if (mx_sread_unwritten(w, code + i))
			mx_find(w, in, MX_UNWRITTEN, -1, 0, MX_BECAUSE(SCALAR_UNWRITTEN));
}

/* The common case: all data of the lane is in device memory, and there is nothing to report. */
static bool is_plain(struct mx_wave *w, const struct mx_memop *m, unsigned lane, bool write) {
	unsigned bytes = m->in->op->d, all = (1u << mx_dwords(bytes)) - 1;
	return (m->inside[lane] & all) == all && !m->in_lds && !in_scratch(m, lane) &&
	       mx_memory_is_plain(w, m->address[lane], bytes, write);
}

/* Checks every address before the instruction has any effect. */
static bool check_lanes(struct mx_wave *w, const struct mx_memop *m) {
	bool write = m->in->op->flags & MX_STORE;
	unsigned bytes = m->in->op->d, l;
	MX_FOR_LANES(l, m->exec) {
		if (is_plain(w, m, l, write))
			continue;
		for (unsigned k = 0; k < mx_dwords(bytes); k++)
			if (m->inside[l] >> k & 1 &&
			    !mx_lane_check(w, m, l, 4 * k, mx_part_bytes(bytes, k), write))
				return false;
	}
	return true;
}

/* Whether all lanes are in scratch, and may be accessed together. */
static bool is_scratch_wave(const struct mx_wave *w, const struct mx_memop *m) {
	return m->range == MX_RANGE_ALL && !(m->exec & ~m->scratch) &&
	       mx_lanes_may_be_together(w, m, MX_WATCH_SCRATCH) && mx_scratch_holds_wave(w, m);
}

/* The same for device memory, where an operation out of range may be anywhere. */
static bool is_memory_wave(struct mx_wave *w, const struct mx_memop *m, bool *stop) {
	const struct mx_lane_bytes x = mx_lane_bytes_of(m);
	if ((m->range == MX_RANGE_SOME && !m->split) || m->in_lds || m->exec & m->scratch ||
	    !mx_lanes_may_be_together(w, m, MX_WATCH_GLOBAL))
		return false;
	return !x.lanes || mx_memory_check_wave(w, &x, m->in->op->flags & MX_STORE, stop);
}

static bool check(struct mx_wave *w, struct mx_memop *m) {
	bool stop = false;
	m->together = is_scratch_wave(w, m) || is_memory_wave(w, m, &stop);
	return m->together || (!stop && check_lanes(w, m));
}

/* Reads ahead what a load that lands later will read. Neighbours are usually in the same cache
 * line.
 */
static void fetch_ahead(const struct mx_memop *m) {
	enum { LINE = 64 };
	unsigned bytes = m->in->op->d, step = bytes < LINE ? LINE / bytes : 1;
	for (unsigned l = 0; l < MX_LANES; l += step)
		if (m->in_range >> l & 1)
			__builtin_prefetch((const void *)(uintptr_t)m->address[l]);
}

static bool prepare_load(struct mx_wave *w, struct mx_memop *m) {
	bool scratch = m->exec & m->scratch;
	if (m->together && !scratch)
		fetch_ahead(m);
	m->land = !m->together ? land_load : scratch ? load_scratch_together : load_together;
	if (mx_kind_of(m->in->op) != MX_IS_TRANSPOSE)
		return true;
	m->land = land_transposed;
	return mx_may_transpose(w, m);
}

/* In device memory unwritten bits are reported, and written one by one. */
static void prepare_store(struct mx_wave *w, struct mx_memop *m) {
	bool scratch = m->exec & m->scratch;
	unsigned data = mx_operand_at(m->in, MX_AT_DATA), bytes = m->in->op->d;
	if (!m->together || !mx_take_clean(w, m, mx_row(data), mx_dwords(bytes))) {
		mx_take_store_data(w, m, data, bytes, !m->in_lds);
		m->together &= m->clean || scratch;
	}
	m->land = !m->together ? land_store : scratch ? store_scratch_together : store_together;
}

/* M0 has the workgroups of a cluster that load together, each for itself; outside a cluster it does
 * not matter. */
static bool may_load_together(struct mx_wave *w, const struct mx_inst *in) {
	if (!(in->op->flags & MX_M0_IN) || !w->group->cluster)
		return true;
	if (w->s_unwritten[MX_M0] & 0xffff)
		mx_find(w, in, MX_UNWRITTEN, -1, 0, MX_BECAUSE(MASK_UNWRITTEN));
	return mx_cluster_may_load(w, in, w->s[MX_M0] & 0xffff);
}

bool mx_vmem_prepare(struct mx_wave *w, struct mx_memop *m) {
	const struct mx_inst *in = m->in;
	unsigned bytes = in->op->d;
	if (in->op->rmw)
		return mx_prepare_atomic(w, m);
	if (in->op->flags & MX_FORMAT)
		return mx_prepare_typed(w, m);
	if (mx_kind_of(in->op) == MX_IS_BLOCK)
		return mx_prepare_block(w, m);
	if (!may_load_together(w, in))
		return false;
	if (!in->mem.lds && !mx_vgprs_exist(w, in, mx_data_row(in), mx_dwords(bytes)))
		return false;
	if (!check(w, m))
		return false;
	if (in->mem.lds && mx_has_operand(in, MX_AT_DATA))
		return mx_prepare_copy(w, m);
	if (in->op->flags & MX_STORE)
		prepare_store(w, m);
	else if (in->mem.lds)
		mx_prepare_lds(w, m);
	else
		return prepare_load(w, m);
	return true;
}

static void nothing(struct mx_wave *w, struct mx_memop *m) {
	(void)w, (void)m;
}

void mx_cache_operation(struct mx_wave *w, const struct mx_inst *in) {
	struct mx_memop *m = mx_memop_new(w, in);
	if (!m)
		return;
	m->land = nothing;
	mx_memop_issue(w, mx_stream_of(in), m);
}

void mx_vmem_issue(struct mx_wave *w, struct mx_memop *m) {
	unsigned apart = w->group->run->isa->scratch_apart;
	bool alone = w->group->run->launch->scratch_apart && m->in->op->encoding == MX_SCRATCH;
	if (mx_vmem_prepare(w, m))
		mx_memop_issue(w, alone && apart ? apart : mx_stream_of(m->in), m);
	else
		mx_memop_drop(w, m);
}
