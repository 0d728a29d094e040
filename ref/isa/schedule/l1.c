/* The vector L1 cache of a workgroup: vector memory operations of all its waves take effect in
 * device memory in the order of issue.
 *
 * All waves of a workgroup run on one compute unit. That of gfx950 has one L1, unless a launch
 * splits the workgroup (threadgroup split). So compiled code has no wait between a store and the
 * barrier or the flag of workgroup scope that publishes it [LLVM "Memory Model gfx942"]. The cache
 * of gfx1250 has two ports without an order between them, and compiled code waits [LLVM
 * SIMemoryLegalizer, GFX12.5]; only the operations of a wave are in order. This order does not hold
 * for the registers that a load writes, for what LDS-DMA writes to LDS, or for scalar memory, which
 * has another cache.
 *
 * Without synchronisation two operations may issue in any order, so they may land in any order. The
 * order is kept for operations of which one issued before a barrier completed and the other after,
 * and for all operations of a program of which the waves synchronise through memory. */
#include "inflight.h"

static uint64_t lanes_of(const struct mx_memop *m) {
	return m->in_lds ? 0 : m->exec & ~m->scratch;
}

static unsigned bytes_of(const struct mx_memop *m) {
	return m->in->op->flags & MX_FORMAT ? 16 : m->in->op->d;
}

/* One of 64 bits for the cache line of an address. */
static uint64_t line_of(uint64_t address) {
	return 1ull << ((address >> 6) * 0x9e3779b97f4a7c15u >> 58);
}

static struct mx_l1_reach range_of(const struct mx_memop *m) {
	struct mx_l1_reach r = { .computed = true, .from = UINT64_MAX };
	uint64_t lanes = lanes_of(m);
	unsigned l;
	if (lanes == m->exec && m->range != MX_RANGE_SOME && !(m->in->op->flags & MX_FORMAT))
		return (struct mx_l1_reach){ .computed = true, .from = m->from, .to = m->to };
	MX_FOR_LANES(l, lanes) {
		uint64_t a = m->address[l], end = a + bytes_of(m);
		r.from = a < r.from ? a : r.from;
		r.to = end > r.to ? end : r.to;
	}
	return r;
}

static void find_lines(struct mx_memop *m) {
	unsigned l;
	MX_FOR_LANES(l, lanes_of(m))
	m->reach.lines |= line_of(m->address[l]) | line_of(m->address[l] + bytes_of(m) - 1);
}

static inline const struct mx_l1_reach *reach_of(struct mx_memop *m) {
	if (!m->reach.computed)
		m->reach = range_of(m);
	return &m->reach;
}

/* Most operations are far apart. */
static inline bool are_apart(struct mx_memop *a, struct mx_memop *b) {
	const struct mx_l1_reach *x = reach_of(a), *y = reach_of(b);
	return x->from >= y->to || y->from >= x->to;
}

/* A quick test whether two operations may access the same bytes. */
static bool share_lines(struct mx_memop *a, struct mx_memop *b) {
	if (!a->reach.lines)
		find_lines(a);
	if (!b->reach.lines)
		find_lines(b);
	return a->reach.lines & b->reach.lines;
}

static bool touches(const struct mx_memop *m, uint64_t from, uint64_t to) {
	unsigned l;
	MX_FOR_LANES(l, lanes_of(m))
	if (m->address[l] < to && from < m->address[l] + bytes_of(m))
		return true;
	return false;
}

static bool overlap(struct mx_memop *a, struct mx_memop *b) {
	unsigned l;
	if (!share_lines(a, b))
		return false;
	MX_FOR_LANES(l, lanes_of(a))
	if ((line_of(a->address[l]) | line_of(a->address[l] + bytes_of(a) - 1)) & b->reach.lines &&
	    touches(b, a->address[l], a->address[l] + bytes_of(a)))
		return true;
	return false;
}

static inline bool conflict(struct mx_memop *a, struct mx_memop *b) {
	return (a->writes || b->writes) && !are_apart(a, b) && overlap(a, b);
}

unsigned mx_l1_before(const struct mx_wave *other, unsigned stream, struct mx_memop *m) {
	const struct mx_group *g = other->group;
	const struct mx_queue *q = &other->queue[stream];
	unsigned n = 0;
	for (unsigned i = 0; i < q->n; i++) {
		struct mx_memop *earlier = q->op[i];
		bool before = g->run->waves_synchronise ? earlier->issued_at < m->issued_at
		                                        : earlier->barriers < m->barriers;
		if (!before)
			break;
		if (conflict(earlier, m))
			n = i + 1;
	}
	return n;
}

unsigned mx_l1_own_before(const struct mx_wave *w, unsigned stream, struct mx_memop *m) {
	const struct mx_queue *q = &w->queue[stream];
	unsigned n = 0;
	for (unsigned i = 0; i < q->n && q->op[i]->issue < m->issue; i++)
		if (q->op[i]->exec & q->op[i]->scratch & m->exec & m->scratch ||
		    conflict(q->op[i], m))
			n = i + 1;
	return n;
}

/* ---- the operations before the last barrier ---- */

/* The pages of [from, to), modulo 64, a bit each. */
static uint64_t pages_of(const struct mx_l1_reach *r) {
	enum { PAGE_BITS = 12 };
	uint64_t first = r->from >> PAGE_BITS, n = ((r->to - 1) >> PAGE_BITS) - first + 1;
	uint64_t pages = n < 64 ? (1ull << n) - 1 : ~0ull, shift = first % 64;
	return pages << shift | pages >> (63 - shift) >> 1;
}

static void include(struct mx_l1_hull *h, const struct mx_l1_reach *r) {
	if (r->from >= r->to)
		return;
	h->from = r->from < h->from ? r->from : h->from;
	h->to = r->to > h->to ? r->to : h->to;
	h->pages |= pages_of(r);
}

static bool meets(const struct mx_l1_hull *h, const struct mx_l1_reach *r) {
	return r->from < h->to && h->from < r->to && pages_of(r) & h->pages;
}

/* Whether one of them may access the same bytes. */
static bool may_meet(const struct mx_group *g, struct mx_memop *m) {
	const struct mx_l1_reach *r = reach_of(m);
	return r->from < r->to &&
	       (meets(&g->stores_before, r) || (m->writes && meets(&g->loads_before, r)));
}

bool mx_l1_may_wait(const struct mx_group *g, struct mx_memop *m) {
	return g->n_waves > 1 && mx_has_one_l1(g->run) && (m->writes || g->stores_in_flight) &&
	       (g->run->waves_synchronise || (g->before_barrier && may_meet(g, m)));
}

static void include_all(struct mx_group *g, const struct mx_queue *q) {
	g->before_barrier += q->n;
	for (unsigned i = 0; i < q->n; i++)
		include(q->op[i]->writes ? &g->stores_before : &g->loads_before,
		        reach_of(q->op[i]));
}

void mx_l1_barrier(struct mx_group *g) {
	g->before_barrier = 0;
	g->loads_before = g->stores_before = (struct mx_l1_hull){ .from = UINT64_MAX };
	for (unsigned s = 0; s < g->run->isa->n_streams; s++)
		for (unsigned i = 0; mx_in_l1(g, s) && i < g->n_waves; i++)
			include_all(g, &g->waves[i].queue[s]);
}

void mx_l1_count(struct mx_group *g, const struct mx_memop *m, int change) {
	g->stores_in_flight += (unsigned)(m->writes ? change : 0);
	g->before_barrier -= change < 0 && m->barriers < g->barriers;
}
