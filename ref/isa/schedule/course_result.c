/* The registers that a load writes, of the lanes that take part. */
#include <string.h>

#include "../machine/registers.h"
#include "course_inside.h"

static bool is_vector(const struct mx_operand *o) {
	return o->code >= MX_VGPR;
}

/* Of one register. */
static unsigned dwords_of(const struct mx_operand *o) {
	return is_vector(o) ? MX_LANES : 1;
}

size_t mx_course_result_dwords(const struct mx_inst *in) {
	size_t n = 0;
	MX_FOR_OPERANDS(o, in)
		if (o->written)
			n += o->dwords * dwords_of(o);
	return n;
}

/* Lanes that do not take part have zeros. */
static uint32_t take_vector(const struct mx_wave *w, const struct mx_memop *m, unsigned row,
                            uint32_t *value, uint32_t *unwritten) {
	uint32_t any = 0;
	unsigned l;
	memset(value, 0, sizeof(mx_vreg));
	memset(unwritten, 0, sizeof(mx_vreg));
	MX_FOR_LANES(l, m->exec) {
		value[l] = w->v[row][l];
		any |= unwritten[l] = mx_vunwritten(w, row, l);
	}
	return any;
}

bool mx_course_result_take(const struct mx_wave *w, const struct mx_memop *m, uint32_t *value,
                           uint32_t *unwritten) {
	uint32_t any = 0;
	MX_FOR_OPERANDS(o, m->in)
		for (unsigned k = 0; o->written && k < o->dwords; k++) {
			unsigned code = o->code + k;
			if (is_vector(o))
				any |= take_vector(w, m, mx_row(code), value, unwritten);
			else {
				*value = w->s[code];
				any |= *unwritten = w->s_unwritten[code];
			}
			value += dwords_of(o);
			unwritten += dwords_of(o);
		}
	return any;
}

/* ---- comparing ---- */

/* Whether lanes of two rows differ. */
static bool differ(const uint32_t *a, const uint32_t *b, uint64_t lanes) {
	uint32_t any = 0;
	for (unsigned l = 0; l < MX_LANES; l++)
		any |= (a[l] ^ b[l]) & -(uint32_t)(lanes >> l & 1);
	return any;
}

static bool values_are(const struct mx_wave *w, const struct mx_memop *m,
                       const struct mx_operand *o, const uint32_t *value) {
	const mx_vreg *row = w->v + mx_row(o->code);
	if (!is_vector(o))
		return !memcmp(w->s + o->code, value, o->dwords * sizeof *value);
	if (m->exec == ~0ull)
		return !memcmp(row, value, o->dwords * sizeof *row);
	for (unsigned k = 0; k < o->dwords; k++)
		if (differ(row[k], value + k * MX_LANES, m->exec))
			return false;
	return true;
}

static bool is_written(const struct mx_wave *w, const struct mx_memop *m,
                       const struct mx_operand *o) {
	uint64_t unwritten = 0;
	for (unsigned k = 0; k < o->dwords; k++)
		unwritten |= is_vector(o) ? w->unwritten_lanes[mx_row(o->code) + k] & m->exec
		                          : w->s_unwritten[o->code + k];
	return !unwritten;
}

/* Unwritten bits may have other values, which the result then has, too. */
static bool is_in_written_bits(const struct mx_wave *w, struct mx_course_op *op) {
	size_t n = mx_course_result_dwords(op->m->in);
	uint32_t *now = op->unwritten + n, *unwritten = now + n, differ = 0;
	mx_course_result_take(w, op->m, now, unwritten);
	for (size_t i = 0; i < n; i++)
		differ |= (unwritten[i] ^ op->unwritten[i]) |
		          ((now[i] ^ op->result[i]) & ~op->unwritten[i]);
	if (!differ)
		memcpy(op->result, now, n * sizeof *now);
	return !differ;
}

bool mx_course_result_is(const struct mx_wave *w, struct mx_course_op *op) {
	const uint32_t *value = op->result;
	if (op->unwritten)
		return is_in_written_bits(w, op);
	MX_FOR_OPERANDS(o, op->m->in) {
		if (!o->written)
			continue;
		if (!values_are(w, op->m, o, value) || !is_written(w, op->m, o))
			return false;
		value += o->dwords * dwords_of(o);
	}
	return true;
}

/* ---- writing ---- */

void mx_course_result_write(struct mx_wave *w, const struct mx_course_op *op) {
	const uint32_t *value = op->result, *unwritten = op->unwritten;
	MX_FOR_OPERANDS(o, op->m->in)
		for (unsigned k = 0; o->written && k < o->dwords; k++) {
			if (is_vector(o))
				mx_vwrite(w, mx_row(o->code) + k, op->m->exec, value, unwritten);
			else
				mx_swrite(w, o->code + k, *value, unwritten ? *unwritten : 0);
			value += dwords_of(o);
			unwritten += unwritten ? dwords_of(o) : 0;
		}
}
