/* Clocks: which work comes before other work in every run of a program.
 *
 * A stream has a place for what comes after all its earlier work, and more places for branches:
 * nodes of a graph that have no order, and launches in any order. In each place work is in order,
 * so a clock has of each place the last piece that comes before. A piece in the first place of a
 * stream stands for all branches that were begun before it. */
#include "stream_clock.h"

#include <stdatomic.h>
#include <stdlib.h>

enum { BRANCH_BITS = 32 };

static atomic_ullong numbers, age;

struct mx_work mx_work_in(uint64_t place) {
	return (struct mx_work){ place, atomic_fetch_add(&numbers, 1) + 1 };
}

uint64_t mx_place(uint64_t stream, unsigned branch) {
	return stream << BRANCH_BITS | branch;
}

uint64_t mx_place_beside(uint64_t place, unsigned branch) {
	return mx_place(place >> BRANCH_BITS, branch);
}

static bool is_first(uint64_t place) {
	return place == mx_place_beside(place, 0);
}

/* ---- clocks ---- */

static bool is_empty(const struct mx_stream_clock *c) {
	return c->age != age || !(c->n || c->all);
}

/* Makes a clock one of the present age. */
static void renew(struct mx_stream_clock *c) {
	if (c->age == age)
		return;
	c->n = 0;
	c->all = false;
	c->age = age;
}

void mx_stream_clock_free(struct mx_stream_clock *c) {
	free(c->last);
	*c = (struct mx_stream_clock){ 0 };
}

/* The position of a place, or where it would be. */
static size_t position(const struct mx_stream_clock *c, uint64_t place) {
	size_t from = 0, to = c->n;
	while (from < to) {
		size_t middle = (from + to) / 2;
		if (c->last[middle].place < place)
			from = middle + 1;
		else
			to = middle;
	}
	return from;
}

static bool reserve(struct mx_stream_clock *c, size_t n) {
	if (n <= c->room)
		return true;
	struct mx_work *grown = realloc(c->last, 2 * n * sizeof *grown);
	if (!grown) {
		c->all = true;
		return false;
	}
	c->last = grown;
	c->room = 2 * n;
	return true;
}

static uint64_t later(uint64_t a, uint64_t b) {
	return a > b ? a : b;
}

/* From the end, so that the clock has room for both. */
void mx_stream_clock_join(struct mx_stream_clock *to, const struct mx_stream_clock *from) {
	size_t more = 0, i = 0;
	renew(to);
	if (is_empty(from))
		return;
	to->all |= from->all;
	for (size_t k = 0; k < from->n; k++) {
		while (i < to->n && to->last[i].place < from->last[k].place)
			i++;
		more += i == to->n || to->last[i].place != from->last[k].place;
	}
	if (!reserve(to, to->n + more))
		return;
	i = to->n;
	to->n += more;
	for (size_t at = to->n, k = from->n; k;) {
		struct mx_work w = from->last[k - 1];
		if (i && to->last[i - 1].place > w.place) {
			to->last[--at] = to->last[--i];
			continue;
		}
		if (i && to->last[i - 1].place == w.place)
			w.number = later(w.number, to->last[--i].number);
		to->last[--at] = w;
		k--;
	}
}

/* Branches that were begun before end in the first place. */
static void end_branches(struct mx_stream_clock *c, struct mx_work first) {
	size_t n = 0;
	for (size_t i = 0; i < c->n; i++) {
		uint64_t place = c->last[i].place;
		bool ends = !is_first(place) && mx_place_beside(place, 0) == first.place &&
		            c->last[i].number < first.number;
		if (!ends)
			c->last[n++] = c->last[i];
	}
	c->n = n;
}

void mx_stream_clock_enter(struct mx_stream_clock *c, struct mx_work w) {
	struct mx_stream_clock one = { .last = &w, .n = 1, .age = age };
	mx_stream_clock_join(c, &one);
	if (is_first(w.place))
		end_branches(c, w);
}

/* The last piece of a place, or 0. */
static uint64_t last_in(const struct mx_stream_clock *c, uint64_t place) {
	size_t i = position(c, place);
	return i < c->n && c->last[i].place == place ? c->last[i].number : 0;
}

static uint64_t last_with_branch(const struct mx_stream_clock *c, uint64_t place) {
	return later(last_in(c, place), last_in(c, mx_place_beside(place, 0)));
}

/* Of the entries of a clock what another one has, too. */
static void add_common(struct mx_stream_clock *to, const struct mx_stream_clock *c,
                       const struct mx_stream_clock *with) {
	for (size_t i = 0; i < c->n; i++) {
		struct mx_work w = c->last[i];
		uint64_t both = last_with_branch(with, w.place);
		w.number = both < w.number ? both : w.number;
		if (w.number)
			mx_stream_clock_enter(to, w);
	}
}

void mx_stream_clock_meet(struct mx_stream_clock *c, const struct mx_stream_clock *with) {
	struct mx_stream_clock common = { .age = age };
	if (with->all && !is_empty(with))
		return;
	if (c->all && !is_empty(c))
		mx_stream_clock_join(&common, with);
	else if (!is_empty(c) && !is_empty(with)) {
		add_common(&common, c, with);
		add_common(&common, with, c);
	}
	mx_stream_clock_free(c);
	*c = common;
}

bool mx_stream_clock_has(const struct mx_stream_clock *c, struct mx_work w) {
	return !is_empty(c) && (c->all || last_with_branch(c, w.place) >= w.number);
}

void mx_stream_clocks_clear(void) {
	age++;
}
