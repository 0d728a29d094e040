/* The random numbers of a schedule: xoroshiro128++ (Blackman and Vigna). */
#ifndef MX_RANDOM_H
#define MX_RANDOM_H

#include "../machine/wave.h"

void mx_random_seed(struct mx_random *r, uint64_t seed, uint64_t stream);

static inline uint64_t mx_rotate(uint64_t v, unsigned n) {
	return v << n | v >> (64 - n);
}
static inline uint64_t mx_random_next(struct mx_random *r) {
	uint64_t a = r->s[0], b = r->s[1], result = mx_rotate(a + b, 17) + a;
	b ^= a;
	r->s[0] = mx_rotate(a, 49) ^ b ^ b << 21;
	r->s[1] = mx_rotate(b, 28);
	return result;
}
static inline unsigned mx_random_below(struct mx_random *r, unsigned n) {
	return (unsigned)((mx_random_next(r) >> 32) * n >> 32);
}

#endif
