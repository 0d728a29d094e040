/* Addresses of FLAT and its segments GLOBAL and SCRATCH [ISA chapter 10]. */
#include <string.h>

#include "../machine/findings.h"
#include "../machine/registers.h"
#include "lane_addresses.h"
#include "together.h"
#include "vmem.h"

static void all_inside(struct mx_memop *m) {
	memset(m->inside, 0xf, sizeof m->inside);
}

static uint64_t pair(const struct mx_wave *w, unsigned row, unsigned lane) {
	return w->v[row][lane] | (uint64_t)w->v[row + 1][lane] << 32;
}

/* ---- GLOBAL ---- */

/* The addresses of all lanes, of which only those of m->exec are used: loops without a branch. */
static void global_addresses(const struct mx_wave *w, struct mx_memop *m, uint64_t base) {
	unsigned row = mx_row_at(m->in, MX_AT_ADDRESS);
	if (m->in->op->flags & MX_ADDTID)
		for (unsigned l = 0; l < MX_LANES; l++)
			m->address[l] = base + sizeof(uint32_t) * l;
	else if (mx_has_operand(m->in, MX_AT_BASE) && m->in->mem.unit)
		for (unsigned l = 0; l < MX_LANES; l++)
			m->address[l] = base + (uint64_t)w->v[row][l] * m->in->mem.unit;
	else if (mx_has_operand(m->in, MX_AT_BASE))
		for (unsigned l = 0; l < MX_LANES; l++)
			m->address[l] = base + w->v[row][l];
	else
		MX_BY_STEP(mx_add_pairs)(m->address, base, w->v + row);
}

void mx_exec_GLOBAL(struct mx_wave *w, const struct mx_inst *in);
void mx_exec_GLOBAL(struct mx_wave *w, const struct mx_inst *in) {
	if (!in->op->d) {
		mx_cache_operation(w, in);
		return;
	}
	unsigned row = mx_row_at(in, MX_AT_ADDRESS);
	unsigned sgpr = mx_operand_at(in, MX_AT_BASE);
	bool relative = mx_has_operand(in, MX_AT_BASE);
	uint64_t base = relative ? mx_sread64(w, in, sgpr) : 0;
	bool numbers = in->op->flags & MX_ADDTID;
	bool good = numbers || mx_addresses_exist(w, in, row, relative ? 1 : 2);
	struct mx_memop *m = good ? mx_memop_new(w, in) : NULL;
	if (!m)
		return;
	if (relative)
		mx_check_scalars_written(w, in, sgpr, 2);
	all_inside(m);
	global_addresses(w, m, base + (uint64_t)(int64_t)in->imm);
	mx_range_of_addresses(w, m);
	mx_vmem_issue(w, m);
}

/* ---- SCRATCH: an SGPR, a VGPR, both or neither [ISA table 56] ---- */

void mx_exec_SCRATCH(struct mx_wave *w, const struct mx_inst *in);
void mx_exec_SCRATCH(struct mx_wave *w, const struct mx_inst *in) {
	unsigned row = mx_row_at(in, MX_AT_ADDRESS), l;
	unsigned sgpr = mx_operand_at(in, MX_AT_BASE);
	bool relative = mx_has_operand(in, MX_AT_BASE), vector = mx_has_operand(in, MX_AT_ADDRESS);
	uint32_t base = (relative ? mx_sread(w, in, sgpr) : 0) + (uint32_t)in->imm;
	uint32_t unit = in->mem.unit ? in->mem.unit : 1;
	bool good = !vector || mx_addresses_exist(w, in, row, 1);
	struct mx_memop *m = good ? mx_memop_new(w, in) : NULL;
	if (!m)
		return;
	if (relative)
		mx_check_scalars_written(w, in, sgpr, 1);
	all_inside(m);
	MX_FOR_LANES(l, m->exec)
	m->address[l] = base + (vector ? w->v[row][l] * unit : 0);
	m->scratch = ~0ull;
	mx_range_of_addresses(w, m);
	mx_vmem_issue(w, m);
}

/* ---- FLAT: each lane's aperture decides ---- */

static void nothing(struct mx_wave *w, struct mx_memop *m) {
	(void)w, (void)m;
}

/* The address of a lane. In the upper half of one in scratch there may be a lane, which must be the
 * lane itself: the emulator has no access to another lane's scratch. */
static uint64_t flat_address(struct mx_wave *w, const struct mx_inst *in, unsigned lane,
                             bool *scratch) {
	const struct mx_isa *isa = w->group->run->isa;
	unsigned row = mx_row_at(in, MX_AT_ADDRESS);
	bool relative = mx_has_operand(in, MX_AT_BASE);
	uint64_t unit = in->mem.unit ? in->mem.unit : 1;
	uint64_t a =
		(uint64_t)in->imm + (relative ? mx_sread64(w, in, mx_operand_at(in, MX_AT_BASE)) +
	                                                unit * w->v[row][lane]
	                                      : pair(w, row, lane));
	uint32_t high = (uint32_t)(a >> 32), owner = high & isa->scratch_lane;
	*scratch = (high & ~isa->scratch_lane) == isa->scratch_high;
	if (*scratch && isa->scratch_lane &&
	    owner / (isa->scratch_lane & -isa->scratch_lane) != lane)
		mx_find(w, in, MX_UNSUPPORTED, (int)lane, a, MX_BECAUSE(OTHER_LANE));
	return a;
}

/* Splits the lanes: m keeps the lanes in memory and scratch, `lds` gets the lanes in LDS. */
static void take_apertures(struct mx_wave *w, struct mx_memop *m, struct mx_memop *lds) {
	uint64_t shared = 0;
	unsigned l;
	MX_FOR_LANES(l, m->exec) {
		bool scratch;
		uint64_t a = flat_address(w, m->in, l, &scratch);
		bool in_lds = a >> 32 == MX_SHARED_APERTURE;
		m->address[l] = lds->address[l] = in_lds || scratch ? (uint32_t)a : a;
		shared |= (uint64_t)in_lds << l;
		m->scratch |= (uint64_t)scratch << l;
	}
	lds->exec = m->exec & shared;
	m->exec &= ~shared;
	lds->in_lds = true;
	mx_range_of_addresses(w, m);
}

/* Both parts are checked before either is in flight. */
void mx_exec_FLAT(struct mx_wave *w, const struct mx_inst *in);
void mx_exec_FLAT(struct mx_wave *w, const struct mx_inst *in) {
	bool relative = mx_has_operand(in, MX_AT_BASE);
	bool good = mx_addresses_exist(w, in, mx_row_at(in, MX_AT_ADDRESS), relative ? 1 : 2);
	struct mx_memop *m = good ? mx_memop_new(w, in) : NULL;
	struct mx_memop *lds = m ? mx_memop_new(w, in) : NULL;
	if (m && !lds)
		mx_memop_drop(w, m);
	if (!lds)
		return;
	if (relative)
		mx_check_scalars_written(w, in, mx_operand_at(in, MX_AT_BASE), 2);
	all_inside(m);
	all_inside(lds);
	take_apertures(w, m, lds);
	if (!mx_vmem_prepare(w, m) || !mx_vmem_prepare(w, lds)) {
		mx_memop_drop(w, m);
		mx_memop_drop(w, lds);
		return;
	}
	if (!m->exec)
		m->land = nothing;
	if (!lds->exec)
		lds->land = nothing;
	unsigned memory = mx_stream_of(in), apart = w->group->run->isa->flat_apart;
	mx_memop_issue(w, !m->exec && apart ? apart : memory, m);
	mx_memop_issue(w, (unsigned)__builtin_ctz(in->streams & ~(1u << memory)), lds);
}
