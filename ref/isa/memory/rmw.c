/* Atomics of vector memory: one read-modify-write per lane when they land, in ascending order of
 * lanes (assumed). The schedule decides the order between waves [ISA 9.2, 10.3.1]. */
#include "../machine/claims.h"
#include "../machine/device_memory.h"
#include "../machine/findings.h"
#include "../machine/registers.h"
#include "atomic.h"
#include "vmem.h"

static unsigned size(const struct mx_inst *in) {
	return in->op->d / 4u;
}

/* Dwords of data: one operand, or the value to store and the value to compare with. */
static unsigned data_dwords(const struct mx_inst *in) {
	return size(in) * (in->op->flags & MX_SECOND ? 2 : 1);
}

static uint64_t operand(const mx_vreg *rows, unsigned n, unsigned lane) {
	return rows[0][lane] | (n == 2 ? (uint64_t)rows[1][lane] << 32 : 0);
}

static uint64_t all_ones(unsigned n) {
	return n == 2 ? ~0ull : ~0u;
}

/* For f32 in L2 gfx950's manual flushes denormals, and names input denormals. It does not define a
 * denormal sum of normal numbers. No manual at hand has the rule of gfx1250; LLVM compiles an
 * addition that keeps denormals to one atomic [feature memory-atomic-fadd-f32-denormal-support]. */
static uint32_t l2_mode(const struct mx_wave *w) {
	return MX_RMW_L2_MODE | (w->group->run->isa->l2_denormals ? 3 << 4 : 0);
}

static uint64_t apply(struct mx_wave *w, const struct mx_memop *m, unsigned lane,
                      struct mx_rmw *x) {
	mx_rmw_function *f = mx_rmw_functions[m->in->op->rmw];
	uint64_t result = f(x);
	if (m->in_lds)
		return result;
	bool keeps = x->mode != MX_RMW_L2_MODE;
	x->mode = MX_RMW_L2_MODE | (keeps ? 0 : 2 << 4);
	if (keeps && f(x) != result)
		mx_assume(w, m->in, UINT64_C(1) << lane, MX_ASSUMES_L2_DENORMAL);
	else if (!keeps && m->in->op->rmw == MX_RMW_add_f32 && f(x) != result)
		mx_find(w, m->in, MX_AMBIGUOUS, (int)lane, m->address[lane],
		        MX_BECAUSE(DENORMAL_SUM));
	return result;
}

/* A result with unwritten sources is unwritten, unless each bit depends only on the same bit of the
 * sources. */
static uint64_t result_unwritten(const struct mx_op *op, uint64_t old, uint64_t data,
                                 uint64_t compare) {
	if (op->rmw == MX_RMW_swap32 || op->rmw == MX_RMW_swap64)
		return data;
	if (op->flags & MX_BITWISE)
		return old | data;
	return old | data | compare ? all_ones(op->d / 4u) : 0;
}

/* False if the host has changed the memory since it was read. */
static bool write_result(struct mx_wave *w, const struct mx_memop *m, unsigned l, uint64_t old,
                         uint64_t result, uint64_t unwritten) {
	unsigned n = size(m->in);
	if (!m->in_lds && !(m->scratch >> l & 1))
		return mx_memory_exchange(w, m->in, (int)l, m->address[l], 4 * n, old, result,
		                          unwritten);
	for (unsigned k = 0; k < n; k++)
		mx_lane_write(w, m, l, 4 * k, 4, (uint32_t)(result >> 32 * k),
		              (uint32_t)(unwritten >> 32 * k));
	return true;
}

static void land_lane(struct mx_wave *w, struct mx_memop *m, unsigned l) {
	unsigned n = size(m->in);
	bool second = m->in->op->flags & MX_SECOND;
	uint64_t result, unwritten;
	struct mx_rmw x = { .data = operand(m->data, n, l),
		            .compare = second ? operand(m->data + n, n, l) : 0 };
	uint64_t data = operand(m->unwritten, n, l);
	uint64_t compare = second ? operand(m->unwritten + n, n, l) : 0;
	do {
		for (unsigned k = 0; k < n; k++)
			m->data[k][l] = mx_lane_read(w, m, l, 4 * k, 4, &m->unwritten[k][l]);
		x.old = operand(m->data, n, l);
		x.mode = m->in_lds ? m->mode : l2_mode(w);
		result = apply(w, m, l, &x);
		unwritten = result_unwritten(m->in->op, operand(m->unwritten, n, l), data, compare);
	} while (!write_result(w, m, l, x.old, result, unwritten));
}

/* On several threads the launch begins again on one, before the host has done anything. */
static void ring(struct mx_wave *w, const struct mx_memop *m) {
	const struct mx_doorbell *bell = w->group->run->launch->doorbell;
	unsigned l;
	bool rings = false;
	MX_FOR_LANES(l, m->exec)
	rings |= m->inside[l] && m->address[l] == bell->address;
	if (rings && w->group->run->worker)
		mx_abort(w->group->run);
	else if (rings)
		bell->ring(bell->context);
}

/* Outside a buffer memory is unchanged and the result is 0 [ISA 9.1.5.1]. */
static void land(struct mx_wave *w, struct mx_memop *m) {
	unsigned l;
	MX_FOR_LANES(l, m->exec)
	if (m->inside[l])
		land_lane(w, m, l);
	else
		for (unsigned k = 0; k < size(m->in); k++)
			m->data[k][l] = m->unwritten[k][l] = 0;
	if (w->group->run->launch->doorbell && !m->in_lds)
		ring(w, m);
	if (m->in->mem.sc0)
		for (unsigned k = 0; k < size(m->in); k++)
			mx_vwrite(w, mx_row_at(m->in, MX_AT_RESULT) + k, m->exec, m->data[k],
			          m->unwritten[k]);
}

static bool check_lane(struct mx_wave *w, const struct mx_memop *m, unsigned l) {
	unsigned bytes = m->in->op->d;
	if (m->address[l] % bytes) {
		mx_find_access(
			w, m->in, MX_FAULT, (int)l, m->address[l],
			(struct mx_finding_access){ MX_ACCESS_ATOMIC, MX_SPACE_MEMORY, bytes },
			MX_BECAUSE(ATOMIC_ALIGNMENT));
		return false;
	}
	for (unsigned k = 0; k < size(m->in); k++)
		if (!mx_lane_check(w, m, l, 4 * k, 4, true))
			return false;
	return true;
}

bool mx_prepare_atomic(struct mx_wave *w, struct mx_memop *m) {
	const struct mx_inst *in = m->in;
	unsigned l;
	if (!mx_vgprs_exist(w, in, mx_row_at(in, MX_AT_DATA), data_dwords(in)) ||
	    (in->mem.sc0 && !mx_vgprs_exist(w, in, mx_row_at(in, MX_AT_RESULT), size(in))))
		return false;
	MX_FOR_LANES(l, m->exec)
	if (m->inside[l] && !check_lane(w, m, l))
		return false;
	mx_take_store_data(w, m, mx_operand_at(in, MX_AT_DATA), 4 * data_dwords(in), !m->in_lds);
	m->mode = w->mode;
	m->land = land;
	return true;
}
