/* The watcher of dependences that s_wait_alu waits for: along the path of each wave. */
#include <stdlib.h>
#include <string.h>

#include "../encoding/instruction_set.h"
#include "../machine/findings.h"
#include "../machine/wave.h"
#include "dependence.h"

/* By the rule that finds least, and by the strict one. */
static struct mx_dependences *of_wave(const struct mx_wave *w, bool strict) {
	char *all = w->group->watcher_data[MX_WATCHER_DEPENDENCES];
	return (void *)(all + (2 * w->index + strict) * mx_dependences_size(w->group->run->isa));
}

/* Whether something is missing before the instruction; it is reported if it is `new`. */
static bool follow(struct mx_wave *w, struct mx_dependences *d, const struct mx_inst *in,
                   bool new) {
	const struct mx_inst *earlier;
	struct mx_finding f;
	bool found = false;
	d->modes = (uint8_t)(1 << (w->sched_mode & 3));
	for (; mx_dependence_missing(d, in, &earlier, &f); found = true) {
		f.earlier_wave = w->index;
		memcpy(f.earlier_workgroup, w->group->id, sizeof f.earlier_workgroup);
		if (new)
			mx_find_as(w, in, earlier, &f);
	}
	mx_dependences_issue(w->group->run->isa, d, in);
	return found;
}

static uint32_t issue(void *context, struct mx_wave *w, const struct mx_inst *in, bool skipped) {
	(void)context, (void)skipped;
	bool found = follow(w, of_wave(w, false), in, true);
	follow(w, of_wave(w, true), in, !found);
	return 0;
}

static unsigned wave_begin(void *context, struct mx_wave *w) {
	(void)context;
	mx_dependences_forget(of_wave(w, false));
	mx_dependences_forget(of_wave(w, true));
	of_wave(w, true)->strict = true;
	return MX_WATCH_ISSUE;
}

static bool workgroup_new(void *context, struct mx_group *g) {
	(void)context;
	g->watcher_data[MX_WATCHER_DEPENDENCES] =
		calloc(2 * g->room, mx_dependences_size(g->run->isa));
	return g->watcher_data[MX_WATCHER_DEPENDENCES];
}

static void workgroup_free(void *context, struct mx_group *g) {
	(void)context;
	free(g->watcher_data[MX_WATCHER_DEPENDENCES]);
}

void mx_dependences_watch(struct mx_run *run) {
	if (!(run->launch->analysis & MX_ANALYSE_WAIT_STATES) ||
	    !mx_has_dependences(run->launch->program))
		return;
	run->watchers[MX_WATCHER_DEPENDENCES] = (struct mx_watcher){
		.workgroup_new = workgroup_new,
		.workgroup_free = workgroup_free,
		.wave_begin = wave_begin,
		.issue = issue,
	};
}
