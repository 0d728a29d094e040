/* Barriers: what of them depends on the schedule.
 *
 * A signal may count for an earlier completion under another schedule, or be a second one of its
 * wave before that, which is undefined. So a wave of the workgroup must have waited for the last
 * completion before the next signal. What remains is of named barriers, and of that of a cluster.
 *
 * A signal before the initialisation is lost, so a wave that joins or signals must have obtained
 * the initialisation at a barrier. A completion before a wave joins, or before its last wait is
 * over, does not end the next wait; so the signals that complete the barrier must come after both.
 * For the barrier of a cluster one wave of the workgroup signals: after the last waits of all its
 * waves that wait again. Otherwise the launch is not proved. */
#include "race.h"

static struct mx_race_named *named_of(const struct mx_wave *w, unsigned barrier) {
	return &mx_race_group_of(w->group)->named[barrier];
}

static struct mx_race_moment moment(const struct mx_wave *w, const struct mx_inst *in) {
	return (struct mx_race_moment){ in, w->index, w->issued };
}

static bool includes(const struct mx_race_past *p, const struct mx_race_moment *e) {
	return p->wave[e->wave].issues > e->issues;
}

/* ---- all barriers ---- */

/* Whether a wait for the last completion, if there was one, comes before the next instruction of the
 * wave. */
static bool is_over(const struct mx_wave *w, const struct mx_race_named *x) {
	const struct mx_race_past *p = mx_race_past_of(w);
	for (unsigned i = 0; i < w->group->n_waves; i++) {
		const struct mx_race_rounds *r = &x->rounds[i];
		bool before = i == w->index || p->wave[i].issues > r->issues;
		if (r->passed == x->completions && before)
			return true;
	}
	return false;
}

void mx_race_signal_again(struct mx_wave *w, const struct mx_inst *in, unsigned barrier) {
	if (!is_over(w, named_of(w, barrier)))
		mx_race_doubt(w, in, MX_DOUBT_SIGNAL_AGAIN);
}

void mx_race_note_pass(struct mx_wave *w, unsigned barrier) {
	struct mx_race_rounds *r = &named_of(w, barrier)->rounds[w->index];
	r->passed = r->completed;
	r->issues = w->issued;
}

/* ---- named barriers, and that of a cluster ---- */

void mx_race_named_signal(struct mx_wave *w, const struct mx_inst *in, unsigned barrier) {
	struct mx_race_moment *init = &named_of(w, barrier)->init;
	if (mx_race_is_of_cluster(w->group, barrier))
		*init = moment(w, in);
	else if (init->in && init->wave != w->index && !includes(mx_race_past_of(w), init))
		mx_race_doubt_pair(w, in, init->in, MX_DOUBT_BARRIER_ORDER);
}

void mx_race_named_pass(struct mx_wave *w, const struct mx_race_past *p, unsigned barrier) {
	struct mx_race_named *x = named_of(w, barrier);
	struct mx_race_moment *entry = &x->entry[w->index];
	bool cluster = mx_race_is_of_cluster(w->group, barrier);
	const struct mx_inst *in = cluster ? x->init.in : entry->in;
	if (entry->in && !includes(p, entry))
		mx_race_doubt(w, in, cluster ? MX_DOUBT_CLUSTER_ORDER : MX_DOUBT_BARRIER_ORDER);
	if (in)
		*entry = moment(w, in);
}

void mx_race_barrier_changes(struct mx_wave *w, const struct mx_inst *in, unsigned barrier) {
	struct mx_race_named *x = named_of(w, barrier);
	bool first = !x->init.in;
	if (in->op->id == MX_OP_s_barrier_join) {
		mx_race_named_signal(w, in, barrier);
		x->entry[w->index] = moment(w, in);
	} else if (in->op->id == MX_OP_s_barrier_init && first) {
		x->init = moment(w, in);
	} else {
		mx_race_doubt(w, in, MX_DOUBT_BARRIER_MEMBERS);
	}
}
