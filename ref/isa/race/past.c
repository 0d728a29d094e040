/* What waves obtain at barriers.
 *
 * A wave that signals a barrier brings what it has waited for, and what it obtained at barriers
 * itself. A barrier that completes has what all its waves brought. A wave obtains this when it has
 * waited for the barrier, and nothing before: so an access after a signal is not ordered before
 * those after the wait. A barrier without an expected number of signals completes after all waves
 * have signalled or ended, so it has those of ended waves, too; that of a cluster has what the wave
 * brought that signalled for the workgroup, and the clocks of other workgroups. So do barriers in
 * LDS (lds_barriers.c): arrivals bring, and a poll obtains. */
#include <stdlib.h>
#include <string.h>

#include "race.h"
#include "vector_clock.h"
#include "wave_sync.h"

/* ---- pasts ---- */

static size_t bytes_of(const struct mx_group *g) {
	return sizeof(struct mx_race_past) + g->room * sizeof(struct mx_race_past_wave);
}

static struct mx_race_past *keep(struct mx_race_past *p) {
	p->references++;
	return p;
}

void mx_race_past_drop(struct mx_race_past **p) {
	if (*p && !--(*p)->references) {
		mx_clock_drop((*p)->flags);
		mx_clock_drop((*p)->clock);
		free(*p);
	}
	*p = NULL;
}

/* A copy that may change. NULL if memory is short. */
static struct mx_race_past *copy(struct mx_group *g, const struct mx_race_past *from) {
	struct mx_race_past *p = malloc(bytes_of(g));
	if (!p) {
		g->run->out_of_memory = true;
		return NULL;
	}
	memcpy(p, from, bytes_of(g));
	p->id = ++mx_race_group_of(g)->pasts;
	p->from = from->id;
	p->references = 1;
	mx_clock_keep(p->flags);
	p->clock = NULL;
	return p;
}

static bool includes(const struct mx_race_past *a, const struct mx_race_past *b) {
	return a->id == b->id || a->from == b->id;
}

static void join_wave(struct mx_race_past_wave *a, const struct mx_race_past_wave *b) {
	for (unsigned s = 0; s < MX_STREAMS; s++) {
		a->covered[s] = b->covered[s] > a->covered[s] ? b->covered[s] : a->covered[s];
		a->issued[s] = b->issued[s] > a->issued[s] ? b->issued[s] : a->issued[s];
	}
	if (b->issues > a->issues) {
		a->issues = b->issues;
		a->signal = b->signal;
	}
}

static void join(const struct mx_group *g, struct mx_race_past *a, const struct mx_race_past *b) {
	if (includes(a, b))
		return;
	for (unsigned i = 0; i < g->n_waves; i++)
		join_wave(&a->wave[i], &b->wave[i]);
}

/* ---- the workgroup ---- */

bool mx_race_past_new(struct mx_group *g) {
	struct mx_race_past *p = calloc(1, bytes_of(g));
	if (p)
		p->references = 1;
	mx_race_group_of(g)->beginning = p;
	return p;
}

void mx_race_past_begin(struct mx_group *g) {
	struct mx_race_group *o = mx_race_group_of(g);
	for (unsigned i = 0; i < g->n_waves; i++)
		o->past[i] = keep(o->beginning);
	o->common = o->beginning;
	memset(o->named, 0, g->run->isa->n_barriers * sizeof *o->named);
}

void mx_race_past_end(struct mx_group *g) {
	struct mx_race_group *o = mx_race_group_of(g);
	unsigned barriers = g->run->isa->n_barriers;
	for (unsigned i = 0; i < g->room; i++) {
		mx_race_past_drop(&o->past[i]);
		for (unsigned b = 0; b < barriers; b++)
			mx_race_past_drop(&o->completed[i][b]);
	}
	for (unsigned b = 0; b < barriers; b++)
		mx_race_past_drop(&o->signalled[b]);
}

void mx_race_past_free(struct mx_group *g) {
	mx_race_past_end(g);
	mx_race_past_drop(&mx_race_group_of(g)->beginning);
}

/* ---- barriers ---- */

static bool synchronises(const struct mx_group *g) {
	return mx_race_analysis_of(g->run)->sync.wave_sync->any;
}

/* Adds what a wave has waited for; it may have obtained more, of its copies, at barriers in LDS. */
static void add_covered(const struct mx_wave *w, struct mx_race_past_wave *own) {
	const uint32_t *covered = mx_race_wave_of(w)->covered;
	for (unsigned s = 0; s < MX_STREAMS; s++)
		own->covered[s] = covered[s] > own->covered[s] ? covered[s] : own->covered[s];
}

/* Adds what a wave brings to a barrier. */
static void bring(struct mx_wave *w, const struct mx_inst *in, struct mx_race_past *p) {
	const struct mx_race_wave *o = mx_race_wave_of(w);
	struct mx_race_past_wave *own = &p->wave[w->index];
	join(w->group, p, mx_race_past_of(w));
	add_covered(w, own);
	memcpy(own->issued, o->issued, sizeof own->issued);
	own->issues = w->issued;
	own->signal = in ? in : own->signal;
	if (synchronises(w->group))
		mx_race_clock_signal(w, &p->flags);
}

void mx_race_signal(struct mx_wave *w, const struct mx_inst *in, unsigned barrier) {
	struct mx_race_past **p = &mx_race_group_of(w->group)->signalled[barrier];
	mx_race_named_signal(w, in, barrier);
	mx_race_signal_again(w, in, barrier);
	if (!w->group->barrier[barrier].signals)
		mx_race_past_drop(p); /* of signals before the barrier was initialised again */
	if (!*p)
		*p = copy(w->group, mx_race_past_of(w));
	if (*p)
		bring(w, in, *p);
}

/* A wave that does not wait for each completion obtains the first of them. */
void mx_race_complete(struct mx_group *g, unsigned barrier) {
	struct mx_race_group *o = mx_race_group_of(g);
	struct mx_race_past *p = o->signalled[barrier];
	struct mx_race_named *x = &o->named[barrier];
	bool cluster = mx_race_is_of_cluster(g, barrier);
	bool all_waves = !g->barrier[barrier].expected && !cluster;
	x->completions++;
	if (p && cluster)
		mx_race_cluster_open(g, &p->flags);
	for (unsigned i = 0; p && all_waves && i < g->n_waves; i++)
		if (g->ended >> i & 1)
			bring(&g->waves[i], NULL, p);
	for (unsigned i = 0; p && i < g->n_waves; i++)
		if (!(g->waves[i].complete >> barrier & 1)) {
			mx_race_past_drop(&o->completed[i][barrier]);
			o->completed[i][barrier] = keep(p);
			x->rounds[i].completed = x->completions;
		}
	mx_race_past_drop(&o->signalled[barrier]);
}

static struct mx_race_past *common_of(const struct mx_group *g) {
	const struct mx_race_group *o = mx_race_group_of(g);
	struct mx_race_past *p = NULL;
	for (unsigned i = 0; i < g->n_waves; i++) {
		if (g->ended >> i & 1)
			continue;
		if (p && o->past[i] != p)
			return NULL;
		p = o->past[i];
	}
	return p;
}

void mx_race_obtain(struct mx_wave *w, struct mx_race_past *p) {
	struct mx_race_group *o = mx_race_group_of(w->group);
	struct mx_race_past **mine = &o->past[w->index];
	if (!includes(p, *mine)) {
		struct mx_race_past *both = copy(w->group, p);
		if (both)
			join(w->group, both, *mine);
		mx_race_past_drop(&p);
		if (!both)
			return;
		p = both;
	}
	if (synchronises(w->group))
		mx_race_clock_pass(w, p->flags);
	mx_race_past_drop(mine);
	*mine = p;
	o->common = common_of(w->group);
}

void mx_race_pass(struct mx_wave *w, unsigned barrier) {
	struct mx_race_group *o = mx_race_group_of(w->group);
	struct mx_race_past *p = o->completed[w->index][barrier];
	o->completed[w->index][barrier] = NULL;
	if (!p)
		return;
	mx_race_named_pass(w, p, barrier);
	mx_race_note_pass(w, barrier);
	mx_race_obtain(w, p);
	mx_race_wave_of(w)->passed = w->issued;
}

/* ---- barriers in LDS ---- */

struct mx_race_past *mx_race_past_of_arrival(struct mx_wave *w, const struct mx_memop *m) {
	struct mx_race_past *p = copy(w->group, mx_race_past_of(w));
	if (!p)
		return NULL;
	add_covered(w, &p->wave[w->index]);
	p->wave[w->index].covered[m->stream] = mx_race_wave_of(w)->issued[m->stream];
	return p;
}

bool mx_race_past_join(struct mx_group *g, struct mx_race_past **into,
                       const struct mx_race_past *p) {
	if (*into)
		join(g, *into, p);
	else
		*into = copy(g, p);
	return *into;
}

struct mx_race_past *mx_race_past_keep(struct mx_race_past *p) {
	return keep(p);
}

bool mx_race_past_has(const struct mx_group *g, const struct mx_race_past *a,
                      const struct mx_race_past *b) {
	for (unsigned i = 0; i < g->n_waves; i++)
		for (unsigned s = 0; s < MX_STREAMS; s++)
			if (b->wave[i].covered[s] > a->wave[i].covered[s])
				return false;
	return true;
}

/* ---- queries ---- */

static bool has(const struct mx_race_past *p, mx_access a) {
	return mx_access_number(a) <= p->wave[mx_access_wave(a)].covered[mx_access_stream(a)];
}

bool mx_race_is_over_for_all(const struct mx_group *g, mx_access a) {
	const struct mx_race_group *o = mx_race_group_of(g);
	if (o->common)
		return has(o->common, a);
	for (unsigned i = 0; i < g->n_waves; i++)
		if (!(g->ended >> i & 1) && !has(o->past[i], a))
			return false;
	return true;
}
