/* The device memory that polling loads read. A loop waits for another wave only if the launch
 * writes there: a loop that reads the size of the grid from its arguments waits for nothing. */
#include "lds_barriers.h"
#include "summary.h"

static void forget_all(struct mx_race_analysis *o, struct mx_wave *w, const struct mx_inst *in) {
	o->polled.n = 0;
	mx_race_doubt(w, in, MX_DOUBT_POLLS);
}

struct visit {
	struct mx_wave *w;
	const struct mx_inst *in;
};

static void note_place(void *context, bool lds, uint64_t at) {
	const struct visit *v = context;
	struct mx_race_analysis *o = mx_race_analysis_of(v->w->group->run);
	struct mx_race_polled *p = &o->polled;
	for (unsigned i = p->n; !lds && i-- > 0;)
		if (p->at[i] == at)
			return;
	if (lds || p->n == MX_RACE_POLLED) {
		forget_all(o, v->w, v->in);
		return;
	}
	p->at[p->n] = at;
	p->in[p->n++] = v->in;
}

void mx_race_note_poll(struct mx_wave *w, const struct mx_memop *m) {
	const struct mx_race_analysis *o = mx_race_analysis_of(w->group->run);
	if (o->proof.doubt)
		return;
	if (mx_race_is_atomic(m->in->op))
		mx_race_doubt(w, m->in, MX_DOUBT_POLLS);
	else if (m->in->op->encoding == MX_DS)
		mx_lds_poll_issue(w, m);
	else
		mx_race_places(w, m, 1 << MX_RACE_READ, note_place, &(struct visit){ w, m->in });
}

static bool is_written(struct mx_race_map *m, uint64_t at, bool any_access) {
	const struct mx_race_page *p = mx_race_page(m, at, 16, false);
	for (uint64_t byte = at; p && byte < at + 4; byte++)
		if (mx_summary_has(p, byte, any_access))
			return true;
	return false;
}

const struct mx_inst *mx_race_awaited(struct mx_race_analysis *o) {
	for (unsigned i = 0; i < o->polled.n; i++)
		if (is_written(&o->memory, o->polled.at[i], false) ||
		    is_written(&o->atomics, o->polled.at[i], true))
			return o->polled.in[i];
	return NULL;
}
