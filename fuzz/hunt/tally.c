/* Counts of the results of a hunt, in a hash table. */
#include "tally.h"

#include <stdlib.h>
#include <string.h>

static struct mx_output *slot(const struct mx_tally *t, const struct mx_output *x) {
	size_t i = (x->hash ^ (uint64_t)x->outcome << 60) & (t->room - 1);
	while (t->outputs[i].runs &&
	       (t->outputs[i].hash != x->hash || t->outputs[i].outcome != x->outcome))
		i = (i + 1) & (t->room - 1);
	return &t->outputs[i];
}

static bool grow(struct mx_tally *t) {
	struct mx_tally wider = { .n = t->n, .room = t->room ? 2 * t->room : 64 };
	wider.outputs = calloc(wider.room, sizeof *wider.outputs);
	if (!wider.outputs)
		return false;
	for (size_t i = 0; i < t->room; i++)
		if (t->outputs[i].runs)
			*slot(&wider, &t->outputs[i]) = t->outputs[i];
	free(t->outputs);
	*t = wider;
	return true;
}

void mx_tally_add(struct mx_tally *t, const struct mx_output *x) {
	if (2 * t->n >= t->room && !grow(t)) {
		t->out_of_memory = true;
		return;
	}
	struct mx_output *s = slot(t, x);
	uint64_t runs = s->runs + x->runs;
	t->n += !s->runs;
	if (!s->runs || x->first < s->first)
		*s = *x;
	s->runs = runs;
}

/* More frequent results first; equally frequent ones by their first run. */
static bool before(const struct mx_output *a, const struct mx_output *b) {
	return a->runs != b->runs ? a->runs > b->runs : a->first < b->first;
}

void mx_tally_top(const struct mx_tally *t, struct mx_output top[MX_TOP_OUTPUTS]) {
	memset(top, 0, MX_TOP_OUTPUTS * sizeof *top);
	for (size_t i = 0; i < t->room; i++) {
		const struct mx_output *x = &t->outputs[i];
		size_t k = MX_TOP_OUTPUTS;
		while (k && before(x, &top[k - 1]))
			k--;
		if (!x->runs || k == MX_TOP_OUTPUTS)
			continue;
		memmove(top + k + 1, top + k, (MX_TOP_OUTPUTS - 1 - k) * sizeof *top);
		top[k] = *x;
	}
}

void mx_tally_free(struct mx_tally *t) {
	free(t->outputs);
}
