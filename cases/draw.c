/* Random numbers by position: a stream, a row and a column give 128 bits, in any order. */
#include "draw.h"

#include <Random123/philox.h>
#include <string.h>

static struct draw philox(struct stream s, philox4x32_ctr_t counter) {
	philox4x32_key_t key = { { s.key[0], s.key[1] } };
	philox4x32_ctr_t r = philox4x32(counter, key);
	return (struct draw){ { r.v[0], r.v[1], r.v[2], r.v[3] } };
}

/* Chains the text, 12 bytes per counter, through the key. The last word holds the length of the
 * rest, so that "ab" + "c" and "a" + "bc" differ. */
static struct stream absorb(struct stream s, const char *text) {
	size_t left = strlen(text) + 1; /* with the NUL: an empty text counts too */
	while (left) {
		philox4x32_ctr_t counter = { { 0, 0, 0, left } };
		size_t n = left < 12 ? left : 12;
		memcpy(counter.v, text, n);
		struct draw d = philox(s, counter);
		memcpy(s.key, d.w, sizeof s.key);
		text += n;
		left -= n;
	}
	return s;
}

struct stream draw_stream(uint64_t seed, const char *case_name, const char *buffer_name) {
	struct stream s = { { (uint32_t)seed, (uint32_t)(seed >> 32) } };
	return absorb(absorb(s, case_name), buffer_name);
}

struct draw draw_at(struct stream s, enum purpose purpose, size_t row, size_t column) {
	philox4x32_ctr_t counter = { {
		(uint32_t)column,
		(uint32_t)row,
		(uint32_t)(row >> 32) << 8 | (uint32_t)(column >> 32),
		purpose,
	} };
	return philox(s, counter);
}
