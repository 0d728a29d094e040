/* Vector clocks as sorted lists of counters. */
#include "vector_clock.h"

#include <stdlib.h>
#include <string.h>

struct mx_clock {
	unsigned references, n;
	struct mx_tick tick[];
};

static struct mx_clock *with_room(unsigned n) {
	struct mx_clock *c = malloc(sizeof *c + n * sizeof c->tick[0]);
	if (c)
		c->references = 1;
	return c;
}

struct mx_clock *mx_clock_new(const struct mx_tick *tick, unsigned n) {
	struct mx_clock *c = with_room(n);
	if (c) {
		c->n = n;
		memcpy(c->tick, tick, n * sizeof *tick);
	}
	return c;
}

struct mx_clock *mx_clock_keep(struct mx_clock *c) {
	if (c)
		c->references++;
	return c;
}

void mx_clock_drop(struct mx_clock *c) {
	if (c && !--c->references)
		free(c);
}

uint32_t mx_clock_at(const struct mx_clock *c, uint64_t of) {
	unsigned low = 0, high = c ? c->n : 0;
	while (low < high) {
		unsigned mid = low + (high - low) / 2;
		if (c->tick[mid].of == of)
			return c->tick[mid].upto;
		if (c->tick[mid].of < of)
			low = mid + 1;
		else
			high = mid;
	}
	return 0;
}

bool mx_clock_includes(const struct mx_clock *a, const struct mx_clock *b) {
	unsigned i = 0, k = 0;
	if (!b || a == b)
		return true;
	if (!a || b->n > a->n)
		return false;
	while (k < b->n) {
		while (i < a->n && a->tick[i].of < b->tick[k].of)
			i++;
		if (i == a->n || a->tick[i].of != b->tick[k].of ||
		    a->tick[i].upto < b->tick[k].upto)
			return false;
		k++;
	}
	return true;
}

static struct mx_clock *maximum(const struct mx_clock *a, const struct mx_clock *b) {
	struct mx_clock *c = with_room(a->n + b->n);
	unsigned i = 0, k = 0, n = 0;
	if (!c)
		return NULL;
	while (i < a->n && k < b->n) {
		const struct mx_tick *s = &a->tick[i], *t = &b->tick[k];
		bool first = s->of < t->of || (s->of == t->of && s->upto >= t->upto);
		c->tick[n++] = first ? *s : *t;
		i += s->of <= t->of;
		k += t->of <= s->of;
	}
	for (; i < a->n; i++)
		c->tick[n++] = a->tick[i];
	for (; k < b->n; k++)
		c->tick[n++] = b->tick[k];
	c->n = n;
	return c;
}

static void replace(struct mx_clock **c, struct mx_clock *by) {
	mx_clock_drop(*c);
	*c = by;
}

bool mx_clock_join(struct mx_clock **into, struct mx_clock *c) {
	if (mx_clock_includes(*into, c))
		return true;
	if (mx_clock_includes(c, *into)) {
		replace(into, mx_clock_keep(c));
		return true;
	}
	struct mx_clock *both = maximum(*into, c);
	if (both)
		replace(into, both);
	return both;
}

static struct mx_clock *minimum(const struct mx_clock *a, const struct mx_clock *b) {
	struct mx_clock *c = with_room(a->n < b->n ? a->n : b->n);
	unsigned i = 0, k = 0, n = 0;
	if (!c)
		return NULL;
	while (i < a->n && k < b->n) {
		const struct mx_tick *s = &a->tick[i], *t = &b->tick[k];
		if (s->of == t->of)
			c->tick[n++] = s->upto <= t->upto ? *s : *t;
		i += s->of <= t->of;
		k += t->of <= s->of;
	}
	c->n = n;
	return c;
}

bool mx_clock_meet(struct mx_clock **into, struct mx_clock *c) {
	if (mx_clock_includes(c, *into))
		return true;
	if (mx_clock_includes(*into, c)) {
		replace(into, mx_clock_keep(c));
		return true;
	}
	struct mx_clock *both = minimum(*into, c);
	if (both)
		replace(into, both);
	return both;
}
