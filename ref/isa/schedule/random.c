/* The seed of a schedule's random numbers, spread by splitmix64. */
#include "random.h"

static uint64_t splitmix(uint64_t *state) {
	uint64_t z = *state += 0x9e3779b97f4a7c15;
	z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9;
	z = (z ^ z >> 27) * 0x94d049bb133111eb;
	return z ^ z >> 31;
}

void mx_random_seed(struct mx_random *r, uint64_t seed, uint64_t stream) {
	uint64_t state = seed;
	state = splitmix(&state) + stream;
	r->s[0] = splitmix(&state);
	r->s[1] = splitmix(&state);
}
