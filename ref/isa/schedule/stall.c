/* Who can make no progress: waves that come back to where they were, in the state in which they
 * were, while no store lands. Such a wave goes round for ever unless another changes memory.
 *
 * Rounds are noted of groups that have outlived a slice. States are compared by their hash; a
 * wave's state is looked at when nothing of it is in flight. A loop that counts its rounds, or
 * whose rounds end in stores, is not found here but by the limit on a wave's instructions. */
#include <stdio.h>
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
	return hash(h, w->v + 256, (size_t)w->agprs * MX_LANES);
}

/* A state is taken at visits 1, 2, 4, 8 ... of its place, and compared at the visit after each: so
 * a wave that is not there yet costs little. */
void mx_note_round(struct mx_wave *w) {
	struct mx_round *t = &w->round;
	if (t->cycling || mx_in_flight(w) || (t->taken && w->pc != t->pc))
		return;
	if (t->taken && (t->visits & (t->visits - 1)) == 0)
		t->cycling = t->hash == state_of(w);
	t->visits++;
	if (t->taken && t->visits & (t->visits - 1))
		return;
	t->taken = true;
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

static uint64_t lds_of(const struct mx_group *g) {
	return hash(0, g->lds, g->lds_bytes / 4);
}

bool mx_group_run_slice(struct mx_group *g, uint64_t budget, bool *stalled) {
	uint64_t stores = g->stores, lds = g->outlived ? lds_of(g) : 0;
	for (unsigned i = 0; i < g->n_waves; i++)
		g->waves[i].round = (struct mx_round){ 0 };
	bool ended = mx_group_run(g, budget);
	*stalled =
		!ended && g->outlived && g->stores == stores && all_cycling(g) && lds_of(g) == lds;
	g->outlived = !ended;
	return ended;
}

/* ---- the report ---- */

static const char *waits(const struct mx_wave *w) {
	switch (w->status) {
	case MX_AT_BARRIER: return "at a barrier";
	case MX_ENDED: return "ended";
	default: return "in a loop";
	}
}

void mx_report_stall(struct mx_group *g) {
	const struct mx_launch *l = g->run->launch;
	struct mx_wave *w = g->waves;
	char text[300];
	size_t n = 0;
	while (w < g->waves + g->n_waves - 1 && w->status != MX_READY && w->status != MX_WAITING)
		w++;
	for (unsigned i = 0; i < g->n_waves && n < sizeof text; i++) {
		const struct mx_wave *o = &g->waves[i];
		uint64_t at = mx_program_base(l->program) + o->pc - l->kernel->entry;
		n += (size_t)snprintf(text + n, sizeof text - n, "%s%u at +0x%llx %s",
		                      i ? ", " : "", i, (unsigned long long)at, waits(o));
	}
	mx_find(w, NULL, MX_STUCK, -1, 0, "nothing changes any more; waves of this workgroup: %s",
	        text);
}
