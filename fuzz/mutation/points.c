/* Mutation points: the operations in flight there in the original, and whether a wait guards what
 * the wave publishes after it.
 *
 * The emulator makes the vector memory operations of a wave appear in order. Hardware need not: a
 * release in LLVM's memory model waits for vmcnt(0) before the store or atomic that publishes. So
 * bytes of the emulator do not show whether that wait is needed. */
#include <stdlib.h>
#include <string.h>

#include "../../ref/isa/encoding/operands.h"
#include "../../ref/isa/encoding/instruction_set.h"
#include "mutate.h"
#include "../hunt/schedule.h"

enum { WAVES = MX_STALLED_WAVES, MOST = 63 /* of any counter */ };

struct flight {
	uint64_t issue, pc;
	mx_counts counts; /* what it adds to the counters */
};

/* A vector memory operation, and the wait that covered it. */
struct covered {
	int site;         /* -1: no wait yet */
	unsigned younger; /* operations issued after it and before the wait */
	bool safe;        /* a second wait covers it, or no other wave can access it */
};

/* The last vector memory operations of a wave on a counter: as many as it can count. */
struct stream {
	uint64_t issued;
	struct covered last[MOST];
};

/* The operations of each wave in flight. Workgroups follow each other in this schedule. */
struct watch {
	const struct mx_bench *b;
	struct mx_site *sites;
	size_t n;
	uint32_t workgroup[3];
	struct flight flying[WAVES][128];
	unsigned n_flying[WAVES];
	struct stream stream[WAVES][MX_COUNTERS];
};

static unsigned wants(void *context, const uint32_t workgroup[3], uint32_t wave) {
	struct watch *w = context;
	memcpy(w->workgroup, workgroup, sizeof w->workgroup);
	if (wave < WAVES) {
		w->n_flying[wave] = 0;
		for (unsigned c = 0; c < MX_COUNTERS; c++)
			w->stream[wave][c].issued = 0;
	}
	return wave < WAVES ? MX_EVENT_ISSUE | MX_EVENT_LAND : 0;
}

static void guard(struct mx_site *s, uint64_t pc) {
	for (unsigned i = 0; i < s->n_guarded; i++)
		if (s->guarded[i] == pc)
			return;
	if (s->n_guarded < MX_GUARDED)
		s->guarded[s->n_guarded++] = pc;
}

static void at_site(const struct watch *w, struct mx_site *s, uint32_t wave) {
	unsigned n[MX_COUNTERS] = { 0 };
	s->reached++;
	for (unsigned i = 0; i < w->n_flying[wave]; i++) {
		const struct flight *f = &w->flying[wave][i];
		for (unsigned c = 0; c < MX_COUNTERS; c++)
			n[c] += mx_count(f->counts, c);
		guard(s, f->pc);
	}
	for (unsigned c = 0; c < MX_COUNTERS; c++)
		s->most[c] = n[c] > s->most[c] ? n[c] : s->most[c];
}

/* ---- waits before what is published ---- */

/* An operation that can publish the earlier ones of its wave: an atomic, or a store of agent scope
 * or wider [LLVM "Memory Model gfx942"]. */
static bool publishes(const struct mx_inst *in) {
	const struct mx_op *op = in->op;
	bool atomic = op->rmw && op->encoding > MX_DS;
	return atomic || (op->flags & MX_STORE && mx_has_agent_scope(in));
}

/* Scratch, by its own instructions or by flat addresses: no other wave accesses it. */
static bool is_private(const struct mx_event *e, const struct mx_inst *in) {
	const uint32_t *exec = &e->registers.s[MX_EXEC];
	if (in->op->encoding != MX_FLAT)
		return in->op->encoding == MX_SCRATCH;
	unsigned row = mx_operand_at(in, MX_AT_ADDRESS) + 1u - MX_VGPR;
	const uint32_t *high = e->registers.v[row];
	for (unsigned lane = 0; row < e->registers.vgprs && lane < MX_LANES; lane++)
		if (exec[lane / 32] >> lane % 32 & 1 && high[lane] != MX_SCRATCH_FLAT_BASE >> 32)
			return false;
	return row < e->registers.vgprs;
}

static struct covered *operation(struct stream *s, uint64_t i) {
	return &s->last[i % MOST];
}

static uint64_t oldest(const struct stream *s) {
	return s->issued > MOST ? s->issued - MOST : 0;
}

/* Records, for each operation that only one wait covers, that this wait guards the publication. */
static void publish(struct watch *w, unsigned counter, const struct stream *s, uint64_t pc) {
	for (uint64_t i = oldest(s); i < s->issued; i++) {
		const struct covered *c = &s->last[i % MOST];
		if (c->site < 0 || c->safe || c->younger >= w->sites[c->site].published[counter])
			continue;
		w->sites[c->site].published[counter] = c->younger;
		w->sites[c->site].publisher = pc;
	}
}

static void wait_for(struct stream *s, unsigned left, int site) {
	for (uint64_t i = oldest(s); i + left < s->issued; i++) {
		struct covered *c = operation(s, i);
		unsigned younger = (unsigned)(s->issued - i - 1);
		if (c->site < 0 || c->site == site) /* the same wait in a loop is weakened too */
			*c = (struct covered){ site, younger, c->safe };
		else
			c->safe = true;
	}
}

/* The highest count waits for nothing. */
static void wait_for_all(struct watch *w, const struct mx_event *e, mx_counts wait, int site) {
	for (unsigned c = 0; c < e->isa->n_counters; c++)
		if (mx_count(wait, c) < e->isa->counter[c].most)
			wait_for(&w->stream[e->wave][c], mx_count(wait, c), site);
}

static void issue_vector_memory(struct watch *w, const struct mx_event *e,
                                const struct mx_inst *in) {
	struct stream *s = &w->stream[e->wave][e->isa->stream[mx_stream_of(in)].counter];
	bool private = is_private(e, in);
	for (unsigned c = 0; publishes(in) && !private && c < e->isa->n_counters; c++)
		publish(w, c, &w->stream[e->wave][c], e->pc);
	*operation(s, s->issued++) = (struct covered){ .site = -1, .safe = private };
}

/* ---- events ---- */

static int site_at(const struct watch *w, uint64_t pc) {
	unsigned step = mx_bench_first_of(w->b, mx_bench_running(w->b));
	for (size_t i = 0; i < w->n; i++)
		if (w->sites[i].pc == pc && w->sites[i].step == step)
			return (int)i;
	return -1;
}

static void issued(struct watch *w, const struct mx_event *e) {
	struct mx_inst in;
	int site = site_at(w, e->pc);
	if (site >= 0)
		at_site(w, &w->sites[site], e->wave);
	e->isa->decode(e->code, e->dwords, 0, &in);
	mx_encoding kind = in.op ? in.op->encoding : MX_SOPP;
	if (site >= 0 && in.op && mx_kind_of(in.op) == MX_IS_WAITCNT)
		wait_for_all(w, e, in.wait, site);
	if (!in.counts)
		return;
	if (kind > MX_DS)
		issue_vector_memory(w, e, &in);
	if (w->n_flying[e->wave] < 128)
		w->flying[e->wave][w->n_flying[e->wave]++] =
			(struct flight){ e->issue, e->pc, in.counts };
}

static void landed(struct watch *w, const struct mx_event *e) {
	for (unsigned i = 0; i < w->n_flying[e->wave]; i++)
		if (w->flying[e->wave][i].issue == e->issue) {
			w->flying[e->wave][i] = w->flying[e->wave][--w->n_flying[e->wave]];
			return;
		}
}

static void event(void *context, const struct mx_event *e) {
	if (e->kind == MX_EVENT_ISSUE)
		issued(context, e);
	else if (e->kind == MX_EVENT_LAND)
		landed(context, e);
}

int mx_sites_watch(struct mx_bench *b, struct mx_site *sites, size_t n, uint64_t *hash,
                   struct mx_error *err) {
	const struct mx_schedule late = { .late = true, .odd = UINT64_MAX };
	struct watch *w = calloc(1, sizeof *w);
	struct mx_run_result r;
	if (!w)
		return mx_fail(err, "out of memory");
	w->b = b;
	w->sites = sites;
	w->n = n;
	const struct mx_observer observer = { w, wants, event };
	mx_bench_options(b)->observer = &observer;
	int status = mx_bench_run_as(b, &late, &r, err);
	mx_bench_options(b)->observer = NULL;
	free(w);
	*hash = status || r.failed ? 0 : mx_bench_hash(b);
	return status;
}
