/* The vector L1 cache of a workgroup: vector memory operations of its waves take effect in device
 * memory in the order of their issue, whichever wave they are of.
 *
 * All waves of a workgroup run on one compute unit, which has one L1, unless a launch splits them
 * (threadgroup split). So compiled code has no wait between a store and the barrier or the flag of
 * workgroup's scope that publishes it [LLVM "Memory Model gfx942"]. Neither the registers that a
 * load writes nor what LDS-DMA writes to LDS are ready by it; scalar memory has another cache.
 *
 * Where nothing orders two operations their order of issue is any, and so may be that of their
 * landing. It is kept for those with a barrier between them, and for all of a program whose waves
 * synchronise through memory. */
#include "machine.h"

static bool writes(const struct mx_memop *m) {
	return m->in->op->flags & MX_STORE || m->in->op->rmw;
}

static uint64_t lanes_of(const struct mx_memop *m) {
	return m->in_lds ? 0 : m->exec & ~m->scratch;
}

static unsigned bytes_of(const struct mx_memop *m) {
	return m->in->op->flags & MX_FORMAT ? 16 : m->in->op->d;
}

/* From the lowest byte of all lanes to the highest. */
static void span_of(const struct mx_memop *m, uint64_t *from, uint64_t *to) {
	unsigned l;
	*from = UINT64_MAX;
	*to = 0;
	MX_FOR_LANES(l, lanes_of(m)) {
		uint64_t a = m->address[l], end = a + bytes_of(m);
		*from = a < *from ? a : *from;
		*to = end > *to ? end : *to;
	}
}

static bool touches(const struct mx_memop *m, uint64_t from, uint64_t to) {
	unsigned l;
	MX_FOR_LANES(l, lanes_of(m))
	if (m->address[l] < to && from < m->address[l] + bytes_of(m))
		return true;
	return false;
}

static bool meet(const struct mx_memop *a, const struct mx_memop *b) {
	uint64_t from, to;
	unsigned l;
	if (!writes(a) && !writes(b))
		return false;
	span_of(a, &from, &to);
	if (!touches(b, from, to))
		return false;
	MX_FOR_LANES(l, lanes_of(a))
	if (touches(b, a->address[l], a->address[l] + bytes_of(a)))
		return true;
	return false;
}

unsigned mx_l1_before(const struct mx_wave *other, const struct mx_memop *m) {
	const struct mx_group *g = other->group;
	unsigned n = 0;
	for (unsigned i = 0; i < other->vm.n; i++) {
		const struct mx_memop *earlier = other->vm.op[i];
		bool before = g->run->synchronises ? earlier->born < m->born
		                                   : earlier->barriers < m->barriers;
		if (!before)
			break;
		if (meet(earlier, m))
			n = i + 1;
	}
	return n;
}

bool mx_l1_may_wait(const struct mx_group *g, const struct mx_memop *m) {
	return g->n_waves > 1 && !g->run->launch->threadgroup_split &&
	       (writes(m) || g->stores_in_flight);
}

void mx_l1_count(struct mx_group *g, const struct mx_memop *m, int change) {
	g->stores_in_flight += (unsigned)(writes(m) ? change : 0);
}
