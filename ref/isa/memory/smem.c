/* Scalar memory: loads, stores, atomics, the clocks and the scalar cache [ISA chapter 8, 12.6].
 *
 * A store is visible in memory when it lands, although hardware needs a write-back of the scalar
 * cache. A store without a later write-back is a finding at the end of the wave. */
#include "../encoding/operands.h"
#include "../machine/device_memory.h"
#include "../machine/findings.h"
#include "../machine/registers.h"
#include "../schedule/inflight.h"
#include "../schedule/random.h"
#include "atomic.h"
#include "buffer_descriptor.h"

enum { DWORD = 4 };

/* ---- addresses ---- */

struct access {
	uint64_t address;
	unsigned inside; /* dwords in range; other dwords of a load are 0, of a store dropped */
};

/* A negative sum of offsets is undefined, except for a single immediate, which compiled code uses
 * [ISA 8.2.1.1]. */
static bool offset_of(struct mx_wave *w, const struct mx_inst *in, int64_t *offset) {
	bool buffer = in->op->s[0] == 4;
	bool relative = mx_has_operand(in, MX_AT_OFFSET);
	unsigned sgpr = mx_operand_at(in, MX_AT_OFFSET);
	uint32_t scalar = relative ? mx_sread(w, in, sgpr) : 0;
	*offset = in->imm + (int64_t)scalar * (in->mem.unit ? in->mem.unit : in->op->s[1]);
	if (relative && mx_sread_unwritten(w, sgpr))
		mx_find(w, in, MX_UNWRITTEN, -1, 0, MX_BECAUSE(SCALAR_UNWRITTEN));
	if (*offset >= 0 || !(relative || buffer))
		return true;
	mx_find(w, in, MX_UNSUPPORTED, -1, 0, MX_BECAUSE(NEGATIVE_OFFSET, (uint64_t)*offset));
	return false;
}

/* The two low bits count as zero, either of the sum or of each part: the manual has both rules [ISA
 * 8.2.1]. */
static uint64_t whole_dwords(struct mx_wave *w, const struct mx_inst *in, uint64_t base,
                             int64_t offset) {
	unsigned low = (base & 3) + (in->imm & 3) + (offset - in->imm) % 4;
	if (low > 3)
		mx_find(w, in, MX_AMBIGUOUS, -1, 0, MX_BECAUSE(PARTS_OF_DWORDS));
	return (base + (uint64_t)offset) & ~3ull;
}

/* Of a descriptor of gfx950 scalar memory takes base, stride and range alone. */
static bool find_buffer(struct mx_wave *w, const struct mx_inst *in,
                        struct mx_buffer_descriptor *d) {
	const uint32_t *v = w->s + mx_operand_at(in, MX_AT_BASE);
	if (w->group->run->isa->wide_buffers)
		return mx_read_buffer_descriptor(w, in, d);
	*d = (struct mx_buffer_descriptor){
		.base = v[0] | (uint64_t)(v[1] & 0xffff) << 32,
		.num_records = v[2],
		.stride = v[1] >> 16 & 0x3fff,
	};
	return true;
}

static unsigned dwords_inside(const struct mx_inst *in, uint64_t offset, uint64_t bytes) {
	unsigned n = in->op->d / DWORD;
	uint64_t room = offset < bytes ? (bytes - offset) / DWORD : 0;
	return room < n ? (unsigned)room : n;
}

/* The range of a buffer with a stride is in records; the manual's formula can also mean bytes [ISA
 * 8.2.1]. */
static struct access in_buffer(struct mx_wave *w, const struct mx_inst *in,
                               const struct mx_buffer_descriptor *d, int64_t bytes) {
	uint64_t stride = d->stride, records = d->num_records, base = d->base & ~3ull;
	uint64_t address = whole_dwords(w, in, base, bytes), offset = address - base;
	struct access a = { address,
		            dwords_inside(in, offset, stride ? stride * records : records) };
	if (stride && a.inside != dwords_inside(in, offset, records))
		mx_find(w, in, MX_AMBIGUOUS, -1, a.address, MX_BECAUSE(NUM_RECORDS));
	bool loads = in->op->flags & MX_LOAD || in->mem.glc;
	if (loads && a.inside < in->op->d / DWORD)
		mx_find(w, in, MX_AMBIGUOUS, -1, a.address, MX_BECAUSE(BEYOND_BUFFER));
	return a;
}

/* Bytes and words, of gfx1250. */
static struct access small_in_buffer(struct mx_wave *w, const struct mx_inst *in,
                                     const struct mx_buffer_descriptor *d, uint64_t offset) {
	uint64_t range = d->num_records * (d->stride ? d->stride : 1);
	struct access a = { d->base + offset, offset + in->op->d <= range };
	if (!a.inside)
		mx_find(w, in, MX_AMBIGUOUS, -1, a.address, MX_BECAUSE(BEYOND_BUFFER));
	return a;
}

static bool find_access(struct mx_wave *w, const struct mx_inst *in, struct access *a) {
	bool write = in->op->flags & MX_STORE || in->op->rmw;
	unsigned base = mx_operand_at(in, MX_AT_BASE);
	int64_t offset;
	for (unsigned i = 0; i < in->op->s[0]; i++)
		if (mx_sread_unwritten(w, base + i))
			mx_find(w, in, MX_UNWRITTEN, -1, 0, MX_BECAUSE(SCALAR_UNWRITTEN));
	if (!offset_of(w, in, &offset))
		return false;
	struct mx_buffer_descriptor d;
	bool buffer = in->op->s[0] == 4, small = in->op->d < DWORD;
	if (buffer && !find_buffer(w, in, &d))
		return false;
	if (small) {
		*a = buffer ? small_in_buffer(w, in, &d, (uint64_t)offset)
		            : (struct access){ mx_sread64(w, in, base) + (uint64_t)offset, 1 };
		mx_check_given(w, in, a->address, in->op->d);
		return !a->inside || mx_memory_check(w, in, -1, a->address, in->op->d, false);
	}
	if (buffer)
		*a = in_buffer(w, in, &d, offset);
	else
		*a = (struct access){ whole_dwords(w, in, mx_sread64(w, in, base), offset),
			              in->op->d / DWORD };
	if (a->inside)
		mx_check_given(w, in, a->address, (size_t)a->inside * DWORD);
	if (in->op->rmw && a->address % in->op->d) {
		mx_find(w, in, MX_UNSUPPORTED, -1, a->address, MX_BECAUSE(SCALAR_ALIGNMENT));
		return false;
	}
	return !a->inside ||
	       mx_memory_check(w, in, -1, a->address, (size_t)a->inside * DWORD, write);
}

/* ---- landing ---- */

/* Bytes and words of gfx1250: extended to a dword. */
static void visit_small(const struct mx_memop *m, mx_visit_extent *visit, void *context) {
	visit(context,
	      &(struct mx_extent){ .lane = -1, .at = m->address[0], .bytes = m->in->op->d });
}

static void land_small(struct mx_wave *w, struct mx_memop *m) {
	unsigned bytes = m->in->op->d;
	uint32_t unwritten = 0, v = 0;
	if (m->inside[0])
		v = mx_memory_read(w, m->in, -1, m->address[0], bytes, &unwritten);
	bool extend = m->in->op->flags & MX_SIGNED;
	v = !extend ? v : bytes == 1 ? (uint32_t)(int8_t)v : (uint32_t)(int16_t)v;
	mx_swrite(w, mx_result(m->in), v, unwritten);
}

static void land_load(struct mx_wave *w, struct mx_memop *m) {
	for (unsigned k = 0; k < m->in->op->d / (unsigned)DWORD; k++) {
		uint32_t unwritten = 0, v = 0;
		if (k < m->inside[0])
			v = mx_memory_read(w, m->in, -1, m->address[0] + DWORD * k, DWORD,
			                   &unwritten);
		mx_swrite(w, mx_result(m->in) + k, v, unwritten);
	}
}

static void land_store(struct mx_wave *w, struct mx_memop *m) {
	for (unsigned k = 0; k < m->inside[0]; k++)
		mx_memory_write(w, m->in, -1, m->address[0] + DWORD * k, DWORD, m->data[0][k],
		                m->unwritten[0][k]);
}

/* Operand i of an atomic: one or two dwords of its data. */
static uint64_t operand(const struct mx_memop *m, const uint32_t *dwords, unsigned i) {
	return m->in->op->d == DWORD ? dwords[i] : mx_pair(dwords + 2 * i);
}

static void land_atomic(struct mx_wave *w, struct mx_memop *m) {
	unsigned n = m->in->op->d / DWORD;
	uint32_t old[2] = { 0 }, unwritten[2] = { 0 }, any = 0;
	for (unsigned k = 0; k < m->inside[0]; k++)
		old[k] = mx_memory_read(w, m->in, -1, m->address[0] + DWORD * k, DWORD,
		                        &unwritten[k]);
	struct mx_rmw x = { .old = operand(m, old, 0),
		            .data = operand(m, m->data[0], 0),
		            .compare = operand(m, m->data[0], 1),
		            .mode = MX_RMW_L2_MODE };
	uint64_t now = mx_rmw_functions[m->in->op->rmw](&x);
	for (unsigned k = 0; k < m->in->operand[MX_AT_DATA].dwords; k++)
		any |= m->unwritten[0][k];
	if (m->in->op->rmw != MX_RMW_swap32 && m->in->op->rmw != MX_RMW_swap64)
		any |= unwritten[0] | unwritten[1];
	for (unsigned k = 0; k < n; k++) {
		if (k < m->inside[0])
			mx_memory_write(w, m->in, -1, m->address[0] + DWORD * k, DWORD,
			                (uint32_t)(now >> 32 * k), any ? ~0u : 0);
		if (m->in->mem.glc)
			mx_swrite(w, mx_result(m->in) + k, old[k], unwritten[k]);
	}
}

/* ---- issue ---- */

static void take_data(struct mx_wave *w, struct mx_memop *m) {
	for (unsigned k = 0; k < m->in->operand[MX_AT_DATA].dwords; k++) {
		unsigned sgpr = mx_operand_at(m->in, MX_AT_DATA) + k;
		m->data[0][k] = w->s[sgpr];
		m->unwritten[0][k] = w->s_unwritten[sgpr];
		if (w->s_unwritten[sgpr] && m->inside[0])
			mx_find_access(w, m->in, MX_UNWRITTEN, -1, m->address[0] + DWORD * k,
			               mx_finding_access_of(true, MX_SPACE_MEMORY, DWORD),
			               MX_BECAUSE(STORE_UNWRITTEN, w->s_unwritten[sgpr], k));
	}
}

void mx_exec_SMEM(struct mx_wave *w, const struct mx_inst *in);
void mx_exec_SMEM(struct mx_wave *w, const struct mx_inst *in) {
	struct access a;
	struct mx_memop *m = find_access(w, in, &a) ? mx_memop_new(w, in) : NULL;
	if (!m)
		return;
	m->address[0] = a.address;
	m->inside[0] = (uint8_t)a.inside;
	if (!(in->op->flags & MX_LOAD))
		take_data(w, m);
	if (in->op->flags & MX_STORE && !in->mem.glc)
		w->unwritten_back = true;
	bool small = in->op->d < DWORD;
	m->extents = small ? visit_small : NULL;
	m->land = small                      ? land_small
	          : in->op->rmw              ? land_atomic
	          : in->op->flags & MX_STORE ? land_store
	                                     : land_load;
	mx_memop_issue(w, mx_stream_of(in), m);
}

/* ---- the scalar cache ---- */

#define SMEM(name)                                                                                 \
	mx_handler mx_x_##name;                                                                    \
	void mx_x_##name(struct mx_wave *w, const struct mx_inst *in)

static void land_nothing(struct mx_wave *w, struct mx_memop *m) {
	(void)w, (void)m;
}

static void issue(struct mx_wave *w, const struct mx_inst *in,
                  void (*land)(struct mx_wave *w, struct mx_memop *m)) {
	struct mx_memop *m = mx_memop_new(w, in);
	if (!m)
		return;
	m->land = land;
	mx_memop_issue(w, mx_stream_of(in), m);
}

/* Each increments lgkmcnt [LLVM SMInstructions.td: LGKM_CNT of all SM_Pseudo]. Scalar loads read
 * memory without a cache, so there is nothing to invalidate. No source defines whether invalidation
 * drops the stores of a dirty line. */
static void invalidate(struct mx_wave *w, const struct mx_inst *in) {
	if (w->unwritten_back)
		mx_assume(w, in, 0, MX_ASSUMES_CACHE_DIRTY);
	issue(w, in, land_nothing);
}
SMEM(s_dcache_inv) {
	invalidate(w, in);
}
SMEM(s_dcache_inv_vol) {
	invalidate(w, in);
}
SMEM(s_dcache_wb) {
	w->unwritten_back = false;
	issue(w, in, land_nothing);
}
SMEM(s_dcache_wb_vol) {
	w->unwritten_back = false;
	issue(w, in, land_nothing);
}

/* Discarding lines without stores of this wave has no effect. */
static void discard(struct mx_wave *w, const struct mx_inst *in) {
	if (w->unwritten_back)
		mx_find(w, in, MX_AMBIGUOUS, -1, 0, MX_BECAUSE(DISCARDED));
	issue(w, in, land_nothing);
}
SMEM(s_dcache_discard) {
	discard(w, in);
}
SMEM(s_dcache_discard_x2) {
	discard(w, in);
}

/* ---- clocks ---- */

/* Core clocks: a few per instruction of the workgroup, and those that its waves sleep [ISA 12.5,
 * S_SLEEP], from a start that depends on the seed. The real time clock runs at 100 MHz, the core at
 * an assumed 2.4 GHz. */
static uint64_t core_clocks(const struct mx_wave *w) {
	enum { AN_INSTRUCTION = 4, SLEEP = 64 };
	const uint64_t stream = 1ull << 62; /* no schedule uses this stream */
	struct mx_random r;
	mx_random_seed(&r, w->group->run->launch->seed, stream);
	return (mx_random_next(&r) >> 16) + AN_INSTRUCTION * w->group->clock +
	       SLEEP * w->group->slept;
}

static void land_time(struct mx_wave *w, struct mx_memop *m) {
	mx_swrite64(w, mx_result(m->in), core_clocks(w), 0);
}
static void land_real_time(struct mx_wave *w, struct mx_memop *m) {
	mx_swrite64(w, mx_result(m->in), core_clocks(w) / 24, 0);
}

SMEM(s_memtime) {
	issue(w, in, land_time);
}
SMEM(s_memrealtime) {
	issue(w, in, land_real_time);
}

mx_handler mx_x_s_get_shader_cycles_u64;
void mx_x_s_get_shader_cycles_u64(struct mx_wave *w, const struct mx_inst *in) {
	mx_swrite64(w, mx_result(in), core_clocks(w), 0);
}

/* A message that returns a number, which kmcnt counts. Only the real time is for compute kernels.
 */
static void land_message(struct mx_wave *w, struct mx_memop *m) {
	uint64_t time = core_clocks(w) / 24;
	mx_swrite(w, mx_result(m->in), (uint32_t)time, 0);
	if (m->in->op->id == MX_OP_s_sendmsg_rtn_b64)
		mx_swrite(w, mx_result(m->in) + 1, (uint32_t)(time >> 32), 0);
}
SMEM(s_sendmsg_rtn_b32) {
	enum { GET_REALTIME = 131 };
	unsigned message = (unsigned)in->imm & 255;
	if (message == GET_REALTIME)
		issue(w, in, land_message);
	else
		mx_find(w, in, MX_UNSUPPORTED, -1, 0, MX_BECAUSE(MESSAGE, message));
}
SMEM(s_sendmsg_rtn_b64) {
	mx_x_s_sendmsg_rtn_b32(w, in);
}
