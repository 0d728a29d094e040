/* The courses of launches, and whether they hold for another launch: it must be the same but for
 * the schedule and for what memory holds. Of memory, the loads that follow a course are compared
 * when they land, and stores need no comparison; but an access to a guard is a finding. */
#include <stdlib.h>
#include <string.h>

#include "../../mma/matrix_profiles.h"
#include "course_inside.h"

enum {
	MOST_BYTES = 64 << 20,
	MOST_WAVES = 1 << 12, /* of a launch */
	LEAVES = 4,           /* that are not yet too many */
};

struct span {
	uint64_t from, to;
};

struct mx_course_launch {
	struct mx_course_launch *next;
	struct mx_courses *all;
	struct mx_launch launch; /* without what its pointers point to */
	struct mx_kernel kernel;
	uint64_t program;        /* its number */
	unsigned char *profiles; /* their bytes, one after the other */
	size_t profiles_bytes;
	struct mx_region *region;
	uint64_t *plain;   /* the version with which a region has no guards in the spans; or 0 */
	struct span *span; /* of device memory that is accessed */
	size_t n_spans, room, sorted;
	size_t n_waves;
	struct mx_course *course;
};

struct mx_courses {
	size_t bytes;
	struct mx_course_launch *launch;
};

struct mx_courses *mx_courses_new(void) {
	return calloc(1, sizeof(struct mx_courses));
}

static void free_launch(struct mx_course_launch *x) {
	for (size_t i = 0; x->course && i < x->n_waves; i++)
		mx_course_clear(&x->course[i]);
	free(x->course);
	free(x->profiles);
	free(x->region);
	free(x->plain);
	free(x->span);
	free(x);
}

void mx_courses_free(struct mx_courses *c) {
	for (struct mx_course_launch *next, *x = c ? c->launch : NULL; x; x = next) {
		next = x->next;
		free_launch(x);
	}
	free(c);
}

bool mx_course_takes(struct mx_course *c, size_t bytes) {
	size_t *all = &c->launch->all->bytes;
	if (bytes > MOST_BYTES || *all > MOST_BYTES - bytes)
		return false;
	*all += bytes;
	c->bytes += bytes;
	return true;
}

void mx_course_clear(struct mx_course *c) {
	for (size_t i = 0; i < c->n_ops; i++) {
		free(c->op[i]->m);
		free(c->op[i]->fresh);
		free(c->op[i]->result);
		free(c->op[i]->unwritten);
		free(c->op[i]->access);
		free(c->op[i]);
	}
	for (size_t i = 0; i < c->n_events; i++)
		free(c->event[i].note);
	free(c->step);
	free(c->event);
	free(c->op);
	free(c->tally);
	free(c->recording);
	c->launch->all->bytes -= c->bytes;
	*c = (struct mx_course){ .launch = c->launch, .recordings = c->recordings };
}

/* ---- profiles: all that decides on the results of matrix instructions ---- */

/* Compares a profile with the bytes at *at, or copies it there, and moves *at. */
static bool each_profile(const mx_profile *p, unsigned char **at, bool copy) {
	static const mx_profile none;
	p = p ? p : &none;
	bool same = copy || !memcmp(*at, p, sizeof *p);
	if (copy)
		memcpy(*at, p, sizeof *p);
	*at += sizeof *p;
	return same;
}

static bool all_profiles(const struct mx_launch *l, unsigned char *at, bool copy) {
	enum { SINGLE = sizeof *l->profiles / sizeof(mx_profile *) };
	bool same = each_profile(l->profile, &at, copy);
	const mx_profile *single[SINGLE];
	if (l->profiles)
		memcpy(single, l->profiles, sizeof single);
	for (unsigned i = 0; l->profiles && same && i < SINGLE; i++)
		same = each_profile(single[i], &at, copy);
	return same;
}

static size_t profiles_bytes(const struct mx_launch *l) {
	size_t single = l->profiles ? sizeof *l->profiles / sizeof(mx_profile *) : 0;
	return (1 + single) * sizeof(mx_profile);
}

/* ---- whether a launch is the same ---- */

static bool same_kernel(const struct mx_kernel *a, const struct mx_kernel *b) {
	return a->entry == b->entry && a->lds_bytes == b->lds_bytes &&
	       a->scratch_bytes == b->scratch_bytes && a->vgprs == b->vgprs &&
	       a->agprs == b->agprs && a->sgprs == b->sgprs && a->user_sgprs == b->user_sgprs &&
	       a->preload_dwords == b->preload_dwords && a->preload_offset == b->preload_offset &&
	       a->properties == b->properties && a->workgroup_info == b->workgroup_info &&
	       !memcmp(a->workgroup_id, b->workgroup_id, sizeof a->workgroup_id) &&
	       a->tg_split == b->tg_split && a->work_item_ids == b->work_item_ids &&
	       a->named_barriers == b->named_barriers && a->mode == b->mode;
}

static bool same_sizes(const struct mx_launch *a, const struct mx_launch *b) {
	return !memcmp(a->grid, b->grid, sizeof a->grid) &&
	       !memcmp(a->block, b->block, sizeof a->block) &&
	       !memcmp(a->partial, b->partial, sizeof a->partial) &&
	       !memcmp(a->cluster, b->cluster, sizeof a->cluster) &&
	       a->dynamic_lds == b->dynamic_lds;
}

static bool same_arguments(const struct mx_launch *a, const struct mx_launch *b) {
	return a->kernarg == b->kernarg && a->given == b->given &&
	       a->kernarg_bytes == b->kernarg_bytes && a->dispatch == b->dispatch &&
	       a->queue == b->queue && a->dispatch_id == b->dispatch_id;
}

static bool same_rules(const struct mx_launch *a, const struct mx_launch *b) {
	return a->lane_by_lane == b->lane_by_lane && a->soffset_unchecked == b->soffset_unchecked &&
	       a->swizzle_element_size == b->swizzle_element_size &&
	       a->scratch_apart == b->scratch_apart && a->threadgroup_split == b->threadgroup_split;
}

static bool same_region(const struct mx_region *a, const struct mx_region *b) {
	return a->base == b->base && a->size == b->size && a->read_only == b->read_only;
}

static bool same_memory(const struct mx_course_launch *x, const struct mx_memory *m) {
	if (m->n != x->launch.memory.n)
		return false;
	for (size_t i = 0; i < m->n; i++)
		if (!same_region(&x->region[i], &m->regions[i]))
			return false;
	return true;
}

static bool is_same(const struct mx_course_launch *x, const struct mx_launch *l) {
	return x->program == mx_program_number(l->program) && same_kernel(&x->kernel, l->kernel) &&
	       same_sizes(&x->launch, l) && same_arguments(&x->launch, l) &&
	       same_rules(&x->launch, l) && same_memory(x, &l->memory) &&
	       x->profiles_bytes == profiles_bytes(l) && all_profiles(l, x->profiles, false);
}

/* ---- guards ---- */

static int by_start(const void *a, const void *b) {
	const struct span *x = a, *y = b;
	return x->from < y->from ? -1 : x->from > y->from;
}

static void merge(struct mx_course_launch *x) {
	size_t n = 0;
	if (x->n_spans == x->sorted)
		return;
	qsort(x->span, x->n_spans, sizeof *x->span, by_start);
	for (size_t i = 0; i < x->n_spans; i++)
		if (n && x->span[i].from <= x->span[n - 1].to)
			x->span[n - 1].to = x->span[i].to > x->span[n - 1].to ? x->span[i].to
			                                                      : x->span[n - 1].to;
		else
			x->span[n++] = x->span[i];
	x->n_spans = x->sorted = n;
	memset(x->plain, 0, x->launch.memory.n * sizeof *x->plain);
}

static bool make_room(struct mx_course_launch *x) {
	size_t room = x->room ? 2 * x->room : 256;
	merge(x);
	if (x->n_spans < x->room / 2)
		return true;
	struct span *grown = realloc(x->span, room * sizeof *grown);
	if (!grown)
		return false;
	x->span = grown;
	x->room = room;
	return true;
}

bool mx_course_note_span(struct mx_course *c, uint64_t from, uint64_t to) {
	struct mx_course_launch *x = c->launch;
	if (x->n_spans && x->span[x->n_spans - 1].to == from) {
		x->span[x->n_spans - 1].to = to;
		return true;
	}
	if (x->n_spans == x->room && !make_room(x))
		return false;
	x->span[x->n_spans++] = (struct span){ from, to };
	return true;
}

/* A span may go from one region to the next. */
static bool has_guards(const struct mx_region *r, struct span s) {
	uint64_t from = s.from > r->base ? s.from : r->base, end = r->base + r->size;
	uint64_t to = s.to < end ? s.to : end;
	uint8_t any = 0;
	for (uint64_t at = from; at < to; at++)
		any |= r->state[at - r->base];
	return any & MX_GUARD;
}

static bool any_guard(struct mx_course_launch *x, const struct mx_memory *m) {
	size_t i = 0;
	merge(x);
	for (size_t k = 0; k < m->n; k++) {
		const struct mx_region *r = &m->regions[k];
		uint64_t version = m->version ? m->version[k] : 0;
		if (version && x->plain[k] == version)
			continue;
		while (i < x->n_spans && x->span[i].to <= r->base)
			i++;
		for (size_t s = i; s < x->n_spans && x->span[s].from < r->base + r->size; s++)
			if (has_guards(r, x->span[s]))
				return true;
		x->plain[k] = version;
	}
	return false;
}

/* ---- launches ---- */

static bool take(struct mx_course_launch *x, const struct mx_launch *l) {
	size_t n = l->memory.n;
	x->launch = *l;
	x->kernel = *l->kernel;
	x->program = mx_program_number(l->program);
	x->profiles_bytes = profiles_bytes(l);
	x->profiles = malloc(x->profiles_bytes);
	x->region = malloc((n + 1) * sizeof *x->region);
	x->plain = calloc(n + 1, sizeof *x->plain);
	x->course = calloc(x->n_waves, sizeof *x->course);
	if (!x->profiles || !x->region || !x->plain || !x->course)
		return false;
	all_profiles(l, x->profiles, true);
	if (n)
		memcpy(x->region, l->memory.regions, n * sizeof *x->region);
	for (size_t i = 0; i < x->n_waves; i++)
		x->course[i].launch = x;
	return true;
}

static struct mx_course_launch *new_launch(struct mx_courses *all, const struct mx_launch *l) {
	uint64_t groups = (uint64_t)l->grid[0] * l->grid[1] * l->grid[2];
	unsigned waves = mx_waves_of(mx_program_isa(l->program), l->block);
	if (!waves || groups > MOST_WAVES / waves)
		return NULL;
	struct mx_course_launch *x = calloc(1, sizeof *x);
	if (!x)
		return NULL;
	x->all = all;
	x->n_waves = groups * waves;
	if (take(x, l)) {
		x->next = all->launch;
		return all->launch = x;
	}
	free_launch(x);
	return NULL;
}

/* That of the same number; a launch that is not the same replaces it. */
static struct mx_course_launch *launch_of(struct mx_courses *all, const struct mx_launch *l) {
	struct mx_course_launch **at = &all->launch, *x;
	while (*at && (*at)->launch.number != l->number)
		at = &(*at)->next;
	if ((x = *at)) {
		if (is_same(x, l) && !any_guard(x, &l->memory))
			return x;
		*at = x->next;
		free_launch(x);
	}
	return new_launch(all, l);
}

/* ---- waves ---- */

static struct mx_course_launch *courses_of(struct mx_run *run) {
	if (!run->looked_for_courses)
		run->courses = launch_of(run->launch->courses, run->launch);
	run->looked_for_courses = true;
	return run->courses;
}

/* One that its wave often leaves costs more than it saves. */
static bool is_useless(const struct mx_course *c) {
	return c->leaves > LEAVES && 4 * c->leaves > c->follows;
}

/* The first launch may have been the odd one. */
static void renew(struct mx_course *c) {

	enum { RECORDINGS = 2 };
	bool again = c->recordings < RECORDINGS;
	mx_course_clear(c);
	c->state = again ? MX_COURSE_NEW : MX_COURSE_REFUSED;
}

struct mx_course *mx_course_of(struct mx_wave *w) {
	const struct mx_group *g = w->group;
	const struct mx_launch *l = g->run->launch;
	bool keeps = l->courses && !g->run->worker && !w->wanted && !g->units && !g->cluster &&
	             !l->doorbell;
	struct mx_course_launch *x = keeps ? courses_of(g->run) : NULL;
	if (!x)
		return NULL;
	struct mx_course *c = &x->course[g->index * mx_waves_of(g->run->isa, l->block) + w->index];
	if (c->recording || is_useless(c))
		renew(c);
	return c->state == MX_COURSE_REFUSED ? NULL : c;
}
