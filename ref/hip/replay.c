/* Repeating a launch from the memory before it, under other schedules. */
#include <stdlib.h>
#include <string.h>

#include "hostcall.h"
#include "watch.h"

enum { MOST_BYTES = 1 << 30 };

/* A copy of all regions: their bytes and states, one after the other. */
struct copy {
	uint8_t *bytes, *states;
};

struct mx_replay {
	const struct mx_memory *memory;
	struct mx_heap_use use; /* before the launch */
	size_t size;
	struct copy before;
};

/* Bytes of a region in a copy. The pool of malloc is large and mostly untouched: nothing of it is
 * copied while no part is taken. */
static size_t copied(const struct mx_replay *r, size_t i) {
	const struct mx_region *at = &r->memory->regions[i];
	return at->base == r->use.pool && !r->use.parts ? 0 : at->size;
}

static size_t size_of(const struct mx_replay *r) {
	size_t sum = 0;
	for (size_t i = 0; i < r->memory->n; i++)
		sum += copied(r, i);
	return sum;
}

static void free_copy(struct copy *c) {
	free(c->bytes);
	free(c->states);
}

static bool take(const struct mx_replay *x, struct copy *c) {
	const struct mx_memory *m = x->memory;
	size_t at = 0;
	*c = (struct copy){ malloc(x->size + 1), malloc(x->size + 1) };
	if (!c->bytes || !c->states) {
		free_copy(c);
		return false;
	}
	for (size_t i = 0; i < m->n; at += copied(x, i++)) {
		const struct mx_region *r = &m->regions[i];
		memcpy(c->bytes + at, (const void *)(uintptr_t)r->base, copied(x, i));
		memcpy(c->states + at, r->state, copied(x, i));
	}
	return true;
}

/* Only what launches have changed: the host may write to the rest meanwhile. */
static void put(const struct mx_replay *x, const struct copy *c, const bool *changed) {
	const struct mx_memory *m = x->memory;
	size_t at = 0;
	for (size_t i = 0; i < m->n; at += copied(x, i++)) {
		const struct mx_region *r = &m->regions[i];
		if (!changed[i])
			continue;
		memcpy((void *)(uintptr_t)r->base, c->bytes + at, copied(x, i));
		memcpy(r->state, c->states + at, copied(x, i));
	}
}

struct mx_replay *mx_replay_new(const struct mx_memory *memory) {
	struct mx_replay *r = malloc(sizeof *r);
	if (!r)
		return NULL;
	*r = (struct mx_replay){ .memory = memory, .use = mx_device_heap_use() };
	r->size = size_of(r);
	if (r->size <= MOST_BYTES && take(r, &r->before))
		return r;
	free(r);
	return NULL;
}

void mx_replay_free(struct mx_replay *r) {
	if (r)
		free_copy(&r->before);
	free(r);
}

void mx_replay_before(const struct mx_replay *r, size_t region, const uint8_t **bytes,
                      const uint8_t **states) {
	size_t at = 0;
	for (size_t i = 0; i < region; i++)
		at += copied(r, i);
	*bytes = r->before.bytes + at;
	*states = r->before.states + at;
}

/* Counts the bytes of a region that differ from those after the first run. */
static void compare(const struct mx_region *r, const uint8_t *want, struct mx_difference *d) {
	const uint8_t *have = (const uint8_t *)(uintptr_t)r->base;
	if (!memcmp(have, want, r->size))
		return;
	for (size_t i = 0; i < r->size; i++) {
		if (have[i] == want[i])
			continue;
		if (!d->bytes++) {
			d->address = r->base + i;
			d->first = want[i];
			d->second = have[i];
		}
	}
}

bool mx_replay_allocated(const struct mx_replay *r) {
	const struct mx_memory *m = r->memory;
	const uint8_t *bytes, *states;
	bool changed = mx_device_heap_use().requests != r->use.requests;
	for (size_t i = 0; i < m->n; i++)
		if (m->regions[i].base == r->use.heap) {
			mx_replay_before(r, i, &bytes, &states);
			changed |= memcmp(bytes, (void *)(uintptr_t)r->use.heap, copied(r, i)) != 0;
		}
	return changed;
}

static bool differs(const struct mx_replay *r, const struct copy *after, const bool *changed,
                    struct mx_difference *d) {
	const struct mx_memory *m = r->memory;
	size_t at = 0;
	for (size_t i = 0; i < m->n; at += copied(r, i++))
		if (changed[i] && copied(r, i) && !mx_hip_is_internal(m->regions[i].base))
			compare(&m->regions[i], after->bytes + at, d);
	return d->bytes;
}

/* Adds what it changes to `changed`. */
static bool run_under(const struct mx_launch *launch, uint64_t seed, struct mx_products *products,
                      struct mx_courses *courses, bool *changed) {
	struct mx_launch again = *launch;
	struct mx_report report = { 0 };
	bool *stored = malloc(launch->memory.n + 1);
	if (!stored)
		return false;
	memset(stored, true, launch->memory.n);
	again.seed = seed;
	again.analysis = 0;
	again.observer = NULL;
	again.stored = stored;
	again.memory.version = NULL; /* replays change memory in between */
	again.products = products;
	again.courses = courses;
	bool ok = mx_launch_run(&again, &report);
	mx_report_free(&report);
	for (size_t i = 0; i < launch->memory.n; i++)
		changed[i] |= stored[i];
	free(stored);
	return ok;
}

uint64_t mx_replay_run(struct mx_replay *r, const struct mx_launch *launch, uint64_t seed,
                       uint64_t n, struct mx_difference *d) {
	struct copy after;
	bool *changed = launch->stored;
	uint64_t runs = 0;
	*d = (struct mx_difference){ 0 };
	if (!take(r, &after))
		return 0;
	bool going = true;
	struct mx_products *products = mx_products_new();
	struct mx_courses *courses = mx_courses_new();
	while (going && runs < n) {
		put(r, &r->before, changed);
		d->seed = seed + ++runs;
		going = run_under(launch, d->seed, products, courses, changed) &&
		        !differs(r, &after, changed, d);
	}
	mx_products_free(products);
	mx_courses_free(courses);
	put(r, &after, changed);
	free_copy(&after);
	return runs;
}
