/* Barriers: signals, waits, and the completion that ends the waits. */
#include "barriers.h"

#include "../machine/findings.h"
#include "inflight.h"

static void signal(struct mx_wave *w, const struct mx_inst *in, unsigned b) {
	struct mx_barrier *x = &w->group->barrier[b];
	if (w->wanted & MX_WATCH_BARRIER)
		mx_watch_arrive(w, in, b);
	x->signals++;
	x->signalled |= 1u << w->index;
	w->group->signalled |= 1u << b;
}

static void pass(struct mx_wave *w, unsigned b) {
	w->complete &= ~(1u << b);
	w->status = MX_READY;
	if (w->wanted & MX_WATCH_BARRIER)
		mx_watch_pass(w, b);
}

/* ---- completion ---- */

static bool is_complete(const struct mx_group *g, const struct mx_barrier *x) {
	unsigned waves = (unsigned)__builtin_popcount(x->signalled | g->ended);
	return x->expected ? x->signals >= x->expected : waves == g->n_waves;
}

void mx_barrier_open(struct mx_group *g, unsigned b) {
	mx_watch_barrier_opens(g, b);
	for (unsigned i = 0; i < g->n_waves; i++) {
		struct mx_wave *w = &g->waves[i];
		w->complete |= 1u << b;
		if (w->status == MX_AT_BARRIER && w->barrier == b)
			pass(w, b);
	}
}

static void complete(struct mx_group *g, unsigned b) {
	g->barrier[b].signals = g->barrier[b].signalled = 0;
	g->signalled &= ~(1u << b);
	g->barriers++;
	mx_l1_barrier(g);
	mx_barrier_open(g, b);
}

void mx_barriers_complete(struct mx_group *g) {
	for (uint32_t left = g->signalled; left; left &= left - 1) {
		unsigned b = (unsigned)__builtin_ctz(left);
		if (is_complete(g, &g->barrier[b]))
			complete(g, b);
	}
}

/* ---- instructions ---- */

static bool may_signal(struct mx_wave *w, const struct mx_inst *in, unsigned b) {
	const struct mx_barrier *x = &w->group->barrier[b];
	if (x->expected || !(x->signalled >> w->index & 1))
		return true;
	mx_find(w, in, MX_UNSUPPORTED, -1, 0, MX_BECAUSE(SIGNAL_TWICE));
	return false;
}

/* The wave goes on, so the barrier completes at once if it can. */
void mx_barrier_signal(struct mx_wave *w, const struct mx_inst *in, unsigned b) {
	if (!may_signal(w, in, b))
		return;
	signal(w, in, b);
	mx_barriers_complete(w->group);
}

void mx_barrier_wait(struct mx_wave *w, unsigned b) {
	w->barrier = b;
	if (w->complete >> b & 1)
		pass(w, b);
	else
		w->status = MX_AT_BARRIER;
}

void mx_barrier_signal_and_wait(struct mx_wave *w, const struct mx_inst *in, unsigned b) {
	signal(w, in, b);
	mx_barrier_wait(w, b);
}

void mx_barrier_init(struct mx_group *g, unsigned b, uint32_t expected) {
	g->barrier[b] = (struct mx_barrier){ .expected = expected };
	g->signalled &= ~(1u << b);
}

void mx_barrier_expect(struct mx_group *g, unsigned b, uint32_t expected) {
	g->barrier[b].expected = expected;
}

void mx_barrier_join(struct mx_wave *w, unsigned b) {
	w->complete &= ~(1u << b);
}
