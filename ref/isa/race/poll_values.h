/* What polling loads could have read at other moments: see poll_values.c. */
#ifndef MX_ORDER_MOMENTS_H
#define MX_ORDER_MOMENTS_H

#include "vector_clock.h"
#include "race.h"

/* What a release left in a dword, with the clock that an acquirer of it obtains. */
struct mx_left {
	uint64_t time; /* how many operations had landed */
	mx_access access;
	uint32_t group;  /* one more than the workgroup's index; 0: was there at first */
	uint32_t writes; /* to this dword, with this one */
	uint32_t value;
	bool rmw; /* by an atomic, from what was there before */
	struct mx_clock *base, *last;
};

enum { MX_HISTORY = 16 };

/* The last of them, oldest first. */
struct mx_history {
	struct mx_left *left;
	uint8_t n, room;
};

bool mx_history_add(struct mx_history *h, const struct mx_left *left); /* false: no memory */
void mx_history_free(struct mx_history *h);
uint32_t mx_value_at(struct mx_wave *w, bool lds, uint64_t at);

/* The history of a dword, or NULL. */
typedef const struct mx_history *mx_history_of(struct mx_wave *w, bool lds, uint64_t at,
                                               uint64_t *counter);

/* A polling load has landed, and has `clock` in what it read. Keeps it, and the clock, until the
 * wave has waited for it and what it decides shows; false where there is nothing to decide. */
bool mx_polls_land(struct mx_wave *w, const struct mx_memop *m, unsigned stream, uint32_t number,
                   struct mx_clock *clock, mx_history_of *history);
void mx_polls_forget(struct mx_order_known *k);

#endif
