/* What polling loads could have read at other moments; see poll_values.c. */
#ifndef MX_POLL_VALUES_H
#define MX_POLL_VALUES_H

#include "vector_clock.h"
#include "race.h"

/* The value that a release left in a dword, with the clock that its acquirer obtains. */
struct mx_release {
	uint64_t time; /* operations that had landed */
	mx_access access;
	uint32_t group;  /* one more than the workgroup's index; 0: the initial value */
	uint32_t writes; /* to this dword, including this one */
	uint32_t value;
	bool rmw; /* by an atomic */
	struct mx_clock *base, *last;
};

enum { MX_HISTORY = 16 };

/* The last releases to a dword, oldest first. */
struct mx_history {
	struct mx_release *release;
	uint8_t n, room;
};

bool mx_history_add(struct mx_history *h, const struct mx_release *release); /* false: no memory */
void mx_history_free(struct mx_history *h);
uint32_t mx_value_at(struct mx_wave *w, bool lds, uint64_t at);

/* The history of a dword, or NULL. */
typedef const struct mx_history *mx_history_of(struct mx_wave *w, bool lds, uint64_t at,
                                               uint64_t *counter);

/* A polling load has landed, and the values that it read give `clock`. Keeps both until the wave
 * has waited for the load (mx_polls_decide). False if the clock is simply acquired. */
bool mx_polls_land(struct mx_wave *w, const struct mx_memop *m, unsigned stream, uint32_t number,
                   struct mx_clock *clock, mx_history_of *history);
void mx_polls_drop(struct mx_race_clock *k);

#endif
