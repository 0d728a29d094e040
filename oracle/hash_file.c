/* The hash of a file. */
#include "hash_file.h"

#include <stdio.h>

#include "xxh3.h"
#define XXH_STATIC_LINKING_ONLY

uint64_t mx_hash_file(const char *path, uint64_t seed) {
	XXH3_state_t state;
	uint8_t bytes[1 << 14];
	size_t n;
	FILE *f = fopen(path, "rb");
	XXH3_INITSTATE(&state);
	XXH3_64bits_reset_withSeed(&state, seed);
	while (f && (n = fread(bytes, 1, sizeof bytes, f)))
		XXH3_64bits_update(&state, bytes, n);
	if (f)
		fclose(f);
	return XXH3_64bits_digest(&state);
}
