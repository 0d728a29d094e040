/* Random numbers of the C tests: splitmix64 [Steele, Lea, Flood, "Fast Splittable Pseudorandom
 * Number Generators"], which the code under test does not use. */
#ifndef TEST_RANDOM_H
#define TEST_RANDOM_H

#include <stdint.h>

static inline uint64_t next_random(uint64_t *state) {
	uint64_t z = *state += 0x9E3779B97F4A7C15;
	z = (z ^ z >> 30) * 0xBF58476D1CE4E5B9;
	z = (z ^ z >> 27) * 0x94D049BB133111EB;
	return z ^ z >> 31;
}

#endif
