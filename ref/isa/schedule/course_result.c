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

static uint32_t take_unwritten(const struct mx_wave *w, const struct mx_memop *m, unsigned row,
                               uint32_t *to) {
	uint32_t any = 0;
	unsigned l;
	memset(to, 0, sizeof(mx_vreg));
	MX_FOR_LANES(l, w->unwritten_lanes[row] & m->exec)
	any |= to[l] = w->v_unwritten[row][l];
	return any;
}

static uint32_t take_register(const struct mx_wave *w, const struct mx_memop *m,
                              const struct mx_operand *o, unsigned k, uint32_t *value,
                              uint32_t *unwritten) {
	unsigned code = o->code + k;
	if (!is_vector(o)) {
		*value = w->s[code];
		return *unwritten = w->s_unwritten[code];
	}
	memcpy(value, w->v[mx_row(code)], sizeof(mx_vreg));
	return take_unwritten(w, m, mx_row(code), unwritten);
}

bool mx_course_result_take(const struct mx_wave *w, const struct mx_memop *m, uint32_t *value,
                           uint32_t *unwritten) {
	uint32_t any = 0;
	MX_FOR_OPERANDS(o, m->in)
		for (unsigned k = 0; o->written && k < o->dwords; k++) {
			any |= take_register(w, m, o, k, value, unwritten);
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

/* unwritten: NULL, if there are no such bits. */
static bool unwritten_are(const struct mx_wave *w, const struct mx_memop *m,
                          const struct mx_operand *o, const uint32_t *unwritten) {
	mx_vreg now;
	for (unsigned k = 0; k < o->dwords; k++) {
		unsigned code = o->code + k;
		bool any = is_vector(o) ? w->unwritten_lanes[mx_row(code)] & m->exec
		                        : w->s_unwritten[code];
		if (!any && !unwritten)
			continue;
		if (!unwritten)
			return false;
		if (is_vector(o))
			take_unwritten(w, m, mx_row(code), now);
		else
			now[0] = w->s_unwritten[code];
		if (memcmp(now, unwritten + k * dwords_of(o), dwords_of(o) * sizeof *now))
			return false;
	}
	return true;
}

bool mx_course_result_is(const struct mx_wave *w, const struct mx_course_op *op) {
	const uint32_t *value = op->result, *unwritten = op->unwritten;
	MX_FOR_OPERANDS(o, op->m->in) {
		if (!o->written)
			continue;
		if (!values_are(w, op->m, o, value) || !unwritten_are(w, op->m, o, unwritten))
			return false;
		value += o->dwords * dwords_of(o);
		unwritten += unwritten ? o->dwords * dwords_of(o) : 0;
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
