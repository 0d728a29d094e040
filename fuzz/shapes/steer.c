/* Coverage of trials, and how it steers the draw.
 *
 * The first trial that reaches a block, or one way of a branch, is kept. Later draws vary one size
 * of a kept trial. At first each size takes all its border values, because a rare path may be wrong
 * at a border alone. Then sizes are random, and trials with rarer blocks are varied more often. */
#include <stdlib.h>
#include <string.h>

#include "shapes.h"

/* What is counted of a dword of the code: a bit says that it exists, and a bit that a trial has
 * reached it. */
static const struct {
	uint8_t possible, reached;
} ways[] = {
	{ MX_COVERABLE_BLOCK, MX_COVERED },
	{ MX_COVERABLE_BRANCH, MX_COVERED_TAKEN },
	{ MX_COVERABLE_BRANCH, MX_COVERED_NOT_TAKEN },
};
enum { WAYS = sizeof ways / sizeof *ways };

static bool is_reached(uint8_t bits, unsigned way) {
	return (bits & ways[way].possible) && (bits & ways[way].reached);
}

/* ---- counts ---- */

struct mx_covered mx_shapes_covered(const struct mx_shapes *s) {
	struct mx_covered c = { 0 };
	for (unsigned step = 0; step < mx_case_steps(s->c); step++)
		for (size_t i = 0; i < s->reached[step].n; i++) {
			bool hit = s->reached[step].hits[i] != 0;
			bool exists = s->reached[step].exists[i];
			*(i % WAYS ? &c.all_ways : &c.all_blocks) += exists;
			*(i % WAYS ? &c.ways : &c.blocks) += hit;
		}
	return c;
}

static int make_room(struct mx_reached *r, const struct mx_coverage *of) {
	if (r->n || !of->at)
		return 0;
	r->hits = calloc(of->n * WAYS + 1, sizeof *r->hits);
	r->exists = calloc(of->n * WAYS + 1, sizeof *r->exists);
	if (!r->hits || !r->exists)
		return -1;
	r->n = of->n * WAYS;
	for (size_t i = 0; i < r->n; i++)
		r->exists[i] = (of->at[i / WAYS] & ways[i % WAYS].possible) != 0;
	return 0;
}

/* Counts what a trial has reached, and notes what no trial reached before. */
static int count(struct mx_shapes *s, unsigned step, const struct mx_coverage *of,
                 struct mx_kept *k) {
	struct mx_reached *r = &s->reached[step];
	if (make_room(r, of))
		return -1;
	for (size_t i = 0; of->at && i < r->n && i / WAYS < of->n; i++) {
		if (!is_reached(of->at[i / WAYS], i % WAYS))
			continue;
		if (!r->hits[i]++ && k->n_sites < MX_SITES)
			k->site[k->n_sites++] = (struct mx_site){ step, i };
	}
	return 0;
}

int mx_steer_note(struct mx_shapes *s, const struct mx_trial *t, const struct mx_coverage *steps,
                  struct mx_error *err) {
	struct mx_kept k = { .trial = *t };
	for (unsigned i = 0; i < mx_case_steps(s->c); i++)
		if (count(s, i, &steps[i], &k))
			return mx_fail(err, "out of memory");
	if (!k.n_sites)
		return 0;
	if (s->n_kept == s->room) {
		size_t room = s->room ? 2 * s->room : 16;
		struct mx_kept *grown = realloc(s->kept, room * sizeof *grown);
		if (!grown)
			return mx_fail(err, "out of memory");
		s->kept = grown;
		s->room = room;
	}
	s->kept[s->n_kept++] = k;
	return 0;
}

void mx_steer_free(struct mx_shapes *s) {
	for (unsigned i = 0; i < MX_MAX_STEPS; i++) {
		free(s->reached[i].hits);
		free(s->reached[i].exists);
	}
	free(s->kept);
}

/* ---- choices ---- */

/* The trials that reached what the fewest trials reached, of what this one reached first. */
static uint32_t rarity(const struct mx_shapes *s, const struct mx_kept *k) {
	uint32_t least = UINT32_MAX;
	for (unsigned i = 0; i < k->n_sites; i++) {
		uint32_t hits = s->reached[k->site[i].step].hits[k->site[i].at];
		least = hits < least ? hits : least;
	}
	return least;
}

static unsigned borders_of(const struct mx_shapes *s) {
	unsigned n = 0;
	for (unsigned i = 0; i < s->sizes.n; i++)
		n += s->borders[i].n;
	return n;
}

bool mx_steer_sweep(struct mx_shapes *s, struct mx_trial *t, unsigned *size, int64_t *value) {
	struct mx_kept *best = NULL;
	unsigned all = borders_of(s), i;
	for (size_t k = 0; k < s->n_kept; k++)
		if (s->kept[k].swept < all && (!best || rarity(s, &s->kept[k]) < rarity(s, best)))
			best = &s->kept[k];
	if (!best)
		return false;
	i = best->swept++;
	for (*size = 0; i >= s->borders[*size].n; (*size)++)
		i -= s->borders[*size].n;
	*value = s->borders[*size].at[i].value;
	*t = best->trial;
	return true;
}

const struct mx_trial *mx_steer_pick(const struct mx_shapes *s, uint64_t random) {
	double sum = 0, at = (double)(random >> 11) * 0x1p-53;
	for (size_t k = 0; k < s->n_kept; k++)
		sum += 1 / (double)rarity(s, &s->kept[k]);
	at *= sum;
	for (size_t k = 0; k < s->n_kept; k++)
		if ((at -= 1 / (double)rarity(s, &s->kept[k])) < 0)
			return &s->kept[k].trial;
	return s->n_kept ? &s->kept[s->n_kept - 1].trial : NULL;
}
