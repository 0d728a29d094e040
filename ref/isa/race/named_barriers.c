/* Named barriers, and that of a cluster: what of them depends on the schedule.
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
