/* Addresses of MUBUF and MTBUF: resource descriptors, range checks, swizzling [ISA 9.1]. */
#include "../machine/findings.h"
#include "../machine/registers.h"
#include "buffer_descriptor.h"
#include "lane_addresses.h"
#include "together.h"
#include "vmem.h"

/* An access to a buffer. */
struct access {
	struct mx_buffer_descriptor d;
	uint32_t soffset;
	unsigned bytes; /* per element */
	bool whole;     /* range check of the whole access, not by dword */
};

/* The dwords of an access at a byte offset that are in the buffer. An access narrower than a dword
 * is checked as a whole. */
static uint8_t raw_inside(const struct access *a, uint64_t offset) {
	uint8_t inside = 0;
	if (a->whole)
		return offset + a->bytes <= a->d.num_records ? 0xf : 0;
	for (unsigned k = 0; k < mx_dwords(a->bytes); k++)
		inside |= (offset + 4 * k + mx_part_bytes(a->bytes, k) <= a->d.num_records) << k;
	return inside;
}

/* The range check includes SOFFSET, in 64 bits. The manual's formula leaves it out [ISA 9.1.5.1],
 * but kernels that load past the end of K by SOFFSET rely on it. LLVM's buffer lowering states it
 * as what hardware does [LLVM pull requests 169230, 207796], Triton keeps masked lanes out of range
 * by it [Triton pull request 10673], and AMD's emulator was corrected to match gfx950 [ROCm
 * rocm-systems pull request 10928]. *differ gets the lanes for which the manual has another result.
 */
static uint8_t check_raw(const struct mx_wave *w, unsigned lane, const struct access *a,
                         uint32_t offset, uint64_t *differ) {
	uint8_t without = raw_inside(a, offset);
	if (!a->soffset)
		return without;
	uint8_t with = raw_inside(a, (uint64_t)offset + a->soffset);
	*differ |= (uint64_t)(with != without) << lane;
	return w->group->run->launch->soffset_unchecked ? without : with;
}

/* ---- raw buffers, the common case ---- */

static bool is_raw(const struct mx_inst *in, const struct mx_buffer_descriptor *d) {
	return !in->mem.idxen && !d->add_tid && !d->swizzle && !d->has_records;
}

/* Of a lane at an offset, all data are in range, with SOFFSET and without it; or none are. */
static bool is_in(const struct access *a, uint64_t offset) {
	return offset + a->soffset + a->bytes <= a->d.num_records;
}
static bool is_out(const struct access *a, uint64_t offset) {
	return offset >= a->d.num_records;
}

/* Finds the lanes that are in range; false if one is partly. v: their offsets without the
 * instruction's. */
static bool split_lanes(struct mx_memop *m, const struct access *a, const uint32_t *v,
                        uint32_t imm) {
	uint64_t low = UINT64_MAX, high = 0;
	unsigned l;
	m->in_range = 0;
	MX_FOR_LANES(l, m->exec) {
		uint64_t offset = (uint64_t)v[l] + imm;
		if (is_out(a, offset))
			continue;
		if (!is_in(a, offset))
			return false;
		m->in_range |= 1ull << l;
		low = offset < low ? offset : low;
		high = offset > high ? offset : high;
	}
	m->from = low;
	m->to = high + a->bytes;
	return true;
}

/* Sets the lanes in range, and from and to as offsets. */
static bool find_range(struct mx_memop *m, const struct access *a, const uint32_t *v,
                       uint32_t imm) {
	uint32_t low, high;
	MX_BY_STEP(mx_bounds)(v, m->exec, &low, &high);
	m->from = (uint64_t)low + imm;
	m->to = (uint64_t)high + imm + a->bytes;
	if (high > UINT32_MAX - imm)
		return false;
	m->range = is_out(a, m->from)               ? MX_RANGE_NONE
	           : is_in(a, (uint64_t)high + imm) ? MX_RANGE_ALL
	                                            : MX_RANGE_SOME;
	m->in_range = m->range == MX_RANGE_ALL ? m->exec : 0;
	m->split = m->range == MX_RANGE_SOME && split_lanes(m, a, v, imm);
	return m->range != MX_RANGE_SOME || m->split;
}

static void set_inside(struct mx_memop *m, unsigned all) {
	if (m->split)
		for (unsigned l = 0; l < MX_LANES; l++)
			m->inside[l] = m->in_range >> l & 1 ? (uint8_t)all : 0;
	else
		memset(m->inside, m->in_range ? (int)all : 0, sizeof m->inside);
}

static bool raw_addresses_together(struct mx_wave *w, struct mx_memop *m, const struct access *a) {
	static const mx_vreg zeros;
	const uint32_t *v = m->in->mem.offen ? w->v[mx_row_at(m->in, MX_AT_ADDRESS)] : zeros;
	uint32_t imm = (uint32_t)m->in->imm;
	uint64_t base = a->d.base + a->soffset;
	if (!m->exec || !a->bytes || !mx_may_be_together(w, 0) || !find_range(m, a, v, imm))
		return false;
	m->from += base;
	m->to += base;
	MX_BY_STEP(mx_add_offsets)(m->address, base + imm, v);
	set_inside(m, a->whole ? 0xf : (1u << mx_dwords(a->bytes)) - 1);
	return true;
}

static void raw_addresses(struct mx_wave *w, struct mx_memop *m, const struct access *a) {
	const struct mx_inst *in = m->in;
	unsigned row = mx_row_at(in, MX_AT_ADDRESS), l;
	uint64_t differ = 0;
	if (raw_addresses_together(w, m, a))
		return;
	MX_FOR_LANES(l, m->exec) {
		uint32_t offset = (in->mem.offen ? w->v[row][l] : 0) + (uint32_t)in->imm;
		m->inside[l] = check_raw(w, l, a, offset, &differ);
		m->address[l] = a->d.base + offset + a->soffset;
	}
	if (differ)
		mx_assume(w, in, differ,
		          w->group->run->launch->soffset_unchecked ? MX_ASSUMES_SOFFSET_UNCHECKED
		                                                   : MX_ASSUMES_SOFFSET_CHECKED);
}

/* ---- other buffers ---- */

/* [ISA 9.1.5.2] */
static uint64_t swizzled(const struct mx_buffer_descriptor *d, uint32_t index, uint32_t offset,
                         uint32_t element) {
	uint64_t block = (uint64_t)(index / d->index_stride) * d->stride;
	return (block + offset / element * element) * d->index_stride +
	       (uint64_t)(index % d->index_stride) * element + offset % element;
}

static uint64_t place(struct mx_wave *w, const struct mx_inst *in, unsigned lane,
                      const struct access *a, uint32_t index, uint32_t offset) {
	unsigned element = w->group->run->launch->swizzle_element_size;
	if (!a->d.swizzle)
		return (uint64_t)index * a->d.stride + offset;
	element = element ? element : 4;
	uint64_t at = swizzled(&a->d, index, offset, element);
	if (offset % element + a->bytes > element)
		mx_find(w, in, MX_UNSUPPORTED, (int)lane, a->d.base + a->soffset + at,
		        MX_BECAUSE(SWIZZLED_BYTES, a->bytes, element));
	else if (at != swizzled(&a->d, index, offset, 4) ||
	         at != swizzled(&a->d, index, offset, 16))
		mx_find(w, in, MX_AMBIGUOUS, (int)lane, a->d.base + a->soffset + at,
		        MX_BECAUSE(SWIZZLE_ELEMENT, element));
	return at;
}

/* The range checks of the manual's three kinds of buffer [ISA 9.1.5.1]; the other kinds are
 * assumed. */
static uint8_t check_lane(struct mx_wave *w, const struct mx_inst *in, unsigned lane,
                          const struct access *a, uint32_t vgpr_index, uint32_t index,
                          uint32_t offset) {
	const struct mx_buffer_descriptor *d = &a->d;
	if (d->unbound)
		return 0;
	if (d->add_tid && !in->mem.idxen)
		return 0xf;
	uint8_t record = vgpr_index < d->num_records ? 0xf : 0;
	uint8_t other = index < d->num_records ? 0xf : 0;
	bool leaves_record = d->has_records && record && offset + a->bytes > d->stride;
	if (in->mem.idxen && d->stride && !d->add_tid && !leaves_record)
		return record;
	if (!in->mem.idxen || !d->stride)
		other = raw_inside(a, offset);
	if ((other & 1) != (record & 1) || leaves_record)
		mx_find(w, in, MX_AMBIGUOUS, (int)lane, a->d.base + offset,
		        MX_BECAUSE(RANGE_CHECK, index, offset, d->num_records));
	return in->mem.idxen && !d->stride ? other : record;
}

static void indexed_addresses(struct mx_wave *w, struct mx_memop *m, const struct access *a) {
	const struct mx_inst *in = m->in;
	unsigned row = mx_row_at(in, MX_AT_ADDRESS), l;
	MX_FOR_LANES(l, m->exec) {
		uint32_t vgpr = in->mem.idxen ? w->v[row][l] : 0;
		uint32_t index = vgpr + (a->d.add_tid ? l : 0);
		uint32_t offset = in->mem.offen ? w->v[row + in->mem.idxen][l] : 0;
		offset += (uint32_t)in->imm;
		m->inside[l] = check_lane(w, in, l, a, vgpr, index, offset);
		m->address[l] = a->d.base + a->soffset + place(w, in, l, a, index, offset);
	}
}

/* ---- the instructions ---- */

static void load_or_store(struct mx_wave *w, const struct mx_inst *in) {
	struct access a;
	unsigned registers = in->mem.offen + in->mem.idxen;
	unsigned row = mx_row_at(in, MX_AT_ADDRESS), soffset = mx_operand_at(in, MX_AT_OFFSET);
	bool good = mx_read_buffer_descriptor(w, in, &a.d) &&
	            (!registers || mx_addresses_exist(w, in, row, registers));
	struct mx_memop *m = good ? mx_memop_new(w, in) : NULL;
	if (!m)
		return;
	bool typed = in->op->flags & MX_FORMAT;
	a.soffset = mx_sread(w, in, soffset);
	mx_check_scalars_written(w, in, soffset, 1);
	a.whole = typed || in->op->rmw;
	a.bytes = typed && !a.d.unbound ? mx_typed_element(w, m, a.d.word3) : in->op->d;
	if (is_raw(in, &a.d))
		raw_addresses(w, m, &a);
	else
		indexed_addresses(w, m, &a);
	if (mx_stopped(w))
		mx_memop_drop(w, m);
	else
		mx_vmem_issue(w, m);
}

void mx_exec_MUBUF(struct mx_wave *w, const struct mx_inst *in);
void mx_exec_MUBUF(struct mx_wave *w, const struct mx_inst *in) {
	if (in->op->d)
		load_or_store(w, in);
	else
		mx_cache_operation(w, in);
}

void mx_exec_MTBUF(struct mx_wave *w, const struct mx_inst *in);
void mx_exec_MTBUF(struct mx_wave *w, const struct mx_inst *in) {
	load_or_store(w, in);
}
