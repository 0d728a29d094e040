/* Stall detection: waves that return to an earlier state while no store lands. Such a wave loops
 * for ever unless another wave changes memory.
 *
 * Only groups that have not ended within a slice are sampled. States are compared by their hash,
 * and only while the wave has nothing in flight. The limit on a wave's instructions finds the other
 * loops: those that count their rounds, or that store. */
#include <string.h>

#include "../machine/findings.h"
#include "inflight.h"
#include "schedule.h"

/* FNV-1a over dwords. */
static uint64_t hash(uint64_t h, const void *p, size_t dwords) {
	for (size_t i = 0; i < dwords; i++) {
		uint32_t v;
		memcpy(&v, (const char *)p + 4 * i, 4);
		h = (h ^ v) * 0x100000001b3ull;
	}
	return h;
}

static uint64_t state_of(const struct mx_wave *w) {
	uint32_t rest[] = { w->scc, w->mode };
	uint64_t h = hash(0xcbf29ce484222325ull, rest, 2);
	h = hash(h, w->s, MX_SGPR_FILE);
	h = hash(h, w->v, (size_t)w->vgprs * MX_LANES);
	return hash(h, w->v + w->first_agpr, (size_t)w->agprs * MX_LANES);
}

/* Samples the state at visits 1, 2, 4, 8 ... of a place, and compares it at the visit after each,
 * so that a wave that does not stall costs little. */
void mx_note_round(struct mx_wave *w) {
	struct mx_round *t = &w->round;
	if (t->cycling || w->streams || (t->sampled && w->pc != t->pc))
		return;
	if (t->sampled && (t->visits & (t->visits - 1)) == 0)
		t->cycling = t->hash == state_of(w);
	t->visits++;
	if (t->sampled && t->visits & (t->visits - 1))
		return;
	t->sampled = true;
	t->pc = w->pc;
	t->hash = state_of(w);
}

static bool all_cycling(const struct mx_group *g) {
	for (unsigned i = 0; i < g->n_waves; i++) {
		mx_wave_status s = g->waves[i].status;
		if (s != MX_AT_BARRIER && s != MX_ENDED && !g->waves[i].round.cycling)
			return false;
	}
	return true;
}

/* Waves that have come from one barrier to the next may have completed that of their cluster. */
static uint32_t completions_of(const struct mx_group *g) {
	return g->cluster ? g->cluster->completions : 0;
}

static uint64_t lds_of(const struct mx_group *g) {
	return hash(0, g->lds, g->lds_bytes / 4);
}

bool mx_group_run_slice(struct mx_group *g, uint64_t budget, bool *stalled) {
	uint64_t stores = g->stores, lds = g->outlived_slice ? lds_of(g) : 0;
	uint32_t completions = completions_of(g);
	for (unsigned i = 0; i < g->n_waves; i++)
		g->waves[i].round = (struct mx_round){ 0 };
	bool ended = mx_group_run(g, budget);
	*stalled = !ended && g->outlived_slice && g->stores == stores && all_cycling(g) &&
	           completions_of(g) == completions && lds_of(g) == lds;
	g->outlived_slice = !ended;
	return ended;
}

/* ---- the report ---- */

static mx_stalled where(const struct mx_wave *w) {
	switch (w->status) {
	case MX_AT_BARRIER: return MX_STALLED_AT_BARRIER;
	case MX_ENDED: return MX_STALLED_ENDED;
	default: return MX_STALLED_IN_LOOP;
	}
}

/* The first wave that runs; if there is none, the first at a barrier. */
static struct mx_wave *first_stalled(struct mx_group *g) {
	struct mx_wave *at_barrier = NULL;
	for (unsigned i = 0; i < g->n_waves; i++) {
		struct mx_wave *w = &g->waves[i];
		if (w->status == MX_READY || w->status == MX_WAITING)
			return w;
		if (w->status == MX_AT_BARRIER && !at_barrier)
			at_barrier = w;
	}
	return at_barrier;
}

void mx_report_stall(struct mx_group *g) {
	struct mx_wave *w = first_stalled(g);
	struct mx_finding n = { .kind = MX_STUCK, .lane = -1, .because = MX_BECAUSE(STALL) };
	for (; n.n_stalled < g->n_waves; n.n_stalled++) {
		const struct mx_wave *o = &g->waves[n.n_stalled];
		n.stalled_pc[n.n_stalled] = mx_pc_of(g->run, o->pc);
		n.stalled[n.n_stalled] = (uint8_t)where(o);
	}
	mx_find_as(w, NULL, NULL, &n);
}

/* No wave of the workgroup can go on. In a cluster one may wait for other workgroups. */
bool mx_group_ended(struct mx_group *g) {
	bool ended = (unsigned)__builtin_popcount(g->ended) == g->n_waves;
	if (!ended && !g->cluster)
		mx_report_stall(g);
	return ended;
}

bool mx_group_waits(const struct mx_group *g) {
	for (unsigned i = 0; i < g->n_waves; i++)
		if (!mx_idle(&g->waves[i]))
			return false;
	return true;
}
