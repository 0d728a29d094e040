/* The random numbers of a schedule. */
#ifndef MX_RANDOM_H
#define MX_RANDOM_H

#include "../machine/wave.h"

void mx_random_seed(struct mx_random *r, uint64_t seed, uint64_t stream);
uint64_t mx_random_next(struct mx_random *r);
static inline unsigned mx_random_below(struct mx_random *r, unsigned n) {
	return (unsigned)((mx_random_next(r) >> 32) * n >> 32);
}

#endif
