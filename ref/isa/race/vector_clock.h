/* Vector clocks [Lamport 1978; Fidge 1988; Mattern 1989]: a set of counters. Events of a counter up
 * to its number happened before. A counter that is absent is 0.
 *
 * A clock is immutable, shared and reference-counted. NULL is the clock with all counters 0. */
#ifndef MX_VECTOR_CLOCK_H
#define MX_VECTOR_CLOCK_H

#include <stdbool.h>
#include <stdint.h>

struct mx_tick {
	uint64_t of; /* which counter */
	uint32_t upto;
};

struct mx_clock;

/* A clock with these counters, which must be sorted; NULL if memory is short. */
struct mx_clock *mx_clock_new(const struct mx_tick *tick, unsigned n);
struct mx_clock *mx_clock_keep(struct mx_clock *c);
void mx_clock_drop(struct mx_clock *c);

uint32_t mx_clock_at(const struct mx_clock *c, uint64_t of);

/* Whether no counter of `b` exceeds that of `a`. */
bool mx_clock_includes(const struct mx_clock *a, const struct mx_clock *b);

/* Raises *into to the maximum of the two. False if memory is short. */
bool mx_clock_join(struct mx_clock **into, struct mx_clock *c);
/* Lowers *into to the minimum of the two. False if memory is short. */
bool mx_clock_meet(struct mx_clock **into, struct mx_clock *c);

#endif
