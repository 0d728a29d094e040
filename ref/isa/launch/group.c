/* A workgroup: its memory, its waves, and its start. */
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "../memory/lds.h"
#include "../memory/scratch.h"
#include "../schedule/clusters.h"
#include "../schedule/course.h"
#include "../schedule/inflight.h"
#include "../schedule/random.h"
#include "../schedule/schedule.h"
#include "../schedule/typical.h"
#include "launch.h"

static bool allocate_wave(struct mx_wave *w, const struct mx_isa *isa) {
	size_t rows = isa->vgprs + isa->agprs;
	w->v = aligned_alloc(64, rows * sizeof *w->v);
	w->v_unwritten = aligned_alloc(64, rows * sizeof *w->v_unwritten);
	return w->v && w->v_unwritten;
}

/* What belongs to one launch. */
static void leave_launch(struct mx_group *g) {
	for (unsigned i = 0; i < g->n_waves; i++)
		mx_course_end(&g->waves[i]);
	mx_watch_workgroup_free(g);
	memset(g->watcher_data, 0, sizeof g->watcher_data);
	mx_typical_free(g);
}

static void free_memory(struct mx_group *g) {
	for (unsigned i = 0; g->waves && i < g->room; i++) {
		struct mx_wave *w = &g->waves[i];
		for (unsigned s = 0; s < MX_STREAMS; s++)
			for (unsigned k = 0; k < w->queue[s].n; k++)
				mx_memop_drop(w, w->queue[s].op[k]);
		free(w->v);
		free(w->v_unwritten);
		mx_scratch_free(w);
	}
	while (g->free_list) {
		struct mx_memop *next = g->free_list->next_free;
		free(g->free_list);
		g->free_list = next;
	}
	free(g->waves);
	mx_lds_free(g);
	free(g);
}

void mx_group_free(struct mx_group *g) {
	if (!g)
		return;
	leave_launch(g);
	free_memory(g);
}

/* ---- workgroups that have ended, kept for later launches ---- */

enum { KEPT = 64, SCRATCH_KEPT = 1024 /* bytes of a work-item */ };
static struct {
	pthread_mutex_t lock;
	struct mx_group *group[KEPT];
	unsigned n;
} kept = { .lock = PTHREAD_MUTEX_INITIALIZER };

void mx_group_keep(struct mx_group *g) {
	if (!g)
		return;
	leave_launch(g);
	pthread_mutex_lock(&kept.lock);
	bool keep = kept.n < KEPT && g->scratch_bytes <= SCRATCH_KEPT;
	if (keep)
		kept.group[kept.n++] = g;
	pthread_mutex_unlock(&kept.lock);
	if (!keep)
		free_memory(g);
}

static uint32_t lds_of(const struct mx_launch *l) {
	return l->kernel->lds_bytes + l->dynamic_lds;
}

static bool fits(const struct mx_group *g, const struct mx_launch *l) {
	return g->isa == mx_program_isa(l->program) && g->room == mx_waves_of(g->isa, l->block) &&
	       g->lds_bytes == lds_of(l) && g->scratch_bytes == l->kernel->scratch_bytes;
}

/* Those that do not fit belonged to another kernel. */
static struct mx_group *take_kept(const struct mx_launch *l) {
	struct mx_group *found = NULL;
	pthread_mutex_lock(&kept.lock);
	while (!found && kept.n) {
		struct mx_group *g = kept.group[--kept.n];
		if (fits(g, l))
			found = g;
		else
			free_memory(g);
	}
	pthread_mutex_unlock(&kept.lock);
	return found;
}

static struct mx_group *allocate(const struct mx_run *run) {
	const struct mx_launch *l = run->launch;
	struct mx_group *g = calloc(1, sizeof *g);
	if (!g)
		return NULL;
	g->isa = run->isa;
	g->room = mx_waves_of(run->isa, l->block);
	g->lds_bytes = lds_of(l);
	g->scratch_bytes = l->kernel->scratch_bytes;
	g->waves = calloc(g->room, sizeof *g->waves);
	bool ok = g->waves && mx_lds_new(g);
	for (unsigned i = 0; ok && i < g->room; i++)
		ok = allocate_wave(&g->waves[i], run->isa) && mx_scratch_new(&g->waves[i], run);
	if (ok)
		return g;
	free_memory(g);
	return NULL;
}

struct mx_group *mx_group_new(struct mx_run *run) {
	struct mx_group *g = take_kept(run->launch);
	g = g ? g : allocate(run);
	if (!g)
		return NULL;
	g->run = run;
	if (mx_typical_new(g) && mx_watch_workgroup_new(g))
		return g;
	mx_group_free(g);
	return NULL;
}

/* The last workgroup of an axis may be partial. Its work-items are numbered by its own size
 * [assumed: LLVM and HSA only say that it has fewer]. */
static void place(struct mx_group *g, uint64_t index) {
	const struct mx_launch *l = g->run->launch;
	g->index = index;
	g->id[0] = (uint32_t)(index % l->grid[0]);
	g->id[1] = (uint32_t)(index / l->grid[0] % l->grid[1]);
	g->id[2] = (uint32_t)(index / l->grid[0] / l->grid[1]);
	for (unsigned i = 0; i < 3; i++)
		g->size[i] =
			l->partial[i] && g->id[i] == l->grid[i] - 1 ? l->partial[i] : l->block[i];
	g->n_waves = mx_waves_of(g->run->isa, g->size);
}

/* Initial bytes of LDS and registers, different in each workgroup. */
static uint8_t pattern_of(const struct mx_group *g) {
	return (uint8_t)(g->run->pattern + 37 * g->index);
}

void mx_group_start(struct mx_group *g, uint64_t index) {
	place(g, index);
	if (!mx_cluster_enter(g))
		g->run->out_of_memory = true;
	mx_watch_workgroup_begin(g);
	g->clock = g->slept = g->alone_since = g->last_starvation_check = g->landed_at = 0;
	g->landed = 0;
	g->last = NULL;
	g->demoted = g->prioritised = false;
	g->next_due = UINT64_MAX;
	g->next_wave = -1;
	g->ended = g->gone = g->signalled = 0;
	memset(g->barrier, 0, sizeof g->barrier);
	g->stores = 0;
	g->barriers = g->stores_in_flight = g->before_barrier = 0;
	g->outlived_slice = false;
	mx_random_seed(&g->random, g->run->launch->seed, index);
	mx_group_policy(g);
	g->pattern = pattern_of(g);
	mx_lds_start(g, g->pattern);
	for (unsigned i = 0; i < g->n_waves; i++) {
		g->waves[i].group = g;
		g->waves[i].index = i;
		mx_wave_start(&g->waves[i]);
		mx_turns_begin(&g->waves[i]);
	}
	mx_typical_start(g);
}
