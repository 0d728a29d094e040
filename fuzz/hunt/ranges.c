/* The runs of a hunt that are not done yet. */
#include "ranges.h"

#include <stdlib.h>

void mx_ranges_put_back(struct mx_ranges *r, uint64_t first, uint64_t end) {
	if (first >= end)
		return;
	if (r->n == r->room) {
		size_t room = r->room ? 2 * r->room : 16;
		struct mx_range *grown = realloc(r->todo, room * sizeof *grown);
		if (!grown) {
			r->out_of_memory = true;
			return;
		}
		r->todo = grown;
		r->room = room;
	}
	r->todo[r->n++] = (struct mx_range){ first, end };
}

void mx_ranges_done(struct mx_ranges *r, uint64_t first, uint64_t end) {
	if (first >= r->next) {
		mx_ranges_put_back(r, r->next, first);
		r->next = end;
		return;
	}
	for (size_t i = 0; i < r->n; i++) {
		struct mx_range hole = r->todo[i];
		if (first < hole.first || end > hole.end)
			continue;
		r->todo[i] = r->todo[--r->n];
		mx_ranges_put_back(r, hole.first, first);
		mx_ranges_put_back(r, end, hole.end);
		return;
	}
}

bool mx_ranges_take(struct mx_ranges *r, uint64_t most, uint64_t end, struct mx_range *taken) {
	for (size_t i = 0; i < r->n; i++) {
		struct mx_range *hole = &r->todo[i];
		if (hole->first >= end)
			continue;
		taken->first = hole->first;
		taken->end = hole->end < end ? hole->end : end;
		if (taken->end - taken->first > most)
			taken->end = taken->first + most;
		hole->first = taken->end;
		if (hole->first == hole->end)
			*hole = r->todo[--r->n];
		return true;
	}
	if (r->next >= end)
		return false;
	taken->first = r->next;
	taken->end = end - r->next > most ? r->next + most : end;
	r->next = taken->end;
	return true;
}
