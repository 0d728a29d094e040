/* LDS atomics: one read-modify-write per lane when the operation lands, in ascending order of lanes
 * (assumed) [ISA 9.2, 11.3.1]. */
#include <string.h>

#include "../machine/findings.h"
#include "../machine/registers.h"
#include "atomic.h"
#include "ds.h"
#include "lds.h"

mx_handler mx_x_ds_append, mx_x_ds_consume;

/* ---- values of one or two dwords ---- */

static uint64_t of_rows(const mx_vreg *rows, unsigned n, unsigned lane) {
	return rows[0][lane] | (n == 2 ? (uint64_t)rows[1][lane] << 32 : 0);
}

static void to_rows(mx_vreg *rows, unsigned n, unsigned lane, uint64_t v) {
	rows[0][lane] = (uint32_t)v;
	if (n == 2)
		rows[1][lane] = (uint32_t)(v >> 32);
}

/* ---- unwritten bits ---- */

/* Each result bit depends only on the same bit of the sources. It is unwritten if unwritten source
 * bits can change it. */
static uint64_t unwritten_bitwise(mx_rmw_function *f, const struct mx_rmw *x,
                                  const struct mx_rmw *unwritten) {
	uint64_t ones = 0, zeros = 0;
	for (unsigned i = 0; i < 8; i++) {
		struct mx_rmw y = *x;
		y.old ^= i & 1 ? unwritten->old : 0;
		y.data ^= i & 2 ? unwritten->data : 0;
		y.compare ^= i & 4 ? unwritten->compare : 0;
		uint64_t v = f(&y);
		ones |= v;
		zeros |= ~v;
	}
	return ones & zeros;
}

static uint64_t result_unwritten(const struct mx_inst *in, const struct mx_rmw *x,
                                 const struct mx_rmw *unwritten) {
	if (!(unwritten->old | unwritten->data | unwritten->compare))
		return 0;
	return in->op->flags & MX_BITWISE
	               ? unwritten_bitwise(mx_rmw_functions[in->op->rmw], x, unwritten)
	               : ~0ull;
}

/* ---- landing ---- */

static uint64_t read_element(const struct mx_wave *w, const struct mx_memop *m, unsigned lane,
                             uint32_t at, uint64_t *unwritten) {
	uint64_t v = 0;
	*unwritten = 0;
	for (unsigned k = 0; k < mx_ds_dwords(m->in); k++) {
		uint32_t u;
		v |= (uint64_t)mx_lds_read(w, m->in, lane, at + 4 * k, 4, &u) << 32 * k;
		*unwritten |= (uint64_t)u << 32 * k;
	}
	return v;
}

static void write_element(const struct mx_wave *w, const struct mx_memop *m, unsigned lane,
                          uint32_t at, uint64_t value, uint64_t unwritten) {
	for (unsigned k = 0; k < mx_ds_dwords(m->in); k++)
		mx_lds_write(w, m->in, lane, at + 4 * k, 4, (uint32_t)(value >> 32 * k),
		             (uint32_t)(unwritten >> 32 * k));
}

/* Performs one element of a lane; its data becomes the old value of memory. */
static void exchange(struct mx_wave *w, struct mx_memop *m, unsigned lane, unsigned e) {
	const struct mx_inst *in = m->in;
	unsigned n = mx_ds_dwords(in), row = e * n;
	uint32_t at = mx_ds_element(m, lane, e);
	struct mx_rmw x = { .mode = m->mode }, unwritten = { 0 };
	x.old = read_element(w, m, lane, at, &unwritten.old);
	x.data = of_rows(m->data + row, n, lane);
	unwritten.data = of_rows(m->unwritten + row, n, lane);
	if (in->op->flags & MX_SECOND) {
		x.compare = of_rows(m->data + n, n, lane);
		unwritten.compare = of_rows(m->unwritten + n, n, lane);
	}
	uint64_t value = mx_rmw_functions[in->op->rmw](&x),
		 taint = result_unwritten(in, &x, &unwritten);
	write_element(w, m, lane, at, value, taint);
	to_rows(m->data + row, n, lane, x.old);
	to_rows(m->unwritten + row, n, lane, unwritten.old);
}

/* Out of range nothing is written, and the result is 0. */
static void land(struct mx_wave *w, struct mx_memop *m) {
	unsigned n = mx_ds_dwords(m->in), whole = (1u << n) - 1, l;
	MX_FOR_LANES(l, m->exec)
	for (unsigned e = 0; e < mx_ds_elements(m->in); e++)
		if ((m->inside[l] >> e * n & whole) == whole)
			exchange(w, m, l, e);
		else {
			to_rows(m->data + e * n, n, l, 0);
			to_rows(m->unwritten + e * n, n, l, 0);
		}
	if (m->in->op->flags & MX_LOAD)
		mx_ds_return(w, m, n * mx_ds_elements(m->in));
}

/* ---- issue ---- */

/* Whether all lanes are aligned; drops the operation if not. */
static bool aligned(struct mx_wave *w, struct mx_memop *m) {
	unsigned l;
	MX_FOR_LANES(l, m->exec)
	for (unsigned e = 0; e < mx_ds_elements(m->in); e++)
		if (mx_ds_element(m, l, e) % m->in->op->d) {
			mx_find_access(w, m->in, MX_FAULT, (int)l, mx_ds_element(m, l, e),
			               (struct mx_finding_access){ MX_ACCESS_ATOMIC, MX_SPACE_LDS,
			                                           m->in->op->d },
			               MX_BECAUSE(LDS_ALIGNMENT));
			mx_memop_drop(w, m);
			return false;
		}
	return true;
}

/* The first operand of compare-and-swap is the value to compare with; other opcodes have their
 * second operand last. */
static void issue(struct mx_wave *w, struct mx_memop *m) {
	const struct mx_inst *in = m->in;
	unsigned n = mx_ds_dwords(in), flags = in->op->flags;
	if (!aligned(w, m))
		return;
	mx_ds_check_range(w, m);
	m->mode = w->mode;
	mx_ds_take(w, m, flags & MX_COMPARE ? n : 0, mx_operand_at(in, MX_AT_DATA), in->op->d);
	if (flags & (MX_TWO | MX_SECOND))
		mx_ds_take(w, m, flags & MX_COMPARE ? 0 : n, mx_operand_at(in, MX_AT_DATA1),
		           in->op->d);
	mx_ds_issue(w, m, land);
}

/* The manual's formula of ds_condxchg32 drops the low and high bits of the address. */
static void mask_addresses(struct mx_memop *m) {
	unsigned l;
	MX_FOR_LANES(l, m->exec)
	m->address[l] = (mx_ds_element(m, l, 0) & 0xfff8) - (uint32_t)m->in->imm;
}

void mx_ds_atomic(struct mx_wave *w, const struct mx_inst *in) {
	struct mx_memop *m = mx_ds_begin(w, in);
	if (!m)
		return;
	if (in->op->rmw == MX_RMW_condxchg32)
		mask_addresses(m);
	issue(w, m);
}

/* ---- one counter of a wave ---- */

/* Adds to the counter and returns the old value to all lanes. */
static void count(struct mx_wave *w, struct mx_memop *m, uint32_t by) {
	uint32_t old = 0, unwritten = 0, at = mx_ds_element(m, 0, 0), l;
	if (m->inside[0]) {
		old = mx_lds_read(w, m->in, 0, at, 4, &unwritten);
		mx_lds_write(w, m->in, 0, at, 4, old + by, unwritten ? ~0u : 0);
	}
	MX_FOR_LANES(l, m->exec) {
		m->data[0][l] = old;
		m->unwritten[0][l] = unwritten;
	}
	mx_ds_return(w, m, 1);
}

static void land_append(struct mx_wave *w, struct mx_memop *m) {
	count(w, m, (uint32_t)__builtin_popcountll(m->exec));
}

static void land_consume(struct mx_wave *w, struct mx_memop *m) {
	count(w, m, -(uint32_t)__builtin_popcountll(m->exec));
}

/* Compiled code has the address in M0 [LLVM: selectDSAppendConsume]; the manual documents this only
 * for GDS. No source defines whether addresses above 16 bits, which LDS can have, are possible. */
static void issue_count(struct mx_wave *w, const struct mx_inst *in,
                        void (*land_it)(struct mx_wave *w, struct mx_memop *m)) {
	uint32_t base = w->s[MX_M0], at = base + (uint32_t)in->imm;
	struct mx_memop *m =
		mx_vgprs_exist(w, in, mx_row_at(in, MX_AT_RESULT), 1) ? mx_memop_new(w, in) : NULL;
	if (!m)
		return;
	if (w->s_unwritten[MX_M0])
		mx_find(w, in, MX_UNWRITTEN, -1, at, MX_BECAUSE(M0_UNWRITTEN));
	if (base >> 16)
		mx_find(w, in, MX_AMBIGUOUS, -1, at, MX_BECAUSE(M0_ADDRESS));
	if (at % 4) {
		mx_find_access(w, in, MX_FAULT, -1, at,
		               (struct mx_finding_access){ MX_ACCESS_ATOMIC, MX_SPACE_LDS, 4 },
		               MX_BECAUSE(COUNTER_ALIGNMENT));
		mx_memop_drop(w, m);
		return;
	}
	m->address[0] = base;
	m->inside[0] = mx_lds_check(w, in, -1, at, 4, true);
	mx_ds_issue(w, m, land_it);
}

void mx_x_ds_append(struct mx_wave *w, const struct mx_inst *in) {
	issue_count(w, in, land_append);
}

void mx_x_ds_consume(struct mx_wave *w, const struct mx_inst *in) {
	issue_count(w, in, land_consume);
}
